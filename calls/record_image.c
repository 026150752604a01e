/* SPDX-License-Identifier: MIT */
#include "record_image.h"

#include <string.h>

#include <infiniband/verbs.h>

#define BAD_WORDS 3 /* the piece that says which request was refused: there is always room */

struct row_plan record_plan(const struct call_fn *fn)
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

void record_keep(struct image *m, const struct row_plan *plan, const struct call_fn *fn,
		 const uint64_t *args, enum record_moment moment, uint64_t result, bool failed)
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
