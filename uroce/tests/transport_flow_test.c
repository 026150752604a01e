/* SPDX-License-Identifier: MIT */
/* Acknowledgements, windows, timers and retries: looks at the packets that are sent. */
#include "transport_pair.h"

/* ------------------------------------------------------------- acknowledgements -- */

static void check_acks(void)
{
	open_pair();
	/* a window of 16 asks half-way and at its end; then, with the last of the message */
	post(IBV_WR_RDMA_WRITE, 1, 20 * MTU);
	CHECK_INT(rig_logged, 16);
	for (unsigned i = 0; i < 16; i++) {
		CHECK_INT(rig_log[i].psn, psn_add(o.psn, i));
		CHECK_INT(rig_log[i].ackreq, i % 8 == 7);
		CHECK_INT(rig_log[i].len, MTU);
		CHECK_INT(rig_log[i].op->code, i ? OP_WRITE_MIDDLE : OP_WRITE_FIRST);
	}
	CHECK_INT(rig_log[0].dma_len, 20 * MTU);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	/* all of the first pass came in at once: one ACK; four packets more: another */
	CHECK_INT(rig_count(OP_ACK), 2);
	CHECK_INT(rig_log[rig_logged - 1].psn, psn_add(o.psn, 19));
	CHECK_INT(rig_log[rig_logged - 1].syndrome, AETH_ACK);
	CHECK_INT(rig_log[rig_logged - 1].msn, 1);

	/* many messages in one pass: one ACK */
	rig_clear();
	for (unsigned i = 0; i < 10; i++)
		post(IBV_WR_RDMA_WRITE, i, 1);
	CHECK_INT(rig_logged, 10);
	for (unsigned i = 0; i < 10; i++)
		CHECK(rig_log[i].ackreq);
	rig_run(0);
	CHECK_INT(rig_count(OP_ACK), 1);
	CHECK_INT(rig_log[10].msn, 11);
	for (unsigned i = 0; i < 10; i++)
		expect(a->send_cq, i, IBV_WC_SUCCESS);

	/* not lost at the end of the QP: the peer would wait for ever */
	rig_clear();
	post(IBV_WR_RDMA_WRITE, 2, 1);
	rig_log[0].src = rig_gid_a;
	rig_log[0].dst = rig_gid_b;
	rig_inject(&rig_log[0], "x");
	rig_state(b, IBV_QPS_ERR);
	CHECK_INT(rig_count(OP_ACK), 1);
	rig_run(0);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	close_pair();
}

static void check_window(void)
{
	open_pair();
	CHECK_INT(a->req.window, 16);
	for (unsigned i = 0; i < 60; i++) {
		post(IBV_WR_RDMA_WRITE, 1, BYTES);
		rig_run(0);
		expect(a->send_cq, 1, IBV_WC_SUCCESS);
	}
	CHECK_INT(a->req.window, 64);
	rig_clear();
	post(IBV_WR_RDMA_WRITE, 1, BYTES);
	CHECK_INT(rig_logged, 64);
	close_pair();
}

/* ------------------------------------------------------------------------ loss -- */

static void check_sequence_nak(void)
{
	uint64_t start = rig_now;
	unsigned naks = 0;

	open_pair();
	rig_wire.lose = lose_request;
	lose_psn = psn_add(o.psn, 5);
	lose_times = 1;
	post(IBV_WR_RDMA_WRITE, 1, 16 * MTU);
	while (!a->req.recovering && rig_now < start + MS)
		rig_run(1000);
	CHECK_INT(a->req.window, 8);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	for (unsigned i = 0; i < rig_logged; i++) {
		if (rig_log[i].op->code != OP_ACK || rig_log[i].syndrome != AETH_NAK_SEQUENCE)
			continue;
		naks++;
		CHECK_INT(rig_log[i].psn, lose_psn);
	}
	CHECK_INT(naks, 1);
	/* those before it are not sent again, those behind are */
	CHECK_INT(sent_psn(psn_add(o.psn, 4)), 1);
	CHECK_INT(sent_psn(lose_psn), 2);
	CHECK_INT(sent_psn(psn_add(o.psn, 15)), 2);
	CHECK_INT(counters[CNT_OUT_OF_SEQ_REQUEST], 10);
	CHECK_INT(counters[CNT_RCVD_SEQ_ERR], 1);
	close_pair();
}

/* The sixth packet, and the seventh when it is sent for the second time. */
static bool lose_two(const struct packet *p)
{
	bool sixth = p->psn == psn_add(o.psn, 5) && sent_psn(p->psn) == 1;
	bool seventh = p->psn == psn_add(o.psn, 6) && sent_psn(p->psn) == 2;

	return p->op->flags & WIRE_REQUEST && (sixth || seventh);
}

/* A packet that a NAK has asked for is acknowledged when it comes, and before the next NAK:
 * rdma_rxe ignores that one otherwise. */
static void check_ack_between_naks(void)
{
	unsigned naks = 0, acks = 0;

	open_pair();
	rig_wire.lose = lose_two;
	post(IBV_WR_RDMA_WRITE, 1, 16 * MTU);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	for (unsigned i = 0; i < rig_logged && naks < 2; i++) {
		if (rig_log[i].op->code != OP_ACK)
			continue;
		if (rig_log[i].syndrome == AETH_NAK_SEQUENCE)
			naks++;
		else if (naks == 1 && rig_log[i].psn == psn_add(o.psn, 5))
			acks++;
	}
	CHECK_INT(naks, 2);
	CHECK_INT(acks, 1);
	close_pair();
}

/* An ACK that is lost: the next one stands for it, or the timer does. */
static void check_lost_ack(void)
{
	uint64_t start;

	open_pair();
	rig_wire.lose = lose_response;
	lose_psn = o.psn;
	lose_times = 1;
	start = rig_now;
	post(IBV_WR_RDMA_WRITE, 1, 1);
	rig_run(100000);
	expect_none(a->send_cq);
	post(IBV_WR_RDMA_WRITE, 2, 1);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	CHECK_INT(counters[CNT_DUP_REQUEST], 0);

	lose_psn = psn_add(o.psn, 2);
	lose_times = 1;
	start = rig_now;
	post(IBV_WR_RDMA_WRITE, 3, 1);
	rig_run(0);
	expect(a->send_cq, 3, IBV_WC_SUCCESS);
	CHECK_INT(counters[CNT_DUP_REQUEST], 1);
	CHECK(rig_now >= start + (UINT64_C(4096) << 8));
	close_pair();
}

/* Sends until a lone packet is given up; returns how long that took. */
static uint64_t give_up_after(void)
{
	uint64_t start = rig_now;

	rig_wire.lose = lose_all;
	post(IBV_WR_RDMA_WRITE, 1, 1);
	rig_run(0);
	return rig_now - start;
}

/* After one, two and then each time four times the timeout; what is longer than 300 ms stays so. */
static uint64_t longest_wait(unsigned t, unsigned retries)
{
	uint64_t first = UINT64_C(4096) << t, most, sum = 0;

	if (first < MS)
		first = MS;
	most = first > 300 * MS ? first : 300 * MS;
	for (unsigned i = 0; i <= retries; i++) {
		uint64_t wait = i == 0 ? first : i == 1 ? 2 * first : 4 * first;

		sum += wait < most ? wait : most;
	}
	return sum;
}

static void check_timeouts(void)
{
	for (unsigned t = 1; t < 19; t++) {
		o.timeout = t;
		o.retry_cnt = t % 8;
		open_pair();
		CHECK_INT(give_up_after(), longest_wait(t, o.retry_cnt));
		CHECK_INT(rig_logged, o.retry_cnt + 1);
		expect(a->send_cq, 1, IBV_WC_RETRY_EXC_ERR);
		CHECK_INT(qp_state(a), IBV_QPS_ERR);
		CHECK_INT(counters[CNT_RETRY_EXCEEDED_ERR], 1);
		close_pair();
	}
	/* 0: never */
	o.timeout = 0;
	open_pair();
	CHECK_INT(give_up_after(), 0);
	CHECK_INT(rig_logged, 1);
	expect_none(a->send_cq);
	close_pair();
}

/* The time runs from the last progress, and retries count from there. */
static void check_progress(void)
{
	open_pair();
	rig_wire.lose = lose_request;
	lose_psn = o.psn;
	lose_times = 7;
	post(IBV_WR_RDMA_WRITE, 1, MTU);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK_INT(a->req.retries, 7);
	CHECK_INT(a->req.timeouts, 0);
	lose_psn = psn_add(o.psn, 1);
	lose_times = 7;
	post(IBV_WR_RDMA_WRITE, 2, MTU);
	rig_run(0);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	CHECK_INT(a->req.window, 2); /* it was 1; and it goes on with that */
	post(IBV_WR_RDMA_WRITE, 3, 9 * MTU);
	rig_run(0);
	expect(a->send_cq, 3, IBV_WC_SUCCESS);
	close_pair();
}

static void check_rnr(void)
{
	static const struct {
		unsigned code;
		uint64_t us;
	} timers[] = { { 0, 655360 }, { 1, 10 }, { 14, 1280 }, { 31, 491520 } };
	uint64_t start;

	for (unsigned i = 0; i < 4; i++) {
		o.min_rnr_timer = timers[i].code;
		o.rnr_retry = 3;
		open_pair();
		start = rig_now;
		post(IBV_WR_SEND, 1, 3 * MTU);
		post(IBV_WR_SEND, 2, 1);
		rig_run(0);
		expect(a->send_cq, 1, IBV_WC_RNR_RETRY_EXC_ERR);
		expect(a->send_cq, 2, IBV_WC_WR_FLUSH_ERR);
		CHECK_INT(sent_psn(o.psn), 4);
		CHECK(rig_now - start >= 3 * timers[i].us * 1000);
		CHECK(rig_now - start < 3 * timers[i].us * 1000 + MS);
		CHECK_INT(counters[CNT_RETRY_RNR_EXCEEDED_ERR], 1);
		CHECK_INT(counters[CNT_RCVD_SEQ_ERR], 0); /* those behind are dropped */
		expect_none(b->recv_cq);
		CHECK_INT(qp_state(b), IBV_QPS_RTS);
		close_pair();
	}
	/* it comes again before it was refused, and there is a receive now */
	open_pair();
	post(IBV_WR_SEND, 1, 1);
	rig_log[0].src = rig_gid_a;
	rig_log[0].dst = rig_gid_b;
	rig_inject(&rig_log[0], "x");
	rig_recv(b, 9, there, MTU, there_key);
	rig_inject(&rig_log[0], "x");
	rig_run(0);
	CHECK_INT(rig_log[1].syndrome, AETH_ACK);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK_INT(counters[CNT_RCVD_RNR], 0);
	close_pair();
	/* 7: for ever, until there is a receive */
	open_pair();
	start = rig_now;
	post(IBV_WR_SEND, 1, 3 * MTU);
	rig_run(20 * MS);
	CHECK(counters[CNT_SEND_RNR] > 100);
	rig_recv(b, 9, there, 3 * MTU, there_key);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(b->recv_cq, 9, IBV_WC_SUCCESS);
	close_pair();
}

int main(void)
{
	open_memory();
	check_acks();
	check_window();
	check_sequence_nak();
	check_ack_between_naks();
	check_lost_ack();
	check_timeouts();
	check_progress();
	check_rnr();
	return checks_end();
}
