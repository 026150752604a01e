/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous events. Destroying an object blocks until its events are acknowledged, so events are
 * copied and acknowledged at once.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "objects.h"
#include "qp/qp.h"
#include "session.h"
#include "words.h"

#define KEPT 256 /* events that were not taken by wait */

static struct obj *affected_object(struct session *s, struct dev *dev,
				   const struct ibv_async_event *ev)
{
	struct obj *o;

	switch (ev->event_type) {
	case IBV_EVENT_CQ_ERR:
		o = obj_by_pointer(s, &cq_class, ev->element.cq);
		break;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		o = obj_by_pointer(s, &srq_class, ev->element.srq);
		break;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		o = obj_by_pointer(s, &qp_class, ev->element.qp);
		break;
	default:
		o = NULL;
	}
	return o ? o : &dev->o;
}

static void note_on(struct obj *o, enum ibv_event_type type)
{
	if (o->class == &cq_class && type == IBV_EVENT_CQ_ERR)
		((struct cq *)o)->broken = true;
	else if (o->class == &srq_class && type == IBV_EVENT_SRQ_LIMIT_REACHED)
		((struct srq *)o)->limit =
			0; /* the event is one-shot: modify the SRQ to arm it again */
	else if (o->class == &qp_class)
		qp_history_sync((struct qp *)o, word_name(async_words, type));
}

static void keep_event(struct session *s, enum ibv_event_type type, const struct obj *o)
{
	struct async_event *ev = xcalloc(1, sizeof *ev), *old;
	unsigned n = 0;

	ev->type = type;
	snprintf(ev->obj, sizeof ev->obj, "%s", o->name);
	TAILQ_INSERT_TAIL(&s->ctx->asyncs, ev, link);
	TAILQ_FOREACH(old, &s->ctx->asyncs, link)
		n++;
	if (n > KEPT) {
		old = TAILQ_FIRST(&s->ctx->asyncs);
		TAILQ_REMOVE(&s->ctx->asyncs, old, link);
		free(old);
	}
}

struct watch {
	struct session *s;
	struct dev *dev;
};

static void on_async_ready(void *arg, int fd, short revents)
{
	struct watch *w = arg;
	struct session *s = w->s;
	struct dev *dev = w->dev;
	struct ibv_async_event ev;
	struct obj *o;

	(void)fd, (void)revents;
	obj_ref(dev);
	while (!obj_gone(dev) && ibv_get_async_event(dev->v, &ev) == 0) {
		o = affected_object(s, dev, &ev);
		ibv_ack_async_event(&ev);
		note_on(o, ev.event_type);
		keep_event(s, ev.event_type, o);
		notice_post(s->notices, NOTICE_ASYNC, "%s: %s: %s", o->name,
			    word_name(async_words, ev.event_type),
			    ibv_event_type_str(ev.event_type));
	}
	obj_unref(dev);
}

void async_watch(struct session *s, struct dev *dev)
{
	int fd = dev->v->async_fd;

	dev->watch = xcalloc(1, sizeof *dev->watch);
	*dev->watch = (struct watch){ s, dev };
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	loop_watch(s->loop, fd, POLLIN, on_async_ready, dev->watch);
}

void async_unwatch(struct session *s, struct dev *dev)
{
	loop_unwatch(s->loop, dev->v->async_fd);
	free(dev->watch);
	dev->watch = NULL;
}

void async_free(struct session *s)
{
	struct async_event *ev;

	while ((ev = TAILQ_FIRST(&s->ctx->asyncs))) {
		TAILQ_REMOVE(&s->ctx->asyncs, ev, link);
		free(ev);
	}
}
