/* SPDX-License-Identifier: MIT */
/* Where in a program a call is made. */
#include "call_record.h"

#define SMALL_FRAME 512 /* bytes: that of a function which only calls another */

/* A frame begins with the frame pointer of its caller and the address to which it returns. Where
 * the caller keeps no frame pointer, the former is any value: what is read is near on the stack. */
__attribute__((no_sanitize("address", "thread"))) struct record_from
record_from(const void *returns_to, const void *frame)
{
	struct record_from from = { .at = (uintptr_t)returns_to };
#if defined(__x86_64__) || defined(__aarch64__)
	const uintptr_t own = (uintptr_t)frame, above = *(const uintptr_t *)frame;

	if (above > own && above - own <= SMALL_FRAME && above % sizeof above == 0)
		from.above = ((const uintptr_t *)above)[1];
#endif
	(void)frame;
	return from;
}
