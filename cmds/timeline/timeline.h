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

#include "objects.h"

struct text;
struct peer;

#define MEMORY_KEPT 4096 /* bytes of a region that are compared */

bool timeline_is_on(const struct session *s);
/* The time in ticks at which the timeline begins; UINT64_MAX: there is nothing to show. */
uint64_t timeline_since(const struct session *s);
/* Was the timeline on at that time, in ticks? */
bool timeline_has(const struct session *s, uint64_t when);
/* Turns it on, as for the prompt: with the packets of the embedded device, but not with those of a
 * network interface, for which 'timeline on' is needed. */
void timeline_begin(struct session *s);
/* The session ends. */
void timeline_end(struct session *s);
/* Records the packets so far. */
void timeline_drain(struct session *s);
/* Pauses (on) or resumes the recording of packets of the embedded device. */
void timeline_pause(struct session *s, bool on);
/* Runs 'timeline HOW' at a peer: "on", "off" or "clear". */
void timeline_peer(struct peer *p, const char *how);
/* The first *len bytes of the region when the timeline began or was cleared; NULL: they were zero,
 * because the region is newer. */
const uint8_t *timeline_memory(struct session *s, const struct mr *mr, size_t *len);

/* The page of 'report'. Text from packets, peers or memory is escaped by markup_text(). */

struct ladder;

/* Appends a state diagram for each QP of the ladder. */
void report_qps(const struct ladder *l, struct text *d);

/* Appends the whole page. s: the session, whose regions and C program are shown; NULL: the ladder
 * is that of another program, and these are left out. why: the text of explain, or "". */
void report_page(struct session *s, const char *title, const struct ladder *l, const char *why,
		 struct text *d);

/* Appends text, escaped for HTML and XML, also for an attribute. */
void markup_text(struct text *d, const char *text);
/* The same of formatted text. */
void markup_textf(struct text *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* report.css and ladder.css. */
extern const char report_css[], ladder_css[];

#endif
