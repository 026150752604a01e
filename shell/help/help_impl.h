/* SPDX-License-Identifier: MIT */
/* Shared by the files of the help. */
#ifndef SHELL_HELP_IMPL_H
#define SHELL_HELP_IMPL_H

#include "help/help.h"

struct out;
struct session;

/* Whether a's data are words to choose from. */
bool help_has_words(const struct arg *a);

/* A command, and all commands as the text of one JSON value. */

void help_json_all(struct out *o);

/* help_show.c */

/* Writes usage, arguments, text and examples; the value is the command's dict. */
void help_command(const struct cmd *c, struct out *o);
/* Writes the name and summary of a command. */
void help_summary(const struct cmd *c, struct out *o);
void help_list_family(const char *family, struct out *o);
/* Writes the families and their commands, on one screen. */
void help_overview(struct out *o);
/* Writes each command with its summary. */
void help_list_all(struct out *o);
void help_topic(const struct topic *t, struct out *o);

/* help_search.c: shows the best matches for word. -1 with s->fail filled if there are none. */
int help_search(struct session *s, const char *word, struct out *o);

#endif
