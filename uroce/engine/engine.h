/* SPDX-License-Identifier: MIT */
/*
 * What drives the device of this process: one lock, one thread, and the rules for who
 * reads the socket.
 *
 * The lock guards everything, except that ibv_poll_cq() reads the ring of a CQ without it.
 * Functions of other files say when they take it; those that say nothing run with it held. Code of
 * the application is never called under it, and a thread is not cancelled while it has it.
 * Waits under it end soon: a millisecond for room in a socket (tx.c); at most a second for the lock
 * of the names (group_names.c), which another process has for some system calls.
 *
 * Progress (receiving, timers, retransmission) is made by whoever is at hand: a thread of
 * the application inside ibv_poll_cq() or a blocking wait for an event, else the engine's
 * own thread. One reader at a time: two would reorder packets.
 *
 *   engine.c     bringing the device up and down; the lock, and the time; a thread of the
 *                application that waits for an event
 *   progress.c   passes, and who makes them
 *   thread.c     the thread, and what wakes it
 *   timer.c      timers
 *   guard.c      access to memory that the application may have unmapped
 */
#ifndef UROCE_ENGINE_H
#define UROCE_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cq;

void engine_lock(void);
/* Does not wait. False: another thread has it. */
bool engine_trylock(void);
void engine_unlock(void);
/* Takes the lock, until the end of the block. */
#define SCOPED_ENGINE_LOCK() \
	__attribute__((cleanup(engine_lock_end), unused)) const bool locked = (engine_lock(), true)
static inline void engine_lock_end(const bool *locked)
{
	(void)locked;
	engine_unlock();
}
/* Waits for at most a second: for the end of a process. False: it was in vain, or this thread has
 * the lock, since exit() was called by a signal handler in the middle of a call. */
bool engine_lock_patiently(void);
/* Sleeps until engine_wake_all(); the lock is free meanwhile. For waits that the verbs
 * demand: destroying what has events that are not acknowledged. */
void engine_sleep(void);
void engine_wake_all(void);

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
/* The same for what goes to this process itself: takes it in at once, and what comes of that. */
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

/* Monotonic, nanoseconds; read once while the lock is held. */
uint64_t engine_now(void);
/* The same, without the lock. */
uint64_t engine_clock(void);

/* ---------------------------------------------------------------------- timer.c -- */

/* Timers on a heap: some per QP and connection, most of them stopped before they run out. */

/* Embedded in its owner, zeroed at first; the owner stops it before it goes. */
struct timer {
	uint64_t when;	/* engine_now(), ns */
	unsigned place; /* in the heap, from 1; 0: not running */
	void (*fn)(struct timer *t);
};

/* Runs t->fn(t), with the lock held, when engine_now() has reached when. Sets a running
 * timer anew. Never fails: the heap has a place for every timer that was prepared. */
void timer_set(struct timer *t, uint64_t when);
void timer_stop(struct timer *t);
static inline bool timer_running(const struct timer *t)
{
	return t->place != 0;
}

/* Makes sure that n more (negative: fewer) timers can run at once. 0, or -1 with ENOMEM. */
int timer_reserve(int n);
/* When the next one runs out; UINT64_MAX: none runs. */
uint64_t timer_next(void);
/* Runs what is due at now, each timer once at most. */
void timer_run(uint64_t now);
/* Stops all: after fork(). What was reserved stays so. */
void timer_forget(void);

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

/* 8 aligned bytes, as one. 0, or -1 (errno EFAULT). */
int guard_store(uint64_t *p, uint64_t value);
/* Atomic on 8 aligned bytes: *old is what was there. 0, or -1 (errno EFAULT). */
int guard_fetch_add(uint64_t *p, uint64_t add, uint64_t *old);
int guard_cmp_swap(uint64_t *p, uint64_t compare, uint64_t swap, uint64_t *old);

#endif
