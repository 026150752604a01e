/* SPDX-License-Identifier: MIT */
/*
 * The Tcl interpreters. Tcl_Init() is never called, because no script library is needed. A short
 * time limit is set again and again; its handler checks for Ctrl-C. After Ctrl-C the limit stays
 * exceeded, since an exceeded limit is the only error that a script cannot catch.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/cmd.h"
#include "language/interp.h"
#include "language/script.h"
#include "serve/serve.h"
#include "session.h"
#include "alloc.h"

/* Commands that would run an event loop besides the session's own. Nothing else is removed for the
 * sake of rights, neither rename nor trace nor namespace unknown, since the code of a domain
 * changes only its own interpreter. */
static const char *const removed[] = { "after", "vwait",  "update",    "interp",
				       "load",	"unload", "fileevent", NULL };
/* The shell's commands take precedence; Tcl's are kept under another name, or deleted below. */
static const char *const renamed[][2] = { { "open", "tcl_open" },
					  { "close", "tcl_close" },
					  { "source", "tcl_source" },
					  { "trace", "tcl_trace" },
					  { "puts", "tcl_puts" },
					  { "exit", "tcl_exit" },
					  { NULL, NULL } };

/* Functions of expr, and the parts of clock, that Tcl_Init() would define. */
static const char functions[] =
#if TCL_MAJOR_VERSION >= 9
	"catch {rename clock {}}\n" /* of the interpreter that has made this one, without parts */
	"namespace eval ::tcl::clock {namespace ensemble create -command ::clock -map {\n"
	"clicks clicks microseconds microseconds milliseconds milliseconds seconds seconds}}\n"
#endif
	"proc ::tcl::mathfunc::min {x args} {foreach y $args {if {$y < $x} {set x $y}}; set x}\n"
	"proc ::tcl::mathfunc::max {x args} {foreach y $args {if {$y > $x} {set x $y}}; set x}\n";

#define TICK_US \
	20000 /* how often a busy script checks for Ctrl-C (later if the clock is set back) */

/* Return options for a script that catches the error: -rows is a dict of the lines below the first
 * line of the message. */
static Tcl_Obj *error_options(const struct fail *f)
{
	Tcl_Obj *options = Tcl_NewStringObj("-code 1 -level 0 -rows", -1);
	Tcl_Obj *rows = Tcl_NewListObj(0, NULL);

	for (unsigned i = 0; i < f->nrows; i++) {
		value_append(rows, f->rows[i].label);
		value_append(rows, f->rows[i].text);
	}
	Tcl_ListObjAppendElement(NULL, options, rows);
	return options;
}

/* code: the -errorcode; NULL: that of s->fail. */
static int tcl_error(struct session *s, struct out *o, Tcl_Obj *code)
{
	struct where where;
	int rc;

	out_free(o);
	if (!s->fail.text)
		Tcl_Panic("a command failed without saying why");
	if (!s->fail.where) {
		where_init(&where);
		script_where(s, &where);
		fail_place(s, &where);
	}
	Tcl_ResetResult(s->tcl);
	rc = Tcl_SetReturnOptions(s->tcl, error_options(&s->fail));
	Tcl_SetObjResult(s->tcl, Tcl_NewStringObj(s->fail.text, -1));
	if (code)
		Tcl_SetObjErrorCode(s->tcl, code);
	else
		Tcl_SetErrorCode(s->tcl, "RDMASH", s->fail.call, s->fail.code, NULL);
	return rc;
}

/* Did the error come from a script that the command ran? Then its -errorcode is kept. */
static bool passed_through(struct session *s)
{
	return s->fail.text && strcmp(Tcl_GetStringResult(s->tcl), s->fail.text) == 0;
}

static void set_limit(Tcl_Interp *tcl, Tcl_Time at, int granularity)
{
	Tcl_LimitSetTime(tcl, &at);
	Tcl_LimitSetGranularity(tcl, TCL_LIMIT_TIME, granularity);
	Tcl_LimitTypeSet(tcl, TCL_LIMIT_TIME);
}

/* Makes the interpreters unwind their stacks, in a way that no script can catch. Leaves out one
 * (NULL: none), whose limit is exceeded already: setting it again would clear that. */
static void stop_others(struct session *s, Tcl_Interp *one)
{
	const Tcl_Time past = { 1, 0 };

	for (struct domain *d = domain_first(s); d; d = LIST_NEXT(d, link))
		if (d->tcl != one)
			set_limit(d->tcl, past, 1);
}

int interp_quit(struct session *s, int code)
{
	s->quit = true;
	s->quit_code = code;
	if (s->aside) /* this error belongs to the event loop, not to the waiting command */
		loop_interrupt(s->loop);
	stop_others(s, NULL);
	return TCL_RETURN;
}

static int keep_value(struct session *s, struct out *o)
{
	out_free(s->last);
	s->last = o;
	Tcl_SetObjResult(s->tcl, s->at_prompt ? out_keep_value(o) : out_value(o));
	return TCL_OK;
}

static int run_library(struct session *s, struct library *l, int objc, Tcl_Obj *const objv[])
{
	struct out *o = out_new(s->printing);
	Tcl_Obj *code;
	int rc = library_run(s, l, objc, objv, o, &code);

	if (rc == 0)
		return keep_value(s, o);
	rc = tcl_error(s, o, code);
	if (code)
		Tcl_DecrRefCount(code);
	return rc;
}

/* Finds a command that Tcl does not know under this name: a unique prefix, or @NAME. */
static const struct cmd *find_shortened(struct session *s, int objc, Tcl_Obj *const objv[],
					int *used)
{
	const char *words[2] = { Tcl_GetString(objv[0]), objc > 1 ? Tcl_GetString(objv[1]) : NULL };

	while (words[0][0] == ':') /* ::pol */
		words[0]++;
	return cmd_find(s, words, objc > 1 ? 2 : 1, used);
}

/* A command of the shell in the interpreter of a domain. */
struct domain_word {
	struct domain *d;
	const struct cmd_group *group; /* NULL: a library, of that name */
	const char *library;
};

/* Fails if the domain may not use this command. */
static int domain_refuses(struct session *s, const char *name)
{
	const char *const *refused = s->domain->refused;
	const size_t len = strcspn(name, " ");

	if (s->domain->is_over)
		return fail(s, name, "EPERM", "the hand-in is over");
	for (; refused && *refused; refused++)
		if (strlen(*refused) == len && strncmp(*refused, name, len) == 0)
			return fail(s, name, "EPERM", "a hand-in cannot use %s", *refused);
	return 0;
}

/* Runs a command for the code of the current domain. word NULL: Tcl does not know the command. */
static int run_word(struct session *s, const struct domain_word *word, int objc,
		    Tcl_Obj *const objv[])
{
	struct out *o = NULL;
	const struct cmd *c;
	int used, rc;

	if (print_failed() && !s->opt.interactive) /* standard output is gone: main() reports it */
		return interp_quit(s, -1);
	if (word && word->library && domain_refuses(s, word->library))
		return tcl_error(s, NULL, NULL);
	if (word && word->library)
		return run_library(s, library_named(word->library), objc, objv);
	c = word ? cmd_find_in(s, word->group, objc, objv, &used)
		 : find_shortened(s, objc, objv, &used);
	if (!c && s->domain->root && !*s->domain->root)
		fail_row(s, "note",
			 "a remote method that you typed cannot call your procs: define both "
			 "in a file");
	if (!c || domain_refuses(s, c->name))
		return tcl_error(s, NULL, NULL);
	o = out_new(s->printing);
	rc = cmd_run(s, c, objc - used, objv + used, o);
	if (app.after)
		app.after(s);
	if (rc < 0 && c->flags & CMD_EVALS && passed_through(s)) {
		out_free(o);
		return TCL_ERROR;
	}
	if (rc < 0)
		return tcl_error(s, o, NULL);
	if (rc > 0) { /* break, continue, return */
		out_free(o);
		return rc;
	}
	return keep_value(s, o);
}

/* The command runs with the rights of the calling interpreter. */
static int run_in_domain(struct domain *d, const struct domain_word *word, int objc,
			 Tcl_Obj *const objv[])
{
	struct domain *outer = d->s->domain;
	struct session *s = d->s;
	int rc;

	s->domain = d;
	s->tcl = d->tcl;
	if (d == s->own)
		domain_turn(s);
	rc = run_word(s, word, objc, objv);
	if (d == s->own)
		domain_turn(s);
	if (loop_interrupted(s->loop) || loop_ending(s->loop))
		stop_others(s, NULL);
	s->domain = outer;
	s->tcl = outer->tcl;
	return rc;
}

static int dispatch_command(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	const struct domain_word *word = data;

	(void)tcl;
	return run_in_domain(word->d, word, objc, objv);
}

/* Tcl takes [fe80::1] for a command substitution. */
static bool looks_like_ipv6(const char *word)
{
	return strchr(word, ':') && strspn(word, "0123456789abcdefABCDEF:.%") == strlen(word);
}

/* Commands of Tcl that a safe interpreter, or this one, does not have. */
static const char *const unavailable[] = { "exec",  "socket",	  "file",   "glob", "cd",   "pwd",
					   "load",  "fconfigure", "chan",   "read", "gets", "after",
					   "vwait", "update",	  "interp", NULL };

int interp_unknown(struct session *s, const char *word)
{
	if (looks_like_ipv6(word)) {
		fail(s, "command", "UNKNOWN", "unknown command '%s'", word);
		return fail_row(s, "note",
				"[...] runs a command: write IPv6 addresses without "
				"brackets, the port as a word of its own");
	}
	for (unsigned i = 0; unavailable[i]; i++)
		if (strcmp(unavailable[i], word) == 0) {
			fail(s, "command", "UNSAFE", "Tcl's %s is not available to scripts", word);
			if (strcmp(word, "after") == 0)
				fail_next(s, "on timer 1s {echo tick}; or sleep 1s");
			if (strcmp(word, "vwait") == 0)
				fail_next(s, "wait until {$done}");
			return fail_row(s, "note", "%s",
					"scripts cannot leave the shell; rdmash "
					"--unsafe lifts that (but for after, vwait, "
					"update, interp)");
		}
	return 0;
}

/* Fails with a hint if an assignment of other languages was typed: "x = 5". */
static int fail_assignment(struct session *s, int objc, Tcl_Obj *const objv[])
{
	if (objc != 3 || strcmp(Tcl_GetString(objv[1]), "=") != 0 ||
	    cmd_group(Tcl_GetString(objv[0])))
		return 0;
	fail(s, "command", "UNKNOWN", "unknown command '%s'", Tcl_GetString(objv[0]));
	return fail_next(s, "set %s {%s}", Tcl_GetString(objv[0]), Tcl_GetString(objv[2]));
}

static int dispatch_unknown(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	struct domain *d = data, *other;
	struct session *s = d->s;
	const char *word = objc > 1 ? Tcl_GetString(objv[1]) : "";

	(void)tcl;
	other = d == s->own ? domain_knows(s, word) : NULL;
	if (other)
		return domain_call(s, other, objc - 1, objv + 1);
	if (interp_unknown(s, word) || fail_assignment(s, objc - 1, objv + 1))
		return tcl_error(s, NULL, NULL);
	return run_in_domain(d, NULL, objc - 1, objv + 1);
}

bool interp_ours(struct session *s, const char *command, int len)
{
	Tcl_Parse parse;
	Tcl_CmdInfo info;
	bool ours = false;
	const char *words[1];
	int used;

	if (Tcl_ParseCommand(NULL, command, len, 0, &parse) != TCL_OK)
		return false;
	if (parse.numWords > 0 && parse.tokenPtr[0].type == TCL_TOKEN_SIMPLE_WORD) {
		const Tcl_Token *first = &parse.tokenPtr[1];
		SCOPED_VALUE(word, Tcl_NewStringObj(first->start, first->size));

		words[0] = Tcl_GetString(word);
		if (Tcl_GetCommandInfo(s->tcl, words[0], &info))
			ours = info.objProc == dispatch_command;
		else if (s->domain != s->own || !domain_knows(s, words[0]))
			ours = cmd_find(NULL, words, 1, &used) || *words[0];
	}
	Tcl_FreeParse(&parse);
	return ours;
}

/* An unknown command in brackets was probably meant as text, "costs [1]": replaces the suggestions
 * of other commands by how to quote it. */
static void suggest_braces(struct session *s)
{
	const char *trace = Tcl_GetVar(s->tcl, "errorInfo", TCL_GLOBAL_ONLY);
	const char *executed = trace ? strstr(trace, "\n    while executing\n\"") : NULL;
	char command[64], bracketed[68];

	if (!executed || sscanf(executed, " while executing \"%63[^\"\n]", command) != 1)
		return;
	snprintf(bracketed, sizeof bracketed, "[%s]", command);
	if (!strstr(executed, bracketed))
		return;
	fail(s, "command", "UNKNOWN", "%s", s->fail.text);
	fail_row(s, "as text", "in braces, where $ and [ ] are letters: {%s}", bracketed);
}

/* body: what the running command evaluated; NULL: no command is running. */
static void fail_in(struct session *s, Tcl_Obj *body)
{
	const char *text = Tcl_GetStringResult(s->tcl);
	struct where where;
	char name[64];

	if (s->fail.text && strcmp(s->fail.text, text) == 0) {
		if (s->opt.interactive && strcmp(s->fail.code, "UNKNOWN") == 0)
			suggest_braces(s);
		return;
	}
	fail(s, "script", "ERROR", "%s", *text ? text : "error without a message");
	if (s->opt.interactive &&
	    sscanf(text, "can't read \"%63[^\"]\": no such variable", name) == 1) {
		if (!isdigit((unsigned char)*name))
			fail_row(s, "as a value", "give it one first: set %s VALUE", name);
		fail_row(s, "as text", "in braces, where $ and [ ] are letters: {$%s}", name);
	}
	where_init(&where);
	where_error(s, Tcl_GetVar(s->tcl, "errorInfo", TCL_GLOBAL_ONLY), body, &where);
	fail_place(s, &where);
}

void interp_fail(struct session *s)
{
	fail_in(s, NULL);
}

int interp_eval(struct session *s, Tcl_Obj *script)
{
	SCOPED_VALUE(eval, Tcl_NewStringObj("::eval", -1));
	SCOPED_VALUE(body, script);
	Tcl_Obj *const words[2] = { eval, body };
	/* through eval, which keeps track of the script's file and line */
	int rc = Tcl_EvalObjv(s->tcl, 2, words, 0);

	if (rc == TCL_ERROR)
		fail_in(s, body);
	return rc;
}

/* The words are evaluated as a list, for which Tcl creates a stack frame. Without a frame, "info
 * frame" in a coroutine crashes the process. */
int interp_eval_words(Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	SCOPED_VALUE(words, Tcl_NewListObj(objc, objv));

	return Tcl_EvalObjEx(tcl, words, TCL_EVAL_GLOBAL);
}

Tcl_Obj *interp_errorcode(Tcl_Interp *tcl)
{
	SCOPED_VALUE(options, Tcl_GetReturnOptions(tcl, TCL_ERROR));
	Tcl_Obj *code = dict_get(options, "-errorcode");

	return value_hold(code ? code : Tcl_NewStringObj("NONE", -1));
}

int interp_aside(struct session *s, struct domain *d, int objc, Tcl_Obj *const objv[],
		 Tcl_Obj **value, Tcl_Obj **code)
{
	Tcl_InterpState state = Tcl_SaveInterpState(d->tcl, TCL_OK);
	struct border border;
	struct fail before = fail_aside(s);
	struct out *last = s->last;
	bool printing = s->printing;
	int rc;

	s->printing = false;
	s->last = NULL;
	domain_enter(s, &border, d, true);
	s->aside++;
	rc = interp_eval_words(d->tcl, objc, objv);
	s->aside--;
	*value = Tcl_GetObjResult(d->tcl);
	Tcl_IncrRefCount(*value);
	*code = rc == TCL_ERROR ? interp_errorcode(d->tcl) : NULL;
	domain_leave(s, &border);
	out_free(s->last);
	s->last = last;
	s->printing = printing;
	fail_back(s, before);
	Tcl_RestoreInterpState(d->tcl, state);
	return rc;
}

/* ----------------------------------------------------------------------- limits -- */

static void restart_limit(Tcl_Interp *tcl)
{
	Tcl_Time at;

	Tcl_GetTime(&at);
	at.usec += TICK_US;
	at.sec += at.usec / 1000000;
	at.usec %= 1000000;
	set_limit(tcl, at, 10);
}

/* Runs inside a busy script. SIGINT has set a flag already; messages of a driving rdmash have to be
 * read first. */
static void check_interrupt(ClientData data, Tcl_Interp *tcl)
{
	struct session *s = data;

	if (s->opt.peer)
		serve_look();
	if (s->quit || loop_interrupted(s->loop) || loop_ending(s->loop))
		stop_others(s, tcl);
	else
		restart_limit(tcl);
}

void interp_resume(struct session *s)
{
	for (struct domain *d = domain_first(s); d; d = LIST_NEXT(d, link))
		restart_limit(d->tcl);
}

/* ----------------------------------------------------------------------- making -- */

static void register_commands(struct domain *d)
{
	struct domain_word *word;
	unsigned n = 0;

	for (const struct cmd_group *g = cmd_groups; g->word; g++)
		n++;
	for (const struct library *l = library_next(NULL); l; l = library_next(l))
		n++;
	word = d->words = xcalloc(n, sizeof *d->words);
	for (const struct cmd_group *g = cmd_groups; g->word; g++, word++) {
		*word = (struct domain_word){ .d = d, .group = g };
		Tcl_CreateObjCommand(d->tcl, g->word, dispatch_command, word, NULL);
	}
	for (const struct library *l = library_next(NULL); l; l = library_next(l), word++) {
		*word = (struct domain_word){ .d = d, .library = library_name(l) };
		Tcl_CreateObjCommand(d->tcl, word->library, dispatch_command, word, NULL);
	}
	Tcl_CreateObjCommand(d->tcl, "unknown", dispatch_unknown, d, NULL);
}

static Tcl_Interp *make_safe(void)
{
#if TCL_MAJOR_VERSION < 9
	Tcl_Interp *tcl = Tcl_CreateInterp();

	Tcl_MakeSafe(tcl);
	return tcl;
#else /* only an interpreter that another one makes can be safe */
	static Tcl_Interp *parent;
	static unsigned n;

	if (!parent)
		parent = Tcl_CreateInterp();
	return Tcl_CreateChild(parent, temp_text("domain%u", n++), true);
#endif
}

void interp_make(struct domain *d)
{
	struct session *s = d->s;

	d->tcl = s->opt.unsafe ? Tcl_CreateInterp() : make_safe();
	for (int i = 0; removed[i]; i++)
		Tcl_DeleteCommand(d->tcl, removed[i]);
	for (int i = 0; renamed[i][0]; i++) {
		/* a safe interpreter lacks some of them */
		Tcl_Eval(d->tcl, temp_text("rename %s %s", renamed[i][0], renamed[i][1]));
	}
	if (!s->opt.unsafe) {
		Tcl_DeleteCommand(d->tcl, "tcl_puts");
		/* it would set the encoding of the whole process */
		Tcl_DeleteCommand(d->tcl, "::tcl::encoding::system");
	}
	Tcl_DeleteCommand(d->tcl, "tcl_exit");
	Tcl_Eval(d->tcl, functions);
	Tcl_ResetResult(d->tcl);
	patterns_guard(d->tcl);
	register_commands(d);
	script_commands(d);
	where_commands(d);
	if (s->opt.peer)
		serve_commands(d->tcl);
	Tcl_LimitAddHandler(d->tcl, TCL_LIMIT_TIME, check_interrupt, s, NULL);
	restart_limit(d->tcl);
}

void interp_new(struct session *s)
{
	script_fs_init();
	domains_new(s);
}

void interp_free(struct session *s)
{
	domains_free(s);
	libraries_free();
	script_fs_free();
	out_free(s->last);
	s->last = NULL;
}
