/* SPDX-License-Identifier: MIT */
/* Shared by the files of engine/. */
#ifndef UROCE_ENGINE_OWN_H
#define UROCE_ENGINE_OWN_H

#include "engine.h"
#include "link.h"

/* The thread that takes packets from our socket. */
enum reader {
	READER_THREAD,
	READER_POLLERS, /* threads of the program, in ibv_poll_cq() */
	READER_WAITER,	/* one application in engine_wait_fd() */
};

/* ------------------------------------------------------------------ thread.c -- */

/* 0, or -1 with errno. */
int thread_start(void);
void thread_stop(void);
void thread_forget(void);
bool thread_runs(void);
/* Which bring-up this is: a wait may outlast one. */
unsigned thread_era(void);
/* The thread will make a turn at that time, if not before. */
void thread_wake_at(uint64_t when);
/* Do packets, on the socket and through memory, wake it? */
void thread_watch_packets(bool on);

/* ---------------------------------------------------------------- progress.c -- */

/* Nobody reads yet; the thread is about to begin. */
void progress_reset(void);
void progress_begin(bool may_look_on);

/* The thread that began to wait last is the reader: others may wait for events that seldom come.
 * Returns whether another pass is due. */
bool progress_begin_wait(const void *who);
bool progress_reads(const void *who);
bool progress_has_waiter(void); /* is one of those the reader? */
void progress_end_wait(const void *who);

/* A pass of one that waits: takes packets in and acknowledges them. spins: another pass follows at
 * once, and nobody needs to wake it. Returns whether there is more to be done. */
bool progress_pass(enum rx_socket socket, bool spins);
/* A pass of one that has polled an empty queue: how many packets came. */
unsigned progress_poll(struct cq *cq);

/* A turn of the engine's thread: what is queued after its begin leaves at its end. Returns whether
 * another turn follows at once, after the thread has given way to others. */
void progress_begin_turn(void);
bool progress_turn(enum rx_socket socket);
/* Others took the processor when the thread gave way: it does not look on for a while. */
void progress_rest(void);

#endif
