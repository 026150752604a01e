// SPDX-License-Identifier: MIT
/* The fields of a packet by tables: where each is in the structures of the parsers. */
#include <string.h>

#include "bytes.h"
#include "decode.h"
#include "native.h"

struct row {
	const char *name;
	enum decode_kind kind;
	unsigned flags; /* of the opcode: the header it is in; 0: every packet's */
	uint16_t at, size;
};

#define MEMBER(st, m) offsetof(st, m), sizeof(((st *)0)->m)
#define PKT(name, kind, flags, m)                                    \
	{                                                            \
		name, DECODE_##kind, flags, MEMBER(struct packet, m) \
	}

static const struct row packet_rows[] = {
	PKT("bth.se", NUMBER, 0, solicited),
	PKT("bth.m", NUMBER, 0, migreq),
	PKT("bth.p_key", HEX, 0, pkey),
	PKT("bth.destqp", HEX, 0, qpn),
	PKT("bth.a", NUMBER, 0, ackreq),
	PKT("bth.psn", NUMBER, 0, psn),
	PKT("deth.q_key", HEX, WIRE_DETH, qkey),
	PKT("deth.srcqp", HEX, WIRE_DETH, src_qpn),
	PKT("xrceth.xrcsrq", HEX, WIRE_XRCETH, srqn),
	PKT("reth.va", HEX, WIRE_RETH | WIRE_ATOMIC, va),
	PKT("reth.r_key", HEX, WIRE_RETH | WIRE_ATOMIC, rkey),
	PKT("reth.dmalen", NUMBER, WIRE_RETH, dma_len),
	PKT("atomiceth.swapdt", NUMBER, WIRE_ATOMIC, swap_add),
	PKT("atomiceth.cmpdt", NUMBER, WIRE_ATOMIC, compare),
	PKT("aeth.syndrome", NUMBER, WIRE_AETH, syndrome),
	PKT("aeth.msn", NUMBER, WIRE_AETH, msn),
	PKT("atomicacketh.origremdt", NUMBER, WIRE_ATOMICACK, original),
	PKT("immdt", BYTES, WIRE_IMM, imm),
};

#define MAD(name, kind, m)                                    \
	{                                                     \
		name, DECODE_##kind, 0, MEMBER(struct mad, m) \
	}

static const struct row req_rows[] = {
	MAD("cm.req", HEX, local_id),
	MAD("cm.req.serviceid", HEX, req.service),
	MAD("cm.req.localcaguid", HEX, req.guid),
	MAD("cm.req.localqkey", HEX, req.qkey),
	MAD("cm.req.localqpn", HEX, req.qpn),
	MAD("cm.req.responderres", NUMBER, req.responder_resources),
	MAD("cm.req.initdepth", NUMBER, req.initiator_depth),
	MAD("cm.req.remoteresptout", NUMBER, req.remote_timeout),
	MAD("cm.req.transpsvctype", NUMBER, req.transport),
	MAD("cm.req.e2eflowctrl", NUMBER, req.flow_control),
	MAD("cm.req.startpsn", NUMBER, req.psn),
	MAD("cm.req.localresptout", NUMBER, req.local_timeout),
	MAD("cm.req.retrcount", NUMBER, req.retry_count),
	MAD("cm.req.pkey", HEX, req.pkey),
	MAD("cm.req.pppmtu", NUMBER, req.mtu),
	MAD("cm.req.rdcexist", NUMBER, req.rdc),
	MAD("cm.req.rnrretrcount", NUMBER, req.rnr_retry_count),
	MAD("cm.req.maxcmretr", NUMBER, req.max_retries),
	MAD("cm.req.srq", NUMBER, req.srq),
	MAD("cm.req.ext_transport", NUMBER, req.extended),
	MAD("cm.req.prim_locallid", NUMBER, req.slid),
	MAD("cm.req.prim_remotelid", NUMBER, req.dlid),
	MAD("cm.req.prim_localgid", GID, req.sgid),
	MAD("cm.req.prim_remotegid", GID, req.dgid),
	MAD("cm.req.prim_flowlabel", HEX, req.flow_label),
	MAD("cm.req.prim_pktrate", NUMBER, req.rate),
	MAD("cm.req.prim_tfcclass", NUMBER, req.tclass),
	MAD("cm.req.prim_hoplim", NUMBER, req.hops),
	MAD("cm.req.prim_sl", NUMBER, req.sl),
	MAD("cm.req.prim_subnetlocal", NUMBER, req.subnet_local),
	MAD("cm.req.prim_localacktout", NUMBER, req.ack_timeout),
};

static const struct row mra_rows[] = {
	MAD("cm.mra.localcommid", HEX, local_id),
	MAD("cm.mra.remotecommid", HEX, remote_id),
	MAD("cm.mra.msgmraed", NUMBER, mra.about),
	MAD("cm.mra.servicetout", NUMBER, mra.timeout),
};

static const struct row rej_rows[] = {
	MAD("cm.rej.localcommid", HEX, local_id), MAD("cm.rej.remotecommid", HEX, remote_id),
	MAD("cm.rej.msgrej", NUMBER, rej.about),  MAD("cm.rej.rejinfolen", NUMBER, rej.info_len),
	MAD("cm.rej.reason", NUMBER, rej.reason), MAD("cm.rej.ari", BYTES, rej.info),
};

static const struct row rep_rows[] = {
	MAD("cm.rep", HEX, local_id),
	MAD("cm.rep.remotecommid", HEX, remote_id),
	MAD("cm.rep.localqkey", HEX, rep.qkey),
	MAD("cm.rep.localqpn", HEX, rep.qpn),
	MAD("cm.rep.startpsn", NUMBER, rep.psn),
	MAD("cm.rep.respres", NUMBER, rep.responder_resources),
	MAD("cm.rep.initdepth", NUMBER, rep.initiator_depth),
	MAD("cm.rep.tgtackdelay", NUMBER, rep.ack_delay),
	MAD("cm.rep.failoveracc", NUMBER, rep.failover),
	MAD("cm.rep.e2eflowctrl", NUMBER, rep.flow_control),
	MAD("cm.rep.rnrretrcount", NUMBER, rep.rnr_retry_count),
	MAD("cm.rep.srq", NUMBER, rep.srq),
	MAD("cm.rep.localcaguid", HEX, rep.guid),
};

static const struct row rtu_rows[] = {
	MAD("cm.rtu.localcommid", HEX, local_id),
	MAD("cm.rtu.remotecommid", HEX, remote_id),
};

static const struct row dreq_rows[] = {
	MAD("cm.dreq.localcommid", HEX, local_id), MAD("cm.dreq.remotecommid", HEX, remote_id),
	MAD("cm.req.remoteqpneecn", HEX, dreq.remote_qpn), /* Wireshark's name for it */
};

static const struct row drep_rows[] = {
	MAD("cm.drsp.localcommid", HEX, local_id),
	MAD("cm.drsp.remotecommid", HEX, remote_id),
};

static const struct row sidr_req_rows[] = {
	MAD("cm.sidrreq.requestid", HEX, local_id),
	MAD("cm.sidrreq.pkey", HEX, sidr_req.pkey),
	MAD("cm.sidrreq.serviceid", HEX, sidr_req.service),
};

static const struct row sidr_rep_rows[] = {
	MAD("cm.sidrrsp.requestid", HEX, remote_id),
	MAD("cm.sidrrsp.status", NUMBER, sidr_rep.status),
	MAD("cm.sidrrsp.qpn", HEX, sidr_rep.qpn),
	MAD("cm.sidrrsp.serviceid", HEX, sidr_rep.service),
	MAD("cm.sidrrsp.q_key", HEX, sidr_rep.qkey),
};

#define TABLE(attr, rows_, private) \
	[(attr)-MAD_REQ] = { rows_, sizeof(rows_) / sizeof((rows_)[0]), (private) }

static const struct {
	const struct row *rows;
	size_t n;
	const char *private;
} mads[] = {
	TABLE(MAD_REQ, req_rows, "cm.req.private"),
	TABLE(MAD_MRA, mra_rows, "cm.mra.private"),
	TABLE(MAD_REJ, rej_rows, "cm.rej.private"),
	TABLE(MAD_REP, rep_rows, "cm.rep.private"),
	TABLE(MAD_RTU, rtu_rows, "cm.rtu.private"),
	TABLE(MAD_DREQ, dreq_rows, "cm.dreq.private"),
	TABLE(MAD_DREP, drep_rows, "cm.drsp.private"),
	TABLE(MAD_SIDR_REQ, sidr_req_rows, "cm.sidrreq.private"),
	TABLE(MAD_SIDR_REP, sidr_rep_rows, "cm.sidrrsp.private"),
};

static void emit(const struct row *r, const void *of, decode_fn *fn, void *arg)
{
	const uint8_t *at = (const uint8_t *)of + r->at;
	struct decode_field f = { .name = r->name, .kind = r->kind };

	if (r->kind == DECODE_NUMBER || r->kind == DECODE_HEX) {
		f.value = native_get(at, r->size);
	} else {
		f.bytes = at;
		f.len = r->size;
	}
	fn(arg, &f);
}

static void emit_number(const char *name, enum decode_kind kind, uint64_t value, decode_fn *fn,
			void *arg)
{
	fn(arg, &(struct decode_field){ .name = name, .kind = kind, .value = value });
}

static void emit_bytes(const char *name, const uint8_t *bytes, size_t n, decode_fn *fn, void *arg)
{
	fn(arg,
	   &(struct decode_field){ .name = name, .kind = DECODE_BYTES, .bytes = bytes, .len = n });
}

/* Volume 1, table 44: what five bits of the syndrome say depends on the other three. */
static void emit_syndrome(uint8_t s, decode_fn *fn, void *arg)
{
	static const char *const names[] = { "aeth.syndrome.credit_count", "aeth.syndrome.timer",
					     "aeth.syndrome.reserved_value",
					     "aeth.syndrome.error_code" };

	emit_number("aeth.syndrome.opcode", DECODE_NUMBER, s >> 5 & 3, fn, arg);
	emit_number(names[s >> 5 & 3], DECODE_NUMBER, s & 0x1f, fn, arg);
}

static void emit_ip(const struct mad_ip *ip, decode_fn *fn, void *arg)
{
	static const struct row rows[] = {
		{ "cm.req.ip_cm.sport", DECODE_NUMBER, 0, MEMBER(struct mad_ip, sport) },
		{ "cm.req.ip_cm.sip", DECODE_GID, 0, MEMBER(struct mad_ip, src) },
		{ "cm.req.ip_cm.dip", DECODE_GID, 0, MEMBER(struct mad_ip, dst) },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		emit(&rows[i], ip, fn, arg);
}

static void emit_mad(const struct decoded *d, decode_fn *fn, void *arg)
{
	unsigned i = d->mad.attr - MAD_REQ, skip = 0;

	emit_number("mad.attributeid", DECODE_HEX, d->mad.attr, fn, arg);
	emit_number("mad.transactionid", DECODE_HEX, d->mad.tid, fn, arg);
	for (size_t j = 0; j < mads[i].n; j++)
		emit(&mads[i].rows[j], &d->mad, fn, arg);
	if (d->has_ip) {
		emit_ip(&d->ip, fn, arg);
		skip = MAD_IP_BYTES;
	}
	emit_bytes(skip && d->mad.attr == MAD_REQ ? "cm.req.ip_cm.private" : mads[i].private,
		   d->mad.data + skip, mad_private_len(d->mad.attr) - skip, fn, arg);
}

void decode_fields(const struct decoded *d, decode_fn *fn, void *arg)
{
	const struct packet *p = &d->p;

	if (!p->op)
		return;
	emit_number("bth.opcode", DECODE_NUMBER, p->op->code, fn, arg);
	emit_number("bth.padcnt", DECODE_NUMBER, d->data[1] >> 4 & 3, fn, arg);
	for (unsigned i = 0; i < sizeof(packet_rows) / sizeof(packet_rows[0]); i++)
		if (!packet_rows[i].flags || packet_rows[i].flags & p->op->flags)
			emit(&packet_rows[i], p, fn, arg);
	if (p->op->flags & WIRE_AETH)
		emit_syndrome(p->syndrome, fn, arg);
	if (p->op->flags & WIRE_IETH)
		emit_bytes("ieth", p->payload - 4, 4, fn, arg);
	if (d->is_cm)
		emit_mad(d, fn, arg);
	else if (p->len)
		emit_bytes("payload", p->payload, p->len, fn, arg);
	emit_number("invariant.crc", DECODE_HEX, get_be32(d->data + d->n - ICRC_BYTES), fn, arg);
}
