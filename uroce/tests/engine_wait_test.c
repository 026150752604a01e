// SPDX-License-Identifier: MIT
/* The engine while applications wait for events, and when they fork meanwhile. */
#include "engine.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "checks.h"
#include "engine_own.h"
#include "engine_app.h"
#include "rig.h"

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
	_Atomic unsigned ended;
};

static void *wait_event(void *arg)
{
	struct waiter *w = arg;

	w->ret = engine_wait_fd(event);
	w->err = errno;
	w->ended++;
	return NULL;
}

/* Until it has the socket. */
static void start(struct waiter *w)
{
	memset(w, 0, sizeof(*w));
	rig_asked = pthread_self();
	CHECK_INT(pthread_create(&w->thread, NULL, wait_event, w), 0);
	for (int i = 0; i < PATIENCE && !pthread_equal(rig_asked, w->thread); i++)
		nap(1);
	engine_lock();
	CHECK(pthread_equal(rig_asked, w->thread));
	engine_unlock();
}

/* Packets are taken in by the one that waits, not by the thread. */
static void test_wait(void)
{
	unsigned thread, others = rig_others.packets;
	struct waiter w;

	start(&w);
	thread = rig_thread.passes;
	for (unsigned i = 0; i < 5; i++) {
		rig_send();
		reaches(&rig_others.packets, others + i + 1);
	}
	CHECK_INT(rig_thread.passes, thread);
	rig_event_fd = event;
	rig_send();
	pthread_join(w.thread, NULL);
	CHECK_INT(w.ret, 0);
	CHECK_INT(rig_thread.passes, thread);
	rig_event_fd = -1;
	take_event();
	rig_send(); /* it is the thread's again */
	for (int i = 0; i < PATIENCE && rig_thread.passes == thread; i++)
		nap(1);
	CHECK(rig_thread.passes > thread);
}

/* The event does not take the way over the kernel; only for one that waits for it. */
static void test_hand_over(void)
{
	struct waiter w;
	struct pollfd p = { .fd = event, .events = POLLIN };

	rig_offers_event = true;
	start(&w);
	rig_event_fd = event;
	rig_send();
	pthread_join(w.thread, NULL);
	CHECK_INT(w.ret, 1);
	CHECK_INT(poll(&p, 1, 0), 0);
	rig_send(); /* nobody waits */
	CHECK_INT(poll(&p, 1, PATIENCE), 1);
	rig_event_fd = -1;
	rig_offers_event = false;
	take_event();
}

/* Waits once, for an event that is there already; returns how many passes it has made before. */
static unsigned passes_of_a_wait(void)
{
	unsigned before = rig_others.passes;
	uint64_t one = 1;

	CHECK_INT(write(event, &one, sizeof(one)), sizeof(one));
	CHECK_INT(engine_wait_fd(event), 0);
	take_event();
	return rig_others.passes - before;
}

/* With memory that may have frames it spins before it sleeps, and less often after it has done so
 * in vain. */
static void test_spin_before_sleeping(void)
{
	rig_bell = eventfd(0, EFD_CLOEXEC);
	CHECK(passes_of_a_wait() > 0);
	for (unsigned skip = 2; skip <= 8; skip *= 2) {
		for (unsigned i = 0; i < skip; i++)
			CHECK_INT(passes_of_a_wait(), 0);
		CHECK(passes_of_a_wait() > 0);
	}
	close(rig_bell);
	rig_bell = -1;
	CHECK_INT(passes_of_a_wait(), 0);
}

/* A thread that begins to wait while another spins may sleep at once: the bell must wake it. */
static void test_wait_while_another_spins(void)
{
	int first, second;

	engine_lock();
	progress_begin_wait(&first);
	progress_pass(RX_EMPTY, true);
	CHECK(!rig_asleep);
	progress_begin_wait(&second);
	CHECK(rig_asleep);
	progress_end_wait(&second);
	engine_unlock();
}

/* Nor does the bell stay off when the device is closed and opened again meanwhile. */
static void test_open_again_while_another_spins(void)
{
	int waiter;

	engine_lock();
	progress_begin_wait(&waiter);
	progress_pass(RX_EMPTY, true);
	engine_unlock();
	engine_put();
	CHECK_INT(engine_get(), 0);
	engine_lock();
	CHECK(rig_asleep);
	engine_unlock();
}

/* A frame came before the bell was asked for, so that it will not ring. The thread that was to read
 * the frame loses the reading to another one, while a third one sends: who reads now must not sleep
 * on it. The engine's thread does not run round meanwhile: the frame is not its to read. */
static void test_wait_with_frame_left(void)
{
	unsigned others = rig_others.packets, turns;
	uint64_t one = 1;
	struct waiter w;
	int first;

	engine_lock();
	rig_frames = 1;
	progress_begin_wait(&first);
	CHECK(!rig_asleep);
	engine_unlock();
	turns = rig_thread.turns;
	nap(20);
	CHECK(rig_thread.turns <= turns + 2);
	flush();
	start(&w);
	reaches(&rig_others.packets, others + 1);
	CHECK(rig_asleep);
	CHECK_INT(write(event, &one, sizeof(one)), sizeof(one));
	pthread_join(w.thread, NULL);
	CHECK_INT(w.ret, 0);
	take_event();
}

/* A frame comes while another thread polls: the bell must still wake the one that sleeps. */
static void test_poll_while_another_sleeps(void)
{
	int sleeper;

	engine_lock();
	progress_begin_wait(&sleeper);
	progress_pass(RX_EMPTY, false);
	CHECK(rig_asleep);
	rig_frame_late = true;
	progress_poll(&cq);
	CHECK(rig_asleep);
	rig_frame_late = false;
	rig_frames = 0;
	progress_end_wait(&sleeper);
	engine_unlock();
}

/* The last one reads: the others may wait for what seldom comes. */
static void test_two_wait(void)
{
	unsigned others = rig_others.packets;
	struct waiter w[2];

	for (unsigned i = 0; i < 2; i++)
		start(&w[i]);
	for (unsigned i = 0; i < 3; i++) {
		rig_send();
		reaches(&rig_others.packets, others + i + 1);
		CHECK(pthread_equal(rig_reader, w[1].thread));
	}
	rig_event_fd = event;
	rig_send();
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(w[i].thread, NULL);
		CHECK_INT(w[i].ret, 0);
	}
	rig_event_fd = -1;
	take_event();
	others = rig_thread.packets;
	rig_send();
	reaches(&rig_thread.packets, others + 1);
}

/* A thread that polls all the time comes before one that waits: for asynchronous events, often. */
static void test_wait_and_poll(void)
{
	uint64_t one = 1;
	struct waiter w;
	unsigned mine = 0, before;

	start(&w);
	for (unsigned i = 0; i < 50; i++) {
		park();
		before = packets();
		rig_send();
		while (packets() == before)
			engine_poll_empty(&cq);
		mine += pthread_equal(rig_reader, pthread_self()) != 0;
	}
	CHECK(mine >= 25); /* it is never certain that this thread runs */
	CHECK_INT(write(event, &one, sizeof(one)), sizeof(one));
	pthread_join(w.thread, NULL);
	CHECK_INT(w.ret, 0);
	take_event();
	wait_unparked();
	stays_idle();
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
	for (int i = 0; i < PATIENCE && !w.ended; i++) { /* it may not sleep yet */
		pthread_kill(w.thread, SIGUSR1);
		nap(1);
	}
	CHECK_INT(w.ended, 1);
	pthread_join(w.thread, NULL);
	CHECK_INT(w.ret, -1);
	CHECK_INT(w.err, EINTR);
	sa.sa_flags = SA_RESTART;
	CHECK_INT(sigaction(SIGUSR1, &sa, NULL), 0);
	start(&w);
	pthread_kill(w.thread, SIGUSR1);
	nap(20);
	CHECK_INT(w.ended, 0);
	rig_event_fd = event;
	rig_send();
	pthread_join(w.thread, NULL);
	CHECK_INT(w.ret, 0);
	rig_event_fd = -1;
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
	before = rig_thread.packets;
	rig_send();
	reaches(&rig_thread.packets, before + 1);
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
	one = rig_thread.packets;
	rig_send();
	reaches(&rig_thread.packets, (unsigned)one + 1);
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
	int state;

	CHECK_INT(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state), 0);
	CHECK_INT(state, PTHREAD_CANCEL_ENABLE); /* it was so when it called fork() */
	CHECK_INT(rig_forgets, 8);
	engine_put(); /* what the parent got */
	engine_poll_empty(&cq);
	if (SANITIZED) /* nor do they like threads of a child */
		return;
	CHECK_INT(engine_get(), 0);
	before = rig_thread.packets;
	rig_send();
	reaches(&rig_thread.packets, before + 1);
	engine_put();
}

static void test_fork(void)
{
	unsigned before = rig_thread.packets;
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
	CHECK_INT(rig_forgets, 0);
	rig_event_fd = event;
	rig_send();
	pthread_join(w.thread, NULL);
	rig_event_fd = -1;
	take_event();
	rig_send();
	reaches(&rig_thread.packets, before + 1);
}

int main(void)
{
	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	CHECK(event >= 0);
	CHECK_INT(engine_get(), 0);
	test_wait();
	test_hand_over();
	test_spin_before_sleeping();
	test_wait_while_another_spins();
	test_open_again_while_another_spins();
	test_wait_with_frame_left();
	test_poll_while_another_sleeps();
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
	engine_put();
	return checks_end();
}
