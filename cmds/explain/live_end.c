/* SPDX-License-Identifier: MIT */
/*
 * The other end of a QP, where it can be looked at: in this process, or in a peer that this one has
 * started. Both tell of their objects in the same form, that of `show`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codes.h"
#include "explain/live_end.h"
#include "language/dict.h"
#include "language/interp.h"
#include "objects.h"
#include "peer/peer.h"
#include "session.h"
#include "words.h"
#include "alloc.h"

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

/* "LOCAL_WRITE,REMOTE_READ" as bits. */
static unsigned flags_of(Tcl_Obj *object, const char *key, const struct word *words)
{
	const char *text = member_text(object, key);
	unsigned flags = 0;

	while (*text) {
		size_t len = strcspn(text, ",");

		for (const struct word *w = words; w->name; w++)
			if (strlen(w->name) == len && strncmp(w->name, text, len) == 0)
				flags |= (unsigned)w->value;
		text += len + (text[len] == ',');
	}
	return flags;
}

static void copy_name(char name[LIVE_NAME], Tcl_Obj *object, const char *key)
{
	snprintf(name, LIVE_NAME, "%s", member_text(object, key));
}

/* What has a key: regions and windows. */
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
	const struct word *state = args_word(qp_state_words, member_text(object, "state"));
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

static bool is_qp(Tcl_Obj *object, uint32_t qpn, uint32_t peer)
{
	return dict_get(object, "qpn") && dict_get(object, "dest_qpn") &&
	       member_number(object, "qpn") == qpn && member_number(object, "dest_qpn") == peer;
}

bool live_end_look(struct live_end *e, Tcl_Obj *objects, uint32_t qpn, uint32_t mine)
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
			if (!qp && is_qp(object, qpn, mine))
				qp = object;
		}
		Tcl_DictObjDone(&search);
	}
	if (qp)
		e->qp = qp_of(qp);
	else
		live_end_free(e);
	Tcl_DecrRefCount(objects);
	return qp;
}

/* What the peer shows; NULL when it is busy or gone. */
static Tcl_Obj *ask_peer(struct session *s, const char *name)
{
	const struct peer *p = obj_find(s, &peer_class, name);
	Tcl_Obj *script, *result = NULL;

	if (!p || p->state != PEER_READY || peer_busy(p))
		return NULL;
	script = Tcl_ObjPrintf("@%s -within 3s show", name);
	Tcl_IncrRefCount(script);
	if (interp_eval(s, script) == TCL_OK)
		result = Tcl_DuplicateObj(Tcl_GetObjResult(s->tcl));
	else
		fail_clear(&s->fail);
	Tcl_DecrRefCount(script);
	Tcl_ResetResult(s->tcl);
	return result;
}

#define PEERS 16

struct live_end live_end_find(struct session *s, uint32_t qpn, uint32_t mine)
{
	struct live_end f = { .qp = NULL };
	char names[PEERS]
		  [sizeof(((struct obj *)NULL)->name)]; /* objects may go while one is asked */
	unsigned peers = 0;
	struct obj *o;

	if (live_end_look(&f, app.objects(s), qpn, mine))
		return f;
	obj_foreach_of(o, s, &peer_class)
		if (peers < PEERS)
			snprintf(names[peers++], sizeof names[0], "%s", o->name);
	for (unsigned i = 0; i < peers; i++)
		if (live_end_look(&f, ask_peer(s, names[i]), qpn, mine)) {
			snprintf(f.whose, sizeof f.whose, "%.31s: ", names[i]);
			break;
		}
	return f;
}

void live_end_free(struct live_end *e)
{
	free((void *)(uintptr_t)e->qp);
	free(e->regions);
	*e = (struct live_end){ .qp = NULL };
}
