/* SPDX-License-Identifier: MIT */
#include "injections.h"

#include <ctype.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "call_fault.h"
#include "call_record.h"
#include "door.h"
#include "fault_rule.h"
#include "launch.h"
#include "live_program.h"
#include "words.h"

static struct {
	struct fault_rule rules[FAULT_RULES_MAX]; /* as they were read */
	unsigned n;
	uint64_t seed;			 /* 0: none is given */
	const struct fault_rule *counts; /* only the counters of these, which programs can write */
} the;

static bool add_rule(const char *text)
{
	struct fault_rule *r = &the.rules[the.n];
	char why[512];

	if (the.n == FAULT_RULES_MAX) {
		door_say("--inject: there are more than %d rules", FAULT_RULES_MAX);
		return false;
	}
	if (fault_rule_read(text, 0, the.n, r, why, sizeof why) == 0 &&
	    call_fault_check(r, why, sizeof why) == 0) {
		if (*r->device && launch_loaded() && !launch_has_device(r->device)) {
			snprintf(why, sizeof why, "device=%s: there is %s", r->device,
				 launch_devices());
		} else if (r->what == FAULT_CALL || launch_loaded() ||
			   r->status == IBV_WC_RETRY_EXC_ERR) {
			the.n++;
			return true;
		} else {
			snprintf(
				why, sizeof why,
				r->what == FAULT_COMPLETION
					? "a device that has sent the request already can only be said to "
					  "have got no answer: RETRY_EXC_ERR; uroce0 can: uroce vtrace ..."
					: "only uroce0 can make that come true, with all that follows from "
					  "it: uroce vtrace ...");
		}
	}
	door_say("--inject '%s': %s", text, why);
	return false;
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

static bool add_line(char *line)
{
	const char *rule = without_blanks(line);

	return !*rule || *rule == '#' || add_rule(rule);
}

bool injections_add(const char *text)
{
	return *text == '@' ? door_read(text + 1, add_line) : add_rule(text);
}

bool injections_seed(const char *text)
{
	if (fault_read_number(text, UINT64_MAX, &the.seed) && the.seed)
		return true;
	door_say("--seed '%s' is not a number from 1 to 2^64-1", text);
	return false;
}

void injections_begin(struct shared_options *how)
{
	bool draws = false;
	uint32_t drawn = 0;

	if (!the.seed && getrandom(&drawn, sizeof drawn, 0) == sizeof drawn)
		the.seed = drawn;
	for (unsigned i = 0; i < the.n; i++) {
		the.rules[i].seed += the.seed;
		draws |= the.rules[i].chance < 1;
	}
	memcpy(how->rules, the.rules, the.n * sizeof *the.rules);
	how->nrules = the.n;
	if (draws)
		door_say("--seed %" PRIu64 " repeats what is drawn for --inject", the.seed);
}

const char *injections_text(unsigned rule)
{
	return rule && rule <= the.n ? the.rules[rule - 1].text : "";
}

void injections_watch(const struct reader *r)
{
	the.counts = reader_shared(r)->how.rules;
}

static bool has_happened(unsigned i)
{
	return the.rules[i].what == FAULT_EVENT && atomic_load(&the.counts[i].hit);
}

/* Is the context one of that device? What librdmacm has opened is known if there is no other
 * device. */
static bool is_of_device(const struct reader_news *call, uint64_t context, const char *name)
{
	const struct live_object *o = live_object_at(call->process->live->seen, context);
	const struct record_object *device = o && o->uses[0]
						     ? record_objects_at(call->process->objects,
									 o->uses[0], call->r->end)
						     : NULL;

	if (!device || !*device->name)
		return !strchr(launch_devices(), ',');
	return strncmp(device->name, name, sizeof device->name - 1) == 0;
}

/* An event of a connection has the number of its rule. One of the port or the device has no room
 * for it; a rule makes one of each of its devices, and links that change make the same. */
static unsigned rule_of_event(const struct reader_news *call)
{
	const struct record *r = call->r;
	const struct rdma_cm_event *cm = record_cm_event(r);
	const struct ibv_async_event *async = record_async_event(r);
	const unsigned rule = cm ? fault_rule_of_vendor_err(cm->param.conn.qp_num) : 0;

	for (unsigned i = 0; async && i < the.n; i++)
		if (has_happened(i) && the.rules[i].event == (int)async->event_type &&
		    (!*the.rules[i].device || is_of_device(call, r->args[0], the.rules[i].device)))
			return i + 1;
	return rule <= the.n ? rule : 0;
}

/* A rule about one of several devices is left out: whose QP it is, is not known here. */
const char *injections_port_down(void)
{
	return the.n ? fault_port_down_by(the.rules, the.counts, the.n, "") : NULL;
}

unsigned injections_rule(const struct reader_news *call)
{
	const struct record *r = call->r;

	return r->rule || r->err || !r->ended ? r->rule : rule_of_event(call);
}

void injections_explain(FILE *to, const struct reader_news *call, bool json)
{
	const struct record *r = call->r;
	const struct rdma_cm_event *cm = r->err ? NULL : record_cm_event(r);
	const struct ibv_async_event *async = r->err ? NULL : record_async_event(r);
	const char *rule = injections_text(injections_rule(call));
	const char *name = cm	   ? word_name(cm_event_words, cm->event)
			   : async ? word_name(async_words, async->event_type)
				   : strerrorname_np(r->err);

	if (json)
		fprintf(to,
			"{\"pid\":%d,\"thread\":%u,\"explain\":{\"call\":\"%s\",\"%s\":\"%s\","
			"\"injected\":\"%s\"}}\n",
			(int)call->process->pid, r->thread, r->fn->name, r->err ? "errno" : "event",
			name ? name : "?", rule);
	else
		fprintf(to, "    %s: %s%s%s\n      made on purpose: --inject %s%s\n", r->fn->name,
			name ? name : "?", r->err ? "  " : "", r->err ? strerror(r->err) : "", rule,
			r->err ? "; the library was not called" : "");
}

/* Why it could not. */
static const char *const refusals[] = {
	[FAULT_REFUSED_UNSIGNALED] = "a QP had unsignaled requests, whose flushes the device would "
				     "not make (on uroce0 it is possible)",
	[FAULT_REFUSED_TYPE] = "its QP is not of RC or XRC, whose peer answers (on uroce0 it is "
			       "possible)",
	[FAULT_REFUSED_EX] =
		"completions were read by ibv_start_poll(), and cannot be changed there "
		"(on uroce0 it is possible)",
};
/* Of the cases that a rule is about. */
static const char *const case_words[] = {
	[FAULT_CALL] = "call",
	[FAULT_COMPLETION] = "request",
	[FAULT_CM] = "connection",
};

static void say_idle(unsigned i)
{
	const struct fault_rule *rule = &the.rules[i];
	const uint64_t matched = atomic_load(&the.counts[i].matched);
	const unsigned refused = (unsigned)atomic_load(&the.counts[i].refused);

	if (refused && refused < sizeof refusals / sizeof *refusals)
		door_say("--inject '%s' has hit nothing: %s", rule->text, refusals[refused]);
	else if (rule->what == FAULT_EVENT)
		door_say("--inject '%s' has hit nothing: no device was open, or not that long",
			 rule->text);
	else
		door_say("--inject '%s' has hit nothing: of that kind there %s %" PRIu64 " %s%s",
			 rule->text, matched == 1 ? "was" : "were", matched, case_words[rule->what],
			 matched == 1 ? "" : "s");
}

unsigned injections_end(void)
{
	unsigned idle = 0;

	for (unsigned i = 0; i < the.n; i++)
		if (!atomic_load(&the.counts[i].hit)) {
			idle++;
			say_idle(i);
		}
	the.n = 0;
	return idle;
}
