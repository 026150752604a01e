/* SPDX-License-Identifier: MIT */
/* The steps of a session as statements of C. */
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program_parts.h"
#include "recorded.h"

#define ULL(n) (unsigned long long)(n)

/* The end of a function whose call has failed; what NULL: check() has said so. */
static void return_if(struct replay *p, const char *what)
{
	program_line(p, what ? "\treturn failed(\"%s\");" : "\treturn -1;", what);
}

/* ---------------------------------------------------------------------------- calls -- */

static void forget_ended(struct replay *p, const struct record *r)
{
	for (unsigned i = 0; i < r->nargs; i++) {
		const struct replay_object *o =
			r->fn->args[i].role == CALL_GONE && r->fn->args[i].kind == CALL_OBJECT
				? replay_objects_of(p, r, r->args[i], r->fn->args[i].object)
				: NULL;

		if (o && !o->whole)
			program_line(p, "s.%s = NULL;", o->name);
	}
}

/* Windows that this post binds get their next key. */
static void bind_windows(struct replay *p, const struct record *r)
{
	const struct ibv_send_wr *wr = r->fn == &call_table[ROW_ibv_post_send]
					       ? (const void *)(uintptr_t)r->args[1]
					       : NULL;

	for (; wr; wr = wr->next) {
		struct replay_object *mw =
			wr->opcode == IBV_WR_BIND_MW
				? replay_objects_of(p, r, (uintptr_t)wr->bind_mw.mw, OBJECT_MW)
				: NULL;

		if (!mw)
			continue;
		program_line(p, "s.%s->rkey = ibv_inc_rkey(s.%s->rkey);", mw->name, mw->name);
		mw->rkey = wr->bind_mw.rkey;
	}
}

static void write_plain_call(struct replay *p, const struct record *r, struct replay_object *made)
{
	char *args;
	const char *name = r->fn->name;

	program_next(p);
	args = replay_words_of_args(p, r, NULL);
	switch (r->fn->says) {
	case RESULT_POINTER:
		if (made) {
			program_code(p, "s.%s = %s(%s);", made->name, name, args);
			program_line(p, "if (!s.%s)", made->name);
		} else {
			program_code(p, "if (!%s(%s))", name, args);
		}
		return_if(p, name);
		break;
	case RESULT_STATUS:
		program_code(p, "if (check(%s(%s), \"%s\"))", name, args, name);
		return_if(p, NULL);
		break;
	case RESULT_COUNT:
		program_code(p, "if (%s(%s) < 0)", name, args);
		return_if(p, name);
		break;
	default:
		program_code(p, "%s(%s);", name, args);
	}
	bind_windows(p, r);
	forget_ended(p, r);
	free(args);
}

static bool is_as_given(const struct call_value *f, const void *a, const void *b)
{
	return memcmp((const char *)a + f->offset, (const char *)b + f->offset, f->size) == 0;
}

static void write_attribute(struct replay *p, const struct call_struct *of,
			    const struct call_value *v, const void *attr)
{
	char *c;
	size_t size;
	FILE *f = xmemstream(&c, &size);
	struct call_sink k = call_c_sink(f);

	k.own = replay_words_own;
	k.arg = p;
	k.values = of->fields;
	k.base = attr;
	call_tell(&k, v, (const char *)attr + v->offset, 0);
	fclose(f);
	program_code(p, "\tattr.%s = %s%s%s%s;", v->name,
		     v->of && v->kind == CALL_STRUCT ? "(struct " : "",
		     v->kind == CALL_STRUCT ? v->of->name : "", v->kind == CALL_STRUCT ? ")" : "",
		     c);
	free(c);
}

/* ibv_modify_qp(), whose attributes rdma_init_qp_attr() has filled in just before, but for some. */
static void write_modify(struct replay *p, const struct record *r, const struct record *init)
{
	const struct call_struct *of = r->fn->args[1].of;
	const struct ibv_qp_attr *attr = (const void *)(uintptr_t)r->args[1];
	const struct ibv_qp_attr *given = (const void *)(uintptr_t)init->after[1];
	const uint64_t mask = r->args[2];
	const uint64_t rest = mask & ~(uint64_t) * (const int *)(uintptr_t)init->after[2];
	char *c;
	size_t size;
	FILE *f;

	program_next(p);
	program_line(p, "{");
	program_line(p, "\tstruct ibv_qp_attr attr = { .qp_state = IBV_QPS_%s };",
		     live_word(of, "qp_state", attr->qp_state));
	program_line(p, "\tint mask;\n");
	program_line(p, "\tif (check(rdma_init_qp_attr(%s, &attr, &mask), \"rdma_init_qp_attr\"))",
		     program_object(p, replay_objects_of(p, init, init->args[0], OBJECT_CM_ID),
				    OBJECT_CM_ID));
	program_line(p, "\t\treturn -1;");
	for (const struct call_value *v = of->fields; v->name; v++)
		if (v->bit & mask && (v->bit & rest || !is_as_given(v, attr, given)))
			write_attribute(p, of, v, attr);
	f = xmemstream(&c, &size);
	if (rest)
		call_write_c_flags(f, r->fn->args[2].words, rest);
	fclose(f);
	program_code(p, "\tif (check(ibv_modify_qp(%s, &attr, mask%s%s), \"ibv_modify_qp\"))",
		     program_object(p, replay_objects_of(p, r, r->args[0], OBJECT_QP), OBJECT_QP),
		     rest ? " | " : "", c);
	program_line(p, "\t\treturn -1;");
	program_line(p, "}");
	free(c);
}

void program_call(struct replay *p, const struct record *r, struct replay_object *made)
{
	struct program *c = p->its;
	const struct record *init = c->init;
	const struct ibv_qp_attr *attr = (const void *)(uintptr_t)r->args[1];

	switch (record_call_row(r)) {
	case ROW_rdma_init_qp_attr:
		c->init = r;
		return;
	case ROW_ibv_rereg_mr:
		replay_note(p, "%s of %s is not in the program", r->fn->name,
			    replay_objects_of(p, r, r->args[0], OBJECT_MR)->called);
		return;
	case ROW_ibv_modify_qp:
		if (!init || ((const struct ibv_qp_attr *)(uintptr_t)init->after[1])->qp_state !=
				     attr->qp_state)
			break;
		c->init = NULL;
		write_modify(p, r, init);
		return;
	}
	write_plain_call(p, r, made);
}

void program_failed(struct replay *p, const struct record *r, const char *text)
{
	(void)r;
	replay_note(p, "%s: it is not in the program", text);
}

/* ----------------------------------------------------------------------------- memory -- */

/* Memory that is registered anew is zero, as it was in the session. */
void program_prepare(struct replay *p, const struct record *r)
{
	enum call_object kind = OBJECT_NONE;
	const uint64_t made = record_made(r, &kind);
	const struct ibv_mr *mr = made && kind == OBJECT_MR ? record_bytes(r, made, NULL) : NULL;
	struct memory_block *b = mr ? (struct memory_block *)(uintptr_t)replay_memory_find(
					      &p->memory, (uintptr_t)mr->addr, mr->length)
				    : NULL;

	if (!b)
		return;
	if (b->is_used && !replay_own_region(p, (uintptr_t)mr->addr, 1))
		program_line(p, "memset(s.%s + %llu, 0, %llu);", b->name,
			     ULL((uintptr_t)mr->addr - b->at), ULL(mr->length));
	b->is_used = true;
}

static const char *place_of(struct replay *p, struct replay_object *mr, uint64_t off)
{
	return temp_text("at(%s, %llu)", program_object(p, mr, OBJECT_MR), ULL(off));
}

static void write_put(struct replay *p, const struct record *r, struct replay_object *o)
{
	const unsigned char *data = (const void *)(uintptr_t)r->args[3];
	const size_t n = r->args[4], len = r->args[2];
	const char *at = place_of(p, o, r->args[1]);
	char *c;
	size_t size;
	FILE *f;

	if (n == RECORD_DATA_MAX && len > n)
		replay_note(
			p,
			"the record has only the first %zu of the bytes put into %s: they are repeated",
			n, o->called);
	if (!data || !n || !len)
		return;
	if (len <= n) {
		program_put(p, o, r->args[1], data, len);
	} else if (n == 1) {
		program_line(p, "memset(%s, %u, %zu);", at, data[0], len);
	} else {
		f = xmemstream(&c, &size);
		call_write_c_string(f, data, n);
		fclose(f);
		program_line(p, "for (size_t i = 0; i < %zu; i++)", len);
		program_code(p, "\t%s[i] = %s[i %% %zu];", at, c, n);
		free(c);
	}
}

/* The bytes read from a region may have come from the peer, and be used later. */
static void write_get(struct replay *p, const struct record *r, struct replay_object *o)
{
	const char *at = place_of(p, o, r->args[1]);
	const struct told_bytes *t = r->args[3]
					     ? replay_told_add(p, "bytes",
							       (const void *)(uintptr_t)r->args[3],
							       r->args[4])
					     : NULL;

	program_line(p, "show(\"%s+%llu\", %s, %llu);", o->called, ULL(r->args[1]), at,
		     ULL(r->args[2]));
	if (t)
		program_line(p, "memcpy(s.%s, %s, sizeof s.%s);", t->variable, at, t->variable);
}

/* ------------------------------------------------------------------------------- by hand -- */

/* The message of this end: values that differ in each run, and the members of JSON that do not. */
static void write_mine(struct replay *p, const struct replay_object *qp, const struct qp_peer *m,
		       const struct own_value *gid, FILE *to)
{
	const struct own_value *mr = m->addr ? replay_own_region(p, m->addr, 1) : NULL;
	SCOPED_TEXT(rest);

	fprintf(to, "&(struct peer_info){\n.qpn = s.%s->qp_num,\n.gid = %s", qp->name,
		replay_words_of_own(p, gid, 0));
	if (mr)
		fprintf(to, ",\n.rkey = s.%s->rkey,\n.addr = %s", mr->of->name,
			replay_words_of_own(p, mr, m->addr - mr->value));
	xappendf(&rest,
		 "\"psn\":%u,\"lid\":%u,\"len\":%llu,\"gid_index\":%u,\"qkey\":%u,\"mtu\":%u,"
		 "\"type\":\"%s\"",
		 m->psn, m->lid, ULL(m->len), m->gid_index, m->qkey, m->mtu ? 128u << m->mtu : 0,
		 live_word(call_table[ROW_ibv_create_qp].args[1].of, "qp_type", m->type));
	fprintf(to, "\n},\v");
	call_write_c_string(to, text_str(&rest), text_len(&rest));
}

/* Writes an exchange over TCP, unless both ends are in this session. */
static void write_exchange(struct replay *p, const struct record *r, struct replay_object *qp)
{
	static const union ibv_gid none;
	const struct qp_peer *mine = (const void *)(uintptr_t)r->args[3];
	const struct qp_peer *peer = (const void *)(uintptr_t)r->args[4];
	const struct ibv_ah_attr to = { .is_global = memcmp(&peer->gid, &none, sizeof none) != 0,
					.grh.dgid = peer->gid,
					.dlid = peer->lid };
	const char *host = (const char *)(uintptr_t)r->args[1];
	const struct own_value *gid = replay_own_gid(p, &mine->gid);
	char *code;
	size_t size;
	FILE *f;

	if (replay_objects_qp(p, peer->qpn) && replay_own_leads_here(p, &to))
		return; /* both ends are here */
	if (!*host || !gid) {
		replay_note(
			p,
			"oob listen of %s is not in the program: the values from the peer are those "
			"of the session",
			qp->called);
		return;
	}
	replay_told_add_peer(p, temp_text("peer_of_%s", qp->name), peer, true);
	f = xmemstream(&code, &size);
	fprintf(f, "exchange(%s,\v\"%llu\",\v", replay_words_of_host(p, host), ULL(r->args[2]));
	write_mine(p, qp, mine, gid, f);
	fprintf(f, ",\v&s.peer_of_%s)", qp->name);
	fclose(f);
	p->back->line(p, code);
	free(code);
}

static void write_left_out(struct replay *p, const struct record *r)
{
	struct replay_object *o = replay_objects_of(p, r, r->args[1], OBJECT_QP);

	if (o)
		o->is_left_out = true;
	replay_note(p, "%s%s%s is not in the program", (const char *)(uintptr_t)r->args[0],
		    o ? " of " : "", o ? o->called : "");
}

void program_row(struct replay *p, enum replay_row row, const struct record *r)
{
	struct program *c = p->its;
	struct replay_object *o;

	if (row == REPLAY_LEFT_OUT)
		write_left_out(p, r);
	if (row == REPLAY_LEFT_OUT || row == REPLAY_IGNORED)
		return;
	o = replay_objects_of(p, r, r->args[0], row == REPLAY_EXCHANGE ? OBJECT_QP : OBJECT_MR);
	if (!o || (!o->made && !o->whole)) {
		c->unknown++;
		return;
	}
	program_next(p);
	if (row == REPLAY_PUT)
		write_put(p, r, o);
	else if (row == REPLAY_GET)
		write_get(p, r, o);
	else
		write_exchange(p, r, o);
}

/* ---------------------------------------------------------------------- what is left out -- */

bool program_leaves_out(struct replay *p)
{
	const struct record *r = &replay_now(p)->r;
	struct program *c = p->its;
	const struct replay_object *o;

	switch (record_call_row(r)) {
	case ROW_ibv_ack_cq_events: /* comes with the event */
	case ROW_rdma_ack_cm_event:
	case ROW_ibv_get_async_event:
	case ROW_ibv_ack_async_event:
		return true;
	}
	if (record_is_empty_poll(r))
		return true;
	o = replay_subject(p);
	if (!o || (!o->made && !o->whole && o->kind != OBJECT_CONTEXT)) {
		c->unknown++;
		return true;
	}
	return r->fn->path == CALL_DATAPATH && o->is_left_out;
}

/* ------------------------------------------------------------- the end of connections -- */

/* Tracks which ids are connected after the record. */
static void follow_connection(struct replay *p, const struct record *r)
{
	const struct rdma_cm_event *ev = record_cm_event(r);
	struct replay_object *id = ev ? replay_objects_of(p, r, (uintptr_t)ev->id, OBJECT_CM_ID)
				   : r->nargs && r->fn->args[0].object == OBJECT_CM_ID
					   ? replay_objects_of(p, r, r->args[0], OBJECT_CM_ID)
					   : NULL;

	if (!id || id->is_ud)
		return;
	switch (record_call_row(r)) {
	case ROW_rdma_accept:
	case ROW_rdma_connect:
		id->is_connected = true;
		break;
	case ROW_rdma_migrate_id:
		id->from = replay_objects_of(p, r, r->args[1], OBJECT_EVENT_CHANNEL);
		break;
	case ROW_rdma_disconnect:
	case ROW_rdma_destroy_id:
	case ROW_rdma_destroy_ep:
		id->is_connected = false;
		break;
	default:
		if (ev && (ev->event == RDMA_CM_EVENT_DISCONNECTED || ev->status))
			id->is_connected = false;
	}
}

/* A client may still use the memory and the receives of a server, so the program waits until it has
 * disconnected before it destroys them. If both are in the program, it ends them in order. */
void program_last_waits(struct replay *p)
{
	bool has_client = false;

	for (unsigned i = 0; i < p->from->ncalls; i++)
		if (p->from->calls[i].row == REPLAY_CALL && !p->from->calls[i].r.err &&
		    !p->from->calls[i].r.fn->asks)
			follow_connection(p, &p->from->calls[i].r);
	for (const struct replay_object *o = p->objects; o; o = o->hh.next)
		has_client |= o->kind == OBJECT_CM_ID && !o->is_server;
	for (struct replay_object *id = p->objects; id; id = id->hh.next) {
		struct replay_object *channel = id->from;

		while (channel && channel->kind == OBJECT_CM_ID)
			channel = channel->from;
		if (has_client || !channel || id->kind != OBJECT_CM_ID || !id->is_connected ||
		    !id->live || !id->written)
			continue;
		program_next(p);
		replay_note(p, "at its end it waits up to %d s for the peer of %s to disconnect",
			    PATIENCE, id->called);
		replay_step(p, "cm_event $1 $3 $4",
			    "await_event($1,\v$2,\vRDMA_CM_EVENT_$3,\vNULL)",
			    program_object(p, channel, OBJECT_EVENT_CHANNEL),
			    program_object(p, id, OBJECT_CM_ID), "DISCONNECTED", NULL);
	}
}

/* ----------------------------------------------------------------------------- clean-up -- */

void program_clean_up(struct replay *p, struct replay_object *o, struct text *to)
{
	const char *by = o->made && o->made->fn->ended_by ? o->made->fn->ended_by
							  : call_objects[o->kind].ended_by;
	const struct call_fn *fn = by ? call_find(by) : NULL;

	if (o->kind == OBJECT_CONTEXT)
		return; /* librdmacm's */
	if (o->whole && !o->made)
		xappendf(to, "\tif (s.%s && s.%s->%s)\n\t\trdma_destroy_%s(s.%s);\n",
			 o->whole->name, o->whole->name, o->kind == OBJECT_SRQ ? "srq" : "qp",
			 o->kind == OBJECT_SRQ ? "srq" : "qp", o->whole->name);
	else if (fn && fn->says == RESULT_STATUS)
		xappendf(to, "\tif (s.%s && check(%s(%s), \"%s\"))\n\t\trc = -1;\n", o->name, by,
			 program_object(p, o, fn->args[0].object), by);
	else if (fn)
		xappendf(to, "\tif (s.%s)\n\t\t%s(s.%s);\n", o->name, by, o->name);
}
