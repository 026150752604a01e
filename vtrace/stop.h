/* SPDX-License-Identifier: MIT */
/* vtrace --stop-on: which calls hold their thread. */
#ifndef VTRACE_STOP_H
#define VTRACE_STOP_H

#include "checking.h"
#include "shared_area.h"

/* Reads an errno, a status of completions, a rule of --check, or "any". false: it is none; a line
 * has said so. */
bool stop_choose(const char *error, struct shared_options *how, struct check_options *check);
/* A rule to stop on is looked for; to be called when all options are known. false: it cannot be
 * stopped on; a line has said why. */
bool stop_check(struct check_options *check);

#endif
