// SPDX-License-Identifier: MIT
/* lesson, answer: the commands, and how a lesson goes on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "builtin.h"
#include "cmd.h"
#include "interp.h"
#include "lesson.h"
#include "script.h"
#include "session.h"
#include "xmem.h"

/* The lesson that is being taken. */
static struct {
	struct lesson_file file;
	unsigned at;   /* the step that is due */
	bool answered; /* `answer` has just been right */
	bool quiet;    /* the command was one of ours: nothing to look at */
} now;

static bool is_on(void)
{
	return now.file.n > 0;
}

static void put(const char *text)
{
	print_text(PRINT_OUT, text);
	print_text(PRINT_OUT, "\n");
}

/* ------------------------------------------------------------------------ telling -- */

static void tell_choices(const struct lesson_step *step)
{
	Tcl_Obj **choice;
	int n;

	if (Tcl_ListObjGetElements(NULL, step->choices, &n, &choice) != TCL_OK)
		return;
	for (int i = 0; i < n; i++) {
		char *line = xasprintf("  %d  %s", i + 1, Tcl_GetString(choice[i]));

		put(line);
		free(line);
	}
	put("  (type: answer NUMBER)");
}

/* Tells text up to the next thing to do, or ends the lesson. */
static void go_on(void)
{
	for (; now.at < now.file.n; now.at++) {
		const struct lesson_step *step = &now.file.step[now.at];

		put("");
		put(step->text);
		if (step->kind == LESSON_ASK)
			tell_choices(step);
		if (step->kind != LESSON_SAY)
			return;
	}
	lesson_note_done(now.file.number);
	put("\nThis lesson is done. 'lesson' lists the others; 'destroy -all' clears the table.");
	lesson_free(&now.file);
}

static bool holds(struct session *s, const char *condition)
{
	Tcl_Obj *expr = Tcl_NewStringObj(condition, -1), *value = NULL;
	int yes = 0;

	Tcl_IncrRefCount(expr);
	if (Tcl_ExprObj(s->tcl, expr, &value) == TCL_OK) {
		Tcl_GetBooleanFromObj(NULL, value, &yes);
		Tcl_DecrRefCount(value);
	}
	Tcl_DecrRefCount(expr);
	Tcl_ResetResult(s->tcl);
	fail_clear(&s->fail);
	return yes;
}

static void note_typed(struct session *s, const char *typed, bool failed)
{
	Tcl_Obj *value = s->last ? out_value(s->last) : Tcl_NewObj();

	Tcl_SetVar(s->tcl, "::lesson::last", typed, TCL_GLOBAL_ONLY);
	Tcl_SetVar(s->tcl, "::lesson::failed", failed ? "1" : "0", TCL_GLOBAL_ONLY);
	Tcl_SetVar2Ex(s->tcl, "::lesson::result", NULL, value, TCL_GLOBAL_ONLY);
}

void lesson_look(struct session *s, const char *typed, bool failed)
{
	bool quiet = now.quiet, answered = now.answered;

	now.quiet = now.answered = false;
	if (!is_on() || quiet)
		return;
	note_typed(s, typed, failed);
	if (now.file.step[now.at].kind == LESSON_TRY && !holds(s, now.file.step[now.at].check)) {
		put("(not yet; 'lesson hint' shows a command, 'lesson skip' goes on without)");
		return;
	}
	if (now.file.step[now.at].kind == LESSON_ASK && !answered)
		return;
	now.at++;
	go_on();
}

void lesson_end(void)
{
	lesson_free(&now.file);
}

/* ------------------------------------------------------------------ played by itself -- */

/* Does what the learner would do: for tests, and for who only wants to look. */
static int play_try(struct session *s, const struct lesson_file *file,
		    const struct lesson_step *step)
{
	int rc;

	if (holds(s, step->check))
		return fail(s, "lesson", "EINVAL", "%s: done before it is tried: %s", file->path,
			    step->command);
	print_text(PRINT_OUT, "> ");
	put(step->command);
	/* an error may be what is to be seen */
	rc = script_run(s, "lesson", NULL, step->command);
	note_typed(s, step->command, rc != 0);
	if (!holds(s, step->check))
		return fail(s, "lesson", "EINVAL", "%s: '%s' does not do it: %s", file->path,
			    step->command, step->check);
	return 0;
}

static int play_ask(struct session *s, const struct lesson_file *file,
		    const struct lesson_step *step)
{
	char *line;
	int n = 0;

	Tcl_ListObjLength(NULL, step->choices, &n);
	if (n < 2 || step->answer < 1 || step->answer > n)
		return fail(s, "lesson", "EINVAL", "%s: a question needs choices and an answer",
			    file->path);
	tell_choices(step);
	line = xasprintf("> answer %d\n%s", step->answer, step->why);
	put(line);
	free(line);
	return 0;
}

static int play(struct session *s, unsigned number)
{
	struct lesson_file file;
	int rc = lesson_read(s, number, &file);

	if (rc)
		return rc;
	put(file.title);
	for (unsigned i = 0; i < file.n && !rc; i++) {
		put("");
		put(file.step[i].text);
		if (file.step[i].kind == LESSON_TRY)
			rc = play_try(s, &file, &file.step[i]);
		else if (file.step[i].kind == LESSON_ASK)
			rc = play_ask(s, &file, &file.step[i]);
	}
	lesson_free(&file);
	return rc;
}

/* --------------------------------------------------------------------- the commands -- */

static int list(struct session *s, struct out *o)
{
	unsigned long done = lesson_done();
	unsigned n = lesson_count(s);

	if (!n)
		return -1;
	out_list(o, NULL);
	for (unsigned i = 1; i <= n; i++) {
		bool is_done = i < 8 * sizeof done && done & 1ul << i;
		struct lesson_file file;

		if (lesson_read(s, i, &file))
			return -1;
		out_dict(o, NULL);
		out_u64(o, "number", i, "%3u ", i);
		out_bool(o, "done", is_done, "%s ", is_done ? "done" : "    ");
		out_str(o, "title", file.title, "%s\n", file.title);
		out_end(o);
		lesson_free(&file);
	}
	out_end(o);
	out_text(o, "lesson 1 begins the first\n");
	return 0;
}

static int begin(struct session *s, unsigned number)
{
	struct lesson_file file;

	if (!s->opt.interactive)
		return play(s, number);
	if (lesson_read(s, number, &file))
		return -1;
	lesson_free(&now.file);
	now.file = file;
	now.at = 0;
	put(file.title);
	go_on();
	return 0;
}

static int none(struct session *s)
{
	fail(s, "lesson", "ENOENT", "no lesson is being taken");
	return fail_next(s, "lesson lists them, lesson 1 begins the first");
}

struct lesson_args {
	const char *what;
	struct num number;
};

static const struct arg lesson_arg_table[] = {
	POS_OPT("what", lesson_args, what, kind_str,
		"a number; play; or hint, skip, stop of the one that is on"),
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
		return list(s, o);
	if (end && !*end)
		return begin(s, (unsigned)number);
	if (strcmp(a->what, "play") == 0 && a->number.set)
		return play(s, (unsigned)a->number.v);
	if (strcmp(a->what, "hint") != 0 && strcmp(a->what, "skip") != 0 &&
	    strcmp(a->what, "stop") != 0)
		return fail(s, "lesson", "BADVALUE",
			    "'%s' is neither a number nor play NUMBER, hint, skip, stop", a->what);
	if (!is_on())
		return none(s);
	if (strcmp(a->what, "stop") == 0) {
		lesson_free(&now.file);
	} else if (strcmp(a->what, "hint") == 0) {
		const struct lesson_step *step = &now.file.step[now.at];

		out_text(o, "%s\n", step->kind == LESSON_TRY ? step->command : step->why);
	} else {
		now.at++;
		go_on();
	}
	return 0;
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
		"what to do, you type it at the usual prompt, and it goes on when it is done.\n"
		"Everything else works as ever. lesson hint shows a command that does it, skip\n"
		"goes on without, stop ends it. lesson play 3 types everything by itself.",
	.examples = lesson_examples,
	.args = lesson_arg_table,
	.size = sizeof(struct lesson_args),
	.flags = CMD_NO_RECORD,
	.exec = lesson_exec,
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
	const struct lesson_step *step;

	if (!is_on())
		return none(s);
	step = &now.file.step[now.at];
	if (step->kind != LESSON_ASK)
		return fail(s, "answer", "EINVAL", "nothing is asked now");
	now.quiet = a->number.v != (uint64_t)step->answer;
	now.answered = !now.quiet;
	out_bool(o, NULL, now.answered, "%s\n", now.answered ? step->why : "No. Think again.");
	return 0;
}

static const struct cmd_eg answer_examples[] = { { "answer 2", "no lesson" }, { NULL, NULL } };

const struct cmd cmd_answer = {
	.name = "answer",
	.family = "understanding",
	.summary = "answer the question of a lesson",
	.text = "The number of one of the choices. A wrong one may be followed by another.",
	.examples = answer_examples,
	.args = answer_arg_table,
	.size = sizeof(struct answer_args),
	.flags = CMD_NO_RECORD,
	.exec = answer_exec,
};
