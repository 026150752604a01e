// SPDX-License-Identifier: MIT
#include "markup.h"

#include <stdarg.h>
#include <stdlib.h>

#include "xmem.h"

static const char *entity(unsigned char c)
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
		/* XML has no other control characters, escaped or not */
		return (c < ' ' && c != '\n' && c != '\t') || c == 0x7f ? "." : NULL;
	}
}

/* How many bytes the UTF-8 character at p has; 0: it is none, or none that XML may have. */
static size_t character(const unsigned char *p)
{
	size_t n = *p < 0x80		     ? 1
		   : *p >= 0xc2 && *p < 0xe0 ? 2
		   : (*p & 0xf0) == 0xe0     ? 3
		   : *p >= 0xf0 && *p < 0xf5 ? 4
					     : 0;

	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if (n == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) ||
		       (p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe)))
		return 0; /* too long, a surrogate, no character */
	if (n == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90)))
		return 0;
	return n;
}

void markup_text(Tcl_DString *d, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		const char *instead = entity(*p);
		size_t n = character(p);

		if (instead || !n)
			Tcl_DStringAppend(d, instead ? instead : ".", -1);
		else
			Tcl_DStringAppend(d, (const char *)p, (int)n);
		p += n ? n : 1;
	}
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
