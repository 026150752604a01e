/* SPDX-License-Identifier: MIT */
/* The bytes of the regions of this session: those that have just changed, and those that have
 * changed before. A region that is new has held zeros. */
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "objects.h"
#include "out.h"
#include "page_ends.h"
#include "view/view_ends.h"

#define MEMORY_SHOWN 4096 /* bytes of a region, its first */
#define LINE	     16
#define LINES_MAX    32 /* of a region are shown */
#define HEAD	     2	/* lines that are shown, whatever has changed */

static struct view_region *region_of(const struct view_memory *m, uint64_t serial)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->v[i].serial == serial)
			return &m->v[i];
	return NULL;
}

static struct view_region *add_region(struct view_memory *m, const struct mr *mr)
{
	const size_t n = mr->len < MEMORY_SHOWN ? mr->len : MEMORY_SHOWN;
	struct view_region *r;

	m->v = xgrow(m->v, m->n, sizeof *m->v);
	r = &m->v[m->n++];
	*r = (struct view_region){
		.serial = mr->o.serial, .n = n, .last = xcalloc(1, n + 1), .how = xcalloc(1, n + 1)
	};
	memset(r->how, ' ', n);
	return r;
}

static void free_region(struct view_region *r)
{
	free(r->last);
	free(r->how);
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

/* Compares the bytes with those at the last look that found a change. */
static bool look_at(struct view_region *r, const struct mr *mr)
{
	uint8_t now[MEMORY_SHOWN];

	memcpy(now, mr->buf, r->n); /* a copy: a peer may write meanwhile */
	if (memcmp(now, r->last, r->n) == 0)
		return false;
	for (size_t i = 0; i < r->n; i++)
		r->how[i] = now[i] != r->last[i] ? 'n' : r->how[i] != ' ' ? 'c' : ' ';
	memcpy(r->last, now, r->n);
	return true;
}

bool view_memory_look(struct session *s, struct view_memory *m)
{
	bool any = false;
	struct mr *mr;

	forget_gone(s, m);
	obj_foreach_of(mr, s, &mr_class) {
		struct view_region *r = region_of(m, mr->o.serial);

		any |= look_at(r ? r : add_region(m, mr), mr);
	}
	return any;
}

/* Nobody has looked before: the bytes that are not zero have changed at some time. */
static void age(struct view_region *r)
{
	for (size_t i = 0; i < r->n; i++)
		r->how[i] = r->how[i] == ' ' ? ' ' : 'c';
}

void view_memory_begin(struct session *s, struct view_memory *m)
{
	view_memory_look(s, m);
	for (unsigned i = 0; i < m->n; i++)
		age(&m->v[i]);
}

void view_memory_free(struct view_memory *m)
{
	for (unsigned i = 0; i < m->n; i++)
		free_region(&m->v[i]);
	free(m->v);
	*m = (struct view_memory){ 0 };
}

/* ------------------------------------------------------------------------ lines -- */

static void out_line(struct out *o, const struct view_region *r, size_t from, size_t to)
{
	char text[LINE + 1] = "";
	SCOPED_TEXT(hex);

	xappend_hex(&hex, r->last + from, to - from);
	for (size_t i = from; i < to; i++)
		text[i - from] = r->last[i] >= ' ' && r->last[i] < 0x7f ? (char)r->last[i] : '.';
	out_dict(o, NULL);
	page_strf(o, "off", "%04zx", from);
	out_str(o, "hex", text_str(&hex), NULL);
	page_strf(o, "how", "%.*s", (int)(to - from), r->how + from);
	out_str(o, "text", text, NULL);
	out_end(o);
}

void view_memory_out(const struct view_memory *m, const struct mr *mr, struct out *o)
{
	const struct view_region *r = region_of(m, mr->o.serial);
	unsigned shown = 0, more = 0;

	if (!r)
		return;
	out_list(o, "lines");
	for (size_t at = 0; at < r->n; at += LINE) {
		const size_t to = at + LINE < r->n ? at + LINE : r->n;
		const bool marked = strspn(r->how + at, " ") < to - at;

		if (marked && shown == LINES_MAX)
			more++;
		else if (marked || at < HEAD * LINE) {
			out_line(o, r, at, to);
			shown++;
		}
	}
	out_end(o);
	if (more || r->n < mr->len)
		page_strf(o, "note", "%u more lines have changed%s", more,
			  r->n < mr->len ? ", of its first 4096 bytes" : "");
}
