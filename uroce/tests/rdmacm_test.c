// SPDX-License-Identifier: MIT
/* The rdma_cm API of connections: both ends are in this process, over fakes of verbs and of
 * the host. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>

#include "cm.h"
#include "rdmacm_rig.h"

/* ------------------------------------------------------------------------ connected -- */

static void check_request_event(const struct rdma_cm_event *ev)
{
	const struct rdma_conn_param *p = &ev->param.conn;
	const struct sockaddr_in *peer = (const void *)rdma_get_peer_addr(ev->id);

	CHECK(ev->listen_id == listener);
	CHECK(ev->id->context == listener->context && ev->id->channel == server);
	CHECK_INT(p->private_data_len, 56);
	CHECK_STR(p->private_data, "hello");
	CHECK_INT(p->responder_resources, 4); /* the peer's initiator_depth */
	CHECK_INT(p->initiator_depth, 3);
	CHECK_INT(p->retry_count, 6);
	CHECK_INT(p->rnr_retry_count, 5);
	CHECK_INT(p->qp_num, id->qp->qp_num);
	CHECK(ev->id->verbs == id->verbs && ev->id->pd);
	CHECK_INT(ev->id->port_num, 1);
	CHECK_INT(rdma_get_src_port(ev->id), htons(PORT));
	CHECK_INT(rdma_get_dst_port(ev->id), rdma_get_src_port(id));
	CHECK_INT(peer->sin_family, AF_INET);
	CHECK_INT(peer->sin_addr.s_addr, inet_addr("10.0.0.1"));
	CHECK_INT(ev->id->route.num_paths, 1);
}

static void check_qps(struct fake_qp *a, struct fake_qp *p)
{
	CHECK_INT(a->v.state, IBV_QPS_RTS);
	CHECK_INT(p->v.state, IBV_QPS_RTS);
	CHECK_INT(a->attr.sq_psn, p->attr.rq_psn);
	CHECK_INT(p->attr.sq_psn, a->attr.rq_psn);
	CHECK_INT(a->attr.dest_qp_num, p->v.qp_num);
	CHECK_INT(p->attr.dest_qp_num, a->v.qp_num);
	CHECK_INT(a->attr.path_mtu, IBV_MTU_1024);
	CHECK_INT(p->attr.path_mtu, IBV_MTU_1024);
	CHECK_INT(p->attr.max_dest_rd_atomic, 4);
	CHECK_INT(p->attr.max_rd_atomic, 3);
	CHECK_INT(a->attr.max_dest_rd_atomic, 3);
	CHECK_INT(a->attr.max_rd_atomic, 4);
	CHECK_INT(p->attr.retry_cnt, 6);
	CHECK_INT(a->attr.retry_cnt, 6);
	CHECK_INT(p->attr.rnr_retry, 5); /* what the client has asked for */
	CHECK_INT(a->attr.rnr_retry, 7); /* what the server has */
	CHECK(a->attr.timeout >= 14 && a->attr.timeout <= 16);
	CHECK_INT(a->attr.timeout, p->attr.timeout);
	CHECK_INT(a->attr.ah_attr.is_global, 1);
	CHECK_INT(a->attr.qp_access_flags,
		  IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	CHECK_INT(p->attr.qp_access_flags, a->attr.qp_access_flags);
}

static void check_connection(void)
{
	struct rdma_conn_param reply = { .private_data = "welcome",
					 .private_data_len = 7,
					 .responder_resources = RDMA_MAX_RESP_RES,
					 .initiator_depth = RDMA_MAX_INIT_DEPTH,
					 .rnr_retry_count = 9 };
	struct rdma_cm_id *peer;
	struct rdma_cm_event *ev;

	open_both(RDMA_PS_TCP, "::");
	CHECK(!listener->verbs); /* bound to no device */
	FAILS(rdma_connect(id, NULL), EINVAL);
	FAILS(rdma_resolve_route(id, 1), EINVAL);
	resolve("10.0.0.1");
	CHECK(id->verbs && id->pd && rdma_get_src_port(id));
	CHECK_INT(id->route.path_rec->mtu, IBV_MTU_1024);
	FAILS(rdma_connect(id, NULL), EINVAL); /* neither a QP nor its number */
	create_qp(id);
	CHECK_INT(id->qp->state, IBV_QPS_INIT);
	CHECK(id->send_cq && id->recv_cq && id->send_cq_channel && id->send_cq->cq_context == id);
	CHECK_INT(id->recv_cq->cqe, 5);
	connect_with(4, "hello");
	ev = take(server, RDMA_CM_EVENT_CONNECT_REQUEST);
	check_request_event(ev);
	peer = ev->id;
	create_qp(peer);
	CHECK_INT(rdma_accept(peer, &reply), 0);
	CHECK_INT(rdma_ack_cm_event(ev), 0);
	FAILS(rdma_accept(peer, &reply), EINVAL);
	CHECK_INT(id->qp->state, IBV_QPS_INIT);

	ev = take(client, RDMA_CM_EVENT_ESTABLISHED);
	CHECK_INT(ev->status, 0);
	CHECK_INT(ev->param.conn.private_data_len, 196);
	CHECK_STR(ev->param.conn.private_data, "welcome");
	CHECK_INT(ev->param.conn.qp_num, peer->qp->qp_num);
	CHECK_INT(ev->param.conn.rnr_retry_count, 7);
	rdma_ack_cm_event(ev);
	ev = take(server, RDMA_CM_EVENT_ESTABLISHED);
	CHECK(ev->id == peer);
	rdma_ack_cm_event(ev);
	check_qps(to_fake_qp(id->qp), to_fake_qp(peer->qp));

	CHECK_INT(rdma_disconnect(id), 0);
	CHECK_INT(id->qp->state, IBV_QPS_ERR);
	CHECK_INT(expect(server, RDMA_CM_EVENT_DISCONNECTED), 0);
	CHECK_INT(peer->qp->state, IBV_QPS_RTS); /* until it answers */
	CHECK_INT(rdma_disconnect(peer), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_DISCONNECTED), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_TIMEWAIT_EXIT), 0);
	CHECK_INT(expect(server, RDMA_CM_EVENT_TIMEWAIT_EXIT), 0);
	CHECK_INT(rdma_disconnect(id), 0);
	close_id(peer);
	close_both();
}

static void check_ipv6(void)
{
	struct rdma_cm_event *ev;
	struct rdma_cm_id *peer;
	const struct sockaddr_in6 *in6;

	open_both(RDMA_PS_TCP, "::");
	resolve("fd00::1");
	create_qp(id);
	CHECK_INT(rdma_connect(id, NULL), 0);
	ev = take(server, RDMA_CM_EVENT_CONNECT_REQUEST);
	peer = ev->id;
	in6 = (const void *)rdma_get_local_addr(peer);
	CHECK_INT(in6->sin6_family, AF_INET6);
	CHECK_INT(in6->sin6_addr.s6_addr[0], 0xfd);
	CHECK_INT(ev->param.conn.retry_count, 7);
	CHECK_INT(ev->param.conn.flow_control, 0);
	rdma_ack_cm_event(ev);
	create_qp(peer);
	CHECK_INT(rdma_accept(peer, NULL), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ESTABLISHED), 0);
	CHECK_INT(to_fake_qp(id->qp)->attr.ah_attr.grh.sgid_index, 2);
	CHECK_INT(expect(server, RDMA_CM_EVENT_ESTABLISHED), 0);
	close_id(peer); /* without a word: the CM says it */
	CHECK_INT(expect(client, RDMA_CM_EVENT_DISCONNECTED), 0);
	close_both();
}

static void check_reject(void)
{
	uint8_t much[149] = { 0 };
	struct rdma_cm_event *ev;
	struct rdma_cm_id *peer;

	open_both(RDMA_PS_TCP, "10.0.0.1");
	CHECK(listener->verbs);
	resolve("10.0.0.1");
	create_qp(id);
	connect_with(1, "hello");
	peer = request();
	FAILS(rdma_reject(peer, much, 149), EINVAL);
	CHECK_INT(rdma_reject(peer, "go away", 7), 0);
	FAILS(rdma_reject(peer, NULL, 0), EINVAL);
	ev = take(client, RDMA_CM_EVENT_REJECTED);
	CHECK_INT(ev->status, 28);
	CHECK_INT(ev->param.conn.private_data_len, 148);
	CHECK_STR(ev->param.conn.private_data, "go away");
	rdma_ack_cm_event(ev);
	CHECK_INT(id->qp->state, IBV_QPS_ERR);
	FAILS(rdma_connect(id, NULL), EINVAL);
	close_id(peer);
	close_both();

	/* nobody listens there */
	open_both(RDMA_PS_TCP, "10.0.0.2");
	resolve("10.0.0.1");
	create_qp(id);
	connect_with(1, "hello");
	CHECK_INT(expect(client, RDMA_CM_EVENT_REJECTED), 8);
	close_both();
}

/* The client has gone before it was accepted: that is no event of an id that the application
 * has not answered yet. */
static void check_gone(void)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = { 4, 4, 1, 1, 0 } };
	struct rdma_cm_id *peer, *gone;

	open_both(RDMA_PS_TCP, "10.0.0.1");
	resolve("10.0.0.1");
	create_qp(id);
	connect_with(1, "hello");
	peer = request();
	gone = id;
	CHECK_INT(rdma_create_id(client, &id, NULL, RDMA_PS_TCP), 0);
	close_id(gone);
	fake_run(SECOND);
	CHECK(idle(server));
	FAILS(rdma_create_qp(peer, NULL, &attr), EINVAL); /* it has no path any more */
	FAILS(rdma_accept(peer, NULL), EINVAL);
	close_id(peer);
	close_both();
}

static enum fate drop_all(unsigned n, const struct mad *m)
{
	(void)n;
	(void)m;
	return FATE_DROP;
}

static void check_unreachable(void)
{
	open_both(RDMA_PS_TCP, "::");
	resolve("10.0.0.1");
	create_qp(id);
	fake_fate = drop_all;
	connect_with(1, "hello");
	CHECK_INT(expect(client, RDMA_CM_EVENT_UNREACHABLE), -ETIMEDOUT);
	close_both();
}

/* The application moves its QP itself: no QP of the id. */
static void check_own_qp(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	struct rdma_conn_param p = {
		.qp_num = 0x4242, .srq = 1, .responder_resources = 1, .initiator_depth = 2
	};
	struct rdma_cm_event *ev;
	struct rdma_cm_id *peer;
	int mask;

	open_both(RDMA_PS_TCP, "::");
	resolve("10.0.0.2");
	CHECK_INT(rdma_init_qp_attr(id, &attr, &mask), 0);
	CHECK_INT(mask, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	CHECK_INT(rdma_connect(id, &p), 0);
	FAILS(rdma_init_qp_attr(id, &attr, &mask), EINVAL);
	ev = take(server, RDMA_CM_EVENT_CONNECT_REQUEST);
	CHECK_INT(ev->param.conn.qp_num, 0x4242);
	CHECK_INT(ev->param.conn.srq, 1);
	peer = ev->id;
	rdma_ack_cm_event(ev);
	p.qp_num = 0x4343;
	CHECK_INT(rdma_accept(peer, &p), 0);
	ev = take(client, RDMA_CM_EVENT_CONNECT_RESPONSE);
	CHECK_INT(ev->param.conn.qp_num, 0x4343);
	CHECK_INT(ev->param.conn.private_data_len, 196);
	rdma_ack_cm_event(ev);
	attr.qp_state = IBV_QPS_RTR;
	CHECK_INT(rdma_init_qp_attr(id, &attr, &mask), 0);
	CHECK_INT(attr.dest_qp_num, 0x4343);
	CHECK_INT(mask, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	attr.qp_state = IBV_QPS_RTS;
	CHECK_INT(rdma_init_qp_attr(id, &attr, &mask), 0);
	CHECK_INT(mask, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
	attr.qp_state = IBV_QPS_SQD;
	FAILS(rdma_init_qp_attr(id, &attr, &mask), EINVAL);
	CHECK(idle(server));
	CHECK_INT(rdma_establish(id), 0);
	FAILS(rdma_establish(id), EINVAL);
	CHECK_INT(expect(server, RDMA_CM_EVENT_ESTABLISHED), 0);
	close_id(peer);
	close_both();
}

static void check_qp_fails(void)
{
	struct rdma_cm_id *peer;

	open_both(RDMA_PS_TCP, "::");
	resolve("10.0.0.1");
	create_qp(id);
	connect_with(1, "hello");
	peer = request();
	create_qp(peer);
	fake_modify_error = EINVAL;
	FAILS(rdma_accept(peer, NULL), EINVAL);
	fake_modify_error = 0;
	CHECK_INT(rdma_accept(peer, NULL), 0);
	fake_modify_error = ENOMEM;
	CHECK_INT(expect(client, RDMA_CM_EVENT_CONNECT_ERROR), -ENOMEM);
	fake_modify_error = 0;
	CHECK_INT(id->qp->state, IBV_QPS_ERR);
	CHECK_INT(expect(server, RDMA_CM_EVENT_REJECTED), 28);
	close_id(peer);
	close_both();
}

static void check_notify(void)
{
	struct rdma_cm_id *peer;

	open_both(RDMA_PS_TCP, "::");
	resolve("10.0.0.1");
	create_qp(id);
	connect_with(1, "hello");
	peer = request();
	create_qp(peer);
	FAILS(rdma_notify(peer, IBV_EVENT_COMM_EST), EINVAL);
	CHECK_INT(rdma_accept(peer, NULL), 0);
	CHECK_INT(rdma_notify(peer, IBV_EVENT_COMM_EST), 0);
	CHECK_INT(expect(server, RDMA_CM_EVENT_ESTABLISHED), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ESTABLISHED), 0);
	FAILS(rdma_notify(peer, IBV_EVENT_COMM_EST), EISCONN);
	fake_run(SECOND);
	CHECK(idle(server));
	close_id(peer);
	close_both();
}

static void check_private_data(void)
{
	struct rdma_conn_param p = { .private_data = "0123456789012345678901234567890123456789"
						     "0123456789012345",
				     .private_data_len = 57 };
	struct rdma_cm_event *ev;

	open_both(RDMA_PS_TCP, "::");
	resolve("10.0.0.1");
	create_qp(id);
	FAILS(rdma_connect(id, &p), EINVAL);
	p.private_data_len = 56;
	CHECK_INT(rdma_connect(id, &p), 0);
	ev = take(server, RDMA_CM_EVENT_CONNECT_REQUEST);
	CHECK(memcmp(ev->param.conn.private_data, p.private_data, 56) == 0);
	create_qp(ev->id);
	p.private_data_len = 197;
	FAILS(rdma_accept(ev->id, &p), EINVAL);
	close_id(ev->id);
	rdma_ack_cm_event(ev);
	CHECK_INT(expect(client, RDMA_CM_EVENT_REJECTED), 28);
	close_both();
}

/* -------------------------------------------------------------- binding, listening -- */

static void check_bind(void)
{
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct rdma_cm_id *a, *b;
	int on = 1;

	CHECK_INT(rdma_create_id(ch, &a, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_create_id(ch, &b, NULL, RDMA_PS_TCP), 0);
	FAILS(rdma_bind_addr(a, address("10.0.0.77", PORT)), EADDRNOTAVAIL);
	FAILS(rdma_bind_addr(a, address("fe80::1", PORT)), EINVAL); /* on which link? */
	FAILS(rdma_bind_addr(a, &(struct sockaddr){ .sa_family = AF_UNIX }), EINVAL);
	CHECK_INT(rdma_bind_addr(a, address("10.0.0.1", PORT)), 0);
	FAILS(rdma_bind_addr(a, address("10.0.0.1", PORT)), EINVAL);
	FAILS(rdma_bind_addr(b, address("10.0.0.1", PORT)), EADDRINUSE);
	FAILS(rdma_bind_addr(b, address("0.0.0.0", PORT)), EADDRNOTAVAIL); /* as the kernel */
	FAILS(rdma_bind_addr(b, address("::", PORT)), EADDRNOTAVAIL);
	fake_taken = PORT + 1;
	FAILS(rdma_bind_addr(b, address("::", PORT + 1)), EADDRNOTAVAIL);
	FAILS(rdma_bind_addr(b, address("10.0.0.1", PORT + 1)), EADDRINUSE);
	fake_taken = 0;
	CHECK_INT(rdma_bind_addr(b, address("10.0.0.2", PORT)), 0);
	CHECK_INT(rdma_destroy_id(b), 0);
	CHECK_INT(rdma_create_id(ch, &b, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_set_option(b, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &on, sizeof(on)), 0);
	CHECK_INT(rdma_bind_addr(b, address("::", PORT)), 0);
	FAILS(rdma_set_option(b, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &on, sizeof(on)), EINVAL);
	rdma_destroy_id(b);
	rdma_destroy_id(a);

	/* port spaces are apart; a port of our choice; two with REUSEADDR */
	CHECK_INT(rdma_create_id(ch, &a, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_create_id(ch, &b, NULL, RDMA_PS_UDP), 0);
	CHECK_INT(rdma_bind_addr(a, address("::", PORT)), 0);
	CHECK_INT(rdma_bind_addr(b, address("::", PORT)), 0);
	rdma_destroy_id(a);
	rdma_destroy_id(b);
	CHECK_INT(rdma_create_id(ch, &a, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_create_id(ch, &b, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_set_option(a, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &on, sizeof(on)), 0);
	CHECK_INT(rdma_set_option(b, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &on, sizeof(on)), 0);
	CHECK_INT(rdma_bind_addr(a, address("0.0.0.0", 0)), 0);
	CHECK(rdma_get_src_port(a) != 0);
	CHECK_INT(rdma_bind_addr(b, address("0.0.0.0", ntohs(rdma_get_src_port(a)))), 0);
	FAILS(rdma_listen(a, 0), EADDRNOTAVAIL); /* who listens is alone */
	rdma_destroy_id(a);
	CHECK_INT(rdma_listen(b, 0), 0);
	FAILS(rdma_listen(b, 0), EINVAL);
	rdma_destroy_id(b);
	rdma_destroy_event_channel(ch);
	CHECK_INT(fake_names, 0);
}

static struct rdma_cm_id *more[4];

/* Three requests wait; the fourth finds no room, and comes again. */
static void check_backlog(void)
{
	open_both(RDMA_PS_TCP, "::");
	for (unsigned i = 0; i < 4; i++) {
		CHECK_INT(rdma_create_id(client, &more[i], NULL, RDMA_PS_TCP), 0);
		rdma_destroy_id(id);
		id = more[i];
		resolve("10.0.0.1");
		create_qp(id);
		connect_with(1, "hello");
		CHECK_INT(rdma_create_id(client, &id, NULL, RDMA_PS_TCP), 0);
		fake_run(SECOND / 100);
	}
	fake_run(SECOND);
	CHECK(idle(client));
	for (unsigned i = 0; i < 3; i++)
		close_id(request());
	for (unsigned i = 0; i < 3; i++)
		CHECK_INT(expect(client, RDMA_CM_EVENT_REJECTED), 28);
	fake_run(SECOND * 5);
	/* one that nobody has seen goes with the listener */
	CHECK(!idle(server) && idle(client));
	CHECK_INT(rdma_destroy_id(listener), 0);
	CHECK(idle(server));
	CHECK_INT(expect(client, RDMA_CM_EVENT_REJECTED), 28);
	CHECK(idle(client));
	CHECK_INT(rdma_create_id(server, &listener, NULL, RDMA_PS_TCP), 0);
	for (unsigned i = 0; i < 4; i++)
		close_id(more[i]);
	close_both();
}

static void check_resolve(void)
{
	open_both(RDMA_PS_TCP, "::");
	FAILS(rdma_resolve_addr(id, NULL, address("192.0.2.1", 1), 1000), ENETUNREACH);
	CHECK_INT(rdma_resolve_addr(id, NULL, address("127.0.0.1", 1), 1000), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_ERROR), -ENODEV);
	FAILS(rdma_resolve_addr(id, address("::1", 0), address("10.0.0.1", 1), 1), EINVAL);
	FAILS(rdma_resolve_addr(id, address("10.0.0.77", 0), address("10.0.0.1", 1), 1),
	      EADDRNOTAVAIL);
	FAILS(rdma_resolve_addr(id, address("10.0.0.2", PORT), address("10.0.0.1", 1), 1),
	      EADDRNOTAVAIL);
	CHECK_INT(rdma_resolve_addr(id, address("10.0.0.2", 1234), address("10.0.0.1", 1), 1), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	CHECK_INT(rdma_get_src_port(id), htons(1234));
	CHECK_INT(id->route.addr.addr.ibaddr.sgid.raw[15], 2);
	FAILS(rdma_resolve_addr(id, NULL, address("10.0.0.1", 1), 1), EINVAL);
	close_both();

	/* a neighbour that does not answer, and one that takes its time; it is asked again */
	open_both(RDMA_PS_TCP, "::");
	fake_silent = true;
	fake_asked = 0;
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.77", 1), 2500), 0);
	fake_run(2 * SECOND);
	CHECK(idle(client));
	FAILS(rdma_resolve_route(id, 1000), EINVAL);
	fake_run(SECOND);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_ERROR), -ETIMEDOUT);
	CHECK_INT(fake_asked, 3);
	CHECK(!id->verbs);
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.77", 1), 2500), 0);
	fake_run(SECOND);
	fake_silent = false;
	fake_run(SECOND);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	CHECK_INT(rdma_resolve_route(id, 1000), 0);
	close_both();
	/* an id that goes meanwhile, and our own addresses, which nobody is asked for */
	open_both(RDMA_PS_TCP, "::");
	fake_silent = true;
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.77", 1), 2500), 0);
	close_both();
	open_both(RDMA_PS_TCP, "::");
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.2", 1), 2500), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	close_both();
	fake_silent = false;

	/* an application may keep the address where it goes anyway */
	open_both(RDMA_PS_TCP, "::");
	id->route.addr.dst_sin = *(struct sockaddr_in *)address("10.0.0.1", 1);
	CHECK_INT(rdma_resolve_addr(id, NULL, &id->route.addr.dst_addr, 1000), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ADDR_RESOLVED), 0);
	CHECK_INT(rdma_get_dst_port(id), htons(1));
	close_both();
}

/* ---------------------------------------------------------------- events, channels -- */

static void check_acks(void)
{
	struct rdma_event_channel *other;
	struct rdma_cm_id *peer;
	struct rdma_cm_event *ev;

	open_both(RDMA_PS_TCP, "::");
	FAILS(rdma_ack_cm_event(NULL), EINVAL);
	FAILS(rdma_get_cm_event(NULL, &ev), EINVAL);
	CHECK_INT(fcntl(client->fd, F_SETFL, O_NONBLOCK), 0);
	FAILS(rdma_get_cm_event(client, &ev), EAGAIN);
	CHECK_INT(fcntl(client->fd, F_SETFL, 0), 0);
	/* queued events of an id go with it */
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.1", 1), 1), 0);
	CHECK(!idle(client));
	rdma_destroy_id(id);
	CHECK(idle(client));
	/* taken ones are waited for */
	CHECK_INT(rdma_create_id(client, &id, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_resolve_addr(id, NULL, address("10.0.0.1", PORT), 1), 0);
	held = take(client, RDMA_CM_EVENT_ADDR_RESOLVED);
	fake_sleeper = release;
	rdma_destroy_id(id);
	CHECK(!held);
	/* a request belongs to the listener until it is acknowledged */
	CHECK_INT(rdma_create_id(client, &id, NULL, RDMA_PS_TCP), 0);
	resolve("10.0.0.1");
	create_qp(id);
	connect_with(1, "hello");
	held = take(server, RDMA_CM_EVENT_CONNECT_REQUEST);
	peer = held->id;
	other = rdma_create_event_channel();
	CHECK_INT(rdma_migrate_id(peer, other), 0);
	CHECK(peer->channel == other && held);
	CHECK_INT(rdma_migrate_id(peer, other), 0);
	CHECK_INT(rdma_destroy_id(listener), 0);
	CHECK(!held);
	fake_sleeper = NULL;
	create_qp(peer);
	CHECK_INT(rdma_accept(peer, NULL), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ESTABLISHED), 0);
	fake_run(SECOND);
	CHECK(idle(server) && !idle(other));
	/* queued events move with their id */
	CHECK_INT(rdma_migrate_id(peer, server), 0);
	CHECK(idle(other));
	CHECK_INT(expect(server, RDMA_CM_EVENT_ESTABLISHED), 0);
	/* a channel that goes takes its connections with it */
	CHECK_INT(rdma_migrate_id(peer, other), 0);
	rdma_destroy_event_channel(other);
	CHECK_INT(expect(client, RDMA_CM_EVENT_DISCONNECTED), 0);
	FAILS(rdma_disconnect(peer), EINVAL);
	close_id(peer);
	CHECK_INT(rdma_create_id(server, &listener, NULL, RDMA_PS_TCP), 0);
	close_both();
}

static void check_options(void)
{
	uint8_t tos = 0x68, timeout = 14;
	struct rdma_cm_id *peer;
	int on = 1;

	open_both(RDMA_PS_TCP, "::");
	FAILS(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &on, sizeof(on)), EINVAL);
	FAILS(rdma_set_option(id, RDMA_OPTION_ID, 17, &on, sizeof(on)), ENOSYS);
	FAILS(rdma_set_option(id, RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, &on, sizeof(on)), ENOSYS);
	CHECK_INT(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, 1), 0);
	CHECK_INT(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, 1), 0);
	timeout = 32;
	FAILS(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, 1), EINVAL);
	resolve("10.0.0.1");
	create_qp(id);
	connect_with(1, "hello");
	peer = request();
	create_qp(peer);
	CHECK_INT(rdma_accept(peer, NULL), 0);
	CHECK_INT(expect(client, RDMA_CM_EVENT_ESTABLISHED), 0);
	CHECK_INT(to_fake_qp(id->qp)->attr.timeout, 14);
	CHECK_INT(to_fake_qp(peer->qp)->attr.timeout, 14);
	CHECK_INT(to_fake_qp(id->qp)->attr.ah_attr.grh.traffic_class, 0x68);
	CHECK_INT(to_fake_qp(peer->qp)->attr.ah_attr.grh.traffic_class, 0x68);
	close_id(peer);
	close_both();
}

static void check_addrinfo(void)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_UDP };
	struct rdma_addrinfo *res;

	FAILS(rdma_getaddrinfo(NULL, NULL, NULL, &res), EINVAL);
	CHECK_INT(rdma_getaddrinfo("10.0.0.1", "7471", NULL, &res), 0);
	CHECK_INT(res->ai_family, AF_INET);
	CHECK_INT(res->ai_qp_type, IBV_QPT_RC);
	CHECK_INT(res->ai_port_space, RDMA_PS_TCP);
	CHECK_INT(res->ai_dst_len, sizeof(struct sockaddr_in));
	CHECK(!res->ai_src_len && !res->ai_next);
	rdma_freeaddrinfo(res);
	CHECK_INT(rdma_getaddrinfo("::1", "7471", &hints, &res), 0);
	CHECK_INT(res->ai_qp_type, IBV_QPT_UD);
	CHECK_INT(res->ai_src_len, sizeof(struct sockaddr_in6));
	CHECK(!res->ai_dst_len);
	rdma_freeaddrinfo(res);
	hints.ai_flags = RAI_NUMERICHOST;
	CHECK_INT(rdma_getaddrinfo("not.numeric.example", "7471", &hints, &res), EAI_NONAME);
	hints.ai_qp_type = IBV_QPT_RC;
	CHECK_INT(rdma_getaddrinfo("10.0.0.1", "7471", &hints, &res), EAI_SOCKTYPE);
	hints = (struct rdma_addrinfo){ .ai_src_addr = address("10.0.0.1", 0),
					.ai_src_len = sizeof(struct sockaddr_in),
					.ai_dst_addr = address("10.0.0.2", 1),
					.ai_dst_len = sizeof(struct sockaddr_in) };
	CHECK_INT(rdma_getaddrinfo(NULL, NULL, &hints, &res), 0);
	CHECK_INT(res->ai_src_len, sizeof(struct sockaddr_in));
	CHECK_INT(((struct sockaddr_in *)res->ai_dst_addr)->sin_port, htons(1));
	rdma_freeaddrinfo(res);
}

static void check_devices(void)
{
	struct ibv_context **list;
	int n;

	list = rdma_get_devices(&n);
	CHECK(list && n == 1 && list[0] && !list[1]);
	rdma_free_devices(list);
}

/* In a child of fork(): what was the parent's is dead, and new things can be made. */
static void check_fork(void)
{
	struct rdma_cm_id *old_id, *old_listener;
	struct rdma_event_channel *old;
	struct rdma_cm_event *ev;

	open_both(RDMA_PS_TCP, "::");
	resolve("10.0.0.1");
	old = client;
	old_id = id;
	old_listener = listener;
	cm_forget();
	fake_names = 0; /* the host has forgotten them too */
	fake_reserved = 0;
	FAILS(rdma_get_cm_event(old, &ev), EBADF);
	FAILS(rdma_connect(old_id, NULL), EINVAL);
	CHECK_INT(rdma_destroy_id(old_id), 0);
	CHECK_INT(rdma_destroy_id(old_listener), 0);
	rdma_destroy_event_channel(old);
	rdma_destroy_event_channel(server);
	open_both(RDMA_PS_TCP, "::");
	resolve("10.0.0.1");
	close_both();
}

int main(void)
{
	check_connection();
	check_ipv6();
	check_reject();
	check_gone();
	check_unreachable();
	check_own_qp();
	check_qp_fails();
	check_notify();
	check_private_data();
	check_bind();
	check_backlog();
	check_resolve();
	check_acks();
	check_options();
	check_addrinfo();
	check_devices();
	check_fork();
	return checks_end();
}
