/* SPDX-License-Identifier: MIT */
/* Completion queues and channels: ibv_create_cq(3), ibv_poll_cq(3). Volume 1, 11.2.8, 11.4.2. */
#ifndef UROCE_COMPLETION_QUEUE_H
#define UROCE_COMPLETION_QUEUE_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "context.h"
#include "engine.h"
#include "order.h"

struct channel {
	struct ibv_comp_channel v;
	struct event_queue *queue;
	TAILQ_HEAD(, cq) waiting; /* have events that were not taken */
	unsigned users;		  /* completion queues */
};

/* A cache line. The times are taken only where they were asked for. */
struct completion {
	struct ibv_wc wc; /* as ibv_poll_cq() hands it over */
	uint64_t clock;	  /* CLOCK_MONOTONIC when it was made, ns: the clock of the device */
	uint64_t wall;	  /* CLOCK_REALTIME */
};

enum cq_armed { CQ_UNARMED, CQ_ARMED_SOLICITED, CQ_ARMED };

/* Put to under the engine's lock, taken from under taking: both may happen at once. Who
 * changes anything else of the ring has both locks, the engine's first. */
struct cq {
	union {
		struct ibv_cq v;
		struct ibv_cq_ex ex;
		char room[sizeof(struct ibv_cq_ex) + 256]; /* newer headers have more at its end */
	};
	struct context *ctx;
	struct pd *pd;	      /* the parent domain that it was made for, or NULL */
	LIST_ENTRY(cq) entry; /* of all that there are */
	pthread_mutex_t taking;
	struct completion *ring;
	uint32_t mask, size;	     /* size: what was asked for; the ring may have more */
	_Atomic uint32_t head, tail; /* taken at the head, put at the tail; they run freely */

	bool drops; /* IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN: what does not fit is lost, no error */
	bool overrun;
	uint32_t most; /* completions that have waited in it at once */
	uint32_t lost; /* completions; and of the first one: */
	uint64_t overrun_when, lost_wr_id;
	uint32_t lost_qpn;
	struct timer failing; /* overrun: the QPs of the queue fail in the next pass */
	_Atomic enum cq_armed armed;
	struct channel *channel;
	TAILQ_ENTRY(cq) waiting;
	unsigned events; /* not taken from the channel */
	uint32_t taken;	 /* by ibv_get_cq_event(); v.comp_events_completed: acknowledged */
	unsigned users;	 /* QPs and SRQs */

	unsigned wc_flags;	   /* of ibv_create_cq_ex() */
	bool single;		   /* IBV_CREATE_CQ_ATTR_SINGLE_THREADED */
	pthread_mutex_t polling;   /* from ibv_start_poll() to ibv_end_poll() */
	struct completion current; /* what ibv_wc_read_...() read from */

	/* held back: base/order.h, late.c */
	TAILQ_HEAD(, late) late;
	uint32_t held; /* completions in it */
	struct order_wait late_wait, event_wait;
};

static inline bool cq_is_armed(struct cq *cq)
{
	return atomic_load_explicit(&cq->armed, memory_order_relaxed) != CQ_UNARMED;
}

static inline struct cq *to_cq(struct ibv_cq *cq)
{
	return (struct cq *)cq;
}

/* Empty, without the lock: a hint for those who poll. */
static inline bool cq_empty(struct cq *cq)
{
	return atomic_load_explicit(&cq->head, memory_order_relaxed) ==
	       atomic_load_explicit(&cq->tail, memory_order_acquire);
}

/* NULL with errno: EINVAL for numbers that are out of range, ENOMEM. Takes the lock. */
struct cq *cq_new(struct ibv_context *context, uint32_t cqe, void *cq_context,
		  struct ibv_comp_channel *channel, uint32_t comp_vector, struct pd *pd);
/* ibv_create_cq_ex(3): cq_iterator.c. */
struct ibv_cq_ex *cq_create_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
/* Takes up to n completions off, without the engine's lock: into wc, or whole into c when wc
 * is NULL. Returns how many. */
unsigned cq_take(struct cq *cq, struct completion *c, struct ibv_wc *wc, unsigned n);

/* One more event of the queue for its channel. */
void cq_channel_put(struct cq *cq);

/* Puts a completion; solicited: the peer asked for an event, or it is an error. When the
 * queue is full: CQ_ERR, and the QPs of the queue fail. */
void cq_put(struct cq *cq, const struct ibv_wc *wc, bool solicited);
void cq_put_now(struct cq *cq, const struct ibv_wc *wc, bool solicited);

/* ------------------------------------------------- late.c, for order_on(): base/order.h -- */

/* The same, some passes later. */
void late_put(struct cq *cq, const struct ibv_wc *wc, bool solicited);
/* cq_channel_put(), perhaps some passes later. */
void late_event(struct cq *cq);
/* cq_purge() of what is held back; all of it, since the queue goes. */
void late_purge(struct cq *cq, uint32_t qpn);
void late_forget(struct cq *cq);
/* They were polled, into wc or, if that is NULL, whole into c: places of the send queue are free,
 * and memory is the program's again: lent.h. Takes the lock. */
void late_polled(struct completion *c, struct ibv_wc *wc, unsigned n);

/* Calls fn for every queue. */
void cq_each(void (*fn)(struct cq *cq, void *arg), void *arg);
/* After fork(), in the child: other threads of the parent may have had the locks of queues. */
void cq_forget_all(void);
/* Forgets what a QP left in it: ibv_destroy_qp(), or RESET. */
void cq_purge(struct cq *cq, uint32_t qpn);

#endif
