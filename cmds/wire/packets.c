/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "decode.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"
#include "wire/packets.h"
#include "wr_ops.h"

#define ETHERNET_BYTES 14
#define VLAN_BYTES     4
#define TYPE_VLAN      0x8100
#define BYTES_SHOWN    32

static const uint8_t *skip_header(const uint8_t *frame, size_t *n, size_t head)
{
	if (*n < head)
		return NULL;
	*n -= head;
	return frame + head;
}

static const uint8_t *of_ethernet(const uint8_t *frame, size_t *n)
{
	size_t head = ETHERNET_BYTES;

	while (*n >= head + VLAN_BYTES && get_be16(frame + head - 2) == TYPE_VLAN)
		head += VLAN_BYTES;
	return skip_header(frame, n, head);
}

const uint8_t *packet_ip(int datalink, const uint8_t *frame, size_t *n)
{
	switch (datalink) {
	case DLT_EN10MB:
		return of_ethernet(frame, n);
	case DLT_RAW:
	case DLT_IPV4:
	case DLT_IPV6:
		return frame;
	case DLT_NULL:
	case DLT_LOOP:
		return skip_header(frame, n, 4);
	case DLT_LINUX_SLL:
		return skip_header(frame, n, 16);
	case DLT_LINUX_SLL2:
		return skip_header(frame, n, 20);
	default:
		return NULL;
	}
}

static void format_address(const union ibv_gid *gid, char text[INET6_ADDRSTRLEN])
{
	if (gid_is_ipv4(gid))
		inet_ntop(AF_INET, gid->raw + 12, text, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, gid->raw, text, INET6_ADDRSTRLEN);
}

const char *packet_ends(const struct decoded *d)
{
	static char ends[2 * INET6_ADDRSTRLEN + 4];
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	format_address(&d->p.src, src);
	format_address(&d->p.dst, dst);
	snprintf(ends, sizeof ends, "%s > %s", src, dst);
	return ends;
}

struct writer {
	struct out *o;
	bool text;
};

static void bytes_out(const struct writer *w, const struct decode_field *f)
{
	out_bytes(w->o, f->name, f->bytes, f->len);
	if (!w->text)
		return;
	out_text(w->o, "       %-30s ", f->name);
	for (size_t i = 0; i < f->len && i < BYTES_SHOWN; i++)
		out_text(w->o, "%02x", f->bytes[i]);
	out_text(w->o, f->len > BYTES_SHOWN ? "... %zu bytes\n" : "\n", f->len);
}

static void field_out(void *arg, const struct decode_field *f)
{
	const struct writer *w = arg;
	char text[INET6_ADDRSTRLEN];

	switch (f->kind) {
	case DECODE_NUMBER:
	case DECODE_HEX:
		out_u64(w->o, f->name, f->value, NULL);
		if (w->text)
			out_text(w->o,
				 f->kind == DECODE_HEX ? "       %-30s 0x%" PRIx64 "\n"
						       : "       %-30s %" PRIu64 "\n",
				 f->name, f->value);
		break;
	case DECODE_GID:
		format_address((const union ibv_gid *)(const void *)f->bytes, text);
		out_str(w->o, f->name, text, NULL);
		if (w->text)
			out_text(w->o, "       %-30s %s\n", f->name, text);
		break;
	case DECODE_BYTES:
		bytes_out(w, f);
		break;
	}
}

void packet_out(struct out *o, const struct decoded *d, bool text)
{
	struct writer w = { o, text };
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	format_address(&d->p.src, src);
	format_address(&d->p.dst, dst);
	out_str(o, "src", src, NULL);
	out_str(o, "dst", dst, NULL);
	if (d->malformed) {
		out_str(o, "malformed", d->malformed, NULL);
		return;
	}
	out_str(o, "name", d->is_cm ? mad_name(d->mad.attr) : d->p.op->name, NULL);
	decode_fields(d, field_out, &w);
}

static struct join_request *note_request(struct packet_join *j, const struct decoded *d,
					 uint32_t qpn)
{
	struct join_request *r = &j->requests[j->n++ % JOIN_REQUESTS];

	*r = (struct join_request){
		.src = d->p.src,
		.dst = d->p.dst,
		.qpn = qpn,
		.dest_qpn = d->p.qpn,
		.psn = d->p.psn,
	};
	return r;
}

void join_note(struct packet_join *j, const struct decoded *d, uint32_t qpn, uint64_t wr_id)
{
	struct join_request *r = note_request(j, d, qpn);

	r->known = true;
	r->wr_id = wr_id;
}

static bool gids_are_equal(const union ibv_gid *a, const union ibv_gid *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

/* The offset of the packet's PSN from that of request r; negative: it does not belong to r. An ACK
 * also acknowledges earlier requests; a READ uses a PSN for each of its responses. */
static int32_t psn_offset(const struct join_request *r, const struct packet *p)
{
	bool request = p->op->flags & WIRE_REQUEST;
	int32_t by = psn_diff(p->psn, r->psn);

	if (!gids_are_equal(&r->src, request ? &p->src : &p->dst) ||
	    !gids_are_equal(&r->dst, request ? &p->dst : &p->src) ||
	    p->qpn != (request ? r->dest_qpn : r->qpn))
		return -1;
	if (request && p->op->flags & WIRE_FIRST && by)
		return -1; /* another request */
	return by;
}

const struct join_request *join_find(const struct packet_join *j, const struct decoded *d)
{
	unsigned n = j->n < JOIN_REQUESTS ? j->n : JOIN_REQUESTS;
	const struct join_request *best = NULL;
	int32_t nearest = 0;

	if (!d->p.op || d->is_cm)
		return NULL;
	for (unsigned i = 1; i <= n; i++) {
		const struct join_request *r = &j->requests[(j->n - i) % JOIN_REQUESTS];
		int32_t by = psn_offset(r, &d->p);

		if (by < 0 || (best && by >= nearest))
			continue;
		best = r;
		nearest = by;
		if (!by)
			break;
	}
	return best;
}

/* ------------------------------------------------------------- posted work requests -- */

/* Is the packet's destination the QP that qp sends to? */
static bool leads_there(struct qp *qp, const struct packet *p)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	return (qp->type == IBV_QPT_RC || qp->type == IBV_QPT_UC) &&
	       ibv_query_qp(qp->v, &a, IBV_QP_STATE | IBV_QP_DEST_QPN | IBV_QP_AV, &init) == 0 &&
	       a.dest_qp_num == p->qpn && gids_are_equal(&a.ah_attr.grh.dgid, &p->dst);
}

static struct qp *sending_qp(struct session *s, const struct packet *p)
{
	struct obj *o;

	obj_foreach_of(o, s, &qp_class)
		if (leads_there((struct qp *)o, p))
			return (struct qp *)o;
	return NULL;
}

/* Can p be the first packet of this work request? */
static bool request_matches(const struct posted *w, const struct packet *p)
{
	unsigned flags = p->op->flags;

	if (!w->op || w->op->local)
		return false;
	if (flags & WIRE_ATOMIC)
		return w->op->atomic && w->remote == p->va && w->rkey == p->rkey;
	if (flags & WIRE_RETH)
		return w->op->remote && !w->op->atomic && w->op->sink == !!(flags & WIRE_READ) &&
		       w->remote == p->va && w->rkey == p->rkey && w->len == p->dma_len;
	return !w->op->remote && (flags & WIRE_LAST ? w->len == p->len : w->len > p->len);
}

static struct join_qp *place_of(struct packet_join *j, const struct qp *qp)
{
	struct join_qp *q = &j->qps[qp->o.serial % JOIN_QPS];

	if (q->serial != qp->o.serial)
		*q = (struct join_qp){ .serial = qp->o.serial, .next = j->begun };
	return q;
}

/* Finds the oldest matching work request that was not found before; false: none. */
static bool next_matching(struct packet_join *j, const struct qp *qp, const struct packet *p,
			  struct posted *w)
{
	struct join_qp *q = place_of(j, qp);
	struct posted_place at = q->next;

	while (posted_next(qp, false, &at, w))
		if (request_matches(w, p)) {
			q->next = at;
			return true;
		}
	return false;
}

const struct join_request *join_posted(struct session *s, struct packet_join *j,
				       const struct decoded *d)
{
	const unsigned begins = WIRE_REQUEST | WIRE_FIRST;
	struct join_request *r;
	struct posted w;
	bool known;
	struct qp *qp;

	if (!d->p.op || (d->p.op->flags & begins) != begins || d->is_cm)
		return NULL;
	qp = sending_qp(s, &d->p);
	if (!qp)
		return NULL;
	known = next_matching(j, qp, &d->p, &w);
	r = note_request(j, d, qp->v->qp_num);
	r->qp = qp->o.serial;
	r->known = known;
	r->wr_id = known ? w.wr_id : 0;
	return r;
}
