/* SPDX-License-Identifier: MIT */
/* report FILE.html: the session as one page that needs nothing else. */
#include "timeline/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "command/args.h"
#include "command/cmd.h"
#include "explain/explain.h"
#include "file/save.h"
#include "output/out.h"
#include "session.h"
#include "timeline/ladder.h"
#include "timeline/markup.h"
#include "timeline/timeline.h"
#include "alloc.h"

struct report_args {
	const char *path, *title;
	bool force;
};

static const struct arg report_args[] = {
	POS("file", report_args, path, kind_path, "HTML file to write"),
	OPT("title", report_args, title, kind_str, "heading of the page", .dflt = "RDMA session"),
	SWITCH("force", report_args, force, "replace a file that is there"),
	ARGS_END,
};

/* Nothing of the page may load or run anything, whatever a peer has sent. */
static void begin(const char *title, Tcl_DString *d)
{
	Tcl_DStringAppend(
		d,
		"<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">"
		"<head><meta charset=\"utf-8\"/>\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
		"'none'; style-src 'unsafe-inline'\"/>\n"
		"<meta name=\"viewport\" content=\"width=device-width, "
		"initial-scale=1\"/>\n<title>",
		-1);
	markup_text(d, title);
	Tcl_DStringAppend(d, "</title>\n<style>", -1);
	Tcl_DStringAppend(d, report_style, -1);
	Tcl_DStringAppend(d, "</style></head>\n<body><header><h1>", -1);
	markup_text(d, title);
	Tcl_DStringAppend(d, "</h1>\n", -1);
}

static unsigned count(const struct ladder *l, enum ladder_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++)
		n += l->rows[i].kind == kind;
	return n;
}

static void summary(const struct ladder *l, Tcl_DString *d)
{
	time_t second = (time_t)(l->start / 1000000000);
	char when[64] = "";
	struct tm tm;

	if (localtime_r(&second, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
	xappendf(d,
		 "<p class=\"dim\">Began %s; took %.3f ms: %u calls, %u packets, %u completions, "
		 "%u events.</p>\n",
		 when, ladder_ms(l, &l->rows[l->n - 1]), count(l, LADDER_CALL),
		 count(l, LADDER_PACKET), count(l, LADDER_WC), count(l, LADDER_EVENT));
	if (l->remarks) {
		Tcl_DStringAppend(d, "<p>", -1);
		markup_text(d, l->remarks);
		Tcl_DStringAppend(d, "</p>\n", -1);
	}
	Tcl_DStringAppend(d, "</header>\n<main>\n", -1);
}

/* For who cannot see the drawing, or wants to copy from it. */
static void ladder_table(const struct ladder *l, Tcl_DString *d)
{
	Tcl_DStringAppend(d,
			  "<details><summary>The same as a table</summary><table><thead><tr>"
			  "<th class=\"n\" scope=\"col\">ms</th><th scope=\"col\">End</th>"
			  "<th scope=\"col\">Kind</th><th scope=\"col\">What</th></tr></thead>"
			  "<tbody>\n",
			  -1);
	for (unsigned i = 0; i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];
		char *says = ladder_says(r), *end = ladder_end(l, r->from);

		xappendf(d, "<tr%s><td class=\"n\">%.3f</td><td>", r->bad ? " class=\"bad\"" : "",
			 ladder_ms(l, r));
		markup_text(d, end);
		xappendf(d, "</td><td>%s</td><td class=\"w\">", ladder_words[r->kind]);
		markup_text(d, says);
		Tcl_DStringAppend(d, "</td></tr>\n", -1);
		free(end);
		free(says);
	}
	Tcl_DStringAppend(d, "</tbody></table></details>\n", -1);
}

static void packet_table(const struct ladder *l, Tcl_DString *d)
{
	if (!count(l, LADDER_PACKET))
		return;
	Tcl_DStringAppend(d,
			  "<section id=\"packets\"><h2>Packets</h2>\n<table><thead><tr>"
			  "<th class=\"n\" scope=\"col\">ms</th><th scope=\"col\">From</th>"
			  "<th scope=\"col\">Packet</th><th scope=\"col\">Addresses and headers"
			  "</th></tr></thead><tbody>\n",
			  -1);
	for (unsigned i = 0; i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];
		char *says, *end;

		if (r->kind != LADDER_PACKET)
			continue;
		says = ladder_says(r);
		end = ladder_end(l, r->from);
		xappendf(d, "<tr%s><td class=\"n\">%.3f</td><td>",
			 r->bad || !r->arrived ? " class=\"bad\"" : "", ladder_ms(l, r));
		markup_text(d, end);
		Tcl_DStringAppend(d, "</td><td>", -1);
		markup_text(d, says);
		Tcl_DStringAppend(d, "</td><td class=\"w\">", -1);
		markup_text(d, r->result ? r->result : "");
		Tcl_DStringAppend(d, "</td></tr>\n", -1);
		free(end);
		free(says);
	}
	Tcl_DStringAppend(d, "</tbody></table></section>\n", -1);
}

void report_page(struct session *s, const char *title, const struct ladder *l, const char *why,
		 Tcl_DString *d)
{
	begin(title, d);
	summary(l, d);
	report_failures(l, why, d);
	Tcl_DStringAppend(d, "<section id=\"ladder\"><h2>Timeline</h2>\n<div class=\"wide\">", -1);
	ladder_svg(l, false, d);
	Tcl_DStringAppend(d, "</div>\n", -1);
	ladder_table(l, d);
	Tcl_DStringAppend(d, "</section>\n", -1);
	report_qps(l, d);
	packet_table(l, d);
	if (s) {
		report_memory(s, d);
		report_program(s, d);
	}
	Tcl_DStringAppend(d, "</main></body></html>\n", -1);
}

/* What explain says of the last failure, if there was one. */
static void last_failure(struct session *s, Tcl_DString *why)
{
	struct out *o = out_new(true);

	if (explain_last(s, o) == 0)
		out_print(o, OUT_TEXT, why);
	fail_clear(&s->fail); /* nothing has failed: nothing to explain */
	out_free(o);
}

static int report_exec(struct session *s, const void *args, struct out *o)
{
	const struct report_args *a = args;
	Tcl_DString d, why;
	struct ladder l;
	int rc = -1;

	ladder_make(s, &(struct ladder_how){ 0 }, &l);
	Tcl_DStringInit(&d);
	Tcl_DStringInit(&why);
	if (!l.n) {
		fail(s, "report", "NOTHING", "nothing was noted%s",
		     timeline_is_on(s) ? " yet" : ": the timeline is off");
		fail_next(s, "timeline on");
		goto undo;
	}
	last_failure(s, &why);
	report_page(s, a->title, &l, Tcl_DStringValue(&why), &d);
	rc = save_file(s, a->path, a->force, 0644, Tcl_DStringValue(&d),
		       (size_t)Tcl_DStringLength(&d));
	if (rc == 0) {
		out_str(o, "file", a->path, NULL);
		out_u64(o, "rows", l.n, "%u rows", l.n);
		out_u64(o, "bytes", (uint64_t)Tcl_DStringLength(&d), " in %s\n", a->path);
	}
undo:
	Tcl_DStringFree(&why);
	Tcl_DStringFree(&d);
	ladder_free(&l);
	return rc;
}

static const struct cmd_eg report_egs[] = {
	{ "timeline on", NULL },
	{ "listen 7471 -address 10.0.0.1 -accept; connect 10.0.0.1 7471", NULL },
	{ "report session.html -title \"First connection\"", "rows in session.html" },
	{ NULL, NULL },
};

const struct cmd cmd_report = {
	.name = "report",
	.family = "understanding",
	.summary = "the session as an HTML page that needs nothing else",
	.text = "Writes one HTML file that needs nothing else, with no scripts in it: the timeline\n"
		"as a drawing and as a table, the states of each QP and the way it took, all\n"
		"packets with their headers, what has changed in the regions of this end, the C\n"
		"program that export c makes of it, and what failed, with what explain says to it.\n"
		"It follows the reader's dark mode, and can be printed.\n"
		"\n"
		"It tells what the timeline has noted: in scripts after 'timeline on'. Of regions\n"
		"the first 4096 bytes are compared with what they held when the timeline began, or\n"
		"was cleared; one that came later held zeros.",
	.setup = "reg 4096 -name buf",
	.examples = report_egs,
	.args = report_args,
	.size = sizeof(struct report_args),
	.flags = CMD_NO_RECORD,
	.exec = report_exec,
};
