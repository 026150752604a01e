/* SPDX-License-Identifier: MIT */
/* Written by wrappers.py from the headers of rdma-core; not to be edited. */
/* clang-format off */
#include <errno.h>
#include <stddef.h>

#include "newer.h"
#include "call_record.h"
#include "backend.h"
#include "recorded.h"

#undef ibv_advise_mr
#undef ibv_alloc_dm
#undef ibv_alloc_mw
#undef ibv_alloc_null_mr
#undef ibv_alloc_parent_domain
#undef ibv_alloc_td
#undef ibv_attach_counters_point_flow
#undef ibv_bind_mw
#undef ibv_close_xrcd
#undef ibv_cq_ex_to_cq
#undef ibv_create_counters
#undef ibv_create_cq_ex
#undef ibv_create_flow
#undef ibv_create_flow_action_esp
#undef ibv_create_qp_ex
#undef ibv_create_rwq_ind_table
#undef ibv_create_srq_ex
#undef ibv_create_wq
#undef ibv_dealloc_mw
#undef ibv_dealloc_td
#undef ibv_destroy_counters
#undef ibv_destroy_flow
#undef ibv_destroy_flow_action
#undef ibv_destroy_rwq_ind_table
#undef ibv_destroy_wq
#undef ibv_end_poll
#undef ibv_flow_label_to_udp_sport
#undef ibv_free_dm
#undef ibv_get_srq_num
#undef ibv_inc_rkey
#undef ibv_is_qpt_supported
#undef ibv_memcpy_from_dm
#undef ibv_memcpy_to_dm
#undef ibv_modify_cq
#undef ibv_modify_flow_action_esp
#undef ibv_modify_qp_rate_limit
#undef ibv_modify_wq
#undef ibv_next_poll
#undef ibv_open_qp
#undef ibv_open_xrcd
#undef ibv_poll_cq
#undef ibv_post_recv
#undef ibv_post_send
#undef ibv_post_srq_ops
#undef ibv_post_srq_recv
#undef ibv_post_wq_recv
#undef ibv_query_device_ex
#undef ibv_query_gid_ex
#undef ibv_query_gid_table
#undef ibv_query_port
#undef ibv_query_rt_values_ex
#undef ibv_read_counters
#undef ibv_reg_dm_mr
#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_req_notify_cq
#undef ibv_start_poll
#undef ibv_wc_read_byte_len
#undef ibv_wc_read_completion_ts
#undef ibv_wc_read_completion_wallclock_ns
#undef ibv_wc_read_cvlan
#undef ibv_wc_read_dlid_path_bits
#undef ibv_wc_read_flow_tag
#undef ibv_wc_read_imm_data
#undef ibv_wc_read_invalidated_rkey
#undef ibv_wc_read_opcode
#undef ibv_wc_read_qp_num
#undef ibv_wc_read_sl
#undef ibv_wc_read_slid
#undef ibv_wc_read_src_qp
#undef ibv_wc_read_tm_info
#undef ibv_wc_read_vendor_err
#undef ibv_wc_read_wc_flags
#undef ibv_wr_abort
#undef ibv_wr_atomic_cmp_swp
#undef ibv_wr_atomic_fetch_add
#undef ibv_wr_atomic_write
#undef ibv_wr_bind_mw
#undef ibv_wr_complete
#undef ibv_wr_flush
#undef ibv_wr_local_inv
#undef ibv_wr_rdma_read
#undef ibv_wr_rdma_write
#undef ibv_wr_rdma_write_imm
#undef ibv_wr_send
#undef ibv_wr_send_imm
#undef ibv_wr_send_inv
#undef ibv_wr_send_tso
#undef ibv_wr_set_inline_data
#undef ibv_wr_set_inline_data_list
#undef ibv_wr_set_sge
#undef ibv_wr_set_sge_list
#undef ibv_wr_set_ud_addr
#undef ibv_wr_set_xrc_srqn
#undef ibv_wr_start
#undef rdma_dereg_mr
#undef rdma_get_local_addr
#undef rdma_get_peer_addr
#undef rdma_get_recv_comp
#undef rdma_get_send_comp
#undef rdma_post_read
#undef rdma_post_readv
#undef rdma_post_recv
#undef rdma_post_recvv
#undef rdma_post_send
#undef rdma_post_sendv
#undef rdma_post_ud_send
#undef rdma_post_write
#undef rdma_post_writev
#undef rdma_reg_msgs
#undef rdma_reg_read
#undef rdma_reg_write

/* The functions of the libraries. */
static struct {
	void (*ibv_ack_async_event)(struct ibv_async_event *event);
	void (*ibv_ack_cq_events)(struct ibv_cq *cq, unsigned int nevents);
	struct ibv_pd *(*ibv_alloc_pd)(struct ibv_context *context);
	int (*ibv_attach_mcast)(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid);
	int (*ibv_close_device)(struct ibv_context *context);
	struct ibv_ah *(*ibv_create_ah)(struct ibv_pd *pd, struct ibv_ah_attr *attr);
	struct ibv_ah *(*ibv_create_ah_from_wc)(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port_num);
	struct ibv_comp_channel *(*ibv_create_comp_channel)(struct ibv_context *context);
	struct ibv_cq *(*ibv_create_cq)(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int comp_vector);
	struct ibv_qp *(*ibv_create_qp)(struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr);
	struct ibv_srq *(*ibv_create_srq)(struct ibv_pd *pd, struct ibv_srq_init_attr *srq_init_attr);
	int (*ibv_dealloc_pd)(struct ibv_pd *pd);
	int (*ibv_dereg_mr)(struct ibv_mr *mr);
	int (*ibv_destroy_ah)(struct ibv_ah *ah);
	int (*ibv_destroy_comp_channel)(struct ibv_comp_channel *channel);
	int (*ibv_destroy_cq)(struct ibv_cq *cq);
	int (*ibv_destroy_qp)(struct ibv_qp *qp);
	int (*ibv_destroy_srq)(struct ibv_srq *srq);
	int (*ibv_detach_mcast)(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid);
	const char *(*ibv_event_type_str)(enum ibv_event_type event);
	int (*ibv_fork_init)(void);
	void (*ibv_free_device_list)(struct ibv_device **list);
	int (*ibv_get_async_event)(struct ibv_context *context, struct ibv_async_event *event);
	int (*ibv_get_cq_event)(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context);
	__be64 (*ibv_get_device_guid)(struct ibv_device *device);
	int (*ibv_get_device_index)(struct ibv_device *device);
	struct ibv_device **(*ibv_get_device_list)(int *num_devices);
	const char *(*ibv_get_device_name)(struct ibv_device *device);
	int (*ibv_get_pkey_index)(struct ibv_context *context, uint8_t port_num, __be16 pkey);
	struct ibv_context *(*ibv_import_device)(int cmd_fd);
	struct ibv_dm *(*ibv_import_dm)(struct ibv_context *context, uint32_t dm_handle);
	struct ibv_mr *(*ibv_import_mr)(struct ibv_pd *pd, uint32_t mr_handle);
	struct ibv_pd *(*ibv_import_pd)(struct ibv_context *context, uint32_t pd_handle);
	int (*ibv_init_ah_from_wc)(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc, struct ibv_grh *grh, struct ibv_ah_attr *ah_attr);
	enum ibv_fork_status (*ibv_is_fork_initialized)(void);
	int (*ibv_modify_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
	int (*ibv_modify_srq)(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr, int srq_attr_mask);
	const char *(*ibv_node_type_str)(enum ibv_node_type node_type);
	struct ibv_context *(*ibv_open_device)(struct ibv_device *device);
	const char *(*ibv_port_state_str)(enum ibv_port_state port_state);
	struct ibv_qp_ex *(*ibv_qp_to_qp_ex)(struct ibv_qp *qp);
	int (*ibv_query_device)(struct ibv_context *context, struct ibv_device_attr *device_attr);
	int (*ibv_query_ece)(struct ibv_qp *qp, struct ibv_ece *ece);
	int (*ibv_query_gid)(struct ibv_context *context, uint8_t port_num, int index, union ibv_gid *gid);
	int (*ibv_query_pkey)(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey);
	int (*ibv_query_port)(struct ibv_context *context, uint8_t port_num, struct _compat_ibv_port_attr *port_attr);
	int (*ibv_query_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask, struct ibv_qp_init_attr *init_attr);
	int (*ibv_query_qp_data_in_order)(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags);
	int (*ibv_query_srq)(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr);
	int (*ibv_rate_to_mbps)(enum ibv_rate rate);
	int (*ibv_rate_to_mult)(enum ibv_rate rate);
	struct ibv_mr *(*ibv_reg_dmabuf_mr)(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access);
	struct ibv_mr *(*ibv_reg_mr)(struct ibv_pd *pd, void *addr, size_t length, int access);
	struct ibv_mr *(*ibv_reg_mr_iova)(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access);
	struct ibv_mr *(*ibv_reg_mr_iova2)(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access);
	int (*ibv_rereg_mr)(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access);
	int (*ibv_resize_cq)(struct ibv_cq *cq, int cqe);
	int (*ibv_resolve_eth_l2_from_gid)(struct ibv_context *context, struct ibv_ah_attr *attr, unsigned char eth_mac[6], uint16_t *vid);
	int (*ibv_set_ece)(struct ibv_qp *qp, struct ibv_ece *ece);
	void (*ibv_unimport_dm)(struct ibv_dm *dm);
	void (*ibv_unimport_mr)(struct ibv_mr *mr);
	void (*ibv_unimport_pd)(struct ibv_pd *pd);
	const char *(*ibv_wc_status_str)(enum ibv_wc_status status);
	const char *(*ibv_wr_opcode_str)(enum ibv_wr_opcode opcode);
	enum ibv_rate (*mbps_to_ibv_rate)(int mbps);
	enum ibv_rate (*mult_to_ibv_rate)(int mult);
	int (*rdma_accept)(struct rdma_cm_id *id, struct rdma_conn_param *conn_param);
	int (*rdma_ack_cm_event)(struct rdma_cm_event *event);
	int (*rdma_bind_addr)(struct rdma_cm_id *id, struct sockaddr *addr);
	int (*rdma_connect)(struct rdma_cm_id *id, struct rdma_conn_param *conn_param);
	int (*rdma_create_ep)(struct rdma_cm_id **id, struct rdma_addrinfo *res, struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr);
	struct rdma_event_channel *(*rdma_create_event_channel)(void);
	int (*rdma_create_id)(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context, enum rdma_port_space ps);
	int (*rdma_create_qp)(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr);
	int (*rdma_create_qp_ex)(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *qp_init_attr);
	int (*rdma_create_srq)(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
	int (*rdma_create_srq_ex)(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr);
	void (*rdma_destroy_ep)(struct rdma_cm_id *id);
	void (*rdma_destroy_event_channel)(struct rdma_event_channel *channel);
	int (*rdma_destroy_id)(struct rdma_cm_id *id);
	void (*rdma_destroy_qp)(struct rdma_cm_id *id);
	void (*rdma_destroy_srq)(struct rdma_cm_id *id);
	int (*rdma_disconnect)(struct rdma_cm_id *id);
	int (*rdma_establish)(struct rdma_cm_id *id);
	const char *(*rdma_event_str)(enum rdma_cm_event_type event);
	void (*rdma_free_devices)(struct ibv_context **list);
	void (*rdma_freeaddrinfo)(struct rdma_addrinfo *res);
	int (*rdma_get_cm_event)(struct rdma_event_channel *channel, struct rdma_cm_event **event);
	struct ibv_context **(*rdma_get_devices)(int *num_devices);
	__be16 (*rdma_get_dst_port)(struct rdma_cm_id *id);
	int (*rdma_get_remote_ece)(struct rdma_cm_id *id, struct ibv_ece *ece);
	int (*rdma_get_request)(struct rdma_cm_id *listen, struct rdma_cm_id **id);
	__be16 (*rdma_get_src_port)(struct rdma_cm_id *id);
	int (*rdma_getaddrinfo)(const char *node, const char *service, const struct rdma_addrinfo *hints, struct rdma_addrinfo **res);
	int (*rdma_init_qp_attr)(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr, int *qp_attr_mask);
	int (*rdma_join_multicast)(struct rdma_cm_id *id, struct sockaddr *addr, void *context);
	int (*rdma_join_multicast_ex)(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *mc_join_attr, void *context);
	int (*rdma_leave_multicast)(struct rdma_cm_id *id, struct sockaddr *addr);
	int (*rdma_listen)(struct rdma_cm_id *id, int backlog);
	int (*rdma_migrate_id)(struct rdma_cm_id *id, struct rdma_event_channel *channel);
	int (*rdma_notify)(struct rdma_cm_id *id, enum ibv_event_type event);
	int (*rdma_reject)(struct rdma_cm_id *id, const void *private_data, uint8_t private_data_len);
	int (*rdma_reject_ece)(struct rdma_cm_id *id, const void *private_data, uint8_t private_data_len);
	int (*rdma_resolve_addr)(struct rdma_cm_id *id, struct sockaddr *src_addr, struct sockaddr *dst_addr, int timeout_ms);
	int (*rdma_resolve_route)(struct rdma_cm_id *id, int timeout_ms);
	int (*rdma_set_local_ece)(struct rdma_cm_id *id, struct ibv_ece *ece);
	int (*rdma_set_option)(struct rdma_cm_id *id, int level, int optname, void *optval, size_t optlen);
	int (*_ibv_query_gid_ex)(struct ibv_context *context, uint32_t port_num, uint32_t gid_index, struct ibv_gid_entry *entry, uint32_t flags, size_t entry_size);
	ssize_t (*_ibv_query_gid_table)(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries, uint32_t flags, size_t entry_size);
} real;

static const char *missing_ibv_wr_opcode_str(enum ibv_wr_opcode opcode)
{
	(void)opcode;
	errno = ENOSYS;
	return NULL;
}

const struct backend_symbol backend_symbols[] = {
	{ "ibv_ack_async_event", "IBVERBS_1.1", &real.ibv_ack_async_event, NULL },
	{ "ibv_ack_cq_events", "IBVERBS_1.1", &real.ibv_ack_cq_events, NULL },
	{ "ibv_alloc_pd", "IBVERBS_1.1", &real.ibv_alloc_pd, NULL },
	{ "ibv_attach_mcast", "IBVERBS_1.1", &real.ibv_attach_mcast, NULL },
	{ "ibv_close_device", "IBVERBS_1.1", &real.ibv_close_device, NULL },
	{ "ibv_create_ah", "IBVERBS_1.1", &real.ibv_create_ah, NULL },
	{ "ibv_create_ah_from_wc", "IBVERBS_1.1", &real.ibv_create_ah_from_wc, NULL },
	{ "ibv_create_comp_channel", "IBVERBS_1.0", &real.ibv_create_comp_channel, NULL },
	{ "ibv_create_cq", "IBVERBS_1.1", &real.ibv_create_cq, NULL },
	{ "ibv_create_qp", "IBVERBS_1.1", &real.ibv_create_qp, NULL },
	{ "ibv_create_srq", "IBVERBS_1.1", &real.ibv_create_srq, NULL },
	{ "ibv_dealloc_pd", "IBVERBS_1.1", &real.ibv_dealloc_pd, NULL },
	{ "ibv_dereg_mr", "IBVERBS_1.1", &real.ibv_dereg_mr, NULL },
	{ "ibv_destroy_ah", "IBVERBS_1.1", &real.ibv_destroy_ah, NULL },
	{ "ibv_destroy_comp_channel", "IBVERBS_1.0", &real.ibv_destroy_comp_channel, NULL },
	{ "ibv_destroy_cq", "IBVERBS_1.1", &real.ibv_destroy_cq, NULL },
	{ "ibv_destroy_qp", "IBVERBS_1.1", &real.ibv_destroy_qp, NULL },
	{ "ibv_destroy_srq", "IBVERBS_1.1", &real.ibv_destroy_srq, NULL },
	{ "ibv_detach_mcast", "IBVERBS_1.1", &real.ibv_detach_mcast, NULL },
	{ "ibv_event_type_str", "IBVERBS_1.1", &real.ibv_event_type_str, NULL },
	{ "ibv_fork_init", "IBVERBS_1.1", &real.ibv_fork_init, NULL },
	{ "ibv_free_device_list", "IBVERBS_1.1", &real.ibv_free_device_list, NULL },
	{ "ibv_get_async_event", "IBVERBS_1.1", &real.ibv_get_async_event, NULL },
	{ "ibv_get_cq_event", "IBVERBS_1.1", &real.ibv_get_cq_event, NULL },
	{ "ibv_get_device_guid", "IBVERBS_1.1", &real.ibv_get_device_guid, NULL },
	{ "ibv_get_device_index", "IBVERBS_1.9", &real.ibv_get_device_index, NULL },
	{ "ibv_get_device_list", "IBVERBS_1.1", &real.ibv_get_device_list, NULL },
	{ "ibv_get_device_name", "IBVERBS_1.1", &real.ibv_get_device_name, NULL },
	{ "ibv_get_pkey_index", "IBVERBS_1.5", &real.ibv_get_pkey_index, NULL },
	{ "ibv_import_device", "IBVERBS_1.10", &real.ibv_import_device, NULL },
	{ "ibv_import_dm", "IBVERBS_1.13", &real.ibv_import_dm, NULL },
	{ "ibv_import_mr", "IBVERBS_1.10", &real.ibv_import_mr, NULL },
	{ "ibv_import_pd", "IBVERBS_1.10", &real.ibv_import_pd, NULL },
	{ "ibv_init_ah_from_wc", "IBVERBS_1.1", &real.ibv_init_ah_from_wc, NULL },
	{ "ibv_is_fork_initialized", "IBVERBS_1.13", &real.ibv_is_fork_initialized, NULL },
	{ "ibv_modify_qp", "IBVERBS_1.1", &real.ibv_modify_qp, NULL },
	{ "ibv_modify_srq", "IBVERBS_1.1", &real.ibv_modify_srq, NULL },
	{ "ibv_node_type_str", "IBVERBS_1.1", &real.ibv_node_type_str, NULL },
	{ "ibv_open_device", "IBVERBS_1.1", &real.ibv_open_device, NULL },
	{ "ibv_port_state_str", "IBVERBS_1.1", &real.ibv_port_state_str, NULL },
	{ "ibv_qp_to_qp_ex", "IBVERBS_1.6", &real.ibv_qp_to_qp_ex, NULL },
	{ "ibv_query_device", "IBVERBS_1.1", &real.ibv_query_device, NULL },
	{ "ibv_query_ece", "IBVERBS_1.10", &real.ibv_query_ece, NULL },
	{ "ibv_query_gid", "IBVERBS_1.1", &real.ibv_query_gid, NULL },
	{ "ibv_query_pkey", "IBVERBS_1.1", &real.ibv_query_pkey, NULL },
	{ "ibv_query_port", "IBVERBS_1.1", &real.ibv_query_port, NULL },
	{ "ibv_query_qp", "IBVERBS_1.1", &real.ibv_query_qp, NULL },
	{ "ibv_query_qp_data_in_order", "IBVERBS_1.14", &real.ibv_query_qp_data_in_order, NULL },
	{ "ibv_query_srq", "IBVERBS_1.1", &real.ibv_query_srq, NULL },
	{ "ibv_rate_to_mbps", "IBVERBS_1.1", &real.ibv_rate_to_mbps, NULL },
	{ "ibv_rate_to_mult", "IBVERBS_1.0", &real.ibv_rate_to_mult, NULL },
	{ "ibv_reg_dmabuf_mr", "IBVERBS_1.12", &real.ibv_reg_dmabuf_mr, NULL },
	{ "ibv_reg_mr", "IBVERBS_1.1", &real.ibv_reg_mr, NULL },
	{ "ibv_reg_mr_iova", "IBVERBS_1.7", &real.ibv_reg_mr_iova, NULL },
	{ "ibv_reg_mr_iova2", "IBVERBS_1.8", &real.ibv_reg_mr_iova2, NULL },
	{ "ibv_rereg_mr", "IBVERBS_1.1", &real.ibv_rereg_mr, NULL },
	{ "ibv_resize_cq", "IBVERBS_1.1", &real.ibv_resize_cq, NULL },
	{ "ibv_resolve_eth_l2_from_gid", "IBVERBS_1.1", &real.ibv_resolve_eth_l2_from_gid, NULL },
	{ "ibv_set_ece", "IBVERBS_1.10", &real.ibv_set_ece, NULL },
	{ "ibv_unimport_dm", "IBVERBS_1.13", &real.ibv_unimport_dm, NULL },
	{ "ibv_unimport_mr", "IBVERBS_1.10", &real.ibv_unimport_mr, NULL },
	{ "ibv_unimport_pd", "IBVERBS_1.10", &real.ibv_unimport_pd, NULL },
	{ "ibv_wc_status_str", "IBVERBS_1.1", &real.ibv_wc_status_str, NULL },
	{ "ibv_wr_opcode_str", "IBVERBS_PRIVATE_34", &real.ibv_wr_opcode_str, (void *)missing_ibv_wr_opcode_str },
	{ "mbps_to_ibv_rate", "IBVERBS_1.1", &real.mbps_to_ibv_rate, NULL },
	{ "mult_to_ibv_rate", "IBVERBS_1.0", &real.mult_to_ibv_rate, NULL },
	{ "rdma_accept", "RDMACM_1.0", &real.rdma_accept, NULL },
	{ "rdma_ack_cm_event", "RDMACM_1.0", &real.rdma_ack_cm_event, NULL },
	{ "rdma_bind_addr", "RDMACM_1.0", &real.rdma_bind_addr, NULL },
	{ "rdma_connect", "RDMACM_1.0", &real.rdma_connect, NULL },
	{ "rdma_create_ep", "RDMACM_1.0", &real.rdma_create_ep, NULL },
	{ "rdma_create_event_channel", "RDMACM_1.0", &real.rdma_create_event_channel, NULL },
	{ "rdma_create_id", "RDMACM_1.0", &real.rdma_create_id, NULL },
	{ "rdma_create_qp", "RDMACM_1.0", &real.rdma_create_qp, NULL },
	{ "rdma_create_qp_ex", "RDMACM_1.0", &real.rdma_create_qp_ex, NULL },
	{ "rdma_create_srq", "RDMACM_1.0", &real.rdma_create_srq, NULL },
	{ "rdma_create_srq_ex", "RDMACM_1.0", &real.rdma_create_srq_ex, NULL },
	{ "rdma_destroy_ep", "RDMACM_1.0", &real.rdma_destroy_ep, NULL },
	{ "rdma_destroy_event_channel", "RDMACM_1.0", &real.rdma_destroy_event_channel, NULL },
	{ "rdma_destroy_id", "RDMACM_1.0", &real.rdma_destroy_id, NULL },
	{ "rdma_destroy_qp", "RDMACM_1.0", &real.rdma_destroy_qp, NULL },
	{ "rdma_destroy_srq", "RDMACM_1.0", &real.rdma_destroy_srq, NULL },
	{ "rdma_disconnect", "RDMACM_1.0", &real.rdma_disconnect, NULL },
	{ "rdma_establish", "RDMACM_1.2", &real.rdma_establish, NULL },
	{ "rdma_event_str", "RDMACM_1.0", &real.rdma_event_str, NULL },
	{ "rdma_free_devices", "RDMACM_1.0", &real.rdma_free_devices, NULL },
	{ "rdma_freeaddrinfo", "RDMACM_1.0", &real.rdma_freeaddrinfo, NULL },
	{ "rdma_get_cm_event", "RDMACM_1.0", &real.rdma_get_cm_event, NULL },
	{ "rdma_get_devices", "RDMACM_1.0", &real.rdma_get_devices, NULL },
	{ "rdma_get_dst_port", "RDMACM_1.0", &real.rdma_get_dst_port, NULL },
	{ "rdma_get_remote_ece", "RDMACM_1.3", &real.rdma_get_remote_ece, NULL },
	{ "rdma_get_request", "RDMACM_1.0", &real.rdma_get_request, NULL },
	{ "rdma_get_src_port", "RDMACM_1.0", &real.rdma_get_src_port, NULL },
	{ "rdma_getaddrinfo", "RDMACM_1.0", &real.rdma_getaddrinfo, NULL },
	{ "rdma_init_qp_attr", "RDMACM_1.2", &real.rdma_init_qp_attr, NULL },
	{ "rdma_join_multicast", "RDMACM_1.0", &real.rdma_join_multicast, NULL },
	{ "rdma_join_multicast_ex", "RDMACM_1.1", &real.rdma_join_multicast_ex, NULL },
	{ "rdma_leave_multicast", "RDMACM_1.0", &real.rdma_leave_multicast, NULL },
	{ "rdma_listen", "RDMACM_1.0", &real.rdma_listen, NULL },
	{ "rdma_migrate_id", "RDMACM_1.0", &real.rdma_migrate_id, NULL },
	{ "rdma_notify", "RDMACM_1.0", &real.rdma_notify, NULL },
	{ "rdma_reject", "RDMACM_1.0", &real.rdma_reject, NULL },
	{ "rdma_reject_ece", "RDMACM_1.3", &real.rdma_reject_ece, NULL },
	{ "rdma_resolve_addr", "RDMACM_1.0", &real.rdma_resolve_addr, NULL },
	{ "rdma_resolve_route", "RDMACM_1.0", &real.rdma_resolve_route, NULL },
	{ "rdma_set_local_ece", "RDMACM_1.3", &real.rdma_set_local_ece, NULL },
	{ "rdma_set_option", "RDMACM_1.0", &real.rdma_set_option, NULL },
	{ "_ibv_query_gid_ex", "IBVERBS_1.11", &real._ibv_query_gid_ex, NULL },
	{ "_ibv_query_gid_table", "IBVERBS_1.11", &real._ibv_query_gid_table, NULL },
	{ 0 }
};

void (ibv_ack_async_event)(struct ibv_async_event *event)
{
	const uint64_t the_args[] = { (uintptr_t)event };
	struct record_call the_call;

	backend_need();
	record_begin(&the_call, ROW_ibv_ack_async_event, the_args);
	real.ibv_ack_async_event(event);
	record_end(&the_call, 0);
}

void (ibv_ack_cq_events)(struct ibv_cq *cq, unsigned int nevents)
{
	const uint64_t the_args[] = { (uintptr_t)cq, (uint64_t)nevents };
	struct record_call the_call;

	backend_need();
	record_begin(&the_call, ROW_ibv_ack_cq_events, the_args);
	real.ibv_ack_cq_events(cq, nevents);
	record_end(&the_call, 0);
}

int recorded_ibv_advise_mr(struct ibv_pd *pd, enum ib_uverbs_advise_mr_advice advice, uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uint64_t)advice, (uint64_t)flags, (uintptr_t)sg_list, (uint64_t)num_sge };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_advise_mr, the_args);
	result = ibv_advise_mr(pd, advice, flags, sg_list, num_sge);
	record_end(&the_call, (uint64_t)result);
	return result;
}

struct ibv_dm *recorded_ibv_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)attr };
	struct record_call the_call;
	struct ibv_dm *result;

	record_begin(&the_call, ROW_ibv_alloc_dm, the_args);
	result = ibv_alloc_dm(context, attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_mw *recorded_ibv_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uint64_t)type };
	struct record_call the_call;
	struct ibv_mw *result;

	record_begin(&the_call, ROW_ibv_alloc_mw, the_args);
	result = ibv_alloc_mw(pd, type);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_mr *recorded_ibv_alloc_null_mr(struct ibv_pd *pd)
{
	const uint64_t the_args[] = { (uintptr_t)pd };
	struct record_call the_call;
	struct ibv_mr *result;

	record_begin(&the_call, ROW_ibv_alloc_null_mr, the_args);
	result = ibv_alloc_null_mr(pd);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_pd *recorded_ibv_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)attr };
	struct record_call the_call;
	struct ibv_pd *result;

	record_begin(&the_call, ROW_ibv_alloc_parent_domain, the_args);
	result = ibv_alloc_parent_domain(context, attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_pd *(ibv_alloc_pd)(struct ibv_context *context)
{
	const uint64_t the_args[] = { (uintptr_t)context };
	struct record_call the_call;
	struct ibv_pd *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_alloc_pd, the_args);
	result = real.ibv_alloc_pd(context);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_td *recorded_ibv_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)init_attr };
	struct record_call the_call;
	struct ibv_td *result;

	record_begin(&the_call, ROW_ibv_alloc_td, the_args);
	result = ibv_alloc_td(context, init_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

int recorded_ibv_attach_counters_point_flow(struct ibv_counters *counters, struct ibv_counter_attach_attr *attr, struct ibv_flow *flow)
{
	const uint64_t the_args[] = { (uintptr_t)counters, (uintptr_t)attr, (uintptr_t)flow };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_attach_counters_point_flow, the_args);
	result = ibv_attach_counters_point_flow(counters, attr, flow);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_attach_mcast)(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)gid, (uint64_t)lid };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_attach_mcast, the_args);
	result = real.ibv_attach_mcast(qp, gid, lid);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *mw_bind)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)mw, (uintptr_t)mw_bind };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_bind_mw, the_args);
	result = ibv_bind_mw(qp, mw, mw_bind);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_close_device)(struct ibv_context *context)
{
	const uint64_t the_args[] = { (uintptr_t)context };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_close_device, the_args);
	result = real.ibv_close_device(context);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_close_xrcd(struct ibv_xrcd *xrcd)
{
	const uint64_t the_args[] = { (uintptr_t)xrcd };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_close_xrcd, the_args);
	result = ibv_close_xrcd(xrcd);
	record_end(&the_call, (uint64_t)result);
	return result;
}

struct ibv_cq *recorded_ibv_cq_ex_to_cq(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	struct ibv_cq *result;

	record_begin(&the_call, ROW_ibv_cq_ex_to_cq, the_args);
	result = ibv_cq_ex_to_cq(cq);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_ah *(ibv_create_ah)(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uintptr_t)attr };
	struct record_call the_call;
	struct ibv_ah *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_create_ah, the_args);
	result = real.ibv_create_ah(pd, attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_ah *(ibv_create_ah_from_wc)(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port_num)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uintptr_t)wc, (uintptr_t)grh, (uint64_t)port_num };
	struct record_call the_call;
	struct ibv_ah *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_create_ah_from_wc, the_args);
	result = real.ibv_create_ah_from_wc(pd, wc, grh, port_num);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_comp_channel *(ibv_create_comp_channel)(struct ibv_context *context)
{
	const uint64_t the_args[] = { (uintptr_t)context };
	struct record_call the_call;
	struct ibv_comp_channel *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_create_comp_channel, the_args);
	result = real.ibv_create_comp_channel(context);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_counters *recorded_ibv_create_counters(struct ibv_context *context, struct ibv_counters_init_attr *init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)init_attr };
	struct record_call the_call;
	struct ibv_counters *result;

	record_begin(&the_call, ROW_ibv_create_counters, the_args);
	result = ibv_create_counters(context, init_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_cq *(ibv_create_cq)(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int comp_vector)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uint64_t)cqe, (uintptr_t)cq_context, (uintptr_t)channel, (uint64_t)comp_vector };
	struct record_call the_call;
	struct ibv_cq *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_create_cq, the_args);
	result = real.ibv_create_cq(context, cqe, cq_context, channel, comp_vector);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_cq_ex *recorded_ibv_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *cq_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)cq_attr };
	struct record_call the_call;
	struct ibv_cq_ex *result;

	record_begin(&the_call, ROW_ibv_create_cq_ex, the_args);
	result = ibv_create_cq_ex(context, cq_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_flow *recorded_ibv_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *flow)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)flow };
	struct record_call the_call;
	struct ibv_flow *result;

	record_begin(&the_call, ROW_ibv_create_flow, the_args);
	result = ibv_create_flow(qp, flow);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_flow_action *recorded_ibv_create_flow_action_esp(struct ibv_context *ctx, struct ibv_flow_action_esp_attr *esp)
{
	const uint64_t the_args[] = { (uintptr_t)ctx, (uintptr_t)esp };
	struct record_call the_call;
	struct ibv_flow_action *result;

	record_begin(&the_call, ROW_ibv_create_flow_action_esp, the_args);
	result = ibv_create_flow_action_esp(ctx, esp);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_qp *(ibv_create_qp)(struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uintptr_t)qp_init_attr };
	struct record_call the_call;
	struct ibv_qp *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_create_qp, the_args);
	result = real.ibv_create_qp(pd, qp_init_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_qp *recorded_ibv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *qp_init_attr_ex)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)qp_init_attr_ex };
	struct record_call the_call;
	struct ibv_qp *result;

	record_begin(&the_call, ROW_ibv_create_qp_ex, the_args);
	result = ibv_create_qp_ex(context, qp_init_attr_ex);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_rwq_ind_table *recorded_ibv_create_rwq_ind_table(struct ibv_context *context, struct ibv_rwq_ind_table_init_attr *init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)init_attr };
	struct record_call the_call;
	struct ibv_rwq_ind_table *result;

	record_begin(&the_call, ROW_ibv_create_rwq_ind_table, the_args);
	result = ibv_create_rwq_ind_table(context, init_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_srq *(ibv_create_srq)(struct ibv_pd *pd, struct ibv_srq_init_attr *srq_init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uintptr_t)srq_init_attr };
	struct record_call the_call;
	struct ibv_srq *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_create_srq, the_args);
	result = real.ibv_create_srq(pd, srq_init_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_srq *recorded_ibv_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *srq_init_attr_ex)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)srq_init_attr_ex };
	struct record_call the_call;
	struct ibv_srq *result;

	record_begin(&the_call, ROW_ibv_create_srq_ex, the_args);
	result = ibv_create_srq_ex(context, srq_init_attr_ex);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_wq *recorded_ibv_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *wq_init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)wq_init_attr };
	struct record_call the_call;
	struct ibv_wq *result;

	record_begin(&the_call, ROW_ibv_create_wq, the_args);
	result = ibv_create_wq(context, wq_init_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

int recorded_ibv_dealloc_mw(struct ibv_mw *mw)
{
	const uint64_t the_args[] = { (uintptr_t)mw };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_dealloc_mw, the_args);
	result = ibv_dealloc_mw(mw);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_dealloc_pd)(struct ibv_pd *pd)
{
	const uint64_t the_args[] = { (uintptr_t)pd };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_dealloc_pd, the_args);
	result = real.ibv_dealloc_pd(pd);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_dealloc_td(struct ibv_td *td)
{
	const uint64_t the_args[] = { (uintptr_t)td };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_dealloc_td, the_args);
	result = ibv_dealloc_td(td);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_dereg_mr)(struct ibv_mr *mr)
{
	const uint64_t the_args[] = { (uintptr_t)mr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_dereg_mr, the_args);
	result = real.ibv_dereg_mr(mr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_destroy_ah)(struct ibv_ah *ah)
{
	const uint64_t the_args[] = { (uintptr_t)ah };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_destroy_ah, the_args);
	result = real.ibv_destroy_ah(ah);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_destroy_comp_channel)(struct ibv_comp_channel *channel)
{
	const uint64_t the_args[] = { (uintptr_t)channel };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_destroy_comp_channel, the_args);
	result = real.ibv_destroy_comp_channel(channel);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_destroy_counters(struct ibv_counters *counters)
{
	const uint64_t the_args[] = { (uintptr_t)counters };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_destroy_counters, the_args);
	result = ibv_destroy_counters(counters);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_destroy_cq)(struct ibv_cq *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_destroy_cq, the_args);
	result = real.ibv_destroy_cq(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_destroy_flow(struct ibv_flow *flow_id)
{
	const uint64_t the_args[] = { (uintptr_t)flow_id };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_destroy_flow, the_args);
	result = ibv_destroy_flow(flow_id);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_destroy_flow_action(struct ibv_flow_action *action)
{
	const uint64_t the_args[] = { (uintptr_t)action };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_destroy_flow_action, the_args);
	result = ibv_destroy_flow_action(action);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_destroy_qp)(struct ibv_qp *qp)
{
	const uint64_t the_args[] = { (uintptr_t)qp };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_destroy_qp, the_args);
	result = real.ibv_destroy_qp(qp);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_destroy_rwq_ind_table(struct ibv_rwq_ind_table *rwq_ind_table)
{
	const uint64_t the_args[] = { (uintptr_t)rwq_ind_table };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_destroy_rwq_ind_table, the_args);
	result = ibv_destroy_rwq_ind_table(rwq_ind_table);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_destroy_srq)(struct ibv_srq *srq)
{
	const uint64_t the_args[] = { (uintptr_t)srq };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_destroy_srq, the_args);
	result = real.ibv_destroy_srq(srq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_destroy_wq(struct ibv_wq *wq)
{
	const uint64_t the_args[] = { (uintptr_t)wq };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_destroy_wq, the_args);
	result = ibv_destroy_wq(wq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_detach_mcast)(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)gid, (uint64_t)lid };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_detach_mcast, the_args);
	result = real.ibv_detach_mcast(qp, gid, lid);
	record_end(&the_call, (uint64_t)result);
	return result;
}

void recorded_ibv_end_poll(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_end_poll, the_args);
	ibv_end_poll(cq);
	record_end(&the_call, 0);
}

const char *(ibv_event_type_str)(enum ibv_event_type event)
{
	const uint64_t the_args[] = { (uint64_t)event };
	struct record_call the_call;
	const char *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_event_type_str, the_args);
	result = real.ibv_event_type_str(event);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

uint16_t recorded_ibv_flow_label_to_udp_sport(uint32_t fl)
{
	const uint64_t the_args[] = { (uint64_t)fl };
	struct record_call the_call;
	uint16_t result;

	record_begin(&the_call, ROW_ibv_flow_label_to_udp_sport, the_args);
	result = ibv_flow_label_to_udp_sport(fl);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_fork_init)(void)
{
	const uint64_t the_args[] = { 0 };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_fork_init, the_args);
	result = real.ibv_fork_init();
	record_end(&the_call, (uint64_t)result);
	return result;
}

void (ibv_free_device_list)(struct ibv_device **list)
{
	const uint64_t the_args[] = { (uintptr_t)list };
	struct record_call the_call;

	backend_need();
	record_begin(&the_call, ROW_ibv_free_device_list, the_args);
	real.ibv_free_device_list(list);
	record_end(&the_call, 0);
}

int recorded_ibv_free_dm(struct ibv_dm *dm)
{
	const uint64_t the_args[] = { (uintptr_t)dm };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_free_dm, the_args);
	result = ibv_free_dm(dm);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_get_async_event)(struct ibv_context *context, struct ibv_async_event *event)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)event };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_get_async_event, the_args);
	result = real.ibv_get_async_event(context, event);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_get_cq_event)(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	const uint64_t the_args[] = { (uintptr_t)channel, (uintptr_t)cq, (uintptr_t)cq_context };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_get_cq_event, the_args);
	result = real.ibv_get_cq_event(channel, cq, cq_context);
	record_end(&the_call, (uint64_t)result);
	return result;
}

__be64 (ibv_get_device_guid)(struct ibv_device *device)
{
	const uint64_t the_args[] = { (uintptr_t)device };
	struct record_call the_call;
	__be64 result;

	backend_need();
	record_begin(&the_call, ROW_ibv_get_device_guid, the_args);
	result = real.ibv_get_device_guid(device);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_get_device_index)(struct ibv_device *device)
{
	const uint64_t the_args[] = { (uintptr_t)device };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_get_device_index, the_args);
	result = real.ibv_get_device_index(device);
	record_end(&the_call, (uint64_t)result);
	return result;
}

struct ibv_device **(ibv_get_device_list)(int *num_devices)
{
	const uint64_t the_args[] = { (uintptr_t)num_devices };
	struct record_call the_call;
	struct ibv_device **result;

	backend_need();
	record_begin(&the_call, ROW_ibv_get_device_list, the_args);
	result = real.ibv_get_device_list(num_devices);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

const char *(ibv_get_device_name)(struct ibv_device *device)
{
	const uint64_t the_args[] = { (uintptr_t)device };
	struct record_call the_call;
	const char *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_get_device_name, the_args);
	result = real.ibv_get_device_name(device);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

int (ibv_get_pkey_index)(struct ibv_context *context, uint8_t port_num, __be16 pkey)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uint64_t)port_num, (uint64_t)pkey };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_get_pkey_index, the_args);
	result = real.ibv_get_pkey_index(context, port_num, pkey);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)
{
	const uint64_t the_args[] = { (uintptr_t)srq, (uintptr_t)srq_num };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_get_srq_num, the_args);
	result = ibv_get_srq_num(srq, srq_num);
	record_end(&the_call, (uint64_t)result);
	return result;
}

struct ibv_context *(ibv_import_device)(int cmd_fd)
{
	const uint64_t the_args[] = { (uint64_t)cmd_fd };
	struct record_call the_call;
	struct ibv_context *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_import_device, the_args);
	result = real.ibv_import_device(cmd_fd);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_dm *(ibv_import_dm)(struct ibv_context *context, uint32_t dm_handle)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uint64_t)dm_handle };
	struct record_call the_call;
	struct ibv_dm *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_import_dm, the_args);
	result = real.ibv_import_dm(context, dm_handle);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_mr *(ibv_import_mr)(struct ibv_pd *pd, uint32_t mr_handle)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uint64_t)mr_handle };
	struct record_call the_call;
	struct ibv_mr *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_import_mr, the_args);
	result = real.ibv_import_mr(pd, mr_handle);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_pd *(ibv_import_pd)(struct ibv_context *context, uint32_t pd_handle)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uint64_t)pd_handle };
	struct record_call the_call;
	struct ibv_pd *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_import_pd, the_args);
	result = real.ibv_import_pd(context, pd_handle);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

uint32_t recorded_ibv_inc_rkey(uint32_t rkey)
{
	const uint64_t the_args[] = { (uint64_t)rkey };
	struct record_call the_call;
	uint32_t result;

	record_begin(&the_call, ROW_ibv_inc_rkey, the_args);
	result = ibv_inc_rkey(rkey);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_init_ah_from_wc)(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc, struct ibv_grh *grh, struct ibv_ah_attr *ah_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uint64_t)port_num, (uintptr_t)wc, (uintptr_t)grh, (uintptr_t)ah_attr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_init_ah_from_wc, the_args);
	result = real.ibv_init_ah_from_wc(context, port_num, wc, grh, ah_attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

enum ibv_fork_status (ibv_is_fork_initialized)(void)
{
	const uint64_t the_args[] = { 0 };
	struct record_call the_call;
	enum ibv_fork_status result;

	backend_need();
	record_begin(&the_call, ROW_ibv_is_fork_initialized, the_args);
	result = real.ibv_is_fork_initialized();
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_is_qpt_supported(uint32_t caps, enum ibv_qp_type qpt)
{
	const uint64_t the_args[] = { (uint64_t)caps, (uint64_t)qpt };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_is_qpt_supported, the_args);
	result = ibv_is_qpt_supported(caps, qpt);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_memcpy_from_dm(void *host_addr, struct ibv_dm *dm, uint64_t dm_offset, size_t length)
{
	const uint64_t the_args[] = { (uintptr_t)host_addr, (uintptr_t)dm, (uint64_t)dm_offset, (uint64_t)length };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_memcpy_from_dm, the_args);
	result = ibv_memcpy_from_dm(host_addr, dm, dm_offset, length);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_memcpy_to_dm(struct ibv_dm *dm, uint64_t dm_offset, const void *host_addr, size_t length)
{
	const uint64_t the_args[] = { (uintptr_t)dm, (uint64_t)dm_offset, (uintptr_t)host_addr, (uint64_t)length };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_memcpy_to_dm, the_args);
	result = ibv_memcpy_to_dm(dm, dm_offset, host_addr, length);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)cq, (uintptr_t)attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_modify_cq, the_args);
	result = ibv_modify_cq(cq, attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_modify_flow_action_esp(struct ibv_flow_action *action, struct ibv_flow_action_esp_attr *esp)
{
	const uint64_t the_args[] = { (uintptr_t)action, (uintptr_t)esp };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_modify_flow_action_esp, the_args);
	result = ibv_modify_flow_action_esp(action, esp);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_modify_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)attr, (uint64_t)attr_mask };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_modify_qp, the_args);
	result = real.ibv_modify_qp(qp, attr, attr_mask);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_modify_qp_rate_limit(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_modify_qp_rate_limit, the_args);
	result = ibv_modify_qp_rate_limit(qp, attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_modify_srq)(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr, int srq_attr_mask)
{
	const uint64_t the_args[] = { (uintptr_t)srq, (uintptr_t)srq_attr, (uint64_t)srq_attr_mask };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_modify_srq, the_args);
	result = real.ibv_modify_srq(srq, srq_attr, srq_attr_mask);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *wq_attr)
{
	const uint64_t the_args[] = { (uintptr_t)wq, (uintptr_t)wq_attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_modify_wq, the_args);
	result = ibv_modify_wq(wq, wq_attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_next_poll(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_next_poll, the_args);
	result = ibv_next_poll(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

const char *(ibv_node_type_str)(enum ibv_node_type node_type)
{
	const uint64_t the_args[] = { (uint64_t)node_type };
	struct record_call the_call;
	const char *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_node_type_str, the_args);
	result = real.ibv_node_type_str(node_type);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_context *(ibv_open_device)(struct ibv_device *device)
{
	const uint64_t the_args[] = { (uintptr_t)device };
	struct record_call the_call;
	struct ibv_context *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_open_device, the_args);
	result = real.ibv_open_device(device);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_qp *recorded_ibv_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *qp_open_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)qp_open_attr };
	struct record_call the_call;
	struct ibv_qp *result;

	record_begin(&the_call, ROW_ibv_open_qp, the_args);
	result = ibv_open_qp(context, qp_open_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_xrcd *recorded_ibv_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *xrcd_init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)xrcd_init_attr };
	struct record_call the_call;
	struct ibv_xrcd *result;

	record_begin(&the_call, ROW_ibv_open_xrcd, the_args);
	result = ibv_open_xrcd(context, xrcd_init_attr);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

int recorded_ibv_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	const uint64_t the_args[] = { (uintptr_t)cq, (uint64_t)num_entries, (uintptr_t)wc };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_poll_cq, the_args);
	result = ibv_poll_cq(cq, num_entries, wc);
	record_end(&the_call, (uint64_t)result);
	return result;
}

const char *(ibv_port_state_str)(enum ibv_port_state port_state)
{
	const uint64_t the_args[] = { (uint64_t)port_state };
	struct record_call the_call;
	const char *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_port_state_str, the_args);
	result = real.ibv_port_state_str(port_state);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

int recorded_ibv_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)wr, (uintptr_t)bad_wr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_post_recv, the_args);
	result = ibv_post_recv(qp, wr, bad_wr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)wr, (uintptr_t)bad_wr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_post_send, the_args);
	result = ibv_post_send(qp, wr, bad_wr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *op, struct ibv_ops_wr **bad_op)
{
	const uint64_t the_args[] = { (uintptr_t)srq, (uintptr_t)op, (uintptr_t)bad_op };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_post_srq_ops, the_args);
	result = ibv_post_srq_ops(srq, op, bad_op);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr)
{
	const uint64_t the_args[] = { (uintptr_t)srq, (uintptr_t)recv_wr, (uintptr_t)bad_recv_wr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_post_srq_recv, the_args);
	result = ibv_post_srq_recv(srq, recv_wr, bad_recv_wr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_post_wq_recv(struct ibv_wq *wq, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr)
{
	const uint64_t the_args[] = { (uintptr_t)wq, (uintptr_t)recv_wr, (uintptr_t)bad_recv_wr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_post_wq_recv, the_args);
	result = ibv_post_wq_recv(wq, recv_wr, bad_recv_wr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

struct ibv_qp_ex *(ibv_qp_to_qp_ex)(struct ibv_qp *qp)
{
	const uint64_t the_args[] = { (uintptr_t)qp };
	struct record_call the_call;
	struct ibv_qp_ex *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_qp_to_qp_ex, the_args);
	result = real.ibv_qp_to_qp_ex(qp);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

int (ibv_query_device)(struct ibv_context *context, struct ibv_device_attr *device_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)device_attr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_query_device, the_args);
	result = real.ibv_query_device(context, device_attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)input, (uintptr_t)attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_query_device_ex, the_args);
	result = ibv_query_device_ex(context, input, attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_query_ece)(struct ibv_qp *qp, struct ibv_ece *ece)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)ece };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_query_ece, the_args);
	result = real.ibv_query_ece(qp, ece);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_query_gid)(struct ibv_context *context, uint8_t port_num, int index, union ibv_gid *gid)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uint64_t)port_num, (uint64_t)index, (uintptr_t)gid };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_query_gid, the_args);
	result = real.ibv_query_gid(context, port_num, index, gid);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index, struct ibv_gid_entry *entry, uint32_t flags)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uint64_t)port_num, (uint64_t)gid_index, (uintptr_t)entry, (uint64_t)flags };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_query_gid_ex, the_args);
	result = ibv_query_gid_ex(context, port_num, gid_index, entry, flags);
	record_end(&the_call, (uint64_t)result);
	return result;
}

ssize_t recorded_ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries, uint32_t flags)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)entries, (uint64_t)max_entries, (uint64_t)flags };
	struct record_call the_call;
	ssize_t result;

	record_begin(&the_call, ROW_ibv_query_gid_table, the_args);
	result = ibv_query_gid_table(context, entries, max_entries, flags);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_query_pkey)(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uint64_t)port_num, (uint64_t)index, (uintptr_t)pkey };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_query_pkey, the_args);
	result = real.ibv_query_pkey(context, port_num, index, pkey);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_query_port)(struct ibv_context *context, uint8_t port_num, struct _compat_ibv_port_attr *port_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uint64_t)port_num, (uintptr_t)port_attr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_query_port, the_args);
	result = real.ibv_query_port(context, port_num, port_attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_query_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)attr, (uint64_t)attr_mask, (uintptr_t)init_attr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_query_qp, the_args);
	result = real.ibv_query_qp(qp, attr, attr_mask, init_attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_query_qp_data_in_order)(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)op, (uint64_t)flags };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_query_qp_data_in_order, the_args);
	result = real.ibv_query_qp_data_in_order(qp, op, flags);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_query_rt_values_ex(struct ibv_context *context, struct ibv_values_ex *values)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)values };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_query_rt_values_ex, the_args);
	result = ibv_query_rt_values_ex(context, values);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_query_srq)(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr)
{
	const uint64_t the_args[] = { (uintptr_t)srq, (uintptr_t)srq_attr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_query_srq, the_args);
	result = real.ibv_query_srq(srq, srq_attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_rate_to_mbps)(enum ibv_rate rate)
{
	const uint64_t the_args[] = { (uint64_t)rate };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_rate_to_mbps, the_args);
	result = real.ibv_rate_to_mbps(rate);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_rate_to_mult)(enum ibv_rate rate)
{
	const uint64_t the_args[] = { (uint64_t)rate };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_rate_to_mult, the_args);
	result = real.ibv_rate_to_mult(rate);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_read_counters(struct ibv_counters *counters, uint64_t *counters_value, uint32_t ncounters, uint32_t flags)
{
	const uint64_t the_args[] = { (uintptr_t)counters, (uintptr_t)counters_value, (uint64_t)ncounters, (uint64_t)flags };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_read_counters, the_args);
	result = ibv_read_counters(counters, counters_value, ncounters, flags);
	record_end(&the_call, (uint64_t)result);
	return result;
}

struct ibv_mr *recorded_ibv_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t dm_offset, size_t length, unsigned int access)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uintptr_t)dm, (uint64_t)dm_offset, (uint64_t)length, (uint64_t)access };
	struct record_call the_call;
	struct ibv_mr *result;

	record_begin(&the_call, ROW_ibv_reg_dm_mr, the_args);
	result = ibv_reg_dm_mr(pd, dm, dm_offset, length, access);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_mr *(ibv_reg_dmabuf_mr)(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uint64_t)offset, (uint64_t)length, (uint64_t)iova, (uint64_t)fd, (uint64_t)access };
	struct record_call the_call;
	struct ibv_mr *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_reg_dmabuf_mr, the_args);
	result = real.ibv_reg_dmabuf_mr(pd, offset, length, iova, fd, access);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_mr *(ibv_reg_mr)(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uintptr_t)addr, (uint64_t)length, (uint64_t)access };
	struct record_call the_call;
	struct ibv_mr *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_reg_mr, the_args);
	result = real.ibv_reg_mr(pd, addr, length, access);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_mr *(ibv_reg_mr_iova)(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uintptr_t)addr, (uint64_t)length, (uint64_t)iova, (uint64_t)access };
	struct record_call the_call;
	struct ibv_mr *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_reg_mr_iova, the_args);
	result = real.ibv_reg_mr_iova(pd, addr, length, iova, access);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_mr *(ibv_reg_mr_iova2)(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uintptr_t)addr, (uint64_t)length, (uint64_t)iova, (uint64_t)access };
	struct record_call the_call;
	struct ibv_mr *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_reg_mr_iova2, the_args);
	result = real.ibv_reg_mr_iova2(pd, addr, length, iova, access);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

int recorded_ibv_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	const uint64_t the_args[] = { (uintptr_t)cq, (uint64_t)solicited_only };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_req_notify_cq, the_args);
	result = ibv_req_notify_cq(cq, solicited_only);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_rereg_mr)(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
{
	const uint64_t the_args[] = { (uintptr_t)mr, (uint64_t)flags, (uintptr_t)pd, (uintptr_t)addr, (uint64_t)length, (uint64_t)access };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_rereg_mr, the_args);
	result = real.ibv_rereg_mr(mr, flags, pd, addr, length, access);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_resize_cq)(struct ibv_cq *cq, int cqe)
{
	const uint64_t the_args[] = { (uintptr_t)cq, (uint64_t)cqe };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_resize_cq, the_args);
	result = real.ibv_resize_cq(cq, cqe);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_resolve_eth_l2_from_gid)(struct ibv_context *context, struct ibv_ah_attr *attr, unsigned char eth_mac[6], uint16_t *vid)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uintptr_t)attr, (uintptr_t)eth_mac, (uintptr_t)vid };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_resolve_eth_l2_from_gid, the_args);
	result = real.ibv_resolve_eth_l2_from_gid(context, attr, eth_mac, vid);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (ibv_set_ece)(struct ibv_qp *qp, struct ibv_ece *ece)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)ece };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_ibv_set_ece, the_args);
	result = real.ibv_set_ece(qp, ece);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_ibv_start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)cq, (uintptr_t)attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_start_poll, the_args);
	result = ibv_start_poll(cq, attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

void (ibv_unimport_dm)(struct ibv_dm *dm)
{
	const uint64_t the_args[] = { (uintptr_t)dm };
	struct record_call the_call;

	backend_need();
	record_begin(&the_call, ROW_ibv_unimport_dm, the_args);
	real.ibv_unimport_dm(dm);
	record_end(&the_call, 0);
}

void (ibv_unimport_mr)(struct ibv_mr *mr)
{
	const uint64_t the_args[] = { (uintptr_t)mr };
	struct record_call the_call;

	backend_need();
	record_begin(&the_call, ROW_ibv_unimport_mr, the_args);
	real.ibv_unimport_mr(mr);
	record_end(&the_call, 0);
}

void (ibv_unimport_pd)(struct ibv_pd *pd)
{
	const uint64_t the_args[] = { (uintptr_t)pd };
	struct record_call the_call;

	backend_need();
	record_begin(&the_call, ROW_ibv_unimport_pd, the_args);
	real.ibv_unimport_pd(pd);
	record_end(&the_call, 0);
}

uint32_t recorded_ibv_wc_read_byte_len(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	uint32_t result;

	record_begin(&the_call, ROW_ibv_wc_read_byte_len, the_args);
	result = ibv_wc_read_byte_len(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

uint64_t recorded_ibv_wc_read_completion_ts(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	uint64_t result;

	record_begin(&the_call, ROW_ibv_wc_read_completion_ts, the_args);
	result = ibv_wc_read_completion_ts(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

uint64_t recorded_ibv_wc_read_completion_wallclock_ns(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	uint64_t result;

	record_begin(&the_call, ROW_ibv_wc_read_completion_wallclock_ns, the_args);
	result = ibv_wc_read_completion_wallclock_ns(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

uint16_t recorded_ibv_wc_read_cvlan(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	uint16_t result;

	record_begin(&the_call, ROW_ibv_wc_read_cvlan, the_args);
	result = ibv_wc_read_cvlan(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

uint8_t recorded_ibv_wc_read_dlid_path_bits(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	uint8_t result;

	record_begin(&the_call, ROW_ibv_wc_read_dlid_path_bits, the_args);
	result = ibv_wc_read_dlid_path_bits(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

uint32_t recorded_ibv_wc_read_flow_tag(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	uint32_t result;

	record_begin(&the_call, ROW_ibv_wc_read_flow_tag, the_args);
	result = ibv_wc_read_flow_tag(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

__be32 recorded_ibv_wc_read_imm_data(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	__be32 result;

	record_begin(&the_call, ROW_ibv_wc_read_imm_data, the_args);
	result = ibv_wc_read_imm_data(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

uint32_t recorded_ibv_wc_read_invalidated_rkey(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	uint32_t result;

	record_begin(&the_call, ROW_ibv_wc_read_invalidated_rkey, the_args);
	result = ibv_wc_read_invalidated_rkey(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

enum ibv_wc_opcode recorded_ibv_wc_read_opcode(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	enum ibv_wc_opcode result;

	record_begin(&the_call, ROW_ibv_wc_read_opcode, the_args);
	result = ibv_wc_read_opcode(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

uint32_t recorded_ibv_wc_read_qp_num(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	uint32_t result;

	record_begin(&the_call, ROW_ibv_wc_read_qp_num, the_args);
	result = ibv_wc_read_qp_num(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

uint8_t recorded_ibv_wc_read_sl(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	uint8_t result;

	record_begin(&the_call, ROW_ibv_wc_read_sl, the_args);
	result = ibv_wc_read_sl(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

uint32_t recorded_ibv_wc_read_slid(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	uint32_t result;

	record_begin(&the_call, ROW_ibv_wc_read_slid, the_args);
	result = ibv_wc_read_slid(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

uint32_t recorded_ibv_wc_read_src_qp(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	uint32_t result;

	record_begin(&the_call, ROW_ibv_wc_read_src_qp, the_args);
	result = ibv_wc_read_src_qp(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

void recorded_ibv_wc_read_tm_info(struct ibv_cq_ex *cq, struct ibv_wc_tm_info *tm_info)
{
	const uint64_t the_args[] = { (uintptr_t)cq, (uintptr_t)tm_info };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wc_read_tm_info, the_args);
	ibv_wc_read_tm_info(cq, tm_info);
	record_end(&the_call, 0);
}

uint32_t recorded_ibv_wc_read_vendor_err(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	uint32_t result;

	record_begin(&the_call, ROW_ibv_wc_read_vendor_err, the_args);
	result = ibv_wc_read_vendor_err(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

unsigned int recorded_ibv_wc_read_wc_flags(struct ibv_cq_ex *cq)
{
	const uint64_t the_args[] = { (uintptr_t)cq };
	struct record_call the_call;
	unsigned int result;

	record_begin(&the_call, ROW_ibv_wc_read_wc_flags, the_args);
	result = ibv_wc_read_wc_flags(cq);
	record_end(&the_call, (uint64_t)result);
	return result;
}

const char *(ibv_wc_status_str)(enum ibv_wc_status status)
{
	const uint64_t the_args[] = { (uint64_t)status };
	struct record_call the_call;
	const char *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_wc_status_str, the_args);
	result = real.ibv_wc_status_str(status);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

void recorded_ibv_wr_abort(struct ibv_qp_ex *qp)
{
	const uint64_t the_args[] = { (uintptr_t)qp };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_abort, the_args);
	ibv_wr_abort(qp);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t compare, uint64_t swap)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr, (uint64_t)compare, (uint64_t)swap };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_atomic_cmp_swp, the_args);
	ibv_wr_atomic_cmp_swp(qp, rkey, remote_addr, compare, swap);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t add)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr, (uint64_t)add };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_atomic_fetch_add, the_args);
	ibv_wr_atomic_fetch_add(qp, rkey, remote_addr, add);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_atomic_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, const void *atomic_wr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr, (uintptr_t)atomic_wr };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_atomic_write, the_args);
	ibv_wr_atomic_write(qp, rkey, remote_addr, atomic_wr);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_bind_mw(struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *bind_info)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)mw, (uint64_t)rkey, (uintptr_t)bind_info };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_bind_mw, the_args);
	ibv_wr_bind_mw(qp, mw, rkey, bind_info);
	record_end(&the_call, 0);
}

int recorded_ibv_wr_complete(struct ibv_qp_ex *qp)
{
	const uint64_t the_args[] = { (uintptr_t)qp };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_wr_complete, the_args);
	result = ibv_wr_complete(qp);
	record_end(&the_call, (uint64_t)result);
	return result;
}

void recorded_ibv_wr_flush(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, size_t len, uint8_t type, uint8_t level)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr, (uint64_t)len, (uint64_t)type, (uint64_t)level };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_flush, the_args);
	ibv_wr_flush(qp, rkey, remote_addr, len, type, level);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_local_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)invalidate_rkey };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_local_inv, the_args);
	ibv_wr_local_inv(qp, invalidate_rkey);
	record_end(&the_call, 0);
}

const char *(ibv_wr_opcode_str)(enum ibv_wr_opcode opcode)
{
	const uint64_t the_args[] = { (uint64_t)opcode };
	struct record_call the_call;
	const char *result;

	backend_need();
	record_begin(&the_call, ROW_ibv_wr_opcode_str, the_args);
	result = real.ibv_wr_opcode_str(opcode);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

void recorded_ibv_wr_rdma_read(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_rdma_read, the_args);
	ibv_wr_rdma_read(qp, rkey, remote_addr);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_rdma_write, the_args);
	ibv_wr_rdma_write(qp, rkey, remote_addr);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, __be32 imm_data)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)rkey, (uint64_t)remote_addr, (uint64_t)imm_data };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_rdma_write_imm, the_args);
	ibv_wr_rdma_write_imm(qp, rkey, remote_addr, imm_data);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_send(struct ibv_qp_ex *qp)
{
	const uint64_t the_args[] = { (uintptr_t)qp };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_send, the_args);
	ibv_wr_send(qp);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_send_imm(struct ibv_qp_ex *qp, __be32 imm_data)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)imm_data };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_send_imm, the_args);
	ibv_wr_send_imm(qp, imm_data);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_send_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)invalidate_rkey };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_send_inv, the_args);
	ibv_wr_send_inv(qp, invalidate_rkey);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_send_tso(struct ibv_qp_ex *qp, void *hdr, uint16_t hdr_sz, uint16_t mss)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)hdr, (uint64_t)hdr_sz, (uint64_t)mss };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_send_tso, the_args);
	ibv_wr_send_tso(qp, hdr, hdr_sz, mss);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)addr, (uint64_t)length };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_set_inline_data, the_args);
	ibv_wr_set_inline_data(qp, addr, length);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t num_buf, const struct ibv_data_buf *buf_list)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)num_buf, (uintptr_t)buf_list };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_set_inline_data_list, the_args);
	ibv_wr_set_inline_data_list(qp, num_buf, buf_list);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)lkey, (uint64_t)addr, (uint64_t)length };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_set_sge, the_args);
	ibv_wr_set_sge(qp, lkey, addr, length);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_set_sge_list(struct ibv_qp_ex *qp, size_t num_sge, const struct ibv_sge *sg_list)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)num_sge, (uintptr_t)sg_list };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_set_sge_list, the_args);
	ibv_wr_set_sge_list(qp, num_sge, sg_list);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_set_ud_addr(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t remote_qpn, uint32_t remote_qkey)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uintptr_t)ah, (uint64_t)remote_qpn, (uint64_t)remote_qkey };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_set_ud_addr, the_args);
	ibv_wr_set_ud_addr(qp, ah, remote_qpn, remote_qkey);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_set_xrc_srqn(struct ibv_qp_ex *qp, uint32_t remote_srqn)
{
	const uint64_t the_args[] = { (uintptr_t)qp, (uint64_t)remote_srqn };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_set_xrc_srqn, the_args);
	ibv_wr_set_xrc_srqn(qp, remote_srqn);
	record_end(&the_call, 0);
}

void recorded_ibv_wr_start(struct ibv_qp_ex *qp)
{
	const uint64_t the_args[] = { (uintptr_t)qp };
	struct record_call the_call;

	record_begin(&the_call, ROW_ibv_wr_start, the_args);
	ibv_wr_start(qp);
	record_end(&the_call, 0);
}

enum ibv_rate (mbps_to_ibv_rate)(int mbps)
{
	const uint64_t the_args[] = { (uint64_t)mbps };
	struct record_call the_call;
	enum ibv_rate result;

	backend_need();
	record_begin(&the_call, ROW_mbps_to_ibv_rate, the_args);
	result = real.mbps_to_ibv_rate(mbps);
	record_end(&the_call, (uint64_t)result);
	return result;
}

enum ibv_rate (mult_to_ibv_rate)(int mult)
{
	const uint64_t the_args[] = { (uint64_t)mult };
	struct record_call the_call;
	enum ibv_rate result;

	backend_need();
	record_begin(&the_call, ROW_mult_to_ibv_rate, the_args);
	result = real.mult_to_ibv_rate(mult);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_accept)(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)conn_param };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_accept, the_args);
	result = real.rdma_accept(id, conn_param);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_ack_cm_event)(struct rdma_cm_event *event)
{
	const uint64_t the_args[] = { (uintptr_t)event };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_ack_cm_event, the_args);
	result = real.rdma_ack_cm_event(event);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_bind_addr)(struct rdma_cm_id *id, struct sockaddr *addr)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)addr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_bind_addr, the_args);
	result = real.rdma_bind_addr(id, addr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_connect)(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)conn_param };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_connect, the_args);
	result = real.rdma_connect(id, conn_param);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_create_ep)(struct rdma_cm_id **id, struct rdma_addrinfo *res, struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)res, (uintptr_t)pd, (uintptr_t)qp_init_attr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_create_ep, the_args);
	result = real.rdma_create_ep(id, res, pd, qp_init_attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

struct rdma_event_channel *(rdma_create_event_channel)(void)
{
	const uint64_t the_args[] = { 0 };
	struct record_call the_call;
	struct rdma_event_channel *result;

	backend_need();
	record_begin(&the_call, ROW_rdma_create_event_channel, the_args);
	result = real.rdma_create_event_channel();
	record_end(&the_call, (uintptr_t)result);
	return result;
}

int (rdma_create_id)(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context, enum rdma_port_space ps)
{
	const uint64_t the_args[] = { (uintptr_t)channel, (uintptr_t)id, (uintptr_t)context, (uint64_t)ps };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_create_id, the_args);
	result = real.rdma_create_id(channel, id, context, ps);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_create_qp)(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)pd, (uintptr_t)qp_init_attr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_create_qp, the_args);
	result = real.rdma_create_qp(id, pd, qp_init_attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_create_qp_ex)(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *qp_init_attr)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)qp_init_attr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_create_qp_ex, the_args);
	result = real.rdma_create_qp_ex(id, qp_init_attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_create_srq)(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)pd, (uintptr_t)attr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_create_srq, the_args);
	result = real.rdma_create_srq(id, pd, attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_create_srq_ex)(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)attr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_create_srq_ex, the_args);
	result = real.rdma_create_srq_ex(id, attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_rdma_dereg_mr(struct ibv_mr *mr)
{
	const uint64_t the_args[] = { (uintptr_t)mr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_rdma_dereg_mr, the_args);
	result = rdma_dereg_mr(mr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

void (rdma_destroy_ep)(struct rdma_cm_id *id)
{
	const uint64_t the_args[] = { (uintptr_t)id };
	struct record_call the_call;

	backend_need();
	record_begin(&the_call, ROW_rdma_destroy_ep, the_args);
	real.rdma_destroy_ep(id);
	record_end(&the_call, 0);
}

void (rdma_destroy_event_channel)(struct rdma_event_channel *channel)
{
	const uint64_t the_args[] = { (uintptr_t)channel };
	struct record_call the_call;

	backend_need();
	record_begin(&the_call, ROW_rdma_destroy_event_channel, the_args);
	real.rdma_destroy_event_channel(channel);
	record_end(&the_call, 0);
}

int (rdma_destroy_id)(struct rdma_cm_id *id)
{
	const uint64_t the_args[] = { (uintptr_t)id };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_destroy_id, the_args);
	result = real.rdma_destroy_id(id);
	record_end(&the_call, (uint64_t)result);
	return result;
}

void (rdma_destroy_qp)(struct rdma_cm_id *id)
{
	const uint64_t the_args[] = { (uintptr_t)id };
	struct record_call the_call;

	backend_need();
	record_begin(&the_call, ROW_rdma_destroy_qp, the_args);
	real.rdma_destroy_qp(id);
	record_end(&the_call, 0);
}

void (rdma_destroy_srq)(struct rdma_cm_id *id)
{
	const uint64_t the_args[] = { (uintptr_t)id };
	struct record_call the_call;

	backend_need();
	record_begin(&the_call, ROW_rdma_destroy_srq, the_args);
	real.rdma_destroy_srq(id);
	record_end(&the_call, 0);
}

int (rdma_disconnect)(struct rdma_cm_id *id)
{
	const uint64_t the_args[] = { (uintptr_t)id };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_disconnect, the_args);
	result = real.rdma_disconnect(id);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_establish)(struct rdma_cm_id *id)
{
	const uint64_t the_args[] = { (uintptr_t)id };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_establish, the_args);
	result = real.rdma_establish(id);
	record_end(&the_call, (uint64_t)result);
	return result;
}

const char *(rdma_event_str)(enum rdma_cm_event_type event)
{
	const uint64_t the_args[] = { (uint64_t)event };
	struct record_call the_call;
	const char *result;

	backend_need();
	record_begin(&the_call, ROW_rdma_event_str, the_args);
	result = real.rdma_event_str(event);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

void (rdma_free_devices)(struct ibv_context **list)
{
	const uint64_t the_args[] = { (uintptr_t)list };
	struct record_call the_call;

	backend_need();
	record_begin(&the_call, ROW_rdma_free_devices, the_args);
	real.rdma_free_devices(list);
	record_end(&the_call, 0);
}

void (rdma_freeaddrinfo)(struct rdma_addrinfo *res)
{
	const uint64_t the_args[] = { (uintptr_t)res };
	struct record_call the_call;

	backend_need();
	record_begin(&the_call, ROW_rdma_freeaddrinfo, the_args);
	real.rdma_freeaddrinfo(res);
	record_end(&the_call, 0);
}

int (rdma_get_cm_event)(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	const uint64_t the_args[] = { (uintptr_t)channel, (uintptr_t)event };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_get_cm_event, the_args);
	result = real.rdma_get_cm_event(channel, event);
	record_end(&the_call, (uint64_t)result);
	return result;
}

struct ibv_context **(rdma_get_devices)(int *num_devices)
{
	const uint64_t the_args[] = { (uintptr_t)num_devices };
	struct record_call the_call;
	struct ibv_context **result;

	backend_need();
	record_begin(&the_call, ROW_rdma_get_devices, the_args);
	result = real.rdma_get_devices(num_devices);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

__be16 (rdma_get_dst_port)(struct rdma_cm_id *id)
{
	const uint64_t the_args[] = { (uintptr_t)id };
	struct record_call the_call;
	__be16 result;

	backend_need();
	record_begin(&the_call, ROW_rdma_get_dst_port, the_args);
	result = real.rdma_get_dst_port(id);
	record_end(&the_call, (uint64_t)result);
	return result;
}

struct sockaddr *recorded_rdma_get_local_addr(struct rdma_cm_id *id)
{
	const uint64_t the_args[] = { (uintptr_t)id };
	struct record_call the_call;
	struct sockaddr *result;

	record_begin(&the_call, ROW_rdma_get_local_addr, the_args);
	result = rdma_get_local_addr(id);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct sockaddr *recorded_rdma_get_peer_addr(struct rdma_cm_id *id)
{
	const uint64_t the_args[] = { (uintptr_t)id };
	struct record_call the_call;
	struct sockaddr *result;

	record_begin(&the_call, ROW_rdma_get_peer_addr, the_args);
	result = rdma_get_peer_addr(id);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

int recorded_rdma_get_recv_comp(struct rdma_cm_id *id, struct ibv_wc *wc)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)wc };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_rdma_get_recv_comp, the_args);
	result = rdma_get_recv_comp(id, wc);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_get_remote_ece)(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)ece };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_get_remote_ece, the_args);
	result = real.rdma_get_remote_ece(id, ece);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_get_request)(struct rdma_cm_id *listen, struct rdma_cm_id **id)
{
	const uint64_t the_args[] = { (uintptr_t)listen, (uintptr_t)id };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_get_request, the_args);
	result = real.rdma_get_request(listen, id);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_rdma_get_send_comp(struct rdma_cm_id *id, struct ibv_wc *wc)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)wc };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_rdma_get_send_comp, the_args);
	result = rdma_get_send_comp(id, wc);
	record_end(&the_call, (uint64_t)result);
	return result;
}

__be16 (rdma_get_src_port)(struct rdma_cm_id *id)
{
	const uint64_t the_args[] = { (uintptr_t)id };
	struct record_call the_call;
	__be16 result;

	backend_need();
	record_begin(&the_call, ROW_rdma_get_src_port, the_args);
	result = real.rdma_get_src_port(id);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_getaddrinfo)(const char *node, const char *service, const struct rdma_addrinfo *hints, struct rdma_addrinfo **res)
{
	const uint64_t the_args[] = { (uintptr_t)node, (uintptr_t)service, (uintptr_t)hints, (uintptr_t)res };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_getaddrinfo, the_args);
	result = real.rdma_getaddrinfo(node, service, hints, res);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_init_qp_attr)(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr, int *qp_attr_mask)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)qp_attr, (uintptr_t)qp_attr_mask };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_init_qp_attr, the_args);
	result = real.rdma_init_qp_attr(id, qp_attr, qp_attr_mask);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_join_multicast)(struct rdma_cm_id *id, struct sockaddr *addr, void *context)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)addr, (uintptr_t)context };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_join_multicast, the_args);
	result = real.rdma_join_multicast(id, addr, context);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_join_multicast_ex)(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *mc_join_attr, void *context)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)mc_join_attr, (uintptr_t)context };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_join_multicast_ex, the_args);
	result = real.rdma_join_multicast_ex(id, mc_join_attr, context);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_leave_multicast)(struct rdma_cm_id *id, struct sockaddr *addr)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)addr };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_leave_multicast, the_args);
	result = real.rdma_leave_multicast(id, addr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_listen)(struct rdma_cm_id *id, int backlog)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uint64_t)backlog };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_listen, the_args);
	result = real.rdma_listen(id, backlog);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_migrate_id)(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)channel };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_migrate_id, the_args);
	result = real.rdma_migrate_id(id, channel);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_notify)(struct rdma_cm_id *id, enum ibv_event_type event)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uint64_t)event };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_notify, the_args);
	result = real.rdma_notify(id, event);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_rdma_post_read(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr, int flags, uint64_t remote_addr, uint32_t rkey)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)context, (uintptr_t)addr, (uint64_t)length, (uintptr_t)mr, (uint64_t)flags, (uint64_t)remote_addr, (uint64_t)rkey };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_rdma_post_read, the_args);
	result = rdma_post_read(id, context, addr, length, mr, flags, remote_addr, rkey);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_rdma_post_readv(struct rdma_cm_id *id, void *context, struct ibv_sge *sgl, int nsge, int flags, uint64_t remote_addr, uint32_t rkey)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)context, (uintptr_t)sgl, (uint64_t)nsge, (uint64_t)flags, (uint64_t)remote_addr, (uint64_t)rkey };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_rdma_post_readv, the_args);
	result = rdma_post_readv(id, context, sgl, nsge, flags, remote_addr, rkey);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_rdma_post_recv(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)context, (uintptr_t)addr, (uint64_t)length, (uintptr_t)mr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_rdma_post_recv, the_args);
	result = rdma_post_recv(id, context, addr, length, mr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_rdma_post_recvv(struct rdma_cm_id *id, void *context, struct ibv_sge *sgl, int nsge)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)context, (uintptr_t)sgl, (uint64_t)nsge };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_rdma_post_recvv, the_args);
	result = rdma_post_recvv(id, context, sgl, nsge);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_rdma_post_send(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr, int flags)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)context, (uintptr_t)addr, (uint64_t)length, (uintptr_t)mr, (uint64_t)flags };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_rdma_post_send, the_args);
	result = rdma_post_send(id, context, addr, length, mr, flags);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_rdma_post_sendv(struct rdma_cm_id *id, void *context, struct ibv_sge *sgl, int nsge, int flags)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)context, (uintptr_t)sgl, (uint64_t)nsge, (uint64_t)flags };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_rdma_post_sendv, the_args);
	result = rdma_post_sendv(id, context, sgl, nsge, flags);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_rdma_post_ud_send(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr, int flags, struct ibv_ah *ah, uint32_t remote_qpn)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)context, (uintptr_t)addr, (uint64_t)length, (uintptr_t)mr, (uint64_t)flags, (uintptr_t)ah, (uint64_t)remote_qpn };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_rdma_post_ud_send, the_args);
	result = rdma_post_ud_send(id, context, addr, length, mr, flags, ah, remote_qpn);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_rdma_post_write(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr, int flags, uint64_t remote_addr, uint32_t rkey)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)context, (uintptr_t)addr, (uint64_t)length, (uintptr_t)mr, (uint64_t)flags, (uint64_t)remote_addr, (uint64_t)rkey };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_rdma_post_write, the_args);
	result = rdma_post_write(id, context, addr, length, mr, flags, remote_addr, rkey);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int recorded_rdma_post_writev(struct rdma_cm_id *id, void *context, struct ibv_sge *sgl, int nsge, int flags, uint64_t remote_addr, uint32_t rkey)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)context, (uintptr_t)sgl, (uint64_t)nsge, (uint64_t)flags, (uint64_t)remote_addr, (uint64_t)rkey };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_rdma_post_writev, the_args);
	result = rdma_post_writev(id, context, sgl, nsge, flags, remote_addr, rkey);
	record_end(&the_call, (uint64_t)result);
	return result;
}

struct ibv_mr *recorded_rdma_reg_msgs(struct rdma_cm_id *id, void *addr, size_t length)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)addr, (uint64_t)length };
	struct record_call the_call;
	struct ibv_mr *result;

	record_begin(&the_call, ROW_rdma_reg_msgs, the_args);
	result = rdma_reg_msgs(id, addr, length);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_mr *recorded_rdma_reg_read(struct rdma_cm_id *id, void *addr, size_t length)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)addr, (uint64_t)length };
	struct record_call the_call;
	struct ibv_mr *result;

	record_begin(&the_call, ROW_rdma_reg_read, the_args);
	result = rdma_reg_read(id, addr, length);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_mr *recorded_rdma_reg_write(struct rdma_cm_id *id, void *addr, size_t length)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)addr, (uint64_t)length };
	struct record_call the_call;
	struct ibv_mr *result;

	record_begin(&the_call, ROW_rdma_reg_write, the_args);
	result = rdma_reg_write(id, addr, length);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

int (rdma_reject)(struct rdma_cm_id *id, const void *private_data, uint8_t private_data_len)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)private_data, (uint64_t)private_data_len };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_reject, the_args);
	result = real.rdma_reject(id, private_data, private_data_len);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_reject_ece)(struct rdma_cm_id *id, const void *private_data, uint8_t private_data_len)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)private_data, (uint64_t)private_data_len };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_reject_ece, the_args);
	result = real.rdma_reject_ece(id, private_data, private_data_len);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_resolve_addr)(struct rdma_cm_id *id, struct sockaddr *src_addr, struct sockaddr *dst_addr, int timeout_ms)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)src_addr, (uintptr_t)dst_addr, (uint64_t)timeout_ms };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_resolve_addr, the_args);
	result = real.rdma_resolve_addr(id, src_addr, dst_addr, timeout_ms);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_resolve_route)(struct rdma_cm_id *id, int timeout_ms)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uint64_t)timeout_ms };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_resolve_route, the_args);
	result = real.rdma_resolve_route(id, timeout_ms);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_set_local_ece)(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uintptr_t)ece };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_set_local_ece, the_args);
	result = real.rdma_set_local_ece(id, ece);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int (rdma_set_option)(struct rdma_cm_id *id, int level, int optname, void *optval, size_t optlen)
{
	const uint64_t the_args[] = { (uintptr_t)id, (uint64_t)level, (uint64_t)optname, (uintptr_t)optval, (uint64_t)optlen };
	struct record_call the_call;
	int result;

	backend_need();
	record_begin(&the_call, ROW_rdma_set_option, the_args);
	result = real.rdma_set_option(id, level, optname, optval, optlen);
	record_end(&the_call, (uint64_t)result);
	return result;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index, struct ibv_gid_entry *entry, uint32_t flags, size_t entry_size)
{
	backend_need();
	return real._ibv_query_gid_ex(context, port_num, gid_index, entry, flags, entry_size);
}

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries, uint32_t flags, size_t entry_size)
{
	backend_need();
	return real._ibv_query_gid_table(context, entries, max_entries, flags, entry_size);
}

int recorded_ibv_query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *port_attr)
{
	const uint64_t the_args[] = { (uintptr_t)context, (uint64_t)port_num, (uintptr_t)port_attr };
	struct record_call the_call;
	int result;

	record_begin(&the_call, ROW_ibv_query_port, the_args);
	result = ___ibv_query_port(context, port_num, port_attr);
	record_end(&the_call, (uint64_t)result);
	return result;
}

struct ibv_mr *recorded_ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uintptr_t)addr, (uint64_t)length, (uint64_t)access };
	struct record_call the_call;
	struct ibv_mr *result;

	record_begin(&the_call, ROW_ibv_reg_mr, the_args);
	result = __ibv_reg_mr(pd, addr, length, access, 0);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

struct ibv_mr *recorded_ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
	const uint64_t the_args[] = { (uintptr_t)pd, (uintptr_t)addr, (uint64_t)length, (uint64_t)iova, (uint64_t)access };
	struct record_call the_call;
	struct ibv_mr *result;

	record_begin(&the_call, ROW_ibv_reg_mr_iova, the_args);
	result = __ibv_reg_mr_iova(pd, addr, length, iova, access, 0);
	record_end(&the_call, (uintptr_t)result);
	return result;
}

