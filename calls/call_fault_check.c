/* SPDX-License-Identifier: MIT */
/* Rules about calls, held against the table of functions. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "call_fault.h"
#include "calls.h"
#include "near.h"

/* Does it fail with that errno? */
static bool call_gives_errno(const struct call_fn *fn, int err)
{
	for (const uint8_t *e = fn->errnos; e && *e; e++)
		if (*e == err)
			return true;
	return false;
}

static int refuse_name(const char *name, char *why, size_t size)
{
	struct near near = near_begin(name);

	for (unsigned i = 0; i < call_count; i++)
		near_try(&near, call_table[i].name);
	if (near.best)
		snprintf(why, size, "no function is called '%s': did you mean %s?", name,
			 near.best);
	else
		snprintf(why, size,
			 "no function is called '%s': those of libibverbs and librdmacm can fail, "
			 "and requests (wc:status=...)",
			 name);
	return -1;
}

static int refuse_errno(const struct call_fn *fn, int err, char *why, size_t size)
{
	int n = snprintf(why, size, "%s does not give %s, but", fn->name, strerrorname_np(err));

	for (const uint8_t *e = fn->errnos; *e && n >= 0 && (size_t)n < size; e++)
		n += snprintf(why + n, size - (size_t)n, "%s %s", e == fn->errnos ? "" : ",",
			      strerrorname_np(*e));
	if (n >= 0 && (size_t)n < size)
		snprintf(why + n, size - (size_t)n, "; with :force it does");
	return -1;
}

int call_fault_check(const struct fault_rule *r, char *why, size_t size)
{
	const struct call_fn *fn = call_find(r->name);

	if (r->what != FAULT_CALL)
		return 0;
	if (!fn)
		return refuse_name(r->name, why, size);
	if (r->error && fn->fails == FAILS_NOT) {
		snprintf(why, size, "%s cannot fail in a correct program", fn->name);
		return -1;
	}
	if (r->error && !r->forced && !call_gives_errno(fn, r->error))
		return refuse_errno(fn, r->error, why, size);
	return 0;
}
