/* SPDX-License-Identifier: MIT */
/* Memory that the program gives back while it is registered. */
#include <infiniband/verbs.h>

#include "check_impl.h"

static const char *how(bool is_unmapped)
{
	return is_unmapped ? "unmapped" : "freed";
}

static struct check_taken taken(const struct live_program *p, unsigned number,
				const struct check_freed *freed)
{
	return (struct check_taken){ .id = CHECK_FREED,
				     .object = p->regions.v[number].name,
				     .part = temp_text("the memory from 0x%llx in ",
						       (unsigned long long)freed->at),
				     .how = how(freed->is_unmapped),
				     .address = p->regions.at[number],
				     .pd = p->regions.v[number].pd,
				     .lkey = p->regions.v[number].lkey,
				     .at = freed->at,
				     .len = freed->len,
				     .place = freed->place };
}

static void tell_open(struct checks *c, const struct live_program *p, unsigned number,
		      const struct check_freed *freed)
{
	const struct live_region *region = &p->regions.v[number];
	struct check_finding f =
		check_new(CHECK_FREED, region->name, NULL,
			  "the memory from 0x%llx was %s while it was registered as %s",
			  (unsigned long long)freed->at, how(freed->is_unmapped), region->name);

	f.at = freed->place;
	check_doubt(
		&f,
		"certain if the peer uses the region, to which it has rights, before that is deregistered");
	check_add_made(c, p, &f, p->regions.at[number]);
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
		  const char *function, bool is_unmapped,
		  bool (*is_of_owner)(void *arg, struct record_from made, struct record_from freed))
{
	const struct check_freed freed = {
		.at = r->args[2],
		.len = r->args[3],
		.is_unmapped = is_unmapped,
		.place = { function, r->from },
	};
	const unsigned rights = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				IBV_ACCESS_REMOTE_ATOMIC;
	struct check_taken t;

	for (unsigned i = 0; c->wanted[CHECK_FREED] && i < p->regions.n; i++) {
		const struct live_region *region = &p->regions.v[i];
		const struct live_object *o = live_object_at(p->seen, p->regions.at[i]);

		if (region->gone ||
		    region->access & (IBV_ACCESS_ON_DEMAND | IBV_ACCESS_ZERO_BASED) || !o ||
		    region->begin >= freed.at + freed.len ||
		    freed.at >= region->begin + region->len ||
		    !is_of_owner(c->arg, o->made.from, r->from))
			continue;
		t = taken(p, i, &freed);
		if (check_find_posted(c, p, &t))
			continue;
		/* a block that has only some of its pages may be a neighbour of what is meant */
		if (!freed.is_unmapped && (freed.at > region->begin ||
					   freed.at + freed.len < region->begin + region->len))
			continue;
		if (check_is_open(p, region, rights, false))
			tell_open(c, p, i, &freed);
		keep(c, p->regions.at[i], region->lkey, &freed);
	}
}

/* --------------------------------------------------------------------------- calls -- */

/* A region that only gets another PD or other rights still has the memory, under a key that may be
 * new. */
void check_freed_before(struct checks *c, const struct record *r)
{
	const bool is_rereg = record_call_row(r) == ROW_ibv_rereg_mr && !r->err;
	const struct ibv_mr *mr;
	bool forgets;

	if (!c->nfreed || (!is_rereg && !check_ends_region(r)))
		return;
	forgets = !is_rereg || r->args[1] & IBV_REREG_MR_CHANGE_TRANSLATION;
	mr = record_bytes(r, r->args[0], NULL);
	for (unsigned i = 0; i < c->nfreed; i++)
		if (c->freed[i].mr == r->args[0] && forgets)
			c->freed[i--] = c->freed[--c->nfreed];
		else if (c->freed[i].mr == r->args[0] && mr)
			c->freed[i].lkey = mr->lkey;
}

static void tell_used(struct checks *c, const struct live_program *p, const struct record *r,
		      const struct live_tracked_qp *qp, const struct posted_wr *wr,
		      const struct check_freed *freed)
{
	const struct live_region *region = live_region_at(&p->regions, freed->mr);
	struct check_finding f;

	if (!region)
		return;
	f = check_new(CHECK_FREED, region->name, r, "%s of %s uses %s, whose memory was %s before",
		      check_request(wr), qp->v.name, region->name, how(freed->is_unmapped));
	if (!freed->is_unmapped)
		check_doubt(&f, "certain unless malloc() has given the same memory again, and has "
				"kept it meanwhile");
	check_step(&f, freed->place, "its memory was %s", how(freed->is_unmapped));
	check_add_made(c, p, &f, freed->mr);
}

void check_freed_posted(struct checks *c, const struct live_program *p, const struct record *r,
			const struct live_tracked_qp *qp, const struct posted_wr *wr)
{
	for (unsigned i = 0; i < c->nfreed; i++)
		if (check_uses(wr, &(struct check_taken){ .id = CHECK_FREED,
							  .lkey = c->freed[i].lkey,
							  .at = c->freed[i].at,
							  .len = c->freed[i].len }))
			tell_used(c, p, r, qp, wr, &c->freed[i]);
}
