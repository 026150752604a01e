// SPDX-License-Identifier: MIT
/* A packet in a line. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "codes.h"
#include "decode.h"

struct line {
	char *text;
	size_t n, size;
};

__attribute__((format(printf, 2, 3))) static void put(struct line *l, const char *format, ...)
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
		snprintf(text, size, "RNR NAK, again after %g ms", rnr_timer_us(s & 0x1f) / 1000.);
		break;
	case 0x60:
		snprintf(text, size, "NAK: %s", (s & 0x1fu) < 5 ? naks[s & 0x1f] : "reserved code");
		break;
	default:
		snprintf(text, size, "syndrome 0x%02x (reserved)", s);
	}
}

static void put_gid(struct line *l, const union ibv_gid *gid)
{
	char text[INET6_ADDRSTRLEN];

	if (gid_is_ipv4(gid))
		inet_ntop(AF_INET, gid->raw + 12, text, sizeof(text));
	else
		inet_ntop(AF_INET6, gid->raw, text, sizeof(text));
	put(l, "%s", text);
}

static void put_req(struct line *l, const struct decoded *d)
{
	const struct mad_req *r = &d->mad.req;

	put(l,
	    "  port %u  qpn 0x%06x  psn %u  mtu %u  responder_resources %u  initiator_depth %u"
	    "  retry %u  rnr_retry %u",
	    (unsigned)(r->service & 0xffff), r->qpn, r->psn, mtu_bytes(r->mtu),
	    r->responder_resources, r->initiator_depth, r->retry_count, r->rnr_retry_count);
	if (d->has_ip) {
		put(l, "  from ");
		put_gid(l, &d->ip.src);
		put(l, ":%u", d->ip.sport);
	}
}

static void put_mad(struct line *l, const struct decoded *d)
{
	static const char *const about[] = { "REQ", "REP", "other", "?" };
	const struct mad *m = &d->mad;

	put(l, "CM %s  id 0x%08x", mad_name(m->attr),
	    m->attr == MAD_SIDR_REP ? m->remote_id : m->local_id);
	if (m->attr != MAD_REQ && m->attr != MAD_SIDR_REQ && m->attr != MAD_SIDR_REP)
		put(l, " to 0x%08x", m->remote_id);
	switch (m->attr) {
	case MAD_REQ:
		put_req(l, d);
		break;
	case MAD_REP:
		put(l,
		    "  qpn 0x%06x  psn %u  responder_resources %u  initiator_depth %u"
		    "  rnr_retry %u",
		    m->rep.qpn, m->rep.psn, m->rep.responder_resources, m->rep.initiator_depth,
		    m->rep.rnr_retry_count);
		break;
	case MAD_REJ:
		put(l, "  of the %s, reason %u", about[m->rej.about & 3], m->rej.reason);
		break;
	case MAD_MRA:
		put(l, "  of the %s, within %g ms", about[m->mra.about & 3],
		    4.096e-3 * (1u << (m->mra.timeout & 31)));
		break;
	case MAD_DREQ:
		put(l, "  qpn 0x%06x", m->dreq.remote_qpn);
		break;
	case MAD_SIDR_REQ:
		put(l, "  port %u", (unsigned)(m->sidr_req.service & 0xffff));
		break;
	case MAD_SIDR_REP:
		put(l, "  status %u  qpn 0x%06x  qkey 0x%08x", m->sidr_rep.status, m->sidr_rep.qpn,
		    m->sidr_rep.qkey);
		break;
	default:
		break;
	}
}

static void put_headers(struct line *l, const struct packet *p)
{
	unsigned flags = p->op->flags;

	put(l, "%-19s  qp 0x%06x  psn %u%s%s", p->op->name, p->qpn, p->psn,
	    p->ackreq ? "  ack please" : "", p->solicited ? "  solicited" : "");
	if (flags & WIRE_DETH)
		put(l, "  from qp 0x%06x  qkey 0x%08x", p->src_qpn, p->qkey);
	if (flags & (WIRE_RETH | WIRE_ATOMIC))
		put(l, "  va 0x%" PRIx64 "  rkey 0x%08x", p->va, p->rkey);
	if (flags & WIRE_RETH)
		put(l, "  len %u", p->dma_len);
	if (flags & WIRE_ATOMIC)
		put(l,
		    OPCODE_OPERATION(p->op->code) == OP_CMP_SWAP ? "  swap %" PRIu64
								 : "  add %" PRIu64,
		    p->swap_add);
	if (OPCODE_OPERATION(p->op->code) == OP_CMP_SWAP)
		put(l, "  compare %" PRIu64, p->compare);
	if (flags & WIRE_AETH) {
		char syndrome[64];

		decode_syndrome(p->syndrome, syndrome, sizeof(syndrome));
		put(l, "  %s", syndrome);
		put(l, "  msn %u", p->msn);
	}
	if (flags & WIRE_ATOMICACK)
		put(l, "  original %" PRIu64, p->original);
	if (flags & WIRE_IMM)
		put(l, "  imm 0x%08x", ntohl(p->imm));
	if (flags & WIRE_IETH)
		put(l, "  invalidates rkey 0x%08x", p->rkey);
	if (flags & WIRE_PAYLOAD)
		put(l, "  %u B", p->len);
}

void decode_text(const struct decoded *d, char *text, size_t size)
{
	struct line l = { text, 0, size };

	*text = '\0';
	if (d->malformed)
		put(&l, "malformed: %s (%zu bytes)", d->malformed, d->n);
	else if (d->is_cm)
		put_mad(&l, d);
	else
		put_headers(&l, &d->p);
}
