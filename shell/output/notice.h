/* SPDX-License-Identifier: MIT */
/*
 * Notices: what happens on its own (a peer disconnects, an asynchronous event, a
 * completion event on an armed CQ) told without disturbing what the user types.
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
	NOTICE_PEER,	/* another rdmash that this one has started */
	NOTICE_HANDLER, /* what 'on' has made */
	NOTICE_KINDS
};

/* Words of the kinds, in the order of the enum: "cm" "async" "cq" "wire" "peer" "handler". */
extern const char *const notice_words[NOTICE_KINDS];

struct notices *notices_new(void);
void notices_free(struct notices *n);

/* Bit (1 << kind) set: shown. All are at first. */
void notices_show(struct notices *n, unsigned kinds);
unsigned notices_shown(const struct notices *n);
/* All are handed to fn, with those of peers, instead of being printed. */
typedef void notice_fn(void *arg, enum notice_kind kind, const char *text);
void notices_divert(struct notices *n, notice_fn *fn, void *arg);

/* Prints one line, "* cm    id0: DISCONNECTED by peer (answered)", to standard error. */
void notice_post(struct notices *n, enum notice_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
