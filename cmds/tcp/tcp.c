/* SPDX-License-Identifier: MIT */
/* tcp: plain TCP connections, for exchanging addresses and keys in any format. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "alloc.h"
#include "command/cmd.h"
#include "memory/mem.h"
#include "object_args.h"
#include "objects.h"
#include "own_rows.h"
#include "session.h"
#include "tcp/tcp_socket.h"

struct tcp_args {
	struct num port, within;
	const char *host, *name;
	struct tcp *listener;
};

#define NAME   OPT("name", tcp_args, name, kind_str, "name of the object")
#define WITHIN OPT("within", tcp_args, within, kind_ms, "how long to wait", .dflt = "10s")

static int64_t deadline_of(const struct num *within)
{
	return loop_now() + (int64_t)within->v * 1000000;
}

/* ------------------------------------------------------------- tcp listen -- */

static const struct arg listen_args[] = {
	POS("port", tcp_args, port, kind_port, "TCP port; 0: any free one"),
	OPT("address", tcp_args, host, kind_str, "address to listen on (default: all)"), NAME,
	ARGS_END
};

static int tcp_listen_exec(struct session *s, const void *args, struct out *o)
{
	const struct tcp_args *a = args;
	struct sock_where where;
	int fd = tcp_sock_listen(s, "tcp listen", a->host, (uint16_t)a->port.v, 16, &where);
	struct tcp *t = fd < 0 ? NULL : tcp_new(s, &tcpl_class, a->name, fd, &where);

	if (!t)
		return -1;
	own_tcp(OWN_TCP_LISTEN, 0, t->o.serial, fd);
	return obj_out(s, t, o);
}

/** For programs that exchange the data of their queue pairs over TCP in their own format,
 * and to compare RDMA with TCP. A client waits until you call tcp accept. The value is a
 * dict with name, address and port; destroy NAME stops listening.
 * > tcp listen 0 => listening on
 * > tcp listen 0 -address 127.0.0.1 -name door => listening on 127.0.0.1:
 * > get door port */
const struct cmd cmd_tcp_listen = {
	.name = "tcp listen",
	.family = "beside RDMA",
	.summary = "listen on a TCP port",
	.args = listen_args,
	.exec = tcp_listen_exec,
};

/* ------------------------------------------------------------- tcp accept -- */

static const struct arg accept_args[] = {
	POS_OPT("tcpl", tcp_args, listener, kind_tcpl, "listener"), NAME, WITHIN, ARGS_END
};

static int tcp_accept_exec(struct session *s, const void *args, struct out *o)
{
	const struct tcp_args *a = args;
	int64_t deadline = deadline_of(&a->within);
	struct sock_where peer;
	struct tcp *t;
	int fd, err;

	while ((fd = tcp_sock_accept(a->listener->fd, &peer)) < 0) {
		err = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED
			      ? tcp_await(s, a->listener->fd, POLLIN, deadline)
			      : errno;
		if (err)
			return fail_call(s, err, "tcp accept", "no client has connected to %s",
					 a->listener->where.text);
	}
	t = tcp_new(s, &tcp_class, a->name, fd, &peer);
	if (!t)
		return -1;
	own_tcp(OWN_TCP_ACCEPT, a->listener->o.serial, t->o.serial, fd);
	out_str(o, NULL, t->o.name, "tcp %s  from %s\n", t->o.name, t->where.text);
	return 0;
}

#define DOOR "set port [dict get [tcp listen 0 -name door] port]"

/** Accepts the oldest waiting connection, or waits for the next. Returns the name of the
 * new connection.
 * > tcp accept -within 10 => no client has connected
 * > tcp connect localhost $port => tcp tcp0
 * > tcp accept door -name peer => tcp peer  from */
const struct cmd cmd_tcp_accept = {
	.name = "tcp accept",
	.family = "beside RDMA",
	.summary = "accept a TCP connection",
	.setup = DOOR,
	.args = accept_args,
	.exec = tcp_accept_exec,
};

/* ------------------------------------------------------------ tcp connect -- */

static const struct arg connect_args[] = {
	POS("host", tcp_args, host, kind_host, "name or address of the other end"),
	POS("port", tcp_args, port, kind_port, "its TCP port"), NAME, WITHIN, ARGS_END
};

static int tcp_connect_exec(struct session *s, const void *args, struct out *o)
{
	const struct tcp_args *a = args;
	struct sock_where peer;
	struct tcp *t;
	int fd = tcp_sock_connect(s, "tcp connect", a->host, (uint16_t)a->port.v,
				  deadline_of(&a->within), &peer);

	if (fd < 0 && strcmp(s->fail.code, "ECONNREFUSED") == 0)
		fail_row(s, "likely", "no server listens there (yet)");
	if (fd < 0)
		return -1;
	t = tcp_new(s, &tcp_class, a->name, fd, &peer);
	if (!t)
		return -1;
	own_tcp(OWN_TCP_CONNECT, 0, t->o.serial, fd);
	out_str(o, NULL, t->o.name, "tcp %s  to %s\n", t->o.name, t->where.text);
	return 0;
}

/** Returns the name of the connection; destroy NAME closes it.
 * > tcp connect localhost $port => tcp tcp0
 * > destroy door; tcp connect localhost $port => Connection refused */
const struct cmd cmd_tcp_connect = {
	.name = "tcp connect",
	.family = "beside RDMA",
	.summary = "connect to a TCP port",
	.setup = DOOR,
	.args = connect_args,
	.exec = tcp_connect_exec,
};

/* tcp send and recv: bytes from and to values or regions. */

#define VALUE_MAX (16u << 20) /* bytes of a value */

struct data_args {
	struct tcp *tcp;
	struct bytes data;
	struct mr *mr;
	struct num n, off, len, within;
	bool any;
};

#define TCP POS("tcp", data_args, tcp, kind_tcp, "connection")
#define REGION                                                                              \
	OPT("mr", data_args, mr, kind_mr_opt, "region instead of a value"),                 \
		OPT("off", data_args, off, kind_size, "offset in the region", .dflt = "0"), \
		OPT("len", data_args, len, kind_size, "bytes; left out: up to its end"),    \
		OPT("within", data_args, within, kind_ms, "how long to wait in total",      \
		    .dflt = "10s")

/* --------------------------------------------------------------- tcp send -- */

static const struct arg send_args[] = {
	TCP, POS_OPT("data", data_args, data, kind_bytes, "text, or bytes from binary format"),
	REGION, ARGS_END
};

static int send_all(struct session *s, const struct data_args *a, const unsigned char *p, size_t n)
{
	int64_t deadline = deadline_of(&a->within);
	size_t done = 0;

	while (done < n) {
		ssize_t k = send(a->tcp->fd, p + done, n - done, MSG_NOSIGNAL);
		int err = k >= 0 || errno == EINTR ? 0 : errno;

		if (k > 0) {
			done += (size_t)k;
			a->tcp->sent += (size_t)k;
		}
		if (err == EAGAIN)
			err = tcp_await(s, a->tcp->fd, POLLOUT, deadline);
		if (err)
			return fail_call(s, err, "tcp send", "%s to %s, %zu of %zu bytes sent",
					 a->tcp->o.name, a->tcp->where.text, done, n);
	}
	return 0;
}

/* -off and -len are for -mr only. */
static int check_range(struct session *s, const char *call, const struct data_args *a)
{
	if (a->mr || (!a->off.v && !a->len.set))
		return 0;
	return fail(s, call, "EINVAL", "-off and -len are for -mr");
}

static int tcp_send_exec(struct session *s, const void *args, struct out *o)
{
	const struct data_args *a = args;
	const unsigned char *p = a->data.data;
	size_t n = a->data.len;

	if (!a->mr == !p)
		return fail(s, "tcp send", "EINVAL", "give either data, or -mr for a region");
	if (check_range(s, "tcp send", a))
		return -1;
	if (a->mr)
		p = mem_range(s, a->mr, &a->off, &a->len, &n);
	if (!p || send_all(s, a, p, n))
		return -1;
	own_tcp_bytes(OWN_TCP_SEND, a->tcp->o.serial, p, n);
	out_u64(o, NULL, n, "%zu B\n", n);
	return 0;
}

#define BOTH \
	"tcp connect localhost [dict get [tcp listen 0 -name door] port] -name a; tcp accept -name b"

/** Sends all bytes, and waits while the peer does not read. With -mr the bytes are those of
 * a region (-off, -len), which may be large. Returns the number of bytes sent.
 * > tcp send a hello => 5 B
 * > tcp recv b 5 => hello
 * > tcp send a [binary format Iu 4711] => 4 B
 * > binary scan [tcp recv b 4] Iu n; echo $n => 4711
 * > reg 64K -name buf; tcp send a -mr buf -len 1000 => 1000 B
 * > tcp recv b -mr buf -len 1000 => 1000 B */
const struct cmd cmd_tcp_send = {
	.name = "tcp send",
	.family = "beside RDMA",
	.summary = "send bytes over a TCP connection",
	.setup = BOTH,
	.args = send_args,
	.exec = tcp_send_exec,
};

/* --------------------------------------------------------------- tcp recv -- */

static const struct arg recv_args[] = {
	TCP, POS_OPT("n", data_args, n, kind_size, "bytes to receive"), REGION,
	SWITCH("any", data_args, any,
	       "return as soon as any bytes have arrived, at most this many"),
	ARGS_END
};

static int recv_failed(struct session *s, const struct data_args *a, int err, size_t got, size_t n)
{
	const struct tcp *t = a->tcp;

	if (!err)
		return fail(s, "tcp recv", "ECONNRESET", "%s: %s has closed after %zu of %zu bytes",
			    t->o.name, t->where.text, got, n);
	return fail_call(s, err, "tcp recv", "%s: %zu of %zu bytes received from %s", t->o.name,
			 got, n, t->where.text);
}

static int recv_all(struct session *s, const struct data_args *a, unsigned char *p, size_t n,
		    size_t *got)
{
	int64_t deadline = deadline_of(&a->within);

	*got = 0;
	while (*got < n && !(a->any && *got)) {
		ssize_t k = recv(a->tcp->fd, p + *got, n - *got, 0);
		int err = k >= 0 || errno == EINTR ? 0 : errno;

		if (k == 0)
			return a->any ? 0 : recv_failed(s, a, 0, *got, n);
		if (k > 0) {
			*got += (size_t)k;
			a->tcp->received += (size_t)k;
		}
		if (err == EAGAIN)
			err = tcp_await(s, a->tcp->fd, POLLIN, deadline);
		if (err)
			return recv_failed(s, a, err, *got, n);
	}
	return 0;
}

static int tcp_recv_exec(struct session *s, const void *args, struct out *o)
{
	const struct data_args *a = args;
	size_t n = a->n.v, got;
	unsigned char *p;

	if (!a->mr == !a->n.set)
		return fail(s, "tcp recv", "EINVAL",
			    "give either a number of bytes, or -mr for a region");
	if (check_range(s, "tcp recv", a))
		return -1;
	if (!a->mr && n > VALUE_MAX)
		return fail(s, "tcp recv", "E2BIG",
			    "%zu bytes are too many for a value: at most %u MiB at a time, or -mr",
			    n, VALUE_MAX >> 20);
	p = a->mr ? mem_range(s, a->mr, &a->off, &a->len, &n) : arena_alloc(&s->arena, n + 1);
	if (!p || recv_all(s, a, p, n, &got))
		return -1;
	own_tcp_bytes(OWN_TCP_RECV, a->tcp->o.serial, p, got);
	if (a->mr)
		out_u64(o, NULL, got, "%zu B\n", got);
	else
		mem_out_bytes(o, p, got, 0);
	return 0;
}

/** Receives this many bytes, as a value for binary scan or unpack. With -mr the bytes go
 * directly into a region (-off, -len), and the value is their number. If the peer closes
 * the connection too early, or -within is over, it fails and shows how many bytes were
 * received; these are lost, except in a region. -any returns as soon as any bytes have
 * arrived; 0 bytes mean that the peer has closed the connection.
 * > tcp send a hello; tcp recv b 5 => hello
 * > tcp send a hello; tcp recv b 100 -any => hello
 * > tcp recv b 5 -within 10 => 0 of 5 bytes received
 * > tcp send a abc; destroy a; tcp recv b 5 => has closed after 3 of 5 bytes */
const struct cmd cmd_tcp_recv = {
	.name = "tcp recv",
	.family = "beside RDMA",
	.summary = "receive bytes from a TCP connection",
	.setup = BOTH,
	.args = recv_args,
	.exec = tcp_recv_exec,
};
