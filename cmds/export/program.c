/* SPDX-License-Identifier: MIT */
/* Converts the record to C functions: variables, phases, and which records go into the program. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/program.h"
#include "call_record.h"
#include "recorded.h"
#include "session.h"
#include "alloc.h"

#define PHASE_LINES 60
#define PASSES	    4
#define COLUMNS	    90

/* Words that cannot name a member: keywords of C, and macros of headers. */
static const char *const reserved[] = {
	"alignas",	"alignof",	 "asm",	      "auto",	  "bool",    "break",  "case",
	"char",		"const",	 "constexpr", "continue", "default", "do",     "double",
	"else",		"enum",		 "errno",     "extern",	  "false",   "float",  "for",
	"goto",		"h_errno",	 "if",	      "inline",	  "int",     "linux",  "long",
	"nullptr",	"register",	 "restrict",  "return",	  "short",   "signed", "sizeof",
	"static",	"static_assert", "stderr",    "stdin",	  "stdout",  "struct", "switch",
	"thread_local", "true",		 "typedef",   "typeof",	  "union",   "unix",   "unsigned",
	"void",		"volatile",	 "while",
};

static bool is_reserved(const char *name)
{
	bool lower = false;

	for (const char *c = name; *c; c++)
		lower |= islower((unsigned char)*c) != 0;
	if (!lower) /* it may be a macro */
		return true;
	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		if (strcmp(reserved[i], name) == 0)
			return true;
	return false;
}

void program_name(const char *name, char *to, size_t size)
{
	size_t n = 0;

	if (!isalpha((unsigned char)*name))
		to[n++] = 'x';
	for (; *name && n + 2 < size; name++)
		to[n++] = isalnum((unsigned char)*name) ? *name : '_';
	to[n] = 0;
	if (is_reserved(to))
		memcpy(to + n, "_", 2);
}

/* ------------------------------------------------------------------- lines -- */

void put_line(struct program *p, const char *fmt, ...)
{
	va_list ap;

	if (*fmt)
		text_add(&p->body, "\t");
	va_start(ap, fmt);
	xvappendf(&p->body, fmt, ap);
	va_end(ap);
	text_add(&p->body, "\n");
	p->lines++;
}

void put_code(struct program *p, const char *fmt, ...)
{
	unsigned tabs = 1;
	char *c, *text;
	size_t size;
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	c = xvasprintf(fmt, ap);
	va_end(ap);
	while (c[tabs - 1] == '\t')
		tabs++;
	f = xmemstream(&text, &size);
	call_lay_out(f, c + tabs - 1, tabs, COLUMNS);
	fclose(f);
	for (const char *at = text; *at; at++)
		p->lines += *at == '\n';
	put_line(p, "%.*s%s", (int)tabs - 1, "\t\t\t\t\t\t", text);
	free(text);
	free(c);
}

void add_warning(struct program *p, const char *fmt, ...)
{
	va_list ap;
	char *line;
	int is_new;

	va_start(ap, fmt);
	line = xvasprintf(fmt, ap);
	va_end(ap);
	Tcl_CreateHashEntry(&p->warned, line, &is_new);
	if (is_new) {
		xappendf(&p->warnings, "%s\n", line);
		if (p->phase)
			put_line(p, "/* %s */", line);
	}
	free(line);
}

/* --------------------------------------------------------------- variables -- */

struct var *var_at(const struct program *p, uint64_t address, uint64_t when)
{
	const struct record_object *o = address ? record_object_at(address, when) : NULL;
	Tcl_HashEntry *e = NULL;

	if (o)
		e = Tcl_FindHashEntry((Tcl_HashTable *)&p->by_serial, (void *)(uintptr_t)o->serial);
	return e ? Tcl_GetHashValue(e) : NULL;
}

struct var *var_of(const struct program *p, uint64_t address)
{
	struct var *v = var_at(p, address, p->r->begin);

	return v ? v : var_at(p, address, p->r->end); /* created by the call itself */
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

const char *var_expr(struct program *p, struct var *v, enum call_object want)
{
	if (!v)
		return "NULL";
	v->used = true;
	if (v->whole && !v->made)
		return cast_object(temp_text("%s->%s", var_expr(p, v->whole, OBJECT_CM_ID),
					     v->kind == OBJECT_SRQ ? "srq" : "qp"),
				   v->kind, want);
	return cast_object(temp_text("s.%s", v->name), v->kind, want);
}

bool is_written(const struct var *v)
{
	return v->whole && !v->made ? v->whole->written : v->written;
}

static void name_var(struct program *p, struct var *v)
{
	char base[40];
	unsigned again = 1;
	int is_new;

	program_name(v->kind == OBJECT_CONTEXT ? "device" : v->called, base, sizeof base);
	snprintf(v->name, sizeof v->name, "%s", base);
	while (Tcl_CreateHashEntry(&p->names, v->name, &is_new), !is_new)
		snprintf(v->name, sizeof v->name, "%s_%u", base, ++again);
}

/* Makes the object that was at address at that time a variable, unless it is one. NULL: unknown. */
static struct var *add_var(struct program *p, uint64_t address, uint64_t when,
			   const struct record *made)
{
	const struct record_object *o = address ? record_object_at(address, when) : NULL;
	Tcl_HashEntry *e;
	struct var *v;
	int is_new;

	if (!o)
		return NULL;
	e = Tcl_CreateHashEntry(&p->by_serial, (void *)(uintptr_t)o->serial, &is_new);
	if (!is_new)
		return Tcl_GetHashValue(e);
	v = xcalloc(1, sizeof *v);
	*v = (struct var){ .serial = o->serial, .address = address, .kind = o->kind, .made = made };
	snprintf(v->called, sizeof v->called, "%s",
		 *o->name ? o->name : call_objects[o->kind].word);
	name_var(p, v);
	Tcl_SetHashValue(e, v);
	p->vars = xgrow(p->vars, p->nvars, sizeof *p->vars);
	p->vars[p->nvars++] = v;
	return v;
}

/* Makes the QP of an id a variable: the id's call has created it. */
static void add_parts(struct program *p, const struct record *r, struct var *id)
{
	const struct rdma_cm_id *copy = id ? record_bytes(r, id->address, NULL) : NULL;
	struct var *qp = copy ? add_var(p, (uintptr_t)copy->qp, r->end, NULL) : NULL;

	if (!qp || qp->made)
		return;
	qp->whole = id;
	qp->end = id->end;
}

static void add_event(struct program *p, const struct record *r)
{
	const struct rdma_cm_event *ev = record_cm_event(r);
	struct var *id;

	if (!ev || ev->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return;
	id = add_var(p, (uintptr_t)ev->id, r->end, r);
	if (!id)
		return;
	id->end = END_SERVER;
	id->from = var_at(p, (uintptr_t)ev->listen_id, r->end);
	id->is_ud = id->from && id->from->is_ud;
}

/* Adds the variables of the objects that a call creates, and of the devices that it uses. */
static void collect_call(struct program *p, const struct record *r)
{
	enum call_object kind;
	uint64_t made = record_made(r, &kind);
	struct var *v = made && kind != OBJECT_CM_EVENT ? add_var(p, made, r->end, r) : NULL;
	struct var *first = NULL;

	for (unsigned i = 0; i < r->nargs; i++) {
		const struct call_value *a = &r->fn->args[i];

		if (a->kind != CALL_OBJECT || (a->role != CALL_IN && a->role != CALL_GONE))
			continue;
		if (a->object == OBJECT_CONTEXT)
			add_var(p, r->args[i], r->begin, NULL);
		if (!first)
			first = var_at(p, r->args[i], r->begin);
	}
	if (v && v->kind == OBJECT_CM_ID) {
		v->end = END_CLIENT;
		v->from = first;
		v->is_ud = row_of(r) == ROW_rdma_create_id && r->args[3] == RDMA_PS_UDP;
		add_parts(p, r, v);
	} else if (first && first->kind == OBJECT_CM_ID) {
		add_parts(p, r, first);
		if (row_of(r) == ROW_rdma_listen)
			first->end = END_SERVER;
	}
	add_event(p, r);
}

static bool is_kept(const struct record *r)
{
	return r->ended && !r->err && !r->depth;
}

/* Of a list that was refused in part, only the accepted requests are kept. */
static void keep_accepted(struct record *r)
{
	unsigned accepted = r->err ? record_accepted(r) : 0;

	for (unsigned i = 0; i < r->nargs && accepted; i++) {
		const struct call_value *v = &r->fn->args[i];
		char **next = (char **)(uintptr_t)&r->args[i];

		if (v->kind != CALL_CHAIN)
			continue;
		for (unsigned n = 0; n < accepted; n++)
			next = (char **)(void *)(*next + v->of->next);
		*next = NULL;
		r->err = 0;
	}
}

static void collect_calls(struct program *p)
{
	for (unsigned i = 0; i < p->list->n; i++)
		if (is_kept(&p->list->v[i]) && row_of(&p->list->v[i]) < OWN_FIRST)
			collect_call(p, &p->list->v[i]);
	for (unsigned i = 0; i < p->nvars; i++)
		if (p->vars[i]->whole)
			p->vars[i]->end = p->vars[i]->whole->end;
}

static void learn_keys(struct var *v, const struct record *r)
{
	const void *bytes = record_bytes(r, v->address, NULL);
	const struct ibv_mr *mr = bytes;

	if (!bytes)
		return;
	if (v->kind == OBJECT_MR) {
		v->memory = (uintptr_t)mr->addr;
		v->len = mr->length;
		v->lkey = mr->lkey;
		v->rkey = mr->rkey;
	} else if (v->kind == OBJECT_MW) {
		v->rkey = ((const struct ibv_mw *)bytes)->rkey;
	} else if (v->kind == OBJECT_QP) {
		v->qpn = ((const struct ibv_qp *)bytes)->qp_num;
		v->qp_type = ((const struct ibv_qp *)bytes)->qp_type;
	}
}

/* The id may have got a QP. */
static void track_parts(struct program *p, const struct record *r, const struct var *id)
{
	const struct rdma_cm_id *copy = record_bytes(r, id->address, NULL);
	struct var *qp = copy && copy->qp ? var_at(p, (uintptr_t)copy->qp, r->end) : NULL;

	if (!qp || qp->live)
		return;
	qp->live = true;
	learn_keys(qp, r);
}

void keep_track(struct program *p, const struct record *r)
{
	enum call_object kind;
	uint64_t made = record_made(r, &kind);
	struct var *v = made ? var_at(p, made, r->end) : NULL;
	const struct rdma_cm_event *ev = record_cm_event(r);

	if (ev && ev->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		v = var_at(p, (uintptr_t)ev->id, r->end);
	if (v) {
		v->live = true;
		learn_keys(v, r);
	}
	for (unsigned i = 0; i < r->nargs; i++) {
		const struct call_value *a = &r->fn->args[i];

		v = a->kind == CALL_OBJECT && (a->role == CALL_IN || a->role == CALL_GONE)
			    ? var_at(p, r->args[i], r->begin)
			    : NULL;
		if (!v)
			continue;
		if (a->role == CALL_GONE)
			v->live = false;
		else if (v->kind == OBJECT_CONTEXT)
			v->live = true;
		else if (v->kind == OBJECT_CM_ID)
			track_parts(p, r, v);
	}
	if (row_of(r) == ROW_rdma_destroy_qp)
		for (unsigned i = 0; i < p->nvars; i++)
			if (p->vars[i]->whole && p->vars[i]->whole->address == r->args[0] &&
			    p->vars[i]->whole->live)
				p->vars[i]->live = false;
}

struct var *qp_numbered(const struct program *p, uint32_t qpn)
{
	for (unsigned i = 0; i < p->nvars; i++)
		if (p->vars[i]->live && p->vars[i]->kind == OBJECT_QP && p->vars[i]->qpn == qpn)
			return p->vars[i];
	return NULL;
}

/* ------------------------------------------------------------------ phases -- */

static void end_phase(struct program *p)
{
	if (!p->phase)
		return;
	text_add(&p->body, "\treturn 0;\n}\n");
	p->phase = NULL;
}

static bool ends_something(const struct call_fn *fn)
{
	for (const struct call_value *v = fn->args; v->name; v++)
		if (v->role == CALL_GONE)
			return true;
	return false;
}

static const char *phase_of(const struct record *r, const char *now)
{
	unsigned row = row_of(r);

	if (row == ROW_rdma_get_cm_event)
		return record_cm_event(r)->event == RDMA_CM_EVENT_DISCONNECTED ? "leave" : "set_up";
	if (row == OWN_MEM_PUT || row == OWN_MEM_GET)
		return now ? now : "set_up";
	if (row == ROW_ibv_post_recv || row == ROW_ibv_post_srq_recv ||
	    row == ROW_ibv_req_notify_cq)
		return now ? now : "transfer"; /* belongs to any phase */
	if (row == ROW_rdma_disconnect || row == ROW_rdma_destroy_qp || ends_something(r->fn))
		return "leave";
	return r->fn->path == CALL_DATAPATH ? "transfer" : "set_up";
}

void enter_phase(struct program *p, const char *phase)
{
	if (p->phase && strcmp(p->phase, phase) == 0 && p->lines < PHASE_LINES)
		return;
	end_phase(p);
	p->phase = phase;
	p->nphases++;
	p->lines = 0;
	xappendf(&p->phases, "%s%s_%u", p->nphases > 1 ? " " : "", phase, p->nphases);
	xappendf(&p->body, "\nstatic int %s_%u(void)\n{\n", phase, p->nphases);
}

/* ----------------------------------------------------------------- records -- */

bool is_in_program(const struct record *r)
{
	if (!is_kept(r) || r->fn->asks)
		return false;
	switch (row_of(r)) {
	case ROW_ibv_open_device: /* open_device() in the program, where it is needed */
	case ROW_ibv_close_device:
	case ROW_ibv_ack_cq_events: /* comes with the event */
	case ROW_rdma_ack_cm_event:
	case ROW_ibv_get_async_event:
	case ROW_ibv_ack_async_event:
		return false;
	case ROW_ibv_poll_cq:
		return r->result != 0;
	default:
		return row_of(r) < OWN_STATE;
	}
}

static bool is_of_other_end(const struct program *p, const struct var *v)
{
	return p->role && v->end && v->end != p->role;
}

const char *refusal_of(const struct program *p)
{
	const struct record *r = p->r;
	const struct var *v = NULL;
	const char *name;

	if (!r->ended || !r->err || r->err == EAGAIN || r->depth || r->fn->asks ||
	    row_of(r) >= OWN_FIRST)
		return NULL;
	for (unsigned i = 0; i < r->nargs && !v; i++)
		if (r->fn->args[i].kind == CALL_OBJECT)
			v = var_of(p, r->args[i]);
	if (v && is_of_other_end(p, v))
		return NULL;
	name = strerrorname_np(abs(r->err));
	return temp_text("%s%s%s failed with %s: it is not in the program", r->fn->name,
			 v ? " of " : "", v ? v->called : "", name ? name : "an unknown error");
}

/* The subject of the record: the object that it creates, or else its first object. */
static struct var *subject_of(const struct program *p)
{
	const struct record *r = p->r;
	const struct rdma_cm_event *ev = record_cm_event(r);
	enum call_object kind;
	uint64_t made = record_made(r, &kind);

	if (ev)
		return var_of(p, (uintptr_t)ev->id);
	if (made)
		return var_at(p, made, r->end);
	for (unsigned i = 0; i < r->nargs; i++)
		if (r->fn->args[i].kind == CALL_OBJECT)
			return var_of(p, r->args[i]);
	return NULL;
}

/* Are all completions of this poll of the other end? A CQ may serve both ends. */
static bool is_all_of_other_end(const struct program *p)
{
	const struct ibv_wc *wc = (const void *)(uintptr_t)p->r->after[2];

	for (uint64_t i = 0; i < p->r->result; i++) {
		const struct var *qp = qp_numbered(p, wc[i].qp_num);

		if (!qp || !is_of_other_end(p, qp))
			return false;
	}
	return p->r->result != 0;
}

static bool left_out(const struct program *p, const struct var *v)
{
	const struct rdma_cm_event *ev = record_cm_event(p->r);

	if (is_of_other_end(p, v) || (ev && ev->event == RDMA_CM_EVENT_TIMEWAIT_EXIT))
		return true; /* the program need not wait for TIMEWAIT_EXIT */
	if (p->r->fn->path == CALL_DATAPATH && v->is_left_out)
		return true;
	if (!p->role || v->kind == OBJECT_CM_ID || v->kind == OBJECT_QP)
		return false;
	return !v->used || (row_of(p->r) == ROW_ibv_poll_cq && is_all_of_other_end(p));
}

static void add_record(struct program *p, unsigned *unknown)
{
	struct var *v = subject_of(p);

	if (!v && row_of(p->r) != ROW_rdma_create_event_channel && row_of(p->r) != OWN_LEFT_OUT) {
		++*unknown;
		return;
	}
	keep_track(p, p->r);
	if (v && left_out(p, v))
		return;
	enter_phase(p, phase_of(p->r, p->phase));
	write_record(p);
}

static void write_pass(struct program *p)
{
	unsigned unknown = 0;
	const char *refusal;

	text_resize(&p->body, 0);
	text_resize(&p->phases, 0);
	text_resize(&p->warnings, 0);
	Tcl_DeleteHashTable(&p->warned);
	Tcl_InitHashTable(&p->warned, TCL_STRING_KEYS);
	p->nphases = p->nsources = 0;
	p->phase = NULL;
	p->init = NULL;
	for (unsigned i = 0; i < p->nvars; i++) {
		struct var *v = p->vars[i];

		v->live = v->written = v->is_left_out = false;
		v->by = NULL;
	}
	for (p->at = 0; p->at < p->list->n; p->at++) {
		p->r = &p->list->v[p->at];
		refusal = refusal_of(p);
		if (refusal)
			add_warning(p, "%s", refusal);
		else if (is_in_program(p->r))
			add_record(p, &unknown);
	}
	write_last_waits(p);
	end_phase(p);
	if (p->list->lost[0] + p->list->lost[1] + unknown)
		add_warning(p,
			    "the record has lost the beginning: %llu calls of the control path and "
			    "%llu of the data path, and %u calls are about objects made there",
			    (unsigned long long)p->list->lost[0],
			    (unsigned long long)p->list->lost[1], unknown);
}

void program_read(struct program *p)
{
	p->body = (struct text){ 0 };
	p->phases = (struct text){ 0 };
	p->before = (struct text){ 0 };
	p->warnings = (struct text){ 0 };
	Tcl_InitHashTable(&p->by_serial, TCL_ONE_WORD_KEYS);
	Tcl_InitHashTable(&p->names, TCL_STRING_KEYS);
	Tcl_InitHashTable(&p->warned, TCL_STRING_KEYS);
	p->list = record_list(~0u, 0);
	p->got = xcalloc(p->list->n + 1, sizeof *p->got);
	for (unsigned i = 0; i < p->list->n; i++)
		keep_accepted(&p->list->v[i]);
	collect_calls(p);
}

void program_write(struct program *p)
{
	program_read(p);
	for (unsigned i = 0; i < PASSES; i++)
		write_pass(p);
}

void program_free(struct program *p)
{
	text_free(&p->body);
	text_free(&p->phases);
	text_free(&p->before);
	text_free(&p->warnings);
	Tcl_DeleteHashTable(&p->by_serial);
	Tcl_DeleteHashTable(&p->names);
	Tcl_DeleteHashTable(&p->warned);
	record_list_free(p->list);
	for (unsigned i = 0; i < p->nvars; i++)
		free(p->vars[i]);
	free(p->vars);
	free(p->got);
	free(p->sources);
}
