/* SPDX-License-Identifier: MIT */
/* What the files of engine/ share. */
#ifndef UROCE_ENGINE_OWN_H
#define UROCE_ENGINE_OWN_H

#include "engine.h"
#include "link.h"

#define MS UINT64_C(1000000) /* ns */

/* Who takes packets from our socket. */
enum reader {
	READER_THREAD,
	READER_POLLERS, /* applications in ibv_poll_cq(): the thread is parked */
	READER_WAITER,	/* one application in engine_wait_fd() */
};

/* engine.c */
bool engine_contended(void); /* somebody waits for the lock */
void lock_forget(void);

/* progress.c: 0, or -1 with errno. */
int progress_start(void);
void progress_stop(void);
void progress_forget(void);
bool progress_running(void);
/* Which bring-up this is: a wait may outlast one. */
unsigned progress_era(void);
/* The thread that began to wait last is the reader: others may wait for events that seldom come. */
void progress_begin_wait(const void *who);
bool progress_reads(const void *who);
void progress_end_wait(const void *who);

/* A pass of one that waits: takes packets in and acknowledges them. spins: another pass follows at
 * once, and nobody needs to wake it. Returns whether there is more to be done. */
bool progress_pass(enum rx_socket socket, bool spins);
/* A pass of one that has polled an empty queue: how many packets came. */
unsigned progress_poll(struct cq *cq);
/* Another pass is due. */
bool progress_more(void);

#endif
