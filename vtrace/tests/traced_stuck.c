/* SPDX-License-Identifier: MIT */
/* traced_stuck ADDRESS CASE: a program that hangs, for stuck.sh, until somebody ends it. Two QPs of
 * it are connected with each other. */
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <signal.h>

#include "defects/case_rig.h"

/* rnr_retry 7 tries for ever. */
static void connect_pair(struct rig *r, struct ibv_qp *qp, struct ibv_qp *peer, int timeout)
{
	struct path there = usual_path(r, peer->qp_num), back = usual_path(r, qp->qp_num);

	there.timeout = timeout;
	there.rnr_retry = 7;
	check("to INIT", to_init(qp, 1) | to_init(peer, 1));
	check("to RTR", to_rtr(qp, &there) | to_rtr(peer, &back));
	check("to RTS", to_rts(qp, &there) | to_rts(peer, &back));
}

static void wait_for_event(struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq;
	void *context;

	check("ibv_get_cq_event", ibv_get_cq_event(channel, &cq, &context));
}

static volatile sig_atomic_t is_told;

static void take_signal(int number)
{
	is_told = number;
}

/* The SEND waits for a receive until a signal comes; then both complete. */
static void run_late(struct rig *r, struct ibv_qp *qp, struct ibv_qp *peer)
{
	struct ibv_qp_attr attr = { .min_rnr_timer = 1 }; /* 0.01 ms */
	struct ibv_wc wc;

	signal(SIGUSR1, take_signal);
	check("ibv_modify_qp", ibv_modify_qp(peer, &attr, IBV_QP_MIN_RNR_TIMER));
	check("ibv_post_send", post_request(r, qp, IBV_WR_SEND, 17, 64, 0, 0));
	while (!is_told)
		ibv_poll_cq(r->cq, 1, &wc);
	check("ibv_post_recv", post_receive(r, peer, 5, 64));
	await_success(r->cq);
	exit(0);
}

/* Two threads poll the CQ of the sends. Each waits for the completion of its own SEND, and drops
 * that of the other. */
struct poller {
	struct rig *r;
	struct ibv_qp *qp;
	pthread_barrier_t *posted;
	uint64_t wr_id, other;
};

static void *poll_for_own(void *arg)
{
	const struct poller *p = arg;
	struct ibv_wc wc;

	check("ibv_post_send", post_request(p->r, p->qp, IBV_WR_SEND, p->wr_id, 64, 0, 0));
	pthread_barrier_wait(p->posted);
	while (p->wr_id == 1 && ibv_poll_cq(p->r->cq, 1, &wc) == 0)
		; /* the first one takes both before the other looks */
	while (p->wr_id == 1 && ibv_poll_cq(p->r->cq, 1, &wc) == 0)
		;
	pthread_barrier_wait(p->posted);
	while (ibv_poll_cq(p->r->cq, 1, &wc) == 0)
		usleep(1000);
	return NULL;
}

static void run_pollers(struct rig *r, struct ibv_qp *qp)
{
	pthread_barrier_t posted;
	struct poller first = { r, qp, &posted, 1, 2 }, second = { r, qp, &posted, 2, 1 };
	pthread_t thread;

	pthread_barrier_init(&posted, NULL, 2);
	check("pthread_create", pthread_create(&thread, NULL, poll_for_own, &second));
	poll_for_own(&first);
}

static struct sockaddr_in address_of(const char *address)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(7471) };

	inet_pton(AF_INET, address, &a.sin_addr);
	return a;
}

static struct rdma_cm_id *resolve(struct rdma_event_channel *channel, const char *address)
{
	struct sockaddr_in to = address_of(address);
	struct rdma_cm_id *id;

	check("rdma_create_id", rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	check("rdma_resolve_addr", rdma_resolve_addr(id, NULL, (struct sockaddr *)&to, 1000));
	return id;
}

/* The id asks for an event in a channel that nobody reads, or is moved before its event is
 * acknowledged. */
static void run_ids(const char *address)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct rdma_event_channel *other = rdma_create_event_channel();
	struct rdma_cm_id *id = resolve(channel, address);
	struct rdma_cm_event *event;

	check("rdma_get_cm_event", rdma_get_cm_event(channel, &event));
	if (is("unread"))
		check("rdma_ack_cm_event", rdma_ack_cm_event(event));
	check("rdma_migrate_id", rdma_migrate_id(id, other));
	check("rdma_resolve_route", rdma_resolve_route(id, 1000));
	check("rdma_get_cm_event", rdma_get_cm_event(channel, &event));
}

static void take_event(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *event;

	check("rdma_get_cm_event", rdma_get_cm_event(channel, &event));
	check("rdma_ack_cm_event", rdma_ack_cm_event(event));
}

static void take_request(struct rdma_event_channel *channel, struct ibv_qp_init_attr *attr,
			 struct rdma_conn_param *param)
{
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	check("rdma_get_cm_event", rdma_get_cm_event(channel, &event));
	id = event->id;
	check("rdma_ack_cm_event", rdma_ack_cm_event(event));
	if (is("unanswered"))
		return;
	check("rdma_create_qp", rdma_create_qp(id, NULL, attr));
	check("rdma_accept", rdma_accept(id, param));
}

/* Waits for an event of a connection whose request, or whose end, the other end has not answered.
 */
static void run_unanswered(const char *address)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC,
					 .cap = { .max_send_wr = 1,
						  .max_recv_wr = 1,
						  .max_send_sge = 1,
						  .max_recv_sge = 1 } },
				peer_attr = attr;
	struct rdma_event_channel *there = rdma_create_event_channel();
	struct rdma_event_channel *here = rdma_create_event_channel();
	struct sockaddr_in at = address_of(address);
	struct rdma_conn_param param = { .retry_count = 7 };
	struct rdma_cm_id *listener, *id;

	check("rdma_create_id", rdma_create_id(there, &listener, NULL, RDMA_PS_TCP));
	check("rdma_bind_addr", rdma_bind_addr(listener, (struct sockaddr *)&at));
	check("rdma_listen", rdma_listen(listener, 1));
	id = resolve(here, address);
	take_event(here);
	check("rdma_resolve_route", rdma_resolve_route(id, 1000));
	take_event(here);
	check("rdma_create_qp", rdma_create_qp(id, NULL, &attr));
	check("rdma_connect", rdma_connect(id, &param));
	take_request(there, &peer_attr, &param);
	take_event(here);
	take_event(there);
	check("rdma_disconnect", rdma_disconnect(id));
	take_event(there);
	take_event(here);
}

/* Sends from three QPs to as many whose SRQ has no receive. */
static void send_to_empty_srq(struct rig *r)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(r->pd, &attr);
	struct ibv_qp *qp, *peer;
	struct ibv_wc wc;

	check("ibv_create_srq", srq ? 0 : errno);
	for (int i = 0; i < 3; i++) {
		qp = make_qp(r, r->cq, r->cq, NULL, 16);
		peer = make_qp(r, r->cq, r->cq, srq, 16);
		connect_pair(r, qp, peer, 14);
		check("ibv_post_send", post_request(r, qp, IBV_WR_SEND, 17, 64, 0, 0));
	}
	for (;;)
		ibv_poll_cq(r->cq, 1, &wc);
}

/* Two SENDs complete into the CQ, and the first one is found there. */
static void await_open_poll(struct rig *r, struct ibv_cq_ex *cqx, struct ibv_poll_cq_attr *none)
{
	struct ibv_qp *qp = make_qp(r, ibv_cq_ex_to_cq(cqx), ibv_cq_ex_to_cq(cqx), NULL, 16);
	struct ibv_qp *peer = make_qp(r, r->cq, r->cq, NULL, 16);

	connect_pair(r, qp, peer, 14);
	for (unsigned i = 0; i < 2; i++) {
		check("ibv_post_recv", post_receive(r, peer, 5, 64));
		check("ibv_post_send", post_request(r, qp, IBV_WR_SEND, 17, 64, 0, 0));
	}
	while (ibv_start_poll(cqx, none))
		usleep(100);
}

/* Armed without a channel; a poll that is not ended; a limit that nothing has armed. */
static void wait_in_vain(struct rig *r)
{
	struct ibv_cq_init_attr_ex cq_init = { .cqe = 16 };
	struct ibv_srq_init_attr srq_init = { .attr = {
						      .max_wr = 4, .max_sge = 1, .srq_limit = 2 } };
	struct ibv_poll_cq_attr none = { 0 };
	struct ibv_async_event event;
	struct ibv_cq_ex *cqx;

	if (is("no_channel")) {
		check("ibv_req_notify_cq", ibv_req_notify_cq(r->cq, 0));
		pause();
	}
	if (is("idle_limit")) {
		check("ibv_create_srq", ibv_create_srq(r->pd, &srq_init) ? 0 : errno);
		ibv_get_async_event(r->context, &event);
	}
	cqx = ibv_create_cq_ex(r->context, &cq_init);
	check("ibv_create_cq_ex", cqx ? 0 : errno);
	await_open_poll(r, cqx, &none);
	while (ibv_start_poll(cqx, &none))
		usleep(100);
}

/* Acknowledges more events than it has got, and destroys the CQ, which waits then. */
static void acknowledge_two(struct rig *r, struct ibv_qp *qp, struct ibv_qp *peer,
			    struct ibv_cq *events)
{
	check("ibv_req_notify_cq", ibv_req_notify_cq(events, 0));
	check("ibv_post_recv", post_receive(r, peer, 5, 64));
	check("ibv_post_send", post_request(r, qp, IBV_WR_SEND, 17, 64, 0, 0));
	wait_for_event(events->channel);
	ibv_ack_cq_events(events, 2);
	check("ibv_destroy_qp", ibv_destroy_qp(peer));
	ibv_destroy_cq(events);
}

/* Acknowledges an event of an id twice, which crashes. */
static void acknowledge_twice(const char *address)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct rdma_cm_event *event;

	resolve(channel, address);
	check("rdma_get_cm_event", rdma_get_cm_event(channel, &event));
	check("rdma_ack_cm_event", rdma_ack_cm_event(event));
	rdma_ack_cm_event(event);
}

/* Leaves a group whose event it has not acknowledged. */
static void leave_group(const char *address)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct sockaddr_in at = address_of(address), group = address_of("239.1.1.1");
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	check("rdma_create_id", rdma_create_id(channel, &id, NULL, RDMA_PS_UDP));
	check("rdma_bind_addr", rdma_bind_addr(id, (struct sockaddr *)&at));
	check("rdma_join_multicast", rdma_join_multicast(id, (struct sockaddr *)&group, NULL));
	check("rdma_get_cm_event", rdma_get_cm_event(channel, &event));
	rdma_leave_multicast(id, (struct sockaddr *)&group);
}

/* A QP whose requests are built by calls, and ibv_wr_complete() is forgotten. */
static void run_built(struct rig *r)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = r->cq,
		.recv_cq = r->cq,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
		.pd = r->pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(r->context, &attr);
	struct ibv_qp *peer = make_qp(r, r->cq, r->cq, NULL, 16);
	struct ibv_qp_ex *builder;
	struct ibv_wc wc;

	check("ibv_create_qp_ex", qp ? 0 : errno);
	connect_pair(r, qp, peer, 14);
	builder = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(builder);
	builder->wr_id = 5;
	ibv_wr_rdma_write(builder, r->mr->rkey, (uintptr_t)r->memory);
	ibv_wr_set_sge(builder, r->lkey, (uintptr_t)r->memory, 64);
	while (is("built") && ibv_poll_cq(r->cq, 1, &wc) == 0)
		usleep(1000);
	ibv_wr_start(builder);
}

/* A receive of a QP that never leaves INIT. */
static void wait_in_init(struct rig *r)
{
	struct ibv_qp *qp = make_qp(r, r->cq, r->cq, NULL, 16);
	struct ibv_wc wc;

	check("to INIT", to_init(qp, 1));
	check("ibv_post_recv", post_receive(r, qp, 5, 64));
	for (;;)
		ibv_poll_cq(r->cq, 1, &wc);
}

/* Waits for the completion of a SEND that is not signaled; a receive is outstanding, too. */
static void poll_unsignaled(struct rig *r, struct ibv_qp *qp, struct ibv_qp *peer)
{
	struct ibv_sge sge = { (uintptr_t)r->memory, 64, r->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;
	struct ibv_wc wc;

	check("ibv_post_recv", post_receive(r, peer, 5, 64));
	check("ibv_post_recv", post_receive(r, qp, 6, 64));
	check("ibv_post_send", ibv_post_send(qp, &wr, &bad));
	for (;;)
		ibv_poll_cq(r->cq, 1, &wc);
}

int main(int argc, char **argv)
{
	struct ibv_comp_channel *channel;
	struct ibv_qp *qp, *peer;
	struct ibv_cq *events;
	struct ibv_wc wc;
	struct rig r;

	if (argc != 3)
		return 2;
	the_case = argv[2];
	open_rig(&r, argv[1], 64);
	if (is("unread") || is("migrate"))
		run_ids(argv[1]);
	if (is("unanswered") || is("half_closed"))
		run_unanswered(argv[1]);
	if (is("group"))
		leave_group(argv[1]);
	if (is("no_channel") || is("open_poll") || is("idle_limit"))
		wait_in_vain(&r);
	if (is("empty_srq"))
		send_to_empty_srq(&r);
	if (is("acknowledged_twice"))
		acknowledge_twice(argv[1]);
	if (is("built") || is("locked"))
		run_built(&r);
	channel = ibv_create_comp_channel(r.context);
	events = ibv_create_cq(r.context, 64, NULL, channel, 0);
	check("ibv_create_cq", events ? 0 : errno);
	qp = make_qp(&r, r.cq, r.cq, NULL, 16);
	peer = make_qp(&r, events, events, NULL, 16);
	connect_pair(&r, qp, peer, is("timeout_0") ? 0 : 14);
	if (is("late"))
		run_late(&r, qp, peer);
	if (is("acknowledged_two"))
		acknowledge_two(&r, qp, peer, events);
	if (is("solicited"))
		check("ibv_req_notify_cq", ibv_req_notify_cq(events, 1));
	if (is("armed_late") || is("solicited"))
		check("ibv_post_recv", post_receive(&r, peer, 5, 64));
	if (is("draining"))
		check("to SQD", ibv_modify_qp(qp, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_SQD },
					      IBV_QP_STATE));
	if (is("not_ready"))
		wait_in_init(&r);
	if (is("destroyed_twice")) {
		check("ibv_dereg_mr", ibv_dereg_mr(r.mr));
		ibv_dereg_mr(r.mr); /* crashes */
	}
	if (is("unsignaled"))
		poll_unsignaled(&r, qp, peer);
	if (is("timeout_0"))
		check("ibv_destroy_qp", ibv_destroy_qp(peer));
	for (int i = 0; is("pollers") && i < 2; i++)
		check("ibv_post_recv", post_receive(&r, peer, 5, 64));
	if (is("pollers"))
		run_pollers(&r, qp);
	check("ibv_post_send", post_request(&r, qp, IBV_WR_SEND, 17, 64, 0, 0));
	while (is("no_receive") || is("timeout_0") || is("draining"))
		ibv_poll_cq(r.cq, 1, &wc);
	await_success(r.cq); /* then that of the receive has come, too */
	if (is("armed_late"))
		check("ibv_req_notify_cq", ibv_req_notify_cq(events, 0));
	wait_for_event(channel);
	return 0;
}
