// SPDX-License-Identifier: MIT
#include "posted_queue.h"

#include <string.h>

#include "alloc.h"

void posted_queue_empty(struct posted_queue *q)
{
	q->begin = q->n = 0;
}

/* A queue that stays nearly full is not moved with each request. */
static void make_room(struct posted_queue *q)
{
	if (q->begin + q->n < q->room)
		return;
	if (q->n >= q->room / 2) {
		q->room = q->room ? 2 * q->room : 16;
		q->v = xrealloc(q->v, q->room, sizeof *q->v);
	}
	memmove(q->v, q->v + q->begin, q->n * sizeof *q->v);
	q->begin = 0;
}

void posted_queue_put(struct posted_queue *q, const struct posted_wr *wr)
{
	make_room(q);
	q->v[q->begin + q->n++] = *wr;
}

bool posted_queue_get(struct posted_queue *q, uint64_t wr_id, bool in_order, struct posted_wr *wr)
{
	struct posted_wr *v = q->v + q->begin;
	unsigned i = 0;

	while (i < q->n && v[i].wr_id != wr_id)
		i++;
	if (i == q->n)
		return false;
	*wr = v[i];
	if (in_order) {
		q->begin += i + 1;
		q->n -= i + 1;
		return true;
	}
	memmove(v + 1, v, i * sizeof *v); /* those before it stay: most often there are few */
	q->begin++;
	q->n--;
	return true;
}
