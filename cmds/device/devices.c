/* SPDX-License-Identifier: MIT */
/* Devices and their ports: devices, open, close, device, ports, pkeys. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "call/call_trace.h"
#include "command/args.h"
#include "command/cmd.h"
#include "device/device.h"
#include "objects.h"
#include "output/out.h"
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

static const struct cmd_eg devices_egs[] = { { "devices", "rxe0" }, { NULL, NULL } };

const struct cmd cmd_devices = {
	.name = "devices",
	.family = "device",
	.summary = "list the RDMA devices of this machine",
	.text = "Lists every device that libibverbs finds, open or not. A device is opened by\n"
		"the first command that needs it, or by open.",
	.calls = "ibv_get_device_list(3)",
	.examples = devices_egs,
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

static const struct cmd_eg open_egs[] = { { "open", "max_qp" }, { NULL, NULL } };

const struct cmd cmd_open = {
	.name = "open",
	.family = "device",
	.summary = "open a device",
	.text = "Without a name it opens the one given with --device, else the first with an active\n"
		"port. From then on its asynchronous events are shown as notices.",
	.calls = "rdma_get_devices(3) ibv_query_device_ex(3)",
	.examples = open_egs,
	.args = open_args,
	.size = sizeof(struct dev_args),
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

static void close_complete(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	struct obj *dev;

	(void)a;
	obj_foreach_of(dev, s, &dev_class)
		Tcl_ListObjAppendElement(NULL, words, Tcl_NewStringObj(dev->name, -1));
}

static const struct arg_kind kind_open_dev = { .word = "device",
					       .size = sizeof(void *),
					       .parse = close_parse,
					       .complete = close_complete };

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

static const struct cmd_eg close_egs[] = { { "open rxe0", "rxe0" },
					   { "close rxe0", NULL },
					   { NULL, NULL } };

const struct cmd cmd_close = {
	.name = "close",
	.family = "device",
	.summary = "close a device",
	.text = "Fails while objects of the device exist, unless -cascade destroys them first.",
	.examples = close_egs,
	.args = close_args,
	.size = sizeof(struct close_args),
	.exec = close_exec,
};

/* ----------------------------------------------------------------- device -- */

static const struct word atomic_words[] = { { "NONE", IBV_ATOMIC_NONE, NULL },
					    { "HCA", IBV_ATOMIC_HCA, NULL },
					    { "GLOB", IBV_ATOMIC_GLOB, NULL },
					    { 0 } };

static const struct word cap_words[] = {
	{ "BAD_PKEY_CNTR", IBV_DEVICE_BAD_PKEY_CNTR, NULL },
	{ "BAD_QKEY_CNTR", IBV_DEVICE_BAD_QKEY_CNTR, NULL },
	{ "AUTO_PATH_MIG", IBV_DEVICE_AUTO_PATH_MIG, NULL },
	{ "CHANGE_PHY_PORT", IBV_DEVICE_CHANGE_PHY_PORT, NULL },
	{ "CURR_QP_STATE_MOD", IBV_DEVICE_CURR_QP_STATE_MOD, NULL },
	{ "SHUTDOWN_PORT", IBV_DEVICE_SHUTDOWN_PORT, NULL },
	{ "PORT_ACTIVE_EVENT", IBV_DEVICE_PORT_ACTIVE_EVENT, NULL },
	{ "SYS_IMAGE_GUID", IBV_DEVICE_SYS_IMAGE_GUID, NULL },
	{ "RC_RNR_NAK_GEN", IBV_DEVICE_RC_RNR_NAK_GEN, NULL },
	{ "SRQ_RESIZE", IBV_DEVICE_SRQ_RESIZE, NULL },
	{ "MEM_WINDOW", IBV_DEVICE_MEM_WINDOW, NULL },
	{ "MEM_MGT_EXTENSIONS", IBV_DEVICE_MEM_MGT_EXTENSIONS, NULL },
	{ "MEM_WINDOW_TYPE_2A", IBV_DEVICE_MEM_WINDOW_TYPE_2A, NULL },
	{ "MEM_WINDOW_TYPE_2B", IBV_DEVICE_MEM_WINDOW_TYPE_2B, NULL },
	{ "UD_AV_PORT_ENFORCE", IBV_DEVICE_UD_AV_PORT_ENFORCE, NULL },
	{ 0 }
};

static int device_exec(struct session *s, const void *args, struct out *o)
{
	const struct dev_args *args_ = args;
	const struct ibv_device_attr *a = &args_->dev->attr.orig_attr;
	char address[DEV_ADDR_LEN];
	const struct {
		const char *name;
		int64_t value;
	} limits[] = {
		{ "max_qp", a->max_qp },
		{ "max_qp_wr", a->max_qp_wr },
		{ "max_sge", a->max_sge },
		{ "max_sge_rd", a->max_sge_rd },
		{ "max_cq", a->max_cq },
		{ "max_cqe", a->max_cqe },
		{ "max_mr", a->max_mr },
		{ "max_pd", a->max_pd },
		{ "max_mw", a->max_mw },
		{ "max_ah", a->max_ah },
		{ "max_srq", a->max_srq },
		{ "max_srq_wr", a->max_srq_wr },
		{ "max_srq_sge", a->max_srq_sge },
		{ "max_qp_rd_atom", a->max_qp_rd_atom },
		{ "max_qp_init_rd_atom", a->max_qp_init_rd_atom },
		{ "max_res_rd_atom", a->max_res_rd_atom },
		{ "max_mcast_grp", a->max_mcast_grp },
		{ "max_mcast_qp_attach", a->max_mcast_qp_attach },
		{ "max_pkeys", a->max_pkeys },
	};

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
		out_int(o, limits[i].name, limits[i].value, "  %-20s %-10lld%s", limits[i].name,
			(long long)limits[i].value, i % 2 ? "\n" : "");
	out_str(o, "caps", word_flags(cap_words, a->device_cap_flags), "\n  caps %s\n",
		word_flags(cap_words, a->device_cap_flags));
	return 0;
}

static const struct cmd_eg device_egs[] = { { "device", "max_qp_rd_atom" },
					    { "dict get [device] address", "10.0.0.1" },
					    { "dict get [device] atomic_cap", NULL },
					    { NULL, NULL } };

const struct cmd cmd_device = {
	.name = "device",
	.family = "device",
	.summary = "show the limits and capabilities of a device",
	.text = "The maximum values of the device and its optional capabilities. These limits apply\n"
		"to the device as a whole: a QP may get less. The address is the one at\n"
		"which peers reach it (on RoCE that of the GID which gids recommends; none on\n"
		"InfiniBand).",
	.calls = "ibv_query_device_ex(3)",
	.examples = device_egs,
	.args = open_args,
	.size = sizeof(struct dev_args),
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
		int err;

		err = ibv_query_port(a->dev->v, n, &port);
		if (err)
			return call_fail(s, err, "%s port %u", a->dev->o.name, n);
		port_row(o, n, &port);
	}
	return 0;
}

static const struct cmd_eg ports_egs[] = { { "ports", "ACTIVE" }, { NULL, NULL } };

const struct cmd cmd_ports = {
	.name = "ports",
	.family = "device",
	.summary = "show the ports of a device: state, MTU, tables",
	.text = "The path MTU of a QP can be at most the active MTU of its port. On Ethernet that\n"
		"is the largest of 256, 512, 1024, 2048, 4096 that fits the interface's MTU.",
	.calls = "ibv_query_port(3)",
	.examples = ports_egs,
	.args = open_args,
	.size = sizeof(struct dev_args),
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

static const struct cmd_eg pkeys_egs[] = { { "pkeys", "0xffff" }, { NULL, NULL } };

const struct cmd cmd_pkeys = {
	.name = "pkeys",
	.family = "device",
	.summary = "show the P_Key table of a port",
	.text = "The partitions of the port. A QP selects one by its index (pkey_index); on RoCE there\n"
		"is only index 0, the default partition 0xffff.",
	.calls = "ibv_query_pkey(3)",
	.examples = pkeys_egs,
	.args = pkeys_args,
	.size = sizeof(struct pkeys_args),
	.flags = CMD_LOOKS,
	.exec = pkeys_exec,
};
