// SPDX-License-Identifier: MIT
/* Who makes progress, and when: the engine on a device that counts. */
#include "engine.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "fake_device.h"
#include "timer.h"

#define PATIENCE 5000 /* ms: for what must happen */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static struct cq cq;

static uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void nap(int ms)
{
	poll(NULL, 0, ms);
}

/* Waits until the counter has reached a value. */
static void reaches(_Atomic unsigned *counter, unsigned value)
{
	for (int i = 0; i < PATIENCE && *counter < value; i++)
		nap(1);
	CHECK(*counter >= value);
}

/* Polls an empty queue for some time. */
static void spin(unsigned ms)
{
	uint64_t until = clock_ns() + ms * UINT64_C(1000000);

	while (clock_ns() < until)
		engine_poll_empty(&cq);
}

static bool parked(void)
{
	return atomic_load(&engine_parked);
}

static void wait_unparked(void)
{
	for (int i = 0; i < PATIENCE && parked(); i++)
		nap(1);
	CHECK(!parked());
}

/* Polls until the thread is parked; a slow machine may take some attempts. */
static void park(void)
{
	for (int i = 0; i < PATIENCE && !parked(); i++)
		spin(1);
	CHECK(parked());
}

static void flush(void)
{
	engine_lock();
	engine_flush();
	engine_unlock();
}

/* ----------------------------------------------------------------------- up, down -- */

static void test_up_and_down(void)
{
	fake_join_errno = EADDRINUSE;
	CHECK_INT(engine_get(), -1);
	CHECK_INT(errno, EADDRINUSE);
	CHECK_STR(engine_reason(), "the port is the cat's");
	fake_join_errno = 0;
	for (unsigned i = 0; i < 20; i++) {
		CHECK_INT(engine_get(), 0);
		CHECK_STR(engine_reason(), "");
		CHECK_INT(engine_get(), 0);
		engine_put();
		fake_send();
		reaches(&fake_engine.packets, i + 1);
		engine_put();
	}
	engine_put(); /* one too many does nothing */
	engine_poll_empty(&cq);
	CHECK_INT(fake_others.passes, 0);
}

/* --------------------------------------------------------------------- the thread -- */

static void test_thread(void)
{
	unsigned before = fake_engine.packets;

	fake_send();
	reaches(&fake_engine.packets, before + 1);
	fake_send_mad();
	reaches(&fake_mads, 1);
	fake_send_message();
	reaches(&fake_messages, 1);
	before = fake_refreshes;
	fake_change_address();
	reaches(&fake_refreshes, before + 1);
}

static void test_idle(void)
{
	unsigned before;

	nap(20);
	before = fake_engine.passes;
	nap(300);
	CHECK_INT(fake_engine.passes, before);
}

static _Atomic unsigned fired;
static uint64_t fired_at;

static void fire(struct timer *t)
{
	(void)t;
	fired_at = clock_ns();
	fired++;
}

static void test_timers(void)
{
	struct timer late = { .fn = fire }, early = { .fn = fire };
	uint64_t begin;

	CHECK_INT(timer_reserve(2), 0);
	engine_lock();
	begin = engine_now();
	timer_set(&late, begin + 60000000);
	engine_flush();
	engine_unlock();
	engine_lock();
	timer_set(&early, begin + 20000000);
	engine_flush();
	engine_unlock();
	reaches(&fired, 1);
	engine_lock();
	CHECK(fired_at >= begin + 20000000);
	CHECK(timer_running(&late) || fired == 2);
	engine_unlock();
	reaches(&fired, 2);
	engine_lock();
	CHECK(fired_at >= begin + 60000000);
	CHECK_INT(timer_reserve(-2), 0);
	engine_unlock();
	test_idle();
}

/* Not the time of the last pass, which may be long ago. */
static void test_now(void)
{
	uint64_t first;

	engine_lock();
	first = engine_now();
	CHECK(engine_now() == first);
	engine_unlock();
	nap(5);
	engine_lock();
	CHECK(engine_now() >= first + 4000000);
	CHECK(engine_now() <= clock_ns());
	engine_unlock();
}

/* Passes follow each other while there is more to send, and others get the lock. */
static void test_more(void)
{
	unsigned before = fake_flushes;

	fake_more = 1000;
	flush();
	while (fake_more > 0)
		flush();
	CHECK(fake_flushes > before + 10);
	fake_more = 50;
	flush();
	for (int i = 0; i < PATIENCE && fake_more; i++)
		nap(1);
	CHECK_INT(fake_more, 0);
	test_idle();
}

/* ------------------------------------------------------------------------ polling -- */

static unsigned packets(void)
{
	return fake_engine.packets + fake_others.packets;
}

static void arrive(unsigned n)
{
	for (int i = 0; i < PATIENCE && packets() < n; i++)
		nap(1);
	CHECK_INT(packets(), n);
}

static void test_parking(void)
{
	unsigned others = fake_others.packets, before = packets(), tries;

	for (unsigned i = 0; i < 100; i++) {
		park();
		fake_send();
		for (tries = 0; tries < 100000 && packets() == before + i; tries++)
			engine_poll_empty(&cq);
		CHECK_INT(packets(), before + i + 1);
	}
	/* a test that is kept from running for milliseconds may find that it has lost it */
	CHECK(fake_others.packets - others >= 50);
	park();
	fake_send(); /* and does not poll any more */
	arrive(before + 101);
	wait_unparked();
	test_idle();
}

/* While the application polls the thread keeps its hands off, and its timers run all the same. */
static void test_polling_only(void)
{
	struct timer t = { .fn = fire };
	unsigned thread, before, ticks = 0;

	CHECK_INT(timer_reserve(1), 0);
	for (unsigned attempt = 0; attempt < 500 && ticks < 5; attempt++) {
		park();
		thread = fake_engine.passes;
		spin(3); /* less than others leave us at a time, more than two ticks */
		if (parked() && fake_engine.passes == thread)
			ticks++;
	}
	CHECK_INT(ticks, 5);
	before = fired;
	engine_lock();
	timer_set(&t, engine_now() + 2000000);
	engine_flush();
	engine_unlock();
	for (unsigned i = 0; i < PATIENCE && fired == before; i++)
		spin(1);
	CHECK_INT(fired, before + 1);
	fake_send_mad();
	for (unsigned i = 0; i < PATIENCE && fake_mads < 2; i++)
		spin(1);
	CHECK_INT(fake_mads, 2);
	engine_lock();
	timer_stop(&t);
	timer_reserve(-1);
	engine_unlock();
	wait_unparked();
}

static void test_armed(void)
{
	unsigned before;

	cq.armed = CQ_ARMED;
	spin(10);
	CHECK(!parked());
	before = packets();
	cq.armed = CQ_UNARMED;
	park();
	cq.armed = CQ_ARMED;
	engine_armed(); /* as ibv_req_notify_cq() does */
	CHECK(!parked());
	cq.armed = CQ_UNARMED;
	park();
	cq.armed = CQ_ARMED_SOLICITED;
	engine_poll_empty(&cq);
	CHECK(!parked());
	fake_send();
	arrive(before + 1);
	cq.armed = CQ_UNARMED;
}

static void test_seldom(void)
{
	for (unsigned i = 0; i < 20; i++) {
		nap(1);
		engine_poll_empty(&cq);
		CHECK(!parked());
	}
}

/* A poll that finds something leaves the thread parked, unless peers write to our memory. */
static void test_found(void)
{
	unsigned tries = 0;

	do {
		park();
		engine_poll_found();
	} while (!parked() && tries++ < 20);
	CHECK(tries < 20);
	engine_lock();
	engine_remote_access();
	engine_unlock();
	engine_poll_found();
	CHECK(!parked());
	nap(20); /* longer than that is remembered */
	tries = 0;
	do {
		park();
		engine_poll_found();
	} while (!parked() && tries++ < 20);
	CHECK(tries < 20);
	wait_unparked();
}

/* The answer of the application goes first; if there is none, the acknowledgement is not
 * late. */
static void test_deferred(void)
{
	unsigned urgent, deferred, tries = 0;

	fake_cq = &cq;
	fake_ack_due = true;
	do { /* the thread may be faster */
		atomic_store(&cq.head, atomic_load(&cq.tail));
		park();
		urgent = fake_urgent;
		deferred = fake_deferred;
		fake_send();
		engine_poll_empty(&cq);
	} while ((fake_deferred != deferred + 1 || fake_urgent != urgent) && tries++ < 50);
	CHECK(tries < 50);
	CHECK(!cq_empty(&cq));
	flush();
	CHECK(fake_urgent > urgent);
	urgent = fake_urgent;
	fake_send();
	engine_poll_empty(&cq);
	for (int i = 0; i < PATIENCE && fake_urgent == urgent; i++)
		nap(1);
	CHECK(fake_urgent > urgent);
	/* nothing in the queue that is polled: not deferred */
	fake_cq = NULL;
	atomic_store(&cq.head, atomic_load(&cq.tail));
	deferred = fake_deferred;
	fake_send();
	engine_poll_empty(&cq);
	CHECK_INT(fake_deferred, deferred);
	fake_ack_due = false;
	wait_unparked();
	test_idle();
}

static void *hold(void *arg)
{
	for (unsigned i = 0; i < 2000; i++)
		flush();
	*(_Atomic bool *)arg = true;
	return NULL;
}

/* One that polls without a pause leaves the lock to others. */
static void test_fair(void)
{
	_Atomic bool done = false;
	uint64_t until = clock_ns() + PATIENCE * UINT64_C(1000000);
	pthread_t thread;

	CHECK_INT(pthread_create(&thread, NULL, hold, &done), 0);
	while (!done && clock_ns() < until)
		engine_poll_empty(&cq);
	CHECK(done);
	pthread_join(thread, NULL);
	wait_unparked();
}

/* ------------------------------------------------------------------------ waiting -- */

static int event;

static void take_event(void)
{
	uint64_t n;

	CHECK_INT(read(event, &n, sizeof(n)), sizeof(n));
}

struct waiter {
	pthread_t thread;
	int ret, err;
	_Atomic unsigned began, ended;
};

static void *wait_event(void *arg)
{
	struct waiter *w = arg;

	w->began++;
	w->ret = engine_wait_fd(event);
	w->err = errno;
	w->ended++;
	return NULL;
}

static void start(struct waiter *w)
{
	memset(w, 0, sizeof(*w));
	CHECK_INT(pthread_create(&w->thread, NULL, wait_event, w), 0);
	reaches(&w->began, 1);
	nap(20);
}

/* Packets are taken in by the one that waits, not by the thread. */
static void test_wait(void)
{
	unsigned thread = fake_engine.passes, others = fake_others.packets;
	struct waiter w;

	start(&w);
	CHECK_INT(w.ended, 0);
	for (unsigned i = 0; i < 5; i++) {
		fake_send();
		reaches(&fake_others.packets, others + i + 1);
	}
	CHECK_INT(fake_engine.passes, thread);
	fake_event = event;
	fake_send();
	pthread_join(w.thread, NULL);
	CHECK_INT(w.ret, 0);
	CHECK_INT(fake_engine.passes, thread);
	fake_event = -1;
	take_event();
	fake_send(); /* it is the thread's again */
	for (int i = 0; i < PATIENCE && fake_engine.passes == thread; i++)
		nap(1);
	CHECK(fake_engine.passes > thread);
}

/* The event does not take the way over the kernel; only for one that waits for it. */
static void test_hand_over(void)
{
	struct waiter w;
	struct pollfd p = { .fd = event, .events = POLLIN };

	fake_hand_over = true;
	start(&w);
	fake_event = event;
	fake_send();
	pthread_join(w.thread, NULL);
	CHECK_INT(w.ret, 1);
	CHECK_INT(poll(&p, 1, 0), 0);
	fake_send(); /* nobody waits */
	CHECK_INT(poll(&p, 1, PATIENCE), 1);
	fake_event = -1;
	fake_hand_over = false;
	take_event();
}

/* Who waits again and again keeps the socket meanwhile; not for long, and not while a peer
 * writes to our memory. */
static void test_linger(void)
{
	unsigned thread, tries = 0, before;
	uint64_t one = 1;

	nap(20); /* remote accesses are forgotten */
	do {
		for (unsigned i = 0; i < 2; i++) {
			CHECK_INT(write(event, &one, sizeof(one)), sizeof(one));
			CHECK_INT(engine_wait_fd(event), 0);
			take_event();
		}
		thread = fake_engine.passes;
		before = packets();
		fake_send();
		cq.armed = CQ_ARMED;
		engine_armed();
		cq.armed = CQ_UNARMED;
		for (uint64_t until = clock_ns() + 300000; clock_ns() < until;)
			;
	} while (fake_engine.passes != thread && tries++ < 50);
	CHECK(tries < 50);
	arrive(before + 1); /* nobody came back */
	CHECK(fake_engine.passes > thread);
	for (unsigned i = 0; i < 5; i++) {
		engine_lock();
		engine_remote_access();
		engine_unlock();
		CHECK_INT(write(event, &one, sizeof(one)), sizeof(one));
		CHECK_INT(engine_wait_fd(event), 0);
		take_event();
	}
	thread = fake_engine.packets;
	fake_send();
	reaches(&fake_engine.packets, thread + 1);
	test_idle();
}

/* Acknowledgements wait for the application that is being woken, else they are sent. */
static void test_wait_deferred(void)
{
	unsigned urgent = fake_urgent, deferred = fake_deferred;
	struct waiter w;

	fake_ack_due = true;
	start(&w);
	fake_send();
	reaches(&fake_deferred, deferred + 1);
	reaches(&fake_urgent, urgent + 1);
	fake_event = event;
	fake_send();
	pthread_join(w.thread, NULL);
	fake_event = -1;
	fake_ack_due = false;
	take_event();
	for (int i = 0; i < PATIENCE && fake_urgent < urgent + 2; i++)
		nap(1);
	CHECK(fake_urgent >= urgent + 2);
}

/* The last one reads: the others may wait for what seldom comes. */
static void test_two_wait(void)
{
	unsigned others = fake_others.packets;
	struct waiter w[2];

	for (unsigned i = 0; i < 2; i++)
		start(&w[i]);
	for (unsigned i = 0; i < 3; i++) {
		fake_send();
		reaches(&fake_others.packets, others + i + 1);
		CHECK(pthread_equal(fake_reader, w[1].thread));
	}
	fake_event = event;
	fake_send();
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(w[i].thread, NULL);
		CHECK_INT(w[i].ret, 0);
	}
	fake_event = -1;
	take_event();
	others = fake_engine.packets;
	fake_send();
	reaches(&fake_engine.packets, others + 1);
}

/* Who polls all the time comes before one that waits: for asynchronous events, often. */
static void test_wait_and_poll(void)
{
	uint64_t one = 1;
	struct waiter w;
	unsigned mine = 0, before;

	start(&w);
	for (unsigned i = 0; i < 50; i++) {
		park();
		before = packets();
		fake_send();
		while (packets() == before)
			engine_poll_empty(&cq);
		mine += pthread_equal(fake_reader, pthread_self()) != 0;
	}
	CHECK(mine >= 25); /* it is never certain that this thread runs */
	CHECK_INT(write(event, &one, sizeof(one)), sizeof(one));
	pthread_join(w.thread, NULL);
	CHECK_INT(w.ret, 0);
	take_event();
	wait_unparked();
	test_idle();
}

static void on_signal(int sig)
{
	(void)sig;
}

static void test_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct waiter w;

	CHECK_INT(sigaction(SIGUSR1, &sa, NULL), 0);
	start(&w);
	pthread_kill(w.thread, SIGUSR1);
	pthread_join(w.thread, NULL);
	CHECK_INT(w.ret, -1);
	CHECK_INT(w.err, EINTR);
	sa.sa_flags = SA_RESTART;
	CHECK_INT(sigaction(SIGUSR1, &sa, NULL), 0);
	start(&w);
	pthread_kill(w.thread, SIGUSR1);
	nap(20);
	CHECK_INT(w.ended, 0);
	fake_event = event;
	fake_send();
	pthread_join(w.thread, NULL);
	CHECK_INT(w.ret, 0);
	fake_event = -1;
	take_event();
	signal(SIGUSR1, SIG_DFL);
}

/* Programs cancel threads that wait for events. */
static void test_cancel(void)
{
	unsigned before;
	struct waiter w;
	void *ret;

	start(&w);
	CHECK_INT(pthread_cancel(w.thread), 0);
	pthread_join(w.thread, &ret);
	CHECK(ret == PTHREAD_CANCELED);
	before = fake_engine.packets;
	fake_send();
	reaches(&fake_engine.packets, before + 1);
}

static void *cancelled_with_lock(void *arg)
{
	engine_lock();
	pthread_testcancel();
	*(_Atomic unsigned *)arg += 1;
	nap(10); /* a cancellation point too */
	engine_unlock();
	pthread_testcancel();
	*(_Atomic unsigned *)arg += 1;
	return NULL;
}

static void test_cancel_with_lock(void)
{
	_Atomic unsigned steps = 0;
	pthread_t thread;

	engine_lock();
	CHECK_INT(pthread_create(&thread, NULL, cancelled_with_lock, (void *)&steps), 0);
	pthread_cancel(thread);
	engine_unlock();
	pthread_join(thread, NULL);
	CHECK(steps <= 1);
	flush(); /* the lock is free */
}

static void test_put_while_waiting(void)
{
	uint64_t one = 1;
	struct waiter w;

	start(&w);
	engine_put();
	CHECK_INT(engine_get(), 0);
	nap(20);
	CHECK_INT(w.ended, 0);
	CHECK_INT(write(event, &one, sizeof(one)), sizeof(one));
	pthread_join(w.thread, NULL);
	CHECK_INT(w.ret, 0);
	take_event();
	one = fake_engine.packets;
	fake_send();
	reaches(&fake_engine.packets, (unsigned)one + 1);
}

static void *sleep_on(void *arg)
{
	engine_lock();
	while (!*(bool *)arg)
		engine_sleep();
	engine_unlock();
	return NULL;
}

static void test_sleep(void)
{
	bool go = false;
	pthread_t thread;

	CHECK_INT(pthread_create(&thread, NULL, sleep_on, &go), 0);
	nap(5);
	engine_lock();
	engine_wake_all();
	engine_unlock();
	nap(5);
	engine_lock();
	go = true;
	engine_wake_all();
	engine_unlock();
	pthread_join(thread, NULL);
}

/* --------------------------------------------------------------------------- fork -- */

static void in_child(void)
{
	unsigned before;

	CHECK_INT(fake_forgets, 6);
	engine_put(); /* what the parent got */
	engine_poll_empty(&cq);
	if (SANITIZED) /* nor do they like threads of a child */
		return;
	CHECK_INT(engine_get(), 0);
	before = fake_engine.packets;
	fake_send();
	reaches(&fake_engine.packets, before + 1);
	engine_put();
}

static void test_fork(void)
{
	unsigned before = fake_engine.packets;
	struct waiter w;
	int status;
	pid_t pid;

	start(&w); /* it has the socket while the process forks */
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		in_child();
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
	CHECK_INT(fake_forgets, 0);
	fake_event = event;
	fake_send();
	pthread_join(w.thread, NULL);
	fake_event = -1;
	take_event();
	fake_send();
	reaches(&fake_engine.packets, before + 1);
}

static void *fork_often(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(fake_forgets != 6);
		if (pid < 0 || waitpid(pid, (int[]){ 1 }, 0) != pid)
			return (void *)1;
	}
	return NULL;
}

/* From a thread, while others are at work. */
static void test_fork_busy(void)
{
	pthread_t thread;
	void *ret;

	CHECK_INT(pthread_create(&thread, NULL, fork_often, NULL), 0);
	for (unsigned i = 0; i < 200; i++) {
		fake_send();
		spin(1);
	}
	pthread_join(thread, &ret);
	CHECK(!ret);
	wait_unparked();
}

int main(void)
{
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	CHECK(event >= 0);
	test_up_and_down();
	CHECK_INT(engine_get(), 0);
	test_thread();
	test_idle();
	test_timers();
	test_now();
	test_more();
	test_parking();
	test_polling_only();
	test_armed();
	test_seldom();
	test_found();
	test_deferred();
	test_fair();
	test_wait();
	test_hand_over();
	test_linger();
	test_wait_deferred();
	test_two_wait();
	test_wait_and_poll();
	test_signals();
	if (!SANITIZED) { /* they lose track of threads that are cancelled */
		test_cancel();
		test_cancel_with_lock();
	}
	test_put_while_waiting();
	test_sleep();
	test_fork();
	test_fork_busy();
	engine_put();
	return checks_end();
}
