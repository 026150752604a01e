/* SPDX-License-Identifier: MIT */
/*
 * Why something has failed: rules over values, the same for this session, a traced program and a
 * peer. A cause is certain only if everything that it says was observed; what may be is said to be
 * so.
 */
#ifndef MODEL_WHY_H
#define MODEL_WHY_H

#include "live.h"

struct fact;
struct wr_op;

/* ----------------------------------------------------------------------------- causes -- */

enum verdict { IS_SO, MAY_BE, IS_NOT, VERDICTS };

struct cause {
	enum verdict verdict;
	const char *rule;  /* the format of its text; NULL: it has none */
	char *text, *next; /* next: what to type, or NULL */
};

/* Causes of a failure. All zero: none. */
struct causes {
	struct cause *v;
	unsigned n;
	bool no_commands; /* what to type is left out */
};

/* next may be NULL. */
void cause_add(struct causes *c, enum verdict verdict, const char *next, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds the causes that a fact lists for the function or errno of that name; NULL: those that are
 * not limited to one. They may be so. The fact may be NULL; next is for the first. */
void causes_add_fact(struct causes *c, const struct fact *fact, const char *name, const char *next);
/* How many are certain. */
unsigned causes_confirmed(const struct causes *c);
void causes_free(struct causes *c);
/* Moves those that are certain. from is empty then. */
void causes_take_certain(struct causes *to, struct causes *from);
/* Is it of the same rule, and only the names differ? */
bool cause_is_like(const struct cause *a, const struct cause *b);
/* If any is certain, the others go. */
void causes_settle(struct causes *c);

/* -------------------------------------------------------------------- a failed request -- */

/* A work request that has failed, and all that it had to do with. */
struct failed_wr {
	bool is_foreign; /* of another program: no commands of the shell are of use */
	enum ibv_wc_status status;
	unsigned rule;	    /* of a fault that has made it, from 1; 0: none */
	char qp[LIVE_NAME]; /* of which it was, which may be gone; "": not known */
	bool known;	    /* what follows, but for the ends */
	bool is_either;	    /* both queues have a request of this wr_id, and complete into one CQ */
	uint64_t wr_id, posted; /* ticks: when it was posted */
	bool recv, is_inline;
	const struct wr_op *op; /* NULL: not known */
	uint64_t remote;	/* address and key at the peer, for RDMA and atomics */
	uint32_t rkey;
	uint32_t len; /* of all SGEs */
	unsigned nsge;
	struct ibv_sge sge[LIVE_SGES];	 /* the first of them */
	uint8_t flush_type, flush_level; /* of a FLUSH */
	struct live_bind bind;		 /* of a BIND_MW, and its region; NULL: not known */
	const struct live_region *bound;
	char window_pd[LIVE_NAME]; /* the PD of its window; "": not known */
	struct live_end here, there;
	/* The region that the peer has told; len 0: none. */
	struct live_region told;
	char faults[128];  /* made on purpose, which lose packets of this end; "": none */
	bool port_is_down; /* that is what they do */
};

struct posted_wr;
struct live_program;

/* Takes over the fields of the posted request, which is known. */
void why_take_posted(struct failed_wr *wr, const struct posted_wr *posted,
		     const struct live_program *p);

/* Finds the causes, each checked against the regions and QPs that are known as far as that can be.
 * To be freed with causes_free(). */
void why_request_failed(const struct failed_wr *wr, struct causes *c);
/* Adds those of them that are certain, each after the text before. false: none is. */
bool why_add_certain(const struct failed_wr *wr, const char *before, struct causes *c);

/* ------------------------------------------------------------------------- names in texts -- */

/* Names of verbs.h without prefixes: "RTS", "REMOTE_WRITE,LOCAL_WRITE", "1024"; the number of a
 * value that has no name. Valid as long as a temp_text(). */
const char *why_state(enum ibv_qp_state state);
/* "qp0 is in SQD: send queue draining or drained: new sends wait"; as temp_text(). */
const char *why_in_state(const char *qp, enum ibv_qp_state state);
const char *why_access(unsigned access);
const char *why_flush_type(unsigned type);
const char *why_flush_level(unsigned level);
const char *why_mtu(enum ibv_mtu mtu);
/* "remote-write" of "REMOTE_WRITE". */
const char *why_typed(const char *text);
/* "::ffff:10.0.0.1"; as temp_text(). */
const char *why_gid(const union ibv_gid *gid);

#endif
