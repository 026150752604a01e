// SPDX-License-Identifier: MIT
/*
 * wrapper ADDRESS CASE
 *
 * The cases of memory.c in a program with a free() of its own, which goes on to the next one.
 */
#include <dlfcn.h>
#include <stdlib.h>

__attribute__((visibility("default"))) void free(void *p)
{
	static void (*next)(void *);

	if (!next)
		next = (void (*)(void *))dlsym(RTLD_NEXT, "free");
	next(p);
}

#include "memory.c"
