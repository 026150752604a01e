/* SPDX-License-Identifier: MIT */
#include "freed.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "hold.h"
#include "recorded.h"
#include "record_rings.h"

#define PUBLIC __attribute__((visibility("default")))

struct registered {
	uint64_t mr, at, len;
};

bool freed_is_noted;
static bool holds; /* vtrace --stop-on freed, or another rule */
static struct {
	pthread_mutex_t lock;
	struct registered *v;
	size_t n, size; /* bytes of v */
} the = { .lock = PTHREAD_MUTEX_INITIALIZER };
/* Around all that were registered so far: most of what is freed is outside. */
static _Atomic uint64_t lowest = UINT64_MAX, highest;
/* This file has called. A look at it must not allocate, which calls realloc(). */
static __thread bool is_within __attribute__((tls_model("initial-exec")));

void freed_begin(const struct shared_area *s)
{
	holds = s->how.stop_on == SHARED_STOP_RULE;
	freed_is_noted = s->how.frees;
}

/* Another thread of the parent may have had the lock. */
void freed_forget(void)
{
	freed_is_noted = false;
	pthread_mutex_init(&the.lock, NULL);
	the.v = NULL;
	the.n = the.size = 0;
	lowest = UINT64_MAX;
	highest = 0;
}

/* ----------------------------------------------------------------------------- regions -- */

/* Not by malloc(): that of the program may have a lock of its own while it calls munmap(), which
 * asks for this one. */
static bool make_room(void)
{
	const size_t size = the.size ? 2 * the.size : 4096;
	const int how = MAP_PRIVATE | MAP_ANONYMOUS;
	void *v = the.size ? mremap(the.v, the.size, size, MREMAP_MAYMOVE)
			   : mmap(NULL, size, PROT_READ | PROT_WRITE, how, -1, 0);

	if (v == MAP_FAILED)
		return false;
	the.v = v;
	the.size = size;
	return true;
}

static void add(uint64_t address, const struct ibv_mr *mr)
{
	const uint64_t at = (uintptr_t)mr->addr;

	if (!at || !mr->length || mr->length > UINT64_MAX / 2)
		return;
	if ((the.n + 1) * sizeof *the.v > the.size && !make_room())
		return;
	the.v[the.n++] = (struct registered){ address, at, mr->length };
	if (at < lowest)
		lowest = at;
	if (at + mr->length > highest)
		highest = at + mr->length;
}

static void take_out(uint64_t address)
{
	for (size_t i = 0; i < the.n; i++)
		if (the.v[i].mr == address)
			the.v[i--] = the.v[--the.n];
}

/* Do requests name the memory of the region by its own addresses? Others cannot be compared. */
static bool has_own_addresses(const struct call_fn *fn, const uint64_t *args)
{
	const struct call_value *iova = call_value_find(fn->args, "iova"),
				*addr = call_value_find(fn->args, "addr");

	return !iova || (addr && args[iova - fn->args] == args[addr - fn->args]);
}

void freed_learn(const struct call_fn *fn, const uint64_t *args, uint64_t result)
{
	const bool is_made = fn->result.role == CALL_MADE && fn->result.object == OBJECT_MR;
	const bool is_gone = fn->args[0].role == CALL_GONE && fn->args[0].object == OBJECT_MR;
	const bool is_moved = fn == &call_table[ROW_ibv_rereg_mr] &&
			      args[1] & IBV_REREG_MR_CHANGE_TRANSLATION;

	if (!is_made && !is_gone && !is_moved)
		return;
	is_within = true;
	pthread_mutex_lock(&the.lock);
	take_out(is_made ? result : args[0]);
	if (is_made && has_own_addresses(fn, args))
		add(result, (const struct ibv_mr *)(uintptr_t)result);
	if (is_moved)
		add(args[0], (const struct ibv_mr *)(uintptr_t)args[0]);
	pthread_mutex_unlock(&the.lock);
	is_within = false;
}

/* ----------------------------------------------------------------- for memory_calls.c -- */

PUBLIC bool vtrace_may_be_registered(const void *p)
{
	return freed_is_noted && p && !is_within && (uintptr_t)p < highest;
}

PUBLIC bool vtrace_is_registered(uint64_t at, uint64_t len)
{
	bool found = false;

	if (at + len <= lowest)
		return false;
	is_within = true;
	pthread_mutex_lock(&the.lock);
	for (size_t i = 0; i < the.n && !found; i++)
		found = at < the.v[i].at + the.v[i].len && the.v[i].at < at + len;
	pthread_mutex_unlock(&the.lock);
	is_within = false;
	return found;
}

PUBLIC void vtrace_note_freed(uint64_t at, uint64_t len, enum shared_freed by,
			      struct record_from from)
{
	const uint64_t args[] = { 0, by, at, len };
	const int err = errno;
	struct record_call call;

	is_within = true;
	record_aside(SHARED_OWN_DEPTH);
	record_begin(&call, SHARED_CHANGED_ROW, args, from);
	record_end(&call, 0);
	record_aside(-SHARED_OWN_DEPTH);
	if (holds && record_own_slot())
		hold_until_looked_at();
	is_within = false;
	errno = err;
}
