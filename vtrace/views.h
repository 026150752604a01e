/* SPDX-License-Identifier: MIT */
/* What vtrace writes: a line for each call, in text or JSON; why something has failed; and at the
 * end the counts, the timeline and the report. */
#ifndef VTRACE_VIEWS_H
#define VTRACE_VIEWS_H

#include <stdbool.h>
#include <stdio.h>

#include "live_program.h"
#include "reader.h"
#include "timeline/ladder.h"

struct captures;
struct reader_news;

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
	const char *only; /* names, patterns, "set-up", "data", with commas between; NULL: all */
};

/* Does each word of the list name a function? Else a line on stderr says which does not. */
bool views_check(const char *only);
/* v is copied; what it points to must stay. */
void views_begin(const struct views *v);
void views_take(const struct reader_news *news);
/* The program has ended. */
void views_end(void);

/* What the calls of the process have shown so far. */
const struct live_program *views_live(struct traced *process);

/* -------------------------------------------------- a call as a line, as strace writes it -- */

/* "12:00:01.123456 ibv_alloc_pd uroce0 = pd0", with the time at which it ended; pids: with the
 * number of the process in front. A line that differs from the last one only in its time is
 * counted instead. */
void line_write(FILE *to, const struct reader_news *call, bool pids);
/* Writes that count, if there is one. To be called before anything else is written. */
void line_write_repeated(FILE *to);
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
struct seen_wc;
struct summary;

struct summary *summary_new(void);
void summary_free(struct summary *s);
/* Counts only calls of the program itself (depth 0). */
void summary_take_call(struct summary *s, const struct record *r);
void summary_take_completion(struct summary *s, const struct seen_wc *wc);
/* Writes a dict of "calls" and "operations", and the table. */
void summary_out(const struct summary *s, struct out *o);

/* The calls of the traced processes as a ladder, a lane for each: vtrace --timeline and --report.
 */

struct decoded;
struct live_program;
struct traced;

struct traced_ladder {
	struct ladder ladder;
	unsigned long left_out; /* rows, the oldest */
};

/* Adds a lane for the process; returns its place. */
unsigned traced_ladder_add(struct traced_ladder *t, const struct traced *process);
/* Adds a call that live has taken. */
void traced_ladder_take(struct traced_ladder *t, unsigned place, const struct reader_news *call,
			struct live_program *live);
/* Adds a packet that the process in that place has sent (out) or received; fate may be "". */
void traced_ladder_packet(struct traced_ladder *t, unsigned place, const struct decoded *d,
			  bool out, int64_t when, const char *fate);
/* Puts the rows in order. None may be added afterwards. */
void traced_ladder_end(struct traced_ladder *t);

/* Why something has failed in a traced program, judged by its objects at that time. */

/* Explains a completion that is an error. there: the other end; its qp is NULL if it cannot be
 * seen. */
void explain_traced_completion(const struct live_program *p, const struct seen_wc *wc,
			       const struct live_end *there, struct out *o);
/* Explains a call that has failed, and that p has taken. false: there is nothing to explain: it has
 * not failed, has found nothing yet, or asked for something that a device need not have. */
bool explain_traced_call(const struct live_program *p, const struct seen_limits *limits,
			 const struct record *r, struct out *o);

/* Explains an event of the connection manager that says that an attempt has failed. false: r has
 * got no such event. */
bool explain_traced_event(const struct record *r, struct out *o);

/* The other end of a connection on uroce0 that is not traced: its process is asked. */

/* Where no call has told whom the QP of process pid is connected with (librdmacm can connect it
 * without any), the process is asked, and *qp knows it then. */
void asked_peer_learn(pid_t pid, struct live_qp *qp);
/* The other end of that QP. Its .qp is NULL where it cannot be had; .gone says why if it no longer
 * exists. To be freed by live_end_free(). */
struct live_end asked_peer_find(const struct live_qp *qp);

#endif
