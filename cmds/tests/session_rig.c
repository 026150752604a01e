/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "alloc.h"
#include "call_record.h"
#include "connection/cm.h"
#include "file/file.h"
#include "language/interp.h"
#include "live_context.h"
#include "objects.h"
#include "output/print.h"
#include "session_rig.h"

#define LOG_MAX	  (4 << 20)
#define PATIENCE  300 /* ms until the watchdog barks, again and again */
#define BARKS_MAX 100

static struct {
	FILE *say;
	struct options options;
	uint64_t serial; /* of the last object that was made by a reset */
	unsigned n;	 /* objects then */
	volatile sig_atomic_t barks;
	char words[1000]; /* being run */
} rig;

void rig_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(rig.say ? rig.say : stdout, fmt, ap);
	va_end(ap);
	fflush(rig.say);
}

static void die(const char *what, const char *why)
{
	rig_say("%s: %s\n", what, why);
	exit(1);
}

/* ---------------------------------------------------------------- watchdog -- */

static void bark(int sig)
{
	static const char stuck[] = "does not end:\n";
	ssize_t n;

	(void)sig;
	if (++rig.barks < BARKS_MAX) {
		raise(SIGINT);
		return;
	}
	n = write(fileno(rig.say), stuck, sizeof stuck - 1);
	n = write(fileno(rig.say), rig.words, strlen(rig.words));
	n = write(fileno(rig.say), "\n", 1);
	(void)n;
	abort();
}

static void watch(int ms)
{
	struct timeval tv = { ms / 1000, ms % 1000 * 1000 };
	struct itimerval every = { tv, tv };

	rig.barks = 0;
	setitimer(ITIMER_REAL, &every, NULL);
}

/* ----------------------------------------------------------------- running -- */

static void evaluate(struct session *s, Tcl_Obj *words)
{
	Tcl_Obj **v;
	Tcl_Size n;

	Tcl_IncrRefCount(words);
	Tcl_ListObjGetElements(NULL, words, &n, &v);
	if (Tcl_EvalObjv(s->tcl, n, v, TCL_EVAL_GLOBAL) == TCL_ERROR)
		print_error("%s\n", Tcl_GetStringResult(s->tcl));
	Tcl_DecrRefCount(words);
}

void rig_run(struct session *s, Tcl_Obj *words)
{
	struct stat st;

	Tcl_IncrRefCount(words);
	snprintf(rig.words, sizeof rig.words, "%s", Tcl_GetString(words));
	fprintf(stderr, "> %s\n", rig.words);
	watch(PATIENCE);
	evaluate(s, words);
	watch(0);
	Tcl_DecrRefCount(words);
	loop_clear_interrupt(s->loop);
	interp_resume(s);
	Tcl_ResetResult(s->tcl);
	fail_clear(&s->fail);
	s->quit = s->skipped = false;
	if (s->held)
		die(rig.words, "something is still held");
	fflush(stdout);
	if (fstat(STDERR_FILENO, &st) == 0 && st.st_size > LOG_MAX &&
	    ftruncate(STDERR_FILENO, 0) != 0)
		die("log", strerror(errno));
}

void rig_run_aside(struct session *s, Tcl_Obj *words)
{
	Tcl_InterpState state = Tcl_SaveInterpState(s->tcl, TCL_OK);
	struct fail before = fail_aside(s);
	struct out *last = s->last;
	size_t at = strlen(rig.words);

	Tcl_IncrRefCount(words);
	snprintf(rig.words + at, sizeof rig.words - at, "  <- %s", Tcl_GetString(words));
	fprintf(stderr, ">> %s\n", Tcl_GetString(words));
	s->last = NULL;
	s->aside++;
	evaluate(s, words);
	s->aside--;
	out_free(s->last);
	s->last = last;
	Tcl_DecrRefCount(words);
	fail_back(s, before);
	Tcl_RestoreInterpState(s->tcl, state);
}

/* -------------------------------------------------------------- the session -- */

static const char scenario[] = "destroy -all\n"
			       "fault wire off\n"
			       "fault call off\n"
			       "fault completion off\n"
			       "fault event off\n"
			       "fault port up\n"
			       "fault gid restore\n"
			       "catch {timeline off}\n"
			       "catch {wire off}\n"
			       "catch {capture stop}\n"
			       "reg 4096 -name m\n"
			       "cq -name c -events\n"
			       "arm c\n"
			       "qp create -name u -type UD -cq c\n"
			       "modify-qp INIT u -port 1 -pkey-index 0 -qkey 1\n"
			       "modify-qp RTR u\n"
			       "modify-qp RTS u -sq-psn 0\n"
			       "ah -dgid 10.0.0.1 -pd pd0 -name h\n"
			       "mw -name w\n"
			       "srq -name r\n"
			       "qp create -name q\n"
			       "listen 7471 -address 10.0.0.1 -accept -name l -events\n"
			       "listen 7472 -address 10.0.0.1 -name silent\n"
			       "connect 10.0.0.1 7471 -name k -events\n"
			       "cm create -name i\n"
			       "oob listen 0 -background -qp q\n"
			       "set rpc [dict get [rpc listen 0 -address 10.0.0.1 -name v] port]\n"
			       "rpc serve add {a:int b:int} {expr {$a + $b}}\n"
			       "rpc serve slow {} {sleep 3ms}\n"
			       "rpc connect 10.0.0.1 $rpc -name z\n"
			       "set tcp [dict get [tcp listen 0 -name d] port]\n"
			       "tcp connect 10.0.0.1 $tcp -name a\n"
			       "tcp accept d -name b\n";

static unsigned count(struct session *s)
{
	unsigned n = 0;
	struct obj *o;

	obj_foreach(o, s)
		n++;
	return n;
}

void rig_reset(struct session *s)
{
	free(s->opt.prompt); /* rig.options has none */
	s->opt = rig.options;
	notices_show(s->notices, ~0u);
	snprintf(rig.words, sizeof rig.words, "the scenario");
	fprintf(stderr, "> reset\n");
	cm_close(s);	/* events that are held back */
	record_clear(); /* else it would be told, and be exported, at length */
	watch(PATIENCE * 100);
	if (Tcl_EvalEx(s->tcl, scenario, -1, TCL_EVAL_GLOBAL) != TCL_OK) {
		interp_fail(s);
		die("the scenario", s->fail.text);
	}
	watch(0);
	loop_clear_interrupt(s->loop);
	interp_resume(s);
	fail_clear(&s->fail);
	rig.n = count(s);
	rig.serial = s->ctx->store.serial;
}

void rig_mend(struct session *s)
{
	if (s->ctx->store.serial != rig.serial || count(s) != rig.n)
		rig_reset(s);
}

static void go_to(const char *scratch)
{
	static const char *const variables[] = { "HOME",
						 "TMPDIR",
						 "XDG_STATE_HOME",
						 "XDG_CONFIG_HOME",
						 "XDG_RUNTIME_DIR",
						 "RDMASH_RENDEZVOUS" };
	char *home;
	int fd;

	if (chdir(scratch) || !(home = realpath(".", NULL)))
		die(scratch, strerror(errno));
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		setenv(variables[i], home, 1);
	free(home);
	setenv("RDMASH_RANK", "0", 1);
	setenv("RDMASH_SIZE", "1", 1);
	rig.say = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "w");
	fd = open("log", O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (!rig.say || fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		die("log", strerror(errno));
	close(fd);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		die("/dev/null", strerror(errno));
	close(fd);
}

struct session *rig_new(const char *scratch)
{
	struct session *s = xcalloc(1, sizeof *s);

	go_to(scratch);
	if (mkdir("folder", 0755) && errno != EEXIST)
		die("folder", strerror(errno));
	Tcl_FindExecutable("test");
	arena_init(&s->arena);
	s->loop = loop_new();
	s->notices = notices_new(s->loop);
	s->recorder = recorder_new();
	interp_new(s);
	if (app.open(s))
		die("app.open", s->fail.text);
	signal(SIGALRM, bark);
	rig.options = s->opt;
	rig_reset(s);
	return s;
}

void rig_free(struct session *s)
{
	recorder_free(s->recorder);
	interp_free(s);
	app.close(s);
	notices_free(s->notices);
	fail_clear(&s->fail);
	fail_clear(&s->before);
	free(s->opt.prompt);
	loop_free(s->loop);
	arena_free(&s->arena, NULL);
	free(s);
}
