// SPDX-License-Identifier: MIT
/*
 * others ADDRESS CASE
 *
 * Mistakes that are made where two parts of a program have one thing: a buffer, a header, a queue,
 * a count of events; each with its correct twin.
 */
#include <rdma/rdma_cma.h>
#include <signal.h>

#include "pair.h"

static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_qp *qp; /* it receives into cq */

static struct ibv_sge piece(size_t at, size_t len)
{
	return (struct ibv_sge){ (uintptr_t)r.memory + at, len, r.lkey };
}

/* ------------------------------------------------------------- buffers with two users -- */

/* A client gives the buffer of a request back to its pool: when the reply comes, or when the
 * request has completed, too. */
static void call_server(void)
{
	struct ibv_cq *replies = ibv_create_cq(r.context, 16, NULL, NULL, 0);
	struct ibv_qp *client;

	check("ibv_create_cq", replies ? 0 : errno);
	client = make_qp(&r, r.cq, replies, NULL, 16);
	join(&r, client, b);
	for (int i = 0; i < 6; i++) {
		receive_at(client, MEMORY / 2, 64);
		receive_at(b, MEMORY / 2 + 64, 64);
		memset(r.memory, 'a' + i, 64);
		check("ibv_post_send", post_from(client, IBV_WR_SEND, i, 0, 64, IBV_SEND_SIGNALED));
		await_success(other_cq);
		check("ibv_post_send", post_from(b, IBV_WR_SEND, i, 128, 64, IBV_SEND_SIGNALED));
		await_success(other_cq);
		await_success(replies);
		if (is("pool_by_completion"))
			await_success(r.cq);
	}
	for (int i = 0; i < 6 && is("pool_by_reply"); i++)
		await_success(r.cq);
	check("ibv_destroy_qp", ibv_destroy_qp(client));
	check("ibv_destroy_cq", ibv_destroy_cq(replies));
}

struct fragment {
	uint32_t number, last;
};

/* A message in four pieces, each with a header in front. */
static void send_fragments(void)
{
	struct fragment *header;

	join(&r, a, b);
	for (unsigned i = 0; i < 4; i++) {
		const size_t at = is("header_shared") ? 0 : i * sizeof *header;
		struct ibv_sge sge[2] = { piece(at, sizeof *header), piece(1024 + i * 512, 512) };
		struct ibv_send_wr wr = {
			.wr_id = i,
			.sg_list = sge,
			.num_sge = 2,
			.opcode = IBV_WR_SEND,
			.send_flags = i == 3 ? IBV_SEND_SIGNALED : 0,
		}, *bad;

		receive_at(b, MEMORY / 2 + i * 1024, 1024);
		header = (struct fragment *)(void *)(r.memory + at);
		*header = (struct fragment){ i, i == 3 };
		check("ibv_post_send", ibv_post_send(a, &wr, &bad));
	}
	await_success(r.cq);
}

/* The data that are read of one peer are sent to another one: with the key of another region of
 * that memory. */
static void forward(void)
{
	struct ibv_mr *whole = register_part(0, 8192);
	struct ibv_sge from = piece(4096, 256), to[2] = { piece(0, 16), piece(4096 + 64, 64) };
	struct ibv_send_wr read = { .sg_list = &from,
				    .num_sge = 1,
				    .opcode = IBV_WR_RDMA_READ,
				    .wr.rdma = { .remote_addr = (uintptr_t)r.memory + MEMORY / 2,
						 .rkey = r.mr->rkey } },
			   send = { .sg_list = to,
				    .num_sge = 2,
				    .opcode = IBV_WR_SEND,
				    .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	join(&r, a, b);
	receive_at(b, MEMORY / 2 + 4096, 1024);
	from.lkey = whole->lkey;
	read.next = &send;
	if (is("forward_fenced"))
		send.send_flags |= IBV_SEND_FENCE;
	check("ibv_post_send", ibv_post_send(a, &read, &bad));
	await_success(r.cq);
	check("ibv_dereg_mr", ibv_dereg_mr(whole));
}

/* A receive goes into a variable of a function that has returned, or that has not. */
static __attribute__((noinline)) struct ibv_mr *expect_greeting(char *outer, size_t size)
{
	char greeting[65536]; /* its first bytes are out of the reach of the functions that follow
			       */
	char *at = outer ? outer : greeting;
	struct ibv_mr *mr = ibv_reg_mr(r.pd, at, outer ? size : sizeof greeting, ALL_RIGHTS);
	struct ibv_sge sge = { (uintptr_t)at, 64, mr ? mr->lkey : 0 };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	check("ibv_reg_mr", mr ? 0 : errno);
	check("ibv_post_recv", ibv_post_recv(b, &wr, &bad));
	return mr;
}

static void greet(void)
{
	char greeting[256];
	struct ibv_mr *mr;

	join(&r, a, b);
	mr = expect_greeting(is("stack_left") ? NULL : greeting, sizeof greeting);
	post(IBV_WR_SEND, 0, 64, IBV_SEND_SIGNALED);
	await_success(r.cq);
	await_success(other_cq);
	check("ibv_dereg_mr", ibv_dereg_mr(mr));
}

/* A region becomes one of other memory, with a receive on its way to the memory that it had. */
static void move_region(void)
{
	struct ibv_mr *mr = register_part(4096, 4096);
	const uint32_t lkey = r.lkey;

	join(&r, a, b);
	r.lkey = mr->lkey;
	receive_at(b, 4096, 64);
	r.lkey = lkey;
	if (is("rereg_drained")) {
		post(IBV_WR_SEND, 0, 64, IBV_SEND_SIGNALED);
		await_success(r.cq);
		await_success(other_cq);
	}
	if (ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, r.memory + 8192, 4096, 0))
		fprintf(stderr, "ibv_rereg_mr: %s\n", strerror(errno));
	if (is("rereg_posted"))
		move_to(b, IBV_QPS_ERR);
	check("ibv_dereg_mr", ibv_dereg_mr(mr));
}

/* -------------------------------------------------------------------------- queues -- */

/* The queue pairs of a server have one CQ, which was made for one of them. */
static void share_cq(void)
{
	struct ibv_cq *small = ibv_create_cq(r.context, DEPTH, NULL, NULL, 0);
	const int n = 4, each = (small->cqe + DEPTH) / n;
	struct ibv_qp *clients[4], *servers[4];
	struct ibv_wc wc;

	check("ibv_create_cq", small ? 0 : errno);
	for (int i = 0; i < n; i++) {
		clients[i] = make_qp(&r, small, small, NULL, each);
		servers[i] = make_qp(&r, other_cq, other_cq, NULL, each);
		join(&r, clients[i], servers[i]);
	}
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < each; k++)
			check("ibv_post_send",
			      post_from(clients[i], IBV_WR_RDMA_WRITE, k, 0, 8, IBV_SEND_SIGNALED));
		for (int k = 0; k < each && is("one_cq_room"); k++)
			await_success(small);
	}
	while (is("one_cq_small") && await_within(small, &wc, 500) > 0)
		;
	for (int i = 0; i < n; i++)
		check("ibv_destroy_qp", ibv_destroy_qp(clients[i]) | ibv_destroy_qp(servers[i]));
	check("ibv_destroy_cq", ibv_destroy_cq(small));
}

/* One request in so many asks for a completion. */
static void signal_one_in(void)
{
	const unsigned period = is("signal_too_rare") ? depth_made + 1 : depth_made / 2;
	struct ibv_wc wc;
	unsigned posted = 0;

	join(&r, a, b);
	for (unsigned i = 1; i <= 3 * depth_made; i++) {
		const unsigned flags = i % period ? 0 : IBV_SEND_SIGNALED;
		int error = post_from(a, IBV_WR_RDMA_WRITE, i, 0, 8, flags);

		if (error == ENOMEM) /* it polls and tries again, for a while */
			await_within(r.cq, &wc, 200);
		else
			posted++;
		if (!error && flags)
			await_success(r.cq);
	}
	printf("%u requests were posted\n", posted);
}

/* A CQ is polled with the functions of ibv_cq_ex, also where there is nothing in it. */
static void start_and_end(void)
{
	struct ibv_cq_init_attr_ex init = { .cqe = 16 };
	struct ibv_cq_ex *cqx = ibv_create_cq_ex(r.context, &init);
	struct ibv_poll_cq_attr none = { 0 };
	struct ibv_qp *sender;
	int error;

	check("ibv_create_cq_ex", cqx ? 0 : errno);
	sender = make_wide_qp(IBV_QPT_RC, ibv_cq_ex_to_cq(cqx), NULL, 0);
	join(&r, sender, b);
	error = ibv_start_poll(cqx, &none);
	if (is("end_of_nothing") || !error)
		ibv_end_poll(cqx);
	check("ibv_post_send", post_from(sender, IBV_WR_RDMA_WRITE, 1, 0, 8, IBV_SEND_SIGNALED));
	while (ibv_start_poll(cqx, &none))
		usleep(100);
	ibv_end_poll(cqx);
	check("ibv_destroy_qp", ibv_destroy_qp(sender));
	check("ibv_destroy_cq", ibv_destroy_cq(ibv_cq_ex_to_cq(cqx)));
}

/* A receiver takes the immediate data of each message, or of those that have some. */
static void take_immediate(void)
{
	struct ibv_cq_init_attr_ex init = { .cqe = 16, .wc_flags = IBV_WC_EX_WITH_IMM };
	struct ibv_cq_ex *cqx = ibv_create_cq_ex(r.context, &init);
	struct ibv_poll_cq_attr none = { 0 };
	struct ibv_qp *receiver;
	unsigned sum = 0;

	check("ibv_create_cq_ex", cqx ? 0 : errno);
	receiver = make_wide_qp(IBV_QPT_RC, ibv_cq_ex_to_cq(cqx), NULL, 0);
	join(&r, a, receiver);
	for (int i = 0; i < 4; i++) {
		receive_at(receiver, MEMORY / 2, 64);
		post(i % 2 ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM, 0, 8, IBV_SEND_SIGNALED);
		await_success(r.cq);
		while (ibv_start_poll(cqx, &none))
			usleep(100);
		if (is("imm_always") || (ibv_wc_read_wc_flags(cqx) & IBV_WC_WITH_IMM))
			sum += ntohl(ibv_wc_read_imm_data(cqx));
		ibv_end_poll(cqx);
	}
	printf("%u\n", sum);
	check("ibv_destroy_qp", ibv_destroy_qp(receiver));
	check("ibv_destroy_cq", ibv_destroy_cq(ibv_cq_ex_to_cq(cqx)));
}

/* Of a flushed receive the program reads the opcode without a look at its status, or after one. */
static void take_flushed(void)
{
	struct ibv_cq_init_attr_ex init = { .cqe = 16 };
	struct ibv_cq_ex *cqx = ibv_create_cq_ex(r.context, &init);
	struct ibv_poll_cq_attr none = { 0 };
	struct ibv_qp *receiver;

	check("ibv_create_cq_ex", cqx ? 0 : errno);
	receiver = make_wide_qp(IBV_QPT_RC, ibv_cq_ex_to_cq(cqx), NULL, 0);
	join(&r, a, receiver);
	receive_at(receiver, MEMORY / 2, 64);
	move_to(receiver, IBV_QPS_ERR);
	while (ibv_start_poll(cqx, &none))
		usleep(100);
	if (is("opcode_of_flushed") || cqx->status == IBV_WC_SUCCESS)
		printf("opcode %d\n", ibv_wc_read_opcode(cqx));
	ibv_end_poll(cqx);
	check("ibv_destroy_qp", ibv_destroy_qp(receiver));
	check("ibv_destroy_cq", ibv_destroy_cq(ibv_cq_ex_to_cq(cqx)));
}

/* One end has four READs on their way, the other one was told of one; or may itself send none. */
static void read_ahead(void)
{
	struct path there = usual_path(&r, b->qp_num), back = usual_path(&r, a->qp_num);

	if (is("reads_too_deep"))
		back.dest_rd_atomic = 1;
	if (is("reads_none"))
		there.rd_atomic = 0;
	if (is("mtu_differs"))
		back.mtu = IBV_MTU_512;
	check("to INIT", to_init(a, 1) | to_init(b, 1));
	check("to RTR", to_rtr(a, &there) | to_rtr(b, &back));
	check("to RTS", to_rts(a, &there) | to_rts(b, &back));
	for (int i = 0; i < 4; i++)
		check("ibv_post_send",
		      post_from(a, IBV_WR_RDMA_READ, i, i * 64, 64, IBV_SEND_SIGNALED));
	for (int i = 0; i < 4 && !is("reads_none"); i++)
		await_success(r.cq);
}

/* -------------------------------------------------------------------------- events -- */

static void make_waiting(void)
{
	channel = ibv_create_comp_channel(r.context);
	check("ibv_create_comp_channel", channel ? 0 : errno);
	cq = ibv_create_cq(r.context, 64, NULL, channel, 0);
	check("ibv_create_cq", cq ? 0 : errno);
	qp = make_qp(&r, cq, cq, NULL, 16);
	join(&r, a, qp);
}

static void end_waiting(void)
{
	check("ibv_destroy_qp", ibv_destroy_qp(qp));
	check("ibv_destroy_cq", ibv_destroy_cq(cq));
	check("ibv_destroy_comp_channel", ibv_destroy_comp_channel(channel));
}

static void send_message(unsigned flags)
{
	check("ibv_post_send", post_from(a, IBV_WR_SEND, 1, 0, 8, IBV_SEND_SIGNALED | flags));
	await_success(r.cq);
}

static void take_event(void)
{
	struct ibv_cq *of;
	void *context;

	check("ibv_get_cq_event", ibv_get_cq_event(channel, &of, &context));
	ibv_ack_cq_events(of, 1);
}

/* For each event one completion is taken, or all. */
static void take_one_each(void)
{
	struct ibv_wc wc;
	int n = 0;

	make_waiting();
	check("ibv_req_notify_cq", ibv_req_notify_cq(cq, 0));
	for (int i = 0; i < 3; i++) {
		receive_at(qp, MEMORY / 2, 64);
		send_message(0);
	}
	if (is("one_of_event"))
		give_up_later();
	while (n < 3) {
		take_event();
		check("ibv_req_notify_cq", ibv_req_notify_cq(cq, 0));
		while (ibv_poll_cq(cq, 1, &wc) > 0) {
			n++;
			if (is("one_of_event"))
				break;
		}
	}
	end_waiting();
}

/* It waits for messages that the peer has marked. */
static void wait_for_marked(void)
{
	struct ibv_wc wc;
	int n = 0;

	make_waiting();
	if (is("not_marked"))
		give_up_later();
	while (n < 3) {
		check("ibv_req_notify_cq", ibv_req_notify_cq(cq, 1));
		while (ibv_poll_cq(cq, 1, &wc) > 0)
			n++;
		receive_at(qp, MEMORY / 2, 64);
		send_message(is("marked") ? IBV_SEND_SOLICITED : 0);
		take_event();
		while (ibv_poll_cq(cq, 1, &wc) > 0)
			n++;
	}
	end_waiting();
}

/* Events are acknowledged as they come, and all of them at the end, too. */
static void acknowledge(void)
{
	struct ibv_wc wc;
	unsigned events = 0;

	make_waiting();
	for (int i = 0; i < 3; i++) {
		check("ibv_req_notify_cq", ibv_req_notify_cq(cq, 0));
		while (ibv_poll_cq(cq, 1, &wc) > 0)
			;
		receive_at(qp, MEMORY / 2, 64);
		send_message(0);
		take_event();
		events++;
	}
	while (ibv_poll_cq(cq, 1, &wc) > 0)
		;
	if (is("acked_again")) {
		ibv_ack_cq_events(cq, events);
		give_up_later();
	}
	end_waiting();
}

/* ------------------------------------------------------------------- a connection -- */

static struct rdma_cm_event *await_event(struct rdma_event_channel *events)
{
	struct rdma_cm_event *event;

	check("rdma_get_cm_event", rdma_get_cm_event(events, &event));
	return event;
}

/* Nobody listens at the port: what the program does with the event that says so. */
static void connect_in_vain(const char *address)
{
	struct rdma_event_channel *events = rdma_create_event_channel();
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct rdma_conn_param param = { .retry_count = 7, .rnr_retry_count = 7 };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(7491) };
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	to.sin_addr.s_addr = inet_addr(address);
	check("rdma_create_id", rdma_create_id(events, &id, NULL, RDMA_PS_TCP));
	check("rdma_resolve_addr",
	      rdma_resolve_addr(id, NULL, (struct sockaddr *)(void *)&to, 2000));
	check("rdma_ack_cm_event", rdma_ack_cm_event(await_event(events)));
	check("rdma_resolve_route", rdma_resolve_route(id, 2000));
	check("rdma_ack_cm_event", rdma_ack_cm_event(await_event(events)));
	check("rdma_create_qp", rdma_create_qp(id, NULL, &init));
	check("rdma_connect", rdma_connect(id, &param));
	event = await_event(events);
	if (event->event != RDMA_CM_EVENT_ESTABLISHED)
		fprintf(stderr, "%s\n", rdma_event_str(event->event));
	if (event->event == RDMA_CM_EVENT_ESTABLISHED || is("refused_acked"))
		check("rdma_ack_cm_event", rdma_ack_cm_event(event));
	else if (is("refused_killed"))
		alarm(3);
	else
		give_up_later();
	rdma_destroy_qp(id);
	check("rdma_destroy_id", rdma_destroy_id(id));
	rdma_destroy_event_channel(events);
}

static const char *the_address;

static void connect_refused(void)
{
	connect_in_vain(the_address);
}

static const struct named_case cases[] = {
	{ "pool_by_reply", call_server },
	{ "pool_by_completion", call_server },
	{ "header_shared", send_fragments },
	{ "header_each", send_fragments },
	{ "forward_unfenced", forward },
	{ "forward_fenced", forward },
	{ "stack_left", greet },
	{ "stack_kept", greet },
	{ "rereg_posted", move_region },
	{ "rereg_drained", move_region },
	{ "one_cq_small", share_cq },
	{ "one_cq_room", share_cq },
	{ "signal_too_rare", signal_one_in },
	{ "signal_in_time", signal_one_in },
	{ "end_of_nothing", start_and_end },
	{ "end_of_something", start_and_end },
	{ "imm_always", take_immediate },
	{ "imm_if_any", take_immediate },
	{ "reads_too_deep", read_ahead },
	{ "reads_none", read_ahead },
	{ "reads_as_agreed", read_ahead },
	{ "mtu_differs", read_ahead },
	{ "opcode_of_flushed", take_flushed },
	{ "status_of_flushed", take_flushed },
	{ "one_of_event", take_one_each },
	{ "all_of_event", take_one_each },
	{ "not_marked", wait_for_marked },
	{ "marked", wait_for_marked },
	{ "acked_again", acknowledge },
	{ "acked_once", acknowledge },
	{ "refused_unacked", connect_refused },
	{ "refused_killed", connect_refused },
	{ "refused_acked", connect_refused },
};

int main(int argc, char **argv)
{
	the_address = argc == 3 ? argv[1] : "";
	return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
