// SPDX-License-Identifier: MIT
/* Work requests: opcodes and flags of sends. ibv_post_send(3); volume 1, 10.8 and 11.4.1. */
#include <infiniband/verbs.h>

#include "explain/fact.h"

static const char post_send[] = "ibv_post_send(3)";
#define WITHOUT "on a QP without it: EINVAL when it is posted, on rxe LOC_QP_OP_ERR"

const struct fact wr_opcode_facts[] = {
	{ IBV_WR_RDMA_WRITE, "a completion RDMA_WRITE",
	  "no completion, no notice: memory has changed",
	  "RC, UC; the peer's region and QP must both have REMOTE_WRITE",
	  "to tell the peer: RDMA_WRITE_WITH_IMM, or a SEND behind it", post_send,
	  "explain/requests" },
	{ IBV_WR_RDMA_WRITE_WITH_IMM, "a completion RDMA_WRITE",
	  "a RECV is used up: RECV_RDMA_WITH_IMM with 32 bits in network order",
	  "RC, UC; without a RECV posted at the peer: RNR_RETRY_EXC_ERR (RC), or lost while the "
	  "sender sees SUCCESS (UC)",
	  NULL, post_send, "explain/requests" },
	{ IBV_WR_SEND, "a completion SEND", "a RECV is used up: a completion RECV",
	  "RC, UC, UD; without a RECV posted at the peer: RNR_RETRY_EXC_ERR (RC), or lost while the "
	  "sender sees SUCCESS (UC, UD)",
	  NULL, post_send, "explain/requests" },
	{ IBV_WR_SEND_WITH_IMM, "a completion SEND",
	  "a completion RECV with 32 bits in network order", "RC, UC, UD", NULL, post_send,
	  "explain/requests" },
	{ IBV_WR_RDMA_READ, "a completion RDMA_READ, the data is here", "nothing",
	  "RC only; the peer's region and QP must both have REMOTE_READ, the local region LOCAL_WRITE\n"
	  "max_rd_atomic here and max_dest_rd_atomic there must be more than 0",
	  NULL, post_send, "explain/requests" },
	{ IBV_WR_ATOMIC_CMP_AND_SWP,
	  "a completion COMP_SWAP; the old value is in the local 8 bytes", "nothing",
	  "RC only; REMOTE_ATOMIC in region and QP of the peer; an address that is a multiple of 8",
	  "alignment, byte order, atomic with whom: explain ATOMICS", post_send,
	  "explain/requests" },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD,
	  "a completion FETCH_ADD; the old value is in the local 8 bytes", "nothing",
	  "RC only; REMOTE_ATOMIC in region and QP of the peer; an address that is a multiple of 8",
	  "alignment, byte order, atomic with whom: explain ATOMICS", post_send,
	  "explain/requests" },
	{ IBV_WR_LOCAL_INV, "a completion LOCAL_INV: the key of a type 2 window is invalid",
	  "REM_ACCESS_ERR when it goes on using the key", "RC, UC", NULL, post_send,
	  "explain/requests" },
	{ IBV_WR_BIND_MW, "a completion BIND_MW: the type 2 window has its key", "nothing",
	  "RC, UC; the region needs MW_BIND", NULL, post_send, "explain/requests" },
	{ IBV_WR_SEND_WITH_INV, "a completion SEND",
	  "a completion RECV; the key named in it is invalid there",
	  "RC, UC; the key of a type 2 window of the peer", NULL, post_send, "explain/requests" },
	{ IBV_WR_TSO, "a completion TSO", NULL, "UD and raw packet QPs of some devices\n" WITHOUT,
	  NULL, post_send, "explain/requests" },
	{ IBV_WR_DRIVER1, "an operation of a vendor's own", NULL, WITHOUT, NULL, post_send,
	  "explain/requests" },
	{ 14, /* IBV_WR_FLUSH */ "a completion FLUSH: what was written is where it shall be",
	  "nothing",
	  "RC QPs and regions that were made for it: FLUSH_GLOBAL, FLUSH_PERSISTENT\n" WITHOUT,
	  NULL, "ibv_wr_post(3)", "explain/requests" },
	{ IBV_WR_ATOMIC_WRITE, "a completion ATOMIC_WRITE", "8 bytes change as one",
	  "RC QPs that were made for it: ibv_wr_post(3)\n" WITHOUT, NULL, "ibv_wr_post(3)",
	  "explain/requests" },
	{ 0 }
};

const struct fact send_flag_facts[] = {
	{ IBV_SEND_FENCE, "the request waits until all RDMA READs and atomics before it are done",
	  NULL, "what is sent depends on what was read", NULL, post_send, "explain/requests" },
	{ IBV_SEND_SIGNALED, "the request leaves a completion; without it only an error does", NULL,
	  "on most cards a queue of unsignaled requests fills, and ibv_post_send says ENOMEM; rxe0 "
	  "and uroce0 free a place when the peer has acknowledged",
	  "signal at least one of as many as the queue holds", post_send, "explain/requests" },
	{ IBV_SEND_SOLICITED, "nothing",
	  "an event on a CQ that is armed for solicited completions only", NULL, NULL, post_send,
	  "explain/requests" },
	{ IBV_SEND_INLINE,
	  "the data is copied while posting: no lkey needed, the buffer is free at once (else: explain "
	  "BUFFERS)",
	  NULL, "EINVAL or ENOMEM: more than max_inline_data of the QP",
	  "qp create -inline N; limits say what the device can", post_send, "explain/requests" },
	{ IBV_SEND_IP_CSUM, "the device fills in checksums of IP packets", NULL,
	  "UD with IPoIB and raw packet QPs only; else EINVAL, or it is ignored (rxe)", NULL,
	  post_send, "explain/requests" },
	{ 0 }
};
