/* SPDX-License-Identifier: MIT */
/* The page of 'report'. Whatever comes from packets, peers or memory goes through markup_text(). */
#ifndef CMDS_REPORT_H
#define CMDS_REPORT_H

#include <tcl.h>

struct ladder;
struct session;

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

#endif
