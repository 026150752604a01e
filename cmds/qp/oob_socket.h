/* SPDX-License-Identifier: MIT */
/* TCP sockets of what is exchanged out of band: never blocking, IPv6 and IPv4. */
#ifndef CMDS_OOB_SOCKET_H
#define CMDS_OOB_SOCKET_H

#include <stdint.h>

struct session;

/* A listening socket, or -1 with s->fail filled; call is what messages name. addr NULL: any;
 * port 0: any free one. *where, to be freed, and *bound tell what it became. */
int oob_socket_listen(struct session *s, const char *call, const char *addr, uint16_t port,
		      int backlog, char **where, uint16_t *bound);
/* A socket that is connecting, or -1 with s->fail filled. *where is to be freed either way. */
int oob_socket_connect(struct session *s, const char *call, const char *host, uint16_t port,
		       char **where, uint16_t *to);

#endif
