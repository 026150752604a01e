/* SPDX-License-Identifier: MIT */
/* The descriptors of lists of events; asynchronous events: ibv_get_async_event(3), volume 1, 11.5.2
 * and 11.6.3. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "context.h"
#include "completion_queue.h"
#include "engine.h"
#include "export.h"
#include "own_fd.h"
#include "queue_pair.h"

/* ---------------------------------------------- lists and their descriptors -- */

unsigned event_forks;

void event_forget(void)
{
	event_forks++;
}

struct event_queue *event_queue_new(void)
{
	struct event_queue *q = calloc(1, sizeof *q);

	if (!q)
		return NULL;
	q->forks = event_forks;
	q->fd = fd_mark(eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE));
	if (q->fd < 0) {
		int err = errno;

		free(q);
		return fail_null(err);
	}
	return q;
}

static void end_queue(struct event_queue *q)
{
	if (fd_is_marked(q->fd))
		close(q->fd);
	free(q);
}

void event_queue_close(struct event_queue *q)
{
	q->closed = true;
	if (!q->takers || !event_queue_is_ours(q)) /* takers of the parent are not here */
		end_queue(q);
}

static void taker_leaves(struct event_queue *q)
{
	if (--q->takers == 0 && q->closed)
		end_queue(q);
}

void event_added(struct event_queue *q)
{
	const uint64_t one = 1;
	ssize_t n;

	q->length++;
	if (engine_hand_over(q->fd))
		return;
	q->counted++;
	if (!fd_is_marked(q->fd))
		return;
	do
		n = write(q->fd, &one, sizeof one);
	while (n < 0 && errno == EINTR);
}

/* Takes one off the descriptor. Never blocks, even if read(2) of the descriptor does. */
static void count_down(int fd)
{
	uint64_t count;
	struct iovec to = { &count, sizeof count };

	(void)!preadv2(fd, &to, 1, -1, RWF_NOWAIT);
}

void event_removed(struct event_queue *q)
{
	if (!event_queue_is_ours(q)) /* the descriptor counts the parent's events */
		return;
	q->length--;
	if (q->counted > q->length) {
		q->counted--;
		if (fd_is_marked(q->fd))
			count_down(q->fd);
	}
}

static void taker_cancelled(void *queue)
{
	engine_lock();
	taker_leaves(queue);
	engine_unlock();
}

/* 0, or an errno */
static int wait_readable(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && flags & O_NONBLOCK)
		return EAGAIN;
	return flags < 0 || engine_wait_fd(fd) < 0 ? errno : 0;
}

/* Until there may be an event. 0, or an errno. Without the lock.
 *
 * Without AddressSanitizer: where the cleanup of a cancelled thread ends, that of gcc 12 reports an
 * error of the stack that is none. */
__attribute__((no_sanitize_address)) static int await_event(struct event_queue *q)
{
	int err;

	pthread_cleanup_push(taker_cancelled, q);
	err = wait_readable(q->fd);
	pthread_cleanup_pop(0);
	return err;
}

void *event_take(struct event_queue *q, void *(*take)(void *owner), void *owner)
{
	void *event = NULL;
	int err = 0;

	if (!event_queue_is_ours(q))
		return fail_null(EBADF);
	q->takers++;
	for (;;) {
		if (!q->closed)
			event = take(owner);
		if (event || err)
			break;
		engine_unlock();
		err = await_event(q);
		engine_lock();
	}
	if (event)
		event_removed(q);
	taker_leaves(q);
	return event ? event : fail_null(err);
}

/* ------------------------------------------------------ asynchronous events -- */

struct async_event {
	TAILQ_ENTRY(async_event) entry;
	struct ibv_async_event v;
	const void *object; /* NULL: of the port */
};

/* object NULL: of the port. The others begin with the structure that the application has of them.
 */
static void raise_event(struct context *c, void *object, enum ibv_event_type type)
{
	struct async_event *e;

	/* closed with the object left, or the parent's */
	if (!c->queue || !event_queue_is_ours(c->queue))
		return;
	e = malloc(sizeof *e);
	if (!e) /* as when a card has no room for one */
		return;
	e->v = (struct ibv_async_event){ .element.qp = object, .event_type = type };
	if (!object)
		e->v.element.port_num = 1;
	e->object = object;
	TAILQ_INSERT_TAIL(&c->events, e, entry);
	event_added(c->queue);
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

static struct async_event *find_queued(const struct context *c, enum ibv_event_type type)
{
	struct async_event *e;

	TAILQ_FOREACH(e, &c->events, entry)
		if (!e->object && e->v.event_type == type)
			break;
	return e;
}

/* A program that never takes events has one of each kind, however often they happen: the one that
 * waits becomes the last. */
void event_port(unsigned device, enum ibv_event_type type)
{
	struct async_event *e;
	struct context *c;

	TAILQ_FOREACH(c, &contexts, open) {
		if (context_device(&c->v.context) != device)
			continue;
		e = find_queued(c, type);
		if (!e) {
			raise_event(c, NULL, type);
			continue;
		}
		TAILQ_REMOVE(&c->events, e, entry);
		TAILQ_INSERT_TAIL(&c->events, e, entry);
	}
}

static void *take_async(void *context)
{
	struct context *c = context;
	struct async_event *e = TAILQ_FIRST(&c->events);

	if (e) {
		TAILQ_REMOVE(&c->events, e, entry);
		TAILQ_INSERT_TAIL(&c->taken, e, entry);
	}
	return e;
}

EXPORT int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct context *c = to_context(context);
	struct async_event *e;

	engine_lock();
	e = c->queue ? event_take(c->queue, take_async, c) : fail_null(EBADF);
	if (e) {
		*event = e->v;
		if (!e->object) { /* nobody waits for its acknowledgement */
			TAILQ_REMOVE(&c->taken, e, entry);
			free(e);
		}
	}
	engine_unlock();
	return e ? 0 : -1;
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
	event_removed(c->queue);
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
	engine_wake_all(); /* nobody can acknowledge them any more */
}
