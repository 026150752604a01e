/* SPDX-License-Identifier: MIT */
/* The part of traced_program that uses librdmacm. */
#include "traced_program.h"

#include <arpa/inet.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void traced_be_rejected(const char *address)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *to = NULL;
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct rdma_cm_id *id = NULL;
	struct ibv_wc wc;
	struct ibv_mr *mr;
	char buffer[64];

	if (rdma_getaddrinfo(address, "7999", &hints, &to) || rdma_create_ep(&id, to, NULL, &init))
		traced_fail("rdma_create_ep");
	mr = traced_must(rdma_reg_msgs(id, buffer, sizeof buffer), "rdma_reg_msgs");
	if (rdma_post_recv(id, NULL, buffer, sizeof buffer, mr))
		traced_fail("rdma_post_recv");
	if (!rdma_connect(id, NULL))
		traced_fail("rdma_connect, which has worked");
	while (!ibv_poll_cq(id->recv_cq, 1, &wc))
		;
	if (wc.status != IBV_WC_WR_FLUSH_ERR)
		traced_fail("the receive that was flushed");
	rdma_dereg_mr(mr);
	rdma_destroy_ep(id);
	rdma_freeaddrinfo(to);
}

static char window[64];

static struct sockaddr_in address_of(const char *text)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons(7998),
				     .sin_addr.s_addr = inet_addr(text) };
}

/* told: what the peer has told with that event, address and rkey; or NULL. */
static struct rdma_cm_id *await_event(struct rdma_event_channel *channel,
				      enum rdma_cm_event_type wanted, uint64_t told[2])
{
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	if (rdma_get_cm_event(channel, &event) || event->event != wanted)
		traced_fail(rdma_event_str(wanted));
	if (told)
		memcpy(told, event->param.conn.private_data, 2 * sizeof *told);
	id = event->id;
	rdma_ack_cm_event(event);
	return id;
}

static struct ibv_mr *prepare(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
		.sq_sig_all = 1,
	};

	if (rdma_create_qp(id, NULL, &init))
		traced_fail("rdma_create_qp");
	return traced_must(rdma_reg_write(id, window, sizeof window), "rdma_reg_write");
}

void traced_serve(const char *address)
{
	struct rdma_event_channel *channel = traced_must(rdma_create_event_channel(),
							 "the channel");
	uint64_t told[2] = { (uintptr_t)window };
	struct rdma_conn_param param = { .responder_resources = 1,
					 .private_data = told,
					 .private_data_len = sizeof told };
	struct sockaddr_in here = address_of(address);
	struct rdma_cm_id *listener, *id;
	struct ibv_mr *mr;

	if (rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(listener, (struct sockaddr *)&here) || rdma_listen(listener, 1))
		traced_fail("rdma_listen");
	puts("listening");
	fflush(stdout);
	id = await_event(channel, RDMA_CM_EVENT_CONNECT_REQUEST, NULL);
	mr = prepare(id);
	told[1] = mr->rkey;
	if (rdma_post_recv(id, NULL, window, sizeof window, mr) || rdma_accept(id, &param))
		traced_fail("rdma_accept");
	await_event(channel, RDMA_CM_EVENT_ESTABLISHED, NULL);
	await_event(channel, RDMA_CM_EVENT_DISCONNECTED, NULL);
}

/* Of each request members are set that do not count: those of a WRITE in a SEND, those of XRC. */
static void post_and_poll(struct rdma_cm_id *id, struct ibv_mr *mr, enum ibv_wr_opcode opcode,
			  const uint64_t told[2], enum ibv_wc_status wanted)
{
	struct ibv_sge sge = { (uintptr_t)window, sizeof window, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.wr.rdma = { told[0], (uint32_t)told[1] },
		.qp_type.xrc.remote_srqn = 4096,
	};
	struct ibv_wc wc;

	if (ibv_post_send(id->qp, &wr, &bad))
		traced_fail("ibv_post_send");
	while (!ibv_poll_cq(id->qp->send_cq, 1, &wc))
		;
	if (wc.status != wanted)
		traced_fail("the completion");
}

void traced_visit(const char *address, unsigned off)
{
	struct rdma_event_channel *channel = traced_must(rdma_create_event_channel(),
							 "the channel");
	struct rdma_conn_param param = { .initiator_depth = 1, .retry_count = 7 };
	struct sockaddr_in there = address_of(address);
	struct rdma_cm_id *id;
	uint64_t told[2];
	struct ibv_mr *mr;

	if (rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(id, NULL, (struct sockaddr *)&there, 5000))
		traced_fail("rdma_resolve_addr");
	await_event(channel, RDMA_CM_EVENT_ADDR_RESOLVED, NULL);
	if (rdma_resolve_route(id, 5000))
		traced_fail("rdma_resolve_route");
	await_event(channel, RDMA_CM_EVENT_ROUTE_RESOLVED, NULL);
	mr = prepare(id);
	if (rdma_connect(id, &param))
		traced_fail("rdma_connect");
	await_event(channel, RDMA_CM_EVENT_ESTABLISHED, told);
	told[1] += off;
	post_and_poll(id, mr, IBV_WR_SEND, told, IBV_WC_SUCCESS);
	post_and_poll(id, mr, IBV_WR_RDMA_WRITE, told,
		      off ? IBV_WC_REM_ACCESS_ERR : IBV_WC_SUCCESS);
	rdma_disconnect(id);
	await_event(channel, RDMA_CM_EVENT_DISCONNECTED, NULL);
}

void traced_meet(const char *address)
{
	struct rdma_conn_param param = { .initiator_depth = 1, .retry_count = 7 };
	struct sockaddr_in there = address_of(address);
	struct rdma_cm_id *id;
	uint64_t told[2];
	struct ibv_mr *mr;

	if (rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(id, NULL, (struct sockaddr *)&there, 5000) ||
	    rdma_resolve_route(id, 5000))
		traced_fail("rdma_resolve_route");
	mr = prepare(id);
	if (rdma_connect(id, &param))
		traced_fail("rdma_connect");
	memcpy(told, id->event->param.conn.private_data, sizeof told);
	post_and_poll(id, mr, IBV_WR_SEND, told, IBV_WC_SUCCESS);
	post_and_poll(id, mr, IBV_WR_RDMA_WRITE, told, IBV_WC_SUCCESS);
	rdma_disconnect(id);
}
