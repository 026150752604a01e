/* SPDX-License-Identifier: MIT */
/* Expectations: counted, and summed up at the end of a run. */
#ifndef SHELL_EXPECT_H
#define SHELL_EXPECT_H

#include <stdbool.h>

struct cmd;
struct session;

extern const struct cmd cmd_expect;

/* Does got fit want: the same text, the same number, or a glob pattern? */
bool expect_fits(const char *want, const char *got);

#endif
