/* SPDX-License-Identifier: MIT */
#include "rules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

unsigned rules_there;
static struct fault_rule of_text[FAULT_RULES_MAX], *rules = of_text;
static unsigned nrules;

void rules_set(struct fault_rule *given, unsigned n)
{
	rules = given;
	nrules = n;
	rules_there = 0;
	for (unsigned i = 0; i < n; i++)
		if (given[i].what != FAULT_CALL)
			rules_there |= 1u << given[i].what;
}

struct fault_rule *rules_all(unsigned *n)
{
	*n = nrules;
	return rules;
}

const struct fault_rule *rules_hit(enum fault_what what,
				   bool (*matches)(const struct fault_rule *r, const void *of),
				   const void *of, unsigned *number)
{
	const struct fault_rule *hit = NULL;

	for (unsigned i = 0; i < nrules; i++)
		if (rules[i].what == what && matches(&rules[i], of) && fault_rule_hits(&rules[i]) &&
		    !hit) {
			hit = &rules[i];
			*number = i + 1;
		}
	return hit;
}

int rules_add(const char *text, size_t n, unsigned long long seed, char *why, size_t size)
{
	char rule[sizeof rules->text + 1];

	snprintf(rule, sizeof rule, "%.*s", (int)n, text);
	if (nrules == FAULT_RULES_MAX) {
		snprintf(why, size, "more than %d rules", FAULT_RULES_MAX);
		errno = EINVAL;
		return -1;
	}
	if (fault_rule_read(rule, seed, nrules, &of_text[nrules], why, size))
		return -1;
	rules_set(of_text, nrules + 1);
	return 0;
}

void rules_forget(void)
{
	rules_set(of_text, 0);
}
