/* SPDX-License-Identifier: MIT */
#include "wire/embedded_api.h"

#include <dlfcn.h>
#include <string.h>

/* ISO C has no cast from an object pointer to a function pointer. */
static bool look_up(const char *name, void *fn)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	memcpy(fn, &found, sizeof found);
	return found;
}

const struct embedded_api *embedded_api(void)
{
	static struct embedded_api api;
	static bool looked, all;

	if (!looked) {
		looked = all = true;
		all &= look_up("uroce_faults_set", &api.faults_set);
		all &= look_up("uroce_faults_get", &api.faults_get);
		all &= look_up("uroce_tap", &api.tap);
		all &= look_up("uroce_capture", &api.capture);
		all &= look_up("uroce_counters", &api.counters);
	}
	return all ? &api : NULL;
}
