/* SPDX-License-Identifier: MIT */
/*
 * Live objects and the libraries' objects behind them. An object that call creates becomes one of
 * a command's class where its struct fits, so that post, poll and other commands work with it.
 * Anything else becomes a struct lib_obj, which knows the function that destroys it.
 */
#include <errno.h>
#include <rdma/rdma_verbs.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "call/calling.h"
#include "call_record.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "device/device.h"
#include "object_make.h"
#include "objects.h"
#include "out.h"
#include "session.h"
#include "why.h"

/* ------------------------------------------------------------------- lib objects -- */

/* rdma_destroy_id() does not destroy the QP and SRQ of the id. */
static void destroy_parts(struct rdma_cm_id *id)
{
	if (id->qp)
		rdma_destroy_qp(id);
	if (id->srq)
		rdma_destroy_srq(id);
}

static int lib_destroy(struct session *s, struct obj *o)
{
	struct lib_obj *lib = (struct lib_obj *)o;
	uint64_t arg = (uintptr_t)lib->v;

	if (!lib->v)
		return munmap(lib->mem, lib->len);
	if (o->class->kind == OBJECT_CM_ID)
		destroy_parts(lib->v);
	if (lib->ends->invoke(&arg) && lib->ends->says == RESULT_STATUS)
		return call_fail(s, "%s", o->name);
	if (o->class->kind == OBJECT_ASYNC_EVENT)
		free(lib->v);
	return 0;
}

static void list_names(const struct lib_obj *lib, struct out *out)
{
	out_list(out, "devices");
	for (unsigned i = 0; ((void **)lib->v)[i]; i++) {
		struct ibv_device *d = lib->o.class->kind == OBJECT_DEVICE_LIST
					       ? ((struct ibv_device **)lib->v)[i]
					       : ((struct ibv_context **)lib->v)[i]->device;

		out_str(out, NULL, ibv_get_device_name(d), "  %s", ibv_get_device_name(d));
	}
	out_end(out);
}

/* The state is that of the last call that modified or queried the QP. */
static void describe_qp(const struct ibv_qp *qp, struct out *out)
{
	const struct call_struct *ex = call_objects[OBJECT_QP_EX].of;
	const struct call_value *fields = call_value_find(ex->fields, "qp_base")->of->fields;
	const char *type = call_word_name(call_value_find(fields, "qp_type")->words, qp->qp_type);
	const char *state = call_word_name(call_value_find(fields, "state")->words, qp->state);

	out_u64(out, "qpn", qp->qp_num, "  qpn %u", qp->qp_num);
	if (type)
		out_str(out, "type", type, "  %s", type);
	if (state)
		out_str(out, "state", state, "  %s", state);
}

/* Of the last event of an id that has no channel of its own. */
static void describe_private(const struct rdma_cm_id *id, struct out *out)
{
	const struct rdma_conn_param *p = id->event ? &id->event->param.conn : NULL;

	if (p && p->private_data)
		out_bytes(out, "private_data", p->private_data, p->private_data_len);
}

static void lib_describe(struct session *s, struct obj *o, struct out *out)
{
	struct lib_obj *lib = (struct lib_obj *)o;
	const struct call_struct *of = call_objects[o->class->kind].of;
	const struct ibv_context *context = handle_context(o);
	const struct ibv_qp *qp = handle_pointer(o, OBJECT_QP);

	out_str(out, "name", o->name, "%s %s", o->class->prefix, o->name);
	out_text(out, "  %s", o->class->title);
	if (context)
		out_str(out, "device", ibv_get_device_name(context->device), "  on %s",
			ibv_get_device_name(context->device));
	if (lib->mem) {
		out_u64(out, "addr", (uintptr_t)lib->mem, "  at %p", lib->mem);
		out_u64(out, "len", lib->len, "  %zu B", lib->len);
	}
	if (qp) /* of a type that qp create does not make, or of an id */
		describe_qp(qp, out);
	if (o->class->kind == OBJECT_DEVICE_LIST || o->class->kind == OBJECT_CONTEXT_LIST)
		list_names(lib, out);
	if (o->class->kind == OBJECT_CM_ID)
		describe_private(lib->v, out);
	out_text(out, "\n");
	if (of)
		call_out_struct(s, of, lib->v, out);
}

static void *lib_memory(const struct obj *o, size_t *len)
{
	const struct lib_obj *lib = (const struct lib_obj *)o;

	*len = lib->len;
	return lib->mem;
}

#define LIB(kind_, prefix_, title_, ...)                    \
	[kind_] = { .kind = kind_,                          \
		    .prefix = prefix_,                      \
		    .title = title_,                        \
		    .size = sizeof(struct lib_obj),         \
		    .pointer = offsetof(struct lib_obj, v), \
		    .memory = lib_memory,                   \
		    .destroy = lib_destroy,                 \
		    .describe = lib_describe,               \
		    __VA_ARGS__ }

static const struct obj_class lib_classes[OBJECT_KINDS] = {
	LIB(OBJECT_NONE, "buf", "memory", .remedy = "buf 4096"),
	LIB(OBJECT_CONTEXT, "ctx", "device context"),
	LIB(OBJECT_PD, "pd", "protection domain"),
	LIB(OBJECT_TD, "td", "thread domain", .remedy = "call ibv_alloc_td DEVICE {}"),
	LIB(OBJECT_XRCD, "xrcd", "XRC domain", .remedy = "call ibv_open_xrcd DEVICE {fd -1}"),
	LIB(OBJECT_MR, "mr", "memory region"),
	LIB(OBJECT_MW, "mw", "memory window"),
	LIB(OBJECT_COMP_CHANNEL, "cc", "completion channel"),
	LIB(OBJECT_CQ, "cq", "completion queue"),
	LIB(OBJECT_CQ_EX, "cq", "extended completion queue"),
	LIB(OBJECT_SRQ, "srq", "shared receive queue"),
	LIB(OBJECT_WQ, "wq", "work queue", .remedy = "call ibv_create_wq DEVICE {...}"),
	LIB(OBJECT_RWQ_IND_TABLE, "ind", "indirection table of work queues"),
	LIB(OBJECT_QP, "qp", "queue pair"),
	LIB(OBJECT_AH, "ah", "address handle"),
	LIB(OBJECT_FLOW, "flow", "flow"),
	LIB(OBJECT_FLOW_ACTION, "action", "flow action"),
	LIB(OBJECT_DM, "dm", "device memory", .remedy = "call ibv_alloc_dm DEVICE {length 64}"),
	LIB(OBJECT_COUNTERS, "ctrs", "counters"),
	LIB(OBJECT_ASYNC_EVENT, "async", "asynchronous event", .destroyed_first = true),
	LIB(OBJECT_EVENT_CHANNEL, "ec", "event channel"),
	LIB(OBJECT_CM_ID, "id", "connection id"),
	LIB(OBJECT_CM_EVENT, "ev", "event of the connection manager", .destroyed_first = true),
	LIB(OBJECT_ADDRINFO, "ai", "resolved address",
	    .remedy = "call rdma_getaddrinfo HOST PORT {...}"),
	LIB(OBJECT_DEVICE_LIST, "devs", "list of devices"),
	LIB(OBJECT_CONTEXT_LIST, "ctxs", "list of open devices"),
};

struct lib_obj *handle_as_lib(const struct obj *o)
{
	if (o->class < lib_classes || o->class >= lib_classes + OBJECT_KINDS)
		return NULL;
	return (struct lib_obj *)o;
}

/* --------------------------------------------------------- objects of commands -- */

static void *plain_pointer(const struct obj *o, enum call_object want)
{
	return o->class->kind == want ? obj_pointer(o) : NULL;
}

/* Where a QP is wanted, an id stands for its QP. */
static struct ibv_qp *qp_of_id(const struct obj *o)
{
	const struct rdma_cm_id *id = plain_pointer(o, OBJECT_CM_ID);

	return id ? id->qp : NULL;
}

void *handle_pointer(const struct obj *o, enum call_object want)
{
	struct ibv_context *context;
	struct ibv_qp_ex *qp_ex;
	struct ibv_qp *qp;

	switch (want) {
	case OBJECT_DEVICE:
		context = plain_pointer(o, OBJECT_CONTEXT);
		return context ? context->device : NULL;
	case OBJECT_QP_EX: /* NULL, too, of a QP that is not an extended one */
		qp = plain_pointer(o, OBJECT_QP);
		record_aside(1);
		qp_ex = qp ? ibv_qp_to_qp_ex(qp) : NULL;
		record_aside(-1);
		return qp_ex;
	case OBJECT_QP:
		return plain_pointer(o, OBJECT_QP) ? plain_pointer(o, OBJECT_QP) : qp_of_id(o);
	case OBJECT_CQ_EX: /* call_rules.c checks that it is an extended one */
		return plain_pointer(o, OBJECT_CQ);
	default:
		return plain_pointer(o, want);
	}
}

void handle_name(const struct obj *o)
{
	void *v = obj_pointer(o);

	if (v)
		record_object_name(v, o->class->kind, o->name);
}

struct obj *handle_find(struct session *s, enum call_object kind, const void *v)
{
	struct obj *o;

	if (kind != OBJECT_DEVICE) {
		o = obj_by_pointer(s, NULL, v);
		while (o && handle_pointer(o, kind) != v)
			o = obj_next_pointer(o);
		return o;
	}
	obj_foreach_of(o, s, &dev_class)
		if (handle_pointer(o, kind) == v)
			return o;
	obj_foreach_of(o, s, &lib_classes[OBJECT_CONTEXT])
		if (handle_pointer(o, kind) == v)
			return o;
	return NULL;
}

struct ibv_context *handle_context(const struct obj *o)
{
	const struct lib_obj *lib = handle_as_lib(o);
	void *v = obj_pointer(o);

	if (o->class->kind == OBJECT_CONTEXT)
		return v;
	if (o->class->kind == OBJECT_CM_ID)
		return ((const struct rdma_cm_id *)v)->verbs;
	if (lib)
		return lib->context;
	/* in all others the context is the first member */
	return v && o->class->kind != OBJECT_EVENT_CHANNEL ? *(struct ibv_context **)v : NULL;
}

bool handle_is_own(const struct obj *o)
{
	if (o->class == &cc_class)
		return !((const struct cc *)o)->s;
	return handle_as_lib(o);
}

char *handle_memory(const struct obj *o, size_t *len)
{
	*len = 0;
	return o->class->memory ? o->class->memory(o, len) : NULL;
}

/* ------------------------------------------------------------------------- adopt -- */

static void *used_of(const struct calling *c, const struct obj_class *class)
{
	for (unsigned i = 0; i < c->nused; i++)
		if (c->used[i]->class == class)
			return c->used[i];
	return NULL;
}

static void *of_class(struct session *s, const struct obj_class *class, enum call_object kind,
		      const void *v)
{
	struct obj *o = handle_find(s, kind, v);

	return o && o->class == class ? o : NULL;
}

/* A QP like those of qp create. NULL: its PD, a CQ or its SRQ is not an object of a command. */
static struct obj *adopt_qp(struct calling *c, struct ibv_qp *v, const char *name)
{
	struct ibv_qp_init_attr init = { 0 };
	struct ibv_qp_attr attr = { 0 };
	struct qp_spec spec = {
		.type = v->qp_type,
		.pd = of_class(c->s, &pd_class, OBJECT_PD, v->pd),
		.send_cq = of_class(c->s, &cq_class, OBJECT_CQ, v->send_cq),
		.recv_cq = of_class(c->s, &cq_class, OBJECT_CQ, v->recv_cq),
		.srq = of_class(c->s, &srq_class, OBJECT_SRQ, v->srq),
	};
	struct qp *qp;

	if (!spec.pd || !spec.send_cq || !spec.recv_cq || (v->srq && !spec.srq))
		return NULL;
	qp = obj_new(c->s, &qp_class, name);
	qp->v = v;
	if (ibv_query_qp(v, &attr, IBV_QP_CAP, &init) == 0)
		qp->cap = attr.cap;
	spec.sq_sig_all = init.sq_sig_all;
	qp_adopt(c->s, qp, &spec);
	return &qp->o;
}

/* A region of ibv_reg_mr() in the memory of another object. NULL: it is something else. */
static struct obj *adopt_mr(struct calling *c, struct ibv_mr *v, const char *name)
{
	struct pd *pd = used_of(c, &pd_class);
	struct obj *owner = NULL;
	struct mr *mr;

	for (unsigned i = 0; i < c->nused && !owner; i++) {
		size_t len;

		owner = handle_memory(c->used[i], &len) ? c->used[i] : NULL;
	}
	if (!pd || !owner || c->fn->rule != RULE_REG_PLAIN)
		return NULL;
	mr = obj_new(c->s, &mr_class, name);
	mr->v = v;
	mr->pd = pd;
	mr->buf = v->addr;
	mr->len = v->length;
	mr->memory = owner;
	return &mr->o;
}

/* Classes whose objects need no more than the library's pointer and the parent. */
static const struct plain_class {
	const struct obj_class *class, *parent;
	size_t parent_offset;
} plain_classes[] = {
#define MADE_OF(x, parent) &x##_class, &parent##_class, offsetof(struct x, parent)
	{ MADE_OF(pd, dev) },
	{ MADE_OF(cc, dev) },
	{ MADE_OF(cq, dev) },
	{ MADE_OF(srq, pd) },
	{ MADE_OF(mw, pd) },
	{ MADE_OF(ah, pd) },
	{ 0 },
};

static struct obj *adopt_plain(struct calling *c, enum call_object kind, void *v, const char *name)
{
	const struct plain_class *p = plain_classes;
	struct obj *o, *parent;

	while (p->class && p->class->kind != kind)
		p++;
	parent = p->class ? used_of(c, p->parent) : NULL;
	if (!parent || (kind == OBJECT_AH && c->fn->rule != RULE_AH_PLAIN))
		return NULL; /* an AH whose destination is not known */
	o = obj_new(c->s, p->class, name);
	*(void **)((char *)o + p->class->pointer) = v;
	*(void **)((char *)o + p->parent_offset) = parent;
	if (kind == OBJECT_CQ)
		((struct cq *)o)->cc = used_of(c, &cc_class);
	if (kind == OBJECT_AH)
		((struct ah *)o)->attr = *(const struct ibv_ah_attr *)(uintptr_t)c->arg[1];
	return o;
}

static struct obj *adopt_lib(struct calling *c, enum call_object kind, void *v, const char *name)
{
	struct lib_obj *lib = obj_new(c->s, &lib_classes[kind], name);

	lib->v = v;
	lib->ends = call_find(c->fn->ended_by ? c->fn->ended_by : call_objects[kind].ended_by);
	for (unsigned i = 0; i < c->nused && !lib->context; i++)
		lib->context = handle_context(c->used[i]);
	if (kind == OBJECT_CONTEXT)
		lib->context = v;
	for (unsigned i = 0; i < c->nused && kind == OBJECT_MR && !lib->mem; i++)
		if (handle_memory(c->used[i], &lib->len)) {
			lib->mem = ((struct ibv_mr *)v)->addr;
			lib->len = ((struct ibv_mr *)v)->length;
		}
	return &lib->o;
}

/* May the object be destroyed before those that were created with it? */
static bool is_passing(const struct obj *o)
{
	const enum call_object kind = o->class->kind;

	return kind == OBJECT_ADDRINFO || kind == OBJECT_DEVICE_LIST || kind == OBJECT_CONTEXT_LIST;
}

struct obj *handle_adopt(struct calling *c, enum call_object kind, void *v, const char *name)
{
	struct obj *o;

	if (kind == OBJECT_CQ_EX)
		kind = OBJECT_CQ;
	o = kind == OBJECT_QP	? adopt_qp(c, v, name)
	    : kind == OBJECT_MR ? adopt_mr(c, v, name)
				: adopt_plain(c, kind, v, name);
	if (!o)
		o = adopt_lib(c, kind, v, name);
	for (unsigned i = 0; i < c->nused; i++)
		if (!is_passing(c->used[i]))
			obj_use(o, c->used[i]);
	if (o->life == OBJ_NEW) /* qp_adopt() has added it to the store already */
		obj_add(c->s, o);
	return o;
}

struct lib_obj *handle_make_buf(struct session *s, const char *name, size_t len)
{
	void *mem = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct lib_obj *buf;

	if (mem == MAP_FAILED) {
		fail_call(s, errno, "mmap", "%zu bytes", len);
		return NULL;
	}
	buf = obj_new(s, &lib_classes[OBJECT_NONE], name);
	if (!buf) {
		munmap(mem, len);
		return NULL;
	}
	buf->mem = mem;
	buf->len = len;
	obj_add(s, buf);
	return buf;
}

/* ----------------------------------------------------------------- groups -- */

/* A QP in a multicast group cannot be destroyed, so each membership is an object. Calls that join
 * and leave create and destroy it. */
struct group_call {
	bool ends;
	struct obj *o; /* QP or id */
	struct qp *qp; /* the one that receives, or NULL */
	union ibv_gid gid;
	const struct sockaddr *addr; /* of the group; NULL: attached by hand */
};

/* Fills g. False: the call does not join or leave a group. */
static bool group_of(const struct calling *c, struct group_call *g)
{
	const struct rdma_cm_join_mc_attr_ex *attr = (const void *)(uintptr_t)c->arg[1];
	enum call_rule rule = c->fn->rule;
	bool by_hand = rule == RULE_MCAST_ATTACH || rule == RULE_MCAST_DETACH;

	if (rule < RULE_MCAST_ATTACH || rule > RULE_MCAST_JOIN_EX ||
	    c->used[0]->class != (by_hand ? &qp_class : &id_class))
		return false;
	*g = (struct group_call){ .ends = rule == RULE_MCAST_DETACH || rule == RULE_MCAST_LEAVE,
				  .o = c->used[0] };
	if (by_hand) {
		g->qp = (struct qp *)g->o;
		g->gid = *(const union ibv_gid *)attr;
		return true;
	}
	g->addr = rule == RULE_MCAST_JOIN_EX ? attr->addr : (const void *)attr;
	g->gid = mcast_gid(g->addr);
	if (rule != RULE_MCAST_JOIN_EX || attr->join_flags != RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER)
		g->qp = ((struct id *)g->o)->qp;
	return true;
}

int handle_check_membership(struct calling *c)
{
	struct group_call g;

	if (!group_of(c, &g) || g.ends || !g.addr)
		return 0; /* attaching by hand again changes nothing */
	return mcast_check_once(c->s, c->fn->name, g.qp, &g.gid);
}

void handle_add_membership(struct calling *c)
{
	struct group_call g;

	if (!group_of(c, &g) || mcast_find(g.o, &g.gid))
		return;
	if (g.addr)
		mcast_joined(c->s, (struct id *)g.o, g.qp, g.addr, cm_addr_host(g.addr));
	else
		mcast_attached(c->s, g.qp, &g.gid, (uint16_t)c->arg[2], why_gid(&g.gid));
}

struct obj *handle_of_membership(struct calling *c)
{
	struct group_call g;
	struct mcast *m = group_of(c, &g) && g.ends ? mcast_find(g.o, &g.gid) : NULL;

	return m && (g.addr || !m->id) ? &m->o : NULL;
}
