/* SPDX-License-Identifier: MIT */
/*
 * Is memory there? One madvise(2) answers for any length: MADV_POPULATE_WRITE faults pages in
 * as if they were written to, without changing them. Linux before 5.14 does not know it; there
 * the list of mappings is read.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mapped.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

static bool in_maps(uintptr_t from, uintptr_t to, bool write)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uintptr_t first, end;
	char line[512], r, w;

	/* without /proc nothing can be said; what is not there is found when it is used */
	if (!f)
		return true;
	while (from < to && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %c%c", &first, &end, &r, &w) != 4)
			continue; /* the rest of a long line */
		if (first > from)
			break;
		if (end <= from)
			continue;
		if (r != 'r' || (write && w != 'w'))
			break;
		from = end;
	}
	fclose(f);
	return from >= to;
}

static bool can_populate(void)
{
	static _Atomic int known; /* 0: not asked yet, 1: yes, -1: no */
	int now = atomic_load_explicit(&known, memory_order_relaxed);

	if (!now) {
		/* of no pages: EINVAL says that the advice is unknown */
		now = madvise(NULL, 0, MADV_POPULATE_READ) == 0 ? 1 : -1;
		atomic_store_explicit(&known, now, memory_order_relaxed);
	}
	return now > 0;
}

bool mapped(const void *addr, size_t length, bool write)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t from = (uintptr_t)addr & ~(page - 1);
	const uintptr_t to = ((uintptr_t)addr + length + page - 1) & ~(page - 1);
	int n;

	if (to <= from)
		return false;
	if (!can_populate())
		return in_maps(from, to, write);
	do
		n = madvise((void *)from, to - from,
			    write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
	while (n != 0 && (errno == EINTR || errno == EAGAIN));
	return n == 0;
}
