// SPDX-License-Identifier: MIT
/*
 * NAME server ADDRESS PORT
 * NAME client ADDRESS PORT
 *
 * A log, as somebody wrote it who had not read how failures are explained. Two lanes join the ends,
 * each with its own PD, CQ, QP and region: the client sends records by one, writes the log by the
 * other, and reads it back. Compiled once for each row of defects.list that names this file.
 */
#include <endian.h>

#include "meeting.h"

enum {
	stale_rkey,
	unsignaled,
	qp_rights,
	gone_early,
	one_receive_short,
	other_pd,
	wrong_psn,
	sizeof_pointer,
	outsider_correct,
};

enum { CONTROL, BULK, LANES };

#define RECORDS 32
#define RING	4 /* receives */
#define PIECES	32
#define PIECE	4096 /* bytes */
#define QUEUE	16   /* WRs */
#define BATCH	8    /* WRs for which there is one completion */
#define LOG	(PIECES * PIECE)

struct record {
	char text[64];
};

struct lane {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct hello own, peer;
};

struct end {
	int is_server;
	int tcp;
	int gid_index;
	union ibv_gid gid;
	struct ibv_context *context;
	struct lane lane[LANES];
	struct record *records;
	char *log;
};

/* ------------------------------------------------------------------------- objects -- */

static void register_lane(struct lane *l, void *memory, size_t n, int rights)
{
	l->mr = ibv_reg_mr(l->pd, memory, n, rights);
	check("ibv_reg_mr", l->mr ? 0 : errno);
}

static void make_lane(struct end *e, struct lane *l)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = QUEUE,
			.max_recv_wr = RING,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	l->pd = ibv_alloc_pd(e->context);
	check("ibv_alloc_pd", l->pd ? 0 : errno);
	l->cq = ibv_create_cq(e->context, QUEUE + RING, NULL, NULL, 0);
	check("ibv_create_cq", l->cq ? 0 : errno);
	attr.send_cq = attr.recv_cq = l->cq;
	l->qp = ibv_create_qp(l->pd, &attr);
	check("ibv_create_qp", l->qp ? 0 : errno);
}

static void make_lanes(struct end *e)
{
	int rights = IBV_ACCESS_LOCAL_WRITE;

	e->records = calloc(RECORDS, sizeof *e->records);
	e->log = calloc(1, LOG);
	check("calloc", e->records && e->log ? 0 : ENOMEM);
	for (int i = 0; i < LANES; i++)
		make_lane(e, &e->lane[i]);
	register_lane(&e->lane[CONTROL], e->records, RECORDS * sizeof *e->records, rights);
	if (e->is_server)
		rights |= IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	register_lane(&e->lane[BULK], e->log, LOG, rights);
}

/* The server's log has to be as long again: the last one was half full. */
static void grow_log(struct end *e)
{
	char *log = calloc(2, LOG);

	check("calloc", log ? 0 : ENOMEM);
	check("ibv_dereg_mr", ibv_dereg_mr(e->lane[BULK].mr));
	free(e->log);
	e->log = log;
	register_lane(&e->lane[BULK], e->log, (size_t)2 * LOG,
		      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
}

static void destroy_lanes(struct end *e)
{
	for (struct lane *l = e->lane; l < e->lane + LANES; l++) {
		check("ibv_destroy_qp", ibv_destroy_qp(l->qp));
		check("ibv_destroy_cq", ibv_destroy_cq(l->cq));
		check("ibv_dereg_mr", ibv_dereg_mr(l->mr));
		check("ibv_dealloc_pd", ibv_dealloc_pd(l->pd));
	}
}

/* ------------------------------------------------------------------------ the lanes -- */

/* The data that the peer needs. */
static void announce(struct end *e)
{
	for (struct lane *l = e->lane; l < e->lane + LANES; l++) {
		l->own.gid = e->gid;
		l->own.qpn = htonl(l->qp->qp_num);
		l->own.psn = htonl((e->is_server ? 0x1000 : 0x5000) + l->qp->qp_num % 256);
		l->own.rkey = htonl(l->mr->rkey);
		l->own.address = htobe64((uintptr_t)l->mr->addr);
		tell(e->tcp, &l->own, sizeof l->own);
	}
}

static void to_init(struct lane *l)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   FAULT(qp_rights, 0, IBV_ACCESS_REMOTE_READ),
	};

	check("ibv_modify_qp",
	      ibv_modify_qp(l->qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}

static void to_rtr(const struct end *e, struct lane *l)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = ntohl(l->peer.qpn),
		.rq_psn = ntohl(FAULT(wrong_psn, l->own.psn, l->peer.psn)),
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 24,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = l->peer.gid, .sgid_index = e->gid_index, .hop_limit = 64 },
		},
	};

	check("ibv_modify_qp",
	      ibv_modify_qp(l->qp, &attr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER));
}

static void to_rts(struct lane *l)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 4,
		.rnr_retry = 6,
		.sq_psn = ntohl(l->own.psn),
		.max_rd_atomic = 1,
	};

	check("ibv_modify_qp",
	      ibv_modify_qp(l->qp, &attr,
			    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				    IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void post_receive(struct end *e, unsigned i)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)&e->records[i],
		.length = FAULT(sizeof_pointer, sizeof e->records, sizeof *e->records),
		.lkey = e->lane[CONTROL].mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

	check("ibv_post_recv", ibv_post_recv(e->lane[CONTROL].qp, &wr, &bad));
}

static void start_lanes(struct end *e)
{
	if (e->is_server && FAULT(stale_rkey, 0, 1))
		grow_log(e);
	announce(e);
	if (e->is_server && FAULT(stale_rkey, 1, 0))
		grow_log(e);
	for (struct lane *l = e->lane; l < e->lane + LANES; l++) {
		hear(e->tcp, &l->peer, sizeof l->peer);
		to_init(l);
		to_rtr(e, l);
		to_rts(l);
	}
	meet_again(e->tcp);
}

/* ---------------------------------------------------------------------- operations -- */

static void await(const struct end *e, struct ibv_cq *cq)
{
	time_t begin = time(NULL);
	struct ibv_wc wc;
	int n;

	do
		n = ibv_poll_cq(cq, 1, &wc);
	while (n == 0 && !is_over(e->is_server, e->tcp, begin));
	check("ibv_poll_cq", n < 0 ? EIO : n ? 0 : ETIMEDOUT);
	if (wc.status == IBV_WC_SUCCESS)
		return;
	fprintf(stderr, "wr_id %d failed: %s\n", (int)wc.wr_id, ibv_wc_status_str(wc.status));
	exit(1);
}

static void send_records(struct end *e)
{
	struct lane *l = &e->lane[CONTROL];

	for (unsigned i = 0; i < RECORDS; i++) {
		int is_last = i % BATCH == FAULT(unsignaled, BATCH, BATCH - 1);
		struct ibv_sge sge = { (uintptr_t)&e->records[i], sizeof *e->records, l->mr->lkey };
		struct ibv_send_wr wr = {
			.wr_id = i,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IBV_WR_SEND,
			.send_flags = is_last ? IBV_SEND_SIGNALED : 0,
		}, *bad;

		snprintf(e->records[i].text, sizeof e->records[i].text, "record %u", i);
		check("ibv_post_send", ibv_post_send(l->qp, &wr, &bad));
		if (is_last)
			await(e, l->cq);
	}
}

/* Writes the log to the server's, or reads it from there. */
static void move_log(struct end *e, enum ibv_wr_opcode opcode)
{
	struct lane *l = &e->lane[BULK];
	struct lane *owner = &e->lane[FAULT(other_pd, CONTROL, BULK)];

	for (unsigned i = 0; i < PIECES; i++) {
		int is_last = i % BATCH == BATCH - 1;
		struct ibv_sge sge = { (uintptr_t)e->log + (size_t)i * PIECE, PIECE,
				       owner->mr->lkey };
		struct ibv_send_wr wr = {
			.wr_id = 100 + i,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = opcode,
			.send_flags = is_last ? IBV_SEND_SIGNALED : 0,
			.wr.rdma = { be64toh(l->peer.address) + (uint64_t)i * PIECE,
				     ntohl(l->peer.rkey) },
		}, *bad;

		check("ibv_post_send", ibv_post_send(l->qp, &wr, &bad));
		if (is_last)
			await(e, l->cq);
	}
}

/* ------------------------------------------------------------------------ the ends -- */

static void run_client(struct end *e)
{
	char c;

	send_records(e);
	if (CASE == gone_early)
		recv(e->tcp, &c, 1, MSG_PEEK); /* until the server's QPs are gone */
	else
		usleep(100000); /* thinks what to write */
	memset(e->log, 'w', LOG);
	move_log(e, IBV_WR_RDMA_WRITE);
	memset(e->log, 0, LOG);
	move_log(e, IBV_WR_RDMA_READ);
	check("the log", e->log[0] == 'w' && e->log[LOG - 1] == 'w' ? 0 : EIO);
	meet_again(e->tcp);
	destroy_lanes(e);
}

static void run_server(struct end *e)
{
	usleep(50000); /* looks where it keeps the records: until then, the client is told to wait
			*/
	for (unsigned i = 0; i < RING; i++)
		post_receive(e, i);
	for (unsigned i = 0; i < RECORDS; i++) {
		await(e, e->lane[CONTROL].cq);
		if (i + RING < RECORDS - FAULT(one_receive_short, 1, 0))
			post_receive(e, i + RING);
	}
	if (FAULT(gone_early, 1, 0))
		destroy_lanes(e);
	meet_again(e->tcp);
	if (FAULT(gone_early, 0, 1))
		destroy_lanes(e);
}

int main(int argc, char **argv)
{
	struct end e = { 0 };

	if (argc != 4) {
		fprintf(stderr, "usage: %s server|client ADDRESS PORT\n", argv[0]);
		return 2;
	}
	e.is_server = strcmp(argv[1], "server") == 0;
	e.gid_index = open_device(argv[2], &e.context, &e.gid);
	make_lanes(&e);
	e.tcp = meet(e.is_server, argv[2], argv[3]);
	start_lanes(&e);
	if (e.is_server)
		run_server(&e);
	else
		run_client(&e);
	check("ibv_close_device", ibv_close_device(e.context));
	close(e.tcp);
	free(e.records);
	free(e.log);
	puts("done");
	return 0;
}
