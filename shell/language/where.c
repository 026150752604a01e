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
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "alloc.h"
#include "language/interp.h"
#include "language/script.h"
#include "session.h"

#define VOLUME	  "//rdmash:/"	 /* the form that Tcl reserves for virtual file systems */
#define PATH_FORM VOLUME "%u/%u" /* number of the script's name, line */

/* ----------------------------------------------------------------------- names -- */

static Tcl_HashTable numbers; /* by name */
static const char **names;    /* its keys, by number from 1; 0: typed, without a name */
static unsigned n_names;

static unsigned intern_name(const char *name)
{
	Tcl_HashEntry *e;
	int is_new;

	if (!name)
		return 0;
	e = Tcl_CreateHashEntry(&numbers, name, &is_new);
	if (is_new) {
		names = xgrow(names, n_names + 1, sizeof *names);
		names[++n_names] = Tcl_GetHashKey(&numbers, e);
		Tcl_SetHashValue(e, (ClientData)(uintptr_t)n_names);
	}
	return (unsigned)(uintptr_t)Tcl_GetHashValue(e);
}

/* Converts a path and line (from 1) that Tcl reports to a position in a script. False: the path is
 * not in this file system. */
static bool script_fs_place(const char *path, unsigned line, struct position *at)
{
	unsigned number, first;

	if (sscanf(path, PATH_FORM, &number, &first) != 2 || number > n_names || !line)
		return false;
	at->name = number ? names[number] : NULL;
	at->line = first + line - 1;
	return true;
}

/* --------------------------------------------------------------------- channel -- */

/* The text to be evaluated; Tcl reads all of it before it evaluates any. */
static struct {
	const char *part[2];
	size_t len[2];
} source_text;

static int channel_input(ClientData data, char *buf, int room, int *error)
{
	int done = 0;

	(void)data, (void)error;
	for (int i = 0; i < 2; i++) {
		size_t n = (size_t)(room - done) < source_text.len[i] ? (size_t)(room - done)
								      : source_text.len[i];

		if (!n)
			continue;
		memcpy(buf + done, source_text.part[i], n);
		source_text.part[i] += n;
		source_text.len[i] -= n;
		done += (int)n;
	}
	return done;
}

static int close_channel(ClientData data, Tcl_Interp *tcl, int flags)
{
	(void)data, (void)tcl;
	return flags ? EINVAL : 0; /* one side alone cannot be closed */
}

static void channel_watch(ClientData data, int mask)
{
	(void)data, (void)mask;
}

static int channel_handle(ClientData data, int direction, ClientData *handle)
{
	(void)data, (void)direction, (void)handle;
	return TCL_ERROR;
}

static const Tcl_ChannelType channel = { .typeName = "rdmash",
					 .version = TCL_CHANNEL_VERSION_5,
					 .closeProc = TCL_CLOSE2PROC,
					 .close2Proc = close_channel,
					 .inputProc = channel_input,
					 .watchProc = channel_watch,
					 .getHandleProc = channel_handle };

/* ----------------------------------------------------------------- file system -- */

static int path_is_ours(Tcl_Obj *path, ClientData *data)
{
	(void)data;
	return strncmp(Tcl_GetString(path), VOLUME, sizeof VOLUME - 1) == 0 ? TCL_OK : -1;
}

static int file_stat(Tcl_Obj *path, Tcl_StatBuf *st)
{
	(void)path;
	*st = (Tcl_StatBuf){ .st_mode = S_IFREG | 0400 };
	return 0;
}

static Tcl_Channel file_open_channel(Tcl_Interp *tcl, Tcl_Obj *path, int mode, int permissions)
{
	(void)tcl, (void)path, (void)mode, (void)permissions;
	return Tcl_CreateChannel(&channel, "rdmash", NULL, TCL_READABLE);
}

static Tcl_Obj *list_volumes(void)
{
	return Tcl_NewStringObj(VOLUME, -1);
}

static const Tcl_Filesystem file_system = { .typeName = "rdmash",
					    .structureLength = sizeof file_system,
					    .version = TCL_FILESYSTEM_VERSION_1,
					    .pathInFilesystemProc = path_is_ours,
					    .statProc = file_stat,
					    .openFileChannelProc = file_open_channel,
					    .listVolumesProc = list_volumes };

int script_fs_eval(Tcl_Interp *tcl, const struct position *at, const char *command, int len,
		   const char *tail)
{
	SCOPED_VALUE(path, Tcl_ObjPrintf(PATH_FORM, intern_name(at->name), at->line));

	source_text.part[0] = command;
	source_text.len[0] = (size_t)len;
	source_text.part[1] = tail;
	source_text.len[1] = tail ? strlen(tail) : 0;
	return Tcl_FSEvalFileEx(tcl, path, "utf-8");
}

void script_fs_init(void)
{
	Tcl_InitHashTable(&numbers, TCL_STRING_KEYS);
	Tcl_FSRegister(NULL, &file_system);
}

void script_fs_free(void)
{
	Tcl_FSUnregister(&file_system);
	Tcl_DeleteHashTable(&numbers);
	free(names);
	names = NULL;
	n_names = 0;
}

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
