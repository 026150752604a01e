/* SPDX-License-Identifier: MIT */
/* Facts of what arrives: completions and their requests, asynchronous and CM events. */
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include "explain/facts.h"

static const char flushed[] = "the QP is in ERR: all that was posted comes back as WR_FLUSH_ERR";
static const char rd_only[] = "nothing of today's devices: reliable datagrams were never built";

const struct fact wc_status_facts[] = {
	{ IBV_WC_SUCCESS,
	  "the buffers of the request may be used again, and of a send those of all earlier ones too; "
	  "on UC and UD it says only that the message was sent",
	  "RDMA WRITE, READ and atomics leave no trace in a CQ of the peer", NULL,
	  "when the target may look: explain VISIBILITY", "ibv_poll_cq(3)", "explain/statuses" },
	{ IBV_WC_LOC_LEN_ERR,
	  "on a receive: the message did not fit; the QP is in ERR (rxe says LOC_QP_OP_ERR)",
	  "the sender gets REM_INV_REQ_ERR on RC (from rxe REM_OP_ERR), SUCCESS on UC and UD",
	  "the RECV's buffers are smaller than the message\n"
	  "a send longer than the port's largest message\n"
	  "UC, and UD without room for the 40 bytes of the GRH: uroce0 drops the message without a "
	  "word, cards may say LOC_LEN_ERR",
	  "post recv with larger buffers, agree on a largest message\n"
	  "UD: 40 bytes more than the largest message; explain UD_LENGTH",
	  "volume 1, 11.6.2 Local Length Error", "explain/statuses" },
	{ IBV_WC_LOC_QP_OP_ERR, flushed, "nothing, or a connection that does not answer",
	  "an opcode that the QP's type does not have\n"
	  "an inline request larger than the device can carry\n"
	  "rxe: also a wrong lkey, and a RECV that is too small or whose buffer is not valid",
	  "compare the opcode with the QP's type: explain OPCODE\n"
	  "show the limits of the QP: qp-state\n"
	  "rxe: compare the SGEs with their regions: get MR addr, length, lkey",
	  "volume 1, 11.6.2 Local QP Operation Error", "explain/statuses" },
	{ IBV_WC_LOC_EEC_OP_ERR, rd_only, NULL, NULL, NULL,
	  "volume 1, 11.6.2 Local EE Context Operation Error", NULL },
	{ IBV_WC_LOC_PROT_ERR,
	  "the device refused a buffer of this end, and the QP is in ERR; of a long message earlier "
	  "packets may have gone",
	  "of a send: nothing, or the beginning of the data; of a RECV: the sender gets REM_OP_ERR",
	  "the lkey is wrong, of a region that is gone, or of another PD\n"
	  "the address range leaves the region\n"
	  "a buffer that the device must write (RECV, READ, atomic) without LOCAL_WRITE\n"
	  "rxe says LOC_QP_OP_ERR of a wrong lkey",
	  "compare the SGE with the region: get MR addr, length, lkey\n"
	  "reg with -access local-write what is received into or read into",
	  "volume 1, 11.6.2 Local Protection Error", "explain/statuses" },
	{ IBV_WC_WR_FLUSH_ERR,
	  "the request was never tried, or was in flight when the QP went to ERR", NULL,
	  "an earlier completion with another status (look for the first one)\n"
	  "the peer, or this end, disconnected while requests were outstanding\n"
	  "modify-qp ERR; an async event QP_FATAL or QP_ACCESS_ERR",
	  "explain the first completion of this QP that is not WR_FLUSH_ERR: qp-state\n"
	  "wait for all completions before disconnect",
	  "volume 1, 11.6.2 Work Request Flushed Error", "explain/statuses" },
	{ IBV_WC_MW_BIND_ERR, flushed, "nothing",
	  "the region has no MW_BIND, or the window is to allow more than the region\n"
	  "the range leaves the region; the window and the region are of different PDs",
	  "reg with -access mw-bind,local-write", "volume 1, 11.6.2 Memory Window Bind Error",
	  "explain/statuses" },
	{ IBV_WC_BAD_RESP_ERR, flushed, "it may have done the operation",
	  "a response with an opcode or length that the request did not ask for",
	  "capture the wire: the peer's device is at fault", "volume 1, 11.6.2 Bad Response Error",
	  NULL },
	{ IBV_WC_LOC_ACCESS_ERR,
	  "of a RECV that an RDMA WRITE with immediate was to take; the QP is in ERR (rxe says "
	  "REM_ACCESS_ERR)",
	  "REM_ACCESS_ERR", "the peer wrote with a wrong key, range or right",
	  "send the peer the rkey of a region with REMOTE_WRITE",
	  "volume 1, 11.6.2 Local Access Error", "explain/statuses" },
	{ IBV_WC_REM_INV_REQ_ERR, flushed,
	  "its QP goes to ERR; a RECV that was too small: LOC_LEN_ERR",
	  "the peer's RECV is smaller than the message (from rxe: REM_OP_ERR)\n"
	  "an operation that the peer's QP does not do: -access of modify-qp, READs with "
	  "max_dest_rd_atomic 0\n"
	  "an atomic whose address is no multiple of 8\n"
	  "a path_mtu that is not the peer's",
	  "agree on the size of messages\n"
	  "the peer's modify-qp must allow it: -access, -max-dest-rd-atomic",
	  "volume 1, 11.6.2 Remote Invalid Request Error", "explain/statuses" },
	{ IBV_WC_REM_ACCESS_ERR, flushed,
	  "no completion; its QP goes to ERR, with an async event QP_ACCESS_ERR (not on rxe)",
	  "the rkey is wrong: stale, the lkey by mistake, of another PD\n"
	  "address and length leave the region\n"
	  "the region or the peer's QP does not allow the operation (both must)\n"
	  "a memory window that is not bound, or bound anew",
	  "compare with the peer: get MR addr, length, rkey\n"
	  "reg -access local-write,remote-write,remote-read and modify-qp -access at the peer",
	  "volume 1, 11.6.2 Remote Access Error", "explain/statuses" },
	{ IBV_WC_REM_OP_ERR, flushed,
	  "its RECV completes with LOC_PROT_ERR (on rxe LOC_QP_OP_ERR), and its QP goes to ERR",
	  "the peer's RECV buffer is not valid: its region is gone, the lkey or range is wrong\n"
	  "from rxe: also a RECV that is too small",
	  "look at the peer's first error completion", "volume 1, 11.6.2 Remote Operation Error",
	  "explain/statuses" },
	{ IBV_WC_RETRY_EXC_ERR, flushed,
	  "nothing, or an earlier error of its own: often its QP is in ERR, RESET or gone",
	  "the peer's QP is gone, in ERR, or not in RTR yet\n"
	  "a wrong QP number, PSN, GID or GID type; a path MTU that a switch does not carry\n"
	  "packets are lost: link, firewall on UDP 4791, congestion",
	  "ask the peer for its qp-state\n"
	  "compare dest_qpn, sq_psn with the peer's rq_psn, dgid and sgid_index: qp-info\n"
	  "a larger -timeout or -retry-cnt only helps against loss",
	  "volume 1, 11.6.2 Transport Retry Counter Exceeded; 9.7.6.1.3", "explain/statuses" },
	{ IBV_WC_RNR_RETRY_EXC_ERR, flushed, "nothing: there was no RECV to complete",
	  "the peer has posted no RECV for a SEND or an RDMA WRITE with immediate\n"
	  "rnr_retry is less than 7, which is for ever",
	  "post recv before connect or accept, or before telling the peer to send\n"
	  "-rnr-retry 7 at the peer's connect, listen or accept: each end says how often the other "
	  "tries\n"
	  "QPs that are joined by hand: modify-qp RTS -rnr-retry 7 here, -min-rnr-timer there",
	  "volume 1, 11.6.2 RNR Retry Counter Exceeded; 9.7.5.2.8", "explain/statuses" },
	{ IBV_WC_LOC_RDD_VIOL_ERR, rd_only, NULL, NULL, NULL,
	  "volume 1, 11.6.2 Local RDD Violation Error", NULL },
	{ IBV_WC_REM_INV_RD_REQ_ERR, rd_only, NULL, NULL, NULL,
	  "volume 1, 11.6.2 Remote Invalid RD Request", NULL },
	{ IBV_WC_REM_ABORT_ERR, flushed,
	  "it ended the operation, for instance by its SRQ's QP going to ERR",
	  "the peer's QP went to ERR in the middle of the operation", "look at the peer",
	  "volume 1, 11.6.2 Remote Aborted Error", NULL },
	{ IBV_WC_INV_EECN_ERR, rd_only, NULL, NULL, NULL,
	  "volume 1, 11.6.2 Invalid EE Context Number", NULL },
	{ IBV_WC_INV_EEC_STATE_ERR, rd_only, NULL, NULL, NULL,
	  "volume 1, 11.6.2 Invalid EE Context State", NULL },
	{ IBV_WC_FATAL_ERR, "the device does not work any more", "RETRY_EXC_ERR in time",
	  "a failure of the device or its driver", "the kernel's log: dmesg", "ibv_poll_cq(3)",
	  NULL },
	{ IBV_WC_RESP_TIMEOUT_ERR, flushed, NULL, "hardly any device uses it", NULL,
	  "ibv_poll_cq(3)", NULL },
	{ IBV_WC_GENERAL_ERR, flushed, NULL, "something that no other status says",
	  "vendor_err and the kernel's log may tell more", "ibv_poll_cq(3)", NULL },
	{ IBV_WC_TM_ERR, "a tag list operation failed", NULL,
	  "only on an SRQ with tag matching: the tag list was changed out of step",
	  "count the unexpected messages anew and try again", "ibv_post_srq_ops(3)", NULL },
	{ IBV_WC_TM_RNDV_INCOMPLETE, "the message was matched, its data is still to be read", NULL,
	  "only on an SRQ with tag matching: software must finish the rendezvous", NULL,
	  "ibv_create_srq_ex(3)", NULL },
	{ 0 }
};

const struct fact wc_opcode_facts[] = {
	{ IBV_WC_SEND,
	  "a SEND (also with immediate or invalidate) is done: on RC the peer's device has it all, "
	  "on UC and UD it was sent",
	  "a RECV completion; on UC and UD perhaps nothing", NULL, NULL, "ibv_poll_cq(3)",
	  "explain/requests" },
	{ IBV_WC_RDMA_WRITE, "on RC the peer's device has the data; on UC it was sent",
	  "nothing; with immediate: RECV_RDMA_WITH_IMM", NULL, NULL, "ibv_poll_cq(3)",
	  "explain/requests" },
	{ IBV_WC_RDMA_READ, "the data is in the local buffers; byte_len says how much", "nothing",
	  NULL, NULL, "ibv_poll_cq(3)", "explain/requests" },
	{ IBV_WC_COMP_SWAP, "the 8 bytes that were there before are in the local buffer", "nothing",
	  NULL, NULL, "ibv_poll_cq(3)", "explain/requests" },
	{ IBV_WC_FETCH_ADD, "the 8 bytes that were there before are in the local buffer", "nothing",
	  NULL, NULL, "ibv_poll_cq(3)", "explain/requests" },
	{ IBV_WC_BIND_MW, "the window is bound; its rkey may be given to the peer", "nothing", NULL,
	  NULL, "ibv_bind_mw(3)", "explain/requests" },
	{ IBV_WC_LOCAL_INV, "the key is invalid from now on", "REM_ACCESS_ERR when it uses the key",
	  NULL, NULL, "ibv_post_send(3)", "explain/requests" },
	{ IBV_WC_TSO, "a segmented packet was sent", NULL, NULL, NULL, "ibv_post_send(3)", NULL },
	{ 8, /* IBV_WC_FLUSH */ "what was written before is visible, or in persistent memory",
	  "nothing", NULL, NULL, "ibv_wr_post(3)", NULL },
	{ IBV_WC_ATOMIC_WRITE, "8 bytes were written as one", "nothing", NULL, NULL,
	  "ibv_wr_post(3)", NULL },
	{ IBV_WC_RECV,
	  "a message is in the buffers of the RECV; byte_len says how much (UD: with 40 for the GRH)",
	  "a SEND completion", NULL, NULL, "ibv_poll_cq(3)", "explain/requests" },
	{ IBV_WC_RECV_RDMA_WITH_IMM,
	  "the peer has written to memory; the RECV was used for the immediate only, its buffers are as before",
	  "an RDMA_WRITE completion", NULL, NULL, "ibv_poll_cq(3)", "explain/requests" },
	{ IBV_WC_TM_ADD, "a tag was added to the list", NULL, NULL, NULL, "ibv_post_srq_ops(3)",
	  NULL },
	{ IBV_WC_TM_DEL, "a tag was removed from the list", NULL, NULL, NULL, "ibv_post_srq_ops(3)",
	  NULL },
	{ IBV_WC_TM_SYNC, "the tag list is in step again", NULL, NULL, NULL, "ibv_post_srq_ops(3)",
	  NULL },
	{ IBV_WC_TM_RECV, "a message matched a tag", NULL, NULL, NULL, "ibv_create_srq_ex(3)",
	  NULL },
	{ IBV_WC_TM_NO_TAG, "a message that carries no tag", NULL, NULL, NULL,
	  "ibv_create_srq_ex(3)", NULL },
	{ IBV_WC_DRIVER1, "an operation of a vendor's own", NULL, NULL, NULL, "ibv_poll_cq(3)",
	  NULL },
	{ IBV_WC_DRIVER2, "an operation of a vendor's own", NULL, NULL, NULL, "ibv_poll_cq(3)",
	  NULL },
	{ IBV_WC_DRIVER3, "an operation of a vendor's own", NULL, NULL, NULL, "ibv_poll_cq(3)",
	  NULL },
	{ 0 }
};

/* Work requests: opcodes and flags of sends. ibv_post_send(3); volume 1, 10.8 and 11.4.1. */

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

/* Facts of events. The connection manager: its events, reasons of a reject, port spaces.
 * rdma_get_cm_event(3); volume 1, 12.6 and 12.6.7.2. */

static const char page[] = "rdma_get_cm_event(3)";
static const char reasons[] = "volume 1, 12.6.7.2";
static const char rejected[] = "REJECTED; the id cannot be used any more";
static const char routers[] = "InfiniBand only: a field of the path in the request";

const struct fact cm_event_facts[] = {
	{ RDMA_CM_EVENT_ADDR_RESOLVED, "the id has a device: make the QP, resolve the route", NULL,
	  NULL, "cm resolve-route", page, "explain/connection" },
	{ RDMA_CM_EVENT_ADDR_ERROR, "status is a negative errno", "nothing", NULL,
	  "gids shows the addresses that have a device\n!ip route get ADDRESS", page,
	  "explain/connection" },
	{ RDMA_CM_EVENT_ROUTE_RESOLVED, "the path is known: connect", NULL, NULL, "cm connect",
	  page, "explain/connection" },
	{ RDMA_CM_EVENT_ROUTE_ERROR, "status is a negative errno", "nothing",
	  "on InfiniBand the subnet administrator does not answer", "is a subnet manager running?",
	  page, NULL },
	{ RDMA_CM_EVENT_CONNECT_REQUEST, "a new id, with the peer's private data and depths",
	  "it waits: some 4 s, then asks again", NULL,
	  "qp create, post recv, then cm accept or cm reject", page, "explain/connection" },
	{ RDMA_CM_EVENT_CONNECT_RESPONSE, "the peer accepted; the QP was made without the id",
	  "it waits for the RTU", NULL, "modify-qp RTR, RTS by hand, then cm establish", page,
	  "explain/connection" },
	{ RDMA_CM_EVENT_CONNECT_ERROR, "status is a negative errno, or -1",
	  "it has accepted, and waits; REJECTED 28 when the id of this end is destroyed",
	  "moving the QP to RTR or RTS failed when the peer's answer was here\n"
	  "uroce0: the peer has disconnected before its answer was taken",
	  "qp-state; the attributes of connect", page, "explain/connection" },
	{ RDMA_CM_EVENT_UNREACHABLE,
	  "status -ETIMEDOUT, after a minute or more; UD: the SIDR status, 1: no such service",
	  "nothing, or a request that it does not answer",
	  "nobody answers at the address: no RDMA device, a firewall on UDP 4791\n"
	  "the program at the peer neither accepts nor rejects\n"
	  "the backlog of the listener is full: more requests wait than rdma_listen allows",
	  "!ping ADDRESS; rdmash on the other host: gids\nlook at the server; a larger backlog",
	  "rdma_get_cm_event(3), rdma_listen(3)", "explain/connection" },
	{ RDMA_CM_EVENT_REJECTED, "status is the reason of the reject, not an errno", "nothing",
	  "8: nobody listens on the port; 28: the program said no; 10: an old connection",
	  "explain rej STATUS", page, "explain/connection" },
	{ RDMA_CM_EVENT_ESTABLISHED, "the QP is in RTS", "the same", NULL, "post, poll", page,
	  "explain/connection" },
	{ RDMA_CM_EVENT_DISCONNECTED,
	  "where the peer left, the QP stays in RTS until this end calls rdma_disconnect, too; that "
	  "moves it to ERR and flushes it",
	  "its QP is in ERR and flushed; its own event comes when this end has answered",
	  "the peer disconnected, or its program ended while its system goes on\n"
	  "status -ETIMEDOUT: nobody answered this end's own disconnect\n"
	  "a host that is off or cut off sends nothing: no event comes (explain DEAD_PEER)",
	  "disconnect, then destroy the id", page, "explain/connection" },
	{ RDMA_CM_EVENT_DEVICE_REMOVAL, "all ids and QPs of the device must be destroyed",
	  "RETRY_EXC_ERR", "the device was unplugged or its driver unloaded", "destroy -cascade",
	  page, NULL },
	{ RDMA_CM_EVENT_MULTICAST_JOIN,
	  "QP number, Q_Key and address handle attributes of the group", "nothing", NULL,
	  "ah, post send -qpn 0xffffff", page, "explain/multicast" },
	{ RDMA_CM_EVENT_MULTICAST_ERROR, "status is a negative errno", "nothing",
	  "the group was left by the network, or could not be joined", "cm join again", page,
	  NULL },
	{ RDMA_CM_EVENT_ADDR_CHANGE, "a hint: the address moved to another interface", NULL,
	  "bonding failed over, or addresses were changed", "connect anew when it suits", page,
	  NULL },
	{ RDMA_CM_EVENT_TIMEWAIT_EXIT, "no old packets can come any more: the QP may be used again",
	  "the same", "some time after DISCONNECTED", NULL, page, "explain/connection" },
	{ 16, /* ADDRINFO_RESOLVED */ "rdma_query_addrinfo gives the addresses", NULL, NULL, NULL,
	  "rdma_resolve_addrinfo(3)", NULL },
	{ 17, /* ADDRINFO_ERROR */ "status is a negative errno", NULL,
	  "the service or the name is not known", NULL, "rdma_resolve_addrinfo(3)", NULL },
	{ 18, /* USER */ "an event that the program itself has written", NULL, NULL, NULL,
	  "rdma_write_cm_event(3)", NULL },
	{ 0 }
};

const struct fact_cause cm_event_causes[] = {
	{ RDMA_CM_EVENT_ADDR_ERROR, "ENODEV",
	  "no RDMA device belongs to the interface that leads there" },
	{ RDMA_CM_EVENT_ADDR_ERROR, "ETIMEDOUT, EHOSTUNREACH, ENETUNREACH",
	  "no neighbour or no route" },
	{ 0 }
};

const struct fact rej_facts[] = {
	{ 1, rejected, NULL, "the peer's program or device has no QP for it", "look at the server",
	  reasons, "explain/rejects" },
	{ 2, rejected, NULL, "reliable datagrams, which nobody has", NULL, reasons,
	  "explain/rejects" },
	{ 3, rejected, NULL, "the peer has no memory or no room for the connection",
	  "limits and memory of the peer", reasons, "explain/rejects" },
	{ 4, "seen at the server: REJECTED after rdma_accept, or rdma_accept fails",
	  "it destroyed its id, or its time was over",
	  "the client gave up before the server accepted", "accept sooner; look at the client",
	  "volume 1, 12.6.7.2; cm_destroy_id() in drivers/infiniband/core/cm.c",
	  "explain/connection" },
	{ 5, rejected, NULL, "the peer's connection manager cannot do what was asked", NULL,
	  reasons, "explain/rejects" },
	{ 6, rejected, NULL, "an answer that belongs to no request: late or forged",
	  "connect again", reasons, "explain/rejects" },
	{ 7, rejected, NULL, "an answer that belongs to no request", NULL, reasons,
	  "explain/rejects" },
	{ 8, rejected, "nothing: no program hears of it",
	  "nobody listens on that port, in that port space, on that address of the peer",
	  "start the server; compare its address and port; TCP and UDP ports are different spaces",
	  reasons, "explain/connection" },
	{ 9, rejected, NULL, "an RC id against a UD listener or the like", "use the same QP type",
	  reasons, "explain/rejects" },
	{ 10, rejected, "it ends the old connection",
	  "the peer still has a connection with this QP number: after a crash, or in time-wait",
	  "wait, and connect again with a new QP", reasons, "explain/connection" },
	{ 11, rejected, NULL, "reliable datagrams, which nobody has", NULL, reasons,
	  "explain/rejects" },
	{ 12, rejected, NULL,
	  "the peer's device has no such GID, or none of this type: RoCE v1 against v2, an address "
	  "that has just changed",
	  "gids on both ends", reasons, "explain/rejects" },
	{ 13, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 14, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 15, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 16, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 17, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 18, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 19, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 20, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 21, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 22, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 23, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 24, rejected, NULL, "the service is at another port, which the reject names", NULL,
	  reasons, "explain/rejects" },
	{ 25, rejected, NULL, "the service is at another port, which the reject names", NULL,
	  reasons, "explain/rejects" },
	{ 26, rejected, NULL, "the peer cannot do the path MTU of the request", "a smaller MTU",
	  reasons, "explain/rejects" },
	{ 27, rejected, NULL, "initiator_depth asks for more than the peer's responder_resources",
	  "connect -initiator-depth 1", reasons, "explain/rejects" },
	{ 28, rejected, "its program called rdma_reject, or ended before it accepted",
	  "the program does not want the connection, or failed while it made its QP",
	  "the private data may say why; look at the server", reasons, "explain/connection" },
	{ 29, rejected, NULL, "the RNR retry count of the accept is not valid", NULL, reasons,
	  "explain/rejects" },
	{ 30, rejected, NULL, "a communication id that is in use", "connect again", reasons,
	  "explain/rejects" },
	{ 31, rejected, NULL, "another version of the CM protocol", NULL, reasons,
	  "explain/rejects" },
	{ 32, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 33, rejected, NULL, routers, NULL, reasons, "explain/rejects" },
	{ 35, rejected, NULL, "enhanced connection establishment (ECE) that the peer does not know",
	  "rdma_set_local_ece(3) of the other end", "rdma_reject_ece(3)", "explain/connection" },
	{ 0 }
};

const struct fact port_space_facts[] = {
	{ RDMA_PS_TCP, "ports of RC connections, apart from those of TCP itself", NULL, NULL, NULL,
	  "rdma_create_id(3)", "explain/connection" },
	{ RDMA_PS_UDP, "ports of UD services: a connect asks for QP number and Q_Key", NULL, NULL,
	  NULL, "rdma_create_id(3)", "explain/connection" },
	{ RDMA_PS_IPOIB, "datagrams together with IP over InfiniBand: multicast mostly", NULL,
	  "on RoCE rdma_resolve_addr ends in ADDR_ERROR, EINVAL (uroce0 takes it)", NULL,
	  "rdma_create_id(3)", "explain/connection" },
	{ RDMA_PS_IB, "any InfiniBand service, by 64 bit ids; also on RoCE, with ports of its own",
	  NULL, NULL, NULL, "rdma_create_id(3)", "explain/connection" },
	{ 0 }
};

/* Asynchronous events. ibv_get_async_event(3); volume 1, 11.6.3. */

static const char async_page[] = "ibv_get_async_event(3)";
static const char subnet[] = "the subnet manager, or an administrator, changed it";

const struct fact async_facts[] = {
	{ IBV_EVENT_CQ_ERR, "completions are lost; the QPs of the CQ go to ERR",
	  "RETRY_EXC_ERR, or its own flush errors",
	  "more completions than the CQ has entries: it was not polled, or made too small",
	  "cq N with N the sum of all queues that complete there\npoll before posting more",
	  "volume 1, 11.6.3.2 CQ Error", "explain/events" },
	{ IBV_EVENT_QP_FATAL, "the QP is in ERR; its requests are flushed", "RETRY_EXC_ERR",
	  "its CQ overran\na failure that belongs to no work request",
	  "destroy the QP and make it anew",
	  "volume 1, 11.6.3.2 Local Work Queue Catastrophic Error", "explain/events" },
	{ IBV_EVENT_QP_REQ_ERR,
	  "the QP is in ERR; it had posted nothing that could complete (rxe raises no event)",
	  "REM_INV_REQ_ERR", "the peer sent a request that this QP does not do",
	  "ask the peer what it posted; compare with qp-state here",
	  "volume 1, 11.6.3.2 Invalid Request Local Work Queue Error", "explain/events" },
	{ IBV_EVENT_QP_ACCESS_ERR, "the QP is in ERR (rxe raises no event)", "REM_ACCESS_ERR",
	  "the peer's key, address, length or operation is not allowed here",
	  "tell the peer the right rkey, address and length\nreg and modify-qp with the rights it needs",
	  "volume 1, 11.6.3.2 Local Access Violation Work Queue Error", "explain/events" },
	{ IBV_EVENT_COMM_EST, "the first packet came while the QP was in RTR (rxe raises no event)",
	  NULL, "the peer was faster than the CM's RTU message", "cm notify, or modify-qp RTS",
	  async_page, "explain/events" },
	{ IBV_EVENT_SQ_DRAINED, "all that was in flight is done: attributes of SQD may be changed",
	  NULL, "modify-qp SQD with en_sqd_async_notify", "modify-qp RTS goes on", async_page,
	  "explain/queue-pairs" },
	{ IBV_EVENT_PATH_MIG, "the alternate path is the primary one now",
	  "the same, a little later", "automatic path migration, InfiniBand only",
	  "load a new alternate path", async_page, NULL },
	{ IBV_EVENT_PATH_MIG_ERR, "the QP stays on its path", NULL,
	  "the alternate path is not usable", NULL, async_page, NULL },
	{ IBV_EVENT_DEVICE_FATAL, "nothing works any more; only destroying does", "RETRY_EXC_ERR",
	  "the device or its driver failed", "dmesg; destroy all and open the device anew",
	  async_page, NULL },
	{ IBV_EVENT_PORT_ACTIVE, "the port can send and receive (uroce0 raises GID_CHANGE only)",
	  NULL, "the link came up", NULL, async_page, "explain/network" },
	{ IBV_EVENT_PORT_ERR, "sends end in RETRY_EXC_ERR in time", "the same",
	  "the link went down", "!ip link; the cable, the switch", async_page, "explain/network" },
	{ IBV_EVENT_LID_CHANGE, "address handles and QPs with the old LID do not work", NULL,
	  subnet, "read the port anew: ports", async_page, NULL },
	{ IBV_EVENT_PKEY_CHANGE, "a P_Key index may mean another partition", NULL, subnet, "pkeys",
	  async_page, NULL },
	{ IBV_EVENT_SM_CHANGE, "another subnet manager", NULL, subnet, NULL, async_page, NULL },
	{ IBV_EVENT_SRQ_ERR, "the SRQ takes no RECVs any more", NULL, "a failure of the device",
	  "destroy the SRQ and its QPs", async_page, NULL },
	{ IBV_EVENT_SRQ_LIMIT_REACHED, "once, and then the limit is 0", NULL,
	  "fewer RECVs are left in the SRQ than the limit that was set",
	  "post RECVs, and set the limit again: call ibv_modify_srq srq0 {srq_limit 2} LIMIT",
	  async_page, "explain/events" },
	{ IBV_EVENT_QP_LAST_WQE_REACHED, "a QP in ERR will take no more RECVs of its SRQ", NULL,
	  "the QP was moved to ERR", "poll until empty, then destroy the QP", async_page,
	  "explain/events" },
	{ IBV_EVENT_CLIENT_REREGISTER, "subscriptions and multicast memberships must be renewed",
	  NULL, subnet, NULL, async_page, NULL },
	{ IBV_EVENT_GID_CHANGE, "an index of the GID table may mean another address", NULL,
	  "an address of the network interface was added or removed", "gids", async_page,
	  "explain/network" },
	{ IBV_EVENT_WQ_FATAL, "the work queue (RSS) does not work any more", NULL,
	  "a failure of the device", NULL, async_page, NULL },
	{ 20, /* IBV_EVENT_DEVICE_SPEED_CHANGE */ "rates and timeouts may be chosen anew", NULL,
	  "a link of the device came up with another speed", "ports", async_page, NULL },
	{ 0 }
};
