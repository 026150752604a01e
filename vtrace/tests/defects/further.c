// SPDX-License-Identifier: MIT
/*
 * further server ADDRESS PORT CASE
 * further client ADDRESS PORT CASE
 *
 * A log that a client keeps in a server's memory: it sends a record, writes one, reads it back and
 * counts it. Twenty mistakes, which were written down, with what has to be said of them, before any
 * was run; the rules were left as they were.
 */
#include <signal.h>

#include "case_rig.h"

#define RECORD 128

struct log {
	struct rig r;
	struct ibv_qp *qp;
	struct ibv_mr *shared;
	struct hello own, peer;
	int is_server, tcp;
};

static int at_server(const struct log *l, const char *name)
{
	return l->is_server && is(name);
}

static int at_client(const struct log *l, const char *name)
{
	return !l->is_server && is(name);
}

/* The memory that the client may reach. */
static void share(struct log *l)
{
	int rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC;
	struct ibv_pd *pd = at_server(l, "shared_of_other_pd") ? ibv_alloc_pd(l->r.context)
							       : l->r.pd;

	if (is("no_remote_read"))
		rights &= ~IBV_ACCESS_REMOTE_READ;
	if (is("no_remote_atomic"))
		rights &= ~IBV_ACCESS_REMOTE_ATOMIC;
	l->shared = ibv_reg_mr(pd, l->r.memory, is("half_shared") ? RECORD / 2 : 4096, rights);
	check("ibv_reg_mr", l->shared ? 0 : errno);
}

static void change_state(struct log *l, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	check("ibv_modify_qp", ibv_modify_qp(l->qp, &attr, IBV_QP_STATE));
}

static void connect_qp(struct log *l)
{
	struct path p = usual_path(&l->r, ntohl(l->peer.qpn));

	p.gid = l->peer.gid;
	if (at_client(l, "rnr_retry_0"))
		p.rnr_retry = 0;
	if (at_client(l, "psn_not_swapped"))
		p.own_psn = htonl(7) & 0xffffff;
	if (at_client(l, "dgid_of_nobody"))
		p.gid.raw[15] = 2; /* an address of this host, but not the server's */
	if (!at_client(l, "rtr_from_reset"))
		check("to INIT", to_init(l->qp, 1));
	check("to RTR", to_rtr(l->qp, &p));
	check("to RTS", to_rts(l->qp, &p));
	if (at_client(l, "rts_twice"))
		check("to RTR", to_rtr(l->qp, &p));
}

/* ------------------------------------------------------------------------ the server -- */

static void receive_into(struct log *l, struct ibv_mr *mr, size_t len)
{
	struct ibv_sge sge = { (uintptr_t)l->r.memory + MEMORY / 2, len, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	check("ibv_post_recv", ibv_post_recv(l->qp, &wr, &bad));
}

static void run_server(struct log *l)
{
	struct ibv_mr *plain = ibv_reg_mr(l->r.pd, l->r.memory, MEMORY, 0);
	char c;

	if (is("receive_not_writable"))
		receive_into(l, plain, RECORD);
	else if (is("receive_of_0"))
		receive_into(l, l->r.mr, 0);
	else if (!is("rnr_retry_0"))
		receive_into(l, l->r.mr, RECORD);
	meet_again(l->tcp);
	if (is("server_reconnects")) {
		meet_again(l->tcp);
		change_state(l, IBV_QPS_RESET);
		connect_qp(l);
		receive_into(l, l->r.mr, RECORD);
	}
	if (is("server_killed"))
		raise(SIGKILL);
	if (is("server_resets"))
		change_state(l, IBV_QPS_RESET);
	if (is("server_reregisters")) {
		check("ibv_dereg_mr", ibv_dereg_mr(l->shared));
		share(l);
	}
	meet_again(l->tcp);
	recv(l->tcp, &c, 1, 0); /* until the client ends */
}

/* ------------------------------------------------------------------------ the client -- */

static void send_record(struct log *l)
{
	if (is("send_deregistered")) {
		check("ibv_dereg_mr", ibv_dereg_mr(l->r.mr));
	}
	check("SEND", post_request(&l->r, l->qp, IBV_WR_SEND, 1, RECORD, 0, 0));
	await_success(l->r.cq);
	if (!is("second_send"))
		return;
	check("SEND", post_request(&l->r, l->qp, IBV_WR_SEND, 2, RECORD, 0, 0));
	await_success(l->r.cq);
}

static void use_log(struct log *l)
{
	uint64_t at = be64toh(l->peer.address);
	uint32_t rkey = ntohl(l->peer.rkey);

	if (is("rkey_not_swapped"))
		rkey = l->peer.rkey;
	if (is("address_not_swapped"))
		at = l->peer.address;
	if (is("address_0"))
		at = 0;
	if (is("record_index"))
		at += 4096 / RECORD * RECORD; /* the one behind the last */
	if (is("lkey_of_peer"))
		l->r.lkey = rkey;
	check("WRITE", post_request(&l->r, l->qp, IBV_WR_RDMA_WRITE, 3, RECORD, at, rkey));
	await_success(l->r.cq);
	check("READ", post_request(&l->r, l->qp, IBV_WR_RDMA_READ, 4, RECORD, at, rkey));
	await_success(l->r.cq);
	check("FETCH_ADD", post_request(&l->r, l->qp, IBV_WR_ATOMIC_FETCH_AND_ADD, 5, 8, at, rkey));
	await_success(l->r.cq);
}

static void run_client(struct log *l)
{
	char c;

	meet_again(l->tcp);
	if (is("server_reconnects")) {
		send_record(l);
		meet_again(l->tcp);
	}
	if (is("server_killed")) {
		recv(l->tcp, &c, 1, 0);
		sleep(1); /* the post comes after the end */
	} else {
		meet_again(l->tcp);
	}
	send_record(l);
	use_log(l);
	if (is("mr_freed_pd"))
		check("ibv_dealloc_pd", ibv_dealloc_pd(l->r.pd));
	if (is("receive_queue_full"))
		for (int i = 0; i < 1000; i++)
			check("ibv_post_recv", post_receive(&l->r, l->qp, i, RECORD));
}

int main(int argc, char **argv)
{
	static struct log l;

	if (argc != 5) {
		fprintf(stderr, "usage: %s server|client ADDRESS PORT CASE\n", argv[0]);
		return 2;
	}
	l.is_server = *argv[1] == 's';
	the_case = argv[4];
	open_rig(&l.r, argv[2], 64);
	share(&l);
	l.qp = make_qp(&l.r, l.r.cq, l.r.cq, NULL, 16);
	l.tcp = meet(l.is_server, argv[2], argv[3]);
	l.own = (struct hello){ .gid = l.r.gid,
				.qpn = htonl(l.qp->qp_num),
				.address = htobe64((uintptr_t)l.r.memory),
				.rkey = htonl(l.shared->rkey) };
	tell(l.tcp, &l.own, sizeof l.own);
	hear(l.tcp, &l.peer, sizeof l.peer);
	connect_qp(&l);
	if (l.is_server)
		run_server(&l);
	else
		run_client(&l);
	puts("done");
	return 0;
}
