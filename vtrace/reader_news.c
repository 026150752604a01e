/* SPDX-License-Identifier: MIT */
/* The news of a round, one by one: processes, calls, held threads, ends. */
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "heap.h"
#include "reader_own.h"
#include "recorded.h"
#include "shared_area.h"

#define LONGEST_WAIT_MS 16

static bool next_begun(struct reader *r, struct reader_news *news)
{
	if (r->nbegun == r->nprocesses)
		return false;
	*news = (struct reader_news){ .what = READER_BEGUN, .process = r->processes[r->nbegun++] };
	return true;
}

static bool next_lost(struct reader *r, struct reader_news *news)
{
	for (unsigned i = 0; i < SHARED_PROCESSES; i++) {
		struct process_place *place = &r->place[i];

		if (!place->process || place->told_lost >= place->lost)
			continue;
		*news = (struct reader_news){ .what = READER_LOST,
					      .process = place->process,
					      .n = place->lost - place->told_lost };
		place->told_lost = place->lost;
		return true;
	}
	return false;
}

/* Calls that libvtrace.so makes itself are of these. */
static bool is_possible(const struct record *r)
{
	return r->depth < SHARED_OWN_DEPTH || r->fn == &call_table[ROW_ibv_query_device] ||
	       r->fn == &call_table[ROW_ibv_query_port] ||
	       r->fn == &call_table[ROW_ibv_query_gid] || r->fn == &call_table[SHARED_LOOK_ROW] ||
	       r->fn == &call_table[SHARED_CHANGED_ROW];
}

static bool next_call(struct reader *r, struct reader_news *news)
{
	struct read_record *w;

	if (r->told == r->ready)
		return false;
	w = &r->waiting[r->told++];
	record_decode(w->image, true, &r->r);
	if (!is_possible(&r->r) || !record_is_whole(&r->r)) {
		*news = (struct reader_news){ .what = READER_LOST, .process = w->process, .n = 1 };
		return true;
	}
	record_objects_learn(w->process->objects, &r->r);
	*news = (struct reader_news){ .what = READER_CALL, .process = w->process, .r = &r->r };
	return true;
}

/* The arguments of an unfinished call, if its thread has kept them. */
static void decode_begun(struct reader *r, const struct record_slot *slot, unsigned row)
{
	uint64_t *image = r->begun;
	size_t n;

	memcpy(image, slot->begun, sizeof slot->begun);
	n = IMAGE_WORDS(image);
	if (n < IMAGE_ARGS || n > RECORD_BEGUN || IMAGE_ROW(image) != row ||
	    !record_is_sound(image))
		return;
	memset(image + n, 0, IMAGE_BEHIND(image) * sizeof *image);
	record_decode(image, false, &r->r);
	if (!record_is_whole(&r->r))
		r->r = (struct record){ .fn = r->r.fn };
}

/* The call in which a thread of the process is, or was when it ended. */
static bool next_inside(struct reader *r, const struct process_place *place, unsigned *thread,
			struct reader_news *news)
{
	const struct record_slot *slot;
	const struct call_fn *fn;
	uint32_t called;

	while (*thread < RECORD_THREADS) {
		slot = &place->area->slot[(*thread)++];
		called = atomic_load(&slot->called);
		fn = called && atomic_load(&slot->state) ? record_row(called - 1) : NULL;
		if (!fn)
			continue;
		r->r = (struct record){ .fn = fn };
		decode_begun(r, slot, called - 1);
		r->r.begin = r->r.end = reader_possible_time(r, atomic_load(&slot->called_at));
		r->r.thread = *thread - 1;
		r->r.depth = 0;
		r->r.count = 1;
		*news = (struct reader_news){ .what = READER_UNFINISHED,
					      .process = place->process,
					      .r = &r->r };
		return true;
	}
	return false;
}

static bool next_unfinished(struct reader *r, struct process_place *place, struct reader_news *news)
{
	return next_inside(r, place, &place->thread, news);
}

bool reader_inside(struct reader *r, struct traced *process, unsigned *thread,
		   struct reader_news *news)
{
	for (unsigned i = 0; i < SHARED_PROCESSES; i++)
		if (r->place[i].process == process)
			return next_inside(r, &r->place[i], thread, news);
	return false;
}

static bool has_waiting(const struct reader *r, const struct process_place *place, unsigned thread)
{
	for (size_t i = r->told; i < r->nwaiting; i++)
		if (r->waiting[i].place == place && IMAGE_THREAD(r->waiting[i].image) == thread)
			return true;
	return false;
}

/* A held thread is reported after its calls, of which the last is the one for which it is held. */
static bool next_held_of(const struct reader *r, struct process_place *place,
			 struct reader_news *news)
{
	for (unsigned i = 0; i < RECORD_THREADS; i++) {
		if (place->told[i] == place->held[i] || has_waiting(r, place, i))
			continue;
		place->told[i] = place->held[i];
		*news = (struct reader_news){ .what = READER_HELD,
					      .process = place->process,
					      .n = (uint32_t)place->held[i] };
		return true;
	}
	return false;
}

static bool next_held(struct reader *r, struct reader_news *news)
{
	for (unsigned i = 0; i < SHARED_PROCESSES; i++)
		if (r->place[i].process && next_held_of(r, &r->place[i], news))
			return true;
	return false;
}

static bool next_signaled(struct reader *r, struct reader_news *news)
{
	for (unsigned i = 0; i < SHARED_PROCESSES; i++) {
		struct process_place *place = &r->place[i];

		if (!place->process || !place->signal)
			continue;
		*news = (struct reader_news){ .what = READER_SIGNALED,
					      .process = place->process,
					      .n = place->signal };
		place->told_signal = place->signal;
		place->signal = 0;
		return true;
	}
	return false;
}

void reader_keep(struct reader *r)
{
	struct read_record *w = r->told ? &r->waiting[r->told - 1] : NULL;

	if (!w || !w->image)
		return;
	r->kept = xgrow(r->kept, r->nkept, sizeof *r->kept);
	r->kept[r->nkept++] = w->image;
	w->image = NULL;
}

void reader_hold(struct reader *r, const struct traced *process, unsigned thread)
{
	for (unsigned i = 0; i < SHARED_PROCESSES; i++)
		if (r->place[i].process == process)
			atomic_fetch_or(&r->shared->process[i].stops, UINT64_C(1) << thread);
}

void reader_release(struct reader *r)
{
	for (unsigned i = 0; i < SHARED_PROCESSES; i++) {
		struct shared_process *p = &r->shared->process[i];

		atomic_fetch_add(&p->went_on, 1);
		syscall(SYS_futex, &p->went_on, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
}

static bool next_news(struct reader *r, struct reader_news *news)
{
	if (r->told)
		free(r->waiting[r->told - 1].image), r->waiting[r->told - 1].image = NULL;
	if (next_begun(r, news) || next_lost(r, news) || next_call(r, news) || next_held(r, news) ||
	    next_signaled(r, news))
		return true;
	while (r->nending) {
		struct process_place *place = r->ending[r->nending - 1];

		if (next_unfinished(r, place, news))
			return true;
		r->nending--;
		*news = (struct reader_news){ .what = READER_ENDED, .process = place->process };
		reader_end_process(r, place);
		return true;
	}
	return false;
}

void reader_next(struct reader *r, struct reader_news *news, int timeout_ms)
{
	int waited = 0;

	if (next_news(r, news))
		return;
	for (;;) {
		reader_read_round(r);
		if (next_news(r, news)) {
			r->wait_ms = READER_SHORTEST_WAIT_MS;
			return;
		}
		*news = (struct reader_news){ .what = READER_NOTHING };
		if (waited >= timeout_ms)
			return;
		poll(NULL, 0, r->wait_ms);
		waited += r->wait_ms;
		if (r->wait_ms < LONGEST_WAIT_MS)
			r->wait_ms *= 2;
	}
}

uint64_t reader_told_until(const struct reader *r)
{
	return r->told < r->nwaiting ? r->waiting[r->told].moment : r->now;
}

bool reader_is_idle(const struct reader *r)
{
	if (r->told < r->nwaiting || r->nending)
		return false;
	for (unsigned i = 0; i < SHARED_PROCESSES; i++)
		if (r->place[i].process ||
		    atomic_load(&r->shared->process[i].state) == SHARED_READY)
			return false;
	return true;
}
