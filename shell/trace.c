/* SPDX-License-Identifier: MIT */
/*
 * Trace lines. The call is remembered between call_begin() and call_end(). Nothing but the
 * library runs between the two, step mode's prompt waits alone: one pending call is enough.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chronicle.h"
#include "session.h"
#include "step.h"
#include "trace.h"
#include "xmem.h"

static const char *const
	voices[] = { [SLOW] = "control", [FAST] = "control", [DATA] = "data", [INFO] = "info" };
static const enum paint paints
	[] = { [SLOW] = PAINT_CYAN, [FAST] = PAINT_CYAN, [DATA] = PAINT_GOOD, [INFO] = PAINT_DIM };

static struct {
	enum voice voice;
	const char *call;
	char *args;   /* NULL: nobody wants to know */
	int64_t when; /* chronicle_now(), with the chronicle on */
	/* Of a call that destroys: after it nobody may look at the object. */
	bool destroys;
	enum chronicle_side side;
	char name[32];
} pending;

static void line(struct session *s, enum voice v, const char *text)
{
	struct painted full;
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	painted_init(&full);
	painted_addf(&full, "  %02d:%02d:%02d.%03ld #%u ", tm.tm_hour, tm.tm_min, tm.tm_sec,
		     now.tv_nsec / 1000000, ++s->traced);
	painted_paint(&full, paints[v]);
	painted_addf(&full, "%s", voices[v]);
	painted_paint(&full, PAINT_NONE);
	painted_add(&full, " ", 1);
	painted_add_line(&full, text, strlen(text));
	painted_add(&full, "\n", 1);
	print_painted(PRINT_ERR, &full);
	painted_free(&full);
}

/* What only asks, or waits for what is told as an event, is left out where calls are short. */
static bool says_little(const char *call)
{
	return strncmp(call, "ibv_query_", 10) == 0 || strcmp(call, "rdma_get_cm_event") == 0;
}

/* "  rdma_create_qp = qp0": the call, and what it has made. */
static void short_line(const char *call, const char *result, bool bad)
{
	struct painted p;

	if (says_little(call) && !bad)
		return;
	painted_init(&p);
	painted_paint(&p, bad ? PAINT_BAD : PAINT_DIM);
	painted_addf(&p, "  %s", call);
	if (strcmp(result, "void") != 0 && *result != '0') {
		painted_add(&p, " = ", 3);
		painted_add_line(&p, result, strcspn(result, ","));
	}
	painted_paint(&p, PAINT_NONE);
	painted_add(&p, "\n", 1);
	print_painted(PRINT_ERR, &p);
	painted_free(&p);
}

void trace(struct session *s, enum voice v, const char *fmt, ...)
{
	va_list ap;
	char *text;

	if (!s->opt.raw)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	line(s, v, text);
	free(text);
}

static void stop(struct session *s)
{
	char *text = xasprintf("%s(%s)", pending.call, pending.args);

	step_before(s, text);
	free(text);
}

static void look_before(struct session *s)
{
	pending.destroys = strstr(pending.call, "destroy");
	*pending.name = 0;
	pending.side = SIDE_NONE;
	if (pending.destroys && app.side)
		pending.side = app.side(s, pending.args, pending.name);
	pending.when = chronicle_now();
}

void call_begin(struct session *s, enum voice v, const char *call, const char *args, ...)
{
	va_list ap;

	assert(!pending.args);
	free(pending.args);
	pending.args = NULL;
	pending.voice = v;
	pending.call = call;
	if (!s->opt.trace && !s->opt.step && !chronicle_is_on)
		return;
	va_start(ap, args);
	pending.args = xvasprintf(args, ap);
	va_end(ap);
	if (s->opt.step)
		stop(s);
	if (chronicle_is_on)
		look_before(s);
}

/* Events are taken from the connection manager by a call; they are what counts. */
static void note(struct session *s, const char *result, bool bad)
{
	bool event = strcmp(pending.call, "rdma_get_cm_event") == 0 && !bad;
	char *text = event ? xasprintf("%s", result)
			   : xasprintf("%s(%s)", pending.call, pending.args);
	struct chronicle_entry e = {
		.when = pending.when,
		.until = chronicle_now(),
		.kind = event ? CHRONICLE_EVENT : CHRONICLE_CALL,
		.bad = bad || (event && strstr(result, " status ")),
		.text = text,
		.result = event ? NULL : (char *)result,
	};

	if (pending.destroys) {
		e.side = pending.side;
		memcpy(e.name, pending.name, sizeof e.name);
	} else if (app.side) {
		e.side = app.side(s, e.text, e.name);
	}
	chronicle_note(&e);
	free(text);
}

static void finish(struct session *s, const char *result, bool bad)
{
	char *text;

	if (!pending.args)
		return;
	if (chronicle_is_on)
		note(s, result, bad);
	if (s->opt.trace && !s->opt.raw && !s->opt.step) {
		short_line(pending.call, result, bad);
	} else if (s->opt.trace || s->opt.step) {
		text = xasprintf("%s(%s) = %s", pending.call, pending.args, result);
		line(s, pending.voice, text);
		free(text);
	}
	free(pending.args);
	pending.args = NULL;
	if (s->opt.step)
		step_after(s);
}

int call_end(struct session *s, const char *result, ...)
{
	va_list ap;
	char *text;

	if (!pending.args)
		return 0;
	va_start(ap, result);
	text = xvasprintf(result, ap);
	va_end(ap);
	finish(s, text, false);
	free(text);
	return 0;
}

int call_fail(struct session *s, int err, const char *fmt, ...)
{
	va_list ap;
	char *what;

	va_start(ap, fmt);
	what = xvasprintf(fmt, ap);
	va_end(ap);
	fail_call(s, err, pending.call, "%s", what);
	free(what);
	finish(s, s->fail.code, true);
	return -1;
}
