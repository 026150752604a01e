// SPDX-License-Identifier: MIT
/* The commands lesson and answer, and the progress of a lesson. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/args.h"
#include "command/cmd.h"
#include "edit/repl.h"
#include "help/help.h"
#include "language/interp.h"
#include "language/script.h"
#include "lesson/lesson.h"
#include "session.h"
#include "alloc.h"

/* The current lesson. */
static struct {
	struct lesson_file file;
	unsigned begun; /* its number, also after its end */
	unsigned at;	/* the current step */
	bool clearing;	/* before the first step: waiting until old objects are destroyed */
	bool skipped;	/* a step was not done */
	bool answered;	/* the last answer was right */
	bool quiet;	/* the command was lesson or answer: do not check the step */
} now;

static const char clear[] = "destroy -all";

static bool is_on(void)
{
	return now.file.n > 0;
}

static const struct lesson_step *current_step(void)
{
	return &now.file.step[now.at];
}

/* ------------------------------------------------------------------------ output -- */

static void end_text(struct out *o)
{
	out_show(o, OUT_TEXT);
	out_free(o);
}

static void write_text(const char *text, unsigned indent, struct out *o)
{
	Tcl_DString lines;

	Tcl_DStringInit(&lines);
	help_wrap(text, indent, help_width(), &lines);
	out_text(o, "%s", Tcl_DStringValue(&lines));
	Tcl_DStringFree(&lines);
}

static void write_title(const char *title, struct out *o)
{
	out_paint(o, PAINT_STRONG);
	out_text(o, "%s\n", title);
	out_paint(o, PAINT_NONE);
}

/* Writes a command on its own line, so that it can be copied. */
static void write_command(const char *command, struct out *o)
{
	out_text(o, "    ");
	out_paint(o, PAINT_TYPE);
	out_text(o, "%s", command);
	out_paint(o, PAINT_NONE);
	out_text(o, "\n");
}

static void write_commands(const struct lesson_step *step, struct out *o)
{
	Tcl_Obj **line;
	int n;

	if (Tcl_ListObjGetElements(NULL, step->commands, &n, &line) != TCL_OK)
		return;
	for (int i = 0; i < n; i++)
		write_command(Tcl_GetString(line[i]), o);
}

/* The number of choices; choice i has its text at index 2 i and its reply after it. */
static int choices_of(const struct lesson_step *step, Tcl_Obj ***v)
{
	int n;

	return Tcl_ListObjGetElements(NULL, step->choices, &n, v) == TCL_OK ? n / 2 : 0;
}

static void write_choices(const struct lesson_step *step, struct out *o)
{
	Tcl_Obj **v;
	int n = choices_of(step, &v);

	for (int i = 0; i < n; i++) {
		Tcl_DString lines;

		Tcl_DStringInit(&lines);
		help_wrap(Tcl_GetString(v[2 * i]), 5, help_width(), &lines);
		out_text(o, "  %d  %s", i + 1, Tcl_DStringValue(&lines) + 5);
		Tcl_DStringFree(&lines);
	}
	out_text(o, "(type a number)\n");
}

static void write_step(const struct lesson_step *step, struct out *o)
{
	out_text(o, "\n");
	write_text(step->text, 0, o);
	if (step->kind == LESSON_SAY)
		return;
	out_text(o, "\n");
	if (step->kind == LESSON_TRY)
		write_commands(step, o);
	else
		write_choices(step, o);
}

static void write_end(struct session *s, struct out *o)
{
	char *next = xasprintf("lesson %u", now.file.number + 1);
	bool last = now.file.number == lesson_count(s);

	out_text(o, "\nThis lesson is %s. 'lesson' lists them all%s\n",
		 now.skipped ? "over, with steps skipped" : "done",
		 last ? "." : "; the next one:\n");
	if (!last)
		write_command(next, o);
	free(next);
}

/* Writes texts up to the next task or question, or ends the lesson. */
static void show_until_task(struct session *s)
{
	struct out *o;

	o = out_new(true);
	for (; now.at < now.file.n; now.at++) {
		write_step(current_step(), o);
		if (current_step()->kind != LESSON_SAY)
			break;
	}
	if (now.at == now.file.n) {
		if (!now.skipped)
			lesson_note_done(&now.file);
		write_end(s, o);
		lesson_free(&now.file);
	}
	end_text(o);
}

/* ----------------------------------------------------------------------- checking -- */

/* Are there no objects, so that all names are free for the lesson? The device and its port do not
 * count. */
static bool table_is_clear(struct session *s)
{
	Tcl_Obj *names = Tcl_NewListObj(0, NULL);
	int n = 0;

	Tcl_IncrRefCount(names);
	if (app.names)
		app.names(s, names);
	Tcl_ListObjLength(NULL, names, &n);
	Tcl_DecrRefCount(names);
	return n <= 2; /* a name and a kind */
}

static void ask_again(void)
{
	Tcl_Obj **v;
	char *text = xasprintf("(the question waits: type a number, 1 to %d; 'lesson stop' ends "
			       "the lesson)\n",
			       choices_of(current_step(), &v));

	print_text(PRINT_OUT, text);
	free(text);
}

/* Prints what the condition found to be wrong. */
static void tell_wrong(struct session *s)
{
	const char *wrong = lesson_wrong(s);
	struct out *o = out_new(true);
	char *text;

	text = xasprintf("(not yet: %s; 'lesson hint' shows the command, 'lesson skip' goes on "
			 "without)",
			 wrong ? wrong : "this is not what the step asks for");
	write_text(text, 0, o);
	free(text);
	end_text(o);
}

static void look(struct session *s, const char *typed, bool failed)
{
	bool quiet = now.quiet, answered = now.answered;

	now.quiet = now.answered = false;
	if (!is_on() || quiet || s->quit || !typed[strspn(typed, " \t\n")])
		return;
	lesson_note_typed(s, typed, failed);
	if (now.clearing) {
		now.clearing = !table_is_clear(s);
		if (!now.clearing)
			show_until_task(s);
		return;
	}
	if (current_step()->kind == LESSON_TRY && !lesson_holds(s, current_step()->check)) {
		if (failed || !lesson_is_on_the_way(current_step(), typed))
			tell_wrong(s);
		return;
	}
	if (current_step()->kind == LESSON_ASK && !answered) {
		if (failed)
			ask_again();
		return;
	}
	now.at++;
	show_until_task(s);
}

/* The conditions run commands: what the learner's own command has said stays for explain. */
void lesson_look(struct session *s, const char *typed, bool failed)
{
	struct fail before = fail_aside(s);

	look(s, typed, failed);
	fail_back(s, before);
}

int lesson_choices(void)
{
	Tcl_Obj **v;

	return is_on() && !now.clearing && current_step()->kind == LESSON_ASK
		       ? choices_of(current_step(), &v)
		       : 0;
}

const char *lesson_typed(const char *typed)
{
	static char command[32];
	unsigned number;
	char rest;

	if (!lesson_choices() || sscanf(typed, " %3u %c", &number, &rest) != 1)
		return typed;
	snprintf(command, sizeof command, "answer %u", number);
	return command;
}

/* Says where the lesson is left, and ends it. */
static void leave(void)
{
	char *text;

	if (!is_on())
		return;
	text = xasprintf("(lesson %u is left at step %u of %u; 'lesson %u' begins it again)\n",
			 now.file.number, now.at + 1, now.file.n, now.file.number);
	print_text(PRINT_OUT, text);
	free(text);
	lesson_free(&now.file);
}

void lesson_end(void)
{
	leave();
}

/* ------------------------------------------------------------------ playing a whole lesson -- */

static int play_line(struct session *s, const struct lesson_file *file,
		     const struct lesson_step *step, const char *line)
{
	int rc = 0;

	if (lesson_holds(s, step->check))
		return fail(s, "lesson", "EINVAL", "%s: done before it is tried: %s", file->path,
			    line);
	print_text(PRINT_OUT, "> ");
	print_text(PRINT_OUT, line);
	print_text(PRINT_OUT, "\n");
	/* the command may be expected to fail */
	if (repl_is_escape(line))
		rc = repl_escape(line) ? 0 : -1;
	else
		rc = script_run(s, "lesson", line);
	lesson_note_typed(s, line, rc != 0);
	return 0;
}

/* Does the steps in place of the learner, for tests and for a demonstration. */
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
	if (!lesson_holds(s, step->check))
		return fail(s, "lesson", "EINVAL", "%s: '%s' does not do it: %s", file->path,
			    Tcl_GetString(step->commands), step->check);
	return 0;
}

static int play_ask(struct session *s, const struct lesson_file *file,
		    const struct lesson_step *step)
{
	Tcl_Obj **v;
	int n = choices_of(step, &v);
	struct out *o;

	if (n < 2 || step->answer < 1 || step->answer > n)
		return fail(s, "lesson", "EINVAL", "%s: a question needs choices and an answer",
			    file->path);
	o = out_new(true);
	out_text(o, "> %d\n", step->answer);
	write_text(Tcl_GetString(v[2 * step->answer - 1]), 0, o);
	end_text(o);
	return 0;
}

static int print_whole_lesson(struct session *s, unsigned number)
{
	struct lesson_file file;
	struct meeting meeting;
	struct out *o;
	int rc = -1;

	if (app.meet(s, &meeting) || lesson_read(s, number, &meeting, &file))
		return -1;
	o = out_new(true);
	write_title(file.title, o);
	end_text(o);
	for (unsigned i = 0; i < file.n; i++) {
		o = out_new(true);
		write_step(&file.step[i], o);
		end_text(o);
		rc = file.step[i].kind == LESSON_TRY   ? play_try(s, &file, &file.step[i])
		     : file.step[i].kind == LESSON_ASK ? play_ask(s, &file, &file.step[i])
						       : 0;
		if (rc)
			break;
	}
	lesson_free(&file);
	return rc;
}

/* --------------------------------------------------------------------- the commands -- */

/* Writes how to continue from the list. */
static void tell_where(struct out *o)
{
	if (!is_on())
		out_text(o, "'lesson 1' begins the first, 'lesson next' the next one\n");
	else if (now.clearing)
		out_text(o, "lesson %u is about to begin: 'lesson hint' shows what to type first\n",
			 now.file.number);
	else
		out_text(
			o,
			"lesson %u is on, at step %u of %u: 'lesson hint' shows that again, 'lesson "
			"stop' ends it\n",
			now.file.number, now.at + 1, now.file.n);
}

static int list_lessons(struct session *s, struct out *o)
{
	unsigned n = lesson_count(s);

	if (!n)
		return -1;
	out_list(o, NULL);
	for (unsigned i = 1; i <= n; i++) {
		struct lesson_file file;
		bool is_done, is_here = is_on() && now.file.number == i;

		if (lesson_read(s, i, NULL, &file))
			return -1;
		is_done = lesson_is_done(&file);
		out_dict(o, NULL);
		out_bool(o, "on", is_here, "%s", is_here ? ">" : " ");
		out_u64(o, "number", i, "%2u ", i);
		out_bool(o, "done", is_done, "%s ", is_done ? "done" : "    ");
		out_str(o, "title", file.title, "%s\n", file.title);
		out_end(o);
		lesson_free(&file);
	}
	out_end(o);
	tell_where(o);
	return 0;
}

static int begin_lesson(struct session *s, unsigned number)
{
	struct lesson_file file;
	struct meeting meeting;
	struct out *o;

	if (!s->opt.interactive)
		return print_whole_lesson(s, number);
	if (app.meet(s, &meeting) || lesson_read(s, number, &meeting, &file))
		return -1;
	o = out_new(true);
	if (is_on())
		out_text(o, "(lesson %u is left at step %u of %u)\n", now.file.number, now.at + 1,
			 now.file.n);
	lesson_free(&now.file);
	now.file = file;
	now.begun = number;
	now.at = 0;
	now.clearing = !table_is_clear(s);
	now.skipped = false;
	write_title(file.title, o);
	if (now.clearing) {
		write_text(
			"\nThis session has objects already, and the lesson may need their names. Begin "
			"with an empty table. ('lesson skip' keeps them; a name of the lesson that is "
			"taken is an error then.)\n\n",
			0, o);
		write_command(clear, o);
	}
	end_text(o);
	if (!now.clearing)
		show_until_task(s);
	return 0;
}

/* Begins the lesson after the current one, or else the first that is not done. */
static int begin_next(struct session *s)
{
	unsigned n = lesson_count(s), number = now.begun;
	struct lesson_file file;
	bool done = true;

	if (!n)
		return -1;
	if (number == n)
		return fail(s, "lesson", "ERANGE", "lesson %u is the last; 'lesson' lists them", n);
	while (done && number < n) {
		if (lesson_read(s, ++number, NULL, &file))
			return -1;
		done = !now.begun && lesson_is_done(&file);
		lesson_free(&file);
	}
	return begin_lesson(s, number);
}

static int fail_no_lesson(struct session *s)
{
	fail(s, "lesson", "ENOENT", "no lesson is being taken");
	return fail_next(s, "lesson lists them, lesson 1 begins the first");
}

static void write_hint(struct out *o)
{
	if (now.clearing)
		write_command(clear, o);
	else
		write_step(current_step(), o);
}

/* Prints the skipped commands: later steps may need them. */
static void print_skipped(const struct lesson_step *step)
{
	struct out *o = out_new(true);

	if (step->kind == LESSON_ASK) {
		out_text(o, "(skipped: the question)\n");
	} else {
		out_text(o, "(skipped, though later steps may need it:)\n");
		write_commands(step, o);
	}
	end_text(o);
}

static void skip_step(struct session *s)
{
	if (!now.clearing) {
		print_skipped(current_step());
		now.skipped = true;
		now.at++;
	}
	now.clearing = false;
	show_until_task(s);
}

struct lesson_args {
	const char *what;
	struct num number;
};

static const struct arg lesson_arg_table[] = {
	POS_OPT("what", lesson_args, what, kind_str,
		"a number; next; play; or hint, skip, stop of the one that is on"),
	POS_OPT("number", lesson_args, number, kind_u32, "of the lesson to play"),
	ARGS_END,
};

static int lesson_exec(struct session *s, const void *args, struct out *o)
{
	const struct lesson_args *a = args;
	char *end = NULL;
	unsigned long number = a->what ? strtoul(a->what, &end, 10) : 0;

	now.quiet = true;
	if (!a->what)
		return list_lessons(s, o);
	if (end && !*end)
		return begin_lesson(s, (unsigned)number);
	if (strcmp(a->what, "next") == 0)
		return begin_next(s);
	if (strcmp(a->what, "play") == 0 && a->number.set)
		return print_whole_lesson(s, (unsigned)a->number.v);
	if (strcmp(a->what, "hint") != 0 && strcmp(a->what, "skip") != 0 &&
	    strcmp(a->what, "stop") != 0)
		return fail(s, "lesson", "BADVALUE",
			    "'%s' is neither a number nor next, play NUMBER, hint, skip, stop",
			    a->what);
	if (!is_on())
		return fail_no_lesson(s);
	if (strcmp(a->what, "stop") == 0)
		leave();
	else if (strcmp(a->what, "hint") == 0)
		write_hint(o);
	else
		skip_step(s);
	return 0;
}

static void lesson_complete(struct session *s, int objc, Tcl_Obj *const objv[], Tcl_Obj *words)
{
	static const char *const own[] = { "hint", "next", "play", "skip", "stop" };
	bool play = objc == 1 && strcmp(Tcl_GetString(objv[0]), "play") == 0;
	unsigned n = objc == 0 || play ? lesson_count(s) : 0;

	fail_clear(&s->fail);
	for (size_t i = 0; objc == 0 && i < sizeof own / sizeof *own; i++)
		Tcl_ListObjAppendElement(NULL, words, Tcl_NewStringObj(own[i], -1));
	for (unsigned i = 1; i <= n; i++)
		Tcl_ListObjAppendElement(NULL, words, Tcl_NewIntObj((int)i));
}

static const struct cmd_eg lesson_examples[] = {
	{ "lesson", "protection domain" },
	{ "lesson play 1", "protection domain" },
	{ NULL, NULL },
};

const struct cmd cmd_lesson = {
	.name = "lesson",
	.family = "understanding",
	.summary = "learn RDMA step by step, at this prompt",
	.text = "Without an argument: the lessons, and which are done. lesson 3 begins one: it tells\n"
		"what to do, you type it at the usual prompt, and it goes on when it is done. A\n"
		"number answers a question. Everything else works as ever. lesson hint tells the\n"
		"step again, skip goes on without, stop ends it; lesson next begins the one\n"
		"behind it. lesson play 3 types everything for you.",
	.examples = lesson_examples,
	.args = lesson_arg_table,
	.size = sizeof(struct lesson_args),
	.flags = CMD_NO_RECORD,
	.exec = lesson_exec,
	.complete = lesson_complete,
};

struct answer_args {
	struct num number;
};

static const struct arg answer_arg_table[] = {
	POS("number", answer_args, number, kind_u32, "of the choice"),
	ARGS_END,
};

static int answer_exec(struct session *s, const void *args, struct out *o)
{
	const struct answer_args *a = args;
	Tcl_Obj **v;
	int n;

	if (!is_on())
		return fail_no_lesson(s);
	if (!lesson_choices())
		return fail(s, "answer", "EINVAL", "nothing is asked now");
	now.quiet = true;
	n = choices_of(current_step(), &v);
	if (!a->number.v || a->number.v > (unsigned)n)
		return fail(s, "answer", "ERANGE", "there are the choices 1 to %d", n);
	now.answered = a->number.v == (uint64_t)current_step()->answer;
	now.quiet = !now.answered;
	write_text(Tcl_GetString(v[2 * a->number.v - 1]), 0, o);
	out_bool(o, NULL, now.answered, "%s", now.answered ? "" : "(try another number)\n");
	return 0;
}

static const struct cmd_eg answer_examples[] = { { "answer 2", "no lesson" }, { NULL, NULL } };

const struct cmd cmd_answer = {
	.name = "answer",
	.family = "understanding",
	.summary = "answer the question of a lesson",
	.text = "The number of one of the choices; at the prompt the number alone does. What is said\n"
		"of a wrong one tells why, and another may follow.",
	.examples = answer_examples,
	.args = answer_arg_table,
	.size = sizeof(struct answer_args),
	.flags = CMD_NO_RECORD,
	.exec = answer_exec,
};
