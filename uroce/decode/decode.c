/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "spec_tables.h"
#include "decode.h"

#define UDP_BYTES  8
#define IP6_BYTES  40
#define FRAGMENTED 0x3fff

/* Reads the IP header of a UDP packet. Its length, or 0: another protocol, or a fragment. */
static size_t read_ip(struct packet *p, const uint8_t *ip, size_t n)
{
	size_t head;

	if (n >= 20 && ip[0] >> 4 == 4) {
		head = (size_t)(ip[0] & 15) * 4;
		if (head < 20 || ip[9] != IPPROTO_UDP || get_be16(ip + 6) & FRAGMENTED)
			return 0;
		gid_of_ipv4(&p->src, ip + 12);
		gid_of_ipv4(&p->dst, ip + 16);
		p->tclass = ip[1];
		p->hops = ip[8];
		return head;
	}
	if (n < IP6_BYTES || ip[0] >> 4 != 6 || ip[6] != IPPROTO_UDP)
		return 0;
	memcpy(p->src.raw, ip + 8, 16);
	memcpy(p->dst.raw, ip + 24, 16);
	p->tclass = (uint8_t)(get_be16(ip) >> 4);
	p->hops = ip[7];
	return IP6_BYTES;
}

static const char *why_malformed(const uint8_t *data, size_t n)
{
	if (n < BTH_BYTES + ICRC_BYTES)
		return "too short for a BTH and an ICRC";
	if (data[1] & 15)
		return "unknown transport version";
	if (!opcode_find(data[0]))
		return "unknown opcode";
	return "its length does not fit its opcode";
}

static void read_mad(struct decoded *d)
{
	const struct packet *p = &d->p;

	if (!(p->op->flags & WIRE_DETH) || p->qpn != GSI_QPN ||
	    mad_parse(&d->mad, p->payload, p->len))
		return;
	d->is_cm = true;
	if (d->mad.attr == MAD_REQ || d->mad.attr == MAD_SIDR_REQ)
		d->has_ip = mad_ip_parse(&d->ip, d->mad.data) == 0;
}

int decode_ip(struct decoded *d, const uint8_t *ip, size_t n)
{
	const uint8_t *udp;
	size_t head, len;

	memset(d, 0, sizeof(*d));
	head = read_ip(&d->p, ip, n);
	if (!head || n < head + UDP_BYTES)
		return -1;
	udp = ip + head;
	d->p.sport = get_be16(udp);
	d->dport = get_be16(udp + 2);
	len = get_be16(udp + 4);
	if (d->dport != ROCE_PORT)
		return -1;
	d->data = udp + UDP_BYTES;
	d->n = n - head - UDP_BYTES;
	if (len < UDP_BYTES || len - UDP_BYTES > d->n) {
		d->malformed = "cut off";
		return 0;
	}
	d->n = len - UDP_BYTES;
	if (packet_parse(&d->p, d->data, d->n) != 0) {
		d->malformed = why_malformed(d->data, d->n);
		d->p.op = NULL;
		return 0;
	}
	read_mad(d);
	return 0;
}

/* ---------------------------------------------------------------- fields -- */

/* Tables say where the parsers have put each field: this one, and those of cm/mad.c. */

struct packet_row {
	const char *name;
	enum decode_kind kind;
	unsigned flags; /* of the opcode: the header it is in; 0: every packet's */
	uint16_t at, size;
};

#define PKT(name, kind, flags, m)                                       \
	{                                                               \
		name, DECODE_##kind, flags, offsetof(struct packet, m), \
			sizeof(((struct packet *)0)->m)                 \
	}

static const struct packet_row packet_rows[] = {
	PKT("bth.se", NUMBER, 0, solicited),
	PKT("bth.m", NUMBER, 0, migreq),
	PKT("bth.p_key", HEX, 0, pkey),
	PKT("bth.destqp", HEX, 0, qpn),
	PKT("bth.a", NUMBER, 0, ackreq),
	PKT("bth.psn", NUMBER, 0, psn),
	PKT("deth.q_key", HEX, WIRE_DETH, qkey),
	PKT("deth.srcqp", HEX, WIRE_DETH, src_qpn),
	PKT("xrceth.xrcsrq", HEX, WIRE_XRCETH, srqn),
	PKT("feth", HEX, WIRE_FETH, feth),
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

static void emit_member(const char *name, enum decode_kind kind, const void *at, size_t size,
			decode_fn *fn, void *arg)
{
	struct decode_field f = { .name = name, .kind = kind };

	if (kind == DECODE_NUMBER || kind == DECODE_HEX) {
		f.value = native_get(at, size);
	} else {
		f.bytes = at;
		f.len = size;
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

/* Volume 1, table 44: bits 6 and 5 of the syndrome say what the five below them mean. */
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
	emit_number("cm.req.ip_cm.sport", DECODE_NUMBER, ip->sport, fn, arg);
	emit_member("cm.req.ip_cm.sip", DECODE_GID, &ip->src, sizeof(ip->src), fn, arg);
	emit_member("cm.req.ip_cm.dip", DECODE_GID, &ip->dst, sizeof(ip->dst), fn, arg);
}

static void emit_mad(const struct decoded *d, decode_fn *fn, void *arg)
{
	const struct mad_format *format = mad_format(d->mad.attr);
	const char *private_name = format->private_name;
	unsigned skip = 0;

	emit_number("mad.attributeid", DECODE_HEX, d->mad.attr, fn, arg);
	emit_number("mad.transactionid", DECODE_HEX, d->mad.tid, fn, arg);
	for (unsigned i = 0; i < format->nfields; i++) {
		const struct mad_field *f = &format->fields[i];

		if (f->name)
			emit_member(f->name, f->kind, (const uint8_t *)&d->mad + f->at, f->size, fn,
				    arg);
	}
	if (d->has_ip) {
		emit_ip(&d->ip, fn, arg);
		skip = MAD_IP_BYTES;
		if (d->mad.attr == MAD_REQ)
			private_name = "cm.req.ip_cm.private";
	}
	emit_bytes(private_name, d->mad.data + skip, format->private_len - skip, fn, arg);
}

void decode_fields(const struct decoded *d, decode_fn *fn, void *arg)
{
	const struct packet *p = &d->p;

	if (!p->op)
		return;
	emit_number("bth.opcode", DECODE_NUMBER, p->op->code, fn, arg);
	emit_number("bth.padcnt", DECODE_NUMBER, d->data[1] >> 4 & 3, fn, arg);
	for (unsigned i = 0; i < sizeof(packet_rows) / sizeof(packet_rows[0]); i++) {
		const struct packet_row *r = &packet_rows[i];

		if (!r->flags || r->flags & p->op->flags)
			emit_member(r->name, r->kind, (const uint8_t *)p + r->at, r->size, fn, arg);
	}
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

/* ---------------------------------------------------- a packet in a line -- */

struct decode_line {
	char *text;
	size_t n, size;
};

__attribute__((format(printf, 2, 3))) static void put_text(struct decode_line *l,
							   const char *format, ...)
{
	va_list args;
	int n;

	if (l->n + 1 >= l->size)
		return;
	va_start(args, format);
	n = vsnprintf(l->text + l->n, l->size - l->n, format, args);
	va_end(args);
	if (n > 0)
		l->n = l->n + (size_t)n < l->size ? l->n + (size_t)n : l->size - 1;
}

void decode_syndrome(uint8_t s, char *text, size_t size)
{
	static const char *const naks[] = { "PSN sequence error", "invalid request",
					    "remote access error", "remote operational error",
					    "invalid RD request" };

	switch (AETH_CLASS(s)) {
	case 0:
		snprintf(text, size, (s & 0x1f) == 0x1f ? "ACK" : "ACK, credit code %u", s & 0x1fu);
		break;
	case AETH_RNR:
		snprintf(text, size, "RNR NAK, again after %g ms",
			 spec_rnr_timer_us(s & 0x1f) / 1000.);
		break;
	case 0x60:
		snprintf(text, size, "NAK: %s", (s & 0x1fu) < 5 ? naks[s & 0x1f] : "reserved code");
		break;
	default:
		snprintf(text, size, "syndrome 0x%02x (reserved)", s);
	}
}

const char *decode_gid(const union ibv_gid *gid, char text[INET6_ADDRSTRLEN])
{
	if (gid_is_ipv4(gid))
		return inet_ntop(AF_INET, gid->raw + 12, text, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, gid->raw, text, INET6_ADDRSTRLEN);
}

const char *decode_ends(const struct decoded *d, char text[DECODE_ENDS])
{
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	snprintf(text, DECODE_ENDS, "%s > %s", decode_gid(&d->p.src, src),
		 decode_gid(&d->p.dst, dst));
	return text;
}

static void put_gid(struct decode_line *l, const union ibv_gid *gid)
{
	put_text(l, "%s", decode_gid(gid, (char[INET6_ADDRSTRLEN]){ 0 }));
}

static void put_req(struct decode_line *l, const struct decoded *d)
{
	const struct mad_req *r = &d->mad.req;

	put_text(l,
		 "  port %u  qpn 0x%06x  psn %u  mtu %u  responder_resources %u  initiator_depth %u"
		 "  retry %u  rnr_retry %u",
		 (unsigned)(r->service & 0xffff), r->qpn, r->psn, spec_mtu_bytes(r->mtu),
		 r->responder_resources, r->initiator_depth, r->retry_count, r->rnr_retry_count);
	if (d->has_ip) {
		put_text(l, "  from ");
		put_gid(l, &d->ip.src);
		put_text(l, ":%u", d->ip.sport);
	}
}

static void put_mad(struct decode_line *l, const struct decoded *d)
{
	static const char *const about[] = { "REQ", "REP", "other", "?" };
	const struct mad *m = &d->mad;

	put_text(l, "CM %s  id 0x%08x", mad_name(m->attr),
		 m->attr == MAD_SIDR_REP ? m->remote_id : m->local_id);
	if (m->attr != MAD_REQ && m->attr != MAD_SIDR_REQ && m->attr != MAD_SIDR_REP)
		put_text(l, " to 0x%08x", m->remote_id);
	switch (m->attr) {
	case MAD_REQ:
		put_req(l, d);
		break;
	case MAD_REP:
		put_text(l,
			 "  qpn 0x%06x  psn %u  responder_resources %u  initiator_depth %u"
			 "  rnr_retry %u",
			 m->rep.qpn, m->rep.psn, m->rep.responder_resources, m->rep.initiator_depth,
			 m->rep.rnr_retry_count);
		break;
	case MAD_REJ:
		put_text(l, "  of the %s, reason %u", about[m->rej.about & 3], m->rej.reason);
		break;
	case MAD_MRA:
		put_text(l, "  of the %s, within %g ms", about[m->mra.about & 3],
			 4.096e-3 * (1u << (m->mra.timeout & 31)));
		break;
	case MAD_DREQ:
		put_text(l, "  qpn 0x%06x", m->dreq.remote_qpn);
		break;
	case MAD_SIDR_REQ:
		put_text(l, "  port %u", (unsigned)(m->sidr_req.service & 0xffff));
		break;
	case MAD_SIDR_REP:
		put_text(l, "  status %u  qpn 0x%06x  qkey 0x%08x", m->sidr_rep.status,
			 m->sidr_rep.qpn, m->sidr_rep.qkey);
		break;
	default:
		break;
	}
}

static void put_headers(struct decode_line *l, const struct packet *p)
{
	unsigned flags = p->op->flags;

	put_text(l, "%-19s  qp 0x%06x  psn %u%s%s", p->op->name, p->qpn, p->psn,
		 p->ackreq ? "  ack please" : "", p->solicited ? "  solicited" : "");
	if (flags & WIRE_DETH)
		put_text(l, "  from qp 0x%06x  qkey 0x%08x", p->src_qpn, p->qkey);
	if (flags & (WIRE_RETH | WIRE_ATOMIC))
		put_text(l, "  va 0x%" PRIx64 "  rkey 0x%08x", p->va, p->rkey);
	if (flags & WIRE_RETH)
		put_text(l, "  len %u", p->dma_len);
	if (flags & WIRE_FETH)
		put_text(l, "%s%s%s", FETH_TYPE(p->feth) & FLUSH_GLOBAL ? "  global" : "",
			 FETH_TYPE(p->feth) & FLUSH_PERSISTENT ? "  persistent" : "",
			 FETH_LEVEL(p->feth) == FLUSH_MR ? "  of the region" : "");
	if (flags & WIRE_ATOMIC)
		put_text(l,
			 OPCODE_OPERATION(p->op->code) == OP_CMP_SWAP ? "  swap %" PRIu64
								      : "  add %" PRIu64,
			 p->swap_add);
	if (OPCODE_OPERATION(p->op->code) == OP_CMP_SWAP)
		put_text(l, "  compare %" PRIu64, p->compare);
	if (flags & WIRE_AETH) {
		char syndrome[64];

		decode_syndrome(p->syndrome, syndrome, sizeof(syndrome));
		put_text(l, "  %s", syndrome);
		put_text(l, "  msn %u", p->msn);
	}
	if (flags & WIRE_ATOMICACK)
		put_text(l, "  original %" PRIu64, p->original);
	if (flags & WIRE_IMM)
		put_text(l, "  imm 0x%08x", ntohl(p->imm));
	if (flags & WIRE_IETH)
		put_text(l, "  invalidates rkey 0x%08x", p->rkey);
	if (flags & WIRE_PAYLOAD)
		put_text(l, "  %u B", p->len);
}

void decode_text(const struct decoded *d, char *text, size_t size)
{
	struct decode_line l = { text, 0, size };

	*text = '\0';
	if (d->malformed)
		put_text(&l, "malformed: %s (%zu bytes)", d->malformed, d->n);
	else if (d->is_cm)
		put_mad(&l, d);
	else
		put_headers(&l, &d->p);
}
