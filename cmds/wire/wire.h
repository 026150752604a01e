/* SPDX-License-Identifier: MIT */
/* Live packets of wire on and capture start. */
#ifndef CMDS_WIRE_H
#define CMDS_WIRE_H

struct session;

/* Shows the packets so far, before the result of the command that caused them. */
void wire_drain(struct session *s);
/* Ends wire on and capture start with the session. */
void wire_end(struct session *s);
void capture_end(struct session *s);

#endif
