/* SPDX-License-Identifier: MIT */
/* What went wrong, and what explain has to say to it. */
#include <stdlib.h>

#include "timeline/ladder.h"
#include "timeline/markup.h"
#include "timeline/report.h"
#include "alloc.h"

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

/* A QP that is moved to ERR by a disconnect has not failed. */
static bool is_failure(const struct ladder_row *r)
{
	return r->bad && r->kind != LADDER_STATE;
}

void report_failures(const struct ladder *l, const char *why, Tcl_DString *d)
{
	bool any = *why;

	for (unsigned i = 0; i < l->n && !any; i++)
		any = is_failure(&l->rows[i]);
	if (!any)
		return;
	Tcl_DStringAppend(d, "<section id=\"failures\"><h2>What failed</h2>\n", -1);
	list_failures(l, d);
	if (*why) {
		Tcl_DStringAppend(d, "<h3>Why</h3>\n<pre tabindex=\"0\">", -1);
		markup_text(d, why);
		Tcl_DStringAppend(d, "</pre>\n", -1);
	}
	Tcl_DStringAppend(d, "</section>\n", -1);
}
