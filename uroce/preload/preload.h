/* SPDX-License-Identifier: MIT */
/* The functions that the files of preload/ provide: the device as sysfs and /dev would show it, in
 * a directory of this process (tree.c); and what happens at fork(2) and exit(3) (fork_exit.c). */
#ifndef UROCE_PRELOAD_H
#define UROCE_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Does path belong to our device? Returns its place in the tree (a constant), and sets *rest to the
 * part of path after it; else NULL. This is fast, because it is asked for every path that the
 * program opens. */
const char *tree_place(const char *path, const char **rest);

/* Writes the name of the file that stands for place/rest to buf, and brings the files up to date.
 * False: there is no tree (no directory for temporary files), or the name is too long. */
bool tree_file(const char *place, const char *rest, char *buf, size_t size);

/* Called before and after fork() in the thread that calls it; and in the child, which makes a tree
 * of its own. */
void tree_before_fork(void);
void tree_after_fork(void);
void tree_forget(void);

/* A file of a counter has been asked for: from then on the program may read it at any time. */
extern _Atomic bool tree_followed;
/* Brings the files of counters up to date if fd may be one of them. */
void tree_again(int fd);

/* Writes what is asked about this process: link_upper.status (link.h). */
size_t status_text(char *buf, size_t n);

/* ----------------------------------------------------------- fork_exit.c -- */

/* A child of fork(2) has nothing of the device of its parent, but may open the device itself. */

/* Installs the handlers of fork(), once for each process. engine_get() calls this, and so does the
 * first look at our files: programs that use no verbs fork as usual. 0, or -1 with errno. */
int fork_install(void);

#endif
