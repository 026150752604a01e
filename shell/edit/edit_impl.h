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

struct hist;
struct keys;

/* libedit is loaded at the first prompt: scripts start sooner without it and the two libraries that
 * it depends on. */

#define LIBEDIT_FUNCTIONS(X) \
	X(el_cursor)         \
	X(el_deletestr)      \
	X(el_end)            \
	X(el_get)            \
	X(el_gets)           \
	X(el_init)           \
	X(el_insertstr)      \
	X(el_line)           \
	X(el_resize)         \
	X(el_set)            \
	X(el_source)         \
	X(el_winsertstr)     \
	X(el_wline)          \
	X(el_wset)           \
	X(history)           \
	X(history_end)       \
	X(history_init)

/* Its functions by their names; valid after libedit_load(). */
extern struct libedit {
#define X(name) __typeof__(name) *name;
	LIBEDIT_FUNCTIONS(X)
#undef X
} libedit;

/* Loads the library unless it is loaded. Ends the process, with a message, if this fails.
 */
void libedit_load(void);

/* The editor. */

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
	Tcl_DString wanted; /* what ^R searches for, or has searched for */
	enum { SEARCH_NONE, SEARCH_FOUND, NOTHING_HAS, NOTHING_OLDER, NOTHING_NEWER } search;
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
void edit_before_cursor(struct edit *e, Tcl_DString *text);
/* Draws prompt, line and hint, from the start of an empty row. */
void edit_draw(struct edit *e);

/* Keys of a terminal in raw mode: characters, escape sequences, bracketed paste. */

/* Turn bracketed paste of the terminal on and off. */
#define KEYS_PASTE_ON  "\033[?2004h"
#define KEYS_PASTE_OFF "\033[?2004l"

/* The key that stands for a paste; bind it (^]) to a function that calls keys_paste(). */
#define KEYS_PASTED	  L'\035'
#define KEYS_PASTED_CARET "^]"

/* Called with true when it starts to wait for the user, with false when it stops. */
typedef void keys_idle_fn(void *arg, bool idle);

struct keys *keys_new(struct loop *l, int fd, keys_idle_fn *idle, void *arg);
void keys_free(struct keys *k);
/* Binds the cursor keys and similar ones. Sequences of other keys are dropped, unless own is set
 * because the user has bindings of their own. */
void keys_bind(struct keys *k, EditLine *el, bool own);

/* Reads the next character, serving the event loop until there is one. For EL_GETCFN: 1; 0 when the
 * terminal is gone or the program is asked to end; -1 with EINTR after Ctrl-C. */
int keys_next(struct keys *k, wchar_t *c);
/* Inserts the paste up to its next newline. The rest follows line by line. */
void keys_paste(struct keys *k, EditLine *el);
/* Puts back the character that keys_next() has just read. */
void keys_put_back(struct keys *k, wchar_t c);
/* Was the character that keys_next() has just read the key ESC, not the start of a sequence? */
bool keys_was_escape(const struct keys *k, wchar_t c);
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
/* The key ^R: an incremental search through the history. The entry found becomes the line, and the
 * prompt shows the text that is searched for. ^R moves to an older entry, ^S to a newer one, ^G
 * cancels the search. Any other key ends the search and acts on the entry. */
unsigned char edit_search_key(EditLine *el, wint_t key);
/* Adds one entry, which may have several lines, unless it repeats the last one. */
void hist_add(struct hist *h, const char *entry);

#endif
