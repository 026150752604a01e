/* SPDX-License-Identifier: MIT */
/* The command help, and what rdmash --help and --version print. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "edit/edit.h"
#include "help/help.h"
#include "out.h"
#include "session.h"

struct help_args {
	bool json, tables;
	struct many words; /* const char * */
};

/* A page of help: of a command, or, where topic is not NULL, a topic. */
struct page {
	const struct cmd *const *cmd;
	const struct topic *topic;
};

/* Moves p to the next page; { 0 } is before the first. False: there is none. */
static bool next_page(struct page *p)
{
	if (!p->topic) {
		p->cmd = p->cmd ? p->cmd + 1 : cmd_table;
		if (*p->cmd)
			return true;
	}
	p->topic = help_topic_next(p->topic);
	return p->topic;
}

static const char *page_name(const struct page *p)
{
	return p->topic ? p->topic->name : (*p->cmd)->name;
}

static void complete_topic(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	for (struct page p = { 0 }; next_page(&p);)
		value_append(words, page_name(&p));
	complete_sort(words);
}

static const struct arg_kind kind_topic = { .word = "word",
					    .size = sizeof(char *),
					    .parse = args_parse_str,
					    .complete = complete_topic };

static const struct arg help_arg_table[] = {
	SWITCH("json", help_args, json, "the whole command table as JSON"),
	SWITCH("tables", help_args, tables, "the tables of commands, options and topics as a dict"),
	POS_MANY("word", help_args, words, kind_topic, "a command, a family, a topic, any word"),
	ARGS_END,
};

/* The help of a command that both words name, which may be shortened (po w), or of what the second
 * is to the command (call FUNCTION). */
static bool help_two_words(const char *first, const char *second, struct out *o)
{
	const char *const words[] = { first, second };
	int used;
	const struct cmd *c = cmd_find(NULL, words, 2, &used);

	if (c && used == 2)
		help_command(c, o);
	return c && (used == 2 || (c->help && c->help(second, o)));
}

static int help_exec(struct session *s, const void *args, struct out *o)
{
	const struct help_args *a = args;
	const char *const *words = a->words.v;
	SCOPED_TEXT(all);

	if (a->words.n && (a->tables || a->json))
		return fail(s, "help", "EINVAL", "help %s takes no words: '%s'",
			    a->tables ? "-tables" : "-json", words[0]);
	if (a->tables) {
		help_tables(o);
		return 0;
	}
	out_list(o, NULL);
	if (a->json) {
		help_json_all(o);
		return 0;
	}
	if (!a->words.n) {
		help_overview(o);
		return 0;
	}
	if (a->words.n == 1 && strcmp(words[0], "all") == 0) {
		help_list_all(o);
		return 0;
	}
	if (a->words.n == 2 && help_two_words(words[0], words[1], o))
		return 0;
	for (size_t i = 0; i < a->words.n; i++) {
		text_add(&all, i ? " " : "");
		text_add(&all, words[i]);
	}
	return help_search(s, text_str(&all), o);
}

/** Alone it shows the subjects and their commands; 'help all' has a line for each command.
 * With a command's name it shows usage, examples, text and arguments; with a first word
 * such as 'post', or a subject such as 'memory', the commands that belong to it.
 * Any other word is searched for in all names first, then in all texts.
 * help -json prints the table that all of this comes from.
 * > help => scripts
 * > help repeat => repeat <times> <body>
 * > help language => proc
 * > help scripts => expect
 * > help trap => the errno or status */
const struct cmd cmd_help = {
	.name = "help",
	.family = "help",
	.summary = "commands, one command, a topic, or a search",
	.args = help_arg_table,
	.flags = CMD_NO_RECORD,
	.exec = help_exec,
};

/* -------------------------------------------------------------- command line -- */

const char *help_version_number(void)
{
	return RDMASH_VERSION;
}

void help_options(FILE *to)
{
	fputs("Usage: rdmash [options] [SCRIPT [ARG ...]]\n"
	      "An interactive shell for RDMA verbs. Without a script it reads commands from the\n"
	      "terminal, or from standard input.\n\n",
	      to);
	for (const struct help_option *h = help_option_table; h->name; h++) {
		const char *value = h->value ? h->value : "";

		fprintf(to, "  %-20s %s\n",
			temp_text("%s%s%s", help_option_name(h), *value ? " " : "", value),
			h->text);
	}
	fputs("\nExit codes: 0 ok, 1 a command failed, 2 usage, 3 an expectation failed,\n"
	      "4 interrupted, 77 skipped. Commands: rdmash -c help\n",
	      to);
}

void help_version(FILE *to)
{
	SCOPED_TEXT(libs);

	app.version(&libs);
	fprintf(to, "rdmash %s\nTcl %s\n%s\n", RDMASH_VERSION, TCL_PATCH_LEVEL, text_str(&libs));
}

/*
 * Searches the pages of commands and topics and shows the best matches: a name, else a second word,
 * else the start of one, else a name or text that contains the phrase, else one that contains its
 * words in any order. If there are none, a table of synonyms is tried.
 */

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
	       contains_word(cmd_text(c), word) || contains_word(c->calls, word) ||
	       args_mention(c->args, word);
}

static bool topic_mentions(const struct topic *t, const char *word)
{
	return contains_word(t->title, word) || contains_word(help_topic_text(t), word);
}

static bool page_mentions(const struct page *p, const char *word)
{
	return p->topic ? topic_mentions(p->topic, word) : command_mentions(*p->cmd, word);
}

/* Does the page contain each word of text, in any order? */
static bool mentions_all(const struct page *p, const char *text)
{
	char word[64];
	bool all = true;
	int n;

	for (; all && sscanf(text, " %63s%n", word, &n) == 1; text += n)
		all = page_mentions(p, word);
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
	return contains_word(c->name, word) ? FIT_IN_NAME : FIT_NOT;
}

static enum fit topic_fits(const struct topic *t, const char *word)
{
	if (strcasecmp(t->name, word) == 0)
		return FIT_NAME;
	if (strncasecmp(t->name, word, strlen(word)) == 0)
		return strlen(word) > 2 ? FIT_NAME : FIT_PREFIX;
	return FIT_NOT;
}

static enum fit page_fits(const struct page *p, const char *word)
{
	enum fit by_name = p->topic ? topic_fits(p->topic, word) : command_fits(*p->cmd, word);

	if (by_name != FIT_NOT)
		return by_name;
	if (page_mentions(p, word))
		return FIT_TEXT;
	return mentions_all(p, word) ? FIT_WORDS : FIT_NOT;
}

/* The best fit of all pages, and how many have it. */
static unsigned count_best(const char *word, enum fit *best)
{
	unsigned n = 0;

	*best = FIT_NOT;
	for (struct page p = { 0 }; next_page(&p);) {
		enum fit fit = page_fits(&p, word);

		if (fit > *best) {
			*best = fit;
			n = 0;
		}
		n += fit == *best;
	}
	return n;
}

/* Words that the help does not use, and what to show instead. */
static const struct {
	const char *word, *here;
} synonyms[] = {
	{ "state machine", "qp-state" },
	{ "states", "qp-state" },
	{ "sniff", "wire" },
	{ "data flow", "architecture" },
	{ "internals", "architecture" },
	{ "protocol buffers", "protobuf" },
	{ "timestamp", "timeline" },
	{ "shortcuts", "prompt" },
	{ "xrc", "call" },
	{ "dmabuf", "call ibv_reg_dmabuf_mr" },
	{ "mcast", "cm join" },
	{ "resize", "call ibv_resize_cq" },
	{ "cm notify", "call rdma_notify" },
	{ "pingpong", "bench" },
	{ "pkeys", "call ibv_query_pkey" },
	{ "after", "on timer" },
	{ "callback", "on timer" },
	{ "vwait", "wait until" },
	{ "struct", "pack" },
	{ "tutorial", "lesson" },
	{ "course", "lesson" },
	{ "next", "lesson" },
	{ "hint", "lesson" },
	{ "skip", "lesson" },
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

/* Are they the same, or the same two words in the other order? */
static bool same_words(const char *a, const char *b)
{
	const char *blank = strchr(b, ' ');
	const size_t first = blank ? (size_t)(blank - b) : 0, rest = strlen(b) - first;

	if (strcasecmp(a, b) == 0)
		return true;
	return blank && strlen(a) == strlen(b) && strncasecmp(a, blank + 1, rest - 1) == 0 &&
	       a[rest - 1] == ' ' && strncasecmp(a + rest, b, first) == 0;
}

const char *help_synonym(const char *word)
{
	for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
		if (same_words(word, synonyms[i].word))
			return synonyms[i].here;
	return NULL;
}

/* Writes the pages that match this well, one line each or whole, after a heading (NULL: none). */
static void write_pages(const char *word, enum fit fit, bool whole, const char *heading,
			struct out *o)
{
	bool any = false;

	for (struct page p = { 0 }; next_page(&p);) {
		if (page_fits(&p, word) != fit)
			continue;
		if (any ? whole : heading != NULL)
			out_text(o, "%s\n", any ? "" : heading);
		if (p.topic && whole)
			help_topic(p.topic, o);
		else if (p.topic)
			out_str(o, NULL, p.topic->name, "  help %-13s %s\n", p.topic->name,
				p.topic->title);
		else if (whole)
			help_command(*p.cmd, o);
		else
			help_summary(*p.cmd, o);
		any = true;
	}
}

/* Up to this many pages are shown whole, more are listed. */
#define WHOLE_MAX 4

static int search_help(struct session *s, const char *word, struct out *o)
{
	enum fit best;
	unsigned n = count_best(word, &best);
	bool whole = best == FIT_NAME || n <= (best <= FIT_TEXT ? WHOLE_MAX : 1);
	const char *here = best == FIT_NOT ? help_synonym(word) : NULL, *blank;

	if (best == FIT_NOT && !here)
		here = cmd_with_help(word);
	if (here) {
		blank = strchr(here, ' ');
		return blank && help_two_words(temp_text("%.*s", (int)(blank - here), here),
					       blank + 1, o)
			       ? 0
			       : search_help(s, here, o);
	}
	if (best == FIT_NOT) {
		fail(s, "help", "UNKNOWN", "nothing in the help mentions '%s'", word);
		fail_row(s, "or", "among the terms of verbs: explain %s", word);
		return fail_next(s, "help");
	}
	if (!whole && best == FIT_FAMILY) {
		help_list_family(word, o);
		return 0;
	}
	write_pages(word, best, whole, NULL, o);
	if (best != FIT_SECOND && best != FIT_IN_NAME)
		return 0;
	if (best == FIT_SECOND)
		write_pages(word, FIT_IN_NAME, false, whole ? "\nsee also" : NULL, o);
	if (!whole)
		write_pages(word, FIT_TEXT, false, "mentioned by", o);
	return 0;
}

/* Words of a question that do not name its subject, and the command that answers such a question,
 * or NULL. */
static const struct {
	const char *word, *answer;
} question_words[] = {
	{ "why", "explain" },	  { "wrong", "explain" }, { "not", "explain" },
	{ "work", "doctor" },	  { "works", "doctor" },  { "what", NULL },
	{ "how", NULL },	  { "where", NULL },	  { "when", NULL },
	{ "which", NULL },	  { "who", NULL },	  { "does", NULL },
	{ "do", NULL },		  { "did", NULL },	  { "is", NULL },
	{ "are", NULL },	  { "can", NULL },	  { "i", NULL },
	{ "my", NULL },		  { "it", NULL },	  { "a", NULL },
	{ "an", NULL },		  { "the", NULL },	  { "to", NULL },
	{ "doesn't", "explain" },
};

/* The index of word, or -1. */
static int question_word(const char *word)
{
	for (size_t i = 0; i < sizeof question_words / sizeof *question_words; i++)
		if (strcasecmp(question_words[i].word, word) == 0)
			return (int)i;
	return -1;
}

static void append_word(struct text *to, const char *word)
{
	xappendf(to, "%s%s", text_len(to) ? " " : "", word);
}

/* A question, word by word. */
struct question {
	struct text about;   /* the words to search for */
	struct text unknown; /* those that nothing mentions */
	const char *answer;  /* a command for such questions, or NULL */
};

static void question_read(const char *text, struct question *q)
{
	enum fit best;
	char word[64];
	int n;

	q->about = (struct text){ 0 };
	q->unknown = (struct text){ 0 };
	q->answer = NULL;
	for (; sscanf(text, " %63s%n", word, &n) == 1; text += n) {
		int at;

		if (strlen(word) > 1 && word[strlen(word) - 1] == '?')
			word[strlen(word) - 1] = 0;
		at = question_word(word);
		if (at >= 0 && !q->answer)
			q->answer = question_words[at].answer;
		if (at >= 0)
			continue;
		count_best(word, &best);
		append_word(best != FIT_NOT || help_synonym(word) ? &q->about : &q->unknown, word);
	}
}

/* Lists the command that answers such questions, and what is asked about. */
static void answer_question(const struct question *q, struct out *o)
{
	enum fit best;

	for (const struct cmd *const *c = cmd_table; *c; c++)
		if (strcmp((*c)->name, q->answer) == 0)
			help_summary(*c, o);
	if (!text_len(&q->about))
		return;
	count_best(text_str(&q->about), &best);
	if (best != FIT_NOT)
		write_pages(text_str(&q->about), best, false, NULL, o);
}

/* Answers a question by its command, or by a search for its subject. -1: it has neither, or the
 * search failed with s->fail filled. */
static int search_question(struct session *s, const char *text, struct out *o)
{
	struct question q;
	int rc;

	question_read(text, &q);
	rc = q.answer || text_len(&q.about) ? 0 : -1;
	if (q.answer)
		answer_question(&q, o);
	else if (rc == 0)
		rc = search_help(s, text_str(&q.about), o);
	if (rc == 0 && text_len(&q.unknown))
		out_text(o, "nothing in the help mentions '%s'\n", text_str(&q.unknown));
	text_free(&q.about);
	text_free(&q.unknown);
	return rc;
}

int help_search(struct session *s, const char *word, struct out *o)
{
	enum fit best;

	count_best(word, &best);
	if (best > FIT_WORDS || !strchr(word, ' ') || help_synonym(word) ||
	    search_question(s, word, o))
		return s->fail.text ? -1 : search_help(s, word, o);
	return 0;
}
