/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"
#include "reader.h"

enum { EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

/* What is handed on: what ends a program, or tells it something. */
static const int signals[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH
};
static struct sigaction kept[sizeof signals / sizeof *signals], kept_child, kept_continue;
static volatile sig_atomic_t continued;
static volatile sig_atomic_t program;
static volatile sig_atomic_t child_changed = 1; /* has a child ended, perhaps the program? */

/* Those of the terminal come from the kernel, to the whole group. */
static void hand_on(int signal, siginfo_t *info, void *context)
{
	const int err = errno;

	(void)context;
	if (info->si_code <= 0 && program > 0)
		kill((pid_t)program, signal);
	errno = err;
}

static void note_child(int signal)
{
	(void)signal;
	child_changed = 1;
}

static void note_continued(int signal)
{
	(void)signal;
	continued = 1;
}

bool run_was_continued(void)
{
	const bool was = continued;

	continued = 0;
	return was;
}

static void catch_signals(void)
{
	struct sigaction go_on = { .sa_handler = note_continued, .sa_flags = SA_RESTART };
	struct sigaction a = { .sa_sigaction = hand_on, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction child = { .sa_handler = note_child, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &a, &kept[i]);
	sigaction(SIGCHLD, &child, &kept_child);
	sigaction(SIGCONT, &go_on, &kept_continue);
}

static void restore_signals(void)
{
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &kept[i], NULL);
	sigaction(SIGCHLD, &kept_child, NULL);
	sigaction(SIGCONT, &kept_continue, NULL);
}

/* In the child: tells its parent through the pipe why it could not. */
static _Noreturn void execute(struct reader *r, char **argv, int tell)
{
	int err;

	restore_signals();
	if (reader_admit(r) == 0 && launch_preload("libvtrace.so") == 0)
		execvp(argv[0], argv);
	err = errno;
	while (write(tell, &err, sizeof err) < 0 && errno == EINTR)
		;
	_exit(EXIT_CANNOT_RUN);
}

int run_start(struct reader *r, char **argv, int *status)
{
	char library[4096];
	int ends[2], err;
	ssize_t n;
	pid_t pid;

	*status = EXIT_CANNOT_RUN;
	if (launch_find("libvtrace.so", library, sizeof library)) {
		fprintf(stderr,
			"vtrace: libvtrace.so: %s (it belongs beside this program, or where it was "
			"installed)\n",
			strerror(errno));
		return -1;
	}
	if (pipe2(ends, O_CLOEXEC)) {
		fprintf(stderr, "vtrace: pipe: %s\n", strerror(errno));
		return -1;
	}
	catch_signals();
	pid = fork();
	if (pid == 0)
		execute(r, argv, ends[1]);
	program = pid;
	close(ends[1]);
	do
		n = pid < 0 ? 0 : read(ends[0], &err, sizeof err);
	while (n < 0 && errno == EINTR);
	close(ends[0]);
	if (pid > 0 && n != sizeof err)
		return 0;
	err = pid < 0 ? errno : err;
	fprintf(stderr, "vtrace: %s: %s\n", argv[0], strerror(err));
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (err == ENOENT)
		*status = EXIT_NOT_FOUND;
	return -1;
}

bool run_has_ended(int *status)
{
	static bool ended;
	static int kept_status;

	if (!ended && child_changed) {
		child_changed = 0;
		ended = waitpid((pid_t)program, &kept_status, WNOHANG) == (pid_t)program;
		if (ended)
			program = 0;
	}
	*status = kept_status;
	return ended;
}

void run_exit_as(int status)
{
	const struct rlimit no_core = { 0, 0 };

	if (!WIFSIGNALED(status))
		exit(WEXITSTATUS(status));
	fflush(NULL);
	setrlimit(RLIMIT_CORE, &no_core); /* the program has left one */
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	exit(128 + WTERMSIG(status));
}
