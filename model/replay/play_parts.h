/* SPDX-License-Identifier: MIT */
/* The back end that writes a script for rdmash. */
#ifndef MODEL_PLAY_PARTS_H
#define MODEL_PLAY_PARTS_H

#include "replay_parts.h"

/* A value in told bytes, as a variable. */
struct told_value {
	char in[24]; /* their variable */
	struct value_place place;
	char variable[24];
};

struct script {
	struct told_value *values;
	unsigned nvalues;
	unsigned inlines, clients, gids, devices; /* names given so far */
	uint64_t event_of; /* a CQ that has had an event, and no completion since; 0: none */
	char event_channel[48];
	char host[64]; /* the first address that it connects to */
};

/* replayed.rdma.in: the script around the calls, with the procedures that they use. */
extern const char replayed_rdma[];

/* Adds a line, after the lines that it needs. */
void play_line(struct replay *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds a line before the next one, which needs it. */
void play_first(struct replay *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes those lines, though no line follows. */
void play_flush(struct replay *p);

/* The bytes as one word of Tcl, in which the program's own values are replaced by those of the
 * script. */
void play_word(struct replay *p, struct text *to, const unsigned char *data, size_t n);
/* The same for the last argument of a command: the bytes may begin as an option does. */
void play_argument(struct replay *p, struct text *to, const unsigned char *data, size_t n);
/* "[get mr0 rkey]", "[expr {[get mr0 addr] + 64}]" */
const char *play_own(struct replay *p, const struct own_value *v, uint64_t offset);
void play_put(struct replay *p, const struct own_value *mr, uint64_t off, const unsigned char *data,
	      size_t n);

/* The name of an object as a word: "qp0", "$client0", "$device0". */
const char *play_object(struct replay *p, struct replay_object *o, enum call_object want);
void play_call(struct replay *p, const struct record *r, struct replay_object *made);
void play_prepare(struct replay *p, const struct record *r);
const char *play_special(struct replay *p, const struct call_sink *k, const struct call_value *v,
			 const void *at);

#endif
