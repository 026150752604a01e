/* SPDX-License-Identifier: MIT */
/*
 * vtrace --inject-each: the program once for each place that calls a function which can fail, with
 * that one call failing. The end of the program shows whether it is prepared for that.
 */
#ifndef VTRACE_EACH_H
#define VTRACE_EACH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "shared_area.h"

struct each_options {
	const bool *wanted; /* functions, per row of call_table; NULL: all that can fail */
	const char *peer;   /* a command of sh that runs beside the program; NULL: none */
	const char *junit;  /* a file for the results, or NULL */
	double within_s;    /* a program that runs longer hangs */
	bool json, follows;
	FILE *to;
	char **argv;
};

/* Runs it. Returns the exit code of vtrace: 0 only if no run has crashed or hung. */
int each_run(const struct each_options *options);

/* --------------------------------------------------------------- one run, for each.c -- */

enum each_end {
	EACH_EXITED,
	EACH_CRASHED, /* a signal has ended it */
	EACH_HUNG,
};

struct each_result {
	enum each_end end;
	bool hit;		  /* the rule */
	int code;		  /* the exit code or the signal; -1: it could not be started */
	char crash[SHARED_PLACE]; /* of the instruction, "": not known */
	char inside[160];	  /* the calls that had not returned: "ibv_poll_cq"; "": none */
	char said[160];		  /* its last line on stderr */
	int left[OBJECT_KINDS];	  /* objects that it has made and not destroyed */
	unsigned nsites;	  /* without a rule */
	struct shared_site site[SHARED_SITES];
};

/* Runs the program once, with the rule, or without one (NULL). -1 with errno: that is not possible.
 */
int each_once(const struct each_options *o, const struct fault_rule *rule,
	      struct each_result *result);

/* A network with the addresses of this one, all of them on lo, for this process and those that it
 * starts. -1 with errno. */
int each_own_network(void);

#endif
