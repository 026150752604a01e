/* SPDX-License-Identifier: MIT */
/*
 * One run of the program. A process of its own does it: it is in another network, takes over
 * processes that lose their parent, and leaves none behind.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "each.h"
#include "inherited.h"
#include "launch.h"
#include "reader.h"

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---------------------------------------------------------------------------- processes -- */

/* A finding of a sanitizer ends the program by a signal, unless the user wants it otherwise. */
static void make_sanitizers_abort(void)
{
	static const char *const variables[] = { "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS" };
	char options[4096];

	for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *own = getenv(variables[i]);

		snprintf(options, sizeof options, "abort_on_error=1:%s", own ? own : "");
		setenv(variables[i], options, 1);
	}
}

/* Starts a program in a group of its own. r: it is traced; said: where its errors go. */
static pid_t start(char *const *argv, struct reader *r, int said)
{
	const pid_t pid = fork();
	const char *why;
	int none;

	if (pid)
		return pid;
	setpgid(0, 0);
	none = open("/dev/null", O_RDWR);
	dup2(none, STDIN_FILENO);
	dup2(none, STDOUT_FILENO);
	dup2(said >= 0 ? said : none, STDERR_FILENO);
	make_sanitizers_abort();
	inherited_restore();
	if (!r || (reader_admit(r) == 0 && launch_preload("libvtrace.so") == 0))
		execvp(argv[0], argv);
	why = strerror(errno);
	_exit(write(STDERR_FILENO, why, strlen(why)) < 0 ? 126 : 127);
}

/* The parent of a process, its processor time and its state; false: it is gone. */
static bool look_at(pid_t pid, pid_t *parent, unsigned long *ticks, char *state)
{
	unsigned long user, system;
	char path[64], text[1024];
	const char *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	at = strrchr(text, ')');
	if (!at || sscanf(at, ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", state, parent,
			  &user, &system) != 4)
		return false;
	*ticks = user + system;
	return *state != 'Z';
}

/* Waits until the peer waits for something itself, for instance for a connection: its first process
 * has slept and used no processor time for a while. */
static void let_settle(pid_t pid, double until)
{
	const unsigned looks = 10, pause_us = 20000;
	unsigned long ticks, before = 0;
	unsigned quiet = 0;
	pid_t parent;
	char state;

	while (quiet < looks && now_s() < until && look_at(pid, &parent, &ticks, &state)) {
		quiet = state == 'S' && ticks == before ? quiet + 1 : 0;
		before = ticks;
		usleep(pause_us);
	}
}

/* Kills the children of this process. Kernels need not have a list of them. */
static void kill_children(void)
{
	DIR *all = opendir("/proc");
	const struct dirent *entry;
	unsigned long ticks;
	pid_t parent;
	char state;

	while (all && (entry = readdir(all))) {
		const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && look_at(pid, &parent, &ticks, &state) && parent == getpid())
			kill(pid, SIGKILL);
	}
	if (all)
		closedir(all);
}

/* Ends all children, and those that become children meanwhile. */
static void end_all(void)
{
	do
		kill_children();
	while (wait(NULL) > 0 || errno == EINTR);
}

/* ------------------------------------------------------------------------------ the run -- */

static void count_objects(const struct record *r, int *left)
{
	enum call_object kind = OBJECT_NONE;

	if (r->err || r->depth >= SHARED_OWN_DEPTH)
		return;
	if (record_made(r, &kind))
		left[kind]++;
	for (unsigned i = 0; i < r->nargs; i++)
		if (r->fn->args[i].role == CALL_GONE && left[r->fn->args[i].object] > 0)
			left[r->fn->args[i].object]--;
}

/* The last line of what the program has said. */
static void read_said(int fd, char *said, size_t size)
{
	char text[4096];
	const off_t length = lseek(fd, 0, SEEK_END);
	ssize_t n = pread(fd, text, sizeof text - 1,
			  length > (off_t)sizeof text - 1 ? length - (off_t)sizeof text + 1 : 0);
	const char *line;

	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		n--;
	text[n > 0 ? n : 0] = '\0';
	line = strrchr(text, '\n');
	snprintf(said, size, "%.*s", (int)size - 1, line ? line + 1 : text);
}

/* Is the name in the list "ibv_poll_cq, rdma_get_cm_event"? */
static bool is_listed(const char *list, const char *name)
{
	const size_t n = strlen(name);

	while (strncmp(list, name, n) != 0 || (list[n] && list[n] != ',')) {
		list = strchr(list, ' ');
		if (!list++)
			return false;
	}
	return true;
}

/* Several threads may be within the same function. */
static void add_inside(const char *name, char *inside, size_t size)
{
	const size_t n = strlen(inside);

	if (!is_listed(inside, name))
		snprintf(inside + n, size - n, "%s%s", n ? ", " : "", name);
}

/* Takes what the program does until it has ended, or its time has passed. */
static void follow(struct reader *r, pid_t program, double until, struct each_result *result)
{
	struct reader_news news;
	bool ended = false;
	int status = 0;

	for (;;) {
		if (!ended && waitpid(program, &status, WNOHANG) == program) {
			ended = true;
			kill(-program, SIGKILL); /* whom it has left behind */
		}
		if (!ended && now_s() > until) {
			result->end = EACH_HUNG;
			kill(-program, SIGKILL);
		}
		reader_next(r, &news, ended ? 0 : 20);
		if (news.what == READER_CALL)
			count_objects(news.r, result->left);
		if (news.what == READER_UNFINISHED)
			add_inside(news.r->fn->name, result->inside, sizeof result->inside);
		if (ended && news.what == READER_NOTHING &&
		    (reader_is_idle(r) || now_s() > until + 2))
			break;
	}
	result->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	if (result->end != EACH_HUNG)
		result->end = WIFSIGNALED(status) ? EACH_CRASHED : EACH_EXITED;
}

static void take_shared(const struct reader *r, struct each_result *result)
{
	const struct shared_area *s = reader_shared(r);

	result->hit = s->how.nrules && atomic_load(&s->how.rules[0].hit);
	result->nsites = atomic_load(&s->sites);
	memcpy(result->site, s->site, sizeof result->site);
	if (atomic_load(&s->crashed))
		snprintf(result->crash, sizeof result->crash, "%.*s", SHARED_PLACE - 1, s->crash);
}

static void run(const struct each_options *o, const struct fault_rule *rule,
		struct each_result *result)
{
	struct shared_options how = { .keeps_all = true, .follows = o->follows, .notes = true };
	const char *const peer[] = { "sh", "-c", o->peer, NULL };
	const int said = memfd_create("said", MFD_CLOEXEC);
	struct reader *r;
	pid_t pid;

	if (rule) {
		how.rules[0] = *rule;
		how.nrules = 1;
	}
	r = reader_open(&how);
	if (!r || said < 0)
		return;
	if (o->peer) {
		pid = start((char *const *)(uintptr_t)peer, NULL, -1);
		let_settle(pid, now_s() + o->within_s);
	}
	pid = start(o->argv, r, said);
	follow(r, pid, now_s() + o->within_s, result);
	take_shared(r, result);
	read_said(said, result->said, sizeof result->said);
	reader_close(r);
	end_all();
}

int each_once(const struct each_options *o, const struct fault_rule *rule,
	      struct each_result *result)
{
	struct each_result *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t pid;

	if (shared == MAP_FAILED)
		return -1;
	shared->code = -1;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!launch_loaded() || each_own_network() == 0)
			run(o, rule, shared);
		_exit(shared->code < 0 ? errno : 0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*result = *shared;
	munmap(shared, sizeof *shared);
	if (pid > 0 && result->code < 0)
		errno = WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
	return result->code < 0 ? -1 : 0;
}
