/* SPDX-License-Identifier: MIT */
/* What is still missing, in grey behind the cursor. */
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "edit_impl.h"
#include "visible.h"

/* Bytes of s that fit into room columns and are one row of text. */
static int fitting(const char *s, int room)
{
	const char *p = s, *end = s;
	int w;

	while (*p) {
		w = wcwidth(edit_take_char(&p));
		if (w < 0 || w > room)
			break;
		room -= w;
		end = p;
	}
	return (int)(end - s);
}

/* The same, but not in the middle of an argument. */
static int fitting_args(const char *hint, int room)
{
	int most = fitting(hint, room), n = most;

	while (hint[n] && n > 0 && !(hint[n] == ' ' && strchr("[<-", hint[n + 1])))
		n--;
	return n ? n : most;
}

static void put_hint(struct edit *e, const char *text)
{
	struct spot at = edit_cursor_spot(e);
	Tcl_DString hint;
	int n;

	Tcl_DStringInit(&hint);
	visible_append(&hint, text, strlen(text), VISIBLE_ONE_LINE);
	n = fitting_args(Tcl_DStringValue(&hint), at.columns - at.col - 1);
	if (n > 0) {
		printf("\0337%s%.*s\033[0m\0338", e->grey, n, Tcl_DStringValue(&hint));
		fflush(stdout);
		e->hint_shown = true;
	}
	Tcl_DStringFree(&hint);
}

void edit_show_hint(struct edit *e)
{
	const LineInfoW *line = el_wline(e->el);
	Tcl_DString text, hint;

	if (!e->hints || e->dumb || line->cursor != line->lastchar)
		return;
	edit_before_cursor(e, &text);
	Tcl_DStringInit(&hint);
	e->ops->hint(e->ctx, Tcl_DStringValue(&text), &hint);
	put_hint(e, Tcl_DStringValue(&hint));
	Tcl_DStringFree(&hint);
	Tcl_DStringFree(&text);
}

void edit_hide_hint(struct edit *e)
{
	if (!e->hint_shown)
		return;
	e->hint_shown = false;
	edit_put("\033[K");
	fflush(stdout);
}
