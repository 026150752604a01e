/* SPDX-License-Identifier: MIT */
/*
 * Programs that load libibverbs themselves and ask its handle for symbols (NCCL, libfabric) would
 * get past a preloaded library: they get a handle of this one, which finds the rest in the
 * originals, as it is linked to them.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "export.h"

#if defined(__clang__)
#define SIBLING	 __attribute__((musttail)) return
#define IN_PLACE __attribute__((no_sanitize("address", "thread", "undefined")))
#else
#define SIBLING return
#define IN_PLACE                                                                \
	__attribute__((optimize("O2"), no_sanitize_address, no_sanitize_thread, \
		       no_sanitize_undefined))
#endif

static bool is_taken_over(const char *file)
{
	static const char *const names[] = { "libibverbs.so", "librdmacm.so" };
	const char *base;

	if (!file)
		return false;
	base = strrchr(file, '/');
	base = base ? base + 1 : file;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		const size_t n = strlen(names[i]);

		if (strncmp(base, names[i], n) == 0 && (base[n] == '.' || !base[n]))
			return true;
	}
	return false;
}

static const char *own_file(void)
{
	static const char here;
	Dl_info info;

	/* the name that it was loaded by: the loader compares names first */
	return dladdr(&here, &info) && info.dli_fname ? info.dli_fname : NULL;
}

__attribute__((noinline)) static const char *file_for(const char *file)
{
	const char *own = is_taken_over(file) ? own_file() : NULL;

	return own ? own : file;
}

/* With RTLD_DEEPBIND the originals would be found first, because this library is linked to them. */
__attribute__((noinline)) static int flags_for(const char *file, int flags)
{
	return is_taken_over(file) ? flags & ~RTLD_DEEPBIND : flags;
}

typedef void *dlopen_fn(const char *file, int flags);

__attribute__((noinline)) static dlopen_fn *find_original(void)
{
	return (dlopen_fn *)dlsym(RTLD_NEXT, "dlopen");
}

/* The original finds the caller's RUNPATH and namespace by its return address. So it is jumped to,
 * not called. */
IN_PLACE EXPORT void *dlopen(const char *file, int flags)
{
	dlopen_fn *const next = find_original();

	flags = flags_for(file, flags);
	SIBLING next(file_for(file), flags);
}
