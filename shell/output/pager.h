/* SPDX-License-Identifier: MIT */
#ifndef SHELL_PAGER_H
#define SHELL_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* Shows text in $PAGER, or in less if that is not set, and waits for its end; meanwhile Ctrl-C goes
 * to the pager. False, with nothing shown: there is no pager, or PAGER is empty or cat. */
bool pager_show(const char *text, size_t len);

#endif
