/* SPDX-License-Identifier: MIT */
/* The parts of `explain`, each of which writes into the output of the command. */
#ifndef CMDS_EXPLAIN_H
#define CMDS_EXPLAIN_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <tcl.h>

#include "causes_out.h"
#include "facts.h"
#include "why.h"

struct call_fn;
struct out;
struct session;
struct wr_op;

/* All that is known about one thing: a dict. call: the function that has failed, whose causes alone
 * are listed; NULL: those of all functions. */
void explain_fact(const struct found *f, const char *call, struct out *o);
/* The last failure of the session, from the live objects. -1 with s->fail filled. */
int explain_last(struct session *s, struct out *o);
/* The same; but first, that the current QP is in ERR, where no completion has told why. */
int explain_now(struct session *s, struct out *o);
/* Adds a row to s->fail for each cause of the last failed completion: the confirmed ones, or else
 * all that may be. */
void explain_fail_causes(struct session *s);
/* The first failure of the session. -1 with s->fail filled. */
int explain_first(struct session *s, struct out *o);
/* The last failed request of that wr_id. false: there is none. */
bool explain_wr_id(struct session *s, const char *text, struct out *o);

struct bad_wc;

/* Why the completion is an error, judged by the objects that exist now. */
void explain_bad_wc(struct session *s, const struct bad_wc *bad, struct out *o);
/* The failures that belong to all[at], which is the newest of them, of all n, the newest first:
 * chain, with room for n, begins with the one that explains the others. Returns how many. */
unsigned failures_chain(struct session *s, const struct bad_wc *all, unsigned n, unsigned at,
			struct bad_wc *chain);
/* Writes those behind the first into the open dict: the list "then". */
void failures_out(const struct bad_wc *chain, unsigned n, struct out *o);
/* Why the last request of the QP of that name has failed, or why it is in ERR; and the way back.
 * false: there is none, or neither. */
bool explain_qp(struct session *s, const char *name, struct out *o);

/* The findings of check since the command before are notices. */
void own_check_after(struct session *s);
/* The findings of check so far, a line each. False: there are none. */
bool own_check_tell(struct out *o);

/* In what a provider of libibverbs differs from others ("irdma"), or all of them ("providers"), or
 * the providers in which a function differs ("ibv_post_recv"): a dict, or a list of them. false:
 * there is none of that name. */
bool explain_provider(const char *name, struct out *o);
/* Appends these names, some of them several times. */
void explain_provider_names(Tcl_Obj *words);
/* In what the device in use differs where that function has failed: a dict, if there is anything.
 */
void explain_here(struct session *s, const struct call_fn *fn, struct out *o);

#endif
