/* SPDX-License-Identifier: MIT */
/*
 * In what the devices of several makers differ, as their sources have it: rdma-core is the library
 * (providers/NAME), Linux the driver (drivers/infiniband). A device is known by the vendor that it
 * states of itself, whatever its name.
 */
#include <ctype.h>
#include <string.h>

#include "calls.h"
#include "explain/explain.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"

struct difference {
	enum call_row row; /* where it is met */
	const char *text;
	const char *source; /* NULL ends the list */
};

struct provider {
	const char *name, *title;
	uint32_t vendor, first_part; /* vendor_id; the least vendor_part_id */
	const char *vendor_source;   /* of these numbers; "pci.ids: NAME" and "oui.txt: NAME" are
					looked up by a test */
	const struct difference *rows;
};

static const struct difference rxe[] = {
	{ ROW_ibv_post_send,
	  "EINVAL: too many SGEs, too many inline bytes, an atomic of less than 8 bytes or at an "
	  "address that is no multiple of 8",
	  "rdma-core rxe.c: validate_send_wr()" },
	{ ROW_ibv_post_send, "ENOMEM: the send queue is full", "rdma-core rxe.c: post_one_send()" },
	{ 0 }
};

static const struct difference siw[] = {
	{ ROW_ibv_post_send, "returns negative errnos: -EINVAL, -ENOMEM",
	  "rdma-core siw.c: push_send_wqe(), siw_post_send()" },
	{ ROW_ibv_post_send,
	  "knows SEND, SEND_WITH_INV, RDMA_WRITE and RDMA_READ; all else is -EINVAL",
	  "rdma-core siw.c: map_send_opcode" },
	{ ROW_ibv_post_send, "takes 80 bytes inline, whatever was asked for",
	  "rdma-core siw.c: push_send_wqe(); siw-abi.h: SIW_MAX_INLINE" },
	{ ROW_ibv_poll_cq, "vendor_err is always 0", "rdma-core siw.c: copy_cqe()" },
	{ ROW_ibv_create_ah, "there are none", "rdma-core siw.c: siw_context_ops" },
	{ 0 }
};

static const struct difference mlx5[] = {
	{ ROW_ibv_post_send,
	  "ENOMEM: too many SGEs, also any at all before RTS, or too many inline bytes; the queue may "
	  "have room",
	  "rdma-core mlx5 qp.c: _mlx5_post_send(), set_data_inl_seg(); verbs.c: "
	  "set_qp_operational_state()" },
	{ ROW_ibv_poll_cq, "vendor_err is the vendor's part of the device's syndrome",
	  "rdma-core mlx5 cq.c: mlx5_handle_error_cqe()" },
	{ 0 }
};

static const struct difference irdma[] = {
	{ ROW_ibv_modify_qp,
	  "RESET leaves the QP in the error state of the hardware: INIT after it is EINVAL, a new QP "
	  "is needed",
	  "Linux irdma/verbs.c: irdma_modify_qp_roce(), IB_QPS_RESET and IB_QPS_INIT" },
	{ ROW_ibv_create_qp,
	  "EOPNOTSUPP: types other than RC and UD; EINVAL: more inline bytes than the device has",
	  "rdma-core irdma uverbs.c: irdma_ucreate_qp()" },
	{ ROW_ibv_post_send, "EINVAL: atomics, where the device has none",
	  "rdma-core irdma uverbs.c: irdma_upost_send()" },
	{ ROW_ibv_poll_cq,
	  "errors that are no flush are GENERAL_ERR; vendor_err has the device's major code in its "
	  "upper 16 bits, the minor one in the lower",
	  "rdma-core irdma uverbs.c: irdma_process_cqe()" },
	{ 0 }
};

static const struct difference efa[] = {
	{ ROW_ibv_create_qp, "UD, and SRD by efadv_create_qp_ex; no RC, no UC, no SRQ",
	  "Linux efa/efa_verbs.c: efa_qp_validate_attr(); rdma-core efa verbs.c: "
	  "efa_check_qp_attr()" },
	{ ROW_ibv_post_send,
	  "EINVAL: unsignaled requests, opcodes other than SEND and SEND_WITH_IMM, states other than "
	  "RTS and SQD",
	  "rdma-core efa verbs.c: efa_post_send_validate(), efa_post_send_validate_wr()" },
	{ ROW_ibv_post_recv, "EINVAL in RESET and ERR",
	  "rdma-core efa verbs.c: efa_post_recv_validate()" },
	{ ROW_ibv_modify_qp,
	  "EOPNOTSUPP: attributes other than states, port (1), P_Key index (0), Q_Key, send PSN and "
	  "rnr_retry",
	  "Linux efa/efa_verbs.c: efa_modify_qp_validate()" },
	{ 0 }
};

static const struct difference hns[] = {
	{ ROW_ibv_post_send, "EINVAL in RESET, INIT and RTR",
	  "rdma-core hns hns_roce_u_hw_v2.c: check_qp_send()" },
	{ ROW_ibv_post_send,
	  "EINVAL: inline data beyond the path MTU, whatever max_inline_data says",
	  "rdma-core hns hns_roce_u_hw_v2.c: check_inl_data_len()" },
	{ ROW_ibv_post_recv, "EINVAL in RESET",
	  "rdma-core hns hns_roce_u_hw_v2.c: check_qp_recv()" },
	{ ROW_ibv_poll_cq, "vendor_err is the device's sub-status",
	  "rdma-core hns hns_roce_u_hw_v2.c: hns_roce_poll_one()" },
	{ 0 }
};

static const struct difference bnxt_re[] = {
	{ ROW_ibv_create_qp, "EINVAL: types other than RC, UD and RAW_PACKET",
	  "rdma-core bnxt_re verbs.c: bnxt_re_check_qp_limits()" },
	{ ROW_ibv_post_send, "ENOMEM: a full queue, and too many SGEs or inline bytes, too",
	  "rdma-core bnxt_re verbs.c: bnxt_re_post_send()" },
	{ ROW_ibv_post_send, "-EINVAL: an atomic with more than one SGE",
	  "rdma-core bnxt_re verbs.c: bnxt_re_build_atomic_sqe()" },
	{ 0 }
};

static const struct provider providers[] = {
	{ "rxe", "the Linux kernel's software RoCE device", 0xffffff, 0,
	  "Linux rxe_param.h: RXE_VENDOR_ID", rxe },
	{ "siw", "the Linux kernel's software iWARP device", 0x626d74, 0,
	  "Linux siw.h: SIW_VENDOR_ID", siw },
	{ "mlx5", "NVIDIA Connect-IB, ConnectX-4 and later", 0x02c9, 0x1011,
	  "oui.txt: Mellanox Technologies, Inc.", mlx5 },
	{ "irdma", "Intel E810 and others", 0x8086, 0, "pci.ids: Intel Corporation", irdma },
	{ "efa", "Amazon's Elastic Fabric Adapter", 0x1d0f, 0, "pci.ids: Amazon.com, Inc.", efa },
	{ "hns", "HiSilicon Hip08 and later", 0x19e5, 0, "pci.ids: Huawei Technologies Co., Ltd.",
	  hns },
	{ "bnxt_re", "Broadcom NetXtreme-E", 0x14e4, 0, "pci.ids: Broadcom Inc. and subsidiaries",
	  bnxt_re },
};

#define PROVIDERS (sizeof providers / sizeof *providers)

static void out_difference(const struct difference *d, bool with_call, struct out *o)
{
	const char *call = call_table[d->row].name;

	out_dict(o, NULL);
	out_str(o, "call", call, with_call ? "  %s\n" : NULL, call);
	out_str(o, "text", d->text, "                  %s\n", d->text);
	out_str(o, "source", d->source, "                  (%s)\n", d->source);
	out_end(o);
}

/* Those of one function; NULL: all. */
static void out_differences(const struct provider *p, const struct call_fn *fn, struct out *o)
{
	out_list(o, "rows");
	for (const struct difference *d = p->rows; d->source; d++)
		if (!fn || fn == &call_table[d->row])
			out_difference(d, !fn, o);
	out_end(o);
}

static void out_provider(const struct provider *p, struct out *o)
{
	out_dict(o, NULL);
	out_paint(o, PAINT_STRONG);
	out_str(o, "name", p->name, "%s", p->name);
	out_paint(o, PAINT_NONE);
	out_str(o, "title", p->title, "  %s\n", p->title);
	out_u64(o, "vendor_id", p->vendor, "                  vendor_id 0x%06x", p->vendor);
	out_str(o, "vendor_source", p->vendor_source, "  (%s)\n", p->vendor_source);
	out_differences(p, NULL, o);
	out_end(o);
}

/* Does text speak of the device name, or of its first one, name0? */
static bool speaks_of(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = strstr(text, name); p; p = strstr(p + len, name))
		if ((p == text || !isalnum((unsigned char)p[-1])) &&
		    !isalpha((unsigned char)p[len]) && p[len] != '_')
			return true;
	return false;
}

void explain_devices(const char *text, unsigned margin, struct out *o)
{
	bool any = false;

	for (size_t i = 0; i <= PROVIDERS; i++) {
		const char *name = i < PROVIDERS ? providers[i].name : "uroce0";
		const char *title = i < PROVIDERS ? providers[i].title
						  : "the one that rdmash brings";

		if (!speaks_of(text, name))
			continue;
		if (any)
			out_text(o, "; ");
		else
			out_text(o, "  %-*s", (int)margin - 2, "devices");
		out_text(o, "%s: %s", name, title);
		any = true;
	}
	if (any)
		out_text(o, "\n");
}

static bool has_differences(const struct provider *p, const struct call_fn *fn)
{
	for (const struct difference *d = p->rows; d->source; d++)
		if (fn == &call_table[d->row])
			return true;
	return false;
}

/* key: NULL in a list. */
static void out_of_provider(const struct provider *p, const struct call_fn *fn, const char *key,
			    struct out *o)
{
	out_dict(o, key);
	out_str(o, "name", p->name, "  of %s\n", p->name);
	out_differences(p, fn, o);
	out_end(o);
}

/* The providers in which a function differs. false: there is none. */
static bool out_providers_of(const struct call_fn *fn, struct out *o)
{
	bool any = false;

	for (size_t i = 0; i < PROVIDERS; i++) {
		if (!has_differences(&providers[i], fn))
			continue;
		if (!any) {
			out_str(o, "call", fn->name, "%s differs by provider\n", fn->name);
			out_list(o, "providers");
		}
		any = true;
		out_of_provider(&providers[i], fn, NULL, o);
	}
	if (any)
		out_end(o);
	return any;
}

bool explain_provider(const char *name, struct out *o)
{
	if (strcmp(name, "providers") == 0) {
		out_list(o, NULL);
		for (size_t i = 0; i < PROVIDERS; i++)
			out_provider(&providers[i], o);
		out_end(o);
		return true;
	}
	for (size_t i = 0; i < PROVIDERS; i++)
		if (strcmp(name, providers[i].name) == 0) {
			out_provider(&providers[i], o);
			return true;
		}
	return call_find(name) && out_providers_of(call_find(name), o);
}

void explain_provider_names(Tcl_Obj *words)
{
	for (size_t i = 0; i < PROVIDERS; i++) {
		Tcl_ListObjAppendElement(NULL, words, Tcl_NewStringObj(providers[i].name, -1));
		for (const struct difference *d = providers[i].rows; d->source; d++)
			Tcl_ListObjAppendElement(NULL, words,
						 Tcl_NewStringObj(call_table[d->row].name, -1));
	}
	Tcl_ListObjAppendElement(NULL, words, Tcl_NewStringObj("providers", -1));
}

static const struct provider *provider_of(const struct dev *dev)
{
	const struct ibv_device_attr *a = &dev->attr.orig_attr;

	for (size_t i = 0; i < PROVIDERS; i++)
		if (a->vendor_id == providers[i].vendor &&
		    a->vendor_part_id >= providers[i].first_part)
			return &providers[i];
	return NULL;
}

void explain_here(struct session *s, const struct call_fn *fn, struct out *o)
{
	const struct dev *dev = s->ctx->qp ? s->ctx->qp->pd->dev : obj_first(s, &dev_class);
	const struct provider *p = dev ? provider_of(dev) : NULL;

	if (p && has_differences(p, fn))
		out_of_provider(p, fn, "provider", o);
}
