/* SPDX-License-Identifier: MIT */
#include "edit/libedit.h"

#include <err.h>
#include <stddef.h>

#include "dynamic.h"

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
