/* SPDX-License-Identifier: MIT */
/* What the device has counted: counters, counters around. */
#include <inttypes.h>

#include "alloc.h"
#include "command/args.h"
#include "command/cmd.h"
#include "data/post.h"
#include "language/script.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"
#include "wire/tally.h"

#define UNDERSTANDING "understanding"

struct counters_args {
	struct dev *dev;
	struct num port;
	bool all;
	Tcl_Obj *body;
};

static int check_port(struct session *s, const struct counters_args *a)
{
	unsigned ports = a->dev->attr.orig_attr.phys_port_cnt;

	if (a->port.v <= ports)
		return 0;
	return fail(s, "counters", "EINVAL", "-port %u: %s has %u", (unsigned)a->port.v,
		    a->dev->o.name, ports);
}

/* All are in the value; those that are zero are printed only when all shall be. before: NULL,
 * or what is subtracted. */
static void tally_out(struct out *o, const struct tally *t, const struct tally *before, bool all)
{
	unsigned shown = 0;

	for (size_t i = 0; i < t->n; i++) {
		const char *name = t->rows[i].name;
		int64_t v = (int64_t)(t->rows[i].value - (before ? tally_value(before, name) : 0));

		if (v == 0 && !all) {
			out_int(o, name, v, NULL);
			continue;
		}
		out_int(o, name, v, before ? "  %-28s %+" PRId64 "\n" : "  %-28s %" PRId64 "\n",
			name, v);
		shown++;
	}
	if (!shown)
		out_text(o, before ? "  nothing was counted\n" : "  all zero\n");
}

/* --------------------------------------------------------------- counters -- */

static const struct arg counters_arg_table[] = {
	POS_OPT("device", counters_args, dev, kind_dev, "name as devices lists it"),
	OPT("port", counters_args, port, kind_u8, "port of the device", .dflt = "1", .min = 1),
	SWITCH("all", counters_args, all, "print those too that are zero"), ARGS_END
};

static int counters_exec(struct session *s, const void *args, struct out *o)
{
	const struct counters_args *a = args;
	struct tally *t = arena_alloc(&s->arena, sizeof *t);

	if (check_port(s, a) || tally_read(s, a->dev, (unsigned)a->port.v, t))
		return -1;
	tally_out(o, t, NULL, a->all);
	return 0;
}

static const struct cmd_eg counters_egs[] = { { "counters -all", "duplicate_request" },
					      { "dict get [counters] sent_pkts", NULL },
					      { NULL, NULL } };

const struct cmd cmd_counters = {
	.name = "counters",
	.family = UNDERSTANDING,
	.summary = "what a device has counted: packets, retries, errors",
	.text = "The counters of the driver (hw_counters) and of the port, as a dict. Of the\n"
		"embedded device they are those of this process, named as rdma_rxe names them, and\n"
		"some more: bad_... for packets that it refused, fault_... for those that 'fault\n"
		"wire' hit. What the names stand for is told by the driver's manual; on rxe\n"
		"completer_retry_err are time-outs, duplicate_request and out_of_seq_request are\n"
		"what the peer sent twice, or sent although something before it was lost.",
	.examples = counters_egs,
	.args = counters_arg_table,
	.size = sizeof(struct counters_args),
	.flags = CMD_NO_RECORD,
	.exec = counters_exec,
};

/* -------------------------------------------------------- counters around -- */

static const struct arg around_arg_table[] = {
	POS("body", counters_args, body, kind_script, "what to run"),
	OPT("device", counters_args, dev, kind_dev, "name as devices lists it"),
	OPT("port", counters_args, port, kind_u8, "port of the device", .dflt = "1", .min = 1),
	SWITCH("all", counters_args, all, "print those too that have not changed"), ARGS_END
};

static int around_exec(struct session *s, const void *args, struct out *o)
{
	const struct counters_args *a = args;
	struct tally *before = arena_alloc(&s->arena, sizeof *before);
	struct tally *after = arena_alloc(&s->arena, sizeof *after);
	int rc;

	if (check_port(s, a) || tally_read(s, a->dev, (unsigned)a->port.v, before))
		return -1;
	rc = script_body(s, a->body);
	if (rc != TCL_OK)
		return rc == TCL_ERROR ? -1 : rc;
	Tcl_ResetResult(s->tcl);
	if (obj_gone(a->dev))
		return fail(s, "counters around", "ENODEV", "the body has closed the device");
	if (tally_read(s, a->dev, (unsigned)a->port.v, after))
		return -1;
	tally_out(o, after, before, a->all);
	return 0;
}

static const struct cmd_eg around_egs[] = {
	{ "counters around { post write buf -len 8 -remote [get window addr] "
	  "-rkey [get window rkey]; poll }",
	  "sent_pkts" },
	{ "dict get [counters around { sleep 1ms }] retry_exceeded_err", "0" },
	{ NULL, NULL }
};

const struct cmd cmd_counters_around = {
	.name = "counters around",
	.family = UNDERSTANDING,
	.summary = "how the counters change while a script runs",
	.text = "Reads the counters, runs the body, and reads them again: the differences, as a\n"
		"dict that has all counters. What the body's commands have to say is printed as if\n"
		"they were typed one by one. Where both ends are in this session and on one\n"
		"device, both are counted; so is what other programs do meanwhile.",
	.setup = POST_SETUP,
	.examples = around_egs,
	.args = around_arg_table,
	.size = sizeof(struct counters_args),
	.flags = CMD_EVALS,
	.exec = around_exec,
};
