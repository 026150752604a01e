/* SPDX-License-Identifier: MIT */
#include "failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "call_record.h"
#include "recorded.h"

struct failing_qp {
	struct failing_qp *next;
	struct ibv_qp *qp;
	const struct ibv_context *context;
	uint32_t qpn;
	bool is_answered; /* its peer answers requests: RC, XRC */
	bool signals_all; /* sq_sig_all */
	bool has_unsignaled, has_failed;
};

bool failing_is_on;
static struct fault_rule *rules;
static unsigned nrules;
static struct failing_qp *qps;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Of the library: within a poll no call is noted. */
static __typeof__(&ibv_modify_qp) modify;
static __typeof__(&ibv_query_qp) query;

static bool find_functions(void)
{
	void *found[] = { dlvsym(RTLD_NEXT, "ibv_modify_qp", "IBVERBS_1.1"),
			  dlvsym(RTLD_NEXT, "ibv_query_qp", "IBVERBS_1.1") };

	memcpy(&modify, &found[0], sizeof modify);
	memcpy(&query, &found[1], sizeof query);
	return modify && query;
}

void failing_set(struct fault_rule *given, unsigned n)
{
	rules = given;
	nrules = n;
	failing_is_on = false;
	for (unsigned i = 0; i < n; i++)
		failing_is_on |= given[i].what == FAULT_COMPLETION;
}

void failing_forget(void)
{
	failing_set(NULL, 0);
	qps = NULL;
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void refuse(const struct fault_rule *rule, enum fault_refusal why)
{
	if (rule->told)
		atomic_store(&rule->told->refused, why);
}

void failing_refuse_ex(void)
{
	for (unsigned i = 0; i < nrules; i++)
		if (rules[i].what == FAULT_COMPLETION)
			refuse(&rules[i], FAULT_REFUSED_EX);
}

static struct failing_qp **find_qp(const struct ibv_context *context, uint32_t qpn)
{
	struct failing_qp **q = &qps;

	while (*q && ((*q)->qpn != qpn || (*q)->context != context))
		q = &(*q)->next;
	return q;
}

static void add_qp(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init = { .sq_sig_all = 0 };
	struct failing_qp *q = find_functions() ? malloc(sizeof *q) : NULL;
	struct ibv_qp_attr attr;

	if (!q)
		return;
	query(qp, &attr, IBV_QP_STATE, &init);
	*q = (struct failing_qp){ .next = qps,
				  .qp = qp,
				  .context = qp->context,
				  .qpn = qp->qp_num,
				  .is_answered = qp->qp_type == IBV_QPT_RC ||
						 qp->qp_type == IBV_QPT_XRC_SEND,
				  .signals_all = init.sq_sig_all };
	qps = q;
}

static void remove_qp(const struct ibv_qp *qp)
{
	struct failing_qp **q = &qps, *gone;

	while (*q && (*q)->qp != qp)
		q = &(*q)->next;
	gone = *q;
	if (gone)
		*q = gone->next;
	free(gone);
}

void failing_learn(const struct call_fn *fn, const uint64_t *args, struct ibv_qp *made)
{
	const struct ibv_qp *first = (const void *)(uintptr_t)args[0];
	const struct ibv_qp_attr *attr = (const void *)(uintptr_t)args[1];

	pthread_mutex_lock(&lock);
	if (made) {
		remove_qp(made); /* an earlier one at that address */
		add_qp(made);
	} else if (fn == &call_table[ROW_ibv_destroy_qp]) {
		remove_qp(first);
	} else if (fn == &call_table[ROW_ibv_modify_qp] && args[2] & IBV_QP_STATE &&
		   attr->qp_state == IBV_QPS_RESET) {
		for (struct failing_qp *q = qps; q; q = q->next)
			if (q->qp == first)
				q->has_failed = q->has_unsignaled = false;
	}
	pthread_mutex_unlock(&lock);
}

void failing_note_request(const struct ibv_qp *qp, unsigned flags)
{
	struct failing_qp *q;

	pthread_mutex_lock(&lock);
	q = *find_qp(qp->context, qp->qp_num);
	if (q)
		q->has_unsignaled |= !(flags & IBV_SEND_SIGNALED) && !q->signals_all;
	pthread_mutex_unlock(&lock);
}

/* An unsignaled request that has succeeded has no completion which could become a flush. */
static enum fault_refusal refusal_of(const struct failing_qp *q)
{
	return !q->is_answered	   ? FAULT_REFUSED_TYPE
	       : q->has_unsignaled ? FAULT_REFUSED_UNSIGNALED
				   : FAULT_REFUSED_NOT;
}

/* The number of the rule that hits the request, from 1; 0: none. */
static unsigned find_rule(const struct failing_qp *q, const struct ibv_wc *wc)
{
	const enum fault_refusal why = refusal_of(q);

	for (unsigned i = 0; i < nrules; i++) {
		if (rules[i].what != FAULT_COMPLETION ||
		    (rules[i].opcode >= 0 && rules[i].opcode != (int)wc->opcode) ||
		    (rules[i].qpn && rules[i].qpn != wc->qp_num) || !fault_rule_is_due(&rules[i]))
			continue;
		if (why) {
			refuse(&rules[i], why);
			continue;
		}
		fault_rule_count_hit(&rules[i]);
		return i + 1;
	}
	return 0;
}

static void change(struct failing_qp *q, struct ibv_wc *wc)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	const unsigned rule = q->has_failed ? 0 : find_rule(q, wc);

	if (q->has_failed) {
		wc->status = IBV_WC_WR_FLUSH_ERR;
	} else if (rule) {
		wc->status = (enum ibv_wc_status)rules[rule - 1].status;
		wc->vendor_err = FAULT_VENDOR_ERR | rule;
		q->has_failed = true;
		modify(q->qp, &attr, IBV_QP_STATE);
	}
}

/* A receive that is complete stays so: it was before the QP has failed. */
void failing_change(const struct ibv_context *context, int n, struct ibv_wc *wc)
{
	const int err = errno;
	struct failing_qp *q;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < n; i++) {
		q = *find_qp(context, wc[i].qp_num);
		if (q && wc[i].status == IBV_WC_SUCCESS && !(wc[i].opcode & IBV_WC_RECV))
			change(q, &wc[i]);
	}
	pthread_mutex_unlock(&lock);
	errno = err;
}
