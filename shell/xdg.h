/* SPDX-License-Identifier: MIT */
/* Where a user's files are: the XDG base directories. */
#ifndef SHELL_XDG_H
#define SHELL_XDG_H

/* $variable/rdmash/name, else ~/home/rdmash/name; NULL without a home. To be freed. */
char *xdg_path(const char *variable, const char *home, const char *name);
/* A file of what is kept between sessions: $XDG_STATE_HOME. */
char *xdg_state(const char *name);

#endif
