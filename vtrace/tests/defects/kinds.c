// SPDX-License-Identifier: MIT
/*
 * kinds ADDRESS CASE
 *
 * One process with two QPs: requests for windows and keys, QPs of type UC, which tell nobody what
 * they drop, groups, and tables of the port. In each case but "uc_correct" something fails: exit
 * status 1.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "case_rig.h"

static struct rig r;
static struct ibv_qp *a, *b;

static void post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	wr->send_flags |= IBV_SEND_SIGNALED;
	ends("ibv_post_send", ibv_post_send(qp, wr, &bad));
	completes(qp->send_cq);
}

/* -------------------------------------------------------------------- windows, keys -- */

static void bind_window(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(r.context);
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	struct ibv_mr *mr = ibv_reg_mr(r.pd, r.memory, 4096,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW };

	check("ibv_alloc_mw", mw ? 0 : errno);
	check("ibv_reg_mr", mr ? 0 : errno);
	join(&r, a, b);
	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){ mr, (uintptr_t)r.memory, 64,
							  IBV_ACCESS_REMOTE_READ };
	post(a, &wr);
}

static void invalidate(void)
{
	struct ibv_sge sge = { (uintptr_t)r.memory, 64, r.lkey };
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV };

	join(&r, a, b);
	wr.invalidate_rkey = is("invalidated_nobody") ? 0x12345678 : r.mr->rkey;
	if (is("invalidated_there")) {
		check("RECV", post_receive(&r, b, 0, 64));
		wr.opcode = IBV_WR_SEND_WITH_INV;
		wr.sg_list = &sge;
		wr.num_sge = 1;
	}
	post(a, &wr);
}

/* The region of a receive goes before the message comes. */
static void receive_deregistered(void)
{
	struct ibv_mr *mr = ibv_reg_mr(r.pd, r.memory, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = { (uintptr_t)r.memory, 64, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	join(&r, a, b);
	check("RECV", ibv_post_recv(b, &wr, &bad));
	check("ibv_dereg_mr", ibv_dereg_mr(mr));
	check("SEND", post_request(&r, a, IBV_WR_SEND, 0, 64, 0, 0));
	completes(r.cq);
}

/* The device may not write to the receive's region, which goes before the sender looks. */
static void receive_cleaned_up(void)
{
	struct ibv_mr *mr = ibv_reg_mr(r.pd, r.memory, 4096, 0);
	struct ibv_sge sge = { (uintptr_t)r.memory, 64, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_wc wc;

	join(&r, a, b);
	check("RECV", ibv_post_recv(b, &wr, &bad));
	check("SEND", post_request(&r, a, IBV_WR_SEND, 0, 64, 0, 0));
	check("LOC_PROT_ERR", await_within(b->recv_cq, &wc, patience) == 1 ? 0 : ETIME);
	check("ibv_dereg_mr", ibv_dereg_mr(mr));
	completes(r.cq);
}

/* ------------------------------------------------------------------------------- UC -- */

static struct ibv_qp *make_typed(enum ibv_qp_type type, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = type,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(r.pd, &attr);

	check("ibv_create_qp", qp ? 0 : errno);
	return qp;
}

static void join_uc(struct ibv_qp *qp, uint32_t number)
{
	struct path p = usual_path(&r, number);
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = is("uc_no_right") ? 0 : IBV_ACCESS_REMOTE_WRITE,
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = is("uc_path_mtu") && number < qp->qp_num ? IBV_MTU_256 : p.mtu,
		.dest_qp_num = number,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = p.gid, .sgid_index = p.sgid_index, .hop_limit = 64 },
		},
	};

	check("to INIT",
	      ibv_modify_qp(qp, &init,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	check("to RTR", ibv_modify_qp(qp, &attr,
				      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
					      IBV_QP_RQ_PSN));
	attr.qp_state = IBV_QPS_RTS;
	check("to RTS", ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

/* The sender has a completion in all cases, and the receiver only in uc_correct. */
static void send_by_uc(void)
{
	const bool is_beyond = is("uc_beyond") || is("uc_cleaned_up");
	struct ibv_wc wc;
	struct ibv_qp *from = make_typed(IBV_QPT_UC, r.cq),
		      *to = make_typed(IBV_QPT_UC, b->recv_cq);
	struct ibv_mr *mr = ibv_reg_mr(r.pd, r.memory, MEMORY,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	const bool is_send = is("uc_short") || is("uc_path_mtu");
	struct ibv_sge sge = { (uintptr_t)r.memory,
			       is("uc_short")	   ? 128
			       : is("uc_path_mtu") ? 1000
						   : 64,
			       r.lkey };
	struct ibv_send_wr wr = {
		.opcode = is_send ? IBV_WR_SEND : IBV_WR_RDMA_WRITE_WITH_IMM,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.rdma = {
			.remote_addr = (uintptr_t)r.memory + (is_beyond ? MEMORY - 3 : 4096),
			.rkey = is("uc_wrong_rkey") ? mr->rkey + 5 : mr->rkey,
		},
	};

	join_uc(from, to->qp_num + is("uc_misdirected"));
	join_uc(to, from->qp_num);
	check("RECV", post_receive(&r, to, 0, is("uc_path_mtu") ? 1000 : 64));
	post(from, &wr);
	if (!is("uc_correct"))
		patience = 1000; /* nothing can come */
	if (is("uc_cleaned_up"))
		await_within(to->recv_cq, &wc, patience);
	check("ibv_dereg_mr", is("uc_cleaned_up") ? ibv_dereg_mr(mr) : 0);
	completes(to->recv_cq);
}

/* --------------------------------------------------------------- what belongs together -- */

/* A window of type 2 belongs to the QP that has bound it, and is opened by the peer of another. */
static void open_others_window(void)
{
	struct ibv_qp *one = make_qp(&r, r.cq, r.cq, NULL, 8),
		      *two = make_qp(&r, r.cq, r.cq, NULL, 8);
	struct ibv_mr *mr = ibv_reg_mr(r.pd, r.memory, 4096,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
					       IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(r.pd, IBV_MW_TYPE_2);
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW };

	check("ibv_alloc_mw", mw ? 0 : errno);
	join(&r, a, b);
	join(&r, one, two);
	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){ mr, (uintptr_t)r.memory, 64,
							  IBV_ACCESS_REMOTE_WRITE };
	post(a, &wr);
	wr = (struct ibv_send_wr){ .opcode = IBV_WR_RDMA_WRITE };
	wr.wr.rdma.remote_addr = (uintptr_t)r.memory;
	wr.wr.rdma.rkey = ibv_inc_rkey(mw->rkey);
	wr.sg_list = &(struct ibv_sge){ (uintptr_t)r.memory + 64, 8, r.lkey };
	wr.num_sge = 1;
	post(one, &wr);
}

/* The number of the QP in place of that of the SRQ. */
static void send_to_qp_of_xrc(void)
{
	struct ibv_xrcd_init_attr xrcd_init = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};
	struct ibv_xrcd *xrcd = ibv_open_xrcd(r.context, &xrcd_init);
	struct ibv_qp_init_attr_ex to_init_attr = { .qp_type = IBV_QPT_XRC_RECV,
						    .comp_mask = IBV_QP_INIT_ATTR_XRCD,
						    .xrcd = xrcd },
				   from_init_attr = { .qp_type = IBV_QPT_XRC_SEND,
						      .send_cq = r.cq,
						      .cap = { .max_send_wr = 8,
							       .max_send_sge = 1 },
						      .comp_mask = IBV_QP_INIT_ATTR_PD,
						      .pd = r.pd };
	struct ibv_qp *to = ibv_create_qp_ex(r.context, &to_init_attr);
	struct ibv_qp *from = ibv_create_qp_ex(r.context, &from_init_attr);
	struct ibv_sge sge = { (uintptr_t)r.memory, 64, r.lkey };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1 };

	check("ibv_create_qp_ex", to && from ? 0 : errno);
	join(&r, from, to);
	wr.qp_type.xrc.remote_srqn = to->qp_num;
	post(from, &wr);
}

static void use_two_contexts(void)
{
	struct ibv_context *other = ibv_open_device(r.context->device);
	struct ibv_cq *cq = ibv_create_cq(other, 8, NULL, NULL, 0);
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	check("ibv_create_cq", cq ? 0 : errno);
	ends("ibv_create_qp", ibv_create_qp(r.pd, &attr) ? 0 : errno);
}

/* ------------------------------------------------------------------- groups, tables -- */

static void destroy_attached(void)
{
	const union ibv_gid group = { .raw = { 0xff, 0x0e, [10] = 0xff, 0xff, 239, 1, 2, 3 } };
	struct ibv_qp *qp = make_typed(IBV_QPT_UD, r.cq);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 5 };

	check("to INIT",
	      ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	check("ibv_attach_mcast", ibv_attach_mcast(qp, &group, 0));
	ends("ibv_destroy_qp", ibv_destroy_qp(qp));
}

static void join_group(void)
{
	ends("ibv_attach_mcast", ibv_attach_mcast(make_typed(IBV_QPT_UD, r.cq), &r.gid, 0));
}

static void read_tables(void)
{
	struct ibv_port_attr port;
	__be16 pkey;

	if (is("pkey_index_77"))
		ends("ibv_query_pkey", ibv_query_pkey(r.context, 1, 77, &pkey) ? errno : 0);
	ends("ibv_query_port", ibv_query_port(r.context, 3, &port));
}

static void register_nothing(void)
{
	ends("ibv_reg_mr", ibv_reg_mr(r.pd, NULL, 4096, IBV_ACCESS_LOCAL_WRITE) ? 0 : errno);
}

static void register_again(void)
{
	struct ibv_mr *mr = ibv_reg_mr(r.pd, r.memory, 512, IBV_ACCESS_LOCAL_WRITE);

	ends("ibv_rereg_mr", ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, r.pd, r.memory, 4096,
					  IBV_ACCESS_LOCAL_WRITE)
				     ? errno
				     : 0);
}

/* ----------------------------------------------------------------------------- others -- */

/* The address of the first datagram is not that of the second. */
static void send_unaddressed(void)
{
	struct ibv_qp_init_attr_ex init_attr = {
		.qp_type = IBV_QPT_UD,
		.send_cq = r.cq,
		.recv_cq = r.cq,
		.cap = { .max_send_wr = 8, .max_send_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = r.pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(r.context, &init_attr);
	struct path p = usual_path(&r, 0);
	struct ibv_ah_attr to = { .is_global = 1,
				  .port_num = 1,
				  .grh = { .dgid = p.gid, .sgid_index = p.sgid_index } };
	struct ibv_ah *ah = ibv_create_ah(r.pd, &to);
	struct ibv_qp_ex *ex;

	check("ibv_create_qp_ex", qp ? 0 : errno);
	check("ibv_create_ah", ah ? 0 : errno);
	to_datagrams(qp);
	ex = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(ex);
	for (unsigned i = 0; i < 2; i++) {
		ibv_wr_send(ex);
		if (!i)
			ibv_wr_set_ud_addr(ex, ah, qp->qp_num, 5);
		ibv_wr_set_sge(ex, r.lkey, (uintptr_t)r.memory, 8);
	}
	ends("ibv_wr_complete", ibv_wr_complete(ex));
}

/* A process that this one forks posts to a QP of this one. */
static void post_in_child(void)
{
	int status;
	pid_t child;

	join(&r, a, b);
	check("RECV", post_receive(&r, b, 0, 64));
	child = fork();
	if (child == 0)
		ends("ibv_post_send", post_request(&r, a, IBV_WR_SEND, 0, 64, 0, 0));
	waitpid(child, &status, 0);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static const struct named_case cases[] = {
	{ "mw_other_pd", bind_window },
	{ "invalidated_nobody", invalidate },
	{ "invalidated_region", invalidate },
	{ "invalidated_there", invalidate },
	{ "receive_deregistered", receive_deregistered },
	{ "receive_cleaned_up", receive_cleaned_up },
	{ "uc_wrong_rkey", send_by_uc },
	{ "uc_cleaned_up", send_by_uc },
	{ "uc_beyond", send_by_uc },
	{ "uc_no_right", send_by_uc },
	{ "uc_short", send_by_uc },
	{ "uc_misdirected", send_by_uc },
	{ "uc_path_mtu", send_by_uc },
	{ "mw_of_other_qp", open_others_window },
	{ "xrc_number_of_qp", send_to_qp_of_xrc },
	{ "cq_of_other_context", use_two_contexts },
	{ "qp_in_group", destroy_attached },
	{ "group_of_none", join_group },
	{ "pkey_index_77", read_tables },
	{ "port_3", read_tables },
	{ "uc_correct", send_by_uc },
	{ "mr_of_null", register_nothing },
	{ "rereg_access", register_again },
	{ "datagram_unaddressed", send_unaddressed },
	{ "post_in_child", post_in_child },
};

static void begin(const char *address)
{
	open_two(&r, address, &a, &b);
}

int main(int argc, char **argv)
{
	return run_named(cases, sizeof cases / sizeof *cases, begin, NULL, argc, argv);
}
