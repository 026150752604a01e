/* SPDX-License-Identifier: MIT */
/* The error object. The text of an errno is glibc's, as in other programs. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "out.h"
#include "output/print.h"
#include "language/script.h"
#include "session.h"

bool fail_is_usage(const struct fail *f)
{
	static const char *const calls[] = { "command", "args", "script" };

	for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
		if (strcmp(f->call, calls[i]) == 0)
			return true;
	return false;
}

/* The place may be set already: the search for it fails as well in a script that has deleted the
 * command info. */
void fail_place(struct session *s, struct where *w)
{
	free(s->fail.where);
	free(s->fail.file);
	s->fail.where = xstrdup(text_str(&w->text));
	s->fail.file = w->innermost.name ? xstrdup(w->innermost.name) : NULL;
	s->fail.line = w->innermost.line;
	text_free(&w->text);
}

void fail_at(struct session *s, const char *name, unsigned line)
{
	s->fail.where = name	   ? xasprintf("%s:%u", name, line)
			: line > 1 ? xasprintf("line %u", line)
				   : NULL;
	s->fail.file = name ? xstrdup(name) : NULL;
	s->fail.line = line;
}

static void free_rows(struct fail *f)
{
	for (unsigned i = 0; i < f->nrows; i++) {
		free(f->rows[i].label);
		free(f->rows[i].text);
	}
	free(f->rows);
	f->rows = NULL;
	f->nrows = 0;
}

void fail_clear(struct fail *f)
{
	free_rows(f);
	free(f->call);
	free(f->code);
	free(f->text);
	free(f->where);
	free(f->file);
	free(f->check);
	*f = (struct fail){ 0 };
}

struct fail fail_aside(struct session *s)
{
	struct fail before = s->fail;

	s->fail = (struct fail){ 0 };
	return before;
}

void fail_back(struct session *s, struct fail before)
{
	fail_clear(&s->fail);
	s->fail = before;
}

void fail_keep(struct session *s)
{
	if (s->fail.text) {
		fail_clear(&s->before);
		s->before = s->fail;
		s->fail = (struct fail){ 0 };
	}
}

int fail_call(struct session *s, int err, const char *call, const char *fmt, ...)
{
	const char *name;
	char *what;
	va_list ap;

	err = abs(err);
	va_start(ap, fmt);
	what = xvasprintf(fmt, ap);
	va_end(ap);
	name = strerrorname_np(err);
	if (!name)
		name = temp_text("%d", err);
	fail(s, call, name, "%s%s%s: %s (%s)", call, *what ? ": " : "", what,
	     err ? strerror(err) : "no reason given", err ? name : "errno 0");
	s->fail.is_returned = true;
	free(what);
	return -1;
}

void fail_mark_explained(struct session *s)
{
	s->fail.is_explained = true;
}

int fail(struct session *s, const char *call, const char *code, const char *fmt, ...)
{
	struct fail new = { 0 };
	va_list ap;

	va_start(ap, fmt);
	new.text = xvasprintf(fmt, ap);
	va_end(ap);
	new.call = xstrdup(call);
	new.code = xstrdup(code);
	new.when = loop_now();
	new.command = s->commands;
	fail_clear(&s->fail);
	s->fail = new;
	return -1;
}

__attribute__((format(printf, 3, 0))) static void add_row(struct fail *f, const char *label,
							  const char *fmt, va_list ap)
{
	if (f->is_made && strcmp(label, "next") != 0)
		return;
	f->rows = xgrow(f->rows, f->nrows, sizeof *f->rows);
	f->rows[f->nrows].label = xstrdup(label);
	f->rows[f->nrows].text = xvasprintf(fmt, ap);
	f->nrows++;
}

int fail_row(struct session *s, const char *label, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_row(&s->fail, label, fmt, ap);
	va_end(ap);
	return -1;
}

int fail_on_purpose(struct session *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_row(&s->fail, "cause", fmt, ap);
	va_end(ap);
	s->fail.is_made = true;
	return -1;
}

int fail_next(struct session *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_row(&s->fail, "next", fmt, ap);
	va_end(ap);
	return -1;
}

int fail_explain(struct session *s)
{
	fail_next(s, "explain");
	s->fail.explain = s->fail.nrows;
	return -1;
}

void fail_add_causes(struct session *s)
{
	struct fail *f = &s->fail;
	const unsigned at = f->explain;

	if (!at || !app.causes)
		return;
	free(f->rows[at - 1].label);
	free(f->rows[at - 1].text);
	memmove(&f->rows[at - 1], &f->rows[at], (f->nrows - at) * sizeof *f->rows);
	f->nrows--;
	f->explain = 0;
	app.causes(s);
}

void fail_append(struct text *to, const char *text, unsigned indent)
{
	size_t len = strcspn(text, "\n");

	text_add_bytes(to, text, len);
	while (text[len]) {
		text += len + 1;
		len = strcspn(text, "\n");
		xappendf(to, "\n%*s%.*s", (int)indent, "", (int)len, text);
	}
}

void fail_out(const struct fail *f, struct out *o)
{
	out_str(o, "error", f->text, NULL);
	out_str(o, "call", f->call, NULL);
	out_str(o, "code", f->code, NULL);
	out_list(o, "rows");
	for (unsigned i = 0; i < f->nrows; i++) {
		out_dict(o, NULL);
		out_str(o, "label", f->rows[i].label, NULL);
		out_str(o, "text", f->rows[i].text, NULL);
		out_end(o);
	}
	out_end(o);
}

void fail_rows(const struct fail *f, struct text *text)
{
	for (unsigned i = 0; i < f->nrows; i++) {
		xappendf(text, "  %-11s ", f->rows[i].label);
		fail_append(text, f->rows[i].text, 14);
		text_add(text, "\n");
	}
}

/* The rows of a command that was waiting stay. */
static void become_interrupted(struct fail *f)
{
	bool waited = f->code && strcmp(f->code, "EINTR") == 0;

	free(f->text);
	f->text = xstrdup("interrupted");
	if (waited)
		return;
	free(f->code);
	f->code = xstrdup("EINTR");
	free_rows(f);
}

/* Prints the failure as a JSON value. */
static void report_json(const struct fail *f, const char *where)
{
	struct out *o = out_new(false);
	SCOPED_TEXT(text);

	out_str(o, "where", where, NULL);
	fail_out(f, o);
	out_print(o, OUT_JSON, &text);
	print_text(PRINT_ERR, text_str(&text));
	out_free(o);
}

void fail_report(struct session *s)
{
	bool stopped = loop_interrupted(s->loop) || loop_ending(s->loop);
	const char *where;
	SCOPED_PAINTED(text);

	if (stopped)
		become_interrupted(&s->fail);
	where = s->fail.where ? s->fail.where : "";
	if (s->opt.format == OUT_JSON) {
		report_json(&s->fail, where);
		return;
	}
	if (stopped && s->edit) /* after the echoed ^C */
		painted_add(&text, "\n", 1);
	painted_paint(&text, stopped ? PAINT_NONE : PAINT_BAD);
	if (*where || !stopped)
		painted_addf(&text, "%s: ", *where ? where : "error");
	fail_append(&text.text, s->fail.text, 4);
	painted_add(&text, "\n", 1);
	painted_paint(&text, PAINT_NONE);
	fail_rows(&s->fail, &text.text);
	print_painted(PRINT_ERR, &text);
}
