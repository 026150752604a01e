/* SPDX-License-Identifier: MIT */
/* Run with the library of its first argument loaded before all others: what dlopen() gives. */
#include <dlfcn.h>

#include "checks.h"

/* Which object has the symbol that the handle finds? */
static const char *origin(void *handle, const char *symbol)
{
	void *at = handle ? dlsym(handle, symbol) : NULL;
	Dl_info info;

	return at && dladdr(at, &info) ? info.dli_fname : "";
}

static bool ends_with(const char *s, const char *end)
{
	return strlen(s) >= strlen(end) && strcmp(s + strlen(s) - strlen(end), end) == 0;
}

int main(int argc, char **argv)
{
	static const char *const taken[] = { "libibverbs.so.1", "libibverbs.so", "librdmacm.so.1",
					     "/nowhere/librdmacm.so.1.3" };
	const char *self;
	void *handle;

	CHECK(argc == 2);
	self = argv[1];
	for (unsigned i = 0; i < sizeof taken / sizeof *taken; i++) {
		handle = dlopen(taken[i], RTLD_NOW | (i & 1 ? RTLD_DEEPBIND : 0));
		CHECK(ends_with(origin(handle, "ibv_query_ece"), self));
		/* what it does not have comes from the original that it is linked to */
		CHECK(ends_with(origin(handle, "ibv_wc_status_str"), "libibverbs.so.1"));
		CHECK_INT(dlclose(handle), 0);
	}
	/* others are as they were */
	handle = dlopen("libm.so.6", RTLD_NOW);
	CHECK(ends_with(origin(handle, "cos"), "libm.so.6"));
	CHECK(!dlopen("libibverbs-of-another-name.so", RTLD_NOW) && dlerror());
	CHECK(dlopen(NULL, RTLD_NOW));
	/* found by the RUNPATH of this program alone: the loader must see who asks */
	handle = dlopen("libdlopen_runpath.so", RTLD_NOW);
	CHECK(handle && dlsym(handle, "only_by_runpath"));
	return checks_end();
}
