// SPDX-License-Identifier: MIT
/*
 * WRITEs to another process of this host, which are carried out without packets: trials whether the
 * peer answers them by WRITEs, and WRITEs that go by packets and are taken back when nobody reads
 * them.
 */
#include "direct.h"
#include "transport_pair.h"

#define GAP	  64 /* WRITEs until the first trial, */
#define GAP_KNOWN 16 /* or the next one when the peer has answered */
#define TRIAL	  30000
#define UNREAD	  200000 /* ns */

static unsigned carried;
static uint64_t last_carried;

static enum direct_result carry(struct send_wqe *w)
{
	carried++;
	w->carried = w->len;
	last_carried = w->wr_id;
	return DIRECT_DONE;
}

static enum direct_result refuse(struct send_wqe *w)
{
	(void)w;
	return DIRECT_PACKETS;
}

static void open_neighbours(void)
{
	static char process;

	open_pair();
	rig_pair = (struct pair *)&process;
	rig_direct = carry;
	rig_awaited = false;
	carried = 0;
}

static void close_neighbours(void)
{
	rig_pair = NULL;
	rig_direct = NULL;
	close_pair();
}

/* n WRITEs, one after the other. Returns how many of them went without packets. */
static unsigned write_each(unsigned n)
{
	unsigned before = carried;

	for (unsigned i = 0; i < n; i++) {
		post(IBV_WR_RDMA_WRITE, i, 8);
		rig_run(0);
		expect(a->send_cq, i, IBV_WC_SUCCESS);
	}
	return carried - before;
}

static void pass_after(uint64_t ns)
{
	rig_run(ns);
	rig_pass();
}

/* The next WRITE is a trial. */
static void open_before_trial(void)
{
	open_neighbours();
	CHECK_INT(write_each(GAP - 1), GAP - 1);
	CHECK_INT(rig_logged, 0);
}

/* It is carried out at once, and completes when it is over. */
static void trial_in_vain(void)
{
	unsigned before = carried;

	post(IBV_WR_RDMA_WRITE, 1000, 8);
	CHECK_INT(carried, before + 1);
	CHECK(rig_awaited);
	pass_after(TRIAL - 1000);
	expect_none(a->send_cq);
	pass_after(1000);
	expect(a->send_cq, 1000, IBV_WC_SUCCESS);
	CHECK(!rig_awaited);
}

/* The peer does not answer: the gap is twice as long each time. */
static void test_trials(void)
{
	open_before_trial();
	trial_in_vain();
	CHECK_INT(write_each(2 * GAP - 1), 2 * GAP - 1);
	trial_in_vain();
	CHECK_INT(write_each(4 * GAP - 1), 4 * GAP - 1);
	trial_in_vain();
	CHECK_INT(rig_logged, 0);
	close_neighbours();
}

/* No trials when nobody polls for the completion. */
static void test_no_trial(void)
{
	struct rig_wr wr;

	open_before_trial();
	wr = data(IBV_WR_RDMA_WRITE, 1, 8);
	wr.unsignaled = true;
	rig_post(a, &wr);
	CHECK(!rig_awaited);
	rig_direct = refuse;
	post(IBV_WR_RDMA_WRITE, 2, 8); /* this one would be a trial, but goes by packets */
	CHECK(!rig_awaited);
	rig_run(0);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	close_neighbours();
}

static void post_answer(uint64_t id)
{
	struct rig_wr wr = data(IBV_WR_RDMA_WRITE, id, 8);

	rig_post(b, &wr);
}

/* The peer sees that it is awaited, and answers by packets: so does this end, and so on. */
static void test_answers(void)
{
	open_before_trial();
	post(IBV_WR_RDMA_WRITE, 1, 8);
	expect_none(a->send_cq);
	post_answer(11);
	CHECK_INT(rig_logged, 1);
	pass_after(TRIAL / 2);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK(!rig_awaited);
	rig_run(0);
	expect(b->send_cq, 11, IBV_WC_SUCCESS);
	CHECK_INT(carried, GAP);
	/* the next trial comes sooner */
	a->resp.ack_due = true;
	CHECK_INT(write_each(1), 0);
	CHECK_INT(write_each(GAP_KNOWN - 1), GAP_KNOWN - 1);
	trial_in_vain();
	close_neighbours();
}

/* What follows does not wait, and completions stay in order; the QP may fail. */
static void test_trial_ends(void)
{
	open_before_trial();
	post(IBV_WR_RDMA_WRITE, 1, 8);
	expect_none(a->send_cq);
	post(IBV_WR_RDMA_WRITE, 2, 8);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	close_neighbours();

	open_before_trial();
	post(IBV_WR_RDMA_WRITE, 1, 8);
	rig_state(a, IBV_QPS_ERR);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect_none(a->send_cq);
	CHECK(!rig_awaited);
	pass_after(TRIAL);
	close_neighbours();
}

/* The next WRITE goes by packets. */
static void open_awaited(void)
{
	open_neighbours();
	rig_awaited = true;
}

/* A WRITE in the ring, which the peer does not read for a while. */
static void write_unread(void)
{
	open_awaited();
	rig_wire.delay = MS;
	post(IBV_WR_RDMA_WRITE, 1, 8);
}

/* Nobody reads it: it is taken back, and its PSN is given to the next packet. */
static void test_unread(void)
{
	write_unread();
	CHECK_INT(rig_logged, 1);
	pass_after(UNREAD - 1000);
	expect_none(a->send_cq);
	pass_after(1000);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK_INT(carried, 1);
	CHECK_INT(rig_logged, 0);
	CHECK_INT(counters[CNT_WITHDRAWN], 1);
	rig_wire.delay = 5000;
	rig_awaited = false;
	rig_recv(b, 9, there, 8, there_key);
	post(IBV_WR_SEND, 2, 8);
	CHECK_INT(rig_log[0].psn, o.psn);
	rig_run(0);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	expect(b->recv_cq, 9, IBV_WC_SUCCESS);
	close_neighbours();
}

/* A WRITE behind it waits, and goes after it. */
static void test_order(void)
{
	write_unread();
	post(IBV_WR_RDMA_WRITE, 2, 8);
	CHECK_INT(rig_logged, 1);
	pass_after(UNREAD);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	CHECK_INT(carried, 2);
	CHECK_INT(last_carried, 2);
	CHECK_INT(a->req.psn, o.psn);
	close_neighbours();
}

/* Two WRITEs, which go by packets after all. */
static void test_order_by_packets(void)
{
	write_unread();
	post(IBV_WR_RDMA_WRITE, 2, 3 * MTU);
	rig_direct = refuse;
	rig_awaited = false;
	pass_after(UNREAD);
	CHECK_INT(counters[CNT_WITHDRAWN], 1);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	CHECK_INT(a->req.psn, psn_add(o.psn, 4));
	close_neighbours();
}

/* What stands behind it fails in its turn: a request that is carried out here, and one that has
 * been looked at already. */
static void test_broken_behind(void)
{
	struct rig_wr wr;

	write_unread();
	wr = (struct rig_wr){ .wr_id = 2, .opcode = IBV_WR_LOCAL_INV, .inv_rkey = rig_bind(a) };
	rig_post(a, &wr); /* is carried out at once */
	wr.wr_id = 3;
	wr.inv_rkey ^= 1;
	rig_post(a, &wr);
	pass_after(UNREAD);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	expect(a->send_cq, 3, IBV_WC_LOC_QP_OP_ERR);
	CHECK_INT(carried, 1);
	close_neighbours();

	write_unread();
	wr = data(IBV_WR_RDMA_WRITE, 2, 3 * MTU);
	wr.sge[0].lkey ^= 0x100;
	rig_post(a, &wr);
	pass_after(UNREAD);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(a->send_cq, 2, IBV_WC_LOC_PROT_ERR);
	CHECK_INT(carried, 1);
	close_neighbours();
}

/* The peer answers what it has not taken from the ring: it waits, and sends it again itself. */
static void test_answered_unread(void)
{
	struct packet rnr = { .op = opcode_find(OP_ACK), .syndrome = AETH_RNR };

	write_unread();
	rnr.src = rig_log[0].dst;
	rnr.dst = rig_log[0].src;
	rnr.qpn = a->v.qp_num;
	rnr.psn = o.psn;
	rnr.pkey = rig_log[0].pkey;
	rig_inject(&rnr, NULL);
	CHECK(a->req.rnr_wait);
	pass_after(UNREAD);
	CHECK_INT(counters[CNT_WITHDRAWN], 0);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK_INT(carried, 0);
	close_neighbours();
}

/* Something was sent after it, or it has arrived, and only its ACK is lost: it stays. */
static void test_not_withdrawn(void)
{
	open_awaited();
	rig_wire.delay = MS;
	rig_recv(b, 9, there, 8, there_key);
	post(IBV_WR_RDMA_WRITE, 1, 8);
	post(IBV_WR_SEND, 2, 8);
	CHECK_INT(rig_logged, 2);
	pass_after(UNREAD);
	expect_none(a->send_cq);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	CHECK_INT(carried, 0);
	close_neighbours();

	/* by UDP, since somebody looks at packets by now */
	open_awaited();
	rig_wire.delay = MS;
	rig_recv(b, 9, there, 8, there_key);
	post(IBV_WR_RDMA_WRITE, 1, 8);
	rig_pair = NULL;
	post(IBV_WR_SEND, 2, 8);
	pass_after(UNREAD);
	CHECK_INT(counters[CNT_WITHDRAWN], 0);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	close_neighbours();

	open_awaited();
	rig_wire.lose = lose_response;
	lose_psn = o.psn;
	lose_times = 1;
	post(IBV_WR_RDMA_WRITE, 1, 8);
	pass_after(UNREAD);
	expect_none(a->send_cq);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK_INT(carried, 0);
	CHECK_INT(sent_psn(o.psn), 2);
	CHECK_INT(counters[CNT_DUP_REQUEST], 1);
	CHECK_INT(counters[CNT_WITHDRAWN], 0);
	close_neighbours();
}

/* It cannot be carried out either: it is sent again, and this time it stays in the ring. */
static void test_refused(void)
{
	write_unread();
	rig_direct = refuse;
	pass_after(UNREAD);
	CHECK_INT(counters[CNT_WITHDRAWN], 1);
	CHECK_INT(rig_logged, 1);
	CHECK_INT(rig_log[0].psn, o.psn);
	pass_after(UNREAD);
	CHECK_INT(counters[CNT_WITHDRAWN], 1);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	close_neighbours();
}

/* The QP has gone to ERR before its time. */
static void test_failed(void)
{
	write_unread();
	rig_state(a, IBV_QPS_ERR);
	expect(a->send_cq, 1, IBV_WC_WR_FLUSH_ERR);
	pass_after(UNREAD);
	CHECK_INT(counters[CNT_WITHDRAWN], 0);
	CHECK_INT(carried, 0);
	close_neighbours();
}

int main(void)
{
	open_memory();
	test_trials();
	test_no_trial();
	test_answers();
	test_trial_ends();
	test_unread();
	test_order();
	test_order_by_packets();
	test_broken_behind();
	test_answered_unread();
	test_not_withdrawn();
	test_refused();
	test_failed();
	return checks_end();
}
