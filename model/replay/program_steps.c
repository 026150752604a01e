/* SPDX-License-Identifier: MIT */
/* The steps of a session as statements of C. */
#include <arpa/inet.h>
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program_parts.h"
#include "recorded.h"

#define ULL(n) (unsigned long long)(n)

static void return_if(struct replay *p, const char *in, const char *what)
{
	program_line(p, what ? "%s\treturn failed(\"%s\");" : "%s\treturn -1;", in, what);
}

/* ---------------------------------------------------------------------------- calls -- */

static void forget_ended(struct replay *p, const struct record *r, const char *in)
{
	for (unsigned i = 0; i < r->nargs; i++) {
		const struct replay_object *o =
			r->fn->args[i].role == CALL_GONE && r->fn->args[i].kind == CALL_OBJECT
				? replay_objects_of(p, r, r->args[i], r->fn->args[i].object)
				: NULL;

		if (o && !o->whole)
			program_line(p, "%ss.%s = NULL;", in, o->name);
	}
}

/* Windows that this post binds get their next key. */
static void bind_windows(struct replay *p, const struct record *r, const char *in)
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
		program_line(p, "%ss.%s->rkey = ibv_inc_rkey(s.%s->rkey);", in, mw->name, mw->name);
		mw->rkey = wr->bind_mw.rkey;
	}
}

static void write_plain_call(struct replay *p, const struct record *r, struct replay_object *made)
{
	char *args = replay_words_of_args(p, r, NULL);
	const char *in = program_begin_block(p);
	const char *name = r->fn->name;

	switch (r->fn->says) {
	case RESULT_POINTER:
		if (made) {
			program_code(p, "%ss.%s = %s(%s);", in, made->name, name, args);
			program_line(p, "%sif (!s.%s)", in, made->name);
		} else {
			program_code(p, "%sif (!%s(%s))", in, name, args);
		}
		return_if(p, in, name);
		break;
	case RESULT_STATUS:
		program_code(p, "%sif (check(%s(%s), \"%s\"))", in, name, args, name);
		return_if(p, in, NULL);
		break;
	case RESULT_COUNT:
		program_code(p, "%sif (%s(%s) < 0)", in, name, args);
		return_if(p, in, name);
		break;
	default:
		program_code(p, "%s%s(%s);", in, name, args);
	}
	bind_windows(p, r, in);
	forget_ended(p, r, in);
	program_end_block(p);
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

	program_line(p, "{");
	program_line(p, "\tstruct ibv_qp_attr attr = { .qp_state = IBV_QPS_%s };",
		     live_word(of, "qp_state", attr->qp_state));
	program_line(p, "\tint mask;\n");
	program_line(p, "\tif (check(rdma_init_qp_attr(%s, &attr, &mask), \"rdma_init_qp_attr\"))",
		     program_object(p, replay_objects_of(p, init, init->args[0], OBJECT_CM_ID),
				    OBJECT_CM_ID));
	return_if(p, "\t", NULL);
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
	return_if(p, "\t", NULL);
	program_line(p, "}");
	free(c);
	text_resize(&p->before, 0);
}

static void write_call(struct replay *p, const struct record *r, struct replay_object *made)
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

static void write_failed(struct replay *p, const struct record *r)
{
	const char *name = strerrorname_np(abs(r->err));
	const struct replay_object *o = NULL;

	if (r->err == EAGAIN || r->fn->asks || record_found_nothing(r))
		return;
	for (unsigned i = 0; i < r->nargs && !o; i++)
		if (r->fn->args[i].kind == CALL_OBJECT)
			o = replay_objects_of(p, r, r->args[i], r->fn->args[i].object);
	if (!o || !program_is_of_other_end(p, o))
		replay_note(p, "%s%s%s failed with %s: it is not in the program", r->fn->name,
			    o ? " of " : "", o ? o->called : "", name ? name : "an unknown error");
}

/* ----------------------------------------------------------------------------- memory -- */

static void write_block(struct replay *p, struct memory_block *b)
{
	program_line(p, "s.%s = memory(%llu);", b->name, ULL(b->len));
	program_line(p, "if (!s.%s)", b->name);
	return_if(p, "", "memory");
}

/* Memory that is registered anew is zero, as it was in the session. */
static void prepare(struct replay *p, const struct record *r)
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

static void write_bytes(struct replay *p, const char *expr, const unsigned char *data, size_t n)
{
	SCOPED_TEXT(lines);

	program_bytes(p, &lines, "\t", expr, data, n);
	program_begin_block(p);
	text_add(&p->body, text_str(&lines));
	program_end_block(p);
}

static void put(struct replay *p, const struct own_value *mr, uint64_t off,
		const unsigned char *data, size_t n)
{
	write_bytes(p, temp_text("(unsigned char *)%s", place_of(p, mr->of, off)), data, n);
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
		write_bytes(p, temp_text("(unsigned char *)%s", at), data, len);
	} else if (n == 1) {
		program_line(p, "memset(%s, %u, %zu);", at, data[0], len);
	} else {
		f = xmemstream(&c, &size);
		call_write_c_string(f, data, n);
		fclose(f);
		program_line(p, "for (size_t i = 0; i < %zu; i++)", len);
		program_code(p, "\t((char *)%s)[i] = %s[i %% %zu];", at, c, n);
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

static void keep(struct replay *p, const struct told_bytes *t, const struct memory_piece *v,
		 unsigned n)
{
	size_t at = 0;

	for (unsigned i = 0; i < n; at += v[i++].len)
		program_line(p, "memcpy(s.%s + %zu, %s, %zu);", t->variable, at,
			     place_of(p, v[i].mr->of, v[i].off), v[i].len);
}

/* -------------------------------------------------------- completions and events -- */

static void write_completion(struct replay *p, struct replay_object *cq, const struct live_wc *c)
{
	const struct replay_object *qp = replay_objects_qp(p, c->wc.qp_num);

	if (qp && (program_is_of_other_end(p, qp) || qp->is_left_out))
		return;
	program_line(p, "if (complete(%s, %llu%s, IBV_WC_%s))", program_object(p, cq, OBJECT_CQ),
		     ULL(c->wc.wr_id), c->wc.wr_id >> 31 ? "ull" : "", live_status(c->wc.status));
	return_if(p, "", NULL);
}

static void write_cq_event(struct replay *p, struct replay_object *channel, uint64_t cq)
{
	(void)cq;
	program_line(p, "if (await_cq_event(%s))", program_object(p, channel, OBJECT_COMP_CHANNEL));
	return_if(p, "", NULL);
}

static void write_cm_event(struct replay *p, const struct rdma_cm_event *ev,
			   const struct told_bytes *t)
{
	const struct record *r = &replay_now(p)->r;
	const bool request = ev->event == RDMA_CM_EVENT_CONNECT_REQUEST;
	struct replay_object *id = replay_objects_of(p, r, (uintptr_t)ev->id, OBJECT_CM_ID);
	struct replay_object *channel = replay_objects_of(p, r, r->args[0], OBJECT_EVENT_CHANNEL);
	struct replay_object *awaited =
		request ? replay_objects_of(p, r, (uintptr_t)ev->listen_id, OBJECT_CM_ID) : id;
	const char *name = live_word(call_objects[OBJECT_CM_EVENT].of, "event", ev->event);
	const bool has_ud = id->is_ud && ev->param.ud.qp_num;

	if (!awaited || !awaited->written || !channel) {
		replay_note(p, "the event %s of %s is not in the program", name, id->called);
		return;
	}
	if (has_ud)
		id->ud = &ev->param.ud;
	id->keeps |= request || t;
	id->written |= request;
	program_code(p, "if (await_event(%s,\v%s,\vRDMA_CM_EVENT_%s,\v%s))",
		     program_object(p, channel, OBJECT_EVENT_CHANNEL),
		     program_object(p, awaited, OBJECT_CM_ID), name,
		     request || t || (has_ud && id->keeps) ? temp_text("&s.event_of_%s", id->name)
							   : "NULL");
	return_if(p, "", NULL);
	if (request)
		program_line(p, "%s = s.event_of_%s.id;", program_object(p, id, OBJECT_CM_ID),
			     id->name);
	if (t)
		program_line(p, "memcpy(s.%s, s.event_of_%s.data, sizeof s.%s);", t->variable,
			     id->name, t->variable);
}

static void keep_private(struct replay *p, const struct told_bytes *t, struct replay_object *id)
{
	program_code(p, "memcpy(s.%s,\v%s->event->param.conn.private_data,\vsizeof s.%s);",
		     t->variable, program_object(p, id, OBJECT_CM_ID), t->variable);
}

/* --------------------------------------------------------------------------------- TCP -- */

static bool leaves_out_tcp(struct replay *p, const struct tcp_end *e)
{
	if (p->role && e->is_server != (p->role == END_SERVER))
		return true;
	program_enter(p, "set_up");
	return false;
}

static void begin_tcp(struct replay *p, const struct tcp_end *e)
{
	program_line(p, "if (s.%s < 0)", e->name);
	return_if(p, "", NULL);
}

static void write_listen(struct replay *p, const struct tcp_end *e, const char *host, unsigned port)
{
	if (leaves_out_tcp(p, e))
		return;
	program_line(p, "s.%s = tcp_open(%s, \"%u\", 1);", e->name,
		     *host ? program_host(p, host) : "\"0.0.0.0\"", port);
	begin_tcp(p, e);
}

static void write_accept(struct replay *p, const struct tcp_end *listener, const struct tcp_end *e)
{
	if (leaves_out_tcp(p, e))
		return;
	program_line(p, "s.%s = tcp_accept(s.%s);", e->name, listener->name);
	begin_tcp(p, e);
}

static void write_connect(struct replay *p, const struct tcp_end *e, const char *host,
			  unsigned port)
{
	if (leaves_out_tcp(p, e))
		return;
	program_line(p, "s.%s = tcp_open(%s, \"%u\", 0);", e->name, program_host(p, host), port);
	begin_tcp(p, e);
}

static void write_send(struct replay *p, const struct tcp_end *e, const unsigned char *data,
		       size_t n)
{
	struct program *c = p->its;

	if (leaves_out_tcp(p, e) || !n)
		return;
	c->nlocals = 0;
	program_words.data(p, data, n);
	program_begin_block(p);
	program_line(p, "\tif (transfer(s.%s, data1, %zu, 1))", e->name, n);
	return_if(p, "\t", NULL);
	program_end_block(p);
}

static void write_recv(struct replay *p, const struct tcp_end *e, size_t n,
		       const struct told_bytes *t)
{
	if (leaves_out_tcp(p, e))
		return;
	if (!n)
		program_line(p, "if (tcp_end(s.%s))", e->name);
	else if (t)
		program_line(p, "if (transfer(s.%s, s.%s, %zu, 0))", e->name, t->variable, n);
	else
		program_line(p, "if (tcp_skip(s.%s, %zu))", e->name, n);
	return_if(p, "", NULL);
}

static void write_close(struct replay *p, const struct tcp_end *e)
{
	if (!leaves_out_tcp(p, e))
		program_line(p, "close(s.%s);", e->name);
}

/* ------------------------------------------------------------------------------- by hand -- */

/* Writes the message to the peer: values that are the same in each run as text, others as
 * arguments of snprintf(). */
static void write_mine(struct replay *p, const struct replay_object *qp, const struct qp_peer *m)
{
	const struct own_value *mr = m->addr ? replay_own_region(p, m->addr, 1) : NULL;
	const struct call_struct *init = call_table[ROW_ibv_create_qp].args[1].of;

	program_line(p, "\tsnprintf(mine, sizeof mine,");
	program_line(
		p,
		"\t\t \"{\\\"qpn\\\":%%u,\\\"psn\\\":%u,\\\"lid\\\":%u,\\\"gid\\\":\\\"%%s\\\",\"",
		m->psn, m->lid);
	program_line(
		p,
		"\t\t \"\\\"rkey\\\":%%u,\\\"addr\\\":%%llu,\\\"len\\\":%llu,\\\"gid_index\\\":%u,\"",
		ULL(m->len), m->gid_index);
	program_line(p, "\t\t \"\\\"qkey\\\":%u,\\\"mtu\\\":%u,\\\"type\\\":\\\"%s\\\"}\",",
		     m->qkey, m->mtu ? 128u << m->mtu : 0, live_word(init, "qp_type", m->type));
	program_line(p, "\t\t s.%s->qp_num, inet_ntop(AF_INET6, &own, gid, sizeof gid),", qp->name);
	program_line(p, "\t\t %s, (unsigned long long)%s);",
		     mr ? temp_text("s.%s->rkey", mr->of->name) : "0u",
		     mr ? program_own(p, mr, m->addr - mr->value) : "0");
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
	qp->peer = peer;
	qp->keeps = qp->used = true;
	program_line(p, "{");
	program_line(p, "\tchar gid[INET6_ADDRSTRLEN], mine[512];");
	program_line(p, "\tunion ibv_gid own;\n");
	program_line(p, "\tif (check(ibv_query_gid(%s, 1, %u, &own), \"ibv_query_gid\"))",
		     program_object(p, gid->of, OBJECT_CONTEXT), mine->gid_index);
	return_if(p, "\t", NULL);
	write_mine(p, qp, mine);
	program_line(p, "\tif (exchange(%s, \"%llu\", mine, &s.peer_of_%s))", program_host(p, host),
		     ULL(r->args[2]), qp->name);
	return_if(p, "\t", NULL);
	program_line(p, "}");
}

static void write_left_out(struct replay *p, const struct record *r)
{
	struct replay_object *o = replay_objects_of(p, r, r->args[1], OBJECT_QP);

	if (o)
		o->is_left_out = true;
	replay_note(p, "%s%s%s is not in the program", (const char *)(uintptr_t)r->args[0],
		    o ? " of " : "", o ? o->called : "");
}

static void write_row(struct replay *p, enum replay_row row, const struct record *r)
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
	if (program_is_of_other_end(p, o) || (p->role && o->kind == OBJECT_MR && !o->used))
		return;
	program_enter(p, row != REPLAY_EXCHANGE && c->phase ? c->phase : "set_up");
	if (row == REPLAY_PUT)
		write_put(p, r, o);
	else if (row == REPLAY_GET)
		write_get(p, r, o);
	else
		write_exchange(p, r, o);
}

const struct replay_steps program_steps = {
	.note = program_note,
	.failed = write_failed,
	.block = write_block,
	.prepare = prepare,
	.call = write_call,
	.put = put,
	.completion = write_completion,
	.cq_event = write_cq_event,
	.cm_event = write_cm_event,
	.keep = keep,
	.keep_private = keep_private,
	.listen = write_listen,
	.accept = write_accept,
	.connect = write_connect,
	.send = write_send,
	.recv = write_recv,
	.close = write_close,
	.row = write_row,
};

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
