/* SPDX-License-Identifier: MIT */
/* The history of typed commands, in memory for libedit and in a file for later sessions. */
#ifndef SHELL_HIST_H
#define SHELL_HIST_H

#include <tcl.h>

#include "edit/libedit.h"

struct hist;

/* path: the file to load and append to, created with mode 0600, its directories with 0700; NULL: in
 * memory only. A file that cannot be read or written is not an error; a file that is not a history
 * is not changed. */
struct hist *hist_open(const char *path);
void hist_close(struct hist *h);
/* The argument for EL_HIST, with history(). */
History *hist_entries(struct hist *h);
/* Appends the last n entries that contain text ("": all), the oldest first, to a list. */
void hist_list(struct hist *h, unsigned n, const char *text, Tcl_Obj *list);
/* Adds one entry, which may have several lines, unless it repeats the last one. */
void hist_add(struct hist *h, const char *entry);

#endif
