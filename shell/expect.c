/* SPDX-License-Identifier: MIT */
/*
 * Expectations: a script's result, or the way it fails, held against what the user says.
 */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "expect.h"
#include "session.h"

static bool same_number(const char *want, const char *got)
{
	Tcl_Obj *a = Tcl_NewStringObj(want, -1), *b = Tcl_NewStringObj(got, -1);
	uint64_t x, y;
	bool fits, same;

	Tcl_IncrRefCount(a);
	Tcl_IncrRefCount(b);
	same = args_number(a, &x, &fits) && fits && args_number(b, &y, &fits) && fits && x == y;
	Tcl_DecrRefCount(a);
	Tcl_DecrRefCount(b);
	return same;
}

bool expect_fits(const char *want, const char *got)
{
	return strcmp(want, got) == 0 || same_number(want, got) || Tcl_StringMatch(got, want);
}

void expect_summary(struct session *s)
{
	if (s->passed || s->failed)
		printf("%u checks passed, %u failed\n", s->passed, s->failed);
}
