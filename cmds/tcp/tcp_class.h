/* SPDX-License-Identifier: MIT */
/* TCP connections and listeners as objects. */
#ifndef CMDS_TCP_CLASS_H
#define CMDS_TCP_CLASS_H

#include "objects.h"
#include "tcp_sock.h"

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
