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

Tcl_Obj *value_hold(Tcl_Obj *value)
{
	Tcl_IncrRefCount(value);
	return value;
}

void value_release(Tcl_Obj **value)
{
	Tcl_DecrRefCount(*value);
}

bool value_has_type(const Tcl_Obj *value, const char *type)
{
	return value->typePtr && strcmp(value->typePtr->name, type) == 0;
}

void value_append(Tcl_Obj *list, const char *text)
{
	Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(text, -1));
}

Tcl_Obj *value_of_u64(uint64_t n)
{
	return n <= INT64_MAX ? Tcl_NewWideIntObj((int64_t)n)
			      : Tcl_NewStringObj(temp_text("%llu", (unsigned long long)n), -1);
}

int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}
