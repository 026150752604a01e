/* SPDX-License-Identifier: MIT */
/* timeline: what both ends did, in order. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/args.h"
#include "command/cmd.h"
#include "file/save.h"
#include "output/out.h"
#include "peer/peer.h"
#include "session.h"
#include "timeline/ladder.h"
#include "timeline/timeline.h"

enum { HOW_OFF, HOW_ON, HOW_CLEAR };

static const struct word hows[] = { { "off", HOW_OFF, "nothing is noted any more" },
				    { "on", HOW_ON, "note calls, events, packets and states" },
				    { "clear", HOW_CLEAR, "forget what was noted" },
				    { 0 } };

struct timeline_args {
	struct num how, last, width;
	const char *qp, *svg;
	bool raw, force;
};

static const struct arg timeline_args[] = {
	POS_OPT("how", timeline_args, how, kind_enum, "on, off or clear (default: show it)",
		.data = hows),
	OPT("last", timeline_args, last, kind_u32, "only so many rows", .min = 1, .max = 1u << 20),
	OPT("qp", timeline_args, qp, kind_str, "only what is about this QP, by its name"),
	OPT("width", timeline_args, width, kind_u32, "columns (default: those of the terminal)",
	    .min = 60, .max = 1000),
	OPT("svg", timeline_args, svg, kind_path, "draw it into this file"),
	SWITCH("force", timeline_args, force, "replace a file that is there"),
	SWITCH("raw", timeline_args, raw, "the entries of this end as they were noted"),
	ARGS_END,
};

static void tell_peers(struct session *s, uint64_t how)
{
	struct obj *o;

	obj_foreach(o, s)
		if (o->class == &peer_class && ((struct peer *)o)->state == PEER_READY &&
		    !peer_busy((struct peer *)o))
			timeline_peer((struct peer *)o, hows[how].name);
}

static int set(struct session *s, uint64_t how, struct out *o)
{
	int rc = 0;

	switch (how) {
	case HOW_ON:
		rc = timeline_on(s, true);
		break;
	case HOW_OFF:
		timeline_off(s);
		break;
	case HOW_CLEAR:
		timeline_clear(s);
		break;
	}
	if (rc)
		out_text(o, "no packets will be seen: %s\n", s->fail.text);
	fail_clear(&s->fail);
	tell_peers(s, how);
	return 0;
}

static void rows_out(const struct ladder *l, struct out *o)
{
	out_list(o, NULL);
	for (unsigned i = 0; i < l->n; i++) {
		const struct ladder_row *r = &l->rows[i];
		bool packet = r->kind == LADDER_PACKET;

		out_dict(o, NULL);
		out_double(o, "ms", ladder_ms(l, r), NULL);
		out_int(o, "wall", r->when, NULL);
		out_str(o, "kind", ladder_words[r->kind], NULL);
		out_str(o, "lane", l->lanes[r->from].label, NULL);
		out_str(o, "to", packet && r->to >= 0 ? l->lanes[r->to].label : "", NULL);
		out_str(o, "name", r->name, NULL);
		out_str(o, "text", r->text, NULL);
		out_str(o, "result", r->result ? r->result : "", NULL);
		out_bool(o, "bad", r->bad, NULL);
		if (packet) {
			out_bool(o, "arrived", r->arrived, NULL);
			out_str(o, "fault", r->fate ? r->fate : "", NULL);
		}
		out_end(o);
	}
	out_end(o);
}

static int draw(struct session *s, const struct ladder *l, const char *path, bool force,
		struct out *o)
{
	Tcl_DString d;
	int rc;

	Tcl_DStringInit(&d);
	ladder_svg(l, true, &d);
	rc = save_file(s, path, force, 0644, Tcl_DStringValue(&d), (size_t)Tcl_DStringLength(&d));
	Tcl_DStringFree(&d);
	if (rc == 0)
		out_text(o, "%u rows in %s\n", l->n, path);
	return rc;
}

static int timeline_exec(struct session *s, const void *args, struct out *o)
{
	const struct timeline_args *a = args;
	struct ladder l;
	int rc = 0;

	if (a->how.set)
		return set(s, a->how.v, o);
	timeline_drain(s);
	if (a->raw) {
		l = (struct ladder){ 0 };
		ladder_add_own(s, &l);
		ladder_rows_out(&l, o);
		ladder_free(&l);
		return 0;
	}
	ladder_make(s, &(struct ladder_how){ .last = (unsigned)a->last.v, .qp = a->qp }, &l);
	if (!l.n) {
		fail(s, "timeline", "NOTHING", "%s",
		     timeline_is_on(s) ? "nothing was noted yet" : "nothing was noted: it is off");
		if (!timeline_is_on(s))
			fail_next(s, "timeline on");
		ladder_free(&l);
		return -1;
	}
	rows_out(&l, o);
	if (a->svg)
		rc = draw(s, &l, a->svg, a->force, o);
	else
		ladder_print(s, &l, (unsigned)a->width.v, o);
	ladder_free(&l);
	return rc;
}

static const struct cmd_eg timeline_egs[] = {
	{ "timeline on", NULL },
	{ "listen 7471 -address 10.0.0.1 -accept; connect 10.0.0.1 7471", NULL },
	{ "post send buf -len 5 -inline; sleep 50", NULL },
	{ "timeline", "rdma_connect" },
	{ "timeline -last 8", NULL },
	{ "timeline -qp qp0", "ibv_post_send" },
	{ "timeline clear", NULL },
	{ "timeline off", NULL },
	{ NULL, NULL },
};

const struct cmd cmd_timeline = {
	.name = "timeline",
	.family = "understanding",
	.summary = "what both ends did, in order, packets as arrows",
	.text = "One line down the page for each end, with what happened there to the right of it:\n"
		"calls of the libraries, events, completions when they were taken, states of QPs.\n"
		"Packets are arrows between them, with opcode and PSN; an X at the tip: it was lost.\n"
		"Times are milliseconds since the first row. In one process the client is on the\n"
		"left; each peer (see 'peer') has a lane of its own, by its own clock.\n"
		"\n"
		"At the prompt it is on from the start; 'timeline on' in a script. The last 4096\n"
		"entries are kept. The packets of the embedded device are always there; those of\n"
		"another device come from the network interface, which takes root and 'timeline on'.\n"
		"What bench does is left out. The value is a list of dicts. 'report' makes a page.",
	.setup = "reg 4096 -name buf",
	.examples = timeline_egs,
	.args = timeline_args,
	.size = sizeof(struct timeline_args),
	.flags = CMD_NO_RECORD,
	.exec = timeline_exec,
};
