/* SPDX-License-Identifier: MIT */
/* Which end of a connection something is about, when both may be in one process. */
#include <stdio.h>
#include <string.h>

#include "noted.h"
#include "session.h"
#include "timeline.h"

static enum chronicle_side side_of_id(const struct id *id)
{
	if (id->passive || id->listening || id->state == ID_LISTENING)
		return SIDE_PASSIVE;
	return id->state >= ID_ADDR_RESOLVED || id->qp ? SIDE_ACTIVE : SIDE_NONE;
}

static bool leads_to(const struct qp *qp, const union ibv_gid *peer)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a = { 0 };

	return peer && ibv_query_qp(qp->v, &a, IBV_QP_STATE | IBV_QP_AV, &init) == 0 &&
	       memcmp(&a.ah_attr.grh.dgid, peer, sizeof *peer) == 0;
}

/* Each device numbers its QPs by itself: of several the one that leads to the peer is meant, which
 * may be NULL. */
static const struct qp *of_qpn(struct session *s, uint32_t qpn, const union ibv_gid *peer)
{
	const struct qp *first = NULL;
	struct obj *o;

	obj_foreach(o, s) {
		const struct qp *qp = (const struct qp *)o;

		if (o->class != &qp_class || qp->v->qp_num != qpn)
			continue;
		if (leads_to(qp, peer))
			return qp;
		first = first ? first : qp;
	}
	return first;
}

/* By hand: of two that lead to each other, the one made first is the active one. */
static enum chronicle_side side_of_qp(struct session *s, const struct qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a = { 0 };
	const struct qp *other;

	if (qp->id)
		return side_of_id(qp->id);
	if (!qp->peer.known &&
	    (ibv_query_qp(qp->v, &a, IBV_QP_STATE | IBV_QP_DEST_QPN, &init) || !a.dest_qp_num))
		return SIDE_NONE;
	other = of_qpn(s, qp->peer.known ? qp->peer.qpn : a.dest_qp_num, NULL);
	if (!other || other == qp)
		return SIDE_ACTIVE;
	return qp->o.serial < other->o.serial ? SIDE_ACTIVE : SIDE_PASSIVE;
}

static enum chronicle_side side_of_cq(struct session *s, const struct cq *cq)
{
	enum chronicle_side side = SIDE_NONE, its;
	struct obj *o;

	obj_foreach(o, s) {
		const struct qp *qp = (const struct qp *)o;

		if (o->class != &qp_class || (qp->send_cq != cq && qp->recv_cq != cq))
			continue;
		its = side_of_qp(s, qp);
		if (side && its != side)
			return SIDE_NONE; /* of both ends */
		side = its;
	}
	return side;
}

static enum chronicle_side side_of(struct session *s, const struct obj *o)
{
	if (o->class == &id_class)
		return side_of_id((const struct id *)o);
	if (o->class == &qp_class)
		return side_of_qp(s, (const struct qp *)o);
	return o->class == &cq_class ? side_of_cq(s, (const struct cq *)o) : SIDE_NONE;
}

static const char name_bytes[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

enum chronicle_side timeline_side(struct session *s, const char *text, char name[32])
{
	enum chronicle_side side;
	char word[32];
	size_t len;

	*name = 0;
	for (text += strcspn(text, name_bytes); *text; text += strcspn(text, name_bytes)) {
		const struct obj *o;

		len = strspn(text, name_bytes);
		snprintf(word, sizeof word, "%.*s", (int)len, text);
		text += len;
		o = len < sizeof word ? obj_find(s, NULL, word) : NULL;
		if (!o || (o->class != &id_class && o->class != &qp_class && o->class != &cq_class))
			continue;
		side = side_of(s, o);
		if (!*name || side)
			memcpy(name, word, sizeof word);
		if (side)
			return side;
	}
	return SIDE_NONE;
}

enum chronicle_side side_of_qpn(struct session *s, uint32_t qpn, const union ibv_gid *peer,
				char name[32])
{
	const struct qp *qp = of_qpn(s, qpn, peer);

	if (!qp)
		return SIDE_NONE;
	snprintf(name, 32, "%s", qp->o.name);
	return side_of_qp(s, qp);
}
