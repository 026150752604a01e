/* SPDX-License-Identifier: MIT */
/* States of QPs and what becomes of their requests; sharing the room on the wire. */
#include "transport_pair.h"

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

/* The first packet of a peer finds a QP in RTR: COMM_EST, once, and it may be reached into. */
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

/* A message that was sent in part before its memory went away: those before it end as they should.
 */
static void check_broken(void)
{
	uint32_t key = rig_reg(rig_pd, here, BYTES, IBV_ACCESS_LOCAL_WRITE);
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
	CHECK(rig_finish());
	CHECK_INT(rig_logged, 64);
	expect_none(a->send_cq);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(b->recv_cq, 9, IBV_WC_SUCCESS);
	/* a gap ends the message; the receive is for the next one */
	rig_wire.lose = lose_request;
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
	uint32_t key = rig_reg(rig_pd, here, BYTES, IBV_ACCESS_LOCAL_WRITE);
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

/* A QP that has much to send and gets its acknowledgements does not keep the others out. */
static void check_fair(struct qp *const *from, unsigned n)
{
	unsigned most = 0, least = 100;

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < 60; k++) {
			struct rig_wr wr = data(IBV_WR_RDMA_WRITE, k, 8 * 4096);

			rig_post(from[i], &wr);
		}
	rig_run(MS / 2);
	for (unsigned i = 0; i < n; i++) {
		struct ibv_wc wc;
		unsigned done = 0;

		while (rig_poll(from[i]->send_cq, &wc))
			done++;
		most = done > most ? done : most;
		least = done < least ? done : least;
	}
	CHECK(least > 0 && most < 60 && most <= 3 * least);
	rig_run(0);
	for (unsigned i = 0; i < n; i++) {
		struct ibv_wc wc;

		while (rig_poll(from[i]->send_cq, &wc))
			CHECK_INT(wc.status, IBV_WC_SUCCESS);
		CHECK_INT(wc.wr_id, 59);
	}
}

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
		CHECK_INT(from[i]->req.socket_bytes, 0);
	}
	CHECK_INT(counters[CNT_COMPLETER_RETRY_ERR], 0);

	check_fair(from, AIR_PAIRS);

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
	open_memory();
	check_drain();
	check_states();
	check_comm_est();
	check_broken();
	check_uc_burst();
	check_uc_drain();
	check_air();
	return checks_end();
}
