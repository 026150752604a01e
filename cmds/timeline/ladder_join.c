/* SPDX-License-Identifier: MIT */
/* What of a ladder belongs together: entries to ends, packets that were sent to those received. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ladder.h"

/* --------------------------------------------------------------------------- sides -- */

static const char word_bytes[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

static bool has_word(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (text += strcspn(text, word_bytes); *text; text += strcspn(text, word_bytes)) {
		size_t n = strspn(text, word_bytes);

		if (n == len && memcmp(text, name, n) == 0)
			return true;
		text += n;
	}
	return false;
}

bool ladder_names(const struct ladder_row *r, const char *name)
{
	return strcmp(r->e.name, name) == 0 || has_word(r->e.text, name) ||
	       (r->e.result && has_word(r->e.result, name));
}

/* What is told of an object before and after it is known which end it is of. */
static void spread(struct ladder *l, const struct ladder_row *known, const char *name)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];

		if (!r->e.side && r->place == known->place && r->e.kind != CHRONICLE_PACKET &&
		    ladder_names(r, name))
			r->e.side = known->e.side;
	}
}

/* The word behind a key in the text of a call: "cq0" of "send_cq cq0, ...". */
static void spread_word(struct ladder *l, const struct ladder_row *r, const char *text,
			const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;
	char word[32];
	size_t len;

	if (!at)
		return;
	at += strlen(key);
	len = strspn(at, word_bytes);
	if (!len || len >= sizeof word)
		return;
	snprintf(word, sizeof word, "%.*s", (int)len, at);
	spread(l, r, word);
}

void ladder_fill_in_sides(struct ladder *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];

		if (!r->e.side || r->e.kind == CHRONICLE_PACKET)
			continue;
		if (*r->e.name)
			spread(l, r, r->e.name);
		if (strstr(r->e.text, "_create_qp(")) {
			spread_word(l, r, r->e.result, "");
			spread_word(l, r, r->e.text, "send_cq ");
			spread_word(l, r, r->e.text, "recv_cq ");
		}
	}
}

/* ------------------------------------------------------------------------- packets -- */

bool ladder_is_lost(const struct ladder_row *r)
{
	return r->e.fate && (strstr(r->e.fate, "drop") || strstr(r->e.fate, "corrupt") ||
			     strstr(r->e.fate, "icrc"));
}

static struct ladder_row *sent(struct ladder *l, const struct ladder_row *in)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];

		if (r->e.kind == CHRONICLE_PACKET && r->e.out && !r->matched &&
		    r->e.key == in->e.key && !(ladder_is_lost(r) && r->place != in->place))
			return r;
	}
	return NULL;
}

void ladder_match_packets(struct ladder *l)
{
	unsigned to = 0;

	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *in = &l->rows[i], *out;

		if (in->e.kind != CHRONICLE_PACKET || in->e.out)
			continue;
		out = sent(l, in);
		if (!out)
			continue;
		out->matched = in->matched = true;
		out->arrived = !ladder_is_lost(in);
		out->to = (int)in->place; /* for now: its place */
		memcpy(out->also, in->e.name, sizeof out->also);
		if (in->e.fate && !out->e.fate) {
			out->e.fate = in->e.fate;
			in->e.fate = NULL;
		}
	}
	for (unsigned i = 0; i < l->n; i++) {
		struct ladder_row *r = &l->rows[i];

		if (r->e.kind == CHRONICLE_PACKET && !r->e.out && r->matched) {
			free(r->e.text);
			free(r->e.result);
			free(r->e.fate);
			continue;
		}
		l->rows[to++] = *r;
	}
	l->n = to;
}
