/* SPDX-License-Identifier: MIT */
/*
 * The GID table, and the choice of an entry. Both ends must use the same RoCE version, and the peer
 * must be reachable from the address: so version 2 is preferred to 1, and a routable address (IPv4,
 * then global IPv6) to a link-local one.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "command/args.h"
#include "command/cmd.h"
#include "device/device.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"
#include "words.h"

const char *gid_text(const union ibv_gid *gid)
{
	static char texts[4][INET6_ADDRSTRLEN];
	static unsigned next;
	char *text = texts[next++ % 4];

	inet_ntop(AF_INET6, gid->raw, text, INET6_ADDRSTRLEN);
	return text;
}

static void rate_gid(struct gid_row *r)
{
	const struct in6_addr *a = (const struct in6_addr *)(const void *)r->e.gid.raw;

	if (r->e.gid_type == IBV_GID_TYPE_IB) {
		r->score = r->e.gid_index == 0 ? 2 : 1;
		r->why = "InfiniBand: index 0 is the port's own GUID";
	} else if (r->e.gid_type == IBV_GID_TYPE_ROCE_V1) {
		r->score = 0;
		r->why = "RoCE v1: not routed, and the peer must use v1 too";
	} else if (IN6_IS_ADDR_V4MAPPED(a)) {
		r->score = ntohl(a->s6_addr32[3]) >> 16 == 0xa9fe ? 2 : 4;
		r->why = r->score == 4 ? "RoCE v2 and an IPv4 address: routable like IPv4"
				       : "RoCE v2, but 169.254/16 is not routed";
	} else if (IN6_IS_ADDR_LINKLOCAL(a)) {
		r->score = 1;
		r->why = "RoCE v2, but link-local: only on the same link";
	} else {
		r->score = 3;
		r->why = "RoCE v2 and an IPv6 address: routable like IPv6";
	}
}

int gid_table(const struct dev *dev, uint8_t port, struct gid_row *rows, int max)
{
	struct ibv_gid_entry entries[GID_ROWS];
	ssize_t n = ibv_query_gid_table(dev->v, entries, GID_ROWS, 0);
	int used = 0;

	if (n < 0) {
		errno = (int)-n;
		return -1;
	}
	for (ssize_t i = 0; i < n && used < max; i++) {
		struct gid_row *r = &rows[used];

		if (entries[i].port_num != port)
			continue;
		*r = (struct gid_row){ .e = entries[i] };
		if (entries[i].ndev_ifindex)
			if_indextoname(entries[i].ndev_ifindex, r->netdev);
		rate_gid(r);
		used++;
	}
	return used;
}

const struct gid_row *gid_best(const struct gid_row *rows, int n)
{
	const struct gid_row *best = NULL;

	for (int i = 0; i < n; i++)
		if (!best || rows[i].score > best->score)
			best = &rows[i];
	return best;
}

struct gids_args {
	struct dev *dev;
	struct num port;
};

static const struct arg gids_args[] = {
	POS_OPT("device", gids_args, dev, kind_dev, "name as devices lists it"),
	OPT("port", gids_args, port, kind_u8, "port of the device", .dflt = "1", .min = 1), ARGS_END
};

static void gid_row_out(struct out *o, const struct gid_row *r, bool best)
{
	const char *type = word_name(gid_type_words, r->e.gid_type);
	char hex[2 * sizeof r->e.gid.raw + 1];

	out_dict(o, NULL);
	if (best)
		out_paint(o, PAINT_GOOD);
	out_int(o, "index", r->e.gid_index, "%s %2u", best ? "->" : "  ", r->e.gid_index);
	out_str(o, "gid", gid_text(&r->e.gid), "  %-28s", gid_text(&r->e.gid));
	for (size_t i = 0; i < sizeof r->e.gid.raw; i++)
		snprintf(hex + 2 * i, 3, "%02x", r->e.gid.raw[i]);
	out_str(o, "raw", hex, NULL);
	out_str(o, "type", type, "  %-6s", type);
	out_str(o, "netdev", r->netdev, "  %-8s", r->netdev);
	if (best)
		out_paint(o, PAINT_NONE);
	out_bool(o, "recommended", best, NULL);
	out_str(o, "why", r->why, "  %s\n", r->why);
	out_end(o);
}

static int gids_exec(struct session *s, const void *args, struct out *o)
{
	const struct gids_args *a = args;
	struct gid_row rows[GID_ROWS];
	const struct gid_row *best;
	int n = gid_table(a->dev, (uint8_t)a->port.v, rows, GID_ROWS);

	if (n < 0)
		return fail_call(s, errno, "ibv_query_gid_table", "%s", a->dev->o.name);
	best = gid_best(rows, n);
	out_list(o, NULL);
	for (int i = 0; i < n; i++)
		gid_row_out(o, &rows[i], &rows[i] == best);
	if (n == 0)
		out_text(o, "%s port %u has no GIDs\n", a->dev->o.name, (unsigned)a->port.v);
	return 0;
}

static const struct cmd_eg gids_egs[] = { { "gids", "->" },
					  { "lindex [gids] 0", "RoCEv2" },
					  { "dict get [lindex [gids] 0] raw", NULL },
					  { NULL, NULL } };

const struct cmd cmd_gids = {
	.name = "gids",
	.family = "device",
	.summary = "show the GID table of a port, with a recommendation",
	.text = "A GID is the address of a port. On RoCE each IP address of the interface adds one,\n"
		"and there is always a link-local one. The index (sgid_index) decides which address and\n"
		"which RoCE version the packets of a QP use. The arrow marks the recommended entry;\n"
		"both ends must use the same type. In the value, raw has the 16 bytes as hex digits:\n"
		"binary format H32.",
	.calls = "ibv_query_gid_table(3)",
	.examples = gids_egs,
	.args = gids_args,
	.size = sizeof(struct gids_args),
	.flags = CMD_LOOKS,
	.exec = gids_exec,
};

/* -------------------------------------------------------- GIDs as arguments -- */

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

static int gid_kind_parse(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
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
				   .parse = gid_kind_parse };
