/* SPDX-License-Identifier: MIT */
/* Packets that are shown or written as they pass. */
#ifndef CMDS_WIRE_H
#define CMDS_WIRE_H

struct session;

/* Shows what has passed by now: before the result of the command that caused it. */
void wire_drain(struct session *s);
/* With the session: wire on and capture start are over. */
void wire_end(struct session *s);
void capture_end(struct session *s);

#endif
