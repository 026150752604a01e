/* SPDX-License-Identifier: MIT */
/*
 * Writing records: a call costs two looks at the clock, and a copy of its arguments into the
 * ring of its thread.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "record_clock.h"
#include "record_objects.h"
#include "record_rings.h"

#define NOWHERE	    UINT32_MAX
#define SCRATCH	    (1u << 16) /* bytes: records of calls within calls are made at a time */
#define OPEN_POLLS  8
#define MERGE_POLLS 1u

#if defined(__SANITIZE_THREAD__)
#define HAS_TSAN 1
#elif defined(__has_feature)
#define HAS_TSAN __has_feature(thread_sanitizer)
#else
#define HAS_TSAN 0
#endif

/* ThreadSanitizer knows no fences. It is told by the words themselves, which are atomic. */
static inline void fence(memory_order order)
{
#if !HAS_TSAN
	atomic_thread_fence(order);
#else
	(void)order;
#endif
}

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
	for (const struct call_value *v = fn->args; v->name; v++, p.nargs++) {
		memory |= record_is_pointer(v) || v->role == CALL_GONE ||
			  (v->kind == CALL_OBJECT && v->object == OBJECT_CM_ID);
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

static const uint64_t ring_words[RECORD_PATHS] = { [RECORD_CONTROL] = RECORD_CONTROL_RING / 8,
						   [RECORD_DATA] = RECORD_DATA_RING / 8 };

size_t record_area_size(void)
{
	size_t rings = 0;

	for (unsigned i = 0; i < RECORD_PATHS; i++)
		rings += ring_words[i] * 8;
	return (sizeof(struct record_area) + 4095) / 4096 * 4096 + RECORD_THREADS * rings;
}

int record_area_at(void *memory, size_t size)
{
	struct record_area *a = memory;
	uint64_t at = (sizeof *a + 4095) / 4096 * 4096;
	struct clock_pair pair;

	if (size < record_area_size())
		return -1;
	record_clock_choose();
	record_clock_pair(&pair);
	for (unsigned i = 0; i < RECORD_THREADS; i++)
		for (unsigned j = 0; j < RECORD_PATHS; j++) {
			a->slot[i].ring[j].words = ring_words[j];
			a->slot[i].ring[j].offset = at;
			at += ring_words[j] * 8;
		}
	a->size = size;
	a->rows = call_count;
	a->clock = record_clock_kind;
	a->ticks = pair.ticks;
	a->realtime = pair.realtime;
	a->magic = RECORD_MAGIC;
	the.area = a;
	return 0;
}

/* The records of a thread that has ended stay until its place is needed. */
static void leave(void *slot)
{
	free(me.scratch);
	memset(&me, 0, sizeof me);
	me.no_slot = true; /* destructors of others may still call */
	atomic_store_explicit(&((struct record_slot *)slot)->state, SLOT_LEFT,
			      memory_order_release);
}

static void begin_area(void)
{
	size_t size = record_area_size();
	void *memory;

	if (!the.area) {
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory == MAP_FAILED || record_area_at(memory, size))
			abort();
	}
	pthread_key_create(&the.key, leave);
	make_plans();
}

struct record_area *record_area(void)
{
	pthread_once(&the.once, begin_area);
	return the.area;
}

static struct record_slot *slot_in(uint32_t state, unsigned *number)
{
	for (unsigned i = 0; i < RECORD_THREADS; i++) {
		uint32_t expected = state;

		*number = i;
		if (atomic_compare_exchange_strong(&the.area->slot[i].state, &expected, SLOT_USED))
			return &the.area->slot[i];
	}
	return NULL;
}

static bool enter(void)
{
	const int err = errno;

	record_area();
	me.slot = slot_in(SLOT_FREE, &me.number);
	if (!me.slot)
		me.slot = slot_in(SLOT_LEFT, &me.number);
	me.scratch = me.slot ? malloc(SCRATCH) : NULL;
	if (me.scratch) {
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

static _Atomic uint64_t *words_of(const struct record_area *area, const struct record_ring *r)
{
	return (_Atomic uint64_t *)(uintptr_t)((const char *)area + r->offset);
}

static uint64_t load(const _Atomic uint64_t *w)
{
	return atomic_load_explicit(w, memory_order_relaxed);
}

static void store(_Atomic uint64_t *w, uint64_t value)
{
	atomic_store_explicit(w, value, memory_order_relaxed);
}

/* Gives up the oldest, so that there are n words from head on. */
static void make_room(struct record_ring *r, const _Atomic uint64_t *words, uint64_t head,
		      uint64_t n)
{
	uint64_t tail = load(&r->tail), lost = load(&r->lost);

	if (head + n - tail <= r->words)
		return;
	while (head + n - tail > r->words) {
		const _Atomic uint64_t *w = words + (tail & (r->words - 1));
		const uint64_t size = load(w);

		if ((size >> 16 & 0xffff) != IMAGE_PAD)
			lost += load(w + IMAGE_COUNT) >> 32;
		tail += size >> 48;
	}
	store(&r->lost, lost);
	store(&r->tail, tail);
	fence(memory_order_release); /* before anything is overwritten */
}

/* The position that the record got. */
static uint64_t commit(struct record_ring *r, uint64_t *image, size_t n)
{
	_Atomic uint64_t *words = words_of(the.area, r), *to;
	uint64_t head = load(&r->head), at = head & (r->words - 1), pad = 0;

	if (at + n > r->words) {
		pad = r->words - at;
		make_room(r, words, head, pad + n);
		store(words + at, pad << 48 | r->last << 32 | (uint64_t)IMAGE_PAD << 16);
		r->last = pad;
		head += pad;
		at = 0;
	} else {
		make_room(r, words, head, n);
	}
	image[IMAGE_SIZE] = (uint64_t)n << 48 | r->last << 32 | image[IMAGE_SIZE];
	to = words + at;
	for (size_t i = 0; i < n; i++)
		store(to + i, image[i]);
	r->last = n;
	atomic_store_explicit(&r->head, head + n, memory_order_release);
	return head;
}

bool record_copy(const struct record_area *area, const struct record_ring *ring, uint64_t at,
		 uint64_t *image)
{
	const _Atomic uint64_t *from = words_of(area, ring) + (at & (ring->words - 1));
	size_t n, room = ring->words - (at & (ring->words - 1));

	image[0] = load(from);
	n = IMAGE_WORDS(image);
	if (n <= IMAGE_MAX && n <= room && IMAGE_ROW(image) != IMAGE_PAD)
		for (size_t i = 1; i < n; i++)
			image[i] = load(from + i);
	fence(memory_order_acquire);
	return load(&ring->tail) <= at && n <= room && n > 0;
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
			if (failed)
				add_piece(m, RECORD_AFTER, args[2],
					  (const void *)(uintptr_t)args[2], sizeof(void *));
		} else if (plan->plan == PLAN_SEND) {
			keep_sends(m, (const struct ibv_send_wr *)(uintptr_t)args[1]);
		} else {
			keep_recvs(m, (const struct ibv_recv_wr *)(uintptr_t)args[1]);
		}
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
		atomic_fetch_add(&record_area()->lost, 1);
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
	me.depth++;
	c->begin = record_time();
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
	return plan->plan == PLAN_POLL && result == 0;
}

/* Counts an empty poll to the one before of the same queue; false: it is the first. */
static bool merge(unsigned row, const uint64_t *args, uint64_t end)
{
	struct record_ring *r = &me.slot->ring[RECORD_DATA];
	_Atomic uint64_t *words = words_of(the.area, r);

	for (unsigned i = 0; i < me.nopen; i++) {
		struct open_poll *o = &me.open[i];
		_Atomic uint64_t *w = words + (o->at & (r->words - 1));

		if (o->queue != args[0] || o->row != row)
			continue;
		if (load(w + IMAGE_COUNT) >> 32 == UINT32_MAX)
			return false;
		store(w + IMAGE_END, end);
		store(w + IMAGE_COUNT, load(w + IMAGE_COUNT) + (UINT64_C(1) << 32));
		return true;
	}
	return false;
}

static void write_image(struct image *m, const struct row_plan *plan, bool empty)
{
	uint64_t at = commit(&me.slot->ring[plan->path], m->w, m->n);

	if (plan->path != RECORD_DATA)
		return;
	if (!empty)
		me.nopen = 0;
	else if (me.nopen < OPEN_POLLS)
		me.open[me.nopen++] = (struct open_poll){ m->w[IMAGE_ARGS], at, IMAGE_ROW(m->w) };
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
		record_objects_learn(fn, &m.w[IMAGE_ARGS], result, c->begin, end);
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
	me.depth--;
	plan = &the.plans[c->row];
	empty = is_empty_poll(plan, result);
	end = empty ? c->begin : record_time();
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
	me.depth--;
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
	struct record_area *area = record_area();

	for (unsigned i = 0; i < RECORD_THREADS; i++)
		for (unsigned j = 0; j < RECORD_PATHS; j++) {
			struct record_ring *r = &area->slot[i].ring[j];

			atomic_store(&r->tail, atomic_load(&r->head));
			atomic_store(&r->lost, 0);
			r->last = 0;
		}
	me.nopen = 0;
}
