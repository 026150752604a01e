// SPDX-License-Identifier: MIT
/* Waits: for a ring that is full, and ACKs for an answer of the program. */
#include "transport_pair.h"

#define BLOCKED_MS (TX_BLOCKED_NS / MS)

static void fill_ring(void)
{
	rig_full = true;
	rig_blocked = false;
}

static void empty_ring(void)
{
	rig_full = rig_blocked = false;
}

/* With nothing in flight, a timeout of an acknowledgement. */
static void check_requester(void)
{
	o.timeout = 14;
	o.retry_cnt = 1;
	open_pair();
	fill_ring();
	post(IBV_WR_SEND, 1, 1);
	CHECK_INT(rig_logged, 0);
	rig_run(60 * MS);
	expect_none(a->send_cq);
	empty_ring();
	rig_recv(b, 9, there, 1, there_key);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK_INT(counters[CNT_COMPLETER_RETRY_ERR], 0);

	fill_ring();
	post(IBV_WR_SEND, 2, 1);
	rig_run(120 * MS);
	expect_none(a->send_cq);
	rig_run(20 * MS);
	expect(a->send_cq, 2, IBV_WC_RETRY_EXC_ERR);
	empty_ring();
	close_pair();
}

static void ask_for_response(void)
{
	struct rig_wr read = { .wr_id = 5,
			       .opcode = IBV_WR_RDMA_READ,
			       .nsge = 1,
			       .sge = { { (uintptr_t)there, 1, there_key } },
			       .remote = (uintptr_t)here,
			       .rkey = here_key };

	rig_post(b, &read);
}

/* A response that waits for room says nothing about the requests of that QP, here one that the peer
 * is not ready for. */
static void check_responder(void)
{
	uint64_t when;

	rig_dereg(here_key);
	here_key = rig_reg(rig_pd, here, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	o.min_rnr_timer = 1;
	o.access |= IBV_ACCESS_REMOTE_READ;
	open_pair();
	post(IBV_WR_SEND, 1, 1);
	while (!a->req.rnr_wait)
		rig_step(UINT64_MAX);
	when = a->req.timer.when;
	ask_for_response();
	fill_ring();
	while (!a->req.ring_wait)
		rig_run(1000);
	CHECK(a->req.rnr_wait);
	CHECK_INT(a->req.timer.when, when);
	CHECK_INT(a->req.ring_deadline, 0);
	empty_ring();
	rig_recv(b, 9, there, 1, there_key);
	rig_run(0);
	expect(b->send_cq, 5, IBV_WC_SUCCESS);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	close_pair();
}

/* Packets that nobody acknowledges wait for a process that is slow, but not for one that has
 * stopped. */
static void check_unreliable(void)
{
	o.type = IBV_QPT_UC;
	open_pair();
	rig_recv(b, 9, there, 1, there_key);
	fill_ring();
	post(IBV_WR_SEND, 1, 1);
	rig_run(BLOCKED_MS / 2 * MS);
	expect_none(a->send_cq);
	empty_ring();
	rig_run(MS);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(b->recv_cq, 9, IBV_WC_SUCCESS);

	fill_ring();
	post(IBV_WR_SEND, 2, 1);
	rig_run((BLOCKED_MS - 1) * MS);
	expect_none(a->send_cq);
	rig_blocked = true;
	rig_run(2 * MS);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	post(IBV_WR_SEND, 3, 1); /* no second wait */
	expect(a->send_cq, 3, IBV_WC_SUCCESS);
	empty_ring();
	close_pair();
}

/* The process is about to end, so there will be no answer. */
static void check_held_ack(void)
{
	struct rig_wr answer;

	rig_dereg(here_key);
	here_key = rig_reg(rig_pd, here, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	o.timeout = 14;
	o.access |= IBV_ACCESS_REMOTE_WRITE;
	open_pair();
	answer = data(IBV_WR_RDMA_WRITE, 1, 1);
	answer.sge[0] = (struct ibv_sge){ (uintptr_t)there, 1, there_key };
	answer.remote = (uintptr_t)here;
	answer.rkey = here_key;
	for (unsigned i = 0; b->due != DUE_HELD; i++) {
		CHECK(i < 10);
		post(IBV_WR_RDMA_WRITE, 1, 1);
		rig_run(10000);
		if (b->due != DUE_HELD)
			rig_post(b, &answer);
		rig_run(10000);
	}
	rig_clear();
	transport_finish();
	CHECK_INT(rig_count(OP_ACK), 0);
	transport_release_acks();
	transport_finish();
	CHECK_INT(rig_count(OP_ACK), 1);
	close_pair();
}

int main(void)
{
	open_memory();
	check_requester();
	check_responder();
	check_unreliable();
	check_held_ack();
	return checks_end();
}
