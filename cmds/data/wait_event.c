/* SPDX-License-Identifier: MIT */
/* wait event: the next event of that name on a connection id. */
#include "command/cmd.h"
#include "connection/cm_id.h"
#include "output/out.h"
#include "session.h"
#include "words.h"

struct event_args {
	struct num name, within;
	struct id *id;
};

static const struct arg event_args[] = {
	POS("event", event_args, name, kind_enum, "name of the event", .data = cm_event_words),
	OPT("id", event_args, id, kind_id, "connection id; left out: the current one"),
	OPT("within", event_args, within, kind_ms, "how long to wait for it", .dflt = "5000"),
	ARGS_END
};

static int exec(struct session *s, const void *args, struct out *o)
{
	const struct event_args *a = args;
	struct cm_event ev;

	if (cm_await(s, a->id, "wait event", (enum rdma_cm_event_type)a->name.v, a->within.v, &ev))
		return -1;
	out_str(o, "event", word_name(cm_event_words, ev.type), "%s  %s", a->id->o.name,
		word_name(cm_event_words, ev.type));
	out_str(o, "id", a->id->o.name, NULL);
	out_int(o, "status", ev.status, "  status %s", cm_status_text(a->id, &ev));
	out_bytes(o, "private_data", ev.data, ev.len);
	out_text(o, "\n");
	return 0;
}

static const struct cmd_eg event_egs[] = { { "cm create", NULL },
					   { "cm resolve-addr 10.0.0.1 7471 -nowait", NULL },
					   { "wait event ADDR_RESOLVED", "ADDR_RESOLVED" },
					   { NULL, NULL } };

const struct cmd cmd_wait_event = {
	.name = "wait event",
	.family = "connection, in one go",
	.summary = "wait for an event of the connection manager",
	.text = "Events of other names that came before are passed over; one that ends the\n"
		"attempt (REJECTED when you wait for ESTABLISHED) fails at once and says why.",
	.calls = "rdma_get_cm_event(3)",
	.examples = event_egs,
	.args = event_args,
	.size = sizeof(struct event_args),
	.exec = exec,
};
