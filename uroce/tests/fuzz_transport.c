/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: two connected QPs, and a sequence of steps of eight bytes: a packet that
 * claims to be from the peer, a request, a receive, time, a change of state. After each step
 * the positions and PSNs of both ends must make sense; nothing may be written but registered
 * memory, for which the rig looks at every copy.
 */
#include "rig.h"

#include "checks.h"
#include "transport_own.h"

#define BYTES  8192u
#define STEP   8
#define STEPS  512
#define GUARD  64 /* bytes around the memory that nobody may touch */
#define NOT_IT 0x5a

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

static struct {
	uint8_t before[GUARD];
	_Alignas(8) uint8_t open[BYTES];
	uint8_t between[GUARD];
	uint8_t read_only[BYTES];
	uint8_t behind[GUARD];
} memory;

static struct rig_options o;
static struct qp *ends[2];
static uint32_t open_key, read_key;
static struct window_bind binding;

static void open_region(void)
{
	open_key = rig_reg(rig_pd, memory.open, BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
}

static uint32_t length(uint8_t b)
{
	const uint32_t lengths[] = { 0,		1,	   4,	       8,     o.mtu - 1,  o.mtu,
				     o.mtu + 1, 2 * o.mtu, o.mtu * 5u, BYTES, MAX_MESSAGE };

	return b < 128 ? lengths[b % (sizeof(lengths) / sizeof(lengths[0]))] : (b - 128u) * 3u;
}

static uint64_t address(uint8_t b)
{
	const uint64_t addresses[] = { 0, 1, 8, o.mtu, BYTES - 8, BYTES - 1, BYTES, -1, INT64_MIN };

	return (uintptr_t)memory.open + addresses[b % (sizeof(addresses) / sizeof(addresses[0]))];
}

static uint32_t key(uint8_t b)
{
	return b < 160 ? open_key : b < 200 ? read_key : b < 240 ? open_key ^ 0x100 : b;
}

/* s: step, end and kind; opcode; PSN; flags; length; address; key; length of an RETH, or
 * syndrome. */
static void inject(const uint8_t s[STEP])
{
	static const uint8_t junk[MTU_MAX];
	struct qp *to = ends[s[0] >> 7], *from = ends[!(s[0] >> 7)];
	struct packet p = {
		.src = to->flow.dgid,
		.dst = to->flow.sgid,
		.pkey = PKEY_DEFAULT,
		.qpn = to->v.qp_num,
		.solicited = s[3] & 1,
		.ackreq = s[3] & 2,
		.va = address(s[5]),
		.rkey = key(s[6]),
		.dma_len = s[3] & 4 ? s[7] * 0x01010101u : length(s[7]),
		.swap_add = s[5],
		.compare = s[6],
		.original = s[5],
		.syndrome = s[7],
		.msn = s[5],
		.qkey = s[6] < 200 ? to->attr.qkey : s[6],
		.src_qpn = from->v.qp_num,
	};
	uint32_t base;

	p.op = opcode_find(s[1]);
	if (!p.op)
		return;
	base = p.op->flags & WIRE_REQUEST ? to->resp.psn : s[3] & 8 ? to->req.psn : to->req.una_psn;
	p.psn = psn_add(base, (uint32_t)(s[3] & 16 ? (int8_t)s[2] * 0x8001 : (int8_t)s[2] / 4));
	p.len = p.op->flags & WIRE_PAYLOAD ? length(s[4]) : 0;
	if (p.len > MTU_MAX)
		p.len = MTU_MAX;
	if (s[3] & 32)
		p.src = rig_gid_a;
	if (s[3] & 64)
		p.qpn = QPN_MULTICAST;
	if ((s[3] & 128) && s[2] & 1)
		p.pkey = s[4];
	rig_inject(&p, junk);
}

static void post(const uint8_t s[STEP])
{
	struct qp *qp = ends[s[0] >> 7];
	struct rig_wr wr = {
		.opcode = s[1] % (IBV_WR_SEND_WITH_INV + 1),
		.flags = s[2] & (IBV_SEND_FENCE | IBV_SEND_SOLICITED),
		.unsignaled = s[2] & 1,
		.remote = address(s[5]),
		.rkey = key(s[6]),
		.inv_rkey = binding.window ^ s[7],
		.bind = binding,
		.compare_add = s[5],
		.swap = s[6],
		.qpn = ends[!(s[0] >> 7)]->v.qp_num,
		.qkey = qp->attr.qkey,
		.dgid = qp->flow.dgid,
		.nsge = 2,
		.sge = { { address(s[5] >> 4), length(s[4]), key(s[7]) },
			 { (uintptr_t)memory.open, s[3], open_key } },
	};
	const struct wr_op *op = wr_op_find(wr.opcode);

	wr.bind.rkey ^= s[7] & 3;
	if (qp->sq.tail - qp->sq.head == qp->sq.size || !(op->types & 1u << qp->type) ||
	    qp_state(qp) < IBV_QPS_RTS)
		return;
	if (op->atomic) { /* as posting makes sure */
		wr.nsge = 1;
		wr.sge[0].length = 8;
	} else if (op->local) {
		wr.nsge = 0;
	} else if (wr.sge[0].length > BYTES && s[3] & 1) {
		wr.sge[0].length = BYTES;
	}
	rig_post(qp, &wr);
}

static void post_receive(const uint8_t s[STEP])
{
	struct qp *qp = ends[s[0] >> 7];

	if (qp->rq.tail - qp->rq.head < qp->rq.size)
		rig_recv(qp, s[1], memory.open + s[2], length(s[4]), key(s[6]));
}

static void connect_qps(void)
{
	for (unsigned i = 0; i < 2; i++) {
		if (qp_state(ends[i]) != IBV_QPS_RESET)
			rig_state(ends[i], IBV_QPS_RESET);
		rig_state(ends[i], IBV_QPS_INIT);
	}
	rig_connect(ends[0], ends[1], &o);
}

static void change_state(const uint8_t s[STEP])
{
	struct qp *qp = ends[s[0] >> 7];
	enum ibv_qp_state state = qp_state(qp);

	switch (s[1] % 8) {
	case 0:
	case 1:
		if (state == IBV_QPS_RTS)
			rig_state(qp, IBV_QPS_SQD);
		break;
	case 2:
	case 3:
	case 4:
		if ((state == IBV_QPS_SQD && !qp->draining) || state == IBV_QPS_SQE)
			rig_state(qp, IBV_QPS_RTS);
		break;
	case 5:
		if (state == IBV_QPS_RESET)
			break;
		engine_lock();
		transport_fail(qp, IBV_EVENT_QP_FATAL,
			       &(struct uroce_change){ .cause = UROCE_BY_CQ });
		engine_unlock();
		break;
	default:
		connect_qps();
	}
}

static void change_region(const uint8_t s[STEP])
{
	if (s[1] & 1) {
		rig_hole = s[1] & 2 ? memory.open + s[2] * 16 : NULL;
		rig_hole_bytes = s[3];
		return;
	}
	rig_dereg(open_key);
	open_region();
}

static void step(const uint8_t s[STEP])
{
	switch (s[0] % 16) {
	case 0:
	case 1:
		rig_run(1 + s[1] * 1000u);
		break;
	case 2:
	case 3:
	case 4:
		post(s);
		break;
	case 5:
	case 6:
		post_receive(s);
		break;
	case 7:
		rig_wire.drop = (s[1] & 3) * 0.2;
		rig_wire.dup = (s[1] >> 2 & 3) * 0.1;
		rig_wire.reorder = (s[1] >> 4 & 3) * 0.2;
		break;
	case 8:
		change_state(s);
		break;
	case 9:
		if (s[1] < 64)
			change_region(s);
		else
			rig_finish();
		break;
	default:
		inject(s);
	}
}

/* ------------------------------------------------------------------ what must hold -- */

static void check_requester(const struct qp *qp)
{
	const struct requester *r = &qp->req;
	const struct send_queue *sq = &qp->sq;

	CHECK(sq->next - sq->head <= sq->tail - sq->head && sq->tail - sq->head <= sq->size);
	CHECK(r->at - sq->head <= sq->tail - sq->head);
	CHECK(r->at - sq->head <= sq->next - sq->head);
	CHECK(psn_diff(r->next_psn, r->una_psn) >= 0 && psn_diff(r->psn, r->next_psn) >= 0);
	CHECK(!((r->psn | r->next_psn | r->una_psn) & ~PSN_MASK));
	CHECK(r->window >= 1 && r->window <= 64);
	CHECK(r->reads <= qp->attr.max_rd_atomic);
	if (qp->type == IBV_QPT_RC && qp_state(qp) == IBV_QPS_RTS) {
		CHECK(psn_diff(r->next_psn, r->una_psn) <= 64);
		/* what is not acknowledged is in the queue, and somebody will see to it */
		CHECK((r->psn == r->una_psn) || sq->head != sq->next);
		CHECK(r->next_psn == r->una_psn || timer_running(&r->timer));
	}
	if (qp_state(qp) == IBV_QPS_ERR || qp_state(qp) == IBV_QPS_SQE)
		CHECK_INT(sq->head, sq->tail);
}

static void check_responder(const struct qp *qp)
{
	const struct responder *r = &qp->resp;

	CHECK(!(r->psn & ~PSN_MASK) && !(r->msn & ~PSN_MASK));
	CHECK(r->response_tail - r->response_send <= r->responses_limit);
	if (qp_state(qp) == IBV_QPS_ERR) {
		CHECK(!r->has_recv && qp->rq.head == qp->rq.tail);
		CHECK_INT(qp->due, DUE_NONE);
	}
	if (r->has_recv && r->last_op && r->last_op->flags & WIRE_SEND)
		CHECK(r->done <= r->recv.len);
}

static void check_all(void)
{
	struct ibv_wc wc;

	for (unsigned i = 0; i < 2; i++) {
		check_requester(ends[i]);
		check_responder(ends[i]);
		while (rig_poll(ends[i]->send_cq, &wc) || rig_poll(ends[i]->recv_cq, &wc))
			CHECK_INT(wc.qp_num, ends[i]->v.qp_num);
	}
	while (rig_event().type >= 0)
		;
}

static void check_guards(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		CHECK_INT(p[i], NOT_IT);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	static const uint32_t mtus[] = { 256, 256, 1024, 4096 };

	if (n < 2 || n > STEP * STEPS)
		return 0;
	rig_seed(n);
	rig_strict = true;
	rig_wire = (struct rig_wire){ .delay = 5000 };
	memset(&memory, NOT_IT, sizeof(memory));
	o = rig_defaults;
	o.type = types[input[0] % 4];
	o.mtu = mtus[input[0] / 4 % 4];
	o.psn = input[1] * 0x10101u;
	o.timeout = 4;
	o.rnr_retry = input[0] & 0x80 ? 7 : 3;
	open_region();
	read_key = rig_reg(rig_pd, memory.read_only, BYTES, IBV_ACCESS_REMOTE_READ);
	binding = rig_window();
	ends[0] = rig_qp(&o);
	ends[1] = rig_qp(&o);
	rig_connect(ends[0], ends[1], &o);
	if (o.type == IBV_QPT_UD)
		rig_join(ends[0]);
	for (input += 2, n -= 2; n >= STEP; input += STEP, n -= STEP) {
		step(input);
		check_all();
	}
	/* honest from here on: it ends, one way or the other */
	rig_hole = NULL;
	rig_wire = (struct rig_wire){ .delay = 5000 };
	rig_run(20000000);
	check_all();
	check_guards(memory.before, GUARD);
	check_guards(memory.between, GUARD + BYTES + GUARD);
	rig_free(ends[0]);
	rig_free(ends[1]);
	rig_dereg(open_key);
	rig_dereg(read_key);
	rig_clear();
	return 0;
}
