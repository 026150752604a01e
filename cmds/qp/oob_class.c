/* SPDX-License-Identifier: MIT */
/*
 * The sockets of oob. What the peer tells is checked as soon as it is there, in the loop;
 * a failure is kept until a command asks for it.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gids.h"
#include "oob_class.h"
#include "out.h"
#include "qp_peer.h"
#include "session.h"
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
		s->fail = before;
	}
	trace(s, SLOW, "oob: sent %s", b->text);
	if (b->x.end == EXCHANGE_DONE)
		trace(s, SLOW, "oob: received %zu bytes", b->x.in_len);
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

static char *address_text(const struct sockaddr *sa, socklen_t len, uint16_t *port)
{
	char host[NI_MAXHOST], serv[NI_MAXSERV];

	if (getnameinfo(sa, len, host, sizeof host, serv, sizeof serv,
			NI_NUMERICHOST | NI_NUMERICSERV))
		return xstrdup("?");
	*port = (uint16_t)strtoul(serv, NULL, 10);
	return sa->sa_family == AF_INET6 ? xasprintf("[%s]:%s", host, serv)
					 : xasprintf("%s:%s", host, serv);
}

static struct addrinfo *resolve(struct session *s, const char *host, uint16_t port, int flags)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV };
	struct addrinfo *list = NULL;
	char serv[8];
	int rc;

	snprintf(serv, sizeof serv, "%u", port);
	rc = getaddrinfo(host, serv, &hints, &list);
	if (rc == 0)
		return list;
	fail(s, "oob", "EADDRNOTAVAIL", "%s: %s", host ? host : "any address",
	     rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
	return NULL;
}

static int open_listener(const struct addrinfo *ai)
{
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1, off = 0, err;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (ai->ai_family == AF_INET6) /* IPv4 comes in too */
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 && listen(fd, 1) == 0)
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

/* Not known which will do: of the wildcards IPv6 first, since it takes IPv4 as well. */
static int open_any_listener(const struct addrinfo *list)
{
	int fd = -1;

	for (int v6 = 1; v6 >= 0 && fd < 0; v6--)
		for (const struct addrinfo *ai = list; ai && fd < 0; ai = ai->ai_next)
			if ((ai->ai_family == AF_INET6) == v6)
				fd = open_listener(ai);
	return fd;
}

static struct oob *make(struct session *s, struct qp *qp, const struct qp_peer *mine)
{
	struct oob *b = obj_new(s, &oob_class, NULL);

	if (!b)
		return NULL;
	b->s = s;
	b->qp = qp;
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
	obj_discard(b);
	return NULL;
}

struct oob *oob_listen(struct session *s, struct qp *qp, const struct qp_peer *mine,
		       const char *addr, uint16_t port)
{
	struct oob *b = make(s, qp, mine);
	struct sockaddr_storage sa;
	socklen_t len = sizeof sa;
	struct addrinfo *list;

	if (!b)
		return NULL;
	list = resolve(s, addr, port, AI_PASSIVE);
	if (!list)
		return drop(s, b);
	b->listen_fd = open_any_listener(list);
	freeaddrinfo(list);
	if (b->listen_fd < 0) {
		fail_call(s, errno, "oob listen", "%s port %u", addr ? addr : "any address", port);
		return drop(s, b);
	}
	getsockname(b->listen_fd, (struct sockaddr *)&sa, &len);
	b->where = address_text((struct sockaddr *)&sa, len, &b->port);
	loop_watch(s->loop, b->listen_fd, POLLIN, accept_one, b);
	return commit(s, b);
}

/* Tries the addresses in turn; the last one's failure counts. */
static int open_connection(const struct addrinfo *list, const struct addrinfo **used)
{
	int fd = -1;

	for (const struct addrinfo *ai = list; ai && fd < 0; ai = ai->ai_next) {
		int err;

		fd = socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (fd < 0)
			continue;
		*used = ai;
		if (connect(fd, ai->ai_addr, ai->ai_addrlen) == 0 || errno == EINPROGRESS)
			break;
		err = errno;
		close(fd);
		errno = err;
		fd = -1;
	}
	return fd;
}

struct oob *oob_connect(struct session *s, struct qp *qp, const struct qp_peer *mine,
			const char *host, uint16_t port)
{
	struct oob *b = make(s, qp, mine);
	const struct addrinfo *used;
	struct addrinfo *list;
	int fd;

	if (!b)
		return NULL;
	list = resolve(s, host, port, 0);
	if (!list)
		return drop(s, b);
	used = list;
	fd = open_connection(list, &used);
	b->where = address_text(used->ai_addr, used->ai_addrlen, &b->port);
	freeaddrinfo(list);
	if (fd < 0) {
		fail_call(s, errno, "oob connect", "%s", b->where);
		return drop(s, b);
	}
	exchange_begin(&b->x, s->loop, fd, false, b->text, exchanged, b);
	return commit(s, b);
}
