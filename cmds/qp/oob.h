/* SPDX-License-Identifier: MIT */
/* The exchange of oob, and the object that waits for it. */
#ifndef CMDS_OOB_H
#define CMDS_OOB_H

#include <stdbool.h>
#include <stddef.h>

#include "objects.h"

/*
 * One message each way over TCP: four bytes of length, highest first, then the text. The
 * server speaks first. Never blocks: the event loop calls when there is something to do.
 */

struct loop;

#define EXCHANGE_MAX 65536 /* bytes of a message; more is refused */

enum exchange_end { EXCHANGE_BUSY, EXCHANGE_DONE, EXCHANGE_FAILED };

struct exchange {
	struct loop *loop;
	int fd;			    /* -1: closed */
	bool sending, listens_next; /* what it does now; whether it receives after that */
	bool connecting;
	bool keep; /* set by the owner: when all went well, the socket is left to it */
	unsigned char *out;
	size_t out_len, sent;
	unsigned char head[4];
	char *in;
	size_t in_len, got; /* got counts the head too */
	enum exchange_end end;
	int err;	 /* errno of a failure, or 0 */
	const char *why; /* it failed: what was being done */
	void (*done)(void *arg);
	void *arg;
};

/* Begins on a socket that it owns from now on; a client's may be connecting still. done
 * is called once, from the loop. */
void exchange_begin(struct exchange *x, struct loop *loop, int fd, bool server, const char *text,
		    void (*done)(void *arg), void *arg);
/* Closes and frees what it holds; more than once does no harm. */
void exchange_end(struct exchange *x);

/* An exchange of qp-info out of band, as an object: it lives on while commands go on. */

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
