/* SPDX-License-Identifier: MIT */
/* Files of lessons: where they are, their steps and conditions. */
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "check/check.h"
#include "command/cmd.h"
#include "file/file.h"
#include "help/help.h"
#include "language/interp.h"
#include "language/script.h"
#include "lesson/lesson.h"
#include "out.h"
#include "output/print.h"
#include "session.h"

/** A lesson is a file of these words, NAME.rdma:
 *
 *   title TEXT
 *   say TEXT
 *   try TEXT COMMANDS CONDITION
 *   task TEXT COMMANDS CONDITION
 *   ask QUESTION {CHOICE REPLY CHOICE REPLY ...} NUMBER
 *
 * try shows the commands, one on each line, as they are to be typed; task does not: they are
 * its solution, and the last hint. The condition is that of if, and is looked at after each
 * line that is typed. NUMBER says which choice is right, from 1. ADDRESS and PORT stand for an
 * address and port at which two ends in this session can connect. try, task and ask take
 *
 *   -points N            what it is worth; each wrong line or answer and
 *                        each hint takes a point away
 *   -hints {TEXT ...}    of a task: 'lesson hint' shows one after the other
 *
 * A condition can use all commands, $result, the value of the line that was typed, and
 *
 *   [did PATTERN]        one of its commands matches, and it has not failed
 *   [typed PATTERN]      one of its commands matches (string match -nocase)
 *   [fails PATTERN]      it matches, and has failed, as the step wants
 *   [gave KEY VALUE]     its value, or one in its list, has this entry
 *   [took KEY VALUE]     a poll or 'wait wc' took a completion with this entry
 *   [receives QP]        a receive is posted there
 *   [has_port NAME KEY PORT]  an address of an id, local or peer, has it
 *   [has NAME LEN]       there is such an object: a region of LEN bytes
 *   [names NAME VALUE]   the variable $NAME has this value
 *   [is NAME KEY VALUE]  what 'get NAME KEY' says
 *   [serves NAME REGION] the listener answers, and shares the region
 *   [wakes NAME]         the CQ of the connection has a channel
 *   [saw TEXT]           its value is this text, or begins with it
 *   [filled REGION OFF]  something was written there
 *   [holds REGION OFF TEXT]  this text is there
 *   [counts REGION N]    its first 8 bytes are this number
 *   [same A OFF B OFF LEN]  two regions are equal there, and not zero
 *
 * which also tell the learner what is wrong. rdmash -n FILE, or lesson
 * -check FILE, looks for mistakes; lesson FILE begins it, lesson play FILE takes it; lesson -print
 * FILE (or a number) makes a handout, with -solutions also for you. The lessons of the folder
 * $RDMASH_LESSONS follow the others in the list. Code of a file has the rights of a script
 * ('help scripts').
 *
 * lesson -progress has how each step was taken: when, how long, with how many wrong lines and
 * hints, whether it was skipped, its points. rdmash --csv -c 'lesson -progress' makes the file
 * that is handed in. 'help grade' grades scripts and programs. */
const struct topic topic_teaching = { .name = "teaching", .title = "Lessons of your own" };

/* ------------------------------------------------------------------- finding them -- */

/* Those of the program, and behind them those of the folder $RDMASH_LESSONS. *shipped: how many are
 * of the program. */
static size_t find_files(glob_t *files, size_t *shipped)
{
	const char *own = getenv("RDMASH_LESSONS");
	char *pattern = xasprintf("%s/*.rdma", own ? own : "");

	if (!file_own_list(NULL, "lessons", "[0-9][0-9]-*.rdma", files))
		*files = (glob_t){ 0 };
	*shipped = files->gl_pathc;
	if (own)
		glob(pattern, *shipped ? GLOB_APPEND : 0, NULL, files);
	free(pattern);
	return files->gl_pathc;
}

unsigned lesson_count(struct session *s)
{
	glob_t files = { 0 };
	size_t shipped, n = find_files(&files, &shipped);

	globfree(&files);
	if (!n) {
		fail(s, "lesson", "ENOENT", "the lessons are not found");
		fail_next(s, "RDMASH_LESSONS names their folder (scripts/lessons of the source)");
	}
	return (unsigned)n;
}

/* Sets file->path, the number, and whether the lesson is the program's own. */
static int find_lesson(struct session *s, const char *ref, struct lesson_file *file)
{
	char *end;
	unsigned long number = strtoul(ref, &end, 10);
	glob_t files = { 0 };
	size_t shipped, n;

	if (*end) {
		file->path = xstrdup(ref);
		return 0;
	}
	n = find_files(&files, &shipped);
	if (!n)
		lesson_count(s);
	else if (!number || number > n)
		fail(s, "lesson", "ERANGE", "there is no lesson %s: they are 1 to %zu", ref, n);
	else
		file->path = xstrdup(files.gl_pathv[number - 1]);
	file->number = (unsigned)number;
	file->is_shipped = number <= shipped;
	globfree(&files);
	return file->path ? 0 : -1;
}

/* ---------------------------------------------------------------------- reading -- */

static Tcl_Obj *own_copy(Tcl_Obj *value)
{
	return value_hold(Tcl_DuplicateObj(value));
}

static int take_choices(Tcl_Obj *const v[], struct lesson_step *step)
{
	Tcl_Size n;

	step->choices = own_copy(v[2]);
	if (Tcl_ListObjLength(NULL, step->choices, &n) != TCL_OK ||
	    Tcl_GetIntFromObj(NULL, v[3], &step->answer) != TCL_OK)
		return -1;
	return step->answer >= 1 && step->answer <= n / 2 ? 0 : -1;
}

/* -1: the step is not as lesson.tcl makes it. */
static int take_step(Tcl_Obj *list, struct lesson_step *step)
{
	int kind, points, is_hidden = 0;
	Tcl_Obj **v;
	Tcl_Size n;

	step->own = own_copy(list);
	if (Tcl_ListObjGetElements(NULL, step->own, &n, &v) != TCL_OK || n < 2 ||
	    Tcl_GetIntFromObj(NULL, v[0], &kind) != TCL_OK)
		return -1;
	step->kind = (enum lesson_kind)kind;
	step->text = Tcl_GetString(v[1]);
	if (kind == LESSON_SAY)
		return 0;
	if (n != 7 || Tcl_GetIntFromObj(NULL, v[4], &points) != TCL_OK || points < 0)
		return -1;
	step->points = (unsigned)points;
	if (kind == LESSON_ASK)
		return take_choices(v, step);
	step->commands = own_copy(v[2]);
	step->check = Tcl_GetString(v[3]);
	step->hints = own_copy(v[5]);
	if (kind != LESSON_TRY || Tcl_GetBooleanFromObj(NULL, v[6], &is_hidden) != TCL_OK)
		return -1;
	step->is_hidden = is_hidden;
	return 0;
}

static int take_steps(struct session *s, struct lesson_file *file)
{
	Tcl_Interp *tcl = file->domain->tcl;
	const char *title = Tcl_GetVar(tcl, "::lesson::title", TCL_GLOBAL_ONLY);
	Tcl_Obj *steps = Tcl_GetVar2Ex(tcl, "::lesson::steps", NULL, TCL_GLOBAL_ONLY), **v;
	Tcl_Size n;

	if (!title || !steps || Tcl_ListObjGetElements(NULL, steps, &n, &v) != TCL_OK || !n)
		return fail(s, "lesson", "EINVAL", "%s has no steps", file->path);
	file->title = xstrdup(title);
	file->n = (unsigned)n;
	file->step = xcalloc(file->n, sizeof *file->step);
	for (unsigned i = 0; i < file->n; i++)
		if (take_step(v[i], &file->step[i]))
			return fail(s, "lesson", "EINVAL", "%s is not a lesson: 'help teaching'",
				    file->path);
	return 0;
}

/* Sets the values of ADDRESS and PORT, for string map. */
static void set_meeting(Tcl_Interp *tcl, const struct meeting *m)
{
	Tcl_Obj *map = m ? Tcl_ObjPrintf("ADDRESS %s PORT %u", m->address, m->port) : Tcl_NewObj();

	Tcl_SetVar2Ex(tcl, "::lesson::meet", NULL, map, TCL_GLOBAL_ONLY);
}

/* Evaluates the file in its domain, after the words. The words of the lesson stand on its first
 * line, so that errors name the lines of the file. */
static int evaluate(struct session *s, const char *words, const struct script_text *t,
		    const struct meeting *m, struct lesson_file *file)
{
	struct script as = { .name = file->path, .dir = t->dir, .line = 1, .domain = file->domain };
	char *text = xasprintf("namespace eval ::lesson {%s\n}", t->text);
	struct border border;
	int rc;

	domain_enter(s, &border, file->domain, false);
	Tcl_Eval(s->tcl, words);
	set_meeting(s->tcl, m);
	rc = script_part(s, &as, text, false) == TCL_OK ? take_steps(s, file) : -1;
	Tcl_ResetResult(s->tcl);
	domain_leave(s, &border);
	free(text);
	return rc;
}

int lesson_read(struct session *s, const char *ref, const struct meeting *m,
		struct lesson_file *file)
{
	char *words = file_own_find(s, "RDMASH_LIB", "lib", "lesson.tcl");
	struct script_text t = { 0 };
	int rc = -1;

	*file = (struct lesson_file){ .ref = xstrdup(ref) };
	if (words && !find_lesson(s, ref, file)) {
		if (!file->is_shipped)
			rc = file_read_script(s, file->path, &t);
		else if ((t.text = file_own_text(s, file->path)))
			rc = 0;
	}
	if (!rc) {
		file->domain = file->is_shipped ? s->own : domain_of(s, t.dir);
		rc = evaluate(s, words, &t, m, file);
		file_free_script(&t);
	}
	free(words);
	if (rc)
		lesson_free(file);
	return rc;
}

void lesson_free(struct lesson_file *file)
{
	for (unsigned i = 0; i < file->n; i++) {
		Tcl_Obj *const held[] = { file->step[i].own, file->step[i].commands,
					  file->step[i].hints, file->step[i].choices };

		for (size_t k = 0; k < sizeof held / sizeof *held; k++)
			if (held[k])
				Tcl_DecrRefCount(held[k]);
	}
	free(file->step);
	free(file->title);
	free(file->path);
	free(file->ref);
	*file = (struct lesson_file){ 0 };
}

unsigned lesson_next_number(unsigned *at)
{
	glob_t files = { 0 };
	size_t shipped, n = find_files(&files, &shipped);
	unsigned next = 0;

	*at = 0;
	for (size_t i = 0; i < n && !next; i++) {
		struct lesson_file file = { .path = files.gl_pathv[i], .is_shipped = i < shipped };
		struct lesson_progress progress = lesson_progress(&file);

		if (!progress.done) {
			next = (unsigned)i + 1;
			*at = progress.at;
		}
	}
	globfree(&files);
	return next;
}

/* ------------------------------------------------------------------- conditions -- */

bool lesson_holds(struct session *s, const struct lesson_file *file, const struct lesson_step *step)
{
	Tcl_Obj *expr[2] = { Tcl_NewStringObj("::expr", -1), Tcl_NewStringObj(step->check, -1) };
	SCOPED_VALUE(script, Tcl_NewStringObj("::namespace eval ::lesson", -1));
	struct border border;
	int yes = 0;

	Tcl_ListObjAppendElement(NULL, script, Tcl_NewListObj(2, expr));
	domain_enter(s, &border, file->domain, false);
	Tcl_SetVar(s->tcl, "::lesson::wrong", "", TCL_GLOBAL_ONLY);
	Tcl_SetVar(s->tcl, "::lesson::first", "", TCL_GLOBAL_ONLY);
	Tcl_SetVar2Ex(s->tcl, "::lesson::due", NULL, Tcl_DuplicateObj(step->commands),
		      TCL_GLOBAL_ONLY);
	if (Tcl_EvalObjEx(s->tcl, script, TCL_EVAL_GLOBAL) == TCL_OK)
		Tcl_GetBooleanFromObj(NULL, Tcl_GetObjResult(s->tcl), &yes);
	else if (s->fail.text)
		Tcl_SetVar(s->tcl, "::lesson::wrong", s->fail.text, TCL_GLOBAL_ONLY);
	Tcl_ResetResult(s->tcl);
	domain_leave(s, &border);
	fail_clear(&s->fail);
	return yes;
}

/* The command with its full name, for conditions: "po" becomes "poll". The caller frees it. */
static char *spell_out(const char *typed)
{
	const char *rest = typed;
	const struct cmd *c = cmd_of_line(typed, -1, &rest);

	return xasprintf("%s%s", c ? c->name : "", rest);
}

void lesson_note_typed(struct session *s, const struct lesson_file *file, const char *typed,
		       bool failed)
{
	Tcl_Interp *tcl = file->domain->tcl;
	Tcl_Obj *value = s->last ? out_value(s->last) : Tcl_NewObj();
	char *last = spell_out(typed);

	Tcl_SetVar(tcl, "::lesson::last", last, TCL_GLOBAL_ONLY);
	Tcl_SetVar(tcl, "::lesson::failed", failed ? "1" : "0", TCL_GLOBAL_ONLY);
	Tcl_SetVar2Ex(tcl, "::lesson::result", NULL, value, TCL_GLOBAL_ONLY);
	free(last);
}

static const char *text_of(const struct lesson_file *file, const char *variable)
{
	const char *text = Tcl_GetVar(file->domain->tcl, variable, TCL_GLOBAL_ONLY);

	return text && *text ? text : NULL;
}

const char *lesson_wrong(const struct lesson_file *file)
{
	return text_of(file, "::lesson::wrong");
}

const char *lesson_first(const struct lesson_file *file)
{
	return text_of(file, "::lesson::first");
}

int lesson_line_of(const struct lesson_step *step, const char *typed)
{
	size_t len = strlen(typed);
	Tcl_Obj **line;
	Tcl_Size n;

	while (len && strchr(" \t\n", typed[len - 1]))
		len--;
	if (Tcl_ListObjGetElements(NULL, step->commands, &n, &line) != TCL_OK)
		return 0;
	for (int i = 0; i < n; i++)
		if (strlen(Tcl_GetString(line[i])) == len &&
		    strncmp(Tcl_GetString(line[i]), typed, len) == 0)
			return n - i;
	return 0;
}

/* Do both lines begin with the same command, or, if it is none of the shell's, the same word? */
static bool begins_as(const char *line, const char *typed)
{
	const struct cmd *c = cmd_of_line(typed, -1, NULL);
	size_t word = strcspn(typed, " \t\n");

	return c ? c == cmd_of_line(line, -1, NULL)
		 : strcspn(line, " \t\n") == word && strncmp(line, typed, word) == 0;
}

bool lesson_is_attempt(const struct lesson_step *step, const char *typed, bool failed)
{
	const struct cmd *c;
	Tcl_Obj **line;
	Tcl_Size n = 0;

	typed += strspn(typed, " \t\n");
	if (step && step->commands)
		Tcl_ListObjGetElements(NULL, step->commands, &n, &line);
	for (int i = 0; i < n; i++)
		if (begins_as(Tcl_GetString(line[i]), typed))
			return true;
	c = cmd_of_line(typed, -1, NULL);
	if (*typed == '!')
		return false;
	return c ? !(c->flags & (CMD_LOOKS | CMD_NO_RECORD)) : failed;
}

int lesson_check(struct session *s, const char *ref)
{
	struct lesson_file file;
	int rc;

	if (lesson_read(s, ref, NULL, &file)) /* its errors name the line, too */
		return -1;
	rc = check_file(s, file.path);
	lesson_free(&file);
	return rc ? fail(s, "lesson", "EINVAL", "%s: see above", ref) : 0;
}

void lesson_complete(struct session *s, int objc, Tcl_Obj *const objv[], Tcl_Obj *words)
{
	static const char *const own[] = { "again",   "hint", "next", "play",
					   "restart", "skip", "stop" };
	const char *first = objc == 1 ? Tcl_GetString(objv[0]) : "";
	bool numbered = strcmp(first, "play") == 0 || strcmp(first, "restart") == 0;
	unsigned n = objc == 0 || numbered ? lesson_count(s) : 0;

	fail_clear(&s->fail);
	for (size_t i = 0; objc == 0 && i < sizeof own / sizeof *own; i++)
		value_append(words, own[i]);
	for (unsigned i = 1; i <= n; i++)
		Tcl_ListObjAppendElement(NULL, words, Tcl_NewIntObj((int)i));
}
