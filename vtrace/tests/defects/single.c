// SPDX-License-Identifier: MIT
/*
 * single ADDRESS CASE
 *
 * Programs of one process. In each case a call fails, or a completion is an error. Exit status 1,
 * as of any of these programs with a mistake.
 */
#include <sys/mman.h>

#include "case_rig.h"

static struct rig r;
static struct ibv_qp *a, *b;

static void makes(const char *what, const void *made)
{
	ends(what, made ? 0 : errno);
}

/* ------------------------------------------------------------------------- a path -- */

static void change_path(void)
{
	struct path p = usual_path(&r, b->qp_num);

	if (is("mtu_in_bytes"))
		p.mtu = 1024;
	if (is("mtu_0"))
		p.mtu = 0;
	if (is("gid_beyond_table"))
		p.sgid_index = 250;
	if (is("gid_empty"))
		p.sgid_index = 9;
	if (is("gid_other_family"))
		p.sgid_index = other_family(&r);
	if (is("dgid_zero"))
		memset(&p.gid, 0, sizeof p.gid);
	if (is("dgid_nobody"))
		p.gid.raw[13] = 9;
	if (is("av_port_0"))
		p.port = 0;
	if (is("av_port_2"))
		p.port = 2;
	if (is("dest_rd_atomic_255"))
		p.dest_rd_atomic = 255;
	check("to INIT", to_init(a, 1));
	ends("to RTR", to_rtr(a, &p));
}

/* --------------------------------------------------------------------- completions -- */

/* Both requests have wr_id 0, and their completions come into different CQs. */
static void same_wr_ids(void)
{
	struct ibv_cq *recvs = ibv_create_cq(r.context, 8, NULL, NULL, 0);
	struct ibv_qp *both = make_qp(&r, r.cq, recvs, NULL, 8);

	join(&r, both, b);
	check("RECV", post_receive(&r, b, 0, 64));
	check("RECV", post_receive(&r, both, 0, 37));
	check("SEND", post_request(&r, both, IBV_WR_SEND, 0, 37, 0, 0));
	check("SEND", post_request(&r, b, IBV_WR_SEND, 0, 38, 0, 0));
	completes(recvs);
}

/* The CQ has room for fewer completions than come before the program polls. */
static void overrun_cq(void)
{
	struct ibv_cq *small = ibv_create_cq(r.context, 4, NULL, NULL, 0);
	struct ibv_async_event event;
	struct ibv_qp *qp;

	makes("ibv_create_cq", small);
	if (is("cq_resized"))
		check("ibv_resize_cq", ibv_resize_cq(small, 20));
	qp = make_qp(&r, small, is("overrun_flushed") ? r.cq : small, NULL, 64);
	join(&r, qp, b);
	if (is("overrun_flushed"))
		check("RECV", post_receive(&r, qp, 1, 64));
	for (int i = 0; i < small->cqe + 4; i++)
		if (post_request(&r, qp, IBV_WR_RDMA_WRITE, i, 8, (uintptr_t)r.memory, r.mr->rkey))
			break;
	if (is("overrun_flushed"))
		completes(r.cq);
	if (!is("overrun_polled")) {
		check("ibv_get_async_event", ibv_get_async_event(r.context, &event));
		ibv_ack_async_event(&event);
		exit(1);
	}
	for (int i = 0; i < 64; i++)
		completes(small);
}

static int index_of(const union ibv_gid *wanted)
{
	union ibv_gid gid;

	for (int i = 0; i < 64; i++)
		if (!ibv_query_gid(r.context, 1, i, &gid) && !memcmp(&gid, wanted, sizeof gid))
			return i;
	return -1;
}

/* The address of the GID from which the QPs send goes, when they are connected. */
static void remove_gid(void)
{
	union ibv_gid gid = r.gid;
	struct path to_a, to_b;

	gid.raw[15] = 9;
	check("ip addr add", system("ip addr add 10.0.0.9/32 dev lo"));
	while (index_of(&gid) < 0)
		usleep(1000);
	to_a = usual_path(&r, a->qp_num);
	to_a.gid = gid;
	to_a.sgid_index = index_of(&gid);
	to_b = to_a;
	to_b.qpn = b->qp_num;
	check("to INIT", to_init(a, 1) | to_init(b, 1));
	check("to RTR", to_rtr(a, &to_b) | to_rtr(b, &to_a));
	check("to RTS", to_rts(a, &to_b) | to_rts(b, &to_a));
	check("ip addr del", system("ip addr del 10.0.0.9/32 dev lo"));
	while (index_of(&gid) >= 0)
		usleep(1000);
	check("WRITE",
	      post_request(&r, a, IBV_WR_RDMA_WRITE, 1, 8, (uintptr_t)r.memory, r.mr->rkey));
	completes(r.cq);
}

/* The memory is far from where the kernel puts what others of this process map: they must not take
   its place. */
static void write_unmapped(void)
{
	char *memory = mmap((void *)0x200000000000, 8192, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr = ibv_reg_mr(r.pd, memory, 8192,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

	makes("ibv_reg_mr", mr);
	join(&r, a, b);
	munmap(memory, 8192);
	check("WRITE", post_request(&r, a, IBV_WR_RDMA_WRITE, 1, 64, (uintptr_t)memory, mr->rkey));
	completes(r.cq);
}

/* ------------------------------------------------------------------------- windows -- */

static void bind_window(void)
{
	struct ibv_mr *mr = ibv_reg_mr(r.pd, r.memory, 8192,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
					       (is("mw_no_right") ? 0 : IBV_ACCESS_MW_BIND));
	struct ibv_mw *mw = ibv_alloc_mw(r.pd, IBV_MW_TYPE_2);
	const uint32_t key = ibv_inc_rkey(mw->rkey);
	struct ibv_send_wr wr = {
		.wr_id = 1,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = {
			.mw = mw,
			.rkey = is("mw_same_key") ? mw->rkey : key,
			.bind_info = {
				.mr = mr,
				.addr = (uintptr_t)r.memory,
				.length = is("mw_too_long") ? 9000 : 4096,
				.mw_access_flags = is("mw_read_only") ? IBV_ACCESS_REMOTE_READ
								      : IBV_ACCESS_REMOTE_WRITE,
			},
		},
	}, *bad;

	makes("ibv_reg_mr", mr);
	join(&r, a, b);
	if (!is("mw_unbound")) {
		ends("ibv_post_send", ibv_post_send(b, &wr, &bad));
		completes(b->recv_cq);
	}
	check("WRITE", post_request(&r, a, IBV_WR_RDMA_WRITE, 2, 8, (uintptr_t)r.memory,
				    is("mw_old_key") || is("mw_unbound") ? mw->rkey : key));
	completes(r.cq);
	if (is("mr_still_bound"))
		ends("ibv_dereg_mr", ibv_dereg_mr(mr));
}

/* The library makes the key of a window of type 1. */
static void bind_old_window(void)
{
	struct ibv_mr *mr = ibv_reg_mr(r.pd, r.memory, 8192,
				       IBV_ACCESS_LOCAL_WRITE |
					       (is("mw1_no_right") ? 0 : IBV_ACCESS_MW_BIND));
	struct ibv_mw *mw = ibv_alloc_mw(r.pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind bind = {
		.wr_id = 1,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = mr,
			.addr = (uintptr_t)r.memory,
			.length = is("mw1_too_long") ? 9000 : 4096,
			.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
		},
	};

	makes("ibv_reg_mr", mr);
	join(&r, a, b);
	ends("ibv_bind_mw", ibv_bind_mw(b, mw, &bind));
	completes(b->recv_cq);
}

static struct ibv_qp *make_qp_of(enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.send_cq = r.cq,
		.recv_cq = r.cq,
		.qp_type = type,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(r.pd, &init);

	makes("ibv_create_qp", qp);
	return qp;
}

static void join_uc(struct ibv_qp *qp, uint32_t number)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = number,
		.rq_psn = 7,
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh = { .dgid = r.gid, .sgid_index = r.gid_index, .hop_limit = 64 } },
	};

	check("to INIT", to_init(qp, 1));
	check("to RTR", ibv_modify_qp(qp, &attr,
				      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
					      IBV_QP_RQ_PSN));
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = 7;
	check("to RTS", ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

static void meet_wrongly(void)
{
	struct ibv_qp *uc = make_qp_of(IBV_QPT_UC), *other = make_qp_of(IBV_QPT_UC);
	struct path path = usual_path(&r, is("qp_to_itself") ? a->qp_num : uc->qp_num);
	struct ibv_wc wc;

	if (is("uc_no_receive")) {
		join_uc(uc, other->qp_num);
		join_uc(other, uc->qp_num);
		check("SEND", post_request(&r, uc, IBV_WR_SEND, 1, 64, 0, 0));
		completes(r.cq);
		exit(await_within(r.cq, &wc, 200) == 1 ? 0 : 1);
	}
	join_uc(uc, a->qp_num);
	check("to INIT", to_init(a, 1));
	check("to RTR", to_rtr(a, &path));
	check("to RTS", to_rts(a, &path));
	check("SEND", post_request(&r, a, IBV_WR_SEND, 1, 64, 0, 0));
	completes(r.cq);
}

static void datagram_to(struct ibv_qp *to, uint32_t qkey)
{
	struct ibv_qp *ud = make_qp_of(IBV_QPT_UD);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = qkey };
	struct ibv_ah_attr way = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = r.gid, .sgid_index = r.gid_index, .hop_limit = 64 }
	};
	struct ibv_sge sge = { (uintptr_t)r.memory, 64, r.lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .ah = ibv_create_ah(is("ah_of_other_pd") ? ibv_alloc_pd(r.context) : r.pd,
					       &way),
			   .remote_qpn = to->qp_num,
			   .remote_qkey = qkey },
	}, *bad;
	const int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;

	check("to INIT", ibv_modify_qp(ud, &attr, mask));
	if (to->qp_type == IBV_QPT_UD)
		check("to INIT", ibv_modify_qp(to, &attr, mask));
	attr.qp_state = IBV_QPS_RTR;
	check("to RTR", ibv_modify_qp(ud, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	check("to RTS", ibv_modify_qp(ud, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
	ends("ibv_post_send", ibv_post_send(ud, &wr, &bad));
	completes(r.cq);
}

/* Nobody gets it. */
static void send_datagram(void)
{
	struct ibv_wc wc;

	if (is("ud_to_rc"))
		join(&r, a, b);
	datagram_to(is("ud_to_rc") ? b : make_qp_of(IBV_QPT_UD), 17);
	exit(await_within(r.cq, &wc, 200) == 1 ? 0 : 1);
}

static void join_group(void)
{
	union ibv_gid group = { .raw = { 0xff, 0x0e, [10] = 0xff, [11] = 0xff, 239, 0, 0, 1 } };

	ends("ibv_attach_mcast", ibv_attach_mcast(a, &group, 0));
}

static void write_at_iova(void)
{
	struct ibv_mr *mr = ibv_reg_mr_iova(r.pd, r.memory, 8192, 0,
					    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

	makes("ibv_reg_mr_iova", mr);
	join(&r, a, b);
	check("WRITE",
	      post_request(&r, a, IBV_WR_RDMA_WRITE, 1, 64, (uintptr_t)r.memory, mr->rkey));
	completes(r.cq);
}

static void invalidate_nothing(void)
{
	struct ibv_sge sge = { (uintptr_t)r.memory, 64, r.lkey };
	struct ibv_send_wr wr = {
		.wr_id = 1,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND_WITH_INV,
		.send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = 0x77777701,
	}, *bad;

	join(&r, a, b);
	check("ibv_post_recv", post_receive(&r, b, 1, 64));
	ends("ibv_post_send", ibv_post_send(a, &wr, &bad));
	completes(r.cq);
}

/* --------------------------------------------------------------------------- queues -- */

static void fill_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 2, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(r.pd, &init);
	struct ibv_srq_attr more = { .max_wr = 8 };
	struct ibv_sge sge = { (uintptr_t)r.memory, 64, r.mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_qp *qp;
	int err = 0;

	makes("ibv_create_srq", srq);
	if (is("qp_of_srq_recv")) {
		qp = make_qp(&r, r.cq, r.cq, srq, 4);
		check("to INIT", to_init(qp, 1));
		ends("ibv_post_recv", post_receive(&r, qp, 1, 64));
	}
	if (is("srq_in_use")) {
		make_qp(&r, r.cq, r.cq, srq, 4);
		ends("ibv_destroy_srq", ibv_destroy_srq(srq));
	}
	if (is("srq_resized"))
		check("ibv_modify_srq", ibv_modify_srq(srq, &more, IBV_SRQ_MAX_WR));
	for (int i = 0; i < 5000 && !err; i++)
		err = ibv_post_srq_recv(srq, &wr, &bad);
	ends("ibv_post_srq_recv", err);
}

static void post_wrongly(void)
{
	struct ibv_sge many[2] = { { (uintptr_t)r.memory, 1, r.mr->lkey },
				   { (uintptr_t)r.memory, 1, r.mr->lkey } };
	struct ibv_send_wr wr = { .sg_list = many, .num_sge = 2, .opcode = IBV_WR_SEND }, *bad;

	if (is("send_in_init")) {
		check("to INIT", to_init(a, 1));
		ends("ibv_post_send", post_request(&r, a, IBV_WR_SEND, 1, 8, 0, 0));
	}
	join(&r, a, b);
	if (is("two_sges"))
		ends("ibv_post_send", ibv_post_send(a, &wr, &bad));
	if (is("opcode_77"))
		ends("ibv_post_send", post_request(&r, a, (enum ibv_wr_opcode)77, 1, 8, 0, 0));
	if (is("atomic_of_4")) {
		check("FETCH_ADD", post_request(&r, a, IBV_WR_ATOMIC_FETCH_AND_ADD, 1, 4,
						(uintptr_t)r.memory, r.mr->rkey));
		completes(r.cq);
	}
	if (is("read_lkey_0")) {
		r.lkey = 0;
		check("READ",
		      post_request(&r, a, IBV_WR_RDMA_READ, 1, 8, (uintptr_t)r.memory, r.mr->rkey));
		completes(r.cq);
	}
}

/* Requests of an extended QP. */
static void build_requests(void)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = r.cq,
		.recv_cq = r.cq,
		.cap = {
			.max_send_wr = 2,
			.max_recv_wr = 2,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = r.pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(r.context, &init);
	struct ibv_qp_ex *qpx;

	makes("ibv_create_qp_ex", qp);
	qpx = ibv_qp_to_qp_ex(qp);
	join(&r, qp, b);
	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_SIGNALED;
	for (int i = 0; i < (is("wr_too_many") ? 1000 : 1); i++) {
		qpx->wr_id = i;
		if (is("wr_not_declared"))
			ibv_wr_rdma_write(qpx, r.mr->rkey, (uintptr_t)r.memory);
		else
			ibv_wr_send(qpx);
		ibv_wr_set_sge(qpx, r.mr->lkey, (uintptr_t)r.memory, 8);
	}
	ends("ibv_wr_complete", ibv_wr_complete(qpx));
	completes(r.cq);
}

/* ------------------------------------------------------------------------- creation -- */

static void create_qps(void)
{
	struct ibv_device_attr d;
	struct ibv_qp_init_attr init = {
		.send_cq = r.cq,
		.recv_cq = r.cq,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = 4,
			.max_recv_wr = 4,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	check("ibv_query_device", ibv_query_device(r.context, &d));
	if (is("qp_sge_beyond"))
		init.cap.max_send_sge = d.max_sge + 1;
	if (is("qp_inline_beyond"))
		init.cap.max_inline_data = 1000000;
	if (is("qp_no_recv_cq"))
		init.recv_cq = NULL;
	if (is("qp_type_99"))
		init.qp_type = (enum ibv_qp_type)99;
	makes("ibv_create_qp", ibv_create_qp(r.pd, &init));
}

static void create_cqs(void)
{
	makes("ibv_create_cq", ibv_create_cq(r.context, is("cq_of_0") ? 0 : 8, NULL, NULL,
					     is("comp_vector_99") ? 99 : 0));
}

static void register_regions(void)
{
	char *read_only = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *hole = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(hole + 4096, 4096);
	if (is("mr_unknown_flag"))
		makes("ibv_reg_mr", ibv_reg_mr(r.pd, r.memory, 4096, 1 << 15));
	if (is("mr_length_minus_1"))
		makes("ibv_reg_mr", ibv_reg_mr(r.pd, r.memory, -1, IBV_ACCESS_LOCAL_WRITE));
	if (is("mr_remote_write_alone"))
		makes("ibv_reg_mr", ibv_reg_mr(r.pd, r.memory, 4096, IBV_ACCESS_REMOTE_WRITE));
	if (is("mr_read_only"))
		makes("ibv_reg_mr", ibv_reg_mr(r.pd, read_only, 8192, IBV_ACCESS_LOCAL_WRITE));
	if (is("mr_half_mapped"))
		makes("ibv_reg_mr", ibv_reg_mr(r.pd, hole, 8192, IBV_ACCESS_LOCAL_WRITE));
}

static void destroy_wrongly(void)
{
	if (is("pd_in_use"))
		ends("ibv_dealloc_pd", ibv_dealloc_pd(r.pd));
	if (is("cq_in_use"))
		ends("ibv_destroy_cq", ibv_destroy_cq(r.cq));
}

static const struct named_case cases[] = {
	{ "mtu_in_bytes", change_path },
	{ "mtu_0", change_path },
	{ "gid_beyond_table", change_path },
	{ "gid_empty", change_path },
	{ "gid_other_family", change_path },
	{ "dgid_zero", change_path },
	{ "dgid_nobody", change_path },
	{ "av_port_0", change_path },
	{ "av_port_2", change_path },
	{ "dest_rd_atomic_255", change_path },
	{ "same_wr_ids", same_wr_ids },
	{ "cq_overrun", overrun_cq },
	{ "cq_resized", overrun_cq },
	{ "overrun_polled", overrun_cq },
	{ "overrun_flushed", overrun_cq },
	{ "gid_removed", remove_gid },
	{ "mw1_no_right", bind_old_window },
	{ "mw1_too_long", bind_old_window },
	{ "write_unmapped", write_unmapped },
	{ "mw_no_right", bind_window },
	{ "mw_same_key", bind_window },
	{ "mw_too_long", bind_window },
	{ "mw_old_key", bind_window },
	{ "mr_still_bound", bind_window },
	{ "mw_read_only", bind_window },
	{ "mw_unbound", bind_window },
	{ "peer_is_uc", meet_wrongly },
	{ "qp_to_itself", meet_wrongly },
	{ "uc_no_receive", meet_wrongly },
	{ "ud_to_rc", send_datagram },
	{ "ud_in_init", send_datagram },
	{ "ah_of_other_pd", send_datagram },
	{ "rc_in_group", join_group },
	{ "region_from_0", write_at_iova },
	{ "invalidated_nothing", invalidate_nothing },
	{ "qp_of_srq_recv", fill_srq },
	{ "srq_in_use", fill_srq },
	{ "srq_resized", fill_srq },
	{ "send_in_init", post_wrongly },
	{ "two_sges", post_wrongly },
	{ "opcode_77", post_wrongly },
	{ "atomic_of_4", post_wrongly },
	{ "read_lkey_0", post_wrongly },
	{ "wr_too_many", build_requests },
	{ "wr_not_declared", build_requests },
	{ "qp_sge_beyond", create_qps },
	{ "qp_inline_beyond", create_qps },
	{ "qp_no_recv_cq", create_qps },
	{ "qp_type_99", create_qps },
	{ "cq_of_0", create_cqs },
	{ "comp_vector_99", create_cqs },
	{ "mr_unknown_flag", register_regions },
	{ "mr_length_minus_1", register_regions },
	{ "mr_remote_write_alone", register_regions },
	{ "mr_read_only", register_regions },
	{ "mr_half_mapped", register_regions },
	{ "pd_in_use", destroy_wrongly },
	{ "cq_in_use", destroy_wrongly },
};

static void begin(const char *address)
{
	open_two(&r, address, &a, &b);
	patience = 3000; /* in some cases nothing comes */
}

int main(int argc, char **argv)
{
	return run_named(cases, sizeof cases / sizeof *cases, begin, NULL, argc, argv);
}
