/* SPDX-License-Identifier: MIT */
#include "hold.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "call_record.h"
#include "default_signals.h"
#include "record_rings.h"

static struct {
	const struct shared_area *shared;
	struct shared_process *process;
} held_by;
static __thread bool to_hold;

static bool is_stop_errno(int err)
{
	const struct shared_area *s = held_by.shared;

	if (s->how.stop_on == SHARED_STOP_ERRNO)
		return err == s->how.stop_value;
	/* that nothing has come yet is no failure */
	return s->how.stop_on == SHARED_STOP_ANY && err != EAGAIN && err != EINTR && err != ENOENT;
}

static bool is_stop_status(enum ibv_wc_status status)
{
	const struct shared_area *s = held_by.shared;

	if (s->how.stop_on == SHARED_STOP_STATUS)
		return (int32_t)status == s->how.stop_value;
	return s->how.stop_on == SHARED_STOP_ANY && status != IBV_WC_SUCCESS;
}

/* Looks for such a status among the completions that the call has filled in. */
static bool has_stop_status(const struct record *r)
{
	const struct call_value *v = call_value_find(r->fn->args, "wc");
	enum ibv_wc_status status;
	const struct ibv_wc *wc;
	uint64_t wr_id;

	if (record_completion(r, &status, &wr_id))
		return is_stop_status(status);
	if (r->fn->says != RESULT_COUNT || !v)
		return false;
	wc = (const struct ibv_wc *)(uintptr_t)r->after[v - r->fn->args];
	for (uint64_t i = 0; wc && i < r->result; i++)
		if (is_stop_status(wc[i].status))
			return true;
	return false;
}

static bool stops_on_rule(void)
{
	return held_by.shared->how.stop_on == SHARED_STOP_RULE;
}

static void judge_call(void *arg, const struct record *r)
{
	(void)arg;
	if (r->depth)
		return;
	if (stops_on_rule())
		to_hold = !record_is_empty_poll(r);
	else
		to_hold = r->err ? is_stop_errno(r->err) : has_stop_status(r);
}

static unsigned own_place(void)
{
	return (unsigned)(record_own_slot() - record_area()->slot);
}

/* Waits until vtrace lets the thread go on, or has ended. */
static void wait_held(void)
{
	const struct timespec moment = { .tv_nsec = 100000000 };
	struct shared_process *p = held_by.process;
	const uint32_t went_on = atomic_load(&p->went_on);
	const int err = errno;
	const uint64_t time = atomic_fetch_add(&p->held, 1) + 1;

	atomic_store(&p->held_thread[own_place()], time << 32 | (uint32_t)syscall(SYS_gettid));
	while (atomic_load(&p->went_on) == went_on)
		if (syscall(SYS_futex, &p->went_on, FUTEX_WAIT, went_on, &moment, NULL, 0) &&
		    errno == ETIMEDOUT && record_reader_died(&held_by.shared->reader))
			break;
	errno = err;
}

/* -------------------------------------------------------------- until it was looked at -- */

#define LOOKS_MAX     32 /* per process: each takes some milliseconds */
#define PATIENCE      2	 /* s */
#define LAST_PATIENCE 20 /* s: of a program that has to end anyway */

bool hold_looks;
static bool looks_at_end; /* however often it has looked before */

/* Has vtrace found a mistake in a call of this thread? */
static bool is_to_stop(void)
{
	const uint64_t own = UINT64_C(1) << own_place();

	return stops_on_rule() && atomic_fetch_and(&held_by.process->stops, ~own) & own;
}

static bool was_looked_at(uint32_t look)
{
	return (int32_t)(look - atomic_load(&held_by.process->looked)) <= 0;
}

/* Waits for a limited time, as the reader may be stopped. look: the number of this one. */
static void await_look(uint32_t look, unsigned seconds)
{
	const struct timespec moment = { .tv_nsec = 100000000 };
	_Atomic uint32_t *looked = &held_by.process->looked;
	unsigned moments = seconds * 10;

	while (!was_looked_at(look) && moments && !record_reader_died(&held_by.shared->reader))
		if (syscall(SYS_futex, looked, FUTEX_WAIT, atomic_load(looked), &moment, NULL, 0) &&
		    errno == ETIMEDOUT)
			moments--;
}

static uint32_t ask_for_look(void)
{
	return atomic_fetch_add(&held_by.process->looks, 1) + 1;
}

void hold_until_looked_at(void)
{
	const uint32_t look = ask_for_look();
	const int err = errno;

	if (look >= LOOKS_MAX && !stops_on_rule())
		hold_looks = false;
	await_look(look, PATIENCE);
	if (is_to_stop())
		wait_held();
	errno = err;
}

static void hold_thread(void *arg)
{
	(void)arg;
	if (!to_hold)
		return;
	to_hold = false;
	if (stops_on_rule())
		hold_until_looked_at();
	else
		wait_held();
}

static void ask_to_look(int why)
{
	record_aside(SHARED_OWN_DEPTH);
	ibv_node_type_str((enum ibv_node_type)why);
	record_aside(-SHARED_OWN_DEPTH);
	hold_until_looked_at();
}

static int exit_status;

static void keep_status(int status, void *arg)
{
	(void)arg;
	exit_status = status;
}

/* At the end of the program vtrace asks the device what went wrong without an error. */
__attribute__((destructor)) static void hold_end(void)
{
	if (looks_at_end)
		ask_to_look(exit_status ? SHARED_FAILED : SHARED_END);
}

/* ------------------------------------------------------------ signals that end the program -- */

#define INSISTENT 3 /* signals that end the program at once; timeout(1) sends each twice */

static _Atomic unsigned signals;
static _Atomic int deadly;	   /* the first signal; 0: none has come */
static _Atomic uint32_t last_look; /* the look that it has asked for */

static void die(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

static void die_when_looked_at(void *arg)
{
	(void)arg;
	await_look(atomic_load(&last_look), LAST_PATIENCE);
	die(atomic_load(&deadly));
}

/* Is the thread in a call that does not wait? It may have a lock that the device needs to answer.
 */
static bool is_inside(void)
{
	const struct record_slot *slot = record_own_slot();
	const uint32_t called = slot ? atomic_load(&slot->called) : 0;

	return called && !record_row(called - 1)->waits;
}

/* vtrace asks the device, which is gone afterwards, what waits. A thread that is in a call goes on
 * until that has returned; if it does not, vtrace sends the signal again. */
static void hold_before_death(int number)
{
	static const struct record_watch watch = { .written = die_when_looked_at };
	const int err = errno;

	if (!looks_at_end || atomic_fetch_add(&signals, 1) + 1 >= INSISTENT) {
		die(number);
		return;
	}
	if (!atomic_load(&deadly)) {
		atomic_store(&held_by.process->signal, (uint32_t)number);
		atomic_store(&last_look, ask_for_look());
		atomic_store(&deadly, number);
		record_watch(&watch);
	}
	if (!is_inside() || was_looked_at(atomic_load(&last_look)) ||
	    record_reader_died(&held_by.shared->reader))
		die_when_looked_at(NULL);
	errno = err;
}

static void catch_deadly_signals(void)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGTERM };
	const struct sigaction a = { .sa_handler = hold_before_death,
				     .sa_flags = SA_RESTART | SA_NODEFER };

	catch_default_signals(numbers, sizeof numbers / sizeof *numbers, &a);
}

void record_ending(const struct call_fn *fn)
{
	(void)fn;
	if (hold_looks)
		ask_to_look(SHARED_DESTROYS);
}

void hold_begin(struct shared_area *shared, struct shared_process *process)
{
	static const struct record_watch watch = { .after = judge_call, .written = hold_thread };

	held_by.shared = shared;
	held_by.process = process;
	if (shared->how.stop_on != SHARED_STOP_NEVER)
		record_watch(&watch);
	hold_looks = shared->how.looks && dlsym(RTLD_DEFAULT, "uroce_inventory_of_process");
	looks_at_end = hold_looks || shared->how.checks;
	if (looks_at_end)
		on_exit(keep_status, NULL);
	if (hold_looks)
		catch_deadly_signals();
}

void hold_forget(void)
{
	hold_looks = looks_at_end = false;
}
