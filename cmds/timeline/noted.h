/* SPDX-License-Identifier: MIT */
/* What is noted for the timeline besides what the shell says: packets, memory as it was. */
#ifndef CMDS_TIMELINE_NOTED_H
#define CMDS_TIMELINE_NOTED_H

#include <stddef.h>
#include <stdint.h>

#include "objects.h"

#define MEMORY_KEPT 4096 /* bytes of a region that are compared */

/* Begins or goes on; packets: also those of a network interface. -1 with s->fail filled: no
 * packets can be had; the rest is noted. */
int noted_on(struct session *s, bool packets);
void noted_off(struct session *s);
/* Forgets what was noted; memory is as it was now. */
void noted_clear(struct session *s);
/* The first bytes of the region when the timeline began, *n of them; NULL: all zero, as regions
 * are made. */
const uint8_t *noted_memory(struct session *s, const struct mr *mr, size_t *n);
/* The side of the QP that has this number and leads to this peer; SIDE_NONE: not known. */
enum chronicle_side side_of_qpn(struct session *s, uint32_t qpn, const union ibv_gid *peer,
				char name[32]);

#endif
