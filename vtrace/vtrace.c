/* SPDX-License-Identifier: MIT */
/* vtrace PROGRAM ARGS...: runs a program and shows its calls of libibverbs and librdmacm. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checking.h"
#include "door.h"
#include "each.h"
#include "heap.h"
#include "inherited.h"
#include "injections.h"
#include "launch.h"
#include "text.h"
#include "reader.h"
#include "recording.h"
#include "stop.h"
#include "views.h"

enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_INJECTED = 124,
	EXIT_INCOMPLETE = 125,
	EXIT_CANNOT_RUN = 126,
	EXIT_NOT_FOUND = 127
};

static const char usage[] =
	"usage: vtrace [OPTIONS] PROGRAM [ARG...]\n"
	"\n"
	"Runs the program and writes its calls of libibverbs and librdmacm to stderr, one per line.\n"
	"\n"
	"When a call fails, or a completion is not SUCCESS, it says why.\n"
	"\n"
	"      --check[=RULES] look for mistakes that need not fail, and write no calls: 'all' is advice, too;\n"
	"                      ids of rules, '-ID' leaves one out; commas between\n"
	"      --check-exit    exit code 99 if a mistake was found, or what may be one\n"
	"  -c, --counts        write a table at the end instead of the calls: how often each function was\n"
	"                      called, and how long it took; how long operations took\n"
	"  -e, --only LIST     write only these calls: names ('ibv_post_*'), set-up, data; commas between\n"
	"  -f, --follow        trace children as well, as --check does\n"
	"      --inject RULE   make calls fail on purpose: ibv_reg_mr:error=ENOMEM:when=3 fails the third,\n"
	"                      3+ and 2..10 several, rdma_connect:delay=5ms takes longer; @FILE has rules\n"
	"      --inject-each[=LIST]  run the program once for each place that calls one of these functions\n"
	"                      (names as for -e; without LIST all), with that one call failing, and tell\n"
	"                      what becomes of it; exit code 0 only if it never crashes or hangs\n"
	"      --must-inject   the exit code is 124 if a rule has hit nothing\n"
	"  -j, --json          write an object of JSON per line\n"
	"  -o, --output FILE   write to FILE\n"
	"      --junit FILE    with --check or --inject-each: write a report for CI servers, too\n"
	"      --no-data       with --record: leave out longer data that contains no values to be replaced\n"
	"      --peer COMMAND  with --inject-each: run a command of sh beside the program, before it\n"
	"  -q, --quiet         write no calls, only what fails\n"
	"      --record FILE   write the session, instead of the calls, as a script of rdmash that plays the\n"
	"                      program's part against its other end\n"
	"      --report FILE   write a page of HTML at the end: the processes side by side, the states of\n"
	"                      the queue pairs, what failed and why\n"
	"      --seed N        of what rules with :chance=5% draw\n"
	"      --suppress FILE with --check: leave out what the file lists: 'ID PATTERN' per line, the pattern\n"
	"                      of a place in the source or of the name of an object\n"
	"      --stop-on ERROR hold the thread that gets it: an errno, a status of completions, any, or\n"
	"                      a rule of --check; SIGCONT to vtrace lets it go on\n"
	"      --stuck TIME    when nothing happens for so long (10s, 500ms), write what each thread and\n"
	"                      queue waits for, and why if that is certain\n"
	"      --timeline      write the processes side by side at the end, instead of the calls\n"
	"      --within TIME   with --inject-each: a program that takes longer hangs (30s)\n"
	"  -h, --help          this text\n"
	"      --version       the version\n"
	"\n"
	"No call is lost: the program waits when it calls faster than vtrace writes. The exit code is that\n"
	"of the program; 125 if the trace is incomplete, and a line says why.\n";

static const struct option options[] = {
	{ "check", optional_argument, NULL, 'K' },
	{ "check-exit", no_argument, NULL, 'X' },
	{ "suppress", required_argument, NULL, 'P' },
	{ "junit", required_argument, NULL, 'U' },
	{ "counts", no_argument, NULL, 'c' },
	{ "only", required_argument, NULL, 'e' },
	{ "follow", no_argument, NULL, 'f' },
	{ "json", no_argument, NULL, 'j' },
	{ "no-data", no_argument, NULL, 'N' },
	{ "record", required_argument, NULL, 'D' },
	{ "output", required_argument, NULL, 'o' },
	{ "report", required_argument, NULL, 'R' },
	{ "stop-on", required_argument, NULL, 'S' },
	{ "timeline", no_argument, NULL, 'T' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ "inject", required_argument, NULL, 'I' },
	{ "must-inject", no_argument, NULL, 'M' },
	{ "seed", required_argument, NULL, 'G' },
	{ "stuck", required_argument, NULL, 'W' },
	{ "inject-each", optional_argument, NULL, 'E' },
	{ "peer", required_argument, NULL, 'B' },
	{ "within", required_argument, NULL, 'A' },
	{ 0 },
};

static struct {
	struct views views;
	struct shared_options how;
	const char *file;
	struct recording_options replay; /* path NULL: none */
	bool must_inject, injects_each;
	struct each_options each;
	struct check_options check;
	unsigned seen; /* processes */
} the = { .views = { .lines = true, .explain = true },
	  .how.keeps_all = true,
	  .each = { .within_s = 30 } };

/* ------------------------------------------------------------ the program and its signals -- */

/* Signals that are caught: the first two tell something, the others are passed on to the program.
 */
static const int caught[] = { SIGCHLD, SIGCONT, SIGHUP,	 SIGINT,  SIGQUIT,
			      SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH };
static struct sigaction kept[sizeof caught / sizeof *caught];
static struct sigaction kept_size;		/* of SIGXFSZ: here EFBIG says the same */
static volatile sig_atomic_t continued;		/* has somebody sent SIGCONT? */
static volatile sig_atomic_t program_pid;	/* 0: it has ended */
static volatile sig_atomic_t child_changed = 1; /* has a child ended, perhaps the program? */
static volatile sig_atomic_t told_to_end;	/* times */
static volatile sig_atomic_t writes_script;	/* which nothing but a signal would cut short */

/* Whatever else happens, the second of these that finds no program any more, or the third SIGTERM,
 * ends vtrace; the first if a script is being written. */
static void be_told_to_end(int number)
{
	if (number != SIGHUP && number != SIGINT && number != SIGQUIT && number != SIGTERM)
		return;
	if (program_pid > 0 && number != SIGTERM)
		return;
	told_to_end++;
	if (told_to_end < (program_pid > 0 ? 3 : 2) && !writes_script)
		return;
	signal(number, SIG_DFL);
	raise(number);
}

/* The kernel sends those of the terminal to the whole group: the program has got them. */
static void handle_signal(int number, siginfo_t *info, void *context)
{
	const int err = errno;

	(void)context;
	if (number == SIGCHLD)
		child_changed = 1;
	else if (number == SIGCONT)
		continued = 1;
	else if (info->si_code <= 0 && program_pid > 0)
		kill((pid_t)program_pid, number);
	be_told_to_end(number);
	errno = err;
}

static void catch_signals(void)
{
	const struct sigaction a = { .sa_sigaction = handle_signal,
				     .sa_flags = SA_SIGINFO | SA_RESTART };

	for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
		sigaction(caught[i], &a, &kept[i]);
}

static void restore_signals(void)
{
	for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
		sigaction(caught[i], &kept[i], NULL);
	sigaction(SIGXFSZ, &kept_size, NULL);
	inherited_restore();
}

/* The libraries that are loaded before others, in that order. */
static const char *const libraries[] = { "libvtrace.so", "libvtrace-memory.so" };

static unsigned count_libraries(void)
{
	return the.how.frees ? 2 : 1;
}

static int preload_libraries(void)
{
	for (unsigned i = 0; i < count_libraries(); i++)
		if (launch_preload(libraries[i]))
			return -1;
	return 0;
}

static bool has_libraries(void)
{
	char path[4096];

	for (unsigned i = 0; i < count_libraries(); i++)
		if (launch_find(libraries[i], path, sizeof path)) {
			door_say("%s: %s: %s", libraries[i], strerror(errno), launch_remedy());
			return false;
		}
	return true;
}

/* In the child: if it fails, it writes the errno to the pipe for its parent. */
static _Noreturn void execute_program(struct reader *r, char **argv, int failure)
{
	int err;

	restore_signals();
	if (reader_admit(r) == 0 && preload_libraries() == 0)
		execvp(argv[0], argv);
	err = errno;
	while (write(failure, &err, sizeof err) < 0 && errno == EINTR)
		;
	_exit(EXIT_CANNOT_RUN);
}

/* Starts the program with these libraries loaded before others. From now on signals that are sent
 * to this process go to the program; those of the terminal do nothing here, as the program gets
 * them itself. -1: it could not be started, a line says why, and *status is the exit code. */
static int start_program(struct reader *r, char **argv, int *status)
{
	int ends[2], err;
	ssize_t n;
	pid_t pid;

	*status = EXIT_CANNOT_RUN;
	if (!has_libraries())
		return -1;
	if (pipe2(ends, O_CLOEXEC)) {
		door_say("pipe: %s", strerror(errno));
		return -1;
	}
	catch_signals();
	pid = fork();
	if (pid == 0)
		execute_program(r, argv, ends[1]);
	program_pid = pid;
	close(ends[1]);
	do
		n = pid < 0 ? 0 : read(ends[0], &err, sizeof err);
	while (n < 0 && errno == EINTR);
	close(ends[0]);
	if (pid > 0 && n != sizeof err)
		return 0;
	err = pid < 0 ? errno : err;
	door_say("%s: %s", argv[0], strerror(err));
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (err == ENOENT)
		*status = EXIT_NOT_FOUND;
	return -1;
}

/* Has the program ended? Its status is that of wait(2). */
static bool program_has_ended(int *status)
{
	static bool ended;
	static int kept_status;

	if (!ended && child_changed) {
		child_changed = 0;
		ended = waitpid((pid_t)program_pid, &kept_status, WNOHANG) == (pid_t)program_pid;
		if (ended)
			program_pid = told_to_end = 0;
	}
	*status = kept_status;
	return ended;
}

/* Ends this process as the program has ended: with its exit code, or by the same signal. */
static _Noreturn void exit_as_program(int status)
{
	const struct rlimit no_core = { 0, 0 };

	if (!WIFSIGNALED(status))
		exit(WEXITSTATUS(status));
	fflush(NULL);
	setrlimit(RLIMIT_CORE, &no_core); /* the program itself has left a core file */
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	exit(128 + WTERMSIG(status));
}

/* command: its name, and arguments that are left out. */
static void write_exit_status(const char *command, int status)
{
	const char *program = temp_text("%.*s", (int)strcspn(command, " "), command);
	FILE *to = the.views.to;

	if (the.views.json)
		fprintf(to, WIFSIGNALED(status) ? "{\"signal\":%d}\n" : "{\"exit\":%d}\n",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		fprintf(to, "vtrace: %s was ended by %s\n", program, strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		fprintf(to, "vtrace: %s ended with exit code %d\n", program, WEXITSTATUS(status));
}

/* Writes what the programs call until all have ended; returns the status of the first. *command
 * becomes that of the program into which it has changed: uroce runs others. */
static int follow_programs(struct reader *r, const char **command)
{
	const pid_t first = (pid_t)program_pid;
	struct reader_news news;
	int status;
	bool ended;

	for (;;) {
		ended = program_has_ended(&status);
		/* children that the program has left behind may run for long */
		reader_next(r, &news, ended && (told_to_end || reader_is_idle(r)) ? 0 : 50);
		the.seen += news.what == READER_BEGUN;
		if (news.what == READER_BEGUN && news.process->pid == first)
			*command = news.process->name;
		if (the.replay.path)
			recording_take(r, &news);
		if (!recording_is_row(&news))
			views_take(&news);
		if (continued) {
			continued = 0;
			reader_release(r);
		}
		if (news.what == READER_LOST)
			door_note_incomplete();
		if (news.what != READER_NOTHING && !(ended && told_to_end))
			continue;
		door_flush(the.views.to);
		if (ended && (told_to_end || reader_is_idle(r)))
			return status;
	}
}

static int trace_program(char **argv)
{
	const char *hindrance = launch_hindrance(argv[0]), *command = argv[0];
	struct reader *r;
	unsigned not_injected;
	int status, code;

	sigaction(SIGXFSZ, &(struct sigaction){ .sa_handler = SIG_IGN }, &kept_size);
	injections_begin(&the.how);
	the.how.looks = the.views.explain;
	the.how.checks = the.check.is_on;
	the.how.follows |= the.check.is_on && !the.replay.path;
	the.how.sums = the.check.is_on && the.check.wanted[CHECK_SEND_CHANGED];
	the.how.fields = the.check.is_on && the.check.wanted[CHECK_WC_FIELD];
	the.how.frees = the.check.is_on && the.check.wanted[CHECK_FREED];
	if (the.check.is_on && checking_begin(&the.check, the.views.to, the.views.json))
		return EXIT_USAGE;
	r = reader_open(&the.how);
	if (!r) {
		door_say("shared memory: %s", strerror(errno));
		return EXIT_FAILED;
	}
	injections_watch(r);
	if (hindrance)
		door_say("%s is %s: its calls are not seen", argv[0], hindrance);
	the.replay.argv = argv;
	if (the.replay.path && recording_begin(&the.replay)) {
		reader_close(r);
		return EXIT_FAILED;
	}
	if (the.views.timeline || the.views.report)
		the.views.captures = captures_begin();
	if (start_program(r, argv, &status)) {
		captures_end(the.views.captures);
		reader_close(r);
		return status;
	}
	the.views.reader = r;
	views_begin(&the.views);
	status = follow_programs(r, &command);
	write_exit_status(command, status);
	code = checking_end();
	views_end();
	captures_end(the.views.captures);
	writes_script = the.replay.path != NULL;
	if (the.replay.path && recording_end(!told_to_end))
		door_note_incomplete();
	writes_script = false;
	if (!the.seen && !hindrance && !reader_refused(r))
		door_say("no call of libibverbs or librdmacm was seen of %s%s", argv[0],
			 the.how.follows ? "" : " (its children may have: -f)");
	not_injected = injections_end();
	if (reader_refused(r))
		door_say_incomplete(
			"%u processes were not traced: more than %d at a time, or too little memory",
			reader_refused(r), SHARED_PROCESSES);
	reader_close(r);
	door_close(the.views.to);
	if (door_is_incomplete())
		exit(EXIT_INCOMPLETE);
	if (the.must_inject && not_injected)
		exit(EXIT_NOT_INJECTED);
	if (code >= 0)
		exit(code);
	exit_as_program(status);
}

/* list: NULL: all but advice. */
static bool choose_checks(const char *list)
{
	char *wrong = checks_choose(list, the.check.wanted);

	the.check.is_on = true;
	the.views.lines = false;
	if (wrong)
		door_say("--check: no rule is called '%s'; man vtrace lists them", wrong);
	free(wrong);
	return !wrong;
}

/* "10s", "500ms", "10". */
static bool choose_stuck(const char *text)
{
	char *end;
	const double n = strtod(text, &end), s = strcmp(end, "ms") == 0 ? n / 1000 : n;

	if (end != text && s > 0 && s < 1e6 && (!*end || !strcmp(end, "s") || !strcmp(end, "ms"))) {
		the.views.stuck = s;
		return true;
	}
	door_say("--stuck: '%s' is no time: 10s, 500ms", text);
	return false;
}

static bool choose_within(const char *time)
{
	double us;

	if (!fault_read_time(time, 3600e6, &us) || us <= 0) {
		door_say("--within '%s' is not a time of at most an hour: write 30s or 500ms",
			 time);
		return false;
	}
	the.each.within_s = us / 1e6;
	return true;
}

static int inject_each(char **argv)
{
	int code;

	the.each.json = the.views.json;
	the.each.follows = the.how.follows;
	the.each.to = the.views.to;
	the.each.argv = argv;
	code = each_run(&the.each);
	return door_is_incomplete() ? EXIT_INCOMPLETE : code;
}

int main(int argc, char **argv)
{
	int c;

	inherited_repair();
	setlocale(LC_CTYPE, ""); /* decides which characters a timeline can use */
	while ((c = getopt_long(argc, argv, "+ce:fjo:qh", options, NULL)) != -1)
		switch (c) {
		case 'K':
			if (!choose_checks(optarg))
				return EXIT_USAGE;
			break;
		case 'U':
			the.each.junit = the.check.junit = optarg;
			break;
		case 'X':
			the.check.sets_exit = true;
			break;
		case 'P':
			the.check.suppressions = optarg;
			break;
		case 'c':
			the.views.counts = true;
			the.views.lines = false;
			break;
		case 'e':
			free(the.views.wanted);
			the.views.wanted = views_choose(optarg);
			if (!the.views.wanted)
				return EXIT_USAGE;
			break;
		case 'f':
			the.how.follows = the.views.pids = true;
			break;
		case 'E':
			the.injects_each = true;
			if (optarg && !(the.each.wanted = views_choose(optarg)))
				return EXIT_USAGE;
			break;
		case 'B':
			the.each.peer = optarg;
			break;
		case 'A':
			if (!choose_within(optarg))
				return EXIT_USAGE;
			break;
		case 'G':
			if (!injections_seed(optarg))
				return EXIT_USAGE;
			break;
		case 'I':
			if (!injections_add(optarg))
				return EXIT_USAGE;
			break;
		case 'M':
			the.must_inject = true;
			break;
		case 'j':
			the.views.json = true;
			break;
		case 'D':
			the.replay.path = optarg;
			the.views.lines = false;
			break;
		case 'N':
			the.replay.no_data = true;
			break;
		case 'R':
			the.views.report = optarg;
			break;
		case 'S':
			if (!stop_choose(optarg, &the.how, &the.check))
				return EXIT_USAGE;
			break;
		case 'W':
			if (!choose_stuck(optarg))
				return EXIT_USAGE;
			break;
		case 'T':
			the.views.timeline = true;
			the.views.lines = false;
			break;
		case 'o':
			the.file = optarg;
			break;
		case 'q':
			the.views.lines = false;
			break;
		case 'h':
			fputs(usage, stdout);
			return EXIT_OK;
		case 'V':
			puts("vtrace " RDMASH_VERSION);
			return EXIT_OK;
		default:
			door_say("try: vtrace --help");
			return EXIT_USAGE;
		}
	if (optind == argc) {
		fputs(usage, door_stderr());
		fflush(door_stderr());
		return EXIT_USAGE;
	}
	if (the.replay.path && (the.how.follows || the.how.stop_on != SHARED_STOP_NEVER)) {
		door_say("--record takes one process that runs on: neither -f nor --stop-on");
		return EXIT_USAGE;
	}
	if (!stop_check(&the.check))
		return EXIT_USAGE;
	if ((the.check.sets_exit || the.check.suppressions) && !the.check.is_on) {
		door_say("--check-exit and --suppress are for --check");
		return EXIT_USAGE;
	}
	if (the.replay.no_data && !the.replay.path) {
		door_say("--no-data is for --record FILE");
		return EXIT_USAGE;
	}
	the.views.to = the.file ? door_open(the.file) : door_stderr();
	if (!the.views.to) {
		door_say("%s: %s", the.file, strerror(errno));
		return EXIT_FAILED;
	}
	if (the.views.json)
		door_take_json(the.views.to);
	if (the.injects_each)
		return inject_each(argv + optind);
	if (the.each.peer || (the.each.junit && !the.check.is_on)) {
		door_say("--peer is for --inject-each, --junit for that or --check");
		return EXIT_USAGE;
	}
	return trace_program(argv + optind);
}
