/* SPDX-License-Identifier: MIT */
/* GIDs as arguments. */
#include <arpa/inet.h>
#include <string.h>

#include "device/gid_arg.h"

bool gid_parse(const char *text, union ibv_gid *gid)
{
	struct in_addr v4;

	if (inet_pton(AF_INET6, text, gid->raw) == 1)
		return true;
	if (inet_pton(AF_INET, text, &v4) != 1)
		return false;
	memset(gid->raw, 0, 10);
	memset(gid->raw + 10, 0xff, 2);
	memcpy(gid->raw + 12, &v4, 4);
	return true;
}

static int parse_gid(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	struct gid_arg *g = dst;

	if (!gid_parse(Tcl_GetString(word), &g->v))
		return args_bad(s, a, "'%s' is not a GID such as ::ffff:10.0.0.1 or fe80::1",
				Tcl_GetString(word));
	g->set = true;
	return 0;
}

const struct arg_kind kind_gid = { .word = "gid",
				   .size = sizeof(struct gid_arg),
				   .parse = parse_gid };
