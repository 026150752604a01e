/* SPDX-License-Identifier: MIT */
/* The objects of the record, values of this end, and what the peer has told. */
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorded.h"
#include "replay_parts.h"

/* -------------------------------------------------------------------------- objects -- */

struct replay_object *replay_objects_of(struct replay *p, const struct record *r, uint64_t address,
					enum call_object kind)
{
	struct record_objects *b = p->from->objects;
	const struct record_object *known = address ? record_objects_at(b, address, r->end) : NULL;
	struct replay_object *o;

	if (address && !known)
		known = record_objects_at(b, address, r->begin); /* the call has destroyed it */
	if (address && !known)
		known = record_objects_meet(b, address, kind, r->end);
	if (!known)
		return NULL;
	HASH_FIND(hh, p->objects, &known->serial, sizeof known->serial, o);
	if (o)
		return o;
	o = xcalloc(1, sizeof *o);
	o->serial = known->serial;
	o->address = address;
	o->kind = known->kind;
	snprintf(o->called, sizeof o->called, "%s",
		 *known->name ? known->name : call_objects[o->kind].word);
	p->back->name(p, o);
	HASH_ADD(hh, p->objects, serial, sizeof o->serial, o);
	return o;
}

struct replay_object *replay_objects_extra(struct replay *p, const char *name)
{
	struct replay_object *o = p->objects;

	while (o && (o->address || strcmp(o->name, name) != 0))
		o = o->hh.next;
	if (o)
		return o;
	o = xcalloc(1, sizeof *o);
	o->serial = UINT64_MAX - HASH_COUNT(p->objects);
	snprintf(o->name, sizeof o->name, "%s", name);
	HASH_ADD(hh, p->objects, serial, sizeof o->serial, o);
	return o;
}

struct replay_object *replay_objects_qp(const struct replay *p, uint32_t qpn)
{
	for (struct replay_object *o = p->objects; o; o = o->hh.next)
		if (o->live && o->kind == OBJECT_QP && o->qpn == qpn)
			return o;
	return NULL;
}

static void learn_key(struct replay *p, struct replay_object *o, uint32_t rkey)
{
	struct own_value v = { .kind = OWN_KEY, .of = o, .value = rkey };

	o->rkey = rkey;
	replay_own_add(p, &v);
}

static void learn_region(struct replay *p, const struct record *r, struct replay_object *o)
{
	const struct ibv_mr *mr = record_bytes(r, o->address, NULL);
	struct own_value v = { .kind = OWN_MEMORY, .of = o };

	if (!mr)
		return;
	v.value = (uintptr_t)mr->addr;
	v.len = mr->length;
	v.is_read = record_arg(r, "access") & (IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	replay_own_add(p, &v);
	o->lkey = mr->lkey;
	learn_key(p, o, mr->rkey);
}

static void learn_qp(struct replay *p, const struct record *r, struct replay_object *o)
{
	const struct ibv_qp *qp = record_bytes(r, o->address, NULL);
	struct own_value v = { .kind = OWN_QPN, .of = o };

	o->live = true;
	if (!qp)
		return;
	v.value = o->qpn = qp->qp_num;
	replay_own_add(p, &v);
}

/* Calls about an id show its device and its QP. */
static void learn_id(struct replay *p, const struct record *r, struct replay_object *id)
{
	const struct rdma_cm_id *copy = record_bytes(r, id->address, NULL);
	struct replay_object *o;

	if (!copy)
		return;
	o = replay_objects_of(p, r, (uintptr_t)copy->verbs, OBJECT_CONTEXT);
	if (o && !o->made && !o->from)
		o->from = id;
	o = replay_objects_of(p, r, (uintptr_t)copy->qp, OBJECT_QP);
	if (!o || o->made)
		return;
	replay_objects_stand_for(id, o);
	learn_qp(p, r, o);
}

static void learn_made(struct replay *p, const struct record *r, struct replay_object *o)
{
	o->live = true;
	switch (o->kind) {
	case OBJECT_MR:
		learn_region(p, r, o);
		break;
	case OBJECT_MW:
		if (record_bytes(r, o->address, NULL))
			learn_key(p, o,
				  ((const struct ibv_mw *)record_bytes(r, o->address, NULL))->rkey);
		break;
	case OBJECT_QP:
	case OBJECT_QP_EX:
		learn_qp(p, r, o);
		break;
	case OBJECT_CM_ID:
		learn_id(p, r, o);
		break;
	default:
		break;
	}
}

void replay_objects_learn(struct replay *p, const struct record *r, struct replay_object *made)
{
	for (unsigned i = 0; i < r->nargs; i++) {
		const struct call_value *v = &r->fn->args[i];
		struct replay_object *o = v->kind == CALL_OBJECT && r->args[i] &&
							  (v->role == CALL_IN ||
							   v->role == CALL_GONE)
						  ? replay_objects_of(p, r, r->args[i], v->object)
						  : NULL;

		if (o && v->role == CALL_GONE) {
			replay_own_end(p, o);
			o->live = false;
		} else if (o && v->object == OBJECT_CM_ID) {
			if (r->fn == &call_table[ROW_rdma_listen])
				o->is_server = true;
			learn_id(p, r, o);
		}
	}
	if (made)
		learn_made(p, r, made);
}

void replay_objects_stand_for(struct replay_object *whole, struct replay_object *o)
{
	for (const struct replay_object *w = whole; w; w = w->whole)
		if (w == o)
			return;
	o->whole = whole;
}

struct replay_object *replay_objects_drop_qp(struct replay *p, const struct replay_object *id)
{
	for (struct replay_object *o = p->objects; o; o = o->hh.next)
		if (o->whole == id && o->live && o->kind == OBJECT_QP) {
			o->live = false;
			return o;
		}
	return NULL;
}

void replay_objects_skip(struct replay *p, uint64_t address)
{
	p->skipped = xgrow(p->skipped, p->nskipped, sizeof *p->skipped);
	p->skipped[p->nskipped++] = address;
}

bool replay_objects_are_skipped(struct replay *p, uint64_t address)
{
	for (unsigned i = 0; i < p->nskipped; i++)
		if (p->skipped[i] == address) {
			p->skipped[i] = 0;
			return true;
		}
	return false;
}

/* -------------------------------------------------------------------------- own values -- */

struct own_value *replay_own_add(struct replay *p, const struct own_value *v)
{
	for (unsigned i = 0; i < p->nown; i++)
		if (p->own[i].kind == v->kind && p->own[i].of == v->of && !p->own[i].gone &&
		    p->own[i].value == v->value && memcmp(p->own[i].gid, v->gid, 16) == 0)
			return &p->own[i];
	p->own = xgrow(p->own, p->nown, sizeof *p->own);
	p->own[p->nown] = *v;
	return &p->own[p->nown++];
}

void replay_own_end(struct replay *p, const struct replay_object *of)
{
	for (unsigned i = 0; i < p->nown; i++)
		if (p->own[i].of == of && p->own[i].kind != OWN_GID)
			p->own[i].gone = true;
}

const struct own_value *replay_own_region(const struct replay *p, uint64_t at, uint64_t len)
{
	for (unsigned i = p->nown; i-- > 0;) {
		const struct own_value *o = &p->own[i];

		if (o->kind == OWN_MEMORY && !o->gone && at >= o->value && at - o->value < o->len &&
		    len <= o->len - (at - o->value))
			return o;
	}
	return NULL;
}

const struct own_value *replay_own_number(const struct replay *p, enum own_kind kind, uint64_t v)
{
	for (unsigned i = p->nown; i-- > 0;)
		if (p->own[i].kind == kind && !p->own[i].gone && p->own[i].value == v)
			return &p->own[i];
	return NULL;
}

const struct own_value *replay_own_gid(const struct replay *p, const void *gid)
{
	for (unsigned i = 0; i < p->nown; i++)
		if (p->own[i].kind == OWN_GID && memcmp(p->own[i].gid, gid, 16) == 0)
			return &p->own[i];
	return NULL;
}

bool replay_own_leads_here(const struct replay *p, const struct ibv_ah_attr *to)
{
	bool known = false;

	for (unsigned i = 0; to && to->is_global && i < p->nown; i++)
		known |= p->own[i].kind == OWN_GID;
	for (unsigned i = 0; to && !to->is_global && i < p->from->ngids; i++) {
		if (p->from->gids[i].lid && p->from->gids[i].lid == to->dlid)
			return true;
		known = true;
	}
	return !known || (to->is_global && replay_own_gid(p, &to->grh.dgid));
}

/* ---------------------------------------------------------------------------- the peer's -- */

bool replay_told_is_wanted(const struct replay *p, const struct told_bytes *t)
{
	return p->wanted[t - p->told];
}

static struct told_bytes *add_told(struct replay *p)
{
	if (p->ntold == p->nwanted) {
		p->wanted = xgrow(p->wanted, p->nwanted, sizeof *p->wanted);
		p->wanted[p->nwanted++] = false;
	}
	p->told = xgrow(p->told, p->ntold, sizeof *p->told);
	p->told[p->ntold] = (struct told_bytes){ 0 };
	return &p->told[p->ntold++];
}

const struct told_bytes *replay_told_add(struct replay *p, const char *name, const void *data,
					 size_t n)
{
	struct told_bytes *t;
	unsigned same = 0;

	if (!n)
		return NULL;
	for (unsigned i = 0; i < p->ntold; i++)
		same += strncmp(p->told[i].variable, name, strlen(name)) == 0;
	t = add_told(p);
	t->data = xcalloc(n, 1);
	t->n = n;
	memcpy(t->data, data, n);
	snprintf(t->variable, sizeof t->variable, "%.16s%u", name, same);
	return replay_told_is_wanted(p, t) ? t : NULL;
}

bool replay_told_add_peer(struct replay *p, const char *variable, const struct qp_peer *peer,
			  bool always)
{
	struct told_bytes *t = add_told(p);

	t->peer = *peer;
	snprintf(t->variable, sizeof t->variable, "%s", variable);
	p->wanted[t - p->told] |= always;
	return replay_told_is_wanted(p, t);
}

static bool is_at(const struct qp_peer *peer, const struct ibv_ah_attr *to)
{
	return !to || (to->is_global ? memcmp(&peer->gid, &to->grh.dgid, sizeof peer->gid) == 0
				     : peer->lid == to->dlid);
}

/* Is it a member of the struct that the peer has told? */
static bool is_member(const struct qp_peer *peer, struct told_search *s)
{
	s->base = s->v;
	if (strcmp(s->name, "qpn") == 0)
		return peer->qpn == s->v && is_at(peer, s->to);
	if (strcmp(s->name, "addr") == 0) {
		s->base = peer->addr;
		return s->v >= peer->addr && s->v - peer->addr < peer->len;
	}
	return (strcmp(s->name, "psn") == 0 && peer->psn == s->v) ||
	       (strcmp(s->name, "qkey") == 0 && peer->qkey == s->v) ||
	       (strcmp(s->name, "rkey") == 0 && peer->rkey == s->v);
}

/* Half of the address that is told with a key may be the same number. */
static bool find_told(const struct told_bytes *t, uint64_t v, unsigned size, uint64_t address,
		      struct value_place *place)
{
	struct value_place taken;
	uint64_t base;
	const bool is_there = address &&
			      replay_value_find_base(t->data, t->n, address, &taken, &base);

	return replay_value_find(t->data, t->n, v, size, is_there ? &taken : NULL, place);
}

/* The bytes with the key also contain the address at which its region begins. */
static bool is_told_in(const struct told_bytes *t, struct told_search *s)
{
	struct value_place place;
	uint64_t base = 0;

	if (!t->n)
		return is_member(&t->peer, s);
	if (s->size ? !find_told(t, s->v, s->size, s->other, &place)
		    : (s->other && !find_told(t, s->other, 4, s->v, &place)) ||
			      !replay_value_find_base(t->data, t->n, s->v, &place, &base))
		return false;
	s->place = place;
	s->base = s->size ? s->v : base;
	return true;
}

static const char *told_word(struct replay *p, unsigned i, const struct value_place *place,
			     const char *const form[2], const char *member)
{
	const struct told_bytes *t = &p->told[i];

	p->wanted[i] = true;
	if (!t->n)
		return replay_word(p, "", "s.$1.$2", t->variable, member, NULL);
	return replay_word(p, form[0], form[1], t->variable, replay_digits(place->at),
			   replay_digits(place->len), NULL);
}

const char *replay_told_value(struct replay *p, struct told_search what)
{
	static const char *const forms[][2] = {
		[VALUE_BE] = { "[get_be $$1 $2 $3]", "get_be(s.$1 + $2, $3)" },
		[VALUE_LE] = { "[get_le $$1 $2 $3]", "get_le(s.$1 + $2, $3)" },
		[VALUE_HEX] = { "[get_digits $$1 $2 $3 16]", "get_digits(s.$1 + $2, $3, 16)" },
		[VALUE_DECIMAL] = { "[get_digits $$1 $2 $3 10]", "get_digits(s.$1 + $2, $3, 10)" },
	};
	const uint64_t hash = (what.v + what.other * 3 + what.size) * UINT64_C(0x9e3779b97f4a7c15);
	struct told_search *s = &p->searches[(hash >> 32) % TOLD_SEARCHES];
	const char *word;

	if (s->v != what.v || s->other != what.other || s->size != what.size || s->to != what.to ||
	    s->name != what.name)
		*s = what;
	for (unsigned i = p->ntold; i-- > s->end;)
		if (is_told_in(&p->told[i], s)) {
			s->found = i + 1;
			break;
		}
	s->end = p->ntold;
	if (!s->found)
		return NULL;
	word = told_word(p, s->found - 1, &s->place, forms[s->place.form], s->name);
	return s->v == s->base ? word
			       : replay_word(p, "[expr {$1 + $2}]", "$1 + $2", word,
					     replay_digits(s->v - s->base), NULL);
}

const char *replay_told_gid(struct replay *p, const void *gid)
{
	static const char *const form[] = { "[get_gid $$1 $2 $3]",
					    "*get_gid(s.$1 + $2, $3, &(union ibv_gid){ { 0 } })" };
	struct value_place place;

	for (unsigned i = p->ntold; i-- > 0;)
		if (p->told[i].n ? replay_value_find_gid(p->told[i].data, p->told[i].n, gid, &place)
				 : memcmp(&p->told[i].peer.gid, gid, 16) == 0)
			return told_word(p, i, &place, form, "gid");
	return NULL;
}
