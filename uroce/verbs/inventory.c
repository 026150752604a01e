// SPDX-License-Identifier: MIT
/* The answer of this process to one that asks for its objects. */
#include "inventory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "file_limit.h"
#include "gid.h"
#include "group.h"
#include "group_own.h"
#include "history.h"
#include "link.h"
#include "queue_pair.h"
#include "spec_tables.h"

/* The file, and rows that are still to be written to it. */
struct inventory_file {
	int fd;
	bool failed;
	struct inventory_head head;
	size_t n;
	char rows[16384];
};

static void write_rows(struct inventory_file *a)
{
	a->failed |= write(a->fd, a->rows, a->n) != (ssize_t)a->n;
	a->n = 0;
}

static void put_row(struct inventory_file *a, enum uroce_kind kind, const void *row)
{
	const uint32_t size = inventory_row_size[kind];

	a->head.kind[kind].total++;
	if (a->head.kind[kind].n == INVENTORY_ROWS)
		return;
	if (a->n + size > sizeof a->rows)
		write_rows(a);
	memcpy(a->rows + a->n, row, size);
	a->n += size;
	a->head.kind[kind].n++;
}

static uint32_t number_of_pd(const struct pd *pd)
{
	return pd ? pd->domain->v.handle : UROCE_NO_OBJECT;
}

static uint32_t number_of_cq(const struct cq *cq)
{
	return cq ? cq->v.handle : UROCE_NO_OBJECT;
}

static void put_contexts(struct inventory_file *a)
{
	const struct context *c;

	TAILQ_FOREACH(c, &contexts, open) {
		struct uroce_context_row row = { .number = c->number, .channels = c->channels };

		snprintf(row.device, sizeof row.device, "%s", c->v.context.device->name);
		put_row(a, UROCE_CONTEXT, &row);
	}
}

static void put_pd(struct pd *pd, void *telling)
{
	put_row(telling, UROCE_PD,
		&(struct uroce_pd_row){ .number = pd->v.handle,
					.context = to_context(pd->v.context)->number });
}

static enum uroce_armed armed_of(struct cq *cq)
{
	switch (atomic_load(&cq->armed)) {
	case CQ_ARMED:
		return UROCE_ARMED;
	case CQ_ARMED_SOLICITED:
		return UROCE_ARMED_SOLICITED;
	default:
		return UROCE_UNARMED;
	}
}

static void put_cq(struct cq *cq, void *telling)
{
	const uint32_t head = atomic_load(&cq->head), tail = atomic_load(&cq->tail);
	const int32_t left = (int32_t)(cq->taken - cq->v.comp_events_completed);

	put_row(telling, UROCE_CQ,
		&(struct uroce_cq_row){ .number = cq->v.handle,
					.context = cq->ctx->number,
					.size = cq->size,
					.filled = tail - head,
					.channel = cq->channel != NULL,
					.armed = (uint8_t)armed_of(cq),
					.overrun = cq->overrun,
					.events = cq->events,
					.unacknowledged = left > 0 ? (uint32_t)left : 0,
					.lost = cq->lost,
					.most = cq->most,
					.overrun_when = cq->overrun_when,
					.lost_wr_id = cq->lost_wr_id,
					.lost_qpn = cq->lost_qpn });
}

static uint32_t oldest_len(const struct recv_queue *rq)
{
	return rq->head == rq->tail ? 0 : rq->ring[rq->head & rq->mask].len;
}

static void put_srq(struct srq *srq, void *telling)
{
	put_row(telling, UROCE_SRQ,
		&(struct uroce_srq_row){ .number = srq->v.handle,
					 .pd = number_of_pd(srq->pd),
					 .size = srq->rq.size,
					 .posted = srq->rq.tail - srq->rq.head,
					 .oldest_len = oldest_len(&srq->rq),
					 .limit = srq->limit });
}

static void put_mr(struct mr *mr, void *telling)
{
	put_row(telling, UROCE_MR,
		&(struct uroce_mr_row){ .number = mr->v.handle,
					.pd = number_of_pd(mr->pd),
					.lkey = mr->lkey,
					.rkey = mr->rkey,
					.addr = mr->iova,
					.len = mr->len,
					.access = mr->access,
					.windows = mr->windows });
}

static void put_mw(struct mw *mw, void *telling)
{
	struct uroce_mw_row row = { .number = mw->v.handle,
				    .pd = number_of_pd(mw->pd),
				    .rkey = mw->rkey,
				    .type = mw->type,
				    .mr = UROCE_NO_OBJECT,
				    .qp = UROCE_NO_OBJECT };

	if (mw->mr) {
		row.mr = mw->mr->v.handle;
		row.addr = mw->addr;
		row.len = mw->len;
		row.access = mw->access;
	}
	if (mw->qp)
		row.qp = mw->qp->number;
	put_row(telling, UROCE_MW, &row);
}

static void put_qp(struct qp *qp, void *telling)
{
	const bool failed = qp_state(qp) == IBV_QPS_ERR;
	struct uroce_qp_row row = {
		.number = qp->number,
		.qpn = qp->v.qp_num,
		.pd = number_of_pd(qp->pd),
		.send_cq = number_of_cq(qp->send_cq),
		.recv_cq = number_of_cq(qp->recv_cq),
		.srq = qp->srq ? qp->srq->v.handle : UROCE_NO_OBJECT,
		.type = qp->type,
		.sends = qp->sq.tail - qp->sq.head,
		.begun = qp->sq.next - qp->sq.head,
		.recvs = qp->rq.tail - qp->rq.head,
		.recv_len = failed ? qp->resp.recv.len : oldest_len(&qp->rq),
		.sq_sig_all = qp->sq_sig_all,
		.peer_is_here = qp_state(qp) >= IBV_QPS_RTR && qp->type != IBV_QPT_UD &&
				gid_is_here(&qp->flow.dgid, 0),
		.steps = qp->steps,
	};

	if (qp->sq.head != qp->sq.next) {
		row.oldest_wr_id = sq_at(qp, qp->sq.head)->wr_id;
		row.oldest_opcode = sq_at(qp, qp->sq.head)->op->code;
	}
	history_tell_qp(qp, &row);
	qp_attr_now(qp, &row.attr);
	put_row(telling, UROCE_QP, &row);
}

static void put_gone(const struct uroce_gone_row *row, void *telling)
{
	put_row(telling, UROCE_GONE_QP, row);
}

static void put_drop(const struct uroce_drop_row *row, void *telling)
{
	put_row(telling, UROCE_DROP, row);
}

static void put_all(struct inventory_file *a)
{
	put_contexts(a);
	pd_each(put_pd, a);
	cq_each(put_cq, a);
	srq_each(put_srq, a);
	region_each(put_mr, a);
	region_window_each(put_mw, a);
	qp_each(put_qp, a);
	history_each_gone(put_gone, a);
	history_each_drop(put_drop, a);
}

/* The rows come after room for the head, which is written when all rows have been counted. */
static int write_answer(int fd)
{
	struct inventory_file a = { .fd = fd, .head = { .magic = INVENTORY_MAGIC } };

	for (unsigned i = 0; i < UROCE_KINDS; i++)
		a.head.kind[i].row_size = inventory_row_size[i];
	if (lseek(fd, sizeof a.head, SEEK_SET) < 0)
		return -1;
	put_all(&a);
	write_rows(&a);
	return !a.failed && pwrite(fd, &a.head, sizeof a.head, 0) == sizeof a.head ? 0 : -1;
}

int inventory_fd(void)
{
	int fd = memfd_create("uroce-inventory", MFD_CLOEXEC), ret, err;
	sigset_t before;

	if (fd < 0)
		return -1;
	before = file_limit_begin();
	ret = write_answer(fd);
	file_limit_end(before);
	if (ret == 0)
		return fd;
	err = errno;
	close(fd);
	return fail(err);
}
