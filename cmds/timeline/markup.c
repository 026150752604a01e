// SPDX-License-Identifier: MIT
#include "timeline/markup.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/visible.h"
#include "alloc.h"

static const char *entity(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* XML has no control characters, escaped or not, and a page is read by a person, too. */
void markup_text(Tcl_DString *d, const char *text)
{
	Tcl_DString visible;

	Tcl_DStringInit(&visible);
	visible_append(&visible, text, strlen(text), VISIBLE_LINES);
	for (const char *p = Tcl_DStringValue(&visible); *p; p++) {
		const char *instead = entity(*p);

		Tcl_DStringAppend(d, instead ? instead : p, instead ? -1 : 1);
	}
	Tcl_DStringFree(&visible);
}

void markup_textf(Tcl_DString *d, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	markup_text(d, text);
	free(text);
}
