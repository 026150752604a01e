/* SPDX-License-Identifier: MIT */
/*
 * Is a descriptor still ours? A program may close descriptors that it has not opened (closefrom(3),
 * close_range(2)), and files of its own get their numbers. So ours have a mark: the signal of
 * F_SETSIG, which is sent only if O_ASYNC is set. A file that has just been opened has none.
 *
 * The mark says that a descriptor is one of ours, not which one: where the program moves one of
 * ours to the number of another (dup2(2)), or uses F_SETSIG itself, that is not found out.
 */
#ifndef UROCE_OWN_FD_H
#define UROCE_OWN_FD_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

/* Marks fd, which may be -1, and returns it; -1 with errno: it could not be marked, and is closed.
 * A filter of system calls (seccomp(2)) may forbid F_SETSIG. */
static inline int fd_mark(int fd)
{
	int err;

	if (fd < 0 || fcntl(fd, F_SETSIG, SIGIO) == 0)
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

static inline bool fd_is_marked(int fd)
{
	return fcntl(fd, F_GETSIG) > 0;
}

#endif
