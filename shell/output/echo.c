/* SPDX-License-Identifier: MIT */
/* echo, puts and progress: output of scripts that is printed at once. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "command/cmd.h"
#include "output/print.h"
#include "session.h"

struct echo_args {
	bool nonewline;
	struct many words; /* const char * */
};

static const struct arg echo_arg_table[] = {
	SWITCH("nonewline", echo_args, nonewline, "no newline at the end"),
	POS_MANY("word", echo_args, words, kind_str, "what to print"),
	ARGS_END,
};

static const struct arg puts_arg_table[] = {
	SWITCH("nonewline", echo_args, nonewline, "no newline at the end"),
	POS_WITH(ARG_NEED | ARG_MANY, "text", echo_args, words, kind_str, "what to print"),
	ARGS_END,
};

static void print_words(struct session *s, const struct echo_args *a)
{
	const char *const *words = a->words.v;
	SCOPED_TEXT(d);

	for (size_t i = 0; i < a->words.n; i++) {
		text_add(&d, i ? " " : "");
		text_add(&d, words[i]);
	}
	out_exact(s->opt.format, text_str(&d), !a->nonewline);
}

static int echo_exec(struct session *s, const void *args, struct out *o)
{
	(void)o;
	print_words(s, args);
	return 0;
}

static int puts_exec(struct session *s, const void *args, struct out *o)
{
	const struct echo_args *a = args;
	const char *const *words = a->words.v;

	(void)o;
	if (a->words.n == 2 && strcmp(words[0], "stdout") == 0) {
		struct echo_args text = { a->nonewline, { (void *)&words[1], 1 } };

		print_words(s, &text);
		return 0;
	}
	if (a->words.n > 1) {
		fail(s, "puts", "TOOMANY", "puts prints one word: quote it, or use echo");
		return s->opt.unsafe ? fail_next(s, "tcl_puts CHANNEL TEXT writes to a file") : -1;
	}
	print_words(s, a);
	return 0;
}

/** Prints its words, separated by blanks, and a newline. It prints at once, also inside
 * loops and procs, and with -q. With --json it prints a JSON string, so that every line
 * of standard output is one JSON value. Write -- before a word that begins with '-'. On
 * a terminal, control characters are shown as escapes (\x1b); a file or a pipe gets the
 * words unchanged.
 * > echo the device has [llength {a b}] ports => 2 ports
 * > echo -nonewline {no newline after this } => no newline */
const struct cmd cmd_echo = {
	.name = "echo",
	.family = "scripts",
	.summary = "print words",
	.args = echo_arg_table,
	.flags = CMD_LOOKS,
	.exec = echo_exec,
};

/** For those who know Tcl: prints one word to standard output. There are no other
 * channels. With --unsafe Tcl's own puts is available as tcl_puts.
 * > puts "0x[format %x 255]" => 0xff */
const struct cmd cmd_puts = {
	.name = "puts",
	.family = "scripts",
	.summary = "print one text, as Tcl's own puts does",
	.args = puts_arg_table,
	.flags = CMD_LOOKS,
	.exec = puts_exec,
};

/*
 * progress: shows how far a script is, as a bar on a terminal, else as one line per second.
 */

#define BAR_WIDTH 30
#define DRAW_NS	  100000000LL  /* interval between updates of the bar */
#define LINE_NS	  1000000000LL /* interval between lines */
#define MIB	  1048576.0

struct progress_args {
	struct num done, total;
	const char *note;
	bool bytes;
};

static const struct arg progress_arg_table[] = {
	POS("done", progress_args, done, kind_size, "the amount that is done; 0 starts over"),
	POS("total", progress_args, total, kind_size, "the total amount"),
	SWITCH("bytes", progress_args, bytes, "the amounts are bytes: show MiB"),
	OPT("note", progress_args, note, kind_str, "a few words at the end of the line"),
	ARGS_END,
};

/* The progress that is shown; one per process. */
static struct {
	int64_t begun, shown; /* times */
	uint64_t total;
	bool going;
} now;

static void format_amounts(const struct progress_args *a, double rate, char *text, size_t size)
{
	if (a->bytes)
		snprintf(text, size, "%.1f of %.1f MiB  %.1f MiB/s", (double)a->done.v / MIB,
			 (double)a->total.v / MIB, rate / MIB);
	else
		snprintf(text, size, "%" PRIu64 " of %" PRIu64 "  %.1f/s", a->done.v, a->total.v,
			 rate);
}

static void draw_progress(const struct progress_args *a, double share, double rate, bool terminal)
{
	static const char bar[] = "##############################";
	int n = (int)(share * BAR_WIDTH);
	char text[96], *line;

	format_amounts(a, rate, text, sizeof text);
	line = xasprintf("[%.*s%*s] %3d%%  %s%s%s", n, bar, BAR_WIDTH - n, "", (int)(share * 100),
			 text, a->note ? "  " : "", a->note ? a->note : "");
	if (terminal)
		print_in_place(line, a->done.v >= a->total.v);
	else
		print_error("%s\n", line);
	free(line);
}

static int progress_exec(struct session *s, const void *args, struct out *o)
{
	const struct progress_args *a = args;
	bool terminal = isatty(STDERR_FILENO), over = a->done.v >= a->total.v, show;
	int64_t t = loop_now();
	double seconds, rate, share;

	(void)s;
	if (!now.going || a->done.v == 0 || a->total.v != now.total) {
		now.begun = now.shown = t;
		now.total = a->total.v;
	}
	now.going = !over;
	seconds = (double)(t - now.begun) / 1e9;
	rate = seconds > 0 ? (double)a->done.v / seconds : 0;
	share = over ? 1 : (double)a->done.v / (double)a->total.v;
	show = over || t - now.shown >= (terminal ? DRAW_NS : LINE_NS);
	if (show) {
		now.shown = t;
		draw_progress(a, share, rate, terminal);
	}
	out_bool(o, "shown", show, NULL);
	out_double(o, "seconds", seconds, NULL);
	out_double(o, "rate", rate, NULL);
	return 0;
}

/** On a terminal it draws a bar, at most ten times a second; elsewhere it prints a line
 * each second, and one at the end. It writes to standard error. The value is a dict:
 * shown (1 or 0), seconds since the start, and rate (amount per second).
 * > progress 0 3
 * > repeat 3 {progress [incr n] 3} => 100%
 * > dict get [progress 4M 4M -bytes] shown => 1 */
const struct cmd cmd_progress = {
	.name = "progress",
	.family = "scripts",
	.summary = "show how far a long job is",
	.args = progress_arg_table,
	.exec = progress_exec,
};
