/* SPDX-License-Identifier: MIT */
/*
 * The directory with the sockets by which the processes of a user find each other. Nobody else can
 * enter it: everything in it belongs to this user or to root.
 *
 * It is called uroce-<uid>, and lies in /tmp, or in /dev/shm if /tmp is not suitable, or another
 * user has taken the name there: not in /run/user/<uid>, which is removed when the last session of
 * the user ends, while programs may go on.
 */
#ifndef UROCE_LINK_SOCKET_DIR_H
#define UROCE_LINK_SOCKET_DIR_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct socket_dir {
	int fd;	  /* -1: none */
	int lock; /* of the file in it that is locked; -1: the directory was only looked at */
	uint64_t network; /* the inode of the namespace: each name belongs to one network */
};

#define SOCKET_DIR_NONE                            \
	{                                          \
		.fd = -1, .lock = -1, .network = 0 \
	}

/* Opens the directory. socket_dir_join() makes it if there is none. 0, or -1 with errno: ENOENT:
 * there is none; EACCES: no place is suitable. */
int socket_dir_look(struct socket_dir *dir);
int socket_dir_join(struct socket_dir *dir);
/* Can this process still use names in it, which takes its user and /proc? Changes errno. */
bool socket_dir_is_reached(const struct socket_dir *dir);
void socket_dir_close(struct socket_dir *dir);
/* Writes where it is, for messages. */
void socket_dir_print(const struct socket_dir *dir, char *buf, size_t n);

/* Locks among the processes of one network, not among the threads of a process. A process that is
 * killed loses them, and a child of fork() has none. */
enum dir_lock {
	DIR_NAMES, /* to bind and remove sockets: held for a few system calls */
	DIR_JOIN,  /* to join the group: held for up to seconds */
	DIR_LOCKS
};
/* Waits for the lock up to patience_ms. 0, or -1 with errno: ETIMEDOUT; then *holder is the pid of
 * the process that has it, or 0 if that is not known. */
int socket_dir_lock(const struct socket_dir *dir, enum dir_lock which, int patience_ms,
		    pid_t *holder);
void socket_dir_unlock(const struct socket_dir *dir, enum dir_lock which);

/* The entries of the directory, for the caller to close with closedir(3); NULL: it cannot be read.
 */
DIR *socket_dir_list(const struct socket_dir *dir);
/* The name of the next one, whatever it is; NULL: no more, or entries is NULL. */
const char *socket_dir_next(DIR *entries);

#endif
