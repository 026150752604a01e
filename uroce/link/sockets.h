/* SPDX-License-Identifier: MIT */
/* The sockets of the group (link/group.h), and those to send from. */
#ifndef UROCE_LINK_SOCKETS_H
#define UROCE_LINK_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
