/* SPDX-License-Identifier: MIT */
#ifndef CMDS_FAULT_WIRE_H
#define CMDS_FAULT_WIRE_H

#include <tcl.h>

struct text;

/* Appends the rules of 'fault wire' that have hit packets, and lose or delay them: "drop=100%, 12
 * packets hit". */
void fault_wire_losses(struct text *text);

#endif
