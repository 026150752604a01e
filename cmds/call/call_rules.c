/* SPDX-License-Identifier: MIT */
/*
 * What the libraries take for granted and do not check: a program that breaks it crashes or
 * hangs. Functions of extended QPs and CQs are pointers that may be NULL and must come in order;
 * ids have parts only after the calls that make them; events are acknowledged once.
 */
#include <string.h>

#include "calling.h"
#include "session.h"
#include "xmem.h"

/* Of a QP or CQ, as long as it lives. */
struct progress {
	LIST_ENTRY(progress) link;
	uint64_t serial;
	bool building;	  /* between ibv_wr_start() and its end */
	bool polling;	  /* between ibv_start_poll() and ibv_end_poll() */
	bool is_extended; /* a CQ of ibv_create_cq_ex() */
	unsigned events;  /* of ibv_get_cq_event(), not acknowledged */
};
static LIST_HEAD(, progress) all = LIST_HEAD_INITIALIZER(all);

static struct progress *progress_of(const struct obj *o)
{
	struct progress *p;

	LIST_FOREACH(p, &all, link)
		if (p->serial == o->serial)
			return p;
	p = xcalloc(1, sizeof *p);
	p->serial = o->serial;
	LIST_INSERT_HEAD(&all, p, link);
	return p;
}

static int refuse(struct calling *c, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(struct calling *c, const char *code, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return fail(c->s, c->fn->name, code, "%s not called: %s", c->fn->name, text);
}

static bool is_one_of(const struct calling *c, const char *const names[])
{
	for (; *names; names++)
		if (strcmp(*names, c->fn->name) == 0)
			return true;
	return false;
}

static enum call_object first_kind(const struct calling *c)
{
	return c->fn->args[0].name && c->fn->args[0].kind == CALL_OBJECT ? c->fn->args[0].object
									 : OBJECT_NONE;
}

/* ------------------------------------------------------------ extended QPs and CQs -- */

/* The member that the inline function calls: ibv_wr_send() is .wr_send, ibv_wc_read_sl() is
 * .read_sl. */
static const struct call_value *member_of(const struct calling *c)
{
	const struct call_struct *of = call_objects[first_kind(c)].of;
	const char *name = c->fn->name + strlen("ibv_");

	if (strncmp(name, "wc_", 3) == 0)
		name += 3;
	if (strcmp(name, "read_invalidated_rkey") == 0)
		name = "read_imm_data";
	return of ? call_value_find(of->fields, name) : NULL;
}

static int has_member(struct calling *c)
{
	const struct call_value *m = member_of(c);
	void *function;

	if (!m || m->kind != CALL_CALLBACK)
		return 0;
	memcpy(&function, (char *)(uintptr_t)c->arg[0] + m->offset, sizeof function);
	if (function)
		return 0;
	refuse(c, "EOPNOTSUPP", "%s was not made for it", c->used[0]->name);
	return fail_row(c->s, "remedy", "%s",
			first_kind(c) == OBJECT_QP_EX
				? "name the operation in send_ops_flags of ibv_create_qp_ex"
				: "name the value in wc_flags of ibv_create_cq_ex");
}

static int wr_rules(struct calling *c)
{
	static const char *const ends[] = { "ibv_wr_complete", "ibv_wr_abort", NULL };
	struct progress *p = progress_of(c->used[0]);
	bool starts = strcmp(c->fn->name, "ibv_wr_start") == 0;

	if (starts && p->building)
		return refuse(c, "BADSTATE",
			      "it was called already: ibv_wr_complete or "
			      "ibv_wr_abort comes next");
	if (!starts && !p->building)
		return refuse(c, "BADSTATE", "ibv_wr_start comes first");
	if (has_member(c))
		return -1;
	p->building = !is_one_of(c, ends); /* also when they fail */
	return 0;
}

static int poll_rules(struct calling *c)
{
	const struct progress *p = progress_of(c->used[0]);
	bool starts = strcmp(c->fn->name, "ibv_start_poll") == 0;

	if (!p->is_extended) {
		refuse(c, "EINVAL", "%s is not an extended CQ", c->used[0]->name);
		return fail_next(c->s, "call ibv_create_cq_ex DEVICE {cqe 16}");
	}
	if (strcmp(c->fn->name, "ibv_cq_ex_to_cq") == 0)
		return 0;
	if (starts && p->polling)
		return refuse(c, "BADSTATE", "polling already: ibv_next_poll or ibv_end_poll");
	if (!starts && !p->polling)
		return refuse(c, "BADSTATE", "ibv_start_poll comes first, and must find one");
	return has_member(c);
}

/* Others wait for what is open: the library holds its lock. */
static int open_rules(struct calling *c)
{
	for (unsigned i = 0; i < c->nused; i++) {
		const struct progress *p = progress_of(c->used[i]);

		if (p->building && first_kind(c) != OBJECT_QP_EX)
			return refuse(c, "BADSTATE", "ibv_wr_complete or ibv_wr_abort of %s first",
				      c->used[i]->name);
		if (p->polling && first_kind(c) != OBJECT_CQ_EX)
			return refuse(c, "BADSTATE", "ibv_end_poll of %s first", c->used[i]->name);
	}
	return 0;
}

/* --------------------------------------------------------------------------- QPs -- */

static int need(struct calling *c, const void *p, const char *what)
{
	return p ? 0 : refuse(c, "EINVAL", "%s is missing", what);
}

static int create_qp_rules(struct calling *c)
{
	const struct ibv_qp_init_attr *a = (const void *)(uintptr_t)c->arg[1];

	return need(c, a->send_cq, "send_cq") || need(c, a->recv_cq, "recv_cq") ? -1 : 0;
}

static int create_qp_ex_rules(struct calling *c)
{
	const struct ibv_qp_init_attr_ex *a = (const void *)(uintptr_t)c->arg[1];

	if (a->qp_type == IBV_QPT_XRC_RECV)
		return need(c, a->xrcd, "xrcd") ? -1 : 0;
	if (a->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE)
		return need(c, a->pd, "pd") ? -1 : 0;
	if (need(c, a->pd, "pd") || need(c, a->send_cq, "send_cq"))
		return -1;
	return a->qp_type == IBV_QPT_XRC_SEND ? 0 : need(c, a->recv_cq, "recv_cq") ? -1 : 0;
}

static int srq_ex_rules(struct calling *c, const struct ibv_srq_init_attr_ex *a)
{
	if (need(c, a->pd, "pd"))
		return -1;
	if (a->comp_mask & IBV_SRQ_INIT_ATTR_TYPE && a->srq_type == IBV_SRQT_XRC)
		return need(c, a->xrcd, "xrcd") || need(c, a->cq, "cq") ? -1 : 0;
	return 0;
}

/* ---------------------------------------------------------------------------- ids -- */

/* What of an id must be there: the calls look at it without asking. */
static int id_rules(struct calling *c)
{
	static const char *const of_qp[] = {
		"rdma_destroy_qp",  "rdma_post_sendv",	 "rdma_post_send",
		"rdma_post_read",   "rdma_post_readv",	 "rdma_post_write",
		"rdma_post_writev", "rdma_post_ud_send", NULL
	};
	static const char *const of_pd[] = { "rdma_reg_msgs", "rdma_reg_read", "rdma_reg_write",
					     NULL };
	static const char *const of_device[] = { "rdma_create_qp",
						 "rdma_create_qp_ex",
						 "rdma_create_srq",
						 "rdma_create_srq_ex",
						 "rdma_connect",
						 "rdma_accept",
						 "rdma_resolve_route",
						 "rdma_disconnect",
						 "rdma_join_multicast",
						 "rdma_join_multicast_ex",
						 "rdma_leave_multicast",
						 NULL };
	static const char *const of_receives[] = { "rdma_post_recv", "rdma_post_recvv", NULL };
	static const char *const of_param[] = { "rdma_connect", "rdma_accept", NULL };
	const struct rdma_cm_id *id = (const void *)(uintptr_t)c->arg[0];

	if (is_one_of(c, of_qp) && need(c, id->qp, "the QP of the id"))
		return -1;
	if (is_one_of(c, of_pd) && need(c, id->pd, "the PD of the id"))
		return -1;
	if (is_one_of(c, of_device) && need(c, id->verbs,
					    "the device of the id: its address is "
					    "not resolved"))
		return -1;
	if (is_one_of(c, of_receives) &&
	    need(c, id->qp ? (void *)id->qp : (void *)id->srq, "the QP or SRQ of the id"))
		return -1;
	if (is_one_of(c, of_param) && !id->qp &&
	    need(c, (void *)(uintptr_t)c->arg[1], "conn_param, for an id without a QP,"))
		return -1;
	if (strcmp(c->fn->name, "rdma_resolve_route") == 0 && !id->route.addr.dst_addr.sa_family)
		return refuse(c, "EINVAL", "the address of the peer is not resolved");
	if (strcmp(c->fn->name, "rdma_destroy_srq") == 0 && need(c, id->srq, "the SRQ of the id"))
		return -1;
	if (strcmp(c->fn->name, "rdma_destroy_id") == 0 && handle_is_own(c->used[0]) &&
	    (id->qp || id->srq)) {
		refuse(c, "EBUSY", "%s has %s", c->used[0]->name, id->qp ? "a QP" : "an SRQ");
		return fail_next(c->s, "call rdma_destroy_%s %s", id->qp ? "qp" : "srq",
				 c->used[0]->name);
	}
	if (strcmp(c->fn->name, "rdma_get_send_comp") == 0 &&
	    need(c, id->send_cq_channel, "the completion channel of the id"))
		return -1;
	if (strcmp(c->fn->name, "rdma_get_recv_comp") == 0 &&
	    need(c, id->recv_cq_channel, "the completion channel of the id"))
		return -1;
	return 0;
}

/* The shell knows what its own ids and channels have; that must not change behind it. */
static int shell_rules(struct calling *c)
{
	static const char *const changes[] = { "rdma_create_qp",
					       "rdma_create_qp_ex",
					       "rdma_create_srq",
					       "rdma_create_srq_ex",
					       "rdma_destroy_qp",
					       "rdma_destroy_srq",
					       "rdma_destroy_ep",
					       "rdma_migrate_id",
					       "rdma_get_request",
					       "rdma_get_cm_event",
					       "ibv_get_async_event",
					       "ibv_get_cq_event",
					       NULL };

	if (!is_one_of(c, changes) || handle_is_own(c->used[0]))
		return 0;
	refuse(c, "EBUSY", "%s is served by the shell", c->used[0]->name);
	return fail_row(c->s, "remedy",
			"use the commands of the shell for it (wait, qp create -id, cm ...), or "
			"make one with call");
}

/* The receive must be within its region: the library asserts it. */
static int recv_rules(struct calling *c)
{
	const struct ibv_mr *mr = (const void *)(uintptr_t)c->arg[4];
	uint64_t from = (uintptr_t)mr->addr;

	if (c->arg[2] >= from && c->arg[2] - from <= mr->length &&
	    c->arg[3] <= mr->length - (c->arg[2] - from))
		return 0;
	return refuse(c, "EINVAL", "these bytes are not within the region");
}

/* rxe's library looks at the region without asking, also when nothing is bound. */
static int bind_mw_rules(struct calling *c)
{
	const struct ibv_mw_bind *bind = (const void *)(uintptr_t)c->arg[2];

	return bind ? need(c, bind->bind_info.mr, "bind_info.mr") : 0;
}

/* A completion that has a GRH needs it. */
static int grh_rules(struct calling *c)
{
	unsigned wc = 0;

	while (strcmp(c->fn->args[wc].name, "wc") != 0)
		wc++;
	if (!(((const struct ibv_wc *)(uintptr_t)c->arg[wc])->wc_flags & IBV_WC_GRH))
		return 0;
	return need(c, (void *)(uintptr_t)c->arg[wc + 1], "grh");
}

/* ------------------------------------------------------------------------ the call -- */

int call_rules(struct calling *c)
{
	const char *name = c->fn->name;
	enum call_object first = first_kind(c);

	if (c->nused && (shell_rules(c) || open_rules(c)))
		return -1;
	if (strcmp(name, "ibv_ack_cq_events") == 0 && c->arg[1] > progress_of(c->used[0])->events)
		return refuse(c, "EINVAL", "%s has %u events that are not acknowledged",
			      c->used[0]->name, progress_of(c->used[0])->events);
	if (strncmp(name, "ibv_unimport_", 13) == 0 &&
	    (!handle_as_lib(c->used[0]) || handle_as_lib(c->used[0])->ends != c->fn))
		return refuse(c, "EINVAL", "%s was not imported", c->used[0]->name);
	if (strcmp(name, "ibv_is_qpt_supported") == 0 && c->arg[1] >= 32)
		return refuse(c, "EINVAL", "no capability has a bit for this type");
	if (strcmp(name, "ibv_create_qp") == 0)
		return create_qp_rules(c);
	if (strcmp(name, "ibv_create_qp_ex") == 0)
		return create_qp_ex_rules(c);
	if (strcmp(name, "ibv_create_srq_ex") == 0)
		return srq_ex_rules(c, (const void *)(uintptr_t)c->arg[1]);
	if (strcmp(name, "ibv_bind_mw") == 0)
		return bind_mw_rules(c);
	if (strcmp(name, "ibv_init_ah_from_wc") == 0 || strcmp(name, "ibv_create_ah_from_wc") == 0)
		return grh_rules(c);
	if (strcmp(name, "rdma_post_recv") == 0 && recv_rules(c))
		return -1;
	if (first == OBJECT_CM_ID)
		return id_rules(c);
	if (first == OBJECT_QP_EX)
		return wr_rules(c);
	return first == OBJECT_CQ_EX ? poll_rules(c) : 0;
}

void call_rules_after(struct calling *c, uint64_t result)
{
	const char *name = c->fn->name;
	struct obj *cq;

	(void)result;
	if (strcmp(name, "ibv_start_poll") == 0)
		progress_of(c->used[0])->polling = true;
	else if (strcmp(name, "ibv_end_poll") == 0)
		progress_of(c->used[0])->polling = false;
	else if (strcmp(name, "ibv_ack_cq_events") == 0)
		progress_of(c->used[0])->events -= (unsigned)c->arg[1];
	else if (strcmp(name, "ibv_create_cq_ex") == 0 &&
		 (cq = handle_find(c->s, OBJECT_CQ, (void *)(uintptr_t)result)))
		progress_of(cq)->is_extended = true;
	else if (strcmp(name, "ibv_get_cq_event") == 0 &&
		 (cq = handle_find(c->s, OBJECT_CQ, *(void **)(uintptr_t)c->arg[1])))
		progress_of(cq)->events++;
}
