/* SPDX-License-Identifier: MIT */
/* timeline: turns the recording of packets on and off, and shows what both ends did. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "call_record.h"
#include "command/cmd.h"
#include "device/device.h"
#include "file/file.h"
#include "live_context.h"
#include "object_make.h"
#include "out.h"
#include "own_rows.h"
#include "packets.h"
#include "peer/peer.h"
#include "session.h"
#include "ladder.h"
#include "timeline/timeline.h"
#include "wire/wire.h"

#define PEER_MS 5000

struct timeline {
	struct packet_source *source; /* NULL: packets are not recorded */
	struct packets *packets;
	bool on, paused;
	uint64_t lost; /* packets that came too fast */
	struct span {
		uint64_t from, to; /* ticks; to UINT64_MAX: the timeline is still on */
	} * spans;
	unsigned nspans;
};

/* -------------------------------------------------------------- packets -- */

static void on_packet(void *arg, const struct uroce_packet *p)
{
	const struct timeline *t = arg;

	if (!t->paused)
		packets_add(t->packets, p);
}

const struct packets *timeline_packets(const struct session *s)
{
	return s->ctx->timeline ? s->ctx->timeline->packets : NULL;
}

uint64_t timeline_lost_packets(const struct session *s)
{
	const struct timeline *t = s->ctx->timeline;

	return t ? t->lost + packets_lost(t->packets) : 0;
}

void timeline_drain(struct session *s)
{
	struct timeline *t = s->ctx->timeline;
	unsigned lost = t && t->source ? packet_source_drain(t->source) : 0;
	char *text;

	if (!lost)
		return;
	t->lost += lost;
	text = xasprintf("%u packets came too fast to be recorded", lost);
	own_notice(text, true);
	free(text);
}

void timeline_pause(struct session *s, bool on)
{
	struct timeline *t = s->ctx->timeline;

	if (!t || !embedded_api())
		return;
	if (on)
		timeline_drain(s);
	t->paused = on;
	if (t->source) /* the timeline may have been turned off and on meanwhile */
		packet_source_pause(t->source, on);
}

/* Starts to record packets: of the embedded device always, of another one only if from_netdev. */
static int watch_packets(struct session *s, struct timeline *t, bool from_netdev)
{
	struct dev *dev = NULL;

	if (t->source || (!embedded_api() && !from_netdev))
		return 0;
	if (!embedded_api()) {
		dev = dev_default(s);
		if (!dev)
			return -1;
	}
	t->source = packet_source_open(s, "timeline on", dev, on_packet, t);
	return t->source ? 0 : -1;
}

/* ------------------------------------------------------------------- on and off -- */

bool timeline_is_on(const struct session *s)
{
	return s->ctx && s->ctx->timeline && s->ctx->timeline->on;
}

bool timeline_has(const struct session *s, uint64_t when)
{
	const struct timeline *t = s->ctx->timeline;

	for (unsigned i = 0; t && i < t->nspans; i++)
		if (when >= t->spans[i].from && when <= t->spans[i].to)
			return true;
	return false;
}

uint64_t timeline_since(const struct session *s)
{
	const struct timeline *t = s->ctx->timeline;

	return t && t->nspans ? t->spans[0].from : UINT64_MAX;
}

static void begin_span(struct timeline *t)
{
	t->spans = xgrow(t->spans, t->nspans, sizeof *t->spans);
	t->spans[t->nspans++] = (struct span){ record_time(), UINT64_MAX };
	t->on = true;
}

/* Begins or continues. packets: records those of a network interface, too. -1 with s->fail filled:
 * packets cannot be recorded, but the rest is. */
static int begin_timeline(struct session *s, bool packets)
{
	struct timeline *t = s->ctx->timeline;

	if (!t) {
		t = s->ctx->timeline = xcalloc(1, sizeof *t);
		t->packets = packets_new();
	}
	if (!t->on)
		begin_span(t);
	return watch_packets(s, t, packets);
}

static void stop_timeline(struct session *s)
{
	struct timeline *t = s->ctx->timeline;

	if (!t)
		return;
	timeline_drain(s);
	if (t->on)
		t->spans[t->nspans - 1].to = record_time();
	t->on = false;
	if (t->source)
		packet_source_close(t->source);
	t->source = NULL;
}

/* Forgets the spans before now. */
static void clear_timeline(struct session *s)
{
	struct timeline *t = s->ctx->timeline;

	if (!t)
		return;
	timeline_drain(s);
	packets_free(t->packets);
	t->packets = packets_new();
	t->nspans = 0;
	if (t->on)
		begin_span(t);
}

void timeline_begin(struct session *s)
{
	begin_timeline(s, false);
}

void timeline_end(struct session *s)
{
	struct timeline *t = s->ctx->timeline;

	if (!t)
		return;
	stop_timeline(s);
	packets_free(t->packets);
	free(t->spans);
	free(t);
	s->ctx->timeline = NULL;
}

void timeline_peer(struct peer *p, const char *how)
{
	Tcl_Obj *value = peer_ask(p, temp_text("timeline %s", how), PEER_MS);

	if (value) { /* frees it: it is not needed */
		Tcl_IncrRefCount(value);
		Tcl_DecrRefCount(value);
	}
}

/* ------------------------------------------------------------------- the command -- */

enum { HOW_OFF, HOW_ON, HOW_CLEAR };

static const struct word hows[] = { { "off", HOW_OFF, "stop recording" },
				    { "on", HOW_ON, "record calls, events, packets and states" },
				    { "clear", HOW_CLEAR, "forget what was recorded" },
				    { 0 } };

struct timeline_args {
	struct num how, last, width;
	const char *qp, *svg;
	bool all, raw, force;
};

static const struct arg timeline_args[] = {
	POS_OPT("how", timeline_args, how, kind_enum, "on, off or clear (default: show it)",
		.data = hows),
	SWITCH("all", timeline_args, all, "show earlier rows about destroyed objects, too"),
	OPT("last", timeline_args, last, kind_u32, "only the last rows: how many", .min = 1,
	    .max = 1u << 20),
	OPT("qp", timeline_args, qp, kind_str, "only rows about the QP of this name"),
	OPT("width", timeline_args, width, kind_u32, "columns (default: those of the terminal)",
	    .min = 40, .max = 1000),
	OPT("svg", timeline_args, svg, kind_path, "write it as a drawing to this file"),
	SWITCH("force", timeline_args, force, "with -svg: replace an existing file"),
	SWITCH("raw", timeline_args, raw, "the rows of this end only, in the order of the record"),
	ARGS_END,
};

static void tell_peers(struct session *s, uint64_t how)
{
	struct peer *p;

	obj_foreach_of(p, s, &peer_class)
		if (p->state == PEER_READY && !peer_busy(p))
			timeline_peer(p, hows[how].name);
}

static int set_recording(struct session *s, uint64_t how, struct out *o)
{
	int rc = 0;

	switch (how) {
	case HOW_ON:
		rc = begin_timeline(s, true);
		break;
	case HOW_OFF:
		stop_timeline(s);
		break;
	case HOW_CLEAR:
		clear_timeline(s);
		break;
	}
	if (rc)
		out_text(o, "no packets will be seen: %s\n", s->fail.text);
	fail_clear(&s->fail);
	tell_peers(s, how);
	return 0;
}

static int draw_ladder(struct session *s, const struct ladder *l, const char *path, bool force,
		       struct out *o)
{
	SCOPED_TEXT(d);
	int rc;

	ladder_svg(l, true, &d);
	rc = save_file(s, path, force, 0644, text_str(&d), text_len(&d));
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
		return set_recording(s, a->how.v, o);
	timeline_drain(s);
	if (a->raw) {
		l = (struct ladder){ 0 };
		ladder_add_own(s, LADDER_MAX, &l);
		ladder_rows_out(&l, o);
		ladder_free(&l);
		return 0;
	}
	ladder_make(s,
		    &(struct ladder_how){ .last = (unsigned)a->last.v,
					  .qp = a->qp,
					  .all = a->all,
					  .most = a->all ? UINT_MAX : 0,
					  .has_fields = true },
		    &l);
	if (!l.n) {
		fail(s, "timeline", "NOTHING", "%s",
		     timeline_is_on(s) ? "nothing was recorded yet"
				       : "nothing was recorded: the timeline is off");
		if (!timeline_is_on(s))
			fail_next(s, "timeline on");
		ladder_free(&l);
		return -1;
	}
	ladder_out(&l, o);
	if (a->svg)
		rc = draw_ladder(s, &l, a->svg, a->force, o);
	else
		ladder_print(&l, (unsigned)a->width.v, print_is_utf8(), o);
	ladder_free(&l);
	return rc;
}

/** Each end has a lane, a vertical line, with its rows to the right: calls of the libraries,
 * events, completions at the time of the poll, states of QPs. Packets are arrows between
 * the lanes, with opcode and PSN; a lost packet has an X at its tip. In one process the
 * client is on the left. Each peer (see 'peer') has a lane of its own, with the times of
 * its own clock.
 *
 * The timeline begins when the oldest connection (a QP or an id) that still exists was made,
 * or, if none exists, the last one. Times are milliseconds since then. Earlier calls are
 * shown if their objects still exist: regions, listeners. -all shows all rows; -qp shows
 * all rows about a QP.
 *
 * At the prompt the timeline is on from the start; a script needs 'timeline on'. The last
 * 4096 rows are kept, and of packets as many; one that comes again and again is one row
 * with a count. The packets of the embedded device are always recorded; those of
 * another device are captured on the network interface, which needs root and 'timeline
 * on'. bench is left out. The value is a list of dicts. 'report' makes a page.
 * > timeline on
 * > listen 7471 -address 10.0.0.1 -accept; connect 10.0.0.1 7471
 * > post send buf -len 5 -inline; sleep 50
 * > timeline => rdma_connect
 * > timeline -last 8
 * > timeline -qp qp0 => ibv_post_send
 * > timeline clear
 * > timeline off */
const struct cmd cmd_timeline = {
	.name = "timeline",
	.family = "understanding",
	.summary = "show what both ends did, in order, with packets as arrows",
	.setup = "reg 4096 -name buf",
	.args = timeline_args,
	.flags = CMD_NO_RECORD,
	.exec = timeline_exec,
};
