/* SPDX-License-Identifier: MIT */
/*
 * Waiting for events. Whoever waits serves the loop meanwhile: the other end may live in
 * the same process. What takes longer than a moment says what it waits for.
 */
#include <stdlib.h>
#include <string.h>

#include "cm_events.h"
#include "cm_id.h"
#include "cm_queue.h"
#include "session.h"
#include "words.h"
#include "xmem.h"

#define KEPT	 64   /* events of one id that no one has waited for */
#define PATIENCE 1500 /* ms before a wait says what it waits for */

/* What is waited for: one at a time, there are no threads. */
struct wait {
	struct session *s;
	struct id *id; /* NULL: any */
	bool request;  /* only for a request on id, or on any listener */
	const char *what;
	uint64_t within_ms;
};
static struct wait *waiting;

bool cm_awaited(const struct id *id)
{
	return waiting && !waiting->request &&
	       (!waiting->id || waiting->id == id || waiting->id == id->listener);
}

void cm_queue(struct id *id, struct cm_event *ev)
{
	struct cm_event *old;
	unsigned n = 0;

	TAILQ_INSERT_TAIL(&id->events, ev, link);
	TAILQ_FOREACH(old, &id->events, link)
		n++;
	if (n > KEPT) {
		old = TAILQ_FIRST(&id->events);
		TAILQ_REMOVE(&id->events, old, link);
		free(old);
	}
}

void cm_forget(struct id *id)
{
	struct cm_event *ev;

	while ((ev = TAILQ_FIRST(&id->events))) {
		TAILQ_REMOVE(&id->events, ev, link);
		free(ev);
	}
	free(id->data);
	id->data = NULL;
}

/* The id with the oldest event among id, its requests, or (NULL) all. */
static struct id *oldest(struct session *s, const struct id *only)
{
	struct id *found = NULL;
	struct obj *o;

	obj_foreach(o, s) {
		struct id *id = (struct id *)o;

		if (o->class != &id_class || TAILQ_EMPTY(&id->events))
			continue;
		if (only && id != only &&
		    (id->listener != only ||
		     TAILQ_FIRST(&id->events)->type != RDMA_CM_EVENT_CONNECT_REQUEST))
			continue;
		if (!found || TAILQ_FIRST(&id->events)->seq < TAILQ_FIRST(&found->events)->seq)
			found = id;
	}
	return found;
}

static struct id *oldest_request(struct session *s, const struct id *listener)
{
	struct obj *o;

	obj_foreach(o, s) {
		struct id *id = (struct id *)o;

		if (o->class == &id_class && id->state == ID_REQUEST &&
		    (!listener || id->listener == listener))
			return id;
	}
	return NULL;
}

static bool arrived(void *arg)
{
	struct wait *w = arg;

	return w->request ? oldest_request(w->s, w->id) != NULL : oldest(w->s, w->id) != NULL;
}

/* The request that id made, when it came in here, in this very process. */
static struct id *unanswered(struct session *s, const struct id *id)
{
	struct obj *o;

	obj_foreach(o, s) {
		struct id *other = (struct id *)o;

		if (id && o->class == &id_class && other->state == ID_REQUEST &&
		    strcmp(id_peer(other), id_local(id)) == 0)
			return other;
	}
	return NULL;
}

void cm_note_own(struct session *s, const struct id *request)
{
	const struct id *id = waiting ? waiting->id : NULL, *door = request->listener;

	if (!id || waiting->request || strcmp(id_peer(request), id_local(id)) != 0)
		return;
	notice_post(s->notices, NOTICE_CM,
		    "%s waits for that answer, and so nobody here can give it: Ctrl-C, "
		    "'destroy %s', 'destroy %s', and 'listen %u -accept' answers by itself",
		    id->o.name, request->o.name, door->o.name, ntohs(rdma_get_src_port(door->v)));
}

static void say(void *arg)
{
	struct wait *w = arg;

	if (w->within_ms == CM_FOREVER)
		notice_post(w->s->notices, NOTICE_CM, "waiting for %s (Ctrl-C stops)", w->what);
	else
		notice_post(w->s->notices, NOTICE_CM,
			    "waiting for %s, at most %.4g s (Ctrl-C stops)", w->what,
			    (double)w->within_ms / 1000);
}

/* 0: it is there. */
static int wait_for(struct wait *w, const char *call)
{
	int64_t ms = w->within_ms > INT64_MAX ? LOOP_FOREVER : (int64_t)w->within_ms;
	struct wait *outer = waiting;
	bool said = ms >= 0 && ms <= PATIENCE;
	struct held held, *before = w->s->held;
	enum loop_end end;
	struct id *ours;

	obj_hold(w->s, &held, w->id);
	waiting = w;
	end = arrived(w) ? LOOP_DONE : LOOP_TIMEOUT;
	if (end != LOOP_DONE && !said) {
		end = loop_wait(w->s->loop, arrived, w, PATIENCE);
		if (end == LOOP_TIMEOUT)
			say(w);
		ms = ms < 0 ? ms : ms - PATIENCE;
	}
	if (end == LOOP_TIMEOUT)
		end = loop_wait(w->s->loop, arrived, w, ms);
	waiting = outer;
	obj_release(w->s, before);
	if (end == LOOP_DONE)
		return 0;
	if (end == LOOP_INTERRUPTED)
		fail(w->s, call, "EINTR", "%s: interrupted while waiting for %s", call, w->what);
	else
		fail(w->s, call, "ETIMEDOUT", "%s: no %s within %llu ms", call, w->what,
		     (unsigned long long)w->within_ms);
	ours = w->request ? NULL : unanswered(w->s, w->id);
	if (!ours || !ours->listener)
		return -1;
	fail_row(w->s, "cause", "%s, the request to %s, is here, and nobody has answered it",
		 ours->o.name, ours->listener->o.name);
	/* the request has the port, too */
	return fail_next(w->s, "destroy %s; destroy %s; listen %u -accept", ours->o.name,
			 ours->listener->o.name, ntohs(rdma_get_src_port(ours->listener->v)));
}

static struct cm_event *take(struct id *id)
{
	struct cm_event *ev = TAILQ_FIRST(&id->events);

	TAILQ_REMOVE(&id->events, ev, link);
	return ev;
}

struct cm_event *cm_next(struct session *s, struct id *id, uint64_t within_ms, struct id **whose)
{
	struct wait w = { .s = s, .id = id, .within_ms = within_ms };
	char *what = xasprintf("event%s%s", id ? " of " : "", id ? id->o.name : "");
	int rc;

	w.what = what;
	rc = wait_for(&w, "cm event");
	free(what);
	if (rc)
		return NULL;
	*whose = oldest(s, id);
	return take(*whose);
}

static bool ends_it(enum rdma_cm_event_type type)
{
	switch (type) {
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
	case RDMA_CM_EVENT_MULTICAST_ERROR:
		return true;
	default:
		return false;
	}
}

static int is_listener(struct session *s, const char *call, const struct id *id)
{
	fail(s, call, "BADSTATE", "%s: %s is a listener", call, id->o.name);
	return fail_row(s, "note",
			"each of its connections has an id of its own; 'show' lists them");
}

static int await(struct session *s, struct id *id, const char *call, const char *what,
		 enum rdma_cm_event_type want, uint64_t within_ms, struct cm_event *copy)
{
	int64_t until = within_ms > INT64_MAX / 2 ? INT64_MAX
						  : loop_now() / 1000000 + (int64_t)within_ms;
	struct wait w = { .s = s, .id = id, .what = what, .within_ms = within_ms };
	struct cm_event *ev;
	int rc;

	for (;;) {
		if (wait_for(&w, call))
			return -1;
		if (TAILQ_EMPTY(&id->events)) /* it was a request's: not ours to take */
			return is_listener(s, call, id);
		ev = take(id);
		if (ev->type == want || ends_it(ev->type))
			break;
		free(ev);
		if (until != INT64_MAX) {
			int64_t left = until - loop_now() / 1000000;

			w.within_ms = left > 0 ? (uint64_t)left : 0;
		}
	}
	rc = ev->type == want ? 0 : cm_explain(s, id, call, ev);
	if (copy)
		*copy = *ev;
	free(ev);
	return rc;
}

int cm_await(struct session *s, struct id *id, const char *call, enum rdma_cm_event_type want,
	     uint64_t within_ms, struct cm_event *copy)
{
	char *what = xasprintf("%s of %s", word_name(cm_event_words, want), id->o.name);
	int rc = await(s, id, call, what, want, within_ms, copy);

	free(what);
	return rc;
}

static unsigned listeners(struct session *s)
{
	unsigned n = 0;
	struct obj *o;

	obj_foreach(o, s)
		n += o->class == &id_class && ((struct id *)o)->state == ID_LISTENING;
	return n;
}

struct id *cm_await_request(struct session *s, struct id *listener, uint64_t within_ms)
{
	struct wait w = { .s = s, .id = listener, .request = true, .within_ms = within_ms };
	char *what;
	int rc;

	if (!oldest_request(s, listener) && !listeners(s)) {
		fail(s, "accept", "ENOENT", "no request to answer, and nobody listens");
		fail_next(s, "listen 7471");
		return NULL;
	}
	what = xasprintf("request%s%s", listener ? " on " : "", listener ? listener->o.name : "");
	w.what = what;
	rc = wait_for(&w, "accept");
	free(what);
	return rc ? NULL : oldest_request(s, listener);
}
