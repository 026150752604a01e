/* SPDX-License-Identifier: MIT */
/*
 * Work requests as the record has them: which one a completion belongs to, and which are
 * outstanding. A queue completes in order: a completion retires all that was posted before it.
 *
 * A QP keeps nothing of them, only how far its queues were read (struct qp_read). The ring of the
 * data path has the last few thousand calls of all QPs: what was posted before those is not known.
 */
#ifndef CMDS_POSTED_H
#define CMDS_POSTED_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct qp;
struct session;
struct wr_op;

#define POSTED_SGES 4

struct posted {
	uint64_t wr_id;
	uint64_t begin; /* of the call that posted it, in ticks: record_time() */
	uint64_t end;	/* of the call that polled its completion; 0: it is not done */
	const struct wr_op *op;
	uint32_t to_qpn, to_qkey; /* of a datagram */
	uint64_t remote;	  /* address and key at the peer, for RDMA and atomics */
	uint32_t rkey;		  /* or the key that it binds or invalidates */
	uint32_t len;		  /* of all SGEs */
	bool recv, signaled, is_inline;
	uint8_t nsge;
	struct ibv_sge sge[POSTED_SGES]; /* the first of them */
};

/* A request, or a completion: a record of the data path, and which one of its list. */
struct posted_place {
	uint64_t record;
	unsigned index;
};

/* How far the queues of a QP were read. */
struct qp_read {
	struct posted_place completion; /* the next one to look at */
	struct posted_place request[2]; /* of sends, of receives: the first that is not done */
	bool has_lost[2];		/* there were some before that are not recorded any more */
};

/* Where the next request will be. */
struct posted_place posted_place(void);
/* The next request of that queue from *at on; moves *at past it. false: there is none. */
bool posted_next(const struct qp *qp, bool recv, struct posted_place *at, struct posted *p);
/* The queues of the QP are empty now: it was made, or reset. */
void posted_clear(struct qp *qp);
/* What the completion with that index in the first poll since before was posted as; it and all
 * that it retires are done. false: it is not known. */
bool posted_done(struct qp *qp, uint64_t before, unsigned index, struct posted *p);

struct outstanding {
	unsigned n;	      /* requests that are not done, as far as they are recorded */
	unsigned silent;      /* of them, unsignaled */
	bool has_more;	      /* and maybe some before those */
	struct posted oldest; /* if n */
};
struct outstanding posted_outstanding(struct qp *qp, bool recv);

/* A completion with an error, and what it was of. */
struct bad_wc {
	enum ibv_wc_status status;
	int64_t when;	       /* loop_now() */
	unsigned long command; /* number of the command that took it: session.commands */
	char qp[32];	       /* its name */
	uint64_t serial;       /* of the QP */
	bool known;	       /* posted is valid */
	struct posted posted;
};

/* Records a failed completion for explain, with the number of the command that polled it. A flushed
 * request is a consequence: it does not replace the failure that caused it. */
void posted_failed(const struct qp *qp, const struct ibv_wc *wc, const struct posted *p,
		   unsigned long command);
/* The last one; false: there was none. */
bool posted_last_failed(struct bad_wc *bad);

#endif
