/* SPDX-License-Identifier: MIT */
/* Every command's entry: struct cmd. Its file is named in the comment of its group. */
#ifndef CMDS_TABLE_H
#define CMDS_TABLE_H

struct cmd;

/* shell/: in builtin.h */

#endif
