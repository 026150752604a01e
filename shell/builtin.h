/* SPDX-License-Identifier: MIT */
/* The shell's own commands, for the table: each in the file of its name, or in flow.c
 * (repeat, sleep, source, quit) and settings.c (option, trace, notices, version). */
#ifndef SHELL_BUILTIN_H
#define SHELL_BUILTIN_H

struct cmd;

extern const struct cmd cmd_answer, cmd_echo, cmd_exit, cmd_expect, cmd_help, cmd_history,
	cmd_lesson, cmd_notices, cmd_option, cmd_progress, cmd_puts, cmd_quit, cmd_record,
	cmd_repeat, cmd_sleep, cmd_source, cmd_step, cmd_text_load, cmd_text_save, cmd_trace,
	cmd_version;

#endif
