/* SPDX-License-Identifier: MIT */
/* regexp, regsub and lsearch -regexp refuse a pattern that nests too deeply. Tcl recurses for each
 * parenthesis, without a limit, until the stack is used up. */
#include <string.h>

#include "language/interp.h"

#define NESTS_MAX 1000

/* How deeply the parentheses of a pattern nest, at most. Those in brackets count as well. */
static unsigned nesting_of(const char *pattern)
{
	unsigned depth = 0, most = 0;

	for (const char *p = pattern; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '(' && ++depth > most)
			most = depth;
		else if (*p == ')' && depth)
			depth--;
	}
	return most;
}

/* Is it an option, by its whole name or by an abbreviation with at least len characters? */
static bool is_option(Tcl_Obj *word, const char *name, size_t len)
{
	const char *text = Tcl_GetString(word);

	return strlen(text) >= len && strncmp(name, text, strlen(text)) == 0;
}

/* The pattern of regexp and regsub: after the options, of which -start has a value. */
static Tcl_Obj *pattern_first(int objc, Tcl_Obj *const objv[])
{
	int i = 1;

	while (i < objc && *Tcl_GetString(objv[i]) == '-') {
		if (strcmp(Tcl_GetString(objv[i]), "--") == 0)
			return i + 1 < objc ? objv[i + 1] : NULL;
		i += is_option(objv[i], "-start", 2) ? 2 : 1;
	}
	return i < objc ? objv[i] : NULL;
}

/* The pattern of lsearch -regexp, its last word. */
static Tcl_Obj *pattern_last(int objc, Tcl_Obj *const objv[])
{
	for (int i = 1; i < objc - 2; i++)
		if (is_option(objv[i], "-regexp", 4))
			return objv[objc - 1];
	return NULL;
}

static const struct matcher {
	const char *name;
	Tcl_Obj *(*pattern)(int objc, Tcl_Obj *const objv[]);
} matchers[] = {
	{ "regexp", pattern_first },
	{ "regsub", pattern_first },
	{ "lsearch", pattern_last },
};

#define MATCHERS (sizeof matchers / sizeof *matchers)

static Tcl_CmdInfo tcls_own[MATCHERS]; /* the same in each interpreter */

static int run_matcher(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	const struct matcher *m = data;
	const Tcl_CmdInfo *own = &tcls_own[m - matchers];
	Tcl_Obj *pattern = m->pattern(objc, objv);

	if (!pattern || nesting_of(Tcl_GetString(pattern)) <= NESTS_MAX)
		return own->objProc(own->objClientData, tcl, objc, objv);
	Tcl_SetObjResult(tcl, Tcl_ObjPrintf("%s: the parentheses of the pattern nest more than %d "
					    "deep",
					    m->name, NESTS_MAX));
	Tcl_SetErrorCode(tcl, "RDMASH", m->name, "DEPTH", NULL);
	return TCL_ERROR;
}

void patterns_guard(Tcl_Interp *tcl)
{
	for (size_t i = 0; i < MATCHERS; i++) {
		Tcl_GetCommandInfo(tcl, matchers[i].name, &tcls_own[i]);
		Tcl_CreateObjCommand(tcl, matchers[i].name, run_matcher, (ClientData)&matchers[i],
				     NULL);
	}
}
