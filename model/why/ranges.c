/* SPDX-License-Identifier: MIT */
/* Ranges of addresses in regions and windows. */
#include <inttypes.h>
#include <stdio.h>

#include "diagnosis.h"

bool why_region_holds(const struct live_region *r, uint64_t addr, uint64_t len)
{
	return addr >= r->begin && len <= r->len && addr - r->begin <= r->len - len;
}

bool why_is_unbound(const struct live_region *r)
{
	return !r->lkey && !r->len;
}

const char *why_range_beyond(const struct live_region *r, const char *name, uint64_t addr,
			     uint32_t len)
{
	const uint64_t at = addr - r->begin, beyond = at + len - r->len;
	static char text[256];

	if (why_is_unbound(r))
		snprintf(text, sizeof text, "%s is not bound", name);
	else if (addr >= r->begin && at <= r->len)
		snprintf(text, sizeof text,
			 "%u byte%s at %s + %" PRIu64 " (0x%" PRIx64 ") end %" PRIu64
			 " byte%s beyond it: it has %" PRIu64 " bytes",
			 len, len == 1 ? "" : "s", name, at, addr, beyond, beyond == 1 ? "" : "s",
			 r->len);
	else
		snprintf(text, sizeof text,
			 "address 0x%" PRIx64 " is not in %s, which has %" PRIu64
			 " bytes from 0x%" PRIx64 " on",
			 addr, name, r->len, r->begin);
	return text;
}
