/* SPDX-License-Identifier: MIT */
#include "embedded_api.h"

#include <dlfcn.h>
#include <string.h>

/* ISO C has no cast from an object pointer to a function pointer. */
static void look_up(const char *name, void *fn)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	memcpy(fn, &found, sizeof found);
}

const struct embedded_api *embedded_api(void)
{
	static struct embedded_api api;

	if (!api.counters) {
		look_up("uroce_faults_set", &api.faults_set);
		look_up("uroce_faults_get", &api.faults_get);
		look_up("uroce_counters", &api.counters);
	}
	return api.faults_set && api.faults_get && api.counters ? &api : NULL;
}
