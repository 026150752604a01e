/* SPDX-License-Identifier: MIT */
/* The way out: all that vtrace writes for a person or a program to read, but pages and scripts.
 * Data from another process may be any bytes, so whatever would control a terminal is
 * written escaped here. */
#ifndef VTRACE_DOOR_H
#define VTRACE_DOOR_H

#include <stdbool.h>
#include <stdio.h>

/* A stream to a file, which is made; NULL with errno. A line is written when it has ended. */
FILE *door_open(const char *path);
/* The stream takes JSON from now on: invisible characters are escaped as JSON does it. */
void door_take_json(FILE *to);
/* The stream to stderr. It stays open. */
FILE *door_stderr(void);
/* Says "vtrace: ..." there; fmt is a line without its end. */
void door_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same of what makes the trace incomplete. */
void door_say_incomplete(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The trace is incomplete, and a line of its own says so. */
void door_note_incomplete(void);
/* Writes what has been printed, and says it once if that cannot be written. */
void door_flush(FILE *to);
/* The same at the end of the trace. */
void door_close(FILE *to);
/* Has anything made the trace incomplete? */
int door_is_incomplete(void);
/* Calls fn with each line of a file, which it may change, until fn says no. false: fn did, or the
 * file cannot be read or is no text, and a line says so. */
bool door_read(const char *path, bool (*fn)(char *line));

#endif
