// SPDX-License-Identifier: MIT
#include "direct.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "engine.h"
#include "fault.h"
#include "pair.h"
#include "queue_pair.h"
#include "direct_table.h"
#include "spec_tables.h"
#include "tap.h"
#include "transport.h"

/* Bytes of one copy, for which the lock is held: some 20 us. */
#define PORTION	   262144u
#define CELL_BYTES (PAIR_PAGE / 2)
/* To one that has not let us in yet, or lacks descriptors. */
#define OPEN_AGAIN UINT64_C(10000000) /* ns */

static struct way {
	struct reach reach;
	struct pair *pair;   /* NULL: none that shows a table */
	int err;	     /* why it could not be opened */
	uint64_t open_after; /* engine_now(): not before; UINT64_MAX: never */
} ways[SLOTS];

/* ------------------------------------------------------------------ pairs come and go -- */

static struct direct_cell *cell_of(struct pair *p, unsigned side)
{
	return (struct direct_cell *)(p->memory->cells + side * CELL_BYTES);
}

static void made(struct pair *p)
{
	unsigned side = pair_side(p);

	ways[p->slot] = (struct way){ .pair = p, .reach.memory = -1 };
	if (p->exposed >= 0)
		target_let_in(p->slot, cell_of(p, !side), cell_of(p, side), p->exposed);
	else
		ways[p->slot].open_after = UINT64_MAX;
}

static void closing(struct pair *p)
{
	struct way *way = &ways[p->slot];

	if (way->pair)
		reach_close(&way->reach);
	way->pair = NULL;
	target_show_out(p->slot);
}

void direct_start(void)
{
	const char *text = getenv("UROCE_DIRECT");
	int fd = text && strcmp(text, "0") == 0 ? -1 : target_start();

	pair_exposed = fd;
	pair_made = fd < 0 ? NULL : made;
	pair_closing = fd < 0 ? NULL : closing;
	direct_look_around();
}

void direct_stop(void)
{
	pair_exposed = -1;
	pair_made = pair_closing = NULL;
	target_stop();
}

void direct_forget(void)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		if (ways[i].pair)
			reach_forget(&ways[i].reach);
		ways[i].pair = NULL;
	}
	pair_exposed = -1;
	pair_made = pair_closing = NULL;
	target_forget();
}

void direct_look_around(void)
{
	target_set_off(tap_on || fault_directions);
}

/* ------------------------------------------------------------------------ the way in -- */

static void open_way(struct way *way)
{
	struct pair *p = way->pair;
	unsigned side = pair_side(p);

	if (engine_now() < way->open_after)
		return;
	if (reach_open(&way->reach, p->pid, p->pidfd, p->exposed, cell_of(p, !side),
		       cell_of(p, side), group_slot()) == 0)
		return;
	way->err = errno;
	way->open_after = errno == EAGAIN || errno == EMFILE || errno == ENFILE || errno == ENOMEM
				  ? engine_now() + OPEN_AGAIN
				  : UINT64_MAX;
}

static struct way *way_to(const struct pair *pair)
{
	struct way *way = pair ? &ways[pair->slot] : NULL;

	if (!way || !way->pair || tap_on || fault_directions)
		return NULL;
	if (!way->reach.table)
		open_way(way);
	return way->reach.table ? way : NULL;
}

/* Our memory for len bytes of the message from w->carried on; false: not ours any more, or too
 * many parts. */
static bool fill_iov(struct qp *qp, const struct send_wqe *w, struct reach_request *q)
{
	uint32_t offset = w->carried, left = q->len;

	q->niov = 0;
	if (w->nsge < 0) {
		q->iov[q->niov++] = (struct iovec){ w->data + offset, left };
		return true;
	}
	for (int i = 0; i < w->nsge && left; i++) {
		const struct ibv_sge *s = &w->sge[i];
		uint32_t part;
		void *at;

		if (offset >= s->length) {
			offset -= s->length;
			continue;
		}
		part = s->length - offset < left ? s->length - offset : left;
		at = region_local(qp, s->lkey, s->addr + offset, part,
				  q->write ? 0 : IBV_ACCESS_LOCAL_WRITE);
		if (!at)
			return false;
		q->iov[q->niov++] = (struct iovec){ at, part };
		left -= part;
		offset = 0;
	}
	return left == 0;
}

static enum reach_result carry_portion(struct qp *qp, const struct send_wqe *w, struct way *way,
				       uint32_t len)
{
	struct reach_request q = {
		.write = w->op->code == IBV_WR_RDMA_WRITE,
		.qpn = qp->attr.dest_qp_num,
		.own_qpn = qp->v.qp_num,
		.gid = &qp->flow.dgid,
		.own_gid = &qp->flow.sgid,
		.psn = qp->req.psn,
		.rkey = w->rkey,
		.len = len,
		.va = w->remote + w->carried,
	};

	return fill_iov(qp, w, &q) ? reach_copy(&way->reach, &q) : REACH_REFUSED;
}

bool direct_is_open(const struct pair *pair)
{
	const struct way *way = way_to(pair);

	return way && reach_is_open(&way->reach);
}

void direct_await_answer(const struct pair *pair, uint32_t qpn, bool awaits)
{
	struct way *way = &ways[pair->slot];
	_Atomic uint32_t *shown;

	if (!way->reach.table) /* it has been closed meanwhile */
		return;
	shown = &way->reach.cell->awaits;
	if (awaits || atomic_load_explicit(shown, memory_order_relaxed) == qpn)
		atomic_store_explicit(shown, awaits ? qpn : 0, memory_order_relaxed);
}

bool direct_is_awaited(const struct pair *pair, uint32_t qpn)
{
	const struct way *way = pair ? &ways[pair->slot] : NULL;

	return way && way->reach.table &&
	       atomic_load_explicit(&way->reach.theirs->awaits, memory_order_relaxed) == qpn;
}

bool direct_is_known(uint32_t qpn)
{
	const struct way *way = &ways[qpn >> SLOT_SHIFT];

	return way->pair && way->reach.table && !tap_on && !fault_directions;
}

enum direct_result direct_carry_out(struct qp *qp, const struct pair *pair, struct send_wqe *w)
{
	struct way *way = w->len ? way_to(pair) : NULL;
	uint32_t left = w->len - w->carried, len = left < PORTION ? left : PORTION;
	enum reach_result result = way ? carry_portion(qp, w, way, len) : REACH_REFUSED;

	if (result == REACH_GONE) { /* of a pair that will be closed soon */
		reach_close(&way->reach);
		way->err = ESRCH;
		way->open_after = UINT64_MAX;
	}
	if (result != REACH_DONE) {
		w->carried = 0;
		return DIRECT_PACKETS;
	}
	w->carried += len;
	if (w->carried != w->len)
		return DIRECT_MORE;
	count(w->op->code == IBV_WR_RDMA_WRITE ? CNT_DIRECT_WRITES : CNT_DIRECT_READS);
	return DIRECT_DONE;
}

const char *direct_print(unsigned slot, char *buf, size_t n)
{
	const struct way *way = &ways[slot & (SLOTS - 1)];

	if (!way->pair)
		snprintf(buf, n, "no direct access");
	else if (way->reach.table)
		snprintf(buf, n, "direct access");
	else if (way->err)
		snprintf(buf, n, "no direct access: %s", strerror(way->err));
	else
		snprintf(buf, n, "no direct access yet");
	return buf;
}
