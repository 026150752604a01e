/* SPDX-License-Identifier: MIT */
/* Written by members.py from the headers of rdma-core; not to be edited. */
/* clang-format off */
#include "newer.h"
#include "call_record.h"
#include "recorded.h"
#include "hold.h"
#include "hooks.h"

enum {
	CONTEXT_ALLOC_MW = 0,
	CONTEXT_BIND_MW,
	CONTEXT_DEALLOC_MW,
	CONTEXT_POLL_CQ,
	CONTEXT_REQ_NOTIFY_CQ,
	CONTEXT_POST_SRQ_RECV,
	CONTEXT_POST_SEND,
	CONTEXT_POST_RECV,
	CONTEXT_QUERY_PORT,
	CONTEXT_ADVISE_MR,
	CONTEXT_ALLOC_NULL_MR,
	CONTEXT_READ_COUNTERS,
	CONTEXT_ATTACH_COUNTERS_POINT_FLOW,
	CONTEXT_CREATE_COUNTERS,
	CONTEXT_DESTROY_COUNTERS,
	CONTEXT_REG_DM_MR,
	CONTEXT_ALLOC_DM,
	CONTEXT_FREE_DM,
	CONTEXT_MODIFY_FLOW_ACTION_ESP,
	CONTEXT_DESTROY_FLOW_ACTION,
	CONTEXT_CREATE_FLOW_ACTION_ESP,
	CONTEXT_MODIFY_QP_RATE_LIMIT,
	CONTEXT_ALLOC_PARENT_DOMAIN,
	CONTEXT_DEALLOC_TD,
	CONTEXT_ALLOC_TD,
	CONTEXT_MODIFY_CQ,
	CONTEXT_POST_SRQ_OPS,
	CONTEXT_DESTROY_RWQ_IND_TABLE,
	CONTEXT_CREATE_RWQ_IND_TABLE,
	CONTEXT_DESTROY_WQ,
	CONTEXT_MODIFY_WQ,
	CONTEXT_CREATE_WQ,
	CONTEXT_QUERY_RT_VALUES,
	CONTEXT_CREATE_CQ_EX,
	CONTEXT_QUERY_DEVICE_EX,
	CONTEXT_IBV_DESTROY_FLOW,
	CONTEXT_IBV_CREATE_FLOW,
	CONTEXT_OPEN_QP,
	CONTEXT_CREATE_QP_EX,
	CONTEXT_GET_SRQ_NUM,
	CONTEXT_CREATE_SRQ_EX,
	CONTEXT_OPEN_XRCD,
	CONTEXT_CLOSE_XRCD,
	QP_WR_ATOMIC_CMP_SWP = 0,
	QP_WR_ATOMIC_FETCH_ADD,
	QP_WR_BIND_MW,
	QP_WR_LOCAL_INV,
	QP_WR_RDMA_READ,
	QP_WR_RDMA_WRITE,
	QP_WR_RDMA_WRITE_IMM,
	QP_WR_SEND,
	QP_WR_SEND_IMM,
	QP_WR_SEND_INV,
	QP_WR_SEND_TSO,
	QP_WR_SET_UD_ADDR,
	QP_WR_SET_XRC_SRQN,
	QP_WR_SET_INLINE_DATA,
	QP_WR_SET_INLINE_DATA_LIST,
	QP_WR_SET_SGE,
	QP_WR_SET_SGE_LIST,
	QP_WR_START,
	QP_WR_COMPLETE,
	QP_WR_ABORT,
	QP_WR_ATOMIC_WRITE,
	QP_WR_FLUSH,
	CQ_START_POLL = 0,
	CQ_NEXT_POLL,
	CQ_END_POLL,
	CQ_READ_OPCODE,
	CQ_READ_VENDOR_ERR,
	CQ_READ_BYTE_LEN,
	CQ_READ_IMM_DATA,
	CQ_READ_QP_NUM,
	CQ_READ_SRC_QP,
	CQ_READ_WC_FLAGS,
	CQ_READ_SLID,
	CQ_READ_SL,
	CQ_READ_DLID_PATH_BITS,
	CQ_READ_COMPLETION_TS,
	CQ_READ_CVLAN,
	CQ_READ_FLOW_TAG,
	CQ_READ_TM_INFO,
	CQ_READ_COMPLETION_WALLCLOCK_NS,
	WQ_POST_RECV = 0,
};

/* What stood in the place of the pointer before. */
#define NEXT(object, id, type, member) \
	((__typeof__(((type *)0)->member))(void *)hooked_next(object, INDEX_##id))
#define INDEX_context_alloc_mw CONTEXT_ALLOC_MW
#define INDEX_context_bind_mw CONTEXT_BIND_MW
#define INDEX_context_dealloc_mw CONTEXT_DEALLOC_MW
#define INDEX_context_poll_cq CONTEXT_POLL_CQ
#define INDEX_context_req_notify_cq CONTEXT_REQ_NOTIFY_CQ
#define INDEX_context_post_srq_recv CONTEXT_POST_SRQ_RECV
#define INDEX_context_post_send CONTEXT_POST_SEND
#define INDEX_context_post_recv CONTEXT_POST_RECV
#define INDEX_context_query_port CONTEXT_QUERY_PORT
#define INDEX_context_advise_mr CONTEXT_ADVISE_MR
#define INDEX_context_alloc_null_mr CONTEXT_ALLOC_NULL_MR
#define INDEX_context_read_counters CONTEXT_READ_COUNTERS
#define INDEX_context_attach_counters_point_flow CONTEXT_ATTACH_COUNTERS_POINT_FLOW
#define INDEX_context_create_counters CONTEXT_CREATE_COUNTERS
#define INDEX_context_destroy_counters CONTEXT_DESTROY_COUNTERS
#define INDEX_context_reg_dm_mr CONTEXT_REG_DM_MR
#define INDEX_context_alloc_dm CONTEXT_ALLOC_DM
#define INDEX_context_free_dm CONTEXT_FREE_DM
#define INDEX_context_modify_flow_action_esp CONTEXT_MODIFY_FLOW_ACTION_ESP
#define INDEX_context_destroy_flow_action CONTEXT_DESTROY_FLOW_ACTION
#define INDEX_context_create_flow_action_esp CONTEXT_CREATE_FLOW_ACTION_ESP
#define INDEX_context_modify_qp_rate_limit CONTEXT_MODIFY_QP_RATE_LIMIT
#define INDEX_context_alloc_parent_domain CONTEXT_ALLOC_PARENT_DOMAIN
#define INDEX_context_dealloc_td CONTEXT_DEALLOC_TD
#define INDEX_context_alloc_td CONTEXT_ALLOC_TD
#define INDEX_context_modify_cq CONTEXT_MODIFY_CQ
#define INDEX_context_post_srq_ops CONTEXT_POST_SRQ_OPS
#define INDEX_context_destroy_rwq_ind_table CONTEXT_DESTROY_RWQ_IND_TABLE
#define INDEX_context_create_rwq_ind_table CONTEXT_CREATE_RWQ_IND_TABLE
#define INDEX_context_destroy_wq CONTEXT_DESTROY_WQ
#define INDEX_context_modify_wq CONTEXT_MODIFY_WQ
#define INDEX_context_create_wq CONTEXT_CREATE_WQ
#define INDEX_context_query_rt_values CONTEXT_QUERY_RT_VALUES
#define INDEX_context_create_cq_ex CONTEXT_CREATE_CQ_EX
#define INDEX_context_query_device_ex CONTEXT_QUERY_DEVICE_EX
#define INDEX_context_ibv_destroy_flow CONTEXT_IBV_DESTROY_FLOW
#define INDEX_context_ibv_create_flow CONTEXT_IBV_CREATE_FLOW
#define INDEX_context_open_qp CONTEXT_OPEN_QP
#define INDEX_context_create_qp_ex CONTEXT_CREATE_QP_EX
#define INDEX_context_get_srq_num CONTEXT_GET_SRQ_NUM
#define INDEX_context_create_srq_ex CONTEXT_CREATE_SRQ_EX
#define INDEX_context_open_xrcd CONTEXT_OPEN_XRCD
#define INDEX_context_close_xrcd CONTEXT_CLOSE_XRCD
#define INDEX_qp_wr_atomic_cmp_swp QP_WR_ATOMIC_CMP_SWP
#define INDEX_qp_wr_atomic_fetch_add QP_WR_ATOMIC_FETCH_ADD
#define INDEX_qp_wr_bind_mw QP_WR_BIND_MW
#define INDEX_qp_wr_local_inv QP_WR_LOCAL_INV
#define INDEX_qp_wr_rdma_read QP_WR_RDMA_READ
#define INDEX_qp_wr_rdma_write QP_WR_RDMA_WRITE
#define INDEX_qp_wr_rdma_write_imm QP_WR_RDMA_WRITE_IMM
#define INDEX_qp_wr_send QP_WR_SEND
#define INDEX_qp_wr_send_imm QP_WR_SEND_IMM
#define INDEX_qp_wr_send_inv QP_WR_SEND_INV
#define INDEX_qp_wr_send_tso QP_WR_SEND_TSO
#define INDEX_qp_wr_set_ud_addr QP_WR_SET_UD_ADDR
#define INDEX_qp_wr_set_xrc_srqn QP_WR_SET_XRC_SRQN
#define INDEX_qp_wr_set_inline_data QP_WR_SET_INLINE_DATA
#define INDEX_qp_wr_set_inline_data_list QP_WR_SET_INLINE_DATA_LIST
#define INDEX_qp_wr_set_sge QP_WR_SET_SGE
#define INDEX_qp_wr_set_sge_list QP_WR_SET_SGE_LIST
#define INDEX_qp_wr_start QP_WR_START
#define INDEX_qp_wr_complete QP_WR_COMPLETE
#define INDEX_qp_wr_abort QP_WR_ABORT
#define INDEX_qp_wr_atomic_write QP_WR_ATOMIC_WRITE
#define INDEX_qp_wr_flush QP_WR_FLUSH
#define INDEX_cq_start_poll CQ_START_POLL
#define INDEX_cq_next_poll CQ_NEXT_POLL
#define INDEX_cq_end_poll CQ_END_POLL
#define INDEX_cq_read_opcode CQ_READ_OPCODE
#define INDEX_cq_read_vendor_err CQ_READ_VENDOR_ERR
#define INDEX_cq_read_byte_len CQ_READ_BYTE_LEN
#define INDEX_cq_read_imm_data CQ_READ_IMM_DATA
#define INDEX_cq_read_qp_num CQ_READ_QP_NUM
#define INDEX_cq_read_src_qp CQ_READ_SRC_QP
#define INDEX_cq_read_wc_flags CQ_READ_WC_FLAGS
#define INDEX_cq_read_slid CQ_READ_SLID
#define INDEX_cq_read_sl CQ_READ_SL
#define INDEX_cq_read_dlid_path_bits CQ_READ_DLID_PATH_BITS
#define INDEX_cq_read_completion_ts CQ_READ_COMPLETION_TS
#define INDEX_cq_read_cvlan CQ_READ_CVLAN
#define INDEX_cq_read_flow_tag CQ_READ_FLOW_TAG
#define INDEX_cq_read_tm_info CQ_READ_TM_INFO
#define INDEX_cq_read_completion_wallclock_ns CQ_READ_COMPLETION_WALLCLOCK_NS
#define INDEX_wq_post_recv WQ_POST_RECV

static struct ibv_mw *hooked_context_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uint64_t)type };
	struct record_call the_call;
	struct ibv_mw *result;

	record_begin(&the_call, ROW_ibv_alloc_mw, the_args);
	result = NEXT(pd->context, context_alloc_mw, struct ibv_context_ops, alloc_mw)(pd, type);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static int hooked_context_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *mw_bind)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)mw, (uintptr_t)mw_bind };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_bind_mw, the_args);
	result = NEXT(qp->context, context_bind_mw, struct ibv_context_ops, bind_mw)(qp, mw, mw_bind);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_dealloc_mw(struct ibv_mw *mw)
{
	const uint64_t the_args[] = { (uintptr_t)mw };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_dealloc_mw, the_args);
	result = NEXT(mw->context, context_dealloc_mw, struct ibv_context_ops, dealloc_mw)(mw);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	const uint64_t the_args[] = { (uintptr_t)cq, (uint64_t)num_entries, (uintptr_t)wc };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_poll_cq, the_args);
	result = NEXT(cq->context, context_poll_cq, struct ibv_context_ops, poll_cq)(cq, num_entries, wc);
	record_end(&the_call, (uint64_t)result);
	hold_to_look(result, wc);
	return result;
}

static int hooked_context_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	const uint64_t the_args[] = { (uintptr_t)cq, (uint64_t)solicited_only };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_req_notify_cq, the_args);
	result = NEXT(cq->context, context_req_notify_cq, struct ibv_context_ops, req_notify_cq)(cq, solicited_only);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr)
{
	const uint64_t the_args[] = { (uintptr_t)srq, (uintptr_t)recv_wr, (uintptr_t)bad_recv_wr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_post_srq_recv, the_args);
	result = NEXT(srq->context, context_post_srq_recv, struct ibv_context_ops, post_srq_recv)(srq, recv_wr, bad_recv_wr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)wr, (uintptr_t)bad_wr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_post_send, the_args);
	result = NEXT(qp->context, context_post_send, struct ibv_context_ops, post_send)(qp, wr, bad_wr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)wr, (uintptr_t)bad_wr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_post_recv, the_args);
	result = NEXT(qp->context, context_post_recv, struct ibv_context_ops, post_recv)(qp, wr, bad_wr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *port_attr, size_t port_attr_len)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uint64_t)port_num, (uintptr_t)port_attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_query_port, the_args);
	result = NEXT(context, context_query_port, struct verbs_context, query_port)(context, port_num, port_attr, port_attr_len);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_advise_mr(struct ibv_pd *pd, enum ib_uverbs_advise_mr_advice advice, uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sges)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uint64_t)advice, (uint64_t)flags, (uintptr_t)sg_list, (uint64_t)num_sges };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_advise_mr, the_args);
	result = NEXT(pd->context, context_advise_mr, struct verbs_context, advise_mr)(pd, advice, flags, sg_list, num_sges);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static struct ibv_mr *hooked_context_alloc_null_mr(struct ibv_pd *pd)
{
	const uint64_t the_args[] = { (uintptr_t)pd };
	struct record_call the_call;
	struct ibv_mr *result;

	record_begin(&the_call, ROW_ibv_alloc_null_mr, the_args);
	result = NEXT(pd->context, context_alloc_null_mr, struct verbs_context, alloc_null_mr)(pd);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static int hooked_context_read_counters(struct ibv_counters *counters, uint64_t *counters_value, uint32_t ncounters, uint32_t flags)
{
	const uint64_t the_args[] = { (uintptr_t)counters, (uintptr_t)counters_value, (uint64_t)ncounters, (uint64_t)flags };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_read_counters, the_args);
	result = NEXT(counters->context, context_read_counters, struct verbs_context, read_counters)(counters, counters_value, ncounters, flags);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_attach_counters_point_flow(struct ibv_counters *counters, struct ibv_counter_attach_attr *attr, struct ibv_flow *flow)
{
	const uint64_t the_args[] = { (uintptr_t)counters, (uintptr_t)attr, (uintptr_t)flow };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_attach_counters_point_flow, the_args);
	result = NEXT(counters->context, context_attach_counters_point_flow, struct verbs_context, attach_counters_point_flow)(counters, attr, flow);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static struct ibv_counters *hooked_context_create_counters(struct ibv_context *context, struct ibv_counters_init_attr *init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)init_attr };
	struct record_call the_call;
	struct ibv_counters *result;

	record_begin(&the_call, ROW_ibv_create_counters, the_args);
	result = NEXT(context, context_create_counters, struct verbs_context, create_counters)(context, init_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static int hooked_context_destroy_counters(struct ibv_counters *counters)
{
	const uint64_t the_args[] = { (uintptr_t)counters };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_destroy_counters, the_args);
	result = NEXT(counters->context, context_destroy_counters, struct verbs_context, destroy_counters)(counters);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static struct ibv_mr *hooked_context_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t dm_offset, size_t length, unsigned int access)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uintptr_t)dm, (uint64_t)dm_offset, (uint64_t)length, (uint64_t)access };
	struct record_call the_call;
	struct ibv_mr *result;

	record_begin(&the_call, ROW_ibv_reg_dm_mr, the_args);
	result = NEXT(pd->context, context_reg_dm_mr, struct verbs_context, reg_dm_mr)(pd, dm, dm_offset, length, access);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static struct ibv_dm *hooked_context_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)attr };
	struct record_call the_call;
	struct ibv_dm *result;

	record_begin(&the_call, ROW_ibv_alloc_dm, the_args);
	result = NEXT(context, context_alloc_dm, struct verbs_context, alloc_dm)(context, attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static int hooked_context_free_dm(struct ibv_dm *dm)
{
	const uint64_t the_args[] = { (uintptr_t)dm };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_free_dm, the_args);
	result = NEXT(dm->context, context_free_dm, struct verbs_context, free_dm)(dm);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_modify_flow_action_esp(struct ibv_flow_action *action, struct ibv_flow_action_esp_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)action, (uintptr_t)attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_modify_flow_action_esp, the_args);
	result = NEXT(action->context, context_modify_flow_action_esp, struct verbs_context, modify_flow_action_esp)(action, attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_destroy_flow_action(struct ibv_flow_action *action)
{
	const uint64_t the_args[] = { (uintptr_t)action };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_destroy_flow_action, the_args);
	result = NEXT(action->context, context_destroy_flow_action, struct verbs_context, destroy_flow_action)(action);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static struct ibv_flow_action *hooked_context_create_flow_action_esp(struct ibv_context *context, struct ibv_flow_action_esp_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)attr };
	struct record_call the_call;
	struct ibv_flow_action *result;

	record_begin(&the_call, ROW_ibv_create_flow_action_esp, the_args);
	result = NEXT(context, context_create_flow_action_esp, struct verbs_context, create_flow_action_esp)(context, attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static int hooked_context_modify_qp_rate_limit(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_modify_qp_rate_limit, the_args);
	result = NEXT(qp->context, context_modify_qp_rate_limit, struct verbs_context, modify_qp_rate_limit)(qp, attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static struct ibv_pd *hooked_context_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)attr };
	struct record_call the_call;
	struct ibv_pd *result;

	record_begin(&the_call, ROW_ibv_alloc_parent_domain, the_args);
	result = NEXT(context, context_alloc_parent_domain, struct verbs_context, alloc_parent_domain)(context, attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static int hooked_context_dealloc_td(struct ibv_td *td)
{
	const uint64_t the_args[] = { (uintptr_t)td };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_dealloc_td, the_args);
	result = NEXT(td->context, context_dealloc_td, struct verbs_context, dealloc_td)(td);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static struct ibv_td *hooked_context_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)init_attr };
	struct record_call the_call;
	struct ibv_td *result;

	record_begin(&the_call, ROW_ibv_alloc_td, the_args);
	result = NEXT(context, context_alloc_td, struct verbs_context, alloc_td)(context, init_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static int hooked_context_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)cq, (uintptr_t)attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_modify_cq, the_args);
	result = NEXT(cq->context, context_modify_cq, struct verbs_context, modify_cq)(cq, attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *op, struct ibv_ops_wr **bad_op)
{
	const uint64_t the_args[] = { (uintptr_t)srq, (uintptr_t)op, (uintptr_t)bad_op };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_post_srq_ops, the_args);
	result = NEXT(srq->context, context_post_srq_ops, struct verbs_context, post_srq_ops)(srq, op, bad_op);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_destroy_rwq_ind_table(struct ibv_rwq_ind_table *rwq_ind_table)
{
	const uint64_t the_args[] = { (uintptr_t)rwq_ind_table };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_destroy_rwq_ind_table, the_args);
	result = NEXT(rwq_ind_table->context, context_destroy_rwq_ind_table, struct verbs_context, destroy_rwq_ind_table)(rwq_ind_table);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static struct ibv_rwq_ind_table *hooked_context_create_rwq_ind_table(struct ibv_context *context, struct ibv_rwq_ind_table_init_attr *init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)init_attr };
	struct record_call the_call;
	struct ibv_rwq_ind_table *result;

	record_begin(&the_call, ROW_ibv_create_rwq_ind_table, the_args);
	result = NEXT(context, context_create_rwq_ind_table, struct verbs_context, create_rwq_ind_table)(context, init_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static int hooked_context_destroy_wq(struct ibv_wq *wq)
{
	const uint64_t the_args[] = { (uintptr_t)wq };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_destroy_wq, the_args);
	result = NEXT(wq->context, context_destroy_wq, struct verbs_context, destroy_wq)(wq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *wq_attr)
{
	const uint64_t the_args[] = { (uintptr_t)wq, (uintptr_t)wq_attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_modify_wq, the_args);
	result = NEXT(wq->context, context_modify_wq, struct verbs_context, modify_wq)(wq, wq_attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static struct ibv_wq *hooked_context_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *wq_init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)wq_init_attr };
	struct record_call the_call;
	struct ibv_wq *result;

	record_begin(&the_call, ROW_ibv_create_wq, the_args);
	result = NEXT(context, context_create_wq, struct verbs_context, create_wq)(context, wq_init_attr);
	hook_wq(result);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static int hooked_context_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)values };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_query_rt_values_ex, the_args);
	result = NEXT(context, context_query_rt_values, struct verbs_context, query_rt_values)(context, values);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static struct ibv_cq_ex *hooked_context_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)init_attr };
	struct record_call the_call;
	struct ibv_cq_ex *result;

	record_begin(&the_call, ROW_ibv_create_cq_ex, the_args);
	result = NEXT(context, context_create_cq_ex, struct verbs_context, create_cq_ex)(context, init_attr);
	hook_cq(result);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static int hooked_context_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr, size_t attr_size)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)input, (uintptr_t)attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_query_device_ex, the_args);
	result = NEXT(context, context_query_device_ex, struct verbs_context, query_device_ex)(context, input, attr, attr_size);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_context_ibv_destroy_flow(struct ibv_flow *flow)
{
	const uint64_t the_args[] = { (uintptr_t)flow };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_destroy_flow, the_args);
	result = NEXT(flow->context, context_ibv_destroy_flow, struct verbs_context, ibv_destroy_flow)(flow);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static struct ibv_flow *hooked_context_ibv_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *flow_attr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)flow_attr };
	struct record_call the_call;
	struct ibv_flow *result;

	record_begin(&the_call, ROW_ibv_create_flow, the_args);
	result = NEXT(qp->context, context_ibv_create_flow, struct verbs_context, ibv_create_flow)(qp, flow_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static struct ibv_qp *hooked_context_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)attr };
	struct record_call the_call;
	struct ibv_qp *result;

	record_begin(&the_call, ROW_ibv_open_qp, the_args);
	result = NEXT(context, context_open_qp, struct verbs_context, open_qp)(context, attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static struct ibv_qp *hooked_context_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *qp_init_attr_ex)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)qp_init_attr_ex };
	struct record_call the_call;
	struct ibv_qp *result;

	record_begin(&the_call, ROW_ibv_create_qp_ex, the_args);
	result = NEXT(context, context_create_qp_ex, struct verbs_context, create_qp_ex)(context, qp_init_attr_ex);
	hook_qp(result, qp_init_attr_ex);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static int hooked_context_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)
{
	const uint64_t the_args[] = { (uintptr_t)srq, (uintptr_t)srq_num };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_get_srq_num, the_args);
	result = NEXT(srq->context, context_get_srq_num, struct verbs_context, get_srq_num)(srq, srq_num);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static struct ibv_srq *hooked_context_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *srq_init_attr_ex)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)srq_init_attr_ex };
	struct record_call the_call;
	struct ibv_srq *result;

	record_begin(&the_call, ROW_ibv_create_srq_ex, the_args);
	result = NEXT(context, context_create_srq_ex, struct verbs_context, create_srq_ex)(context, srq_init_attr_ex);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static struct ibv_xrcd *hooked_context_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *xrcd_init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)xrcd_init_attr };
	struct record_call the_call;
	struct ibv_xrcd *result;

	record_begin(&the_call, ROW_ibv_open_xrcd, the_args);
	result = NEXT(context, context_open_xrcd, struct verbs_context, open_xrcd)(context, xrcd_init_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

static int hooked_context_close_xrcd(struct ibv_xrcd *xrcd)
{
	const uint64_t the_args[] = { (uintptr_t)xrcd };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_close_xrcd, the_args);
	result = NEXT(xrcd->context, context_close_xrcd, struct verbs_context, close_xrcd)(xrcd);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static void hooked_qp_wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t compare, uint64_t swap)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr, (uint64_t)compare, (uint64_t)swap };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_atomic_cmp_swp, the_args);
	NEXT(qp, qp_wr_atomic_cmp_swp, struct ibv_qp_ex, wr_atomic_cmp_swp)(qp, rkey, remote_addr, compare, swap);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t add)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr, (uint64_t)add };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_atomic_fetch_add, the_args);
	NEXT(qp, qp_wr_atomic_fetch_add, struct ibv_qp_ex, wr_atomic_fetch_add)(qp, rkey, remote_addr, add);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_bind_mw(struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *bind_info)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)mw, (uint64_t)rkey, (uintptr_t)bind_info };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_bind_mw, the_args);
	NEXT(qp, qp_wr_bind_mw, struct ibv_qp_ex, wr_bind_mw)(qp, mw, rkey, bind_info);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_local_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)invalidate_rkey };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_local_inv, the_args);
	NEXT(qp, qp_wr_local_inv, struct ibv_qp_ex, wr_local_inv)(qp, invalidate_rkey);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_rdma_read(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_rdma_read, the_args);
	NEXT(qp, qp_wr_rdma_read, struct ibv_qp_ex, wr_rdma_read)(qp, rkey, remote_addr);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_rdma_write, the_args);
	NEXT(qp, qp_wr_rdma_write, struct ibv_qp_ex, wr_rdma_write)(qp, rkey, remote_addr);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, __be32 imm_data)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr, (uint64_t)imm_data };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_rdma_write_imm, the_args);
	NEXT(qp, qp_wr_rdma_write_imm, struct ibv_qp_ex, wr_rdma_write_imm)(qp, rkey, remote_addr, imm_data);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_send(struct ibv_qp_ex *qp)
{
	const uint64_t the_args[] = { (uintptr_t)qp };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_send, the_args);
	NEXT(qp, qp_wr_send, struct ibv_qp_ex, wr_send)(qp);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_send_imm(struct ibv_qp_ex *qp, __be32 imm_data)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)imm_data };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_send_imm, the_args);
	NEXT(qp, qp_wr_send_imm, struct ibv_qp_ex, wr_send_imm)(qp, imm_data);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_send_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)invalidate_rkey };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_send_inv, the_args);
	NEXT(qp, qp_wr_send_inv, struct ibv_qp_ex, wr_send_inv)(qp, invalidate_rkey);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_send_tso(struct ibv_qp_ex *qp, void *hdr, uint16_t hdr_sz, uint16_t mss)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)hdr, (uint64_t)hdr_sz, (uint64_t)mss };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_send_tso, the_args);
	NEXT(qp, qp_wr_send_tso, struct ibv_qp_ex, wr_send_tso)(qp, hdr, hdr_sz, mss);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_set_ud_addr(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t remote_qpn, uint32_t remote_qkey)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)ah, (uint64_t)remote_qpn, (uint64_t)remote_qkey };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_set_ud_addr, the_args);
	NEXT(qp, qp_wr_set_ud_addr, struct ibv_qp_ex, wr_set_ud_addr)(qp, ah, remote_qpn, remote_qkey);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_set_xrc_srqn(struct ibv_qp_ex *qp, uint32_t remote_srqn)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)remote_srqn };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_set_xrc_srqn, the_args);
	NEXT(qp, qp_wr_set_xrc_srqn, struct ibv_qp_ex, wr_set_xrc_srqn)(qp, remote_srqn);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)addr, (uint64_t)length };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_set_inline_data, the_args);
	NEXT(qp, qp_wr_set_inline_data, struct ibv_qp_ex, wr_set_inline_data)(qp, addr, length);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t num_buf, const struct ibv_data_buf *buf_list)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)num_buf, (uintptr_t)buf_list };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_set_inline_data_list, the_args);
	NEXT(qp, qp_wr_set_inline_data_list, struct ibv_qp_ex, wr_set_inline_data_list)(qp, num_buf, buf_list);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)lkey, (uint64_t)addr, (uint64_t)length };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_set_sge, the_args);
	NEXT(qp, qp_wr_set_sge, struct ibv_qp_ex, wr_set_sge)(qp, lkey, addr, length);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_set_sge_list(struct ibv_qp_ex *qp, size_t num_sge, const struct ibv_sge *sg_list)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)num_sge, (uintptr_t)sg_list };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_set_sge_list, the_args);
	NEXT(qp, qp_wr_set_sge_list, struct ibv_qp_ex, wr_set_sge_list)(qp, num_sge, sg_list);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_start(struct ibv_qp_ex *qp)
{
	const uint64_t the_args[] = { (uintptr_t)qp };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_start, the_args);
	NEXT(qp, qp_wr_start, struct ibv_qp_ex, wr_start)(qp);
	record_end(&the_call, 0);
}

static int hooked_qp_wr_complete(struct ibv_qp_ex *qp)
{
	const uint64_t the_args[] = { (uintptr_t)qp };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_wr_complete, the_args);
	result = NEXT(qp, qp_wr_complete, struct ibv_qp_ex, wr_complete)(qp);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static void hooked_qp_wr_abort(struct ibv_qp_ex *qp)
{
	const uint64_t the_args[] = { (uintptr_t)qp };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_abort, the_args);
	NEXT(qp, qp_wr_abort, struct ibv_qp_ex, wr_abort)(qp);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_atomic_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, const void *atomic_wr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr, (uintptr_t)atomic_wr };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_atomic_write, the_args);
	NEXT(qp, qp_wr_atomic_write, struct ibv_qp_ex, wr_atomic_write)(qp, rkey, remote_addr, atomic_wr);
	record_end(&the_call, 0);
}

static void hooked_qp_wr_flush(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, size_t len, uint8_t type, uint8_t level)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr, (uint64_t)len, (uint64_t)type, (uint64_t)level };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_flush, the_args);
	NEXT(qp, qp_wr_flush, struct qp_ex_with_flush, wr_flush)(qp, rkey, remote_addr, len, type, level);
	record_end(&the_call, 0);
}

static int hooked_cq_start_poll(struct ibv_cq_ex *object, struct ibv_poll_cq_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)object, (uintptr_t)attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_start_poll, the_args);
	result = NEXT(object, cq_start_poll, struct ibv_cq_ex, start_poll)(object, attr);
	record_end(&the_call, (uint64_t)result);
	hold_to_look_ex(result, object);
	return result;
}

static int hooked_cq_next_poll(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_next_poll, the_args);
	result = NEXT(object, cq_next_poll, struct ibv_cq_ex, next_poll)(object);
	record_end(&the_call, (uint64_t)result);
	hold_to_look_ex(result, object);
	return result;
}

static void hooked_cq_end_poll(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_end_poll, the_args);
	NEXT(object, cq_end_poll, struct ibv_cq_ex, end_poll)(object);
	record_end(&the_call, 0);
}

static enum ibv_wc_opcode hooked_cq_read_opcode(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	enum ibv_wc_opcode result;

	record_begin(&the_call, ROW_ibv_wc_read_opcode, the_args);
	result = NEXT(object, cq_read_opcode, struct ibv_cq_ex, read_opcode)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static unsigned int hooked_cq_read_vendor_err(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned int result;

	record_begin(&the_call, ROW_ibv_wc_read_vendor_err, the_args);
	result = NEXT(object, cq_read_vendor_err, struct ibv_cq_ex, read_vendor_err)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static unsigned int hooked_cq_read_byte_len(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned int result;

	record_begin(&the_call, ROW_ibv_wc_read_byte_len, the_args);
	result = NEXT(object, cq_read_byte_len, struct ibv_cq_ex, read_byte_len)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static unsigned int hooked_cq_read_imm_data(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned int result;

	record_begin(&the_call, ROW_ibv_wc_read_imm_data, the_args);
	result = NEXT(object, cq_read_imm_data, struct ibv_cq_ex, read_imm_data)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static unsigned int hooked_cq_read_qp_num(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned int result;

	record_begin(&the_call, ROW_ibv_wc_read_qp_num, the_args);
	result = NEXT(object, cq_read_qp_num, struct ibv_cq_ex, read_qp_num)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static unsigned int hooked_cq_read_src_qp(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned int result;

	record_begin(&the_call, ROW_ibv_wc_read_src_qp, the_args);
	result = NEXT(object, cq_read_src_qp, struct ibv_cq_ex, read_src_qp)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static unsigned int hooked_cq_read_wc_flags(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned int result;

	record_begin(&the_call, ROW_ibv_wc_read_wc_flags, the_args);
	result = NEXT(object, cq_read_wc_flags, struct ibv_cq_ex, read_wc_flags)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static unsigned int hooked_cq_read_slid(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned int result;

	record_begin(&the_call, ROW_ibv_wc_read_slid, the_args);
	result = NEXT(object, cq_read_slid, struct ibv_cq_ex, read_slid)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static unsigned char hooked_cq_read_sl(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned char result;

	record_begin(&the_call, ROW_ibv_wc_read_sl, the_args);
	result = NEXT(object, cq_read_sl, struct ibv_cq_ex, read_sl)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static unsigned char hooked_cq_read_dlid_path_bits(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned char result;

	record_begin(&the_call, ROW_ibv_wc_read_dlid_path_bits, the_args);
	result = NEXT(object, cq_read_dlid_path_bits, struct ibv_cq_ex, read_dlid_path_bits)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static unsigned long hooked_cq_read_completion_ts(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned long result;

	record_begin(&the_call, ROW_ibv_wc_read_completion_ts, the_args);
	result = NEXT(object, cq_read_completion_ts, struct ibv_cq_ex, read_completion_ts)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static unsigned short hooked_cq_read_cvlan(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned short result;

	record_begin(&the_call, ROW_ibv_wc_read_cvlan, the_args);
	result = NEXT(object, cq_read_cvlan, struct ibv_cq_ex, read_cvlan)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static unsigned int hooked_cq_read_flow_tag(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned int result;

	record_begin(&the_call, ROW_ibv_wc_read_flow_tag, the_args);
	result = NEXT(object, cq_read_flow_tag, struct ibv_cq_ex, read_flow_tag)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static void hooked_cq_read_tm_info(struct ibv_cq_ex *object, struct ibv_wc_tm_info *tm_info)
{
	const uint64_t the_args[] = { (uintptr_t)object, (uintptr_t)tm_info };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wc_read_tm_info, the_args);
	NEXT(object, cq_read_tm_info, struct ibv_cq_ex, read_tm_info)(object, tm_info);
	record_end(&the_call, 0);
}

static unsigned long hooked_cq_read_completion_wallclock_ns(struct ibv_cq_ex *object)
{
	const uint64_t the_args[] = { (uintptr_t)object };
	struct record_call the_call;
	unsigned long result;

	record_begin(&the_call, ROW_ibv_wc_read_completion_wallclock_ns, the_args);
	result = NEXT(object, cq_read_completion_wallclock_ns, struct ibv_cq_ex, read_completion_wallclock_ns)(object);
	record_end(&the_call, (uint64_t)result);
	return result;
}

static int hooked_wq_post_recv(struct ibv_wq *object, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr)
{
	const uint64_t the_args[] = { (uintptr_t)object, (uintptr_t)recv_wr, (uintptr_t)bad_recv_wr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_post_wq_recv, the_args);
	result = NEXT(object, wq_post_recv, struct ibv_wq, post_recv)(object, recv_wr, bad_recv_wr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

const struct hook hooks_of_context[] = {
	{ (ptrdiff_t)(offsetof(struct ibv_context, ops.alloc_mw)), 0, (hook_fn *)(void *)hooked_context_alloc_mw },
	{ (ptrdiff_t)(offsetof(struct ibv_context, ops.bind_mw)), 0, (hook_fn *)(void *)hooked_context_bind_mw },
	{ (ptrdiff_t)(offsetof(struct ibv_context, ops.dealloc_mw)), 0, (hook_fn *)(void *)hooked_context_dealloc_mw },
	{ (ptrdiff_t)(offsetof(struct ibv_context, ops.poll_cq)), 0, (hook_fn *)(void *)hooked_context_poll_cq },
	{ (ptrdiff_t)(offsetof(struct ibv_context, ops.req_notify_cq)), 0, (hook_fn *)(void *)hooked_context_req_notify_cq },
	{ (ptrdiff_t)(offsetof(struct ibv_context, ops.post_srq_recv)), 0, (hook_fn *)(void *)hooked_context_post_srq_recv },
	{ (ptrdiff_t)(offsetof(struct ibv_context, ops.post_send)), 0, (hook_fn *)(void *)hooked_context_post_send },
	{ (ptrdiff_t)(offsetof(struct ibv_context, ops.post_recv)), 0, (hook_fn *)(void *)hooked_context_post_recv },
	{ (ptrdiff_t)(offsetof(struct verbs_context, query_port) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_query_port },
	{ (ptrdiff_t)(offsetof(struct verbs_context, advise_mr) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_advise_mr },
	{ (ptrdiff_t)(offsetof(struct verbs_context, alloc_null_mr) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_alloc_null_mr },
	{ (ptrdiff_t)(offsetof(struct verbs_context, read_counters) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_read_counters },
	{ (ptrdiff_t)(offsetof(struct verbs_context, attach_counters_point_flow) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_attach_counters_point_flow },
	{ (ptrdiff_t)(offsetof(struct verbs_context, create_counters) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_create_counters },
	{ (ptrdiff_t)(offsetof(struct verbs_context, destroy_counters) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_destroy_counters },
	{ (ptrdiff_t)(offsetof(struct verbs_context, reg_dm_mr) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_reg_dm_mr },
	{ (ptrdiff_t)(offsetof(struct verbs_context, alloc_dm) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_alloc_dm },
	{ (ptrdiff_t)(offsetof(struct verbs_context, free_dm) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_free_dm },
	{ (ptrdiff_t)(offsetof(struct verbs_context, modify_flow_action_esp) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_modify_flow_action_esp },
	{ (ptrdiff_t)(offsetof(struct verbs_context, destroy_flow_action) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_destroy_flow_action },
	{ (ptrdiff_t)(offsetof(struct verbs_context, create_flow_action_esp) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_create_flow_action_esp },
	{ (ptrdiff_t)(offsetof(struct verbs_context, modify_qp_rate_limit) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_modify_qp_rate_limit },
	{ (ptrdiff_t)(offsetof(struct verbs_context, alloc_parent_domain) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_alloc_parent_domain },
	{ (ptrdiff_t)(offsetof(struct verbs_context, dealloc_td) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_dealloc_td },
	{ (ptrdiff_t)(offsetof(struct verbs_context, alloc_td) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_alloc_td },
	{ (ptrdiff_t)(offsetof(struct verbs_context, modify_cq) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_modify_cq },
	{ (ptrdiff_t)(offsetof(struct verbs_context, post_srq_ops) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_post_srq_ops },
	{ (ptrdiff_t)(offsetof(struct verbs_context, destroy_rwq_ind_table) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_destroy_rwq_ind_table },
	{ (ptrdiff_t)(offsetof(struct verbs_context, create_rwq_ind_table) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_create_rwq_ind_table },
	{ (ptrdiff_t)(offsetof(struct verbs_context, destroy_wq) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_destroy_wq },
	{ (ptrdiff_t)(offsetof(struct verbs_context, modify_wq) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_modify_wq },
	{ (ptrdiff_t)(offsetof(struct verbs_context, create_wq) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_create_wq },
	{ (ptrdiff_t)(offsetof(struct verbs_context, query_rt_values) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_query_rt_values },
	{ (ptrdiff_t)(offsetof(struct verbs_context, create_cq_ex) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_create_cq_ex },
	{ (ptrdiff_t)(offsetof(struct verbs_context, query_device_ex) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_query_device_ex },
	{ (ptrdiff_t)(offsetof(struct verbs_context, ibv_destroy_flow) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_ibv_destroy_flow },
	{ (ptrdiff_t)(offsetof(struct verbs_context, ibv_create_flow) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_ibv_create_flow },
	{ (ptrdiff_t)(offsetof(struct verbs_context, open_qp) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_open_qp },
	{ (ptrdiff_t)(offsetof(struct verbs_context, create_qp_ex) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_create_qp_ex },
	{ (ptrdiff_t)(offsetof(struct verbs_context, get_srq_num) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_get_srq_num },
	{ (ptrdiff_t)(offsetof(struct verbs_context, create_srq_ex) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_create_srq_ex },
	{ (ptrdiff_t)(offsetof(struct verbs_context, open_xrcd) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_open_xrcd },
	{ (ptrdiff_t)(offsetof(struct verbs_context, close_xrcd) - offsetof(struct verbs_context, context)), 0, (hook_fn *)(void *)hooked_context_close_xrcd },
	{ 0 }
};

const struct hook hooks_of_qp[] = {
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_atomic_cmp_swp)), IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, (hook_fn *)(void *)hooked_qp_wr_atomic_cmp_swp },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_atomic_fetch_add)), IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, (hook_fn *)(void *)hooked_qp_wr_atomic_fetch_add },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_bind_mw)), IBV_QP_EX_WITH_BIND_MW, (hook_fn *)(void *)hooked_qp_wr_bind_mw },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_local_inv)), IBV_QP_EX_WITH_LOCAL_INV, (hook_fn *)(void *)hooked_qp_wr_local_inv },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_rdma_read)), IBV_QP_EX_WITH_RDMA_READ, (hook_fn *)(void *)hooked_qp_wr_rdma_read },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_rdma_write)), IBV_QP_EX_WITH_RDMA_WRITE, (hook_fn *)(void *)hooked_qp_wr_rdma_write },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_rdma_write_imm)), IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, (hook_fn *)(void *)hooked_qp_wr_rdma_write_imm },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_send)), IBV_QP_EX_WITH_SEND, (hook_fn *)(void *)hooked_qp_wr_send },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_send_imm)), IBV_QP_EX_WITH_SEND_WITH_IMM, (hook_fn *)(void *)hooked_qp_wr_send_imm },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_send_inv)), IBV_QP_EX_WITH_SEND_WITH_INV, (hook_fn *)(void *)hooked_qp_wr_send_inv },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_send_tso)), IBV_QP_EX_WITH_TSO, (hook_fn *)(void *)hooked_qp_wr_send_tso },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_set_ud_addr)), 0, (hook_fn *)(void *)hooked_qp_wr_set_ud_addr },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_set_xrc_srqn)), 0, (hook_fn *)(void *)hooked_qp_wr_set_xrc_srqn },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_set_inline_data)), 0, (hook_fn *)(void *)hooked_qp_wr_set_inline_data },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_set_inline_data_list)), 0, (hook_fn *)(void *)hooked_qp_wr_set_inline_data_list },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_set_sge)), 0, (hook_fn *)(void *)hooked_qp_wr_set_sge },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_set_sge_list)), 0, (hook_fn *)(void *)hooked_qp_wr_set_sge_list },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_start)), 0, (hook_fn *)(void *)hooked_qp_wr_start },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_complete)), 0, (hook_fn *)(void *)hooked_qp_wr_complete },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_abort)), 0, (hook_fn *)(void *)hooked_qp_wr_abort },
	{ (ptrdiff_t)(offsetof(struct ibv_qp_ex, wr_atomic_write)), IBV_QP_EX_WITH_ATOMIC_WRITE, (hook_fn *)(void *)hooked_qp_wr_atomic_write },
	{ (ptrdiff_t)(WR_FLUSH_AT), 1 << 11 /* IBV_QP_EX_WITH_FLUSH */, (hook_fn *)(void *)hooked_qp_wr_flush },
	{ 0 }
};

const struct hook hooks_of_cq[] = {
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, start_poll)), 0, (hook_fn *)(void *)hooked_cq_start_poll },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, next_poll)), 0, (hook_fn *)(void *)hooked_cq_next_poll },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, end_poll)), 0, (hook_fn *)(void *)hooked_cq_end_poll },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_opcode)), 0, (hook_fn *)(void *)hooked_cq_read_opcode },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_vendor_err)), 0, (hook_fn *)(void *)hooked_cq_read_vendor_err },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_byte_len)), 0, (hook_fn *)(void *)hooked_cq_read_byte_len },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_imm_data)), 0, (hook_fn *)(void *)hooked_cq_read_imm_data },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_qp_num)), 0, (hook_fn *)(void *)hooked_cq_read_qp_num },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_src_qp)), 0, (hook_fn *)(void *)hooked_cq_read_src_qp },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_wc_flags)), 0, (hook_fn *)(void *)hooked_cq_read_wc_flags },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_slid)), 0, (hook_fn *)(void *)hooked_cq_read_slid },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_sl)), 0, (hook_fn *)(void *)hooked_cq_read_sl },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_dlid_path_bits)), 0, (hook_fn *)(void *)hooked_cq_read_dlid_path_bits },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_completion_ts)), 0, (hook_fn *)(void *)hooked_cq_read_completion_ts },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_cvlan)), 0, (hook_fn *)(void *)hooked_cq_read_cvlan },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_flow_tag)), 0, (hook_fn *)(void *)hooked_cq_read_flow_tag },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_tm_info)), 0, (hook_fn *)(void *)hooked_cq_read_tm_info },
	{ (ptrdiff_t)(offsetof(struct ibv_cq_ex, read_completion_wallclock_ns)), 0, (hook_fn *)(void *)hooked_cq_read_completion_wallclock_ns },
	{ 0 }
};

const struct hook hooks_of_wq[] = {
	{ (ptrdiff_t)(offsetof(struct ibv_wq, post_recv)), 0, (hook_fn *)(void *)hooked_wq_post_recv },
	{ 0 }
};

