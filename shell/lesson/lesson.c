// SPDX-License-Identifier: MIT
/* The commands lesson and answer, and the progress of a lesson. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command/cmd.h"
#include "edit/edit.h"
#include "help/help.h"
#include "language/interp.h"
#include "language/script.h"
#include "lesson/lesson.h"
#include "session.h"
#include "alloc.h"

/* The current lesson. */
static struct {
	struct lesson_file file;
	char *begun;		   /* its number or path, also after its end */
	unsigned at;		   /* the current step */
	struct lesson_taken taken; /* the current step so far */
	unsigned points, of;	   /* of the steps that are behind, since it was begun */
	bool clearing; /* before the first step: waiting until old objects are destroyed */
	bool again;    /* the steps before it are to be repeated first */
	bool skipped;  /* a step was not done */
	bool answered; /* the last answer was right */
	bool quiet;    /* the command was lesson or answer: do not check the step */
	int due;       /* lines of the step that follow the one that was typed as it is shown */
	bool stuck;    /* all of them were typed so, and do not do it */
} now;

static const char clear[] = "destroy -all";

/* Words for the lesson that is on. */
enum { AGAIN, HINT, SKIP, STOP };
static const char *const of_current[] = { "again", "hint", "skip", "stop", NULL };

static bool is_on(void)
{
	return now.file.n > 0;
}

static const struct lesson_step *current_step(void)
{
	return &now.file.step[now.at];
}

/* ------------------------------------------------------------------------ output -- */

static void write_end(struct session *s, struct out *o)
{
	bool last = !now.file.number || now.file.number == lesson_count(s);

	out_text(o, "\nThis lesson is %s. ", now.skipped ? "over, with steps skipped" : "done");
	if (now.of)
		out_text(o, "%u of %u points; 'lesson -progress' has them, to be handed in. ",
			 now.points, now.of);
	out_text(o, "'lesson' lists them all%s\n", last ? "." : "; the next one:\n");
	if (!last)
		lesson_write_command(temp_text("lesson %u", now.file.number + 1), o);
}

/* Writes texts up to the next task or question, or ends the lesson. */
static void show_until_task(struct session *s)
{
	struct out *o;

	o = out_new(true);
	for (; now.at < now.file.n; now.at++) {
		lesson_write_step(current_step(), NULL, 0, o);
		if (current_step()->kind != LESSON_SAY)
			break;
	}
	now.taken = (struct lesson_taken){ .begun = time(NULL) };
	now.due = -1;
	now.stuck = false;
	if (now.at == now.file.n) {
		if (now.skipped)
			lesson_note_left(&now.file, now.at, true);
		else
			lesson_note_done(&now.file);
		write_end(s, o);
		lesson_free(&now.file);
	}
	lesson_end_text(o);
}

/* The current step is done, or skipped. */
static void end_step(struct session *s)
{
	now.points += lesson_points(current_step(), &now.taken);
	now.of += current_step()->points;
	lesson_note_step(&now.file, now.at, now.skipped, &now.taken);
	now.at++;
	show_until_task(s);
}

/* Continues at the current step, after recreating the objects of the steps before it. */
static void begin_steps(struct session *s)
{
	if (now.again)
		lesson_do_again(s, &now.file, now.at);
	now.again = false;
	show_until_task(s);
}

/* Goes back to the first of the texts before the step. */
static void go_back_to_text(void)
{
	while (now.at && now.file.step[now.at - 1].kind == LESSON_SAY)
		now.at--;
}

/* Everything is as it was before the step, except for the hints that were given and the wrong
 * lines: they cost points all the same. */
static void begin_step_again(struct session *s)
{
	const struct lesson_taken taken = now.taken;
	const bool has_begun = !now.clearing;

	if (has_begun)
		go_back_to_text();
	now.clearing = false;
	now.again = true;
	begin_steps(s);
	if (has_begun)
		now.taken = taken;
}

/* ----------------------------------------------------------------------- checking -- */

/* Are there no objects, so that all names are free for the lesson? The device and its port do not
 * count. */
static bool table_is_clear(struct session *s)
{
	SCOPED_LIST(names);
	Tcl_Size n = 0;

	if (app.names)
		app.names(s, names);
	Tcl_ListObjLength(NULL, names, &n);
	return n <= 2; /* a name and a kind */
}

static void tell(const char *text)
{
	struct out *o = out_new(true);

	lesson_write_text(text, 0, o);
	lesson_end_text(o);
}

static void ask_again(void)
{
	Tcl_Obj **v;

	tell(temp_text("(the question waits: type a number, 1 to %d; 'lesson hint' shows it again, "
		       "'lesson stop' ends the lesson)",
		       lesson_choices_of(current_step(), &v)));
}

static void tell_wrong(const char *wrong)
{
	char *text = xasprintf(
		"(not yet: %s; 'lesson hint' shows %s, 'lesson skip' goes on without%s)", wrong,
		!now.clearing && current_step()->is_hidden ? "a hint" : "the command",
		now.taken.wrong < 2 ? "" : ", 'lesson again' makes all objects anew");

	tell(text);
	free(text);
}

/* A line was typed that does not do the step, line the number of lesson_line_of(). */
static void tell_not_done(int line)
{
	const char *wrong = lesson_wrong(&now.file);

	now.taken.wrong++;
	if (wrong)
		tell_wrong(wrong);
	else if (line && current_step()->is_hidden)
		tell_wrong("this belongs to it, and something before it is missing");
	else if (line)
		tell_wrong(temp_text("this is a line of the step, and what is to come of it is not "
				     "so: %s",
				     current_step()->check));
	else
		tell_wrong("this is not what the step asks for");
}

/* Notes that a line was typed as the step shows it; line is the number of lesson_line_of(). Shown
 * lines that fail, or all of them in vain, do not lead on. */
static void note_line(int line, bool failed)
{
	Tcl_Size n = 0;

	Tcl_ListObjLength(NULL, current_step()->commands, &n);
	if (line && (line == n || line == now.due))
		now.due = line - 1;
	now.stuck |= line && (failed || (line == 1 && !now.due));
}

static void look(struct session *s, const char *typed, bool failed)
{
	bool quiet = now.quiet, answered = now.answered;

	now.quiet = now.answered = false;
	if (!is_on() || quiet || s->quit || !typed[strspn(typed, " \t\n")])
		return;
	lesson_note_typed(s, &now.file, typed, failed);
	if (now.clearing) {
		now.clearing = !table_is_clear(s);
		if (!now.clearing)
			begin_steps(s);
		else if (lesson_is_attempt(NULL, typed, failed))
			tell_wrong("the lesson begins with an empty table");
		return;
	}
	if (current_step()->kind == LESSON_TRY && !lesson_holds(s, &now.file, current_step())) {
		const int line = lesson_line_of(current_step(), typed);

		note_line(line, failed);
		if (lesson_is_attempt(current_step(), typed, failed) && (failed || line < 2))
			tell_not_done(line);
		return;
	}
	if (current_step()->kind == LESSON_ASK && !answered) {
		if (!repl_is_escape(typed))
			ask_again();
		return;
	}
	end_step(s);
}

/* The conditions run commands; explain must still find the failure of the learner's command. */
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
		       ? lesson_choices_of(current_step(), &v)
		       : 0;
}

/* Which of the words, a NULL at their end, was typed alone, though it is no command? NULL: none. */
static const char *word_alone(struct session *s, const char *typed, const char *const *words)
{
	char word[16], rest;

	if (sscanf(typed, " %15s %c", word, &rest) != 1 ||
	    Tcl_FindCommand(s->tcl, word, NULL, TCL_GLOBAL_ONLY))
		return NULL;
	while (*words && strcasecmp(word, *words) != 0)
		words++;
	return *words;
}

const char *lesson_typed(struct session *s, const char *typed)
{
	static const char *const agreed[] = { "ok", "okay", "y", "yes", "next", "continue", NULL };
	const char *word = is_on() ? word_alone(s, typed, of_current) : NULL;
	static char command[32];
	unsigned number;
	int n = 0;

	if (now.begun && !lesson_choices() && word_alone(s, typed, agreed))
		return is_on() ? "lesson hint" : "lesson next";
	if (word)
		snprintf(command, sizeof command, "lesson %s", word);
	else if (lesson_choices() && sscanf(typed, " %3u%n", &number, &n) == 1 &&
		 !typed[n + (int)strspn(typed + n, ".) \t\n")])
		snprintf(command, sizeof command, "answer %u", number);
	else
		return typed;
	return command;
}

void lesson_end(void)
{
	if (!is_on())
		return;
	print_text(PRINT_OUT,
		   temp_text("(lesson %s is left at step %u of %u; 'lesson %s' goes on there)\n",
			     now.file.ref, now.at + 1, now.file.n, now.file.ref));
	if (!now.clearing)
		lesson_note_left(&now.file, now.at, now.skipped);
	lesson_free(&now.file);
}

/* --------------------------------------------------------------------- the commands -- */

/* Writes how to continue from the list. */
static void tell_where(struct out *o)
{
	if (!is_on())
		out_text(o, "'lesson 1' begins the first, 'lesson next' the next one\n");
	else if (now.clearing)
		out_text(o, "lesson %s is about to begin: 'lesson hint' shows what to type first\n",
			 now.file.ref);
	else
		out_text(
			o,
			"lesson %s is on, at step %u of %u: 'lesson hint' shows that again, 'lesson "
			"stop' ends it\n",
			now.file.ref, now.at + 1, now.file.n);
}

static int list_lessons(struct session *s, struct out *o)
{
	if (lesson_list(s, is_on() ? now.file.number : 0, o))
		return -1;
	tell_where(o);
	return 0;
}

/* Where a lesson that was left continues: at the text before the step. */
static void set_place(const struct lesson_progress *left)
{
	now.at = left->at < now.file.n ? left->at : 0;
	go_back_to_text();
	now.skipped = left->skipped;
}

/* from_start: begins at the first step even if the lesson was left at a later one. */
static int begin_lesson(struct session *s, const char *ref, bool from_start)
{
	struct lesson_progress left = { 0 };
	bool is_same = now.begun && strcmp(ref, now.begun) == 0;
	struct lesson_file file;
	struct meeting meeting;
	struct out *o;

	if (!s->opt.interactive)
		return lesson_play(s, ref);
	if (app.meet(s, &meeting) || lesson_read(s, ref, &meeting, &file))
		return -1;
	lesson_end();
	if (!from_start)
		left = lesson_progress(&file);
	now.file = file;
	free(now.begun);
	now.begun = xstrdup(ref);
	now.points = now.of = 0;
	set_place(&left);
	now.clearing = !table_is_clear(s) && !(now.at && is_same);
	now.again = now.at && (now.clearing || table_is_clear(s));
	o = out_new(true);
	lesson_write_title(file.title, o);
	if (now.at)
		out_text(o, "(from step %u of %u; 'lesson restart' begins it again)\n", now.at + 1,
			 now.file.n);
	if (now.clearing) {
		lesson_write_text(
			"\nThis session has objects already, and the lesson may need their names. Begin "
			"with an empty table. ('lesson skip' keeps them; a step whose name is taken "
			"fails then.)\n\n",
			0, o);
		lesson_write_command(clear, o);
	}
	lesson_end_text(o);
	if (!now.clearing)
		begin_steps(s);
	return 0;
}

/* Begins the lesson after the current one, or else the first that is not done. */
static int begin_next(struct session *s)
{
	const bool is_numbered = now.begun && !now.begun[strspn(now.begun, "0123456789")];
	unsigned n = lesson_count(s), number = is_numbered ? (unsigned)atoi(now.begun) : 0;
	struct lesson_file file;
	bool done = true;

	if (!n)
		return -1;
	if (number == n)
		return fail(s, "lesson", "ERANGE", "lesson %u is the last; 'lesson' lists them", n);
	while (done && number < n) {
		if (lesson_read(s, temp_text("%u", ++number), NULL, &file))
			return -1;
		done = !is_numbered && lesson_progress(&file).done;
		lesson_free(&file);
	}
	return begin_lesson(s, temp_text("%u", number), false);
}

static int fail_no_lesson(struct session *s)
{
	fail(s, "lesson", "ENOENT", "no lesson is being taken");
	return fail_next(s, "lesson lists them, lesson 1 begins the first");
}

static void write_hint(struct session *s, struct out *o)
{
	const char *first = NULL;

	if (now.clearing) {
		lesson_write_command(clear, o);
		return;
	}
	if (current_step()->kind == LESSON_TRY && !lesson_holds(s, &now.file, current_step()))
		first = lesson_first(&now.file);
	if (now.stuck)
		first = "lesson again";
	if (current_step()->is_hidden && now.taken.hints < lesson_hints(current_step()))
		now.taken.hints++;
	lesson_write_step(current_step(), first, now.taken.hints, o);
}

/* Prints the skipped commands: later steps may need them. */
static void print_skipped(const struct lesson_step *step)
{
	struct out *o = out_new(true);

	if (step->kind == LESSON_ASK) {
		out_text(o, "(skipped: the question)\n");
	} else {
		out_text(o, "(skipped, though later steps may need it:)\n");
		lesson_write_commands(step, o);
	}
	lesson_end_text(o);
}

static void skip_step(struct session *s)
{
	if (!now.clearing) {
		print_skipped(current_step());
		now.skipped = now.taken.skipped = true;
		end_step(s);
		return;
	}
	now.clearing = now.again = false;
	show_until_task(s);
}

struct lesson_args {
	const char *what, *ref;
	bool check, print, solutions, progress;
};

static const struct arg lesson_arg_table[] = {
	POS_OPT("what", lesson_args, what, kind_str,
		"a number or file; next; play, restart; or hint, again, skip, stop of the one that is "
		"on"),
	POS_OPT("lesson", lesson_args, ref, kind_str, "the number or file to play or restart"),
	SWITCH("check", lesson_args, check, "look for mistakes in the file, as rdmash -n does"),
	SWITCH("print", lesson_args, print, "the lesson as Markdown, to be handed out"),
	SWITCH("solutions", lesson_args, solutions, "with -print: what to type, and the answers"),
	SWITCH("progress", lesson_args, progress, "how each step was taken, to be handed in"),
	ARGS_END,
};

/* Is it the number or path of a lesson, and no word of the command? */
static bool is_ref(const char *what)
{
	const char *end = strrchr(what, '.');

	return !what[strspn(what, "0123456789")] || strchr(what, '/') ||
	       (end && strcmp(end, ".rdma") == 0);
}

/* Does a word that is for the lesson that is on. */
static int do_current(struct session *s, const char *what, struct out *o)
{
	unsigned word = 0;

	while (of_current[word] && strcmp(what, of_current[word]) != 0)
		word++;
	if (!of_current[word])
		return fail(s, "lesson", "BADVALUE",
			    "'%s' is neither a number, a file (NAME.rdma), nor next, play LESSON, "
			    "restart, hint, again, skip, stop",
			    what);
	if (!is_on())
		return fail_no_lesson(s);
	if (word == STOP)
		lesson_end();
	else if (word == HINT)
		write_hint(s, o);
	else if (word == AGAIN)
		begin_step_again(s);
	else
		skip_step(s);
	return 0;
}

static int lesson_exec(struct session *s, const void *args, struct out *o)
{
	const struct lesson_args *a = args;

	now.quiet = true;
	if (a->progress) {
		lesson_write_progress(o);
		return 0;
	}
	if ((a->check || a->print) && !a->what)
		return fail(s, "lesson", "MISSING", "-check and -print take a lesson");
	if (a->check)
		return lesson_check(s, a->what);
	if (a->print)
		return lesson_print(s, a->what, a->solutions, o);
	if (!a->what)
		return list_lessons(s, o);
	if (is_ref(a->what) && (!is_on() || strcmp(a->what, now.file.ref) != 0))
		return begin_lesson(s, a->what, false);
	if (is_ref(a->what)) {
		write_hint(s, o);
		return 0;
	}
	if (strcmp(a->what, "next") == 0)
		return begin_next(s);
	if (strcmp(a->what, "play") == 0 && a->ref)
		return lesson_play(s, a->ref);
	if (strcmp(a->what, "restart") == 0) {
		char *ref = a->ref || now.begun ? xstrdup(a->ref ? a->ref : now.begun) : NULL;
		int rc = ref ? begin_lesson(s, ref, true) : fail_no_lesson(s);

		free(ref);
		return rc;
	}
	return do_current(s, a->what, o);
}

/** Without an argument: the lessons, and which are done. lesson 3 begins one, or goes on
 * where it was left: it tells you what to do, and you type it at the usual prompt. A
 * number answers a question. lesson hint repeats the step, skip continues without it,
 * stop ends the lesson; again destroys all objects, ends all faults and does the steps
 * before this one again. lesson next begins the next one, restart 3 begins anew, play 3
 * types everything for you. Lessons of your own: 'help teaching'.
 * > lesson => protection domain
 * > lesson play 1 => protection domain */
const struct cmd cmd_lesson = {
	.name = "lesson",
	.family = "understanding",
	.summary = "learn RDMA step by step, at this prompt",
	.args = lesson_arg_table,
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
	n = lesson_choices_of(current_step(), &v);
	if (!a->number.v || a->number.v > (unsigned)n)
		return fail(s, "answer", "ERANGE", "there are the choices 1 to %d", n);
	now.answered = a->number.v == (uint64_t)current_step()->answer;
	now.quiet = !now.answered;
	now.taken.wrong += !now.answered;
	lesson_write_text(Tcl_GetString(v[2 * a->number.v - 1]), 0, o);
	out_bool(o, NULL, now.answered, "%s", now.answered ? "" : "(try another number)\n");
	return 0;
}

/** The number of one of the choices; at the prompt the number alone does. After a
 * wrong answer you are told why it is wrong, and can give another.
 * > answer 2 => no lesson */
const struct cmd cmd_answer = {
	.name = "answer",
	.family = "understanding",
	.summary = "answer the question of a lesson",
	.args = answer_arg_table,
	.flags = CMD_NO_RECORD,
	.exec = answer_exec,
};
