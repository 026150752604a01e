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
	struct rpc_client *c;
	uint64_t serial; /* of c, which may be gone */
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
		rpc_conn_post(&c->conn, e->reply, e->len);
}

/* False: the server is gone. */
static bool execute(struct rpc_server *sv, struct rpc_job *job)
{
	struct session *s = sv->s;
	uint64_t serial = sv->o.serial;
	const Rpc__Request *r = job->m->request;
	struct rpc_outcome out;
	bool lives;

	if (!obj_lives(s, job->c, job->serial) || job->c->conn.state != RPC_UP ||
	    !rpc_ledger_wants(&job->c->ledger, r->id))
		return true;
	sv->running = true;
	rpc_method_call(s, r, &out);
	lives = obj_lives(s, sv, serial);
	if (lives) {
		sv->running = false;
		if (obj_lives(s, job->c, job->serial))
			answer(job->c, r, &out);
	}
	rpc_outcome_free(&out);
	return lives;
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
	for (unsigned n = 0; n < TURN && (job = next_job(sv)); n++) {
		bool lives = execute(sv, job);

		free_job(job);
		if (!lives)
			return;
	}
	if (!STAILQ_EMPTY(&sv->jobs))
		schedule(sv, 0);
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

	*job = (struct rpc_job){ .c = c, .serial = c->o.serial, .len = len, .m = m };
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
		rpc_conn_post(&c->conn, e->reply, e->len);
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

	obj_foreach(o, s)
		if (o->class == &rpc_server_class && ((struct rpc_server *)o)->running &&
		    rpc_client_find((struct rpc_server *)o, session))
			return true;
	return false;
}
