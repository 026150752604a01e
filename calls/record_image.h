/* SPDX-License-Identifier: MIT */
/* What a record copies of the memory that the arguments of a call lead to. For record*.c. */
#ifndef CALLS_RECORD_IMAGE_H
#define CALLS_RECORD_IMAGE_H

#include "record_rings.h"

/* How the arguments of a row are copied. */
enum plan {
	PLAN_NUMBERS, /* no memory behind them */
	PLAN_SEND,    /* ibv_post_send() */
	PLAN_RECV,    /* ibv_post_recv(), ibv_post_srq_recv() */
	PLAN_POLL,    /* ibv_poll_cq() */
	PLAN_WALK     /* as the table says; before the call, too */
};

struct row_plan {
	uint8_t plan, nargs, path;
	bool changes_objects;
	bool begins_poll; /* ibv_start_poll() */
};

struct row_plan record_plan(const struct call_fn *fn);

/* A record that is being made. */
struct image {
	uint64_t *w;
	size_t n, max; /* words */
	unsigned left_out;
};

/* Adds the pieces of that moment. result, failed: of the call, once it has ended. */
void record_keep(struct image *m, const struct row_plan *plan, const struct call_fn *fn,
		 const uint64_t *args, enum record_moment moment, uint64_t result, bool failed);

#endif
