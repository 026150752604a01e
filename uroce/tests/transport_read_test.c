/* SPDX-License-Identifier: MIT */
/* READs and atomics: parts, answers in their turn, duplicates, limits, fences. */
#include "transport_pair.h"

static void post_fenced(enum ibv_wr_opcode opcode, uint64_t id, uint32_t len)
{
	struct rig_wr wr = data(opcode, id, len);

	wr.flags = IBV_SEND_FENCE;
	rig_post(a, &wr);
}

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

static bool lose_and_change(const struct packet *p)
{
	bool lost = lose_response(p);

	if (lost) /* the program writes there, too, once it has seen the value */
		memcpy(there, &(uint64_t){ 77 }, 8);
	return lost;
}

/* An ATOMIC_WRITE whose answer is lost is carried out once, although the requester repeats it. */
static void check_atomic_write(void)
{
	uint64_t *word = (uint64_t *)(void *)there;
	struct rig_wr wr;

	open_pair();
	rig_wire.lose = lose_and_change;
	lose_psn = o.psn;
	lose_times = 3;
	wr = data(IBV_WR_ATOMIC_WRITE, 1, 8);
	rig_post(a, &wr);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK_INT(*word, 77); /* not what was written */
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

static void skip_psns(uint32_t n)
{
	b->resp.psn = psn_add(b->resp.psn, n);
	a->req.psn = a->req.next_psn = a->req.una_psn = b->resp.psn;
}

/* A WRITE that has the PSN of a READ 2^24 packets ago is acknowledged. */
static void check_psns_come_round(void)
{
	open_pair();
	post(IBV_WR_RDMA_READ, 1, 1);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	skip_psns((PSN_MASK + 1) / 2);
	post(IBV_WR_RDMA_WRITE, 2, 1);
	rig_run(0);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	skip_psns(psn_add(o.psn, PSN_MASK + 1 - b->resp.psn));
	post(IBV_WR_RDMA_WRITE, 3, 1);
	rig_run(0);
	expect(a->send_cq, 3, IBV_WC_SUCCESS);
	CHECK_INT(b->resp.psn, psn_add(o.psn, 1));
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
	register_there();
	close_pair();

	/* or goes before the answer is sent again */
	open_pair();
	post(IBV_WR_RDMA_READ, 4, 1);
	rig_run(0);
	p.qpn = b->v.qp_num;
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
		CHECK(rig_finish());
		CHECK_INT(rig_logged, sent);
	}
	CHECK(!rig_finish());
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
	CHECK(rig_finish());
	CHECK_INT(qp_state(b), IBV_QPS_RTS);
	CHECK(!rig_finish());
	CHECK_INT(rig_logged, 21);
	CHECK_INT(rig_log[20].syndrome, AETH_NAK_ACCESS);
	CHECK_INT(qp_state(b), IBV_QPS_ERR);
	close_pair();
}

int main(void)
{
	open_memory();
	check_read_parts();
	check_read_retry();
	check_atomic_retry();
	check_atomic_write();
	check_limits();
	check_too_many();
	check_stale_reads();
	check_psns_come_round();
	check_paced();
	return checks_end();
}
