// SPDX-License-Identifier: MIT
/*
 * Multicast groups: rdma_join_multicast(3). RoCEv2 has no subnet administration: a group is
 * an IP multicast address, and joining it is the business of the sockets (annex A17.6).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "export.h"
#include "gid.h"
#include "rdma_id.h"

static bool is_multicast(const union ibv_gid *gid)
{
	return gid_is_ipv4(gid) ? (gid->raw[12] & 0xf0) == 0xe0 : gid->raw[0] == 0xff;
}

static size_t addr_len(const struct sockaddr *sa)
{
	return sa->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

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
		errno = error;
		return NULL;
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
	if (gid_of_sockaddr(&mc->mgid, &scope, addr) < 0 || !is_multicast(&mc->mgid)) {
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

static int join(struct rdma_cm_id *v, const struct sockaddr *addr, bool send_only, void *context)
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
	return join(v, addr, false, context);
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
	return join(v, attr->addr, attr->join_flags == RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER,
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
	if (v->qp && mc->attached)
		ibv_detach_mcast(v->qp, &mc->mgid, 0); /* may have been done by hand */
	/* its event may be the one that a synchronous id keeps */
	if (id->sync && v->event && ((struct cm_event *)v->event)->member == mc) {
		rdma_ack_cm_event(v->event);
		v->event = NULL;
	}
	engine_lock();
	while (mc->unacked)
		engine_sleep();
	engine_unlock();
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
