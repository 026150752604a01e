// SPDX-License-Identifier: MIT
/*
 * events ADDRESS CASE
 *
 * Programs that wait for events of completion queues, connections and devices.
 */
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <semaphore.h>
#include <stdbool.h>

#include "pair.h"

static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_qp *qp; /* it receives into cq */

static void make_waiting(void)
{
	channel = ibv_create_comp_channel(r.context);
	check("ibv_create_comp_channel", channel ? 0 : errno);
	cq = ibv_create_cq(r.context, 64, NULL, channel, 0);
	check("ibv_create_cq", cq ? 0 : errno);
	qp = make_qp(&r, cq, cq, NULL, 16);
}

static void end_waiting(void)
{
	check("ibv_destroy_qp", ibv_destroy_qp(qp));
	check("ibv_destroy_cq", ibv_destroy_cq(cq));
	check("ibv_destroy_comp_channel", ibv_destroy_comp_channel(channel));
}

static void arm(void)
{
	check("ibv_req_notify_cq", ibv_req_notify_cq(cq, 0));
}

static void send_message(void)
{
	check("ibv_post_send", post_from(a, IBV_WR_SEND, 1, 0, 8, IBV_SEND_SIGNALED));
	await_success(r.cq);
}

static void wait_event(void)
{
	struct ibv_cq *of;
	void *context;

	check("ibv_get_cq_event", ibv_get_cq_event(channel, &of, &context));
}

static void wait_and_acknowledge(void)
{
	wait_event();
	ibv_ack_cq_events(cq, 1);
}

static int poll_all(void)
{
	struct ibv_wc wc;
	int n = 0;

	while (ibv_poll_cq(cq, 1, &wc) > 0)
		n++;
	return n;
}

/* ------------------------------------------------------------------------ arming -- */

/* Polls, arms and waits, in this order or another. */
static void wait_once(void)
{
	struct pollfd fd;

	make_waiting();
	join(&r, a, qp);
	check("ibv_post_recv", post_receive(&r, qp, 1, 64));
	if (is("arm_then_poll"))
		arm();
	poll_all();
	if (!is("arm_then_poll"))
		arm();
	send_message();
	if (is("arm_late_poll_fd")) {
		fd = (struct pollfd){ channel->fd, POLLIN, 0 };
		poll(&fd, 1, 5000);
	}
	wait_and_acknowledge();
	poll_all();
	end_waiting();
}

/* It arms before anything can complete. */
static void arm_first(void)
{
	make_waiting();
	if (is("arm_before_posts"))
		join(&r, a, qp);
	if (is("arm_before_posts"))
		arm();
	else /* a RECV cannot complete before the QP is connected */
		move_to(qp, IBV_QPS_RESET), check("to INIT", to_init(qp, 1));
	check("ibv_post_recv", post_receive(&r, qp, 1, 64));
	if (is("arm_before_connect")) {
		arm();
		move_to(qp, IBV_QPS_RESET);
		join(&r, a, qp);
		check("ibv_post_recv", post_receive(&r, qp, 1, 64));
	}
	send_message();
	wait_and_acknowledge();
	poll_all();
	end_waiting();
}

/* Posts, arms, and waits for what it has posted. */
static void arm_after_post(void)
{
	make_waiting();
	join(&r, qp, b);
	if (is("arm_before_send"))
		arm();
	check("ibv_post_send", post_from(qp, IBV_WR_RDMA_WRITE, 1, 0, 8, IBV_SEND_SIGNALED));
	if (is("arm_after_send")) {
		arm();
		give_up_later();
	}
	wait_and_acknowledge();
	poll_all();
	end_waiting();
}

/* The usual loop, of several messages. */
static void loop_events(void)
{
	int i, n = 0;

	make_waiting();
	arm();
	join(&r, a, qp);
	for (i = 0; i < 8; i++)
		check("ibv_post_recv", post_receive(&r, qp, 1, 64));
	for (i = 0; i < 4; i++)
		send_message();
	while (n < 4) {
		wait_and_acknowledge();
		if (is("loop_arm_late"))
			n += poll_all();
		arm();
		if (!is("loop_arm_late"))
			n += poll_all();
		if (is("loop_arm_late") && n < 5) {
			send_message();
			n++;
		}
	}
	if (is("loop_arm_late")) {
		wait_and_acknowledge();
		poll_all();
	}
	end_waiting();
}

static void never_armed(void)
{
	make_waiting();
	join(&r, a, qp);
	check("ibv_post_recv", post_receive(&r, qp, 1, 64));
	send_message();
	give_up_later();
	wait_and_acknowledge();
}

/* ---------------------------------------------------------------- acknowledging -- */

static void get_two(void)
{
	make_waiting();
	join(&r, a, qp);
	for (int i = 0; i < 2; i++) {
		check("ibv_post_recv", post_receive(&r, qp, 1, 64));
		arm();
		poll_all();
		send_message();
		wait_event();
		poll_all();
	}
}

static void *acknowledge_later(void *arg)
{
	usleep(50000);
	ibv_ack_cq_events(cq, 2);
	return arg;
}

static void acknowledge(void)
{
	pthread_t other;

	get_two();
	if (is("acked_in_lump"))
		ibv_ack_cq_events(cq, 2);
	if (is("acked_one") || is("acked_none_exit"))
		ibv_ack_cq_events(cq, is("acked_one") ? 1 : 0);
	if (is("acked_by_other"))
		pthread_create(&other, NULL, acknowledge_later, NULL);
	if (is("acked_none_exit"))
		exit(0);
	if (is("acked_one") || is("acked_none"))
		give_up_later();
	end_waiting();
	if (is("acked_by_other"))
		pthread_join(other, NULL);
}

/* An event of the device. */
static void device_event(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(r.pd, &init);
	struct ibv_srq_attr limit = { .srq_limit = 1 };
	struct ibv_sge sge = { (uintptr_t)r.memory + 4096, 64, r.lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_async_event event;
	struct ibv_qp *shared;

	check("ibv_create_srq", srq ? 0 : errno);
	shared = make_wide_qp(IBV_QPT_RC, other_cq, srq, 0);
	join(&r, a, shared);
	check("ibv_post_srq_recv", ibv_post_srq_recv(srq, &wr, &bad));
	check("ibv_modify_srq", ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT));
	send_message();
	await_success(other_cq);
	check("ibv_get_async_event", ibv_get_async_event(r.context, &event));
	if (is("async_acked") || is("async_twice"))
		ibv_ack_async_event(&event);
	if (is("async_twice")) {
		check("ibv_post_srq_recv", ibv_post_srq_recv(srq, &wr, &bad));
		check("ibv_modify_srq", ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT));
		send_message();
		await_success(other_cq);
		check("ibv_get_async_event", ibv_get_async_event(r.context, &event));
		ibv_ack_async_event(&event);
	}
	if (is("async_unacked"))
		give_up_later();
	check("ibv_destroy_qp", ibv_destroy_qp(shared));
	check("ibv_destroy_srq", ibv_destroy_srq(srq));
}

/* ------------------------------------------------------------------------ rdma_cm -- */

static void resolve(void)
{
	struct rdma_event_channel *events = rdma_create_event_channel();
	struct rdma_cm_id *id = NULL;
	struct rdma_cm_event *event;
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(7499) };

	to.sin_addr.s_addr = inet_addr("10.0.0.1");
	check("rdma_create_event_channel", events ? 0 : errno);
	check("rdma_create_id", rdma_create_id(events, &id, NULL, RDMA_PS_TCP));
	check("rdma_resolve_addr",
	      rdma_resolve_addr(id, NULL, (struct sockaddr *)(void *)&to, 2000));
	check("rdma_get_cm_event", rdma_get_cm_event(events, &event));
	if (!is("cm_unacked") && !is("cm_unacked_exit"))
		check("rdma_ack_cm_event", rdma_ack_cm_event(event));
	if (is("cm_unacked_exit"))
		exit(0);
	if (is("cm_unacked"))
		give_up_later();
	if (is("cm_qp") || is("cm_qp_left")) {
		struct ibv_qp_init_attr init = {
			.qp_type = IBV_QPT_RC,
			.cap = { .max_send_wr = 2,
				 .max_recv_wr = 2,
				 .max_send_sge = 1,
				 .max_recv_sge = 1 },
		};

		check("rdma_create_qp", rdma_create_qp(id, NULL, &init));
		if (is("cm_qp"))
			rdma_destroy_qp(id);
	}
	if (!is("cm_id_left"))
		check("rdma_destroy_id", rdma_destroy_id(id));
	if (!is("cm_channel_left") && !is("cm_id_left"))
		rdma_destroy_event_channel(events);
}

/* ---------------------------------------------------------------- endpoints -- */

/* An endpoint whose requests all complete. */
static struct rdma_cm_id *make_endpoint(bool listens)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP,
				       .ai_flags = listens ? RAI_PASSIVE : 0 },
			     *found;
	struct ibv_qp_init_attr init = {
		.sq_sig_all = 1,
		.cap = { .max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = 1, .max_recv_sge = 1 }
	};
	struct rdma_cm_id *id = NULL;

	/* cases run side by side */
	check("rdma_getaddrinfo",
	      rdma_getaddrinfo("10.0.0.1", is("ep_polled") ? "7498" : "7497", &hints, &found));
	check("rdma_create_ep", rdma_create_ep(&id, found, NULL, &init));
	rdma_freeaddrinfo(found);
	return id;
}

static sem_t received;

static void *connect_endpoint(void *unused)
{
	struct rdma_cm_id *id = make_endpoint(false);
	struct ibv_mr *mr = rdma_reg_msgs(id, r.memory, 64);
	struct ibv_wc wc;

	(void)unused;
	check("rdma_post_recv", rdma_post_recv(id, NULL, r.memory, 64, mr));
	check("rdma_connect", rdma_connect(id, NULL));
	check("rdma_get_recv_comp", rdma_get_recv_comp(id, &wc) == 1 ? 0 : errno);
	sem_post(&received);
	check("rdma_disconnect", rdma_disconnect(id));
	rdma_dereg_mr(mr);
	rdma_destroy_ep(id);
	return NULL;
}

/* The QP is made by rdma_get_request(), as was asked of the endpoint that listens. */
static void answer_endpoint(void)
{
	struct rdma_cm_id *listener = make_endpoint(true), *id;
	struct ibv_mr *mr;
	struct ibv_wc wc;
	pthread_t peer;

	check("rdma_listen", rdma_listen(listener, 1));
	check("pthread_create", pthread_create(&peer, NULL, connect_endpoint, NULL));
	check("rdma_get_request", rdma_get_request(listener, &id));
	mr = rdma_reg_msgs(id, r.memory + 64, 64);
	check("rdma_accept", rdma_accept(id, NULL));
	check("rdma_post_send", rdma_post_send(id, NULL, r.memory + 64, 64, mr, 0));
	if (is("ep_polled"))
		check("rdma_get_send_comp", rdma_get_send_comp(id, &wc) == 1 ? 0 : errno);
	rdma_dereg_mr(mr);
	sem_wait(&received);
	rdma_disconnect(id); /* each end waits for the other one's */
	pthread_join(peer, NULL);
	rdma_destroy_ep(id);
	rdma_destroy_ep(listener);
}

static const struct named_case cases[] = {
	{ "ep_polled", answer_endpoint },
	{ "ep_unpolled", answer_endpoint },
	{ "arm_then_poll", wait_once },
	{ "arm_late", wait_once },
	{ "arm_late_poll_fd", wait_once },
	{ "arm_before_posts", arm_first },
	{ "arm_before_connect", arm_first },
	{ "arm_before_send", arm_after_post },
	{ "arm_after_send", arm_after_post },
	{ "loop_right", loop_events },
	{ "loop_arm_late", loop_events },
	{ "never_armed", never_armed },
	{ "acked_in_lump", acknowledge },
	{ "acked_one", acknowledge },
	{ "acked_none", acknowledge },
	{ "acked_none_exit", acknowledge },
	{ "acked_by_other", acknowledge },
	{ "async_acked", device_event },
	{ "async_twice", device_event },
	{ "async_unacked", device_event },
	{ "cm_correct", resolve },
	{ "cm_unacked", resolve },
	{ "cm_unacked_exit", resolve },
	{ "cm_qp", resolve },
	{ "cm_qp_left", resolve },
	{ "cm_id_left", resolve },
	{ "cm_channel_left", resolve },
};

MAIN(cases)
