/* SPDX-License-Identifier: MIT */
#include "backend.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "librdmacm.so.1" /* which brings libibverbs */

bool backend_is_open;

/* As the loader would have bound it: the version that programs are linked to, or, where the
 * library has none, the only one. */
static void *find(void *library, const struct backend_symbol *s)
{
	void *found = *s->version ? dlvsym(library, s->name, s->version) : NULL;

	return found ? found : dlsym(library, s->name);
}

static int bind_all(void *library, const char **why)
{
	static char text[128];

	for (const struct backend_symbol *s = backend_symbols; s->name; s++) {
		void *found = find(library, s);

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

int backend_open(const char *library, const char **why)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	void *handle;
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (!__atomic_load_n(&backend_is_open, __ATOMIC_ACQUIRE)) {
		handle = dlopen(library ? library : LIBRARY, RTLD_NOW | RTLD_GLOBAL);
		if (!handle)
			*why = dlerror();
		/* others may have brought libibverbs: what is named comes first */
		rc = handle ? bind_all(library ? handle : RTLD_DEFAULT, why) : -1;
		if (rc == 0)
			__atomic_store_n(&backend_is_open, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

void backend_open_default(void)
{
	const char *why;

	if (backend_open(NULL, &why) == 0)
		return;
	fprintf(stderr, "%s: %s\n", LIBRARY, why);
	abort();
}

bool backend_has(const char *function)
{
	const struct backend_symbol *s = backend_symbols;

	backend_need();
	while (s->name && strcmp(s->name, function) != 0)
		s++;
	return s->name && memcmp(s->place, &s->missing, sizeof s->missing) != 0;
}
