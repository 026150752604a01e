// SPDX-License-Identifier: MIT
/*
 * ends ADDRESS CASE
 *
 * Programs of which one end is faster or slower than the other one.
 */
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>

#include "pair.h"

/* ------------------------------------------------------------------ address handles -- */

static struct ibv_qp *make_datagrams(struct ibv_cq *cq, bool is_extended)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_UD,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     (is_extended ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0),
		.pd = r.pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(r.context, &init);

	check("ibv_create_qp_ex", qp ? 0 : errno);
	to_datagrams(qp);
	return qp;
}

static void send_datagram(struct ibv_qp *from, const struct ibv_qp *to, struct ibv_ah *ah,
			  unsigned flags)
{
	struct ibv_sge sge = { (uintptr_t)r.memory, 64, r.lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = flags },
			   *bad;

	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = to->qp_num;
	wr.wr.ud.remote_qkey = 5;
	check("ibv_post_send", ibv_post_send(from, &wr, &bad));
}

static void build_datagram(struct ibv_qp *from, const struct ibv_qp *to, struct ibv_ah *ah)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(from);

	ibv_wr_start(qpx);
	qpx->wr_id = 1;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, ah, to->qp_num, 5);
	ibv_wr_set_sge(qpx, r.lkey, (uintptr_t)r.memory, 64);
	check("ibv_wr_complete", ibv_wr_complete(qpx));
}

static void send_with_handle(void)
{
	const bool is_built = is("ah_built"), is_kept = is("ah_kept") || is("ah_answered");
	struct ibv_qp *from = make_datagrams(r.cq, is_built), *to = make_datagrams(other_cq, false);
	struct ibv_ah_attr path = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = r.gid, .sgid_index = r.gid_index, .hop_limit = 64 },
	};
	struct ibv_ah *ah = ibv_create_ah(r.pd, &path), *other = ibv_create_ah(r.pd, &path);
	struct ibv_wc wc;

	check("ibv_create_ah", ah && other ? 0 : errno);
	receive_at(to, MEMORY / 2, 40 + 64);
	receive_at(from, MEMORY / 2 + 1024, 40 + 64);
	if (is_built)
		build_datagram(from, to, ah);
	else
		send_datagram(from, to, ah, is("ah_answered") ? 0 : IBV_SEND_SIGNALED);
	if (is("ah_answered")) {
		await_success(other_cq);
		send_datagram(to, from, other, IBV_SEND_SIGNALED);
		await_success(other_cq);
		await_success(r.cq);
	}
	if (is("ah_kept"))
		await_success(r.cq);
	if (is("ah_after_err"))
		move_to(from, IBV_QPS_ERR);
	check("ibv_destroy_ah", ibv_destroy_ah(is("ah_other") ? other : ah));
	if (!is_kept)
		await_within(r.cq, &wc, 2000);
	check("ibv_destroy_qp", ibv_destroy_qp(from) | ibv_destroy_qp(to));
	check("ibv_destroy_ah", ibv_destroy_ah(is("ah_other") ? ah : other));
}

/* ------------------------------------------------------------------ too few receives -- */

static void join_for(struct ibv_qp *one, struct ibv_qp *two, uint8_t rnr_retry)
{
	struct path there = usual_path(&r, two->qp_num), back = usual_path(&r, one->qp_num);

	there.rnr_retry = back.rnr_retry = rnr_retry;
	check("to INIT", to_init(one, 1) | to_init(two, 1));
	check("to RTR", to_rtr(one, &there) | to_rtr(two, &back));
	check("to RTS", to_rts(one, &there) | to_rts(two, &back));
}

/* The peer has one receive less than messages, or as many. */
static void outrun_peer(void)
{
	const int n = 3, early = is("rq_in_time") || is("rq_returned") ? n : n - 1;
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct ibv_srq *srq = is("rq_shared") || is("rq_shared_kept") ? ibv_create_srq(r.pd, &init)
								      : NULL;
	struct ibv_qp *to = srq ? make_wide_qp(IBV_QPT_RC, other_cq, srq, 0) : b;

	join_for(a, to, is("rq_dry_for_ever") ? 7 : 6);
	for (int i = 0; i < early && !srq; i++)
		receive_at(to, MEMORY / 2, 64);
	for (int i = 0; i < n && !srq; i++)
		check("ibv_post_send", post_from(a,
						 is("rq_writes")    ? IBV_WR_RDMA_WRITE
						 : is("rq_dry_imm") ? IBV_WR_RDMA_WRITE_WITH_IMM
								    : IBV_WR_SEND,
						 i, 0, 8, IBV_SEND_SIGNALED));
	for (int i = early; i < n && !srq; i++)
		receive_at(to, MEMORY / 2, 64);
	for (int i = 0; i < n && !srq; i++)
		await_success(r.cq);
	for (int i = 0; i < n && is("rq_returned"); i++) {
		receive_at(to, MEMORY / 2, 64);
		post(IBV_WR_SEND, 0, 8, IBV_SEND_SIGNALED);
		await_success(r.cq);
	}
	if (!srq)
		return;
	if (is("rq_shared_kept")) {
		struct ibv_sge sge = { (uintptr_t)r.memory + MEMORY / 2, 64, r.lkey };
		struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

		check("ibv_post_srq_recv", ibv_post_srq_recv(srq, &wr, &bad));
	}
	post(IBV_WR_SEND, 0, 8, IBV_SEND_SIGNALED);
	move_to(a, IBV_QPS_ERR);
	check("ibv_destroy_qp", ibv_destroy_qp(to));
	check("ibv_destroy_srq", ibv_destroy_srq(srq));
}

/* To the number of b at an address that is not the one of b. */
static void send_elsewhere(void)
{
	struct path there = usual_path(&r, b->qp_num), back = usual_path(&r, a->qp_num);
	const int other = other_address(&r);
	struct ibv_wc wc;

	check("another address",
	      other < 0 ? ENOENT : ibv_query_gid(r.context, 1, other, &there.gid));
	check("to INIT", to_init(a, 1) | to_init(b, 1));
	check("to RTR", to_rtr(a, &there) | to_rtr(b, &back));
	check("to RTS", to_rts(a, &there) | to_rts(b, &back));
	post(IBV_WR_SEND, 0, 8, IBV_SEND_SIGNALED);
	move_to(a, IBV_QPS_ERR);
	await_within(r.cq, &wc, 2000);
}

/* ------------------------------------------------------- connections of librdmacm -- */

static struct rdma_event_channel *server_events, *client_events;
static struct rdma_cm_id *server, *client; /* connected */
static uint16_t port;
static const char *address;
static pthread_barrier_t step;

static void await_event(struct rdma_event_channel *events, enum rdma_cm_event_type type,
			struct rdma_cm_id **id)
{
	struct rdma_cm_event *event;

	check("rdma_get_cm_event", rdma_get_cm_event(events, &event));
	if (event->event != type) {
		fprintf(stderr, "%s, not %s\n", rdma_event_str(event->event), rdma_event_str(type));
		exit(1);
	}
	if (id)
		*id = event->id;
	check("rdma_ack_cm_event", rdma_ack_cm_event(event));
}

static void make_cm_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.sq_sig_all = 1,
	};

	check("rdma_create_qp", rdma_create_qp(id, NULL, &init));
}

/* Each end has a region of its own, in the PD that librdmacm has made. */
static struct ibv_mr *receive_of(struct rdma_cm_id *id, char *memory, bool is_wanted)
{
	static struct ibv_mr *mrs[2];
	struct ibv_mr **mr = &mrs[id == server];
	struct ibv_sge sge = { (uintptr_t)memory, 64, 0 };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (!*mr)
		*mr = ibv_reg_mr(id->pd, memory, 128, IBV_ACCESS_LOCAL_WRITE);
	check("ibv_reg_mr", *mr ? 0 : errno);
	sge.lkey = (*mr)->lkey;
	if (is_wanted)
		check("ibv_post_recv", ibv_post_recv(id->qp, &wr, &bad));
	return *mr;
}

static void send_of(struct rdma_cm_id *id, const char *memory, const struct ibv_mr *mr)
{
	struct ibv_sge sge = { (uintptr_t)memory + 64, 64, mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;

	check("ibv_post_send", ibv_post_send(id->qp, &wr, &bad));
	await_success(id->send_cq);
}

static struct rdma_conn_param parameters(void)
{
	return (struct rdma_conn_param){
		.responder_resources = 1,
		.initiator_depth = 1,
		.retry_count = 7,
		.rnr_retry_count = is("late_for_ever") ? 7 : 3,
	};
}

/* The end that connects. */
static void *connect_end(void *memory)
{
	const bool is_late = is("late_connect");
	struct rdma_conn_param param = parameters();
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct ibv_mr *mr;

	to.sin_addr.s_addr = inet_addr(address);
	client_events = rdma_create_event_channel();
	check("rdma_create_id", rdma_create_id(client_events, &client, NULL, RDMA_PS_TCP));
	check("rdma_resolve_addr",
	      rdma_resolve_addr(client, NULL, (struct sockaddr *)(void *)&to, 2000));
	await_event(client_events, RDMA_CM_EVENT_ADDR_RESOLVED, NULL);
	check("rdma_resolve_route", rdma_resolve_route(client, 2000));
	await_event(client_events, RDMA_CM_EVENT_ROUTE_RESOLVED, NULL);
	make_cm_qp(client);
	mr = receive_of(client, memory, !is_late);
	check("rdma_connect", rdma_connect(client, &param));
	await_event(client_events, RDMA_CM_EVENT_ESTABLISHED, NULL);
	if (is_late)
		receive_of(client, memory, true);
	pthread_barrier_wait(&step); /* both ends have posted their receives */
	if (is("late_asked") || is_late)
		await_success(client->recv_cq);
	if (!is_late && !is("late_destroyed"))
		send_of(client, memory, mr);
	pthread_barrier_wait(&step);
	check("rdma_disconnect", rdma_disconnect(client));
	rdma_destroy_qp(client);
	ibv_dereg_mr(mr);
	check("rdma_destroy_id", rdma_destroy_id(client));
	rdma_destroy_event_channel(client_events);
	return NULL;
}

/* A QP where the one of an id was, if the allocator likes: it has its receive in time. */
static void use_again(void)
{
	struct ibv_qp *qp = make_wide_qp(IBV_QPT_RC, other_cq, NULL, 0);

	join(&r, a, qp);
	receive_at(qp, MEMORY / 2, 64);
	post(IBV_WR_SEND, 0, 8, IBV_SEND_SIGNALED);
	await_success(r.cq);
	await_success(other_cq);
	check("ibv_destroy_qp", ibv_destroy_qp(qp));
}

static void connect_ends(void)
{
	const bool is_early = is("late_not") || is("late_connect") || is("request_left");
	struct rdma_conn_param param = parameters();
	struct sockaddr_in from = { .sin_family = AF_INET };
	struct rdma_cm_id *listener;
	char *memory = r.memory + 8192;
	struct ibv_mr *mr;
	pthread_t peer;

	from.sin_addr.s_addr = inet_addr(address);
	pthread_barrier_init(&step, NULL, 2);
	server_events = rdma_create_event_channel();
	check("rdma_create_id", rdma_create_id(server_events, &listener, NULL, RDMA_PS_TCP));
	check("rdma_bind_addr", rdma_bind_addr(listener, (struct sockaddr *)(void *)&from));
	check("rdma_listen", rdma_listen(listener, 1));
	port = ntohs(rdma_get_src_port(listener));
	pthread_create(&peer, NULL, connect_end, r.memory + 4096);
	await_event(server_events, RDMA_CM_EVENT_CONNECT_REQUEST, &server);
	make_cm_qp(server);
	mr = receive_of(server, memory, is_early);
	check("rdma_accept", rdma_accept(server, is("late_default") ? NULL : &param));
	if (!is_early && !is("late_destroyed"))
		receive_of(server, memory, true);
	await_event(server_events, RDMA_CM_EVENT_ESTABLISHED, NULL);
	pthread_barrier_wait(&step);
	if (is("late_asked") || is("late_connect"))
		send_of(server, memory, mr);
	if (!is("late_connect") && !is("late_destroyed"))
		await_success(server->recv_cq);
	pthread_barrier_wait(&step);
	await_event(server_events, RDMA_CM_EVENT_DISCONNECTED, NULL);
	pthread_join(peer, NULL);
	rdma_destroy_qp(server);
	if (is("late_destroyed"))
		use_again();
	ibv_dereg_mr(mr);
	if (!is("request_left"))
		check("rdma_destroy_id", rdma_destroy_id(server));
	check("rdma_destroy_id", rdma_destroy_id(listener));
	rdma_destroy_event_channel(server_events);
}

static const struct named_case cases[] = {
	{ "ah_posted", send_with_handle },
	{ "ah_built", send_with_handle },
	{ "ah_kept", send_with_handle },
	{ "ah_answered", send_with_handle },
	{ "ah_after_err", send_with_handle },
	{ "ah_other", send_with_handle },
	{ "rq_dry", outrun_peer },
	{ "rq_dry_imm", outrun_peer },
	{ "rq_dry_for_ever", outrun_peer },
	{ "rq_in_time", outrun_peer },
	{ "rq_returned", outrun_peer },
	{ "rq_writes", outrun_peer },
	{ "rq_shared", outrun_peer },
	{ "rq_shared_kept", outrun_peer },
	{ "rq_elsewhere", send_elsewhere },
	{ "late_accept", connect_ends },
	{ "late_connect", connect_ends },
	{ "late_not", connect_ends },
	{ "late_for_ever", connect_ends },
	{ "late_default", connect_ends },
	{ "late_asked", connect_ends },
	{ "late_destroyed", connect_ends },
	{ "request_left", connect_ends },
};

int main(int argc, char **argv)
{
	address = argc == 3 ? argv[1] : "";
	return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
