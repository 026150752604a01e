/* SPDX-License-Identifier: MIT */
/* Failed completions of the session, for explain. */
#ifndef CMDS_BAD_WC_H
#define CMDS_BAD_WC_H

#include "live_program.h"

struct qp;

/* A completion with an error, and what it was of. */
struct bad_wc {
	enum ibv_wc_status status;
	int64_t when;	       /* loop_now() */
	int64_t seen;	       /* the same, CLOCK_REALTIME, ns */
	unsigned long command; /* number of the command that took it: session.commands */
	char qp[32];	       /* its name */
	uint64_t serial;       /* of the QP */
	unsigned rule;	       /* of a fault that has made it; 0: none */
	bool known;	       /* posted is valid */
	bool is_either;	       /* as in struct live_wc */
	struct posted_wr posted;
};

/* Records a failed completion for explain, with the number of the command that polled it; posted
 * may be NULL. A flushed request is a consequence: it does not replace the failure that caused it.
 */
void bad_wc_add(const struct qp *qp, const struct ibv_wc *wc, const struct posted_wr *posted,
		bool is_either, unsigned long command);
#define BAD_WCS 64
/* Fills up to n entries with the failures of the session, the newest first; returns how many. */
unsigned bad_wc_list(struct bad_wc *v, unsigned n);
/* The last one; false: there was none. */
bool bad_wc_last(struct bad_wc *bad);

#endif
