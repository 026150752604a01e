/* SPDX-License-Identifier: MIT */
#include "explain/peer_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "asked_peer.h"
#include "device/device.h"
#include "language/interp.h"
#include "live_context.h"
#include "objects.h"
#include "peer/peer.h"
#include "qp/qp.h"
#include "session.h"
#include "words.h"

/* ----------------------------------------------------- an object that show has told -- */

static const char *member_text(Tcl_Obj *object, const char *key)
{
	Tcl_Obj *value = dict_get(object, key);

	return value ? Tcl_GetString(value) : "";
}

static uint64_t member_number(Tcl_Obj *object, const char *key)
{
	Tcl_Obj *value = dict_get(object, key);
	Tcl_WideInt n = 0;

	if (value)
		Tcl_GetWideIntFromObj(NULL, value, &n);
	return (uint64_t)n;
}

/* A list of names, with blanks or (of a release before 0.3) commas between them, as bits. */
static unsigned flags_of(Tcl_Obj *object, const char *key, const struct word *words)
{
	const char *text = member_text(object, key);
	unsigned flags = 0;

	while (*text) {
		size_t len = strcspn(text, ", ");

		for (const struct word *w = words; w->name; w++)
			if (strlen(w->name) == len && strncmp(w->name, text, len) == 0)
				flags |= (unsigned)w->value;
		text += len + (text[len] != '\0');
	}
	return flags;
}

static void copy_name(char name[LIVE_NAME], Tcl_Obj *object, const char *key)
{
	snprintf(name, LIVE_NAME, "%s", member_text(object, key));
}

/* Objects with a key: regions and windows. */
static void take_region(struct live_end *e, Tcl_Obj *object)
{
	struct live_region *r;
	bool zero_based;

	if (!dict_get(object, "rkey"))
		return;
	e->regions = xgrow(e->regions, e->nregions, sizeof *e->regions);
	r = &e->regions[e->nregions++];
	*r = (struct live_region){
		.lkey = (uint32_t)member_number(object, "lkey"),
		.rkey = (uint32_t)member_number(object, "rkey"),
		.len = member_number(object, "len"),
		.access = flags_of(object, "access", mr_access_words),
	};
	zero_based = r->access & IBV_ACCESS_ZERO_BASED;
	r->begin = zero_based ? 0 : member_number(object, "addr");
	copy_name(r->name, object, "name");
	copy_name(r->pd, object, "pd");
}

static struct live_qp *qp_of(Tcl_Obj *object)
{
	const struct word *state = word_find(qp_state_words, member_text(object, "state"));
	struct live_qp *qp = xcalloc(1, sizeof *qp);

	*qp = (struct live_qp){
		.number = (uint32_t)member_number(object, "qpn"),
		.state = state ? (enum ibv_qp_state)state->value : IBV_QPS_UNKNOWN,
		.recvs = (int64_t)member_number(object, "recvs"),
		.recv_len = (uint32_t)member_number(object, "recv_len"),
		.known = IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MTU | IBV_QP_RQ_PSN |
			 IBV_QP_MAX_DEST_RD_ATOMIC,
		.attr = {
			.qp_access_flags = flags_of(object, "access", qp_access_words),
			.path_mtu = mtu_of_bytes((unsigned)member_number(object, "mtu")),
			.rq_psn = (uint32_t)member_number(object, "rq_psn"),
			.max_dest_rd_atomic = (uint8_t)member_number(object, "max_dest_rd_atomic"),
		},
	};
	if (!qp->attr.path_mtu)
		qp->known &= ~(unsigned)IBV_QP_PATH_MTU;
	copy_name(qp->name, object, "name");
	copy_name(qp->pd, object, "pd");
	copy_name(qp->srq, object, "srq");
	return qp;
}

/* The QP at the other end. */
struct end_wanted {
	uint32_t number, peer; /* its own, and that of the QP that it is connected with */
	const struct dev *dev; /* where that one is; NULL: on any */
	const char *name;      /* NULL: any */
};

static bool is_wanted(Tcl_Obj *object, const struct end_wanted *wanted)
{
	return dict_get(object, "qpn") && dict_get(object, "dest_qpn") &&
	       member_number(object, "qpn") == wanted->number &&
	       member_number(object, "dest_qpn") == wanted->peer &&
	       (!wanted->dev || qp_told_device(object, wanted->dev)) &&
	       (!wanted->name || strcmp(member_text(object, "name"), wanted->name) == 0);
}

void peer_end_free(struct live_end *e)
{
	if (e->is_asked) {
		asked_peer_free(e);
		return;
	}
	free((void *)(uintptr_t)e->qp);
	free(e->regions);
	*e = (struct live_end){ .qp = NULL };
}

/* The end in objects, a dict of them as 'show' has it (NULL: none). false: the QP is not there. */
static bool take_end(struct live_end *e, Tcl_Obj *objects, const struct end_wanted *wanted)
{
	Tcl_Obj *key, *object, *qp = NULL;
	Tcl_DictSearch search;
	int done;

	if (!objects)
		return false;
	Tcl_IncrRefCount(objects);
	if (Tcl_DictObjFirst(NULL, objects, &search, &key, &object, &done) == TCL_OK) {
		for (; !done; Tcl_DictObjNext(&search, &key, &object, &done)) {
			take_region(e, object);
			if (!qp && is_wanted(object, wanted))
				qp = object;
		}
		Tcl_DictObjDone(&search);
	}
	if (qp)
		e->qp = qp_of(qp);
	else
		peer_end_free(e);
	Tcl_DecrRefCount(objects);
	return qp;
}

#define PEER_MS 3000 /* how long a peer may take to show its objects */

/* The objects that the peer shows; NULL when it is busy or gone. */
static Tcl_Obj *ask_peer(struct session *s, const char *name)
{
	struct peer *p = obj_find(s, &peer_class, name);

	return p && p->state == PEER_READY && !peer_busy(p) ? peer_ask(p, "show", PEER_MS) : NULL;
}

/* For a QP of this session the first PSN is known. */
static void take_first_psn(struct session *s, struct live_qp *to)
{
	const struct qp *qp = obj_find(s, &qp_class, to->name);

	to->first_psn = qp && qp_history_first_psn(qp, IBV_QP_RQ_PSN, &to->attr.rq_psn);
}

#define PEERS 16

static struct live_end look_at_peers(struct session *s, const struct end_wanted *wanted)
{
	char names[PEERS][OBJ_NAME]; /* objects may go while one is asked */
	struct live_end f = { .qp = NULL };
	unsigned peers = 0;
	struct obj *o;

	obj_foreach_of(o, s, &peer_class)
		if (peers < PEERS)
			snprintf(names[peers++], sizeof names[0], "%s", o->name);
	for (unsigned i = 0; i < peers; i++)
		if (take_end(&f, ask_peer(s, names[i]), wanted)) {
			snprintf(f.whose, sizeof f.whose, "%.31s: ", names[i]);
			break;
		}
	return f;
}

struct live_end peer_end_find(struct session *s, const struct qp *qp, const struct live_qp *here)
{
	struct end_wanted wanted = { .number = here->attr.dest_qp_num,
				     .peer = qp->v->qp_num,
				     .dev = qp->pd->dev };
	const struct qp *there = qp_peer_here(s, qp);
	struct held *before = s->held, held;
	struct live_end f = { .qp = NULL };

	obj_hold(s, &held, qp->pd->dev);
	if (there)
		wanted.name = there->o.name;
	else
		f = look_at_peers(s, &wanted);
	if (!there && !f.qp && embedded_is_used())
		f = asked_peer(here);
	if (there && take_end(&f, app.objects(s), &wanted))
		take_first_psn(s, (struct live_qp *)(uintptr_t)f.qp);
	obj_release(s, before);
	return f;
}
