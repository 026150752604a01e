/* SPDX-License-Identifier: MIT */
/*
 * Command lines from the command table: for each argument a value of its kind that is right,
 * or odd, or wrong. The same seed gives the same lines, as long as the same objects live.
 */
#ifndef CMDS_COMMAND_LINES_H
#define CMDS_COMMAND_LINES_H

#include <stdint.h>
#include <tcl.h>

struct cmd;
struct session;

struct lines {
	struct session *s;
	uint64_t random; /* the state; set it to a seed */
	unsigned depth;	 /* of commands in commands */
};

/* A number below n. */
unsigned lines_random(struct lines *g, unsigned n);
/* A command, of those that lines_may_run(). */
const struct cmd *lines_command(struct lines *g);
/* Its words, name first, as a new list (reference count 0). Files are named in the working
 * directory, hosts by numbers; what waits is told to give up within ms milliseconds, most of the
 * time. */
Tcl_Obj *lines_words(struct lines *g, const struct cmd *c, unsigned ms);
/* Not those that start programs. */
bool lines_may_run(const struct cmd *c);

#endif
