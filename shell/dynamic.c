/* SPDX-License-Identifier: MIT */
#include "dynamic.h"

#include <dlfcn.h>
#include <string.h>

const char *dynamic_load(const char *const names[], const struct dynamic_function functions[],
			 size_t n, void *to)
{
	void *library = NULL;

	for (size_t i = 0; names[i] && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return dlerror();
	for (size_t i = 0; i < n; i++)
		if (!dlsym(library, functions[i].name))
			return dlerror();
	for (size_t i = 0; i < n; i++) {
		void *found = dlsym(library, functions[i].name);

		memcpy((char *)to + functions[i].offset, &found, sizeof found);
	}
	return NULL;
}
