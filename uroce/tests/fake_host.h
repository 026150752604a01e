/* SPDX-License-Identifier: MIT */
/*
 * A host for cm/ in a test: its time is virtual, and the MADs that it sends come back to it,
 * for both ends of a connection are its own. It has the addresses 10.0.0.1 (GID index 0),
 * 10.0.0.2, fd00::1 and fe80::1 (on interface 3), and slot 5.
 */
#ifndef UROCE_TESTS_FAKE_HOST_H
#define UROCE_TESTS_FAKE_HOST_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "mad.h"
#include "link.h"

#define FAKE_SLOT 5

enum fate { FATE_PASS, FATE_DROP, FATE_TWICE, FATE_AGAIN_LATE };

extern uint64_t fake_now;
extern int fake_reserved;   /* timer_reserve(): the sum */
extern unsigned fake_names; /* group_claim() without group_release() */
extern unsigned fake_sent;  /* MADs since fake_reset() */
extern unsigned fake_forwards;
extern bool fake_killed;    /* group_announced(): no process of this host is */
extern bool fake_silent;    /* neighbour_known(): nobody has answered yet */
extern unsigned fake_asked; /* neighbour_ask() */
extern uint16_t fake_taken; /* a port that another process has */
/* What becomes of a MAD, the n-th from 0; NULL: all pass. */
extern enum fate (*fake_fate)(unsigned n, const struct mad *m);
/* Called after everything that happens: the applications. */
extern void (*fake_app)(void);

union ibv_gid fake_gid(unsigned index);
/* A MAD of the outside world arrives now: at cm_route(). */
void fake_arrive(const union ibv_gid *src, const union ibv_gid *dst, const struct mad *m);
/* The last MAD that went to an address that is not ours. */
bool fake_outgoing(struct mad *m, struct flow *flow);

/* The next thing in time, a MAD or a timer; false: nothing is left within ns. */
bool fake_step(uint64_t ns);
void fake_run(uint64_t ns);
/* Forgets counts and MADs. */
void fake_reset(void);

#endif
