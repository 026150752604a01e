/* SPDX-License-Identifier: MIT */
#include "check/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "junit.h"
#include "language/script.h"
#include "out.h"
#include "output/print.h"
#include "session.h"
#include "alloc.h"

/* An expectation that was met or not, or an error: a line of the report, a test case of JUnit. */
enum became { MET, UNMET, ERROR };

struct verdict {
	enum became became;
	unsigned number;
	char *name, *file;
	char *text, *rows; /* NULL if MET */
	struct out *json;  /* in that format; or NULL */
	int64_t took;	   /* ns since the previous one, or since the start */
};

static struct {
	struct verdict *v;
	unsigned n;
	int64_t last;
	bool begun;    /* there was an expectation: errors are printed, too */
	char *skipped; /* why, or NULL */
	struct peer_counts {
		char *name;
		unsigned passed, failed;
	} * peers;
	unsigned npeers;
	struct text missed; /* names of what was not met, each with a newline */
} kept;

bool verdict_harness(void)
{
	return getenv("HARNESS_ACTIVE") != NULL;
}

char *verdict_placed(const char *what, const char *file, unsigned line)
{
	return file ? xasprintf("%s (%s:%u)", what, file, line) : xstrdup(what);
}

void verdict_start(void)
{
	kept.last = loop_now();
}

/* ----------------------------------------------------------------------- printing -- */

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

static void print_verdict(const struct verdict *v)
{
	SCOPED_TEXT(line);

	if (v->json) {
		out_show(v->json, OUT_JSON);
		return;
	}
	xappendf(&line, "%sok %u ", v->became == MET ? "" : "not ", v->number);
	for (const char *c = v->name; *c; c++) /* '#' would begin a directive, as # SKIP */
		xappendf(&line, *c == '#' || *c == '\\' ? "\\%c" : "%c", *c);
	out_line(OUT_TEXT, text_str(&line));
	if (v->became != MET)
		print_comment(v->text, v->rows);
}

static void begin_report(void)
{
	if (!kept.begun)
		for (unsigned i = 0; i < kept.n; i++)
			print_verdict(&kept.v[i]);
	kept.begun = true;
}

/* ------------------------------------------------------------------------- adding -- */

static char *visible_copy(const char *text)
{
	SCOPED_TEXT(d);

	visible_append(&d, text, strlen(text), VISIBLE_LINES);
	return xstrdup(text_str(&d));
}

static struct out *json_of_verdict(struct session *s, const struct verdict *v, const char *name)
{
	struct out *o = out_new(false);
	struct where now;

	out_u64(o, "check", v->number, NULL);
	out_str(o, "name", name, NULL);
	out_bool(o, "ok", v->became == MET, NULL);
	if (v->became != MET) {
		out_str(o, "where", s->fail.where ? s->fail.where : "", NULL);
		fail_out(&s->fail, o);
		return o;
	}
	where_init(&now);
	script_where(s, &now);
	out_str(o, "where", text_str(&now.text), NULL);
	text_free(&now.text);
	return o;
}

/* Copies the reason in s->fail as text and rows; the last row is the place. */
static void copy_reason(struct session *s, struct verdict *v)
{
	SCOPED_TEXT(rows);

	fail_rows(&s->fail, &rows);
	if (s->fail.where && *s->fail.where)
		xappendf(&rows, "  %-11s %s\n", "at", s->fail.where);
	v->text = visible_copy(s->fail.text);
	v->rows = visible_copy(text_str(&rows));
}

static void free_verdict(struct verdict *v)
{
	free(v->name);
	free(v->file);
	free(v->text);
	free(v->rows);
	out_free(v->json);
}

/* Reports what the caller has counted. An error before the first expectation is kept until that one
 * begins the report. */
static void add_verdict(struct session *s, enum became became, const char *name, const char *file)
{
	struct verdict v = { .became = became, .number = s->passed + s->failed + s->errors };
	int64_t now = loop_now();

	v.took = now - kept.last;
	kept.last = now;
	v.name = visible_copy(name);
	v.file = visible_copy(file);
	if (became != MET) {
		copy_reason(s, &v);
		xappendf(&kept.missed, "%s\n", v.name);
	}
	if (s->opt.format == OUT_JSON)
		v.json = json_of_verdict(s, &v, name);
	if (became != ERROR || s->fail.check)
		begin_report();
	/* a person at the prompt reads the error */
	if (kept.begun && (became == MET || v.json || !s->opt.interactive))
		print_verdict(&v);
	if (s->opt.junit || !kept.begun) {
		kept.v = xgrow(kept.v, kept.n, sizeof *kept.v);
		kept.v[kept.n++] = v;
	} else {
		free_verdict(&v);
	}
}

static const char *script_name(const struct session *s)
{
	return s->script && s->script->name ? s->script->name : "-c";
}

void verdict_met(struct session *s, const char *name)
{
	add_verdict(s, MET, name, script_name(s));
}

void verdict_unmet(struct session *s, const char *name)
{
	struct where where;

	where_init(&where);
	script_where(s, &where);
	fail_place(s, &where);
	add_verdict(s, UNMET, name, script_name(s));
}

static bool failed_by(const struct fail *f, const char *call, const char *code)
{
	return f->call && strcmp(f->call, call) == 0 && strcmp(f->code, code) == 0;
}

void verdict_error(struct session *s)
{
	const struct fail *f = &s->fail;
	const char *file = f->file ? f->file : s->script ? script_name(s) : "rdmash";
	const bool unmet = failed_by(f, "expect", "FAILED");
	char *line, *name;

	if (s->opt.interactive || s->opt.peer || s->plays || (unmet && !f->at_peer) ||
	    (s->skipped && failed_by(f, "require", "UNMET"))) /* that of a peer is an error */
		return;
	*(unmet ? &s->failed : &s->errors) += 1;
	line = xasprintf("%.*s", (int)strcspn(f->text, "\n"), f->text);
	name = f->check ? xstrdup(f->check) : verdict_placed(line, f->file, f->line);
	add_verdict(s, unmet ? UNMET : ERROR, name, file);
	free(name);
	free(line);
}

bool verdict_is_shown(const struct session *s)
{
	struct stat out, err;

	return s->fail.check && s->opt.format == OUT_TEXT && !s->opt.interactive && !s->opt.peer &&
	       isatty(STDOUT_FILENO) && !fstat(STDOUT_FILENO, &out) &&
	       !fstat(STDERR_FILENO, &err) && out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

void verdict_peer(const char *peer, unsigned passed, unsigned failed)
{
	struct peer_counts *p = kept.peers;

	while (p < kept.peers + kept.npeers && strcmp(p->name, peer) != 0)
		p++;
	if (p == kept.peers + kept.npeers) {
		kept.peers = xgrow(kept.peers, kept.npeers, sizeof *p);
		p = &kept.peers[kept.npeers++];
		p->name = xstrdup(peer);
	}
	p->passed = passed;
	p->failed = failed;
}

void verdict_skipped(struct session *s, const char *reason)
{
	s->skipped = true;
	if (!kept.skipped)
		kept.skipped = visible_copy(reason);
}

/* -------------------------------------------------------------------------- JUnit -- */

/* A test case for the run as a whole, which was skipped, or ended with a code of its own. Jenkins'
 * schema knows no attribute of what was skipped: its text is the message. */
static struct junit_case run_case(const struct session *s)
{
	return (struct junit_case){ .class = "rdmash",
				    .name = "the run",
				    .tag = s->skipped ? "skipped" : "error",
				    .message = s->skipped ? NULL : "the run has failed",
				    .text = s->skipped ? kept.skipped : NULL };
}

/* failed: the run failed, but no expectation and no reported error is the reason. */
static int write_junit(const struct session *s, bool failed)
{
	unsigned others = failed || s->skipped;
	const struct junit_case run = run_case(s);
	int64_t took = 0;
	SCOPED_TEXT(attributes);
	SCOPED_TEXT(cases);
	int rc;

	for (unsigned i = 0; i < kept.n; i++) {
		const struct verdict *v = &kept.v[i];
		const bool met = v->became == MET;

		took += v->took;
		junit_add(&cases, &(struct junit_case){ .class = v->file,
							.name = v->name,
							.ns = v->took,
							.tag = met		    ? NULL
							       : v->became == ERROR ? "error"
										    : "failure",
							.message = v->text,
							.text = v->rows });
	}
	if (others)
		junit_add(&cases, &run);
	xappendf(&attributes,
		 " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%d\" time=\"%.6f\"",
		 kept.n + others, s->failed, s->errors + failed, s->skipped, (double)took / 1e9);
	rc = junit_write(s->opt.junit, "rdmash", text_str(&attributes), &cases);
	if (rc)
		print_error("rdmash: --junit %s: %s\n", s->opt.junit, strerror(errno));
	return rc;
}

/* ---------------------------------------------------------------------------- end -- */

static void print_json_totals(const struct session *s)
{
	struct out *o = out_new(false);

	out_u64(o, "checks", s->passed + s->failed + s->errors, NULL);
	out_u64(o, "passed", s->passed, NULL);
	out_u64(o, "failed", s->failed, NULL);
	if (s->unreached)
		out_u64(o, "unreached", s->unreached, NULL);
	if (s->errors)
		out_u64(o, "errors", s->errors, NULL);
	if (s->grades) {
		out_u64(o, "points", s->points, NULL);
		out_u64(o, "of", s->points_of, NULL);
	}
	if (s->skipped)
		out_str(o, "skipped", kept.skipped, NULL);
	if (kept.npeers)
		out_dict(o, "peers");
	for (struct peer_counts *p = kept.peers; p < kept.peers + kept.npeers; p++) {
		out_dict(o, p->name);
		out_u64(o, "passed", p->passed, NULL);
		out_u64(o, "failed", p->failed, NULL);
		out_end(o);
	}
	if (kept.npeers)
		out_end(o);
	out_show(o, OUT_JSON);
	out_free(o);
}

static void print_totals(const struct session *s)
{
	unsigned n = s->passed + s->failed + s->errors;
	SCOPED_TEXT(sums);

	if (n && s->skipped)
		xappendf(&sums, "ok %u # SKIP %s\n", ++n, kept.skipped);
	xappendf(&sums, "1..%u", n + s->unreached);
	if (n) {
		xappendf(&sums, "\n%u checks passed, %u failed", s->passed, s->failed);
		if (s->unreached)
			xappendf(&sums, ", %u not reached", s->unreached);
		if (s->errors)
			xappendf(&sums, ", errors: %u", s->errors);
	} else {
		xappendf(&sums, " # SKIP %s", s->skipped ? kept.skipped : "nothing is checked");
	}
	if (s->grades)
		xappendf(&sums, "\n# %u of %u points", s->points, s->points_of);
	for (struct peer_counts *p = kept.peers; p < kept.peers + kept.npeers; p++)
		xappendf(&sums, "\n# %s: %u checks passed, %u failed", p->name, p->passed,
			 p->failed);
	out_line(OUT_TEXT, text_str(&sums));
}

void verdict_forget(void)
{
	for (unsigned i = 0; i < kept.n; i++)
		free_verdict(&kept.v[i]);
	free(kept.v);
	for (unsigned i = 0; i < kept.npeers; i++)
		free(kept.peers[i].name);
	free(kept.peers);
	free(kept.skipped);
	text_free(&kept.missed);
	memset(&kept, 0, sizeof kept);
}

char *verdict_missed(void)
{
	return xstrdup(text_str(&kept.missed));
}

int verdict_end(struct session *s, int code)
{
	int rc = 0;

	if (s->skipped || verdict_harness())
		begin_report();
	if (kept.begun && s->opt.format == OUT_JSON)
		print_json_totals(s);
	else if (kept.begun)
		print_totals(s);
	if (s->opt.junit)
		rc = write_junit(s, code && !s->failed && !s->errors && !s->skipped);
	verdict_forget();
	return rc;
}
