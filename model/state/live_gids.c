/* SPDX-License-Identifier: MIT */
/* The GIDs that the program has asked for. */
#include "call_record.h"
#include "heap.h"
#include "live_program.h"

static struct live_gid *gid_at(const struct live_program *p, uint64_t port, int64_t index)
{
	for (unsigned i = 0; i < p->ngids; i++)
		if (p->gids[i].port == port && p->gids[i].index == index)
			return &p->gids[i];
	return NULL;
}

const union ibv_gid *live_program_gid(const struct live_program *p, uint64_t port, int64_t index)
{
	const struct live_gid *at = gid_at(p, port, index);

	return at ? &at->gid : NULL;
}

void live_gids_take(struct live_program *p, const struct record *r)
{
	const union ibv_gid *gid = r->after ? (const void *)(uintptr_t)r->after[3] : NULL;
	const uint64_t port = record_arg(r, "port_num");
	const int64_t index = (int)record_arg(r, "index");
	struct live_gid *at = gid_at(p, port, index);

	if (!gid || r->err)
		return;
	if (!at) {
		p->gids = xgrow(p->gids, p->ngids, sizeof *p->gids);
		at = &p->gids[p->ngids++];
	}
	*at = (struct live_gid){ port, index, *gid };
}
