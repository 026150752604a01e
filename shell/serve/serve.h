/* SPDX-License-Identifier: MIT */
/* rdmash --peer: another rdmash says what to run, over standard input and output. */
#ifndef SHELL_SERVE_H
#define SHELL_SERVE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <tcl.h>

struct session;

/* Serves until standard input ends or a command quits. All that is printed meanwhile goes
 * to the other end, in order. 0, or -2 with a message printed: standard input is a terminal.
 *
 * The messages (frames.h). From the other end, which made this one:
 *
 * - run: id, script, values (of FRAMES_VALUE); print: results are printed; name, line, dir:
 *   where it stands; interactive, passed, failed: what the session is to count on from;
 *   settings: trace (0 to 2), color, echo, quiet, format
 * - interrupt: id: Ctrl-C, for that run only
 *
 * To it:
 *
 * - hello: protocol, version, host, pid: first of all
 * - out, err: text: printed
 * - notice: kind, text
 * - done: id; value, or error (call, code, text, where, rows, errorcode); passed, failed;
 *   skipped: by a require; objects: name and kind of each
 *
 * Runs are queued and run one after the other. */
int serve(struct session *s);

/* Reads what has come, while a script computes: it may be Ctrl-C. */
void serve_look(void);
/* Makes the command with which a run takes its values. For each interpreter. */
void serve_commands(Tcl_Interp *tcl);

#endif
