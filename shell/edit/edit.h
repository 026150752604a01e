/* SPDX-License-Identifier: MIT */
/*
 * Line editing at a terminal: libedit driven by the event loop.
 *
 * Knows neither commands nor verbs: what completes, what is hinted and when a block is
 * whole comes from struct edit_ops.
 */
#ifndef SHELL_EDIT_H
#define SHELL_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <tcl.h>

struct edit;
struct loop;

struct edit_ops {
	/* Appends the prompt; SGR colours are allowed, their width is not counted. */
	void (*prompt)(void *ctx, Tcl_DString *prompt);
	/* Is text (lines typed so far, each with its newline) a whole command? */
	bool (*whole)(void *ctx, const char *text);
	/* Appends to the Tcl list the words that fit at the end of text (everything typed
	 * before the cursor, earlier lines of the block included); *start is set to the
	 * byte offset in text where the word being completed begins. */
	void (*complete)(void *ctx, const char *text, Tcl_Obj *words, size_t *start);
	/* Appends what is still missing after text: shown in grey behind the cursor. */
	void (*hint)(void *ctx, const char *text, Tcl_DString *hint);
};

enum edit_end {
	EDIT_BLOCK,  /* a whole command was typed */
	EDIT_CANCEL, /* Ctrl-C, or Ctrl-D in an open block: it was dropped, or the line */
	EDIT_EOF,    /* Ctrl-D on an empty line, the terminal is gone, or SIGTERM/SIGHUP */
};

/* Standard input and output must be a terminal. history: file to load and append to
 * (made with mode 0600, its folders too), or NULL. The ops and ctx must outlive the
 * editor. */
struct edit *edit_new(struct loop *l, const struct edit_ops *ops, void *ctx, const char *history);
/* Restores the terminal. */
void edit_free(struct edit *e);

/* Reads one command, of several lines where ops->whole says so (continuation prompt);
 * appends it to block without the last newline, and to the history as one entry.
 * Serves the event loop while it waits for keys. A Ctrl-C left over from the command
 * before is cleared; it also drops what was pasted behind that command. */
enum edit_end edit_read(struct edit *e, Tcl_DString *block);

/* Prints text (whole lines) above the prompt when a line is being typed, which keeps
 * line and cursor as they are; otherwise just prints it. To standard output. */
void edit_above(struct edit *e, const char *text);

/* Is a line being typed? */
bool edit_is_typing(const struct edit *e);

/* Appends the last n entries of the history that contain text, the oldest first. */
void edit_history(const struct edit *e, unsigned n, const char *text, Tcl_Obj *list);

/* Ghost hints on or off (on at first). */
void edit_hints(struct edit *e, bool on);
/* Puts the terminal back as it was: for a panic, async-signal-safe enough for that. */
void edit_panic(struct edit *e);

#endif
