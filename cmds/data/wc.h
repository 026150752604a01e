/* SPDX-License-Identifier: MIT */
/* Work completions: taken from CQs, matched with what was posted, written to the output.
 */
#ifndef CMDS_WC_H
#define CMDS_WC_H

#include "objects.h"

struct wr_op;

/* The CQs a command looks at: the one named, those of a QP, or the only one. */
struct cq_set {
	struct cq *cq[2];
	unsigned n;
	struct qp *qp; /* whose they are, when that is known */
};

/* A completion, with what was known about it when it was taken. */
struct wc {
	struct ibv_wc v;
	struct cq *cq;
	char qp[OBJ_NAME];     /* its name, by now perhaps of a QP that is gone; "": not ours */
	bool datagram;	       /* the QP is UD */
	int64_t after;	       /* ns from its post to now; -1: not known */
	const char *from, *to; /* the QP went from this state to that one; NULL: it did not */
};

/* cq and qp as given, either may be NULL. -1 with s->fail filled. */
int cq_set_pick(struct session *s, struct cq *cq, struct qp *qp, struct cq_set *set);
/* "cq0" or "cq0 and cq1"; kept until the next call. */
const char *cq_set_name(const struct cq_set *set);

/* Takes at most max completions: how many, or -1 with s->fail filled. */
int wc_take(struct session *s, const struct cq_set *set, struct wc *wc, int max);
/* Gives them back: the next wc_take() finds them first. */
void wc_keep(const struct wc *wc, int n);
/* Into the scope that is open: the valid fields (ibv_poll_cq(3)), and a line of text. */
void wc_out(struct session *s, const struct wc *wc, struct out *o);
/* Several: each a dict in the list that is open, or (list false) the one as the root. */
void wc_out_all(struct session *s, const struct wc *wc, int n, bool list, struct out *o);

/* The failure of a command call that waited for n completions and has got only these. The
 * completions are kept. Returns -1. */
int wc_missing(struct session *s, const char *call, const struct cq_set *set, const struct wc *wc,
	       int got, int n, int64_t within, int end);

/* No completion of a request of this kind comes: adds to s->fail what is known or likely the
 * reason. more: sends that will need a receive beside those in flight. Returns -1. */
int wc_say_silence(struct session *s, struct qp *qp, const struct wr_op *op, uint64_t more);

/* The answer to -ok: 0 when all have succeeded, else -1 with s->fail filled, its code the status
 * of the first that has not. */
int wc_all_ok(struct session *s, const char *call, const struct wc *wc, int n);

#define WC_OK_HELP "a completion with an error is an error of this command"

/* Completion events: ibv_req_notify_cq(3), and ibv_get_cq_event(3) on the event loop. */

struct cc;

/* Watches the channel: an event is acknowledged at once, counted in its CQ and noticed. */
void cc_watch(struct session *s, struct cc *cc);
void cc_unwatch(struct session *s, struct cc *cc);

/* Asks for one event; -1 with s->fail filled, also when the CQ has no channel. */
int cq_arm(struct session *s, struct cq *cq, bool solicited);

#endif
