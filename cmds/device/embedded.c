/* SPDX-License-Identifier: MIT */
/*
 * The embedded device is a library that defines the functions of libibverbs and librdmacm and is
 * loaded in their place. Programs that are started from here get it preloaded.
 */
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "backend.h"
#include "device/device.h"
#include "launch.h"
#include "session.h"
#include "uroce.h"

#define SYSTEM "libibverbs.so.1"

/* Does the kernel have RDMA devices? */
static bool kernel_has_devices(void)
{
	glob_t found = { 0 };
	bool any = glob("/sys/class/infiniband_verbs/uverbs*", GLOB_NOSORT, NULL, &found) == 0;

	globfree(&found);
	return any;
}

/* Can libibverbs use one of them? It loads all its providers to find out. */
static bool system_has_device(void)
{
	struct ibv_device **(*get_list)(int *n);
	void (*free_list)(struct ibv_device * *list);
	struct ibv_device **list;
	void *library, *get, *put;
	int n = 0;

	library = dlopen(SYSTEM, RTLD_NOW);
	get = library ? dlsym(library, "ibv_get_device_list") : NULL;
	put = library ? dlsym(library, "ibv_free_device_list") : NULL;
	if (!get || !put)
		return false;
	memcpy(&get_list, &get, sizeof get);
	memcpy(&free_list, &put, sizeof put);
	list = get_list(&n);
	if (list)
		free_list(list);
	return n > 0;
}

/* Loads liburoce.so. NULL, or the reason why it failed. */
static const char *load_uroce(void)
{
	static char path[PATH_MAX];
	const char *why;

	if (launch_library(path, sizeof path))
		return strerror(errno);
	return backend_open(path, &why) ? why : NULL;
}

/* Adds the directories of uroce, vtrace and mailbox (used by a lesson) to PATH, so that '!uroce
 * status' works: bin beside this program in a build tree; libexec, and that of this program, in an
 * installation. */
static void tools_to_path(void)
{
	static const char *const places[] = { "bin", "../libexec/rdmash" };
	char exe[PATH_MAX], tool[PATH_MAX + 32];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	const char *path = getenv("PATH");
	char *slash, *with;

	exe[n < 0 ? 0 : n] = 0;
	slash = strrchr(exe, '/');
	if (!slash)
		return;
	*slash = 0;
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(tool, sizeof tool, "%s/%s/mailbox", exe, places[i]);
		if (access(tool, X_OK))
			continue;
		with = xasprintf("%s%s%s/%s:%s", path ? path : "", path ? ":" : "", exe, places[i],
				 exe);
		setenv("PATH", with, 1);
		free(with);
		return;
	}
}

static const char **the_note;

static void set_note_without(const char *why)
{
	static char without[PATH_MAX + 512];

	snprintf(without, sizeof without,
		 "No RDMA device on this machine, nor " UROCE_DEVICE ": liburoce.so: %s: %s", why,
		 launch_remedy());
	*the_note = without;
}

static void set_note_uroce(void)
{
	static char note[160];

	snprintf(
		note, sizeof note,
		"No RDMA device on this machine: using %.63s, RoCEv2 in user space (see 'help uroce').",
		launch_device_name());
	*the_note = note;
}

/* Called before the first call of the libraries. */
static void choose_backend(void)
{
	const bool has_devices = kernel_has_devices();
	const char *why;

	if (has_devices && system_has_device())
		return;
	why = load_uroce();
	if (!why && has_devices) { /* else embedded_start() has done it */
		why = launch_prepare() ? strerror(errno) : NULL;
		set_note_uroce();
	}
	if (why)
		set_note_without(why);
}

int embedded_start(const struct options *opt, const char **note)
{
	const bool asked = opt->device && (launch_has_device(opt->device) ||
					   strcmp(opt->device, UROCE_DEVICE) == 0);
	char path[PATH_MAX];
	const char *why;

	*note = NULL;
	the_note = note;
	tools_to_path();
	if (launch_loaded() || (opt->device && !asked))
		return 0;
	if (asked) {
		why = load_uroce();
		if (!why && launch_prepare())
			why = strerror(errno);
		if (!why)
			return 0;
		print_error("rdmash: --device %s: liburoce.so: %s: %s\n", opt->device, why,
			    launch_remedy());
		return -1;
	}
	if (!kernel_has_devices()) {
		if (launch_library(path, sizeof path) || launch_prepare()) {
			set_note_without(strerror(errno));
			return 1;
		}
		set_note_uroce();
	}
	backend_choose(choose_backend);
	return 0;
}

bool embedded_is_used(void)
{
	backend_need();
	return launch_loaded();
}

void embedded_tell(struct session *s)
{
	if (s->opt.note && !s->opt.interactive && !s->opt.quiet)
		print_error("%s\n", s->opt.note);
	s->opt.note = NULL;
}

/* ISO C has no cast from an object pointer to a function pointer. */
static bool find_symbol(const char *name, void *fn)
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
		backend_need();
		looked = all = true;
		all &= find_symbol("uroce_faults_set", &api.faults_set);
		all &= find_symbol("uroce_faults_get", &api.faults_get);
		all &= find_symbol("uroce_rules_set", &api.rules_set);
		all &= find_symbol("uroce_gid_hide", &api.gid_hide);
		all &= find_symbol("uroce_gid_move", &api.gid_move);
		all &= find_symbol("uroce_gid_restore", &api.gid_restore);
		all &= find_symbol("uroce_order_set", &api.order_set);
		all &= find_symbol("uroce_order_get", &api.order_get);
		all &= find_symbol("uroce_tap", &api.tap);
		all &= find_symbol("uroce_capture", &api.capture);
		all &= find_symbol("uroce_counters", &api.counters);
	}
	return all ? &api : NULL;
}
