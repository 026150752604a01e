/* SPDX-License-Identifier: MIT */
/* Completion channels (cc), completion queues (cq) and shared receive queues (srq). */
#include <stdlib.h>

#include "call/calling.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "data/wc.h"
#include "object_args.h"
#include "object_make.h"
#include "objects.h"
#include "out.h"
#include "session.h"

/* --------------------------------------------------------------------- cc -- */

static int cc_destroy(struct session *s, struct obj *o)
{
	struct cc *cc = (struct cc *)o;

	cc_unwatch(s, cc);
	if (!ibv_destroy_comp_channel(cc->v))
		return 0;
	cc_watch(s, cc);
	return call_fail(s, "%s", o->name);
}

static void cc_describe(struct session *s, struct obj *o, struct out *out)
{
	struct cc *cc = (struct cc *)o;

	(void)s;
	out_str(out, "name", o->name, "cc %s", o->name);
	out_str(out, "device", cc->dev->o.name, "  on %s", cc->dev->o.name);
	out_int(out, "fd", cc->v->fd, "  fd %d", cc->v->fd);
	out_int(out, "refcnt", cc->v->refcnt, "  %d CQs\n", cc->v->refcnt);
}

const struct obj_class cc_class = {
	.prefix = "cc",
	.title = "completion channel",
	.remedy = "cc",
	.size = sizeof(struct cc),
	.kind = OBJECT_COMP_CHANNEL,
	.pointer = offsetof(struct cc, v),
	.destroy = cc_destroy,
	.describe = cc_describe,
};

struct cc *cc_make(struct session *s, struct dev *dev, const char *name)
{
	struct cc *cc = obj_new(s, &cc_class, name);

	if (!cc)
		return NULL;
	cc->v = ibv_create_comp_channel(dev->v);
	if (!cc->v) {
		call_fail(s, "%s", dev->o.name);
		obj_discard(s, cc);
		return NULL;
	}
	cc->dev = dev;
	obj_use(cc, dev);
	obj_add(s, cc);
	cc_watch(s, cc);
	return cc;
}

struct cc_args {
	struct dev *dev;
	const char *name;
};

static const struct arg cc_args[] = { OPT("device", cc_args, dev, kind_dev, "its device"),
				      OPT("name", cc_args, name, kind_str, "name of the object"),
				      ARGS_END };

static int cc_exec(struct session *s, const void *args, struct out *o)
{
	const struct cc_args *a = args;

	return obj_out(s, cc_make(s, a->dev, a->name), o);
}

/** A completion channel is a file descriptor that becomes readable when an armed CQ gets a
 * completion, so that a program can sleep instead of polling. Give it to a CQ with cq
 * -channel, then use arm and wait.
 * > cc => cc cc0 */
const struct cmd cmd_cc = {
	.name = "cc",
	.family = "resources",
	.summary = "make a completion channel",
	.calls = "ibv_create_comp_channel(3)",
	.args = cc_args,
	.exec = cc_exec,
};

/* --------------------------------------------------------------------- cq -- */

static int cq_destroy(struct session *s, struct obj *o)
{
	struct cq *cq = (struct cq *)o;

	if (ibv_destroy_cq(cq->v))
		return call_fail(s, "%s", o->name);
	free(cq->kept);
	if (cq->id)
		id_own_cq(cq->id, NULL);
	return 0;
}

static void cq_describe(struct session *s, struct obj *o, struct out *out)
{
	struct cq *cq = (struct cq *)o;

	(void)s;
	out_str(out, "name", o->name, "cq %s", o->name);
	out_str(out, "device", cq->dev->o.name, "  on %s", cq->dev->o.name);
	out_int(out, "cqe", cq->v->cqe, "  %d entries", cq->v->cqe);
	if (cq->cc)
		out_str(out, "channel", cq->cc->o.name, "  channel %s", cq->cc->o.name);
	out_bool(out, "armed", cq->armed, "%s", cq->armed ? "  armed" : "");
	out_u64(out, "events", cq->events, NULL);
	out_bool(out, "broken", cq->broken, "%s\n", cq->broken ? "  OVERRUN: unusable" : "");
}

const struct obj_class cq_class = {
	.prefix = "cq",
	.title = "completion queue",
	.remedy = "cq; connect and accept make one for their QP",
	.size = sizeof(struct cq),
	.kind = OBJECT_CQ,
	.pointer = offsetof(struct cq, v),
	.destroy = cq_destroy,
	.describe = cq_describe,
};

struct cq *cq_make(struct session *s, struct dev *dev, const char *name, uint32_t depth,
		   struct cc *cc, int vector)
{
	struct cq *cq = obj_new(s, &cq_class, name);

	if (!cq)
		return NULL;
	cq->v = ibv_create_cq(dev->v, (int)depth, cq, cc ? cc->v : NULL, vector);
	if (!cq->v) {
		call_fail(s, "%u entries on %s", depth, dev->o.name);
		call_fail_why(s);
		obj_discard(s, cq);
		return NULL;
	}
	cq->dev = dev;
	cq->cc = cc;
	obj_use(cq, dev);
	obj_use(cq, cc);
	obj_add(s, cq);
	return cq;
}

struct cq_args {
	struct dev *dev;
	struct cc *cc;
	struct num depth, vector;
	bool new_channel;
	const char *name;
};

static const struct arg cq_args[] = {
	OPT("depth", cq_args, depth, kind_u32, "entries; the device may add some", .dflt = "64",
	    .min = 1, .max = INT32_MAX),
	OPT("channel", cq_args, cc, kind_cc_opt, "completion channel, for arm and wait"),
	SWITCH("events", cq_args, new_channel, "make a completion channel for it"),
	OPT("vector", cq_args, vector, kind_u32, "completion vector (interrupt)", .dflt = "0"),
	OPT("device", cq_args, dev, kind_dev_opt, "its device"),
	OPT("name", cq_args, name, kind_str, "name of the object"),
	ARGS_END
};

static int create_cq_exec(struct session *s, const void *args, struct out *o)
{
	const struct cq_args *a = args;
	struct dev *dev = a->dev ? a->dev : a->cc ? a->cc->dev : dev_default(s);
	uint64_t mark = obj_made_mark(s);
	struct cc *cc = a->cc;
	struct cq *cq;

	if (!dev || obj_same_dev(s, "ibv_create_cq", dev, a->cc))
		return -1;
	if (!cc && a->new_channel)
		cc = cc_make(s, dev, NULL);
	if (a->new_channel && !cc)
		return -1;
	cq = cq_make(s, dev, a->name, (uint32_t)a->depth.v, cc, (int)a->vector.v);
	if (!cq)
		return obj_made_undo_since(s, mark);
	return obj_out(s, cq, o);
}

/** A finished work request adds a completion (WC) to the queue, and poll removes it. The
 * queue must have room for every completion that can be outstanding: when it overflows it
 * becomes unusable (event CQ_ERR) and its QPs go to ERR. The device may round the depth
 * up. With a channel, arm and wait can sleep until a completion arrives.
 * > cq -depth 16 => cq cq0
 * > cq -events -name evq => channel cc0 */
const struct cmd cmd_cq = {
	.name = "cq",
	.family = "resources",
	.summary = "make a completion queue",
	.calls = "ibv_create_cq(3)",
	.args = cq_args,
	.exec = create_cq_exec,
};

/* Shared receive queues: srq, srq modify. The limit event comes once; then the limit is 0 again. */

static int srq_destroy(struct session *s, struct obj *o)
{
	return ibv_destroy_srq(((struct srq *)o)->v) ? call_fail(s, "%s", o->name) : 0;
}

/* Queries the device, which resets the limit when it reports it. */
static void srq_describe(struct session *s, struct obj *o, struct out *out)
{
	struct srq *srq = (struct srq *)o;
	struct ibv_srq_attr attr;

	(void)s;
	if (ibv_query_srq(srq->v, &attr) == 0) {
		srq->max_wr = attr.max_wr;
		srq->max_sge = attr.max_sge;
		srq->limit = attr.srq_limit;
	}
	out_str(out, "name", o->name, "srq %s", o->name);
	out_u64(out, "max_wr", srq->max_wr, "  %u receives", srq->max_wr);
	out_u64(out, "max_sge", srq->max_sge, " of %u SGEs", srq->max_sge);
	out_u64(out, "limit", srq->limit, srq->limit ? "  event below %u" : "  no limit armed",
		srq->limit);
	out_str(out, "pd", srq->pd->o.name, "\n");
}

const struct obj_class srq_class = {
	.prefix = "srq",
	.title = "shared receive queue",
	.remedy = "srq",
	.size = sizeof(struct srq),
	.kind = OBJECT_SRQ,
	.pointer = offsetof(struct srq, v),
	.destroy = srq_destroy,
	.describe = srq_describe,
};

/* -------------------------------------------------------------------- srq -- */

struct srq_args {
	struct srq *srq;
	struct num max_wr, max_sge, limit;
	struct pd *pd;
	const char *name;
};

static const struct arg srq_args[] = {
	OPT("max-wr", srq_args, max_wr, kind_u32, "receives it holds", .dflt = "32"),
	OPT("max-sge", srq_args, max_sge, kind_u32, "SGEs of each", .dflt = "4"),
	OPT("limit", srq_args, limit, kind_u32, "event when fewer receives are left", .dflt = "0"),
	OPT("pd", srq_args, pd, kind_pd_opt, "protection domain"),
	OPT("name", srq_args, name, kind_str, "name of the object"),
	ARGS_END
};

static struct srq *srq_make(struct session *s, struct pd *pd, const struct srq_args *a)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = (uint32_t)a->max_wr.v,
						    .max_sge = (uint32_t)a->max_sge.v } };
	struct srq *srq = obj_new(s, &srq_class, a->name);

	if (!srq)
		return NULL;
	srq->v = ibv_create_srq(pd->v, &init);
	if (!srq->v) {
		call_fail(s, "max_wr %u, max_sge %u in %s", (unsigned)a->max_wr.v,
			  (unsigned)a->max_sge.v, pd->o.name);
		call_fail_why(s);
		obj_discard(s, srq);
		return NULL;
	}
	srq->pd = pd;
	srq->max_wr = init.attr.max_wr;
	srq->max_sge = init.attr.max_sge;
	obj_use(srq, pd);
	obj_add(s, srq);
	return srq;
}

static int modify_srq(struct session *s, struct srq *srq, const struct num *max_wr,
		      const struct num *limit)
{
	struct ibv_srq_attr attr = { .max_wr = (uint32_t)max_wr->v,
				     .srq_limit = (uint32_t)limit->v };
	int mask = (max_wr->set ? IBV_SRQ_MAX_WR : 0) | (limit->set ? IBV_SRQ_LIMIT : 0);

	if (!ibv_modify_srq(srq->v, &attr, mask)) {
		srq->limit = limit->set ? attr.srq_limit : srq->limit;
		srq->max_wr = max_wr->set ? attr.max_wr : srq->max_wr;
		return 0;
	}
	call_fail(s, "%s", srq->o.name);
	return call_fail_why(s);
}

static int srq_exec(struct session *s, const void *args, struct out *o)
{
	const struct srq_args *a = args;
	uint64_t mark = obj_made_mark(s);
	struct pd *pd = a->pd ? a->pd : pd_default(s);
	struct srq *srq = pd ? srq_make(s, pd, a) : NULL;
	static const struct num none;

	if (!srq || (a->limit.v && modify_srq(s, srq, &none, &a->limit)))
		return obj_made_undo_since(s, mark);
	return obj_out(s, srq, o);
}

/** Several QPs (qp create -srq) take their receives from one queue: post recv -srq fills
 * it, and each message takes the next receive, whichever QP it came to. With -limit the
 * event SRQ_LIMIT_REACHED reports, once, that fewer receives than that are left.
 * > srq -max-wr 16 => srq srq0
 * > srq -limit 4 -name low => event below 4 */
const struct cmd cmd_srq = {
	.name = "srq",
	.family = "resources",
	.summary = "make a shared receive queue",
	.calls = "ibv_create_srq(3), ibv_modify_srq(3)",
	.args = srq_args,
	.exec = srq_exec,
};

/* ------------------------------------------------------------- srq modify -- */

static const struct arg modify_args[] = {
	POS_OPT("srq", srq_args, srq, kind_srq, "shared receive queue"),
	OPT("limit", srq_args, limit, kind_u32, "arm the event again; 0: disarm"),
	OPT("max-wr", srq_args, max_wr, kind_u32, "receives it holds"), ARGS_END
};

static int modify_exec(struct session *s, const void *args, struct out *o)
{
	const struct srq_args *a = args;

	if (!a->limit.set && !a->max_wr.set)
		return fail(s, "srq modify", "MISSING",
			    "srq modify: nothing to change: give -limit or -max-wr");
	return modify_srq(s, a->srq, &a->max_wr, &a->limit) ? -1 : obj_out(s, a->srq, o);
}

/** The limit event comes once: after SRQ_LIMIT_REACHED fill the queue, then arm the limit
 * again. Not every device can resize a queue.
 * > srq modify -limit 8 => event below 8
 * > srq modify srq0 -max-wr 64 => srq srq0 */
const struct cmd cmd_srq_modify = {
	.name = "srq modify",
	.family = "resources",
	.summary = "arm the limit of a shared receive queue, or resize it",
	.calls = "ibv_modify_srq(3)",
	.setup = "srq",
	.args = modify_args,
	.exec = modify_exec,
};
