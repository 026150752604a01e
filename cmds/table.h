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
/* modify_qp.c */
extern const struct cmd cmd_modify_qp;
/* mr.c */
extern const struct cmd cmd_reg, cmd_dereg, cmd_rereg;
/* oob.c */
extern const struct cmd cmd_oob_accept, cmd_oob_connect, cmd_oob_listen;
/* pd.c */
extern const struct cmd cmd_pd;
/* qp_create.c */
extern const struct cmd cmd_qp_create;
/* qp_info.c */
extern const struct cmd cmd_qp_info;
/* qp_state.c */
extern const struct cmd cmd_qp_state;
/* shell/builtin.c */
extern const struct cmd cmd_echo;
/* show.c */
extern const struct cmd cmd_show, cmd_get, cmd_destroy;

#endif
