/* SPDX-License-Identifier: MIT */
/* The interactive session: read, run, print, until quit or the end of input. */
#ifndef SHELL_REPL_H
#define SHELL_REPL_H

#include <stdbool.h>

struct session;

/* rc: run the start file. 0, or -1 when the start file failed to be read. */
int repl(struct session *s, bool rc, const char *version);

/* Is it "!COMMAND", of the system? */
bool repl_is_escape(const char *text);
/* Runs it, and says how it has ended, unless that was well. false: it could not be run. */
bool repl_escape(const char *text);

#endif
