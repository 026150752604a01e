// SPDX-License-Identifier: MIT
#include "output/print.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/file.h"
#include "alloc.h"

#define NONE 127 /* exit status of sh if the program does not exist */

extern char **environ;

/* Options of less, like git's: a text that fits stays on the screen, colours are kept. less also
 * quits at the end of the text (-E), because newcomers would type the next command into it; the
 * prompt says which keys to press. For the same reason LESSSECURE keeps such a command from writing
 * files (s) or running programs (!), unless the user asks for less by name. */
#define LESS "-EFRX -PsSpace goes on, q goes back$"

static char *pager_command(void)
{
	const char *pager = getenv("PAGER");

	if (pager && (!*pager || strcmp(pager, "cat") == 0))
		return NULL;
	if (!pager)
		return xasprintf("command -v less >/dev/null || exit %d; "
				 "LESSSECURE=1 LESS=${LESS-'" LESS "'} exec less",
				 NONE);
	return xasprintf("LESS=${LESS-'" LESS "'} exec %s", pager);
}

/* Starts the pager; *to is its standard input. Returns its process ID, or -1. */
static pid_t start_pager(char *line, int *to)
{
	char *argv[] = { (char *)"sh", (char *)"-c", line, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGPIPE); /* ignored by this program */
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	if (posix_spawn(&pid, "/bin/sh", &actions, &attr, argv, environ))
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	close(ends[0]);
	if (pid < 0)
		close(ends[1]);
	*to = ends[1];
	return pid;
}

bool pager_show(const char *text, size_t len)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	char *line = pager_command();
	int to, status = 0;
	pid_t pid;

	if (!line)
		return false;
	fflush(stdout);
	sigaction(SIGINT, &ignore, &before);
	pid = start_pager(line, &to);
	if (pid > 0) {
		write_all(to, text, len); /* an error means that the user quit early */
		close(to);
		waitpid(pid, &status, 0);
	}
	sigaction(SIGINT, &before, NULL);
	free(line);
	return pid > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == NONE);
}
