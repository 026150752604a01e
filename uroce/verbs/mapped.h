/* SPDX-License-Identifier: MIT */
#ifndef UROCE_VERBS_MAPPED_H
#define UROCE_VERBS_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

/* Is every page of [addr, addr + length) mapped, readable and (write) writable? As pinning
 * would, it brings all of them in. Takes time in proportion to what is not there yet. */
bool mapped(const void *addr, size_t length, bool write);

#endif
