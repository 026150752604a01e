/* SPDX-License-Identifier: MIT */
/* Why something has failed in a traced program, from its objects as they were then. */
#ifndef VTRACE_EXPLAIN_TRACED_H
#define VTRACE_EXPLAIN_TRACED_H

#include <stdbool.h>

#include "live_program.h"

struct out;

/* A completion that is an error. there: the other end; its qp is NULL if it cannot be seen. */
void explain_traced_completion(const struct live_program *p, const struct seen_wc *wc,
			       const struct live_end *there, struct out *o);
/* A call that has failed, which p has taken. false: it has not, or there is nothing to say: it
 * found nothing yet, or asked for something that a device need not have. */
bool explain_traced_call(const struct live_program *p, const struct record *r, struct out *o);

#endif
