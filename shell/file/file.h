/* SPDX-License-Identifier: MIT */
/* Files: those that commands open (where scripts may, and waiting so that Ctrl-C ends the wait),
 * and those that the program keeps for its user. */
#ifndef SHELL_FILE_H
#define SHELL_FILE_H

#include <glob.h>
#include <stdbool.h>
#include <stddef.h>
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

/* $variable/rdmash/name, else ~/home/rdmash/name; NULL without a home. To be freed. */
char *xdg_path(const char *variable, const char *home, const char *name);
/* A file of what is kept between sessions: $XDG_STATE_HOME. */
char *xdg_state(const char *name);
/* The files of the program in folder, whose names match the pattern names: installed, and in a tree
 * that was built; $variable, if set, is the folder instead. False: there are none. */
bool program_files(const char *variable, const char *folder, const char *names, glob_t *files);

/* Writes all of it to a descriptor that blocks: a file. -1 with errno. */
int write_all(int fd, const void *data, size_t len);

#endif
