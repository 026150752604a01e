/* SPDX-License-Identifier: MIT */
/* vtrace -c: of each function how often it was called, and how long that took; of each operation
 * how long it took from its post to the poll that has brought its completion. */
#ifndef VTRACE_SUMMARY_H
#define VTRACE_SUMMARY_H

struct out;
struct record;
struct seen_wc;
struct summary;

struct summary *summary_new(void);
void summary_free(struct summary *s);
/* Only calls that the program itself has made count (depth 0). */
void summary_take_call(struct summary *s, const struct record *r);
void summary_take_completion(struct summary *s, const struct seen_wc *wc);
/* A dict of "calls" and "operations", and the table. */
void summary_out(const struct summary *s, struct out *o);

#endif
