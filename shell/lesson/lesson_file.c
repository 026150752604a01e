/* SPDX-License-Identifier: MIT */
/*
 * A lesson is a file NN-name.rdma, of the words title, say, try and ask:
 *
 *	title "What a protection domain is"
 *	say TEXT
 *	try TEXT COMMANDS CONDITION
 *	ask QUESTION {CHOICE REPLY ...} NUMBER
 *
 * A text is paragraphs, laid out for the terminal. COMMANDS stand on a line each, as they are to
 * be typed; the condition is about the state after the last of them. Each choice has its reply,
 * NUMBER says which is right, from 1.
 *
 * ADDRESS and PORT are replaced by an address and port at which two ends in this process can
 * connect. A condition may use these words (scripts/lib/lesson.tcl), which also record what is
 * wrong, for the learner:
 *
 *	[did PATTERN]		the last command matches and succeeded (string match)
 *	[typed PATTERN]		it matches, whether or not it succeeded
 *	[fails PATTERN]		it matches and failed, as it should
 *	[gave KEY VALUE]	its result is a dict with this value
 *	[took WR_ID]		it is a poll that has taken this completion
 *	[serves NAME REGION]	the listener answers by itself, and shares the region
 *	[wakes NAME]		the CQ of the connection has a channel
 *	[has NAME]		there is such an object
 *	[is NAME KEY VALUE]	what 'get NAME KEY' says
 *	[filled REGION OFF]	something was written there
 *	[same A OFF B OFF LEN]	LEN bytes are equal in two regions, and are not zero
 */
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "file/file.h"
#include "language/interp.h"
#include "lesson/lesson.h"
#include "out.h"
#include "output/print.h"
#include "session.h"

/* ------------------------------------------------------------------- finding them -- */

static bool find_files(glob_t *files)
{
	return program_files("RDMASH_LESSONS", "lessons", "[0-9][0-9]-*.rdma", files);
}

unsigned lesson_count(struct session *s)
{
	glob_t files = { 0 };
	unsigned n = find_files(&files) ? (unsigned)files.gl_pathc : 0;

	globfree(&files);
	if (!n) {
		fail(s, "lesson", "ENOENT", "the lessons are not found");
		fail_next(s, "RDMASH_LESSONS names their folder (scripts/lessons of the source)");
	}
	return n;
}

static char *lesson_path(struct session *s, unsigned number)
{
	glob_t files = { 0 };
	char *path = NULL;

	if (!find_files(&files))
		lesson_count(s);
	else if (!number || number > files.gl_pathc)
		fail(s, "lesson", "ERANGE", "there is no lesson %u: they are 1 to %zu", number,
		     files.gl_pathc);
	else
		path = xstrdup(files.gl_pathv[number - 1]);
	globfree(&files);
	return path;
}

/* ---------------------------------------------------------------------- reading -- */

static const char *list_element(Tcl_Obj *list, int i)
{
	Tcl_Obj *o = NULL;

	Tcl_ListObjIndex(NULL, list, i, &o);
	return o ? Tcl_GetString(o) : "";
}

static void take_step(Tcl_Obj *list, struct lesson_step *step)
{
	step->kind = (enum lesson_kind)atoi(list_element(list, 0));
	step->text = list_element(list, 1);
	if (step->kind == LESSON_TRY) {
		Tcl_ListObjIndex(NULL, list, 2, &step->commands);
		step->check = list_element(list, 3);
	} else if (step->kind == LESSON_ASK) {
		Tcl_ListObjIndex(NULL, list, 2, &step->choices);
		step->answer = atoi(list_element(list, 3));
	}
}

static int take_steps(struct session *s, struct lesson_file *file)
{
	int n = 0;

	file->title = xstrdup(Tcl_GetVar(s->tcl, "::lesson::title", TCL_GLOBAL_ONLY));
	file->steps =
		Tcl_DuplicateObj(Tcl_GetVar2Ex(s->tcl, "::lesson::steps", NULL, TCL_GLOBAL_ONLY));
	Tcl_IncrRefCount(file->steps);
	if (Tcl_ListObjLength(NULL, file->steps, &n) != TCL_OK || !n)
		return fail(s, "lesson", "EINVAL", "%s has no steps", file->path);
	file->n = (unsigned)n;
	file->step = xcalloc(file->n, sizeof *file->step);
	for (int i = 0; i < n; i++) {
		Tcl_Obj *list;

		Tcl_ListObjIndex(NULL, file->steps, i, &list);
		take_step(list, &file->step[i]);
	}
	return 0;
}

/* The Tcl that defines the words of lesson files. NULL with s->fail filled; the caller frees it. */
static char *words_of_lessons(struct session *s)
{
	glob_t files = { 0 };
	char *text = NULL;

	if (program_files("RDMASH_LIB", "lib", "lesson.tcl", &files))
		text = program_file_text(s, files.gl_pathv[0]);
	else
		fail(s, "lesson", "ENOENT", "lib/lesson.tcl of the installation is not found");
	globfree(&files);
	return text;
}

/* Sets the values of ADDRESS and PORT, for string map. */
static void set_meeting(struct session *s, const struct meeting *m)
{
	Tcl_Obj *map = m ? Tcl_ObjPrintf("ADDRESS %s PORT %u", m->address, m->port) : Tcl_NewObj();

	Tcl_SetVar2Ex(s->tcl, "::lesson::meet", NULL, map, TCL_GLOBAL_ONLY);
}

int lesson_read(struct session *s, unsigned number, const struct meeting *m,
		struct lesson_file *file)
{
	char *words = words_of_lessons(s), *text = NULL;
	int rc = -1;

	*file = (struct lesson_file){ .number = number };
	if (words && (file->path = lesson_path(s, number)))
		text = program_file_text(s, file->path);
	if (text) {
		Tcl_Eval(s->tcl, "namespace eval ::lesson {}");
		set_meeting(s, m);
		rc = interp_eval(s, Tcl_ObjPrintf("%snamespace eval ::lesson {\n%s\n}\n", words,
						  text)) == TCL_OK
			     ? take_steps(s, file)
			     : -1;
		Tcl_ResetResult(s->tcl);
	}
	free(words);
	free(text);
	if (rc)
		lesson_free(file);
	return rc;
}

void lesson_free(struct lesson_file *file)
{
	if (file->steps)
		Tcl_DecrRefCount(file->steps);
	free(file->step);
	free(file->title);
	free(file->path);
	*file = (struct lesson_file){ 0 };
}

unsigned lesson_next_number(unsigned *at)
{
	glob_t files = { 0 };
	unsigned next = 0;

	*at = 0;
	if (find_files(&files))
		for (size_t i = 0; i < files.gl_pathc && !next; i++) {
			struct lesson_file file = { .path = files.gl_pathv[i] };
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

bool lesson_holds(struct session *s, const struct lesson_step *step)
{
	Tcl_Obj *expr[2] = { Tcl_NewStringObj("::expr", -1), Tcl_NewStringObj(step->check, -1) };
	SCOPED_VALUE(script, Tcl_NewStringObj("::namespace eval ::lesson", -1));
	int yes = 0;

	Tcl_ListObjAppendElement(NULL, script, Tcl_NewListObj(2, expr));
	Tcl_SetVar(s->tcl, "::lesson::wrong", "", TCL_GLOBAL_ONLY);
	Tcl_SetVar(s->tcl, "::lesson::first", "", TCL_GLOBAL_ONLY);
	Tcl_SetVar2Ex(s->tcl, "::lesson::due", NULL, step->commands, TCL_GLOBAL_ONLY);
	if (Tcl_EvalObjEx(s->tcl, script, TCL_EVAL_GLOBAL) == TCL_OK)
		Tcl_GetBooleanFromObj(NULL, Tcl_GetObjResult(s->tcl), &yes);
	Tcl_ResetResult(s->tcl);
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

void lesson_note_typed(struct session *s, const char *typed, bool failed)
{
	Tcl_Obj *value = s->last ? out_value(s->last) : Tcl_NewObj();
	char *last = spell_out(typed);

	Tcl_SetVar(s->tcl, "::lesson::last", last, TCL_GLOBAL_ONLY);
	Tcl_SetVar(s->tcl, "::lesson::failed", failed ? "1" : "0", TCL_GLOBAL_ONLY);
	Tcl_SetVar2Ex(s->tcl, "::lesson::result", NULL, value, TCL_GLOBAL_ONLY);
	free(last);
}

static const char *text_of(struct session *s, const char *variable)
{
	const char *text = Tcl_GetVar(s->tcl, variable, TCL_GLOBAL_ONLY);

	return text && *text ? text : NULL;
}

const char *lesson_wrong(struct session *s)
{
	return text_of(s, "::lesson::wrong");
}

const char *lesson_first(struct session *s)
{
	return text_of(s, "::lesson::first");
}

bool lesson_is_on_the_way(const struct lesson_step *step, const char *typed)
{
	size_t len = strlen(typed);
	Tcl_Obj **line;
	int n;

	while (len && strchr(" \t\n", typed[len - 1]))
		len--;
	if (Tcl_ListObjGetElements(NULL, step->commands, &n, &line) != TCL_OK)
		return false;
	for (int i = 0; i + 1 < n; i++)
		if (strlen(Tcl_GetString(line[i])) == len &&
		    strncmp(Tcl_GetString(line[i]), typed, len) == 0)
			return true;
	return false;
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
	int n = 0;

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

/*
 * The progress of a user in the lessons is kept in $XDG_STATE_HOME/rdmash/lessons. It has a line
 * for each time that one was left or finished:
 *
 *	NAME			it is done
 *	NAME STEP [skipped]	it was left at this step, from 1, with steps skipped
 *
 * The last line of a name says where it begins. The name is that of its file, without the number,
 * which changes when lessons are added.
 */

/* The name in a path: "protection-domain" of .../01-protection-domain.rdma. The caller frees it. */
static char *lesson_name(const struct lesson_file *file)
{
	const char *slash = strrchr(file->path, '/');
	const char *base = slash ? slash + 1 : file->path;
	char *name = xstrdup(base + strspn(base, "0123456789-"));
	char *dot = strrchr(name, '.');

	if (dot)
		*dot = 0;
	return name;
}

static void read_line(const char *line, const char *name, struct lesson_progress *p)
{
	size_t len = strlen(name);
	char word[10] = "";
	unsigned step = 0;

	if (strncmp(line, name, len) != 0 || !strchr(" \n", line[len]))
		return;
	sscanf(line + len, " %5u %9s", &step, word);
	p->done |= !step;
	p->at = step ? step - 1 : 0;
	p->skipped = strcmp(word, "skipped") == 0;
}

struct lesson_progress lesson_progress(const struct lesson_file *file)
{
	char *path = xdg_state("lessons"), *name = lesson_name(file), *line = NULL;
	FILE *f = path ? fopen(path, "re") : NULL;
	struct lesson_progress p = { 0 };
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		read_line(line, name, &p);
	if (f)
		fclose(f);
	free(line);
	free(name);
	free(path);
	return p;
}

static void append(const struct lesson_file *file, const char *rest)
{
	char *path = xdg_state("lessons"), *name = lesson_name(file);
	bool written;
	FILE *f;

	if (path) {
		make_parent_folders(path);
		f = fopen(path, "ae");
		written = f && fprintf(f, "%s%s\n", name, rest) > 0;
		if ((f && fclose(f)) || !written)
			print_error("rdmash: %s: %s: how far the lesson was done is not kept\n",
				    path, strerror(errno));
	}
	free(name);
	free(path);
}

void lesson_note_done(const struct lesson_file *file)
{
	struct lesson_progress p = lesson_progress(file);

	if (!p.done || p.at)
		append(file, "");
}

void lesson_note_left(const struct lesson_file *file, unsigned at, bool skipped)
{
	char *rest = xasprintf(" %u%s", at + 1, skipped ? " skipped" : "");

	append(file, rest);
	free(rest);
}
