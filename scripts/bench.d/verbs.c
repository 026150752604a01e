// SPDX-License-Identifier: MIT
/*
 * The measured side of "scripts/bench uroce", on the first device and its GID of 127.0.0.1
 * (else GID 0). QPs are connected by hand. Prints one number.
 *
 * Two processes with a QP each:
 *   verbs ping rc|ud poll|event BYTES N   microseconds a round trip
 *   verbs write BYTES N                   GB/s of RDMA WRITEs
 * One process that does the work of both ends, so that it is the work that is measured and
 * not who wakes whom; one WRITE of 64 bytes at a time:
 *   verbs qps QPS N                       microseconds each, over QPS connections in turn
 *   verbs mrs MRS N                       the same, to MRS regions in turn
 */
#include <infiniband/verbs.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define QKEY  0x11111111
#define DEPTH 64

struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_ah *ah;
	struct ibv_qp **qp;
	unsigned nqps, gid_index;
	union ibv_gid gid;
	enum ibv_mtu mtu;
	char *buf;
	size_t size;
	struct ibv_mr **mr; /* all of the same memory */
	unsigned nmrs;
	int peer; /* socket to the other process */
	int first;
};

struct told { /* to the other end */
	union ibv_gid gid;
	uint64_t addr;
	uint32_t mtu, qpn, rkey;
};

static void tell(int fd, const void *p, size_t n)
{
	need(write(fd, p, n) == (ssize_t)n, "write");
}

static void hear(int fd, void *p, size_t n)
{
	need(recv(fd, p, n, MSG_WAITALL) == (ssize_t)n, "recv");
}

static void choose_gid(struct end *e)
{
	struct ibv_port_attr port;

	need(ibv_query_port(e->ctx, 1, &port) == 0, "ibv_query_port");
	e->mtu = port.active_mtu;
	for (int i = port.gid_tbl_len - 1; i >= 0; i--) {
		static const unsigned char loopback[16] = {
			[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1
		};

		if (ibv_query_gid(e->ctx, 1, i, &e->gid) == 0 &&
		    memcmp(&e->gid, loopback, sizeof loopback) == 0) {
			e->gid_index = (unsigned)i;
			e->mtu = IBV_MTU_4096;
			return;
		}
	}
	need(ibv_query_gid(e->ctx, 1, 0, &e->gid) == 0, "ibv_query_gid");
}

static void open_end(struct end *e, enum ibv_qp_type type, int event)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = { .qp_type = type, .cap = { DEPTH, DEPTH, 1, 1, 64 } };

	need(list && list[0], "ibv_get_device_list");
	e->ctx = ibv_open_device(list[0]);
	need(e->ctx != NULL, "ibv_open_device");
	choose_gid(e);
	e->pd = ibv_alloc_pd(e->ctx);
	need(e->pd != NULL, "ibv_alloc_pd");
	if (event)
		e->channel = ibv_create_comp_channel(e->ctx);
	e->cq = ibv_create_cq(e->ctx, (int)(4 * DEPTH), NULL, e->channel, 0);
	need(e->cq != NULL, "ibv_create_cq");
	init.send_cq = init.recv_cq = e->cq;
	e->qp = calloc(e->nqps, sizeof *e->qp);
	for (unsigned i = 0; i < e->nqps; i++) {
		e->qp[i] = ibv_create_qp(e->pd, &init);
		need(e->qp[i] != NULL, "ibv_create_qp");
	}
	e->buf = aligned_alloc(4096, (e->size + 4095) / 4096 * 4096);
	memset(e->buf, 0, e->size);
	e->mr = calloc(e->nmrs, sizeof *e->mr);
	for (unsigned i = 0; i < e->nmrs; i++) {
		e->mr[i] = ibv_reg_mr(e->pd, e->buf, e->size,
				      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
		need(e->mr[i] != NULL, "ibv_reg_mr");
	}
}

static void connect_qp(struct end *e, struct ibv_qp *qp, const struct told *peer, uint32_t qpn)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT,
				    .port_num = 1,
				    .qkey = QKEY,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR,
				   .path_mtu = peer->mtu < e->mtu ? peer->mtu : e->mtu,
				   .dest_qp_num = qpn,
				   .rq_psn = 100,
				   .max_dest_rd_atomic = 1,
				   .min_rnr_timer = 12,
				   .ah_attr = { .is_global = 1,
						.port_num = 1,
						.grh = { .dgid = peer->gid,
							 .sgid_index = (uint8_t)e->gid_index,
							 .hop_limit = 64 } } };
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS,
				   .timeout = 14,
				   .retry_cnt = 7,
				   .rnr_retry = 7,
				   .sq_psn = 100,
				   .max_rd_atomic = 1 };
	int ud = qp->qp_type == IBV_QPT_UD;

	need((errno = ibv_modify_qp(qp, &init,
				    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					    (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS))) == 0,
	     "INIT");
	need((errno = ibv_modify_qp(qp, &rtr,
				    ud ? IBV_QP_STATE
				       : IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
						    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
						    IBV_QP_MAX_DEST_RD_ATOMIC |
						    IBV_QP_MIN_RNR_TIMER)) == 0,
	     "RTR");
	need((errno = ibv_modify_qp(qp, &rts,
				    ud ? IBV_QP_STATE | IBV_QP_SQ_PSN
				       : IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
						    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
						    IBV_QP_MAX_QP_RD_ATOMIC)) == 0,
	     "RTS");
	if (ud) {
		e->ah = ibv_create_ah(e->pd, &rtr.ah_attr);
		need(e->ah != NULL, "ibv_create_ah");
	}
}

/* Connects the QPs of the two; returns what the other one has. */
static struct told connect_ends(struct end *e)
{
	struct told mine = { e->gid, (uintptr_t)e->buf, e->mtu, e->qp[0]->qp_num, e->mr[0]->rkey };
	struct told theirs;

	tell(e->peer, &mine, sizeof mine);
	hear(e->peer, &theirs, sizeof theirs);
	connect_qp(e, e->qp[0], &theirs, theirs.qpn);
	return theirs;
}

/* Both ends are ready. */
static void meet(struct end *e)
{
	char c = 'r';

	tell(e->peer, &c, 1);
	hear(e->peer, &c, 1);
}

static void take(struct end *e, struct ibv_wc *wc)
{
	int n;

	while ((n = ibv_poll_cq(e->cq, 1, wc)) == 0) {
		struct ibv_cq *cq;
		void *arg;

		if (!e->channel)
			continue;
		need(ibv_req_notify_cq(e->cq, 0) == 0, "ibv_req_notify_cq");
		n = ibv_poll_cq(e->cq, 1, wc);
		if (n)
			break;
		need(ibv_get_cq_event(e->channel, &cq, &arg) == 0, "ibv_get_cq_event");
		ibv_ack_cq_events(cq, 1);
	}
	need(n > 0 && wc->status == IBV_WC_SUCCESS, ibv_wc_status_str(wc->status));
}

static void post_recv(struct end *e)
{
	struct ibv_sge sge = { (uintptr_t)e->buf, (uint32_t)e->size, e->mr[0]->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	need((errno = ibv_post_recv(e->qp[0], &wr, &bad)) == 0, "ibv_post_recv");
}

static void send_one(struct end *e, uint32_t qpn, size_t size)
{
	struct ibv_sge sge = { (uintptr_t)e->buf, (uint32_t)size, e->mr[0]->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED |
						(size <= 64 ? IBV_SEND_INLINE : 0) };
	struct ibv_send_wr *bad;

	if (e->ah) {
		wr.wr.ud.ah = e->ah;
		wr.wr.ud.remote_qpn = qpn;
		wr.wr.ud.remote_qkey = QKEY;
	}
	need((errno = ibv_post_send(e->qp[0], &wr, &bad)) == 0, "ibv_post_send");
}

/* A completion of a receive; those of sends are taken on the way. */
static void take_recv(struct end *e)
{
	struct ibv_wc wc;

	do
		take(e, &wc);
	while (wc.opcode != IBV_WC_RECV);
}

static double ping(struct end *e, size_t size, unsigned n)
{
	unsigned warm = n / 10;
	uint32_t qpn = connect_ends(e).qpn;
	double from = 0;

	for (int i = 0; i < 4; i++)
		post_recv(e);
	meet(e);
	for (unsigned i = 0; i < n + warm; i++) {
		if (i == warm)
			from = now();
		if (e->first)
			send_one(e, qpn, size);
		take_recv(e);
		post_recv(e);
		if (!e->first)
			send_one(e, qpn, size);
	}
	from = (now() - from) * 1e6 / n;
	meet(e);
	return from;
}

static void write_one(struct end *e, unsigned qp, uint64_t addr, uint32_t rkey, size_t size)
{
	struct ibv_sge sge = { (uintptr_t)e->buf, (uint32_t)size, e->mr[0]->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.rdma = { addr, rkey } };
	struct ibv_send_wr *bad;

	need((errno = ibv_post_send(e->qp[qp], &wr, &bad)) == 0, "ibv_post_send");
}

/* Seconds that n WRITEs took, at most depth on their way at once. */
static double write_all(struct end *e, unsigned nqps, uint64_t addr, const uint32_t *keys,
			size_t size, unsigned n, unsigned depth)
{
	unsigned posted = 0, done = 0;
	double from = now();
	struct ibv_wc wc;

	while (done < n) {
		for (; posted < n && posted - done < depth; posted++)
			write_one(e, posted % nqps, addr, keys[posted % e->nmrs], size);
		take(e, &wc);
		done++;
	}
	return now() - from;
}

static double writes(struct end *e, size_t size, unsigned n)
{
	struct told peer = connect_ends(e);
	double t = 0;

	meet(e);
	if (e->first)
		t = write_all(e, 1, peer.addr, &peer.rkey, size, n, DEPTH / 4);
	meet(e); /* the other one sleeps in here: its device does the work */
	return t;
}

/* Both ends are here: the second half of the QPs is the other side of the first. */
static double writes_here(struct end *e, unsigned n)
{
	struct told self = { e->gid, (uintptr_t)e->buf, e->mtu, 0, 0 };
	unsigned half = e->nqps / 2;
	uint32_t *keys = calloc(e->nmrs, sizeof *keys);
	double t;

	for (unsigned i = 0; i < e->nqps; i++)
		connect_qp(e, e->qp[i], &self, e->qp[(i + half) % e->nqps]->qp_num);
	for (unsigned i = 0; i < e->nmrs; i++)
		keys[i] = e->mr[i]->rkey;
	write_all(e, half, self.addr, keys, 64, n / 10, 1);
	t = write_all(e, half, self.addr, keys, 64, n, 1);
	free(keys);
	return t;
}

static int usage(void)
{
	fprintf(stderr, "usage: verbs ping rc|ud poll|event BYTES N | verbs write BYTES N |\n"
			"       verbs qps QPS N | verbs mrs MRS N\n");
	return 2;
}

static int here(struct end *e, int qps, unsigned many, unsigned n)
{
	e->nqps = 2 * (qps ? many : 1);
	e->nmrs = qps ? 1 : many;
	e->size = 64;
	open_end(e, IBV_QPT_RC, 0);
	printf("%.4f\n", writes_here(e, n) * 1e6 / n);
	return 0;
}

/* Forks, and leaves a socket to the other one in e. */
static void part(struct end *e)
{
	int fd[2];

	need(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0, "socketpair");
	e->first = fork() != 0;
	own_processor(e->first);
	if (!e->first)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	e->peer = fd[e->first];
	close(fd[!e->first]);
}

int main(int argc, char **argv)
{
	struct end e = { .nqps = 1, .nmrs = 1 };
	const char *mode = argc > 1 ? argv[1] : "";
	unsigned long a = argc > 2 ? strtoul(argv[argc - 2], NULL, 10) : 0;
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[argc - 1], NULL, 10) : 0;
	int is_ping = strcmp(mode, "ping") == 0;
	double t;

	if (!a || !n || argc != (is_ping ? 6 : 4))
		return usage();
	if (strcmp(mode, "qps") == 0 || strcmp(mode, "mrs") == 0)
		return here(&e, mode[0] == 'q', (unsigned)a, n);
	if (!is_ping && strcmp(mode, "write") != 0)
		return usage();
	part(&e);
	e.size = is_ping ? a + 40 : a;
	if (is_ping) {
		int ud = strcmp(argv[2], "ud") == 0;

		open_end(&e, ud ? IBV_QPT_UD : IBV_QPT_RC, strcmp(argv[3], "event") == 0);
		t = ping(&e, a, n);
	} else {
		open_end(&e, IBV_QPT_RC, 0);
		t = (double)a * n / writes(&e, a, n) / 1e9;
	}
	if (e.first) {
		printf("%.4f\n", t);
		wait(NULL);
	}
	return 0;
}
