/* SPDX-License-Identifier: MIT */
/* The output of vtrace: a line for each call, in text or JSON; why something has failed; and at the
 * end the counts, the timeline and the report. */
#ifndef VTRACE_VIEWS_H
#define VTRACE_VIEWS_H

#include <stdbool.h>
#include <stdio.h>

#include "live_program.h"
#include "reader.h"
#include "ladder.h"

struct captures;
struct packets;
struct reader;
struct reader_news;
struct uroce_packet;

struct views {
	FILE *to;
	bool lines;		   /* a line for each call */
	bool json;		   /* lines are objects */
	bool pids;		   /* with the number of the process */
	bool counts;		   /* a table at the end */
	bool timeline;		   /* all processes side by side, at the end */
	const char *report;	   /* the file for a page of HTML with that, or NULL */
	struct captures *captures; /* packets for these two, or NULL */
	bool explain;		   /* say why something has failed */
	double stuck;		   /* seconds without progress; 0: it is not looked for */
	struct reader *reader;
	bool *wanted; /* calls, per row of call_table: of views_choose(); NULL: all */
};

/* The calls that a list names: names, patterns, "set-up", "data", with commas between. NULL: a line
 * on stderr says which of them names none. To be freed. */
bool *views_choose(const char *only);
/* v is copied; what it points to must stay. views_end() frees v->wanted. */
void views_begin(const struct views *v);
void views_take(const struct reader_news *news);
/* The program has ended. */
void views_end(void);

/* -------------------------------------------------- a call as a line, as strace writes it -- */

/* "12:00:01.123456 ibv_alloc_pd uroce0 = pd0", with the time at which it ended; pids: with the
 * number of the process in front. A line that differs from the last one only in its time is
 * counted instead. */
void line_write(FILE *to, const struct reader_news *call, bool pids);
/* Writes that count, if there is one. To be called before anything else is written. */
void line_write_repeated(FILE *to);
/* The names of the objects of a call. */
struct call_names line_names(const struct reader_news *call);
/* The parts of that: "qp0 {qp_state INIT port_num 1}", and "qp0, qpn 17" or "ENOMEM". */
void line_write_args(FILE *to, const struct reader_news *call);
void line_write_result(FILE *to, const struct reader_news *call);
/* "12:00:01.123456 rdma_get_cm_event qp0 <unfinished ...>" */
void line_write_unfinished(FILE *to, const struct reader_news *call, bool pids);
/* A call as an object of JSON. */
void line_write_json(FILE *to, const struct reader_news *call);

/* vtrace -c: how often each function was called, and how long that took; for each operation the
 * time from its post to the poll that returned its completion. */

struct out;
struct record;
struct live_wc;
struct summary;

struct summary *summary_new(void);
void summary_free(struct summary *s);
/* Counts only calls of the program itself (depth 0). */
void summary_take_call(struct summary *s, const struct record *r);
void summary_take_completion(struct summary *s, const struct live_wc *wc);
/* Writes a dict of "calls" and "operations", and the table. */
void summary_out(const struct summary *s, struct out *o);

/* The calls of the traced processes as a ladder, a lane for each: vtrace --timeline and --report.
 */

/* Adds a lane for the process; returns its place. */
unsigned traced_ladder_add(struct ladder *l, const struct traced *process);
/* Adds a call that live has taken. */
void traced_ladder_take(struct ladder *l, unsigned place, const struct reader_news *call,
			struct live_program *live);
/* Adds the packets of the process in that place. */
void traced_ladder_packets(struct ladder *l, unsigned place, const struct packets *packets);
/* Puts the rows in order. None may be added afterwards. */
void traced_ladder_end(struct ladder *l);

/* Why something has failed in a traced program, judged by its objects at that time. */

/* Explains a completion that is an error. there: the other end; its qp is NULL if it cannot be
 * seen. */
void explain_traced_completion(const struct live_program *p, const struct live_wc *wc,
			       const struct live_end *there, struct out *o);
/* Explains a call that has failed, and that p has taken. false: there is nothing to explain: it has
 * not failed, has found nothing yet, or asked for something that a device need not have. */
bool explain_traced_call(const struct live_program *p, const struct record *r, struct out *o);

/* Explains an event of the connection manager or of the device that says that something has failed.
 * false: r has got no such event. */
bool explain_traced_event(const struct live_program *p, const struct record *r, struct out *o);
/* Explains a call that had not returned when the process ended, because it waits for what the
 * program has not done. false: no such reason is known. */
bool explain_traced_unfinished(const struct live_program *p, const struct record *r, struct out *o);

/* The packets of the traced processes on uroce0. Each process writes them to a file of its own
 * (UROCE_PCAP). It is read while it grows, and what was read is given back to the file system. */

/* Captures the packets of programs that are started from now on. NULL: UROCE_PCAP is set already,
 * by the user; or, with errno, the files cannot be created. */
struct captures *captures_begin(void);
/* Calls fn for each packet that was written since the last time; it is valid during the call. */
typedef void captures_fn(void *arg, int pid, const struct uroce_packet *p);
void captures_read(struct captures *c, captures_fn *fn, void *arg);
/* Removes the files; c may be NULL. */
void captures_end(struct captures *c);

#endif
