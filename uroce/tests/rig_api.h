/* SPDX-License-Identifier: MIT */
/*
 * Verbs for the rdma_cm API in a test: objects that exist, and remember how they were
 * modified. Waiting for an event lets the time of rig.h pass.
 */
#ifndef UROCE_TESTS_RIG_API_H
#define UROCE_TESTS_RIG_API_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "rig.h"

struct api_qp {
	struct ibv_qp v;
	struct ibv_qp_attr attr; /* what was set, put together */
	int mask;		 /* of the last modification */
	unsigned attached;	 /* multicast groups */
};

extern int rig_modify_error; /* errno of every transition to RTR from now on */
extern int rig_attach_error;
extern unsigned rig_objects; /* QPs, CQs, SRQs and channels that live */
/* What happens while somebody waits for an event: engine_wait_fd(). NULL: time passes. */
extern int (*rig_woken)(int fd);
/* Called in the middle of a transition to ERR; or NULL. */
extern void (*rig_failing)(void);

static inline struct api_qp *to_api_qp(struct ibv_qp *qp)
{
	return (struct api_qp *)qp;
}

/* Is an event waiting? */
bool rig_readable(int fd);

#endif
