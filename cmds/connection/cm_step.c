/* SPDX-License-Identifier: MIT */
/*
 * The library calls of connection management, one function each, and the objects of an end: PD, CQ,
 * QP, and the region that -share announces. A call that changes the state at once records it here;
 * where the peer's answer changes it, the reader of that event does.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "call/calling.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "live.h"
#include "live_context.h"
#include "object_make.h"
#include "objects.h"
#include "out.h"
#include "qp/qp.h"
#include "recorded.h"
#include "refused_calls.h"
#include "session.h"
#include "why.h"

int cm_step_bind(struct session *s, struct id *id, const char *address, uint16_t port, bool v6)
{
	const int family = address ? AF_UNSPEC : v6 ? AF_INET6 : AF_INET;
	struct sockaddr_storage ss;
	struct sockaddr *sa = (struct sockaddr *)&ss;

	if (cm_addr_parse(s, address, port, family, &ss))
		return -1;
	if (rdma_bind_addr(id->v, sa))
		return cm_fail_bind(s, sa);
	id_state(s, id, ID_BOUND);
	return 0;
}

int cm_step_listen(struct session *s, struct id *id, int backlog)
{
	if (rdma_listen(id->v, backlog))
		return cm_fail_bind(s, rdma_get_local_addr(id->v));
	id->backlog = backlog;
	id_state(s, id, ID_LISTENING);
	return 0;
}

#define SPARE_MS 5000 /* added to the library's own time limit, which should end the wait */

int cm_step_resolve_addr(struct session *s, struct id *id, const char *source,
			 const struct sockaddr_storage *to, uint64_t within_ms, bool wait)
{
	struct sockaddr_storage from;
	struct sockaddr *src = source ? (struct sockaddr *)&from : NULL;
	struct sockaddr *dst = (struct sockaddr *)to;

	if (source && cm_addr_parse(s, source, 0, to->ss_family, &from))
		return -1;
	if (rdma_resolve_addr(id->v, src, dst, (int)within_ms)) {
		call_fail(s, "%s to %s", id->o.name, cm_addr_text(dst));
		cm_explain_resolve(s, src, dst, call_errno());
		return -1;
	}
	return wait ? cm_await(s, id, "rdma_resolve_addr", RDMA_CM_EVENT_ADDR_RESOLVED,
			       within_ms + SPARE_MS, NULL)
		    : 0;
}

int cm_step_resolve_route(struct session *s, struct id *id, uint64_t within_ms, bool wait)
{
	if (rdma_resolve_route(id->v, (int)within_ms)) {
		call_fail(s, "%s to %s", id->o.name, id_peer(id));
		cm_explain_resolve(s, NULL, rdma_get_peer_addr(id->v), call_errno());
		return -1;
	}
	return wait ? cm_await(s, id, "rdma_resolve_route", RDMA_CM_EVENT_ROUTE_RESOLVED,
			       within_ms + SPARE_MS, NULL)
		    : 0;
}

int cm_step_reject(struct session *s, struct id *id, const void *data, size_t len)
{
	if (cm_data_fits(s, id, ROW_rdma_reject, len))
		return -1;
	if (rdma_reject(id->v, len ? data : NULL, (uint8_t)len))
		return call_fail(s, "%s from %s", id->o.name, id_peer(id));
	id_state(s, id, ID_ERROR);
	return 0;
}

int cm_step_disconnect(struct session *s, struct id *id)
{
	if (rdma_disconnect(id->v))
		return call_fail(s, "%s", id->o.name);
	id->left = true;
	id_state(s, id, ID_DISCONNECTED);
	if (id->qp)
		qp_history_cm(id->qp, IBV_QPS_ERR, "rdma_disconnect");
	return 0;
}

int cm_step_make_ah(struct session *s, struct id *id, const struct cm_event *ev)
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
		call_fail(s, "%s", id->o.name);
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

int cm_finish_connect(struct session *s, struct id *id, uint64_t within_ms)
{
	enum rdma_cm_event_type want = id->v->qp || id_is_ud(id) ? RDMA_CM_EVENT_ESTABLISHED
								 : RDMA_CM_EVENT_CONNECT_RESPONSE;
	struct cm_event ev;
	int rc = cm_await(s, id, "rdma_connect", want, within_ms, &ev);

	if (rc)
		return rc == CM_ASKED_HERE ? 0 : -1;
	if (id_is_ud(id) && cm_step_make_ah(s, id, &ev))
		return -1;
	if (id->qp)
		qp_dump(s, id->qp);
	return 0;
}

int cm_finish_accept(struct session *s, struct id *id, uint64_t within_ms)
{
	if (!id_is_ud(id) &&
	    cm_await(s, id, "rdma_accept", RDMA_CM_EVENT_ESTABLISHED, within_ms, NULL))
		return -1;
	if (id->qp)
		qp_dump(s, id->qp);
	return 0;
}

/* Connection parameters, checked before the call, which would only say EINVAL; a failed
 * rdma_accept(3) rejects the peer. */

#define DEPTH 16 /* default of READs and atomics at a time */

/* Fails with the first of these causes, if there is one. */
static int fail_before(struct session *s, enum call_row row, struct causes *c)
{
	const char *call = call_table[row].name;
	const unsigned n = c->n;

	if (n)
		fail(s, call, "EINVAL", "%s not called: %s", call, c->v[0].text);
	causes_free(c);
	return n ? -1 : 0;
}

int cm_data_fits(struct session *s, const struct id *id, enum call_row row, size_t len)
{
	const bool is_iwarp = id->v->verbs && id->v->verbs->device->node_type == IBV_NODE_RNIC;
	struct causes c = { 0 };

	if (!is_iwarp)
		why_message_refused(id->v, row, len, &c);
	else if (len > UINT8_MAX)
		cause_add(&c, IS_SO, NULL, "private_data_len of rdma_conn_param has 8 bits");
	return fail_before(s, row, &c)
		       ? fail_row(s, "remedy", "send the rest in a message once connected")
		       : 0;
}

static uint8_t read_depth(const struct num *asked, int device, bool limited, unsigned peer)
{
	unsigned n = DEPTH;

	if (asked->set)
		return (uint8_t)asked->v;
	if (device >= 0)
		n = MIN(n, (unsigned)device);
	return (uint8_t)(limited ? MIN(n, peer) : n);
}

/* Fills the connection parameters: arguments, else defaults within the limits of the device and the
 * peer's request. */
static int conn_param(struct session *s, struct id *id, enum call_row row,
		      const struct conn_args *a, struct rdma_conn_param *p)
{
	bool limited = row == ROW_rdma_accept && !id_is_ud(id);
	struct dev *dev = id_dev(s, id, call_table[row].name);
	const struct ibv_device_attr *attr;
	struct causes c = { 0 };

	if (!dev || cm_data_fits(s, id, row, a->data.len))
		return -1;
	attr = &dev->attr.orig_attr;
	memset(p, 0, sizeof *p);
	p->private_data = a->data.len ? a->data.data : NULL;
	p->private_data_len = (uint8_t)a->data.len;
	p->responder_resources = read_depth(&a->responder, attr->max_qp_rd_atom, limited,
					    id->last.conn.responder_resources);
	p->initiator_depth = read_depth(&a->initiator, attr->max_qp_init_rd_atom, limited,
					id->last.conn.initiator_depth);
	p->flow_control = a->flow.set ? (uint8_t)a->flow.v : 0;
	p->retry_count = a->retry.set ? (uint8_t)a->retry.v : 7;
	p->rnr_retry_count = a->rnr.set ? (uint8_t)a->rnr.v : 7;
	p->srq = (uint8_t)a->srq.v;
	p->qp_num = id->qp ? id->qp->v->qp_num : (uint32_t)a->qpn.v;
	why_depths_refused(id->v, p, attr, &c);
	return fail_before(s, row, &c);
}

int cm_step_connect(struct session *s, struct id *id, const struct conn_args *a)
{
	struct rdma_conn_param p;

	if (conn_param(s, id, ROW_rdma_connect, a, &p))
		return -1;
	if (rdma_connect(id->v, &p)) {
		call_fail(s, "%s to %s", id->o.name, id_peer(id));
		call_fail_why(s);
		if (call_errno() == ECONNREFUSED) /* iWARP: the kernel connects by TCP */
			fail_row(s, "cause", "nobody listens on that port there");
		return -1;
	}
	id_state(s, id, ID_CONNECTING);
	return 0;
}

int cm_step_accept(struct session *s, struct id *id, const struct conn_args *a)
{
	struct rdma_conn_param p;

	if (conn_param(s, id, ROW_rdma_accept, a, &p))
		return -1;
	if (rdma_accept(id->v, &p)) {
		call_fail(s, "%s from %s", id->o.name, id_peer(id));
		call_fail_why(s);
		if (call_errno() != EINVAL)
			return -1;
		fail_row(s, "likely", "%s has gone since its request", id_peer(id));
		return fail_next(s, "%s", obj_destroy_command(id));
	}
	id_state(s, id, id_is_ud(id) ? ID_ESTABLISHED : ID_ACCEPTING);
	if (id->qp)
		qp_history_sync(id->qp, "rdma_accept");
	return 0;
}

/*
 * The resources of one end of a connection: PD, CQ and QP, and the region that -share announces.
 * rdma_create_qp(3) creates the QP and moves it to INIT, so that receives can be posted before the
 * peer sends.
 */

static struct cq *make_cq(struct session *s, struct dev *dev, const struct ends_args *a)
{
	uint64_t depth = a->depth.set ? a->depth.v : a->sizes.send_wr.v + a->sizes.recv_wr.v;
	int max = dev->attr.orig_attr.max_cqe;
	struct cc *cc = NULL;

	if (!a->depth.set && max > 0 && depth > (unsigned)max)
		depth = (unsigned)max;
	if (a->events) {
		cc = cc_make(s, dev, NULL);
		if (!cc)
			return NULL;
	}
	return cq_make(s, dev, NULL, depth ? (uint32_t)depth : 1, cc, 0);
}

int cm_ends_same_dev(struct session *s, const char *call, const struct id *id,
		     const struct ends_args *a, const struct mr *share)
{
	if (!obj_same_dev(s, call, id, share) && !obj_same_dev(s, call, id, a->pd) &&
	    !obj_same_dev(s, call, id, a->cq) && !obj_same_dev(s, call, id, a->srq))
		return 0;
	return fail_row(s, "remedy", "make them with -device %s, or with a -pd on it",
			ibv_get_device_name(id->v->verbs->device));
}

int cm_ends_make(struct session *s, struct id *id, const struct ends_args *a)
{
	struct dev *dev = id_dev(s, id, "rdma_create_qp");
	uint64_t mark;
	struct qp_spec spec = {
		.name = a->qp_name,
		.type = id_is_ud(id) ? IBV_QPT_UD : IBV_QPT_RC,
		.pd = a->pd,
		.send_cq = a->cq,
		.recv_cq = a->cq,
		.srq = a->srq,
		.id = id,
	};

	qp_set_sizes(&spec, &a->sizes);
	if (!dev || cm_ends_same_dev(s, "rdma_create_qp", id, a, NULL))
		return -1;
	mark = obj_made_mark(s);
	if (!spec.pd)
		spec.pd = a->srq ? a->srq->pd : pd_of(s, dev);
	if (spec.pd && !spec.send_cq)
		spec.send_cq = spec.recv_cq = make_cq(s, dev, a);
	if (!spec.pd || !spec.send_cq || !qp_make(s, &spec))
		return obj_made_undo_since(s, mark);
	id_own_cq(id, a->cq ? NULL : spec.send_cq);
	return 0;
}

int cm_ends_destroy(struct session *s, struct id *id)
{
	struct cq *cq = id->qp && id->qp->send_cq == id->cq ? id->cq : NULL;
	struct cc *cc = cq ? cq->cc : NULL;

	if (obj_destroy(s, id, true))
		return -1;
	if (!cq || obj_used(cq))
		return 0;
	if (obj_destroy(s, cq, false))
		return -1;
	return cc && !obj_used(cc) ? obj_destroy(s, cc, false) : 0;
}

bool cm_ends_named(const struct id *id)
{
	const struct qp *qp = id->qp;

	return id->o.named || (qp && qp->o.named) || (id->cq && id->cq->o.named) ||
	       (id->cq && id->cq->cc && id->cq->cc->o.named);
}

/* The message of listen -share, in network byte order. Most programs exchange the first twelve
 * bytes in this form. The length is there twice: right after these, where some of them read
 * it, and behind the magic, where rdmash reads it, former versions too. */
struct shared_window {
	uint64_t addr;
	uint32_t rkey;
	uint64_t told_len;
	unsigned char magic[8];
	uint64_t len;
	uint32_t access; /* what peers may do with the region */
} __attribute__((packed));
_Static_assert(sizeof(struct shared_window) == SHARE_BYTES, "the size is known to peers");

static const unsigned char magic[8] = "rdmash\0\1";

#define REMOTE (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

void cm_share_pack(const struct live_region *mr, unsigned char data[SHARE_BYTES])
{
	struct shared_window w = {
		.addr = htobe64(mr->begin),
		.rkey = htobe32(mr->rkey),
		.told_len = htobe64(mr->len),
		.len = htobe64(mr->len),
		.access = htobe32(mr->access & REMOTE),
	};

	memcpy(w.magic, magic, sizeof magic);
	memcpy(data, &w, sizeof w);
}

/* The data of a peer is untrusted: values that cannot be a region are ignored. */
bool cm_share_unpack(const unsigned char *data, size_t len, struct qp_peer *window)
{
	struct shared_window w;
	uint64_t addr, size;
	uint32_t access;

	if (len < sizeof w)
		return false;
	memcpy(&w, data, sizeof w);
	addr = be64toh(w.addr);
	size = be64toh(w.len);
	access = be32toh(w.access);
	if (memcmp(w.magic, magic, sizeof magic) != 0 || !size || size > UINT64_MAX - addr ||
	    !access || access & ~(uint32_t)REMOTE)
		return false;
	window->addr = addr;
	window->len = size;
	window->rkey = be32toh(w.rkey);
	window->access = access;
	return true;
}

void cm_share_out(const struct qp_peer *w, struct out *o)
{
	static const struct {
		unsigned flag;
		const char *what;
	} rights[] = { { IBV_ACCESS_REMOTE_WRITE, "writes" },
		       { IBV_ACCESS_REMOTE_READ, "reads" },
		       { IBV_ACCESS_REMOTE_ATOMIC, "atomics" } };
	unsigned rest = w->access;
	const char *between = " is open to ";

	out_dict(o, "window");
	out_u64(o, "addr", w->addr, NULL);
	out_u64(o, "len", w->len, "; its window of %llu bytes", (unsigned long long)w->len);
	out_u64(o, "rkey", w->rkey, NULL);
	out_list(o, "open_to");
	for (size_t i = 0; i < sizeof rights / sizeof *rights; i++) {
		if (!(rest & rights[i].flag))
			continue;
		rest &= ~rights[i].flag;
		out_str(o, NULL, rights[i].what, "%s%s", between, rights[i].what);
		between = rest & (rest - 1) ? ", " : " and ";
	}
	out_end(o);
	out_end(o);
}
