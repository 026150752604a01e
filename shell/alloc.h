/* SPDX-License-Identifier: MIT */
/* Memory: the arena of one command, an obstack that is freed when the command ends; and
 * allocation that ends the process, with a message, when there is none. */
#ifndef SHELL_ALLOC_H
#define SHELL_ALLOC_H

#include <obstack.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <tcl.h>

/* An empty one. No memory for it: the end of the program. */
void arena_init(struct obstack *a);
/* n bytes; all that came after p goes with arena_free(a, p). No memory: the obstack's
 * obstack_alloc_failed_handler. p NULL: all of it, and arena_init is next. */
void *arena_alloc(struct obstack *a, size_t n);
void *arena_copy(struct obstack *a, const void *data, size_t n);
/* With a null byte behind it. */
void *arena_copy0(struct obstack *a, const void *data, size_t n);
void arena_free(struct obstack *a, void *p);

void *xcalloc(size_t n, size_t size);
/* As reallocarray(3): an overflow of n * size ends the process too. */
void *xrealloc(void *p, size_t n, size_t size);
/* For an array that grows by one: room for one more behind its n items. Twice as much each time
 * that it moves, so that n items cost n. */
void *xgrow(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
/* open_memstream(3); fclose() it, then *text is to be freed. */
FILE *xmemstream(char **text, size_t *size);
/* Appends formatted text. */
void xappendf(Tcl_DString *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
