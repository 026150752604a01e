/* SPDX-License-Identifier: MIT */
/*
 * Positions: file and line of running and failed commands.
 *
 * While a command of the shell runs, the position comes from Tcl's stack frames, one interpreter
 * after the other. After a command of Tcl has failed, its frames are gone, and errorInfo counts
 * lines from the start of a proc: so the position of each proc is recorded when it is defined.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "language/interp.h"
#include "language/script.h"
#include "session.h"

#define PLACES 8 /* positions in a message; an endless recursion has a thousand frames */

unsigned where_lines(const char *from, const char *to)
{
	unsigned n = 0;

	for (; from < to; from++)
		n += *from == '\n';
	return n;
}

void where_init(struct where *w)
{
	*w = (struct where){ .innermost = { 0 } };
	w->text = (struct text){ 0 };
}

/* Tcl counts -1 where the brackets of a command are closed on a later line: 0, not known. */
static unsigned read_line_number(const char *text)
{
	long line = strtol(text, NULL, 10);

	return line > 0 ? (unsigned)line : 0;
}

static bool same_name(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* A line that was appended just before, as that of a block, is not repeated; its proc may be new.
 * The same line in a typed proc may be one of another text. */
static void append_place(struct where *w, struct position at, const char *in)
{
	const char *proc = in ? in + strspn(in, ":") : "";
	const bool again = w->last.line == at.line && same_name(w->last.name, at.name) &&
			   (at.name || (!*w->last_proc && !*proc));

	if (again && (!*proc || strcmp(w->last_proc, proc) == 0))
		return;
	if (!again || *w->last_proc)
		xappendf(&w->text, "%s%s%s%u", text_len(&w->text) ? " < " : "",
			 at.name ? at.name : "line", at.name ? ":" : " ", at.line);
	xappendf(&w->text, "%s%s", *proc ? " in " : "", proc);
	w->innermost = w->innermost.line ? w->innermost : at;
	w->last = at;
	snprintf(w->last_proc, sizeof w->last_proc, "%s", proc);
}

/* Is the place shown? A line in a proc or a file is; a typed line only if several were typed. */
static bool is_shown(const struct session *s, const struct position *at, const char *proc)
{
	const struct script *sc = s->script;

	while (sc && sc->parent)
		sc = sc->parent;
	return at->name || proc || (sc && !sc->name && sc->is_block);
}

/* -------------------------------------------------------------------- frames -- */

/* Evaluates a query about Tcl's frames; returns a reference to the result. The query itself is the
 * last frame. NULL: failed, since a script may have redefined info; such errors have no position.
 */
static Tcl_Obj *query_frames(struct domain *d, const char *question)
{
	static bool asking;
	Tcl_InterpState saved;
	Tcl_Obj *result = NULL;

	if (asking)
		return NULL;
	asking = true;
	saved = Tcl_SaveInterpState(d->tcl, TCL_OK);
	if (Tcl_EvalEx(d->tcl, question, -1, TCL_EVAL_GLOBAL) == TCL_OK) {
		result = Tcl_GetObjResult(d->tcl);
		Tcl_IncrRefCount(result);
	}
	Tcl_RestoreInterpState(d->tcl, saved);
	asking = false;
	return result;
}

/* The info dict of frame n (from 1); NULL: none. */
static Tcl_Obj *frame_dict(struct domain *d, int n)
{
	char question[64];

	snprintf(question, sizeof question, "::info frame %d", n);
	return query_frames(d, question);
}

int where_frames(struct domain *d)
{
	Tcl_Obj *count = query_frames(d, "::info frame");
	int n = 1;

	if (count) {
		Tcl_GetIntFromObj(NULL, count, &n);
		Tcl_DecrRefCount(count);
	}
	return n - 1;
}

static const char *dict_text(Tcl_Obj *dict, const char *key)
{
	Tcl_Obj *v = dict_get(dict, key);

	return v ? Tcl_GetString(v) : NULL;
}

/* The script position of a frame. False: it is not in a script. */
static bool frame_position(Tcl_Obj *dict, struct position *at)
{
	const char *file = dict_text(dict, "file"), *line = dict_text(dict, "line");

	return file && line && script_fs_place(file, read_line_number(line), at);
}

/* Appends the positions of the frames from number n down to first. */
static void append_frames(struct domain *d, int n, int first, unsigned *places, struct where *w)
{
	for (; n >= first && *places <= PLACES; n--) {
		Tcl_Obj *f = frame_dict(d, n);
		const char *proc = f ? dict_text(f, "proc") : NULL;
		struct position at;

		if (!f)
			continue;
		if (frame_position(f, &at) && is_shown(d->s, &at, proc)) {
			if (*places == PLACES)
				text_add(&w->text, " < ...");
			else
				append_place(w, at, proc ? proc : dict_text(f, "method"));
			++*places;
		}
		Tcl_DecrRefCount(f);
	}
}

/* Appends the frames above the last call into a domain, and those of its callers, up to a call by
 * the event loop. */
static void append_all(const struct border *b, int n, struct domain *d, unsigned *places,
		       struct where *w)
{
	append_frames(d, n, b ? b->into_frames + 1 : 1, places, w);
	for (; b && !b->aside; b = b->outer)
		append_frames(b->from, b->from_frames, b->outer ? b->outer->into_frames + 1 : 1,
			      places, w);
}

void script_where(struct session *s, struct where *w)
{
	unsigned places = 0;

	if (s->domain->tcl != s->tcl)
		return;
	append_all(s->border, where_frames(s->domain), s->domain, &places, w);
	if (!places && s->script && s->script->name && !s->aside)
		append_place(w, (struct position){ s->script->name, s->script->line }, NULL);
}

char *where_body(struct domain *d, Tcl_Obj *body, struct position *at)
{
	char *text = NULL;

	for (int n = where_frames(d); n > 0 && !text; n--) {
		Tcl_Obj *f = frame_dict(d, n);
		const char *command = f ? dict_text(f, "cmd") : NULL, *raw = NULL;
		size_t size;

		if (command && frame_position(f, at))
			raw = script_word(command, Tcl_GetString(body), &size);
		if (raw) {
			at->line += where_lines(command, raw);
			text = xasprintf("%.*s", (int)size, raw);
		}
		if (f)
			Tcl_DecrRefCount(f);
	}
	return text;
}

/* The number of newlines before a line of text. line is Tcl's number, which does not count newlines
 * after a backslash. */
static unsigned lines_before(const char *text, unsigned line)
{
	unsigned n = 0;

	for (; *text && line > 1; text++) {
		n += *text == '\n';
		line -= *text == '\n';
		if (*text == '\\' && text[1])
			n += *++text == '\n';
	}
	return n;
}

bool where_outermost(struct session *s)
{
	const struct script *sc = s->script;
	bool found = false, outermost = false;

	for (int n = sc ? where_frames(s->domain) : 0; n > 0 && !found; n--) {
		Tcl_Obj *f = frame_dict(s->domain, n);
		const char *command = f ? dict_text(f, "cmd") : NULL;
		struct position at;

		found = command && frame_position(f, &at);
		outermost = found && strlen(command) == (size_t)sc->len &&
			    memcmp(command, sc->command, strlen(command)) == 0 &&
			    at.line == sc->line && same_name(at.name, sc->name);
		if (f)
			Tcl_DecrRefCount(f);
	}
	return outermost;
}

/* --------------------------------------------------------------------- procs -- */

struct defined {
	struct position at; /* of the body */
	char *text;	    /* the body as it is written */
};

static void forget_proc(Tcl_HashEntry *e)
{
	struct defined *p = Tcl_GetHashValue(e);

	free(p->text);
	free(p);
	Tcl_DeleteHashEntry(e);
}

/* Runs Tcl's proc and records the position of the definition. */
static int define_proc(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	struct domain *d = data;
	int is_new, rc = d->proc.objProc(d->proc.objClientData, tcl, objc, objv);
	struct defined *p;
	struct position at;
	Tcl_HashEntry *e;
	Tcl_Command proc;
	char *text;

	if (rc != TCL_OK)
		return rc;
	proc = Tcl_FindCommand(tcl, Tcl_GetString(objv[1]), NULL, 0);
	e = proc ? Tcl_FindHashEntry(&d->procs, (const char *)proc) : NULL;
	if (e)
		forget_proc(e);
	text = proc ? where_body(d, objv[3], &at) : NULL;
	if (!text)
		return rc;
	p = xcalloc(1, sizeof *p);
	*p = (struct defined){ at, text };
	e = Tcl_CreateHashEntry(&d->procs, (const char *)proc, &is_new);
	Tcl_SetHashValue(e, p);
	return rc;
}

void where_commands(struct domain *d)
{
	Tcl_InitHashTable(&d->procs, TCL_ONE_WORD_KEYS);
	Tcl_GetCommandInfo(d->tcl, "::proc", &d->proc);
	Tcl_CreateObjCommand(d->tcl, "::proc", define_proc, d, NULL);
}

void where_free(struct domain *d)
{
	Tcl_HashSearch at;
	Tcl_HashEntry *e;

	while ((e = Tcl_FirstHashEntry(&d->procs, &at)))
		forget_proc(e);
	Tcl_DeleteHashTable(&d->procs);
}

/* -------------------------------------------------------------------- errors -- */

/* Parses '"name" line 3)' at p. False: it is something else. */
static bool name_and_line(const char *p, char **name, unsigned *line)
{
	const char *quote = *p == '"' ? strchr(p + 1, '"') : NULL;

	if (!quote || strncmp(quote, "\" line ", 7) != 0)
		return false;
	*name = xasprintf("%.*s", (int)(quote - p - 1), p + 1);
	*line = read_line_number(quote + 7);
	return true;
}

/* Tcl reports a syntax error in a block of a proc when the block is about to run, at the line of
 * the command that has the block. The exact line is found in the text of the proc. */
static void append_proc(struct session *s, struct where *w, const char *name, unsigned line)
{
	struct domain *d = s->domain;
	Tcl_Command proc = Tcl_FindCommand(d->tcl, name, NULL, TCL_GLOBAL_ONLY);
	Tcl_HashEntry *e = proc ? Tcl_FindHashEntry(&d->procs, (const char *)proc) : NULL;
	unsigned exact;
	const struct defined *p = e ? Tcl_GetHashValue(e) : NULL;
	struct position at;

	if (!p || !line)
		return;
	at = p->at;
	if (w->innermost.line || !script_syntax(s, p->text, strlen(p->text), s->fail.text, &exact))
		exact = lines_before(p->text, line) + 1;
	at.line += exact - 1;
	append_place(w, at, name);
}

/* The first command that a part of errorInfo names, without its quotes, and without the dots that
 * stand for the rest of a long one. False: none. */
static bool named_command(const char *from, const char *to, const char **text, size_t *len)
{
	static const char *const marks[] = { "\n    while executing\n\"",
					     "\n    invoked from within\n\"" };
	const char *first = to, *end;

	for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++) {
		const char *p = strstr(from, marks[i]);

		if (p && p + strlen(marks[i]) < first)
			first = p + strlen(marks[i]);
	}
	end = first < to ? strstr(first, "\"\n    ") : NULL;
	if (!end)
		return false;
	*text = first;
	*len = (size_t)(end - first);
	if (*len > 3 && memcmp(end - 3, "...", 3) == 0)
		*len -= 3;
	return true;
}

/* The line of command, from 1, on which the named command begins; 0: it is not there, or more than
 * once. */
static unsigned line_within(const char *command, size_t size, const char *named, size_t len)
{
	const char *end = command + size, *p = command;
	unsigned line = 0;

	while ((p = memmem(p, (size_t)(end - p), named, len))) {
		if (p > command && strchr(" \t\n;{[\"", p[-1])) {
			if (line)
				return 0;
			line = where_lines(command, p) + 1;
		}
		p++;
	}
	return line;
}

/* Within the blocks of an if at top level Tcl reports no line. Finds it by the parser, or by the
 * command that errorInfo names. info: errorInfo from the last proc on, up to end. */
static void append_block(struct session *s, struct where *w, struct position at, const char *info,
			 const char *end)
{
	const struct script *sc = s->script;
	struct position exact = at;
	unsigned line = 0;
	const char *named;
	size_t len;

	if (!sc || !same_name(sc->name, at.name) || sc->line != at.line)
		return;
	if (!w->innermost.line)
		script_syntax(s, sc->command, (size_t)sc->len, s->fail.text, &line);
	if (!line && named_command(info, end, &named, &len))
		line = line_within(sc->command, (size_t)sc->len, named, len);
	exact.line += line - 1;
	if (line > 1)
		append_place(w, exact, NULL);
}

/* Appends the position of an error in body, which the running command evaluates by eval. */
static void append_body(struct session *s, struct where *w, const char *info, Tcl_Obj *body)
{
	static const char in_body[] = "\n    (\"eval\" body line ";
	const char *last = NULL;
	struct position at;
	char *text;

	for (const char *p = info; p && (p = strstr(p, in_body)); p++)
		last = p + strlen(in_body);
	text = last && read_line_number(last) ? where_body(s->domain, body, &at) : NULL;
	if (!text)
		return;
	at.line += lines_before(text, read_line_number(last));
	free(text);
	if (is_shown(s, &at, NULL))
		append_place(w, at, NULL);
}

void where_error(struct session *s, const char *info, Tcl_Obj *body, struct where *w)
{
	static const char in_proc[] = "\n    (procedure ", in_file[] = "\n    (file ";
	const struct border *b = s->border;
	struct position at;
	unsigned line, places = 0;
	const char *after = info; /* the last proc */
	char *name;

	for (const char *p = info; p && (p = strchr(p, '\n')); p++) {
		if (places == PLACES) {
			xappendf(&w->text, " < ...");
			return;
		}
		if (strncmp(p, in_proc, sizeof in_proc - 1) == 0 &&
		    name_and_line(p + sizeof in_proc - 1, &name, &line)) {
			append_proc(s, w, name, line);
			places++;
			after = p;
			free(name);
		} else if (strncmp(p, in_file, sizeof in_file - 1) == 0 &&
			   name_and_line(p + sizeof in_file - 1, &name, &line)) {
			if (script_fs_place(name, line, &at) && is_shown(s, &at, NULL)) {
				append_block(s, w, at, after, p);
				append_place(w, at, NULL);
			}
			free(name);
		}
	}
	if (body)
		append_body(s, w, info, body);
	if (body || !w->innermost.line)
		script_where(s, w);
	else if (b && !b->aside)
		append_all(b->outer, b->from_frames, b->from, &places, w);
}
