/* SPDX-License-Identifier: MIT */
/* The bytes of the regions of this session: those that have just changed, and those that are
 * otherwise than when the timeline began. */
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "objects.h"
#include "out.h"
#include "page_ends.h"
#include "timeline/timeline.h"
#include "view/view_ends.h"

#define LINE	  16
#define LINES_MAX 32 /* of a region are shown */
#define HEAD	  2  /* lines that are shown, whatever has changed */

static struct view_region *region_of(const struct view_memory *m, uint64_t serial)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->v[i].serial == serial)
			return &m->v[i];
	return NULL;
}

static struct view_region *add_region(struct session *s, struct view_memory *m, const struct mr *mr)
{
	struct view_region *r;
	const uint8_t *was;
	size_t n;

	was = timeline_memory(s, mr, &n);
	m->v = xgrow(m->v, m->n, sizeof *m->v);
	r = &m->v[m->n++];
	*r = (struct view_region){ .serial = mr->o.serial,
				   .n = n,
				   .was = xcalloc(1, n + 1),
				   .last = xcalloc(1, n + 1),
				   .is_new = xcalloc(n + 1, sizeof *r->is_new),
				   .changed = xcalloc(n + 1, sizeof *r->changed) };
	if (was)
		memcpy(r->was, was, n);
	memcpy(r->last, r->was, n);
	return r;
}

static void free_region(struct view_region *r)
{
	free(r->was);
	free(r->last);
	free(r->is_new);
	free(r->changed);
}

/* Takes out those of regions that are not there any more. */
static void forget_gone(struct session *s, struct view_memory *m)
{
	unsigned to = 0;

	for (unsigned i = 0; i < m->n; i++) {
		const struct mr *mr;
		bool is_there = false;

		obj_foreach_of(mr, s, &mr_class)
			is_there |= mr->o.serial == m->v[i].serial;
		if (is_there)
			m->v[to++] = m->v[i];
		else
			free_region(&m->v[i]);
	}
	m->n = to;
}

static bool look_at(struct view_region *r, const uint8_t *now)
{
	if (memcmp(now, r->last, r->n) == 0)
		return false;
	for (size_t i = 0; i < r->n; i++) {
		r->is_new[i] = now[i] != r->last[i];
		r->changed[i] |= r->is_new[i];
	}
	memcpy(r->last, now, r->n);
	return true;
}

bool view_memory_look(struct session *s, struct view_memory *m)
{
	uint8_t now[MEMORY_KEPT];
	bool any = false;
	struct mr *mr;

	forget_gone(s, m);
	obj_foreach_of(mr, s, &mr_class) {
		struct view_region *r = region_of(m, mr->o.serial);

		if (!r)
			r = add_region(s, m, mr);
		memcpy(now, mr->buf, r->n); /* a copy: a peer may write meanwhile */
		any |= look_at(r, now);
	}
	return any;
}

void view_memory_free(struct view_memory *m)
{
	for (unsigned i = 0; i < m->n; i++)
		free_region(&m->v[i]);
	free(m->v);
	*m = (struct view_memory){ 0 };
}

/* ------------------------------------------------------------------------ lines -- */

static char mark_of(const struct view_region *r, size_t i)
{
	return r->is_new[i] ? 'n' : r->changed[i] || r->last[i] != r->was[i] ? 'c' : ' ';
}

static bool has_marks(const struct view_region *r, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (mark_of(r, i) != ' ')
			return true;
	return false;
}

static void out_line(struct out *o, const struct view_region *r, size_t from, size_t to)
{
	char hex[2 * LINE + 1] = "", how[LINE + 1] = "", text[LINE + 1] = "";

	for (size_t i = from; i < to; i++) {
		snprintf(hex + 2 * (i - from), 3, "%02x", r->last[i]);
		how[i - from] = mark_of(r, i);
		text[i - from] = r->last[i] >= ' ' && r->last[i] < 0x7f ? (char)r->last[i] : '.';
	}
	out_dict(o, NULL);
	page_strf(o, "off", "%04zx", from);
	out_str(o, "hex", hex, NULL);
	out_str(o, "how", how, NULL);
	out_str(o, "text", text, NULL);
	out_end(o);
}

static void out_lines(struct out *o, const struct view_region *r, size_t whole)
{
	unsigned shown = 0, more = 0;

	out_list(o, "lines");
	for (size_t at = 0; at < r->n; at += LINE) {
		const size_t to = at + LINE < r->n ? at + LINE : r->n;
		const bool marked = has_marks(r, at, to);

		if (marked && shown == LINES_MAX)
			more++;
		else if (marked || at < HEAD * LINE) {
			out_line(o, r, at, to);
			shown++;
		}
	}
	out_end(o);
	if (more || r->n < whole)
		page_strf(o, "note", "%u more lines have changed%s", more,
			  r->n < whole ? ", of its first 4096 bytes" : "");
}

void view_memory_out(struct session *s, const struct view_memory *m, const struct mr *mr,
		     struct out *o)
{
	struct view_memory own = { 0 };
	struct view_region *r = m ? region_of(m, mr->o.serial) : NULL;

	if (!r) {
		r = add_region(s, &own, mr);
		memcpy(r->last, mr->buf, r->n);
	}
	out_lines(o, r, mr->len);
	view_memory_free(&own);
}
