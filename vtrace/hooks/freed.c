/* SPDX-License-Identifier: MIT */
#include "freed.h"

#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "call_record.h"
#include "recorded.h"
#include "shared_area.h"

#define PUBLIC __attribute__((visibility("default")))

struct registered {
	uint64_t mr, at, len;
};

bool freed_is_noted;
static struct {
	pthread_mutex_t lock;
	struct registered *v;
	unsigned n, room;
} the = { .lock = PTHREAD_MUTEX_INITIALIZER };
/* Around all that were registered so far: most of what is freed is outside. */
static _Atomic uint64_t lowest = UINT64_MAX, highest;
static __thread bool is_within; /* this file has called */

/* Those of a sanitizer, which must not be looked up: it may call them before it has begun. */
extern __typeof__(free) __interceptor_free __attribute__((weak));
extern __typeof__(realloc) __interceptor_realloc __attribute__((weak));

/* An allocator of the program may be before this library. NULL: dlsym() itself frees the text of an
 * earlier error. */
static void *next_of(const char *name, const void *own)
{
	static __thread bool is_looking;
	void *found;

	if (is_looking)
		return NULL;
	is_looking = true;
	found = dlsym(RTLD_DEFAULT, name);
	if (!found || found == own)
		found = dlsym(RTLD_NEXT, name);
	is_looking = false;
	return found;
}

#define NEXT(name)                                                                 \
	({                                                                         \
		static __typeof__(&name) _Atomic next;                             \
		__typeof__(&name) found = __interceptor_##name;                    \
		if (!found)                                                        \
			found = atomic_load_explicit(&next, memory_order_relaxed); \
		if (!found) {                                                      \
			*(void **)(void *)&found = next_of(#name, (void *)&name);  \
			atomic_store(&next, found);                                \
		}                                                                  \
		found;                                                             \
	})

/* ----------------------------------------------------------------------------- regions -- */

static void add(uint64_t address, const struct ibv_mr *mr)
{
	const uint64_t at = (uintptr_t)mr->addr;
	struct registered *v;

	if (!at || !mr->length || mr->length > UINT64_MAX / 2)
		return;
	if (the.n == the.room) {
		v = realloc(the.v, (the.room + 64) * sizeof *v);
		if (!v)
			return;
		the.v = v;
		the.room += 64;
	}
	the.v[the.n++] = (struct registered){ address, at, mr->length };
	if (at < lowest)
		lowest = at;
	if (at + mr->length > highest)
		highest = at + mr->length;
}

static void take_out(uint64_t address)
{
	for (unsigned i = 0; i < the.n; i++)
		if (the.v[i].mr == address)
			the.v[i--] = the.v[--the.n];
}

void freed_learn(const struct call_fn *fn, const uint64_t *args, uint64_t result)
{
	const bool is_made = fn->result.role == CALL_MADE && fn->result.object == OBJECT_MR;
	const bool is_gone = fn->args[0].role == CALL_GONE && fn->args[0].object == OBJECT_MR;

	if (!is_made && !is_gone)
		return;
	is_within = true;
	pthread_mutex_lock(&the.lock);
	take_out(is_made ? result : args[0]);
	if (is_made)
		add(result, (const struct ibv_mr *)(uintptr_t)result);
	pthread_mutex_unlock(&the.lock);
	is_within = false;
}

static bool is_registered(uint64_t at, uint64_t len)
{
	bool found = false;

	pthread_mutex_lock(&the.lock);
	for (unsigned i = 0; i < the.n && !found; i++)
		found = at < the.v[i].at + the.v[i].len && the.v[i].at < at + len;
	pthread_mutex_unlock(&the.lock);
	return found;
}

/* ------------------------------------------------------------------------------- memory -- */

static bool may_be_registered(const void *p)
{
	return freed_is_noted && p && !is_within && (uintptr_t)p < highest;
}

/* is_unmapped: nobody can get it again with its contents. */
static void note(uint64_t at, uint64_t len, bool is_unmapped, struct record_from from)
{
	const uint64_t args[] = { 0, is_unmapped, at, len };
	const int err = errno;
	struct record_call call;

	if (at + len <= lowest)
		return;
	is_within = true;
	if (is_registered(at, len)) {
		record_aside(SHARED_OWN_DEPTH);
		record_begin(&call, SHARED_CHANGED_ROW, args, from);
		record_end(&call, 0);
		record_aside(-SHARED_OWN_DEPTH);
	}
	is_within = false;
	errno = err;
}

#define FROM record_from(__builtin_return_address(0), __builtin_frame_address(0))

PUBLIC void free(void *p)
{
	void (*const on)(void *) = NEXT(free);

	if (may_be_registered(p))
		note((uintptr_t)p, malloc_usable_size(p), false, FROM);
	if (on)
		on(p);
}

PUBLIC void *realloc(void *p, size_t size)
{
	const bool is_seen = may_be_registered(p);
	const uint64_t at = (uintptr_t)p, len = is_seen ? malloc_usable_size(p) : 0;
	void *now = NEXT(realloc)(p, size);

	if (is_seen && (uintptr_t)now != at && (now || !size))
		note(at, len, false, FROM);
	return now;
}

/* A sanitizer of the program goes on to this function, which goes on to libc's. */
PUBLIC int munmap(void *p, size_t len)
{
	static int (*_Atomic next)(void *, size_t);
	int (*on)(void *, size_t) = atomic_load_explicit(&next, memory_order_relaxed);
	int rc;

	if (!on) {
		*(void **)(void *)&on = dlsym(RTLD_NEXT, "munmap");
		atomic_store(&next, on);
	}
	rc = on(p, len);

	if (rc == 0 && may_be_registered(p))
		note((uintptr_t)p, len, true, FROM);
	return rc;
}
