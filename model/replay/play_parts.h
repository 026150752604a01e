/* SPDX-License-Identifier: MIT */
/* The language of scripts for rdmash. */
#ifndef MODEL_PLAY_PARTS_H
#define MODEL_PLAY_PARTS_H

#include "replay_parts.h"

struct script {
	unsigned clients, devices; /* names given so far */
	struct text data;	   /* the bytes that are being written */
};

/* replayed.rdma.in: the script around the calls, with the procedures that they use. */
extern const char replayed_rdma[];

void play_line(struct replay *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The name of an object as a word: "qp0", "$client0", "$device0". */
const char *play_object(struct replay *p, struct replay_object *o, enum call_object want);
void play_call(struct replay *p, const struct record *r, struct replay_object *made);
void play_prepare(struct replay *p, const struct record *r);
const char *play_special(struct replay *p, const struct call_sink *k, const struct call_value *v,
			 const void *at);

#endif
