/* SPDX-License-Identifier: MIT */
/*
 * Is a descriptor still ours? A program may close descriptors that it has not opened (closefrom(3),
 * close_range(2)), and files of its own get their numbers. So ours have a mark: the signal of
 * F_SETSIG, which is sent only if O_ASYNC is set. A file that has just been opened has none.
 */
#ifndef UROCE_OWN_FD_H
#define UROCE_OWN_FD_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>

/* Marks fd, which may be -1, and returns it. */
static inline int fd_mark(int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETSIG, SIGIO);
	return fd;
}

static inline bool fd_is_marked(int fd)
{
	return fcntl(fd, F_GETSIG) > 0;
}

#endif
