/* SPDX-License-Identifier: MIT */
/* Connection ids, their event channels and their events. */
#ifndef CMDS_CM_ID_H
#define CMDS_CM_ID_H

#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

#include "object_store.h"
#include "word.h"

struct cm_event;
TAILQ_HEAD(cm_event_list, cm_event);

/* Event channel of the connection manager. */
struct ec {
	struct obj o;
	struct rdma_event_channel *v;
	struct session *s; /* whose loop serves its events */
};

enum id_state {
	ID_IDLE,
	ID_BOUND,
	ID_LISTENING,
	ID_ADDR_RESOLVED,
	ID_ROUTE_RESOLVED,
	ID_CONNECTING,
	ID_REQUEST, /* passive side: a request to answer */
	ID_ACCEPTING,
	ID_ESTABLISHED,
	ID_DISCONNECTED,
	ID_ERROR,
};

extern const struct word id_state_words[]; /* enum id_state */

/* A CM event, copied: the library's own is acknowledged (unless the id holds events). */
struct cm_event {
	TAILQ_ENTRY(cm_event) link; /* of its id */
	TAILQ_ENTRY(cm_event) all;
	struct id *id; /* in whose queue it is */
	enum rdma_cm_event_type type;
	int status;
	struct rdma_conn_param conn; /* private_data points to data below */
	struct rdma_ud_param ud;     /* instead of conn for UD port spaces */
	unsigned char data[256];
	uint8_t len;
	bool held; /* to be acknowledged by 'cm ack' */
};

struct ah;
struct cq;
struct listening; /* how a listener answers requests: cm.h */
struct qp;

/* Connection id. */
struct id {
	struct obj o;
	struct ec *ec;
	struct rdma_cm_id *v;
	struct id *listener; /* a request came in on it, or NULL */
	unsigned adopted;    /* ids of requests that arrived on this one */
	unsigned requests;   /* requests that are not answered yet */
	struct qp *qp;
	enum id_state state;
	TAILQ_ENTRY(id) in_state; /* in ID_REQUEST, and when it is over */
	enum rdma_port_space ps;
	bool passive;	/* created for an incoming request */
	bool transient; /* accepted by listen -accept: destroyed when its peer disconnects */
	bool stepping;	/* made by 'cm create': the user answers all events */
	bool left;	/* rdma_disconnect() was called: the peer is not kept waiting */
	bool peer_left; /* the peer disconnected first */
	bool hold;	/* its events are acknowledged only by 'cm ack' */
	struct cm_event_list events; /* not yet taken by a command */
	struct rdma_cm_event **held; /* the library's own, not yet acknowledged */
	unsigned unacked;	     /* how many */
	struct listening *listening; /* set by listen, or NULL */
	int backlog;
	struct ah *ah;	      /* UD: address handle of the peer, or NULL: id_own_ah() */
	struct cq *cq;	      /* made for its QP by connect or accept, or NULL: id_own_cq() */
	struct cm_event last; /* the last one with private data or connection parameters */
	unsigned char *data;  /* private data received, or NULL */
	size_t data_len;
};

#endif
