/* SPDX-License-Identifier: MIT */
#include "word.h"

#include <ctype.h>
#include <stdbool.h>

#include "heap.h"
#include "text.h"

static int fold_letter(char c)
{
	return c == '-' ? '_' : toupper((unsigned char)c);
}

static bool word_fits(const char *name, const char *typed, bool whole)
{
	for (; *typed; name++, typed++)
		if (fold_letter(*typed) != fold_letter(*name))
			return false;
	return !whole || !*name;
}

const struct word *word_find(const struct word *words, const char *name)
{
	const struct word *found = NULL;
	unsigned n = 0;

	for (const struct word *w = words; w->name; w++)
		if (word_fits(w->name, name, true))
			return w;
	for (const struct word *w = words; w->name; w++)
		if (word_fits(w->name, name, false)) {
			found = w;
			n++;
		}
	return n == 1 ? found : NULL;
}

const char *word_known(const struct word *words, uint64_t value)
{
	for (const struct word *w = words; w->name; w++)
		if (w->value == value)
			return w->name;
	return NULL;
}

void word_flag_names(const struct word *words, uint64_t bits, const char *sep, struct text *d)
{
	bool first = true;

	for (const struct word *w = words; w->name; w++) {
		if (!w->value || (bits & w->value) != w->value)
			continue;
		bits &= ~w->value;
		xappendf(d, "%s%s", first ? "" : sep, w->name);
		first = false;
	}
	if (bits)
		xappendf(d, "%s0x%llx", first ? "" : sep, (unsigned long long)bits);
}

const char *word_name(const struct word *words, uint64_t value)
{
	const char *name = word_known(words, value);

	return name ? name : temp_text("%llu", (unsigned long long)value);
}

const char *word_help(const struct word *words, uint64_t value)
{
	for (; words->name; words++)
		if (words->value == value)
			return words->help;
	return NULL;
}

char *word_flags(const struct word *words, uint64_t bits)
{
	SCOPED_TEXT(d);

	word_flag_names(words, bits, ",", &d);
	return temp_text("%s", bits ? text_str(&d) : "0");
}

char *word_typed(char *text)
{
	for (char *p = text; *p; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	return text;
}
