/* SPDX-License-Identifier: MIT */
/*
 * Clients of a server. Nothing is destroyed inside of a callback of their own: what is over is
 * destroyed by a timer of the loop.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gids.h"
#include "out.h"
#include "rpc_server.h"
#include "session.h"
#include "xmem.h"

static struct rpc_link *link_of(struct rpc_client *c)
{
	return c->has_link ? &c->link : &c->server->link;
}

static int client_destroy(struct session *s, struct obj *o)
{
	struct rpc_client *c = (struct rpc_client *)o;
	struct ah *ah = c->conn.to.ah;

	if ((ah && obj_check_destroy(s, ah, (void *[]){ c }, 1)) ||
	    (c->has_link && rpc_link_check_close(&c->link, c)))
		return -1;
	loop_cancel(s->loop, c->late);
	loop_cancel(s->loop, c->reap);
	c->late = c->reap = NULL;
	rpc_conn_end(&c->conn);
	if (ah) {
		obj_unuse(c, ah);
		if (obj_destroy(s, ah, false))
			return -1;
		c->conn.to.ah = NULL;
	}
	if (c->has_link && rpc_link_close(&c->link, c))
		return -1;
	rpc_ledger_free(&c->ledger);
	c->server->left++;
	return 0;
}

static void client_describe(struct session *s, struct obj *o, struct out *out)
{
	static const char *const states[] = { "meeting", "up", "over" };
	struct rpc_client *c = (struct rpc_client *)o;
	const struct rpc_session *q = &c->conn.session;

	(void)s;
	out_str(out, "name", o->name, "rpc client %s", o->name);
	out_str(out, "server", c->server->o.name, " of %s", c->server->o.name);
	out_str(out, "state", states[c->conn.state], "  %s", states[c->conn.state]);
	out_u64(out, "qpn", c->conn.to.qpn, "  qpn %u", c->conn.to.qpn);
	out_u64(out, "answered", c->answered, "  answered %llu", (unsigned long long)c->answered);
	out_u64(out, "again", c->ledger.again, NULL);
	out_u64(out, "sent", q->tx.sent, NULL);
	out_u64(out, "resent", q->tx.resent, "  packets resent %llu",
		(unsigned long long)q->tx.resent);
	out_u64(out, "received", q->rx.received, NULL);
	out_u64(out, "twice", q->rx.twice, "  received twice %llu\n",
		(unsigned long long)q->rx.twice);
}

const struct obj_class rpc_client_class = {
	.prefix = "client",
	.title = "client of an rpc server",
	.remedy = "rpc connect HOST PORT, at the other end",
	.size = sizeof(struct rpc_client),
	.may_go = true,
	.destroy = client_destroy,
	.describe = client_describe,
};

static void reap(void *arg)
{
	struct rpc_client *c = arg;
	struct session *s = c->server->s;
	struct fail before = fail_aside(s);

	c->reap = NULL;
	notice_post(s->notices, NOTICE_CM, "%s: %s has left, %llu calls answered: %s",
		    c->server->o.name, c->o.name, (unsigned long long)c->answered,
		    c->conn.gone ? c->conn.gone : "");
	if (obj_destroy(s, c, true))
		notice_post(s->notices, NOTICE_CM, "%s", s->fail.text);
	fail_back(s, before);
}

static void on_over(void *arg)
{
	struct rpc_client *c = arg;

	rpc_tcp_say(&c->conn.tcp, c->conn.gone); /* if it is there still */
	c->reap = c->reap ? c->reap : loop_after(c->server->s->loop, 0, reap, c);
}

static void on_late(void *arg)
{
	struct rpc_client *c = arg;

	c->late = NULL;
	rpc_conn_lost(&c->conn, "ETIMEDOUT", "it has not said who it is within %lld ms",
		      (long long)c->server->hello_ms);
}

static int on_met(void *arg, const struct rpc_hello *theirs)
{
	struct rpc_client *c = arg;
	struct session *s = c->server->s;
	struct obj *o;

	loop_cancel(s->loop, c->late);
	c->late = NULL;
	if (c->conn.to.ah)
		obj_use(c, c->conn.to.ah);
	obj_foreach_of(o, s, &rpc_client_class)
		if (o != &c->o && ((struct rpc_client *)o)->server == c->server &&
		    ((struct rpc_client *)o)->conn.id == theirs->session)
			return fail(s, "rpc", "EEXIST", "that session is there already");
	rpc_tcp_say(&c->conn.tcp, "ok");
	notice_post(s->notices, NOTICE_CM, "%s: %s has come: qpn %u at %s", c->server->o.name,
		    c->o.name, theirs->qp.qpn, gid_text(&theirs->qp.gid));
	return 0;
}

static void on_message(void *arg, const uint8_t *data, size_t n)
{
	struct rpc_client *c = arg;
	Rpc__Message *m = rpc_message_read(data, n);

	if (m && m->what_case == RPC__MESSAGE__WHAT_REQUEST) {
		rpc_request_take(c, m, n);
		return;
	}
	rpc_message_free(m);
	rpc_conn_lost(&c->conn, "EPROTO", "it has sent what is no request");
}

static void on_said(void *arg, const char *line)
{
	struct rpc_client *c = arg;

	rpc_conn_lost(&c->conn, "ENOTCONN", "%s", line);
}

static const struct rpc_conn_ops conn_ops = { .message = on_message,
					      .met = on_met,
					      .said = on_said,
					      .over = on_over };

/* RC: packets on a link of its own. */
static void on_packet(void *arg, const struct rpc_packet *packet, uint32_t from)
{
	struct rpc_client *c = arg;

	rpc_conn_take(&c->conn, packet, from);
}

static void on_failed(void *arg, const char *status)
{
	struct rpc_client *c = arg;

	rpc_conn_lost(&c->conn, status, "the QP has failed: %s", status);
}

static const struct rpc_link_ops link_ops = { .received = on_packet, .failed = on_failed };

struct rpc_client *rpc_client_find(struct rpc_server *sv, uint64_t session)
{
	struct obj *o;

	obj_foreach_of(o, sv->s, &rpc_client_class)
		if (((struct rpc_client *)o)->server == sv &&
		    ((struct rpc_client *)o)->conn.id == session)
			return (struct rpc_client *)o;
	return NULL;
}

/* The peer waits for a hello: it gets one of another kind. */
static void refuse(struct rpc_server *sv, int fd, const char *why)
{
	char *text = rpc_hello_refusal(why);
	uint32_t len = htonl((uint32_t)strlen(text));
	ssize_t n = send(fd, &len, sizeof len, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_MORE);

	if (n == sizeof len)
		n = send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
	free(text);
	notice_post(sv->s->notices, NOTICE_CM, "%s: a client was refused: %s", sv->o.name, why);
	close(fd);
}

static int start(struct rpc_client *c, int fd)
{
	struct rpc_server *sv = c->server;
	struct rpc_hello mine;

	if (sv->kind->type == IBV_QPT_RC) {
		if (rpc_link_open(&c->link, sv->s, sv->kind, sv->depth, 0, &link_ops, c))
			return -1;
		c->has_link = true;
		rpc_link_use(&c->link, c);
	}
	if (rpc_hello_of(sv->s, link_of(c), fd, 0, sv->max, &mine))
		return -1;
	rpc_conn_begin(&c->conn, sv->s, link_of(c), fd, 0, &mine, &conn_ops, c);
	return 0;
}

void rpc_client_accept(struct rpc_server *sv, int fd)
{
	struct session *s = sv->s;
	struct fail before;
	struct rpc_client *c;

	if (sv->clients - sv->left >= RPC_CLIENTS) {
		refuse(sv, fd, "there are too many");
		return;
	}
	if (sv->has_link && sv->link.failed) {
		refuse(sv, fd, "its QP has failed");
		return;
	}
	before = fail_aside(s);
	c = obj_new(s, &rpc_client_class, NULL);
	c->server = sv;
	rpc_ledger_init(&c->ledger);
	if (start(c, fd)) {
		refuse(sv, fd, s->fail.text);
		if (c->has_link)
			rpc_link_close(&c->link, NULL);
		obj_discard(s, c);
	} else {
		obj_use(c, sv);
		obj_add(s, c);
		sv->clients++;
		c->late = loop_after(s->loop, sv->hello_ms, on_late, c);
	}
	fail_back(s, before);
}
