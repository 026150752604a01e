/* SPDX-License-Identifier: MIT */
/*
 * Step mode: stops before each library call, shows it, and waits for Enter; then shows what
 * the call has changed.
 */
#ifndef SHELL_STEP_H
#define SHELL_STEP_H

#include <stdbool.h>

struct session;

/* Around each library call, by trace.c; call is the C call as text. */
void step_before(struct session *s, const char *call);
void step_after(struct session *s);
/* A new command at top level: `skip` ends with the one before. */
void step_command(struct session *s);
/* And its end: what its last call has changed, an object that was made by it. */
void step_ended(struct session *s);

#endif
