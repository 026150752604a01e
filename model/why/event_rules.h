/* SPDX-License-Identifier: MIT */
/* Events of the connection manager that say that something has failed: what their status is called,
 * and why they came. */
#ifndef MODEL_EVENT_RULES_H
#define MODEL_EVENT_RULES_H

#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <sys/socket.h>

struct causes;
struct fact;

struct failed_event {
	enum rdma_cm_event_type event;
	int status;
	const struct sockaddr *to; /* the address of the peer; NULL: not known */
};

/* Does it end an attempt to resolve, to connect or to join a group? */
bool why_event_fails(const struct failed_event *e);
/* "8 INVALID_SERVICE_ID", "-110 ETIMEDOUT"; as temp_text(). A positive status is none of errno:
 * strerror(28) would say "No space left on device". */
const char *why_event_status(const struct failed_event *e);
/* The meaning of the status, in words; NULL: nothing is known. */
const char *why_event_meaning(const struct failed_event *e);
/* The entry of explain that fits best: of the reason of a reject, or else of the event. NULL: none;
 * that of UNREACHABLE does not fit a peer that has answered. */
const struct fact *why_event_fact(const struct failed_event *e);
/* Adds why it came. A statement of the peer's connection manager about itself is certain. */
void why_event_failed(const struct failed_event *e, struct causes *c);

#endif
