/* SPDX-License-Identifier: MIT */
/*
 * The costs of a record: the same functions of a device that does nothing, with and without it, in
 * turns. For scripts/bench record.
 *
 *   record_bench [ROUNDS [CALLS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "call_record.h"
#include "record_rings.h"
#include "recorded.h"

static int fake_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	(void)n;
	wc->wr_id = cq->handle;
	wc->status = IBV_WC_SUCCESS;
	return 1;
}

static int fake_empty_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	(void)cq;
	(void)n;
	(void)wc;
	return 0;
}

static int fake_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)qp;
	(void)wr;
	(void)bad;
	return 0;
}

static int fake_notify(struct ibv_cq *cq, int solicited)
{
	(void)cq;
	(void)solicited;
	return 0;
}

static struct ibv_context full = { .ops = { .poll_cq = fake_poll,
					    .post_send = fake_send,
					    .req_notify_cq = fake_notify } },
			  empty = { .ops = { .poll_cq = fake_empty_poll } };
static struct ibv_cq cq = { .context = &full }, empty_cq = { .context = &empty };
static struct ibv_qp qp = { .context = &full };

static void poll_one(void)
{
	struct ibv_wc wc;

	ibv_poll_cq(&cq, 1, &wc);
}

static void poll_none(void)
{
	struct ibv_wc wc;

	ibv_poll_cq(&empty_cq, 1, &wc);
}

static void post_one(void)
{
	struct ibv_sge sge = { 0x1000, 8, 7 };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE },
			   *bad;

	ibv_post_send(&qp, &wr, &bad);
}

static void notify(void)
{
	ibv_req_notify_cq(&cq, 0);
}

static double loop(void (*fn)(void), unsigned n)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (unsigned i = 0; i < n; i++)
		fn();
	clock_gettime(CLOCK_MONOTONIC, &to);
	return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / n;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, unsigned n)
{
	qsort(v, n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} kinds[] = { { "ibv_post_send, 1 SGE", post_one },
		      { "ibv_poll_cq, 1 completion", poll_one },
		      { "ibv_poll_cq, none", poll_none },
		      { "ibv_req_notify_cq", notify } };
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 11;
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 200000;
	double *off = calloc(rounds, sizeof *off), *on = calloc(rounds, sizeof *on);

	if (!off || !on || !rounds || !n)
		return 2;
	for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		for (unsigned i = 0; i < rounds; i++) {
			record_switch(false);
			off[i] = loop(kinds[k].fn, n);
			record_switch(true);
			on[i] = loop(kinds[k].fn, n) - off[i];
		}
		printf("%-26s %6.1f ns without   %5.1f ns for the record   (%u rounds of %u)\n",
		       kinds[k].name, median(off, rounds), median(on, rounds), rounds, n);
	}
	free(off);
	free(on);
	return 0;
}
