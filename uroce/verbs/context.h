/* SPDX-License-Identifier: MIT */
/* The device and its contexts: ibv_open_device(3). */
#ifndef UROCE_CONTEXT_H
#define UROCE_CONTEXT_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "link.h"

#define CACHE_LINE 64u /* bytes */

/* The limits of the device; ibv_query_device() reports it and every create call
 * keeps to it. */
#define MAX_QP		 16384
#define MAX_QP_WR	 16384
#define MAX_SGE		 32
#define MAX_INLINE	 1024
#define MAX_CQ		 65536
#define MAX_CQE		 4194303
#define MAX_MR		 1048576
#define MAX_MW		 1048576
#define MAX_PD		 32768
#define MAX_SRQ		 32768
#define MAX_SRQ_WR	 32768
#define MAX_AH		 1048576
#define MAX_DM		 1048576 /* bytes of device memory, all together */
#define MAX_RD_ATOM	 128
#define MAX_MCAST_GROUPS 8192
#define MAX_MCAST_QPS	 56
#define MAX_MESSAGE	 0x40000000u /* bytes: 1 GiB; half the PSNs with an MTU of 256 are more */

#define COMP_VECTORS 1 /* one thread makes all completions */

/* The number that librdmacm wants to find: RDMA_USER_CM_MAX_ABI_VERSION. */
#define RDMA_CM_ABI 4

/* Set errno: for `return fail(EINVAL);`, and the same where a pointer is returned. */
static inline int fail(int error)
{
	errno = error;
	return -1;
}

static inline void *fail_null(int error)
{
	errno = error;
	return NULL;
}

struct async_event;

struct context {
	/* v.context is what the application holds */
	struct verbs_context v;
	TAILQ_ENTRY(context) open;
	TAILQ_HEAD(async_events, async_event) events, taken;
	struct event_queue *queue; /* of events; NULL: closed */
	unsigned channels;	   /* made from it */
	unsigned objects;	   /* PDs, and objects of other kinds that have no PD */
	uint32_t number;	   /* of all that were opened, from 0 */
	bool orphan; /* of the parent: we are a child of fork() and have no device yet */
};

TAILQ_HEAD(contexts, context);
extern struct contexts contexts; /* that are open */

static inline struct context *to_context(struct ibv_context *c)
{
	return (struct context *)((char *)c - offsetof(struct context, v.context));
}

/* A device of this process, with its number (link.h). */
struct device {
	struct ibv_device v;
	unsigned number;
	bool failed; /* device_fail() */
};

extern struct device devices[DEVICES_MAX]; /* device_count() of them are in use */

static inline struct device *to_device(struct ibv_device *d)
{
	return (struct device *)d;
}

/* The device of a context: its number, and has it failed? */
static inline unsigned context_device(const struct ibv_context *c)
{
	return to_device(c->device)->number;
}

static inline bool context_failed(const struct ibv_context *c)
{
	return to_device(c->device)->failed;
}

#define LOCAL_ACK_DELAY 12 /* 4.096 us * 2^12 = 17 ms: what a busy host takes to answer */

/* 02:00:c0:ff:fe and three random bytes, and one more for each further device: another one for each
 * process, so that a peer does not take a connection of a process that was started again for one
 * that it still has. */
__be64 device_guid(unsigned device);
/* After fork(), in the child: the GUID and the next keys and numbers are other ones than the
 * parent's; the contexts are the parent's. Takes no lock. */
void device_forget(void);

/* DEVICE_FATAL: all QPs of the device go to ERR, every context of it has the event, and from then
 * on its objects are neither made nor changed: EIO. With the lock; the caller flushes. */
void device_fail(struct device *d);
/* Of the connection manager, which is a floor above; NULL: it is not used. GID_CHANGE (failed is
 * NULL) and DEVICE_FATAL. */
extern void (*device_news)(struct ibv_device *failed);

/* Obeys the rules about events (on_purpose.c) from now on; called when a device is opened, and when
 * the rules change. With the lock. */
void on_purpose_begin(void);

/* Fills c->v.ops and c->v.context.ops: what the inline functions of verbs.h call. Each file
 * of verbs/ has a part: context_ops_qp() and so on. */
void context_ops_cq(struct context *c);
void context_ops_qp(struct context *c);
void context_ops_srq(struct context *c);
void context_ops_mw(struct context *c);
void context_ops_mr(struct context *c);
void context_ops_pd(struct context *c);

struct td;

/* A protection domain, or a parent domain: an application holds both as struct ibv_pd. */
struct pd {
	struct ibv_pd v;
	struct pd *domain;    /* what protects: itself; of a parent domain, the PD it was made of */
	struct td *td;	      /* of a parent domain, or NULL */
	LIST_ENTRY(pd) entry; /* of all that there are */
	unsigned users;
};

/* Is what was made with the one PD open to what was made with the other? */
static inline bool same_domain(const struct pd *a, const struct pd *b)
{
	return a->domain == b->domain;
}

/* Calls fn for every PD. */
void pd_each(void (*fn)(struct pd *pd, void *arg), void *arg);

/* Memory of a queue, aligned to cache lines, not zeroed; for free(3). NULL with ENOMEM. */
static inline void *queue_alloc(size_t size)
{
	return aligned_alloc(CACHE_LINE, (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
}

static inline struct pd *to_pd(struct ibv_pd *p)
{
	return (struct pd *)p;
}

/* Rings of work requests, completions and answers: positions run freely, a mask finds the slot. */

/* The least power of two that is not less than n; 1 for 0. n is at most 2^31. */
static inline uint32_t ring_slots(uint32_t n)
{
	return n > 1 ? 1u << (32 - __builtin_clz(n - 1)) : 1;
}

/*
 * Events: lists with a descriptor that is readable while something is in them.
 * ibv_get_async_event(3), ibv_get_cq_event(3), rdma_get_cm_event(3).
 */

struct context;
struct cq;
struct qp;
struct srq;

/* Belongs to one list of events: its descriptor, and the threads that take events. */
struct event_queue {
	int fd;		  /* eventfd(2) as a semaphore, close-on-exec; own_fd.h */
	unsigned length;  /* of the list */
	unsigned counted; /* events that fd counts; the others were handed to threads that wait */
	unsigned takers;  /* threads in event_take() */
	unsigned forks;	  /* event_forks when it was made */
	bool closed;	  /* goes when the last taker comes back */
};

/* How many times fork() has led to this process. */
extern unsigned event_forks;

/* After fork(), in the child: queues that exist are the parent's. */
void event_forget(void);
static inline bool event_queue_is_ours(const struct event_queue *q)
{
	return q->forks == event_forks;
}

/* NULL with errno. Without the lock, as the only one of these functions. */
struct event_queue *event_queue_new(void);
/* The list goes, and its owner may go. A thread that waits in event_take() waits on, as with the
 * kernel. Until it returns or is cancelled it keeps the descriptor open, whose number would be used
 * for something else otherwise. */
void event_queue_close(struct event_queue *q);
/* The list has one event more, or one less: taken by somebody else than event_take(), or dropped.
 * Neither blocks. Nothing is added to a queue of the parent. */
void event_added(struct event_queue *q);
void event_removed(struct event_queue *q);
/* Takes an event: what take(owner) returns, which removes it from the list, or returns NULL if the
 * list is empty. Blocks, making progress, while there is none; the lock is free meanwhile. A
 * cancellation point. NULL with errno: EAGAIN if the descriptor has O_NONBLOCK, EBADF if the queue
 * is the parent's, or an errno of engine_wait_fd(). */
void *event_take(struct event_queue *q, void *(*take)(void *owner), void *owner);

/* Asynchronous events; each remembers the object until it is acknowledged. */
void event_cq(struct cq *cq, enum ibv_event_type type);
void event_qp(struct qp *qp, enum ibv_event_type type);
void event_srq(struct srq *srq, enum ibv_event_type type);
/* To every open context of the device. */
void event_port(unsigned device, enum ibv_event_type type);

/* Waits until every event about obj that was taken is acknowledged, and forgets those that
 * were not taken: before it is destroyed. */
void event_drain(struct context *c, const void *obj);
/* The context is closed: forgets all. */
void event_forget_all(struct context *c);

/* ---------------------------------------------------------- inventory.c -- */

/* A file with the objects of this process (uroce/inventory.h), which the caller closes; -1 with
 * errno. */
int inventory_fd(void);

#endif
