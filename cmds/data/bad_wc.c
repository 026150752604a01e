/* SPDX-License-Identifier: MIT */
#include "data/bad_wc.h"

#include <stdio.h>
#include <string.h>

#include "call_record.h"
#include "loop.h"
#include "objects.h"
#include "own_rows.h"

static bool find_last(struct record_walk *w)
{
	while (record_back(w))
		if (row_of(&w->r) == OWN_BAD_WC)
			return true;
	return false;
}

void bad_wc_add(const struct qp *qp, enum ibv_wc_status status, const struct posted_wr *posted,
		bool is_either, unsigned long command)
{
	struct record_walk w = { .path = RECORD_CONTROL };

	if (status != IBV_WC_WR_FLUSH_ERR || !find_last(&w) || w.r.args[1] != qp->o.serial)
		own_bad_wc(qp, status, command, posted, is_either);
}

bool bad_wc_last(struct bad_wc *bad)
{
	struct record_walk w = { .path = RECORD_CONTROL };
	const struct record_object *o;
	const struct posted_wr *posted;

	if (!find_last(&w))
		return false;
	o = record_object_at(w.r.args[0], w.r.begin);
	posted = (const void *)(uintptr_t)w.r.args[4];
	*bad = (struct bad_wc){ .status = (enum ibv_wc_status)w.r.args[2],
				.when = loop_now() - record_span(w.r.begin, record_time()),
				.serial = w.r.args[1],
				.command = w.r.args[3],
				.is_either = w.r.args[6],
				.known = posted };
	if (o)
		snprintf(bad->qp, sizeof bad->qp, "%s", o->name);
	if (posted)
		bad->posted = *posted;
	return true;
}
