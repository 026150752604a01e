/* SPDX-License-Identifier: MIT */
/*
 * The rows of this end, from its record. The side of an object follows from its calls: an id that
 * listens, or of a request, is passive; an id that resolves an address or connects is active. Of
 * two QPs that are connected by hand to each other the older one is active.
 */
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/calling.h"
#include "call_record.h"
#include "decode.h"
#include "own_rows.h"
#include "packets.h"
#include "recorded.h"
#include "session.h"
#include "ladder.h"
#include "timeline/timeline.h"
#include "wire/wire.h"
#include "words.h"
#include "alloc.h"

/* The known facts of an object that belongs to an end of a connection. */
struct end_of {
	uint64_t serial, made, gone;
	char name[32];
	enum ladder_side side;
	bool is_of_both;      /* a CQ of QPs of both ends */
	bool connects;	      /* a QP, or an id that is not a listener */
	struct end_of *id;    /* of a QP, or NULL */
	struct end_of *cq[2]; /* of a QP */
	uint32_t qpn, dest;   /* of a QP; dest 0: not known */
	union ibv_gid peer;
	struct end_of *older; /* the QP before this one */
};

struct sender {
	uint32_t id; /* local communication ID of the connection manager's messages */
	enum ladder_side side;
};

struct ends {
	struct session *s;
	struct ladder *l;
	Tcl_HashTable of; /* serial: struct end_of */
	struct end_of *qps;
	struct sender *senders;
	unsigned nsenders;
	uint64_t current; /* rows that ended before it are not AGE_CURRENT */
};

/* -------------------------------------------------------------------------- sides -- */

static struct end_of *end_at(struct ends *e, uint64_t address, uint64_t when)
{
	const struct record_object *o = address ? record_object_at(address, when) : NULL;
	struct end_of *end;
	Tcl_HashEntry *entry;
	int is_new;

	if (!o)
		return NULL;
	entry = Tcl_CreateHashEntry(&e->of, (void *)(uintptr_t)o->serial, &is_new);
	if (!is_new)
		return Tcl_GetHashValue(entry);
	end = xcalloc(1, sizeof *end);
	*end = (struct end_of){ .serial = o->serial, .made = o->made, .gone = o->gone };
	memcpy(end->name, o->name, sizeof end->name);
	end->connects = o->kind == OBJECT_QP || o->kind == OBJECT_CM_ID;
	Tcl_SetHashValue(entry, end);
	if (o->kind == OBJECT_QP) {
		end->older = e->qps;
		e->qps = end;
	}
	return end;
}

/* Sets the side of an end. Passive overrides active. */
static void set_side(struct end_of *end, enum ladder_side side)
{
	if (end && (!end->side || side == SIDE_PASSIVE))
		end->side = side;
}

static void learn_qp(struct ends *e, const struct record *r, uint64_t address, struct end_of *id,
		     const struct ibv_qp_init_attr *init)
{
	const struct ibv_qp *copy = record_bytes(r, address, NULL);
	struct end_of *qp = end_at(e, address, r->end);

	if (!qp)
		return;
	qp->id = id;
	if (copy)
		qp->qpn = copy->qp_num;
	if (init) {
		qp->cq[0] = end_at(e, (uintptr_t)init->send_cq, r->begin);
		qp->cq[1] = end_at(e, (uintptr_t)init->recv_cq, r->begin);
	}
}

/* Learns the side of an id from a call, and its QP from rdma_create_qp(). */
static void learn_id(struct ends *e, const struct record *r)
{
	struct end_of *id = end_at(e, r->args[0], r->begin);
	const struct rdma_cm_id *copy = record_bytes(r, r->args[0], NULL);
	unsigned row = own_row_of(r);

	if (row == ROW_rdma_listen) {
		set_side(id, SIDE_PASSIVE);
		if (id)
			id->connects = false;
	}
	if (row == ROW_rdma_resolve_addr || row == ROW_rdma_connect)
		set_side(id, SIDE_ACTIVE);
	if (row == ROW_rdma_create_qp && copy && copy->qp)
		learn_qp(e, r, (uintptr_t)copy->qp, id, (const void *)(uintptr_t)r->args[2]);
}

static void learn_modify(struct ends *e, const struct record *r)
{
	const struct ibv_qp_attr *a = (const void *)(uintptr_t)r->args[1];
	struct end_of *qp = end_at(e, r->args[0], r->begin);

	if (!qp || r->err)
		return;
	if (r->args[2] & IBV_QP_DEST_QPN)
		qp->dest = a->dest_qp_num;
	if (r->args[2] & IBV_QP_AV)
		qp->peer = a->ah_attr.grh.dgid;
}

static void learn_end(struct ends *e, const struct record *r)
{
	const struct rdma_cm_event *ev;

	switch (own_row_of(r)) {
	case ROW_rdma_get_cm_event:
		ev = record_cm_event(r);
		if (ev && ev->event == RDMA_CM_EVENT_CONNECT_REQUEST)
			set_side(end_at(e, (uintptr_t)ev->id, r->end), SIDE_PASSIVE);
		break;
	case ROW_ibv_create_qp:
		learn_qp(e, r, r->err ? 0 : r->result, NULL, (const void *)(uintptr_t)r->args[1]);
		break;
	case ROW_ibv_modify_qp:
		learn_modify(e, r);
		break;
	default:
		if (r->nargs && r->fn->args[0].object == OBJECT_CM_ID &&
		    r->fn->args[0].role == CALL_IN)
			learn_id(e, r);
	}
}

/* The QP that had the number at that time (0: any time), preferably one that is connected to peer
 * (NULL: any). */
static struct end_of *qp_numbered(const struct ends *e, uint32_t qpn, const union ibv_gid *peer,
				  uint64_t when)
{
	struct end_of *found = NULL;

	for (struct end_of *q = e->qps; q; q = q->older) {
		if (q->qpn != qpn || (when && (q->made > when || (q->gone && q->gone < when))))
			continue;
		if (peer && memcmp(&q->peer, peer, sizeof *peer) == 0)
			return q;
		found = q;
	}
	return found;
}

static void settle_sides(struct ends *e)
{
	for (struct end_of *q = e->qps; q; q = q->older) {
		const struct end_of *other = q->dest ? qp_numbered(e, q->dest, NULL, 0) : NULL;

		if (q->id)
			q->side = q->id->side;
		else if (q->dest)
			q->side = !other || other == q || q->serial < other->serial ? SIDE_ACTIVE
										    : SIDE_PASSIVE;
		for (unsigned i = 0; i < 2 && q->side; i++) {
			struct end_of *cq = q->cq[i];

			if (!cq)
				continue;
			cq->is_of_both |= cq->side && cq->side != q->side;
			cq->side = cq->is_of_both ? SIDE_NONE : q->side;
		}
	}
}

/* The time when the oldest connection that still exists was made. If none exists: when the last
 * period with connections began. 0: there was no connection. */
static uint64_t current_since(struct ends *e)
{
	uint64_t oldest = UINT64_MAX, last = 0, before;
	Tcl_HashSearch search;
	Tcl_HashEntry *h;

	for (h = Tcl_FirstHashEntry(&e->of, &search); h; h = Tcl_NextHashEntry(&search)) {
		const struct end_of *end = Tcl_GetHashValue(h);

		if (end->connects && !end->gone && end->made < oldest)
			oldest = end->made;
		if (end->connects && end->made > last)
			last = end->made;
	}
	if (oldest < UINT64_MAX)
		return oldest;
	do {
		before = last;
		for (h = Tcl_FirstHashEntry(&e->of, &search); h; h = Tcl_NextHashEntry(&search)) {
			const struct end_of *end = Tcl_GetHashValue(h);

			if (end->connects && end->made < last && end->gone >= last)
				last = end->made;
		}
	} while (last < before);
	return last;
}

/* --------------------------------------------------------------------------- rows -- */

/* The text as one line of a ladder. Frees text; the caller frees the line. */
static char *one_line_of(char *text)
{
	char *shown = ladder_line(text);

	free(text);
	return shown;
}

/* Sets name and side of a row that is about this object, unless an earlier one has a side. */
static void set_subject(struct ladder_row *row, const struct end_of *end)
{
	if (!end || row->side)
		return;
	if (!*row->name || end->side)
		memcpy(row->name, end->name, sizeof row->name);
	row->side = end->is_of_both ? SIDE_NONE : end->side;
}

static bool has_end(enum call_object kind)
{
	return kind == OBJECT_CM_ID || kind == OBJECT_QP || kind == OBJECT_QP_EX ||
	       kind == OBJECT_CQ || kind == OBJECT_CQ_EX;
}

/* Appends the name of an object. False: the object no longer exists. */
static bool add_name(struct text *d, uint64_t address, uint64_t when)
{
	const struct record_object *o = address ? record_object_at(address, when) : NULL;

	if (o && *o->name)
		xappendf(d, "%s%s ", text_len(d) ? "" : " ", o->name);
	return !o || !o->gone;
}

/* Sets names, name, side and age of a row from the objects that the call uses and creates. */
static void set_call_objects(struct ends *e, const struct record *r, struct ladder_row *row)
{
	enum call_object kind = OBJECT_NONE;
	uint64_t made = r->err ? 0 : record_made(r, &kind);
	bool exist = true;
	SCOPED_TEXT(names);

	for (unsigned i = 0; i < r->nargs; i++) {
		const struct call_value *v = &r->fn->args[i];

		if (v->kind != CALL_OBJECT || (v->role != CALL_IN && v->role != CALL_GONE))
			continue;
		exist &= add_name(&names, r->args[i], r->begin);
		if (!has_end(v->object))
			continue;
		set_subject(row, end_at(e, r->args[i], r->begin));
		row->heads |= v->object == OBJECT_CM_ID || v->object == OBJECT_QP;
	}
	exist &= add_name(&names, made, r->end);
	if (made && has_end(kind))
		set_subject(row, end_at(e, made, r->end));
	if (row->age == AGE_GONE && exist && text_len(&names))
		row->age = AGE_EARLIER;
	row->names = xstrdup(text_str(&names));
}

static void add_call(struct ends *e, const struct record *r, struct ladder_row *row)
{
	char *args = call_args_text(e->s, r);

	row->kind = LADDER_CALL;
	row->by_cm = r->fn->is_cm;
	row->bad = r->err;
	set_call_objects(e, r, row);
	row->text = one_line_of(xasprintf("%s%s%s", r->fn->name, *args ? " " : "", args));
	row->result = one_line_of(call_result_text(e->s, r));
	free(args);
	row->fields = e->l->has_fields ? call_fields(e->s, r) : NULL;
	ladder_add(e->l, row);
}

/* An event has the time at which its call ended. */
static void set_end_time(struct ladder_row *row)
{
	row->when = row->until;
	row->until = 0;
}

static void add_cm_event(struct ends *e, const struct record *r, struct ladder_row *row)
{
	const struct rdma_cm_event *ev = record_cm_event(r);

	if (!ev)
		return;
	row->kind = LADDER_EVENT;
	set_end_time(row);
	row->bad = ev->status;
	row->heads = true;
	set_subject(row, end_at(e, (uintptr_t)ev->id, r->end));
	row->text = one_line_of(call_result_text(e->s, r));
	ladder_add(e->l, row);
}

/* An asynchronous event is about an object, or about a port. */
static void add_async(struct ends *e, const struct record *r, struct ladder_row *row)
{
	const struct ibv_async_event *ev = record_async_event(r);
	const struct record_object *o;

	if (!ev)
		return;
	row->kind = LADDER_EVENT;
	set_end_time(row);
	row->bad = ev->event_type == IBV_EVENT_QP_FATAL || ev->event_type == IBV_EVENT_CQ_ERR ||
		   ev->event_type == IBV_EVENT_QP_REQ_ERR ||
		   ev->event_type == IBV_EVENT_QP_ACCESS_ERR ||
		   ev->event_type == IBV_EVENT_SRQ_ERR || ev->event_type == IBV_EVENT_PORT_ERR ||
		   ev->event_type == IBV_EVENT_DEVICE_FATAL;
	o = record_object_at((uintptr_t)ev->element.qp, r->end);
	if (o)
		set_subject(row, end_at(e, (uintptr_t)ev->element.qp, r->end));
	row->text = xasprintf("%s%s%s", o ? o->name : "", o ? ": " : "",
			      word_name(async_words, ev->event_type));
	ladder_add(e->l, row);
}

/* Adds a row for each completion that a poll has taken. */
static void add_completions(struct ends *e, const struct record *r, struct ladder_row *row)
{
	const struct ibv_wc *wc = (const void *)(uintptr_t)r->after[2];

	for (int64_t i = 0; wc && i < (int64_t)r->result; i++) {
		const struct end_of *qp = qp_numbered(e, wc[i].qp_num, NULL, r->begin);
		struct ladder_row one = *row;

		one.heads = qp;
		set_subject(&one, qp ? qp : end_at(e, r->args[0], r->begin));
		ladder_tell_completion(&one, &wc[i],
				       wc[i].status ? NULL
						    : word_name(wc_opcode_words, wc[i].opcode));
		ladder_add(e->l, &one);
	}
}

static void add_state(struct ends *e, const struct record *r, struct ladder_row *row)
{
	const enum ibv_qp_state state = (enum ibv_qp_state)r->args[2];
	const char *why = (const char *)(uintptr_t)r->args[3];
	int64_t polled;
	char *seen;

	row->bad = r->args[4];
	set_subject(row, end_at(e, r->args[0], r->begin));
	polled = ladder_seen_at_poll(e->l, row->name, state);
	if (polled)
		row->when = polled;
	seen = xasprintf("%s%s", why ? why : "", polled ? ", seen at poll" : "");
	ladder_tell_state(row, (int)r->args[1], state, seen);
	free(seen);
	ladder_add(e->l, row);
}

static void add_notice(struct ends *e, const struct record *r, struct ladder_row *row)
{
	const char *text = (const char *)(uintptr_t)r->args[0];

	row->kind = LADDER_NOTICE;
	row->bad = r->args[1];
	row->until = 0;
	row->text = one_line_of(xstrdup(text ? text : ""));
	ladder_add(e->l, row);
}

/* ------------------------------------------------------------------------ packets -- */

static enum ladder_side other_side(enum ladder_side side)
{
	return !side ? SIDE_NONE : side == SIDE_ACTIVE ? SIDE_PASSIVE : SIDE_ACTIVE;
}

static enum ladder_side cm_side(const struct ends *e, uint32_t id)
{
	for (unsigned i = e->nsenders; i-- > 0;)
		if (e->senders[i].id == id)
			return e->senders[i].side;
	return SIDE_NONE;
}

/* The side that sent this message of the connection manager. The sender of a request is the active
 * side. */
static enum ladder_side cm_sender(struct ends *e, const struct mad *m)
{
	enum ladder_side side = cm_side(e, m->local_id);

	if (!side && m->remote_id)
		side = other_side(cm_side(e, m->remote_id));
	if (m->attr == MAD_REQ || m->attr == MAD_SIDR_REQ)
		side = SIDE_ACTIVE;
	else if (!side && (m->attr == MAD_REP || m->attr == MAD_SIDR_REP))
		side = SIDE_PASSIVE;
	if (side && m->local_id && !cm_side(e, m->local_id)) {
		e->senders = xgrow(e->senders, e->nsenders, sizeof *e->senders);
		e->senders[e->nsenders++] = (struct sender){ m->local_id, side };
	}
	return side;
}

/* Sets name, side and ends of a row from the QPs of a packet; qpn: that of the sender, or 0. */
static void set_packet_ends(struct ends *e, const struct decoded *d, uint32_t qpn, uint64_t when,
			    struct ladder_row *row)
{
	const struct end_of *from, *to, *named;

	if (d->is_cm) {
		row->side = cm_sender(e, &d->mad);
		return;
	}
	from = qpn ? qp_numbered(e, qpn, &d->p.dst, when) : NULL;
	to = qp_numbered(e, d->p.qpn, &d->p.src, when);
	named = to && !(from && from->side) ? to : from;
	if (named)
		memcpy(row->name, named->name, sizeof row->name);
	row->side = named == to && to ? other_side(to->side) : from ? from->side : SIDE_NONE;
	row->sender[0] = ladder_end_key(&d->p.src, qpn);
	row->within = from && to;
}

static void add_packet(struct ends *e, const struct kept_packet *k)
{
	const uint64_t begin = record_ticks(k->first);
	struct ladder_row row = { .when = k->first,
				  .age = record_ticks(k->last) < e->current ? AGE_GONE
									    : AGE_CURRENT,
				  .state = -1,
				  .to = -1,
				  .out = k->out,
				  .key = k->key };
	uint8_t *ip = xcalloc(1, k->len + 1);
	struct decoded d;

	if (packets_decode(k, ip, &d) == 0) {
		set_packet_ends(e, &d, k->qpn, begin, &row);
		ladder_tell_packet(&row, &d, k->fate);
		ladder_count(&row, k->times, k->last);
		ladder_add(e->l, &row);
	}
	free(ip);
}

static void add_packets(struct ends *e, unsigned most)
{
	const struct packets *packets = timeline_packets(e->s);
	const unsigned n = packets_count(packets);
	const struct kept_packet *k;

	for (unsigned i = n > most ? n - most : 0; (k = packets_at(packets, i)); i++)
		if (timeline_has(e->s, record_ticks(k->first)))
			add_packet(e, k);
}

/* ----------------------------------------------------------------------------- all -- */

static bool becomes_row(const struct record *r)
{
	switch (own_row_of(r)) {
	case OWN_MEM_PUT:
	case OWN_MEM_GET:
	case OWN_OOB:
	case OWN_LEFT_OUT:
	case OWN_BAD_WC:
		return false;
	default:
		return ladder_is_row(r);
	}
}

static void add_row(struct ends *e, const struct record *r)
{
	struct ladder_row row = { .when = record_realtime(r->begin),
				  .until = record_realtime(r->end),
				  .mark = r->begin,
				  .age = r->end < e->current ? AGE_GONE : AGE_CURRENT,
				  .state = -1,
				  .to = -1 };

	switch (own_row_of(r)) {
	case ROW_rdma_get_cm_event:
		add_cm_event(e, r, &row);
		break;
	case ROW_ibv_get_async_event:
		add_async(e, r, &row);
		break;
	case ROW_ibv_poll_cq:
		if (r->err)
			add_call(e, r, &row);
		else
			add_completions(e, r, &row);
		break;
	case OWN_STATE:
		add_state(e, r, &row);
		break;
	case OWN_NOTICE:
		add_notice(e, r, &row);
		break;
	default:
		add_call(e, r, &row);
	}
}

void ladder_add_own(struct session *s, unsigned most, struct ladder *l)
{
	struct ends e = { .s = s, .l = l };
	uint64_t since = timeline_since(s);
	struct record_list *list = record_list(1u << RECORD_CONTROL, 0);
	unsigned first, n = 0;
	Tcl_HashSearch search;

	Tcl_InitHashTable(&e.of, TCL_ONE_WORD_KEYS);
	for (unsigned i = 0; i < list->n; i++)
		if (!list->v[i].depth && list->v[i].ended)
			learn_end(&e, &list->v[i]);
	settle_sides(&e);
	e.current = current_since(&e);
	record_list_free(list);
	list = record_list(~0u, since);
	for (unsigned i = 0; i < RECORD_PATHS; i++)
		l->lost[i] += list->lost[i];
	l->lost_packets = timeline_lost_packets(s);
	for (first = list->n; first > 0 && n < most; first--)
		n += becomes_row(&list->v[first - 1]);
	l->lost[RECORD_CONTROL] += first;
	for (; first < list->n; first++)
		if (becomes_row(&list->v[first]) && timeline_has(s, list->v[first].begin))
			add_row(&e, &list->v[first]);
	record_list_free(list);
	add_packets(&e, most);
	for (Tcl_HashEntry *h = Tcl_FirstHashEntry(&e.of, &search); h;
	     h = Tcl_NextHashEntry(&search))
		free(Tcl_GetHashValue(h));
	Tcl_DeleteHashTable(&e.of);
	free(e.senders);
}
