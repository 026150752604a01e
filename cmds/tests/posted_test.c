/* SPDX-License-Identifier: MIT */
/* What was posted, read from the record: what a completion retires, what is left, and what the
 * ring does not have any more. */
#include <errno.h>

#include "call_record.h"
#include "checks.h"
#include "data/posted.h"
#include "objects.h"
#include "own_rows.h"
#include "spec_tables.h"

static struct ibv_context context; /* of a device that does nothing */
static struct ibv_cq send_queue = { .context = &context }, recv_queue = { .context = &context };
static struct ibv_qp number_17 = { .context = &context, .qp_num = 17 };
static struct cq send_cq = { .v = &send_queue }, recv_cq = { .v = &recv_queue };
static struct qp qp = { .o.serial = 5, .v = &number_17, .send_cq = &send_cq, .recv_cq = &recv_cq };
static struct ibv_wc *next; /* of the polls; wr_id of the first that is refused */
static uint64_t refused;
static int ready;

static int fake_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	(void)cq;
	for (int i = 0; i < n && i < ready; i++)
		wc[i] = next[i];
	return ready;
}

static int fake_send(struct ibv_qp *to, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)to;
	for (; wr; wr = wr->next)
		if (wr->wr_id == refused) {
			*bad = wr;
			return ENOMEM;
		}
	return 0;
}

static int fake_recv(struct ibv_qp *to, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)to;
	(void)wr;
	(void)bad;
	return 0;
}

static void post_send(uint64_t wr_id, bool signaled)
{
	struct ibv_sge sge[2] = { { 0x1000, 8, 1 }, { 0x2000, 9, 2 } };
	struct ibv_send_wr wr = { .wr_id = wr_id,
				  .sg_list = sge,
				  .num_sge = 2,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = signaled ? IBV_SEND_SIGNALED : 0,
				  .wr.rdma = { 0x7000, 0x99 } };
	struct ibv_send_wr *bad;

	ibv_post_send(&number_17, &wr, &bad);
}

static void post_recv(uint64_t wr_id)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id }, *bad;

	ibv_post_recv(&number_17, &wr, &bad);
}

static void poll_cq(struct ibv_cq *cq, struct ibv_wc *wc, int n)
{
	struct ibv_wc got[4];

	next = wc;
	ready = n;
	ibv_poll_cq(cq, 4, got);
}

/* A completion is polled: was it posted, and as what? */
static bool done(uint64_t wr_id, bool recv, struct posted *p)
{
	struct ibv_wc wc = { .wr_id = wr_id,
			     .opcode = recv ? IBV_WC_RECV : IBV_WC_RDMA_WRITE,
			     .qp_num = 17 };
	uint64_t before = record_place(RECORD_DATA);

	poll_cq(recv ? &recv_queue : &send_queue, &wc, 1);
	return posted_done(&qp, before, 0, p);
}

static unsigned left(bool recv)
{
	return posted_outstanding(&qp, recv).n;
}

static void completion_retires_what_is_before(void)
{
	struct posted p;

	posted_clear(&qp);
	post_send(1, false);
	post_recv(2);
	post_send(3, false);
	post_send(4, true);
	CHECK_INT(left(false), 3);
	CHECK_INT(posted_outstanding(&qp, false).silent, 2);
	CHECK_INT(posted_outstanding(&qp, false).oldest.wr_id, 1);
	CHECK(done(3, false, &p));
	CHECK_INT(p.wr_id, 3);
	CHECK(p.op == &wr_ops[WR_WRITE] && !p.recv && !p.signaled);
	CHECK_INT(p.len, 17);
	CHECK_INT(p.nsge, 2);
	CHECK_INT(p.sge[1].lkey, 2);
	CHECK_INT(p.remote, 0x7000);
	CHECK_INT(p.rkey, 0x99);
	CHECK_INT(left(false), 1);
	CHECK_INT(left(true), 1);
	CHECK_INT(posted_outstanding(&qp, true).oldest.wr_id, 2);
}

static void ids_may_be_used_again(void)
{
	struct posted first, second;

	posted_clear(&qp);
	post_send(7, true);
	post_send(7, true);
	CHECK(done(7, false, &first));
	CHECK_INT(left(false), 1);
	CHECK(done(7, false, &second) && second.begin > first.begin);
	CHECK(!done(7, false, &second));
	CHECK(!done(99, true, &second));
	CHECK_INT(left(false), 0);
}

/* Of a list the queue may hold a part; a poll may find several, which somebody else took. */
static void lists(void)
{
	struct ibv_wc wc[3] = { { .wr_id = 11, .qp_num = 17 },
				{ .wr_id = 12, .qp_num = 18 },
				{ .wr_id = 12, .qp_num = 17 } };
	struct ibv_send_wr wr[5], *bad;
	struct posted p;
	uint64_t before;

	posted_clear(&qp);
	for (unsigned i = 0; i < 5; i++)
		wr[i] = (struct ibv_send_wr){ .wr_id = 10 + i, .next = i < 4 ? &wr[i + 1] : NULL };
	refused = 13;
	CHECK_INT(ibv_post_send(&number_17, wr, &bad), ENOMEM);
	CHECK_INT(left(false), 3);
	before = record_place(RECORD_DATA);
	poll_cq(&send_queue, wc, 3);
	CHECK(posted_done(&qp, before, 0, &p) && p.wr_id == 11);
	CHECK(posted_done(&qp, before, 2, &p) && p.wr_id == 12);
	CHECK_INT(left(false), 0);
	refused = UINT64_MAX;
	post_send(20, true);
	post_send(21, true);
	poll_cq(&send_queue, &(struct ibv_wc){ .wr_id = 20, .qp_num = 17 }, 1);
	CHECK_INT(left(false), 1);
	CHECK(done(21, false, &p));
}

/* The opcode of a failed completion says nothing. */
static void failures(void)
{
	struct ibv_wc wc = {
		.wr_id = 31, .status = IBV_WC_RETRY_EXC_ERR, .qp_num = 17, .opcode = IBV_WC_RECV
	};
	uint64_t before = record_place(RECORD_DATA);
	struct bad_wc bad;
	struct posted p;

	posted_clear(&qp);
	CHECK(!posted_last_failed(&bad));
	post_recv(30);
	post_send(31, true);
	post_send(32, true);
	poll_cq(&send_queue, &wc, 1);
	CHECK(posted_done(&qp, before, 0, &p) && p.wr_id == 31 && !p.recv);
	posted_failed(&qp, &wc, &p, 3);
	CHECK_INT(left(true), 1);
	wc = (struct ibv_wc){ .wr_id = 32, .status = IBV_WC_WR_FLUSH_ERR, .qp_num = 17 };
	posted_failed(&qp, &wc, NULL, 4); /* a consequence */
	for (unsigned i = 0; i < 50000; i++)
		post_send(100, true);
	CHECK(posted_last_failed(&bad));
	CHECK_INT(bad.status, IBV_WC_RETRY_EXC_ERR);
	CHECK_INT(bad.serial, 5);
	CHECK_INT(bad.command, 3);
	CHECK(bad.known && bad.posted.wr_id == 31 && bad.posted.sge[0].addr == 0x1000);
	qp.o.serial = 6;
	posted_failed(&qp, &wc, NULL, 4);
	CHECK(posted_last_failed(&bad) && bad.status == IBV_WC_WR_FLUSH_ERR && !bad.known);
	qp.o.serial = 5;
}

static void the_ring_forgets(void)
{
	enum { MANY = 50000 };
	struct posted p;

	posted_clear(&qp);
	post_recv(1);
	for (unsigned i = 0; i < MANY; i++)
		post_send(i, true);
	CHECK(left(false) > 1000 && left(false) < MANY);
	CHECK(posted_outstanding(&qp, false).has_more);
	CHECK(posted_outstanding(&qp, true).has_more && !left(true));
	CHECK(!done(10, false, &p));
	CHECK(done(MANY - 2, false, &p));
	CHECK_INT(left(false), 1);
	CHECK(!posted_outstanding(&qp, false).has_more);
	posted_clear(&qp);
	CHECK(!left(false) && !posted_outstanding(&qp, true).has_more);
}

int main(void)
{
	own_rows_begin();
	context.ops.poll_cq = fake_poll;
	context.ops.post_send = fake_send;
	context.ops.post_recv = fake_recv;
	refused = UINT64_MAX;
	completion_retires_what_is_before();
	ids_may_be_used_again();
	lists();
	failures();
	the_ring_forgets();
	return checks_end();
}
