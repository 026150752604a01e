/* SPDX-License-Identifier: MIT */
/*
 * Writing records: a call costs two reads of the clock and a copy of its arguments into the ring of
 * its thread.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record_rings.h"
#include "call_record.h"
#include "recorded.h"

#define NOWHERE	   UINT32_MAX
#define SCRATCH	   (1u << 16) /* bytes; holds the records of nested calls */
#define OPEN_POLLS 8

/* The record of empty polls, one for each CQ, since anything else was written. */
struct open_poll {
	uint64_t queue, at;
	unsigned row;
};

struct record_thread {
	struct record_slot *slot;
	unsigned number, depth;
	unsigned asides; /* of depth, those of record_aside() */
	bool no_slot;
	bool busy; /* a signal handler may interrupt */
	uint64_t last_time;
	uint64_t *scratch;
	uint32_t used; /* words of scratch */
	struct open_poll open[OPEN_POLLS];
	unsigned nopen;
	struct record_failure failure;
};

static __thread struct record_thread me __attribute__((tls_model("initial-exec")));

static struct {
	pthread_once_t once;
	struct record_area *area;
	struct row_plan *plans;
	void (*learn)(void *arg, const struct record *r);
	void *learn_arg;
	bool learns_empty;
	const struct call_fn *own;
	unsigned nown;
	pthread_key_t key;
	const struct record_watch *_Atomic watch;
	_Atomic bool off;
} the = { .once = PTHREAD_ONCE_INIT };

const struct call_fn *record_row(unsigned row)
{
	if (row < call_count)
		return &call_table[row];
	return row - call_count < the.nown ? &the.own[row - call_count] : NULL;
}

void record_no_memory(void)
{
	static const char said[] = "out of memory: calls cannot be recorded\n";
	ssize_t n = write(STDERR_FILENO, said, sizeof said - 1);

	(void)n;
	_exit(70);
}

static void make_plans(void)
{
	unsigned n = call_count + the.nown;

	free(the.plans);
	the.plans = calloc(n, sizeof *the.plans);
	if (!the.plans)
		record_no_memory();
	for (unsigned i = 0; i < n; i++)
		the.plans[i] = record_plan(record_row(i));
}

void record_own_rows(const struct call_fn *rows, unsigned n)
{
	record_area();
	the.own = rows;
	the.nown = n;
	make_plans();
}

/* ------------------------------------------------------------------------- rings -- */

/* Releases the slot of a thread that ends. Its records stay until the slot is needed. */
static void release_slot(void *slot)
{
	free(me.scratch);
	memset(&me, 0, sizeof me);
	me.no_slot = true; /* other destructors may still call verbs */
	atomic_store_explicit(&((struct record_slot *)slot)->state, SLOT_LEFT,
			      memory_order_release);
}

int record_area_at(void *memory, size_t size)
{
	if (size < record_area_size() && size != sizeof(struct record_area))
		return -1;
	record_area_lay_out(memory, size);
	the.area = memory;
	return 0;
}

static void begin_area(void)
{
	size_t size = record_area_size();
	void *memory;

	if (!the.area) {
		memory = record_area_memory(&size);
		if (memory)
			record_area_at(memory, size);
		else
			record_switch(false);
	}
	if (!the.plans) {
		pthread_key_create(&the.key, release_slot);
		make_plans();
	}
}

struct record_area *record_area(void)
{
	pthread_once(&the.once, begin_area);
	return the.area;
}

static bool take_slot(void)
{
	const int err = errno;

	me.slot = record_area() ? record_slot_take(the.area, &me.number) : NULL;
	if (me.slot && !me.scratch)
		me.scratch = malloc(SCRATCH);
	if (me.slot && me.scratch) {
		me.slot->tid = (uint32_t)syscall(SYS_gettid);
		pthread_setspecific(the.key, me.slot);
	} else {
		if (me.slot)
			atomic_store(&me.slot->state, SLOT_LEFT);
		me.slot = NULL;
		me.no_slot = true;
	}
	errno = err;
	return me.slot;
}

/* ------------------------------------------------------------------------- a call -- */

uint64_t record_time(void)
{
	uint64_t now;

	now = record_clock_read();
	if (now <= me.last_time)
		now = me.last_time + 1;
	me.last_time = now;
	return now;
}

/* Begins an image in the scratch of this thread; false: there is no room. */
static bool image_begin(struct image *m, unsigned row, const uint64_t *args, unsigned nargs,
			struct record_from from)
{
	size_t left = SCRATCH / 8 - me.used;

	if (left < IMAGE_MAX)
		return false;
	*m = (struct image){ .w = me.scratch + me.used, .n = IMAGE_ARGS + nargs, .max = IMAGE_MAX };
	m->w[IMAGE_SIZE] = (uint64_t)row << 16;
	m->w[IMAGE_COUNT] = UINT64_C(1) << 32 | nargs;
	m->w[IMAGE_FROM] = from.at;
	m->w[IMAGE_ABOVE] = from.above;
	for (unsigned i = 0; i < nargs; i++)
		m->w[IMAGE_ARGS + i] = args[i];
	return true;
}

static void image_end(struct image *m, uint64_t begin, uint64_t end, uint64_t result, int err)
{
	m->w[IMAGE_BEGIN] = begin;
	m->w[IMAGE_END] = end;
	m->w[IMAGE_WHERE] = (uint64_t)me.number << 48 | (uint64_t)me.depth << 32 | (uint32_t)err;
	m->w[IMAGE_COUNT] += (uint64_t)(m->left_out & 0xffff) << 16;
	m->w[IMAGE_RESULT] = result;
}

/* Decodes an image as readers do. Returns the memory of the record, to be freed; NULL: there is
 * none. */
static uint64_t *decode_copy(const struct image *m, bool ended, struct record *r)
{
	uint64_t *copy = calloc(m->n + IMAGE_BEHIND(m->w), sizeof *copy);

	if (!copy)
		return NULL;
	memcpy(copy, m->w, m->n * 8);
	copy[IMAGE_SIZE] |= (uint64_t)m->n << 48;
	record_decode(copy, ended, r);
	return copy;
}

static void call_watcher(const struct image *m, bool ended)
{
	const struct record_watch *watch = atomic_load_explicit(&the.watch, memory_order_acquire);
	void (*told)(void *, const struct record *);
	uint64_t *copy;
	struct record r;

	told = !watch ? NULL : ended ? watch->after : watch->before;
	copy = told ? decode_copy(m, ended, &r) : NULL;
	if (!copy)
		return;
	me.depth++;
	told(watch->arg, &r);
	me.depth--;
	free(copy);
}

static void tell_written(void)
{
	const struct record_watch *watch = atomic_load_explicit(&the.watch, memory_order_acquire);

	if (!watch || !watch->written)
		return;
	me.depth++;
	watch->written(watch->arg);
	me.depth--;
}

/* Stores a call that has begun, for readers while it runs or after the process has died. m: its
 * image, or NULL if its arguments point to no memory. */
static void keep_begun(const struct record_call *c, const struct row_plan *plan,
		       const struct image *m)
{
	uint64_t *kept = me.slot->begun;
	struct image alone;

	kept[IMAGE_SIZE] = 0;
	if (!m && image_begin(&alone, c->row, c->args, plan->nargs, c->from))
		m = &alone;
	if (!m || m->n > RECORD_BEGUN)
		return;
	memcpy(kept + 1, m->w + 1, (m->n - 1) * 8);
	atomic_signal_fence(memory_order_release);
	kept[IMAGE_SIZE] = m->w[IMAGE_SIZE] | (uint64_t)m->n << 48;
}

void record_begin(struct record_call *c, unsigned row, const uint64_t *args,
		  struct record_from from)
{
	const struct row_plan *plan;
	struct image m;

	*c = (struct record_call){ .row = NOWHERE, .from = from };
	if (atomic_load_explicit(&the.off, memory_order_relaxed))
		return;
	if (me.busy)
		return; /* called in a signal handler, or by what learns objects */
	if (!me.slot && (me.no_slot || !take_slot()) && !the.area)
		return;
	c->row = row;
	c->args = args;
	c->mark = NOWHERE;
	plan = &the.plans[row];
	if (plan->ends_cq && me.slot && !me.depth)
		record_ending(record_row(row));
	if (!me.slot) {
		atomic_fetch_add(&the.area->lost, 1);
		c->begin = record_time();
		return;
	}
	if ((plan->plan == PLAN_WALK && plan->path != RECORD_DATA) ||
	    atomic_load_explicit(&the.watch, memory_order_relaxed)) {
		const int err = errno;

		me.busy = true;
		if (image_begin(&m, row, args, plan->nargs, from)) {
			record_keep(&m, plan, record_row(row), args, RECORD_BEFORE, 0, false);
			c->mark = me.used;
			me.used += (uint32_t)m.n;
			m.w[IMAGE_RESULT] = m.left_out; /* until there is one */
			me.busy = false;
			image_end(&m, record_time(), 0, m.left_out, 0);
			call_watcher(&m, false);
		}
		me.busy = false;
		errno = err;
	}
	if (plan->keeps_begun && !me.depth)
		keep_begun(c, plan, c->mark == NOWHERE ? NULL : &m);
	c->begin = record_time();
	c->is_outermost = !me.depth;
	if (!me.depth++) {
		atomic_store_explicit(&me.slot->called_at, c->begin, memory_order_relaxed);
		atomic_store_explicit(&me.slot->called, row + 1, memory_order_release);
	}
}

/* Did the poll find the CQ empty? */
static bool is_empty_poll(const struct row_plan *plan, uint64_t result)
{
	return (plan->plan == PLAN_POLL && result == 0) || (plan->begins_poll && result == ENOENT);
}

static struct open_poll *open_poll(unsigned row, uint64_t queue)
{
	for (unsigned i = 0; i < me.nopen; i++)
		if (me.open[i].queue == queue && me.open[i].row == row)
			return &me.open[i];
	return NULL;
}

/* Adds an empty poll to the previous record of the same CQ; false: there is none, or a reader has
 * taken it. */
static bool merge_empty_poll(unsigned row, const uint64_t *args, uint64_t end)
{
	const struct open_poll *o = open_poll(row, args[0]);
	_Atomic uint64_t *w;
	uint64_t count;

	if (!o)
		return false;
	w = record_word(the.area, me.number, RECORD_DATA, o->at);
	count = atomic_load_explicit(w + IMAGE_COUNT, memory_order_relaxed);
	if (count >> 32 == UINT32_MAX || count & IMAGE_TAKEN)
		return false;
	atomic_store_explicit(w + IMAGE_END, end, memory_order_relaxed);
	return atomic_compare_exchange_strong_explicit(w + IMAGE_COUNT, &count,
						       count + (UINT64_C(1) << 32),
						       memory_order_relaxed, memory_order_relaxed);
}

static void write_image(struct image *m, const struct row_plan *plan, bool empty)
{
	uint64_t at = record_commit(the.area, me.number, plan->path, m->w, m->n);
	const struct open_poll new = { m->w[IMAGE_ARGS], at, IMAGE_ROW(m->w) };
	struct open_poll *o;

	if (plan->path != RECORD_DATA)
		return;
	if (!empty) {
		me.nopen = 0;
		return;
	}
	o = open_poll(new.row, new.queue);
	if (o)
		*o = new;
	else if (me.nopen < OPEN_POLLS)
		me.open[me.nopen++] = new;
}

/* Gives the record to the one who learns. Calls made within are not recorded. */
static void teach(const struct image *m)
{
	struct record r;
	uint64_t *copy = the.learn ? decode_copy(m, true, &r) : NULL;

	if (copy)
		the.learn(the.learn_arg, &r);
	free(copy);
}

/* Has the program asked for its own purposes, and got an answer that no other process reads? One
 * that asks all the time, to show states, would push out the calls of its user. */
static bool is_own_question(const struct record_call *c, const struct image *m)
{
	return me.asides && !record_is_kept() && record_row(c->row)->asks && !IMAGE_ERR(m->w);
}

/* Shows and stores a record. */
static void finish_image(struct image *m, const struct record_call *c, const struct row_plan *plan,
			 uint64_t end, bool empty)
{
	if (!empty || the.learns_empty)
		teach(m);
	if (atomic_load_explicit(&the.watch, memory_order_relaxed)) {
		const uint32_t used = me.used;

		me.used = (uint32_t)(m->w - me.scratch + (ptrdiff_t)m->n);
		me.busy = false;
		call_watcher(m, true);
		me.busy = true;
		me.used = used;
	}
	if (is_own_question(c, m))
		return;
	if (!empty || !merge_empty_poll(c->row, c->args, end)) /* a watcher sees each poll */
		write_image(m, plan, empty);
}

/* The requests of a list that does not fit into one record: further records, as of calls from
 * within this one. None follows the request that was refused. */
static void finish_list(const struct image *first, const struct record_call *c,
			const struct row_plan *plan, uint64_t end, uint64_t result, int err)
{
	const uint64_t *bad = err ? (const void *)(uintptr_t)c->args[2] : NULL;
	const struct call_fn *fn = record_row(c->row);
	uint64_t args[3] = { c->args[0], record_rest(first, plan, c->args), c->args[2] };
	bool is_refused = err && (!bad || record_piece(first->w, first->n, RECORD_BEFORE, *bad));
	uint64_t begin = c->begin; /* they stay in order if they are sorted by it */
	struct image m;

	me.depth++;
	while (args[1] && !is_refused && begin - c->begin < RECORD_LIST_MAX &&
	       image_begin(&m, c->row, args, plan->nargs, c->from)) {
		record_keep(&m, plan, fn, args, RECORD_BEFORE, 0, false);
		is_refused = bad && record_piece(m.w, m.n, RECORD_BEFORE, *bad);
		record_keep(&m, plan, fn, args, RECORD_AFTER, result, is_refused);
		image_end(&m, ++begin, end, is_refused ? result : 0, is_refused ? err : 0);
		finish_image(&m, c, plan, end, false);
		args[1] = record_rest(&m, plan, args);
	}
	me.depth--;
}

static void finish_call(struct record_call *c, const struct row_plan *plan, uint64_t end,
			uint64_t result, int err, bool empty)
{
	const struct call_fn *fn = record_row(c->row);
	struct image m;

	if (c->mark == NOWHERE) {
		if (!image_begin(&m, c->row, c->args, plan->nargs, c->from))
			return;
		record_keep(&m, plan, fn, c->args, RECORD_BEFORE, 0, false);
	} else {
		m = (struct image){ .w = me.scratch + c->mark,
				    .n = me.used - c->mark,
				    .max = IMAGE_MAX };
		m.left_out = (unsigned)m.w[IMAGE_RESULT];
		m.w[IMAGE_COUNT] &= ~(UINT64_C(0xffff) << 16);
	}
	m.w[IMAGE_SIZE] |= c->rule;
	record_keep(&m, plan, fn, c->args, RECORD_AFTER, result, err);
	image_end(&m, c->begin, end, result, err);
	if (plan->changes_objects && !err)
		record_own_objects_learn(fn, &m.w[IMAGE_ARGS], result, c->begin, end);
	finish_image(&m, c, plan, end, empty);
	if (record_rest(&m, plan, c->args)) {
		const uint32_t used = me.used;

		me.used = (uint32_t)(m.w - me.scratch + (ptrdiff_t)m.n);
		finish_list(&m, c, plan, end, result, err);
		me.used = used;
	}
	if (c->mark != NOWHERE)
		me.used = c->mark;
}

/* The record of the call is in its ring by now: a reader that finds no call here has all of them.
 */
static void note_returned(void)
{
	if (!me.depth)
		atomic_store_explicit(&me.slot->called, 0, memory_order_release);
}

/* The end of a call of a thread without rings: its objects are learned all the same, because other
 * threads may use them. */
static void end_unrecorded(const struct record_call *c, uint64_t result)
{
	const struct call_fn *fn = record_row(c->row);
	const int err = errno;

	if (!the.plans[c->row].changes_objects || record_errno(fn, result, err))
		return;
	me.busy = true;
	record_own_objects_learn(fn, c->args, result, c->begin, record_time());
	me.busy = false;
	errno = err;
}

void record_end(struct record_call *c, uint64_t result)
{
	const struct row_plan *plan;
	uint64_t end;
	bool empty;
	int err = errno, code;

	if (c->row == NOWHERE)
		return;
	if (!me.slot) {
		end_unrecorded(c, result);
		return;
	}
	me.depth--;
	plan = &the.plans[c->row];
	if (plan->path == RECORD_CONTROL && !c->rule &&
	    record_errno(record_row(c->row), result, err))
		record_refused(record_row(c->row), c->args);
	empty = is_empty_poll(plan, result);
	end = empty ? c->begin : record_time();
	if (empty && c->mark == NOWHERE && merge_empty_poll(c->row, c->args, end)) {
		note_returned();
		return;
	}
	code = record_errno(record_row(c->row), result, err);
	me.busy = true;
	finish_call(c, plan, end, result, code, empty);
	me.busy = false;
	note_returned();
	tell_written();
	if (code && !me.depth)
		me.failure = (struct record_failure){ record_row(c->row), code, c->rule };
	errno = err;
}

void record_event_at(unsigned i, const uint64_t *args, int err, uint64_t begin, uint64_t end)
{
	const int kept = errno;
	struct record_call c;

	record_begin(&c, call_count + i, args, (struct record_from){ 0 });
	if (c.row == NOWHERE || !me.slot)
		return;
	me.depth--;
	c.begin = begin;
	me.busy = true;
	finish_call(&c, &the.plans[c.row], end, 0, err, false);
	me.busy = false;
	note_returned();
	errno = kept;
}

void record_event(unsigned i, const uint64_t *args, int err)
{
	uint64_t now = record_time();

	record_event_at(i, args, err, now, now);
}

void record_aside(int step)
{
	me.depth += (unsigned)step;
	me.asides += (unsigned)step;
}

void record_watch(const struct record_watch *w)
{
	atomic_store_explicit(&the.watch, w, memory_order_release);
}

void record_learn_empty(bool on)
{
	the.learns_empty = on;
}

void record_learn(void (*learn)(void *arg, const struct record *r), void *arg)
{
	the.learn = learn;
	the.learn_arg = arg;
}

void record_switch(bool on)
{
	atomic_store(&the.off, !on);
}

struct record_failure record_last_failure(void)
{
	return me.failure;
}

const struct record_slot *record_own_slot(void)
{
	return me.slot;
}

void record_forget(void)
{
	record_area_empty(record_area());
	me.nopen = 0;
}

void record_forked(void)
{
	pthread_setspecific(the.key, NULL);
	me.slot = NULL;
	me.nopen = 0;
	me.no_slot = false;
	the.area = NULL;
	the.once = (pthread_once_t)PTHREAD_ONCE_INIT;
	record_switch(true);
}
