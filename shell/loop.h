/* SPDX-License-Identifier: MIT */
/*
 * The only wait in the program: file descriptors, timers and signals over poll(2).
 *
 * Every command that waits calls loop_wait(), so that notices are shown, the other end of a
 * connection in the same process is served, and Ctrl-C always works.
 */
#ifndef SHELL_LOOP_H
#define SHELL_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct loop_timer;

/* A descriptor is ready; revents are those of poll(2). */
typedef void loop_fd_fn(void *arg, int fd, short revents);
/* A timer has expired, or a signal has arrived. */
typedef void loop_fn(void *arg);
/* The condition to wait for. Called after every pass, so it must be cheap. */
typedef bool loop_cond(void *arg);

enum loop_end {
	LOOP_DONE,	  /* the condition holds */
	LOOP_TIMEOUT,	  /* the time is up */
	LOOP_INTERRUPTED, /* Ctrl-C, or the program is asked to end */
};

#define LOOP_FOREVER (-1)

/* Installs the handlers of SIGINT, SIGTERM, SIGHUP and SIGWINCH, ignores SIGPIPE.
 * One loop per process. Ends the process when memory runs out. */
struct loop *loop_new(void);
/* Restores the signal handlers. Descriptors stay open: they belong to the callers that added them.
 */
void loop_free(struct loop *l);

/* Calls fn(arg, fd, revents) whenever fd has events (POLLIN ...); one watch per fd. */
void loop_watch(struct loop *l, int fd, short events, loop_fd_fn *fn, void *arg);
/* It is not an error if there is no watch on fd. May be called from the watch's own callback. */
void loop_unwatch(struct loop *l, int fd);

/* Calls fn(arg) once, ms milliseconds from now. The loop owns the timer and frees it
 * after the call or on loop_cancel(). */
struct loop_timer *loop_after(struct loop *l, int64_t ms, loop_fn *fn, void *arg);
void loop_cancel(struct loop *l, struct loop_timer *t);

/* Serves everything until done(arg) holds, within_ms milliseconds have passed
 * (LOOP_FOREVER: no limit; 0: one pass without blocking), or Ctrl-C. done may be NULL:
 * then only the time or Ctrl-C ends it. May be called from inside a callback. */
enum loop_end loop_wait(struct loop *l, loop_cond *done, void *arg, int64_t within_ms);

/* One pass: serves what is ready, waits at most us microseconds for it. For commands
 * that poll a completion queue and must keep the rest of the program alive. */
void loop_pass(struct loop *l, int64_t us);

/* Serves everything until fd has events. A watch on fd is not called meanwhile, and may be removed;
 * a nested wait on the same fd takes precedence. */
enum loop_end loop_wait_fd(struct loop *l, int fd, short events, int64_t within_ms);
/* Waits until fd has events, or for Ctrl-C, and serves nothing else. False: Ctrl-C, or the program
 * is asked to end. */
bool loop_wait_alone(struct loop *l, int fd, short events);

/* Waits us microseconds and serves nothing: for what a device completes in a moment. */
void loop_rest(int64_t us);

/* Ends all waits, like Ctrl-C. */
void loop_interrupt(struct loop *l);
/* Ctrl-C has been typed (SIGINT) since the last loop_clear_interrupt(). */
bool loop_interrupted(const struct loop *l);
void loop_clear_interrupt(struct loop *l);
/* How often Ctrl-C has been typed in all; loop_clear_interrupt() does not reset it. */
unsigned loop_interrupts(const struct loop *l);
/* The number of the SIGTERM or SIGHUP that arrived, else 0. Stays set; every wait ends at once. */
int loop_ending(const struct loop *l);

/* fn() runs in the signal handler when a third SIGINT, SIGTERM or SIGHUP arrives before the loop
 * has served any of them, nor loop_clear_interrupt() was called: what runs does not stop. */
void loop_on_third(struct loop *l, void (*fn)(void));

/* fn(arg) runs in the loop after SIGWINCH. */
void loop_on_resize(struct loop *l, loop_fn *fn, void *arg);

/* Monotonic time in nanoseconds. */
int64_t loop_now(void);

#endif
