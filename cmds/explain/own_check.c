/* SPDX-License-Identifier: MIT */
/* check: mistakes of this session that need not fail, by the rules of model/checks. */
#include "checks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "command/cmd.h"
#include "explain/explain.h"
#include "out.h"
#include "own_model.h"
#include "output/print.h"
#include "session.h"

#define FAMILY "understanding"

static struct {
	struct checks *checks; /* NULL: they were never on */
	unsigned told;	       /* findings that were notices */
	bool is_on;
} the;

static const struct check_finding *found(unsigned i)
{
	return the.checks ? checks_found(the.checks, i) : NULL;
}

void own_check_after(struct session *s)
{
	const struct check_finding *f;

	for (; (f = found(the.told)); the.told++)
		notice_post(s->notices, NOTICE_CHECK, "%s [%s]: %s", check_grades[f->grade],
			    check_rules[f->id].id, f->says);
}

bool own_check_tell(struct out *o)
{
	const struct check_finding *f;

	for (unsigned i = 0; (f = found(i)); i++)
		out_text(o, "  check           %s [%s]: %s\n", check_grades[f->grade],
			 check_rules[f->id].id, f->says);
	return found(0);
}

/* -------------------------------------------------------------------- check on, off -- */

struct on_args {
	const char *rules;
};

static const struct arg on_args[] = {
	OPT("rules", on_args, rules, kind_str,
	    "ids with commas between, -ID takes one away; all: advice, too"),
	ARGS_END
};

static int on_exec(struct session *s, const void *args, struct out *o)
{
	const struct on_args *a = args;
	bool wanted[CHECK_RULES];
	char *wrong = checks_choose(a->rules, wanted);

	(void)o;
	if (wrong) {
		fail(s, "check on", "BADVALUE", "check on: no rule is called '%s'", wrong);
		free(wrong);
		return fail_next(s, "help check");
	}
	own_model_check(NULL);
	checks_free(the.checks);
	the.checks = checks_new(wanted, NULL, NULL);
	the.told = 0;
	the.is_on = true;
	own_model_check(the.checks);
	return 0;
}

/** Applies the rules of 'vtrace --check' to the calls of this session from now on. The findings
 * are notices of the kind check, rows of timeline, report and view, and lines of explain;
 * 'check' alone shows all of them. Earlier findings are forgotten.
 * > check on
 * > check on -rules all */
const struct cmd cmd_check_on = {
	.name = "check on",
	.family = FAMILY,
	.summary = "look for mistakes that need not fail",
	.args = on_args,
	.flags = CMD_LOOKS,
	.exec = on_exec,
};

static int off_exec(struct session *s, const void *args, struct out *o)
{
	(void)s, (void)args, (void)o;
	the.is_on = false;
	own_model_check(NULL);
	return 0;
}

/** Ends 'check on'. 'check' still shows what was found.
 * > check on; check off */
const struct cmd cmd_check_off = {
	.name = "check off",
	.family = FAMILY,
	.summary = "stop looking for mistakes",
	.flags = CMD_LOOKS,
	.exec = off_exec,
};

/* ----------------------------------------------------------------------------- check -- */

static const char *command_text(void *arg, struct record_from from)
{
	(void)arg;
	return from.at ? temp_text("command %" PRIu64, from.at) : "";
}

static void finding_out(struct out *o, const struct check_finding *f)
{
	const struct check_rule *rule = &check_rules[f->id];

	out_dict(o, NULL);
	out_str(o, "rule", rule->id, "%s [%s]: %s\n", check_grades[f->grade], rule->id,
		rule->title);
	check_out(o, f, command_text, NULL);
	out_u64(o, "command", f->at.from.at, NULL);
	out_end(o);
}

static int check_exec(struct session *s, const void *args, struct out *o)
{
	const struct check_finding *f;

	(void)s, (void)args;
	out_list(o, NULL);
	for (unsigned i = 0; (f = found(i)); i++)
		finding_out(o, f);
	out_end(o);
	if (!found(0))
		out_text(o, "%s\n",
			 the.is_on ? "nothing was found" : "check is off; check on turns it on");
	return 0;
}

/** The findings since 'check on': the commonest mistakes with verbs, which work on
 * this machine and fail on another, or at scale. A mistake was observed with all that is said of
 * it; what may be one says what would make it certain; advice (check on -rules all) is legal, and
 * often not what was meant. Each is shown once for a command, with where its object was made. The
 * rules: send-changed (a buffer was filled again before the completion), read-then-send,
 * dereg-posted, ah-posted, grh-room, recv-range, recv-late, rq-dry, read-depth, mtu-pair,
 * cq-overrun, cq-small, sq-unsignaled, sq-full-lucky, arm-race, arm-none, arm-solicited, unacked,
 * gone, in-use, early-call, left-unsignaled, wr-scope, wc-field; recv-overlap, flush-unpolled,
 * qp-after-id. For other programs: vtrace --check; see docs/check.md.
 * > check => check is off
 * > check on; check => nothing was found */
const struct cmd cmd_check = {
	.name = "check",
	.family = FAMILY,
	.summary = "the mistakes of this session that need not fail",
	.flags = CMD_LOOKS,
	.exec = check_exec,
};
