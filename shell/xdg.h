/* SPDX-License-Identifier: MIT */
/* Where files are: a user's, by the XDG base directories, and the program's own. */
#ifndef SHELL_XDG_H
#define SHELL_XDG_H

#include <glob.h>
#include <stdbool.h>

/* $variable/rdmash/name, else ~/home/rdmash/name; NULL without a home. To be freed. */
char *xdg_path(const char *variable, const char *home, const char *name);
/* A file of what is kept between sessions: $XDG_STATE_HOME. */
char *xdg_state(const char *name);
/* The files of the program in folder, whose names match the pattern names: installed, and in a tree
 * that was built; $variable, if set, is the folder instead. False: there are none. */
bool program_files(const char *variable, const char *folder, const char *names, glob_t *files);

#endif
