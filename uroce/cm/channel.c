// SPDX-License-Identifier: MIT
/* Event channels: rdma_create_event_channel(3). */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine.h"
#include "event.h"
#include "export.h"
#include "id.h"

static LIST_HEAD(, cm_channel) channels;

struct cm_channel *cm_channel_new(void)
{
	struct cm_channel *ch = calloc(1, sizeof(*ch));

	if (!ch)
		return NULL;
	ch->v.fd = event_fd();
	if (ch->v.fd < 0) {
		free(ch);
		return NULL;
	}
	LIST_INIT(&ch->ids);
	TAILQ_INIT(&ch->events);
	engine_lock();
	LIST_INSERT_HEAD(&channels, ch, entry);
	engine_unlock();
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

void cm_channel_put(struct cm_event *ev)
{
	struct cm_channel *ch = ev->owner->channel;

	TAILQ_INSERT_TAIL(&ch->events, ev, entry);
	event_signal(ch->v.fd);
}

static void cm_channel_end(struct cm_channel *ch)
{
	close(ch->v.fd);
	free(ch);
}

/* Programs destroy a channel while another thread of theirs is about to ask it for the next event,
 * as rping does. So its memory is looked at only while it is in the list. */
static bool is_open(const struct cm_channel *ch)
{
	const struct cm_channel *c;

	LIST_FOREACH(c, &channels, entry)
		if (c == ch)
			return true;
	return false;
}

/* A thread that waits on a channel that is destroyed waits on, as with the kernel, even if it has
 * been woken by an event that went with its id: it keeps the descriptor, which would be somebody
 * else's otherwise. */
struct cm_event *cm_channel_take(struct cm_channel *ch)
{
	struct cm_event *ev = NULL;
	int error = 0;
	bool gone;

	engine_lock();
	if (!is_open(ch)) {
		engine_unlock();
		errno = EBADF;
		return NULL;
	}
	ch->takers++;
	while (!ev && !error) {
		engine_unlock();
		if (event_take(ch->v.fd, true) < 0)
			error = errno;
		engine_lock();
		if (!error)
			ev = TAILQ_FIRST(&ch->events);
	}
	if (ev) {
		TAILQ_REMOVE(&ch->events, ev, entry);
		ev->owner->unacked++;
		if (ev->member)
			ev->member->unacked++;
		if (ev->v.event == RDMA_CM_EVENT_CONNECT_REQUEST)
			ev->owner->backlog++;
	}
	gone = --ch->takers == 0 && ch->closed;
	engine_unlock();
	if (gone)
		cm_channel_end(ch);
	if (error)
		errno = error;
	return ev;
}

/* Of an event that nobody has seen. The id of a request goes with it: so does nobody know it. */
static void drop(struct cm_channel *ch, struct cm_event *ev)
{
	TAILQ_REMOVE(&ch->events, ev, entry);
	event_drop(ch->v.fd);
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
		drop(ch, ev);
}

void cm_channel_free(struct cm_channel *ch)
{
	struct cm_event *ev;
	struct cm_id *id;
	bool used;

	engine_lock();
	if (!ch->dead) {
		while ((ev = TAILQ_FIRST(&ch->events)))
			drop(ch, ev);
		while ((id = LIST_FIRST(&ch->ids)))
			id_shut(id);
		LIST_REMOVE(ch, entry);
		engine_flush();
	}
	ch->closed = true;
	used = ch->takers > 0;
	engine_unlock();
	if (!used)
		cm_channel_end(ch);
}

/* Ids that are left lose their connections, as when the kernel's file is closed. */
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
		drop(ch, ev);
}

bool cm_channel_has(struct cm_channel *ch, const struct cm_id *owner)
{
	return ch && first_of(ch, owner);
}

void cm_channel_move(struct cm_channel *from, struct cm_channel *to, struct cm_id *id)
{
	struct cm_event *ev;

	LIST_REMOVE(id, entry);
	LIST_INSERT_HEAD(&to->ids, id, entry);
	id->channel = to;
	id->v.channel = &to->v;
	while ((ev = first_of(from, id))) {
		TAILQ_REMOVE(&from->events, ev, entry);
		event_drop(from->v.fd);
		TAILQ_INSERT_TAIL(&to->events, ev, entry);
		event_signal(to->v.fd);
		/* it is nobody else's yet, and what comes later about it follows it */
		if (ev->v.event == RDMA_CM_EVENT_CONNECT_REQUEST)
			cm_channel_move(from, to, to_cm_id(ev->v.id));
	}
}

void cm_channel_forget(void)
{
	struct cm_channel *ch;
	struct cm_id *id;

	while ((ch = LIST_FIRST(&channels))) {
		LIST_REMOVE(ch, entry);
		ch->dead = true;
		ch->takers = 0;
		TAILQ_INIT(&ch->events);
		while ((id = LIST_FIRST(&ch->ids))) {
			LIST_REMOVE(id, entry);
			id->channel = NULL;
			id->conn = NULL;
			id->port = NULL;
			id->query = (struct timer){ 0 };
			id->unacked = 0;
		}
	}
}
