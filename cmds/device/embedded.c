/* SPDX-License-Identifier: MIT */
/*
 * The embedded device is a library that must be loaded before libibverbs: the program starts
 * itself again with it, and tells its second life why by a variable of the environment.
 */
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "embedded.h"
#include "launch.h"
#include "live.h"
#include "session.h"
#include "uroce.h"
#include "xmem.h"

#define WHY "RDMASH_EMBEDDED" /* "asked", or "none": there is no other device */

static bool has_device(void)
{
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);

	if (list)
		ibv_free_device_list(list);
	return n > 0;
}

static const char *note_of(const char *why)
{
	if (why && strcmp(why, "none") == 0)
		return "No RDMA device on this machine: using " UROCE_DEVICE
		       ", RoCEv2 in user space (see 'help uroce').";
	return NULL;
}

/* Why starting again would not bring it, or NULL. */
static const char *cannot_preload(void)
{
	static char text[PATH_MAX + 256];
	char path[PATH_MAX];

	if (getauxval(AT_SECURE))
		return "this rdmash has file capabilities or is set-user-ID, and the loader "
		       "ignores LD_PRELOAD for such programs.\n"
		       "  remedy: setcap -r on it; for packets of a real device " LIVE_RIGHTS;
	if (!getenv(WHY) || launch_library(path, sizeof path))
		return NULL;
	unsetenv(WHY);
	dlerror();
	snprintf(text, sizeof text, "it was preloaded, and is not there: %s",
		 dlopen(path, RTLD_LAZY) ? "the loader ignores LD_PRELOAD" : dlerror());
	return text;
}

/* In a build tree uroce is in bin beside this program: '!uroce status' shall find it. */
static void tool_to_path(void)
{
	char exe[PATH_MAX], tool[PATH_MAX + 16];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	const char *path = getenv("PATH");
	char *slash, *with;

	exe[n < 0 ? 0 : n] = 0;
	slash = strrchr(exe, '/');
	if (!slash)
		return;
	*slash = 0;
	snprintf(tool, sizeof tool, "%s/bin/uroce", exe);
	if (access(tool, X_OK))
		return;
	with = xasprintf("%s%s%s/bin", path ? path : "", path ? ":" : "", exe);
	setenv("PATH", with, 1);
	free(with);
}

int embedded_start(const struct options *opt, char **argv, const char **note)
{
	bool asked = opt->device && strcmp(opt->device, UROCE_DEVICE) == 0;
	static char without[PATH_MAX + 512];
	const char *why;

	*note = NULL;
	if (launch_loaded()) {
		*note = note_of(getenv(WHY));
		unsetenv(WHY);
		tool_to_path();
		return 0;
	}
	if (!asked && (opt->device || has_device()))
		return 0;
	why = cannot_preload();
	if (!why && launch_prepare() == 0 && setenv(WHY, asked ? "asked" : "none", 1) == 0)
		execv("/proc/self/exe", argv);
	if (!why)
		why = strerror(errno);
	if (!asked) { /* goes on without a device */
		snprintf(without, sizeof without,
			 "No RDMA device on this machine, nor " UROCE_DEVICE ": liburoce.so: %s",
			 why);
		*note = without;
		return 0;
	}
	print_error("rdmash: --device " UROCE_DEVICE ": liburoce.so: %s\n", why);
	return -1;
}

void embedded_tell(struct session *s)
{
	if (s->opt.note && !s->opt.interactive && !s->opt.quiet)
		print_error("%s\n", s->opt.note);
	s->opt.note = NULL;
}
