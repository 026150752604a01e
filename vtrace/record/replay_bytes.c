/* SPDX-License-Identifier: MIT */
/* Bytes as words of Tcl, and the memory that the program has written. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "replay.h"
#include "replay_script.h"

#define REPEATED 16 /* equal bytes from this number on are written as a repetition */
#define GAP	 8  /* unchanged bytes that may stand between changed ones in one piece */

/* A piece is one of the program's own values, or the bytes up to the next of them. */
struct data_piece {
	size_t at, len;
	const struct own_value *own; /* NULL: bytes */
	struct value_place place;
	uint64_t offset;
};

static bool next_piece(const struct replay *p, const unsigned char *data, size_t n,
		       struct data_piece *piece)
{
	size_t at = piece->at + piece->len;
	struct data_piece found = { .at = at };

	if (at >= n)
		return false;
	for (; at < n; at++) {
		found.own = value_own_at(p->own, p->nown, data, n, at, &found.place, &found.offset);
		if (found.own)
			break;
	}
	if (!found.own || at > found.at) {
		*piece = (struct data_piece){ .at = found.at, .len = at - found.at };
		return true;
	}
	found.len = found.place.len;
	*piece = found;
	return true;
}

bool bytes_have_own(const struct replay *p, const unsigned char *data, size_t n)
{
	struct data_piece piece = { 0 };

	while (next_piece(p, data, n, &piece))
		if (piece.own)
			return true;
	return false;
}

/* ------------------------------------------------------------------------------- words -- */

static bool is_text(const unsigned char *data, size_t n)
{
	while (n && !data[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!isprint(data[i]) && data[i] != '\n' && data[i] != '\t' && data[i] != '\r')
			return false;
	return n;
}

/* Within double quotes. */
static void append_quoted(struct text *to, const unsigned char *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (data[i] == '\n')
			text_add(to, "\\n");
		else if (!isprint(data[i]))
			xappendf(to, i + 1 < n && isdigit(data[i + 1]) ? "\\%03o" : "\\%o",
				 data[i]);
		else if (strchr("\"\\$[]{}", data[i]))
			xappendf(to, "\\%c", data[i]);
		else
			xappendf(to, "%c", data[i]);
}

static size_t run_length(const unsigned char *data, size_t n)
{
	size_t i = 1;

	while (i < n && data[i] == data[0])
		i++;
	return n ? i : 0;
}

static void append_hex(struct text *to, const unsigned char *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		xappendf(to, "%02x", data[i]);
}

/* The peer is told of that region with the bytes that are being written. */
static void note_peer_knows(struct replay *p, const struct own_value *v)
{
	for (unsigned i = 0; i < p->nown; i++)
		if (!p->own[i].gone && strcmp(p->own[i].name, v->name) == 0)
			p->own[i].is_told = true;
}

static bool is_digits(const struct data_piece *piece)
{
	return piece->place.form != VALUE_BE && piece->place.form != VALUE_LE;
}

static const char *number_of(struct replay *p, const struct data_piece *piece)
{
	const char *expr = own_expr(piece->own, piece->offset);

	note_peer_knows(p, piece->own);
	if (piece->place.form == VALUE_OCTETS)
		return temp_text("[join [regexp -all -inline .. %s] :]", expr);
	if (!is_digits(piece) || piece->own->kind == OWN_GID)
		return expr;
	return temp_text("[format %%0%zu%s %s]", piece->len,
			 piece->place.form == VALUE_HEX ? "llx" : "lld", expr);
}

/* "[binary format WIx4 [get mr0 addr] [get mr0 rkey]]" */
static void binary_word(struct replay *p, struct text *to, const unsigned char *data, size_t n)
{
	struct data_piece piece = { 0 };
	SCOPED_TEXT(values);

	text_add(to, "[binary format ");
	while (next_piece(p, data, n, &piece)) {
		const unsigned char *at = data + piece.at;
		const bool is_gid = piece.own && piece.own->kind == OWN_GID;

		if (!piece.own && run_length(at, piece.len) == piece.len && !*at) {
			xappendf(to, "x%zu", piece.len);
		} else if (!piece.own && is_text(at, piece.len)) {
			xappendf(to, "a%zu", piece.len);
			text_add(&values, " \"");
			append_quoted(&values, at, piece.len);
			text_add(&values, "\"");
		} else if (!piece.own) {
			xappendf(to, "H%zu", 2 * piece.len);
			text_add(&values, " ");
			append_hex(&values, at, piece.len);
		} else {
			if (is_gid || is_digits(&piece))
				xappendf(to, "%s%zu", piece.len == 16 && is_gid ? "H" : "a",
					 piece.len == 16 && is_gid ? 2 * piece.len : piece.len);
			else
				xappendf(to, "%c",
					 (piece.len == 8 ? "wW"
							 : "iI")[piece.place.form == VALUE_BE]);
			xappendf(&values, " %s", number_of(p, &piece));
		}
	}
	xappendf(to, "%s]", text_str(&values));
}

/* "0000:[format %06llx [get qp0 qpn]]": text with digits in it. */
static bool text_word(struct replay *p, struct text *to, const unsigned char *data, size_t n)
{
	struct data_piece piece = { 0 };
	const int begin = text_len(to);

	if (!is_text(data, n))
		return false;
	text_add(to, "\"");
	while (next_piece(p, data, n, &piece)) {
		if (!piece.own) {
			append_quoted(to, data + piece.at, piece.len);
		} else if (is_digits(&piece)) {
			text_add(to, number_of(p, &piece));
		} else {
			text_resize(to, begin);
			return false;
		}
	}
	text_add(to, "\"");
	return true;
}

void bytes_word(struct replay *p, struct text *to, const unsigned char *data, size_t n)
{
	if (n && text_word(p, to, data, n))
		return;
	if (!bytes_have_own(p, data, n)) {
		if (n >= REPEATED && run_length(data, n) == n) {
			xappendf(to, "[string repeat \\x%02x %zu]", *data, n);
			return;
		}
		text_add(to, "[binary decode hex ");
		append_hex(to, data, n);
		text_add(to, n ? "]" : "{}]");
		return;
	}
	binary_word(p, to, data, n);
}

void bytes_argument(struct replay *p, struct text *to, const unsigned char *data, size_t n)
{
	SCOPED_TEXT(word);
	const char *text;

	bytes_word(p, &word, data, n);
	text = text_str(&word);
	xappendf(to, "%s%s", *text == '"' && text[1] != '-' ? "" : "-- ", text);
}

/* ------------------------------------------------------------------------------ memory -- */

static void put_run(struct replay *p, const struct own_value *mr, uint64_t at,
		    const unsigned char *data, size_t n)
{
	const unsigned long long off = at - mr->value;
	SCOPED_TEXT(word);

	if (n >= REPEATED && run_length(data, n) == n) {
		replay_line(p, "mem fill %s %u -off %llu -len %zu", mr->name, *data, off, n);
		return;
	}
	bytes_argument(p, &word, data, n);
	replay_line(p, "mem put %s %llu %s", mr->name, off, text_str(&word));
}

/* Writes long runs of one byte as lines of their own. */
static void put_pieces(struct replay *p, const struct own_value *mr, uint64_t at,
		       const unsigned char *data, size_t n)
{
	size_t begin = 0, i = 0;

	while (i < n) {
		const size_t run = run_length(data + i, n - i);

		if (run >= 4 * REPEATED) {
			if (i > begin)
				put_run(p, mr, at + begin, data + begin, i - begin);
			put_run(p, mr, at + i, data + i, run);
			begin = i + run;
		}
		i += run;
	}
	if (n > begin)
		put_run(p, mr, at + begin, data + begin, n - begin);
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
		if (!value_own_at(p->own, p->nown, b->bytes, b->len, i, &place, &offset))
			continue;
		if (place.at + place.len > *first) {
			*first = place.at < *first ? place.at : *first;
			*end = place.at + place.len > *end ? place.at + place.len : *end;
		}
		i = place.at + place.len - 1;
	}
}

static void put_dirty(struct replay *p, const struct memory_block *b, uint64_t first, uint64_t end)
{
	const struct own_value *mr;

	memset(b->dirty + first, 0, end - first);
	widen_to_values(p, b, &first, &end);
	mr = own_region(p, b->at + first, end - first);
	if (mr && (!p->no_data || end - first <= REPLAY_SHORT ||
		   bytes_have_own(p, b->bytes + first, end - first)))
		put_pieces(p, mr, b->at + first, b->bytes + first, end - first);
}

void bytes_put(struct replay *p, uint64_t at, uint64_t n)
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

void bytes_put_told(struct replay *p)
{
	for (unsigned i = 0; i < p->nown; i++)
		if (p->own[i].kind == OWN_MEMORY && !p->own[i].gone && p->own[i].is_read &&
		    p->own[i].is_told)
			bytes_put(p, p->own[i].value, p->own[i].len);
}
