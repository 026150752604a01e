/* SPDX-License-Identifier: MIT */
/* Packets as they pass, decoded and joined to their work requests: wire on, wire off. */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "command/args.h"
#include "command/cmd.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"
#include "wire/embedded_api.h"
#include "wire/packet_join.h"
#include "wire/packet_source.h"
#include "wire/packets.h"
#include "wire/wire_on.h"
#include "alloc.h"

#define FAMILY "understanding"

struct wire {
	struct session *s;
	struct packet_source *source;
	uint64_t shown;
	bool embedded; /* its requests say what they were posted as */
	struct packet_join join;
};

/* Two devices may have given the same number. */
static const char *qp_name(struct session *s, const struct join_request *r)
{
	const struct qp *qp = obj_by_number(s, &qp_class, r->qpn);

	while (qp && r->qp && qp->o.serial != r->qp)
		qp = obj_next_number(qp);
	return qp ? qp->o.name : "a QP that is gone";
}

/* "  [wr_id 3 of qp0]", or nothing. */
static void whose(struct wire *w, const struct uroce_packet *p, const struct decoded *d, char *text,
		  size_t size)
{
	const struct join_request *r;

	*text = 0;
	if (p->has_wr_id && d->p.op)
		join_note(&w->join, d, p->qpn, p->wr_id);
	r = join_find(&w->join, d);
	if (!r && !w->embedded)
		r = join_posted(w->s, &w->join, d);
	if (r && r->known)
		snprintf(text, size, "  [wr_id %" PRIu64 " of %s]", r->wr_id, qp_name(w->s, r));
}

static void show(void *arg, const struct uroce_packet *p)
{
	struct wire *w = arg;
	time_t second = (time_t)(p->time / 1000000000);
	char text[512], request[96];
	struct decoded d;
	struct tm tm;

	if (decode_ip(&d, p->ip, p->len))
		return;
	decode_text(&d, text, sizeof text);
	whose(w, p, &d, request, sizeof request);
	localtime_r(&second, &tm);
	notice_post(w->s->notices, NOTICE_WIRE, "%02d:%02d:%02d.%06u %s %s  %s%s%s%s", tm.tm_hour,
		    tm.tm_min, tm.tm_sec, (unsigned)(p->time % 1000000000 / 1000),
		    p->out ? "->" : "<-", packet_ends(&d), text, request,
		    p->fate ? "  fault: " : "", p->fate ? p->fate : "");
	w->shown++;
}

void wire_drain(struct session *s)
{
	unsigned lost = s->ctx->wire ? packet_source_drain(s->ctx->wire->source) : 0;

	if (lost)
		notice_post(s->notices, NOTICE_WIRE, "%u packets came too fast to be shown", lost);
}

void wire_end(struct session *s)
{
	struct wire *w = s->ctx->wire;

	if (!w)
		return;
	wire_drain(s);
	packet_source_close(w->source);
	free(w);
	s->ctx->wire = NULL;
}

/* ----------------------------------------------------------------- wire on -- */

struct wire_args {
	struct dev *dev;
};

static const struct arg wire_on_args[] = {
	POS_OPT("device", wire_args, dev, kind_dev, "name as devices lists it"), ARGS_END
};

static int on_exec(struct session *s, const void *args, struct out *o)
{
	const struct wire_args *a = args;
	struct wire *w;

	(void)o;
	wire_end(s);
	w = xcalloc(1, sizeof *w);
	w->s = s;
	w->embedded = embedded_api();
	w->join.begun = posted_place();
	w->source = packet_source_open(s, "wire on", a->dev, show, w);
	if (!w->source) {
		free(w);
		return -1;
	}
	s->ctx->wire = w;
	return 0;
}

static const struct cmd_eg on_egs[] = {
	{ "wire on", NULL },
	{ "post write buf -len 8 -remote [get window addr] -rkey [get window rkey]; poll", NULL },
	{ "wire off", NULL },
	{ NULL, NULL }
};

#define SETUP                                                      \
	"reg 4096 -name window -access local-write,remote-write\n" \
	"listen 7471 -address 10.0.0.1 -accept\nconnect 10.0.0.1 7471\nreg 4096 -name buf\n"

const struct cmd cmd_wire_on = {
	.name = "wire on",
	.family = FAMILY,
	.summary = "show each packet as it passes",
	.text = "One line a packet, as notices of the kind wire: the time, -> sent or <- received,\n"
		"addresses, and what the headers say; behind it the work request that caused it,\n"
		"where that is known, and what a fault did to it. On the embedded device these are\n"
		"the packets of this process, and with both ends in it each is seen twice. On\n"
		"other devices they are taken from the network interface, which takes root, and\n"
		"what a device sends to itself may not come by there. 'wire read' has all fields.",
	.setup = SETUP,
	.examples = on_egs,
	.args = wire_on_args,
	.size = sizeof(struct wire_args),
	.exec = on_exec,
};

/* ---------------------------------------------------------------- wire off -- */

static int off_exec(struct session *s, const void *args, struct out *o)
{
	(void)args;
	if (!s->ctx->wire)
		return 0;
	wire_drain(s);
	out_u64(o, "packets", s->ctx->wire->shown, "%" PRIu64 " packets\n", s->ctx->wire->shown);
	wire_end(s);
	return 0;
}

static const struct cmd_eg off_egs[] = { { "wire on; wire off", NULL }, { NULL, NULL } };

const struct cmd cmd_wire_off = {
	.name = "wire off",
	.family = FAMILY,
	.summary = "show packets no longer",
	.text = "Ends what 'wire on' has begun, and says how many packets there were.",
	.setup = SETUP,
	.examples = off_egs,
	.exec = off_exec,
};
