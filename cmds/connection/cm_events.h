/* SPDX-License-Identifier: MIT */
/*
 * Event channels and events of the connection manager.
 *
 * Events are read by the loop, copied, acknowledged at once (unless the id holds them),
 * noted on the id, told, and queued on the id until a command takes them.
 */
#ifndef CMDS_CM_EVENTS_H
#define CMDS_CM_EVENTS_H

#include "objects.h"

/* name NULL: the next number. NULL with s->fail filled. */
struct ec *ec_make(struct session *s, const char *name);
/* The first channel; made if there is none. */
struct ec *ec_default(struct session *s);

#define CM_FOREVER UINT64_MAX

/* Waits until the id gets the event want; events before it are passed over. Any other
 * event that ends the attempt fails with its meaning, cause and remedy; call names what
 * was tried. *ev (or NULL) gets a copy. */
int cm_await(struct session *s, struct id *id, const char *call, enum rdma_cm_event_type want,
	     uint64_t within_ms, struct cm_event *ev);
/* Waits for a request, on listener or (NULL) any: its id, or NULL with s->fail filled. */
struct id *cm_await_request(struct session *s, struct id *listener, uint64_t within_ms);
/* Waits for and takes the next event of id (a listener: of its requests too), or of any
 * id (NULL). Returns it, to be freed, and whose it is; NULL with s->fail filled. */
struct cm_event *cm_next(struct session *s, struct id *id, uint64_t within_ms, struct id **whose);

/* The same without waiting, for a handler. NULL: there is none, or a command waits for it. */
struct cm_event *cm_take(struct session *s, struct id *id, struct id **whose);
bool cm_pending(struct session *s, struct id *id);
/* Into the scope that is open: the valid fields, and lines of text. */
void cm_event_out(struct id *id, const struct cm_event *ev, struct out *o);

/* The parameters of the event are in conn, or (true) in ud. */
bool cm_event_is_ud(const struct id *id, const struct cm_event *ev);
/* Has the event connection parameters and private data? */
bool cm_event_has_conn(const struct id *id, const struct cm_event *ev);

/* Acknowledges what the id held back; the number. */
unsigned cm_ack(struct id *id);
/* Acknowledges everything: the program ends, and nothing may wait for ever. */
void cm_close(struct session *s);
/* Drops the queue and the private data: the id goes. */
void cm_forget(struct session *s, struct id *id);

/* Fails with what the event means: cm_explain.c. Returns -1. */
int cm_explain(struct session *s, struct id *id, const char *call, const struct cm_event *ev);
/* Adds to s->fail a row for each peer that has left: why completions are flushed. */
void cm_circumstances(struct session *s);
/* "8 INVALID_SERVICE_ID", "-110 ETIMEDOUT": the status in words; kept until the fourth
 * call after. */
const char *cm_status_text(const struct id *id, const struct cm_event *ev);

/* The queue of events of an id, between the channel that fills it and who waits. */

/* Appends ev, which the queue then owns. The oldest go when no one takes them. */
void cm_queue(struct session *s, struct id *id, struct cm_event *ev);
/* Is a command waiting for events of this id? Then it is told by the command. */
bool cm_awaited(const struct id *id);

/* A request came in that is not answered by itself: says so at once if the command that waits
 * is the one that asked, in this very process. */
void cm_note_own(struct session *s, const struct id *request);

#endif
