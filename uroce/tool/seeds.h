/* SPDX-License-Identifier: MIT */
/* Running a program with one seed of UROCE_ORDER after the other. */
#ifndef UROCE_TOOL_SEEDS_H
#define UROCE_TOOL_SEEDS_H

/* Runs argv with the seeds from 1 to n, each for so many seconds at most, and says on stderr which
 * of them fail: with another exit status than 0, by a signal, or because time was up. The
 * output of a program is shown if it fails. level: "", or ",far". 0: none failed; 1: some did; 127:
 * the program cannot be run. */
int seeds_run(unsigned n, const char *level, unsigned seconds, char **argv);

#endif
