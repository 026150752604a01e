// SPDX-License-Identifier: MIT
#include "lent.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "engine.h"
#include "shown.h"

#define GRANULE 8u

struct range {
	uintptr_t from, to;
};

/* A request whose memory is lent. */
struct loan {
	TAILQ_ENTRY(loan) entry;
	const void *queue, *from; /* where it was posted */
	uint32_t position;
	unsigned n;
	struct range ranges[];
};

bool lent_seen;
static __thread const void *posted_from;

static TAILQ_HEAD(, loan) loans = TAILQ_HEAD_INITIALIZER(loans);

/* NULL where there is no such sanitizer. */
static struct {
	void (*poison)(void const volatile *at, size_t n);
	void (*unpoison)(void const volatile *at, size_t n);
	void (*on_error)(void (*tell)(const char *report));
	void *(*address)(void); /* of the report */
	void (*symbolize)(const void *pc, const char *format, char *text, size_t size);
} asan;
static struct {
	void *(*create)(unsigned flags);
	void *(*current)(void);
	void (*go)(void *fiber, unsigned flags);
	void (*name)(void *fiber, const char *name);
	void (*acquire)(void *at);
	void (*release)(void *at);
	void (*read)(void *at, unsigned long n);
	void (*write)(void *at, unsigned long n);
	void (*enter)(const void *from);
	void (*leave)(void);
	void *device[2]; /* fibers: of send queues, of receive queues */
} tsan;
#define NO_SYNC 1u

static bool find(const char *name, void *fn)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	memcpy(fn, &found, sizeof found);
	return found;
}

static const struct loan *find_loan(const void *queue, uintptr_t at)
{
	const struct loan *l;

	TAILQ_FOREACH(l, &loans, entry)
		for (unsigned i = 0; i < l->n && (!queue || l->queue == queue); i++)
			if (at >= l->ranges[i].from && at < l->ranges[i].to)
				return l;
	return NULL;
}

/* The program ends after the report: nothing is locked, and nothing freed. With halt_on_error=0 it
 * goes on, and the device may change the list meanwhile: that is not guarded against, since this
 * thread may have the lock itself. */
static void tell_post(const char *report)
{
	const void *const at = asan.address();
	const struct loan *l = find_loan(NULL, (uintptr_t)at);
	char places[2048] = "", *place = places, text[4096];

	(void)report;
	if (!l)
		return;
	/* several strings, from the innermost on, if functions of verbs.h are inlined there */
	asan.symbolize(l->from, "%S in %f", places, sizeof places);
	while (strstr(place, " in ibv_") && place[strlen(place) + 1])
		place += strlen(place) + 1;
	fprintf(stderr, "uroce: %p was lent to the device by a request that was posted at %s\n", at,
		shown(text, sizeof text, place, false));
}

/* A device that has a sanitizer itself is tested by it, and tells it nothing. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_ITS_OWN 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_ITS_OWN 1
#endif

#ifdef HAS_ITS_OWN
void lent_look(void)
{
	(void)find, (void)tell_post;
}
#else
void lent_look(void)
{
	bool has_asan = find("__asan_poison_memory_region", &asan.poison);
	bool has_tsan = find("__tsan_create_fiber", &tsan.create);

	has_asan &= find("__asan_unpoison_memory_region", &asan.unpoison);
	has_asan &= find("__asan_set_error_report_callback", &asan.on_error);
	has_asan &= find("__asan_get_report_address", &asan.address);
	has_asan &= find("__sanitizer_symbolize_pc", &asan.symbolize);
	has_tsan &= find("__tsan_get_current_fiber", &tsan.current);
	has_tsan &= find("__tsan_switch_to_fiber", &tsan.go);
	has_tsan &= find("__tsan_set_fiber_name", &tsan.name);
	has_tsan &= find("__tsan_acquire", &tsan.acquire);
	has_tsan &= find("__tsan_release", &tsan.release);
	has_tsan &= find("__tsan_read_range", &tsan.read);
	has_tsan &= find("__tsan_write_range", &tsan.write);
	has_tsan &= find("__tsan_func_entry", &tsan.enter);
	has_tsan &= find("__tsan_func_exit", &tsan.leave);
	if (!has_asan)
		asan.poison = NULL;
	else
		asan.on_error(tell_post);
	if (!has_tsan)
		tsan.create = NULL;
	lent_seen = has_asan || has_tsan;
	if (lent_seen)
		guard_copy_unseen();
	for (unsigned i = 0; has_tsan && i < 2 && !tsan.device[i]; i++) {
		tsan.device[i] = tsan.create(0);
		tsan.name(tsan.device[i],
			  i ? "the device: receive queues" : "the device: send queues");
	}
}
#endif

/* ------------------------------------------------------------- AddressSanitizer -- */

/* The stack of this thread. */
static bool is_on_stack(uintptr_t at)
{
	static __thread struct range stack;
	pthread_attr_t attr;
	void *low;
	size_t n;

	if (!stack.to && pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_getstack(&attr, &low, &n);
		pthread_attr_destroy(&attr);
		stack = (struct range){ (uintptr_t)low, (uintptr_t)low + n };
	}
	return at >= stack.from && at < stack.to;
}

static void poison(const struct range *r)
{
	asan.poison((void *)r->from, r->to - r->from);
}

/* The parts of a range that other loans have, too, stay poisoned. */
static void unpoison(const struct range *r)
{
	const struct loan *l;

	if (!asan.poison)
		return;
	asan.unpoison((void *)r->from, r->to - r->from);
	TAILQ_FOREACH(l, &loans, entry)
		for (unsigned i = 0; i < l->n; i++)
			if (l->ranges[i].from < r->to && r->from < l->ranges[i].to)
				poison(&l->ranges[i]);
}

static void end_loan(struct loan *l)
{
	TAILQ_REMOVE(&loans, l, entry);
	for (unsigned i = 0; i < l->n; i++)
		unpoison(&l->ranges[i]);
	free(l);
}

static void begin_loan(const void *queue, uint32_t position, const struct ibv_sge *sge, int n)
{
	struct loan *l = malloc(sizeof *l + (size_t)n * sizeof *l->ranges);

	if (!l)
		return;
	*l = (struct loan){ .queue = queue, .position = position, .from = posted_from };
	for (int i = 0; i < n; i++) {
		const uintptr_t rest = asan.poison ? GRANULE - 1 : 0;
		const uintptr_t from = (sge[i].addr + rest) & ~rest;
		const uintptr_t to = (sge[i].addr + sge[i].length) & ~rest;

		if (from >= to || (asan.poison && is_on_stack(from)))
			continue;
		l->ranges[l->n++] = (struct range){ from, to };
		if (asan.poison)
			poison(&l->ranges[l->n - 1]);
	}
	TAILQ_INSERT_TAIL(&loans, l, entry);
}

static void end_some(const void *queue, uint32_t position, bool before, bool all)
{
	struct loan *l = TAILQ_FIRST(&loans), *next;

	for (; l; l = next) {
		next = TAILQ_NEXT(l, entry);
		if (l->queue == queue && (all || l->position == position ||
					  (before && (int32_t)(l->position - position) < 0)))
			end_loan(l);
	}
}

/* ------------------------------------------------------------------------- both -- */

void lent_begin(const void *from)
{
	posted_from = from;
}

void lent_out(const void *queue, uint32_t position, const struct ibv_sge *sge, int n, bool sink)
{
	if (tsan.create)
		tsan.release((void *)queue);
	if ((tsan.create || (asan.poison && sink)) && n > 0)
		begin_loan(queue, position, sge, n);
}

void lent_back(const void *queue, uint32_t position, bool before)
{
	end_some(queue, position, before, false);
}

void lent_forget(const void *queue)
{
	end_some(queue, 0, false, true);
}

void lent_forget_all(void)
{
	while (!TAILQ_EMPTY(&loans))
		end_loan(TAILQ_FIRST(&loans));
}

/* ------------------------------------------------------------- ThreadSanitizer -- */

void lent_access(const void *queue, bool recv, const void *at, size_t n, bool write)
{
	const struct loan *l;
	void *here;

	if (!tsan.create)
		return;
	l = find_loan(queue, (uintptr_t)at);
	here = tsan.current();
	tsan.go(tsan.device[recv], NO_SYNC);
	tsan.acquire((void *)queue);
	if (l)
		tsan.enter(l->from);
	(write ? tsan.write : tsan.read)((void *)at, n);
	if (l)
		tsan.leave();
	tsan.go(here, NO_SYNC);
}

void lent_completed(void *slot, bool recv)
{
	void *here;

	if (!tsan.create)
		return;
	here = tsan.current();
	tsan.go(tsan.device[recv], NO_SYNC);
	tsan.release(slot);
	tsan.go(here, NO_SYNC);
}

void lent_polled(void *slot)
{
	if (tsan.create)
		tsan.acquire(slot);
}
