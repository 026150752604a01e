/* SPDX-License-Identifier: MIT */
/*
 * Writes any call as an expression, which the table describes, after the statements that its values
 * need.
 */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "export/program.h"
#include "recorded.h"
#include "session.h"
#include "words.h"
#include "alloc.h"

/* ------------------------------------------------------------------------- values -- */

const char *host_expr(struct program *p, const char *host)
{
	unsigned i;

	if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0)
		return temp_text("\"%s\"", host);
	for (i = 0; i < p->naddresses && strcmp(p->address[i], host); i++)
		;
	if (i == ADDRESSES)
		return temp_text("\"%s\"", host);
	if (i == p->naddresses)
		snprintf(p->address[p->naddresses++], sizeof p->address[0], "%s", host);
	return temp_text("address[%u]", i);
}

/* Adds statements to the block before the call. Numbers distinguish the variables of a block. */
static const char *address_expr(struct program *p, const struct sockaddr *sa)
{
	socklen_t len = sa->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
						  : sizeof(struct sockaddr_in);
	char host[64] = "?", port[8] = "0";
	unsigned n = ++p->nlocals;

	getnameinfo(sa, len, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
	xappendf(&p->before,
		 "\t\tstruct sockaddr_storage addr%u;\n\n"
		 "\t\tif (lookup(%s, \"%s\", &addr%u))\n\t\t\treturn -1;\n",
		 n, host_expr(p, host), port, n);
	return temp_text("(struct sockaddr *)&addr%u", n);
}

/* Bytes with an address or a key of ours, as a variable of the block; NULL: they have none. */
static const char *data_expr(struct program *p, const unsigned char *data, size_t n)
{
	const char *name = temp_text("data%u", p->nlocals + 1);
	unsigned char rest[RECORD_DATA_MAX];
	struct text own, literal;

	if (!n || n > sizeof rest)
		return NULL;
	own = (struct text){ 0 };
	own_bytes(p, &own, "\t\t", name, data, n);
	if (!text_len(&own)) {
		text_free(&own);
		return NULL;
	}
	p->nlocals++;
	xappendf(&p->before, "\t\tunsigned char %s[%zu] = { 0 };\n\n", name, n);
	memcpy(rest, data, n);
	if (without_own(p, rest, n)) {
		literal = (struct text){ 0 };
		c_string(&literal, rest, n, "\t\t       ");
		xappendf(&p->before, "\t\tmemcpy(%s, %s, %zu);\n", name, text_str(&literal), n);
		text_free(&literal);
	}
	text_add(&p->before, text_str(&own));
	text_free(&own);
	return name;
}

bool leads_here(const struct program *p, const struct ibv_ah_attr *to)
{
	const struct dev *dev;

	if (!to)
		return true;
	obj_foreach_of(dev, p->s, &dev_class)
		if (dev_has_address(dev, to))
			return true;
	return false;
}

int own_gid(struct program *p, const union ibv_gid *gid, struct var **v)
{
	union ibv_gid own;
	struct dev *dev;

	obj_foreach_of(dev, p->s, &dev_class) {
		*v = var_at(p, (uintptr_t)dev->v, UINT64_MAX);
		for (int i = 0; *v && i < 256; i++)
			if (ibv_query_gid(dev->v, 1, i, &own) == 0 &&
			    memcmp(&own, gid, sizeof own) == 0)
				return i;
	}
	return -1;
}

static const char *gid_expr(struct program *p, const union ibv_gid *gid, bool pointer)
{
	struct var *dev;
	int index;

	for (unsigned i = p->nvars; i-- > 0;) {
		const struct var *v = p->vars[i];
		const struct qp_peer *peer = oob_peer(v);

		if (peer && memcmp(&peer->gid, gid, sizeof *gid) == 0)
			return temp_text("%ss.peer_of_%s.gid", pointer ? "&" : "", v->name);
	}
	index = own_gid(p, gid, &dev);
	if (index < 0) {
		add_warning(p, "the address of the peer (its GID) is that of the session");
		return NULL;
	}
	p->nlocals++;
	xappendf(&p->before,
		 "\t\tunion ibv_gid gid%u;\n\n"
		 "\t\tif (check(ibv_query_gid(%s, 1, %d, &gid%u), \"ibv_query_gid\"))\n"
		 "\t\t\treturn -1;\n",
		 p->nlocals, var_expr(p, dev, OBJECT_CONTEXT), index, p->nlocals);
	return temp_text("%sgid%u", pointer ? "&" : "", p->nlocals);
}

/* The id whose event brought a UD peer with that QP number, Q_Key or GID, or NULL. */
static struct var *ud_peer_id(struct program *p, uint32_t qpn, uint32_t qkey,
			      const union ibv_gid *gid)
{
	for (unsigned i = p->nvars; i-- > 0;) {
		struct var *v = p->vars[i];
		const struct rdma_ud_param *ud = v->kind == OBJECT_CM_ID && v->live && v->by
							 ? &record_cm_event(v->by)->param.ud
							 : NULL;

		if (!ud || !v->is_ud || !ud->qp_num)
			continue;
		if ((qpn && ud->qp_num == qpn) || (qkey && ud->qkey == qkey) ||
		    (gid && memcmp(&ud->ah_attr.grh.dgid, gid, sizeof *gid) == 0)) {
			v->keeps = true;
			return v;
		}
	}
	return NULL;
}

/* The peer's address among the siblings of the value, or 0. */
static uint64_t remote_beside(const struct call_sink *k)
{
	for (const struct call_value *v = k->values; v && v->name; v++)
		if (v->kind == CALL_REMOTE)
			return call_load(
				v, k->base + (k->is_arg ? 8 * (size_t)(v - k->values) : v->offset));
	return 0;
}

/* Is it the member at that offset of the struct that the second argument of row points to? */
static bool is_of(const struct call_sink *k, const struct call_value *v, enum call_row row,
		  size_t offset)
{
	return k->values == call_table[row].args[1].of->fields && v->offset == offset;
}

/* The address of the AH in the arguments, or in a request of a list; NULL: not known. */
static const struct ibv_ah_attr *address_of_ah(struct program *p, const struct call_sink *k)
{
	uint64_t pointer = 0;
	const struct var *ah;

	for (const struct call_value *v = k->values; v && v->name; v++)
		if (v->kind == CALL_OBJECT && v->object == OBJECT_AH)
			pointer = call_load(
				v, k->base + (k->is_arg ? 8 * (size_t)(v - k->values) : v->offset));
	ah = pointer ? var_of(p, pointer) : NULL;
	return ah && ah->made && row_of(ah->made) == ROW_ibv_create_ah
		       ? (const struct ibv_ah_attr *)(uintptr_t)ah->made->args[1]
		       : NULL;
}

/* The address that the call gives with the number of a QP, or NULL. */
static const struct ibv_ah_attr *destination_of(struct program *p, const struct call_sink *k)
{
	const struct ibv_qp_attr *attr = (const void *)k->base;

	if (k->values != call_table[ROW_ibv_modify_qp].args[1].of->fields)
		return address_of_ah(p, k);
	return p->r->args[2] & IBV_QP_AV ? &attr->ah_attr : NULL;
}

/* A key: the next one of a window that is being bound, one of a region of ours, or the peer's. */
static const char *key_expr(struct program *p, const struct call_sink *k,
			    const struct call_value *v, uint32_t key)
{
	if (v->is_local)
		return lkey_expr(p, key);
	if (is_of(k, v, ROW_ibv_post_send, offsetof(struct ibv_send_wr, bind_mw.rkey)))
		for (unsigned i = 0; i < p->nvars; i++)
			if (p->vars[i]->live && p->vars[i]->kind == OBJECT_MW &&
			    ibv_inc_rkey(p->vars[i]->rkey) == key)
				return temp_text("ibv_inc_rkey(s.%s->rkey)", p->vars[i]->name);
	return remote_key_expr(p, key, remote_beside(k));
}

static const char *place_expr(struct program *p, const struct call_value *v, uint64_t addr)
{
	struct var *mr = addr ? region_of(p, addr) : NULL;

	if (!addr)
		return NULL;
	if (!mr) {
		add_warning(p, "memory outside all regions, for %s, is left out", p->r->fn->name);
		return v->kind == CALL_ADDRESS ? "NULL" : "0";
	}
	return v->kind == CALL_IOVA ? own_addr(p, addr)
				    : temp_text("at(%s, %llu)", var_expr(p, mr, OBJECT_MR),
						(unsigned long long)(addr - mr->memory));
}

static const char *object_expr(struct program *p, const struct call_value *v, uint64_t pointer)
{
	struct var *var = var_of(p, pointer);

	if (pointer &&
	    (!var || (!is_written(var) && v->role == CALL_IN && var->kind != OBJECT_CONTEXT)))
		add_warning(p, "%s is not in the program, because what it is made from is not",
			    var ? var->called : call_objects[v->object].name);
	return var_expr(p, var, v->object);
}

/* Of what the callee fills in, the program keeps objects only. */
static const char *out_expr(struct program *p, const struct call_value *v, const void *at)
{
	uint64_t pointer = *(const uint64_t *)at;

	if (v->kind == CALL_OBJECT) {
		struct var *made = pointer ? var_at(p, *(const uint64_t *)(uintptr_t)pointer,
						    p->r->end)
					   : NULL;

		return made ? temp_text("&s.%s", made->name) : "NULL";
	}
	if (v->kind == CALL_STRUCT)
		return temp_text("&(struct %s){ 0 }", v->of->name);
	return v->kind == CALL_GID ? "&(union ibv_gid){ { 0 } }" : NULL;
}

static const char *bad_expr(const struct call_fn *fn)
{
	for (const struct call_value *v = fn->args; v->name; v++)
		if (v->kind == CALL_CHAIN)
			return temp_text("&(struct %s *){ NULL }", v->of->name);
	return "NULL";
}

/* Numbers that came from the peer: the PSN of a QP that is connected by hand, the Q_Key for UD. */
static const char *number_expr(struct program *p, const struct call_sink *k,
			       const struct call_value *v, uint64_t n)
{
	const struct ibv_qp_attr *attr = (const void *)k->base;
	struct var *from;

	if (is_of(k, v, ROW_ibv_modify_qp, offsetof(struct ibv_qp_attr, rq_psn)) &&
	    (from = qp_of_oob_peer(p, attr->dest_qp_num, destination_of(p, k))))
		return temp_text("s.peer_of_%s.psn", from->name);
	if ((is_of(k, v, ROW_ibv_post_send, offsetof(struct ibv_send_wr, wr.ud.remote_qkey)) ||
	     v == &call_table[ROW_ibv_wr_set_ud_addr].args[3]) &&
	    (from = ud_peer_id(p, 0, (uint32_t)n, NULL)))
		return temp_text("s.event_of_%s.ud.qkey", from->name);
	return NULL;
}

static const char *ah_expr(struct program *p, const struct ibv_ah_attr *a)
{
	struct var *from = a && a->is_global ? ud_peer_id(p, 0, 0, &a->grh.dgid) : NULL;

	return from ? temp_text("&s.event_of_%s.ud.ah_attr", from->name) : NULL;
}

/* The expression of a value; NULL: the value is written as it is. */
static const char *expr_of(struct program *p, const struct call_sink *k, const struct call_value *v,
			   const void *at)
{
	uint64_t pointer = 0;
	struct var *from;

	if (k->is_arg && (v->role == CALL_OUT || v->role == CALL_MADE))
		return out_expr(p, v, at);
	switch (v->kind) {
	case CALL_OBJECT:
	case CALL_SOCKADDR:
	case CALL_DATA:
	case CALL_STRUCT:
	case CALL_GID:
		memcpy(&pointer, at, sizeof pointer);
		break;
	default:
		break;
	}
	switch (v->kind) {
	case CALL_OBJECT:
		return object_expr(p, v, pointer);
	case CALL_SOCKADDR:
		return pointer ? address_expr(p, (const void *)(uintptr_t)pointer) : NULL;
	case CALL_DATA:
		return pointer ? data_expr(p, (const void *)(uintptr_t)pointer, k->count) : NULL;
	case CALL_STRUCT:
		return v->pointer && v->of == call_table[ROW_ibv_create_ah].args[1].of
			       ? ah_expr(p, (const void *)(uintptr_t)pointer)
			       : NULL;
	case CALL_GID:
		return gid_expr(p, v->pointer ? (const void *)(uintptr_t)pointer : at, v->pointer);
	case CALL_ADDRESS:
		return place_expr(p, v, call_load(v, at));
	case CALL_IOVA:
		return call_chooses_iova(k, p->r->fn) ? NULL : place_expr(p, v, call_load(v, at));
	case CALL_REMOTE:
		return remote_addr_expr(p, call_load(v, at));
	case CALL_KEY:
		return key_expr(p, k, v, (uint32_t)call_load(v, at));
	case CALL_QPN:
		from = ud_peer_id(p, (uint32_t)call_load(v, at), 0, NULL);
		return from ? temp_text("s.event_of_%s.ud.qp_num", from->name)
			    : qpn_expr(p, (uint32_t)call_load(v, at), destination_of(p, k));
	case CALL_BAD:
		return bad_expr(p->r->fn);
	case CALL_UINT:
		return number_expr(p, k, v, call_load(v, at));
	default:
		return NULL;
	}
}

bool write_own(struct call_sink *k, const struct call_value *v, const void *at)
{
	const char *expr = expr_of(k->arg, k, v, at);

	if (!expr)
		return false;
	call_begin_text(k);
	fputs(expr, k->to);
	return true;
}

/* -------------------------------------------------------------------------- calls -- */

/* "ibv_alloc_pd(s.device)". The caller frees it. */
static char *call_expr(struct program *p)
{
	char *c;
	size_t size;
	FILE *f = xmemstream(&c, &size);
	struct call_sink k = call_c_sink(f);

	k.own = write_own;
	k.arg = p;
	if (p->r->nargs && p->r->fn->args[0].object == OBJECT_QP && var_of(p, p->r->args[0]))
		k.qp_type = var_of(p, p->r->args[0])->qp_type;
	fprintf(f, "%s(", p->r->fn->name);
	call_tell_args(&k, p->r->fn, p->r->args);
	fputc(')', f);
	fclose(f);
	return c;
}

/* Begins a block if the call needs statements before it. Returns the additional indentation. */
static const char *begin_block(struct program *p)
{
	if (!text_len(&p->before))
		return "";
	text_add(&p->body, "\t{\n");
	text_add(&p->body, text_str(&p->before));
	return "\t";
}

static void end_block(struct program *p)
{
	if (text_len(&p->before))
		text_add(&p->body, "\t}\n");
	text_resize(&p->before, 0);
	p->nlocals = 0;
}

/* A device is opened where it is first needed. */
static void open_devices(struct program *p)
{
	for (unsigned i = 0; i < p->r->nargs; i++) {
		struct var *v = p->r->fn->args[i].object == OBJECT_CONTEXT &&
						p->r->fn->args[i].kind == CALL_OBJECT
					? var_of(p, p->r->args[i])
					: NULL;

		if (!v || v->written)
			continue;
		v->written = v->live = v->used = true;
		put_line(p, "s.%s = open_device(\"%s\");", v->name, v->called);
		put_line(p, "if (!s.%s)", v->name);
		put_line(p, "\treturn failed(\"open_device\");");
	}
}

struct var *made_by(const struct program *p)
{
	enum call_object kind;
	uint64_t made = record_made(p->r, &kind);

	return made ? var_at(p, made, p->r->end) : NULL;
}

static void forget_ended(struct program *p, const char *in)
{
	for (unsigned i = 0; i < p->r->nargs; i++) {
		struct var *v = p->r->fn->args[i].role == CALL_GONE ? var_of(p, p->r->args[i])
								    : NULL;

		if (v && !v->whole)
			put_line(p, "%ss.%s = NULL;", in, v->name);
	}
}

/* Windows that this post binds get their next key. */
static void bind_windows(struct program *p, const char *in)
{
	const struct ibv_send_wr *wr = NULL;

	for (unsigned i = 0; i < p->r->nargs; i++)
		if (p->r->fn->args[i].kind == CALL_CHAIN &&
		    p->r->fn->args[i].of == call_table[ROW_ibv_post_send].args[1].of)
			wr = (const void *)(uintptr_t)p->r->args[i];
	for (; wr; wr = wr->next) {
		struct var *mw = wr->opcode == IBV_WR_BIND_MW ? var_of(p, (uintptr_t)wr->bind_mw.mw)
							      : NULL;

		if (!mw)
			continue;
		put_line(p, "%ss.%s->rkey = ibv_inc_rkey(s.%s->rkey);", in, mw->name, mw->name);
		mw->rkey = wr->bind_mw.rkey;
	}
}

void write_call(struct program *p)
{
	const struct call_fn *fn = p->r->fn;
	struct var *v = made_by(p);
	const char *in;
	char *c;

	open_devices(p);
	if (v)
		v->written = true;
	if (p->r->left_out)
		add_warning(p, "of the values of an %s the record has kept only the first",
			    fn->name);
	c = call_expr(p);
	in = begin_block(p);
	switch (fn->says) {
	case RESULT_POINTER:
		if (v) {
			put_code(p, "%ss.%s = %s;", in, v->name, c);
			put_line(p, "%sif (!s.%s)", in, v->name);
		} else {
			put_code(p, "%sif (!%s)", in, c);
		}
		put_line(p, "%s\treturn failed(\"%s\");", in, fn->name);
		break;
	case RESULT_STATUS:
		put_code(p, "%sif (check(%s, \"%s\"))", in, c, fn->name);
		put_line(p, "%s\treturn -1;", in);
		break;
	case RESULT_COUNT:
		put_code(p, "%sif (%s < 0)", in, c);
		put_line(p, "%s\treturn failed(\"%s\");", in, fn->name);
		break;
	default:
		put_code(p, "%s%s;", in, c);
	}
	bind_windows(p, in);
	forget_ended(p, in);
	end_block(p);
	free(c);
}
