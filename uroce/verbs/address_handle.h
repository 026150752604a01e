/* SPDX-License-Identifier: MIT */
/* Address handles: ibv_create_ah(3). */
#ifndef UROCE_ADDRESS_HANDLE_H
#define UROCE_ADDRESS_HANDLE_H

#include <infiniband/verbs.h>

#include "context.h"
#include "link.h"

struct ah {
	struct ibv_ah v;
	struct pd *pd;
	struct flow flow;
};

static inline struct ah *to_ah(struct ibv_ah *ah)
{
	return (struct ah *)ah;
}

/* Where an address vector leads; A17.8. 0, or an errno: EINVAL (not global, a port other
 * than 1, an index outside of the table, IPv4 and IPv6 mixed), ENODATA (no GID at that
 * index), ENETUNREACH or EHOSTUNREACH as the host's routes have it. */
int flow_of_av(struct flow *flow, const struct ibv_ah_attr *attr);

#endif
