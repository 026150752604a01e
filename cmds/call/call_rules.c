/* SPDX-License-Identifier: MIT */
/*
 * Preconditions that the libraries do not check: a program that violates one crashes or hangs. The
 * functions of extended QPs and CQs are pointers that may be NULL, and must be called in order. An
 * id has a part only after the call that creates it. An event is acknowledged once.
 */
#include <string.h>

#include "call/calling.h"
#include "recorded.h"
#include "session.h"

static int refuse_call(struct calling *c, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse_call(struct calling *c, const char *code, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return fail(c->s, c->fn->name, code, "%s not called: %s", c->fn->name, text);
}

static enum call_object first_kind(const struct calling *c)
{
	return c->fn->args[0].name && c->fn->args[0].kind == CALL_OBJECT ? c->fn->args[0].object
									 : OBJECT_NONE;
}

/* ------------------------------------------------------------ extended QPs and CQs -- */

/* A library that is older than an operation has something else where its pointer would be: so
 * those of a QP are known by the flags with which it was made. */
static bool is_available(const struct calling *c)
{
	void *function;

	if (!c->fn->member)
		return true;
	if (c->fn->asked)
		return c->used[0]->calls.send_ops & c->fn->asked;
	memcpy(&function, (char *)(uintptr_t)c->arg[0] + c->fn->member, sizeof function);
	return function;
}

static int has_member(struct calling *c)
{
	if (is_available(c))
		return 0;
	refuse_call(c, "EOPNOTSUPP", "%s was not made for it", c->used[0]->name);
	return fail_row(c->s, "remedy", "%s",
			first_kind(c) == OBJECT_QP_EX
				? "name the operation in send_ops_flags of ibv_create_qp_ex"
				: "name the value in wc_flags of ibv_create_cq_ex");
}

static int wr_rules(struct calling *c)
{
	struct obj_calls *p = &c->used[0]->calls;
	bool starts = c->fn->step == CALL_FIRST;

	if (starts && p->building)
		return refuse_call(c, "BADSTATE",
				   "it was called already: ibv_wr_complete or "
				   "ibv_wr_abort comes next");
	if (!starts && !p->building)
		return refuse_call(c, "BADSTATE", "ibv_wr_start comes first");
	if (has_member(c))
		return -1;
	p->building = c->fn->step != CALL_LAST; /* also if the call fails */
	return 0;
}

static int poll_rules(struct calling *c)
{
	const struct obj_calls *p = &c->used[0]->calls;
	bool starts = c->fn->step == CALL_FIRST;

	if (!p->is_extended) {
		refuse_call(c, "EINVAL", "%s is not an extended CQ", c->used[0]->name);
		return fail_next(c->s, "call ibv_create_cq_ex DEVICE {cqe 16}");
	}
	if (c->fn->result.role == CALL_FOUND) /* the CQ that it is */
		return 0;
	if (starts && p->polling)
		return refuse_call(
			c, "BADSTATE",
			"it was called already: ibv_next_poll or ibv_end_poll comes next");
	if (!starts && !p->polling)
		return refuse_call(c, "BADSTATE",
				   "ibv_start_poll comes first, and must find a completion");
	return has_member(c);
}

/* From the first to the last call of a sequence the library holds a lock, so that any other call
 * with this QP or CQ would wait for ever. */
static int open_rules(struct calling *c)
{
	for (unsigned i = 0; i < c->nused; i++) {
		const struct obj_calls *p = &c->used[i]->calls;

		if (p->building && first_kind(c) != OBJECT_QP_EX)
			return refuse_call(c, "BADSTATE",
					   "ibv_wr_complete or ibv_wr_abort of %s first",
					   c->used[i]->name);
		if (p->polling && first_kind(c) != OBJECT_CQ_EX)
			return refuse_call(c, "BADSTATE", "ibv_end_poll of %s first",
					   c->used[i]->name);
	}
	return 0;
}

/* --------------------------------------------------------------------------- QPs -- */

static int need_member(struct calling *c, const void *p, const char *what)
{
	return p ? 0 : refuse_call(c, "EINVAL", "%s is missing", what);
}

static int create_qp_rules(struct calling *c)
{
	const struct ibv_qp_init_attr *a = (const void *)(uintptr_t)c->arg[1];

	return need_member(c, a->send_cq, "send_cq") || need_member(c, a->recv_cq, "recv_cq") ? -1
											      : 0;
}

static int create_qp_ex_rules(struct calling *c)
{
	const struct ibv_qp_init_attr_ex *a = (const void *)(uintptr_t)c->arg[1];

	if (a->qp_type == IBV_QPT_XRC_RECV)
		return need_member(c, a->xrcd, "xrcd") ? -1 : 0;
	if (a->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE)
		return need_member(c, a->pd, "pd") ? -1 : 0;
	if (need_member(c, a->pd, "pd") || need_member(c, a->send_cq, "send_cq"))
		return -1;
	return a->qp_type == IBV_QPT_XRC_SEND ? 0 : need_member(c, a->recv_cq, "recv_cq") ? -1 : 0;
}

static int srq_ex_rules(struct calling *c)
{
	const struct ibv_srq_init_attr_ex *a = (const void *)(uintptr_t)c->arg[1];

	if (need_member(c, a->pd, "pd"))
		return -1;
	if (a->comp_mask & IBV_SRQ_INIT_ATTR_TYPE && a->srq_type == IBV_SRQT_XRC)
		return need_member(c, a->xrcd, "xrcd") || need_member(c, a->cq, "cq") ? -1 : 0;
	return 0;
}

/* ---------------------------------------------------------------------------- ids -- */

/* Parts of an id, which other calls create: one of the two pointers must be set. */
static const struct {
	enum call_need need;
	size_t at, or_at;
	const char *what;
} parts[] = {
#define PART(need, member, other, what)                           \
	{                                                         \
		NEED_##need, offsetof(struct rdma_cm_id, member), \
			offsetof(struct rdma_cm_id, other), what  \
	}
	PART(QP, qp, qp, "the QP of the id"),
	PART(PD, pd, pd, "the PD of the id"),
	PART(DEVICE, verbs, verbs, "the device of the id: its address is not resolved"),
	PART(SRQ, srq, srq, "the SRQ of the id"),
	PART(RECEIVES, qp, srq, "the QP or SRQ of the id"),
	PART(SEND_CHANNEL, send_cq_channel, send_cq_channel, "the completion channel of the id"),
	PART(RECV_CHANNEL, recv_cq_channel, recv_cq_channel, "the completion channel of the id"),
};

static bool has_part(const struct rdma_cm_id *id, size_t at)
{
	return *(void *const *)((const char *)id + at);
}

/* The function uses these parts of the id without a check, so they must exist. */
static int id_rules(struct calling *c)
{
	const struct rdma_cm_id *id = (const void *)(uintptr_t)c->arg[0];

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (c->fn->needs & parts[i].need && !has_part(id, parts[i].at) &&
		    !has_part(id, parts[i].or_at))
			return need_member(c, NULL, parts[i].what);
	if (c->fn->needs & NEED_ADDRESS && !id->route.addr.dst_addr.sa_family)
		return need_member(c, NULL, "the address of the peer");
	if (c->fn->needs & NEED_PARAM && !id->qp && !c->arg[1])
		return need_member(c, NULL, "conn_param, for an id without a QP,");
	if (c->fn->needs & NEED_NO_PARTS && handle_is_own(c->used[0]) && (id->qp || id->srq)) {
		refuse_call(c, "EBUSY", "%s has %s", c->used[0]->name, id->qp ? "a QP" : "an SRQ");
		return fail_next(c->s, "call rdma_destroy_%s %s", id->qp ? "qp" : "srq",
				 c->used[0]->name);
	}
	return 0;
}

/* The shell keeps the state of its own ids and channels, which call would change unnoticed. */
static int shell_rules(struct calling *c)
{
	if (!c->fn->serves || handle_is_own(c->used[0]))
		return 0;
	refuse_call(c, "EBUSY", "%s is served by the shell", c->used[0]->name);
	return fail_row(c->s, "remedy",
			"use the commands of the shell for it (wait, qp create -id, cm ...), or "
			"make one with call");
}

/* The buffer must be within its region: the library asserts this. */
static int recv_rules(struct calling *c)
{
	const struct ibv_mr *mr = (const void *)(uintptr_t)c->arg[4];
	uint64_t from = (uintptr_t)mr->addr;

	if (c->arg[2] >= from && c->arg[2] - from <= mr->length &&
	    c->arg[3] <= mr->length - (c->arg[2] - from))
		return 0;
	return refuse_call(c, "EINVAL", "these bytes are not within the region");
}

/* rxe's library uses the region without a check, also to unbind. */
static int bind_mw_rules(struct calling *c)
{
	const struct ibv_mw_bind *bind = (const void *)(uintptr_t)c->arg[2];

	return bind ? need_member(c, bind->bind_info.mr, "bind_info.mr") : 0;
}

/* For a completion with IBV_WC_GRH the function reads the GRH. */
static int grh_rules(struct calling *c)
{
	unsigned wc = 0;

	while (c->fn->args[wc].of != call_table[ROW_ibv_poll_cq].args[2].of)
		wc++;
	if (!(((const struct ibv_wc *)(uintptr_t)c->arg[wc])->wc_flags & IBV_WC_GRH))
		return 0;
	return need_member(c, (void *)(uintptr_t)c->arg[wc + 1], "grh");
}

static int ack_rules(struct calling *c)
{
	if (c->arg[1] <= c->used[0]->calls.events)
		return 0;
	return refuse_call(c, "EINVAL", "%s has %u events that are not acknowledged",
			   c->used[0]->name, c->used[0]->calls.events);
}

static int import_rules(struct calling *c)
{
	if (handle_as_lib(c->used[0]) && handle_as_lib(c->used[0])->ends == c->fn)
		return 0;
	return refuse_call(c, "EINVAL", "%s was not imported", c->used[0]->name);
}

static int qpt_rules(struct calling *c)
{
	return c->arg[1] < 32 ? 0
			      : refuse_call(c, "EINVAL", "no capability has a bit for this type");
}

/* ------------------------------------------------------------------------ the call -- */

static int (*const rules[])(struct calling *c) = {
	[RULE_QP_INIT] = create_qp_rules,  [RULE_QP_INIT_EX] = create_qp_ex_rules,
	[RULE_SRQ_INIT_EX] = srq_ex_rules, [RULE_MW_BIND] = bind_mw_rules,
	[RULE_WC_GRH] = grh_rules,	   [RULE_WITHIN_MR] = recv_rules,
	[RULE_CQ_EVENTS] = ack_rules,	   [RULE_QPT_BIT] = qpt_rules,
	[RULE_IMPORTED] = import_rules,	   [RULE_MCAST_JOIN_EX] = NULL, /* the last rule */
};

int call_rules(struct calling *c)
{
	enum call_object first = first_kind(c);

	if (c->nused && (shell_rules(c) || open_rules(c)))
		return -1;
	if (rules[c->fn->rule] && rules[c->fn->rule](c))
		return -1;
	if (first == OBJECT_CM_ID)
		return id_rules(c);
	if (first == OBJECT_QP_EX)
		return wr_rules(c);
	return first == OBJECT_CQ_EX ? poll_rules(c) : 0;
}

/* The CQ that the call has created, or whose event it has taken; NULL: neither. */
static struct obj *cq_of(struct calling *c, uint64_t result)
{
	const struct call_value *cq = call_value_find(c->fn->args, "cq");

	if (c->fn->result.kind == CALL_OBJECT && c->fn->result.object == OBJECT_CQ_EX)
		return handle_find(c->s, OBJECT_CQ, (void *)(uintptr_t)result);
	if (cq && cq->role == CALL_FOUND)
		return handle_find(c->s, OBJECT_CQ, *(void **)(uintptr_t)c->arg[cq - c->fn->args]);
	return NULL;
}

bool call_polls(const struct call_fn *fn)
{
	return (fn->step == CALL_FIRST || fn->step == CALL_NEXT) &&
	       fn->args[0].object == OBJECT_CQ_EX;
}

static void keep_send_ops(struct calling *c, uint64_t result)
{
	const struct ibv_qp_init_attr_ex *attr = (void *)(uintptr_t)c->arg[1];
	struct obj *qp = handle_find(c->s, OBJECT_QP, (void *)(uintptr_t)result);

	if (qp && attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		qp->calls.send_ops = attr->send_ops_flags;
}

void call_rules_after(struct calling *c, uint64_t result)
{
	struct obj *cq = cq_of(c, result);

	if (c->fn == &call_table[ROW_ibv_create_qp_ex])
		keep_send_ops(c, result);
	else if (c->fn->step && first_kind(c) == OBJECT_CQ_EX)
		c->used[0]->calls.polling = call_polls(c->fn);
	else if (c->fn->rule == RULE_CQ_EVENTS)
		c->used[0]->calls.events -= (unsigned)c->arg[1];
	else if (cq && c->fn->says == RESULT_POINTER)
		cq->calls.is_extended = true;
	else if (cq)
		cq->calls.events++;
}
