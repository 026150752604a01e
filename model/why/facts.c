/* SPDX-License-Identifier: MIT */
/* Facts are found by their values, and by what a person types. */
#include "facts.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "words.h"

const char *fact_wc_status_text(uint64_t value)
{
	return ibv_wc_status_str((enum ibv_wc_status)value);
}

const char *fact_async_text(uint64_t value)
{
	return ibv_event_type_str((enum ibv_event_type)value);
}

const char *fact_cm_event_text(uint64_t value)
{
	return rdma_event_str((enum rdma_cm_event_type)value);
}

const char *fact_errno_text(uint64_t value)
{
	return strerror((int)value);
}

/* The libraries' own words for it, or a term in full; or NULL. */
static const char *text_of(const struct fact_family *f, const struct fact *fact)
{
	return f->text ? f->text(fact->value) : fact->text;
}

const struct fact *fact_of(const struct fact_family *f, uint64_t value)
{
	for (const struct fact *fact = f->facts; fact->source; fact++)
		if (fact->value == value)
			return fact;
	return NULL;
}

/* How well the entry fits; larger is better. */
enum fit { FIT_NOT, FIT_TEXT, FIT_MEANING, FIT_PART, FIT_NUMBER, FIT_NAME };

/* Makes text upper case, and '-' and ' ' to '_'. */
static int plain_char(int c)
{
	return c == '-' || c == ' ' ? '_' : toupper(c);
}

static bool same_words(const char *a, const char *b)
{
	while (*a && plain_char((unsigned char)*a) == plain_char((unsigned char)*b))
		a++, b++;
	return !*a && !*b;
}

static bool contains_words(const char *text, const char *part)
{
	size_t len = strlen(part);

	for (; text && *text; text++) {
		size_t i = 0;

		while (i < len &&
		       plain_char((unsigned char)text[i]) == plain_char((unsigned char)part[i]))
			i++;
		if (i == len)
			return true;
	}
	return false;
}

static const char *without_prefix(const char *prefix, const char *text)
{
	size_t len = strlen(prefix);

	return strncasecmp(text, prefix, len) == 0 ? text + len : text;
}

/* Statuses of CM events are negative errnos. */
static bool is_number(const struct fact_family *f, const char *text, uint64_t value)
{
	char *end;
	long long v;

	if (f->is_named)
		return false;
	errno = 0;
	v = strtoll(text, &end, 0);
	if (errno || end == text || *end)
		return false;
	if (v < 0)
		return f->words == errno_words && -(uint64_t)v == value;
	return (uint64_t)v == value;
}

static bool is_among(const char *const *words, const char *text)
{
	for (; words && *words; words++)
		if (same_words(*words, text))
			return true;
	return false;
}

static enum fit fact_fits(const struct fact_family *f, const struct fact *fact, const char *text)
{
	const char *name = word_name(f->words, fact->value);
	const char *help = word_help(f->words, fact->value);
	const char *own = text_of(f, fact);

	if (same_words(name, without_prefix(f->prefix, text)) || (own && same_words(own, text)) ||
	    is_among(fact->names, text))
		return FIT_NAME;
	if (is_number(f, text, fact->value))
		return FIT_NUMBER;
	if (is_among(fact->synonyms, text))
		return FIT_PART;
	if (isdigit((unsigned char)*text) || *text == '-')
		return FIT_NOT;
	if (contains_words(name, without_prefix(f->prefix, text)))
		return FIT_PART;
	if (contains_words(help, text) || contains_words(own, text))
		return FIT_MEANING;
	for (const struct fact_cause *c = fact->causes; c && c->text; c++)
		if (contains_words(c->text, text))
			return FIT_TEXT;
	return contains_words(fact->here, text) ? FIT_TEXT : FIT_NOT;
}

unsigned facts_find(const struct fact_family *only, const char *text, struct found *found)
{
	enum fit best = FIT_TEXT;
	unsigned n = 0;

	for (const struct fact_family *f = fact_families; f->name && *text; f++)
		for (const struct fact *fact = f->facts; fact->source; fact++) {
			enum fit fit = only && f != only ? FIT_NOT : fact_fits(f, fact, text);

			if (fit < best)
				continue;
			if (fit > best)
				n = 0;
			best = fit;
			if (n < FOUND_MAX)
				found[n++] = (struct found){ f, fact };
		}
	return n;
}

const struct fact_family *fact_family(const char *name)
{
	const struct fact_family *found = NULL;
	size_t len = strlen(name);

	for (const struct fact_family *f = fact_families; f->name; f++) {
		if (strcasecmp(f->name, name) == 0)
			return f;
		if (len && strncasecmp(f->name, name, len) == 0) {
			if (found)
				return NULL;
			found = f;
		}
	}
	return found;
}

bool fact_cause_is_of(const struct fact_cause *cause, const char *name)
{
	char *words = xstrdup(cause->of), *rest = words, *word;
	bool is_of = false;

	while (!is_of && (word = strsep(&rest, ", ")))
		is_of = fnmatch(word, name, 0) == 0;
	free(words);
	return is_of;
}
