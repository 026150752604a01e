/* SPDX-License-Identifier: MIT */
/* rdmash --peer: another rdmash sends the commands to run, over standard input and output. */
#ifndef SHELL_SERVE_H
#define SHELL_SERVE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <tcl.h>

struct session;

/* Serves until standard input ends or a command quits. Everything that is printed meanwhile goes to
 * the other end, in order. 0, or -2 with a message printed: standard input is a terminal.
 *
 * The messages (frames.h). From the other end, which started this one:
 *
 * - run: id, script, values (of FRAMES_VALUE); print: results are printed; name, line, dir:
 *   its position in the script; interactive, passed, failed: initial values of the session's
 * counters; settings: trace (0 to 2), color, echo, quiet, format
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

/* Reads received messages while a script computes: there may be an interrupt. */
void serve_look(void);
/* Creates the command FRAMES_VALUE. To be called for each interpreter. */
void serve_commands(Tcl_Interp *tcl);

#endif
