/* SPDX-License-Identifier: MIT */
/* Finding a command in the table by unique prefix, and running it. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/args.h"
#include "command/cmd.h"
#include "edit/complete.h"
#include "help/help.h"
#include "session.h"

static size_t first_len(const struct cmd *c)
{
	return strcspn(c->name, " ");
}

static const char *second(const struct cmd *c)
{
	const char *blank = strchr(c->name, ' ');

	return blank ? blank + 1 : NULL;
}

static bool same_first(const struct cmd *a, const struct cmd *b)
{
	return first_len(a) == first_len(b) && strncmp(a->name, b->name, first_len(a)) == 0;
}

/* ------------------------------------------------------------------- what was meant -- */

#define TOLD_MAX    8 /* names that get a line of their own */
#define CALLERS_MAX 4

/* "connect to a listener", or the second words of a group. */
static void say_what(const char *name, Tcl_DString *d)
{
	size_t len = strlen(name);

	for (const struct cmd *const *c = cmd_table; *c; c++) {
		if (strcmp((*c)->name, name) == 0)
			Tcl_DStringAppend(d, (*c)->summary, -1);
		else if (first_len(*c) == len && strncmp((*c)->name, name, len) == 0)
			xappendf(d, "%s%s",
				 Tcl_DStringLength(d) ? ", " : "and a second word: ", second(*c));
	}
}

/* Each of the names that may be meant with what it does: who has typed too little may not know. */
static void tell_each(struct session *s, const char *of, Tcl_Obj *names)
{
	Tcl_Obj **v;
	int n;

	Tcl_ListObjGetElements(NULL, names, &n, &v);
	for (int i = 0; n <= TOLD_MAX && i < n; i++) {
		char *name = xasprintf("%s%s", of, Tcl_GetString(v[i]));
		Tcl_DString what;

		Tcl_DStringInit(&what);
		say_what(name, &what);
		fail_row(s, Tcl_GetString(v[i]), "%s", Tcl_DStringValue(&what));
		Tcl_DStringFree(&what);
		free(name);
	}
}

/* The first command whose second word was typed alone: "write" of "post write"; *also: another
 * one, or NULL. */
static const char *with_second(const char *typed, const char **also)
{
	const char *found = NULL;

	*also = NULL;
	for (const struct cmd *const *c = cmd_table; *c && !*also; c++) {
		if (!second(*c) || strcmp(second(*c), typed) != 0)
			continue;
		if (found)
			*also = (*c)->name;
		else
			found = (*c)->name;
	}
	return found;
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

/* Commands that call the function of a library which was typed in their place, a few of them;
 * how many there are. */
static unsigned with_call(const char *typed, Tcl_DString *d)
{
	unsigned n = 0;

	for (const struct cmd *const *c = cmd_table; *c; c++)
		if (cmd_calls(*c, typed) && ++n <= CALLERS_MAX)
			xappendf(d, "%s%s", n > 1 ? ", " : "", (*c)->name);
	if (n > CALLERS_MAX)
		xappendf(d, " and %u more", n - CALLERS_MAX);
	return n;
}

static bool is_call(struct session *s, const char *typed)
{
	Tcl_DString d;
	unsigned n;

	Tcl_DStringInit(&d);
	n = with_call(typed, &d);
	if (n) {
		fail(s, "command", "UNKNOWN", "unknown command '%s': %s %s it", typed,
		     Tcl_DStringValue(&d), n > 1 ? "call" : "calls");
		fail_next(s, "help %s", typed);
	}
	Tcl_DStringFree(&d);
	return n;
}

static int unknown(struct session *s, const char *typed, Tcl_Obj *names)
{
	const char *also, *near = with_second(typed, &also);

	if (help_synonym(typed)) {
		near = help_synonym(typed);
		also = NULL;
	}
	if (!near && is_call(s, typed))
		return -1;
	if (!near)
		near = suggest(typed, names);
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

static int cannot_find(struct session *s, const char *typed, Tcl_Obj *names, const char *of,
		       bool ambiguous)
{
	const char *near = suggest(typed, names);
	Tcl_Obj *all, **v;
	int n;

	if (!s)
		return -1;
	if (!*of && !ambiguous)
		return unknown(s, typed, names);
	all = Tcl_NewObj();
	Tcl_IncrRefCount(all);
	Tcl_ListObjGetElements(NULL, names, &n, &v);
	for (int i = 0; i < n; i++)
		Tcl_AppendPrintfToObj(all, "%s%s", i ? ", " : "", Tcl_GetString(v[i]));
	if (ambiguous) {
		fail(s, "command", "AMBIGUOUS", "ambiguous command: %s%s could be: %s", of, typed,
		     Tcl_GetString(all));
		tell_each(s, of, names);
	} else {
		fail(s, "command", "UNKNOWN", "%shas no '%s'%s%s%s", of, typed,
		     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
		fail_row(s, "one of", "%s", Tcl_GetString(all));
	}
	Tcl_DecrRefCount(all);
	return -1;
}

/* --------------------------------------------------------------------------- finding -- */

/* The first entry that begins with typed, or where it would stand. A blank sorts before
 * all that names are made of: so a whole word comes before the longer ones. */
static const struct cmd *const *first_with(const char *typed, size_t len)
{
	static size_t count;
	size_t low = 0, high;

	while (cmd_table[count])
		count++;
	for (high = count; low < high;) {
		size_t mid = (low + high) / 2;

		if (strncmp(cmd_table[mid]->name, typed, len) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return &cmd_table[low];
}

/* The first entry of the group that typed names, or NULL. */
static const struct cmd *const *find_group(struct session *s, const char *typed)
{
	size_t len = strlen(typed);
	const struct cmd *const *found, *const *after;
	bool ambiguous;
	Tcl_Obj *fits, *all;

	if (*typed == '@') /* @NAME: NAME is its first argument */
		len = 1;
	found = after = first_with(typed, len);
	while (*after && same_first(*after, *found))
		after++;
	ambiguous = *found && *after && first_len(*found) != len &&
		    strncmp((*after)->name, typed, len) == 0;
	if (len && *found && !ambiguous && strncmp((*found)->name, typed, len) == 0)
		return found;
	if (!s)
		return NULL;
	fits = Tcl_NewListObj(0, NULL);
	all = Tcl_NewListObj(0, NULL);
	Tcl_IncrRefCount(fits);
	Tcl_IncrRefCount(all);
	for (const struct cmd *const *c = cmd_table; *c; c++) {
		Tcl_Obj *name;

		if (c > cmd_table && same_first(c[-1], *c))
			continue;
		name = Tcl_NewStringObj((*c)->name, (int)first_len(*c));
		Tcl_ListObjAppendElement(NULL, all, name);
		if (strncmp((*c)->name, typed, len) == 0)
			Tcl_ListObjAppendElement(NULL, fits, name);
	}
	cannot_find(s, typed, ambiguous ? fits : all, "", ambiguous);
	Tcl_DecrRefCount(fits);
	Tcl_DecrRefCount(all);
	return NULL;
}

const struct cmd *const *cmd_group(const char *word)
{
	return find_group(NULL, word);
}

static const struct cmd *no_member(struct session *s, const struct cmd *const *group,
				   const char *typed, bool ambiguous)
{
	Tcl_Obj *names = Tcl_NewListObj(0, NULL), *of;

	Tcl_IncrRefCount(names);
	for (const struct cmd *const *c = group; *c && same_first(*c, *group); c++)
		if (second(*c) && (!ambiguous || strncmp(second(*c), typed, strlen(typed)) == 0))
			Tcl_ListObjAppendElement(NULL, names, Tcl_NewStringObj(second(*c), -1));
	of = Tcl_NewStringObj((*group)->name, (int)first_len(*group));
	Tcl_IncrRefCount(of);
	Tcl_AppendToObj(of, " ", 1);
	if (s && !typed) {
		Tcl_Obj **v;
		int n;

		Tcl_ListObjGetElements(NULL, names, &n, &v);
		fail(s, "command", "MISSING", "%sneeds a second word", Tcl_GetString(of));
		if (n > TOLD_MAX)
			fail_row(s, "one of", "%s", Tcl_GetString(names));
		tell_each(s, Tcl_GetString(of), names);
		fail_next(s, "help %.*s", (int)first_len(*group), (*group)->name);
	} else if (s) {
		cannot_find(s, typed, names, Tcl_GetString(of), ambiguous);
	}
	Tcl_DecrRefCount(names);
	Tcl_DecrRefCount(of);
	return NULL;
}

const struct cmd *cmd_find(struct session *s, const char *const words[], int n, int *used)
{
	const struct cmd *const *group = find_group(s, words[0]);
	const struct cmd *single = NULL, *found = NULL;
	unsigned fits = 0;

	if (!group)
		return NULL;
	for (const struct cmd *const *c = group; *c && same_first(*c, *group); c++) {
		if (!second(*c)) {
			single = *c;
		} else if (n > 1 && *words[1] &&
			   strncmp(second(*c), words[1], strlen(words[1])) == 0) {
			fits += strcmp(second(*c), words[1]) == 0 ? 100 : 1;
			if (fits < 100 || strcmp(second(*c), words[1]) == 0)
				found = *c;
		}
	}
	if (fits == 1 || fits >= 100) {
		*used = 2;
		return found;
	}
	*used = words[0][0] == '@' && words[0][1] ? 0 : 1;
	if (single && !fits)
		return single;
	return no_member(s, group, n > 1 ? words[1] : NULL, fits > 1);
}

int cmd_run(struct session *s, const struct cmd *c, int objc, Tcl_Obj *const objv[], struct out *o)
{
	void *mark = arena_alloc(&s->arena, 0);
	void *args = arena_alloc(&s->arena, (c->size ? c->size : 1));
	struct held *held = s->held;
	int rc = args_parse(s, c, objc, objv, args);

	if (rc == 0 && app.before)
		app.before(s);
	if (rc == 0)
		rc = c->exec(s, args, o);
	if (s->held != held)
		app.release(s, held);
	arena_free(&s->arena, mark);
	return rc;
}
