/* SPDX-License-Identifier: MIT */
/* Trace lines: one for each library call, short or with its arguments and result. */
#ifndef SHELL_TRACE_H
#define SHELL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

struct session;

enum voice {
	VOICE_SETUP,   /* objects, connections */
	VOICE_PREPARE, /* getting ready for data */
	VOICE_DATA,    /* work requests, completions */
	VOICE_INFO,    /* dumps and remarks */
};

/* A call that has returned. */
struct traced_call {
	enum voice voice;
	int64_t when;	    /* CLOCK_REALTIME, ns */
	const char *name;   /* of the function */
	const char *args;   /* or "" */
	const char *result; /* "" of a function that returns nothing */
	const char *made;   /* name of the object that it created, or NULL */
	bool bad;	    /* it failed */
	bool asks;	    /* a query: left out of the short trace */
};
/* Prints the line of a call while the trace or step mode is on. */
void trace_call(struct session *s, const struct traced_call *c);

/* Prints a further line, such as a dump, for 'trace all'. */
void trace(struct session *s, enum voice v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Step mode: stops before each library call, shows it, and waits for Enter; then shows what the
 * call changed.
 */

/* Called by trace.c before and after each library call; call is the C call as text. */
void step_before(struct session *s, const char *call);
void step_after(struct session *s);
/* To be called before each top-level command: ends the effect of `skip`. */
void step_command(struct session *s);
/* To be called after it: shows what its last call changed. */
void step_ended(struct session *s);

#endif
