/* SPDX-License-Identifier: MIT */
/* Completion, hints and help for the functions of call; help coverage. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "call/calling.h"
#include "call_format.h"
#include "calls.h"
#include "command/cmd.h"
#include "help/help.h"
#include "live_context.h"
#include "object_args.h"
#include "out.h"
#include "session.h"

static void list_functions(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	for (unsigned i = 0; i < call_count; i++)
		value_append(words, call_table[i].name);
}

static int parse_function(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	const struct call_fn *fn = call_find(Tcl_GetString(word));
	SCOPED_LIST(names);

	*(const struct call_fn **)dst = fn;
	if (fn)
		return 0;
	list_functions(s, a, names);
	fail(s, "args", "BADVALUE", "neither libibverbs nor librdmacm has a function '%.64s'%s",
	     Tcl_GetString(word), mistake_did_you_mean(cmd_suggest(Tcl_GetString(word), names)));
	return fail_next(s, "help coverage");
}

const struct arg_kind kind_function = { .word = "function",
					.size = sizeof(struct call_fn *),
					.parse = parse_function,
					.is_static = true,
					.complete = list_functions };

static const struct call_value *typed_arg(const struct call_fn *fn, int n)
{
	for (const struct call_value *v = fn->args; v->name; v++)
		if (call_is_typed(fn, v) && n-- == 0)
			return v;
	return NULL;
}

/* The function that the first such word names, or NULL; *after is the number of words after it. */
static const struct call_fn *function_of(int objc, Tcl_Obj *const objv[], int *after)
{
	for (int i = 0; i < objc; i++) {
		const struct call_fn *fn = call_find(Tcl_GetString(objv[i]));

		if (fn) {
			*after = objc - i - 1;
			return fn;
		}
	}
	return NULL;
}

static void complete_value(struct session *s, const struct call_value *v, Tcl_Obj *words)
{
	struct obj *o;
	size_t len;

	if (v->kind == CALL_ENUM || v->kind == CALL_FLAGS)
		for (const struct call_word *w = v->words->words; w->name; w++)
			value_append(words, call_word_name(v->words, w->value));
	obj_foreach(o, s)
		if ((v->kind == CALL_OBJECT && handle_pointer(o, v->object)) ||
		    (v->kind == CALL_KEY && handle_pointer(o, OBJECT_MR)) ||
		    ((v->kind == CALL_ADDRESS || v->kind == CALL_IOVA || v->kind == CALL_REMOTE) &&
		     handle_memory(o, &len)))
			value_append(words, o->name);
	if (v->kind == CALL_OBJECT && (v->object == OBJECT_CONTEXT || v->object == OBJECT_DEVICE))
		kind_dev.complete(s, NULL, words);
}

void call_complete(struct session *s, int objc, Tcl_Obj *const objv[], Tcl_Obj *words)
{
	int after;
	const struct call_fn *fn = function_of(objc, objv, &after);
	const struct call_value *v = fn ? typed_arg(fn, after) : NULL;

	if (v)
		complete_value(s, v, words);
}

static bool is_given(const struct call_struct *of, const struct call_value *f)
{
	return f->kind != CALL_COOKIE && f->kind != CALL_CALLBACK &&
	       !call_is_counted(of->fields, f);
}

static bool has_members(const struct call_value *v)
{
	return (v->kind == CALL_STRUCT || v->kind == CALL_LIST || v->kind == CALL_CHAIN ||
		v->kind == CALL_TRAIL) &&
	       v->of;
}

/* Appends the rest of the names that begin with path, "cap.", of the members of a struct and of the
 * structs in it. at: the prefix of this struct's members: "", or "cap." in a nested one. */
static void complete_members(const struct call_struct *of, const char *at, const char *path,
			     Tcl_Obj *words)
{
	for (const struct call_value *f = of->fields; f->name; f++) {
		bool inside = f->kind == CALL_STRUCT && !f->pointer;
		char *name = xasprintf("%s%s%s", at, f->name, inside ? "." : "");

		if (inside)
			complete_members(f->of, name, path, words);
		else if (is_given(of, f) && strncmp(name, path, strlen(path)) == 0)
			value_append(words, name + strlen(path));
		free(name);
	}
}

void call_complete_dict(struct session *s, int objc, Tcl_Obj *const objv[], int depth,
			Tcl_Obj *const inner[], Tcl_Obj *words)
{
	Tcl_Size n;
	int after;
	const struct call_fn *fn = function_of(objc, objv, &after);
	const struct call_value *v = fn ? typed_arg(fn, after) : NULL;
	const struct call_struct *of = v && has_members(v) ? v->of : NULL, *its;
	char *path = xstrdup(""), *name;
	Tcl_Obj **word;

	for (int i = 0; of && i < depth; i++) {
		Tcl_ListObjGetElements(NULL, inner[i], &n, &word);
		if (n % 2 == 0 && i == depth - 1)
			complete_members(of, "", path, words);
		if (n % 2 == 0) /* a dict in a list */
			continue;
		name = xasprintf("%s%s", path, Tcl_GetString(word[n - 1]));
		its = of;
		v = call_find_field(&its, name, NULL);
		if (i == depth - 1 && v)
			complete_value(s, v, words);
		free(path);
		path = v && has_members(v) ? xstrdup("") : xasprintf("%s.", name);
		if (!*path)
			of = v->of;
		free(name);
	}
	free(path);
}

/* Appends the arguments from number n on: "<pd> {qp_init_attr}". */
static void append_usage(const struct call_fn *fn, int n, struct text *d)
{
	const struct call_value *v;

	for (; (v = typed_arg(fn, n)); n++) {
		bool dict = v->kind == CALL_STRUCT || v->kind == CALL_CHAIN || v->kind == CALL_LIST;

		text_add(d, text_len(d) ? " " : "");
		text_add(d, v->optional ? "[" : "");
		text_add(d, dict ? "{" : "<");
		text_add(d, v->name);
		text_add(d, dict ? "}" : ">");
		text_add(d, v->optional ? "]" : "");
	}
}

void call_hint(int objc, Tcl_Obj *const objv[], struct text *d)
{
	int after;
	const struct call_fn *fn = function_of(objc, objv, &after);

	if (fn)
		append_usage(fn, after, d);
}

/* The kind of an argument's or a member's value, for scripts. NULL: a number. */
static const char *const kind_words[CALL_FD + 1] = {
	[CALL_ENUM] = "enum",	    [CALL_FLAGS] = "flags",    [CALL_OBJECT] = "object",
	[CALL_OBJECTS] = "objects", [CALL_STRUCT] = "struct",  [CALL_LIST] = "list",
	[CALL_TRAIL] = "list",	    [CALL_CHAIN] = "chain",    [CALL_ADDRESS] = "address",
	[CALL_IOVA] = "address",    [CALL_REMOTE] = "address", [CALL_KEY] = "key",
	[CALL_QPN] = "key",	    [CALL_DATA] = "bytes",     [CALL_BYTES] = "bytes",
	[CALL_CHARS] = "bytes",	    [CALL_STRING] = "string",  [CALL_SOCKADDR] = "host",
	[CALL_GID] = "gid",
};

static void help_words(const struct call_enum *e, unsigned depth, struct out *o)
{
	out_list(o, "words");
	out_text(o, "%*s", (int)(4 * depth + 4), "");
	for (const struct call_word *w = e->words; w->name; w++)
		out_str(o, NULL, call_word_name(e, w->value), " %s", call_word_name(e, w->value));
	out_text(o, "\n");
	out_end(o);
}

static void help_value(const struct call_value *v, unsigned depth, struct out *o)
{
	out_dict(o, NULL);
	out_str(o, "name", v->name, "%*s%s\n", (int)(4 * depth - 2), "", v->name);
	out_str(o, "kind", kind_words[v->kind] ? kind_words[v->kind] : "number", NULL);
	out_bool(o, "optional", v->optional, NULL);
	if (v->kind == CALL_OBJECT || v->kind == CALL_OBJECTS)
		out_str(o, "of", call_objects[v->object].name, NULL);
	if (v->kind == CALL_ENUM || v->kind == CALL_FLAGS)
		help_words(v->words, depth, o);
	if (has_members(v)) {
		out_str(o, "of", v->of->name, NULL);
		out_list(o, "members");
		for (const struct call_value *f = v->of->fields; f->name; f++)
			if (is_given(v->of, f))
				help_value(f, depth + 1, o);
		out_end(o);
	}
	out_end(o);
}

bool call_help(const char *name, struct out *o)
{
	const struct call_fn *fn = call_find(name);
	SCOPED_TEXT(d);

	if (!fn)
		return false;
	if (!o)
		return true;
	append_usage(fn, 0, &d);
	out_dict(o, NULL);
	out_str(o, "name", fn->name, NULL);
	out_str(o, "prototype", fn->prototype, "%s;\n", fn->prototype);
	out_str(o, "header", fn->header, "#include <%s>\n\n", fn->header);
	if (fn->why)
		out_str(o, "why_not", fn->why, "  cannot be called here: %s\n", fn->why);
	else
		out_text(o, "  call %s %s\n\n", fn->name, text_str(&d));
	out_list(o, "arguments");
	for (const struct call_value *v = fn->args; v->name; v++)
		if (call_is_typed(fn, v))
			help_value(v, 1, o);
	out_end(o);
	out_end(o);
	return true;
}

/* -------------------------------------------------------- help coverage -- */

/* Appends the names of the first three commands that call the function. Returns how many do. */
static unsigned append_commands(const struct call_fn *fn, struct text *d)
{
	unsigned n = 0;

	for (const struct cmd *const *c = cmd_table; *c; c++) {
		if (!cmd_calls(*c, fn->name))
			continue;
		if (n < 3)
			xappendf(d, "%s%s", n ? ", " : "", (*c)->name);
		n++;
	}
	if (n > 3)
		xappendf(d, " and %u more", n - 3);
	return n;
}

static void list_coverage(struct text *d)
{
	unsigned by_command = 0, by_call = 0, none = 0;

	for (int is_cm = 0; is_cm < 2; is_cm++) {
		xappendf(d, "\n  %s\n", is_cm ? "librdmacm" : "libibverbs");
		for (unsigned i = 0; i < call_count; i++) {
			const struct call_fn *fn = &call_table[i];
			SCOPED_TEXT(how);

			if (fn->is_cm != is_cm)
				continue;
			if (append_commands(fn, &how))
				by_command++;
			else if (fn->invoke)
				by_call++;
			else
				none++;
			xappendf(d, "  %-36s %s%s%s\n", fn->name, text_str(&how),
				 fn->why	  ? "none: "
				 : text_len(&how) ? "; call"
						  : "call",
				 fn->why ? fn->why : "");
		}
	}
	xappendf(d,
		 "\n  %u functions: %u by a command (and by call), %u by call alone, %u by none\n",
		 call_count, by_command, by_call, none);
}

/** Every function of the headers of libibverbs and librdmacm, and what can call it:
 * commands, 'call', or nothing, and why not. */
const struct topic topic_coverage = {
	.name = "coverage",
	.title = "Every function",
	.more = list_coverage,
};
