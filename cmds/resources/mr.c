/* SPDX-License-Identifier: MIT */
/*
 * Memory regions (reg, dereg, rereg) and memory windows (mw, mw bind). reg maps the memory of a
 * region, which is page-aligned and zeroed.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "call/calling.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "data/post.h"
#include "live_context.h"
#include "memory/mem.h"
#include "object_args.h"
#include "object_make.h"
#include "objects.h"
#include "out.h"
#include "own_model.h"
#include "recorded.h"
#include "resources/mr.h"
#include "session.h"
#include "words.h"

/* Names a window that may be bound to the region: of type 2 only the device knows. Returns -1. */
static int fail_still_bound(struct session *s, const struct mr *mr)
{
	const struct mw *mw;

	call_fail(s, "%s", mr->o.name);
	obj_foreach_of(mw, s, &mw_class)
		if (mw->pd == mr->pd) {
			fail_row(s, "likely", "the memory window %s is bound to it", mw->o.name);
			return fail_next(s, "destroy %s", mw->o.name);
		}
	return -1;
}

static bool is_shared(struct session *s, const struct mr *mr)
{
	const struct id *id;

	obj_foreach_of(id, s, &id_class)
		if (id->listening && id->listening->share == mr)
			return true;
	return false;
}

const struct mr *mr_to_receive(struct session *s, const struct pd *pd)
{
	const struct mr *mr;

	obj_foreach_of(mr, s, &mr_class) {
		if (mr->pd == pd && own_region(mr)->access & IBV_ACCESS_LOCAL_WRITE &&
		    !mr->for_texts && !is_shared(s, mr))
			return mr;
	}
	return NULL;
}

static void unlist_text_region(struct mr *mr)
{
	if (mr->for_texts)
		LIST_REMOVE(mr, text_region);
	mr->for_texts = false;
}

static int mr_destroy(struct session *s, struct obj *o)
{
	struct mr *mr = (struct mr *)o;

	if (ibv_dereg_mr(mr->v))
		return fail_still_bound(s, mr);
	unlist_text_region(mr);
	if (!mr->memory)
		munmap(mr->buf, mr->len);
	return 0;
}

static void mr_describe(struct session *s, struct obj *o, struct out *out)
{
	const struct mr *mr = (const struct mr *)o;
	const unsigned access = own_region(mr)->access;

	(void)s;
	out_str(out, "name", o->name, "mr %s", o->name);
	out_u64(out, "len", mr->len, "  %zu B", mr->len);
	out_u64(out, "addr", (uintptr_t)mr->buf, " at %p", mr->buf);
	out_u64(out, "lkey", mr->v->lkey, "  lkey 0x%x", mr->v->lkey);
	out_u64(out, "rkey", mr->v->rkey, "  rkey 0x%x", mr->v->rkey);
	out_flags(out, "access", mr_access_words, access);
	out_text(out, "  %s\n",
		 access ? word_flags(mr_access_words, access) : "read by this device only");
	out_str(out, "pd", mr->pd->o.name, NULL);
}

static uint64_t mr_lkey(const struct obj *o)
{
	return ((const struct mr *)o)->v->lkey;
}

static void *mr_memory(const struct obj *o, size_t *len)
{
	const struct mr *mr = (const struct mr *)o;

	*len = mr->len;
	return mr->buf;
}

const struct obj_class mr_class = {
	.prefix = "mr",
	.title = "memory region",
	.remedy = "reg 4096",
	.size = sizeof(struct mr),
	.kind = OBJECT_MR,
	.pointer = offsetof(struct mr, v),
	.number = mr_lkey,
	.memory = mr_memory,
	.destroy = mr_destroy,
	.describe = mr_describe,
};

struct mr *mr_make(struct session *s, struct pd *pd, const char *name, uint64_t len,
		   unsigned access)
{
	struct mr *mr = obj_new(s, &mr_class, name);

	if (!mr)
		return NULL;
	mr->buf = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mr->buf == MAP_FAILED) {
		fail_call(s, errno, "mmap", "%llu bytes", (unsigned long long)len);
		obj_discard(s, mr);
		return NULL;
	}
	mr->v = ibv_reg_mr(pd->v, mr->buf, len, (int)access);
	if (!mr->v) {
		call_fail(s, "%llu bytes in %s, access %s", (unsigned long long)len, pd->o.name,
			  word_flags(mr_access_words, access));
		call_fail_why(s);
		munmap(mr->buf, len);
		obj_discard(s, mr);
		return NULL;
	}
	mr->pd = pd;
	mr->len = len;
	obj_use(mr, pd);
	obj_add(s, mr);
	return mr;
}

/* -------------------------------------------------------------------- reg -- */

struct reg_args {
	struct num len, access;
	struct pd *pd;
	const char *name;
};

static const struct arg reg_args[] = {
	POS("size", reg_args, len, kind_size, "bytes", .min = 1),
	OPT("access", reg_args, access, kind_flags, "what this device and the peer may do",
	    .dflt = "local-write,remote-write,remote-read,remote-atomic", .data = mr_access_words),
	OPT("pd", reg_args, pd, kind_pd_opt, "protection domain"),
	OPT("name", reg_args, name, kind_str, "name of the object"), ARGS_END
};

/* The access flags. Some devices without atomics (iWARP) refuse the flag, so the default omits it.
 */
static unsigned default_access(const struct reg_args *a, const struct dev *dev)
{
	unsigned access = (unsigned)a->access.v;

	if (dev->attr.orig_attr.atomic_cap == IBV_ATOMIC_NONE && access == 0xf)
		access &= ~(unsigned)IBV_ACCESS_REMOTE_ATOMIC;
	return access;
}

static int reg_exec(struct session *s, const void *args, struct out *o)
{
	const struct reg_args *a = args;
	uint64_t mark = obj_made_mark(s);
	struct pd *pd = a->pd ? a->pd : pd_default(s);
	struct mr *mr = pd ? mr_make(s, pd, a->name, a->len.v, default_access(a, pd->dev)) : NULL;

	if (!mr)
		return obj_made_undo_since(s, mark);
	return obj_out(s, mr, o);
}

/** The device can only use registered memory. Registering pins the pages and returns two
 * keys: the lkey goes into your own work requests; the rkey, with the address, is what a
 * peer needs to read or write the region. The access flags of the region and of the QP
 * must both allow what the peer does. Without -access the peer may read, write and, if the
 * device supports them, do atomics.
 * > reg 4096 => mr mr0
 * > reg 1M -name window -access local-write,remote-read => REMOTE_READ
 * > get window rkey */
const struct cmd cmd_reg = {
	.name = "reg",
	.family = "resources",
	.summary = "allocate memory and register it as a memory region",
	.calls = "ibv_reg_mr(3)",
	.args = reg_args,
	.exec = reg_exec,
};

/* ------------------------------------------------------------------ dereg -- */

struct dereg_args {
	struct mr *mr;
};

static const struct arg dereg_args[] = { POS_OPT("mr", dereg_args, mr, kind_mr, "memory region"),
					 ARGS_END };

static int dereg_exec(struct session *s, const void *args, struct out *o)
{
	(void)o;
	return obj_destroy(s, ((const struct dereg_args *)args)->mr, false);
}

/** Work requests that still use the region fail: with LOC_PROT_ERR at the owner of the
 * region, with REM_ACCESS_ERR or REM_OP_ERR at the peer. The command fails while a memory
 * window is bound to the region.
 * > dereg mr0 */
const struct cmd cmd_dereg = {
	.name = "dereg",
	.family = "resources",
	.summary = "deregister a memory region and free its memory",
	.calls = "ibv_dereg_mr(3)",
	.setup = "reg 4096",
	.args = dereg_args,
	.exec = dereg_exec,
};

/* ------------------------------------------------------------------ rereg -- */

struct rereg_args {
	struct mr *mr;
	struct num access;
	struct pd *pd;
};

static const struct arg rereg_args[] = {
	POS_OPT("mr", rereg_args, mr, kind_mr, "memory region"),
	OPT("access", rereg_args, access, kind_flags, "new access flags", .data = mr_access_words),
	OPT("pd", rereg_args, pd, kind_pd_opt, "new protection domain"), ARGS_END
};

static int rereg_exec(struct session *s, const void *args, struct out *o)
{
	const struct rereg_args *a = args;
	int flags = (a->access.set ? IBV_REREG_MR_CHANGE_ACCESS : 0) |
		    (a->pd ? IBV_REREG_MR_CHANGE_PD : 0);
	int rc;

	if (!flags)
		return fail(s, "rereg", "MISSING", "rereg: nothing to change: give -access or -pd");
	if (obj_same_dev(s, "ibv_rereg_mr", a->mr, a->pd))
		return -1;
	rc = ibv_rereg_mr(a->mr->v, flags, a->pd ? a->pd->v : NULL, NULL, 0, (int)a->access.v);
	if (rc) {
		call_fail(s, "%s", a->mr->o.name);
		call_fail_why(s);
		return fail_row(s, "state", "%s",
				rc == IBV_REREG_MR_ERR_INPUT
					? "the old registration is still valid"
					: "do not use the region any more: ibv_rereg_mr(3)");
	}
	if (a->pd) {
		unlist_text_region(a->mr);
		obj_unuse(a->mr, a->mr->pd);
		obj_use(a->mr, a->pd);
		a->mr->pd = a->pd;
	}
	return obj_out(s, a->mr, o);
}

/** The keys may change. Devices differ in what they can change. If the command fails, the
 * row 'state' says whether the region can still be used.
 * > rereg mr0 -access local-write,remote-read => LOCAL_WRITE,REMOTE_READ */
const struct cmd cmd_rereg = {
	.name = "rereg",
	.family = "resources",
	.summary = "change access or protection domain of a memory region",
	.calls = "ibv_rereg_mr(3)",
	.setup = "reg 4096",
	.args = rereg_args,
	.exec = rereg_exec,
};

/*
 * Memory windows.
 *
 * Type 1 is bound by ibv_bind_mw(3), which sets the new rkey. Type 2 is bound by a work request
 * (post bind-mw).
 */

static const struct word type_words[] = { { "1", IBV_MW_TYPE_1, "bound by mw bind" },
					  { "2", IBV_MW_TYPE_2, "bound by post bind-mw" },
					  { 0 } };

void mw_bound(struct mw *mw, struct mr *mr, struct qp *qp)
{
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
		mw_bound(mw, NULL, NULL);
}

static int mw_destroy(struct session *s, struct obj *o)
{
	return ibv_dealloc_mw(((struct mw *)o)->v) ? call_fail(s, "%s", o->name) : 0;
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
	.kind = OBJECT_MW,
	.pointer = offsetof(struct mw, v),
	.number = mw_rkey,
	.destroyed_first = true,
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
	uint64_t mark = obj_made_mark(s);
	struct pd *pd = a->pd ? a->pd : pd_default(s);
	struct mw *mw = pd ? obj_new(s, &mw_class, a->name) : NULL;

	if (!mw)
		return obj_made_undo_since(s, mark);
	mw->v = ibv_alloc_mw(pd->v, (enum ibv_mw_type)a->type.v);
	if (!mw->v) {
		call_fail(s, "type %llu in %s", (unsigned long long)a->type.v, pd->o.name);
		if (!(pd->dev->attr.orig_attr.device_cap_flags &
		      (IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B |
		       IBV_DEVICE_MEM_WINDOW_TYPE_2A)))
			fail_row(s, "cause", "%s has no memory windows", pd->dev->o.name);
		obj_discard(s, mw);
		return obj_made_undo_since(s, mark);
	}
	mw->pd = pd;
	obj_use(mw, pd);
	obj_add(s, mw);
	return obj_out(s, mw, o);
}

/** A window gives the peer access to a part of a region, with an rkey of its own, until it is
 * invalidated; the region stays registered. A window that is not bound gives no access: see
 * post bind-mw (type 2) and mw bind (type 1).
 * > mw => mw mw0  type 2
 * > mw -type 1 -name one => type 1 */
const struct cmd cmd_mw = {
	.name = "mw",
	.family = "resources",
	.summary = "make a memory window",
	.calls = "ibv_alloc_mw(3)",
	.args = mw_args,
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
	POS_OPT("mr", bind_args, mr, kind_mr, "region"),
	OPT("off", bind_args, off, kind_size, "offset in the region", .dflt = "0"),
	OPT("len", bind_args, len, kind_size, "bytes; left out: up to its end; 0 unbinds"),
	OPT("access", bind_args, access, kind_flags, "what the peer may do",
	    .dflt = "remote-write,remote-read", .data = qp_access_words),
	OPT("qp", bind_args, qp, kind_qp, "queue pair; left out: the current one"),
	OPT("wr-id", bind_args, wr_id, kind_u64,
	    "number in its completion; left out: the next one"),
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
	if (!(own_region(a->mr)->access & IBV_ACCESS_MW_BIND)) {
		fail(s, "ibv_bind_mw", "EINVAL", "%s does not allow MW_BIND", a->mr->o.name);
		return fail_next(s, "rereg %s -access %s,MW_BIND", a->mr->o.name,
				 word_flags(mr_access_words, own_region(a->mr)->access));
	}
	if (a->mr->pd != a->mw->pd || a->mr->pd != a->qp->pd) {
		fail(s, "ibv_bind_mw", "EINVAL",
		     "ibv_bind_mw not called: %s is in %s, %s in %s, %s in %s", a->mw->o.name,
		     a->mw->pd->o.name, a->mr->o.name, a->mr->pd->o.name, a->qp->o.name,
		     a->qp->pd->o.name);
		return fail_row(s, "note", "-force calls it anyway");
	}
	return mem_check(s, "mw bind", a->mr, a->off.v, len);
}

static void note_bound(struct session *s, const struct bind_args *a, uint64_t wr_id, uint64_t len)
{
	if (!a->wr_id.set)
		s->ctx->wr_id = wr_id;
	mw_bound(a->mw, len ? a->mr : NULL, NULL);
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

	if (bind_check(s, a, len))
		return -1;
	if (ibv_bind_mw(a->qp->v, a->mw->v, &bind)) {
		call_fail(s, "%s to %s in %s", a->mw->o.name, a->mr->o.name, a->qp->o.name);
		return fail_row(s, "needs",
				"a window of type 1; a region with MW_BIND (and LOCAL_WRITE, if "
				"the peer may write); one PD for all; %s in RTS",
				a->qp->o.name);
	}
	note_bound(s, a, wr_id, len);
	out_u64(o, "wr_id", wr_id, NULL);
	return obj_out(s, a->mw, o);
}

/** The call posts a work request to the send queue: poll its completion before the peer uses
 * the rkey. Length 0 unbinds the window.
 * > mw -type 1 -name one -pd [get $peer pd] => type 1
 * > mw bind one window -len 64 -qp $peer => bound to window
 * > poll -qp $peer => SUCCESS  BIND_MW */
const struct cmd cmd_mw_bind = {
	.name = "mw bind",
	.family = "resources",
	.summary = "bind a memory window of type 1",
	.calls = "ibv_bind_mw(3)",
	.setup = POST_SETUP,
	.args = bind_args,
	.exec = bind_mw_exec,
};
