/* SPDX-License-Identifier: MIT */
/* Failures on purpose in this session: fault call, fault completion. */
#ifndef CMDS_FAULT_MADE_H
#define CMDS_FAULT_MADE_H

/* The rule with that number (struct record, struct failed_wr), from 1. */
const char *fault_made_text(unsigned rule);

#endif
