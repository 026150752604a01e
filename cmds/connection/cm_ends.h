/* SPDX-License-Identifier: MIT */
/* The resources of one end of a connection besides its id: PD, CQ, QP, and the shared region. */
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

/* Creates the QP of the id, and PD and CQ if they are missing. */
int ends_make(struct session *s, struct id *id, const struct ends_args *a);

/* Destroys the id, its QP, and the CQ and channel that were created for them. */
int ends_destroy(struct session *s, struct id *id);
/* Did the user name any of them? */
bool ends_named(const struct id *id);

/* The objects that a command has created so far, to be destroyed if it fails. Objects that others
 * use meanwhile are kept. */
struct made {
	struct obj *v[8];
	unsigned n;
};
/* The highest serial of all current objects. */
uint64_t made_mark(struct session *s);
/* Records the objects created after mark. */
void made_since(struct session *s, struct made *m, uint64_t mark);
/* To be called before a command waits: holds them until it returns. */
void made_hold(struct session *s, const struct made *m);
/* Destroys them, newest first, and preserves s->fail. Returns -1. */
int made_undo(struct session *s, struct made *m);
/* Both in one step. */
int made_undo_since(struct session *s, uint64_t mark);

/* How a listener answers requests: the options of listen. */

struct listening {
	bool accept;	  /* accept automatically */
	struct mr *share; /* region whose address and key are sent with accept, or NULL */
	bool share_len;	  /* send its length, too */
	bool keep;	  /* keep accepted connections when the peer disconnects */
	struct ends_args ends;
	struct conn_args conn; /* data points to the bytes below */
	unsigned char data[256];
};

/* NULL is fine. */
void listening_free(struct listening *l);
/* Fails unless the QPs and the shared region have the same PD. */
int share_fits(struct session *s, const char *call, const struct mr *share,
	       const struct ends_args *ends);
/* Handles a request on listener: answers it if that is automatic. May destroy id. */
void listening_request(struct session *s, struct id *listener, struct id *id);

/* Was the id accepted automatically, has its peer disconnected, and is it unused? Then it can be
 * destroyed. */
bool listening_forgets(struct session *s, const struct id *id);
/* Destroys all such ids of the listener (NULL: none), so that they do not accumulate in a server.
 * Preserves s->fail. */
void listening_sweep(struct session *s, struct id *listener);

/*
 * The memory window of a server, which listen -share sends to each client in the private data.
 */

#define SHARE_BYTES 40

/* Writes address and key of mr as any client reads them (8 and 4 bytes, big-endian), its length
 * behind them if with_len, and then what only rdmash reads. */
void share_pack(const struct mr *mr, bool with_len, unsigned char data[SHARE_BYTES]);
/* Parses the data of share_pack() into addr, len, rkey and access of *window. False, with nothing
 * changed: the data is something else, or invalid. */
bool share_unpack(const unsigned char *data, size_t len, struct qp_peer *window);

/* "its window of 4096 bytes is open to writes and reads": for a connected QP whose peer sent a
 * window; writes the value "window". */
void share_out(const struct qp_peer *window, struct out *o);

#endif
