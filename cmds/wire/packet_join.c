/* SPDX-License-Identifier: MIT */
#include "packet_join.h"

#include "decode.h"

void join_note(struct packet_join *j, const struct decoded *d, uint32_t qpn, uint64_t wr_id)
{
	j->requests[j->n++ % JOIN_REQUESTS] = (struct join_request){
		.qpn = qpn,
		.dest_qpn = d->p.qpn,
		.psn = d->p.psn,
		.wr_id = wr_id,
	};
}

/* How far behind the request r the packet is that may answer it; negative: it does not. An
 * acknowledgement also answers what came before; a READ has a PSN for each of its responses. */
static int32_t behind(const struct join_request *r, const struct packet *p)
{
	if (p->op->flags & WIRE_REQUEST)
		return r->dest_qpn == p->qpn && r->psn == p->psn ? 0 : -1;
	return r->qpn == p->qpn ? psn_diff(p->psn, r->psn) : -1;
}

bool join_find(const struct packet_join *j, const struct decoded *d, uint32_t *qpn, uint64_t *wr_id)
{
	unsigned n = j->n < JOIN_REQUESTS ? j->n : JOIN_REQUESTS;
	const struct join_request *best = NULL;
	int32_t nearest = 0;

	if (!d->p.op || d->is_cm)
		return false;
	for (unsigned i = 1; i <= n; i++) {
		const struct join_request *r = &j->requests[(j->n - i) % JOIN_REQUESTS];
		int32_t by = behind(r, &d->p);

		if (by < 0 || (best && by >= nearest))
			continue;
		best = r;
		nearest = by;
		if (!by)
			break;
	}
	if (!best)
		return false;
	*qpn = best->qpn;
	*wr_id = best->wr_id;
	return true;
}
