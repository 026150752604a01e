/* SPDX-License-Identifier: MIT */
/*
 * The libraries behind the functions. The program is not linked to libibverbs or librdmacm: it
 * defines functions of the same names, which record the call and pass it on to the backend. The
 * backend does not change during the life of the process.
 */
#ifndef CALLS_BACKEND_H
#define CALLS_BACKEND_H

#include <stdbool.h>

/* Loads the backend: the path of a library that defines the functions of both, or NULL for
 * libibverbs and librdmacm (or a library preloaded in their place). Libraries that are loaded later
 * are bound to it, too. Without this call the first function loads the default. -1: it cannot be
 * loaded, for the reason *why; libraries that were loaded stay. */
int backend_open(const char *library, const char **why);
/* choose() is called once, before the first function would load the default. It may call
 * backend_open(), but none of the functions. */
void backend_choose(void (*choose)(void));
/* Does the backend define this function? */
bool backend_has(const char *function);

/* For wrappers.c. */
struct backend_symbol {
	const char *name, *version;
	void *place; /* where the pointer to the function is stored */
	void (*missing)(
		void); /* replaces a function that older libraries do not have; NULL: all have it */
};
extern const struct backend_symbol backend_symbols[];
extern bool backend_is_open;
/* Opens the default. backend.c has it; a library that was loaded before the others, and hands
 * calls on to them, has its own. */
void backend_open_default(void);
/* Finds all functions in the library (a handle of dlopen(3)). -1: as backend_open(). */
int backend_bind(void *library, const char **why);

/* Loads the backend if that has not been done. */
static inline void backend_need(void)
{
	if (!backend_is_open)
		backend_open_default();
}

#endif
