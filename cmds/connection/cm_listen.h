/* SPDX-License-Identifier: MIT */
/* How a listener answers the requests that come in: what listen was told. */
#ifndef CMDS_CM_LISTEN_H
#define CMDS_CM_LISTEN_H

#include "connection/cm_ends.h"
#include "connection/cm_step.h"

struct listening {
	bool accept;	  /* by itself */
	struct mr *share; /* its address and key are the private data of accept, or NULL */
	bool share_len;	  /* its length too */
	bool keep;	  /* what it accepted stays when the peer has left */
	struct ends_args ends;
	struct conn_args conn; /* data points to the bytes below */
	unsigned char data[256];
};

/* NULL is fine. */
void listening_free(struct listening *l);
/* Fails unless the QPs made with ends reach the region that is shared: one PD. */
int share_fits(struct session *s, const char *call, const struct mr *share,
	       const struct ends_args *ends);
/* A request came in on listener as id: answers it if it is to be answered by itself. May
 * destroy id. */
void listening_request(struct session *s, struct id *listener, struct id *id);

/* Accepted by itself, the peer has left, and nobody could miss it? */
bool listening_forgets(struct session *s, const struct id *id);
/* Destroys all those of the listener (NULL: none), so that a server that runs for long
 * does not fill up. Never fails; the failure at hand is kept. */
void listening_sweep(struct session *s, struct id *listener);

/* Makes what the id lacks (PD, CQ, QP) and, unless prepare, calls rdma_accept. The
 * listener's settings count where the arguments say nothing. */
int accept_id(struct session *s, struct id *id, const struct ends_args *ends,
	      const struct conn_args *conn, bool prepare, struct made *made);

#endif
