/* SPDX-License-Identifier: MIT */
/* Regions before and after: the lines of a hexdump that have changed. */
#include <string.h>

#include "session.h"
#include "timeline/markup.h"
#include "timeline/report.h"
#include "timeline/timeline.h"
#include "words.h"
#include "alloc.h"

#define LINE	  16
#define LINES_MAX 48 /* of a region */

static void mark(Tcl_DString *d, bool begin)
{
	Tcl_DStringAppend(d, begin ? "<mark>" : "</mark>", -1);
}

/* As hex or as characters, what differs from other marked. */
static void bytes(const uint8_t *p, const uint8_t *other, size_t n, bool hex, Tcl_DString *d)
{
	for (size_t i = 0; i < LINE; i++) {
		char text[8];

		if (i >= n) {
			Tcl_DStringAppend(d, hex ? "   " : "", -1);
			continue;
		}
		if (hex)
			snprintf(text, sizeof text, "%02x", p[i]);
		else
			snprintf(text, sizeof text, "%c", p[i] >= ' ' && p[i] < 0x7f ? p[i] : '.');
		if (p[i] != other[i])
			mark(d, true);
		markup_text(d, text);
		if (p[i] != other[i])
			mark(d, false);
		if (hex)
			Tcl_DStringAppend(d, " ", 1);
	}
}

static void line(size_t off, const char *label, const uint8_t *p, const uint8_t *other, size_t n,
		 Tcl_DString *d)
{
	xappendf(d, "%s %6zx  ", label, off);
	bytes(p, other, n, true, d);
	Tcl_DStringAppend(d, " ", 1);
	bytes(p, other, n, false, d);
	Tcl_DStringAppend(d, "\n", 1);
}

static unsigned changed_lines(const uint8_t *was, const uint8_t *is, size_t len, Tcl_DString *d)
{
	unsigned n = 0;

	for (size_t off = 0; off < len; off += LINE) {
		size_t some = len - off < LINE ? len - off : LINE;

		if (memcmp(was + off, is + off, some) == 0)
			continue;
		if (n++ >= LINES_MAX)
			continue;
		line(off, "before", was + off, is + off, some, d);
		line(off, "after ", is + off, was + off, some, d);
	}
	return n;
}

static void region(struct session *s, const struct mr *mr, Tcl_DString *d)
{
	uint8_t is[MEMORY_KEPT], none[MEMORY_KEPT] = { 0 };
	const uint8_t *was;
	unsigned n;
	size_t len;

	was = timeline_memory(s, mr, &len);
	memcpy(is, mr->buf, len); /* a peer may write meanwhile */
	Tcl_DStringAppend(d, "<h3>", -1);
	markup_textf(d, "%s: %zu bytes at 0x%llx, lkey 0x%x, rkey 0x%x, %s", mr->o.name, mr->len,
		     (unsigned long long)(uintptr_t)mr->buf, mr->v->lkey, mr->v->rkey,
		     word_flags(mr_access_words, mr->access));
	Tcl_DStringAppend(d, "</h3>\n<pre tabindex=\"0\">", -1);
	n = changed_lines(was ? was : none, is, len, d);
	Tcl_DStringAppend(d, "</pre>\n", -1);
	if (!n)
		Tcl_DStringAppend(d, "<p>No byte has changed.</p>\n", -1);
	if (n > LINES_MAX)
		xappendf(d, "<p>%u more lines have changed.</p>\n", n - LINES_MAX);
	if (len < mr->len)
		xappendf(d, "<p>Of its first %zu bytes.</p>\n", len);
}

void report_memory(struct session *s, Tcl_DString *d)
{
	bool any = false;
	struct obj *o;

	obj_foreach(o, s) {
		const struct mr *mr = (const struct mr *)o;

		if (o->class != &mr_class || !mr->buf)
			continue;
		if (!any)
			Tcl_DStringAppend(d,
					  "<section id=\"memory\"><h2>Memory of this end, before "
					  "and after</h2>\n",
					  -1);
		any = true;
		region(s, mr, d);
	}
	if (any)
		Tcl_DStringAppend(d, "</section>\n", -1);
}
