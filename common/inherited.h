/* SPDX-License-Identifier: MIT */
/* A parent can hand on by exec(2) states in which a program does not work: standard streams that
 * are closed, signals that are blocked, SIGCHLD that is ignored, so that no child can be waited
 * for. */
#ifndef COMMON_INHERITED_H
#define COMMON_INHERITED_H

/* To be called first in main(). A closed stream becomes one that fails with EBADF: else the next
 * file that is opened would take its place. */
void inherited_repair(void);
/* To be called before exec(2) of a program that is to have the signals as the parent handed them
 * on. The streams close by themselves. */
void inherited_restore(void);

#endif
