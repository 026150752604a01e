/* SPDX-License-Identifier: MIT */
/* rdma_connect(3), rdma_accept(3), rdma_reject(3), rdma_establish(3), rdma_disconnect(3),
 * rdma_join_multicast(3): what they put into messages is in volume 1, 12.7; when they go out, 12.9
 * (conn.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "export.h"
#include "gid.h"
#include "rdma_id.h"

#define RETRIES_MAX 7 /* fields of three bits */

/* Private data of a message, as it is put together. */
struct private
{
	uint8_t bytes[MAD_PRIVATE_MAX];
	size_t len;
};

static int append_data(struct private *p, size_t max, const void *data, size_t len)
{
	if (!data || !len)
		return 0;
	if (len > max - p->len)
		return fail(EINVAL);
	memcpy(p->bytes + p->len, data, len);
	p->len += len;
	return 0;
}

static bool limits_ok(const struct cm_id *id, const struct rdma_conn_param *p)
{
	if (is_datagram(id) || !p)
		return true;
	return (p->responder_resources <= MAX_RD_ATOM ||
		p->responder_resources == RDMA_MAX_RESP_RES) &&
	       (p->initiator_depth <= MAX_RD_ATOM || p->initiator_depth == RDMA_MAX_INIT_DEPTH);
}

/* Sets what was asked for. RDMA_MAX_RESP_RES and RDMA_MAX_INIT_DEPTH stand for as much as the
 * device, or the request, has. */
static void set_depths(struct cm_id *id, const struct rdma_conn_param *p)
{
	if (p && p->responder_resources != RDMA_MAX_RESP_RES)
		id->responder_resources = p->responder_resources;
	if (p && p->initiator_depth != RDMA_MAX_INIT_DEPTH)
		id->initiator_depth = p->initiator_depth;
	if (id->conn) {
		id->conn->responder_resources = id->responder_resources;
		id->conn->initiator_depth = id->initiator_depth;
	}
}

static uint8_t limit_retries(uint8_t n)
{
	return n < RETRIES_MAX ? n : RETRIES_MAX;
}

static void set_qp(struct cm_id *id, const struct rdma_conn_param *p)
{
	struct conn *c = id->conn;

	if (id->v.qp) {
		c->local_qpn = id->v.qp->qp_num;
		c->srq = id->v.qp->srq != NULL;
	} else if (p) {
		c->local_qpn = p->qp_num & PSN_MASK;
		c->srq = p->srq != 0;
	}
	c->flow_control = p && p->flow_control;
}

/* Fills in the connection of an active id, as far as this side knows it. */
static int make_conn(struct cm_id *id, const struct rdma_conn_param *p)
{
	const int position = gid_find(&id->sgid, id->scope);
	struct conn *c;

	if (position < 0)
		return fail(EADDRNOTAVAIL);
	c = conn_new(id);
	if (!c)
		return -1;
	id->conn = c;
	c->flow = (struct flow){
		.sgid = id->sgid,
		.dgid = id->v.route.addr.addr.ibaddr.dgid,
		.scope = id->scope,
		.tclass = id->tos,
		.hops = 64,
	};
	c->service = service_id((uint16_t)id->v.ps,
				be16toh(*port_field(&id->v.route.addr.dst_storage)));
	c->qp_type = id->v.qp_type;
	c->mtu = gid_path_mtu(gid_at((unsigned)position)->mtu);
	c->ack_timeout = id->has_ack_timeout ? id->ack_timeout : ACK_TIMEOUT;
	c->retry_count = p ? limit_retries(p->retry_count) : RETRIES_MAX;
	c->rnr_retry_count = p ? limit_retries(p->rnr_retry_count) : RETRIES_MAX;
	set_depths(id, p);
	set_qp(id, p);
	return 0;
}

static int request_data(struct cm_id *id, struct private *data, const struct rdma_conn_param *p)
{
	size_t max = mad_private_len(is_datagram(id) ? MAD_SIDR_REQ : MAD_REQ);
	struct mad_ip ip = { .sport = be16toh(*port_field(&id->v.route.addr.src_storage)),
			     .src = id->sgid,
			     .dst = id->v.route.addr.addr.ibaddr.dgid };

	mad_ip_build(data->bytes, &ip);
	data->len = MAD_IP_BYTES;
	if (append_data(data, max, id->connect_data, id->connect_len) < 0)
		return -1;
	return p ? append_data(data, max, p->private_data, p->private_data_len) : 0;
}

static int connect_locked(struct cm_id *id, const struct rdma_conn_param *p)
{
	struct private data;

	if (!id->channel || id->state != ID_ROUTE_RESOLVED || (!id->v.qp && !p) ||
	    !limits_ok(id, p))
		return fail(EINVAL);
	if (request_data(id, &data, p) < 0 || make_conn(id, p) < 0)
		return -1;
	id->state = ID_CONNECT;
	if (is_datagram(id))
		conn_resolve(id->conn, data.bytes, data.len);
	else
		conn_connect(id->conn, data.bytes, data.len);
	engine_flush();
	return 0;
}

EXPORT int rdma_connect(struct rdma_cm_id *v, struct rdma_conn_param *p)
{
	bool sync;
	int r;

	engine_lock();
	sync = to_cm_id(v)->sync;
	r = connect_locked(to_cm_id(v), p);
	engine_unlock();
	return r < 0 || !sync ? r : id_complete(to_cm_id(v));
}

/* The answer could not be made, for the reason in errno: the peer is told, as the kernel tells it.
 */
static int refuse_request(struct conn *c, bool datagram)
{
	const int err = errno;
	const int r = datagram ? conn_answer(c, SIDR_REJECT, 0, NULL, 0)
			       : conn_reject(c, REJ_CONSUMER, NULL, 0);

	if (r == 0)
		engine_flush();
	return fail(err);
}

static int answer_locked(struct cm_id *id, const struct rdma_conn_param *p)
{
	struct private data = { .len = 0 };
	struct conn *c = id->conn;
	size_t max = mad_private_len(is_datagram(id) ? MAD_SIDR_REP : MAD_REP);
	int r;

	if (!c)
		return fail(EINVAL);
	if (p && append_data(&data, max, p->private_data, p->private_data_len) < 0)
		return refuse_request(c, is_datagram(id));
	set_qp(id, p);
	c->rnr_retry_offer = p ? limit_retries(p->rnr_retry_count) : RETRIES_MAX;
	id->quiet = false;
	if (is_datagram(id))
		r = conn_answer(c, SIDR_OK, RDMA_UDP_QKEY, data.bytes, data.len);
	else
		r = conn_accept(c, data.bytes, data.len);
	if (r < 0)
		return refuse_request(c, is_datagram(id));
	engine_flush();
	return 0;
}

static bool may_accept(struct cm_id *id, const struct rdma_conn_param *p)
{
	struct conn *c = id->conn;

	return c && (c->state == CONN_REQ_RCVD || c->state == CONN_SIDR_RCVD) && (id->v.qp || p) &&
	       limits_ok(id, p);
}

EXPORT int rdma_accept(struct rdma_cm_id *v, struct rdma_conn_param *p)
{
	struct cm_id *id = to_cm_id(v);
	bool ok, waits;
	int r;

	engine_lock();
	ok = may_accept(id, p);
	if (ok)
		set_depths(id, p);
	engine_unlock();
	if (!ok)
		return fail(EINVAL);
	/* the QP must be ready before the peer is told: its first packet may be faster than its RTU
	 */
	if (v->qp && !is_datagram(id) &&
	    id_qp_connect(id, id->responder_resources, id->initiator_depth) < 0)
		return -1;
	engine_lock();
	waits = id->sync && !is_datagram(id);
	r = answer_locked(id, p);
	engine_unlock();
	return r < 0 || !waits ? r : id_complete(id);
}

static int reject_request(struct rdma_cm_id *v, enum rej_reason reason, const void *data,
			  uint8_t len)
{
	struct cm_id *id = to_cm_id(v);
	struct private copy = { .len = 0 };
	int r;

	if (append_data(&copy, mad_private_len(is_datagram(id) ? MAD_SIDR_REP : MAD_REJ), data,
			len) < 0)
		return -1;
	SCOPED_ENGINE_LOCK();
	if (!id->conn)
		return fail(EINVAL);
	if (is_datagram(id))
		r = conn_answer(id->conn, SIDR_REJECT, 0, copy.bytes, copy.len);
	else
		r = conn_reject(id->conn, reason, copy.bytes, copy.len);
	if (r == 0)
		engine_flush();
	return r;
}

EXPORT int rdma_reject(struct rdma_cm_id *v, const void *data, uint8_t len)
{
	return reject_request(v, REJ_CONSUMER, data, len);
}

EXPORT int rdma_reject_ece(struct rdma_cm_id *v, const void *data, uint8_t len)
{
	return reject_request(v, REJ_ECE, data, len);
}

EXPORT int rdma_establish(struct rdma_cm_id *v)
{
	struct cm_id *id = to_cm_id(v);
	int r;

	SCOPED_ENGINE_LOCK();
	if (v->qp || !id->conn)
		return fail(EINVAL);
	r = conn_establish(id->conn);
	if (r == 0)
		engine_flush();
	return r;
}

EXPORT int rdma_notify(struct rdma_cm_id *v, enum ibv_event_type event)
{
	struct cm_id *id = to_cm_id(v);

	SCOPED_ENGINE_LOCK();
	if (event != IBV_EVENT_COMM_EST || !id->conn)
		return fail(EINVAL);
	return conn_communicating(id->conn);
}

EXPORT int rdma_disconnect(struct rdma_cm_id *v)
{
	struct cm_id *id = to_cm_id(v);
	bool known, pending;

	engine_lock();
	known = id->conn != NULL;
	engine_unlock();
	if (!known)
		return fail(EINVAL);
	if (id_qp_error(id) < 0)
		return -1;
	engine_lock();
	if (!id->conn) { /* its channel was destroyed meanwhile */
		engine_unlock();
		return fail(EINVAL);
	}
	conn_disconnect(id->conn);
	/* a synchronous id waits for the event, if there is one to come */
	pending = id->sync &&
		  (id->conn->state == CONN_DREQ_SENT || cm_channel_has(id->channel, id));
	engine_flush();
	engine_unlock();
	return pending ? id_complete(id) : 0;
}

/* ------------------------------------- multicast: rdma_join_multicast(3) -- */

/*
 * RoCEv2 has no subnet administration: a group is an IP multicast address, which sockets join
 * (annex A17.6).
 */

static struct cm_event *join_event(struct cm_id *id, struct membership *mc)
{
	struct cm_event *ev = cm_event_new(id, RDMA_CM_EVENT_MULTICAST_JOIN, 0);
	struct rdma_ud_param *p;
	int error;

	if (!ev)
		return NULL;
	p = &ev->v.param.ud;
	ev->member = mc;
	p->private_data = mc->context;
	error = id_av(id, &mc->mgid, &p->ah_attr);
	if (error) {
		free(ev);
		return fail_null(error);
	}
	p->qp_num = QPN_MULTICAST;
	p->qkey = RDMA_UDP_QKEY;
	return ev;
}

static int join_locked(struct cm_id *id, const struct sockaddr *addr, bool send_only, void *context)
{
	struct membership *mc;
	struct cm_event *ev;
	uint32_t scope;

	if (!id->channel || !id->v.verbs || !is_datagram(id))
		return fail(EINVAL);
	mc = calloc(1, sizeof(*mc));
	if (!mc)
		return -1;
	if (gid_of_sockaddr(&mc->mgid, &scope, addr) < 0 || !gid_is_multicast(&mc->mgid)) {
		free(mc);
		return fail(EINVAL);
	}
	memcpy(&mc->addr, addr, addr_len(addr));
	mc->context = context;
	mc->send_only = send_only;
	ev = join_event(id, mc);
	if (!ev) {
		free(mc);
		return -1;
	}
	LIST_INSERT_HEAD(&id->groups, mc, entry);
	cm_channel_put(ev);
	return 0;
}

static int join_group(struct rdma_cm_id *v, const struct sockaddr *addr, bool send_only,
		      void *context)
{
	bool sync;
	int r;

	engine_lock();
	sync = to_cm_id(v)->sync;
	r = join_locked(to_cm_id(v), addr, send_only, context);
	engine_unlock();
	return r < 0 || !sync ? r : id_complete(to_cm_id(v));
}

EXPORT int rdma_join_multicast(struct rdma_cm_id *v, struct sockaddr *addr, void *context)
{
	return join_group(v, addr, false, context);
}

EXPORT int rdma_join_multicast_ex(struct rdma_cm_id *v, struct rdma_cm_join_mc_attr_ex *attr,
				  void *context)
{
	if (attr->comp_mask >= RDMA_CM_JOIN_MC_ATTR_RESERVED)
		return fail(ENOTSUP);
	if (!(attr->comp_mask & RDMA_CM_JOIN_MC_ATTR_ADDRESS) ||
	    !(attr->comp_mask & RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS) ||
	    attr->join_flags >= RDMA_MC_JOIN_FLAG_RESERVED)
		return fail(EINVAL);
	return join_group(v, attr->addr, attr->join_flags == RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER,
			  context);
}

void membership_joined(struct cm_event *ev)
{
	struct membership *mc = ev->member;
	struct ibv_qp *qp = ev->v.id->qp;
	int error;

	if (!qp || mc->send_only)
		return;
	error = ibv_attach_mcast(qp, &mc->mgid, 0);
	if (error) {
		ev->v.event = RDMA_CM_EVENT_MULTICAST_ERROR;
		ev->v.status = -error;
	} else {
		mc->attached = true;
	}
}

static struct membership *take_membership(struct cm_id *id, const struct sockaddr *addr)
{
	struct membership *mc;

	LIST_FOREACH(mc, &id->groups, entry) {
		if (memcmp(&mc->addr, addr, addr_len(addr)) == 0) {
			LIST_REMOVE(mc, entry);
			return mc;
		}
	}
	return NULL;
}

EXPORT int rdma_leave_multicast(struct rdma_cm_id *v, struct sockaddr *addr)
{
	struct cm_id *id = to_cm_id(v);
	struct membership *mc;

	engine_lock();
	mc = take_membership(id, addr);
	if (mc && id->channel)
		cm_channel_drop_member(id->channel, mc);
	engine_unlock();
	if (!mc)
		return fail(EADDRNOTAVAIL);
	/* its event may be the one that a synchronous id keeps */
	if (id->sync && v->event && ((struct cm_event *)v->event)->member == mc)
		id_ack_kept(v);
	engine_lock();
	cm_await_acks(id, &mc->unacked);
	engine_unlock();
	/* only now: the thread that takes the event attaches the QP */
	if (v->qp && mc->attached)
		ibv_detach_mcast(v->qp, &mc->mgid, 0); /* the application may have done it */
	free(mc);
	return 0;
}

void membership_drop(struct cm_id *id)
{
	struct membership *mc;

	while ((mc = LIST_FIRST(&id->groups))) {
		LIST_REMOVE(mc, entry);
		free(mc);
	}
}
