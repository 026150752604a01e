/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdlib.h>

#include "arena.h"
#include "xmem.h"

#define obstack_chunk_alloc chunk_alloc
#define obstack_chunk_free  free

/* The macros of obstack.h align by an offset to a null pointer. */
#if defined(__clang__)
#define ALIGNS_FROM_NULL __attribute__((no_sanitize("pointer-overflow")))
#else
#define ALIGNS_FROM_NULL
#endif

/* Of the type that obstack_init casts it to. */
static void *chunk_alloc(long size)
{
	return xcalloc(1, size);
}

void arena_init(struct obstack *a)
{
	obstack_init(a);
}

/* glibc counts in int. */
static int length(size_t n)
{
	if (n >= INT_MAX)
		obstack_alloc_failed_handler();
	return (int)n;
}

ALIGNS_FROM_NULL void *arena_alloc(struct obstack *a, size_t n)
{
	return obstack_alloc(a, length(n));
}

ALIGNS_FROM_NULL void *arena_copy(struct obstack *a, const void *data, size_t n)
{
	return obstack_copy(a, data, length(n));
}

ALIGNS_FROM_NULL void *arena_copy0(struct obstack *a, const void *data, size_t n)
{
	return obstack_copy0(a, data, length(n));
}

ALIGNS_FROM_NULL void arena_free(struct obstack *a, void *p)
{
	obstack_free(a, p);
}
