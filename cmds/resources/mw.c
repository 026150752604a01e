/* SPDX-License-Identifier: MIT */
/*
 * Memory windows: mw, mw bind.
 *
 * ibv_bind_mw(3) is for type 1 and gives the new rkey itself; type 2 is bound by a work
 * request (post bind-mw).
 */
#include <errno.h>

#include "call/call_trace.h"
#include "command/cmd.h"
#include "connection/cm_ends.h"
#include "data/post.h"
#include "data/posted.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"
#include "words.h"

static const struct word type_words[] = { { "1", IBV_MW_TYPE_1, "bound by mw bind" },
					  { "2", IBV_MW_TYPE_2, "bound by post bind-mw" },
					  { 0 } };

void mw_bound(struct session *s, struct mw *mw, struct mr *mr, struct qp *qp)
{
	obj_reindex(s, mw);
	obj_unuse(mw, mw->mr);
	obj_unuse(mw, mw->qp);
	mw->mr = mr;
	mw->qp = mr ? qp : NULL;
	obj_use(mw, mw->mr);
	obj_use(mw, mw->qp);
}

void mw_invalidated(struct session *s, const struct pd *pd, uint32_t rkey)
{
	struct mw *mw = obj_by_number(s, &mw_class, rkey);

	while (mw && mw->pd != pd)
		mw = obj_next_number(mw);
	if (mw)
		mw_bound(s, mw, NULL, NULL);
}

static int mw_destroy(struct session *s, struct obj *o)
{
	int err;

	err = ibv_dealloc_mw(((struct mw *)o)->v);
	return err ? call_fail(s, err, "%s", o->name) : 0;
}

static void mw_describe(struct session *s, struct obj *o, struct out *out)
{
	struct mw *mw = (struct mw *)o;
	const char *type = word_name(type_words, mw->v->type);

	(void)s;
	out_str(out, "name", o->name, "mw %s", o->name);
	out_str(out, "type", type, "  type %s", type);
	out_u64(out, "rkey", mw->v->rkey, "  rkey 0x%x", mw->v->rkey);
	if (mw->mr)
		out_str(out, "mr", mw->mr->o.name, "  bound to %s", mw->mr->o.name);
	out_str(out, "pd", mw->pd->o.name, "\n");
}

static uint64_t mw_rkey(const struct obj *o)
{
	return ((const struct mw *)o)->v->rkey;
}

const struct obj_class mw_class = {
	.prefix = "mw",
	.title = "memory window",
	.remedy = "mw",
	.size = sizeof(struct mw),
	.pointer = offsetof(struct mw, v),
	.number = mw_rkey,
	.clings = true,
	.destroy = mw_destroy,
	.describe = mw_describe,
};

/* --------------------------------------------------------------------- mw -- */

struct mw_args {
	struct num type;
	struct pd *pd;
	const char *name;
};

static const struct arg mw_args[] = {
	OPT("type", mw_args, type, kind_enum, "1 or 2", .dflt = "2", .data = type_words),
	OPT("pd", mw_args, pd, kind_pd_opt, "protection domain"),
	OPT("name", mw_args, name, kind_str, "name of the object"), ARGS_END
};

static int mw_exec(struct session *s, const void *args, struct out *o)
{
	const struct mw_args *a = args;
	uint64_t mark = made_mark(s);
	struct pd *pd = a->pd ? a->pd : pd_default(s);
	struct mw *mw = pd ? obj_new(s, &mw_class, a->name) : NULL;

	if (!mw)
		return made_undo_since(s, mark);
	mw->v = ibv_alloc_mw(pd->v, (enum ibv_mw_type)a->type.v);
	if (!mw->v) {
		call_fail(s, errno, "type %llu in %s", (unsigned long long)a->type.v, pd->o.name);
		if (!(pd->dev->attr.orig_attr.device_cap_flags &
		      (IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B |
		       IBV_DEVICE_MEM_WINDOW_TYPE_2A)))
			fail_row(s, "cause", "%s has no memory windows", pd->dev->o.name);
		obj_discard(s, mw);
		return made_undo_since(s, mark);
	}
	mw->pd = pd;
	obj_use(mw, pd);
	obj_add(s, mw);
	mw_describe(s, &mw->o, o);
	return 0;
}

static const struct cmd_eg mw_egs[] = { { "mw", "mw mw0  type 2" },
					{ "mw -type 1 -name one", "type 1" },
					{ NULL, NULL } };

const struct cmd cmd_mw = {
	.name = "mw",
	.family = "resources",
	.summary = "make a memory window",
	.text = "A window opens a part of a region to the peer under an rkey of its own, and\n"
		"closes it again, without registering memory anew. Not bound yet, it opens\n"
		"nothing: see post bind-mw (type 2) and mw bind (type 1).",
	.calls = "ibv_alloc_mw(3)",
	.examples = mw_egs,
	.args = mw_args,
	.size = sizeof(struct mw_args),
	.exec = mw_exec,
};

/* ---------------------------------------------------------------- mw bind -- */

struct bind_args {
	struct mw *mw;
	struct mr *mr;
	struct num off, len, access, wr_id;
	struct qp *qp;
	bool unsignaled, force;
};

static const struct arg bind_args[] = {
	POS_OPT("mw", bind_args, mw, kind_mw, "memory window of type 1"),
	POS_OPT("mr", bind_args, mr, kind_mr, "region it opens a part of"),
	OPT("off", bind_args, off, kind_size, "where in the region", .dflt = "0"),
	OPT("len", bind_args, len, kind_size, "bytes; left out: up to its end; 0 closes it"),
	OPT("access", bind_args, access, kind_flags, "what the peer may do",
	    .dflt = "remote-write,remote-read", .data = qp_access_words),
	OPT("qp", bind_args, qp, kind_qp, "queue pair; left out: the current one"),
	OPT("wr-id", bind_args, wr_id, kind_u64, "left out: the next number"),
	SWITCH("unsignaled", bind_args, unsignaled, "no completion if it succeeds"),
	SWITCH("force", bind_args, force, "let the device judge: no checks here"),
	ARGS_END
};

static int bind_check(struct session *s, const struct bind_args *a, uint64_t len)
{
	if (a->force)
		return 0;
	if (a->mw->v->type != IBV_MW_TYPE_1) {
		fail(s, "ibv_bind_mw", "EINVAL", "%s is of type 2: it is bound by a work request",
		     a->mw->o.name);
		return fail_next(s, "post bind-mw %s %s", a->mw->o.name, a->mr->o.name);
	}
	if (!(a->mr->access & IBV_ACCESS_MW_BIND)) {
		fail(s, "ibv_bind_mw", "EINVAL", "%s does not allow MW_BIND", a->mr->o.name);
		return fail_next(s, "rereg %s -access %s,MW_BIND", a->mr->o.name,
				 word_flags(mr_access_words, a->mr->access));
	}
	if (a->mr->pd != a->mw->pd || a->mr->pd != a->qp->pd) {
		fail(s, "ibv_bind_mw", "EINVAL",
		     "ibv_bind_mw not called: %s is in %s, %s in %s, %s in %s", a->mw->o.name,
		     a->mw->pd->o.name, a->mr->o.name, a->mr->pd->o.name, a->qp->o.name,
		     a->qp->pd->o.name);
		return fail_row(s, "note", "-force calls it all the same");
	}
	if (a->off.v > a->mr->len || len > a->mr->len - a->off.v)
		return fail(s, "mw bind", "ERANGE",
			    "%s has %zu bytes: %llu at offset %llu end outside of it",
			    a->mr->o.name, a->mr->len, (unsigned long long)len,
			    (unsigned long long)a->off.v);
	return 0;
}

static void bind_note(struct session *s, const struct bind_args *a, uint64_t wr_id, uint64_t len)
{
	if (!a->wr_id.set)
		s->ctx->wr_id = wr_id;
	mw_bound(s, a->mw, len ? a->mr : NULL, NULL);
}

static int bind_mw_exec(struct session *s, const void *args, struct out *o)
{
	const struct bind_args *a = args;
	uint64_t len = a->len.set ? a->len.v : a->mr->len - a->off.v;
	uint64_t wr_id = a->wr_id.set ? a->wr_id.v : s->ctx->wr_id + 1;
	struct ibv_mw_bind bind = {
		.wr_id = wr_id,
		.send_flags = a->unsignaled ? 0 : IBV_SEND_SIGNALED,
		.bind_info = { .mr = a->mr->v,
			       .addr = (uintptr_t)a->mr->buf + a->off.v,
			       .length = len,
			       .mw_access_flags = (unsigned)a->access.v },
	};
	int err;

	if (bind_check(s, a, len))
		return -1;
	err = ibv_bind_mw(a->qp->v, a->mw->v, &bind);
	if (err) {
		call_fail(s, err, "%s to %s in %s", a->mw->o.name, a->mr->o.name, a->qp->o.name);
		return fail_row(s, "needs",
				"type 1; a region with MW_BIND (and LOCAL_WRITE, to be "
				"written); all of one PD; %s in RTS",
				a->qp->o.name);
	}
	bind_note(s, a, wr_id, len);
	out_u64(o, "wr_id", wr_id, NULL);
	mw_describe(s, &a->mw->o, o);
	return 0;
}

static const struct cmd_eg bind_egs[] = { { "mw -type 1 -name one -pd [get $peer pd]", "type 1" },
					  { "mw bind one window -len 64 -qp $peer",
					    "bound to window" },
					  { "poll -qp $peer", "SUCCESS  BIND_MW" },
					  { NULL, NULL } };

const struct cmd cmd_mw_bind = {
	.name = "mw bind",
	.family = "resources",
	.summary = "bind a memory window of type 1",
	.text = "A call of its own that ends as a work request in the send queue: take its\n"
		"completion with poll before the peer uses the rkey. Length 0 closes the\n"
		"window.",
	.calls = "ibv_bind_mw(3)",
	.setup = POST_SETUP,
	.examples = bind_egs,
	.args = bind_args,
	.size = sizeof(struct bind_args),
	.exec = bind_mw_exec,
};
