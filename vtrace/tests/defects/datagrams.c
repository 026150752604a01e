// SPDX-License-Identifier: MIT
/*
 * datagrams server ADDRESS PORT CASE
 * datagrams client ADDRESS PORT CASE
 *
 * A client asks a server with datagrams, and the server answers each. In each case but
 * "datagrams_correct" one thing is wrong: the line that names the case. A datagram that the other
 * device drops is no error at either end: the client gives up after a second.
 */
#include "case_rig.h"

#define QUESTIONS 4
#define QUESTION  64
#define GRH	  40
#define OWN_QKEY  0x1eafu
#define SLOT	  8192

struct service {
	struct rig r;
	struct ibv_qp *qp;
	int is_server, tcp;
	struct hello peer;
};

static void make_ready(struct service *s)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD,
		.sq_sig_all = 1,
		.send_cq = s->r.cq,
		.recv_cq = s->r.cq,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 16,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = s->is_server && is("qkey_differs") ? OWN_QKEY + 1 : OWN_QKEY,
	};

	s->qp = ibv_create_qp(s->r.pd, &init);
	check("ibv_create_qp", s->qp ? 0 : errno);
	check("to INIT",
	      ibv_modify_qp(s->qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	attr.qp_state = IBV_QPS_RTR;
	check("to RTR", ibv_modify_qp(s->qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	if (s->is_server || !is("ud_sent_in_rtr"))
		check("to RTS", ibv_modify_qp(s->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

static size_t question_size(void)
{
	return is("beyond_mtu") ? 5000 : QUESTION;
}

/* Each may have overrun, so that vtrace looks: it does so at the end all the same. */
static void destroy_cqs(struct service *s, int n)
{
	while (n--)
		check("ibv_destroy_cq",
		      ibv_destroy_cq(ibv_create_cq(s->r.context, 4, NULL, NULL, 0)));
}

static void post_receives(struct service *s)
{
	for (uint64_t i = 0; i < QUESTIONS; i++) {
		struct ibv_sge sge = { (uintptr_t)s->r.memory + i * SLOT,
				       question_size() + (is("no_grh_room") ? 0 : GRH),
				       s->r.mr->lkey };
		struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

		check("ibv_post_recv", ibv_post_recv(s->qp, &wr, &bad));
	}
}

static void send_to(struct service *s, struct ibv_ah *ah, uint32_t qpn, size_t len)
{
	struct ibv_sge sge = { (uintptr_t)s->r.memory + MEMORY / 2, len, s->r.mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = 100,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.wr.ud = { .ah = ah, .remote_qpn = qpn, .remote_qkey = OWN_QKEY },
	}, *bad;

	check("ibv_post_send", ibv_post_send(s->qp, &wr, &bad));
}

static struct ibv_ah *make_ah(struct service *s)
{
	struct ibv_ah_attr attr = {
		.is_global = !is("ah_no_grh"),
		.port_num = is("ah_port_2") ? 2 : 1,
		.grh = { .dgid = s->peer.gid,
			 .sgid_index = is("ah_other_family")  ? other_family(&s->r)
				       : is("ah_empty_index") ? 40
							      : s->r.gid_index,
			 .hop_limit = 64 },
	};
	struct ibv_ah *ah = ibv_create_ah(s->r.pd, &attr);

	check("ibv_create_ah", ah ? 0 : errno);
	return ah;
}

/* Takes completions until so many datagrams have come, or a second has passed. */
static int take(struct service *s, int n, void (*answer)(struct service *s, struct ibv_wc *wc))
{
	struct ibv_wc wc;
	int got = 0;

	while (got < n && await_within(s->r.cq, &wc, 1000) == 1) {
		if (wc.status != IBV_WC_SUCCESS) {
			fprintf(stderr, "status %d\n", (int)wc.status);
			exit(1);
		}
		if (!(wc.opcode & IBV_WC_RECV))
			continue;
		got++;
		if (answer)
			answer(s, &wc);
	}
	return got;
}

static void answer(struct service *s, struct ibv_wc *wc)
{
	struct ibv_grh *grh = (void *)(s->r.memory + wc->wr_id * SLOT);
	struct ibv_ah *ah = ibv_create_ah_from_wc(s->r.pd, wc, grh, 1);

	check("ibv_create_ah_from_wc", ah ? 0 : errno);
	send_to(s, ah, wc->src_qp, 8);
}

static int run_client(struct service *s)
{
	const uint32_t qpn = is("ud_qpn_not_swapped") ? s->peer.qpn & 0xffffff : ntohl(s->peer.qpn);
	struct ibv_ah *ah = make_ah(s);
	int n;

	for (int i = 0; i < QUESTIONS; i++)
		send_to(s, ah, qpn, question_size());
	n = take(s, QUESTIONS, NULL);
	printf("%d of %d answers\n", n, QUESTIONS);
	return n == QUESTIONS ? 0 : 1;
}

int main(int argc, char **argv)
{
	static struct service s;
	struct hello own;
	int status = 0;
	char c;

	if (argc != 5) {
		fprintf(stderr, "usage: %s server|client ADDRESS PORT CASE\n", argv[0]);
		return 2;
	}
	s.is_server = *argv[1] == 's';
	the_case = argv[4];
	open_rig(&s.r, argv[2], 64);
	make_ready(&s);
	if (is("client_cqs_no_receive"))
		destroy_cqs(&s, 33);
	if (!(s.is_server ? is("server_no_receive")
			  : is("client_no_receive") || is("client_cqs_no_receive")))
		post_receives(&s);
	s.tcp = meet(s.is_server, argv[2], argv[3]);
	own = (struct hello){ .gid = s.r.gid, .qpn = htonl(s.qp->qp_num) };
	tell(s.tcp, &own, sizeof own);
	hear(s.tcp, &s.peer, sizeof s.peer);
	meet_again(s.tcp);
	if (s.is_server) {
		take(&s, QUESTIONS, answer);
		recv(s.tcp, &c, 1, 0); /* until the client ends */
	} else {
		status = run_client(&s);
	}
	return status;
}
