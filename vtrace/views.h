/* SPDX-License-Identifier: MIT */
/* What is written of the calls: a line each, in text or JSON; why something has failed; and in the
 * end how much there was of each. */
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
	bool counts;		   /* a table in the end */
	bool timeline;		   /* all processes side by side, in the end */
	const char *report;	   /* the name of a page of HTML with that, in the end; or NULL */
	struct captures *captures; /* packets for these two, or NULL */
	bool explain;		   /* what has failed */
	const char *only; /* names, patterns, "set-up", "data", with commas between; NULL: all */
};

/* Is the list of names good? Else a line that says which is not, to stderr. */
bool views_check(const char *only);
/* v stays the caller's, and as it is. */
void views_begin(const struct views *v);
void views_take(const struct reader_news *news);
/* The program has ended. */
void views_end(void);

/* -------------------------------------------------- a call as a line, as strace writes it -- */

/* "12:00:01.123456 ibv_alloc_pd uroce0 = pd0", with the time at which it ended; pids: with the
 * number of the process in front. */
void line_write(FILE *to, const struct reader_news *call, bool pids);
/* The parts of that: "qp0 {qp_state INIT port_num 1}", and "qp0, qpn 17" or "ENOMEM". */
void line_write_args(FILE *to, const struct reader_news *call);
void line_write_result(FILE *to, const struct reader_news *call);
/* "12:00:01.123456 rdma_get_cm_event qp0 <unfinished ...>" */
void line_write_unfinished(FILE *to, const struct reader_news *call, bool pids);
/* A call as an object of JSON. */
void line_write_json(FILE *to, const struct reader_news *call);

/* vtrace -c: of each function how often it was called, and how long that took; of each operation
 * how long it took from its post to the poll that has brought its completion. */

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

/* The calls of the traced processes as a ladder, a lane for each: vtrace --timeline and --report.
 */

struct decoded;
struct live_program;
struct traced;

struct traced_ladder {
	struct ladder ladder;
	unsigned long left_out; /* rows, the oldest */
};

/* A process gets its lane; returns its place. */
unsigned traced_ladder_add(struct traced_ladder *t, const struct traced *process);
/* Takes a call, which live has taken. */
void traced_ladder_take(struct traced_ladder *t, unsigned place, const struct reader_news *call,
			struct live_program *live);
/* Takes a packet that the process there has sent (out) or received; fate may be "". */
void traced_ladder_packet(struct traced_ladder *t, unsigned place, const struct decoded *d,
			  bool out, int64_t when, const char *fate);
/* There will be no more rows: puts them in order. */
void traced_ladder_end(struct traced_ladder *t);

/* Why something has failed in a traced program, from its objects as they were then. */

/* A completion that is an error. there: the other end; its qp is NULL if it cannot be seen. */
void explain_traced_completion(const struct live_program *p, const struct seen_wc *wc,
			       const struct live_end *there, struct out *o);
/* A call that has failed, which p has taken. false: it has not, or there is nothing to say: it
 * found nothing yet, or asked for something that a device need not have. */
bool explain_traced_call(const struct live_program *p, const struct record *r, struct out *o);

/* The other end of a connection on uroce0 that is not traced: its process is asked. */

/* Where no call has told whom the QP of process pid is connected with (librdmacm can connect it
 * without any), the process is asked, and *qp knows it then. */
void asked_peer_learn(pid_t pid, struct live_qp *qp);
/* The other end of that QP. Its .qp is NULL where it cannot be had; .gone says why if it no longer
 * exists. To be freed by live_end_free(). */
struct live_end asked_peer_find(const struct live_qp *qp);

#endif
