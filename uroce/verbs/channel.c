/* SPDX-License-Identifier: MIT */
/*
 * Completion channels: ibv_create_comp_channel(3), ibv_get_cq_event(3). Volume 1, 11.4.2.2 and
 * 11.5.1, whose handler of completion events is who reads the descriptor.
 *
 * A channel has one queue of completion queues that have events; each counts its own. So
 * an event needs no memory, and who destroys a queue forgets its events in one go.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cq.h"
#include "engine.h"
#include "event.h"
#include "export.h"

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
		errno = err;
		return NULL;
	}
	engine_lock();
	to_context(context)->channels++;
	engine_unlock();
	return &ch->v;
}

EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct channel *ch = (struct channel *)channel;

	engine_lock();
	if (ch->users) {
		engine_unlock();
		return errno = EBUSY;
	}
	to_context(channel->context)->channels--;
	engine_unlock();
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
		if (!cq->ctx->orphan) /* else they are the parent's too */
			event_drop(cq->channel->v.fd);
}

/* The next of the queue that has waited longest; it goes to the end when it has more. */
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
	bool has;

	engine_lock();
	has = !TAILQ_EMPTY(&ch->waiting);
	engine_unlock();
	return has;
}

EXPORT int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	struct cq *found;

	do {
		if (event_take(channel->fd, has_events((struct channel *)channel)) != 0)
			return -1;
		engine_lock();
		found = channel_take((struct channel *)channel);
		if (found) {
			*cq = &found->v;
			*cq_context = found->v.cq_context;
		}
		engine_unlock();
	} while (!found); /* its queue was destroyed in between */
	return 0;
}

EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned nevents)
{
	engine_lock();
	cq->comp_events_completed += nevents;
	engine_wake_all();
	engine_unlock();
}
