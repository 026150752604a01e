/* SPDX-License-Identifier: MIT */
/* Shared by the programs with many cases: the name of the case, which is their last argument, and
 * objects of verbs. */
#ifndef DEFECTS_CASE_RIG_H
#define DEFECTS_CASE_RIG_H

#include <endian.h>

#include "meeting.h"

static const char *the_case;

/* Is this the case that the program runs? */
static inline int is(const char *name)
{
	return strcmp(the_case, name) == 0;
}

#define MEMORY 65536 /* bytes of the region */

struct rig {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint32_t lkey; /* of mr, also when that is deregistered */
	char *memory;
	union ibv_gid gid;
	int gid_index;
};

/* How a QP is connected: what differs between the cases. */
struct path {
	union ibv_gid gid;
	uint32_t qpn, psn, own_psn;
	int sgid_index, is_global, port;
	enum ibv_mtu mtu;
	uint8_t timeout, rnr_retry, rd_atomic, dest_rd_atomic;
};

static inline void open_rig(struct rig *r, const char *address, int cqe)
{
	const int rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

	r->gid_index = open_device(address, &r->context, &r->gid);
	r->memory = aligned_alloc(4096, MEMORY);
	memset(r->memory, 'm', MEMORY);
	r->pd = ibv_alloc_pd(r->context);
	check("ibv_alloc_pd", r->pd ? 0 : errno);
	r->cq = ibv_create_cq(r->context, cqe, NULL, NULL, 0);
	check("ibv_create_cq", r->cq ? 0 : errno);
	r->mr = ibv_reg_mr(r->pd, r->memory, MEMORY, rights);
	check("ibv_reg_mr", r->mr ? 0 : errno);
	r->lkey = r->mr->lkey;
}

/* The index of a GID that belongs to an IPv6 address. */
static inline int other_family(const struct rig *r)
{
	static const union ibv_gid none;
	union ibv_gid gid;

	for (int i = 0; i < 16; i++)
		if (!ibv_query_gid(r->context, 1, i, &gid) && memcmp(&gid, &none, sizeof gid) &&
		    memcmp(&gid, &r->gid, 12) != 0)
			return i;
	fprintf(stderr, "the device has no GID of an IPv6 address\n");
	exit(1);
}

/* The index of a GID that belongs to another IPv4 address. */
static inline int other_address(const struct rig *r)
{
	union ibv_gid gid;

	for (int i = 0; i < 16; i++)
		if (!ibv_query_gid(r->context, 1, i, &gid) && i != r->gid_index &&
		    memcmp(&gid, &r->gid, 12) == 0)
			return i;
	return -1;
}

static inline struct path usual_path(const struct rig *r, uint32_t qpn)
{
	return (struct path){ .gid = r->gid,
			      .qpn = qpn,
			      .psn = 7,
			      .own_psn = 7,
			      .sgid_index = r->gid_index,
			      .is_global = 1,
			      .port = 1,
			      .mtu = IBV_MTU_1024,
			      .timeout = 14,
			      .rnr_retry = 1,
			      .rd_atomic = 4,
			      .dest_rd_atomic = 4 };
}

static inline struct ibv_qp *make_qp(struct rig *r, struct ibv_cq *send, struct ibv_cq *recv,
				     struct ibv_srq *srq, unsigned requests)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = send,
		.recv_cq = recv,
		.srq = srq,
		.cap = {
			.max_send_wr = requests,
			.max_recv_wr = 64,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	struct ibv_qp *qp = ibv_create_qp(r->pd, &attr);

	check("ibv_create_qp", qp ? 0 : errno);
	return qp;
}

static inline int to_init(struct ibv_qp *qp, int port)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = port,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};

	return ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

static inline int to_rtr(struct ibv_qp *qp, const struct path *p)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = p->mtu,
		.dest_qp_num = p->qpn,
		.rq_psn = p->psn,
		.max_dest_rd_atomic = p->dest_rd_atomic,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = p->is_global,
			.port_num = p->port,
			.grh = { .dgid = p->gid, .sgid_index = p->sgid_index, .hop_limit = 64 },
		},
	};

	return ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				     IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				     IBV_QP_MIN_RNR_TIMER);
}

static inline int to_rts(struct ibv_qp *qp, const struct path *p)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = p->timeout,
		.retry_cnt = 2,
		.rnr_retry = p->rnr_retry,
		.sq_psn = p->own_psn,
		.max_rd_atomic = p->rd_atomic,
	};

	return ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

/* A UD QP that has been created, with the Q_Key 5. */
static inline void to_datagrams(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 5 };

	check("to INIT",
	      ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	attr.qp_state = IBV_QPS_RTR;
	check("to RTR", ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	check("to RTS", ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

/* Two QPs of this process. */
static inline void join(struct rig *r, struct ibv_qp *a, struct ibv_qp *b)
{
	struct path to_b = usual_path(r, b->qp_num), to_a = usual_path(r, a->qp_num);

	check("to INIT", to_init(a, 1) | to_init(b, 1));
	check("to RTR", to_rtr(a, &to_b) | to_rtr(b, &to_a));
	check("to RTS", to_rts(a, &to_b) | to_rts(b, &to_a));
}

static inline int post_receive(struct rig *r, struct ibv_qp *qp, uint64_t wr_id, size_t len)
{
	struct ibv_sge sge = { (uintptr_t)r->memory + MEMORY / 2, len, r->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(qp, &wr, &bad);
}

/* remote: of RDMA and atomics. */
static inline int post_request(struct rig *r, struct ibv_qp *qp, enum ibv_wr_opcode opcode,
			       uint64_t wr_id, size_t len, uint64_t remote, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)r->memory, len, r->lkey };
	struct ibv_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = remote, .rkey = rkey },
	}, *bad;

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = remote;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	}
	return ibv_post_send(qp, &wr, &bad);
}

static inline uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Polls for so long; returns what ibv_poll_cq() has returned last. */
static inline int await_within(struct ibv_cq *cq, struct ibv_wc *wc, unsigned ms)
{
	const uint64_t end = now_ms() + ms;
	int n;

	while ((n = ibv_poll_cq(cq, 1, wc)) == 0 && now_ms() < end)
		usleep(100);
	return n;
}

/* Says how a call has ended, and ends the program if it has failed. */
static inline void ends(const char *what, int err)
{
	printf("%s: %s\n", what, err ? strerror(err) : "done");
	if (err)
		exit(1);
}

static unsigned patience = PATIENCE * 1000; /* ms; a case in which nothing can come has less */

/* Ends the program if the completion does not come or has failed. */
static inline void await_success(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	if (await_within(cq, &wc, patience) == 1 && wc.status == IBV_WC_SUCCESS)
		return;
	fprintf(stderr, "a request has failed\n");
	exit(1);
}

/* Says how the next completion is, and ends the program if there is none or it is an error. */
static inline void completes(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	const int n = await_within(cq, &wc, patience);

	printf("%s\n", n == 1 ? ibv_wc_status_str(wc.status) : "no completion");
	if (n != 1 || wc.status != IBV_WC_SUCCESS)
		exit(1);
}

/* The rig with two QPs that are not connected, of which b has a CQ of its own. */
static inline void open_two(struct rig *r, const char *address, struct ibv_qp **a,
			    struct ibv_qp **b)
{
	struct ibv_cq *of_b;

	open_rig(r, address, 64);
	of_b = ibv_create_cq(r->context, 64, NULL, NULL, 0);
	check("ibv_create_cq", of_b ? 0 : errno);
	*a = make_qp(r, r->cq, r->cq, NULL, 8);
	*b = make_qp(r, of_b, of_b, NULL, 8);
}

struct named_case {
	const char *name;
	void (*run)(void);
};

/* PROGRAM ADDRESS CASE: the exit status. end may be NULL. */
static inline int run_named(const struct named_case *cases, size_t n,
			    void (*begin)(const char *address), void (*end)(void), int argc,
			    char **argv)
{
	the_case = argc == 3 ? argv[2] : "";
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < n; i++) {
		if (!is(cases[i].name))
			continue;
		begin(argv[1]);
		cases[i].run();
		if (end)
			end();
		return 0;
	}
	fprintf(stderr, "usage: %s ADDRESS CASE\n", argv[0]);
	return 2;
}

#endif
