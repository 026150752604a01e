// SPDX-License-Identifier: MIT
/* Steps of a lesson: how they are written on the screen, and played in place of the learner. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "edit/edit.h"
#include "help/help.h"
#include "language/script.h"
#include "lesson/lesson.h"
#include "output/print.h"
#include "session.h"

void lesson_end_text(struct out *o)
{
	out_show(o, OUT_TEXT);
	out_free(o);
}

void lesson_write_text(const char *text, unsigned indent, struct out *o)
{
	SCOPED_TEXT(lines);

	help_wrap(text, indent, help_width(), &lines);
	out_text(o, "%s", text_str(&lines));
}

void lesson_write_title(const char *title, struct out *o)
{
	out_painted(o, PAINT_STRONG, "%s\n", title);
}

void lesson_write_command(const char *command, struct out *o)
{
	out_text(o, "    ");
	out_painted(o, PAINT_TYPE, "%s", command);
	out_text(o, "\n");
}

void lesson_write_commands(const struct lesson_step *step, struct out *o)
{
	Tcl_Obj **line;
	int n;

	if (Tcl_ListObjGetElements(NULL, step->commands, &n, &line) != TCL_OK)
		return;
	for (int i = 0; i < n; i++)
		lesson_write_command(Tcl_GetString(line[i]), o);
}

int lesson_choices_of(const struct lesson_step *step, Tcl_Obj ***v)
{
	int n;

	return Tcl_ListObjGetElements(NULL, step->choices, &n, v) == TCL_OK ? n / 2 : 0;
}

static void write_choices(const struct lesson_step *step, struct out *o)
{
	Tcl_Obj **v;
	int n = lesson_choices_of(step, &v);

	for (int i = 0; i < n; i++) {
		SCOPED_TEXT(lines);

		help_wrap(Tcl_GetString(v[2 * i]), 5, help_width(), &lines);
		out_text(o, "  %d  %s", i + 1, text_str(&lines) + 5);
	}
	out_text(o, "(type a number)\n");
}

void lesson_write_step(const struct lesson_step *step, const char *first, struct out *o)
{
	out_text(o, "\n");
	lesson_write_text(step->text, 0, o);
	if (step->kind == LESSON_SAY)
		return;
	out_text(o, "\n");
	if (first)
		lesson_write_command(first, o);
	if (step->kind == LESSON_TRY)
		lesson_write_commands(step, o);
	else
		write_choices(step, o);
}

/* ------------------------------------------------------------------------ playing -- */

static int play_line(struct session *s, const struct lesson_file *file,
		     const struct lesson_step *step, const char *line)
{
	int rc = 0;

	if (lesson_holds(s, step))
		return fail(s, "lesson", "EINVAL", "%s: done before it is tried: %s", file->path,
			    line);
	print_text(PRINT_OUT, "> ");
	print_text(PRINT_OUT, line);
	print_text(PRINT_OUT, "\n");
	/* the command may be expected to fail */
	s->plays = true;
	if (repl_is_escape(line))
		rc = repl_escape(line) ? 0 : -1;
	else
		rc = script_run(s, "lesson", line);
	s->plays = false;
	lesson_note_typed(s, line, rc != 0);
	return 0;
}

static int play_try(struct session *s, const struct lesson_file *file,
		    const struct lesson_step *step)
{
	Tcl_Obj **line;
	int n;

	if (Tcl_ListObjGetElements(s->tcl, step->commands, &n, &line) != TCL_OK)
		return fail(s, "lesson", "EINVAL", "%s: %s", file->path,
			    Tcl_GetStringResult(s->tcl));
	for (int i = 0; i < n; i++)
		if (play_line(s, file, step, Tcl_GetString(line[i])))
			return -1;
	if (!lesson_holds(s, step))
		return fail(s, "lesson", "EINVAL", "%s: '%s' does not do it: %s", file->path,
			    Tcl_GetString(step->commands), step->check);
	return 0;
}

static int play_ask(struct session *s, const struct lesson_file *file,
		    const struct lesson_step *step)
{
	Tcl_Obj **v;
	int n = lesson_choices_of(step, &v);
	struct out *o;

	if (n < 2 || step->answer < 1 || step->answer > n)
		return fail(s, "lesson", "EINVAL", "%s: a question needs choices and an answer",
			    file->path);
	o = out_new(true);
	out_text(o, "> %d\n", step->answer);
	lesson_write_text(Tcl_GetString(v[2 * step->answer - 1]), 0, o);
	lesson_end_text(o);
	return 0;
}

int lesson_play(struct session *s, unsigned number)
{
	struct lesson_file file;
	struct meeting meeting;
	struct out *o;
	int rc = -1;

	if (app.meet(s, &meeting) || lesson_read(s, number, &meeting, &file))
		return -1;
	o = out_new(true);
	lesson_write_title(file.title, o);
	lesson_end_text(o);
	for (unsigned i = 0; i < file.n; i++) {
		o = out_new(true);
		lesson_write_step(&file.step[i], NULL, o);
		lesson_end_text(o);
		rc = file.step[i].kind == LESSON_TRY   ? play_try(s, &file, &file.step[i])
		     : file.step[i].kind == LESSON_ASK ? play_ask(s, &file, &file.step[i])
						       : 0;
		if (rc)
			break;
	}
	lesson_free(&file);
	return rc;
}

/* Does not show an error again that the lesson asks for. Skips lines for the system: they created
 * no objects here. */
static void do_line_again(struct session *s, const char *line)
{
	char *script = xasprintf("catch {%s}", line);
	bool quiet = s->opt.quiet, trace = s->opt.trace;

	s->opt.quiet = true;
	s->opt.trace = false;
	if (!repl_is_escape(line))
		script_run(s, "lesson", script);
	s->opt.quiet = quiet;
	s->opt.trace = trace;
	free(script);
}

void lesson_do_again(struct session *s, const struct lesson_file *file, unsigned n)
{
	for (unsigned i = 0; i < n && !s->quit; i++) {
		Tcl_Obj **line;
		int lines = 0;

		if (file->step[i].kind != LESSON_TRY ||
		    Tcl_ListObjGetElements(NULL, file->step[i].commands, &lines, &line) != TCL_OK)
			continue;
		for (int k = 0; k < lines; k++) {
			struct out *o = out_new(true);

			out_painted(o, PAINT_DIM, "    %s\n", Tcl_GetString(line[k]));
			lesson_end_text(o);
			do_line_again(s, Tcl_GetString(line[k]));
		}
	}
}
