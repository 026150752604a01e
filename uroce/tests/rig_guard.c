/* SPDX-License-Identifier: MIT */
/* The guard of the rig: memory has a hole where the test wants one. */
#include "checks.h"
#include "engine.h"
#include "rig.h"

const uint8_t *rig_hole;
size_t rig_hole_bytes;
bool rig_strict;

static bool in_hole(const void *p, size_t n)
{
	const uint8_t *b = p;

	return rig_hole && b < rig_hole + rig_hole_bytes && b + n > rig_hole;
}

static void check_target(const void *p, size_t n)
{
	CHECK(!rig_strict || rig_writable(p, n) || rig_in_packet(p, n));
}

int guard_copy(void *dst, const void *src, size_t n)
{
	check_target(dst, n);
	if (in_hole(dst, n) || in_hole(src, n))
		return -1;
	memcpy(dst, src, n);
	return 0;
}

int guard_store(uint64_t *p, uint64_t value)
{
	if (in_hole(p, sizeof(*p)))
		return -1;
	check_target(p, sizeof(*p));
	*p = value;
	return 0;
}

int guard_fetch_add(uint64_t *p, uint64_t add, uint64_t *old)
{
	if (in_hole(p, sizeof(*p)))
		return -1;
	check_target(p, sizeof(*p));
	*old = *p;
	*p += add;
	return 0;
}

int guard_cmp_swap(uint64_t *p, uint64_t compare, uint64_t swap, uint64_t *old)
{
	if (in_hole(p, sizeof(*p)))
		return -1;
	check_target(p, sizeof(*p));
	*old = *p;
	if (*old == compare)
		*p = swap;
	return 0;
}
