/* SPDX-License-Identifier: MIT */
/*
 * Files that commands write. All go through the gate of file_open().
 *
 * A whole file is written beside its name, as .NAME.XXXXXX, and takes the name when every
 * byte is on the disk: there is all of it or nothing, and what was there before stays until
 * then. A file that grows as long as the session does (a record, a capture) has its name from
 * the start, so that a crash loses nothing; it ends with the last piece that was written whole.
 *
 * What is there is not replaced unless force is set. A pipe, a terminal or another device is
 * just written to.
 */
#ifndef SHELL_SAVE_H
#define SHELL_SAVE_H

#include <stdbool.h>
#include <stddef.h>

struct session;

/* Writes a whole file; mode: open(2), for a new one. -1 with s->fail filled: nothing of it is
 * left. */
int save_file(struct session *s, const char *path, bool force, unsigned mode, const void *data,
	      size_t len);
/* Writes at the end of a file that is there, or, with create, of a new one. -1 with s->fail
 * filled: the file is as long as before. */
int save_append(struct session *s, const char *path, bool create, unsigned mode, const void *data,
		size_t len);

/* Makes a file that grows: a descriptor for writing at its end and for reading, or -1 with
 * s->fail filled. With force what is there is given up at once. */
int save_growing(struct session *s, const char *path, bool force, unsigned mode);
/* Writes a piece to it. -1 with errno: the file ends with the piece before. */
int save_piece(int fd, const void *data, size_t len);
/* It cannot grow any more, for the reason err (errno): prints that, and lets the program end
 * with a failure. */
void save_ends(const char *path, int err);
/* Has save_ends() been called? */
bool save_incomplete(void);

#endif
