/* SPDX-License-Identifier: MIT */
/*
 * oob: for QPs that are connected by hand. Both ends exchange QPN, PSN and address, in one message
 * each over TCP.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "command/cmd.h"
#include "device/device.h"
#include "loop.h"
#include "output/out.h"
#include "output/print.h"
#include "own_rows.h"
#include "qp/qp.h"
#include "session.h"
#include "tcp/tcp_socket.h"

/* An out-of-band exchange of qp-info, as an object that continues in the background. */

struct oob {
	struct obj o;
	struct session *s;
	struct qp *qp;
	char *text; /* message for the peer */
	struct sock_where where;
	int listen_fd; /* -1: not listening */
	bool background;
	bool over; /* the exchange has ended */
	struct exchange x;
	struct qp_peer mine, peer;
	char host[64]; /* connected to it; "": listens */
	char *why;     /* reason of the failure, or NULL */
	char *code;
};

/*
 * The sockets of oob. The peer's data is checked in the loop as soon as it arrives; a failure is
 * kept until a command asks for it.
 */

static void close_listener(struct oob *b)
{
	if (b->listen_fd < 0)
		return;
	loop_unwatch(b->s->loop, b->listen_fd);
	close(b->listen_fd);
	b->listen_fd = -1;
}

static int oob_destroy(struct session *s, struct obj *o)
{
	struct oob *b = (struct oob *)o;

	(void)s;
	close_listener(b);
	exchange_end(&b->x);
	free(b->text);
	free(b->why);
	free(b->code);
	return 0;
}

static void oob_describe(struct session *s, struct obj *o, struct out *out)
{
	struct oob *b = (struct oob *)o;
	const char *doing = b->why		? "failed"
			    : b->over		? "done"
			    : b->listen_fd >= 0 ? "listening"
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

/* Moves the reason from s->fail to the object, and restores s->fail. */
static void keep_failure(struct oob *b, const struct fail *before)
{
	struct fail *f = &b->s->fail;

	b->why = xstrdup(f->text);
	b->code = xstrdup(f->code);
	fail_clear(f);
	*f = *before;
}

static void post_result_notice(const struct oob *b)
{
	if (b->why)
		notice_post(b->s->notices, NOTICE_CM, "%s: %s", b->o.name, b->why);
	else
		notice_post(b->s->notices, NOTICE_CM, "%s: the peer of %s is qpn %u at %s",
			    b->o.name, b->qp->o.name, b->peer.qpn,
			    b->peer.lid ? "its lid" : gid_text(&b->peer.gid));
}

/* The exchange is over. */
static void finish_exchange(void *arg)
{
	struct oob *b = arg;
	struct session *s = b->s;
	struct fail before = s->fail;

	s->fail = (struct fail){ 0 };
	b->over = true;
	if (b->x.end == EXCHANGE_FAILED) {
		fail_call(s, b->x.err, "oob", "%s (%s)", b->x.why, b->where.text);
		keep_failure(b, &before);
	} else if (qp_peer_from_json(s, b->x.in, b->x.in_len, &b->peer) ||
		   qp_peer_adopt(s, b->qp, &b->peer)) {
		keep_failure(b, &before);
	} else {
		own_oob(b->qp, b->host, b->where.port, &b->mine, &b->peer);
		s->fail = before;
	}
	trace(s, VOICE_SETUP, "oob: sent %s", b->text);
	if (b->x.end == EXCHANGE_DONE)
		trace(s, VOICE_SETUP, "oob: received %zu bytes", b->x.in_len);
	if (b->background)
		post_result_notice(b);
}

static void accept_one(void *arg, int fd, short revents)
{
	struct oob *b = arg;
	int peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)revents;
	if (peer < 0)
		return;
	close_listener(b);
	exchange_begin(&b->x, b->s->loop, peer, true, b->text, finish_exchange, b);
}

static struct oob *new_oob(struct session *s, struct qp *qp, const struct qp_peer *mine)
{
	struct oob *b = obj_new(s, &oob_class, NULL);

	if (!b)
		return NULL;
	b->s = s;
	b->qp = qp;
	b->mine = *mine;
	b->listen_fd = -1;
	b->x.fd = -1;
	b->text = qp_peer_to_json(mine);
	return b;
}

static struct oob *add_oob(struct session *s, struct oob *b)
{
	obj_use(b, b->qp);
	obj_add(s, b);
	return b;
}

static struct oob *discard_oob(struct session *s, struct oob *b)
{
	oob_destroy(s, &b->o);
	obj_discard(s, b);
	return NULL;
}

static struct oob *oob_listen(struct session *s, struct qp *qp, const struct qp_peer *mine,
			      const char *addr, uint16_t port)
{
	struct oob *b = new_oob(s, qp, mine);

	if (!b)
		return NULL;
	b->listen_fd = sock_listen(s, "oob listen", addr, port, 1, &b->where);
	if (b->listen_fd < 0)
		return discard_oob(s, b);
	loop_watch(s->loop, b->listen_fd, POLLIN, accept_one, b);
	return add_oob(s, b);
}

/* Creates the object and starts the exchange. NULL with s->fail filled. */
static struct oob *oob_connect(struct session *s, struct qp *qp, const struct qp_peer *mine,
			       const char *host, uint16_t port)
{
	struct oob *b = new_oob(s, qp, mine);
	int fd;

	if (!b)
		return NULL;
	fd = sock_connect(s, "oob connect", host, port, &b->where);
	if (fd < 0)
		return discard_oob(s, b);
	snprintf(b->host, sizeof b->host, "%s", host);
	exchange_begin(&b->x, s->loop, fd, false, b->text, finish_exchange, b);
	return add_oob(s, b);
}

/*
 * oob: both ends exchange the data of their QPs over TCP, out of band.
 *
 * The event loop serves the sockets, so that one session can be both ends: one listens in the
 * background while the other connects.
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

	return b->over;
}

static int no_peer(struct session *s, const struct oob *b, enum loop_end end)
{
	if (end == LOOP_INTERRUPTED)
		return fail(s, "oob", "EINTR", "interrupted: no peer on %s", b->where.text);
	fail(s, "oob", "ETIMEDOUT", "the peer has said nothing in time (%s)", b->where.text);
	return fail_row(s, "state", "%s",
			b->listen_fd >= 0 ? "nobody has connected yet" : "connected or connecting");
}

static int fail_exchange(struct session *s, const struct oob *b)
{
	fail(s, "oob", b->code, "%s", b->why);
	if (strcmp(b->code, "ECONNREFUSED") == 0)
		fail_row(s, "likely", "nobody listens there yet: oob listen %u at the other end",
			 b->where.port);
	return -1;
}

static void out_peer(struct out *o, const struct oob *b)
{
	out_text(o, "%s <- ", b->qp->o.name);
	qp_peer_out(o, &b->peer);
}

/* Waits for the end of the exchange, writes the result, and destroys the object. */
static int wait_for_peer(struct session *s, struct oob *b, const struct num *within, struct out *o)
{
	enum loop_end end = LOOP_DONE;
	int rc = 0;

	obj_hold_arg(s, b);
	if (!b->over)
		end = loop_wait(s->loop, oob_is_over, b,
				within->set ? (int64_t)within->v : LOOP_FOREVER);
	if (end != LOOP_DONE && b->background) /* it goes on */
		return no_peer(s, b, end);
	if (end != LOOP_DONE)
		rc = no_peer(s, b, end);
	else if (b->why)
		rc = fail_exchange(s, b);
	else
		out_peer(o, b);
	return rc ? obj_destroy_quietly(s, b) : obj_destroy(s, b, true);
}

static int mine_of(struct session *s, const struct oob_args *a, struct qp_peer *mine)
{
	return qp_peer_of(s, a->qp, a->mr, a->gid_index.set ? (int)a->gid_index.v : -1, mine);
}

#define COMMON                                                                   \
	OPT("qp", oob_args, qp, kind_qp, "QP to tell of; else the current one"), \
		OPT("mr", oob_args, mr, kind_mr_opt, "region the peer may use"), \
		OPT("gid-index", oob_args, gid_index, kind_u8, "our GID; else the one gids marks")

/* ----------------------------------------------------------------- listen -- */

static const struct arg oob_listen_args[] = {
	POS("port", oob_args, port, kind_port, "TCP port; 0: any free one"),
	COMMON,
	OPT("addr", oob_args, host, kind_str, "address to listen on; else all"),
	SWITCH("background", oob_args, background, "return at once; oob accept waits for the peer"),
	OPT("within", oob_args, within, kind_ms, "time to wait for a peer; else for ever"),
	ARGS_END
};

static int oob_listen_exec(struct session *s, const void *args, struct out *o)
{
	const struct oob_args *a = args;
	struct qp_peer mine;
	struct oob *b;

	if (mine_of(s, a, &mine))
		return -1;
	b = oob_listen(s, a->qp, &mine, a->host, (uint16_t)a->port.v);
	if (!b)
		return -1;
	b->background = a->background;
	if (!a->background)
		return wait_for_peer(s, b, &a->within, o);
	return obj_out(s, b, o);
}

#define BOTH_ENDS                                                                       \
	"qp create -name a; qp create -name b; set port [dict get [oob listen 0 -qp a " \
	"-background] port]"

static const struct cmd_eg oob_listen_egs[] = { { "oob listen 0 -background", "listening on [::]" },
						{ "show oob0", "listening" },
						{ "oob listen 0 -within 10",
						  "said nothing in time" },
						{ NULL, NULL } };

/** Without a connection manager both ends must exchange their QP number, initial PSN and
 * address by other means: here over a TCP connection, as JSON after four bytes of length
 * (network byte order); the listening end sends first. The peer's data is stored for
 * modify-qp RTR -fill. With -background the command returns at once, and oob accept gets
 * the result. */
const struct cmd cmd_oob_listen = {
	.name = "oob listen",
	.family = "by hand",
	.summary = "wait for the other end on a TCP port and exchange qp-info",
	.setup = "qp create",
	.examples = oob_listen_egs,
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
	struct qp_peer mine;
	struct oob *b;

	if (mine_of(s, a, &mine))
		return -1;
	b = oob_connect(s, a->qp, &mine, a->host, (uint16_t)a->port.v);
	return b ? wait_for_peer(s, b, &a->within, o) : -1;
}

static const struct cmd_eg oob_connect_egs[] = { { "oob connect localhost $port -qp b",
						   "b <- RC  qpn" },
						 { "oob accept", "a <- RC  qpn" },
						 { NULL, NULL } };

/** The client of oob listen. Returns the peer's data as a dict: qpn, psn,
 * lid, gid and, if it gave a region, addr, rkey and len. */
const struct cmd cmd_oob_connect = {
	.name = "oob connect",
	.family = "by hand",
	.summary = "exchange qp-info with a listening end over TCP",
	.setup = BOTH_ENDS,
	.examples = oob_connect_egs,
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

	return wait_for_peer(s, a->oob, &a->within, o);
}

static const struct cmd_eg oob_accept_egs[] = { { "oob accept -within 10", "said nothing in time" },
						{ "oob connect localhost $port -qp b", "b <-" },
						{ "dict get [oob accept] qpn", NULL },
						{ NULL, NULL } };

/** Waits until the exchange is complete. After -within the listener stays, and you can
 * call it again. */
const struct cmd cmd_oob_accept = {
	.name = "oob accept",
	.family = "by hand",
	.summary = "get the peer's data of oob listen -background",
	.setup = BOTH_ENDS,
	.examples = oob_accept_egs,
	.args = oob_accept_args,
	.exec = oob_accept_exec,
};
