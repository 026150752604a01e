/* SPDX-License-Identifier: MIT */
/* Objects made and destroyed, states changed, work posted, completions and memory. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "post.h"
#include "program.h"
#include "qp_attrs.h"
#include "session.h"
#include "words.h"
#include "xmem.h"

/* "s.x = call; if (!s.x) return failed()" */
static void make(struct program *p, const struct var *v, const char *call, const char *args)
{
	put(p, "s.%s = %s(%s);", v->name, call, args);
	put(p, "if (!s.%s)", v->name);
	put(p, "\treturn failed(\"%s\");", call);
}

static void make_qp(struct program *p, const struct var *v)
{
	const struct made_note *m = v->made;
	const struct ibv_qp_cap *c = &m->qp.cap;
	const char *type = word_name(qp_type_words, m->qp.type);

	put(p, "{");
	put(p, "\tstruct ibv_qp_init_attr init = {");
	put(p, "\t\t.send_cq = %s,", ref(p, m->of[1]));
	put(p, "\t\t.recv_cq = %s,", ref(p, m->of[2]));
	if (m->of[3])
		put(p, "\t\t.srq = %s,", ref(p, m->of[3]));
	put(p, "\t\t.cap = { .max_send_wr = %u, .max_recv_wr = %u, .max_send_sge = %u,",
	    c->max_send_wr, c->max_recv_wr, c->max_send_sge);
	put(p, "\t\t\t .max_recv_sge = %u, .max_inline_data = %u },", c->max_recv_sge,
	    c->max_inline_data);
	put(p, "\t\t.qp_type = IBV_QPT_%s,", type);
	put(p, "\t\t.sq_sig_all = %d,", m->qp.sq_sig_all);
	put(p, "\t};\n");
	if (m->of[4]) {
		put(p, "\tif (check(rdma_create_qp(%s, %s, &init), \"rdma_create_qp\"))",
		    ref(p, m->of[4]), ref(p, m->of[0]));
		put(p, "\t\treturn -1;");
		put(p, "\ts.%s = %s->qp;", v->name, ref(p, m->of[4]));
	} else {
		put(p, "\ts.%s = ibv_create_qp(%s, &init);", v->name, ref(p, m->of[0]));
		put(p, "\tif (!s.%s)", v->name);
		put(p, "\t\treturn failed(\"ibv_create_qp\");");
	}
	put(p, "}");
}

static void make_srq(struct program *p, const struct var *v)
{
	put(p, "{");
	put(p, "\tstruct ibv_srq_init_attr init = { .attr = { .max_wr = %u, .max_sge = %u } };\n",
	    v->made->srq.max_wr, v->made->srq.max_sge);
	put(p, "\ts.%s = ibv_create_srq(%s, &init);", v->name, ref(p, v->made->of[0]));
	put(p, "\tif (!s.%s)", v->name);
	put(p, "\t\treturn failed(\"ibv_create_srq\");");
	put(p, "}");
}

/* ------------------------------------------------------- address vectors -- */

static int own_gid(struct program *p, const struct ibv_ah_attr *a, const struct made_note *of)
{
	const struct var *pd = var_of(p, of->of[0]);
	struct dev *dev = NULL;
	union ibv_gid gid;
	struct obj *o;

	obj_foreach(o, p->s)
		if (pd && o->serial == pd->made->of[0])
			dev = (struct dev *)o;
	for (int i = 0; dev && i < 256; i++)
		if (ibv_query_gid(dev->v, a->port_num ? a->port_num : 1, i, &gid) == 0 &&
		    memcmp(&gid, &a->grh.dgid, sizeof gid) == 0)
			return i;
	return -1;
}

static void address_vector(struct program *p, const char *where, const struct ibv_ah_attr *a,
			   const struct made_note *of, const struct var *told)
{
	int index = a->is_global ? own_gid(p, a, of) : -1;
	const struct var *pd = var_of(p, of->of[0]);
	Tcl_DString d;

	put(p, "\t%s.port_num = %u;", where, a->port_num);
	put(p, "\t%s.sl = %u;", where, a->sl);
	put(p, "\t%s.dlid = %u;", where, a->dlid);
	if (!a->is_global)
		return;
	put(p, "\t%s.is_global = 1;", where);
	put(p, "\t%s.grh.sgid_index = %u;", where, a->grh.sgid_index);
	put(p, "\t%s.grh.hop_limit = %u;", where, a->grh.hop_limit);
	if (a->grh.traffic_class)
		put(p, "\t%s.grh.traffic_class = %u;", where, a->grh.traffic_class);
	if (a->grh.flow_label)
		put(p, "\t%s.grh.flow_label = %u;", where, a->grh.flow_label);
	if (told) {
		put(p, "\t%s.grh.dgid = s.peer_of_%s.gid;", where, told->name);
		return;
	}
	if (index >= 0) {
		put(p, "\tif (check(ibv_query_gid(%s, %u, %d, &%s.grh.dgid), \"ibv_query_gid\"))",
		    ref(p, pd->made->of[0]), a->port_num, index, where);
		put(p, "\t\treturn -1;");
		return;
	}
	warn(p, "the address of the peer (its GID) stands as it was");
	Tcl_DStringInit(&d);
	c_string(&d, a->grh.dgid.raw, 16, "\t\t       ");
	put(p, "\tmemcpy(%s.grh.dgid.raw, %s, 16);", where, Tcl_DStringValue(&d));
	Tcl_DStringFree(&d);
}

/* Of the event that told of it: the id whose peer it leads to. */
static struct var *told_by(struct program *p, const struct made_note *m)
{
	for (unsigned i = 0; i < p->nvars; i++) {
		struct var *v = &p->vars[i];
		const struct event_note *e = v->live && v->by ? v->by->data : NULL;

		if (e && v->made->class == &id_class && e->ev.ud.qp_num == m->ah.qpn && m->ah.qpn &&
		    memcmp(&e->ev.ud.ah_attr.grh.dgid, &m->ah.attr.grh.dgid, 16) == 0)
			return v;
	}
	return NULL;
}

static void make_ah(struct program *p, struct var *v)
{
	const struct made_note *m = v->made;
	struct var *id = told_by(p, m);

	v->by = NULL;
	if (id) {
		v->by = id->by;
		id->keeps = true;
		make(p, v, "ibv_create_ah",
		     text("%s, &s.event_of_%s.ud.ah_attr", ref(p, m->of[0]), id->name));
		return;
	}
	put(p, "{");
	put(p, "\tstruct ibv_ah_attr attr = { 0 };\n");
	address_vector(p, "attr", &m->ah.attr, m, NULL);
	put(p, "\ts.%s = ibv_create_ah(%s, &attr);", v->name, ref(p, m->of[0]));
	put(p, "\tif (!s.%s)", v->name);
	put(p, "\t\treturn failed(\"ibv_create_ah\");");
	put(p, "}");
}

/* ---------------------------------------------------------- made, destroyed -- */

static bool has_all(struct program *p, const struct var *v)
{
	const struct made_note *m = v->made;

	for (unsigned i = 0; i < MADE_OF; i++)
		if (m->of[i] && !var_of(p, m->of[i])) {
			warn(p, "%s is not in the program: what it is made of is not", m->name);
			return false;
		}
	return true;
}

void write_made(struct program *p, const struct note *n, struct var *v)
{
	const struct made_note *m = v->made;
	const struct obj_class *class = m->class;

	(void)n;
	if (!has_all(p, v))
		return;
	if (class == &dev_class)
		make(p, v, "open_device", text("\"%s\"", m->name));
	else if (class == &pd_class)
		make(p, v, "ibv_alloc_pd", ref(p, m->of[0]));
	else if (class == &cc_class)
		make(p, v, "ibv_create_comp_channel", ref(p, m->of[0]));
	else if (class == &cq_class)
		make(p, v, "ibv_create_cq",
		     text("%s, %d, NULL, %s, 0", ref(p, m->of[0]), m->cqe, ref(p, m->of[1])));
	else if (class == &mr_class)
		make(p, v, "reg",
		     text("%s, %llu, %s", ref(p, m->of[0]), (unsigned long long)m->mr.len,
			  flags_expr(mr_access_words, "IBV_ACCESS_", m->mr.access)));
	else if (class == &mw_class)
		make(p, v, "ibv_alloc_mw",
		     text("%s, IBV_MW_TYPE_%u", ref(p, m->of[0]), m->mw.type));
	else if (class == &ec_class)
		make(p, v, "rdma_create_event_channel", "");
	else if (class == &srq_class)
		make_srq(p, v);
	else if (class == &ah_class)
		make_ah(p, v);
	else if (class == &qp_class)
		make_qp(p, v);
	else if (class == &id_class && !m->id.passive) {
		put(p,
		    "if (check(rdma_create_id(%s, &s.%s, NULL, RDMA_PS_%s), \"rdma_create_id\"))",
		    ref(p, m->of[0]), v->name, word_name(ps_words, m->id.ps));
		put(p, "\treturn -1;");
	}
}

static const struct {
	const struct obj_class *class;
	const char *type, *call;
} kinds[] = {
	{ &dev_class, "struct ibv_context", NULL },
	{ &pd_class, "struct ibv_pd", "ibv_dealloc_pd" },
	{ &cc_class, "struct ibv_comp_channel", "ibv_destroy_comp_channel" },
	{ &cq_class, "struct ibv_cq", "ibv_destroy_cq" },
	{ &srq_class, "struct ibv_srq", "ibv_destroy_srq" },
	{ &qp_class, "struct ibv_qp", "ibv_destroy_qp" },
	{ &mr_class, "struct ibv_mr", "dereg" },
	{ &mw_class, "struct ibv_mw", "ibv_dealloc_mw" },
	{ &ah_class, "struct ibv_ah", "ibv_destroy_ah" },
	{ &ec_class, "struct rdma_event_channel", NULL },
	{ &id_class, "struct rdma_cm_id", "rdma_destroy_id" },
};

const char *type_of(const struct var *v)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].class == v->made->class)
			return kinds[i].type;
	return NULL;
}

/* The call that cannot fail, for those that have one. */
static const char *end_call(struct program *p, const struct var *v)
{
	if (v->made->class == &ec_class)
		return text("rdma_destroy_event_channel(s.%s)", v->name);
	if (v->made->class == &qp_class && v->made->of[4] && var_of(p, v->made->of[4]))
		return text("rdma_destroy_qp(s.%s)", var_of(p, v->made->of[4])->name);
	return NULL;
}

void write_destroy(struct program *p, const struct var *v, Tcl_DString *d)
{
	const char *sure = end_call(p, v), *call = NULL;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].class == v->made->class)
			call = kinds[i].call;
	if (d && sure)
		xappendf(d, "\tif (s.%s)\n\t\t%s;\n", v->name, sure);
	else if (d && call)
		xappendf(d, "\tif (s.%s && check(%s(s.%s), \"%s\"))\n\t\trc = -1;\n", v->name, call,
			 v->name, call);
	if (d || (!sure && !call))
		return;
	if (sure)
		put(p, "%s;", sure);
	else
		put(p, "if (check(%s(s.%s), \"%s\"))\n\t\treturn -1;", call, v->name, call);
	put(p, "s.%s = NULL;", v->name);
}

/* --------------------------------------------------------------- modify_qp -- */

#define NOT_WRITTEN (IBV_QP_ALT_PATH | IBV_QP_CAP)

static const char *attr_value(struct program *p, const struct ibv_qp_attr *a,
			      const struct qp_attr_def *d)
{
	if (d->bit == IBV_QP_DEST_QPN)
		return qpn_expr(p, a->dest_qp_num);
	if (d->bit == IBV_QP_RQ_PSN && peer_told(p, a->dest_qp_num))
		return text("s.peer_of_%s.psn", peer_told(p, a->dest_qp_num)->name);
	if (d->bit == IBV_QP_ACCESS_FLAGS)
		return flags_expr(qp_access_words, "IBV_ACCESS_", a->qp_access_flags);
	if (d->bit == IBV_QP_PATH_MTU)
		return text("IBV_MTU_%s", word_name(mtu_words, a->path_mtu));
	return number(qp_attr_get(a, d));
}

void write_modify(struct program *p, const struct note *n, struct var *v)
{
	const struct modify_note *m = n->data;
	unsigned mask = m->mask & ~(unsigned)NOT_WRITTEN;

	if (m->mask & NOT_WRITTEN)
		warn(p, "an alternate path or other capabilities of %s are not in the program",
		     v->made->name);
	put(p, "{");
	put(p, "\tstruct ibv_qp_attr attr = { 0 };");
	put(p, m->id ? "\tint mask;\n" : "%s", "");
	if (mask & IBV_QP_STATE)
		put(p, "\tattr.qp_state = IBV_QPS_%s;", word_name(qp_state_words, m->a.qp_state));
	if (m->id) {
		put(p, "\tif (check(rdma_init_qp_attr(%s, &attr, &mask), \"rdma_init_qp_attr\"))",
		    ref(p, m->id));
		put(p, "\t\treturn -1;");
	}
	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++)
		if (mask & d->bit && d->bit != IBV_QP_STATE && d->member)
			put(p, "\tattr.%s = %s;", d->member, attr_value(p, &m->a, d));
	if (mask & IBV_QP_AV)
		address_vector(p, "attr.ah_attr", &m->a.ah_attr, v->made,
			       mask & IBV_QP_DEST_QPN ? peer_told(p, m->a.dest_qp_num) : NULL);
	put(p, "\tif (check(ibv_modify_qp(%s, &attr, %s%s), \"ibv_modify_qp\"))", ref(p, v->serial),
	    m->id ? "mask | " : "", flags_expr(qp_attr_words, "IBV_QP_", mask));
	put(p, "\t\treturn -1;");
	put(p, "}");
}
