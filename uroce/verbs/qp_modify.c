/* SPDX-License-Identifier: MIT */
/*
 * ibv_modify_qp(3): volume 1, 10.3.1 and 11.2.5.2. Which attributes a transition needs and
 * takes is in spec/spec_tables.h; here are their values. A call that fails changes nothing.
 */
#include <errno.h>

#include "queue_pair.h"
#include "spec_tables.h"
#include "engine.h"
#include "export.h"
#include "gid.h"
#include "direct.h"
#include "transport.h"

#define KNOWN (2 * (unsigned)IBV_QP_DEST_QPN - 1) /* IBV_QP_RATE_LIMIT is beyond */

/* The QP as it will be. */
struct qp_transition {
	enum ibv_qp_state from, to;
	unsigned mask;
	struct ibv_qp_attr attr;
	struct flow flow;
	uint32_t mtu;
};

/* The largest value of each attribute that is a number of limited range. */
static int check_numbers(const struct ibv_qp_attr *a, unsigned mask)
{
	const struct {
		unsigned bit, value, max;
	} limits[] = {
		{ IBV_QP_PKEY_INDEX, a->pkey_index, 0 }, /* the table has one entry */
		{ IBV_QP_MAX_QP_RD_ATOMIC, a->max_rd_atomic, MAX_RD_ATOM },
		{ IBV_QP_MAX_DEST_RD_ATOMIC, a->max_dest_rd_atomic, MAX_RD_ATOM },
		{ IBV_QP_TIMEOUT, a->timeout, 31 },
		{ IBV_QP_MIN_RNR_TIMER, a->min_rnr_timer, 31 },
		{ IBV_QP_RETRY_CNT, a->retry_cnt, 7 },
		{ IBV_QP_RNR_RETRY, a->rnr_retry, 7 },
		{ IBV_QP_DEST_QPN, a->dest_qp_num, PSN_MASK },
		{ IBV_QP_PATH_MIG_STATE, a->path_mig_state, IBV_MIG_ARMED },
	};

	for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++)
		if (mask & limits[i].bit && limits[i].value > limits[i].max)
			return EINVAL;
	if (mask & IBV_QP_PORT && a->port_num != 1)
		return EINVAL;
	return mask & IBV_QP_ALT_PATH ? EINVAL : 0; /* A16: there are none on Ethernet */
}

#define TAKE(bit, field)  \
	if (mask & (bit)) \
	to->field = a->field

static void take_attributes(struct ibv_qp_attr *to, const struct ibv_qp_attr *a, unsigned mask)
{
	TAKE(IBV_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify);
	TAKE(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	TAKE(IBV_QP_PKEY_INDEX, pkey_index);
	TAKE(IBV_QP_PORT, port_num);
	TAKE(IBV_QP_QKEY, qkey);
	TAKE(IBV_QP_AV, ah_attr);
	TAKE(IBV_QP_PATH_MTU, path_mtu);
	TAKE(IBV_QP_TIMEOUT, timeout);
	TAKE(IBV_QP_RETRY_CNT, retry_cnt);
	TAKE(IBV_QP_RNR_RETRY, rnr_retry);
	TAKE(IBV_QP_RQ_PSN, rq_psn);
	TAKE(IBV_QP_SQ_PSN, sq_psn);
	TAKE(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	TAKE(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	TAKE(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	TAKE(IBV_QP_PATH_MIG_STATE, path_mig_state);
	TAKE(IBV_QP_DEST_QPN, dest_qp_num);
	to->rq_psn &= PSN_MASK; /* the kernel cuts them off, too */
	to->sq_psn &= PSN_MASK;
}

/* The path: its MTU must fit the interface that the address is of. */
static int check_path(struct qp_transition *c)
{
	struct ibv_ah_attr *av = &c->attr.ah_attr;
	const struct gid_entry *e;
	int err = 0;

	if (c->mask & IBV_QP_AV) {
		err = flow_of_av(&c->flow, av);
		av->grh.hop_limit = c->flow.hops; /* the route's, as the kernel tells it */
	}
	if (err || !(c->mask & (IBV_QP_AV | IBV_QP_PATH_MTU)))
		return err;
	c->mtu = mtu_bytes(c->attr.path_mtu);
	e = gid_at(av->grh.sgid_index);
	if (!c->mtu || !e || c->attr.path_mtu > gid_path_mtu(e->mtu))
		return EINVAL;
	return 0;
}

/* A datagram may be as long as the active MTU of the port: that of its first address. */
static uint32_t port_mtu(void)
{
	const struct gid_entry *e = gid_at(0);

	return mtu_bytes(e ? gid_path_mtu(e->mtu) : IBV_MTU_1024);
}

static int check_transition(const struct qp *qp, const struct ibv_qp_attr *a,
			    struct qp_transition *c)
{
	int err;

	if (c->mask & ~KNOWN)
		return EOPNOTSUPP;
	if (qp_judge(qp->type, c->from, c->to, c->mask).answer != QP_OK)
		return EINVAL;
	if (c->mask & IBV_QP_CUR_STATE && a->cur_qp_state != c->from)
		return EINVAL;
	if (qp->draining && (c->to == IBV_QPS_RTS || c->to == IBV_QPS_SQD))
		return EINVAL; /* not before SQ_DRAINED: 10.3.1.5 */
	err = check_numbers(a, c->mask);
	if (err)
		return err;
	if (c->to == IBV_QPS_RESET)
		c->attr = (struct ibv_qp_attr){ .cap = qp->cap };
	if (c->to == IBV_QPS_SQD && c->from != IBV_QPS_SQD)
		c->attr.en_sqd_async_notify = 0; /* unless this call asks for it */
	take_attributes(&c->attr, a, c->mask);
	c->attr.qp_state = c->to;
	if (qp->type == IBV_QPT_UD)
		c->mtu = port_mtu();
	return check_path(c);
}

/* Like the kernel, ignores attributes that only the other half of an XRC connection has: programs
 * give both halves the same attributes. */
static unsigned own_half(enum ibv_qp_type type, unsigned mask)
{
	if (type == IBV_QPT_XRC_SEND)
		mask &= ~(unsigned)(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (type == IBV_QPT_XRC_RECV)
		mask &= ~(unsigned)(IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY);
	return mask;
}

static int modify_qp(struct qp *qp, const struct ibv_qp_attr *a, unsigned mask)
{
	struct qp_transition c = {
		.from = qp_state(qp),
		.to = mask & IBV_QP_STATE ? a->qp_state : qp_state(qp),
		.mask = mask,
		.attr = qp->attr,
		.flow = qp->flow,
		.mtu = qp->mtu,
	};
	int err = check_transition(qp, a, &c);

	if (!err && mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		err = responses_resize(qp, a->max_dest_rd_atomic);
	if (err)
		return err;
	qp->attr = c.attr;
	qp->flow = c.flow;
	qp->mtu = c.mtu;
	if (c.from != c.to || mask & (IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY)) {
		transport_enter(qp, c.from, c.to);
		engine_flush();
	}
	if (mask & IBV_QP_STATE)
		qp->v.state = c.to;
	return 0;
}

EXPORT int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct target_users users;
	int err;

	engine_lock();
	target_hide_qp(to_qp(qp), &users);
	err = modify_qp(to_qp(qp), attr, own_half(to_qp(qp)->type, (unsigned)mask));
	target_show_qp(to_qp(qp));
	engine_unlock();
	target_await(&users);
	return err;
}
