/* SPDX-License-Identifier: MIT */
/* The parts of the page of 'report': each appends its section, or nothing where there is nothing
 * to show. Whatever comes from packets, peers or memory goes through markup_text(). */
#ifndef CMDS_TIMELINE_REPORT_H
#define CMDS_TIMELINE_REPORT_H

#include <tcl.h>

struct ladder;
struct session;

extern const char report_style[]; /* CSS */

/* The states of each QP, and the way it took. */
void report_qps(const struct ladder *l, Tcl_DString *d);
/* The regions of this end: what of them has changed. */
void report_memory(struct session *s, Tcl_DString *d);
/* The calls of the session as C. */
void report_program(struct session *s, Tcl_DString *d);
/* What failed, and why: what explain says of it, or "". */
void report_failures(const struct ladder *l, const char *why, Tcl_DString *d);

/* The whole page, of which the session has regions and a program to show; NULL: it shows those of
 * another program, and has none. */
void report_page(struct session *s, const char *title, const struct ladder *l, const char *why,
		 Tcl_DString *d);

#endif
