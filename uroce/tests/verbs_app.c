/* SPDX-License-Identifier: MIT */
#include "verbs_app.h"

#include <fcntl.h>

#include "checks.h"

struct ibv_context *app_context;
struct ibv_pd *app_pd;
struct ibv_comp_channel *app_channel;
struct ibv_cq *app_send_cq, *app_recv_cq;

void app_addresses(bool any)
{
	static const struct rig_address addresses[] = {
		{ "::ffff:192.0.2.1", "eth0", 2, 1500 },
		{ "::ffff:127.0.0.1", "lo", 1, 65536 },
		{ NULL, NULL, 0, 0 },
		{ "fe80::1", "eth0", 2, 1500 },
	};

	rig_addresses(addresses, any ? sizeof addresses / sizeof *addresses : 0);
}

void app_open(void)
{
	app_addresses(true);
	app_context = ibv_open_device(&devices[0].v);
	CHECK(app_context);
	CHECK_INT(fcntl(app_context->async_fd, F_SETFL, O_NONBLOCK), 0);
	app_pd = ibv_alloc_pd(app_context);
	app_channel = ibv_create_comp_channel(app_context);
	CHECK(app_pd && app_channel);
	CHECK_INT(fcntl(app_channel->fd, F_SETFL, O_NONBLOCK), 0);
	app_send_cq = ibv_create_cq(app_context, 64, NULL, app_channel, 0);
	app_recv_cq = ibv_create_cq(app_context, 64, NULL, app_channel, 0);
	CHECK(app_send_cq && app_recv_cq);
}

void app_close(void)
{
	CHECK_INT(ibv_destroy_cq(app_send_cq), 0);
	CHECK_INT(ibv_destroy_cq(app_recv_cq), 0);
	CHECK_INT(ibv_destroy_comp_channel(app_channel), 0);
	CHECK_INT(ibv_dealloc_pd(app_pd), 0);
	CHECK_INT(to_context(app_context)->objects, 0);
	CHECK_INT(ibv_close_device(app_context), 0);
	CHECK_INT(rig_engine_users, 0);
	CHECK_INT(rig_timers, 0);
}

unsigned app_users(void)
{
	return to_pd(app_pd)->users + to_cq(app_send_cq)->users + to_cq(app_recv_cq)->users;
}

struct qp *app_qp(enum ibv_qp_type type, struct srq *srq, uint64_t send_ops)
{
	struct ibv_qp_init_attr_ex a = {
		.send_cq = app_send_cq,
		.recv_cq = app_recv_cq,
		.srq = srq ? &srq->v : NULL,
		.cap = { 4, 4, 2, 2, 32 },
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = app_pd,
		.send_ops_flags = send_ops,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(app_context, &a);

	CHECK(qp != NULL);
	return to_qp(qp);
}

void app_state(struct qp *qp, enum ibv_qp_state state)
{
	qp->attr.qp_state = state;
}

struct ibv_ah_attr app_av(uint8_t index)
{
	return (struct ibv_ah_attr){
		.grh = { .dgid = rig_entry(index)->gid, .sgid_index = index, .hop_limit = 1 },
		.is_global = 1,
		.port_num = 1,
	};
}

struct ibv_wc app_completion(struct ibv_cq *cq)
{
	struct ibv_wc wc[2];

	CHECK_INT(ibv_poll_cq(cq, 2, wc), 1);
	return wc[0];
}
