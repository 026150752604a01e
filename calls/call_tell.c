/* SPDX-License-Identifier: MIT */
/* Visits the values of a call as the table describes them, and writes a record as one line of text.
 */
#include <ctype.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "call_format.h"

/* Are words and names strings, as in JSON? */
static bool is_quoted(const struct call_sink *k)
{
	return k->quote && *k->quote;
}

static bool write_name(struct call_sink *k, const struct call_of *of, const struct call_value *v,
		       uint64_t address)
{
	const char *name = of->names->object(of->names, of->r, v, address);

	if (!name)
		return false;
	call_begin_text(k);
	if (is_quoted(k))
		k->bytes(k, name, strlen(name));
	else
		fputs(name, k->to);
	return true;
}

/* Writes objects and addresses in regions by their names. */
static bool write_own(struct call_sink *k, const struct call_value *v, const void *p)
{
	const struct call_of *t = k->arg;
	uint64_t n;

	if (v->kind != CALL_OBJECT && v->kind != CALL_ADDRESS && v->kind != CALL_IOVA)
		return false;
	memcpy(&n, p, sizeof n);
	if (!n)
		return false;
	if (v->kind == CALL_OBJECT)
		return write_name(k, t, v, n);
	return !is_quoted(k) && t->names->place && t->names->place(t->names, k, n);
}

static struct call_sink text_sink(struct call_of *t, FILE *to)
{
	struct call_sink k = call_words_sink(to);

	k.own = write_own;
	k.arg = t;
	return k;
}

struct call_sink call_json_named_sink(struct call_of *of, FILE *to)
{
	struct call_sink k = call_json_sink(to);

	k.own = write_own;
	k.arg = of;
	k.qp_type = of->names->qp_type;
	return k;
}

void call_json_args(FILE *to, const struct call_names *n, const struct record *r)
{
	struct call_of of = { .names = n, .r = r };
	struct call_sink k = call_json_named_sink(&of, to);

	call_tell_args(&k, r->fn, r->args);
}

void call_text_request(FILE *to, const struct record *r)
{
	const struct call_value *flags;
	struct ibv_send_wr wr;

	if (!record_request(r, &wr))
		return;
	fprintf(to, "{wr_id %" PRIu64, wr.wr_id);
	flags = call_value_find(call_objects[OBJECT_QP_EX].of->fields, "wr_flags");
	if (wr.send_flags && flags->words) {
		fputs(" wr_flags ", to);
		call_write_flags(to, flags->words, wr.send_flags);
	}
	putc('}', to);
}

void call_text_args(FILE *to, const struct call_names *n, const struct record *r)
{
	struct call_of t = { .names = n, .r = r };
	struct call_sink k = text_sink(&t, to);

	k.qp_type = n->qp_type;
	call_tell_args(&k, r->fn, r->args);
	if (record_request(r, &(struct ibv_send_wr){ 0 }))
		putc(' ', to);
	call_text_request(to, r);
}

/* Writes the object that is the first argument, and the first word in a struct, and passes over the
 * rest. */
static bool write_subject(struct call_sink *k, const struct call_value *v, const void *p)
{
	struct call_of *t = k->arg;
	const char *word = NULL;

	if (v->kind == CALL_STRUCT || v->kind == CALL_CHAIN || v->kind == CALL_LIST)
		return t->has_word;
	if (v->kind == CALL_OBJECT && k->is_arg && k->index == 0)
		write_own(k, v, p);
	else if (v->kind == CALL_ENUM && !k->is_arg && !t->has_word)
		word = call_word_name(v->words, (int64_t)call_load(v, p));
	if (word)
		fprintf(k->to, " %s", word);
	t->has_word |= word != NULL;
	return true;
}

void call_text_subject(FILE *to, const struct call_names *n, const struct record *r)
{
	struct call_of t = { .names = n, .r = r };
	struct call_sink k = { .own = write_subject, .arg = &t, .to = to };

	call_tell_args(&k, r->fn, r->args);
}

/* The object that the call created, or attached to its id. */
static uint64_t made_by(const struct record *r, enum call_object *kind)
{
	uint64_t made = record_made(r, kind);
	const struct rdma_cm_id *id;

	if (made || !r->ended || !r->fn->ties || r->err || r->fn->args[0].object != OBJECT_CM_ID)
		return made;
	id = record_bytes(r, r->args[0], NULL);
	if (!id || (!id->qp && !id->srq))
		return 0;
	*kind = id->qp ? OBJECT_QP : OBJECT_SRQ;
	return id->qp ? (uintptr_t)id->qp : (uintptr_t)id->srq;
}

uint64_t call_text_named(const struct record *r)
{
	enum call_object kind = OBJECT_NONE;
	const uint64_t made = made_by(r, &kind);
	const struct rdma_cm_event *event;

	if (!made || kind != OBJECT_CM_EVENT)
		return made;
	event = record_bytes(r, made, NULL);
	return event ? (uintptr_t)event->id : 0;
}

const char *call_text_joint(const struct record *r)
{
	enum call_object kind = OBJECT_NONE;
	const uint64_t made = made_by(r, &kind);

	if (!made || !record_bytes(r, made, NULL))
		return "";
	if (kind == OBJECT_CM_EVENT)
		return " ";
	return kind == OBJECT_MR || kind == OBJECT_MW || kind == OBJECT_QP || kind == OBJECT_CQ
		       ? ", "
		       : "";
}

/* Writes the event of rdma_get_cm_event(). */
static void write_cm_event(FILE *to, const struct rdma_cm_event *event)
{
	const struct call_struct *of = call_objects[OBJECT_CM_EVENT].of;
	const char *word = call_word_name(call_value_find(of->fields, "event")->words,
					  event->event);

	fputs(word ? word : "?", to);
	if (event->status)
		fprintf(to, " status %d", event->status);
}

/* Writes attributes of an object: keys of a region, the number of a QP. */
static void write_object(FILE *to, enum call_object kind, const void *bytes)
{
	if (kind == OBJECT_CM_EVENT)
		write_cm_event(to, bytes);
	else if (kind == OBJECT_MR)
		fprintf(to, "lkey 0x%x, rkey 0x%x", ((const struct ibv_mr *)bytes)->lkey,
			((const struct ibv_mr *)bytes)->rkey);
	else if (kind == OBJECT_MW)
		fprintf(to, "rkey 0x%x", ((const struct ibv_mw *)bytes)->rkey);
	else if (kind == OBJECT_QP)
		fprintf(to, "qpn %u", ((const struct ibv_qp *)bytes)->qp_num);
	else if (kind == OBJECT_CQ)
		fprintf(to, "%d entries", ((const struct ibv_cq *)bytes)->cqe);
}

/* Writes the completion that ibv_start_poll() or ibv_next_poll() left in the CQ. */
static void write_completion(FILE *to, const struct record *r)
{
	const struct call_struct *of = call_objects[OBJECT_CQ_EX].of;
	const struct call_enum *words = call_value_find(of->fields, "status")->words;
	enum ibv_wc_status status;
	const char *word;
	uint64_t wr_id;

	if (!record_completion(r, &status, &wr_id))
		return;
	word = call_word_name(words, status);
	fprintf(to, " {status %s wr_id %" PRIu64 "}", word ? word : "?", wr_id);
}

static void write_string(FILE *to, const struct record *r)
{
	size_t len = 0;
	const unsigned char *text = record_bytes(r, r->result, &len);

	for (size_t i = 0; text && i < len && text[i]; i++)
		fprintf(to, isprint(text[i]) ? "%c" : "\\x%02x", text[i]);
}

void call_text_result(FILE *to, const struct call_names *n, const struct record *r)
{
	const char *name = r->err ? strerrorname_np(r->err) : NULL;
	struct call_of t = { .names = n, .r = r };
	struct call_sink k = text_sink(&t, to);
	enum call_object kind = OBJECT_NONE;
	const uint64_t made = made_by(r, &kind);
	const void *bytes = made ? record_bytes(r, made, NULL) : NULL;

	if (r->err && name)
		fputs(name, to);
	else if (r->err)
		fprintf(to, "%d", r->err);
	else if (bytes)
		write_object(to, kind, bytes);
	else if (r->fn->result.kind == CALL_STRING)
		write_string(to, r);
	else if (!made && (r->fn->result.kind == CALL_ENUM || r->fn->result.kind == CALL_FLAGS ||
			   r->fn->result.kind == CALL_OBJECT))
		call_tell(&k, &r->fn->result, &r->result, 0);
	else if (!made && r->fn->says != RESULT_NOTHING)
		fprintf(to, "%" PRId64, (int64_t)r->result);
	for (unsigned i = 0; r->fn->path == CALL_DATAPATH && !r->err && r->fn->args[i].name; i++)
		if (r->fn->args[i].role == CALL_OUT && r->result) {
			k.index = 1;
			k.key = NULL;
			call_tell_out(&k, r->fn, r->after, i, r->result);
		}
	write_completion(to, r);
}

/* Walks the values of a call, as the table describes them. */

static void begin_group(struct call_sink *k, const struct call_value *v, enum call_group group)
{
	k->v = v;
	if (k->begin)
		k->begin(k, group);
}

static void end_group(struct call_sink *k, enum call_group group)
{
	if (k->end)
		k->end(k, group);
}

static void tell_nothing(struct call_sink *k)
{
	if (k->nothing)
		k->nothing(k);
}

static void tell_item(struct call_sink *k, const struct call_value *v, const void *p,
		      enum call_group group)
{
	begin_group(k, v, group);
	call_tell_struct(k, v->of, p);
	end_group(k, group);
}

/* n elements of size bytes. */
static void tell_list(struct call_sink *k, const struct call_value *v, const char *all, uint64_t n)
{
	struct call_value one = *v;
	size_t size = v->kind == CALL_OBJECTS ? sizeof(void *) : v->of ? v->of->size : v->size;
	unsigned index = k->index;

	one.kind = v->kind == CALL_OBJECTS ? CALL_OBJECT : v->of ? CALL_STRUCT : CALL_UINT;
	one.pointer = false;
	one.with = 0;
	if (k->is_linked && !n) { /* C has no empty arrays */
		tell_nothing(k);
		return;
	}
	begin_group(k, v, CALL_A_LIST);
	for (uint64_t i = 0; i < n; i++) {
		k->key = NULL;
		k->index = (unsigned)i;
		call_tell(k, &one, all + i * size, 0);
	}
	k->index = index;
	k->told = (unsigned)n;
	end_group(k, CALL_A_LIST);
}

static const void *next_in_list(const struct call_struct *of, const char *p)
{
	const void *next;

	memcpy(&next, p + of->next, sizeof next);
	return next;
}

static void tell_chain(struct call_sink *k, const struct call_value *v, const char *p)
{
	unsigned index = k->index;

	if (k->is_linked || !next_in_list(v->of, p)) {
		tell_item(k, v, p, CALL_A_POINTER);
		return;
	}
	begin_group(k, v, CALL_A_LIST);
	for (unsigned i = 0; p; p = next_in_list(v->of, p), i++) {
		k->key = NULL;
		k->index = i;
		call_begin_text(k);
		tell_item(k, v, p, CALL_A_STRUCT);
	}
	k->index = index;
	end_group(k, CALL_A_LIST);
}

/* Visits the structs that follow this one, each with its own size. */
static void tell_trail(struct call_sink *k, const struct call_value *v, const char *p)
{
	const struct ibv_flow_attr *attr = (const void *)(p - v->offset);
	const char *end = (const char *)attr + attr->size;
	unsigned index = k->index;

	begin_group(k, v, CALL_A_LIST);
	for (unsigned i = 0; i < attr->num_of_specs; i++) {
		struct ibv_flow_spec spec = { 0 };

		if (end - p < (ptrdiff_t)sizeof spec.hdr)
			break;
		memcpy(&spec.hdr, p, sizeof spec.hdr);
		if (spec.hdr.size < sizeof spec.hdr || spec.hdr.size > end - p ||
		    spec.hdr.size > sizeof spec)
			break;
		memcpy(&spec, p, spec.hdr.size);
		p += spec.hdr.size;
		k->key = NULL;
		k->index = i;
		call_begin_text(k);
		tell_item(k, v, &spec, CALL_A_STRUCT);
	}
	k->index = index;
	end_group(k, CALL_A_LIST);
}

static void tell_plain(struct call_sink *k, const struct call_value *v, const void *p)
{
	switch (v->kind) {
	case CALL_UINT:
	case CALL_INT:
	case CALL_BE:
	case CALL_KEY:
	case CALL_QPN:
	case CALL_ADDRESS:
	case CALL_IOVA:
	case CALL_REMOTE:
	case CALL_FD:
		k->number(k, call_load(v, p));
		break;
	case CALL_ENUM:
	case CALL_FLAGS:
		k->words(k, call_load(v, p));
		break;
	case CALL_GID:
		k->gid(k, p);
		break;
	case CALL_CHARS:
		k->bytes(k, p, strnlen(p, v->size));
		break;
	case CALL_BYTES:
		k->bytes(k, p, v->size);
		break;
	case CALL_STRUCT:
		tell_item(k, v, p, CALL_A_STRUCT);
		break;
	case CALL_TRAIL:
		tell_trail(k, v, p);
		break;
	default: /* only meaningful to the caller */
		tell_nothing(k);
		break;
	}
}

static void tell_pointed(struct call_sink *k, const struct call_value *v, const void *to,
			 uint64_t count)
{
	switch (v->kind) {
	case CALL_OBJECT:
		k->object(k, to);
		break;
	case CALL_STRING:
		k->bytes(k, to, strlen(to));
		break;
	case CALL_DATA:
		k->bytes(k, to, count);
		break;
	case CALL_SOCKADDR:
		k->address(k, to);
		break;
	case CALL_GID:
		k->gid(k, to);
		break;
	case CALL_STRUCT:
		tell_item(k, v, to, CALL_A_POINTER);
		break;
	case CALL_CHAIN:
		tell_chain(k, v, to);
		break;
	case CALL_LIST:
	case CALL_OBJECTS:
		tell_list(k, v, to, count);
		break;
	default: /* of a number: an out-parameter */
		tell_plain(k, v, to);
		break;
	}
}

void call_tell(struct call_sink *k, const struct call_value *v, const void *p, uint64_t count)
{
	const void *to;

	k->v = v;
	k->count = count;
	if (k->own && k->own(k, v, p))
		return;
	call_begin_text(k);
	if (!call_is_pointer(v)) {
		tell_plain(k, v, p);
		return;
	}
	memcpy(&to, p, sizeof to);
	if (to)
		tell_pointed(k, v, to, count);
	else
		tell_nothing(k);
}

/* ------------------------------------------------------------------------ structs -- */

bool call_chooses_iova(const struct call_sink *k, const struct call_fn *fn)
{
	return k->is_arg && fn->path != CALL_DATAPATH;
}

bool call_is_counted(const struct call_value *values, const struct call_value *v)
{
	const struct call_value *of = v->counts ? &values[v->counts - 1] : NULL;

	return of && of->role == CALL_IN && of->kind != CALL_ADDRESS && of->kind != CALL_IOVA;
}

static bool is_zero(const struct call_value *v, const char *p)
{
	size_t n = call_is_pointer(v) ? sizeof(void *) : v->size;

	while (n && !p[n - 1])
		n--;
	return !n && v->kind != CALL_TRAIL;
}

static bool is_discriminator(const struct call_struct *of, const struct call_value *v)
{
	for (const struct call_value *f = of->fields; f->name; f++)
		if (f->when && &of->fields[f->when - 1] == v)
			return true;
	return false;
}

static bool is_shown_field(const struct call_sink *k, const struct call_struct *of,
			   const struct call_value *f, const char *base, uint64_t mask)
{
	if (f->kind == CALL_CALLBACK || f->kind == CALL_COOKIE ||
	    !call_field_is_set(of, f, base, mask, k->qp_type) ||
	    (!k->is_linked && !k->all && call_is_counted(of->fields, f)))
		return false;
	if (k->all)
		return !call_is_pointer(f) || f->kind != CALL_STRUCT;
	if (f->with && !call_length(of->fields, f, base, false))
		return false;
	/* RDMA_WRITE of a request and SEND of a completion are zero, too */
	return f->bit & mask || !is_zero(f, base + f->offset) ||
	       (f->kind == CALL_ENUM && (f->when || is_discriminator(of, f)));
}

void call_tell_struct(struct call_sink *k, const struct call_struct *of, const void *p)
{
	const struct call_value link = { .name = "next", .kind = CALL_CHAIN, .of = of };
	const struct call_sink before = *k;
	const char *base = p;
	uint64_t mask = k->mask;
	unsigned n = 0;

	k->mask = 0; /* of this struct, not of those in it */
	for (const struct call_value *f = of->fields; f->name; f++) {
		if (!is_shown_field(k, of, f, base, mask))
			continue;
		k->key = f->name;
		k->index = n++;
		k->values = of->fields;
		k->base = base;
		k->is_arg = false;
		call_tell(k, f, base + f->offset, call_length(of->fields, f, base, false));
	}
	if (k->is_linked && of->next && next_in_list(of, base)) {
		k->key = link.name;
		k->index = n++;
		call_tell(k, &link, base + of->next, 0);
	}
	k->key = before.key;
	k->index = before.index;
	k->mask = mask;
	k->values = before.values;
	k->base = before.base;
	k->is_arg = before.is_arg;
	k->told = n;
}

/* ---------------------------------------------------------- arguments and results -- */

bool call_is_typed(const struct call_fn *fn, const struct call_value *v)
{
	if (v->kind == CALL_COOKIE || v->kind == CALL_BAD || call_is_counted(fn->args, v))
		return false;
	if (v->role == CALL_OUT)
		return v->optional; /* it is also an input */
	return v->role == CALL_IN || v->role == CALL_GONE;
}

/* The mask of a struct that names its members needs no argument of its own. */
static bool is_mask(const struct call_fn *fn, const struct call_value *v)
{
	for (const struct call_value *a = fn->args; a->name; a++)
		if (a->kind == CALL_STRUCT && a->role == CALL_IN && a->with &&
		    &fn->args[a->with - 1] == v)
			return true;
	return false;
}

void call_tell_args(struct call_sink *k, const struct call_fn *fn, const uint64_t *args)
{
	unsigned n = 0;

	for (unsigned i = 0; fn->args[i].name; i++) {
		const struct call_value *v = &fn->args[i];
		bool by_mask = v->kind == CALL_STRUCT && v->with;

		if (!k->is_linked && (!call_is_typed(fn, v) || is_mask(fn, v)))
			continue;
		k->key = k->is_linked ? NULL : v->name;
		k->index = n++;
		k->values = fn->args;
		k->base = (const char *)args;
		k->is_arg = true;
		k->mask = by_mask ? args[v->with - 1] | CALL_MASKED : 0;
		call_tell(k, v, &args[i], by_mask ? 0 : call_length(fn->args, v, args, true));
	}
	k->mask = 0;
}

void call_tell_out(struct call_sink *k, const struct call_fn *fn, const uint64_t *args, unsigned i,
		   uint64_t result)
{
	const struct call_value *v = &fn->args[i];
	bool by_mask = v->kind == CALL_STRUCT && v->with;
	const void *to;

	memcpy(&to, &args[i], sizeof to);
	k->mask = by_mask ? args[v->with - 1] | CALL_MASKED : 0;
	if (v->role == CALL_MADE || v->role == CALL_FOUND || v->kind == CALL_BYTES)
		call_tell(k, v, to, 0);
	else
		call_tell(k, v, &args[i],
			  fn->says == RESULT_COUNT ? result
			  : by_mask		   ? 0
						   : call_length(fn->args, v, args, true));
	k->mask = 0;
}
