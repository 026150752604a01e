/* SPDX-License-Identifier: MIT */
/* Event channels, and the events that wait in them: rdma_create_event_channel(3). */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "engine.h"
#include "export.h"
#include "order.h"
#include "rdma_id.h"

static LIST_HEAD(, cm_channel) channels;

struct cm_channel *cm_channel_new(void)
{
	struct cm_channel *ch = calloc(1, sizeof(*ch));

	if (!ch)
		return NULL;
	ch->queue = event_queue_new();
	if (!ch->queue) {
		free(ch);
		return NULL;
	}
	ch->v.fd = ch->queue->fd;
	LIST_INIT(&ch->ids);
	TAILQ_INIT(&ch->events);
	SCOPED_ENGINE_LOCK();
	LIST_INSERT_HEAD(&channels, ch, entry);
	return ch;
}

EXPORT struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct cm_channel *ch;

	if (cm_device_open() < 0)
		return NULL;
	ch = cm_channel_new();
	return ch ? &ch->v : NULL;
}

/* The program is told of those that were held back. */
static void tell(struct order_wait *wait)
{
	struct cm_channel *ch =
		(struct cm_channel *)((char *)wait - offsetof(struct cm_channel, late));
	struct cm_event *ev;

	TAILQ_FOREACH(ev, &ch->events, entry) {
		if (!ev->held)
			continue;
		ev->held = false;
		event_added(ch->queue);
	}
}

#define LATE_PASSES 24

/* Other signs that the QP is connected, or is not any more, may come before. */
static bool tells_of_qp(const struct cm_event *ev)
{
	return ev->v.event == RDMA_CM_EVENT_CONNECT_RESPONSE ||
	       ev->v.event == RDMA_CM_EVENT_ESTABLISHED ||
	       ev->v.event == RDMA_CM_EVENT_DISCONNECTED;
}

void cm_channel_put(struct cm_event *ev)
{
	struct cm_channel *ch = ev->owner->channel;

	TAILQ_INSERT_TAIL(&ch->events, ev, entry);
	if (!order_on() || !(order_waits(&ch->late) || tells_of_qp(ev))) {
		event_added(ch->queue);
		return;
	}
	ev->held = true;
	order_done.events++;
	ch->late.fn = tell;
	order_hold(&ch->late, 1 + order_draw(LATE_PASSES));
	engine_timer_set();
}

/* An event leaves the list. */
static void leave(struct cm_channel *ch, struct cm_event *ev)
{
	TAILQ_REMOVE(&ch->events, ev, entry);
	if (!ev->held)
		event_removed(ch->queue);
}

/* Programs such as rping destroy a channel while another thread of theirs is about to ask it for
 * the next event. So the memory of a channel is looked at only while the channel is in the list. */
static bool is_open(const struct cm_channel *ch)
{
	const struct cm_channel *c;

	LIST_FOREACH(c, &channels, entry)
		if (c == ch)
			return true;
	return false;
}

static void *take_first(void *channel)
{
	struct cm_channel *ch = channel;
	struct cm_event *ev = TAILQ_FIRST(&ch->events);

	if (!ev || ev->held)
		return NULL;
	TAILQ_REMOVE(&ch->events, ev, entry);
	ev->owner->unacked++;
	if (ev->member)
		ev->member->unacked++;
	if (ev->v.event == RDMA_CM_EVENT_CONNECT_REQUEST)
		ev->owner->backlog++;
	return ev;
}

struct cm_event *cm_channel_take(struct cm_channel *ch)
{
	struct cm_event *ev;

	engine_lock();
	ev = is_open(ch) ? event_take(ch->queue, take_first, ch) : fail_null(EBADF);
	engine_unlock();
	return ev;
}

/* Frees an event that nobody has seen. The id of a request goes with it, since nobody knows it. */
static void drop_event(struct cm_channel *ch, struct cm_event *ev)
{
	leave(ch, ev);
	if (ev->v.event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		struct cm_id *unseen = to_cm_id(ev->v.id);

		id_shut(unseen);
		id_free(unseen);
	}
	free(ev);
}

static struct cm_event *first_of(struct cm_channel *ch, const struct cm_id *id)
{
	struct cm_event *ev;

	TAILQ_FOREACH(ev, &ch->events, entry)
		if (ev->owner == id)
			return ev;
	return NULL;
}

void cm_channel_drop(struct cm_channel *ch, struct cm_id *id)
{
	struct cm_event *ev;

	while ((ev = first_of(ch, id)))
		drop_event(ch, ev);
}

void cm_channel_free(struct cm_channel *ch)
{
	struct cm_event *ev;
	struct cm_id *id;

	engine_lock();
	if (!ch->dead) {
		while ((ev = TAILQ_FIRST(&ch->events)))
			drop_event(ch, ev);
		while ((id = LIST_FIRST(&ch->ids)))
			id_shut(id);
		LIST_REMOVE(ch, entry);
		engine_flush();
	}
	order_drop(&ch->late);
	event_queue_close(ch->queue);
	free(ch);
	engine_unlock();
}

/* Remaining ids lose their connections, as they do when a file of the kernel's device is closed. */
EXPORT void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	cm_channel_free((struct cm_channel *)channel);
}

void cm_channel_drop_member(struct cm_channel *ch, const struct membership *mc)
{
	struct cm_event *ev;

	TAILQ_FOREACH(ev, &ch->events, entry)
		if (ev->member == mc)
			break;
	if (ev)
		drop_event(ch, ev);
}

bool cm_channel_has(struct cm_channel *ch, const struct cm_id *owner)
{
	return ch && first_of(ch, owner);
}

void cm_channel_move(struct cm_channel *from, struct cm_channel *to, struct cm_id *id)
{
	struct cm_event *ev;

	tell(&to->late); /* what goes over does not wait behind those */
	LIST_REMOVE(id, entry);
	LIST_INSERT_HEAD(&to->ids, id, entry);
	id->channel = to;
	id->v.channel = &to->v;
	while ((ev = first_of(from, id))) {
		leave(from, ev);
		ev->held = false;
		TAILQ_INSERT_TAIL(&to->events, ev, entry);
		event_added(to->queue);
		/* nobody else knows the id yet, and its later events go to the new channel */
		if (ev->v.event == RDMA_CM_EVENT_CONNECT_REQUEST)
			cm_channel_move(from, to, to_cm_id(ev->v.id));
	}
}

void cm_await_acks(const struct cm_id *id, const unsigned *unacked)
{
	while (*unacked && id->forks == event_forks)
		engine_sleep();
}

void cm_channel_forget(void)
{
	struct cm_channel *ch;
	struct cm_id *id;

	while ((ch = LIST_FIRST(&channels))) {
		LIST_REMOVE(ch, entry);
		ch->dead = true;
		TAILQ_INIT(&ch->events);
		while ((id = LIST_FIRST(&ch->ids))) {
			LIST_REMOVE(id, entry);
			id->channel = NULL;
			id->conn = NULL;
			id->port = NULL;
			id->query = (struct timer){ 0 };
		}
	}
}

void cm_id_each(void (*fn)(struct cm_id *id, void *arg), void *arg)
{
	struct cm_channel *ch;
	struct cm_id *id;

	LIST_FOREACH(ch, &channels, entry)
		LIST_FOREACH(id, &ch->ids, entry)
			fn(id, arg);
}
