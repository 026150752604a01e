// SPDX-License-Identifier: MIT
/*
 * Why a completion is an error. This end's buffers can always be checked; the other end's only
 * where it can be looked at (far_end.h), or has told its region (oob).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "codes.h"
#include "explain_wc.h"
#include "far_end.h"
#include "qp_history.h"
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
	struct far_end far;	/* the QP it talks to, where that can be seen */
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
	const struct mr *mr = obj_by_number(q->s, &mr_class, sge->lkey);
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
			      q->wr->recv ? "the buffers of this RECV are right, as they are now"
					  : "the buffers of this end are right, as they are now");
}

/* rxe says LOC_QP_OP_ERR of a RECV that is too small, others LOC_LEN_ERR. */
static void check_length(const struct inquest *q)
{
	bool sure = q->bad->status == IBV_WC_LOC_LEN_ERR;

	if (q->wr->recv && (sure || !candidates_sure(q->c)))
		candidate_add(q->c, sure ? IS_SO : MAY_BE, "post recv with a larger -len",
			      "the RECV has room for %u bytes, and the message is longer",
			      q->wr->len);
	else if (sure)
		candidate_add(q->c, MAY_BE, "ports",
			      "%u bytes are more than the port's largest message", q->wr->len);
}

/* ------------------------------------------------------------------ the other end -- */

static unsigned needed_access(const struct wr_op *op)
{
	if (op->atomic)
		return IBV_ACCESS_REMOTE_ATOMIC;
	return op->sink ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;
}

/* Something of the other end that can be seen. */
__attribute__((format(printf, 4, 5))) static void
there(const struct inquest *q, enum verdict verdict, const char *next, const char *fmt, ...)
{
	char text[256], command[128];
	va_list ap;
	size_t at = strlen(q->far.whose);

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (next && at > 2) /* "b: " */
		snprintf(command, sizeof command, "@%.*s %s", (int)at - 2, q->far.whose, next);
	else if (next)
		snprintf(command, sizeof command, "%s", next);
	candidate_add(q->c, verdict, next ? command : NULL, "%s%s", q->far.whose, text);
}

static void check_region_there(const struct inquest *q, Tcl_Obj *mr)
{
	const char *name = far_text(mr, "name");
	const char *need = word_name(mr_access_words, needed_access(q->op));
	uint64_t begin = far_allows(mr, "access", "ZERO_BASED") ? 0 : far_number(mr, "addr");
	uint64_t len = far_number(mr, "len"), at = q->wr->remote;
	char next[64];

	snprintf(next, sizeof next, "show %s", name);
	if (at < begin || q->wr->len > len || at - begin > len - q->wr->len)
		there(q, IS_SO, next,
		      "0x%" PRIx64 " + %u leaves %s, which is 0x%" PRIx64 " + %" PRIu64, at,
		      q->wr->len, name, begin, len);
	if (!far_allows(mr, "access", need))
		there(q, IS_SO, "reg with that -access", "%s has no %s", name, need);
	if (strcmp(far_text(mr, "pd"), far_text(q->far.qp, "pd")) != 0)
		there(q, IS_SO, next, "%s is of %s, the QP of %s", name, far_text(mr, "pd"),
		      far_text(q->far.qp, "pd"));
}

static void check_rights_there(const struct inquest *q)
{
	const char *need = word_name(mr_access_words, needed_access(q->op));
	char next[96];

	snprintf(next, sizeof next, "modify-qp RTS %s -access ...", q->far.name);
	if (!far_allows(q->far.qp, "access", need))
		there(q, IS_SO, next, "%s, the peer's QP, does not allow %s", q->far.name, need);
}

/* What the peer has told: by oob, or with listen -share. */
static void check_told(const struct inquest *q, const struct qp_peer *told)
{
	uint64_t at = q->wr->remote - told->addr;
	char next[64] = "-at 0, where the window begins";

	if (!told->len)
		return;
	if (told->rkey != q->wr->rkey) {
		snprintf(next, sizeof next, "-rkey 0x%x", told->rkey);
		candidate_add(q->c, IS_SO, next, "the peer told the rkey 0x%x, not 0x%x",
			      told->rkey, q->wr->rkey);
		return;
	}
	if (at < told->len)
		snprintf(next, sizeof next, "-len %" PRIu64 " at most, from there", told->len - at);
	if (at > told->len || q->wr->len > told->len - at)
		candidate_add(q->c, IS_SO, next,
			      "0x%" PRIx64 " + %u leaves the region that the peer told, 0x%" PRIx64
			      " + %" PRIu64,
			      q->wr->remote, q->wr->len, told->addr, told->len);
}

/* The rkey, the range and the rights of an RDMA operation. */
static void check_target(const struct inquest *q)
{
	unsigned sure = candidates_sure(q->c);

	if (!q->op || !q->op->remote)
		return;
	if (q->far.qp) {
		Tcl_Obj *mr = far_region(&q->far, "rkey", q->wr->rkey);

		check_rights_there(q);
		if (mr)
			check_region_there(q, mr);
		else if (far_region(&q->far, "lkey", q->wr->rkey))
			there(q, IS_SO, NULL, "0x%x is an lkey: peers use the rkey", q->wr->rkey);
		else
			there(q, IS_SO, "show",
			      "no region or window has the rkey 0x%x: it was "
			      "deregistered, or is wrong",
			      q->wr->rkey);
	} else if (q->qp) {
		check_told(q, &q->qp->peer);
	}
	if (candidates_sure(q->c) == sure)
		candidate_add(q->c, MAY_BE,
			      "at the peer: show, and get MR addr, length, rkey, access",
			      "address 0x%" PRIx64 " + %u, rkey 0x%x or its rights at the peer",
			      q->wr->remote, q->wr->len, q->wr->rkey);
}

static void check_receives_there(const struct inquest *q)
{
	char next[64];

	snprintf(next, sizeof next, "post recv -qp %s", q->far.qp ? q->far.name : "");
	if (!q->far.qp)
		candidate_add(q->c, MAY_BE, "at the peer: post recv",
			      "the peer has posted no RECV");
	else if (*far_text(q->far.qp, "srq"))
		there(q, MAY_BE, "post recv -srq", "%s, its SRQ, is empty",
		      far_text(q->far.qp, "srq"));
	else if (!far_number(q->far.qp, "recvs"))
		there(q, IS_SO, next, "%s, the peer's QP, has no RECV posted", q->far.name);
	else
		there(q, IS_NOT, NULL, "%s has %" PRIu64 " RECVs posted, now", q->far.name,
		      far_number(q->far.qp, "recvs"));
	candidate_add(q->c, MAY_BE,
		      "at the peer: -rnr-retry 7 of connect, listen or accept; or modify-qp RTS "
		      "-rnr-retry 7 here",
		      "rnr_retry is %u%s", q->attr.rnr_retry,
		      q->attr.rnr_retry == 7 ? ", for ever" : ": it gives up");
}

static void check_request(const struct inquest *q)
{
	if (!q->op)
		return;
	if (q->op->atomic && q->wr->remote % 8)
		candidate_add(q->c, IS_SO, NULL, "0x%" PRIx64 " is no multiple of 8",
			      q->wr->remote);
	if (q->far.qp && q->op->remote && q->op->sink &&
	    far_number(q->far.qp, "max_dest_rd_atomic") < q->attr.max_rd_atomic)
		there(q, IS_SO, "modify-qp ... -max-dest-rd-atomic",
		      "%s answers %" PRIu64 " READs and atomics at a time, this end sends %u",
		      q->far.name, far_number(q->far.qp, "max_dest_rd_atomic"),
		      q->attr.max_rd_atomic);
	if (q->far.qp && q->op->remote)
		check_rights_there(q);
	if (q->op->solicits)
		candidate_add(q->c, MAY_BE, "at the peer: poll, which says LOC_LEN_ERR",
			      "the peer's RECV is smaller than the message of %u bytes",
			      q->wr->len);
}

static void check_recv_there(const struct inquest *q)
{
	candidate_add(
		q->c, MAY_BE, "at the peer: poll, then explain",
		"the buffer of the peer's RECV is not valid; or on rxe, it is smaller than %u "
		"bytes",
		q->wr->len);
}

static void check_peer_answers(const struct inquest *q)
{
	const char *state = q->far.qp ? far_text(q->far.qp, "state") : NULL;
	char next[64];

	if (!state) {
		candidate_add(q->c, MAY_BE, "at the peer: qp-state",
			      "the peer's QP %u is gone, or does not talk to this one",
			      q->attr.dest_qp_num);
		candidate_add(q->c, MAY_BE, "gids, here and there",
			      "the way there: GID index and type, firewall on UDP port 4791");
	} else {
		snprintf(next, sizeof next, "qp-state %s", q->far.name);
		if (strcmp(state, "RTR") != 0 && strcmp(state, "RTS") != 0)
			there(q, IS_SO, next, "%s, the peer's QP, is in %s", q->far.name, state);
		else
			there(q, MAY_BE, next,
			      "PSNs: this end began with 0x%x, the peer expects 0x%" PRIx64 " now",
			      q->attr.sq_psn, far_number(q->far.qp, "rq_psn"));
	}
	candidate_add(q->c, MAY_BE, "counters; fault wire",
		      "packets are lost: %u tries, each after %.1f ms at least",
		      q->attr.retry_cnt + 1u, (double)ack_timeout_ns(q->attr.timeout) / 1e6);
}

static void check_what_came_first(const struct inquest *q)
{
	const struct qp *qp = q->qp;
	struct qp_step steps[QP_STEPS];
	unsigned n = qp ? qp_history_steps(qp, steps) : 0;

	if (!n) {
		candidate_add(q->c, MAY_BE, NULL, "the QP was moved to ERR; it is gone by now");
		return;
	}
	while (n-- > 0)
		if (steps[n].state == IBV_QPS_ERR) {
			candidate_add(q->c, IS_SO, "qp-state", "%s went to ERR: %s", qp->o.name,
				      steps[n].why);
			return;
		}
	candidate_add(q->c, MAY_BE, "qp-state", "%s went to ERR", qp->o.name);
}

static const struct {
	enum ibv_wc_status status;
	void (*check[3])(const struct inquest *q);
} checks[] = {
	{ IBV_WC_LOC_PROT_ERR, { check_buffers } },
	{ IBV_WC_LOC_LEN_ERR, { check_length } },
	{ IBV_WC_LOC_QP_OP_ERR, { check_buffers, check_length } },
	{ IBV_WC_REM_OP_ERR, { check_recv_there } },
	{ IBV_WC_WR_FLUSH_ERR, { check_what_came_first } },
	{ IBV_WC_REM_ACCESS_ERR, { check_target } },
	{ IBV_WC_REM_INV_REQ_ERR, { check_request } },
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
		q.far = far_end_find(s, q.attr.dest_qp_num, q.qp->v->qp_num);
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
		for (unsigned k = 0; checks[i].status == bad->status && k < 3; k++)
			if (checks[i].check[k])
				checks[i].check[k](&q);
	far_end_free(&q.far);
}
