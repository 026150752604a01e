/* SPDX-License-Identifier: MIT */
/*
 * Lines printed as things happen: the trace, whose content comes from the record of calls
 * (cmds/call/call_trace.c), step mode, and notices.
 */
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "command/cmd.h"
#include "output/print.h"
#include "loop.h"
#include "session.h"

static const struct {
	const char *word;
	enum paint paint;
} voices[] = {
	[VOICE_SETUP] = { "set-up", PAINT_CYAN },
	[VOICE_PREPARE] = { "prepare", PAINT_CYAN },
	[VOICE_DATA] = { "data", PAINT_GOOD },
	[VOICE_INFO] = { "info", PAINT_DIM },
};

static void print_trace_line(struct session *s, enum voice v, int64_t when, const char *text)
{
	print_painted_line(PRINT_ERR, temp_text("  %s #%u ", text_clock(when, 3), ++s->traced),
			   voices[v].paint, voices[v].word, text);
}

/* Prints the call and what it created, "  rdma_create_qp = qp0", or the call, what it works with
 * and its error, "  ibv_modify_qp qp0 INIT". */
static void print_short_line(const struct traced_call *c)
{
	const char *result = c->bad ? c->result : c->made;
	SCOPED_TEXT(text);

	if (c->asks && !c->bad)
		return;
	xappendf(&text, "  %s", c->name);
	if (*c->subject && (c->bad || !c->made))
		xappendf(&text, " %s", c->subject);
	if (result)
		xappendf(&text, " = %s", result);
	print_painted_line(PRINT_ERR, "", c->bad ? PAINT_BAD : PAINT_DIM, text_str(&text), "");
}

void trace_call(struct session *s, const struct traced_call *c)
{
	char *text;

	if (!s->opt.trace && !s->opt.step)
		return;
	if (!s->opt.raw && !s->opt.step) {
		print_short_line(c);
		return;
	}
	text = xasprintf(" %s%s%s%s%s", c->name, *c->args ? " " : "", c->args,
			 *c->result ? " = " : "", c->result);
	print_trace_line(s, c->voice, c->when, text);
	free(text);
}

void trace(struct session *s, enum voice v, const char *fmt, ...)
{
	struct timespec now;
	SCOPED_TEXT(text);
	va_list ap;

	if (!s->opt.raw)
		return;
	xappendf(&text, " ");
	va_start(ap, fmt);
	xvappendf(&text, fmt, ap);
	va_end(ap);
	clock_gettime(CLOCK_REALTIME, &now);
	print_trace_line(s, v, now.tv_sec * INT64_C(1000000000) + now.tv_nsec, text_str(&text));
}

static struct {
	bool skip;    /* do not stop again in this command */
	Tcl_Obj *was; /* dict of all live objects after the last stop; NULL: not known */
} step;

/* ------------------------------------------------------------------ what changed -- */

static void compare_object(const char *name, Tcl_Obj *was, Tcl_Obj *now, struct text *text)
{
	Tcl_Obj *key, *value, *old;
	Tcl_DictSearch search;
	int done;

	if (Tcl_DictObjFirst(NULL, now, &search, &key, &value, &done) != TCL_OK)
		return;
	for (; !done; Tcl_DictObjNext(&search, &key, &value, &done)) {
		if (Tcl_DictObjGet(NULL, was, key, &old) != TCL_OK || !old ||
		    strcmp(Tcl_GetString(old), Tcl_GetString(value)) == 0)
			continue;
		xappendf(text, "       %s %s: %s -> %s\n", name, Tcl_GetString(key),
			 *Tcl_GetString(old) ? Tcl_GetString(old) : "-",
			 *Tcl_GetString(value) ? Tcl_GetString(value) : "-");
	}
	Tcl_DictObjDone(&search);
}

static void compare_snapshots(Tcl_Obj *was, Tcl_Obj *now, struct text *text)
{
	Tcl_Obj *key, *value, *other;
	Tcl_DictSearch search;
	int done;

	Tcl_DictObjFirst(NULL, now, &search, &key, &value, &done);
	for (; !done; Tcl_DictObjNext(&search, &key, &value, &done)) {
		Tcl_DictObjGet(NULL, was, key, &other);
		if (other)
			compare_object(Tcl_GetString(key), other, value, text);
		else
			xappendf(text, "       + %s\n", Tcl_GetString(key));
	}
	Tcl_DictObjDone(&search);
	Tcl_DictObjFirst(NULL, was, &search, &key, &value, &done);
	for (; !done; Tcl_DictObjNext(&search, &key, &value, &done)) {
		Tcl_DictObjGet(NULL, now, key, &other);
		if (!other)
			xappendf(text, "       - %s\n", Tcl_GetString(key));
	}
	Tcl_DictObjDone(&search);
}

static void print_changes(struct session *s)
{
	Tcl_Obj *now = app.objects ? app.objects(s) : NULL;
	SCOPED_TEXT(text);

	if (!now)
		return;
	Tcl_IncrRefCount(now);
	if (step.was) {
		compare_snapshots(step.was, now, &text);
		Tcl_DecrRefCount(step.was);
	}
	step.was = now;
	if (text_len(&text))
		print_text(PRINT_ERR, text_str(&text));
}

static void forget_snapshot(void)
{
	if (step.was)
		Tcl_DecrRefCount(step.was);
	step.was = NULL;
}

/* -------------------------------------------------------------------- the answer -- */

struct step_answer {
	char line[64];
	size_t len;
	bool ended; /* end of input or Ctrl-C */
};

/* Reads a line from standard input. Nothing else is served meanwhile, so that the call that is
 * shown is the next one, and its objects do not change before it. */
static struct step_answer read_answer(struct session *s)
{
	struct step_answer a = { 0 };
	char c;

	for (;;) {
		a.ended = !loop_wait_alone(s->loop, STDIN_FILENO, POLLIN) ||
			  read(STDIN_FILENO, &c, 1) <=
				  0; /* byte by byte: the rest of the input belongs to others */
		if (a.ended || c == '\n' || c == '\r')
			return a;
		if (a.len < sizeof a.line - 1)
			a.line[a.len++] = c;
	}
}

static bool answer_is(const struct step_answer *a, const char *word)
{
	return a->len && strncasecmp(word, a->line, a->len) == 0;
}

void step_before(struct session *s, const char *call)
{
	struct step_answer a;
	char *text;

	if (step.skip)
		return;
	print_changes(s);
	text = xasprintf("step   %s   [Enter, skip, quit] ", call);
	for (;;) {
		print_text(PRINT_ERR, text);
		a = read_answer(s);
		if (!s->edit && !isatty(STDIN_FILENO))
			print_text(PRINT_ERR, "\n");
		if (a.ended || answer_is(&a, "quit")) {
			s->opt.step = false;
			forget_snapshot();
		} else if (answer_is(&a, "skip")) {
			step.skip = true;
		} else if (a.len) {
			print_error(
				"       Enter: call it; skip: no stop until this command ends; quit: "
				"step off\n");
			continue;
		}
		break;
	}
	free(text);
}

void step_after(struct session *s)
{
	if (!step.skip)
		print_changes(s);
}

void step_command(struct session *s)
{
	(void)s;
	step.skip = false;
}

void step_ended(struct session *s)
{
	if (s->opt.step && step.was)
		print_changes(s);
}

/* ------------------------------------------------------------------- the command -- */

static const struct word step_words[] = { { "off", 0, "no stops" },
					  { "on", 1, "stop before each call" },
					  { 0 } };

static const struct arg step_arg_table[] = {
	SETTING_ARG(step_words, "on or off (default: show the setting)"), ARGS_END
};

static int step_exec(struct session *s, const void *args, struct out *o)
{
	s->opt.step = setting_take(args, "step", step_words, s->opt.step, o);
	if (!s->opt.step)
		forget_snapshot();
	return 0;
}

/** Shows each call of libibverbs and librdmacm, with its arguments, before it is made,
 * and waits. Enter makes the call, skip makes it and runs the rest of the command
 * without stopping, quit ends step mode. Then it shows the result and what the call
 * changed in the live objects: + was created, - was destroyed. Ctrl-C makes this call,
 * and ends the command and step mode. Answers are read from standard input; at its end
 * step mode is turned off. Events and peers are served only after the call.
 * > step => step is off
 * > step off */
const struct cmd cmd_step = {
	.name = "step",
	.family = "understanding",
	.summary = "stop before each library call",
	.args = step_arg_table,
	.flags = CMD_LOOKS,
	.exec = step_exec,
};

/*
 * Notices, printed above the prompt, or on standard error if there is none.
 */

const char *const notice_words[NOTICE_KINDS] = {
	[NOTICE_CM] = "cm",	  [NOTICE_ASYNC] = "async", [NOTICE_CQ] = "cq",
	[NOTICE_WIRE] = "wire",	  [NOTICE_PEER] = "peer",   [NOTICE_HANDLER] = "handler",
	[NOTICE_CHECK] = "check",
};

static const enum paint paints[NOTICE_KINDS] = {
	[NOTICE_CM] = PAINT_CYAN,      [NOTICE_ASYNC] = PAINT_YELLOW, [NOTICE_CQ] = PAINT_GOOD,
	[NOTICE_WIRE] = PAINT_DIM,     [NOTICE_PEER] = PAINT_MAGENTA, [NOTICE_HANDLER] = PAINT_BAD,
	[NOTICE_CHECK] = PAINT_YELLOW,
};

/* A flood: a kind of which more came within a second than is shown. It is over when a second has
 * fewer. */
#define FLOOD_NS    1000000000
#define FLOOD_AFTER 50 /* notices of a kind in a second */
#define FLOOD_SHOWN 2  /* of each further second */

#define NOTICES_OF_DEVICE (1u << NOTICE_CM | 1u << NOTICE_ASYNC | 1u << NOTICE_CQ)

struct flood {
	int64_t since;	/* when this second began */
	unsigned shown; /* in this second */
	unsigned held;	/* not shown, and not told yet */
	bool on;
};

struct notices {
	struct loop *loop;
	struct loop_timer *timer; /* tells how many were held back; NULL: none are */
	unsigned kinds;
	const bool *quiet;
	struct flood floods[NOTICE_KINDS];
	notice_fn *divert;
	void *arg;
};

struct notices *notices_new(struct loop *loop)
{
	struct notices *n = xcalloc(1, sizeof(*n));

	n->loop = loop;
	n->kinds = (1u << NOTICE_KINDS) - 1;
	return n;
}

void notices_quiet(struct notices *n, const bool *quiet)
{
	n->quiet = quiet;
}

static void show_notice(struct notices *n, enum notice_kind kind, const char *text)
{
	if (n->divert)
		n->divert(n->arg, kind, text);
	else
		print_painted_line(PRINT_ERR, "", paints[kind],
				   temp_text("* %-5s ", notice_words[kind]), text);
}

static void tell_held(struct notices *n, enum notice_kind kind)
{
	struct flood *f = &n->floods[kind];

	if (f->held)
		show_notice(n, kind, temp_text("%u more, which are not shown", f->held));
	f->held = 0;
}

static void on_flood_timer(void *arg)
{
	struct notices *n = arg;

	n->timer = NULL;
	for (unsigned i = 0; i < NOTICE_KINDS; i++)
		tell_held(n, (enum notice_kind)i);
}

void notices_free(struct notices *n)
{
	if (n->timer)
		loop_cancel(n->loop, n->timer);
	on_flood_timer(n);
	free(n);
}

/* Is this notice of the kind one too many? Packets are shown one by one: who wants them has asked.
 */
static bool is_held(struct notices *n, enum notice_kind kind)
{
	struct flood *f = &n->floods[kind];
	const int64_t now = loop_now();

	if (kind == NOTICE_WIRE || n->divert) /* who shows them counts them */
		return false;
	if (now - f->since >= FLOOD_NS) {
		f->on = f->held > 0;
		tell_held(n, kind);
		f->since = now;
		f->shown = 0;
	}
	if (f->shown++ < (f->on ? FLOOD_SHOWN : FLOOD_AFTER))
		return false;
	f->held++;
	if (!n->timer && n->loop)
		n->timer = loop_after(n->loop, FLOOD_NS / 1000000, on_flood_timer, n);
	return true;
}

void notices_show(struct notices *n, unsigned kinds)
{
	n->kinds = kinds;
}

unsigned notices_shown(const struct notices *n)
{
	return n->kinds;
}

void notices_divert(struct notices *n, notice_fn *fn, void *arg)
{
	n->divert = fn;
	n->arg = arg;
}

void notice_post(struct notices *n, enum notice_kind kind, const char *fmt, ...)
{
	va_list ap;
	const unsigned silent = n->quiet && *n->quiet ? NOTICES_OF_DEVICE : 0;
	bool shown = n->kinds & ~silent & (1u << kind);
	char *text;

	if (!shown && !app.noticed)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	if (app.noticed)
		app.noticed(kind, text);
	if (shown && !is_held(n, kind))
		show_notice(n, kind, text);
	free(text);
}
