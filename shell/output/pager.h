/* SPDX-License-Identifier: MIT */
#ifndef SHELL_PAGER_H
#define SHELL_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* Shows text in $PAGER, else in less where that is installed, and waits for its end; Ctrl-C is the
 * pager's meanwhile. False, with nothing shown: there is none, or PAGER is empty or cat. */
bool pager_show(const char *text, size_t len);

#endif
