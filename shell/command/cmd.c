/* SPDX-License-Identifier: MIT */
/* Finding a command in the table by unique prefix, and running it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "help/help.h"
#include "session.h"

/* ------------------------------------------------------------------- suggestions -- */

#define LISTED_MAX  10 /* candidates that are listed with their summaries */
#define CALLERS_MAX 4

/* Appends the summary of a command ("connect to a listener"), or the second words of a group. */
static void append_summary(const char *name, struct text *d)
{
	const struct cmd_group *group = cmd_groups;

	for (const struct cmd *const *c = cmd_table; *c; c++)
		if (strcmp((*c)->name, name) == 0)
			text_add(d, (*c)->summary);
	while (group->word && strcmp(group->word, name) != 0)
		group++;
	for (const struct cmd_member *m = group->members; m && m->word; m++)
		xappendf(d, "%s%s", text_len(d) ? ", " : "and a second word: ", m->word);
}

/* Adds a row with its summary for each name that may be meant. */
static void add_candidate_rows(struct session *s, const char *of, Tcl_Obj *names)
{
	Tcl_Obj **v;
	Tcl_Size n;

	Tcl_ListObjGetElements(NULL, names, &n, &v);
	for (int i = 0; n <= LISTED_MAX && i < n; i++) {
		SCOPED_TEXT(what);

		append_summary(temp_text("%s%s", of, Tcl_GetString(v[i])), &what);
		fail_row(s, Tcl_GetString(v[i]), "%s", text_str(&what));
	}
}

/* Finds the first command by its second word alone: "write" finds "post write". *also: another such
 * command, or NULL. */
static const char *find_by_second_word(const char *typed, const char **also)
{
	const char *found = NULL;

	*also = NULL;
	for (const struct cmd_group *g = cmd_groups; g->word && !*also; g++)
		for (const struct cmd_member *m = g->members; m && m->word; m++) {
			if (strcmp(m->word, typed) != 0)
				continue;
			if (found)
				*also = m->cmd->name;
			else
				found = m->cmd->name;
		}
	return found;
}

static size_t index_in_table(const struct cmd *c)
{
	size_t i = 0;

	while (cmd_table[i] != c)
		i++;
	return i;
}

const char *cmd_text(const struct cmd *c)
{
	return cmd_texts[index_in_table(c)];
}

const struct cmd_eg *cmd_examples(const struct cmd *c)
{
	return cmd_example_lists[index_in_table(c)];
}

bool cmd_calls(const struct cmd *c, const char *fn)
{
	const size_t n = strlen(fn);

	for (const char *at = c->calls; at && *at; at += strspn(at, " ")) {
		if (strncmp(at, fn, n) == 0 && at[n] == '(')
			return true;
		at += strcspn(at, " ");
	}
	return false;
}

/* The user typed the name of a library function: appends a few of the commands that call it.
 * Returns how many there are. */
static unsigned list_callers(const char *typed, struct text *d)
{
	unsigned n = 0;

	for (const struct cmd *const *c = cmd_table; *c; c++)
		if (cmd_calls(*c, typed) && ++n <= CALLERS_MAX)
			xappendf(d, "%s%s", n > 1 ? ", " : "", (*c)->name);
	if (n > CALLERS_MAX)
		xappendf(d, " and %u more", n - CALLERS_MAX);
	return n;
}

static bool fail_if_function(struct session *s, const char *typed)
{
	SCOPED_TEXT(d);
	unsigned n;

	n = list_callers(typed, &d);
	if (n) {
		fail(s, "command", "UNKNOWN", "unknown command '%s': %s %s it", typed, text_str(&d),
		     n > 1 ? "call" : "calls");
		fail_next(s, "help %s", typed);
	}
	return n;
}

const char *cmd_with_help(const char *typed)
{
	for (const struct cmd *const *c = cmd_table; *c; c++)
		if ((*c)->help && (*c)->help(typed, NULL))
			return temp_text("%s %s", (*c)->name, typed);
	return NULL;
}

static int fail_unknown(struct session *s, const char *typed, Tcl_Obj *names)
{
	const char *also, *near = find_by_second_word(typed, &also);

	if (help_synonym(typed)) {
		near = help_synonym(typed);
		also = NULL;
	}
	if (!near && fail_if_function(s, typed))
		return -1;
	if (!near)
		near = cmd_with_help(typed);
	if (!near)
		near = cmd_suggest(typed, names);
	if (!near) {
		fail(s, "command", "UNKNOWN", "unknown command '%s'", typed);
		return fail_next(s, "help");
	}
	fail(s, "command", "UNKNOWN", "unknown command '%s'; did you mean %s%s%s?", typed, near,
	     also ? " or " : "", also ? also : "");
	if (*near == '!') /* a command of the system */
		return -1;
	return strcmp(near, "help") == 0 ? fail_next(s, "help") : fail_next(s, "help %s", near);
}

/* The language has no pipes and redirections. If one was typed, adds rows that say what to type
 * instead. */
static bool add_operator_row(struct session *s, const char *command, const char *typed)
{
	const size_t n = strspn(typed, "|>&");

	if (!n || typed[n] || *typed == '&')
		return false;
	fail_row(s, "note",
		 "'%s' is of other shells; in a session of its own: !rdmash -c '%s' %s ...", typed,
		 command, typed);
	fail_row(s, "or", "text save FILE [%s], which writes its value", command);
	return true;
}

static void fail_not_found(struct session *s, const char *typed, Tcl_Obj *names, const char *of,
			   bool ambiguous)
{
	const char *here = help_synonym(temp_text("%s%s", of, typed));
	const char *near = here ? here : cmd_suggest(typed, names);
	SCOPED_TEXT(all);
	Tcl_Obj **v;
	Tcl_Size n;

	if (!*of && !ambiguous) {
		fail_unknown(s, typed, names);
		return;
	}
	Tcl_ListObjGetElements(NULL, names, &n, &v);
	for (int i = 0; i < n; i++)
		xappendf(&all, "%s%s", i ? ", " : "", Tcl_GetString(v[i]));
	if (ambiguous) {
		fail(s, "command", "AMBIGUOUS", "ambiguous command: %s%s could be: %s", of, typed,
		     text_str(&all));
		add_candidate_rows(s, of, names);
	} else {
		fail(s, "command", "UNKNOWN", "%shas no '%s'%s", of, typed,
		     mistake_did_you_mean(near));
		fail_row(s, "one of", "%s", text_str(&all));
	}
}

/* --------------------------------------------------------------------------- finding -- */

/* The first group whose word begins with typed; an exact match sorts before longer words. NULL:
 * none. */
static const struct cmd_group *first_group_with(const char *typed, size_t len)
{
	const struct cmd_group *g = cmd_groups;

	while (g->word && strncmp(g->word, typed, len) != 0)
		g++;
	return g->word ? g : NULL;
}

static void fail_no_group(struct session *s, const char *typed, bool ambiguous)
{
	const size_t len = ambiguous ? strlen(typed) : 0;
	SCOPED_LIST(names);

	for (const struct cmd_group *g = cmd_groups; g->word; g++)
		if (strncmp(g->word, typed, len) == 0)
			value_append(names, g->word);
	fail_not_found(s, typed, names, "", ambiguous);
}

/* The group that typed names by a unique prefix, or NULL. */
static const struct cmd_group *find_group(struct session *s, const char *typed)
{
	const size_t len = *typed == '@' ? 1
					 : strlen(typed); /* @NAME: NAME is its first argument */
	const struct cmd_group *found = len ? first_group_with(typed, len) : NULL;
	bool ambiguous = found && found->word[len] && found[1].word &&
			 strncmp(found[1].word, typed, len) == 0;

	if (found && !ambiguous)
		return found;
	if (s)
		fail_no_group(s, typed, ambiguous);
	return NULL;
}

const struct cmd_group *cmd_group(const char *word)
{
	return find_group(NULL, word);
}

static const struct cmd *fail_no_member(struct session *s, const struct cmd_group *group,
					const char *typed, bool ambiguous)
{
	const char *of = temp_text("%s ", group->word);
	SCOPED_LIST(names);

	for (const struct cmd_member *m = group->members; m->word; m++)
		if (!ambiguous || strncmp(m->word, typed, strlen(typed)) == 0)
			value_append(names, m->word);
	if (s && !typed) {
		Tcl_Size n;

		Tcl_ListObjLength(NULL, names, &n);
		fail(s, "command", "MISSING", "%sneeds a second word", of);
		if (n > LISTED_MAX)
			fail_row(s, "one of", "%s", Tcl_GetString(names));
		add_candidate_rows(s, of, names);
		fail_next(s, "help %s", group->word);
	} else if (s) {
		fail_not_found(s, typed, names, of, ambiguous);
		add_operator_row(s, group->word, typed);
	}
	return NULL;
}

/* Sets *fits to the number of second words that begin with typed; an exact match counts as the only
 * one. */
static const struct cmd *find_member(const struct cmd_group *group, const char *typed,
				     unsigned *fits)
{
	const struct cmd *found = NULL;

	*fits = 0;
	for (const struct cmd_member *m = group->members; m && m->word && *typed; m++) {
		if (strncmp(m->word, typed, strlen(typed)) != 0)
			continue;
		found = m->cmd;
		++*fits;
		if (strcmp(m->word, typed) == 0) {
			*fits = 1;
			break;
		}
	}
	return *fits == 1 ? found : NULL;
}

const struct cmd *cmd_find(struct session *s, const char *const words[], int n, int *used)
{
	const struct cmd_group *group = find_group(s, words[0]);
	const struct cmd *found;
	unsigned fits = 0;

	if (!group)
		return NULL;
	found = n > 1 ? find_member(group, words[1], &fits) : NULL;
	*used = found ? 2 : words[0][0] == '@' && words[0][1] ? 0 : 1;
	if (found)
		return found;
	if (group->alone && !fits)
		return group->alone;
	return fail_no_member(s, group, n > 1 ? words[1] : NULL, fits > 1);
}

const struct cmd *cmd_of_line(const char *line, int len, const char **rest)
{
	const char *words[2] = { "", "" }, *ends[2];
	const struct cmd *c = NULL;
	const Tcl_Token *t;
	Tcl_Parse parse;
	int n = 0, used;

	if (Tcl_ParseCommand(NULL, line, len, 0, &parse) != TCL_OK)
		return NULL;
	t = parse.tokenPtr;
	for (; n < parse.numWords && n < 2; n++, t += t->numComponents + 1) {
		words[n] = temp_text("%.*s", (int)t->size, t->start);
		ends[n] = t->start + t->size;
	}
	if (n)
		c = cmd_find(NULL, words, n, &used);
	if (c && rest)
		*rest = used ? ends[used - 1] : parse.tokenPtr->start + 1;
	Tcl_FreeParse(&parse);
	return c;
}

const struct cmd *cmd_find_in(struct session *s, const struct cmd_group *group, int objc,
			      Tcl_Obj *const objv[], int *used)
{
	const char *words[2] = { group->word };
	int i;

	*used = 1;
	if (!group->members)
		return group->alone;
	*used = 2;
	if (objc > 1 && Tcl_GetIndexFromObjStruct(NULL, objv[1], group->members,
						  sizeof *group->members, NULL, 0, &i) == TCL_OK)
		return group->members[i].cmd;
	words[1] = objc > 1 ? Tcl_GetString(objv[1]) : NULL;
	return cmd_find(s, words, objc > 1 ? 2 : 1, used);
}

int cmd_run(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[], struct out *o)
{
	void *args = arena_alloc(&s->arena, args_room(c));
	struct held *held = s->held;
	int rc = args_parse(s, c, objc, objv, args);

	if (rc == 0 && app.before)
		app.before(s);
	if (rc == 0)
		rc = c->exec(s, args, o);
	for (int i = 0; rc && i < objc; i++)
		if (add_operator_row(s, c->name, Tcl_GetString(objv[i])))
			break;
	if (s->held != held)
		app.release(s, held);
	arena_free(&s->arena, args); /* and all that was allocated after it */
	return rc;
}
