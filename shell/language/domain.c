/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "language/interp.h"
#include "language/script.h"
#include "session.h"
#include "alloc.h"

LIST_HEAD(domains, domain);

/* ------------------------------------------------------------------------- variables -- */

/* A variable or array element, with the value that it has in both domains. */
struct shared {
	Tcl_Obj *value;
	unsigned long round; /* the last copying that found it */
	char *name, *element;
};

/* Copying of variables from one interpreter to another. */
struct sharing {
	struct domain *d; /* owner of the table of shared variables */
	struct domain *from;
	Tcl_Interp *to;
	unsigned long round;
};

/* Tcl's own variables and those of the program are not shared. */
static bool is_private(const char *name)
{
	static const char *const own[] = { "::errorInfo", "::errorCode", "::auto_",   "::tcl_",
					   "::tcl::",	  "::oo::",	 "::lesson::" };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (strncmp(name, own[i], strlen(own[i])) == 0)
			return true;
	return false;
}

static void make_namespace(Tcl_Interp *tcl, const char *variable)
{
	char *space = xstrdup(variable), *end = space + strlen(space);

	while (end > space + 1 && !(end[-1] == ':' && end[0] == ':'))
		end--;
	end[-(end > space)] = 0;
	if (*space && !Tcl_FindNamespace(tcl, space, NULL, TCL_GLOBAL_ONLY))
		Tcl_CreateNamespace(tcl, space, NULL, NULL);
	free(space);
}

static void share_value(struct sharing *sh, const char *name, const char *element, Tcl_Obj *value)
{
	char *key = element ? xasprintf("%s(%s)", name, element) : xstrdup(name);
	int is_new;
	Tcl_HashEntry *e = Tcl_CreateHashEntry(&sh->d->shared, key, &is_new);
	struct shared *v = is_new ? xcalloc(1, sizeof *v) : Tcl_GetHashValue(e);

	free(key);
	if (is_new) {
		v->name = xstrdup(name);
		v->element = element ? xstrdup(element) : NULL;
		Tcl_SetHashValue(e, v);
	}
	v->round = sh->round;
	if (v->value == value) /* a shared Tcl value never changes: a new value is a new object */
		return;
	Tcl_IncrRefCount(value);
	if (v->value)
		Tcl_DecrRefCount(v->value);
	v->value = value;
	if (!Tcl_SetVar2Ex(sh->to, name, element, value, TCL_GLOBAL_ONLY)) {
		make_namespace(sh->to, name);
		Tcl_SetVar2Ex(sh->to, name, element, value, TCL_GLOBAL_ONLY);
	}
}

/* Calls one of Tcl's own commands with an argument (NULL: none). Returns a reference to its result.
 */
static Tcl_Obj *query_tcl(struct domain *d, const Tcl_CmdInfo *command, const char *argument)
{
	Tcl_Obj *words[2] = { Tcl_NewObj(), Tcl_NewStringObj(argument ? argument : "", -1) };
	Tcl_Obj *result;

	Tcl_IncrRefCount(words[0]);
	Tcl_IncrRefCount(words[1]);
	if (command->objProc(command->objClientData, d->tcl, argument ? 2 : 1, words) != TCL_OK)
		Tcl_ResetResult(d->tcl);
	result = Tcl_GetObjResult(d->tcl);
	Tcl_IncrRefCount(result);
	Tcl_DecrRefCount(words[0]);
	Tcl_DecrRefCount(words[1]);
	return result;
}

static void share_array(struct sharing *sh, const char *name)
{
	Tcl_Obj *elements = query_tcl(sh->from, &sh->from->array_names, name), **v, *value;
	Tcl_Size n = 0;

	Tcl_ListObjGetElements(NULL, elements, &n, &v);
	for (int i = 0; i < n; i++) {
		value = Tcl_GetVar2Ex(sh->from->tcl, name, Tcl_GetString(v[i]), TCL_GLOBAL_ONLY);
		if (value)
			share_value(sh, name, Tcl_GetString(v[i]), value);
	}
	Tcl_DecrRefCount(elements);
}

static void share_namespace(struct sharing *sh, const char *space)
{
	char *pattern = xasprintf("%s::*", space);
	Tcl_Obj *names = query_tcl(sh->from, &sh->from->info_vars, pattern), **v, *value;
	Tcl_Obj *children = query_tcl(sh->from, &sh->from->namespace_children,
				      *space ? space : "::");
	Tcl_Size n = 0;

	free(pattern);
	Tcl_ListObjGetElements(NULL, names, &n, &v);
	for (int i = 0; i < n; i++) {
		const char *name = Tcl_GetString(v[i]);

		if (is_private(name))
			continue;
		value = Tcl_GetVar2Ex(sh->from->tcl, name, NULL, TCL_GLOBAL_ONLY);
		if (value)
			share_value(sh, name, NULL, value);
		else
			share_array(sh, name);
	}
	n = 0;
	Tcl_ListObjGetElements(NULL, children, &n, &v);
	for (int i = 0; i < n; i++) {
		char *prefix = xasprintf("%s::", Tcl_GetString(v[i]));

		if (!is_private(prefix))
			share_namespace(sh, Tcl_GetString(v[i]));
		free(prefix);
	}
	Tcl_DecrRefCount(names);
	Tcl_DecrRefCount(children);
}

static void free_shared(Tcl_HashEntry *e)
{
	struct shared *v = Tcl_GetHashValue(e);

	if (v->value)
		Tcl_DecrRefCount(v->value);
	free(v->name);
	free(v->element);
	free(v);
	Tcl_DeleteHashEntry(e);
}

/* Unsets in the destination the variables that the source has unset. */
static void share_unset_variables(struct sharing *sh)
{
	Tcl_HashSearch at;

	for (Tcl_HashEntry *e = Tcl_FirstHashEntry(&sh->d->shared, &at); e;
	     e = Tcl_NextHashEntry(&at)) {
		struct shared *v = Tcl_GetHashValue(e);

		if (v->round == sh->round)
			continue;
		Tcl_UnsetVar2(sh->to, v->name, v->element, TCL_GLOBAL_ONLY);
		free_shared(e);
	}
}

/* Copies changed variables to the other side. Variable traces may run meanwhile, each in its own
 * domain. */
static void share_variables(struct domain *d, struct domain *from, struct domain *to)
{
	static unsigned long rounds;
	struct sharing sh = { .d = d, .from = from, .to = to->tcl, .round = ++rounds };
	Tcl_InterpState kept, kept_to;

	if (d->sharing)
		return;
	d->sharing = true;
	kept = Tcl_SaveInterpState(from->tcl, TCL_OK);
	kept_to = Tcl_SaveInterpState(to->tcl, TCL_OK);
	share_namespace(&sh, "");
	share_unset_variables(&sh);
	Tcl_RestoreInterpState(to->tcl, kept_to);
	Tcl_RestoreInterpState(from->tcl, kept);
	d->sharing = false;
}

/* --------------------------------------------------------------------------- borders -- */

static void switch_to(struct session *s, struct domain *d)
{
	s->domain = d;
	s->tcl = d->tcl;
}

void domain_turn(struct session *s)
{
	struct domain *d;

	LIST_FOREACH(d, s->domains, link)
		if (d->changed) {
			d->changed = false;
			share_variables(d, d, s->own);
			d->seen = s->turns;
		}
	s->turns++;
}

void domain_enter(struct session *s, struct border *b, struct domain *d, bool aside)
{
	*b = (struct border){ .outer = s->border, .from = s->domain, .into = d, .aside = aside };
	b->from_frames = where_frames(b->from);
	b->into_frames = where_frames(d);
	s->border = b;
	if (d != s->own && !d->is_library && !d->active && d->seen != s->turns) {
		d->seen = s->turns;
		share_variables(d, s->own, d);
	}
	d->active++;
	switch_to(s, d);
}

void domain_leave(struct session *s, struct border *b)
{
	struct domain *d = b->into;

	switch_to(s, b->from);
	s->border = b->outer;
	d->active--;
	if (d == s->own || d->active || d->is_library)
		return;
	d->changed = true;
	if (!b->aside)
		domain_turn(s);
}

struct domain *domain_knows(struct session *s, const char *word)
{
	struct domain *d;

	if (Tcl_FindCommand(s->own->tcl, word, NULL, TCL_GLOBAL_ONLY))
		return NULL;
	LIST_FOREACH(d, s->domains, link)
		if (d->root && *d->root && !d->is_library &&
		    Tcl_FindCommand(d->tcl, word, NULL, TCL_GLOBAL_ONLY))
			return d;
	return NULL;
}

Tcl_Obj *domain_commands(struct domain *d)
{
	Tcl_InterpState kept = Tcl_SaveInterpState(d->tcl, TCL_OK);
	Tcl_Obj *names = query_tcl(d, &d->info_commands, NULL);

	Tcl_RestoreInterpState(d->tcl, kept);
	return names;
}

int domain_call(struct session *s, struct domain *d, int objc, Tcl_Obj *const objv[])
{
	Tcl_Interp *caller = s->tcl;
	struct border b;
	int rc;

	domain_turn(s);
	domain_enter(s, &b, d, false);
	Tcl_AllowExceptions(d->tcl); /* break belongs to a loop of the caller */
	rc = interp_eval_words(d->tcl, objc, objv);
	if (rc == TCL_ERROR)
		interp_fail(s);
	domain_leave(s, &b);
	Tcl_TransferResult(d->tcl, rc, caller);
	return rc;
}

/* --------------------------------------------------------------------------- domains -- */

static void forget_all(Tcl_HashTable *table)
{
	Tcl_HashSearch at;
	Tcl_HashEntry *e;

	while ((e = Tcl_FirstHashEntry(table, &at)))
		free_shared(e);
	Tcl_DeleteHashTable(table);
}

static struct domain *make_domain(struct session *s, const char *root)
{
	struct domain *d = xcalloc(1, sizeof *d);

	d->s = s;
	d->root = root ? xstrdup(root) : NULL;
	Tcl_InitHashTable(&d->shared, TCL_STRING_KEYS);
	interp_make(d);
	Tcl_GetCommandInfo(d->tcl, "::tcl::info::commands", &d->info_commands);
	Tcl_GetCommandInfo(d->tcl, "::tcl::info::vars", &d->info_vars);
	Tcl_GetCommandInfo(d->tcl, "::tcl::namespace::children", &d->namespace_children);
	Tcl_GetCommandInfo(d->tcl, "::tcl::array::names", &d->array_names);
	LIST_INSERT_HEAD(s->domains, d, link);
	return d;
}

struct domain *domain_of(struct session *s, const char *root)
{
	struct domain *d;

	if (!root || s->opt.unsafe)
		return s->own;
	LIST_FOREACH(d, s->domains, link)
		if (d->root && strcmp(d->root, root) == 0) {
			LIST_REMOVE(d, link);
			LIST_INSERT_HEAD(s->domains, d, link);
			return d;
		}
	return make_domain(s, root);
}

struct domain *domain_first(const struct session *s)
{
	return LIST_FIRST(s->domains);
}

void domains_new(struct session *s)
{
	s->domains = xcalloc(1, sizeof *s->domains);
	LIST_INIT(s->domains);
	s->turns = 1; /* so that a new domain counts as out of date */
	s->own = make_domain(s, NULL);
	switch_to(s, s->own);
}

void domains_free(struct session *s)
{
	struct domain *d;

	while ((d = LIST_FIRST(s->domains))) {
		LIST_REMOVE(d, link);
		where_free(d);
		Tcl_DeleteInterp(d->tcl);
		forget_all(&d->shared);
		free(d->words);
		free(d->root);
		free(d);
	}
	free(s->domains);
	s->domains = NULL;
	s->own = s->domain = NULL;
	s->tcl = NULL;
}
