/* SPDX-License-Identifier: MIT */
/* libedit, loaded when somebody types: scripts start sooner without it and the two libraries that
 * it brings. */
#ifndef SHELL_LIBEDIT_H
#define SHELL_LIBEDIT_H

#include <histedit.h>

#define LIBEDIT_FUNCTIONS(X) \
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

/* Loads the library unless it is loaded. Ends the process, with a message, when it cannot be had.
 */
void libedit_load(void);

#endif
