/* SPDX-License-Identifier: MIT */
/* A child of fork(2) has nothing of the device of its parent, and may have one of its own. */
#ifndef UROCE_PRELOAD_FORK_H
#define UROCE_PRELOAD_FORK_H

/* From now on: once a process, by engine_get() and by who first looks at our files; programs
 * that use no verbs fork as ever.
 * 0, or -1 with errno. */
int fork_install(void);

#endif
