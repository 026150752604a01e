/* SPDX-License-Identifier: MIT */
/* vtrace --check: the mistakes of model/checks, with the lines of the source where they are. */
#ifndef VTRACE_CHECKING_H
#define VTRACE_CHECKING_H

#include <stdbool.h>
#include <stdio.h>

#include "checks.h"

struct reader_news;
struct check_process; /* of a process: struct traced */
struct places;

struct check_options {
	bool is_on;
	bool wanted[CHECK_RULES];
	bool sets_exit;		  /* what was found decides the exit code */
	const char *suppressions; /* a file, or NULL */
	const char *junit;	  /* a file, or NULL */
	bool stops; /* at stop_on: the thread whose call it became clear with is to be held */
	enum check_id stop_on;
};

/* The exit codes for what was found, and for a program of which nothing was seen. */
enum { CHECK_EXIT_FOUND = 99, CHECK_EXIT_UNCHECKED = 98 };

/* Findings are written to the stream, as text or as lines of JSON. 0; or -1, and a line says why
 * the suppressions cannot be read. */
int checking_begin(const struct check_options *o, FILE *to, bool json);
/* Around live_program_take(): of each call of the program. Nothing happens if checks are off.
 * checking_call_after(): is its thread to be held? */
void checking_call_before(const struct reader_news *news);
bool checking_call_after(const struct reader_news *news);
/* A call that libvtrace.so has made itself; is its thread to be held? */
bool checking_own_call(const struct reader_news *news);
/* Any other news. */
void checking_take(const struct reader_news *news);
/* Writes what was found of all processes. Returns the exit code that vtrace has; -1: that of the
 * program. */
int checking_end(void);

/* ------------------------------------------------------------- lines of the source -- */

/* The modules of a process, as they are now. Where each is, is read again when an address is in
 * none. */
struct places *check_places_new(int pid);
void check_places_free(struct places *p);
/* Learns where the addresses are while the process is there. */
void check_places_learn(struct places *p, struct record_from from);
/* "file.c:12 in function()", or "program+0x1234" where there is no debug information; file and line
 * of the program, not of an inline function of verbs.h. As temp_text(). "" if it is not known. */
const char *check_places_text(struct places *p, struct record_from from);
/* Is the address in the code of the program itself, or are both in that of the same library? */
bool check_places_are_of_one(const struct places *p, uint64_t made, uint64_t used);

#endif
