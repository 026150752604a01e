/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch.h"

bool launch_loaded(void)
{
	return dlsym(RTLD_DEFAULT, "uroce_tap") != NULL;
}

/* From the folder of the program: the build tree, then the installed one. */
static const char *const places[] = { "uroce", "../uroce", UROCE_BIN_TO_LIB };

int launch_library(char *path, size_t size)
{
	char self[PATH_MAX], *dir;
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n < 0)
		return -1;
	self[n] = 0;
	dir = dirname(self);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if ((size_t)snprintf(path, size, "%s/%s/liburoce.so", dir, places[i]) >= size) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (access(path, R_OK) == 0)
			return 0;
	}
	errno = ENOENT;
	return -1;
}

/* A sanitizer's library must stay the first one: where this program has one of its own. */
static const char *sanitizer(void)
{
	static const char *const marks[] = { "__asan_init", "__tsan_init" };
	Dl_info lib, program;

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		void *mark = dlsym(RTLD_DEFAULT, marks[i]);

		if (mark && dladdr(mark, &lib) && dladdr((void *)launch_library, &program) &&
		    lib.dli_fbase != program.dli_fbase)
			return lib.dli_fname;
	}
	return NULL;
}

/* Puts word and what was there before into a list of the environment. */
static int put_first(const char *variable, const char *word)
{
	const char *old = getenv(variable);
	char *list;
	int rc;

	if (asprintf(&list, "%s%s%s", word, old && *old ? ":" : "", old && *old ? old : "") < 0)
		return -1;
	rc = setenv(variable, list, 1);
	free(list);
	return rc;
}

/* ld.so takes blanks and colons in LD_PRELOAD as separators, in LD_LIBRARY_PATH only colons
 * and semicolons. */
int launch_prepare(void)
{
	const char *first = sanitizer();
	char path[PATH_MAX];

	if (launch_library(path, sizeof path))
		return -1;
	if (strpbrk(path, ":;")) {
		errno = EINVAL;
		return -1;
	}
	if (strchr(path, ' ')) {
		if (put_first("LD_LIBRARY_PATH", dirname(path)))
			return -1;
		strcpy(path, "liburoce.so");
	}
	if (put_first("LD_PRELOAD", path))
		return -1;
	return first ? put_first("LD_PRELOAD", first) : 0;
}
