/* SPDX-License-Identifier: MIT */
/* Every command, sorted by name. The shell's own stand here too, so that there is one table. */
#include <stddef.h>

#include "cmd.h"
#include "table.h"

const struct cmd *const cmd_table[] = {
	&cmd_cc,
	&cmd_close,
	&cmd_cq,
	&cmd_cq_resize,
	&cmd_dereg,
	&cmd_destroy,
	&cmd_device,
	&cmd_devices,
	&cmd_echo,
	&cmd_get,
	&cmd_gids,
	&cmd_modify_qp,
	&cmd_oob_accept,
	&cmd_oob_connect,
	&cmd_oob_listen,
	&cmd_open,
	&cmd_pd,
	&cmd_pkeys,
	&cmd_ports,
	&cmd_qp_create,
	&cmd_qp_info,
	&cmd_qp_state,
	&cmd_reg,
	&cmd_rereg,
	&cmd_show,
	NULL,
};
