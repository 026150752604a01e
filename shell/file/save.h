/* SPDX-License-Identifier: MIT */
/*
 * Files that commands write, all subject to the checks of file_open().
 *
 * A whole file is written as .NAME.XXXXXX in the same directory and is renamed when every byte is
 * on the disk, so that it is complete or absent, and an old file stays until then. A file that
 * grows during the session (a record, a capture) has its name from the start, so that a crash loses
 * nothing; it ends with the last complete piece.
 *
 * An existing file is not replaced unless force is set. A pipe, a terminal or another device is
 * simply written to.
 */
#ifndef SHELL_SAVE_H
#define SHELL_SAVE_H

#include <stdbool.h>
#include <stddef.h>

struct session;

/* Writes a whole file; mode is that of a new file, as in open(2). -1 with s->fail filled: no part
 * of it is left. */
int save_file(struct session *s, const char *path, bool force, unsigned mode, const void *data,
	      size_t len);
/* Appends to an existing file or, with create, to a new one. -1 with s->fail filled: the file is as
 * long as before. */
int save_append(struct session *s, const char *path, bool create, unsigned mode, const void *data,
		size_t len);

/* Creates a file that grows. Returns a descriptor for appending and reading, or -1 with s->fail
 * filled. With force an existing file is replaced at once. */
int save_growing(struct session *s, const char *path, bool force, unsigned mode);
/* Appends a piece. -1 with errno: the file ends with the previous piece. */
int save_piece(int fd, const void *data, size_t len);
/* Prints that the file cannot grow any more because of err (errno), and makes the program's exit
 * code a failure. */
void save_ends(const char *path, int err);
/* Has save_ends() been called? */
bool save_incomplete(void);

#endif
