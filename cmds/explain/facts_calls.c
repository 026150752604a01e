/* SPDX-License-Identifier: MIT */
/*
 * Facts of calls: errnos, for which strerror(3) often says something beside the point; attributes,
 * states and types of QPs; rules of the specification.
 */
#include <errno.h>
#include <fnmatch.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "explain/facts.h"
#include "words.h"

const struct fact errno_facts[] = {
	{ EINVAL, NULL, NULL, NULL,
	  "modify-qp checks against the state table before it calls\ndevice shows the limits",
	  "ibv_modify_qp(3)", "explain/errnos" },
	{ ENOMEM, NULL, NULL, NULL,
	  "poll; signal some of the requests\nulimit -l unlimited, or LimitMEMLOCK= of the service",
	  "ibv_post_send(3), setrlimit(2)", "explain/errnos" },
	{ EBUSY, NULL, NULL, NULL, "destroy NAME -cascade; show tells who uses what",
	  "ibv_dealloc_pd(3)", "explain/errnos" },
	{ EPERM, NULL, NULL, NULL, "CAP_NET_RAW; explain PRIVILEGED_QKEY",
	  "rdma-system(8); modify_qp() in drivers/infiniband/core/uverbs_cmd.c", "explain/system" },
	{ EACCES, NULL, NULL, NULL, "the group rdma; a udev rule\n!ip route get ADDRESS",
	  "udev(7), ip-route(8)", "explain/system" },
	{ ENODEV, NULL, NULL, NULL,
	  "devices; rdma link add rxe0 type rxe netdev NETDEV; or --device uroce0",
	  "rdma_resolve_addr(3)", "explain/errnos" },
	{ ENOENT, NULL, NULL, NULL,
	  "docker run --device=/dev/infiniband/uverbs0 --device=/dev/infiniband/rdma_cm",
	  "ibv_open_device(3)", "explain/system" },
	{ ENOSYS, NULL, NULL, "the driver does not do this verb", "device",
	  "ibv_query_device_ex(3)", NULL },
	{ EOPNOTSUPP, NULL, NULL, "the device or its driver does not do this", "device",
	  "ibv_query_device_ex(3)", "explain/errnos" },
	{ EAFNOSUPPORT, NULL, NULL, NULL,
	  "an IPv4 address on an id that is bound to an IPv6 one, or the other way: EINVAL",
	  "rdma_bind_addr_dst() in drivers/infiniband/core/cma.c", NULL },
	{ EADDRINUSE, NULL, NULL, NULL,
	  "another port; !ss does not show RDMA ports: !rdma resource show cm_id, on uroce0 !uroce status",
	  "rdma_bind_addr(3)", "explain/errnos" },
	{ EADDRNOTAVAIL, NULL, NULL, NULL, "gids; another port", "rdma_bind_addr(3)",
	  "explain/errnos" },
	{ ENODATA, NULL, NULL, NULL, "gids", "ibv_modify_qp(3)", "explain/errnos" },
	{ ENETUNREACH, NULL, NULL, NULL,
	  "!ip route get ADDRESS\ngids: of the same network on both ends", "rdma_resolve_addr(3)",
	  "explain/errnos" },
	{ EHOSTUNREACH, NULL, NULL, "no neighbour answers for the address (mostly ETIMEDOUT)",
	  "!ip route get ADDRESS\n!ping ADDRESS", "rdma_resolve_addr(3), ip-route(8)",
	  "explain/system" },
	{ ETIMEDOUT, NULL, NULL, NULL,
	  "a GID of the same network on both ends: gids\n!ping ADDRESS", "ibv_modify_qp(3)",
	  "explain/errnos" },
	{ ECONNREFUSED, NULL, NULL, "iWARP: nobody listens\noob connect: no TCP server there",
	  "start the other end first", "rdma_connect(3)", "explain/errnos" },
	{ ECONNRESET, NULL, NULL, "iWARP, oob, tcp: the peer ended the connection",
	  "look at the peer", "rdma_connect(3), recv(2)", "explain/system" },
	{ EPROTO, NULL, NULL, "an answer of the peer that makes no sense",
	  "the other end is of another kind", "rdma_accept(3)", NULL },
	{ EAGAIN, NULL, NULL, "nothing there on a descriptor that does not block", NULL,
	  "ibv_get_cq_event(3)", NULL },
	{ EINTR, NULL, NULL, "a signal came in a waiting call", "call it again",
	  "ibv_get_cq_event(3)", NULL },
	{ EFAULT, NULL, NULL, NULL, NULL, "ibv_reg_mr(3)", "explain/system" },
	{ ENOSPC, NULL, NULL, "the device has no more of what was asked for",
	  "device shows the limits", "ibv_create_qp(3)", NULL },
	{ EMFILE, NULL, NULL, "too many open files: each channel and each device has some",
	  "ulimit -n", "ibv_create_comp_channel(3), rdma_create_event_channel(3)",
	  "explain/system" },
	{ EMSGSIZE, NULL, NULL, "a message longer than can be sent", NULL, "ibv_post_send(3)",
	  NULL },
	{ EISCONN, NULL, NULL, NULL, "nothing to do; a second rdma_connect on an id is EINVAL",
	  "rdma_notify(3)", "explain/errnos" },
	{ ENOTCONN, NULL, NULL,
	  "rsockets: rsend, rrecv, rgetpeername on a socket that is not connected",
	  "librdmacm's other calls say EINVAL for an id in the wrong state", "rsocket(7)", NULL },
	{ 0 }
};

const struct fact_cause errno_causes[] = {
	{ EINVAL, "ibv_modify_qp",
	  "an attribute is missing, or is not taken in this transition, or does not suit the "
	  "device or the path" },
	{ EINVAL, "ibv_create_qp", "a capability beyond the device's limits" },
	{ EINVAL, "ibv_reg_mr", "REMOTE_WRITE or REMOTE_ATOMIC without LOCAL_WRITE, length 0" },
	{ EINVAL, "ibv_post_send",
	  "an opcode that the QP does not have, too many SGEs, too much inline" },
	{ EINVAL, "ibv_post_send",
	  "a state before RTS: rxe0, uroce0, efa and hns say so; mlx5 ENOMEM, mlx4 and irdma nothing" },
	{ ENOMEM, "ibv_post_send, ibv_post_recv",
	  "the queue is full (unsignaled requests, a CQ that nobody polls)" },
	{ ENOMEM, "ibv_reg_mr, ibv_create_*", "the limit of locked memory, RLIMIT_MEMLOCK" },
	{ ENOMEM, "ibv_create_cq", "more entries than memory" },
	{ EBUSY, "ibv_dealloc_pd, ibv_dereg_mr, ibv_destroy_*", "something still uses the object" },
	{ EPERM, "ibv_modify_qp", "a privileged Q_Key (highest bit set)" },
	{ EPERM, "ibv_create_qp", "raw packets" },
	{ EACCES, "ibv_open_device, rdma_create_event_channel",
	  "no right to /dev/infiniband/uverbsN or rdma_cm" },
	{ EACCES, "rdma_resolve_addr", "a route of the kind prohibit" },
	{ ENOENT, "ibv_open_device, rdma_create_event_channel",
	  "the device's file is not there: in a container it was not passed in (libibverbs then lists "
	  "no device)" },
	{ ENODEV, "rdma_create_event_channel", "no RDMA device at all, or rdma_ucm is not loaded" },
	{ ENODEV, "rdma_resolve_addr, rdma_resolve_route",
	  "no device belongs to the interface that leads there (127.0.0.1 leads to one of uroce0 only)" },
	{ EAFNOSUPPORT, "rdma_bind_addr, rdma_resolve_addr",
	  "a family that is neither IPv4, IPv6 nor AF_IB" },
	{ EADDRINUSE, "rdma_bind_addr, rdma_listen", "another program listens on this port" },
	{ EADDRNOTAVAIL, "rdma_bind_addr", "no interface of this host has the address" },
	{ EADDRNOTAVAIL, "rdma_bind_addr", "the port is in use on the wildcard address" },
	{ ENODATA, "ibv_modify_qp", "the GID table has nothing at this sgid_index" },
	{ ENETUNREACH, "rdma_resolve_addr", "no route to the address" },
	{ ENETUNREACH, "ibv_modify_qp", "to RTR on RoCE: no route to the peer's GID" },
	{ EHOSTUNREACH, "rdma_resolve_addr", "a route of the kind unreachable" },
	{ ETIMEDOUT, "ibv_modify_qp", "to RTR on RoCE: no neighbour answers for the peer's GID" },
	{ ETIMEDOUT, "rdma_resolve_addr", "nobody answers" },
	{ EFAULT, "ibv_reg_mr", "the memory is not mapped, or not writable" },
	{ EISCONN, "rdma_notify", "the QP was connected already: harmless, nothing is to be done" },
	{ 0 }
};

bool fact_cause_is_of(const struct fact_cause *cause, const char *name)
{
	char *words = xstrdup(cause->of), *rest = words, *word;
	bool is_of = false;

	while (!is_of && (word = strsep(&rest, ", ")))
		is_of = fnmatch(word, name, 0) == 0;
	free(words);
	return is_of;
}

/* Facts of queue pairs and of rights. Queue pairs: types, states, attributes. ibv_modify_qp(3);
 * volume 1, 10.3.1 and 11.2.5.2. */

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
	  "a code for how long the peer waits before it sends again, when there is no RECV",
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
	{ IBV_ACCESS_ON_DEMAND,
	  "the limit of locked memory does not count, but there are page faults", NULL,
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
	{ IBV_ACCESS_RELAXED_ORDERING,
	  "faster on some hosts; a program must not wait for data by looking at memory", NULL,
	  "a device that does not know it ignores it", NULL, reg_page, "explain/rights" },
	{ 0 }
};

/* Rules that no constant of the headers stands for: what to know before the first error. */

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
	  "gets what the memory holds when the device sends it, or sends it again",
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
	  "on old kernels a process that writes to a page after fork gets a copy of it; the device goes on "
	  "with the old page, and the process does not see what arrives there",
	  "ibv_is_fork_initialized says UNNEEDED on kernels from 5.12 on\n"
	  "older ones: ibv_fork_init, before the first registration (EINVAL after it)\n"
	  "fork, then exec at once: that is safe, memory of the parent stays",
	  "ibv_fork_init(3), ibv_is_fork_initialized(3)", "explain/rules" },
	{ 0 }
};

/* In full: also the title of its objects. */
const char *fact_term_text(uint64_t value)
{
	static const char *const in_full[] = {
		[TERM_PD] = "protection domain",
		[TERM_MR] = "memory region",
		[TERM_LKEY] = "local key",
		[TERM_RKEY] = "remote key",
		[TERM_MW] = "memory window",
		[TERM_QP] = "queue pair",
		[TERM_QPN] = "queue pair number",
		[TERM_PSN] = "packet sequence number",
		[TERM_GID] = "global identifier",
		[TERM_CQ] = "completion queue",
		[TERM_CHANNEL] = "completion channel",
		[TERM_SRQ] = "shared receive queue",
		[TERM_AH] = "address handle",
		[TERM_WR] = "work request",
		[TERM_SGE] = "scatter/gather element",
		[TERM_WC] = "work completion",
		[TERM_ID] = "connection id",
	};

	return in_full[value];
}

/* here: who makes it; there: what the peer has to do with it. */
const struct fact term_facts[] = {
	{ TERM_PD, "pd makes one; reg, qp create, connect and accept do when there is none",
	  "nothing: each end has its own", NULL,
	  "lesson 1 shows it; show lists each, with what is in it", "ibv_alloc_pd(3)",
	  "explain/terms" },
	{ TERM_MR, "reg makes one: the pages stay in memory, and lkey and rkey name them",
	  "needs address and rkey for WRITE, READ and atomics; for a SEND nothing", NULL,
	  "lesson 2 shows it; get MR shows address, length, keys and access", "ibv_reg_mr(3)",
	  "explain/terms" },
	{ TERM_LKEY, "ibv_reg_mr gives it, and each SGE must carry it: post puts it there",
	  "nothing: it never leaves this end", NULL,
	  "get MR lkey; a wrong one ends in LOC_PROT_ERR, on rxe in LOC_QP_OP_ERR",
	  "ibv_reg_mr(3), ibv_post_send(3)", "explain/terms" },
	{ TERM_RKEY,
	  "ibv_reg_mr gives it with the region, or a bind with the window; the program must tell the "
	  "peer (listen -share does)",
	  "puts it, and an address, into each WRITE, READ and atomic; a SEND needs none", NULL,
	  "get MR rkey; post write -rkey N -remote ADDRESS\n"
	  "a wrong one, or a right that is missing, ends in REM_ACCESS_ERR",
	  "ibv_reg_mr(3), ibv_bind_mw(3), ibv_post_send(3)", "explain/terms" },
	{ TERM_MW,
	  "mw makes it, and post bind-mw or mw bind gives it a part of a region with MW_BIND, and rights",
	  "uses its rkey like that of a region, until it is bound anew or invalidated", NULL,
	  "help mw, explain BIND_MW", "ibv_alloc_mw(3), ibv_bind_mw(3)", "explain/terms" },
	{ TERM_QP,
	  "connect and accept make one, and move it to RTS; or qp create, which leaves it in RESET",
	  "has one of its own, and each knows the other's number", NULL,
	  "lesson 3 shows it; qp-state shows its state and what comes next\nexplain state, explain "
	  "qp-type",
	  "ibv_create_qp(3), ibv_modify_qp(3)", "explain/terms" },
	{ TERM_QPN, "the device gives it with the QP", "must know it: modify-qp RTR -dest-qpn",
	  NULL, "qp-info shows it; connect and accept tell it to the peer", "ibv_modify_qp(3)",
	  "explain/terms" },
	{ TERM_PSN,
	  "each end chooses its first one: modify-qp RTS -sq-psn; each packet has the next one",
	  "must know the first: modify-qp RTR -rq-psn", NULL,
	  "qp-info shows it; connect and accept tell it to the peer\nexplain RQ_PSN",
	  "ibv_modify_qp(3)", "explain/terms" },
	{ TERM_GID, "the port has a table of them", "must know one: modify-qp RTR -dgid", NULL,
	  "gids lists them; an index into the table names the one to send from", "ibv_query_gid(3)",
	  "explain/terms" },
	{ TERM_CQ, "cq makes one, or connect, accept and qp create do",
	  "nothing: each end has its own", NULL, "lesson 6 shows it; poll takes from it",
	  "ibv_create_cq(3), ibv_poll_cq(3)", "explain/terms" },
	{ TERM_CHANNEL, "cc makes one; cq -channel makes a CQ that uses it", "nothing", NULL,
	  "help arm, help cc", "ibv_create_comp_channel(3), ibv_get_cq_event(3)", "explain/terms" },
	{ TERM_SRQ, "srq makes one; qp create -srq makes a QP that takes its receives from there",
	  "does not notice it", NULL, "help srq", "ibv_create_srq(3)", "explain/terms" },
	{ TERM_AH, "ah makes one for a peer; each datagram names one, and the QP number beside it",
	  "nothing; its RECV tells the sender's GID, of which an AH for the answer is made", NULL,
	  "help ah; explain UD", "ibv_create_ah(3)", "explain/terms" },
	{ TERM_WR, "post makes one, with a wr_id; of a signaled one there comes a completion",
	  "of a SEND: takes it with a receive that is posted before", NULL,
	  "explain opcode, explain send-flag", "ibv_post_send(3), ibv_post_recv(3)",
	  "explain/terms" },
	{ TERM_SGE, "post makes one of a region, -sge several", "nothing: the pieces arrive as one",
	  NULL, "help post send", "ibv_post_send(3)", "explain/terms" },
	{ TERM_WC, "poll takes it from the CQ: wr_id, status, opcode, bytes",
	  "has its own, or none", NULL, "explain wc-status, explain wc-opcode", "ibv_poll_cq(3)",
	  "explain/terms" },
	{ TERM_ID, "listen and connect make it, and a listener makes one for each client",
	  "has one of its own", NULL, "show lists them; explain cm-event", "rdma_create_id(3)",
	  "explain/terms" },
	{ 0 }
};
