// SPDX-License-Identifier: MIT
/*
 * The thread sleeps in epoll_wait() without an end. A timer of the kernel is set to the next
 * moment at which something is to be done, by whoever knows of an earlier one: that costs
 * less than waking the thread, and wakes nobody.
 */
#include "engine_own.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "addrs.h"
#include "cq.h"
#include "gid.h"
#include "group.h"
#include "pair.h"
#include "rx.h"
#include "timer.h"
#include "transport.h"
#include "tx.h"

#define BATCH	     32	       /* packets of a pass */
#define TICK	     MS	       /* without a poll: the application does not poll any more */
#define POLL_GAP     (MS / 10) /* who polls twice in it is polling all the time */
#define WAIT_GAP     MS	       /* who waits twice in it waits often */
#define MEMORY_POLLS (10 * MS) /* after a peer has written to our memory */
#define SOON	     4000      /* ns: too short for a packet that it waits for in memory */
#define PATIENCE     16
#define PATIENCE_MAX 4096
#define HERE	     8	/* passes after a post to ourselves */
#define POLLS_YIELD  20 /* empty polls before others get the processor */
#define NICER	     10
#define NEVER	     UINT64_MAX

enum source { OWN, BELL, GSI, CONTROL, ADDRESSES, TIMER, SOURCES };

static struct {
	bool running, stop;
	unsigned era;
	pthread_t thread;
	int epoll, timer, addresses;
	uint64_t timer_set; /* to when */
	enum reader reader;
	const void *waiter;    /* who reads, with READER_WAITER */
	pthread_t last_waiter; /* who has stopped waiting, at last_wait */
	bool in_pass;
	bool more;		 /* to be sent: another pass is due */
	uint64_t deferred_until; /* acknowledgements: NEVER: none */
	uint64_t last_remote, last_empty, last_wait, tick;
	/* of an application whose memory peers write to: does it come back at once? */
	uint64_t gave;		  /* when the socket was last given back to the thread; 0: never */
	bool hurries;		  /* the thread has more weight than it began with */
	int nice;		  /* that it began with */
	uint64_t left;		  /* the socket was given back then, and it has not; 0: it has */
	unsigned quick, patience; /* how often in a row, and how often until we believe it */
} e = {
	.epoll = -1,
	.timer = -1,
	.addresses = -1,
	.timer_set = NEVER,
	.deferred_until = NEVER,
	.patience = PATIENCE,
};

_Atomic bool engine_parked, engine_parked_shared;

/* ---------------------------------------------------------------------- waking -- */

static void set_timer(uint64_t when)
{
	struct itimerspec its = {
		.it_value.tv_sec = (time_t)(when / 1000000000),
		.it_value.tv_nsec = (long)(when % 1000000000) + (when == 0),
	};

	timerfd_settime(e.timer, TFD_TIMER_ABSTIME, &its, NULL);
	e.timer_set = when;
}

static void wake_at(uint64_t when)
{
	if (when < e.timer_set)
		set_timer(when);
}

/* While the application polls it runs the timers itself. */
static uint64_t next_moment(void)
{
	uint64_t next = e.deferred_until;

	if ((e.reader == READER_POLLERS || e.reader == READER_LINGER) && e.tick < next)
		next = e.tick;
	if (e.reader == READER_POLLERS)
		return next;
	if (e.more)
		return 0;
	return timer_next() < next ? timer_next() : next;
}

/* ---------------------------------------------------------------------- passes -- */

/* One that posts and polls all the time keeps the socket in between. */
static void came_back(void)
{
	if (!e.left || e.quick >= e.patience)
		return;
	e.quick = engine_now() - e.left < SOON ? e.quick + 1 : 0;
	e.left = 0;
}

/* It did not come back, and packets have waited: we were wrong. */
static void stayed_away(void)
{
	e.quick = 0;
	if (e.patience < PATIENCE_MAX)
		e.patience *= 2;
}

/* Who sleeps is woken by the bell; who polls looks by himself. */
static void await_bell(void)
{
	if (e.reader == READER_POLLERS || e.reader == READER_LINGER)
		pair_wake();
	else if (!pair_sleep())
		e.more = true;
}

/* When a pass has filled the queue that is polled, acknowledgements wait, but not for long: the
 * application is about to answer, and they go in one call with the answer, before it. */
static unsigned pass(bool read, bool urgent, struct cq *polled)
{
	bool had_waited = progress_deferred();
	unsigned n = 0;

	e.in_pass = true;
	if (read) {
		pair_wake();
		n = rx_packets(BATCH, !polled);
	}
	timer_run(engine_now());
	e.deferred_until = NEVER;
	e.more = transport_finish(urgent || had_waited || (polled && cq_empty(polled)));
	tx_flush();
	e.in_pass = false;
	if (read)
		await_bell();
	return n;
}

bool progress_pass(void)
{
	pass(true, true, NULL);
	wake_at(next_moment());
	return e.more;
}

void engine_flush(void)
{
	if (e.in_pass)
		return;
	came_back();
	e.deferred_until = NEVER;
	e.more = transport_finish(true);
	tx_flush();
	if (e.running)
		wake_at(next_moment());
}

void engine_defer(void)
{
	if (e.deferred_until == NEVER)
		e.deferred_until = engine_now() + MS;
}

bool progress_more(void)
{
	return e.more;
}

bool progress_deferred(void)
{
	return e.deferred_until != NEVER;
}

/* -------------------------------------------------------------- who reads packets -- */

struct wake_by {
	int epoll, socket, bell;
};

static struct wake_by wake_by(void)
{
	return (struct wake_by){ e.epoll, group_fd(), pair_bell_fd() };
}

static void watch_all(const struct wake_by *w)
{
	struct epoll_event own = { .events = EPOLLIN, .data.u32 = OWN };
	struct epoll_event bell = { .events = EPOLLIN, .data.u32 = BELL };

	epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->socket, &own);
	if (w->bell >= 0)
		epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->bell, &bell);
}

/* Not only without events: then each packet would still look whether it is waited for. */
static void watch_own(bool on)
{
	struct wake_by w = wake_by();

	if (on) {
		watch_all(&w);
		return;
	}
	epoll_ctl(w.epoll, EPOLL_CTL_DEL, w.socket, NULL);
	if (w.bell >= 0)
		epoll_ctl(w.epoll, EPOLL_CTL_DEL, w.bell, NULL);
}

static void share(void)
{
	bool parked = e.reader == READER_POLLERS;

	atomic_store_explicit(&engine_parked, parked, memory_order_relaxed);
	atomic_store_explicit(&engine_parked_shared,
			      parked && e.quick < e.patience &&
				      e.last_remote + MEMORY_POLLS > engine_now(),
			      memory_order_relaxed);
}

static void become(enum reader reader)
{
	e.reader = reader;
	await_bell();
	share();
	wake_at(next_moment());
}

static void set_reader(enum reader reader)
{
	if ((e.reader == READER_THREAD) != (reader == READER_THREAD))
		watch_own(reader == READER_THREAD);
	become(reader);
}

/* As long as the application comes back within a tick: each time it does so it puts the timer
 * off, which wakes the thread only when it has not. */
static void leave_to_application(enum reader reader)
{
	uint64_t now = engine_now();
	bool renew = e.tick <= now + TICK / 2;

	if (renew)
		e.tick = now + TICK;
	if (e.reader != reader)
		set_reader(reader);
	if (renew) {
		share();
		set_timer(next_moment());
	}
}

void engine_remote_access(void)
{
	e.last_remote = engine_now();
	if (e.reader == READER_POLLERS)
		share();
	else if (e.reader == READER_LINGER)
		set_reader(READER_THREAD);
}

/* Since something came in, or the thread slept. */
static __thread unsigned empty_polls __attribute__((tls_model("initial-exec")));

void progress_begin_wait(const void *who)
{
	empty_polls = 0;
	e.waiter = who;
	if (e.reader != READER_WAITER)
		set_reader(READER_WAITER);
}

bool progress_reads(const void *who)
{
	return e.reader == READER_WAITER && e.waiter == who;
}

static bool waits_often(uint64_t now)
{
	return pthread_equal(e.last_waiter, pthread_self()) && now - e.last_wait < WAIT_GAP &&
	       now - e.last_remote > MEMORY_POLLS;
}

/* To give the socket to the thread and take it back would cost more than the rest of the
 * way from one event to the next: so one that waits often keeps it meanwhile, unless others
 * do so too. */
void progress_end_wait(const void *who)
{
	uint64_t now = engine_now();
	bool often = waits_often(now);

	e.last_waiter = pthread_self();
	e.last_wait = now;
	if (!progress_reads(who))
		return;
	if (often)
		leave_to_application(READER_LINGER);
	else
		set_reader(READER_THREAD);
}

/* What has come in already we take ourselves. For what comes just now the thread begins at
 * once: then we must not have the lock. If somebody takes the socket in between, the thread
 * finds it watched for nothing: serve(). */
void engine_unpark(void)
{
	struct wake_by w = { .epoll = -1 };

	engine_lock();
	if (e.running && e.reader == READER_POLLERS) {
		pass(true, true, NULL);
		become(READER_THREAD);
		e.left = e.gave = engine_now();
		w = wake_by();
	}
	engine_unlock();
	if (w.epoll >= 0)
		watch_all(&w);
}

/* Who has just waited, and polled in between, is about to wait again. */
void engine_unpark_armed(void)
{
	engine_lock();
	if (e.running && e.reader == READER_POLLERS) {
		if (waits_often(engine_now()))
			leave_to_application(READER_LINGER);
		else
			set_reader(READER_THREAD);
	}
	engine_unlock();
}

/* What we send to ourselves would wake the thread, in the middle of the call: a pass costs
 * less than that, and the application does not have to wait for it. */
void engine_flush_here(void)
{
	if (e.in_pass || !e.running) {
		engine_flush();
		return;
	}
	if (e.reader == READER_THREAD || e.reader == READER_POLLERS)
		leave_to_application(READER_POLLERS);
	engine_flush();
	if (e.reader != READER_POLLERS)
		return;
	for (unsigned i = 0; i < HERE && pass(true, true, NULL); i++)
		;
	wake_at(next_moment());
}

/* Does the application not poll any more? */
static bool tick(void)
{
	if ((e.reader != READER_POLLERS && e.reader != READER_LINGER) || engine_now() < e.tick)
		return false;
	set_reader(READER_THREAD);
	return true;
}

/* --------------------------------------------------------- the application polls -- */

static bool is_armed(struct cq *cq)
{
	return atomic_load_explicit(&cq->armed, memory_order_relaxed) != CQ_UNARMED;
}

/* Who polls now and then leaves the socket to others; who has armed the queue will wait for
 * the event. */
static void look_at_poller(struct cq *cq)
{
	uint64_t now = engine_now();

	came_back();
	if (e.reader == READER_POLLERS || (!is_armed(cq) && now - e.last_empty < POLL_GAP))
		leave_to_application(READER_POLLERS);
	e.last_empty = now;
}

void engine_poll_empty(struct cq *cq)
{
	unsigned n = 0;

	if (is_armed(cq))
		engine_armed();
	/* who holds the lock makes progress; who waits for it has it next */
	if (!engine_contended() && engine_trylock()) {
		if (e.running) {
			look_at_poller(cq);
			n = pass(true, false, cq);
			wake_at(next_moment());
		}
		engine_unlock();
	}
	if (n)
		empty_polls = 0;
	else if (++empty_polls % POLLS_YIELD == 0)
		sched_yield();
}

/* ------------------------------------------------------------------- the thread -- */

static void look_at_addresses(void)
{
	addrs_seen(e.addresses);
	gid_refresh();
}

static void serve(const struct epoll_event *events, int n)
{
	for (int i = 0; i < n; i++)
		switch ((enum source)events[i].data.u32) {
		case OWN: /* the pass has it */
			if (e.reader != READER_THREAD)
				watch_own(false);
			break;
		case BELL:
			if (e.reader == READER_THREAD)
				pair_answer_bell();
			else
				watch_own(false);
			break;
		case GSI:
			rx_mads();
			break;
		case CONTROL:
			group_serve();
			break;
		case ADDRESSES:
			look_at_addresses();
			break;
		default:
			break;
		}
}

/* An application that spins on its memory is preempted for the thread only if the scheduler
 * finds that the thread lags behind; else a packet waits for the next tick. More weight helps,
 * where the process may have it. Not otherwise: a sender that is preempted for each packet
 * gets less done. */
static void hurry(void)
{
	bool spins = e.gave && engine_now() - e.gave < MEMORY_POLLS;

	if (spins == e.hurries)
		return;
	if (spins)
		e.nice = getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0, spins ? e.nice - NICER : e.nice);
	e.hurries = spins;
}

/* Returns whether another pass is due at once. */
static bool turn(const struct epoll_event *events, int n)
{
	bool gone;

	hurry();
	e.in_pass = true;
	serve(events, n);
	e.in_pass = false;
	gone = tick();
	if (pass(e.reader == READER_THREAD, true, NULL) && gone && e.quick >= e.patience)
		stayed_away();
	if (e.timer_set <= engine_now()) /* it has run out */
		e.timer_set = NEVER;
	if (e.more && e.reader != READER_POLLERS)
		return true;
	wake_at(next_moment());
	return false;
}

static void *engine_main(void *arg)
{
	struct epoll_event events[SOURCES];
	bool more = false;

	pthread_setname_np(pthread_self(), "uroce");
	for (;;) {
		int n = epoll_wait(e.epoll, events, SOURCES, more ? 0 : -1);

		engine_lock();
		if (e.stop)
			break;
		more = turn(events, n);
		engine_unlock();
		if (more && engine_contended())
			sched_yield();
	}
	engine_unlock();
	return arg;
}

/* The signals are the application's; faults are met where they happen (guard.h). */
static int start_thread(void)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };
	sigset_t mask, before;
	int err;

	sigfillset(&mask);
	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&mask, faults[i]);
	pthread_sigmask(SIG_SETMASK, &mask, &before);
	err = pthread_create(&e.thread, NULL, engine_main, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return err ? -1 : 0;
}

static int watch(int fd, enum source source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.u32 = source };

	return epoll_ctl(e.epoll, EPOLL_CTL_ADD, fd, &event);
}

static int open_all(void)
{
	e.epoll = epoll_create1(EPOLL_CLOEXEC);
	e.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (e.epoll < 0 || e.timer < 0 || watch(group_fd(), OWN, EPOLLIN) != 0 ||
	    watch(group_gsi_fd(), GSI, EPOLLIN | EPOLLEXCLUSIVE) != 0 ||
	    watch(group_control_fd(), CONTROL, EPOLLIN) != 0 ||
	    /* what it counts is not read: only that it ran out */
	    watch(e.timer, TIMER, EPOLLIN | EPOLLET) != 0)
		return -1;
	if (pair_bell_fd() >= 0 && watch(pair_bell_fd(), BELL, EPOLLIN) != 0)
		return -1;
	e.addresses = addrs_watch(); /* without it the table is as it was when we began */
	return e.addresses < 0 ? 0 : watch(e.addresses, ADDRESSES, EPOLLIN);
}

static void close_all(void)
{
	if (e.epoll >= 0)
		close(e.epoll);
	if (e.timer >= 0)
		close(e.timer);
	if (e.addresses >= 0)
		close(e.addresses);
	e.epoll = e.timer = e.addresses = -1;
}

int progress_start(void)
{
	int ret, err;

	engine_lock();
	e.stop = e.more = false;
	e.reader = READER_THREAD;
	e.timer_set = e.deferred_until = NEVER;
	e.last_remote = e.last_empty = e.last_wait = e.left = e.gave = 0;
	e.hurries = false;
	e.quick = 0;
	e.patience = PATIENCE;
	e.era++;
	share();
	ret = open_all();
	if (ret == 0) {
		await_bell();
		wake_at(next_moment()); /* timers may be left of the time before */
		ret = start_thread();
	}
	err = errno;
	e.running = ret == 0;
	if (ret != 0)
		close_all();
	engine_unlock();
	errno = err;
	return ret;
}

void progress_stop(void)
{
	engine_lock();
	engine_flush();
	e.stop = true;
	e.running = false;
	e.era++;
	e.reader = READER_THREAD;
	share();
	set_timer(0);
	engine_unlock();
	pthread_join(e.thread, NULL);
	close_all();
}

void progress_forget(void)
{
	close_all();
	e.running = e.in_pass = e.more = false;
	e.deferred_until = NEVER;
	e.reader = READER_THREAD;
	e.era++;
	share();
}

bool progress_running(void)
{
	return e.running;
}

unsigned progress_era(void)
{
	return e.era;
}
