/* SPDX-License-Identifier: MIT */
/*
 * Notices, printed above the prompt, or on standard error if there is none.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/notice.h"
#include "output/print.h"
#include "session.h"
#include "alloc.h"

const char *const notice_words[NOTICE_KINDS] = {
	[NOTICE_CM] = "cm",	[NOTICE_ASYNC] = "async", [NOTICE_CQ] = "cq",
	[NOTICE_WIRE] = "wire", [NOTICE_PEER] = "peer",	  [NOTICE_HANDLER] = "handler",
};

static const enum paint paints[NOTICE_KINDS] = {
	[NOTICE_CM] = PAINT_CYAN,  [NOTICE_ASYNC] = PAINT_YELLOW, [NOTICE_CQ] = PAINT_GOOD,
	[NOTICE_WIRE] = PAINT_DIM, [NOTICE_PEER] = PAINT_MAGENTA, [NOTICE_HANDLER] = PAINT_BAD,
};

struct notices {
	unsigned kinds;
	notice_fn *divert;
	void *arg;
};

struct notices *notices_new(void)
{
	struct notices *n = xcalloc(1, sizeof(*n));

	n->kinds = (1u << NOTICE_KINDS) - 1;
	return n;
}

void notices_free(struct notices *n)
{
	free(n);
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

static void print_notice(enum notice_kind kind, const char *text)
{
	struct painted line;

	painted_init(&line);
	painted_paint(&line, paints[kind]);
	painted_addf(&line, "* %-5s ", notice_words[kind]);
	painted_paint(&line, PAINT_NONE);
	painted_add_line(&line, text, strlen(text));
	painted_add(&line, "\n", 1);
	print_painted(PRINT_ERR, &line);
	painted_free(&line);
}

void notice_post(struct notices *n, enum notice_kind kind, const char *fmt, ...)
{
	va_list ap;
	bool shown = n->kinds & (1u << kind);
	char *text;

	if (!shown && !app.noticed)
		return;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!text)
		return;
	if (app.noticed)
		app.noticed(kind, text);
	if (shown && n->divert)
		n->divert(n->arg, kind, text);
	else if (shown)
		print_notice(kind, text);
	free(text);
}
