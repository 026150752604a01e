/* SPDX-License-Identifier: MIT */
/* Communication ids: rdma_create_id(3), rdma_destroy_id(3), rdma_migrate_id(3), rdma_set_option(3);
 * the device that all of them share: rdma_get_devices(3). */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "engine.h"
#include "export.h"
#include "gid.h"
#include "rdma_id.h"

static struct cm_id *id_new(struct cm_channel *ch, void *context, enum rdma_port_space ps,
			    enum ibv_qp_type qp_type)
{
	struct cm_id *id = calloc(1, sizeof(*id));

	if (!id)
		return NULL;
	id->v.channel = &ch->v;
	id->v.context = context;
	id->v.ps = ps;
	id->v.qp_type = qp_type;
	id->channel = ch;
	id->forks = event_forks;
	id->responder_resources = id->initiator_depth = MAX_RD_ATOM;
	LIST_INIT(&id->groups);
	LIST_INSERT_HEAD(&ch->ids, id, entry);
	return id;
}

static void stop_listening(struct cm_id *id)
{
	if (!id->port)
		return;
	conn_port_leave(id->port, id);
	id->port = NULL;
}

void id_shut(struct cm_id *id)
{
	struct cm_channel *ch = id->channel;

	if (!ch)
		return;
	stop_listening(id);
	if (id->state == ID_ADDR_QUERY)
		id_end_query(id);
	if (id->conn)
		conn_let_go(id->conn);
	id->conn = NULL;
	cm_channel_drop(ch, id);
	LIST_REMOVE(id, entry);
	id->channel = NULL;
}

void id_free(struct cm_id *id)
{
	membership_drop(id);
	free(id->v.route.path_rec);
	rdma_freeaddrinfo(id->resolved);
	free(id->connect_data);
	free(id->ep_attr);
	free(id);
}

/* The device of an address; NULL: it had failed before it could be opened. */
static const struct cm_device *find_device(const union ibv_gid *gid, uint32_t scope)
{
	const int position = gid_find(gid, scope);
	const struct cm_device *d = &cm_devices[position < 0 ? 0 : gid_device((unsigned)position)];

	return d->context ? d : NULL;
}

int id_set_device(struct cm_id *id, const union ibv_gid *sgid, uint32_t scope)
{
	const struct cm_device *d = find_device(sgid, scope);

	if (!d)
		return fail(ENODEV);
	id->sgid = *sgid;
	id->scope = scope;
	id->v.verbs = d->context;
	if (!id->v.pd)
		id->v.pd = d->pd;
	id->v.port_num = 1;
	id->v.route.addr.addr.ibaddr.sgid = *sgid;
	id->v.route.addr.addr.ibaddr.pkey = htobe16(PKEY_DEFAULT);
	return 0;
}

/* The path that the subnet administration would give. rdma_rxe has the same, but for the packet
 * life time.
 */
void id_set_path(struct cm_id *id, const union ibv_gid *dgid, enum ibv_mtu mtu)
{
	struct ibv_sa_path_rec *p = id->v.route.path_rec;
	uint8_t ack_timeout = id->has_ack_timeout ? id->ack_timeout : ACK_TIMEOUT;

	id->v.route.addr.addr.ibaddr.dgid = *dgid;
	if (!p)
		p = calloc(1, sizeof(*p));
	if (!p)
		return;
	*p = (struct ibv_sa_path_rec){
		.dgid = *dgid,
		.sgid = id->sgid,
		.hop_limit = 64,
		.traffic_class = id->tos,
		.reversible = 1,
		.numb_path = 1,
		.pkey = htobe16(PKEY_DEFAULT),
		.mtu_selector = 2, /* exactly */
		.mtu = mtu,
		.rate_selector = 2,
		.packet_life_time_selector = 2,
		.packet_life_time = ack_timeout ? ack_timeout - 1 : 0,
	};
	id->v.route.path_rec = p;
	id->v.route.num_paths = 1;
}

int id_create(struct rdma_event_channel *channel, struct rdma_cm_id **out, void *context,
	      enum rdma_port_space ps, enum ibv_qp_type qp_type)
{
	struct cm_channel *ch = (struct cm_channel *)channel;
	struct cm_id *id;

	if (cm_device_open() < 0)
		return -1;
	if (!ch)
		ch = cm_channel_new();
	if (!ch)
		return -1;
	engine_lock();
	id = ch->dead ? NULL : id_new(ch, context, ps, qp_type);
	if (id)
		id->sync = !channel;
	engine_unlock();
	if (!id) {
		if (!channel)
			cm_channel_free(ch);
		return fail(channel && ch->dead ? EBADF : ENOMEM);
	}
	*out = &id->v;
	return 0;
}

EXPORT int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
			  enum rdma_port_space ps)
{
	switch (ps) {
	case RDMA_PS_TCP:
	case RDMA_PS_IB:
		return id_create(channel, id, context, ps, IBV_QPT_RC);
	case RDMA_PS_UDP:
	case RDMA_PS_IPOIB:
		return id_create(channel, id, context, ps, IBV_QPT_UD);
	}
	return fail(EINVAL);
}

EXPORT int rdma_destroy_id(struct rdma_cm_id *v)
{
	struct cm_id *id = to_cm_id(v);
	struct cm_channel *own = id->sync ? (struct cm_channel *)v->channel : NULL;

	engine_lock();
	if (id->channel) {
		id_shut(id);
		engine_flush();
	}
	engine_unlock();
	id_ack_kept(v);
	engine_lock();
	cm_await_acks(id, &id->unacked);
	engine_unlock();
	if (own)
		cm_channel_free(own);
	id_free(id);
	return 0;
}

EXPORT int rdma_migrate_id(struct rdma_cm_id *v, struct rdma_event_channel *channel)
{
	struct cm_id *id = to_cm_id(v);
	struct cm_channel *to = (struct cm_channel *)channel;
	struct cm_channel *own = id->sync ? (struct cm_channel *)v->channel : NULL;

	if (channel && channel == v->channel)
		return 0;
	if (!to)
		to = cm_channel_new();
	if (!to)
		return -1;
	if (own)
		id_ack_kept(v);
	engine_lock();
	cm_await_acks(id, &id->unacked);
	if (!id->channel || to->dead) {
		engine_unlock();
		if (!channel)
			cm_channel_free(to);
		return fail(EBADF);
	}
	cm_channel_move(id->channel, to, id);
	id->sync = !channel;
	engine_unlock();
	if (own)
		cm_channel_free(own);
	return 0;
}

/* Sets what the application sees of an incoming connection: both addresses and the path. */
static void set_addresses(struct cm_id *id, const struct conn *c, const struct mad_ip *ip)
{
	gid_to_sockaddr(&id->v.route.addr.src_storage, &ip->dst, c->flow.scope,
			(uint16_t)c->service);
	gid_to_sockaddr(&id->v.route.addr.dst_storage, &ip->src, c->flow.scope, ip->sport);
	id_set_device(id, &c->flow.sgid, c->flow.scope);
	id_set_path(id, &c->flow.dgid, c->mtu ? c->mtu : IBV_MTU_1024);
}

static void fill_request(struct cm_event *ev, const struct conn *c, const struct mad *m)
{
	struct rdma_conn_param *p = &ev->v.param.conn;

	cm_event_set_data(ev, m, MAD_IP_BYTES);
	if (c->qp_type == IBV_QPT_UD)
		return;
	p->responder_resources = c->responder_resources;
	p->initiator_depth = c->initiator_depth;
	p->flow_control = m->req.flow_control;
	p->retry_count = m->req.retry_count;
	p->rnr_retry_count = m->req.rnr_retry_count;
	p->srq = m->req.srq;
	p->qp_num = m->req.qpn;
}

int id_conn_request(struct cm_id *listener, struct conn *c, const struct mad *m,
		    const struct mad_ip *ip)
{
	bool datagram = c->qp_type == IBV_QPT_UD;
	struct cm_event *ev;
	struct cm_id *id;

	if (listener->v.qp_type != c->qp_type)
		return datagram ? SIDR_UNSUPPORTED : REJ_TRANSPORT;
	/* as the kernel does: the client may try again, and does */
	if (!listener->backlog)
		return datagram ? SIDR_REJECT : CONN_IGNORE;
	if (!find_device(&c->flow.sgid, c->flow.scope))
		return datagram ? SIDR_NO_QP : REJ_NO_RESOURCES;
	ev = cm_event_new(listener, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	id = id_new(listener->channel, listener->v.context, listener->v.ps, c->qp_type);
	if (!ev || !id) {
		if (id) {
			LIST_REMOVE(id, entry);
			id_free(id);
		}
		free(ev);
		return datagram ? SIDR_NO_QP : REJ_NO_RESOURCES;
	}
	id->state = ID_CONNECT;
	id->quiet = true;
	id->tos = listener->tos;
	id->responder_resources = c->responder_resources;
	id->initiator_depth = c->initiator_depth;
	id->conn = c;
	c->user = id;
	set_addresses(id, c, ip);
	ev->v.id = &id->v;
	ev->v.listen_id = &listener->v;
	fill_request(ev, c, m);
	listener->backlog--;
	cm_channel_put(ev);
	return 0;
}

/* ---------------------------------------------------- rdma_set_option(3) -- */

#define ACK_TIMEOUT_MAX 31

static int set_tos(struct cm_id *id, unsigned v)
{
	id->tos = (uint8_t)v;
	return 0;
}

/* Allowed before the id is bound, or to take the option back. */
static int set_reuse(struct cm_id *id, unsigned v)
{
	if (id->state == ID_LISTEN || (id->state != ID_IDLE && !v))
		return fail(EINVAL);
	id->reuse = v != 0;
	if (id->port)
		id->port->reuse = id->reuse;
	return 0;
}

static int set_afonly(struct cm_id *id, unsigned v)
{
	if (id->state != ID_IDLE)
		return fail(EINVAL);
	id->afonly = v != 0;
	return 0;
}

static int set_ack_timeout(struct cm_id *id, unsigned v)
{
	if (id->v.qp_type != IBV_QPT_RC || v > ACK_TIMEOUT_MAX)
		return fail(EINVAL);
	id->ack_timeout = (uint8_t)v;
	id->has_ack_timeout = true;
	return 0;
}

static const struct option {
	size_t size;
	int (*set)(struct cm_id *id, unsigned v);
} options[] = {
	[RDMA_OPTION_ID_TOS] = { sizeof(uint8_t), set_tos },
	[RDMA_OPTION_ID_REUSEADDR] = { sizeof(int), set_reuse },
	[RDMA_OPTION_ID_AFONLY] = { sizeof(int), set_afonly },
	[RDMA_OPTION_ID_ACK_TIMEOUT] = { sizeof(uint8_t), set_ack_timeout },
};

EXPORT int rdma_set_option(struct rdma_cm_id *v, int level, int name, void *value, size_t size)
{
	unsigned number;

	if (level != RDMA_OPTION_ID || name < 0 ||
	    (size_t)name >= sizeof(options) / sizeof(options[0]))
		return fail(ENOSYS);
	if (size != options[name].size || !value)
		return fail(EINVAL);
	if (size == sizeof(uint8_t))
		number = *(uint8_t *)value;
	else
		memcpy(&number, value, sizeof(number));
	SCOPED_ENGINE_LOCK();
	return options[name].set(to_cm_id(v), number);
}

/* ------------------------------------------------------------ the device -- */

struct cm_device cm_devices[DEVICES_MAX];
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static int open_now(unsigned device)
{
	struct ibv_context *c = ibv_open_device(&devices[device].v);
	struct ibv_pd *pd;

	if (!c)
		return -1;
	pd = ibv_alloc_pd(c);
	if (!pd) {
		int error = errno;

		ibv_close_device(c);
		return fail(error);
	}
	SCOPED_ENGINE_LOCK();
	cm_devices[device].context = c;
	cm_devices[device].pd = pd;
	device_news = cm_device_news;
	return 0;
}

/* A device that has failed (EIO) takes none of the others away. Opening a device opens files, which
 * are cancellation points: a thread must not be cancelled there while it holds the lock. */
int cm_device_open(void)
{
	bool is_open = false;
	int err = 0, state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&opening);
	for (unsigned i = 0; i < device_count() && (!err || err == EIO); i++) {
		if (!cm_devices[i].context && open_now(i) < 0)
			err = errno;
		is_open |= cm_devices[i].context != NULL;
	}
	pthread_mutex_unlock(&opening);
	pthread_setcancelstate(state, NULL);
	return !err || (err == EIO && is_open) ? 0 : fail(err);
}

EXPORT struct ibv_context **rdma_get_devices(int *n)
{
	struct ibv_context **list;
	int open = 0;

	if (n)
		*n = 0;
	if (cm_device_open() < 0)
		return NULL;
	list = calloc(device_count() + 1, sizeof(*list));
	if (!list)
		return NULL;
	for (unsigned i = 0; i < device_count(); i++)
		if (cm_devices[i].context)
			list[open++] = cm_devices[i].context;
	if (n)
		*n = open;
	return list;
}

EXPORT void rdma_free_devices(struct ibv_context **list)
{
	free(list);
}

void cm_forget(void)
{
	cm_channel_forget();
	conn_forget();
	conn_request_forget_deferred();
	conn_port_forget();
	memset(cm_devices, 0, sizeof(cm_devices));
	pthread_mutex_init(&opening, NULL);
}
