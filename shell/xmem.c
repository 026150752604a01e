/* SPDX-License-Identifier: MIT */
/* Memory that is there or the process ends. exit(3) is called, so that the terminal is
 * restored by whoever has asked for that with atexit(3). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xmem.h"

static void *have(void *p)
{
	if (p)
		return p;
	fputs("rdmash: out of memory\n", stderr);
	exit(1);
}

void *xcalloc(size_t n, size_t size)
{
	return have(calloc(n, size));
}

void *xrealloc(void *p, size_t n, size_t size)
{
	return have(reallocarray(p, n, size));
}

char *xstrdup(const char *s)
{
	return have(strdup(s));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	return have(s);
}
