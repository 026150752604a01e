/* SPDX-License-Identifier: MIT */
/* XRC: one QP at each end reaches two SRQs of a domain, each with its CQ and PD. Annex A14. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "transport_pair.h"

#define LAST_RESPONSE UINT32_MAX

static struct xrcd *domain;
static struct srq *srq[2];
static _Alignas(8) uint8_t landing[BYTES];
static uint32_t landing_key[2]; /* one in the PD of each SRQ */

static struct xrcd *open_domain(int fd, int oflags)
{
	struct ibv_xrcd_init_attr attr = { IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, fd,
					   oflags };

	errno = 0;
	return to_xrcd(ibv_open_xrcd(rig_context, &attr));
}

/* a sends, b receives: two ends of a half of an XRC connection. */
static void open_half(void)
{
	rig_wire = (struct rig_wire){ .delay = 5000 };
	o.type = IBV_QPT_XRC_SEND;
	a = rig_qp(&o);
	o.type = IBV_QPT_XRC_RECV;
	o.xrcd = domain;
	b = rig_qp(&o);
	rig_connect(a, b, &o);
	rig_clear();
	srq[0] = rig_srq(rig_pd, domain);
	srq[1] = rig_srq(rig_other_pd, domain);
}

static void close_half(void)
{
	close_pair();
	for (unsigned i = 0; i < 2; i++)
		if (srq[i])
			rig_srq_free(srq[i]);
}

static void send_to(uint32_t srqn, uint32_t rkey, enum ibv_wr_opcode opcode, uint64_t id,
		    uint32_t len)
{
	struct rig_wr wr = data(opcode, id, len);

	wr.srqn = srqn;
	wr.rkey = rkey;
	wr.remote = (uintptr_t)landing;
	rig_post(a, &wr);
}

static void domains(void)
{
	char name[] = "/tmp/xrc-XXXXXX";
	int fd = mkstemp(name);
	struct ibv_xrcd_init_attr attr = { IBV_XRCD_INIT_ATTR_FD, -1, 0 };
	struct xrcd *one, *two, *alone;

	CHECK(fd >= 0 && unlink(name) == 0);
	CHECK(!ibv_open_xrcd(rig_context, &attr) && errno == EINVAL);
	attr.comp_mask = 8;
	CHECK(!ibv_open_xrcd(rig_context, &attr) && errno == EOPNOTSUPP);
	CHECK(!open_domain(fd, 0) && errno == EAGAIN);
	one = open_domain(fd, O_CREAT);
	two = open_domain(fd, 0);
	alone = open_domain(-1, O_CREAT);
	CHECK(one && two && alone);
	CHECK(one->domain == two->domain && one->domain != alone->domain);
	CHECK(!open_domain(fd, O_CREAT | O_EXCL) && errno == EINVAL);
	CHECK(!open_domain(9999, O_CREAT) && errno == EBADF);
	CHECK_INT(ibv_close_xrcd(&one->v), 0);
	CHECK_INT(ibv_close_xrcd(&two->v), 0);
	CHECK(!open_domain(fd, 0) && errno == EAGAIN); /* the last one took it along */
	srq[0] = rig_srq(rig_pd, alone);
	CHECK_INT(ibv_close_xrcd(&alone->v), EBUSY);
	rig_srq_free(srq[0]);
	CHECK_INT(ibv_close_xrcd(&alone->v), 0);
	close(fd);
}

/* A message that takes a receive ends where the SRQ's receives do, with the memory of its PD. */
static void sends(enum ibv_wr_opcode opcode, uint32_t len)
{
	struct ibv_wc wc;

	open_half();
	for (unsigned i = 0; i < 2; i++)
		rig_srq_recv(srq[i], 10 + i, landing + i * BYTES / 2, BYTES / 2, landing_key[i]);
	for (unsigned i = 0; i < BYTES; i++)
		here[i] = (uint8_t)rig_random();
	send_to(srq[1]->number, landing_key[1], opcode, 1, len);
	send_to(srq[0]->number, landing_key[0], opcode, 2, len);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(a->send_cq, 2, IBV_WC_SUCCESS);
	for (unsigned i = 0; i < 2; i++) {
		CHECK(rig_poll(srq[i]->cq, &wc));
		CHECK(wc.status == IBV_WC_SUCCESS && wc.wr_id == 10 + i && wc.byte_len == len);
		CHECK_INT(wc.qp_num, b->v.qp_num);
		expect_none(srq[i]->cq);
		if (opcode == IBV_WR_SEND)
			CHECK_INT(memcmp(landing + i * BYTES / 2, here, len), 0);
	}
	for (unsigned i = 0; i < rig_logged; i++) {
		bool request = rig_log[i].op->flags & WIRE_REQUEST;

		CHECK_INT(OPCODE_TRANSPORT(rig_log[i].op->code), OPCODE_XRC);
		CHECK_INT(request, !!(rig_log[i].op->flags & WIRE_XRCETH));
		if (request)
			CHECK(rig_log[i].srqn == srq[0]->number ||
			      rig_log[i].srqn == srq[1]->number);
	}
	close_half();
}

/* Remote access goes by the keys of the SRQ's PD. */
static void one_sided(enum ibv_wr_opcode opcode, uint32_t len, double drop)
{
	open_half();
	rig_wire.drop = drop;
	send_to(srq[0]->number, landing_key[0], opcode, 1, len);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	rig_wire.drop = 0;
	send_to(srq[1]->number, landing_key[0], opcode, 2, len); /* whose PD is another */
	send_to(srq[0]->number, landing_key[0], opcode, 3, len);
	rig_run(0);
	expect(a->send_cq, 2, IBV_WC_REM_ACCESS_ERR);
	expect(a->send_cq, 3, IBV_WC_WR_FLUSH_ERR);
	CHECK_INT(qp_state(b), IBV_QPS_ERR);
	close_half();
}

/* No such SRQ; one of another domain; none in the request. */
static void wrong_number(void)
{
	struct xrcd *other = open_domain(-1, O_CREAT);
	struct srq *theirs = rig_srq(rig_pd, other);
	const uint32_t wrong[] = { 0, theirs->number, 0xabcdef, LAST_RESPONSE };

	for (unsigned i = 0; wrong[i] != LAST_RESPONSE; i++) {
		open_half();
		rig_srq_recv(theirs, 9, landing, 16, landing_key[0]);
		send_to(wrong[i], landing_key[0], IBV_WR_SEND, 1, 16);
		rig_run(0);
		expect(a->send_cq, 1, IBV_WC_REM_INV_REQ_ERR);
		expect_none(theirs->cq);
		CHECK_INT(rig_event().type, IBV_EVENT_QP_REQ_ERR);
		close_half();
	}
	rig_srq_free(theirs);
	CHECK_INT(ibv_close_xrcd(&other->v), 0);
}

static void no_receive(void)
{
	open_half();
	send_to(srq[0]->number, landing_key[0], IBV_WR_SEND, 1, 16);
	rig_run(MS / 10);
	CHECK(rig_count(OPCODE_XRC + OP_ACK) >= 1); /* not yet: RNR */
	expect_none(a->send_cq);
	rig_srq_recv(srq[0], 9, landing, 16, landing_key[0]);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	expect(srq[0]->cq, 9, IBV_WC_SUCCESS);
	close_half();
}

static uint32_t other_number;

/* From the second packet on, a message is for another SRQ. */
static void changes_in_between(void)
{
	struct packet p = {
		.op = opcode_find(OPCODE_XRC + OP_SEND_FIRST),
		.pkey = PKEY_DEFAULT,
		.len = MTU,
	};
	uint8_t bytes[MTU] = { 0 };

	open_half();
	p.src = b->flow.dgid;
	p.dst = b->flow.sgid;
	p.qpn = b->v.qp_num;
	p.psn = b->resp.psn;
	p.srqn = srq[0]->number;
	other_number = srq[1]->number;
	for (unsigned i = 0; i < 2; i++)
		rig_srq_recv(srq[i], 10 + i, landing, BYTES, landing_key[i]);
	rig_inject(&p, bytes);
	CHECK(b->resp.has_recv);
	p.op = opcode_find(OPCODE_XRC + OP_SEND_LAST);
	p.psn = psn_add(p.psn, 1);
	p.srqn = other_number;
	rig_inject(&p, bytes);
	rig_run(0);
	CHECK_INT(qp_state(b), IBV_QPS_ERR);
	expect(srq[0]->cq, 10, IBV_WC_WR_FLUSH_ERR); /* to whom it belongs */
	expect_none(srq[1]->cq);
	close_half();
}

/* The SRQ is destroyed in the middle of a message, and of a READ. */
static void goes_away(void)
{
	struct packet p = {
		.op = opcode_find(OPCODE_XRC + OP_SEND_FIRST),
		.pkey = PKEY_DEFAULT,
		.len = MTU,
	};
	uint8_t bytes[MTU] = { 0 };

	open_half();
	p.src = b->flow.dgid;
	p.dst = b->flow.sgid;
	p.qpn = b->v.qp_num;
	p.psn = b->resp.psn;
	p.srqn = srq[0]->number;
	rig_srq_recv(srq[0], 10, landing, BYTES, landing_key[0]);
	rig_inject(&p, bytes);
	rig_srq_free(srq[0]);
	srq[0] = NULL;
	CHECK(!b->srq && !b->pd && !b->recv_cq && !b->resp.has_recv);
	p.op = opcode_find(OPCODE_XRC + OP_SEND_LAST);
	p.psn = psn_add(p.psn, 1);
	rig_inject(&p, bytes);
	rig_run(0);
	CHECK_INT(qp_state(b), IBV_QPS_ERR);
	close_half();

	open_half();
	p.op = opcode_find(OPCODE_XRC + OP_READ_REQUEST);
	p.qpn = b->v.qp_num;
	p.psn = b->resp.psn;
	p.srqn = srq[0]->number;
	p.va = (uintptr_t)landing;
	p.rkey = landing_key[0];
	p.dma_len = MTU;
	p.len = 0;
	rig_inject(&p, NULL);
	rig_srq_free(srq[0]); /* before the answer's turn */
	srq[0] = NULL;
	rig_run(0);
	CHECK_INT(rig_count(OPCODE_XRC + OP_READ_RESP_ONLY), 0);
	CHECK_INT(rig_count(OPCODE_XRC + OP_ACK), 1);
	CHECK_INT(rig_log[0].syndrome, AETH_NAK_ACCESS);
	CHECK_INT(qp_state(b), IBV_QPS_ERR);
	close_half();
}

int main(void)
{
	open_memory();
	landing_key[0] = rig_reg(rig_pd, landing, BYTES, o.access | IBV_ACCESS_LOCAL_WRITE);
	landing_key[1] = rig_reg(rig_other_pd, landing, BYTES, o.access | IBV_ACCESS_LOCAL_WRITE);
	domains();
	domain = open_domain(-1, O_CREAT);
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t len[] = { 0, 100, 3 * MTU + 1 };

		sends(IBV_WR_SEND, len[i]);
		sends(IBV_WR_RDMA_WRITE_WITH_IMM, len[i]);
	}
	one_sided(IBV_WR_RDMA_WRITE, 5 * MTU, 0);
	one_sided(IBV_WR_RDMA_READ, 40 * MTU, 0);
	one_sided(IBV_WR_RDMA_READ, 40 * MTU, 0.1);
	one_sided(IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 0);
	one_sided(IBV_WR_ATOMIC_CMP_AND_SWP, 8, 0);
	wrong_number();
	no_receive();
	changes_in_between();
	goes_away();
	CHECK_INT(ibv_close_xrcd(&domain->v), 0);
	return checks_end();
}
