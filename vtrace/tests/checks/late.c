// SPDX-License-Identifier: MIT
/*
 * late ADDRESS CASE
 *
 * Things that are used after their time: fields of completions, events, devices, ids and their
 * channels; and sends that are lost by an end that comes too early. Each has a correct twin.
 */
#include <pthread.h>
#include <rdma/rdma_cma.h>

#include "pair.h"

/* --------------------------------------------------------------------- completions -- */

/* The number of bytes is read after ibv_end_poll(), or without a flag for it. */
static void read_length(void)
{
	struct ibv_cq_init_attr_ex init = {
		.cqe = 16,
		.wc_flags = is("field_not_asked") ? 0 : IBV_WC_EX_WITH_BYTE_LEN,
	};
	struct ibv_cq_ex *cqx = ibv_create_cq_ex(r.context, &init);
	struct ibv_poll_cq_attr none = { 0 };
	struct ibv_qp *receiver;
	uint32_t len = 0;

	check("ibv_create_cq_ex", cqx ? 0 : errno);
	receiver = make_wide_qp(IBV_QPT_RC, ibv_cq_ex_to_cq(cqx), NULL, 0);
	join(&r, a, receiver);
	receive_at(receiver, MEMORY / 2, 64);
	post(IBV_WR_SEND, 0, 8, IBV_SEND_SIGNALED);
	while (ibv_start_poll(cqx, &none))
		usleep(100);
	if (is("field_at_end") && ibv_next_poll(cqx) != ENOENT)
		exit(1);
	if (!is("field_after_end"))
		len = ibv_wc_read_byte_len(cqx);
	ibv_end_poll(cqx);
	if (is("field_after_end"))
		len = ibv_wc_read_byte_len(cqx);
	printf("%u bytes\n", len);
	await_success(r.cq);
	check("ibv_destroy_qp", ibv_destroy_qp(receiver));
	check("ibv_destroy_cq", ibv_destroy_cq(ibv_cq_ex_to_cq(cqx)));
}

/* -------------------------------------------------------------------------- requests -- */

/* Bytes that a READ brings go on by inline data, which are copied within the post. */
static void forward_inline(void)
{
	join(&r, a, b);
	post(IBV_WR_RDMA_READ, 0, 8, IBV_SEND_SIGNALED);
	if (is("inline_when_read"))
		await_success(r.cq);
	check("ibv_post_send", post_from(a, IBV_WR_RDMA_WRITE, 2, 0, 8,
					 IBV_SEND_SIGNALED | IBV_SEND_INLINE | IBV_SEND_FENCE));
	await_success(r.cq);
	if (!is("inline_when_read"))
		await_success(r.cq);
}

/* A WRITE changes at the peer what a READ is to bring. */
static void overwrite(void)
{
	join(&r, a, b);
	post(IBV_WR_RDMA_READ, 0, 64, IBV_SEND_SIGNALED);
	post(IBV_WR_RDMA_WRITE, 1024, 64,
	     IBV_SEND_SIGNALED | (is("overwrite_fenced") ? IBV_SEND_FENCE : 0));
	await_success(r.cq);
	await_success(r.cq);
}

static void arm_without_channel(void)
{
	check("ibv_req_notify_cq", ibv_req_notify_cq(r.cq, 0));
}

/* The last receive goes beyond its region, and the message is shorter. */
static void receive_at_end(void)
{
	struct ibv_mr *mr = register_part(MEMORY / 2, 1024);
	struct ibv_sge sge = { (uintptr_t)mr->addr + 1024 - 256, 256, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (is("recv_beyond"))
		sge.length += 8;
	join(&r, a, b);
	check("ibv_post_recv", ibv_post_recv(b, &wr, &bad));
	post(IBV_WR_SEND, 0, 8, IBV_SEND_SIGNALED);
	await_success(r.cq);
	await_success(other_cq);
	check("ibv_dereg_mr", ibv_dereg_mr(mr));
}

/* --------------------------------------------------------------------------- devices -- */

static void open_again(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL), *device = list[0];
	struct ibv_context *context;

	check("ibv_close_device", ibv_destroy_qp(a) | ibv_destroy_qp(b) | ibv_dereg_mr(r.mr) |
					  ibv_destroy_cq(r.cq) | ibv_destroy_cq(other_cq) |
					  ibv_dealloc_pd(r.pd) | ibv_close_device(r.context));
	if (is("device_late"))
		ibv_free_device_list(list);
	context = ibv_open_device(device);
	if (!is("device_late"))
		ibv_free_device_list(list);
	check("ibv_open_device", context ? ibv_close_device(context) : errno);
	free(r.memory);
	exit(0);
}

/* ------------------------------------------------------------------------- librdmacm -- */

static const char *address;
static struct rdma_event_channel *events; /* of the end that listens */
static struct rdma_cm_id *listener;
static pthread_barrier_t received; /* by the server: with bye_unsignaled the client is lucky */

static struct rdma_cm_event *await_event(struct rdma_event_channel *channel,
					 enum rdma_cm_event_type type)
{
	struct rdma_cm_event *event;

	check("rdma_get_cm_event", rdma_get_cm_event(channel, &event));
	check(rdma_event_str(event->event), event->event == type ? 0 : EPROTO);
	return event;
}

static struct rdma_cm_id *take_event(struct rdma_event_channel *channel,
				     enum rdma_cm_event_type type)
{
	struct rdma_cm_event *event = await_event(channel, type);
	struct rdma_cm_id *id = event->id;

	check("rdma_ack_cm_event", rdma_ack_cm_event(event));
	return id;
}

static void make_cm_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	check("rdma_create_qp", rdma_create_qp(id, NULL, &init));
}

static void receive_of(struct rdma_cm_id *id, struct ibv_mr *mr)
{
	struct ibv_sge sge = { (uintptr_t)mr->addr, 64, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	check("ibv_post_recv", ibv_post_recv(id->qp, &wr, &bad));
}

static void send_of(struct rdma_cm_id *id, struct ibv_mr *mr, unsigned flags)
{
	struct ibv_sge sge = { (uintptr_t)mr->addr + 1024, 64, mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = flags },
			   *bad;

	check("ibv_post_send", ibv_post_send(id->qp, &wr, &bad));
}

/* Takes three messages, and answers the last one if the client waits for that. */
static void *serve(void *memory)
{
	struct rdma_cm_event *event = await_event(events, RDMA_CM_EVENT_CONNECT_REQUEST);
	struct rdma_conn_param *param = &event->param.conn;
	struct rdma_cm_id *id = event->id;
	struct ibv_mr *mr;

	make_cm_qp(id);
	mr = ibv_reg_mr(id->pd, memory, 4096, IBV_ACCESS_LOCAL_WRITE);
	check("ibv_reg_mr", mr ? 0 : errno);
	for (int i = 0; i < 3; i++)
		receive_of(id, mr);
	if (is("event_part_late"))
		check("rdma_ack_cm_event", rdma_ack_cm_event(event));
	check("rdma_accept", rdma_accept(id, param));
	if (!is("event_part_late"))
		check("rdma_ack_cm_event", rdma_ack_cm_event(event));
	take_event(events, RDMA_CM_EVENT_ESTABLISHED);
	for (int i = 0; i < 3; i++)
		await_success(id->recv_cq);
	if (is("bye_unsignaled"))
		pthread_barrier_wait(&received);
	if (is("bye_answered")) {
		send_of(id, mr, IBV_SEND_SIGNALED);
		await_success(id->send_cq);
	}
	take_event(events, RDMA_CM_EVENT_DISCONNECTED);
	rdma_destroy_qp(id);
	check("ibv_dereg_mr", ibv_dereg_mr(mr));
	check("rdma_destroy_id", rdma_destroy_id(id));
	return NULL;
}

static void listen_there(struct sockaddr_in *at)
{
	*at = (struct sockaddr_in){ .sin_family = AF_INET };
	at->sin_addr.s_addr = inet_addr(address);
	events = rdma_create_event_channel();
	check("rdma_create_id", rdma_create_id(events, &listener, NULL, RDMA_PS_TCP));
	check("rdma_bind_addr", rdma_bind_addr(listener, (struct sockaddr *)(void *)at));
	check("rdma_listen", rdma_listen(listener, 1));
	at->sin_port = rdma_get_src_port(listener);
}

/* Gives the QP back after its id, or the id after its channel; or as it should be. */
static void end_client(struct rdma_event_channel *channel, struct rdma_cm_id *id)
{
	struct ibv_qp *qp = id->qp;

	if (is("channel_first"))
		rdma_destroy_event_channel(channel);
	if (is("id_first")) {
		check("rdma_destroy_id", rdma_destroy_id(id));
		ibv_destroy_qp(qp);
	} else {
		if (is("qp_twice"))
			ibv_destroy_qp(qp);
		rdma_destroy_qp(id);
		rdma_destroy_id(id);
	}
	if (!is("channel_first"))
		rdma_destroy_event_channel(channel);
}

/* Three messages and a farewell. */
static void converse(void)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct sockaddr_in to;
	struct rdma_cm_id *id;
	struct ibv_mr *mr;
	pthread_t server;

	pthread_barrier_init(&received, NULL, 2);
	listen_there(&to);
	pthread_create(&server, NULL, serve, r.memory + 8192);
	check("rdma_create_id",
	      rdma_create_id(is("id_migrated") ? NULL : channel, &id, NULL, RDMA_PS_TCP));
	check("rdma_resolve_addr",
	      rdma_resolve_addr(id, NULL, (struct sockaddr *)(void *)&to, 2000));
	if (is("id_migrated")) /* without a channel the address is resolved when the call returns */
		check("rdma_migrate_id", rdma_migrate_id(id, channel));
	else if (!is("route_early"))
		take_event(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	check("rdma_resolve_route", rdma_resolve_route(id, 2000));
	if (is("qp_meanwhile")) /* the device is known */
		make_cm_qp(id);
	if (is("route_early")) /* it goes well if the address is resolved at once */
		take_event(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	take_event(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	if (!is("qp_meanwhile"))
		make_cm_qp(id);
	mr = ibv_reg_mr(id->pd, r.memory, 4096, IBV_ACCESS_LOCAL_WRITE);
	check("ibv_reg_mr", mr ? 0 : errno);
	receive_of(id, mr);
	check("rdma_connect", rdma_connect(id, &(struct rdma_conn_param){ .retry_count = 7,
									  .rnr_retry_count = 7 }));
	take_event(channel, RDMA_CM_EVENT_ESTABLISHED);
	send_of(id, mr, 0);
	send_of(id, mr, 0);
	send_of(id, mr, is("bye_unsignaled") || is("bye_answered") ? 0 : IBV_SEND_SIGNALED);
	if (is("bye_answered"))
		await_success(id->recv_cq);
	else if (!is("bye_unsignaled"))
		await_success(id->send_cq);
	else
		pthread_barrier_wait(&received);
	check("rdma_disconnect", rdma_disconnect(id));
	pthread_join(server, NULL);
	check("ibv_dereg_mr", ibv_dereg_mr(mr));
	end_client(channel, id);
	check("rdma_destroy_id", rdma_destroy_id(listener));
	rdma_destroy_event_channel(events);
}

static const struct named_case cases[] = {
	{ "field_not_asked", read_length },
	{ "field_asked", read_length },
	{ "field_after_end", read_length },
	{ "inline_before_read", forward_inline },
	{ "inline_when_read", forward_inline },
	{ "recv_beyond", receive_at_end },
	{ "recv_within", receive_at_end },
	{ "device_late", open_again },
	{ "device_in_time", open_again },
	{ "event_part_late", converse },
	{ "id_first", converse },
	{ "channel_first", converse },
	{ "bye_unsignaled", converse },
	{ "bye_signaled", converse },
	{ "bye_answered", converse },
	{ "qp_twice", converse },
	{ "route_early", converse },
	{ "qp_meanwhile", converse },
	{ "id_migrated", converse },
	{ "overwrite_unfenced", overwrite },
	{ "overwrite_fenced", overwrite },
	{ "armed_alone", arm_without_channel },
	{ "field_at_end", read_length },
};

int main(int argc, char **argv)
{
	address = argc == 3 ? argv[1] : "";
	return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
