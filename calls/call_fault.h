/* SPDX-License-Identifier: MIT */
/* Calls that fail, or take longer, on purpose: the rules of common/fault_rule.h applied to the
 * functions of the table. The library is not called then; the result says so in the function's own
 * way. */
#ifndef CALLS_CALL_FAULT_H
#define CALLS_CALL_FAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call_record.h"
#include "fault_rule.h"

/* Does a rule about calls name a function, and an errno that the function gives? -1: text (of size
 * bytes) says what is wrong. */
int call_fault_check(const struct fault_rule *r, char *text, size_t size);

/* Applies these rules, whose counters are updated, to the calls of this process from now on; n 0:
 * none. Rules that are not about calls are skipped. They must stay; n is FAULT_RULES_MAX at most.
 */
void call_faults_set(struct fault_rule *rules, unsigned n);

/* Calls note() before each call that the program makes from now on, in its thread, with the address
 * to which it returns. NULL: no more. It must not call verbs. */
void call_faults_note(void (*note)(unsigned row, const void *from));
/* The place of an address in the code of this process: "libfabric.so.1+0x12f0", with the address
 * that it has in the file. May be called by a handler of signals. */
void call_site(const void *at, char *text, size_t size);

/* For the functions that note calls. For each row the rules about it, a bit for each; NULL: none.
 */
extern const uint64_t *_Atomic call_fault_rows;
bool call_fault_decide(struct record_call *c, unsigned row);

/* Between record_begin() and the call: does it fail, with c->result? Errno is set where the
 * function sets it. */
static inline bool call_fault_hits(struct record_call *c, unsigned row)
{
	const uint64_t *rows = atomic_load_explicit(&call_fault_rows, memory_order_acquire);

	return __builtin_expect(rows && rows[row], 0) && call_fault_decide(c, row);
}

#endif
