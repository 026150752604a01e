/* SPDX-License-Identifier: MIT */
/* Memory that the program gives back while it is registered. */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

#include "check_impl.h"

static const char *how(bool is_unmapped)
{
	return is_unmapped ? "unmapped" : "freed";
}

static struct check_finding new_finding(const struct live_program *p,
					const struct live_region *region, uint64_t mr,
					struct check_place at)
{
	struct check_finding f = check_new(CHECK_FREED, NULL);

	f.at = at;
	snprintf(f.object, sizeof f.object, "%s", region->name);
	check_step_made(&f, p, mr, region->name);
	return f;
}

static bool has_bytes_of(const struct posted_wr *wr, uint32_t lkey, uint64_t at, uint64_t len)
{
	for (unsigned i = 0; !wr->is_inline && i < wr->nsge; i++)
		if (wr->sge[i].lkey == lkey && wr->sge[i].addr < at + len &&
		    at < wr->sge[i].addr + wr->sge[i].length)
			return true;
	return false;
}

/* An outstanding request with bytes of the region that are in that memory. */
static const struct posted_wr *find_user(const struct live_queues *e, const struct posted_queue *q,
					 const struct live_region *region, uint64_t at,
					 uint64_t len)
{
	for (unsigned i = 0; i < q->n; i++) {
		const struct posted_wr *wr = &q->v[q->begin + i];

		if (has_bytes_of(wr, region->lkey, at, len) && !check_is_undecided(e, wr))
			return wr;
	}
	return NULL;
}

static bool find_posted(struct checks *c, const struct live_program *p, unsigned number,
			const struct check_freed *freed)
{
	const struct live_region *region = &p->regions.v[number];
	struct check_finding f;

	for (const struct live_object *o = p->seen; o; o = o->hh.next) {
		const struct live_queues *e = o->queues;
		const struct posted_wr *wr = NULL;

		if (e && check_can_complete(p, o))
			wr = find_user(e, &e->sends, region, freed->at, freed->len);
		if (!wr && e && check_can_complete(p, o))
			wr = find_user(e, &e->recvs, region, freed->at, freed->len);
		if (!wr)
			continue;
		f = new_finding(p, region, p->regions.at[number], freed->place);
		snprintf(
			f.says, sizeof f.says,
			"the memory from 0x%llx in %s was %s while %s of %s with it was outstanding",
			(unsigned long long)freed->at, region->name, how(freed->is_unmapped),
			check_request(wr), e->qp.v.name);
		check_step_posted(&f, &e->qp, wr);
		check_add(c, &f);
		return true;
	}
	return false;
}

/* Can a peer use the region? */
static bool is_open(const struct live_program *p, const struct live_region *region)
{
	if (!(region->access &
	      (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)))
		return false;
	for (const struct live_tracked_qp *qp = p->newest; qp; qp = qp->older)
		if (strcmp(qp->v.pd, region->pd) == 0 && qp->v.type != IBV_QPT_UD &&
		    qp->v.state >= IBV_QPS_RTR && qp->v.state <= IBV_QPS_SQD &&
		    !qp->ended_by_program)
			return true;
	return false;
}

static void tell_open(struct checks *c, const struct live_program *p, unsigned number,
		      const struct check_freed *freed)
{
	const struct live_region *region = &p->regions.v[number];
	struct check_finding f = new_finding(p, region, p->regions.at[number], freed->place);

	f.grade = CHECK_MAY;
	snprintf(f.says, sizeof f.says,
		 "the memory from 0x%llx was %s while it was registered as %s",
		 (unsigned long long)freed->at, how(freed->is_unmapped), region->name);
	snprintf(
		f.sure, sizeof f.sure,
		"certain if the peer uses the region, to which it has rights, before that is deregistered");
	check_add(c, &f);
}

#define KEPT_MAX 1024

/* The region has lost its memory; a later request that uses it is a mistake. A region that is never
 * deregistered may lose the same block many times. */
static void keep(struct checks *c, uint64_t mr, uint32_t lkey, const struct check_freed *freed)
{
	unsigned i = 0;

	while (i < c->nfreed && (c->freed[i].mr != mr || c->freed[i].at != freed->at ||
				 c->freed[i].len != freed->len))
		i++;
	if (i == KEPT_MAX)
		return;
	if (i == c->nfreed)
		c->freed = xgrow(c->freed, c->nfreed++, sizeof *c->freed);
	c->freed[i] = *freed;
	c->freed[i].mr = mr;
	c->freed[i].lkey = lkey;
}

void checks_freed(struct checks *c, const struct live_program *p, const struct record *r,
		  bool (*is_of_owner)(void *arg, struct record_from made, struct record_from freed))
{
	const struct check_freed freed = {
		.at = r->args[2],
		.len = r->args[3],
		.is_unmapped = r->args[1],
		.place = { r->args[1] ? "munmap" : "free", r->from },
	};

	for (unsigned i = 0; c->wanted[CHECK_FREED] && i < p->regions.n; i++) {
		const struct live_region *region = &p->regions.v[i];
		const struct live_object *o = live_object_at(p->seen, p->regions.at[i]);

		if (region->gone ||
		    region->access & (IBV_ACCESS_ON_DEMAND | IBV_ACCESS_ZERO_BASED) || !o ||
		    region->begin >= freed.at + freed.len ||
		    freed.at >= region->begin + region->len ||
		    !is_of_owner(c->arg, o->made.from, r->from))
			continue;
		if (find_posted(c, p, i, &freed))
			continue;
		/* a block that has only some of its pages may be a neighbour of what is meant */
		if (!freed.is_unmapped && (freed.at > region->begin ||
					   freed.at + freed.len < region->begin + region->len))
			continue;
		if (is_open(p, region))
			tell_open(c, p, i, &freed);
		keep(c, p->regions.at[i], region->lkey, &freed);
	}
}

/* --------------------------------------------------------------------------- calls -- */

static bool has_new_memory(const struct record *r)
{
	return r->fn == &call_table[ROW_ibv_rereg_mr] &&
	       r->args[1] & IBV_REREG_MR_CHANGE_TRANSLATION;
}

void check_freed_before(struct checks *c, const struct live_program *p, const struct record *r)
{
	const struct call_value *first = r->fn->args;

	(void)p;
	if (!c->nfreed || r->err || !r->nargs ||
	    !((first->role == CALL_GONE && first->object == OBJECT_MR) || has_new_memory(r)))
		return;
	for (unsigned i = 0; i < c->nfreed; i++)
		if (c->freed[i].mr == r->args[0])
			c->freed[i--] = c->freed[--c->nfreed];
}

static void tell_used(struct checks *c, const struct live_program *p, const struct record *r,
		      const struct live_tracked_qp *qp, const struct posted_wr *wr,
		      const struct check_freed *freed)
{
	const struct live_region *region = live_region_at(&p->regions, freed->mr);
	struct check_finding f = check_new(CHECK_FREED, r);

	if (!region)
		return;
	snprintf(f.object, sizeof f.object, "%s", region->name);
	snprintf(f.says, sizeof f.says, "%s of %s uses %s, whose memory was %s before",
		 check_request(wr), qp->v.name, region->name, how(freed->is_unmapped));
	if (!freed->is_unmapped) {
		f.grade = CHECK_MAY;
		snprintf(
			f.sure, sizeof f.sure,
			"certain unless malloc() has given the same memory again, and has kept it meanwhile");
	}
	check_step(&f, freed->place, "its memory was %s", how(freed->is_unmapped));
	check_step_made(&f, p, freed->mr, region->name);
	check_add(c, &f);
}

void check_freed_posted(struct checks *c, const struct live_program *p, const struct record *r,
			const struct live_tracked_qp *qp, const struct posted_wr *wr)
{
	for (unsigned i = 0; i < c->nfreed; i++)
		if (has_bytes_of(wr, c->freed[i].lkey, c->freed[i].at, c->freed[i].len))
			tell_used(c, p, r, qp, wr, &c->freed[i]);
}
