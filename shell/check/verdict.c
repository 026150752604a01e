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

/* The outcome of an expectation, for the JUnit file. */
struct verdict {
	char *name, *file;
	char *text, *rows; /* NULL: it was met */
	int64_t took;	   /* ns since the previous one, or since the program started */
};

static struct {
	struct verdict *v;
	unsigned n;
	int64_t last;
} kept;

/* ------------------------------------------------------------------------- lines -- */

/* '#' begins a directive (# SKIP, # TODO). */
static void print_verdict(struct session *s, bool met, const char *name)
{
	Tcl_DString line;

	Tcl_DStringInit(&line);
	xappendf(&line, "%sok %u ", met ? "" : "not ", s->passed + s->failed);
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

static void keep_for_junit(struct session *s, const char *name, const char *text, const char *rows)
{
	int64_t now = loop_now();

	if (!s->opt.junit)
		return;
	kept.v = xgrow(kept.v, kept.n, sizeof *kept.v);
	kept.v[kept.n++] = (struct verdict){
		.name = visible_copy(name),
		.file = visible_copy(s->script && s->script->name ? s->script->name : "-c"),
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
		print_verdict(s, true, name);
	keep_for_junit(s, name, NULL, NULL);
}

void verdict_unmet(struct session *s, const char *name)
{
	Tcl_DString rows, where;

	Tcl_DStringInit(&rows);
	Tcl_DStringInit(&where);
	script_where(s, &where);
	fail_rows(&s->fail, &rows);
	xappendf(&rows, "  %-11s %s\n", "at", Tcl_DStringValue(&where));
	if (s->opt.format == OUT_JSON) {
		show_json(s, name, &s->fail, Tcl_DStringValue(&where));
	} else if (!s->opt.interactive) { /* a person at the prompt reads the error */
		print_verdict(s, false, name);
		print_comment(s->fail.text, Tcl_DStringValue(&rows));
	}
	keep_for_junit(s, name, s->fail.text, Tcl_DStringValue(&rows));
	Tcl_DStringFree(&where);
	Tcl_DStringFree(&rows);
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
	fputs("    <testcase", f);
	put_attribute(f, "classname", v->file);
	put_attribute(f, "name", v->name);
	fprintf(f, " time=\"%.6f\"", (double)v->took / 1e9);
	if (!v->text) {
		fputs("/>\n", f);
		return;
	}
	fputs(">\n      <failure", f);
	put_attribute(f, "message", v->text);
	fputs(">", f);
	put_escaped(f, v->rows);
	fputs("</failure>\n    </testcase>\n", f);
}

/* Adds a test case for the run as a whole, if it ended for another reason than an expectation. */
static void put_run(FILE *f, const struct session *s, bool error)
{
	char *why = visible_copy(s->fail.text ? s->fail.text : "the run has failed");

	fputs("    <testcase classname=\"rdmash\" name=\"the run\">\n      ", f);
	if (error) {
		fputs("<error", f);
		put_attribute(f, "message", why);
		fputs("/>", f);
	} else {
		fputs("<skipped/>", f);
	}
	fputs("\n    </testcase>\n", f);
	free(why);
}

static void put_junit(FILE *f, const struct session *s, bool error)
{
	unsigned others = error || s->skipped;
	int64_t took = 0;

	for (unsigned i = 0; i < kept.n; i++)
		took += kept.v[i].took;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", f);
	fprintf(f,
		"  <testsuite name=\"rdmash\" tests=\"%u\" failures=\"%u\" errors=\"%d\" "
		"skipped=\"%d\" time=\"%.6f\">\n",
		kept.n + others, s->failed, error, s->skipped, (double)took / 1e9);
	for (unsigned i = 0; i < kept.n; i++)
		put_case(f, &kept.v[i]);
	if (others)
		put_run(f, s, error);
	fputs("  </testsuite>\n</testsuites>\n", f);
}

static int write_junit(const struct session *s, bool error)
{
	FILE *f = fopen(s->opt.junit, "we");
	bool written = false;

	if (f) {
		put_junit(f, s, error);
		written = !ferror(f);
		written = fclose(f) == 0 && written;
	}
	if (!written)
		print_error("rdmash: --junit %s: %s\n", s->opt.junit, strerror(errno));
	return written ? 0 : -1;
}

/* ---------------------------------------------------------------------------- end -- */

static void show_sums(struct session *s)
{
	unsigned n = s->passed + s->failed;
	struct out *o;
	char *line;

	if (s->opt.format == OUT_JSON) {
		o = out_new(false);
		out_u64(o, "checks", n, NULL);
		out_u64(o, "passed", s->passed, NULL);
		out_u64(o, "failed", s->failed, NULL);
		out_show(o, OUT_JSON);
		out_free(o);
		return;
	}
	line = xasprintf("1..%u", n);
	out_line(OUT_TEXT, line);
	free(line);
	line = xasprintf("%u checks passed, %u failed", s->passed, s->failed);
	out_line(OUT_TEXT, line);
	free(line);
}

int verdict_end(struct session *s, int code)
{
	int rc;

	if (s->passed || s->failed)
		show_sums(s);
	if (!s->opt.junit)
		return 0;
	rc = write_junit(s, code && !s->failed && !s->skipped);
	for (unsigned i = 0; i < kept.n; i++) {
		free(kept.v[i].name);
		free(kept.v[i].file);
		free(kept.v[i].text);
		free(kept.v[i].rows);
	}
	free(kept.v);
	return rc;
}
