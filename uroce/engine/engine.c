// SPDX-License-Identifier: MIT
#include "engine_own.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "direct.h"
#include "gid.h"
#include "group.h"
#include "guard.h"
#include "preload/fork.h"
#include "link.h"
#include "timer.h"

#define LAST_MADS 64 /* portions of them that are handed on at the end */

/* Of bringing up and down, which takes time; the engine's lock is taken within it. */
static pthread_mutex_t setup = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static char reason[600];

static void explain(const char *what)
{
	if (!reason[0])
		snprintf(reason, sizeof(reason), "%s: %s", what, strerror(errno));
}

/* The table of addresses, and what the environment asks for. */
static int setup_link(void)
{
	int ret;

	engine_lock();
	gid_refresh();
	direct_start();
	ret = link_setup(reason, sizeof(reason));
	engine_unlock();
	return ret;
}

/* MADs come by a socket that all processes share, and the kernel wakes one of them: it may
 * have been us, who will not look again. */
void engine_last_look(void)
{
	unsigned n = 0;

	while (rx_mads() && n < LAST_MADS)
		n++;
	engine_flush();
}

static void leave(void)
{
	engine_lock();
	engine_last_look();
	group_leave();
	direct_stop();
	engine_unlock();
}

static int bring_up(void)
{
	int err;

	reason[0] = '\0';
	if (guard_install() != 0 || fork_install() != 0) {
		explain("cannot prepare for faults and fork()");
		return -1;
	}
	if (group_join(reason, sizeof(reason)) != 0) {
		explain("cannot share UDP port 4791");
		return -1;
	}
	if (reason[0]) {
		fprintf(stderr, "uroce: %s\n", reason);
		reason[0] = '\0';
	}
	if (setup_link() == 0 && progress_start() == 0)
		return 0;
	err = errno;
	explain("cannot start the thread of uroce0");
	leave();
	errno = err;
	return -1;
}

static int lock_setup(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&setup);
	return state;
}

static void unlock_setup(int state)
{
	pthread_mutex_unlock(&setup);
	pthread_setcancelstate(state, NULL);
}

int engine_get(void)
{
	int state = lock_setup(), ret = users ? 0 : bring_up(), err = errno;

	if (ret == 0)
		users++;
	unlock_setup(state);
	errno = err;
	return ret;
}

void engine_put(void)
{
	int state = lock_setup();

	if (users && --users == 0) {
		progress_stop();
		leave();
	}
	unlock_setup(state);
}

const char *engine_reason(void)
{
	return reason;
}

static __thread bool forking[2]; /* this thread has setup, and the lock */

void engine_before_fork(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	forking[0] = pthread_mutex_timedlock(&setup, &until) == 0;
	forking[1] = engine_lock_patiently();
}

void engine_after_fork(void)
{
	if (forking[1])
		engine_unlock();
	if (forking[0])
		pthread_mutex_unlock(&setup);
}

void engine_forget(void)
{
	engine_after_fork(); /* what this thread took: it may be cancelled again */
	pthread_mutex_init(&setup, NULL);
	lock_forget();
	progress_forget();
	users = 0;
	reason[0] = '\0';
}
