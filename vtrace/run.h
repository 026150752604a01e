/* SPDX-License-Identifier: MIT */
/* The program that is traced: its start, its end, and the signals that are meant for it. */
#ifndef VTRACE_RUN_H
#define VTRACE_RUN_H

#include <stdbool.h>

struct reader;

/* Starts it with the library loaded before others. From now on signals that somebody sends to this
 * process go to the program, and those of the terminal, which it gets itself, do nothing here. -1:
 * it could not be started, a line says why and *status is what to exit with. */
int run_start(struct reader *r, char **argv, int *status);
/* Has somebody sent SIGCONT since the last time? */
bool run_was_continued(void);
/* Has it ended? Its status is that of wait(2). */
bool run_has_ended(int *status);
/* Ends this process as the program has ended: with its exit code, or by the same signal. */
_Noreturn void run_exit_as(int status);

#endif
