// SPDX-License-Identifier: MIT
/*
 * Why a completion is an error. This end's buffers can always be checked; the other end's only
 * where it lives in this process too, or has told its region (oob).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codes.h"
#include "explain_wc.h"
#include "posted.h"
#include "session.h"
#include "wr_ops.h"
#include "words.h"

/* What is being looked into. */
struct inquest {
	struct session *s;
	const struct bad_wc *bad;
	const struct posted *wr;
	const struct wr_op *op; /* NULL: not known */
	struct qp *qp;		/* NULL: it is gone */
	struct qp *peer;	/* the QP it talks to, when that is one of ours */
	struct ibv_qp_attr attr;
	struct candidates *c;
};

static const struct wr_op *op_of(const char *name)
{
	for (unsigned i = 0; i < WR_OPS; i++)
		if (strcmp(wr_ops[i].name, name) == 0)
			return &wr_ops[i];
	return NULL;
}

static struct qp *qp_numbered(struct session *s, const struct dev *dev, uint32_t qpn)
{
	struct obj *o;

	obj_foreach(o, s) {
		struct qp *qp = (struct qp *)o;

		if (o->class == &qp_class && qp->v->qp_num == qpn && qp->pd->dev == dev)
			return qp;
	}
	return NULL;
}

static struct mr *mr_keyed(struct session *s, uint32_t key, bool remote)
{
	struct obj *o;

	obj_foreach(o, s) {
		struct mr *mr = (struct mr *)o;

		if (o->class == &mr_class && (remote ? mr->v->rkey : mr->v->lkey) == key)
			return mr;
	}
	return NULL;
}

/* Addresses of a zero-based region begin with 0. */
static uint64_t mr_begin(const struct mr *mr)
{
	return mr->access & IBV_ACCESS_ZERO_BASED ? 0 : (uintptr_t)mr->v->addr;
}

static bool inside(const struct mr *mr, uint64_t addr, uint64_t len)
{
	uint64_t begin = mr_begin(mr);

	return addr >= begin && len <= mr->v->length && addr - begin <= mr->v->length - len;
}

/* ------------------------------------------------------------- this end's buffers -- */

static void check_sge(const struct inquest *q, const struct ibv_sge *sge, bool written)
{
	const struct mr *mr = mr_keyed(q->s, sge->lkey, false);
	char next[64];

	if (!mr) {
		candidate_add(q->c, IS_SO, "show",
			      "no region has the lkey 0x%x: it is wrong, or %s", sge->lkey,
			      "the region was deregistered");
		return;
	}
	snprintf(next, sizeof next, "show %s", mr->o.name);
	if (q->qp && mr->pd != q->qp->pd)
		candidate_add(q->c, IS_SO, next, "%s is of %s, the QP of %s", mr->o.name,
			      mr->pd->o.name, q->qp->pd->o.name);
	if (!inside(mr, sge->addr, sge->length))
		candidate_add(q->c, IS_SO, next,
			      "0x%" PRIx64 " + %u leaves %s, which is 0x%" PRIx64 " + %zu",
			      sge->addr, sge->length, mr->o.name, mr_begin(mr), mr->v->length);
	if (written && !(mr->access & IBV_ACCESS_LOCAL_WRITE))
		candidate_add(q->c, IS_SO, "rereg, or reg with -access local-write",
			      "%s has no LOCAL_WRITE, and the device must write to it", mr->o.name);
}

static void check_buffers(const struct inquest *q)
{
	unsigned sure = candidates_sure(q->c);
	bool written = q->wr->recv || (q->op && q->op->sink);

	if (q->wr->is_inline)
		return;
	for (unsigned i = 0; i < q->wr->nsge && i < POSTED_SGES; i++)
		check_sge(q, &q->wr->sge[i], written);
	if (candidates_sure(q->c) == sure)
		candidate_add(q->c, IS_NOT, NULL,
			      "the buffers of this end are right, as they are now");
}

/* ------------------------------------------------------------------ the other end -- */

static unsigned needed_access(const struct wr_op *op)
{
	if (op->atomic)
		return IBV_ACCESS_REMOTE_ATOMIC;
	return op->sink ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;
}

static void check_region_there(const struct inquest *q, const struct mr *mr)
{
	unsigned need = needed_access(q->op);
	char next[64];

	snprintf(next, sizeof next, "show %s", mr->o.name);
	if (!inside(mr, q->wr->remote, q->wr->len))
		candidate_add(q->c, IS_SO, next,
			      "0x%" PRIx64 " + %u leaves %s, which is 0x%" PRIx64 " + %zu",
			      q->wr->remote, q->wr->len, mr->o.name, mr_begin(mr), mr->v->length);
	if (!(mr->access & need))
		candidate_add(q->c, IS_SO, "rereg, or reg with that -access", "%s has no %s",
			      mr->o.name, word_name(mr_access_words, need));
	if (q->peer && mr->pd != q->peer->pd)
		candidate_add(q->c, IS_SO, next, "%s is of %s, the peer's QP of %s", mr->o.name,
			      mr->pd->o.name, q->peer->pd->o.name);
}

static void check_rights_there(const struct inquest *q)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	unsigned need = needed_access(q->op);
	char next[96];

	if (!q->peer || ibv_query_qp(q->peer->v, &attr, IBV_QP_ACCESS_FLAGS, &init))
		return;
	snprintf(next, sizeof next, "modify-qp RTS -qp %s -access ...", q->peer->o.name);
	if (!(attr.qp_access_flags & need))
		candidate_add(q->c, IS_SO, next, "%s, the peer's QP, does not allow %s",
			      q->peer->o.name, word_name(mr_access_words, need));
}

/* The rkey, the range and the rights of an RDMA operation. */
static void check_target(const struct inquest *q)
{
	const struct mr *mr = mr_keyed(q->s, q->wr->rkey, true);
	const struct qp_peer *told = q->qp ? &q->qp->peer : NULL;
	unsigned sure = candidates_sure(q->c);

	if (!q->op || !q->op->remote)
		return;
	check_rights_there(q);
	if (mr) {
		check_region_there(q, mr);
	} else if (mr_keyed(q->s, q->wr->rkey, false)) {
		candidate_add(q->c, IS_SO, "get MR rkey",
			      "0x%x is the lkey of %s: peers use its rkey", q->wr->rkey,
			      mr_keyed(q->s, q->wr->rkey, false)->o.name);
	} else if (q->peer) {
		candidate_add(q->c, IS_SO, "show", "no region or window here has the rkey 0x%x%s",
			      q->wr->rkey, "; it was deregistered, or is wrong");
	} else if (told && told->known && told->len && told->rkey != q->wr->rkey) {
		candidate_add(q->c, IS_SO, "qp-info", "the peer told the rkey 0x%x, not 0x%x",
			      told->rkey, q->wr->rkey);
	} else if (told && told->known && told->len &&
		   (q->wr->remote < told->addr || q->wr->len > told->len ||
		    q->wr->remote - told->addr > told->len - q->wr->len)) {
		candidate_add(q->c, IS_SO, "qp-info",
			      "0x%" PRIx64 " + %u leaves the region that the peer told, 0x%" PRIx64
			      " + %" PRIu64,
			      q->wr->remote, q->wr->len, told->addr, told->len);
	}
	if (candidates_sure(q->c) == sure)
		candidate_add(q->c, MAY_BE,
			      "at the peer: show, and get MR addr, length, rkey, access",
			      "address 0x%" PRIx64 " + %u, rkey 0x%x or its rights at the peer",
			      q->wr->remote, q->wr->len, q->wr->rkey);
}

static void check_receives_there(const struct inquest *q)
{
	unsigned left = q->peer ? posted_left(q->peer, true, NULL) : 0;

	if (!q->peer)
		candidate_add(q->c, MAY_BE, "at the peer: post recv",
			      "the peer has posted no RECV");
	else if (q->peer->srq)
		candidate_add(q->c, MAY_BE, "post recv -srq",
			      "%s, the SRQ of the peer's QP, is empty", q->peer->srq->o.name);
	else if (!left)
		candidate_add(q->c, IS_SO, "post recv -qp ...",
			      "%s, the peer's QP, has no RECV posted", q->peer->o.name);
	else
		candidate_add(q->c, IS_NOT, NULL, "%s has %u RECVs posted, now", q->peer->o.name,
			      left);
	candidate_add(q->c, MAY_BE, "modify-qp RTS -rnr-retry 7 (at connect: -rnr-retry)",
		      "rnr_retry is %u%s", q->attr.rnr_retry,
		      q->attr.rnr_retry == 7 ? ", for ever" : ": it gives up");
}

static void check_peer_size(const struct inquest *q)
{
	if (q->op && q->op->atomic && q->wr->remote % 8)
		candidate_add(q->c, IS_SO, NULL, "0x%" PRIx64 " is no multiple of 8",
			      q->wr->remote);
	if (q->op && (q->op->atomic || (q->op->sink && q->op->remote)) && q->peer) {
		struct ibv_qp_init_attr init;
		struct ibv_qp_attr attr;

		if (!ibv_query_qp(q->peer->v, &attr, IBV_QP_MAX_DEST_RD_ATOMIC, &init) &&
		    attr.max_dest_rd_atomic < q->attr.max_rd_atomic)
			candidate_add(
				q->c, IS_SO, "modify-qp ... -max-dest-rd-atomic",
				"%s answers %u READs and atomics at a time, this end sends %u",
				q->peer->o.name, attr.max_dest_rd_atomic, q->attr.max_rd_atomic);
	}
	if (q->op && q->op->solicits)
		candidate_add(q->c, MAY_BE, "at the peer: poll, which says LOC_LEN_ERR",
			      "the peer's RECV is smaller than the message of %u bytes",
			      q->wr->len);
}

static void check_peer_answers(const struct inquest *q)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	char next[64];

	if (!q->peer) {
		candidate_add(q->c, MAY_BE, "at the peer: qp-state",
			      "the peer's QP 0x%x is gone, or not in RTR or RTS",
			      q->attr.dest_qp_num);
		candidate_add(q->c, MAY_BE, "gids, here and there",
			      "the way there: GID %s, firewall on UDP port 4791", "index and type");
	} else if (!ibv_query_qp(q->peer->v, &attr, IBV_QP_STATE | IBV_QP_RQ_PSN | IBV_QP_DEST_QPN,
				 &init)) {
		snprintf(next, sizeof next, "qp-state %s", q->peer->o.name);
		if (attr.qp_state != IBV_QPS_RTR && attr.qp_state != IBV_QPS_RTS)
			candidate_add(q->c, IS_SO, next, "%s, the peer's QP, is in %s",
				      q->peer->o.name, word_name(qp_state_words, attr.qp_state));
		else if (q->qp && attr.dest_qp_num != q->qp->v->qp_num)
			candidate_add(q->c, IS_SO, next, "%s talks to QP 0x%x, not to 0x%x",
				      q->peer->o.name, attr.dest_qp_num, q->qp->v->qp_num);
		else
			candidate_add(q->c, MAY_BE, next,
				      "PSNs: this end's sq_psn 0x%x, the peer's "
				      "rq_psn now 0x%x",
				      q->attr.sq_psn, attr.rq_psn);
	}
	candidate_add(q->c, MAY_BE, "fault wire; counters",
		      "packets are lost: %u tries, each after %.1f ms at least",
		      q->attr.retry_cnt + 1u, (double)ack_timeout_ns(q->attr.timeout) / 1e6);
}

static void check_what_came_first(const struct inquest *q)
{
	const struct qp *qp = q->qp;

	if (!qp || !qp->nsteps) {
		candidate_add(q->c, MAY_BE, NULL, "the QP was moved to ERR; it is gone by now");
		return;
	}
	for (unsigned i = qp->nsteps; i > 0 && qp->nsteps - i < QP_STEPS; i--) {
		const struct qp_step *step = &qp->steps[(i - 1) % QP_STEPS];

		if (step->state == IBV_QPS_ERR) {
			candidate_add(q->c, IS_SO, "qp-state", "%s went to ERR: %s", qp->o.name,
				      step->why);
			return;
		}
	}
	candidate_add(q->c, MAY_BE, "qp-state", "%s went to ERR", qp->o.name);
}

static const struct {
	enum ibv_wc_status status;
	void (*check[3])(const struct inquest *q);
} checks[] = {
	{ IBV_WC_LOC_PROT_ERR, { check_buffers } },
	{ IBV_WC_LOC_LEN_ERR, { check_buffers } },
	{ IBV_WC_WR_FLUSH_ERR, { check_what_came_first } },
	{ IBV_WC_REM_ACCESS_ERR, { check_target } },
	{ IBV_WC_REM_INV_REQ_ERR, { check_peer_size } },
	{ IBV_WC_RNR_RETRY_EXC_ERR, { check_receives_there } },
	{ IBV_WC_RETRY_EXC_ERR, { check_peer_answers } },
};

void explain_wc(struct session *s, const struct bad_wc *bad, struct candidates *c)
{
	struct inquest q = { .s = s, .bad = bad, .wr = &bad->posted, .c = c };
	struct ibv_qp_init_attr init;

	if (bad->known && bad->posted.opcode)
		q.op = op_of(bad->posted.opcode);
	q.qp = obj_find(s, &qp_class, bad->qp);
	if (q.qp && q.qp->o.serial != bad->serial)
		q.qp = NULL;
	if (q.qp &&
	    !ibv_query_qp(q.qp->v, &q.attr,
			  IBV_QP_DEST_QPN | IBV_QP_RNR_RETRY | IBV_QP_RETRY_CNT | IBV_QP_TIMEOUT |
				  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
			  &init) &&
	    q.qp->type != IBV_QPT_UD)
		q.peer = qp_numbered(s, q.qp->pd->dev, q.attr.dest_qp_num);
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
		for (unsigned k = 0; checks[i].status == bad->status && k < 3; k++)
			if (checks[i].check[k])
				checks[i].check[k](&q);
}
