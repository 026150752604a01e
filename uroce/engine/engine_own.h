/* SPDX-License-Identifier: MIT */
/* What the files of engine/ share. */
#ifndef UROCE_ENGINE_OWN_H
#define UROCE_ENGINE_OWN_H

#include "engine.h"

#define MS UINT64_C(1000000) /* ns */

/* Who takes packets from our socket. */
enum reader {
	READER_THREAD,
	READER_POLLERS, /* applications in ibv_poll_cq(): the thread is parked */
	READER_WAITER,	/* one application in engine_wait_fd() */
};

/* lock.c */
bool engine_trylock(void);
bool engine_contended(void); /* somebody waits for the lock */
void engine_refresh_now(void);
/* Around fork(): tries for a second, since a program may fork where it has crashed. */
bool lock_before_fork(void);
void lock_after_fork(void);
void lock_forget(void);

/* progress.c: 0, or -1 with errno. */
int progress_start(void);
void progress_stop(void);
void progress_forget(void);
bool progress_running(void);
/* Which bring-up this is: a wait may outlast one. */
unsigned progress_era(void);
enum reader progress_reader(void);
void progress_set_reader(enum reader reader);
/* The reader has what it waited for: it is likely to come back soon. */
void progress_waited(void);

/* A pass; read: takes packets in; urgent: acknowledgements leave with it. Returns whether
 * there is more to send. */
bool progress_pass(bool read, bool urgent);
/* Acknowledgements are waiting. */
bool progress_deferred(void);

#endif
