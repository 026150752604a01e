/* SPDX-License-Identifier: MIT */
/*
 * Printing: the one place where text goes to a terminal. Nothing else writes to standard
 * output or standard error, but for the line editor's own drawing.
 *
 * Colours are stored beside the text, not in it, so escape sequences from elsewhere are escaped
 * like all other control characters (visible.h). Only data that a user prints with echo or puts,
 * and CSV, are printed unchanged, and only if standard output is not a terminal. On a terminal
 * lines are folded at its width and symbols follow the locale; at the prompt a text that is longer
 * than the screen is shown in a pager.
 */
#ifndef SHELL_PRINT_H
#define SHELL_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <tcl.h>

struct edit;

enum paint {
	PAINT_NONE,
	PAINT_GOOD, /* green */
	PAINT_BAD,  /* red */
	PAINT_DIM,
	PAINT_STRONG,
	PAINT_YELLOW,
	PAINT_MAGENTA,
	PAINT_CYAN,
	PAINT_TYPE, /* a command that can be typed: bold and cyan */
	PAINTS
};

struct paint_mark {
	int at; /* offset in the text at which it begins */
	enum paint paint;
};

/* Text and its colours. */
struct painted {
	Tcl_DString text;
	struct paint_mark *marks;
	unsigned n;
};

void painted_init(struct painted *p);
void painted_free(struct painted *p);
/* Sets the colour of the following text. */
void painted_paint(struct painted *p, enum paint paint);
void painted_add(struct painted *p, const char *text, size_t len);
void painted_addf(struct painted *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds text that must stay on one line: its newlines and tabs are escaped. */
void painted_add_line(struct painted *p, const char *text, size_t len);
/* Adds the output of another rdmash: its colour codes become colours of p. */
void painted_add_printed(struct painted *p, const char *text, size_t len);

enum print_to { PRINT_OUT, PRINT_ERR };

/* Prints p; above the prompt while an editor is set. */
void print_painted(enum print_to to, const struct painted *p);
void print_text(enum print_to to, const char *text);
/* Like fprintf(stderr, ...), through the same path. */
void print_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints a user's own data, unchanged unless standard output is a terminal. Tcl's two-byte NUL
 * becomes one byte. */
void print_data(const char *text, size_t len);
/* Prints a JSON value; invisible characters in its strings are escaped by JSON's rules. */
void print_json(const char *json);

/* Prints a line on the terminal (standard error) that replaces the previous one; last: it stays. */
void print_in_place(const char *line, bool last);

/* Columns and rows of the terminal; 0: no terminal. */
unsigned print_columns(void);
unsigned print_rows(void);
/* Does the user's locale use UTF-8? (The line editor uses it in any case.) Must be called before
 * the editor is created. */
bool print_is_utf8(void);

/* While an editor is set, everything is printed above its prompt; NULL: none. */
void print_editor(struct edit *e);
/* Colours are shown while *on; NULL: never. */
void print_color(const bool *on);
/* The errno that writing to standard output has failed with, or 0. */
int print_failed(void);

#endif
