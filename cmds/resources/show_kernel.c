/* SPDX-License-Identifier: MIT */
/* show -kernel: compares the objects of this session with those that its devices have of this
 * process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "connection/cm.h"
#include "device/device.h"
#include "objects.h"
#include "output/out.h"
#include "resources/show_process.h"
#include "resources/tracked.h"
#include "session.h"
#include "words.h"

/* ------------------------------------------------------------- what the session has -- */

/* enum rdma_cm_state of the kernel's cma_priv.h: the state of an id, with the names of rdma(8). */
static const struct word cma_state_words[] = {
	{ "IDLE", 0, NULL },	       { "ADDR_QUERY", 1, NULL },     { "ADDR_RESOLVED", 2, NULL },
	{ "ROUTE_QUERY", 3, NULL },    { "ROUTE_RESOLVED", 4, NULL }, { "CONNECT", 5, NULL },
	{ "DISCONNECT", 6, NULL },     { "ADDR_BOUND", 7, NULL },     { "LISTEN", 8, NULL },
	{ "DEVICE_REMOVAL", 9, NULL }, { "DESTROYING", 10, NULL },    { 0 },
};

/* The kernel's state for a state of this session. In other states the kernel may have several. */
static const struct {
	enum id_state here;
	const char *kernel;
} id_states[] = {
	{ ID_BOUND, "ADDR_BOUND" },
	{ ID_LISTENING, "LISTEN" },
	{ ID_ADDR_RESOLVED, "ADDR_RESOLVED" },
	{ ID_ROUTE_RESOLVED, "ROUTE_RESOLVED" },
	{ ID_CONNECTING, "CONNECT" },
	{ ID_REQUEST, "CONNECT" },
	{ ID_ACCEPTING, "CONNECT" },
	{ ID_ESTABLISHED, "CONNECT" },
};

static void add_id_facts(struct facts *f, const struct id *id)
{
	const struct rdma_addr *a = &id->v->route.addr;

	facts_add(f, FIELD_PORT, cm_addr_port(&a->src_addr));
	if (a->dst_addr.sa_family)
		facts_add(f, FIELD_PEER_PORT, cm_addr_port(&a->dst_addr));
	for (unsigned i = 0; i < sizeof id_states / sizeof *id_states; i++)
		for (const struct word *w = cma_state_words; w->name; w++)
			if (id_states[i].here == id->state &&
			    strcmp(id_states[i].kernel, w->name) == 0)
				facts_add(f, FIELD_STATE, w->value);
}

/* The references of QPs to the CQ, as the kernel counts them. */
static uint64_t cq_users(struct session *s, const struct cq *cq)
{
	uint64_t n = 0;
	const struct qp *qp;

	obj_foreach_of(qp, s, &qp_class) {
		n += (qp->send_cq == cq) + (qp->recv_cq == cq);
	}
	return n;
}

/* The facts of an object; *pd becomes its PD, or NULL. */
static struct facts facts_of(struct session *s, enum tracked_kind kind, struct obj *o,
			     struct pd **pd)
{
	struct facts f = { .kind = kind };

	*pd = NULL;
	switch (kind) {
	case TRACKED_PD:
		*pd = (struct pd *)o;
		break;
	case TRACKED_CQ:
		facts_add(&f, FIELD_CQE, (uint64_t)((struct cq *)o)->v->cqe);
		facts_add(&f, FIELD_USERS, cq_users(s, (struct cq *)o));
		break;
	case TRACKED_SRQ:
		*pd = ((struct srq *)o)->pd;
		break;
	case TRACKED_MR:
		*pd = ((struct mr *)o)->pd;
		facts_add(&f, FIELD_LEN, ((struct mr *)o)->v->length);
		facts_add(&f, FIELD_LKEY, ((struct mr *)o)->v->lkey);
		facts_add(&f, FIELD_RKEY, ((struct mr *)o)->v->rkey);
		break;
	case TRACKED_QP:
		*pd = ((struct qp *)o)->pd;
		facts_add(&f, FIELD_QPN, ((struct qp *)o)->v->qp_num);
		facts_add(&f, FIELD_TYPE, ((struct qp *)o)->type);
		facts_add(&f, FIELD_STATE, ((struct qp *)o)->state);
		break;
	case TRACKED_ID:
		add_id_facts(&f, (struct id *)o);
		break;
	case TRACKED_KINDS:
		break;
	}
	return f;
}

/* Is the object on the device? A listener on all addresses is on every device. */
static bool is_on(const struct dev *dev, enum tracked_kind kind, const struct obj *o,
		  const struct pd *pd)
{
	const struct id *id = (const struct id *)o;

	if (kind == TRACKED_CQ)
		return ((const struct cq *)o)->dev == dev;
	if (kind != TRACKED_ID)
		return pd && pd->dev == dev;
	return id->v->verbs ? id->v->verbs == dev->v : id->state == ID_LISTENING;
}

/* ------------------------------------------------------------- side by side -- */

struct comparison {
	struct session *s;
	const struct dev *dev;
	const char *who; /* has the tracked objects: "the kernel" or the device */
	struct tracked_list tracked;
	unsigned disagree;
	struct out *o;
};

/* Do both sides know at least one of the fields, and agree on those that both know? */
static bool same_in(const struct facts *a, const struct facts *b, unsigned fields)
{
	unsigned both = a->known & b->known & fields;

	for (unsigned i = 0; i < FIELDS; i++)
		if ((both & BIT(i)) && a->v[i] != b->v[i])
			return false;
	return both;
}

static struct tracked *find_tracked(struct comparison *c, const struct obj *o)
{
	for (size_t i = 0; i < c->tracked.n; i++)
		if (c->tracked.all[i].o == o)
			return &c->tracked.all[i];
	return NULL;
}

/* The first tracked object of that kind without an object of the session, and with the same values
 * of the fields (0: any values). */
static struct tracked *find_unmatched(struct comparison *c, const struct facts *f, unsigned fields)
{
	for (size_t i = 0; i < c->tracked.n; i++) {
		struct tracked *h = &c->tracked.all[i];

		if (!h->o && h->facts.kind == f->kind && (!fields || same_in(f, &h->facts, fields)))
			return h;
	}
	return NULL;
}

/* Finds the number of a PD: matched objects that were created in the PD have it. */
static void add_pd_number(struct comparison *c, const struct pd *pd, struct facts *f)
{
	for (size_t i = 0; i < c->tracked.n; i++) {
		const struct tracked *h = &c->tracked.all[i];
		struct pd *its;

		if (!h->o || h->facts.kind == TRACKED_PD || !(h->facts.known & BIT(FIELD_PD)))
			continue;
		facts_of(c->s, h->facts.kind, h->o, &its);
		if (its == pd)
			facts_add(f, FIELD_NUMBER, h->facts.v[FIELD_PD]);
	}
}

/* Matches the session's objects of a kind with tracked ones: by identity, or by order. */
static void match_kind(struct comparison *c, enum tracked_kind kind, bool by_order)
{
	struct obj *o;

	obj_foreach_of(o, c->s, tracked_classes[kind].class) {
		struct pd *pd;
		struct facts f = facts_of(c->s, kind, o, &pd);
		struct tracked *h;

		if (!is_on(c->dev, kind, o, pd) || find_tracked(c, o))
			continue;
		if (kind == TRACKED_PD)
			add_pd_number(c, pd, &f);
		h = !by_order ? find_unmatched(c, &f, tracked_classes[kind].identity)
		    : tracked_classes[kind].in_order ? find_unmatched(c, &f, 0)
						     : NULL;
		if (h && (by_order || tracked_classes[kind].identity))
			h->o = o;
	}
}

/* PDs come last, because the objects in them identify them. */
static void match_all(struct comparison *c)
{
	for (unsigned by_order = 0; by_order < 2; by_order++)
		for (unsigned kind = TRACKED_KINDS; kind-- > 0;)
			match_kind(c, kind, by_order);
}

/* enum ib_srq_type of the kernel's ib_verbs.h */
static const struct word srq_type_words[] = { { "BASIC", 0, NULL },
					      { "XRC", 1, NULL },
					      { "TM", 2, NULL },
					      { 0 } };

static void out_field(struct comparison *c, enum tracked_kind kind, unsigned field, const char *key,
		      uint64_t v)
{
	const char *word = NULL;

	if (field == FIELD_TYPE)
		word = word_name(kind == TRACKED_SRQ ? srq_type_words : qp_type_words, v);
	if (field == FIELD_STATE)
		word = word_name(kind == TRACKED_ID ? cma_state_words : qp_state_words, v);
	if (word)
		out_str(c->o, key, word, "  %s", word);
	else if (field == FIELD_LKEY || field == FIELD_RKEY)
		out_u64(c->o, key, v, "  %s 0x%x", key, (unsigned)v);
	else
		out_u64(c->o, key, v, "  %s %llu", key, (unsigned long long)v);
}

static const char *const field_names[FIELDS] = {
	[FIELD_CQE] = "cqe",	 [FIELD_LEN] = "len",	[FIELD_LKEY] = "lkey",
	[FIELD_RKEY] = "rkey",	 [FIELD_QPN] = "qpn",	[FIELD_TYPE] = "type",
	[FIELD_STATE] = "state", [FIELD_PORT] = "port", [FIELD_PEER_PORT] = "peer_port",
};

static void out_facts(struct comparison *c, const struct facts *f)
{
	const char *number = tracked_classes[f->kind].number;

	if (number && (f->known & BIT(FIELD_NUMBER)))
		out_field(c, f->kind, FIELD_NUMBER, number, f->v[FIELD_NUMBER]);
	for (unsigned i = 0; i < FIELDS; i++)
		if (field_names[i] && (f->known & BIT(i)))
			out_field(c, f->kind, i, field_names[i], f->v[i]);
}

/* A bit for each field that both sides know, with different values. */
static unsigned differing_fields(const struct facts *here, const struct facts *there)
{
	unsigned fields = 0;

	for (unsigned i = 0; i < FIELDS; i++)
		if (field_names[i] && (here->known & there->known & BIT(i)) &&
		    here->v[i] != there->v[i])
			fields |= BIT(i);
	return fields;
}

/* Writes the session's values of the fields that differ. */
static void out_differences(struct comparison *c, const struct facts *here,
			    const struct facts *there)
{
	const unsigned fields = differing_fields(here, there);

	if (!fields)
		return;
	out_text(c->o, "; here:");
	out_dict(c->o, "here");
	for (unsigned i = 0; i < FIELDS; i++)
		if (fields & BIT(i))
			out_field(c, here->kind, i, field_names[i], here->v[i]);
	out_end(c->o);
}

static void begin_line(struct comparison *c, bool agrees, const char *name)
{
	c->disagree += !agrees;
	out_paint(c->o, agrees ? PAINT_NONE : PAINT_BAD);
	out_dict(c->o, name);
	out_bool(c->o, "agrees", agrees, "%c %-7s", agrees ? ' ' : '!', name);
}

static void end_line(struct comparison *c)
{
	out_end(c->o);
	out_text(c->o, "\n");
	out_paint(c->o, PAINT_NONE);
}

static void out_object(struct comparison *c, enum tracked_kind kind, struct obj *o)
{
	struct pd *pd;
	struct facts here = facts_of(c->s, kind, o, &pd);
	const struct tracked *h = find_tracked(c, o);

	if (!is_on(c->dev, kind, o, pd))
		return;
	begin_line(c, h && !differing_fields(&here, &h->facts), o->name);
	if (h) {
		out_facts(c, &h->facts);
		out_differences(c, &here, &h->facts);
	} else {
		out_text(c->o, "  %s no longer has it", c->who);
	}
	end_line(c);
}

/* librdmacm creates a PD of its own on a device when it binds the first id to it; that of uroce0
 * does so when the device is opened. */
static bool has_librdmacms_pd(struct comparison *c)
{
	const struct id *id;

	obj_foreach_of(id, c->s, &id_class)
		if (id->v->verbs == c->dev->v)
			return true;
	return embedded_is_used();
}

/* Writes the tracked objects that match no object of the session. */
static void out_rest(struct comparison *c)
{
	bool librdmacms = has_librdmacms_pd(c);

	for (size_t i = 0; i < c->tracked.n; i++) {
		const struct tracked *h = &c->tracked.all[i];
		char *name;
		bool known;

		if (h->o)
			continue;
		known = librdmacms && h->facts.kind == TRACKED_PD;
		librdmacms &= !known;
		name = known ? xstrdup("(librdmacm)")
			     : xasprintf("(%s%zu)", tracked_classes[h->facts.kind].class->prefix,
					 i);
		begin_line(c, known, name);
		out_facts(c, &h->facts);
		out_text(c->o, known ? "" : "; no object of this session");
		end_line(c);
		free(name);
	}
}

static int compare_device(struct session *s, const struct dev *dev, struct out *o)
{
	struct comparison c = { .s = s, .dev = dev, .o = o, .who = "the kernel" };
	const bool uroce = embedded_is_used();

	if (uroce)
		c.who = dev->o.name;
	if (uroce ? tracked_by_uroce(&c.tracked) : tracked_by_kernel(dev, &c.tracked)) {
		free(c.tracked.all);
		return fail_call(s, errno, "show -kernel", "%s", dev->o.name);
	}
	match_all(&c);
	out_dict(o, dev->o.name);
	out_text(o, "%s\n", dev->o.name);
	for (unsigned kind = 0; kind < TRACKED_KINDS; kind++) {
		struct obj *obj;

		if (uroce && kind == TRACKED_ID) /* uroce0 does not track ids */
			continue;
		obj_foreach_of(obj, s, tracked_classes[kind].class)
			out_object(&c, kind, obj);
	}
	out_rest(&c);
	out_end(o);
	free(c.tracked.all);
	return (int)c.disagree;
}

int show_kernel(struct session *s, struct out *o)
{
	unsigned disagree = 0;
	struct obj *dev;

	out_dict(o, NULL);
	obj_foreach_of(dev, s, &dev_class) {
		int n = compare_device(s, (const struct dev *)dev, o);

		if (n < 0)
			return -1;
		disagree += (unsigned)n;
	}
	out_u64(o, "disagree", disagree, NULL);
	if (disagree)
		out_text(o, "%u with '!' do%s not agree\n", disagree, disagree == 1 ? "es" : "");
	else
		out_text(o, "all agree\n");
	return 0;
}
