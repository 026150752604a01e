/* SPDX-License-Identifier: MIT */
/* fault wire: packet loss and other wire faults on the embedded device. */
#include "fault.h"

#include <inttypes.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "device/device.h"
#include "faults/fault_made.h"
#include "out.h"
#include "session.h"

struct wire_args {
	struct num off;
	const char *chance[FATES], *delay; /* that of PASS is not used */
	const char *opcode, *qpn, *psn, *direction, *count;
	struct num seed;
	bool add;
};

static const struct word off_words[] = { { "off", 1, "removes all rules" }, { 0 } };

/* The device reads the word as a rule of its own. */
static int parse_rule_word(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	struct wire_rule rule;
	char why[256];
	SCOPED_TEXT(text);

	xappendf(&text, "%s=%s", a->name, Tcl_GetString(word));
	if (strpbrk(text_str(&text), ",;"))
		return args_bad(s, a, "'%s' is more than one word", Tcl_GetString(word));
	if (fault_read(text_str(&text), &rule, 1, why, sizeof why) < 0)
		return args_bad(s, a, "%s", why);
	return args_parse_str(s, a, word, dst);
}

static void complete_direction(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	value_append(words, "in");
	value_append(words, "out");
	value_append(words, "both");
}

static const struct arg_kind kind_rule_word = { .word = "str",
						.size = sizeof(char *),
						.parse = parse_rule_word,
						.is_static = true };
static const struct arg_kind kind_direction = { .word = "in|out|both",
						.size = sizeof(char *),
						.parse = parse_rule_word,
						.is_static = true,
						.complete = complete_direction };

static const struct arg fault_wire_args[] = {
	POS_OPT("off", wire_args, off, kind_enum, "removes all rules", .data = off_words),
#define OPT_FAULT(name_, word, lost, help) \
	OPT(#word, wire_args, chance[name_], kind_rule_word, help),
	UROCE_FAULTS(OPT_FAULT) OPT("delay", wire_args, delay, kind_rule_word,
				    "delay of each packet: 50us, 2ms, 1s"),
	OPT("opcode", wire_args, opcode, kind_rule_word,
	    "only such packets: ACK, WRITE_ONLY, 0x11"),
	OPT("qpn", wire_args, qpn, kind_rule_word, "only packets to this QP"),
	OPT("psn", wire_args, psn, kind_rule_word, "only packets with this PSN, or N-M"),
	OPT("direction", wire_args, direction, kind_direction,
	    "received packets, sent packets (default: both)"),
	OPT("count", wire_args, count, kind_rule_word, "at most this many packets"),
	OPT("seed", wire_args, seed, kind_u64, "makes the choice of packets repeatable", .min = 1),
	SWITCH("add", wire_args, add, "add to the existing rules: the first that applies decides"),
	ARGS_END
};

static bool wants_fault(const struct wire_args *a)
{
	for (enum fate fate = FIRST_FAULT; fate < FATES; fate++)
		if (a->chance[fate])
			return true;
	return a->delay;
}

void fault_wire_losses(struct text *text)
{
	const struct embedded_api *api = embedded_api();
	struct uroce_fault rules[FAULT_RULES];
	const unsigned n = api ? api->faults_get(rules, FAULT_RULES) : 0;

	for (unsigned i = 0; i < n; i++)
		if (rules[i].hits && rules[i].loses)
			xappendf(text, "%s%s, %" PRIu64 " packet%s hit", text_len(text) ? "; " : "",
				 rules[i].text, rules[i].hits, rules[i].hits == 1 ? "" : "s");
}

static void list_rules(const struct embedded_api *api, struct out *o)
{
	struct uroce_fault rules[FAULT_RULES];
	const unsigned n = api->faults_get(rules, FAULT_RULES);

	out_list(o, NULL);
	for (unsigned i = 0; i < n; i++) {
		out_dict(o, NULL);
		out_str(o, "rule", rules[i].text, "%s", rules[i].text);
		out_u64(o, "hits", rules[i].hits, "   %" PRIu64 " packets hit\n", rules[i].hits);
		out_end(o);
	}
	out_end(o);
	if (!n)
		out_text(o, "no faults\n");
}

#define OPTION_OF(name, word, lost, help) "-" #word ", "
#define ALL_OPTIONS			  UROCE_FAULTS(OPTION_OF) "-delay"

static int wire_exec(struct session *s, const void *args, struct out *o)
{
	const struct wire_args *a = args;
	const struct embedded_api *api = embedded_api();
	const bool changes = a->off.set || wants_fault(a);
	char why[256];
	SCOPED_TEXT(rule);

	fault_append_options(&rule, fault_wire_args, a, ",");
	if (a->off.set && (text_len(&rule) || a->add || a->seed.set))
		return fail(s, "fault wire", "EINVAL", "fault wire off takes no options");
	if (!changes && (text_len(&rule) || a->add || a->seed.set))
		return fail(s, "fault wire", "EINVAL",
			    "fault wire: no fault is given; there are " ALL_OPTIONS);
	if (!api) {
		fault_needs_embedded(s, "fault wire", "lose, repeat, delay or change packets");
		fail_row(s, "or", "tc-netem(8) on its interface, rxe-lab --netem in the lab");
		return -1;
	}
	if (changes && api->faults_set(text_str(&rule), a->add, a->seed.v, why, sizeof why))
		return fail(s, "fault wire", "EINVAL", "fault wire: %s", why);
	list_rules(api, o);
	return 0;
}

/** Applies to the packets of the embedded device that this process sends (-direction out)
 * and receives (in). A rule replaces the existing ones, or with -add follows them. Of
 * the rules that match a packet the first one applies whose chance hits; a rule with a
 * delay always applies. The same -seed chooses the same packets. Without options the
 * command lists the rules, and how many packets each has changed. Opcodes are those of
 * the BTH: ACK, READ_REQUEST, WRITE_ONLY, UD_SEND_ONLY, 0x11. RC recovers from lost or
 * corrupted packets: 'counters' shows how often. For a device of the kernel use tc(8)
 * or rxe-lab --netem.
 * > fault wire -drop 10% -delay 2ms -dup 1% -seed 7 => drop=10%
 * > fault wire -drop 100% -opcode ACK -count 1 => opcode=ACK
 * > fault wire -corrupt 1% -psn 5-9 -direction in -add => psn=5-9
 * > fault wire => 0 packets hit
 * > fault wire off => no faults */
const struct cmd cmd_fault_wire = {
	.name = "fault wire",
	.family = "understanding",
	.summary = "lose, repeat, delay or change packets",
	.args = fault_wire_args,
	.exec = wire_exec,
};
