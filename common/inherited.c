/* SPDX-License-Identifier: MIT */
#include "inherited.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sigset_t blocked;
static struct sigaction on_child;

void inherited_repair(void)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0) /* open() takes the lowest that is free */
			(void)!open("/dev/null",
				    (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, &blocked);
	sigaction(SIGCHLD, &usual, &on_child);
}

void inherited_restore(void)
{
	sigaction(SIGCHLD, &on_child, NULL);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}
