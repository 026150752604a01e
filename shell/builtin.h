/* SPDX-License-Identifier: MIT */
/* The shell's own commands, for the table. */
#ifndef SHELL_BUILTIN_H
#define SHELL_BUILTIN_H

struct cmd;

extern const struct cmd cmd_echo;

#endif
