/* SPDX-License-Identifier: MIT */
/* Protection domains: what belongs to one can be used together, and with nothing else. */
#include <errno.h>

#include "call/calling.h"
#include "command/cmd.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"

static int pd_destroy(struct session *s, struct obj *o)
{
	struct pd *pd = (struct pd *)o;
	int err;

	err = ibv_dealloc_pd(pd->v);
	return err ? call_fail(s, err, "%s", o->name) : 0;
}

static void pd_describe(struct session *s, struct obj *o, struct out *out)
{
	struct pd *pd = (struct pd *)o;
	unsigned users = o->nusers;

	(void)s;
	out_str(out, "name", o->name, "pd %s", o->name);
	out_str(out, "device", pd->dev->o.name, "  on %s", pd->dev->o.name);
	out_u64(out, "handle", pd->v->handle, "  handle %u", pd->v->handle);
	out_text(out, "  %u user%s\n", users, users == 1 ? "" : "s");
}

const struct obj_class pd_class = {
	.prefix = "pd",
	.title = "protection domain",
	.remedy = "pd",
	.size = sizeof(struct pd),
	.pointer = offsetof(struct pd, v),
	.destroy = pd_destroy,
	.describe = pd_describe,
};

struct pd *pd_make(struct session *s, struct dev *dev, const char *name)
{
	struct pd *pd = obj_new(s, &pd_class, name);

	if (!pd)
		return NULL;
	pd->v = ibv_alloc_pd(dev->v);
	if (!pd->v) {
		call_fail(s, errno, "%s", dev->o.name);
		obj_discard(s, pd);
		return NULL;
	}
	pd->dev = dev;
	obj_use(pd, dev);
	obj_add(s, pd);
	return pd;
}

struct pd *pd_of(struct session *s, struct dev *dev)
{
	struct obj *o;

	obj_foreach_of(o, s, &pd_class)
		if (((struct pd *)o)->dev == dev)
			return (struct pd *)o;
	return pd_make(s, dev, NULL);
}

struct pd *pd_default(struct session *s)
{
	struct dev *dev;

	if (s->ctx->qp)
		return s->ctx->qp->pd;
	dev = dev_default(s);
	return dev ? pd_of(s, dev) : NULL;
}

struct pd_args {
	struct dev *dev;
	const char *name;
};

static const struct arg pd_args[] = { OPT("device", pd_args, dev, kind_dev, "device it is made on"),
				      OPT("name", pd_args, name, kind_str, "name of the object"),
				      ARGS_END };

static int pd_exec(struct session *s, const void *args, struct out *o)
{
	const struct pd_args *a = args;
	struct pd *pd = pd_make(s, a->dev, a->name);

	if (!pd)
		return -1;
	pd_describe(s, &pd->o, o);
	return 0;
}

static const struct cmd_eg pd_egs[] = { { "pd", "pd pd0" },
					{ "pd -name mine", "pd mine" },
					{ NULL, NULL } };

const struct cmd cmd_pd = {
	.name = "pd",
	.family = "resources",
	.summary = "make a protection domain",
	.text = "QPs, memory regions, memory windows, address handles and SRQs are made in a\n"
		"protection domain. A work request may only use regions of the domain of its QP,\n"
		"and a peer that reaches a QP reaches only regions of that domain. Commands that\n"
		"need one take the first of the device, and make it when there is none.",
	.calls = "ibv_alloc_pd(3)",
	.examples = pd_egs,
	.args = pd_args,
	.size = sizeof(struct pd_args),
	.exec = pd_exec,
};
