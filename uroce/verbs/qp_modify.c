/* SPDX-License-Identifier: MIT */
/*
 * ibv_modify_qp(3): volume 1, 10.3.1 and 11.2.5.2. Which attributes a transition needs and
 * takes is in spec/spec_tables.h; here are their values. A call that fails changes nothing.
 */
#include <linux/capability.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "bytes.h"
#include "queue_pair.h"
#include "spec_tables.h"
#include "engine.h"
#include "profile.h"
#include "export.h"
#include "gid.h"
#include "transport.h"

#define KNOWN (2 * (unsigned)IBV_QP_DEST_QPN - 1) /* IBV_QP_RATE_LIMIT is beyond */

/* The QP as it will be. */
struct qp_transition {
	unsigned device;
	enum ibv_qp_state from, to;
	unsigned mask;
	struct ibv_qp_attr attr;
	struct flow flow;
	uint32_t mtu;
};

#define ANY UINT32_MAX
#define ATTRIBUTE(bit, field, max)                                     \
	{                                                              \
		bit, offsetof(struct ibv_qp_attr, field),              \
			sizeof(((struct ibv_qp_attr *)0)->field), max, \
	}

/* The attributes that ibv_modify_qp() sets, and the largest value of numbers of limited range. */
static const struct {
	unsigned bit;
	uint16_t at, size; /* in struct ibv_qp_attr */
	uint32_t max;
} attributes[] = {
	ATTRIBUTE(IBV_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify, ANY),
	ATTRIBUTE(IBV_QP_ACCESS_FLAGS, qp_access_flags, ANY),
	ATTRIBUTE(IBV_QP_PKEY_INDEX, pkey_index, 0), /* the table has one entry */
	ATTRIBUTE(IBV_QP_PORT, port_num, 1),
	ATTRIBUTE(IBV_QP_QKEY, qkey, ANY),
	ATTRIBUTE(IBV_QP_AV, ah_attr, ANY),
	ATTRIBUTE(IBV_QP_PATH_MTU, path_mtu, ANY),
	ATTRIBUTE(IBV_QP_TIMEOUT, timeout, 31),
	ATTRIBUTE(IBV_QP_RETRY_CNT, retry_cnt, 7),
	ATTRIBUTE(IBV_QP_RNR_RETRY, rnr_retry, 7),
	ATTRIBUTE(IBV_QP_RQ_PSN, rq_psn, ANY),
	ATTRIBUTE(IBV_QP_SQ_PSN, sq_psn, ANY),
	ATTRIBUTE(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic, MAX_RD_ATOM),
	ATTRIBUTE(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, MAX_RD_ATOM),
	ATTRIBUTE(IBV_QP_MIN_RNR_TIMER, min_rnr_timer, 31),
	ATTRIBUTE(IBV_QP_PATH_MIG_STATE, path_mig_state, IBV_MIG_ARMED),
	ATTRIBUTE(IBV_QP_DEST_QPN, dest_qp_num, PSN_MASK),
};

/* 0, or EINVAL: a value is out of range. */
static int take_attributes(struct ibv_qp_attr *to, const struct ibv_qp_attr *a, unsigned mask)
{
	if (mask & IBV_QP_ALT_PATH || (mask & IBV_QP_PORT && !a->port_num))
		return EINVAL; /* A16: there are no alternate paths on Ethernet */
	for (unsigned i = 0; i < sizeof attributes / sizeof *attributes; i++) {
		const void *from = (const char *)a + attributes[i].at;

		if (!(mask & attributes[i].bit))
			continue;
		if (attributes[i].max != ANY &&
		    native_get(from, attributes[i].size) > attributes[i].max)
			return EINVAL;
		memcpy((char *)to + attributes[i].at, from, attributes[i].size);
	}
	to->rq_psn &= PSN_MASK; /* the kernel cuts them off, too */
	to->sq_psn &= PSN_MASK;
	return 0;
}

/* The path: its MTU must fit the interface that the address is of. */
static int check_path(struct qp_transition *c)
{
	struct ibv_ah_attr *av = &c->attr.ah_attr;
	const struct gid_entry *e;
	int err = 0;

	if (c->mask & IBV_QP_AV) {
		err = av_flow(&c->flow, c->device, av);
		av->grh.hop_limit = c->flow.hops; /* the route's, as the kernel tells it */
	}
	if (err || !(c->mask & (IBV_QP_AV | IBV_QP_PATH_MTU)))
		return err;
	c->mtu = spec_mtu_bytes(c->attr.path_mtu);
	e = gid_at(gid_position(c->device, av->grh.sgid_index));
	if (!c->mtu || !e || c->attr.path_mtu > gid_path_mtu(e->mtu))
		return EINVAL;
	return 0;
}

static int check_transition(const struct qp *qp, const struct ibv_qp_attr *a,
			    struct qp_transition *c)
{
	if (c->mask & ~KNOWN)
		return EOPNOTSUPP;
	if (qp_judge(qp->type, c->from, c->to, c->mask).answer != QP_OK)
		return EINVAL;
	if (c->mask & IBV_QP_CUR_STATE && a->cur_qp_state != c->from)
		return EINVAL;
	if (qp->draining && (c->to == IBV_QPS_RTS || c->to == IBV_QPS_SQD))
		return EINVAL; /* not before SQ_DRAINED: 10.3.1.5 */
	if (c->to == IBV_QPS_RESET)
		c->attr = (struct ibv_qp_attr){ .cap = qp->cap };
	if (c->to == IBV_QPS_SQD && c->from != IBV_QPS_SQD)
		c->attr.en_sqd_async_notify = 0; /* unless this call asks for it */
	if (take_attributes(&c->attr, a, c->mask))
		return EINVAL;
	c->attr.qp_state = c->to;
	if (qp->type == IBV_QPT_UD)
		c->mtu = spec_mtu_bytes(gid_active_mtu(c->device)); /* a datagram is no longer */
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

static int modify_qp(struct qp *qp, const struct ibv_qp_attr *a, unsigned mask,
		     enum uroce_cause cause)
{
	struct qp_transition c = {
		.device = context_device(&qp->ctx->v.context),
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
	if (c.to == IBV_QPS_RESET)
		transport_forget(qp); /* while it knows its peer, who may wait for an ACK */
	qp->attr = c.attr;
	qp->flow = c.flow;
	qp->mtu = c.mtu;
	if (c.from != c.to || mask & (IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY)) {
		transport_enter(qp, c.from, c.to, &(struct uroce_change){ .cause = cause });
		engine_flush();
	}
	if (mask & IBV_QP_STATE)
		qp->v.state = c.to;
	return 0;
}

int qp_modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, enum uroce_cause cause)
{
	int err;

	if (profile_is_strict && mask & IBV_QP_QKEY && attr->qkey >> 31 &&
	    profile_lacks(CAP_NET_RAW))
		return EPERM;
	engine_lock();
	err = context_failed(qp->context)
		      ? EIO
		      : modify_qp(to_qp(qp), attr, own_half(to_qp(qp)->type, (unsigned)mask),
				  cause);
	engine_unlock();
	return err;
}

EXPORT int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	const int err = qp_modify(qp, attr, mask, UROCE_BY_PROGRAM);

	if (err)
		errno = err; /* as system calls leave it: programs print it */
	return err;
}
