/* SPDX-License-Identifier: MIT */
/*
 * Step mode: stops before each library call, shows it, and waits for Enter; then shows what the
 * call changed.
 */
#ifndef SHELL_STEP_H
#define SHELL_STEP_H

#include <stdbool.h>

struct session;

/* Called by trace.c before and after each library call; call is the C call as text. */
void step_before(struct session *s, const char *call);
void step_after(struct session *s);
/* To be called before each top-level command: ends the effect of `skip`. */
void step_command(struct session *s);
/* To be called after it: shows what its last call changed. */
void step_ended(struct session *s);

#endif
