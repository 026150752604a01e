/* SPDX-License-Identifier: MIT */
/*
 * The device of this process is brought up and down; its lock and its clock; threads of the program
 * that wait for an event.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "completion_queue.h"
#include "engine_own.h"
#include "gid.h"
#include "group.h"
#include "engine.h"
#include "link.h"
#include "pair.h"
#include "preload/preload.h"

#define LAST_MADS 64 /* portions of them that are handed on at the end */

/* Of bringing up and down, which takes time; the engine's lock is taken within it. */
static pthread_mutex_t setup = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static char reason[600];

static void set_reason(const char *what)
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

static void leave_group(void)
{
	engine_lock();
	engine_last_look();
	group_leave();
	engine_unlock();
}

static int bring_up(void)
{
	int err;

	reason[0] = '\0';
	if (guard_install() != 0 || fork_install() != 0) {
		set_reason("cannot prepare for faults and fork()");
		return -1;
	}
	if (group_join(reason, sizeof(reason)) != 0) {
		set_reason("cannot share UDP port 4791");
		return -1;
	}
	if (reason[0]) {
		fprintf(stderr, "uroce: %s\n", reason);
		reason[0] = '\0';
	}
	if (setup_link() == 0 && thread_start() == 0)
		return 0;
	err = errno;
	set_reason("cannot start the thread of uroce0");
	leave_group();
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
		thread_stop();
		leave_group();
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
	forking[0] = lock_patiently(&setup);
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
	thread_forget();
	users = 0;
	reason[0] = '\0';
}

/* ---------------------------------------------- polling: engine_poll_empty() -- */

#define GIVE_WAY 100 /* polls in vain before others get the processor: some 10 us */

/* How often this thread has polled and found nothing since it slept or found something. */
static __thread unsigned in_vain __attribute__((tls_model("initial-exec")));

/* The peer may be waiting for this processor. */
static void give_way(unsigned packets)
{
	if (packets) {
		in_vain = 0;
	} else if (++in_vain > GIVE_WAY) {
		sched_yield();
		in_vain = 0;
	}
}

void engine_poll_empty(struct cq *cq)
{
	unsigned n = 0;

	if (cq_is_armed(cq))
		engine_armed();
	/* a thread that holds the lock makes progress, and one that waits is next */
	if (!engine_contended() && engine_trylock()) {
		n = progress_poll(cq);
		engine_unlock();
	}
	give_way(n);
}

/* --------------------------------------------- waiting: engine_wait_fd() -- */

/* One thread of the program at a time reads the socket while it waits for its event. */

struct socket_wait {
	int socket; /* that we read, or have read; -1: not */
	int bell;   /* the same of memory: pair.h */
	unsigned era;
	bool soon; /* look again before sleeping: there is more to send */
	int fd;
	bool handed; /* an event, by engine_hand_over() */
};

static struct socket_wait *passing; /* the one that makes a pass */

static void begin_wait(struct socket_wait *w)
{
	in_vain = 0;
	engine_lock();
	if (thread_runs()) {
		w->era = thread_era();
		w->soon = progress_begin_wait(w);
		w->socket = group_fd();
		w->bell = pair_bell_fd();
	}
	engine_unlock();
}

static void end_wait(void *arg)
{
	struct socket_wait *w = arg;

	engine_lock();
	if (thread_runs() && w->era == thread_era())
		progress_end_wait(w);
	engine_unlock();
}

/* Packets have come, or fd was not readable after those that had. They are acknowledged before
 * the application sees them: the peer, which sleeps too, wakes while the answer is made. */
static void pass_as_waiter(struct socket_wait *w, short socket, short bell)
{
	engine_lock();
	w->soon = false;
	if (w->era != thread_era() || !progress_reads(w)) {
		w->socket = w->bell = -1; /* somebody else reads them */
	} else if ((socket | bell) & POLLNVAL) {
		w->socket = w->bell = -1; /* the program has closed it */
		progress_end_wait(w);
	} else {
		passing = w;
		if (bell)
			pair_answer_bell();
		w->soon = progress_pass(socket ? RX_READY : RX_EMPTY, false);
		passing = NULL;
	}
	engine_unlock();
}

/* To fall asleep and be woken takes some 20 us of each side. So one that waits spins for a while
 * first. After it has spun in vain, it does not for 2, 4, 8 ... 256 waits. */
#define SPIN_NS	  50000u
#define SPIN_FD	  16 /* passes between two looks whether somebody else has seen to the event */
#define VAIN_MOST 8

static __thread struct {
	unsigned vain, skip;
} spun __attribute__((tls_model("initial-exec")));

static bool is_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* The last pass asks to be woken. */
static void spin(struct socket_wait *w)
{
	uint64_t until = engine_clock() + SPIN_NS;
	bool again = true;

	for (unsigned i = 1; again && !w->handed; i++) {
		bool over = i % SPIN_FD == 0 && is_readable(w->fd);

		engine_lock();
		again = w->era == thread_era() && progress_reads(w);
		if (again) {
			again = !over && engine_now() < until && !engine_contended();
			passing = w;
			w->soon = progress_pass(RX_MAYBE, again);
			passing = NULL;
		}
		engine_unlock();
	}
}

static void spin_before_sleeping(struct socket_wait *w)
{
	if (w->bell < 0)
		return;
	if (spun.skip) {
		spun.skip--;
		return;
	}
	spin(w);
	spun.vain = w->handed ? 0 : spun.vain + (spun.vain < VAIN_MOST);
	spun.skip = w->handed ? 0 : 1u << spun.vain;
}

bool engine_hand_over(int fd)
{
	if (!passing || passing->fd != fd || passing->handed)
		return false;
	passing->handed = true;
	return true;
}

static bool restarts(int sig)
{
	struct sigaction sa;

	switch (sig) {
	case SIGSEGV: /* these have handlers of other kinds: ours, those of sanitizers */
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGTRAP:
	case SIGABRT:
		return true;
	}
	if (sigaction(sig, NULL, &sa) != 0 || sa.sa_flags & SA_RESTART)
		return true;
	return !(sa.sa_flags & SA_SIGINFO) &&
	       (sa.sa_handler == SIG_DFL || sa.sa_handler == SIG_IGN);
}

/* poll(2) is never restarted after a signal, while read(2) is if its handler has SA_RESTART. Which
 * signal came is unknown here: it counts as one that restarts only if all handlers say so. */
static bool interrupted(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		if (!restarts(sig))
			return true;
	return false;
}

static int wait_for(struct socket_wait *w)
{
	spin_before_sleeping(w);
	while (!w->handed) {
		struct pollfd p[3] = {
			{ .fd = w->fd, .events = POLLIN },
			{ .fd = w->socket, .events = POLLIN },
			{ .fd = w->bell, .events = POLLIN },
		};
		int n = poll(p, 3, w->soon ? 0 : -1);

		if (n < 0 && (errno != EINTR || interrupted()))
			return -1;
		if (n > 0 && p[0].revents)
			return 0;
		if (n >= 0 && w->socket >= 0)
			pass_as_waiter(w, p[1].revents, p[2].revents);
	}
	return 1;
}

int engine_wait_fd(int fd)
{
	struct socket_wait w = { .socket = -1, .bell = -1, .fd = fd };
	int ret, err;

	begin_wait(&w);
	pthread_cleanup_push(end_wait, &w);
	ret = wait_for(&w);
	err = errno;
	pthread_cleanup_pop(1);
	errno = err;
	return ret;
}
