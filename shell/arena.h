/* SPDX-License-Identifier: MIT */
/* Memory of one command: struct session's arena, an obstack that is taken back when it ends. */
#ifndef SHELL_ARENA_H
#define SHELL_ARENA_H

#include <obstack.h>
#include <stddef.h>

/* An empty one. No memory for it: the end of the program. */
void arena_init(struct obstack *a);
/* n bytes; all that came after p goes with arena_free(a, p). No memory: the obstack's
 * obstack_alloc_failed_handler. p NULL: all of it, and arena_init is next. */
void *arena_alloc(struct obstack *a, size_t n);
void *arena_copy(struct obstack *a, const void *data, size_t n);
/* With a null byte behind it. */
void *arena_copy0(struct obstack *a, const void *data, size_t n);
void arena_free(struct obstack *a, void *p);

#endif
