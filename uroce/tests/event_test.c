/* SPDX-License-Identifier: MIT */
/* Events from threads: who waits, who acknowledges, who destroys. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "checks.h"
#include "completion_queue.h"
#include "engine.h"
#include "context.h"
#include "fake_verbs.h"
#include "gid.h"
#include "queue_pair.h"

#define EVENTS 2000

static struct ibv_context *context;

static bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

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

static void descriptors(void)
{
	int fd = event_fd();

	CHECK(fd >= 0);
	CHECK_INT(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	CHECK(!readable(fd));
	event_drop(fd); /* nothing there: does not block */
	event_signal(fd);
	event_signal(fd);
	CHECK_INT(event_take(fd, true), 0);
	CHECK(readable(fd));
	event_drop(fd);
	CHECK(!readable(fd));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	CHECK(event_take(fd, true) == -1 && errno == EAGAIN);
	CHECK(event_take(fd, false) == -1 && errno == EAGAIN);
	event_signal(fd);
	CHECK_INT(event_take(fd, false), 0); /* it was there all the same */
	close(fd);
	CHECK(event_take(fd, true) == -1 && errno == EBADF);
}

static void kinds(void)
{
	struct qp qp = { .v.context = context, .ctx = to_context(context) };
	struct srq srq = { .v.context = context, .ctx = to_context(context) };
	struct ibv_async_event e;

	raise_qp(&qp, IBV_EVENT_COMM_EST);
	engine_lock();
	event_srq(&srq, IBV_EVENT_SRQ_LIMIT_REACHED);
	event_port(IBV_EVENT_GID_CHANGE);
	gid_changed(); /* and nobody took the first */
	gid_changed();
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
	CHECK(!readable(context->async_fd));
	gid_changed();
	CHECK(readable(context->async_fd));
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
	CHECK(!readable(context->async_fd));
	ibv_ack_async_event(&of_other);
	await_sleeps(2); /* woken for nothing */
	engine_lock();
	CHECK(!drained);
	engine_unlock();
	ibv_ack_async_event(&e);
	pthread_join(t, NULL);
	CHECK(drained);
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
		channel_put(to_cq(cq)); /* one for each, whether it was armed or not */
		channel_put(to_cq(cq));
		engine_unlock();
	}
	for (unsigned i = 0; i < 2; i++)
		pthread_join(t[i], &n[i]);
	CHECK_INT((uintptr_t)n[0] + (uintptr_t)n[1], EVENTS);
	CHECK_INT(ibv_destroy_cq(cq), 0);
	CHECK(!readable(ch->fd));
	CHECK_INT(ibv_destroy_comp_channel(ch), 0);
}

int main(void)
{
	context = ibv_open_device(&the_device);
	descriptors();
	kinds();
	destroy_waits();
	destroy_cq_waits();
	threads();
	CHECK_INT(ibv_close_device(context), 0);
	return checks_end();
}
