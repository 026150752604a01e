/* SPDX-License-Identifier: MIT */
/* Who holds a port or a name: proc(5) tells, as far as this user may know. */
#ifndef UROCE_LINK_HOLDER_H
#define UROCE_LINK_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "group.h"
#include "local.h"

/* Copies the sockets of the group out of a process of this user that holds them but does not
 * hand them out, since it is stopped: pidfd_getfd(2). 0, or -1 with errno: EADDRINUSE: the
 * port is another program's. */
int holder_take_sockets(int rx[SLOTS]);

/* Does another user have the UDP port? */
bool holder_is_another_user(void);
/* Writes who has the UDP port: "process 12 (rping), which is stopped", "the kernel" and what
 * to do then. */
enum held { HELD_HERE, HELD_BY_OTHERS, HELD_BY_KERNEL };
enum held holder_of_port(char *buf, size_t n);
/* The process that has bound the name, or 0. */
pid_t holder_of_name(const struct local_name *name);
bool holder_has_name(pid_t pid, const struct local_name *name);
/* "process 12 (rping), which is stopped" */
void holder_print(pid_t pid, char *buf, size_t n);

#endif
