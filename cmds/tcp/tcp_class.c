/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "out.h"
#include "session.h"
#include "tcp_class.h"

static int tcp_destroy(struct session *s, struct obj *o)
{
	struct tcp *t = (struct tcp *)o;

	(void)s;
	close(t->fd);
	free(t->peer.text);
	return 0;
}

static void tcp_describe(struct session *s, struct obj *o, struct out *out)
{
	const struct tcp *t = (struct tcp *)o;

	(void)s;
	out_str(out, "name", o->name, "tcp %s", o->name);
	out_str(out, "peer", t->peer.text, "  %s", t->peer.text);
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

static int listener_destroy(struct session *s, struct obj *o)
{
	struct tcp_listener *l = (struct tcp_listener *)o;

	(void)s;
	close(l->fd);
	free(l->where.text);
	return 0;
}

static void listener_describe(struct session *s, struct obj *o, struct out *out)
{
	const struct tcp_listener *l = (struct tcp_listener *)o;

	(void)s;
	out_str(out, "name", o->name, "tcpl %s", o->name);
	out_str(out, "address", l->where.text, "  listening on %s\n", l->where.text);
	out_u64(out, "port", l->where.port, NULL);
}

const struct obj_class tcpl_class = {
	.prefix = "tcpl",
	.title = "TCP listener",
	.remedy = "tcp listen 7000",
	.size = sizeof(struct tcp_listener),
	.destroy = listener_destroy,
	.describe = listener_describe,
};

struct tcp *tcp_new(struct session *s, const char *name, int fd, const struct sock_where *peer)
{
	struct tcp *t = obj_new(s, &tcp_class, name);

	if (!t) {
		close(fd);
		free(peer->text);
		return NULL;
	}
	t->fd = fd;
	t->peer = *peer;
	obj_add(s, t);
	return t;
}

struct tcp_listener *tcp_listener_new(struct session *s, const char *name, int fd,
				      const struct sock_where *where)
{
	struct tcp_listener *l = obj_new(s, &tcpl_class, name);

	if (!l) {
		close(fd);
		free(where->text);
		return NULL;
	}
	l->fd = fd;
	l->where = *where;
	obj_add(s, l);
	return l;
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
