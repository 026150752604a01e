/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <errno.h>

#include "checks.h"
#include "engine.h"
#include "events.h"
#include "fake_below_qp.h"
#include "group.h"
#include "link.h"
#include "transport.h"

struct fake fake;
struct context fake_context;
struct pd fake_pd;
struct cq fake_cq[2];

static void set_gid(unsigned i, const char *addr, const char *ifname, unsigned ifindex,
		    unsigned mtu)
{
	struct gid_entry *e = &fake.gid[i];

	CHECK_INT(inet_pton(AF_INET6, addr, &e->gid), 1);
	snprintf(e->ifname, sizeof e->ifname, "%s", ifname);
	e->ifindex = ifindex;
	e->mtu = mtu;
	e->loopback = ifindex == 1;
}

void fake_reset(void)
{
	fake = (struct fake){ .slot = 5, .group_fd = -1 };
	set_gid(0, "::ffff:192.0.2.1", "eth0", 2, 1500);
	set_gid(1, "::ffff:127.0.0.1", "lo", 1, 65536);
	set_gid(3, "fe80::1", "eth0", 2, 1500);
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
	context_ops_xrc(&fake_context);
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
		.grh = { .dgid = fake.gid[index].gid, .sgid_index = index, .hop_limit = 1 },
		.is_global = 1,
		.port_num = 1,
	};
}

/* ------------------------------------------------------------------ engine -- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void engine_lock(void)
{
	pthread_mutex_lock(&lock);
	fake.locked = true;
}

void engine_unlock(void)
{
	fake.locked = false;
	pthread_mutex_unlock(&lock);
}

void engine_flush(void)
{
	CHECK(fake.locked);
	fake.flushes++;
}

void engine_flush_here(void)
{
	engine_flush();
}

int timer_reserve(int n)
{
	CHECK(fake.locked);
	if (n > 0 && fake.no_timer) {
		errno = ENOMEM;
		return -1;
	}
	fake.timers += n;
	return 0;
}

unsigned group_slot(void)
{
	return fake.slot;
}

int group_fd(void)
{
	return fake.group_fd;
}

/* --------------------------------------------------------------- transport -- */

void requester_run(struct qp *qp)
{
	CHECK(fake.locked);
	fake.runs++;
	if (fake.working)
		qp->sq.head = qp->sq.next = qp->sq.tail;
}

void transport_enter(struct qp *qp, enum ibv_qp_state from, enum ibv_qp_state to)
{
	CHECK(fake.locked);
	CHECK_INT(qp_state(qp), to);
	fake.entered++;
	fake.from = from;
	fake.to = to;
}

int answers_resize(struct qp *qp, unsigned n)
{
	(void)qp;
	if (fake.no_answers)
		return ENOMEM;
	fake.answers = n;
	return 0;
}

void transport_forget(struct qp *qp)
{
	(void)qp;
	fake.forgotten++;
}

void rx_lifetime(int n)
{
	fake.lifetime += n;
}

/* ------------------------------------------------------------------- verbs -- */

void cq_put(struct cq *cq, const struct ibv_wc *wc, bool solicited)
{
	CHECK(fake.locked && solicited && fake.wcs < WCS);
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
	CHECK(c == &fake_context && fake.locked);
	fake.drained = obj;
}

struct window_bind window_bind_of(struct ibv_mw *mw, uint32_t rkey,
				  const struct ibv_mw_bind_info *info)
{
	CHECK(fake.locked);
	return (struct window_bind){ .window = ((struct mw *)mw)->rkey,
				     .rkey = rkey,
				     .addr = info->addr,
				     .len = info->length };
}

void region_forget_qp(struct qp *qp)
{
	fake.unbound = qp;
}

/* --------------------------------------------------------------------- GIDs -- */

const struct gid_entry *gid_at(unsigned index)
{
	CHECK(fake.locked);
	return index < 4 && fake.gid[index].ifindex ? &fake.gid[index] : NULL;
}

unsigned gid_count(void)
{
	return 4;
}

int gid_index(const union ibv_gid *gid, unsigned scope)
{
	(void)scope;
	for (int i = 0; i < 4; i++)
		if (memcmp(gid, &fake.gid[i].gid, sizeof *gid) == 0)
			return i;
	return -1;
}

enum ibv_mtu gid_path_mtu(unsigned ifmtu)
{
	return ifmtu > 4200 ? IBV_MTU_4096 : IBV_MTU_1024;
}

void gid_to_sockaddr(struct sockaddr_storage *ss, const union ibv_gid *gid, uint32_t scope,
		     uint16_t port)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;

	*in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
				      .sin6_port = htons(port),
				      .sin6_scope_id = scope };
	memcpy(&in6->sin6_addr, gid, sizeof *gid);
}

int gid_route(const struct sockaddr *dst)
{
	CHECK_INT(dst->sa_family, AF_INET6);
	errno = fake.route_errno;
	return fake.route_errno ? -1 : 0;
}
