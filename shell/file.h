/* SPDX-License-Identifier: MIT */
/* Files and pipes of commands: where scripts may open them, and waiting for them so that
 * Ctrl-C ends the wait. */
#ifndef SHELL_FILE_H
#define SHELL_FILE_H

#include <sys/types.h>

struct session;

/* Opens path for a command: in a script only below the script's directory or an
 * --allow-dir. A new descriptor, or -1 with s->fail filled. flags, mode: open(2). */
int file_open(struct session *s, const char *path, int flags, unsigned mode);

/* The directory that files of commands are confined to now; NULL: they may be anywhere. */
const char *file_gate(const struct session *s);

/* Reads what there is, at most room bytes, from a descriptor of file_open() or standard
 * input; waits in the loop. 0 at its end, -1 with s->fail filled. */
ssize_t file_take(struct session *s, int fd, const char *path, void *data, size_t room);
/* Writes all of it to a descriptor of file_open(); waits in the loop for a pipe that is full.
 * -1 with s->fail filled. */
int file_put(struct session *s, int fd, const char *path, const void *data, size_t len);

#endif
