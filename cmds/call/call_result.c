/* SPDX-License-Identifier: MIT */
/* The results of a call: numbers, words, structs, names of objects. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "call/calling.h"
#include "call_format.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "out.h"
#include "session.h"
#include "alloc.h"

/* Where values and lines go. A line is "  path    text", or, of a single value, only the text. */
struct result_text {
	struct session *s;
	struct out *o;
	char path[96]; /* of the open structs: "cap" */
};

static void print_line(struct call_sink *k, const char *text)
{
	const struct result_text *t = k->arg;

	if (k->key)
		out_text(t->o, "  %s%s%-*s %s\n", t->path, *t->path ? "." : "",
			 *t->path ? 23 - (int)strlen(t->path) : 24, k->key, text);
	else
		out_text(t->o, "%s\n", text);
}

static void write_text(struct call_sink *k, const char *text)
{
	struct result_text *t = k->arg;

	out_str(t->o, k->key, text, NULL);
	print_line(k, text);
}

static void write_number(struct call_sink *k, uint64_t n)
{
	const struct call_value *v = k->v;
	struct result_text *t = k->arg;
	bool is_guid = v->kind == CALL_BE && v->size == 8;
	char text[32];

	if ((v->kind == CALL_INT || v->kind == CALL_ENUM) && (int64_t)n < 0) {
		out_int(t->o, k->key, (int64_t)n, NULL);
		snprintf(text, sizeof text, "%" PRId64, (int64_t)n);
	} else {
		out_u64(t->o, k->key, n, NULL);
		snprintf(text, sizeof text, is_guid ? "0x%016" PRIx64 : "%" PRIu64, n);
	}
	print_line(k, text);
}

static void write_words(struct call_sink *k, uint64_t n)
{
	const struct call_value *v = k->v;
	const char *name = v->kind == CALL_ENUM ? call_word_name(v->words, (int64_t)n) : NULL;
	char *flags = NULL;
	size_t size;
	FILE *f;

	if (v->kind == CALL_ENUM && !name) {
		write_number(k, n);
		return;
	}
	if (!name) {
		f = xmemstream(&flags, &size);
		call_write_flags(f, v->words, n);
		fclose(f);
	}
	write_text(k, name ? name : flags);
	free(flags);
}

static void write_object(struct call_sink *k, const void *object)
{
	const struct result_text *t = k->arg;
	const struct obj *obj = handle_find(t->s, k->v->object, object);

	write_text(k, obj ? obj->name : object ? "(unnamed)" : "NULL");
}

static void write_bytes(struct call_sink *k, const void *data, size_t n)
{
	const struct call_value *v = k->v;
	struct result_text *t = k->arg;
	char text[32];

	if (v->kind == CALL_STRING || v->kind == CALL_CHARS) {
		char *copy = xasprintf("%.*s", (int)n, (const char *)data);

		write_text(k, copy);
		free(copy);
		return;
	}
	out_bytes(t->o, k->key, data, n);
	snprintf(text, sizeof text, "%zu bytes", n);
	print_line(k, text);
}

static void write_gid(struct call_sink *k, const union ibv_gid *gid)
{
	char text[INET6_ADDRSTRLEN];

	write_text(k, inet_ntop(AF_INET6, gid, text, sizeof text));
}

static void write_address(struct call_sink *k, const struct sockaddr *sa)
{
	write_text(k, cm_addr_text(sa));
}

static void write_nothing(struct call_sink *k)
{
	const struct call_value *v = k->v;

	if (v->kind == CALL_DATA)
		write_bytes(k, NULL, 0);
	else if (v->kind == CALL_OBJECT)
		write_object(k, NULL);
	else if (v->kind == CALL_STRING || v->kind == CALL_SOCKADDR)
		write_text(k, "");
}

static void write_begin(struct call_sink *k, enum call_group group)
{
	struct result_text *t = k->arg;
	size_t at = strlen(t->path);

	if (group == CALL_A_LIST) {
		out_list(t->o, k->key);
		return;
	}
	out_text(t->o, "%s", !k->key && k->index ? "\n" : "");
	out_dict(t->o, k->key);
	if (k->key)
		snprintf(t->path + at, sizeof t->path - at, "%s%s", at ? "." : "", k->key);
}

static void write_end(struct call_sink *k, enum call_group group)
{
	struct result_text *t = k->arg;
	char *dot = strrchr(t->path, '.');

	if (group != CALL_A_LIST && k->key)
		*(dot ? dot : t->path) = 0;
	out_end(t->o);
}

static struct call_sink sink_of(struct result_text *t, unsigned qp_type)
{
	return (struct call_sink){ .number = write_number,
				   .words = write_words,
				   .object = write_object,
				   .bytes = write_bytes,
				   .gid = write_gid,
				   .address = write_address,
				   .nothing = write_nothing,
				   .begin = write_begin,
				   .end = write_end,
				   .all = true,
				   .arg = t,
				   .qp_type = qp_type };
}

void call_out_struct(struct session *s, const struct call_struct *of, const void *p, struct out *o)
{
	struct result_text t = { .s = s, .o = o };
	struct call_sink k = sink_of(&t, 0);

	call_tell_struct(&k, of, p);
}

static bool is_filled_in(const struct call_value *v)
{
	return v->role == CALL_OUT && v->kind != CALL_COOKIE;
}

/* Writes what ibv_start_poll() and ibv_next_poll() leave in the CQ. */
static void out_polled(struct call_sink *k, const struct calling *c, struct out *o)
{
	static const char *const names[] = { "wr_id", "status" };

	out_dict(o, NULL);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct call_value *f = call_value_find(call_objects[OBJECT_CQ_EX].of->fields,
							     names[i]);

		k->key = f->name;
		call_tell(k, f, (char *)(uintptr_t)c->arg[0] + f->offset, 0);
	}
	out_end(o);
}

void call_result(struct calling *c, uint64_t result, const char *name, struct out *o)
{
	struct result_text t = { .s = c->s, .o = o };
	struct call_sink k = sink_of(&t, c->qp_type);
	const struct call_fn *fn = c->fn;
	unsigned n = 0;

	for (const struct call_value *v = fn->args; v->name; v++)
		n += is_filled_in(v);
	if (name) { /* of the object that the call created or found */
		write_text(&k, name);
		return;
	}
	if (call_polls(fn)) {
		out_polled(&k, c, o);
		return;
	}
	if (!n && (fn->says == RESULT_VALUE || fn->says == RESULT_COUNT))
		call_tell(&k, &fn->result, &result, 0);
	if (n > 1)
		out_dict(o, NULL);
	for (unsigned i = 0; fn->args[i].name; i++) {
		if (!is_filled_in(&fn->args[i]))
			continue;
		k.key = n > 1 ? fn->args[i].name : NULL;
		call_tell_out(&k, fn, c->arg, i, result);
		if (fn->args[i].kind == CALL_LIST && fn->says == RESULT_COUNT && !result)
			out_text(o, "none\n");
	}
	if (n > 1)
		out_end(o);
}
