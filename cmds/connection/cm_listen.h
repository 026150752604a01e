/* SPDX-License-Identifier: MIT */
/* How a listener answers the requests that come in: what listen was told. */
#ifndef CMDS_CM_LISTEN_H
#define CMDS_CM_LISTEN_H

#include "cm_ends.h"
#include "cm_step.h"

struct listening {
	bool accept;	  /* by itself */
	struct mr *share; /* its address and key are the private data of accept, or NULL */
	bool share_len;	  /* its length too */
	struct ends_args ends;
	struct conn_args conn; /* data points to the bytes below */
	unsigned char data[256];
};

/* NULL is fine. */
void listening_free(struct listening *l);
/* A request came in on listener as id: answers it if it is to be answered by itself. May
 * destroy id. */
void listening_request(struct session *s, struct id *listener, struct id *id);

/* Makes what the id lacks (PD, CQ, QP) and, unless prepare, calls rdma_accept. The
 * listener's settings count where the arguments say nothing. */
int accept_id(struct session *s, struct id *id, const struct ends_args *ends,
	      const struct conn_args *conn, bool prepare, struct made *made);

#endif
