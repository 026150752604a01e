// SPDX-License-Identifier: MIT
/*
 * The child has the parent's memory and descriptors, but not its thread. A slot that it kept
 * would stay taken when the parent ends, and what it read would be missing there: so it lets
 * go of everything at once, also when it is about to run another program. vfork() and
 * posix_spawn() do not come here, and need not: descriptors are closed by exec.
 */
#include "preload/preload.h"

#include <errno.h>
#include <pthread.h>

#include "mad.h"
#include "context.h"
#include "completion_queue.h"
#include "direct.h"
#include "engine.h"
#include "group.h"
#include "queue_pair.h"
#include "link.h"
#include "timer.h"

/* The only place of liburoce.so that fork() comes to. Every lock that is not taken here, in
 * before(), is made anew in forget(): a thread that the child does not have may hold it. */
static void before(void)
{
	tree_before_fork();
	engine_before_fork();
}

static void after(void)
{
	engine_after_fork();
	tree_after_fork();
}

/* Locks first: the others may take them; and what the child does not have mapped. Then the timers,
 * whose owners go. Sockets last. */
static void forget(void)
{
	engine_forget();
	direct_forget();
	tree_forget();
	cq_forget_all();
	timer_forget();
	cm_forget();
	mcast_forget();
	qp_forget_all();
	device_forget();
	link_forget();
	group_forget();
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int failed;

static void install(void)
{
	failed = pthread_atfork(before, after, forget);
}

int fork_install(void)
{
	pthread_once(&once, install);
	errno = failed;
	return failed ? -1 : 0;
}
