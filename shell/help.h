/* SPDX-License-Identifier: MIT */
/* Help, the manual page and the bash completion, all from the command table. */
#ifndef SHELL_HELP_H
#define SHELL_HELP_H

#include <stdio.h>

/* rdmash --help */
void help_options(FILE *to);
/* rdmash --version: with the libraries and providers */
void help_version(FILE *to, const char *version);
/* rdmash(1), in man(7) */
void help_man(FILE *to, const char *version);
/* the bash completion script */
void help_bash(FILE *to);

#endif
