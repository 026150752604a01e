/* SPDX-License-Identifier: MIT */
/* A GID as an argument: "fe80::1", "::ffff:10.0.0.1", or an IPv4 address. */
#ifndef CMDS_GID_ARG_H
#define CMDS_GID_ARG_H

#include <infiniband/verbs.h>

#include "command/args.h"

struct gid_arg {
	union ibv_gid v;
	bool set;
};

extern const struct arg_kind kind_gid; /* struct gid_arg */

/* Parses text; an IPv4 address becomes the GID that is made of it. False: it is none. */
bool gid_parse(const char *text, union ibv_gid *gid);

#endif
