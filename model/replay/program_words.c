/* SPDX-License-Identifier: MIT */
/* Values of the session as expressions of C. */
#include <netdb.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program_parts.h"
#include "recorded.h"

/* -------------------------------------------------------------------------- objects -- */

bool program_has(const struct replay_object *o)
{
	return o->whole && !o->made ? o->whole->written : o->written;
}

/* A device is opened where it is first needed. */
static void open_device(struct replay *p, struct replay_object *o)
{
	o->written = o->live = true;
	program_line(p, "s.%s = open_device(\"%s\");", o->name, o->called);
	program_line(p, "if (!s.%s)", o->name);
	program_line(p, "\treturn failed(\"open_device\");");
}

/* Converts an expression, "s.cq0", to another kind of object, by a function that cannot fail. */
static const char *cast_object(const char *expr, enum call_object is, enum call_object want)
{
	if (is == OBJECT_QP && want == OBJECT_QP_EX)
		return temp_text("ibv_qp_to_qp_ex(%s)", expr);
	if (is == OBJECT_CQ_EX && want == OBJECT_CQ)
		return temp_text("ibv_cq_ex_to_cq(%s)", expr);
	if (is == OBJECT_CONTEXT && want == OBJECT_DEVICE)
		return temp_text("%s->device", expr);
	return expr;
}

const char *program_object(struct replay *p, struct replay_object *o, enum call_object want)
{
	if (!o)
		return "NULL";
	o->used = true;
	if (o->kind == OBJECT_CONTEXT && !o->written)
		open_device(p, o);
	if (o->whole && !o->made)
		return cast_object(temp_text("%s->%s", program_object(p, o->whole, OBJECT_CM_ID),
					     o->kind == OBJECT_SRQ ? "srq" : "qp"),
				   o->kind, want);
	return cast_object(temp_text("s.%s", o->name), o->kind, want);
}

static const char *argument_object(struct replay *p, const struct call_value *v,
				   struct replay_object *o)
{
	if (!program_has(o) && v->role == CALL_IN && o->kind != OBJECT_CONTEXT)
		replay_note(p, "%s is not in the program, because what it is made from is not",
			    o->called);
	return program_object(p, o, v->object);
}

/* Of what the callee fills in, the program keeps objects only. */
static const char *out_word(struct replay *p, const struct call_value *v, uint64_t pointer)
{
	const uint64_t *made = (const void *)(uintptr_t)pointer;
	struct replay_object *o;

	if (v->kind == CALL_OBJECT) {
		o = made ? replay_objects_of(p, &replay_now(p)->r, *made, v->object) : NULL;
		return o ? temp_text("&s.%s", o->name) : "NULL";
	}
	if (v->kind == CALL_STRUCT)
		return temp_text("&(struct %s){ 0 }", v->of->name);
	return v->kind == CALL_GID ? "&(union ibv_gid){ { 0 } }" : NULL;
}

static const char *bad_word(const struct call_fn *fn)
{
	for (const struct call_value *v = fn->args; v->name; v++)
		if (v->kind == CALL_CHAIN)
			return temp_text("&(struct %s *){ NULL }", v->of->name);
	return "NULL";
}

/* ----------------------------------------------------- what the peer has told in other ways -- */

/* The id whose event brought a peer for datagrams with that QP number, Q_Key or GID; or NULL. */
static struct replay_object *ud_peer(struct replay *p, uint32_t qpn, uint32_t qkey,
				     const union ibv_gid *gid)
{
	struct replay_object *found = NULL;

	for (struct replay_object *o = p->objects; o; o = o->hh.next)
		if (o->ud && o->live && o->is_ud &&
		    ((qpn && o->ud->qp_num == qpn) || (qkey && o->ud->qkey == qkey) ||
		     (gid && memcmp(&o->ud->ah_attr.grh.dgid, gid, sizeof *gid) == 0)))
			found = o;
	if (found)
		found->keeps = true;
	return found;
}

static bool is_at(const struct qp_peer *peer, const struct ibv_ah_attr *to)
{
	return !to || (to->is_global ? memcmp(&peer->gid, &to->grh.dgid, sizeof peer->gid) == 0
				     : peer->lid == to->dlid);
}

/* The QP whose peer an exchange by hand has brought, with that value: "qpn" at that address (NULL:
 * any), "rkey", an address in its region, or a GID. */
static struct replay_object *peer_of(struct replay *p, enum call_kind kind, uint64_t v,
				     const struct ibv_ah_attr *to, const union ibv_gid *gid)
{
	struct replay_object *found = NULL;

	for (struct replay_object *o = p->objects; o; o = o->hh.next) {
		const struct qp_peer *peer = o->live ? o->peer : NULL;

		if (peer &&
		    ((kind == CALL_QPN && peer->qpn == v && is_at(peer, to)) ||
		     (kind == CALL_KEY && v && peer->rkey == v) ||
		     (kind == CALL_REMOTE && v >= peer->addr && v - peer->addr < peer->len) ||
		     (gid && memcmp(&peer->gid, gid, sizeof *gid) == 0)))
			found = o;
	}
	return found;
}

/* Is it the member at that offset of the struct that the second argument of row points to? */
static bool is_of(const struct call_sink *k, const struct call_value *v, enum call_row row,
		  size_t offset)
{
	return k->values == call_table[row].args[1].of->fields && v->offset == offset;
}

static const char *key_told(struct replay *p, const struct call_sink *k, const struct call_value *v,
			    uint32_t key)
{
	const struct replay_object *o;

	if (v->is_local)
		return NULL;
	for (o = p->objects; o; o = o->hh.next)
		if (o->live && o->kind == OBJECT_MW && ibv_inc_rkey(o->rkey) == key &&
		    is_of(k, v, ROW_ibv_post_send, offsetof(struct ibv_send_wr, bind_mw.rkey)))
			return temp_text("ibv_inc_rkey(s.%s->rkey)", o->name);
	o = peer_of(p, CALL_KEY, key, NULL, NULL);
	return o ? temp_text("s.peer_of_%s.rkey", o->name) : NULL;
}

static const char *qpn_told(struct replay *p, const struct call_sink *k, uint32_t qpn)
{
	const struct replay_object *o = ud_peer(p, qpn, 0, NULL);

	if (o)
		return temp_text("s.event_of_%s.ud.qp_num", o->name);
	o = peer_of(p, CALL_QPN, qpn, replay_words_destination(p, k), NULL);
	return o ? temp_text("s.peer_of_%s.qpn", o->name) : NULL;
}

/* The PSN of a QP that is connected by hand, the Q_Key for datagrams. */
static const char *number_told(struct replay *p, const struct call_sink *k,
			       const struct call_value *v, uint64_t n)
{
	const struct ibv_qp_attr *attr = (const void *)k->base;
	const struct replay_object *o;

	if (is_of(k, v, ROW_ibv_modify_qp, offsetof(struct ibv_qp_attr, rq_psn)) &&
	    (o = peer_of(p, CALL_QPN, attr->dest_qp_num, replay_words_destination(p, k), NULL)))
		return temp_text("s.peer_of_%s.psn", o->name);
	if ((is_of(k, v, ROW_ibv_post_send, offsetof(struct ibv_send_wr, wr.ud.remote_qkey)) ||
	     v == &call_table[ROW_ibv_wr_set_ud_addr].args[3]) &&
	    (o = ud_peer(p, 0, (uint32_t)n, NULL)))
		return temp_text("s.event_of_%s.ud.qkey", o->name);
	return NULL;
}

static const char *ah_told(struct replay *p, const struct ibv_ah_attr *a)
{
	const struct replay_object *o = a && a->is_global ? ud_peer(p, 0, 0, &a->grh.dgid) : NULL;

	return o ? temp_text("&s.event_of_%s.ud.ah_attr", o->name) : NULL;
}

static const char *special_word(struct replay *p, const struct call_sink *k,
				const struct call_value *v, const void *at)
{
	const struct replay_object *o;
	uint64_t n = 0;

	if (v->kind == CALL_OBJECT || v->kind == CALL_STRUCT || v->kind == CALL_GID)
		memcpy(&n, at, sizeof n);
	if (k->is_arg && (v->role == CALL_OUT || v->role == CALL_MADE))
		return out_word(p, v, n);
	switch (v->kind) {
	case CALL_OBJECT:
		return n ? argument_object(p, v,
					   replay_objects_of(p, &replay_now(p)->r, n, v->object))
			 : "NULL";
	case CALL_STRUCT:
		return v->pointer && v->of == call_table[ROW_ibv_create_ah].args[1].of
			       ? ah_told(p, (const void *)(uintptr_t)n)
			       : NULL;
	case CALL_GID:
		o = peer_of(p, CALL_GID, 0, NULL, v->pointer ? (const void *)(uintptr_t)n : at);
		return o ? temp_text("%ss.peer_of_%s.gid", v->pointer ? "&" : "", o->name) : NULL;
	case CALL_REMOTE:
		n = call_load(v, at);
		o = peer_of(p, CALL_REMOTE, n, NULL, NULL);
		return o ? temp_text("s.peer_of_%s.addr + %llu", o->name,
				     (unsigned long long)(n - o->peer->addr))
			 : NULL;
	case CALL_KEY:
		return key_told(p, k, v, (uint32_t)call_load(v, at));
	case CALL_QPN:
		return qpn_told(p, k, (uint32_t)call_load(v, at));
	case CALL_BAD:
		return bad_word(replay_now(p)->r.fn);
	case CALL_UINT:
		return number_told(p, k, v, call_load(v, at));
	default:
		return NULL;
	}
}

/* ------------------------------------------------------------------------- told bytes -- */

static const char *told_word(struct replay *p, const struct told_bytes *t,
			     const struct value_place *place, const char *name, uint64_t offset)
{
	const char *more = offset ? temp_text(" + %llu", (unsigned long long)offset) : "";

	(void)p, (void)name;
	if (place->form == VALUE_HEX || place->form == VALUE_DECIMAL)
		return temp_text("get_digits(s.%s + %zu, %zu, %d)%s", t->variable, place->at,
				 place->len, place->form == VALUE_HEX ? 16 : 10, more);
	return temp_text("get_%s(s.%s + %zu, %zu)%s", place->form == VALUE_BE ? "be" : "le",
			 t->variable, place->at, place->len, more);
}

static const char *told_gid_word(struct replay *p, const struct told_bytes *t,
				 const struct value_place *place, bool pointer)
{
	struct program *c = p->its;

	c->nlocals++;
	program_before(p, "union ibv_gid gid%u = get_gid(s.%s + %zu, %zu);\n", c->nlocals,
		       t->variable, place->at, place->len);
	return temp_text("%sgid%u", pointer ? "&" : "", c->nlocals);
}

/* ------------------------------------------------------------------------- one's own -- */

const char *program_own(struct replay *p, const struct own_value *o, uint64_t offset)
{
	const char *object = program_object(p, o->of, o->of->kind);

	if (o->kind == OWN_MEMORY)
		return temp_text("(uintptr_t)at(%s, %llu)", object, (unsigned long long)offset);
	return temp_text("%s->%s", object, o->kind == OWN_KEY ? "rkey" : "qp_num");
}

static const char *key_word(struct replay *p, const struct own_value *o, bool is_local)
{
	return temp_text("%s->%s", program_object(p, o->of, o->of->kind),
			 is_local ? "lkey" : "rkey");
}

static const char *gid_word(struct replay *p, const struct own_value *o, bool pointer)
{
	struct program *c = p->its;
	const unsigned n = ++c->nlocals;

	program_before(p,
		       "union ibv_gid gid%u;\n\n"
		       "\t\tif (check(ibv_query_gid(%s, %u, %d, &gid%u), \"ibv_query_gid\"))\n"
		       "\t\t\treturn -1;",
		       n, program_object(p, o->of, OBJECT_CONTEXT), o->port, o->index, n);
	return temp_text("%sgid%u", pointer ? "&" : "", n);
}

static const char *place_word(struct replay *p, const struct own_value *mr,
			      const struct memory_block *b, uint64_t off, bool is_number)
{
	if (!mr)
		return temp_text("%ss.%s + %llu", is_number ? "(uintptr_t)" : "", b->name,
				 (unsigned long long)off);
	return temp_text("%sat(%s, %llu)", is_number ? "(uintptr_t)" : "",
			 program_object(p, mr->of, OBJECT_MR), (unsigned long long)off);
}

const char *program_host(struct replay *p, const char *host)
{
	struct program *c = p->its;
	unsigned i;

	if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0)
		return temp_text("\"%s\"", host);
	for (i = 0; i < c->naddresses && strcmp(c->address[i], host); i++)
		;
	if (i == ADDRESSES)
		return temp_text("\"%s\"", host);
	if (i == c->naddresses)
		snprintf(c->address[c->naddresses++], sizeof c->address[0], "%s", host);
	return temp_text("address[%u]", i);
}

/* Numbers distinguish the variables of a block. */
static const char *host_word(struct replay *p, const struct sockaddr *sa, const char *argument)
{
	socklen_t len = sa->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
						  : sizeof(struct sockaddr_in);
	struct program *c = p->its;
	char host[64] = "?", port[8] = "0";
	const unsigned n = ++c->nlocals;

	(void)argument;
	getnameinfo(sa, len, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
	program_before(p,
		       "struct sockaddr_storage addr%u;\n\n"
		       "\t\tif (lookup(%s, \"%s\", &addr%u))\n\t\t\treturn -1;",
		       n, program_host(p, host), port, n);
	return temp_text("(struct sockaddr *)&addr%u", n);
}

/* --------------------------------------------------------------------------- bytes -- */

static void put_own(struct replay *p, struct text *to, const char *indent, const char *expr,
		    const struct data_piece *piece)
{
	const enum value_form form = piece->place.form;
	const char *at = temp_text("%s + %zu", expr, piece->at);
	const char *v = piece->own->kind == OWN_GID ? gid_word(p, piece->own, true)
						    : program_own(p, piece->own, piece->offset);

	if (piece->own->kind == OWN_GID)
		xappendf(to, "%sput_gid(%s, %s, %zu);\n", indent, at, v, piece->len);
	else if (form == VALUE_HEX || form == VALUE_DECIMAL)
		xappendf(to, "%sput_digits(%s, %s, %zu, %d);\n", indent, at, v, piece->len,
			 form == VALUE_HEX ? 16 : 10);
	else
		xappendf(to, "%sput_%s(%s, %s, %zu);\n", indent, form == VALUE_BE ? "be" : "le", at,
			 v, piece->len);
}

static void put_literal(struct text *to, const char *indent, const char *expr,
			const unsigned char *data, size_t n)
{
	char *code, *lines;
	size_t size;
	FILE *f = xmemstream(&code, &size);

	fprintf(f, "memcpy(%s,\v", expr);
	call_write_c_string(f, data, n);
	fprintf(f, ",\v%zu);", n);
	fclose(f);
	f = xmemstream(&lines, &size);
	call_lay_out(f, code, (unsigned)strlen(indent), 90);
	fclose(f);
	xappendf(to, "%s%s\n", indent, lines);
	free(code);
	free(lines);
}

void program_bytes(struct replay *p, struct text *to, const char *indent, const char *expr,
		   const unsigned char *data, size_t n)
{
	unsigned char *rest = xcalloc(n, 1);
	struct data_piece piece = { 0 };
	bool has_own = false, has_rest = false;
	SCOPED_TEXT(own);

	memcpy(rest, data, n);
	while (replay_words_next_piece(p, data, n, &piece)) {
		if (!piece.own)
			continue;
		has_own = true;
		memset(rest + piece.at, 0, piece.len);
		put_own(p, &own, indent, expr, &piece);
	}
	for (size_t i = 0; i < n; i++)
		has_rest |= rest[i] != 0;
	if (has_rest || !has_own)
		put_literal(to, indent, expr, rest, n);
	text_add(to, text_str(&own));
	free(rest);
}

/* The bytes as a variable of the block. */
static const char *data_word(struct replay *p, const unsigned char *data, size_t n)
{
	struct program *c = p->its;
	const char *name = temp_text("data%u", ++c->nlocals);
	SCOPED_TEXT(lines);

	program_bytes(p, &lines, "\t\t", name, data, n);
	program_before(p, "unsigned char %s[%zu] = { 0 };\n", name, n);
	text_add(&p->before, text_str(&lines));
	return name;
}

const struct replay_words program_words = {
	.sink = call_c_sink,
	.special = special_word,
	.object = program_object,
	.told = told_word,
	.told_gid = told_gid_word,
	.own = program_own,
	.key = key_word,
	.gid = gid_word,
	.place = place_word,
	.host = host_word,
	.data = data_word,
};
