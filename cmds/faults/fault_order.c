/* SPDX-License-Identifier: MIT */
/* fault order: the embedded device does early or late whatever the specification lets it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "device/device.h"
#include "fault_rule.h"
#include "faults/fault_made.h"
#include "out.h"
#include "session.h"

struct order_args {
	const char *seed;
	bool far;
};

/* "off", or a number from 1 on. */
static bool read_seed(const char *word, uint64_t *seed)
{
	*seed = 0;
	return strcmp(word, "off") == 0 || (fault_read_number(word, UINT64_MAX, seed) && *seed);
}

static int parse_seed(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	uint64_t seed;

	if (!read_seed(Tcl_GetString(word), &seed))
		return args_bad(s, a, "'%s' is neither a seed from 1 to 2^64-1 nor off",
				Tcl_GetString(word));
	return args_parse_str(s, a, word, dst);
}

static void complete_seed(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	value_append(words, "off");
}

static const struct arg_kind kind_order_seed = { .word = "seed",
						 .size = sizeof(const char *),
						 .parse = parse_seed,
						 .is_static = true,
						 .complete = complete_seed };

static const struct arg order_args[] = {
	POS_OPT("seed", order_args, seed, kind_order_seed, "chooses what is done; off ends it"),
	SWITCH("far", order_args, far,
	       "data of a WRITE are seen only where the specification promises it"),
	ARGS_END
};

static void order_out(struct out *o, const struct uroce_order *order)
{
	static const char *const levels[] = { "off", "near", "far" };
	const char *level = levels[order->level <= 2 ? order->level : 0];

	out_dict(o, NULL);
	out_str(o, "level", level, "order %s", level);
	if (order->level) {
		out_u64(o, "seed", order->seed, "  seed %" PRIu64, order->seed);
		out_u64(o, "pieces", order->pieces, "\n  %" PRIu64 " pieces of messages late",
			order->pieces);
		out_u64(o, "requests", order->requests, ", %" PRIu64 " requests", order->requests);
		out_u64(o, "repeated", order->repeated, " (%" PRIu64 " sent again)",
			order->repeated);
		out_u64(o, "completions", order->completions, ", %" PRIu64 " completions",
			order->completions);
		out_u64(o, "events", order->events, ", %" PRIu64 " events", order->events);
	}
	out_text(o, "\n");
	out_end(o);
}

static int order_exec(struct session *s, const void *args, struct out *o)
{
	const struct order_args *a = args;
	const struct embedded_api *api = embedded_api();
	struct uroce_order order;
	uint64_t seed = 0;

	if (a->seed)
		read_seed(a->seed, &seed);
	if (a->far && !seed)
		return fail(s, "fault order", "EINVAL", "fault order: -far needs a seed");
	if (!api)
		return fault_needs_embedded(s, "fault order",
					    "choose when it does what it must do");
	if (a->seed && api->order_set(seed, seed ? a->far ? 2 : 1 : 0))
		return fail_call(s, errno, "uroce_order_set", "%" PRIu64, seed);
	api->order_get(&order);
	order_out(o, &order);
	return 0;
}

/** Makes the embedded device as unkind as the specification allows, to programs of this process:
 * what is right then is right on any device. The bytes of a message come to memory in pieces, often
 * the last one first, but all of them before the ACK; memory of requests is read late;
 * completions come late, in lumps, and those of different queues mixed; a place of the send
 * queue is free when its completion was polled, and no sooner. With -far the data of a WRITE
 * are there only when a receive of that QP completes, or an atomic or READ of it has looked.
 * The same seed makes the same choices. Without a seed the command says how often something
 * was late. For other programs: UROCE_ORDER, uroce --order-seeds. See docs/order.md.
 * > fault order 7 => order near
 * > fault order 7 -far => order far
 * > fault order => completions
 * > fault order off => order off */
const struct cmd cmd_fault_order = {
	.name = "fault order",
	.family = "understanding",
	.summary = "a device as unkind as the specification allows",
	.args = order_args,
	.exec = order_exec,
};
