/* SPDX-License-Identifier: MIT */
/* fault wire: packet loss and other wire faults on the embedded device. */
#include "fault.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "device/device.h"
#include "faults/fault_wire.h"
#include "object_make.h"
#include "objects.h"
#include "out.h"
#include "session.h"

struct fault_args {
	struct num off;
	const char *chance[FATES], *delay; /* that of PASS is not used */
	const char *match, *direction, *psn, *count;
	struct num seed;
	bool add;
};

static const struct word off_words[] = { { "off", 1, "removes all rules" }, { 0 } };

/* ------------------------------------------------------------- arguments -- */

/* Parses a value with fault_word(), which knows it by the name of the argument. */
static int parse_fault_word(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	struct uroce_fault f;
	char why[256];

	if (fault_word(a->name, Tcl_GetString(word), &f, why, sizeof why))
		return args_bad(s, a, "%s", why);
	return args_parse_str(s, a, word, dst);
}

static const struct arg_kind kind_chance = { .word = "chance",
					     .size = sizeof(char *),
					     .parse = parse_fault_word,
					     .is_static = true };
static const struct arg_kind kind_delay = { .word = "time",
					    .size = sizeof(char *),
					    .parse = parse_fault_word,
					    .is_static = true };
static const struct arg_kind kind_psns = { .word = "psn",
					   .size = sizeof(char *),
					   .parse = parse_fault_word,
					   .is_static = true };
static const struct arg_kind kind_times = { .word = "n",
					    .size = sizeof(char *),
					    .parse = parse_fault_word,
					    .is_static = true };

static void complete_direction(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	for (const char *const *w = (const char *const[]){ "in", "out", "both", NULL }; *w; w++)
		value_append(words, *w);
}

static const struct arg_kind kind_direction = { .word = "in|out|both",
						.size = sizeof(char *),
						.parse = parse_fault_word,
						.is_static = true,
						.complete = complete_direction };

static bool is_blank_or_quote(char c)
{
	return c == ' ' || c == '\''; /* ' is accepted, because people quote as in a shell */
}

/* Removes blanks from both ends of [*from, *to). */
static void strip_blanks(const char **from, const char **to)
{
	while (*from < *to && is_blank_or_quote(**from))
		++*from;
	while (*from < *to && is_blank_or_quote((*to)[-1]))
		--*to;
}

static char *copy_stripped(struct session *s, const char *from, const char *to)
{
	strip_blanks(&from, &to);
	return arena_copy0(&s->arena, from, (size_t)(to - from));
}

/* Parses the condition for packets, "opcode==ACK && psn==5-9", into *f. */
static int read_match(struct session *s, const struct arg *a, const char *text,
		      struct uroce_fault *f)
{
	static const char *const fields[] = { "opcode", "psn", "qpn", "direction", NULL };

	for (const char *part = text, *end; part; part = *end ? end + 2 : NULL) {
		const char *is = strstr(part, "=="), *const *field = fields;
		const char *key, *value;
		char why[256];

		end = strstr(part, "&&");
		if (!end)
			end = part + strlen(part);
		if (!is || is > end)
			return args_bad(s, a, "'%s' is not of the form opcode==ACK && psn==5-9",
					text);
		key = copy_stripped(s, part, is);
		value = copy_stripped(s, is + 2, end);
		while (*field && strcmp(key, *field) != 0)
			field++;
		if (!*field)
			return args_bad(s, a,
					"'%s' cannot be matched: opcode, psn, qpn, "
					"direction can",
					key);
		if (fault_word(key, value, f, why, sizeof why))
			return args_bad(s, a, "%s", why);
	}
	return 0;
}

static int parse_match(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	struct uroce_fault f;

	return read_match(s, a, Tcl_GetString(word), &f) ? -1 : args_parse_str(s, a, word, dst);
}

static const struct arg_kind kind_match = { .word = "condition",
					    .size = sizeof(char *),
					    .parse = parse_match,
					    .is_static = true };

static const struct arg fault_wire_args[] = {
	POS_OPT("off", fault_args, off, kind_enum, "removes all rules", .data = off_words),
#define OPT_FAULT(name_, word, lost, netem, help) \
	OPT(#word, fault_args, chance[name_], kind_chance, help),
	UROCE_FAULTS(OPT_FAULT)
		OPT("delay", fault_args, delay, kind_delay, "delay of each packet: 50us, 2ms, 1s"),
	OPT("match", fault_args, match, kind_match,
	    "only matching packets: opcode==ACK && qpn==17"),
	OPT("direction", fault_args, direction, kind_direction,
	    "received packets, sent packets (default: both)"),
	OPT("psn", fault_args, psn, kind_psns, "only packets with this PSN, or N-M"),
	OPT("count", fault_args, count, kind_times, "at most this many packets"),
	OPT("seed", fault_args, seed, kind_u64, "makes the choice of packets repeatable", .min = 1),
	SWITCH("add", fault_args, add, "add to the existing rules: the first that applies decides"),
	ARGS_END
};

/* ------------------------------------------------- devices of the kernel -- */

static bool wants_fault(const struct fault_args *a)
{
	for (enum fate fate = FIRST_FAULT; fate < FATES; fate++)
		if (a->chance[fate])
			return true;
	return a->delay;
}

static void append_netem(struct text *d, const char *word, const char *value)
{
	if (!word || !value)
		return;
	text_add(d, text_len(d) ? " " : "");
	text_add(d, word);
	text_add(d, " ");
	text_add(d, value);
}

/* The same rule for tc netem: "loss 10% delay 2ms"; empty if netem does not have the fault. */
static const char *netem_words(struct session *s, const struct fault_args *a)
{
	SCOPED_TEXT(d);

	for (enum fate fate = FIRST_FAULT; fate < FATES; fate++)
		append_netem(&d, fault_kinds[fate].netem, a->chance[fate]);
	append_netem(&d, "delay", a->delay);
	if (!wants_fault(a))
		text_add(&d, "loss 10%");
	return arena_copy0(&s->arena, text_str(&d), text_len(&d));
}

static int not_embedded(struct session *s, const struct fault_args *a)
{
	struct dev *dev = dev_default(s);
	const char *netem = netem_words(s, a);
	SCOPED_GIDS(rows);
	const struct gid_row *best;
	int n;

	if (!dev)
		return -1;
	n = gid_table(dev, 1, &rows);
	best = gid_best(rows, n);
	fail(s, "fault wire", "EOPNOTSUPP",
	     "fault wire: rdmash cannot change the packets of %s, a device of the kernel (EOPNOTSUPP)",
	     dev->o.name);
	fail_row(s, "instead", "rdmash --device " UROCE_DEVICE ": works on the embedded device");
	if (!*netem)
		return -1;
	fail_row(s, "in the lab", "rxe-lab pair --netem '%s' SERVER CLIENT", netem);
	if (best && *best->netdev)
		fail_row(s, "as root", "tc qdisc add dev %s root netem %s", best->netdev, netem);
	return -1;
}

/* ------------------------------------------------------------------- run -- */

/* Adds "key=value" to the rule; value may be NULL. */
static int set_word(struct session *s, struct uroce_fault *f, const char *key, const char *value)
{
	char why[256];

	if (value && fault_word(key, value, f, why, sizeof why))
		return fail(s, "fault wire", "EINVAL", "fault wire: %s", why);
	return 0;
}

static int build_rule(struct session *s, const struct fault_args *a, struct uroce_fault *f)
{
	const struct arg *match = fault_wire_args;

	*f = (struct uroce_fault){ .opcode = -1, .psn = -1 };
	while (strcmp(match->name, "match") != 0)
		match++;
	if (a->match && read_match(s, match, a->match, f))
		return -1;
	for (enum fate fate = FIRST_FAULT; fate < FATES; fate++)
		if (set_word(s, f, fault_kinds[fate].name, a->chance[fate]))
			return -1;
	if (set_word(s, f, "delay", a->delay) || set_word(s, f, "psn", a->psn) ||
	    set_word(s, f, "direction", a->direction) || set_word(s, f, "count", a->count))
		return -1;
	return 0;
}

static int add_rule(struct session *s, const struct embedded_api *api, const struct fault_args *a)
{
	struct uroce_fault rules[FAULT_RULES];
	uint64_t hits[FAULT_RULES];
	unsigned n = a->add ? api->faults_get(rules, hits, FAULT_RULES) : 0;

	if (n >= FAULT_RULES)
		return fail(s, "fault wire", "ENOSPC", "fault wire: there are %d rules already",
			    FAULT_RULES);
	if (!a->off.set && build_rule(s, a, &rules[n++]))
		return -1;
	if (api->faults_set(rules, a->off.set ? 0 : n, a->seed.v))
		return fail_call(s, errno, "uroce_faults_set", "%u rules", n);
	return 0;
}

static void out_chance(struct out *o, const char *key, double p)
{
	if (p > 0)
		out_double(o, key, p, "  %s %g%%", key, p * 100);
}

static void rule_out(struct out *o, struct uroce_fault *f, uint64_t hits)
{
	static const char *const directions[] = { "both", "out", "in", "both" };
	const struct opcode *op = f->opcode >= 0 ? opcode_find((uint8_t)f->opcode) : NULL;

	out_dict(o, NULL);
	out_str(o, "direction", directions[f->direction & 3], "%-4s", directions[f->direction & 3]);
	if (op)
		out_str(o, "opcode", op->name, "  %s", op->name);
	else if (f->opcode >= 0)
		out_int(o, "opcode", f->opcode, "  opcode 0x%02x", (unsigned)f->opcode);
	if (f->qpn)
		out_u64(o, "qpn", f->qpn, "  qpn %" PRIu32, f->qpn);
	if (f->psn >= 0) {
		uint32_t last = ((uint32_t)f->psn + f->psn_more) & PSN_MASK;

		out_int(o, "psn", f->psn, "  psn %" PRId64, f->psn);
		out_u64(o, "psn_last", last, NULL);
		if (f->psn_more)
			out_text(o, "-%" PRIu32, last);
	}
	for (enum fate fate = FIRST_FAULT; fate < FATES; fate++)
		out_chance(o, fault_kinds[fate].name, *fault_chance(f, fate));
	if (f->delay_us)
		out_u64(o, "delay_us", f->delay_us, "  delay %g ms", f->delay_us / 1000.);
	if (f->count)
		out_u64(o, "count", f->count, "  at most %" PRIu64, f->count);
	out_u64(o, "hits", hits, "   %" PRIu64 " packets hit\n", hits);
	out_end(o);
}

void fault_wire_losses(struct text *text)
{
	const struct embedded_api *api = embedded_api();
	struct uroce_fault rules[FAULT_RULES];
	uint64_t hits[FAULT_RULES];
	const unsigned n = api ? api->faults_get(rules, hits, FAULT_RULES) : 0;

	for (unsigned i = 0; i < n; i++) {
		SCOPED_TEXT(rule);

		for (enum fate fate = FIRST_FAULT; fate < FATES; fate++)
			if (fault_kinds[fate].lost && *fault_chance(&rules[i], fate) > 0)
				xappendf(&rule, "%s %g%%, ", fault_kinds[fate].name,
					 *fault_chance(&rules[i], fate) * 100);
		if (rules[i].delay_us)
			xappendf(&rule, "delay %g ms, ", rules[i].delay_us / 1000.);
		if (hits[i] && text_len(&rule))
			xappendf(text, "%s%s%" PRIu64 " packet%s hit", text_len(text) ? "; " : "",
				 text_str(&rule), hits[i], hits[i] == 1 ? "" : "s");
	}
}

#define OPTION_OF(name, word, lost, netem, help) "-" #word ", "
#define ALL_OPTIONS				 UROCE_FAULTS(OPTION_OF) "-delay"

static int fault_exec(struct session *s, const void *args, struct out *o)
{
	const struct fault_args *a = args;
	const struct embedded_api *api = embedded_api();
	bool which = a->match || a->psn || a->direction || a->count || a->add || a->seed.set;
	struct uroce_fault rules[FAULT_RULES];
	uint64_t hits[FAULT_RULES];
	unsigned n;

	if (a->off.set && (wants_fault(a) || which))
		return fail(s, "fault wire", "EINVAL", "fault wire off takes no options");
	if (which && !wants_fault(a))
		return fail(s, "fault wire", "EINVAL",
			    "fault wire: no fault is given; there are " ALL_OPTIONS);
	if (!api)
		return not_embedded(s, a);
	if ((a->off.set || wants_fault(a)) && add_rule(s, api, a))
		return -1;
	n = api->faults_get(rules, hits, FAULT_RULES);
	out_list(o, NULL);
	for (unsigned i = 0; i < n; i++)
		rule_out(o, &rules[i], hits[i]);
	out_end(o);
	if (!n)
		out_text(o, "no faults\n");
	return 0;
}

/** Applies to the packets of the embedded device that this process sends (-direction out)
 * and receives (in). A rule replaces the existing ones, or with -add follows them. Of
 * the rules that match a packet the first one applies whose chance hits; a rule with a
 * delay always applies. The same -seed chooses the same packets. Without options the
 * command lists the rules, and how many packets each has changed. The opcodes of -match
 * are those of the BTH: ACK, READ_REQUEST, WRITE_ONLY, UD_SEND_ONLY, 0x11; conditions
 * are joined by &&. RC recovers from lost or corrupted packets: 'counters' shows how
 * often. For a device of the kernel use tc(8) or rxe-lab --netem.
 * > fault wire -drop 10% -delay 2ms -dup 1% -seed 7 => drop 10%
 * > fault wire -drop 100% -match {opcode==ACK} -count 1 => RC_ACK
 * > fault wire -corrupt 1% -psn 5-9 -direction in -add => psn 5-9
 * > fault wire => 0 packets hit
 * > fault wire off => no faults */
const struct cmd cmd_fault_wire = {
	.name = "fault wire",
	.family = "understanding",
	.summary = "lose, repeat, delay or change packets",
	.args = fault_wire_args,
	.exec = fault_exec,
};
