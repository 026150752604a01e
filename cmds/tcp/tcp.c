/* SPDX-License-Identifier: MIT */
/* Plain TCP: what two programs tell each other beside RDMA, in any form. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "session.h"
#include "tcp_class.h"

struct tcp_args {
	struct num port, within;
	const char *host, *name;
	struct tcp_listener *listener;
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
	OPT("addr", tcp_args, host, kind_str, "address to listen on; else all"), NAME, ARGS_END
};

static int listen_exec(struct session *s, const void *args, struct out *o)
{
	const struct tcp_args *a = args;
	struct sock_where where;
	struct tcp_listener *l;
	int fd = sock_listen(s, "tcp listen", a->host, (uint16_t)a->port.v, 16, &where);

	l = fd < 0 ? NULL : tcp_listener_new(s, a->name, fd, &where);
	if (!l)
		return -1;
	tcpl_class.describe(s, &l->o, o);
	return 0;
}

static const struct cmd_eg listen_egs[] = { { "tcp listen 0", "listening on" },
					    { "tcp listen 0 -addr 127.0.0.1 -name door",
					      "listening on 127.0.0.1:" },
					    { "get door port", NULL },
					    { NULL, NULL } };

const struct cmd cmd_tcp_listen = {
	.name = "tcp listen",
	.family = "beside RDMA",
	.summary = "listen on a TCP port",
	.text = "For programs that tell each other of their queue pairs over TCP, each in a form\n"
		"of its own, and for comparison. Who connects waits for tcp accept. A dict with\n"
		"name, address and port; destroy NAME ends it.",
	.examples = listen_egs,
	.args = listen_args,
	.size = sizeof(struct tcp_args),
	.exec = listen_exec,
};

/* ------------------------------------------------------------- tcp accept -- */

static const struct arg accept_args[] = {
	POS_OPT("tcpl", tcp_args, listener, kind_tcpl, "listener"), NAME, WITHIN, ARGS_END
};

static int accept_exec(struct session *s, const void *args, struct out *o)
{
	const struct tcp_args *a = args;
	int64_t deadline = deadline_of(&a->within);
	struct sock_where peer;
	struct tcp *t;
	int fd, err;

	while ((fd = sock_accept(a->listener->fd, &peer)) < 0) {
		err = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED
			      ? tcp_await(s, a->listener->fd, POLLIN, deadline)
			      : errno;
		if (err)
			return fail_call(s, err, "tcp accept", "nobody has connected to %s",
					 a->listener->where.text);
	}
	t = tcp_new(s, a->name, fd, &peer);
	if (!t)
		return -1;
	out_str(o, NULL, t->o.name, "tcp %s  from %s\n", t->o.name, t->peer.text);
	return 0;
}

#define DOOR "set port [dict get [tcp listen 0 -name door] port]"

static const struct cmd_eg accept_egs[] = { { "tcp accept -within 10", "nobody has connected" },
					    { "tcp connect localhost $port", "tcp tcp0" },
					    { "tcp accept door -name peer", "tcp peer  from" },
					    { NULL, NULL } };

const struct cmd cmd_tcp_accept = {
	.name = "tcp accept",
	.family = "beside RDMA",
	.summary = "take a TCP connection",
	.text = "The oldest that waits, or the next. Returns the name of the new connection.",
	.setup = DOOR,
	.examples = accept_egs,
	.args = accept_args,
	.size = sizeof(struct tcp_args),
	.exec = accept_exec,
};

/* ------------------------------------------------------------ tcp connect -- */

static const struct arg connect_args[] = {
	POS("host", tcp_args, host, kind_str, "name or address of the other end"),
	POS("port", tcp_args, port, kind_port, "TCP port it listens on"), NAME, WITHIN, ARGS_END
};

static int connect_exec(struct session *s, const void *args, struct out *o)
{
	const struct tcp_args *a = args;
	int64_t deadline = deadline_of(&a->within);
	struct sock_where peer;
	struct tcp *t;
	int fd = sock_connect(s, "tcp connect", a->host, (uint16_t)a->port.v, &peer);
	int err;

	if (fd < 0)
		return -1;
	err = tcp_await(s, fd, POLLOUT, deadline);
	if (!err)
		err = sock_error(fd);
	if (err) {
		fail_call(s, err, "tcp connect", "%s", peer.text);
		if (err == ECONNREFUSED)
			fail_row(s, "likely", "nobody listens there (yet)");
		close(fd);
		free(peer.text);
		return -1;
	}
	t = tcp_new(s, a->name, fd, &peer);
	if (!t)
		return -1;
	out_str(o, NULL, t->o.name, "tcp %s  to %s\n", t->o.name, t->peer.text);
	return 0;
}

static const struct cmd_eg connect_egs[] = { { "tcp connect localhost $port", "tcp tcp0" },
					     { "destroy door; tcp connect localhost $port",
					       "Connection refused" },
					     { NULL, NULL } };

const struct cmd cmd_tcp_connect = {
	.name = "tcp connect",
	.family = "beside RDMA",
	.summary = "connect to a TCP port",
	.text = "Returns the name of the connection; destroy NAME closes it.",
	.setup = DOOR,
	.examples = connect_egs,
	.args = connect_args,
	.size = sizeof(struct tcp_args),
	.exec = connect_exec,
};
