/* SPDX-License-Identifier: MIT */
/*
 * Line editing at a terminal: libedit driven by the event loop.
 *
 * The editor does not depend on commands or verbs: struct edit_ops provides completion, hints and
 * the test for a complete block. The interactive session, at the end, puts them together.
 */
#ifndef SHELL_EDIT_H
#define SHELL_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <tcl.h>

struct text;
struct edit;
struct loop;
struct session;

struct edit_ops {
	/* Appends the prompt; it may contain SGR colours, which have no width. */
	void (*prompt)(void *ctx, struct text *prompt);
	/* Is text (the lines typed so far, each with its newline) a complete command? */
	bool (*whole)(void *ctx, const char *text);
	/* Appends to the Tcl list the words that fit at the end of text (everything typed
	 * before the cursor, earlier lines of the block included); *start is set to the
	 * byte offset in text where the word being completed begins. */
	void (*complete)(void *ctx, const char *text, Tcl_Obj *words, size_t *start);
	/* Appends what is still missing after text, to be shown in grey after the cursor. */
	void (*hint)(void *ctx, const char *text, struct text *hint);
};

enum edit_end {
	EDIT_BLOCK,  /* a complete command was typed */
	EDIT_CANCEL, /* Ctrl-C, or Ctrl-D in an unfinished block: the input was dropped */
	EDIT_EOF,    /* Ctrl-D on an empty line, the terminal is gone, or SIGTERM/SIGHUP */
};

/* Standard input and output must be a terminal. history: the file to load and append to (created
 * with mode 0600, its directories, too), or NULL. ops and ctx must outlive the editor. */
struct edit *edit_new(struct loop *l, const struct edit_ops *ops, void *ctx, const char *history);
/* Restores the terminal. */
void edit_free(struct edit *e);

/* Reads one command, with a continuation prompt until ops->whole() is true; appends it to block
 * without the last newline, and to the history as one entry. Serves the event loop while it waits
 * for keys. Clears a Ctrl-C that was typed during the previous command, which also discards the
 * rest of a paste. */
enum edit_end edit_read(struct edit *e, struct text *block);

/* Prints text (whole lines) to standard output; above the prompt if a line is being typed, without
 * changing line and cursor. */
void edit_above(struct edit *e, const char *text);

/* Is a line being typed? */
bool edit_is_typing(const struct edit *e);

/* Appends the last n entries of the history that contain text, the oldest first. */
void edit_history(const struct edit *e, unsigned n, const char *text, Tcl_Obj *list);

/* Ghost hints on or off (on at first). */
void edit_hints(struct edit *e, bool on);
/* Restores the terminal before the process ends abnormally. May be called in a signal handler. */
void edit_panic(struct edit *e);

/* Completion and hints for the text before the cursor. */

/* For struct edit_ops: ctx is the session. */
void complete_words(void *session, const char *text, Tcl_Obj *words, size_t *start);
void complete_hint(void *session, const char *text, struct text *hint);
/* Prints a line for each word that can stand at the end of text: text with this word. */
void complete_print(struct session *s, const char *text);

/* Puts the words of a Tcl list in alphabetical order, whatever their case. */
void complete_sort(Tcl_Obj *words);

/* The interactive session: read, run, print, until quit or the end of input. */

/* rc: run the start file. 0, or -1 when the start file failed to be read. */
int repl(struct session *s, bool rc);

/* Is text "!COMMAND", a command for the system's shell? */
bool repl_is_escape(const char *text);
/* Runs such a command, and prints how it ended unless it succeeded. False: it could not be run. */
bool repl_escape(const char *text);

#endif
