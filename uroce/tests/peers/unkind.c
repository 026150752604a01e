// SPDX-License-Identifier: MIT
/*
 * unkind MISTAKE wrong|right [ROUNDS]: programs with a mistake that a quick device does not show,
 * and the same without it. Exit status 3: the mistake has shown.
 */
#include <stdatomic.h>

#include "checks.h"
#include "qp_pair.h"

#define SHOWN  3
#define LENGTH 900 /* of a message: one packet */

static bool right;
static unsigned rounds = 200;

static int shown(const char *what, unsigned round)
{
	printf("round %u: %s\n", round, what);
	return SHOWN;
}

/* Sees it if the device's thread has written it. */
static uint8_t last_byte(const struct side *s)
{
	return atomic_load_explicit((_Atomic uint8_t *)&s->buf[LENGTH - 1], memory_order_acquire);
}

static bool is_whole(const struct side *s, unsigned round)
{
	for (unsigned i = 0; i < LENGTH; i++)
		if (s->buf[i] != pair_byte(i, round))
			return false;
	return true;
}

/* Takes a message to be whole when its last byte has come. */
static int last_byte_polled(struct pair *p)
{
	enum ibv_wr_opcode op = right ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;

	for (unsigned r = 1; r <= rounds; r++) {
		bool whole;

		if (right)
			CHECK_INT(pair_recv(&p->b, 0, r), 0);
		pair_fill(p->a.buf, LENGTH, r);
		CHECK_INT(pair_post(&p->a, &p->b, op, LENGTH, r), 0);
		if (right)
			CHECK_INT(pair_wait(p->b.cq, NULL), IBV_WC_SUCCESS);
		else
			while (last_byte(&p->b) != pair_byte(LENGTH - 1, r))
				;
		whole = is_whole(&p->b, r);
		CHECK_INT(pair_wait(p->a.cq, NULL), IBV_WC_SUCCESS);
		if (!whole)
			return shown("the last byte is there, and others are not", r);
	}
	return 0;
}

/* Takes the first completion of a CQ to be that of the QP that was posted to first. */
static int completions_across_qps(struct pair *p)
{
	struct side second = { .pd = p->a.pd, .cq = p->a.cq, .mr = p->a.mr, .buf = p->a.buf };
	struct side peer = { .pd = p->b.pd, .cq = p->b.cq, .mr = p->b.mr, .buf = p->b.buf };
	struct ibv_wc wc[2];
	int rc = 0;

	pair_new_qp(&second);
	pair_new_qp(&peer);
	pair_connect(p->ctx, second.qp, peer.qp->qp_num, 14, 7);
	pair_connect(p->ctx, peer.qp, second.qp->qp_num, 14, 7);
	for (unsigned r = 1; r <= rounds && rc == 0; r++) {
		CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_RDMA_WRITE, 8, 1), 0);
		CHECK_INT(pair_post(&second, &peer, IBV_WR_RDMA_WRITE, 8, 2), 0);
		for (unsigned i = 0; i < 2; i++)
			CHECK_INT(pair_wait(p->a.cq, &wc[i]), IBV_WC_SUCCESS);
		if (right)
			CHECK_INT(wc[0].wr_id + wc[1].wr_id, 3);
		else if (wc[0].wr_id != 1)
			rc = shown("the completion of the second QP came first", r);
	}
	CHECK_INT(ibv_destroy_qp(second.qp), 0);
	CHECK_INT(ibv_destroy_qp(peer.qp), 0);
	return rc;
}

/* Knows by the receives of the peer that its SENDs are done, and takes their places. */
static int queue_place(struct pair *p)
{
	for (unsigned r = 1; r <= rounds; r++) {
		for (unsigned i = 0; i < PAIR_DEPTH; i++)
			CHECK_INT(pair_recv(&p->b, 8, i), 0);
		for (unsigned i = 0; i < PAIR_DEPTH; i++)
			if (pair_post(&p->a, &p->b, IBV_WR_SEND, 8, i) != 0)
				return shown("there is no place in the send queue", r);
		for (unsigned i = 0; i < PAIR_DEPTH; i++)
			CHECK_INT(pair_wait(p->b.cq, NULL), IBV_WC_SUCCESS);
		for (unsigned i = 0; right && i < PAIR_DEPTH; i++)
			CHECK_INT(pair_wait(p->a.cq, NULL), IBV_WC_SUCCESS);
	}
	return 0;
}

static const struct {
	const char *name;
	int (*fn)(struct pair *p);
	unsigned rounds; /* at most */
} mistakes[] = {
	{ "last-byte", last_byte_polled, 1000 },
	{ "across-qps", completions_across_qps, 1000 },
	{ "queue-place", queue_place, 40 }, /* its CQ is never polled */
};

int main(int argc, char **argv)
{
	struct pair p = { 0 };
	int rc;

	right = argc > 2 && strcmp(argv[2], "right") == 0;
	for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		if (argc < 3 || strcmp(argv[1], mistakes[i].name) != 0)
			continue;
		rounds = argc > 3 ? (unsigned)atoi(argv[3]) : rounds;
		if (rounds > mistakes[i].rounds)
			rounds = mistakes[i].rounds;
		pair_make(&p, 64 * PAIR_DEPTH);
		rc = mistakes[i].fn(&p);
		pair_close(&p);
		return rc;
	}
	fprintf(stderr, "usage: unkind last-byte|across-qps|queue-place wrong|right [ROUNDS]\n");
	return 2;
}
