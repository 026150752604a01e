/* SPDX-License-Identifier: MIT */
/* The interactive session: a line or block is read, run, and its result printed. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "edit/edit.h"
#include "file/file.h"
#include "help/help.h"
#include "language/interp.h"
#include "language/script.h"
#include "lesson/lesson.h"
#include "session.h"
#include "alloc.h"

static char *history_path(void)
{
	const char *own = getenv("RDMASH_HISTORY");

	if (own)
		return *own ? xstrdup(own) : NULL;
	return file_xdg_state("history");
}

/* The error code of the last line, or "". */
static const char *last_error(const struct session *s)
{
	const struct fail *f = s->fail.text ? &s->fail : &s->before;

	return f->text && f->command == s->commands ? f->code : "";
}

/* Expands the user's prompt format, or PROMPT. */
static void write_prompt(void *session, struct text *text)
{
	struct session *s = session;
	int choices = lesson_choices();
	time_t now = time(NULL);
	char clock[16], escaped[TCL_UTF_MAX];
	struct tm tm;
	int len;

	for (const char *p = s->opt.prompt ? s->opt.prompt : PROMPT; *p; p++) {
		if (*p == '\\') {
			text_add_bytes(text, escaped, Tcl_UtfBackslash(p, &len, escaped));
			p += len - 1;
			continue;
		}
		if (*p != '%') {
			text_add_bytes(text, p, 1);
			continue;
		}
		switch (*++p) {
		case 'p':
			app.prompt(session, text);
			if (choices)
				xappendf(text, " question 1-%d", choices);
			break;
		case 't':
			strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&now, &tm));
			text_add(text, clock);
			break;
		case 'e':
			text_add(text, last_error(s));
			break;
		case 'n':
			xappendf(text, "%lu", s->commands);
			break;
		default: /* %% */
			text_add(text, "%");
		}
	}
}

bool repl_is_escape(const char *text)
{
	return text[strspn(text, " \t")] == '!';
}

static bool is_complete_line(void *session, const char *text)
{
	(void)session;
	return repl_is_escape(text) || script_nests(text) || Tcl_CommandComplete(text);
}

static const struct edit_ops ops = { write_prompt, is_complete_line, complete_words,
				     complete_hint };

/* Appends "New here? lesson 1.", or where to continue with the lessons. */
static void append_lessons(const struct session *s, struct text *line)
{
	unsigned at, next = s->opt.no_device ? 0 : lesson_next_number(&at);

	if (s->opt.no_device)
		xappendf(line, "No lessons without a device.");
	else if (next && at)
		xappendf(line, "Left at step %u: lesson %u.", at + 1, next);
	else if (next > 1)
		xappendf(line, "Next: lesson %u.", next);
	else
		xappendf(line, "%s", next ? "New here? lesson 1." : "Lessons: lesson.");
}

/* Prints the welcome line, with the first of app's versions: "libibverbs 1.14  librdmacm ...". */
static void print_banner(struct session *s)
{
	SCOPED_TEXT(libs);
	SCOPED_TEXT(line);
	const char *libs_end;

	app.version(&libs);
	libs_end = strstr(text_str(&libs), "  ");
	if (libs_end)
		text_resize(&libs, (libs_end - text_str(&libs)));
	xappendf(&line, "rdmash %s  %s%sTcl %s\n", help_version_number(), text_str(&libs),
		 text_len(&libs) ? "  " : "",
		 Tcl_GetVar(s->tcl, "tcl_patchLevel", TCL_GLOBAL_ONLY));
	if (s->opt.note)
		xappendf(&line, "%s\n", s->opt.note);
	append_lessons(s, &line);
	xappendf(&line, "   Commands: help.   Leave: quit.\n");
	print_text(PRINT_OUT, text_str(&line));
}

/* Resets the state that an interrupted command left. */
static void reset_interrupt(struct session *s)
{
	if (s->quit)
		return;
	interp_resume(s);
	loop_clear_interrupt(s->loop);
}

static int run_rc(struct session *s)
{
	char *path = file_xdg_path("XDG_CONFIG_HOME", ".config", "rc.rdma");
	int rc = 0;

	if (path && access(path, F_OK) == 0) {
		char *line = xasprintf("Running %s (-X skips it)\n", path);

		print_text(PRINT_OUT, line);
		free(line);
		rc = script_start_file(s, path) == -2 ? -1 : 0;
		reset_interrupt(s);
	}
	free(path);
	return rc;
}

#define EXIT_NOT_RUN 126 /* of sh: 126 the command cannot be run, 127 it was not found */

/* system(3) ignores SIGINT in this process while the command has the terminal. */
bool repl_escape(const char *text)
{
	const char *command = text + strspn(text, " \t") + 1;
	int rc;

	fflush(stdout);
	signal(SIGPIPE, SIG_DFL); /* the command would inherit ignored signals */
	signal(SIGXFSZ, SIG_DFL);
	rc = system(command);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (rc == -1)
		print_error("error: system: %s\n", strerror(errno));
	else if (WIFSIGNALED(rc))
		print_error("killed by signal %d\n", WTERMSIG(rc));
	else if (WEXITSTATUS(rc))
		print_error("exit code %d\n", WEXITSTATUS(rc));
	return rc != -1 && (!WIFEXITED(rc) || WEXITSTATUS(rc) < EXIT_NOT_RUN);
}

static void say_time(int64_t ns)
{
	print_painted_line(PRINT_OUT, "", PAINT_DIM,
			   temp_text("  took %.*f %s", ns < 1000000000 ? 3 : 1,
				     (double)ns / (ns < 1000000000 ? 1e6 : 1e9),
				     ns < 1000000000 ? "ms" : "s"),
			   "");
}

static void run_block(struct session *s, const char *block)
{
	int64_t begun = loop_now();
	int rc = 0;

	block = lesson_typed(s, block);
	if (repl_is_escape(block))
		rc = repl_escape(block) ? 0 : -1;
	else
		rc = script_run(s, NULL, block);
	if (s->opt.timing && !s->quit)
		say_time(loop_now() - begun);
	reset_interrupt(s);
	lesson_look(s, block, rc != 0);
}

/* Prints what the end of the session would interrupt. asks: after Ctrl-D, which outstanding sends
 * cancel once. Returns true if they do. */
static bool say_unfinished(struct session *s, bool asks)
{
	SCOPED_TEXT(sends);
	SCOPED_TEXT(connections);
	SCOPED_TEXT(text);
	bool stays;

	if (app.unfinished)
		app.unfinished(s, &sends, &connections);
	stays = asks && text_len(&sends);
	if (stays)
		xappendf(&text,
			 "(not complete: %s; 'poll' waits for that, Ctrl-D again leaves without)\n",
			 text_str(&sends));
	else if (!asks && text_len(&sends))
		xappendf(&text, "(never completed: %s)\n", text_str(&sends));
	if (!asks && text_len(&connections))
		xappendf(&text, "(connections closed: %s)\n", text_str(&connections));
	print_text(PRINT_OUT, text_str(&text));
	return stays;
}

static void read_and_run(struct session *s)
{
	bool warned = false;

	while (!s->quit && !loop_ending(s->loop)) {
		enum edit_end end;
		SCOPED_TEXT(block);

		end = edit_read(s->edit, &block);
		if (end == EDIT_BLOCK)
			run_block(s, text_str(&block));
		else if (end == EDIT_CANCEL)
			reset_interrupt(s);
		if (end == EDIT_EOF && (warned || !say_unfinished(s, true)))
			break;
		warned = end == EDIT_EOF;
	}
	if (!warned)
		say_unfinished(s, false);
}

int repl(struct session *s, bool rc)
{
	char *history = history_path();
	int failed;

	print_banner(s);
	failed = rc ? run_rc(s) : 0;
	s->edit = edit_new(s->loop, &ops, s, history);
	edit_hints(s->edit, s->opt.hints);
	print_editor(s->edit);
	read_and_run(s);
	print_editor(NULL);
	edit_free(s->edit);
	s->edit = NULL;
	free(history);
	return failed;
}
