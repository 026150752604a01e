// SPDX-License-Identifier: MIT
/* The session as a C program: what export c writes. */
#include "export/program.h"
#include "timeline/markup.h"
#include "timeline/report.h"
#include "alloc.h"

void report_program(struct session *s, Tcl_DString *d)
{
	struct program p = { .s = s, .role = END_BOTH };
	Tcl_DString text;

	program_write(&p);
	if (p.nphases) {
		Tcl_DStringInit(&text);
		program_text(&p, "session.c", &text);
		xappendf(d, "<section id=\"program\"><h2>The session as a C program</h2>\n"
			    "<details><summary>session.c</summary>\n<pre>");
		markup_text(d, Tcl_DStringValue(&text));
		xappendf(d, "</pre></details></section>\n");
		Tcl_DStringFree(&text);
	}
	program_free(&p);
}
