// SPDX-License-Identifier: MIT
#include "seeds.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CANNOT_RUN 127

/* The child: its output goes to a file. errno goes to the pipe if the program cannot be run. */
static _Noreturn void become_program(char **argv, const char *order, int output, int failed)
{
	sigset_t none;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setenv("UROCE_ORDER", order, 1);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	execvp(argv[0], argv);
	(void)!write(failed, &errno, sizeof errno);
	_exit(CANNOT_RUN);
}

/* The wait status of a child, which is killed with its group when time is up. */
static int wait_child(pid_t child, unsigned seconds, bool *late)
{
	struct timespec limit = { .tv_sec = seconds };
	sigset_t ended;
	int status;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	*late = sigtimedwait(&ended, NULL, &limit) < 0 && errno == EAGAIN;
	if (*late)
		kill(-child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	kill(-child, SIGKILL); /* what it has started, and left */
	if (*late)	       /* the signal is pending now */
		sigwaitinfo(&ended, NULL);
	return status;
}

static void show_output(int file)
{
	struct stat st;
	char buf[4096];
	ssize_t n;

	if (fstat(file, &st) != 0 || !st.st_size)
		return;
	lseek(file, 0, SEEK_SET);
	while ((n = read(file, buf, sizeof buf)) > 0)
		fwrite(buf, 1, (size_t)n, stderr);
}

/* Says how the program has failed. */
static void tell_failure(const char *order, int status, bool late, unsigned seconds)
{
	if (late)
		fprintf(stderr, "uroce: seed %s: not done within %u s\n", order, seconds);
	else if (WIFSIGNALED(status))
		fprintf(stderr, "uroce: seed %s: %s\n", order, strsignal(WTERMSIG(status)));
	else
		fprintf(stderr, "uroce: seed %s: exit status %d\n", order, WEXITSTATUS(status));
}

/* 0: the program has succeeded; 1: it has not; CANNOT_RUN. */
static int run_seed(const char *order, unsigned seconds, char **argv)
{
	int output = memfd_create("output", MFD_CLOEXEC), failed[2], status, err = 0;
	bool late;
	pid_t child;

	if (output < 0 || pipe2(failed, O_CLOEXEC) != 0 || (child = fork()) < 0) {
		perror("uroce: fork");
		return CANNOT_RUN;
	}
	if (child == 0)
		become_program(argv, order, output, failed[1]);
	close(failed[1]);
	status = wait_child(child, seconds, &late);
	if (read(failed[0], &err, sizeof err) == sizeof err)
		fprintf(stderr, "uroce: %s: %s\n", argv[0], strerror(err));
	else if (late || status != 0) {
		show_output(output);
		tell_failure(order, status, late, seconds);
	}
	close(failed[0]);
	close(output);
	return err ? CANNOT_RUN : late || status != 0;
}

int seeds_run(unsigned n, const char *level, unsigned seconds, char **argv)
{
	unsigned bad = 0, first = 0;
	char order[32];
	sigset_t ended;

	signal(SIGCHLD, SIG_DFL); /* if it is ignored, no child can be waited for */
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, NULL);
	for (unsigned seed = 1; seed <= n; seed++) {
		int rc;

		snprintf(order, sizeof order, "%u%s", seed, level);
		rc = run_seed(order, seconds, argv);
		if (rc == CANNOT_RUN)
			return rc;
		bad += rc != 0;
		first = rc && !first ? seed : first;
	}
	if (bad)
		fprintf(stderr,
			"uroce: %u of %u seeds fail; the first again: uroce --order %u%s %s%s\n",
			bad, n, first, level, argv[0], argv[1] ? " ..." : "");
	else
		fprintf(stderr, "uroce: all %u seeds pass\n", n);
	return bad != 0;
}
