/* SPDX-License-Identifier: MIT */
/*
 * Notices: above the prompt, or on standard error where there is none.
 *
 * A notice may carry what a peer has sent: nothing in it may act on the terminal.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcl.h>

#include "edit.h"
#include "chronicle.h"
#include "notice.h"
#include "xmem.h"

const char *const notice_words[NOTICE_KINDS] = {
	[NOTICE_CM] = "cm",	[NOTICE_ASYNC] = "async", [NOTICE_CQ] = "cq",
	[NOTICE_WIRE] = "wire", [NOTICE_PEER] = "peer",
};

static const char *const colors[NOTICE_KINDS] = {
	[NOTICE_CM] = "\033[36m",  [NOTICE_ASYNC] = "\033[33m", [NOTICE_CQ] = "\033[32m",
	[NOTICE_WIRE] = "\033[2m", [NOTICE_PEER] = "\033[35m",
};

struct notices {
	struct edit *edit;
	unsigned kinds;
	bool color;
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

void notices_editor(struct notices *n, struct edit *e)
{
	n->edit = e;
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

void notices_color(struct notices *n, bool on)
{
	n->color = on;
}

/* C0 and DEL; the C1 controls are 0xc2 0x80 to 0xc2 0x9f in UTF-8. */
static bool is_control(const unsigned char *p)
{
	return *p < ' ' || *p == 0x7f || (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0);
}

static void append_safely(Tcl_DString *line, const char *text)
{
	const unsigned char *p;

	for (p = (const unsigned char *)text; *p; p++) {
		if (!is_control(p)) {
			Tcl_DStringAppend(line, (const char *)p, 1);
			continue;
		}
		Tcl_DStringAppend(line, ".", 1);
		if (*p == 0xc2)
			p++;
	}
}

static void append_mark(const struct notices *n, enum notice_kind kind, Tcl_DString *line)
{
	char *mark = xasprintf("* %-5s ", notice_words[kind]);

	if (n->color)
		Tcl_DStringAppend(line, colors[kind], -1);
	Tcl_DStringAppend(line, mark, -1);
	if (n->color)
		Tcl_DStringAppend(line, "\033[0m", -1);
	free(mark);
}

static void say(struct notices *n, const Tcl_DString *line)
{
	if (n->edit) {
		edit_above(n->edit, Tcl_DStringValue(line));
		return;
	}
	fflush(stdout);
	fputs(Tcl_DStringValue(line), stderr);
	fflush(stderr);
}

/* Events of the connection manager and packets are noted where they are taken. */
static void note(enum notice_kind kind, const char *text)
{
	struct chronicle_entry e = { .text = (char *)text,
				     .kind = kind == NOTICE_PEER ? CHRONICLE_NOTICE
								 : CHRONICLE_EVENT };

	if (kind == NOTICE_CM || kind == NOTICE_WIRE)
		return;
	e.bad = kind == NOTICE_ASYNC && (strstr(text, "_ERR") || strstr(text, "FATAL"));
	snprintf(e.name, sizeof e.name, "%.*s", (int)strcspn(text, ":"), text);
	chronicle_note(&e);
}

void notice_post(struct notices *n, enum notice_kind kind, const char *fmt, ...)
{
	Tcl_DString line;
	va_list ap;
	bool shown = n->kinds & (1u << kind);
	char *text;

	if (!shown && !chronicle_is_on)
		return;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!text)
		return;
	note(kind, text);
	if (!shown) {
		free(text);
		return;
	}
	if (n->divert) {
		n->divert(n->arg, kind, text);
		free(text);
		return;
	}
	Tcl_DStringInit(&line);
	append_mark(n, kind, &line);
	append_safely(&line, text);
	Tcl_DStringAppend(&line, "\n", 1);
	say(n, &line);
	Tcl_DStringFree(&line);
	free(text);
}
