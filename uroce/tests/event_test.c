/* SPDX-License-Identifier: MIT */
/* Events from threads: who waits, who acknowledges, who destroys. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "checks.h"
#include "completion_queue.h"
#include "engine.h"
#include "context.h"
#include "rig.h"
#include "gid.h"
#include "queue_pair.h"

#define EVENTS 2000

static struct ibv_context *context;

/* Until a thread went to sleep in the engine that often: without guessing how long that takes. */
static void await_sleeps(unsigned n)
{
	for (bool there = false; !there;) {
		engine_lock();
		there = rig_sleeps >= n;
		engine_unlock();
		sched_yield();
	}
}

static void raise_qp(struct qp *qp, enum ibv_event_type type)
{
	engine_lock();
	event_qp(qp, type);
	engine_unlock();
}

static int left;

static void *take_one(void *event)
{
	return left ? left--, event : NULL;
}

static int take(struct event_queue *q)
{
	int event;
	void *got;

	engine_lock();
	got = event_take(q, take_one, &event);
	engine_unlock();
	return got == &event ? 0 : -1;
}

static void add(struct event_queue *q)
{
	engine_lock();
	left++;
	event_added(q);
	engine_unlock();
}

static void descriptors(void)
{
	struct event_queue *q = event_queue_new();

	CHECK(q && q->fd >= 0);
	CHECK_INT(fcntl(q->fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	CHECK(!rig_readable(q->fd));
	add(q);
	add(q);
	CHECK_INT(take(q), 0);
	CHECK(rig_readable(q->fd));
	engine_lock();
	left--;
	event_removed(q);
	engine_unlock();
	CHECK(!rig_readable(q->fd));
	fcntl(q->fd, F_SETFL, O_NONBLOCK);
	CHECK(take(q) == -1 && errno == EAGAIN);
	add(q);
	CHECK_INT(take(q), 0);
	CHECK(!rig_readable(q->fd));
	engine_lock();
	event_queue_close(q);
	engine_unlock();
}

static void kinds(void)
{
	struct qp qp = { .v.context = context, .ctx = to_context(context) };
	struct srq srq = { .v.context = context, .ctx = to_context(context) };
	struct ibv_async_event e;

	raise_qp(&qp, IBV_EVENT_COMM_EST);
	engine_lock();
	event_srq(&srq, IBV_EVENT_SRQ_LIMIT_REACHED);
	event_port(0, IBV_EVENT_GID_CHANGE);
	gid_changed(0, true, false); /* and nobody took the first */
	gid_changed(0, true, false);
	engine_unlock();
	CHECK_INT(ibv_get_async_event(context, &e), 0);
	CHECK(e.event_type == IBV_EVENT_COMM_EST && e.element.qp == &qp.v);
	ibv_ack_async_event(&e);
	CHECK_INT(ibv_get_async_event(context, &e), 0);
	CHECK(e.event_type == IBV_EVENT_SRQ_LIMIT_REACHED && e.element.srq == &srq.v);
	ibv_ack_async_event(&e);
	ibv_ack_async_event(&e); /* one too many does no harm */
	CHECK_INT(ibv_get_async_event(context, &e), 0);
	CHECK(e.event_type == IBV_EVENT_GID_CHANGE && e.element.port_num == 1);
	ibv_ack_async_event(&e);
	CHECK(!rig_readable(context->async_fd));
	engine_lock();
	gid_changed(0, true, false);
	engine_unlock();
	CHECK(rig_readable(context->async_fd));
	CHECK_INT(ibv_get_async_event(context, &e), 0);
}

static bool drained;

static void *drain(void *arg)
{
	struct qp *qp = arg;

	engine_lock();
	event_drain(qp->ctx, qp);
	drained = true;
	engine_unlock();
	return NULL;
}

static void destroy_waits(void)
{
	struct qp qp = { .v.context = context, .ctx = to_context(context) };
	struct qp other = { .v.context = context, .ctx = to_context(context) };
	struct ibv_async_event e, of_other;
	pthread_t t;

	raise_qp(&other, IBV_EVENT_QP_FATAL);
	raise_qp(&qp, IBV_EVENT_QP_FATAL);
	raise_qp(&qp, IBV_EVENT_QP_LAST_WQE_REACHED);
	CHECK_INT(ibv_get_async_event(context, &of_other), 0);
	CHECK_INT(ibv_get_async_event(context, &e), 0);
	CHECK(of_other.element.qp == &other.v && e.element.qp == &qp.v);
	rig_sleeps = 0;
	pthread_create(&t, NULL, drain, &qp);
	await_sleeps(1);
	/* what was not taken is gone already */
	CHECK(!rig_readable(context->async_fd));
	ibv_ack_async_event(&of_other);
	await_sleeps(2); /* woken for nothing */
	engine_lock();
	CHECK(!drained);
	engine_unlock();
	ibv_ack_async_event(&e);
	pthread_join(t, NULL);
	CHECK(drained);
}

/* The device is closed while a thread waits for an acknowledgement, which has no effect then. */
static void close_wakes(void)
{
	struct ibv_context *c = ibv_open_device(&devices[0].v);
	struct ibv_pd *pd = ibv_alloc_pd(c);
	struct qp qp = { .v.context = c, .ctx = to_context(c) };
	struct ibv_async_event e;
	pthread_t t;

	raise_qp(&qp, IBV_EVENT_QP_FATAL);
	CHECK_INT(ibv_get_async_event(c, &e), 0);
	rig_sleeps = 0;
	pthread_create(&t, NULL, drain, &qp);
	await_sleeps(1);
	CHECK_INT(ibv_close_device(c), 0);
	pthread_join(t, NULL);
	ibv_ack_async_event(&e);
	raise_qp(&qp, IBV_EVENT_QP_FATAL); /* goes nowhere */
	CHECK(TAILQ_EMPTY(&to_context(c)->events));
	CHECK_INT(ibv_dealloc_pd(pd), 0);
	free(to_context(c)); /* what the application lost */
}

static void *destroy(void *cq)
{
	return ibv_destroy_cq(cq) == 0 ? cq : NULL;
}

static void put(struct ibv_cq *cq)
{
	const struct ibv_wc wc = { .wr_id = 1 };

	engine_lock();
	cq_put(to_cq(cq), &wc, false);
	engine_unlock();
}

static void destroy_cq_waits(void)
{
	struct ibv_comp_channel *ch = ibv_create_comp_channel(context);
	struct ibv_cq *cq = ibv_create_cq(context, 8, NULL, ch, 0), *got;
	pthread_t t;
	void *arg;

	for (unsigned i = 0; i < 2; i++) {
		ibv_req_notify_cq(cq, 0);
		put(cq);
		CHECK_INT(ibv_get_cq_event(ch, &got, &arg), 0);
	}
	rig_sleeps = 0;
	pthread_create(&t, NULL, destroy, cq);
	await_sleeps(1);
	ibv_ack_cq_events(cq, 1);
	await_sleeps(2);
	ibv_ack_cq_events(cq, 1);
	pthread_join(t, &arg);
	CHECK(arg == cq);
	CHECK_INT(ibv_destroy_comp_channel(ch), 0);
}

static void *consume(void *channel)
{
	uintptr_t n = 0;

	for (;;) {
		struct ibv_cq *cq;
		struct ibv_wc wc;
		void *arg;

		if (ibv_get_cq_event(channel, &cq, &arg) != 0)
			return NULL;
		ibv_ack_cq_events(cq, 1);
		ibv_req_notify_cq(cq, 0);
		while (ibv_poll_cq(cq, 1, &wc) == 1) {
			if (wc.wr_id == 0) /* the end: for the next thread too */
				return (void *)n;
			n++;
		}
	}
}

/* One puts, two wait and poll: nothing is lost, nothing comes twice. */
static void threads(void)
{
	struct ibv_comp_channel *ch = ibv_create_comp_channel(context);
	struct ibv_cq *cq = ibv_create_cq(context, EVENTS + 2, NULL, ch, 0);
	const struct ibv_wc end = { .wr_id = 0 };
	pthread_t t[2];
	void *n[2];

	ibv_req_notify_cq(cq, 0);
	for (unsigned i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, consume, ch);
	for (unsigned i = 0; i < EVENTS; i++)
		put(cq);
	for (unsigned i = 0; i < 2; i++) {
		engine_lock();
		cq_put(to_cq(cq), &end, false);
		to_cq(cq)->armed = CQ_UNARMED;
		cq_channel_put(to_cq(cq)); /* one for each, whether it was armed or not */
		cq_channel_put(to_cq(cq));
		engine_unlock();
	}
	for (unsigned i = 0; i < 2; i++)
		pthread_join(t[i], &n[i]);
	CHECK_INT((uintptr_t)n[0] + (uintptr_t)n[1], EVENTS);
	CHECK_INT(ibv_destroy_cq(cq), 0);
	CHECK(!rig_readable(ch->fd));
	CHECK_INT(ibv_destroy_comp_channel(ch), 0);
}

/* ------------------------------------------------- the end while a thread waits -- */

static struct ibv_comp_channel *ended_channel;
static struct ibv_context *ended_context;

/* Both end, and others begin, which must not get the number of the descriptor. */
static int end_both(int fd)
{
	struct ibv_comp_channel *ch;
	struct ibv_context *c;

	rig_waiter = NULL;
	if (ended_channel)
		CHECK_INT(ibv_destroy_comp_channel(ended_channel), 0);
	if (ended_context)
		CHECK_INT(ibv_close_device(ended_context), 0);
	c = ibv_open_device(&devices[0].v);
	ch = ibv_create_comp_channel(c);
	CHECK(c->async_fd != fd && ch->fd != fd);
	CHECK_INT(fcntl(fd, F_SETFL, O_NONBLOCK), 0); /* the thread looks again */
	CHECK_INT(ibv_destroy_comp_channel(ch), 0);
	CHECK_INT(ibv_close_device(c), 0);
	return 0;
}

static void ends_while_waiting(void)
{
	struct ibv_async_event e;
	struct ibv_cq *cq;
	void *arg;
	int fd;

	ended_channel = ibv_create_comp_channel(context);
	fd = ended_channel->fd;
	rig_waiter = end_both;
	CHECK(ibv_get_cq_event(ended_channel, &cq, &arg) == -1 && errno == EAGAIN);
	CHECK(fcntl(fd, F_GETFD) == -1 && errno == EBADF);
	ended_channel = NULL;
	ended_context = ibv_open_device(&devices[0].v);
	fd = ended_context->async_fd;
	rig_waiter = end_both;
	CHECK(ibv_get_async_event(ended_context, &e) == -1 && errno == EAGAIN);
	CHECK(fcntl(fd, F_GETFD) == -1 && errno == EBADF);
	ended_context = NULL;
}

/* Threads that are cancelled: without AddressSanitizer, see await_event() in events.c. */
#define CANCELLED __attribute__((no_sanitize_address))

CANCELLED static void *wait_async(void *c)
{
	struct ibv_async_event e;

	pthread_cancel(pthread_self()); /* takes effect where the call may be cancelled */
	ibv_get_async_event(c, &e);
	return NULL;
}

CANCELLED static void *wait_cq(void *channel)
{
	struct ibv_cq *cq;
	void *arg;

	pthread_cancel(pthread_self());
	ibv_get_cq_event(channel, &cq, &arg);
	return NULL;
}

static void cancelled(void *(*fn)(void *), void *arg)
{
	pthread_t t;
	void *end;

	CHECK_INT(pthread_create(&t, NULL, fn, arg), 0);
	pthread_join(t, &end);
	CHECK(end == PTHREAD_CANCELED);
}

/* A thread that was cancelled keeps no descriptor open. */
static void cancel(void)
{
	struct ibv_context *c = ibv_open_device(&devices[0].v);
	struct ibv_comp_channel *ch = ibv_create_comp_channel(c);
	int fd = ch->fd, async_fd = c->async_fd;

	cancelled(wait_cq, ch);
	CHECK_INT(ibv_destroy_comp_channel(ch), 0);
	CHECK(fcntl(fd, F_GETFD) == -1 && errno == EBADF);
	cancelled(wait_async, c);
	CHECK_INT(ibv_close_device(c), 0);
	CHECK(fcntl(async_fd, F_GETFD) == -1 && errno == EBADF);
}

/* ------------------------- an event goes after a thread was woken by it -- */

static struct ibv_cq *first, *second;
static struct qp *first_qp, *second_qp;

static int replace_cq_event(int fd)
{
	(void)fd;
	rig_waiter = NULL;
	rig_hands_over = true;
	put(first);
	rig_hands_over = false;
	CHECK_INT(ibv_destroy_cq(first), 0);
	put(second);
	return 1;
}

static int replace_async_event(int fd)
{
	(void)fd;
	rig_waiter = NULL;
	rig_hands_over = true;
	raise_qp(first_qp, IBV_EVENT_QP_FATAL);
	rig_hands_over = false;
	drain(first_qp);
	raise_qp(second_qp, IBV_EVENT_QP_FATAL);
	return 1;
}

/* The thread takes another one: the descriptor does not stay readable. */
static void events_replaced(void)
{
	struct ibv_comp_channel *ch = ibv_create_comp_channel(context);
	struct qp a = { .v.context = context, .ctx = to_context(context) };
	struct qp b = { .v.context = context, .ctx = to_context(context) };
	struct ibv_async_event e;
	struct ibv_cq *got;
	void *arg;

	first = ibv_create_cq(context, 8, NULL, ch, 0);
	second = ibv_create_cq(context, 8, NULL, ch, 0);
	ibv_req_notify_cq(first, 0);
	ibv_req_notify_cq(second, 0);
	rig_waiter = replace_cq_event;
	CHECK_INT(ibv_get_cq_event(ch, &got, &arg), 0);
	CHECK(got == second && !rig_readable(ch->fd));
	ibv_ack_cq_events(second, 1);
	CHECK_INT(ibv_destroy_cq(second), 0);
	CHECK_INT(ibv_destroy_comp_channel(ch), 0);
	first_qp = &a;
	second_qp = &b;
	rig_waiter = replace_async_event;
	CHECK_INT(ibv_get_async_event(context, &e), 0);
	CHECK(e.element.qp == &b.v && !rig_readable(context->async_fd));
	ibv_ack_async_event(&e);
}

/* In a child of fork(): nothing of the parent's is taken, or added to; nothing is waited for. */
static void child(void)
{
	struct ibv_context *c = ibv_open_device(&devices[0].v);
	struct ibv_comp_channel *ch = ibv_create_comp_channel(c);
	struct ibv_cq *cq = ibv_create_cq(c, 8, NULL, ch, 0), *got;
	struct qp qp = { .v.context = c, .ctx = to_context(c) };
	struct ibv_async_event e;
	uint64_t count;
	void *arg;

	ibv_req_notify_cq(cq, 0);
	put(cq);
	CHECK_INT(ibv_get_cq_event(ch, &got, &arg), 0);
	raise_qp(&qp, IBV_EVENT_QP_FATAL);
	CHECK_INT(ibv_get_async_event(c, &e), 0);
	raise_qp(&qp, IBV_EVENT_QP_FATAL); /* the parent's to take */
	engine_lock();
	device_forget();
	engine_unlock();
	CHECK(rig_readable(c->async_fd));
	CHECK(ibv_get_async_event(c, &e) == -1 && errno == EBADF);
	CHECK(read(c->async_fd, &count, sizeof count) == sizeof count); /* as the parent does */
	raise_qp(&qp, IBV_EVENT_QP_FATAL);
	ibv_req_notify_cq(cq, 0);
	put(cq);
	CHECK(!rig_readable(c->async_fd) && !rig_readable(ch->fd));
	CHECK(ibv_get_cq_event(ch, &got, &arg) == -1 && errno == EBADF);
	rig_sleeper = rig_must_not_sleep;
	drain(&qp);
	CHECK_INT(ibv_destroy_cq(cq), 0);
	rig_sleeper = NULL;
	CHECK_INT(ibv_destroy_comp_channel(ch), 0);
	CHECK_INT(ibv_close_device(c), 0);
}

int main(void)
{
	context = ibv_open_device(&devices[0].v);
	descriptors();
	kinds();
	destroy_waits();
	close_wakes();
	destroy_cq_waits();
	threads();
	ends_while_waiting();
	cancel();
	events_replaced();
	CHECK_INT(ibv_close_device(context), 0);
	child();
	return checks_end();
}
