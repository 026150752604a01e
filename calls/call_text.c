/* SPDX-License-Identifier: MIT */
#include "call_text.h"

#include <inttypes.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

struct text {
	const struct call_names *names;
	const struct record *r;
};

static bool write_name(struct call_sink *k, const struct text *t, const struct call_value *v,
		       uint64_t address)
{
	const char *name = t->names->object(t->names, t->r, v, address);

	if (!name)
		return false;
	call_begin_text(k);
	fputs(name, k->to);
	return true;
}

/* Objects by name, places in a region by its name. */
static bool write_own(struct call_sink *k, const struct call_value *v, const void *p)
{
	const struct text *t = k->arg;
	uint64_t n;

	if (v->kind != CALL_OBJECT && v->kind != CALL_ADDRESS && v->kind != CALL_IOVA)
		return false;
	memcpy(&n, p, sizeof n);
	if (!n)
		return false;
	if (v->kind == CALL_OBJECT)
		return write_name(k, t, v, n);
	return t->names->place && t->names->place(t->names, k, n);
}

static struct call_sink text_sink(struct text *t, FILE *to)
{
	struct call_sink k = call_words_sink(to);

	k.own = write_own;
	k.arg = t;
	return k;
}

void call_text_args(FILE *to, const struct call_names *n, const struct record *r)
{
	struct text t = { n, r };
	struct call_sink k = text_sink(&t, to);

	call_tell_args(&k, r->fn, r->args);
}

/* What the call has made, or tied to its id. */
static uint64_t made_by(const struct record *r, enum call_object *kind)
{
	uint64_t made = record_made(r, kind);
	const struct rdma_cm_id *id;

	if (made || !r->fn->ties || r->err || r->fn->args[0].object != OBJECT_CM_ID)
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

/* What the event that rdma_get_cm_event() has given says of its id, whose name comes first. */
static void write_event(FILE *to, const struct rdma_cm_event *event)
{
	const struct call_struct *of = call_objects[OBJECT_CM_EVENT].of;
	const char *word = call_word_name(call_value_find(of->fields, "event")->words,
					  event->event);

	fprintf(to, " %s", word ? word : "?");
	if (event->status)
		fprintf(to, " status %d", event->status);
}

/* What the object says of itself: keys of a region, the number of a QP. */
static void write_object(FILE *to, enum call_object kind, const void *bytes)
{
	if (kind == OBJECT_CM_EVENT)
		write_event(to, bytes);
	else if (kind == OBJECT_MR)
		fprintf(to, ", lkey 0x%x, rkey 0x%x", ((const struct ibv_mr *)bytes)->lkey,
			((const struct ibv_mr *)bytes)->rkey);
	else if (kind == OBJECT_MW)
		fprintf(to, ", rkey 0x%x", ((const struct ibv_mw *)bytes)->rkey);
	else if (kind == OBJECT_QP)
		fprintf(to, ", qpn %u", ((const struct ibv_qp *)bytes)->qp_num);
	else if (kind == OBJECT_CQ)
		fprintf(to, ", %d entries", ((const struct ibv_cq *)bytes)->cqe);
}

/* What ibv_start_poll() and ibv_next_poll() leave in their CQ. */
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
	const char *text = record_bytes(r, r->result, &len);

	fprintf(to, "%.*s", (int)strnlen(text ? text : "", len), text ? text : "");
}

void call_text_result(FILE *to, const struct call_names *n, const struct record *r)
{
	const char *name = r->err ? strerrorname_np(r->err) : NULL;
	struct text t = { n, r };
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
