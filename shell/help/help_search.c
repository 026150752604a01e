/* SPDX-License-Identifier: MIT */
/*
 * Searches commands and topics and shows the best matches: a name, else a second word, else the
 * start of one, else a name or text that contains the phrase, else one that contains its words in
 * any order. If there are none, a table of synonyms is tried.
 */
#include <stdio.h>
#include <string.h>

#include "command/args.h"
#include "command/cmd.h"
#include "help/help_impl.h"
#include "output/out.h"
#include "session.h"

/* How well an entry matches; larger is better. */
enum fit {
	FIT_NOT,
	FIT_WORDS,
	FIT_TEXT,
	FIT_IN_NAME,
	FIT_SECOND, /* second word of the name: "read" of "post read" */
	FIT_PREFIX,
	FIT_FAMILY,
	FIT_FIRST,
	FIT_NAME
};

static bool contains_word(const char *text, const char *word)
{
	return text && strcasestr(text, word);
}

static bool args_mention(const struct arg *a, const char *word)
{
	for (; a && a->name; a++) {
		if (contains_word(a->name, word) || contains_word(a->help, word))
			return true;
		for (const struct word *w = help_has_words(a) ? a->data : NULL; w && w->name; w++)
			if (contains_word(w->name, word) || contains_word(w->help, word))
				return true;
	}
	return false;
}

static bool command_mentions(const struct cmd *c, const char *word)
{
	return contains_word(c->name, word) || contains_word(c->summary, word) ||
	       contains_word(c->text, word) || contains_word(c->calls, word) ||
	       args_mention(c->args, word);
}

static bool topic_mentions(const struct topic *t, const char *word)
{
	return contains_word(t->title, word) || contains_word(t->text, word);
}

/* Does c or t (the other is NULL) contain each word of text, in any order? */
static bool mentions_all(const struct cmd *c, const struct topic *t, const char *text)
{
	char word[64];
	bool all = true;
	int n;

	for (; all && sscanf(text, " %63s%n", word, &n) == 1; text += n)
		all = c ? command_mentions(c, word) : topic_mentions(t, word);
	return all;
}

static enum fit command_fits(const struct cmd *c, const char *word)
{
	size_t len = strlen(word), first = strcspn(c->name, " ");

	if (strcasecmp(c->name, word) == 0)
		return FIT_NAME;
	if (first == len && strncasecmp(c->name, word, len) == 0)
		return FIT_FIRST;
	if (strcasecmp(c->family, word) == 0)
		return FIT_FAMILY;
	if (strncasecmp(c->name, word, len) == 0)
		return FIT_PREFIX;
	if (c->name[first] && strcasecmp(c->name + first + 1, word) == 0)
		return FIT_SECOND;
	if (contains_word(c->name, word))
		return FIT_IN_NAME;
	if (command_mentions(c, word))
		return FIT_TEXT;
	return mentions_all(c, NULL, word) ? FIT_WORDS : FIT_NOT;
}

static enum fit topic_fits(const struct topic *t, const char *word)
{
	if (strcasecmp(t->name, word) == 0)
		return FIT_NAME;
	if (strncasecmp(t->name, word, strlen(word)) == 0)
		return strlen(word) > 2 ? FIT_NAME : FIT_PREFIX;
	if (topic_mentions(t, word))
		return FIT_TEXT;
	return mentions_all(NULL, t, word) ? FIT_WORDS : FIT_NOT;
}

static unsigned count_best(const char *word, enum fit *best)
{
	unsigned n = 0;

	*best = FIT_NOT;
	for (const struct cmd *const *c = cmd_table; *c; c++)
		if (command_fits(*c, word) > *best)
			*best = command_fits(*c, word);
	for (const struct topic *t = topic_next(NULL); t; t = topic_next(t))
		if (topic_fits(t, word) > *best)
			*best = topic_fits(t, word);
	for (const struct cmd *const *c = cmd_table; *c; c++)
		n += command_fits(*c, word) == *best;
	for (const struct topic *t = topic_next(NULL); t; t = topic_next(t))
		n += topic_fits(t, word) == *best;
	return n;
}

/* Words that the help does not use, and what to show instead. */
static const struct {
	const char *word, *here;
} synonyms[] = {
	{ "state machine", "qp-state" },
	{ "states", "qp-state" },
	{ "filter", "capture" },
	{ "sniff", "wire" },
	{ "data flow", "architecture" },
	{ "internals", "architecture" },
	{ "protocol buffers", "pack" },
	{ "timestamp", "timeline" },
	{ "timing", "option" },
	{ "xrc", "call" },
	{ "dmabuf", "call" },
	{ "after", "on timer" },
	{ "callback", "on timer" },
	{ "vwait", "wait until" },
	{ "struct", "pack" },
	{ "tutorial", "lesson" },
	{ "course", "lesson" },
	{ "undo", "destroy" },
	{ "delete", "destroy" },
	{ "remove", "destroy" },
	{ "upload", "mem load" },
	{ "download", "mem save" },
	{ "benchmark", "bench" },
	{ "macro", "language" },
	{ "config", "files" },
	{ "crash", "doctor" },
	{ "ls", "show" },
	{ "list", "show" },
	{ "status", "show" },
	{ "man", "help" },
	{ "?", "help" },
	{ "bye", "quit" },
	{ "logout", "quit" },
	{ "print", "echo" },
	{ "clear", "!clear" },
	{ "ping", "connect" },
	{ "allocate", "reg" },
	{ "malloc", "reg" },
};

const char *help_synonym(const char *word)
{
	for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
		if (strcasecmp(synonyms[i].word, word) == 0)
			return synonyms[i].here;
	return NULL;
}

/* Writes the entries that match this well, one line each or whole, after a heading (NULL: none). */
static void tell_those(const char *word, enum fit fit, bool whole, const char *heading,
		       struct out *o)
{
	bool any = false;

	for (const struct cmd *const *c = cmd_table; *c; c++) {
		if (command_fits(*c, word) != fit)
			continue;
		if (any ? whole : heading != NULL)
			out_text(o, "%s\n", any ? "" : heading);
		if (whole)
			help_command(*c, o);
		else
			help_summary(*c, o);
		any = true;
	}
	for (const struct topic *t = topic_next(NULL); t; t = topic_next(t)) {
		if (topic_fits(t, word) != fit)
			continue;
		if (any ? whole : heading != NULL)
			out_text(o, "%s\n", any ? "" : heading);
		if (whole)
			help_topic(t, o);
		else
			out_str(o, NULL, t->name, "  help %-13s %s\n", t->name, t->title);
		any = true;
	}
}

/* Up to this many entries are shown whole, more are listed. */
#define WHOLE_MAX 4

int help_search(struct session *s, const char *word, struct out *o)
{
	enum fit best;
	unsigned n = count_best(word, &best);
	bool whole = best == FIT_NAME || n <= (best <= FIT_TEXT ? WHOLE_MAX : 1);
	const char *here = best == FIT_NOT ? help_synonym(word) : NULL;

	if (here)
		return help_search(s, here, o);
	if (best == FIT_NOT) {
		fail(s, "help", "UNKNOWN", "nothing in the help mentions '%s'", word);
		return fail_next(s, "help");
	}
	if (!whole && best == FIT_FAMILY) {
		help_list_family(word, o);
		return 0;
	}
	tell_those(word, best, whole, NULL, o);
	if (best != FIT_SECOND && best != FIT_IN_NAME)
		return 0;
	if (best == FIT_SECOND)
		tell_those(word, FIT_IN_NAME, false, whole ? "\nsee also" : NULL, o);
	if (!whole)
		tell_those(word, FIT_TEXT, false, "mentioned by", o);
	return 0;
}
