/* SPDX-License-Identifier: MIT */
/* The data that the two ends of a connection tell each other of their QPs and regions. */
#ifndef MODEL_QP_PEER_H
#define MODEL_QP_PEER_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

/* Data about the peer's QP (oob, modify-qp -peer), or about a region only (listen -share: known is
 * false), and the same data of this end for the peer. */
struct qp_peer {
	bool known;
	enum ibv_qp_type type;
	uint32_t qpn, psn, qkey;
	uint16_t lid;
	union ibv_gid gid;
	unsigned gid_index;
	enum ibv_mtu mtu;   /* 0: unknown */
	uint64_t addr, len; /* of a region; len 0: unknown */
	uint32_t rkey;	    /* 0: no region */
	unsigned access;    /* what the region lets peers do; 0: unknown */
};

#endif
