// SPDX-License-Identifier: MIT
/* The threads that make progress, and when: the engine on a device that counts. */
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
#include "engine_app.h"

/* ----------------------------------------------------------------------- up, down -- */

static void test_up_and_down(void)
{
	rig_join_errno = EADDRINUSE;
	CHECK_INT(engine_get(), -1);
	CHECK_INT(errno, EADDRINUSE);
	CHECK_STR(engine_reason(), "the port is the cat's");
	rig_join_errno = 0;
	for (unsigned i = 0; i < 20; i++) {
		CHECK_INT(engine_get(), 0);
		CHECK_STR(engine_reason(), "");
		CHECK_INT(engine_get(), 0);
		engine_put();
		rig_send();
		reaches(&rig_thread.packets, i + 1);
		engine_put();
	}
	engine_put(); /* one too many does nothing */
	engine_poll_empty(&cq);
	CHECK_INT(rig_others.passes, 0);
}

/* --------------------------------------------------------------------- the thread -- */

static void test_thread(void)
{
	unsigned before = rig_thread.packets;

	rig_send();
	reaches(&rig_thread.packets, before + 1);
	rig_send_mad();
	reaches(&rig_mads_read, 1);
	rig_send_message();
	reaches(&rig_messages, 1);
	before = rig_refreshes;
	rig_change_address();
	reaches(&rig_refreshes, before + 1);
}

static _Atomic unsigned fired;
static uint64_t fired_at;

/* How many passes the thread makes for a packet, in some time. */
static unsigned passes_for_packet(void)
{
	unsigned had = packets(), passes = rig_thread.passes;

	rig_send();
	arrive(had + 1);
	nap(5);
	return rig_thread.passes - passes;
}

/* On a busy machine the thread may not get on in that time. */
static void looks_on(void)
{
	unsigned tries = 0;

	while (passes_for_packet() <= 5 && tries++ < PATIENCE)
		;
	CHECK(tries < PATIENCE);
}

/* On a busy machine that while may be over when the next packet comes. */
static void rests(void)
{
	unsigned tries = 0;

	do {
		app_yields_for = 1;
		for (unsigned i = 0; i < 50; i++)
			passes_for_packet();
		app_yields_for = 0;
	} while (passes_for_packet() > 2 && ++tries < 20);
	CHECK(tries < 20);
}

/* After a packet the thread looks on. If others have taken the processor again and again when it
 * gave way, it does not look on for a while. */
static void test_look_on(void)
{
	CHECK_INT(engine_get(), 0);
	looks_on();
	rests();
	looks_on();
	engine_put();
}

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
	engine_unlock();
	stays_idle();
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
	unsigned before = rig_tx_flushes;

	rig_more = 1000;
	flush();
	while (rig_more > 0)
		flush();
	CHECK(rig_tx_flushes > before + 10);
	rig_more = 50;
	flush();
	for (int i = 0; i < PATIENCE && rig_more; i++)
		nap(1);
	CHECK_INT(rig_more, 0);
	stays_idle();
}

/* ------------------------------------------------------------------------ polling -- */

static void test_parking(void)
{
	unsigned others = rig_others.packets, before = packets();

	for (unsigned i = 0; i < 100; i++) {
		park();
		rig_send();
		/* on a busy machine the thread may have the reading, and wait for its turn */
		for (uint64_t end = clock_ns() + PATIENCE * 1000000ull;
		     packets() == before + i && clock_ns() < end;)
			engine_poll_empty(&cq);
		CHECK_INT(packets(), before + i + 1);
	}
	/* a test that is kept from running for milliseconds may find that it has lost it */
	CHECK(rig_others.packets - others >= 50);
	park();
	rig_send(); /* and does not poll any more */
	arrive(before + 101);
	wait_unparked();
	stays_idle();
}

/* While the application polls the thread does not read, and its timers run all the same. */
static void test_polling_only(void)
{
	struct timer t = { .fn = fire };
	unsigned thread, before, ticks = 0;

	for (unsigned attempt = 0; attempt < 500 && ticks < 5; attempt++) {
		park();
		thread = rig_thread.passes;
		spin(5); /* less than others leave us at a time; two ticks end */
		if (parked() && rig_thread.passes == thread)
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
	rig_send_mad();
	for (unsigned i = 0; i < PATIENCE && rig_mads_read < 2; i++)
		spin(1);
	CHECK_INT(rig_mads_read, 2);
	engine_lock();
	timer_stop(&t);
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
	rig_send();
	arrive(before + 1);
	cq.armed = CQ_UNARMED;
}

static void test_seldom(void)
{
	for (unsigned i = 0; i < 20; i++) {
		nap(5);
		engine_poll_empty(&cq);
		CHECK(!parked());
	}
}

/* Does the thread stay parked when a poll finds something? On a busy machine the application may
 * have been away for too long anyway. */
static bool found_parked(void)
{
	unsigned tries = 0;
	bool is;

	do {
		park();
		engine_poll_found();
		is = parked();
	} while (!is && tries++ < 20);
	return is;
}

/* The application is away when a packet comes: it looks at its memory. On a busy machine it may
 * have been away before that already, which says nothing. */
static void stay_away(void)
{
	unsigned before, tries = 0;

	do {
		park();
		before = packets();
		rig_send();
		arrive(before + 1);
		CHECK(!parked());
		park();
	} while (!atomic_load(&engine_poller_leaves) && tries++ < 100);
	CHECK(tries < 100);
}

/* A poll that finds something leaves the thread parked, unless the application looks at its memory
 * then; until it comes back before the next packet does. */
static void test_found(void)
{
	unsigned before;

	CHECK(found_parked());
	stay_away();
	park();
	engine_poll_found();
	CHECK(!parked());
	before = packets();
	rig_send();
	arrive(before + 1);
	park();
	engine_poll_found();
	CHECK(!parked());
	flush(); /* it posts */
	CHECK(found_parked());
	wait_unparked();
}

/* The thread that gives the reading back has taken what had come in: the thread has no work from
 * it. Here too the application may be too slow to keep the socket until the packet is sent. */
static void test_found_takes(void)
{
	unsigned thread, mine, tries = 0;

	do {
		stay_away();
		park();
		thread = rig_thread.packets;
		mine = rig_others.packets;
		rig_send();
		engine_poll_found();
		CHECK(!parked());
		arrive(thread + mine + 1);
	} while (rig_thread.packets != thread && tries++ < 20);
	CHECK(tries < 20);
	thread = rig_thread.packets;
	rig_send(); /* it watches the socket */
	reaches(&rig_thread.packets, thread + 1);
	park();
	engine_poll_found();
	flush();
}

/* A packet to ourselves is taken in by the thread that sends it. */
static void test_here(void)
{
	unsigned thread, before, tries = 0;

	do {
		wait_unparked();
		thread = rig_thread.packets;
		before = packets();
		engine_lock();
		rig_send();
		engine_flush_here();
		engine_unlock();
		CHECK(packets() > before);
	} while (rig_thread.packets != thread && tries++ < 50);
	CHECK(tries < 50);
	wait_unparked();
	thread = rig_thread.packets;
	rig_send();
	reaches(&rig_thread.packets, thread + 1);
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

/* --------------------------------------------------------------------------- fork -- */

static void *fork_often(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(rig_forgets != 8);
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
		rig_send();
		spin(1);
	}
	pthread_join(thread, &ret);
	CHECK(!ret);
	wait_unparked();
}

int main(void)
{
	test_up_and_down();
	CHECK_INT(engine_get(), 0);
	test_thread();
	test_look_on();
	stays_idle();
	test_timers();
	test_now();
	test_more();
	test_parking();
	test_polling_only();
	test_armed();
	test_seldom();
	test_found();
	test_found_takes();
	test_here();
	test_fair();
	test_fork_busy();
	engine_put();
	return checks_end();
}
