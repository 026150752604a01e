/* SPDX-License-Identifier: MIT */
/* A record as a script for rdmash: its lines, names, bytes and heading. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "play_parts.h"
#include "recorded.h"
#include "template.h"

#define COLUMNS 96

/* ---------------------------------------------------------------------------- lines -- */

/* A line that is too long continues on the next one, after a blank. */
static void write_line(struct replay *p, const char *text)
{
	const char *line = text, *end;
	size_t column = 0;

	for (; *line; line = end) {
		end = line + strcspn(line + 1, " ") + 1;
		if (column && column + (size_t)(end - line) > COLUMNS - 2 && *line == ' ') {
			text_add(&p->body, " \\\n\t");
			column = 8;
			line++;
		}
		text_add_bytes(&p->body, line, (size_t)(end - line));
		column += (size_t)(end - line);
	}
	text_add(&p->body, "\n");
}

void play_line(struct replay *p, const char *fmt, ...)
{
	SCOPED_TEXT(line);
	va_list ap;

	va_start(ap, fmt);
	xvappendf(&line, fmt, ap);
	va_end(ap);
	write_line(p, text_str(&line));
}

static void write_note(struct replay *p, const char *text)
{
	xappendf(&p->body, "# NOT FOLLOWED: %s\n", text);
}

static void write_failed(struct replay *p, const struct record *r, const char *text)
{
	play_line(p, "# %s: it is not in the script", text);
	if (r->fn == &call_table[ROW_ibv_wr_complete])
		play_line(p, "call ibv_wr_abort %s",
			  play_object(p, replay_objects_of(p, r, r->args[0], OBJECT_QP_EX),
				      OBJECT_QP_EX));
}

/* ---------------------------------------------------------------------------- names -- */

static void name_object(struct replay *p, struct replay_object *o)
{
	struct script *script = p->its;

	if (*o->name == '$')
		return;
	if (o->kind == OBJECT_CONTEXT)
		snprintf(o->name, sizeof o->name, "$device%u", script->devices++);
	else if (o->made && o->made->fn == &call_table[ROW_rdma_get_cm_event])
		snprintf(o->name, sizeof o->name, "$client%u", script->clients++);
	else
		snprintf(o->name, sizeof o->name, "%s", o->called);
}

/* A device comes from an id, or was opened by its name. */
static const char *device_word(struct replay *p, struct replay_object *o)
{
	struct replay_object *id = o->from && o->from->written ? o->from : NULL;

	if (!o->written && o->made) {
		play_line(p, "set %s %s", o->name + 1, o->called);
	} else if (!o->written && id) {
		play_line(p, "set %s [get %s device]", o->name + 1,
			  play_object(p, id, OBJECT_CM_ID));
	} else if (!o->written) {
		replay_note(p, "which device it is: the default one is taken");
		play_line(p, "set %s [dict get [device] name]", o->name + 1);
	}
	o->written = true;
	return temp_text("%s", o->name);
}

const char *play_object(struct replay *p, struct replay_object *o, enum call_object want)
{
	if (!o) {
		replay_note(p, "which object it is");
		return "0";
	}
	if (o->kind == OBJECT_CONTEXT)
		return device_word(p, o);
	return o->whole ? play_object(p, o->whole, want) : temp_text("%s", o->name);
}

/* ---------------------------------------------------------------------------- bytes -- */

static bool is_text(const unsigned char *data, size_t n)
{
	while (n && !data[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!isprint(data[i]) && data[i] != '\n' && data[i] != '\t' && data[i] != '\r')
			return false;
	return true;
}

/* Within double quotes. Of two blanks the first is an octal number: a line that is continued at it
 * would lose the other. */
static void add_quoted(struct text *to, const unsigned char *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (data[i] == '\n')
			text_add(to, "\\n");
		else if (!isprint(data[i]) || (data[i] == ' ' && i + 1 < n && data[i + 1] == ' '))
			xappendf(to, i + 1 < n && isdigit(data[i + 1]) ? "\\%03o" : "\\%o",
				 data[i]);
		else if (strchr("\"\\$[]{}", data[i]))
			xappendf(to, "\\%c", data[i]);
		else
			xappendf(to, "%c", data[i]);
}

/* The peer is told of that region with the bytes that are being written. */
static void note_peer_knows(struct replay *p, const struct own_value *v)
{
	for (unsigned i = 0; i < p->nown; i++)
		p->own[i].is_told |= !p->own[i].gone && p->own[i].of == v->of;
}

/* "[binary format W [get mr0 addr]]" */
static void add_own(struct replay *p, struct text *to, const struct data_piece *piece)
{
	const bool is_gid = piece->own->kind == OWN_GID;
	const char *v = replay_words_of_own(p, piece->own, piece->offset);

	note_peer_knows(p, piece->own);
	if (is_gid)
		v = temp_text("[gid_digits %s]", v);
	if (piece->place.form == VALUE_OCTETS)
		xappendf(to, "[join [regexp -all -inline .. %s] :]", v);
	else if (piece->place.form == VALUE_HEX && is_gid)
		text_add(to, v);
	else if (piece->place.form == VALUE_HEX || piece->place.form == VALUE_DECIMAL)
		xappendf(to, "[format %%0%zu%s %s]", piece->len,
			 piece->place.form == VALUE_HEX ? "llx" : "lld", v);
	else if (is_gid)
		xappendf(to, "[binary decode hex %s]", v);
	else
		xappendf(to, "[binary format %c %s]",
			 (piece->len == 8 ? "wW" : "iI")[piece->place.form == VALUE_BE], v);
}

/* A word in double quotes, in which the program's own values are replaced by those of the script:
 * "0000:[format %06llx [get qp0 qpn]]" */
static void add_word(struct replay *p, struct text *to, const unsigned char *data, size_t n)
{
	struct data_piece piece = { 0 };

	text_add(to, "\"");
	while (replay_words_next_piece(p, data, n, &piece)) {
		const unsigned char *at = data + piece.at;

		if (piece.own) {
			add_own(p, to, &piece);
		} else if (piece.len >= REPLAY_REPEATED &&
			   replay_run_length(at, piece.len) == piece.len) {
			xappendf(to, "[string repeat \\x%02x %zu]", *at, piece.len);
		} else if (is_text(at, piece.len)) {
			add_quoted(to, at, piece.len);
		} else {
			text_add(to, "[binary decode hex ");
			xappend_hex(to, at, piece.len);
			text_add(to, "]");
		}
	}
	text_add(to, "\"");
}

/* The last argument of a command may begin as an option does. */
static const char *data_word(struct replay *p, const unsigned char *data, size_t n, bool is_last)
{
	struct script *script = p->its;

	text_resize(&script->data, 0);
	text_add(&script->data, "-- ");
	add_word(p, &script->data, data, n);
	if (is_last)
		return text_str(&script->data) + (strchr("-[", text_str(&script->data)[4]) ? 0 : 3);
	play_line(p, "set data %s", text_str(&script->data) + 3);
	return "[list $data]";
}

static void put(struct replay *p, struct replay_object *mr, uint64_t off, const unsigned char *data,
		size_t n)
{
	play_line(p, "mem put %s %" PRIu64 " %s", play_object(p, mr, OBJECT_MR), off,
		  data_word(p, data, n, true));
}

/* ------------------------------------------------------------------------ the whole -- */

static const struct replay_back back = {
	.sink = call_words_sink,
	.name = name_object,
	.line = write_line,
	.note = write_note,
	.failed = write_failed,
	.prepare = play_prepare,
	.call = play_call,
	.put = put,
	.data = data_word,
	.special = play_special,
	.object = play_object,
};

/* A newline would end the comment. */
static void add_comment(struct text *to, const char *word)
{
	text_add(to, " ");
	for (; *word; word++)
		xappendf(to, iscntrl((unsigned char)*word) ? "\\x%02x" : "%c",
			 (unsigned char)*word);
}

static void add_heading(const struct replay *p, const char *path, char **argv, struct text *to)
{
	const uint64_t *lost = p->from->lost;

	text_add(to, "# Recorded by 'vtrace --record' from:");
	for (char **a = argv; *a; a++)
		add_comment(to, *a);
	text_add(to, "\n# It plays the part of that program:\n#\trdmash");
	add_comment(to, path);
	xappendf(to, "%s\nset within 60s ;# how long to wait for the other end\n",
		 p->naddresses ? " [ADDRESS ...]" : "");
	if (p->naddresses) {
		text_add(to, "# Arguments replace these addresses, in this order.\n"
			     "set address [lreplace {");
		for (unsigned i = 0; i < p->naddresses; i++)
			xappendf(to, "%s%s", i ? " " : "", p->address[i]);
		text_add(to, "} 0 [expr {$argc - 1}] {*}$argv]\n");
	}
	if (p->notes)
		xappendf(
			to,
			"# %u lines that begin with NOT FOLLOWED say what may be wrong in another run.\n",
			p->notes);
	if (lost[0] + lost[1])
		xappendf(to, "# NOT FOLLOWED: %" PRIu64 " calls were lost\n", lost[0] + lost[1]);
}

unsigned replay_script(const struct replay_source *from, const char *path, char **argv,
		       struct text *to)
{
	struct replay p = { 0 };
	struct script script = { 0 };
	unsigned notes;
	SCOPED_TEXT(heading);

	replay_write(&p, from, &back, &script);
	add_heading(&p, path, argv, &heading);
	template_fill(replayed_rdma,
		      (const struct template_part[]){ { "@heading@\n", text_str(&heading) },
						      { "@session@\n", text_str(&p.body) },
						      { 0 } },
		      to);
	notes = p.notes;
	text_free(&script.data);
	replay_free(&p);
	return notes;
}
