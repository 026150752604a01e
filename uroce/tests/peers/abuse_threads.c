// SPDX-License-Identifier: MIT
/* Cases of abuse: a program that does not poll, that is interrupted, that has many threads. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <unistd.h>

#include "abuse.h"
#include "checks.h"
#include "qp_pair.h"

/* A program may look at its memory only: what it has posted, and what its peer does, goes on. */
int never_polls(void)
{
	struct pair p;

	pair_make(&p, 0);
	for (unsigned i = 0; i < PAIR_DEPTH / 2; i++)
		CHECK_INT(pair_recv(&p.b, 64, i), 0);
	for (unsigned i = 1; i <= PAIR_DEPTH / 2; i++) {
		*(volatile uint64_t *)p.a.buf = i;
		CHECK_INT(pair_post(&p.a, &p.b, i % 2 ? IBV_WR_RDMA_WRITE : IBV_WR_SEND, 64, i), 0);
		for (unsigned k = 0; *(volatile uint64_t *)p.b.buf != i; k++) {
			CHECK(k < 20000);
			usleep(500);
		}
	}
	for (unsigned i = 1; i <= PAIR_DEPTH / 2; i++)
		CHECK_INT(pair_wait(p.a.cq, NULL), IBV_WC_SUCCESS);
	pair_close(&p);
	return 0;
}

/* ------------------------------------------------------------------ signals -- */

static atomic_uint alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

/* Every us microseconds; 0: no more. */
static void storm(long us, int flags)
{
	struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = flags };
	struct itimerval t = { { us / 1000000, us % 1000000 }, { us / 1000000, us % 1000000 } };

	CHECK_INT(sigaction(SIGALRM, &sa, NULL), 0);
	CHECK_INT(setitimer(ITIMER_REAL, &t, NULL), 0);
}

static void *post_after_alarms(void *arg)
{
	struct pair *p = arg;

	while (alarms <= 5)
		usleep(1000);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_RDMA_WRITE, 8, 0), 0);
	return NULL;
}

static void take_event(struct pair *p)
{
	struct ibv_cq *cq;
	void *context;

	CHECK_INT(ibv_get_cq_event(p->channel, &cq, &context), 0);
	CHECK(cq == p->a.cq);
	ibv_ack_cq_events(cq, 1);
	CHECK_INT(pair_wait(p->a.cq, NULL), IBV_WC_SUCCESS);
}

int signals(void)
{
	struct ibv_async_event ev;
	struct ibv_cq *cq;
	pthread_t thread;
	sigset_t set;
	void *context;
	struct pair p;

	pair_make(&p, 0);
	storm(200, 0);
	for (unsigned i = 0; i < 20 || !alarms; i++)
		pair_works(&p);
	/* like read(2): EINTR unless the handler has SA_RESTART */
	CHECK_INT(ibv_req_notify_cq(p.a.cq, 0), 0);
	CHECK_INT(ibv_get_cq_event(p.channel, &cq, &context), -1);
	CHECK_INT(errno, EINTR);
	CHECK_INT(ibv_get_async_event(p.ctx, &ev), -1);
	CHECK_INT(errno, EINTR);
	storm(2000, SA_RESTART);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	CHECK_INT(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
	alarms = 0;
	CHECK_INT(pthread_create(&thread, NULL, post_after_alarms, &p), 0);
	CHECK_INT(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
	take_event(&p);
	pthread_join(thread, NULL);
	storm(0, 0);
	pair_close(&p);
	return 0;
}

/* ------------------------------------------------------------------ threads -- */

enum { THREADS = 8, EACH = 2000 };

struct worker {
	pthread_t thread;
	struct pair *pair;
	atomic_uint *posted, *polled;
};

static void *own_pair(void *arg)
{
	struct worker *w = arg;

	for (unsigned i = 0; i < 20; i++)
		pair_works(w->pair);
	return NULL;
}

/* All post to one QP and poll one queue. */
static void *shared_pair(void *arg)
{
	struct worker *w = arg;
	struct ibv_wc wc[4];

	while (*w->polled < THREADS * EACH) {
		int n;

		if (*w->posted < THREADS * EACH && atomic_fetch_add(w->posted, 1) < THREADS * EACH)
			while (pair_post(&w->pair->a, &w->pair->b, IBV_WR_RDMA_WRITE, 200, 0) != 0)
				if (ibv_poll_cq(w->pair->a.cq, 1, wc) == 1)
					*w->polled += 1;
		n = ibv_poll_cq(w->pair->a.cq, 4, wc);
		CHECK(n >= 0);
		for (int i = 0; i < n; i++)
			CHECK_INT(wc[i].status, IBV_WC_SUCCESS);
		*w->polled += (unsigned)n;
	}
	return NULL;
}

int threads(void)
{
	struct pair pairs[THREADS], shared;
	struct worker w[2 * THREADS];
	atomic_uint posted = 0, polled = 0;

	pair_make(&shared, 4 * PAIR_DEPTH);
	for (unsigned i = 0; i < THREADS; i++) {
		pair_make(&pairs[i], 0);
		w[i] = (struct worker){ .pair = &pairs[i] };
		w[THREADS + i] =
			(struct worker){ .pair = &shared, .posted = &posted, .polled = &polled };
	}
	for (unsigned i = 0; i < 2 * THREADS; i++)
		CHECK_INT(pthread_create(&w[i].thread, NULL, i < THREADS ? own_pair : shared_pair,
					 &w[i]),
			  0);
	for (unsigned i = 0; i < 2 * THREADS; i++)
		pthread_join(w[i].thread, NULL);
	CHECK_INT(polled, THREADS * EACH);
	for (unsigned i = 0; i < THREADS; i++)
		pair_close(&pairs[i]);
	pair_close(&shared);
	return 0;
}
