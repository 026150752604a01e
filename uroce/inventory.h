/* SPDX-License-Identifier: MIT */
/*
 * The objects of a process on uroce0: its contexts, PDs, CQs, SRQs, regions, windows and QPs, as
 * they are at one moment; when and why QPs and CQs came to be so; QPs that are gone, and packets
 * that were dropped. Any process of the same user may ask for it, and changes nothing by that.
 *
 * Times are those of CLOCK_REALTIME in nanoseconds, as in uroce_tap(); 0: never.
 *
 * liburoce.so exports the functions; look them up with dlsym(). They need no device to be open.
 */
#ifndef UROCE_INVENTORY_H
#define UROCE_INVENTORY_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Objects are numbered in the order in which the process has made them, each kind from 0; vtrace
 * calls them by the same numbers. */
#define UROCE_NO_OBJECT UINT32_MAX

/* The bits of a QP number from here on say which process of the host it belongs to. */
#define UROCE_QPN_PROCESS_SHIFT 18

enum uroce_kind {
	UROCE_CONTEXT,
	UROCE_PD,
	UROCE_CQ,
	UROCE_SRQ,
	UROCE_MR,
	UROCE_MW,
	UROCE_QP,
	UROCE_GONE_QP,
	UROCE_DROP,
	UROCE_KINDS,
};

struct uroce_context_row {
	uint32_t number, channels;	 /* completion channels of it */
	char device[IBV_SYSFS_NAME_MAX]; /* what the process calls it: UROCE_DEVICES */
};

struct uroce_pd_row {
	uint32_t number, context;
};

struct uroce_cq_row {
	uint32_t number, context;
	uint32_t size, filled; /* completions that it has room for, and that wait in it */
	uint8_t channel;       /* it has one: */
	uint8_t armed;	       /* enum uroce_armed */
	uint8_t overrun;
	uint8_t reserved;
	uint32_t events;	 /* in its channel, that the program has not got */
	uint32_t unacknowledged; /* that it has got: ibv_ack_cq_events(3) */
	uint32_t lost;		 /* completions that did not fit */
	/* of the first of these: */
	uint64_t overrun_when, lost_wr_id;
	uint32_t lost_qpn;
	uint32_t most; /* that have waited in it at once */
};

/* The completions that make the next event in the channel of a CQ: ibv_req_notify_cq(3). */
enum uroce_armed {
	UROCE_UNARMED,	       /* nothing */
	UROCE_ARMED_SOLICITED, /* a solicited completion, or an error */
	UROCE_ARMED,	       /* any completion */
};

struct uroce_srq_row {
	uint32_t number, pd;
	uint32_t size, posted; /* receives that it has room for, and that wait in it */
	uint32_t oldest_len;   /* bytes of the first that will be taken */
	uint32_t limit;
};

struct uroce_mr_row {
	uint32_t number, pd;
	uint32_t lkey, rkey;
	uint64_t addr, len; /* addr: what addresses in it begin with */
	uint32_t access;    /* IBV_ACCESS_... */
	uint32_t windows;   /* bound to it */
};

struct uroce_mw_row {
	uint32_t number, pd;
	uint32_t rkey, type; /* enum ibv_mw_type */
	uint32_t mr, qp;     /* bound to; of type 2: by */
	uint64_t addr, len;  /* 0 unless it is bound */
	uint32_t access;
	uint32_t reserved;
};

/* Why a QP has gone to another state, and what value says in struct uroce_change. */
enum uroce_cause {
	UROCE_BY_PROGRAM, /* ibv_modify_qp(3): 0 */
	UROCE_BY_CM,	  /* a call of rdma_cm(7), for the program: 0 */
	UROCE_BY_SEND,	  /* a send request has failed: enum ibv_wc_status */
	UROCE_BY_RECV,	  /* a receive request has failed: enum ibv_wc_status */
	UROCE_BY_REFUSAL, /* it refused a request of the peer: enum uroce_refused */
	UROCE_BY_CQ,	  /* a CQ of it has overrun: the number of the CQ */
	UROCE_BY_CLOSE,	  /* ibv_close_device(3): 0 */
	UROCE_BY_FAILURE, /* the device has failed, on purpose: 0 */
	UROCE_CAUSES
};

/* A change of state. */
struct uroce_change {
	uint64_t when;
	uint64_t wr_id; /* of the request that has failed */
	uint32_t value;
	uint32_t psn;	  /* of the packet that was answered, or that was not */
	uint8_t from, to; /* enum ibv_qp_state */
	uint8_t cause;	  /* enum uroce_cause */
	uint8_t opcode;	  /* of the packet, as in the BTH */
	uint32_t reserved;
};

#define UROCE_CHANGES 8 /* of a QP are kept, the newest */

/* Why a responder does not carry out a request: volume 1, 9.7.4, 9.9.3. */
enum uroce_refused {
	UROCE_REFUSED_NOTHING,
	UROCE_REFUSED_INVALID,	   /* not in sequence, not allowed by the QP, of a wrong length */
	UROCE_REFUSED_TOO_LONG,	   /* for the receive */
	UROCE_REFUSED_ACCESS,	   /* R_Key, range, rights */
	UROCE_REFUSED_RECV_MEMORY, /* the receive's */
	UROCE_REFUSED_MEMORY,	   /* what the R_Key opens is not there any more */
	UROCE_REFUSED_NO_SRQ,	   /* XRC: there is none of the number, which is in rkey */
	UROCE_REFUSALS
};

/* The request of the peer that a QP has refused; all zero: none. */
struct uroce_refusal {
	uint64_t when;
	uint64_t va;		 /* WRITE, READ, atomic: what was asked for, */
	uint32_t rkey, len;	 /* and len bytes of it; a SEND: bytes of the packet. If the memory
				  * of the receive is at fault, va and rkey are those of its first SGE */
	uint32_t psn, recv_len;	 /* recv_len: bytes of the receive that was taken; 0: none was */
	uint8_t refused, opcode; /* enum uroce_refused; of the BTH */
	uint8_t recv_sges;	 /* of that receive, at most 255 */
	uint8_t has_key;	 /* a region or window had the key rkey then */
	uint8_t reserved[4];
};

struct uroce_qp_row {
	uint32_t number, qpn;
	uint32_t pd, send_cq, recv_cq, srq; /* or UROCE_NO_OBJECT */
	uint32_t type;			    /* enum ibv_qp_type */
	uint32_t sends, begun; /* requests that are not completed, and those of them on their way */
	uint32_t recvs;	       /* posted to its own queue */
	uint32_t recv_len; /* bytes of the next one; in ERR: of the last that was taken; 0: none */
	uint8_t sq_sig_all;
	uint8_t peer_is_here; /* the address of its peer is one of this host */
	uint8_t lacks_recv;   /* the peer's next request was refused for want of a receive */
	uint8_t reserved;
	uint64_t steps;		 /* of states, that it has made: uroce_step() */
	struct ibv_qp_attr attr; /* as ibv_query_qp(3) */
	/* The oldest of the requests that are begun, if there is one; how often it was repeated
	 * because nothing was heard of it or packets were lost, and because the peer had no receive
	 * (an RNR NAK); when for the first and the last time. */
	uint64_t oldest_wr_id;
	uint32_t oldest_opcode; /* enum ibv_wr_opcode */
	uint32_t retries, rnrs, reserved2;
	uint64_t retry_first, retry_last;
	/* RNR NAKs that it has sent, since it was last in RTR, as it had no receive */
	uint32_t rnrs_sent;
	uint32_t nchanges; /* of those below that there are, the oldest first */
	uint64_t rnr_sent_last;
	struct uroce_change changes[UROCE_CHANGES];
	struct uroce_refusal refusal;
};

/* A QP that was destroyed. */
struct uroce_gone_row {
	uint32_t number, qpn;
	uint32_t dest_qpn; /* 0: it was never connected */
	uint32_t state;	   /* enum ibv_qp_state: its last one */
	uint64_t when;
};

#define UROCE_GONE_QPS 64 /* are kept, the newest */

/* Why a packet was dropped; and what the two numbers in struct uroce_drop_row are: */
enum uroce_dropped {
	UROCE_DROP_QPN,	       /* no QP of that number and transport */
	UROCE_DROP_STATE,      /* the QP does not receive: its enum ibv_qp_state */
	UROCE_DROP_PKEY,       /* the P_Key in the packet, that of the port */
	UROCE_DROP_QKEY,       /* the Q_Key in the packet, that of the QP */
	UROCE_DROP_SOURCE,     /* it comes from another address than that of the QP's peer */
	UROCE_DROP_NO_RECV,    /* UD, UC: no receive is posted */
	UROCE_DROP_SHORT_RECV, /* UD, UC: bytes that came, with the 40 of a GRH if UD; those of the
				  receive */
	UROCE_DROP_MTU,	       /* UD: bytes that came; the MTU */
	UROCE_DROP_SEQUENCE,   /* UC: its PSN; the one expected */
	UROCE_DROP_UNASKED,    /* an answer to nothing that was asked */
	UROCE_DROPS
};

/* The packets to one QP number that were dropped for one reason: how many, when the first and the
 * last, and what the last was. */
struct uroce_drop_row {
	uint32_t number;
	uint32_t dropped; /* enum uroce_dropped */
	uint32_t qp;	  /* UROCE_NO_OBJECT: there is none of that number */
	uint32_t dest_qpn;
	uint64_t count, first, last;
	union ibv_gid src;
	uint32_t src_qpn;	   /* of a datagram; else 0 */
	uint32_t opcode, psn, len; /* as in the BTH; bytes of payload */
	uint32_t has, wants;	   /* see enum uroce_dropped */
};

#define UROCE_DROP_ROWS 64 /* are kept, the newest */

/* The bit for a step between two states. */
static inline uint64_t uroce_step(enum ibv_qp_state from, enum ibv_qp_state to)
{
	return UINT64_C(1) << (8 * (unsigned)from + (unsigned)to);
}

struct uroce_inventory {
	pid_t pid;
	struct {
		const void *rows; /* of the struct of this kind, n of them, by their numbers */
		uint32_t n;
		uint32_t total; /* that there are: more than n when not all are told */
	} kind[UROCE_KINDS];
};

/* Of a process, and of the one that a QP number belongs to (bits of it say which) on this host. To
 * be freed with free(3). NULL with errno: ENOENT: no such process is on uroce0 of this user and
 * network; ETIMEDOUT: it does not answer, as it is stopped; EPROTO: it answers otherwise, being of
 * another version. Waits up to half a second. */
struct uroce_inventory *uroce_inventory_of_process(pid_t pid);
struct uroce_inventory *uroce_inventory_of_qpn(uint32_t qpn);
/* Fills up to n entries with the ids of the processes that are on uroce0 of this user and network;
 * returns how many there are. */
unsigned uroce_inventory_processes(pid_t *pids, unsigned n);

#ifdef __cplusplus
}
#endif

#endif
