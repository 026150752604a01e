/* SPDX-License-Identifier: MIT */
/* The files that the export commands write, and what they tell of them. */
#ifndef CMDS_EXPORT_FILE_H
#define CMDS_EXPORT_FILE_H

#include <tcl.h>

struct out;
struct program;
struct session;

/* The name of path ends with end and can be that of a target. 0, or -1 with s->fail filled. */
int export_check_name(struct session *s, const char *path, const char *end);
/* What is not in the program. */
void export_tell(const struct program *p, struct out *o);

#endif
