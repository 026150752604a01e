/* SPDX-License-Identifier: MIT */
/* Bytes as words of Tcl, and the memory that the program has written. */
#include <ctype.h>
#include <string.h>

#include "play_parts.h"

#define REPEATED 16 /* equal bytes from this number on are written as a repetition */

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

/* The peer is told of that region with the bytes that are being written. */
static void note_peer_knows(struct replay *p, const struct own_value *v)
{
	for (unsigned i = 0; i < p->nown; i++)
		p->own[i].is_told |= !p->own[i].gone && p->own[i].of == v->of;
}

static bool is_digits(const struct data_piece *piece)
{
	return piece->place.form != VALUE_BE && piece->place.form != VALUE_LE;
}

static const char *number_of(struct replay *p, const struct data_piece *piece)
{
	const char *expr = play_own(p, piece->own, piece->offset);

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
	while (replay_words_next_piece(p, data, n, &piece)) {
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
			xappend_hex(&values, at, piece.len);
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
	const size_t begin = text_len(to);

	if (!is_text(data, n))
		return false;
	text_add(to, "\"");
	while (replay_words_next_piece(p, data, n, &piece)) {
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

void play_word(struct replay *p, struct text *to, const unsigned char *data, size_t n)
{
	if (n && text_word(p, to, data, n))
		return;
	if (!replay_words_have_own(p, data, n)) {
		if (n >= REPEATED && run_length(data, n) == n) {
			xappendf(to, "[string repeat \\x%02x %zu]", *data, n);
			return;
		}
		text_add(to, "[binary decode hex ");
		xappend_hex(to, data, n);
		text_add(to, n ? "]" : "{}]");
		return;
	}
	binary_word(p, to, data, n);
}

void play_argument(struct replay *p, struct text *to, const unsigned char *data, size_t n)
{
	SCOPED_TEXT(word);
	const char *text;

	play_word(p, &word, data, n);
	text = text_str(&word);
	xappendf(to, "%s%s", *text == '"' && text[1] != '-' ? "" : "-- ", text);
}

/* ------------------------------------------------------------------------------ memory -- */

static void put_run(struct replay *p, const struct own_value *mr, uint64_t off,
		    const unsigned char *data, size_t n)
{
	const char *name = play_object(p, mr->of, OBJECT_MR);
	SCOPED_TEXT(word);

	if (n >= REPEATED && run_length(data, n) == n) {
		play_line(p, "mem fill %s %u -off %llu -len %zu", name, *data,
			  (unsigned long long)off, n);
		return;
	}
	play_argument(p, &word, data, n);
	play_line(p, "mem put %s %llu %s", name, (unsigned long long)off, text_str(&word));
}

/* Writes long runs of one byte as lines of their own. */
void play_put(struct replay *p, const struct own_value *mr, uint64_t off, const unsigned char *data,
	      size_t n)
{
	size_t begin = 0, i = 0;

	while (i < n) {
		const size_t run = run_length(data + i, n - i);

		if (run >= 4 * REPEATED) {
			if (i > begin)
				put_run(p, mr, off + begin, data + begin, i - begin);
			put_run(p, mr, off + i, data + i, run);
			begin = i + run;
		}
		i += run;
	}
	if (n > begin)
		put_run(p, mr, off + begin, data + begin, n - begin);
}
