/* SPDX-License-Identifier: MIT */
/*
 * Inline functions and structs of newer headers, for use with older ones. (Other missing functions
 * are looked up at run time.)
 */
#ifndef CALLS_NEWER_H
#define CALLS_NEWER_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#include "newer_structs.h"

#ifndef CALLS_HAS_WR_FLUSH
/* A QP that was made with IBV_QP_EX_WITH_FLUSH comes from a library that has the member. */
struct qp_ex_with_flush {
	struct ibv_qp_ex qp;
	void (*wr_flush)(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, size_t len,
			 uint8_t type, uint8_t level);
};

static inline void ibv_wr_flush(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr,
				size_t len, uint8_t type, uint8_t level)
{
	((struct qp_ex_with_flush *)ex)->wr_flush(ex, rkey, remote_addr, len, type, level);
}
#else
#define qp_ex_with_flush ibv_qp_ex
#endif

#if CALLS_RDMA_CORE < 65
int _ibv_query_comp_cntr_caps(struct ibv_context *context, struct ibv_comp_cntr_caps *caps,
			      size_t caps_size);

static inline int ibv_query_comp_cntr_caps(struct ibv_context *from,
					   struct ibv_comp_cntr_caps *caps)
{
	return _ibv_query_comp_cntr_caps(from, caps, sizeof *caps);
}
#endif

#endif
