/* SPDX-License-Identifier: MIT */
/*
 * What an event that ends an attempt means. The status of REJECTED is a reason of the
 * InfiniBand CM, no errno (strerror(28) would say "No space left on device"); iWARP puts
 * a negative errno there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cm_addr.h"
#include "cm_events.h"
#include "cm_id.h"
#include "session.h"
#include "words.h"

/* Statuses of a SIDR response: UNREACHABLE of a UD id. */
static const struct word sidr_words[] = { { "UNSUPPORTED", 1, "the service is not supported" },
					  { "REJECT", 2, "the server program rejected it" },
					  { "NO_QP", 3, "the server has no QP for it" },
					  { "REDIRECT", 4, "redirected" },
					  { "UNSUPPORTED_VERSION", 5, "version not supported" },
					  { 0 } };

/* The table of a positive status; NULL: it has none. */
static const struct word *reasons(const struct id *id, const struct cm_event *ev)
{
	if (ev->status <= 0)
		return NULL;
	if (id_is_ud(id))
		return sidr_words;
	return ev->type == RDMA_CM_EVENT_REJECTED ? rej_words : NULL;
}

const char *cm_status_text(const struct id *id, const struct cm_event *ev)
{
	static char buffers[4][64];
	static unsigned next;
	const struct word *words = reasons(id, ev);
	char *text = buffers[next++ % 4];
	const char *name = words ? args_word_name(words, (uint64_t)ev->status)
				 : strerrorname_np(abs(ev->status));

	if (!ev->status)
		name = NULL;
	snprintf(text, sizeof buffers[0], "%d%s%s", ev->status, name ? " " : "", name ? name : "");
	return text;
}

static void explain_data(struct session *s, const struct cm_event *ev)
{
	char hex[3 * 48 + 8], text[52];
	size_t n = ev->len, at = 0;

	while (n && !ev->data[n - 1])
		n--;
	if (!n)
		return;
	for (size_t i = 0; i < n && i < 48; i++) {
		at += (size_t)snprintf(hex + at, sizeof hex - at, "%02x ", ev->data[i]);
		text[i] = ev->data[i] >= 0x20 && ev->data[i] < 0x7f ? (char)ev->data[i] : '.';
	}
	text[n < 48 ? n : 48] = 0;
	fail_row(s, "data", "%s %s%s", hex, text, n > 48 ? " ..." : "");
}

static void explain_reject(struct session *s, struct id *id, const struct cm_event *ev)
{
	const char *peer = id_peer(id);
	uint16_t port = cm_addr_port(rdma_get_peer_addr(id->v));

	switch (ev->status) {
	case 8:
		fail_row(s, "remedy",
			 "start the server first ('listen %u' there), or check port, address and "
			 "port space (%s)",
			 port, word_name(ps_words, id->ps));
		break;
	case 28:
		fail_row(s, "cause",
			 "the program at %s called rdma_reject, failed before it accepted, "
			 "or ended",
			 peer);
		fail_row(s, "remedy", "look at the server; it may say why in the private data");
		break;
	case 10:
		fail_row(s, "cause", "%s still has an old connection with this QP number", peer);
		fail_row(s, "remedy", "wait until its time-wait is over, and connect again");
		break;
	case 4:
		fail_row(s, "cause", "the program at %s got the request and did not answer in time",
			 peer);
		break;
	default:
		break;
	}
}

static int rejected(struct session *s, struct id *id, const char *call, const struct cm_event *ev)
{
	const struct word *words = reasons(id, ev);
	const char *help = words ? word_help(words, (uint64_t)ev->status) : NULL;

	if (ev->status < 0) /* iWARP */
		help = strerror(-ev->status);
	if (ev->status == 8 && words == rej_words)
		help = "nobody listens on that port there";
	fail(s, call, "REJECTED", "%s: %s REJECTED by %s: %s%s%s", call, id->o.name, id_peer(id),
	     cm_status_text(id, ev), help ? ": " : "", help ? help : "");
	if (words == rej_words)
		explain_reject(s, id, ev);
	else if (words && ev->status == 1)
		fail_row(s, "likely", "nobody listens on that port in port space %s",
			 word_name(ps_words, id->ps));
	explain_data(s, ev);
	return -1;
}

static int unreachable(struct session *s, struct id *id, const char *call,
		       const struct cm_event *ev)
{
	const struct word *words = reasons(id, ev);

	if (words)
		return rejected(s, id, call, ev);
	fail(s, call, "UNREACHABLE", "%s: %s UNREACHABLE: %s does not answer: %s", call, id->o.name,
	     id_peer(id), cm_status_text(id, ev));
	fail_row(s, "likely", "a firewall drops UDP port 4791, or %s has no RDMA device",
		 cm_addr_host(rdma_get_peer_addr(id->v)));
	return fail_next(s, "!ping -c 1 %s", cm_addr_host(rdma_get_peer_addr(id->v)));
}

int cm_explain(struct session *s, struct id *id, const char *call, const struct cm_event *ev)
{
	const char *name = word_name(cm_event_words, ev->type);

	switch (ev->type) {
	case RDMA_CM_EVENT_REJECTED:
		return rejected(s, id, call, ev);
	case RDMA_CM_EVENT_UNREACHABLE:
		return unreachable(s, id, call, ev);
	case RDMA_CM_EVENT_ADDR_ERROR:
		fail(s, call, name, "%s: %s ADDR_ERROR: %s: %s", call, id->o.name,
		     cm_status_text(id, ev), strerror(abs(ev->status)));
		cm_explain_resolve(s, rdma_get_local_addr(id->v), rdma_get_peer_addr(id->v),
				   abs(ev->status));
		return -1;
	case RDMA_CM_EVENT_ROUTE_ERROR:
		fail(s, call, name, "%s: %s ROUTE_ERROR: %s: %s", call, id->o.name,
		     cm_status_text(id, ev), strerror(abs(ev->status)));
		if (ev->status == -ENODEV)
			cm_explain_resolve(s, rdma_get_local_addr(id->v), rdma_get_peer_addr(id->v),
					   ENODEV);
		else
			fail_row(s, "likely", "on InfiniBand: the subnet manager does not answer");
		return -1;
	case RDMA_CM_EVENT_DISCONNECTED:
		fail(s, call, name, "%s: %s DISCONNECTED: %s has gone", call, id->o.name,
		     id_peer(id));
		return fail_row(s, "remedy", "an id and its QP are used once: connect again");
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		fail(s, call, name, "%s: the device of %s is being removed", call, id->o.name);
		return fail_next(s, "destroy %s -cascade", id->o.name);
	default:
		break;
	}
	return fail(s, call, name, "%s: %s %s: %s: %s", call, id->o.name, name,
		    cm_status_text(id, ev),
		    ev->status < 0 ? strerror(-ev->status) : "no reason given");
}
