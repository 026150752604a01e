/* SPDX-License-Identifier: MIT */
/* help coverage: every function of the headers, and how it is reached. */
#include "call/coverage.h"
#include "calls.h"
#include "command/cmd.h"
#include "alloc.h"

/* The commands that call it, the first three of them; how many. */
static unsigned commands_of(const struct call_fn *fn, Tcl_DString *d)
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

void coverage_text(Tcl_DString *d)
{
	unsigned by_command = 0, by_call = 0, none = 0;
	Tcl_DString how;

	for (int is_cm = 0; is_cm < 2; is_cm++) {
		xappendf(d, "\n  %s\n", is_cm ? "librdmacm" : "libibverbs");
		for (unsigned i = 0; i < call_count; i++) {
			const struct call_fn *fn = &call_table[i];

			if (fn->is_cm != is_cm)
				continue;
			Tcl_DStringInit(&how);
			if (commands_of(fn, &how))
				by_command++;
			else if (fn->invoke)
				by_call++;
			else
				none++;
			xappendf(d, "  %-36s %s%s%s\n", fn->name, Tcl_DStringValue(&how),
				 fn->why		   ? "none: "
				 : Tcl_DStringLength(&how) ? "; call"
							   : "call",
				 fn->why ? fn->why : "");
			Tcl_DStringFree(&how);
		}
	}
	xappendf(d,
		 "\n  %u functions: %u by a command (and by call), %u by call alone, %u by none\n",
		 call_count, by_command, by_call, none);
}
