/* SPDX-License-Identifier: MIT */
/*
 * AF_UNIX sockets by name, in the directory of a user (socket_dir.h): bound by one process at
 * most, and for those who are in the same network. The file of a socket stays when its process
 * is killed: it is as if it were not there, and whoever wants the name removes it.
 */
#ifndef UROCE_LINK_LOCAL_H
#define UROCE_LINK_LOCAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include "socket_dir.h"

struct local_name {
	struct sockaddr_un un;
	socklen_t len;
};

/* "<network>." and what the format says, which must fit into 56 bytes. It goes through the
 * descriptor of the directory: a long path fits, and a directory that was renamed is the same. */
__attribute__((format(printf, 2, 3))) struct local_name local_name(const struct socket_dir *dir,
								   const char *format, ...);
/* That of a file in it, which must fit too. */
struct local_name local_in(const struct socket_dir *dir, const char *base);
/* The name of the file. */
const char *local_base(const struct local_name *name);

/* A datagram socket that is told who sends (SO_PASSCRED), not blocking, bound to name. With
 * DIR_NAMES locked. -1 with errno: EADDRINUSE: somebody has it. */
int local_bind(const struct socket_dir *dir, const struct local_name *name);
/* Closes it and removes its file. */
void local_close(const struct socket_dir *dir, const struct local_name *name, int fd);
/* Is it bound? */
bool local_taken(const struct local_name *name);
/* May it be sent to: is it this user's, or root's? */
bool local_trusted(const struct local_name *name);
/* Removes the files of sockets that nobody has any more, of all networks. With DIR_NAMES
 * locked. */
void local_sweep(const struct socket_dir *dir);

/* Milliseconds, monotonic: how long to have patience with another process. */
int64_t now_ms(void);

#endif
