/* SPDX-License-Identifier: MIT */
/* Devices and their ports: devices, open, close, device, ports. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "alloc.h"
#include "call_format.h"
#include "calls.h"
#include "call/calling.h"
#include "command/cmd.h"
#include "device/device.h"
#include "object_args.h"
#include "objects.h"
#include "out.h"
#include "recorded.h"
#include "session.h"
#include "words.h"

/* ---------------------------------------------------------------- devices -- */

static const char *transport_name(const struct ibv_device *d)
{
	switch (d->transport_type) {
	case IBV_TRANSPORT_IB:
		return "IB";
	case IBV_TRANSPORT_IWARP:
		return "iWARP";
	default:
		return "other";
	}
}

static int devices_exec(struct session *s, const void *args, struct out *o)
{
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);

	(void)args;
	out_list(o, NULL);
	for (int i = 0; list && i < n; i++) {
		const char *name = ibv_get_device_name(list[i]);
		bool open = obj_find(s, &dev_class, name);
		uint64_t guid = be64toh(ibv_get_device_guid(list[i]));

		out_dict(o, NULL);
		out_str(o, "name", name, "%-12s", name);
		out_str(o, "transport", transport_name(list[i]), "  %-5s", transport_name(list[i]));
		out_str(o, "node", ibv_node_type_str(list[i]->node_type), "  %s",
			ibv_node_type_str(list[i]->node_type));
		out_u64(o, "guid", guid, "  guid %016llx", (unsigned long long)guid);
		out_bool(o, "open", open, "%s\n", open ? "  open" : "");
		out_end(o);
	}
	if (list)
		ibv_free_device_list(list);
	if (n <= 0)
		out_text(o, "No RDMA device on this machine. A software device on an Ethernet "
			    "interface: rdma link add rxe0 type rxe netdev eth0\n");
	return 0;
}

/** Lists every device that libibverbs finds, open or not. A device is opened by
 * the first command that needs it, or by open.
 * > devices => rxe0 */
const struct cmd cmd_devices = {
	.name = "devices",
	.family = "device",
	.summary = "list the RDMA devices of this machine",
	.calls = "ibv_get_device_list(3)",
	.flags = CMD_NO_RECORD,
	.exec = devices_exec,
};

/* ------------------------------------------------------------- open, close -- */

struct dev_args {
	struct dev *dev;
};

static const struct arg open_args[] = {
	POS_OPT("device", dev_args, dev, kind_dev, "name as devices lists it"), ARGS_END
};

static int open_exec(struct session *s, const void *args, struct out *o)
{
	const struct dev_args *a = args;

	dev_class.describe(s, &a->dev->o, o);
	return 0;
}

/** Without a name it opens the one given with --device, else the first with an active
 * port. From then on its asynchronous events are shown as notices.
 * > open => max_qp */
const struct cmd cmd_open = {
	.name = "open",
	.family = "device",
	.summary = "open a device",
	.calls = "rdma_get_devices(3), ibv_query_device_ex(3)",
	.args = open_args,
	.exec = open_exec,
};

struct close_args {
	void *dev;
	bool cascade;
};

static int close_parse(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	*(void **)dst = obj_find(s, &dev_class, Tcl_GetString(word));
	if (*(void **)dst)
		return 0;
	return args_bad(s, a, "device %s is not open", Tcl_GetString(word));
}

static const struct arg_kind kind_open_dev = { .word = "device",
					       .size = sizeof(void *),
					       .parse = close_parse,
					       .complete = obj_arg_complete,
					       .of = &dev_class };

static const struct arg close_args[] = {
	POS("device", close_args, dev, kind_open_dev, "an open device"),
	SWITCH("cascade", close_args, cascade, "destroy all objects of the device first"), ARGS_END
};

static int close_exec(struct session *s, const void *args, struct out *o)
{
	const struct close_args *a = args;

	(void)o;
	return obj_destroy(s, a->dev, a->cascade);
}

/** Fails while objects of the device exist, unless -cascade destroys them first.
 * > open rxe0 => rxe0
 * > close rxe0 */
const struct cmd cmd_close = {
	.name = "close",
	.family = "device",
	.summary = "close a device",
	.args = close_args,
	.exec = close_exec,
};

/* ----------------------------------------------------------------- device -- */

static const struct word atomic_words[] = { { "NONE", IBV_ATOMIC_NONE, NULL },
					    { "HCA", IBV_ATOMIC_HCA, NULL },
					    { "GLOB", IBV_ATOMIC_GLOB, NULL },
					    { 0 } };

/* A member of a struct, by its name in the table of calls. */
static void out_limit(struct out *o, const struct call_struct *of, const void *base,
		      const char *name, const char *end)
{
	const struct call_value *v = call_value_find(of->fields, name);
	const int64_t value = (int64_t)call_load(v, (const char *)base + v->offset);

	out_int(o, name, value, "  %-20s %-10lld%s", name, (long long)value, end);
}

static void out_caps(struct out *o, const struct call_struct *of, const struct ibv_device_attr *a)
{
	const struct call_value *v = call_value_find(of->fields, "device_cap_flags");
	char *caps;
	size_t size;
	FILE *f = xmemstream(&caps, &size);

	call_write_flags(f, v->words, a->device_cap_flags);
	fclose(f);
	out_str(o, "caps", caps, "\n  caps %s\n", caps);
	free(caps);
}

static int device_exec(struct session *s, const void *args, struct out *o)
{
	const struct dev_args *args_ = args;
	const struct ibv_device_attr *a = &args_->dev->attr.orig_attr;
	char address[DEV_ADDR_LEN];
	static const char *const limits[] = {
		"max_qp",	   "max_qp_wr",	     "max_sge",
		"max_sge_rd",	   "max_cq",	     "max_cqe",
		"max_mr",	   "max_pd",	     "max_mw",
		"max_ah",	   "max_srq",	     "max_srq_wr",
		"max_srq_sge",	   "max_qp_rd_atom", "max_qp_init_rd_atom",
		"max_res_rd_atom", "max_mcast_grp",  "max_mcast_qp_attach",
		"max_pkeys",
	};
	const struct call_struct *of = call_table[ROW_ibv_query_device].args[1].of;
	struct utsname u;

	(void)s;
	out_str(o, "name", args_->dev->o.name, "%s", args_->dev->o.name);
	out_str(o, "transport", transport_name(args_->dev->v->device), "  %s",
		transport_name(args_->dev->v->device));
	dev_addr(args_->dev, address);
	out_str(o, "address", address, "  %s\n", address);
	out_str(o, "fw_ver", a->fw_ver, NULL);
	out_u64(o, "vendor_id", a->vendor_id, "  vendor 0x%06x", a->vendor_id);
	out_u64(o, "vendor_part_id", a->vendor_part_id, " part %u", a->vendor_part_id);
	out_int(o, "ports", a->phys_port_cnt, "  ports %u", a->phys_port_cnt);
	out_str(o, "atomic_cap", word_name(atomic_words, a->atomic_cap), "  atomics %s\n",
		word_name(atomic_words, a->atomic_cap));
	out_u64(o, "max_mr_size", a->max_mr_size, "  %-20s 0x%llx\n", "max_mr_size",
		(unsigned long long)a->max_mr_size);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		out_limit(o, of, a, limits[i], i % 2 ? "\n" : "");
	out_caps(o, of, a);
	if (a->vendor_id == RXE_VENDOR && uname(&u) == 0)
		out_str(o, "kernel", u.release, "  kernel %s\n", u.release);
	return 0;
}

/** The maximum values of the device and its optional capabilities. These limits apply
 * to the device as a whole: a QP may get less. The address is the one at
 * which peers reach it (on RoCE that of the GID which gids recommends; none on
 * InfiniBand). The release of the kernel decides what rdma_rxe does: explain providers.
 * > device => max_qp_rd_atom
 * > dict get [device] address => 10.0.0.1
 * > dict get [device] atomic_cap */
const struct cmd cmd_device = {
	.name = "device",
	.family = "device",
	.summary = "show the limits and capabilities of a device",
	.calls = "ibv_query_device_ex(3)",
	.args = open_args,
	.flags = CMD_LOOKS,
	.exec = device_exec,
};

/* ------------------------------------------------------------ ports -- */

static const char *link_layer(uint8_t layer)
{
	return layer == IBV_LINK_LAYER_ETHERNET	    ? "Ethernet"
	       : layer == IBV_LINK_LAYER_INFINIBAND ? "InfiniBand"
						    : "unspecified";
}

static void port_row(struct out *o, uint8_t number, const struct ibv_port_attr *p)
{
	out_dict(o, NULL);
	out_int(o, "port", number, "port %u", number);
	out_str(o, "state", word_name(port_state_words, p->state), "  %s",
		word_name(port_state_words, p->state));
	out_str(o, "link_layer", link_layer(p->link_layer), "  %s", link_layer(p->link_layer));
	out_int(o, "lid", p->lid, "  lid %u", p->lid);
	out_str(o, "active_mtu", word_name(mtu_words, p->active_mtu), "  mtu %s",
		word_name(mtu_words, p->active_mtu));
	out_str(o, "max_mtu", word_name(mtu_words, p->max_mtu), " (max %s)",
		word_name(mtu_words, p->max_mtu));
	out_int(o, "gid_tbl_len", p->gid_tbl_len, "  gids %d", p->gid_tbl_len);
	out_int(o, "pkey_tbl_len", p->pkey_tbl_len, "  pkeys %u", p->pkey_tbl_len);
	out_u64(o, "max_msg_sz", p->max_msg_sz, "  max message %u\n", p->max_msg_sz);
	out_end(o);
}

static int ports_exec(struct session *s, const void *args, struct out *o)
{
	const struct dev_args *a = args;

	out_list(o, NULL);
	for (uint8_t n = 1; n <= a->dev->attr.orig_attr.phys_port_cnt; n++) {
		struct ibv_port_attr port;

		if (ibv_query_port(a->dev->v, n, &port))
			return call_fail(s, "%s port %u", a->dev->o.name, n);
		port_row(o, n, &port);
	}
	return 0;
}

/** The path MTU of a QP can be at most the active MTU of its port. On Ethernet that
 * is the largest of 256, 512, 1024, 2048, 4096 that fits the interface's MTU.
 * > ports => ACTIVE */
const struct cmd cmd_ports = {
	.name = "ports",
	.family = "device",
	.summary = "show the ports of a device: state, MTU, tables",
	.calls = "ibv_query_port(3)",
	.args = open_args,
	.flags = CMD_LOOKS,
	.exec = ports_exec,
};
