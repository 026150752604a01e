/* SPDX-License-Identifier: MIT */
/*
 * Notices report asynchronous events (a peer disconnects, an event of the device, a completion
 * event of an armed CQ) without disturbing the line being typed.
 */
#ifndef SHELL_NOTICE_H
#define SHELL_NOTICE_H

#include <stdbool.h>

struct notices;

enum notice_kind {
	NOTICE_CM,	/* connection management events */
	NOTICE_ASYNC,	/* asynchronous events of a device */
	NOTICE_CQ,	/* completion events */
	NOTICE_WIRE,	/* packets */
	NOTICE_PEER,	/* peers: other rdmash processes that this one started */
	NOTICE_HANDLER, /* handlers of 'on' */
	NOTICE_KINDS
};

/* Names of the kinds: "cm" "async" "cq" "wire" "peer" "handler". */
extern const char *const notice_words[NOTICE_KINDS];

struct notices *notices_new(void);
void notices_free(struct notices *n);

/* Sets which kinds are shown: a mask of (1 << kind). Initially all are. */
void notices_show(struct notices *n, unsigned kinds);
unsigned notices_shown(const struct notices *n);
/* Passes all notices, also those of peers, to fn instead of printing them. */
typedef void notice_fn(void *arg, enum notice_kind kind, const char *text);
void notices_divert(struct notices *n, notice_fn *fn, void *arg);

/* Prints one line, "* cm    id0: DISCONNECTED by peer (answered)", to standard error. */
void notice_post(struct notices *n, enum notice_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
