/* SPDX-License-Identifier: MIT */
/* Failures on purpose (common/fault_rule.h): uroce_rules_set() in uroce.h. All of it runs with
 * the engine's lock. */
#ifndef UROCE_BASE_RULES_H
#define UROCE_BASE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "fault_rule.h"

/* A bit for each enum fault_what of which there are rules; 0: rules_hit() need not be called. */
extern unsigned rules_there;
static inline bool rules_are_there(enum fault_what what)
{
	return rules_there & 1u << what;
}

/* Replaces the rules; they must stay. */
void rules_set(struct fault_rule *given, unsigned n);
struct fault_rule *rules_all(unsigned *n);
/* The first rule of that kind which matches a case and hits it; each that matches counts the case.
 * *number: from 1. NULL: there is none. */
const struct fault_rule *rules_hit(enum fault_what what,
				   bool (*matches)(const struct fault_rule *r, const void *of),
				   const void *of, unsigned *number);

/* Adds a rule as text: UROCE_FAULT. -1: why (of size bytes) says what is wrong. */
int rules_add(const char *text, size_t n, unsigned long long seed, char *why, size_t size);
/* After fork(), in the child. */
void rules_forget(void);

#endif
