/* SPDX-License-Identifier: MIT */
/*
 * Answering requests. Those of a listener with -accept are answered from the event loop,
 * in the middle of whatever command waits: the current QP and the failure at hand of that
 * command are put aside meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include "connection/cm_events.h"
#include "connection/cm_id.h"
#include "connection/cm_listen.h"
#include "connection/share.h"
#include "session.h"

void listening_free(struct listening *l)
{
	free(l);
}

static int other_pd(struct session *s, const char *call, const struct mr *share,
		    const struct pd *pd, const char *whose)
{
	fail(s, call, "EINVAL", "%s is in %s, %s in %s: the peers could not reach it",
	     share->o.name, share->pd->o.name, whose, pd->o.name);
	return fail_next(s, "reg %zu -pd %s", share->len, pd->o.name);
}

int share_fits(struct session *s, const char *call, const struct mr *share,
	       const struct ends_args *ends)
{
	const struct pd *pd = ends->pd ? ends->pd : ends->srq ? ends->srq->pd : NULL;

	if (!pd || pd == share->pd)
		return 0;
	return other_pd(s, call, share, pd, ends->pd ? "their QPs would be" : ends->srq->o.name);
}

/* What the listener says where the arguments do not. share: room for its bytes. */
static int inherit(struct session *s, struct id *id, struct ends_args *ends, struct conn_args *conn,
		   unsigned char *share)
{
	const struct listening *l = id->listener ? id->listener->listening : NULL;
	struct dev *dev;

	if (!l || !l->share)
		return 0;
	dev = id_dev(s, id, "rdma_accept");
	if (!dev)
		return -1;
	if (l->share->pd->dev != dev) {
		fail(s, "rdma_accept", "EINVAL",
		     "%s is registered on %s, but the request came in on %s", l->share->o.name,
		     l->share->pd->dev->o.name, dev->o.name);
		return fail_row(s, "remedy",
				"listen with -address on an address of %s, or register "
				"a region on %s",
				l->share->pd->dev->o.name, dev->o.name);
	}
	if (id->qp && id->qp->pd != l->share->pd && !conn->data.len)
		return other_pd(s, "rdma_accept", l->share, id->qp->pd, id->qp->o.name);
	if (!id->qp && !conn->data.len && share_fits(s, "rdma_accept", l->share, ends))
		return -1;
	if (!ends->pd && !ends->srq)
		ends->pd = l->share->pd; /* a QP reaches regions of its own PD only */
	if (!conn->data.len) {
		share_pack(l->share, l->share_len, share);
		conn->data.data = share;
		conn->data.len = SHARE_BYTES;
	}
	return 0;
}

int accept_id(struct session *s, struct id *id, const struct ends_args *ends,
	      const struct conn_args *conn, bool prepare, struct made *made)
{
	struct ends_args e = *ends;
	struct conn_args c = *conn;
	unsigned char share[SHARE_BYTES];
	struct rdma_conn_param p;
	uint64_t mark;

	if (inherit(s, id, &e, &c, share) || data_fits(s, id, DATA_ACCEPT, c.data.len))
		return -1;
	mark = made_mark(s);
	if (!id->qp && ends_make(s, id, &e))
		return -1;
	made_since(s, made, mark);
	if (prepare)
		return 0;
	if (conn_param(s, id, DATA_ACCEPT, &c, &p) || step_accept(s, id, &p))
		return made_undo(s, made);
	return 0;
}

static void refuse(struct session *s, struct id *id, const char *why)
{
	notice_post(s->notices, NOTICE_CM, "%s: rejected: %s", id->o.name, why);
	if (step_reject(s, id, NULL, 0))
		fail_clear(&s->fail);
	if (obj_destroy(s, id, true))
		fail_clear(&s->fail);
}

static void answer(struct session *s, struct id *listener, struct id *id)
{
	const struct listening *l = listener->listening;
	struct made made = { 0 };

	if (listener->requests > (unsigned)listener->backlog) {
		refuse(s, id, "more requests than the backlog wait to be accepted");
		return;
	}
	if (!l || !l->accept)
		return;
	if (accept_id(s, id, &l->ends, &l->conn, false, &made) == 0) {
		id->by_itself = !l->keep;
		return;
	}
	refuse(s, id, s->fail.text);
}

void listening_request(struct session *s, struct id *listener, struct id *id)
{
	struct fail fail_before = s->fail;
	struct qp *qp = qp_current_aside(s);

	s->fail = (struct fail){ 0 };
	answer(s, listener, id);
	fail_clear(&s->fail);
	s->fail = fail_before;
	if (qp) /* what the user works with stays current */
		qp_current_back(s, qp);
}

/* Awaited: a command is about to take the event that tells of it. */
bool listening_forgets(struct session *s, const struct id *id)
{
	bool over = id->state == ID_DISCONNECTED || id->state == ID_ERROR;

	return id->by_itself && over && !id->unacked && !cm_awaited(id) && !ends_named(id) &&
	       id != s->ctx->id && (!id->qp || id->qp != s->ctx->qp);
}

static struct id *forgotten(struct session *s, const struct id *listener)
{
	struct id *id;

	TAILQ_FOREACH(id, &s->ctx->over, in_state)
		if (id->listener == listener && listening_forgets(s, id))
			return id;
	return NULL;
}

void listening_sweep(struct session *s, struct id *listener)
{
	struct fail fail_before = s->fail;
	struct id *id;

	s->fail = (struct fail){ 0 };
	while (listener && (id = forgotten(s, listener))) {
		id->by_itself = false; /* tried once */
		if (ends_destroy(s, id))
			fail_clear(&s->fail);
	}
	s->fail = fail_before;
}
