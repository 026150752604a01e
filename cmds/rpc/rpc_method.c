/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "domain.h"
#include "file.h"
#include "interp.h"
#include "objects.h"
#include "rpc_method.h"
#include "session.h"
#include "suggest.h"
#include "xmem.h"

static const char *const types[RPC_TYPES] = { "text", "int", "double", "bool", "list", "dict" };

static void drop(struct rpc_method *m)
{
	for (unsigned i = 0; i < m->n_params; i++)
		free(m->params[i].name);
	if (m->params_text)
		Tcl_DecrRefCount(m->params_text);
	if (m->lambda)
		Tcl_DecrRefCount(m->lambda);
	free(m->name);
	free(m);
}

void rpc_methods_free(struct rpc_methods *all)
{
	struct rpc_method *m;

	while ((m = LIST_FIRST(all))) {
		LIST_REMOVE(m, link);
		drop(m);
	}
}

static struct rpc_method *find(struct session *s, const char *name)
{
	struct rpc_method *m;

	LIST_FOREACH(m, &s->ctx->methods, link)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}

/* ---------------------------------------------------------------- defining -- */

static int bad_type(struct session *s, const char *type)
{
	fail(s, "rpc serve", "EINVAL", "there is no type '%s'", type);
	return fail_row(s, "one of", "text int double bool list dict");
}

/* "n:int" or {n:int 5}: the parameter, and what apply is to know of it. */
static int add_param(struct session *s, struct rpc_method *m, Tcl_Obj *spec, Tcl_Obj *plain)
{
	struct rpc_param *p = &m->params[m->n_params];
	Tcl_Obj **v, *one = Tcl_NewListObj(0, NULL);
	const char *text, *colon;
	int n, type = RPC_TEXT;

	Tcl_ListObjAppendElement(NULL, plain, one);
	if (Tcl_ListObjGetElements(NULL, spec, &n, &v) != TCL_OK || n < 1 || n > 2 ||
	    !*(text = Tcl_GetString(v[0])) || *text == ':')
		return fail(s, "rpc serve", "EINVAL",
			    "'%s' is no argument: say name, name:type or {name:type default}",
			    Tcl_GetString(spec));
	if (m->n_params == RPC_ARGS_MAX)
		return fail(s, "rpc serve", "EINVAL", "more than %d arguments", RPC_ARGS_MAX);
	colon = strchr(text, ':');
	if (colon)
		for (type = 0; type < RPC_TYPES && strcmp(types[type], colon + 1) != 0; type++)
			;
	if (type == RPC_TYPES)
		return bad_type(s, colon + 1);
	p->name = xasprintf("%.*s", (int)(colon ? (size_t)(colon - text) : strlen(text)), text);
	p->type = (enum rpc_type)type;
	m->n_params++;
	if (n == 1 && m->n_need == m->n_params - 1)
		m->n_need++;
	else if (n == 1 && strcmp(p->name, "args") != 0)
		return fail(s, "rpc serve", "EINVAL",
			    "%s needs a default, as the one before it has", p->name);
	Tcl_ListObjAppendElement(NULL, one, Tcl_NewStringObj(p->name, -1));
	if (n == 2)
		Tcl_ListObjAppendElement(NULL, one, v[1]);
	return 0;
}

static int add_params(struct session *s, struct rpc_method *m, Tcl_Obj *params, Tcl_Obj *plain)
{
	Tcl_Obj **v;
	int n;

	if (Tcl_ListObjGetElements(NULL, params, &n, &v) != TCL_OK)
		return fail(s, "rpc serve", "EINVAL", "the arguments are no list: %s",
			    Tcl_GetString(params));
	for (int i = 0; i < n; i++)
		if (add_param(s, m, v[i], plain))
			return -1;
	m->rest = n && strcmp(m->params[n - 1].name, "args") == 0;
	if (m->rest && m->n_need == (unsigned)n)
		m->n_need--;
	return 0;
}

static bool name_ok(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_-.:", name[i]))
			return false;
	return len && len <= RPC_NAME_MAX;
}

struct rpc_method *rpc_method_set(struct session *s, const char *name, Tcl_Obj *params,
				  Tcl_Obj *body)
{
	struct rpc_method *m, *old;
	Tcl_Obj *words[2];

	if (!name_ok(name)) {
		fail(s, "rpc serve", "EINVAL", "'%s' cannot be a method's name", name);
		fail_row(s, "names", "have letters, digits, '_', '-', '.', ':', at most %d",
			 RPC_NAME_MAX);
		return NULL;
	}
	m = xcalloc(1, sizeof *m);
	m->name = xstrdup(name);
	m->domain = file_gate(s) ? s->domain : domain_of(s, DOMAIN_NO_FILES);
	words[0] = Tcl_NewListObj(0, NULL);
	words[1] = body;
	Tcl_IncrRefCount(words[0]);
	if (add_params(s, m, params, words[0])) {
		Tcl_DecrRefCount(words[0]);
		drop(m);
		return NULL;
	}
	m->lambda = Tcl_NewListObj(2, words);
	Tcl_IncrRefCount(m->lambda);
	Tcl_DecrRefCount(words[0]);
	m->params_text = params;
	Tcl_IncrRefCount(params);
	old = find(s, name);
	if (old) {
		LIST_REMOVE(old, link);
		drop(old);
	}
	LIST_INSERT_HEAD(&s->ctx->methods, m, link);
	return m;
}

/* ----------------------------------------------------------------- calling -- */

void rpc_outcome_fail(struct rpc_outcome *out, const char *code, const char *fmt, ...)
{
	Tcl_Obj *words[3] = { Tcl_NewStringObj("RDMASH", -1), Tcl_NewStringObj("rpc", -1),
			      Tcl_NewStringObj(code, -1) };
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	out->value = Tcl_NewStringObj(text, -1);
	out->code = Tcl_NewListObj(3, words);
	Tcl_IncrRefCount(out->value);
	Tcl_IncrRefCount(out->code);
	free(text);
}

void rpc_outcome_free(struct rpc_outcome *out)
{
	if (out->value)
		Tcl_DecrRefCount(out->value);
	if (out->code)
		Tcl_DecrRefCount(out->code);
	*out = (struct rpc_outcome){ 0 };
}

static void no_method(struct session *s, const char *name, struct rpc_outcome *out)
{
	Tcl_Obj *names = Tcl_NewListObj(0, NULL);
	struct rpc_method *m;
	const char *near;

	Tcl_IncrRefCount(names);
	LIST_FOREACH(m, &s->ctx->methods, link)
		Tcl_ListObjAppendElement(NULL, names, Tcl_NewStringObj(m->name, -1));
	near = suggest(name, names);
	if (near)
		rpc_outcome_fail(out, "ENOENT", "there is no method '%s'; did you mean %s?", name,
				 near);
	else
		rpc_outcome_fail(out, "ENOENT", "there is no method '%s'; there are: %s", name,
				 Tcl_GetString(names));
	Tcl_DecrRefCount(names);
}

static bool fits(struct rpc_method *m, size_t n, struct rpc_outcome *out)
{
	if (n >= m->n_need && (n <= m->n_params || m->rest))
		return true;
	rpc_outcome_fail(out, "E2BIG", "%s has %zu argument%s; it takes {%s}", m->name, n,
			 n == 1 ? "" : "s", Tcl_GetString(m->params_text));
	return false;
}

static bool parses(enum rpc_type type, Tcl_Obj *value)
{
	Tcl_WideInt wide;
	double real;
	int n;

	switch (type) {
	case RPC_INT:
		return Tcl_GetWideIntFromObj(NULL, value, &wide) == TCL_OK;
	case RPC_DOUBLE:
		return Tcl_GetDoubleFromObj(NULL, value, &real) == TCL_OK;
	case RPC_BOOL:
		return Tcl_GetBooleanFromObj(NULL, value, &n) == TCL_OK;
	case RPC_LIST:
		return Tcl_ListObjLength(NULL, value, &n) == TCL_OK;
	case RPC_DICT:
		return Tcl_DictObjSize(NULL, value, &n) == TCL_OK;
	case RPC_TEXT:
	case RPC_TYPES:
		break;
	}
	return true;
}

/* The words of the call; those of "args" share its type. */
static bool take_args(struct rpc_method *m, const Rpc__Request *r, Tcl_Obj *words[],
		      struct rpc_outcome *out)
{
	for (size_t i = 0; i < r->n_args; i++) {
		const struct rpc_param *p =
			&m->params[i < m->n_params ? i : (size_t)m->n_params - 1];

		if (parses(p->type, words[i]))
			continue;
		rpc_outcome_fail(out, "EINVAL", "%s: %s: '%.100s' is not a%s %s", m->name, p->name,
				 Tcl_GetString(words[i]), p->type == RPC_INT ? "n" : "",
				 types[p->type]);
		return false;
	}
	return true;
}

static void run(struct session *s, struct rpc_method *m, size_t n, Tcl_Obj *const args[],
		struct rpc_outcome *out)
{
	Tcl_Obj *words[2 + RPC_ARGS_MAX] = { Tcl_NewStringObj("::apply", -1), m->lambda };
	int rc;

	memcpy(words + 2, args, n * sizeof *args);
	Tcl_IncrRefCount(words[0]);
	Tcl_IncrRefCount(words[1]);
	rc = interp_aside(s, m->domain, (int)n + 2, words, &out->value, &out->code);
	Tcl_DecrRefCount(words[1]);
	Tcl_DecrRefCount(words[0]);
	if (rc == TCL_OK ||
	    (rc == TCL_ERROR && !loop_interrupted(s->loop) && !loop_ending(s->loop)))
		return;
	rpc_outcome_free(out);
	rpc_outcome_fail(out, "EINTR", "the server was stopped before the call had ended");
}

void rpc_method_call(struct session *s, const Rpc__Request *r, struct rpc_outcome *out)
{
	struct rpc_method *m = find(s, r->method);
	Tcl_Obj *args[RPC_ARGS_MAX];

	*out = (struct rpc_outcome){ 0 };
	if (!m) {
		no_method(s, r->method, out);
		return;
	}
	m->calls++;
	for (size_t i = 0; i < r->n_args; i++) {
		args[i] = rpc_value_read(r->args[i]);
		Tcl_IncrRefCount(args[i]);
	}
	if (fits(m, r->n_args, out) && take_args(m, r, args, out))
		run(s, m, r->n_args, args, out);
	for (size_t i = 0; i < r->n_args; i++)
		Tcl_DecrRefCount(args[i]);
	m = find(s, r->method);
	if (m && out->code)
		m->errors++;
}
