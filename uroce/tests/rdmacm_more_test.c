// SPDX-License-Identifier: MIT
/* The rdma_cm API of datagrams, multicast groups, and ids that wait for their own events. */
#include <arpa/inet.h>
#include <errno.h>

#include "rdmacm_pair.h"

static struct rdma_cm_id *served;

/* ---------------------------------------------------------------------- datagrams -- */

static void check_datagram(void)
{
	struct rdma_conn_param p = { .private_data = "hi", .private_data_len = 2 };
	struct rdma_cm_event *ev;
	struct rdma_cm_id *peer;

	open_both(RDMA_PS_UDP, "::");
	resolve("10.0.0.2");
	create_qp(id);
	CHECK_INT(id->qp->state, IBV_QPS_RTS);
	CHECK_INT(to_qp(id->qp)->attr.qkey, RDMA_UDP_QKEY);
	p.private_data_len = 181;
	FAILS(rdma_connect(id, &p), EINVAL);
	p.private_data_len = 2;
	CHECK_INT(rdma_connect(id, &p), 0);
	ev = take(server, RDMA_CM_EVENT_CONNECT_REQUEST);
	CHECK_INT(ev->param.ud.private_data_len, 180);
	CHECK_STR(ev->param.ud.private_data, "hi");
	peer = ev->id;
	CHECK_INT(peer->qp_type, IBV_QPT_UD);
	create_qp(peer);
	CHECK_INT(rdma_accept(peer, &p), 0);
	rdma_ack_cm_event(ev);
	ev = take(client, RDMA_CM_EVENT_ESTABLISHED);
	CHECK_INT(ev->param.ud.qp_num, peer->qp->qp_num);
	CHECK_INT(ev->param.ud.qkey, RDMA_UDP_QKEY);
	CHECK_INT(ev->param.ud.private_data_len, 136);
	CHECK_INT(ev->param.ud.ah_attr.is_global, 1);
	CHECK_INT(ev->param.ud.ah_attr.port_num, 1);
	CHECK_INT(ev->param.ud.ah_attr.grh.dgid.raw[15], 2);
	rdma_ack_cm_event(ev);
	CHECK(idle(server));
	close_id(peer);
	rdma_destroy_qp(id);
	rdma_destroy_id(id);

	CHECK_INT(rdma_create_id(client, &id, NULL, RDMA_PS_UDP), 0);
	resolve("10.0.0.2");
	create_qp(id);
	CHECK_INT(rdma_connect(id, NULL), 0);
	peer = request();
	CHECK_INT(rdma_reject(peer, "no", 2), 0);
	ev = take(client, RDMA_CM_EVENT_UNREACHABLE);
	CHECK_INT(ev->status, 2);
	CHECK_STR(ev->param.ud.private_data, "no");
	rdma_ack_cm_event(ev);
	close_id(peer);
	close_both();
}

static void check_multicast(void)
{
	struct rdma_cm_join_mc_attr_ex ex = {
		.comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS,
		.join_flags = RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER,
	};
	struct rdma_cm_event *ev;
	int context[1];

	rig_group_fd = RIG_MEMBER_FD;
	open_both(RDMA_PS_UDP, "::");
	FAILS(rdma_join_multicast(id, address("239.1.2.3", 0), NULL), EINVAL); /* not bound */
	CHECK_INT(rdma_resolve_addr(id, NULL, address("239.1.2.3", 0), 1), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	create_qp(id);
	FAILS(rdma_join_multicast(id, address("10.0.0.1", 0), NULL), EINVAL);
	CHECK_INT(rdma_join_multicast(id, address("239.1.2.3", 0), context), 0);
	ev = take(client, RDMA_CM_EVENT_MULTICAST_JOIN);
	CHECK_INT(ev->status, 0);
	CHECK(ev->param.ud.private_data == context);
	CHECK_INT(ev->param.ud.qp_num, 0xffffff);
	CHECK_INT(ev->param.ud.qkey, RDMA_UDP_QKEY);
	CHECK_INT(ev->param.ud.ah_attr.grh.dgid.raw[12], 239);
	CHECK_INT(ev->param.ud.ah_attr.grh.dgid.raw[11], 0xff);
	CHECK_INT(to_qp(id->qp)->mcast, 1);
	held = ev;
	rig_sleeper = release;
	CHECK_INT(rdma_leave_multicast(id, address("239.1.2.3", 0)), 0);
	CHECK(!held);
	rig_sleeper = NULL;
	CHECK_INT(to_qp(id->qp)->mcast, 0);
	FAILS(rdma_leave_multicast(id, address("239.1.2.3", 0)), EADDRNOTAVAIL);
	/* to send only; one whose event is still queued; one that cannot be attached */
	ex.addr = address("239.1.2.4", 0);
	CHECK_INT(rdma_join_multicast_ex(id, &ex, NULL), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_MULTICAST_JOIN), 0);
	CHECK_INT(to_qp(id->qp)->mcast, 0);
	CHECK_INT(rdma_join_multicast(id, address("239.1.2.5", 0), NULL), 0);
	CHECK_INT(rdma_leave_multicast(id, address("239.1.2.5", 0)), 0);
	CHECK(idle(client));
	rig_group_fd = -1;
	CHECK_INT(rdma_join_multicast(id, address("239.1.2.6", 0), NULL), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_MULTICAST_ERROR), -EBADF);
	close_both();
}

static void join_and_release(void)
{
	membership_joined((struct cm_event *)held);
	CHECK_INT(to_qp(id->qp)->mcast, 1);
	release();
}

/* Another thread has taken the event of the join, but not attached the QP yet. */
static void check_leave_early(void)
{
	rig_group_fd = RIG_MEMBER_FD;
	open_both(RDMA_PS_UDP, "::");
	CHECK_INT(rdma_resolve_addr(id, NULL, address("239.1.2.3", 0), 1), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	CHECK_INT(rdma_join_multicast(id, address("239.1.2.3", 0), NULL), 0);
	held = take(client, RDMA_CM_EVENT_MULTICAST_JOIN); /* without a QP: not attached */
	create_qp(id);
	rig_sleeper = join_and_release;
	CHECK_INT(rdma_leave_multicast(id, address("239.1.2.3", 0)), 0);
	rig_sleeper = NULL;
	CHECK(!held);
	CHECK_INT(to_qp(id->qp)->mcast, 0);
	rig_group_fd = -1;
	close_both();
}

/* -------------------------------------------------------------------- synchronous -- */

static void serve(void)
{
	struct rdma_cm_event *ev;

	if (idle(server))
		return;
	rig_app = NULL;
	CHECK_INT(rdma_get_cm_event(server, &ev), 0);
	if (ev->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		create_qp(ev->id);
		CHECK_INT(rdma_accept(ev->id, NULL), 0);
		served = ev->id;
	} else if (ev->event == RDMA_CM_EVENT_DISCONNECTED) {
		CHECK_INT(rdma_disconnect(ev->id), 0);
	}
	rdma_ack_cm_event(ev);
	rig_app = serve;
}

static void check_sync_client(void)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *res;
	const struct ibv_qp_init_attr small = { .cap = { .max_send_wr = 1, .max_recv_wr = 1 } };
	struct ibv_qp_init_attr attr = small;
	struct rdma_cm_id *ep;

	open_both(RDMA_PS_TCP, "::");
	CHECK_INT(rdma_getaddrinfo("10.0.0.1", "7174", &hints, &res), 0);
	CHECK_INT(rdma_create_ep(&ep, res, NULL, &attr), 0);
	CHECK(ep->qp && ep->pd && ep->event);
	CHECK_INT(ep->event->event, RDMA_CM_EVENT_ROUTE_RESOLVED);
	rig_app = serve;
	CHECK_INT(rdma_connect(ep, NULL), 0);
	CHECK_INT(ep->event->event, RDMA_CM_EVENT_ESTABLISHED);
	CHECK_INT(ep->event->param.conn.private_data_len, 196);
	CHECK_INT(ep->qp->state, IBV_QPS_RTS);
	CHECK_INT(rdma_disconnect(ep), 0);
	CHECK_INT(ep->event->event, RDMA_CM_EVENT_DISCONNECTED);
	rig_run(SECOND);
	rig_app = NULL;
	close_id(served);
	rdma_destroy_ep(ep);

	/* nobody there */
	rdma_destroy_id(listener);
	attr = small; /* it had the queues of the first */
	CHECK_INT(rdma_create_ep(&ep, res, NULL, &attr), 0);
	FAILS(rdma_connect(ep, NULL), ECONNREFUSED);
	CHECK_INT(ep->event->status, 8);
	rdma_destroy_ep(ep);
	rdma_freeaddrinfo(res);
	CHECK_INT(rdma_getaddrinfo("192.0.2.1", "7174", &hints, &res), 0);
	FAILS(rdma_create_ep(&ep, res, NULL, &attr), ENETUNREACH);
	rdma_freeaddrinfo(res);
	CHECK_INT(rdma_create_id(server, &listener, NULL, RDMA_PS_TCP), 0);
	close_both();
}

static void client_app(void)
{
	struct rdma_cm_event *ev;

	if (idle(client))
		return;
	rig_app = NULL;
	CHECK_INT(rdma_get_cm_event(client, &ev), 0);
	if (ev->event == RDMA_CM_EVENT_DISCONNECTED)
		CHECK_INT(rdma_disconnect(ev->id), 0);
	rdma_ack_cm_event(ev);
	rig_app = client_app;
}

static void check_sync_server(void)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP };
	struct ibv_qp_init_attr attr = { .cap = { .max_send_wr = 1, .max_recv_wr = 1 } };
	struct rdma_cm_id *ep, *peer;
	struct rdma_addrinfo *res;

	open_both(RDMA_PS_TCP, "10.0.0.2");
	CHECK_INT(rdma_getaddrinfo("10.0.0.1", "7174", &hints, &res), 0);
	CHECK_INT(res->ai_src_len, sizeof(struct sockaddr_in));
	CHECK_INT(rdma_create_ep(&ep, res, NULL, &attr), 0);
	rdma_freeaddrinfo(res);
	FAILS(rdma_get_request(listener, &peer), EINVAL);
	CHECK_INT(rdma_listen(ep, 0), 0);
	resolve("10.0.0.1");
	create_qp(id);
	connect_with(1, "hello");
	rig_app = client_app;
	CHECK_INT(rdma_get_request(ep, &peer), 0);
	CHECK(peer->qp && peer->event && peer->channel != ep->channel);
	CHECK_STR(peer->event->param.conn.private_data, "hello");
	CHECK_INT(rdma_accept(peer, NULL), 0);
	CHECK_INT(peer->event->event, RDMA_CM_EVENT_ESTABLISHED);
	CHECK_INT(rdma_disconnect(peer), 0);
	CHECK_INT(peer->event->event, RDMA_CM_EVENT_DISCONNECTED);
	rig_app = NULL;
	rdma_destroy_ep(peer);
	rdma_destroy_ep(ep);
	close_both();
}

static void check_srq(void)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct rdma_cm_event *ev;

	open_both(RDMA_PS_TCP, "::");
	FAILS(rdma_create_srq(id, NULL, &attr), EINVAL);
	resolve("10.0.0.1");
	CHECK_INT(rdma_create_srq(id, NULL, &attr), 0);
	create_qp(id);
	CHECK(id->qp->srq == id->srq);
	connect_with(1, "hello");
	ev = take(server, RDMA_CM_EVENT_CONNECT_REQUEST);
	CHECK_INT(ev->param.conn.srq, 1);
	close_id(ev->id);
	rdma_ack_cm_event(ev);
	rdma_destroy_qp(id);
	rdma_destroy_srq(id);
	close_both();
}

/* Servers do this for ids that never came to have a QP. */
static void check_no_qp(void)
{
	open_both(RDMA_PS_TCP, "::");
	rdma_destroy_qp(id);
	resolve("10.0.0.1");
	rdma_destroy_qp(id);
	create_qp(id);
	rdma_destroy_qp(id);
	CHECK(!id->qp && !id->send_cq && !id->recv_cq);
	rdma_destroy_qp(id);
	rdma_destroy_qp(listener);
	close_both();
}

/* ------------------------------------------- what came with release 60 of rdma-core -- */

static void check_written_events(void)
{
	struct rdma_cm_event *ev;
	uint64_t arg;

	open_both(RDMA_PS_TCP, "::");
	FAILS(rdma_write_cm_event(id, RDMA_CM_EVENT_ESTABLISHED, 0, 1), EINVAL);
	CHECK(idle(client));
	CHECK_INT(rdma_write_cm_event(id, CM_EVENT_USER, -7, UINT64_C(1) << 40), 0);
	ev = take(client, CM_EVENT_USER);
	CHECK(ev->id == id);
	CHECK_INT(ev->status, -7);
	memcpy(&arg, &ev->param, sizeof arg);
	CHECK_INT(arg, UINT64_C(1) << 40);
	rdma_ack_cm_event(ev);
	close_both();
}

static void check_resolved_names(void)
{
	struct rdma_addrinfo hints = { .ai_flags = CM_RAI_SA }, *info = NULL;

	open_both(RDMA_PS_TCP, "::");
	FAILS(rdma_query_addrinfo(id, &info), ENOENT);
	FAILS(rdma_resolve_addrinfo(id, NULL, "77", &hints), ENOTSUP);
	FAILS(rdma_resolve_addrinfo(id, "10.0.0.2", "no-such-service", NULL), EADDRNOTAVAIL);
	CHECK(idle(client));
	CHECK_INT(rdma_resolve_addrinfo(id, "10.0.0.2", "7471", NULL), 0);
	FAILS(rdma_resolve_addrinfo(id, "10.0.0.2", "7471", NULL), EBUSY);
	CHECK_INT(expect(client, CM_EVENT_ADDRINFO_RESOLVED), 0);
	CHECK_INT(rdma_query_addrinfo(id, &info), 0);
	CHECK_INT(((struct sockaddr_in *)info->ai_dst_addr)->sin_port, htons(7471));
	rdma_freeaddrinfo(info);
	FAILS(rdma_query_addrinfo(id, &info), ENOENT);
	CHECK_INT(rdma_resolve_addrinfo(id, "10.0.0.3", "7471", NULL), 0); /* freed with the id */
	close_both();
}

int main(void)
{
	check_written_events();
	check_resolved_names();
	check_no_qp();
	check_datagram();
	check_multicast();
	check_leave_early();
	check_sync_client();
	check_sync_server();
	check_srq();
	return checks_end();
}
