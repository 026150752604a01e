/* SPDX-License-Identifier: MIT */
/*
 * explain alone: the last failure, a command's or a completion's, whichever was later. Its
 * objects are examined, at both ends if the other one is in this process or in a peer that this
 * process has started.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/calling.h"
#include "live_context.h"
#include "recorded.h"
#include "connection/cm.h"
#include "data/post.h"
#include "data/bad_wc.h"
#include "device/device.h"
#include "explain/explain.h"
#include "explain/peer_end.h"
#include "facts.h"
#include "language/interp.h"
#include "objects.h"
#include "own_model.h"
#include "out.h"
#include "qp/qp.h"
#include "session.h"
#include "words.h"

static bool is_in_err(struct qp *qp)
{
	return qp && qp_history_sync(qp, NULL) == IBV_QPS_ERR;
}

/* The QP of the failed completion, or the current one, if it is in ERR; else NULL. */
static const struct qp *qp_in_err(struct session *s, const struct bad_wc *bad)
{
	struct qp *qp = bad ? obj_find(s, &qp_class, bad->qp) : NULL;

	if (qp && qp->o.serial == bad->serial && is_in_err(qp))
		return qp;
	return is_in_err(s->ctx->qp) ? s->ctx->qp : NULL;
}

static void out_way_back(struct session *s, const struct qp *qp, struct out *o)
{
	const char *next = post_way_to_rts(s, qp, IBV_QPS_ERR);

	out_str(o, "way_back", next, "                  next: %s\n", next);
}

static void tell_way_back(struct session *s, const struct qp *qp, struct out *o)
{
	struct qp_step step;

	if (!qp)
		return;
	out_text(o, "  now             %s is in ERR", qp->o.name);
	if (qp_history_err(qp, &step) && !step.failed)
		out_text(o, " (%s)", step.why);
	out_text(o, ": what is posted is flushed\n");
	out_way_back(s, qp, o);
}

/* Is the QP in ERR because this end or the peer has asked for it? */
static bool is_asked_for(const struct qp *qp)
{
	struct qp_step step;

	return qp_history_err(qp, &step) && !step.failed;
}

/* A QP that is in ERR without a failed completion so far: the reason, and what to do. */
static void tell_state(struct session *s, struct qp *qp, struct out *o)
{
	const bool is_asked = is_asked_for(qp);
	struct qp_step step = { 0 };

	qp_history_err(qp, &step);
	out_str(o, "qp", qp->o.name, "%s is in ERR", qp->o.name);
	out_str(o, "reason", step.why, "%s%s%s: what is posted is flushed\n", is_asked ? " (" : "",
		is_asked ? step.why : "", is_asked ? ")" : "");
	if (!is_asked && own_outstanding(qp, false).n)
		out_text(o, "  its completion  says why, and waits: poll, then explain\n");
	out_way_back(s, qp, o);
}

/* The failed request and the objects of it that exist now; here becomes its QP. To be freed with
 * peer_end_forget(). */
static struct failed_wr look_at_failed(struct session *s, const struct bad_wc *bad,
				       struct live_qp *here)
{
	struct failed_wr wr = { .status = bad->status, .rule = bad->rule };
	struct qp *qp = obj_find(s, &qp_class, bad->qp);

	if (bad->known)
		why_take_posted(&wr, &bad->posted, own_model());
	wr.is_either = bad->is_either;
	if (qp && qp->o.serial != bad->serial)
		qp = NULL;
	peer_end_look(s, qp, here, &wr);
	if (qp && qp->id && is_in_err(qp))
		snprintf(here->again, sizeof here->again, "%s",
			 post_way_to_rts(s, qp, IBV_QPS_ERR));
	snprintf(wr.qp, sizeof wr.qp, "%s", bad->qp);
	return wr;
}

void explain_bad_wc(struct session *s, const struct bad_wc *bad, struct out *o)
{
	struct live_qp here;
	struct failed_wr wr = look_at_failed(s, bad, &here);

	causes_out_wc(&wr, o);
	explain_here(s, &call_table[ROW_ibv_poll_cq], o);
	if (!s->ctx->qp || s->ctx->qp->o.serial == bad->serial) /* else another one is used */
		tell_way_back(s, qp_in_err(s, bad), o);
	out_text(o, "  more            explain %s\n", word_name(wc_status_words, bad->status));
	peer_end_forget(&wr);
}

/* Says how old the failure is, because explain skips the commands that succeeded since. */
static void tell_age(const struct session *s, unsigned long command, struct out *o)
{
	unsigned long since = s->commands - command;

	if (since > 1)
		out_text(o, "The last failure, %lu commands ago:\n", since);
}

/* That failure (0: the last), by the one that explains it, and what followed from that. */
static void tell_chain(struct session *s, unsigned at, struct out *o)
{
	struct bad_wc all[BAD_WCS], chain[BAD_WCS];
	const unsigned n = bad_wc_list(all, BAD_WCS);
	const unsigned members = failures_chain(s, all, n, at, chain);

	explain_bad_wc(s, &chain[0], o);
	failures_out(chain, members, o);
}

int explain_first(struct session *s, struct out *o)
{
	struct bad_wc all[BAD_WCS];
	const unsigned n = bad_wc_list(all, BAD_WCS);

	if (!n)
		return fail(s, "explain", "NOTHING", "no request has failed in this session");
	tell_age(s, all[n - 1].command, o);
	tell_chain(s, n - 1, o);
	return 0;
}

bool explain_wr_id(struct session *s, const char *text, struct out *o)
{
	struct bad_wc all[BAD_WCS];
	const unsigned n = bad_wc_list(all, BAD_WCS);
	char *end;
	const uint64_t wr_id = strtoull(text, &end, 0);

	for (unsigned i = 0; i < n && end != text && !*end; i++)
		if (all[i].known && all[i].posted.wr_id == wr_id) {
			tell_age(s, all[i].command, o);
			explain_bad_wc(s, &all[i], o);
			return true;
		}
	return false;
}

void explain_fail_causes(struct session *s)
{
	struct fail failed = fail_aside(s); /* a peer that is asked may fail */
	struct causes c = { 0 };
	struct live_qp here;
	struct failed_wr wr;
	struct bad_wc bad;

	if (bad_wc_last(&bad)) {
		wr = look_at_failed(s, &bad, &here);
		why_request_failed(&wr, &c);
		peer_end_forget(&wr);
	}
	fail_back(s, failed);
	for (unsigned i = 0; i < c.n; i++) {
		free(c.v[i].next); /* explain has it */
		c.v[i].next = NULL;
	}
	call_fail_causes(s, &c);
	causes_free(&c);
}

/* The general meaning of the failure's code. Where the cause is known, that is only mentioned. The
 * shell's own refusals, which no library has returned, are their own explanation; a wait that has
 * run out is none. */
static void out_fact_of(const struct fail *f, const struct found *found, struct out *o)
{
	const bool is_errno = found->family->text == fact_errno_text;

	if (is_errno && !f->is_returned && found->fact->value != ETIMEDOUT)
		return;
	if (f->is_explained || f->is_made) {
		out_text(o, "  more            explain %s\n", f->code);
		return;
	}
	out_dict(o, "fact");
	explain_fact(found, f->call, o);
	out_end(o);
}

/* Adds what the failure's own message did not say. */
static void out_failed_command(struct session *s, const struct fail *f, struct out *o)
{
	struct found found[FOUND_MAX];

	out_str(o, "call", f->call, NULL);
	out_str(o, "code", f->code, NULL);
	out_str(o, "text", f->text, "%s\n", f->text);
	out_list(o, "rows");
	for (unsigned i = 0; i < f->nrows; i++) {
		out_dict(o, NULL);
		out_str(o, "label", f->rows[i].label, "  %-15s ", f->rows[i].label);
		out_str(o, "text", f->rows[i].text, "%s\n", f->rows[i].text);
		out_end(o);
	}
	out_end(o);
	if (call_find(f->call) && facts_find(NULL, f->code, found) &&
	    strcasecmp(word_name(found[0].family->words, found[0].fact->value), f->code) == 0)
		out_fact_of(f, &found[0], o);
	explain_here(s, call_find(f->call), o);
}

/* The failure is about what was typed, not about RDMA: there is nothing to examine. */
static bool is_of_typing(const struct fail *f)
{
	return fail_is_usage(f) || strcmp(f->call, "explain") == 0;
}

/* The session has moved on to another QP, which works: later failures do not come from the old one.
 */
static bool is_cured(struct session *s, const struct bad_wc *bad)
{
	struct qp *qp = s->ctx->qp;

	return qp && qp->o.serial != bad->serial && !is_in_err(qp);
}

/* An error of a library or a peer that a QP in ERR does not cause. */
static bool is_said_by_other(const struct fail *f)
{
	return call_find(f->call) || strcmp(f->call, "peer") == 0;
}

/* Is explain about the failed completion, and not about a command's error? */
static bool prefers_completion(struct session *s, const struct bad_wc *bad, const struct fail *f,
			       bool in_err)
{
	if (!f || bad->when >= f->when)
		return true;
	if (is_cured(s, bad))
		return strcmp(f->call, "explain") == 0;
	if (is_of_typing(f))
		return true;
	/* a command that waited for a completion fails with the completion's status */
	if (strcmp(f->code, word_name(wc_status_words, bad->status)) == 0)
		return true;
	/* while the QP is in ERR, later errors are its consequence */
	return in_err && !is_said_by_other(f);
}

/* The current QP, if it is in ERR and no failure has said why. */
static struct qp *unexplained_qp(struct session *s, const struct bad_wc *bad, const struct fail *f)
{
	struct qp *qp = s->ctx->qp;

	if (!is_in_err(qp) || (bad && bad->serial == qp->o.serial))
		return NULL;
	if ((bad && s->commands - bad->command <= 1) ||
	    (f && is_said_by_other(f) && s->commands - f->command <= 1))
		return NULL;
	return !bad || is_asked_for(qp) || own_outstanding(qp, false).n ? qp : NULL;
}

/* That of this procedure, or of the line before; NULL: nothing has failed. */
static const struct fail *last_failure(const struct session *s)
{
	return s->fail.text ? &s->fail : s->before.text ? &s->before : NULL;
}

int explain_last(struct session *s, struct out *o)
{
	struct bad_wc last;
	const struct bad_wc *bad = bad_wc_last(&last) ? &last : NULL;
	const struct fail *f = last_failure(s);
	const struct qp *down = qp_in_err(s, bad);

	if (!bad && (!f || strcmp(f->call, "explain") == 0)) {
		if (own_check_tell(o))
			return 0;
		fail(s, "explain", "NOTHING", "nothing has failed in this session");
		return fail_next(s, "explain THING: explain RETRY_EXC_ERR");
	}
	if (bad && prefers_completion(s, bad, f, down && down->o.serial == bad->serial)) {
		tell_age(s, bad->command, o);
		tell_chain(s, 0, o);
	} else {
		tell_age(s, f->command, o);
		out_failed_command(s, f, o);
		tell_way_back(s, qp_in_err(s, NULL), o);
	}
	own_check_tell(o);
	return 0;
}

int explain_now(struct session *s, struct out *o)
{
	const struct fail *f = last_failure(s);
	struct bad_wc last;
	bool any = bad_wc_last(&last);
	struct qp *qp = unexplained_qp(s, any ? &last : NULL, f);

	if (!qp)
		return explain_last(s, o);
	tell_state(s, qp, o);
	return 0;
}

bool explain_qp(struct session *s, const char *name, struct out *o)
{
	struct qp *qp = obj_find(s, &qp_class, name);
	struct bad_wc all[BAD_WCS];
	const unsigned n = qp ? bad_wc_list(all, BAD_WCS) : 0;

	for (unsigned i = 0; i < n; i++)
		if (all[i].serial == qp->o.serial) {
			tell_age(s, all[i].command, o);
			tell_chain(s, i, o);
			return true;
		}
	if (!is_in_err(qp))
		return false;
	tell_state(s, qp, o);
	return true;
}
