/* SPDX-License-Identifier: MIT */
/* The findings, each once for its places, and the rules that look at a call. */
#include "check_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

struct checks *checks_new(const bool *wanted,
			  void (*tell)(void *arg, const struct check_finding *f), void *arg)
{
	struct checks *c = xcalloc(1, sizeof *c);

	memcpy(c->wanted, wanted, sizeof c->wanted);
	c->tell = tell;
	c->arg = arg;
	return c;
}

void checks_ask_peers(struct checks *c, check_peer_fn *peer)
{
	c->peer = peer;
}

void checks_free(struct checks *c)
{
	struct gone_object *o, *next;

	if (!c)
		return;
	HASH_ITER(hh, c->gone, o, next)
	{
		HASH_DEL(c->gone, o);
		free(o);
	}
	free(c->freed);
	free(c->found);
	free(c);
}

struct check_note *check_note(const struct live_program *p, uint64_t address)
{
	struct live_object *o = live_object_at(p->seen, address);

	if (o && !o->note)
		o->note = xcalloc(1, sizeof *o->note);
	return o ? o->note : NULL;
}

/* ----------------------------------------------------------------------- findings -- */

struct check_finding check_new(enum check_id id, const char *object, const struct record *r,
			       const char *says, ...)
{
	struct check_finding f = { .id = id, .grade = check_rules[id].grade, .count = 1 };
	va_list args;

	va_start(args, says);
	vsnprintf(f.says, sizeof f.says, says, args);
	va_end(args);
	snprintf(f.object, sizeof f.object, "%s", object);
	if (r)
		f.at = check_place_of(r);
	return f;
}

void check_doubt(struct check_finding *f, const char *sure, ...)
{
	va_list args;

	va_start(args, sure);
	vsnprintf(f->sure, sizeof f->sure, sure, args);
	va_end(args);
	f->grade = CHECK_MAY;
}

void check_step(struct check_finding *f, struct check_place at, const char *what, ...)
{
	struct check_step *step = &f->steps[f->nsteps];
	va_list args;

	if (f->nsteps == CHECK_STEPS || !at.call)
		return;
	va_start(args, what);
	vsnprintf(step->what, sizeof step->what, what, args);
	va_end(args);
	step->at = at;
	f->nsteps++;
}

static bool is_same_place(const struct check_place *a, const struct check_place *b)
{
	return a->from.at == b->from.at && a->from.above == b->from.above &&
	       (a->call == b->call || (a->call && b->call && strcmp(a->call, b->call) == 0));
}

static bool is_same(const struct check_finding *a, const struct check_finding *b)
{
	if (a->id != b->id || a->nsteps != b->nsteps || !is_same_place(&a->at, &b->at))
		return false;
	for (unsigned i = 0; i < a->nsteps; i++)
		if (!is_same_place(&a->steps[i].at, &b->steps[i].at))
			return false;
	return true;
}

void check_add(struct checks *c, const struct check_finding *f)
{
	if (!c->wanted[f->id])
		return;
	for (unsigned i = 0; i < c->nfound; i++)
		if (is_same(&c->found[i], f)) {
			c->found[i].count++;
			return;
		}
	c->found = xgrow(c->found, c->nfound, sizeof *c->found);
	c->found[c->nfound++] = *f;
	if (c->tell)
		c->tell(c->arg, f);
}

void check_add_made(struct checks *c, const struct live_program *p, struct check_finding *f,
		    uint64_t address)
{
	const struct live_object *o = live_object_at(p->seen, address);

	if (o && o->made.fn)
		check_step(f, (struct check_place){ o->made.fn->name, o->made.from }, "%s was made",
			   f->object);
	check_add(c, f);
}

const struct check_finding *checks_found(const struct checks *c, unsigned i)
{
	return i < c->nfound ? &c->found[i] : NULL;
}

const char *const check_grades[] = { [CHECK_MISTAKE] = "mistake",
				     [CHECK_MAY] = "may be a mistake",
				     [CHECK_ADVICE] = "advice" };

void check_out(struct out *o, const struct check_finding *f,
	       const char *(*where)(void *arg, struct record_from from), void *arg)
{
	const struct check_rule *rule = &check_rules[f->id];

	out_str(o, "grade", check_grades[f->grade], NULL);
	out_str(o, "title", rule->title, NULL);
	out_str(o, "says", f->says, "    %s\n", f->says);
	if (*f->sure)
		out_str(o, "sure", f->sure, "    %s\n", f->sure);
	out_str(o, "object", f->object, NULL);
	out_u64(o, "count", f->count, NULL);
	out_list(o, "places");
	for (unsigned i = 0; i <= f->nsteps; i++) {
		const struct check_place *at = i ? &f->steps[i - 1].at : &f->at;
		const char *place = at->call ? where(arg, at->from) : "";
		const char *what = i ? temp_text("%s by", f->steps[i - 1].what) : "found in";

		if (!at->call)
			continue;
		out_dict(o, NULL);
		out_str(o, "what", what, "    %s %s%s%s\n", what, at->call, *place ? " at " : "",
			place);
		out_str(o, "call", at->call, NULL);
		out_str(o, "place", place, NULL);
		out_end(o);
	}
	out_end(o);
	out_str(o, "source", rule->source, "    see     %s\n", rule->source);
	out_str(o, "remedy", rule->remedy, "    remedy  %s\n", rule->remedy);
}

const char *check_request(const struct posted_wr *wr)
{
	return temp_text("the %s, wr_id %llu (%u bytes)", wr->op ? wr->op->name : "request",
			 (unsigned long long)wr->wr_id, wr->len);
}

/* -------------------------------------------------------------------------- calls -- */

void checks_before(struct checks *c, const struct live_program *p, const struct record *r)
{
	check_requests_before(c, p, r);
	if (r->depth)
		return;
	check_queues_before(c, p, r);
	check_recvs_before(c, p, r);
	check_freed_before(c, r);
	check_events_before(c, p, r);
	check_objects_before(c, p, r);
}

void checks_after(struct checks *c, const struct live_program *p, const struct record *r)
{
	check_requests_after(c, p, r);
	check_queues_after(c, p, r);
	check_recvs_after(c, p, r);
	check_events_after(c, p, r);
	check_objects_after(c, p, r);
}

/* Rules that count what the program has done would count too little, and find mistakes that are
 * none. */
void checks_lost(struct checks *c)
{
	c->has_lost = true;
}

void checks_unfinished(struct checks *c, const struct live_program *p, const struct record *r)
{
	if (!r->args || !r->nargs)
		return;
	check_events_unfinished(c, p, r);
	check_objects_unfinished(c, p, r);
}

void checks_end(struct checks *c, const struct live_program *p, bool is_regular)
{
	check_queues_end(c, p);
	if (!is_regular)
		return;
	check_events_end(c, p);
	check_objects_end(c, p);
}
