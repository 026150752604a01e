/* SPDX-License-Identifier: MIT */
/* For tests of the real engine: time, and an application that polls an empty queue. */
#ifndef UROCE_TESTS_ENGINE_APP_H
#define UROCE_TESTS_ENGINE_APP_H

#include "completion_queue.h"
#include "rig.h"

#define PATIENCE 5000 /* ms: for what must happen */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

extern struct cq cq;
/* sched_yield() returns after so many milliseconds, as if others had the processor meanwhile. */
extern _Atomic int app_yields_for;

uint64_t clock_ns(void);
void nap(int ms);
/* Waits until the counter has reached a value. */
void reaches(_Atomic unsigned *counter, unsigned value);
/* Polls an empty queue for some time. */
void spin(unsigned ms);
bool parked(void);
void wait_unparked(void);
/* Polls until the thread is parked; on a slow machine, that takes some attempts. When it returns,
 * the thread may run again, if this one was kept from running for a tick. */
void park(void);
void flush(void);
/* How many packets were taken in, by whomever; and waits until there are n. */
unsigned packets(void);
void arrive(unsigned n);
/* Nothing to do: the thread does not wake up at all. */
void stays_idle(void);

#endif
