/* SPDX-License-Identifier: MIT */
/* The parts of `explain`, each of which writes into the output of the command. */
#ifndef CMDS_EXPLAIN_EXPLAIN_H
#define CMDS_EXPLAIN_EXPLAIN_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "explain/facts.h"

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
/* The same; but first, that the current QP is in ERR, where no completion has told why. */
int explain_now(struct session *s, struct out *o);
/* Why the QP of that name is in ERR, and the way back. false: there is none, or it is not. */
bool explain_qp(struct session *s, const char *name, struct out *o);

/* In what a provider of libibverbs differs from others ("irdma"), or all of them ("providers"): a
 * dict, or a list of them. false: there is none of that name. */
bool explain_provider(const char *name, struct out *o);
/* Appends their names. */
void explain_provider_names(Tcl_Obj *words);
/* In what the device in use differs where that function has failed: a dict, if there is anything.
 */
void explain_here(struct session *s, const char *call, struct out *o);

#endif
