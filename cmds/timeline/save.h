/* SPDX-License-Identifier: MIT */
#ifndef CMDS_TIMELINE_SAVE_H
#define CMDS_TIMELINE_SAVE_H

#include <tcl.h>

struct session;

/* Writes all of d into a file of file_open(), made anew. -1 with s->fail filled, naming
 * call. */
int save_file(struct session *s, const char *call, const char *path, const Tcl_DString *d);

#endif
