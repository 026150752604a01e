/* SPDX-License-Identifier: MIT */
/*
 * Pointers that inline functions of the headers call: those of a context, of an extended QP and
 * CQ, and of a WQ. Each is replaced by a function that notes the call; a side table has what stood
 * there, so that nothing is written behind an object's end.
 */
#ifndef VTRACE_HOOKS_H
#define VTRACE_HOOKS_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

typedef void hook_fn(void);

struct hook {
	ptrdiff_t at;	/* the pointer, from the object; below 0: of verbs_context */
	uint64_t asked; /* of enum ibv_qp_create_send_ops_flags: QPs with it have it; 0: all */
	hook_fn *hooked;
};

/* members.c. They end with one without .hooked. */
extern const struct hook hooks_of_context[], hooks_of_qp[], hooks_of_cq[], hooks_of_wq[];

/* What the index-th pointer of the object was. */
hook_fn *hooked_next(const void *object, unsigned index);

/* What the pointer at that offset of a hooked object was; NULL: it has no such pointer. */
hook_fn *hooked_pointer(const void *object, const struct hook *hooks, ptrdiff_t at);

/* After they were made. NULL and what is hooked already do no harm. */
void hook_context(struct ibv_context *context);
void hook_qp(struct ibv_qp *qp, const struct ibv_qp_init_attr_ex *attr);
void hook_cq(struct ibv_cq_ex *cq);
void hook_wq(struct ibv_wq *wq);

#endif
