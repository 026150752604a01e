/* SPDX-License-Identifier: MIT */
/* Non-blocking TCP sockets for oob and tcp, and their objects. */
#ifndef CMDS_TCP_SOCKET_H
#define CMDS_TCP_SOCKET_H

#include <stdint.h>

#include "objects.h"

/* The local address of a socket, or its peer's. */
struct sock_where {
	char text[80]; /* "10.0.0.1:7000", "[::1]:7000" */
	uint16_t port;
};

/* Listens on addr (NULL: all addresses, IPv4 and IPv6) and port (0: any free one). Returns a
 * descriptor, which the caller owns, and fills where; or -1 with s->fail filled, which names call.
 */
int tcp_sock_listen(struct session *s, const char *call, const char *addr, uint16_t port,
		    int backlog, struct sock_where *where);
/* Connects to the first address of host that answers before deadline (in ns, of loop_now()), and
 * fills where with it. Waits in the event loop. The caller owns the descriptor. -1 with s->fail
 * filled, which names call; where is then the last address that was tried. */
int tcp_sock_connect(struct session *s, const char *call, const char *host, uint16_t port,
		     int64_t deadline, struct sock_where *where);
/* Accepts a waiting connection, and fills where with its peer. -1 with errno (EAGAIN: none waits).
 */
int tcp_sock_accept(int listener, struct sock_where *where);

/* A connection (tcp_class) or a listener (tcpl_class). */
struct tcp {
	struct obj o;
	int fd;			 /* non-blocking */
	struct sock_where where; /* the peer; of a listener its own address */
	uint64_t sent, received; /* bytes */
};

/* Creates the object of a socket; takes ownership of fd, also on failure. NULL with s->fail filled.
 */
struct tcp *tcp_new(struct session *s, const struct obj_class *class, const char *name, int fd,
		    const struct sock_where *where);

/* Waits in the event loop until the descriptor has one of events (POLLIN ...), or until deadline
 * (in ns, of loop_now(); LOOP_FOREVER: none). 0, or an errno: ETIMEDOUT, EINTR (Ctrl-C). */
int tcp_await(struct session *s, int fd, short events, int64_t deadline);

#endif
