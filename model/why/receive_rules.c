/* SPDX-License-Identifier: MIT */
/* Why the peer had no receive for a message. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diagnosis.h"
#include "heap.h"

/* Where the message may go at the peer; NULL: nothing there will do. */
static const struct live_region *room_there(const struct diagnosis *q)
{
	for (unsigned i = 0; i < q->wr->there.nregions; i++) {
		const struct live_region *r = &q->wr->there.regions[i];

		if (!r->gone && r->len >= q->wr->len && r->access & IBV_ACCESS_LOCAL_WRITE &&
		    strcmp(r->pd, q->peer->pd) == 0)
			return r;
	}
	return NULL;
}

/* The line to type for a receive at the peer: where the ends connect again, on its new QP. */
static const char *receive_there(const struct diagnosis *q)
{
	const struct live_region *room = room_there(q);
	const char *whose = q->wr->there.whose, *again = q->qp ? q->qp->again : "";
	const char *at = *whose ? temp_text("@%.*s ", (int)strcspn(whose, ":"), whose) : "";
	const char *made =
		room ? "" : temp_text("%sreg %u -pd %s -name inbox; ", at, q->wr->len, q->peer->pd);

	return temp_text("%s%s%s%spost recv %s -qp %s%s", again, *again ? "; " : "", made, at,
			 room ? room->name : "inbox", *again ? "QP" : q->peer->name,
			 *again ? "    (QP: the one that the peer has then)" : "");
}

void why_check_receives(const struct diagnosis *q)
{
	const unsigned rnr_retry = q->qp ? q->qp->attr.rnr_retry : 0;
	char used[64] = "";

	if (q->peer && q->peer->had)
		snprintf(used, sizeof used, ": all %" PRIu64 " that it had are used", q->peer->had);
	if (!q->peer || q->peer->recvs < 0)
		cause_add(q->c, MAY_BE, "at the peer: post recv", "the peer has posted no RECV");
	else if (*q->peer->srq && q->peer->recvs)
		why_add_there(q, IS_NOT, NULL,
			      "%s, the SRQ of %s, has %" PRId64 " RECVs posted, now", q->peer->srq,
			      q->peer->name, q->peer->recvs);
	else if (*q->peer->srq)
		why_add_there(q, IS_SO, "post recv -srq",
			      "%s, the SRQ of %s, the peer's QP, has no RECV posted%s",
			      q->peer->srq, q->peer->name, used);
	else if (!q->peer->recvs) {
		cause_add(q->c, IS_SO,
			  q->wr->there.is_asked && *q->wr->there.whose ? NULL : receive_there(q),
			  "%s%s, %s, has no RECV posted%s%s", q->wr->there.whose, q->peer->name,
			  q->peer == q->qp ? "which is connected with itself" : "the peer's QP",
			  used, room_there(q) ? "" : ", and its PD no region for one");
	} else
		why_add_there(q, IS_NOT, NULL, "%s has %" PRId64 " RECVs posted, now",
			      q->peer->name, q->peer->recvs);
	cause_add(q->c, MAY_BE,
		  q->qp && !*q->qp->again
			  ? "modify-qp RTS ... -rnr-retry 7, when the QP comes from RTR again"
			  : "at the peer: -rnr-retry 7 of connect, listen or accept, for the next "
			    "connection",
		  "rnr_retry is %u%s", rnr_retry, rnr_retry == 7 ? ", for ever" : ": it gives up");
}
