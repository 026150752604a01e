/* SPDX-License-Identifier: MIT */
/* Ids made and adjusted by hand: cm create, option. Events of an id made here are not answered
 * automatically. */
#include "call/calling.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "live_context.h"
#include "object_args.h"
#include "session.h"
#include "words.h"

/* --------------------------------------------------------------- cm create -- */

struct create_args {
	struct num ps;
	bool hold;
	const char *name;
};

static const struct arg create_args[] = {
	OPT("ps", create_args, ps, kind_enum, "port space", .data = ps_words, .dflt = "TCP"),
	SWITCH("hold", create_args, hold, "acknowledge its events only by 'cm ack'"),
	OPT("name", create_args, name, kind_str, "name of the object"), ARGS_END
};

static int create_exec(struct session *s, const void *args, struct out *o)
{
	const struct create_args *a = args;
	struct id *id = id_make(s, a->name, (enum rdma_port_space)a->ps.v);

	if (!id)
		return -1;
	id->stepping = true;
	id->hold = a->hold;
	s->ctx->id = id;
	return obj_out(s, id, o);
}

/** An id is to RDMA what a socket is to TCP. It has no device until it is bound or
 * an address is resolved, and it is used for one connection. Its events arrive on its
 * event channel. The shell does not answer events of an id made by this command: a peer
 * that disconnects waits for your cm disconnect. With -hold its events are not
 * acknowledged either: see cm ack.
 * > cm create -name first => id first
 * > cm create -ps UDP => PS_UDP */
const struct cmd cmd_cm_create = {
	.name = "cm create",
	.family = "connection, step by step",
	.summary = "create a connection id",
	.calls = "rdma_create_id(3)",
	.args = create_args,
	.exec = create_exec,
};

/* --------------------------------------------------------------- cm option -- */

struct option_args {
	struct id *id;
	struct num tos, ack;
};

static const struct arg option_args[] = {
	POS_OPT("id", option_args, id, kind_id, "connection id"),
	OPT("tos", option_args, tos, kind_u8, "type of service (DSCP in the upper 6 bits)"),
	OPT("ack-timeout", option_args, ack, kind_u8, "local ACK timeout of its QP: 4.096 us * 2^n",
	    .max = 31),
	ARGS_END
};

static int set_option(struct session *s, struct id *id, const char *name, int opt,
		      const struct num *value, struct out *o)
{
	uint8_t byte = (uint8_t)value->v;

	if (!value->set)
		return 0;
	if (rdma_set_option(id->v, RDMA_OPTION_ID, opt, &byte, sizeof byte)) {
		call_fail(s, "%s %s %u", id->o.name, name, byte);
		return fail_row(s, "state", "%s is %s; options are set before it is bound",
				id->o.name, word_name(id_state_words, id->state));
	}
	out_int(o, name, byte, "%s: %s %u\n", id->o.name, name, byte);
	return 0;
}

static int cm_option_exec(struct session *s, const void *args, struct out *o)
{
	const struct option_args *a = args;

	if (!a->tos.set && !a->ack.set)
		return fail(s, "args", "MISSING",
			    "cm option: nothing to set: give -tos or -ack-timeout");
	if (set_option(s, a->id, "tos", RDMA_OPTION_ID_TOS, &a->tos, o))
		return -1;
	return set_option(s, a->id, "ack_timeout", RDMA_OPTION_ID_ACK_TIMEOUT, &a->ack, o);
}

/** The ACK timeout is used when the id connects or accepts: it decides how long a lost packet
 * stalls.
 * > cm option -tos 0x20 => tos 32
 * > cm option -ack-timeout 16 => ack_timeout 16 */
const struct cmd cmd_cm_option = {
	.name = "cm option",
	.family = "connection, step by step",
	.summary = "set options of a connection id",
	.calls = "rdma_set_option(3)",
	.setup = "cm create",
	.args = option_args,
	.exec = cm_option_exec,
};
