/* SPDX-License-Identifier: MIT */
#include "injections.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "heap.h"
#include "text.h"
#include "call_fault.h"
#include "door.h"
#include "fault_rule.h"
#include "launch.h"

static struct {
	char *texts[FAULT_RULES_MAX];
	unsigned n;
	uint64_t seed; /* 0: none is given */
} the;

static bool add_rule(const char *text)
{
	if (the.n == FAULT_RULES_MAX) {
		door_say("--inject: there are more than %d rules", FAULT_RULES_MAX);
		return false;
	}
	the.texts[the.n++] = xstrdup(text);
	return true;
}

static char *without_blanks(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

static bool add_file(const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	bool added = f;

	while (added && getline(&line, &size, f) >= 0) {
		const char *rule = without_blanks(line);

		added = !*rule || *rule == '#' || add_rule(rule);
	}
	if (!f || ferror(f)) {
		door_say("--inject @%s: %s", path, strerror(errno));
		added = false;
	}
	free(line);
	if (f)
		fclose(f);
	return added;
}

bool injections_add(const char *text)
{
	return *text == '@' ? add_file(text + 1) : add_rule(text);
}

bool injections_seed(const char *text)
{
	if (fault_read_number(text, UINT64_MAX, &the.seed) && the.seed)
		return true;
	door_say("--seed '%s' is not a number from 1 to 2^64-1", text);
	return false;
}

static bool read_rule(const char *text, unsigned i, struct fault_rule *r)
{
	char why[512];

	if (fault_rule_is_of_device(text) && !launch_loaded())
		snprintf(why, sizeof why,
			 "only uroce0 can make that come true, with all that follows from it: "
			 "uroce vtrace ...");
	else if (fault_rule_read(text, the.seed, i, r, why, sizeof why) == 0 &&
		 call_fault_check(r, why, sizeof why) == 0)
		return true;
	door_say("--inject '%s': %s", text, why);
	return false;
}

bool injections_begin(struct shared_options *how)
{
	bool draws = false;

	uint32_t drawn = 0;

	if (!the.seed && getrandom(&drawn, sizeof drawn, 0) == sizeof drawn)
		the.seed = drawn;
	for (unsigned i = 0; i < the.n; i++) {
		if (!read_rule(the.texts[i], i, &how->rules[i]))
			return false;
		draws |= how->rules[i].chance < 1;
	}
	how->nrules = the.n;
	if (draws)
		door_say("--seed %" PRIu64 " repeats what is drawn for --inject", the.seed);
	return true;
}

const char *injections_text(unsigned rule)
{
	return rule && rule <= the.n ? the.texts[rule - 1] : "";
}

void injections_explain(FILE *to, const struct reader_news *call, bool json)
{
	const char *name = strerrorname_np(call->r->err), *rule = injections_text(call->r->rule);

	if (json)
		fprintf(to,
			"{\"pid\":%d,\"thread\":%u,\"explain\":{\"call\":\"%s\",\"errno\":\"%s\","
			"\"injected\":\"%s\"}}\n",
			(int)call->process->pid, call->r->thread, call->r->fn->name,
			name ? name : "?", rule);
	else
		fprintf(to,
			"    %s: %s  %s\n"
			"      made on purpose: --inject %s; the library was not called\n",
			call->r->fn->name, name ? name : "?", strerror(call->r->err), rule);
}

unsigned injections_end(const struct reader *r)
{
	unsigned idle = 0;

	for (unsigned i = 0; i < the.n; i++) {
		const struct fault_rule *rule = &reader_shared(r)->how.rules[i];
		const uint64_t matched = atomic_load(&rule->matched);

		if (!atomic_load(&rule->hit)) {
			idle++;
			door_say("--inject '%s' has hit nothing: of that kind there %s %" PRIu64
				 " call%s",
				 the.texts[i], matched == 1 ? "was" : "were", matched,
				 matched == 1 ? "" : "s");
		}
		free(the.texts[i]);
	}
	the.n = 0;
	return idle;
}
