/* SPDX-License-Identifier: MIT */
#ifndef CMDS_ARM_H
#define CMDS_ARM_H

#include "objects.h"

/* Asks for one event; -1 with s->fail filled, also when the CQ has no channel. */
int cq_arm(struct session *s, struct cq *cq, bool solicited);

#endif
