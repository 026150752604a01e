/* SPDX-License-Identifier: MIT */
#include "replay_memory.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"

void replay_memory_add(struct replay_memory *m, uint64_t at, uint64_t len)
{
	uint64_t end = at + len;
	unsigned first = 0, last;

	if (!len || end < at)
		return;
	while (first < m->n && m->blocks[first].at + m->blocks[first].len <= at)
		first++;
	for (last = first; last < m->n && m->blocks[last].at < end; last++) {
		const struct memory_block *b = &m->blocks[last];

		at = b->at < at ? b->at : at;
		end = b->at + b->len > end ? b->at + b->len : end;
	}
	if (first == last) {
		m->blocks = xgrow(m->blocks, m->n, sizeof *m->blocks);
		memmove(m->blocks + first + 1, m->blocks + first,
			(m->n - first) * sizeof *m->blocks);
		m->n++;
	} else {
		memmove(m->blocks + first + 1, m->blocks + last, (m->n - last) * sizeof *m->blocks);
		m->n -= last - first - 1;
	}
	m->blocks[first] = (struct memory_block){ .at = at, .len = end - at };
}

const struct memory_block *replay_memory_find(const struct replay_memory *m, uint64_t at,
					      uint64_t len)
{
	for (unsigned i = 0; i < m->n; i++) {
		const struct memory_block *b = &m->blocks[i];

		if (at >= b->at && at - b->at < b->len && len <= b->len - (at - b->at))
			return b;
	}
	return NULL;
}

void replay_memory_put(struct replay_memory *m, uint64_t at, const unsigned char *data, size_t n,
		       bool dirty)
{
	struct memory_block *b = (struct memory_block *)(uintptr_t)replay_memory_find(m, at, n);

	if (!b)
		return;
	if (!b->bytes) {
		b->bytes = xcalloc(1, b->len);
		b->dirty = xcalloc(1, b->len);
	}
	memcpy(b->bytes + (at - b->at), data, n);
	memset(b->dirty + (at - b->at), dirty, n);
}

void replay_memory_clean(struct replay_memory *m, uint64_t at, uint64_t n)
{
	const struct memory_block *b = replay_memory_find(m, at, n);

	if (b && b->dirty)
		memset(b->dirty + (at - b->at), 0, n);
}

void replay_memory_clear(struct replay_memory *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		free(m->blocks[i].bytes);
		free(m->blocks[i].dirty);
		m->blocks[i].bytes = NULL;
		m->blocks[i].dirty = NULL;
	}
}

void replay_memory_free(struct replay_memory *m)
{
	replay_memory_clear(m);
	free(m->blocks);
	*m = (struct replay_memory){ 0 };
}
