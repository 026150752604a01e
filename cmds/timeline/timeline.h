/* SPDX-License-Identifier: MIT */
/*
 * The timeline: the part of the record that it shows, and packets, which are recorded only while it
 * is on. Calls, events, completions and states are always recorded.
 */
#ifndef CMDS_TIMELINE_H
#define CMDS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

#include "ladder.h"
#include "objects.h"

struct packets;
struct peer;

bool timeline_is_on(const struct session *s);
/* The time in ticks at which the timeline begins; UINT64_MAX: there is nothing to show. */
uint64_t timeline_since(const struct session *s);
/* Was the timeline on at that time, in ticks? */
bool timeline_has(const struct session *s, uint64_t when);
/* Turns it on, as for the prompt: with the packets of the embedded device, but not with those of a
 * network interface, for which 'timeline on' is needed. */
void timeline_begin(struct session *s);
/* The packets so far; NULL: none. */
const struct packets *timeline_packets(const struct session *s);
/* How many have come that are not among them. */
uint64_t timeline_lost_packets(const struct session *s);
/* The session ends. */
void timeline_end(struct session *s);
/* Records the packets so far. */
void timeline_drain(struct session *s);
/* Pauses (on) or resumes the recording of packets of the embedded device. */
void timeline_pause(struct session *s, bool on);
/* Runs 'timeline HOW' at a peer: "on", "off" or "clear". */
void timeline_peer(struct peer *p, const char *how);

/* ladder_peers.c: the ladder of all ends. */

struct ladder_how {
	unsigned last;	/* most rows, without folded ones; 0: all */
	const char *qp; /* only rows about this QP, of any age; or NULL */
	bool all;	/* rows of any age; else those of AGE_GONE are left out */
	unsigned most;	/* rows of this end, and packets, the newest; 0: LADDER_MAX */
	bool has_fields;
	bool is_alone; /* peers are not asked, so that nothing waits: their rows are those of the
			  last time */
};

/* Asks the peers that are not busy for their rows, unless they were asked just now. False: there
 * was none to ask. */
bool ladder_ask_peers(struct session *s);

/* Makes the ladder of this program and its peers, which it asks. To be freed with ladder_free(). */
void ladder_make(struct session *s, const struct ladder_how *how, struct ladder *l);
/* ladder_record.c: adds so many of the newest rows of this end, and packets. */
void ladder_add_own(struct session *s, unsigned most, struct ladder *l);
/* ladder_values.c */

/* Writes the rows as values, for another rdmash of which this is a peer. */
void ladder_rows_out(const struct ladder *l, struct out *o);
/* Reads a row from a peer's value, which is checked. -1: it is invalid. */
int ladder_row_read(Tcl_Obj *value, struct ladder_row *r);

#endif
