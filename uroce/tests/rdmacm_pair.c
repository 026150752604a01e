// SPDX-License-Identifier: MIT
#include "rdmacm_pair.h"

#include <arpa/inet.h>
#include <errno.h>

#define PATIENCE (200 * SECOND)

struct rdma_event_channel *server, *client;
struct rdma_cm_id *listener, *id;
struct rdma_cm_event *held;

int pass_time(int fd)
{
	uint64_t end = rig_now + PATIENCE;

	CHECK(!rig_locked);
	while (!rig_readable(fd))
		CHECK(rig_step(end));
	return 0;
}

unsigned objects(void)
{
	const struct context *c;

	if (!cm_devices[0].context)
		return 0;
	c = to_context(cm_devices[0].context);
	return to_pd(cm_devices[0].pd)->users + c->channels + c->objects - 1; /* without the PD */
}

struct sockaddr *address(const char *host, uint16_t port)
{
	static struct sockaddr_storage ring[4];
	static unsigned next;
	struct sockaddr_storage *ss = &ring[next++ % 4];
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *in = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
	} else {
		CHECK_INT(inet_pton(AF_INET6, host, &in6->sin6_addr), 1);
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
	}
	return (struct sockaddr *)ss;
}

struct rdma_cm_event *take(struct rdma_event_channel *ch, enum rdma_cm_event_type type)
{
	struct rdma_cm_event *ev;

	CHECK_INT(rdma_get_cm_event(ch, &ev), 0);
	CHECK_INT(ev->event, type);
	return ev;
}

int expect(struct rdma_event_channel *ch, enum rdma_cm_event_type type)
{
	struct rdma_cm_event *ev = take(ch, type);
	int status = ev->status;

	CHECK_INT(rdma_ack_cm_event(ev), 0);
	return status;
}

bool idle(const struct rdma_event_channel *ch)
{
	return !rig_readable(ch->fd);
}

void create_qp(struct rdma_cm_id *i)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 5, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = i->qp_type,
	};

	CHECK_INT(rdma_create_qp(i, NULL, &attr), 0);
}

void open_both(enum rdma_port_space ps, const char *bind)
{
	rig_clear();
	rig_waiter = pass_time;
	server = rdma_create_event_channel();
	client = rdma_create_event_channel();
	CHECK(server && client);
	CHECK_INT(rdma_create_id(server, &listener, &listener, ps), 0);
	CHECK_INT(rdma_bind_addr(listener, address(bind, PORT)), 0);
	CHECK_INT(rdma_listen(listener, 3), 0);
	CHECK_INT(rdma_create_id(client, &id, &client, ps), 0);
}

void resolve(const char *host)
{
	CHECK_INT(rdma_resolve_addr(id, NULL, address(host, PORT), 1000), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	CHECK_INT(rdma_resolve_route(id, 1000), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ROUTE_RESOLVED), 0);
}

void close_id(struct rdma_cm_id *i)
{
	if (i->qp)
		rdma_destroy_qp(i);
	CHECK_INT(rdma_destroy_id(i), 0);
}

void close_both(void)
{
	close_id(id);
	close_id(listener);
	rdma_destroy_event_channel(server);
	rdma_destroy_event_channel(client);
	rig_run(100 * SECOND);
	CHECK_INT(objects(), 0);
	CHECK_INT(rig_timers, 0);
	CHECK_INT(rig_names, 0);
}

void connect_with(uint8_t depth, const char *data)
{
	struct rdma_conn_param p = {
		.private_data = data,
		.private_data_len = (uint8_t)strlen(data),
		.responder_resources = 3,
		.initiator_depth = depth,
		.retry_count = 6,
		.rnr_retry_count = 5,
	};

	CHECK_INT(rdma_connect(id, &p), 0);
}

struct rdma_cm_id *request(void)
{
	struct rdma_cm_event *ev = take(server, RDMA_CM_EVENT_CONNECT_REQUEST);
	struct rdma_cm_id *i = ev->id;

	CHECK(ev->listen_id == listener && i != listener);
	CHECK_INT(rdma_ack_cm_event(ev), 0);
	return i;
}

void release(void)
{
	CHECK(held);
	CHECK_INT(rdma_ack_cm_event(held), 0);
	held = NULL;
}
