/* SPDX-License-Identifier: MIT */
/* Control flow: repeat, print, sleep, wait until, source, quit. */
#include <inttypes.h>

#include "command/cmd.h"
#include "language/interp.h"
#include "language/script.h"
#include "output/print.h"
#include "session.h"

/* ------------------------------------------------------------------- repeat -- */

struct repeat_args {
	struct num times, every;
	Tcl_Obj *body;
};

static const struct arg repeat_arg_table[] = {
	POS("times", repeat_args, times, kind_u64, "how often"),
	POS("body", repeat_args, body, kind_script, "what to run"),
	OPT("every", repeat_args, every, kind_ms, "time from the start of one round to the next"),
	ARGS_END,
};

/* Sleeps until due; returns at once if that has passed. -1: interrupted. */
static int pause_until(struct session *s, int64_t due)
{
	int64_t left = (due - loop_now() + 999999) / 1000000;

	return left > 0 && loop_wait(s->loop, NULL, NULL, left) == LOOP_INTERRUPTED ? -1 : 0;
}

static int repeat_exec(struct session *s, const void *args, struct out *o)
{
	const struct repeat_args *a = args;
	int64_t begun = loop_now();

	(void)o;
	for (uint64_t i = 0; i < a->times.v && !s->quit; i++) {
		int rc;

		if (i && a->every.set &&
		    pause_until(s, begun + (int64_t)(i * a->every.v) * 1000000))
			return fail(s, "repeat", "EINTR", "interrupted");
		rc = script_body(s, a->body);
		if (rc == TCL_BREAK)
			break;
		if (rc == TCL_RETURN)
			return rc;
		if (rc == TCL_ERROR)
			return -1;
	}
	Tcl_ResetResult(s->tcl);
	return 0;
}

/** Runs the body TIMES times. Unlike in Tcl's own for and while, the results of the body's
 * commands are printed as if you had typed them one by one. break and continue work as
 * in every loop. To watch something: repeat 100 {show} -every 1s. Ctrl-C ends it.
 * > set n 0
 * > repeat 3 {echo round [incr n]} => round 3
 * > repeat 100 {if {[incr n] > 10} break}
 * > repeat 3 {echo still here} -every 10ms => still here
 * > echo $n => 11 */
const struct cmd cmd_repeat = {
	.name = "repeat",
	.family = "scripts",
	.summary = "run commands several times",
	.args = repeat_arg_table,
	.flags = CMD_EVALS,
	.exec = repeat_exec,
};

/* -------------------------------------------------------------------- print -- */

struct print_args {
	Tcl_Obj *body;
};

static const struct arg print_arg_table[] = {
	POS("body", print_args, body, kind_script, "what to run"),
	ARGS_END,
};

static int print_exec(struct session *s, const void *args, struct out *o)
{
	const struct print_args *a = args;
	const bool quiet = s->opt.quiet;
	int rc;

	(void)o;
	s->opt.quiet = false;
	rc = script_body(s, a->body);
	s->opt.quiet = quiet;
	Tcl_ResetResult(s->tcl);
	return rc == TCL_ERROR ? -1 : rc;
}

/** Runs the body, and prints the results of its commands as if you had typed them: in an if,
 * a loop or a proc, where results are values and nothing is printed. It prints with -q, too.
 * > foreach port {4791 7471} {print {unpack {u16 port} [binary format S $port]}} => port 7471
 * > proc status {} {print {record; trace}}
 * > status => no recording */
const struct cmd cmd_print = {
	.name = "print",
	.family = "scripts",
	.summary = "run commands and print their results, wherever it stands",
	.args = print_arg_table,
	.flags = CMD_EVALS,
	.exec = print_exec,
};

/* -------------------------------------------------------------------- sleep -- */

struct sleep_args {
	struct num ms;
};

static const struct arg sleep_arg_table[] = {
	POS("time", sleep_args, ms, kind_ms, "milliseconds, or with a unit: 500ms, 2s",
	    .max = 86400000),
	ARGS_END,
};

static int sleep_exec(struct session *s, const void *args, struct out *o)
{
	const struct sleep_args *a = args;

	if (loop_wait(s->loop, NULL, NULL, (int64_t)a->ms.v) == LOOP_INTERRUPTED)
		return fail(s, "sleep", "EINTR", "interrupted");
	/* a typed "sleep 30" means 30 ms: show that, as the user may expect seconds */
	if (s->opt.interactive && !(s->script && s->script->name))
		out_text(o, "slept %llu ms\n", (unsigned long long)a->ms.v);
	return 0;
}

/** Meanwhile notices are shown and connection events are handled; Ctrl-C ends it. To wait
 * for something to happen use 'wait', which returns as soon as it does.
 * > sleep 20
 * > sleep 20ms */
const struct cmd cmd_sleep = {
	.name = "sleep",
	.family = "scripts",
	.summary = "do nothing for a while",
	.args = sleep_arg_table,
	.flags = CMD_LOOKS,
	.exec = sleep_exec,
};

/* --------------------------------------------------------------- wait until -- */

struct until_args {
	Tcl_Obj *condition;
	struct num within;
};

static const struct arg until_arg_table[] = {
	POS("condition", until_args, condition, kind_expr, "as in if"),
	OPT("within", until_args, within, kind_ms, "how long to wait for it", .dflt = "5000"),
	ARGS_END,
};

struct until {
	struct session *s;
	Tcl_Obj *condition;
	bool failed; /* the condition cannot be evaluated */
};

static bool until_holds(void *arg)
{
	struct until *u = arg;
	int truth = 0;

	if (u->s->quit)
		return true;
	u->failed = Tcl_ExprBooleanObj(u->s->tcl, u->condition, &truth) != TCL_OK;
	return u->failed || truth;
}

static int until_exec(struct session *s, const void *args, struct out *o)
{
	const struct until_args *a = args;
	struct until u = { .s = s, .condition = a->condition };
	enum loop_end end = loop_wait(s->loop, until_holds, &u, (int64_t)a->within.v);

	(void)o;
	if (u.failed) {
		interp_fail(s);
		return -1;
	}
	if (end == LOOP_INTERRUPTED)
		return fail(s, "wait until", "EINTR", "interrupted");
	if (end == LOOP_TIMEOUT)
		return fail(s, "wait until", "ETIMEDOUT", "not within %llu ms: %s",
			    (unsigned long long)a->within.v, Tcl_GetString(a->condition));
	return 0;
}

/** Meanwhile handlers run (see 'on timer'), connection events are handled and notices are
 * shown. The condition is checked again after each of them. To wait until a peer writes
 * to memory, see mem watch.
 * > set n 1; wait until {$n > 0}
 * > wait until {$n > 1} -within 10 => not within 10 ms: $n > 1 */
const struct cmd cmd_wait_until = {
	.name = "wait until",
	.family = "scripts",
	.summary = "wait until a condition holds",
	.args = until_arg_table,
	.flags = CMD_EVALS,
	.exec = until_exec,
};

/* ------------------------------------------------------------------- source -- */

struct source_args {
	const char *path;
};

static const struct arg source_arg_table[] = {
	POS("file", source_args, path, kind_path, "a script; relative to the script that names it"),
	ARGS_END,
};

static int source_exec(struct session *s, const void *args, struct out *o)
{
	const struct source_args *a = args;

	if (script_source(s, a->path) == TCL_ERROR)
		return -1;
	if (!s->quit)
		out_obj(o, Tcl_GetObjResult(s->tcl));
	return 0;
}

/** Runs a script and keeps its procs and global variables. Results of its commands are not
 * printed, output of echo is. return ends the file, and its value is the value of source.
 * A script names files relative to its own directory, and neither it nor its procs may
 * use files outside of that (see 'help scripts').
 * > catch {source no-such-file.rdma} why
 * > echo $why => No such file */
const struct cmd cmd_source = {
	.name = "source",
	.family = "scripts",
	.summary = "run the commands of a file",
	.args = source_arg_table,
	.flags = CMD_EVALS,
	.exec = source_exec,
};

/* --------------------------------------------------------------------- quit -- */

struct quit_args {
	struct num code;
};

static const struct arg quit_arg_table[] = {
	POS_OPT("code", quit_args, code, kind_u8,
		"exit code (default: depends on how the run went)"),
	ARGS_END,
};

static int quit_exec(struct session *s, const void *args, struct out *o)
{
	const struct quit_args *a = args;

	(void)o;
	return interp_quit(s, a->code.set ? (int)a->code.v : -1);
}

/** Ends the session or the whole run, also from inside procs and sourced files. All
 * objects are destroyed in order. Without CODE the exit code is that of the run so far:
 * 0, or 3 after a failed expectation (see 'help exit-codes').
 * > if {1 > 2} {quit 1} */
const struct cmd cmd_quit = {
	.name = "quit",
	.family = "scripts",
	.summary = "leave the shell",
	.args = quit_arg_table,
	.flags = CMD_NO_RECORD | CMD_EVALS,
	.exec = quit_exec,
};

/** The same as quit, under the name that Tcl uses.
 * > if {1 > 2} {quit 1} */
const struct cmd cmd_exit = {
	.name = "exit",
	.family = "scripts",
	.summary = "leave the shell, as quit does",
	.args = quit_arg_table,
	.flags = CMD_NO_RECORD | CMD_EVALS,
	.exec = quit_exec,
};
