/* SPDX-License-Identifier: MIT */

#include <errno.h>

#include "checks.h"
#include "context.h"
#include "fake_below_qp.h"
#include "link.h"
#include "transport.h"

struct fake fake;
struct context fake_context;
struct pd fake_pd;
struct cq fake_cq[2];

static const struct rig_address addresses[] = {
	{ "::ffff:192.0.2.1", "eth0", 2, 1500 },
	{ "::ffff:127.0.0.1", "lo", 1, 65536 },
	{ NULL, NULL, 0, 0 },
	{ "fe80::1", "eth0", 2, 1500 },
};

void fake_reset(void)
{
	fake = (struct fake){ 0 };
	rig_addresses(addresses, sizeof addresses / sizeof *addresses);
	rig_slot = 5;
	rig_group_fd = -1;
	rig_route_errno = rig_reserved = 0;
	rig_no_timers = false;
	rig_flushes = 0;
	memset(&fake_context, 0, sizeof fake_context);
	memset(&fake_pd, 0, sizeof fake_pd);
	fake_context.v.sz = sizeof fake_context.v;
	fake_context.v.context.abi_compat = (void *)UINTPTR_MAX;
	fake_pd.v.context = &fake_context.v.context;
	fake_pd.domain = &fake_pd;
	for (unsigned i = 0; i < 2; i++) {
		memset(&fake_cq[i], 0, sizeof fake_cq[i]);
		fake_cq[i].v.context = &fake_context.v.context;
	}
	context_ops_qp(&fake_context);
	context_ops_srq(&fake_context);
	context_ops_pd(&fake_context);
}

struct qp *fake_qp(enum ibv_qp_type type, struct srq *srq, uint64_t send_ops)
{
	struct ibv_qp_init_attr_ex a = {
		.send_cq = &fake_cq[0].v,
		.recv_cq = &fake_cq[1].v,
		.srq = srq ? &srq->v : NULL,
		.cap = { 4, 4, 2, 2, 32 },
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = &fake_pd.v,
		.send_ops_flags = send_ops,
	};
	struct ibv_qp *qp = fake_context.v.create_qp_ex(&fake_context.v.context, &a);

	CHECK(qp != NULL);
	return to_qp(qp);
}

void fake_state(struct qp *qp, enum ibv_qp_state state)
{
	qp->attr.qp_state = state;
}

struct ibv_ah_attr fake_av(uint8_t index)
{
	return (struct ibv_ah_attr){
		.grh = { .dgid = rig_entry(index)->gid, .sgid_index = index, .hop_limit = 1 },
		.is_global = 1,
		.port_num = 1,
	};
}

/* --------------------------------------------------------------- transport -- */

void requester_run(struct qp *qp)
{
	CHECK(rig_locked);
	fake.runs++;
	if (fake.working)
		qp->sq.head = qp->sq.next = qp->sq.tail;
}

void transport_enter(struct qp *qp, enum ibv_qp_state from, enum ibv_qp_state to)
{
	CHECK(rig_locked);
	CHECK_INT(qp_state(qp), to);
	fake.entered++;
	fake.from = from;
	fake.to = to;
}

int responses_resize(struct qp *qp, unsigned n)
{
	(void)qp;
	if (fake.no_answers)
		return ENOMEM;
	fake.answers = n;
	return 0;
}

void transport_forget(struct qp *qp)
{
	fake.forgotten++;
	fake.forgotten_peer = qp->attr.dest_qp_num;
}

void rx_want_lifetime(int n)
{
	fake.lifetime += n;
}

/* ------------------------------------------------------------------- verbs -- */

void cq_put(struct cq *cq, const struct ibv_wc *wc, bool solicited)
{
	CHECK(rig_locked && solicited && fake.wcs < WCS);
	fake.wc_cq[fake.wcs] = cq;
	fake.wc[fake.wcs++] = *wc;
}

void cq_purge(struct cq *cq, uint32_t qpn)
{
	(void)cq;
	fake.purged++;
	fake.purged_qpn = qpn;
}

void event_srq(struct srq *srq, enum ibv_event_type type)
{
	CHECK_INT(type, IBV_EVENT_SRQ_LIMIT_REACHED);
	fake.limit = srq;
	fake.limits++;
}

void event_drain(struct context *c, const void *obj)
{
	CHECK(c == &fake_context && rig_locked);
	fake.drained = obj;
	fake.purged_when_drained = fake.purged;
}

struct window_bind window_bind_of(struct ibv_mw *mw, uint32_t rkey,
				  const struct ibv_mw_bind_info *info)
{
	CHECK(rig_locked);
	return (struct window_bind){ .window = ((struct mw *)mw)->rkey,
				     .rkey = rkey,
				     .addr = info->addr,
				     .len = info->length };
}

void region_forget_qp(struct qp *qp)
{
	fake.unbound = qp;
}
