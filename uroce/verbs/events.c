/* SPDX-License-Identifier: MIT */
/* Descriptors that count; asynchronous events: ibv_get_async_event(3), volume 1, 11.5.2 and 11.6.3;
 * completion channels: ibv_get_cq_event(3), 11.4.2.2 and 11.5.1. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "completion_queue.h"
#include "context.h"
#include "engine.h"
#include "export.h"
#include "queue_pair.h"

struct async_event {
	TAILQ_ENTRY(async_event) entry;
	struct ibv_async_event v;
	const void *object; /* NULL: of the port */
};

int event_fd(void)
{
	return eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
}

void event_signal(int fd)
{
	const uint64_t one = 1;
	ssize_t n;

	if (engine_hand_over(fd))
		return;
	do
		n = write(fd, &one, sizeof one);
	while (n < 0 && errno == EINTR);
}

/* Takes one if there is one. Never blocks, even if read(2) of the descriptor does. 0, or -1 with
 * EAGAIN or another errno. */
static int take_now(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t count;
	struct iovec to = { &count, sizeof count };
	int n;

	if (preadv2(fd, &to, 1, -1, RWF_NOWAIT) == sizeof count)
		return 0;
	if (errno != EOPNOTSUPP)
		return -1;
	/* Linux before 5.8: if another thread takes it in between, this one waits for the next */
	n = poll(&p, 1, 0);
	if (n == 0)
		errno = EAGAIN;
	return n == 1 && read(fd, &count, sizeof count) == sizeof count ? 0 : -1;
}

void event_drop(int fd)
{
	take_now(fd);
}

int event_take(int fd, bool likely)
{
	for (;; likely = true) {
		int flags, ret;

		if (likely) {
			if (take_now(fd) == 0)
				return 0;
			if (errno != EAGAIN)
				return -1;
		}
		flags = fcntl(fd, F_GETFL);
		if (flags < 0)
			return -1;
		if (flags & O_NONBLOCK) {
			if (!likely)
				continue;
			return fail(EAGAIN);
		}
		ret = engine_wait_fd(fd);
		if (ret != 0) /* 1: handed over */
			return ret < 0 ? -1 : 0;
	}
}

/* object NULL: of the port. The others begin with the structure that the application has of them.
 */
static void raise_event(struct context *c, void *object, enum ibv_event_type type)
{
	struct async_event *e = malloc(sizeof *e);

	if (!e) /* as when a card has no room for one */
		return;
	e->v = (struct ibv_async_event){ .element.qp = object, .event_type = type };
	if (!object)
		e->v.element.port_num = 1;
	e->object = object;
	TAILQ_INSERT_TAIL(&c->events, e, entry);
	event_signal(c->v.context.async_fd);
}

void event_cq(struct cq *cq, enum ibv_event_type type)
{
	raise_event(cq->ctx, cq, type);
}

void event_qp(struct qp *qp, enum ibv_event_type type)
{
	raise_event(qp->ctx, qp, type);
}

void event_srq(struct srq *srq, enum ibv_event_type type)
{
	raise_event(srq->ctx, srq, type);
}

static bool is_queued(const struct context *c, enum ibv_event_type type)
{
	const struct async_event *e;

	TAILQ_FOREACH(e, &c->events, entry)
		if (!e->object && e->v.event_type == type)
			return true;
	return false;
}

/* A program that never takes events gets one of each kind, however often addresses change. */
void event_port(enum ibv_event_type type)
{
	struct context *c;

	TAILQ_FOREACH(c, &contexts, open)
		if (!is_queued(c, type))
			raise_event(c, NULL, type);
}

EXPORT int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct context *c = to_context(context);
	struct async_event *e;

	for (;;) {
		if (event_take(context->async_fd, true) != 0)
			return -1;
		SCOPED_ENGINE_LOCK();
		e = TAILQ_FIRST(&c->events);
		if (!e)
			continue; /* its object was destroyed in between */
		TAILQ_REMOVE(&c->events, e, entry);
		*event = e->v;
		if (e->object)
			TAILQ_INSERT_TAIL(&c->taken, e, entry);
		else
			free(e);
		return 0;
	}
}

EXPORT void ibv_ack_async_event(struct ibv_async_event *event)
{
	struct context *c;
	struct async_event *e;

	SCOPED_ENGINE_LOCK();
	TAILQ_FOREACH(c, &contexts, open)
		TAILQ_FOREACH(e, &c->taken, entry)
			if (e->v.event_type == event->event_type &&
			    e->object == event->element.qp) {
				TAILQ_REMOVE(&c->taken, e, entry);
				free(e);
				engine_wake_all();
				return;
			}
}

static struct async_event *find_event(const struct async_events *list, const void *obj)
{
	struct async_event *e;

	TAILQ_FOREACH(e, list, entry)
		if (e->object == obj)
			break;
	return e;
}

static void forget_event(struct context *c, struct async_event *e)
{
	TAILQ_REMOVE(&c->events, e, entry);
	if (!c->orphan) /* else the descriptor is shared with the parent, and counts its events */
		event_drop(c->v.context.async_fd);
	free(e);
}

void event_drain(struct context *c, const void *obj)
{
	struct async_event *e;

	for (;;) { /* more may be raised while this thread sleeps */
		while ((e = find_event(&c->events, obj)))
			forget_event(c, e);
		if (!find_event(&c->taken, obj))
			return;
		engine_sleep();
	}
}

void event_forget_all(struct context *c)
{
	struct async_event *e;

	while ((e = TAILQ_FIRST(&c->events)))
		forget_event(c, e);
	while ((e = TAILQ_FIRST(&c->taken))) {
		TAILQ_REMOVE(&c->taken, e, entry);
		free(e);
	}
}

/* --------------------------------------------------- completion channels -- */

/*
 * The handler of completion events of 11.5.1 is the thread that reads the descriptor.
 *
 * A channel has one list of the completion queues that have events; each of these counts its own.
 * So an event needs no memory, and destroying a queue removes all its events at once.
 */

EXPORT struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct channel *ch = calloc(1, sizeof *ch);

	if (!ch)
		return NULL;
	ch->v.context = context;
	TAILQ_INIT(&ch->waiting);
	ch->v.fd = event_fd();
	if (ch->v.fd < 0) {
		int err = errno;

		free(ch);
		return fail_null(err);
	}
	engine_lock();
	to_context(context)->channels++;
	engine_unlock();
	return &ch->v;
}

EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct channel *ch = (struct channel *)channel;

	SCOPED_ENGINE_LOCK();
	if (ch->users)
		return errno = EBUSY;
	to_context(channel->context)->channels--;
	close(channel->fd);
	free(ch);
	return 0;
}

void channel_put(struct cq *cq)
{
	if (cq->events++ == 0)
		TAILQ_INSERT_TAIL(&cq->channel->waiting, cq, waiting);
	event_signal(cq->channel->v.fd);
}

void channel_forget(struct cq *cq)
{
	if (cq->events == 0)
		return;
	TAILQ_REMOVE(&cq->channel->waiting, cq, waiting);
	for (; cq->events; cq->events--)
		if (!cq->ctx->orphan) /* else the descriptor counts the parent's */
			event_drop(cq->channel->v.fd);
}

/* Takes an event of the completion queue that has waited longest, which goes to the end of the list
 * if it has more. */
static struct cq *channel_take(struct channel *ch)
{
	struct cq *cq = TAILQ_FIRST(&ch->waiting);

	if (!cq)
		return NULL;
	TAILQ_REMOVE(&ch->waiting, cq, waiting);
	if (--cq->events)
		TAILQ_INSERT_TAIL(&ch->waiting, cq, waiting);
	cq->taken++;
	return cq;
}

static bool has_events(const struct channel *ch)
{
	SCOPED_ENGINE_LOCK();
	return !TAILQ_EMPTY(&ch->waiting);
}

EXPORT int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	for (;;) {
		struct cq *found;

		if (event_take(channel->fd, has_events((struct channel *)channel)) != 0)
			return -1;
		SCOPED_ENGINE_LOCK();
		found = channel_take((struct channel *)channel);
		if (!found)
			continue; /* its queue was destroyed in between */
		*cq = &found->v;
		*cq_context = found->v.cq_context;
		return 0;
	}
}

EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned nevents)
{
	SCOPED_ENGINE_LOCK();
	cq->comp_events_completed += nevents;
	engine_wake_all();
}
