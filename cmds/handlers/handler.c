/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "alloc.h"
#include "check/check.h"
#include "handlers/handler.h"
#include "language/interp.h"
#include "language/script.h"
#include "out.h"
#include "session.h"

#define PAUSE_MS 20 /* no body starts after Ctrl-C, until the command that it is for has ended */

/* ----------------------------------------------------------------- running -- */

/* No domains: the session is being closed. */
static bool session_is_stopping(const struct session *s)
{
	return !s->domains || s->quit || loop_interrupted(s->loop) || loop_ending(s->loop);
}

/* A body that has failed is not run again: it would fail again, at the same rate. */
void handler_cancel(struct handler *h, const char *why, bool error)
{
	struct session *s = h->s;
	struct fail before = fail_aside(s);

	notice_post(s->notices, NOTICE_HANDLER,
		    "%s (on %s, made at %s) has failed and is cancelled: %s", h->o.name,
		    h->kind->word, h->made_at, why);
	s->handler_failed = true;
	if (error) {
		fail(s, "on", "ERROR", "on %s: %s", h->kind->word, why);
		s->fail.where = xstrdup(h->made_at);
		s->fail.file = h->file ? xstrdup(h->file) : NULL;
		s->fail.line = h->line;
		verdict_error(s);
	}
	obj_destroy(s, h, true);
	fail_back(s, before);
}

bool handler_call(struct handler *h, Tcl_Obj *value)
{
	Tcl_Obj *words[3] = { Tcl_NewStringObj("::apply", -1), h->lambda, value }, *result, *code;
	struct session *s = h->s;
	unsigned failed = s->failed; /* a check in the body that fails is counted itself */
	int n = value ? 3 : 2, rc;

	for (int i = 0; i < n; i++)
		Tcl_IncrRefCount(words[i]);
	h->runs++;
	rc = interp_aside(s, h->domain, n, words, &result, &code);
	for (int i = 0; i < n; i++)
		Tcl_DecrRefCount(words[i]);
	if (rc == TCL_ERROR && !session_is_stopping(s) && !obj_gone(h))
		handler_cancel(h, Tcl_GetString(result), s->failed == failed);
	Tcl_DecrRefCount(result);
	if (code)
		Tcl_DecrRefCount(code);
	return !obj_gone(h) && !session_is_stopping(s);
}

static void run_handler(void *arg);

void handler_wake(struct handler *h, int64_t ms)
{
	if (h->running)
		h->woken = true;
	else if (!h->next)
		h->next = loop_after(h->s->loop, ms, run_handler, h);
}

/* The handler goes on watching what it waits for, unless watching fails. */
static void end_run(struct handler *h, bool more)
{
	h->running = false;
	if (h->once && h->runs)
		obj_destroy(h->s, h, true);
	else if (more)
		handler_wake(h, 0);
	else if (h->kind->watch(h))
		handler_cancel(h, h->s->fail.text, true);
}

static void run_handler(void *arg)
{
	struct handler *h = arg;
	struct session *s = h->s;
	struct border border;
	struct fail before;
	bool more;

	h->next = NULL;
	if (session_is_stopping(s) || h->domain->is_over) {
		handler_wake(h, PAUSE_MS);
		return;
	}
	obj_ref(h);
	h->running = true;
	h->woken = false;
	before = fail_aside(s);
	domain_enter(s, &border, h->domain, true); /* what is done for it is done by its code */
	more = h->kind->run(h);
	if (!obj_gone(h))
		end_run(h, more || h->woken);
	domain_leave(s, &border);
	fail_back(s, before);
	obj_unref(h);
}

/* ------------------------------------------------------------------ making -- */

struct handler *handler_new(struct session *s, const struct handler_kind *kind, const char *name,
			    Tcl_Obj *body)
{
	struct handler *h = obj_new(s, &handler_class, name);
	Tcl_Obj *words[2] = { Tcl_NewListObj(0, NULL), body };
	struct where where;

	if (!h) {
		Tcl_DecrRefCount(words[0]);
		return NULL;
	}
	where_init(&where);
	script_where(s, &where);
	h->s = s;
	h->kind = kind;
	h->domain = s->domain;
	if (kind->variable)
		value_append(words[0], kind->variable);
	h->lambda = Tcl_NewListObj(2, words);
	Tcl_IncrRefCount(h->lambda);
	h->made_at = xstrdup(where.innermost.name ? text_str(&where.text) : "the prompt");
	h->file = where.innermost.name ? xstrdup(where.innermost.name) : NULL;
	h->line = where.innermost.line;
	text_free(&where.text);
	return h;
}

static void free_handler(struct handler *h)
{
	loop_cancel(h->s->loop, h->next);
	h->next = NULL;
	if (h->kind->unwatch)
		h->kind->unwatch(h);
	Tcl_DecrRefCount(h->lambda);
	free(h->made_at);
	free(h->file);
}

int handler_add(struct handler *h)
{
	struct session *s = h->s;

	if (h->kind->watch(h)) {
		free_handler(h);
		obj_discard(s, h);
		return -1;
	}
	obj_add(s, h);
	return 0;
}

static int handler_destroy(struct session *s, struct obj *o)
{
	(void)s;
	free_handler((struct handler *)o);
	return 0;
}

static void handler_describe(struct session *s, struct obj *o, struct out *out)
{
	const struct handler *h = (struct handler *)o;

	(void)s;
	out_str(out, "name", o->name, "handler %s", o->name);
	out_str(out, "on", h->kind->word, "  on %s", h->kind->word);
	if (h->kind->describe)
		h->kind->describe(h, out);
	out_u64(out, "runs", h->runs, "  has run %llu times", (unsigned long long)h->runs);
	out_str(out, "made_at", h->made_at, "  made at %s\n", h->made_at);
}

const struct obj_class handler_class = {
	.prefix = "on",
	.title = "handler",
	.remedy = "on timer 1s {echo tick}",
	.size = sizeof(struct handler),
	.may_go = true,
	.destroy = handler_destroy,
	.describe = handler_describe,
};
