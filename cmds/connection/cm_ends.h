/* SPDX-License-Identifier: MIT */
/* What an end of a connection needs beside its id: PD, CQ, QP, and the region that it shares. */
#ifndef CMDS_CM_ENDS_H
#define CMDS_CM_ENDS_H

#include "connection/cm_id.h"
#include "objects.h"

struct ends_args {
	struct pd *pd;
	struct cq *cq;
	struct srq *srq;
	struct num depth, send_wr, recv_wr, send_sge, recv_sge, inline_data;
	bool events, sig_all;
	const char *qp_name;
};
#define ENDS_ARGS(st, f)                                                                           \
	OPT("pd", st, f.pd, kind_pd_opt, "protection domain; else the first of the device"),       \
		OPT("cq", st, f.cq, kind_cq_opt, "CQ of both queues; else one is made"),           \
		OPT("srq", st, f.srq, kind_srq_opt, "take receives from this SRQ"),                \
		OPT("depth", st, f.depth, kind_u32, "entries of the CQ that is made", .min = 1,    \
		    .max = INT32_MAX),                                                             \
		SWITCH("events", st, f.events,                                                     \
		       "the CQ gets a completion channel, for arm and wait"),                      \
		OPT("send-wr", st, f.send_wr, kind_u32, "work requests in the send queue",         \
		    .dflt = "32"),                                                                 \
		OPT("recv-wr", st, f.recv_wr, kind_u32, "in the receive queue", .dflt = "32"),     \
		OPT("send-sge", st, f.send_sge, kind_u32, "pieces of memory a send", .dflt = "4"), \
		OPT("recv-sge", st, f.recv_sge, kind_u32, "pieces of memory a receive",            \
		    .dflt = "4"),                                                                  \
		OPT("inline", st, f.inline_data, kind_u32, "bytes that may be sent inline",        \
		    .dflt = "64"),                                                                 \
		SWITCH("sig-all", st, f.sig_all, "every send completes with a WC"),                \
		OPT("qp", st, f.qp_name, kind_str, "name for the QP that is made")

/* Makes the QP of the id, and PD and CQ where missing. */
int ends_make(struct session *s, struct id *id, const struct ends_args *a);

/* Destroys the id, its QP, and the CQ and channel that were made for them. */
int ends_destroy(struct session *s, struct id *id);
/* Has a command named one of those? */
bool ends_named(const struct id *id);

/* What a command has made so far, to be undone. Objects that came into use elsewhere
 * meanwhile are left. */
struct made {
	struct obj *v[8];
	unsigned n;
};
/* All objects that are there now have serials up to this. */
uint64_t made_mark(struct session *s);
/* Notes what came after mark. */
void made_since(struct session *s, struct made *m, uint64_t mark);
/* Before a command waits: it holds them until it returns. */
void made_hold(struct session *s, const struct made *m);
/* Destroys it, newest first; the failure at hand is kept. Returns -1. */
int made_undo(struct session *s, struct made *m);
/* Both at once. */
int made_undo_since(struct session *s, uint64_t mark);

/* How a listener answers the requests that come in: what listen was told. */

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

/*
 * What listen -share tells each client in the private data, and what connect makes of it: the
 * window of memory that the server has opened.
 */

#define SHARE_BYTES 40

/* Writes address and key of mr as any client reads them (8 and 4 bytes, big-endian), its length
 * behind them if with_len, and then what only rdmash reads. */
void share_pack(const struct mr *mr, bool with_len, unsigned char data[SHARE_BYTES]);
/* Reads what share_pack() wrote into addr, len, rkey and access of *window. False, with nothing
 * changed: it is something else, or no peer can mean that. */
bool share_unpack(const unsigned char *data, size_t len, struct qp_peer *window);

/* "its window of 4096 bytes is open to writes and reads": of a connected QP whose peer has told
 * one; with the value "window". */
void share_out(const struct qp_peer *window, struct out *o);

#endif
