/* SPDX-License-Identifier: MIT */
/*
 * Copies the memory that the arguments of a call point to into its record, as the table describes
 * them.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "record_rings.h"
#include "recorded.h"

#define CHAIN_MAX 4096 /* a longer chain may be circular */

static void walk_fields(struct record_walker *w, const struct call_struct *of, const void *base);

/* With what stands right behind it: specs of a flow, whose size is all. */
static size_t size_of(const struct call_struct *of, const void *base)
{
	const struct call_value *size;

	for (const struct call_value *v = of->fields; v->name; v++)
		if (v->kind == CALL_TRAIL) {
			size = call_value_find(of->fields, "size");
			return size ? call_load(size, (const char *)base + size->offset) : of->size;
		}
	return of->size;
}

static const void *follow_pointer(struct record_walker *w, uint64_t *pointer, size_t len,
				  enum record_target target)
{
	return *pointer ? w->follow(w, pointer, len, target) : NULL;
}

static void walk_struct(struct record_walker *w, const struct call_struct *of, uint64_t *pointer)
{
	const void *base;

	if (!*pointer)
		return;
	/* the size of a copy is read from the copy, which may be shorter */
	base = follow_pointer(w, pointer,
			      w->copied ? of->size : size_of(of, (const void *)(uintptr_t)*pointer),
			      TARGET_BYTES);
	if (base && w->copied && size_of(of, base) > of->size)
		base = follow_pointer(w, pointer, size_of(of, base), TARGET_BYTES);
	if (base)
		walk_fields(w, of, base);
}

static void walk_list(struct record_walker *w, const struct call_value *v, uint64_t *pointer,
		      size_t n)
{
	size_t size = v->kind == CALL_OBJECTS ? sizeof(void *) : v->of ? v->of->size : v->size;
	const bool is_possible = n <= RECORD_MAX / size;
	const char *base = n ? follow_pointer(w, pointer, is_possible ? n * size : RECORD_MAX + 1,
					      TARGET_BYTES)
			     : NULL;

	if (!base || !is_possible || v->kind == CALL_OBJECTS || !v->of)
		return;
	for (size_t i = 0; i < n; i++)
		walk_fields(w, v->of, base + i * size);
}

static void walk_chain(struct record_walker *w, const struct call_struct *of, uint64_t *pointer)
{
	/* all that are linked begin with wr_id and next */
	for (unsigned i = 0; i < CHAIN_MAX && *pointer; i++) {
		char *base = (char *)(uintptr_t)follow_pointer(w, pointer, of->size,
							       i ? TARGET_NEXT : TARGET_BYTES);

		if (!base)
			return;
		walk_fields(w, of, base);
		pointer = (uint64_t *)(void *)(base + offsetof(struct ibv_recv_wr, next));
	}
}

/* Walks an object itself, if its struct is public. */
static void walk_object(struct record_walker *w, enum call_object kind, uint64_t *pointer,
			bool gone)
{
	const struct call_struct *of = call_objects[kind].of;
	const void *base;

	if (!call_objects[kind].size)
		return;
	base = follow_pointer(w, pointer, call_objects[kind].size, TARGET_OBJECT);
	if (base && of && (kind == OBJECT_CM_EVENT || kind == OBJECT_ASYNC_EVENT))
		walk_fields(w, of, base);
	if (base && kind == OBJECT_CM_ID && !gone) {
		uint64_t qp = (uintptr_t)((const struct rdma_cm_id *)base)->qp;

		walk_object(w, OBJECT_QP, &qp, false);
		if (w->leaves_event) {
			uint64_t event = (uintptr_t)((const struct rdma_cm_id *)base)->event;

			walk_object(w, OBJECT_CM_EVENT, &event, false);
		}
	}
}

static void walk_object_value(struct record_walker *w, const struct call_value *v,
			      uint64_t *pointer)
{
	const void *place;

	switch (v->role) {
	case CALL_MADE:
	case CALL_FOUND:
	case CALL_OUT:
		if (w->failed || w->moment == RECORD_BEFORE)
			return;
		if (v->object == OBJECT_ASYNC_EVENT) { /* in memory of the caller */
			follow_pointer(w, pointer, call_objects[v->object].size, TARGET_BYTES);
			return;
		}
		place = follow_pointer(w, pointer, sizeof(void *), TARGET_BYTES);
		if (place)
			walk_object(w, v->object, (uint64_t *)(uintptr_t)place, false);
		break;
	case CALL_GONE:
		if (w->moment == RECORD_BEFORE)
			walk_object(w, v->object, pointer, true);
		break;
	case CALL_IN:
		if (w->moment == RECORD_AFTER &&
		    (v->object == OBJECT_CM_ID || v->object == OBJECT_DEVICE))
			walk_object(w, v->object, pointer, false);
	}
}

bool record_takes_completion(const struct call_fn *fn)
{
	return (fn->step == CALL_FIRST || fn->step == CALL_NEXT) && fn->args[0].name &&
	       fn->args[0].object == OBJECT_CQ_EX;
}

bool record_is_post(const struct call_fn *fn)
{
	return fn->path == CALL_DATAPATH && !fn->waits && fn->args[0].kind == CALL_OBJECT &&
	       fn->args[0].object != OBJECT_CQ && fn->args[0].object != OBJECT_CQ_EX;
}

bool record_is_pointer(const struct call_value *arg)
{
	if (arg->kind == CALL_OBJECT)
		return arg->role != CALL_IN && arg->role != CALL_GONE;
	return call_is_pointer(arg) || arg->kind == CALL_BAD || arg->kind == CALL_BYTES ||
	       arg->kind == CALL_CHARS;
}

/* The value whose pointer, if it is one, is at this place. */
static void walk_value(struct record_walker *w, const struct call_value *values, const void *base,
		       bool is_arg, const struct call_value *v, uint64_t *pointer)
{
	const size_t n = call_length(values, v, base, is_arg);
	bool out = v->role != CALL_IN && v->kind != CALL_OBJECT;

	/* the table marks as optional what the callee reads as well as writes */
	if (out && (w->failed || (w->moment == RECORD_BEFORE && !v->optional)))
		return;
	switch (v->kind) {
	case CALL_OBJECT:
		if (is_arg)
			walk_object_value(w, v, pointer);
		break;
	case CALL_STRUCT:
		if (is_arg || v->pointer)
			walk_struct(w, v->of, pointer);
		else
			walk_fields(w, v->of, pointer);
		break;
	case CALL_LIST:
	case CALL_OBJECTS:
		walk_list(w, v, pointer, n);
		break;
	case CALL_CHAIN:
		walk_chain(w, v->of, pointer);
		break;
	case CALL_BAD:
		if (w->failed && w->moment == RECORD_AFTER)
			follow_pointer(w, pointer, sizeof(void *), TARGET_BYTES);
		break;
	case CALL_DATA:
		if (n)
			follow_pointer(w, pointer, n, TARGET_BYTES);
		break;
	case CALL_STRING:
		follow_pointer(w, pointer, 0, TARGET_STRING);
		break;
	case CALL_SOCKADDR:
		if (v->with && (n || w->copied))
			follow_pointer(w, pointer, n, TARGET_ADDRESS);
		else if (!v->with)
			follow_pointer(w, pointer, 0, TARGET_SOCKADDR);
		break;
	case CALL_BYTES:
	case CALL_CHARS:
		if (is_arg)
			follow_pointer(w, pointer, v->size, TARGET_BYTES);
		break;
	case CALL_GID:
		if (v->pointer)
			follow_pointer(w, pointer, sizeof(union ibv_gid), TARGET_BYTES);
		break;
	default:
		if (v->pointer)
			follow_pointer(w, pointer, v->size, TARGET_BYTES);
	}
}

static void walk_fields(struct record_walker *w, const struct call_struct *of, const void *base)
{
	for (const struct call_value *v = of->fields; v->name; v++) {
		uint64_t *at = (uint64_t *)(uintptr_t)((const char *)base + v->offset);

		if (v->kind < CALL_STRING && v->kind != CALL_GID)
			continue; /* a number */
		if (v->when && !call_field_is_set(of, v, base, 0, 0))
			continue;
		walk_value(w, of->fields, base, false, v, at);
	}
}

/* Walks the result, and what the call left in an object. */
static void walk_result(struct record_walker *w, const struct call_fn *fn, const uint64_t *args,
			uint64_t result)
{
	uint64_t completion = args[0] + offsetof(struct ibv_cq_ex, status);

	if (fn->result.kind == CALL_OBJECT)
		walk_object(w, fn->result.object, &result, false);
	else if (fn->result.kind == CALL_STRING)
		follow_pointer(w, &result, 0, TARGET_STRING);
	else if (record_takes_completion(fn))
		follow_pointer(w, &completion,
			       offsetof(struct ibv_cq_ex, start_poll) -
				       offsetof(struct ibv_cq_ex, status),
			       TARGET_OBJECT);
}

void record_walk(struct record_walker *w, const struct call_fn *fn, uint64_t *args, uint64_t result)
{
	uint64_t counts[16];
	unsigned n = 0;

	w->leaves_event = fn == &call_table[ROW_rdma_connect] ||
			  fn == &call_table[ROW_rdma_get_request];
	/* the caller's pointers change on the way, the counts stay; a list that was filled in has
	 * as many as the result says */
	for (; fn->args[n].name && n < 16; n++) {
		counts[n] = args[n];
		if (w->moment == RECORD_AFTER && fn->says == RESULT_COUNT && !w->failed &&
		    fn->args[n].counts && fn->args[fn->args[n].counts - 1].role == CALL_OUT)
			counts[n] = result;
	}
	for (unsigned i = 0; i < n; i++)
		walk_value(w, fn->args, counts, true, &fn->args[i], &args[i]);
	if (w->moment == RECORD_AFTER && !w->failed)
		walk_result(w, fn, args, result);
	if (w->moment == RECORD_AFTER && !w->failed && fn == &call_table[ROW_ibv_rereg_mr])
		walk_object(w, OBJECT_MR, &args[0], false); /* its keys may be new */
}

#define BAD_WORDS 3 /* the piece that says which request was refused: there is always room */

struct row_plan record_plan(const struct call_fn *fn)
{
	struct row_plan p = { .path = fn->path == CALL_DATAPATH ? RECORD_DATA : RECORD_CONTROL };
	bool memory = fn->result.kind == CALL_OBJECT;

	p.changes_objects = fn->result.role == CALL_MADE || fn == &call_table[ROW_ibv_modify_qp] ||
			    fn == &call_table[ROW_ibv_rereg_mr];
	p.is_request = fn->adds;
	p.keeps_begun = p.path == RECORD_CONTROL || fn->waits;
	p.begins_poll = fn->step == CALL_FIRST && record_takes_completion(fn);
	memory |= record_takes_completion(fn) || fn->result.kind == CALL_STRING ||
		  fn == &call_table[ROW_ibv_rereg_mr];
	for (const struct call_value *v = fn->args; v->name; v++, p.nargs++) {
		p.ends_cq |= v->kind == CALL_OBJECT && v->object == OBJECT_CQ &&
			     v->role == CALL_GONE;
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
	p.is_poll = p.plan == PLAN_POLL || record_takes_completion(fn);
	if (!p.plan && memory)
		p.plan = PLAN_WALK;
	return p;
}

static void add_image_piece(struct image *m, enum record_moment moment, uint64_t address,
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

uint64_t *record_piece(const uint64_t *image, size_t n, enum record_moment moment, uint64_t address)
{
	size_t words;

	for (size_t i = IMAGE_ARGS + IMAGE_NARGS(image); i + 2 <= n; i += words) {
		words = 2 + ((image[i + 1] >> 32) + 7) / 8;
		if (i + words > n)
			break;
		if (image[i] == address && (uint32_t)image[i + 1] == moment)
			return (uint64_t *)(uintptr_t)&image[i];
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

/* Copies the memory, once, unless it is unchanged since the copy before the call. */
static const void *copy_pointed(struct record_walker *w, uint64_t *pointer, size_t len,
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
	before = record_piece(m->w, m->n, RECORD_BEFORE, *pointer);
	if (before && before[1] >> 32 == len && memcmp(before + 2, at, len) == 0)
		return at;
	if (!record_piece(m->w, m->n, w->moment, *pointer))
		add_image_piece(m, w->moment, *pointer, at, len);
	return at;
}

static void keep_sges(struct image *m, const struct ibv_sge *sge, int n)
{
	if (n <= 0 || n > RECORD_SGES_MAX || !sge)
		return;
	add_image_piece(m, RECORD_BEFORE, (uintptr_t)sge, sge, (size_t)n * sizeof *sge);
}

/* The last union is of opcodes that few use. */
static size_t send_wr_size(const struct ibv_send_wr *wr)
{
	if (wr->opcode == IBV_WR_BIND_MW || wr->opcode == IBV_WR_TSO)
		return sizeof *wr;
	return offsetof(struct ibv_send_wr, qp_type) + sizeof wr->qp_type;
}

/* Of a request after the first all is kept, or nothing: then false. */
static bool is_whole(struct image *m, const struct image *before, bool is_first)
{
	if (is_first || m->left_out == before->left_out)
		return true;
	m->n = before->n;
	m->left_out = before->left_out + 1;
	return false;
}

static void keep_sends(struct image *m, const struct ibv_send_wr *first)
{
	const struct ibv_send_wr *wr = first;

	for (unsigned i = 0; wr; wr = wr->next, i++) { /* a list may be circular */
		const struct image before = *m;

		add_image_piece(m, RECORD_BEFORE, (uintptr_t)wr, wr, send_wr_size(wr));
		keep_sges(m, wr->sg_list, wr->num_sge);
		if (wr->opcode == IBV_WR_TSO)
			add_image_piece(m, RECORD_BEFORE, (uintptr_t)wr->tso.hdr, wr->tso.hdr,
					wr->tso.hdr_sz);
		if (!is_whole(m, &before, i == 0))
			return;
	}
}

static void keep_recvs(struct image *m, const struct ibv_recv_wr *first)
{
	const struct ibv_recv_wr *wr = first;

	for (unsigned i = 0; wr; wr = wr->next, i++) { /* a list may be circular */
		const struct image before = *m;

		add_image_piece(m, RECORD_BEFORE, (uintptr_t)wr, wr, sizeof *wr);
		keep_sges(m, wr->sg_list, wr->num_sge);
		if (!is_whole(m, &before, i == 0))
			return;
	}
}

uint64_t record_rest(const struct image *m, const struct row_plan *plan, const uint64_t *args)
{
	const bool sends = plan->plan == PLAN_SEND;
	uint64_t at;

	if (!m->left_out || (!sends && plan->plan != PLAN_RECV))
		return 0;
	at = args[1];
	for (unsigned i = 0; at && i < CHAIN_MAX; i++) {
		if (!record_piece(m->w, m->n, RECORD_BEFORE, at))
			return at == args[1] ? 0 : at;
		at = sends ? (uintptr_t)((const struct ibv_send_wr *)(uintptr_t)at)->next
			   : (uintptr_t)((const struct ibv_recv_wr *)(uintptr_t)at)->next;
	}
	return 0;
}

/* Copies wr_id and wr_flags, which the program writes directly into the QP. */
static void keep_request(struct image *m, uint64_t qp)
{
	const size_t first = offsetof(struct ibv_qp_ex, wr_id);

	add_image_piece(m, RECORD_BEFORE, qp + first, (const char *)(uintptr_t)qp + first,
			offsetof(struct ibv_qp_ex, wr_atomic_cmp_swp) - first);
}

void record_keep(struct image *m, const struct row_plan *plan, const struct call_fn *fn,
		 const uint64_t *args, enum record_moment moment, uint64_t result, bool failed)
{
	struct record_walker w = {
		.arg = m, .moment = moment, .failed = failed, .follow = copy_pointed
	};

	if (plan->is_request && moment == RECORD_BEFORE)
		keep_request(m, args[0]);
	switch (plan->plan) {
	case PLAN_SEND:
	case PLAN_RECV:
		if (moment == RECORD_AFTER) {
			if (failed && args[2])
				add_image_piece(m, RECORD_AFTER, args[2],
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
			add_image_piece(m, RECORD_AFTER, args[2], (const void *)(uintptr_t)args[2],
					result * sizeof(struct ibv_wc));
		break;
	case PLAN_WALK:
		record_walk(&w, fn, (uint64_t *)(uintptr_t)args, result);
		break;
	default:
		break;
	}
}

int record_errno(const struct call_fn *fn, uint64_t result, int err)
{
	int64_t r = (int64_t)result;

	if (fn == &call_table[ROW_ibv_rereg_mr] && r) /* enum ibv_rereg_mr_err_code */
		return err ? err : EIO;
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
