/* SPDX-License-Identifier: MIT */
/* Memory that is there or the process ends: no caller has a way to go on without it. */
#ifndef SHELL_XMEM_H
#define SHELL_XMEM_H

#include <stddef.h>

void *xcalloc(size_t n, size_t size);
/* As reallocarray(3): n * size may not overflow. */
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
