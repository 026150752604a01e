/* SPDX-License-Identifier: MIT */
/* Files that commands open: checks which files a script may open, and reads and writes that Ctrl-C
 * can interrupt. Also scripts, files that the program keeps for the user, and shared libraries. */
#ifndef SHELL_FILE_H
#define SHELL_FILE_H

#include <glob.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct session;

/* Opens path for a command. Code of a script may open only files below its domain's directory or an
 * --allow-dir, and may write only files without other hard links. A relative path starts at the
 * directory of the running script. flags, mode: as in open(2). Returns a new descriptor, or -1 with
 * s->fail filled. */
int file_open(struct session *s, const char *path, int flags, unsigned mode);

/* Opens the directory of path, to create a file there; errors name path. */
int file_open_folder(struct session *s, const char *path);

/* The root of the domain whose code called the command (interp.h); NULL: the user's own domain. */
const char *file_gate(const struct session *s);

/* Reads at most room bytes from a descriptor of file_open() or standard input; waits in the loop
 * until there are some. Returns the number of bytes, 0 at the end of the file, -1 with s->fail
 * filled. */
ssize_t file_take(struct session *s, int fd, const char *path, void *data, size_t room);
/* Writes all of data to a descriptor of file_open(), no other: its flags change. Waits in the loop
 * while a pipe is full. -1 with s->fail filled. */
int file_put(struct session *s, int fd, const char *path, const void *data, size_t len);

/* Reads a whole text, which the caller frees. NULL with s->fail filled, as a failure of command:
 * the file cannot be read, contains zero bytes, or has more than 16 MiB. */
char *file_text(struct session *s, int fd, const char *path, const char *command);

/* The part of a file's text that has been read so far. text ends with a null byte; to be freed. */
struct file_part {
	char *text;
	size_t len, room;
};
/* Reads more of it, as much as there is. 0: that is all; -1 with s->fail filled, as of file_text().
 */
ssize_t file_more(struct session *s, int fd, const char *path, const char *command,
		  struct file_part *part);
/* The length of the byte order mark at the beginning of a text; 0: it has none. */
size_t file_mark(const char *text);

/* A script that was read. */
struct script_text {
	char *text, *dir; /* dir: its directory; the current one for a pipe */
	bool is_users;	  /* nobody else can write the file or put another in its place */
};

/* Reads a whole script; path "-" is standard input. -1 with s->fail filled. */
int file_read_script(struct session *s, const char *path, struct script_text *t);
void file_free_script(struct script_text *t);
/* The path of a file that a script names, from the script's own path (NULL: it was typed). The
 * caller frees it. */
char *file_path_beside(const char *script, const char *path);

/* The path $variable/rdmash/name, or ~/home/rdmash/name if the variable is not set; NULL without a
 * home directory. The caller frees it. */
char *file_xdg_path(const char *variable, const char *home, const char *name);
/* The path of a file in $XDG_STATE_HOME that is kept between sessions. The caller frees it. */
char *file_xdg_state(const char *name);
/* Creates the missing directories of path, all but its last part, with mode 0700. Errors show when
 * the file is opened. */
void file_make_parents(const char *path);
/* Finds the program's own files in folder whose names match the pattern names, in an installation
 * or a build tree. $variable, if set, replaces the folder (NULL: nothing does). False: there are
 * none. */
bool file_own_list(const char *variable, const char *folder, const char *names, glob_t *files);
/* The text of the one with this name. NULL with s->fail filled; the caller frees it. */
char *file_own_find(struct session *s, const char *variable, const char *folder, const char *name);
/* The text of one of them, which is not subject to the checks of file_open(). NULL with s->fail
 * filled; the caller frees it. */
char *file_own_text(struct session *s, const char *path);

/* Writes all of data; waits while a pipe is full, whatever its flags are. -1 with errno. */
int file_write_all(int fd, const void *data, size_t len);

/*
 * Files that commands write, all subject to the checks of file_open().
 *
 * A whole file is written as .NAME.XXXXXX in the same directory and is renamed when every byte is
 * on the disk, so that it is complete or absent, and an old file stays until then. A file that
 * grows during the session (a record, a capture) has its name from the start, so that a crash loses
 * nothing; it ends with the last complete piece.
 *
 * An existing file is not replaced unless force is set. A pipe, a terminal or another device is
 * simply written to. The program's own streams, by whatever name, are written to by print.h.
 */

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

/* The recorder writes a session as a script; a failed command becomes a comment. */

struct recorder *recorder_new(void);
void recorder_free(struct recorder *r);

/* To be called after a command from the prompt or -c has run. */
void recorder_note(struct session *s, const char *command, int len, bool failed);

/*
 * Shared libraries that rdmash is not linked to: each is loaded when it is first needed, so that
 * other sessions start sooner.
 */

/* A function by its name, and where in the struct of pointers its address goes. */
struct dynamic_function {
	const char *name;
	size_t offset;
};

/* Loads the first library of names (ends with NULL) that is installed, and fills the struct at to.
 * Returns NULL, or the reason for a failure, valid until the next call; the struct is then
 * unchanged. */
const char *file_load_library(const char *const names[], const struct dynamic_function functions[],
			      size_t n, void *to);

#endif
