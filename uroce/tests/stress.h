/* SPDX-License-Identifier: MIT */
/*
 * Two ends exchange operations of all kinds in both directions and check every byte: see
 * stress.c. They go on in rounds. The seed decides what happens in a round, so each end
 * knows what the other one does.
 */
#ifndef UROCE_TESTS_STRESS_H
#define UROCE_TESTS_STRESS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define QPS_MAX	     16
#define OPS_MAX	     128	   /* of a QP in a round and a direction */
#define LEN_MAX	     65536u	   /* of a message */
#define AREA_BYTES   (1024 * 1024) /* for all messages of a plan */
#define SGES	     4
#define INLINE_MAX   64
#define SEND_DEPTH   32 /* work requests that are posted at a time */
#define RECV_DEPTH   16
#define COUNTERS_MAX 8	  /* words for atomics */
#define FILLER	     0xee /* where nothing has been written */

enum kind {
	SEND,
	SEND_IMM,
	SEND_INV,
	WRITE,
	WRITE_IMM,
	READ,
	CMP_SWAP,
	FETCH_ADD,
	KINDS,
};

extern const char *const kind_names[KINDS];

/* The settings on which both ends must agree; the client's are used. */
struct setting {
	uint64_t seed, operations; /* of both directions */
	uint32_t qps, kinds;	   /* bits of enum kind */
	uint32_t mtu;		   /* enum ibv_mtu */
	uint32_t timeout, retries; /* as in ibv_modify_qp() */
	uint32_t may_fail;	   /* a QP may end in RETRY_EXC_ERR */
	uint32_t rxe_newer;	   /* bit N: end N is rdma_rxe of Linux 6.12 */
};

/* ------------------------------------------------------------------- stress_plan.c -- */

/* Bytes of a message: a function of their seed and position. */
struct content {
	uint64_t seed;
	uint32_t skew;
};

struct op {
	enum kind kind;
	uint32_t len;
	uint32_t local;	 /* in the initiator's area */
	uint32_t remote; /* WRITE, READ: in the area below; atomics: which counter */
	uint32_t recv;	 /* in the target's area of receives */
	uint32_t slack;	 /* how much longer the receive is */
	bool from_source, by_window, shared, in_line, signaled, fence, solicited;
	struct content content;
	uint32_t imm;
	uint64_t compare, swap_add;
	uint64_t original; /* what an atomic finds, unless it is shared */
	uint32_t cut[SGES - 1], recv_cut[SGES - 1];
	int nsge, recv_nsge;
};

/* A QP's operations in a round, in one direction. */
struct plan {
	struct op op[OPS_MAX];
	unsigned n;
	unsigned recv[OPS_MAX], nrecv; /* those that take a receive, in order */
	unsigned nshared;
	bool invalidates;
	uint64_t counter[COUNTERS_MAX]; /* at the end */
};

uint64_t mix(uint64_t x);
/* The content that would be there; valid until the next call. len is at most AREA_BYTES. */
const uint8_t *content_bytes(struct content c, uint32_t len);
/* Of what an end offers for READs on its QP. */
struct content source_content(const struct setting *s, unsigned end, unsigned qp);
/* The operations of end on a QP in a round. */
void plan_make(struct plan *p, const struct setting *s, unsigned end, unsigned qp, uint64_t round);
bool op_is_atomic(const struct op *op);
bool op_takes_recv(const struct op *op);
/* Fills sge with len bytes at addr, cut at cuts. */
int op_sges(struct ibv_sge *sge, uint64_t addr, uint32_t len, const uint32_t *cut, int n,
	    uint32_t lkey);

/* -------------------------------------------------------------------- stress_end.c -- */

/* The memory to which the peer may write. */
struct open_area {
	uint8_t target[AREA_BYTES]; /* WRITE */
	uint8_t source[AREA_BYTES]; /* READ: does not change */
	uint64_t counter[COUNTERS_MAX];
};
/* The memory that is the end's own. */
struct own_area {
	uint8_t local[AREA_BYTES];
	uint8_t recv[AREA_BYTES];
};

struct lane { /* a QP and what belongs to it */
	struct ibv_qp *qp;
	struct ibv_mw *mw;
	struct ibv_mr *open_mr, *own_mr;
	struct open_area *open;
	struct own_area *own;
	struct plan out, in;
	uint32_t psn, window; /* our own: first PSN; R_Key of the memory window, 0: invalid */
	uint64_t peer_open;
	uint32_t peer_rkey, peer_window;
	/* of the round */
	unsigned posted, done; /* operations; done: completed right */
	unsigned sq_used;
	unsigned recv_posted, recv_done, recv_ended;
	unsigned peer_done;
	bool failed, said, sq_drained;
};

struct end {
	struct setting s;
	unsigned me; /* 0 client, 1 server */
	int control; /* a socket to the other end */
	int gid_index;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	union ibv_gid gid, peer_gid;
	struct ibv_mr *shared_mr;
	uint64_t *shared; /* a counter for FETCH_ADD on all QPs */
	uint64_t peer_shared;
	uint32_t peer_shared_rkey;
	struct lane *lane;
	uint64_t round;
	unsigned events; /* of the completion channel, to be acknowledged */
	uint64_t count[KINDS], bytes, failures, unfinished;
};

/* The messages of the ends over the control socket. */
enum say { SAY_HELLO, SAY_READY, SAY_GO, SAY_FAILED, SAY_DONE };
struct message {
	uint32_t say, qp; /* SAY_FAILED */
	struct setting s;
	union ibv_gid gid;
	uint64_t shared;
	uint32_t shared_rkey;
	struct {
		uint64_t open;
		uint32_t rkey, window, qpn, psn, done, failed;
	} lane[QPS_MAX];
};

/* Prints and ends this process with 1. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

void say(const struct end *e, const struct message *m);
/* The next message; none within a minute ends the process. */
void hear(const struct end *e, struct message *m);
/* Says m and waits for the other's of the same kind. */
void meet(const struct end *e, struct message *m);

void end_open(struct end *e, const char *device);
/* (Re-)creates the QPs that there are not, connects them, binds windows. */
void end_connect(struct end *e);
void end_close(struct end *e);
struct lane *end_lane(const struct end *e, uint32_t qpn);

/* ----------------------------------------------- stress_run.c, stress_check.c -- */

/* A round: all that is planned is done, or the QPs failed. */
void round_run(struct end *e);

/* At the completion of a receive, and of an operation of ours. */
void check_recv(const struct lane *l, const struct ibv_wc *wc, const struct op *op);
void check_sink(const struct lane *l, const struct op *op);
/* At the end of a round: all memory. */
void check_round(struct end *e);

/* ---------------------------------------------------------------- stress_trace.c -- */

void trace_begin(void);
void trace_print(const char *who);

#endif
