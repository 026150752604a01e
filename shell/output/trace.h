/* SPDX-License-Identifier: MIT */
/* Trace lines: each library call, as a short line or with its arguments and its result. */
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
	const char *made;   /* the object that it has made, or NULL */
	bool bad;	    /* it failed */
	bool asks;	    /* it changes nothing: left out where calls are short */
};
/* Prints its line, as long as the trace, or step mode, is on. */
void trace_call(struct session *s, const struct traced_call *c);

/* A line of its own: a step, a dump. For trace all. */
void trace(struct session *s, enum voice v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
