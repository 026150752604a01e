/* SPDX-License-Identifier: MIT */
/* Shared by the files of the line editor. */
#ifndef SHELL_EDIT_IMPL_H
#define SHELL_EDIT_IMPL_H

#include <histedit.h>
#include <signal.h>
#include <stdbool.h>
#include <tcl.h>
#include <termios.h>
#include <wchar.h>

#include "edit/edit.h"
#include "text.h"

struct hist;
struct keys;

/* The editor. */

#define EDIT_LITERAL '\001' /* encloses the parts of a prompt that have no width */

struct edit {
	struct loop *loop;
	const struct edit_ops *ops;
	void *ctx;
	EditLine *el;
	struct hist *hist;
	struct keys *keys;
	struct text lines;  /* of the open block, each with its newline */
	struct text prompt; /* as libedit has it */
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

	el_get(el, EL_CLIENTDATA, &e);
	return e;
}

/* edit_screen.c */

void edit_put(const char *s);
/* The next character of UTF-8 text; never passes the end of s. */
wchar_t edit_take_char(const char **s);
/* "co": columns of the terminal, "li": its rows. */
int edit_terminal_size(struct edit *e, const char *capability);
/* Moves the terminal's cursor to the end of the line. */
void edit_go_to_end(struct edit *e);
/* Erases the line and leaves the cursor at the start of the prompt's row. */
void edit_erase_line(struct edit *e);

/* Does the line fill the screen? libedit then shows its end only. */
bool edit_is_tall(struct edit *e);

/* For EL_PROMPT_ESC. */

char *edit_prompt(EditLine *el);

void edit_show_hint(struct edit *e);
void edit_hide_hint(struct edit *e);

/* Sets the editor whose terminal is restored at exit and when the program is stopped; NULL: none.
 */
void edit_guard(struct edit *e);
/* Installs handlers that restore the terminal while the program is stopped. */
void edit_catch_stops(struct edit *e);
/* Removes these handlers. */
void edit_release_stops(struct edit *e);

/* edit.c */

/* Appends the unfinished block and the line up to the cursor. */
void edit_before_cursor(struct edit *e, struct text *text);

/* Keys of a terminal in raw mode: characters, bracketed paste. */

/* Turn bracketed paste of the terminal on and off. */
#define KEYS_PASTE_ON  "\033[?2004h"
#define KEYS_PASTE_OFF "\033[?2004l"

/* The sequence before a paste; bind it to a function that calls keys_read_paste() and keys_paste().
 */
#define KEYS_PASTE_BEGIN "\033[200~"
/* The key that stands for the rest of a paste; bind it (^]) to a function that calls keys_paste().
 */
#define KEYS_PASTED	  L'\035'
#define KEYS_PASTED_CARET "^]"

/* Called with true when it starts to wait for the user, with false when it stops. */
typedef void keys_idle_fn(void *arg, bool idle);

struct keys *keys_new(struct loop *l, int fd, keys_idle_fn *idle, void *arg);
void keys_free(struct keys *k);
/* Reads the next character, serving the event loop until there is one. For EL_GETCFN: 1; 0 when the
 * terminal is gone or the program is asked to end; -1 with EINTR after Ctrl-C. */
int keys_next(struct keys *k, wchar_t *c);
/* Reads a paste to its end. The result is that of keys_next(). */
int keys_read_paste(struct keys *k);
/* Inserts the paste up to its next newline. The rest follows line by line. */
void keys_paste(struct keys *k, EditLine *el);
/* Discards the rest of a paste. */
void keys_drop(struct keys *k);

/* The history of typed commands, in memory for libedit and in a file for later sessions. */

/* path: the file to load and append to, created with mode 0600, its directories with 0700; NULL: in
 * memory only. A file that cannot be read or written is not an error; a file that is not a history
 * is not changed. */
struct hist *hist_open(const char *path);
void hist_close(struct hist *h);
/* The argument for EL_HIST, with history(). */
History *hist_entries(struct hist *h);
/* Appends the last n entries that contain text ("": all), the oldest first, to a list. */
void hist_list(struct hist *h, unsigned n, const char *text, Tcl_Obj *list);
/* Adds one entry, which may have several lines, unless it repeats the last one. */
void hist_add(struct hist *h, const char *entry);

#endif
