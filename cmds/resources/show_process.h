/* SPDX-License-Identifier: MIT */
/* The objects of another program on uroce0, shown like those of the session. */
#ifndef CMDS_SHOW_PROCESS_H
#define CMDS_SHOW_PROCESS_H

#include <stdbool.h>

#include "processes.h"

struct out;
struct session;

/* Writes since when the QP is in its state, and why (all: its last changes), and what it repeats.
 */
void show_process_history(const struct uroce_qp_row *r, bool all, unsigned indent, struct out *o);
/* Writes which packets the device of the process has dropped. */
void show_process_drops(const struct uroce_inventory *inv, struct out *o);

/* show -process PID: 0, or -1 with s->fail filled. only: the name of an object, or NULL. */
int show_process(struct session *s, pid_t pid, const char *only, struct out *o);
/* show -watch: for so long, or until Ctrl-C. The value is the list of the lines. */
void show_watch(struct session *s, int64_t within_ms, struct out *o);

#endif
