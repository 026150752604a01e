/* SPDX-License-Identifier: MIT */
/* The entries of all commands, by the file they are in. */
#ifndef CMDS_TABLE_H
#define CMDS_TABLE_H

#include "cmd.h"

/* cq.c */
extern const struct cmd cmd_cc, cmd_cq, cmd_cq_resize;
/* devices.c */
extern const struct cmd cmd_devices, cmd_open, cmd_close, cmd_device, cmd_ports, cmd_pkeys;
/* gids.c */
extern const struct cmd cmd_gids;
/* mr.c */
extern const struct cmd cmd_reg, cmd_dereg, cmd_rereg;
/* pd.c */
extern const struct cmd cmd_pd;
/* shell/echo.c */
extern const struct cmd cmd_echo, cmd_puts;
/* shell/expect.c */
extern const struct cmd cmd_expect;
/* shell/flow.c */
extern const struct cmd cmd_repeat, cmd_sleep, cmd_source;
/* shell/help.c */
extern const struct cmd cmd_help;
/* shell/record.c */
extern const struct cmd cmd_record;
/* shell/settings.c */
extern const struct cmd cmd_option, cmd_trace, cmd_notices, cmd_version;
/* show.c */
extern const struct cmd cmd_show, cmd_get, cmd_destroy;
/* ah.c */
extern const struct cmd cmd_ah;
/* arm.c */
extern const struct cmd cmd_arm;
/* bench.c */
extern const struct cmd cmd_bench;
/* mem_get.c, mem_put.c, mem_watch.c */
extern const struct cmd cmd_mem_cmp, cmd_mem_dump, cmd_mem_get, cmd_mem_save;
extern const struct cmd cmd_mem_fill, cmd_mem_load, cmd_mem_put;
extern const struct cmd cmd_mem_watch;
/* mw.c */
extern const struct cmd cmd_mw, cmd_mw_bind;
/* poll.c */
extern const struct cmd cmd_poll;
/* post_atomic.c, post_chain.c, post_mw.c, post_rdma.c, post_recv.c, post_send.c */
extern const struct cmd cmd_post_cmp_swap, cmd_post_fetch_add;
extern const struct cmd cmd_post_chain;
extern const struct cmd cmd_post_bind_mw, cmd_post_local_inv;
extern const struct cmd cmd_post_read, cmd_post_write, cmd_post_write_imm;
extern const struct cmd cmd_post_recv;
extern const struct cmd cmd_post_send, cmd_post_send_imm, cmd_post_send_inv;
/* require.c */
extern const struct cmd cmd_require;
/* srq.c */
extern const struct cmd cmd_srq, cmd_srq_modify;
/* wait.c, wait_state.c */
extern const struct cmd cmd_wait_cq, cmd_wait_wc;
extern const struct cmd cmd_wait_async, cmd_wait_state;

#endif
