/* SPDX-License-Identifier: MIT */
#include "backend.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define LIBRARY "librdmacm.so.1" /* which loads libibverbs */

int backend_open(const char *library, const char **why)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	void *handle;
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (!__atomic_load_n(&backend_is_open, __ATOMIC_ACQUIRE)) {
		handle = dlopen(library ? library : LIBRARY, RTLD_LAZY | RTLD_GLOBAL);
		if (!handle)
			*why = dlerror();
		/* the process may have loaded libibverbs already: a library that is named has
		 * precedence */
		rc = handle ? backend_bind(library ? handle : RTLD_DEFAULT, why) : -1;
		if (rc == 0)
			__atomic_store_n(&backend_is_open, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

static void (*chooser)(void);

void backend_choose(void (*choose)(void))
{
	chooser = choose;
}

static void ask_chooser(void)
{
	if (chooser)
		chooser();
}

void backend_open_default(void)
{
	static pthread_once_t asked = PTHREAD_ONCE_INIT;
	const char *why;

	pthread_once(&asked, ask_chooser);
	if (backend_open(NULL, &why) == 0)
		return;
	fprintf(stderr, "%s: %s\n", LIBRARY, why);
	exit(1);
}
