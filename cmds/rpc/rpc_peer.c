/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cm_ends.h"
#include "out.h"
#include "rpc_peer.h"
#include "session.h"
#include "tcp_socket.h"
#include "xmem.h"

#define DEPTH 64 /* receives: two windows */

static int peer_destroy(struct session *s, struct obj *o)
{
	struct rpc_peer *p = (struct rpc_peer *)o;
	struct ah *ah = p->conn.to.ah;

	if ((ah && obj_check_destroy(s, ah, (void *[]){ p }, 1)) ||
	    (p->has_link && rpc_link_check_close(&p->link, p)))
		return -1;
	rpc_conn_end(&p->conn);
	while (!TAILQ_EMPTY(&p->calls))
		rpc_call_drop(p, TAILQ_FIRST(&p->calls));
	if (ah) {
		obj_unuse(p, ah);
		if (obj_destroy(s, ah, false))
			return -1;
		p->conn.to.ah = NULL;
	}
	if (p->has_link && rpc_link_close(&p->link, p))
		return -1;
	p->has_link = false;
	free(p->where);
	p->where = NULL;
	return 0;
}

static void peer_describe(struct session *s, struct obj *o, struct out *out)
{
	struct rpc_peer *p = (struct rpc_peer *)o;
	const struct rpc_session *q = &p->conn.session;
	const char *type = p->link.kind->type == IBV_QPT_UD ? "UD" : "RC";
	const char *state = p->conn.state == RPC_OVER ? "over" : p->ready ? "up" : "meeting";

	(void)s;
	out_str(out, "name", o->name, "rpc %s", o->name);
	out_str(out, "type", type, "  %s", type);
	out_str(out, "state", state, "  %s", state);
	out_str(out, "address", p->where, " with %s", p->where);
	out_u64(out, "made", p->made, "  calls %llu", (unsigned long long)p->made);
	out_u64(out, "answered", p->answered, "  answered %llu", (unsigned long long)p->answered);
	out_u64(out, "waiting", p->n_calls, NULL);
	out_u64(out, "late", p->late, NULL);
	out_u64(out, "sent", q->tx.sent, NULL);
	out_u64(out, "resent", q->tx.resent, "  packets resent %llu",
		(unsigned long long)q->tx.resent);
	out_u64(out, "hurried", q->tx.hurried, NULL);
	out_u64(out, "acks", q->acks, NULL);
	out_u64(out, "received", q->rx.received, NULL);
	out_u64(out, "twice", q->rx.twice, "  received twice %llu",
		(unsigned long long)q->rx.twice);
	out_u64(out, "corrupt", p->link.corrupt, NULL);
	out_u64(out, "alien", p->link.alien, NULL);
	out_double(out, "rtt_us", (double)q->tx.srtt / 1000, "  RTT %.0f us\n",
		   (double)q->tx.srtt / 1000);
	out_double(out, "rto_us", (double)q->tx.rto / 1000, NULL);
	out_str(out, "why", p->conn.gone ? p->conn.gone : "", NULL);
}

const struct obj_class rpc_peer_class = {
	.prefix = "rpc",
	.title = "rpc connection",
	.remedy = "rpc connect HOST PORT",
	.size = sizeof(struct rpc_peer),
	.may_go = true,
	.destroy = peer_destroy,
	.describe = peer_describe,
};

/* ---------------------------------------------------------------- replies -- */

static struct rpc_call *find(struct rpc_peer *p, uint64_t id)
{
	struct rpc_call *call;

	TAILQ_FOREACH(call, &p->calls, link)
		if (call->id == id)
			return call;
	return NULL;
}

static void on_message(void *arg, const uint8_t *data, size_t n)
{
	struct rpc_peer *p = arg;
	Rpc__Message *m = rpc_message_read(data, n);
	struct rpc_call *call;

	if (!m || m->what_case != RPC__MESSAGE__WHAT_REPLY || m->reply->id > p->last) {
		rpc_message_free(m);
		rpc_conn_lost(&p->conn, "EPROTO", "it has sent what is no reply");
		return;
	}
	call = find(p, m->reply->id);
	if (!call || call->reply) {
		p->late++;
		rpc_message_free(m);
		return;
	}
	p->answered++;
	call->reply = m;
}

static int on_met(void *arg, const struct rpc_hello *theirs)
{
	struct rpc_peer *p = arg;

	(void)theirs;
	if (p->conn.to.ah)
		obj_use(p, p->conn.to.ah);
	return 0;
}

/* "ok", "no WHY", and at the end "bye WHY". */
static void on_said(void *arg, const char *line)
{
	struct rpc_peer *p = arg;

	if (strcmp(line, "ok") == 0 && p->conn.state == RPC_UP)
		p->ready = true;
	else if (strncmp(line, "no ", 3) == 0)
		rpc_conn_lost(&p->conn, "ECONNREFUSED", "the server refuses: %s", line + 3);
	else
		rpc_conn_lost(&p->conn, "ENOTCONN", "%s", line);
}

static void on_over(void *arg)
{
	struct rpc_peer *p = arg;

	if (p->ready)
		notice_post(p->s->notices, NOTICE_CM, "%s: the server is gone: %s", p->o.name,
			    p->conn.gone);
}

static const struct rpc_conn_ops conn_ops = { .message = on_message,
					      .met = on_met,
					      .said = on_said,
					      .over = on_over };

static void on_packet(void *arg, const struct rpc_packet *packet, uint32_t from)
{
	struct rpc_peer *p = arg;

	rpc_conn_take(&p->conn, packet, from);
}

static void on_failed(void *arg, const char *status)
{
	struct rpc_peer *p = arg;

	rpc_conn_lost(&p->conn, status, "the QP has failed: %s", status);
}

static const struct rpc_link_ops link_ops = { .received = on_packet, .failed = on_failed };

/* ------------------------------------------------------------------ calls -- */

struct rpc_call *rpc_call_make(struct rpc_peer *p, const char *method, Tcl_Obj *const args[],
			       size_t n)
{
	const struct rpc_call *oldest = TAILQ_FIRST(&p->calls);
	uint64_t id = p->last + 1, answered = oldest ? oldest->id : id;
	struct rpc_call *call;
	uint8_t *request;
	size_t len;

	if (id - answered >= RPC_CALLS) {
		fail(p->s, "rpc", "EBUSY",
		     "%u calls of %s are not answered or not taken yet: no more", RPC_CALLS,
		     p->o.name);
		fail_next(p->s, "rpc result %s", p->o.name);
		return NULL;
	}
	request = rpc_request_pack(id, answered, method, args, n, &len);
	if (len > p->conn.max) {
		free(request);
		fail(p->s, "rpc", "EMSGSIZE",
		     "the call of %s has %zu bytes; the server takes at most %zu", method, len,
		     p->conn.max);
		fail_row(p->s, "remedy", "rpc listen -max, at the server");
		return NULL;
	}
	call = xcalloc(1, sizeof *call);
	*call = (struct rpc_call){
		.id = id, .method = xstrdup(method), .request = request, .len = len
	};
	TAILQ_INSERT_TAIL(&p->calls, call, link);
	p->n_calls++;
	p->last = id;
	p->made++;
	rpc_call_again(p, call);
	return call;
}

void rpc_call_again(struct rpc_peer *p, struct rpc_call *call)
{
	call->tries++;
	rpc_conn_post(&p->conn, call->request, call->len);
}

void rpc_call_drop(struct rpc_peer *p, struct rpc_call *call)
{
	TAILQ_REMOVE(&p->calls, call, link);
	p->n_calls--;
	rpc_message_free(call->reply);
	free(call->request);
	free(call->method);
	free(call);
}

/* ----------------------------------------------------------------- making -- */

static int random_numbers(struct session *s, uint64_t *id, uint32_t *qkey)
{
	do
		if (getrandom(id, sizeof *id, 0) != sizeof *id ||
		    getrandom(qkey, sizeof *qkey, 0) != sizeof *qkey)
			return fail_call(s, errno, "getrandom", "a session's number");
	while (!*id);
	*qkey &= INT32_MAX; /* the highest bit is for the privileged */
	return 0;
}

static int open_peer(struct rpc_peer *p, const struct rpc_peer_spec *spec)
{
	struct rpc_hello mine;
	struct sock_where where;
	uint32_t qkey;
	uint64_t id;
	int fd;

	if (random_numbers(p->s, &id, &qkey) ||
	    rpc_link_open(&p->link, p->s, spec->kind, DEPTH, qkey, &link_ops, p))
		return -1;
	p->has_link = true;
	fd = sock_connect(p->s, "rpc connect", spec->host, spec->port, &where);
	if (fd < 0)
		return -1;
	p->where = where.text;
	if (rpc_hello_of(p->s, &p->link, fd, id, spec->max, &mine)) {
		close(fd);
		return -1;
	}
	rpc_conn_begin(&p->conn, p->s, &p->link, fd, id, &mine, &conn_ops, p);
	p->conn.qkey_set = spec->qkey_set;
	p->conn.qkey = spec->qkey;
	return 0;
}

struct rpc_peer *rpc_peer_make(struct session *s, const struct rpc_peer_spec *spec)
{
	struct rpc_peer *p = obj_new(s, &rpc_peer_class, spec->name);
	struct fail why;

	if (!p)
		return NULL;
	p->s = s;
	TAILQ_INIT(&p->calls);
	if (open_peer(p, spec)) {
		why = fail_aside(s);
		if (p->has_link)
			rpc_link_close(&p->link, NULL);
		fail_back(s, why);
		free(p->where);
		obj_discard(s, p);
		return NULL;
	}
	rpc_link_use(&p->link, p);
	obj_add(s, p);
	return p;
}
