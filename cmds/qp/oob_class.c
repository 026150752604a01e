/* SPDX-License-Identifier: MIT */
/*
 * The sockets of oob. What the peer tells is checked as soon as it is there, in the loop;
 * a failure is kept until a command asks for it.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gids.h"
#include "own_rows.h"
#include "oob_class.h"
#include "out.h"
#include "qp_peer.h"
#include "session.h"
#include "tcp_sock.h"
#include "trace.h"
#include "xmem.h"

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
	free(b->where);
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
	out_str(out, "address", b->where, " on %s", b->where);
	out_int(out, "port", b->port, NULL);
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

/* Takes what s->fail says as the reason, and puts back what it said before. */
static void keep_failure(struct oob *b, const struct fail *before)
{
	struct fail *f = &b->s->fail;

	b->why = xstrdup(f->text);
	b->code = xstrdup(f->code);
	fail_clear(f);
	*f = *before;
}

static void announce(const struct oob *b)
{
	if (b->why)
		notice_post(b->s->notices, NOTICE_CM, "%s: %s", b->o.name, b->why);
	else
		notice_post(b->s->notices, NOTICE_CM, "%s: the peer of %s is qpn %u at %s",
			    b->o.name, b->qp->o.name, b->peer.qpn,
			    b->peer.lid ? "its lid" : gid_text(&b->peer.gid));
}

/* The exchange is over. */
static void exchanged(void *arg)
{
	struct oob *b = arg;
	struct session *s = b->s;
	struct fail before = s->fail;

	s->fail = (struct fail){ 0 };
	b->over = true;
	if (b->x.end == EXCHANGE_FAILED) {
		fail_call(s, b->x.err, "oob", "%s (%s)", b->x.why, b->where);
		keep_failure(b, &before);
	} else if (qp_peer_from_json(s, b->x.in, b->x.in_len, &b->peer) ||
		   qp_peer_adopt(s, b->qp, &b->peer)) {
		keep_failure(b, &before);
	} else {
		own_oob(b->qp, b->host, b->port, &b->mine, &b->peer);
		s->fail = before;
	}
	trace(s, VOICE_SETUP, "oob: sent %s", b->text);
	if (b->x.end == EXCHANGE_DONE)
		trace(s, VOICE_SETUP, "oob: received %zu bytes", b->x.in_len);
	if (b->background)
		announce(b);
}

static void accept_one(void *arg, int fd, short revents)
{
	struct oob *b = arg;
	int peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)revents;
	if (peer < 0)
		return;
	close_listener(b);
	exchange_begin(&b->x, b->s->loop, peer, true, b->text, exchanged, b);
}

static struct oob *make(struct session *s, struct qp *qp, const struct qp_peer *mine)
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

static struct oob *commit(struct session *s, struct oob *b)
{
	obj_use(b, b->qp);
	obj_add(s, b);
	return b;
}

static struct oob *drop(struct session *s, struct oob *b)
{
	oob_destroy(s, &b->o);
	obj_discard(s, b);
	return NULL;
}

struct oob *oob_listen(struct session *s, struct qp *qp, const struct qp_peer *mine,
		       const char *addr, uint16_t port)
{
	struct oob *b = make(s, qp, mine);
	struct sock_where where;

	if (!b)
		return NULL;
	b->listen_fd = sock_listen(s, "oob listen", addr, port, 1, &where);
	if (b->listen_fd < 0)
		return drop(s, b);
	b->where = where.text;
	b->port = where.port;
	loop_watch(s->loop, b->listen_fd, POLLIN, accept_one, b);
	return commit(s, b);
}

struct oob *oob_connect(struct session *s, struct qp *qp, const struct qp_peer *mine,
			const char *host, uint16_t port)
{
	struct oob *b = make(s, qp, mine);
	struct sock_where where;
	int fd;

	if (!b)
		return NULL;
	fd = sock_connect(s, "oob connect", host, port, &where);
	if (fd < 0)
		return drop(s, b);
	b->where = where.text;
	b->port = where.port;
	snprintf(b->host, sizeof b->host, "%s", host);
	exchange_begin(&b->x, s->loop, fd, false, b->text, exchanged, b);
	return commit(s, b);
}
