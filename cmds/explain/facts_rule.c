// SPDX-License-Identifier: MIT
/* Rules that no constant of the headers stands for: what to know before the first error. */
#include "explain/facts.h"
#include "words.h"

const struct fact rule_facts[] = {
	{ RULE_VISIBILITY, "a completion of the writer says that the peer's device has the data",
	  "a completion says that data is in memory: of a RECV, or of an RDMA WRITE with immediate, for "
	  "all that the same QP wrote before",
	  "neither the order of the bytes of one message nor that of two WRITEs in memory is promised to "
	  "a program that only looks at memory",
	  "RDMA_WRITE_WITH_IMM, or a SEND behind the WRITE\n"
	  "to look at the last byte works on many machines, and is promised on none",
	  "volume 1, 9.5 Transaction Ordering; ibv_reg_mr(3), RELAXED_ORDERING", "explain/rules" },
	{ RULE_BUFFERS,
	  "until its completion a request owns its buffers: what is sent must not change, what is "
	  "received into must not be read, and neither may be freed",
	  "what has changed meanwhile is sent, and again other data when a packet is sent again",
	  "the device reads memory when it sends, not when the request is posted",
	  "poll before a buffer is used again; an unsignaled request is done when a later one is\n"
	  "-inline: the data is copied while posting",
	  "ibv_post_send(3)", "explain/rules" },
	{ RULE_BYTE_ORDER,
	  "imm_data is in network order: htonl(). Operands and results of atomics are numbers of the "
	  "host. All else is bytes, and no device converts them",
	  "imm_data is to be read with ntohl(); addresses and keys in private data are the programs' own "
	  "affair",
	  "42 sent without htonl() and read with ntohl() is 704643072",
	  "send and write numbers in network order: htonl(), htobe64()",
	  "ibv_post_send(3), ibv_poll_cq(3)", "explain/rules" },
	{ RULE_ATOMICS,
	  "8 bytes, at an address of the peer that is a multiple of 8; the old value comes into the "
	  "local 8 bytes",
	  "atomic_cap HCA: atomic among the operations of that device; GLOB: also with the processors of "
	  "its host; NONE: there are no atomics",
	  "an address that is not aligned: REM_INV_REQ_ERR, or EINVAL when it is posted (rxe)\n"
	  "a processor that changes the same 8 bytes, with HCA\n"
	  "the same memory by two devices",
	  "device shows atomic_cap\nlet the program use an atomic of its own device, too",
	  "ibv_query_device(3), ibv_wr_post(3)", "explain/rules" },
	{ RULE_ORDER,
	  "requests of a queue start in order and complete in order; READs and atomics are done only "
	  "when their answer is here",
	  "WRITEs and SENDs of one QP take effect in the order of posting; nothing orders two QPs",
	  "what is sent behind a READ may start before the data of the READ is here",
	  "FENCE on what depends on a READ or an atomic, or poll its completion first",
	  "volume 1, 9.5 Transaction Ordering and 10.8.3.3", "explain/rules" },
	{ RULE_UD_LENGTH,
	  "a message longer than the path MTU is not sent, and completes with SUCCESS",
	  "a RECV needs 40 bytes for the GRH before the data: with less, uroce0 drops the message, rxe "
	  "says LOC_QP_OP_ERR and its QP goes to ERR, some cards say LOC_LEN_ERR",
	  "a datagram is one packet",
	  "ports shows active_mtu\nRECVs of 40 bytes more than the message",
	  "volume 1, C10-93.1.1; rxe_requester() in drivers/infiniband/sw/rxe/rxe_req.c",
	  "explain/queue-pairs" },
	{ RULE_PRIVILEGED_QKEY,
	  "a QP may have it only with CAP_NET_RAW, else ibv_modify_qp says EPERM (uroce0 asks for no "
	  "privilege)",
	  "in a work request the highest bit means: the Q_Key of the sending QP instead (rxe sends what "
	  "stands there)",
	  "a Q_Key with the highest bit set, 0x80000000 and more, is privileged",
	  "another Q_Key; or CAP_NET_RAW, or rdma system set privileged-qkey on",
	  "IB_QP_SET_QKEY in include/rdma/ib_verbs.h; rdma-system(8)", "explain/rules" },
	{ RULE_DRAINING, "a QP in ERR gives back each request that is posted, as WR_FLUSH_ERR",
	  "nothing, until it sends: RETRY_EXC_ERR",
	  "a device may still write to buffers of a QP that is only forgotten; a destroyed QP may take "
	  "its completions with it",
	  "disconnect, or modify-qp ERR; poll until all that was posted is back; then destroy\n"
	  "on an SRQ: wait for QP_LAST_WQE_REACHED, then poll until empty",
	  "volume 1, 10.3.1; ibv_get_async_event(3); ib_drain_qp() in drivers/infiniband/core/verbs.c",
	  "explain/rules" },
	{ RULE_DEAD_PEER,
	  "an idle connection says nothing: a host that is off, or cut off, sends no DISCONNECTED",
	  NULL, "there is no keepalive: only a request finds out, by RETRY_EXC_ERR",
	  "post write without bytes from time to time: it needs no key and no RECV\n"
	  "or messages of the program's own; timeout and retry_cnt say how soon it is known: qp-state "
	  "-timing\n"
	  "a program that ends on a living host is told: its system sends the DISCONNECTED",
	  "volume 1, 9.7.6.1.3", "explain/rules" },
	{ RULE_FORK,
	  "objects of verbs belong to the process that made them: a child must not use them, nor close "
	  "them",
	  NULL,
	  "without precautions the parent's pages may be copied away from under the device (old kernels): "
	  "what arrives then lands in memory that nobody sees",
	  "ibv_is_fork_initialized says UNNEEDED on kernels from 5.12 on\n"
	  "older ones: ibv_fork_init, before the first registration (EINVAL after it)\n"
	  "fork, then exec at once: that is safe, memory of the parent stays",
	  "ibv_fork_init(3), ibv_is_fork_initialized(3)", "explain/rules" },
	{ 0 }
};
