/* SPDX-License-Identifier: MIT */
/* Libraries that are loaded when they are first needed; libedit is one. */
#include "dynamic.h"

#include <dlfcn.h>
#include <err.h>
#include <stddef.h>
#include <string.h>

#include "edit/edit_impl.h"

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

struct libedit libedit;

void libedit_load(void)
{
	static const char *const names[] = { "libedit.so.2", "libedit.so.0", NULL };
	static const struct dynamic_function functions[] = {
#define X(name) { #name, offsetof(struct libedit, name) },
		LIBEDIT_FUNCTIONS(X)
#undef X
	};
	const char *why;

	if (libedit.el_init)
		return;
	why = dynamic_load(names, functions, sizeof functions / sizeof *functions, &libedit);
	if (why)
		errx(1, "line editing needs libedit: %s", why);
}
