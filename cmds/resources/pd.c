/* SPDX-License-Identifier: MIT */
/*
 * Protection domains (pd): only objects of the same domain can be used together. Address handles
 * (ah), which belong to a domain.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "call/calling.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "device/device.h"
#include "language/interp.h"
#include "live_context.h"
#include "object_args.h"
#include "object_make.h"
#include "objects.h"
#include "out.h"
#include "qp/qp.h"
#include "session.h"

static int pd_destroy(struct session *s, struct obj *o)
{
	return ibv_dealloc_pd(((struct pd *)o)->v) ? call_fail(s, "%s", o->name) : 0;
}

static void pd_describe(struct session *s, struct obj *o, struct out *out)
{
	struct pd *pd = (struct pd *)o;
	unsigned users = o->nusers;

	(void)s;
	out_str(out, "name", o->name, "pd %s", o->name);
	out_str(out, "device", pd->dev->o.name, "  on %s", pd->dev->o.name);
	out_u64(out, "handle", pd->v->handle, "  handle %u", pd->v->handle);
	out_text(out, "  %u user%s\n", users, users == 1 ? "" : "s");
}

const struct obj_class pd_class = {
	.prefix = "pd",
	.title = "protection domain",
	.remedy = "pd",
	.size = sizeof(struct pd),
	.kind = OBJECT_PD,
	.pointer = offsetof(struct pd, v),
	.destroy = pd_destroy,
	.describe = pd_describe,
};

static struct pd *pd_make(struct session *s, struct dev *dev, const char *name)
{
	struct pd *pd = obj_new(s, &pd_class, name);

	if (!pd)
		return NULL;
	pd->v = ibv_alloc_pd(dev->v);
	if (!pd->v) {
		call_fail(s, "%s", dev->o.name);
		obj_discard(s, pd);
		return NULL;
	}
	pd->dev = dev;
	obj_use(pd, dev);
	obj_add(s, pd);
	return pd;
}

struct pd *pd_of(struct session *s, struct dev *dev)
{
	struct pd *pd;

	obj_foreach_of(pd, s, &pd_class)
		if (pd->dev == dev)
			return pd;
	return pd_make(s, dev, NULL);
}

struct pd *pd_default(struct session *s)
{
	struct dev *dev;

	if (s->ctx->qp)
		return s->ctx->qp->pd;
	dev = dev_default(s);
	return dev ? pd_of(s, dev) : NULL;
}

struct pd_args {
	struct dev *dev;
	const char *name;
};

static const struct arg pd_args[] = { OPT("device", pd_args, dev, kind_dev, "its device"),
				      OPT("name", pd_args, name, kind_str, "name of the object"),
				      ARGS_END };

static int pd_exec(struct session *s, const void *args, struct out *o)
{
	const struct pd_args *a = args;

	return obj_out(s, pd_make(s, a->dev, a->name), o);
}

/** QPs, memory regions, memory windows, address handles and SRQs belong to a protection
 * domain. A work request can only use regions of its QP's domain, and through a QP a peer
 * reaches only regions of that domain. A command that needs a domain uses that of the
 * current QP, or else the first one of the device, which it creates if there is none.
 * > pd => pd pd0
 * > pd -name mine => pd mine */
const struct cmd cmd_pd = {
	.name = "pd",
	.family = "resources",
	.summary = "make a protection domain",
	.calls = "ibv_alloc_pd(3)",
	.args = pd_args,
	.exec = pd_exec,
};

/*
 * Address handles: the destination of a UD message. It comes from a GID, from the peer's qp-info,
 * or from a message that was received: its completion and the 40 bytes before the data.
 */

static int ah_destroy(struct session *s, struct obj *o)
{
	struct ah *ah = (struct ah *)o;

	if (ibv_destroy_ah(ah->v))
		return call_fail(s, "%s", o->name);
	if (ah->id)
		id_own_ah(ah->id, NULL);
	return 0;
}

static void ah_describe(struct session *s, struct obj *o, struct out *out)
{
	struct ah *ah = (struct ah *)o;
	char dgid[INET6_ADDRSTRLEN];

	(void)s;
	inet_ntop(AF_INET6, &ah->attr.grh.dgid, dgid, sizeof dgid);
	out_str(out, "name", o->name, "ah %s", o->name);
	out_u64(out, "port", ah->attr.port_num, "  port %u", ah->attr.port_num);
	if (ah->attr.is_global) {
		out_str(out, "dgid", dgid, "  to %s", dgid);
		out_u64(out, "sgid_index", ah->attr.grh.sgid_index, "  from GID %u",
			ah->attr.grh.sgid_index);
		out_u64(out, "hop_limit", ah->attr.grh.hop_limit, NULL);
		out_u64(out, "traffic_class", ah->attr.grh.traffic_class, NULL);
		out_u64(out, "flow_label", ah->attr.grh.flow_label, NULL);
	}
	out_u64(out, "dlid", ah->attr.dlid, ah->attr.dlid ? "  LID %u" : NULL, ah->attr.dlid);
	out_u64(out, "sl", ah->attr.sl, NULL);
	out_u64(out, "qpn", ah->qpn, ah->qpn ? "  qpn 0x%x" : NULL, ah->qpn);
	out_u64(out, "qkey", ah->qkey, ah->qkey ? "  qkey 0x%x" : NULL, ah->qkey);
	out_str(out, "pd", ah->pd->o.name, "\n");
}

const struct obj_class ah_class = {
	.prefix = "ah",
	.title = "address handle",
	.remedy = "ah -dgid ADDRESS",
	.size = sizeof(struct ah),
	.kind = OBJECT_AH,
	.pointer = offsetof(struct ah, v),
	.destroy = ah_destroy,
	.describe = ah_describe,
};

struct ah_args {
	const char *dgid;
	Tcl_Obj *to, *wc;
	struct mr *grh;
	struct num off, sgid_index, port, hop_limit, tclass, flow, dlid, sl, qpn, qkey;
	struct pd *pd;
	const char *name;
};

static const struct arg ah_args[] = {
	OPT("dgid", ah_args, dgid, kind_str, "GID or IPv4 address of the peer or group"),
	OPT("to", ah_args, to, kind_obj, "the peer's qp-info: a dict with gid, qpn and qkey"),
	OPT("from-wc", ah_args, wc, kind_obj, "to the sender of a message: its completion"),
	OPT("grh", ah_args, grh, kind_mr_opt, "with -from-wc: region that received the message"),
	OPT("off", ah_args, off, kind_size, "with -grh: offset of the message", .dflt = "0"),
	OPT("sgid-index", ah_args, sgid_index, kind_u8,
	    "index of the own GID; left out: the best one"),
	OPT("port", ah_args, port, kind_u8, "port of the device", .dflt = "1"),
	OPT("hop-limit", ah_args, hop_limit, kind_u8, "most hops on the way", .dflt = "64"),
	OPT("traffic-class", ah_args, tclass, kind_u8, "traffic class", .dflt = "0"),
	OPT("flow-label", ah_args, flow, kind_u32, "flow label", .dflt = "0", .max = 0xfffff),
	OPT("dlid", ah_args, dlid, kind_u16, "LID of the peer (InfiniBand)"),
	OPT("sl", ah_args, sl, kind_u8, "service level", .dflt = "0", .max = 15),
	OPT("dest-qpn", ah_args, qpn, kind_u32, "QP number of the peer, for post", .max = 0xffffff),
	OPT("qkey", ah_args, qkey, kind_u32, "Q_Key of the peer, for post"),
	OPT("pd", ah_args, pd, kind_pd_opt, "protection domain"),
	OPT("name", ah_args, name, kind_str, "name of the object"),
	ARGS_END
};

static int parse_dgid(struct session *s, const char *text, union ibv_gid *gid)
{
	if (gid_parse(text, gid->raw))
		return 0;
	return fail(s, "ah", "EINVAL", "'%s' is neither a GID nor an IPv4 address", text);
}

static bool dict_u32(Tcl_Obj *dict, const char *key, uint32_t *v)
{
	Tcl_Obj *word = dict_get(dict, key);
	uint64_t wide;
	bool fits;

	if (!word || !args_number(Tcl_GetString(word), &wide, &fits) || !fits || wide > UINT32_MAX)
		return false;
	*v = (uint32_t)wide;
	return true;
}

/* Fills the handle from the dict of a peer, of which every field is checked. */
static int from_dict(struct session *s, const struct ah_args *a, struct ah *ah)
{
	Tcl_Obj *gid = dict_get(a->to, "gid");
	uint32_t v;

	if (dict_u32(a->to, "lid", &v) && v <= UINT16_MAX)
		ah->attr.dlid = (uint16_t)v;
	if (dict_u32(a->to, "qpn", &v))
		ah->qpn = v & 0xffffff;
	if (dict_u32(a->to, "qkey", &v))
		ah->qkey = v;
	if (!gid)
		return fail(s, "ah", "EINVAL", "-to: the dict has no gid");
	ah->attr.is_global = 1;
	return parse_dgid(s, Tcl_GetString(gid), &ah->attr.grh.dgid);
}

static int from_wc(struct session *s, const struct ah_args *a, struct ah *ah)
{
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH };
	struct ibv_grh grh;
	uint32_t v;
	int err;

	if (!a->grh)
		return fail(s, "ah", "EINVAL",
			    "-from-wc needs -grh: the region that received the message");
	if (a->off.v > a->grh->len || sizeof grh > a->grh->len - a->off.v)
		return fail(s, "ah", "ERANGE", "%s has no 40 bytes at offset %llu", a->grh->o.name,
			    (unsigned long long)a->off.v);
	if (!dict_u32(a->wc, "src_qp", &wc.src_qp))
		return fail(s, "ah", "EINVAL",
			    "-from-wc: the dict has no src_qp: it is not a UD receive");
	if (dict_u32(a->wc, "slid", &v))
		wc.slid = (uint16_t)v;
	if (dict_u32(a->wc, "sl", &v))
		wc.sl = (uint8_t)v;
	if (dict_u32(a->wc, "dlid_path_bits", &v))
		wc.dlid_path_bits = (uint8_t)v;
	memcpy(&grh, (char *)a->grh->buf + a->off.v, sizeof grh);
	err = ibv_init_ah_from_wc(ah->pd->dev->v, (uint8_t)a->port.v, &wc, &grh, &ah->attr);
	if (err)
		return fail_call(s, err < 0 ? errno : err, "ibv_init_ah_from_wc",
				 "%s offset %llu: no header of a message there", a->grh->o.name,
				 (unsigned long long)a->off.v);
	ah->qpn = wc.src_qp;
	return 0;
}

static int fill_ah_attr(struct session *s, const struct ah_args *a, struct ah *ah)
{
	struct ibv_ah_attr *attr = &ah->attr;

	attr->port_num = (uint8_t)a->port.v;
	attr->sl = (uint8_t)a->sl.v;
	if (!a->dgid + !a->to + !a->wc != 2 && !(a->dlid.set && !a->dgid && !a->to && !a->wc))
		return fail(
			s, "ah", "EINVAL",
			"the destination is missing: give one of -dgid, -to, -from-wc (or -dlid)");
	if (a->wc) {
		if (from_wc(s, a, ah))
			return -1;
	} else {
		attr->grh.hop_limit = (uint8_t)a->hop_limit.v;
		attr->grh.traffic_class = (uint8_t)a->tclass.v;
		attr->grh.flow_label = (uint32_t)a->flow.v;
		if (a->to && from_dict(s, a, ah))
			return -1;
		if (a->dgid) {
			attr->is_global = 1;
			if (parse_dgid(s, a->dgid, &attr->grh.dgid))
				return -1;
		}
		if (attr->is_global && !a->sgid_index.set)
			attr->grh.sgid_index = (uint8_t)qp_sgid_for(ah->pd->dev, attr->port_num,
								    &attr->grh.dgid);
	}
	if (a->sgid_index.set)
		attr->grh.sgid_index = (uint8_t)a->sgid_index.v;
	if (a->dlid.set)
		attr->dlid = (uint16_t)a->dlid.v;
	if (a->qpn.set)
		ah->qpn = (uint32_t)a->qpn.v;
	if (a->qkey.set)
		ah->qkey = (uint32_t)a->qkey.v;
	return 0;
}

static int create_ah(struct session *s, struct ah *ah)
{
	char dgid[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, &ah->attr.grh.dgid, dgid, sizeof dgid);
	ah->v = ibv_create_ah(ah->pd->v, &ah->attr);
	if (ah->v)
		return 0;
	call_fail(s, "to %s", dgid);
	call_fail_why(s);
	return fail_next(s, "gids");
}

static int ah_exec(struct session *s, const void *args, struct out *o)
{
	const struct ah_args *a = args;
	uint64_t mark = obj_made_mark(s);
	struct pd *pd = a->pd ? a->pd : pd_default(s);
	struct ah *ah = pd ? obj_new(s, &ah_class, a->name) : NULL;

	if (!ah)
		return obj_made_undo_since(s, mark);
	ah->pd = pd;
	if (fill_ah_attr(s, a, ah) || create_ah(s, ah)) {
		obj_discard(s, ah);
		return obj_made_undo_since(s, mark);
	}
	obj_use(ah, pd);
	obj_add(s, ah);
	return obj_out(s, ah, o);
}

/** UD queue pairs are not connected: each post send names an address handle, the peer's QP
 * number and its Q_Key. The object can store the last two. To answer a message, make an
 * address handle from the completion and the first 40 bytes of the receive: ah -from-wc
 * $wc -grh mr0.
 * > ah -dgid 10.0.0.1 -dest-qpn 0x11 -qkey 0x1234 => to ::ffff:10.0.0.1
 * > get ah0 qpn => 17 */
const struct cmd cmd_ah = {
	.name = "ah",
	.family = "resources",
	.summary = "make an address handle: the destination of a UD message",
	.calls = "ibv_create_ah(3), ibv_init_ah_from_wc(3)",
	.args = ah_args,
	.exec = ah_exec,
};
