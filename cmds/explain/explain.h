/* SPDX-License-Identifier: MIT */
/* The parts of `explain`, each of which writes into the output of the command. */
#ifndef CMDS_EXPLAIN_EXPLAIN_H
#define CMDS_EXPLAIN_EXPLAIN_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "find.h"

struct out;
struct session;

/* All that is known about one thing: a dict. */
void explain_fact(const struct found *f, struct out *o);
/* The attributes of a transition of a QP, by type: a dict. */
void explain_transition(enum ibv_qp_state from, enum ibv_qp_state to, struct out *o);
/* Splits "RESET->INIT"; false: text is no such thing. */
bool explain_is_transition(const char *text, enum ibv_qp_state *from, enum ibv_qp_state *to);
/* The last failure of the session, from the live objects. -1 with s->fail filled. */
int explain_last(struct session *s, struct out *o);
/* Where nothing has failed, and what is posted is flushed all the same, as the current QP is in
 * ERR: says so, and the way back. */
bool explain_state(struct session *s, struct out *o);

#endif
