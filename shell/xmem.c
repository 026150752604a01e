/* SPDX-License-Identifier: MIT */
/* Allocation that cannot fail: Tcl's panic hook restores the terminal and ends us. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcl.h>

#include "xmem.h"

static void *checked(void *p)
{
	if (!p)
		Tcl_Panic("out of memory");
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size));
}

void *xrealloc(void *p, size_t n, size_t size)
{
	return checked(reallocarray(p, n ? n : 1, size));
}

void *xgrow(void *p, size_t n, size_t size)
{
	if (n & (n - 1))
		return p; /* the room is a power of two */
	return xrealloc(p, n ? 2 * n : 1, size);
}

char *xstrdup(const char *s)
{
	return checked(strdup(s));
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	return checked(text);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	return text;
}

FILE *xmemstream(char **text, size_t *size)
{
	return checked(open_memstream(text, size));
}

void xappendf(Tcl_DString *d, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	Tcl_DStringAppend(d, text, -1);
	free(text);
}
