/* SPDX-License-Identifier: MIT */
/* An open device: its GID table, its context, the address at which peers reach it. */
#include <arpa/inet.h>
#include <errno.h>
#include <glob.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "call/calling.h"
#include "call_record.h"
#include "command/cmd.h"
#include "device/async.h"
#include "device/device.h"
#include "launch.h"
#include "live_context.h"
#include "object_args.h"
#include "object_make.h"
#include "objects.h"
#include "out.h"
#include "recorded.h"
#include "session.h"
#include "uroce.h"
#include "words.h"
#include "why.h"

/*
 * The GID table, and the choice of an entry. Both ends must use the same RoCE version, and the peer
 * must be reachable from the address: so version 2 is preferred to 1, and a routable address (IPv4,
 * then global IPv6) to a link-local one.
 */

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

/* How many GIDs the tables of all ports can hold. */
static size_t gid_capacity(struct ibv_context *v)
{
	struct ibv_port_attr port;
	size_t n = 0;

	record_aside(1);
	for (uint8_t i = 1; i && ibv_query_port(v, i, &port) == 0; i++)
		n += (size_t)port.gid_tbl_len;
	record_aside(-1);
	return n;
}

int gid_table(const struct dev *dev, uint8_t port, struct gid_row **rows)
{
	const size_t room = gid_capacity(dev->v) +
			    1; /* never 0; the kernel refuses too little room */
	struct ibv_gid_entry *entries = xcalloc(room, sizeof *entries);
	ssize_t n = ibv_query_gid_table(dev->v, entries, room, 0);
	int used = 0;

	*rows = xcalloc(n > 0 ? (size_t)n : 1, sizeof **rows);
	for (ssize_t i = 0; i < n; i++) {
		struct gid_row *r = *rows + used;

		if (port && entries[i].port_num != port)
			continue;
		*r = (struct gid_row){ .e = entries[i] };
		if (entries[i].ndev_ifindex)
			if_indextoname(entries[i].ndev_ifindex, r->netdev);
		rate_gid(r);
		used++;
	}
	free(entries);
	if (n >= 0)
		return used;
	errno = (int)-n;
	return -1;
}

void gids_free(struct gid_row **rows)
{
	free(*rows);
}

const struct gid_row *gid_best(const struct gid_row *rows, int n)
{
	const struct gid_row *best = NULL;

	for (int i = 0; i < n; i++)
		if (!best || rows[i].score > best->score)
			best = &rows[i];
	return best;
}

static bool has_gid(const struct dev *dev, const union ibv_gid *gid)
{
	SCOPED_GIDS(rows);
	int n = gid_table(dev, 0, &rows);

	for (int i = 0; i < n; i++)
		if (memcmp(&rows[i].e.gid, gid, sizeof *gid) == 0)
			return true;
	return false;
}

static bool has_lid(const struct dev *dev, uint16_t lid)
{
	struct ibv_port_attr port;

	for (uint8_t i = 1; lid && i && ibv_query_port(dev->v, i, &port) == 0; i++)
		if (port.lid == lid)
			return true;
	return false;
}

bool dev_has_address(const struct dev *dev, const struct ibv_ah_attr *to)
{
	bool has;

	record_aside(1);
	has = to->is_global ? has_gid(dev, &to->grh.dgid) : has_lid(dev, to->dlid);
	record_aside(-1);
	return has;
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
	SCOPED_TEXT(hex);

	out_dict(o, NULL);
	if (best)
		out_paint(o, PAINT_GOOD);
	out_int(o, "index", r->e.gid_index, "%s %2u", best ? "->" : "  ", r->e.gid_index);
	out_str(o, "gid", why_gid(&r->e.gid), "  %-28s", why_gid(&r->e.gid));
	xappend_hex(&hex, r->e.gid.raw, sizeof r->e.gid.raw);
	out_str(o, "raw", text_str(&hex), NULL);
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
	SCOPED_GIDS(rows);
	const struct gid_row *best;
	int n = gid_table(a->dev, (uint8_t)a->port.v, &rows);

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

/** A GID is the address of a port. On RoCE each IP address of the interface adds one,
 * and there is always a link-local one. The index (sgid_index) decides which address and
 * which RoCE version the packets of a QP use. The arrow marks the recommended entry;
 * both ends must use the same type. In the value, raw has the 16 bytes as hex digits:
 * binary format H32.
 * > gids => ->
 * > lindex [gids] 0 => RoCEv2
 * > dict get [lindex [gids] 0] raw */
const struct cmd cmd_gids = {
	.name = "gids",
	.family = "device",
	.summary = "show the GID table of a port, with a recommendation",
	.calls = "ibv_query_gid_table(3)",
	.args = gids_args,
	.flags = CMD_LOOKS,
	.exec = gids_exec,
};

/* -------------------------------------------------------- GIDs as arguments -- */

bool gid_parse(const char *text, unsigned char raw[16])
{
	struct in_addr v4;

	if (inet_pton(AF_INET6, text, raw) == 1)
		return true;
	if (inet_pton(AF_INET, text, &v4) == 1) {
		memset(raw, 0, 10);
		memset(raw + 10, 0xff, 2);
		memcpy(raw + 12, &v4, 4);
		return true;
	}
	if (strlen(text) != 32 || strspn(text, "0123456789abcdefABCDEF") != 32)
		return false;
	for (unsigned i = 0; i < 16; i++)
		raw[i] = (unsigned char)(hex_digit(text[2 * i]) << 4 | hex_digit(text[2 * i + 1]));
	return true;
}

static int gid_kind_parse(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	struct gid_arg *g = dst;

	if (!gid_parse(Tcl_GetString(word), g->v.raw))
		return args_bad(s, a,
				"'%s' is not a GID such as ::ffff:10.0.0.1, fe80::1 or 32 "
				"hex digits",
				Tcl_GetString(word));
	g->text = Tcl_GetString(word);
	g->set = true;
	return 0;
}

const struct arg_kind kind_gid = { .word = "gid",
				   .size = sizeof(struct gid_arg),
				   .parse = gid_kind_parse };

/*
 * Opening devices. The contexts are librdmacm's: it opens every device of the machine itself, and a
 * QP of a connection id must be created from resources of that same context.
 */

static int dev_destroy(struct session *s, struct obj *o)
{
	async_unwatch(s, (struct dev *)o); /* librdmacm keeps the context */
	return 0;
}

static void dev_describe(struct session *s, struct obj *o, struct out *out)
{
	struct dev *dev = (struct dev *)o;
	const struct ibv_device_attr *a = &dev->attr.orig_attr;

	(void)s;
	out_str(out, "name", o->name, "%s", o->name);
	out_str(out, "transport", dev->iwarp ? "iWARP" : "IB", "  %s",
		dev->iwarp ? "iWARP" : "InfiniBand/RoCE");
	out_str(out, "fw_ver", a->fw_ver, NULL);
	out_int(out, "ports", a->phys_port_cnt, "  %d port%s", a->phys_port_cnt,
		a->phys_port_cnt == 1 ? "" : "s");
	out_int(out, "max_qp", a->max_qp, "  max_qp %d", a->max_qp);
	out_int(out, "max_qp_wr", a->max_qp_wr, "  max_qp_wr %d", a->max_qp_wr);
	out_int(out, "max_sge", a->max_sge, "  max_sge %d", a->max_sge);
	out_int(out, "max_cq", a->max_cq, NULL);
	out_int(out, "max_cqe", a->max_cqe, "  max_cqe %d", a->max_cqe);
	out_int(out, "max_mr", a->max_mr, NULL);
	out_u64(out, "max_mr_size", a->max_mr_size, NULL);
	out_int(out, "max_mw", a->max_mw, NULL);
	out_int(out, "max_srq", a->max_srq, NULL);
	out_int(out, "max_qp_rd_atom", a->max_qp_rd_atom, NULL);
	out_int(out, "max_qp_init_rd_atom", a->max_qp_init_rd_atom, NULL);
	out_text(out, "\n");
}

const struct obj_class dev_class = {
	.prefix = "dev",
	.title = "device",
	.remedy = "devices",
	.size = sizeof(struct dev),
	.kind = OBJECT_CONTEXT,
	.pointer = offsetof(struct dev, v),
	.destroy = dev_destroy,
	.describe = dev_describe,
};

/* Finds a device of the kernel and the path of its device file; false: there is none. */
static bool kernel_device(char *name, size_t size, char *file, size_t file_size)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	glob_t found = { 0 };
	bool any = list && list[0];

	if (any) {
		snprintf(name, size, "%s", ibv_get_device_name(list[0]));
		snprintf(file, file_size, "/dev/infiniband/%s", list[0]->dev_name);
	} else if (glob("/sys/class/infiniband/*", 0, NULL, &found) == 0) {
		any = true; /* libibverbs does not list a device without its file */
		snprintf(name, size, "%s", strrchr(found.gl_pathv[0], '/') + 1);
		snprintf(file, file_size, "/dev/infiniband/uverbs0");
	}
	globfree(&found);
	if (list)
		ibv_free_device_list(list);
	return any;
}

/* Fails if there is a device that this process may not open. The libraries do not report that:
 * librdmacm skips the device, and ibv_open_device(3) may leave the errno of a later call. */
static int fail_no_access(struct session *s)
{
	char name[64], file[96];
	int err;

	if (embedded_is_used() || !kernel_device(name, sizeof name, file, sizeof file) ||
	    access(file, R_OK | W_OK) == 0)
		return 0;
	err = errno;
	fail_call(s, err, "ibv_open_device", "%s: %s", name, file);
	fail_row(s, "cause", "%s",
		 err == ENOENT ? "its device file is missing: pass it into the container"
			       : "no permission for its device file: see 'ls -l /dev/infiniband'");
	return fail_next(s, "doctor");
}

/* Fails with "no RDMA device" and what to do about it. Returns -1. */
static int dev_none(struct session *s, const char *call)
{
	if (fail_no_access(s))
		return -1;
	if (embedded_is_used()) { /* uroce has printed the reason */
		fail(s, call, "ENODEV", "%s  could not be started: see the line above",
		     launch_device_name());
		return fail_next(s, "help uroce");
	}
	fail(s, call, "ENODEV", "no RDMA device on this machine");
	if (s->opt.note)
		fail_row(s, "note", "%s", s->opt.note);
	fail_row(s, "kernel",
		 "a software device on an Ethernet interface needs no hardware: "
		 "rdma link add rxe0 type rxe netdev eth0");
	return fail_next(s, "devices");
}

struct dev *dev_of(struct session *s, struct ibv_context *v)
{
	const char *name = ibv_get_device_name(v->device);
	struct dev *dev = obj_find(s, &dev_class, name);

	if (dev)
		return dev;
	dev = obj_new(s, &dev_class, name);
	if (!dev)
		return NULL;
	dev->v = v;
	dev->iwarp = v->device->transport_type == IBV_TRANSPORT_IWARP;
	if (ibv_query_device_ex(v, NULL, &dev->attr)) {
		call_fail(s, "%s", name);
		obj_discard(s, dev);
		return NULL;
	}
	async_watch(s, dev);
	obj_add(s, dev);
	embedded_tell(s);
	return dev;
}

/* The contexts of librdmacm, to be freed with rdma_free_devices(). NULL with s->fail filled. */
static struct ibv_context **get_contexts(struct session *s, int *n)
{
	struct ibv_context **list;

	*n = 0;
	list = rdma_get_devices(n);
	if (list && *n > 0)
		return list;
	if (list)
		rdma_free_devices(list);
	dev_none(s, "rdma_get_devices");
	return NULL;
}

static int no_such_device(struct session *s, struct ibv_context **list, int n, const char *name)
{
	SCOPED_LIST(names);
	const char *near;

	for (int i = 0; i < n; i++)
		value_append(names, ibv_get_device_name(list[i]->device));
	near = cmd_suggest(name, names);
	fail(s, "open", "ENODEV", "there is no device %s%s", name, mistake_did_you_mean(near));
	fail_row(s, "there are", "%s", Tcl_GetString(names));
	if (!near && strpbrk(name, "./"))
		fail_row(s, "or", "files: 'mem load REGION FILE' reads one, 'mem save' writes one");
	return -1;
}

/* Opens the device called name, or returns it if it is open; NULL with s->fail filled. */
static struct dev *dev_open(struct session *s, const char *name)
{
	struct ibv_context **list;
	struct dev *dev = obj_find(s, &dev_class, name);
	int n, i;

	if (dev)
		return dev;
	list = get_contexts(s, &n);
	if (!list)
		return NULL;
	for (i = 0; i < n; i++)
		if (strcmp(ibv_get_device_name(list[i]->device), name) == 0)
			break;
	if (i < n)
		dev = dev_of(s, list[i]);
	else
		no_such_device(s, list, n, name);
	rdma_free_devices(list);
	return dev;
}

static bool has_active_port(struct ibv_context *v)
{
	struct ibv_device_attr attr;
	struct ibv_port_attr port;

	if (ibv_query_device(v, &attr))
		return false;
	for (uint8_t p = 1; p <= attr.phys_port_cnt; p++)
		if (ibv_query_port(v, p, &port) == 0 && port.state == IBV_PORT_ACTIVE)
			return true;
	return false;
}

struct dev *dev_default(struct session *s)
{
	struct ibv_context **list;
	struct dev *dev = obj_first(s, &dev_class);
	int n, i;

	if (s->opt.device)
		return dev_open(s, s->opt.device);
	if (s->ctx->qp)
		return s->ctx->qp->pd->dev;
	if (dev)
		return dev;
	list = get_contexts(s, &n);
	if (!list)
		return NULL;
	for (i = 0; i < n && !has_active_port(list[i]); i++)
		;
	dev = dev_of(s, list[i < n ? i : 0]);
	rdma_free_devices(list);
	return dev;
}

/* Parses a device argument; opens the device if necessary. */
static int parse_dev(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	struct dev *dev = dev_open(s, Tcl_GetString(word));

	(void)a;
	if (dev)
		obj_hold_arg(s, dev);
	*(struct dev **)dst = dev;
	return dev ? 0 : -1;
}

static int absent_dev(struct session *s, const struct arg *a, void *dst)
{
	struct dev *dev = dev_default(s);

	(void)a;
	obj_hold_arg(s, dev);
	*(struct dev **)dst = dev;
	return dev ? 0 : -1;
}

static void complete_dev(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	int n;
	struct ibv_device **list = ibv_get_device_list(&n);

	(void)s, (void)a;
	for (int i = 0; list && i < n; i++)
		value_append(words, ibv_get_device_name(list[i]));
	if (list)
		ibv_free_device_list(list);
}

const struct arg_kind kind_dev = { .word = "device",
				   .size = sizeof(struct dev *),
				   .parse = parse_dev,
				   .absent = absent_dev,
				   .complete = complete_dev };
const struct arg_kind kind_dev_opt = { .word = "device",
				       .size = sizeof(struct dev *),
				       .parse = parse_dev,
				       .complete = complete_dev };

/*
 * The IP address of a device. On RoCE the GIDs contain IP addresses; the GID of an iWARP port
 * begins with the MAC address of its network interface.
 */

#define MAC_LEN 6

static void address_of_gid(const struct gid_row *r, char *text)
{
	const struct in6_addr *a = (const struct in6_addr *)(const void *)r->e.gid.raw;
	char host[INET6_ADDRSTRLEN];

	if (IN6_IS_ADDR_V4MAPPED(a)) {
		inet_ntop(AF_INET, &a->s6_addr32[3], text, DEV_ADDR_LEN);
		return;
	}
	inet_ntop(AF_INET6, a, host, sizeof host);
	snprintf(text, DEV_ADDR_LEN, "%s%s%s", host, IN6_IS_ADDR_LINKLOCAL(a) ? "%" : "",
		 IN6_IS_ADDR_LINKLOCAL(a) ? r->netdev : "");
}

static const char *netdev_of_mac(const struct ifaddrs *i, const uint8_t *mac)
{
	for (; i; i = i->ifa_next) {
		const struct sockaddr_ll *ll = (const void *)i->ifa_addr;

		if (ll && ll->sll_family == AF_PACKET && ll->sll_halen == MAC_LEN &&
		    memcmp(ll->sll_addr, mac, MAC_LEN) == 0)
			return i->ifa_name;
	}
	return NULL;
}

static void address_of_mac(const uint8_t *mac, char *text)
{
	struct ifaddrs *all;
	const char *netdev;

	if (getifaddrs(&all))
		return;
	netdev = netdev_of_mac(all, mac);
	for (const struct ifaddrs *i = all; netdev && i; i = i->ifa_next) {
		const struct sockaddr_in *in = (const void *)i->ifa_addr;

		if (!in || in->sin_family != AF_INET || strcmp(i->ifa_name, netdev) != 0)
			continue;
		inet_ntop(AF_INET, &in->sin_addr, text, DEV_ADDR_LEN);
		break;
	}
	freeifaddrs(all);
}

void dev_addr(const struct dev *dev, char *text)
{
	SCOPED_GIDS(rows);
	int n = gid_table(dev, 1, &rows);
	const struct gid_row *best = gid_best(rows, n);

	*text = 0;
	if (!best)
		return;
	if (dev->iwarp)
		address_of_mac(best->e.gid.raw, text);
	else if (best->e.gid_type != IBV_GID_TYPE_IB)
		address_of_gid(best, text);
}
