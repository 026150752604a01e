/* SPDX-License-Identifier: MIT */
/* What an end of a connection needs beside its id: PD, CQ, QP. For connect and accept. */
#ifndef CMDS_CM_ENDS_H
#define CMDS_CM_ENDS_H

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

#endif
