/* SPDX-License-Identifier: MIT */
/*
 * How packets of rpc sessions go out and come in: a QP with its CQs, its memory and its
 * receives. On UD one link serves all peers, on RC each has its own.
 */
#ifndef CMDS_RPC_LINK_H
#define CMDS_RPC_LINK_H

#include "objects.h"
#include "rpc_packet.h"

#define RPC_SENDS 128 /* packets that the device has to send, at most */

/* Where to: what a peer told of its QP makes it. */
struct rpc_dest {
	struct ah *ah; /* UD */
	uint32_t qpn, qkey;
};

struct rpc_link;

/* What UD and RC do differently; one const struct each: rpc_link_ud.c, rpc_link_rc.c. */
struct rpc_link_kind {
	enum ibv_qp_type type;
	size_t grh; /* bytes before the data of a receive */
	/* After the QP is made: as far as it goes without a peer. */
	int (*prepare)(struct rpc_link *l, uint32_t qkey);
	int (*reach)(struct rpc_link *l, const struct qp_peer *peer, struct rpc_dest *to);
	void (*address)(struct ibv_send_wr *wr, const struct rpc_dest *to);
};
extern const struct rpc_link_kind rpc_link_ud, rpc_link_rc;

struct rpc_link_ops {
	/* A good packet from that QP. Must not close the link. */
	void (*received)(void *arg, const struct rpc_packet *p, uint32_t from);
	/* The QP has failed, with a completion of this status. Must not close the link. */
	void (*failed)(void *arg, const char *status);
};

struct rpc_link {
	struct session *s;
	const struct rpc_link_kind *kind;
	const struct rpc_link_ops *ops;
	void *arg;
	struct cc *cc;
	struct cq *cq, *send_cq; /* sends are polled when their memory is needed again */
	struct mr *mr;
	struct qp *qp;
	unsigned depth; /* receives */
	size_t mtu;	/* bytes of a packet that we may send; 0: of the port */
	unsigned free[RPC_SENDS], n_free;
	struct loop_timer *again;
	bool failed;
	uint64_t corrupt, alien; /* packets that were dropped */
};

/* Makes everything; -1 with s->fail filled, and nothing left behind. The current QP of the
 * session stays. */
int rpc_link_open(struct rpc_link *l, struct session *s, const struct rpc_link_kind *kind,
		  unsigned depth, uint32_t qkey, const struct rpc_link_ops *ops, void *arg);
/* Ready to send to that peer. An ah that is made becomes the caller's. */
int rpc_link_connect(struct rpc_link *l, const struct qp_peer *peer, struct rpc_dest *to);
/* The objects that owner is to use, so that none is destroyed before it. */
void rpc_link_use(struct rpc_link *l, void *owner);
/* Fails if it could not be closed: others use one of its objects, a command waits with it. */
int rpc_link_check_close(struct rpc_link *l, void *owner);
/* Destroys everything; owner (or NULL) uses it no more. All or nothing. */
int rpc_link_close(struct rpc_link *l, void *owner);
/* Takes what has come, before something is decided because it has not. */
void rpc_link_poll(struct rpc_link *l);
/* What cannot be sent now is lost, as on the wire. */
void rpc_link_send(struct rpc_link *l, const struct rpc_dest *to, const struct rpc_packet *p);

#endif
