/* SPDX-License-Identifier: MIT */
/* What the files of the help share. */
#ifndef SHELL_HELP_IMPL_H
#define SHELL_HELP_IMPL_H

#include "help/help.h"

struct out;
struct session;

/* help_text.c */

/* Whether a's data are words to choose from. */
bool help_has_words(const struct arg *a);

/* help_json.c: a command, or all of them as the text of one JSON value */

void help_json_all(struct out *o);

/* help_show.c */

/* Usage, arguments, text, examples; the value is the command's dict. */
void help_command(const struct cmd *c, struct out *o);
/* One line. */
void help_summary(const struct cmd *c, struct out *o);
void help_list_family(const char *family, struct out *o);
/* The subjects and their commands, on one screen. */
void help_overview(struct out *o);
/* Each command with its line. */
void help_list_all(struct out *o);
void help_topic(const struct topic *t, struct out *o);

/* help_search.c: shows what fits word best. -1 with s->fail filled if nothing does. */
int help_search(struct session *s, const char *word, struct out *o);

#endif
