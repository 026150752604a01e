/* SPDX-License-Identifier: MIT */
/*
 * The other end of a QP, where it can be looked at: in this process, or in a peer that this one
 * has started. Both tell of their objects in the same form, that of `show`.
 */
#ifndef CMDS_EXPLAIN_FAR_END_H
#define CMDS_EXPLAIN_FAR_END_H

#include <tcl.h>

#include "explain/live_end.h"

struct session;

/* Looks for the QP numbered qpn that talks to the one numbered mine. To be freed. */
struct live_end far_end_find(struct session *s, uint32_t qpn, uint32_t mine);
/* The same in objects, a dict of them as 'show' has it (NULL: none). false: the QP is not there. */
bool far_end_look(struct live_end *e, Tcl_Obj *objects, uint32_t qpn, uint32_t mine);
void far_end_free(struct live_end *e);

#endif
