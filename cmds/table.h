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

/* accept.c */
extern const struct cmd cmd_accept, cmd_reject;
/* cm_active.c */
extern const struct cmd cmd_cm_bind, cmd_cm_resolve_addr, cmd_cm_resolve_route, cmd_cm_connect,
	cmd_cm_establish;
/* cm_create.c */
extern const struct cmd cmd_cm_create, cmd_cm_channel, cmd_cm_option, cmd_cm_notify, cmd_cm_migrate;
/* cm_event_cmd.c */
extern const struct cmd cmd_cm_event, cmd_cm_ack;
/* cm_mcast.c */
extern const struct cmd cmd_cm_join, cmd_cm_leave, cmd_mcast_attach, cmd_mcast_detach;
/* cm_passive.c */
extern const struct cmd cmd_cm_listen, cmd_cm_accept, cmd_cm_reject, cmd_cm_disconnect;
/* connect.c */
extern const struct cmd cmd_connect, cmd_disconnect, cmd_private_data;
/* listen.c */
extern const struct cmd cmd_listen;

#endif
