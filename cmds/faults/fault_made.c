/* SPDX-License-Identifier: MIT */
/*
 * fault call, fault completion, fault event, fault port, fault device: calls of this session, and
 * requests, connections, the port and the whole of the embedded device, that fail on purpose. The
 * options are words of a rule (common/fault_rule.h), which reads them.
 */
#include "faults/fault_made.h"

#include <string.h>

#include "alloc.h"
#include "call_fault.h"
#include "calls.h"
#include "command/cmd.h"
#include "device/device.h"
#include "object_args.h"
#include "object_make.h"
#include "objects.h"
#include "out.h"
#include "session.h"
#include "text.h"
#include "words.h"

struct made_args {
	/* of a function, a status, an event of a connection; "off" removes the rules */
	const char *name;
	struct num
		event; /* of the port, of the device; without it and a name the rules are listed */
	const char *error, *delay, *when, *chance, *opcode, *qpn, *after, *reason;
	struct dev *device; /* of the event; NULL: each */
	struct num seed;
	bool force, add;
};

/* One of the commands, and its rules. */
struct made_kind {
	const char *command;
	const char *begins; /* the text of its rules */
	enum fault_what what;
	const struct arg *args;
	bool is_of_device; /* of FAULT_EVENT: the device, else the port */
};

#define EVENTS_OFF 1000 /* "off" among the words of events */

static struct fault_rule rules[FAULT_RULES_MAX];
static unsigned nrules;

static bool is_of_kind(const struct fault_rule *r, const struct made_kind *kind)
{
	return r->what == kind->what &&
	       (r->what != FAULT_EVENT ||
		(r->event == IBV_EVENT_DEVICE_FATAL) == kind->is_of_device);
}

const struct embedded_api *fault_device(void)
{
	return embedded_is_used() ? embedded_api() : NULL;
}

/* Nobody reads the rules while they change. */
static void put_rules(unsigned n)
{
	const struct embedded_api *api = fault_device();

	call_faults_set(rules, n);
	if (api)
		api->rules_set(rules, n);
}

static void remove_rules(const struct made_kind *kind)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < nrules; i++)
		if (!is_of_kind(&rules[i], kind))
			memcpy(&rules[kept++], &rules[i], sizeof *rules);
	nrules = kept;
}

void fault_append_options(struct text *t, const struct arg *options, const void *args,
			  const char *before)
{
	for (const struct arg *a = options; a->name; a++) {
		const void *at = (const char *)args + a->offset;
		const struct dev *dev = a->kind == &kind_dev_opt ? *(struct dev *const *)at : NULL;
		const char *value = dev ? dev->o.name : NULL;

		if (!dev && a->kind->size == sizeof value && !(a->flags & ARG_POS)) /* a text */
			value = *(const char *const *)at;
		if (value)
			xappendf(t, "%s%s=%s", text_len(t) ? before : "", a->name, value);
	}
}

int fault_needs_embedded(struct session *s, const char *command, const char *what)
{
	fail(s, command, "EOPNOTSUPP", "%s: only " UROCE_DEVICE " can %s (EOPNOTSUPP)", command,
	     what);
	fail_row(s, "instead", "rdmash --device " UROCE_DEVICE ": works on the embedded device");
	return -1;
}

static int add_rule(struct session *s, const struct made_args *a, const struct made_kind *kind)
{
	const char *command = kind->command;
	struct fault_rule r;
	char why[512];
	SCOPED_TEXT(text);

	xappendf(&text, "%s%s", kind->begins,
		 kind->what == FAULT_EVENT ? word_name(async_words, a->event.v) : a->name);
	fault_append_options(&text, kind->args, a, ":");
	if (a->force)
		text_add(&text, ":force");
	if (fault_rule_read(text_str(&text), a->seed.set ? a->seed.v : 1, nrules, &r, why,
			    sizeof why) ||
	    call_fault_check(&r, why, sizeof why))
		return fail(s, command, "EINVAL", "%s: %s", command, why);
	if (kind->what != FAULT_CALL && !fault_device())
		return fault_needs_embedded(s, command,
					    kind->what == FAULT_COMPLETION
						    ? "fail a request with all that follows from it"
						    : "make true what an event says");
	/* an event happens to a device that is open */
	if (kind->what == FAULT_EVENT && !dev_default(s))
		return -1;
	put_rules(0);
	if (!a->add)
		remove_rules(kind);
	if (nrules == FAULT_RULES_MAX) {
		put_rules(nrules);
		return fail(s, command, "ENOSPC", "%s: there are %d rules already", command,
			    FAULT_RULES_MAX);
	}
	memcpy(&rules[nrules++], &r, sizeof r);
	put_rules(nrules);
	return 0;
}

static void list_rules(const struct made_kind *kind, struct out *o)
{
	unsigned n = 0;

	out_list(o, NULL);
	for (unsigned i = 0; i < nrules; i++) {
		const struct fault_rule *r = &rules[i];

		if (!is_of_kind(r, kind))
			continue;
		n++;
		out_dict(o, NULL);
		out_str(o, "rule", r->text, "%s", r->text);
		out_u64(o, "matched", r->matched, "   %llu matched",
			(unsigned long long)r->matched);
		out_u64(o, "hits", r->hit, ", %llu hit\n", (unsigned long long)r->hit);
		out_end(o);
	}
	out_end(o);
	if (!n)
		out_text(o, "no faults\n");
}

static int made_exec(struct session *s, const struct made_args *a, const struct made_kind *kind,
		     struct out *o)
{
	const bool off = a->name ? strcmp(a->name, "off") == 0 : a->event.v == EVENTS_OFF;
	const bool lists = !a->name && !a->event.set;
	SCOPED_TEXT(options);

	fault_append_options(&options, kind->args, a, ":");
	if ((off || lists) && (text_len(&options) || a->seed.set || a->force || a->add))
		return fail(s, kind->command, "EINVAL", "%s%s takes no options", kind->command,
			    off ? " off" : "");
	if (off) {
		put_rules(0);
		remove_rules(kind);
		put_rules(nrules);
	} else if (!lists && add_rule(s, a, kind)) {
		return -1;
	}
	list_rules(kind, o);
	return 0;
}

const char *fault_made_text(unsigned rule)
{
	return rule && rule <= nrules ? rules[rule - 1].text : "a rule that is gone";
}

/* A device that waits to tell of an event tells of later ones of its kind at the same time: all
 * rules that have made one are done. */
const char *fault_made_async(const struct ibv_device *device, int event)
{
	const char *text = NULL;

	for (unsigned i = 0; i < nrules * FAULT_DEVICES_MAX; i++) {
		struct fault_rule *r = &rules[i / FAULT_DEVICES_MAX];
		const void *expected = device;

		if (r->what == FAULT_EVENT && r->event == event &&
		    atomic_compare_exchange_strong(&r->untold[i % FAULT_DEVICES_MAX], &expected,
						   NULL))
			text = r->text;
	}
	return text;
}

const char *fault_made_port_down(const char *device)
{
	return fault_port_down_by(rules, rules, nrules, device);
}

/* Which of the cases that match are hit. */
#define CHOICE_OPTIONS(cases)                                                                      \
	OPT("when", made_args, when, kind_str,                                                     \
	    "which " cases ": 3, 3+ (and all later ones), 2..10"),                                 \
		OPT("chance", made_args, chance, kind_str,                                         \
		    "share of these " cases ": 5% or 0.05"),                                       \
		OPT("seed", made_args, seed, kind_u64, "makes the choice of " cases " repeatable", \
		    .min = 1),                                                                     \
		SWITCH("add", made_args, add, "add to the existing rules")

/* -------------------------------------------------------------------------- fault call -- */

static void complete_function(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	for (unsigned i = 0; i < call_count; i++)
		if (call_table[i].fails != FAILS_NOT)
			value_append(words, call_table[i].name);
}

static const struct arg_kind kind_function = { .word = "function",
					       .size = sizeof(char *),
					       .parse = args_parse_str,
					       .is_static = true,
					       .complete = complete_function };

static const struct arg fault_call_args[] = {
	POS_OPT("name", made_args, name, kind_function,
		"of libibverbs or librdmacm; off removes all"),
	OPT("error", made_args, error, kind_str, "fails with this errno: ENOMEM"),
	OPT("delay", made_args, delay, kind_str, "takes longer by this: 50us, 2ms, 1s"),
	SWITCH("force", made_args, force, "an errno that the function does not give"),
	CHOICE_OPTIONS("calls"),
	ARGS_END
};

static int fault_call_exec(struct session *s, const void *args, struct out *o)
{
	static const struct made_kind kind = { "fault call", "", FAULT_CALL, fault_call_args,
					       false };

	return made_exec(s, args, &kind, o);
}

/** The library is not called: the function fails as its manual page says. Only an errno
 * that it can give is taken, unless there is -force. A rule replaces the existing ones,
 * or with -add follows them. Without arguments the command lists the rules, with how
 * many calls have matched and how many were hit. For other programs: vtrace --inject.
 * > fault call ibv_reg_mr -error ENOMEM -when 2 => 0 hit
 * > reg 4096 => mr
 * > fault call => 1 matched, 0 hit
 * > fault call off => no faults */
const struct cmd cmd_fault_call = {
	.name = "fault call",
	.family = "understanding",
	.summary = "make calls fail, or take longer",
	.args = fault_call_args,
	.exec = fault_call_exec,
};

/* -------------------------------------------------------------------- fault completion -- */

static const struct arg fault_completion_args[] = {
	POS_OPT("status", made_args, name, kind_str,
		"of the completion: RNR_RETRY_EXC_ERR; off removes all"),
	OPT("opcode", made_args, opcode, kind_str,
	    "only such requests: SEND, RDMA_WRITE, RDMA_READ"),
	OPT("qpn", made_args, qpn, kind_str, "only of this QP"), CHOICE_OPTIONS("requests"),
	ARGS_END
};

static int fault_completion_exec(struct session *s, const void *args, struct out *o)
{
	static const struct made_kind kind = { "fault completion", "wc:status=", FAULT_COMPLETION,
					       fault_completion_args, false };

	return made_exec(s, args, &kind, o);
}

/** The embedded device fails a request instead of sending it: its completion has the
 * status, the QP goes to ERR, and later requests are flushed, as when the device itself
 * has found the error. 'explain' says that it was on purpose. Without arguments the
 * command lists the rules. For other programs: UROCE_FAULT, vtrace --inject.
 * > fault completion RNR_RETRY_EXC_ERR -opcode SEND -when 5 => 0 hit
 * > fault completion off => no faults */
const struct cmd cmd_fault_completion = {
	.name = "fault completion",
	.family = "understanding",
	.summary = "make requests fail with a status",
	.args = fault_completion_args,
	.exec = fault_completion_exec,
};

/* ------------------------------------------------------------------------- fault event -- */

static const struct arg fault_event_args[] = {
	POS_OPT("event", made_args, name, kind_str, "REJECTED, UNREACHABLE, DISCONNECTED, off"),
	OPT("after", made_args, after, kind_str,
	    "so long after the beginning of the connection: 50us, 1s"),
	OPT("reason", made_args, reason, kind_str, "of a rejection (default: 28)"),
	CHOICE_OPTIONS("connections"), ARGS_END
};

static int fault_event_exec(struct session *s, const void *args, struct out *o)
{
	static const struct made_kind kind = { "fault event", "cm:", FAULT_CM, fault_event_args,
					       false };

	return made_exec(s, args, &kind, o);
}

/** Events are true: a request that is rejected, or finds nobody, is not sent. A connection that
 * is DISCONNECTED ends at both sides. Without arguments the command lists the rules. For the
 * port: fault port; for the device: fault device; for other programs: UROCE_FAULT, vtrace
 * --inject.
 * > fault event REJECTED -reason 28 -when 2 => 0 hit
 * > fault event off => no faults */
const struct cmd cmd_fault_event = {
	.name = "fault event",
	.family = "understanding",
	.summary = "make connections fail",
	.args = fault_event_args,
	.exec = fault_event_exec,
};

/* ------------------------------------------------------------- fault port, fault device -- */

static const struct word port_words[] = { { "down", IBV_EVENT_PORT_ERR,
					    "nothing is sent, or received" },
					  { "up", IBV_EVENT_PORT_ACTIVE, "as the links are" },
					  { "off", EVENTS_OFF, "removes what is to come" },
					  { 0 } };
static const struct arg fault_port_args[] = {
	POS_OPT("how", made_args, event, kind_enum, "down, up or off", .data = port_words),
	OPT("after", made_args, after, kind_str, "so long after the command: 50us, 1s"),
	OPT("device", made_args, device, kind_dev_opt, "only of this device, not of each"),
	SWITCH("add", made_args, add, "add to what is to come: down -after 1s, then up -after 3s"),
	ARGS_END
};

static int fault_port_exec(struct session *s, const void *args, struct out *o)
{
	static const struct made_kind kind = { "fault port", "event:", FAULT_EVENT, fault_port_args,
					       false };

	return made_exec(s, args, &kind, o);
}

/** Packets of this process are lost while its port is down, also those that would go
 * through memory. Programs get PORT_ERR and PORT_ACTIVE. The links of the host do the
 * same to all processes: ip link set eth0 down. Without arguments the command lists what was
 * done, and is to come; off removes both, and leaves the port as it is.
 * > fault port down => 1 hit
 * > fault port up => 1 hit
 * > fault port down -after 1000s => 0 hit
 * > fault port off => no faults */
const struct cmd cmd_fault_port = {
	.name = "fault port",
	.family = "understanding",
	.summary = "put the port down, and up again",
	.args = fault_port_args,
	.exec = fault_port_exec,
};

static const struct word fatal_words[] = { { "fatal", IBV_EVENT_DEVICE_FATAL,
					     "until the process ends" },
					   { "off", EVENTS_OFF, "removes what is to come" },
					   { 0 } };
static const struct arg fault_device_args[] = {
	POS("how", made_args, event, kind_enum, "fatal or off", .data = fatal_words),
	OPT("after", made_args, after, kind_str, "so long after the command: 50us, 1s"),
	OPT("device", made_args, device, kind_dev_opt, "only this device, not each"), ARGS_END
};

static int fault_device_exec(struct session *s, const void *args, struct out *o)
{
	static const struct made_kind kind = { "fault device", "event:", FAULT_EVENT,
					       fault_device_args, true };

	return made_exec(s, args, &kind, o);
}

/** DEVICE_FATAL: all QPs of the process go to ERR, with their requests flushed. From then on
 * objects can be destroyed, and neither made nor changed (EIO); ids of librdmacm get
 * DEVICE_REMOVAL. The device is usable in the next session. off takes back a failure that is
 * to come.
 * > fault device fatal -after 1000s => 0 hit
 * > fault device off => no faults
 * > fault device fatal => 1 hit */
const struct cmd cmd_fault_device = {
	.name = "fault device",
	.family = "understanding",
	.summary = "make the whole device fail",
	.args = fault_device_args,
	.exec = fault_device_exec,
};
