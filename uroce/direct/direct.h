/* SPDX-License-Identifier: MIT */
/*
 * One-sided operations of RC by reaching into the memory of the other process, instead of by
 * packets: as fast as the memory, and the other process does nothing for it. All of this with the
 * engine's lock.
 *
 *   direct_table.h   what two processes share, and why it is safe
 *   target.c         the process whose memory it is
 *   reach.c          the process that reaches into it
 *   direct.c         when that is done instead of sending packets
 *
 * Packets are used if anything is unusual: the other process has no pair with us (link/pair.h), we
 * may not open its memory (ptrace_scope of Yama, another user, not dumpable), somebody looks at
 * packets, either end has faults or a tap, the key is that of a window, anything of the QPs is not
 * as it should be (addresses, PSNs, states, rights), or bytes are not there. So a request that
 * fails goes by packets, and gets its error from them.
 */
#ifndef UROCE_DIRECT_H
#define UROCE_DIRECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "direct_table.h"

struct pair;
struct qp;
struct send_wqe;

/* After group_join(), before its first pair; UROCE_DIRECT=0: does nothing. */
void direct_start(void);
/* After group_leave(). */
void direct_stop(void);
/* After fork(), in the child. */
void direct_forget(void);

/* Shows to the process of a pair, or no longer, that a program polls until the peer of this QP
 * answers. Does that process show it of the QP with that number? Then it reads at once what is sent
 * there. */
void direct_await_answer(const struct pair *pair, uint32_t qpn, bool awaits);
bool direct_is_awaited(const struct pair *pair, uint32_t qpn);

enum direct_result {
	DIRECT_PACKETS, /* send packets, from the beginning of the message */
	DIRECT_DONE,
	DIRECT_MORE, /* w->carried bytes are there: to be called again, when others had their turn
		      */
};
/* Can requests to the process of a pair be carried out so, as far as is known before one is tried?
 * pair may be NULL, here and below: as of path_to(). */
bool direct_is_open(const struct pair *pair);
/* Is the way to the process of that QP of this host open? Changes nothing. */
bool direct_is_known(uint32_t qpn);
/* Carries out a request that has just begun: nothing before it is on its way. */
enum direct_result direct_carry_out(struct qp *qp, const struct pair *pair, struct send_wqe *w);

/* Faults or a tap came or went. */
void direct_look_around(void);

/* Into buf, which is returned: how far it is with the process in a slot: "direct", or why not. */
const char *direct_print(unsigned slot, char *buf, size_t n);

/* ------------------------------------------ target.c: whose memory it is -- */

/* direct_table.h says what is promised, and why it holds. With the engine's lock, but for
 * target_await(). Nothing is done before the first other process has been let in:
 * target_let_in(). */

struct mr;

/* Makes the table, of which others get the descriptor. -1 with errno: there will be none. */
int target_start(void);
/* All are shown out before. */
void target_stop(void);
/* After fork(), in the child: the table is the parent's. */
void target_forget(void);

/* A process in a slot may reach in from now on. theirs: its cell; ours: the one that it reads;
 * its_table: the descriptor that it has from target_start(), which stays the caller's: until
 * target_show_out() it tells that the process still is what it was. */
void target_let_in(unsigned slot, struct direct_cell *theirs, struct direct_cell *ours,
		   int its_table);
/* Not any more. Waits up to a second for what it is just doing. */
void target_show_out(unsigned slot);
/* The number of those who may. */
unsigned target_guests(void);
/* Nobody reaches in while there are faults or a tap here: to be called when that changes. */
void target_set_off(bool off);

/* What is shown. A region, or a QP, of which nothing can be shown is reached by packets. */
void target_show_region(struct mr *mr);
void target_show_qp(struct qp *qp);
/* The responder expects this PSN, and is between messages. */
void target_show_psn(const struct qp *qp);

/* Who just uses what was hidden: to be waited for before the program goes on. */
struct target_users {
	unsigned n;
	struct target_user {
		unsigned slot;
		uint64_t use;
	} user[SLOTS];
};
void target_hide_region(struct mr *mr, struct target_users *users);
/* users may be NULL: nobody waits. */
void target_hide_qp(struct qp *qp, struct target_users *users);
/* Returns when none of them uses it any more. Without the lock. */
void target_await(struct target_users *users);

#endif
