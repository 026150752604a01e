/* SPDX-License-Identifier: MIT */
/* vtrace --inject: what goes wrong on purpose in the traced programs. The rules are written into
 * the shared memory; libvtrace.so makes them come true. */
#ifndef VTRACE_INJECTIONS_H
#define VTRACE_INJECTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "reader.h"
#include "shared_area.h"

/* Adds a rule, or with "@FILE" those of a file: one in each line, but for empty ones and those that
 * begin with #. false: it cannot be read; a line on stderr says why. */
bool injections_add(const char *text);
/* The seed of what is drawn; a text with a number. false: as above. */
bool injections_seed(const char *text);
/* Puts the rules into *how, and says the seed if a rule draws. */
void injections_begin(struct shared_options *how);
/* The rule with that number (struct record), as it was written; "": there is none. */
const char *injections_text(unsigned rule);
/* The programs that this reads are about to begin. */
void injections_watch(const struct reader *r);
/* The rule that has made the call fail or wait, or the event that it has returned; 0: none. */
unsigned injections_rule(const struct reader_news *call);
/* The rule that has put the port down, where none has put it up again; NULL: there is none. */
const char *injections_port_down(void);
/* Why the call has failed, or that event has come: it was made to. */
void injections_explain(FILE *to, const struct reader_news *call, bool json);
/* Says which rules have hit nothing. Returns how many there are. */
unsigned injections_end(void);

#endif
