/* SPDX-License-Identifier: MIT */
/* Facts of queue pairs and of rights. Queue pairs: types, states, attributes. ibv_modify_qp(3);
 * volume 1, 10.3.1 and 11.2.5.2. */
#include <infiniband/verbs.h>

#include "explain/facts.h"

static const char page[] = "ibv_modify_qp(3)";
static const char states[] = "volume 1, 10.3.1";
static const char states_of_cards[] =
	"volume 1, 10.3.1; post_send of the providers in rdma-core: _mlx5_post_send(), "
	"mlx4_post_send(), check_qp_send() of hns";
static const char rd_atomic[] = "EINVAL: more than the device has; more than the peer has: the "
				"peer refuses the READs that are too many";

const struct fact qp_state_facts[] = {
	{ IBV_QPS_RESET,
	  "post recv and post send are refused: EINVAL (rxe0, uroce0, efa, hns), ENOMEM for a send on "
	  "mlx5; mlx4 and irdma take them without a word",
	  "RETRY_EXC_ERR", "a new QP; modify-qp RESET forgets all that was posted",
	  "modify-qp INIT", states_of_cards, "explain/queue-pairs" },
	{ IBV_QPS_INIT,
	  "post recv works, nothing comes in; post send is refused (or taken without a word, as in "
	  "RESET)",
	  "RETRY_EXC_ERR", "port, P_Key and rights are known, the peer is not",
	  "modify-qp RTR -dest-qpn ... -rq-psn ...", states, "explain/queue-pairs" },
	{ IBV_QPS_RTR,
	  "requests of the peer are answered; post send is refused (or taken without a word, as in "
	  "RESET)",
	  NULL, "the peer, its PSN and the path are known", "modify-qp RTS -sq-psn ...", states,
	  "explain/queue-pairs" },
	{ IBV_QPS_RTS, "all works", NULL, NULL, NULL, states, "explain/queue-pairs" },
	{ IBV_QPS_SQD, "what was begun is finished, what is posted waits; RECVs go on", NULL,
	  "modify-qp SQD, to change attributes of a running QP", "modify-qp RTS goes on", states,
	  "explain/queue-pairs" },
	{ IBV_QPS_SQE, "sends are flushed, RECVs go on", NULL,
	  "a send of a UC or UD QP failed (hardware enters it, never modify-qp; rxe goes to ERR)",
	  "modify-qp RTS", states, "explain/queue-pairs" },
	{ IBV_QPS_ERR, "all that is posted completes with WR_FLUSH_ERR", "RETRY_EXC_ERR",
	  "a completion with an error, an async event, a disconnect, or modify-qp ERR",
	  "poll until empty; modify-qp RESET to begin anew, or destroy", states,
	  "explain/queue-pairs" },
	{ 0 }
};

const struct fact qp_type_facts[] = {
	{ IBV_QPT_RC, "reliable connection: all operations, acknowledged, in order, one peer", NULL,
	  NULL, NULL, "ibv_create_qp(3)", "explain/queue-pairs" },
	{ IBV_QPT_UC, "unreliable connection: SEND and RDMA WRITE, one peer; what is lost is lost",
	  "a message with a packet missing is dropped whole", NULL, NULL, "ibv_create_qp(3)",
	  "explain/queue-pairs" },
	{ IBV_QPT_UD, "unreliable datagram: SEND of at most an MTU to any peer, by address handle",
	  "40 bytes for the GRH come before the data", NULL, NULL, "ibv_create_qp(3)",
	  "explain/queue-pairs" },
	{ 0 }
};

const struct fact qp_attr_facts[] = {
	{ IBV_QP_STATE, "the state to go to; without it attributes of the present one change", NULL,
	  NULL, "explain RESET->INIT tells what a transition takes", page, "explain/queue-pairs" },
	{ IBV_QP_CUR_STATE,
	  "the kernel believes it: EINVAL only if there is no transition from that state with these "
	  "attributes. uroce0 compares, and says EINVAL when the QP is in another",
	  NULL, "only RTR, RTS, SQD, SQE may be named", NULL,
	  "ibv_modify_qp(3); ib_modify_qp_is_ok() in drivers/infiniband/core/verbs.c",
	  "explain/attributes" },
	{ IBV_QP_EN_SQD_ASYNC_NOTIFY, "SQ_DRAINED when the queue is drained", NULL,
	  "only RTS to SQD", NULL, page, "explain/queue-pairs" },
	{ IBV_QP_ACCESS_FLAGS, "what the peer may do through this QP",
	  "REM_INV_REQ_ERR for what the QP does not allow (REM_ACCESS_ERR from some cards)",
	  "the region's rights are not enough: both must allow it",
	  "modify-qp INIT -access remote-write,remote-read,remote-atomic", page,
	  "explain/attributes" },
	{ IBV_QP_PKEY_INDEX, "index, not key, of the partition",
	  "packets of another partition are dropped",
	  "on RoCE only index 0 is of use, the default partition 0xffff", "pkeys", page,
	  "explain/attributes" },
	{ IBV_QP_PORT, "counted from 1", NULL, "EINVAL: 0, or a port that the device does not have",
	  "ports", page, "explain/attributes" },
	{ IBV_QP_QKEY, "UD: datagrams with another Q_Key are dropped in silence",
	  "its send completes with SUCCESS all the same",
	  "both ends need the same; with the highest bit set it is privileged: explain "
	  "PRIVILEGED_QKEY",
	  "ids of port space UDP use 0x01234567", page, "explain/queue-pairs" },
	{ IBV_QP_AV, "the address of the peer", NULL,
	  "EINVAL on RoCE: is_global 0, an IPv4 GID against an IPv6 one\n"
	  "ENODATA: an empty sgid_index\n"
	  "ENETUNREACH, on rxe ETIMEDOUT: no route to that GID's address\n"
	  "ETIMEDOUT: no neighbour answers at that GID's address",
	  "gids: the index it recommends, on both ends of the same kind", page,
	  "explain/attributes" },
	{ IBV_QP_PATH_MTU, "larger messages are cut to it (RC, UC)",
	  "refuses packets of another MTU than its own: REM_INV_REQ_ERR here",
	  "the ends differ: messages of one small packet pass, others do not\n"
	  "larger than the port's active_mtu, which a driver may take\n"
	  "larger than what a switch on the way carries: large messages end in RETRY_EXC_ERR",
	  "the smaller active_mtu of both ends: ports", page, "explain/attributes" },
	{ IBV_QP_TIMEOUT, "4.096 us * 2^t until a packet is sent again; 0: never", NULL,
	  "too small: needless retries; too large: a dead peer is noticed late",
	  "14 (67 ms) is usual; qp-state tells what it amounts to", "volume 1, 9.7.6.1.3",
	  "explain/attributes" },
	{ IBV_QP_RETRY_CNT, "0 to 7 more tries before RETRY_EXC_ERR", NULL,
	  "the connection manager sets it for both ends to what connect named; that of accept is "
	  "ignored\n"
	  "rxe takes 7 as for ever",
	  NULL, "ibv_modify_qp(3), rdma_connect(3), rdma_accept(3)", "explain/attributes" },
	{ IBV_QP_RNR_RETRY, "0 to 6 more tries before RNR_RETRY_EXC_ERR; 7: for ever", NULL,
	  "the connection manager sets it to what the other end named in connect or accept\n"
	  "rxe counts retry_cnt down meanwhile: RETRY_EXC_ERR, unless that is 7, too",
	  NULL, "ibv_modify_qp(3), rdma_connect(3)", "explain/attributes" },
	{ IBV_QP_RQ_PSN, "the number of the first packet that is expected: the peer's sq_psn",
	  "RETRY_EXC_ERR when it differs; or on rxe SUCCESS, and nothing has arrived", "24 bits",
	  "qp-info on the other end", page, "explain/wrong-psn" },
	{ IBV_QP_MAX_QP_RD_ATOMIC,
	  "READs and atomics in flight from here; 0: none can be sent (on rxe they wait for ever)",
	  NULL, rd_atomic,
	  "the smaller of this end's max_qp_init_rd_atom and the peer's max_dest_rd_atomic", page,
	  "explain/attributes" },
	{ IBV_QP_ALT_PATH, "another path, for migration", NULL, "EINVAL on RoCE: InfiniBand only",
	  NULL, page, "explain/attributes" },
	{ IBV_QP_MIN_RNR_TIMER,
	  "how long the peer shall wait when there is no RECV; a code of a table",
	  "it waits at least so long", "0 is the longest: 655.36 ms", "12 is 0.64 ms",
	  "volume 1, 9.7.5.2.8", "explain/attributes" },
	{ IBV_QP_SQ_PSN, "the number of the first packet: the peer's rq_psn", NULL, "24 bits",
	  "qp-info on the other end", page, "explain/wrong-psn" },
	{ IBV_QP_MAX_DEST_RD_ATOMIC, "READs and atomics that this end answers at a time; 0: none",
	  "REM_INV_REQ_ERR for what is too much", rd_atomic, NULL, page, "explain/attributes" },
	{ IBV_QP_PATH_MIG_STATE, "automatic path migration: on RoCE nothing comes of it", NULL,
	  "InfiniBand only", NULL, page, "explain/attributes" },
	{ IBV_QP_CAP, "EINVAL: no transition takes it", NULL, "queues cannot be resized",
	  "qp create anew", page, "explain/attributes" },
	{ IBV_QP_DEST_QPN, "the peer's QP number", "RETRY_EXC_ERR when it is another's", "24 bits",
	  "qp-info on the other end", page, "explain/attributes" },
	{ IBV_QP_RATE_LIMIT, "raw packet QPs, kbit/s", NULL, "EOPNOTSUPP on software devices", NULL,
	  page, "explain/attributes" },
	{ 0 }
};

/* Rights of memory. ibv_reg_mr(3); volume 1, 10.6. Region and QP must both allow an access. */

static const char reg_page[] = "ibv_reg_mr(3)";
static const char without[] = "without it: REM_ACCESS_ERR at the peer, QP_ACCESS_ERR here";

const struct fact access_facts[] = {
	{ IBV_ACCESS_LOCAL_WRITE,
	  "without it: LOC_PROT_ERR for a RECV, a READ or an atomic into it", NULL,
	  "always needed with REMOTE_WRITE and REMOTE_ATOMIC, else ibv_reg_mr says EINVAL", NULL,
	  reg_page, "explain/rights" },
	{ IBV_ACCESS_REMOTE_WRITE, "the peer may RDMA WRITE", without,
	  "the QP needs it too: qp_access_flags", "reg -access local-write,remote-write", reg_page,
	  "explain/rights" },
	{ IBV_ACCESS_REMOTE_READ, "the peer may RDMA READ", without,
	  "the QP needs it too: qp_access_flags", "reg -access remote-read", reg_page,
	  "explain/rights" },
	{ IBV_ACCESS_REMOTE_ATOMIC, "the peer may use atomics", without,
	  "the QP needs it too: qp_access_flags", "reg -access local-write,remote-atomic", reg_page,
	  "explain/rights" },
	{ IBV_ACCESS_MW_BIND, "without it: MW_BIND_ERR, or bind refused", NULL,
	  "memory windows are bound to the region", NULL, reg_page, "explain/rights" },
	{ IBV_ACCESS_ZERO_BASED, "addresses of SGEs and of the peer begin with 0", NULL,
	  "rxe of Linux 6.1 ignores it: addresses stay what they are", NULL, reg_page,
	  "explain/rights" },
	{ IBV_ACCESS_ON_DEMAND, "no memlock limit, but reg_page faults", NULL,
	  "EOPNOTSUPP, on older kernels EINVAL: the device has no on-demand paging",
	  "device shows odp", reg_page, "explain/rights" },
	{ IBV_ACCESS_HUGETLB, "a promise: the memory is made of huge pages", NULL,
	  "only with ON_DEMAND; alone it is refused or ignored", NULL, reg_page, "explain/rights" },
	{ 1 << 8, /* IBV_ACCESS_FLUSH_GLOBAL */ "the peer may FLUSH: its data is visible to all",
	  without, "EOPNOTSUPP, on older kernels EINVAL: the device does not do it", NULL, reg_page,
	  "explain/rights" },
	{ 1 << 9, /* IBV_ACCESS_FLUSH_PERSISTENT */ "the peer may FLUSH into persistent memory",
	  without, "EOPNOTSUPP, on older kernels EINVAL: the device or the memory does not do it",
	  NULL, reg_page, "explain/rights" },
	{ IBV_ACCESS_RELAXED_ORDERING, "faster on some PCI hosts; poll memory no more", NULL,
	  "a device that does not know it ignores it", NULL, reg_page, "explain/rights" },
	{ 0 }
};
