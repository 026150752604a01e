// SPDX-License-Identifier: MIT
/*
 * two_qps server ADDRESS PORT CASE
 * two_qps client ADDRESS PORT CASE
 *
 * A client sends messages to a server's QP, then reads, writes and adds to its memory. In each case
 * but "qps_correct" one thing is wrong at one of the ends: the line that names the case.
 */
#include <poll.h>
#include <sys/mman.h>

#include "case_rig.h"

#define MESSAGES 8
#define MESSAGE	 256

/* The number that the client takes for that of the server's QP. */
static uint32_t peer_number(const struct hello *peer, int is_server)
{
	const uint32_t number = ntohl(peer->qpn);

	if (!is_server && is("qpn_not_swapped"))
		return peer->qpn & 0xffffff;
	if (!is_server && is("qpn_neighbour"))
		return number + 1;
	if (is_server && is("server_elsewhere"))
		return number + 5;
	return number;
}

static void connect_qp(struct rig *r, struct ibv_qp *qp, const struct hello *peer, int is_server)
{
	struct path p = usual_path(r, peer_number(peer, is_server));

	p.gid = peer->gid;
	if (!is_server && is("sgid_of_other_family"))
		p.sgid_index = other_family(r);
	if (!is_server && is("sgid_of_other_address"))
		p.sgid_index = other_address(r);
	p.is_global = !is("no_grh");
	if (is("server_rd_atomic_0") && is_server)
		p.dest_rd_atomic = 0;
	if (is("rd_atomic_0"))
		p.rd_atomic = 0;
	if (!is_server && (is("server_in_err") || is("server_failed")))
		p.rnr_retry = 7;
	if (is_server && is("server_in_reset"))
		return;
	check("to INIT", to_init(qp, is("port_0") ? 0 : 1));
	if (is_server && is("server_in_init"))
		return;
	check("to RTR", to_rtr(qp, &p));
	check("to RTS", to_rts(qp, &p));
	if (is_server && is("server_in_err"))
		check("to ERR", ibv_modify_qp(qp, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_ERR },
					      IBV_QP_STATE));
}

/* --------------------------------------------------------------------- the server -- */

static struct ibv_srq *make_srq(struct rig *r)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_srq *srq = is("srq_dry") ? ibv_create_srq(r->pd, &attr) : NULL;
	struct ibv_sge sge = { (uintptr_t)r->memory, MESSAGE, r->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	for (int i = 0; srq && i < MESSAGES / 2; i++)
		check("ibv_post_srq_recv", ibv_post_srq_recv(srq, &wr, &bad));
	return srq;
}

/* A message from memory that no region has; its completion is not taken either. */
static void send_wrongly(struct rig *r, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init_attr;

	r->lkey += 7;
	check("ibv_post_send", post_request(r, qp, IBV_WR_SEND, 500, MESSAGE, 0, 0));
	do
		check("ibv_query_qp", ibv_query_qp(qp, &attr, IBV_QP_STATE, &init_attr));
	while (attr.qp_state != IBV_QPS_ERR);
}

/* Takes no completions: they stay in the CQ. */
static void run_server(struct rig *r, int tcp)
{
	char c;

	meet_again(tcp);
	if (is("target_unmapped"))
		munmap(r->memory, MEMORY);
	meet_again(tcp);
	recv(tcp, &c, 1, 0); /* until the client ends */
}

/* --------------------------------------------------------------------- the client -- */

/* Until the CQ has overrun; then no further completion comes. The event is not read. */
static void await_overrun(struct rig *r)
{
	struct pollfd event = { .fd = r->context->async_fd, .events = POLLIN };

	check("poll", poll(&event, 1, patience) == 1 ? 0 : ETIME);
	patience = 100;
}

static void send_messages(struct rig *r, struct ibv_qp *qp)
{
	for (uint64_t i = 0; i < MESSAGES; i++)
		check("ibv_post_send", post_request(r, qp, IBV_WR_SEND, 100 + i, MESSAGE, 0, 0));
	if (is("small_cq"))
		await_overrun(r);
	for (int i = 0; i < MESSAGES; i++)
		await_success(r->cq);
}

static void use_memory(struct rig *r, struct ibv_qp *qp, const struct hello *peer)
{
	const uint64_t at = be64toh(peer->address);
	const uint32_t rkey = ntohl(peer->rkey);

	check("WRITE", post_request(r, qp, IBV_WR_RDMA_WRITE, 200, MESSAGE, at, rkey));
	await_success(r->cq);
	for (uint64_t i = 0; i < 3; i++)
		check("READ", post_request(r, qp, IBV_WR_RDMA_READ, 300 + i, MESSAGE, at, rkey));
	for (int i = 0; i < 3; i++)
		await_success(r->cq);
	check("FETCH_ADD", post_request(r, qp, IBV_WR_ATOMIC_FETCH_AND_ADD, 400, 8,
					at + (is("atomic_odd") ? 4 : 0), rkey));
	await_success(r->cq);
}

static void run_client(struct rig *r, struct ibv_qp *qp, const struct hello *peer, int tcp)
{
	meet_again(tcp);
	meet_again(tcp);
	if (!is("target_unmapped"))
		send_messages(r, qp);
	if (is("dereg_early")) {
		check("SEND", post_request(r, qp, IBV_WR_SEND, 150, MESSAGE, 0, 0));
		await_success(r->cq);
		check("ibv_dereg_mr", ibv_dereg_mr(r->mr));
		check("SEND", post_request(r, qp, IBV_WR_SEND, 151, MESSAGE, 0, 0));
		await_success(r->cq);
	}
	use_memory(r, qp, peer);
}

int main(int argc, char **argv)
{
	struct rig r = { 0 };
	struct hello own, peer;
	struct ibv_qp *qp;
	int is_server, tcp;

	if (argc != 5) {
		fprintf(stderr, "usage: %s server|client ADDRESS PORT CASE\n", argv[0]);
		return 2;
	}
	is_server = *argv[1] == 's';
	the_case = argv[4];
	open_rig(&r, argv[2],
		 is_server && is("server_small_cq") ? 4
		 : !is_server && is("small_cq")	    ? 4
						    : 64);
	qp = make_qp(&r, r.cq, r.cq, is_server ? make_srq(&r) : NULL, 64);
	tcp = meet(is_server, argv[2], argv[3]);
	own = (struct hello){ .gid = r.gid,
			      .qpn = htonl(qp->qp_num),
			      .address = htobe64((uintptr_t)r.memory),
			      .rkey = htonl(r.mr->rkey) };
	tell(tcp, &own, sizeof own);
	hear(tcp, &peer, sizeof peer);
	connect_qp(&r, qp, &peer, is_server);
	for (uint64_t i = 0; is_server && !qp->srq && !is("server_in_reset") && i < 16; i++)
		check("ibv_post_recv", post_receive(&r, qp, i, MESSAGE));
	if (is_server && is("server_failed"))
		send_wrongly(&r, qp);
	if (is_server)
		run_server(&r, tcp);
	else
		run_client(&r, qp, &peer, tcp);
	puts("done");
	return 0;
}
