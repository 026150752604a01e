// SPDX-License-Identifier: MIT
/* One thread of the application at a time reads the socket while it waits for its event. */
#include "engine_own.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "group.h"
#include "pair.h"

struct wait {
	int socket; /* that we read, or have read; -1: not */
	int bell;   /* the same of memory: pair.h */
	unsigned era;
	bool soon; /* look again before sleeping: there is more to send */
	int fd;
	bool handed; /* an event, by engine_hand_over() */
};

static struct wait *passing; /* the one that makes a pass */

static void begin(struct wait *w)
{
	engine_lock();
	if (progress_running()) {
		if (progress_deferred())
			engine_flush();
		w->era = progress_era();
		progress_begin_wait(w);
		w->socket = group_fd();
		w->bell = pair_bell_fd();
		w->soon = progress_more();
	}
	engine_unlock();
}

static void end(void *arg)
{
	struct wait *w = arg;

	engine_lock();
	if (progress_running() && w->era == progress_era())
		progress_end_wait(w);
	engine_unlock();
}

/* Packets have come, or fd was not readable after those that had. They are acknowledged before
 * the application sees them: the peer, which sleeps too, wakes while the answer is made. */
static void pass(struct wait *w, short socket, short bell)
{
	engine_lock();
	w->soon = false;
	if (w->era != progress_era() || !progress_reads(w)) {
		w->socket = w->bell = -1; /* somebody else reads them */
	} else if ((socket | bell) & POLLNVAL) {
		w->socket = w->bell = -1; /* the program has closed it */
		progress_end_wait(w);
	} else {
		passing = w;
		if (bell)
			pair_answer_bell();
		w->soon = progress_pass(socket ? RX_READY : RX_EMPTY);
		passing = NULL;
	}
	engine_unlock();
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

/* poll(2) is never begun anew after a signal, as read(2) is when the handler says so. Which
 * signal it was is not told: if all handlers say so, then its too. */
static bool interrupted(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		if (!restarts(sig))
			return true;
	return false;
}

static int wait_for(struct wait *w)
{
	for (;;) {
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
			pass(w, p[1].revents, p[2].revents);
		if (w->handed)
			return 1;
	}
}

int engine_wait_fd(int fd)
{
	struct wait w = { .socket = -1, .bell = -1, .fd = fd };
	int ret, err;

	begin(&w);
	pthread_cleanup_push(end, &w);
	ret = wait_for(&w);
	err = errno;
	pthread_cleanup_pop(1);
	errno = err;
	return ret;
}
