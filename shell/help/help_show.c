/* SPDX-License-Identifier: MIT */
/*
 * Help pages that belong to no command, which the manual page contains, too; and how help is shown:
 * a command, a list of commands or a topic, as text and as JSON.
 */
#include <stddef.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "help/help.h"
#include "language/interp.h"
#include "out.h"
#include "output/print.h"
#include "session.h"

/** A line is a Tcl command: a word, then its arguments. The end of the line, or ';', ends it.
 * Commands and options may be shortened as long as they stay unique.
 *
 *   set n 3                    a variable; $n is its value
 *   echo [get mr0 rkey]        [...] puts in the result of a command
 *   echo "rkey is $rkey"       quoted: with $ and []
 *   echo {as $it is}           in braces: without
 *   if {$n > 2} {poll}         conditions and bodies stand in braces
 *   for {set i 0} {$i < 3} {incr i} {...}    and foreach x {a b} {...}
 *   while {1} {...}            break and continue as in C
 *   proc twice {x} {expr {2 * $x}}           a command of your own
 *   dict get [poll] status     results are dicts, lists or plain values
 *   unpack {u64 addr u32 rkey} $bytes        the fields of what a peer sent
 *   on timer 1s {echo tick}                  runs while the session waits
 *   try {...} trap {RDMASH ibv_modify_qp EINVAL} {...}
 *                              errors: RDMASH, the call, the errno or status
 *   poll ;# a comment          a comment after a command needs the ';'
 *
 * The text of a result is printed when the command stands alone at top level; inside of
 * [...], loops and procs it is only a value (print and repeat print, echo always does). IPv6
 * addresses are written without brackets. Numbers have 64 bits and may be written 0x1f.
 * Sizes take K, M and G, times ms and s.
 *
 * All of Tcl's own commands are there but those that leave the shell (open, exec, socket,
 * file, cd, load) or that have an event loop of their own (after, vwait, update): for
 * those see 'help on timer' and 'help wait until'. */
const struct topic topic_language = { .name = "language", .title = "The language" };

/** A script is a file of the lines you would type, named *.rdma by convention:
 *
 *   rdmash script.rdma ARG ...     the arguments are in $argv
 *   rdmash -f a.rdma -c 'show' -f b.rdma
 *                                  one after the other, in one session
 *   rdmash -n a.rdma b.rdma        checks them all, runs nothing
 *   rdmash -x script.rdma          shows each command before it runs
 *   #!/usr/bin/env rdmash          as its first line makes a file a program
 *
 * Of standard input each command runs when it is complete, so that another program can
 * drive rdmash through a pipe.
 *
 * The first error ends a script, and says where: file, line, and through which procs. With
 * -k it continues. 'expect' makes a script a test; 'record' makes one of what you typed.
 *
 * Scripts are not trusted. They cannot run programs, reach the network only by commands
 * of the shell, and files only below the directory of the script or one that
 * --allow-dir names; they write no file that has a second name (a hard link). The
 * procs, traces and methods that a script leaves behind keep these limits, whoever calls
 * them. Lines that you type are yours: no limits.
 *
 * At the prompt and with -c you can read the global variables of scripts that were run, and
 * call their procs, unless a command or proc of that name is there already. A script can read
 * your variables, but not call your procs. Scripts of one directory share everything; a script
 * that is sourced by another has the rights of that one.
 *
 * --unsafe lifts all this, and brings Tcl's own open, close and puts as tcl_open, tcl_close
 * and tcl_puts. */
const struct topic topic_scripts = { .name = "scripts", .title = "Scripts" };

/** What rdmash ends with:
 *
 *   0    all went well
 *   1    a command failed
 *   2    wrong usage, a script that cannot be read or does not parse
 *   3    an expectation failed
 *   4    interrupted: Ctrl-C, SIGTERM, SIGHUP
 *   70   Tcl cannot continue: no memory is left, a value has more than 2 GiB,
 *        or text was nested deeper than the stack
 *   77   a require of the script is not met: skipped; 0 if prove runs it, which
 *        wants that (HARNESS_ACTIVE is set)
 *
 * Where several are true (-k continues after an error), it is 4, else 2, else 1, else 3.
 * quit CODE ends with a code of your own. */
const struct topic topic_exit_codes = { .name = "exit-codes", .title = "Exit codes" };

/**
 *   mem load REGION FILE       reads a file into a region; mem save writes one
 *   source FILE                runs a script; record FILE writes what you type
 *   capture start FILE         keeps the packets; wire read FILE shows them
 *   report FILE, export        the session as a page, as a program
 *
 * Files that rdmash itself reads and writes:
 *
 *   $XDG_CONFIG_HOME/rdmash/rc.rdma
 *       the start file: run at the start of each interactive session, unless
 *       -X is given; as if it were typed, unless somebody else could have
 *       written it
 *   $XDG_STATE_HOME/rdmash/history
 *       what was typed; $RDMASH_HISTORY names another
 *   $XDG_STATE_HOME/rdmash/lessons
 *       which lessons were finished
 *
 * Where these variables are not set, ~/.config and ~/.local/state are meant.
 * $RDMASH_DEVICE is what --device says when it is not given.
 */
const struct topic topic_files = { .name = "files", .title = "Files" };

/** Tab completes commands, options, values, names of objects, $variables and files; what is
 * still missing stands in grey behind the cursor ('option hints off' hides it). Ctrl-R
 * searches the history with each letter; again it moves to older lines, Ctrl-S to newer
 * ones, Ctrl-G cancels, and any other key edits or runs the line. Ctrl-L clears the screen.
 * A line that is not whole (an open brace or quote) continues on the next one. Ctrl-C drops
 * the line, or stops the command that runs; only a single step of Tcl itself (an lsort of a
 * huge list) ends first. The session and its objects stay. Ctrl-D on an empty line leaves;
 * where a send has no completion yet, it says so, and a second Ctrl-D leaves. !command runs a
 * command of the system. A line with '*' is a notice: an event that no command
 * waited for ('notices').
 *
 * Text that is longer than the screen goes through a pager: $PAGER, else less; PAGER=cat: none.
 * 'option prompt', 'option color' and 'timing' suit the prompt to one's taste; with
 * NO_COLOR set there are no colours. ~/.editrc binds keys, as in other programs that use
 * libedit. */
const struct topic topic_prompt = { .name = "prompt", .title = "At the prompt" };

/* The index of t in topic_table, or of its end. */
static size_t topic_index(const struct topic *t)
{
	size_t i = 0;

	while (topic_table[i] && topic_table[i] != t)
		i++;
	return i;
}

const struct topic *help_topic_next(const struct topic *t)
{
	const size_t i = t ? topic_index(t) : 0;
	const struct topic *next = topic_table[t && topic_table[i] ? i + 1 : i];
	const struct library *l;

	if (next)
		return next;
	l = library_next(t ? library_named(t->name) : NULL);
	return l ? library_topic(l) : NULL;
}

const char *help_topic_text(const struct topic *t)
{
	return t->text ? t->text : topic_texts[topic_index(t)];
}

#define AT_OPTION(field) offsetof(struct session, opt.field)

const struct help_option help_option_table[] = {
	{ 'f', "file", "FILE", "run the script FILE ('-': standard input); may be repeated", 0 },
	{ 'c', "command", "CMD", "run CMD; -f and -c run in the order given", 0 },
	{ 'n', "check", NULL, "check scripts against the command tables, run nothing",
	  AT_OPTION(check) },
	{ 'x', "trace", NULL, "show each command before it runs", AT_OPTION(echo) },
	{ 'k', "keep-going", NULL, "an error does not end a script", AT_OPTION(keep_going) },
	{ 'q', "quiet", NULL,
	  "print no results and no notices of devices, only what became of the checks",
	  AT_OPTION(quiet) },
	{ 'X', "no-rc", NULL, "do not run the start file", 0 },
	{ OPTION_JSON, "json", NULL,
	  "print results, checks and errors as JSON, one line each, with their place", 0 },
	{ OPTION_CSV, "csv", NULL, "print results as CSV: a line of names, then one line each", 0 },
	{ OPTION_JUNIT, "junit", "FILE", "write what became of the checks as a JUnit file",
	  AT_OPTION(junit) },
	{ OPTION_GRADE, "grade", "FILE",
	  "run each hand-in (scripts, folders, or -- PROGRAM), then these rules (see 'help grade')",
	  0 },
	{ OPTION_WITHIN, "within", "SECONDS", "with --grade: for a hand-in (default: 30)", 0 },
	{ OPTION_COLOR, "color", "WHEN", "always, never or auto", 0 },
	{ OPTION_DEVICE, "device", "NAME", "the RDMA device to use where none is named",
	  AT_OPTION(device) },
	{ OPTION_ALLOW_DIR, "allow-dir", "DIR", "scripts may use files below DIR, too", 0 },
	{ OPTION_UNSAFE, "unsafe", NULL, "scripts may do all that Tcl can: open, exec, socket",
	  AT_OPTION(unsafe) },
	{ OPTION_PEER, "peer", NULL,
	  "serve another rdmash on standard input and output (see 'help peer')", AT_OPTION(peer) },
	{ 'V', "version", NULL, "print versions", 0 },
	{ 'h', "help", NULL, "print this", 0 },
	{ OPTION_COMPLETE, "complete", "TEXT",
	  "print TEXT with each word that Tab offers at its end", 0 },
	{ 0 },
};

const char *help_option_name(const struct help_option *h)
{
	return h->id < OPTION_LONG ? temp_text("-%c, --%s", h->id, h->name)
				   : temp_text("--%s", h->name);
}

/* Text of the help: families, paragraphs, arguments. */

#define WIDTH	  79
#define WIDTH_MAX 100

const char *const help_families[] = {
	"device",
	"resources",
	"memory",
	"connection, in one go",
	"connection, step by step",
	"by hand",
	"beside RDMA",
	"data path",
	"every function",
	"understanding",
	"scripts",
	"both ends",
	"measuring",
	"settings",
	"help",
	NULL,
};

unsigned help_width(void)
{
	unsigned columns = print_columns();

	return !columns ? WIDTH : columns - 1 < WIDTH_MAX ? columns - 1 : WIDTH_MAX;
}

/* Wraps one paragraph; returns its end. */
static const char *wrap_paragraph(const char *p, unsigned indent, unsigned width, struct text *d)
{
	unsigned column = 0;

	while (*p && !(p[0] == '\n' && (p[1] == '\n' || p[1] == ' ' || !p[1]))) {
		unsigned len;

		p += strspn(p, p[1] == ' ' && *p == '\n' ? "" : " \n");
		len = (unsigned)strcspn(p, " \n");
		if (!len)
			break;
		if (column && column + 1 + len > width) {
			text_add(d, "\n");
			column = 0;
		}
		if (column)
			text_add(d, " ");
		else
			xappendf(d, "%*s", (int)indent, "");
		column += len + (column ? 1 : indent);
		text_add_bytes(d, p, len);
		p += len;
	}
	text_add(d, "\n");
	return *p ? p + 1 : p;
}

void help_wrap(const char *text, unsigned indent, unsigned width, struct text *d)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len && *text != ' ') {
			text = wrap_paragraph(text, indent, width, d);
			continue;
		}
		if (len)
			xappendf(d, "%*s", (int)indent, "");
		text_add_bytes(d, text, len);
		text_add(d, "\n");
		text += len + (text[len] == '\n');
	}
}

void help_arg_name(const struct arg *a, struct text *d)
{
	if (a->flags & ARG_POS)
		xappendf(d, "<%s>", a->name);
	else if (a->kind == &kind_switch)
		xappendf(d, "-%s", a->name);
	else
		xappendf(d, "-%s %s", a->name, a->kind->word);
	if (a->flags & ARG_MANY)
		text_add(d, " ...");
}

bool help_has_words(const struct arg *a)
{
	return (a->kind == &kind_enum || a->kind == &kind_flags) && a->data;
}

static void append_words(const struct arg *a, struct text *d)
{
	text_add(d, a->kind == &kind_flags ? "; some of" : "; one of");
	for (const struct word *w = a->data; w->name; w++) {
		text_add(d, " ");
		text_add(d, w->name);
	}
}

void help_arg_text(const struct arg *a, struct text *d)
{
	text_add(d, a->help);
	if (a->max)
		xappendf(d, "; %llu to %llu", (unsigned long long)a->min,
			 (unsigned long long)a->max);
	if (help_has_words(a))
		append_words(a, d);
	if (a->dflt)
		xappendf(d, " (default %s)", a->dflt);
}

#define ARG_COLUMN    22
#define FAMILY_COLUMN 25

/* Writes "  -rkey n        key of the peer's region", with the rest of the text below it. */
static void arg_line(const struct arg *a, struct text *d)
{
	SCOPED_TEXT(name);
	SCOPED_TEXT(text);
	SCOPED_TEXT(lines);
	const char *rest;

	help_arg_name(a, &name);
	help_arg_text(a, &text);
	help_wrap(text_str(&text), ARG_COLUMN, help_width(), &lines);
	rest = text_str(&lines);
	xappendf(d, "  ");
	text_add(d, text_str(&name));
	if (text_len(&name) + 3 > ARG_COLUMN) {
		text_add(d, "\n");
	} else {
		xappendf(d, "%*s", (int)(ARG_COLUMN - 2 - (unsigned)text_len(&name)), "");
		rest += ARG_COLUMN;
	}
	text_add(d, rest);
}

static void usage_lines(const struct cmd *c, struct text *d)
{
	SCOPED_TEXT(usage);
	SCOPED_TEXT(lines);

	args_usage_short(c, &usage); /* the full usage could fill the screen */
	help_wrap(text_str(&usage), 4, help_width(), &lines);
	text_add(d, text_str(&lines) + 4);
}

static void tell_examples(const struct cmd *c, struct out *o)
{
	bool uses_peer = false;

	out_text(o, "\n");
	for (const struct cmd_eg *e = cmd_examples(c); e->line; e++) {
		out_text(o, "  > ");
		out_painted(o, PAINT_TYPE, "%s", e->line);
		out_text(o, "\n");
		uses_peer |= strstr(e->line, "$peer") != NULL;
	}
	if (uses_peer)
		out_text(o,
			 "  ($peer: the QP of the other end; with both ends here: set peer qp1)\n");
}

/* The text comes before the arguments, so that a small screen shows it first. */
void help_command(const struct cmd *c, struct out *o)
{
	SCOPED_TEXT(d);

	help_json_command(c, o);
	usage_lines(c, &d);
	out_painted(o, PAINT_STRONG, "%s", text_str(&d));
	out_text(o, "  %s\n", c->summary);
	tell_examples(c, o);
	text_resize(&d, 0);
	text_add(&d, "\n");
	help_wrap(cmd_text(c), 2, help_width(), &d);
	if (c->args && c->args->name)
		text_add(&d, "\n");
	for (const struct arg *a = c->args; a && a->name; a++)
		arg_line(a, &d);
	out_text(o, "%s", text_str(&d));
	if (c->calls)
		out_text(o, "\n  calls  %s\n", c->calls);
}

void help_summary(const struct cmd *c, struct out *o)
{
	out_str(o, NULL, c->name, "  %-18s %s\n", c->name, c->summary);
}

void help_list_family(const char *family, struct out *o)
{
	bool any = false;

	for (const struct cmd *const *c = cmd_table; *c; c++) {
		if (strcmp((*c)->family, family) != 0)
			continue;
		if (!any) {
			out_painted(o, PAINT_STRONG, "%s\n", family);
		}
		any = true;
		help_summary(*c, o);
	}
}

/* Does the overview list the second words of this family's commands, too? */
static bool is_spelled_out(const char *family)
{
	return strcmp(family, "memory") == 0 || strcmp(family, "data path") == 0;
}

/* "arm poll post (read recv send write) wait": the first words of a family's commands. */
static void append_first_words(const char *family, struct text *names)
{
	bool spelled = is_spelled_out(family), open = false;
	const char *last = "";
	size_t last_len = 0;

	for (const struct cmd *const *c = cmd_table; *c; c++) {
		size_t len = strcspn((*c)->name, " ");
		bool again = len == last_len && strncmp((*c)->name, last, len) == 0;

		if (strcmp((*c)->family, family) != 0)
			continue;
		if (!again) {
			text_add(names, open ? ") " : *last ? " " : "");
			text_add_bytes(names, (*c)->name, len);
			open = false;
		}
		last = (*c)->name;
		last_len = len;
		if (spelled && last[len]) {
			text_add(names, open ? " " : " (");
			text_add(names, last + len + 1);
			open = true;
		}
	}
	text_add(names, open ? ")" : "");
}

static void overview_line(const char *family, struct out *o)
{
	SCOPED_TEXT(names);
	SCOPED_TEXT(lines);

	for (const struct cmd *const *c = cmd_table; *c; c++)
		if (strcmp((*c)->family, family) == 0)
			out_str(o, NULL, (*c)->name, NULL);
	append_first_words(family, &names);
	help_wrap(text_str(&names), FAMILY_COLUMN, help_width(), &lines);
	out_painted(o, PAINT_STRONG, "%-*s", FAMILY_COLUMN, family);
	out_text(o, "%s", text_str(&lines) + FAMILY_COLUMN);
}

void help_overview(struct out *o)
{
	SCOPED_TEXT(topics);
	SCOPED_TEXT(lines);

	for (const char *const *f = help_families; *f; f++)
		if (strcmp(*f, cmd_help.family) != 0)
			overview_line(*f, o);
	out_str(o, NULL, cmd_help.name, NULL);
	text_add(&topics,
		 "'help poll' explains a command, 'help data path' lists a subject, "
		 "'help all' everything, 'help WORD' searches. New here? lesson 1. Topics:");
	for (const struct topic *t = help_topic_next(NULL); t; t = help_topic_next(t)) {
		text_add(&topics, " ");
		text_add(&topics, t->name);
	}
	help_wrap(text_str(&topics), 0, help_width(), &lines);
	out_text(o, "%s", text_str(&lines));
}

void help_list_all(struct out *o)
{
	for (const char *const *f = help_families; *f; f++)
		help_list_family(*f, o);
}

void help_topic(const struct topic *t, struct out *o)
{
	SCOPED_TEXT(d);
	SCOPED_TEXT(whole);

	help_wrap(help_topic_text(t), 2, help_width(), &d);
	text_add(&whole, help_topic_text(t));
	text_add(&whole, "\n");
	if (t->more) {
		t->more(&d);
		t->more(&whole);
	}
	out_str(o, NULL, text_str(&whole), NULL);
	out_painted(o, PAINT_STRONG, "%s\n", t->title);
	out_text(o, "%s", text_str(&d));
}
