/* SPDX-License-Identifier: MIT */
/* The names of constants in verbs.h and rdma_cma.h, each with its meaning: the table of calls has
 * the names alone. */
#include <ctype.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "objects.h"
#include "words.h"

const struct word mr_access_words[] = {
	{ "LOCAL_WRITE", IBV_ACCESS_LOCAL_WRITE,
	  "the device may write: RECV, READ and atomic results" },
	{ "REMOTE_WRITE", IBV_ACCESS_REMOTE_WRITE, "peers may RDMA WRITE (needs LOCAL_WRITE)" },
	{ "REMOTE_READ", IBV_ACCESS_REMOTE_READ, "peers may RDMA READ" },
	{ "REMOTE_ATOMIC", IBV_ACCESS_REMOTE_ATOMIC, "peers may use atomics (needs LOCAL_WRITE)" },
	{ "MW_BIND", IBV_ACCESS_MW_BIND, "memory windows may be bound to it" },
	{ "ZERO_BASED", IBV_ACCESS_ZERO_BASED, "addresses are offsets from its start" },
	{ "ON_DEMAND", IBV_ACCESS_ON_DEMAND, "pages are not pinned: on-demand paging" },
	{ "HUGETLB", IBV_ACCESS_HUGETLB, "huge pages, with ON_DEMAND" },
	{ "FLUSH_GLOBAL", 1 << 8, "peers may flush what they wrote, so that all can see it" },
	{ "FLUSH_PERSISTENT", 1 << 9, "peers may flush into persistent memory" },
	{ "RELAXED_ORDERING", IBV_ACCESS_RELAXED_ORDERING, "writes may pass each other" },
	{ 0 }
};

const struct word qp_access_words[] = {
	{ "NONE", 0, "no remote access" },
	{ "LOCAL_WRITE", IBV_ACCESS_LOCAL_WRITE, "ignored on a QP" },
	{ "REMOTE_WRITE", IBV_ACCESS_REMOTE_WRITE, "the peer may RDMA WRITE" },
	{ "REMOTE_READ", IBV_ACCESS_REMOTE_READ, "the peer may RDMA READ" },
	{ "REMOTE_ATOMIC", IBV_ACCESS_REMOTE_ATOMIC, "the peer may use atomics" },
	{ "ZERO_BASED", IBV_ACCESS_ZERO_BASED, "for memory windows" },
	{ 0 }
};

const struct word qp_type_words[] = { { "RC", IBV_QPT_RC, "reliable connection" },
				      { "UC", IBV_QPT_UC, "unreliable connection" },
				      { "UD", IBV_QPT_UD, "unreliable datagram" },
				      { 0 } };

const struct word qp_attr_words[] = {
	{ "STATE", IBV_QP_STATE, "the state to go to" },
	{ "CUR_STATE", IBV_QP_CUR_STATE, "the state that the QP is thought to be in" },
	{ "EN_SQD_ASYNC_NOTIFY", IBV_QP_EN_SQD_ASYNC_NOTIFY, "an event when SQD is drained" },
	{ "ACCESS_FLAGS", IBV_QP_ACCESS_FLAGS, "what the peer may do" },
	{ "PKEY_INDEX", IBV_QP_PKEY_INDEX, "which entry of the P_Key table" },
	{ "PORT", IBV_QP_PORT, "which port of the device" },
	{ "QKEY", IBV_QP_QKEY, "a key that each datagram must carry" },
	{ "AV", IBV_QP_AV, "address vector: the way to the peer" },
	{ "PATH_MTU", IBV_QP_PATH_MTU, "the largest packet" },
	{ "TIMEOUT", IBV_QP_TIMEOUT, "how long to wait for an acknowledgement" },
	{ "RETRY_CNT", IBV_QP_RETRY_CNT, "tries without an answer" },
	{ "RNR_RETRY", IBV_QP_RNR_RETRY, "tries when the peer has no RECV; 7: for ever" },
	{ "RQ_PSN", IBV_QP_RQ_PSN, "number of the first packet to come" },
	{ "MAX_QP_RD_ATOMIC", IBV_QP_MAX_QP_RD_ATOMIC, "READs and atomics in flight from here" },
	{ "ALT_PATH", IBV_QP_ALT_PATH, "alternate path" },
	{ "MIN_RNR_TIMER", IBV_QP_MIN_RNR_TIMER, "how long the peer waits when it found no RECV" },
	{ "SQ_PSN", IBV_QP_SQ_PSN, "number of the first packet to go" },
	{ "MAX_DEST_RD_ATOMIC", IBV_QP_MAX_DEST_RD_ATOMIC,
	  "READs and atomics of the peer at a time" },
	{ "PATH_MIG_STATE", IBV_QP_PATH_MIG_STATE, "state of path migration" },
	{ "CAP", IBV_QP_CAP, "sizes of the queues" },
	{ "DEST_QPN", IBV_QP_DEST_QPN, "number of the peer's QP" },
	{ "RATE_LIMIT", IBV_QP_RATE_LIMIT, "how fast to send" },
	{ 0 }
};

const struct word qp_state_words[] = {
	{ "RESET", IBV_QPS_RESET, "posting is refused; packets are dropped" },
	{ "INIT", IBV_QPS_INIT, "RECVs may be posted; packets are dropped" },
	{ "RTR", IBV_QPS_RTR, "ready to receive: the peer is known and answered" },
	{ "RTS", IBV_QPS_RTS, "ready to send: everything works" },
	{ "SQD", IBV_QPS_SQD, "send queue drained: new sends wait" },
	{ "SQE", IBV_QPS_SQE, "send queue error (UC, UD): receives go on" },
	{ "ERR", IBV_QPS_ERR, "all work requests complete with WR_FLUSH_ERR" },
	{ 0 }
};

const struct word mig_state_words[] = { { "MIGRATED", IBV_MIG_MIGRATED, "on the primary path" },
					{ "REARM", IBV_MIG_REARM, "get ready to migrate" },
					{ "ARMED", IBV_MIG_ARMED,
					  "ready to migrate to the alternate path" },
					{ 0 } };

const struct word mtu_words[] = { { "256", IBV_MTU_256, NULL },	  { "512", IBV_MTU_512, NULL },
				  { "1024", IBV_MTU_1024, NULL }, { "2048", IBV_MTU_2048, NULL },
				  { "4096", IBV_MTU_4096, NULL }, { 0 } };

const struct word wc_status_words[] = {
	{ "SUCCESS", IBV_WC_SUCCESS, "done; earlier work requests of the same queue are done too" },
	{ "LOC_LEN_ERR", IBV_WC_LOC_LEN_ERR,
	  "the message is longer than the RECV buffer or the limit" },
	{ "LOC_QP_OP_ERR", IBV_WC_LOC_QP_OP_ERR, "the QP could not do this operation" },
	{ "LOC_EEC_OP_ERR", IBV_WC_LOC_EEC_OP_ERR, "reliable datagram only" },
	{ "LOC_PROT_ERR", IBV_WC_LOC_PROT_ERR,
	  "a buffer of this end is not valid: wrong lkey, range, PD or rights" },
	{ "WR_FLUSH_ERR", IBV_WC_WR_FLUSH_ERR,
	  "flushed because the QP is in ERR: look for what came first" },
	{ "MW_BIND_ERR", IBV_WC_MW_BIND_ERR, "the memory window could not be bound" },
	{ "BAD_RESP_ERR", IBV_WC_BAD_RESP_ERR, "the peer's response was not the expected one" },
	{ "LOC_ACCESS_ERR", IBV_WC_LOC_ACCESS_ERR,
	  "responder: protection error in a WRITE with immediate" },
	{ "REM_INV_REQ_ERR", IBV_WC_REM_INV_REQ_ERR,
	  "the peer refused the request: its RECV was too small, or its QP does not allow it" },
	{ "REM_ACCESS_ERR", IBV_WC_REM_ACCESS_ERR,
	  "the peer's device refused the address, the length or the key" },
	{ "REM_OP_ERR", IBV_WC_REM_OP_ERR,
	  "the peer could not complete it: its RECV buffer is not valid" },
	{ "RETRY_EXC_ERR", IBV_WC_RETRY_EXC_ERR, "the peer did not answer in retry_cnt tries" },
	{ "RNR_RETRY_EXC_ERR", IBV_WC_RNR_RETRY_EXC_ERR, "the peer posted no receive" },
	{ "LOC_RDD_VIOL_ERR", IBV_WC_LOC_RDD_VIOL_ERR, "reliable datagram only" },
	{ "REM_INV_RD_REQ_ERR", IBV_WC_REM_INV_RD_REQ_ERR, "reliable datagram only" },
	{ "REM_ABORT_ERR", IBV_WC_REM_ABORT_ERR, "the peer aborted the operation" },
	{ "INV_EECN_ERR", IBV_WC_INV_EECN_ERR, "reliable datagram only" },
	{ "INV_EEC_STATE_ERR", IBV_WC_INV_EEC_STATE_ERR, "reliable datagram only" },
	{ "FATAL_ERR", IBV_WC_FATAL_ERR, "transport or device failure" },
	{ "RESP_TIMEOUT_ERR", IBV_WC_RESP_TIMEOUT_ERR, "the response timed out" },
	{ "GENERAL_ERR", IBV_WC_GENERAL_ERR, "an error of no other kind" },
	{ "TM_ERR", IBV_WC_TM_ERR, "tag matching error" },
	{ "TM_RNDV_INCOMPLETE", IBV_WC_TM_RNDV_INCOMPLETE,
	  "tag matching: the rendezvous is not finished" },
	{ 0 }
};

const struct word wc_opcode_words[] = {
	{ "SEND", IBV_WC_SEND, "a SEND of this end" },
	{ "RDMA_WRITE", IBV_WC_RDMA_WRITE, "an RDMA WRITE of this end" },
	{ "RDMA_READ", IBV_WC_RDMA_READ, "an RDMA READ of this end" },
	{ "COMP_SWAP", IBV_WC_COMP_SWAP, "a compare and swap of this end" },
	{ "FETCH_ADD", IBV_WC_FETCH_ADD, "a fetch and add of this end" },
	{ "BIND_MW", IBV_WC_BIND_MW, "a memory window was bound" },
	{ "LOCAL_INV", IBV_WC_LOCAL_INV, "a key was made invalid" },
	{ "TSO", IBV_WC_TSO, "a packet with segmentation" },
	{ "FLUSH", 8, "a flush of this end" }, /* IBV_WC_FLUSH, which older headers do not have */
	{ "ATOMIC_WRITE", IBV_WC_ATOMIC_WRITE, "an atomic write of this end" },
	{ "RECV", IBV_WC_RECV, "a message of the peer" },
	{ "RECV_RDMA_WITH_IMM", IBV_WC_RECV_RDMA_WITH_IMM, "the peer's RDMA WRITE with immediate" },
	{ "TM_ADD", IBV_WC_TM_ADD, "tag matching: a tag was added" },
	{ "TM_DEL", IBV_WC_TM_DEL, "tag matching: a tag was removed" },
	{ "TM_SYNC", IBV_WC_TM_SYNC, "tag matching: the list is in step" },
	{ "TM_RECV", IBV_WC_TM_RECV, "tag matching: a message matched" },
	{ "TM_NO_TAG", IBV_WC_TM_NO_TAG, "tag matching: a message without a tag" },
	{ "DRIVER1", IBV_WC_DRIVER1, "of the vendor" },
	{ "DRIVER2", IBV_WC_DRIVER2, "of the vendor" },
	{ "DRIVER3", IBV_WC_DRIVER3, "of the vendor" },
	{ 0 }
};

const struct word wr_opcode_words[] = {
	{ "RDMA_WRITE", IBV_WR_RDMA_WRITE, "puts data into the peer's memory" },
	{ "RDMA_WRITE_WITH_IMM", IBV_WR_RDMA_WRITE_WITH_IMM,
	  "puts data into the peer's memory, and gives the peer a completion with 32 bits" },
	{ "SEND", IBV_WR_SEND, "a message into a RECV of the peer" },
	{ "SEND_WITH_IMM", IBV_WR_SEND_WITH_IMM, "a message with 32 bits more" },
	{ "RDMA_READ", IBV_WR_RDMA_READ, "gets data from the peer's memory" },
	{ "ATOMIC_CMP_AND_SWP", IBV_WR_ATOMIC_CMP_AND_SWP,
	  "compares 8 bytes at the peer, and swaps them when equal" },
	{ "ATOMIC_FETCH_AND_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD, "adds to 8 bytes at the peer" },
	{ "LOCAL_INV", IBV_WR_LOCAL_INV, "makes a key of this end invalid" },
	{ "BIND_MW", IBV_WR_BIND_MW, "binds a memory window of type 2" },
	{ "SEND_WITH_INV", IBV_WR_SEND_WITH_INV, "a message that makes a key of the peer invalid" },
	{ "TSO", IBV_WR_TSO, "a packet that the device cuts into segments" },
	{ "DRIVER1", IBV_WR_DRIVER1, "of the vendor" },
	{ "FLUSH", 14, "makes what was written visible, or persistent" }, /* IBV_WR_FLUSH */
	{ "ATOMIC_WRITE", IBV_WR_ATOMIC_WRITE, "writes 8 bytes at the peer as one" },
	{ 0 }
};

const struct word send_flag_words[] = {
	{ "FENCE", IBV_SEND_FENCE, "starts after all READs and atomics before it" },
	{ "SIGNALED", IBV_SEND_SIGNALED, "leaves a completion" },
	{ "SOLICITED", IBV_SEND_SOLICITED, "raises a solicited event at the peer" },
	{ "INLINE", IBV_SEND_INLINE, "the data is copied while posting" },
	{ "IP_CSUM", IBV_SEND_IP_CSUM, "the device fills in checksums" },
	{ 0 }
};

const struct word async_words[] = {
	{ "CQ_ERR", IBV_EVENT_CQ_ERR, "the CQ overran; it is unusable" },
	{ "QP_FATAL", IBV_EVENT_QP_FATAL, "the QP failed and is in ERR" },
	{ "QP_REQ_ERR", IBV_EVENT_QP_REQ_ERR, "the peer sent an invalid request" },
	{ "QP_ACCESS_ERR", IBV_EVENT_QP_ACCESS_ERR,
	  "the peer used a wrong address, key or right here" },
	{ "COMM_EST", IBV_EVENT_COMM_EST, "the first packet came while the QP was in RTR" },
	{ "SQ_DRAINED", IBV_EVENT_SQ_DRAINED, "the send queue is drained (SQD)" },
	{ "PATH_MIG", IBV_EVENT_PATH_MIG, "the QP uses its alternate path now" },
	{ "PATH_MIG_ERR", IBV_EVENT_PATH_MIG_ERR, "path migration failed" },
	{ "DEVICE_FATAL", IBV_EVENT_DEVICE_FATAL, "the device failed: close everything" },
	{ "PORT_ACTIVE", IBV_EVENT_PORT_ACTIVE, "the port came up" },
	{ "PORT_ERR", IBV_EVENT_PORT_ERR, "the port went down" },
	{ "LID_CHANGE", IBV_EVENT_LID_CHANGE, "the LID changed" },
	{ "PKEY_CHANGE", IBV_EVENT_PKEY_CHANGE, "the P_Key table changed" },
	{ "SM_CHANGE", IBV_EVENT_SM_CHANGE, "there is another subnet manager" },
	{ "SRQ_ERR", IBV_EVENT_SRQ_ERR, "the SRQ failed" },
	{ "SRQ_LIMIT_REACHED", IBV_EVENT_SRQ_LIMIT_REACHED,
	  "fewer RECVs than the limit are left in the SRQ" },
	{ "QP_LAST_WQE_REACHED", IBV_EVENT_QP_LAST_WQE_REACHED,
	  "a QP on an SRQ took its last RECV" },
	{ "CLIENT_REREGISTER", IBV_EVENT_CLIENT_REREGISTER,
	  "the subnet manager asks to register again" },
	{ "GID_CHANGE", IBV_EVENT_GID_CHANGE, "the GID table changed: an address came or went" },
	{ "WQ_FATAL", IBV_EVENT_WQ_FATAL, "a work queue failed" },
	{ "DEVICE_SPEED_CHANGE", 20, "a link of the device has another speed" },
	{ 0 }
};

const struct word cm_event_words[] = {
	{ "ADDR_RESOLVED", RDMA_CM_EVENT_ADDR_RESOLVED, "the address leads to a device" },
	{ "ADDR_ERROR", RDMA_CM_EVENT_ADDR_ERROR, "the address could not be resolved" },
	{ "ROUTE_RESOLVED", RDMA_CM_EVENT_ROUTE_RESOLVED, "there is a path to the peer" },
	{ "ROUTE_ERROR", RDMA_CM_EVENT_ROUTE_ERROR, "no path to the peer was found" },
	{ "CONNECT_REQUEST", RDMA_CM_EVENT_CONNECT_REQUEST, "a peer asks to connect" },
	{ "CONNECT_RESPONSE", RDMA_CM_EVENT_CONNECT_RESPONSE,
	  "the peer accepted; the QP is moved by hand" },
	{ "CONNECT_ERROR", RDMA_CM_EVENT_CONNECT_ERROR, "connecting failed" },
	{ "UNREACHABLE", RDMA_CM_EVENT_UNREACHABLE, "the peer does not answer" },
	{ "REJECTED", RDMA_CM_EVENT_REJECTED, "the peer refused" },
	{ "ESTABLISHED", RDMA_CM_EVENT_ESTABLISHED, "the connection is there" },
	{ "DISCONNECTED", RDMA_CM_EVENT_DISCONNECTED, "the connection is gone" },
	{ "DEVICE_REMOVAL", RDMA_CM_EVENT_DEVICE_REMOVAL, "the device goes away" },
	{ "MULTICAST_JOIN", RDMA_CM_EVENT_MULTICAST_JOIN, "the multicast group was joined" },
	{ "MULTICAST_ERROR", RDMA_CM_EVENT_MULTICAST_ERROR, "joining the multicast group failed" },
	{ "ADDR_CHANGE", RDMA_CM_EVENT_ADDR_CHANGE, "the address of the device changed" },
	{ "TIMEWAIT_EXIT", RDMA_CM_EVENT_TIMEWAIT_EXIT, "the QP may be used again" },
	{ "ADDRINFO_RESOLVED", 16, "the name was resolved" },
	{ "ADDRINFO_ERROR", 17, "the name could not be resolved" },
	{ "USER", 18, "an event of the program's own" },
	{ 0 }
};

const struct word rej_words[] = {
	{ "NO_QP", 1, "no QP is available" },
	{ "NO_EEC", 2, "no EE context is available" },
	{ "NO_RESOURCES", 3, "no resources are available" },
	{ "TIMEOUT", 4, "timed out" },
	{ "UNSUPPORTED", 5, "the request is not supported" },
	{ "INVALID_COMM_ID", 6, "invalid communication id" },
	{ "INVALID_COMM_INSTANCE", 7, "invalid communication instance" },
	{ "INVALID_SERVICE_ID", 8, "invalid service id: nobody listens on that port" },
	{ "INVALID_TRANSPORT_TYPE", 9, "invalid transport service type" },
	{ "STALE_CONN", 10, "stale connection: the peer still has the old one" },
	{ "RDC_NOT_EXIST", 11, "RDC does not exist" },
	{ "INVALID_GID", 12, "invalid primary GID" },
	{ "INVALID_LID", 13, "invalid primary LID" },
	{ "INVALID_SL", 14, "invalid primary service level" },
	{ "INVALID_TRAFFIC_CLASS", 15, "invalid primary traffic class" },
	{ "INVALID_HOP_LIMIT", 16, "invalid primary hop limit" },
	{ "INVALID_PACKET_RATE", 17, "invalid primary packet rate" },
	{ "INVALID_ALT_GID", 18, "invalid alternate GID" },
	{ "INVALID_ALT_LID", 19, "invalid alternate LID" },
	{ "INVALID_ALT_SL", 20, "invalid alternate service level" },
	{ "INVALID_ALT_TRAFFIC_CLASS", 21, "invalid alternate traffic class" },
	{ "INVALID_ALT_HOP_LIMIT", 22, "invalid alternate hop limit" },
	{ "INVALID_ALT_PACKET_RATE", 23, "invalid alternate packet rate" },
	{ "PORT_CM_REDIRECT", 24, "port and CM redirection" },
	{ "PORT_REDIRECT", 25, "port redirection" },
	{ "INVALID_MTU", 26, "invalid path MTU" },
	{ "INSUFFICIENT_RESP_RESOURCES", 27, "insufficient responder resources" },
	{ "CONSUMER_DEFINED", 28, "the server program rejected it" },
	{ "INVALID_RNR_RETRY", 29, "invalid RNR retry count" },
	{ "DUPLICATE_LOCAL_COMM_ID", 30, "duplicate local communication id" },
	{ "INVALID_CLASS_VERSION", 31, "invalid class version" },
	{ "INVALID_FLOW_LABEL", 32, "invalid primary flow label" },
	{ "INVALID_ALT_FLOW_LABEL", 33, "invalid alternate flow label" },
	{ "VENDOR_OPTION_NOT_SUPPORTED", 35, "vendor option is not supported" },
	{ 0 }
};

const struct word ps_words[] = { { "TCP", RDMA_PS_TCP, "connected QPs, by TCP-like ports" },
				 { "UDP", RDMA_PS_UDP, "UD QPs, by UDP-like ports" },
				 { "IPOIB", RDMA_PS_IPOIB, "UD QPs that talk with IPoIB" },
				 { "IB", RDMA_PS_IB, "by InfiniBand service ids" },
				 { 0 } };

const struct word port_state_words[] = { { "NOP", IBV_PORT_NOP, NULL },
					 { "DOWN", IBV_PORT_DOWN, "no link" },
					 { "INIT", IBV_PORT_INIT,
					   "on InfiniBand: no subnet manager yet" },
					 { "ARMED", IBV_PORT_ARMED, NULL },
					 { "ACTIVE", IBV_PORT_ACTIVE, NULL },
					 { "ACTIVE_DEFER", IBV_PORT_ACTIVE_DEFER, NULL },
					 { 0 } };

const struct word gid_type_words[] = { { "IB", IBV_GID_TYPE_IB, NULL },
				       { "RoCEv1", IBV_GID_TYPE_ROCE_V1, NULL },
				       { "RoCEv2", IBV_GID_TYPE_ROCE_V2, NULL },
				       { 0 } };

const struct word id_state_words[] = { { "IDLE", ID_IDLE, NULL },
				       { "BOUND", ID_BOUND, NULL },
				       { "LISTENING", ID_LISTENING, NULL },
				       { "ADDR_RESOLVED", ID_ADDR_RESOLVED, NULL },
				       { "ROUTE_RESOLVED", ID_ROUTE_RESOLVED, NULL },
				       { "CONNECTING", ID_CONNECTING, NULL },
				       { "REQUEST", ID_REQUEST,
					 "a peer's request waits for accept or reject" },
				       { "ACCEPTING", ID_ACCEPTING, NULL },
				       { "ESTABLISHED", ID_ESTABLISHED, NULL },
				       { "DISCONNECTED", ID_DISCONNECTED, NULL },
				       { "ERROR", ID_ERROR, NULL },
				       { 0 } };

const struct word errno_words[] = {
	{ "EINVAL", EINVAL, "an argument, an attribute or a state that does not fit" },
	{ "ENOMEM", ENOMEM, "no room: a full queue, the limit of locked memory, or memory itself" },
	{ "EBUSY", EBUSY, "something still uses it" },
	{ "EPERM", EPERM, "a privilege is missing" },
	{ "EACCES", EACCES, "no right to the device's file" },
	{ "ENODEV", ENODEV, "no RDMA device, or none that leads there" },
	{ "ENOENT", ENOENT, "no such file or entry" },
	{ "ENOSYS", ENOSYS, "the driver does not do it" },
	{ "EOPNOTSUPP", EOPNOTSUPP, "the device does not do it" },
	{ "EAFNOSUPPORT", EAFNOSUPPORT, "an address of another family" },
	{ "EADDRINUSE", EADDRINUSE, "the port is in use" },
	{ "EADDRNOTAVAIL", EADDRNOTAVAIL, "not an address of this host, or the port is in use" },
	{ "ENODATA", ENODATA, "the entry of the table is empty" },
	{ "ENETUNREACH", ENETUNREACH, "no route" },
	{ "EHOSTUNREACH", EHOSTUNREACH, "no neighbour answers" },
	{ "ETIMEDOUT", ETIMEDOUT, "nobody answers" },
	{ "ECONNREFUSED", ECONNREFUSED, "nobody listens" },
	{ "ECONNRESET", ECONNRESET, "the peer ended the connection" },
	{ "EPROTO", EPROTO, "an answer that makes no sense" },
	{ "EAGAIN", EAGAIN, "nothing there now" },
	{ "EINTR", EINTR, "interrupted by a signal" },
	{ "EFAULT", EFAULT, "memory that is not there" },
	{ "ENOSPC", ENOSPC, "no room on the device" },
	{ "EMFILE", EMFILE, "too many open files" },
	{ "EMSGSIZE", EMSGSIZE, "too long" },
	{ "EISCONN", EISCONN, "connected already" },
	{ "ENOTCONN", ENOTCONN, "not connected" },
	{ 0 }
};

const struct word rule_words[] = {
	{ "VISIBILITY", RULE_VISIBILITY,
	  "when a program may look at memory that its peer writes to" },
	{ "BUFFERS", RULE_BUFFERS, "who may use the memory of a request before its completion" },
	{ "BYTE_ORDER", RULE_BYTE_ORDER,
	  "which numbers are in network order, which in the host's" },
	{ "ATOMICS", RULE_ATOMICS, "where atomics work, and with whom they are atomic" },
	{ "ORDER", RULE_ORDER, "what happens in the order of posting" },
	{ "UD_LENGTH", RULE_UD_LENGTH, "how long a datagram and its RECV may be" },
	{ "PRIVILEGED_QKEY", RULE_PRIVILEGED_QKEY, "a Q_Key with the highest bit set" },
	{ "DRAINING", RULE_DRAINING, "what comes before a QP is destroyed" },
	{ "DEAD_PEER", RULE_DEAD_PEER, "how to notice that the peer is gone" },
	{ "FORK", RULE_FORK, "processes that fork" },
	{ 0 }
};

const struct word term_words[] = {
	{ "PD", TERM_PD, "a fence: a QP can use only memory of its own PD" },
	{ "MR", TERM_MR, "memory of a program that its device may read or write" },
	{ "LKEY", TERM_LKEY, "names a memory region in the requests of its own program" },
	{ "RKEY", TERM_RKEY,
	  "names a memory region or window in the requests of a peer: who knows it may use it" },
	{ "MW", TERM_MW, "opens a part of a memory region to a peer, with an rkey of its own" },
	{ "QP", TERM_QP,
	  "one end of a connection: a queue of sends and a queue of receives, on which the device works" },
	{ "QPN", TERM_QPN, "names a QP on the wire: 24 bits" },
	{ "PSN", TERM_PSN, "numbers the packets of a QP: 24 bits" },
	{ "GID", TERM_GID, "the address of a port: 128 bits; on RoCE it is made of an IP address" },
	{ "CQ", TERM_CQ, "where the device puts a completion of what it has done" },
	{ "CHANNEL", TERM_CHANNEL, "wakes a program when a CQ has something" },
	{ "SRQ", TERM_SRQ, "a queue of receives that several QPs take from" },
	{ "AH", TERM_AH, "where a datagram goes: GID, port and the way there" },
	{ "WR", TERM_WR,
	  "what a program puts into a queue for the device to do: a SEND, a WRITE, a RECV ..." },
	{ "SGE", TERM_SGE, "one piece of memory of a work request: address, length, lkey" },
	{ "WC", TERM_WC, "tells how a work request has ended" },
	{ "ID", TERM_ID, "the connection manager's handle of a connection or a listener" },
	{ 0 }
};

const char *word_name(const struct word *words, uint64_t value)
{
	const char *name = args_word_name(words, value);

	return name ? name : temp_text("%llu", (unsigned long long)value);
}

const char *word_help(const struct word *words, uint64_t value)
{
	for (; words->name; words++)
		if (words->value == value)
			return words->help;
	return NULL;
}

char *word_flags(const struct word *words, uint64_t bits)
{
	SCOPED_TEXT(d);

	args_flag_names(words, bits, ",", &d);
	return temp_text("%s", bits ? Tcl_DStringValue(&d) : "0");
}

char *word_typed(char *text)
{
	for (char *p = text; *p; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	return text;
}

const char *word_explain(const char *name)
{
	static const struct word *const tables[] = { wc_status_words, cm_event_words, async_words,
						     rej_words };

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct word *w = tables[i]; w->name; w++)
			if (strcmp(w->name, name) == 0)
				return w->help;
	return NULL;
}
