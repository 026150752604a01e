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

#define LOOKS_MAX 32 /* per process: each takes some milliseconds */
#define PATIENCE  2  /* s */

bool hold_looks;
static bool looks_at_end; /* however often it has looked before */

/* Has vtrace found a mistake in a call of this thread? */
static bool is_to_stop(void)
{
	const uint64_t own = UINT64_C(1) << own_place();

	return stops_on_rule() && atomic_fetch_and(&held_by.process->stops, ~own) & own;
}

/* Waits for a limited time: the reader may be stopped. */
void hold_until_looked_at(void)
{
	const struct timespec moment = { .tv_sec = PATIENCE };
	struct shared_process *p = held_by.process;
	const uint32_t mine = atomic_fetch_add(&p->looks, 1) + 1;
	const int err = errno;
	uint32_t looked;

	if (mine >= LOOKS_MAX && !stops_on_rule())
		hold_looks = false;
	while ((int32_t)(mine - (looked = atomic_load(&p->looked))) > 0)
		if (syscall(SYS_futex, &p->looked, FUTEX_WAIT, looked, &moment, NULL, 0) &&
		    errno == ETIMEDOUT)
			break;
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
}

void hold_forget(void)
{
	hold_looks = looks_at_end = false;
}
