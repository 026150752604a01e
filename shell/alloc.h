/* SPDX-License-Identifier: MIT */
/* Memory allocation: an arena per command (an obstack, freed when the command ends), and what
 * common/ has; values of Tcl. */
#ifndef SHELL_ALLOC_H
#define SHELL_ALLOC_H

#include <obstack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <tcl.h>

#include "heap.h"
#include "text.h"

/* Initializes an empty arena. Ends the process if there is no memory. */
void arena_init(struct obstack *a);
/* Allocates n bytes. arena_free(a, p) frees p and everything that was allocated after it; with p
 * NULL it frees all, and arena_init() must follow. Without memory obstack_alloc_failed_handler is
 * called. */
void *arena_alloc(struct obstack *a, size_t n);
void *arena_copy(struct obstack *a, const void *data, size_t n);
/* Copies data into the arena and appends a null byte. */
void *arena_copy0(struct obstack *a, const void *data, size_t n);
void arena_free(struct obstack *a, void *p);

/* Declares a Tcl value that is held until the end of its block. */
#define SCOPED_VALUE(name, value) \
	__attribute__((cleanup(value_release))) Tcl_Obj *name = value_hold(value)
#define SCOPED_LIST(name) SCOPED_VALUE(name, Tcl_NewListObj(0, NULL))
/* Takes a reference to a value, and returns the value; value_release() drops the reference. */
Tcl_Obj *value_hold(Tcl_Obj *value);
void value_release(Tcl_Obj **value);
/* Is this the internal type of the value, such as "list"? It changes with the use of the value. */
bool value_has_type(const Tcl_Obj *value, const char *type);
/* Appends a text to a Tcl list. */
void value_append(Tcl_Obj *list, const char *text);
/* A new Tcl value; Tcl's own integers end at 2^63 - 1. */
Tcl_Obj *value_of_u64(uint64_t n);
/* The value of a hex digit, or -1. */
int hex_digit(char c);

#endif
