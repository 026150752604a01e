/* SPDX-License-Identifier: MIT */
#include "failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "call_record.h"
#include "recorded.h"

/* A QP of type RC. */
struct failing_qp {
	struct failing_qp *next;
	struct ibv_qp *qp;
	bool has_unsignaled; /* requests without a flag; all have one if sq_sig_all is set */
	bool has_failed;
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

void failing_refuse(enum fault_refusal why)
{
	for (unsigned i = 0; i < nrules; i++)
		if (rules[i].what == FAULT_COMPLETION && rules[i].told)
			atomic_store(&rules[i].told->refused, why);
}

static struct failing_qp **find_qp(const struct ibv_context *context, uint32_t qpn)
{
	struct failing_qp **q = &qps;

	while (*q && ((*q)->qp->qp_num != qpn || (*q)->qp->context != context))
		q = &(*q)->next;
	return q;
}

static void add_qp(struct ibv_qp *qp)
{
	struct failing_qp *q = qp->qp_type == IBV_QPT_RC && find_functions() ? calloc(1, sizeof *q)
									     : NULL;

	if (!q)
		return;
	q->qp = qp;
	q->next = qps;
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

void failing_note_post(const struct ibv_qp *qp, const struct ibv_send_wr *wr)
{
	struct failing_qp *q;

	pthread_mutex_lock(&lock);
	q = *find_qp(qp->context, qp->qp_num);
	for (; q && wr; wr = wr->next)
		q->has_unsignaled |= !(wr->send_flags & IBV_SEND_SIGNALED);
	pthread_mutex_unlock(&lock);
}

/* An unsignaled request that has succeeded has no completion which could become a flush. */
static bool may_fail(struct failing_qp *q)
{
	struct ibv_qp_init_attr init = { .sq_sig_all = 0 };
	struct ibv_qp_attr attr;

	if (!q->has_unsignaled)
		return true;
	query(q->qp, &attr, IBV_QP_STATE, &init);
	if (!init.sq_sig_all)
		failing_refuse(FAULT_REFUSED_UNSIGNALED);
	return init.sq_sig_all;
}

/* The number of the rule that hits the request, from 1; 0: none. */
static unsigned find_rule(struct failing_qp *q, const struct ibv_wc *wc)
{
	for (unsigned i = 0; i < nrules; i++)
		if (rules[i].what == FAULT_COMPLETION &&
		    (rules[i].opcode < 0 || rules[i].opcode == (int)wc->opcode) &&
		    (!rules[i].qpn || rules[i].qpn == wc->qp_num) && may_fail(q) &&
		    fault_rule_hits(&rules[i]))
			return i + 1;
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
