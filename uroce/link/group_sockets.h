/* SPDX-License-Identifier: MIT */
/* The sockets of the group (link/group.h), those to send from, and which process has them. */
#ifndef UROCE_GROUP_SOCKETS_H
#define UROCE_GROUP_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "control.h"
#include "group.h"

/* Makes the SLOTS sockets of a new group, nobody having the port. 0, or -1 with errno:
 * EADDRINUSE: somebody has it; ENOSYS: the kernel does not steer packets by a program, as
 * gVisor's. */
int sockets_make(int rx[SLOTS]);
/* For such a kernel: one socket, which takes all packets, in the place of that slot; and in
 * place 0 one that takes none. */
int sockets_make_alone(int rx[SLOTS], unsigned slot);
/* Are these the sockets of a group, in their order? They may come from another process. */
bool sockets_valid(const int rx[SLOTS]);
/* The place of a socket in its group, -1: it is none of a group. */
int sockets_index(int fd);
void sockets_close(int rx[SLOTS]);

/* A slot changes hands: takes away what waits in its socket, and gives it room. */
void sockets_claimed(int fd);
void sockets_released(int fd);

/* Opens a socket to send from, at a source port as hosts choose them: 0xc000 and up. -1 with
 * errno: EAFNOSUPPORT. */
int sockets_sender(int family, uint16_t *port);

/* ------------------------------------------------ which process has them -- */

/* proc(5) tells which process has a port or a name, as far as this user may know. */

/* Copies the sockets of the group out of a process of this user that holds them but does not
 * hand them out, since it is stopped: pidfd_getfd(2). 0, or -1 with errno: EADDRINUSE: the
 * port is another program's. */
int port_take_sockets(int rx[SLOTS]);

/* Does another user have the UDP port? */
bool port_is_of_another_user(void);
/* Writes who has the UDP port: "process 12 (rping), which is stopped", "the kernel" and what
 * to do then. */
enum port_owner { PORT_OF_THIS_USER, PORT_OF_ANOTHER, PORT_OF_KERNEL };
enum port_owner port_owner_print(char *buf, size_t n);
/* The process that has bound the name, or 0. */
pid_t name_owner(const struct local_name *name);
bool name_is_of(pid_t pid, const struct local_name *name);
/* "process 12 (rping), which is stopped" */
void process_print(pid_t pid, char *buf, size_t n);

#endif
