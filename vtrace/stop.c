/* SPDX-License-Identifier: MIT */
#include "stop.h"

#include <string.h>
#include <strings.h>

#include "calls.h"
#include "door.h"

/* The errno of that name ("EINVAL"), or 0. */
static int errno_of_name(const char *name)
{
	const char *other;

	for (int i = 1; i < 4096; i++) {
		other = strerrorname_np(i);
		if (other && strcasecmp(name, other) == 0)
			return i;
	}
	return 0;
}

static bool choose_rule(const char *id, struct shared_options *how, struct check_options *check)
{
	const enum check_id rule = check_id_find(id);

	if (rule == CHECK_RULES)
		return false;
	check->stops = true;
	check->stop_on = rule;
	how->stop_on = SHARED_STOP_RULE;
	return true;
}

bool stop_choose(const char *error, struct shared_options *how, struct check_options *check)
{
	const struct call_struct *of = call_objects[OBJECT_CQ_EX].of;
	const struct call_word *status =
		call_word_find(call_value_find(of->fields, "status")->words, error);

	check->stops = false; /* the last --stop-on counts */
	how->stop_value = errno_of_name(error);
	if (strcmp(error, "any") == 0) {
		how->stop_on = SHARED_STOP_ANY;
	} else if (how->stop_value) {
		how->stop_on = SHARED_STOP_ERRNO;
	} else if (status) {
		how->stop_on = SHARED_STOP_STATUS;
		how->stop_value = (int)status->value;
	} else if (!choose_rule(error, how, check)) {
		door_say("--stop-on: no error is called '%s'; an errno (EINVAL), a status of "
			 "completions (REM_ACCESS_ERR), a rule of --check (send-changed) and any "
			 "can be given",
			 error);
		return false;
	}
	return true;
}

bool stop_check(struct check_options *check)
{
	if (!check->stops)
		return true;
	if (check->stop_on == CHECK_LEAK) {
		door_say("--stop-on leak: what is left is known when no thread is there any more");
		return false;
	}
	if (!check->is_on)
		checks_choose(check_rules[check->stop_on].id, check->wanted);
	check->is_on = check->wanted[check->stop_on] = true;
	return true;
}
