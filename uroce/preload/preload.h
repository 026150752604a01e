/* SPDX-License-Identifier: MIT */
/* What the files of preload/ offer: the device as sysfs and /dev would show it, in a directory of
 * this process (tree.c), and fork(2) (fork_exit.c). */
#ifndef UROCE_PRELOAD_H
#define UROCE_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Is it a path of our device? NULL, or where it is in the tree (a part of path, or a
 * constant). Quick: all paths that the program opens are asked for. */
const char *tree_place(const char *path, const char **rest);

/* Writes the name of the file that stands for place/rest to buf, made or brought up to date;
 * lists: with all that is below it. false: there is no tree (no temporary directory), or the name
 * is too long. */
bool tree_file(const char *place, const char *rest, bool lists, char *buf, size_t size);

/* Around fork(), in the thread that calls it, and in the child, whose tree is its own. */
void tree_before_fork(void);
void tree_after_fork(void);
void tree_forget(void);

/* A file of a counter has been looked for: it may be read from then on, as often as it likes. */
extern _Atomic bool tree_followed;
/* Brings the counters up to date if the descriptor may be one of theirs. */
void tree_again(int fd);

/* ----------------------------------------------------------- fork_exit.c -- */

/* A child of fork(2) has nothing of the device of its parent, and may have one of its own. */

/* From now on: once a process, by engine_get() and by who first looks at our files; programs
 * that use no verbs fork as ever.
 * 0, or -1 with errno. */
int fork_install(void);

#endif
