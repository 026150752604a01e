/* SPDX-License-Identifier: MIT */
/*
 * injected_events ADDRESS|DEVICE EVENT [N]: an event-driven program. It connects to itself, or
 * opens the device, waits for whatever comes, prints it, and ends with the N-th (1) EVENT.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 20000

static const char *awaited;
static int left = 1;

static void must(int failed, const char *what)
{
	if (!failed)
		return;
	printf("%s failed: %s\n", what, strerrorname_np(errno));
	exit(1);
}

static void print(const char *kind, const char *event, int status)
{
	event += strncmp(event, "RDMA_CM_EVENT_", 14) == 0 ? 14 : 0;
	printf("%s %s %d\n", kind, event, status);
	left -= strcmp(event, awaited) == 0;
}

static void make_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 4, 4, 1, 1, 0 } };

	must(rdma_create_qp(id, NULL, &init), "rdma_create_qp");
}

static void take_cm_event(struct rdma_event_channel *channel)
{
	struct rdma_conn_param param = { .initiator_depth = 1, .retry_count = 7 };
	struct rdma_cm_event *e;
	struct rdma_cm_id *id;

	must(rdma_get_cm_event(channel, &e), "rdma_get_cm_event");
	id = e->id;
	print("cm", rdma_event_str(e->event), e->status);
	switch (e->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		must(rdma_resolve_route(id, 5000), "rdma_resolve_route");
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		make_qp(id);
		must(rdma_connect(id, &param), "rdma_connect");
		break;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		make_qp(id);
		must(rdma_accept(id, &param), "rdma_accept");
		break;
	default:
		break;
	}
	must(rdma_ack_cm_event(e), "rdma_ack_cm_event");
}

static void take_async_event(struct ibv_context *context)
{
	static const struct {
		enum ibv_event_type type;
		const char *name;
	} names[] = { { IBV_EVENT_PORT_ERR, "PORT_ERR" },
		      { IBV_EVENT_PORT_ACTIVE, "PORT_ACTIVE" },
		      { IBV_EVENT_DEVICE_FATAL, "DEVICE_FATAL" } };
	struct ibv_port_attr port = { .state = IBV_PORT_NOP };
	struct ibv_async_event e;

	must(ibv_get_async_event(context, &e), "ibv_get_async_event");
	ibv_ack_async_event(&e);
	ibv_query_port(context, 1, &port);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (e.event_type == names[i].type)
			print("async", names[i].name, port.state);
}

static void wait_on_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;

	for (int i = 0; list && list[i] && !context; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			context = ibv_open_device(list[i]);
	must(!context, "ibv_open_device");
	ibv_free_device_list(list);
	while (left > 0)
		take_async_event(context);
	ibv_close_device(context);
}

int main(int argc, char **argv)
{
	struct rdma_event_channel *channel;
	struct sockaddr_in here = { .sin_family = AF_INET };
	struct rdma_cm_id *listener, *id;

	if (argc < 3)
		return 2;
	setlinebuf(stdout);
	awaited = argv[2];
	left = argc > 3 ? atoi(argv[3]) : 1;
	if (inet_pton(AF_INET, argv[1], &here.sin_addr) != 1) {
		wait_on_device(argv[1]);
		return 0;
	}
	channel = rdma_create_event_channel();
	must(!channel, "rdma_create_event_channel");
	must(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP), "rdma_create_id");
	must(rdma_bind_addr(listener, (struct sockaddr *)&here), "rdma_bind_addr");
	must(rdma_listen(listener, 1), "rdma_listen");
	here.sin_port = rdma_get_src_port(listener);
	must(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), "rdma_create_id");
	must(rdma_resolve_addr(id, NULL, (struct sockaddr *)&here, 5000), "rdma_resolve_addr");
	while (left > 0) {
		struct pollfd fds[] = { { .fd = channel->fd, .events = POLLIN },
					{ .fd = listener->verbs->async_fd, .events = POLLIN } };

		must(poll(fds, 2, PATIENCE_MS) < 1, "the event that is awaited");
		if (fds[0].revents)
			take_cm_event(channel);
		if (fds[1].revents)
			take_async_event(listener->verbs);
	}
	return 0;
}
