/* SPDX-License-Identifier: MIT */
/*
 * Verbs for the rdma_cm API in a test: objects that exist, and remember how they were
 * modified. Waiting for an event lets the time of fake_host.h pass.
 */
#ifndef UROCE_TESTS_FAKE_API_H
#define UROCE_TESTS_FAKE_API_H

#include <infiniband/verbs.h>
#include <stdbool.h>

struct fake_qp {
	struct ibv_qp v;
	struct ibv_qp_attr attr; /* what was set, put together */
	int mask;		 /* of the last modification */
	unsigned attached;	 /* multicast groups */
};

extern int fake_modify_error; /* errno of every transition to RTR from now on */
extern int fake_attach_error;
extern unsigned fake_objects; /* QPs, CQs, SRQs and channels that live */
/* Called when somebody would sleep until events are acknowledged; NULL: that is an error. */
extern void (*fake_sleeper)(void);
/* Called when somebody who waits for an event is woken, and has not looked yet; or NULL. */
extern void (*fake_woken)(void);

static inline struct fake_qp *to_fake_qp(struct ibv_qp *qp)
{
	return (struct fake_qp *)qp;
}

/* Is an event waiting? */
bool fake_readable(int fd);

#endif
