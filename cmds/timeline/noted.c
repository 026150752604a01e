/* SPDX-License-Identifier: MIT */
/* Packets become entries of the chronicle; memory is kept as it was. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "embedded_api.h"
#include "noted.h"
#include "packet_source.h"
#include "packets.h"
#include "peer.h"
#include "session.h"
#include "timeline.h"
#include "xmem.h"

#define CM_IDS	64
#define REGIONS 64
#define PEER_MS 5000

struct noted {
	struct session *s;
	struct packet_source *packets; /* NULL: none can be seen, or not yet */
	bool paused;
	struct cm_side {
		uint32_t id; /* of the connection manager, as it stands in its messages */
		enum chronicle_side side;
	} cm[CM_IDS]; /* a ring */
	unsigned ncm;
	struct memory {
		uint64_t serial; /* of the region; 0: free */
		size_t n;
		uint8_t *was;
	} memory[REGIONS];
};

/* ---------------------------------------------------------------------- packets -- */

static enum chronicle_side other(enum chronicle_side side)
{
	if (!side)
		return SIDE_NONE;
	return side == SIDE_ACTIVE ? SIDE_PASSIVE : SIDE_ACTIVE;
}

static enum chronicle_side cm_side(const struct noted *n, uint32_t id)
{
	for (unsigned i = 0; i < CM_IDS && i < n->ncm; i++)
		if (n->cm[i].id == id)
			return n->cm[i].side;
	return SIDE_NONE;
}

static void cm_note(struct noted *n, uint32_t id, enum chronicle_side side)
{
	if (id && !cm_side(n, id))
		n->cm[n->ncm++ % CM_IDS] = (struct cm_side){ id, side };
}

/* Who has sent this message of the connection manager: who asked first is the active end. */
static enum chronicle_side cm_sender(struct noted *n, const struct mad *m)
{
	enum chronicle_side side = cm_side(n, m->local_id);

	if (!side && m->remote_id)
		side = other(cm_side(n, m->remote_id));
	if (m->attr == MAD_REQ || m->attr == MAD_SIDR_REQ)
		side = SIDE_ACTIVE;
	else if (!side && (m->attr == MAD_REP || m->attr == MAD_SIDR_REP))
		side = SIDE_PASSIVE;
	if (side)
		cm_note(n, m->local_id, side);
	return side;
}

static enum chronicle_side sender(struct noted *n, const struct decoded *d,
				  const struct uroce_packet *p, char name[32])
{
	enum chronicle_side side;

	if (d->is_cm)
		return cm_sender(n, &d->mad);
	if (p->qpn) {
		side = side_of_qpn(n->s, p->qpn, &d->p.dst, name);
		if (side)
			return side;
	}
	return other(side_of_qpn(n->s, d->p.qpn, &d->p.src, name));
}

/* FNV-1a over the UDP payload: the same packet where it is sent and where it is received. */
static uint64_t key_of(const struct decoded *d)
{
	uint64_t key = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < d->n; i++)
		key = (key ^ d->data[i]) * UINT64_C(0x100000001b3);
	return key;
}

/* "REQ", "RC_WRITE_ONLY psn 7 13 B": what fits on an arrow. */
static void in_short(const struct decoded *d, const char *full, char *text, size_t size)
{
	const char *name = d->p.op ? d->p.op->name : NULL;
	const char *nak = strstr(full, "NAK");

	if (!name)
		snprintf(text, size, "%s", d->malformed ? d->malformed : "malformed");
	else if (d->is_cm)
		snprintf(text, size, "CM %s", mad_name(d->mad.attr));
	else if (nak)
		snprintf(text, size, "%s psn %u %.*s", name, d->p.psn,
			 (int)(strstr(nak, "  ") ? strstr(nak, "  ") - nak : (long)strlen(nak)),
			 nak);
	else if (d->p.len)
		snprintf(text, size, "%s psn %u %u B", name, d->p.psn, d->p.len);
	else
		snprintf(text, size, "%s psn %u", name, d->p.psn);
}

static void on_packet(void *arg, const struct uroce_packet *p)
{
	struct noted *n = arg;
	char text[128], full[512], result[CHRONICLE_TEXT];
	struct chronicle_entry e = {
		.when = (int64_t)p->time,
		.kind = CHRONICLE_PACKET,
		.out = p->out,
		.text = text,
		.result = result,
		.fate = (char *)p->fate,
	};
	struct decoded d;

	if (n->paused || decode_ip(&d, p->ip, p->len))
		return;
	decode_text(&d, full, sizeof full);
	in_short(&d, full, text, sizeof text);
	snprintf(result, sizeof result, "%s  %.300s", packet_ends(&d), full);
	e.side = sender(n, &d, p, e.name);
	e.key = key_of(&d);
	e.bad = !d.p.op || strstr(text, "NAK") || strstr(text, "CM REJ");
	chronicle_note(&e);
}

void timeline_drain(struct session *s)
{
	struct noted *n = s->ctx->noted;
	struct chronicle_entry e = { .kind = CHRONICLE_NOTICE, .bad = true };
	unsigned lost = n && n->packets ? packet_source_drain(n->packets) : 0;

	if (!lost)
		return;
	e.text = xasprintf("%u packets came too fast to be noted", lost);
	chronicle_note(&e);
	free(e.text);
}

void timeline_pause(struct session *s, bool on)
{
	struct noted *n = s->ctx->noted;

	if (!n || !n->packets || !embedded_api())
		return;
	if (on)
		timeline_drain(s);
	n->paused = on;
	packet_source_pause(n->packets, on);
}

/* Of the embedded device at once, of others when that is wanted. */
static int watch_packets(struct session *s, struct noted *n, bool from_netdev)
{
	struct dev *dev = NULL;

	if (n->packets || (!embedded_api() && !from_netdev))
		return 0;
	if (!embedded_api()) {
		dev = dev_default(s);
		if (!dev)
			return -1;
	}
	n->packets = packet_source_open(s, "timeline on", dev, on_packet, n);
	return n->packets ? 0 : -1;
}

/* ----------------------------------------------------------------------- memory -- */

static void forget_memory(struct noted *n)
{
	for (unsigned i = 0; i < REGIONS; i++)
		free(n->memory[i].was);
	memset(n->memory, 0, sizeof n->memory);
}

static void keep_memory(struct session *s, struct noted *n)
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

const uint8_t *noted_memory(struct session *s, const struct mr *mr, size_t *len)
{
	const struct noted *n = s->ctx->noted;

	*len = mr->len < MEMORY_KEPT ? mr->len : MEMORY_KEPT;
	for (unsigned i = 0; n && i < REGIONS; i++)
		if (n->memory[i].serial == mr->o.serial) {
			*len = n->memory[i].n < *len ? n->memory[i].n : *len;
			return n->memory[i].was;
		}
	return NULL;
}

/* ------------------------------------------------------------------- on and off -- */

int noted_on(struct session *s, bool packets)
{
	struct noted *n = s->ctx->noted;

	if (!n) {
		n = s->ctx->noted = xcalloc(1, sizeof *n);
		n->s = s;
		keep_memory(s, n);
	}
	chronicle_is_on = true;
	return watch_packets(s, n, packets);
}

void noted_off(struct session *s)
{
	struct noted *n = s->ctx->noted;

	if (!n)
		return;
	timeline_drain(s);
	chronicle_is_on = false;
	if (n->packets)
		packet_source_close(n->packets);
	n->packets = NULL;
}

void noted_clear(struct session *s)
{
	timeline_drain(s);
	chronicle_clear();
	if (s->ctx->noted)
		keep_memory(s, s->ctx->noted);
}

void timeline_begin(struct session *s)
{
	noted_on(s, false);
}

void timeline_end(struct session *s)
{
	noted_off(s);
	chronicle_clear();
	if (s->ctx->noted)
		forget_memory(s->ctx->noted);
	free(s->ctx->noted);
	s->ctx->noted = NULL;
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
