/* SPDX-License-Identifier: MIT */
/* An exchange of qp-info out of band, as an object: it lives on while commands go on. */
#ifndef CMDS_OOB_CLASS_H
#define CMDS_OOB_CLASS_H

#include "objects.h"
#include "oob_exchange.h"

struct oob {
	struct obj o;
	struct session *s;
	struct qp *qp;
	char *text;  /* what is told to the peer */
	char *where; /* "[::]:7000" */
	uint16_t port;
	int listen_fd; /* -1: not, or not any more */
	bool background;
	bool over; /* nothing more happens */
	struct exchange x;
	struct qp_peer mine, peer;
	char host[64]; /* connected to it; "": listens */
	char *why;     /* it failed, and why; else NULL */
	char *code;
};

/* Both make the object and set things going; NULL with s->fail filled. */
struct oob *oob_listen(struct session *s, struct qp *qp, const struct qp_peer *mine,
		       const char *addr, uint16_t port);
struct oob *oob_connect(struct session *s, struct qp *qp, const struct qp_peer *mine,
			const char *host, uint16_t port);

#endif
