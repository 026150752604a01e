/* SPDX-License-Identifier: MIT */
/* What is behind verbs/ in its unit tests: QPs that only remember that they failed. */
#ifndef UROCE_TESTS_FAKE_VERBS_H
#define UROCE_TESTS_FAKE_VERBS_H

#include "queue_pair.h"
#include "rig.h"

extern const char *fake_name_refused; /* the reason; NULL: the device has a name */

/* At the beginning: of the host, two addresses, or none. */
void fake_addresses(bool any);

/* QPs that qp_each() finds; failed: transport_fail() was called with this event. */
void fake_qp_add(struct qp *qp);
void fake_qps_clear(void);
extern unsigned fake_failures;
extern int fake_last_event;

/* What post_bind() got last, and what it returns. */
extern struct ibv_mw_bind fake_posted;
extern uint32_t fake_posted_rkey;
extern int fake_post_error;

#endif
