/* SPDX-License-Identifier: MIT */
/*
 * The directory in which the processes of a user have the sockets that they find each other by.
 * Nobody else can enter it: what is in it is of this user, or of root.
 *
 * It is called uroce-<uid>, and is in the first of these that will do: XDG_RUNTIME_DIR, the same
 * where it is by custom (cron and sudo do not say), the system's temporary directories. Where
 * somebody else has that name it is uroce-<uid>.XXXXXX, a fresh one. Processes must agree on it,
 * whatever is in their environment: one in which somebody already is comes before all others.
 */
#ifndef UROCE_LINK_SOCKET_DIR_H
#define UROCE_LINK_SOCKET_DIR_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct socket_dir {
	int fd;		  /* -1: none */
	int lock;	  /* of a file in it, for the locks; -1: it was opened to look */
	uint64_t network; /* the inode of the namespace: names are of one network each */
};

#define SOCKET_DIR_NONE                            \
	{                                          \
		.fd = -1, .lock = -1, .network = 0 \
	}

/* Is a process of this network in it? */
typedef bool socket_dir_fn(const struct socket_dir *dir);

/* Opens the one that is lively; else, to join, one that is made if need be. 0, or -1 with errno:
 * ENOENT: nobody is there; EACCES: no place for it will do. */
int socket_dir_look(struct socket_dir *dir, socket_dir_fn *lively);
int socket_dir_join(struct socket_dir *dir, socket_dir_fn *lively);
void socket_dir_close(struct socket_dir *dir);
/* Where it is, for messages. */
void socket_dir_print(const struct socket_dir *dir, char *buf, size_t n);

/* Locks among the processes of one network, not among the threads of a process. A process that is
 * killed loses them, and a child of fork() has none. */
enum dir_lock {
	DIR_NAMES, /* to bind and remove sockets: held for a few system calls */
	DIR_JOIN,  /* to join the group: held for up to seconds */
	DIR_LOCKS
};
/* Waits up to a time. 0, or -1 with errno: ETIMEDOUT (*holder: its pid, or 0: not known). */
int socket_dir_lock(const struct socket_dir *dir, enum dir_lock which, int patience_ms,
		    pid_t *holder);
void socket_dir_unlock(const struct socket_dir *dir, enum dir_lock which);

/* The entries of the directory, for the caller to close with closedir(3); NULL: it cannot be read.
 */
DIR *socket_dir_list(const struct socket_dir *dir);
/* The name of the next socket among them; NULL: no more, or entries is NULL. */
const char *socket_dir_next(DIR *entries);

#endif
