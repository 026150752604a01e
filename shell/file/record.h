/* SPDX-License-Identifier: MIT */
/* The recorder writes a session as a script; a failed command becomes a comment. */
#ifndef SHELL_RECORD_H
#define SHELL_RECORD_H

#include <stdbool.h>

struct session;

struct recorder *recorder_new(void);
void recorder_free(struct recorder *r);

/* To be called after a command from the prompt or -c has run. */
void record_note(struct session *s, const char *command, int len, bool failed);

#endif
