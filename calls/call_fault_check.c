/* SPDX-License-Identifier: MIT */
/* Rules about calls, held against the table of functions. */
#include <string.h>

#include "call_fault.h"
#include "calls.h"

/* Does it fail with that errno? */
static bool call_gives_errno(const struct call_fn *fn, int err)
{
	for (const uint8_t *e = fn->errnos; e && *e; e++)
		if (*e == err)
			return true;
	return false;
}

static int refuse_name(const struct fault_why *why, const char *name)
{
	struct fault_choice c = { near_begin(name), "those of libibverbs and librdmacm, and "
						    "requests (wc:status=...)" };

	for (unsigned i = 0; i < call_count; i++)
		near_try(&c.near, call_table[i].name);
	return fault_refuse_choice(why, &c, "function");
}

static int refuse_errno(const struct fault_why *why, const struct call_fn *fn, int err)
{
	struct fault_choice c = { near_begin(""), "" };

	for (const uint8_t *e = fn->errnos; *e; e++)
		fault_offer(&c, strerrorname_np(*e));
	return fault_refuse(why, "%s does not give %s, but %s; with :force it does", fn->name,
			    strerrorname_np(err), c.all);
}

int call_fault_check(const struct fault_rule *r, char *text, size_t size)
{
	const struct call_fn *fn = call_find(r->name);
	const struct fault_why why = { text, size };

	if (r->what != FAULT_CALL)
		return 0;
	if (!fn)
		return refuse_name(&why, r->name);
	if (r->error && fn->fails == FAILS_NOT)
		return fault_refuse(&why, "%s cannot fail in a correct program", fn->name);
	if (r->error && !r->forced && !call_gives_errno(fn, r->error))
		return refuse_errno(&why, fn, r->error);
	return 0;
}
