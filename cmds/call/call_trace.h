/* SPDX-License-Identifier: MIT */
/*
 * Calls as they are made: the trace and step mode are told of them by the record.
 * A command just calls a function.
 */
#ifndef CMDS_CALL_TRACE_H
#define CMDS_CALL_TRACE_H

struct record;
struct session;

/* Before and after each command: watches calls if somebody wants to know of them now, and prints
 * what has not been printed. */
void call_trace_watch(struct session *s);
void call_trace_end(void);
/* What the last call has made has its name now: the line of that call can be printed. */
void call_trace_flush(struct session *s);

/* The last call of this command that failed did so with errno err (sign ignored): fails as
 * fail_call() with its name. Returns -1. */
int call_fail(struct session *s, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "qp0 {qp_state INIT port_num 1}": the arguments of a call, as the command call takes them.
 * To be freed. */
char *call_args_text(struct session *s, const struct record *r);
/* "qp0, qpn 17", "ENOMEM", "id1 ESTABLISHED": what it has told. To be freed. */
char *call_result_text(struct session *s, const struct record *r);

#endif
