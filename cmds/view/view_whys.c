/* SPDX-License-Identifier: MIT */
#include "view/view_whys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "call_record.h"
#include "data/bad_wc.h"
#include "explain/explain.h"
#include "heap.h"
#include "ladder.h"
#include "out.h"
#include "session.h"
#include "text.h"

#define WHYS_MAX 64

static struct view_why *add_why(struct view_whys *w, int64_t seen, const char *text)
{
	if (w->n == WHYS_MAX) {
		free(w->v[0].text);
		memmove(w->v, w->v + 1, --w->n * sizeof *w->v);
	} else {
		w->v = xgrow(w->v, w->n, sizeof *w->v);
	}
	w->v[w->n] = (struct view_why){ .from = w->known, .seen = seen, .text = xstrdup(text) };
	return &w->v[w->n++];
}

static void learn_completion(struct session *s, struct view_whys *w, const struct bad_wc *bad)
{
	struct out *o = out_new(true);
	SCOPED_TEXT(text);

	explain_bad_wc(s, bad, o);
	out_print(o, OUT_TEXT, &text);
	if (text_len(&text))
		memcpy(add_why(w, bad->seen, text_str(&text))->qp, bad->qp, sizeof bad->qp);
	out_free(o);
}

/* A command that has just failed. */
static void learn_command(struct session *s, struct view_whys *w, int64_t now)
{
	SCOPED_TEXT(text);

	xappendf(&text, "error: %s\n", s->fail.text);
	fail_rows(&s->fail, &text);
	add_why(w, now, text_str(&text));
}

void view_whys_learn(struct session *s, struct view_whys *w)
{
	struct bad_wc all[BAD_WCS];
	unsigned n = bad_wc_list(all, BAD_WCS);
	struct fail failed;

	if (s->fail.text)
		learn_command(s, w, record_realtime(record_time()));
	failed = fail_aside(s); /* explain may fail */
	while (n-- > 0)
		if (all[n].seen > w->known)
			learn_completion(s, w, &all[n]);
	fail_back(s, failed);
	w->known = record_realtime(record_time());
}

void view_whys_free(struct view_whys *w)
{
	for (unsigned i = 0; i < w->n; i++)
		free(w->v[i].text);
	free(w->v);
	*w = (struct view_whys){ 0 };
}

static bool is_its_row(const struct view_why *why, const struct ladder_row *r)
{
	if (r->place || !r->bad || r->when > why->seen)
		return false;
	if (*why->qp)
		return r->kind == LADDER_WC && strcmp(r->name, why->qp) == 0;
	return r->kind == LADDER_CALL && r->when > why->from;
}

void view_whys_lend(const struct view_whys *w, struct ladder *l)
{
	for (unsigned i = 0; i < w->n; i++)
		for (unsigned k = l->n; k-- > 0;)
			if (is_its_row(&w->v[i], &l->rows[k])) {
				l->rows[k].why = w->v[i].text;
				break;
			}
}

const char *view_whys_last(const struct view_whys *w)
{
	return w->n ? w->v[w->n - 1].text : "";
}
