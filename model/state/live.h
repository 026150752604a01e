/* SPDX-License-Identifier: MIT */
/*
 * The known facts about the objects of a process, as values: of this session, of a peer that was
 * asked, or of a program whose calls were recorded. The rules that explain a failure read nothing
 * else.
 */
#ifndef MODEL_LIVE_H
#define MODEL_LIVE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "inventory.h"

#define LIVE_NAME 32
#define LIVE_SGES 4

/* A region or a window. */
struct live_region {
	char name[LIVE_NAME], pd[LIVE_NAME];
	uint32_t lkey, rkey; /* a window has no lkey: 0 */
	uint64_t begin, len; /* as its device counts: a zero-based one begins with 0 */
	unsigned access;
	uint32_t bound_by; /* of a window of type 2: the number of the QP; 0: it is none */
	bool gone;	   /* it was deregistered, or is not shown any more */
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
	int64_t recvs;		 /* posted and not completed; -1: not known */
	uint32_t sends;		 /* of one that was asked: posted and not completed */
	uint32_t unpolled;	 /* of one that was asked: completions in its receive CQ */
	bool is_unpolled;	 /* RECVs of it are used, and their completions were not polled */
	uint64_t had;		 /* RECVs that were posted, completed ones, too; 0: not known */
	uint32_t recv_len;	 /* bytes of the oldest, or of one that has failed; 0: not known */
	char overrun[LIVE_NAME]; /* the CQ of it that has overrun, or "" */
	uint32_t overrun_cqe;	 /* how many completions that one has room for */
	bool has_source;	 /* the GID that it sends from is known: */
	union ibv_gid source;
	char why[80];	 /* what has moved it to ERR, or "" */
	char again[128]; /* what connects in its place two new QPs; "": it is not in ERR, or can be
			  * moved from there */
	bool first_psn;	 /* rq_psn is the one that it began with, not the one expected now */
	uint32_t rnrs;	 /* how often the peer had no receive for its oldest send */
	bool unanswered; /* no send of it was ever completed with success */
	/* When the last of those was seen, and when it was moved to RTR; 0: not known. */
	uint64_t answered, connected;
	struct uroce_refusal
		refusal; /* the request of its peer that it has refused; all zero: none */
	/* Packets for it that came from another address than its peer's; .count 0: none. */
	struct uroce_drop_row strays;
};

/* The window, region and rights of a BIND_MW. */
struct live_bind {
	bool known;
	uint64_t mw;	  /* the address of its window */
	uint32_t mw_rkey; /* that the window had; 0: not known */
	uint32_t rkey;	  /* the new one */
	uint64_t mr;	  /* the address of its object; 0: the window is to be unbound */
	uint64_t addr, len;
	unsigned access;
};

/* One end of a connection. */
struct live_end {
	const struct live_qp *qp; /* NULL: it cannot be seen */
	char whose[80]; /* before its objects in texts: "", or "b: " of a peer, "@b " in commands */
	char gone[80];	/* why it cannot be seen any more: "process 17 has ended"; or "" */
	uint64_t ended; /* ticks: when its process was found to have ended; 0: it has not */
	bool has_windows; /* it may have some that are not among regions */
	struct live_region *regions;
	unsigned nregions;
	/* All QPs of the process, which is one that was asked; qp is one of them, or NULL. v is to
	 * be freed. */
	bool is_asked;
	struct live_qps {
		struct live_qp *v;
		unsigned n;
	} qps;
};

#endif
