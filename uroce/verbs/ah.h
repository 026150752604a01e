/* SPDX-License-Identifier: MIT */
/* Address handles: ibv_create_ah(3). */
#ifndef UROCE_VERBS_AH_H
#define UROCE_VERBS_AH_H

#include <infiniband/verbs.h>

#include "tx.h"

struct ah {
	struct ibv_ah v;
	struct ibv_ah_attr attr;
	struct flow flow;
};

static inline struct ah *to_ah(struct ibv_ah *ah)
{
	return (struct ah *)ah;
}

/* Where an address vector leads. 0, or an errno: EINVAL (not global, no such GID index,
 * a port other than 1). */
int flow_of_av(struct flow *flow, const struct ibv_ah_attr *attr);

#endif
