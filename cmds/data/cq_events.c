/* SPDX-License-Identifier: MIT */
/*
 * Completion events on the event loop.
 *
 * An event that is not acknowledged makes ibv_destroy_cq(3) hang: each is acknowledged as
 * soon as it is taken. An event disarms its CQ; it says nothing about how many
 * completions there are.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>

#include "data/cq_events.h"
#include "objects.h"
#include "session.h"
#include "alloc.h"

struct cc_watch {
	struct session *s;
	struct cc *cc;
};

static void ready(void *arg, int fd, short revents)
{
	struct cc_watch *w = arg;
	struct session *s = w->s;
	struct cc *cc = w->cc;
	struct ibv_cq *v;
	struct cq *cq;
	void *ctx;

	(void)fd, (void)revents;
	obj_ref(cc);
	while (!obj_gone(cc) && ibv_get_cq_event(cc->v, &v, &ctx) == 0) {
		ibv_ack_cq_events(v, 1);
		cq = obj_by_pointer(s, &cq_class, v);
		if (!cq)
			continue;
		cq->armed = false;
		if (cq->on_event) {
			cq->on_event(cq->on_event_arg);
			continue;
		}
		cq->events++;
		notice_post(s->notices, NOTICE_CQ, "%s: completion event", cq->o.name);
	}
	obj_unref(cc);
}

void cc_watch(struct session *s, struct cc *cc)
{
	int fd = cc->v->fd;

	cc->watch = xcalloc(1, sizeof *cc->watch);
	*cc->watch = (struct cc_watch){ s, cc };
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	loop_watch(s->loop, fd, POLLIN, ready, cc->watch);
}

void cc_unwatch(struct session *s, struct cc *cc)
{
	loop_unwatch(s->loop, cc->v->fd);
	free(cc->watch);
	cc->watch = NULL;
}
