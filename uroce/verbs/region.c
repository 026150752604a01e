/* SPDX-License-Identifier: MIT */
/*
 * The table of keys, and what they open; memory windows: ibv_alloc_mw(3), ibv_bind_mw(3).
 * InfiniBand specification volume 1, 10.6.
 *
 * The upper 24 bits of a key are random, and no two entries share them.
 */
#include <errno.h>
#include <stdlib.h>

#define HASH_NONFATAL_OOM      1
#define uthash_nonfatal_oom(e) (has_room = false)
#include <uthash.h>

#include "queue_pair.h"
#include "random.h"
#include "region.h"
#include "transport.h"

enum kind { KIND_REGION, KIND_WINDOW };

struct key_entry {
	uint32_t index; /* the upper 24 bits of the key */
	enum kind kind;
	void *object; /* struct mr or mw */
	UT_hash_handle hh;
};

static struct key_entry *keys;
static TAILQ_HEAD(, mw) bound_windows = TAILQ_HEAD_INITIALIZER(bound_windows); /* of type 2 */

/* A length of 0 opens no byte, but is allowed. */
static char nothing[1];

/* ---------------------------------------------------------- the table of keys -- */

static struct key_entry *find_key(uint32_t key)
{
	const uint32_t index = key >> 8;
	struct key_entry *e;

	HASH_FIND(hh, keys, &index, sizeof index, e);
	return e;
}

static void *find_object(uint32_t key, enum kind kind)
{
	const struct key_entry *e = find_key(key);

	return e && e->kind == kind ? e->object : NULL;
}

/* 0, or -1 with errno. The upper bits are never 0: a structure of zeros has no key. */
static int add_key(uint32_t *key, enum kind kind, void *object)
{
	struct key_entry *e = malloc(sizeof *e);
	bool has_room = e;

	if (!e)
		return -1;
	do
		random_bytes(key, sizeof *key);
	while (find_key(*key) || *key >> 8 == 0);
	*e = (struct key_entry){ .index = *key >> 8, .kind = kind, .object = object };
	HASH_ADD(hh, keys, index, sizeof e->index, e);
	if (has_room)
		return 0;
	free(e);
	return -1;
}

static void remove_key(uint32_t key)
{
	struct key_entry *e = find_key(key);

	HASH_DEL(keys, e);
	free(e);
}

int region_add_mr(struct mr *mr)
{
	if (add_key(&mr->lkey, KIND_REGION, mr) != 0)
		return -1;
	mr->rkey = mr->lkey;
	return 0;
}

void region_remove_mr(struct mr *mr)
{
	transport_settle_all();
	remove_key(mr->lkey);
}

const struct mr *region_find(uint32_t lkey)
{
	const struct mr *mr = find_object(lkey, KIND_REGION);

	return mr && mr->lkey == lkey ? mr : NULL;
}

bool region_has_key(uint32_t key)
{
	const struct mw *mw = find_object(key, KIND_WINDOW);

	return region_find(key) || (mw && mw->rkey == key);
}

void region_each(void (*fn)(struct mr *mr, void *arg), void *arg)
{
	for (struct key_entry *e = keys, *next; e; e = next) {
		next = e->hh.next;
		if (e->kind == KIND_REGION)
			fn(e->object, arg);
	}
}

void region_window_each(void (*fn)(struct mw *mw, void *arg), void *arg)
{
	for (struct key_entry *e = keys, *next; e; e = next) {
		next = e->hh.next;
		if (e->kind == KIND_WINDOW)
			fn(e->object, arg);
	}
}

/* ------------------------------------------------------------------- the checks -- */

/* Is [va, va + len) in the length bytes that begin with first? Nothing here overflows:
 * va - first is a distance once va is known not to be less. */
static bool in_range(uint64_t va, uint64_t len, uint64_t first, uint64_t length)
{
	return va >= first && va - first <= length && len <= length - (va - first);
}

static void *in_mr(const struct mr *mr, const struct pd *pd, uint64_t va, uint64_t len,
		   unsigned access)
{
	if (!same_domain(mr->pd, pd) || (access & ~mr->access) ||
	    !in_range(va, len, mr->iova, mr->len))
		return NULL;
	return (void *)((uintptr_t)mr->host + (va - mr->iova)); /* host is NULL of all memory */
}

/* 10.6.7.2.1: a window of type 2B is for the QP that bound it, and for its PD. */
static void *in_mw(const struct mw *mw, const struct qp *qp, uint64_t va, uint64_t len,
		   unsigned access)
{
	if (!mw->mr || !same_domain(mw->pd, qp->pd) ||
	    (mw->type == IBV_MW_TYPE_2 && mw->qp != qp) || (access & ~mw->access) ||
	    !in_range(va, len, mw->addr, mw->len))
		return NULL;
	return mw->host + (va - mw->addr);
}

void *region_local(const struct pd *pd, uint32_t lkey, uint64_t va, uint64_t len, unsigned access)
{
	const struct mr *mr;

	if (len == 0)
		return nothing;
	mr = region_find(lkey);
	return mr ? in_mr(mr, pd, va, len, access) : NULL;
}

void *region_remote(struct qp *qp, uint32_t rkey, uint64_t va, uint64_t len, unsigned access)
{
	const struct mw *mw = find_object(rkey, KIND_WINDOW);
	const struct mr *mr = find_object(rkey, KIND_REGION);

	if (len == 0)
		return nothing;
	if (mr)
		return mr->rkey == rkey ? in_mr(mr, qp->pd, va, len, access) : NULL;
	return mw && mw->rkey == rkey ? in_mw(mw, qp, va, len, access) : NULL;
}

bool region_has_rights(const struct qp *qp, uint32_t rkey, unsigned access)
{
	const struct mr *mr = region_find(rkey);

	return mr && in_mr(mr, qp->pd, mr->iova, 0, access);
}

/* --------------------------------------------------------------------- windows -- */

static void unbind_window(struct mw *mw)
{
	if (!mw->mr)
		return;
	transport_settle_all();
	mw->mr->windows--;
	if (mw->type == IBV_MW_TYPE_2)
		TAILQ_REMOVE(&bound_windows, mw, bound);
	mw->mr = NULL;
	mw->qp = NULL;
}

struct window_bind region_window_bind_of(struct ibv_mw *v, uint32_t rkey,
					 const struct ibv_mw_bind_info *info)
{
	return (struct window_bind){
		.window = ((struct mw *)v)->rkey,
		.rkey = rkey,
		.lkey = info->mr ? ((struct mr *)info->mr)->lkey : 0,
		.addr = info->addr,
		.len = info->length,
		.access = info->mw_access_flags,
	};
}

/* May a window of that PD open this part of the region? C10-73 to C10-75, 10.6.7.2.6. */
static bool may_open(const struct mw *mw, const struct mr *mr, const struct window_bind *b)
{
	const unsigned changes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
	const unsigned known =
		changes | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ZERO_BASED |
		IBV_ACCESS_LOCAL_WRITE; /* means nothing, and is not refused elsewhere */

	return mr && same_domain(mr->pd, mw->pd) && (mr->access & IBV_ACCESS_MW_BIND) &&
	       !(b->access & ~known) &&
	       (!(b->access & changes) || (mr->access & IBV_ACCESS_LOCAL_WRITE)) &&
	       in_range(b->addr, b->len, mr->iova, mr->len);
}

/* 10.6.7.2.2: the index of a key stays with the window, and a window of type 2 gets another
 * key with each binding; it must have been invalidated before. */
static bool may_rebind(const struct mw *mw, const struct qp *qp, const struct window_bind *b)
{
	if (!same_domain(mw->pd, qp->pd) || b->rkey >> 8 != mw->rkey >> 8)
		return false;
	return mw->type == IBV_MW_TYPE_1 || (!mw->mr && b->len && b->rkey != mw->rkey);
}

int region_bind(struct qp *qp, const struct window_bind *b)
{
	struct mw *mw = find_object(b->window, KIND_WINDOW);
	struct mr *mr = b->len ? find_object(b->lkey, KIND_REGION) : NULL;

	if (mr && mr->lkey != b->lkey)
		mr = NULL;
	if (!mw || !may_rebind(mw, qp, b) || (b->len && !may_open(mw, mr, b)))
		return -1;
	unbind_window(mw);
	mw->rkey = b->rkey;
	if (!b->len)
		return 0;
	mw->mr = mr;
	mw->addr = b->access & IBV_ACCESS_ZERO_BASED ? 0 : b->addr;
	mw->host = mr->host + (b->addr - mr->iova);
	mw->len = b->len;
	mw->access = b->access;
	mr->windows++;
	if (mw->type == IBV_MW_TYPE_2) {
		mw->qp = qp;
		TAILQ_INSERT_TAIL(&bound_windows, mw, bound);
	}
	return 0;
}

/* 10.6.7.2.3; regions that an application registers cannot be invalidated, only those of
 * fast registration, and windows of type 1 neither. */
int region_invalidate(struct qp *qp, uint32_t rkey, bool remote)
{
	struct mw *mw = find_object(rkey, KIND_WINDOW);

	if (!mw || mw->rkey != rkey || mw->type != IBV_MW_TYPE_2 || !same_domain(mw->pd, qp->pd) ||
	    (mw->mr && mw->qp != qp))
		return -1;
	if (remote && !mw->mr)
		return -1;
	unbind_window(mw);
	return 0;
}

void region_forget_qp(struct qp *qp)
{
	struct mw *mw = TAILQ_FIRST(&bound_windows), *next;

	for (; mw; mw = next) {
		next = TAILQ_NEXT(mw, bound);
		if (mw->qp == qp)
			unbind_window(mw);
	}
}

/* ------------------------------------------------ memory windows: 10.6.7 -- */

static unsigned mw_count;
static uint32_t next_handle;

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct mw *mw;

	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2)
		return fail_null(EINVAL);
	mw = calloc(1, sizeof *mw);
	if (!mw)
		return NULL;
	mw->v.context = pd->context;
	mw->v.pd = pd;
	mw->v.type = type;
	mw->pd = to_pd(pd);
	mw->type = type;
	SCOPED_ENGINE_LOCK();
	if (context_failed(pd->context) || mw_count >= MAX_MW ||
	    add_key(&mw->rkey, KIND_WINDOW, mw) != 0) {
		free(mw);
		return fail_null(context_failed(pd->context) ? EIO : ENOMEM);
	}
	mw_count++;
	mw->pd->users++;
	mw->v.handle = next_handle++;
	mw->v.rkey = mw->rkey;
	return &mw->v;
}

static int dealloc_mw(struct ibv_mw *v)
{
	struct mw *mw = (struct mw *)v;

	SCOPED_ENGINE_LOCK();
	unbind_window(mw);
	remove_key(mw->rkey);
	mw->pd->users--;
	mw_count--;
	free(mw);
	return 0;
}

/* Type 1 is bound by a request on the send queue too, with a key that is chosen here and known
 * to the application before the request is done. verbs.h has checked type and PDs. */
static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	const uint32_t rkey = ibv_inc_rkey(mw->rkey);
	int err = post_bind(qp, mw, rkey, bind);

	if (!err)
		mw->rkey = rkey;
	return err;
}

void context_ops_mw(struct context *c)
{
	c->v.context.ops.alloc_mw = alloc_mw;
	c->v.context.ops.dealloc_mw = dealloc_mw;
	c->v.context.ops.bind_mw = bind_mw;
}
