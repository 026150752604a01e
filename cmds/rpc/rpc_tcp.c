/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop.h"
#include "rpc_tcp.h"
#include "xmem.h"

static void end_socket(struct rpc_tcp *t)
{
	if (t->fd < 0)
		return;
	loop_unwatch(t->loop, t->fd);
	close(t->fd);
	t->fd = -1;
}

static void gone(struct rpc_tcp *t, const char *code, const char *why)
{
	end_socket(t);
	t->ops->gone(t->arg, code, why);
}

/* The first line that is whole; false: there is none. */
static bool next_line(struct rpc_tcp *t, char line[sizeof t->line])
{
	char *end = memchr(t->line, '\n', t->n);
	size_t len = end ? (size_t)(end - t->line) : 0;

	if (!end)
		return false;
	for (size_t i = 0; i < len; i++) /* it may be shown on a terminal */
		line[i] = isprint((unsigned char)t->line[i]) ? t->line[i] : '.';
	line[len] = 0;
	t->n -= (unsigned)len + 1;
	memmove(t->line, end + 1, t->n);
	return true;
}

static void ready(void *arg, int fd, short revents)
{
	struct rpc_tcp *t = arg;
	char line[sizeof t->line];
	ssize_t n = recv(fd, t->line + t->n, sizeof t->line - t->n, 0);

	(void)revents;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		gone(t, "ENOTCONN", n ? strerror(errno) : "it has closed the connection");
		return;
	}
	t->n += (unsigned)n;
	while (t->fd >= 0 && next_line(t, line))
		t->ops->said(t->arg, line);
	if (t->fd >= 0 && t->n == sizeof t->line)
		gone(t, "EPROTO", "it says lines that are too long");
}

/* A host that vanishes is noticed after some 70 s, also when nothing is to be sent; a network
 * that loses every second packet is no such host. */
static void watch_over(int fd)
{
	int on = 1, idle = 10, between = 5, times = 12;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

static void exchanged(void *arg)
{
	struct rpc_tcp *t = arg;
	const char *name = t->x.err ? strerrorname_np(t->x.err) : NULL;

	if (t->x.end == EXCHANGE_FAILED) {
		char *why = xasprintf("%s%s%s", t->x.why, t->x.err ? ": " : "",
				      t->x.err ? strerror(t->x.err) : "");

		t->ops->gone(t->arg, name ? name : "EPROTO", why);
		free(why);
		return;
	}
	t->fd = t->x.fd;
	t->x.fd = -1;
	watch_over(t->fd);
	loop_watch(t->loop, t->fd, POLLIN, ready, t);
	t->ops->hello(t->arg, t->x.in, t->x.in_len);
}

void rpc_tcp_begin(struct rpc_tcp *t, struct loop *loop, int fd, bool server, const char *hello,
		   const struct rpc_tcp_ops *ops, void *arg)
{
	*t = (struct rpc_tcp){ .loop = loop, .ops = ops, .arg = arg, .fd = -1 };
	exchange_begin(&t->x, loop, fd, server, hello, exchanged, t);
	t->x.keep = true;
}

void rpc_tcp_say(struct rpc_tcp *t, const char *line)
{
	char *text = t->fd >= 0 ? xasprintf("%.200s\n", line) : NULL;
	ssize_t n;

	if (!text)
		return;
	n = send(t->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)n;
	free(text);
}

void rpc_tcp_end(struct rpc_tcp *t)
{
	if (!t->loop)
		return;
	end_socket(t);
	exchange_end(&t->x);
}
