/* SPDX-License-Identifier: MIT */
/*
 * Writing records: a call costs two looks at the clock, and a copy of its arguments into the
 * ring of its thread.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "record_clock.h"
#include "record_objects.h"
#include "record_rings.h"

#define NOWHERE	   UINT32_MAX
#define SCRATCH	   (1u << 16) /* bytes: records of calls within calls are made at a time */
#define OPEN_POLLS 8
#define BAD_WORDS  3 /* the piece that says which request was refused: there is always room */

/* How the arguments of a row are copied. */
enum plan {
	PLAN_NUMBERS, /* no memory behind them */
	PLAN_SEND,    /* ibv_post_send() */
	PLAN_RECV,    /* ibv_post_recv(), ibv_post_srq_recv() */
	PLAN_POLL,    /* ibv_poll_cq() */
	PLAN_WALK     /* as the table says; before the call, too */
};

struct row_plan {
	uint8_t plan, nargs, path;
	bool changes_objects;
	bool begins_poll; /* ibv_start_poll() */
};

/* The polls that found nothing since anything else was written, one for each queue. */
struct open_poll {
	uint64_t queue, at;
	unsigned row;
};

struct record_thread {
	struct record_slot *slot;
	unsigned number, depth;
	bool no_slot;
	bool busy; /* a signal may come in the middle */
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

/* ------------------------------------------------------------------------ plans -- */

static struct row_plan plan_of(const struct call_fn *fn)
{
	struct row_plan p = { .path = fn->path == CALL_DATAPATH ? RECORD_DATA : RECORD_CONTROL };
	bool memory = fn->result.kind == CALL_OBJECT;

	p.changes_objects = fn->result.role == CALL_MADE;
	p.begins_poll = fn->step == CALL_FIRST && record_takes_completion(fn);
	memory |= record_takes_completion(fn) || fn->result.kind == CALL_STRING;
	for (const struct call_value *v = fn->args; v->name; v++, p.nargs++) {
		memory |= record_is_pointer(v) || v->role == CALL_GONE ||
			  (v->kind == CALL_OBJECT &&
			   (v->object == OBJECT_CM_ID || v->object == OBJECT_DEVICE));
		p.changes_objects |= v->kind == CALL_OBJECT &&
				     (v->role == CALL_MADE || v->role == CALL_GONE ||
				      (v->object == OBJECT_CM_ID && p.path == RECORD_CONTROL));
		if (v->kind == CALL_CHAIN && v->of->size == sizeof(struct ibv_send_wr))
			p.plan = PLAN_SEND;
		else if (v->kind == CALL_CHAIN && v->of->size == sizeof(struct ibv_recv_wr))
			p.plan = PLAN_RECV;
		else if (v->kind == CALL_LIST && v->of && v->of->size == sizeof(struct ibv_wc) &&
			 fn->says == RESULT_COUNT)
			p.plan = PLAN_POLL;
	}
	if (!p.plan && memory)
		p.plan = PLAN_WALK;
	return p;
}

static void make_plans(void)
{
	unsigned n = call_count + the.nown;

	free(the.plans);
	the.plans = calloc(n, sizeof *the.plans);
	if (!the.plans)
		abort();
	for (unsigned i = 0; i < n; i++)
		the.plans[i] = plan_of(record_row(i));
}

void record_own_rows(const struct call_fn *rows, unsigned n)
{
	record_area();
	the.own = rows;
	the.nown = n;
	make_plans();
}

/* ------------------------------------------------------------------------- rings -- */

/* The records of a thread that has ended stay until its place is needed. */
static void leave(void *slot)
{
	free(me.scratch);
	memset(&me, 0, sizeof me);
	me.no_slot = true; /* destructors of others may still call */
	atomic_store_explicit(&((struct record_slot *)slot)->state, SLOT_LEFT,
			      memory_order_release);
}

int record_area_at(void *memory, size_t size)
{
	if (size < record_area_size())
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
		memory = record_area_memory(size);
		if (memory)
			record_area_at(memory, size);
		else
			record_switch(false);
	}
	if (!the.plans) {
		pthread_key_create(&the.key, leave);
		make_plans();
	}
}

struct record_area *record_area(void)
{
	pthread_once(&the.once, begin_area);
	return the.area;
}

static bool enter(void)
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

/* ------------------------------------------------------------------------- images -- */

struct image {
	uint64_t *w;
	size_t n, max; /* words */
	unsigned left_out;
};

static void add_piece(struct image *m, enum record_moment moment, uint64_t address,
		      const void *bytes, size_t len)
{
	size_t words = 2 + (len + 7) / 8;

	if (m->n + words > m->max) {
		m->left_out++;
		return;
	}
	m->w[m->n] = address;
	m->w[m->n + 1] = (uint64_t)len << 32 | moment;
	m->w[m->n + words - 1] = 0;
	if (len) /* bytes may be NULL then */
		memcpy(&m->w[m->n + 2], bytes, len);
	m->n += words;
}

/* The piece of this moment at address, or NULL. */
static const uint64_t *find_piece(const uint64_t *image, size_t n, enum record_moment moment,
				  uint64_t address)
{
	size_t words;

	for (size_t i = IMAGE_ARGS + IMAGE_NARGS(image); i < n; i += words) {
		words = 2 + ((image[i + 1] >> 32) + 7) / 8;
		if (image[i] == address && (uint32_t)image[i + 1] == moment)
			return &image[i];
	}
	return NULL;
}

static size_t length_of(const void *at, size_t len, enum record_target target)
{
	size_t n;

	switch (target) {
	case TARGET_STRING:
		n = strnlen(at, RECORD_STRING_MAX - 1);
		return ((const char *)at)[n] ? n : n + 1;
	case TARGET_SOCKADDR:
		return call_sockaddr_len(at);
	default:
		return len;
	}
}

/* Copies what it is asked for, once. What is the same as before the call is there already. */
static const void *keep(struct record_walker *w, uint64_t *pointer, size_t len,
			enum record_target target)
{
	const void *at = (const void *)(uintptr_t)*pointer;
	struct image *m = w->arg;
	const uint64_t *before;

	len = length_of(at, len, target);
	if (len > RECORD_DATA_MAX) {
		m->left_out++;
		return at;
	}
	before = find_piece(m->w, m->n, RECORD_BEFORE, *pointer);
	if (before && before[1] >> 32 == len && memcmp(before + 2, at, len) == 0)
		return at;
	if (!find_piece(m->w, m->n, w->moment, *pointer))
		add_piece(m, w->moment, *pointer, at, len);
	return at;
}

static void keep_sges(struct image *m, const struct ibv_sge *sge, int n)
{
	if (n <= 0 || n > 256)
		return;
	add_piece(m, RECORD_BEFORE, (uintptr_t)sge, sge, (size_t)n * sizeof *sge);
}

/* The last union is of opcodes that few use. */
static size_t send_wr_size(const struct ibv_send_wr *wr)
{
	if (wr->opcode == IBV_WR_BIND_MW || wr->opcode == IBV_WR_TSO)
		return sizeof *wr;
	return offsetof(struct ibv_send_wr, qp_type) + sizeof wr->qp_type;
}

static void keep_sends(struct image *m, const struct ibv_send_wr *wr)
{
	for (unsigned i = 0; wr && i < 4096; i++, wr = wr->next) {
		add_piece(m, RECORD_BEFORE, (uintptr_t)wr, wr, send_wr_size(wr));
		keep_sges(m, wr->sg_list, wr->num_sge);
		if (wr->opcode == IBV_WR_TSO)
			add_piece(m, RECORD_BEFORE, (uintptr_t)wr->tso.hdr, wr->tso.hdr,
				  wr->tso.hdr_sz);
	}
}

static void keep_recvs(struct image *m, const struct ibv_recv_wr *wr)
{
	for (unsigned i = 0; wr && i < 4096; i++, wr = wr->next) {
		add_piece(m, RECORD_BEFORE, (uintptr_t)wr, wr, sizeof *wr);
		keep_sges(m, wr->sg_list, wr->num_sge);
	}
}

static void keep_memory(struct image *m, const struct row_plan *plan, const struct call_fn *fn,
			const uint64_t *args, enum record_moment moment, uint64_t result,
			bool failed)
{
	struct record_walker w = { .arg = m, .moment = moment, .failed = failed, .follow = keep };

	switch (plan->plan) {
	case PLAN_SEND:
	case PLAN_RECV:
		if (moment == RECORD_AFTER) {
			if (failed && args[2])
				add_piece(m, RECORD_AFTER, args[2],
					  (const void *)(uintptr_t)args[2], sizeof(void *));
			break;
		}
		m->max -= BAD_WORDS;
		if (plan->plan == PLAN_SEND)
			keep_sends(m, (const struct ibv_send_wr *)(uintptr_t)args[1]);
		else
			keep_recvs(m, (const struct ibv_recv_wr *)(uintptr_t)args[1]);
		m->max += BAD_WORDS;
		break;
	case PLAN_POLL:
		if (moment == RECORD_AFTER && !failed && result)
			add_piece(m, RECORD_AFTER, args[2], (const void *)(uintptr_t)args[2],
				  result * sizeof(struct ibv_wc));
		break;
	case PLAN_WALK:
		record_walk(&w, fn, (uint64_t *)(uintptr_t)args, result);
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------------------------- a call -- */

uint64_t record_time(void)
{
	uint64_t now;

	if (record_clock_kind == CLOCK_UNKNOWN)
		record_area();
	now = record_clock_read();
	if (now <= me.last_time)
		now = me.last_time + 1;
	me.last_time = now;
	return now;
}

/* Begins an image in the scratch of this thread; false: there is no room. */
static bool image_begin(struct image *m, unsigned row, const uint64_t *args, unsigned nargs)
{
	size_t left = SCRATCH / 8 - me.used;

	if (left < IMAGE_MAX)
		return false;
	*m = (struct image){ .w = me.scratch + me.used, .n = IMAGE_ARGS + nargs, .max = IMAGE_MAX };
	m->w[IMAGE_SIZE] = (uint64_t)row << 16;
	m->w[IMAGE_COUNT] = UINT64_C(1) << 32 | nargs;
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

static void tell(const struct image *m, bool ended)
{
	const struct record_watch *watch = atomic_load_explicit(&the.watch, memory_order_acquire);
	void (*told)(void *, const struct record *);
	uint64_t *copy;
	struct record r;

	told = !watch ? NULL : ended ? watch->after : watch->before;
	if (!told)
		return;
	copy = calloc(m->n + IMAGE_BEHIND(m->w), sizeof *copy);
	if (!copy)
		return;
	memcpy(copy, m->w, m->n * 8);
	copy[IMAGE_SIZE] |= (uint64_t)m->n << 48;
	record_decode(copy, ended, &r);
	me.depth++;
	told(watch->arg, &r);
	me.depth--;
	free(copy);
}

void record_begin(struct record_call *c, unsigned row, const uint64_t *args)
{
	const struct row_plan *plan;
	struct image m;

	c->row = NOWHERE;
	if (atomic_load_explicit(&the.off, memory_order_relaxed))
		return;
	if (!me.slot && (me.no_slot || !enter())) {
		if (the.area)
			atomic_fetch_add(&the.area->lost, 1);
		return;
	}
	if (me.busy)
		return; /* within a handler of a signal */
	c->row = row;
	c->args = args;
	c->mark = NOWHERE;
	plan = &the.plans[row];
	if ((plan->plan == PLAN_WALK && plan->path != RECORD_DATA) ||
	    atomic_load_explicit(&the.watch, memory_order_relaxed)) {
		const int err = errno;

		me.busy = true;
		if (image_begin(&m, row, args, plan->nargs)) {
			keep_memory(&m, plan, record_row(row), args, RECORD_BEFORE, 0, false);
			c->mark = me.used;
			me.used += (uint32_t)m.n;
			m.w[IMAGE_RESULT] = m.left_out; /* until there is one */
			me.busy = false;
			image_end(&m, record_time(), 0, m.left_out, 0);
			tell(&m, false);
		}
		me.busy = false;
		errno = err;
	}
	c->begin = record_time();
	if (!me.depth++) {
		atomic_store_explicit(&me.slot->called_at, c->begin, memory_order_relaxed);
		atomic_store_explicit(&me.slot->called, row + 1, memory_order_relaxed);
	}
}

/* What the result says: 0, or an errno. */
static int errno_of(const struct call_fn *fn, uint64_t result, int err)
{
	int64_t r = (int64_t)result;

	switch (fn->says) {
	case RESULT_STATUS:
		if (r > 0)
			return (int)r;
		return r == -1 ? (err ? err : EIO) : (int)-r;
	case RESULT_COUNT:
		if (r >= 0)
			return 0;
		return r == -1 ? (err ? err : EIO) : (int)-r;
	case RESULT_POINTER:
		return result ? 0 : (err ? err : ENOMEM);
	default:
		return 0;
	}
}

/* Was there nothing in the queue? */
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

/* Counts an empty poll to the one before of the same queue; false: it is the first, or a reader
 * has taken that one. */
static bool merge(unsigned row, const uint64_t *args, uint64_t end)
{
	const struct record_ring *r = &me.slot->ring[RECORD_DATA];
	const struct open_poll *o = open_poll(row, args[0]);
	_Atomic uint64_t *w;
	uint64_t count;

	if (!o)
		return false;
	w = record_words(the.area, r) + (o->at & (r->words - 1));
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
	uint64_t at = record_commit(the.area, &me.slot->ring[plan->path], m->w, m->n);
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

static void finish(struct record_call *c, const struct row_plan *plan, uint64_t end,
		   uint64_t result, int err, bool empty)
{
	const struct call_fn *fn = record_row(c->row);
	struct image m;

	if (c->mark == NOWHERE) {
		if (!image_begin(&m, c->row, c->args, plan->nargs))
			return;
		keep_memory(&m, plan, fn, c->args, RECORD_BEFORE, 0, false);
	} else {
		m = (struct image){ .w = me.scratch + c->mark,
				    .n = me.used - c->mark,
				    .max = IMAGE_MAX };
		m.left_out = (unsigned)m.w[IMAGE_RESULT];
		m.w[IMAGE_COUNT] &= ~(UINT64_C(0xffff) << 16);
	}
	keep_memory(&m, plan, fn, c->args, RECORD_AFTER, result, err);
	image_end(&m, c->begin, end, result, err);
	if (plan->changes_objects && !err)
		record_own_objects_learn(fn, &m.w[IMAGE_ARGS], result, c->begin, end);
	if (atomic_load_explicit(&the.watch, memory_order_relaxed)) {
		const uint32_t used = me.used;

		me.used = (uint32_t)(m.w - me.scratch + (ptrdiff_t)m.n);
		me.busy = false;
		tell(&m, true);
		me.busy = true;
		me.used = used;
	}
	write_image(&m, plan, empty);
	if (c->mark != NOWHERE)
		me.used = c->mark;
}

void record_end(struct record_call *c, uint64_t result)
{
	const struct row_plan *plan;
	uint64_t end;
	bool empty;
	int err = errno, code;

	if (c->row == NOWHERE)
		return;
	if (!--me.depth)
		atomic_store_explicit(&me.slot->called, 0, memory_order_relaxed);
	plan = &the.plans[c->row];
	empty = is_empty_poll(plan, result);
	end = empty || (plan->path == RECORD_DATA &&
			atomic_load_explicit(&the.area->untimed, memory_order_relaxed))
		      ? c->begin
		      : record_time();
	if (empty && c->mark == NOWHERE && merge(c->row, c->args, end))
		return;
	code = errno_of(record_row(c->row), result, err);
	me.busy = true;
	finish(c, plan, end, result, code, empty);
	me.busy = false;
	if (code && !me.depth)
		me.failure = (struct record_failure){ record_row(c->row), code };
	errno = err;
}

void record_event_at(unsigned i, const uint64_t *args, int err, uint64_t begin, uint64_t end)
{
	const int kept = errno;
	struct record_call c;

	record_begin(&c, call_count + i, args);
	if (c.row == NOWHERE)
		return;
	if (!--me.depth)
		atomic_store_explicit(&me.slot->called, 0, memory_order_relaxed);
	c.begin = begin;
	me.busy = true;
	finish(&c, &the.plans[c.row], end, 0, err, false);
	me.busy = false;
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
}

void record_watch(const struct record_watch *w)
{
	atomic_store_explicit(&the.watch, w, memory_order_release);
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
