/* SPDX-License-Identifier: MIT */
/*
 * progress: how far a script is. On a terminal a bar in one line, elsewhere a line a second.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "out.h"
#include "session.h"
#include "xmem.h"

#define BAR_WIDTH 30
#define DRAW_NS	  100000000LL  /* a bar is drawn so often */
#define LINE_NS	  1000000000LL /* a line is printed so often */
#define MIB	  1048576.0

struct progress_args {
	struct num done, total;
	const char *note;
	bool bytes;
};

static const struct arg progress_arg_table[] = {
	POS("done", progress_args, done, kind_size, "so much is done; 0 begins"),
	POS("total", progress_args, total, kind_size, "of so much"),
	SWITCH("bytes", progress_args, bytes, "they are bytes: show MiB"),
	OPT("note", progress_args, note, kind_str, "a few words at the end of the line"),
	ARGS_END,
};

/* One process shows one thing at a time. */
static struct {
	int64_t begun, shown; /* times */
	uint64_t total;
	bool going;
} now;

static void amounts(const struct progress_args *a, double rate, char *text, size_t size)
{
	if (a->bytes)
		snprintf(text, size, "%.1f of %.1f MiB  %.1f MiB/s", (double)a->done.v / MIB,
			 (double)a->total.v / MIB, rate / MIB);
	else
		snprintf(text, size, "%" PRIu64 " of %" PRIu64 "  %.1f/s", a->done.v, a->total.v,
			 rate);
}

static void draw(const struct progress_args *a, double share, double rate, bool terminal)
{
	static const char bar[] = "##############################";
	int n = (int)(share * BAR_WIDTH);
	char text[96], *line;

	amounts(a, rate, text, sizeof text);
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
		draw(a, share, rate, terminal);
	}
	out_bool(o, "shown", show, NULL);
	out_double(o, "seconds", seconds, NULL);
	out_double(o, "rate", rate, NULL);
	return 0;
}

static const struct cmd_eg progress_examples[] = {
	{ "progress 0 3", NULL },
	{ "repeat 3 {progress [incr n] 3}", "100%" },
	{ "dict get [progress 4M 4M -bytes] shown", "1" },
	{ NULL, NULL },
};

const struct cmd cmd_progress = {
	.name = "progress",
	.family = "scripts",
	.summary = "show how far a long job is",
	.text = "On a terminal it draws a bar in one line, ten times a second at most; elsewhere it\n"
		"prints a line each second, and one at the end. It goes to standard error, apart from\n"
		"results. The value is a dict: shown (1 or 0), seconds since the beginning, rate (of\n"
		"what is counted, per second).",
	.examples = progress_examples,
	.args = progress_arg_table,
	.size = sizeof(struct progress_args),
	.exec = progress_exec,
};
