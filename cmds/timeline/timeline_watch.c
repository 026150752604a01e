/* SPDX-License-Identifier: MIT */
/* While the timeline is on: packets go into the record, and memory is kept as it was. */
#include <stdlib.h>
#include <string.h>

#include "call_record.h"
#include "decode.h"
#include "own_rows.h"
#include "peer/peer.h"
#include "session.h"
#include "timeline/ladder.h"
#include "timeline/timeline.h"
#include "device/embedded.h"
#include "wire/packet_source.h"
#include "alloc.h"

#define REGIONS	   64
#define PEER_MS	   5000
#define KEPT_OF_CM 344 /* bytes: the headers and a MAD */
#define KEPT	   120 /* the headers */

struct timeline {
	struct session *s;
	struct packet_source *packets; /* NULL: none can be seen, or not yet */
	bool on, paused;
	struct span {
		uint64_t from, to; /* ticks; to UINT64_MAX: it is still on */
	} * spans;
	unsigned nspans;
	struct memory {
		uint64_t serial; /* of the region; 0: free */
		size_t n;
		uint8_t *was;
	} memory[REGIONS];
};

/* ---------------------------------------------------------------------- packets -- */

static void on_packet(void *arg, const struct uroce_packet *p)
{
	const struct timeline *t = arg;
	struct decoded d;

	if (!t->paused && decode_ip(&d, p->ip, p->len) == 0)
		own_packet(p, d.is_cm ? KEPT_OF_CM : KEPT, ladder_packet_key(&d),
			   ladder_packet_lost(p->fate));
}

void timeline_drain(struct session *s)
{
	struct timeline *t = s->ctx->timeline;
	unsigned lost = t && t->packets ? packet_source_drain(t->packets) : 0;
	char *text;

	if (!lost)
		return;
	text = xasprintf("%u packets came too fast to be noted", lost);
	own_notice(text, true);
	free(text);
}

void timeline_pause(struct session *s, bool on)
{
	struct timeline *t = s->ctx->timeline;

	if (!t || !t->packets || !embedded_api())
		return;
	if (on)
		timeline_drain(s);
	t->paused = on;
	packet_source_pause(t->packets, on);
}

/* Of the embedded device at once, of others when that is wanted. */
static int watch_packets(struct session *s, struct timeline *t, bool from_netdev)
{
	struct dev *dev = NULL;

	if (t->packets || (!embedded_api() && !from_netdev))
		return 0;
	if (!embedded_api()) {
		dev = dev_default(s);
		if (!dev)
			return -1;
	}
	t->packets = packet_source_open(s, "timeline on", dev, on_packet, t);
	return t->packets ? 0 : -1;
}

/* ----------------------------------------------------------------------- memory -- */

static void forget_memory(struct timeline *n)
{
	for (unsigned i = 0; i < REGIONS; i++)
		free(n->memory[i].was);
	memset(n->memory, 0, sizeof n->memory);
}

static void keep_memory(struct session *s, struct timeline *n)
{
	unsigned at = 0;
	struct obj *o;

	forget_memory(n);
	obj_foreach(o, s) {
		const struct mr *mr = (const struct mr *)o;
		struct memory *m = &n->memory[at];

		if (o->class != &mr_class || at == REGIONS)
			continue;
		m->n = mr->len < MEMORY_KEPT ? mr->len : MEMORY_KEPT;
		m->serial = o->serial;
		m->was = xcalloc(1, m->n);
		memcpy(m->was, mr->buf, m->n);
		at++;
	}
}

const uint8_t *timeline_memory(struct session *s, const struct mr *mr, size_t *len)
{
	const struct timeline *n = s->ctx->timeline;

	*len = mr->len < MEMORY_KEPT ? mr->len : MEMORY_KEPT;
	for (unsigned i = 0; n && i < REGIONS; i++)
		if (n->memory[i].serial == mr->o.serial) {
			*len = n->memory[i].n < *len ? n->memory[i].n : *len;
			return n->memory[i].was;
		}
	return NULL;
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

int timeline_on(struct session *s, bool packets)
{
	struct timeline *t = s->ctx->timeline;

	if (!t) {
		t = s->ctx->timeline = xcalloc(1, sizeof *t);
		t->s = s;
		keep_memory(s, t);
	}
	if (!t->on)
		begin_span(t);
	return watch_packets(s, t, packets);
}

void timeline_off(struct session *s)
{
	struct timeline *t = s->ctx->timeline;

	if (!t)
		return;
	timeline_drain(s);
	if (t->on)
		t->spans[t->nspans - 1].to = record_time();
	t->on = false;
	if (t->packets)
		packet_source_close(t->packets);
	t->packets = NULL;
}

void timeline_clear(struct session *s)
{
	struct timeline *t = s->ctx->timeline;

	if (!t)
		return;
	timeline_drain(s);
	t->nspans = 0;
	if (t->on)
		begin_span(t);
	keep_memory(s, t);
}

void timeline_begin(struct session *s)
{
	timeline_on(s, false);
}

void timeline_end(struct session *s)
{
	struct timeline *t = s->ctx->timeline;

	if (!t)
		return;
	timeline_off(s);
	forget_memory(t);
	free(t->spans);
	free(t);
	s->ctx->timeline = NULL;
}

void timeline_peer(struct peer *p, const char *how)
{
	Tcl_Obj *script = Tcl_ObjPrintf("timeline %s", how), *value = NULL;
	bool printing = p->s->printing;
	struct call *c;

	Tcl_IncrRefCount(script);
	p->s->printing = false;
	c = peer_call(p, script, true, json_object_new_array(), false);
	if (c && peer_await(p, c, PEER_MS, true) == 0)
		value = peer_take(p, c);
	if (value) {
		Tcl_IncrRefCount(value);
		Tcl_DecrRefCount(value);
	}
	p->s->printing = printing;
	fail_clear(&p->s->fail); /* one of an older kind has no timeline */
	Tcl_DecrRefCount(script);
}
