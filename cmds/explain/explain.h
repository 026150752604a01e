/* SPDX-License-Identifier: MIT */
/* The parts of `explain`, each of which writes into the output of the command. */
#ifndef CMDS_EXPLAIN_H
#define CMDS_EXPLAIN_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <tcl.h>

#include "explain/facts.h"

struct call_fn;
struct dev;
struct out;
struct session;
struct wr_op;

/* All that is known about one thing: a dict. call: the function that has failed, whose causes alone
 * are listed; NULL: those of all functions. */
void explain_fact(const struct found *f, const char *call, struct out *o);
/* The last failure of the session, from the live objects. -1 with s->fail filled. */
int explain_last(struct session *s, struct out *o);
/* The same; but first, that the current QP is in ERR, where no completion has told why. */
int explain_now(struct session *s, struct out *o);
/* Adds a row to s->fail for each cause of the last failed completion: the confirmed ones, or else
 * all that may be. */
void explain_fail_causes(struct session *s);
/* Why the QP of that name is in ERR, and the way back. false: there is none, or it is not. */
bool explain_qp(struct session *s, const char *name, struct out *o);

/* In what a provider of libibverbs differs from others ("irdma"), or all of them ("providers"), or
 * the providers in which a function differs ("ibv_post_recv"): a dict, or a list of them. false:
 * there is none of that name. */
bool explain_provider(const char *name, struct out *o);
/* Appends these names, some of them several times. */
void explain_provider_names(Tcl_Obj *words);
/* If text names drivers ("not on rxe"), writes a row "devices" that says what each of them is.
 * margin: columns before the text of a row. */
void explain_devices(const char *text, unsigned margin, struct out *o);
/* In what the device in use differs where that function has failed: a dict, if there is anything.
 */
void explain_here(struct session *s, const struct call_fn *fn, struct out *o);

/*
 * What is known of the objects behind a failure, as values: they may be the shell's own, those of
 * a peer that it has asked, or those that the record of another program tells of.
 */

#define LIVE_NAME 32
#define LIVE_SGES 4

/* A region or a window. */
struct live_region {
	char name[LIVE_NAME], pd[LIVE_NAME];
	uint32_t lkey, rkey; /* a window has no lkey: 0 */
	uint64_t begin, len; /* as its device counts: a zero-based one begins with 0 */
	unsigned access;
	bool gone; /* it was deregistered, or is not shown any more */
};

struct live_qp {
	char name[LIVE_NAME], pd[LIVE_NAME];
	char srq[LIVE_NAME]; /* "": it has its own receives */
	uint32_t number;
	enum ibv_qp_type type;
	enum ibv_qp_state state;
	struct ibv_qp_attr attr; /* those of known */
	unsigned known;		 /* IBV_QP_... bits */
	struct ibv_qp_cap cap;
	int64_t recvs;	   /* posted and not completed; -1: not known */
	uint64_t had;	   /* RECVs that were posted, completed ones, too; 0: not known */
	uint32_t recv_len; /* bytes of the oldest, or of one that has failed; 0: not known */
	char why[80];	   /* what has moved it to ERR, or "" */
	char again[128]; /* what connects in its place two new QPs; "": it is not in ERR, or can be
			  * moved from there */
	bool first_psn;	 /* rq_psn is the one that it began with, not the one expected now */
	bool unanswered; /* no send of it was ever completed with success */
};

/* One end of a connection. */
struct live_end {
	const struct live_qp *qp; /* NULL: it cannot be seen */
	char whose[80]; /* before its objects in texts: "", or "b: " of a peer, "@b " in commands */
	char gone[80];	/* why it cannot be seen any more: "process 17 has ended"; or "" */
	struct live_region *regions;
	unsigned nregions;
};

/* A work request that has failed, and all that it had to do with. */
struct failed_wr {
	bool is_foreign; /* of another program: no commands of the shell are of use */
	enum ibv_wc_status status;
	char qp[LIVE_NAME]; /* of which it was, which may be gone; "": not known */
	bool known;	    /* what follows, but for the ends */
	uint64_t wr_id;
	bool recv, is_inline;
	const struct wr_op *op; /* NULL: not known */
	uint64_t remote;	/* address and key at the peer, for RDMA and atomics */
	uint32_t rkey;
	uint32_t len; /* of all SGEs */
	unsigned nsge;
	struct ibv_sge sge[LIVE_SGES]; /* the first of them */
	struct live_end here, there;
	/* The region that the peer has told; len 0: none. */
	struct live_region told;
	char faults[128]; /* made on purpose, which lose packets of this end; "": none */
};

/* The QP at the other end. */
struct end_wanted {
	uint32_t number, peer; /* its own, and that of the QP that it is connected with */
	const struct dev *dev; /* where that one is; NULL: on any */
	const char *name;      /* NULL: any */
};

/* The same in objects, a dict of them as 'show' has it (NULL: none). false: the QP is not there. */
bool live_end_look(struct live_end *e, Tcl_Obj *objects, const struct end_wanted *wanted);
void live_end_free(struct live_end *e);

/* Possible causes, each checked as far as it could be, the confirmed ones first. */

enum verdict { IS_SO, MAY_BE, IS_NOT, VERDICTS };

struct cause {
	enum verdict verdict;
	char *text, *next; /* next: what to type, or NULL */
};

struct causes {
	struct cause *v;
	unsigned n;
	bool no_commands; /* what to type is left out */
};

/* next may be NULL. */
void cause_add(struct causes *c, enum verdict verdict, const char *next, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void causes_free(struct causes *c);
/* Writes the list "causes" into the dict that is open; frees. */
void causes_out(struct causes *c, struct out *o);

/* Writes into the open dict: what failed, and the possible causes, each checked against the regions
 * and QPs that are known, as far as that can be. */
void explain_wc(const struct failed_wr *wr, struct out *o);
/* Only finds the causes, which are to be freed. */
void explain_wc_causes(const struct failed_wr *wr, struct causes *c);

#endif
