/* SPDX-License-Identifier: MIT */
/* The memory of the process: the data that its requests send, and those that arrive. */
#include <string.h>

#include "recorded.h"
#include "replay.h"
#include "replay_parts.h"

#define GAP 8 /* unchanged bytes that may stand between changed ones in one piece */

static void each_piece(struct replay *p, const struct ibv_sge *sge, int n, piece_fn *fn)
{
	for (int i = 0; sge && i < n; i++)
		fn(p, &sge[i]);
}

void replay_each_inline(struct replay *p, const struct record *r, piece_fn *fn)
{
	const struct ibv_send_wr *wr = (const void *)(uintptr_t)r->args[1];
	const struct ibv_data_buf *buf = (const void *)(uintptr_t)r->args[2];
	struct ibv_sge piece;

	switch (record_call_row(r)) {
	case ROW_ibv_post_send:
		for (; wr; wr = wr->next)
			if (wr->send_flags & IBV_SEND_INLINE)
				each_piece(p, wr->sg_list, wr->num_sge, fn);
		break;
	case ROW_ibv_wr_set_inline_data:
		piece = (struct ibv_sge){ .addr = r->args[1], .length = (uint32_t)r->args[2] };
		fn(p, &piece);
		break;
	case ROW_ibv_wr_set_inline_data_list:
		for (uint64_t i = 0; buf && i < r->args[1]; i++) {
			piece = (struct ibv_sge){ .addr = (uintptr_t)buf[i].addr,
						  .length = (uint32_t)buf[i].length };
			fn(p, &piece);
		}
		break;
	}
}

static void add_piece_memory(struct replay *p, const struct ibv_sge *s)
{
	replay_memory_add(&p->memory, s->addr, s->length);
}

void replay_find_memory(struct replay *p)
{
	for (unsigned i = 0; i < p->from->ncalls; i++) {
		const struct record *r = &p->from->calls[i].r;
		enum call_object kind = OBJECT_NONE;
		const uint64_t made = p->from->calls[i].row == REPLAY_CALL ? record_made(r, &kind)
									   : 0;
		const struct ibv_mr *mr = made && kind == OBJECT_MR ? record_bytes(r, made, NULL)
								    : NULL;

		if (mr)
			replay_memory_add(&p->memory, (uintptr_t)mr->addr, mr->length);
		if (p->from->calls[i].row == REPLAY_CALL)
			replay_each_inline(p, r, add_piece_memory);
	}
}

/* The end of the dirty bytes that begin at i; up to GAP clean ones may be among them. */
static uint64_t dirty_end(const struct memory_block *b, uint64_t i, uint64_t end)
{
	uint64_t last = i;

	for (; i < end && i - last <= GAP; i++)
		last = b->dirty[i] ? i + 1 : last;
	return last;
}

/* Extends the range so that it contains the program's own values as a whole. */
static void widen_to_values(const struct replay *p, const struct memory_block *b, uint64_t *first,
			    uint64_t *end)
{
	struct value_place place;
	uint64_t offset;

	for (uint64_t i = *first > 31 ? *first - 31 : 0; i < *end; i++) {
		if (!replay_value_own_at(p->own, p->nown, b->bytes, b->len, i, &place, &offset))
			continue;
		if (place.at + place.len > *first) {
			*first = place.at < *first ? place.at : *first;
			*end = place.at + place.len > *end ? place.at + place.len : *end;
		}
		i = place.at + place.len - 1;
	}
}

size_t replay_run_length(const unsigned char *data, size_t n)
{
	size_t i = 1;

	while (i < n && data[i] == data[0])
		i++;
	return n ? i : 0;
}

static void put_piece_of(struct replay *p, struct replay_object *mr, uint64_t off,
			 const unsigned char *data, size_t n)
{
	if (n >= REPLAY_REPEATED && replay_run_length(data, n) == n)
		replay_step(p, "mem fill $1 $4 -off $2 -len $3", "memset(at($1, $2), $4, $3);",
			    p->back->object(p, mr, OBJECT_MR), replay_digits(off), replay_digits(n),
			    replay_digits(*data), NULL);
	else if (n)
		p->back->put(p, mr, off, data, n);
}

/* Long runs of one byte are steps of their own. */
static void put_bytes(struct replay *p, struct replay_object *mr, uint64_t off,
		      const unsigned char *data, size_t n)
{
	size_t begin = 0, run;

	for (size_t i = 0; i < n; i += run) {
		run = replay_run_length(data + i, n - i);
		if (run < 4 * REPLAY_REPEATED)
			continue;
		put_piece_of(p, mr, off + begin, data + begin, i - begin);
		put_piece_of(p, mr, off + i, data + i, run);
		begin = i + run;
	}
	put_piece_of(p, mr, off + begin, data + begin, n - begin);
}

static void put_dirty(struct replay *p, const struct memory_block *b, uint64_t first, uint64_t end)
{
	const struct own_value *mr;

	memset(b->dirty + first, 0, end - first);
	widen_to_values(p, b, &first, &end);
	mr = replay_own_region(p, b->at + first, end - first);
	if (mr && (!p->from->no_data || end - first <= REPLAY_SHORT ||
		   replay_words_have_own(p, b->bytes + first, end - first)))
		put_bytes(p, mr->of, b->at + first - mr->value, b->bytes + first, end - first);
}

static void put(struct replay *p, uint64_t at, uint64_t n)
{
	const struct memory_block *b = replay_memory_find(&p->memory, at, n);
	uint64_t i = b ? at - b->at : 0, end = i + n, last;

	if (!b || !b->bytes)
		return;
	for (; i < end; i = last) {
		last = i + 1;
		if (!b->dirty[i])
			continue;
		last = dirty_end(b, i, end);
		put_dirty(p, b, i, last);
	}
}

void replay_put_told(struct replay *p)
{
	for (unsigned i = 0; i < p->nown; i++)
		if (p->own[i].kind == OWN_MEMORY && !p->own[i].gone && p->own[i].is_read &&
		    p->own[i].is_told)
			put(p, p->own[i].value, p->own[i].len);
}

static void put_piece(struct replay *p, const struct ibv_sge *s)
{
	put(p, s->addr, s->length);
}

static void add_built(struct replay *p, const struct ibv_sge *s)
{
	p->built = xgrow(p->built, p->nbuilt, sizeof *p->built);
	p->built[p->nbuilt++] = *s;
}

void replay_put_sent(struct replay *p, const struct record *r)
{
	const struct ibv_send_wr *wr = (const void *)(uintptr_t)r->args[1];
	struct ibv_sge piece;

	switch (record_call_row(r)) {
	case ROW_ibv_post_send:
		for (; wr; wr = wr->next)
			if (wr->opcode != IBV_WR_RDMA_READ)
				each_piece(p, wr->sg_list, wr->num_sge, put_piece);
		break;
	case ROW_ibv_wr_set_inline_data:
	case ROW_ibv_wr_set_inline_data_list:
		replay_each_inline(p, r, put_piece);
		break;
	case ROW_ibv_wr_start:
		p->nbuilt = 0;
		break;
	case ROW_ibv_wr_set_sge:
		piece = (struct ibv_sge){ r->args[2], (uint32_t)r->args[3], (uint32_t)r->args[1] };
		add_built(p, &piece);
		break;
	case ROW_ibv_wr_set_sge_list:
		each_piece(p, (const void *)(uintptr_t)r->args[2], (int)r->args[1], add_built);
		break;
	case ROW_ibv_wr_complete:
		each_piece(p, p->built, (int)p->nbuilt, put_piece);
		break;
	}
}

void replay_take_memory(struct replay *p, const struct record *r)
{
	const unsigned char *data = (const void *)(uintptr_t)r->args[1];

	if (!data)
		return;
	if (!replay_memory_put(&p->memory, r->args[0], data, r->args[2], !r->args[3]))
		replay_note(p, "the region is longer than %llu bytes",
			    (unsigned long long)REPLAY_BLOCK_MAX);
	if (!r->args[3])
		return;
	p->arrived = xgrow(p->arrived, p->narrived, sizeof *p->arrived);
	p->arrived[p->narrived++] = r;
}

void replay_keep(struct replay *p, const char *name, const struct memory_piece *v, unsigned n)
{
	const struct told_bytes *t;
	size_t at = 0;
	SCOPED_TEXT(data);

	for (unsigned i = 0; i < n; i++)
		text_add_bytes(&data, v[i].bytes, v[i].len);
	t = replay_told_add(p, name, text_str(&data), text_len(&data));
	for (unsigned i = 0; t && i < n; at += v[i++].len)
		replay_step(p, i ? "append $1 [mem get $2 $3 $4]" : "set $1 [mem get $2 $3 $4]",
			    "memcpy(s.$1 + $5, at($2, $3), $4);", t->variable,
			    p->back->object(p, v[i].mr->of, OBJECT_MR), replay_digits(v[i].off),
			    replay_digits(v[i].len), replay_digits(at), NULL);
}

void replay_write_arrived(struct replay *p)
{
	for (unsigned i = 0; i < p->narrived; i++) {
		const struct record *r = p->arrived[i];
		const struct own_value *mr = replay_own_region(p, r->args[0], r->args[2]);
		const struct memory_piece piece = { mr, (const char *)(uintptr_t)r->args[1],
						    mr ? r->args[0] - mr->value : 0, r->args[2] };

		if (mr)
			replay_keep(p, "wrote", &piece, 1);
	}
	p->narrived = 0;
}

void replay_write_block(struct replay *p, const struct record *r)
{
	const struct call_value *v = r->fn->args;
	struct memory_block *b;

	while (v->name && v->kind != CALL_ADDRESS)
		v++;
	b = v->name ? (struct memory_block *)(uintptr_t)replay_memory_find(
			      &p->memory, r->args[v - r->fn->args], 0)
		    : NULL;
	if (!b || *b->name)
		return;
	snprintf(b->name, sizeof b->name, "buf%u", p->buffers++);
	replay_step(p, "buf $2 -name $1", "memory(&s.$1, $2)", b->name, replay_digits(b->len),
		    NULL);
}
