/* SPDX-License-Identifier: MIT */
#include "data/bad_wc.h"

#include <stdio.h>
#include <string.h>

#include "call_record.h"
#include "fault_rule.h"
#include "loop.h"
#include "objects.h"
#include "own_rows.h"

static bool find_last(struct record_walk *w)
{
	while (record_back(w))
		if (own_row_of(&w->r) == OWN_BAD_WC)
			return true;
	return false;
}

void bad_wc_add(const struct qp *qp, const struct ibv_wc *wc, const struct posted_wr *posted,
		bool is_either, unsigned long command)
{
	struct record_walk w = { .path = RECORD_CONTROL };

	if (wc->status != IBV_WC_WR_FLUSH_ERR || !find_last(&w) || w.r.args[1] != qp->o.serial)
		own_bad_wc(qp, wc, command, posted, is_either);
}

static void read_bad_wc(const struct record *r, struct bad_wc *bad)
{
	const struct record_object *o = record_object_at(r->args[0], r->begin);
	const struct posted_wr *posted = (const void *)(uintptr_t)r->args[4];

	*bad = (struct bad_wc){ .status = (enum ibv_wc_status)r->args[2],
				.when = loop_now() - record_span(r->begin, record_time()),
				.seen = record_realtime(r->begin),
				.serial = r->args[1],
				.command = r->args[3],
				.is_either = r->args[6],
				.rule = fault_rule_of_vendor_err((uint32_t)r->args[7]),
				.known = posted };
	if (o)
		snprintf(bad->qp, sizeof bad->qp, "%s", o->name);
	if (posted)
		bad->posted = *posted;
}

unsigned bad_wc_list(struct bad_wc *v, unsigned n)
{
	struct record_walk w = { .path = RECORD_CONTROL };
	unsigned found = 0;

	while (found < n && find_last(&w))
		read_bad_wc(&w.r, &v[found++]);
	return found;
}

bool bad_wc_last(struct bad_wc *bad)
{
	return bad_wc_list(bad, 1) == 1;
}
