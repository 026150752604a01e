/* SPDX-License-Identifier: MIT */
/* In place of what the engine drives: packets are datagrams on a socket of their own. */
#ifndef UROCE_TESTS_FAKE_DEVICE_H
#define UROCE_TESTS_FAKE_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "completion_queue.h"

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
extern _Atomic int fake_more;	    /* how often transport_finish() says that there is more */
extern _Atomic bool fake_ack_due;   /* each packet makes an acknowledgement due */
extern _Atomic bool fake_hand_over; /* the event, if that is possible */
extern int fake_join_errno;	    /* group_join() fails */
/* Each packet puts a completion into it, and signals an event. */
extern struct cq *_Atomic fake_cq;
extern _Atomic int fake_event;

/* To our own socket, to that of all, to the control socket; a change of addresses. */
void fake_send(void);
void fake_send_mad(void);
void fake_send_message(void);
void fake_change_address(void);

#endif
