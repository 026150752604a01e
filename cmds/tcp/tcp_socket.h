/* SPDX-License-Identifier: MIT */
/* TCP sockets that do not block, for oob and tcp: by themselves, and as objects. */
#ifndef CMDS_TCP_SOCKET_H
#define CMDS_TCP_SOCKET_H

#include <stdint.h>

#include "objects.h"

/* Where a socket is or what it is connected to. */
struct sock_where {
	char *text; /* "10.0.0.1:7000", "[::1]:7000"; to be freed */
	uint16_t port;
};

/* Listens on addr (NULL: all addresses, IPv4 and IPv6) and port (0: any free one). A
 * descriptor, or -1 with s->fail filled, naming call. where is filled on success. */
int sock_listen(struct session *s, const char *call, const char *addr, uint16_t port, int backlog,
		struct sock_where *where);
/* Begins to connect, to the first address of host that can be tried. The descriptor is
 * writable when the end is known: sock_error(). -1 with s->fail filled. */
int sock_connect(struct session *s, const char *call, const char *host, uint16_t port,
		 struct sock_where *where);
/* The errno that a connection has ended with, 0: none. */
int sock_error(int fd);
/* Takes a connection that waits; where is its peer. -1 with errno set: EAGAIN when there
 * is none. */
int sock_accept(int listener, struct sock_where *where);

struct tcp {
	struct obj o;
	int fd; /* does not block */
	struct sock_where peer;
	uint64_t sent, received; /* bytes */
};

struct tcp_listener {
	struct obj o;
	int fd;
	struct sock_where where;
};

/* Makes the object of a socket, which it owns from then on, also when it fails. NULL with
 * s->fail filled. */
struct tcp *tcp_new(struct session *s, const char *name, int fd, const struct sock_where *peer);
struct tcp_listener *tcp_listener_new(struct session *s, const char *name, int fd,
				      const struct sock_where *where);

/* Waits in the loop until the descriptor has one of events (POLLIN ...) or deadline
 * (loop_now(), or LOOP_FOREVER) has come. 0, or an errno: ETIMEDOUT, EINTR. */
int tcp_await(struct session *s, int fd, short events, int64_t deadline);

#endif
