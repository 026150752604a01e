/* SPDX-License-Identifier: MIT */
/* Shared receive queues: srq, srq modify. The limit fires once and is then 0 again. */
#include <errno.h>

#include "call/call_trace.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"

static int srq_destroy(struct session *s, struct obj *o)
{
	int err;

	err = ibv_destroy_srq(((struct srq *)o)->v);
	return err ? call_fail(s, err, "%s", o->name) : 0;
}

/* The device knows the limit best. */
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
	const struct ibv_device_attr *max = &pd->dev->attr.orig_attr;
	struct srq *srq = obj_new(s, &srq_class, a->name);

	if (!srq)
		return NULL;
	srq->v = ibv_create_srq(pd->v, &init);
	if (!srq->v) {
		call_fail(s, errno, "max_wr %u, max_sge %u in %s", (unsigned)a->max_wr.v,
			  (unsigned)a->max_sge.v, pd->o.name);
		fail_row(s, "limits", "max_srq %d, max_srq_wr %d, max_srq_sge %d", max->max_srq,
			 max->max_srq_wr, max->max_srq_sge);
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
	int err;

	err = ibv_modify_srq(srq->v, &attr, mask);
	if (!err) {
		srq->limit = limit->set ? attr.srq_limit : srq->limit;
		srq->max_wr = max_wr->set ? attr.max_wr : srq->max_wr;
		return 0;
	}
	call_fail(s, err, "%s", srq->o.name);
	if (max_wr->set)
		fail_row(s, "max_wr", "%u, was %u", attr.max_wr, srq->max_wr);
	if (limit->set)
		fail_row(s, "srq_limit", "%u, must not be above max_wr", attr.srq_limit);
	return -1;
}

static int srq_exec(struct session *s, const void *args, struct out *o)
{
	const struct srq_args *a = args;
	uint64_t mark = made_mark(s);
	struct pd *pd = a->pd ? a->pd : pd_default(s);
	struct srq *srq = pd ? srq_make(s, pd, a) : NULL;
	static const struct num none;

	if (!srq || (a->limit.v && modify_srq(s, srq, &none, &a->limit)))
		return made_undo_since(s, mark);
	srq_describe(s, &srq->o, o);
	return 0;
}

static const struct cmd_eg srq_egs[] = { { "srq -max-wr 16", "srq srq0" },
					 { "srq -limit 4 -name low", "event below 4" },
					 { NULL, NULL } };

const struct cmd cmd_srq = {
	.name = "srq",
	.family = "resources",
	.summary = "make a shared receive queue",
	.text = "Receives for several QPs (qp create -srq): post recv -srq fills it, and each\n"
		"message takes the next one, whichever QP it came to. With -limit the event\n"
		"SRQ_LIMIT_REACHED tells, once, that fewer receives than that are left.",
	.calls = "ibv_create_srq(3), ibv_modify_srq(3)",
	.examples = srq_egs,
	.args = srq_args,
	.size = sizeof(struct srq_args),
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
			    "srq modify: say what changes: -limit or -max-wr");
	if (modify_srq(s, a->srq, &a->max_wr, &a->limit))
		return -1;
	srq_describe(s, &a->srq->o, o);
	return 0;
}

static const struct cmd_eg modify_egs[] = { { "srq modify -limit 8", "event below 8" },
					    { "srq modify srq0 -max-wr 64", "srq srq0" },
					    { NULL, NULL } };

const struct cmd cmd_srq_modify = {
	.name = "srq modify",
	.family = "resources",
	.summary = "arm the limit of a shared receive queue, or resize it",
	.text = "The limit event comes once: after SRQ_LIMIT_REACHED fill the queue, then arm it\n"
		"again. Not every device can resize.",
	.calls = "ibv_modify_srq(3)",
	.setup = "srq",
	.examples = modify_egs,
	.args = modify_args,
	.size = sizeof(struct srq_args),
	.exec = modify_exec,
};
