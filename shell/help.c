/* SPDX-License-Identifier: MIT */
#include "help.h"
void help_options(FILE *to) { (void)to; }
void help_version(FILE *to, const char *version) { (void)to,(void)version; }
void help_man(FILE *to, const char *version) { (void)to,(void)version; }
void help_bash(FILE *to) { (void)to; }
