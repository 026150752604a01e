/* SPDX-License-Identifier: MIT */
/* The session so far as a C program. */
#ifndef CMDS_EXPORT_PROGRAM_H
#define CMDS_EXPORT_PROGRAM_H

#include "replay.h"

struct session;
struct text;

/* Appends the program, called file: of both ends or one; and to differences a line for each
 * difference from the session. Returns the number of its functions, 0: nothing was to be written.
 */
unsigned export_program(struct session *s, enum replay_end role, const char *file,
			struct text *program, struct text *differences);

#endif
