// SPDX-License-Identifier: MIT
#include "live_program.h"

#include <stdio.h>

#include "alloc.h"
#include "call_record.h"
#include "record_objects.h"

#define REGIONS_MAX 4096 /* above which those that are gone are forgotten */

void seen_name(struct record_objects *objects, uint64_t address, uint64_t when,
	       char name[LIVE_NAME])
{
	const struct record_object *o = address ? record_objects_at(objects, address, when) : NULL;

	snprintf(name, LIVE_NAME, "%s", o ? o->name : "");
}

/* Of those that are gone only the newer half is remembered. */
static void forget(struct seen_regions *s)
{
	unsigned to = 0;

	for (unsigned i = 0; i < s->n; i++) {
		if (i < s->n / 2 && s->v[i].gone)
			continue;
		s->v[to] = s->v[i];
		s->at[to++] = s->at[i];
	}
	s->n = to;
}

void seen_regions_add(struct seen_regions *s, const struct record *r, uint64_t address,
		      struct record_objects *objects)
{
	const struct ibv_mr *mr = record_bytes(r, address, NULL);
	uint64_t iova = record_arg(r, "iova");
	struct live_region *v;

	if (!mr)
		return;
	for (unsigned i = 0; i < s->n; i++)
		if (s->at[i] == address && !s->v[i].gone)
			return; /* by a call within this one */
	if (s->n >= REGIONS_MAX)
		forget(s);
	s->v = xgrow(s->v, s->n, sizeof *s->v);
	s->at = xgrow(s->at, s->n, sizeof *s->at);
	s->at[s->n] = address;
	v = &s->v[s->n++];
	*v = (struct live_region){ .lkey = mr->lkey,
				   .rkey = mr->rkey,
				   .begin = iova ? iova : (uintptr_t)mr->addr,
				   .len = mr->length,
				   .access = (unsigned)record_arg(r, "access") };
	if (v->access & IBV_ACCESS_ZERO_BASED)
		v->begin = 0;
	seen_name(objects, address, r->end, v->name);
	seen_name(objects, (uintptr_t)mr->pd, r->end, v->pd);
}

void seen_regions_gone(struct seen_regions *s, uint64_t address)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->at[i] == address)
			s->v[i].gone = true;
}
