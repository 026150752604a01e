/* SPDX-License-Identifier: MIT */
/*
 * Why a completion is an error. This end's buffers can always be checked; the other end's
 * only if its objects can be seen, or if it has announced its region.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "spec_tables.h"
#include "diagnosis.h"
#include "heap.h"

enum key_kind { LKEY, RKEY };

/* The region with this key, preferably one that still exists; NULL: none. */
static const struct live_region *region_by_key(const struct live_end *e, enum key_kind kind,
					       uint32_t key)
{
	const struct live_region *found = NULL;

	for (unsigned i = 0; i < e->nregions; i++) {
		const struct live_region *r = &e->regions[i];

		if ((kind == LKEY ? r->lkey : r->rkey) == key && (!found || found->gone))
			found = r;
	}
	return found;
}

/* ------------------------------------------------------------- this end's buffers -- */

/* The region of the QP's PD that these bytes are in; NULL: there is none, or it has that lkey. */
static const struct live_region *region_of_bytes(const struct diagnosis *q,
						 const struct ibv_sge *sge)
{
	for (unsigned i = 0; i < q->wr->here.nregions; i++) {
		const struct live_region *r = &q->wr->here.regions[i];

		if (!r->gone && r->lkey && r->lkey != sge->lkey && q->qp &&
		    strcmp(r->pd, q->qp->pd) == 0 && why_region_holds(r, sge->addr, sge->length))
			return r;
	}
	return NULL;
}

/* The lkey may belong to a region that was not meant. */
static void check_meant(const struct diagnosis *q, const struct ibv_sge *sge)
{
	const struct live_region *meant = region_of_bytes(q, sge);
	char next[64];

	if (!meant)
		return;
	snprintf(next, sizeof next, "show %s", meant->name);
	cause_add(q->c, IS_SO, next, "the lkey of %s, 0x%x, is needed: these bytes are in it",
		  meant->name, meant->lkey);
}

/* "rereg mr0 -access local-write,remote-write": what it has, and more. */
static void more_rights(const struct live_region *mr, unsigned more, char *next, size_t size)
{
	if (more & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC))
		more |= IBV_ACCESS_LOCAL_WRITE; /* the library wants both */
	snprintf(next, size, "rereg %s -access %s", mr->name,
		 why_typed(why_access(mr->access | more)));
}

static void check_sge(const struct diagnosis *q, const struct ibv_sge *sge, bool written)
{
	const struct live_region *mr = region_by_key(&q->wr->here, LKEY, sge->lkey);
	bool other_pd, outside;
	char next[192];

	if (!mr || mr->gone) {
		cause_add(q->c, IS_SO, "show", "no region has the lkey 0x%x: %s%s%s", sge->lkey,
			  mr ? "" : "it is wrong, or the region", mr ? mr->name : "",
			  " was deregistered");
		check_meant(q, sge);
		return;
	}
	snprintf(next, sizeof next, "show %s", mr->name);
	/* the receives of an SRQ are of its PD */
	other_pd = q->qp && !(q->wr->recv && *q->qp->srq) && strcmp(mr->pd, q->qp->pd) != 0;
	outside = !why_region_holds(mr, sge->addr, sge->length);
	if (other_pd)
		cause_add(q->c, IS_SO, next, "%s is of %s, the QP of %s", mr->name, mr->pd,
			  q->qp->pd);
	if (outside)
		cause_add(q->c, IS_SO, next, "%s",
			  why_range_beyond(mr, mr->name, sge->addr, sge->length));
	if (other_pd || outside)
		check_meant(q, sge);
	more_rights(mr, IBV_ACCESS_LOCAL_WRITE, next, sizeof next);
	if (written && !(mr->access & IBV_ACCESS_LOCAL_WRITE))
		cause_add(q->c, IS_SO, next,
			  "%s has no LOCAL_WRITE, and the device must write to it", mr->name);
}

static void check_buffers(const struct diagnosis *q)
{
	unsigned sure = causes_confirmed(q->c);
	bool written = q->wr->recv || (q->wr->op && q->wr->op->sink);

	if (q->wr->is_inline || !q->wr->nsge)
		return;
	for (unsigned i = 0; i < q->wr->nsge && i < LIVE_SGES; i++)
		check_sge(q, &q->wr->sge[i], written);
	if (causes_confirmed(q->c) == sure && !sure)
		cause_add(q->c, IS_NOT, NULL,
			  q->wr->recv ? "the buffers of this RECV are right, as they are now"
				      : "the buffers of this end are right, as they are now");
}

/* The line to type for a receive with more room: in its own region, else in the only one. */
static void longer_receive(const struct diagnosis *q, char *next, size_t size)
{
	const struct live_region *r = q->wr->here.nregions == 1 ? q->wr->here.regions : NULL;

	for (unsigned i = 0; q->wr->nsge && i < q->wr->here.nregions; i++)
		if (q->wr->here.regions[i].lkey == q->wr->sge[0].lkey)
			r = &q->wr->here.regions[i];
	if (r && r->len > q->wr->len)
		snprintf(next, size, "post recv %s", r->name);
	else
		snprintf(next, size, "post recv REGION, of more bytes: reg 4096");
}

/* rxe says LOC_QP_OP_ERR of a RECV that is too small, others LOC_LEN_ERR. */
static void check_length(const struct diagnosis *q)
{
	bool sure = q->wr->status == IBV_WC_LOC_LEN_ERR;
	char next[96];

	longer_receive(q, next, sizeof next);
	if (q->wr->recv && (sure || !causes_confirmed(q->c)))
		cause_add(q->c, sure ? IS_SO : MAY_BE, next,
			  "the RECV has %sroom for %u bytes, and the message is longer",
			  q->wr->nsge ? "" : "no region: ", q->wr->len);
	else if (sure)
		cause_add(q->c, MAY_BE, "ports",
			  "%u bytes are more than the port's largest message", q->wr->len);
}

/* ------------------------------------------------------------------ the other end -- */

static unsigned needed_access(const struct failed_wr *wr)
{
	const struct wr_op *op = wr->op;

	if (op->atomic)
		return IBV_ACCESS_REMOTE_ATOMIC;
	if (op->code == FLUSH_WR)
		return (wr->flush_type & FLUSH_GLOBAL ? FLUSH_ACCESS_GLOBAL : 0) |
		       (wr->flush_type & FLUSH_PERSISTENT ? FLUSH_ACCESS_PERSISTENT : 0);
	return op->sink ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;
}

void why_add_there(const struct diagnosis *q, enum verdict verdict, const char *next,
		   const char *fmt, ...)
{
	const char *whose = q->wr->there.whose;
	char text[256], command[256];
	va_list ap;
	size_t at = strlen(whose);

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (q->wr->there.is_asked && at)
		next = NULL;  /* another program takes no commands */
	if (next && at > 2) { /* "b: " */
		snprintf(command, sizeof command, "@%.*s %s", (int)at - 2, whose, next);
		next = command;
	}
	cause_add(q->c, verdict, next, "%s%s", whose, text);
}

/* The request is a FLUSH of all that its rkey opens. */
static bool is_of_whole_region(const struct failed_wr *wr)
{
	return wr->op->code == FLUSH_WR && wr->flush_level == FLUSH_MR;
}

/* Compares the request with the region that the peer has announced, by oob or listen -share. */
static void check_told(const struct diagnosis *q)
{
	const struct live_region *told = &q->wr->told;
	uint64_t at = q->wr->remote - told->begin;
	char next[64] = "-at 0, where the window begins";

	if (!told->len)
		return;
	if (told->rkey != q->wr->rkey) {
		snprintf(next, sizeof next, "-rkey 0x%x", told->rkey);
		cause_add(q->c, IS_SO, next, "the peer told the rkey 0x%x, not 0x%x", told->rkey,
			  q->wr->rkey);
		return;
	}
	if (at < told->len)
		snprintf(next, sizeof next, "-len %" PRIu64 " at most, from there", told->len - at);
	if (!is_of_whole_region(q->wr) && (at > told->len || q->wr->len > told->len - at))
		cause_add(q->c, IS_SO, next, "%s",
			  why_range_beyond(told, "the peer's window", q->wr->remote, q->wr->len));
}

static void check_region_there(const struct diagnosis *q, const struct live_region *mr)
{
	const unsigned lacks = needed_access(q->wr) & ~mr->access;
	char next[64], rights[192];

	snprintf(next, sizeof next, "show %s", mr->name);
	more_rights(mr, lacks, rights, sizeof rights);
	/* a process that was asked has no name for it that the user knows */
	if (q->wr->there.is_asked && q->wr->told.len && q->wr->told.rkey == mr->rkey)
		check_told(q);
	else if (!is_of_whole_region(q->wr) && !why_region_holds(mr, q->wr->remote, q->wr->len))
		why_add_there(q, IS_SO, next, "%s",
			      why_range_beyond(mr, mr->name, q->wr->remote, q->wr->len));
	if (lacks && !why_is_unbound(mr))
		why_add_there(q, IS_SO, rights, "%s has no %s", mr->name, why_access(lacks));
	if (strcmp(mr->pd, q->peer->pd) != 0)
		why_add_there(q, IS_SO, next, "%s is of %s, the QP of %s", mr->name, mr->pd,
			      q->peer->pd);
	if (mr->bound_by && mr->bound_by != q->peer->number)
		why_add_there(q, IS_SO, next,
			      "%s is a window of type 2 that QP %u has bound: its key is only for "
			      "the peer of that QP, not of %u",
			      mr->name, mr->bound_by, q->peer->number);
}

static void check_rights_there(const struct diagnosis *q)
{
	const unsigned lacks = needed_access(q->wr) & ~q->peer->attr.qp_access_flags;
	char next[96];

	snprintf(next, sizeof next, "modify-qp RTS %s -access ...", q->peer->name);
	if (q->peer->known & IBV_QP_ACCESS_FLAGS && lacks)
		why_add_there(q, IS_SO, next, "%s, the peer's QP, does not allow %s", q->peer->name,
			      why_access(lacks));
}

/* verdict: two devices may give the same key. */
static void check_own_key(const struct diagnosis *q, enum verdict verdict)
{
	const struct live_region *own = region_by_key(&q->wr->here, RKEY, q->wr->rkey);

	if (own)
		cause_add(q->c, verdict, NULL,
			  "0x%x is the rkey of %s, a region of this end: a request needs that "
			  "of the peer's region",
			  q->wr->rkey, own->name);
}

/* Which key the peer does not know. */
static void check_key_there(const struct diagnosis *q)
{
	const struct live_region *gone = region_by_key(&q->wr->there, RKEY, q->wr->rkey);
	const struct live_region *swapped = region_by_key(&q->wr->there, RKEY,
							  __builtin_bswap32(q->wr->rkey));

	if (gone)
		why_add_there(q, IS_SO, "show", "%s, whose rkey 0x%x was, is deregistered",
			      gone->name, q->wr->rkey);
	else if (swapped && !swapped->gone)
		why_add_there(q, IS_SO, NULL,
			      "0x%x is the rkey of %s, 0x%x, byte-swapped (htonl, ntohl)",
			      q->wr->rkey, swapped->name, swapped->rkey);
	else if (region_by_key(&q->wr->there, LKEY, q->wr->rkey))
		why_add_there(q, IS_SO, NULL, "0x%x is an lkey: peers use the rkey", q->wr->rkey);
	else
		why_add_there(
			q, q->wr->there.has_windows ? MAY_BE : IS_SO, "show",
			"no region or window has the rkey 0x%x: it was deregistered, or is wrong",
			q->wr->rkey);
	if (!gone && !swapped)
		check_own_key(q, IS_SO);
}

/* Only windows of type 2 have keys that requests invalidate. */
static void check_invalidated(const struct diagnosis *q)
{
	const struct live_end *end = q->wr->op->code == IBV_WR_LOCAL_INV ? &q->wr->here
									 : &q->wr->there;
	const struct live_region *mr = region_by_key(end, RKEY, q->wr->rkey);
	const bool has_key = mr && !mr->gone;

	if (has_key && mr->lkey)
		cause_add(q->c, IS_SO, NULL,
			  "%s0x%x is the rkey of %s, a region: only those of windows of type 2 can "
			  "be invalidated",
			  end->whose, q->wr->rkey, mr->name);
	else if (!has_key && end == &q->wr->here)
		cause_add(q->c, end->has_windows ? MAY_BE : IS_SO, NULL,
			  "no window has the rkey 0x%x: it is wrong, or not valid any more",
			  q->wr->rkey);
	else if (!has_key)
		check_key_there(q);
}

static void check_own_invalidated(const struct diagnosis *q)
{
	if (q->wr->op && q->wr->op->code == IBV_WR_LOCAL_INV)
		check_invalidated(q);
}

/* The peer's device tells that there was such a key when it refused the request; it may be gone. */
static bool had_key_there(const struct diagnosis *q)
{
	const struct uroce_refusal *r = &q->peer->refusal;

	return r->refused == UROCE_REFUSED_ACCESS && r->rkey == q->wr->rkey && r->has_key;
}

/* The rkey, the range and the rights of an RDMA operation. */
static void check_target(const struct diagnosis *q)
{
	unsigned sure = causes_confirmed(q->c);
	const struct live_region *mr = region_by_key(&q->wr->there, RKEY, q->wr->rkey);
	const struct live_end *there = &q->wr->there;
	/* it has refused the request before */
	const bool has_ended = there->is_asked && !*there->whose;
	const char *gone = has_ended ? "the process of the peer's QP has ended" : there->gone;

	if (q->peer && q->wr->op && q->wr->op->code == IBV_WR_SEND_WITH_INV)
		check_invalidated(q);
	if (!q->wr->op || !q->wr->op->remote)
		return;
	if (q->peer) {
		check_rights_there(q);
		if (mr && !mr->gone)
			check_region_there(q, mr);
		else if (!had_key_there(q))
			check_key_there(q);
	} else if (q->qp) {
		check_told(q);
		check_own_key(q, MAY_BE);
	}
	if (causes_confirmed(q->c) == sure)
		cause_add(q->c, MAY_BE, "at the peer: show, and get MR addr, len, rkey, access",
			  "%srkey 0x%x or its rights at the peer%s%s",
			  is_of_whole_region(q->wr) ? ""
						    : temp_text("address 0x%" PRIx64 " + %u, ",
								q->wr->remote, q->wr->len),
			  q->wr->rkey, *gone ? ", which cannot be asked: " : "", gone);
}

/* The refusals that the peer's device tells of. */
static bool is_refused(const struct diagnosis *q, enum uroce_refused refused)
{
	return q->peer && q->peer->refusal.refused == refused;
}

static void check_length_there(const struct diagnosis *q)
{
	if (is_refused(q, UROCE_REFUSED_TOO_LONG))
		why_add_there(
			q, IS_SO, "post recv with a larger -len",
			"%s has refused the message: its RECV has room for %u bytes, the message "
			"has %u",
			q->peer->name, q->peer->refusal.recv_len, q->wr->len);
	else if (q->peer && q->peer->recv_len && q->peer->recv_len < q->wr->len)
		why_add_there(q, IS_SO, "post recv with a larger -len",
			      "the RECV of %s has room for %u bytes, the message has %u",
			      q->peer->name, q->peer->recv_len, q->wr->len);
	else if (!causes_confirmed(q->c) && (!q->peer || !q->peer->recv_len))
		cause_add(q->c, MAY_BE, "at the peer: poll, which says LOC_LEN_ERR",
			  "the peer's RECV is smaller than the message of %u bytes", q->wr->len);
}

/* XRC: the peer's device has found no SRQ of the number that the request has. */
static void check_srq_there(const struct diagnosis *q)
{
	const uint32_t srqn = q->peer->refusal.rkey;

	why_add_there(q, IS_SO, NULL, "no SRQ of its XRC domain has the number %u (remote_srqn)%s",
		      srqn,
		      srqn == q->peer->number ? ", which is that of the QP: ibv_get_srq_num" : "");
}

static void check_work_request(const struct diagnosis *q)
{
	const struct wr_op *op = q->wr->op;
	bool reads = op && op->remote && op->sink;

	if (!op)
		return;
	if (is_refused(q, UROCE_REFUSED_NO_SRQ)) {
		check_srq_there(q);
		return;
	}
	if (op->atomic && q->wr->remote % 8)
		cause_add(q->c, IS_SO, NULL, "0x%" PRIx64 " is no multiple of 8", q->wr->remote);
	if (reads && q->peer && q->qp && q->peer->known & IBV_QP_MAX_DEST_RD_ATOMIC &&
	    q->peer->attr.max_dest_rd_atomic < q->qp->attr.max_rd_atomic)
		why_add_there(q, IS_SO, "modify-qp ... -max-dest-rd-atomic",
			      "%s answers %u READs and atomics at a time, this end sends %u",
			      q->peer->name, q->peer->attr.max_dest_rd_atomic,
			      q->qp->attr.max_rd_atomic);
	if (q->peer && q->peer->known & IBV_QP_ACCESS_FLAGS && op->remote)
		check_rights_there(q);
	else if (op->remote)
		cause_add(q->c, MAY_BE, "at the peer: get QP access",
			  "the peer's QP may not allow %s (qp_access_flags)",
			  why_access(needed_access(q->wr)));
	why_check_path_mtu(q);
	if (op->solicits)
		check_length_there(q);
	why_guess_path_mtu(q);
}

/* READs and atomics need responses, of which the QP awaits no more than that. */
static void check_own_depth(const struct diagnosis *q)
{
	const struct wr_op *op = q->wr->op;

	if (op && op->remote && op->sink && q->qp && q->qp->known & IBV_QP_MAX_QP_RD_ATOMIC &&
	    !q->qp->attr.max_rd_atomic)
		cause_add(q->c, IS_SO,
			  "connect ... -initiator-depth 1, or modify-qp RTS -max-rd-atomic 1",
			  "max_rd_atomic of %s is 0: it may have no READ or atomic under way",
			  q->qp->name);
}

static void check_target_there(const struct diagnosis *q)
{
	if (is_refused(q, UROCE_REFUSED_MEMORY)) {
		why_add_there(
			q, IS_SO, "show, and get MR addr, len",
			"%s has refused the %s: the memory at 0x%" PRIx64
			" + %u, which rkey 0x%x opens, is not mapped any more, or not writable",
			q->peer->name, q->wr->op->name, q->peer->refusal.va, q->wr->len,
			q->peer->refusal.rkey);
		return;
	}
	cause_add(
		q->c, MAY_BE, "at the peer: show, and get MR addr, len",
		"the memory at the target of the %s, 0x%" PRIx64
		" + %u at the peer, is not mapped any more, or not writable (no device shows that)",
		q->wr->op->name, q->wr->remote, q->wr->len);
}

/* The peer's device tells of its receive what it had of one SGE. */
static void check_refused_recv(const struct diagnosis *q)
{
	const struct uroce_refusal *r = &q->peer->refusal;
	const char *text =
		temp_text("%s%s has refused the message: the buffer of its RECV is not valid",
			  q->wr->there.whose, q->peer->name);
	struct failed_wr recv = { .is_foreign = true,
				  .status = IBV_WC_LOC_PROT_ERR,
				  .known = true,
				  .recv = true,
				  .nsge = r->recv_sges,
				  .sge = { { r->va, r->recv_len, r->rkey } },
				  .here = q->wr->there };

	const struct live_region *mr = region_by_key(&q->wr->there, LKEY, r->rkey);

	if (r->recv_sges == 1 && !r->has_key)
		cause_add(q->c, IS_SO, NULL, "%s: no region had the lkey 0x%x%s%s", text, r->rkey,
			  mr ? ", which was that of " : "", mr ? mr->name : "");
	else if (r->recv_sges != 1 || !mr || mr->gone || !why_add_certain(&recv, text, q->c))
		cause_add(q->c, IS_SO, NULL, "%s (lkey, range, PD, LOCAL_WRITE)", text);
}

static void check_recv_there(const struct diagnosis *q)
{
	if (q->wr->op && q->wr->op->remote)
		check_target_there(q);
	else if (is_refused(q, UROCE_REFUSED_RECV_MEMORY))
		check_refused_recv(q);
	else if (q->peer && q->peer->recv_len && q->peer->recv_len < q->wr->len)
		check_length_there(q);
	else
		cause_add(
			q->c, MAY_BE, "at the peer: poll, then explain",
			"the buffer of the peer's RECV is not valid; or on rxe, it is smaller than %u "
			"bytes",
			q->wr->len);
}

/* Why the device could not have sent this request. rdma_rxe of Linux 6.12 then flushes it, with no
 * error before it. A region that is gone may have gone later. */
static void check_unsent(const struct diagnosis *q)
{
	struct failed_wr wr = *q->wr;
	struct causes of;

	if (!wr.op || wr.recv)
		return;
	for (unsigned i = 0; i < wr.nsge && i < LIVE_SGES; i++) {
		const struct live_region *mr = region_by_key(&wr.here, LKEY, wr.sge[i].lkey);

		if (mr && mr->gone)
			return;
	}
	wr.status = wr.op->code == IBV_WR_BIND_MW ? IBV_WC_MW_BIND_ERR : IBV_WC_LOC_QP_OP_ERR;
	why_request_failed(&wr, &of);
	for (unsigned i = 0; i < of.n; i++)
		if (of.v[i].verdict == IS_SO)
			cause_add(q->c, MAY_BE, of.v[i].next, "%s", of.v[i].text);
	causes_free(&of);
}

static void check_what_came_first(const struct diagnosis *q)
{
	if (!q->qp)
		cause_add(q->c, MAY_BE, NULL, "the QP was moved to ERR; it is gone by now");
	else if (*q->qp->overrun)
		cause_add(q->c, IS_SO, NULL,
			  "%s, a CQ of %s, has overrun: it has room for %u completions, and more "
			  "came than were polled",
			  q->qp->overrun, q->qp->name, q->qp->overrun_cqe);
	else
		cause_add(q->c, *q->qp->why ? IS_SO : MAY_BE, "qp-state", "%s went to ERR%s%s",
			  q->qp->name, *q->qp->why ? ": " : "", q->qp->why);
	if (q->qp && !*q->qp->why && !*q->qp->overrun)
		check_unsent(q);
}

static const struct {
	enum ibv_wc_status status;
	void (*check[4])(const struct diagnosis *q);
} checks[] = {
	{ IBV_WC_LOC_PROT_ERR, { check_buffers } },
	{ IBV_WC_LOC_LEN_ERR, { check_length } },
	{ IBV_WC_LOC_QP_OP_ERR,
	  { check_own_depth, check_own_invalidated, check_buffers, check_length } },
	{ IBV_WC_MW_BIND_ERR, { why_check_bind } },
	{ IBV_WC_REM_OP_ERR, { check_recv_there } },
	{ IBV_WC_WR_FLUSH_ERR, { check_what_came_first } },
	{ IBV_WC_REM_ACCESS_ERR, { check_target } },
	{ IBV_WC_REM_INV_REQ_ERR, { check_work_request } },
	{ IBV_WC_RNR_RETRY_EXC_ERR, { why_check_receives } },
	{ IBV_WC_RETRY_EXC_ERR, { why_check_peer_answers } },
};

/* Two requests may be the one that has failed: nothing that is said of one of them is certain. */
static void doubt_request(const struct failed_wr *wr, struct causes *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->v[i].verdict == IS_SO)
			c->v[i].verdict = MAY_BE;
	cause_add(c, MAY_BE, NULL,
		  "or it is the %s: both have wr_id %" PRIu64
		  " and complete into one CQ, and the opcode of a failed completion is not valid",
		  wr->recv ? "SEND" : "RECV", wr->wr_id);
}

void why_request_failed(const struct failed_wr *wr, struct causes *c)
{
	const struct diagnosis q = { .wr = wr, .qp = wr->here.qp, .peer = wr->there.qp, .c = c };

	*c = (struct causes){ .no_commands = wr->is_foreign };
	if (wr->rule) {
		cause_add(c, IS_SO, "fault completion",
			  "it has failed on purpose: rule %u of those that were given", wr->rule);
		return;
	}
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
		for (unsigned k = 0; checks[i].status == wr->status && k < 4; k++)
			if (checks[i].check[k])
				checks[i].check[k](&q);
	if (wr->is_either)
		doubt_request(wr, c);
}

bool why_add_certain(const struct failed_wr *wr, const char *before, struct causes *c)
{
	bool any = false;
	struct causes of;

	why_request_failed(wr, &of);
	for (unsigned i = 0; i < of.n; i++) {
		if (of.v[i].verdict != IS_SO)
			continue;
		cause_add(c, IS_SO, NULL, "%s: %s", before, of.v[i].text);
		any = true;
	}
	causes_free(&of);
	return any;
}
