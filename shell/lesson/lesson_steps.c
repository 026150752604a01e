// SPDX-License-Identifier: MIT
/* Steps of a lesson: how they are written on the screen, and played in place of the learner. */
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
	Tcl_Size n;

	if (Tcl_ListObjGetElements(NULL, step->commands, &n, &line) != TCL_OK)
		return;
	for (int i = 0; i < n; i++)
		lesson_write_command(Tcl_GetString(line[i]), o);
}

int lesson_choices_of(const struct lesson_step *step, Tcl_Obj ***v)
{
	Tcl_Size n;

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

unsigned lesson_hints(const struct lesson_step *step)
{
	Tcl_Size n = 0;

	if (step->hints)
		Tcl_ListObjLength(NULL, step->hints, &n);
	return (unsigned)n + step->is_hidden;
}

/* The first hints of a step whose lines are hidden. True: the lines are to be shown, too. */
static bool write_hints(const struct lesson_step *step, unsigned hints, struct out *o)
{
	Tcl_Obj **hint;
	Tcl_Size n = 0;

	Tcl_ListObjGetElements(NULL, step->hints, &n, &hint);
	for (int i = 0; i < n && (unsigned)i < hints; i++) {
		SCOPED_TEXT(lines);

		help_wrap(Tcl_GetString(hint[i]), 6, help_width(), &lines);
		out_text(o, "hint: %s", text_str(&lines) + 6);
	}
	return hints > (unsigned)n;
}

void lesson_write_step(const struct lesson_step *step, const char *first, unsigned hints,
		       struct out *o)
{
	out_text(o, "\n");
	lesson_write_text(step->text, 0, o);
	if (step->points)
		out_text(o, "(%u point%s)\n", step->points, step->points == 1 ? "" : "s");
	if (step->kind == LESSON_SAY)
		return;
	if (step->kind == LESSON_ASK || !step->is_hidden || hints)
		out_text(o, "\n");
	if (step->kind == LESSON_ASK) {
		write_choices(step, o);
	} else if (!step->is_hidden || write_hints(step, hints, o)) {
		if (first)
			lesson_write_command(first, o);
		lesson_write_commands(step, o);
	}
}

/* ----------------------------------------------------------------------- handouts -- */

static void print_choices(const struct lesson_step *step, bool solutions, struct out *o)
{
	Tcl_Obj **v;
	int n = lesson_choices_of(step, &v);

	for (int i = 0; i < n; i++)
		out_text(o, "%d. %s\n", i + 1, Tcl_GetString(v[2 * i]));
	if (solutions)
		out_text(o, "\n> **%d.** %s\n", step->answer,
			 Tcl_GetString(v[2 * step->answer - 1]));
}

static void print_commands(const struct lesson_step *step, struct out *o)
{
	Tcl_Obj **line;
	Tcl_Size n = 0;

	Tcl_ListObjGetElements(NULL, step->commands, &n, &line);
	out_text(o, "```\n");
	for (int i = 0; i < n; i++)
		out_text(o, "%s\n", Tcl_GetString(line[i]));
	out_text(o, "```\n");
}

static void print_step(const struct lesson_step *step, unsigned number, bool solutions,
		       struct out *o)
{
	out_text(o, "\n");
	if (step->kind != LESSON_SAY)
		out_text(o, "**%u.** ", number);
	out_text(o, "%s%s\n", step->text,
		 step->points
			 ? temp_text(" *(%u point%s)*", step->points, step->points == 1 ? "" : "s")
			 : "");
	if (step->kind == LESSON_SAY)
		return;
	out_text(o, "\n");
	if (step->kind == LESSON_ASK)
		print_choices(step, solutions, o);
	else if (solutions || !step->is_hidden)
		print_commands(step, o);
	else
		out_text(o, "What you typed:\n");
	if (!solutions)
		out_text(o, "\n%s\n",
			 step->kind == LESSON_ASK ? "Answer and why:" : "What you saw:");
}

/* Do the lines of a step have ADDRESS or PORT, which the lesson replaces at the prompt? */
static bool names_meeting(const struct lesson_file *file)
{
	for (unsigned i = 0; i < file->n; i++) {
		const char *lines = file->step[i].commands ? Tcl_GetString(file->step[i].commands)
							   : "";

		if (strstr(lines, "ADDRESS") || strstr(lines, "PORT"))
			return true;
	}
	return false;
}

int lesson_print(struct session *s, const char *ref, bool solutions, struct out *o)
{
	struct lesson_file file;
	unsigned number = 0;

	if (lesson_read(s, ref, NULL, &file))
		return -1;
	out_text(o, "# %s\n", file.title);
	if (names_meeting(&file))
		out_text(
			o,
			"\nADDRESS is an IP address of your device, as `gids` lists them; PORT is a "
			"free port, such as 7471.\n");
	for (unsigned i = 0; i < file.n; i++) {
		number += file.step[i].kind != LESSON_SAY;
		print_step(&file.step[i], number, solutions, o);
	}
	lesson_free(&file);
	return 0;
}

/* ------------------------------------------------------------------------ playing -- */

/* A line of the file has the rights of the file. */
static int run_line(struct session *s, const struct lesson_file *file, const char *line)
{
	return script_run_as(
		s, &(struct script){ .name = "lesson", .line = 1, .domain = file->domain }, line);
}

static int play_line(struct session *s, const struct lesson_file *file,
		     const struct lesson_step *step, const char *line)
{
	int rc = 0;

	if (lesson_holds(s, file, step)) {
		fail(s, "lesson", "EINVAL", "%s: the step is done before this line of it: %s",
		     file->path, line);
		return fail_next(s, "let its condition ask for what the line does, or leave the "
				    "line out");
	}
	if (repl_is_escape(line) && !file->is_shipped)
		return fail(s, "lesson", "EPERM",
			    "%s runs a command of the system, which you may "
			    "type yourself: %s",
			    file->path, line);
	print_text(PRINT_OUT, "> ");
	print_text(PRINT_OUT, line);
	print_text(PRINT_OUT, "\n");
	/* the command may be expected to fail */
	s->plays = true;
	if (repl_is_escape(line))
		rc = repl_escape(line) ? 0 : -1;
	else
		rc = run_line(s, file, line);
	s->plays = false;
	lesson_note_typed(s, file, line, rc != 0);
	return 0;
}

static int play_try(struct session *s, const struct lesson_file *file,
		    const struct lesson_step *step)
{
	Tcl_Obj **line;
	Tcl_Size n;

	if (Tcl_ListObjGetElements(s->tcl, step->commands, &n, &line) != TCL_OK)
		return fail(s, "lesson", "EINVAL", "%s: %s", file->path,
			    Tcl_GetStringResult(s->tcl));
	for (int i = 0; i < n; i++)
		if (play_line(s, file, step, Tcl_GetString(line[i])))
			return -1;
	if (lesson_holds(s, file, step))
		return 0;
	fail(s, "lesson", "EINVAL", "%s: '%s' does not do it: %s", file->path,
	     Tcl_GetString(step->commands), step->check);
	return fail_row(s, "because", "%s",
			lesson_wrong(file) ? lesson_wrong(file) : "the condition is false");
}

static void play_ask(const struct lesson_step *step)
{
	Tcl_Obj **v;
	struct out *o;

	lesson_choices_of(step, &v);
	o = out_new(true);
	out_text(o, "> %d\n", step->answer);
	lesson_write_text(Tcl_GetString(v[2 * step->answer - 1]), 0, o);
	lesson_end_text(o);
}

int lesson_play(struct session *s, const char *ref)
{
	struct lesson_file file;
	struct meeting meeting;
	struct out *o;
	int rc = -1;

	if (app.meet(s, &meeting) || lesson_read(s, ref, &meeting, &file))
		return -1;
	o = out_new(true);
	lesson_write_title(file.title, o);
	lesson_end_text(o);
	for (unsigned i = 0; i < file.n; i++) {
		o = out_new(true);
		lesson_write_step(&file.step[i], NULL, 0, o);
		lesson_end_text(o);
		rc = 0;
		if (file.step[i].kind == LESSON_TRY)
			rc = play_try(s, &file, &file.step[i]);
		else if (file.step[i].kind == LESSON_ASK)
			play_ask(&file.step[i]);
		if (rc)
			break;
	}
	lesson_free(&file);
	return rc;
}

/* Does not show an error again that the lesson asks for. Skips lines for the system: they created
 * no objects here. shown stands for the line; NULL: nothing does. */
static void do_line_again(struct session *s, const struct lesson_file *file, const char *line,
			  const char *shown)
{
	char *script = xasprintf("catch {%s}", line);
	bool quiet = s->opt.quiet, trace = s->opt.trace;
	struct out *o = out_new(true);

	if (shown)
		out_painted(o, PAINT_DIM, "    %s\n", shown);
	lesson_end_text(o);
	s->opt.quiet = true;
	s->opt.trace = false;
	if (!repl_is_escape(line))
		run_line(s, file, script);
	s->opt.quiet = quiet;
	s->opt.trace = trace;
	free(script);
}

/* No fault on purpose may hit the lines that follow. A device that has failed (fault device) stays
 * so; a device of the kernel refuses the lines that are for uroce0. */
static void end_faults(struct session *s, const struct lesson_file *file)
{
	static const char *const lines[] = {
		"fault call off",  "fault wire off", "fault order off", "fault completion off",
		"fault event off", "fault port up",  "fault port off",	"fault gid restore",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		do_line_again(s, file, lines[i], NULL);
}

void lesson_do_again(struct session *s, const struct lesson_file *file, unsigned n)
{
	print_text(PRINT_OUT, "\nWhat you did before, done again:\n\n");
	do_line_again(s, file, "destroy -all", "destroy -all");
	end_faults(s, file);
	for (unsigned i = 0; i < n && !s->quit; i++) {
		const bool is_hidden = file->step[i].is_hidden;
		Tcl_Obj **line;
		Tcl_Size lines = 0;

		if (file->step[i].kind != LESSON_TRY ||
		    Tcl_ListObjGetElements(NULL, file->step[i].commands, &lines, &line) != TCL_OK)
			continue;
		for (int k = 0; k < lines; k++) {
			const char *text = Tcl_GetString(line[k]), *shown = text;

			if (is_hidden)
				shown = k ? NULL : temp_text("(the solution of step %u)", i + 1);
			do_line_again(s, file, text, shown);
		}
	}
}
