// SPDX-License-Identifier: MIT
/*
 * The engine's thread: the descriptors that wake it, and its timer.
 *
 * It sleeps in epoll_wait() without a timeout. A timer of the kernel is set to the next moment at
 * which something is to be done. Whoever learns of an earlier moment sets the timer: that costs
 * less than waking the thread.
 */
#include "engine_own.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "gid.h"
#include "group.h"
#include "own_fd.h"
#include "pair.h"

#define GLANCE	  16 /* one of so many passes in a row looks at the descriptors */
#define NEVER	  UINT64_MAX
#define PREEMPTED (MS / 5) /* somebody else has had the processor for so long; ticks take less */

enum source { SOCKET, BELL, GSI, CONTROL, ADDRESSES, TIMER, SOURCES };

static struct {
	bool running, stop;
	bool watches_packets; /* socket and bell */
	unsigned era;
	pthread_t thread;
	int epoll, timer, addresses;
	int socket, bell;   /* of the group and of the pairs, from when the thread was started */
	uint64_t timer_set; /* to when */
} t = { .epoll = -1, .timer = -1, .addresses = -1, .socket = -1, .bell = -1, .timer_set = NEVER };

/* Is it set? The program may have closed it: own_fd.h. */
static bool set_timer(uint64_t when)
{
	struct itimerspec its = {
		.it_value.tv_sec = (time_t)(when / 1000000000),
		.it_value.tv_nsec = (long)(when % 1000000000) + (when == 0),
	};

	t.timer_set = when;
	return fd_is_marked(t.timer) &&
	       timerfd_settime(t.timer, TFD_TIMER_ABSTIME, &its, NULL) == 0;
}

void thread_wake_at(uint64_t when)
{
	if (t.running && when < t.timer_set)
		set_timer(when);
}

static int watch(int fd, enum source source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.u32 = source };

	return fd < 0 ? 0 : epoll_ctl(t.epoll, EPOLL_CTL_ADD, fd, &event);
}

static void unwatch(int fd)
{
	if (fd >= 0)
		epoll_ctl(t.epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* They are removed, because with an empty event mask the kernel would still run the wait queue's
 * callback for every packet. */
void thread_watch_packets(bool on)
{
	if (!t.running || on == t.watches_packets || !fd_is_marked(t.epoll))
		return;
	t.watches_packets = on;
	if (on) {
		watch(t.socket, SOCKET, EPOLLIN);
		watch(t.bell, BELL, EPOLLIN);
	} else {
		unwatch(t.socket);
		unwatch(t.bell);
	}
}

/* Returns whether the socket has packets. */
static bool serve(const struct epoll_event *events, int n)
{
	bool packets = false;

	for (int i = 0; i < n; i++)
		switch ((enum source)events[i].data.u32) {
		case SOCKET:
			packets = true;
			break;
		case BELL:
			if (!progress_has_waiter()) /* else it is rung for that thread by now */
				pair_answer_bell();
			break;
		case GSI:
			rx_mads();
			break;
		case CONTROL:
			group_serve();
			break;
		case ADDRESSES:
			if (fd_is_marked(t.addresses))
				gid_addrs_seen(t.addresses);
			gid_refresh();
			break;
		default:
			break;
		}
	return packets;
}

/* Lets others run, without the lock. Returns whether they took the processor. */
static bool give_way(void)
{
	const uint64_t before = engine_clock();

	sched_yield();
	return engine_clock() - before >= PREEMPTED;
}

static void *engine_main(void *arg)
{
	struct epoll_event events[SOURCES];
	bool again = false, preempted = false;

	pthread_setname_np(pthread_self(), "uroce");
	for (unsigned i = 0;; i++) {
		bool asked = !again || i % GLANCE == 0, packets;
		bool is_closed = asked && !fd_is_marked(t.epoll); /* by the program */
		int n = asked && !is_closed ? epoll_wait(t.epoll, events, SOURCES, again ? 0 : -1)
					    : 0;

		engine_lock();
		if (t.stop || is_closed || (n < 0 && errno != EINTR))
			break;
		if (preempted)
			progress_rest();
		progress_begin_turn();
		packets = serve(events, n);
		if (t.timer_set <= engine_now()) /* it has run out */
			t.timer_set = NEVER;
		again = progress_turn(packets ? RX_READY : asked ? RX_EMPTY : RX_MAYBE);
		engine_unlock();
		preempted = again && give_way();
	}
	engine_unlock();
	return arg;
}

/* Has the calling thread a real-time priority? The engine's thread gets its policy. */
static bool is_real_time(int *policy, struct sched_param *param)
{
	return pthread_getschedparam(pthread_self(), policy, param) == 0 &&
	       (*policy == SCHED_FIFO || *policy == SCHED_RR);
}

/* A program with a real-time priority that looks at its memory never gives way to a thread of the
 * same priority: the device's has the next higher one. */
static bool raise_priority(pthread_attr_t *attr)
{
	struct sched_param param;
	int policy;

	if (!is_real_time(&policy, &param))
		return false;
	param.sched_priority++;
	return pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED) == 0 &&
	       pthread_attr_setschedpolicy(attr, policy) == 0 &&
	       pthread_attr_setschedparam(attr, &param) == 0;
}

/* The signals are the application's; faults are met where they happen (guard.c). */
static int start_thread(void)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };
	sigset_t mask, before;
	pthread_attr_t attr;
	int err;

	sigfillset(&mask);
	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&mask, faults[i]);
	if ((errno = pthread_attr_init(&attr)) != 0)
		return -1;
	pthread_sigmask(SIG_SETMASK, &mask, &before);
	err = raise_priority(&attr) ? pthread_create(&t.thread, &attr, engine_main, NULL) : -1;
	if (err) /* or RLIMIT_RTPRIO does not allow it */
		err = pthread_create(&t.thread, NULL, engine_main, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	errno = err;
	return err ? -1 : 0;
}

static int open_all(void)
{
	t.epoll = fd_mark(epoll_create1(EPOLL_CLOEXEC));
	t.timer = fd_mark(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
	t.watches_packets = true;
	t.socket = group_fd();
	t.bell = pair_bell_fd();
	if (t.epoll < 0 || t.timer < 0 || watch(t.socket, SOCKET, EPOLLIN) != 0 ||
	    watch(t.bell, BELL, EPOLLIN) != 0 ||
	    watch(group_gsi_fd(), GSI, EPOLLIN | EPOLLEXCLUSIVE) != 0 ||
	    watch(group_control_fd(), CONTROL, EPOLLIN) != 0 ||
	    /* its count is not read: only that it ran out */
	    watch(t.timer, TIMER, EPOLLIN | EPOLLET) != 0)
		return -1;
	t.addresses = fd_mark(gid_addrs_watch()); /* without it the table stays as it is now */
	return watch(t.addresses, ADDRESSES, EPOLLIN);
}

static void close_all(void)
{
	int *const fds[] = { &t.epoll, &t.timer, &t.addresses };

	for (unsigned i = 0; i < sizeof fds / sizeof *fds; i++) {
		if (fd_is_marked(*fds[i]))
			close(*fds[i]);
		*fds[i] = -1;
	}
}

/* A new era: nobody waits or spins. */
static void begin_era(void)
{
	t.era++;
	progress_reset();
}

int thread_start(void)
{
	struct sched_param param;
	int ret, err, policy;

	engine_lock();
	begin_era();
	t.stop = false;
	t.timer_set = NEVER;
	t.running = true;
	ret = open_all();
	if (ret == 0) {
		progress_begin(!is_real_time(&policy, &param)); /* giving way would let nobody in */
		ret = start_thread();
	}
	err = errno;
	if (ret != 0) {
		t.running = false;
		close_all();
	}
	engine_unlock();
	errno = err;
	return ret;
}

void thread_stop(void)
{
	bool is_woken;

	engine_lock();
	engine_flush();
	t.stop = true;
	is_woken = set_timer(0);
	t.running = false;
	begin_era();
	engine_unlock();
	if (is_woken)
		pthread_join(t.thread, NULL);
	else
		pthread_detach(t.thread); /* its descriptors are gone: it may sleep for ever */
	close_all();
}

void thread_forget(void)
{
	close_all();
	t.running = false;
	begin_era();
}

bool thread_runs(void)
{
	return t.running;
}

unsigned thread_era(void)
{
	return t.era;
}
