/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcl.h>

#include "alloc.h"

#define obstack_chunk_alloc chunk_alloc
#define obstack_chunk_free  free

/* The macros of obstack.h align by an offset to a null pointer. */
#if defined(__clang__)
#define ALIGNS_FROM_NULL __attribute__((no_sanitize("pointer-overflow")))
#else
#define ALIGNS_FROM_NULL
#endif

/* Has the type that obstack_init() expects. */
static void *chunk_alloc(long size)
{
	return xcalloc(1, size);
}

void arena_init(struct obstack *a)
{
	obstack_init(a);
}

/* glibc's obstack takes sizes as int. */
static int obstack_length(size_t n)
{
	if (n >= INT_MAX)
		obstack_alloc_failed_handler();
	return (int)n;
}

ALIGNS_FROM_NULL void *arena_alloc(struct obstack *a, size_t n)
{
	return obstack_alloc(a, obstack_length(n));
}

ALIGNS_FROM_NULL void *arena_copy(struct obstack *a, const void *data, size_t n)
{
	return obstack_copy(a, data, obstack_length(n));
}

ALIGNS_FROM_NULL void *arena_copy0(struct obstack *a, const void *data, size_t n)
{
	return obstack_copy0(a, data, obstack_length(n));
}

ALIGNS_FROM_NULL void arena_free(struct obstack *a, void *p)
{
	obstack_free(a, p);
}

/* Ends the process if p is NULL: Tcl's panic hook restores the terminal first. */

static void *panic_if_null(void *p)
{
	if (!p)
		Tcl_Panic("out of memory");
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	return panic_if_null(calloc(n ? n : 1, size));
}

void *xrealloc(void *p, size_t n, size_t size)
{
	return panic_if_null(reallocarray(p, n ? n : 1, size));
}

void *xgrow(void *p, size_t n, size_t size)
{
	if (n & (n - 1))
		return p; /* the capacity is a power of two */
	return xrealloc(p, n ? 2 * n : 1, size);
}

char *xstrdup(const char *s)
{
	return panic_if_null(strdup(s));
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	return panic_if_null(text);
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
	return panic_if_null(open_memstream(text, size));
}

void xvappendf(Tcl_DString *d, const char *fmt, va_list ap)
{
	char *text = xvasprintf(fmt, ap);

	Tcl_DStringAppend(d, text, -1);
	free(text);
}

void xappendf(Tcl_DString *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xvappendf(d, fmt, ap);
	va_end(ap);
}

Tcl_Obj *value_hold(Tcl_Obj *value)
{
	Tcl_IncrRefCount(value);
	return value;
}

void value_release(Tcl_Obj **value)
{
	Tcl_DecrRefCount(*value);
}

void list_append(Tcl_Obj *list, const char *text)
{
	Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(text, -1));
}

Tcl_Obj *u64_object(uint64_t n)
{
	return n <= INT64_MAX ? Tcl_NewWideIntObj((int64_t)n)
			      : Tcl_NewStringObj(temp_text("%llu", (unsigned long long)n), -1);
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

void xappend_hex(Tcl_DString *d, const void *data, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *byte = data;

	for (size_t i = 0; i < n; i++) {
		Tcl_DStringAppend(d, &digits[byte[i] >> 4], 1);
		Tcl_DStringAppend(d, &digits[byte[i] & 15], 1);
	}
}

int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}
