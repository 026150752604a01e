/* SPDX-License-Identifier: MIT */
/* Keys of a terminal in raw mode: characters, escape sequences, bracketed paste. */
#ifndef SHELL_KEYS_H
#define SHELL_KEYS_H

#include <stdbool.h>
#include <wchar.h>

#include "edit/libedit.h"

struct keys;
struct loop;

/* Makes the terminal mark what is pasted, and stop doing so. */
#define KEYS_PASTE_ON  "\033[?2004h"
#define KEYS_PASTE_OFF "\033[?2004l"

/* Stands for a paste: bind it to a function that calls keys_paste(). ^] in caret
 * notation. */
#define KEYS_PASTED	  L'\035'
#define KEYS_PASTED_CARET "^]"

/* The user is waited for (true), and no longer (false). */
typedef void keys_idle_fn(void *arg, bool idle);

struct keys *keys_new(struct loop *l, int fd, keys_idle_fn *idle, void *arg);
void keys_free(struct keys *k);
/* Binds the cursor keys and their like. Sequences of other keys are dropped, rather than
 * typed into the line, unless own says that the user has bindings of his own. */
void keys_bind(struct keys *k, EditLine *el, bool own);

/* Next character, serving the event loop until there is one: 1; 0 when the terminal is
 * gone or the program is to end; -1 with EINTR after Ctrl-C: what EL_GETCFN expects. */
int keys_next(struct keys *k, wchar_t *c);
/* Inserts what was pasted up to its next newline. The rest follows line by line. */
void keys_paste(struct keys *k, EditLine *el);
/* Forgets what was pasted and is not yet inserted. */
void keys_drop(struct keys *k);

#endif
