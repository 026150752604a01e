// SPDX-License-Identifier: MIT
/*
 * The measured side of "scripts/bench uroce", on the first device, with its GID of 127.0.0.1
 * (or else GID 0). QPs are connected without rdma_cm. Prints one number, or two.
 *
 * Two processes with a QP each:
 *   verbs ping rc|ud poll|event BYTES N   microseconds a round trip
 *   verbs look BYTES N                    microseconds one way of a WRITE that the other one
 *                                         finds by polling its memory: median, 99.9 %
 *   verbs spin BYTES N                    microseconds a WRITE, one at a time, to a process that
 *                                         polls its memory and calls nothing
 *   verbs write|read MTU BYTES N          GB/s of RDMA WRITEs or READs
 * Two processes, one WRITE of 64 bytes at a time, to MRS regions of the other one in turn:
 *   verbs regions MRS N                   microseconds each
 * Two processes with QPS connections; each round trip uses the next one:
 *   verbs pairs QPS N                     microseconds a round trip of 64 bytes
 * One process, and PEERS others that sleep; one WRITE of 64 bytes at a time, to each in turn:
 *   verbs peers PEERS N                   microseconds each
 * One process that does the work of both ends, so that wake-ups are not measured; one WRITE of 64
 * bytes at a time:
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

#define QKEY	0x11111111
#define DEPTH	64
#define AT_ONCE (DEPTH / 4) /* WRITEs and READs of a stream */

struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_ah *ah;
	struct ibv_qp **qp;
	unsigned nqps, gid_index;
	union ibv_gid gid;
	enum ibv_mtu mtu, most; /* most: the path MTU that was asked for */
	char *buf;
	size_t size;
	struct ibv_mr **mr; /* all of the same memory */
	unsigned nmrs;
	int peer; /* socket to the other process */
	int first;
};

struct told { /* what each end tells the other */
	union ibv_gid gid;
	uint64_t addr;
	uint32_t mtu, rkey;
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

#define REMOTE (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

static void open_end(struct end *e, enum ibv_qp_type type, int event)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = { .qp_type = type, .cap = { DEPTH, DEPTH, 1, 1, 64 } };

	need(list && list[0], "ibv_get_device_list");
	e->ctx = ibv_open_device(list[0]);
	need(e->ctx != NULL, "ibv_open_device");
	choose_gid(e);
	if (e->most && e->mtu > e->most)
		e->mtu = e->most;
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
		e->mr[i] = ibv_reg_mr(e->pd, e->buf, e->size, IBV_ACCESS_LOCAL_WRITE | REMOTE);
		need(e->mr[i] != NULL, "ibv_reg_mr");
	}
}

static void connect_qp(struct end *e, struct ibv_qp *qp, const struct told *peer, uint32_t qpn)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY, .qp_access_flags = REMOTE
	};
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR,
				   .path_mtu = peer->mtu < e->mtu ? peer->mtu : e->mtu,
				   .dest_qp_num = qpn,
				   .rq_psn = 100,
				   .max_dest_rd_atomic = AT_ONCE,
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
				   .max_rd_atomic = AT_ONCE };
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

/* Connects each QP with the other end's QP of the same index; returns what the other end told, and
 * the number of its first QP. */
static struct told connect_ends(struct end *e, uint32_t *qpn)
{
	struct told mine = { e->gid, (uintptr_t)e->buf, e->mtu, e->mr[0]->rkey };
	struct told theirs;

	tell(e->peer, &mine, sizeof mine);
	hear(e->peer, &theirs, sizeof theirs);
	for (unsigned i = 0; i < e->nqps; i++) {
		uint32_t number = e->qp[i]->qp_num;

		tell(e->peer, &number, sizeof number);
		hear(e->peer, &number, sizeof number);
		connect_qp(e, e->qp[i], &theirs, number);
		if (i == 0)
			*qpn = number;
	}
	return theirs;
}

/* Waits until both ends are here. */
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

static void post_recv(struct end *e, unsigned qp)
{
	struct ibv_sge sge = { (uintptr_t)e->buf, (uint32_t)e->size, e->mr[0]->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	need((errno = ibv_post_recv(e->qp[qp], &wr, &bad)) == 0, "ibv_post_recv");
}

static void send_one(struct end *e, unsigned qp, uint32_t qpn, size_t size)
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
	need((errno = ibv_post_send(e->qp[qp], &wr, &bad)) == 0, "ibv_post_send");
}

/* Waits for a completion of a receive; takes those of sends meanwhile. */
static void take_recv(struct end *e)
{
	struct ibv_wc wc;

	do
		take(e, &wc);
	while (wc.opcode != IBV_WC_RECV);
}

static double ping(struct end *e, size_t size, unsigned n)
{
	unsigned warm = n / 10, qp = 0;
	double from = 0;
	uint32_t qpn;

	connect_ends(e, &qpn);
	for (unsigned i = 0; i < 4 * e->nqps; i++)
		post_recv(e, i % e->nqps);
	meet(e);
	for (unsigned i = 0; i < n + warm; i++) {
		if (i == warm)
			from = now();
		if (e->first)
			send_one(e, qp, qpn, size);
		take_recv(e);
		post_recv(e, qp);
		if (!e->first)
			send_one(e, qp, qpn, size);
		qp = qp + 1 == e->nqps ? 0 : qp + 1;
	}
	from = (now() - from) * 1e6 / n;
	meet(e);
	return from;
}

static void rdma_one(struct end *e, unsigned qp, enum ibv_wr_opcode opcode, uint64_t addr,
		     uint32_t rkey, size_t size)
{
	struct ibv_sge sge = { (uintptr_t)e->buf + e->size - size, (uint32_t)size, e->mr[0]->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = opcode,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.rdma = { addr, rkey } };
	struct ibv_send_wr *bad;

	need((errno = ibv_post_send(e->qp[qp], &wr, &bad)) == 0, "ibv_post_send");
}

/* Seconds that n WRITEs or READs took, with at most depth in flight. */
static double rdma_all(struct end *e, unsigned nqps, enum ibv_wr_opcode opcode, uint64_t addr,
		       const uint32_t *keys, size_t size, unsigned n, unsigned depth)
{
	unsigned posted = 0, done = 0;
	double from = now();
	struct ibv_wc wc;

	while (done < n) {
		for (; posted < n && posted - done < depth; posted++)
			rdma_one(e, posted % nqps, opcode, addr, keys[posted % e->nmrs], size);
		take(e, &wc);
		done++;
	}
	return now() - from;
}

/* GB/s. The other end sleeps in meet() until it is over; its device does the work. */
static double stream(struct end *e, enum ibv_wr_opcode opcode, size_t size, unsigned n)
{
	uint32_t qpn;
	struct told peer = connect_ends(e, &qpn);
	double t = 0;

	meet(e);
	if (e->first)
		t = rdma_all(e, 1, opcode, peer.addr, &peer.rkey, size, n, AT_ONCE);
	meet(e);
	return (double)size * n / t / 1e9;
}

/* Microseconds a WRITE of 64 bytes, to each of the other one's regions in turn. */
static double to_regions(struct end *e, unsigned n)
{
	uint32_t qpn, *keys = calloc(e->nmrs, sizeof *keys);
	struct told peer = connect_ends(e, &qpn);
	double t = 0;

	for (unsigned i = 0; i < e->nmrs; i++)
		if (e->first)
			hear(e->peer, &keys[i], sizeof *keys);
		else
			tell(e->peer, &e->mr[i]->rkey, sizeof *keys);
	meet(e);
	if (e->first) {
		rdma_all(e, 1, IBV_WR_RDMA_WRITE, peer.addr, keys, 64, n / 10, 1);
		t = rdma_all(e, 1, IBV_WR_RDMA_WRITE, peer.addr, keys, 64, n, 1);
	}
	meet(e);
	free(keys);
	return t * 1e6 / n;
}

/* The same as in ib_write_lat(1): the last byte of a message is its number, which the answer
 * repeats. The lower half of the buffer receives, the upper half is sent. */
static void look(struct end *e, size_t size, unsigned n)
{
	const volatile unsigned char *in = (void *)&e->buf[size - 1];
	unsigned warm = n / 10;
	double *times = calloc(n, sizeof *times), from = 0;
	uint32_t qpn;
	struct told peer = connect_ends(e, &qpn);
	struct ibv_wc wc;

	meet(e);
	for (unsigned i = 0; i < n + warm; i++) {
		unsigned char number = (unsigned char)(i % 255 + 1);

		while (!e->first && *in != number)
			;
		from = now();
		e->buf[2 * size - 1] = (char)number;
		rdma_one(e, 0, IBV_WR_RDMA_WRITE, peer.addr, peer.rkey, size);
		take(e, &wc);
		while (e->first && *in != number)
			;
		if (i >= warm)
			times[i - warm] = (now() - from) * 1e6 / 2;
	}
	meet(e);
	if (e->first)
		print_quantiles(times, n);
	free(times);
}

/* Microseconds a WRITE; the last one ends with another byte, which the other end looks for. */
static double to_spinning(struct end *e, size_t size, unsigned n)
{
	const volatile char *in = &e->buf[size - 1];
	uint32_t qpn;
	struct told peer = connect_ends(e, &qpn);
	double t = 0;

	e->buf[2 * size - 1] = 1;
	meet(e);
	if (e->first) {
		t = rdma_all(e, 1, IBV_WR_RDMA_WRITE, peer.addr, &peer.rkey, size, n, 1);
		e->buf[2 * size - 1] = 2;
		rdma_all(e, 1, IBV_WR_RDMA_WRITE, peer.addr, &peer.rkey, size, 1, 1);
	} else {
		while (*in != 2)
			;
	}
	meet(e);
	return t * 1e6 / n;
}

/* Both ends are in this process: the second half of the QPs is connected to the first. */
static double writes_here(struct end *e, unsigned n)
{
	struct told self = { e->gid, (uintptr_t)e->buf, e->mtu, 0 };
	unsigned half = e->nqps / 2;
	uint32_t *keys = calloc(e->nmrs, sizeof *keys);
	double t;

	for (unsigned i = 0; i < e->nqps; i++)
		connect_qp(e, e->qp[i], &self, e->qp[(i + half) % e->nqps]->qp_num);
	for (unsigned i = 0; i < e->nmrs; i++)
		keys[i] = e->mr[i]->rkey;
	rdma_all(e, half, IBV_WR_RDMA_WRITE, self.addr, keys, 64, n / 10, 1);
	t = rdma_all(e, half, IBV_WR_RDMA_WRITE, self.addr, keys, 64, n, 1);
	free(keys);
	return t;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: verbs ping rc|ud poll|event BYTES N | verbs look BYTES N |\n"
		"       verbs write|read MTU BYTES N | verbs pairs QPS N | verbs regions MRS N |\n"
		"       verbs peers PEERS N |\n"
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

/* Forks, and stores a socket to the other process in e. */
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

static int leave(struct end *e)
{
	close(e->peer);
	if (e->first)
		while (wait(NULL) > 0)
			;
	return 0;
}

static void result(struct end *e, double value)
{
	if (e->first)
		printf("%.4f\n", value);
}

/* One end, which has a QP for each of the other processes. */
static int peers(struct end *e, unsigned many, unsigned n)
{
	struct told *theirs = calloc(many, sizeof *theirs);
	int *socket = calloc(many, sizeof *socket);
	double from = 0;
	struct ibv_wc wc;

	for (unsigned i = 0; i < many; i++) {
		part(e);
		if (!e->first) {
			uint32_t qpn;

			e->size = 64;
			open_end(e, IBV_QPT_RC, 0);
			connect_ends(e, &qpn);
			meet(e);
			meet(e); /* sleeps until it is over */
			return 0;
		}
		socket[i] = e->peer;
	}
	e->size = 64;
	e->nqps = many;
	open_end(e, IBV_QPT_RC, 0);
	for (unsigned i = 0; i < many; i++) {
		struct end one = *e;
		uint32_t qpn;

		one.nqps = 1;
		one.qp += i;
		one.peer = socket[i];
		theirs[i] = connect_ends(&one, &qpn);
		meet(&one);
	}
	for (unsigned i = 0; i < n + n / 10; i++) {
		if (i == n / 10)
			from = now();
		rdma_one(e, i % many, IBV_WR_RDMA_WRITE, theirs[i % many].addr,
			 theirs[i % many].rkey, 64);
		take(e, &wc);
	}
	printf("%.4f\n", (now() - from) * 1e6 / n);
	for (unsigned i = 0; i < many; i++)
		tell(socket[i], "e", 1);
	while (wait(NULL) > 0)
		;
	return 0;
}

static enum ibv_mtu mtu_of(const char *bytes)
{
	enum ibv_mtu mtu = IBV_MTU_256;

	for (unsigned long n = strtoul(bytes, NULL, 10); n > 256; n /= 2)
		mtu++;
	return mtu;
}

/* The benchmarks of two processes; a and n are the last two words. */
static int both(struct end *e, char **argv, size_t a, unsigned n)
{
	const char *mode = argv[1];

	part(e);
	e->size = strcmp(mode, "ping") == 0 ? a + 40 : a;
	if (strcmp(mode, "look") == 0 || strcmp(mode, "spin") == 0)
		e->size = 2 * a;
	if (strcmp(mode, "ping") == 0) {
		open_end(e, strcmp(argv[2], "ud") == 0 ? IBV_QPT_UD : IBV_QPT_RC,
			 strcmp(argv[3], "event") == 0);
		result(e, ping(e, a, n));
	} else if (strcmp(mode, "pairs") == 0) {
		e->nqps = (unsigned)a;
		e->size = 64;
		open_end(e, IBV_QPT_RC, 0);
		result(e, ping(e, 64, n));
	} else if (strcmp(mode, "regions") == 0) {
		e->nmrs = (unsigned)a;
		e->size = 64;
		open_end(e, IBV_QPT_RC, 0);
		result(e, to_regions(e, n));
	} else if (strcmp(mode, "look") == 0) {
		open_end(e, IBV_QPT_RC, 0);
		look(e, a, n);
	} else if (strcmp(mode, "spin") == 0) {
		open_end(e, IBV_QPT_RC, 0);
		result(e, to_spinning(e, a, n));
	} else {
		e->most = mtu_of(argv[2]);
		open_end(e, IBV_QPT_RC, 0);
		result(e, stream(e, mode[0] == 'w' ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ, a, n));
	}
	return leave(e);
}

static const struct {
	const char *name;
	int words;
} modes[] = { { "ping", 6 },  { "look", 4 },	{ "spin", 4 },	{ "write", 5 }, { "read", 5 },
	      { "pairs", 4 }, { "regions", 4 }, { "peers", 4 }, { "qps", 4 },	{ "mrs", 4 } };

int main(int argc, char **argv)
{
	struct end e = { .nqps = 1, .nmrs = 1 };
	unsigned long a = argc > 2 ? strtoul(argv[argc - 2], NULL, 10) : 0;
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[argc - 1], NULL, 10) : 0;
	unsigned i = 0, known = sizeof modes / sizeof *modes;

	while (a && n && i < known && (strcmp(argv[1], modes[i].name) || argc != modes[i].words))
		i++;
	if (!a || !n || i == known)
		return usage();
	if (strcmp(argv[1], "qps") == 0 || strcmp(argv[1], "mrs") == 0)
		return here(&e, argv[1][0] == 'q', (unsigned)a, n);
	if (strcmp(argv[1], "peers") == 0)
		return peers(&e, (unsigned)a, n);
	return both(&e, argv, a, n);
}
