/* SPDX-License-Identifier: MIT */
/* Heap allocation that ends the process when memory runs out, for all parts: knows no Tcl. */
#ifndef COMMON_HEAP_H
#define COMMON_HEAP_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Without memory these call obstack_alloc_failed_handler of <obstack.h>, which a program may set
 * and which must not return. */

void *xcalloc(size_t n, size_t size);
/* Like reallocarray(3); an overflow of n * size ends the process, too. */
void *xrealloc(void *p, size_t n, size_t size);
/* Makes room for one more item behind the n items of an array. The capacity doubles, so that
 * appending is O(1) on average. */
void *xgrow(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
/* Formats into one of 16 static buffers in turn, which holds 512 bytes: valid for the next 15
 * calls, so that one printf() can have several. */
char *temp_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Like open_memstream(3). The caller calls fclose() and then frees *text. */
FILE *xmemstream(char **text, size_t *size);

#endif
