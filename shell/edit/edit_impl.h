/* SPDX-License-Identifier: MIT */
/* Line editing: what its files share. */
#ifndef SHELL_EDIT_IMPL_H
#define SHELL_EDIT_IMPL_H

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

#include "edit/edit.h"
#include "edit/libedit.h"

#define EDIT_LITERAL '\001' /* encloses what has no width in a prompt */

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
	bool idle; /* the user is waited for */
	bool hint_shown;
	bool at_end;	     /* the cursor was, before the last key */
	bool left;	     /* the line, for the row below it */
	unsigned interrupts; /* as of the last look */
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
/* Columns that s takes in one row. */
int edit_text_width(const char *s);
/* "co": columns of the terminal, "li": its rows. */
int edit_terminal_size(struct edit *e, const char *capability);
/* Where c, a pointer into the line, would be if the terminal had rows enough. */
struct spot edit_place_of(struct edit *e, const wchar_t *c);
/* Moves the terminal's cursor behind the line. */
void edit_go_to_end(struct edit *e);
/* Leaves the cursor at the start of the row the prompt was in. */
void edit_erase_line(struct edit *e);

/* edit_prompt.c: for EL_PROMPT_ESC */

char *edit_prompt(EditLine *el);

/* edit_hint.c */

void edit_show_hint(struct edit *e);
void edit_hide_hint(struct edit *e);

/* edit_words.c: the function of the Tab key */

unsigned char edit_complete_key(EditLine *el, wint_t key);

/* edit_stop.c */

/* The editor whose terminal is put right at exit and when stopped; NULL: none. */
void edit_guard(struct edit *e);
/* From now on the terminal is in order while the program is stopped. */
void edit_catch_stops(struct edit *e);
/* Not any longer. */
void edit_release_stops(struct edit *e);

/* edit.c */

/* The open block and the line up to the cursor. The result is to be freed. */
void edit_before_cursor(struct edit *e, Tcl_DString *text);
/* Draws prompt, line and hint from the start of a free row on. */
void edit_draw(struct edit *e);

#endif
