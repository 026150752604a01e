// SPDX-License-Identifier: MIT
/* Ids that wait for their own events: rdma_create_ep(3), rdma_get_request(3). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "id.h"

#define RESOLVE_MS 2000

int id_complete(struct cm_id *id)
{
	struct rdma_cm_id *v = &id->v;

	if (v->event) {
		rdma_ack_cm_event(v->event);
		v->event = NULL;
	}
	if (rdma_get_cm_event(v->channel, &v->event) < 0)
		return -1;
	if (!v->event->status)
		return 0;
	if (v->event->event == RDMA_CM_EVENT_REJECTED)
		return fail(ECONNREFUSED);
	return fail(v->event->status < 0 ? -v->event->status : v->event->status);
}

/* What the requests of a listener get: rdma_get_request(3). */
static int keep_attr(struct cm_id *id, struct ibv_pd *pd, const struct ibv_qp_init_attr *attr)
{
	if (!attr)
		return 0;
	id->ep_attr = malloc(sizeof(*attr));
	if (!id->ep_attr)
		return -1;
	*id->ep_attr = *attr;
	id->ep_attr->qp_type = id->v.qp_type;
	id->ep_pd = pd;
	return 0;
}

static int keep_connect_data(struct cm_id *id, const struct rdma_addrinfo *res)
{
	if (!res->ai_connect_len)
		return 0;
	id->connect_data = malloc(res->ai_connect_len);
	if (!id->connect_data)
		return -1;
	memcpy(id->connect_data, res->ai_connect, res->ai_connect_len);
	id->connect_len = res->ai_connect_len;
	return 0;
}

static int active_ep(struct rdma_cm_id *v, struct rdma_addrinfo *res, struct ibv_pd *pd,
		     struct ibv_qp_init_attr *attr)
{
	if (rdma_resolve_addr(v, res->ai_src_addr, res->ai_dst_addr, RESOLVE_MS) < 0 ||
	    rdma_resolve_route(v, RESOLVE_MS) < 0)
		return -1;
	if (attr) {
		attr->qp_type = v->qp_type;
		if (rdma_create_qp(v, pd, attr) < 0)
			return -1;
	}
	return keep_connect_data(to_cm_id(v), res);
}

EXPORT int rdma_create_ep(struct rdma_cm_id **out, struct rdma_addrinfo *res, struct ibv_pd *pd,
			  struct ibv_qp_init_attr *attr)
{
	struct rdma_cm_id *v;
	int r;

	if (id_create(NULL, &v, NULL, res->ai_port_space, res->ai_qp_type) < 0)
		return -1;
	if (res->ai_flags & RAI_PASSIVE) {
		r = rdma_bind_addr(v, res->ai_src_addr);
		if (r == 0)
			r = keep_attr(to_cm_id(v), pd, attr);
	} else {
		r = active_ep(v, res, pd, attr);
	}
	if (r < 0) {
		int error = errno;

		rdma_destroy_ep(v);
		return fail(error);
	}
	*out = v;
	return 0;
}

EXPORT void rdma_destroy_ep(struct rdma_cm_id *v)
{
	if (v->qp)
		rdma_destroy_qp(v);
	if (v->srq)
		rdma_destroy_srq(v);
	rdma_destroy_id(v);
}

EXPORT int rdma_get_request(struct rdma_cm_id *listen, struct rdma_cm_id **out)
{
	struct cm_id *id = to_cm_id(listen);
	struct rdma_cm_event *ev;

	if (!id->sync)
		return fail(EINVAL);
	if (listen->event) {
		rdma_ack_cm_event(listen->event);
		listen->event = NULL;
	}
	if (rdma_get_cm_event(listen->channel, &ev) < 0)
		return -1;
	if (ev->event != RDMA_CM_EVENT_CONNECT_REQUEST) {
		listen->event = ev;
		return fail(ev->status < 0 ? -ev->status : EINVAL);
	}
	ev->id->event = ev;
	if (id->ep_attr) {
		struct ibv_qp_init_attr attr = *id->ep_attr;

		if (rdma_create_qp(ev->id, id->ep_pd, &attr) < 0) {
			int error = errno;

			rdma_destroy_id(ev->id);
			return fail(error);
		}
	}
	*out = ev->id;
	return 0;
}
