/* SPDX-License-Identifier: MIT */
/* What went wrong, and what explain has to say to it. */
#include <stdlib.h>

#include "explain.h"
#include "ladder.h"
#include "objects.h"
#include "out.h"
#include "report.h"
#include "markup.h"
#include "session.h"
#include "xmem.h"

static void list_failures(const struct ladder *l, Tcl_DString *d)
{
	Tcl_DStringAppend(d, "<ul class=\"bad\">\n", -1);
	for (unsigned i = 0; i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];
		char *says, *end;

		if (!r->bad)
			continue;
		says = ladder_says(r);
		end = ladder_end(l, r->from);
		xappendf(d, "<li>%.3f ms, ", ladder_ms(l, r));
		markup_textf(d, "%s: %s", end, says);
		Tcl_DStringAppend(d, "</li>\n", -1);
		free(end);
		free(says);
	}
	Tcl_DStringAppend(d, "</ul>\n", -1);
}

static void explain(struct session *s, Tcl_DString *d)
{
	struct out *o = out_new(true);
	Tcl_DString text;

	Tcl_DStringInit(&text);
	if (explain_last(s, o) == 0) {
		out_print(o, OUT_TEXT, &text);
		Tcl_DStringAppend(d, "<h3>Why</h3>\n<pre tabindex=\"0\">", -1);
		markup_text(d, Tcl_DStringValue(&text));
		Tcl_DStringAppend(d, "</pre>\n", -1);
	}
	fail_clear(&s->fail); /* nothing has failed: nothing to explain */
	Tcl_DStringFree(&text);
	out_free(o);
}

/* A QP that is moved to ERR by a disconnect has not failed. */
static bool is_failure(const struct ladder_row *r)
{
	return r->bad && r->kind != LADDER_STATE;
}

void report_failures(struct session *s, const struct ladder *l, Tcl_DString *d)
{
	struct bad_wc bad;
	bool any = posted_last_failed(&bad) || s->before.text;

	for (unsigned i = 0; i < l->n && !any; i++)
		any = is_failure(&l->rows[i]);
	if (!any)
		return;
	Tcl_DStringAppend(d, "<section id=\"failures\"><h2>What failed</h2>\n", -1);
	list_failures(l, d);
	explain(s, d);
	Tcl_DStringAppend(d, "</section>\n", -1);
}
