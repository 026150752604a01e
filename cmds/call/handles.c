/* SPDX-License-Identifier: MIT */
/*
 * Live objects and what the libraries have behind them. What call makes becomes an object of a
 * command wherever that one's struct fits, so that post, poll and the others work with it; all
 * else is a struct lib_obj, which the function that belongs to it destroys.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <rdma/rdma_verbs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "call/calling.h"
#include "call_record.h"
#include "connection/cm.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"
#include "alloc.h"

/* ------------------------------------------------------------------- lib objects -- */

/* rdma_destroy_id() leaves its QP and SRQ behind. */
static void end_parts(struct rdma_cm_id *id)
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

	if (lib->kind == OBJECT_NONE)
		return munmap(lib->mem, lib->len);
	if (lib->kind == OBJECT_CM_ID)
		end_parts(lib->v);
	if (lib->ends->invoke(&arg) && lib->ends->says == RESULT_STATUS)
		return call_fail(s, "%s", o->name);
	if (lib->kind == OBJECT_ASYNC_EVENT)
		free(lib->v);
	return 0;
}

static void list_names(const struct lib_obj *lib, struct out *out)
{
	out_list(out, "devices");
	for (unsigned i = 0; ((void **)lib->v)[i]; i++) {
		struct ibv_device *d = lib->kind == OBJECT_DEVICE_LIST
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

static void lib_describe(struct session *s, struct obj *o, struct out *out)
{
	struct lib_obj *lib = (struct lib_obj *)o;
	const struct call_struct *of = call_objects[lib->kind].of;
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
	if (qp) /* of a type that `qp` does not make, or of an id */
		describe_qp(qp, out);
	if (lib->kind == OBJECT_DEVICE_LIST || lib->kind == OBJECT_CONTEXT_LIST)
		list_names(lib, out);
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

#define LIB(prefix_, title_, ...)                                                   \
	{                                                                           \
		.prefix = prefix_, .title = title_, .size = sizeof(struct lib_obj), \
		.pointer = offsetof(struct lib_obj, v), .memory = lib_memory,       \
		.destroy = lib_destroy, .describe = lib_describe, __VA_ARGS__       \
	}

static const struct obj_class lib_classes[OBJECT_KINDS] = {
	[OBJECT_NONE] = LIB("buf", "memory", .remedy = "buf 4096"),
	[OBJECT_CONTEXT] = LIB("ctx", "device context"),
	[OBJECT_PD] = LIB("pd", "protection domain"),
	[OBJECT_TD] = LIB("td", "thread domain", .remedy = "call ibv_alloc_td DEVICE {}"),
	[OBJECT_XRCD] = LIB("xrcd", "XRC domain", .remedy = "call ibv_open_xrcd DEVICE {fd -1}"),
	[OBJECT_MR] = LIB("mr", "memory region"),
	[OBJECT_MW] = LIB("mw", "memory window"),
	[OBJECT_COMP_CHANNEL] = LIB("cc", "completion channel"),
	[OBJECT_CQ] = LIB("cq", "completion queue"),
	[OBJECT_CQ_EX] = LIB("cq", "extended completion queue"),
	[OBJECT_SRQ] = LIB("srq", "shared receive queue"),
	[OBJECT_WQ] = LIB("wq", "work queue", .remedy = "call ibv_create_wq DEVICE {...}"),
	[OBJECT_RWQ_IND_TABLE] = LIB("ind", "indirection table of work queues"),
	[OBJECT_QP] = LIB("qp", "queue pair"),
	[OBJECT_AH] = LIB("ah", "address handle"),
	[OBJECT_FLOW] = LIB("flow", "flow"),
	[OBJECT_FLOW_ACTION] = LIB("action", "flow action"),
	[OBJECT_DM] = LIB("dm", "device memory", .remedy = "call ibv_alloc_dm DEVICE {length 64}"),
	[OBJECT_COUNTERS] = LIB("ctrs", "counters"),
	[OBJECT_ASYNC_EVENT] = LIB("async", "asynchronous event", .clings = true),
	[OBJECT_EVENT_CHANNEL] = LIB("ec", "event channel"),
	[OBJECT_CM_ID] = LIB("id", "connection id"),
	[OBJECT_CM_EVENT] = LIB("ev", "event of the connection manager", .clings = true),
	[OBJECT_ADDRINFO] = LIB("ai", "resolved address",
				.remedy = "call rdma_getaddrinfo HOST PORT {...}"),
	[OBJECT_DEVICE_LIST] = LIB("devs", "list of devices"),
	[OBJECT_CONTEXT_LIST] = LIB("ctxs", "list of open devices"),
};

struct lib_obj *handle_as_lib(const struct obj *o)
{
	if (o->class < lib_classes || o->class >= lib_classes + OBJECT_KINDS)
		return NULL;
	return (struct lib_obj *)o;
}

/* --------------------------------------------------------- objects of commands -- */

/* Where the library's pointer is, and what the object is made of. */
static const struct own_class {
	enum call_object kind;
	const struct obj_class *class;
	size_t offset;
	const struct obj_class *parent; /* NULL: it is adopted otherwise */
	size_t parent_offset;
} own[] = {
#define OWN(kind, x)	   OBJECT_##kind, &x##_class, offsetof(struct x, v)
#define MADE_OF(x, parent) &parent##_class, offsetof(struct x, parent)
	{ OWN(CONTEXT, dev), NULL, 0 },
	{ OWN(PD, pd), MADE_OF(pd, dev) },
	{ OWN(COMP_CHANNEL, cc), MADE_OF(cc, dev) },
	{ OWN(CQ, cq), MADE_OF(cq, dev) },
	{ OWN(SRQ, srq), MADE_OF(srq, pd) },
	{ OWN(QP, qp), NULL, 0 },
	{ OWN(MR, mr), NULL, 0 },
	{ OWN(MW, mw), MADE_OF(mw, pd) },
	{ OWN(AH, ah), MADE_OF(ah, pd) },
	{ OWN(EVENT_CHANNEL, ec), NULL, 0 },
	{ OWN(CM_ID, id), NULL, 0 },
};

static void *plain_pointer(const struct obj *o, enum call_object want)
{
	const struct lib_obj *lib = handle_as_lib(o);

	if (lib)
		return lib->kind == want ? lib->v : NULL;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (own[i].kind == want && own[i].class == o->class)
			return *(void **)((char *)o + own[i].offset);
	return NULL;
}

/* An id stands for the QP that it has. */
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
	case OBJECT_QP_EX: /* NULL also of a QP that was not made so */
		qp = plain_pointer(o, OBJECT_QP);
		record_aside(1);
		qp_ex = qp ? ibv_qp_to_qp_ex(qp) : NULL;
		record_aside(-1);
		return qp_ex;
	case OBJECT_QP:
		return plain_pointer(o, OBJECT_QP) ? plain_pointer(o, OBJECT_QP) : qp_of_id(o);
	case OBJECT_CQ_EX: /* whether it was made so, call_rules.c knows */
		return plain_pointer(o, OBJECT_CQ);
	default:
		return plain_pointer(o, want);
	}
}

void handle_name(const struct obj *o)
{
	const struct lib_obj *lib = handle_as_lib(o);
	void *v;

	if (lib && lib->v)
		record_object_name(lib->v, lib->kind, o->name);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		v = own[i].class == o->class ? plain_pointer(o, own[i].kind) : NULL;
		if (v)
			record_object_name(v, own[i].kind, o->name);
	}
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
	const struct rdma_cm_id *id = plain_pointer(o, OBJECT_CM_ID);
	struct ibv_context *context = plain_pointer(o, OBJECT_CONTEXT);

	if (context)
		return context;
	if (id)
		return id->verbs;
	if (lib)
		return lib->context;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) /* their first member is it */
		if (own[i].class == o->class && own[i].kind != OBJECT_EVENT_CHANNEL)
			return **(struct ibv_context ***)((char *)o + own[i].offset);
	return NULL;
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

bool handle_has(struct session *s, uint64_t addr, uint64_t len)
{
	return obj_by_address(s, NULL, addr, len);
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

/* The QP as qp create would have made it; NULL: it has no such parts. */
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

/* ibv_reg_mr() of memory of another object. */
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
	mr->access = (unsigned)c->arg[3];
	mr->memory = owner;
	return &mr->o;
}

/* An object that is made of another one and has few values of its own. */
static struct obj *adopt_plain(struct calling *c, enum call_object kind, void *v, const char *name)
{
	const struct own_class *row = own;
	struct obj *o, *parent;

	while (row < own + sizeof own / sizeof *own && row->kind != kind)
		row++;
	if (row == own + sizeof own / sizeof *own || !row->parent)
		return NULL;
	parent = used_of(c, row->parent);
	if (!parent || (kind == OBJECT_AH && c->fn->rule != RULE_AH_PLAIN))
		return NULL; /* of an AH: what it leads to is not known */
	o = obj_new(c->s, row->class, name);
	*(void **)((char *)o + row->offset) = v;
	*(void **)((char *)o + row->parent_offset) = parent;
	if (kind == OBJECT_CQ)
		((struct cq *)o)->cc = used_of(c, &cc_class);
	if (kind == OBJECT_AH)
		((struct ah *)o)->attr = *(const struct ibv_ah_attr *)(uintptr_t)c->arg[1];
	return o;
}

static struct obj *adopt_lib(struct calling *c, enum call_object kind, void *v, const char *name)
{
	struct lib_obj *lib = obj_new(c->s, &lib_classes[kind], name);

	lib->kind = kind;
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

/* It may go before what was made with it. */
static bool is_passing(const struct obj *o)
{
	const struct lib_obj *lib = handle_as_lib(o);

	return lib && (lib->kind == OBJECT_ADDRINFO || lib->kind == OBJECT_DEVICE_LIST ||
		       lib->kind == OBJECT_CONTEXT_LIST);
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
	if (o->life == OBJ_NEW) /* qp_adopt() has put it in the store already */
		obj_add(c->s, o);
	return o;
}

struct lib_obj *buf_make(struct session *s, const char *name, size_t len)
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

/* A QP that is in a multicast group cannot be destroyed: each membership is an object, which
 * calls make and end. */
struct group_call {
	bool ends;
	struct obj *o; /* QP or id */
	struct qp *qp; /* that receives, or NULL */
	union ibv_gid gid;
	const struct sockaddr *addr; /* NULL: by hand */
};

/* false: the call is not about a group. */
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
		return 0; /* attached twice by hand is attached once */
	return mcast_check_once(c->s, c->fn->name, g.qp, &g.gid);
}

void handle_add_membership(struct calling *c)
{
	char text[INET6_ADDRSTRLEN];
	struct group_call g;

	if (!group_of(c, &g) || mcast_find(g.o, &g.gid))
		return;
	if (g.addr)
		mcast_joined(c->s, (struct id *)g.o, g.qp, g.addr, cm_addr_host(g.addr));
	else
		mcast_attached(c->s, g.qp, &g.gid, (uint16_t)c->arg[2],
			       inet_ntop(AF_INET6, &g.gid, text, sizeof text));
}

struct obj *handle_of_membership(struct calling *c)
{
	struct group_call g;
	struct mcast *m = group_of(c, &g) && g.ends ? mcast_find(g.o, &g.gid) : NULL;

	return m && (g.addr || !m->id) ? &m->o : NULL;
}
