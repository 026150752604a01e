/* SPDX-License-Identifier: MIT */
/* The trace and step mode: library calls, shown as they are made. */
#include "call/calling.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_record.h"
#include "call_format.h"
#include "faults/fault_made.h"
#include "language/interp.h"
#include "objects.h"
#include "output/print.h"
#include "ladder.h"
#include "own_model.h"
#include "session.h"
#include "why.h"

/* The call that was traced last. One that creates an object is printed when the object has its
 * name.
 */
static struct {
	struct session *s;
	pthread_t thread;
	bool waits; /* to be printed; the members below are valid */
	struct traced_call call;
	char *subject, *args, *result;
	uint64_t made;
	const char *joint; /* between the name of the object and the result */
} pending;

/* --------------------------------------------------------------------------- text -- */

/* The name that the object at address had at that time, or NULL. */
static const char *name_of(uint64_t address, uint64_t when)
{
	const struct record_object *o = record_object_at(address, when);

	return o && *o->name ? o->name : NULL;
}

/* Writes "buf+8", a place in the memory of an object. False: there is no such object. */
static bool write_place(const struct call_names *n, struct call_sink *k, uint64_t address)
{
	const struct obj *o = obj_by_address(n->arg, NULL, address, 1);
	const char *base;
	size_t len;

	if (!o)
		return false;
	base = handle_memory(o, &len);
	call_begin_text(k);
	fprintf(k->to, "%s+%" PRIu64, o->name, address - (uintptr_t)base);
	return true;
}

static const char *object_name(const struct call_names *n, const struct record *r,
			       const struct call_value *v, uint64_t address)
{
	const char *name = name_of(address, r->end ? r->end : r->begin);

	(void)n;
	if (!name) /* the call has destroyed it */
		name = name_of(address, r->begin);
	if (!name && v->object == OBJECT_DEVICE)
		name = ibv_get_device_name((struct ibv_device *)(uintptr_t)address);
	if (!name && v->object == OBJECT_CONTEXT && v->role == CALL_IN)
		name = ibv_get_device_name(((struct ibv_context *)(uintptr_t)address)->device);
	return name;
}

static struct call_names names_of(struct session *s)
{
	return (struct call_names){ .object = object_name, .place = write_place, .arg = s };
}

char *call_fields(struct session *s, const struct record *r)
{
	const struct call_names names = names_of(s);

	return ladder_call_fields(&names, r);
}

/* The text that a writer of call_format.h makes of a record. The caller frees it. */
static char *text_of(struct session *s, const struct record *r,
		     void (*write)(FILE *to, const struct call_names *n, const struct record *r))
{
	const struct call_names names = names_of(s);
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	write(f, &names, r);
	fclose(f);
	return text;
}

char *call_args_text(struct session *s, const struct record *r)
{
	return text_of(s, r, call_text_args);
}

static char *with_name(const char *name, const char *joint, const char *rest)
{
	return name ? xasprintf("%s%s%s", name, joint, rest) : xstrdup(rest);
}

char *call_result_text(struct session *s, const struct record *r)
{
	const uint64_t first = call_text_named(r);
	char *rest = text_of(s, r, call_text_result);
	char *text = with_name(first ? name_of(first, r->end) : NULL, call_text_joint(r), rest);

	free(rest);
	return text;
}

/* ------------------------------------------------------------------------- calls -- */

/* Does the function only query something, or take or acknowledge events or completions? */
static bool only_looks(const struct call_fn *fn)
{
	return fn->asks || fn->fetches;
}

/* Does a script of the library run? There is no domain while the session is being closed. */
static bool by_library(const struct session *s)
{
	return s->domain && s->domain->is_library;
}

/* Is the call traced? Those that only look something up in memory are not. Those of a library, at
 * least one for each of its packets, are traced by 'trace all' only. */
static bool is_traced(const struct record *r)
{
	return r->depth == 0 && *r->fn->header && r->fn->says != RESULT_VALUE &&
	       pthread_equal(pthread_self(), pending.thread) &&
	       (pending.s->opt.raw || !by_library(pending.s)) &&
	       (pending.s->opt.trace || pending.s->opt.step);
}

/* Did the call find no event and no completion? The shell polls all the time. */
static bool found_nothing(const struct record *r)
{
	return (r->fn->waits && (r->err == EAGAIN || r->err == EINTR)) ||
	       (r->fn->says == RESULT_COUNT && !r->err && !r->result);
}

static void trace_before_call(void *arg, const struct record *r)
{
	struct session *s = arg;
	char *args, *text;

	if (!is_traced(r))
		return;
	call_trace_flush(s);
	if (!s->opt.step || only_looks(r->fn))
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
	char *subject = pending.subject, *args = pending.args, *about = pending.result, *result;
	const char *name;

	if (!pending.waits)
		return;
	pending.waits = false;
	record_aside(1);
	name = pending.made ? name_of(pending.made, record_time()) : NULL;
	result = with_name(name, pending.joint, about);
	c.subject = subject;
	c.args = args;
	c.result = result;
	c.made = name;
	trace_call(s, &c);
	record_aside(-1);
	free(result);
	free(subject);
	free(args);
	free(about);
}

static void trace_after_call(void *arg, const struct record *r)
{
	struct session *s = arg;
	struct traced_call *c = &pending.call;

	if (!is_traced(r) || found_nothing(r))
		return;
	call_trace_flush(s);
	pending.subject = text_of(s, r, call_text_subject);
	pending.args = call_args_text(s, r);
	pending.result = text_of(s, r, call_text_result);
	pending.made = call_text_named(r);
	pending.joint = call_text_joint(r);
	*c = (struct traced_call){
		.voice = r->fn->path == CALL_SETUP     ? VOICE_SETUP
			 : r->fn->path == CALL_PREPARE ? VOICE_PREPARE
						       : VOICE_DATA,
		.when = record_realtime(r->begin),
		.name = r->fn->name,
		.args = pending.args,
		.result = pending.result,
		.bad = r->err,
		.asks = only_looks(r->fn),
	};
	pending.waits = true;
	if (!pending.made || name_of(pending.made, record_time()))
		call_trace_flush(s);
	if (s->opt.step && !c->asks)
		step_after(s);
}

void call_trace_watch(struct session *s)
{
	static struct record_watch watch = { .before = trace_before_call,
					     .after = trace_after_call };
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

int call_errno(void)
{
	return record_last_failure().err;
}

int call_fail(struct session *s, const char *fmt, ...)
{
	const struct record_failure last = record_last_failure();
	va_list ap;
	char *what;

	va_start(ap, fmt);
	what = xvasprintf(fmt, ap);
	va_end(ap);
	fail_call(s, last.err, last.fn ? last.fn->name : "call", "%s", what);
	if (last.rule)
		fail_on_purpose(s, "on purpose: %s (fault call); the library was not called",
				fault_made_text(last.rule));
	free(what);
	return -1;
}

int call_fail_causes(struct session *s, const struct causes *c)
{
	const enum verdict least = causes_confirmed(c) ? IS_SO : MAY_BE;
	bool any = false;

	for (unsigned i = 0; i < c->n; i++) {
		if (c->v[i].verdict > least)
			continue;
		fail_row(s, least == IS_SO ? "cause" : any ? "or" : "likely", "%s", c->v[i].text);
		if (c->v[i].next)
			fail_next(s, "%s", c->v[i].next);
		any = true;
	}
	if (least == IS_SO)
		fail_mark_explained(s);
	return -1;
}

int call_fail_why(struct session *s)
{
	return call_fail_causes(s, own_refusal());
}
