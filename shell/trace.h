/* SPDX-License-Identifier: MIT */
/*
 * Trace lines: each library call, as a short line or with its arguments and its result.
 * call_begin() stands right before the call, call_end() or call_fail() right after it.
 */
#ifndef SHELL_TRACE_H
#define SHELL_TRACE_H

struct session;

enum voice {
	SLOW, /* control path: objects, connections */
	FAST, /* control path: getting ready for data */
	DATA, /* data path: work requests */
	INFO, /* dumps and remarks */
};

/* Announces call(args). Nothing is formatted unless the trace is on. */
void call_begin(struct session *s, enum voice v, const char *call, const char *args, ...)
	__attribute__((format(printf, 4, 5)));
/* The call announced last went well: prints the line with "= result". Returns 0. */
int call_end(struct session *s, const char *result, ...) __attribute__((format(printf, 2, 3)));
/* It failed with errno err (sign ignored): prints the line, then fails as fail_call()
 * with the call's name. Returns -1. */
int call_fail(struct session *s, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A line of its own: a step, a dump. For trace all. */
void trace(struct session *s, enum voice v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
