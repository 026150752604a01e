/* SPDX-License-Identifier: MIT */
/* TCP sockets: opening, waiting, and their objects. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "out.h"
#include "session.h"
#include "own_rows.h"
#include "tcp/tcp_socket.h"

static int tcp_destroy(struct session *s, struct obj *o)
{
	(void)s;
	own_tcp_close(o->serial);
	close(((struct tcp *)o)->fd);
	return 0;
}

static struct sock_where where_of(const struct sockaddr *sa, socklen_t len)
{
	const bool v6 = sa->sa_family == AF_INET6;
	char host[NI_MAXHOST], port[NI_MAXSERV];
	struct sock_where where = { .text = "?" };

	if (getnameinfo(sa, len, host, sizeof host, port, sizeof port,
			NI_NUMERICHOST | NI_NUMERICSERV))
		return where;
	where.port = (uint16_t)strtoul(port, NULL, 10);
	snprintf(where.text, sizeof where.text, "%s%.64s%s:%u", v6 ? "[" : "", host, v6 ? "]" : "",
		 where.port);
	return where;
}

/* The address of this end. */
static struct sock_where local_of(int fd)
{
	struct sockaddr_storage sa = { .ss_family = AF_UNSPEC };
	socklen_t len = sizeof sa;

	getsockname(fd, (struct sockaddr *)&sa, &len);
	return where_of((struct sockaddr *)&sa, len);
}

static void tcp_describe(struct session *s, struct obj *o, struct out *out)
{
	const struct tcp *t = (struct tcp *)o;
	const struct sock_where local = local_of(t->fd);

	(void)s;
	out_str(out, "name", o->name, "tcp %s", o->name);
	out_str(out, "local", local.text, "  %s", local.text);
	out_str(out, "peer", t->where.text, " with %s", t->where.text);
	out_u64(out, "sent", t->sent, "  %llu B sent", (unsigned long long)t->sent);
	out_u64(out, "received", t->received, ", %llu B received\n",
		(unsigned long long)t->received);
}

const struct obj_class tcp_class = {
	.prefix = "tcp",
	.title = "TCP connection",
	.remedy = "tcp connect HOST PORT",
	.size = sizeof(struct tcp),
	.destroy = tcp_destroy,
	.describe = tcp_describe,
};

static void listener_describe(struct session *s, struct obj *o, struct out *out)
{
	const struct tcp *l = (struct tcp *)o;

	(void)s;
	out_str(out, "name", o->name, "tcpl %s", o->name);
	out_str(out, "address", l->where.text, "  listening on %s\n", l->where.text);
	out_u64(out, "port", l->where.port, NULL);
}

const struct obj_class tcpl_class = {
	.prefix = "tcpl",
	.title = "TCP listener",
	.remedy = "tcp listen 7000",
	.size = sizeof(struct tcp),
	.destroy = tcp_destroy,
	.describe = listener_describe,
};

struct tcp *tcp_new(struct session *s, const struct obj_class *class, const char *name, int fd,
		    const struct sock_where *where)
{
	struct tcp *t = obj_new(s, class, name);

	if (!t) {
		close(fd);
		return NULL;
	}
	t->fd = fd;
	t->where = *where;
	obj_add(s, t);
	return t;
}

int tcp_await(struct session *s, int fd, short events, int64_t deadline)
{
	int64_t ms = LOOP_FOREVER, left;
	enum loop_end end;

	if (deadline != LOOP_FOREVER) {
		left = deadline - loop_now();
		ms = left > 0 ? (left + 999999) / 1000000 : 0;
	}
	end = loop_wait_fd(s->loop, fd, events, ms);
	return end == LOOP_DONE ? 0 : end == LOOP_TIMEOUT ? ETIMEDOUT : EINTR;
}

static struct addrinfo *resolve_host(struct session *s, const char *call, const char *host,
				     uint16_t port, int flags)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV };
	struct addrinfo *list = NULL;
	char serv[8];
	int rc;

	snprintf(serv, sizeof serv, "%u", port);
	rc = getaddrinfo(host, serv, &hints, &list);
	if (rc == 0)
		return list;
	fail(s, call, "EADDRNOTAVAIL", "%s: %s", host ? host : "any address",
	     rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
	return NULL;
}

static int open_listener(const struct addrinfo *ai, int backlog)
{
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1, off = 0, err;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (ai->ai_family == AF_INET6) /* accept IPv4, too */
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 && listen(fd, backlog) == 0)
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

/* Listens on the first usable address; the IPv6 wildcard comes first, since it accepts IPv4 as
 * well. */
static int open_any_listener(const struct addrinfo *list, int backlog)
{
	int fd = -1;

	for (int v6 = 1; v6 >= 0 && fd < 0; v6--)
		for (const struct addrinfo *ai = list; ai && fd < 0; ai = ai->ai_next)
			if ((ai->ai_family == AF_INET6) == v6)
				fd = open_listener(ai, backlog);
	return fd;
}

int tcp_sock_listen(struct session *s, const char *call, const char *addr, uint16_t port,
		    int backlog, struct sock_where *where)
{
	struct addrinfo *list = resolve_host(s, call, addr, port, AI_PASSIVE);
	int fd;

	if (!list)
		return -1;
	fd = open_any_listener(list, backlog);
	freeaddrinfo(list);
	if (fd < 0)
		return fail_call(s, errno, call, "%s port %u", addr ? addr : "any address", port);
	*where = local_of(fd);
	return fd;
}

/* Connects to one address. Returns the descriptor, or -1 with errno. */
static int connect_one(struct session *s, const struct addrinfo *ai, int64_t deadline)
{
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), err = 0;
	socklen_t len = sizeof err;

	if (fd < 0)
		return -1;
	if (connect(fd, ai->ai_addr, ai->ai_addrlen) && errno != EINPROGRESS)
		err = errno;
	else
		err = tcp_await(s, fd, POLLOUT, deadline);
	if (!err && getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		err = errno;
	if (!err)
		return fd;
	close(fd);
	errno = err;
	return -1;
}

static unsigned count_addresses(const struct addrinfo *list)
{
	unsigned n = 0;

	for (; list; list = list->ai_next)
		n++;
	return n;
}

int tcp_sock_connect(struct session *s, const char *call, const char *host, uint16_t port,
		     int64_t deadline, struct sock_where *where)
{
	struct addrinfo *list = resolve_host(s, call, host, port, 0);
	unsigned left = count_addresses(list);
	int fd = -1, err = 0;

	/* each address has its share of the time: the first may be one that never answers */
	for (const struct addrinfo *ai = list; ai && fd < 0 && err != EINTR; ai = ai->ai_next) {
		const int64_t now = loop_now();

		*where = where_of(ai->ai_addr, ai->ai_addrlen);
		fd = connect_one(s, ai, now + (deadline - now) / left--);
		err = errno;
	}
	if (!list)
		return -1;
	freeaddrinfo(list);
	return fd < 0 ? fail_call(s, err, call, "%s", where->text) : fd;
}

int tcp_sock_accept(int listener, struct sock_where *where)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof sa;
	int fd = accept4(listener, (struct sockaddr *)&sa, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd >= 0)
		*where = where_of((struct sockaddr *)&sa, len);
	return fd;
}
