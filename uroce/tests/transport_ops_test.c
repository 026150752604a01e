/* SPDX-License-Identifier: MIT */
/* Every operation of RC, UC and UD between two QPs, in sizes around the MTU. */
#include "rig.h"

#include "checks.h"

#define MTU   256u
#define BYTES (8 * MTU)

static uint8_t here[BYTES], there[BYTES], landing[BYTES + GRH_BYTES];
static uint32_t here_key, there_key, landing_key;
static struct qp *a, *b;

static void fill(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)rig_random();
}

static void open_pair(enum ibv_qp_type type)
{
	struct rig_options o = rig_defaults;

	o.type = type;
	o.mtu = MTU;
	a = rig_qp(&o);
	b = rig_qp(&o);
	rig_connect(a, b, &o);
	rig_clear();
}

static void close_pair(void)
{
	struct ibv_wc wc;

	rig_run(0);
	CHECK(!rig_poll(a->send_cq, &wc) && !rig_poll(b->recv_cq, &wc));
	CHECK_INT(rig_event().type, -1);
	CHECK_INT(a->sq.head, a->sq.tail);
	rig_free(a);
	rig_free(b);
}

static struct ibv_wc done(struct cq *cq, uint64_t wr_id, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc;

	CHECK(rig_poll(cq, &wc));
	CHECK_INT(wc.status, IBV_WC_SUCCESS);
	CHECK_INT(wc.wr_id, wr_id);
	CHECK_INT(wc.opcode, opcode);
	return wc;
}

/* Two SGEs, the first of an odd length. */
static void use_sges(struct rig_wr *wr, uint8_t *p, uint32_t len, uint32_t key)
{
	uint32_t first = len / 3;

	wr->sge[0] = (struct ibv_sge){ (uintptr_t)p, first, key };
	wr->sge[1] = (struct ibv_sge){ (uintptr_t)p + first, len - first, key };
	wr->nsge = len ? 2 : 0;
}

static void check_send(enum ibv_wr_opcode opcode, uint32_t len)
{
	struct rig_wr wr = { .wr_id = 7, .opcode = opcode, .flags = IBV_SEND_SOLICITED };
	struct ibv_wc wc;

	fill(here, BYTES);
	memset(landing, 0xee, sizeof(landing));
	wr.imm = htobe32(0x12345678);
	wr.inv_rkey = rig_bind(b);
	ibv_req_notify_cq(&b->recv_cq->v, true);
	use_sges(&wr, here, len, here_key);
	rig_recv(b, 9, landing, len, landing_key);
	rig_post(a, &wr);
	rig_run(0);
	done(a->send_cq, 7, IBV_WC_SEND);
	wc = done(b->recv_cq, 9, IBV_WC_RECV);
	CHECK_INT(b->recv_cq->armed, CQ_UNARMED);
	CHECK_INT(wc.byte_len, len);
	CHECK(memcmp(landing, here, len) == 0);
	CHECK_INT(landing[len], 0xee);
	CHECK_INT(wc.wc_flags, opcode == IBV_WR_SEND_WITH_IMM	? IBV_WC_WITH_IMM
			       : opcode == IBV_WR_SEND_WITH_INV ? IBV_WC_WITH_INV
								: 0);
	if (opcode == IBV_WR_SEND_WITH_IMM)
		CHECK_INT(wc.imm_data, htobe32(0x12345678));
	if (opcode == IBV_WR_SEND_WITH_INV) {
		CHECK_INT(wc.invalidated_rkey, wr.inv_rkey);
		CHECK(!rig_is_bound());
	}
}

static void check_write(enum ibv_wr_opcode opcode, uint32_t len)
{
	struct rig_wr wr = { .wr_id = 7, .opcode = opcode, .imm = htobe32(99) };
	struct ibv_wc wc;

	fill(here, BYTES);
	memset(there, 0xee, BYTES);
	use_sges(&wr, here, len, here_key);
	wr.remote = (uintptr_t)there + 3;
	wr.rkey = len ? there_key : 0xdead; /* nobody looks at it */
	if (opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		rig_recv(b, 9, NULL, 0, 0);
	rig_post(a, &wr);
	rig_run(0);
	done(a->send_cq, 7, IBV_WC_RDMA_WRITE);
	CHECK(memcmp(there + 3, here, len) == 0);
	CHECK_INT(there[2], 0xee);
	CHECK_INT(there[3 + len], 0xee);
	if (opcode == IBV_WR_RDMA_WRITE)
		return;
	wc = done(b->recv_cq, 9, IBV_WC_RECV_RDMA_WITH_IMM);
	CHECK_INT(wc.byte_len, len);
	CHECK_INT(wc.imm_data, htobe32(99));
	CHECK_INT(wc.wc_flags, IBV_WC_WITH_IMM);
}

static void check_read(uint32_t len)
{
	struct rig_wr wr = { .wr_id = 7, .opcode = IBV_WR_RDMA_READ };

	fill(there, BYTES);
	memset(here, 0xee, BYTES);
	use_sges(&wr, here, len, here_key);
	wr.remote = (uintptr_t)there + 1;
	wr.rkey = len ? there_key : 0xdead;
	rig_post(a, &wr);
	rig_run(0);
	CHECK_INT(done(a->send_cq, 7, IBV_WC_RDMA_READ).byte_len, len);
	CHECK(memcmp(there + 1, here, len) == 0);
	CHECK_INT(here[len], 0xee);
}

static void check_atomic_write(void)
{
	uint64_t *at = (uint64_t *)(((uintptr_t)there + 7) & ~(uintptr_t)7);
	struct rig_wr wr = { .wr_id = 7, .opcode = IBV_WR_ATOMIC_WRITE };

	fill(here, BYTES);
	memset(there, 0xee, BYTES);
	use_sges(&wr, here, 8, here_key);
	wr.remote = (uintptr_t)at;
	wr.rkey = there_key;
	rig_post(a, &wr);
	rig_run(0);
	done(a->send_cq, 7, IBV_WC_ATOMIC_WRITE);
	CHECK(memcmp(at, here, 8) == 0);
	CHECK_INT(((uint8_t *)at)[8], 0xee);
}

static void check_atomics(void)
{
	uint64_t word, *at = (uint64_t *)(((uintptr_t)there + 7) & ~(uintptr_t)7);
	struct rig_wr wr = { .wr_id = 7, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .nsge = 1 };

	memcpy(at, &(uint64_t){ 40 }, sizeof(*at));
	wr.sge[0] = (struct ibv_sge){ (uintptr_t)here, 8, here_key };
	wr.remote = (uintptr_t)at;
	wr.rkey = there_key;
	wr.compare_add = 2;
	rig_post(a, &wr);
	rig_run(0);
	CHECK_INT(done(a->send_cq, 7, IBV_WC_FETCH_ADD).byte_len, 8);
	memcpy(&word, here, sizeof(word));
	CHECK_INT(word, 40);
	CHECK_INT(*at, 42);

	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.compare_add = 42;
	wr.swap = 0xffffffffffffff17;
	rig_post(a, &wr);
	rig_post(a, &wr); /* does not find 42 any more */
	rig_run(0);
	done(a->send_cq, 7, IBV_WC_COMP_SWAP);
	done(a->send_cq, 7, IBV_WC_COMP_SWAP);
	memcpy(&word, here, sizeof(word));
	CHECK(word == 0xffffffffffffff17 && *at == word);
}

static void check_local(void)
{
	struct rig_wr wr = { .wr_id = 1, .opcode = IBV_WR_BIND_MW };

	wr.bind = rig_window();
	rig_post(a, &wr);
	CHECK(rig_is_bound());
	wr = (struct rig_wr){ .wr_id = 2, .opcode = IBV_WR_LOCAL_INV, .inv_rkey = wr.bind.rkey };
	rig_post(a, &wr);
	done(a->send_cq, 1, IBV_WC_BIND_MW);
	done(a->send_cq, 2, IBV_WC_LOCAL_INV);
	CHECK(!rig_is_bound());
}

static void check_inline(void)
{
	char text[] = "copied when it was posted";
	struct rig_wr wr = { .opcode = IBV_WR_SEND, .nsge = -1, .data = text, .len = 26 };

	rig_recv(b, 1, landing, BYTES, landing_key);
	rig_post(a, &wr);
	memset(text, 0, sizeof(text));
	rig_run(0);
	done(a->send_cq, 0, IBV_WC_SEND);
	CHECK_INT(done(b->recv_cq, 1, IBV_WC_RECV).byte_len, 26);
	CHECK_STR((char *)landing, "copied when it was posted");
}

/* -------------------------------------------------------------------------- UD -- */

static struct ibv_wc ud_done(struct qp *qp, uint32_t len)
{
	struct ibv_wc wc = done(qp->recv_cq, 9, IBV_WC_RECV);

	CHECK_INT(wc.byte_len, len + GRH_BYTES);
	CHECK_INT(wc.src_qp, a->v.qp_num);
	CHECK(wc.wc_flags & IBV_WC_GRH);
	return wc;
}

static void check_datagram(enum ibv_wr_opcode opcode, uint32_t len)
{
	struct rig_wr wr = { .wr_id = 7, .opcode = opcode, .imm = 5, .dgid = rig_gid_b };
	struct ibv_wc wc;

	fill(here, BYTES);
	memset(landing, 0xee, sizeof(landing));
	use_sges(&wr, here, len, here_key);
	wr.qpn = b->v.qp_num;
	wr.qkey = b->attr.qkey;
	rig_recv(b, 9, landing, GRH_BYTES + len, landing_key);
	rig_post(a, &wr);
	rig_run(0);
	done(a->send_cq, 7, IBV_WC_SEND);
	wc = ud_done(b, len);
	CHECK_INT(!!(wc.wc_flags & IBV_WC_WITH_IMM), opcode == IBV_WR_SEND_WITH_IMM);
	CHECK(memcmp(landing + GRH_BYTES, here, len) == 0);
	/* 20 bytes of nothing, an IPv4 header */
	CHECK_INT(landing[0] | landing[19], 0);
	CHECK_INT(landing[20], 0x45);
	CHECK(memcmp(landing + 32, rig_gid_a.raw + 12, 4) == 0);
	CHECK(memcmp(landing + 36, rig_gid_b.raw + 12, 4) == 0);
}

/* Messages that are not delivered, and do not take the receive. */
static void check_ud_drops(void)
{
	struct rig_wr wr = { .opcode = IBV_WR_SEND, .nsge = -1, .data = "x", .len = 1 };
	struct ibv_wc wc;
	uint64_t bad_qkey = counters[CNT_BAD_QKEY], no_recv = counters[CNT_NO_RECV];

	wr.dgid = rig_gid_b;
	wr.qpn = b->v.qp_num;
	wr.qkey = b->attr.qkey;
	rig_post(a, &wr); /* no receive */
	rig_recv(b, 9, landing, GRH_BYTES, landing_key);
	rig_post(a, &wr); /* one that is too short */
	rig_run(0);
	CHECK_INT(counters[CNT_NO_RECV], no_recv + 2);
	wr.qkey++;
	rig_post(a, &wr);
	rig_run(0);
	CHECK_INT(counters[CNT_BAD_QKEY], bad_qkey + 1);
	wr.qkey = 0x80000000; /* that of the QP, which is the right one */
	wr.len = 0;
	rig_post(a, &wr);
	rig_run(0);
	ud_done(b, 0);
	/* more than the MTU: done, and not sent */
	wr = (struct rig_wr){ .opcode = IBV_WR_SEND, .dgid = rig_gid_b, .qpn = b->v.qp_num };
	use_sges(&wr, here, MTU + 1, here_key);
	rig_clear();
	rig_post(a, &wr);
	CHECK_INT(rig_logged, 0);
	for (int i = 0; i < 5; i++)
		done(a->send_cq, 0, IBV_WC_SEND);
	CHECK(!rig_poll(b->recv_cq, &wc));
}

static void check_multicast(void)
{
	struct rig_options o = rig_defaults;
	struct rig_wr wr = { .opcode = IBV_WR_SEND, .nsge = -1, .data = "all", .len = 3 };
	struct qp *c;
	struct ibv_wc wc;

	o.type = IBV_QPT_UD;
	c = rig_qp(&o);
	rig_connect(c, a, &o);
	rig_join(a);
	rig_join(b);
	rig_join(c);
	rig_recv(a, 9, landing, 100, landing_key);
	rig_recv(b, 9, landing, 100, landing_key);
	rig_recv(c, 9, landing, 100, landing_key);
	wr.dgid = rig_mgid;
	wr.qpn = QPN_MULTICAST;
	wr.qkey = a->attr.qkey;
	rig_post(a, &wr);
	rig_run(0);
	done(a->send_cq, 0, IBV_WC_SEND);
	ud_done(b, 3);
	ud_done(c, 3);
	CHECK(!rig_poll(a->recv_cq, &wc));
	rig_free(c);
}

int main(void)
{
	static const uint32_t sizes[] = { 0, 1, MTU - 1, MTU, MTU + 1, 3 * MTU + 5 };
	const unsigned all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

	here_key = rig_reg(rig_pd, here, sizeof(here), IBV_ACCESS_LOCAL_WRITE);
	there_key = rig_reg(rig_pd, there, sizeof(there), all);
	landing_key = rig_reg(rig_pd, landing, sizeof(landing), IBV_ACCESS_LOCAL_WRITE);

	open_pair(IBV_QPT_RC);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		check_send(IBV_WR_SEND, sizes[i]);
		check_send(IBV_WR_SEND_WITH_IMM, sizes[i]);
		check_send(IBV_WR_SEND_WITH_INV, sizes[i]);
		check_write(IBV_WR_RDMA_WRITE, sizes[i]);
		check_write(IBV_WR_RDMA_WRITE_WITH_IMM, sizes[i]);
		check_read(sizes[i]);
	}
	check_atomics();
	check_atomic_write();
	check_local();
	check_inline();
	close_pair();

	open_pair(IBV_QPT_UC);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		check_send(IBV_WR_SEND, sizes[i]);
		check_send(IBV_WR_SEND_WITH_IMM, sizes[i]);
		check_write(IBV_WR_RDMA_WRITE, sizes[i]);
		check_write(IBV_WR_RDMA_WRITE_WITH_IMM, sizes[i]);
	}
	check_local();
	check_inline();
	close_pair();

	open_pair(IBV_QPT_UD);
	for (unsigned i = 0; sizes[i] <= MTU; i++) {
		check_datagram(IBV_WR_SEND, sizes[i]);
		check_datagram(IBV_WR_SEND_WITH_IMM, sizes[i]);
	}
	check_ud_drops();
	check_multicast();
	close_pair();
	return checks_end();
}
