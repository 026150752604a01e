/* SPDX-License-Identifier: MIT */
/* The recorder: a session as a script. Only what succeeded; a failed command is a comment. */
#ifndef SHELL_RECORD_H
#define SHELL_RECORD_H

#include <stdbool.h>

struct session;

struct recorder *recorder_new(void);
void recorder_free(struct recorder *r);

/* A command typed at the prompt (or given with -c) has run. */
void record_note(struct session *s, const char *command, int len, bool failed);

#endif
