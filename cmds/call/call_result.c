/* SPDX-License-Identifier: MIT */
/* What a call has told: numbers, words, structs, names of objects. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "args.h"
#include "calling.h"
#include "cm_addr.h"
#include "out.h"
#include "session.h"
#include "xmem.h"

/* Where a value goes: its key in the dict (NULL: it is an element, or the whole), and the path
 * that stands before it on its line. */
struct place {
	struct out *o;
	const char *key, *path;
};

/* "  path    text", or the text alone. */
static void print_line(const struct place *at, const char *text)
{
	if (at->path)
		out_text(at->o, "  %-24s %s\n", at->path, text);
	else
		out_text(at->o, "%s\n", text);
}

static void out_text_at(const struct place *at, const char *text)
{
	out_str(at->o, at->key, text, NULL);
	print_line(at, text);
}

static void out_number(const struct place *at, const struct call_value *v, uint64_t n)
{
	char text[32];

	if ((v->kind == CALL_INT || v->kind == CALL_ENUM) && (int64_t)n < 0) {
		out_int(at->o, at->key, (int64_t)n, NULL);
		snprintf(text, sizeof text, "%" PRId64, (int64_t)n);
	} else {
		out_u64(at->o, at->key, n, NULL);
		snprintf(text, sizeof text, "%" PRIu64, n);
	}
	print_line(at, text);
}

/* "LOCAL_WRITE,REMOTE_READ"; bits without a name in hexadecimal. */
static void flag_names(const struct call_enum *e, uint64_t bits, Tcl_DString *d)
{
	for (const struct call_word *w = e->words; w->name; w++) {
		uint64_t bit = (uint64_t)w->value;

		if (!bit || (bits & bit) != bit)
			continue;
		bits &= ~bit;
		xappendf(d, "%s%s", Tcl_DStringLength(d) ? "," : "", call_word_name(e, w->value));
	}
	if (bits)
		xappendf(d, "%s0x%" PRIx64, Tcl_DStringLength(d) ? "," : "", bits);
	else if (!Tcl_DStringLength(d))
		Tcl_DStringAppend(d, "0", 1);
}

static void out_words(const struct place *at, const struct call_value *v, uint64_t n)
{
	const char *name = v->kind == CALL_ENUM ? call_word_name(v->words, (int64_t)n) : NULL;
	Tcl_DString d;

	if (v->kind == CALL_ENUM) {
		if (name)
			out_text_at(at, name);
		else
			out_number(at, v, n);
		return;
	}
	Tcl_DStringInit(&d);
	flag_names(v->words, n, &d);
	out_text_at(at, Tcl_DStringValue(&d));
	Tcl_DStringFree(&d);
}

static void out_object(struct session *s, const struct place *at, const struct call_value *v,
		       const void *p)
{
	const struct obj *obj;
	void *pointer;

	memcpy(&pointer, p, sizeof pointer);
	obj = handle_find(s, v->object, pointer);
	out_text_at(at, obj ? obj->name : pointer ? "(unnamed)" : "NULL");
}

static void out_gid(const struct place *at, const void *gid)
{
	char text[INET6_ADDRSTRLEN];

	out_text_at(at, inet_ntop(AF_INET6, gid, text, sizeof text));
}

static void out_data(const struct place *at, const void *data, uint64_t n)
{
	char text[32];

	n = data ? n : 0;
	out_bytes(at->o, at->key, data, n);
	snprintf(text, sizeof text, "%" PRIu64 " bytes", n);
	print_line(at, text);
}

static void out_sockaddr(const struct place *at, const struct sockaddr *sa)
{
	out_text_at(at, sa ? cm_addr_text(sa) : "");
}

static void out_fields(struct session *s, const struct call_struct *of, const void *p,
		       uint64_t mask, unsigned qp_type, const char *path, struct out *o);

static void out_struct(struct session *s, const struct place *at, const struct call_value *v,
		       const void *p)
{
	out_dict(at->o, at->key);
	out_fields(s, v->of, p, 0, 0, at->path, at->o);
	out_end(at->o);
}

/* p: of the value itself; count: of what it points to. */
static void out_value_at(struct session *s, const struct call_value *v, const struct place *at,
			 const void *p, uint64_t count)
{
	const void *pointer = NULL;

	if (v->kind == CALL_STRING || v->kind == CALL_DATA || v->kind == CALL_SOCKADDR)
		memcpy(&pointer, p, sizeof pointer);
	switch (v->kind) {
	case CALL_UINT:
	case CALL_INT:
	case CALL_BE:
	case CALL_KEY:
	case CALL_IOVA:
	case CALL_REMOTE:
		out_number(at, v, call_load(v, p));
		break;
	case CALL_ENUM:
	case CALL_FLAGS:
		out_words(at, v, call_load(v, p));
		break;
	case CALL_GID:
		out_gid(at, p);
		break;
	case CALL_OBJECT:
		out_object(s, at, v, p);
		break;
	case CALL_CHARS:
		out_text_at(at, p);
		break;
	case CALL_BYTES:
		out_data(at, p, v->size);
		break;
	case CALL_STRING:
		out_text_at(at, pointer ? pointer : "");
		break;
	case CALL_DATA:
		out_data(at, pointer, count);
		break;
	case CALL_SOCKADDR:
		out_sockaddr(at, pointer);
		break;
	case CALL_STRUCT:
		if (!v->pointer)
			out_struct(s, at, v, p);
		break;
	default: /* pointers for the caller alone */
		break;
	}
}

static void out_fields(struct session *s, const struct call_struct *of, const void *p,
		       uint64_t mask, unsigned qp_type, const char *path, struct out *o)
{
	const char *base = p;

	for (const struct call_value *f = of->fields; f->name; f++) {
		const struct call_value *n = f->with ? &of->fields[f->with - 1] : NULL;
		char full[96];

		if (!call_field_is_set(of, f, p, mask, qp_type))
			continue;
		snprintf(full, sizeof full, "%s%s%s", path ? path : "", path ? "." : "", f->name);
		out_value_at(s, f, &(struct place){ o, f->name, full }, base + f->offset,
			     n ? call_load(n, base + n->offset) : 0);
	}
}

void call_out_struct(struct session *s, const struct call_struct *of, const void *p, uint64_t mask,
		     unsigned qp_type, struct out *o)
{
	out_fields(s, of, p, mask, qp_type, NULL, o);
}

/* ------------------------------------------------------------------------ results -- */

static void out_list_of(struct calling *c, const struct call_value *v, const char *key,
			const char *all, uint64_t n, struct out *o)
{
	out_list(o, key);
	for (uint64_t i = 0; i < n; i++) {
		if (!v->of) {
			out_number(&(struct place){ o, NULL, NULL }, v,
				   ((const uint64_t *)(const void *)all)[i]);
			continue;
		}
		out_dict(o, NULL);
		call_out_struct(c->s, v->of, all + i * v->of->size, 0, 0, o);
		out_text(o, "%s", i + 1 < n ? "\n" : "");
		out_end(o);
	}
	out_text(o, "%s", n ? "" : "none\n");
	out_end(o);
}

/* One out-parameter; key NULL: it is the value of the call. */
static void out_parameter(struct calling *c, unsigned i, const char *key, uint64_t result,
			  struct out *o)
{
	const struct call_value *v = &c->fn->args[i];
	const char *p = (const char *)(uintptr_t)c->arg[i];

	if (v->kind == CALL_LIST) {
		out_list_of(c, v, key, p,
			    c->fn->says == RESULT_COUNT ? result : c->arg[v->with - 1], o);
	} else if (v->kind == CALL_STRUCT) {
		out_dict(o, key);
		out_fields(c->s, v->of, p, v->with ? c->arg[v->with - 1] : 0, c->qp_type, key, o);
		out_end(o);
	} else {
		out_value_at(c->s, v, &(struct place){ o, key, key }, p, 0);
	}
}

static bool tells(const struct call_value *v)
{
	return v->role == CALL_OUT && v->kind != CALL_COOKIE;
}

/* What ibv_start_poll() and ibv_next_poll() leave in the CQ itself. */
static void out_polled(struct calling *c, struct out *o)
{
	const struct call_struct *of = call_objects[OBJECT_CQ_EX].of;
	static const char *const names[] = { "wr_id", "status" };

	out_dict(o, NULL);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct call_value *f = call_value_find(of->fields, names[i]);

		out_value_at(c->s, f, &(struct place){ o, f->name, f->name },
			     (char *)(uintptr_t)c->arg[0] + f->offset, 0);
	}
	out_end(o);
}

void call_result(struct calling *c, uint64_t result, const char *name, struct out *o)
{
	const struct call_fn *fn = c->fn;
	unsigned n = 0;

	for (const struct call_value *v = fn->args; v->name; v++)
		n += tells(v);
	if (name) { /* the object that it made or found */
		out_text_at(&(struct place){ o, NULL, NULL }, name);
		return;
	}
	if (strcmp(fn->name, "ibv_start_poll") == 0 || strcmp(fn->name, "ibv_next_poll") == 0) {
		out_polled(c, o);
		return;
	}
	if (!n && (fn->says == RESULT_VALUE || fn->says == RESULT_COUNT))
		out_value_at(c->s, &fn->result, &(struct place){ o, NULL, NULL }, &result, 0);
	if (n > 1)
		out_dict(o, NULL);
	for (unsigned i = 0; fn->args[i].name; i++)
		if (tells(&fn->args[i]))
			out_parameter(c, i, n > 1 ? fn->args[i].name : NULL, result, o);
	if (n > 1)
		out_end(o);
}
