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
	&cmd_expect,
	&cmd_get,
	&cmd_gids,
	&cmd_help,
	&cmd_notices,
	&cmd_open,
	&cmd_option,
	&cmd_pd,
	&cmd_pkeys,
	&cmd_ports,
	&cmd_puts,
	&cmd_record,
	&cmd_reg,
	&cmd_repeat,
	&cmd_rereg,
	&cmd_show,
	&cmd_sleep,
	&cmd_source,
	&cmd_trace,
	&cmd_version,
	NULL,
};
