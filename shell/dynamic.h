/* SPDX-License-Identifier: MIT */
/*
 * Shared libraries that rdmash is not linked to: each is loaded when it is first needed, and those
 * who do without it start sooner.
 */
#ifndef SHELL_DYNAMIC_H
#define SHELL_DYNAMIC_H

#include <stddef.h>

/* A function by its name, and where in the struct of pointers its address goes. */
struct dynamic_function {
	const char *name;
	size_t offset;
};

/* Loads the first of the libraries (names end with NULL) that is there and fills the struct at to.
 * NULL, or why not: a text that is valid until the next call; then the struct is as it was. */
const char *dynamic_load(const char *const names[], const struct dynamic_function functions[],
			 size_t n, void *to);

#endif
