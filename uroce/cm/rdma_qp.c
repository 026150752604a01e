// SPDX-License-Identifier: MIT
/* The QP of an id: rdma_create_qp(3), rdma_init_qp_attr(3), and the transitions that the
 * library makes for the application, with what the fields of REQ and REP say: volume 1, 12.7. */
#include <errno.h>
#include <string.h>

#include "conn.h"
#include "engine.h"
#include "export.h"
#include "gid.h"
#include "queue_pair.h"
#include "rdma_id.h"
#include "spec_tables.h"

int id_av(const struct cm_id *id, const union ibv_gid *dgid, struct ibv_ah_attr *av)
{
	const int position = gid_find(&id->sgid, id->scope);

	if (position < 0)
		return EADDRNOTAVAIL;
	*av = (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = *dgid,
			 .sgid_index = (uint8_t)((unsigned)position % GID_ENTRIES),
			 .hop_limit = 64,
			 .traffic_class = id->conn ? id->conn->flow.tclass : id->tos },
	};
	return 0;
}

static int init_attr(const struct cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	const struct conn *c = id->conn;

	attr->port_num = 1;
	*mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	if (is_datagram(id)) {
		attr->qkey = RDMA_UDP_QKEY;
		*mask |= IBV_QP_QKEY;
		return 0;
	}
	*mask |= IBV_QP_ACCESS_FLAGS;
	if (c)
		attr->qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	if (c && c->responder_resources)
		attr->qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
					 FLUSH_ACCESS_GLOBAL;
	return 0;
}

/* The peer's parameters are known from its REQ or REP on. */
static bool is_known(const struct conn *c)
{
	return c && c->state >= CONN_REQ_RCVD && c->state <= CONN_ESTABLISHED;
}

/* The connection has ended, or the peer has withdrawn. */
static bool is_over(const struct conn *c)
{
	return c->state == CONN_IDLE ? c->remote_id : c->state > CONN_ESTABLISHED;
}

static int rtr_attr(const struct cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	const struct conn *c = id->conn;

	attr->path_mtu = c->mtu;
	attr->dest_qp_num = c->remote_qpn;
	attr->rq_psn = c->rq_psn;
	*mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (id->v.qp_type == IBV_QPT_RC) {
		attr->max_dest_rd_atomic = c->responder_resources;
		attr->min_rnr_timer = 0; /* 655 ms: rdma_accept(3) */
		*mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	}
	return id_av(id, &c->flow.dgid, &attr->ah_attr);
}

static int rts_attr(const struct cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	const struct conn *c = id->conn;

	*mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	attr->sq_psn = c->sq_psn;
	if (id->v.qp_type == IBV_QPT_RC) {
		attr->timeout = c->ack_timeout;
		attr->retry_cnt = c->retry_count;
		attr->rnr_retry = c->rnr_retry_count;
		attr->max_rd_atomic = c->initiator_depth;
		*mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			 IBV_QP_MAX_QP_RD_ATOMIC;
	}
	return 0;
}

/* 0 or an errno. */
static int get_qp_attr(struct cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	enum ibv_qp_state state = attr->qp_state;

	if (!id->v.verbs)
		return EINVAL;
	memset(attr, 0, sizeof(*attr));
	attr->qp_state = state;
	/* without a connection there is nothing else to say, as the kernel sees it */
	if (!id->conn || is_datagram(id))
		return init_attr(id, attr, mask);
	if (state == IBV_QPS_INIT)
		return is_over(id->conn) ? EINVAL : init_attr(id, attr, mask);
	if (!is_known(id->conn))
		return EINVAL;
	switch (state) {
	case IBV_QPS_RTR:
		return rtr_attr(id, attr, mask);
	case IBV_QPS_RTS:
		return rts_attr(id, attr, mask);
	default:
		return EINVAL;
	}
}

EXPORT int rdma_init_qp_attr(struct rdma_cm_id *v, struct ibv_qp_attr *attr, int *mask)
{
	int error;

	SCOPED_ENGINE_LOCK();
	if (to_cm_id(v)->conn)
		conn_check_peer(to_cm_id(v)->conn);
	error = get_qp_attr(to_cm_id(v), attr, mask);
	return error ? fail(error) : 0;
}

/* ---------------------------------------------------------------- transitions -- */

static int modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int error = qp_modify(qp, attr, mask, UROCE_BY_CM);

	return error ? fail(error) : 0;
}

static int to_init(struct cm_id *id, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	int mask;

	if (rdma_init_qp_attr(&id->v, &attr, &mask) < 0)
		return -1;
	return modify_qp(qp, &attr, mask);
}

int id_qp_connect(struct cm_id *id, unsigned responder_resources, unsigned initiator_depth)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	int mask;

	/* once more: the access flags are known only now */
	if (to_init(id, id->v.qp) < 0)
		return -1;
	if (rdma_init_qp_attr(&id->v, &attr, &mask) < 0)
		return -1;
	if (responder_resources != RDMA_MAX_RESP_RES)
		attr.max_dest_rd_atomic = (uint8_t)responder_resources;
	if (modify_qp(id->v.qp, &attr, mask) < 0)
		return -1;
	attr.qp_state = IBV_QPS_RTS;
	if (rdma_init_qp_attr(&id->v, &attr, &mask) < 0)
		return -1;
	if (initiator_depth != RDMA_MAX_INIT_DEPTH)
		attr.max_rd_atomic = (uint8_t)initiator_depth;
	return modify_qp(id->v.qp, &attr, mask);
}

int id_qp_error(struct cm_id *id)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	return id->v.qp ? modify_qp(id->v.qp, &attr, IBV_QP_STATE) : 0;
}

/* Connected ones wait in INIT, so that receives can be posted; datagrams are ready at once. */
static int prepare_qp(struct cm_id *id, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };

	if (to_init(id, qp) < 0)
		return -1;
	if (!is_datagram(id))
		return 0;
	if (modify_qp(qp, &attr, IBV_QP_STATE) < 0)
		return -1;
	attr.qp_state = IBV_QPS_RTS;
	return modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

/* ------------------------------------------------------------------ creation -- */

static void destroy_cqs(struct rdma_cm_id *v)
{
	if (v->recv_cq)
		ibv_destroy_cq(v->recv_cq);
	if (v->recv_cq_channel)
		ibv_destroy_comp_channel(v->recv_cq_channel);
	if (v->send_cq && v->send_cq != v->recv_cq)
		ibv_destroy_cq(v->send_cq);
	if (v->send_cq_channel && v->send_cq_channel != v->recv_cq_channel)
		ibv_destroy_comp_channel(v->send_cq_channel);
	v->recv_cq = v->send_cq = NULL;
	v->recv_cq_channel = v->send_cq_channel = NULL;
}

/* The same after a failure. The attributes do not keep those that are gone: a program may try again
 * with them. */
static void undo_cqs(struct rdma_cm_id *v, struct ibv_qp_init_attr_ex *attr, bool send, bool recv)
{
	if (send)
		attr->send_cq = NULL;
	if (recv)
		attr->recv_cq = NULL;
	if (send || recv)
		destroy_cqs(v);
}

static int create_cq(struct rdma_cm_id *v, uint32_t size, struct ibv_cq **cq,
		     struct ibv_comp_channel **channel)
{
	*channel = ibv_create_comp_channel(v->verbs);
	if (!*channel)
		return -1;
	*cq = ibv_create_cq(v->verbs, (int)size, v, *channel, 0);
	return *cq ? 0 : -1;
}

/* Queues that the application does not bring are the id's: rdma_get_send_comp(3). */
static int create_cqs(struct rdma_cm_id *v, uint32_t send, uint32_t recv)
{
	if (recv && create_cq(v, recv, &v->recv_cq, &v->recv_cq_channel) < 0)
		return -1;
	return send ? create_cq(v, send, &v->send_cq, &v->send_cq_channel) : 0;
}

static bool cqs_agree(const struct rdma_cm_id *v, const struct ibv_qp_init_attr_ex *attr)
{
	return !(v->recv_cq && attr->recv_cq && v->recv_cq != attr->recv_cq) &&
	       !(v->send_cq && attr->send_cq && v->send_cq != attr->send_cq);
}

EXPORT int rdma_create_qp_ex(struct rdma_cm_id *v, struct ibv_qp_init_attr_ex *attr)
{
	bool send = !attr->send_cq && !v->send_cq, recv = !attr->recv_cq && !v->recv_cq;
	struct cm_id *id = to_cm_id(v);
	struct ibv_qp *qp = NULL;
	int error;

	if (v->qp || !v->verbs || attr->qp_type != v->qp_type || !cqs_agree(v, attr))
		return fail(EINVAL);
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd) {
		attr->comp_mask |= IBV_QP_INIT_ATTR_PD;
		attr->pd = v->pd;
	} else if (attr->pd->context != v->verbs) {
		return fail(EINVAL);
	}
	if (create_cqs(v, send ? attr->cap.max_send_wr : 0, recv ? attr->cap.max_recv_wr : 0) < 0)
		goto undo;
	if (!attr->send_cq)
		attr->send_cq = v->send_cq;
	if (!attr->recv_cq)
		attr->recv_cq = v->recv_cq;
	if (v->srq && !attr->srq)
		attr->srq = v->srq;
	qp = ibv_create_qp_ex(v->verbs, attr);
	if (!qp || prepare_qp(id, qp) < 0)
		goto undo;
	v->pd = qp->pd;
	v->qp = qp;
	return 0;
undo:
	error = errno;
	if (qp)
		ibv_destroy_qp(qp);
	undo_cqs(v, attr, send, recv);
	return fail(error);
}

EXPORT int rdma_create_qp(struct rdma_cm_id *v, struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = { 0 };
	int r;

	memcpy(&ex, attr, sizeof(*attr));
	ex.comp_mask = IBV_QP_INIT_ATTR_PD;
	ex.pd = pd ? pd : v->pd;
	r = rdma_create_qp_ex(v, &ex);
	memcpy(attr, &ex, sizeof(*attr));
	return r;
}

/* Programs call it for ids that never had one: then only the queues of the id go, if any. */
EXPORT void rdma_destroy_qp(struct rdma_cm_id *v)
{
	if (v->qp)
		ibv_destroy_qp(v->qp);
	v->qp = NULL;
	destroy_cqs(v);
}

EXPORT int rdma_create_srq_ex(struct rdma_cm_id *v, struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_srq *srq;

	if (v->srq || !v->verbs)
		return fail(EINVAL);
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) || !attr->pd) {
		attr->comp_mask |= IBV_SRQ_INIT_ATTR_PD;
		attr->pd = v->pd;
	}
	srq = ibv_create_srq_ex(v->verbs, attr);
	if (!srq)
		return -1;
	if (!v->pd)
		v->pd = attr->pd;
	v->srq = srq;
	return 0;
}

EXPORT int rdma_create_srq(struct rdma_cm_id *v, struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct ibv_srq_init_attr_ex ex = { 0 };
	int r;

	memcpy(&ex, attr, sizeof(*attr));
	ex.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD;
	ex.srq_type = IBV_SRQT_BASIC;
	ex.pd = pd ? pd : v->pd;
	r = rdma_create_srq_ex(v, &ex);
	memcpy(attr, &ex, sizeof(*attr));
	return r;
}

EXPORT void rdma_destroy_srq(struct rdma_cm_id *v)
{
	ibv_destroy_srq(v->srq);
	v->srq = NULL;
	if (!v->qp)
		destroy_cqs(v);
}
