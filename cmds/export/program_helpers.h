/* SPDX-License-Identifier: MIT */
#ifndef CMDS_PROGRAM_HELPERS_H
#define CMDS_PROGRAM_HELPERS_H

struct helper {
	const char *name;
	const char *text;
};

/* Each may call those before it; ends with a NULL name. */
extern const struct helper program_helpers[];

#endif
