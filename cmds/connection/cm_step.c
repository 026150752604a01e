/* SPDX-License-Identifier: MIT */
/*
 * The library calls of connection management, one function each. What a call changes at
 * once is noted here, what the peer's answer changes where its event is read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cm_addr.h"
#include "cm_events.h"
#include "cm_id.h"
#include "cm_step.h"
#include "qp_class.h"
#include "qp_history.h"
#include "session.h"
#include "call_trace.h"
#include "words.h"

int step_bind(struct session *s, struct id *id, const struct sockaddr *sa)
{
	int rc, err;

	rc = rdma_bind_addr(id->v, (struct sockaddr *)sa);
	if (rc) {
		err = cm_errno(rc);
		call_fail(s, err, "%s", cm_addr_text(sa));
		cm_explain_bind(s, sa, err);
		return -1;
	}
	id_state(s, id, ID_BOUND);
	return 0;
}

int step_listen(struct session *s, struct id *id, int backlog)
{
	int rc, err;

	rc = rdma_listen(id->v, backlog);
	if (rc) {
		err = cm_errno(rc);
		call_fail(s, err, "%s", id_local(id));
		cm_explain_bind(s, rdma_get_local_addr(id->v), err);
		return -1;
	}
	id->backlog = backlog;
	id_state(s, id, ID_LISTENING);
	return 0;
}

int step_resolve_addr(struct session *s, struct id *id, const struct sockaddr *src,
		      const struct sockaddr *dst, uint64_t within_ms)
{
	int rc, err;

	rc = rdma_resolve_addr(id->v, (struct sockaddr *)src, (struct sockaddr *)dst,
			       (int)within_ms);
	if (rc) {
		err = cm_errno(rc);
		call_fail(s, err, "%s to %s", id->o.name, cm_addr_text(dst));
		cm_explain_resolve(s, src, dst, err);
		return -1;
	}
	return 0;
}

int step_resolve_route(struct session *s, struct id *id, uint64_t within_ms)
{
	int rc, err;

	rc = rdma_resolve_route(id->v, (int)within_ms);
	if (rc) {
		err = cm_errno(rc);
		call_fail(s, err, "%s to %s", id->o.name, id_peer(id));
		cm_explain_resolve(s, NULL, rdma_get_peer_addr(id->v), err);
		return -1;
	}
	return 0;
}

static const char *param_text(const struct rdma_conn_param *p)
{
	static char text[160];

	snprintf(text, sizeof text,
		 "private_data %u B responder_resources %u initiator_depth %u retry_count %u "
		 "rnr_retry %u qp_num %u",
		 p->private_data_len, p->responder_resources, p->initiator_depth, p->retry_count,
		 p->rnr_retry_count, p->qp_num);
	return text;
}

static void param_rows(struct session *s, const struct id *id, const struct rdma_conn_param *p)
{
	fail_row(s, "passed", "%s", param_text(p));
	fail_row(s, "state", "%s was %s%s%s", id->o.name, word_name(id_state_words, id->state),
		 id->qp ? ", with " : ", without a QP", id->qp ? id->qp->o.name : "");
}

int step_connect(struct session *s, struct id *id, struct rdma_conn_param *p)
{
	int rc, err;

	rc = rdma_connect(id->v, p);
	if (rc) {
		err = cm_errno(rc);
		call_fail(s, err, "%s to %s", id->o.name, id_peer(id));
		param_rows(s, id, p);
		if (err == ECONNREFUSED) /* iWARP: the kernel connects by TCP */
			fail_row(s, "cause", "nobody listens on that port there");
		return -1;
	}
	id_state(s, id, ID_CONNECTING);
	return 0;
}

int step_accept(struct session *s, struct id *id, struct rdma_conn_param *p)
{
	int rc;

	rc = rdma_accept(id->v, p);
	if (rc) {
		int err = cm_errno(rc);

		call_fail(s, err, "%s from %s", id->o.name, id_peer(id));
		param_rows(s, id, p);
		if (abs(err) != EINVAL)
			return -1;
		fail_row(s, "likely", "%s has gone since it asked: there is nobody to accept",
			 id_peer(id));
		return fail_next(s, "destroy %s", id->o.name);
	}
	id_state(s, id, id_is_ud(id) ? ID_ESTABLISHED : ID_ACCEPTING);
	if (id->qp)
		qp_history_sync(id->qp, "rdma_accept");
	return 0;
}

int step_reject(struct session *s, struct id *id, const void *data, size_t len)
{
	int rc;

	if (data_fits(s, id, DATA_REJECT, len))
		return -1;
	rc = rdma_reject(id->v, len ? data : NULL, (uint8_t)len);
	if (rc)
		return call_fail(s, cm_errno(rc), "%s from %s", id->o.name, id_peer(id));
	id_state(s, id, ID_ERROR);
	return 0;
}

int step_disconnect(struct session *s, struct id *id)
{
	int rc;

	rc = rdma_disconnect(id->v);
	if (rc)
		return call_fail(s, cm_errno(rc), "%s", id->o.name);
	id->left = true;
	id_state(s, id, ID_DISCONNECTED);
	if (id->qp)
		qp_history_cm(id->qp, IBV_QPS_ERR, "rdma_disconnect");
	return 0;
}

int step_make_ah(struct session *s, struct id *id, const struct cm_event *ev)
{
	struct ibv_ah_attr attr = ev->ud.ah_attr;
	struct ah *ah;

	if (!id->qp)
		return 0;
	ah = obj_new(s, &ah_class, NULL);
	if (!ah)
		return -1;
	ah->v = ibv_create_ah(id->qp->pd->v, &attr);
	if (!ah->v) {
		call_fail(s, errno, "%s", id->o.name);
		obj_discard(s, ah);
		return -1;
	}
	ah->pd = id->qp->pd;
	ah->attr = attr;
	ah->qpn = ev->ud.qp_num;
	ah->qkey = ev->ud.qkey;
	obj_use(ah, ah->pd);
	obj_add(s, ah);
	id_own_ah(id, ah);
	return 0;
}

int finish_connect(struct session *s, struct id *id, uint64_t within_ms)
{
	enum rdma_cm_event_type want = id->v->qp || id_is_ud(id) ? RDMA_CM_EVENT_ESTABLISHED
								 : RDMA_CM_EVENT_CONNECT_RESPONSE;
	struct cm_event ev;

	if (cm_await(s, id, "rdma_connect", want, within_ms, &ev))
		return -1;
	if (id_is_ud(id) && step_make_ah(s, id, &ev))
		return -1;
	if (id->qp)
		qp_dump(s, id->qp);
	return 0;
}

int finish_accept(struct session *s, struct id *id, uint64_t within_ms)
{
	if (!id_is_ud(id) &&
	    cm_await(s, id, "rdma_accept", RDMA_CM_EVENT_ESTABLISHED, within_ms, NULL))
		return -1;
	if (id->qp)
		qp_dump(s, id->qp);
	return 0;
}
