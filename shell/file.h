/* SPDX-License-Identifier: MIT */
/* Files and pipes of commands: where scripts may open them, and waiting for them so that
 * Ctrl-C ends the wait. */
#ifndef SHELL_FILE_H
#define SHELL_FILE_H

#include <sys/types.h>

struct session;

/* Opens path for a command: for code of a script only below its domain's directory or an
 * --allow-dir, and for writing only what has no other name. A relative path is beside the script
 * that runs. A new descriptor, or -1 with s->fail filled. flags, mode: open(2). */
int file_open(struct session *s, const char *path, int flags, unsigned mode);

/* The folder that path is in, to make a file there: errors name path. */
int file_open_folder(struct session *s, const char *path);

/* The root of the domain whose code has called the command (domain.h); NULL: the user's own. */
const char *file_gate(const struct session *s);

/* Reads what there is, at most room bytes, from a descriptor of file_open() or standard
 * input; waits in the loop. 0 at its end, -1 with s->fail filled. */
ssize_t file_take(struct session *s, int fd, const char *path, void *data, size_t room);
/* Writes all of it to a descriptor of file_open(); waits in the loop for a pipe that is full.
 * -1 with s->fail filled. */
int file_put(struct session *s, int fd, const char *path, const void *data, size_t len);

#endif
