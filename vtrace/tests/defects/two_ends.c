// SPDX-License-Identifier: MIT
/*
 * NAME server ADDRESS PORT
 * NAME client ADDRESS PORT
 * NAME ADDRESS PORT
 *
 * A client and a server of libibverbs, which meet by TCP: the client sends a message, and writes
 * as much to the server's memory. Without a word for which, the server is a child of the client.
 * Compiled once for each row of defects.list, with -DCASE=NAME.
 * In ten of these programs one line is wrong: the line that has FAULT(NAME, as it is, as it should
 * be). Five are correct, although they have errors to deal with.
 */
#include <endian.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "meeting.h"

enum {
	wrong_rkey,
	short_receive,
	no_receive,
	wrong_state,
	wrong_mask,
	too_much_inline,
	queue_full,
	missing_rights,
	peer_gone,
	wrong_path_mtu,
	correct_plain,
	correct_drain,
	correct_nonblocking,
	correct_late_receive,
	correct_again,
};

#define PIECES	16  /* in which as much is written */
#define PIECE	512 /* bytes */
#define MESSAGE (PIECES * PIECE)

struct end {
	int is_server;
	int tcp;
	int gid_index;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	char buffer[2 * MESSAGE]; /* what comes by SEND, and by WRITE */
	struct hello own, peer;
};

/* ------------------------------------------------------------------------- objects -- */

static void register_memory(struct end *e)
{
	int rights = IBV_ACCESS_LOCAL_WRITE;

	if (e->is_server)
		rights |= FAULT(missing_rights, 0, IBV_ACCESS_REMOTE_WRITE);
	e->mr = ibv_reg_mr(e->pd, e->buffer, sizeof e->buffer, rights);
	check("ibv_reg_mr", e->mr ? 0 : errno);
}

static void make_objects(struct end *e)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.cap = {
			.max_send_wr = FAULT(queue_full, 4, 2 * PIECES),
			.max_recv_wr = 4,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = 64,
		},
	};

	e->pd = ibv_alloc_pd(e->context);
	check("ibv_alloc_pd", e->pd ? 0 : errno);
	if (CASE == correct_nonblocking) {
		e->channel = ibv_create_comp_channel(e->context);
		check("ibv_create_comp_channel", e->channel ? 0 : errno);
		fcntl(e->channel->fd, F_SETFL, O_NONBLOCK);
		fcntl(e->context->async_fd, F_SETFL, O_NONBLOCK);
	}
	e->cq = ibv_create_cq(e->context, 4 * PIECES, NULL, e->channel, 0);
	check("ibv_create_cq", e->cq ? 0 : errno);
	attr.send_cq = attr.recv_cq = e->cq;
	e->qp = ibv_create_qp(e->pd, &attr);
	check("ibv_create_qp", e->qp ? 0 : errno);
}

static void destroy_objects(struct end *e)
{
	check("ibv_destroy_qp", ibv_destroy_qp(e->qp));
	check("ibv_destroy_cq", ibv_destroy_cq(e->cq));
	if (e->channel)
		check("ibv_destroy_comp_channel", ibv_destroy_comp_channel(e->channel));
	check("ibv_dereg_mr", ibv_dereg_mr(e->mr));
	check("ibv_dealloc_pd", ibv_dealloc_pd(e->pd));
	check("ibv_close_device", ibv_close_device(e->context));
}

/* ------------------------------------------------------------------------- the QP -- */

static void to_init(struct end *e)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};

	check("ibv_modify_qp",
	      ibv_modify_qp(e->qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}

static void to_rtr(struct end *e)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = e->is_server ? IBV_MTU_1024
				      : FAULT(wrong_path_mtu, IBV_MTU_256, IBV_MTU_1024),
		.dest_qp_num = ntohl(e->peer.qpn),
		.rq_psn = ntohl(e->peer.psn),
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = e->peer.gid, .sgid_index = e->gid_index, .hop_limit = 64 },
		},
	};

	check("ibv_modify_qp",
	      ibv_modify_qp(e->qp, &attr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER));
}

static void to_rts(struct end *e)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 15, /* 134 ms: the peer may have to wait for a processor */
		.retry_cnt = 3,
		.rnr_retry = CASE == correct_late_receive ? 7 : 1,
		.sq_psn = ntohl(e->own.psn),
	};

	check("ibv_modify_qp", ibv_modify_qp(e->qp, &attr,
					     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
						     FAULT(wrong_mask, 0, IBV_QP_RNR_RETRY) |
						     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void to_state(struct end *e, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	check("ibv_modify_qp", ibv_modify_qp(e->qp, &attr, IBV_QP_STATE));
}

static void post_receives(struct end *e)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)e->buffer,
		.length = FAULT(short_receive, 64, MESSAGE),
		.lkey = e->mr->lkey,
	};
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int n = CASE == correct_drain ? 3 : FAULT(no_receive, 0, 1);

	for (wr.wr_id = 1; n--; wr.wr_id++)
		check("ibv_post_recv", ibv_post_recv(e->qp, &wr, &bad));
}

/* Tells the peer what it needs, and connects the QPs. */
static void connect_ends(struct end *e)
{
	e->own.qpn = htonl(e->qp->qp_num);
	e->own.psn = htonl(e->qp->qp_num * 7 & 0xffffff);
	e->own.rkey = htonl(e->mr->rkey);
	e->own.address = htobe64((uintptr_t)e->buffer + MESSAGE);
	tell(e->tcp, &e->own, sizeof e->own);
	hear(e->tcp, &e->peer, sizeof e->peer);
	to_init(e);
	if (e->is_server && CASE != correct_late_receive)
		post_receives(e);
	if (FAULT(wrong_state, e->is_server, 1))
		to_rtr(e);
	to_rts(e);
	meet_again(e->tcp);
}

/* ---------------------------------------------------------------------- operations -- */

static void send_message(struct end *e)
{
	struct ibv_sge sge = { (uintptr_t)e->buffer, MESSAGE, e->mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = 100,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = FAULT(too_much_inline, IBV_SEND_INLINE, 0),
	}, *bad;

	check("ibv_post_send", ibv_post_send(e->qp, &wr, &bad));
}

static void write_pieces(struct end *e)
{
	struct ibv_sge sge[PIECES];
	struct ibv_send_wr wr[PIECES] = { 0 }, *bad;

	for (unsigned i = 0; i < PIECES; i++) {
		sge[i] = (struct ibv_sge){ (uintptr_t)e->buffer + i * PIECE, PIECE, e->mr->lkey };
		wr[i].wr_id = 200 + i;
		wr[i].next = i + 1 < PIECES ? &wr[i + 1] : NULL;
		wr[i].sg_list = &sge[i];
		wr[i].num_sge = 1;
		wr[i].opcode = IBV_WR_RDMA_WRITE;
		wr[i].wr.rdma.remote_addr = be64toh(e->peer.address) + i * PIECE;
		wr[i].wr.rdma.rkey = FAULT(wrong_rkey, e->mr->rkey, ntohl(e->peer.rkey));
	}
	check("ibv_post_send", ibv_post_send(e->qp, wr, &bad));
}

/* Waits for the event that the CQ was armed for; looks whether the device has one, too. */
static void await_event(struct end *e)
{
	struct pollfd fd = { .fd = e->channel->fd, .events = POLLIN };
	struct ibv_async_event event;
	struct ibv_cq *cq;
	void *context;

	if (!ibv_get_async_event(e->context, &event))
		ibv_ack_async_event(&event);
	while (ibv_get_cq_event(e->channel, &cq, &context))
		if (errno != EAGAIN || poll(&fd, 1, PATIENCE * 1000) <= 0)
			check("ibv_get_cq_event", errno);
	ibv_ack_cq_events(cq, 1);
}

static void await_completion(struct end *e, enum ibv_wc_status expected)
{
	time_t begin = time(NULL);
	struct ibv_wc wc;
	int n, armed = 0;

	while ((n = ibv_poll_cq(e->cq, 1, &wc)) == 0 && !is_over(e->is_server, e->tcp, begin)) {
		if (!e->channel)
			continue;
		if (armed)
			await_event(e);
		else
			check("ibv_req_notify_cq", ibv_req_notify_cq(e->cq, 0));
		armed = !armed;
	}
	check("ibv_poll_cq", n < 0 ? EIO : n ? 0 : ETIMEDOUT);
	if (wc.status != expected) {
		fprintf(stderr, "wr_id %d failed: status %d\n", (int)wc.wr_id, (int)wc.status);
		exit(1);
	}
}

/* ------------------------------------------------------------------------ the ends -- */

static void run_client(struct end *e)
{
	char c;

	memset(e->buffer, 'm', MESSAGE);
	if (CASE == peer_gone)
		recv(e->tcp, &c, 1, 0); /* until it has gone */
	send_message(e);
	await_completion(e, IBV_WC_SUCCESS);
	write_pieces(e);
	for (unsigned i = 0; i < PIECES; i++)
		await_completion(e, IBV_WC_SUCCESS);
	meet_again(e->tcp);
}

static void run_server(struct end *e)
{
	if (CASE == correct_late_receive) {
		usleep(50000); /* the client is told to try again */
		post_receives(e);
	}
	if (FAULT(peer_gone, 1, 0))
		return;
	if (CASE != no_receive)
		await_completion(e, IBV_WC_SUCCESS);
	meet_again(e->tcp);
	if (memcmp(e->buffer, e->buffer + MESSAGE, MESSAGE) != 0)
		check("the message", EIO);
	if (CASE == correct_drain) { /* takes its receives back */
		to_state(e, IBV_QPS_ERR);
		await_completion(e, IBV_WC_WR_FLUSH_ERR);
		await_completion(e, IBV_WC_WR_FLUSH_ERR);
	}
}

static int to_server = -1;

/* Waits for the end of the server, so that its lines come before the next prompt. */
static void await_server(void)
{
	shutdown(to_server, SHUT_RDWR);
	while (wait(NULL) > 0)
		;
}

/* Which end is this? -1: wrong usage. */
static int choose_end(int argc, char **argv)
{
	pid_t pid;

	if (argc == 4 && (strcmp(argv[1], "server") == 0 || strcmp(argv[1], "client") == 0))
		return *argv[1] == 's';
	if (argc != 3)
		return -1;
	pid = fork();
	check("fork", pid < 0 ? errno : 0);
	if (pid && CASE == missing_rights)
		atexit(await_server);
	if (pid == 0 && !freopen("/dev/null", "w", stdout))
		check("/dev/null", errno);
	return pid == 0;
}

int main(int argc, char **argv)
{
	static struct end e;
	int is_server = choose_end(argc, argv);

	if (is_server < 0) {
		fprintf(stderr, "usage: %s [server|client] ADDRESS PORT\n", argv[0]);
		return 2;
	}
	e.gid_index = open_device(argv[argc - 2], &e.context, &e.own.gid);
	make_objects(&e);
	e.is_server = is_server;
	e.tcp = meet(is_server, argv[argc - 2], argv[argc - 1]);
	to_server = is_server ? -1 : e.tcp;
	for (int round = 0; round < (CASE == correct_again ? 2 : 1); round++) {
		if (round) { /* once more with the same QP, and other keys */
			to_state(&e, IBV_QPS_RESET);
			check("ibv_dereg_mr", ibv_dereg_mr(e.mr));
		}
		register_memory(&e);
		connect_ends(&e);
		if (is_server)
			run_server(&e);
		else
			run_client(&e);
	}
	destroy_objects(&e);
	close(e.tcp);
	puts("done");
	return 0;
}
