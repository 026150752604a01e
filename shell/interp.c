/* SPDX-License-Identifier: MIT */
/*
 * The Tcl interpreter. Tcl_Init is never called: no script library is needed. Ctrl-C
 * trips a time limit from an async handler, because a script can catch any error but a
 * limit.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "interp.h"
#include "script.h"
#include "session.h"
#include "where.h"
#include "xmem.h"

/* Second event loops and other ways around the session's own. */
static const char *const removed[] = { "after", "vwait",  "update",    "interp",
				       "load",	"unload", "fileevent", NULL };
/* Our words win; what --unsafe leaves of Tcl's is kept under another name. */
static const char *const renamed[][2] = { { "open", "tcl_open" },
					  { "close", "tcl_close" },
					  { "source", "tcl_source" },
					  { "trace", "tcl_trace" },
					  { "puts", "tcl_puts" },
					  { "exit", "tcl_exit" },
					  { NULL, NULL } };

/* What Tcl_Init would bring of expr's functions. */
static const char functions[] =
	"proc ::tcl::mathfunc::min {x args} {foreach y $args {if {$y < $x} {set x $y}}; set x}\n"
	"proc ::tcl::mathfunc::max {x args} {foreach y $args {if {$y > $x} {set x $y}}; set x}\n";

static Tcl_AsyncHandler interrupt_handler; /* one interpreter a process */

static void append(Tcl_Obj *list, const char *text)
{
	Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(text, -1));
}

/* For a script that catches the error: the option -rows, a dict of what the message says
 * below its first line. */
static Tcl_Obj *error_options(const struct fail *f)
{
	Tcl_Obj *options = Tcl_NewListObj(0, NULL), *rows = Tcl_NewListObj(0, NULL);

	for (unsigned i = 0; i < f->nrows; i++) {
		append(rows, f->rows[i].label);
		append(rows, f->rows[i].text);
	}
	append(options, "-code");
	append(options, "1");
	append(options, "-level");
	append(options, "0");
	append(options, "-rows");
	Tcl_ListObjAppendElement(NULL, options, rows);
	return options;
}

static int tcl_error(struct session *s, struct out *o)
{
	Tcl_DString where;
	int rc;

	out_free(o);
	if (!s->fail.text)
		Tcl_Panic("a command failed without saying why");
	if (!s->fail.where) {
		Tcl_DStringInit(&where);
		script_where(s, &where);
		s->fail.where = xstrdup(Tcl_DStringValue(&where));
		Tcl_DStringFree(&where);
	}
	Tcl_ResetResult(s->tcl);
	rc = Tcl_SetReturnOptions(s->tcl, error_options(&s->fail));
	Tcl_SetObjResult(s->tcl, Tcl_NewStringObj(s->fail.text, -1));
	Tcl_SetErrorCode(s->tcl, "RDMASH", s->fail.call, s->fail.code, NULL);
	return rc;
}

/* Is the error that of a script the command ran? Then its -errorcode stays. */
static bool passed_through(struct session *s)
{
	return s->fail.text && strcmp(Tcl_GetStringResult(s->tcl), s->fail.text) == 0;
}

int interp_quit(struct session *s, int code)
{
	s->quit = true;
	s->quit_code = code;
	interp_stop(s);
	return TCL_RETURN;
}

static int dispatch(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	struct session *s = data;
	struct out *o = NULL;
	const char *words[2] = { Tcl_GetString(objv[0]), objc > 1 ? Tcl_GetString(objv[1]) : NULL };
	const struct cmd *c;
	int used, rc;

	if (print_failed() && !s->opt.interactive) /* nobody listens any more: main says so */
		return interp_quit(s, -1);
	while (words[0][0] == ':') /* ::poll */
		words[0]++;
	c = cmd_find(s, words, objc > 1 ? 2 : 1, &used);
	if (!c)
		return tcl_error(s, NULL);
	o = out_new(s->printing);
	rc = cmd_run(s, c, objc - used, objv + used, o);
	if (app.after)
		app.after(s);
	if (rc < 0 && c->flags & CMD_EVALS && passed_through(s)) {
		out_free(o);
		return TCL_ERROR;
	}
	if (rc < 0)
		return tcl_error(s, o);
	if (rc > 0) { /* break, continue, return */
		out_free(o);
		return rc;
	}
	out_free(s->last);
	s->last = o;
	Tcl_SetObjResult(tcl, out_value(o));
	return TCL_OK;
}

/* fe80::1 in brackets is a command to Tcl. */
static bool looks_like_ipv6(const char *word)
{
	return strchr(word, ':') && strspn(word, "0123456789abcdefABCDEF:.%") == strlen(word);
}

/* What Tcl has and a safe interpreter, or this one, has not. */
static const char *const left_out[] = { "exec",	 "socket",     "file",	 "glob", "cd",	 "pwd",
					"load",	 "fconfigure", "chan",	 "read", "gets", "after",
					"vwait", "update",     "interp", NULL };

int interp_unknown(struct session *s, const char *word)
{
	if (looks_like_ipv6(word)) {
		fail(s, "command", "UNKNOWN", "unknown command '%s'", word);
		return fail_row(s, "note",
				"[...] runs a command: write IPv6 addresses without "
				"brackets, the port as a word of its own");
	}
	for (unsigned i = 0; left_out[i]; i++)
		if (strcmp(left_out[i], word) == 0) {
			fail(s, "command", "UNSAFE", "Tcl's %s is not available to scripts", word);
			return fail_row(s, "note", "%s",
					"scripts cannot leave the shell; rdmash "
					"--unsafe lifts that (but for after, vwait, "
					"update, interp)");
		}
	return 0;
}

static int unknown(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	struct session *s = data;
	const char *word = objc > 1 ? Tcl_GetString(objv[1]) : "";

	(void)tcl;
	if (interp_unknown(s, word))
		return tcl_error(s, NULL);
	return dispatch(data, tcl, objc - 1, objv + 1);
}

bool interp_ours(struct session *s, const char *command, int len)
{
	Tcl_Parse parse;
	Tcl_CmdInfo info;
	bool ours = false;
	Tcl_Obj *word;
	const char *words[1];
	int used;

	if (Tcl_ParseCommand(NULL, command, len, 0, &parse) != TCL_OK)
		return false;
	if (parse.numWords > 0 && parse.tokenPtr[0].type == TCL_TOKEN_SIMPLE_WORD) {
		word = Tcl_NewStringObj(parse.tokenPtr[1].start, parse.tokenPtr[1].size);
		Tcl_IncrRefCount(word);
		words[0] = Tcl_GetString(word);
		if (Tcl_GetCommandInfo(s->tcl, words[0], &info))
			ours = info.objProc == dispatch;
		else
			ours = cmd_find(NULL, words, 1, &used) || *words[0];
		Tcl_DecrRefCount(word);
	}
	Tcl_FreeParse(&parse);
	return ours;
}

void interp_fail(struct session *s)
{
	const char *text = Tcl_GetStringResult(s->tcl);
	Tcl_DString where;

	if (s->fail.text && strcmp(s->fail.text, text) == 0)
		return;
	fail(s, "script", "ERROR", "%s", *text ? text : "error without a message");
	Tcl_DStringInit(&where);
	where_error(s, Tcl_GetVar(s->tcl, "errorInfo", TCL_GLOBAL_ONLY), &where);
	s->fail.where = xstrdup(Tcl_DStringValue(&where));
	Tcl_DStringFree(&where);
}

int interp_eval(struct session *s, Tcl_Obj *script)
{
	Tcl_Obj *words[2];
	int rc;

	/* through eval, which knows the file and line that the script stands in */
	words[0] = Tcl_NewStringObj("::eval", -1);
	words[1] = script;
	Tcl_IncrRefCount(words[0]);
	Tcl_IncrRefCount(script);
	rc = Tcl_EvalObjv(s->tcl, 2, words, 0);
	Tcl_DecrRefCount(script);
	Tcl_DecrRefCount(words[0]);
	if (rc == TCL_ERROR)
		interp_fail(s);
	return rc;
}

static Tcl_Obj *error_code(Tcl_Interp *tcl, int rc)
{
	Tcl_Obj *options = Tcl_GetReturnOptions(tcl, rc), *key, *code = NULL;

	key = Tcl_NewStringObj("-errorcode", -1);
	Tcl_IncrRefCount(options);
	Tcl_IncrRefCount(key);
	Tcl_DictObjGet(NULL, options, key, &code);
	if (!code)
		code = Tcl_NewStringObj("NONE", -1);
	Tcl_IncrRefCount(code);
	Tcl_DecrRefCount(key);
	Tcl_DecrRefCount(options);
	return code;
}

int interp_aside(struct session *s, const char *dir, int objc, Tcl_Obj *const objv[],
		 Tcl_Obj **value, Tcl_Obj **code)
{
	struct script *outer = s->script, confined = { .parent = outer, .dir = dir, .fd = -1 };
	Tcl_InterpState state = Tcl_SaveInterpState(s->tcl, TCL_OK);
	struct fail before = fail_aside(s);
	struct out *last = s->last;
	bool printing = s->printing;
	int rc;

	s->printing = false;
	s->last = NULL;
	if (dir)
		s->script = &confined;
	s->aside++;
	rc = Tcl_EvalObjv(s->tcl, objc, objv, TCL_EVAL_GLOBAL);
	s->aside--;
	s->script = outer;
	*value = Tcl_GetObjResult(s->tcl);
	Tcl_IncrRefCount(*value);
	*code = rc == TCL_ERROR ? error_code(s->tcl, rc) : NULL;
	out_free(s->last);
	s->last = last;
	s->printing = printing;
	fail_back(s, before);
	Tcl_RestoreInterpState(s->tcl, state);
	return rc;
}

void interp_stop(struct session *s)
{
	Tcl_Time past = { 1, 0 };

	Tcl_LimitSetTime(s->tcl, &past);
	Tcl_LimitSetGranularity(s->tcl, TCL_LIMIT_TIME, 1);
	Tcl_LimitTypeSet(s->tcl, TCL_LIMIT_TIME);
}

/* In the interpreter's own time, after the signal. */
static int interrupted(ClientData data, Tcl_Interp *tcl, int code)
{
	(void)tcl;
	interp_stop(data);
	return code;
}

static void mark_interrupt(void *arg)
{
	(void)arg;
	Tcl_AsyncMark(interrupt_handler);
}

void interp_resume(struct session *s)
{
	if (Tcl_AsyncReady())
		Tcl_AsyncInvoke(s->tcl, TCL_OK);
	Tcl_LimitTypeReset(s->tcl, TCL_LIMIT_TIME);
}

static void register_commands(struct session *s)
{
	const char *last = "";

	for (const struct cmd *const *c = cmd_table; *c; c++) {
		char *word = xasprintf("%.*s", (int)strcspn((*c)->name, " "), (*c)->name);

		if (strcmp(word, last) != 0)
			Tcl_CreateObjCommand(s->tcl, word, dispatch, s, NULL);
		last = (*c)->name;
		free(word);
	}
	Tcl_CreateObjCommand(s->tcl, "unknown", unknown, s, NULL);
}

void interp_new(struct session *s)
{
	s->tcl = Tcl_CreateInterp();
	if (!s->opt.unsafe)
		Tcl_MakeSafe(s->tcl);
	for (int i = 0; removed[i]; i++)
		Tcl_DeleteCommand(s->tcl, removed[i]);
	for (int i = 0; renamed[i][0]; i++) {
		char *line = xasprintf("rename %s %s", renamed[i][0], renamed[i][1]);

		Tcl_Eval(s->tcl, line); /* a safe interpreter lacks some: no matter */
		free(line);
	}
	if (!s->opt.unsafe)
		Tcl_DeleteCommand(s->tcl, "tcl_puts");
	Tcl_DeleteCommand(s->tcl, "tcl_exit");
	Tcl_Eval(s->tcl, functions);
	Tcl_ResetResult(s->tcl);
	register_commands(s);
	script_init(s);
	where_init();
	interrupt_handler = Tcl_AsyncCreate(interrupted, s);
	loop_on_interrupt(s->loop, mark_interrupt, NULL);
}

void interp_free(struct session *s)
{
	loop_on_interrupt(s->loop, NULL, NULL);
	Tcl_AsyncDelete(interrupt_handler);
	Tcl_DeleteInterp(s->tcl);
	where_free();
	s->tcl = NULL;
	out_free(s->last);
	s->last = NULL;
}
