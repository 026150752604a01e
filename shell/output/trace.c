/* SPDX-License-Identifier: MIT */
/* Trace lines. Their content comes from the record of calls: cmds/call/call_trace.c. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/trace.h"
#include "session.h"
#include "alloc.h"

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
	const time_t seconds = when / 1000000000;
	struct painted full;
	struct tm tm;

	localtime_r(&seconds, &tm);
	painted_init(&full);
	painted_addf(&full, "  %02d:%02d:%02d.%03d #%u ", tm.tm_hour, tm.tm_min, tm.tm_sec,
		     (int)(when / 1000000 % 1000), ++s->traced);
	painted_paint(&full, voices[v].paint);
	painted_addf(&full, "%s", voices[v].word);
	painted_paint(&full, PAINT_NONE);
	painted_add(&full, " ", 1);
	painted_add_line(&full, text, strlen(text));
	painted_add(&full, "\n", 1);
	print_painted(PRINT_ERR, &full);
	painted_free(&full);
}

/* Prints "  rdma_create_qp = qp0": the call, and the object it created or the error. */
static void short_line(const struct traced_call *c)
{
	const char *result = c->bad ? c->result : c->made;
	struct painted p;

	if (c->asks && !c->bad)
		return;
	painted_init(&p);
	painted_paint(&p, c->bad ? PAINT_BAD : PAINT_DIM);
	painted_addf(&p, "  %s", c->name);
	if (result) {
		painted_add(&p, " = ", 3);
		painted_add_line(&p, result, strlen(result));
	}
	painted_paint(&p, PAINT_NONE);
	painted_add(&p, "\n", 1);
	print_painted(PRINT_ERR, &p);
	painted_free(&p);
}

void trace_call(struct session *s, const struct traced_call *c)
{
	char *text;

	if (!s->opt.trace && !s->opt.step)
		return;
	if (!s->opt.raw && !s->opt.step) {
		short_line(c);
		return;
	}
	text = xasprintf("%s%s%s%s%s", c->name, *c->args ? " " : "", c->args,
			 *c->result ? " = " : "", c->result);
	print_trace_line(s, c->voice, c->when, text);
	free(text);
}

void trace(struct session *s, enum voice v, const char *fmt, ...)
{
	struct timespec now;
	va_list ap;
	char *text;

	if (!s->opt.raw)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	clock_gettime(CLOCK_REALTIME, &now);
	print_trace_line(s, v, now.tv_sec * INT64_C(1000000000) + now.tv_nsec, text);
	free(text);
}
