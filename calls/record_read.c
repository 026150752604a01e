/* SPDX-License-Identifier: MIT */
/* Reading records: converts images to structs whose pointers refer to the copies. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "record_rings.h"
#include "call_record.h"
#include "recorded.h"

/* -------------------------------------------------------------------------- pieces -- */

/* The piece at address, of the moment asked for or else of the other. */
static uint64_t *piece_at(const uint64_t *image, enum record_moment moment, uint64_t address)
{
	const enum record_moment other = moment == RECORD_AFTER ? RECORD_BEFORE : RECORD_AFTER;
	uint64_t *piece = record_piece(image, IMAGE_WORDS(image), moment, address);

	return piece ? piece : record_piece(image, IMAGE_WORDS(image), other, address);
}

const void *record_bytes(const struct record *r, uint64_t address, size_t *len)
{
	const uint64_t *p = piece_at(r->image, RECORD_AFTER, address);

	if (p && len)
		*len = p[1] >> 32;
	return p ? p + 2 : NULL;
}

/* Marks the words of an image, and of the arguments after it, that already point to copies: an
 * original address may happen to be inside the image. */
struct patch {
	uint64_t *image;
	enum record_moment moment;
	uint64_t done[(IMAGE_MAX + IMAGE_SLACK) / 64];
};

static bool is_patched(const struct patch *p, const uint64_t *place)
{
	const size_t i = (size_t)(place - p->image);

	return p->done[i / 64] >> i % 64 & 1;
}

/* Is this a word of the image, or of what is behind it? */
static bool is_in_image(const uint64_t *image, const uint64_t *word)
{
	return word >= image && word < image + IMAGE_MAX + IMAGE_SLACK;
}

/* How many bytes there are behind a pointer to a copy; 0: it is none. */
static size_t bytes_behind(const uint64_t *image, uint64_t pointer)
{
	const uint64_t *to = (const uint64_t *)(uintptr_t)pointer;
	const size_t n = IMAGE_WORDS(image);
	size_t words;

	for (size_t i = IMAGE_ARGS + IMAGE_NARGS(image); i + 2 <= n; i += words) {
		words = 2 + ((image[i + 1] >> 32) + 7) / 8;
		if (to == image + i + 2 && i + words <= n)
			return 8 * (words - 2);
	}
	return 0;
}

#define LEFT_OUT_MAX 64 /* bytes that a copy may be shorter than the struct */

static bool is_long_enough(const uint64_t *image, uint64_t pointer, size_t len)
{
	const size_t there = bytes_behind(image, pointer);

	return there && there + LEFT_OUT_MAX >= len;
}

/* Redirects a pointer to its copy. The copy of a work request may be shorter than the struct: its
 * end is omitted if the opcode does not use it. A chain leads only forward, so it has an end. */
static const void *patch_pointer(struct record_walker *w, uint64_t *pointer, size_t len,
				 enum record_target target)
{
	struct patch *p = w->arg;
	const uint64_t *piece;
	size_t i;

	if (target == TARGET_OBJECT || !is_in_image(p->image, pointer)) {
		piece = piece_at(p->image, p->moment, *pointer);
		return piece && piece[1] >> 32 >= len ? piece + 2 : NULL;
	}
	if (is_patched(p, pointer)) /* as something else, perhaps */
		return is_long_enough(p->image, *pointer, len) ? (void *)(uintptr_t)*pointer : NULL;
	i = (size_t)(pointer - p->image);
	p->done[i / 64] |= UINT64_C(1) << i % 64;
	piece = piece_at(p->image, p->moment, *pointer);
	if (piece && ((piece[1] >> 32) + LEFT_OUT_MAX < len || /* not what was asked for */
		      (target == TARGET_NEXT && piece < pointer)))
		piece = NULL;
	*pointer = piece ? (uintptr_t)(piece + 2) : 0;
	return (const void *)(uintptr_t)*pointer;
}

static void patch_args(struct patch *p, uint64_t *args, const struct call_fn *fn,
		       enum record_moment moment, uint64_t result, bool failed)
{
	struct record_walker w = {
		.arg = p, .failed = failed, .copied = true, .follow = patch_pointer
	};

	p->moment = moment;
	/* only the walk of the end reaches what the call filled in, only that of the beginning
	 * what it ended */
	w.moment = RECORD_BEFORE;
	record_walk(&w, fn, args, result);
	w.moment = RECORD_AFTER;
	record_walk(&w, fn, args, result);
	for (unsigned i = 0; i < IMAGE_NARGS(p->image); i++)
		if (record_is_pointer(&fn->args[i]) && !is_patched(p, &args[i]))
			args[i] = 0;
}

/* The record in image, its arguments as the call was given them. */
static void record_raw(const uint64_t *image, struct record *r)
{
	*r = (struct record){
		.fn = record_row(IMAGE_ROW(image)),
		.begin = image[IMAGE_BEGIN],
		.end = image[IMAGE_END],
		.from = { image[IMAGE_FROM], image[IMAGE_ABOVE] },
		.thread = IMAGE_THREAD(image),
		.depth = IMAGE_DEPTH(image),
		.count = IMAGE_COUNTED(image),
		.left_out = IMAGE_LEFT(image),
		.rule = IMAGE_RULE(image),
		.ended = true,
		.err = IMAGE_ERR(image),
		.result = image[IMAGE_RESULT],
		.args = image + IMAGE_ARGS,
		.nargs = IMAGE_NARGS(image),
		.image = image,
	};
}

bool record_is_sound(const uint64_t *image)
{
	const struct call_fn *fn = record_row(IMAGE_ROW(image));
	const size_t n = IMAGE_WORDS(image);
	unsigned nargs = 0;
	size_t words;

	if (!fn || n > IMAGE_MAX || n < IMAGE_ARGS)
		return false;
	while (fn->args[nargs].name)
		nargs++;
	if (IMAGE_NARGS(image) != nargs || IMAGE_ARGS + nargs > n)
		return false;
	/* a count that no call has, nor any list */
	if (fn->says == RESULT_COUNT && !IMAGE_ERR(image) && image[IMAGE_RESULT] > INT32_MAX)
		return false;
	for (size_t i = IMAGE_ARGS + nargs; i < n; i += words) {
		if (i + 2 > n)
			return false;
		words = 2 + ((image[i + 1] >> 32) + 7) / 8;
		if (words > n - i)
			return false;
	}
	return true;
}

/* ---------------------------------------------------- records of another process -- */

/* Goes where readers of the record will go, when no pointer changes any more: two structs at one
 * address overlap, and the pointer of one may be the length of the other. */
struct whole_check {
	const struct record *r;
	enum record_moment moment;
	bool broken;
};

static bool is_whole_piece(const struct whole_check *c, const uint64_t *pointer, size_t len,
			   enum record_target target)
{
	const void *to = (const void *)(uintptr_t)*pointer;
	const size_t there = bytes_behind(c->r->image, *pointer);

	switch (target) {
	case TARGET_STRING:
		return there && memchr(to, '\0', there);
	case TARGET_SOCKADDR:
		return there && call_sockaddr_len(to) <= there;
	case TARGET_ADDRESS:
		return len && len <= there && call_sockaddr_len(to) <= there;
	case TARGET_NEXT:
		if ((const uint64_t *)to < pointer)
			return false;
		/* fallthrough */
	default:
		return is_long_enough(c->r->image, *pointer, len);
	}
}

static const void *check_pointer(struct record_walker *w, uint64_t *pointer, size_t len,
				 enum record_target target)
{
	struct whole_check *c = w->arg;
	const uint64_t *piece;

	if (target == TARGET_OBJECT || !is_in_image(c->r->image, pointer)) {
		piece = piece_at(c->r->image, c->moment, *pointer);
		c->broken |= piece && piece[1] >> 32 < len;
		return piece && !c->broken ? piece + 2 : NULL;
	}
	c->broken |= !is_whole_piece(c, pointer, len, target);
	return c->broken ? NULL : (const void *)(uintptr_t)*pointer;
}

/* Nothing is written: args may be const. */
static void check_args(struct whole_check *c, const uint64_t *args, enum record_moment moment)
{
	struct record_walker w = { .arg = c,
				   .failed = !c->r->ended || c->r->err,
				   .copied = true,
				   .follow = check_pointer };

	c->moment = moment;
	w.moment = RECORD_BEFORE;
	record_walk(&w, c->r->fn, (uint64_t *)(uintptr_t)args, c->r->result);
	w.moment = RECORD_AFTER;
	record_walk(&w, c->r->fn, (uint64_t *)(uintptr_t)args, c->r->result);
}

/* Does the function read or, once it went well, fill in what this argument points to? */
static bool is_needed(const struct record *r, const struct call_value *v)
{
	if (v->optional || (v->kind != CALL_STRUCT && v->kind != CALL_OBJECT))
		return false;
	if (v->role == CALL_IN || v->role == CALL_GONE)
		return v->kind == CALL_STRUCT;
	return r->ended && !r->err;
}

/* An own row has all that it says. */
static bool has_all_bytes(const struct record *r)
{
	for (unsigned i = 0; i < r->nargs; i++) {
		const struct call_value *v = &r->fn->args[i];

		if (v->with && r->args[v->with - 1] &&
		    (!r->args[i] || r->args[v->with - 1] > RECORD_DATA_MAX))
			return false;
	}
	return true;
}

bool record_is_whole(const struct record *r)
{
	const bool is_own = r->fn < call_table || r->fn >= call_table + call_count;
	struct whole_check c = { .r = r };

	if (is_own && !has_all_bytes(r))
		return false;
	for (unsigned i = 0; i < r->nargs; i++)
		if (is_needed(r, &r->fn->args[i]) && !(r->after ? r->after : r->args)[i])
			return false;
	check_args(&c, r->args, RECORD_BEFORE);
	if (r->after)
		check_args(&c, r->after, RECORD_AFTER);
	return !c.broken;
}

void record_decode(uint64_t *image, bool ended, struct record *r)
{
	uint64_t *args = image + IMAGE_ARGS, *after = image + IMAGE_WORDS(image);
	struct patch p = { .image = image };

	record_raw(image, r);
	r->ended = ended;
	if (ended) {
		r->after = after;
	} else {
		r->err = 0;
		r->result = 0;
	}
	memcpy(after, args, r->nargs * sizeof *args);
	patch_args(&p, args, r->fn, RECORD_BEFORE, r->result, !ended || r->err);
	if (ended)
		patch_args(&p, after, r->fn, RECORD_AFTER, r->result, r->err);
}

uint64_t record_arg(const struct record *r, const char *name)
{
	const struct call_value *v = call_value_find(r->fn->args, name);

	return v ? r->args[v - r->fn->args] : 0;
}

/* The target of the second argument of a call that went well; NULL: r is no call of that row. */
static const void *second_out(const struct record *r, enum call_row row)
{
	return r->fn == &call_table[row] && r->after && !r->err
		       ? (const void *)(uintptr_t)r->after[1]
		       : NULL;
}

const struct rdma_cm_event *record_cm_event(const struct record *r)
{
	const uint64_t *place = second_out(r, ROW_rdma_get_cm_event);

	return place ? record_bytes(r, *place, NULL) : NULL;
}

const struct ibv_async_event *record_async_event(const struct record *r)
{
	return second_out(r, ROW_ibv_get_async_event);
}

uint64_t record_made(const struct record *r, enum call_object *kind)
{
	const struct call_value *v;
	const uint64_t *place;

	if (!r->ended || r->err)
		return 0;
	if (r->fn->result.kind == CALL_OBJECT && r->fn->result.role == CALL_MADE) {
		*kind = r->fn->result.object;
		return r->result;
	}
	for (v = r->fn->args; v->name; v++) {
		if (v->kind != CALL_OBJECT || v->role != CALL_MADE)
			continue;
		place = (const uint64_t *)(uintptr_t)r->after[v - r->fn->args];
		*kind = v->object;
		return place ? *place : 0;
	}
	return 0;
}

unsigned record_accepted(const struct record *r)
{
	const char *wr = NULL, *refused = NULL;
	const uint64_t *place;
	size_t next = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < r->nargs; i++) {
		const struct call_value *v = &r->fn->args[i];

		if (v->kind == CALL_CHAIN) {
			wr = (const char *)(uintptr_t)r->args[i];
			next = v->of->next;
		}
		place = v->kind == CALL_BAD && r->err ? (const void *)(uintptr_t)r->after[i] : NULL;
		if (place && *place) /* it may be one that was not kept, behind those that were */
			refused = record_bytes(r, *place, NULL);
		else if (v->kind == CALL_BAD && r->err)
			return 0;
	}
	for (; wr && wr != refused; wr = *(const char *const *)(const void *)(wr + next))
		n++;
	return n;
}

bool record_found_nothing(const struct record *r)
{
	return r->err == ENOENT && record_takes_completion(r->fn);
}

bool record_is_empty_poll(const struct record *r)
{
	if (r->fn->says == RESULT_COUNT)
		return r->fn->path == CALL_DATAPATH && !r->err && !r->result;
	return r->fn->step == CALL_FIRST && record_found_nothing(r);
}

bool record_completion(const struct record *r, enum ibv_wc_status *status, uint64_t *wr_id)
{
	const size_t first = offsetof(struct ibv_cq_ex, status);
	const char *kept;

	if (!r->ended || r->err || !record_takes_completion(r->fn))
		return false;
	kept = record_bytes(r, r->args[0] + first, NULL);
	if (!kept)
		return false;
	memcpy(status, kept, sizeof *status);
	memcpy(wr_id, kept + offsetof(struct ibv_cq_ex, wr_id) - first, sizeof *wr_id);
	return true;
}

bool record_request(const struct record *r, struct ibv_send_wr *wr)
{
	const size_t first = offsetof(struct ibv_qp_ex, wr_id);
	const enum ibv_wr_opcode opcode = (enum ibv_wr_opcode)(r->fn->adds - 1);
	const char *kept;

	if (!r->fn->adds)
		return false;
	kept = record_bytes(r, r->args[0] + first, NULL);
	if (!kept)
		return false;
	*wr = (struct ibv_send_wr){ .opcode = opcode };
	memcpy(&wr->wr_id, kept, sizeof wr->wr_id);
	memcpy(&wr->send_flags, kept + offsetof(struct ibv_qp_ex, wr_flags) - first,
	       sizeof wr->send_flags);
	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr->wr.atomic.remote_addr = record_arg(r, "remote_addr");
		wr->wr.atomic.rkey = (uint32_t)record_arg(r, "rkey");
	} else {
		wr->wr.rdma.remote_addr = record_arg(r, "remote_addr");
		wr->wr.rdma.rkey = (uint32_t)record_arg(r, "rkey");
	}
	return true;
}

/* --------------------------------------------------------------------------- lists -- */

static void add_record(struct record_list *l, const uint64_t *image)
{
	const size_t words = IMAGE_WORDS(image);
	uint64_t *copy = calloc(words + IMAGE_BEHIND(image), sizeof *copy);

	if (!(l->n & (l->n - 1))) /* it is full at powers of two */
		l->v = realloc(l->v, (l->n ? 2 * l->n : 1) * sizeof *l->v);
	if (!l->v || !copy)
		record_no_memory();
	memcpy(copy, image, words * sizeof *copy);
	record_decode(copy, true, &l->v[l->n++]);
}

/* Adds the records of a ring; those that are overwritten meanwhile are lost. */
static void add_ring(struct record_list *l, const struct record_area *area, unsigned slot,
		     enum record_path path, uint64_t since)
{
	const struct record_ring *ring = &area->slot[slot].ring[path];
	uint64_t image[IMAGE_MAX], at = atomic_load(&ring->tail);
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);

	while (at < head) {
		if (!record_copy(area, slot, path, at, image)) {
			at = atomic_load(&ring->tail) > at ? atomic_load(&ring->tail) : head;
			continue;
		}
		at += IMAGE_WORDS(image);
		if (IMAGE_ROW(image) != IMAGE_PAD && image[IMAGE_BEGIN] >= since &&
		    record_row(IMAGE_ROW(image)))
			add_record(l, image);
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

struct record_list *record_list(unsigned mask, uint64_t since)
{
	struct record_area *area = record_area();
	struct record_list *list = calloc(1, sizeof *list);

	if (!list)
		record_no_memory();
	list->lost[RECORD_CONTROL] = atomic_load(&area->lost);
	for (unsigned i = 0; i < RECORD_THREADS; i++) {
		const struct record_slot *s = &area->slot[i];

		for (unsigned j = 0; j < RECORD_PATHS && atomic_load(&s->state); j++) {
			list->lost[j] += atomic_load(&s->ring[j].lost);
			if (mask & 1u << j)
				add_ring(list, area, i, j, since);
		}
	}
	if (list->n)
		qsort(list->v, list->n, sizeof *list->v, by_begin);
	return list;
}

void record_list_free(struct record_list *l)
{
	for (unsigned i = 0; l && i < l->n; i++)
		free((void *)(uintptr_t)l->v[i].image);
	if (l)
		free(l->v);
	free(l);
}

/* The number of the calling thread's slot. */
static unsigned own_number(const struct record_slot *slot)
{
	return (unsigned)(slot - record_area()->slot);
}

bool record_back(struct record_walk *w)
{
	const struct record_slot *slot = record_own_slot();
	const struct record_ring *ring = slot ? &slot->ring[w->path] : NULL;
	uint64_t words;

	if (!ring)
		return false;
	if (!w->begun) {
		w->at = atomic_load_explicit(&ring->head, memory_order_relaxed);
		words = ring->last;
	} else {
		words = IMAGE_PREV(w->image);
	}
	do {
		if (!words || w->at < words + atomic_load(&ring->tail))
			return false;
		w->at -= words;
		if (!record_copy(record_area(), own_number(slot), w->path, w->at, w->image))
			return false;
		words = IMAGE_PREV(w->image);
	} while (IMAGE_ROW(w->image) == IMAGE_PAD);
	w->begun = true;
	record_decode(w->image, true, &w->r);
	return true;
}

uint64_t record_place(enum record_path path)
{
	const struct record_slot *slot = record_own_slot();

	return slot ? atomic_load_explicit(&slot->ring[path].head, memory_order_relaxed) : 0;
}
