/* SPDX-License-Identifier: MIT */
#include <netinet/in.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "gids.h"
#include "qp_peer.h"
#include "rpc_conn.h"
#include "session.h"
#include "words.h"
#include "xmem.h"

static void on_timer(void *arg);

/* The timer follows what the session has to do next. */
static void rearm(struct rpc_conn *c)
{
	int64_t due = c->state == RPC_UP ? rpc_session_due(&c->session) : INT64_MAX, left;

	if (c->timer && c->timer_due == due)
		return;
	loop_cancel(c->s->loop, c->timer);
	c->timer = NULL;
	if (due == INT64_MAX)
		return;
	left = due - loop_now();
	c->timer_due = due;
	c->timer = loop_after(c->s->loop, left > 0 ? (left + 999999) / 1000000 : 0, on_timer, c);
}

void rpc_conn_lost(struct rpc_conn *c, const char *code, const char *fmt, ...)
{
	va_list ap;

	if (c->state == RPC_OVER)
		return;
	va_start(ap, fmt);
	c->gone = xvasprintf(fmt, ap);
	va_end(ap);
	c->code = xstrdup(code);
	c->state = RPC_OVER;
	rearm(c);
	c->ops->over(c->arg);
}

/* After the session was given something to do. */
static void settle(struct rpc_conn *c)
{
	if (c->session.broken)
		rpc_conn_lost(c, "EPROTO", "the peer broke the protocol: %s", c->session.broken);
	rearm(c);
}

static void on_timer(void *arg)
{
	struct rpc_conn *c = arg;

	c->timer = NULL;
	rpc_link_poll(c->link); /* an acknowledgement may be there already */
	if (c->state != RPC_UP)
		return;
	rpc_session_run(&c->session, loop_now());
	settle(c);
}

static void on_send(void *arg, const struct rpc_packet *p)
{
	struct rpc_conn *c = arg;

	rpc_link_send(c->link, &c->to, p);
}

static void on_message(void *arg, const uint8_t *data, size_t n)
{
	struct rpc_conn *c = arg;

	c->ops->message(c->arg, data, n);
}

static const struct rpc_session_ops session_ops = { .send = on_send, .message = on_message };

/* ---------------------------------------------------------------- meeting -- */

static int meet(struct rpc_conn *c, const char *text, size_t len)
{
	size_t mtu = c->link->mtu, theirs;
	struct rpc_hello h;

	if (rpc_hello_read(c->s, text, len, &h))
		return -1;
	if (!h.session != !!c->id)
		return fail(c->s, "rpc", "EPROTO", "the peer is a %s, too",
			    c->id ? "client" : "server");
	if (h.qp.type && h.qp.type != c->link->kind->type)
		return fail(c->s, "rpc", "EPROTO",
			    "the peer's QP is %s, this one is %s: -type must be the same at both",
			    word_name(qp_type_words, h.qp.type),
			    word_name(qp_type_words, c->link->kind->type));
	if (c->qkey_set)
		h.qp.qkey = c->qkey;
	if (rpc_link_connect(c->link, &h.qp, &c->to))
		return -1;
	theirs = h.qp.mtu ? 128u << h.qp.mtu : mtu;
	c->id = c->id ? c->id : h.session;
	c->max = h.max;
	rpc_session_init(&c->session, c->id, (theirs < mtu ? theirs : mtu) - RPC_HEAD, c->limit, 0,
			 &session_ops, c);
	c->state = RPC_UP;
	return c->ops->met(c->arg, &h);
}

static void on_hello(void *arg, const char *text, size_t len)
{
	struct rpc_conn *c = arg;
	struct fail before = fail_aside(c->s);

	if (meet(c, text, len)) {
		char *line = xasprintf("no %s", c->s->fail.text);

		rpc_tcp_say(&c->tcp, line);
		free(line);
		rpc_conn_lost(c, c->s->fail.code, "%s", c->s->fail.text);
	}
	fail_back(c->s, before);
}

static void on_said(void *arg, const char *line)
{
	struct rpc_conn *c = arg;

	c->ops->said(c->arg, line);
}

static void on_gone(void *arg, const char *code, const char *why)
{
	rpc_conn_lost(arg, code, "%s", why);
}

static const struct rpc_tcp_ops tcp_ops = { .hello = on_hello, .said = on_said, .gone = on_gone };

void rpc_conn_begin(struct rpc_conn *c, struct session *s, struct rpc_link *link, int fd,
		    uint64_t id, const struct rpc_hello *mine, const struct rpc_conn_ops *ops,
		    void *arg)
{
	char *text = rpc_hello_text(mine);

	*c = (struct rpc_conn){
		.s = s, .ops = ops, .arg = arg, .link = link, .id = id, .limit = mine->max
	};
	rpc_tcp_begin(&c->tcp, s->loop, fd, id == 0, text, &tcp_ops, c);
	free(text);
}

/* ------------------------------------------------------------------- data -- */

void rpc_conn_post(struct rpc_conn *c, const void *data, size_t n)
{
	if (c->state != RPC_UP)
		return;
	rpc_session_post(&c->session, data, n, loop_now());
	settle(c);
}

void rpc_conn_take(struct rpc_conn *c, const struct rpc_packet *p, uint32_t from)
{
	if (c->state != RPC_UP || p->session != c->id ||
	    (c->link->kind->type == IBV_QPT_UD && from != c->to.qpn)) {
		c->link->alien++;
		return;
	}
	c->heard = true;
	rpc_session_take(&c->session, p, loop_now());
	settle(c);
}

bool rpc_conn_idle(const struct rpc_conn *c)
{
	return c->state != RPC_UP || rpc_sender_idle(&c->session.tx);
}

void rpc_conn_end(struct rpc_conn *c)
{
	c->state = RPC_OVER;
	loop_cancel(c->s->loop, c->timer);
	c->timer = NULL;
	rpc_tcp_end(&c->tcp);
	if (c->session.ops)
		rpc_session_free(&c->session);
	free(c->gone);
	free(c->code);
	c->gone = c->code = NULL;
}

/* ------------------------------------------------------------- what we are -- */

static bool local_gid(int fd, union ibv_gid *gid)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof sa;

	memset(gid, 0, sizeof *gid);
	if (getsockname(fd, (struct sockaddr *)&sa, &len))
		return false;
	if (sa.ss_family == AF_INET6) {
		memcpy(gid, &((struct sockaddr_in6 *)&sa)->sin6_addr, sizeof *gid);
	} else {
		gid->raw[10] = gid->raw[11] = 0xff;
		memcpy(gid->raw + 12, &((struct sockaddr_in *)&sa)->sin_addr, 4);
	}
	return true;
}

static int gid_index_of(const struct dev *dev, int fd)
{
	struct gid_row rows[GID_ROWS];
	int n = gid_table(dev, 1, rows, GID_ROWS), found = -1, score = -1;
	union ibv_gid gid;

	if (!local_gid(fd, &gid))
		return -1;
	for (int i = 0; i < n; i++)
		if (memcmp(&rows[i].e.gid, &gid, sizeof gid) == 0 && rows[i].score > score) {
			score = rows[i].score;
			found = (int)rows[i].e.gid_index;
		}
	return found;
}

int rpc_hello_of(struct session *s, const struct rpc_link *l, int fd, uint64_t id, size_t limit,
		 struct rpc_hello *h)
{
	*h = (struct rpc_hello){ .session = id, .max = limit };
	return qp_peer_of(s, l->qp, NULL, gid_index_of(l->qp->pd->dev, fd), &h->qp);
}
