/* SPDX-License-Identifier: MIT */
/* Written by describe.py from the headers of rdma-core; not to be edited. */
/* clang-format off */
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "calls.h"
#include "recorded.h"

#define AT(type, field) .size = sizeof(((type *)0)->field), .offset = offsetof(type, field)

static const struct call_struct struct_ibv_sge;
static const struct call_struct struct_ibv_alloc_dm_attr;
static const struct call_struct struct_ibv_parent_domain_init_attr;
static const struct call_struct struct_ibv_td_init_attr;
static const struct call_struct struct_ibv_counter_attach_attr;
static const struct call_struct struct_ibv_mw_bind;
static const struct call_struct struct_ibv_mw_bind_info;
static const struct call_struct struct_ibv_ah_attr;
static const struct call_struct struct_ibv_global_route;
static const struct call_struct struct_ibv_wc;
static const struct call_struct struct_ibv_grh;
static const struct call_struct struct_ibv_counters_init_attr;
static const struct call_struct struct_ibv_cq_init_attr_ex;
static const struct call_struct struct_ibv_flow_attr;
static const struct call_struct struct_ibv_flow_spec;
static const struct call_struct struct_ibv_flow_spec_eth;
static const struct call_struct struct_ibv_flow_eth_filter;
static const struct call_struct struct_ibv_flow_spec_ipv4;
static const struct call_struct struct_ibv_flow_ipv4_filter;
static const struct call_struct struct_ibv_flow_spec_tcp_udp;
static const struct call_struct struct_ibv_flow_tcp_udp_filter;
static const struct call_struct struct_ibv_flow_spec_ipv4_ext;
static const struct call_struct struct_ibv_flow_ipv4_ext_filter;
static const struct call_struct struct_ibv_flow_spec_ipv6;
static const struct call_struct struct_ibv_flow_ipv6_filter;
static const struct call_struct struct_ibv_flow_spec_esp;
static const struct call_struct struct_ibv_flow_esp_filter;
static const struct call_struct struct_ibv_flow_spec_tunnel;
static const struct call_struct struct_ibv_flow_tunnel_filter;
static const struct call_struct struct_ibv_flow_spec_gre;
static const struct call_struct struct_ibv_flow_gre_filter;
static const struct call_struct struct_ibv_flow_spec_mpls;
static const struct call_struct struct_ibv_flow_mpls_filter;
static const struct call_struct struct_ibv_flow_spec_action_tag;
static const struct call_struct struct_ibv_flow_spec_action_drop;
static const struct call_struct struct_ibv_flow_spec_action_handle;
static const struct call_struct struct_ibv_flow_spec_counter_action;
static const struct call_struct struct_ibv_flow_action_esp_attr;
static const struct call_struct struct_ib_uverbs_flow_action_esp;
static const struct call_struct struct_ibv_qp_init_attr;
static const struct call_struct struct_ibv_qp_cap;
static const struct call_struct struct_ibv_qp_init_attr_ex;
static const struct call_struct struct_ibv_rx_hash_conf;
static const struct call_struct struct_ibv_rwq_ind_table_init_attr;
static const struct call_struct struct_ibv_srq_init_attr;
static const struct call_struct struct_ibv_srq_attr;
static const struct call_struct struct_ibv_srq_init_attr_ex;
static const struct call_struct struct_ibv_tm_cap;
static const struct call_struct struct_ibv_wq_init_attr;
static const struct call_struct struct_ibv_modify_cq_attr;
static const struct call_struct struct_ibv_moderate_cq;
static const struct call_struct struct_ibv_qp_attr;
static const struct call_struct struct_ibv_qp_rate_limit_attr;
static const struct call_struct struct_ibv_wq_attr;
static const struct call_struct struct_ibv_qp_open_attr;
static const struct call_struct struct_ibv_xrcd_init_attr;
static const struct call_struct struct_ibv_recv_wr;
static const struct call_struct struct_ibv_send_wr;
static const struct call_struct struct_ibv_ops_wr;
static const struct call_struct struct_ibv_device_attr;
static const struct call_struct struct_ibv_query_device_ex_input;
static const struct call_struct struct_ibv_device_attr_ex;
static const struct call_struct struct_ibv_odp_caps;
static const struct call_struct struct_ibv_tso_caps;
static const struct call_struct struct_ibv_rss_caps;
static const struct call_struct struct_ibv_packet_pacing_caps;
static const struct call_struct struct_ibv_tm_caps;
static const struct call_struct struct_ibv_cq_moderation_caps;
static const struct call_struct struct_ibv_pci_atomic_caps;
static const struct call_struct struct_ibv_ece;
static const struct call_struct struct_ibv_gid_entry;
static const struct call_struct struct_ibv_port_attr;
static const struct call_struct struct_ibv_values_ex;
static const struct call_struct struct_timespec;
static const struct call_struct struct_ibv_poll_cq_attr;
static const struct call_struct struct_ibv_wc_tm_info;
static const struct call_struct struct_ibv_data_buf;
static const struct call_struct struct_rdma_conn_param;
static const struct call_struct struct_rdma_addrinfo;
static const struct call_struct struct_rdma_cm_join_mc_attr_ex;
static const struct call_struct struct_ibv_ah;
static const struct call_struct struct_ibv_async_event;
static const struct call_struct struct_ibv_cq_ex;
static const struct call_struct struct_ibv_dm;
static const struct call_struct struct_ibv_mr;
static const struct call_struct struct_ibv_mw;
static const struct call_struct struct_ibv_qp_ex;
static const struct call_struct struct_ibv_qp;
static const struct call_struct struct_ibv_rwq_ind_table;
static const struct call_struct struct_ibv_wq;
static const struct call_struct struct_rdma_cm_event;

static const struct call_word words_af_v[] = {
	{ "AF_UNSPEC", AF_UNSPEC },
	{ "AF_INET", AF_INET },
	{ "AF_INET6", AF_INET6 },
	{ "AF_IB", AF_IB },
	{ 0 }
};
static const struct call_enum words_af = { "AF", "AF_", words_af_v };

static const struct call_word words_ibv_link_layer_unspecified_v[] = {
	{ "IBV_LINK_LAYER_UNSPECIFIED", IBV_LINK_LAYER_UNSPECIFIED },
	{ "IBV_LINK_LAYER_INFINIBAND", IBV_LINK_LAYER_INFINIBAND },
	{ "IBV_LINK_LAYER_ETHERNET", IBV_LINK_LAYER_ETHERNET },
	{ 0 }
};
static const struct call_enum words_ibv_link_layer_unspecified = { "IBV_LINK_LAYER_UNSPECIFIED", "IBV_LINK_LAYER_", words_ibv_link_layer_unspecified_v };

static const struct call_word words_o_v[] = {
	{ "O_CREAT", O_CREAT },
	{ "O_EXCL", O_EXCL },
	{ 0 }
};
static const struct call_enum words_o = { "O", "O_", words_o_v };

static const struct call_word words_rai_v[] = {
	{ "RAI_PASSIVE", RAI_PASSIVE },
	{ "RAI_NUMERICHOST", RAI_NUMERICHOST },
	{ "RAI_NOROUTE", RAI_NOROUTE },
	{ "RAI_FAMILY", RAI_FAMILY },
	{ 0 }
};
static const struct call_enum words_rai = { "RAI", "RAI_", words_rai_v };

static const struct call_word words_ib_uverbs_advise_mr_advice_v[] = {
	{ "IBV_ADVISE_MR_ADVICE_PREFETCH", IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH },
	{ "IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE", IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE },
	{ "IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT", IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT },
	{ 0 }
};
static const struct call_enum words_ib_uverbs_advise_mr_advice = { "ibv_advise_mr_advice", "IBV_ADVISE_MR_ADVICE_", words_ib_uverbs_advise_mr_advice_v };

static const struct call_word words_ib_uverbs_advise_mr_flag_v[] = {
	{ "IBV_ADVISE_MR_FLAG_FLUSH", IB_UVERBS_ADVISE_MR_FLAG_FLUSH },
	{ 0 }
};
static const struct call_enum words_ib_uverbs_advise_mr_flag = { "ibv_advise_mr_flag", "IBV_", words_ib_uverbs_advise_mr_flag_v };

static const struct call_word words_ib_uverbs_flow_action_esp_keymat_v[] = {
	{ "IBV_FLOW_ACTION_ESP_KEYMAT_AES_GCM", IB_UVERBS_FLOW_ACTION_ESP_KEYMAT_AES_GCM },
	{ 0 }
};
static const struct call_enum words_ib_uverbs_flow_action_esp_keymat = { "ibv_flow_action_esp_keymat", "IBV_", words_ib_uverbs_flow_action_esp_keymat_v };

static const struct call_word words_ib_uverbs_flow_action_esp_replay_v[] = {
	{ "IBV_FLOW_ACTION_ESP_REPLAY_NONE", IB_UVERBS_FLOW_ACTION_ESP_REPLAY_NONE },
	{ "IBV_FLOW_ACTION_ESP_REPLAY_BMP", IB_UVERBS_FLOW_ACTION_ESP_REPLAY_BMP },
	{ 0 }
};
static const struct call_enum words_ib_uverbs_flow_action_esp_replay = { "ibv_flow_action_esp_replay", "IBV_FLOW_ACTION_ESP_REPLAY_", words_ib_uverbs_flow_action_esp_replay_v };

static const struct call_word words_ibv_access_flags_v[] = {
	{ "IBV_ACCESS_LOCAL_WRITE", IBV_ACCESS_LOCAL_WRITE },
	{ "IBV_ACCESS_REMOTE_WRITE", IBV_ACCESS_REMOTE_WRITE },
	{ "IBV_ACCESS_REMOTE_READ", IBV_ACCESS_REMOTE_READ },
	{ "IBV_ACCESS_REMOTE_ATOMIC", IBV_ACCESS_REMOTE_ATOMIC },
	{ "IBV_ACCESS_MW_BIND", IBV_ACCESS_MW_BIND },
	{ "IBV_ACCESS_ZERO_BASED", IBV_ACCESS_ZERO_BASED },
	{ "IBV_ACCESS_ON_DEMAND", IBV_ACCESS_ON_DEMAND },
	{ "IBV_ACCESS_HUGETLB", IBV_ACCESS_HUGETLB },
	{ "IBV_ACCESS_FLUSH_GLOBAL", 256 },
	{ "IBV_ACCESS_FLUSH_PERSISTENT", 512 },
	{ "IBV_ACCESS_RELAXED_ORDERING", IBV_ACCESS_RELAXED_ORDERING },
	{ 0 }
};
static const struct call_enum words_ibv_access_flags = { "ibv_access_flags", "IBV_ACCESS_", words_ibv_access_flags_v };

static const struct call_word words_ibv_atomic_cap_v[] = {
	{ "IBV_ATOMIC_NONE", IBV_ATOMIC_NONE },
	{ "IBV_ATOMIC_HCA", IBV_ATOMIC_HCA },
	{ "IBV_ATOMIC_GLOB", IBV_ATOMIC_GLOB },
	{ 0 }
};
static const struct call_enum words_ibv_atomic_cap = { "ibv_atomic_cap", "IBV_ATOMIC_", words_ibv_atomic_cap_v };

static const struct call_word words_ibv_counter_description_v[] = {
	{ "IBV_COUNTER_PACKETS", IBV_COUNTER_PACKETS },
	{ "IBV_COUNTER_BYTES", IBV_COUNTER_BYTES },
	{ 0 }
};
static const struct call_enum words_ibv_counter_description = { "ibv_counter_description", "IBV_COUNTER_", words_ibv_counter_description_v };

static const struct call_word words_ibv_cq_attr_mask_v[] = {
	{ "IBV_CQ_ATTR_MODERATE", IBV_CQ_ATTR_MODERATE },
	{ 0 }
};
static const struct call_enum words_ibv_cq_attr_mask = { "ibv_cq_attr_mask", "IBV_CQ_ATTR_", words_ibv_cq_attr_mask_v };

static const struct call_word words_ibv_cq_init_attr_mask_v[] = {
	{ "IBV_CQ_INIT_ATTR_MASK_FLAGS", IBV_CQ_INIT_ATTR_MASK_FLAGS },
	{ "IBV_CQ_INIT_ATTR_MASK_PD", IBV_CQ_INIT_ATTR_MASK_PD },
	{ 0 }
};
static const struct call_enum words_ibv_cq_init_attr_mask = { "ibv_cq_init_attr_mask", "IBV_CQ_INIT_ATTR_MASK_", words_ibv_cq_init_attr_mask_v };

static const struct call_word words_ibv_create_cq_attr_flags_v[] = {
	{ "IBV_CREATE_CQ_ATTR_SINGLE_THREADED", IBV_CREATE_CQ_ATTR_SINGLE_THREADED },
	{ "IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN", IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN },
	{ 0 }
};
static const struct call_enum words_ibv_create_cq_attr_flags = { "ibv_create_cq_attr_flags", "IBV_CREATE_CQ_ATTR_", words_ibv_create_cq_attr_flags_v };

static const struct call_word words_ibv_create_cq_wc_flags_v[] = {
	{ "IBV_WC_EX_WITH_BYTE_LEN", IBV_WC_EX_WITH_BYTE_LEN },
	{ "IBV_WC_EX_WITH_IMM", IBV_WC_EX_WITH_IMM },
	{ "IBV_WC_EX_WITH_QP_NUM", IBV_WC_EX_WITH_QP_NUM },
	{ "IBV_WC_EX_WITH_SRC_QP", IBV_WC_EX_WITH_SRC_QP },
	{ "IBV_WC_EX_WITH_SLID", IBV_WC_EX_WITH_SLID },
	{ "IBV_WC_EX_WITH_SL", IBV_WC_EX_WITH_SL },
	{ "IBV_WC_EX_WITH_DLID_PATH_BITS", IBV_WC_EX_WITH_DLID_PATH_BITS },
	{ "IBV_WC_EX_WITH_COMPLETION_TIMESTAMP", IBV_WC_EX_WITH_COMPLETION_TIMESTAMP },
	{ "IBV_WC_EX_WITH_CVLAN", IBV_WC_EX_WITH_CVLAN },
	{ "IBV_WC_EX_WITH_FLOW_TAG", IBV_WC_EX_WITH_FLOW_TAG },
	{ "IBV_WC_EX_WITH_TM_INFO", IBV_WC_EX_WITH_TM_INFO },
	{ "IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK", IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK },
	{ 0 }
};
static const struct call_enum words_ibv_create_cq_wc_flags = { "ibv_create_cq_wc_flags", "IBV_WC_EX_WITH_", words_ibv_create_cq_wc_flags_v };

static const struct call_word words_ibv_device_cap_flags_v[] = {
	{ "IBV_DEVICE_RESIZE_MAX_WR", IBV_DEVICE_RESIZE_MAX_WR },
	{ "IBV_DEVICE_BAD_PKEY_CNTR", IBV_DEVICE_BAD_PKEY_CNTR },
	{ "IBV_DEVICE_BAD_QKEY_CNTR", IBV_DEVICE_BAD_QKEY_CNTR },
	{ "IBV_DEVICE_RAW_MULTI", IBV_DEVICE_RAW_MULTI },
	{ "IBV_DEVICE_AUTO_PATH_MIG", IBV_DEVICE_AUTO_PATH_MIG },
	{ "IBV_DEVICE_CHANGE_PHY_PORT", IBV_DEVICE_CHANGE_PHY_PORT },
	{ "IBV_DEVICE_UD_AV_PORT_ENFORCE", IBV_DEVICE_UD_AV_PORT_ENFORCE },
	{ "IBV_DEVICE_CURR_QP_STATE_MOD", IBV_DEVICE_CURR_QP_STATE_MOD },
	{ "IBV_DEVICE_SHUTDOWN_PORT", IBV_DEVICE_SHUTDOWN_PORT },
	{ "IBV_DEVICE_INIT_TYPE", IBV_DEVICE_INIT_TYPE },
	{ "IBV_DEVICE_PORT_ACTIVE_EVENT", IBV_DEVICE_PORT_ACTIVE_EVENT },
	{ "IBV_DEVICE_SYS_IMAGE_GUID", IBV_DEVICE_SYS_IMAGE_GUID },
	{ "IBV_DEVICE_RC_RNR_NAK_GEN", IBV_DEVICE_RC_RNR_NAK_GEN },
	{ "IBV_DEVICE_SRQ_RESIZE", IBV_DEVICE_SRQ_RESIZE },
	{ "IBV_DEVICE_N_NOTIFY_CQ", IBV_DEVICE_N_NOTIFY_CQ },
	{ "IBV_DEVICE_MEM_WINDOW", IBV_DEVICE_MEM_WINDOW },
	{ "IBV_DEVICE_UD_IP_CSUM", IBV_DEVICE_UD_IP_CSUM },
	{ "IBV_DEVICE_XRC", IBV_DEVICE_XRC },
	{ "IBV_DEVICE_MEM_MGT_EXTENSIONS", IBV_DEVICE_MEM_MGT_EXTENSIONS },
	{ "IBV_DEVICE_MEM_WINDOW_TYPE_2A", IBV_DEVICE_MEM_WINDOW_TYPE_2A },
	{ "IBV_DEVICE_MEM_WINDOW_TYPE_2B", IBV_DEVICE_MEM_WINDOW_TYPE_2B },
	{ "IBV_DEVICE_RC_IP_CSUM", IBV_DEVICE_RC_IP_CSUM },
	{ "IBV_DEVICE_RAW_IP_CSUM", IBV_DEVICE_RAW_IP_CSUM },
	{ "IBV_DEVICE_MANAGED_FLOW_STEERING", IBV_DEVICE_MANAGED_FLOW_STEERING },
	{ 0 }
};
static const struct call_enum words_ibv_device_cap_flags = { "ibv_device_cap_flags", "IBV_DEVICE_", words_ibv_device_cap_flags_v };

static const struct call_word words_ibv_event_type_v[] = {
	{ "IBV_EVENT_CQ_ERR", IBV_EVENT_CQ_ERR },
	{ "IBV_EVENT_QP_FATAL", IBV_EVENT_QP_FATAL },
	{ "IBV_EVENT_QP_REQ_ERR", IBV_EVENT_QP_REQ_ERR },
	{ "IBV_EVENT_QP_ACCESS_ERR", IBV_EVENT_QP_ACCESS_ERR },
	{ "IBV_EVENT_COMM_EST", IBV_EVENT_COMM_EST },
	{ "IBV_EVENT_SQ_DRAINED", IBV_EVENT_SQ_DRAINED },
	{ "IBV_EVENT_PATH_MIG", IBV_EVENT_PATH_MIG },
	{ "IBV_EVENT_PATH_MIG_ERR", IBV_EVENT_PATH_MIG_ERR },
	{ "IBV_EVENT_DEVICE_FATAL", IBV_EVENT_DEVICE_FATAL },
	{ "IBV_EVENT_PORT_ACTIVE", IBV_EVENT_PORT_ACTIVE },
	{ "IBV_EVENT_PORT_ERR", IBV_EVENT_PORT_ERR },
	{ "IBV_EVENT_LID_CHANGE", IBV_EVENT_LID_CHANGE },
	{ "IBV_EVENT_PKEY_CHANGE", IBV_EVENT_PKEY_CHANGE },
	{ "IBV_EVENT_SM_CHANGE", IBV_EVENT_SM_CHANGE },
	{ "IBV_EVENT_SRQ_ERR", IBV_EVENT_SRQ_ERR },
	{ "IBV_EVENT_SRQ_LIMIT_REACHED", IBV_EVENT_SRQ_LIMIT_REACHED },
	{ "IBV_EVENT_QP_LAST_WQE_REACHED", IBV_EVENT_QP_LAST_WQE_REACHED },
	{ "IBV_EVENT_CLIENT_REREGISTER", IBV_EVENT_CLIENT_REREGISTER },
	{ "IBV_EVENT_GID_CHANGE", IBV_EVENT_GID_CHANGE },
	{ "IBV_EVENT_WQ_FATAL", IBV_EVENT_WQ_FATAL },
	{ 0 }
};
static const struct call_enum words_ibv_event_type = { "ibv_event_type", "IBV_EVENT_", words_ibv_event_type_v };

static const struct call_word words_ibv_flow_attr_type_v[] = {
	{ "IBV_FLOW_ATTR_NORMAL", IBV_FLOW_ATTR_NORMAL },
	{ "IBV_FLOW_ATTR_ALL_DEFAULT", IBV_FLOW_ATTR_ALL_DEFAULT },
	{ "IBV_FLOW_ATTR_MC_DEFAULT", IBV_FLOW_ATTR_MC_DEFAULT },
	{ "IBV_FLOW_ATTR_SNIFFER", IBV_FLOW_ATTR_SNIFFER },
	{ 0 }
};
static const struct call_enum words_ibv_flow_attr_type = { "ibv_flow_attr_type", "IBV_FLOW_ATTR_", words_ibv_flow_attr_type_v };

static const struct call_word words_ibv_flow_flags_v[] = {
	{ "IBV_FLOW_ATTR_FLAGS_DONT_TRAP", IBV_FLOW_ATTR_FLAGS_DONT_TRAP },
	{ "IBV_FLOW_ATTR_FLAGS_EGRESS", IBV_FLOW_ATTR_FLAGS_EGRESS },
	{ 0 }
};
static const struct call_enum words_ibv_flow_flags = { "ibv_flow_flags", "IBV_FLOW_ATTR_FLAGS_", words_ibv_flow_flags_v };

static const struct call_word words_ibv_flow_spec_type_v[] = {
	{ "IBV_FLOW_SPEC_ETH", IBV_FLOW_SPEC_ETH },
	{ "IBV_FLOW_SPEC_IPV4", IBV_FLOW_SPEC_IPV4 },
	{ "IBV_FLOW_SPEC_IPV6", IBV_FLOW_SPEC_IPV6 },
	{ "IBV_FLOW_SPEC_IPV4_EXT", IBV_FLOW_SPEC_IPV4_EXT },
	{ "IBV_FLOW_SPEC_ESP", IBV_FLOW_SPEC_ESP },
	{ "IBV_FLOW_SPEC_TCP", IBV_FLOW_SPEC_TCP },
	{ "IBV_FLOW_SPEC_UDP", IBV_FLOW_SPEC_UDP },
	{ "IBV_FLOW_SPEC_VXLAN_TUNNEL", IBV_FLOW_SPEC_VXLAN_TUNNEL },
	{ "IBV_FLOW_SPEC_GRE", IBV_FLOW_SPEC_GRE },
	{ "IBV_FLOW_SPEC_MPLS", IBV_FLOW_SPEC_MPLS },
	{ "IBV_FLOW_SPEC_INNER", IBV_FLOW_SPEC_INNER },
	{ "IBV_FLOW_SPEC_ACTION_TAG", IBV_FLOW_SPEC_ACTION_TAG },
	{ "IBV_FLOW_SPEC_ACTION_DROP", IBV_FLOW_SPEC_ACTION_DROP },
	{ "IBV_FLOW_SPEC_ACTION_HANDLE", IBV_FLOW_SPEC_ACTION_HANDLE },
	{ "IBV_FLOW_SPEC_ACTION_COUNT", IBV_FLOW_SPEC_ACTION_COUNT },
	{ 0 }
};
static const struct call_enum words_ibv_flow_spec_type = { "ibv_flow_spec_type", "IBV_FLOW_SPEC_", words_ibv_flow_spec_type_v };

static const struct call_word words_ibv_fork_status_v[] = {
	{ "IBV_FORK_DISABLED", IBV_FORK_DISABLED },
	{ "IBV_FORK_ENABLED", IBV_FORK_ENABLED },
	{ "IBV_FORK_UNNEEDED", IBV_FORK_UNNEEDED },
	{ 0 }
};
static const struct call_enum words_ibv_fork_status = { "ibv_fork_status", "IBV_FORK_", words_ibv_fork_status_v };

static const struct call_word words_ibv_gid_type_v[] = {
	{ "IBV_GID_TYPE_IB", IBV_GID_TYPE_IB },
	{ "IBV_GID_TYPE_ROCE_V1", IBV_GID_TYPE_ROCE_V1 },
	{ "IBV_GID_TYPE_ROCE_V2", IBV_GID_TYPE_ROCE_V2 },
	{ 0 }
};
static const struct call_enum words_ibv_gid_type = { "ibv_gid_type", "IBV_GID_TYPE_", words_ibv_gid_type_v };

static const struct call_word words_ibv_mig_state_v[] = {
	{ "IBV_MIG_MIGRATED", IBV_MIG_MIGRATED },
	{ "IBV_MIG_REARM", IBV_MIG_REARM },
	{ "IBV_MIG_ARMED", IBV_MIG_ARMED },
	{ 0 }
};
static const struct call_enum words_ibv_mig_state = { "ibv_mig_state", "IBV_MIG_", words_ibv_mig_state_v };

static const struct call_word words_ibv_mtu_v[] = {
	{ "IBV_MTU_256", IBV_MTU_256 },
	{ "IBV_MTU_512", IBV_MTU_512 },
	{ "IBV_MTU_1024", IBV_MTU_1024 },
	{ "IBV_MTU_2048", IBV_MTU_2048 },
	{ "IBV_MTU_4096", IBV_MTU_4096 },
	{ 0 }
};
static const struct call_enum words_ibv_mtu = { "ibv_mtu", "IBV_MTU_", words_ibv_mtu_v };

static const struct call_word words_ibv_mw_type_v[] = {
	{ "IBV_MW_TYPE_1", IBV_MW_TYPE_1 },
	{ "IBV_MW_TYPE_2", IBV_MW_TYPE_2 },
	{ 0 }
};
static const struct call_enum words_ibv_mw_type = { "ibv_mw_type", "IBV_MW_TYPE_", words_ibv_mw_type_v };

static const struct call_word words_ibv_node_type_v[] = {
	{ "IBV_NODE_UNKNOWN", IBV_NODE_UNKNOWN },
	{ "IBV_NODE_CA", IBV_NODE_CA },
	{ "IBV_NODE_SWITCH", IBV_NODE_SWITCH },
	{ "IBV_NODE_ROUTER", IBV_NODE_ROUTER },
	{ "IBV_NODE_RNIC", IBV_NODE_RNIC },
	{ "IBV_NODE_USNIC", IBV_NODE_USNIC },
	{ "IBV_NODE_USNIC_UDP", IBV_NODE_USNIC_UDP },
	{ "IBV_NODE_UNSPECIFIED", IBV_NODE_UNSPECIFIED },
	{ 0 }
};
static const struct call_enum words_ibv_node_type = { "ibv_node_type", "IBV_NODE_", words_ibv_node_type_v };

static const struct call_word words_ibv_odp_general_caps_v[] = {
	{ "IBV_ODP_SUPPORT", IBV_ODP_SUPPORT },
	{ "IBV_ODP_SUPPORT_IMPLICIT", IBV_ODP_SUPPORT_IMPLICIT },
	{ 0 }
};
static const struct call_enum words_ibv_odp_general_caps = { "ibv_odp_general_caps", "IBV_ODP_", words_ibv_odp_general_caps_v };

static const struct call_word words_ibv_odp_transport_cap_bits_v[] = {
	{ "IBV_ODP_SUPPORT_SEND", IBV_ODP_SUPPORT_SEND },
	{ "IBV_ODP_SUPPORT_RECV", IBV_ODP_SUPPORT_RECV },
	{ "IBV_ODP_SUPPORT_WRITE", IBV_ODP_SUPPORT_WRITE },
	{ "IBV_ODP_SUPPORT_READ", IBV_ODP_SUPPORT_READ },
	{ "IBV_ODP_SUPPORT_ATOMIC", IBV_ODP_SUPPORT_ATOMIC },
	{ "IBV_ODP_SUPPORT_SRQ_RECV", IBV_ODP_SUPPORT_SRQ_RECV },
	{ 0 }
};
static const struct call_enum words_ibv_odp_transport_cap_bits = { "ibv_odp_transport_cap_bits", "IBV_ODP_SUPPORT_", words_ibv_odp_transport_cap_bits_v };

static const struct call_word words_ibv_ops_flags_v[] = {
	{ "IBV_OPS_SIGNALED", IBV_OPS_SIGNALED },
	{ "IBV_OPS_TM_SYNC", IBV_OPS_TM_SYNC },
	{ 0 }
};
static const struct call_enum words_ibv_ops_flags = { "ibv_ops_flags", "IBV_OPS_", words_ibv_ops_flags_v };

static const struct call_word words_ibv_ops_wr_opcode_v[] = {
	{ "IBV_WR_TAG_ADD", IBV_WR_TAG_ADD },
	{ "IBV_WR_TAG_DEL", IBV_WR_TAG_DEL },
	{ "IBV_WR_TAG_SYNC", IBV_WR_TAG_SYNC },
	{ 0 }
};
static const struct call_enum words_ibv_ops_wr_opcode = { "ibv_ops_wr_opcode", "IBV_WR_", words_ibv_ops_wr_opcode_v };

static const struct call_word words_ibv_parent_domain_init_attr_mask_v[] = {
	{ "IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS", IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS },
	{ "IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT", IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT },
	{ 0 }
};
static const struct call_enum words_ibv_parent_domain_init_attr_mask = { "ibv_parent_domain_init_attr_mask", "IBV_PARENT_DOMAIN_INIT_ATTR_", words_ibv_parent_domain_init_attr_mask_v };

static const struct call_word words_ibv_placement_type_v[] = {
	{ "IBV_FLUSH_GLOBAL", 1 },
	{ "IBV_FLUSH_PERSISTENT", 2 },
	{ 0 }
};
static const struct call_enum words_ibv_placement_type = { "ibv_placement_type", "IBV_FLUSH_", words_ibv_placement_type_v };

static const struct call_word words_ibv_port_cap_flags_v[] = {
	{ "IBV_PORT_SM", IBV_PORT_SM },
	{ "IBV_PORT_NOTICE_SUP", IBV_PORT_NOTICE_SUP },
	{ "IBV_PORT_TRAP_SUP", IBV_PORT_TRAP_SUP },
	{ "IBV_PORT_OPT_IPD_SUP", IBV_PORT_OPT_IPD_SUP },
	{ "IBV_PORT_AUTO_MIGR_SUP", IBV_PORT_AUTO_MIGR_SUP },
	{ "IBV_PORT_SL_MAP_SUP", IBV_PORT_SL_MAP_SUP },
	{ "IBV_PORT_MKEY_NVRAM", IBV_PORT_MKEY_NVRAM },
	{ "IBV_PORT_PKEY_NVRAM", IBV_PORT_PKEY_NVRAM },
	{ "IBV_PORT_LED_INFO_SUP", IBV_PORT_LED_INFO_SUP },
	{ "IBV_PORT_SYS_IMAGE_GUID_SUP", IBV_PORT_SYS_IMAGE_GUID_SUP },
	{ "IBV_PORT_PKEY_SW_EXT_PORT_TRAP_SUP", IBV_PORT_PKEY_SW_EXT_PORT_TRAP_SUP },
	{ "IBV_PORT_EXTENDED_SPEEDS_SUP", IBV_PORT_EXTENDED_SPEEDS_SUP },
	{ "IBV_PORT_CAP_MASK2_SUP", IBV_PORT_CAP_MASK2_SUP },
	{ "IBV_PORT_CM_SUP", IBV_PORT_CM_SUP },
	{ "IBV_PORT_SNMP_TUNNEL_SUP", IBV_PORT_SNMP_TUNNEL_SUP },
	{ "IBV_PORT_REINIT_SUP", IBV_PORT_REINIT_SUP },
	{ "IBV_PORT_DEVICE_MGMT_SUP", IBV_PORT_DEVICE_MGMT_SUP },
	{ "IBV_PORT_VENDOR_CLASS_SUP", IBV_PORT_VENDOR_CLASS_SUP },
	{ "IBV_PORT_DR_NOTICE_SUP", IBV_PORT_DR_NOTICE_SUP },
	{ "IBV_PORT_CAP_MASK_NOTICE_SUP", IBV_PORT_CAP_MASK_NOTICE_SUP },
	{ "IBV_PORT_BOOT_MGMT_SUP", IBV_PORT_BOOT_MGMT_SUP },
	{ "IBV_PORT_LINK_LATENCY_SUP", IBV_PORT_LINK_LATENCY_SUP },
	{ "IBV_PORT_CLIENT_REG_SUP", IBV_PORT_CLIENT_REG_SUP },
	{ "IBV_PORT_IP_BASED_GIDS", IBV_PORT_IP_BASED_GIDS },
	{ 0 }
};
static const struct call_enum words_ibv_port_cap_flags = { "ibv_port_cap_flags", "IBV_PORT_", words_ibv_port_cap_flags_v };

static const struct call_word words_ibv_port_cap_flags2_v[] = {
	{ "IBV_PORT_SET_NODE_DESC_SUP", IBV_PORT_SET_NODE_DESC_SUP },
	{ "IBV_PORT_INFO_EXT_SUP", IBV_PORT_INFO_EXT_SUP },
	{ "IBV_PORT_VIRT_SUP", IBV_PORT_VIRT_SUP },
	{ "IBV_PORT_SWITCH_PORT_STATE_TABLE_SUP", IBV_PORT_SWITCH_PORT_STATE_TABLE_SUP },
	{ "IBV_PORT_LINK_WIDTH_2X_SUP", IBV_PORT_LINK_WIDTH_2X_SUP },
	{ "IBV_PORT_LINK_SPEED_HDR_SUP", IBV_PORT_LINK_SPEED_HDR_SUP },
	{ "IBV_PORT_LINK_SPEED_NDR_SUP", IBV_PORT_LINK_SPEED_NDR_SUP },
	{ "IBV_PORT_LINK_SPEED_XDR_SUP", 4096 },
	{ 0 }
};
static const struct call_enum words_ibv_port_cap_flags2 = { "ibv_port_cap_flags2", "IBV_PORT_", words_ibv_port_cap_flags2_v };

static const struct call_word words_ibv_port_state_v[] = {
	{ "IBV_PORT_NOP", IBV_PORT_NOP },
	{ "IBV_PORT_DOWN", IBV_PORT_DOWN },
	{ "IBV_PORT_INIT", IBV_PORT_INIT },
	{ "IBV_PORT_ARMED", IBV_PORT_ARMED },
	{ "IBV_PORT_ACTIVE", IBV_PORT_ACTIVE },
	{ "IBV_PORT_ACTIVE_DEFER", IBV_PORT_ACTIVE_DEFER },
	{ 0 }
};
static const struct call_enum words_ibv_port_state = { "ibv_port_state", "IBV_PORT_", words_ibv_port_state_v };

static const struct call_word words_ibv_qp_attr_mask_v[] = {
	{ "IBV_QP_STATE", IBV_QP_STATE },
	{ "IBV_QP_CUR_STATE", IBV_QP_CUR_STATE },
	{ "IBV_QP_EN_SQD_ASYNC_NOTIFY", IBV_QP_EN_SQD_ASYNC_NOTIFY },
	{ "IBV_QP_ACCESS_FLAGS", IBV_QP_ACCESS_FLAGS },
	{ "IBV_QP_PKEY_INDEX", IBV_QP_PKEY_INDEX },
	{ "IBV_QP_PORT", IBV_QP_PORT },
	{ "IBV_QP_QKEY", IBV_QP_QKEY },
	{ "IBV_QP_AV", IBV_QP_AV },
	{ "IBV_QP_PATH_MTU", IBV_QP_PATH_MTU },
	{ "IBV_QP_TIMEOUT", IBV_QP_TIMEOUT },
	{ "IBV_QP_RETRY_CNT", IBV_QP_RETRY_CNT },
	{ "IBV_QP_RNR_RETRY", IBV_QP_RNR_RETRY },
	{ "IBV_QP_RQ_PSN", IBV_QP_RQ_PSN },
	{ "IBV_QP_MAX_QP_RD_ATOMIC", IBV_QP_MAX_QP_RD_ATOMIC },
	{ "IBV_QP_ALT_PATH", IBV_QP_ALT_PATH },
	{ "IBV_QP_MIN_RNR_TIMER", IBV_QP_MIN_RNR_TIMER },
	{ "IBV_QP_SQ_PSN", IBV_QP_SQ_PSN },
	{ "IBV_QP_MAX_DEST_RD_ATOMIC", IBV_QP_MAX_DEST_RD_ATOMIC },
	{ "IBV_QP_PATH_MIG_STATE", IBV_QP_PATH_MIG_STATE },
	{ "IBV_QP_CAP", IBV_QP_CAP },
	{ "IBV_QP_DEST_QPN", IBV_QP_DEST_QPN },
	{ "IBV_QP_RATE_LIMIT", IBV_QP_RATE_LIMIT },
	{ 0 }
};
static const struct call_enum words_ibv_qp_attr_mask = { "ibv_qp_attr_mask", "IBV_QP_", words_ibv_qp_attr_mask_v };

static const struct call_word words_ibv_qp_create_flags_v[] = {
	{ "IBV_QP_CREATE_BLOCK_SELF_MCAST_LB", IBV_QP_CREATE_BLOCK_SELF_MCAST_LB },
	{ "IBV_QP_CREATE_SCATTER_FCS", IBV_QP_CREATE_SCATTER_FCS },
	{ "IBV_QP_CREATE_CVLAN_STRIPPING", IBV_QP_CREATE_CVLAN_STRIPPING },
	{ "IBV_QP_CREATE_SOURCE_QPN", IBV_QP_CREATE_SOURCE_QPN },
	{ "IBV_QP_CREATE_PCI_WRITE_END_PADDING", IBV_QP_CREATE_PCI_WRITE_END_PADDING },
	{ 0 }
};
static const struct call_enum words_ibv_qp_create_flags = { "ibv_qp_create_flags", "IBV_QP_CREATE_", words_ibv_qp_create_flags_v };

static const struct call_word words_ibv_qp_create_send_ops_flags_v[] = {
	{ "IBV_QP_EX_WITH_RDMA_WRITE", IBV_QP_EX_WITH_RDMA_WRITE },
	{ "IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM", IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM },
	{ "IBV_QP_EX_WITH_SEND", IBV_QP_EX_WITH_SEND },
	{ "IBV_QP_EX_WITH_SEND_WITH_IMM", IBV_QP_EX_WITH_SEND_WITH_IMM },
	{ "IBV_QP_EX_WITH_RDMA_READ", IBV_QP_EX_WITH_RDMA_READ },
	{ "IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP", IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP },
	{ "IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD", IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD },
	{ "IBV_QP_EX_WITH_LOCAL_INV", IBV_QP_EX_WITH_LOCAL_INV },
	{ "IBV_QP_EX_WITH_BIND_MW", IBV_QP_EX_WITH_BIND_MW },
	{ "IBV_QP_EX_WITH_SEND_WITH_INV", IBV_QP_EX_WITH_SEND_WITH_INV },
	{ "IBV_QP_EX_WITH_TSO", IBV_QP_EX_WITH_TSO },
	{ "IBV_QP_EX_WITH_FLUSH", 2048 },
	{ "IBV_QP_EX_WITH_ATOMIC_WRITE", IBV_QP_EX_WITH_ATOMIC_WRITE },
	{ 0 }
};
static const struct call_enum words_ibv_qp_create_send_ops_flags = { "ibv_qp_create_send_ops_flags", "IBV_QP_EX_WITH_", words_ibv_qp_create_send_ops_flags_v };

static const struct call_word words_ibv_qp_init_attr_mask_v[] = {
	{ "IBV_QP_INIT_ATTR_PD", IBV_QP_INIT_ATTR_PD },
	{ "IBV_QP_INIT_ATTR_XRCD", IBV_QP_INIT_ATTR_XRCD },
	{ "IBV_QP_INIT_ATTR_CREATE_FLAGS", IBV_QP_INIT_ATTR_CREATE_FLAGS },
	{ "IBV_QP_INIT_ATTR_MAX_TSO_HEADER", IBV_QP_INIT_ATTR_MAX_TSO_HEADER },
	{ "IBV_QP_INIT_ATTR_IND_TABLE", IBV_QP_INIT_ATTR_IND_TABLE },
	{ "IBV_QP_INIT_ATTR_RX_HASH", IBV_QP_INIT_ATTR_RX_HASH },
	{ "IBV_QP_INIT_ATTR_SEND_OPS_FLAGS", IBV_QP_INIT_ATTR_SEND_OPS_FLAGS },
	{ 0 }
};
static const struct call_enum words_ibv_qp_init_attr_mask = { "ibv_qp_init_attr_mask", "IBV_QP_INIT_ATTR_", words_ibv_qp_init_attr_mask_v };

static const struct call_word words_ibv_qp_open_attr_mask_v[] = {
	{ "IBV_QP_OPEN_ATTR_NUM", IBV_QP_OPEN_ATTR_NUM },
	{ "IBV_QP_OPEN_ATTR_XRCD", IBV_QP_OPEN_ATTR_XRCD },
	{ "IBV_QP_OPEN_ATTR_CONTEXT", IBV_QP_OPEN_ATTR_CONTEXT },
	{ "IBV_QP_OPEN_ATTR_TYPE", IBV_QP_OPEN_ATTR_TYPE },
	{ 0 }
};
static const struct call_enum words_ibv_qp_open_attr_mask = { "ibv_qp_open_attr_mask", "IBV_QP_OPEN_ATTR_", words_ibv_qp_open_attr_mask_v };

static const struct call_word words_ibv_qp_state_v[] = {
	{ "IBV_QPS_RESET", IBV_QPS_RESET },
	{ "IBV_QPS_INIT", IBV_QPS_INIT },
	{ "IBV_QPS_RTR", IBV_QPS_RTR },
	{ "IBV_QPS_RTS", IBV_QPS_RTS },
	{ "IBV_QPS_SQD", IBV_QPS_SQD },
	{ "IBV_QPS_SQE", IBV_QPS_SQE },
	{ "IBV_QPS_ERR", IBV_QPS_ERR },
	{ "IBV_QPS_UNKNOWN", IBV_QPS_UNKNOWN },
	{ 0 }
};
static const struct call_enum words_ibv_qp_state = { "ibv_qp_state", "IBV_QPS_", words_ibv_qp_state_v };

static const struct call_word words_ibv_qp_type_v[] = {
	{ "IBV_QPT_RC", IBV_QPT_RC },
	{ "IBV_QPT_UC", IBV_QPT_UC },
	{ "IBV_QPT_UD", IBV_QPT_UD },
	{ "IBV_QPT_RAW_PACKET", IBV_QPT_RAW_PACKET },
	{ "IBV_QPT_XRC_SEND", IBV_QPT_XRC_SEND },
	{ "IBV_QPT_XRC_RECV", IBV_QPT_XRC_RECV },
	{ "IBV_QPT_DRIVER", IBV_QPT_DRIVER },
	{ 0 }
};
static const struct call_enum words_ibv_qp_type = { "ibv_qp_type", "IBV_QPT_", words_ibv_qp_type_v };

static const struct call_word words_ibv_query_qp_data_in_order_caps_v[] = {
	{ "IBV_QUERY_QP_DATA_IN_ORDER_WHOLE_MSG", 1 },
	{ "IBV_QUERY_QP_DATA_IN_ORDER_ALIGNED_128_BYTES", 2 },
	{ 0 }
};
static const struct call_enum words_ibv_query_qp_data_in_order_caps = { "ibv_query_qp_data_in_order_caps", "IBV_QUERY_QP_DATA_IN_ORDER_", words_ibv_query_qp_data_in_order_caps_v };

static const struct call_word words_ibv_query_qp_data_in_order_flags_v[] = {
	{ "IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS", 1 },
	{ 0 }
};
static const struct call_enum words_ibv_query_qp_data_in_order_flags = { "ibv_query_qp_data_in_order_flags", "IBV_QUERY_", words_ibv_query_qp_data_in_order_flags_v };

static const struct call_word words_ibv_rate_v[] = {
	{ "IBV_RATE_MAX", IBV_RATE_MAX },
	{ "IBV_RATE_2_5_GBPS", IBV_RATE_2_5_GBPS },
	{ "IBV_RATE_5_GBPS", IBV_RATE_5_GBPS },
	{ "IBV_RATE_10_GBPS", IBV_RATE_10_GBPS },
	{ "IBV_RATE_20_GBPS", IBV_RATE_20_GBPS },
	{ "IBV_RATE_30_GBPS", IBV_RATE_30_GBPS },
	{ "IBV_RATE_40_GBPS", IBV_RATE_40_GBPS },
	{ "IBV_RATE_60_GBPS", IBV_RATE_60_GBPS },
	{ "IBV_RATE_80_GBPS", IBV_RATE_80_GBPS },
	{ "IBV_RATE_120_GBPS", IBV_RATE_120_GBPS },
	{ "IBV_RATE_14_GBPS", IBV_RATE_14_GBPS },
	{ "IBV_RATE_56_GBPS", IBV_RATE_56_GBPS },
	{ "IBV_RATE_112_GBPS", IBV_RATE_112_GBPS },
	{ "IBV_RATE_168_GBPS", IBV_RATE_168_GBPS },
	{ "IBV_RATE_25_GBPS", IBV_RATE_25_GBPS },
	{ "IBV_RATE_100_GBPS", IBV_RATE_100_GBPS },
	{ "IBV_RATE_200_GBPS", IBV_RATE_200_GBPS },
	{ "IBV_RATE_300_GBPS", IBV_RATE_300_GBPS },
	{ "IBV_RATE_28_GBPS", IBV_RATE_28_GBPS },
	{ "IBV_RATE_50_GBPS", IBV_RATE_50_GBPS },
	{ "IBV_RATE_400_GBPS", IBV_RATE_400_GBPS },
	{ "IBV_RATE_600_GBPS", IBV_RATE_600_GBPS },
	{ "IBV_RATE_800_GBPS", IBV_RATE_800_GBPS },
	{ "IBV_RATE_1200_GBPS", IBV_RATE_1200_GBPS },
	{ 0 }
};
static const struct call_enum words_ibv_rate = { "ibv_rate", "IBV_RATE_", words_ibv_rate_v };

static const struct call_word words_ibv_raw_packet_caps_v[] = {
	{ "IBV_RAW_PACKET_CAP_CVLAN_STRIPPING", IBV_RAW_PACKET_CAP_CVLAN_STRIPPING },
	{ "IBV_RAW_PACKET_CAP_SCATTER_FCS", IBV_RAW_PACKET_CAP_SCATTER_FCS },
	{ "IBV_RAW_PACKET_CAP_IP_CSUM", IBV_RAW_PACKET_CAP_IP_CSUM },
	{ "IBV_RAW_PACKET_CAP_DELAY_DROP", IBV_RAW_PACKET_CAP_DELAY_DROP },
	{ 0 }
};
static const struct call_enum words_ibv_raw_packet_caps = { "ibv_raw_packet_caps", "IBV_RAW_PACKET_CAP_", words_ibv_raw_packet_caps_v };

static const struct call_word words_ibv_read_counters_flags_v[] = {
	{ "IBV_READ_COUNTERS_ATTR_PREFER_CACHED", IBV_READ_COUNTERS_ATTR_PREFER_CACHED },
	{ 0 }
};
static const struct call_enum words_ibv_read_counters_flags = { "ibv_read_counters_flags", "IBV_READ_COUNTERS_ATTR_", words_ibv_read_counters_flags_v };

static const struct call_word words_ibv_rereg_mr_flags_v[] = {
	{ "IBV_REREG_MR_CHANGE_TRANSLATION", IBV_REREG_MR_CHANGE_TRANSLATION },
	{ "IBV_REREG_MR_CHANGE_PD", IBV_REREG_MR_CHANGE_PD },
	{ "IBV_REREG_MR_CHANGE_ACCESS", IBV_REREG_MR_CHANGE_ACCESS },
	{ 0 }
};
static const struct call_enum words_ibv_rereg_mr_flags = { "ibv_rereg_mr_flags", "IBV_REREG_MR_", words_ibv_rereg_mr_flags_v };

static const struct call_word words_ibv_rx_hash_fields_v[] = {
	{ "IBV_RX_HASH_SRC_IPV4", IBV_RX_HASH_SRC_IPV4 },
	{ "IBV_RX_HASH_DST_IPV4", IBV_RX_HASH_DST_IPV4 },
	{ "IBV_RX_HASH_SRC_IPV6", IBV_RX_HASH_SRC_IPV6 },
	{ "IBV_RX_HASH_DST_IPV6", IBV_RX_HASH_DST_IPV6 },
	{ "IBV_RX_HASH_SRC_PORT_TCP", IBV_RX_HASH_SRC_PORT_TCP },
	{ "IBV_RX_HASH_DST_PORT_TCP", IBV_RX_HASH_DST_PORT_TCP },
	{ "IBV_RX_HASH_SRC_PORT_UDP", IBV_RX_HASH_SRC_PORT_UDP },
	{ "IBV_RX_HASH_DST_PORT_UDP", IBV_RX_HASH_DST_PORT_UDP },
	{ "IBV_RX_HASH_IPSEC_SPI", IBV_RX_HASH_IPSEC_SPI },
	{ "IBV_RX_HASH_INNER", IBV_RX_HASH_INNER },
	{ 0 }
};
static const struct call_enum words_ibv_rx_hash_fields = { "ibv_rx_hash_fields", "IBV_RX_HASH_", words_ibv_rx_hash_fields_v };

static const struct call_word words_ibv_rx_hash_function_flags_v[] = {
	{ "IBV_RX_HASH_FUNC_TOEPLITZ", IBV_RX_HASH_FUNC_TOEPLITZ },
	{ 0 }
};
static const struct call_enum words_ibv_rx_hash_function_flags = { "ibv_rx_hash_function_flags", "IBV_RX_HASH_FUNC_", words_ibv_rx_hash_function_flags_v };

static const struct call_word words_ibv_selectivity_level_v[] = {
	{ "IBV_FLUSH_RANGE", 0 },
	{ "IBV_FLUSH_MR", 1 },
	{ 0 }
};
static const struct call_enum words_ibv_selectivity_level = { "ibv_selectivity_level", "IBV_FLUSH_", words_ibv_selectivity_level_v };

static const struct call_word words_ibv_send_flags_v[] = {
	{ "IBV_SEND_FENCE", IBV_SEND_FENCE },
	{ "IBV_SEND_SIGNALED", IBV_SEND_SIGNALED },
	{ "IBV_SEND_SOLICITED", IBV_SEND_SOLICITED },
	{ "IBV_SEND_INLINE", IBV_SEND_INLINE },
	{ "IBV_SEND_IP_CSUM", IBV_SEND_IP_CSUM },
	{ 0 }
};
static const struct call_enum words_ibv_send_flags = { "ibv_send_flags", "IBV_SEND_", words_ibv_send_flags_v };

static const struct call_word words_ibv_srq_attr_mask_v[] = {
	{ "IBV_SRQ_MAX_WR", IBV_SRQ_MAX_WR },
	{ "IBV_SRQ_LIMIT", IBV_SRQ_LIMIT },
	{ 0 }
};
static const struct call_enum words_ibv_srq_attr_mask = { "ibv_srq_attr_mask", "IBV_SRQ_", words_ibv_srq_attr_mask_v };

static const struct call_word words_ibv_srq_init_attr_mask_v[] = {
	{ "IBV_SRQ_INIT_ATTR_TYPE", IBV_SRQ_INIT_ATTR_TYPE },
	{ "IBV_SRQ_INIT_ATTR_PD", IBV_SRQ_INIT_ATTR_PD },
	{ "IBV_SRQ_INIT_ATTR_XRCD", IBV_SRQ_INIT_ATTR_XRCD },
	{ "IBV_SRQ_INIT_ATTR_CQ", IBV_SRQ_INIT_ATTR_CQ },
	{ "IBV_SRQ_INIT_ATTR_TM", IBV_SRQ_INIT_ATTR_TM },
	{ 0 }
};
static const struct call_enum words_ibv_srq_init_attr_mask = { "ibv_srq_init_attr_mask", "IBV_SRQ_INIT_ATTR_", words_ibv_srq_init_attr_mask_v };

static const struct call_word words_ibv_srq_type_v[] = {
	{ "IBV_SRQT_BASIC", IBV_SRQT_BASIC },
	{ "IBV_SRQT_XRC", IBV_SRQT_XRC },
	{ "IBV_SRQT_TM", IBV_SRQT_TM },
	{ 0 }
};
static const struct call_enum words_ibv_srq_type = { "ibv_srq_type", "IBV_SRQT_", words_ibv_srq_type_v };

static const struct call_word words_ibv_tm_cap_flags_v[] = {
	{ "IBV_TM_CAP_RC", IBV_TM_CAP_RC },
	{ 0 }
};
static const struct call_enum words_ibv_tm_cap_flags = { "ibv_tm_cap_flags", "IBV_TM_CAP_", words_ibv_tm_cap_flags_v };

static const struct call_word words_ibv_values_mask_v[] = {
	{ "IBV_VALUES_MASK_RAW_CLOCK", IBV_VALUES_MASK_RAW_CLOCK },
	{ 0 }
};
static const struct call_enum words_ibv_values_mask = { "ibv_values_mask", "IBV_VALUES_MASK_", words_ibv_values_mask_v };

static const struct call_word words_ibv_wc_flags_v[] = {
	{ "IBV_WC_GRH", IBV_WC_GRH },
	{ "IBV_WC_WITH_IMM", IBV_WC_WITH_IMM },
	{ "IBV_WC_IP_CSUM_OK", IBV_WC_IP_CSUM_OK },
	{ "IBV_WC_WITH_INV", IBV_WC_WITH_INV },
	{ "IBV_WC_TM_SYNC_REQ", IBV_WC_TM_SYNC_REQ },
	{ "IBV_WC_TM_MATCH", IBV_WC_TM_MATCH },
	{ "IBV_WC_TM_DATA_VALID", IBV_WC_TM_DATA_VALID },
	{ 0 }
};
static const struct call_enum words_ibv_wc_flags = { "ibv_wc_flags", "IBV_WC_", words_ibv_wc_flags_v };

static const struct call_word words_ibv_wc_opcode_v[] = {
	{ "IBV_WC_SEND", IBV_WC_SEND },
	{ "IBV_WC_RDMA_WRITE", IBV_WC_RDMA_WRITE },
	{ "IBV_WC_RDMA_READ", IBV_WC_RDMA_READ },
	{ "IBV_WC_COMP_SWAP", IBV_WC_COMP_SWAP },
	{ "IBV_WC_FETCH_ADD", IBV_WC_FETCH_ADD },
	{ "IBV_WC_BIND_MW", IBV_WC_BIND_MW },
	{ "IBV_WC_LOCAL_INV", IBV_WC_LOCAL_INV },
	{ "IBV_WC_TSO", IBV_WC_TSO },
	{ "IBV_WC_FLUSH", 8 },
	{ "IBV_WC_ATOMIC_WRITE", IBV_WC_ATOMIC_WRITE },
	{ "IBV_WC_RECV", IBV_WC_RECV },
	{ "IBV_WC_RECV_RDMA_WITH_IMM", IBV_WC_RECV_RDMA_WITH_IMM },
	{ "IBV_WC_TM_ADD", IBV_WC_TM_ADD },
	{ "IBV_WC_TM_DEL", IBV_WC_TM_DEL },
	{ "IBV_WC_TM_SYNC", IBV_WC_TM_SYNC },
	{ "IBV_WC_TM_RECV", IBV_WC_TM_RECV },
	{ "IBV_WC_TM_NO_TAG", IBV_WC_TM_NO_TAG },
	{ "IBV_WC_DRIVER1", IBV_WC_DRIVER1 },
	{ "IBV_WC_DRIVER2", IBV_WC_DRIVER2 },
	{ "IBV_WC_DRIVER3", IBV_WC_DRIVER3 },
	{ 0 }
};
static const struct call_enum words_ibv_wc_opcode = { "ibv_wc_opcode", "IBV_WC_", words_ibv_wc_opcode_v };

static const struct call_word words_ibv_wc_status_v[] = {
	{ "IBV_WC_SUCCESS", IBV_WC_SUCCESS },
	{ "IBV_WC_LOC_LEN_ERR", IBV_WC_LOC_LEN_ERR },
	{ "IBV_WC_LOC_QP_OP_ERR", IBV_WC_LOC_QP_OP_ERR },
	{ "IBV_WC_LOC_EEC_OP_ERR", IBV_WC_LOC_EEC_OP_ERR },
	{ "IBV_WC_LOC_PROT_ERR", IBV_WC_LOC_PROT_ERR },
	{ "IBV_WC_WR_FLUSH_ERR", IBV_WC_WR_FLUSH_ERR },
	{ "IBV_WC_MW_BIND_ERR", IBV_WC_MW_BIND_ERR },
	{ "IBV_WC_BAD_RESP_ERR", IBV_WC_BAD_RESP_ERR },
	{ "IBV_WC_LOC_ACCESS_ERR", IBV_WC_LOC_ACCESS_ERR },
	{ "IBV_WC_REM_INV_REQ_ERR", IBV_WC_REM_INV_REQ_ERR },
	{ "IBV_WC_REM_ACCESS_ERR", IBV_WC_REM_ACCESS_ERR },
	{ "IBV_WC_REM_OP_ERR", IBV_WC_REM_OP_ERR },
	{ "IBV_WC_RETRY_EXC_ERR", IBV_WC_RETRY_EXC_ERR },
	{ "IBV_WC_RNR_RETRY_EXC_ERR", IBV_WC_RNR_RETRY_EXC_ERR },
	{ "IBV_WC_LOC_RDD_VIOL_ERR", IBV_WC_LOC_RDD_VIOL_ERR },
	{ "IBV_WC_REM_INV_RD_REQ_ERR", IBV_WC_REM_INV_RD_REQ_ERR },
	{ "IBV_WC_REM_ABORT_ERR", IBV_WC_REM_ABORT_ERR },
	{ "IBV_WC_INV_EECN_ERR", IBV_WC_INV_EECN_ERR },
	{ "IBV_WC_INV_EEC_STATE_ERR", IBV_WC_INV_EEC_STATE_ERR },
	{ "IBV_WC_FATAL_ERR", IBV_WC_FATAL_ERR },
	{ "IBV_WC_RESP_TIMEOUT_ERR", IBV_WC_RESP_TIMEOUT_ERR },
	{ "IBV_WC_GENERAL_ERR", IBV_WC_GENERAL_ERR },
	{ "IBV_WC_TM_ERR", IBV_WC_TM_ERR },
	{ "IBV_WC_TM_RNDV_INCOMPLETE", IBV_WC_TM_RNDV_INCOMPLETE },
	{ 0 }
};
static const struct call_enum words_ibv_wc_status = { "ibv_wc_status", "IBV_WC_", words_ibv_wc_status_v };

static const struct call_word words_ibv_wq_attr_mask_v[] = {
	{ "IBV_WQ_ATTR_STATE", IBV_WQ_ATTR_STATE },
	{ "IBV_WQ_ATTR_CURR_STATE", IBV_WQ_ATTR_CURR_STATE },
	{ "IBV_WQ_ATTR_FLAGS", IBV_WQ_ATTR_FLAGS },
	{ 0 }
};
static const struct call_enum words_ibv_wq_attr_mask = { "ibv_wq_attr_mask", "IBV_WQ_ATTR_", words_ibv_wq_attr_mask_v };

static const struct call_word words_ibv_wq_flags_v[] = {
	{ "IBV_WQ_FLAGS_CVLAN_STRIPPING", IBV_WQ_FLAGS_CVLAN_STRIPPING },
	{ "IBV_WQ_FLAGS_SCATTER_FCS", IBV_WQ_FLAGS_SCATTER_FCS },
	{ "IBV_WQ_FLAGS_DELAY_DROP", IBV_WQ_FLAGS_DELAY_DROP },
	{ "IBV_WQ_FLAGS_PCI_WRITE_END_PADDING", IBV_WQ_FLAGS_PCI_WRITE_END_PADDING },
	{ 0 }
};
static const struct call_enum words_ibv_wq_flags = { "ibv_wq_flags", "IBV_WQ_FLAGS_", words_ibv_wq_flags_v };

static const struct call_word words_ibv_wq_init_attr_mask_v[] = {
	{ "IBV_WQ_INIT_ATTR_FLAGS", IBV_WQ_INIT_ATTR_FLAGS },
	{ 0 }
};
static const struct call_enum words_ibv_wq_init_attr_mask = { "ibv_wq_init_attr_mask", "IBV_WQ_INIT_ATTR_", words_ibv_wq_init_attr_mask_v };

static const struct call_word words_ibv_wq_state_v[] = {
	{ "IBV_WQS_RESET", IBV_WQS_RESET },
	{ "IBV_WQS_RDY", IBV_WQS_RDY },
	{ "IBV_WQS_ERR", IBV_WQS_ERR },
	{ "IBV_WQS_UNKNOWN", IBV_WQS_UNKNOWN },
	{ 0 }
};
static const struct call_enum words_ibv_wq_state = { "ibv_wq_state", "IBV_WQS_", words_ibv_wq_state_v };

static const struct call_word words_ibv_wq_type_v[] = {
	{ "IBV_WQT_RQ", IBV_WQT_RQ },
	{ 0 }
};
static const struct call_enum words_ibv_wq_type = { "ibv_wq_type", "IBV_WQT_", words_ibv_wq_type_v };

static const struct call_word words_ibv_wr_opcode_v[] = {
	{ "IBV_WR_RDMA_WRITE", IBV_WR_RDMA_WRITE },
	{ "IBV_WR_RDMA_WRITE_WITH_IMM", IBV_WR_RDMA_WRITE_WITH_IMM },
	{ "IBV_WR_SEND", IBV_WR_SEND },
	{ "IBV_WR_SEND_WITH_IMM", IBV_WR_SEND_WITH_IMM },
	{ "IBV_WR_RDMA_READ", IBV_WR_RDMA_READ },
	{ "IBV_WR_ATOMIC_CMP_AND_SWP", IBV_WR_ATOMIC_CMP_AND_SWP },
	{ "IBV_WR_ATOMIC_FETCH_AND_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD },
	{ "IBV_WR_LOCAL_INV", IBV_WR_LOCAL_INV },
	{ "IBV_WR_BIND_MW", IBV_WR_BIND_MW },
	{ "IBV_WR_SEND_WITH_INV", IBV_WR_SEND_WITH_INV },
	{ "IBV_WR_TSO", IBV_WR_TSO },
	{ "IBV_WR_DRIVER1", IBV_WR_DRIVER1 },
	{ "IBV_WR_FLUSH", 14 },
	{ "IBV_WR_ATOMIC_WRITE", IBV_WR_ATOMIC_WRITE },
	{ 0 }
};
static const struct call_enum words_ibv_wr_opcode = { "ibv_wr_opcode", "IBV_WR_", words_ibv_wr_opcode_v };

static const struct call_word words_ibv_xrcd_init_attr_mask_v[] = {
	{ "IBV_XRCD_INIT_ATTR_FD", IBV_XRCD_INIT_ATTR_FD },
	{ "IBV_XRCD_INIT_ATTR_OFLAGS", IBV_XRCD_INIT_ATTR_OFLAGS },
	{ 0 }
};
static const struct call_enum words_ibv_xrcd_init_attr_mask = { "ibv_xrcd_init_attr_mask", "IBV_XRCD_INIT_ATTR_", words_ibv_xrcd_init_attr_mask_v };

static const struct call_word words_rdma_cm_event_type_v[] = {
	{ "RDMA_CM_EVENT_ADDR_RESOLVED", RDMA_CM_EVENT_ADDR_RESOLVED },
	{ "RDMA_CM_EVENT_ADDR_ERROR", RDMA_CM_EVENT_ADDR_ERROR },
	{ "RDMA_CM_EVENT_ROUTE_RESOLVED", RDMA_CM_EVENT_ROUTE_RESOLVED },
	{ "RDMA_CM_EVENT_ROUTE_ERROR", RDMA_CM_EVENT_ROUTE_ERROR },
	{ "RDMA_CM_EVENT_CONNECT_REQUEST", RDMA_CM_EVENT_CONNECT_REQUEST },
	{ "RDMA_CM_EVENT_CONNECT_RESPONSE", RDMA_CM_EVENT_CONNECT_RESPONSE },
	{ "RDMA_CM_EVENT_CONNECT_ERROR", RDMA_CM_EVENT_CONNECT_ERROR },
	{ "RDMA_CM_EVENT_UNREACHABLE", RDMA_CM_EVENT_UNREACHABLE },
	{ "RDMA_CM_EVENT_REJECTED", RDMA_CM_EVENT_REJECTED },
	{ "RDMA_CM_EVENT_ESTABLISHED", RDMA_CM_EVENT_ESTABLISHED },
	{ "RDMA_CM_EVENT_DISCONNECTED", RDMA_CM_EVENT_DISCONNECTED },
	{ "RDMA_CM_EVENT_DEVICE_REMOVAL", RDMA_CM_EVENT_DEVICE_REMOVAL },
	{ "RDMA_CM_EVENT_MULTICAST_JOIN", RDMA_CM_EVENT_MULTICAST_JOIN },
	{ "RDMA_CM_EVENT_MULTICAST_ERROR", RDMA_CM_EVENT_MULTICAST_ERROR },
	{ "RDMA_CM_EVENT_ADDR_CHANGE", RDMA_CM_EVENT_ADDR_CHANGE },
	{ "RDMA_CM_EVENT_TIMEWAIT_EXIT", RDMA_CM_EVENT_TIMEWAIT_EXIT },
	{ 0 }
};
static const struct call_enum words_rdma_cm_event_type = { "rdma_cm_event_type", "RDMA_CM_EVENT_", words_rdma_cm_event_type_v };

static const struct call_word words_rdma_cm_join_mc_attr_mask_v[] = {
	{ "RDMA_CM_JOIN_MC_ATTR_ADDRESS", RDMA_CM_JOIN_MC_ATTR_ADDRESS },
	{ "RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS", RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS },
	{ 0 }
};
static const struct call_enum words_rdma_cm_join_mc_attr_mask = { "rdma_cm_join_mc_attr_mask", "RDMA_CM_JOIN_MC_ATTR_", words_rdma_cm_join_mc_attr_mask_v };

static const struct call_word words_rdma_cm_mc_join_flags_v[] = {
	{ "RDMA_MC_JOIN_FLAG_FULLMEMBER", RDMA_MC_JOIN_FLAG_FULLMEMBER },
	{ "RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER", RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER },
	{ 0 }
};
static const struct call_enum words_rdma_cm_mc_join_flags = { "rdma_cm_mc_join_flags", "RDMA_MC_JOIN_FLAG_", words_rdma_cm_mc_join_flags_v };

static const struct call_word words_rdma_port_space_v[] = {
	{ "RDMA_PS_IPOIB", RDMA_PS_IPOIB },
	{ "RDMA_PS_TCP", RDMA_PS_TCP },
	{ "RDMA_PS_UDP", RDMA_PS_UDP },
	{ "RDMA_PS_IB", RDMA_PS_IB },
	{ 0 }
};
static const struct call_enum words_rdma_port_space = { "rdma_port_space", "RDMA_PS_", words_rdma_port_space_v };

static const struct call_value fields_ibv_sge[] = {
	{ "addr", CALL_IOVA, AT(struct ibv_sge, addr), .with = 2 },
	{ "length", CALL_UINT, AT(struct ibv_sge, length), .counts = 1 },
	{ "lkey", CALL_KEY, AT(struct ibv_sge, lkey), .is_local = true },
	{ 0 }
};
static const struct call_struct struct_ibv_sge = { "ibv_sge", sizeof(struct ibv_sge), fields_ibv_sge, 0 };

static const struct call_value fields_ibv_alloc_dm_attr[] = {
	{ "length", CALL_UINT, AT(struct ibv_alloc_dm_attr, length) },
	{ "log_align_req", CALL_UINT, AT(struct ibv_alloc_dm_attr, log_align_req) },
	{ "comp_mask", CALL_UINT, AT(struct ibv_alloc_dm_attr, comp_mask) },
	{ 0 }
};
static const struct call_struct struct_ibv_alloc_dm_attr = { "ibv_alloc_dm_attr", sizeof(struct ibv_alloc_dm_attr), fields_ibv_alloc_dm_attr, 0 };

static const struct call_value fields_ibv_parent_domain_init_attr[] = {
	{ "pd", CALL_OBJECT, AT(struct ibv_parent_domain_init_attr, pd), .object = OBJECT_PD },
	{ "td", CALL_OBJECT, AT(struct ibv_parent_domain_init_attr, td), .optional = true, .object = OBJECT_TD },
	{ "comp_mask", CALL_FLAGS, AT(struct ibv_parent_domain_init_attr, comp_mask), .words = &words_ibv_parent_domain_init_attr_mask },
	{ "alloc", CALL_CALLBACK, AT(struct ibv_parent_domain_init_attr, alloc) },
	{ "free", CALL_CALLBACK, AT(struct ibv_parent_domain_init_attr, free) },
	{ "pd_context", CALL_COOKIE, AT(struct ibv_parent_domain_init_attr, pd_context) },
	{ 0 }
};
static const struct call_struct struct_ibv_parent_domain_init_attr = { "ibv_parent_domain_init_attr", sizeof(struct ibv_parent_domain_init_attr), fields_ibv_parent_domain_init_attr, 0 };

static const struct call_value fields_ibv_td_init_attr[] = {
	{ "comp_mask", CALL_UINT, AT(struct ibv_td_init_attr, comp_mask) },
	{ 0 }
};
static const struct call_struct struct_ibv_td_init_attr = { "ibv_td_init_attr", sizeof(struct ibv_td_init_attr), fields_ibv_td_init_attr, 0 };

static const struct call_value fields_ibv_counter_attach_attr[] = {
	{ "counter_desc", CALL_ENUM, AT(struct ibv_counter_attach_attr, counter_desc), .words = &words_ibv_counter_description },
	{ "index", CALL_UINT, AT(struct ibv_counter_attach_attr, index) },
	{ "comp_mask", CALL_UINT, AT(struct ibv_counter_attach_attr, comp_mask) },
	{ 0 }
};
static const struct call_struct struct_ibv_counter_attach_attr = { "ibv_counter_attach_attr", sizeof(struct ibv_counter_attach_attr), fields_ibv_counter_attach_attr, 0 };

static const struct call_value fields_ibv_mw_bind[] = {
	{ "wr_id", CALL_UINT, AT(struct ibv_mw_bind, wr_id) },
	{ "send_flags", CALL_FLAGS, AT(struct ibv_mw_bind, send_flags), .words = &words_ibv_send_flags },
	{ "bind_info", CALL_STRUCT, AT(struct ibv_mw_bind, bind_info), .of = &struct_ibv_mw_bind_info },
	{ 0 }
};
static const struct call_struct struct_ibv_mw_bind = { "ibv_mw_bind", sizeof(struct ibv_mw_bind), fields_ibv_mw_bind, 0 };

static const struct call_value fields_ibv_mw_bind_info[] = {
	{ "mr", CALL_OBJECT, AT(struct ibv_mw_bind_info, mr), .optional = true, .object = OBJECT_MR },
	{ "addr", CALL_IOVA, AT(struct ibv_mw_bind_info, addr), .with = 3 },
	{ "length", CALL_UINT, AT(struct ibv_mw_bind_info, length), .counts = 2 },
	{ "mw_access_flags", CALL_FLAGS, AT(struct ibv_mw_bind_info, mw_access_flags), .words = &words_ibv_access_flags },
	{ 0 }
};
static const struct call_struct struct_ibv_mw_bind_info = { "ibv_mw_bind_info", sizeof(struct ibv_mw_bind_info), fields_ibv_mw_bind_info, 0 };

static const struct call_value fields_ibv_ah_attr[] = {
	{ "grh", CALL_STRUCT, AT(struct ibv_ah_attr, grh), .of = &struct_ibv_global_route },
	{ "dlid", CALL_UINT, AT(struct ibv_ah_attr, dlid) },
	{ "sl", CALL_UINT, AT(struct ibv_ah_attr, sl) },
	{ "src_path_bits", CALL_UINT, AT(struct ibv_ah_attr, src_path_bits) },
	{ "static_rate", CALL_ENUM, AT(struct ibv_ah_attr, static_rate), .words = &words_ibv_rate },
	{ "is_global", CALL_UINT, AT(struct ibv_ah_attr, is_global) },
	{ "port_num", CALL_UINT, AT(struct ibv_ah_attr, port_num) },
	{ 0 }
};
static const struct call_struct struct_ibv_ah_attr = { "ibv_ah_attr", sizeof(struct ibv_ah_attr), fields_ibv_ah_attr, 0 };

static const struct call_value fields_ibv_global_route[] = {
	{ "dgid", CALL_GID, AT(struct ibv_global_route, dgid) },
	{ "flow_label", CALL_UINT, AT(struct ibv_global_route, flow_label) },
	{ "sgid_index", CALL_UINT, AT(struct ibv_global_route, sgid_index) },
	{ "hop_limit", CALL_UINT, AT(struct ibv_global_route, hop_limit) },
	{ "traffic_class", CALL_UINT, AT(struct ibv_global_route, traffic_class) },
	{ 0 }
};
static const struct call_struct struct_ibv_global_route = { "ibv_global_route", sizeof(struct ibv_global_route), fields_ibv_global_route, 0 };

static const struct call_value fields_ibv_wc[] = {
	{ "wr_id", CALL_UINT, AT(struct ibv_wc, wr_id) },
	{ "status", CALL_ENUM, AT(struct ibv_wc, status), .words = &words_ibv_wc_status },
	{ "opcode", CALL_ENUM, AT(struct ibv_wc, opcode), .when = 2, .words = &words_ibv_wc_opcode, .when_any = 0x1 },
	{ "vendor_err", CALL_UINT, AT(struct ibv_wc, vendor_err) },
	{ "byte_len", CALL_UINT, AT(struct ibv_wc, byte_len), .when = 2, .when_any = 0x1 },
	{ "imm_data", CALL_BE, AT(struct ibv_wc, imm_data), .when = 10, .when_any = 0x2 },
	{ "invalidated_rkey", CALL_UINT, AT(struct ibv_wc, invalidated_rkey), .when = 10, .when_any = 0x8 },
	{ "qp_num", CALL_QPN, AT(struct ibv_wc, qp_num) },
	{ "src_qp", CALL_UINT, AT(struct ibv_wc, src_qp), .when = 10, .when_any = 0x1 },
	{ "wc_flags", CALL_FLAGS, AT(struct ibv_wc, wc_flags), .when = 2, .words = &words_ibv_wc_flags, .when_any = 0x1 },
	{ "pkey_index", CALL_UINT, AT(struct ibv_wc, pkey_index), .when = 10, .when_any = 0x1 },
	{ "slid", CALL_UINT, AT(struct ibv_wc, slid), .when = 10, .when_any = 0x1 },
	{ "sl", CALL_UINT, AT(struct ibv_wc, sl), .when = 10, .when_any = 0x1 },
	{ "dlid_path_bits", CALL_UINT, AT(struct ibv_wc, dlid_path_bits), .when = 10, .when_any = 0x1 },
	{ 0 }
};
static const struct call_struct struct_ibv_wc = { "ibv_wc", sizeof(struct ibv_wc), fields_ibv_wc, 0 };

static const struct call_value fields_ibv_grh[] = {
	{ "version_tclass_flow", CALL_BE, AT(struct ibv_grh, version_tclass_flow) },
	{ "paylen", CALL_BE, AT(struct ibv_grh, paylen) },
	{ "next_hdr", CALL_UINT, AT(struct ibv_grh, next_hdr) },
	{ "hop_limit", CALL_UINT, AT(struct ibv_grh, hop_limit) },
	{ "sgid", CALL_GID, AT(struct ibv_grh, sgid) },
	{ "dgid", CALL_GID, AT(struct ibv_grh, dgid) },
	{ 0 }
};
static const struct call_struct struct_ibv_grh = { "ibv_grh", sizeof(struct ibv_grh), fields_ibv_grh, 0 };

static const struct call_value fields_ibv_counters_init_attr[] = {
	{ "comp_mask", CALL_UINT, AT(struct ibv_counters_init_attr, comp_mask) },
	{ 0 }
};
static const struct call_struct struct_ibv_counters_init_attr = { "ibv_counters_init_attr", sizeof(struct ibv_counters_init_attr), fields_ibv_counters_init_attr, 0 };

static const struct call_value fields_ibv_cq_init_attr_ex[] = {
	{ "cqe", CALL_UINT, AT(struct ibv_cq_init_attr_ex, cqe) },
	{ "cq_context", CALL_COOKIE, AT(struct ibv_cq_init_attr_ex, cq_context) },
	{ "channel", CALL_OBJECT, AT(struct ibv_cq_init_attr_ex, channel), .optional = true, .object = OBJECT_COMP_CHANNEL },
	{ "comp_vector", CALL_UINT, AT(struct ibv_cq_init_attr_ex, comp_vector) },
	{ "wc_flags", CALL_FLAGS, AT(struct ibv_cq_init_attr_ex, wc_flags), .words = &words_ibv_create_cq_wc_flags },
	{ "comp_mask", CALL_FLAGS, AT(struct ibv_cq_init_attr_ex, comp_mask), .words = &words_ibv_cq_init_attr_mask },
	{ "flags", CALL_FLAGS, AT(struct ibv_cq_init_attr_ex, flags), .when = 6, .words = &words_ibv_create_cq_attr_flags, .when_any = 0x1 },
	{ "parent_domain", CALL_OBJECT, AT(struct ibv_cq_init_attr_ex, parent_domain), .when = 6, .object = OBJECT_PD, .when_any = 0x2 },
	{ 0 }
};
static const struct call_struct struct_ibv_cq_init_attr_ex = { "ibv_cq_init_attr_ex", sizeof(struct ibv_cq_init_attr_ex), fields_ibv_cq_init_attr_ex, 0 };

static const struct call_value fields_ibv_flow_attr[] = {
	{ "comp_mask", CALL_UINT, AT(struct ibv_flow_attr, comp_mask) },
	{ "type", CALL_ENUM, AT(struct ibv_flow_attr, type), .words = &words_ibv_flow_attr_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_attr, size), .counts = 8 },
	{ "priority", CALL_UINT, AT(struct ibv_flow_attr, priority) },
	{ "num_of_specs", CALL_UINT, AT(struct ibv_flow_attr, num_of_specs), .counts = 8 },
	{ "port", CALL_UINT, AT(struct ibv_flow_attr, port) },
	{ "flags", CALL_FLAGS, AT(struct ibv_flow_attr, flags), .words = &words_ibv_flow_flags },
	{ "specs", CALL_TRAIL, .offset = sizeof(struct ibv_flow_attr), .of = &struct_ibv_flow_spec },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_attr = { "ibv_flow_attr", sizeof(struct ibv_flow_attr), fields_ibv_flow_attr, 0 };

static const struct call_value fields_ibv_flow_spec[] = {
	{ "hdr.type", CALL_ENUM, AT(struct ibv_flow_spec, hdr.type), .words = &words_ibv_flow_spec_type },
	{ "hdr.size", CALL_UINT, AT(struct ibv_flow_spec, hdr.size) },
	{ "eth", CALL_STRUCT, AT(struct ibv_flow_spec, eth), .when = 1, .of = &struct_ibv_flow_spec_eth, .when_any = 0x100000000 },
	{ "ipv4", CALL_STRUCT, AT(struct ibv_flow_spec, ipv4), .when = 1, .of = &struct_ibv_flow_spec_ipv4, .when_any = 0x1000000000000 },
	{ "tcp_udp", CALL_STRUCT, AT(struct ibv_flow_spec, tcp_udp), .when = 1, .of = &struct_ibv_flow_spec_tcp_udp, .when_any = 0x0 },
	{ "ipv4_ext", CALL_STRUCT, AT(struct ibv_flow_spec, ipv4_ext), .when = 1, .of = &struct_ibv_flow_spec_ipv4_ext, .when_any = 0x4000000000000 },
	{ "ipv6", CALL_STRUCT, AT(struct ibv_flow_spec, ipv6), .when = 1, .of = &struct_ibv_flow_spec_ipv6, .when_any = 0x2000000000000 },
	{ "esp", CALL_STRUCT, AT(struct ibv_flow_spec, esp), .when = 1, .of = &struct_ibv_flow_spec_esp, .when_any = 0x10000000000000 },
	{ "tunnel", CALL_STRUCT, AT(struct ibv_flow_spec, tunnel), .of = &struct_ibv_flow_spec_tunnel },
	{ "gre", CALL_STRUCT, AT(struct ibv_flow_spec, gre), .of = &struct_ibv_flow_spec_gre },
	{ "mpls", CALL_STRUCT, AT(struct ibv_flow_spec, mpls), .of = &struct_ibv_flow_spec_mpls },
	{ "flow_tag", CALL_STRUCT, AT(struct ibv_flow_spec, flow_tag), .of = &struct_ibv_flow_spec_action_tag },
	{ "drop", CALL_STRUCT, AT(struct ibv_flow_spec, drop), .of = &struct_ibv_flow_spec_action_drop },
	{ "handle", CALL_STRUCT, AT(struct ibv_flow_spec, handle), .of = &struct_ibv_flow_spec_action_handle },
	{ "flow_count", CALL_STRUCT, AT(struct ibv_flow_spec, flow_count), .of = &struct_ibv_flow_spec_counter_action },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec = { "ibv_flow_spec", sizeof(struct ibv_flow_spec), fields_ibv_flow_spec, 0 };

static const struct call_value fields_ibv_flow_spec_eth[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_eth, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_eth, size) },
	{ "val", CALL_STRUCT, AT(struct ibv_flow_spec_eth, val), .of = &struct_ibv_flow_eth_filter },
	{ "mask", CALL_STRUCT, AT(struct ibv_flow_spec_eth, mask), .of = &struct_ibv_flow_eth_filter },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_eth = { "ibv_flow_spec_eth", sizeof(struct ibv_flow_spec_eth), fields_ibv_flow_spec_eth, 0 };

static const struct call_value fields_ibv_flow_eth_filter[] = {
	{ "dst_mac", CALL_BYTES, AT(struct ibv_flow_eth_filter, dst_mac) },
	{ "src_mac", CALL_BYTES, AT(struct ibv_flow_eth_filter, src_mac) },
	{ "ether_type", CALL_UINT, AT(struct ibv_flow_eth_filter, ether_type) },
	{ "vlan_tag", CALL_UINT, AT(struct ibv_flow_eth_filter, vlan_tag) },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_eth_filter = { "ibv_flow_eth_filter", sizeof(struct ibv_flow_eth_filter), fields_ibv_flow_eth_filter, 0 };

static const struct call_value fields_ibv_flow_spec_ipv4[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_ipv4, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_ipv4, size) },
	{ "val", CALL_STRUCT, AT(struct ibv_flow_spec_ipv4, val), .of = &struct_ibv_flow_ipv4_filter },
	{ "mask", CALL_STRUCT, AT(struct ibv_flow_spec_ipv4, mask), .of = &struct_ibv_flow_ipv4_filter },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_ipv4 = { "ibv_flow_spec_ipv4", sizeof(struct ibv_flow_spec_ipv4), fields_ibv_flow_spec_ipv4, 0 };

static const struct call_value fields_ibv_flow_ipv4_filter[] = {
	{ "src_ip", CALL_UINT, AT(struct ibv_flow_ipv4_filter, src_ip) },
	{ "dst_ip", CALL_UINT, AT(struct ibv_flow_ipv4_filter, dst_ip) },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_ipv4_filter = { "ibv_flow_ipv4_filter", sizeof(struct ibv_flow_ipv4_filter), fields_ibv_flow_ipv4_filter, 0 };

static const struct call_value fields_ibv_flow_spec_tcp_udp[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_tcp_udp, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_tcp_udp, size) },
	{ "val", CALL_STRUCT, AT(struct ibv_flow_spec_tcp_udp, val), .of = &struct_ibv_flow_tcp_udp_filter },
	{ "mask", CALL_STRUCT, AT(struct ibv_flow_spec_tcp_udp, mask), .of = &struct_ibv_flow_tcp_udp_filter },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_tcp_udp = { "ibv_flow_spec_tcp_udp", sizeof(struct ibv_flow_spec_tcp_udp), fields_ibv_flow_spec_tcp_udp, 0 };

static const struct call_value fields_ibv_flow_tcp_udp_filter[] = {
	{ "dst_port", CALL_UINT, AT(struct ibv_flow_tcp_udp_filter, dst_port) },
	{ "src_port", CALL_UINT, AT(struct ibv_flow_tcp_udp_filter, src_port) },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_tcp_udp_filter = { "ibv_flow_tcp_udp_filter", sizeof(struct ibv_flow_tcp_udp_filter), fields_ibv_flow_tcp_udp_filter, 0 };

static const struct call_value fields_ibv_flow_spec_ipv4_ext[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_ipv4_ext, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_ipv4_ext, size) },
	{ "val", CALL_STRUCT, AT(struct ibv_flow_spec_ipv4_ext, val), .of = &struct_ibv_flow_ipv4_ext_filter },
	{ "mask", CALL_STRUCT, AT(struct ibv_flow_spec_ipv4_ext, mask), .of = &struct_ibv_flow_ipv4_ext_filter },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_ipv4_ext = { "ibv_flow_spec_ipv4_ext", sizeof(struct ibv_flow_spec_ipv4_ext), fields_ibv_flow_spec_ipv4_ext, 0 };

static const struct call_value fields_ibv_flow_ipv4_ext_filter[] = {
	{ "src_ip", CALL_UINT, AT(struct ibv_flow_ipv4_ext_filter, src_ip) },
	{ "dst_ip", CALL_UINT, AT(struct ibv_flow_ipv4_ext_filter, dst_ip) },
	{ "proto", CALL_UINT, AT(struct ibv_flow_ipv4_ext_filter, proto) },
	{ "tos", CALL_UINT, AT(struct ibv_flow_ipv4_ext_filter, tos) },
	{ "ttl", CALL_UINT, AT(struct ibv_flow_ipv4_ext_filter, ttl) },
	{ "flags", CALL_UINT, AT(struct ibv_flow_ipv4_ext_filter, flags) },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_ipv4_ext_filter = { "ibv_flow_ipv4_ext_filter", sizeof(struct ibv_flow_ipv4_ext_filter), fields_ibv_flow_ipv4_ext_filter, 0 };

static const struct call_value fields_ibv_flow_spec_ipv6[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_ipv6, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_ipv6, size) },
	{ "val", CALL_STRUCT, AT(struct ibv_flow_spec_ipv6, val), .of = &struct_ibv_flow_ipv6_filter },
	{ "mask", CALL_STRUCT, AT(struct ibv_flow_spec_ipv6, mask), .of = &struct_ibv_flow_ipv6_filter },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_ipv6 = { "ibv_flow_spec_ipv6", sizeof(struct ibv_flow_spec_ipv6), fields_ibv_flow_spec_ipv6, 0 };

static const struct call_value fields_ibv_flow_ipv6_filter[] = {
	{ "src_ip", CALL_BYTES, AT(struct ibv_flow_ipv6_filter, src_ip) },
	{ "dst_ip", CALL_BYTES, AT(struct ibv_flow_ipv6_filter, dst_ip) },
	{ "flow_label", CALL_UINT, AT(struct ibv_flow_ipv6_filter, flow_label) },
	{ "next_hdr", CALL_UINT, AT(struct ibv_flow_ipv6_filter, next_hdr) },
	{ "traffic_class", CALL_UINT, AT(struct ibv_flow_ipv6_filter, traffic_class) },
	{ "hop_limit", CALL_UINT, AT(struct ibv_flow_ipv6_filter, hop_limit) },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_ipv6_filter = { "ibv_flow_ipv6_filter", sizeof(struct ibv_flow_ipv6_filter), fields_ibv_flow_ipv6_filter, 0 };

static const struct call_value fields_ibv_flow_spec_esp[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_esp, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_esp, size) },
	{ "val", CALL_STRUCT, AT(struct ibv_flow_spec_esp, val), .of = &struct_ibv_flow_esp_filter },
	{ "mask", CALL_STRUCT, AT(struct ibv_flow_spec_esp, mask), .of = &struct_ibv_flow_esp_filter },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_esp = { "ibv_flow_spec_esp", sizeof(struct ibv_flow_spec_esp), fields_ibv_flow_spec_esp, 0 };

static const struct call_value fields_ibv_flow_esp_filter[] = {
	{ "spi", CALL_UINT, AT(struct ibv_flow_esp_filter, spi) },
	{ "seq", CALL_UINT, AT(struct ibv_flow_esp_filter, seq) },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_esp_filter = { "ibv_flow_esp_filter", sizeof(struct ibv_flow_esp_filter), fields_ibv_flow_esp_filter, 0 };

static const struct call_value fields_ibv_flow_spec_tunnel[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_tunnel, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_tunnel, size) },
	{ "val", CALL_STRUCT, AT(struct ibv_flow_spec_tunnel, val), .of = &struct_ibv_flow_tunnel_filter },
	{ "mask", CALL_STRUCT, AT(struct ibv_flow_spec_tunnel, mask), .of = &struct_ibv_flow_tunnel_filter },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_tunnel = { "ibv_flow_spec_tunnel", sizeof(struct ibv_flow_spec_tunnel), fields_ibv_flow_spec_tunnel, 0 };

static const struct call_value fields_ibv_flow_tunnel_filter[] = {
	{ "tunnel_id", CALL_UINT, AT(struct ibv_flow_tunnel_filter, tunnel_id) },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_tunnel_filter = { "ibv_flow_tunnel_filter", sizeof(struct ibv_flow_tunnel_filter), fields_ibv_flow_tunnel_filter, 0 };

static const struct call_value fields_ibv_flow_spec_gre[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_gre, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_gre, size) },
	{ "val", CALL_STRUCT, AT(struct ibv_flow_spec_gre, val), .of = &struct_ibv_flow_gre_filter },
	{ "mask", CALL_STRUCT, AT(struct ibv_flow_spec_gre, mask), .of = &struct_ibv_flow_gre_filter },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_gre = { "ibv_flow_spec_gre", sizeof(struct ibv_flow_spec_gre), fields_ibv_flow_spec_gre, 0 };

static const struct call_value fields_ibv_flow_gre_filter[] = {
	{ "c_ks_res0_ver", CALL_UINT, AT(struct ibv_flow_gre_filter, c_ks_res0_ver) },
	{ "protocol", CALL_UINT, AT(struct ibv_flow_gre_filter, protocol) },
	{ "key", CALL_UINT, AT(struct ibv_flow_gre_filter, key) },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_gre_filter = { "ibv_flow_gre_filter", sizeof(struct ibv_flow_gre_filter), fields_ibv_flow_gre_filter, 0 };

static const struct call_value fields_ibv_flow_spec_mpls[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_mpls, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_mpls, size) },
	{ "val", CALL_STRUCT, AT(struct ibv_flow_spec_mpls, val), .of = &struct_ibv_flow_mpls_filter },
	{ "mask", CALL_STRUCT, AT(struct ibv_flow_spec_mpls, mask), .of = &struct_ibv_flow_mpls_filter },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_mpls = { "ibv_flow_spec_mpls", sizeof(struct ibv_flow_spec_mpls), fields_ibv_flow_spec_mpls, 0 };

static const struct call_value fields_ibv_flow_mpls_filter[] = {
	{ "label", CALL_UINT, AT(struct ibv_flow_mpls_filter, label) },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_mpls_filter = { "ibv_flow_mpls_filter", sizeof(struct ibv_flow_mpls_filter), fields_ibv_flow_mpls_filter, 0 };

static const struct call_value fields_ibv_flow_spec_action_tag[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_action_tag, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_action_tag, size) },
	{ "tag_id", CALL_UINT, AT(struct ibv_flow_spec_action_tag, tag_id) },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_action_tag = { "ibv_flow_spec_action_tag", sizeof(struct ibv_flow_spec_action_tag), fields_ibv_flow_spec_action_tag, 0 };

static const struct call_value fields_ibv_flow_spec_action_drop[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_action_drop, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_action_drop, size) },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_action_drop = { "ibv_flow_spec_action_drop", sizeof(struct ibv_flow_spec_action_drop), fields_ibv_flow_spec_action_drop, 0 };

static const struct call_value fields_ibv_flow_spec_action_handle[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_action_handle, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_action_handle, size) },
	{ "action", CALL_OBJECT, AT(struct ibv_flow_spec_action_handle, action), .object = OBJECT_FLOW_ACTION },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_action_handle = { "ibv_flow_spec_action_handle", sizeof(struct ibv_flow_spec_action_handle), fields_ibv_flow_spec_action_handle, 0 };

static const struct call_value fields_ibv_flow_spec_counter_action[] = {
	{ "type", CALL_ENUM, AT(struct ibv_flow_spec_counter_action, type), .words = &words_ibv_flow_spec_type },
	{ "size", CALL_UINT, AT(struct ibv_flow_spec_counter_action, size) },
	{ "counters", CALL_OBJECT, AT(struct ibv_flow_spec_counter_action, counters), .object = OBJECT_COUNTERS },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_spec_counter_action = { "ibv_flow_spec_counter_action", sizeof(struct ibv_flow_spec_counter_action), fields_ibv_flow_spec_counter_action, 0 };

static const struct call_value fields_ibv_flow_action_esp_attr[] = {
	{ "esp_attr", CALL_STRUCT, AT(struct ibv_flow_action_esp_attr, esp_attr), .of = &struct_ib_uverbs_flow_action_esp, .pointer = true },
	{ "keymat_proto", CALL_ENUM, AT(struct ibv_flow_action_esp_attr, keymat_proto), .words = &words_ib_uverbs_flow_action_esp_keymat },
	{ "keymat_len", CALL_UINT, AT(struct ibv_flow_action_esp_attr, keymat_len), .counts = 4 },
	{ "keymat_ptr", CALL_DATA, AT(struct ibv_flow_action_esp_attr, keymat_ptr), .with = 3 },
	{ "replay_proto", CALL_ENUM, AT(struct ibv_flow_action_esp_attr, replay_proto), .words = &words_ib_uverbs_flow_action_esp_replay },
	{ "replay_len", CALL_UINT, AT(struct ibv_flow_action_esp_attr, replay_len), .counts = 7 },
	{ "replay_ptr", CALL_DATA, AT(struct ibv_flow_action_esp_attr, replay_ptr), .with = 6 },
	{ "esp_encap", CALL_COOKIE, AT(struct ibv_flow_action_esp_attr, esp_encap) },
	{ "comp_mask", CALL_UINT, AT(struct ibv_flow_action_esp_attr, comp_mask) },
	{ "esn", CALL_UINT, AT(struct ibv_flow_action_esp_attr, esn) },
	{ 0 }
};
static const struct call_struct struct_ibv_flow_action_esp_attr = { "ibv_flow_action_esp_attr", sizeof(struct ibv_flow_action_esp_attr), fields_ibv_flow_action_esp_attr, 0 };

static const struct call_value fields_ib_uverbs_flow_action_esp[] = {
	{ "spi", CALL_UINT, AT(struct ib_uverbs_flow_action_esp, spi) },
	{ "seq", CALL_UINT, AT(struct ib_uverbs_flow_action_esp, seq) },
	{ "tfc_pad", CALL_UINT, AT(struct ib_uverbs_flow_action_esp, tfc_pad) },
	{ "flags", CALL_UINT, AT(struct ib_uverbs_flow_action_esp, flags) },
	{ "hard_limit_pkts", CALL_UINT, AT(struct ib_uverbs_flow_action_esp, hard_limit_pkts) },
	{ 0 }
};
static const struct call_struct struct_ib_uverbs_flow_action_esp = { "ib_uverbs_flow_action_esp", sizeof(struct ib_uverbs_flow_action_esp), fields_ib_uverbs_flow_action_esp, 0 };

static const struct call_value fields_ibv_qp_init_attr[] = {
	{ "qp_context", CALL_COOKIE, AT(struct ibv_qp_init_attr, qp_context) },
	{ "send_cq", CALL_OBJECT, AT(struct ibv_qp_init_attr, send_cq), .optional = true, .object = OBJECT_CQ },
	{ "recv_cq", CALL_OBJECT, AT(struct ibv_qp_init_attr, recv_cq), .optional = true, .object = OBJECT_CQ },
	{ "srq", CALL_OBJECT, AT(struct ibv_qp_init_attr, srq), .optional = true, .object = OBJECT_SRQ },
	{ "cap", CALL_STRUCT, AT(struct ibv_qp_init_attr, cap), .of = &struct_ibv_qp_cap },
	{ "qp_type", CALL_ENUM, AT(struct ibv_qp_init_attr, qp_type), .words = &words_ibv_qp_type },
	{ "sq_sig_all", CALL_INT, AT(struct ibv_qp_init_attr, sq_sig_all) },
	{ 0 }
};
static const struct call_struct struct_ibv_qp_init_attr = { "ibv_qp_init_attr", sizeof(struct ibv_qp_init_attr), fields_ibv_qp_init_attr, 0 };

static const struct call_value fields_ibv_qp_cap[] = {
	{ "max_send_wr", CALL_UINT, AT(struct ibv_qp_cap, max_send_wr) },
	{ "max_recv_wr", CALL_UINT, AT(struct ibv_qp_cap, max_recv_wr) },
	{ "max_send_sge", CALL_UINT, AT(struct ibv_qp_cap, max_send_sge) },
	{ "max_recv_sge", CALL_UINT, AT(struct ibv_qp_cap, max_recv_sge) },
	{ "max_inline_data", CALL_UINT, AT(struct ibv_qp_cap, max_inline_data) },
	{ 0 }
};
static const struct call_struct struct_ibv_qp_cap = { "ibv_qp_cap", sizeof(struct ibv_qp_cap), fields_ibv_qp_cap, 0 };

static const struct call_value fields_ibv_qp_init_attr_ex[] = {
	{ "qp_context", CALL_COOKIE, AT(struct ibv_qp_init_attr_ex, qp_context) },
	{ "send_cq", CALL_OBJECT, AT(struct ibv_qp_init_attr_ex, send_cq), .optional = true, .object = OBJECT_CQ },
	{ "recv_cq", CALL_OBJECT, AT(struct ibv_qp_init_attr_ex, recv_cq), .optional = true, .object = OBJECT_CQ },
	{ "srq", CALL_OBJECT, AT(struct ibv_qp_init_attr_ex, srq), .optional = true, .object = OBJECT_SRQ },
	{ "cap", CALL_STRUCT, AT(struct ibv_qp_init_attr_ex, cap), .of = &struct_ibv_qp_cap },
	{ "qp_type", CALL_ENUM, AT(struct ibv_qp_init_attr_ex, qp_type), .words = &words_ibv_qp_type },
	{ "sq_sig_all", CALL_INT, AT(struct ibv_qp_init_attr_ex, sq_sig_all) },
	{ "comp_mask", CALL_FLAGS, AT(struct ibv_qp_init_attr_ex, comp_mask), .words = &words_ibv_qp_init_attr_mask },
	{ "pd", CALL_OBJECT, AT(struct ibv_qp_init_attr_ex, pd), .when = 8, .object = OBJECT_PD, .when_any = 0x1 },
	{ "xrcd", CALL_OBJECT, AT(struct ibv_qp_init_attr_ex, xrcd), .when = 8, .object = OBJECT_XRCD, .when_any = 0x2 },
	{ "create_flags", CALL_FLAGS, AT(struct ibv_qp_init_attr_ex, create_flags), .when = 8, .words = &words_ibv_qp_create_flags, .when_any = 0x4 },
	{ "max_tso_header", CALL_UINT, AT(struct ibv_qp_init_attr_ex, max_tso_header), .when = 8, .when_any = 0x8 },
	{ "rwq_ind_tbl", CALL_OBJECT, AT(struct ibv_qp_init_attr_ex, rwq_ind_tbl), .when = 8, .object = OBJECT_RWQ_IND_TABLE, .when_any = 0x10 },
	{ "rx_hash_conf", CALL_STRUCT, AT(struct ibv_qp_init_attr_ex, rx_hash_conf), .when = 8, .of = &struct_ibv_rx_hash_conf, .when_any = 0x20 },
	{ "source_qpn", CALL_UINT, AT(struct ibv_qp_init_attr_ex, source_qpn), .when = 11, .when_any = 0x400 },
	{ "send_ops_flags", CALL_FLAGS, AT(struct ibv_qp_init_attr_ex, send_ops_flags), .when = 8, .words = &words_ibv_qp_create_send_ops_flags, .when_any = 0x40 },
	{ 0 }
};
static const struct call_struct struct_ibv_qp_init_attr_ex = { "ibv_qp_init_attr_ex", sizeof(struct ibv_qp_init_attr_ex), fields_ibv_qp_init_attr_ex, 0 };

static const struct call_value fields_ibv_rx_hash_conf[] = {
	{ "rx_hash_function", CALL_FLAGS, AT(struct ibv_rx_hash_conf, rx_hash_function), .words = &words_ibv_rx_hash_function_flags },
	{ "rx_hash_key_len", CALL_UINT, AT(struct ibv_rx_hash_conf, rx_hash_key_len), .counts = 3 },
	{ "rx_hash_key", CALL_DATA, AT(struct ibv_rx_hash_conf, rx_hash_key), .with = 2 },
	{ "rx_hash_fields_mask", CALL_FLAGS, AT(struct ibv_rx_hash_conf, rx_hash_fields_mask), .words = &words_ibv_rx_hash_fields },
	{ 0 }
};
static const struct call_struct struct_ibv_rx_hash_conf = { "ibv_rx_hash_conf", sizeof(struct ibv_rx_hash_conf), fields_ibv_rx_hash_conf, 0 };

static const struct call_value fields_ibv_rwq_ind_table_init_attr[] = {
	{ "log_ind_tbl_size", CALL_UINT, AT(struct ibv_rwq_ind_table_init_attr, log_ind_tbl_size), .counts = 2, .is_log = true },
	{ "ind_tbl", CALL_OBJECTS, AT(struct ibv_rwq_ind_table_init_attr, ind_tbl), .with = 1, .object = OBJECT_WQ },
	{ "comp_mask", CALL_UINT, AT(struct ibv_rwq_ind_table_init_attr, comp_mask) },
	{ 0 }
};
static const struct call_struct struct_ibv_rwq_ind_table_init_attr = { "ibv_rwq_ind_table_init_attr", sizeof(struct ibv_rwq_ind_table_init_attr), fields_ibv_rwq_ind_table_init_attr, 0 };

static const struct call_value fields_ibv_srq_init_attr[] = {
	{ "srq_context", CALL_COOKIE, AT(struct ibv_srq_init_attr, srq_context) },
	{ "attr", CALL_STRUCT, AT(struct ibv_srq_init_attr, attr), .of = &struct_ibv_srq_attr },
	{ 0 }
};
static const struct call_struct struct_ibv_srq_init_attr = { "ibv_srq_init_attr", sizeof(struct ibv_srq_init_attr), fields_ibv_srq_init_attr, 0 };

static const struct call_value fields_ibv_srq_attr[] = {
	{ "max_wr", CALL_UINT, AT(struct ibv_srq_attr, max_wr), .bit = IBV_SRQ_MAX_WR },
	{ "max_sge", CALL_UINT, AT(struct ibv_srq_attr, max_sge) },
	{ "srq_limit", CALL_UINT, AT(struct ibv_srq_attr, srq_limit), .bit = IBV_SRQ_LIMIT },
	{ 0 }
};
static const struct call_struct struct_ibv_srq_attr = { "ibv_srq_attr", sizeof(struct ibv_srq_attr), fields_ibv_srq_attr, 0 };

static const struct call_value fields_ibv_srq_init_attr_ex[] = {
	{ "srq_context", CALL_COOKIE, AT(struct ibv_srq_init_attr_ex, srq_context) },
	{ "attr", CALL_STRUCT, AT(struct ibv_srq_init_attr_ex, attr), .of = &struct_ibv_srq_attr },
	{ "comp_mask", CALL_FLAGS, AT(struct ibv_srq_init_attr_ex, comp_mask), .words = &words_ibv_srq_init_attr_mask },
	{ "srq_type", CALL_ENUM, AT(struct ibv_srq_init_attr_ex, srq_type), .when = 3, .words = &words_ibv_srq_type, .when_any = 0x1 },
	{ "pd", CALL_OBJECT, AT(struct ibv_srq_init_attr_ex, pd), .when = 3, .object = OBJECT_PD, .when_any = 0x2 },
	{ "xrcd", CALL_OBJECT, AT(struct ibv_srq_init_attr_ex, xrcd), .when = 3, .object = OBJECT_XRCD, .when_any = 0x4 },
	{ "cq", CALL_OBJECT, AT(struct ibv_srq_init_attr_ex, cq), .when = 3, .object = OBJECT_CQ, .when_any = 0x8 },
	{ "tm_cap", CALL_STRUCT, AT(struct ibv_srq_init_attr_ex, tm_cap), .when = 3, .of = &struct_ibv_tm_cap, .when_any = 0x10 },
	{ 0 }
};
static const struct call_struct struct_ibv_srq_init_attr_ex = { "ibv_srq_init_attr_ex", sizeof(struct ibv_srq_init_attr_ex), fields_ibv_srq_init_attr_ex, 0 };

static const struct call_value fields_ibv_tm_cap[] = {
	{ "max_num_tags", CALL_UINT, AT(struct ibv_tm_cap, max_num_tags) },
	{ "max_ops", CALL_UINT, AT(struct ibv_tm_cap, max_ops) },
	{ 0 }
};
static const struct call_struct struct_ibv_tm_cap = { "ibv_tm_cap", sizeof(struct ibv_tm_cap), fields_ibv_tm_cap, 0 };

static const struct call_value fields_ibv_wq_init_attr[] = {
	{ "wq_context", CALL_COOKIE, AT(struct ibv_wq_init_attr, wq_context) },
	{ "wq_type", CALL_ENUM, AT(struct ibv_wq_init_attr, wq_type), .words = &words_ibv_wq_type },
	{ "max_wr", CALL_UINT, AT(struct ibv_wq_init_attr, max_wr) },
	{ "max_sge", CALL_UINT, AT(struct ibv_wq_init_attr, max_sge) },
	{ "pd", CALL_OBJECT, AT(struct ibv_wq_init_attr, pd), .object = OBJECT_PD },
	{ "cq", CALL_OBJECT, AT(struct ibv_wq_init_attr, cq), .object = OBJECT_CQ },
	{ "comp_mask", CALL_FLAGS, AT(struct ibv_wq_init_attr, comp_mask), .words = &words_ibv_wq_init_attr_mask },
	{ "create_flags", CALL_FLAGS, AT(struct ibv_wq_init_attr, create_flags), .when = 7, .words = &words_ibv_wq_flags, .when_any = 0x1 },
	{ 0 }
};
static const struct call_struct struct_ibv_wq_init_attr = { "ibv_wq_init_attr", sizeof(struct ibv_wq_init_attr), fields_ibv_wq_init_attr, 0 };

static const struct call_value fields_ibv_modify_cq_attr[] = {
	{ "attr_mask", CALL_FLAGS, AT(struct ibv_modify_cq_attr, attr_mask), .words = &words_ibv_cq_attr_mask },
	{ "moderate", CALL_STRUCT, AT(struct ibv_modify_cq_attr, moderate), .when = 1, .of = &struct_ibv_moderate_cq, .when_any = 0x1 },
	{ 0 }
};
static const struct call_struct struct_ibv_modify_cq_attr = { "ibv_modify_cq_attr", sizeof(struct ibv_modify_cq_attr), fields_ibv_modify_cq_attr, 0 };

static const struct call_value fields_ibv_moderate_cq[] = {
	{ "cq_count", CALL_UINT, AT(struct ibv_moderate_cq, cq_count) },
	{ "cq_period", CALL_UINT, AT(struct ibv_moderate_cq, cq_period) },
	{ 0 }
};
static const struct call_struct struct_ibv_moderate_cq = { "ibv_moderate_cq", sizeof(struct ibv_moderate_cq), fields_ibv_moderate_cq, 0 };

static const struct call_value fields_ibv_qp_attr[] = {
	{ "qp_state", CALL_ENUM, AT(struct ibv_qp_attr, qp_state), .bit = IBV_QP_STATE, .words = &words_ibv_qp_state },
	{ "cur_qp_state", CALL_ENUM, AT(struct ibv_qp_attr, cur_qp_state), .bit = IBV_QP_CUR_STATE, .words = &words_ibv_qp_state },
	{ "path_mtu", CALL_ENUM, AT(struct ibv_qp_attr, path_mtu), .bit = IBV_QP_PATH_MTU, .words = &words_ibv_mtu },
	{ "path_mig_state", CALL_ENUM, AT(struct ibv_qp_attr, path_mig_state), .bit = IBV_QP_PATH_MIG_STATE, .words = &words_ibv_mig_state },
	{ "qkey", CALL_UINT, AT(struct ibv_qp_attr, qkey), .bit = IBV_QP_QKEY },
	{ "rq_psn", CALL_UINT, AT(struct ibv_qp_attr, rq_psn), .bit = IBV_QP_RQ_PSN },
	{ "sq_psn", CALL_UINT, AT(struct ibv_qp_attr, sq_psn), .bit = IBV_QP_SQ_PSN },
	{ "dest_qp_num", CALL_QPN, AT(struct ibv_qp_attr, dest_qp_num), .bit = IBV_QP_DEST_QPN },
	{ "qp_access_flags", CALL_FLAGS, AT(struct ibv_qp_attr, qp_access_flags), .words = &words_ibv_access_flags, .bit = IBV_QP_ACCESS_FLAGS },
	{ "cap", CALL_STRUCT, AT(struct ibv_qp_attr, cap), .bit = IBV_QP_CAP, .of = &struct_ibv_qp_cap },
	{ "ah_attr", CALL_STRUCT, AT(struct ibv_qp_attr, ah_attr), .bit = IBV_QP_AV, .of = &struct_ibv_ah_attr },
	{ "alt_ah_attr", CALL_STRUCT, AT(struct ibv_qp_attr, alt_ah_attr), .bit = IBV_QP_ALT_PATH, .of = &struct_ibv_ah_attr },
	{ "pkey_index", CALL_UINT, AT(struct ibv_qp_attr, pkey_index), .bit = IBV_QP_PKEY_INDEX },
	{ "alt_pkey_index", CALL_UINT, AT(struct ibv_qp_attr, alt_pkey_index), .bit = IBV_QP_ALT_PATH },
	{ "en_sqd_async_notify", CALL_UINT, AT(struct ibv_qp_attr, en_sqd_async_notify), .bit = IBV_QP_EN_SQD_ASYNC_NOTIFY },
	{ "sq_draining", CALL_UINT, AT(struct ibv_qp_attr, sq_draining) },
	{ "max_rd_atomic", CALL_UINT, AT(struct ibv_qp_attr, max_rd_atomic), .bit = IBV_QP_MAX_QP_RD_ATOMIC },
	{ "max_dest_rd_atomic", CALL_UINT, AT(struct ibv_qp_attr, max_dest_rd_atomic), .bit = IBV_QP_MAX_DEST_RD_ATOMIC },
	{ "min_rnr_timer", CALL_UINT, AT(struct ibv_qp_attr, min_rnr_timer), .bit = IBV_QP_MIN_RNR_TIMER },
	{ "port_num", CALL_UINT, AT(struct ibv_qp_attr, port_num), .bit = IBV_QP_PORT },
	{ "timeout", CALL_UINT, AT(struct ibv_qp_attr, timeout), .bit = IBV_QP_TIMEOUT },
	{ "retry_cnt", CALL_UINT, AT(struct ibv_qp_attr, retry_cnt), .bit = IBV_QP_RETRY_CNT },
	{ "rnr_retry", CALL_UINT, AT(struct ibv_qp_attr, rnr_retry), .bit = IBV_QP_RNR_RETRY },
	{ "alt_port_num", CALL_UINT, AT(struct ibv_qp_attr, alt_port_num), .bit = IBV_QP_ALT_PATH },
	{ "alt_timeout", CALL_UINT, AT(struct ibv_qp_attr, alt_timeout), .bit = IBV_QP_ALT_PATH },
	{ "rate_limit", CALL_UINT, AT(struct ibv_qp_attr, rate_limit), .bit = IBV_QP_RATE_LIMIT },
	{ 0 }
};
static const struct call_struct struct_ibv_qp_attr = { "ibv_qp_attr", sizeof(struct ibv_qp_attr), fields_ibv_qp_attr, 0 };

static const struct call_value fields_ibv_qp_rate_limit_attr[] = {
	{ "rate_limit", CALL_UINT, AT(struct ibv_qp_rate_limit_attr, rate_limit) },
	{ "max_burst_sz", CALL_UINT, AT(struct ibv_qp_rate_limit_attr, max_burst_sz) },
	{ "typical_pkt_sz", CALL_UINT, AT(struct ibv_qp_rate_limit_attr, typical_pkt_sz) },
	{ "comp_mask", CALL_UINT, AT(struct ibv_qp_rate_limit_attr, comp_mask) },
	{ 0 }
};
static const struct call_struct struct_ibv_qp_rate_limit_attr = { "ibv_qp_rate_limit_attr", sizeof(struct ibv_qp_rate_limit_attr), fields_ibv_qp_rate_limit_attr, 0 };

static const struct call_value fields_ibv_wq_attr[] = {
	{ "attr_mask", CALL_FLAGS, AT(struct ibv_wq_attr, attr_mask), .words = &words_ibv_wq_attr_mask },
	{ "wq_state", CALL_ENUM, AT(struct ibv_wq_attr, wq_state), .when = 1, .words = &words_ibv_wq_state, .when_any = 0x1 },
	{ "curr_wq_state", CALL_ENUM, AT(struct ibv_wq_attr, curr_wq_state), .when = 1, .words = &words_ibv_wq_state, .when_any = 0x2 },
	{ "flags", CALL_FLAGS, AT(struct ibv_wq_attr, flags), .when = 1, .words = &words_ibv_wq_flags, .when_any = 0x4 },
	{ "flags_mask", CALL_FLAGS, AT(struct ibv_wq_attr, flags_mask), .when = 1, .words = &words_ibv_wq_flags, .when_any = 0x4 },
	{ 0 }
};
static const struct call_struct struct_ibv_wq_attr = { "ibv_wq_attr", sizeof(struct ibv_wq_attr), fields_ibv_wq_attr, 0 };

static const struct call_value fields_ibv_qp_open_attr[] = {
	{ "comp_mask", CALL_FLAGS, AT(struct ibv_qp_open_attr, comp_mask), .words = &words_ibv_qp_open_attr_mask },
	{ "qp_num", CALL_QPN, AT(struct ibv_qp_open_attr, qp_num), .when = 1, .when_any = 0x1 },
	{ "xrcd", CALL_OBJECT, AT(struct ibv_qp_open_attr, xrcd), .when = 1, .object = OBJECT_XRCD, .when_any = 0x2 },
	{ "qp_context", CALL_COOKIE, AT(struct ibv_qp_open_attr, qp_context) },
	{ "qp_type", CALL_ENUM, AT(struct ibv_qp_open_attr, qp_type), .when = 1, .words = &words_ibv_qp_type, .when_any = 0x8 },
	{ 0 }
};
static const struct call_struct struct_ibv_qp_open_attr = { "ibv_qp_open_attr", sizeof(struct ibv_qp_open_attr), fields_ibv_qp_open_attr, 0 };

static const struct call_value fields_ibv_xrcd_init_attr[] = {
	{ "comp_mask", CALL_FLAGS, AT(struct ibv_xrcd_init_attr, comp_mask), .words = &words_ibv_xrcd_init_attr_mask },
	{ "fd", CALL_FD, AT(struct ibv_xrcd_init_attr, fd), .when = 1, .when_any = 0x1 },
	{ "oflags", CALL_FLAGS, AT(struct ibv_xrcd_init_attr, oflags), .when = 1, .words = &words_o, .when_any = 0x2 },
	{ 0 }
};
static const struct call_struct struct_ibv_xrcd_init_attr = { "ibv_xrcd_init_attr", sizeof(struct ibv_xrcd_init_attr), fields_ibv_xrcd_init_attr, 0 };

static const struct call_value fields_ibv_recv_wr[] = {
	{ "wr_id", CALL_UINT, AT(struct ibv_recv_wr, wr_id) },
	{ "sg_list", CALL_LIST, AT(struct ibv_recv_wr, sg_list), .with = 3, .of = &struct_ibv_sge },
	{ "num_sge", CALL_INT, AT(struct ibv_recv_wr, num_sge), .counts = 2 },
	{ 0 }
};
static const struct call_struct struct_ibv_recv_wr = { "ibv_recv_wr", sizeof(struct ibv_recv_wr), fields_ibv_recv_wr, offsetof(struct ibv_recv_wr, next) };

static const struct call_value fields_ibv_send_wr[] = {
	{ "wr_id", CALL_UINT, AT(struct ibv_send_wr, wr_id) },
	{ "sg_list", CALL_LIST, AT(struct ibv_send_wr, sg_list), .with = 3, .of = &struct_ibv_sge },
	{ "num_sge", CALL_INT, AT(struct ibv_send_wr, num_sge), .counts = 2 },
	{ "opcode", CALL_ENUM, AT(struct ibv_send_wr, opcode), .words = &words_ibv_wr_opcode },
	{ "send_flags", CALL_FLAGS, AT(struct ibv_send_wr, send_flags), .words = &words_ibv_send_flags },
	{ "imm_data", CALL_BE, AT(struct ibv_send_wr, imm_data), .when = 4, .when_any = 0xa },
	{ "invalidate_rkey", CALL_KEY, AT(struct ibv_send_wr, invalidate_rkey), .when = 4, .when_any = 0x280 },
	{ "wr.rdma.remote_addr", CALL_REMOTE, AT(struct ibv_send_wr, wr.rdma.remote_addr), .when = 4, .when_any = 0xc013 },
	{ "wr.rdma.rkey", CALL_KEY, AT(struct ibv_send_wr, wr.rdma.rkey), .when = 4, .when_any = 0xc013 },
	{ "wr.atomic.remote_addr", CALL_REMOTE, AT(struct ibv_send_wr, wr.atomic.remote_addr), .when = 4, .when_any = 0x60 },
	{ "wr.atomic.compare_add", CALL_UINT, AT(struct ibv_send_wr, wr.atomic.compare_add), .when = 4, .when_any = 0x60 },
	{ "wr.atomic.swap", CALL_UINT, AT(struct ibv_send_wr, wr.atomic.swap), .when = 4, .when_any = 0x20 },
	{ "wr.atomic.rkey", CALL_KEY, AT(struct ibv_send_wr, wr.atomic.rkey), .when = 4, .when_any = 0x60 },
	{ "wr.ud.ah", CALL_OBJECT, AT(struct ibv_send_wr, wr.ud.ah), .qp_types = 0x10, .when = 4, .object = OBJECT_AH, .when_any = 0x40c },
	{ "wr.ud.remote_qpn", CALL_QPN, AT(struct ibv_send_wr, wr.ud.remote_qpn), .qp_types = 0x10, .when = 4, .when_any = 0x40c },
	{ "wr.ud.remote_qkey", CALL_UINT, AT(struct ibv_send_wr, wr.ud.remote_qkey), .qp_types = 0x10, .when = 4, .when_any = 0x40c },
	{ "qp_type.xrc.remote_srqn", CALL_UINT, AT(struct ibv_send_wr, qp_type.xrc.remote_srqn), .qp_types = 0x200 },
	{ "bind_mw.mw", CALL_OBJECT, AT(struct ibv_send_wr, bind_mw.mw), .when = 4, .object = OBJECT_MW, .when_any = 0x100 },
	{ "bind_mw.rkey", CALL_UINT, AT(struct ibv_send_wr, bind_mw.rkey), .when = 4, .when_any = 0x100 },
	{ "bind_mw.bind_info", CALL_STRUCT, AT(struct ibv_send_wr, bind_mw.bind_info), .when = 4, .of = &struct_ibv_mw_bind_info, .when_any = 0x100 },
	{ "tso.hdr", CALL_DATA, AT(struct ibv_send_wr, tso.hdr), .when = 4, .with = 22, .when_any = 0x400 },
	{ "tso.hdr_sz", CALL_UINT, AT(struct ibv_send_wr, tso.hdr_sz), .when = 4, .counts = 21, .when_any = 0x400 },
	{ "tso.mss", CALL_UINT, AT(struct ibv_send_wr, tso.mss), .when = 4, .when_any = 0x400 },
	{ 0 }
};
static const struct call_struct struct_ibv_send_wr = { "ibv_send_wr", sizeof(struct ibv_send_wr), fields_ibv_send_wr, offsetof(struct ibv_send_wr, next) };

static const struct call_value fields_ibv_ops_wr[] = {
	{ "wr_id", CALL_UINT, AT(struct ibv_ops_wr, wr_id) },
	{ "opcode", CALL_ENUM, AT(struct ibv_ops_wr, opcode), .words = &words_ibv_ops_wr_opcode },
	{ "flags", CALL_FLAGS, AT(struct ibv_ops_wr, flags), .words = &words_ibv_ops_flags },
	{ "tm.unexpected_cnt", CALL_UINT, AT(struct ibv_ops_wr, tm.unexpected_cnt) },
	{ "tm.handle", CALL_UINT, AT(struct ibv_ops_wr, tm.handle), .when = 2, .when_any = 0x2 },
	{ "tm.add.recv_wr_id", CALL_UINT, AT(struct ibv_ops_wr, tm.add.recv_wr_id), .when = 2, .when_any = 0x1 },
	{ "tm.add.sg_list", CALL_LIST, AT(struct ibv_ops_wr, tm.add.sg_list), .with = 8, .of = &struct_ibv_sge },
	{ "tm.add.num_sge", CALL_INT, AT(struct ibv_ops_wr, tm.add.num_sge), .counts = 7 },
	{ "tm.add.tag", CALL_UINT, AT(struct ibv_ops_wr, tm.add.tag), .when = 2, .when_any = 0x1 },
	{ "tm.add.mask", CALL_UINT, AT(struct ibv_ops_wr, tm.add.mask), .when = 2, .when_any = 0x1 },
	{ 0 }
};
static const struct call_struct struct_ibv_ops_wr = { "ibv_ops_wr", sizeof(struct ibv_ops_wr), fields_ibv_ops_wr, offsetof(struct ibv_ops_wr, next) };

static const struct call_value fields_ibv_device_attr[] = {
	{ "fw_ver", CALL_CHARS, AT(struct ibv_device_attr, fw_ver) },
	{ "node_guid", CALL_BE, AT(struct ibv_device_attr, node_guid) },
	{ "sys_image_guid", CALL_BE, AT(struct ibv_device_attr, sys_image_guid) },
	{ "max_mr_size", CALL_UINT, AT(struct ibv_device_attr, max_mr_size) },
	{ "page_size_cap", CALL_UINT, AT(struct ibv_device_attr, page_size_cap) },
	{ "vendor_id", CALL_UINT, AT(struct ibv_device_attr, vendor_id) },
	{ "vendor_part_id", CALL_UINT, AT(struct ibv_device_attr, vendor_part_id) },
	{ "hw_ver", CALL_UINT, AT(struct ibv_device_attr, hw_ver) },
	{ "max_qp", CALL_INT, AT(struct ibv_device_attr, max_qp) },
	{ "max_qp_wr", CALL_INT, AT(struct ibv_device_attr, max_qp_wr) },
	{ "device_cap_flags", CALL_FLAGS, AT(struct ibv_device_attr, device_cap_flags), .words = &words_ibv_device_cap_flags },
	{ "max_sge", CALL_INT, AT(struct ibv_device_attr, max_sge) },
	{ "max_sge_rd", CALL_INT, AT(struct ibv_device_attr, max_sge_rd) },
	{ "max_cq", CALL_INT, AT(struct ibv_device_attr, max_cq) },
	{ "max_cqe", CALL_INT, AT(struct ibv_device_attr, max_cqe) },
	{ "max_mr", CALL_INT, AT(struct ibv_device_attr, max_mr) },
	{ "max_pd", CALL_INT, AT(struct ibv_device_attr, max_pd) },
	{ "max_qp_rd_atom", CALL_INT, AT(struct ibv_device_attr, max_qp_rd_atom) },
	{ "max_ee_rd_atom", CALL_INT, AT(struct ibv_device_attr, max_ee_rd_atom) },
	{ "max_res_rd_atom", CALL_INT, AT(struct ibv_device_attr, max_res_rd_atom) },
	{ "max_qp_init_rd_atom", CALL_INT, AT(struct ibv_device_attr, max_qp_init_rd_atom) },
	{ "max_ee_init_rd_atom", CALL_INT, AT(struct ibv_device_attr, max_ee_init_rd_atom) },
	{ "atomic_cap", CALL_ENUM, AT(struct ibv_device_attr, atomic_cap), .words = &words_ibv_atomic_cap },
	{ "max_ee", CALL_INT, AT(struct ibv_device_attr, max_ee) },
	{ "max_rdd", CALL_INT, AT(struct ibv_device_attr, max_rdd) },
	{ "max_mw", CALL_INT, AT(struct ibv_device_attr, max_mw) },
	{ "max_raw_ipv6_qp", CALL_INT, AT(struct ibv_device_attr, max_raw_ipv6_qp) },
	{ "max_raw_ethy_qp", CALL_INT, AT(struct ibv_device_attr, max_raw_ethy_qp) },
	{ "max_mcast_grp", CALL_INT, AT(struct ibv_device_attr, max_mcast_grp) },
	{ "max_mcast_qp_attach", CALL_INT, AT(struct ibv_device_attr, max_mcast_qp_attach) },
	{ "max_total_mcast_qp_attach", CALL_INT, AT(struct ibv_device_attr, max_total_mcast_qp_attach) },
	{ "max_ah", CALL_INT, AT(struct ibv_device_attr, max_ah) },
	{ "max_fmr", CALL_INT, AT(struct ibv_device_attr, max_fmr) },
	{ "max_map_per_fmr", CALL_INT, AT(struct ibv_device_attr, max_map_per_fmr) },
	{ "max_srq", CALL_INT, AT(struct ibv_device_attr, max_srq) },
	{ "max_srq_wr", CALL_INT, AT(struct ibv_device_attr, max_srq_wr) },
	{ "max_srq_sge", CALL_INT, AT(struct ibv_device_attr, max_srq_sge) },
	{ "max_pkeys", CALL_UINT, AT(struct ibv_device_attr, max_pkeys) },
	{ "local_ca_ack_delay", CALL_UINT, AT(struct ibv_device_attr, local_ca_ack_delay) },
	{ "phys_port_cnt", CALL_UINT, AT(struct ibv_device_attr, phys_port_cnt) },
	{ 0 }
};
static const struct call_struct struct_ibv_device_attr = { "ibv_device_attr", sizeof(struct ibv_device_attr), fields_ibv_device_attr, 0 };

static const struct call_value fields_ibv_query_device_ex_input[] = {
	{ "comp_mask", CALL_UINT, AT(struct ibv_query_device_ex_input, comp_mask) },
	{ 0 }
};
static const struct call_struct struct_ibv_query_device_ex_input = { "ibv_query_device_ex_input", sizeof(struct ibv_query_device_ex_input), fields_ibv_query_device_ex_input, 0 };

static const struct call_value fields_ibv_device_attr_ex[] = {
	{ "orig_attr", CALL_STRUCT, AT(struct ibv_device_attr_ex, orig_attr), .of = &struct_ibv_device_attr },
	{ "comp_mask", CALL_UINT, AT(struct ibv_device_attr_ex, comp_mask) },
	{ "odp_caps", CALL_STRUCT, AT(struct ibv_device_attr_ex, odp_caps), .of = &struct_ibv_odp_caps },
	{ "completion_timestamp_mask", CALL_UINT, AT(struct ibv_device_attr_ex, completion_timestamp_mask) },
	{ "hca_core_clock", CALL_UINT, AT(struct ibv_device_attr_ex, hca_core_clock) },
	{ "device_cap_flags_ex", CALL_UINT, AT(struct ibv_device_attr_ex, device_cap_flags_ex) },
	{ "tso_caps", CALL_STRUCT, AT(struct ibv_device_attr_ex, tso_caps), .of = &struct_ibv_tso_caps },
	{ "rss_caps", CALL_STRUCT, AT(struct ibv_device_attr_ex, rss_caps), .of = &struct_ibv_rss_caps },
	{ "max_wq_type_rq", CALL_UINT, AT(struct ibv_device_attr_ex, max_wq_type_rq) },
	{ "packet_pacing_caps", CALL_STRUCT, AT(struct ibv_device_attr_ex, packet_pacing_caps), .of = &struct_ibv_packet_pacing_caps },
	{ "raw_packet_caps", CALL_FLAGS, AT(struct ibv_device_attr_ex, raw_packet_caps), .words = &words_ibv_raw_packet_caps },
	{ "tm_caps", CALL_STRUCT, AT(struct ibv_device_attr_ex, tm_caps), .of = &struct_ibv_tm_caps },
	{ "cq_mod_caps", CALL_STRUCT, AT(struct ibv_device_attr_ex, cq_mod_caps), .of = &struct_ibv_cq_moderation_caps },
	{ "max_dm_size", CALL_UINT, AT(struct ibv_device_attr_ex, max_dm_size) },
	{ "pci_atomic_caps", CALL_STRUCT, AT(struct ibv_device_attr_ex, pci_atomic_caps), .of = &struct_ibv_pci_atomic_caps },
	{ "xrc_odp_caps", CALL_FLAGS, AT(struct ibv_device_attr_ex, xrc_odp_caps), .words = &words_ibv_odp_transport_cap_bits },
	{ "phys_port_cnt_ex", CALL_UINT, AT(struct ibv_device_attr_ex, phys_port_cnt_ex) },
	{ 0 }
};
static const struct call_struct struct_ibv_device_attr_ex = { "ibv_device_attr_ex", sizeof(struct ibv_device_attr_ex), fields_ibv_device_attr_ex, 0 };

static const struct call_value fields_ibv_odp_caps[] = {
	{ "general_caps", CALL_FLAGS, AT(struct ibv_odp_caps, general_caps), .words = &words_ibv_odp_general_caps },
	{ "per_transport_caps.rc_odp_caps", CALL_FLAGS, AT(struct ibv_odp_caps, per_transport_caps.rc_odp_caps), .words = &words_ibv_odp_transport_cap_bits },
	{ "per_transport_caps.uc_odp_caps", CALL_FLAGS, AT(struct ibv_odp_caps, per_transport_caps.uc_odp_caps), .words = &words_ibv_odp_transport_cap_bits },
	{ "per_transport_caps.ud_odp_caps", CALL_FLAGS, AT(struct ibv_odp_caps, per_transport_caps.ud_odp_caps), .words = &words_ibv_odp_transport_cap_bits },
	{ 0 }
};
static const struct call_struct struct_ibv_odp_caps = { "ibv_odp_caps", sizeof(struct ibv_odp_caps), fields_ibv_odp_caps, 0 };

static const struct call_value fields_ibv_tso_caps[] = {
	{ "max_tso", CALL_UINT, AT(struct ibv_tso_caps, max_tso) },
	{ "supported_qpts", CALL_UINT, AT(struct ibv_tso_caps, supported_qpts) },
	{ 0 }
};
static const struct call_struct struct_ibv_tso_caps = { "ibv_tso_caps", sizeof(struct ibv_tso_caps), fields_ibv_tso_caps, 0 };

static const struct call_value fields_ibv_rss_caps[] = {
	{ "supported_qpts", CALL_UINT, AT(struct ibv_rss_caps, supported_qpts) },
	{ "max_rwq_indirection_tables", CALL_UINT, AT(struct ibv_rss_caps, max_rwq_indirection_tables) },
	{ "max_rwq_indirection_table_size", CALL_UINT, AT(struct ibv_rss_caps, max_rwq_indirection_table_size) },
	{ "rx_hash_fields_mask", CALL_FLAGS, AT(struct ibv_rss_caps, rx_hash_fields_mask), .words = &words_ibv_rx_hash_fields },
	{ "rx_hash_function", CALL_FLAGS, AT(struct ibv_rss_caps, rx_hash_function), .words = &words_ibv_rx_hash_function_flags },
	{ 0 }
};
static const struct call_struct struct_ibv_rss_caps = { "ibv_rss_caps", sizeof(struct ibv_rss_caps), fields_ibv_rss_caps, 0 };

static const struct call_value fields_ibv_packet_pacing_caps[] = {
	{ "qp_rate_limit_min", CALL_UINT, AT(struct ibv_packet_pacing_caps, qp_rate_limit_min) },
	{ "qp_rate_limit_max", CALL_UINT, AT(struct ibv_packet_pacing_caps, qp_rate_limit_max) },
	{ "supported_qpts", CALL_UINT, AT(struct ibv_packet_pacing_caps, supported_qpts) },
	{ 0 }
};
static const struct call_struct struct_ibv_packet_pacing_caps = { "ibv_packet_pacing_caps", sizeof(struct ibv_packet_pacing_caps), fields_ibv_packet_pacing_caps, 0 };

static const struct call_value fields_ibv_tm_caps[] = {
	{ "max_rndv_hdr_size", CALL_UINT, AT(struct ibv_tm_caps, max_rndv_hdr_size) },
	{ "max_num_tags", CALL_UINT, AT(struct ibv_tm_caps, max_num_tags) },
	{ "flags", CALL_FLAGS, AT(struct ibv_tm_caps, flags), .words = &words_ibv_tm_cap_flags },
	{ "max_ops", CALL_UINT, AT(struct ibv_tm_caps, max_ops) },
	{ "max_sge", CALL_UINT, AT(struct ibv_tm_caps, max_sge) },
	{ 0 }
};
static const struct call_struct struct_ibv_tm_caps = { "ibv_tm_caps", sizeof(struct ibv_tm_caps), fields_ibv_tm_caps, 0 };

static const struct call_value fields_ibv_cq_moderation_caps[] = {
	{ "max_cq_count", CALL_UINT, AT(struct ibv_cq_moderation_caps, max_cq_count) },
	{ "max_cq_period", CALL_UINT, AT(struct ibv_cq_moderation_caps, max_cq_period) },
	{ 0 }
};
static const struct call_struct struct_ibv_cq_moderation_caps = { "ibv_cq_moderation_caps", sizeof(struct ibv_cq_moderation_caps), fields_ibv_cq_moderation_caps, 0 };

static const struct call_value fields_ibv_pci_atomic_caps[] = {
	{ "fetch_add", CALL_UINT, AT(struct ibv_pci_atomic_caps, fetch_add) },
	{ "swap", CALL_UINT, AT(struct ibv_pci_atomic_caps, swap) },
	{ "compare_swap", CALL_UINT, AT(struct ibv_pci_atomic_caps, compare_swap) },
	{ 0 }
};
static const struct call_struct struct_ibv_pci_atomic_caps = { "ibv_pci_atomic_caps", sizeof(struct ibv_pci_atomic_caps), fields_ibv_pci_atomic_caps, 0 };

static const struct call_value fields_ibv_ece[] = {
	{ "vendor_id", CALL_UINT, AT(struct ibv_ece, vendor_id) },
	{ "options", CALL_UINT, AT(struct ibv_ece, options) },
	{ "comp_mask", CALL_UINT, AT(struct ibv_ece, comp_mask) },
	{ 0 }
};
static const struct call_struct struct_ibv_ece = { "ibv_ece", sizeof(struct ibv_ece), fields_ibv_ece, 0 };

static const struct call_value fields_ibv_gid_entry[] = {
	{ "gid", CALL_GID, AT(struct ibv_gid_entry, gid) },
	{ "gid_index", CALL_UINT, AT(struct ibv_gid_entry, gid_index) },
	{ "port_num", CALL_UINT, AT(struct ibv_gid_entry, port_num) },
	{ "gid_type", CALL_ENUM, AT(struct ibv_gid_entry, gid_type), .words = &words_ibv_gid_type },
	{ "ndev_ifindex", CALL_UINT, AT(struct ibv_gid_entry, ndev_ifindex) },
	{ 0 }
};
static const struct call_struct struct_ibv_gid_entry = { "ibv_gid_entry", sizeof(struct ibv_gid_entry), fields_ibv_gid_entry, 0 };

static const struct call_value fields_ibv_port_attr[] = {
	{ "state", CALL_ENUM, AT(struct ibv_port_attr, state), .words = &words_ibv_port_state },
	{ "max_mtu", CALL_ENUM, AT(struct ibv_port_attr, max_mtu), .words = &words_ibv_mtu },
	{ "active_mtu", CALL_ENUM, AT(struct ibv_port_attr, active_mtu), .words = &words_ibv_mtu },
	{ "gid_tbl_len", CALL_INT, AT(struct ibv_port_attr, gid_tbl_len) },
	{ "port_cap_flags", CALL_FLAGS, AT(struct ibv_port_attr, port_cap_flags), .words = &words_ibv_port_cap_flags },
	{ "max_msg_sz", CALL_UINT, AT(struct ibv_port_attr, max_msg_sz) },
	{ "bad_pkey_cntr", CALL_UINT, AT(struct ibv_port_attr, bad_pkey_cntr) },
	{ "qkey_viol_cntr", CALL_UINT, AT(struct ibv_port_attr, qkey_viol_cntr) },
	{ "pkey_tbl_len", CALL_UINT, AT(struct ibv_port_attr, pkey_tbl_len) },
	{ "lid", CALL_UINT, AT(struct ibv_port_attr, lid) },
	{ "sm_lid", CALL_UINT, AT(struct ibv_port_attr, sm_lid) },
	{ "lmc", CALL_UINT, AT(struct ibv_port_attr, lmc) },
	{ "max_vl_num", CALL_UINT, AT(struct ibv_port_attr, max_vl_num) },
	{ "sm_sl", CALL_UINT, AT(struct ibv_port_attr, sm_sl) },
	{ "subnet_timeout", CALL_UINT, AT(struct ibv_port_attr, subnet_timeout) },
	{ "init_type_reply", CALL_UINT, AT(struct ibv_port_attr, init_type_reply) },
	{ "active_width", CALL_UINT, AT(struct ibv_port_attr, active_width) },
	{ "active_speed", CALL_UINT, AT(struct ibv_port_attr, active_speed) },
	{ "phys_state", CALL_UINT, AT(struct ibv_port_attr, phys_state) },
	{ "link_layer", CALL_ENUM, AT(struct ibv_port_attr, link_layer), .words = &words_ibv_link_layer_unspecified },
	{ "flags", CALL_UINT, AT(struct ibv_port_attr, flags) },
	{ "port_cap_flags2", CALL_FLAGS, AT(struct ibv_port_attr, port_cap_flags2), .words = &words_ibv_port_cap_flags2 },
#if CALLS_RDMA_CORE >= 56
	{ "active_speed_ex", CALL_UINT, AT(struct ibv_port_attr, active_speed_ex) },
#endif
	{ 0 }
};
static const struct call_struct struct_ibv_port_attr = { "ibv_port_attr", sizeof(struct ibv_port_attr), fields_ibv_port_attr, 0 };

static const struct call_value fields_ibv_values_ex[] = {
	{ "comp_mask", CALL_FLAGS, AT(struct ibv_values_ex, comp_mask), .words = &words_ibv_values_mask },
	{ "raw_clock", CALL_STRUCT, AT(struct ibv_values_ex, raw_clock), .when = 1, .of = &struct_timespec, .when_any = 0x1 },
	{ 0 }
};
static const struct call_struct struct_ibv_values_ex = { "ibv_values_ex", sizeof(struct ibv_values_ex), fields_ibv_values_ex, 0 };

static const struct call_value fields_timespec[] = {
	{ "tv_sec", CALL_INT, AT(struct timespec, tv_sec) },
	{ "tv_nsec", CALL_INT, AT(struct timespec, tv_nsec) },
	{ 0 }
};
static const struct call_struct struct_timespec = { "timespec", sizeof(struct timespec), fields_timespec, 0 };

static const struct call_value fields_ibv_poll_cq_attr[] = {
	{ "comp_mask", CALL_UINT, AT(struct ibv_poll_cq_attr, comp_mask) },
	{ 0 }
};
static const struct call_struct struct_ibv_poll_cq_attr = { "ibv_poll_cq_attr", sizeof(struct ibv_poll_cq_attr), fields_ibv_poll_cq_attr, 0 };

static const struct call_value fields_ibv_wc_tm_info[] = {
	{ "tag", CALL_UINT, AT(struct ibv_wc_tm_info, tag) },
	{ "priv", CALL_UINT, AT(struct ibv_wc_tm_info, priv) },
	{ 0 }
};
static const struct call_struct struct_ibv_wc_tm_info = { "ibv_wc_tm_info", sizeof(struct ibv_wc_tm_info), fields_ibv_wc_tm_info, 0 };

static const struct call_value fields_ibv_data_buf[] = {
	{ "addr", CALL_ADDRESS, AT(struct ibv_data_buf, addr), .with = 2 },
	{ "length", CALL_UINT, AT(struct ibv_data_buf, length), .counts = 1 },
	{ 0 }
};
static const struct call_struct struct_ibv_data_buf = { "ibv_data_buf", sizeof(struct ibv_data_buf), fields_ibv_data_buf, 0 };

static const struct call_value fields_rdma_conn_param[] = {
	{ "private_data", CALL_DATA, AT(struct rdma_conn_param, private_data), .with = 2 },
	{ "private_data_len", CALL_UINT, AT(struct rdma_conn_param, private_data_len), .counts = 1 },
	{ "responder_resources", CALL_UINT, AT(struct rdma_conn_param, responder_resources) },
	{ "initiator_depth", CALL_UINT, AT(struct rdma_conn_param, initiator_depth) },
	{ "flow_control", CALL_UINT, AT(struct rdma_conn_param, flow_control) },
	{ "retry_count", CALL_UINT, AT(struct rdma_conn_param, retry_count) },
	{ "rnr_retry_count", CALL_UINT, AT(struct rdma_conn_param, rnr_retry_count) },
	{ "srq", CALL_UINT, AT(struct rdma_conn_param, srq) },
	{ "qp_num", CALL_QPN, AT(struct rdma_conn_param, qp_num) },
	{ 0 }
};
static const struct call_struct struct_rdma_conn_param = { "rdma_conn_param", sizeof(struct rdma_conn_param), fields_rdma_conn_param, 0 };

static const struct call_value fields_rdma_addrinfo[] = {
	{ "ai_flags", CALL_FLAGS, AT(struct rdma_addrinfo, ai_flags), .words = &words_rai },
	{ "ai_family", CALL_ENUM, AT(struct rdma_addrinfo, ai_family), .words = &words_af },
	{ "ai_qp_type", CALL_ENUM, AT(struct rdma_addrinfo, ai_qp_type), .words = &words_ibv_qp_type },
	{ "ai_port_space", CALL_ENUM, AT(struct rdma_addrinfo, ai_port_space), .words = &words_rdma_port_space },
	{ "ai_src_len", CALL_UINT, AT(struct rdma_addrinfo, ai_src_len), .counts = 7 },
	{ "ai_dst_len", CALL_UINT, AT(struct rdma_addrinfo, ai_dst_len), .counts = 8 },
	{ "ai_src_addr", CALL_SOCKADDR, AT(struct rdma_addrinfo, ai_src_addr), .with = 5 },
	{ "ai_dst_addr", CALL_SOCKADDR, AT(struct rdma_addrinfo, ai_dst_addr), .with = 6 },
	{ "ai_src_canonname", CALL_STRING, AT(struct rdma_addrinfo, ai_src_canonname) },
	{ "ai_dst_canonname", CALL_STRING, AT(struct rdma_addrinfo, ai_dst_canonname) },
	{ "ai_route_len", CALL_UINT, AT(struct rdma_addrinfo, ai_route_len), .counts = 12 },
	{ "ai_route", CALL_DATA, AT(struct rdma_addrinfo, ai_route), .with = 11 },
	{ "ai_connect_len", CALL_UINT, AT(struct rdma_addrinfo, ai_connect_len), .counts = 14 },
	{ "ai_connect", CALL_DATA, AT(struct rdma_addrinfo, ai_connect), .with = 13 },
	{ "ai_next", CALL_COOKIE, AT(struct rdma_addrinfo, ai_next) },
	{ 0 }
};
static const struct call_struct struct_rdma_addrinfo = { "rdma_addrinfo", sizeof(struct rdma_addrinfo), fields_rdma_addrinfo, 0 };

static const struct call_value fields_rdma_cm_join_mc_attr_ex[] = {
	{ "comp_mask", CALL_FLAGS, AT(struct rdma_cm_join_mc_attr_ex, comp_mask), .words = &words_rdma_cm_join_mc_attr_mask },
	{ "join_flags", CALL_ENUM, AT(struct rdma_cm_join_mc_attr_ex, join_flags), .when = 1, .words = &words_rdma_cm_mc_join_flags, .when_any = 0x2 },
	{ "addr", CALL_SOCKADDR, AT(struct rdma_cm_join_mc_attr_ex, addr), .when = 1, .when_any = 0x1 },
	{ 0 }
};
static const struct call_struct struct_rdma_cm_join_mc_attr_ex = { "rdma_cm_join_mc_attr_ex", sizeof(struct rdma_cm_join_mc_attr_ex), fields_rdma_cm_join_mc_attr_ex, 0 };

static const struct call_value fields_ibv_ah[] = {
	{ "pd", CALL_OBJECT, AT(struct ibv_ah, pd), .object = OBJECT_PD },
	{ "handle", CALL_UINT, AT(struct ibv_ah, handle) },
	{ 0 }
};
static const struct call_struct struct_ibv_ah = { "ibv_ah", sizeof(struct ibv_ah), fields_ibv_ah, 0 };

static const struct call_value fields_ibv_async_event[] = {
	{ "element.cq", CALL_OBJECT, AT(struct ibv_async_event, element.cq), .when = 6, .object = OBJECT_CQ, .when_any = 0x1 },
	{ "element.qp", CALL_OBJECT, AT(struct ibv_async_event, element.qp), .when = 6, .object = OBJECT_QP, .when_any = 0x100fe },
	{ "element.srq", CALL_OBJECT, AT(struct ibv_async_event, element.srq), .when = 6, .object = OBJECT_SRQ, .when_any = 0xc000 },
	{ "element.wq", CALL_OBJECT, AT(struct ibv_async_event, element.wq), .when = 6, .object = OBJECT_WQ, .when_any = 0x80000 },
	{ "element.port_num", CALL_INT, AT(struct ibv_async_event, element.port_num), .when = 6, .when_any = 0x63e00 },
	{ "event_type", CALL_ENUM, AT(struct ibv_async_event, event_type), .words = &words_ibv_event_type },
	{ 0 }
};
static const struct call_struct struct_ibv_async_event = { "ibv_async_event", sizeof(struct ibv_async_event), fields_ibv_async_event, 0 };

static const struct call_value fields_ibv_cq_ex[] = {
	{ "channel", CALL_OBJECT, AT(struct ibv_cq_ex, channel), .object = OBJECT_COMP_CHANNEL },
	{ "cq_context", CALL_COOKIE, AT(struct ibv_cq_ex, cq_context) },
	{ "handle", CALL_UINT, AT(struct ibv_cq_ex, handle) },
	{ "cqe", CALL_INT, AT(struct ibv_cq_ex, cqe) },
	{ "comp_events_completed", CALL_UINT, AT(struct ibv_cq_ex, comp_events_completed) },
	{ "async_events_completed", CALL_UINT, AT(struct ibv_cq_ex, async_events_completed) },
	{ "comp_mask", CALL_UINT, AT(struct ibv_cq_ex, comp_mask) },
	{ "status", CALL_ENUM, AT(struct ibv_cq_ex, status), .words = &words_ibv_wc_status },
	{ "wr_id", CALL_UINT, AT(struct ibv_cq_ex, wr_id) },
	{ "start_poll", CALL_CALLBACK, AT(struct ibv_cq_ex, start_poll) },
	{ "next_poll", CALL_CALLBACK, AT(struct ibv_cq_ex, next_poll) },
	{ "end_poll", CALL_CALLBACK, AT(struct ibv_cq_ex, end_poll) },
	{ "read_opcode", CALL_CALLBACK, AT(struct ibv_cq_ex, read_opcode) },
	{ "read_vendor_err", CALL_CALLBACK, AT(struct ibv_cq_ex, read_vendor_err) },
	{ "read_byte_len", CALL_CALLBACK, AT(struct ibv_cq_ex, read_byte_len) },
	{ "read_imm_data", CALL_CALLBACK, AT(struct ibv_cq_ex, read_imm_data) },
	{ "read_qp_num", CALL_CALLBACK, AT(struct ibv_cq_ex, read_qp_num) },
	{ "read_src_qp", CALL_CALLBACK, AT(struct ibv_cq_ex, read_src_qp) },
	{ "read_wc_flags", CALL_CALLBACK, AT(struct ibv_cq_ex, read_wc_flags) },
	{ "read_slid", CALL_CALLBACK, AT(struct ibv_cq_ex, read_slid) },
	{ "read_sl", CALL_CALLBACK, AT(struct ibv_cq_ex, read_sl) },
	{ "read_dlid_path_bits", CALL_CALLBACK, AT(struct ibv_cq_ex, read_dlid_path_bits) },
	{ "read_completion_ts", CALL_CALLBACK, AT(struct ibv_cq_ex, read_completion_ts) },
	{ "read_cvlan", CALL_CALLBACK, AT(struct ibv_cq_ex, read_cvlan) },
	{ "read_flow_tag", CALL_CALLBACK, AT(struct ibv_cq_ex, read_flow_tag) },
	{ "read_tm_info", CALL_CALLBACK, AT(struct ibv_cq_ex, read_tm_info) },
	{ "read_completion_wallclock_ns", CALL_CALLBACK, AT(struct ibv_cq_ex, read_completion_wallclock_ns) },
	{ 0 }
};
static const struct call_struct struct_ibv_cq_ex = { "ibv_cq_ex", sizeof(struct ibv_cq_ex), fields_ibv_cq_ex, 0 };

static const struct call_value fields_ibv_dm[] = {
	{ "comp_mask", CALL_UINT, AT(struct ibv_dm, comp_mask) },
	{ "handle", CALL_UINT, AT(struct ibv_dm, handle) },
	{ 0 }
};
static const struct call_struct struct_ibv_dm = { "ibv_dm", sizeof(struct ibv_dm), fields_ibv_dm, 0 };

static const struct call_value fields_ibv_mr[] = {
	{ "pd", CALL_OBJECT, AT(struct ibv_mr, pd), .object = OBJECT_PD },
	{ "addr", CALL_COOKIE, AT(struct ibv_mr, addr) },
	{ "length", CALL_UINT, AT(struct ibv_mr, length) },
	{ "handle", CALL_UINT, AT(struct ibv_mr, handle) },
	{ "lkey", CALL_UINT, AT(struct ibv_mr, lkey) },
	{ "rkey", CALL_UINT, AT(struct ibv_mr, rkey) },
	{ 0 }
};
static const struct call_struct struct_ibv_mr = { "ibv_mr", sizeof(struct ibv_mr), fields_ibv_mr, 0 };

static const struct call_value fields_ibv_mw[] = {
	{ "pd", CALL_OBJECT, AT(struct ibv_mw, pd), .object = OBJECT_PD },
	{ "rkey", CALL_UINT, AT(struct ibv_mw, rkey) },
	{ "handle", CALL_UINT, AT(struct ibv_mw, handle) },
	{ "type", CALL_ENUM, AT(struct ibv_mw, type), .words = &words_ibv_mw_type },
	{ 0 }
};
static const struct call_struct struct_ibv_mw = { "ibv_mw", sizeof(struct ibv_mw), fields_ibv_mw, 0 };

static const struct call_value fields_ibv_qp_ex[] = {
	{ "qp_base", CALL_STRUCT, AT(struct ibv_qp_ex, qp_base), .of = &struct_ibv_qp },
	{ "comp_mask", CALL_UINT, AT(struct ibv_qp_ex, comp_mask) },
	{ "wr_id", CALL_UINT, AT(struct ibv_qp_ex, wr_id) },
	{ "wr_flags", CALL_FLAGS, AT(struct ibv_qp_ex, wr_flags), .words = &words_ibv_send_flags },
	{ "wr_atomic_cmp_swp", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_atomic_cmp_swp) },
	{ "wr_atomic_fetch_add", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_atomic_fetch_add) },
	{ "wr_bind_mw", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_bind_mw) },
	{ "wr_local_inv", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_local_inv) },
	{ "wr_rdma_read", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_rdma_read) },
	{ "wr_rdma_write", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_rdma_write) },
	{ "wr_rdma_write_imm", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_rdma_write_imm) },
	{ "wr_send", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_send) },
	{ "wr_send_imm", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_send_imm) },
	{ "wr_send_inv", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_send_inv) },
	{ "wr_send_tso", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_send_tso) },
	{ "wr_set_ud_addr", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_set_ud_addr) },
	{ "wr_set_xrc_srqn", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_set_xrc_srqn) },
	{ "wr_set_inline_data", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_set_inline_data) },
	{ "wr_set_inline_data_list", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_set_inline_data_list) },
	{ "wr_set_sge", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_set_sge) },
	{ "wr_set_sge_list", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_set_sge_list) },
	{ "wr_start", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_start) },
	{ "wr_complete", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_complete) },
	{ "wr_abort", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_abort) },
	{ "wr_atomic_write", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_atomic_write) },
#if CALLS_RDMA_CORE >= 56
	{ "wr_flush", CALL_CALLBACK, AT(struct ibv_qp_ex, wr_flush) },
#endif
	{ 0 }
};
static const struct call_struct struct_ibv_qp_ex = { "ibv_qp_ex", sizeof(struct ibv_qp_ex), fields_ibv_qp_ex, 0 };

static const struct call_value fields_ibv_qp[] = {
	{ "qp_context", CALL_COOKIE, AT(struct ibv_qp, qp_context) },
	{ "pd", CALL_OBJECT, AT(struct ibv_qp, pd), .object = OBJECT_PD },
	{ "send_cq", CALL_OBJECT, AT(struct ibv_qp, send_cq), .object = OBJECT_CQ },
	{ "recv_cq", CALL_OBJECT, AT(struct ibv_qp, recv_cq), .object = OBJECT_CQ },
	{ "srq", CALL_OBJECT, AT(struct ibv_qp, srq), .object = OBJECT_SRQ },
	{ "handle", CALL_UINT, AT(struct ibv_qp, handle) },
	{ "qp_num", CALL_QPN, AT(struct ibv_qp, qp_num) },
	{ "state", CALL_ENUM, AT(struct ibv_qp, state), .words = &words_ibv_qp_state },
	{ "qp_type", CALL_ENUM, AT(struct ibv_qp, qp_type), .words = &words_ibv_qp_type },
	{ "events_completed", CALL_UINT, AT(struct ibv_qp, events_completed) },
	{ 0 }
};
static const struct call_struct struct_ibv_qp = { "ibv_qp", sizeof(struct ibv_qp), fields_ibv_qp, 0 };

static const struct call_value fields_ibv_rwq_ind_table[] = {
	{ "ind_tbl_handle", CALL_INT, AT(struct ibv_rwq_ind_table, ind_tbl_handle) },
	{ "ind_tbl_num", CALL_INT, AT(struct ibv_rwq_ind_table, ind_tbl_num) },
	{ "comp_mask", CALL_UINT, AT(struct ibv_rwq_ind_table, comp_mask) },
	{ 0 }
};
static const struct call_struct struct_ibv_rwq_ind_table = { "ibv_rwq_ind_table", sizeof(struct ibv_rwq_ind_table), fields_ibv_rwq_ind_table, 0 };

static const struct call_value fields_ibv_wq[] = {
	{ "wq_context", CALL_COOKIE, AT(struct ibv_wq, wq_context) },
	{ "pd", CALL_OBJECT, AT(struct ibv_wq, pd), .object = OBJECT_PD },
	{ "cq", CALL_OBJECT, AT(struct ibv_wq, cq), .object = OBJECT_CQ },
	{ "wq_num", CALL_UINT, AT(struct ibv_wq, wq_num) },
	{ "handle", CALL_UINT, AT(struct ibv_wq, handle) },
	{ "state", CALL_ENUM, AT(struct ibv_wq, state), .words = &words_ibv_wq_state },
	{ "wq_type", CALL_ENUM, AT(struct ibv_wq, wq_type), .words = &words_ibv_wq_type },
	{ "events_completed", CALL_UINT, AT(struct ibv_wq, events_completed) },
	{ "comp_mask", CALL_UINT, AT(struct ibv_wq, comp_mask) },
	{ 0 }
};
static const struct call_struct struct_ibv_wq = { "ibv_wq", sizeof(struct ibv_wq), fields_ibv_wq, 0 };

static const struct call_value fields_rdma_cm_event[] = {
	{ "id", CALL_OBJECT, AT(struct rdma_cm_event, id), .object = OBJECT_CM_ID },
	{ "listen_id", CALL_OBJECT, AT(struct rdma_cm_event, listen_id), .optional = true, .object = OBJECT_CM_ID },
	{ "event", CALL_ENUM, AT(struct rdma_cm_event, event), .words = &words_rdma_cm_event_type },
	{ "status", CALL_INT, AT(struct rdma_cm_event, status) },
	{ "param.conn", CALL_STRUCT, AT(struct rdma_cm_event, param.conn), .of = &struct_rdma_conn_param },
	{ 0 }
};
static const struct call_struct struct_rdma_cm_event = { "rdma_cm_event", sizeof(struct rdma_cm_event), fields_rdma_cm_event, 0 };

static uint64_t do_ibv_ack_async_event(const uint64_t *a)
{
	ibv_ack_async_event((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_ibv_ack_cq_events(const uint64_t *a)
{
	ibv_ack_cq_events((void *)(uintptr_t)a[0], (unsigned int)a[1]);
	return 0;
}

static uint64_t do_ibv_advise_mr(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_advise_mr((void *)(uintptr_t)a[0], (enum ib_uverbs_advise_mr_advice)a[1], (uint32_t)a[2], (void *)(uintptr_t)a[3], (uint32_t)a[4]);
}

static uint64_t do_ibv_alloc_dm(const uint64_t *a)
{
	return (uintptr_t)ibv_alloc_dm((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_alloc_mw(const uint64_t *a)
{
	return (uintptr_t)ibv_alloc_mw((void *)(uintptr_t)a[0], (enum ibv_mw_type)a[1]);
}

static uint64_t do_ibv_alloc_null_mr(const uint64_t *a)
{
	return (uintptr_t)ibv_alloc_null_mr((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_alloc_parent_domain(const uint64_t *a)
{
	return (uintptr_t)ibv_alloc_parent_domain((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_alloc_pd(const uint64_t *a)
{
	return (uintptr_t)ibv_alloc_pd((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_alloc_td(const uint64_t *a)
{
	return (uintptr_t)ibv_alloc_td((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_attach_counters_point_flow(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_attach_counters_point_flow((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_ibv_attach_mcast(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_attach_mcast((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (uint16_t)a[2]);
}

static uint64_t do_ibv_bind_mw(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_bind_mw((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_ibv_close_device(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_close_device((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_close_xrcd(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_close_xrcd((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_cq_ex_to_cq(const uint64_t *a)
{
	return (uintptr_t)ibv_cq_ex_to_cq((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_create_ah(const uint64_t *a)
{
	return (uintptr_t)ibv_create_ah((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_create_ah_from_wc(const uint64_t *a)
{
	return (uintptr_t)ibv_create_ah_from_wc((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (uint8_t)a[3]);
}

static uint64_t do_ibv_create_comp_channel(const uint64_t *a)
{
	return (uintptr_t)ibv_create_comp_channel((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_create_counters(const uint64_t *a)
{
	return (uintptr_t)ibv_create_counters((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_create_cq(const uint64_t *a)
{
	return (uintptr_t)ibv_create_cq((void *)(uintptr_t)a[0], (int)a[1], (void *)(uintptr_t)a[2], (void *)(uintptr_t)a[3], (int)a[4]);
}

static uint64_t do_ibv_create_cq_ex(const uint64_t *a)
{
	return (uintptr_t)ibv_create_cq_ex((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_create_flow(const uint64_t *a)
{
	return (uintptr_t)ibv_create_flow((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_create_flow_action_esp(const uint64_t *a)
{
	return (uintptr_t)ibv_create_flow_action_esp((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_create_qp(const uint64_t *a)
{
	return (uintptr_t)ibv_create_qp((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_create_qp_ex(const uint64_t *a)
{
	return (uintptr_t)ibv_create_qp_ex((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_create_rwq_ind_table(const uint64_t *a)
{
	return (uintptr_t)ibv_create_rwq_ind_table((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_create_srq(const uint64_t *a)
{
	return (uintptr_t)ibv_create_srq((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_create_srq_ex(const uint64_t *a)
{
	return (uintptr_t)ibv_create_srq_ex((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_create_wq(const uint64_t *a)
{
	return (uintptr_t)ibv_create_wq((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_dealloc_mw(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_dealloc_mw((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_dealloc_pd(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_dealloc_pd((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_dealloc_td(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_dealloc_td((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_dereg_mr(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_dereg_mr((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_destroy_ah(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_destroy_ah((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_destroy_comp_channel(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_destroy_comp_channel((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_destroy_counters(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_destroy_counters((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_destroy_cq(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_destroy_cq((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_destroy_flow(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_destroy_flow((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_destroy_flow_action(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_destroy_flow_action((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_destroy_qp(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_destroy_qp((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_destroy_rwq_ind_table(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_destroy_rwq_ind_table((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_destroy_srq(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_destroy_srq((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_destroy_wq(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_destroy_wq((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_detach_mcast(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_detach_mcast((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (uint16_t)a[2]);
}

static uint64_t do_ibv_end_poll(const uint64_t *a)
{
	ibv_end_poll((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_ibv_event_type_str(const uint64_t *a)
{
	return (uintptr_t)ibv_event_type_str((enum ibv_event_type)a[0]);
}

static uint64_t do_ibv_flow_label_to_udp_sport(const uint64_t *a)
{
	return ibv_flow_label_to_udp_sport((uint32_t)a[0]);
}

static uint64_t do_ibv_fork_init(const uint64_t *a)
{
	(void)a;
	return (uint64_t)(int64_t)ibv_fork_init();
}

static uint64_t do_ibv_free_device_list(const uint64_t *a)
{
	ibv_free_device_list((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_ibv_free_dm(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_free_dm((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_get_async_event(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_get_async_event((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_get_cq_event(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_get_cq_event((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_ibv_get_device_guid(const uint64_t *a)
{
	return ibv_get_device_guid((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_get_device_index(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_get_device_index((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_get_device_list(const uint64_t *a)
{
	return (uintptr_t)ibv_get_device_list((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_get_device_name(const uint64_t *a)
{
	return (uintptr_t)ibv_get_device_name((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_get_pkey_index(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_get_pkey_index((void *)(uintptr_t)a[0], (uint8_t)a[1], (__be16)a[2]);
}

static uint64_t do_ibv_get_srq_num(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_get_srq_num((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_import_dm(const uint64_t *a)
{
	return (uintptr_t)ibv_import_dm((void *)(uintptr_t)a[0], (uint32_t)a[1]);
}

static uint64_t do_ibv_import_mr(const uint64_t *a)
{
	return (uintptr_t)ibv_import_mr((void *)(uintptr_t)a[0], (uint32_t)a[1]);
}

static uint64_t do_ibv_import_pd(const uint64_t *a)
{
	return (uintptr_t)ibv_import_pd((void *)(uintptr_t)a[0], (uint32_t)a[1]);
}

static uint64_t do_ibv_inc_rkey(const uint64_t *a)
{
	return ibv_inc_rkey((uint32_t)a[0]);
}

static uint64_t do_ibv_init_ah_from_wc(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_init_ah_from_wc((void *)(uintptr_t)a[0], (uint8_t)a[1], (void *)(uintptr_t)a[2], (void *)(uintptr_t)a[3], (void *)(uintptr_t)a[4]);
}

static uint64_t do_ibv_is_fork_initialized(const uint64_t *a)
{
	(void)a;
	return ibv_is_fork_initialized();
}

static uint64_t do_ibv_is_qpt_supported(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_is_qpt_supported((uint32_t)a[0], (enum ibv_qp_type)a[1]);
}

static uint64_t do_ibv_memcpy_from_dm(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_memcpy_from_dm((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (uint64_t)a[2], (size_t)a[3]);
}

static uint64_t do_ibv_memcpy_to_dm(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_memcpy_to_dm((void *)(uintptr_t)a[0], (uint64_t)a[1], (void *)(uintptr_t)a[2], (size_t)a[3]);
}

static uint64_t do_ibv_modify_cq(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_modify_cq((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_modify_flow_action_esp(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_modify_flow_action_esp((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_modify_qp(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_modify_qp((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (int)a[2]);
}

static uint64_t do_ibv_modify_qp_rate_limit(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_modify_qp_rate_limit((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_modify_srq(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_modify_srq((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (int)a[2]);
}

static uint64_t do_ibv_modify_wq(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_modify_wq((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_next_poll(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_next_poll((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_node_type_str(const uint64_t *a)
{
	return (uintptr_t)ibv_node_type_str((enum ibv_node_type)a[0]);
}

static uint64_t do_ibv_open_device(const uint64_t *a)
{
	return (uintptr_t)ibv_open_device((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_open_qp(const uint64_t *a)
{
	return (uintptr_t)ibv_open_qp((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_open_xrcd(const uint64_t *a)
{
	return (uintptr_t)ibv_open_xrcd((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_poll_cq(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_poll_cq((void *)(uintptr_t)a[0], (int)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_ibv_port_state_str(const uint64_t *a)
{
	return (uintptr_t)ibv_port_state_str((enum ibv_port_state)a[0]);
}

static uint64_t do_ibv_post_recv(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_post_recv((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_ibv_post_send(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_post_send((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_ibv_post_srq_ops(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_post_srq_ops((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_ibv_post_srq_recv(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_post_srq_recv((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_ibv_post_wq_recv(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_post_wq_recv((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_ibv_qp_to_qp_ex(const uint64_t *a)
{
	return (uintptr_t)ibv_qp_to_qp_ex((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_query_device(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_query_device((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_query_device_ex(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_query_device_ex((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_ibv_query_ece(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_query_ece((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_query_gid(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_query_gid((void *)(uintptr_t)a[0], (uint8_t)a[1], (int)a[2], (void *)(uintptr_t)a[3]);
}

static uint64_t do_ibv_query_gid_ex(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_query_gid_ex((void *)(uintptr_t)a[0], (uint32_t)a[1], (uint32_t)a[2], (void *)(uintptr_t)a[3], (uint32_t)a[4]);
}

static uint64_t do_ibv_query_gid_table(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_query_gid_table((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (size_t)a[2], (uint32_t)a[3]);
}

static uint64_t do_ibv_query_pkey(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_query_pkey((void *)(uintptr_t)a[0], (uint8_t)a[1], (int)a[2], (void *)(uintptr_t)a[3]);
}

static uint64_t do_ibv_query_port(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_query_port((void *)(uintptr_t)a[0], (uint8_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_ibv_query_qp(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_query_qp((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (int)a[2], (void *)(uintptr_t)a[3]);
}

static uint64_t do_ibv_query_qp_data_in_order(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_query_qp_data_in_order((void *)(uintptr_t)a[0], (enum ibv_wr_opcode)a[1], (uint32_t)a[2]);
}

static uint64_t do_ibv_query_rt_values_ex(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_query_rt_values_ex((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_query_srq(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_query_srq((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_rate_to_mbps(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_rate_to_mbps((enum ibv_rate)a[0]);
}

static uint64_t do_ibv_rate_to_mult(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_rate_to_mult((enum ibv_rate)a[0]);
}

static uint64_t do_ibv_read_counters(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_read_counters((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (uint32_t)a[2], (uint32_t)a[3]);
}

static uint64_t do_ibv_reg_dm_mr(const uint64_t *a)
{
	return (uintptr_t)ibv_reg_dm_mr((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (uint64_t)a[2], (size_t)a[3], (unsigned int)a[4]);
}

static uint64_t do_ibv_reg_mr(const uint64_t *a)
{
	return (uintptr_t)ibv_reg_mr((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (size_t)a[2], (int)a[3]);
}

static uint64_t do_ibv_reg_mr_iova(const uint64_t *a)
{
	return (uintptr_t)ibv_reg_mr_iova((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (size_t)a[2], (uint64_t)a[3], (int)a[4]);
}

static uint64_t do_ibv_reg_mr_iova2(const uint64_t *a)
{
	return (uintptr_t)ibv_reg_mr_iova2((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (size_t)a[2], (uint64_t)a[3], (unsigned int)a[4]);
}

static uint64_t do_ibv_req_notify_cq(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_req_notify_cq((void *)(uintptr_t)a[0], (int)a[1]);
}

static uint64_t do_ibv_rereg_mr(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_rereg_mr((void *)(uintptr_t)a[0], (int)a[1], (void *)(uintptr_t)a[2], (void *)(uintptr_t)a[3], (size_t)a[4], (int)a[5]);
}

static uint64_t do_ibv_resize_cq(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_resize_cq((void *)(uintptr_t)a[0], (int)a[1]);
}

static uint64_t do_ibv_resolve_eth_l2_from_gid(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_resolve_eth_l2_from_gid((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (void *)(uintptr_t)a[3]);
}

static uint64_t do_ibv_set_ece(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_set_ece((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_start_poll(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_start_poll((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_ibv_unimport_dm(const uint64_t *a)
{
	ibv_unimport_dm((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_ibv_unimport_mr(const uint64_t *a)
{
	ibv_unimport_mr((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_ibv_unimport_pd(const uint64_t *a)
{
	ibv_unimport_pd((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_ibv_wc_read_byte_len(const uint64_t *a)
{
	return ibv_wc_read_byte_len((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_completion_ts(const uint64_t *a)
{
	return ibv_wc_read_completion_ts((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_completion_wallclock_ns(const uint64_t *a)
{
	return ibv_wc_read_completion_wallclock_ns((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_cvlan(const uint64_t *a)
{
	return ibv_wc_read_cvlan((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_dlid_path_bits(const uint64_t *a)
{
	return ibv_wc_read_dlid_path_bits((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_flow_tag(const uint64_t *a)
{
	return ibv_wc_read_flow_tag((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_imm_data(const uint64_t *a)
{
	return ibv_wc_read_imm_data((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_invalidated_rkey(const uint64_t *a)
{
	return ibv_wc_read_invalidated_rkey((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_opcode(const uint64_t *a)
{
	return ibv_wc_read_opcode((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_qp_num(const uint64_t *a)
{
	return ibv_wc_read_qp_num((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_sl(const uint64_t *a)
{
	return ibv_wc_read_sl((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_slid(const uint64_t *a)
{
	return ibv_wc_read_slid((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_src_qp(const uint64_t *a)
{
	return ibv_wc_read_src_qp((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_tm_info(const uint64_t *a)
{
	ibv_wc_read_tm_info((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
	return 0;
}

static uint64_t do_ibv_wc_read_vendor_err(const uint64_t *a)
{
	return ibv_wc_read_vendor_err((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_read_wc_flags(const uint64_t *a)
{
	return ibv_wc_read_wc_flags((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wc_status_str(const uint64_t *a)
{
	return (uintptr_t)ibv_wc_status_str((enum ibv_wc_status)a[0]);
}

static uint64_t do_ibv_wr_abort(const uint64_t *a)
{
	ibv_wr_abort((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_ibv_wr_atomic_cmp_swp(const uint64_t *a)
{
	ibv_wr_atomic_cmp_swp((void *)(uintptr_t)a[0], (uint32_t)a[1], (uint64_t)a[2], (uint64_t)a[3], (uint64_t)a[4]);
	return 0;
}

static uint64_t do_ibv_wr_atomic_fetch_add(const uint64_t *a)
{
	ibv_wr_atomic_fetch_add((void *)(uintptr_t)a[0], (uint32_t)a[1], (uint64_t)a[2], (uint64_t)a[3]);
	return 0;
}

static uint64_t do_ibv_wr_atomic_write(const uint64_t *a)
{
	ibv_wr_atomic_write((void *)(uintptr_t)a[0], (uint32_t)a[1], (uint64_t)a[2], (void *)(uintptr_t)a[3]);
	return 0;
}

static uint64_t do_ibv_wr_bind_mw(const uint64_t *a)
{
	ibv_wr_bind_mw((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (uint32_t)a[2], (void *)(uintptr_t)a[3]);
	return 0;
}

static uint64_t do_ibv_wr_complete(const uint64_t *a)
{
	return (uint64_t)(int64_t)ibv_wr_complete((void *)(uintptr_t)a[0]);
}

static uint64_t do_ibv_wr_flush(const uint64_t *a)
{
	ibv_wr_flush((void *)(uintptr_t)a[0], (uint32_t)a[1], (uint64_t)a[2], (size_t)a[3], (uint8_t)a[4], (uint8_t)a[5]);
	return 0;
}

static uint64_t do_ibv_wr_local_inv(const uint64_t *a)
{
	ibv_wr_local_inv((void *)(uintptr_t)a[0], (uint32_t)a[1]);
	return 0;
}

static uint64_t do_ibv_wr_opcode_str(const uint64_t *a)
{
	return (uintptr_t)ibv_wr_opcode_str((enum ibv_wr_opcode)a[0]);
}

static uint64_t do_ibv_wr_rdma_read(const uint64_t *a)
{
	ibv_wr_rdma_read((void *)(uintptr_t)a[0], (uint32_t)a[1], (uint64_t)a[2]);
	return 0;
}

static uint64_t do_ibv_wr_rdma_write(const uint64_t *a)
{
	ibv_wr_rdma_write((void *)(uintptr_t)a[0], (uint32_t)a[1], (uint64_t)a[2]);
	return 0;
}

static uint64_t do_ibv_wr_rdma_write_imm(const uint64_t *a)
{
	ibv_wr_rdma_write_imm((void *)(uintptr_t)a[0], (uint32_t)a[1], (uint64_t)a[2], (__be32)a[3]);
	return 0;
}

static uint64_t do_ibv_wr_send(const uint64_t *a)
{
	ibv_wr_send((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_ibv_wr_send_imm(const uint64_t *a)
{
	ibv_wr_send_imm((void *)(uintptr_t)a[0], (__be32)a[1]);
	return 0;
}

static uint64_t do_ibv_wr_send_inv(const uint64_t *a)
{
	ibv_wr_send_inv((void *)(uintptr_t)a[0], (uint32_t)a[1]);
	return 0;
}

static uint64_t do_ibv_wr_send_tso(const uint64_t *a)
{
	ibv_wr_send_tso((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (uint16_t)a[2], (uint16_t)a[3]);
	return 0;
}

static uint64_t do_ibv_wr_set_inline_data(const uint64_t *a)
{
	ibv_wr_set_inline_data((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (size_t)a[2]);
	return 0;
}

static uint64_t do_ibv_wr_set_inline_data_list(const uint64_t *a)
{
	ibv_wr_set_inline_data_list((void *)(uintptr_t)a[0], (size_t)a[1], (void *)(uintptr_t)a[2]);
	return 0;
}

static uint64_t do_ibv_wr_set_sge(const uint64_t *a)
{
	ibv_wr_set_sge((void *)(uintptr_t)a[0], (uint32_t)a[1], (uint64_t)a[2], (uint32_t)a[3]);
	return 0;
}

static uint64_t do_ibv_wr_set_sge_list(const uint64_t *a)
{
	ibv_wr_set_sge_list((void *)(uintptr_t)a[0], (size_t)a[1], (void *)(uintptr_t)a[2]);
	return 0;
}

static uint64_t do_ibv_wr_set_ud_addr(const uint64_t *a)
{
	ibv_wr_set_ud_addr((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (uint32_t)a[2], (uint32_t)a[3]);
	return 0;
}

static uint64_t do_ibv_wr_set_xrc_srqn(const uint64_t *a)
{
	ibv_wr_set_xrc_srqn((void *)(uintptr_t)a[0], (uint32_t)a[1]);
	return 0;
}

static uint64_t do_ibv_wr_start(const uint64_t *a)
{
	ibv_wr_start((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_mbps_to_ibv_rate(const uint64_t *a)
{
	return mbps_to_ibv_rate((int)a[0]);
}

static uint64_t do_mult_to_ibv_rate(const uint64_t *a)
{
	return mult_to_ibv_rate((int)a[0]);
}

static uint64_t do_rdma_accept(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_accept((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_ack_cm_event(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_ack_cm_event((void *)(uintptr_t)a[0]);
}

static uint64_t do_rdma_bind_addr(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_bind_addr((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_connect(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_connect((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_create_ep(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_create_ep((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (void *)(uintptr_t)a[3]);
}

static uint64_t do_rdma_create_event_channel(const uint64_t *a)
{
	(void)a;
	return (uintptr_t)rdma_create_event_channel();
}

static uint64_t do_rdma_create_id(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_create_id((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (enum rdma_port_space)a[3]);
}

static uint64_t do_rdma_create_qp(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_create_qp((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_rdma_create_qp_ex(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_create_qp_ex((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_create_srq(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_create_srq((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_rdma_create_srq_ex(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_create_srq_ex((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_dereg_mr(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_dereg_mr((void *)(uintptr_t)a[0]);
}

static uint64_t do_rdma_destroy_ep(const uint64_t *a)
{
	rdma_destroy_ep((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_rdma_destroy_event_channel(const uint64_t *a)
{
	rdma_destroy_event_channel((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_rdma_destroy_id(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_destroy_id((void *)(uintptr_t)a[0]);
}

static uint64_t do_rdma_destroy_qp(const uint64_t *a)
{
	rdma_destroy_qp((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_rdma_destroy_srq(const uint64_t *a)
{
	rdma_destroy_srq((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_rdma_disconnect(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_disconnect((void *)(uintptr_t)a[0]);
}

static uint64_t do_rdma_establish(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_establish((void *)(uintptr_t)a[0]);
}

static uint64_t do_rdma_event_str(const uint64_t *a)
{
	return (uintptr_t)rdma_event_str((enum rdma_cm_event_type)a[0]);
}

static uint64_t do_rdma_free_devices(const uint64_t *a)
{
	rdma_free_devices((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_rdma_freeaddrinfo(const uint64_t *a)
{
	rdma_freeaddrinfo((void *)(uintptr_t)a[0]);
	return 0;
}

static uint64_t do_rdma_get_cm_event(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_get_cm_event((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_get_devices(const uint64_t *a)
{
	return (uintptr_t)rdma_get_devices((void *)(uintptr_t)a[0]);
}

static uint64_t do_rdma_get_dst_port(const uint64_t *a)
{
	return rdma_get_dst_port((void *)(uintptr_t)a[0]);
}

static uint64_t do_rdma_get_local_addr(const uint64_t *a)
{
	return (uintptr_t)rdma_get_local_addr((void *)(uintptr_t)a[0]);
}

static uint64_t do_rdma_get_peer_addr(const uint64_t *a)
{
	return (uintptr_t)rdma_get_peer_addr((void *)(uintptr_t)a[0]);
}

static uint64_t do_rdma_get_recv_comp(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_get_recv_comp((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_get_remote_ece(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_get_remote_ece((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_get_request(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_get_request((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_get_send_comp(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_get_send_comp((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_get_src_port(const uint64_t *a)
{
	return rdma_get_src_port((void *)(uintptr_t)a[0]);
}

static uint64_t do_rdma_getaddrinfo(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_getaddrinfo((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (void *)(uintptr_t)a[3]);
}

static uint64_t do_rdma_init_qp_attr(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_init_qp_attr((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_rdma_join_multicast(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_join_multicast((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_rdma_join_multicast_ex(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_join_multicast_ex((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2]);
}

static uint64_t do_rdma_leave_multicast(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_leave_multicast((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_listen(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_listen((void *)(uintptr_t)a[0], (int)a[1]);
}

static uint64_t do_rdma_migrate_id(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_migrate_id((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_notify(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_notify((void *)(uintptr_t)a[0], (enum ibv_event_type)a[1]);
}

static uint64_t do_rdma_post_read(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_post_read((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (size_t)a[3], (void *)(uintptr_t)a[4], (int)a[5], (uint64_t)a[6], (uint32_t)a[7]);
}

static uint64_t do_rdma_post_readv(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_post_readv((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (int)a[3], (int)a[4], (uint64_t)a[5], (uint32_t)a[6]);
}

static uint64_t do_rdma_post_recv(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_post_recv((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (size_t)a[3], (void *)(uintptr_t)a[4]);
}

static uint64_t do_rdma_post_recvv(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_post_recvv((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (int)a[3]);
}

static uint64_t do_rdma_post_send(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_post_send((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (size_t)a[3], (void *)(uintptr_t)a[4], (int)a[5]);
}

static uint64_t do_rdma_post_sendv(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_post_sendv((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (int)a[3], (int)a[4]);
}

static uint64_t do_rdma_post_ud_send(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_post_ud_send((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (size_t)a[3], (void *)(uintptr_t)a[4], (int)a[5], (void *)(uintptr_t)a[6], (uint32_t)a[7]);
}

static uint64_t do_rdma_post_write(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_post_write((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (size_t)a[3], (void *)(uintptr_t)a[4], (int)a[5], (uint64_t)a[6], (uint32_t)a[7]);
}

static uint64_t do_rdma_post_writev(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_post_writev((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (int)a[3], (int)a[4], (uint64_t)a[5], (uint32_t)a[6]);
}

static uint64_t do_rdma_reg_msgs(const uint64_t *a)
{
	return (uintptr_t)rdma_reg_msgs((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (size_t)a[2]);
}

static uint64_t do_rdma_reg_read(const uint64_t *a)
{
	return (uintptr_t)rdma_reg_read((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (size_t)a[2]);
}

static uint64_t do_rdma_reg_write(const uint64_t *a)
{
	return (uintptr_t)rdma_reg_write((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (size_t)a[2]);
}

static uint64_t do_rdma_reject(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_reject((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (uint8_t)a[2]);
}

static uint64_t do_rdma_reject_ece(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_reject_ece((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (uint8_t)a[2]);
}

static uint64_t do_rdma_resolve_addr(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_resolve_addr((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1], (void *)(uintptr_t)a[2], (int)a[3]);
}

static uint64_t do_rdma_resolve_route(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_resolve_route((void *)(uintptr_t)a[0], (int)a[1]);
}

static uint64_t do_rdma_set_local_ece(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_set_local_ece((void *)(uintptr_t)a[0], (void *)(uintptr_t)a[1]);
}

static uint64_t do_rdma_set_option(const uint64_t *a)
{
	return (uint64_t)(int64_t)rdma_set_option((void *)(uintptr_t)a[0], (int)a[1], (int)a[2], (void *)(uintptr_t)a[3], (size_t)a[4]);
}

static const struct call_value no_args[] = { { 0 } };

static const struct call_value args_ibv_ack_async_event[] = {
	{ "event", CALL_OBJECT, .object = OBJECT_ASYNC_EVENT, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_ack_cq_events[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ, .size = 8 },
	{ "nevents", CALL_UINT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_advise_mr[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ "advice", CALL_ENUM, .words = &words_ib_uverbs_advise_mr_advice, .size = 4 },
	{ "flags", CALL_FLAGS, .words = &words_ib_uverbs_advise_mr_flag, .size = 4 },
	{ "sg_list", CALL_LIST, .with = 5, .of = &struct_ibv_sge, .size = 16 },
	{ "num_sge", CALL_UINT, .size = 4, .counts = 4 },
	{ 0 }
};

static const struct call_value args_ibv_alloc_dm[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "attr", CALL_STRUCT, .of = &struct_ibv_alloc_dm_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_alloc_mw[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ "type", CALL_ENUM, .words = &words_ibv_mw_type, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_alloc_null_mr[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_alloc_parent_domain[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "attr", CALL_STRUCT, .of = &struct_ibv_parent_domain_init_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_alloc_pd[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_alloc_td[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "init_attr", CALL_STRUCT, .of = &struct_ibv_td_init_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_attach_counters_point_flow[] = {
	{ "counters", CALL_OBJECT, .object = OBJECT_COUNTERS, .size = 8 },
	{ "attr", CALL_STRUCT, .of = &struct_ibv_counter_attach_attr, .pointer = true, .size = 8 },
	{ "flow", CALL_OBJECT, .object = OBJECT_FLOW, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_attach_mcast[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ "gid", CALL_GID, .pointer = true, .size = 8 },
	{ "lid", CALL_UINT, .size = 2 },
	{ 0 }
};

static const struct call_value args_ibv_bind_mw[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ "mw", CALL_OBJECT, .object = OBJECT_MW, .size = 8 },
	{ "mw_bind", CALL_STRUCT, .of = &struct_ibv_mw_bind, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_close_device[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_close_xrcd[] = {
	{ "xrcd", CALL_OBJECT, .object = OBJECT_XRCD, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_cq_ex_to_cq[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_create_ah[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ "attr", CALL_STRUCT, .of = &struct_ibv_ah_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_create_ah_from_wc[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ "wc", CALL_STRUCT, .of = &struct_ibv_wc, .pointer = true, .size = 8 },
	{ "grh", CALL_STRUCT, .optional = true, .of = &struct_ibv_grh, .pointer = true, .size = 8 },
	{ "port_num", CALL_UINT, .size = 1 },
	{ 0 }
};

static const struct call_value args_ibv_create_comp_channel[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_create_counters[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "init_attr", CALL_STRUCT, .of = &struct_ibv_counters_init_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_create_cq[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "cqe", CALL_INT, .size = 4 },
	{ "cq_context", CALL_COOKIE, .size = 8 },
	{ "channel", CALL_OBJECT, .optional = true, .object = OBJECT_COMP_CHANNEL, .size = 8 },
	{ "comp_vector", CALL_INT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_create_cq_ex[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "cq_attr", CALL_STRUCT, .of = &struct_ibv_cq_init_attr_ex, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_create_flow[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ "flow", CALL_STRUCT, .of = &struct_ibv_flow_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_create_flow_action_esp[] = {
	{ "ctx", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "esp", CALL_STRUCT, .of = &struct_ibv_flow_action_esp_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_create_qp[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ "qp_init_attr", CALL_STRUCT, .of = &struct_ibv_qp_init_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_create_qp_ex[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "qp_init_attr_ex", CALL_STRUCT, .of = &struct_ibv_qp_init_attr_ex, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_create_rwq_ind_table[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "init_attr", CALL_STRUCT, .of = &struct_ibv_rwq_ind_table_init_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_create_srq[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ "srq_init_attr", CALL_STRUCT, .of = &struct_ibv_srq_init_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_create_srq_ex[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "srq_init_attr_ex", CALL_STRUCT, .of = &struct_ibv_srq_init_attr_ex, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_create_wq[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "wq_init_attr", CALL_STRUCT, .of = &struct_ibv_wq_init_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_dealloc_mw[] = {
	{ "mw", CALL_OBJECT, .object = OBJECT_MW, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_dealloc_pd[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_dealloc_td[] = {
	{ "td", CALL_OBJECT, .object = OBJECT_TD, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_dereg_mr[] = {
	{ "mr", CALL_OBJECT, .object = OBJECT_MR, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_destroy_ah[] = {
	{ "ah", CALL_OBJECT, .object = OBJECT_AH, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_destroy_comp_channel[] = {
	{ "channel", CALL_OBJECT, .object = OBJECT_COMP_CHANNEL, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_destroy_counters[] = {
	{ "counters", CALL_OBJECT, .object = OBJECT_COUNTERS, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_destroy_cq[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_destroy_flow[] = {
	{ "flow_id", CALL_OBJECT, .object = OBJECT_FLOW, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_destroy_flow_action[] = {
	{ "action", CALL_OBJECT, .object = OBJECT_FLOW_ACTION, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_destroy_qp[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_destroy_rwq_ind_table[] = {
	{ "rwq_ind_table", CALL_OBJECT, .object = OBJECT_RWQ_IND_TABLE, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_destroy_srq[] = {
	{ "srq", CALL_OBJECT, .object = OBJECT_SRQ, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_destroy_wq[] = {
	{ "wq", CALL_OBJECT, .object = OBJECT_WQ, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_detach_mcast[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ "gid", CALL_GID, .pointer = true, .size = 8 },
	{ "lid", CALL_UINT, .size = 2 },
	{ 0 }
};

static const struct call_value args_ibv_end_poll[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_event_type_str[] = {
	{ "event", CALL_ENUM, .words = &words_ibv_event_type, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_flow_label_to_udp_sport[] = {
	{ "fl", CALL_UINT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_free_device_list[] = {
	{ "list", CALL_OBJECT, .object = OBJECT_DEVICE_LIST, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_free_dm[] = {
	{ "dm", CALL_OBJECT, .object = OBJECT_DM, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_get_async_event[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "event", CALL_OBJECT, .role = CALL_MADE, .object = OBJECT_ASYNC_EVENT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_get_cq_event[] = {
	{ "channel", CALL_OBJECT, .object = OBJECT_COMP_CHANNEL, .size = 8 },
	{ "cq", CALL_OBJECT, .role = CALL_FOUND, .object = OBJECT_CQ, .size = 8 },
	{ "cq_context", CALL_COOKIE, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_get_device_guid[] = {
	{ "device", CALL_OBJECT, .object = OBJECT_DEVICE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_get_device_index[] = {
	{ "device", CALL_OBJECT, .object = OBJECT_DEVICE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_get_device_list[] = {
	{ "num_devices", CALL_COOKIE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_get_device_name[] = {
	{ "device", CALL_OBJECT, .object = OBJECT_DEVICE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_get_pkey_index[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "port_num", CALL_UINT, .size = 1 },
	{ "pkey", CALL_BE, .size = 2 },
	{ 0 }
};

static const struct call_value args_ibv_get_srq_num[] = {
	{ "srq", CALL_OBJECT, .object = OBJECT_SRQ, .size = 8 },
	{ "srq_num", CALL_UINT, .pointer = true, .role = CALL_OUT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_import_device[] = {
	{ "cmd_fd", CALL_FD, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_import_dm[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "dm_handle", CALL_UINT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_import_mr[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ "mr_handle", CALL_UINT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_import_pd[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "pd_handle", CALL_UINT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_inc_rkey[] = {
	{ "rkey", CALL_KEY, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_init_ah_from_wc[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "port_num", CALL_UINT, .size = 1 },
	{ "wc", CALL_STRUCT, .of = &struct_ibv_wc, .pointer = true, .size = 8 },
	{ "grh", CALL_STRUCT, .optional = true, .of = &struct_ibv_grh, .pointer = true, .size = 8 },
	{ "ah_attr", CALL_STRUCT, .of = &struct_ibv_ah_attr, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_is_qpt_supported[] = {
	{ "caps", CALL_UINT, .size = 4 },
	{ "qpt", CALL_ENUM, .words = &words_ibv_qp_type, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_memcpy_from_dm[] = {
	{ "host_addr", CALL_ADDRESS, .with = 4, .size = 8 },
	{ "dm", CALL_OBJECT, .object = OBJECT_DM, .size = 8 },
	{ "dm_offset", CALL_UINT, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 1 },
	{ 0 }
};

static const struct call_value args_ibv_memcpy_to_dm[] = {
	{ "dm", CALL_OBJECT, .object = OBJECT_DM, .size = 8 },
	{ "dm_offset", CALL_UINT, .size = 8 },
	{ "host_addr", CALL_ADDRESS, .with = 4, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 3 },
	{ 0 }
};

static const struct call_value args_ibv_modify_cq[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ, .size = 8 },
	{ "attr", CALL_STRUCT, .of = &struct_ibv_modify_cq_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_modify_flow_action_esp[] = {
	{ "action", CALL_OBJECT, .object = OBJECT_FLOW_ACTION, .size = 8 },
	{ "esp", CALL_STRUCT, .of = &struct_ibv_flow_action_esp_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_modify_qp[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ "attr", CALL_STRUCT, .of = &struct_ibv_qp_attr, .pointer = true, .size = 8, .with = 3 },
	{ "attr_mask", CALL_FLAGS, .words = &words_ibv_qp_attr_mask, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_modify_qp_rate_limit[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ "attr", CALL_STRUCT, .of = &struct_ibv_qp_rate_limit_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_modify_srq[] = {
	{ "srq", CALL_OBJECT, .object = OBJECT_SRQ, .size = 8 },
	{ "srq_attr", CALL_STRUCT, .of = &struct_ibv_srq_attr, .pointer = true, .size = 8, .with = 3 },
	{ "srq_attr_mask", CALL_FLAGS, .words = &words_ibv_srq_attr_mask, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_modify_wq[] = {
	{ "wq", CALL_OBJECT, .object = OBJECT_WQ, .size = 8 },
	{ "wq_attr", CALL_STRUCT, .of = &struct_ibv_wq_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_next_poll[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_node_type_str[] = {
	{ "node_type", CALL_ENUM, .words = &words_ibv_node_type, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_open_device[] = {
	{ "device", CALL_OBJECT, .object = OBJECT_DEVICE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_open_qp[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "qp_open_attr", CALL_STRUCT, .of = &struct_ibv_qp_open_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_open_xrcd[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "xrcd_init_attr", CALL_STRUCT, .of = &struct_ibv_xrcd_init_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_poll_cq[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ, .size = 8 },
	{ "num_entries", CALL_INT, .size = 4, .counts = 3 },
	{ "wc", CALL_LIST, .role = CALL_OUT, .with = 2, .of = &struct_ibv_wc, .size = 48 },
	{ 0 }
};

static const struct call_value args_ibv_port_state_str[] = {
	{ "port_state", CALL_ENUM, .words = &words_ibv_port_state, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_post_recv[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ "wr", CALL_CHAIN, .of = &struct_ibv_recv_wr, .size = 8 },
	{ "bad_wr", CALL_BAD, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_post_send[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ "wr", CALL_CHAIN, .of = &struct_ibv_send_wr, .size = 8 },
	{ "bad_wr", CALL_BAD, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_post_srq_ops[] = {
	{ "srq", CALL_OBJECT, .object = OBJECT_SRQ, .size = 8 },
	{ "op", CALL_CHAIN, .of = &struct_ibv_ops_wr, .size = 8 },
	{ "bad_op", CALL_BAD, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_post_srq_recv[] = {
	{ "srq", CALL_OBJECT, .object = OBJECT_SRQ, .size = 8 },
	{ "recv_wr", CALL_CHAIN, .of = &struct_ibv_recv_wr, .size = 8 },
	{ "bad_recv_wr", CALL_BAD, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_post_wq_recv[] = {
	{ "wq", CALL_OBJECT, .object = OBJECT_WQ, .size = 8 },
	{ "recv_wr", CALL_CHAIN, .of = &struct_ibv_recv_wr, .size = 8 },
	{ "bad_recv_wr", CALL_BAD, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_qp_to_qp_ex[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_query_device[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "device_attr", CALL_STRUCT, .of = &struct_ibv_device_attr, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_query_device_ex[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "input", CALL_STRUCT, .optional = true, .of = &struct_ibv_query_device_ex_input, .pointer = true, .size = 8 },
	{ "attr", CALL_STRUCT, .of = &struct_ibv_device_attr_ex, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_query_ece[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ "ece", CALL_STRUCT, .of = &struct_ibv_ece, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_query_gid[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "port_num", CALL_UINT, .size = 1 },
	{ "index", CALL_INT, .size = 4 },
	{ "gid", CALL_GID, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_query_gid_ex[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "port_num", CALL_UINT, .size = 4 },
	{ "gid_index", CALL_UINT, .size = 4 },
	{ "entry", CALL_STRUCT, .of = &struct_ibv_gid_entry, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ "flags", CALL_UINT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_query_gid_table[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "entries", CALL_LIST, .role = CALL_OUT, .with = 3, .of = &struct_ibv_gid_entry, .size = 32 },
	{ "max_entries", CALL_UINT, .size = 8, .counts = 2 },
	{ "flags", CALL_UINT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_query_pkey[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "port_num", CALL_UINT, .size = 1 },
	{ "index", CALL_INT, .size = 4 },
	{ "pkey", CALL_UINT, .pointer = true, .role = CALL_OUT, .size = 2 },
	{ 0 }
};

static const struct call_value args_ibv_query_port[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "port_num", CALL_UINT, .size = 1 },
	{ "port_attr", CALL_STRUCT, .of = &struct_ibv_port_attr, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_query_qp[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ "attr", CALL_STRUCT, .of = &struct_ibv_qp_attr, .pointer = true, .role = CALL_OUT, .size = 8, .with = 3 },
	{ "attr_mask", CALL_FLAGS, .words = &words_ibv_qp_attr_mask, .size = 4 },
	{ "init_attr", CALL_STRUCT, .of = &struct_ibv_qp_init_attr, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_query_qp_data_in_order[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ "op", CALL_ENUM, .words = &words_ibv_wr_opcode, .size = 4 },
	{ "flags", CALL_FLAGS, .words = &words_ibv_query_qp_data_in_order_flags, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_query_rt_values_ex[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "values", CALL_STRUCT, .of = &struct_ibv_values_ex, .pointer = true, .role = CALL_OUT, .optional = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_query_srq[] = {
	{ "srq", CALL_OBJECT, .object = OBJECT_SRQ, .size = 8 },
	{ "srq_attr", CALL_STRUCT, .of = &struct_ibv_srq_attr, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_rate_to_mbps[] = {
	{ "rate", CALL_ENUM, .words = &words_ibv_rate, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_rate_to_mult[] = {
	{ "rate", CALL_ENUM, .words = &words_ibv_rate, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_read_counters[] = {
	{ "counters", CALL_OBJECT, .object = OBJECT_COUNTERS, .size = 8 },
	{ "counters_value", CALL_LIST, .role = CALL_OUT, .with = 3, .size = 8 },
	{ "ncounters", CALL_UINT, .size = 4, .counts = 2 },
	{ "flags", CALL_FLAGS, .words = &words_ibv_read_counters_flags, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_reg_dm_mr[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ "dm", CALL_OBJECT, .object = OBJECT_DM, .size = 8 },
	{ "dm_offset", CALL_UINT, .size = 8 },
	{ "length", CALL_UINT, .size = 8 },
	{ "access", CALL_FLAGS, .words = &words_ibv_access_flags, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_reg_dmabuf_mr[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ "offset", CALL_UINT, .size = 8 },
	{ "length", CALL_UINT, .size = 8 },
	{ "iova", CALL_UINT, .size = 8 },
	{ "fd", CALL_FD, .size = 4 },
	{ "access", CALL_FLAGS, .words = &words_ibv_access_flags, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_reg_mr[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ "addr", CALL_ADDRESS, .with = 3, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 2 },
	{ "access", CALL_FLAGS, .words = &words_ibv_access_flags, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_reg_mr_iova[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ "addr", CALL_ADDRESS, .with = 3, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 2 },
	{ "iova", CALL_UINT, .size = 8 },
	{ "access", CALL_FLAGS, .words = &words_ibv_access_flags, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_reg_mr_iova2[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .size = 8 },
	{ "addr", CALL_ADDRESS, .with = 3, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 2 },
	{ "iova", CALL_UINT, .size = 8 },
	{ "access", CALL_FLAGS, .words = &words_ibv_access_flags, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_req_notify_cq[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ, .size = 8 },
	{ "solicited_only", CALL_INT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_rereg_mr[] = {
	{ "mr", CALL_OBJECT, .object = OBJECT_MR, .size = 8 },
	{ "flags", CALL_FLAGS, .words = &words_ibv_rereg_mr_flags, .size = 4 },
	{ "pd", CALL_OBJECT, .optional = true, .object = OBJECT_PD, .size = 8 },
	{ "addr", CALL_ADDRESS, .optional = true, .with = 5, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 4 },
	{ "access", CALL_FLAGS, .words = &words_ibv_access_flags, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_resize_cq[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ, .size = 8 },
	{ "cqe", CALL_INT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_resolve_eth_l2_from_gid[] = {
	{ "context", CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8 },
	{ "attr", CALL_STRUCT, .of = &struct_ibv_ah_attr, .pointer = true, .size = 8 },
	{ "eth_mac", CALL_BYTES, .role = CALL_OUT, .size = 6 },
	{ "vid", CALL_UINT, .pointer = true, .role = CALL_OUT, .size = 2 },
	{ 0 }
};

static const struct call_value args_ibv_set_ece[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP, .size = 8 },
	{ "ece", CALL_STRUCT, .of = &struct_ibv_ece, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_start_poll[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ "attr", CALL_STRUCT, .optional = true, .of = &struct_ibv_poll_cq_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_unimport_dm[] = {
	{ "dm", CALL_OBJECT, .object = OBJECT_DM, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_unimport_mr[] = {
	{ "mr", CALL_OBJECT, .object = OBJECT_MR, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_unimport_pd[] = {
	{ "pd", CALL_OBJECT, .object = OBJECT_PD, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_byte_len[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_completion_ts[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_completion_wallclock_ns[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_cvlan[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_dlid_path_bits[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_flow_tag[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_imm_data[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_invalidated_rkey[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_opcode[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_qp_num[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_sl[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_slid[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_src_qp[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_tm_info[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ "tm_info", CALL_STRUCT, .of = &struct_ibv_wc_tm_info, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_vendor_err[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_read_wc_flags[] = {
	{ "cq", CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wc_status_str[] = {
	{ "status", CALL_ENUM, .words = &words_ibv_wc_status, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_wr_abort[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wr_atomic_cmp_swp[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "rkey", CALL_KEY, .size = 4 },
	{ "remote_addr", CALL_REMOTE, .size = 8 },
	{ "compare", CALL_UINT, .size = 8 },
	{ "swap", CALL_UINT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wr_atomic_fetch_add[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "rkey", CALL_KEY, .size = 4 },
	{ "remote_addr", CALL_REMOTE, .size = 8 },
	{ "add", CALL_UINT, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wr_atomic_write[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "rkey", CALL_KEY, .size = 4 },
	{ "remote_addr", CALL_REMOTE, .size = 8 },
	{ "atomic_wr", CALL_ADDRESS, .fixed = 8, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wr_bind_mw[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "mw", CALL_OBJECT, .object = OBJECT_MW, .size = 8 },
	{ "rkey", CALL_KEY, .size = 4 },
	{ "bind_info", CALL_STRUCT, .of = &struct_ibv_mw_bind_info, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wr_complete[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wr_flush[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "rkey", CALL_KEY, .size = 4 },
	{ "remote_addr", CALL_REMOTE, .size = 8 },
	{ "len", CALL_UINT, .size = 8 },
	{ "type", CALL_FLAGS, .words = &words_ibv_placement_type, .size = 1 },
	{ "level", CALL_ENUM, .words = &words_ibv_selectivity_level, .size = 1 },
	{ 0 }
};

static const struct call_value args_ibv_wr_local_inv[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "invalidate_rkey", CALL_KEY, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_wr_opcode_str[] = {
	{ "opcode", CALL_ENUM, .words = &words_ibv_wr_opcode, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_wr_rdma_read[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "rkey", CALL_KEY, .size = 4 },
	{ "remote_addr", CALL_REMOTE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wr_rdma_write[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "rkey", CALL_KEY, .size = 4 },
	{ "remote_addr", CALL_REMOTE, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wr_rdma_write_imm[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "rkey", CALL_KEY, .size = 4 },
	{ "remote_addr", CALL_REMOTE, .size = 8 },
	{ "imm_data", CALL_BE, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_wr_send[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_ibv_wr_send_imm[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "imm_data", CALL_BE, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_wr_send_inv[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "invalidate_rkey", CALL_KEY, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_wr_send_tso[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "hdr", CALL_DATA, .with = 3, .size = 8 },
	{ "hdr_sz", CALL_UINT, .size = 2, .counts = 2 },
	{ "mss", CALL_UINT, .size = 2 },
	{ 0 }
};

static const struct call_value args_ibv_wr_set_inline_data[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "addr", CALL_ADDRESS, .with = 3, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 2 },
	{ 0 }
};

static const struct call_value args_ibv_wr_set_inline_data_list[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "num_buf", CALL_UINT, .size = 8, .counts = 3 },
	{ "buf_list", CALL_LIST, .with = 2, .of = &struct_ibv_data_buf, .size = 16 },
	{ 0 }
};

static const struct call_value args_ibv_wr_set_sge[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "lkey", CALL_KEY, .size = 4, .is_local = true },
	{ "addr", CALL_IOVA, .with = 4, .size = 8 },
	{ "length", CALL_UINT, .size = 4, .counts = 3 },
	{ 0 }
};

static const struct call_value args_ibv_wr_set_sge_list[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "num_sge", CALL_UINT, .size = 8, .counts = 3 },
	{ "sg_list", CALL_LIST, .with = 2, .of = &struct_ibv_sge, .size = 16 },
	{ 0 }
};

static const struct call_value args_ibv_wr_set_ud_addr[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "ah", CALL_OBJECT, .object = OBJECT_AH, .size = 8 },
	{ "remote_qpn", CALL_QPN, .size = 4 },
	{ "remote_qkey", CALL_UINT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_wr_set_xrc_srqn[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ "remote_srqn", CALL_UINT, .size = 4 },
	{ 0 }
};

static const struct call_value args_ibv_wr_start[] = {
	{ "qp", CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8 },
	{ 0 }
};

static const struct call_value args_mbps_to_ibv_rate[] = {
	{ "mbps", CALL_INT, .size = 4 },
	{ 0 }
};

static const struct call_value args_mult_to_ibv_rate[] = {
	{ "mult", CALL_INT, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_accept[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "conn_param", CALL_STRUCT, .optional = true, .of = &struct_rdma_conn_param, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_ack_cm_event[] = {
	{ "event", CALL_OBJECT, .object = OBJECT_CM_EVENT, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_bind_addr[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "addr", CALL_SOCKADDR, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_connect[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "conn_param", CALL_STRUCT, .optional = true, .of = &struct_rdma_conn_param, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_create_ep[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .role = CALL_MADE, .size = 8 },
	{ "res", CALL_OBJECT, .object = OBJECT_ADDRINFO, .size = 8 },
	{ "pd", CALL_OBJECT, .optional = true, .object = OBJECT_PD, .size = 8 },
	{ "qp_init_attr", CALL_STRUCT, .optional = true, .of = &struct_ibv_qp_init_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_create_id[] = {
	{ "channel", CALL_OBJECT, .object = OBJECT_EVENT_CHANNEL, .size = 8 },
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .role = CALL_MADE, .size = 8 },
	{ "context", CALL_COOKIE, .size = 8 },
	{ "ps", CALL_ENUM, .words = &words_rdma_port_space, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_create_qp[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "pd", CALL_OBJECT, .optional = true, .object = OBJECT_PD, .size = 8 },
	{ "qp_init_attr", CALL_STRUCT, .of = &struct_ibv_qp_init_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_create_qp_ex[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "qp_init_attr", CALL_STRUCT, .of = &struct_ibv_qp_init_attr_ex, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_create_srq[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "pd", CALL_OBJECT, .optional = true, .object = OBJECT_PD, .size = 8 },
	{ "attr", CALL_STRUCT, .of = &struct_ibv_srq_init_attr, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_create_srq_ex[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "attr", CALL_STRUCT, .of = &struct_ibv_srq_init_attr_ex, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_dereg_mr[] = {
	{ "mr", CALL_OBJECT, .object = OBJECT_MR, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_destroy_ep[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_destroy_event_channel[] = {
	{ "channel", CALL_OBJECT, .object = OBJECT_EVENT_CHANNEL, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_destroy_id[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_destroy_qp[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_destroy_srq[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_disconnect[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_establish[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_event_str[] = {
	{ "event", CALL_ENUM, .words = &words_rdma_cm_event_type, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_free_devices[] = {
	{ "list", CALL_OBJECT, .object = OBJECT_CONTEXT_LIST, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_freeaddrinfo[] = {
	{ "res", CALL_OBJECT, .object = OBJECT_ADDRINFO, .role = CALL_GONE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_get_cm_event[] = {
	{ "channel", CALL_OBJECT, .object = OBJECT_EVENT_CHANNEL, .size = 8 },
	{ "event", CALL_OBJECT, .object = OBJECT_CM_EVENT, .role = CALL_MADE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_get_devices[] = {
	{ "num_devices", CALL_COOKIE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_get_dst_port[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_get_local_addr[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_get_peer_addr[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_get_recv_comp[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "wc", CALL_STRUCT, .of = &struct_ibv_wc, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_get_remote_ece[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "ece", CALL_STRUCT, .of = &struct_ibv_ece, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_get_request[] = {
	{ "listen", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .role = CALL_MADE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_get_send_comp[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "wc", CALL_STRUCT, .of = &struct_ibv_wc, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_get_src_port[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_getaddrinfo[] = {
	{ "node", CALL_STRING, .optional = true, .size = 8 },
	{ "service", CALL_STRING, .optional = true, .size = 8 },
	{ "hints", CALL_STRUCT, .optional = true, .of = &struct_rdma_addrinfo, .pointer = true, .size = 8 },
	{ "res", CALL_OBJECT, .object = OBJECT_ADDRINFO, .role = CALL_MADE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_init_qp_attr[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "qp_attr", CALL_STRUCT, .of = &struct_ibv_qp_attr, .pointer = true, .role = CALL_OUT, .size = 8 },
	{ "qp_attr_mask", CALL_INT, .pointer = true, .role = CALL_OUT, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_join_multicast[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "addr", CALL_SOCKADDR, .size = 8 },
	{ "context", CALL_COOKIE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_join_multicast_ex[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "mc_join_attr", CALL_STRUCT, .of = &struct_rdma_cm_join_mc_attr_ex, .pointer = true, .size = 8 },
	{ "context", CALL_COOKIE, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_leave_multicast[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "addr", CALL_SOCKADDR, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_listen[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "backlog", CALL_INT, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_migrate_id[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "channel", CALL_OBJECT, .object = OBJECT_EVENT_CHANNEL, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_notify[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "event", CALL_ENUM, .words = &words_ibv_event_type, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_post_read[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "context", CALL_UINT, .is_context = true, .size = 8 },
	{ "addr", CALL_ADDRESS, .with = 4, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 3 },
	{ "mr", CALL_OBJECT, .object = OBJECT_MR, .size = 8 },
	{ "flags", CALL_FLAGS, .words = &words_ibv_send_flags, .size = 4 },
	{ "remote_addr", CALL_REMOTE, .size = 8 },
	{ "rkey", CALL_KEY, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_post_readv[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "context", CALL_UINT, .is_context = true, .size = 8 },
	{ "sgl", CALL_LIST, .with = 4, .of = &struct_ibv_sge, .size = 16 },
	{ "nsge", CALL_INT, .size = 4, .counts = 3 },
	{ "flags", CALL_FLAGS, .words = &words_ibv_send_flags, .size = 4 },
	{ "remote_addr", CALL_REMOTE, .size = 8 },
	{ "rkey", CALL_KEY, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_post_recv[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "context", CALL_UINT, .is_context = true, .size = 8 },
	{ "addr", CALL_ADDRESS, .with = 4, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 3 },
	{ "mr", CALL_OBJECT, .object = OBJECT_MR, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_post_recvv[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "context", CALL_UINT, .is_context = true, .size = 8 },
	{ "sgl", CALL_LIST, .with = 4, .of = &struct_ibv_sge, .size = 16 },
	{ "nsge", CALL_INT, .size = 4, .counts = 3 },
	{ 0 }
};

static const struct call_value args_rdma_post_send[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "context", CALL_UINT, .is_context = true, .size = 8 },
	{ "addr", CALL_ADDRESS, .with = 4, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 3 },
	{ "mr", CALL_OBJECT, .optional = true, .object = OBJECT_MR, .size = 8 },
	{ "flags", CALL_FLAGS, .words = &words_ibv_send_flags, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_post_sendv[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "context", CALL_UINT, .is_context = true, .size = 8 },
	{ "sgl", CALL_LIST, .with = 4, .of = &struct_ibv_sge, .size = 16 },
	{ "nsge", CALL_INT, .size = 4, .counts = 3 },
	{ "flags", CALL_FLAGS, .words = &words_ibv_send_flags, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_post_ud_send[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "context", CALL_UINT, .is_context = true, .size = 8 },
	{ "addr", CALL_ADDRESS, .with = 4, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 3 },
	{ "mr", CALL_OBJECT, .optional = true, .object = OBJECT_MR, .size = 8 },
	{ "flags", CALL_FLAGS, .words = &words_ibv_send_flags, .size = 4 },
	{ "ah", CALL_OBJECT, .object = OBJECT_AH, .size = 8 },
	{ "remote_qpn", CALL_QPN, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_post_write[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "context", CALL_UINT, .is_context = true, .size = 8 },
	{ "addr", CALL_ADDRESS, .with = 4, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 3 },
	{ "mr", CALL_OBJECT, .optional = true, .object = OBJECT_MR, .size = 8 },
	{ "flags", CALL_FLAGS, .words = &words_ibv_send_flags, .size = 4 },
	{ "remote_addr", CALL_REMOTE, .size = 8 },
	{ "rkey", CALL_KEY, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_post_writev[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "context", CALL_UINT, .is_context = true, .size = 8 },
	{ "sgl", CALL_LIST, .with = 4, .of = &struct_ibv_sge, .size = 16 },
	{ "nsge", CALL_INT, .size = 4, .counts = 3 },
	{ "flags", CALL_FLAGS, .words = &words_ibv_send_flags, .size = 4 },
	{ "remote_addr", CALL_REMOTE, .size = 8 },
	{ "rkey", CALL_KEY, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_reg_msgs[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "addr", CALL_ADDRESS, .with = 3, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 2 },
	{ 0 }
};

static const struct call_value args_rdma_reg_read[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "addr", CALL_ADDRESS, .with = 3, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 2 },
	{ 0 }
};

static const struct call_value args_rdma_reg_write[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "addr", CALL_ADDRESS, .with = 3, .size = 8 },
	{ "length", CALL_UINT, .size = 8, .counts = 2 },
	{ 0 }
};

static const struct call_value args_rdma_reject[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "private_data", CALL_DATA, .optional = true, .with = 3, .size = 8 },
	{ "private_data_len", CALL_UINT, .size = 1, .counts = 2 },
	{ 0 }
};

static const struct call_value args_rdma_reject_ece[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "private_data", CALL_DATA, .optional = true, .with = 3, .size = 8 },
	{ "private_data_len", CALL_UINT, .size = 1, .counts = 2 },
	{ 0 }
};

static const struct call_value args_rdma_resolve_addr[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "src_addr", CALL_SOCKADDR, .optional = true, .size = 8 },
	{ "dst_addr", CALL_SOCKADDR, .size = 8 },
	{ "timeout_ms", CALL_INT, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_resolve_route[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "timeout_ms", CALL_INT, .size = 4 },
	{ 0 }
};

static const struct call_value args_rdma_set_local_ece[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "ece", CALL_STRUCT, .of = &struct_ibv_ece, .pointer = true, .size = 8 },
	{ 0 }
};

static const struct call_value args_rdma_set_option[] = {
	{ "id", CALL_OBJECT, .object = OBJECT_CM_ID, .size = 8 },
	{ "level", CALL_INT, .size = 4 },
	{ "optname", CALL_INT, .size = 4 },
	{ "optval", CALL_DATA, .with = 5, .size = 8 },
	{ "optlen", CALL_UINT, .size = 8, .counts = 4 },
	{ 0 }
};

const struct call_fn call_table[] = {
	{ "ibv_ack_async_event", "infiniband/verbs.h", CALL_SETUP, RESULT_NOTHING, .args = args_ibv_ack_async_event, .result = { .name = "ibv_ack_async_event", .kind = CALL_VOID }, .prototype = "void ibv_ack_async_event(struct ibv_async_event *event)", .fetches = true, .invoke = do_ibv_ack_async_event },
	{ "ibv_ack_cq_events", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_ack_cq_events, .result = { .name = "ibv_ack_cq_events", .kind = CALL_VOID }, .prototype = "void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)", .rule = RULE_CQ_EVENTS, .fetches = true, .invoke = do_ibv_ack_cq_events },
	{ "ibv_advise_mr", "infiniband/verbs.h", CALL_PREPARE, RESULT_STATUS, .args = args_ibv_advise_mr, .result = { .name = "ibv_advise_mr", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge)", .is_inline = true, .invoke = do_ibv_advise_mr },
	{ "ibv_alloc_dm", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_alloc_dm, .result = { .name = "ibv_alloc_dm", .kind = CALL_OBJECT, .object = OBJECT_DM, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_dm *ibv_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)", .is_inline = true, .invoke = do_ibv_alloc_dm },
	{ "ibv_alloc_mw", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_alloc_mw, .result = { .name = "ibv_alloc_mw", .kind = CALL_OBJECT, .object = OBJECT_MW, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_mw *ibv_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)", .is_inline = true, .invoke = do_ibv_alloc_mw },
	{ "ibv_alloc_null_mr", "infiniband/verbs.h", CALL_PREPARE, RESULT_POINTER, .args = args_ibv_alloc_null_mr, .result = { .name = "ibv_alloc_null_mr", .kind = CALL_OBJECT, .object = OBJECT_MR, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_mr *ibv_alloc_null_mr(struct ibv_pd *pd)", .is_inline = true, .invoke = do_ibv_alloc_null_mr },
	{ "ibv_alloc_parent_domain", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_alloc_parent_domain, .result = { .name = "ibv_alloc_parent_domain", .kind = CALL_OBJECT, .object = OBJECT_PD, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_pd *ibv_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)", .is_inline = true, .invoke = do_ibv_alloc_parent_domain },
	{ "ibv_alloc_pd", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_alloc_pd, .result = { .name = "ibv_alloc_pd", .kind = CALL_OBJECT, .object = OBJECT_PD, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)", .invoke = do_ibv_alloc_pd },
	{ "ibv_alloc_td", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_alloc_td, .result = { .name = "ibv_alloc_td", .kind = CALL_OBJECT, .object = OBJECT_TD, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_td *ibv_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *init_attr)", .is_inline = true, .invoke = do_ibv_alloc_td },
	{ "ibv_attach_counters_point_flow", "infiniband/verbs.h", CALL_PREPARE, RESULT_STATUS, .args = args_ibv_attach_counters_point_flow, .result = { .name = "ibv_attach_counters_point_flow", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_attach_counters_point_flow(struct ibv_counters *counters, struct ibv_counter_attach_attr *attr, struct ibv_flow *flow)", .is_inline = true, .invoke = do_ibv_attach_counters_point_flow },
	{ "ibv_attach_mcast", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_attach_mcast, .result = { .name = "ibv_attach_mcast", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)", .rule = RULE_MCAST_ATTACH, .invoke = do_ibv_attach_mcast },
	{ "ibv_bind_mw", "infiniband/verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_ibv_bind_mw, .result = { .name = "ibv_bind_mw", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *mw_bind)", .is_inline = true, .rule = RULE_MW_BIND, .invoke = do_ibv_bind_mw },
	{ "ibv_close_device", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_close_device, .result = { .name = "ibv_close_device", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_close_device(struct ibv_context *context)", .invoke = do_ibv_close_device },
	{ "ibv_close_xrcd", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_close_xrcd, .result = { .name = "ibv_close_xrcd", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_close_xrcd(struct ibv_xrcd *xrcd)", .is_inline = true, .invoke = do_ibv_close_xrcd },
	{ "ibv_cq_ex_to_cq", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_cq_ex_to_cq, .result = { .name = "ibv_cq_ex_to_cq", .kind = CALL_OBJECT, .object = OBJECT_CQ, .size = 8, .role = CALL_FOUND }, .prototype = "struct ibv_cq *ibv_cq_ex_to_cq(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .invoke = do_ibv_cq_ex_to_cq },
	{ "ibv_create_ah", "infiniband/verbs.h", CALL_PREPARE, RESULT_POINTER, .args = args_ibv_create_ah, .result = { .name = "ibv_create_ah", .kind = CALL_OBJECT, .object = OBJECT_AH, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)", .rule = RULE_AH_PLAIN, .invoke = do_ibv_create_ah },
	{ "ibv_create_ah_from_wc", "infiniband/verbs.h", CALL_PREPARE, RESULT_POINTER, .args = args_ibv_create_ah_from_wc, .result = { .name = "ibv_create_ah_from_wc", .kind = CALL_OBJECT, .object = OBJECT_AH, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port_num)", .rule = RULE_WC_GRH, .invoke = do_ibv_create_ah_from_wc },
	{ "ibv_create_comp_channel", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_create_comp_channel, .result = { .name = "ibv_create_comp_channel", .kind = CALL_OBJECT, .object = OBJECT_COMP_CHANNEL, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)", .invoke = do_ibv_create_comp_channel },
	{ "ibv_create_counters", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_create_counters, .result = { .name = "ibv_create_counters", .kind = CALL_OBJECT, .object = OBJECT_COUNTERS, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_counters *ibv_create_counters(struct ibv_context *context, struct ibv_counters_init_attr *init_attr)", .is_inline = true, .invoke = do_ibv_create_counters },
	{ "ibv_create_cq", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_create_cq, .result = { .name = "ibv_create_cq", .kind = CALL_OBJECT, .object = OBJECT_CQ, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int comp_vector)", .invoke = do_ibv_create_cq },
	{ "ibv_create_cq_ex", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_create_cq_ex, .result = { .name = "ibv_create_cq_ex", .kind = CALL_OBJECT, .object = OBJECT_CQ_EX, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_cq_ex *ibv_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *cq_attr)", .is_inline = true, .invoke = do_ibv_create_cq_ex },
	{ "ibv_create_flow", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_create_flow, .result = { .name = "ibv_create_flow", .kind = CALL_OBJECT, .object = OBJECT_FLOW, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_flow *ibv_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *flow)", .is_inline = true, .invoke = do_ibv_create_flow },
	{ "ibv_create_flow_action_esp", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_create_flow_action_esp, .result = { .name = "ibv_create_flow_action_esp", .kind = CALL_OBJECT, .object = OBJECT_FLOW_ACTION, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_flow_action *ibv_create_flow_action_esp(struct ibv_context *ctx, struct ibv_flow_action_esp_attr *esp)", .is_inline = true, .invoke = do_ibv_create_flow_action_esp },
	{ "ibv_create_qp", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_create_qp, .result = { .name = "ibv_create_qp", .kind = CALL_OBJECT, .object = OBJECT_QP, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)", .rule = RULE_QP_INIT, .invoke = do_ibv_create_qp },
	{ "ibv_create_qp_ex", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_create_qp_ex, .result = { .name = "ibv_create_qp_ex", .kind = CALL_OBJECT, .object = OBJECT_QP, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_qp *ibv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *qp_init_attr_ex)", .is_inline = true, .rule = RULE_QP_INIT_EX, .invoke = do_ibv_create_qp_ex },
	{ "ibv_create_rwq_ind_table", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_create_rwq_ind_table, .result = { .name = "ibv_create_rwq_ind_table", .kind = CALL_OBJECT, .object = OBJECT_RWQ_IND_TABLE, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_rwq_ind_table *ibv_create_rwq_ind_table(struct ibv_context *context, struct ibv_rwq_ind_table_init_attr *init_attr)", .is_inline = true, .invoke = do_ibv_create_rwq_ind_table },
	{ "ibv_create_srq", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_create_srq, .result = { .name = "ibv_create_srq", .kind = CALL_OBJECT, .object = OBJECT_SRQ, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *srq_init_attr)", .invoke = do_ibv_create_srq },
	{ "ibv_create_srq_ex", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_create_srq_ex, .result = { .name = "ibv_create_srq_ex", .kind = CALL_OBJECT, .object = OBJECT_SRQ, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_srq *ibv_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *srq_init_attr_ex)", .is_inline = true, .rule = RULE_SRQ_INIT_EX, .invoke = do_ibv_create_srq_ex },
	{ "ibv_create_wq", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_create_wq, .result = { .name = "ibv_create_wq", .kind = CALL_OBJECT, .object = OBJECT_WQ, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_wq *ibv_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *wq_init_attr)", .is_inline = true, .invoke = do_ibv_create_wq },
	{ "ibv_dealloc_mw", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_dealloc_mw, .result = { .name = "ibv_dealloc_mw", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_dealloc_mw(struct ibv_mw *mw)", .is_inline = true, .invoke = do_ibv_dealloc_mw },
	{ "ibv_dealloc_pd", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_dealloc_pd, .result = { .name = "ibv_dealloc_pd", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_dealloc_pd(struct ibv_pd *pd)", .invoke = do_ibv_dealloc_pd },
	{ "ibv_dealloc_td", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_dealloc_td, .result = { .name = "ibv_dealloc_td", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_dealloc_td(struct ibv_td *td)", .is_inline = true, .invoke = do_ibv_dealloc_td },
	{ "ibv_dereg_mr", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_dereg_mr, .result = { .name = "ibv_dereg_mr", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_dereg_mr(struct ibv_mr *mr)", .invoke = do_ibv_dereg_mr },
	{ "ibv_destroy_ah", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_destroy_ah, .result = { .name = "ibv_destroy_ah", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_destroy_ah(struct ibv_ah *ah)", .invoke = do_ibv_destroy_ah },
	{ "ibv_destroy_comp_channel", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_destroy_comp_channel, .result = { .name = "ibv_destroy_comp_channel", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)", .invoke = do_ibv_destroy_comp_channel },
	{ "ibv_destroy_counters", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_destroy_counters, .result = { .name = "ibv_destroy_counters", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_destroy_counters(struct ibv_counters *counters)", .is_inline = true, .invoke = do_ibv_destroy_counters },
	{ "ibv_destroy_cq", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_destroy_cq, .result = { .name = "ibv_destroy_cq", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_destroy_cq(struct ibv_cq *cq)", .invoke = do_ibv_destroy_cq },
	{ "ibv_destroy_flow", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_destroy_flow, .result = { .name = "ibv_destroy_flow", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_destroy_flow(struct ibv_flow *flow_id)", .is_inline = true, .invoke = do_ibv_destroy_flow },
	{ "ibv_destroy_flow_action", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_destroy_flow_action, .result = { .name = "ibv_destroy_flow_action", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_destroy_flow_action(struct ibv_flow_action *action)", .is_inline = true, .invoke = do_ibv_destroy_flow_action },
	{ "ibv_destroy_qp", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_destroy_qp, .result = { .name = "ibv_destroy_qp", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_destroy_qp(struct ibv_qp *qp)", .invoke = do_ibv_destroy_qp },
	{ "ibv_destroy_rwq_ind_table", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_destroy_rwq_ind_table, .result = { .name = "ibv_destroy_rwq_ind_table", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_destroy_rwq_ind_table(struct ibv_rwq_ind_table *rwq_ind_table)", .is_inline = true, .invoke = do_ibv_destroy_rwq_ind_table },
	{ "ibv_destroy_srq", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_destroy_srq, .result = { .name = "ibv_destroy_srq", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_destroy_srq(struct ibv_srq *srq)", .invoke = do_ibv_destroy_srq },
	{ "ibv_destroy_wq", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_destroy_wq, .result = { .name = "ibv_destroy_wq", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_destroy_wq(struct ibv_wq *wq)", .is_inline = true, .invoke = do_ibv_destroy_wq },
	{ "ibv_detach_mcast", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_detach_mcast, .result = { .name = "ibv_detach_mcast", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)", .rule = RULE_MCAST_DETACH, .invoke = do_ibv_detach_mcast },
	{ "ibv_end_poll", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_end_poll, .result = { .name = "ibv_end_poll", .kind = CALL_VOID }, .prototype = "void ibv_end_poll(struct ibv_cq_ex *cq)", .is_inline = true, .step = CALL_LAST, .member = offsetof(struct ibv_cq_ex, end_poll), .invoke = do_ibv_end_poll },
	{ "ibv_event_type_str", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_ibv_event_type_str, .result = { .name = "ibv_event_type_str", .kind = CALL_STRING, .size = 8 }, .prototype = "const char *ibv_event_type_str(enum ibv_event_type event)", .asks = true, .invoke = do_ibv_event_type_str },
	{ "ibv_flow_label_to_udp_sport", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_ibv_flow_label_to_udp_sport, .result = { .name = "ibv_flow_label_to_udp_sport", .kind = CALL_UINT, .size = 2 }, .prototype = "uint16_t ibv_flow_label_to_udp_sport(uint32_t fl)", .is_inline = true, .asks = true, .invoke = do_ibv_flow_label_to_udp_sport },
	{ "ibv_fork_init", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = no_args, .result = { .name = "ibv_fork_init", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_fork_init()", .invoke = do_ibv_fork_init },
	{ "ibv_free_device_list", "infiniband/verbs.h", CALL_SETUP, RESULT_NOTHING, .args = args_ibv_free_device_list, .result = { .name = "ibv_free_device_list", .kind = CALL_VOID }, .prototype = "void ibv_free_device_list(struct ibv_device **list)", .asks = true, .invoke = do_ibv_free_device_list },
	{ "ibv_free_dm", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_free_dm, .result = { .name = "ibv_free_dm", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_free_dm(struct ibv_dm *dm)", .is_inline = true, .invoke = do_ibv_free_dm },
	{ "ibv_get_async_event", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_get_async_event, .result = { .name = "ibv_get_async_event", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)", .waits = true, .fetches = true, .serves = true, .invoke = do_ibv_get_async_event },
	{ "ibv_get_cq_event", "infiniband/verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_ibv_get_cq_event, .result = { .name = "ibv_get_cq_event", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)", .waits = true, .fetches = true, .serves = true, .invoke = do_ibv_get_cq_event },
	{ "ibv_get_device_guid", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_ibv_get_device_guid, .result = { .name = "ibv_get_device_guid", .kind = CALL_BE, .size = 8 }, .prototype = "__be64 ibv_get_device_guid(struct ibv_device *device)", .asks = true, .invoke = do_ibv_get_device_guid },
	{ "ibv_get_device_index", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_ibv_get_device_index, .result = { .name = "ibv_get_device_index", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_get_device_index(struct ibv_device *device)", .asks = true, .invoke = do_ibv_get_device_index },
	{ "ibv_get_device_list", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_get_device_list, .result = { .name = "ibv_get_device_list", .kind = CALL_OBJECT, .object = OBJECT_DEVICE_LIST, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_device **ibv_get_device_list(int *num_devices)", .asks = true, .invoke = do_ibv_get_device_list },
	{ "ibv_get_device_name", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_ibv_get_device_name, .result = { .name = "ibv_get_device_name", .kind = CALL_STRING, .size = 8 }, .prototype = "const char *ibv_get_device_name(struct ibv_device *device)", .asks = true, .invoke = do_ibv_get_device_name },
	{ "ibv_get_pkey_index", "infiniband/verbs.h", CALL_SETUP, RESULT_COUNT, .args = args_ibv_get_pkey_index, .result = { .name = "ibv_get_pkey_index", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_get_pkey_index(struct ibv_context *context, uint8_t port_num, __be16 pkey)", .asks = true, .invoke = do_ibv_get_pkey_index },
	{ "ibv_get_srq_num", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_get_srq_num, .result = { .name = "ibv_get_srq_num", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)", .is_inline = true, .asks = true, .invoke = do_ibv_get_srq_num },
	{ "ibv_import_device", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_import_device, .result = { .name = "ibv_import_device", .kind = CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_context *ibv_import_device(int cmd_fd)", .why = "it takes a descriptor of another process" },
	{ "ibv_import_dm", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_import_dm, .result = { .name = "ibv_import_dm", .kind = CALL_OBJECT, .object = OBJECT_DM, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t dm_handle)", .ended_by = "ibv_unimport_dm", .invoke = do_ibv_import_dm },
	{ "ibv_import_mr", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_import_mr, .result = { .name = "ibv_import_mr", .kind = CALL_OBJECT, .object = OBJECT_MR, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t mr_handle)", .ended_by = "ibv_unimport_mr", .invoke = do_ibv_import_mr },
	{ "ibv_import_pd", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_import_pd, .result = { .name = "ibv_import_pd", .kind = CALL_OBJECT, .object = OBJECT_PD, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t pd_handle)", .ended_by = "ibv_unimport_pd", .invoke = do_ibv_import_pd },
	{ "ibv_inc_rkey", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_ibv_inc_rkey, .result = { .name = "ibv_inc_rkey", .kind = CALL_UINT, .size = 4 }, .prototype = "uint32_t ibv_inc_rkey(uint32_t rkey)", .is_inline = true, .asks = true, .invoke = do_ibv_inc_rkey },
	{ "ibv_init_ah_from_wc", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_init_ah_from_wc, .result = { .name = "ibv_init_ah_from_wc", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc, struct ibv_grh *grh, struct ibv_ah_attr *ah_attr)", .rule = RULE_WC_GRH, .asks = true, .invoke = do_ibv_init_ah_from_wc },
	{ "ibv_is_fork_initialized", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = no_args, .result = { .name = "ibv_is_fork_initialized", .kind = CALL_ENUM, .words = &words_ibv_fork_status, .size = 4 }, .prototype = "enum ibv_fork_status ibv_is_fork_initialized()", .asks = true, .invoke = do_ibv_is_fork_initialized },
	{ "ibv_is_qpt_supported", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_ibv_is_qpt_supported, .result = { .name = "ibv_is_qpt_supported", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_is_qpt_supported(uint32_t caps, enum ibv_qp_type qpt)", .is_inline = true, .rule = RULE_QPT_BIT, .asks = true, .invoke = do_ibv_is_qpt_supported },
	{ "ibv_memcpy_from_dm", "infiniband/verbs.h", CALL_PREPARE, RESULT_STATUS, .args = args_ibv_memcpy_from_dm, .result = { .name = "ibv_memcpy_from_dm", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_memcpy_from_dm(void *host_addr, struct ibv_dm *dm, uint64_t dm_offset, size_t length)", .is_inline = true, .invoke = do_ibv_memcpy_from_dm },
	{ "ibv_memcpy_to_dm", "infiniband/verbs.h", CALL_PREPARE, RESULT_STATUS, .args = args_ibv_memcpy_to_dm, .result = { .name = "ibv_memcpy_to_dm", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_memcpy_to_dm(struct ibv_dm *dm, uint64_t dm_offset, const void *host_addr, size_t length)", .is_inline = true, .invoke = do_ibv_memcpy_to_dm },
	{ "ibv_modify_cq", "infiniband/verbs.h", CALL_PREPARE, RESULT_STATUS, .args = args_ibv_modify_cq, .result = { .name = "ibv_modify_cq", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)", .is_inline = true, .invoke = do_ibv_modify_cq },
	{ "ibv_modify_flow_action_esp", "infiniband/verbs.h", CALL_PREPARE, RESULT_STATUS, .args = args_ibv_modify_flow_action_esp, .result = { .name = "ibv_modify_flow_action_esp", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_modify_flow_action_esp(struct ibv_flow_action *action, struct ibv_flow_action_esp_attr *esp)", .is_inline = true, .invoke = do_ibv_modify_flow_action_esp },
	{ "ibv_modify_qp", "infiniband/verbs.h", CALL_PREPARE, RESULT_STATUS, .args = args_ibv_modify_qp, .result = { .name = "ibv_modify_qp", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)", .invoke = do_ibv_modify_qp },
	{ "ibv_modify_qp_rate_limit", "infiniband/verbs.h", CALL_PREPARE, RESULT_STATUS, .args = args_ibv_modify_qp_rate_limit, .result = { .name = "ibv_modify_qp_rate_limit", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_modify_qp_rate_limit(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr)", .is_inline = true, .invoke = do_ibv_modify_qp_rate_limit },
	{ "ibv_modify_srq", "infiniband/verbs.h", CALL_PREPARE, RESULT_STATUS, .args = args_ibv_modify_srq, .result = { .name = "ibv_modify_srq", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr, int srq_attr_mask)", .invoke = do_ibv_modify_srq },
	{ "ibv_modify_wq", "infiniband/verbs.h", CALL_PREPARE, RESULT_STATUS, .args = args_ibv_modify_wq, .result = { .name = "ibv_modify_wq", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *wq_attr)", .is_inline = true, .invoke = do_ibv_modify_wq },
	{ "ibv_next_poll", "infiniband/verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_ibv_next_poll, .result = { .name = "ibv_next_poll", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_next_poll(struct ibv_cq_ex *cq)", .is_inline = true, .step = CALL_NEXT, .member = offsetof(struct ibv_cq_ex, next_poll), .invoke = do_ibv_next_poll },
	{ "ibv_node_type_str", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_ibv_node_type_str, .result = { .name = "ibv_node_type_str", .kind = CALL_STRING, .size = 8 }, .prototype = "const char *ibv_node_type_str(enum ibv_node_type node_type)", .asks = true, .invoke = do_ibv_node_type_str },
	{ "ibv_open_device", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_open_device, .result = { .name = "ibv_open_device", .kind = CALL_OBJECT, .object = OBJECT_CONTEXT, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_context *ibv_open_device(struct ibv_device *device)", .invoke = do_ibv_open_device },
	{ "ibv_open_qp", "infiniband/verbs.h", CALL_PREPARE, RESULT_POINTER, .args = args_ibv_open_qp, .result = { .name = "ibv_open_qp", .kind = CALL_OBJECT, .object = OBJECT_QP, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_qp *ibv_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *qp_open_attr)", .is_inline = true, .invoke = do_ibv_open_qp },
	{ "ibv_open_xrcd", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_open_xrcd, .result = { .name = "ibv_open_xrcd", .kind = CALL_OBJECT, .object = OBJECT_XRCD, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_xrcd *ibv_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *xrcd_init_attr)", .is_inline = true, .invoke = do_ibv_open_xrcd },
	{ "ibv_poll_cq", "infiniband/verbs.h", CALL_DATAPATH, RESULT_COUNT, .args = args_ibv_poll_cq, .result = { .name = "ibv_poll_cq", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)", .is_inline = true, .fetches = true, .invoke = do_ibv_poll_cq },
	{ "ibv_port_state_str", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_ibv_port_state_str, .result = { .name = "ibv_port_state_str", .kind = CALL_STRING, .size = 8 }, .prototype = "const char *ibv_port_state_str(enum ibv_port_state port_state)", .asks = true, .invoke = do_ibv_port_state_str },
	{ "ibv_post_recv", "infiniband/verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_ibv_post_recv, .result = { .name = "ibv_post_recv", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)", .is_inline = true, .invoke = do_ibv_post_recv },
	{ "ibv_post_send", "infiniband/verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_ibv_post_send, .result = { .name = "ibv_post_send", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)", .is_inline = true, .invoke = do_ibv_post_send },
	{ "ibv_post_srq_ops", "infiniband/verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_ibv_post_srq_ops, .result = { .name = "ibv_post_srq_ops", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *op, struct ibv_ops_wr **bad_op)", .is_inline = true, .invoke = do_ibv_post_srq_ops },
	{ "ibv_post_srq_recv", "infiniband/verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_ibv_post_srq_recv, .result = { .name = "ibv_post_srq_recv", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr)", .is_inline = true, .invoke = do_ibv_post_srq_recv },
	{ "ibv_post_wq_recv", "infiniband/verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_ibv_post_wq_recv, .result = { .name = "ibv_post_wq_recv", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_post_wq_recv(struct ibv_wq *wq, struct ibv_recv_wr *recv_wr, struct ibv_recv_wr **bad_recv_wr)", .is_inline = true, .invoke = do_ibv_post_wq_recv },
	{ "ibv_qp_to_qp_ex", "infiniband/verbs.h", CALL_SETUP, RESULT_POINTER, .args = args_ibv_qp_to_qp_ex, .result = { .name = "ibv_qp_to_qp_ex", .kind = CALL_OBJECT, .object = OBJECT_QP_EX, .size = 8, .role = CALL_FOUND }, .prototype = "struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)", .asks = true, .invoke = do_ibv_qp_to_qp_ex },
	{ "ibv_query_device", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_query_device, .result = { .name = "ibv_query_device", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *device_attr)", .asks = true, .invoke = do_ibv_query_device },
	{ "ibv_query_device_ex", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_query_device_ex, .result = { .name = "ibv_query_device_ex", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr)", .is_inline = true, .asks = true, .invoke = do_ibv_query_device_ex },
	{ "ibv_query_ece", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_query_ece, .result = { .name = "ibv_query_ece", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)", .asks = true, .invoke = do_ibv_query_ece },
	{ "ibv_query_gid", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_query_gid, .result = { .name = "ibv_query_gid", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_query_gid(struct ibv_context *context, uint8_t port_num, int index, union ibv_gid *gid)", .asks = true, .invoke = do_ibv_query_gid },
	{ "ibv_query_gid_ex", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_query_gid_ex, .result = { .name = "ibv_query_gid_ex", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index, struct ibv_gid_entry *entry, uint32_t flags)", .is_inline = true, .asks = true, .invoke = do_ibv_query_gid_ex },
	{ "ibv_query_gid_table", "infiniband/verbs.h", CALL_SETUP, RESULT_COUNT, .args = args_ibv_query_gid_table, .result = { .name = "ibv_query_gid_table", .kind = CALL_INT, .size = 8 }, .prototype = "ssize_t ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries, uint32_t flags)", .is_inline = true, .asks = true, .invoke = do_ibv_query_gid_table },
	{ "ibv_query_pkey", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_query_pkey, .result = { .name = "ibv_query_pkey", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey)", .asks = true, .invoke = do_ibv_query_pkey },
	{ "ibv_query_port", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_query_port, .result = { .name = "ibv_query_port", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *port_attr)", .asks = true, .invoke = do_ibv_query_port },
	{ "ibv_query_qp", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_query_qp, .result = { .name = "ibv_query_qp", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask, struct ibv_qp_init_attr *init_attr)", .asks = true, .invoke = do_ibv_query_qp },
	{ "ibv_query_qp_data_in_order", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_ibv_query_qp_data_in_order, .result = { .name = "ibv_query_qp_data_in_order", .kind = CALL_FLAGS, .size = 4, .words = &words_ibv_query_qp_data_in_order_caps }, .prototype = "int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)", .asks = true, .invoke = do_ibv_query_qp_data_in_order },
	{ "ibv_query_rt_values_ex", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_query_rt_values_ex, .result = { .name = "ibv_query_rt_values_ex", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_query_rt_values_ex(struct ibv_context *context, struct ibv_values_ex *values)", .is_inline = true, .asks = true, .invoke = do_ibv_query_rt_values_ex },
	{ "ibv_query_srq", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_query_srq, .result = { .name = "ibv_query_srq", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr)", .asks = true, .invoke = do_ibv_query_srq },
	{ "ibv_rate_to_mbps", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_ibv_rate_to_mbps, .result = { .name = "ibv_rate_to_mbps", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_rate_to_mbps(enum ibv_rate rate)", .asks = true, .invoke = do_ibv_rate_to_mbps },
	{ "ibv_rate_to_mult", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_ibv_rate_to_mult, .result = { .name = "ibv_rate_to_mult", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_rate_to_mult(enum ibv_rate rate)", .asks = true, .invoke = do_ibv_rate_to_mult },
	{ "ibv_read_counters", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_read_counters, .result = { .name = "ibv_read_counters", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_read_counters(struct ibv_counters *counters, uint64_t *counters_value, uint32_t ncounters, uint32_t flags)", .is_inline = true, .asks = true, .invoke = do_ibv_read_counters },
	{ "ibv_reg_dm_mr", "infiniband/verbs.h", CALL_PREPARE, RESULT_POINTER, .args = args_ibv_reg_dm_mr, .result = { .name = "ibv_reg_dm_mr", .kind = CALL_OBJECT, .object = OBJECT_MR, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_mr *ibv_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t dm_offset, size_t length, unsigned int access)", .is_inline = true, .invoke = do_ibv_reg_dm_mr },
	{ "ibv_reg_dmabuf_mr", "infiniband/verbs.h", CALL_PREPARE, RESULT_POINTER, .args = args_ibv_reg_dmabuf_mr, .result = { .name = "ibv_reg_dmabuf_mr", .kind = CALL_OBJECT, .object = OBJECT_MR, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)", .why = "it takes a descriptor of memory of another driver" },
	{ "ibv_reg_mr", "infiniband/verbs.h", CALL_PREPARE, RESULT_POINTER, .args = args_ibv_reg_mr, .result = { .name = "ibv_reg_mr", .kind = CALL_OBJECT, .object = OBJECT_MR, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)", .rule = RULE_REG_PLAIN, .invoke = do_ibv_reg_mr },
	{ "ibv_reg_mr_iova", "infiniband/verbs.h", CALL_PREPARE, RESULT_POINTER, .args = args_ibv_reg_mr_iova, .result = { .name = "ibv_reg_mr_iova", .kind = CALL_OBJECT, .object = OBJECT_MR, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)", .invoke = do_ibv_reg_mr_iova },
	{ "ibv_reg_mr_iova2", "infiniband/verbs.h", CALL_PREPARE, RESULT_POINTER, .args = args_ibv_reg_mr_iova2, .result = { .name = "ibv_reg_mr_iova2", .kind = CALL_OBJECT, .object = OBJECT_MR, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)", .invoke = do_ibv_reg_mr_iova2 },
	{ "ibv_req_notify_cq", "infiniband/verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_ibv_req_notify_cq, .result = { .name = "ibv_req_notify_cq", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_req_notify_cq(struct ibv_cq *cq, int solicited_only)", .is_inline = true, .invoke = do_ibv_req_notify_cq },
	{ "ibv_rereg_mr", "infiniband/verbs.h", CALL_PREPARE, RESULT_STATUS, .args = args_ibv_rereg_mr, .result = { .name = "ibv_rereg_mr", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)", .invoke = do_ibv_rereg_mr },
	{ "ibv_resize_cq", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_resize_cq, .result = { .name = "ibv_resize_cq", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_resize_cq(struct ibv_cq *cq, int cqe)", .invoke = do_ibv_resize_cq },
	{ "ibv_resolve_eth_l2_from_gid", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_resolve_eth_l2_from_gid, .result = { .name = "ibv_resolve_eth_l2_from_gid", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, struct ibv_ah_attr *attr, uint8_t eth_mac[6], uint16_t *vid)", .asks = true, .invoke = do_ibv_resolve_eth_l2_from_gid },
	{ "ibv_set_ece", "infiniband/verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_ibv_set_ece, .result = { .name = "ibv_set_ece", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)", .invoke = do_ibv_set_ece },
	{ "ibv_start_poll", "infiniband/verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_ibv_start_poll, .result = { .name = "ibv_start_poll", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)", .is_inline = true, .step = CALL_FIRST, .member = offsetof(struct ibv_cq_ex, start_poll), .invoke = do_ibv_start_poll },
	{ "ibv_unimport_dm", "infiniband/verbs.h", CALL_SETUP, RESULT_NOTHING, .args = args_ibv_unimport_dm, .result = { .name = "ibv_unimport_dm", .kind = CALL_VOID }, .prototype = "void ibv_unimport_dm(struct ibv_dm *dm)", .rule = RULE_IMPORTED, .invoke = do_ibv_unimport_dm },
	{ "ibv_unimport_mr", "infiniband/verbs.h", CALL_SETUP, RESULT_NOTHING, .args = args_ibv_unimport_mr, .result = { .name = "ibv_unimport_mr", .kind = CALL_VOID }, .prototype = "void ibv_unimport_mr(struct ibv_mr *mr)", .rule = RULE_IMPORTED, .invoke = do_ibv_unimport_mr },
	{ "ibv_unimport_pd", "infiniband/verbs.h", CALL_SETUP, RESULT_NOTHING, .args = args_ibv_unimport_pd, .result = { .name = "ibv_unimport_pd", .kind = CALL_VOID }, .prototype = "void ibv_unimport_pd(struct ibv_pd *pd)", .rule = RULE_IMPORTED, .invoke = do_ibv_unimport_pd },
	{ "ibv_wc_read_byte_len", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_byte_len, .result = { .name = "ibv_wc_read_byte_len", .kind = CALL_UINT, .size = 4 }, .prototype = "uint32_t ibv_wc_read_byte_len(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_byte_len), .invoke = do_ibv_wc_read_byte_len },
	{ "ibv_wc_read_completion_ts", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_completion_ts, .result = { .name = "ibv_wc_read_completion_ts", .kind = CALL_UINT, .size = 8 }, .prototype = "uint64_t ibv_wc_read_completion_ts(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_completion_ts), .invoke = do_ibv_wc_read_completion_ts },
	{ "ibv_wc_read_completion_wallclock_ns", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_completion_wallclock_ns, .result = { .name = "ibv_wc_read_completion_wallclock_ns", .kind = CALL_UINT, .size = 8 }, .prototype = "uint64_t ibv_wc_read_completion_wallclock_ns(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_completion_wallclock_ns), .invoke = do_ibv_wc_read_completion_wallclock_ns },
	{ "ibv_wc_read_cvlan", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_cvlan, .result = { .name = "ibv_wc_read_cvlan", .kind = CALL_UINT, .size = 2 }, .prototype = "uint16_t ibv_wc_read_cvlan(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_cvlan), .invoke = do_ibv_wc_read_cvlan },
	{ "ibv_wc_read_dlid_path_bits", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_dlid_path_bits, .result = { .name = "ibv_wc_read_dlid_path_bits", .kind = CALL_UINT, .size = 1 }, .prototype = "uint8_t ibv_wc_read_dlid_path_bits(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_dlid_path_bits), .invoke = do_ibv_wc_read_dlid_path_bits },
	{ "ibv_wc_read_flow_tag", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_flow_tag, .result = { .name = "ibv_wc_read_flow_tag", .kind = CALL_UINT, .size = 4 }, .prototype = "uint32_t ibv_wc_read_flow_tag(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_flow_tag), .invoke = do_ibv_wc_read_flow_tag },
	{ "ibv_wc_read_imm_data", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_imm_data, .result = { .name = "ibv_wc_read_imm_data", .kind = CALL_BE, .size = 4 }, .prototype = "__be32 ibv_wc_read_imm_data(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_imm_data), .invoke = do_ibv_wc_read_imm_data },
	{ "ibv_wc_read_invalidated_rkey", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_invalidated_rkey, .result = { .name = "ibv_wc_read_invalidated_rkey", .kind = CALL_UINT, .size = 4 }, .prototype = "uint32_t ibv_wc_read_invalidated_rkey(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_imm_data), .invoke = do_ibv_wc_read_invalidated_rkey },
	{ "ibv_wc_read_opcode", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_opcode, .result = { .name = "ibv_wc_read_opcode", .kind = CALL_ENUM, .words = &words_ibv_wc_opcode, .size = 4 }, .prototype = "enum ibv_wc_opcode ibv_wc_read_opcode(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_opcode), .invoke = do_ibv_wc_read_opcode },
	{ "ibv_wc_read_qp_num", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_qp_num, .result = { .name = "ibv_wc_read_qp_num", .kind = CALL_UINT, .size = 4 }, .prototype = "uint32_t ibv_wc_read_qp_num(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_qp_num), .invoke = do_ibv_wc_read_qp_num },
	{ "ibv_wc_read_sl", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_sl, .result = { .name = "ibv_wc_read_sl", .kind = CALL_UINT, .size = 1 }, .prototype = "uint8_t ibv_wc_read_sl(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_sl), .invoke = do_ibv_wc_read_sl },
	{ "ibv_wc_read_slid", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_slid, .result = { .name = "ibv_wc_read_slid", .kind = CALL_UINT, .size = 4 }, .prototype = "uint32_t ibv_wc_read_slid(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_slid), .invoke = do_ibv_wc_read_slid },
	{ "ibv_wc_read_src_qp", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_src_qp, .result = { .name = "ibv_wc_read_src_qp", .kind = CALL_UINT, .size = 4 }, .prototype = "uint32_t ibv_wc_read_src_qp(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_src_qp), .invoke = do_ibv_wc_read_src_qp },
	{ "ibv_wc_read_tm_info", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wc_read_tm_info, .result = { .name = "ibv_wc_read_tm_info", .kind = CALL_VOID }, .prototype = "void ibv_wc_read_tm_info(struct ibv_cq_ex *cq, struct ibv_wc_tm_info *tm_info)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_tm_info), .invoke = do_ibv_wc_read_tm_info },
	{ "ibv_wc_read_vendor_err", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_vendor_err, .result = { .name = "ibv_wc_read_vendor_err", .kind = CALL_UINT, .size = 4 }, .prototype = "uint32_t ibv_wc_read_vendor_err(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_vendor_err), .invoke = do_ibv_wc_read_vendor_err },
	{ "ibv_wc_read_wc_flags", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_read_wc_flags, .result = { .name = "ibv_wc_read_wc_flags", .kind = CALL_FLAGS, .size = 4, .words = &words_ibv_wc_flags }, .prototype = "unsigned int ibv_wc_read_wc_flags(struct ibv_cq_ex *cq)", .is_inline = true, .asks = true, .member = offsetof(struct ibv_cq_ex, read_wc_flags), .invoke = do_ibv_wc_read_wc_flags },
	{ "ibv_wc_status_str", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wc_status_str, .result = { .name = "ibv_wc_status_str", .kind = CALL_STRING, .size = 8 }, .prototype = "const char *ibv_wc_status_str(enum ibv_wc_status status)", .asks = true, .invoke = do_ibv_wc_status_str },
	{ "ibv_wr_abort", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_abort, .result = { .name = "ibv_wr_abort", .kind = CALL_VOID }, .prototype = "void ibv_wr_abort(struct ibv_qp_ex *qp)", .is_inline = true, .step = CALL_LAST, .member = offsetof(struct ibv_qp_ex, wr_abort), .invoke = do_ibv_wr_abort },
	{ "ibv_wr_atomic_cmp_swp", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_atomic_cmp_swp, .result = { .name = "ibv_wr_atomic_cmp_swp", .kind = CALL_VOID }, .prototype = "void ibv_wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t compare, uint64_t swap)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_atomic_cmp_swp), .invoke = do_ibv_wr_atomic_cmp_swp },
	{ "ibv_wr_atomic_fetch_add", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_atomic_fetch_add, .result = { .name = "ibv_wr_atomic_fetch_add", .kind = CALL_VOID }, .prototype = "void ibv_wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t add)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_atomic_fetch_add), .invoke = do_ibv_wr_atomic_fetch_add },
	{ "ibv_wr_atomic_write", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_atomic_write, .result = { .name = "ibv_wr_atomic_write", .kind = CALL_VOID }, .prototype = "void ibv_wr_atomic_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, const void *atomic_wr)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_atomic_write), .invoke = do_ibv_wr_atomic_write },
	{ "ibv_wr_bind_mw", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_bind_mw, .result = { .name = "ibv_wr_bind_mw", .kind = CALL_VOID }, .prototype = "void ibv_wr_bind_mw(struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *bind_info)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_bind_mw), .invoke = do_ibv_wr_bind_mw },
	{ "ibv_wr_complete", "infiniband/verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_ibv_wr_complete, .result = { .name = "ibv_wr_complete", .kind = CALL_INT, .size = 4 }, .prototype = "int ibv_wr_complete(struct ibv_qp_ex *qp)", .is_inline = true, .step = CALL_LAST, .member = offsetof(struct ibv_qp_ex, wr_complete), .invoke = do_ibv_wr_complete },
	{ "ibv_wr_flush", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_flush, .result = { .name = "ibv_wr_flush", .kind = CALL_VOID }, .prototype = "void ibv_wr_flush(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, size_t len, uint8_t type, uint8_t level)", .is_inline = true, .since = 56, .member = WR_FLUSH_AT, .invoke = do_ibv_wr_flush },
	{ "ibv_wr_local_inv", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_local_inv, .result = { .name = "ibv_wr_local_inv", .kind = CALL_VOID }, .prototype = "void ibv_wr_local_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_local_inv), .invoke = do_ibv_wr_local_inv },
	{ "ibv_wr_opcode_str", "infiniband/verbs.h", CALL_DATAPATH, RESULT_VALUE, .args = args_ibv_wr_opcode_str, .result = { .name = "ibv_wr_opcode_str", .kind = CALL_STRING, .size = 8 }, .prototype = "const char *ibv_wr_opcode_str(enum ibv_wr_opcode opcode)", .since = 56, .asks = true, .invoke = do_ibv_wr_opcode_str },
	{ "ibv_wr_rdma_read", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_rdma_read, .result = { .name = "ibv_wr_rdma_read", .kind = CALL_VOID }, .prototype = "void ibv_wr_rdma_read(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_rdma_read), .invoke = do_ibv_wr_rdma_read },
	{ "ibv_wr_rdma_write", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_rdma_write, .result = { .name = "ibv_wr_rdma_write", .kind = CALL_VOID }, .prototype = "void ibv_wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_rdma_write), .invoke = do_ibv_wr_rdma_write },
	{ "ibv_wr_rdma_write_imm", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_rdma_write_imm, .result = { .name = "ibv_wr_rdma_write_imm", .kind = CALL_VOID }, .prototype = "void ibv_wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, __be32 imm_data)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_rdma_write_imm), .invoke = do_ibv_wr_rdma_write_imm },
	{ "ibv_wr_send", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_send, .result = { .name = "ibv_wr_send", .kind = CALL_VOID }, .prototype = "void ibv_wr_send(struct ibv_qp_ex *qp)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_send), .invoke = do_ibv_wr_send },
	{ "ibv_wr_send_imm", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_send_imm, .result = { .name = "ibv_wr_send_imm", .kind = CALL_VOID }, .prototype = "void ibv_wr_send_imm(struct ibv_qp_ex *qp, __be32 imm_data)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_send_imm), .invoke = do_ibv_wr_send_imm },
	{ "ibv_wr_send_inv", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_send_inv, .result = { .name = "ibv_wr_send_inv", .kind = CALL_VOID }, .prototype = "void ibv_wr_send_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_send_inv), .invoke = do_ibv_wr_send_inv },
	{ "ibv_wr_send_tso", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_send_tso, .result = { .name = "ibv_wr_send_tso", .kind = CALL_VOID }, .prototype = "void ibv_wr_send_tso(struct ibv_qp_ex *qp, void *hdr, uint16_t hdr_sz, uint16_t mss)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_send_tso), .invoke = do_ibv_wr_send_tso },
	{ "ibv_wr_set_inline_data", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_set_inline_data, .result = { .name = "ibv_wr_set_inline_data", .kind = CALL_VOID }, .prototype = "void ibv_wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_set_inline_data), .invoke = do_ibv_wr_set_inline_data },
	{ "ibv_wr_set_inline_data_list", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_set_inline_data_list, .result = { .name = "ibv_wr_set_inline_data_list", .kind = CALL_VOID }, .prototype = "void ibv_wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t num_buf, const struct ibv_data_buf *buf_list)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_set_inline_data_list), .invoke = do_ibv_wr_set_inline_data_list },
	{ "ibv_wr_set_sge", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_set_sge, .result = { .name = "ibv_wr_set_sge", .kind = CALL_VOID }, .prototype = "void ibv_wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_set_sge), .invoke = do_ibv_wr_set_sge },
	{ "ibv_wr_set_sge_list", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_set_sge_list, .result = { .name = "ibv_wr_set_sge_list", .kind = CALL_VOID }, .prototype = "void ibv_wr_set_sge_list(struct ibv_qp_ex *qp, size_t num_sge, const struct ibv_sge *sg_list)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_set_sge_list), .invoke = do_ibv_wr_set_sge_list },
	{ "ibv_wr_set_ud_addr", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_set_ud_addr, .result = { .name = "ibv_wr_set_ud_addr", .kind = CALL_VOID }, .prototype = "void ibv_wr_set_ud_addr(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t remote_qpn, uint32_t remote_qkey)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_set_ud_addr), .invoke = do_ibv_wr_set_ud_addr },
	{ "ibv_wr_set_xrc_srqn", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_set_xrc_srqn, .result = { .name = "ibv_wr_set_xrc_srqn", .kind = CALL_VOID }, .prototype = "void ibv_wr_set_xrc_srqn(struct ibv_qp_ex *qp, uint32_t remote_srqn)", .is_inline = true, .member = offsetof(struct ibv_qp_ex, wr_set_xrc_srqn), .invoke = do_ibv_wr_set_xrc_srqn },
	{ "ibv_wr_start", "infiniband/verbs.h", CALL_DATAPATH, RESULT_NOTHING, .args = args_ibv_wr_start, .result = { .name = "ibv_wr_start", .kind = CALL_VOID }, .prototype = "void ibv_wr_start(struct ibv_qp_ex *qp)", .is_inline = true, .step = CALL_FIRST, .member = offsetof(struct ibv_qp_ex, wr_start), .invoke = do_ibv_wr_start },
	{ "mbps_to_ibv_rate", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_mbps_to_ibv_rate, .result = { .name = "mbps_to_ibv_rate", .kind = CALL_ENUM, .words = &words_ibv_rate, .size = 4 }, .prototype = "enum ibv_rate mbps_to_ibv_rate(int mbps)", .asks = true, .invoke = do_mbps_to_ibv_rate },
	{ "mult_to_ibv_rate", "infiniband/verbs.h", CALL_SETUP, RESULT_VALUE, .args = args_mult_to_ibv_rate, .result = { .name = "mult_to_ibv_rate", .kind = CALL_ENUM, .words = &words_ibv_rate, .size = 4 }, .prototype = "enum ibv_rate mult_to_ibv_rate(int mult)", .asks = true, .invoke = do_mult_to_ibv_rate },
	{ "rdma_accept", "rdma/rdma_cma.h", CALL_PREPARE, RESULT_STATUS, .args = args_rdma_accept, .result = { .name = "rdma_accept", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)", .is_cm = true, .needs = NEED_DEVICE | NEED_PARAM, .invoke = do_rdma_accept },
	{ "rdma_ack_cm_event", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_ack_cm_event, .result = { .name = "rdma_ack_cm_event", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_ack_cm_event(struct rdma_cm_event *event)", .is_cm = true, .fetches = true, .invoke = do_rdma_ack_cm_event },
	{ "rdma_bind_addr", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_bind_addr, .result = { .name = "rdma_bind_addr", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)", .is_cm = true, .invoke = do_rdma_bind_addr },
	{ "rdma_connect", "rdma/rdma_cma.h", CALL_PREPARE, RESULT_STATUS, .args = args_rdma_connect, .result = { .name = "rdma_connect", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)", .is_cm = true, .needs = NEED_DEVICE | NEED_PARAM, .invoke = do_rdma_connect },
	{ "rdma_create_ep", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_create_ep, .result = { .name = "rdma_create_ep", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_create_ep(struct rdma_cm_id **id, struct rdma_addrinfo *res, struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)", .is_cm = true, .ended_by = "rdma_destroy_ep", .invoke = do_rdma_create_ep },
	{ "rdma_create_event_channel", "rdma/rdma_cma.h", CALL_SETUP, RESULT_POINTER, .args = no_args, .result = { .name = "rdma_create_event_channel", .kind = CALL_OBJECT, .object = OBJECT_EVENT_CHANNEL, .size = 8, .role = CALL_MADE }, .prototype = "struct rdma_event_channel *rdma_create_event_channel()", .is_cm = true, .invoke = do_rdma_create_event_channel },
	{ "rdma_create_id", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_create_id, .result = { .name = "rdma_create_id", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context, enum rdma_port_space ps)", .is_cm = true, .invoke = do_rdma_create_id },
	{ "rdma_create_qp", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_create_qp, .result = { .name = "rdma_create_qp", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr)", .is_cm = true, .needs = NEED_DEVICE, .ties = true, .serves = true, .invoke = do_rdma_create_qp },
	{ "rdma_create_qp_ex", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_create_qp_ex, .result = { .name = "rdma_create_qp_ex", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_create_qp_ex(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *qp_init_attr)", .is_cm = true, .needs = NEED_DEVICE, .ties = true, .serves = true, .invoke = do_rdma_create_qp_ex },
	{ "rdma_create_srq", "rdma/rdma_verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_create_srq, .result = { .name = "rdma_create_srq", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_srq_init_attr *attr)", .is_cm = true, .needs = NEED_DEVICE, .ties = true, .serves = true, .invoke = do_rdma_create_srq },
	{ "rdma_create_srq_ex", "rdma/rdma_verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_create_srq_ex, .result = { .name = "rdma_create_srq_ex", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_create_srq_ex(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr)", .is_cm = true, .needs = NEED_DEVICE, .ties = true, .serves = true, .invoke = do_rdma_create_srq_ex },
	{ "rdma_dereg_mr", "rdma/rdma_verbs.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_dereg_mr, .result = { .name = "rdma_dereg_mr", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_dereg_mr(struct ibv_mr *mr)", .is_inline = true, .is_cm = true, .invoke = do_rdma_dereg_mr },
	{ "rdma_destroy_ep", "rdma/rdma_cma.h", CALL_SETUP, RESULT_NOTHING, .args = args_rdma_destroy_ep, .result = { .name = "rdma_destroy_ep", .kind = CALL_VOID }, .prototype = "void rdma_destroy_ep(struct rdma_cm_id *id)", .is_cm = true, .serves = true, .invoke = do_rdma_destroy_ep },
	{ "rdma_destroy_event_channel", "rdma/rdma_cma.h", CALL_SETUP, RESULT_NOTHING, .args = args_rdma_destroy_event_channel, .result = { .name = "rdma_destroy_event_channel", .kind = CALL_VOID }, .prototype = "void rdma_destroy_event_channel(struct rdma_event_channel *channel)", .is_cm = true, .invoke = do_rdma_destroy_event_channel },
	{ "rdma_destroy_id", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_destroy_id, .result = { .name = "rdma_destroy_id", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_destroy_id(struct rdma_cm_id *id)", .is_cm = true, .needs = NEED_NO_PARTS, .invoke = do_rdma_destroy_id },
	{ "rdma_destroy_qp", "rdma/rdma_cma.h", CALL_SETUP, RESULT_NOTHING, .args = args_rdma_destroy_qp, .result = { .name = "rdma_destroy_qp", .kind = CALL_VOID }, .prototype = "void rdma_destroy_qp(struct rdma_cm_id *id)", .is_cm = true, .needs = NEED_QP, .serves = true, .invoke = do_rdma_destroy_qp },
	{ "rdma_destroy_srq", "rdma/rdma_verbs.h", CALL_SETUP, RESULT_NOTHING, .args = args_rdma_destroy_srq, .result = { .name = "rdma_destroy_srq", .kind = CALL_VOID }, .prototype = "void rdma_destroy_srq(struct rdma_cm_id *id)", .is_cm = true, .needs = NEED_SRQ, .serves = true, .invoke = do_rdma_destroy_srq },
	{ "rdma_disconnect", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_disconnect, .result = { .name = "rdma_disconnect", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_disconnect(struct rdma_cm_id *id)", .is_cm = true, .needs = NEED_DEVICE, .invoke = do_rdma_disconnect },
	{ "rdma_establish", "rdma/rdma_cma.h", CALL_PREPARE, RESULT_STATUS, .args = args_rdma_establish, .result = { .name = "rdma_establish", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_establish(struct rdma_cm_id *id)", .is_cm = true, .invoke = do_rdma_establish },
	{ "rdma_event_str", "rdma/rdma_cma.h", CALL_SETUP, RESULT_VALUE, .args = args_rdma_event_str, .result = { .name = "rdma_event_str", .kind = CALL_STRING, .size = 8 }, .prototype = "const char *rdma_event_str(enum rdma_cm_event_type event)", .is_cm = true, .asks = true, .invoke = do_rdma_event_str },
	{ "rdma_free_devices", "rdma/rdma_cma.h", CALL_SETUP, RESULT_NOTHING, .args = args_rdma_free_devices, .result = { .name = "rdma_free_devices", .kind = CALL_VOID }, .prototype = "void rdma_free_devices(struct ibv_context **list)", .is_cm = true, .asks = true, .invoke = do_rdma_free_devices },
	{ "rdma_freeaddrinfo", "rdma/rdma_cma.h", CALL_SETUP, RESULT_NOTHING, .args = args_rdma_freeaddrinfo, .result = { .name = "rdma_freeaddrinfo", .kind = CALL_VOID }, .prototype = "void rdma_freeaddrinfo(struct rdma_addrinfo *res)", .is_cm = true, .invoke = do_rdma_freeaddrinfo },
	{ "rdma_get_cm_event", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_get_cm_event, .result = { .name = "rdma_get_cm_event", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)", .is_cm = true, .waits = true, .fetches = true, .serves = true, .invoke = do_rdma_get_cm_event },
	{ "rdma_get_devices", "rdma/rdma_cma.h", CALL_SETUP, RESULT_POINTER, .args = args_rdma_get_devices, .result = { .name = "rdma_get_devices", .kind = CALL_OBJECT, .object = OBJECT_CONTEXT_LIST, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_context **rdma_get_devices(int *num_devices)", .is_cm = true, .asks = true, .invoke = do_rdma_get_devices },
	{ "rdma_get_dst_port", "rdma/rdma_cma.h", CALL_SETUP, RESULT_VALUE, .args = args_rdma_get_dst_port, .result = { .name = "rdma_get_dst_port", .kind = CALL_BE, .size = 2 }, .prototype = "__be16 rdma_get_dst_port(struct rdma_cm_id *id)", .is_cm = true, .asks = true, .invoke = do_rdma_get_dst_port },
	{ "rdma_get_local_addr", "rdma/rdma_cma.h", CALL_SETUP, RESULT_VALUE, .args = args_rdma_get_local_addr, .result = { .name = "rdma_get_local_addr", .kind = CALL_SOCKADDR, .size = 8 }, .prototype = "struct sockaddr *rdma_get_local_addr(struct rdma_cm_id *id)", .is_inline = true, .is_cm = true, .asks = true, .invoke = do_rdma_get_local_addr },
	{ "rdma_get_peer_addr", "rdma/rdma_cma.h", CALL_SETUP, RESULT_VALUE, .args = args_rdma_get_peer_addr, .result = { .name = "rdma_get_peer_addr", .kind = CALL_SOCKADDR, .size = 8 }, .prototype = "struct sockaddr *rdma_get_peer_addr(struct rdma_cm_id *id)", .is_inline = true, .is_cm = true, .asks = true, .invoke = do_rdma_get_peer_addr },
	{ "rdma_get_recv_comp", "rdma/rdma_verbs.h", CALL_DATAPATH, RESULT_COUNT, .args = args_rdma_get_recv_comp, .result = { .name = "rdma_get_recv_comp", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_get_recv_comp(struct rdma_cm_id *id, struct ibv_wc *wc)", .is_inline = true, .is_cm = true, .waits = true, .needs = NEED_RECV_CHANNEL, .fetches = true, .invoke = do_rdma_get_recv_comp },
	{ "rdma_get_remote_ece", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_get_remote_ece, .result = { .name = "rdma_get_remote_ece", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_get_remote_ece(struct rdma_cm_id *id, struct ibv_ece *ece)", .is_cm = true, .asks = true, .invoke = do_rdma_get_remote_ece },
	{ "rdma_get_request", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_get_request, .result = { .name = "rdma_get_request", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_get_request(struct rdma_cm_id *listen, struct rdma_cm_id **id)", .is_cm = true, .waits = true, .fetches = true, .serves = true, .ended_by = "rdma_destroy_ep", .invoke = do_rdma_get_request },
	{ "rdma_get_send_comp", "rdma/rdma_verbs.h", CALL_DATAPATH, RESULT_COUNT, .args = args_rdma_get_send_comp, .result = { .name = "rdma_get_send_comp", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_get_send_comp(struct rdma_cm_id *id, struct ibv_wc *wc)", .is_inline = true, .is_cm = true, .waits = true, .needs = NEED_SEND_CHANNEL, .fetches = true, .invoke = do_rdma_get_send_comp },
	{ "rdma_get_src_port", "rdma/rdma_cma.h", CALL_SETUP, RESULT_VALUE, .args = args_rdma_get_src_port, .result = { .name = "rdma_get_src_port", .kind = CALL_BE, .size = 2 }, .prototype = "__be16 rdma_get_src_port(struct rdma_cm_id *id)", .is_cm = true, .asks = true, .invoke = do_rdma_get_src_port },
	{ "rdma_getaddrinfo", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_getaddrinfo, .result = { .name = "rdma_getaddrinfo", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints, struct rdma_addrinfo **res)", .is_cm = true, .invoke = do_rdma_getaddrinfo },
	{ "rdma_init_qp_attr", "rdma/rdma_cma.h", CALL_PREPARE, RESULT_STATUS, .args = args_rdma_init_qp_attr, .result = { .name = "rdma_init_qp_attr", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr, int *qp_attr_mask)", .is_cm = true, .fetches = true, .invoke = do_rdma_init_qp_attr },
	{ "rdma_join_multicast", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_join_multicast, .result = { .name = "rdma_join_multicast", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *addr, void *context)", .is_cm = true, .rule = RULE_MCAST_JOIN, .needs = NEED_DEVICE, .invoke = do_rdma_join_multicast },
	{ "rdma_join_multicast_ex", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_join_multicast_ex, .result = { .name = "rdma_join_multicast_ex", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_join_multicast_ex(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *mc_join_attr, void *context)", .is_cm = true, .rule = RULE_MCAST_JOIN_EX, .needs = NEED_DEVICE, .invoke = do_rdma_join_multicast_ex },
	{ "rdma_leave_multicast", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_leave_multicast, .result = { .name = "rdma_leave_multicast", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr)", .is_cm = true, .rule = RULE_MCAST_LEAVE, .needs = NEED_DEVICE, .invoke = do_rdma_leave_multicast },
	{ "rdma_listen", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_listen, .result = { .name = "rdma_listen", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_listen(struct rdma_cm_id *id, int backlog)", .is_cm = true, .invoke = do_rdma_listen },
	{ "rdma_migrate_id", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_migrate_id, .result = { .name = "rdma_migrate_id", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)", .is_cm = true, .ties = true, .serves = true, .invoke = do_rdma_migrate_id },
	{ "rdma_notify", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_notify, .result = { .name = "rdma_notify", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type event)", .is_cm = true, .invoke = do_rdma_notify },
	{ "rdma_post_read", "rdma/rdma_verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_rdma_post_read, .result = { .name = "rdma_post_read", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_post_read(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr, int flags, uint64_t remote_addr, uint32_t rkey)", .is_inline = true, .is_cm = true, .needs = NEED_QP, .invoke = do_rdma_post_read },
	{ "rdma_post_readv", "rdma/rdma_verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_rdma_post_readv, .result = { .name = "rdma_post_readv", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_post_readv(struct rdma_cm_id *id, void *context, struct ibv_sge *sgl, int nsge, int flags, uint64_t remote_addr, uint32_t rkey)", .is_inline = true, .is_cm = true, .needs = NEED_QP, .invoke = do_rdma_post_readv },
	{ "rdma_post_recv", "rdma/rdma_verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_rdma_post_recv, .result = { .name = "rdma_post_recv", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_post_recv(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr)", .is_inline = true, .is_cm = true, .rule = RULE_WITHIN_MR, .needs = NEED_RECEIVES, .invoke = do_rdma_post_recv },
	{ "rdma_post_recvv", "rdma/rdma_verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_rdma_post_recvv, .result = { .name = "rdma_post_recvv", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_post_recvv(struct rdma_cm_id *id, void *context, struct ibv_sge *sgl, int nsge)", .is_inline = true, .is_cm = true, .needs = NEED_RECEIVES, .invoke = do_rdma_post_recvv },
	{ "rdma_post_send", "rdma/rdma_verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_rdma_post_send, .result = { .name = "rdma_post_send", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_post_send(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr, int flags)", .is_inline = true, .is_cm = true, .needs = NEED_QP, .invoke = do_rdma_post_send },
	{ "rdma_post_sendv", "rdma/rdma_verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_rdma_post_sendv, .result = { .name = "rdma_post_sendv", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_post_sendv(struct rdma_cm_id *id, void *context, struct ibv_sge *sgl, int nsge, int flags)", .is_inline = true, .is_cm = true, .needs = NEED_QP, .invoke = do_rdma_post_sendv },
	{ "rdma_post_ud_send", "rdma/rdma_verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_rdma_post_ud_send, .result = { .name = "rdma_post_ud_send", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_post_ud_send(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr, int flags, struct ibv_ah *ah, uint32_t remote_qpn)", .is_inline = true, .is_cm = true, .needs = NEED_QP, .invoke = do_rdma_post_ud_send },
	{ "rdma_post_write", "rdma/rdma_verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_rdma_post_write, .result = { .name = "rdma_post_write", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_post_write(struct rdma_cm_id *id, void *context, void *addr, size_t length, struct ibv_mr *mr, int flags, uint64_t remote_addr, uint32_t rkey)", .is_inline = true, .is_cm = true, .needs = NEED_QP, .invoke = do_rdma_post_write },
	{ "rdma_post_writev", "rdma/rdma_verbs.h", CALL_DATAPATH, RESULT_STATUS, .args = args_rdma_post_writev, .result = { .name = "rdma_post_writev", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_post_writev(struct rdma_cm_id *id, void *context, struct ibv_sge *sgl, int nsge, int flags, uint64_t remote_addr, uint32_t rkey)", .is_inline = true, .is_cm = true, .needs = NEED_QP, .invoke = do_rdma_post_writev },
	{ "rdma_reg_msgs", "rdma/rdma_verbs.h", CALL_PREPARE, RESULT_POINTER, .args = args_rdma_reg_msgs, .result = { .name = "rdma_reg_msgs", .kind = CALL_OBJECT, .object = OBJECT_MR, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_mr *rdma_reg_msgs(struct rdma_cm_id *id, void *addr, size_t length)", .is_inline = true, .is_cm = true, .needs = NEED_PD, .invoke = do_rdma_reg_msgs },
	{ "rdma_reg_read", "rdma/rdma_verbs.h", CALL_PREPARE, RESULT_POINTER, .args = args_rdma_reg_read, .result = { .name = "rdma_reg_read", .kind = CALL_OBJECT, .object = OBJECT_MR, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_mr *rdma_reg_read(struct rdma_cm_id *id, void *addr, size_t length)", .is_inline = true, .is_cm = true, .needs = NEED_PD, .invoke = do_rdma_reg_read },
	{ "rdma_reg_write", "rdma/rdma_verbs.h", CALL_PREPARE, RESULT_POINTER, .args = args_rdma_reg_write, .result = { .name = "rdma_reg_write", .kind = CALL_OBJECT, .object = OBJECT_MR, .size = 8, .role = CALL_MADE }, .prototype = "struct ibv_mr *rdma_reg_write(struct rdma_cm_id *id, void *addr, size_t length)", .is_inline = true, .is_cm = true, .needs = NEED_PD, .invoke = do_rdma_reg_write },
	{ "rdma_reject", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_reject, .result = { .name = "rdma_reject", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_reject(struct rdma_cm_id *id, const void *private_data, uint8_t private_data_len)", .is_cm = true, .invoke = do_rdma_reject },
	{ "rdma_reject_ece", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_reject_ece, .result = { .name = "rdma_reject_ece", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_reject_ece(struct rdma_cm_id *id, const void *private_data, uint8_t private_data_len)", .is_cm = true, .invoke = do_rdma_reject_ece },
	{ "rdma_resolve_addr", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_resolve_addr, .result = { .name = "rdma_resolve_addr", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr, struct sockaddr *dst_addr, int timeout_ms)", .is_cm = true, .invoke = do_rdma_resolve_addr },
	{ "rdma_resolve_route", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_resolve_route, .result = { .name = "rdma_resolve_route", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)", .is_cm = true, .needs = NEED_DEVICE | NEED_ADDRESS, .invoke = do_rdma_resolve_route },
	{ "rdma_set_local_ece", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_set_local_ece, .result = { .name = "rdma_set_local_ece", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_set_local_ece(struct rdma_cm_id *id, struct ibv_ece *ece)", .is_cm = true, .invoke = do_rdma_set_local_ece },
	{ "rdma_set_option", "rdma/rdma_cma.h", CALL_SETUP, RESULT_STATUS, .args = args_rdma_set_option, .result = { .name = "rdma_set_option", .kind = CALL_INT, .size = 4 }, .prototype = "int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval, size_t optlen)", .is_cm = true, .invoke = do_rdma_set_option },
	{ 0 }
};

const unsigned call_count = sizeof call_table / sizeof *call_table - 1;

const struct call_object_type call_objects[OBJECT_KINDS] = {
	[OBJECT_DEVICE] = { "ibv_device", "device", NULL, NULL },
	[OBJECT_CONTEXT] = { "ibv_context", "context", NULL, "ibv_close_device" },
	[OBJECT_PD] = { "ibv_pd", "pd", NULL, "ibv_dealloc_pd" },
	[OBJECT_TD] = { "ibv_td", "td", NULL, "ibv_dealloc_td" },
	[OBJECT_XRCD] = { "ibv_xrcd", "xrcd", NULL, "ibv_close_xrcd" },
	[OBJECT_MR] = { "ibv_mr", "mr", &struct_ibv_mr, "ibv_dereg_mr" },
	[OBJECT_MW] = { "ibv_mw", "mw", &struct_ibv_mw, "ibv_dealloc_mw" },
	[OBJECT_COMP_CHANNEL] = { "ibv_comp_channel", "comp_channel", NULL, "ibv_destroy_comp_channel" },
	[OBJECT_CQ] = { "ibv_cq", "cq", NULL, "ibv_destroy_cq" },
	[OBJECT_CQ_EX] = { "ibv_cq_ex", "cq_ex", &struct_ibv_cq_ex, "ibv_destroy_cq" },
	[OBJECT_SRQ] = { "ibv_srq", "srq", NULL, "ibv_destroy_srq" },
	[OBJECT_WQ] = { "ibv_wq", "wq", &struct_ibv_wq, "ibv_destroy_wq" },
	[OBJECT_RWQ_IND_TABLE] = { "ibv_rwq_ind_table", "rwq_ind_table", &struct_ibv_rwq_ind_table, "ibv_destroy_rwq_ind_table" },
	[OBJECT_QP] = { "ibv_qp", "qp", NULL, "ibv_destroy_qp" },
	[OBJECT_QP_EX] = { "ibv_qp_ex", "qp_ex", &struct_ibv_qp_ex, NULL },
	[OBJECT_AH] = { "ibv_ah", "ah", &struct_ibv_ah, "ibv_destroy_ah" },
	[OBJECT_FLOW] = { "ibv_flow", "flow", NULL, "ibv_destroy_flow" },
	[OBJECT_FLOW_ACTION] = { "ibv_flow_action", "flow_action", NULL, "ibv_destroy_flow_action" },
	[OBJECT_DM] = { "ibv_dm", "dm", &struct_ibv_dm, "ibv_free_dm" },
	[OBJECT_COUNTERS] = { "ibv_counters", "counters", NULL, "ibv_destroy_counters" },
	[OBJECT_ASYNC_EVENT] = { "ibv_async_event", "async_event", &struct_ibv_async_event, "ibv_ack_async_event" },
	[OBJECT_EVENT_CHANNEL] = { "rdma_event_channel", "event_channel", NULL, "rdma_destroy_event_channel" },
	[OBJECT_CM_ID] = { "rdma_cm_id", "cm_id", NULL, "rdma_destroy_id" },
	[OBJECT_CM_EVENT] = { "rdma_cm_event", "cm_event", &struct_rdma_cm_event, "rdma_ack_cm_event" },
	[OBJECT_ADDRINFO] = { "rdma_addrinfo", "addrinfo", &struct_rdma_addrinfo, "rdma_freeaddrinfo" },
	[OBJECT_DEVICE_LIST] = { "ibv_device_list", "device_list", NULL, "ibv_free_device_list" },
	[OBJECT_CONTEXT_LIST] = { "ibv_context_list", "context_list", NULL, "rdma_free_devices" },
};
