/* SPDX-License-Identifier: MIT */
/* The live context: what the commands of a session share. */
#ifndef CMDS_LIVE_CONTEXT_H
#define CMDS_LIVE_CONTEXT_H

#include <stdint.h>
#include <sys/queue.h>

#include "connection/cm_id.h"
#include "device/async.h"
#include "object_store.h"

struct capture;
struct qp;
struct session;
struct timeline;
struct view;
struct wire;

TAILQ_HEAD(id_list, id);

struct context {
	struct obj_store store;
	struct async_list asyncs; /* not yet taken by wait */
	struct qp *qp;		  /* the current QP, the default of QP arguments */
	struct id *id;		  /* the current connection id */
	uint64_t wr_id;		  /* the last wr_id that was assigned */
	struct id_list requests;  /* connection requests that are not answered yet, oldest first */
	struct id_list over;	  /* ids whose connection is over or has failed */
	unsigned listening;	  /* number of listening ids */
	struct cm_event_list events; /* of all ids, oldest first */
	struct wire *wire;	     /* wire on, or NULL */
	struct capture *capture;     /* capture start, or NULL */
	struct timeline *timeline;   /* what it shows; NULL: it was never on */
	struct view *view;	     /* the page in a browser, or NULL */
};

/* Iterates over all objects, the oldest first. */
#define obj_foreach(o, s) TAILQ_FOREACH((o), &(s)->ctx->store.all, link)

/* Returns the current QP (or NULL) with a reference; qp_current_back() restores it unless it was
 * destroyed meanwhile. */
struct qp *qp_current_aside(struct session *s);
void qp_current_back(struct session *s, struct qp *qp);

#endif
