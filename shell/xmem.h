/* SPDX-License-Identifier: MIT */
/* Allocation that ends the process, with a message, when memory runs out. */
#ifndef SHELL_XMEM_H
#define SHELL_XMEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <tcl.h>

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
