/* SPDX-License-Identifier: MIT */
/*
 * One message each way over TCP.
 *
 * The length comes from the peer: it is checked before anything is allocated for it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop.h"
#include "oob_exchange.h"
#include "tcp_sock.h"
#include "xmem.h"

static void finish(struct exchange *x, enum exchange_end end, int err, const char *why)
{
	x->end = end;
	x->err = err;
	x->why = why;
	if (x->fd >= 0) {
		loop_unwatch(x->loop, x->fd);
		if (!x->keep || end != EXCHANGE_DONE) {
			close(x->fd);
			x->fd = -1;
		}
	}
	x->done(x->arg);
}

static void ready(void *arg, int fd, short revents);

static void await(struct exchange *x)
{
	loop_watch(x->loop, x->fd, x->sending ? POLLOUT : POLLIN, ready, x);
}

/* A half is done: turns around, or ends. */
static void turn(struct exchange *x)
{
	if (!x->listens_next && x->sending) {
		finish(x, EXCHANGE_DONE, 0, NULL);
	} else if (x->sending) {
		x->sending = false;
		await(x);
	} else if (x->listens_next) { /* a server: it has sent already */
		finish(x, EXCHANGE_DONE, 0, NULL);
	} else {
		x->sending = true;
		await(x);
	}
}

static void send_some(struct exchange *x)
{
	ssize_t n = send(x->fd, x->out + x->sent, x->out_len - x->sent, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		finish(x, EXCHANGE_FAILED, errno, "sending to the peer");
		return;
	}
	x->sent += (size_t)n;
	if (x->sent == x->out_len)
		turn(x);
}

/* The head is there: is the length one to believe? */
static bool take_head(struct exchange *x)
{
	uint32_t len;

	memcpy(&len, x->head, sizeof len);
	len = ntohl(len);
	if (!len || len > EXCHANGE_MAX) {
		finish(x, EXCHANGE_FAILED, EPROTO,
		       "the peer's message has no length between "
		       "1 and 65536: is this another protocol?");
		return false;
	}
	x->in_len = len;
	x->in = xcalloc(1, x->in_len + 1);
	return true;
}

static void receive_some(struct exchange *x)
{
	size_t head = sizeof x->head;
	bool in_head = x->got < head;
	void *at = in_head ? (void *)(x->head + x->got) : (void *)(x->in + (x->got - head));
	size_t want = in_head ? head - x->got : head + x->in_len - x->got;
	ssize_t n = recv(x->fd, at, want, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		finish(x, EXCHANGE_FAILED, n ? errno : ECONNRESET,
		       n ? "receiving from the peer"
			 : "the peer closed before its message was complete");
		return;
	}
	x->got += (size_t)n;
	if (in_head && x->got == head && !take_head(x))
		return;
	if (x->got >= head && x->got == head + x->in_len)
		turn(x);
}

static void connected(struct exchange *x)
{
	int err = sock_error(x->fd);

	if (err) {
		finish(x, EXCHANGE_FAILED, err, "connecting");
		return;
	}
	x->connecting = false;
	await(x);
}

static void ready(void *arg, int fd, short revents)
{
	struct exchange *x = arg;

	(void)fd, (void)revents;
	if (x->connecting)
		connected(x);
	else if (x->sending)
		send_some(x);
	else
		receive_some(x);
}

void exchange_begin(struct exchange *x, struct loop *loop, int fd, bool server, const char *text,
		    void (*done)(void *arg), void *arg)
{
	uint32_t len = htonl((uint32_t)strlen(text));

	*x = (struct exchange){ .loop = loop,
				.fd = fd,
				.sending = server,
				.listens_next = server,
				.connecting = !server,
				.done = done,
				.arg = arg };
	x->out_len = sizeof len + strlen(text);
	x->out = xcalloc(1, x->out_len);
	memcpy(x->out, &len, sizeof len);
	memcpy(x->out + sizeof len, text, strlen(text));
	loop_watch(loop, fd, x->sending || x->connecting ? POLLOUT : POLLIN, ready, x);
}

void exchange_end(struct exchange *x)
{
	if (x->loop && x->fd >= 0) {
		loop_unwatch(x->loop, x->fd);
		close(x->fd);
	}
	free(x->out);
	free(x->in);
	*x = (struct exchange){ .fd = -1 };
}
