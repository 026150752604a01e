/* SPDX-License-Identifier: MIT */
/*
 * What is known of the objects behind a failure, as values: they may be the shell's own, those of
 * a peer that it has asked, or those that the record of another program tells of.
 */
#ifndef CMDS_LIVE_END_H
#define CMDS_LIVE_END_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <tcl.h>

struct wr_op;

#define LIVE_NAME 32
#define LIVE_SGES 4

/* A region or a window. */
struct live_region {
	char name[LIVE_NAME], pd[LIVE_NAME];
	uint32_t lkey, rkey; /* a window has no lkey: 0 */
	uint64_t begin, len; /* as its device counts: a zero-based one begins with 0 */
	unsigned access;
	bool gone; /* it was deregistered, or is not shown any more */
};

struct live_qp {
	char name[LIVE_NAME], pd[LIVE_NAME];
	char srq[LIVE_NAME]; /* "": it has its own receives */
	uint32_t number;
	enum ibv_qp_type type;
	enum ibv_qp_state state;
	struct ibv_qp_attr attr; /* those of known */
	unsigned known;		 /* IBV_QP_... bits */
	struct ibv_qp_cap cap;
	int64_t recvs;	   /* posted and not completed; -1: not known */
	uint64_t had;	   /* RECVs that were posted, completed ones, too; 0: not known */
	uint32_t recv_len; /* bytes of the oldest, or of one that has failed; 0: not known */
	char why[80];	   /* what has moved it to ERR, or "" */
	bool first_psn;	   /* rq_psn is the one that it began with, not the one expected now */
	bool unanswered;   /* no send of it was ever completed with success */
};

/* One end of a connection. */
struct live_end {
	const struct live_qp *qp; /* NULL: it cannot be seen */
	char whose[40]; /* before its objects in texts: "", or "b: " of a peer, "@b " in commands */
	char gone[80];	/* why it cannot be seen any more: "process 17 has ended"; or "" */
	struct live_region *regions;
	unsigned nregions;
};

/* A work request that has failed, and all that it had to do with. */
struct failed_wr {
	bool is_foreign; /* of another program: no commands of the shell are of use */
	enum ibv_wc_status status;
	char qp[LIVE_NAME]; /* of which it was, which may be gone; "": not known */
	bool known;	    /* what follows, but for the ends */
	uint64_t wr_id;
	bool recv, is_inline;
	const struct wr_op *op; /* NULL: not known */
	uint64_t remote;	/* address and key at the peer, for RDMA and atomics */
	uint32_t rkey;
	uint32_t len; /* of all SGEs */
	unsigned nsge;
	struct ibv_sge sge[LIVE_SGES]; /* the first of them */
	struct live_end here, there;
	/* The region that the peer has told; len 0: none. */
	struct live_region told;
};

/* The region there with this key, those that live first; NULL: none. */
const struct live_region *live_by_lkey(const struct live_end *e, uint32_t lkey);
const struct live_region *live_by_rkey(const struct live_end *e, uint32_t rkey);

/*
 * The other end of a QP, where it can be looked at: in this process, or in a peer that this one
 * has started. Both tell of their objects in the same form, that of `show`.
 */

struct session;

/* Looks for the QP numbered qpn that talks to the one numbered mine. To be freed. */
struct live_end live_end_find(struct session *s, uint32_t qpn, uint32_t mine);
/* The same in objects, a dict of them as 'show' has it (NULL: none). false: the QP is not there. */
bool live_end_look(struct live_end *e, Tcl_Obj *objects, uint32_t qpn, uint32_t mine);
void live_end_free(struct live_end *e);

#endif
