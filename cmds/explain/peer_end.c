/* SPDX-License-Identifier: MIT */
#include "explain/peer_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asked_peer.h"
#include "call_record.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "device/device.h"
#include "faults/fault_made.h"
#include "language/interp.h"
#include "live_context.h"
#include "objects.h"
#include "own_model.h"
#include "peer/peer.h"
#include "processes.h"
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
	uint64_t n;
	bool fits;

	return value && args_number(Tcl_GetString(value), &n, &fits) ? n : 0;
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
			.path_mtu = spec_mtu_of_bytes((unsigned)member_number(object, "mtu")),
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
	const struct dev *dev; /* where that one is */
};

static bool is_wanted(Tcl_Obj *object, const struct end_wanted *wanted)
{
	return dict_get(object, "qpn") && dict_get(object, "dest_qpn") &&
	       member_number(object, "qpn") == wanted->number &&
	       member_number(object, "dest_qpn") == wanted->peer &&
	       qp_told_device(object, wanted->dev);
}

static void free_end(struct live_end *e)
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
		free_end(e);
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

#define PEERS 16

/* Of peers, other rdmashes that this session has started. */
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

/* ------------------------------------------------------------------- of this session -- */

static void add_region(struct live_end *e, struct live_region r, const struct obj *o,
		       const struct pd *pd)
{
	snprintf(r.name, sizeof r.name, "%s", o->name);
	snprintf(r.pd, sizeof r.pd, "%s", pd->o.name);
	e->regions = xgrow(e->regions, e->nregions, sizeof *e->regions);
	e->regions[e->nregions++] = r;
}

static void take_regions(struct session *s, struct live_end *e)
{
	const struct mr *mr;

	obj_foreach_of(mr, s, &mr_class)
		add_region(e, *own_region(mr), &mr->o, mr->pd);
}

/* Only its device knows which memory a window opens; so here it opens all. */
static void take_windows(struct session *s, struct live_end *e, const struct uroce_inventory *inv)
{
	const struct mw *mw;

	obj_foreach_of(mw, s, &mw_class) {
		struct live_region r = { .rkey = mw->v->rkey, .len = UINT64_MAX, .access = ~0u };

		if (inv)
			inventory_foreach(inv, UROCE_MW, uroce_mw_row, row)
				if (row->rkey == mw->v->rkey)
					r = (struct live_region){ .rkey = row->rkey,
								  .begin = row->addr,
								  .len = row->len,
								  .access = row->access };
		add_region(e, r, &mw->o, mw->pd);
	}
}

static void take_first_psn(const struct qp *qp, unsigned bit, struct live_qp *to, uint32_t *psn)
{
	const bool is_known = qp_history_first_psn(qp, bit, psn);

	if (bit == IBV_QP_RQ_PSN)
		to->first_psn = is_known;
	else if (!is_known)
		to->known &= ~bit;
}

/* The GID from which it sends, as it is now. */
static void take_source(const struct qp *qp, struct live_qp *to)
{
	const struct ibv_ah_attr *av = &to->attr.ah_attr;

	record_aside(1);
	to->has_source = av->is_global && to->state >= IBV_QPS_RTR &&
			 ibv_query_gid(qp->v->context, av->port_num, av->grh.sgid_index,
				       &to->source) == 0;
	record_aside(-1);
}

/* The QP as the model of this session and its device know it. false: it cannot be queried. */
static bool take_qp(const struct qp *qp, struct live_qp *to, const struct uroce_inventory *inv)
{
	const struct outstanding recvs = own_outstanding(qp, true);
	const struct uroce_qp_row *row = inv ? process_qp(inv, qp->v->qp_num) : NULL;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct qp_step step;

	*to = (struct live_qp){ .number = qp->v->qp_num,
				.type = qp->type,
				.state = qp->state,
				.cap = qp->cap,
				.recvs = !recvs.n ? 0
					 : row	  ? (int64_t)row->recvs
						  : -1,
				.recv_len = recvs.n ? recvs.oldest->len : 0,
				.is_unpolled = row && row->recvs < recvs.n,
				.had = recvs.had,
				.rnrs = row ? row->rnrs : 0 };
	snprintf(to->name, sizeof to->name, "%s", qp->o.name);
	snprintf(to->pd, sizeof to->pd, "%s", qp->pd->o.name);
	if (qp->srq)
		snprintf(to->srq, sizeof to->srq, "%s", qp->srq->o.name);
	if (qp_history_err(qp, &step) && !step.by_flush)
		snprintf(to->why, sizeof to->why, "%s%s", step.why,
			 qp->id && qp->id->peer_left && step.failed ? "; the peer has disconnected"
								    : "");
	if (qp_query(qp, &attr, &init))
		return false;
	to->attr = attr;
	to->known = IBV_QP_DEST_QPN | IBV_QP_RNR_RETRY | IBV_QP_RETRY_CNT | IBV_QP_TIMEOUT |
		    IBV_QP_SQ_PSN | IBV_QP_RQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC |
		    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MTU | IBV_QP_AV;
	if (!attr.path_mtu)
		to->known &= ~(unsigned)IBV_QP_PATH_MTU;
	take_source(qp, to);
	take_first_psn(qp, IBV_QP_SQ_PSN, to, &to->attr.sq_psn);
	take_first_psn(qp, IBV_QP_RQ_PSN, to, &to->attr.rq_psn);
	return true;
}

/* Of this process; NULL: it is not on uroce0. */
static struct uroce_inventory *own_inventory(void)
{
	return embedded_is_used() ? process_inventory(getpid()) : NULL;
}

static void look_there(struct session *s, const struct qp *qp, const struct live_qp *here,
		       struct live_end *there, const struct uroce_inventory *inv)
{
	const struct end_wanted wanted = { .number = here->attr.dest_qp_num,
					   .peer = qp->v->qp_num,
					   .dev = qp->pd->dev };
	const struct qp *peer = qp_peer_here(s, qp);
	struct live_qp *to;

	if (peer) {
		to = xcalloc(1, sizeof *to);
		take_qp(peer, to, inv);
		there->qp = to;
		take_regions(s, there);
		take_windows(s, there, inv);
		return;
	}
	*there = look_at_peers(s, &wanted);
	if (!there->qp && embedded_is_used())
		*there = asked_peer(here);
}

void peer_end_look(struct session *s, struct qp *qp, struct live_qp *here, struct failed_wr *wr)
{
	struct uroce_inventory *inv = own_inventory();
	struct held *before = s->held, held;
	const char *port_rule;
	SCOPED_TEXT(faults);

	take_regions(s, &wr->here);
	wr->here.has_windows = own_model()->had_windows;
	fault_wire_losses(&faults);
	port_rule = fault_made_port_down(qp ? qp->pd->dev->o.name : NULL);
	wr->port_is_down = port_rule;
	snprintf(wr->faults, sizeof wr->faults, "%s", port_rule ? port_rule : text_str(&faults));
	if (qp) {
		obj_hold(s, &held, qp->pd->dev);
		wr->here.qp = here;
		wr->told = (struct live_region){ .begin = qp->peer.addr,
						 .len = qp->peer.len,
						 .rkey = qp->peer.rkey };
		if (take_qp(qp, here, inv) && qp->type != IBV_QPT_UD)
			look_there(s, qp, here, &wr->there, inv);
		obj_release(s, before);
	}
	free(inv);
}

void peer_end_forget(struct failed_wr *wr)
{
	free_end(&wr->there);
	free(wr->here.regions);
}
