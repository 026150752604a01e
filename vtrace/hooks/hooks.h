/* SPDX-License-Identifier: MIT */
/* The pointers that inline functions of the headers call: those of a context, of an extended QP or
 * CQ, and of a WQ. Each is replaced by a function that notes the call. The original pointers are
 * kept in a side table, because an object has no room for them. */
#ifndef VTRACE_HOOKS_H
#define VTRACE_HOOKS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void hook_fn(void);

struct hook {
	ptrdiff_t at;	/* offset of the pointer in the object; below 0: in verbs_context */
	uint64_t asked; /* only QPs created with this flag of enum ibv_qp_create_send_ops_flags have
			   the pointer; 0: all do */
	hook_fn *hooked;
};

/* In members.c. Each ends with a row without .hooked. */
extern const struct hook hooks_of_context[], hooks_of_qp[], hooks_of_cq[], hooks_of_wq[];

/* The original of the index-th pointer of a hooked object. */
hook_fn *hooked_next(const void *object, unsigned index);

/* The original of the pointer at that offset; NULL: the object has no such pointer. */
hook_fn *hooked_pointer(const void *object, const struct hook *hooks, ptrdiff_t at);

/* vtrace --record: the contents of the program's registered memory. It is looked at when the
 * program calls a function; what has changed since the last time is noted (REPLAY_MEMORY). */

enum watch_moment {
	WATCH_BETWEEN,
	WATCH_SENDS,	/* the program is about to send: it has written what is new */
	WATCH_RECEIVED, /* something has arrived: so has what is new */
};

/* false: this process is not recorded. */
bool memory_watch_begin(void);
/* Looks now. */
void memory_watch_look(enum watch_moment moment);

#endif
