/* SPDX-License-Identifier: MIT */
#include "wire/libpcap.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "session.h"

/* Debian's name of the library, and the one of its authors. */
static const char *const names[] = { "libpcap.so.0.8", "libpcap.so.1" };

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define X(name_) { "pcap_" #name_, offsetof(struct libpcap, name_) },
	LIBPCAP_FUNCTIONS(X)
#undef X
};

struct libpcap libpcap;

static int bind_functions(void *library, struct libpcap *to)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *found = dlsym(library, functions[i].name);

		if (!found)
			return -1;
		memcpy((char *)to + functions[i].offset, &found, sizeof found);
	}
	return 0;
}

int libpcap_load(struct session *s, const char *call)
{
	struct libpcap found;
	const char *why;
	void *library = NULL;

	if (libpcap.create)
		return 0;
	for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (library && bind_functions(library, &found) == 0) {
		libpcap = found;
		return 0;
	}
	why = dlerror();
	fail(s, call, "ENOENT", "%s: libpcap cannot be loaded: %s", call, why ? why : "?");
	if (library)
		dlclose(library);
	return fail_row(s, "needs", "the package libpcap0.8 (Debian), or libpcap of your system");
}
