/* SPDX-License-Identifier: MIT */
/*
 * Objects that a key opens: memory regions and windows, and the check that every access passes.
 * InfiniBand specification volume 1, 10.6; 9.7.5.
 *
 * Keys are random: of their 32 bits the upper 24 find the region, and the lower 8 are those
 * that ibv_inc_rkey() turns for windows of type 2. A region has one key for local and for
 * remote use, as those of other devices: there are programs that tell peers their lkey. What
 * a peer may do with it is a matter of the region's rights.
 */
#ifndef UROCE_REGION_H
#define UROCE_REGION_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "context.h"

struct qp;
struct dm;

struct mr {
	struct ibv_mr v; /* what the application may write to is not looked at again */
	struct pd *pd;
	uint8_t *host; /* where it is in our address space */
	uint64_t len;
	uint64_t locked; /* of it, when it was registered: bytes that a card would pin */
	uint64_t iova;	 /* what addresses in it begin with; 0 of IBV_ACCESS_ZERO_BASED */
	unsigned access; /* IBV_ACCESS_... */
	uint32_t lkey, rkey;
	unsigned windows; /* bound to it */
	struct dm *dm;	  /* whose memory it is, or NULL: the application's */
};

struct mw {
	struct ibv_mw v;
	struct pd *pd;
	struct mr *mr; /* bound to; NULL: nothing */
	struct qp *qp; /* type 2: bound by it, and for it alone */
	enum ibv_mw_type type;
	uint32_t rkey;
	uint64_t addr; /* what addresses in it begin with; 0 when zero-based */
	uint8_t *host;
	uint64_t len;
	unsigned access;
	TAILQ_ENTRY(mw) bound; /* of type 2, while it is */
};

/* A request to bind a window, by keys: region and window may be gone when its turn comes. */
struct window_bind {
	uint32_t window; /* its key when this was posted */
	uint32_t rkey;	 /* its new key */
	uint32_t lkey;	 /* of the region; 0 and len 0: unbind */
	uint64_t addr, len;
	unsigned access;
};

/* The memory that a key opens to a QP for an access (IBV_ACCESS_LOCAL_WRITE,
 * IBV_ACCESS_REMOTE_...; 0: local reading): where va is in our address space. NULL: the key
 * is unknown or of another PD, the range leaves the region, or the access is not granted. A
 * length of 0 is granted with any key. */
void *region_local(const struct pd *pd, uint32_t lkey, uint64_t va, uint64_t len, unsigned access);
void *region_remote(struct qp *qp, uint32_t rkey, uint64_t va, uint64_t len, unsigned access);
/* Does the rkey of a region grant the access, wherever in it? */
bool region_has_rights(const struct qp *qp, uint32_t rkey, unsigned access);

/* The values of a posted IBV_WR_BIND_MW; the application still has the objects. */
struct window_bind region_window_bind_of(struct ibv_mw *mw, uint32_t rkey,
					 const struct ibv_mw_bind_info *info);
/* Work requests on windows and keys: 0, or -1: the completion is IBV_WC_MW_BIND_ERR (bind)
 * or IBV_WC_LOC_QP_OP_ERR (invalidate). remote: by a SEND with invalidate. 10.6.7. */
int region_bind(struct qp *qp, const struct window_bind *b);
int region_invalidate(struct qp *qp, uint32_t rkey, bool remote);
/* A QP goes: its windows of type 2 are unbound. */
void region_forget_qp(struct qp *qp);

/* Regions and windows come and go: their keys are chosen here. 0, or -1 with errno. */
int region_add_mr(struct mr *mr);
void region_remove_mr(struct mr *mr);
/* The region with that key, or NULL. */
const struct mr *region_find(uint32_t lkey);
/* Has a region or a window the key? */
bool region_has_key(uint32_t key);
/* Calls fn for every region. */
void region_each(void (*fn)(struct mr *mr, void *arg), void *arg);
/* Calls fn for every window. */
void region_window_each(void (*fn)(struct mw *mw, void *arg), void *arg);

/* ---------------------------------------- device memory: ibv_alloc_dm(3) -- */

struct dm {
	struct ibv_dm v;
	uint8_t *bytes;
	size_t length;
	unsigned users; /* regions */
};

/* Are these bytes in it? */
static inline bool dm_has(const struct dm *dm, uint64_t offset, uint64_t length)
{
	return offset <= dm->length && length <= dm->length - offset;
}

#endif
