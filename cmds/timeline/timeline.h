/* SPDX-License-Identifier: MIT */
/*
 * The timeline: which part of the record it shows, and what goes into the record only while it is
 * on. Calls, events, completions and states are there anyway.
 */
#ifndef CMDS_TIMELINE_H
#define CMDS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

#include "objects.h"

struct peer;

#define MEMORY_KEPT 4096 /* bytes of a region that are compared */

bool timeline_is_on(const struct session *s);
/* The time in ticks from which on there is something to show (UINT64_MAX: there is not); and was
 * it on then? */
uint64_t timeline_since(const struct session *s);
bool timeline_has(const struct session *s, uint64_t when);
/* As at the prompt: packets where they can be seen without taking them from a network interface,
 * which 'timeline on' does. */
void timeline_begin(struct session *s);
/* The session ends. */
void timeline_end(struct session *s);
/* Notes what packets have passed by now. */
void timeline_drain(struct session *s);
/* While on is true no packets are looked at. */
void timeline_pause(struct session *s, bool on);
/* Tells a peer 'timeline HOW': it keeps one, or no longer. */
void timeline_peer(struct peer *p, const char *how);
/* The first bytes of the region when the timeline began, *len of them; NULL: all zero, as regions
 * are made. */
const uint8_t *timeline_memory(struct session *s, const struct mr *mr, size_t *len);

/* The page of 'report'. Whatever comes from packets, peers or memory goes through markup_text(). */

struct ladder;

/* The states of each QP, and the way it took; nothing where there is none. */
void report_qps(const struct ladder *l, Tcl_DString *d);

/* The whole page, of which the session has regions and a program to show; NULL: it shows those of
 * another program, and has none. */
void report_page(struct session *s, const char *title, const struct ladder *l, const char *why,
		 Tcl_DString *d);

/* Appends text so that HTML and XML take it for nothing but text, in an attribute too. */
void markup_text(Tcl_DString *d, const char *text);
/* The same of formatted text. */
void markup_textf(Tcl_DString *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* report.css and ladder.css. */
extern const char report_css[], ladder_css[];

#endif
