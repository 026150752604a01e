/* SPDX-License-Identifier: MIT */
/*
 * Packets that no honest peer sends. One that fails a check of 9.6, or has an unexpected
 * PSN, changes nothing but counters; one that breaks the rules within that ends the QP and touches
 * no memory.
 */
#include "rig.h"

#include "checks.h"
#include "transport_own.h"

#define MTU   256u
#define BYTES (8 * MTU)

/* The reaction of the responder. */
enum outcome {
	SILENT, /* nothing */
	ACKED,	/* again, as a duplicate */
	ANSWERED,
	SEQUENCE, /* NAK, and nothing else */
	REFUSED,  /* NAK of an invalid request, and the end of the QP */
	DENIED,	  /* NAK of remote access, and the end of the QP */
};

/* Where it does not say otherwise: the right addresses and the right key. */
static const struct hostile {
	const char *what;
	uint8_t opcode;
	int psn; /* from the expected one on */
	uint32_t len, dma_len;
	int64_t va; /* from the beginning of the region on */
	bool bad_key;
	enum outcome outcome;
} hostile[] = {
	{ "a WRITE with a PSN ahead", OP_WRITE_ONLY, 1, 8, 8, 0, 0, SEQUENCE },
	{ "half of all PSNs ahead", OP_WRITE_ONLY, 0x7fffff, 8, 8, 0, 0, SEQUENCE },
	{ "a SEND ahead", OP_SEND_ONLY, 5, 8, 0, 0, 0, SEQUENCE },
	{ "a READ ahead", OP_READ_REQUEST, 5, 0, 8, 0, 0, SEQUENCE },
	{ "an atomic ahead", OP_FETCH_ADD, 5, 0, 0, 0, 0, SEQUENCE },
	{ "a WRITE that was there", OP_WRITE_ONLY, -1, 8, 8, 0, 0, ACKED },
	{ "a WRITE long ago", OP_WRITE_ONLY, -0x700000, 8, 8, 0, 0, ACKED },
	{ "a SEND that was there", OP_SEND_ONLY, -1, 8, 0, 0, 0, ACKED },
	{ "a READ that was not there", OP_READ_REQUEST, -20, 0, 8, 0, 0, SILENT },
	{ "an atomic that was not there", OP_FETCH_ADD, -20, 0, 0, 0, 0, SILENT },
	/* the READ that was there: two packets of 300 bytes, from -3 on; the atomic: -1 */
	{ "the READ again", OP_READ_REQUEST, -3, 0, 300, 0, 0, ANSWERED },
	{ "its second half again", OP_READ_REQUEST, -2, 0, 300 - MTU, MTU, 0, ANSWERED },
	{ "with another key", OP_READ_REQUEST, -3, 0, 300, 0, 1, SILENT },
	{ "with another address", OP_READ_REQUEST, -3, 0, 300, 8, 0, SILENT },
	{ "longer", OP_READ_REQUEST, -3, 0, 301, 0, 0, SILENT },
	{ "much longer", OP_READ_REQUEST, -3, 0, 0xffffffff, 0, 0, SILENT },
	{ "shorter", OP_READ_REQUEST, -3, 0, 299, 0, 0, SILENT },
	{ "its second half, longer", OP_READ_REQUEST, -2, 0, 300, MTU, 0, SILENT },
	{ "the READ as an atomic", OP_FETCH_ADD, -3, 0, 0, 0, 0, SILENT },
	{ "the atomic again", OP_FETCH_ADD, -1, 0, 0, 0, 0, ANSWERED },
	{ "the atomic as a READ", OP_READ_REQUEST, -1, 0, 8, 0, 0, SILENT },

	{ "a MIDDLE first", OP_WRITE_MIDDLE, 0, MTU, 0, 0, 0, REFUSED },
	{ "a LAST first", OP_WRITE_LAST, 0, 8, 0, 0, 0, REFUSED },
	{ "a LAST with immediate first", OP_WRITE_LAST_IMM, 0, 8, 0, 0, 0, REFUSED },
	{ "a MIDDLE of a SEND first", OP_SEND_MIDDLE, 0, MTU, 0, 0, 0, REFUSED },
	{ "a LAST of a SEND first", OP_SEND_LAST, 0, 8, 0, 0, 0, REFUSED },
	{ "a FIRST that is short", OP_WRITE_FIRST, 0, MTU - 1, 2 * MTU, 0, 0, REFUSED },
	{ "a FIRST that is empty", OP_SEND_FIRST, 0, 0, 0, 0, 0, REFUSED },
	{ "a FIRST that is all", OP_WRITE_FIRST, 0, MTU, MTU, 0, 0, REFUSED },
	{ "a FIRST that is more", OP_WRITE_FIRST, 0, MTU, 1, 0, 0, REFUSED },
	{ "an ONLY that is less", OP_WRITE_ONLY, 0, 8, 9, 0, 0, REFUSED },
	{ "an ONLY that is more", OP_WRITE_ONLY, 0, 8, 7, 0, 0, REFUSED },
	{ "an ONLY of nothing", OP_WRITE_ONLY, 0, 8, 0, 0, 1, REFUSED },
	{ "more than the MTU", OP_WRITE_ONLY, 0, MTU + 1, MTU + 1, 0, 0, REFUSED },
	{ "a SEND of more than the MTU", OP_SEND_ONLY, 0, MTU + 4, 0, 0, 0, REFUSED },
	{ "2 GiB", OP_WRITE_FIRST, 0, MTU, 0x80000001, 0, 0, REFUSED },
	{ "4 GiB", OP_READ_REQUEST, 0, 0, 0xffffffff, 0, 0, REFUSED },
	{ "an atomic at an odd address", OP_FETCH_ADD, 0, 0, 0, 1, 0, REFUSED },

	{ "a wrong key", OP_WRITE_ONLY, 0, 8, 8, 0, 1, DENIED },
	{ "a READ with a wrong key", OP_READ_REQUEST, 0, 0, 8, 0, 1, DENIED },
	{ "an atomic with a wrong key", OP_CMP_SWAP, 0, 0, 0, 0, 1, DENIED },
	{ "before the region", OP_WRITE_ONLY, 0, 8, 8, -1, 0, DENIED },
	{ "behind it", OP_WRITE_ONLY, 0, 8, 8, BYTES - 7, 0, DENIED },
	{ "more than it has", OP_WRITE_FIRST, 0, MTU, BYTES + 1, 0, 0, DENIED },
	{ "around the end of memory", OP_WRITE_ONLY, 0, 8, 8, INT64_MIN, 0, DENIED },
	{ "a READ behind it", OP_READ_REQUEST, 0, 0, 8, BYTES - 7, 0, DENIED },
	{ "a READ of too much", OP_READ_REQUEST, 0, 0, 0x40000000, 0, 0, DENIED },
	{ "an atomic behind it", OP_FETCH_ADD, 0, 0, 0, BYTES, 0, DENIED },
};

static _Alignas(8) uint8_t there[BYTES];
static uint8_t here[BYTES], landing[BYTES], junk[MTU_MAX];
static uint32_t here_key, there_key, landing_key;
static struct rig_options o;
static struct qp *a, *b;

static void drain(struct qp *qp)
{
	struct ibv_wc wc;

	while (rig_poll(qp->send_cq, &wc))
		CHECK_INT(wc.status, IBV_WC_SUCCESS);
	while (rig_poll(qp->recv_cq, &wc))
		;
}

/* A WRITE, a READ of two packets, and an atomic were there. */
static void open_pair(void)
{
	struct rig_wr wr = { .opcode = IBV_WR_RDMA_WRITE, .nsge = 1 };

	a = rig_qp(&o);
	b = rig_qp(&o);
	rig_connect(a, b, &o);
	wr.remote = (uintptr_t)there;
	wr.rkey = there_key;
	if (o.type == IBV_QPT_RC) {
		wr.sge[0] = (struct ibv_sge){ (uintptr_t)here, 8, here_key };
		rig_post(a, &wr);
		wr.sge[0].length = 300;
		wr.opcode = IBV_WR_RDMA_READ;
		rig_post(a, &wr);
		wr.sge[0].length = 8;
		wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
		rig_post(a, &wr);
	}
	rig_run(0);
	drain(a);
	rig_recv(b, 1, landing, BYTES, landing_key);
	memset(there, 0x55, BYTES);
	memset(landing, 0x66, BYTES);
	rig_clear();
}

static void close_pair(void)
{
	rig_run(0);
	rig_free(a);
	rig_free(b);
	rig_clear();
	while (rig_event().type >= 0)
		;
}

static void check_memory(void)
{
	for (unsigned i = 0; i < BYTES; i++) {
		CHECK_INT(there[i], 0x55);
		CHECK_INT(landing[i], 0x66);
	}
}

static struct packet packet_to_b(uint8_t opcode, uint32_t psn)
{
	return (struct packet){ .src = rig_gid_a,
				.dst = rig_gid_b,
				.op = opcode_find(opcode),
				.pkey = PKEY_DEFAULT,
				.qpn = b->v.qp_num,
				.psn = psn,
				.ackreq = true };
}

static void check_request(const struct hostile *h)
{
	static const uint8_t syndromes[] = { [SEQUENCE] = AETH_NAK_SEQUENCE,
					     [REFUSED] = AETH_NAK_INVALID,
					     [DENIED] = AETH_NAK_ACCESS };
	struct packet p = packet_to_b(h->opcode, psn_add(b->resp.psn, (uint32_t)h->psn));
	uint32_t expected = b->resp.psn;
	struct ibv_wc wc;

	p.va = (uintptr_t)there + (uint64_t)h->va;
	p.rkey = h->bad_key ? there_key ^ 0x100 : there_key;
	p.dma_len = h->dma_len;
	p.len = h->len;
	p.swap_add = 1;
	rig_inject(&p, junk);
	CHECK_INT(b->resp.psn, expected);
	while (rig_finish())
		;
	switch (h->outcome) {
	case SILENT:
		CHECK_INT(rig_logged, 0);
		break;
	case ACKED:
		CHECK_INT(rig_logged, 1);
		CHECK_INT(rig_log[0].syndrome, AETH_ACK);
		/* of the WRITE: the READ and the atomic behind it have answers of their own */
		CHECK_INT(rig_log[0].psn, psn_add(expected, PSN_MASK + 1 - 4));
		break;
	case ANSWERED:
		CHECK(rig_logged > 0);
		CHECK_INT(rig_log[0].psn, p.psn);
		break;
	default:
		CHECK_INT(rig_logged, 1);
		CHECK_INT(rig_log[0].op->code, OP_ACK);
		CHECK_INT(rig_log[0].syndrome, syndromes[h->outcome]);
		CHECK_INT(rig_log[0].psn, expected);
	}
	check_memory();
	CHECK_INT(qp_state(b), h->outcome >= REFUSED ? IBV_QPS_ERR : IBV_QPS_RTS);
	CHECK_INT(rig_event().type, h->outcome == REFUSED  ? IBV_EVENT_QP_REQ_ERR
				    : h->outcome == DENIED ? IBV_EVENT_QP_ACCESS_ERR
							   : -1);
	CHECK_INT(rig_poll(b->recv_cq, &wc), h->outcome >= REFUSED);
	if (h->outcome >= REFUSED)
		CHECK_INT(wc.status, IBV_WC_WR_FLUSH_ERR);
}

/* UC drops whatever is wrong, and goes on. */
static void check_uc_request(const struct hostile *h)
{
	struct packet p = packet_to_b(h->opcode | OPCODE_UC, b->resp.psn);
	struct ibv_wc wc;

	if (!p.op || (h->psn && p.op->flags & WIRE_FIRST))
		return; /* any PSN begins a message */
	p.psn = psn_add(p.psn, (uint32_t)h->psn);
	p.va = (uintptr_t)there + (uint64_t)h->va;
	p.rkey = h->bad_key ? there_key ^ 0x100 : there_key;
	p.dma_len = h->dma_len;
	p.len = h->len;
	rig_inject(&p, junk);
	p = packet_to_b(OPCODE_UC | OP_WRITE_MIDDLE, psn_add(p.psn, 1));
	p.len = MTU;
	rig_inject(&p, junk); /* and what follows */
	rig_run(0);
	CHECK_INT(rig_logged, 0);
	check_memory();
	CHECK_INT(qp_state(b), IBV_QPS_RTS);
	p = packet_to_b(OPCODE_UC | OP_SEND_ONLY, 12345);
	rig_inject(&p, junk);
	CHECK(rig_poll(b->recv_cq, &wc));
	CHECK_INT(wc.status, IBV_WC_SUCCESS);
}

/* ------------------------------------------------------ in the middle of a message -- */

static void check_middle(void)
{
	static const struct {
		uint8_t first, second;
		uint32_t len;
	} cases[] = {
		{ OP_WRITE_FIRST, OP_SEND_MIDDLE, MTU },   { OP_WRITE_FIRST, OP_SEND_LAST, 8 },
		{ OP_WRITE_FIRST, OP_WRITE_ONLY, 8 },	   { OP_WRITE_FIRST, OP_WRITE_FIRST, MTU },
		{ OP_WRITE_FIRST, OP_READ_REQUEST, 0 },	   { OP_WRITE_FIRST, OP_FETCH_ADD, 0 },
		{ OP_WRITE_FIRST, OP_WRITE_LAST, 0 },	   { OP_WRITE_FIRST, OP_WRITE_LAST, 7 },
		{ OP_WRITE_FIRST, OP_WRITE_LAST, 9 },	   { OP_WRITE_FIRST, OP_WRITE_MIDDLE, MTU },
		{ OP_WRITE_FIRST, OP_WRITE_LAST_IMM, 7 },  { OP_SEND_FIRST, OP_SEND_MIDDLE, 8 },
		{ OP_SEND_FIRST, OP_WRITE_MIDDLE, MTU },   { OP_SEND_FIRST, OP_SEND_LAST, 0 },
		{ OP_SEND_FIRST, OP_SEND_LAST, MTU + 1 },  { OP_SEND_FIRST, OP_SEND_ONLY, 1 },
		{ OP_SEND_FIRST, OP_WRITE_LAST_IMM, MTU },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct packet p;
		uint8_t before[BYTES];

		open_pair();
		p = packet_to_b(cases[i].first, b->resp.psn);
		p.va = (uintptr_t)there;
		p.rkey = there_key;
		p.dma_len = MTU + 8;
		p.len = MTU;
		rig_inject(&p, junk);
		CHECK_INT(b->resp.psn, psn_add(p.psn, 1));
		memcpy(before, there, BYTES);
		p = packet_to_b(cases[i].second, psn_add(p.psn, 1));
		p.va = (uintptr_t)there;
		p.rkey = there_key;
		p.len = p.dma_len = cases[i].len;
		rig_inject(&p, junk);
		rig_run(0);
		CHECK_INT(rig_log[rig_logged - 1].syndrome, AETH_NAK_INVALID);
		CHECK_INT(rig_log[rig_logged - 1].psn, p.psn);
		CHECK_INT(qp_state(b), IBV_QPS_ERR);
		CHECK(memcmp(before, there, BYTES) == 0);
		close_pair();
	}
}

/* ------------------------------------------------------------------- the checks of 9.6 -- */

static void check_dropped(const struct packet *p, enum counter c)
{
	struct requester req_a = a->req, req_b = b->req;
	struct responder resp_a = a->resp, resp_b = b->resp;
	uint64_t before = counters[c];
	struct ibv_wc wc;

	rig_inject(p, junk);
	CHECK_INT(counters[c], before + 1);
	CHECK(memcmp(&req_a, &a->req, sizeof(req_a)) == 0);
	CHECK(memcmp(&req_b, &b->req, sizeof(req_b)) == 0);
	CHECK(memcmp(&resp_a, &a->resp, sizeof(resp_a)) == 0);
	CHECK(memcmp(&resp_b, &b->resp, sizeof(resp_b)) == 0);
	CHECK(!rig_finish());
	CHECK_INT(rig_logged, 0);
	CHECK(!rig_poll(a->send_cq, &wc) && !rig_poll(b->recv_cq, &wc));
	CHECK_INT(rig_event().type, -1);
	check_memory();
}

static void check_headers(void)
{
	struct packet good, p;

	open_pair();
	good = packet_to_b(OP_SEND_ONLY, b->resp.psn);
	good.len = 8;
	p = good;
	p.src.raw[15]++;
	check_dropped(&p, CNT_BAD_SOURCE);
	p = good;
	p.dst.raw[15]++;
	check_dropped(&p, CNT_BAD_SOURCE);
	p = good;
	p.pkey = 0x1234;
	check_dropped(&p, CNT_BAD_PKEY);
	p = good;
	p.qpn = 99;
	check_dropped(&p, CNT_BAD_QPN);
	p = good;
	p.op = opcode_find(OPCODE_UC | OP_SEND_ONLY);
	check_dropped(&p, CNT_BAD_QPN);
	p.op = opcode_find(OPCODE_UD | OP_SEND_ONLY);
	p.qkey = b->attr.qkey;
	check_dropped(&p, CNT_BAD_QPN);
	for (int s = IBV_QPS_RESET; s <= IBV_QPS_INIT; s++) {
		b->attr.qp_state = (enum ibv_qp_state)s;
		check_dropped(&good, CNT_BAD_STATE);
	}
	b->attr.qp_state = IBV_QPS_ERR;
	check_dropped(&good, CNT_BAD_STATE);
	b->attr.qp_state = IBV_QPS_RTR; /* no requests, so no responses either */
	p = good;
	p.op = opcode_find(OP_ACK);
	p.len = 0;
	check_dropped(&p, CNT_BAD_STATE);
	b->attr.qp_state = IBV_QPS_RTS;
	/* a congestion notification is heard, and nothing comes of it */
	p.op = opcode_find(OP_CNP);
	p.len = 16;
	rig_inject(&p, junk);
	CHECK(!rig_finish());
	/* the P_Key of a limited member will do */
	good.pkey = 0x7fff;
	good.len = 0;
	rig_inject(&good, NULL);
	rig_run(0);
	CHECK_INT(rig_count(OP_ACK), 1);
	close_pair();
}

/* ---------------------------------------------------------------------- responses -- */

static bool lose_all(const struct packet *p)
{
	(void)p;
	return true;
}

static struct packet packet_to_a(uint8_t opcode, uint32_t psn, uint8_t syndrome)
{
	struct packet p = packet_to_b(opcode, psn);

	p.src = rig_gid_b;
	p.dst = rig_gid_a;
	p.qpn = a->v.qp_num;
	p.syndrome = syndrome;
	return p;
}

/* Three packets of a WRITE are on their way. */
static void check_unasked(void)
{
	static const uint8_t opcodes[] = { OP_READ_RESP_FIRST, OP_READ_RESP_MIDDLE,
					   OP_READ_RESP_LAST, OP_READ_RESP_ONLY, OP_ATOMIC_ACK };
	static const uint8_t syndromes[] = { AETH_ACK, AETH_RNR | 1, AETH_NAK_INVALID,
					     AETH_NAK_ACCESS, AETH_NAK_OPERATION };
	struct rig_wr wr = { .opcode = IBV_WR_RDMA_WRITE, .nsge = 1 };
	struct packet p;

	open_pair();
	wr.sge[0] = (struct ibv_sge){ (uintptr_t)here, 3 * MTU, here_key };
	wr.remote = (uintptr_t)there;
	wr.rkey = there_key;
	rig_wire.lose = lose_all;
	rig_post(a, &wr);
	rig_clear();
	for (unsigned i = 0; i < sizeof(opcodes); i++) {
		p = packet_to_a(opcodes[i], a->req.una_psn, AETH_ACK);
		p.len = p.op->flags & WIRE_PAYLOAD ? MTU : 0;
		check_dropped(&p, CNT_UNEXPECTED);
		p.psn = a->req.psn;
		check_dropped(&p, CNT_UNEXPECTED);
		p.psn = psn_add(a->req.psn, 0x400000);
		check_dropped(&p, CNT_UNEXPECTED);
	}
	for (unsigned i = 0; i < sizeof(syndromes); i++) {
		p = packet_to_a(OP_ACK, a->req.psn, syndromes[i]);
		check_dropped(&p, CNT_UNEXPECTED);
		p.psn = psn_add(a->req.psn, 1000);
		check_dropped(&p, CNT_UNEXPECTED);
	}
	/* syndromes that stand for nothing */
	p = packet_to_a(OP_ACK, a->req.una_psn, 0x40);
	check_dropped(&p, CNT_UNEXPECTED);
	p.syndrome = 0x64;
	check_dropped(&p, CNT_UNEXPECTED);
	p.syndrome = 0x7f;
	check_dropped(&p, CNT_UNEXPECTED);
	/* late ones are as good as none */
	for (unsigned i = 0; i < sizeof(syndromes); i++) {
		p = packet_to_a(OP_ACK, psn_add(a->req.una_psn, PSN_MASK), syndromes[i]);
		rig_inject(&p, NULL);
		CHECK_INT(qp_state(a), IBV_QPS_RTS);
	}
	CHECK_INT(rig_logged, 0);
	rig_wire.lose = NULL;
	close_pair();
}

/* Answers to a READ of two packets that are not what was asked for. */
static void check_bad_answers(void)
{
	static const struct {
		uint8_t opcode;
		uint32_t len;
		enum ibv_wc_status status;
	} cases[] = {
		{ OP_READ_RESP_LAST, MTU, IBV_WC_BAD_RESP_ERR },
		{ OP_READ_RESP_ONLY, MTU, IBV_WC_BAD_RESP_ERR },
		{ OP_READ_RESP_FIRST, MTU - 4, IBV_WC_LOC_LEN_ERR },
		{ OP_READ_RESP_FIRST, MTU + 4, IBV_WC_LOC_LEN_ERR },
		{ OP_READ_RESP_MIDDLE, 0, IBV_WC_LOC_LEN_ERR },
	};
	struct rig_wr wr = { .opcode = IBV_WR_RDMA_READ, .nsge = 1 };

	wr.sge[0] = (struct ibv_sge){ (uintptr_t)here, MTU + 4, here_key };
	wr.remote = (uintptr_t)there;
	wr.rkey = there_key;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct packet p;
		struct ibv_wc wc;

		open_pair();
		memset(here, 0x11, BYTES);
		rig_wire.lose = lose_all;
		rig_post(a, &wr);
		p = packet_to_a(cases[i].opcode, a->req.una_psn, AETH_ACK);
		p.len = cases[i].len;
		rig_inject(&p, junk);
		CHECK(rig_poll(a->send_cq, &wc));
		CHECK_INT(wc.status, cases[i].status);
		for (unsigned k = 0; k < BYTES; k++)
			CHECK_INT(here[k], 0x11);
		rig_wire.lose = NULL;
		close_pair();
	}
}

int main(void)
{
	const unsigned all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

	o = rig_defaults;
	memset(junk, 0xcc, sizeof(junk));
	here_key = rig_reg(rig_pd, here, BYTES, IBV_ACCESS_LOCAL_WRITE);
	there_key = rig_reg(rig_pd, there, BYTES, all);
	landing_key = rig_reg(rig_pd, landing, BYTES, IBV_ACCESS_LOCAL_WRITE);
	for (unsigned i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		printf("%s\n", hostile[i].what);
		open_pair();
		check_request(&hostile[i]);
		close_pair();
		o.type = IBV_QPT_UC;
		open_pair();
		check_uc_request(&hostile[i]);
		close_pair();
		o.type = IBV_QPT_RC;
	}
	check_middle();
	check_headers();
	check_unasked();
	check_bad_answers();
	return checks_end();
}
