/* SPDX-License-Identifier: MIT */
/* Values of the session as expressions of C. */
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

/* The key that a window gets when this request binds it. */
static const char *window_key(struct replay *p, const struct call_sink *k,
			      const struct call_value *v, uint32_t key)
{
	const struct replay_object *o = p->objects;

	if (k->values != call_table[ROW_ibv_post_send].args[1].of->fields ||
	    v->offset != offsetof(struct ibv_send_wr, bind_mw.rkey))
		return NULL;
	while (o && !(o->live && o->kind == OBJECT_MW && ibv_inc_rkey(o->rkey) == key))
		o = o->hh.next;
	return o ? temp_text("ibv_inc_rkey(s.%s->rkey)", o->name) : NULL;
}

const char *program_special(struct replay *p, const struct call_sink *k, const struct call_value *v,
			    const void *at)
{
	uint64_t n = 0;

	if (v->kind == CALL_OBJECT || v->kind == CALL_STRUCT)
		memcpy(&n, at, sizeof n);
	if (k->is_arg && (v->role == CALL_OUT || v->role == CALL_MADE))
		return out_word(p, v, n);
	switch (v->kind) {
	case CALL_OBJECT:
		return n ? argument_object(p, v,
					   replay_objects_of(p, &replay_now(p)->r, n, v->object))
			 : "NULL";
	case CALL_KEY:
		return window_key(p, k, v, (uint32_t)call_load(v, at));
	case CALL_BAD:
		return bad_word(replay_now(p)->r.fn);
	default:
		return NULL;
	}
}

/* --------------------------------------------------------------------------- bytes -- */

static void put_own(struct replay *p, const char *to, const struct data_piece *piece)
{
	const enum value_form form = piece->place.form;
	const char *v = replay_words_of_own(p, piece->own, piece->offset);

	if (piece->own->kind == OWN_GID)
		program_line(p, "put_gid(%s, %s, %zu);", to, v + 1, piece->len);
	else if (form == VALUE_HEX || form == VALUE_DECIMAL)
		program_line(p, "put_digits(%s, %s, %zu, %d);", to, v, piece->len,
			     form == VALUE_HEX ? 16 : 10);
	else
		program_line(p, "put_%s(%s, %s, %zu);", form == VALUE_BE ? "be" : "le", to, v,
			     piece->len);
}

static void put_literal(struct replay *p, const char *to, const unsigned char *data, size_t n)
{
	char *string;
	size_t size;
	FILE *f;

	if (replay_run_length(data, n) == n && (n >= REPLAY_REPEATED || !*data)) {
		program_line(p, "memset(%s, %u, %zu);", to, *data, n);
		return;
	}
	f = xmemstream(&string, &size);
	call_write_c_string(f, data, n);
	fclose(f);
	program_code(p, "memcpy(%s,\v%s,\v%zu);", to, string, n);
	free(string);
}

static const char *data_at(struct replay *p, struct replay_object *mr, uint64_t off)
{
	if (mr)
		return temp_text("at(%s, %s)", program_object(p, mr, OBJECT_MR),
				 replay_digits(off));
	return off ? temp_text("s.data + %s", replay_digits(off)) : "s.data";
}

void program_put(struct replay *p, struct replay_object *mr, uint64_t off,
		 const unsigned char *data, size_t n)
{
	struct data_piece piece = { 0 };

	program_next(p);
	while (replay_words_next_piece(p, data, n, &piece)) {
		const char *to = data_at(p, mr, off + piece.at);

		if (piece.own)
			put_own(p, to, &piece);
		else
			put_literal(p, to, data + piece.at, piece.len);
	}
}

const char *program_data(struct replay *p, const unsigned char *data, size_t n, bool is_last)
{
	struct program *c = p->its;

	(void)is_last;
	c->data = n > c->data ? n : c->data;
	program_put(p, NULL, 0, data, n);
	return "s.data";
}
