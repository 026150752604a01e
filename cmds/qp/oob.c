/* SPDX-License-Identifier: MIT */
/*
 * oob: for QPs that are connected by hand. Both ends exchange QPN, PSN and address, in one message
 * each over TCP.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "alloc.h"
#include "command/cmd.h"
#include "device/device.h"
#include "loop.h"
#include "object_args.h"
#include "out.h"
#include "output/print.h"
#include "own_rows.h"
#include "qp/qp.h"
#include "session.h"
#include "tcp/tcp_socket.h"
#include "why.h"

/*
 * An exchange, as an object that continues in the background. The server sends first. The event
 * loop serves the socket, so nothing blocks. The peer's data is checked as soon as it arrives; a
 * failure is kept until a command asks for it.
 */

enum oob_step { OOB_LISTEN, OOB_SEND, OOB_RECEIVE, OOB_OVER };

static const enum oob_step server_steps[] = { OOB_LISTEN, OOB_SEND, OOB_RECEIVE, OOB_OVER };
static const enum oob_step client_steps[] = { OOB_RECEIVE, OOB_SEND, OOB_OVER };

#define HEAD	    4	  /* bytes of the length, in network byte order, before each message */
#define MESSAGE_MAX 65536 /* bytes of a message */

struct oob {
	struct obj o;
	struct session *s;
	struct qp *qp;
	struct sock_where where;
	const enum oob_step *step; /* in one of the tables above */
	int fd;			   /* of the listener, then of the peer; -1: closed */
	bool background;
	unsigned char *out, *in; /* messages with their heads */
	size_t out_len, sent, in_len, got;
	struct qp_peer mine, peer;
	char host[64];	  /* connected to it; "": listens */
	struct fail fail; /* why it failed; text NULL: it did not */
};

static void close_socket(struct oob *b)
{
	if (b->fd < 0)
		return;
	loop_unwatch(b->s->loop, b->fd);
	close(b->fd);
	b->fd = -1;
}

static int oob_destroy(struct session *s, struct obj *o)
{
	struct oob *b = (struct oob *)o;

	(void)s;
	close_socket(b);
	free(b->out);
	free(b->in);
	fail_clear(&b->fail);
	return 0;
}

static void oob_describe(struct session *s, struct obj *o, struct out *out)
{
	struct oob *b = (struct oob *)o;
	const char *doing = b->fail.text	     ? "failed"
			    : *b->step == OOB_OVER   ? "done"
			    : *b->step == OOB_LISTEN ? "listening"
						     : "talking";

	(void)s;
	out_str(out, "name", o->name, "oob %s", o->name);
	out_str(out, "state", doing, "  %s", doing);
	out_str(out, "address", b->where.text, " on %s", b->where.text);
	out_int(out, "port", b->where.port, NULL);
	out_str(out, "qp", b->qp->o.name, " for %s\n", b->qp->o.name);
}

const struct obj_class oob_class = {
	.prefix = "oob",
	.title = "out-of-band exchange",
	.remedy = "oob listen 7000 -background",
	.size = sizeof(struct oob),
	.destroy = oob_destroy,
	.describe = oob_describe,
};

static void post_result_notice(const struct oob *b)
{
	if (b->fail.text)
		notice_post(b->s->notices, NOTICE_CM, "%s: %s", b->o.name, b->fail.text);
	else
		notice_post(b->s->notices, NOTICE_CM, "%s: the peer of %s is qpn %u at %s",
			    b->o.name, b->qp->o.name, b->peer.qpn,
			    b->peer.lid ? "its lid" : why_gid(&b->peer.gid));
}

/* The exchange is over; err: an errno, or 0. */
static void finish_exchange(struct oob *b, int err, const char *why)
{
	struct session *s = b->s;
	struct fail before = fail_aside(s);

	close_socket(b);
	while (*b->step != OOB_OVER)
		b->step++;
	if (err)
		fail_call(s, err, "oob", "%s (%s)", why, b->where.text);
	else if (!qp_peer_from_json(s, (char *)b->in + HEAD, b->in_len, &b->peer) &&
		 !qp_peer_adopt(s, b->qp, &b->peer))
		own_oob(b->qp, b->host, b->where.port, &b->mine, &b->peer);
	b->fail = fail_aside(s);
	fail_back(s, before);
	trace(s, VOICE_SETUP, "oob: sent %s", (char *)b->out + HEAD);
	if (!err)
		trace(s, VOICE_SETUP, "oob: received %zu bytes", b->in_len);
	if (b->background)
		post_result_notice(b);
}

static void on_socket_ready(void *arg, int fd, short revents);

static void watch_socket(struct oob *b)
{
	const bool to_write = *b->step == OOB_SEND;

	loop_watch(b->s->loop, b->fd, to_write ? POLLOUT : POLLIN, on_socket_ready, b);
}

static void next_step(struct oob *b)
{
	if (*++b->step == OOB_OVER)
		finish_exchange(b, 0, NULL);
	else
		watch_socket(b);
}

static void accept_peer(struct oob *b)
{
	struct sock_where peer;
	int fd = tcp_sock_accept(b->fd, &peer);

	if (fd < 0)
		return;
	close_socket(b);
	b->fd = fd;
	next_step(b);
}

static void send_some(struct oob *b)
{
	ssize_t n = send(b->fd, b->out + b->sent, b->out_len - b->sent, MSG_NOSIGNAL);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		finish_exchange(b, errno, "sending to the peer");
	if (n < 0)
		return;
	b->sent += (size_t)n;
	if (b->sent == b->out_len)
		next_step(b);
}

/* Makes room for the message whose head has arrived. Its length is the peer's claim. */
static void take_head(struct oob *b)
{
	uint32_t len;

	memcpy(&len, b->in, sizeof len);
	b->in_len = ntohl(len);
	if (!b->in_len || b->in_len > MESSAGE_MAX)
		finish_exchange(b, EPROTO,
				"the peer's message has no length between 1 and 65536: is this "
				"another protocol?");
	else
		b->in = xrealloc(b->in, HEAD + b->in_len + 1, 1);
}

static void receive_some(struct oob *b)
{
	size_t want = HEAD + (b->got < HEAD ? 0 : b->in_len);
	ssize_t n = recv(b->fd, b->in + b->got, want - b->got, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		finish_exchange(b, n ? errno : ECONNRESET,
				n ? "receiving from the peer"
				  : "the peer closed before its message was complete");
		return;
	}
	b->got += (size_t)n;
	if (b->got == HEAD)
		take_head(b);
	else if (b->got == HEAD + b->in_len)
		next_step(b);
}

static void on_socket_ready(void *arg, int fd, short revents)
{
	struct oob *b = arg;

	(void)fd, (void)revents;
	switch (*b->step) {
	case OOB_LISTEN:
		accept_peer(b);
		break;
	case OOB_SEND:
		send_some(b);
		break;
	case OOB_RECEIVE:
		receive_some(b);
		break;
	case OOB_OVER:
		break;
	}
}

/* Makes the object of an exchange on fd, which it owns, and begins with the first of steps. NULL if
 * fd is -1. */
static struct oob *oob_begin(struct session *s, struct qp *qp, const struct qp_peer *mine,
			     const enum oob_step *steps, int fd, const struct sock_where *where)
{
	struct oob *b;
	uint32_t len;
	char *text;

	if (fd < 0)
		return NULL;
	text = qp_peer_to_json(mine);
	len = htonl((uint32_t)strlen(text));
	b = obj_new(s, &oob_class, NULL);
	b->s = s;
	b->qp = qp;
	b->mine = *mine;
	b->where = *where;
	b->step = steps;
	b->fd = fd;
	b->out_len = HEAD + strlen(text);
	b->out = xcalloc(1, b->out_len + 1);
	memcpy(b->out, &len, HEAD);
	memcpy(b->out + HEAD, text, strlen(text));
	b->in = xcalloc(1, HEAD);
	free(text);
	obj_use(b, qp);
	obj_add(s, b);
	watch_socket(b);
	return b;
}

/*
 * oob: both ends exchange the data of their QPs over TCP, out of band.
 * One session can be both ends: one listens in the background while the other connects.
 */

struct oob_args {
	struct num port, within, gid_index;
	const char *host; /* listen: the address to listen on, or NULL */
	struct qp *qp;
	struct mr *mr;
	bool background;
};

static bool oob_is_over(void *arg)
{
	const struct oob *b = arg;

	return *b->step == OOB_OVER;
}

static int no_peer(struct session *s, const struct oob *b, enum loop_end end)
{
	if (end == LOOP_INTERRUPTED)
		return fail(s, "oob", "EINTR", "interrupted: no peer on %s", b->where.text);
	fail(s, "oob", "ETIMEDOUT", "the peer has said nothing in time (%s)", b->where.text);
	return fail_row(s, "state", "%s",
			*b->step == OOB_LISTEN ? "nobody has connected yet" : "connected");
}

static void out_peer(struct out *o, const struct oob *b)
{
	out_text(o, "%s <- ", b->qp->o.name);
	qp_peer_out(o, &b->peer);
}

/* Waits at most within ms for the end of the exchange, writes the result, and destroys the object.
 */
static int wait_for_peer(struct session *s, struct oob *b, int64_t within, struct out *o)
{
	enum loop_end end = LOOP_DONE;
	int rc = 0;

	obj_hold_arg(s, b);
	if (!oob_is_over(b))
		end = loop_wait(s->loop, oob_is_over, b, within);
	if (end != LOOP_DONE && b->background) /* it goes on */
		return no_peer(s, b, end);
	if (end != LOOP_DONE)
		rc = no_peer(s, b, end);
	else if (b->fail.text)
		rc = fail(s, "oob", b->fail.code, "%s", b->fail.text);
	else
		out_peer(o, b);
	return rc ? obj_destroy_quietly(s, b) : obj_destroy(s, b, true);
}

static int64_t time_of(const struct num *within)
{
	return within->set ? (int64_t)within->v : LOOP_FOREVER;
}

static int mine_of(struct session *s, const struct oob_args *a, struct qp_peer *mine)
{
	return qp_peer_of(s, a->qp, a->mr, a->gid_index.set ? (int)a->gid_index.v : -1, mine);
}

#define COMMON                                                                           \
	OPT("qp", oob_args, qp, kind_qp, "QP whose data is sent; else the current one"), \
		OPT("mr", oob_args, mr, kind_mr_opt, "region the peer may use"),         \
		OPT("gid-index", oob_args, gid_index, kind_u8, "our GID; else the one gids marks")

/* ----------------------------------------------------------------- listen -- */

static const struct arg oob_listen_args[] = {
	POS("port", oob_args, port, kind_port, "TCP port; 0: any free one"),
	COMMON,
	OPT("address", oob_args, host, kind_str, "address to listen on; else all"),
	SWITCH("background", oob_args, background, "return at once; oob accept waits for the peer"),
	OPT("within", oob_args, within, kind_ms, "time to wait for a peer; else for ever"),
	ARGS_END
};

static int oob_listen_exec(struct session *s, const void *args, struct out *o)
{
	const struct oob_args *a = args;
	struct sock_where where;
	struct qp_peer mine;
	struct oob *b;

	if (mine_of(s, a, &mine))
		return -1;
	b = oob_begin(s, a->qp, &mine, server_steps,
		      tcp_sock_listen(s, "oob listen", a->host, (uint16_t)a->port.v, 1, &where),
		      &where);
	if (!b)
		return -1;
	b->background = a->background;
	if (!a->background)
		return wait_for_peer(s, b, time_of(&a->within), o);
	return obj_out(s, b, o);
}

#define BOTH_ENDS                                                                       \
	"qp create -name a; qp create -name b; set port [dict get [oob listen 0 -qp a " \
	"-background] port]"

/** Without a connection manager both ends must exchange their QP number, initial PSN and
 * address by other means: here over a TCP connection, as JSON after four bytes of length
 * (network byte order); the listening end sends first. The peer's data is stored for
 * modify-qp RTR -fill. With -background the command returns at once, and oob accept gets
 * the result.
 * > oob listen 0 -background => listening on [::]
 * > show oob0 => listening
 * > oob listen 0 -within 10 => said nothing in time */
const struct cmd cmd_oob_listen = {
	.name = "oob listen",
	.family = "by hand",
	.summary = "wait for the other end on a TCP port and exchange qp-info",
	.setup = "qp create",
	.args = oob_listen_args,
	.exec = oob_listen_exec,
};

/* ---------------------------------------------------------------- connect -- */

static const struct arg oob_connect_args[] = {
	POS("host", oob_args, host, kind_host, "name or address of the other end"),
	POS("port", oob_args, port, kind_port, "TCP port it listens on"), COMMON,
	OPT("within", oob_args, within, kind_ms, "time to wait", .dflt = "10s"), ARGS_END
};

static int oob_connect_exec(struct session *s, const void *args, struct out *o)
{
	const struct oob_args *a = args;
	const int64_t deadline = loop_now() + (int64_t)a->within.v * 1000000;
	struct sock_where where;
	struct qp_peer mine;
	struct oob *b;
	int64_t left;
	int fd;

	if (mine_of(s, a, &mine))
		return -1;
	fd = tcp_sock_connect(s, "oob connect", a->host, (uint16_t)a->port.v, deadline, &where);
	if (fd < 0 && strcmp(s->fail.code, "ECONNREFUSED") == 0)
		fail_row(s, "likely", "nobody listens there yet: oob listen %u at the other end",
			 where.port);
	b = oob_begin(s, a->qp, &mine, client_steps, fd, &where);
	if (!b)
		return -1;
	snprintf(b->host, sizeof b->host, "%s", a->host);
	left = (deadline - loop_now()) / 1000000;
	return wait_for_peer(s, b, left > 0 ? left : 0, o);
}

/** The client of oob listen. Returns the peer's data as a dict: qpn, psn,
 * lid, gid and, if it gave a region, addr, rkey and len.
 * > oob connect localhost $port -qp b => b <- RC  qpn
 * > oob accept => a <- RC  qpn */
const struct cmd cmd_oob_connect = {
	.name = "oob connect",
	.family = "by hand",
	.summary = "exchange qp-info with a listening end over TCP",
	.setup = BOTH_ENDS,
	.args = oob_connect_args,
	.exec = oob_connect_exec,
};

/* ----------------------------------------------------------------- accept -- */

struct oob_accept_args {
	struct oob *oob;
	struct num within;
};

static const struct arg oob_accept_args[] = {
	POS_OPT("oob", oob_accept_args, oob, kind_oob, "which, if there are several"),
	OPT("within", oob_accept_args, within, kind_ms, "time to wait; else for ever"), ARGS_END
};

static int oob_accept_exec(struct session *s, const void *args, struct out *o)
{
	const struct oob_accept_args *a = args;

	return wait_for_peer(s, a->oob, time_of(&a->within), o);
}

/** Waits until the exchange is complete. The listener outlives a wait that -within ended:
 * call oob accept again.
 * > oob accept -within 10 => said nothing in time
 * > oob connect localhost $port -qp b => b <-
 * > dict get [oob accept] qpn */
const struct cmd cmd_oob_accept = {
	.name = "oob accept",
	.family = "by hand",
	.summary = "get the peer's data of oob listen -background",
	.setup = BOTH_ENDS,
	.args = oob_accept_args,
	.exec = oob_accept_exec,
};
