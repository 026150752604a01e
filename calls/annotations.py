# SPDX-License-Identifier: MIT
"""What the headers cannot say of functions and structs: read by describe.py."""
import re

HEADERS = ["infiniband/verbs.h", "rdma/rdma_cma.h", "rdma/rdma_verbs.h"]
RELEASE = 56

# Functions that a header needs for itself.
OWN = {"___ibv_query_port", "__ibv_reg_mr", "__ibv_reg_mr_iova", "_ibv_query_gid_ex",
       "_ibv_query_gid_table", "rdma_seterrno", "verbs_get_ctx"}

# Why `call` must leave a function alone, though it is described.
WHY = {
    "ibv_import_device": "it takes a descriptor of another process",
    "ibv_reg_dmabuf_mr": "it takes a descriptor of memory of another driver",
}

DATAPATH = re.compile(r"ibv_(wr|wc)_|ibv_(post|poll|req_notify|start_poll|next_poll|end_poll|bind_mw|"
                      r"get_cq_event|ack_cq_events)|rdma_(post|get_send_comp|get_recv_comp)")
PREPARE = re.compile(r"ibv_(modify|reg|rereg|create_ah|advise|open_qp|attach_counters|memcpy|"
                     r"alloc_null)|rdma_(reg|connect|establish|accept|init_qp_attr)")
WAITS = {"ibv_get_async_event", "ibv_get_cq_event", "rdma_get_cm_event", "rdma_get_request",
         "rdma_get_send_comp", "rdma_get_recv_comp"}

# Results that are not what their type says.
COUNT = {"ibv_poll_cq", "ibv_query_gid_table", "ibv_get_pkey_index",
         "rdma_get_send_comp", "rdma_get_recv_comp"}
VALUE = re.compile(r"ibv_(rate_to|is_|inc_rkey|wc_read|flow_label)|mult_to|mbps_to|rdma_get_(src|dst)_port|"
                   r"ibv_query_qp_data_in_order|.*_str$|ibv_get_device_(name|guid|index)|rdma_get_(local|peer)_addr")
FOUND = {"ibv_qp_to_qp_ex", "ibv_cq_ex_to_cq"}

GONE = {"ibv_ack_async_event": "event", "rdma_ack_cm_event": "event", "rdma_dereg_mr": "mr",
        "ibv_close_device": "context", "rdma_destroy_ep": "id", "rdma_destroy_id": "id",
        "rdma_freeaddrinfo": "res", "rdma_destroy_event_channel": "channel",
        "ibv_free_device_list": "list", "rdma_free_devices": "list", "ibv_close_xrcd": "xrcd"}
GONE_RE = re.compile(r"ibv_(destroy|dealloc|dereg|free|unimport)_")

# The function that ends an object of each kind, and what makers have another one.
ENDED_BY = {
    "ibv_context": "ibv_close_device", "ibv_pd": "ibv_dealloc_pd", "ibv_td": "ibv_dealloc_td",
    "ibv_xrcd": "ibv_close_xrcd", "ibv_mr": "ibv_dereg_mr", "ibv_mw": "ibv_dealloc_mw",
    "ibv_comp_channel": "ibv_destroy_comp_channel", "ibv_cq": "ibv_destroy_cq",
    "ibv_cq_ex": "ibv_destroy_cq", "ibv_srq": "ibv_destroy_srq", "ibv_wq": "ibv_destroy_wq",
    "ibv_rwq_ind_table": "ibv_destroy_rwq_ind_table", "ibv_qp": "ibv_destroy_qp",
    "ibv_ah": "ibv_destroy_ah", "ibv_flow": "ibv_destroy_flow",
    "ibv_flow_action": "ibv_destroy_flow_action", "ibv_dm": "ibv_free_dm",
    "ibv_counters": "ibv_destroy_counters", "ibv_async_event": "ibv_ack_async_event",
    "rdma_event_channel": "rdma_destroy_event_channel", "rdma_cm_id": "rdma_destroy_id",
    "rdma_cm_event": "rdma_ack_cm_event", "rdma_addrinfo": "rdma_freeaddrinfo",
    "ibv_device_list": "ibv_free_device_list", "ibv_context_list": "rdma_free_devices",
}
ENDED_ELSE = {
    "ibv_import_pd": "ibv_unimport_pd", "ibv_import_mr": "ibv_unimport_mr",
    "ibv_import_dm": "ibv_unimport_dm", "rdma_create_ep": "rdma_destroy_ep",
    "rdma_get_request": "rdma_destroy_ep",
}

# What functions take for granted: enum call_step, call_need and call_rule of calls.h.
STEP = {"ibv_wr_start": "FIRST", "ibv_wr_complete": "LAST", "ibv_wr_abort": "LAST",
        "ibv_start_poll": "FIRST", "ibv_next_poll": "NEXT", "ibv_end_poll": "LAST"}
RULE = {
    "ibv_create_qp": "QP_INIT", "ibv_create_qp_ex": "QP_INIT_EX", "ibv_create_srq_ex": "SRQ_INIT_EX",
    "ibv_bind_mw": "MW_BIND", "ibv_init_ah_from_wc": "WC_GRH", "ibv_create_ah_from_wc": "WC_GRH",
    "rdma_post_recv": "WITHIN_MR", "ibv_ack_cq_events": "CQ_EVENTS", "ibv_is_qpt_supported": "QPT_BIT",
    "ibv_unimport_pd": "IMPORTED", "ibv_unimport_mr": "IMPORTED", "ibv_unimport_dm": "IMPORTED",
    "ibv_reg_mr": "REG_PLAIN", "ibv_create_ah": "AH_PLAIN", "ibv_attach_mcast": "MCAST_ATTACH",
    "ibv_detach_mcast": "MCAST_DETACH", "rdma_join_multicast": "MCAST_JOIN",
    "rdma_join_multicast_ex": "MCAST_JOIN_EX", "rdma_leave_multicast": "MCAST_LEAVE",
}
NEEDS = {
    "QP": "destroy_qp post_sendv post_send post_read post_readv post_write post_writev post_ud_send",
    "PD": "reg_msgs reg_read reg_write",
    "DEVICE": "create_qp create_qp_ex create_srq create_srq_ex connect accept resolve_route disconnect "
              "join_multicast join_multicast_ex leave_multicast",
    "SRQ": "destroy_srq",
    "RECEIVES": "post_recv post_recvv",
    "SEND_CHANNEL": "get_send_comp", "RECV_CHANNEL": "get_recv_comp",
    "PARAM": "connect accept",
    "ADDRESS": "resolve_route",
    "NO_PARTS": "destroy_id",
}
TIES = {"rdma_migrate_id", "rdma_create_qp", "rdma_create_qp_ex", "rdma_create_srq", "rdma_create_srq_ex"}
SERVES = TIES | {"rdma_destroy_qp", "rdma_destroy_srq", "rdma_destroy_ep", "rdma_get_request",
                 "rdma_get_cm_event", "ibv_get_async_event", "ibv_get_cq_event"}

# What only looks: the program goes on the same without it.
ASKS = re.compile(r"ibv_query_|ibv_get_(device|pkey|srq)|ibv_(rate|is_|inc_rkey|flow_label|wc_read|resolve_eth|"
                  r"qp_to_qp_ex|cq_ex_to_cq|free_device_list|read_counters|init_ah_from_wc)|mult_to|mbps_to|.*_str$|"
                  r"rdma_(get_(src|dst|local|peer|devices|remote_ece)|free_devices)")

# What has come is taken, or given back: that it came, the result tells.
FETCHES = {"ibv_poll_cq", "ibv_get_cq_event", "ibv_ack_cq_events", "ibv_get_async_event", "ibv_ack_async_event",
           "rdma_get_cm_event", "rdma_ack_cm_event", "rdma_get_request", "rdma_get_send_comp",
           "rdma_get_recv_comp", "rdma_init_qp_attr"}

# Arguments: function.argument, or the argument wherever it is.
ARGS = {
    "access": "flags ibv_access_flags",
    "ibv_modify_srq.srq_attr_mask": "mask srq_attr ibv_srq_attr_mask",
    "ibv_modify_qp.attr_mask": "mask attr ibv_qp_attr_mask",
    "ibv_query_qp.attr_mask": "mask attr ibv_qp_attr_mask",
    "ibv_rereg_mr.flags": "flags ibv_rereg_mr_flags",
    "ibv_rereg_mr.pd": "optional",
    "ibv_rereg_mr.addr": "address length optional",
    "ibv_query_qp_data_in_order.flags": "flags ibv_query_qp_data_in_order_flags",
    "ibv_query_qp_data_in_order.op": "enum ibv_wr_opcode",
    "ibv_advise_mr.flags": "flags ib_uverbs_advise_mr_flag",
    "ibv_advise_mr.sg_list": "list num_sge",
    "ibv_wr_set_sge_list.sg_list": "list num_sge",
    "ibv_wr_set_inline_data_list.buf_list": "list num_buf",
    "ibv_wr_set_inline_data.addr": "address length",
    "ibv_wr_set_sge.addr": "iova length",
    "ibv_wr_send_tso.hdr": "data hdr_sz",
    "ibv_wr_atomic_write.atomic_wr": "address 8",
    "ibv_wr_flush.type": "flags ibv_placement_type",
    "ibv_wr_flush.level": "enum ibv_selectivity_level",
    "remote_qpn": "qpn",
    "remote_addr": "remote", "lkey": "key", "rkey": "key", "invalidate_rkey": "key",
    "ibv_inc_rkey.rkey": "key",
    "ibv_poll_cq.wc": "out list num_entries",
    "ibv_query_gid_table.entries": "out list max_entries",
    "ibv_read_counters.counters_value": "out list ncounters",
    "ibv_read_counters.flags": "flags ibv_read_counters_flags",
    "ibv_start_poll.attr": "optional",
    "ibv_query_device_ex.input": "optional",
    "ibv_create_cq.channel": "optional",
    "ibv_memcpy_to_dm.host_addr": "address length",
    "ibv_memcpy_from_dm.host_addr": "address length",
    "addr": "address length",
    "cq_context": "cookie", "context": "cookie",
    "ibv_get_cq_event.cq": "found", "ibv_get_cq_event.cq_context": "out cookie",
    "ibv_get_async_event.event": "made",
    "num_devices": "cookie",
    "ibv_is_qpt_supported.caps": "flags -",
    "ibv_import_device.cmd_fd": "fd", "ibv_reg_dmabuf_mr.fd": "fd",
    "private_data": "data private_data_len optional",
    "rdma_set_option.optval": "data optlen",
    "rdma_getaddrinfo.node": "optional", "rdma_getaddrinfo.service": "optional",
    "rdma_getaddrinfo.hints": "optional",
    "rdma_create_ep.pd": "optional", "rdma_create_ep.qp_init_attr": "optional",
    "rdma_create_qp.pd": "optional", "rdma_create_srq.pd": "optional",
    "rdma_resolve_addr.src_addr": "optional",
    "conn_param": "optional",
    "sgl": "list nsge",
    "rdma_verbs.flags": "flags ibv_send_flags",
    "rdma_verbs.context": "u64",
    "rdma_post_send.mr": "optional", "rdma_post_write.mr": "optional",
    "rdma_post_ud_send.mr": "optional",
    "ibv_create_ah_from_wc.grh": "optional", "ibv_init_ah_from_wc.grh": "optional",
}
OUT = {"ibv_query_device.device_attr", "ibv_query_device_ex.attr", "ibv_query_port.port_attr",
       "ibv_query_gid.gid", "ibv_query_gid_ex.entry", "ibv_query_pkey.pkey", "ibv_query_srq.srq_attr",
       "ibv_get_srq_num.srq_num", "ibv_query_qp.attr", "ibv_query_qp.init_attr",
       "ibv_init_ah_from_wc.ah_attr", "ibv_query_ece.ece", "ibv_wc_read_tm_info.tm_info",
       "ibv_resolve_eth_l2_from_gid.eth_mac", "ibv_resolve_eth_l2_from_gid.vid",
       "rdma_init_qp_attr.qp_attr", "rdma_init_qp_attr.qp_attr_mask", "rdma_get_remote_ece.ece",
       "rdma_get_send_comp.wc", "rdma_get_recv_comp.wc"}
# The caller says first what it wants to know; the same struct comes back.
INOUT = {"ibv_query_rt_values_ex.values"}

# Structs that are linked by next.
CHAINED = {"ibv_send_wr", "ibv_recv_wr", "ibv_ops_wr"}

# Fields: struct.field; "optional" of an object: NULL is right.
FIELDS = {
    "comp_mask": "",
    "qp_num": "qpn",
    "ibv_gid_entry.gid_type": "enum ibv_gid_type_",
    "ibv_device_attr.device_cap_flags": "flags ibv_device_cap_flags",
    "ibv_device_attr_ex.raw_packet_caps": "flags ibv_raw_packet_caps",
    "ibv_tm_caps.flags": "flags ibv_tm_cap_flags",
    "ibv_odp_caps.general_caps": "flags ibv_odp_general_caps",
    "ibv_odp_caps.per_transport_caps.rc_odp_caps": "flags ibv_odp_transport_cap_bits",
    "ibv_odp_caps.per_transport_caps.uc_odp_caps": "flags ibv_odp_transport_cap_bits",
    "ibv_odp_caps.per_transport_caps.ud_odp_caps": "flags ibv_odp_transport_cap_bits",
    "ibv_device_attr_ex.xrc_odp_caps": "flags ibv_odp_transport_cap_bits",
    "ibv_rss_caps.rx_hash_fields_mask": "flags ibv_rx_hash_fields",
    "ibv_rss_caps.rx_hash_function": "flags ibv_rx_hash_function_flags",
    "ibv_rx_hash_conf.rx_hash_fields_mask": "flags ibv_rx_hash_fields",
    "ibv_rx_hash_conf.rx_hash_function": "flags ibv_rx_hash_function_flags",
    "ibv_rx_hash_conf.rx_hash_key": "data rx_hash_key_len",
    "ibv_port_attr.port_cap_flags": "flags ibv_port_cap_flags",
    "ibv_port_attr.port_cap_flags2": "flags ibv_port_cap_flags2",
    "ibv_port_attr.link_layer": "enum IBV_LINK_LAYER_UNSPECIFIED",
    "ibv_mw_bind_info.mw_access_flags": "flags ibv_access_flags",
    "ibv_mw_bind_info.addr": "iova length",
    "ibv_mw_bind_info.mr": "optional",
    "ibv_mw_bind.send_flags": "flags ibv_send_flags",
    "ibv_ah_attr.static_rate": "enum ibv_rate",
    "ibv_wc.wc_flags": "flags ibv_wc_flags when status SUCCESS",
    "ibv_wc.opcode": "when status SUCCESS",
    "ibv_wc.byte_len": "when status SUCCESS",
    "ibv_wc.imm_data": "when wc_flags WITH_IMM",
    "ibv_wc.invalidated_rkey": "when wc_flags WITH_INV",
    "ibv_wc.src_qp": "when wc_flags GRH", "ibv_wc.slid": "when wc_flags GRH",
    "ibv_wc.pkey_index": "when wc_flags GRH", "ibv_wc.sl": "when wc_flags GRH",
    "ibv_wc.dlid_path_bits": "when wc_flags GRH",
    "ibv_async_event.element.cq": "when event_type CQ_ERR",
    "ibv_async_event.element.qp": "when event_type QP_FATAL QP_REQ_ERR QP_ACCESS_ERR COMM_EST "
                                  "SQ_DRAINED PATH_MIG PATH_MIG_ERR QP_LAST_WQE_REACHED",
    "ibv_async_event.element.srq": "when event_type SRQ_ERR SRQ_LIMIT_REACHED",
    "ibv_async_event.element.wq": "when event_type WQ_FATAL",
    "ibv_async_event.element.port_num": "when event_type PORT_ACTIVE PORT_ERR LID_CHANGE "
                                        "PKEY_CHANGE SM_CHANGE CLIENT_REREGISTER GID_CHANGE",
    "ibv_send_wr.send_flags": "flags ibv_send_flags",
    "ibv_send_wr.imm_data": "when opcode RDMA_WRITE_WITH_IMM SEND_WITH_IMM",
    "ibv_send_wr.invalidate_rkey": "key when opcode SEND_WITH_INV LOCAL_INV",
    "ibv_send_wr.wr.rdma.remote_addr": "remote when opcode RDMA_WRITE RDMA_WRITE_WITH_IMM RDMA_READ "
                                       "ATOMIC_WRITE FLUSH",
    "ibv_send_wr.wr.rdma.rkey": "key when opcode RDMA_WRITE RDMA_WRITE_WITH_IMM RDMA_READ "
                                "ATOMIC_WRITE FLUSH",
    "ibv_send_wr.wr.atomic.remote_addr": "remote when opcode ATOMIC_CMP_AND_SWP ATOMIC_FETCH_AND_ADD",
    "ibv_send_wr.wr.atomic.compare_add": "when opcode ATOMIC_CMP_AND_SWP ATOMIC_FETCH_AND_ADD",
    "ibv_send_wr.wr.atomic.swap": "when opcode ATOMIC_CMP_AND_SWP",
    "ibv_send_wr.wr.atomic.rkey": "key when opcode ATOMIC_CMP_AND_SWP ATOMIC_FETCH_AND_ADD",
    "ibv_send_wr.wr.ud.ah": "when opcode SEND SEND_WITH_IMM TSO of UD",
    "ibv_send_wr.wr.ud.remote_qpn": "qpn when opcode SEND SEND_WITH_IMM TSO of UD",
    "ibv_send_wr.wr.ud.remote_qkey": "when opcode SEND SEND_WITH_IMM TSO of UD",
    "ibv_send_wr.qp_type.xrc.remote_srqn": "of XRC_SEND",
    "ibv_send_wr.bind_mw.mw": "when opcode BIND_MW",
    "ibv_send_wr.bind_mw.rkey": "when opcode BIND_MW",
    "ibv_send_wr.bind_mw.bind_info": "when opcode BIND_MW",
    "ibv_send_wr.tso.hdr": "data tso.hdr_sz when opcode TSO",
    "ibv_send_wr.tso.hdr_sz": "when opcode TSO",
    "ibv_send_wr.tso.mss": "when opcode TSO",
    "ibv_send_wr.sg_list": "list num_sge", "ibv_recv_wr.sg_list": "list num_sge",
    "ibv_ops_wr.tm.add.sg_list": "list tm.add.num_sge",
    "ibv_ops_wr.flags": "flags ibv_ops_flags",
    "ibv_ops_wr.tm.handle": "when opcode TAG_DEL",
    "ibv_ops_wr.tm.add.recv_wr_id": "when opcode TAG_ADD",
    "ibv_ops_wr.tm.add.tag": "when opcode TAG_ADD", "ibv_ops_wr.tm.add.mask": "when opcode TAG_ADD",
    "ibv_sge.addr": "iova length", "ibv_sge.lkey": "key",
    "ibv_data_buf.addr": "address length",
    "ibv_qp_init_attr.srq": "optional",
    "ibv_qp_init_attr.send_cq": "optional", "ibv_qp_init_attr.recv_cq": "optional",
    "ibv_qp_init_attr_ex.srq": "optional",
    "ibv_qp_init_attr_ex.send_cq": "optional", "ibv_qp_init_attr_ex.recv_cq": "optional",
    "ibv_qp_init_attr_ex.pd": "when comp_mask PD",
    "ibv_qp_init_attr_ex.xrcd": "when comp_mask XRCD",
    "ibv_qp_init_attr_ex.create_flags": "flags ibv_qp_create_flags when comp_mask CREATE_FLAGS",
    "ibv_qp_init_attr_ex.max_tso_header": "when comp_mask MAX_TSO_HEADER",
    "ibv_qp_init_attr_ex.rwq_ind_tbl": "when comp_mask IND_TABLE",
    "ibv_qp_init_attr_ex.rx_hash_conf": "when comp_mask RX_HASH",
    "ibv_qp_init_attr_ex.source_qpn": "when create_flags SOURCE_QPN",
    "ibv_qp_init_attr_ex.send_ops_flags":
        "flags ibv_qp_create_send_ops_flags when comp_mask SEND_OPS_FLAGS",
    "ibv_qp_init_attr_ex.comp_mask": "flags ibv_qp_init_attr_mask",
    "ibv_qp_ex.wr_flags": "flags ibv_send_flags",
    "ibv_qp_open_attr.comp_mask": "flags ibv_qp_open_attr_mask",
    "ibv_qp_open_attr.qp_num": "qpn when comp_mask NUM", "ibv_qp_open_attr.xrcd": "when comp_mask XRCD",
    "ibv_qp_open_attr.qp_type": "when comp_mask TYPE",
    "ibv_srq_init_attr_ex.comp_mask": "flags ibv_srq_init_attr_mask",
    "ibv_srq_init_attr_ex.srq_type": "when comp_mask TYPE", "ibv_srq_init_attr_ex.pd": "when comp_mask PD",
    "ibv_srq_init_attr_ex.xrcd": "when comp_mask XRCD", "ibv_srq_init_attr_ex.cq": "when comp_mask CQ",
    "ibv_srq_init_attr_ex.tm_cap": "when comp_mask TM",
    "ibv_srq_attr.max_wr": "bit IBV_SRQ_MAX_WR", "ibv_srq_attr.srq_limit": "bit IBV_SRQ_LIMIT",
    "ibv_cq_init_attr_ex.channel": "optional",
    "ibv_cq_init_attr_ex.wc_flags": "flags ibv_create_cq_wc_flags",
    "ibv_cq_init_attr_ex.comp_mask": "flags ibv_cq_init_attr_mask",
    "ibv_cq_init_attr_ex.flags": "flags ibv_create_cq_attr_flags when comp_mask FLAGS",
    "ibv_cq_init_attr_ex.parent_domain": "when comp_mask PD",
    "ibv_modify_cq_attr.attr_mask": "flags ibv_cq_attr_mask",
    "ibv_modify_cq_attr.moderate": "when attr_mask MODERATE",
    "ibv_wq_init_attr.comp_mask": "flags ibv_wq_init_attr_mask",
    "ibv_wq_init_attr.create_flags": "flags ibv_wq_flags when comp_mask FLAGS",
    "ibv_wq_attr.attr_mask": "flags ibv_wq_attr_mask", "ibv_wq_attr.wq_state": "when attr_mask STATE",
    "ibv_wq_attr.curr_wq_state": "when attr_mask CURR_STATE",
    "ibv_wq_attr.flags": "flags ibv_wq_flags when attr_mask FLAGS",
    "ibv_wq_attr.flags_mask": "flags ibv_wq_flags when attr_mask FLAGS",
    "ibv_rwq_ind_table_init_attr.ind_tbl": "list .log_ind_tbl_size",
    "ibv_xrcd_init_attr.comp_mask": "flags ibv_xrcd_init_attr_mask",
    "ibv_xrcd_init_attr.fd": "fd when comp_mask FD",
    "ibv_xrcd_init_attr.oflags": "flags O_ when comp_mask OFLAGS",
    "ibv_parent_domain_init_attr.comp_mask": "flags ibv_parent_domain_init_attr_mask",
    "ibv_parent_domain_init_attr.td": "optional",
    "ibv_values_ex.comp_mask": "flags ibv_values_mask",
    "ibv_values_ex.raw_clock": "when comp_mask RAW_CLOCK",
    "ibv_flow_attr.flags": "flags ibv_flow_flags",
    "ibv_flow_attr.num_of_specs": "counts specs", "ibv_flow_attr.size": "counts specs",
    "ibv_flow_spec.eth": "when hdr.type ETH", "ibv_flow_spec.ipv4": "when hdr.type IPV4",
    "ibv_flow_spec.tcp_udp": "when hdr.type TCP UDP", "ibv_flow_spec.ipv4_ext": "when hdr.type IPV4_EXT",
    "ibv_flow_spec.ipv6": "when hdr.type IPV6", "ibv_flow_spec.esp": "when hdr.type ESP",
    "ibv_flow_action_esp_attr.keymat_ptr": "data keymat_len",
    "ibv_flow_action_esp_attr.replay_ptr": "data replay_len",
    "ibv_flow_action_esp_attr.esp_encap": "cookie",
    "rdma_conn_param.private_data": "data private_data_len",
    "rdma_ud_param.private_data": "data private_data_len",
    "rdma_cm_join_mc_attr_ex.comp_mask": "flags rdma_cm_join_mc_attr_mask",
    "rdma_cm_join_mc_attr_ex.join_flags": "enum rdma_cm_mc_join_flags when comp_mask JOIN_FLAGS",
    "rdma_cm_join_mc_attr_ex.addr": "when comp_mask ADDRESS",
    "rdma_addrinfo.ai_flags": "flags RAI_",
    "rdma_addrinfo.ai_qp_type": "enum ibv_qp_type", "rdma_addrinfo.ai_port_space": "enum rdma_port_space",
    "rdma_addrinfo.ai_family": "enum AF_",
    "rdma_addrinfo.ai_src_addr": "sockaddr ai_src_len", "rdma_addrinfo.ai_dst_addr": "sockaddr ai_dst_len",
    "rdma_addrinfo.ai_route": "data ai_route_len", "rdma_addrinfo.ai_connect": "data ai_connect_len",
    "rdma_addrinfo.ai_next": "cookie",
    "rdma_cm_event.listen_id": "optional",
    "qp_access_flags": "flags ibv_access_flags",
}
# The bit of a QP's attribute, where its name is not enough.
QP_BITS = {
    "qp_state": "STATE", "cur_qp_state": "CUR_STATE", "path_mig_state": "PATH_MIG_STATE",
    "dest_qp_num": "DEST_QPN qpn", "qp_access_flags": "ACCESS_FLAGS", "ah_attr": "AV",
    "alt_ah_attr": "ALT_PATH", "alt_pkey_index": "ALT_PATH", "alt_port_num": "ALT_PATH",
    "alt_timeout": "ALT_PATH", "en_sqd_async_notify": "EN_SQD_ASYNC_NOTIFY", "sq_draining": None,
    "max_rd_atomic": "MAX_QP_RD_ATOMIC", "port_num": "PORT",
}
# Flag sets and enums that have no name in C: the first of their words, or their prefix.
MACROS = {"RAI_": ["RAI_PASSIVE", "RAI_NUMERICHOST", "RAI_NOROUTE", "RAI_FAMILY"],
          "O_": ["O_CREAT", "O_EXCL"],
          "AF_": ["AF_UNSPEC", "AF_INET", "AF_INET6", "AF_IB"],
          "ibv_gid_type_": ["IBV_GID_TYPE_IB", "IBV_GID_TYPE_ROCE_V1", "IBV_GID_TYPE_ROCE_V2"]}
# What the newest headers define by #define from other words.
RENAMED = {"ib_uverbs_": "ibv_", "IB_UVERBS_": "IBV_"}
BE = {"__be16", "__be32", "__be64"}
# Only numbers of these are told, they are handles.
HANDLES_TOLD = {"ibv_mr", "ibv_dm", "ibv_wq", "ibv_async_event", "rdma_cm_event", "rdma_addrinfo",
                "ibv_ah", "ibv_mw", "ibv_rwq_ind_table", "ibv_qp_ex", "ibv_cq_ex"}
