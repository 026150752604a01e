/* SPDX-License-Identifier: MIT */
/*
 * The libraries behind the functions: nothing here is linked to libibverbs or librdmacm. The
 * program has functions of the same names, which note the call and hand it on to the backend,
 * one for the life of the process.
 */
#ifndef CALLS_BACKEND_H
#define CALLS_BACKEND_H

#include <stdbool.h>

/* Loads it: the path of a library that has the functions of both, or NULL for libibverbs and
 * librdmacm (or what was loaded before them). What loads later finds it, too. Without this call
 * that happens with the first function. -1: it cannot be had, and *why says so; what was loaded
 * stays. */
int backend_open(const char *library, const char **why);
/* Has this function been found in the backend? */
bool backend_has(const char *function);

/* For wrappers.c. */
struct backend_symbol {
	const char *name, *version;
	void *place;	       /* where a pointer to the function goes */
	void (*missing)(void); /* instead of one that an older library may not have; NULL: all do */
};
extern const struct backend_symbol backend_symbols[];
extern bool backend_is_open;
/* Opens the default. backend.c has it; a library that was loaded before the others, and hands
 * calls on to them, has its own. */
void backend_open_default(void);
/* Finds all functions in the library (a handle of dlopen(3)). -1: as backend_open(). */
int backend_bind(void *library, const char **why);

static inline void backend_need(void)
{
	if (!backend_is_open)
		backend_open_default();
}

#endif
