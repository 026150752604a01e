/* SPDX-License-Identifier: MIT */
/*
 * The device of this process is driven by one thread, and the rules for who reads packets. The lock
 * and the timers are in base/.
 *
 * Progress (receiving, timers, retransmission) is made by whoever is at hand: a thread of
 * the application inside ibv_poll_cq() or a blocking wait for an event, else the engine's
 * own thread. One reader at a time: two would reorder packets.
 *
 *   engine.c     bringing the device up and down; a thread of the application that waits for an
 *                event
 *   progress.c   passes, and who makes them
 *   thread.c     the thread, and what wakes it
 *   guard.c      access to memory that the application may have unmapped
 */
#ifndef UROCE_ENGINE_H
#define UROCE_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lock.h"
#include "timer.h"

struct cq;

/* Brings the device of this process up: slot and sockets (link/group.h), the thread. Counted:
 * each call that returned 0 is undone by engine_put(). Takes the lock. Else -1 with errno:
 * EADDRINUSE when the UDP port is another program's (engine_reason() says whose). */
int engine_get(void);
void engine_put(void);
/* Why engine_get() failed, a sentence with the remedy; "" when it did not. */
const char *engine_reason(void);
/* Around fork(), in the thread that calls it: nothing is under way meanwhile. */
void engine_before_fork(void);
void engine_after_fork(void);
/* After fork(), in the child: nothing is up, nobody has the lock, what the parent got is not
 * to be put. */
void engine_forget(void);

/* Something was queued to be sent, or a timer set: sends it at the end of the pass that is
 * being made, else now; makes the thread look at the timers again. To be called before the
 * lock is released by every function of the API that queued anything. */
void engine_flush(void);
/* A timer was set, and nothing is to be sent: makes the thread look at the timers again. */
void engine_timer_set(void);
/* The same as engine_flush() for what goes to this process itself: takes it in at once, and what
 * comes of that. */
void engine_flush_here(void);
/* With the lock, at the end: what has come for others of this host is handed on to them. */
void engine_last_look(void);

/* ibv_poll_cq() has found the queue empty: makes a pass (takes the lock) and keeps the
 * thread off the socket for as long as the application polls, unless the queue is armed. */
void engine_poll_empty(struct cq *cq);

/* ibv_poll_cq() has found something, ibv_req_notify_cq() has armed a queue: the engine's thread
 * gets the reading back if the program may be about to wait for something else. Without the lock.
 */
extern _Atomic bool engine_poller_reads;  /* a thread of the program, since it polls */
extern _Atomic bool engine_poller_leaves; /* to look at memory, when a poll has found something */
void engine_release_reading(void);
static inline void engine_poll_found(void)
{
	if (atomic_load_explicit(&engine_poller_leaves, memory_order_relaxed))
		engine_release_reading();
}
static inline void engine_armed(void)
{
	if (atomic_load_explicit(&engine_poller_reads, memory_order_relaxed))
		engine_release_reading();
}

/* Blocks until fd is readable, and makes progress meanwhile: the shortest way from the
 * wire to a sleeping application. Without the lock. A cancellation point. 0; 1: an
 * event was handed over, and fd is not readable (engine_hand_over()); -1 with errno EINTR where
 * read(2) would have it: not after handlers that have SA_RESTART. */
int engine_wait_fd(int fd);
/* Instead of making fd readable: true: the thread that is at work is the one that waits for
 * it, and knows now. */
bool engine_hand_over(int fd);

/* ---------------------------------------------------------------------- guard.c -- */

/*
 * Copying from and to memory of the application that it may have unmapped since it
 * registered it. A real device has pinned the pages; here the copy must survive the fault.
 *
 * It does not in a thread that blocks SIGSEGV or SIGBUS, nor when the application replaces
 * our handlers by its own: then the fault ends the process, as any other would.
 */

/* Installs the handlers of SIGSEGV and SIGBUS; what is not ours goes to the handlers that
 * were there before. Once a process, later calls do nothing. 0, or -1 with errno. */
int guard_install(void);

/* memcpy() that returns -1 (errno EFAULT) where it would have faulted: how much was copied
 * before is unknown. The aligned word that holds the last byte is written last, after all
 * others: programs wait for the last byte of a message. */
int guard_copy(void *dst, const void *src, size_t n);

/* The program has a sanitizer, to which guard_copy() is to be no access from now on. */
void guard_copy_unseen(void);

/* 8 aligned bytes, as one. 0, or -1 (errno EFAULT). */
int guard_store(uint64_t *p, uint64_t value);
/* Atomic on 8 aligned bytes: *old is what was there. 0, or -1 (errno EFAULT). */
int guard_fetch_add(uint64_t *p, uint64_t add, uint64_t *old);
int guard_cmp_swap(uint64_t *p, uint64_t compare, uint64_t swap, uint64_t *old);

#endif
