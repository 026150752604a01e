// SPDX-License-Identifier: MIT
/* A check for each row of the tables in docs/devices.md of what the device does otherwise than
 * most. Prints the rows that are true. Each is tried by a process of its own. */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "qp_pair.h"

static bool no_send_is_signaled(void)
{
	struct pair p;
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 4, 4, 1, 1, 0 } };
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE, .num_sge = 1 }, *bad;
	struct ibv_sge sge;
	struct ibv_qp *before;
	struct ibv_wc wc;
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	unsigned posted = 0;

	pair_make(&p, 0);
	before = p.a.qp;
	init.send_cq = init.recv_cq = p.a.cq;
	p.a.qp = ibv_create_qp(p.a.pd, &init);
	CHECK(p.a.qp && ibv_destroy_qp(before) == 0);
	pair_to_init(p.a.qp);
	CHECK_INT(ibv_modify_qp(p.b.qp, &reset, IBV_QP_STATE), 0);
	pair_to_init(p.b.qp);
	pair_connect(p.ctx, p.a.qp, p.b.qp->qp_num, 14, 7);
	pair_connect(p.ctx, p.b.qp, p.a.qp->qp_num, 14, 7);
	sge = (struct ibv_sge){ (uintptr_t)p.a.buf, 8, p.a.mr->lkey };
	wr.sg_list = &sge;
	wr.wr.rdma.remote_addr = (uintptr_t)p.b.buf;
	wr.wr.rdma.rkey = p.b.mr->rkey;
	/* the ACKs come while the queue is polled, which stays empty */
	for (unsigned tries = 0; posted < 100 && tries < 1000000; tries++) {
		posted += ibv_post_send(p.a.qp, &wr, &bad) == 0;
		CHECK_INT(ibv_poll_cq(p.a.cq, 1, &wc), 0);
	}
	pair_close(&p);
	return posted > init.cap.max_send_wr;
}

static void lose_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };

	CHECK(syscall(SYS_capset, &head, none) == 0);
}

static bool more_than_may_be_locked(void)
{
	const struct rlimit none = { 0, 0 };
	struct ibv_mr *mr, *paged;
	struct pair p;
	int err;

	pair_make(&p, 0);
	CHECK_INT(setrlimit(RLIMIT_MEMLOCK, &none), 0);
	lose_capabilities();
	mr = ibv_reg_mr(p.a.pd, p.a.buf, PAIR_BYTES, IBV_ACCESS_LOCAL_WRITE);
	CHECK(!mr || ibv_dereg_mr(mr) == 0);
	/* on demand nothing is locked; to end that is refused as well */
	paged = ibv_reg_mr(p.a.pd, p.a.buf, PAIR_BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	CHECK(paged != NULL);
	err = ibv_rereg_mr(paged, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			   IBV_ACCESS_LOCAL_WRITE);
	CHECK((err == 0) == (mr != NULL));
	CHECK_INT(ibv_dereg_mr(paged), 0);
	pair_close(&p);
	return mr != NULL;
}

/* Without CAP_NET_RAW, as a user who is not root. */
static bool privileged_qkey(void)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_UD, .cap = { 1, 1, 1, 1, 0 } };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x80000001 };
	struct ibv_qp *ud;
	struct pair p;
	int err;

	pair_make(&p, 0);
	lose_capabilities();
	init.send_cq = init.recv_cq = p.a.cq;
	ud = ibv_create_qp(p.a.pd, &init);
	CHECK(ud != NULL);
	err = ibv_modify_qp(ud, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	CHECK_INT(ibv_destroy_qp(ud), 0);
	pair_close(&p);
	return err == 0;
}

static bool late_fork_init(void)
{
	struct pair p;
	int err;

	pair_make(&p, 0);
	err = ibv_fork_init();
	pair_close(&p);
	return err == 0;
}

static bool more_than_asked_for(void)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 3, 3, 1, 1, 4 } };
	const struct ibv_qp_cap asked = init.cap;
	struct ibv_qp *qp;
	struct pair p;

	pair_make(&p, 0);
	init.send_cq = init.recv_cq = p.a.cq;
	qp = ibv_create_qp(p.a.pd, &init);
	CHECK(qp && ibv_destroy_qp(qp) == 0);
	pair_close(&p);
	return memcmp(&asked, &init.cap, sizeof asked) != 0;
}

static bool field_not_asked_for(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 4, .wc_flags = IBV_WC_EX_WITH_IMM };
	struct ibv_cq_ex *cq;
	bool there;
	struct pair p;

	pair_make(&p, 0);
	cq = ibv_create_cq_ex(p.ctx, &attr);
	CHECK(cq && cq->read_imm_data);
	there = cq->read_byte_len;
	CHECK_INT(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	pair_close(&p);
	return there;
}

static bool window_with_another_index(void)
{
	struct ibv_mw *mw;
	struct ibv_mr *mr;
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW }, *bad;
	enum ibv_wc_status status;
	struct pair p;

	pair_make(&p, 0);
	mw = ibv_alloc_mw(p.a.pd, IBV_MW_TYPE_2);
	mr = ibv_reg_mr(p.a.pd, p.a.buf, PAIR_BYTES, PAIR_ACCESS | IBV_ACCESS_MW_BIND);
	CHECK(mw && mr);
	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = (mw->rkey + 1) ^ 0x100;
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){ mr, (uintptr_t)p.a.buf, 8,
							  IBV_ACCESS_REMOTE_READ };
	CHECK_INT(ibv_post_send(p.a.qp, &wr, &bad), 0);
	status = pair_wait(p.a.cq, NULL);
	CHECK(ibv_dealloc_mw(mw) == 0 && ibv_dereg_mr(mr) == 0);
	pair_close(&p);
	return status == IBV_WC_MW_BIND_ERR;
}

static bool atomic_with_a_wrong_lkey(void)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
				  .num_sge = 1,
				  .sg_list = &sge },
			   *bad;
	enum ibv_wc_status status;
	uint64_t *value, was;
	struct pair p;

	pair_make(&p, 0);
	value = (uint64_t *)(void *)p.b.buf;
	was = *value;
	sge = (struct ibv_sge){ (uintptr_t)p.a.buf, 8, p.a.mr->lkey ^ 0x100 };
	wr.wr.atomic.remote_addr = (uintptr_t)p.b.buf;
	wr.wr.atomic.rkey = p.b.mr->rkey;
	wr.wr.atomic.compare_add = 1;
	CHECK_INT(ibv_post_send(p.a.qp, &wr, &bad), 0);
	status = pair_wait(p.a.cq, NULL);
	CHECK(*value == was);
	pair_close(&p);
	return status == IBV_WC_LOC_PROT_ERR;
}

static bool unmapped_memory(void)
{
	void *at = mmap(NULL, PAIR_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	enum ibv_wc_status status;
	struct ibv_mr *mr, *own;
	uint8_t *kept;
	struct pair p;

	CHECK(at != MAP_FAILED);
	pair_make(&p, 0);
	own = p.b.mr;
	mr = ibv_reg_mr(p.b.pd, at, PAIR_BYTES, PAIR_ACCESS);
	CHECK(mr != NULL);
	p.b.mr = mr;
	/* what was there is unmapped, and the place kept, so that nothing else is mapped there */
	CHECK(mmap(at, PAIR_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	      at);
	kept = p.b.buf;
	p.b.buf = at;
	CHECK_INT(pair_post(&p.a, &p.b, IBV_WR_RDMA_WRITE, 8, 1), 0);
	p.b.buf = kept;
	status = pair_wait(p.a.cq, NULL);
	CHECK_INT(ibv_dereg_mr(mr), 0);
	p.b.mr = own;
	pair_close(&p);
	return status == IBV_WC_REM_OP_ERR;
}

/* The completion of a receive of the SRQ, in this region. */
static enum ibv_wc_status received_in(struct pair *p, struct ibv_srq *srq, struct ibv_mr *mr)
{
	struct ibv_sge sge = { (uintptr_t)p->b.buf, PAIR_BYTES, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	CHECK_INT(ibv_post_srq_recv(srq, &wr, &bad), 0);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_SEND, 8, 1), 0);
	return pair_wait(p->b.cq, NULL);
}

static bool receive_of_another_pd(void)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_srq_init_attr attr = { .attr = { 4, 1, 0 } };
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 4, 0, 1, 0, 0 } };
	enum ibv_wc_status of_srq, of_qp;
	struct ibv_qp *before;
	struct ibv_mr *mr;
	struct ibv_pd *pd;
	struct pair p;

	pair_make(&p, 0);
	before = p.b.qp;
	pd = ibv_alloc_pd(p.ctx);
	mr = pd ? ibv_reg_mr(pd, p.b.buf, PAIR_BYTES, PAIR_ACCESS) : NULL;
	init.srq = mr ? ibv_create_srq(pd, &attr) : NULL;
	CHECK(init.srq != NULL);
	init.send_cq = init.recv_cq = p.b.cq;
	p.b.qp = ibv_create_qp(p.b.pd, &init);
	CHECK(p.b.qp && ibv_destroy_qp(before) == 0);
	pair_to_init(p.b.qp);
	CHECK_INT(ibv_modify_qp(p.a.qp, &reset, IBV_QP_STATE), 0);
	pair_to_init(p.a.qp);
	pair_connect(p.ctx, p.a.qp, p.b.qp->qp_num, 14, 7);
	pair_connect(p.ctx, p.b.qp, p.a.qp->qp_num, 14, 7);
	of_srq = received_in(&p, init.srq, mr);
	of_qp = received_in(&p, init.srq, p.b.mr);
	CHECK(ibv_destroy_qp(p.b.qp) == 0 && ibv_destroy_srq(init.srq) == 0);
	CHECK(ibv_dereg_mr(mr) == 0 && ibv_dealloc_pd(pd) == 0);
	return of_srq == IBV_WC_SUCCESS && of_qp == IBV_WC_LOC_PROT_ERR;
}

static bool region_of_nothing(void)
{
	struct pair p;
	bool refused;

	pair_make(&p, 0);
	refused = !ibv_reg_mr(p.a.pd, p.a.buf + 1, 0, 0) && errno == EINVAL;
	pair_close(&p);
	return refused;
}

static bool more_than_a_gib(void)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .num_sge = 1, .sg_list = &sge }, *bad;
	struct pair p;
	int err;

	pair_make(&p, 0);
	sge = (struct ibv_sge){ (uintptr_t)p.a.buf, (1u << 30) + 1, p.a.mr->lkey };
	err = ibv_post_send(p.a.qp, &wr, &bad);
	pair_close(&p);
	return err == EINVAL;
}

static const struct {
	const char *row;
	bool (*is_true)(void);
} rows[] = {
	{ "no send is ever signaled", no_send_is_signaled },
	{ "a process locks more memory than `ulimit -l`", more_than_may_be_locked },
	{ "a Q_Key of 0x80000000 and more, without CAP_NET_RAW", privileged_qkey },
	{ "`ibv_fork_init` after memory was registered", late_fork_init },
	{ "more than `max_send_wr` requests, SGEs or inline bytes", more_than_asked_for },
	{ "a field of a completion is read that `wc_flags` did not ask for", field_not_asked_for },
	{ "a window of type 2 is bound with an R_Key whose upper 24 bits are not its own",
	  window_with_another_index },
	{ "an atomic with a wrong lkey", atomic_with_a_wrong_lkey },
	{ "memory is unmapped while it is registered", unmapped_memory },
	{ "a receive of an SRQ has an lkey of the QP's PD, which is not the SRQ's",
	  receive_of_another_pd },
	{ "a region of no bytes, not at the begin of a page", region_of_nothing },
	{ "a message of more than 1 GiB", more_than_a_gib },
};

int main(void)
{
	int status;

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (fork() == 0) {
			if (rows[i].is_true())
				puts(rows[i].row);
			return 0; /* a check that fails ends the program */
		}
		CHECK(wait(&status) > 0);
		CHECK_INT(status, 0);
	}
	return 0;
}
