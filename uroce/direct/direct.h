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
 * Packets it is when anything is unusual: the other process has no pair with us (link/pair.h), we
 * may not open its memory (ptrace_scope of Yama, another user, not dumpable), somebody looks at
 * packets, faults or a tap at either end, a key of a window, QPs of which anything is not as it
 * should be (addresses, PSNs, states, rights), bytes that are not there. What is an error is so
 * by packets, too, and has the same completion.
 */
#ifndef UROCE_DIRECT_DIRECT_H
#define UROCE_DIRECT_DIRECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qp;
struct send_wqe;

/* After group_join(), before its first pair; UROCE_DIRECT=0: does nothing. */
void direct_start(void);
/* After group_leave(). */
void direct_stop(void);
/* After fork(), in the child. */
void direct_forget(void);

enum direct_result {
	DIRECT_PACKETS, /* send packets, from the beginning of the message */
	DIRECT_DONE,
	DIRECT_MORE, /* w->carried bytes are there: to be called again, when others had their turn
		      */
};
/* Can requests of the QP be carried out so, as far as is known before one is tried? */
bool direct_is_open(struct qp *qp);
/* Carries out a request that has just begun: nothing before it is on its way. */
enum direct_result direct_carry_out(struct qp *qp, struct send_wqe *w);

/* Faults or a tap came or went. */
void direct_look_around(void);

/* Into buf, which is returned: how far it is with the process in a slot: "direct", or why not. */
const char *direct_print(unsigned slot, char *buf, size_t n);

#endif
