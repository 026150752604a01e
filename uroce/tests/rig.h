/* SPDX-License-Identifier: MIT */
/*
 * A rig for transport/: QPs made by hand, memory, completion queues, a clock that runs as
 * fast as it can, and a wire that loses what it is told to. Takes the place of engine/, link/
 * and verbs/ when it is linked.
 */
#ifndef UROCE_TESTS_RIG_H
#define UROCE_TESTS_RIG_H

#include "counters.h"
#include "packet.h"
#include "queue_pair.h"
#include "transport.h"

/* ----------------------------------------------------------------- rig_clock.c -- */

extern uint64_t rig_now; /* ns */
extern unsigned rig_deferred;
/* guard_...() fault within it; NULL: nowhere. */
extern const uint8_t *rig_hole;
extern size_t rig_hole_bytes;
/* guard_...() check that they write to registered memory, or to a packet. */
extern bool rig_strict;

uint32_t rig_random(void);
void rig_seed(uint64_t seed);
static inline bool rig_chance(double p)
{
	return rig_random() < p * 4294967296.0;
}

/* ------------------------------------------------------------------ rig_wire.c -- */

struct rig_wire {
	double drop, dup, reorder;	       /* probabilities */
	uint64_t delay;			       /* ns, of every packet */
	bool (*lose)(const struct packet *p);  /* true: it is lost */
	void (*watch)(const struct packet *p); /* sees what is sent, lost or not */
};
extern struct rig_wire rig_wire;

#define RIG_LOG 8192
extern struct packet rig_log[RIG_LOG]; /* what was sent; the first ones */
extern unsigned rig_logged;
/* How many with that opcode are in the log. */
unsigned rig_count(uint8_t opcode);

/* Runs until nothing is on the wire and no timer runs, or for so many ns (0: no limit). */
void rig_run(uint64_t ns);
/* One pass: what has arrived by now. False: nothing had. */
bool rig_pass(void);
/* Hands a packet to the transport as if it had come in. */
void rig_inject(const struct packet *p, const void *payload);
/* Is it in the packet that is being made? */
bool rig_in_packet(const void *p, size_t n);
/* Forgets what is on the wire, and the log. */
void rig_clear(void);

/* ----------------------------------------------------------------- rig_verbs.c -- */

extern struct pd rig_pd, rig_other_pd;
extern const union ibv_gid rig_gid_a, rig_gid_b;

#define RIG_CQE 1024
struct rig_cq {
	struct cq cq; /* the first */
	struct ibv_wc wc[RIG_CQE];
	bool solicited[RIG_CQE];
	uint32_t head, tail;
};
/* Takes the oldest completion. */
bool rig_poll(struct cq *cq, struct ibv_wc *wc);
bool rig_solicited(struct cq *cq); /* the one that rig_poll() took last */

/* Keys are local and remote ones. */
uint32_t rig_reg(struct pd *pd, void *addr, size_t len, unsigned access);
void rig_dereg(uint32_t key);
bool rig_writable(const void *addr, size_t len); /* registered, and not for reading only */

struct rig_event {
	struct qp *qp;
	int type;
};
/* The oldest event that was not taken; type -1: none. */
struct rig_event rig_event(void);
/* The QP that was last shown to those who reach in: direct/direct.h. */
extern const struct qp *rig_shown;

struct rig_options {
	enum ibv_qp_type type;
	uint32_t mtu, psn; /* psn: of the first packet in both directions */
	unsigned timeout, retry_cnt, rnr_retry, min_rnr_timer;
	unsigned rd_atomic;
	unsigned access;
	struct srq *srq;
};
extern const struct rig_options rig_defaults;
/* A QP in INIT, and two that are connected, in RTS. */
struct qp *rig_qp(const struct rig_options *o);
void rig_connect(struct qp *a, struct qp *b, const struct rig_options *o);
void rig_rtr(struct qp *qp, struct qp *peer, const struct rig_options *o);
void rig_rts(struct qp *qp, const struct rig_options *o);
void rig_state(struct qp *qp, enum ibv_qp_state to);
void rig_free(struct qp *qp);
/* Members of the only multicast group. */
void rig_join(struct qp *qp);
extern union ibv_gid rig_mgid;

struct srq *rig_srq(void);
void rig_srq_free(struct srq *srq);

struct rig_wr {
	uint64_t wr_id;
	enum ibv_wr_opcode opcode;
	unsigned flags;
	bool unsignaled;
	struct ibv_sge sge[4];
	int nsge; /* 0 with len 0; -1: inline */
	const void *data;
	uint32_t len; /* of data */
	__be32 imm;
	uint32_t inv_rkey, rkey;
	uint64_t remote, compare_add, swap;
	uint32_t srqn;	    /* XRC */
	uint32_t qpn, qkey; /* UD */
	union ibv_gid dgid; /* UD; zero: that of a peer */
	struct window_bind bind;
};
void rig_post(struct qp *qp, const struct rig_wr *wr);
void rig_recv(struct qp *qp, uint64_t wr_id, void *addr, uint32_t len, uint32_t lkey);
void rig_srq_recv(struct srq *srq, uint64_t wr_id, void *addr, uint32_t len, uint32_t lkey);
/* The window that IBV_WR_BIND_MW and LOCAL_INV work on in the rig: the key that is bound. */
extern uint32_t rig_bound;

#endif
