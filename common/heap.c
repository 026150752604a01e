/* SPDX-License-Identifier: MIT */
#include "heap.h"

#include <obstack.h>
#include <stdlib.h>
#include <string.h>

static void *end_if_null(void *p)
{
	if (!p)
		obstack_alloc_failed_handler();
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	return end_if_null(calloc(n ? n : 1, size));
}

void *xrealloc(void *p, size_t n, size_t size)
{
	return end_if_null(reallocarray(p, n ? n : 1, size));
}

void *xgrow(void *p, size_t n, size_t size)
{
	if (n & (n - 1))
		return p; /* the capacity is a power of two */
	return xrealloc(p, n ? 2 * n : 1, size);
}

char *xstrdup(const char *s)
{
	return end_if_null(strdup(s));
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	return end_if_null(text);
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
	return end_if_null(open_memstream(text, size));
}

char *temp_text(const char *fmt, ...)
{
	static char texts[16][512];
	static unsigned next;
	char *text = texts[next++ % 16];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof texts[0], fmt, ap);
	va_end(ap);
	return text;
}
