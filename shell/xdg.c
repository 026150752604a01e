// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "xdg.h"
#include "xmem.h"

char *xdg_path(const char *variable, const char *home, const char *name)
{
	const char *base = getenv(variable);

	if (base && *base == '/')
		return xasprintf("%s/rdmash/%s", base, name);
	base = getenv("HOME");
	return base && *base ? xasprintf("%s/%s/rdmash/%s", base, home, name) : NULL;
}

char *xdg_state(const char *name)
{
	return xdg_path("XDG_STATE_HOME", ".local/state", name);
}
