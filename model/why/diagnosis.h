/* SPDX-License-Identifier: MIT */
/* Shared by the rules that explain a failed work request. */
#ifndef MODEL_DIAGNOSIS_H
#define MODEL_DIAGNOSIS_H

#include "why.h"

/* One failed work request, with what is known of its QP and its peer; the checks add causes. */
struct diagnosis {
	const struct failed_wr *wr;
	const struct live_qp *qp;   /* here; NULL: it is gone */
	const struct live_qp *peer; /* NULL: it cannot be seen */
	struct causes *c;
};

/* Adds a cause that was seen at the other end. next: what to type there, or NULL. */
void why_add_there(const struct diagnosis *q, enum verdict verdict, const char *next,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A window that has no region: it has no rights, either. */
bool why_is_unbound(const struct live_region *r);
bool why_region_holds(const struct live_region *r, uint64_t addr, uint64_t len);
/* How a range that is not in the region lies beside it. Valid until the next call. */
const char *why_range_beyond(const struct live_region *r, const char *name, uint64_t addr,
			     uint32_t len);
/* Adds why a window could not be bound. */
void why_check_bind(const struct diagnosis *q);
/* Adds that the two ends have different path MTUs: each expects packets of its own. */
void why_check_path_mtu(const struct diagnosis *q);
/* Adds that they may have, where that of the peer is not known. */
void why_guess_path_mtu(const struct diagnosis *q);
/* Adds why the peer had no receive. */
void why_check_receives(const struct diagnosis *q);
/* Adds why the peer has not answered. */
void why_check_peer_answers(const struct diagnosis *q);

#endif
