/* SPDX-License-Identifier: MIT */
/* Parses the options, runs -f and -c in order, and chooses the exit code. */
#include <assert.h>
#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "check/check.h"
#include "edit/edit.h"
#include "file/file.h"
#include "grade/grade.h"
#include "help/help.h"
#include "inherited.h"
#include "language/interp.h"
#include "language/script.h"
#include "lesson/lesson.h"
#include "serve/serve.h"
#include "session.h"

/* Documented in 'help exit-codes' and in the manual page. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_COMMAND = 1,     /* a command failed */
	EXIT_USAGE = 2,	      /* wrong usage, unreadable script */
	EXIT_EXPECTATION = 3, /* an expectation failed */
	EXIT_INTERRUPTED = 4, /* Ctrl-C, SIGTERM, SIGHUP */
	EXIT_BROKEN = 70,     /* out of memory or stack */
	EXIT_SKIPPED = 77,    /* a require was not met */
};

/* A -f FILE or -c CMD, in the order given. */
struct job {
	bool file;
	const char *what;
};

struct command_line {
	struct job *jobs;
	unsigned njobs;
	bool no_rc;
	int color;	      /* -1: decide */
	const char *complete; /* instead of running anything: the text to complete */
	struct grade grade;
	const char *within; /* for its .within */
};

static struct session *the_session; /* for the panic hook */

static void on_panic(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Tcl has found a bug, or memory has run out: restores the terminal before the process ends. */
static void on_panic(const char *fmt, ...)
{
	va_list ap;

	if (the_session && the_session->edit)
		edit_panic(the_session->edit);
	fputs("rdmash: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	_exit(EXIT_BROKEN);
}

static void on_no_memory(void)
{
	on_panic("out of memory");
}

/* ------------------------------------------------------------------------- the stack -- */

#if defined(__has_feature)
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

static uintptr_t stack_top, stack_low; /* a fault between them is a stack overflow */

/* Ends the process from within a signal handler, with the terminal as it was. */
static void end_at_once(const char *said, int code)
{
	ssize_t n;

	if (the_session && the_session->edit)
		edit_panic(the_session->edit);
	n = write(STDERR_FILENO, said, strlen(said));
	(void)n;
	_exit(code);
}

/* Tcl's parser recurses for each nested bracket, without a limit, also in text that a script
 * generates. After an overflow the process cannot continue, but it can restore the terminal. */
static void on_stack_overflow(int sig, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;

	(void)context;
	if (at >= stack_low && at < stack_top)
		end_at_once("rdmash: nested too deeply: the stack is used up\n", EXIT_BROKEN);
	signal(sig, SIG_DFL); /* the instruction faults again, with the default action */
}

static void on_third_signal(void)
{
	end_at_once("rdmash: ended by the third signal: a built-in command did not stop\n",
		    EXIT_INTERRUPTED);
}

/* Not under a sanitizer, whose own report is better. */
static void guard_stack(void)
{
	static char memory[16384];
	const stack_t stack = { .ss_sp = memory, .ss_size = sizeof memory };
	struct sigaction sa = { .sa_sigaction = on_stack_overflow,
				.sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct rlimit limit;

	if (HAS_SANITIZER)
		return;
	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		limit.rlim_cur = 1 << 30;
	stack_top = (uintptr_t)__builtin_frame_address(0);
	stack_low = stack_top - (uintptr_t)limit.rlim_cur - (1 << 20);
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &sa, NULL);
}

static bool want_color(int asked)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (asked >= 0)
		return asked;
	return isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) && !(no && *no) && term &&
	       strcmp(term, "dumb") != 0;
}

static int parse_color(const char *how)
{
	if (strcmp(how, "always") == 0)
		return 1;
	if (strcmp(how, "never") == 0)
		return 0;
	if (strcmp(how, "auto") == 0)
		return -1;
	print_error("rdmash: --color takes always, never or auto, not '%s'\n", how);
	return -2;
}

static void add_job(struct command_line *cl, bool file, const char *what)
{
	cl->jobs = xrealloc(cl->jobs, cl->njobs + 1, sizeof *cl->jobs);
	cl->jobs[cl->njobs++] = (struct job){ file, what };
}

/* Stores the canonical path, with which the paths of scripts are compared. */
static int allow_dir(struct session *s, const char *dir)
{
	unsigned n = 0;
	char *real = realpath(dir, NULL);

	if (!real) {
		print_error("rdmash: --allow-dir %s: %m\n", dir);
		return -1;
	}
	while (s->opt.allow_dirs && s->opt.allow_dirs[n])
		n++;
	s->opt.allow_dirs = xrealloc(s->opt.allow_dirs, n + 2, sizeof *s->opt.allow_dirs);
	s->opt.allow_dirs[n] = real;
	s->opt.allow_dirs[n + 1] = NULL;
	return 0;
}

/* Handles the options that print something and end. */
static int print_and_end(int o)
{
	if (o == 'V')
		help_version(stdout);
	else if (o == 'h')
		help_options(stdout);
	else
		print_error("Try 'rdmash --help'.\n");
	return (o == '?' ? EXIT_USAGE : EXIT_OK) + 1;
}

/* 0: continue; else the exit code to end with, plus one. */
static int apply_option(struct session *s, int o, struct command_line *cl)
{
	const struct help_option *h = help_option_table;

	while (h->name && h->id != o)
		h++;
	if (h->at && h->value)
		*(const char **)((char *)s + h->at) = optarg;
	else if (h->at)
		*(bool *)((char *)s + h->at) = true;
	if (h->at)
		return 0;
	switch (o) {
	case 'f':
	case 'c':
		add_job(cl, o == 'f', optarg);
		return 0;
	case 'X':
		cl->no_rc = true;
		return 0;
	case OPTION_JSON:
	case OPTION_CSV:
		s->opt.format = o == OPTION_JSON ? OUT_JSON : OUT_CSV;
		return 0;
	case OPTION_COLOR:
		cl->color = parse_color(optarg);
		return cl->color == -2 ? EXIT_USAGE + 1 : 0;
	case OPTION_ALLOW_DIR:
		return allow_dir(s, optarg) ? EXIT_USAGE + 1 : 0;
	case OPTION_COMPLETE:
		cl->complete = optarg;
		return 0;
	case OPTION_GRADE:
		cl->grade.rules = optarg;
		return 0;
	case OPTION_WITHIN:
		cl->within = optarg;
		return 0;
	default:
		return print_and_end(o);
	}
}

static int parse_options(struct session *s, int argc, char **argv, struct command_line *cl)
{
	struct option longs[32] = { { 0 } };
	SCOPED_TEXT(letters);
	int o, n = 0, rc = 0;

	xappendf(&letters, "+");
	for (const struct help_option *h = help_option_table; h->name; h++, n++) {
		assert(n < 31); /* the last one stays zero */
		longs[n] = (struct option){ h->name, h->value ? required_argument : no_argument,
					    NULL, h->id };
		if (h->id < OPTION_LONG)
			xappendf(&letters, "%c%s", h->id, h->value ? ":" : "");
	}
	while (!rc && (o = getopt_long(argc, argv, text_str(&letters), longs, NULL)) != -1)
		rc = apply_option(s, o, cl);
	return rc;
}

/* rdmash FILE ARG ...: same as -f FILE, with the remaining words as $argv. With -n all words are
 * files to check. */
static void set_argv(struct session *s, int argc, char **argv)
{
	SCOPED_LIST(list);

	for (int i = 0; i < argc; i++)
		value_append(list, argv[i]);
	Tcl_SetVar2Ex(s->tcl, "argc", NULL, Tcl_NewIntObj(argc), TCL_GLOBAL_ONLY);
	Tcl_SetVar2Ex(s->tcl, "argv", NULL, list, TCL_GLOBAL_ONLY);
}

static bool has_word_argv(const char *script)
{
	struct stat st;
	FILE *f = stat(script, &st) || !S_ISREG(st.st_mode) ? NULL : fopen(script, "re");
	char *text = NULL;
	size_t size = 0;
	bool found;

	if (!f)
		return true; /* a pipe can be read only once; a read error is reported later */
	found = getdelim(&text, &size, 0, f) > 0 && strstr(text, "argv");
	free(text);
	fclose(f);
	return found;
}

/* A user who types *.rdma expects all of these scripts to run. */
static void warn_of_scripts(const struct job *job, int argc, char **argv)
{
	for (int i = 0; i < argc && job->file; i++) {
		const char *end = strrchr(argv[i], '.');

		if (!end || strcmp(end, ".rdma") || access(argv[i], F_OK))
			continue;
		if (!has_word_argv(job->what))
			print_error("rdmash: %s is not run: it is an argument of %s, which does "
				    "not read $argv; -f runs several scripts\n",
				    argv[i], job->what);
		return;
	}
}

static int exit_code_of(struct session *s, int rc)
{
	if (s->quit) /* quit in a handler interrupts the wait; that was not Ctrl-C */
		loop_clear_interrupt(s->loop);
	if (s->quit && s->quit_code > 0)
		return s->quit_code;
	if (s->quit && s->quit_code == 0 && !s->skipped)
		return EXIT_OK;
	if (loop_ending(s->loop) || loop_interrupted(s->loop))
		return EXIT_INTERRUPTED;
	if (rc == -2)
		return EXIT_USAGE;
	if (s->errors)
		return EXIT_COMMAND;
	if (s->failed)
		return EXIT_EXPECTATION;
	if (s->skipped) /* by TAP a skipped script is one that succeeds */
		return verdict_harness() ? EXIT_OK : EXIT_SKIPPED;
	return rc || (s->handler_failed && !s->opt.interactive) ? EXIT_COMMAND : EXIT_OK;
}

/* Does a run end after a job with this result? */
static bool has_ended(const struct session *s, int rc)
{
	return (rc && !s->opt.keep_going && !s->opt.check) || s->quit || s->skipped ||
	       loop_interrupted(s->loop) || loop_ending(s->loop);
}

/* The length of the commands that the text begins with and that are complete: a line ends the last
 * one. Text that does not parse is complete when it is all that there is. */
static size_t whole_commands(const char *text, size_t len)
{
	const char *end = text + len, *p = text;
	Tcl_Parse parse;

	if (script_nests(text))
		return len;
	while (end > text && (end[-1] != '\n' || (end - text > 1 && end[-2] == '\\')))
		end--;
	while (p < end) {
		if (Tcl_ParseCommand(NULL, p, (int)(end - p), 0, &parse) != TCL_OK)
			return parse.incomplete || p > text ? (size_t)(p - text) : len;
		p = parse.commandStart + parse.commandSize;
		Tcl_FreeParse(&parse);
	}
	return (size_t)(p - text);
}

/* Runs the first len bytes of the part, and removes them. */
static int run_part(struct session *s, struct script *script, struct file_part *part, size_t len)
{
	const unsigned line = script->line;
	char *text = xasprintf("%.*s", (int)len, part->text);
	int rc = script_run_as(s, script, text + (line == 1 ? file_mark(text) : 0));

	script->line = line + where_lines(text, text + len);
	memmove(part->text, part->text + len, part->len - len + 1);
	part->len -= len;
	free(text);
	return rc;
}

static bool is_over(const struct session *s, const struct script *script, int rc)
{
	return script->left || rc == -2 || has_ended(s, rc);
}

static void fail_input(struct session *s)
{
	fail_report(s);
	verdict_error(s);
}

/* Runs the commands of standard input, each when it is complete: another program may write the next
 * one when it has read what came of this. Meanwhile events are served. */
static int run_input(struct session *s)
{
	char here[PATH_MAX];
	struct script script = { .name = "stdin",
				 .dir = getcwd(here, sizeof here) ? here : DOMAIN_NO_FILES,
				 .line = 1 };
	struct file_part part = { 0 };
	int rc = 0, worst = 0;
	ssize_t n;

	script.domain = domain_of(s, script.dir);
	do {
		size_t len;

		n = file_more(s, STDIN_FILENO, "standard input", "source", &part);
		if (n < 0)
			fail_input(s);
		while (n >= 0 && !is_over(s, &script, rc) &&
		       (len = n ? whole_commands(part.text, part.len) : part.len)) {
			rc = run_part(s, &script, &part, len);
			worst = rc < worst ? rc : worst;
		}
	} while (n > 0 && !is_over(s, &script, rc));
	free(part.text);
	return n < 0 ? -2 : worst;
}

static int run_file(struct session *s, const char *path)
{
	return strcmp(path, "-") == 0 ? run_input(s) : script_file(s, path);
}

static int run_job(struct session *s, const struct job *job)
{
	if (s->opt.check)
		return job->file ? check_file(s, job->what) : check_text(s, "-c", job->what);
	return job->file ? run_file(s, job->what) : script_run(s, "-c", job->what);
}

static int run_jobs(struct session *s, const struct command_line *cl)
{
	int worst = 0;

	for (unsigned i = 0; i < cl->njobs; i++) {
		int rc = run_job(s, &cl->jobs[i]);

		if (rc)
			worst = rc < worst ? rc : worst;
		if (has_ended(s, rc))
			break;
	}
	return worst;
}

static int run_all(struct session *s, struct command_line *cl, int argc, char **argv)
{
	int rc, code;

	if (cl->complete)
		return complete_print(s, cl->complete), EXIT_OK;
	if (cl->grade.hand_in)
		return grade_run(s, &cl->grade);
	if (s->opt.peer)
		return exit_code_of(s, serve(s));
	if (!cl->njobs && argc > 0) {
		add_job(cl, true, *argv++);
		argc--;
	}
	for (; s->opt.check && argc > 0; argc--)
		add_job(cl, true, *argv++);
	if (!cl->njobs && !isatty(STDIN_FILENO))
		add_job(cl, true, "-");
	s->opt.interactive = !cl->njobs;
	s->opt.trace = s->opt.interactive;
	set_argv(s, argc, argv);
	if (s->opt.interactive && app.prompted)
		app.prompted(s);
	if (s->opt.interactive)
		return exit_code_of(s, repl(s, !cl->no_rc));
	warn_of_scripts(cl->jobs, argc, argv);
	verdict_start();
	rc = run_jobs(s, cl);
	code = exit_code_of(s, rc);
	if (!s->opt.check && verdict_end(s, code))
		return code ? code : EXIT_COMMAND;
	return code;
}

/* Reads --within. False: an error was printed. */
static bool read_within(struct command_line *cl)
{
	char rest;

	if (!cl->within)
		return true;
	if (!cl->grade.rules)
		print_error("rdmash: --within is for --grade\n");
	else if (sscanf(cl->within, "%u%c", &cl->grade.within, &rest) != 1 || !cl->grade.within ||
		 cl->grade.within > 86400)
		print_error("rdmash: --within %s: not a number of seconds\n", cl->within);
	else
		return true;
	return false;
}

/* Starts the processes of what is graded. False: this is one of them, or nothing is graded. */
static bool grade(struct session *s, struct command_line *cl, int argc, char **argv, int *code)
{
	struct grade *g = &cl->grade;

	if (!read_within(cl)) {
		*code = EXIT_USAGE;
		return true;
	}
	if (!g->rules || s->opt.check)
		return false;
	g->hand_ins = argv + optind;
	g->n = argc - optind;
	g->is_program = strcmp(argv[optind - 1], "--") == 0;
	if (s->opt.unsafe) {
		print_error("rdmash: --grade and --unsafe exclude each other\n");
		*code = EXIT_USAGE;
	} else {
		*code = grade_all(s, g);
	}
	return *code >= 0;
}

static void free_session(struct session *s)
{
	lesson_end();
	recorder_free(s->recorder);
	interp_free(s);
	app.close(s);
	notices_free(s->notices);
	fail_clear(&s->fail);
	fail_clear(&s->before);
	free(s->opt.prompt);
	loop_free(s->loop);
	arena_free(&s->arena, NULL);
}

static void free_options(struct session *s, struct command_line *cl)
{
	for (const char **d = s->opt.allow_dirs; d && *d; d++)
		free((char *)*d);
	free(s->opt.allow_dirs);
	free(cl->jobs);
}

/* The exit code of a program that would end with code. */
static int check_output(int code)
{
	if (save_incomplete() && code == EXIT_OK)
		code = EXIT_COMMAND;
	if (!print_failed())
		return code;
	print_error("rdmash: standard output: %s\n", strerror(print_failed()));
	return code == EXIT_OK ? EXIT_COMMAND : code;
}

int main(int argc, char **argv)
{
	struct command_line cl = { .color = -1 };
	struct session s = { .opt.device = getenv("RDMASH_DEVICE") };
	int code, device;

	inherited_repair();
	guard_stack();
	setlocale(LC_CTYPE, "");
	print_is_utf8();
	Tcl_SetPanicProc(on_panic);
	obstack_alloc_failed_handler = on_no_memory;
	Tcl_FindExecutable(argv[0]);
	code = parse_options(&s, argc, argv, &cl);
	if (code) {
		free_options(&s, &cl);
		return check_output(code - 1);
	}
	s.grades = cl.grade.rules;
	if (grade(&s, &cl, argc, argv, &code)) {
		free_options(&s, &cl);
		return check_output(code);
	}
	device = s.opt.check || cl.complete ? 0 : app.start(&s.opt, &s.opt.note);
	if (device < 0) {
		free_options(&s, &cl);
		return EXIT_COMMAND;
	}
	s.opt.no_device = device > 0;
	if (s.opt.peer)
		signal(SIGINT, SIG_DFL); /* the driving rdmash passes Ctrl-C on as SIGINT */
	arena_init(&s.arena);
	s.opt.color = want_color(cl.color);
	s.opt.hints = true;
	s.loop = loop_new();
	loop_on_third(s.loop, on_third_signal);
	s.notices = notices_new(s.loop);
	notices_quiet(s.notices, &s.opt.quiet);
	print_color(&s.opt.color);
	s.recorder = recorder_new();
	the_session = &s;
	interp_new(&s);
	if (app.open(&s)) {
		print_error("rdmash: %s\n", s.fail.text);
		code = EXIT_COMMAND;
	} else {
		code = run_all(&s, &cl, argc - optind, argv + optind);
	}
	free_session(&s);
	free_options(&s, &cl);
	return check_output(code);
}
