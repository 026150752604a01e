/* SPDX-License-Identifier: MIT */
#include "call_trace.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_format.h"
#include "call_record.h"
#include "calling.h"
#include "objects.h"
#include "record_objects.h"
#include "session.h"
#include "step.h"
#include "trace.h"
#include "words.h"
#include "xmem.h"

/* A call that has made an object is told when that has its name. */
static struct {
	struct session *s;
	pthread_t thread;
	bool waits; /* there is one: */
	struct traced_call call;
	char *args, *result;
	uint64_t made;
} pending;

/* --------------------------------------------------------------------------- text -- */

/* The name of the object at address at that time, or NULL. */
static const char *name_of(uint64_t address, uint64_t when)
{
	const struct record_object *o = record_object_at(address, when);

	return o && *o->name ? o->name : NULL;
}

/* "buf+8": a place in the memory of an object. */
static bool write_place(struct call_sink *k, struct session *s, uint64_t address)
{
	const struct obj *o = obj_by_address(s, NULL, address, 1);
	const char *base;
	size_t len;

	if (!o)
		return false;
	base = handle_memory(o, &len);
	call_begin_text(k);
	fprintf(k->to, "%s+%" PRIu64, o->name, address - (uintptr_t)base);
	return true;
}

struct text {
	struct session *s;
	const struct record *r;
};

static bool write_name(struct call_sink *k, const struct record *r, const struct call_value *v,
		       uint64_t address)
{
	const char *name = name_of(address, r->end ? r->end : r->begin);

	if (!name) /* it is no more */
		name = name_of(address, r->begin);
	if (!name && v->object == OBJECT_DEVICE)
		name = ibv_get_device_name((struct ibv_device *)(uintptr_t)address);
	if (!name && v->object == OBJECT_CONTEXT && v->role == CALL_IN)
		name = ibv_get_device_name(((struct ibv_context *)(uintptr_t)address)->device);
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
	return v->kind == CALL_OBJECT ? write_name(k, t->r, v, n) : write_place(k, t->s, n);
}

static struct call_sink text_sink(struct text *t, FILE *to)
{
	struct call_sink k = call_words_sink(to);

	k.own = write_own;
	k.arg = t;
	return k;
}

char *call_args_text(struct session *s, const struct record *r)
{
	struct text t = { s, r };
	struct call_sink k;
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	k = text_sink(&t, f);
	call_tell_args(&k, r->fn, r->args);
	fclose(f);
	return text;
}

/* What the event that rdma_get_cm_event() has given says of its id, whose name comes first. */
static void write_event(FILE *to, const struct rdma_cm_event *event)
{
	fprintf(to, " %s", word_name(cm_event_words, event->event));
	if (event->status)
		fprintf(to, " status %d", event->status);
}

/* What the object says of itself: keys of a region, the number of a QP. */
static void write_object(FILE *to, const struct record *r, enum call_object kind, uint64_t address)
{
	const void *bytes = record_bytes(r, address, NULL);

	if (!bytes)
		return;
	if (kind == OBJECT_MR)
		fprintf(to, ", lkey 0x%x, rkey 0x%x", ((const struct ibv_mr *)bytes)->lkey,
			((const struct ibv_mr *)bytes)->rkey);
	else if (kind == OBJECT_MW)
		fprintf(to, ", rkey 0x%x", ((const struct ibv_mw *)bytes)->rkey);
	else if (kind == OBJECT_QP)
		fprintf(to, ", qpn %u", ((const struct ibv_qp *)bytes)->qp_num);
	else if (kind == OBJECT_CQ)
		fprintf(to, ", %d entries", ((const struct ibv_cq *)bytes)->cqe);
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

/* "0 {wr_id 1 ...}", "ENOMEM", ", lkey 0x1, rkey 0x1": what follows the name of what is made. */
static char *result_text(struct session *s, const struct record *r, uint64_t made,
			 enum call_object kind)
{
	struct text t = { s, r };
	const char *name = r->err ? strerrorname_np(r->err) : NULL;
	struct call_sink k;
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	k = text_sink(&t, f);
	if (r->err && name)
		fputs(name, f);
	else if (r->err)
		fprintf(f, "%d", r->err);
	else if (made && kind == OBJECT_CM_EVENT)
		write_event(f, record_bytes(r, made, NULL));
	else if (made)
		write_object(f, r, kind, made);
	else if (r->fn->says != RESULT_NOTHING)
		fprintf(f, "%" PRId64, (int64_t)r->result);
	for (unsigned i = 0; r->fn->path == CALL_DATAPATH && !r->err && r->fn->args[i].name; i++)
		if (r->fn->args[i].role == CALL_OUT && r->result) {
			k.index = 1;
			k.key = NULL;
			call_tell_out(&k, r->fn, r->after, i, r->result);
		}
	fclose(f);
	return text;
}

/* Whose name stands before that: what is made, or the id that an event is about. */
static uint64_t named_first(const struct record *r, uint64_t made, enum call_object kind)
{
	if (!made || kind != OBJECT_CM_EVENT)
		return made;
	return (uintptr_t)((const struct rdma_cm_event *)record_bytes(r, made, NULL))->id;
}

static char *with_name(const char *name, const char *rest)
{
	return xasprintf("%s%s", name ? name : "", name ? rest : rest + strspn(rest, ", "));
}

char *call_result_text(struct session *s, const struct record *r)
{
	enum call_object kind = OBJECT_NONE;
	uint64_t made = made_by(r, &kind), first = named_first(r, made, kind);
	char *rest = result_text(s, r, made, kind);
	char *text = with_name(first ? name_of(first, r->end) : NULL, rest);

	free(rest);
	return text;
}

/* ------------------------------------------------------------------------- calls -- */

/* An event, a list: it comes and goes with a look at something. */
static bool is_passing(const struct call_value *v)
{
	return v->kind == CALL_OBJECT &&
	       (v->object == OBJECT_CM_EVENT || v->object == OBJECT_ASYNC_EVENT ||
		v->object == OBJECT_DEVICE_LIST || v->object == OBJECT_CONTEXT_LIST);
}

/* Does it only tell something, or take what has come? */
static bool asks(const struct call_fn *fn)
{
	if (fn->waits || fn == &call_table[ROW_ibv_ack_cq_events])
		return true;
	for (const struct call_value *v = fn->args; v->name; v++)
		if (v->role == CALL_OUT || is_passing(v))
			return true;
	return fn->result.role == CALL_FOUND || is_passing(&fn->result);
}

/* Calls that commands make, but for those that only look something up in memory. */
static bool is_told(const struct record *r)
{
	return r->depth == 0 && *r->fn->header && r->fn->says != RESULT_VALUE &&
	       pthread_equal(pthread_self(), pending.thread) &&
	       (pending.s->opt.trace || pending.s->opt.step);
}

/* Nothing had come: the shell looks whether something has, all the time. */
static bool found_nothing(const struct record *r)
{
	return (r->fn->waits && (r->err == EAGAIN || r->err == EINTR)) ||
	       (r->fn->says == RESULT_COUNT && !r->err && !r->result);
}

static void before(void *arg, const struct record *r)
{
	struct session *s = arg;
	char *args, *text;

	if (!is_told(r))
		return;
	call_trace_flush(s);
	if (!s->opt.step || asks(r->fn))
		return;
	args = call_args_text(s, r);
	text = xasprintf("%s%s%s", r->fn->name, *args ? " " : "", args);
	step_before(s, text);
	free(text);
	free(args);
}

void call_trace_flush(struct session *s)
{
	struct traced_call c = pending.call;
	char *args = pending.args, *about = pending.result, *result;
	const char *name;

	if (!pending.waits)
		return;
	pending.waits = false;
	record_aside(1);
	name = pending.made ? name_of(pending.made, record_time()) : NULL;
	result = with_name(name, about);
	c.args = args;
	c.result = result;
	c.made = name;
	trace_call(s, &c);
	record_aside(-1);
	free(result);
	free(args);
	free(about);
}

static void after(void *arg, const struct record *r)
{
	struct session *s = arg;
	enum call_object kind = OBJECT_NONE;
	struct traced_call *c = &pending.call;
	uint64_t made;

	if (!is_told(r) || found_nothing(r))
		return;
	call_trace_flush(s);
	made = made_by(r, &kind);
	pending.args = call_args_text(s, r);
	pending.result = result_text(s, r, made, kind);
	pending.made = named_first(r, made, kind);
	*c = (struct traced_call){
		.voice = r->fn->path == CALL_SETUP     ? VOICE_SETUP
			 : r->fn->path == CALL_PREPARE ? VOICE_PREPARE
						       : VOICE_DATA,
		.when = record_realtime(r->begin),
		.name = r->fn->name,
		.args = pending.args,
		.result = pending.result,
		.bad = r->err,
		.asks = asks(r->fn),
	};
	pending.waits = true;
	if (!pending.made || name_of(pending.made, record_time()))
		call_trace_flush(s);
	if (s->opt.step && !c->asks)
		step_after(s);
}

void call_trace_watch(struct session *s)
{
	static struct record_watch watch = { before, after, NULL };
	bool on = s->opt.trace || s->opt.step;

	call_trace_flush(s);
	if (on == (watch.arg != NULL))
		return;
	pending.s = s;
	pending.thread = pthread_self();
	watch.arg = on ? s : NULL;
	record_watch(on ? &watch : NULL);
}

void call_trace_end(void)
{
	record_watch(NULL);
	if (pending.s)
		call_trace_flush(pending.s);
	pending.s = NULL;
}

int call_fail(struct session *s, int err, const char *fmt, ...)
{
	const struct record_failure last = record_last_failure();
	va_list ap;
	char *what;

	va_start(ap, fmt);
	what = xvasprintf(fmt, ap);
	va_end(ap);
	fail_call(s, err, last.fn ? last.fn->name : "call", "%s", what);
	free(what);
	return -1;
}
