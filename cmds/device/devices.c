/* SPDX-License-Identifier: MIT */
/* Devices and their ports: devices, open, close, device, ports, pkeys, limits probe. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "call_format.h"
#include "call_record.h"
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
	.calls = "rdma_get_devices(3) ibv_query_device_ex(3)",
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
	return 0;
}

/** The maximum values of the device and its optional capabilities. These limits apply
 * to the device as a whole: a QP may get less. The address is the one at
 * which peers reach it (on RoCE that of the GID which gids recommends; none on
 * InfiniBand).
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

/* ------------------------------------------------------------ ports, pkeys -- */

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

struct pkeys_args {
	struct dev *dev;
	struct num port;
};

static const struct arg pkeys_args[] = {
	POS_OPT("device", pkeys_args, dev, kind_dev, "name as devices lists it"),
	OPT("port", pkeys_args, port, kind_u8, "port of the device", .dflt = "1", .min = 1),
	ARGS_END
};

static int pkeys_exec(struct session *s, const void *args, struct out *o)
{
	const struct pkeys_args *a = args;
	struct ibv_port_attr port;
	int err = ibv_query_port(a->dev->v, (uint8_t)a->port.v, &port);

	if (err)
		return fail_call(s, err, "ibv_query_port", "%s port %u", a->dev->o.name,
				 (unsigned)a->port.v);
	out_list(o, NULL);
	for (int i = 0; i < port.pkey_tbl_len; i++) {
		__be16 pkey;

		if (ibv_query_pkey(a->dev->v, (uint8_t)a->port.v, i, &pkey) || !pkey)
			continue;
		out_dict(o, NULL);
		out_int(o, "index", i, "%3d", i);
		out_u64(o, "pkey", ntohs(pkey), "  0x%04x", ntohs(pkey));
		out_bool(o, "full", ntohs(pkey) & 0x8000, "  %s member\n",
			 ntohs(pkey) & 0x8000 ? "full" : "limited");
		out_end(o);
	}
	return 0;
}

/** The partitions of the port. A QP selects one by its index (pkey_index); on RoCE there
 * is only index 0, the default partition 0xffff.
 * > pkeys => 0xffff */
const struct cmd cmd_pkeys = {
	.name = "pkeys",
	.family = "device",
	.summary = "show the P_Key table of a port",
	.calls = "ibv_query_pkey(3)",
	.args = pkeys_args,
	.flags = CMD_LOOKS,
	.exec = pkeys_exec,
};

/*
 * limits probe: finds the largest QP capabilities for which ibv_create_qp(3) succeeds, and compares
 * them with the device's attributes. There is no attribute for max_inline_data.
 */

struct probe {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	enum ibv_qp_type type;
};

struct limit {
	const char *name;
	size_t cap;  /* offset in struct ibv_qp_cap */
	size_t said; /* in struct ibv_device_attr; 0: there is no attribute */
};
#define LIMIT(cap_, said_)                                      \
	{                                                       \
#cap_, offsetof(struct ibv_qp_cap, cap_), said_ \
	}

static const struct limit limits[] = {
	LIMIT(max_inline_data, 0),
	LIMIT(max_send_wr, offsetof(struct ibv_device_attr, max_qp_wr)),
	LIMIT(max_recv_wr, offsetof(struct ibv_device_attr, max_qp_wr)),
	LIMIT(max_send_sge, offsetof(struct ibv_device_attr, max_sge)),
	LIMIT(max_recv_sge, offsetof(struct ibv_device_attr, max_sge)),
};

/* Does ibv_create_qp() succeed? If not, *err is its errno. */
static bool can_create(const struct probe *p, const struct limit *l, uint32_t n, int *err)
{
	struct ibv_qp_init_attr init = {
		.qp_type = p->type, .send_cq = p->cq, .recv_cq = p->cq, .cap = { 1, 1, 1, 1, 0 }
	};
	struct ibv_qp *qp;

	memcpy((char *)&init.cap + l->cap, &n, sizeof n);
	qp = ibv_create_qp(p->pd, &init);
	if (!qp) {
		*err = errno ? errno : EINVAL;
		return false;
	}
	ibv_destroy_qp(qp);
	return true;
}

#define MOST (1u << 26) /* more than any device supports */

/* Finds the largest n that works. Starts at the reported limit (0: none), moves up if that works,
 * else down, in steps that double, and then bisects. *err is the errno for n + 1. */
static uint32_t find_largest(const struct probe *p, const struct limit *l, uint32_t said, int *err)
{
	uint32_t good = said, bad = said, step = 1;

	if (!said || can_create(p, l, said, err)) {
		for (; good + step < MOST && can_create(p, l, good + step, err); step *= 2)
			good += step;
		bad = good + step;
	} else {
		for (; step < bad && !can_create(p, l, bad - step, err); step *= 2)
			bad -= step;
		good = step < bad ? bad - step : 0;
	}
	while (bad - good > 1) {
		uint32_t middle = good + (bad - good) / 2;

		if (can_create(p, l, middle, err))
			good = middle;
		else
			bad = middle;
	}
	return good;
}

static void probe_type(const struct probe *p, const struct ibv_device_attr *attr, struct out *o)
{
	out_dict(o, word_name(qp_type_words, p->type));
	out_text(o, "%s\n", word_name(qp_type_words, p->type));
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		int said = 0, err = 0;
		uint32_t n;

		if (limits[i].said)
			memcpy(&said, (const char *)attr + limits[i].said, sizeof said);
		n = find_largest(p, &limits[i], said > 0 ? (uint32_t)said : 0, &err);
		out_u64(o, limits[i].name, n, "  %-16s %8u", limits[i].name, n);
		if (limits[i].said)
			out_text(o, "  the device says %d", said);
		out_text(o, "  (one more: %s)\n", err ? strerrorname_np(err) : "not tried");
	}
	out_end(o);
}

static int probe_all(struct session *s, struct dev *dev, struct out *o)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct probe p = { .pd = ibv_alloc_pd(dev->v) };
	int err = errno;

	if (!p.pd)
		return fail_call(s, err, "ibv_alloc_pd", "%s", dev->o.name);
	p.cq = ibv_create_cq(dev->v, 1, NULL, NULL, 0);
	err = errno;
	if (!p.cq) {
		ibv_dealloc_pd(p.pd);
		return fail_call(s, err, "ibv_create_cq", "%s", dev->o.name);
	}
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		p.type = types[i];
		if (!loop_interrupted(s->loop))
			probe_type(&p, &dev->attr.orig_attr, o);
	}
	ibv_destroy_cq(p.cq);
	ibv_dealloc_pd(p.pd);
	return 0;
}

static int limits_exec(struct session *s, const void *args, struct out *o)
{
	int rc;

	record_aside(1);
	rc = probe_all(s, ((const struct dev_args *)args)->dev, o);
	record_aside(-1);
	return rc;
}

/** Calls ibv_create_qp with growing values, and finds the limit of each capability by
 * bisection while the others are 1. The limits that a device reports (see device) are
 * not always exact, and there is none for max_inline_data. Limits of locked memory
 * apply, too.
 * > limits probe => max_inline_data
 * > dict get [limits probe] RC max_send_wr */
const struct cmd cmd_limits_probe = {
	.name = "limits probe",
	.family = "device",
	.summary = "find the largest QPs that the device can create",
	.calls = "ibv_create_qp(3), ibv_query_device_ex(3)",
	.args = open_args,
	.flags = CMD_NO_RECORD,
	.exec = limits_exec,
};
