// SPDX-License-Identifier: MIT
/* A process that forks, and one that ends. */
#include "preload/preload.h"

#include <errno.h>
#include <pthread.h>

#include "completion_queue.h"
#include "conn.h"
#include "context.h"
#include "engine.h"
#include "group.h"
#include "link.h"
#include "mad.h"
#include "order.h"
#include "queue_pair.h"
#include "transport.h"

/* ---------------------------------------------------------------------- fork(2) -- */

/*
 * A child of fork() has the memory and descriptors of the parent, but not its thread. If it kept
 * the slot, the slot would stay taken after the parent has ended, and packets that the child reads
 * would be missing in the parent. So it gives everything up at once, even if it is about to run
 * another program. vfork() and posix_spawn() are not intercepted: exec closes the descriptors.
 */

/* These are the only handlers of fork() in liburoce.so. before_fork() takes some locks;
 * after_fork_in_child() makes the others again, because a thread that the child does not have may
 * hold them. */
static void before_fork(void)
{
	tree_before_fork();
	engine_before_fork();
}

static void after_fork_in_parent(void)
{
	engine_after_fork();
	tree_after_fork();
}

/* The order: locks, which the other functions may take, and memory that the child has not mapped;
 * the owners of timers after the timers; the sockets, which are the parent's, too, before what sets
 * options of them. */
static void after_fork_in_child(void)
{
	engine_forget();
	tree_forget();
	order_forget();
	lent_forget_all();
	cq_forget_all();
	timer_forget();
	cm_forget();
	mcast_forget();
	qp_forget_all();
	device_forget();
	group_forget();
	link_forget();
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int failed;

static void install_handlers(void)
{
	failed = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

int fork_install(void)
{
	pthread_once(&once, install_handlers);
	errno = failed;
	return failed ? -1 : 0;
}

/* ---------------------------------------------------------------------- exit(3) -- */

static void tell_peers(void)
{
	if (group_slot()) {
		conn_farewell();
		transport_release_acks();
		engine_flush();
		engine_last_look();
	}
}

/* If a process ends with connections, the peers are told, as the kernel would do for its devices.
 * A signal handler may have called exit() in the middle of a call: then they find out by
 * themselves. The rest of exit() may take for ever. */
__attribute__((destructor)) static void farewell(void)
{
	if (engine_lock_patiently()) {
		tell_peers();
		engine_unlock();
	}
	group_unlock();
}
