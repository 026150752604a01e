/* SPDX-License-Identifier: MIT */
/* Every command, sorted by name. The shell's own stand here too, so that there is one
 * table. */
#include <stddef.h>

#include "builtin.h"
#include "cmd.h"
#include "table.h"

const struct cmd *const cmd_table[] = {
	&cmd_echo,   &cmd_exit,	  &cmd_expect, &cmd_help,    &cmd_notices,
	&cmd_option, &cmd_puts,	  &cmd_quit,   &cmd_record,  &cmd_repeat,
	&cmd_sleep,  &cmd_source, &cmd_trace,  &cmd_version, NULL,
};
