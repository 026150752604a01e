/* SPDX-License-Identifier: MIT */
/* UROCE_PROFILE=strict: the device forgives nothing that most cards do not (docs/devices.md). Set
 * before there are objects. */
#ifndef UROCE_BASE_PROFILE_H
#define UROCE_BASE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

extern bool profile_is_strict;

/* text: the value of UROCE_PROFILE. 0, or -1 with EINVAL and a reason (of size bytes). */
int profile_setup(const char *text, char *reason, size_t size);
/* Is this thread without a capability of capabilities(7)? */
bool profile_lacks(unsigned capability);

#endif
