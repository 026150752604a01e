/* SPDX-License-Identifier: MIT */
/*
 * Printing: the one place where text goes to a terminal. Nothing else writes to standard
 * output or standard error, but for the line editor's own drawing.
 *
 * Text has no colours in it, they are kept beside it; so whatever text holds, from wherever
 * it came, is printed as visible.h has it. Only data that a user prints with echo or puts,
 * and CSV, go out as they are, and only where standard output is no terminal. For a terminal
 * lines are folded at its width, and signs are as the locale has them; a text at the prompt that
 * is longer than the screen goes through a pager.
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
	PAINT_TYPE, /* what can be typed as it stands: bold and cyan */
	PAINTS
};

struct paint_mark {
	int at; /* byte of the text that it begins with */
	enum paint paint;
};

/* Text, and its colours beside it. */
struct painted {
	Tcl_DString text;
	struct paint_mark *marks;
	unsigned n;
};

void painted_init(struct painted *p);
void painted_free(struct painted *p);
/* The colour of what follows. */
void painted_paint(struct painted *p, enum paint paint);
void painted_add(struct painted *p, const char *text, size_t len);
void painted_addf(struct painted *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text that has to stay in one line: its newlines and tabs are made visible. */
void painted_add_line(struct painted *p, const char *text, size_t len);
/* What another rdmash has printed: the codes of its colours become colours of p. */
void painted_add_printed(struct painted *p, const char *text, size_t len);

enum print_to { PRINT_OUT, PRINT_ERR };

/* Prints it now, above the prompt while an editor is set. */
void print_painted(enum print_to to, const struct painted *p);
void print_text(enum print_to to, const char *text);
/* The same to standard error: as fprintf(stderr, ...). */
void print_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A user's own data: as they are, unless standard output is a terminal. Tcl's two bytes for
 * NUL become one. */
void print_data(const char *text, size_t len);
/* A value as JSON: what is not visible is escaped by its rules, within the strings. */
void print_json(const char *json);

/* A line on standard error in place of the one that this has printed before; last: it stays.
 * For a terminal. */
void print_in_place(const char *line, bool last);

/* Columns and rows of the terminal; 0: there is none. */
unsigned print_columns(void);
unsigned print_rows(void);
/* Does the user's locale have UTF-8? (The line editor works with it in any case.) To be asked
 * once before the editor is made. */
bool print_is_utf8(void);

/* While an editor is set, everything goes above its prompt; NULL: none. */
void print_editor(struct edit *e);
/* Colours are shown while *on; NULL: never. */
void print_color(const bool *on);
/* The errno that writing to standard output has failed with, or 0. */
int print_failed(void);

#endif
