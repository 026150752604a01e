/* SPDX-License-Identifier: MIT */
/* What is behind verbs/ in its unit tests: an engine that does nothing by itself, a GID table
 * of two addresses, and QPs that only remember that they failed. */
#ifndef UROCE_TESTS_FAKE_VERBS_H
#define UROCE_TESTS_FAKE_VERBS_H

#include "queue_pair.h"

extern const char *fake_name_refused; /* the reason; NULL: the device has a name */
extern int fake_engine_error;	      /* errno of the next engine_get(); 0: it works */
extern unsigned fake_engine_users;    /* engine_get() without engine_put() */
extern _Atomic unsigned fake_polls;   /* engine_poll_empty() */
extern unsigned fake_sleeps;	      /* calls of engine_sleep(); read it with the lock */
extern bool fake_no_gids;

/* QPs that qp_each() finds; failed: transport_fail() was called with this event. */
void fake_qp_add(struct qp *qp);
void fake_qps_clear(void);
extern unsigned fake_failures;
extern int fake_last_event;

/* What post_bind() got last, and what it returns. */
extern struct ibv_mw_bind fake_posted;
extern uint32_t fake_posted_rkey;
extern int fake_post_error;

/* Runs the timers that are set. */
void fake_timers(void);

#endif
