/* SPDX-License-Identifier: MIT */
#include "event_rules.h"

#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "heap.h"
#include "live_program.h"
#include "refused_calls.h"
#include "why.h"
#include "words.h"

/* Statuses of a SIDR response, which UNREACHABLE of datagrams has: volume 1, 12.11.2. */
static const struct word sidr_words[] = { { "UNSUPPORTED", 1, "nobody listens on that port" },
					  { "REJECT", 2, "the server program rejected it" },
					  { "NO_QP", 3, "the server has no QP for it" },
					  { "REDIRECT", 4, "redirected" },
					  { "UNSUPPORTED_VERSION", 5, "version not supported" },
					  { 0 } };

/* The names of its status; iWARP gives REJECTED a negative errno. */
static const struct word *statuses(const struct failed_event *e)
{
	if (e->status <= 0)
		return errno_words;
	return e->event == RDMA_CM_EVENT_REJECTED      ? rej_words
	       : e->event == RDMA_CM_EVENT_UNREACHABLE ? sidr_words
						       : errno_words;
}

bool why_event_fails(const struct failed_event *e)
{
	switch (e->event) {
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_MULTICAST_ERROR:
		return true;
	default:
		return false;
	}
}

const char *why_event_status(const struct failed_event *e)
{
	const struct word *words = statuses(e);
	const char *name = !e->status		  ? NULL
			   : words == errno_words ? strerrorname_np(abs(e->status))
						  : word_known(words, (uint64_t)e->status);

	return temp_text("%d%s%s", e->status, name ? " " : "", name ? name : "");
}

const char *why_event_meaning(const struct failed_event *e)
{
	return e->status ? word_help(statuses(e), (uint64_t)abs(e->status)) : NULL;
}

#define NO_LISTENER  8 /* reasons of a reject that its CM knows, and not the program there */
#define STALE_CONN   10
#define SIDR_NO_PORT 1

const struct fact *why_event_fact(const struct failed_event *e)
{
	const struct fact_family *reasons = fact_family("rej");
	const struct word *words = statuses(e);
	const struct fact *reason = NULL;

	if (words == sidr_words)
		return e->status == SIDR_NO_PORT ? fact_of(reasons, NO_LISTENER) : NULL;
	if (words == rej_words)
		reason = fact_of(reasons, (uint64_t)e->status);
	return reason ? reason : fact_of(fact_family("cm-event"), e->event);
}

static bool is_known(const struct sockaddr *to)
{
	return to && (to->sa_family == AF_INET || to->sa_family == AF_INET6);
}

/* Adds what the connection manager of the peer has seen. */
static void add_what_the_peer_says(const struct failed_event *e, struct causes *c)
{
	const struct word *words = statuses(e);
	const char *to = !is_known(e->to)
				 ? "the peer"
				 : temp_text("%s, port %u", why_host(e->to), live_port_of(e->to));

	if ((words == rej_words && e->status == NO_LISTENER) ||
	    (words == sidr_words && e->status == SIDR_NO_PORT))
		cause_add(c, IS_SO, NULL, "nobody listens at %s, in the port space of the id", to);
	if (words == rej_words && e->status == STALE_CONN)
		cause_add(c, IS_SO, NULL,
			  "%s still has a connection with this QP number: after a crash, or in "
			  "time-wait",
			  to);
}

/* The usual causes, of which the first may be tried at once. */
static void add_usual(const struct failed_event *e, struct causes *c)
{
	const struct fact *fact = why_event_fact(e);
	const char *name = e->status < 0 ? strerrorname_np(-e->status) : NULL;

	if (name)
		causes_add_fact(c, fact, name, NULL);
	if (c->n)
		return;
	causes_add_fact(c, fact, NULL,
			e->event == RDMA_CM_EVENT_UNREACHABLE && is_known(e->to)
				? temp_text("!ping -c 1 %s", why_host(e->to))
				: NULL);
}

void why_event_failed(const struct failed_event *e, struct causes *c)
{
	if (e->event == RDMA_CM_EVENT_ADDR_ERROR && e->to && why_no_way(e->to, -e->status, c))
		return;
	if (e->status > 0)
		add_what_the_peer_says(e, c);
	if (!c->n && statuses(e) != sidr_words)
		add_usual(e, c);
}
