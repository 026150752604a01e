/* SPDX-License-Identifier: MIT */
/* Every command, sorted by name. The shell's own stand here too, so that there is one table. */
#include <stddef.h>

#include "builtin.h"
#include "cmd.h"
#include "table.h"

const struct cmd *const cmd_table[] = {
	&cmd_echo,
	NULL,
};
