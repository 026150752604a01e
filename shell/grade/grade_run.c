/* SPDX-License-Identifier: MIT */
/* In the process of a hand-in: the hand-in runs, then the rules. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "check/check.h"
#include "file/file.h"
#include "grade/grade.h"
#include "help/help.h"
#include "language/interp.h"
#include "language/script.h"
#include "out.h"
#include "output/print.h"
#include "session.h"

/* The first words of commands that a hand-in cannot use: they make errors, requests or rows that it
 * has not made itself, take rows away, or change how the rules are shown. */
static const char *const refused[] = { "answer", "bench", "fault",    "lesson", "option", "peer",
				       "record", "step",  "timeline", "view",	NULL };

/** rdmash --grade RULES.rdma HAND-IN.rdma runs the hand-in, then the rules, which are a script
 * of expectations with points:
 *
 *   expect -points 2 -name {left: RTS} -true {[passed left INIT RTR RTS]}
 *   expect -name {retries} -value 3 {attribute left RTS retry_cnt}
 *   expect -name {text} -value hello {mem get m 0 5}
 *
 * The result is TAP, or JSON with --json: a fixed plan of checks, whatever the hand-in does. The
 * exit code is 0 if all points were reached, else 3. With a folder, several hand-ins or --csv
 * each is a row: its points, and what it has missed. --within SECONDS is the time of a
 * hand-in, which is then interrupted; the rules see what it had done.
 *
 * Rules may use all commands, on the objects that the hand-in has left, and these words about
 * its record, which has all calls, states and completions:
 *
 *   [qps]                    the QPs that there were, also destroyed ones
 *   [states QP]              the states of a QP, in order
 *   [passed QP STATE ...]    it went this way, with none in between
 *   [attributes QP STATE]    what the modify-qp to it has set, as a dict
 *   [attribute QP STATE KEY] one of them; empty: it was not set
 *   [completions STATUS OPCODE QP]  how many were polled; the last two
 *                            may be left out
 *   [called FUNCTION KEY VALUE ...]  how many calls have succeeded, with
 *                            these arguments; with keys of wr how many
 *                            requests had all of them: wr.opcode SEND.
 *                            wr.sg_list.length is that of all its SGEs
 *   [packets OPCODE SYNDROME]  how many packets: RC_WRITE*; RC_ACK RNR*
 *   [failures]               calls that have failed, each with its errno
 *   [rows KIND]              the rows of the record, as timeline has them
 *   [complete]               the record has all
 *
 * STATUS, OPCODE, SYNDROME are patterns; the rows of [rows call] show the keys of a call.
 * The record has room for some thousand requests. Where a hand-in makes more, the words that need
 * the lost rows are an error, so that such a check gives no points, and says why.
 *
 * A hand-in is one file: it reads and writes no others, and cannot use fault, lesson, peer,
 * timeline and what else would do its work or change the record. None of its code runs once
 * the rules have begun. exit ends it as any script; a proc named expect or get is its own.
 *
 * rdmash --grade RULES.rdma -- ./program ARG ... grades a program, traced by vtrace: its objects
 * have the names of vtrace (qp0, qp1), and the record is all that there is. A program of your
 * own user is no boundary: it could write what it likes into the memory in which it is
 * recorded, or into your files. Run a program of somebody else as another user. */
const struct topic topic_grade = { .name = "grade", .title = "Grading" };

#define HAND_IN "hand-in" /* root of its domain: not a path, no file is below it */

/* ------------------------------------------------------------------------ hand-ins -- */

/* While the hand-in runs, what it prints goes to standard error: standard output is for the checks.
 * Returns the descriptor to restore. */
static int divert_output(void)
{
	int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	fflush(stdout);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	return kept;
}

static void restore_output(int kept)
{
	fflush(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
}

static enum grade_end run_script(struct session *s, const char *path)
{
	enum grade_end end = NOT_PARSED;
	struct script script = { .name = path, .dir = HAND_IN, .line = 1 };
	struct options before = s->opt;
	struct script_text t;
	int rc;

	script_run(s, "grade", "timeline on");
	s->opt.quiet = true;
	s->plays = true; /* its errors are not those of the rules */
	if (file_read_script(s, path, &t)) {
		fail_report(s);
	} else {
		script.domain = domain_of(s, HAND_IN);
		script.domain->refused = refused;
		rc = script_run_as(s, &script, t.text);
		end = loop_interrupts(s->loop) ? INTERRUPTED
		      : rc == -2	       ? NOT_PARSED
		      : rc		       ? ENDED_BY_ERROR
					       : ENDED;
		script.domain->is_over = true;
		file_free_script(&t);
	}
	s->opt = before;
	s->plays = false;
	return end;
}

/* ------------------------------------------------------------------------ programs -- */

static pid_t traced; /* the tracer */

static void end_traced(int sig)
{
	(void)sig;
	kill(traced, SIGTERM);
}

/* Traces the program. Returns its rows, as JSON; the caller frees them. */
static char *trace_program(struct session *s, const struct grade *g)
{
	char file[] = "/tmp/rdmash-grade-XXXXXX", *rows = NULL;
	const char **words = xcalloc((size_t)g->n + 6, sizeof *words);
	int n = 0, status = 0, fd = mkostemp(file, O_CLOEXEC);

	if (fd < 0) {
		print_error("rdmash: %s: %s\n", file, strerror(errno));
		free(words);
		return NULL;
	}
	if (app.is_embedded())
		words[n++] = "uroce";
	words[n++] = "vtrace";
	words[n++] = "--timeline";
	words[n++] = "-jo";
	words[n++] = file;
	for (int i = 0; i < g->n; i++)
		words[n++] = g->hand_ins[i];
	words[n] = NULL;
	traced = fork();
	if (traced == 0) {
		execvp(words[0], (char *const *)words);
		_exit(127);
	}
	if (traced > 0) {
		signal(SIGINT, end_traced);
		while (waitpid(traced, &status, 0) < 0 && errno == EINTR)
			;
		signal(SIGINT, SIG_DFL);
	} else {
		print_error("rdmash: fork: %s\n", strerror(errno));
	}
	rows = file_text(s, fd, file, "grade");
	close(fd);
	unlink(file);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		print_error("rdmash: %s cannot be run\n", words[0]);
	free(words);
	return rows;
}

/* --------------------------------------------------------------------------- rules -- */

/* Forgets all that the hand-in has left in the session but objects and rows. */
static void forget_run(struct session *s)
{
	s->quit = s->skipped = s->handler_failed = false;
	s->passed = s->failed = s->errors = s->points = s->points_of = s->unreached = 0;
	s->partly = 0;
	loop_clear_interrupt(s->loop);
	interp_resume(s);
	fail_clear(&s->fail);
	fail_clear(&s->before);
	verdict_forget();
	verdict_start();
}

/* The domain of the rules: it shares no variables with others, and they do not find its procs. */
static struct domain *make_domain_of_rules(struct session *s, const char *dir)
{
	char *root = xasprintf("rules %s", dir);
	struct domain *d = domain_of(s, root);

	d->is_library = true;
	free(d->root);
	d->root = xstrdup(dir);
	free(root);
	return d;
}

/* Gives the rules the rows that vtrace has written, a line of JSON among others. */
static void set_rows(Tcl_Interp *tcl, const char *text)
{
	struct out *o = out_new(false);

	while (text && *text != '[') {
		text = strchr(text, '\n');
		text += text != NULL;
	}
	out_parsed(o, NULL, text ? text : "[]");
	Tcl_SetVar2Ex(tcl, "::grade::rows", NULL, out_value(o), TCL_GLOBAL_ONLY);
	out_free(o);
}

/* *lost: how many rows are not in the record. */
static int run_rules(struct session *s, const struct grade *g, const char *rows, long long *lost)
{
	struct script script = { .name = g->rules, .line = 1 };
	struct script_text t;
	char *words = file_own_find(s, "RDMASH_LIB", "lib", "grade.tcl");
	const char *count;
	Tcl_Interp *tcl;
	int failed, rc = -2;

	if (!words || file_read_script(s, g->rules, &t)) {
		fail_report(s);
		free(words);
		return -2;
	}
	script.dir = t.dir;
	script.domain = make_domain_of_rules(s, t.dir);
	tcl = script.domain->tcl;
	failed = Tcl_Eval(tcl, words);
	if (!failed && g->is_program)
		set_rows(tcl, rows);
	/* the record is read as the hand-in has left it */
	if (failed || Tcl_Eval(tcl, "::grade::read") != TCL_OK) {
		print_error("rdmash: lib/grade.tcl: %s\n", Tcl_GetStringResult(tcl));
	} else {
		s->opt.keep_going = s->opt.quiet = true;
		rc = script_run_as(s, &script, t.text);
		count = Tcl_GetVar(tcl, "::grade::lost", TCL_GLOBAL_ONLY);
		*lost = count ? atoll(count) : 1; /* without it nobody can say that none is lost */
	}
	file_free_script(&t);
	free(words);
	return rc;
}

int grade_run(struct session *s, struct grade *g)
{
	int kept = divert_output(), rc;
	char *rows = NULL, *missed;
	long long lost = 0;

	if (g->is_program)
		rows = trace_program(s, g);
	else
		g->end = run_script(s, g->hand_in);
	restore_output(kept);
	forget_run(s);
	file_write_all(g->report, "\n", 1);
	rc = run_rules(s, g, rows, &lost);
	missed = verdict_missed();
	if (rc != -2 && !loop_ending(s->loop)) {
		char *text = xasprintf("%u %u %lld %d\n%s", s->points, s->points_of, lost, g->end,
				       missed);

		file_write_all(g->report, text, strlen(text));
		free(text);
	}
	if (rc == -2)
		file_write_all(g->report, RULES_FAIL, strlen(RULES_FAIL));
	free(missed);
	free(rows);
	rc = rc == -2 ? 2 : s->points < s->points_of || s->errors || s->quit ? 3 : 0;
	return verdict_end(s, rc) && !rc ? 1 : rc;
}
