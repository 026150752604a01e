// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

bool program_files(const char *variable, const char *folder, const char *names, glob_t *files)
{
	static const char *const places[] = { "../share/rdmash", "../scripts", "../../scripts",
					      "../../../scripts" };
	const char *own = getenv(variable);
	char exe[4096], pattern[8192];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (own) {
		snprintf(pattern, sizeof pattern, "%s/%s", own, names);
		return glob(pattern, 0, NULL, files) == 0;
	}
	if (n <= 0)
		return false;
	exe[n] = 0;
	*strrchr(exe, '/') = 0;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(pattern, sizeof pattern, "%s/%s/%s/%s", exe, places[i], folder, names);
		if (glob(pattern, 0, NULL, files) == 0)
			return true;
	}
	return false;
}
