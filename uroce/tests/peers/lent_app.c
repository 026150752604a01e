// SPDX-License-Identifier: MIT
/*
 * lent_app CASE early|right: memory that is lent to the device is used before the completion was
 * polled, or after. It is built with a sanitizer, which has to find the first, and to be silent
 * otherwise.
 */
#include <pthread.h>

#include "checks.h"
#include "qp_pair.h"

#define LENGTH 512

static bool early;
static volatile unsigned sum;

static void look(const struct side *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < LENGTH; i++)
		n += s->buf[i];
	sum = n;
}

static void done(struct side *s)
{
	CHECK_INT(pair_wait(s->cq, NULL), IBV_WC_SUCCESS);
}

/* The memory of a receive is read. */
static void recv_read(struct pair *p)
{
	CHECK_INT(pair_recv(&p->b, LENGTH, 1), 0);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_SEND, LENGTH, 1), 0);
	done(&p->a);
	if (early)
		look(&p->b);
	done(&p->b);
	look(&p->b);
}

/* The same, by another thread than the one that polls. */
static void *look_aside(void *side)
{
	look(side);
	return NULL;
}

static void recv_read_by_thread(struct pair *p)
{
	pthread_t thread;

	CHECK_INT(pair_recv(&p->b, LENGTH, 1), 0);
	if (early)
		pthread_create(&thread, NULL, look_aside, &p->b);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_SEND, LENGTH, 1), 0);
	done(&p->a);
	done(&p->b);
	if (!early)
		pthread_create(&thread, NULL, look_aside, &p->b);
	pthread_join(thread, NULL);
}

/* The memory of a receive is written. */
static void recv_written(struct pair *p)
{
	CHECK_INT(pair_recv(&p->b, LENGTH, 1), 0);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_SEND, LENGTH, 1), 0);
	if (early)
		pair_fill(p->b.buf, LENGTH, 3);
	done(&p->a);
	done(&p->b);
	pair_fill(p->b.buf, LENGTH, 3);
}

/* The data of a READ are used. */
static void read_used(struct pair *p)
{
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_RDMA_READ, LENGTH, 1), 0);
	if (early)
		look(&p->a);
	done(&p->a);
	look(&p->a);
}

/* The result of an atomic is used. */
static void atomic_used(struct pair *p)
{
	struct ibv_sge sge = { (uintptr_t)p->a.buf, 8, p->a.mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.wr.atomic = { (uintptr_t)p->b.buf, 1, 0, p->b.mr->rkey },
	};

	CHECK_INT(ibv_post_send(p->a.qp, &wr, &bad), 0);
	if (early)
		sum = p->a.buf[0];
	done(&p->a);
	sum = p->a.buf[0];
}

/* The memory of a SEND is filled again: no memory that the device writes to. */
static void send_changed(struct pair *p)
{
	CHECK_INT(pair_recv(&p->b, LENGTH, 1), 0);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_SEND, LENGTH, 1), 0);
	if (early)
		pair_fill(p->a.buf, LENGTH, 4);
	done(&p->a);
	pair_fill(p->a.buf, LENGTH, 5);
	done(&p->b);
}

/* Two receives have the same memory: one is done, and the other is not. */
static void recv_shared(struct pair *p)
{
	CHECK_INT(pair_recv(&p->b, LENGTH, 1), 0);
	CHECK_INT(pair_recv(&p->b, LENGTH, 2), 0);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_SEND, LENGTH, 1), 0);
	done(&p->a);
	done(&p->b);
	if (early)
		look(&p->b);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_SEND, LENGTH, 1), 0);
	done(&p->a);
	done(&p->b);
	look(&p->b);
}

/* Receives that are flushed, and a QP that is destroyed, give their memory back. */
static void flushed(struct pair *p)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	CHECK_INT(pair_recv(&p->b, LENGTH, 1), 0);
	CHECK_INT(ibv_modify_qp(p->b.qp, &attr, IBV_QP_STATE), 0);
	if (early)
		look(&p->b);
	CHECK_INT(pair_wait(p->b.cq, NULL), IBV_WC_WR_FLUSH_ERR);
	look(&p->b);
	CHECK_INT(pair_recv(&p->a, LENGTH, 1), 0);
	CHECK_INT(ibv_destroy_qp(p->a.qp), 0);
	look(&p->a);
	pair_new_qp(&p->a);
}

static const struct {
	const char *name;
	void (*fn)(struct pair *p);
} cases[] = {
	{ "recv-read", recv_read },	  { "recv-read-by-thread", recv_read_by_thread },
	{ "recv-written", recv_written }, { "read-used", read_used },
	{ "atomic-used", atomic_used },	  { "send-changed", send_changed },
	{ "recv-shared", recv_shared },	  { "flushed", flushed },
};

int main(int argc, char **argv)
{
	struct pair p = { 0 };

	early = argc > 2 && strcmp(argv[2], "early") == 0;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (argc < 3 || strcmp(argv[1], cases[i].name) != 0)
			continue;
		pair_make(&p, 0);
		cases[i].fn(&p);
		pair_close(&p);
		return 0;
	}
	return 2;
}
