// SPDX-License-Identifier: MIT
/* A process that forks, and one that ends. */
#include "preload/preload.h"

#include <errno.h>
#include <pthread.h>

#include "completion_queue.h"
#include "conn.h"
#include "context.h"
#include "direct.h"
#include "engine.h"
#include "group.h"
#include "link.h"
#include "mad.h"
#include "queue_pair.h"
#include "timer.h"

/* ---------------------------------------------------------------------- fork(2) -- */

/*
 * The child has the parent's memory and descriptors, but not its thread. A slot that it kept
 * would stay taken when the parent ends, and what it read would be missing there: so it lets
 * go of everything at once, also when it is about to run another program. vfork() and
 * posix_spawn() do not come here, and need not: descriptors are closed by exec.
 */

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

/* ---------------------------------------------------------------------- exit(3) -- */

/* A process ends with connections: the peers are told, as the kernel would do in its place.
 * exit() may have been called by the handler of a signal, in the middle of a call. */
__attribute__((destructor)) static void farewell(void)
{
	if (!engine_lock_patiently())
		return;
	if (group_slot()) {
		conn_farewell();
		engine_flush(); /* acknowledgements that were put off, too */
		engine_last_look();
	}
	engine_unlock();
}
