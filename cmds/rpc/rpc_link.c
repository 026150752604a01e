/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "arm.h"
#include "codes.h"
#include "own_rows.h"
#include "make.h"
#include "rpc_link.h"
#include "session.h"
#include "trace.h"
#include "words.h"

#define DATAGRAM 4096 /* the largest there is: a receive that is too short would end the QP */
#define BATCH	 16
#define BUDGET	 1024 /* packets in one go; then others have their turn */

static size_t recv_size(const struct rpc_link *l)
{
	return l->kind->grh + DATAGRAM;
}

static uint8_t *recv_at(const struct rpc_link *l, uint64_t i)
{
	return (uint8_t *)l->mr->buf + i * recv_size(l);
}

static uint8_t *send_at(const struct rpc_link *l, unsigned i)
{
	return recv_at(l, l->depth) + (size_t)i * DATAGRAM;
}

static int post_recv(struct rpc_link *l, uint64_t i)
{
	struct ibv_sge sge = { (uintptr_t)recv_at(l, i), (uint32_t)recv_size(l), l->mr->v->lkey };
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(l->qp->v, &wr, &bad);
}

static void fail_link(struct rpc_link *l, enum ibv_wc_status status)
{
	if (l->failed)
		return;
	l->failed = true;
	l->ops->failed(l->arg, word_name(wc_status_words, status));
}

static void take_back(struct rpc_link *l)
{
	struct ibv_wc wc[BATCH];
	int n;

	while ((n = ibv_poll_cq(l->send_cq->v, BATCH, wc)) > 0)
		for (int i = 0; i < n; i++) {
			if (l->n_free < RPC_SENDS)
				l->free[l->n_free++] = (unsigned)wc[i].wr_id;
			if (wc[i].status != IBV_WC_SUCCESS)
				fail_link(l, wc[i].status);
		}
}

static void look(struct rpc_link *l, const uint8_t *data, size_t n, uint32_t from)
{
	struct rpc_packet p;

	switch (rpc_packet_read(data, n, &p)) {
	case RPC_GOOD:
		l->ops->received(l->arg, &p, from);
		return;
	case RPC_CORRUPT:
		l->corrupt++;
		return;
	case RPC_ALIEN:
	case RPC_MALFORMED:
		l->alien++;
		return;
	}
}

static void take(struct rpc_link *l, const struct ibv_wc *wc)
{
	size_t grh = l->kind->grh;

	if (wc->status != IBV_WC_SUCCESS) {
		take_back(l); /* a send that failed is the cause, if there is one */
		fail_link(l, wc->status);
		return;
	}
	if (wc->byte_len >= grh && wc->byte_len <= recv_size(l))
		look(l, recv_at(l, wc->wr_id) + grh, wc->byte_len - grh, wc->src_qp);
	if (post_recv(l, wc->wr_id))
		fail_link(l, IBV_WC_GENERAL_ERR);
}

static unsigned drain(struct rpc_link *l, unsigned budget)
{
	struct ibv_wc wc[BATCH];
	unsigned done = 0;
	int n;

	while (done < budget && (n = ibv_poll_cq(l->cq->v, BATCH, wc)) > 0) {
		for (int i = 0; i < n; i++)
			take(l, &wc[i]);
		done += (unsigned)n;
	}
	return done;
}

void rpc_link_poll(struct rpc_link *l)
{
	drain(l, BUDGET);
}

static void ready(void *arg);

static void go_on(void *arg)
{
	struct rpc_link *l = arg;

	l->again = NULL;
	ready(l);
}

/* What comes between the last poll and the arming raises no event: so poll, arm, poll. */
static void ready(void *arg)
{
	struct rpc_link *l = arg;
	unsigned done = drain(l, BUDGET);

	if (done < BUDGET && !l->cq->armed) {
		if (ibv_req_notify_cq(l->cq->v, 0))
			fail_link(l, IBV_WC_GENERAL_ERR);
		l->cq->armed = true;
		done = drain(l, BUDGET);
	}
	if (done >= BUDGET && !l->again)
		l->again = loop_after(l->s->loop, 0, go_on, l);
}

static int make_objects(struct rpc_link *l, struct dev *dev)
{
	struct qp_spec spec = { .type = l->kind->type,
				.cap = { .max_send_wr = RPC_SENDS,
					 .max_recv_wr = l->depth,
					 .max_send_sge = 1,
					 .max_recv_sge = 1 } };
	size_t bytes = l->depth * recv_size(l) + (size_t)RPC_SENDS * DATAGRAM;
	struct session *s = l->s;
	struct qp *current;

	spec.pd = pd_of(s, dev);
	if (!spec.pd || !(l->mr = mr_make(s, spec.pd, NULL, bytes, IBV_ACCESS_LOCAL_WRITE)) ||
	    !(l->cc = cc_make(s, dev, NULL)) ||
	    !(l->cq = cq_make(s, dev, NULL, l->depth, l->cc, 0)) ||
	    !(l->send_cq = cq_make(s, dev, NULL, RPC_SENDS, NULL, 0)))
		return -1;
	spec.recv_cq = l->cq;
	spec.send_cq = l->send_cq;
	current = qp_current_aside(s);
	l->qp = qp_make(s, &spec);
	qp_current_back(s, current);
	return l->qp ? 0 : -1;
}

static int port_mtu(struct rpc_link *l)
{
	struct ibv_port_attr port;
	int err = ibv_query_port(l->qp->pd->dev->v, 1, &port);

	if (err)
		return fail_call(l->s, err, "ibv_query_port", "%s", l->qp->pd->dev->o.name);
	l->mtu = mtu_bytes(port.active_mtu);
	return 0;
}

static int start(struct rpc_link *l, uint32_t qkey)
{
	l->cq->on_event = ready;
	l->cq->on_event_arg = l;
	if (port_mtu(l) || l->kind->prepare(l, qkey) || cq_arm(l->s, l->cq, false))
		return -1;
	for (unsigned i = 0; i < l->depth; i++) {
		int err = post_recv(l, i);

		if (err)
			return fail_call(l->s, err, "ibv_post_recv", "%s", l->qp->o.name);
	}
	for (unsigned i = 0; i < RPC_SENDS; i++)
		l->free[l->n_free++] = i;
	return 0;
}

int rpc_link_open(struct rpc_link *l, struct session *s, const struct rpc_link_kind *kind,
		  unsigned depth, uint32_t qkey, const struct rpc_link_ops *ops, void *arg)
{
	struct dev *dev = dev_default(s);
	struct fail why;

	*l = (struct rpc_link){ .s = s, .kind = kind, .ops = ops, .arg = arg, .depth = depth };
	if (!dev)
		return -1;
	if (make_objects(l, dev) == 0 && start(l, qkey) == 0) {
		own_left_out("what rpc does", l->qp->v);
		return 0;
	}
	why = fail_aside(s);
	rpc_link_close(l, NULL);
	fail_back(s, why);
	return -1;
}

int rpc_link_connect(struct rpc_link *l, const struct qp_peer *peer, struct rpc_dest *to)
{
	size_t theirs = peer->mtu ? mtu_bytes(peer->mtu) : l->mtu;

	if (l->kind->type == IBV_QPT_RC && theirs < l->mtu)
		l->mtu = theirs;
	*to = (struct rpc_dest){ .qpn = peer->qpn, .qkey = peer->qkey };
	return l->kind->reach(l, peer, to);
}

void rpc_link_use(struct rpc_link *l, void *owner)
{
	obj_use(owner, l->mr);
	obj_use(owner, l->qp);
	obj_use(owner, l->cq);
	obj_use(owner, l->send_cq);
}

#define OBJECTS 5

/* Users before what they use. */
static void objects_of(const struct rpc_link *l, void *objects[OBJECTS + 1], void *owner)
{
	void *all[] = { l->qp, l->send_cq, l->cq, l->cc, l->mr, owner };

	memcpy(objects, all, sizeof all);
}

int rpc_link_check_close(struct rpc_link *l, void *owner)
{
	void *objects[OBJECTS + 1];

	objects_of(l, objects, owner);
	for (unsigned i = 0; i < OBJECTS; i++)
		if (objects[i] && obj_check_destroy(l->s, objects[i], objects, OBJECTS + 1))
			return -1;
	return 0;
}

int rpc_link_close(struct rpc_link *l, void *owner)
{
	void *objects[OBJECTS + 1];

	if (rpc_link_check_close(l, owner))
		return -1;
	objects_of(l, objects, owner);
	loop_cancel(l->s->loop, l->again);
	l->again = NULL;
	if (l->cq)
		l->cq->on_event = NULL;
	for (unsigned i = 0; i < OBJECTS; i++) {
		if (!objects[i])
			continue;
		if (owner)
			obj_unuse(owner, objects[i]);
		if (obj_destroy(l->s, objects[i], false))
			return -1;
	}
	l->qp = NULL;
	l->cq = l->send_cq = NULL;
	l->cc = NULL;
	l->mr = NULL;
	return 0;
}

static void tell(struct rpc_link *l, const struct rpc_packet *p)
{
	if (p->kind == RPC_DATA)
		trace(l->s, VOICE_DATA, "rpc: %s -> seq %u  ack %u  %u B%s%s", l->qp->o.name,
		      p->seq, p->ack, p->len, p->flags & RPC_FIRST ? "  first" : "",
		      p->flags & RPC_LAST ? "  last" : "");
	else
		trace(l->s, VOICE_DATA, "rpc: %s -> ack %u  sack 0x%x", l->qp->o.name, p->ack,
		      p->sack);
}

void rpc_link_send(struct rpc_link *l, const struct rpc_dest *to, const struct rpc_packet *p)
{
	struct ibv_sge sge = { .lkey = l->mr->v->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	unsigned i;

	take_back(l);
	if (l->failed || !l->n_free)
		return;
	i = l->free[--l->n_free];
	sge.addr = (uintptr_t)send_at(l, i);
	sge.length = (uint32_t)rpc_packet_write(send_at(l, i), p);
	wr.wr_id = i;
	l->kind->address(&wr, to);
	if (l->s->opt.raw)
		tell(l, p);
	if (ibv_post_send(l->qp->v, &wr, &bad))
		l->free[l->n_free++] = i;
}
