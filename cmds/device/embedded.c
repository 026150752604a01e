/* SPDX-License-Identifier: MIT */
/*
 * The embedded device is a library that must be loaded before libibverbs: the program starts
 * itself again with it, and tells its second life why by a variable of the environment.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "embedded.h"
#include "launch.h"
#include "session.h"
#include "uroce.h"

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

int embedded_start(const struct options *opt, char **argv, const char **note)
{
	bool asked = opt->device && strcmp(opt->device, UROCE_DEVICE) == 0;

	*note = NULL;
	if (launch_loaded()) {
		*note = note_of(getenv(WHY));
		unsetenv(WHY);
		return 0;
	}
	if (!asked && (opt->device || has_device()))
		return 0;
	if (launch_prepare() == 0 && setenv(WHY, asked ? "asked" : "none", 1) == 0)
		execv("/proc/self/exe", argv);
	if (!asked)
		return 0; /* goes on without a device */
	print_error("rdmash: --device " UROCE_DEVICE ": liburoce.so: %s\n", strerror(errno));
	return -1;
}

void embedded_tell(struct session *s)
{
	if (s->opt.note && !s->opt.interactive && !s->opt.quiet)
		print_error("%s\n", s->opt.note);
	s->opt.note = NULL;
}
