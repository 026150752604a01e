/* SPDX-License-Identifier: MIT */
/* The entries of the commands of cmds/, by the file they are in. */
#ifndef CMDS_TABLE_H
#define CMDS_TABLE_H

#include "cmd.h"

/* call/call.c */
extern const struct cmd cmd_buf, cmd_call;
/* connection/accept.c */
extern const struct cmd cmd_accept, cmd_reject;
/* connection/cm_active.c */
extern const struct cmd cmd_cm_bind, cmd_cm_resolve_addr, cmd_cm_resolve_route, cmd_cm_connect,
	cmd_cm_establish;
/* connection/cm_create.c */
extern const struct cmd cmd_cm_create, cmd_cm_channel, cmd_cm_option, cmd_cm_notify, cmd_cm_migrate;
/* connection/cm_event_cmd.c */
extern const struct cmd cmd_cm_event, cmd_cm_ack;
/* connection/cm_mcast.c */
extern const struct cmd cmd_cm_join, cmd_cm_leave;
/* connection/cm_passive.c */
extern const struct cmd cmd_cm_listen, cmd_cm_accept, cmd_cm_reject, cmd_cm_disconnect;
/* connection/connect.c */
extern const struct cmd cmd_connect, cmd_disconnect, cmd_private_data;
/* connection/listen.c */
extern const struct cmd cmd_listen;
/* connection/mcast.c */
extern const struct cmd cmd_mcast_attach, cmd_mcast_detach;
/* data/arm.c */
extern const struct cmd cmd_arm;
/* data/bench.c */
extern const struct cmd cmd_bench;
/* data/poll.c */
extern const struct cmd cmd_poll;
/* data/post_atomic.c */
extern const struct cmd cmd_post_cmp_swap, cmd_post_fetch_add;
/* data/post_chain.c */
extern const struct cmd cmd_post_chain;
/* data/post_mw.c */
extern const struct cmd cmd_post_bind_mw, cmd_post_local_inv;
/* data/post_rdma.c */
extern const struct cmd cmd_post_write, cmd_post_write_imm, cmd_post_read;
/* data/post_recv.c */
extern const struct cmd cmd_post_recv;
/* data/post_send.c */
extern const struct cmd cmd_post_send, cmd_post_send_imm, cmd_post_send_inv;
/* data/wait.c */
extern const struct cmd cmd_wait_wc, cmd_wait_cq;
/* data/wait_event.c */
extern const struct cmd cmd_wait_event;
/* data/wait_state.c */
extern const struct cmd cmd_wait_async, cmd_wait_state;
/* device/devices.c */
extern const struct cmd cmd_devices, cmd_open, cmd_close, cmd_device, cmd_ports, cmd_pkeys;
/* device/gids.c */
extern const struct cmd cmd_gids;
/* device/limits.c */
extern const struct cmd cmd_limits_probe;
/* doctor/doctor.c */
extern const struct cmd cmd_doctor;
/* explain/explain.c */
extern const struct cmd cmd_explain;
/* export/export_c.c, export/export_pyverbs.c */
extern const struct cmd cmd_export_c, cmd_export_pyverbs;
/* faults/fault_run.c */
extern const struct cmd cmd_fault_list, cmd_fault_run;
/* launch/launcher.c */
extern const struct cmd cmd_launcher;
/* launch/rendezvous.c */
extern const struct cmd cmd_rendezvous_clear, cmd_rendezvous_get, cmd_rendezvous_put;
/* memory/mem_digest.c */
extern const struct cmd cmd_mem_digest;
/* memory/mem_file.c */
extern const struct cmd cmd_mem_load, cmd_mem_save;
/* memory/mem_get.c */
extern const struct cmd cmd_mem_get, cmd_mem_dump, cmd_mem_cmp;
/* memory/mem_put.c */
extern const struct cmd cmd_mem_put, cmd_mem_fill;
/* memory/mem_watch.c */
extern const struct cmd cmd_mem_watch;
/* peer/at.c */
extern const struct cmd cmd_at, cmd_barrier;
/* peer/peer.c */
extern const struct cmd cmd_peer;
/* qp/modify_qp.c */
extern const struct cmd cmd_modify_qp;
/* qp/oob.c */
extern const struct cmd cmd_oob_listen, cmd_oob_connect, cmd_oob_accept;
/* qp/qp_create.c */
extern const struct cmd cmd_qp_create;
/* qp/qp_info.c */
extern const struct cmd cmd_qp_info;
/* qp/qp_state.c */
extern const struct cmd cmd_qp_state;
/* require.c */
extern const struct cmd cmd_require;
/* resources/ah.c */
extern const struct cmd cmd_ah;
/* resources/cq.c */
extern const struct cmd cmd_cc, cmd_cq, cmd_cq_resize;
/* resources/mr.c */
extern const struct cmd cmd_reg, cmd_dereg, cmd_rereg;
/* resources/mw.c */
extern const struct cmd cmd_mw, cmd_mw_bind;
/* resources/pd.c */
extern const struct cmd cmd_pd;
/* resources/show.c */
extern const struct cmd cmd_show, cmd_get, cmd_destroy;
/* resources/srq.c */
extern const struct cmd cmd_srq, cmd_srq_modify;
/* wire/capture.c */
extern const struct cmd cmd_capture_start, cmd_capture_stop;
/* wire/counters.c */
extern const struct cmd cmd_counters, cmd_counters_around;
/* wire/fault.c */
extern const struct cmd cmd_fault_wire;
/* wire/wire_on.c */
extern const struct cmd cmd_wire_off, cmd_wire_on;
/* wire/wire_read.c */
extern const struct cmd cmd_wire_read;

/* timeline/report.c */
extern const struct cmd cmd_report;
/* timeline/timeline.c */
extern const struct cmd cmd_timeline;
/* tcp/tcp.c */
extern const struct cmd cmd_tcp_listen, cmd_tcp_accept, cmd_tcp_connect;
/* tcp/tcp_data.c */
extern const struct cmd cmd_tcp_send, cmd_tcp_recv;
/* rpc/rpc_call_cmd.c */
extern const struct cmd cmd_rpc_call, cmd_rpc_connect, cmd_rpc_result;
/* rpc/rpc_close_cmd.c */
extern const struct cmd cmd_rpc_close, cmd_rpc_show;
/* rpc/rpc_serve_cmd.c */
extern const struct cmd cmd_rpc_listen, cmd_rpc_run, cmd_rpc_serve;

#endif
