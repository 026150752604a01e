/* SPDX-License-Identifier: MIT */
/*
 * For tests of the real engine: time, an application that polls an empty queue, and what the engine
 * drives, of which packets are datagrams on a socket of their own.
 */
#ifndef UROCE_TESTS_ENGINE_RIG_H
#define UROCE_TESTS_ENGINE_RIG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "completion_queue.h"

#define PATIENCE 5000 /* ms: for what must happen */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

extern struct cq cq;

uint64_t clock_ns(void);
void nap(int ms);
/* Waits until the counter has reached a value. */
void reaches(_Atomic unsigned *counter, unsigned value);
/* Polls an empty queue for some time. */
void spin(unsigned ms);
bool parked(void);
void wait_unparked(void);
/* Polls until the thread is parked; a slow machine may take some attempts. It may not be parked any
 * more by then, if this one was kept from running for a tick. */
void park(void);
void flush(void);
/* That were taken in, by whomever; waits until there are n. */
unsigned packets(void);
void arrive(unsigned n);
/* Nothing to do: the thread does not wake up at all. */
void stays_idle(void);

/* What has happened; counted by the thread of the engine, and by others. */
struct fake_counts {
	_Atomic unsigned packets, passes; /* passes: that looked at the socket */
	_Atomic unsigned turns;		  /* passes that did not, too */
};
extern struct fake_counts fake_engine, fake_others;
extern _Atomic pthread_t fake_reader; /* who took in the last packet */
extern _Atomic pthread_t fake_asked;  /* who asked last for our own socket, under the lock */
extern _Atomic unsigned fake_mads, fake_messages, fake_refreshes, fake_flushes;
extern _Atomic unsigned fake_urgent, fake_deferred; /* calls of transport_finish() */
extern _Atomic unsigned fake_forgets;
extern _Atomic int fake_more;	     /* how often transport_finish() says that there is more */
extern _Atomic bool fake_ack_due;    /* each packet makes an acknowledgement due */
extern _Atomic bool fake_frame_late; /* a frame comes in each pass, after the look at memory */
extern _Atomic bool fake_hand_over;  /* the event, if that is possible */
extern int fake_join_errno;	     /* group_join() fails */
/* Each packet puts a completion into it, and signals an event. */
extern struct cq *_Atomic fake_cq;
extern _Atomic int fake_event;

/* To our own socket, to that of all, to the control socket; a change of addresses. */
void fake_send(void);
void fake_send_mad(void);
void fake_send_message(void);
void fake_change_address(void);

#endif
