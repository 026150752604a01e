/* SPDX-License-Identifier: MIT */
/* accept and reject: answering a request in one go. */
#include "call_record.h"
#include "command/cmd.h"
#include "connection/cm_events.h"
#include "connection/cm_id.h"
#include "connection/cm_listen.h"
#include "session.h"
#include "words.h"

/* The kernel drops the event that tells that a peer gave up before it was answered: only
 * a question that needs the request tells it. */
static bool given_up(const struct id *id)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	int mask;
	bool is;

	record_aside(1);
	is = !id_is_ud(id) && rdma_init_qp_attr(id->v, &attr, &mask) != 0;
	record_aside(-1);
	return is;
}

static struct id *named_request(struct session *s, struct id *id, const char *what)
{
	if (id_need(s, id, what, ID_IN(ID_REQUEST)))
		return NULL;
	if (!given_up(id))
		return id;
	id_state(s, id, ID_ERROR);
	fail(s, what, "ECONNABORTED", "%s: %s at %s gave up before it was answered", what,
	     id->o.name, id_peer(id));
	fail_next(s, "destroy %s -cascade", id->o.name);
	return NULL;
}

/* The request that is meant: the id itself, the oldest of a listener, the oldest of all.
 * Those that the peer gave up are passed over and destroyed. */
static struct id *request(struct session *s, struct id *id, const char *what, uint64_t within_ms)
{
	struct id *found;

	if (id && id->state != ID_LISTENING)
		return named_request(s, id, what);
	while ((found = cm_await_request(s, id, within_ms)) && given_up(found)) {
		notice_post(s->notices, NOTICE_CM, "%s: %s gave up before it was answered",
			    found->o.name, id_peer(found));
		id_state(s, found, ID_ERROR);
		if (obj_destroy(s, found, true))
			return NULL;
	}
	return found;
}

/* ------------------------------------------------------------------ accept -- */

struct accept_args {
	struct id *id;
	struct num within;
	bool prepare;
	struct conn_args conn;
	struct ends_args ends;
};

static const struct arg accept_args[] = {
	POS_OPT("id", accept_args, id, kind_id_opt, "request or listener; else the oldest request"),
	OPT("within", accept_args, within, kind_ms, "time to wait for the request and the peer",
	    .dflt = "60s"),
	SWITCH("prepare", accept_args, prepare,
	       "stop before rdma_accept, to post receives; 'accept' again goes on"),
	CONN_ARGS(accept_args, conn),
	ENDS_ARGS(accept_args, ends),
	ARGS_END
};

/* The peer went away in between: what was made for it goes, the id stays to be looked at.
 */
static int finish(struct session *s, struct id *id, uint64_t within_ms, struct made *made)
{
	if (finish_accept(s, id, within_ms) == 0)
		return 0;
	if (id->state == ID_ERROR || id->state == ID_DISCONNECTED)
		return made_undo(s, made);
	return fail_row(s, "left",
			"%s is %s: 'cm event %s' waits on, 'destroy %s -cascade' ends it",
			id->o.name, word_name(id_state_words, id->state), id->o.name, id->o.name);
}

static int accept_exec(struct session *s, const void *args, struct out *o)
{
	const struct accept_args *a = args;
	struct id *id = request(s, a->id, "accept", a->within.v);
	struct made made = { 0 };

	if (!id)
		return -1;
	obj_hold_arg(s, id);
	if (accept_id(s, id, &a->ends, &a->conn, a->prepare, &made))
		return -1;
	made_hold(s, &made);
	if (!a->prepare && finish(s, id, a->within.v, &made))
		return -1;
	s->ctx->id = id;
	s->ctx->qp = id->qp ? id->qp : s->ctx->qp;
	out_id(s, id, o);
	return 0;
}

static const struct cmd_eg accept_egs[] = { { "accept -prepare", "id2 REQUEST" },
					    { "accept", "id2 ESTABLISHED" },
					    { "accept -within 100", "no request within 100 ms" },
					    { NULL, NULL } };

const struct cmd cmd_accept = {
	.name = "accept",
	.family = "connection, in one go",
	.summary = "accept a peer that asks to connect",
	.text = "Takes the oldest request, or waits for one, makes what is missing (PD, CQ, QP),\n"
		"calls rdma_accept and waits for ESTABLISHED. The new id and its QP become the\n"
		"current ones. The peer may send at once: where it does, use -prepare, post\n"
		"receives, and accept again. In steps: cm event, qp create -id, cm accept. The\n"
		"example has both ends in one process; its last line shows what happens when nobody\n"
		"comes.",
	.calls = "rdma_create_qp(3) rdma_accept(3)",
	.setup = "listen 7471\nconnect 10.0.0.2 7471 -prepare\ncm connect -nowait",
	.examples = accept_egs,
	.args = accept_args,
	.size = sizeof(struct accept_args),
	.exec = accept_exec,
};

/* ------------------------------------------------------------------ reject -- */

struct reject_args {
	struct id *id;
	struct num within;
	struct bytes data;
};

static const struct arg reject_args[] = {
	POS_OPT("id", reject_args, id, kind_id_opt, "request or listener; else the oldest request"),
	OPT("within", reject_args, within, kind_ms, "time to wait for the request", .dflt = "60s"),
	OPT("private-data", reject_args, data, kind_bytes, "why, for the peer to read"), ARGS_END
};

static int reject_exec(struct session *s, const void *args, struct out *o)
{
	const struct reject_args *a = args;
	struct id *id = request(s, a->id, "reject", a->within.v);

	if (!id || step_reject(s, id, a->data.data, a->data.len))
		return -1;
	out_str(o, "id", id->o.name, "%s", id->o.name);
	out_str(o, "peer", id_peer(id), " rejected, and %s told so\n", id_peer(id));
	return obj_destroy(s, id, true);
}

static const struct cmd_eg reject_egs[] = { { "reject -private-data \"no room\"", "id2 rejected" },
					    { "cm event id1 -within 5s", "CONSUMER_DEFINED" },
					    { "private-data id1", "no room" },
					    { NULL, NULL } };

const struct cmd cmd_reject = {
	.name = "reject",
	.family = "connection, in one go",
	.summary = "reject a peer that asks to connect",
	.text = "Takes the oldest request, or waits for one. The peer gets REJECTED with reason 28\n"
		"(CONSUMER_DEFINED) and up to 148 bytes of private data. The id of the request is\n"
		"destroyed.",
	.calls = "rdma_reject(3)",
	.setup = "listen 7471\nconnect 10.0.0.2 7471 -prepare\ncm connect -nowait",
	.examples = reject_egs,
	.args = reject_args,
	.size = sizeof(struct reject_args),
	.exec = reject_exec,
};
