/* SPDX-License-Identifier: MIT */
#include "each.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "calls.h"
#include "door.h"
#include "heap.h"
#include "junit.h"
#include "out.h"
#include "text.h"

enum outcome { CLEAN, CRASH, HANG, UNHARMED, NOT_REACHED, OUTCOMES };
static const struct {
	const char *name, *many; /* for the table and JSON; for the sum */
} outcomes[OUTCOMES] = {
	[CLEAN] = { "error", "ended with an error of their own" },
	[CRASH] = { "crash", "crashed" },
	[HANG] = { "hang", "hung" },
	[UNHARMED] = { "as before", "went on as if nothing had happened" },
	[NOT_REACHED] = { "not reached", "were not reached again" },
};

static struct {
	const struct each_options *o;
	struct each_result unharmed; /* without a fault */
	unsigned n[OUTCOMES];
	struct text cases; /* of JUnit */
} the;

static bool is_failure(enum outcome outcome)
{
	return outcome == CRASH || outcome == HANG;
}

static enum outcome outcome_of(const struct each_result *r)
{
	if (r->end == EACH_CRASHED)
		return CRASH;
	if (r->end == EACH_HUNG)
		return HANG;
	if (!r->hit)
		return NOT_REACHED;
	return r->code == the.unharmed.code ? UNHARMED : CLEAN;
}

/* -------------------------------------------------------------------------------- a row -- */

/* Begins one more part of the second line. */
static const char *part(bool *any)
{
	const char *before = *any ? "; " : "\n             ";

	*any = true;
	return before;
}

static void out_left(const struct each_result *r, bool *any, struct out *o)
{
	bool more = false;

	out_dict(o, "left");
	for (unsigned kind = 1; kind < OBJECT_KINDS; kind++) {
		const int n = r->left[kind] - the.unharmed.left[kind];

		if (n <= 0)
			continue;
		if (!more)
			out_text(o, "%sleft behind: ", part(any));
		out_int(o, call_objects[kind].word, n, "%s%d %s", more ? ", " : "", n,
			call_objects[kind].word);
		more = true;
	}
	out_end(o);
}

static void out_end_of(const struct each_result *r, enum outcome outcome, struct out *o)
{
	const char *name = r->end == EACH_CRASHED ? sigabbrev_np(r->code) : NULL;
	bool any = false;

	if (outcome == CRASH)
		out_str(o, "signal", name ? name : "?", "%sSIG%s", part(&any), name ? name : "?");
	if (outcome == CRASH && *r->crash)
		out_str(o, "at", r->crash, " at %s", r->crash);
	if (r->end == EACH_EXITED)
		out_int(o, "exit", r->code, NULL);
	if (outcome == CLEAN)
		out_text(o, "%sexit code %d", part(&any), r->code);
	if (*r->inside && is_failure(outcome))
		out_str(o, "inside", r->inside, "%swithin %s", part(&any), r->inside);
	out_left(r, &any, o);
	if (*r->said)
		out_str(o, "said", r->said, "%s%s", part(&any), r->said);
}

static const char *error_name(const struct fault_rule *rule)
{
	return strerrorname_np(rule->error);
}

static void write_row(const struct shared_site *site, const struct fault_rule *rule,
		      const struct each_result *r, enum outcome outcome)
{
	const struct call_fn *fn = &call_table[site->row];
	struct out *o = out_new(true);
	SCOPED_TEXT(text);

	out_str(o, "outcome", outcomes[outcome].name, "%-12s", outcomes[outcome].name);
	out_str(o, "call", fn->name, "%s", fn->name);
	out_str(o, "errno", error_name(rule), " %s", error_name(rule));
	out_str(o, "from", site->place, " from %s", site->place);
	out_u64(o, "calls", site->calls, NULL);
	out_end_of(r, outcome, o);
	out_str(o, "rule", rule->text,
		is_failure(outcome) ? "\n             again: --inject %s\n" : "\n", rule->text);
	out_print(o, the.o->json ? OUT_JSON : OUT_TEXT, &text);
	fputs(text_str(&text), the.o->to);
	door_flush(the.o->to);
	out_free(o);
}

/* -------------------------------------------------------------------------------- JUnit -- */

static void add_case(const struct shared_site *site, const struct fault_rule *rule,
		     const struct each_result *r, enum outcome outcome)
{
	struct junit_case c = { .class = the.o->argv[0] };
	SCOPED_TEXT(text);
	SCOPED_TEXT(name);

	xappendf(&name, "%s %s from %s", call_table[site->row].name, error_name(rule), site->place);
	c.name = text_str(&name);
	if (is_failure(outcome)) {
		xappendf(&text, "--inject %s\n%s", rule->text, r->said);
		c.tag = "failure";
		c.message = outcomes[outcome].name;
		c.text = text_str(&text);
	} else if (outcome == NOT_REACHED) {
		c.tag = "skipped";
	}
	junit_add(&the.cases, &c);
}

/* Writes the cases so far. At the beginning, so that a file that cannot be written is known. */
static bool write_junit(void)
{
	const char *path = the.o->junit;

	if (!path || junit_write(path, "vtrace --inject-each", "", &the.cases) == 0)
		return true;
	door_say_incomplete("%s: %s", path, strerror(errno));
	return false;
}

/* --------------------------------------------------------------------------- all of them -- */

static bool is_tried(const struct shared_site *site)
{
	return site->row < call_count && call_table[site->row].fails != FAILS_NOT &&
	       (!the.o->wanted || the.o->wanted[site->row]);
}

/* false: it could not be run. */
static bool try_site(const struct shared_site *site)
{
	const struct call_fn *fn = &call_table[site->row];
	struct each_result r;
	struct fault_rule rule;
	enum outcome outcome;
	char why[512];
	const char *text = temp_text("%s:error=%s:when=1:at=%.*s", fn->name,
				     strerrorname_np(fn->errnos[0]), SHARED_PLACE - 1, site->place);

	if (fault_rule_read(text, 0, 0, &rule, why,
			    sizeof why)) { /* a name that no rule can have */
		door_say("%s from %s is left out: %s", fn->name, site->place, why);
		return true;
	}
	if (each_once(the.o, &rule, &r)) {
		door_say("%s: %s", the.o->argv[0], strerror(errno));
		return false;
	}
	outcome = outcome_of(&r);
	the.n[outcome]++;
	write_row(site, &rule, &r, outcome);
	add_case(site, &rule, &r, outcome);
	return true;
}

/* Runs the program as it is. false: there is nothing to compare with. */
static bool try_unharmed(void)
{
	struct each_result *r = &the.unharmed;

	if (each_once(the.o, NULL, r)) {
		door_say("%s: %s", the.o->argv[0], strerror(errno));
		return false;
	}
	if (r->end == EACH_HUNG)
		door_say(
			"%s does not end within %g s without any fault: %s%s; --within gives it more",
			the.o->argv[0], the.o->within_s, *r->inside ? "it is in " : "", r->inside);
	else if (r->end == EACH_CRASHED)
		door_say("%s is ended by %s without any fault", the.o->argv[0], strsignal(r->code));
	else if (!r->nsites)
		door_say("no call of libibverbs or librdmacm was seen of %s%s%s", the.o->argv[0],
			 *r->said ? ": " : "", r->said);
	else if (r->code)
		door_say("%s ends with exit code %d without any fault: %s", the.o->argv[0], r->code,
			 r->said);
	if (r->nsites > SHARED_SITES)
		door_say("only %d of %u places of calls are tried", SHARED_SITES, r->nsites);
	return r->end == EACH_EXITED && r->nsites;
}

static void write_sum(void)
{
	const unsigned all = the.n[CLEAN] + the.n[CRASH] + the.n[HANG] + the.n[UNHARMED] +
			     the.n[NOT_REACHED];
	const char *before = ": ";

	fprintf(the.o->to, "%u place%s of calls", all, all == 1 ? "" : "s");
	for (enum outcome i = 0; i < OUTCOMES; i++) {
		if (!the.n[i])
			continue;
		fprintf(the.o->to, "%s%u %s", before, the.n[i], outcomes[i].many);
		before = ", ";
	}
	fputs("\n", the.o->to);
}

int each_run(const struct each_options *options)
{
	static struct shared_site sites[SHARED_SITES];
	unsigned n;
	bool done;

	the.o = options;
	if (!try_unharmed() || !write_junit())
		return 1;
	n = the.unharmed.nsites < SHARED_SITES ? the.unharmed.nsites : SHARED_SITES;
	memcpy(sites, the.unharmed.site, sizeof sites);
	done = true;
	for (unsigned i = 0; i < n && done; i++) {
		sites[i].place[SHARED_PLACE - 1] = '\0';
		if (is_tried(&sites[i]))
			done = try_site(&sites[i]);
	}
	write_junit();
	text_free(&the.cases);
	if (!options->json)
		write_sum();
	door_close(options->to);
	return done && !the.n[CRASH] && !the.n[HANG] ? 0 : 1;
}
