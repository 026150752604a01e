/* SPDX-License-Identifier: MIT */
/*
 * What a process has on uroce0: its contexts, PDs, CQs, SRQs, regions, windows and QPs, as they are
 * at one moment. Any process of the same user may ask for it, and changes nothing by that.
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
	UROCE_KINDS,
};

struct uroce_context_row {
	uint32_t number, channels; /* completion channels of it */
};

struct uroce_pd_row {
	uint32_t number, context;
};

struct uroce_cq_row {
	uint32_t number, context;
	uint32_t size, filled; /* completions that it has room for, and that wait in it */
	uint8_t channel;       /* it has one: */
	uint8_t armed;	       /* the next completion makes an event there */
	uint8_t overrun;
	uint8_t reserved[5];
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

struct uroce_qp_row {
	uint32_t number, qpn;
	uint32_t pd, send_cq, recv_cq, srq; /* or UROCE_NO_OBJECT */
	uint32_t type;			    /* enum ibv_qp_type */
	uint32_t sends, begun; /* requests that are not completed, and those of them on their way */
	uint32_t recvs;	       /* posted to its own queue */
	uint32_t recv_len; /* bytes of the next one; in ERR: of the last that was taken; 0: none */
	uint8_t sq_sig_all;
	uint8_t peer_is_here; /* the address of its peer is one of this host */
	uint8_t reserved[2];
	uint64_t steps;		 /* of states, that it has made: uroce_step() */
	struct ibv_qp_attr attr; /* as ibv_query_qp(3) */
};

/* The bit for a step between two states. */
static inline uint64_t uroce_step(enum ibv_qp_state from, enum ibv_qp_state to)
{
	return UINT64_C(1) << (8 * (unsigned)from + (unsigned)to);
}

struct uroce_inventory {
	pid_t pid;
	char device[IBV_SYSFS_NAME_MAX]; /* what the process calls uroce0: UROCE_NAME */
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

#ifdef __cplusplus
}
#endif

#endif
