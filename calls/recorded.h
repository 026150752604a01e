/* SPDX-License-Identifier: MIT */
/* Written by wrappers.py from the headers of rdma-core; not to be edited. */
/* clang-format off */
/*
 * The functions that the headers define inline, once more, so that their calls are
 * recorded. All other functions are recorded under their own names, by wrappers.c.
 */
#ifndef CALLS_RECORDED_H
#define CALLS_RECORDED_H

#include "newer.h"

/* The numbers of the rows of call_table. */
enum call_row {
	ROW_ibv_ack_async_event,
	ROW_ibv_ack_cq_events,
	ROW_ibv_advise_mr,
	ROW_ibv_alloc_dm,
	ROW_ibv_alloc_mw,
	ROW_ibv_alloc_null_mr,
	ROW_ibv_alloc_parent_domain,
	ROW_ibv_alloc_pd,
	ROW_ibv_alloc_td,
	ROW_ibv_attach_counters_point_flow,
	ROW_ibv_attach_mcast,
	ROW_ibv_bind_mw,
	ROW_ibv_close_device,
	ROW_ibv_close_xrcd,
	ROW_ibv_cq_ex_to_cq,
	ROW_ibv_create_ah,
	ROW_ibv_create_ah_from_wc,
	ROW_ibv_create_comp_channel,
	ROW_ibv_create_counters,
	ROW_ibv_create_cq,
	ROW_ibv_create_cq_ex,
	ROW_ibv_create_flow,
	ROW_ibv_create_flow_action_esp,
	ROW_ibv_create_qp,
	ROW_ibv_create_qp_ex,
	ROW_ibv_create_rwq_ind_table,
	ROW_ibv_create_srq,
	ROW_ibv_create_srq_ex,
	ROW_ibv_create_wq,
	ROW_ibv_dealloc_mw,
	ROW_ibv_dealloc_pd,
	ROW_ibv_dealloc_td,
	ROW_ibv_dereg_mr,
	ROW_ibv_destroy_ah,
	ROW_ibv_destroy_comp_channel,
	ROW_ibv_destroy_counters,
	ROW_ibv_destroy_cq,
	ROW_ibv_destroy_flow,
	ROW_ibv_destroy_flow_action,
	ROW_ibv_destroy_qp,
	ROW_ibv_destroy_rwq_ind_table,
	ROW_ibv_destroy_srq,
	ROW_ibv_destroy_wq,
	ROW_ibv_detach_mcast,
	ROW_ibv_end_poll,
	ROW_ibv_event_type_str,
	ROW_ibv_flow_label_to_udp_sport,
	ROW_ibv_fork_init,
	ROW_ibv_free_device_list,
	ROW_ibv_free_dm,
	ROW_ibv_get_async_event,
	ROW_ibv_get_cq_event,
	ROW_ibv_get_device_guid,
	ROW_ibv_get_device_index,
	ROW_ibv_get_device_list,
	ROW_ibv_get_device_name,
	ROW_ibv_get_pkey_index,
	ROW_ibv_get_srq_num,
	ROW_ibv_import_device,
	ROW_ibv_import_dm,
	ROW_ibv_import_mr,
	ROW_ibv_import_pd,
	ROW_ibv_inc_rkey,
	ROW_ibv_init_ah_from_wc,
	ROW_ibv_is_fork_initialized,
	ROW_ibv_is_qpt_supported,
	ROW_ibv_memcpy_from_dm,
	ROW_ibv_memcpy_to_dm,
	ROW_ibv_modify_cq,
	ROW_ibv_modify_flow_action_esp,
	ROW_ibv_modify_qp,
	ROW_ibv_modify_qp_rate_limit,
	ROW_ibv_modify_srq,
	ROW_ibv_modify_wq,
	ROW_ibv_next_poll,
	ROW_ibv_node_type_str,
	ROW_ibv_open_device,
	ROW_ibv_open_qp,
	ROW_ibv_open_xrcd,
	ROW_ibv_poll_cq,
	ROW_ibv_port_state_str,
	ROW_ibv_post_recv,
	ROW_ibv_post_send,
	ROW_ibv_post_srq_ops,
	ROW_ibv_post_srq_recv,
	ROW_ibv_post_wq_recv,
	ROW_ibv_qp_to_qp_ex,
	ROW_ibv_query_device,
	ROW_ibv_query_device_ex,
	ROW_ibv_query_ece,
	ROW_ibv_query_gid,
	ROW_ibv_query_gid_ex,
	ROW_ibv_query_gid_table,
	ROW_ibv_query_pkey,
	ROW_ibv_query_port,
	ROW_ibv_query_qp,
	ROW_ibv_query_qp_data_in_order,
	ROW_ibv_query_rt_values_ex,
	ROW_ibv_query_srq,
	ROW_ibv_rate_to_mbps,
	ROW_ibv_rate_to_mult,
	ROW_ibv_read_counters,
	ROW_ibv_reg_dm_mr,
	ROW_ibv_reg_dmabuf_mr,
	ROW_ibv_reg_mr,
	ROW_ibv_reg_mr_iova,
	ROW_ibv_reg_mr_iova2,
	ROW_ibv_req_notify_cq,
	ROW_ibv_rereg_mr,
	ROW_ibv_resize_cq,
	ROW_ibv_resolve_eth_l2_from_gid,
	ROW_ibv_set_ece,
	ROW_ibv_start_poll,
	ROW_ibv_unimport_dm,
	ROW_ibv_unimport_mr,
	ROW_ibv_unimport_pd,
	ROW_ibv_wc_read_byte_len,
	ROW_ibv_wc_read_completion_ts,
	ROW_ibv_wc_read_completion_wallclock_ns,
	ROW_ibv_wc_read_cvlan,
	ROW_ibv_wc_read_dlid_path_bits,
	ROW_ibv_wc_read_flow_tag,
	ROW_ibv_wc_read_imm_data,
	ROW_ibv_wc_read_invalidated_rkey,
	ROW_ibv_wc_read_opcode,
	ROW_ibv_wc_read_qp_num,
	ROW_ibv_wc_read_sl,
	ROW_ibv_wc_read_slid,
	ROW_ibv_wc_read_src_qp,
	ROW_ibv_wc_read_tm_info,
	ROW_ibv_wc_read_vendor_err,
	ROW_ibv_wc_read_wc_flags,
	ROW_ibv_wc_status_str,
	ROW_ibv_wr_abort,
	ROW_ibv_wr_atomic_cmp_swp,
	ROW_ibv_wr_atomic_fetch_add,
	ROW_ibv_wr_atomic_write,
	ROW_ibv_wr_bind_mw,
	ROW_ibv_wr_complete,
	ROW_ibv_wr_flush,
	ROW_ibv_wr_local_inv,
	ROW_ibv_wr_opcode_str,
	ROW_ibv_wr_rdma_read,
	ROW_ibv_wr_rdma_write,
	ROW_ibv_wr_rdma_write_imm,
	ROW_ibv_wr_send,
	ROW_ibv_wr_send_imm,
	ROW_ibv_wr_send_inv,
	ROW_ibv_wr_send_tso,
	ROW_ibv_wr_set_inline_data,
	ROW_ibv_wr_set_inline_data_list,
	ROW_ibv_wr_set_sge,
	ROW_ibv_wr_set_sge_list,
	ROW_ibv_wr_set_ud_addr,
	ROW_ibv_wr_set_xrc_srqn,
	ROW_ibv_wr_start,
	ROW_mbps_to_ibv_rate,
	ROW_mult_to_ibv_rate,
	ROW_rdma_accept,
	ROW_rdma_ack_cm_event,
	ROW_rdma_bind_addr,
	ROW_rdma_connect,
	ROW_rdma_create_ep,
	ROW_rdma_create_event_channel,
	ROW_rdma_create_id,
	ROW_rdma_create_qp,
	ROW_rdma_create_qp_ex,
	ROW_rdma_create_srq,
	ROW_rdma_create_srq_ex,
	ROW_rdma_dereg_mr,
	ROW_rdma_destroy_ep,
	ROW_rdma_destroy_event_channel,
	ROW_rdma_destroy_id,
	ROW_rdma_destroy_qp,
	ROW_rdma_destroy_srq,
	ROW_rdma_disconnect,
	ROW_rdma_establish,
	ROW_rdma_event_str,
	ROW_rdma_free_devices,
	ROW_rdma_freeaddrinfo,
	ROW_rdma_get_cm_event,
	ROW_rdma_get_devices,
	ROW_rdma_get_dst_port,
	ROW_rdma_get_local_addr,
	ROW_rdma_get_peer_addr,
	ROW_rdma_get_recv_comp,
	ROW_rdma_get_remote_ece,
	ROW_rdma_get_request,
	ROW_rdma_get_send_comp,
	ROW_rdma_get_src_port,
	ROW_rdma_getaddrinfo,
	ROW_rdma_init_qp_attr,
	ROW_rdma_join_multicast,
	ROW_rdma_join_multicast_ex,
	ROW_rdma_leave_multicast,
	ROW_rdma_listen,
	ROW_rdma_migrate_id,
	ROW_rdma_notify,
	ROW_rdma_post_read,
	ROW_rdma_post_readv,
	ROW_rdma_post_recv,
	ROW_rdma_post_recvv,
	ROW_rdma_post_send,
	ROW_rdma_post_sendv,
	ROW_rdma_post_ud_send,
	ROW_rdma_post_write,
	ROW_rdma_post_writev,
	ROW_rdma_reg_msgs,
	ROW_rdma_reg_read,
	ROW_rdma_reg_write,
	ROW_rdma_reject,
	ROW_rdma_reject_ece,
	ROW_rdma_resolve_addr,
	ROW_rdma_resolve_route,
	ROW_rdma_set_local_ece,
	ROW_rdma_set_option,
};

int recorded_ibv_advise_mr(struct ibv_pd *pd, enum ib_uverbs_advise_mr_advice advice, uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge);
struct ibv_dm *recorded_ibv_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr);
struct ibv_mw *recorded_ibv_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
struct ibv_mr *recorded_ibv_alloc_null_mr(struct ibv_pd *pd);
struct ibv_pd *recorded_ibv_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr);
struct ibv_td *recorded_ibv_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *init_attr);
int recorded_ibv_attach_counters_point_flow(struct ibv_counters *counters, struct ibv_counter_attach_attr *attr, struct ibv_flow *flow);
int recorded_ibv_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *mw_bind);
int recorded_ibv_close_xrcd(struct ibv_xrcd *xrcd);
struct ibv_cq *recorded_ibv_cq_ex_to_cq(struct ibv_cq_ex *cq);
struct ibv_counters *recorded_ibv_create_counters(struct ibv_context *context, struct ibv_counters_init_attr *init_attr);
struct ibv_cq_ex *recorded_ibv_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *cq_attr);
struct ibv_flow *recorded_ibv_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *flow);
struct ibv_flow_action *recorded_ibv_create_flow_action_esp(struct ibv_context *ctx, struct ibv_flow_action_esp_attr *esp);
struct ibv_qp *recorded_ibv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *qp_init_attr_ex);
struct ibv_rwq_ind_table *recorded_ibv_create_rwq_ind_table(struct ibv_context *context, struct ibv_rwq_ind_table_init_attr *init_attr);
struct ibv_srq *recorded_ibv_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *srq_init_attr_ex);
struct ibv_wq *recorded_ibv_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *wq_init_attr);
int recorded_ibv_dealloc_mw(struct ibv_mw *mw);
int recorded_ibv_dealloc_td(struct ibv_td *td);
int recorded_ibv_destroy_counters(struct ibv_counters *counters);
int recorded_ibv_destroy_flow(struct ibv_flow *flow_id);
int recorded_ibv_destroy_flow_action(struct ibv_flow_action *action);
int recorded_ibv_destroy_rwq_ind_table(struct ibv_rwq_ind_table *rwq_ind_table);
int recorded_ibv_destroy_wq(struct ibv_wq *wq);
void recorded_ibv_end_poll(struct ibv_cq_ex *cq);
uint16_t recorded_ibv_flow_label_to_udp_sport(uint32_t fl);
int recorded_ibv_free_dm(struct ibv_dm *dm);
int recorded_ibv_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num);
uint32_t recorded_ibv_inc_rkey(uint32_t rkey);
int recorded_ibv_is_qpt_supported(uint32_t caps, enum ibv_qp_type qpt);
int recorded_ibv_memcpy_from_dm(void *host_addr, struct ibv_dm *dm, uint64_t dm_offset, size_t length);
int recorded_ibv_memcpy_to_dm(struct ibv_dm *dm, uint64_t dm_offset, const void *host_addr, size_t length);
int recorded_ibv_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
int recorded_ibv_modify_flow_action_esp(struct ibv_flow_action *action, struct ibv_flow_action_esp_attr *esp);
int recorded_ibv_modify_qp_rate_limit(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr);
int recorded_ibv_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *wq_attr);
int recorded_ibv_next_poll(struct ibv_cq_ex *cq);
struct ibv_qp *recorded_ibv_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *qp_open_attr);
struct ibv_xrcd *recorded_ibv_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *xrcd_init_attr);
int recorded_ibv_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
int recorded_ibv_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
int recorded_ibv_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int recorded_ibv_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *op, struct ibv_ops_wr **bad_op);
int recorded_ibv_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr);
int recorded_ibv_post_wq_recv(struct ibv_wq *wq, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr);
int recorded_ibv_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr);
int recorded_ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index, struct ibv_gid_entry *entry, uint32_t flags);
ssize_t recorded_ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries, uint32_t flags);
int recorded_ibv_query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *port_attr);
int recorded_ibv_query_rt_values_ex(struct ibv_context *context, struct ibv_values_ex *values);
int recorded_ibv_read_counters(struct ibv_counters *counters, uint64_t *counters_value, uint32_t ncounters, uint32_t flags);
struct ibv_mr *recorded_ibv_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t dm_offset, size_t length, unsigned int access);
struct ibv_mr *recorded_ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access);
struct ibv_mr *recorded_ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access);
int recorded_ibv_req_notify_cq(struct ibv_cq *cq, int solicited_only);
int recorded_ibv_start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr);
uint32_t recorded_ibv_wc_read_byte_len(struct ibv_cq_ex *cq);
uint64_t recorded_ibv_wc_read_completion_ts(struct ibv_cq_ex *cq);
uint64_t recorded_ibv_wc_read_completion_wallclock_ns(struct ibv_cq_ex *cq);
uint16_t recorded_ibv_wc_read_cvlan(struct ibv_cq_ex *cq);
uint8_t recorded_ibv_wc_read_dlid_path_bits(struct ibv_cq_ex *cq);
uint32_t recorded_ibv_wc_read_flow_tag(struct ibv_cq_ex *cq);
__be32 recorded_ibv_wc_read_imm_data(struct ibv_cq_ex *cq);
uint32_t recorded_ibv_wc_read_invalidated_rkey(struct ibv_cq_ex *cq);
enum ibv_wc_opcode recorded_ibv_wc_read_opcode(struct ibv_cq_ex *cq);
uint32_t recorded_ibv_wc_read_qp_num(struct ibv_cq_ex *cq);
uint8_t recorded_ibv_wc_read_sl(struct ibv_cq_ex *cq);
uint32_t recorded_ibv_wc_read_slid(struct ibv_cq_ex *cq);
uint32_t recorded_ibv_wc_read_src_qp(struct ibv_cq_ex *cq);
void recorded_ibv_wc_read_tm_info(struct ibv_cq_ex *cq, struct ibv_wc_tm_info *tm_info);
uint32_t recorded_ibv_wc_read_vendor_err(struct ibv_cq_ex *cq);
unsigned int recorded_ibv_wc_read_wc_flags(struct ibv_cq_ex *cq);
void recorded_ibv_wr_abort(struct ibv_qp_ex *qp);
void recorded_ibv_wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t compare, uint64_t swap);
void recorded_ibv_wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t add);
void recorded_ibv_wr_atomic_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, const void *atomic_wr);
void recorded_ibv_wr_bind_mw(struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *bind_info);
int recorded_ibv_wr_complete(struct ibv_qp_ex *qp);
void recorded_ibv_wr_flush(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, size_t len, uint8_t type, uint8_t level);
void recorded_ibv_wr_local_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey);
void recorded_ibv_wr_rdma_read(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr);
void recorded_ibv_wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr);
void recorded_ibv_wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, __be32 imm_data);
void recorded_ibv_wr_send(struct ibv_qp_ex *qp);
void recorded_ibv_wr_send_imm(struct ibv_qp_ex *qp, __be32 imm_data);
void recorded_ibv_wr_send_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey);
void recorded_ibv_wr_send_tso(struct ibv_qp_ex *qp, void *hdr, uint16_t hdr_sz, uint16_t mss);
void recorded_ibv_wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length);
void recorded_ibv_wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t num_buf, const struct ibv_data_buf *buf_list);
void recorded_ibv_wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length);
void recorded_ibv_wr_set_sge_list(struct ibv_qp_ex *qp, size_t num_sge, const struct ibv_sge *sg_list);
void recorded_ibv_wr_set_ud_addr(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t remote_qpn, uint32_t remote_qkey);
void recorded_ibv_wr_set_xrc_srqn(struct ibv_qp_ex *qp, uint32_t remote_srqn);
void recorded_ibv_wr_start(struct ibv_qp_ex *qp);
int recorded_rdma_dereg_mr(struct ibv_mr *mr);
struct sockaddr *recorded_rdma_get_local_addr(struct rdma_cm_id *id);
struct sockaddr *recorded_rdma_get_peer_addr(struct rdma_cm_id *id);
int recorded_rdma_get_recv_comp(struct rdma_cm_id *id, struct ibv_wc *wc);
int recorded_rdma_get_send_comp(struct rdma_cm_id *id, struct ibv_wc *wc);
int recorded_rdma_post_read(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr, int flags, uint64_t remote_addr, uint32_t rkey);
int recorded_rdma_post_readv(struct rdma_cm_id *id, void *context, struct ibv_sge *sgl, int nsge, int flags, uint64_t remote_addr, uint32_t rkey);
int recorded_rdma_post_recv(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr);
int recorded_rdma_post_recvv(struct rdma_cm_id *id, void *context, struct ibv_sge *sgl, int nsge);
int recorded_rdma_post_send(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr, int flags);
int recorded_rdma_post_sendv(struct rdma_cm_id *id, void *context, struct ibv_sge *sgl, int nsge, int flags);
int recorded_rdma_post_ud_send(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr, int flags, struct ibv_ah *ah, uint32_t remote_qpn);
int recorded_rdma_post_write(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr, int flags, uint64_t remote_addr, uint32_t rkey);
int recorded_rdma_post_writev(struct rdma_cm_id *id, void *context, struct ibv_sge *sgl, int nsge, int flags, uint64_t remote_addr, uint32_t rkey);
struct ibv_mr *recorded_rdma_reg_msgs(struct rdma_cm_id *id, void *addr, size_t length);
struct ibv_mr *recorded_rdma_reg_read(struct rdma_cm_id *id, void *addr, size_t length);
struct ibv_mr *recorded_rdma_reg_write(struct rdma_cm_id *id, void *addr, size_t length);

#if CALLS_RDMA_CORE < 56
const char *ibv_wr_opcode_str(enum ibv_wr_opcode opcode);
#endif

#define ibv_advise_mr(...) recorded_ibv_advise_mr(__VA_ARGS__)
#define ibv_alloc_dm(...) recorded_ibv_alloc_dm(__VA_ARGS__)
#define ibv_alloc_mw(...) recorded_ibv_alloc_mw(__VA_ARGS__)
#define ibv_alloc_null_mr(...) recorded_ibv_alloc_null_mr(__VA_ARGS__)
#define ibv_alloc_parent_domain(...) recorded_ibv_alloc_parent_domain(__VA_ARGS__)
#define ibv_alloc_td(...) recorded_ibv_alloc_td(__VA_ARGS__)
#define ibv_attach_counters_point_flow(...) recorded_ibv_attach_counters_point_flow(__VA_ARGS__)
#define ibv_bind_mw(...) recorded_ibv_bind_mw(__VA_ARGS__)
#define ibv_close_xrcd(...) recorded_ibv_close_xrcd(__VA_ARGS__)
#define ibv_cq_ex_to_cq(...) recorded_ibv_cq_ex_to_cq(__VA_ARGS__)
#define ibv_create_counters(...) recorded_ibv_create_counters(__VA_ARGS__)
#define ibv_create_cq_ex(...) recorded_ibv_create_cq_ex(__VA_ARGS__)
#define ibv_create_flow(...) recorded_ibv_create_flow(__VA_ARGS__)
#define ibv_create_flow_action_esp(...) recorded_ibv_create_flow_action_esp(__VA_ARGS__)
#define ibv_create_qp_ex(...) recorded_ibv_create_qp_ex(__VA_ARGS__)
#define ibv_create_rwq_ind_table(...) recorded_ibv_create_rwq_ind_table(__VA_ARGS__)
#define ibv_create_srq_ex(...) recorded_ibv_create_srq_ex(__VA_ARGS__)
#define ibv_create_wq(...) recorded_ibv_create_wq(__VA_ARGS__)
#define ibv_dealloc_mw(...) recorded_ibv_dealloc_mw(__VA_ARGS__)
#define ibv_dealloc_td(...) recorded_ibv_dealloc_td(__VA_ARGS__)
#define ibv_destroy_counters(...) recorded_ibv_destroy_counters(__VA_ARGS__)
#define ibv_destroy_flow(...) recorded_ibv_destroy_flow(__VA_ARGS__)
#define ibv_destroy_flow_action(...) recorded_ibv_destroy_flow_action(__VA_ARGS__)
#define ibv_destroy_rwq_ind_table(...) recorded_ibv_destroy_rwq_ind_table(__VA_ARGS__)
#define ibv_destroy_wq(...) recorded_ibv_destroy_wq(__VA_ARGS__)
#define ibv_end_poll(...) recorded_ibv_end_poll(__VA_ARGS__)
#define ibv_flow_label_to_udp_sport(...) recorded_ibv_flow_label_to_udp_sport(__VA_ARGS__)
#define ibv_free_dm(...) recorded_ibv_free_dm(__VA_ARGS__)
#define ibv_get_srq_num(...) recorded_ibv_get_srq_num(__VA_ARGS__)
#define ibv_inc_rkey(...) recorded_ibv_inc_rkey(__VA_ARGS__)
#define ibv_is_qpt_supported(...) recorded_ibv_is_qpt_supported(__VA_ARGS__)
#define ibv_memcpy_from_dm(...) recorded_ibv_memcpy_from_dm(__VA_ARGS__)
#define ibv_memcpy_to_dm(...) recorded_ibv_memcpy_to_dm(__VA_ARGS__)
#define ibv_modify_cq(...) recorded_ibv_modify_cq(__VA_ARGS__)
#define ibv_modify_flow_action_esp(...) recorded_ibv_modify_flow_action_esp(__VA_ARGS__)
#define ibv_modify_qp_rate_limit(...) recorded_ibv_modify_qp_rate_limit(__VA_ARGS__)
#define ibv_modify_wq(...) recorded_ibv_modify_wq(__VA_ARGS__)
#define ibv_next_poll(...) recorded_ibv_next_poll(__VA_ARGS__)
#define ibv_open_qp(...) recorded_ibv_open_qp(__VA_ARGS__)
#define ibv_open_xrcd(...) recorded_ibv_open_xrcd(__VA_ARGS__)
#define ibv_poll_cq(...) recorded_ibv_poll_cq(__VA_ARGS__)
#define ibv_post_recv(...) recorded_ibv_post_recv(__VA_ARGS__)
#define ibv_post_send(...) recorded_ibv_post_send(__VA_ARGS__)
#define ibv_post_srq_ops(...) recorded_ibv_post_srq_ops(__VA_ARGS__)
#define ibv_post_srq_recv(...) recorded_ibv_post_srq_recv(__VA_ARGS__)
#define ibv_post_wq_recv(...) recorded_ibv_post_wq_recv(__VA_ARGS__)
#define ibv_query_device_ex(...) recorded_ibv_query_device_ex(__VA_ARGS__)
#define ibv_query_gid_ex(...) recorded_ibv_query_gid_ex(__VA_ARGS__)
#define ibv_query_gid_table(...) recorded_ibv_query_gid_table(__VA_ARGS__)
#undef ibv_query_port
#define ibv_query_port(...) recorded_ibv_query_port(__VA_ARGS__)
#define ibv_query_rt_values_ex(...) recorded_ibv_query_rt_values_ex(__VA_ARGS__)
#define ibv_read_counters(...) recorded_ibv_read_counters(__VA_ARGS__)
#define ibv_reg_dm_mr(...) recorded_ibv_reg_dm_mr(__VA_ARGS__)
#undef ibv_reg_mr
#define ibv_reg_mr(...) recorded_ibv_reg_mr(__VA_ARGS__)
#undef ibv_reg_mr_iova
#define ibv_reg_mr_iova(...) recorded_ibv_reg_mr_iova(__VA_ARGS__)
#define ibv_req_notify_cq(...) recorded_ibv_req_notify_cq(__VA_ARGS__)
#define ibv_start_poll(...) recorded_ibv_start_poll(__VA_ARGS__)
#define ibv_wc_read_byte_len(...) recorded_ibv_wc_read_byte_len(__VA_ARGS__)
#define ibv_wc_read_completion_ts(...) recorded_ibv_wc_read_completion_ts(__VA_ARGS__)
#define ibv_wc_read_completion_wallclock_ns(...) recorded_ibv_wc_read_completion_wallclock_ns(__VA_ARGS__)
#define ibv_wc_read_cvlan(...) recorded_ibv_wc_read_cvlan(__VA_ARGS__)
#define ibv_wc_read_dlid_path_bits(...) recorded_ibv_wc_read_dlid_path_bits(__VA_ARGS__)
#define ibv_wc_read_flow_tag(...) recorded_ibv_wc_read_flow_tag(__VA_ARGS__)
#define ibv_wc_read_imm_data(...) recorded_ibv_wc_read_imm_data(__VA_ARGS__)
#define ibv_wc_read_invalidated_rkey(...) recorded_ibv_wc_read_invalidated_rkey(__VA_ARGS__)
#define ibv_wc_read_opcode(...) recorded_ibv_wc_read_opcode(__VA_ARGS__)
#define ibv_wc_read_qp_num(...) recorded_ibv_wc_read_qp_num(__VA_ARGS__)
#define ibv_wc_read_sl(...) recorded_ibv_wc_read_sl(__VA_ARGS__)
#define ibv_wc_read_slid(...) recorded_ibv_wc_read_slid(__VA_ARGS__)
#define ibv_wc_read_src_qp(...) recorded_ibv_wc_read_src_qp(__VA_ARGS__)
#define ibv_wc_read_tm_info(...) recorded_ibv_wc_read_tm_info(__VA_ARGS__)
#define ibv_wc_read_vendor_err(...) recorded_ibv_wc_read_vendor_err(__VA_ARGS__)
#define ibv_wc_read_wc_flags(...) recorded_ibv_wc_read_wc_flags(__VA_ARGS__)
#define ibv_wr_abort(...) recorded_ibv_wr_abort(__VA_ARGS__)
#define ibv_wr_atomic_cmp_swp(...) recorded_ibv_wr_atomic_cmp_swp(__VA_ARGS__)
#define ibv_wr_atomic_fetch_add(...) recorded_ibv_wr_atomic_fetch_add(__VA_ARGS__)
#define ibv_wr_atomic_write(...) recorded_ibv_wr_atomic_write(__VA_ARGS__)
#define ibv_wr_bind_mw(...) recorded_ibv_wr_bind_mw(__VA_ARGS__)
#define ibv_wr_complete(...) recorded_ibv_wr_complete(__VA_ARGS__)
#define ibv_wr_flush(...) recorded_ibv_wr_flush(__VA_ARGS__)
#define ibv_wr_local_inv(...) recorded_ibv_wr_local_inv(__VA_ARGS__)
#define ibv_wr_rdma_read(...) recorded_ibv_wr_rdma_read(__VA_ARGS__)
#define ibv_wr_rdma_write(...) recorded_ibv_wr_rdma_write(__VA_ARGS__)
#define ibv_wr_rdma_write_imm(...) recorded_ibv_wr_rdma_write_imm(__VA_ARGS__)
#define ibv_wr_send(...) recorded_ibv_wr_send(__VA_ARGS__)
#define ibv_wr_send_imm(...) recorded_ibv_wr_send_imm(__VA_ARGS__)
#define ibv_wr_send_inv(...) recorded_ibv_wr_send_inv(__VA_ARGS__)
#define ibv_wr_send_tso(...) recorded_ibv_wr_send_tso(__VA_ARGS__)
#define ibv_wr_set_inline_data(...) recorded_ibv_wr_set_inline_data(__VA_ARGS__)
#define ibv_wr_set_inline_data_list(...) recorded_ibv_wr_set_inline_data_list(__VA_ARGS__)
#define ibv_wr_set_sge(...) recorded_ibv_wr_set_sge(__VA_ARGS__)
#define ibv_wr_set_sge_list(...) recorded_ibv_wr_set_sge_list(__VA_ARGS__)
#define ibv_wr_set_ud_addr(...) recorded_ibv_wr_set_ud_addr(__VA_ARGS__)
#define ibv_wr_set_xrc_srqn(...) recorded_ibv_wr_set_xrc_srqn(__VA_ARGS__)
#define ibv_wr_start(...) recorded_ibv_wr_start(__VA_ARGS__)
#define rdma_dereg_mr(...) recorded_rdma_dereg_mr(__VA_ARGS__)
#define rdma_get_local_addr(...) recorded_rdma_get_local_addr(__VA_ARGS__)
#define rdma_get_peer_addr(...) recorded_rdma_get_peer_addr(__VA_ARGS__)
#define rdma_get_recv_comp(...) recorded_rdma_get_recv_comp(__VA_ARGS__)
#define rdma_get_send_comp(...) recorded_rdma_get_send_comp(__VA_ARGS__)
#define rdma_post_read(...) recorded_rdma_post_read(__VA_ARGS__)
#define rdma_post_readv(...) recorded_rdma_post_readv(__VA_ARGS__)
#define rdma_post_recv(...) recorded_rdma_post_recv(__VA_ARGS__)
#define rdma_post_recvv(...) recorded_rdma_post_recvv(__VA_ARGS__)
#define rdma_post_send(...) recorded_rdma_post_send(__VA_ARGS__)
#define rdma_post_sendv(...) recorded_rdma_post_sendv(__VA_ARGS__)
#define rdma_post_ud_send(...) recorded_rdma_post_ud_send(__VA_ARGS__)
#define rdma_post_write(...) recorded_rdma_post_write(__VA_ARGS__)
#define rdma_post_writev(...) recorded_rdma_post_writev(__VA_ARGS__)
#define rdma_reg_msgs(...) recorded_rdma_reg_msgs(__VA_ARGS__)
#define rdma_reg_read(...) recorded_rdma_reg_read(__VA_ARGS__)
#define rdma_reg_write(...) recorded_rdma_reg_write(__VA_ARGS__)

#endif
