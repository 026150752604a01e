/* SPDX-License-Identifier: MIT */
/* The objects of a process as the page shows them: written as values into an output, with drawings.
 * Names may be hostile: they are made visible here. */
#ifndef MODEL_VIEWS_PAGE_ENDS_H
#define MODEL_VIEWS_PAGE_ENDS_H

#include "inventory.h"
#include "live_program.h"
#include "state_svg.h"

struct out;

#define PAGE_REQUESTS 24 /* of a queue are shown, the oldest; the others are counted */

/* A queue, of which either the requests are known, or their number alone. */
struct page_queue {
	const struct posted_queue *posted; /* NULL: their number alone */
	unsigned n, begun;		   /* posted NULL: of them, those on their way */
	unsigned room;			   /* 0: not known */
};

struct page_qp {
	const char *name, *peer; /* peer: the other end, or "" */
	uint32_t number;
	enum ibv_qp_type type; /* 0: not known */
	enum ibv_qp_state now;
	enum state_drain drain;
	uint64_t steps;				/* uroce_step() */
	const char *why;			/* of its state, or NULL */
	bool failed;				/* ERR or SQE, and nobody asked for it */
	const struct page_queue *sends, *recvs; /* NULL: not known, or an SRQ has its receives */
};

/* Writes a dict. key: NULL in an open list. */
void page_qp_out(struct out *o, const char *key, const struct page_qp *qp);

/* Writes a completion that was taken into the open list. */
void page_wc_out(struct out *o, const struct ibv_wc *wc);

/* Opens the dict of a region in the open list. */
void page_mr_begin(struct out *o, const char *name, uint64_t len, uint64_t addr, uint32_t rkey,
		   unsigned access);

/* The process of an inventory, as an end. at: as it was then, CLOCK_REALTIME in ns; 0: now, that is
 * when the inventory was made. */
void page_inventory_out(struct out *o, const char *name, const struct uroce_inventory *inv,
			uint64_t at);

/* Strings with everything invisible escaped. */
void page_str(struct out *o, const char *key, const char *text);
void page_strf(struct out *o, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
