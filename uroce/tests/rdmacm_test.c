// SPDX-License-Identifier: MIT
/* The rdma_cm API of connections: both ends are in this process, over the host and the
 * transport of the rig. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>

#include "spec_tables.h"
#include "mad.h"
#include "rdmacm_pair.h"

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

static void check_qps(struct qp *a, struct qp *p)
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
	CHECK_INT(a->attr.qp_access_flags, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
						   IBV_ACCESS_REMOTE_ATOMIC | FLUSH_ACCESS_GLOBAL);
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
	check_qps(to_qp(id->qp), to_qp(peer->qp));

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
	CHECK_INT(to_qp(id->qp)->attr.ah_attr.grh.sgid_index, 2);
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
}

/* The reason of the reject for a request to host, where the listener has bound that address. */
static int rejected(const char *bound, const char *host)
{
	int reason;

	open_both(RDMA_PS_TCP, bound);
	resolve(host);
	create_qp(id);
	connect_with(1, "hello");
	reason = expect(client, RDMA_CM_EVENT_REJECTED);
	close_both();
	return reason;
}

/* Nobody listens there: on another address or of the other family, or on another port. */
static void check_nobody(void)
{
	CHECK_INT(rejected("10.0.0.2", "10.0.0.1"), 28);
	CHECK_INT(rejected("0.0.0.0", "fd00::1"), 28);
	open_both(RDMA_PS_TCP, "10.0.0.1");
	rdma_destroy_id(listener);
	resolve("10.0.0.1");
	create_qp(id);
	connect_with(1, "hello");
	CHECK_INT(expect(client, RDMA_CM_EVENT_REJECTED), 8);
	CHECK_INT(rdma_create_id(server, &listener, NULL, RDMA_PS_TCP), 0);
	close_both();
	/* of another process, on another address */
	open_both(RDMA_PS_TCP, "10.0.0.1");
	rdma_destroy_id(listener);
	rig_port_taken = PORT;
	resolve("10.0.0.1");
	create_qp(id);
	connect_with(1, "hello");
	CHECK_INT(expect(client, RDMA_CM_EVENT_REJECTED), 28);
	rig_port_taken = 0;
	CHECK_INT(rdma_create_id(server, &listener, NULL, RDMA_PS_TCP), 0);
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
	rig_run(SECOND);
	CHECK(idle(server));
	FAILS(rdma_create_qp(peer, NULL, &attr), EINVAL); /* it has no path any more */
	CHECK(!peer->qp && !peer->send_cq && !peer->recv_cq && !attr.send_cq && !attr.recv_cq);
	FAILS(rdma_accept(peer, NULL), EINVAL);
	close_id(peer);
	close_both();
}

static void check_unreachable(void)
{
	open_both(RDMA_PS_TCP, "::");
	resolve("10.0.0.1");
	create_qp(id);
	rig_mad_fate = rig_drop_mads;
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
	rig_transport.resize_error = EINVAL;
	FAILS(rdma_accept(peer, NULL), EINVAL);
	rig_transport.resize_error = 0;
	CHECK_INT(rdma_accept(peer, NULL), 0);
	rig_transport.resize_error = ENOMEM;
	CHECK_INT(expect(client, RDMA_CM_EVENT_CONNECT_ERROR), -ENOMEM);
	rig_transport.resize_error = 0;
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
	rig_run(SECOND);
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
	CHECK_INT(expect(client, RDMA_CM_EVENT_REJECTED), 28); /* at once */
	FAILS(rdma_accept(ev->id, NULL), EINVAL);
	close_id(ev->id);
	rdma_ack_cm_event(ev);
	close_both();
}

int main(void)
{
	check_connection();
	check_ipv6();
	check_reject();
	check_nobody();
	check_gone();
	check_unreachable();
	check_own_qp();
	check_qp_fails();
	check_notify();
	check_private_data();
	return checks_end();
}
