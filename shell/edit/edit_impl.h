/* SPDX-License-Identifier: MIT */
/* Shared by the files of the line editor. */
#ifndef SHELL_EDIT_IMPL_H
#define SHELL_EDIT_IMPL_H

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

#include "edit/edit.h"
#include "edit/libedit.h"

#define EDIT_LITERAL '\001' /* encloses the parts of a prompt that have no width */

struct edit {
	struct loop *loop;
	const struct edit_ops *ops;
	void *ctx;
	EditLine *el;
	struct hist *hist;
	struct keys *keys;
	Tcl_DString lines;  /* of the open block, each with its newline */
	Tcl_DString prompt; /* as libedit has it */
	int first_width;    /* of the prompt of the first line */
	bool dumb;
	bool hints;
	const char *grey;
	bool idle; /* waiting for the user */
	bool hint_shown;
	bool at_end;	     /* the cursor was at the end of the line before the last key */
	bool left;	     /* the cursor has moved to the row below the line */
	unsigned interrupts; /* loop_interrupts() when last checked */
	unsigned cancels;    /* Ctrl-C in a row on an empty prompt */
	struct termios cooked, raw;
	struct sigaction stop_before, cont_before;
	volatile sig_atomic_t typing; /* the terminal is raw, a line is shown */
	volatile sig_atomic_t resumed;
};

/* A place on the screen, counted from the row of the prompt. */
struct spot {
	int row, col;
	int columns; /* of the terminal */
};

static inline struct edit *edit_of(EditLine *el)
{
	void *e = NULL;

	libedit.el_get(el, EL_CLIENTDATA, &e);
	return e;
}

/* edit_screen.c */

void edit_put(const char *s);
/* The next character of UTF-8 text; never passes the end of s. */
wchar_t edit_take_char(const char **s);
/* The width of s in columns. */
int edit_text_width(const char *s);
/* "co": columns of the terminal, "li": its rows. */
int edit_terminal_size(struct edit *e, const char *capability);
/* The position of c, a pointer into the line, if the terminal had enough rows. */
struct spot edit_place_of(struct edit *e, const wchar_t *c);
/* Moves the terminal's cursor to the end of the line. */
void edit_go_to_end(struct edit *e);
/* Erases the line and leaves the cursor at the start of the prompt's row. */
void edit_erase_line(struct edit *e);

/* For EL_PROMPT_ESC. */

char *edit_prompt(EditLine *el);

void edit_show_hint(struct edit *e);
void edit_hide_hint(struct edit *e);

/* edit_words.c: bound to the Tab key. */

unsigned char edit_complete_key(EditLine *el, wint_t key);

/* Sets the editor whose terminal is restored at exit and when the program is stopped; NULL: none.
 */
void edit_guard(struct edit *e);
/* Installs handlers that restore the terminal while the program is stopped. */
void edit_catch_stops(struct edit *e);
/* Removes these handlers. */
void edit_release_stops(struct edit *e);

/* edit.c */

/* The unfinished block and the line up to the cursor. The caller frees text. */
void edit_before_cursor(struct edit *e, Tcl_DString *text);
/* Draws prompt, line and hint, from the start of an empty row. */
void edit_draw(struct edit *e);

#endif
