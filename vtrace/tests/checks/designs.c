// SPDX-License-Identifier: MIT
/*
 * designs ADDRESS CASE
 *
 * Mistakes in the design of a program: credits, rings, a buffer for several threads, a counter for
 * several queue pairs, reconnects, event loops. Each has a correct twin.
 */
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "pair.h"

#define HANGS 3 /* s, after which a call that waits for ever has done so long enough */

/* A message that finds no receive comes again 0.66 s later, six times. */
static void join_patiently(struct ibv_qp *one, struct ibv_qp *two)
{
	struct path there = usual_path(&r, two->qp_num), back = usual_path(&r, one->qp_num);
	struct ibv_qp_attr slow = { .min_rnr_timer = 0 };

	there.rnr_retry = back.rnr_retry = 6;
	check("to INIT", to_init(one, 1) | to_init(two, 1));
	check("to RTR", to_rtr(one, &there) | to_rtr(two, &back));
	check("to RTS", to_rts(one, &there) | to_rts(two, &back));
	check("min_rnr_timer", ibv_modify_qp(two, &slow, IBV_QP_MIN_RNR_TIMER));
}

static void send_of(struct ibv_qp *qp, size_t at, size_t len, unsigned flags)
{
	check("ibv_post_send", post_from(qp, IBV_WR_SEND, at, at, len, flags));
}

static void write_of(struct ibv_qp *qp, size_t at, size_t len, unsigned flags)
{
	check("ibv_post_send", post_from(qp, IBV_WR_RDMA_WRITE, at, at, len, flags));
}

/* ------------------------------------------------------------------------- credits -- */

static void fill_receives(void)
{
	for (unsigned i = 0; i < 4; i++)
		receive_at(b, MEMORY / 2 + i * 256, 256);
}

/* The four credits of a are worth something only when the receives of b are posted again. */
static void credits(void)
{
	join_patiently(a, b);
	fill_receives();
	for (unsigned round = 0; round < 3; round++) {
		if (round > 0 && is("credit_late"))
			fill_receives();
		for (unsigned i = 0; i < 4; i++)
			send_of(a, i * 256, 256, IBV_SEND_SIGNALED);
		if (round > 0 && is("credit_early"))
			fill_receives();
		for (unsigned i = 0; i < 4; i++) {
			await_success(other_cq);
			await_success(r.cq);
		}
	}
}

/* Two clients may have two messages under way each, and the SRQ that serves them has so many
 * receives. */
static void srq_of_two(void)
{
	const unsigned window = 2, receives = is("srq_of_two") ? 4 : 3;
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(r.pd, &attr);
	struct ibv_qp *clients[2], *servers[2];
	struct ibv_sge sge = { (uintptr_t)r.memory + MEMORY / 2, 512, r.lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	check("ibv_create_srq", srq ? 0 : errno);
	for (unsigned i = 0; i < 2; i++) {
		clients[i] = make_wide_qp(IBV_QPT_RC, r.cq, NULL, 0);
		servers[i] = make_wide_qp(IBV_QPT_RC, other_cq, srq, 0);
		join_patiently(clients[i], servers[i]);
	}
	for (wr.wr_id = 0; wr.wr_id < receives; wr.wr_id++) {
		check("ibv_post_srq_recv", ibv_post_srq_recv(srq, &wr, &bad));
		sge.addr += 512;
	}
	for (unsigned i = 0; i < 2 * window; i++)
		send_of(clients[i % 2], i * 512, 512, IBV_SEND_SIGNALED);
	for (unsigned i = 0; i < 2 * window; i++) {
		await_success(other_cq);
		check("ibv_post_srq_recv", ibv_post_srq_recv(srq, &wr, &bad));
	}
	for (unsigned i = 0; i < 2 * window; i++)
		await_success(r.cq);
	for (unsigned i = 0; i < 2; i++) {
		ibv_destroy_qp(clients[i]);
		ibv_destroy_qp(servers[i]);
	}
	ibv_destroy_srq(srq);
}

/* --------------------------------------------------------------------------- rings -- */

#define RING 4096

/* Messages of any length in a ring of bytes; what does not fit at its end begins at its start. The
 * bytes that are left out there are used, too. */
static void byte_ring(void)
{
	static const size_t sizes[] = { 1500, 900, 1200, 1000, 700, 1100, 800 };
	const unsigned n = sizeof sizes / sizeof *sizes;
	size_t lens[16], head = 0, used = 0;
	unsigned first = 0;

	join(&r, a, b);
	for (unsigned i = 0; i < n; i++) {
		size_t skipped = head + sizes[i] > RING ? RING - head : 0;

		while (used + sizes[i] + (is("wrap_counted") ? skipped : 0) > RING) {
			await_success(r.cq);
			used -= lens[first++ % 16];
		}
		if (skipped)
			head = 0;
		if (is("wrap_forgotten"))
			skipped = 0;
		lens[i % 16] = sizes[i] + skipped;
		used += lens[i % 16];
		memset(r.memory + head, 'a' + (int)i, sizes[i]);
		write_of(a, head, sizes[i], IBV_SEND_SIGNALED);
		head += sizes[i];
	}
	while (first++ < n)
		await_success(r.cq);
}

/* ------------------------------------------------------------------------- threads -- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Of one worker: its message goes through the common staging buffer. */
static void *stage(void *arg)
{
	struct ibv_qp *qp = arg;

	pthread_mutex_lock(&lock);
	memset(r.memory, qp == a ? 'a' : 'b', 1024);
	write_of(qp, 0, 1024, IBV_SEND_SIGNALED);
	if (is("staging_held"))
		await_success(qp == a ? r.cq : other_cq);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void staging(void)
{
	pthread_t workers[2];

	join(&r, a, b);
	pthread_create(&workers[0], NULL, stage, a);
	pthread_create(&workers[1], NULL, stage, b);
	pthread_join(workers[0], NULL);
	pthread_join(workers[1], NULL);
	if (is("staging_shared")) {
		await_success(r.cq);
		await_success(other_cq);
	}
}

/* -------------------------------------------------------------- several queue pairs -- */

/* Four QPs with four requests each, and the queue for their completions. */
static void cq_of_four(void)
{
	struct ibv_cq *cq = ibv_create_cq(r.context, is("cq_of_four") ? 16 : 4, NULL, NULL, 0);
	struct ibv_qp *own[4], *peers[4];
	struct ibv_async_event event;

	check("ibv_create_cq", cq ? 0 : errno);
	for (unsigned i = 0; i < 4; i++) {
		own[i] = make_wide_qp(IBV_QPT_RC, cq, NULL, 0);
		peers[i] = make_wide_qp(IBV_QPT_RC, other_cq, NULL, 0);
		join(&r, own[i], peers[i]);
	}
	for (unsigned i = 0; i < 16; i++)
		write_of(own[i % 4], i * 64, 64, IBV_SEND_SIGNALED);
	if (is("cq_of_four_small")) {
		check("ibv_get_async_event", ibv_get_async_event(r.context, &event) ? errno : 0);
		ibv_ack_async_event(&event);
	}
	for (unsigned i = 0; i < 16 && is("cq_of_four"); i++)
		await_success(cq);
	for (unsigned i = 0; i < 4; i++) {
		ibv_destroy_qp(own[i]);
		ibv_destroy_qp(peers[i]);
	}
	ibv_destroy_cq(cq);
}

/* Every second request is signaled: of all, or of each queue. */
static void signaled_by_counter(void)
{
	struct ibv_qp *c = make_wide_qp(IBV_QPT_RC, r.cq, NULL, 0),
		      *d = make_wide_qp(IBV_QPT_RC, other_cq, NULL, 0);
	struct ibv_qp *qps[2] = { a, c };
	unsigned of_all = 0, of_each[2] = { 0 }, signaled = 0;

	join(&r, a, b);
	join(&r, c, d);
	for (unsigned i = 0; i < 2 * depth_made; i++) {
		const unsigned which = i % 2;
		const unsigned count = is("counter_of_all") ? of_all++ : of_each[which]++;
		const bool is_signaled = count % 2 == 1;

		write_of(qps[which], i * 64, 64, is_signaled ? IBV_SEND_SIGNALED : 0);
		signaled += is_signaled;
		if (signaled >= 4) {
			await_success(r.cq);
			signaled--;
		}
	}
	while (signaled-- > 0)
		await_success(r.cq);
	ibv_destroy_qp(c);
	ibv_destroy_qp(d);
}

/* The data go by one QP, and the small message that tells of them by the same, or by one for
 * control. */
static void notice(void)
{
	struct ibv_qp *c = make_wide_qp(IBV_QPT_RC, r.cq, NULL, 0),
		      *d = make_wide_qp(IBV_QPT_RC, other_cq, NULL, 0);
	struct ibv_qp *teller = is("notice_elsewhere") ? c : a;

	join(&r, a, b);
	join(&r, c, d);
	receive_at(is("notice_elsewhere") ? d : b, MEMORY / 2 + 8192, 64);
	memset(r.memory, 'd', 4096);
	write_of(a, 0, 4096, 0);
	send_of(teller, 8192, 16, IBV_SEND_INLINE | IBV_SEND_SIGNALED);
	await_success(r.cq);
	memset(r.memory, 'e', 4096);
	write_of(a, 0, 4096, IBV_SEND_SIGNALED);
	await_success(r.cq);
	await_success(other_cq);
	ibv_destroy_qp(c);
	ibv_destroy_qp(d);
}

/* A block is read from one peer, and sent to another one. */
static void forward(void)
{
	struct ibv_qp *c = make_wide_qp(IBV_QPT_RC, r.cq, NULL, 0),
		      *d = make_wide_qp(IBV_QPT_RC, other_cq, NULL, 0);

	join(&r, a, b);
	join(&r, c, d);
	receive_at(d, MEMORY / 2 + 8192, 4096);
	check("ibv_post_send", post_from(a, IBV_WR_RDMA_READ, 1, 0, 4096, IBV_SEND_SIGNALED));
	if (is("relay_waited"))
		await_success(r.cq);
	send_of(c, 0, 4096, IBV_SEND_SIGNALED | (is("relay_fenced") ? IBV_SEND_FENCE : 0));
	await_success(r.cq);
	if (is("relay_fenced"))
		await_success(r.cq);
	await_success(other_cq);
	ibv_destroy_qp(c);
	ibv_destroy_qp(d);
}

/* ------------------------------------------------------------------ ends of requests -- */

/* Every fourth WRITE of a batch is signaled, and the batch has ten. */
static void tail(void)
{
	const size_t at = MEMORY / 4;
	struct ibv_mr *batch = register_part(at, 10 * 256);
	struct ibv_send_wr wr = { .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE }, *bad;
	struct ibv_sge sge = { .length = 256, .lkey = batch->lkey };

	join(&r, a, b);
	wr.sg_list = &sge;
	wr.wr.rdma.remote_addr = (uintptr_t)r.memory + MEMORY / 2;
	wr.wr.rdma.rkey = r.mr->rkey;
	for (unsigned i = 0; i < 10; i++) {
		const bool is_last = is("tail_signaled") && i == 9;

		sge.addr = (uintptr_t)r.memory + at + i * 256;
		wr.wr_id = i;
		wr.send_flags = i % 4 == 3 || is_last ? IBV_SEND_SIGNALED : 0;
		check("ibv_post_send", ibv_post_send(a, &wr, &bad));
	}
	for (unsigned i = 0; i < (is("tail_signaled") ? 3 : 2); i++)
		await_success(r.cq);
	ibv_dereg_mr(batch);
}

/* Each call of a remote procedure registers its arguments. */
static void remote_call(void)
{
	char *arguments = malloc(4096);
	struct ibv_mr *mr = ibv_reg_mr(r.pd, arguments, 4096, 0);
	struct ibv_sge sge = { (uintptr_t)arguments, 4096, mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 9,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_cq *replies = ibv_create_cq(r.context, 16, NULL, NULL, 0);
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = r.cq,
		.recv_cq = replies,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *caller = ibv_create_qp(r.pd, &attr);

	memset(arguments, 'x', 4096);
	check("ibv_create_qp", caller ? 0 : errno);
	join(&r, caller, b);
	receive_at(caller, 0, 64);
	receive_at(b, MEMORY / 2, 4096);
	check("ibv_post_send", ibv_post_send(caller, &wr, &bad));
	await_success(other_cq);
	send_of(b, MEMORY / 2 + 8192, 64, IBV_SEND_SIGNALED);
	await_success(replies);
	if (is("reply_and_send"))
		await_success(r.cq);
	ibv_dereg_mr(mr);
	await_success(other_cq);
	if (is("reply_alone"))
		await_success(r.cq);
	free(arguments);
	ibv_destroy_qp(caller);
	ibv_destroy_cq(replies);
}

/* ------------------------------------------------------------------------- memory -- */

/* A table that is mapped is loaded anew: over the old one, whose pages the region keeps. */
static void map_again(void)
{
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *table = mmap(NULL, 16384, prot, flags, -1, 0);
	struct ibv_mr *mr = ibv_reg_mr(r.pd, table, 16384, 0);
	struct ibv_sge sge = { (uintptr_t)table, 1024, mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.rdma = { (uintptr_t)r.memory + MEMORY / 2, r.mr->rkey } },
			   *bad;

	join(&r, a, b);
	memset(table, '1', 16384);
	check("ibv_post_send", ibv_post_send(a, &wr, &bad));
	await_success(r.cq);
	if (is("mapped_anew"))
		ibv_dereg_mr(mr);
	table = mmap(table, 16384, prot, flags | MAP_FIXED, -1, 0);
	memset(table, '2', 16384);
	if (is("mapped_anew")) {
		mr = ibv_reg_mr(r.pd, table, 16384, 0);
		sge.lkey = mr->lkey;
	}
	check("ibv_post_send", ibv_post_send(a, &wr, &bad));
	await_success(r.cq);
	ibv_dereg_mr(mr);
	munmap(table, 16384);
}

/* ----------------------------------------------------------------- lives of objects -- */

/* The connection is lost once, and made anew. */
static void reconnect(void)
{
	struct ibv_wc wc;

	join(&r, a, b);
	receive_at(a, 0, 64);
	move_to(a, IBV_QPS_ERR);
	await_within(r.cq, &wc, patience);
	if (is("reconnect_destroys")) {
		ibv_destroy_qp(a);
		ibv_destroy_qp(b);
	}
	a = make_wide_qp(IBV_QPT_RC, r.cq, NULL, 0);
	b = make_wide_qp(IBV_QPT_RC, other_cq, NULL, 0);
	join(&r, a, b);
	write_of(a, 0, 64, IBV_SEND_SIGNALED);
	await_success(r.cq);
}

/* A worker has a device of its own. */
static void worker(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct ibv_device **list = ibv_get_device_list(NULL);
		struct ibv_context *context = ibv_open_device(list[0]);
		struct ibv_pd *pd = ibv_alloc_pd(context);
		char *memory = malloc(4096);
		struct ibv_mr *mr = ibv_reg_mr(pd, memory, 4096, 0);

		ibv_free_device_list(list);
		if (is("child_frees")) {
			ibv_dereg_mr(mr);
			ibv_dealloc_pd(pd);
			ibv_close_device(context);
		}
		exit(0);
	}
	check("waitpid", waitpid(child, &status, 0) == child && status == 0 ? 0 : EIO);
}

/* -------------------------------------------------------------------------- events -- */

/* An event loop: what does each event bring? */
static void event_loop(void)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(r.context);
	struct ibv_cq *cq = ibv_create_cq(r.context, 16, NULL, channel, 0), *of;
	struct ibv_qp *c = make_wide_qp(IBV_QPT_RC, cq, NULL, 0),
		      *d = make_wide_qp(IBV_QPT_RC, other_cq, NULL, 0);
	struct ibv_wc wc;
	void *context;
	unsigned got = 0;

	join(&r, c, d);
	check("ibv_req_notify_cq", ibv_req_notify_cq(cq, 0));
	for (unsigned i = 0; i < 3; i++)
		write_of(c, i * 64, 64, IBV_SEND_SIGNALED);
	if (is("one_per_event"))
		alarm(HANGS);
	while (got < 3) {
		check("ibv_get_cq_event", ibv_get_cq_event(channel, &of, &context) ? errno : 0);
		ibv_ack_cq_events(of, 1);
		check("ibv_req_notify_cq", ibv_req_notify_cq(of, 0));
		if (is("one_per_event"))
			got += ibv_poll_cq(of, 1, &wc);
		else
			while (ibv_poll_cq(of, 1, &wc) == 1)
				got++;
	}
	ibv_destroy_qp(c);
	ibv_destroy_qp(d);
	ibv_destroy_cq(cq);
	ibv_destroy_comp_channel(channel);
}

/* Two CQs have one channel; events are acknowledged at the end. */
static void acknowledge(void)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(r.context);
	struct ibv_cq *cqs[2], *of;
	struct ibv_qp *qps[2];
	struct ibv_wc wc;
	unsigned events[2] = { 0 };
	void *context;

	for (unsigned i = 0; i < 2; i++) {
		cqs[i] = ibv_create_cq(r.context, 16, NULL, channel, 0);
		qps[i] = make_wide_qp(IBV_QPT_RC, cqs[i], NULL, 0);
		check("ibv_req_notify_cq", ibv_req_notify_cq(cqs[i], 0));
	}
	join(&r, qps[0], qps[1]);
	for (unsigned i = 0; i < 2; i++) {
		write_of(qps[i], i * 64, 64, IBV_SEND_SIGNALED);
		check("ibv_get_cq_event", ibv_get_cq_event(channel, &of, &context) ? errno : 0);
		events[is("acks_to_each") && of == cqs[1]]++;
		check("ibv_poll_cq", ibv_poll_cq(of, 1, &wc) == 1 ? 0 : EIO);
	}
	if (is("acks_to_one"))
		alarm(HANGS);
	for (unsigned i = 0; i < 2; i++) {
		if (events[i])
			ibv_ack_cq_events(cqs[i], events[i]);
		ibv_destroy_qp(qps[i]);
	}
	ibv_destroy_cq(cqs[1]);
	ibv_destroy_cq(cqs[0]);
	ibv_destroy_comp_channel(channel);
}

static struct rdma_cm_event *next_event(struct rdma_event_channel *channel,
					enum rdma_cm_event_type type)
{
	struct rdma_cm_event *event;

	check("rdma_get_cm_event", rdma_get_cm_event(channel, &event) ? errno : 0);
	check(rdma_event_str(event->event), event->event == type ? 0 : EPROTO);
	return event;
}

static void pass_event(struct rdma_event_channel *channel, enum rdma_cm_event_type type)
{
	rdma_ack_cm_event(next_event(channel, type));
}

static void make_qp_of(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	check("rdma_create_qp", rdma_create_qp(id, NULL, &attr) ? errno : 0);
}

/* The id goes when its connection has gone. */
static void disconnect(void)
{
	struct rdma_event_channel *here = rdma_create_event_channel(),
				  *there = rdma_create_event_channel();
	struct sockaddr_in address = { .sin_family = AF_INET };
	struct rdma_conn_param param = { .retry_count = 7, .rnr_retry_count = 7 };
	struct rdma_cm_id *listener, *client, *server;
	struct rdma_cm_event *event;

	memcpy(&address.sin_addr, r.gid.raw + 12, 4);
	rdma_create_id(there, &listener, NULL, RDMA_PS_TCP);
	check("rdma_bind_addr", rdma_bind_addr(listener, (struct sockaddr *)&address) ? errno : 0);
	check("rdma_listen", rdma_listen(listener, 1) ? errno : 0);
	address.sin_port = rdma_get_src_port(listener);
	rdma_create_id(here, &client, NULL, RDMA_PS_TCP);
	rdma_resolve_addr(client, NULL, (struct sockaddr *)&address, 2000);
	pass_event(here, RDMA_CM_EVENT_ADDR_RESOLVED);
	rdma_resolve_route(client, 2000);
	pass_event(here, RDMA_CM_EVENT_ROUTE_RESOLVED);
	make_qp_of(client);
	check("rdma_connect", rdma_connect(client, &param) ? errno : 0);
	event = next_event(there, RDMA_CM_EVENT_CONNECT_REQUEST);
	server = event->id;
	rdma_ack_cm_event(event);
	make_qp_of(server);
	check("rdma_accept", rdma_accept(server, &param) ? errno : 0);
	pass_event(here, RDMA_CM_EVENT_ESTABLISHED);
	pass_event(there, RDMA_CM_EVENT_ESTABLISHED);
	rdma_disconnect(client);
	pass_event(there, RDMA_CM_EVENT_DISCONNECTED);
	rdma_disconnect(server);
	event = next_event(here, RDMA_CM_EVENT_DISCONNECTED);
	if (is("acknowledged_first"))
		rdma_ack_cm_event(event);
	rdma_destroy_qp(client);
	if (is("destroyed_in_handler"))
		alarm(HANGS);
	rdma_destroy_id(client);
	if (is("destroyed_in_handler"))
		rdma_ack_cm_event(event);
	rdma_destroy_qp(server);
	rdma_destroy_id(server);
	rdma_destroy_id(listener);
	rdma_destroy_event_channel(here);
	rdma_destroy_event_channel(there);
}

static const struct named_case cases[] = {
	{ "credit_early", credits },
	{ "credit_late", credits },
	{ "srq_of_two_short", srq_of_two },
	{ "srq_of_two", srq_of_two },
	{ "wrap_forgotten", byte_ring },
	{ "wrap_counted", byte_ring },
	{ "staging_shared", staging },
	{ "staging_held", staging },
	{ "cq_of_four_small", cq_of_four },
	{ "cq_of_four", cq_of_four },
	{ "counter_of_all", signaled_by_counter },
	{ "counter_of_each", signaled_by_counter },
	{ "notice_elsewhere", notice },
	{ "notice_behind", notice },
	{ "relay_fenced", forward },
	{ "relay_waited", forward },
	{ "tail_unsignaled", tail },
	{ "tail_signaled", tail },
	{ "reply_alone", remote_call },
	{ "reply_and_send", remote_call },
	{ "mapped_over", map_again },
	{ "mapped_anew", map_again },
	{ "reconnect_forgets", reconnect },
	{ "reconnect_destroys", reconnect },
	{ "child_leaves", worker },
	{ "child_frees", worker },
	{ "one_per_event", event_loop },
	{ "all_per_event", event_loop },
	{ "acks_to_one", acknowledge },
	{ "acks_to_each", acknowledge },
	{ "destroyed_in_handler", disconnect },
	{ "acknowledged_first", disconnect },
};

MAIN(cases)
