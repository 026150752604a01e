/* SPDX-License-Identifier: MIT */
/*
 * Positions: file and line of what runs, and of what has failed.
 *
 * While a command of ours runs, Tcl's frames tell all. When a command of Tcl's has failed
 * the frames are gone, and errorInfo counts lines from the start of a proc: so the place
 * of each proc of a script is remembered as it is defined.
 */
#include <stdlib.h>
#include <string.h>

#include "script.h"
#include "session.h"
#include "where.h"
#include "xmem.h"

#define PLACES 8 /* in a message; an endless recursion has a thousand */

unsigned where_lines(const char *from, const char *to)
{
	unsigned n = 0;

	for (; from < to; from++)
		n += *from == '\n';
	return n;
}

/* --------------------------------------------------------------------- procs -- */

struct proc {
	char *file;
	unsigned line; /* of its body */
};

static Tcl_HashTable procs; /* by name without "::"; one interpreter a process */

static void forget(Tcl_HashEntry *e)
{
	struct proc *p = Tcl_GetHashValue(e);

	free(p->file);
	free(p);
	Tcl_DeleteHashEntry(e);
}

static const struct proc *find_proc(const char *name)
{
	Tcl_HashEntry *e = Tcl_FindHashEntry(&procs, name + strspn(name, ":"));

	return e ? Tcl_GetHashValue(e) : NULL;
}

void where_init(void)
{
	Tcl_InitHashTable(&procs, TCL_STRING_KEYS);
}

void where_free(void)
{
	Tcl_HashSearch at;
	Tcl_HashEntry *e;

	while ((e = Tcl_FirstHashEntry(&procs, &at)))
		forget(e);
	Tcl_DeleteHashTable(&procs);
}

static void remember(const char *name, const char *file, unsigned line)
{
	Tcl_HashEntry *e = Tcl_FindHashEntry(&procs, name);
	struct proc *p;
	int is_new;

	if (e)
		forget(e);
	if (!file)
		return;
	p = xcalloc(1, sizeof *p);
	p->file = xstrdup(file);
	p->line = line;
	Tcl_SetHashValue(Tcl_CreateHashEntry(&procs, name, &is_new), p);
}

void where_proc(struct session *s, const char *command, int len)
{
	const Tcl_Token *t, *word[4];
	Tcl_Parse parse;
	char *name;

	if (len < 5 || memcmp(command, "proc", 4) != 0 ||
	    Tcl_ParseCommand(NULL, command, len, 0, &parse) != TCL_OK)
		return;
	t = parse.tokenPtr;
	for (int i = 0; i < parse.numWords && i < 4; i++, t += t->numComponents + 1)
		word[i] = t;
	if (parse.numWords == 4 && word[1]->type == TCL_TOKEN_SIMPLE_WORD) {
		name = xasprintf("%.*s", word[1][1].size, word[1][1].start);
		remember(name + strspn(name, ":"), s->script->name,
			 s->script->line + where_lines(command, word[3]->start));
		free(name);
	}
	Tcl_FreeParse(&parse);
}

/* -------------------------------------------------------------------- frames -- */

/* The file descriptor in a path that the interpreter gives: /proc/PID/fd/N. */
static const struct script *script_of(struct session *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	int fd = slash ? atoi(slash + 1) : -1;

	for (const struct script *sc = s->script; sc; sc = sc->parent)
		if (sc->fd == fd)
			return sc;
	return NULL;
}

static const char *dict_str(Tcl_Obj *dict, const char *key)
{
	Tcl_Obj *k = Tcl_NewStringObj(key, -1), *v = NULL;

	Tcl_IncrRefCount(k);
	Tcl_DictObjGet(NULL, dict, k, &v);
	Tcl_DecrRefCount(k);
	return v ? Tcl_GetString(v) : NULL;
}

/* Appends the position of one frame; false: it is not one a person would recognise. */
static bool append_frame(struct session *s, Tcl_Obj *frame, bool first, Tcl_DString *where)
{
	const char *file = dict_str(frame, "file"), *line = dict_str(frame, "line");
	const char *proc = dict_str(frame, "proc");
	/* the file of a proc may be closed, and its descriptor another's by now */
	const struct proc *defined = proc ? find_proc(proc) : NULL;
	const struct script *sc = file ? script_of(s, file) : NULL;
	const char *name = defined ? defined->file : sc ? sc->name : NULL;

	if (!file || !line || !name)
		return false;
	xappendf(where, "%s%s:%s%s%s", first ? "" : " < ", name, line, proc ? " in " : "",
		 proc ? proc + strspn(proc, ":") : "");
	return true;
}

static int frame_count(struct session *s)
{
	int n = 0;

	if (Tcl_Eval(s->tcl, "::info frame") != TCL_OK ||
	    Tcl_GetIntFromObj(NULL, Tcl_GetObjResult(s->tcl), &n) != TCL_OK)
		return 0;
	return n;
}

void script_where(struct session *s, Tcl_DString *where)
{
	Tcl_InterpState saved;
	unsigned places = 0;

	if (!s->script || !s->script->name)
		return;
	saved = Tcl_SaveInterpState(s->tcl, TCL_OK);
	for (int n = frame_count(s); n > 0 && places <= PLACES; n--) {
		char *ask = xasprintf("::info frame %d", n);
		Tcl_Obj *frame;

		if (places == PLACES) {
			Tcl_DStringAppend(where, " < ...", -1);
			places++;
		} else if (Tcl_Eval(s->tcl, ask) == TCL_OK) {
			frame = Tcl_GetObjResult(s->tcl);
			Tcl_IncrRefCount(frame);
			places += append_frame(s, frame, !places, where);
			Tcl_DecrRefCount(frame);
		}
		free(ask);
	}
	Tcl_RestoreInterpState(s->tcl, saved);
	if (!places)
		xappendf(where, "%s:%u", s->script->name, s->script->line);
}

/* The line where body, a braced word of command, begins; 0: it is none. */
static unsigned line_in(const char *command, Tcl_Obj *body)
{
	const char *text = Tcl_GetString(body);
	size_t len = strlen(text);
	Tcl_Parse parse;
	unsigned lines = 0;
	const Tcl_Token *t;

	if (Tcl_ParseCommand(NULL, command, -1, 0, &parse) != TCL_OK)
		return 0;
	t = parse.tokenPtr;
	for (int i = 0; i < parse.numWords; i++, t += t->numComponents + 1)
		if (t->type == TCL_TOKEN_SIMPLE_WORD && (size_t)t[1].size == len &&
		    memcmp(t[1].start, text, len) == 0)
			lines = where_lines(command, t[1].start) + 1;
	Tcl_FreeParse(&parse);
	return lines;
}

unsigned where_body(struct session *s, Tcl_Obj *body, const struct script **in)
{
	Tcl_InterpState saved = Tcl_SaveInterpState(s->tcl, TCL_OK);
	unsigned found = 0;

	for (int n = frame_count(s); n > 0 && !found; n--) {
		char *ask = xasprintf("::info frame %d", n);
		const char *file, *line, *command;
		Tcl_Obj *frame;

		if (Tcl_Eval(s->tcl, ask) == TCL_OK) {
			frame = Tcl_GetObjResult(s->tcl);
			Tcl_IncrRefCount(frame);
			file = dict_str(frame, "file");
			line = dict_str(frame, "line");
			command = dict_str(frame, "cmd");
			*in = file ? script_of(s, file) : NULL;
			if (*in && line && command)
				found = line_in(command, body);
			if (found)
				found += (unsigned)strtoul(line, NULL, 10) - 1;
			Tcl_DecrRefCount(frame);
		}
		free(ask);
	}
	Tcl_RestoreInterpState(s->tcl, saved);
	return found;
}

bool where_outermost(struct session *s)
{
	Tcl_InterpState saved;
	bool found = false, outermost = false;

	if (!s->script)
		return false;
	saved = Tcl_SaveInterpState(s->tcl, TCL_OK);
	for (int n = frame_count(s); n > 0 && !found; n--) {
		char *ask = xasprintf("::info frame %d", n);
		const char *file, *command;
		Tcl_Obj *frame;

		if (Tcl_Eval(s->tcl, ask) == TCL_OK) {
			frame = Tcl_GetObjResult(s->tcl);
			Tcl_IncrRefCount(frame);
			file = dict_str(frame, "file");
			command = dict_str(frame, "cmd");
			found = file && command;
			outermost = found && script_of(s, file) == s->script &&
				    strlen(command) == (size_t)s->script->len &&
				    memcmp(command, s->script->command, strlen(command)) == 0;
			Tcl_DecrRefCount(frame);
		}
		free(ask);
	}
	Tcl_RestoreInterpState(s->tcl, saved);
	return outermost;
}

/* -------------------------------------------------------------------- errors -- */

/* '"name" line 3)' at p; false: it is something else. */
static bool name_and_line(const char *p, char **name, unsigned *line)
{
	const char *quote = *p == '"' ? strchr(p + 1, '"') : NULL;

	if (!quote || strncmp(quote, "\" line ", 7) != 0)
		return false;
	*name = xasprintf("%.*s", (int)(quote - p - 1), p + 1);
	*line = (unsigned)strtoul(quote + 7, NULL, 10);
	return true;
}

static void append_place(Tcl_DString *where, const char *file, unsigned line, const char *proc)
{
	xappendf(where, "%s%s:%u%s%s", Tcl_DStringLength(where) ? " < " : "", file, line,
		 proc ? " in " : "", proc ? proc : "");
}

static void append_proc(Tcl_DString *where, const char *name, unsigned line)
{
	const struct proc *p = find_proc(name);

	if (p)
		append_place(where, p->file, p->line + line - 1, name + strspn(name, ":"));
}

void where_error(struct session *s, const char *info, Tcl_DString *where)
{
	static const char in_proc[] = "\n    (procedure ", in_file[] = "\n    (file ";
	const struct script *sc;
	unsigned line, places = 0;
	char *name;

	for (const char *p = info; p && (p = strchr(p, '\n')); p++) {
		if (places == PLACES) {
			xappendf(where, " < ...");
			break;
		}
		if (strncmp(p, in_proc, sizeof in_proc - 1) == 0 &&
		    name_and_line(p + sizeof in_proc - 1, &name, &line)) {
			append_proc(where, name, line);
			places++;
			free(name);
		} else if (strncmp(p, in_file, sizeof in_file - 1) == 0 &&
			   name_and_line(p + sizeof in_file - 1, &name, &line)) {
			sc = script_of(s, name);
			if (sc && sc->name)
				append_place(where, sc->name, line, NULL);
			free(name);
		}
	}
	if (!Tcl_DStringLength(where))
		script_where(s, where);
}
