// SPDX-License-Identifier: MIT
/*
 * Who reads, in one paragraph. Packets come through memory (pair.h) and on a socket. One reader at
 * a time takes in both, in a pass, under the lock. If nothing else is going on, the reader is the
 * engine's thread. It sleeps until the bell of the memory or the socket wakes it, which costs two
 * switches of threads before the application sees anything. So a thread of the application that
 * waits for an event becomes the reader. It spins for a while before it sleeps on bell and socket,
 * unless that was in vain before. A thread that polls an empty queue twice within a tick becomes
 * the reader, too. While a reader spins or polls, nobody needs to wake it: a packet through memory
 * costs no system call at all. A thread that polls remains the reader for a tick after its last
 * poll, a longer one if it polls all the time; then a timer of the kernel gives the reading back to
 * the engine's thread. An application that was away when packets came looks at its memory, not at
 * its queue. From then on a poll that finds something gives the reading back at once, until the
 * application polls again before the next packet comes. After many packets in one pass the engine's
 * thread makes some more passes before it sleeps. What each rule is worth: uroce/README.md.
 *
 * The engine's thread sleeps in epoll_wait() without a timeout. A timer of the kernel is set to the
 * next moment at which something is to be done. Whoever learns of an earlier moment sets the timer:
 * that costs less than waking the thread.
 */
#include "engine_own.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "counters.h"
#include "gid.h"
#include "completion_queue.h"
#include "group.h"
#include "pair.h"
#include "transport.h"

#define TICK   MS /* how long an application that read may stay away */
#define TICKS  4  /* so many times as long if it polls all the time, */
#define BUSY   64 /* which is this often in half a tick */
#define BATCH  32 /* packets of a pass, of each process and of the socket */
#define HERE   8  /* passes after a post to ourselves */
#define MANY   8  /* packets of a pass, in and out: there will be more */
#define LINGER 16 /* passes of the thread after such a one before it sleeps: some 3 us */
#define TIMED  8  /* one of so many passes of one that polls looks at the clock */
#define NEVER  UINT64_MAX

enum source { OWN, BELL, GSI, CONTROL, ADDRESSES, TIMER, SOURCES };

static struct {
	bool running, stop, in_pass;
	unsigned era;
	pthread_t thread;
	int epoll, timer, addresses;
	uint64_t timer_set; /* to when */
	enum reader reader;
	const void *waiter;	      /* who reads, with READER_WAITER */
	uint64_t last_poll, deferred; /* ACKs that were deferred before this tick */
	uint64_t tick, last_tick;     /* READER_POLLERS: until then; its length */
	unsigned polls;		      /* passes of one that polls, in this tick */
	bool stays_away; /* the application does not poll its queue: it looks at its memory */
	bool gave;	 /* it has given the reading back, and no packet has come since */
	unsigned linger; /* passes that the thread still makes before it sleeps */
	bool spins;	 /* READER_WAITER: it does not sleep yet */
	bool more;	 /* to be sent: another pass is due */
	bool unread;	 /* await_bell() */
} e = { .epoll = -1, .timer = -1, .addresses = -1, .timer_set = NEVER };

_Atomic bool engine_parked, engine_parked_away;

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

/* Unread frames are for the reader. A thread that waits makes another pass by itself. */
static bool is_due_to_thread(void)
{
	return e.more || (e.unread && e.reader == READER_THREAD);
}

/* While the application polls it runs the timers itself, and sends what is held. For that, a timer
 * of the kernel would wake the thread every 0.2 ms: 20 us for one of a hundred round trips. */
static uint64_t next_deadline(void)
{
	uint64_t next;

	if (e.reader == READER_POLLERS)
		return e.tick;
	if (is_due_to_thread())
		return 0;
	next = transport_held_until();
	return timer_next() < next ? timer_next() : next;
}

/* ---------------------------------------------------------------------- passes -- */

/* The bell wakes a reader that sleeps. A reader that polls or spins does not need it. e.unread: a
 * frame has come since the last look, and no bell will ring for it. */
static void await_bell(void)
{
	bool spins = e.reader == READER_POLLERS || e.linger || e.spins;

	if (spins)
		pair_wake();
	e.unread = !spins && !pair_sleep();
}

static unsigned read_packets(enum rx_socket socket)
{
	unsigned n = rx_packets(BATCH, socket);

	if (n)
		e.gave = false;
	return n;
}

/* What is due at any time: answers, acknowledgements. */
static void finish(bool urgent)
{
	e.more = transport_finish(urgent);
	tx_flush();
}

static unsigned read_and_answer(enum rx_socket socket)
{
	unsigned n;

	e.in_pass = true;
	pair_wake();
	n = read_packets(socket);
	timer_run(engine_now());
	finish(true);
	e.in_pass = false;
	return n;
}

/* Returns how many packets came. */
static unsigned pass(enum rx_socket socket)
{
	unsigned n = read_and_answer(socket);

	await_bell();
	return n;
}

/* The same of the thread. The counter may go down: a packet may be taken back. */
static unsigned pass_of_thread(enum rx_socket socket)
{
	uint64_t sent = counters[CNT_SENT_PKTS];
	unsigned n = read_and_answer(socket);

	if ((int64_t)(n + counters[CNT_SENT_PKTS] - sent) >= MANY)
		e.linger = LINGER;
	else if (e.linger)
		e.linger--;
	await_bell();
	return n;
}

/* When it has filled the queue that is polled, acknowledgements wait, but not for long: the
 * application is about to answer, and they go along with the answer, before it. If it does not come
 * back, they go when its tick is over. If another thread is the reader, and sleeps until the bell
 * wakes it, the bell stays as it is: nothing else would wake that thread. */
static unsigned pass_polling(struct cq *polled, bool timed)
{
	bool urgent = e.reader != READER_POLLERS || transport_deferred();
	bool leave_bell = e.reader == READER_WAITER && !e.spins;
	unsigned n;

	e.in_pass = true;
	if (!leave_bell)
		pair_wake();
	n = read_packets(RX_MAYBE);
	if (timed)
		timer_run(engine_now());
	finish(urgent || cq_empty(polled));
	e.in_pass = false;
	if (!leave_bell)
		await_bell();
	return n;
}

bool progress_pass(enum rx_socket socket, bool spins)
{
	e.spins = spins;
	pass(socket);
	wake_at(next_deadline());
	return progress_more();
}

/* It has come back before the next packet did. */
static void came_back(void)
{
	if (e.gave)
		e.stays_away = e.gave = false;
}

void engine_flush(void)
{
	if (e.in_pass)
		return;
	came_back();
	finish(true);
	if (e.running)
		wake_at(next_deadline());
}

bool progress_more(void)
{
	return e.more || e.unread;
}

/* -------------------------------------------------------------- who reads packets -- */

static int watch(int fd, enum source source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.u32 = source };

	return fd < 0 ? 0 : epoll_ctl(e.epoll, EPOLL_CTL_ADD, fd, &event);
}

static void unwatch(int fd)
{
	if (fd >= 0)
		epoll_ctl(e.epoll, EPOLL_CTL_DEL, fd, NULL);
}

static void share(void)
{
	bool parked = e.reader == READER_POLLERS;

	atomic_store_explicit(&engine_parked, parked, memory_order_relaxed);
	atomic_store_explicit(&engine_parked_away, parked && e.stays_away, memory_order_relaxed);
}

static void set_reader(enum reader reader)
{
	bool before = e.reader == READER_THREAD, after = reader == READER_THREAD;

	if (after && !before) {
		watch(group_fd(), OWN, EPOLLIN);
		watch(pair_bell_fd(), BELL, EPOLLIN);
	} else if (before && !after) {
		/* Removed, because with an empty event mask the kernel would still run the
		 * wait queue's callback for every packet. */
		unwatch(group_fd());
		unwatch(pair_bell_fd());
	}
	e.reader = reader;
	e.linger = 0;
	e.spins = false;
	await_bell();
	share();
	wake_at(next_deadline());
}

/* For a tick from now on. Its timer is put off for half of it at a time, which takes 5 us in a
 * virtual machine: so ticks become longer, but not where ACKs wait for their end. */
static void leave_to_application(void)
{
	bool begins = e.reader != READER_POLLERS, renew;
	uint64_t now = engine_now();

	if (begins) {
		e.tick = e.tick > now + TICK ? now + TICK : e.tick;
		e.last_tick = TICK;
		e.polls = 0;
	}
	renew = e.tick <= now + e.last_tick / 2;
	if (renew) {
		if (e.polls < BUSY || counters[CNT_ACK_DEFERRED] != e.deferred)
			e.last_tick = TICK;
		else if (e.last_tick < TICKS * TICK)
			e.last_tick *= 2;
		e.tick = now + e.last_tick;
		e.polls = 0;
		e.deferred = counters[CNT_ACK_DEFERRED];
	}
	if (begins)
		set_reader(READER_POLLERS);
	if (renew)
		set_timer(next_deadline());
}

void progress_begin_wait(const void *who)
{
	e.last_poll = 0; /* it does not poll */
	e.waiter = who;
	if (e.reader != READER_WAITER || e.spins) /* it may sleep at once */
		set_reader(READER_WAITER);
}

bool progress_reads(const void *who)
{
	return e.reader == READER_WAITER && e.waiter == who;
}

void progress_end_wait(const void *who)
{
	if (progress_reads(who))
		set_reader(READER_THREAD);
}

/* What has come in already we take ourselves. */
void engine_unpark(void)
{
	engine_lock();
	if (e.running && e.reader == READER_POLLERS) {
		pass(RX_READY);
		set_reader(READER_THREAD);
		e.gave = true;
	}
	engine_unlock();
}

/* A thread that arms a queue is about to wait. */
void engine_unpark_armed(void)
{
	engine_lock();
	if (e.running && e.reader == READER_POLLERS) {
		finish(true);
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
		leave_to_application();
	engine_flush();
	if (e.reader != READER_POLLERS)
		return;
	for (unsigned i = 0; i < HERE && pass(RX_MAYBE); i++)
		;
	wake_at(next_deadline());
}

/* --------------------------------------------------------- the application polls -- */

/* The clock costs a fifth of a pass that finds nothing. It is not needed for each one: while the
 * application has the reading, the timer of the kernel sees that it stays away. */
static bool has_time(void)
{
	return e.reader != READER_POLLERS || ++e.polls % TIMED == 0;
}

/* A thread that polls rarely does not become the reader, nor does one that has armed the queue: it
 * will wait for the event. */
static void consider_poller(struct cq *cq)
{
	uint64_t now = engine_now();

	if (e.reader == READER_POLLERS || (!cq_is_armed(cq) && now - e.last_poll < TICK))
		leave_to_application();
	e.last_poll = cq_is_armed(cq) ? 0 : now;
}

unsigned progress_poll(struct cq *cq)
{
	bool timed;
	unsigned n;

	if (!e.running)
		return 0;
	timed = has_time();
	came_back();
	if (timed)
		consider_poller(cq);
	n = pass_polling(cq, timed);
	wake_at(next_deadline());
	return n;
}

/* ------------------------------------------------------------------- the thread -- */

static void look_at_addresses(void)
{
	addrs_seen(e.addresses);
	gid_refresh();
}

/* Returns whether the socket may have packets for the thread. */
static bool serve(const struct epoll_event *events, int n)
{
	bool reads = e.reader == READER_THREAD, own = false;

	for (int i = 0; i < n; i++)
		switch ((enum source)events[i].data.u32) {
		case OWN:
			own = true;
			break;
		case BELL:
			if (reads) /* else it is rung for somebody else by now */
				pair_answer_bell();
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
	return own;
}

/* The application has the reading: what else is due is done. */
static void run_without_reading(void)
{
	e.in_pass = true;
	timer_run(engine_now());
	finish(true);
	e.in_pass = false;
}

/* Returns whether another pass is due at once. */
static bool serve_and_pass(const struct epoll_event *events, int n)
{
	bool own, over = e.reader == READER_POLLERS && engine_now() >= e.tick; /* it stays away */

	e.in_pass = true;
	own = serve(events, n);
	e.in_pass = false;
	if (over)
		set_reader(READER_THREAD);
	if (e.reader != READER_THREAD)
		run_without_reading();
	else if (pass_of_thread(own || over ? RX_READY : RX_EMPTY) && over)
		e.stays_away = true;
	if (e.timer_set <= engine_now()) /* it has run out */
		e.timer_set = NEVER;
	if ((is_due_to_thread() || e.linger) && e.reader != READER_POLLERS)
		return true;
	wake_at(next_deadline());
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
		more = serve_and_pass(events, n);
		engine_unlock();
		if (more && engine_contended())
			sched_yield();
	}
	engine_unlock();
	return arg;
}

/* A program with a real-time priority that looks at its memory never gives way to a thread of the
 * same priority: the device's has the next higher one. */
static bool raise_priority(pthread_attr_t *attr)
{
	struct sched_param param;
	int policy;

	if (pthread_getschedparam(pthread_self(), &policy, &param) != 0 ||
	    (policy != SCHED_FIFO && policy != SCHED_RR))
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
	err = raise_priority(&attr) ? pthread_create(&e.thread, &attr, engine_main, NULL) : -1;
	if (err) /* or RLIMIT_RTPRIO does not allow it */
		err = pthread_create(&e.thread, NULL, engine_main, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	errno = err;
	return err ? -1 : 0;
}

static int open_all(void)
{
	e.epoll = epoll_create1(EPOLL_CLOEXEC);
	e.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (e.epoll < 0 || e.timer < 0 || watch(group_fd(), OWN, EPOLLIN) != 0 ||
	    watch(pair_bell_fd(), BELL, EPOLLIN) != 0 ||
	    watch(group_gsi_fd(), GSI, EPOLLIN | EPOLLEXCLUSIVE) != 0 ||
	    watch(group_control_fd(), CONTROL, EPOLLIN) != 0 ||
	    /* what it counts is not read: only that it ran out */
	    watch(e.timer, TIMER, EPOLLIN | EPOLLET) != 0)
		return -1;
	e.addresses = addrs_watch(); /* without it the table is as it was when we began */
	return watch(e.addresses, ADDRESSES, EPOLLIN);
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

/* A new era: nobody waits or spins. */
static void begin_era(void)
{
	e.era++;
	e.reader = READER_THREAD;
	e.linger = 0;
	e.spins = e.in_pass = e.more = e.unread = false;
	share();
}

int progress_start(void)
{
	int ret, err;

	engine_lock();
	begin_era();
	e.stop = false;
	e.timer_set = NEVER;
	e.last_poll = 0;
	e.stays_away = e.gave = false;
	ret = open_all();
	if (ret == 0) {
		await_bell();
		wake_at(next_deadline()); /* timers may be left of the time before */
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
	begin_era();
	set_timer(0);
	engine_unlock();
	pthread_join(e.thread, NULL);
	close_all();
}

void progress_forget(void)
{
	close_all();
	e.running = false;
	begin_era();
}

bool progress_running(void)
{
	return e.running;
}

unsigned progress_era(void)
{
	return e.era;
}
