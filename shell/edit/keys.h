/* SPDX-License-Identifier: MIT */
/* Keys of a terminal in raw mode: characters, escape sequences, bracketed paste. */
#ifndef SHELL_KEYS_H
#define SHELL_KEYS_H

#include <stdbool.h>
#include <wchar.h>

#include "edit/libedit.h"

struct keys;
struct loop;

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
/* Discards the rest of a paste. */
void keys_drop(struct keys *k);

#endif
