/* SPDX-License-Identifier: MIT */
/* Finds the functions of the libraries. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"

bool backend_is_open;

/* Finds a symbol as the loader would: in the version that programs are linked to, or the only one
 * if the library has no versions. */
static void *find_symbol(void *library, const struct backend_symbol *s)
{
	void *found = *s->version ? dlvsym(library, s->name, s->version) : NULL;

	return found ? found : dlsym(library, s->name);
}

int backend_bind(void *library, const char **why)
{
	static char text[128];

	for (const struct backend_symbol *s = backend_symbols; s->name; s++) {
		void *found = find_symbol(library, s);

		if (!found && !s->missing) {
			snprintf(text, sizeof text, "it has no %s", s->name);
			*why = text;
			return -1;
		}
		/* ISO C has no cast from an object pointer to a function pointer */
		if (found)
			memcpy(s->place, &found, sizeof found);
		else
			memcpy(s->place, &s->missing, sizeof s->missing);
	}
	return 0;
}

bool backend_has(const char *function)
{
	const struct backend_symbol *s = backend_symbols;

	backend_need();
	while (s->name && strcmp(s->name, function) != 0)
		s++;
	return s->name && memcmp(s->place, &s->missing, sizeof s->missing) != 0;
}
