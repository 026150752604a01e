// SPDX-License-Identifier: MIT
/*
 * The thread that reads packets. They come through memory (pair.h) and on a socket. One reader at a
 * time takes in both, in a pass, under the lock. A thread of the program that polls an empty queue
 * or waits for an event is the reader; otherwise the engine's thread is. A reader that polls or
 * spins needs no bell, so a packet through memory costs no system call. A program keeps the reading
 * until it has not polled for a tick. If packets had come by then, it looks at its memory instead:
 * from then on it releases the reading whenever a poll finds something, until it polls or posts
 * again before the next packet.
 *
 * After packets the engine's thread looks on for a while before it sleeps, unless somebody else
 * wants its processor: the thread gives way after each pass, and the time until it is back tells.
 */
#include "engine_own.h"

#include "completion_queue.h"
#include "order.h"
#include "pair.h"
#include "transport.h"

#define TICK	   (2 * MS) /* a program that has not polled for so long does not read any more */
#define SHORT_TICK (TICK / 10) /* while something is held back for some passes: base/order.h */
#define BATCH	   32	       /* packets of a pass, of each process and of the socket */
#define HERE	   8	       /* passes after a post to this process itself */
#define LOOK_ON	   (MS / 20)   /* how long the engine's thread looks on after packets */
/* The thread does not look on for so long then; for twice as long if the processor is wanted again
 * sooner than the last rest was long. */
#define REST_FIRST (10 * MS)
#define REST_MOST  (640 * MS)

static struct {
	bool in_pass;
	enum reader reader;
	const void *waiter; /* who reads, with READER_WAITER */
	uint64_t last_poll; /* of a queue that is not armed; with READER_POLLERS a tick begins then
			     */
	bool poller_released; /* the reading, and no packet has come since */
	bool reader_spins;    /* the engine's thread, or one that waits, does not sleep yet */
	bool more;	      /* to be sent: another pass is due */
	bool unread;	      /* a frame that no bell will ring for: await_bell() */
} e;

/* The engine's thread alone uses this: until when it looks on, and does not. */
static struct {
	uint64_t until, rests_until, rest;
} look;

_Atomic bool engine_poller_reads, engine_poller_leaves;

/* Unread frames are for the reader. A thread that waits makes another pass by itself. */
static bool is_due_to_thread(void)
{
	return e.more || (e.unread && e.reader == READER_THREAD);
}

/* A program that polls runs the timers itself, and sends what is held: a timer of the kernel for
 * that would wake the thread all the time. */
static uint64_t next_deadline(void)
{
	uint64_t next = transport_held_until();

	if (e.reader == READER_POLLERS)
		return e.last_poll + (order_waiting() ? SHORT_TICK : TICK);
	if (is_due_to_thread())
		return 0;
	return timer_next() < next ? timer_next() : next;
}

/* ---------------------------------------------------------------------- passes -- */

/* The bell wakes a reader that sleeps. */
static void await_bell(void)
{
	bool awake = e.reader == READER_POLLERS || e.reader_spins;

	if (awake)
		pair_wake();
	e.unread = !awake && !pair_sleep();
}

/* Answers and acknowledgements leave at its end. */
static void end_pass(void)
{
	e.more = transport_finish();
	tx_flush();
	e.in_pass = false;
}

/* Returns how many packets came. */
static unsigned read_and_answer(enum rx_socket socket)
{
	unsigned n;

	e.in_pass = true;
	n = rx_packets(BATCH, socket);
	if (n)
		e.poller_released = false;
	timer_run(engine_now());
	order_step();
	end_pass();
	return n;
}

/* Like read_and_answer(), but nobody rings the bell meanwhile. */
static unsigned pass(enum rx_socket socket)
{
	unsigned n;

	pair_wake();
	n = read_and_answer(socket);
	await_bell();
	return n;
}

bool progress_pass(enum rx_socket socket, bool spins)
{
	e.reader_spins = spins;
	pass(socket);
	thread_wake_at(next_deadline());
	return e.more || e.unread;
}

/* A program polls or posts. If it has released the reading, it is back before the next packet. */
static void poller_is_back(void)
{
	if (e.poller_released)
		engine_poller_leaves = false;
	e.poller_released = false;
}

void engine_flush(void)
{
	if (e.in_pass)
		return;
	poller_is_back();
	end_pass();
	thread_wake_at(next_deadline());
}

void engine_timer_set(void)
{
	if (!e.in_pass)
		thread_wake_at(next_deadline());
}

/* -------------------------------------------------------------- who reads packets -- */

static void set_reader(enum reader reader)
{
	e.reader = reader;
	e.reader_spins = false;
	if (reader != READER_POLLERS)
		thread_watch_packets(reader == READER_THREAD);
	await_bell();
	atomic_store_explicit(&engine_poller_reads, reader == READER_POLLERS, memory_order_relaxed);
	thread_wake_at(next_deadline());
}

bool progress_begin_wait(const void *who)
{
	e.last_poll = 0; /* it does not poll */
	e.waiter = who;
	if (e.reader != READER_WAITER || e.reader_spins) /* it may sleep at once */
		set_reader(READER_WAITER);
	return e.more || e.unread;
}

bool progress_has_waiter(void)
{
	return e.reader == READER_WAITER;
}

bool progress_reads(const void *who)
{
	return progress_has_waiter() && e.waiter == who;
}

void progress_end_wait(const void *who)
{
	if (progress_reads(who))
		set_reader(READER_THREAD);
}

/* Packets that have come already are taken in first. */
void engine_release_reading(void)
{
	SCOPED_ENGINE_LOCK();
	if (!thread_runs() || e.reader != READER_POLLERS)
		return;
	pass(RX_MAYBE);
	set_reader(READER_THREAD);
	e.poller_released = true;
}

/* Packets to this process itself would wake the thread in the middle of the call. A pass costs less
 * than that, and the program does not have to wait for it. */
void engine_flush_here(void)
{
	bool reads = thread_runs() && !e.in_pass && e.reader != READER_WAITER && !order_on();

	if (reads) {
		e.last_poll = engine_now();
		set_reader(READER_POLLERS);
	}
	engine_flush();
	for (unsigned i = 0; reads && i < HERE && pass(RX_MAYBE); i++)
		;
}

/* A thread that polls rarely does not become the reader, nor does one that has armed the queue: it
 * will wait for the event. If another thread is the reader, and sleeps until the bell wakes it, the
 * bell stays as it is: nothing else would wake that thread. */
unsigned progress_poll(struct cq *cq)
{
	uint64_t now = engine_now();
	bool leave_bell;
	unsigned n;

	if (!thread_runs())
		return 0;
	poller_is_back();
	if (e.reader != READER_POLLERS && !cq_is_armed(cq) && now - e.last_poll < TICK)
		set_reader(READER_POLLERS);
	e.last_poll = cq_is_armed(cq) ? 0 : now;
	leave_bell = e.reader == READER_WAITER && !e.reader_spins;
	n = leave_bell ? read_and_answer(RX_MAYBE) : pass(RX_MAYBE);
	thread_wake_at(next_deadline());
	return n;
}

/* ------------------------------------------------------------------- the thread -- */

void progress_begin_turn(void)
{
	e.in_pass = true;
}

static void pass_and_look_on(enum rx_socket socket)
{
	uint64_t now = engine_now();

	pair_wake();
	if (read_and_answer(socket) && now >= look.rests_until)
		look.until = now + LOOK_ON;
	e.reader_spins = now < look.until;
	await_bell();
}

bool progress_turn(enum rx_socket socket)
{
	if (e.reader == READER_POLLERS && engine_now() - e.last_poll >= TICK) {
		set_reader(READER_THREAD);
		if (pass(RX_READY))
			engine_poller_leaves = true;
	} else if (e.reader == READER_THREAD) {
		pass_and_look_on(socket);
	} else {
		if (socket == RX_READY) /* it need not wake the thread while the program reads it */
			thread_watch_packets(false);
		timer_run(engine_now());
		order_step();
		end_pass();
	}
	if ((e.reader != READER_POLLERS && is_due_to_thread()) ||
	    (e.reader == READER_THREAD && e.reader_spins))
		return true;
	thread_wake_at(next_deadline());
	return false;
}

void progress_rest(void)
{
	const uint64_t now = engine_clock();

	look.until = 0;
	if (now < look.rests_until)
		return;
	if (now - look.rests_until >= look.rest)
		look.rest = REST_FIRST;
	else if (look.rest < REST_MOST)
		look.rest *= 2;
	look.rests_until = now + look.rest;
}

/* Nobody waits or spins. */
void progress_reset(void)
{
	e.reader = READER_THREAD;
	e.in_pass = e.reader_spins = e.more = e.unread = e.poller_released = false;
	e.last_poll = 0;
	look.until = 0;
	engine_poller_reads = engine_poller_leaves = false;
}

void progress_begin(bool may_look_on)
{
	look.rests_until = may_look_on ? 0 : UINT64_MAX;
	await_bell();
	thread_wake_at(next_deadline()); /* timers may be left of the time before */
}
