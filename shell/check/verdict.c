/* SPDX-License-Identifier: MIT */
#include "check/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/script.h"
#include "output/out.h"
#include "output/print.h"
#include "session.h"
#include "alloc.h"

/* An expectation that was met or not, or an error: a test case of the JUnit file. */
enum became { MET, UNMET, ERROR };

struct verdict {
	enum became became;
	char *name, *file;
	char *text, *rows; /* NULL if MET */
	int64_t took;	   /* ns since the previous one, or since the program started */
};

static struct {
	struct verdict *v;
	unsigned n;
	int64_t last;
	bool tap;	 /* TAP is printed, also of errors: there was an expectation */
	unsigned errors; /* lines of TAP that are about errors */
	char *skipped;	 /* why, or NULL */
} kept;

bool verdict_harness(void)
{
	return getenv("HARNESS_ACTIVE") != NULL;
}

char *verdict_placed(const char *what, const char *file, unsigned line)
{
	return file ? xasprintf("%s (%s:%u)", what, file, line) : xstrdup(what);
}

/* ------------------------------------------------------------------------- lines -- */

/* '#' begins a directive (# SKIP, # TODO). */
static void print_verdict(unsigned number, bool met, const char *name)
{
	Tcl_DString line;

	Tcl_DStringInit(&line);
	xappendf(&line, "%sok %u ", met ? "" : "not ", number);
	for (; *name; name++) {
		Tcl_DStringAppend(&line, "\\", *name == '#');
		Tcl_DStringAppend(&line, name, 1);
	}
	out_line(OUT_TEXT, Tcl_DStringValue(&line));
	Tcl_DStringFree(&line);
}

/* Prints "# expected 4, got 3", and the rows. */
static void print_comment(const char *text, const char *rows)
{
	char *all = xasprintf("%s\n%s", text, rows), *rest = all, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line) {
			char *comment = xasprintf("# %s", line);

			out_line(OUT_TEXT, comment);
			free(comment);
		}
	free(all);
}

/* Begins TAP with the errors so far. before: that many lines were counted. */
static void start_tap(unsigned before)
{
	if (kept.tap)
		return;
	kept.tap = true;
	for (unsigned i = 0; i < kept.n; i++) {
		print_verdict(before + ++kept.errors, false, kept.v[i].name);
		print_comment(kept.v[i].text, kept.v[i].rows);
	}
}

/* Prints the line of TAP of an expectation that was counted. */
static void print_check(struct session *s, bool met, const char *name)
{
	start_tap(s->passed + s->failed - 1);
	print_verdict(s->passed + s->failed + kept.errors, met, name);
}

static void show_json(struct session *s, const char *name, const struct fail *f, const char *where)
{
	struct out *o = out_new(false);

	out_u64(o, "check", s->passed + s->failed, NULL);
	out_str(o, "name", name, NULL);
	out_bool(o, "ok", !f, NULL);
	if (f) {
		out_str(o, "where", where, NULL);
		fail_out(f, o);
	}
	out_show(o, OUT_JSON);
	out_free(o);
}

/* ------------------------------------------------------------------------ storing -- */

static char *visible_copy(const char *text)
{
	Tcl_DString d;
	char *copy;

	Tcl_DStringInit(&d);
	visible_append(&d, text, strlen(text), VISIBLE_LINES);
	copy = xstrdup(Tcl_DStringValue(&d));
	Tcl_DStringFree(&d);
	return copy;
}

static const char *script_name(const struct session *s)
{
	return s->script && s->script->name ? s->script->name : "-c";
}

/* Keeps it for the JUnit file; errors also until TAP begins. */
static void keep_verdict(struct session *s, enum became became, const char *name, const char *file,
			 const char *text, const char *rows)
{
	int64_t now = loop_now();

	if (!s->opt.junit && (became != ERROR || kept.tap))
		return;
	kept.v = xgrow(kept.v, kept.n, sizeof *kept.v);
	kept.v[kept.n++] = (struct verdict){
		.became = became,
		.name = visible_copy(name),
		.file = visible_copy(file),
		.text = text ? visible_copy(text) : NULL,
		.rows = rows ? visible_copy(rows) : NULL,
		.took = kept.last ? now - kept.last : 0,
	};
	kept.last = now;
}

void verdict_met(struct session *s, const char *name)
{
	if (s->opt.format == OUT_JSON)
		show_json(s, name, NULL, NULL);
	else
		print_check(s, true, name);
	keep_verdict(s, MET, name, script_name(s), NULL, NULL);
}

/* Appends the rows of s->fail and the place. */
static void append_rows(struct session *s, const char *where, Tcl_DString *rows)
{
	fail_rows(&s->fail, rows);
	if (*where)
		xappendf(rows, "  %-11s %s\n", "at", where);
}

void verdict_unmet(struct session *s, const char *name)
{
	struct where where;
	Tcl_DString rows;

	Tcl_DStringInit(&rows);
	where_init(&where);
	script_where(s, &where);
	append_rows(s, Tcl_DStringValue(&where.text), &rows);
	if (s->opt.format == OUT_JSON) {
		show_json(s, name, &s->fail, Tcl_DStringValue(&where.text));
	} else if (!s->opt.interactive) { /* a person at the prompt reads the error */
		print_check(s, false, name);
		print_comment(s->fail.text, Tcl_DStringValue(&rows));
	}
	keep_verdict(s, UNMET, name, script_name(s), s->fail.text, Tcl_DStringValue(&rows));
	Tcl_DStringFree(&where.text);
	Tcl_DStringFree(&rows);
}

static bool failed_by(const struct fail *f, const char *call, const char *code)
{
	return f->call && strcmp(f->call, call) == 0 && strcmp(f->code, code) == 0;
}

void verdict_error(struct session *s)
{
	const char *where = s->fail.where ? s->fail.where : "";
	bool stopped = loop_interrupted(s->loop) || loop_ending(s->loop);
	const char *text = stopped ? "interrupted" : s->fail.text;
	const char *file = s->fail.file;
	char *line, *name;
	Tcl_DString rows;

	if (s->opt.interactive || s->opt.peer || s->plays ||
	    failed_by(&s->fail, "expect", "FAILED") || failed_by(&s->fail, "require", "UNMET"))
		return;
	s->errors++;
	line = xasprintf("%.*s", (int)strcspn(text, "\n"), text);
	name = verdict_placed(line, file, s->fail.line);
	if (!file)
		file = s->script ? script_name(s) : "rdmash";
	Tcl_DStringInit(&rows);
	append_rows(s, where, &rows);
	if (kept.tap) {
		print_verdict(s->passed + s->failed + ++kept.errors, false, name);
		print_comment(text, Tcl_DStringValue(&rows));
	}
	keep_verdict(s, ERROR, name, file, text, Tcl_DStringValue(&rows));
	Tcl_DStringFree(&rows);
	free(name);
	free(line);
}

void verdict_skipped(struct session *s, const char *reason)
{
	s->skipped = true;
	if (!kept.skipped)
		kept.skipped = visible_copy(reason);
}

/* -------------------------------------------------------------------------- JUnit -- */

static void put_escaped(FILE *f, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			putc(*text, f);
		}
}

static void put_attribute(FILE *f, const char *name, const char *value)
{
	fprintf(f, " %s=\"", name);
	put_escaped(f, value);
	putc('"', f);
}

static void put_case(FILE *f, const struct verdict *v)
{
	const char *tag = v->became == ERROR ? "error" : "failure";

	fputs("    <testcase", f);
	put_attribute(f, "classname", v->file);
	put_attribute(f, "name", v->name);
	fprintf(f, " time=\"%.6f\"", (double)v->took / 1e9);
	if (v->became == MET) {
		fputs("/>\n", f);
		return;
	}
	fprintf(f, ">\n      <%s", tag);
	put_attribute(f, "message", v->text);
	fputs(">", f);
	put_escaped(f, v->rows);
	fprintf(f, "</%s>\n    </testcase>\n", tag);
}

/* Adds a test case for the run as a whole, which was skipped, or ended with a code of its own. */
static void put_run(FILE *f, const struct session *s)
{
	fputs("    <testcase classname=\"rdmash\" name=\"the run\">\n      ", f);
	if (s->skipped) { /* Jenkins' schema knows no attribute here: its text is the message */
		fputs("<skipped>", f);
		put_escaped(f, kept.skipped);
		fputs("</skipped>", f);
	} else {
		fputs("<error message=\"the run has failed\"/>", f);
	}
	fputs("\n    </testcase>\n", f);
}

/* failed: the run has failed, but no expectation and no error tells why. */
static void put_junit(FILE *f, const struct session *s, bool failed)
{
	unsigned others = failed || s->skipped;
	int64_t took = 0;

	for (unsigned i = 0; i < kept.n; i++)
		took += kept.v[i].took;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", f);
	fprintf(f,
		"  <testsuite name=\"rdmash\" tests=\"%u\" failures=\"%u\" errors=\"%u\" "
		"skipped=\"%d\" time=\"%.6f\">\n",
		kept.n + others, s->failed, s->errors + failed, s->skipped, (double)took / 1e9);
	for (unsigned i = 0; i < kept.n; i++)
		put_case(f, &kept.v[i]);
	if (others)
		put_run(f, s);
	fputs("  </testsuite>\n</testsuites>\n", f);
}

static int write_junit(const struct session *s, bool failed)
{
	FILE *f = fopen(s->opt.junit, "we");
	bool written = false;

	if (f) {
		put_junit(f, s, failed);
		written = !ferror(f);
		written = fclose(f) == 0 && written;
	}
	if (!written)
		print_error("rdmash: --junit %s: %s\n", s->opt.junit, strerror(errno));
	return written ? 0 : -1;
}

/* ---------------------------------------------------------------------------- end -- */

static void show_json_sums(const struct session *s)
{
	struct out *o = out_new(false);

	out_u64(o, "checks", s->passed + s->failed, NULL);
	out_u64(o, "passed", s->passed, NULL);
	out_u64(o, "failed", s->failed, NULL);
	if (s->errors)
		out_u64(o, "errors", s->errors, NULL);
	if (s->skipped)
		out_str(o, "skipped", kept.skipped, NULL);
	out_show(o, OUT_JSON);
	out_free(o);
}

/* Prints a line; frees it. */
static void print_line(char *line)
{
	out_line(OUT_TEXT, line);
	free(line);
}

static void print_sums(const struct session *s)
{
	unsigned n = s->passed + s->failed + kept.errors;

	if (!n) {
		print_line(xasprintf("1..0 # SKIP %s", kept.skipped));
		return;
	}
	if (s->skipped)
		print_line(xasprintf("ok %u # SKIP %s", ++n, kept.skipped));
	print_line(xasprintf("1..%u", n));
	print_line(s->errors ? xasprintf("%u checks passed, %u failed, errors: %u", s->passed,
					 s->failed, s->errors)
			     : xasprintf("%u checks passed, %u failed", s->passed, s->failed));
}

static void forget_all(void)
{
	for (unsigned i = 0; i < kept.n; i++) {
		free(kept.v[i].name);
		free(kept.v[i].file);
		free(kept.v[i].text);
		free(kept.v[i].rows);
	}
	free(kept.v);
	free(kept.skipped);
}

int verdict_end(struct session *s, int code)
{
	bool json = s->opt.format == OUT_JSON;
	int rc = 0;

	if (s->errors && !json && (s->skipped || verdict_harness()))
		start_tap(s->passed + s->failed);
	if (s->passed || s->failed || s->skipped || kept.tap) {
		if (json)
			show_json_sums(s);
		else
			print_sums(s);
	}
	if (s->opt.junit)
		rc = write_junit(s, code && !s->failed && !s->errors && !s->skipped);
	forget_all();
	return rc;
}
