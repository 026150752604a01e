/* SPDX-License-Identifier: MIT */
/*
 * Executing calls: in the order in which they come, one at a time, from a timer of the loop and
 * not from where packets are received: a body may wait, destroy objects, and make calls itself.
 */
#include <stdlib.h>

#include "rpc_method.h"
#include "rpc_server.h"
#include "session.h"
#include "xmem.h"

#define TURN	 32	     /* calls in one go; then packets have their turn */
#define WAITING	 (64u << 20) /* bytes of calls that wait to be executed, at most */
#define PAUSE_MS 20	     /* after Ctrl-C, until the command that it is for has ended */

struct rpc_job {
	STAILQ_ENTRY(rpc_job) link;
	struct rpc_client *c; /* referenced: it may be gone */
	size_t len;
	Rpc__Message *m;
};

static void pump(void *arg);

static void schedule(struct rpc_server *sv, int64_t ms)
{
	if (!sv->pump && !sv->running)
		sv->pump = loop_after(sv->s->loop, ms, pump, sv);
}

static struct rpc_job *next_job(struct rpc_server *sv)
{
	struct rpc_job *job = STAILQ_FIRST(&sv->jobs);

	if (job) {
		STAILQ_REMOVE_HEAD(&sv->jobs, link);
		sv->waiting -= job->len;
	}
	return job;
}

static void free_job(struct rpc_job *job)
{
	rpc_message_free(job->m);
	obj_unref(job->c);
	free(job);
}

void rpc_jobs_free(struct rpc_server *sv)
{
	struct rpc_job *job;

	while ((job = next_job(sv)))
		free_job(job);
}

static uint8_t *pack(const struct rpc_client *c, const Rpc__Request *r, struct rpc_outcome *out,
		     size_t *len)
{
	size_t most = c->conn.max < c->server->max ? c->conn.max : c->server->max;
	uint8_t *reply = out->code ? rpc_failure_pack(r->id, Tcl_GetString(out->value), out->code,
						      len)
				   : rpc_value_pack(r->id, out->value, len);
	struct rpc_outcome large = { 0 };

	if (*len <= most)
		return reply;
	free(reply);
	rpc_outcome_fail(&large, "EMSGSIZE", "the reply of %s is too large: %zu bytes, at most %zu",
			 r->method, *len, most);
	reply = rpc_failure_pack(r->id, Tcl_GetString(large.value), large.code, len);
	rpc_outcome_free(&large);
	return reply;
}

/* A client that acknowledges nothing must not fill the memory: one that takes what it asked for
 * never has more than its window of calls to get. */
static void post(struct rpc_client *c, const struct rpc_entry *e)
{
	size_t queued = c->conn.session.tx.queued;

	if (queued <= RPC_CALLS * c->server->max)
		rpc_conn_post(&c->conn, e->reply, e->len);
	else
		rpc_conn_lost(&c->conn, "ENOBUFS", "it does not take its replies: %zu MiB wait",
			      queued >> 20);
}

static void answer(struct rpc_client *c, const Rpc__Request *r, struct rpc_outcome *out)
{
	const struct rpc_entry *e;
	uint8_t *reply;
	size_t len;

	c->answered++;
	c->server->answered++;
	if (out->code)
		c->server->failed++;
	reply = pack(c, r, out, &len);
	e = rpc_ledger_done(&c->ledger, r->id, reply, len);
	if (e)
		post(c, e);
}

static void execute(struct rpc_server *sv, struct rpc_job *job)
{
	const Rpc__Request *r = job->m->request;
	struct rpc_outcome out;

	if (obj_gone(job->c) || job->c->conn.state != RPC_UP ||
	    !rpc_ledger_wants(&job->c->ledger, r->id))
		return;
	sv->running = true;
	rpc_method_call(sv->s, r, &out);
	sv->running = false;
	if (!obj_gone(sv) && !obj_gone(job->c))
		answer(job->c, r, &out);
	rpc_outcome_free(&out);
}

static void pump(void *arg)
{
	struct rpc_server *sv = arg;
	struct rpc_job *job;

	sv->pump = NULL;
	if (loop_interrupted(sv->s->loop)) {
		schedule(sv, PAUSE_MS);
		return;
	}
	obj_ref(sv);
	for (unsigned n = 0; n < TURN && (job = next_job(sv)); n++) {
		execute(sv, job);
		free_job(job);
	}
	if (!STAILQ_EMPTY(&sv->jobs)) /* one that is gone has none */
		schedule(sv, 0);
	obj_unref(sv);
}

/* It gets its answer, as one that failed, and is not executed. */
static void refuse_full(struct rpc_client *c, const Rpc__Request *r, const char *what, size_t most)
{
	struct rpc_outcome out;

	rpc_outcome_fail(&out, "ENOBUFS", "%s take more than %zu bytes", what, most);
	answer(c, r, &out);
	rpc_outcome_free(&out);
}

static void queue(struct rpc_client *c, Rpc__Message *m, size_t len)
{
	struct rpc_job *job = xcalloc(1, sizeof *job);

	*job = (struct rpc_job){ .c = c, .len = len, .m = m };
	obj_ref(c);
	STAILQ_INSERT_TAIL(&c->server->jobs, job, link);
	c->server->waiting += len;
	schedule(c->server, 0);
}

void rpc_request_take(struct rpc_client *c, Rpc__Message *m, size_t len)
{
	const Rpc__Request *r = m->request;
	const struct rpc_entry *e;

	switch (rpc_ledger_take(&c->ledger, r->id, r->answered, &e)) {
	case RPC_EXECUTE:
		if (c->server->waiting + len <= WAITING) {
			queue(c, m, len);
			return;
		}
		refuse_full(c, r, "calls that wait to be executed", WAITING);
		break;
	case RPC_REPLY:
		if (c->conn.session.tx.queued < e->len) /* else it is under way still */
			post(c, e);
		break;
	case RPC_FULL:
		refuse_full(c, r, "the replies of earlier calls", RPC_KEPT);
		break;
	case RPC_IMPOSSIBLE:
		rpc_conn_lost(&c->conn, "EPROTO", "it numbers its calls wrongly");
		break;
	case RPC_WAIT:
	case RPC_STALE:
		break;
	}
	rpc_message_free(m);
}

bool rpc_is_executing(struct session *s, uint64_t session)
{
	struct obj *o;

	obj_foreach_of(o, s, &rpc_server_class)
		if (((struct rpc_server *)o)->running &&
		    rpc_client_find((struct rpc_server *)o, session))
			return true;
	return false;
}
