/* SPDX-License-Identifier: MIT */
/*
 * Waiting for events, and the meaning of one that ends an attempt. A wait serves the event loop,
 * because the other end may be in the same process. A long wait shows what it waits for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/calling.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "event_rules.h"
#include "facts.h"
#include "fault_rule.h"
#include "faults/fault_made.h"
#include "handlers/handler.h"
#include "live_context.h"
#include "objects.h"
#include "recorded.h"
#include "session.h"
#include "why.h"
#include "words.h"

/* ------------------------------------------- the meaning of an event that ends an attempt -- */

static struct failed_event failed_event(const struct id *id, const struct cm_event *ev)
{
	return (struct failed_event){ ev->type, ev->status, rdma_get_peer_addr(id->v) };
}

const char *cm_status_text(const struct cm_event *ev)
{
	return why_event_status(&(struct failed_event){ ev->type, ev->status, NULL });
}

static void explain_data(struct session *s, const struct cm_event *ev)
{
	char hex[3 * 48 + 8], text[52];
	size_t n = id_data_used(ev->data, ev->len), at = 0;

	if (!n)
		return;
	for (size_t i = 0; i < n && i < 48; i++) {
		at += (size_t)snprintf(hex + at, sizeof hex - at, "%02x ", ev->data[i]);
		text[i] = ev->data[i] >= 0x20 && ev->data[i] < 0x7f ? (char)ev->data[i] : '.';
	}
	text[n < 48 ? n : 48] = 0;
	fail_row(s, "data", "%s %s%s", hex, text, n > 48 ? " ..." : "");
}

/* Was the event made on purpose? Adds that it was, which is the whole cause. */
static bool add_made(struct session *s, const struct cm_event *ev)
{
	const unsigned rule = fault_rule_of_vendor_err(ev->conn.qp_num);

	if (rule)
		fail_on_purpose(s, "on purpose: %s (fault event)", fault_made_text(rule));
	return rule != 0;
}

/* Adds why the event came, or why the peer may be silent. */
static int add_causes(struct session *s, const struct failed_event *e)
{
	struct causes c = { 0 };

	why_event_failed(e, &c);
	call_fail_causes(s, &c);
	causes_free(&c);
	return -1;
}

static int add_silence(struct session *s, const struct id *id)
{
	return add_causes(s, &(struct failed_event){ RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT,
						     rdma_get_peer_addr(id->v) });
}

/* Fails with what the peer, or nobody, has answered: an event for which there are rules. */
static int fail_attempt(struct session *s, struct id *id, const char *call,
			const struct cm_event *ev)
{
	const struct failed_event e = failed_event(id, ev);
	const bool is_refused = ev->type == RDMA_CM_EVENT_REJECTED || ev->status > 0;
	const char *name = is_refused ? "REJECTED" : word_name(cm_event_words, ev->type);
	const char *help = ev->status < 0 ? strerror(-ev->status) : why_event_meaning(&e);
	const struct fact *fact = why_event_fact(&e);

	if (is_refused)
		fail(s, call, name, "%s: %s REJECTED by %s: %s%s%s", call, id->o.name, id_peer(id),
		     cm_status_text(ev), help ? ": " : "", help ? help : "");
	else if (ev->type == RDMA_CM_EVENT_UNREACHABLE)
		fail(s, call, name, "%s: %s UNREACHABLE: %s does not answer: %s", call, id->o.name,
		     id_peer(id), cm_status_text(ev));
	else
		fail(s, call, name, "%s: %s %s: %s: %s", call, id->o.name, name, cm_status_text(ev),
		     help ? help : "no reason given");
	explain_data(s, ev);
	if (add_made(s, ev))
		return -1;
	if (ev->type == RDMA_CM_EVENT_ADDR_ERROR ||
	    (ev->type == RDMA_CM_EVENT_ROUTE_ERROR && ev->status == -ENODEV))
		cm_explain_resolve(s, rdma_get_local_addr(id->v), e.to, abs(ev->status));
	else
		add_causes(s, &e);
	if (is_refused && fact && fact->cures)
		fail_row(s, "remedy", "%s", fact->cures[0]);
	return -1;
}

/* Fails with what the event means. Returns -1. */
static int explain_event(struct session *s, struct id *id, const char *call,
			 const struct cm_event *ev)
{
	const char *name = word_name(cm_event_words, ev->type);

	switch (ev->type) {
	case RDMA_CM_EVENT_DISCONNECTED:
		fail(s, call, name, "%s: %s DISCONNECTED: %s has gone", call, id->o.name,
		     id_peer(id));
		add_made(s, ev);
		return fail_row(s, "remedy", "an id and its QP are used once: connect again");
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		fail(s, call, name, "%s: the device of %s is being removed", call, id->o.name);
		return fail_next(s, "destroy %s -cascade", id->o.name);
	default:
		return fail_attempt(s, id, call, ev);
	}
}

#define KEPT		64   /* queued events of an id */
#define NOTICE_AFTER_MS 1500 /* then a notice says what a wait is for */

/* The current wait. */
struct cm_wait {
	struct session *s;
	struct id *id; /* NULL: any */
	bool request;  /* only for a request on id, or on any listener */
	char what[64];
	bool on_peer;  /* the peer of id must answer */
	bool is_short; /* with less time than connect has if nothing is said */
	uint64_t within_ms;
};
static struct cm_wait *waiting;

bool cm_awaited(const struct id *id)
{
	return waiting && !waiting->request &&
	       (!waiting->id || waiting->id == id || waiting->id == id->listener);
}

static struct cm_event *take_event(struct session *s, struct id *id)
{
	struct cm_event *ev = TAILQ_FIRST(&id->events);

	TAILQ_REMOVE(&id->events, ev, link);
	TAILQ_REMOVE(&s->ctx->events, ev, all);
	return ev;
}

void cm_queue(struct session *s, struct id *id, struct cm_event *ev)
{
	struct cm_event *old;
	unsigned n = 0;

	ev->id = id;
	TAILQ_INSERT_TAIL(&id->events, ev, link);
	TAILQ_INSERT_TAIL(&s->ctx->events, ev, all);
	TAILQ_FOREACH(old, &id->events, link)
		n++;
	if (n > KEPT)
		free(take_event(s, id));
}

void id_drop_events(struct session *s, struct id *id)
{
	while (!TAILQ_EMPTY(&id->events))
		free(take_event(s, id));
	free(id->data);
	id->data = NULL;
}

/* The id with the oldest event among id, its requests, or (NULL) all. */
static struct id *oldest_with_event(struct session *s, struct id *only)
{
	struct cm_event *ev;

	if (only && !only->adopted)
		return TAILQ_EMPTY(&only->events) ? NULL : only;
	TAILQ_FOREACH(ev, &s->ctx->events, all)
		if (!only || ev->id == only ||
		    (ev->id->listener == only && ev->type == RDMA_CM_EVENT_CONNECT_REQUEST))
			return ev->id;
	return NULL;
}

static struct id *oldest_request(struct session *s, const struct id *listener)
{
	struct id *id;

	TAILQ_FOREACH(id, &s->ctx->requests, in_state)
		if (!listener || id->listener == listener)
			return id;
	return NULL;
}

/* The unanswered request of id, if it arrived in this same process. */
static struct id *find_unanswered(struct session *s, const struct id *id)
{
	struct id *other;

	TAILQ_FOREACH(other, &s->ctx->requests, in_state)
		if (id && strcmp(id_peer(other), id_local(id)) == 0)
			return other;
	return NULL;
}

/* Is the peer this same prompt, whose next line is the answer? */
static bool waits_for_prompt(const struct cm_wait *w)
{
	const struct id *request = w->on_peer && !w->is_short && w->s->at_prompt && !id_is_ud(w->id)
					   ? find_unanswered(w->s, w->id)
					   : NULL;
	const struct listening *l = request ? request->listener->listening : NULL;

	return request && !(l && l->accept) && !obj_first(w->s, &handler_class);
}

const struct id *cm_request_here(struct session *s, const struct id *id)
{
	return id->state == ID_CONNECTING ? find_unanswered(s, id) : NULL;
}

static bool has_arrived(void *arg)
{
	struct cm_wait *w = arg;

	if (w->request)
		return oldest_request(w->s, w->id) != NULL;
	return oldest_with_event(w->s, w->id) || waits_for_prompt(w);
}

static void post_waiting_notice(void *arg)
{
	struct cm_wait *w = arg;

	if (w->within_ms == CM_FOREVER)
		notice_post(w->s->notices, NOTICE_CM, "waiting for %s (Ctrl-C stops)", w->what);
	else
		notice_post(w->s->notices, NOTICE_CM,
			    "waiting for %s, at most %.4g s (Ctrl-C stops)", w->what,
			    (double)w->within_ms / 1000);
}

/* Waits for the event. 0: it arrived. */
static int wait_for_event(struct cm_wait *w, const char *call)
{
	int64_t ms = w->within_ms > INT64_MAX ? LOOP_FOREVER : (int64_t)w->within_ms;
	struct cm_wait *outer = waiting;
	bool is_short = ms >= 0 && ms <= NOTICE_AFTER_MS;
	struct held held, *before = w->s->held;
	enum loop_end end;
	struct id *ours;

	obj_hold(w->s, &held, w->id);
	waiting = w;
	end = has_arrived(w) ? LOOP_DONE : LOOP_TIMEOUT;
	if (end != LOOP_DONE && !is_short) {
		end = loop_wait(w->s->loop, has_arrived, w, NOTICE_AFTER_MS);
		if (end == LOOP_TIMEOUT)
			post_waiting_notice(w);
		ms = ms < 0 ? ms : ms - NOTICE_AFTER_MS;
	}
	if (end == LOOP_TIMEOUT)
		end = loop_wait(w->s->loop, has_arrived, w, ms);
	waiting = outer;
	obj_release(w->s, before);
	if (end == LOOP_DONE)
		return 0;
	if (end == LOOP_INTERRUPTED)
		fail(w->s, call, "EINTR", "%s: interrupted while waiting for %s", call, w->what);
	else
		fail(w->s, call, "ETIMEDOUT", "%s: no %s within %llu ms%s%s%s", call, w->what,
		     (unsigned long long)w->within_ms, w->on_peer ? ": " : "",
		     w->on_peer ? id_peer(w->id) : "", w->on_peer ? " does not answer" : "");
	ours = w->request ? NULL : find_unanswered(w->s, w->id);
	if (!ours || !ours->listener)
		return end == LOOP_TIMEOUT && w->on_peer ? add_silence(w->s, w->id) : -1;
	fail_row(w->s, "cause", "%s, the request to %s, arrived here and was not answered",
		 ours->o.name, ours->listener->o.name);
	/* as long as the request exists, the port is in use, too */
	return fail_next(w->s, "%s; %s; %s -accept", obj_destroy_command(ours),
			 obj_destroy_command(ours->listener), listen_again(ours->listener));
}

struct cm_event *cm_next(struct session *s, struct id *id, uint64_t within_ms, struct id **whose)
{
	struct cm_wait w = { .s = s, .id = id, .within_ms = within_ms };

	snprintf(w.what, sizeof w.what, "event%s%s", id ? " of " : "", id ? id->o.name : "");
	if (wait_for_event(&w, "cm event"))
		return NULL;
	*whose = oldest_with_event(s, id);
	return take_event(s, *whose);
}

static int is_listener(struct session *s, const char *call, const struct id *id)
{
	fail(s, call, "BADSTATE", "%s: %s is a listener", call, id->o.name);
	return fail_row(s, "note",
			"each of its connections has an id of its own; 'show' lists them");
}

int cm_await(struct session *s, struct id *id, const char *call, enum rdma_cm_event_type want,
	     uint64_t within_ms, struct cm_event *copy)
{
	int64_t until = within_ms > INT64_MAX / 2 ? INT64_MAX
						  : loop_now() / 1000000 + (int64_t)within_ms;
	struct cm_wait w = {
		.s = s, .id = id, .within_ms = within_ms, .is_short = within_ms < CM_CONNECT_MS
	};
	struct cm_event *ev;
	int rc;

	w.on_peer = !id->passive &&
		    (want == RDMA_CM_EVENT_ESTABLISHED || want == RDMA_CM_EVENT_CONNECT_RESPONSE);
	snprintf(w.what, sizeof w.what, "%s of %s", word_name(cm_event_words, want), id->o.name);
	for (;;) {
		if (wait_for_event(&w, call))
			return -1;
		if (TAILQ_EMPTY(&id->events) && waits_for_prompt(&w))
			return CM_ASKED_HERE;
		if (TAILQ_EMPTY(&id->events)) /* the event belongs to a request */
			return is_listener(s, call, id);
		ev = take_event(s, id);
		if (ev->type == want || cm_event_ends(ev->type))
			break;
		free(ev);
		if (until != INT64_MAX) {
			int64_t left = until - loop_now() / 1000000;

			w.within_ms = left > 0 ? (uint64_t)left : 0;
		}
	}
	rc = ev->type == want ? 0 : explain_event(s, id, call, ev);
	if (copy)
		*copy = *ev;
	free(ev);
	return rc;
}

struct id *cm_await_request(struct session *s, struct id *listener, const char *what,
			    uint64_t within_ms)
{
	struct cm_wait w = { .s = s, .id = listener, .request = true, .within_ms = within_ms };

	if (!oldest_request(s, listener) && !s->ctx->listening) {
		fail(s, what, "ENOENT", "no request to answer, and no id is listening");
		fail_next(s, "listen 7471");
		return NULL;
	}
	snprintf(w.what, sizeof w.what, "request%s%s", listener ? " on " : "",
		 listener ? listener->o.name : "");
	return wait_for_event(&w, what) ? NULL : oldest_request(s, listener);
}
