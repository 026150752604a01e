/* SPDX-License-Identifier: MIT */
/* The findings, each once for its places, and the rules that look at a call. */
#include "check_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	struct armed_cq *cq, *next_cq;
	struct gone_object *o, *next;

	if (!c)
		return;
	HASH_ITER(hh, c->armed, cq, next_cq)
	{
		HASH_DEL(c->armed, cq);
		free(cq);
	}
	HASH_ITER(hh, c->gone, o, next)
	{
		HASH_DEL(c->gone, o);
		free(o);
	}
	free(c->open);
	free(c->small);
	free(c->late);
	free(c->freed);
	free(c->single);
	free(c->found);
	free(c);
}

/* ----------------------------------------------------------------------- findings -- */

struct check_finding check_new(enum check_id id, const struct record *r)
{
	struct check_finding f = { .id = id, .grade = check_rules[id].grade, .count = 1 };

	if (r)
		f.at = check_place_of(r);
	return f;
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

void check_step_made(struct check_finding *f, const struct live_program *p, uint64_t address,
		     const char *name)
{
	const struct live_object *o = live_object_at(p->seen, address);

	if (o && o->made.fn)
		check_step(f, (struct check_place){ o->made.fn->name, o->made.from }, "%s was made",
			   name);
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

const struct check_finding *checks_found(const struct checks *c, unsigned i)
{
	return i < c->nfound ? &c->found[i] : NULL;
}

const char *const check_grades[] = { [CHECK_MISTAKE] = "mistake",
				     [CHECK_MAY] = "may be a mistake",
				     [CHECK_ADVICE] = "advice" };

char *check_details(const struct check_finding *f,
		    const char *(*where)(void *arg, struct record_from from), void *arg)
{
	char *text = NULL;
	size_t size;
	FILE *to = xmemstream(&text, &size);

	fprintf(to, "    %s\n", f->says);
	if (*f->sure)
		fprintf(to, "    %s\n", f->sure);
	for (unsigned i = 0; i <= f->nsteps; i++) {
		const struct check_place *at = i ? &f->steps[i - 1].at : &f->at;
		const char *place = at->call ? where(arg, at->from) : "";

		if (at->call)
			fprintf(to, "    %s %s%s%s\n",
				i ? temp_text("%s by", f->steps[i - 1].what) : "found in", at->call,
				*place ? " at " : "", place);
	}
	fprintf(to, "    see     %s\n    remedy  %s\n", check_rules[f->id].source,
		check_rules[f->id].remedy);
	fclose(to);
	return text;
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
	check_freed_before(c, p, r);
	check_events_before(c, p, r);
	check_objects_before(c, p, r);
}

void checks_after(struct checks *c, const struct live_program *p, const struct record *r)
{
	check_requests_after(c, p, r);
	check_queues_after(c, p, r);
	check_recvs_after(c, p, r);
	check_threads_after(c, p, r);
	check_events_after(c, p, r);
	check_objects_after(c, p, r);
}

/* rq-dry counts receives: where calls were lost, it would find too few. */
void checks_lost(struct checks *c)
{
	c->wanted[CHECK_RQ_DRY] = false;
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
