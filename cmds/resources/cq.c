/* SPDX-License-Identifier: MIT */
/* Completion queues and the channels that tell of completions: cq, cq resize, cc. */
#include <errno.h>
#include <stdlib.h>

#include "call/call_trace.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "data/cq_events.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"

/* --------------------------------------------------------------------- cc -- */

static int cc_destroy(struct session *s, struct obj *o)
{
	struct cc *cc = (struct cc *)o;
	int err;

	cc_unwatch(s, cc);
	err = ibv_destroy_comp_channel(cc->v);
	if (!err)
		return 0;
	cc_watch(s, cc);
	return call_fail(s, err, "%s", o->name);
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
		call_fail(s, errno, "%s", dev->o.name);
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

static const struct arg cc_args[] = { OPT("device", cc_args, dev, kind_dev, "device it is made on"),
				      OPT("name", cc_args, name, kind_str, "name of the object"),
				      ARGS_END };

static int cc_exec(struct session *s, const void *args, struct out *o)
{
	const struct cc_args *a = args;
	struct cc *cc = cc_make(s, a->dev, a->name);

	if (!cc)
		return -1;
	cc_describe(s, &cc->o, o);
	return 0;
}

static const struct cmd_eg cc_egs[] = { { "cc", "cc cc0" }, { NULL, NULL } };

const struct cmd cmd_cc = {
	.name = "cc",
	.family = "resources",
	.summary = "make a completion channel",
	.text = "A file descriptor that becomes readable when an armed CQ gets a completion, so\n"
		"that a program can sleep instead of polling. Give it to a CQ with cq -channel,\n"
		"then use arm and wait.",
	.calls = "ibv_create_comp_channel(3)",
	.examples = cc_egs,
	.args = cc_args,
	.size = sizeof(struct cc_args),
	.exec = cc_exec,
};

/* --------------------------------------------------------------------- cq -- */

static int cq_destroy(struct session *s, struct obj *o)
{
	struct cq *cq = (struct cq *)o;
	int err;

	err = ibv_destroy_cq(cq->v);
	if (err)
		return call_fail(s, err, "%s", o->name);
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
		call_fail(s, errno, "%u entries on %s", depth, dev->o.name);
		fail_row(s, "limits", "max_cqe %d, vectors 0 to %d", dev->attr.orig_attr.max_cqe,
			 dev->v->num_comp_vectors - 1);
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
	OPT("depth", cq_args, depth, kind_u32, "entries; the device may give more", .dflt = "64",
	    .min = 1, .max = INT32_MAX),
	OPT("channel", cq_args, cc, kind_cc_opt, "completion channel, for arm and wait"),
	SWITCH("events", cq_args, new_channel, "make a completion channel for it"),
	OPT("vector", cq_args, vector, kind_u32, "completion vector (interrupt)", .dflt = "0"),
	OPT("device", cq_args, dev, kind_dev_opt, "device it is made on"),
	OPT("name", cq_args, name, kind_str, "name of the object"),
	ARGS_END
};

static int create_cq_exec(struct session *s, const void *args, struct out *o)
{
	const struct cq_args *a = args;
	struct dev *dev = a->dev ? a->dev : a->cc ? a->cc->dev : dev_default(s);
	struct cc *cc = a->cc, *made = NULL;
	struct cq *cq;

	if (!dev || obj_same_dev(s, "ibv_create_cq", dev, dev, a->cc, a->cc ? a->cc->dev : NULL))
		return -1;
	if (!cc && a->new_channel)
		cc = made = cc_make(s, dev, NULL);
	if (a->new_channel && !cc)
		return -1;
	cq = cq_make(s, dev, a->name, (uint32_t)a->depth.v, cc, (int)a->vector.v);
	if (!cq) {
		struct fail why = s->fail;

		s->fail = (struct fail){ 0 };
		if (made && obj_destroy(s, made, false))
			fail_clear(&s->fail);
		s->fail = why;
		return -1;
	}
	cq_describe(s, &cq->o, o);
	return 0;
}

static const struct cmd_eg cq_egs[] = { { "cq -depth 16", "cq cq0" },
					{ "cq -events -name evq", "channel cc0" },
					{ NULL, NULL } };

const struct cmd cmd_cq = {
	.name = "cq",
	.family = "resources",
	.summary = "make a completion queue",
	.text = "Finished work requests leave a completion (WC) here, which poll takes out. The\n"
		"queue must have room for every completion that can be outstanding: when it\n"
		"overflows it is broken for good (event CQ_ERR) and its QPs go to ERR. The device\n"
		"rounds the depth up. With a channel, arm and wait can sleep until one comes.",
	.calls = "ibv_create_cq(3)",
	.examples = cq_egs,
	.args = cq_args,
	.size = sizeof(struct cq_args),
	.exec = create_cq_exec,
};

/* -------------------------------------------------------------- cq resize -- */

struct resize_args {
	struct cq *cq;
	struct num depth;
};

static const struct arg resize_args[] = { POS_OPT("cq", resize_args, cq, kind_cq,
						  "completion queue"),
					  POS("depth", resize_args, depth, kind_u32,
					      "new number of entries", .min = 1, .max = INT32_MAX),
					  ARGS_END };

static int resize_exec(struct session *s, const void *args, struct out *o)
{
	const struct resize_args *a = args;
	int err;

	err = ibv_resize_cq(a->cq->v, (int)a->depth.v);
	if (err) {
		call_fail(s, err, "%s to %u entries", a->cq->o.name, (unsigned)a->depth.v);
		return fail_row(s, "now", "%d entries, max_cqe %d", a->cq->v->cqe,
				a->cq->dev->attr.orig_attr.max_cqe);
	}
	cq_describe(s, &a->cq->o, o);
	return 0;
}

static const struct cmd_eg resize_egs[] = { { "cq resize 128", "entries" }, { NULL, NULL } };

const struct cmd cmd_cq_resize = {
	.name = "cq resize",
	.family = "resources",
	.summary = "change the size of a completion queue",
	.text = "Completions that wait in the queue are kept; it cannot become smaller than\n"
		"their number. Not every device can do this.",
	.calls = "ibv_resize_cq(3)",
	.setup = "cq -depth 16",
	.examples = resize_egs,
	.args = resize_args,
	.size = sizeof(struct resize_args),
	.exec = resize_exec,
};
