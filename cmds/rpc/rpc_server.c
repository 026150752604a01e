/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cm_ends.h"
#include "out.h"
#include "rpc_server.h"
#include "session.h"
#include "tcp_socket.h"

static int server_destroy(struct session *s, struct obj *o)
{
	struct rpc_server *sv = (struct rpc_server *)o;

	if (sv->has_link && rpc_link_close(&sv->link, sv))
		return -1;
	loop_cancel(s->loop, sv->pump);
	rpc_jobs_free(sv);
	if (sv->fd >= 0) {
		loop_unwatch(s->loop, sv->fd);
		close(sv->fd);
	}
	free(sv->where);
	return 0;
}

static void server_describe(struct session *s, struct obj *o, struct out *out)
{
	struct rpc_server *sv = (struct rpc_server *)o;
	const char *type = sv->kind->type == IBV_QPT_UD ? "UD" : "RC";

	(void)s;
	out_str(out, "name", o->name, "rpc server %s", o->name);
	out_str(out, "type", type, "  %s", type);
	out_str(out, "address", sv->where, " on %s", sv->where);
	out_int(out, "port", sv->port, NULL);
	out_u64(out, "max", sv->max, NULL);
	out_u64(out, "clients", sv->clients - sv->left, "  clients %llu",
		(unsigned long long)(sv->clients - sv->left));
	out_u64(out, "left", sv->left, NULL);
	out_u64(out, "answered", sv->answered, "  answered %llu", (unsigned long long)sv->answered);
	out_u64(out, "failed", sv->failed, "  of which failed %llu\n",
		(unsigned long long)sv->failed);
	out_u64(out, "corrupt", sv->link.corrupt, NULL);
	out_u64(out, "alien", sv->link.alien, NULL);
}

const struct obj_class rpc_server_class = {
	.prefix = "server",
	.title = "rpc server",
	.remedy = "rpc listen 7100",
	.size = sizeof(struct rpc_server),
	.may_go = true,
	.destroy = server_destroy,
	.describe = server_describe,
};

static void on_packet(void *arg, const struct rpc_packet *p, uint32_t from)
{
	struct rpc_server *sv = arg;
	struct rpc_client *c = rpc_client_find(sv, p->session);

	if (c)
		rpc_conn_take(&c->conn, p, from);
	else
		sv->link.alien++;
}

static void on_failed(void *arg, const char *status)
{
	struct rpc_server *sv = arg;
	struct obj *o;

	notice_post(sv->s->notices, NOTICE_CQ, "%s: its QP has failed: %s", sv->o.name, status);
	obj_foreach_of(o, sv->s, &rpc_client_class)
		if (((struct rpc_client *)o)->server == sv)
			rpc_conn_lost(&((struct rpc_client *)o)->conn, status,
				      "the server's QP has failed: %s", status);
}

static const struct rpc_link_ops link_ops = { .received = on_packet, .failed = on_failed };

static void accept_one(void *arg, int fd, short revents)
{
	int peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)revents;
	if (peer >= 0)
		rpc_client_accept(arg, peer);
}

/* A device that is there and can do it is needed for RC too, at once. */
static int open_link(struct rpc_server *sv, const struct rpc_server_spec *spec)
{
	if (spec->kind->type == IBV_QPT_RC)
		return dev_default(sv->s) ? 0 : -1;
	if (rpc_link_open(&sv->link, sv->s, spec->kind, spec->depth, spec->qkey, &link_ops, sv))
		return -1;
	sv->has_link = true;
	rpc_link_use(&sv->link, sv);
	return 0;
}

struct rpc_server *rpc_server_make(struct session *s, const struct rpc_server_spec *spec)
{
	struct rpc_server *sv = obj_new(s, &rpc_server_class, spec->name);
	uint64_t mark = made_mark(s);
	struct sock_where where;

	if (!sv)
		return NULL;
	sv->s = s;
	sv->kind = spec->kind;
	sv->max = spec->max;
	sv->depth = spec->depth;
	sv->hello_ms = spec->hello_ms;
	STAILQ_INIT(&sv->jobs);
	sv->fd = sock_listen(s, "rpc listen", spec->addr, spec->port, RPC_CLIENTS, &where);
	if (sv->fd >= 0) {
		sv->where = where.text;
		sv->port = where.port;
	}
	if (sv->fd < 0 || open_link(sv, spec)) {
		if (sv->fd >= 0)
			close(sv->fd);
		free(sv->where);
		obj_discard(s, sv);
		made_undo_since(s, mark);
		return NULL;
	}
	loop_watch(s->loop, sv->fd, POLLIN, accept_one, sv);
	obj_add(s, sv);
	return sv;
}
