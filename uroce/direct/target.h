/* SPDX-License-Identifier: MIT */
/*
 * The side of one-sided operations whose memory it is: direct_table.h says what is promised, and
 * why it holds. With the engine's lock, but for target_await().
 *
 * Nothing is done before the first other process has been let in: target_let_in().
 */
#ifndef UROCE_DIRECT_TARGET_H
#define UROCE_DIRECT_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "direct_table.h"

struct mr;
struct qp;

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
