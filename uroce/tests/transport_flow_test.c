/* SPDX-License-Identifier: MIT */
/*
 * How requester and responder behave in time: acknowledgements, windows, fences, retries,
 * timers, draining. Looks at the packets that are sent.
 */
#include "rig.h"

#include "check.h"
#include "parts.h"

#define MTU   256u
#define BYTES (128 * MTU)
#define MS    UINT64_C(1000000)

static _Alignas(8) uint8_t here[BYTES], there[BYTES];
static uint32_t here_key, there_key;
static struct rig_options o;
static struct qp *a, *b;

static void open_pair(void)
{
	memset(counters, 0, sizeof(counters));
	rig_wire = (struct rig_wire){ .delay = 5000 };
	a = rig_qp(&o);
	b = rig_qp(&o);
	rig_connect(a, b, &o);
	rig_clear();
}

static void close_pair(void)
{
	rig_free(a);
	rig_free(b);
	rig_clear();
	while (rig_event().type >= 0)
		;
	o = rig_defaults;
}

static struct rig_wr data(enum ibv_wr_opcode opcode, uint64_t id, uint32_t len)
{
	return (struct rig_wr){ .wr_id = id,
				.opcode = opcode,
				.nsge = 1,
				.sge = { { (uintptr_t)here, len, here_key } },
				.remote = (uintptr_t)there,
				.rkey = there_key };
}

static void post(enum ibv_wr_opcode opcode, uint64_t id, uint32_t len)
{
	struct rig_wr wr = data(opcode, id, len);

	rig_post(a, &wr);
}

static void post_fenced(enum ibv_wr_opcode opcode, uint64_t id, uint32_t len)
{
	struct rig_wr wr = data(opcode, id, len);

	wr.flags = IBV_SEND_FENCE;
	rig_post(a, &wr);
}

static void expect(struct cq *cq, uint64_t id, enum ibv_wc_status status)
{
	struct ibv_wc wc;

	CHECK(rig_poll(cq, &wc));
	CHECK_INT(wc.wr_id, id);
	CHECK_INT(wc.status, status);
}

static void expect_none(struct cq *cq)
{
	struct ibv_wc wc;

	CHECK(!rig_poll(cq, &wc));
}

static bool lose_all(const struct packet *p)
{
	(void)p;
	return true;
}

/* How often each PSN was sent as a request. */
static unsigned sent_psn(uint32_t psn)
{
	unsigned n = 0;

	for (unsigned i = 0; i < rig_logged; i++)
		n += rig_log[i].op->flags & WIRE_REQUEST && rig_log[i].psn == psn;
	return n;
}

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

	/* it may wait for what the application sends */
	rig_clear();
	post(IBV_WR_RDMA_WRITE, 1, 1);
	rig_log[0].src = rig_gid_a;
	rig_log[0].dst = rig_gid_b;
	rig_inject(&rig_log[0], "x");
	for (unsigned i = 1; i <= 3; i++) {
		CHECK(!transport_finish(false));
		CHECK_INT(rig_deferred, i);
		CHECK_INT(rig_count(OP_ACK), 0);
	}
	CHECK(!transport_finish(true));
	CHECK_INT(rig_count(OP_ACK), 1);
	CHECK(!transport_finish(true));
	CHECK_INT(rig_count(OP_ACK), 1);
	CHECK(!b->resp.ack_due);

	/* but not beyond the end of the QP: the peer would wait for ever */
	rig_clear();
	post(IBV_WR_RDMA_WRITE, 2, 1);
	rig_log[0].src = rig_gid_a;
	rig_log[0].dst = rig_gid_b;
	rig_inject(&rig_log[0], "x");
	CHECK(!transport_finish(false));
	CHECK_INT(rig_count(OP_ACK), 0);
	rig_state(b, IBV_QPS_ERR);
	CHECK_INT(rig_count(OP_ACK), 1);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
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

static uint32_t lose_psn;
static unsigned lose_times;

static bool lose_one(const struct packet *p)
{
	if (!(p->op->flags & WIRE_REQUEST) || p->psn != lose_psn || !lose_times)
		return false;
	lose_times--;
	return true;
}

static bool lose_response(const struct packet *p)
{
	if (p->op->flags & WIRE_REQUEST || p->psn != lose_psn || !lose_times)
		return false;
	lose_times--;
	return true;
}

static void check_sequence_nak(void)
{
	uint64_t start = rig_now;
	unsigned naks = 0;

	open_pair();
	rig_wire.lose = lose_one;
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

static void check_timeouts(void)
{
	for (unsigned t = 1; t < 16; t++) {
		uint64_t each = UINT64_C(4096) << t;

		o.timeout = t;
		o.retry_cnt = t % 8;
		open_pair();
		if (each < MS)
			each = MS;
		CHECK_INT(give_up_after(), each * (o.retry_cnt + 1));
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
	rig_wire.lose = lose_one;
	lose_psn = o.psn;
	lose_times = 7;
	post(IBV_WR_RDMA_WRITE, 1, MTU);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK_INT(a->req.retries, 7);
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

/* ----------------------------------------------------------------------- READs -- */

static void check_read_parts(void)
{
	uint32_t at = 0;

	open_pair();
	post(IBV_WR_RDMA_READ, 1, 40 * MTU + 1);
	CHECK_INT(rig_logged, 1); /* the window has room for one part */
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK_INT(rig_count(OP_READ_REQUEST), 3);
	CHECK_INT(rig_count(OP_READ_RESP_FIRST), 3);
	CHECK_INT(rig_count(OP_READ_RESP_LAST), 3);
	CHECK_INT(rig_count(OP_READ_RESP_MIDDLE), 35);
	CHECK_INT(rig_count(OP_ACK), 0);
	for (unsigned i = 0; i < rig_logged; i++) {
		const struct packet *p = &rig_log[i];

		if (p->op->code != OP_READ_REQUEST)
			continue;
		CHECK_INT(p->psn, psn_add(o.psn, at / MTU));
		CHECK(p->va == (uintptr_t)there + at);
		CHECK_INT(p->dma_len, at == 32 * MTU ? 8 * MTU + 1 : 16 * MTU);
		at += p->dma_len;
	}
	CHECK_INT(at, 40 * MTU + 1);
	close_pair();
}

/* A response is lost: asked for again from there, within the part, once. */
static void check_read_retry(void)
{
	open_pair();
	rig_wire.lose = lose_response;
	lose_psn = psn_add(o.psn, 5);
	lose_times = 1;
	for (unsigned i = 0; i < BYTES; i++)
		there[i] = (uint8_t)rig_random();
	memset(here, 0, BYTES);
	post(IBV_WR_RDMA_READ, 1, 12 * MTU);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK(memcmp(here, there, 12 * MTU) == 0);
	CHECK_INT(rig_count(OP_READ_REQUEST), 2);
	CHECK_INT(sent_psn(o.psn), 1);
	CHECK_INT(sent_psn(lose_psn), 1);
	/* it goes on where it stopped, as rdma_rxe has it */
	CHECK_INT(rig_count(OP_READ_RESP_FIRST), 1);
	CHECK_INT(rig_count(OP_READ_RESP_LAST), 2);
	CHECK_INT(counters[CNT_DUP_REQUEST], 1);
	CHECK_INT(counters[CNT_COMPLETER_RETRY_ERR], 1);

	/* an answer that is lost as a whole: the ACK of what follows tells */
	rig_recv(b, 9, there + 64 * MTU, MTU, there_key);
	lose_psn = psn_add(o.psn, 12);
	lose_times = 1;
	post(IBV_WR_RDMA_READ, 2, 1);
	post(IBV_WR_SEND, 3, 1);
	rig_run(100000);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	expect(a->send_cq, 3, IBV_WC_SUCCESS);
	expect(b->recv_cq, 9, IBV_WC_SUCCESS);
	expect_none(b->recv_cq);
	close_pair();
}

static void check_atomic_retry(void)
{
	uint64_t *word = (uint64_t *)(void *)there;
	struct rig_wr wr;

	*word = 10;
	open_pair();
	rig_wire.lose = lose_response;
	lose_psn = o.psn;
	lose_times = 3;
	wr = data(IBV_WR_ATOMIC_FETCH_AND_ADD, 1, 8);
	wr.compare_add = 1;
	rig_post(a, &wr);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK_INT(*word, 11);
	CHECK(memcmp(here, &(uint64_t){ 10 }, 8) == 0);
	CHECK_INT(counters[CNT_DUP_REQUEST], 3);
	close_pair();
}

static void check_limits(void)
{
	o.rd_atomic = 2;
	open_pair();
	for (unsigned i = 1; i <= 5; i++)
		post(IBV_WR_RDMA_READ, i, 1);
	CHECK_INT(rig_logged, 2);
	post_fenced(IBV_WR_RDMA_WRITE, 6, 1);
	rig_run(0);
	for (unsigned i = 1; i <= 6; i++)
		expect(a->send_cq, i, IBV_WC_SUCCESS);
	/* the fence: after the answer of the last READ */
	for (unsigned i = 0, answers = 0; i < rig_logged; i++) {
		answers += rig_log[i].op->code == OP_READ_RESP_ONLY;
		if (rig_log[i].op->code == OP_WRITE_ONLY)
			CHECK_INT(answers, 5);
	}
	/* without it, a WRITE is sent at once */
	rig_clear();
	post(IBV_WR_RDMA_READ, 1, 1);
	post(IBV_WR_RDMA_WRITE, 2, 1);
	CHECK_INT(rig_logged, 2);
	rig_run(0);
	close_pair();
}

/* A peer that asks for more READs at once than it may: an invalid request. */
static void check_too_many(void)
{
	struct packet p = { .op = opcode_find(OP_READ_REQUEST), .pkey = PKEY_DEFAULT };

	o.rd_atomic = 2;
	open_pair();
	p.src = rig_gid_a;
	p.dst = rig_gid_b;
	p.qpn = b->v.qp_num;
	p.va = (uintptr_t)there;
	p.rkey = there_key;
	p.dma_len = 1;
	for (unsigned i = 0; i < 3; i++) {
		p.psn = psn_add(o.psn, i);
		rig_inject(&p, NULL);
	}
	rig_run(0);
	CHECK_INT(rig_count(OP_READ_RESP_ONLY), 2);
	CHECK_INT(rig_log[2].syndrome, AETH_NAK_INVALID);
	CHECK_INT(rig_log[2].psn, psn_add(o.psn, 2));
	CHECK_INT(rig_event().type, IBV_EVENT_QP_REQ_ERR);
	CHECK_INT(qp_state(b), IBV_QPS_ERR);
	close_pair();
}

/* Old READs that come again do not stand in the way of new ones. */
static void check_stale_reads(void)
{
	struct packet p;

	o.rd_atomic = 2;
	open_pair();
	for (unsigned i = 1; i <= 3; i++)
		post(IBV_WR_RDMA_READ, i, 1);
	rig_run(0);
	p = rig_log[1];
	CHECK_INT(p.op->code, OP_READ_REQUEST);
	p.src = rig_gid_a;
	p.dst = rig_gid_b;
	for (unsigned i = 0; i < 2; i++) {
		p.psn = psn_add(o.psn, 1 + i);
		rig_inject(&p, NULL);
	}
	for (unsigned i = 0; i < 2; i++) {
		p.psn = psn_add(o.psn, 3 + i);
		rig_inject(&p, NULL);
	}
	CHECK_INT(b->resp.psn, psn_add(o.psn, 5));
	CHECK(!b->resp.failing);
	/* and one whose memory has gone since does not end the QP */
	rig_run(0);
	rig_dereg(there_key);
	p.psn = psn_add(o.psn, 4);
	rig_clear();
	rig_inject(&p, NULL);
	rig_run(0);
	CHECK_INT(rig_logged, 1);
	CHECK_INT(rig_log[0].syndrome, AETH_NAK_ACCESS);
	CHECK_INT(qp_state(b), IBV_QPS_RTS);
	CHECK_INT(rig_event().type, -1);
	there_key = rig_reg(&rig_pd, there, BYTES,
			    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	close_pair();

	/* or goes before the answer is sent again */
	open_pair();
	post(IBV_WR_RDMA_READ, 4, 1);
	rig_run(0);
	p.psn = psn_add(a->req.psn, PSN_MASK);
	p.rkey = there_key;
	rig_clear();
	rig_inject(&p, NULL);
	rig_hole = there;
	rig_hole_bytes = 1;
	rig_run(0);
	rig_hole = NULL;
	CHECK_INT(rig_logged, 1);
	CHECK_INT(rig_log[0].syndrome, AETH_NAK_ACCESS);
	CHECK_INT(qp_state(b), IBV_QPS_RTS);
	CHECK_INT(rig_event().type, -1);
	close_pair();
}

/* A READ of a peer that knows no parts (rdma_rxe) is answered in turns. */
static void check_paced(void)
{
	struct packet p = { .op = opcode_find(OP_READ_REQUEST), .pkey = PKEY_DEFAULT };

	open_pair();
	p.src = rig_gid_a;
	p.dst = rig_gid_b;
	p.qpn = b->v.qp_num;
	p.psn = o.psn;
	p.va = (uintptr_t)there;
	p.rkey = there_key;
	p.dma_len = BYTES;
	rig_inject(&p, NULL);
	for (unsigned sent = 16; sent < 128; sent += 16) {
		CHECK(transport_finish(true));
		CHECK_INT(rig_logged, sent);
	}
	CHECK(!transport_finish(true));
	CHECK_INT(rig_logged, 128);
	CHECK_INT(rig_log[127].op->code, OP_READ_RESP_LAST);
	CHECK_INT(rig_log[127].psn, psn_add(o.psn, 127));
	/* a refusal waits until what comes before it has been answered */
	rig_clear();
	p.psn = psn_add(o.psn, 128);
	p.dma_len = 20 * MTU;
	rig_inject(&p, NULL);
	p.psn = psn_add(o.psn, 148);
	p.rkey ^= 0x100;
	rig_inject(&p, NULL);
	CHECK(transport_finish(true));
	CHECK_INT(qp_state(b), IBV_QPS_RTS);
	CHECK(!transport_finish(true));
	CHECK_INT(rig_logged, 21);
	CHECK_INT(rig_log[20].syndrome, AETH_NAK_ACCESS);
	CHECK_INT(qp_state(b), IBV_QPS_ERR);
	close_pair();
}

/* ---------------------------------------------------------------------- states -- */

static void check_drain(void)
{
	open_pair();
	rig_recv(b, 9, there, MTU, there_key);
	post(IBV_WR_RDMA_WRITE, 1, 40 * MTU);
	post(IBV_WR_RDMA_WRITE, 2, 1);
	a->attr.en_sqd_async_notify = 1;
	rig_state(a, IBV_QPS_SQD);
	CHECK(a->draining);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect_none(a->send_cq);
	CHECK(!a->draining);
	CHECK_INT(rig_event().type, IBV_EVENT_SQ_DRAINED);
	post(IBV_WR_SEND, 3, 1);
	rig_run(0);
	expect_none(a->send_cq);
	rig_state(a, IBV_QPS_RTS);
	rig_run(0);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	expect(a->send_cq, 3, IBV_WC_SUCCESS);
	/* nothing to drain; no event was asked for */
	a->attr.en_sqd_async_notify = 0;
	rig_state(a, IBV_QPS_SQD);
	CHECK(!a->draining);
	CHECK_INT(rig_event().type, -1);
	close_pair();
}

static void check_states(void)
{
	o.timeout = 0;
	open_pair();
	/* ERR by the application: all is flushed, in order, unsignaled ones too */
	rig_wire.lose = lose_all;
	for (unsigned i = 1; i <= 5; i++) {
		struct rig_wr wr = data(IBV_WR_RDMA_WRITE, i, 30 * MTU);

		wr.unsignaled = i % 2;
		rig_post(a, &wr);
		rig_recv(a, 10 + i, there, MTU, there_key);
	}
	rig_state(a, IBV_QPS_ERR);
	for (unsigned i = 1; i <= 5; i++) {
		expect(a->send_cq, i, IBV_WC_WR_FLUSH_ERR);
		expect(a->recv_cq, 10 + i, IBV_WC_WR_FLUSH_ERR);
	}
	post(IBV_WR_SEND, 6, 1);
	expect(a->send_cq, 6, IBV_WC_WR_FLUSH_ERR);
	rig_recv(a, 16, there, MTU, there_key);
	expect(a->recv_cq, 16, IBV_WC_WR_FLUSH_ERR);
	CHECK_INT(rig_event().type, -1);

	/* RESET forgets; the pair works again */
	post(IBV_WR_SEND, 7, 1);
	rig_state(a, IBV_QPS_RESET);
	rig_state(b, IBV_QPS_RESET);
	rig_clear();
	expect_none(a->send_cq);
	CHECK_INT(a->sq.head, a->sq.tail);
	CHECK_INT(a->rq.head, a->rq.tail);
	rig_wire.lose = NULL;
	o.psn = 17;
	rig_connect(a, b, &o);
	rig_recv(b, 9, there, MTU, there_key);
	post(IBV_WR_SEND, 8, MTU);
	rig_run(0);
	expect(a->send_cq, 8, IBV_WC_SUCCESS);
	expect(b->recv_cq, 9, IBV_WC_SUCCESS);
	close_pair();
}

/* The first packet of a peer finds a QP in RTR: COMM_EST, once. */
static void check_comm_est(void)
{
	struct rig_event e;

	a = rig_qp(&o);
	b = rig_qp(&o);
	rig_rtr(a, b, &o);
	rig_rtr(b, a, &o);
	rig_rts(a, &o);
	rig_recv(b, 9, there, MTU, there_key);
	post(IBV_WR_SEND, 1, 1);
	post(IBV_WR_RDMA_READ, 2, 1);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	expect(b->recv_cq, 9, IBV_WC_SUCCESS);
	e = rig_event();
	CHECK(e.qp == b && e.type == IBV_EVENT_COMM_EST);
	CHECK_INT(rig_event().type, -1);
	close_pair();
}

/* What was sent in part before its memory went away: those before it end as they should. */
static void check_broken(void)
{
	uint32_t key = rig_reg(&rig_pd, here, BYTES, IBV_ACCESS_LOCAL_WRITE);
	struct rig_wr wr;

	open_pair();
	post(IBV_WR_RDMA_WRITE, 1, MTU);
	wr = data(IBV_WR_RDMA_WRITE, 2, 40 * MTU);
	wr.sge[0].lkey = key;
	rig_post(a, &wr);
	post(IBV_WR_RDMA_WRITE, 3, MTU);
	CHECK_INT(rig_logged, 16);
	rig_dereg(key);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(a->send_cq, 2, IBV_WC_LOC_PROT_ERR);
	expect(a->send_cq, 3, IBV_WC_WR_FLUSH_ERR);
	CHECK_INT(qp_state(a), IBV_QPS_ERR);
	CHECK_INT(rig_event().type, -1);
	close_pair();
}

/* ---------------------------------------------------------------------- pacing -- */

/* UC has no window: long messages go out in turns, and the other end is heard between. */
static void check_uc_burst(void)
{
	o.type = IBV_QPT_UC;
	open_pair();
	rig_recv(b, 9, there, BYTES, there_key);
	post(IBV_WR_SEND, 1, 100 * MTU);
	CHECK_INT(rig_logged, 32);
	CHECK(transport_finish(true));
	CHECK_INT(rig_logged, 64);
	expect_none(a->send_cq);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(b->recv_cq, 9, IBV_WC_SUCCESS);
	/* a gap ends the message; the receive is for the next one */
	rig_wire.lose = lose_one;
	lose_psn = psn_add(o.psn, 103);
	lose_times = 1;
	rig_recv(b, 10, there, BYTES, there_key);
	post(IBV_WR_SEND, 2, 10 * MTU);
	post(IBV_WR_SEND, 3, 2 * MTU);
	rig_run(0);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	expect(a->send_cq, 3, IBV_WC_SUCCESS);
	expect(b->recv_cq, 10, IBV_WC_SUCCESS);
	expect_none(b->recv_cq);
	close_pair();
}

/* A send that fails while the queue drains: it stops, and is not drained any more. */
static void check_uc_drain(void)
{
	uint32_t key = rig_reg(&rig_pd, here, BYTES, IBV_ACCESS_LOCAL_WRITE);
	struct rig_wr wr = data(IBV_WR_SEND, 1, 100 * MTU);

	o.type = IBV_QPT_UC;
	open_pair();
	wr.sge[0].lkey = key;
	rig_post(a, &wr);
	a->attr.en_sqd_async_notify = 1;
	rig_state(a, IBV_QPS_SQD);
	CHECK(a->draining);
	rig_dereg(key);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_LOC_PROT_ERR);
	CHECK_INT(qp_state(a), IBV_QPS_SQE);
	CHECK(!a->draining);
	CHECK_INT(rig_event().type, -1);
	close_pair();
}

#define AIR_PAIRS 15

/* All QPs together leave room in the socket buffer, and every one gets its turn. */
static void check_air(void)
{
	struct qp *from[AIR_PAIRS], *to[AIR_PAIRS];
	unsigned flying = 0;

	o.mtu = 4096;
	rig_clear();
	for (unsigned i = 0; i < AIR_PAIRS; i++) {
		from[i] = rig_qp(&o);
		to[i] = rig_qp(&o);
		rig_connect(from[i], to[i], &o);
	}
	for (unsigned i = 0; i < AIR_PAIRS; i++) {
		struct rig_wr wr = data(IBV_WR_RDMA_WRITE, i, 8 * 4096);

		rig_post(from[i], &wr);
		rig_post(from[i], &wr);
	}
	for (unsigned i = 0; i < AIR_PAIRS; i++)
		flying += (unsigned)psn_diff(from[i]->req.next_psn, from[i]->req.una_psn);
	CHECK(flying >= 30 && flying <= 50);
	CHECK_INT(rig_logged, flying);
	/* two windows, and six of eight packets: the last one that there is room for asks */
	CHECK_INT(rig_log[37].qpn, to[2]->v.qp_num);
	CHECK(rig_log[37].ackreq && rig_log[38].qpn != to[2]->v.qp_num);
	rig_run(2 * MS); /* less than anybody waits for */
	for (unsigned i = 0; i < AIR_PAIRS; i++) {
		expect(from[i]->send_cq, i, IBV_WC_SUCCESS);
		expect(from[i]->send_cq, i, IBV_WC_SUCCESS);
		CHECK_INT(from[i]->req.air, 0);
	}
	CHECK_INT(counters[CNT_COMPLETER_RETRY_ERR], 0);

	/* peers that do not answer keep the room for a short time only */
	rig_wire.lose = lose_all;
	for (unsigned i = 0; i < AIR_PAIRS - 1; i++) {
		struct rig_wr wr = data(IBV_WR_RDMA_WRITE, i, 8 * 4096);

		from[i]->req.timeout = 0;
		rig_post(from[i], &wr);
	}
	rig_run(1000);
	rig_wire.lose = NULL;
	for (unsigned i = 0; i < 3; i++) {
		struct rig_wr wr = data(IBV_WR_RDMA_WRITE, 20 + i, 8 * 4096);

		rig_post(from[AIR_PAIRS - 1], &wr);
	}
	rig_run(100 * MS);
	for (unsigned i = 0; i < 3; i++)
		expect(from[AIR_PAIRS - 1]->send_cq, 20 + i, IBV_WC_SUCCESS);
	for (unsigned i = 0; i < AIR_PAIRS; i++) {
		rig_free(from[i]);
		rig_free(to[i]);
	}
	rig_clear();
	o = rig_defaults;
}

int main(void)
{
	here_key = rig_reg(&rig_pd, here, BYTES, IBV_ACCESS_LOCAL_WRITE);
	there_key = rig_reg(&rig_pd, there, BYTES,
			    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	o = rig_defaults;
	check_acks();
	check_window();
	check_sequence_nak();
	check_lost_ack();
	check_timeouts();
	check_progress();
	check_rnr();
	check_read_parts();
	check_read_retry();
	check_atomic_retry();
	check_limits();
	check_too_many();
	check_stale_reads();
	check_paced();
	check_drain();
	check_states();
	check_comm_est();
	check_broken();
	check_uc_burst();
	check_uc_drain();
	check_air();
	return checks_end();
}
