/* SPDX-License-Identifier: MIT */
/* What exec(2) hands on from a parent, and keeps a program from working: standard streams that are
 * closed, signals that are blocked, SIGCHLD that is ignored, so that no child can be waited for. */
#ifndef COMMON_INHERITED_H
#define COMMON_INHERITED_H

/* To be called first in main(). What is written to a stream that was closed fails with EBADF. */
void inherited_repair(void);
/* Before exec(2) of a program that is to have it as it was: signals. The streams close by
 * themselves. */
void inherited_restore(void);

#endif
