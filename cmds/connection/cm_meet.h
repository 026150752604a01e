/* SPDX-License-Identifier: MIT */
#ifndef CMDS_CM_MEET_H
#define CMDS_CM_MEET_H

struct meeting;
struct session;

/* The address of the default device, opened if need be, and a port on which nobody listens there.
 * -1 with s->fail filled: there is no device, or no such port. */
int cm_meet(struct session *s, struct meeting *m);

#endif
