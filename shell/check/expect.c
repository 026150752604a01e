/* SPDX-License-Identifier: MIT */
/*
 * expect: compares a script's result, or its error, with what the user expects.
 *
 * A script that fails where a result was expected is a failed expectation. Wrong usage inside the
 * script (an unknown command, wrong arguments) is an error instead.
 */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "command/cmd.h"
#include "language/interp.h"
#include "language/script.h"
#include "output/print.h"
#include "session.h"
#include "alloc.h"

struct expect_args {
	const char *name;
	const char *value;
	const char *error;
	Tcl_Obj *truth;
	struct num points;
	struct many words; /* Tcl_Obj *: fields with their values, then the script */
};

static const struct arg expect_arg_table[] = {
	OPT("name", expect_args, name, kind_str,
	    "name of the check (default: the command and its place)"),
	OPT("value", expect_args, value, kind_str, "the whole result must match this"),
	OPT("error", expect_args, error, kind_str,
	    "the script must fail with this: a call, an errno name or a status"),
	OPT("true", expect_args, truth, kind_expr, "a condition, as in if; no script follows"),
	OPT("points", expect_args, points, kind_u32,
	    "what it is worth to rdmash --grade (default: 1)", .max = 1000),
	POS_MANY("field-value-script", expect_args, words, kind_script,
		 "pairs of field and value; the last word is the script"),
	ARGS_END,
};

static bool same_number(const char *want, const char *got)
{
	uint64_t x, y;
	bool fits;

	return args_number(want, &x, &fits) && fits && args_number(got, &y, &fits) && fits &&
	       x == y;
}

bool expect_fits(const char *want, const char *got)
{
	return strcmp(want, got) == 0 || same_number(want, got) || Tcl_StringMatch(got, want);
}

#define VALUE_MAX 500 /* bytes of a value in a message */

/* ------------------------------------------------------------------ verdicts -- */

static int report_passed(struct session *s, const char *text)
{
	s->passed++;
	verdict_met(s, text);
	return 0;
}

/* A copy of the script, shortened to one line. */
static char *one_line(const char *script)
{
	char *line, *to;

	while (strchr(" \t\n", *script) && *script)
		script++;
	to = line = xstrdup(script);
	for (const char *p = script; *p; p++) {
		bool blank = strchr(" \t\n", *p) != NULL;

		if (!blank)
			*to++ = *p;
		else if (to > line && to[-1] != ' ')
			*to++ = ' ';
	}
	while (to > line && to[-1] == ' ')
		to--;
	*to = 0;
	return line;
}

/* Adds a value as a row of one line. */
static void add_value_row(struct session *s, const char *label, const char *value)
{
	char *line = one_line(value);

	if (*line)
		fail_row(s, label, "%.*s%s", VALUE_MAX, line,
			 strlen(line) > VALUE_MAX ? " ..." : "");
	free(line);
}

static const char *explain_word(const char *word)
{
	return app.explain ? app.explain(word) : NULL;
}

/* Fails: "expected <want>, got <got> (<meaning>)". */
static int report_unmet(struct session *s, const struct expect_args *a, const char *want,
			const char *got, Tcl_Obj *script)
{
	const char *why = explain_word(got);
	char *line = script ? one_line(Tcl_GetString(script)) : NULL;

	s->failed++;
	fail(s, "expect", "FAILED", "expected %s, got %s%s%s%s", want, *got ? got : "nothing",
	     why ? " (" : "", why ? why : "", why ? ")" : "");
	if (a->name)
		fail_row(s, "check", "%s", a->name);
	if (line)
		fail_row(s, "in", "%s", line);
	if (app.circumstances)
		app.circumstances(s);
	free(line);
	Tcl_ResetResult(s->tcl); /* expect failed, not the script: drop its error */
	return -1;
}

/* ------------------------------------------------------------------- errors -- */

/* Does want match a word of -errorcode after the first: the call, or the errno or status? *got is
 * set to the last word; the caller frees it. */
static bool error_fits(struct session *s, const char *want, char **got)
{
	Tcl_Obj *code = interp_errorcode(s->tcl), **v;
	bool fits = false;
	Tcl_Size n = 0;

	if (Tcl_ListObjGetElements(NULL, code, &n, &v) != TCL_OK)
		n = 0;
	*got = xstrdup(n ? Tcl_GetString(v[n - 1]) : "NONE");
	fits = expect_fits(want, *got);
	for (int i = 1; i < n && !fits; i++)
		fits = expect_fits(want, Tcl_GetString(v[i]));
	Tcl_DecrRefCount(code);
	return fits;
}

/* A completion that failed is a result, not an error: its status is the value of a key. */
static void add_status_row(struct session *s, const char *want, const char *result, Tcl_Obj *script)
{
	char *pair = xasprintf("status %s", want);

	if (strstr(result, pair))
		fail_next(s, "expect status %s {%s}: this is a result, not an error", want,
			  Tcl_GetString(script));
	free(pair);
}

static int expect_error(struct session *s, const struct expect_args *a, Tcl_Obj *script,
			const char *name)
{
	char *want = xasprintf("error %s", a->error), *got = NULL, *said;
	int rc = interp_eval(s, script);

	if (rc != TCL_ERROR) {
		said = xstrdup(Tcl_GetStringResult(s->tcl));
		rc = report_unmet(s, a, want, "no error", script);
		add_value_row(s, "result", said);
		add_status_row(s, a->error, said, script);
		free(said);
	} else if (error_fits(s, a->error, &got)) {
		fail_clear(&s->fail);
		rc = report_passed(s, name);
	} else {
		said = xstrdup(s->fail.text);
		rc = report_unmet(s, a, want, got, script);
		fail_row(s, "said", "%s", said);
		free(said);
	}
	free(got);
	free(want);
	return rc;
}

/* ------------------------------------------------------------------- values -- */

/* Did the script fail because of wrong usage? That is not a failed expectation. */
static bool is_mistake(const struct session *s)
{
	return fail_is_usage(&s->fail) || strcmp(s->fail.call, "expect") == 0;
}

/* Runs the script. 0: there is a result; 1: return *rc; -1: it failed. */
static int run_script(struct session *s, const struct expect_args *a, Tcl_Obj *script,
		      const char *want, int *rc)
{
	char *code, *said;

	*rc = interp_eval(s, script);
	if (*rc == TCL_OK)
		return 0;
	if (*rc != TCL_ERROR)
		return 1;
	if (is_mistake(s) || loop_interrupted(s->loop) || loop_ending(s->loop) || s->quit)
		return -1;
	code = xstrdup(s->fail.code);
	said = xstrdup(s->fail.text);
	report_unmet(s, a, want, code, script);
	fail_row(s, "said", "%s", said);
	free(code);
	free(said);
	return -1;
}

static Tcl_Obj *dict_field(Tcl_Obj *dict, Tcl_Obj *key)
{
	Tcl_Obj *value = NULL;

	return Tcl_DictObjGet(NULL, dict, key, &value) == TCL_OK ? value : NULL;
}

/* The elements of a list of dicts; false: it is something else. A dict that has the key may look
 * like such a list. */
static bool is_dict_list(Tcl_Obj *result, Tcl_Obj *key, Tcl_Obj ***elements, Tcl_Size *n)
{
	Tcl_Size size;

	if (dict_field(result, key) || Tcl_ListObjGetElements(NULL, result, n, elements) != TCL_OK)
		return false;
	for (int i = 0; i < *n; i++)
		if (Tcl_DictObjSize(NULL, (*elements)[i], &size) != TCL_OK || !size)
			return false;
	return *n > 0;
}

/* The n words are pairs of field and value, and the script. */
static int check_dict(struct session *s, const struct expect_args *a, Tcl_Obj *result,
		      Tcl_Obj *const *words, size_t n)
{
	for (size_t i = 0; i + 1 < n; i += 2) {
		Tcl_Obj *got = dict_field(result, words[i]);
		const char *want = Tcl_GetString(words[i + 1]);
		char *both;
		int rc;

		if (got && expect_fits(want, Tcl_GetString(got)))
			continue;
		both = xasprintf("%s %s", Tcl_GetString(words[i]), want);
		rc = report_unmet(s, a, both, got ? Tcl_GetString(got) : "no such field",
				  words[n - 1]);
		add_value_row(s, "result", Tcl_GetString(result));
		free(both);
		return rc;
	}
	return 0;
}

static int check_fields(struct session *s, const struct expect_args *a, Tcl_Obj *result,
			Tcl_Obj *const *words, size_t n)
{
	Tcl_Obj **elements;
	Tcl_Size count;

	if (n < 2 || !is_dict_list(result, words[0], &elements, &count))
		return check_dict(s, a, result, words, n);
	for (int i = 0; i < count; i++)
		if (check_dict(s, a, elements[i], words, n))
			return count == 1 ? -1
					  : fail_row(s, "element", "%d of %d", i + 1, (int)count);
	return 0;
}

static int expect_result(struct session *s, const struct expect_args *a, const char *name,
			 const char *want, struct out *o)
{
	Tcl_Obj *const *words = a->words.v;
	size_t n = a->words.n;
	Tcl_Obj *result;
	int rc, ran = run_script(s, a, words[n - 1], want, &rc);

	if (ran)
		return ran < 0 ? -1 : rc;
	result = Tcl_GetObjResult(s->tcl);
	Tcl_IncrRefCount(result);
	if (a->value && !expect_fits(a->value, Tcl_GetString(result)))
		rc = report_unmet(s, a, want, Tcl_GetString(result), words[n - 1]);
	else
		rc = check_fields(s, a, result, words, n);
	if (rc == 0) {
		report_passed(s, name);
		out_obj(o, result);
	}
	Tcl_DecrRefCount(result);
	return rc;
}

/* Adds the condition with its variables replaced by their values. */
static void add_values_row(struct session *s, Tcl_Obj *condition)
{
	Tcl_Obj *text = Tcl_SubstObj(s->tcl, condition, TCL_SUBST_VARIABLES);

	if (text)
		Tcl_IncrRefCount(text); /* it is the interpreter's result, too */
	Tcl_ResetResult(s->tcl);
	if (!text)
		return; /* an error in a variable that the condition does not evaluate */
	if (strcmp(Tcl_GetString(text), Tcl_GetString(condition)) != 0)
		add_value_row(s, "that is", Tcl_GetString(text));
	Tcl_DecrRefCount(text);
}

static int expect_true(struct session *s, const struct expect_args *a, const char *name)
{
	int truth, rc;

	if (Tcl_ExprBooleanObj(s->tcl, a->truth, &truth) != TCL_OK) {
		interp_fail(s);
		rc = -1;
	} else if (truth) {
		rc = report_passed(s, name);
	} else {
		rc = report_unmet(s, a, "true", "false", a->truth);
		add_values_row(s, a->truth);
	}
	return rc;
}

/* ------------------------------------------------------------------ command -- */

static void add_option(Tcl_Obj *list, const char *name, const char *value)
{
	if (value) {
		value_append(list, name);
		value_append(list, value);
	}
}

#define NAME_MAX_BYTES 72 /* of the command in a name made from it */

/* The command on one line, shortened, and its place: "expect -value 3 {expr 2} (a.rdma:4)". */
static char *command_name(struct session *s, const struct expect_args *a)
{
	Tcl_Obj *const *words = a->words.v;
	SCOPED_LIST(list);
	char *line, *text, *name;
	struct where where;
	size_t len;

	value_append(list, "expect");
	add_option(list, "-value", a->value);
	add_option(list, "-error", a->error);
	add_option(list, "-true", a->truth ? Tcl_GetString(a->truth) : NULL);
	for (size_t i = 0; i < a->words.n; i++)
		Tcl_ListObjAppendElement(NULL, list, words[i]);
	line = one_line(Tcl_GetString(list));
	len = strlen(line);
	if (len > NAME_MAX_BYTES)
		for (len = NAME_MAX_BYTES; (line[len] & 0xc0) == 0x80;) /* not in a character */
			len--;
	text = xasprintf("%.*s%s", (int)len, line, line[len] ? " ..." : "");
	where_init(&where);
	script_where(s, &where);
	name = verdict_placed(text, where.innermost.name, where.innermost.line);
	text_free(&where.text);
	free(text);
	free(line);
	return name;
}

/* "status SUCCESS, opcode SEND"; "value 3" */
static char *describe_expectation(const struct expect_args *a)
{
	Tcl_Obj *const *words = a->words.v;
	char *text;

	if (a->error)
		return xasprintf("error %s", a->error);
	text = xstrdup(a->value ? a->value : "");
	for (size_t i = 0; i + 2 < a->words.n; i += 2) {
		char *more = xasprintf("%s%s%s %s", text, *text ? ", " : "",
				       Tcl_GetString(words[i]), Tcl_GetString(words[i + 1]));

		free(text);
		text = more;
	}
	return text;
}

static int check_usage(struct session *s, const struct expect_args *a)
{
	bool fields = !a->value && !a->error && !a->truth;

	if (!!a->value + !!a->error + !!a->truth > 1)
		return fail(s, "args", "TOOMANY",
			    "expect: one of -value, -error and -true at a time");
	if (a->truth && a->words.n)
		return fail(s, "args", "TOOMANY", "expect -true: no script follows the condition");
	if (!fields && !a->truth && a->words.n != 1)
		return fail(s, "args", a->words.n ? "TOOMANY" : "MISSING",
			    "expect: exactly one script must follow");
	if (fields && (a->words.n < 3 || a->words.n % 2 == 0)) {
		fail(s, "args", "MISSING",
		     "expect: pairs of field and value, then a script, not %zu words", a->words.n);
		return fail_next(s, "expect status SUCCESS {poll}");
	}
	return 0;
}

static unsigned worth(const struct expect_args *a)
{
	return a->points.set ? (unsigned)a->points.v : 1;
}

/* The name of the check, with its points. The caller frees it. */
static char *worth_name(struct session *s, const struct expect_args *a)
{
	char *name = a->name ? xstrdup(a->name) : command_name(s, a), *with;

	if (!s->grades)
		return name;
	with = xasprintf("%s (%u point%s)", name, worth(a), worth(a) == 1 ? "" : "s");
	free(name);
	return with;
}

static int expect_exec(struct session *s, const void *args, struct out *o)
{
	const struct expect_args *a = args;
	char *want, *name;
	int rc;

	if (check_usage(s, a))
		return -1;
	name = worth_name(s, a);
	want = describe_expectation(a);
	if (a->truth)
		rc = expect_true(s, a, name);
	else if (a->error)
		rc = expect_error(s, a, *(Tcl_Obj *const *)a->words.v, name);
	else
		rc = expect_result(s, a, name, want, o);
	s->points_of += worth(a);
	s->points += rc == 0 ? worth(a) : 0;
	if (rc < 0 && !s->fail.check) { /* set: an expectation inside the script failed */
		s->fail.check = xstrdup(name);
		if (strcmp(s->fail.code, "FAILED") == 0)
			verdict_unmet(s, name);
		else if (a->name)
			fail_row(s, "check", "%s", a->name);
	}
	free(want);
	free(name);
	return rc;
}

/** Runs the script and checks its result: each FIELD must have its VALUE. -value checks the
 * whole result, -true a condition; -error expects the script to fail. A value matches if
 * it is the same text, the same number (0x10 is 16), or a pattern with * and ?. Of a
 * list of dicts, such as that of poll -n 2, each element is checked.
 * -error takes the name of the call (ibv_modify_qp) or the last word of Tcl's
 * -errorcode (EINVAL, REM_ACCESS_ERR).
 * A check that passes prints 'ok', also with -q; one that fails prints 'not ok' and the
 * actual result, and ends a script with exit code 3 (unless -k). A run with checks ends
 * with their number. This is TAP: prove --ext rdma -e rdmash DIRECTORY runs the scripts
 * in it, and an error is a failed check there. --json prints each line as a JSON value,
 * --junit FILE writes a report for CI. The value of expect is that of the script:
 * set wc [expect status SUCCESS {poll}].
 * > expect -true {1 + 1 == 2} => ok
 * > expect colour gr* size 0x10 {dict create colour green size 16} => ok
 * > expect size 4 {list {size 4} {size 5}} => expected size 4, got 5
 * > expect -name {an answer} -value 42 {expr {6 * 7}} => an answer
 * > expect -error UNKNOWN {no-such-command} => error UNKNOWN */
const struct cmd cmd_expect = {
	.name = "expect",
	.family = "scripts",
	.summary = "check the result of a command, or its error",
	.args = expect_arg_table,
	.flags = CMD_EVALS,
	.exec = expect_exec,
};
