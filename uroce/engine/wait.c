// SPDX-License-Identifier: MIT
/* One thread of the application at a time reads the socket while it waits for its event. */
#include "engine_own.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "group.h"

struct wait {
	int fd;
	bool reader;
	bool handed; /* engine_hand_over() */
	unsigned era;
	bool soon; /* look again before sleeping: acknowledgements wait, or there is more to send */
};

static int awaited = -1; /* by the thread that makes the pass */

bool engine_hand_over(int fd)
{
	if (fd != awaited)
		return false;
	awaited = -1;
	return true;
}

static void begin(struct wait *w)
{
	engine_lock();
	if (progress_running()) {
		if (progress_deferred())
			engine_flush();
		w->era = progress_era();
		w->reader = progress_reader() != READER_WAITER;
		if (w->reader)
			progress_set_reader(READER_WAITER);
	}
	engine_unlock();
}

static void end(void *arg)
{
	struct wait *w = arg;

	if (!w->reader)
		return;
	engine_lock();
	if (w->era == progress_era())
		progress_waited();
	engine_unlock();
}

/* Packets have come, or fd was not readable after those that had. Acknowledgements wait for
 * the application only if it is about to come back. */
static void pass(struct wait *w, short revents)
{
	engine_lock();
	if (w->era != progress_era() || revents & POLLNVAL) { /* the descriptor is not ours now */
		w->soon = false;
		engine_unlock();
		end(w);
		w->reader = false;
		return;
	}
	awaited = w->fd;
	w->soon = progress_pass(true, revents == 0) || progress_deferred();
	w->handed = awaited < 0;
	awaited = -1;
	engine_unlock();
}

/* poll(2) is never begun anew after a signal, as read(2) is when the handler says so. */
static bool interrupted(void)
{
	for (int sig = 1; sig < NSIG; sig++) {
		struct sigaction sa;

		if (sigaction(sig, NULL, &sa) == 0 &&
		    (sa.sa_flags & SA_SIGINFO ||
		     (sa.sa_handler != SIG_DFL && sa.sa_handler != SIG_IGN)) &&
		    !(sa.sa_flags & SA_RESTART))
			return true;
	}
	return false;
}

static int wait_for(struct wait *w)
{
	while (!w->handed) {
		struct pollfd p[2] = {
			{ .fd = w->fd, .events = POLLIN },
			{ .fd = w->reader ? group_fd() : -1, .events = POLLIN },
		};
		int n = poll(p, 2, w->soon ? 0 : -1);

		if (n < 0 && (errno != EINTR || interrupted()))
			return -1;
		if (n > 0 && p[0].revents)
			return 0;
		if (n >= 0 && w->reader)
			pass(w, p[1].revents);
	}
	return 1;
}

int engine_wait_fd(int fd)
{
	struct wait w = { .fd = fd };
	int ret, err;

	begin(&w);
	pthread_cleanup_push(end, &w);
	ret = wait_for(&w);
	err = errno;
	pthread_cleanup_pop(1);
	errno = err;
	return ret;
}
