/* SPDX-License-Identifier: MIT */
/*
 * Events: queues with a descriptor that is readable while something is in them.
 * ibv_get_async_event(3), ibv_get_cq_event(3), rdma_get_cm_event(3).
 */
#ifndef UROCE_EVENTS_H
#define UROCE_EVENTS_H

#include <infiniband/verbs.h>
#include <stdbool.h>

struct context;
struct cq;
struct qp;
struct srq;

/* A descriptor that counts: eventfd(2) as a semaphore, close-on-exec. -1 with errno. */
int event_fd(void);
/* One more: never blocks. With the lock. */
void event_signal(int fd);
/* Takes one that was not announced to anybody, if there is one: what it stood for is gone.
 * Never blocks. */
void event_drop(int fd);
/* Takes one. Blocks, making progress, unless fd has O_NONBLOCK (then EAGAIN); likely: one may
 * be there already. Without the lock. 0, or -1 with errno. */
int event_take(int fd, bool likely);

/* Asynchronous events; each remembers the object until it is acknowledged. */
void event_cq(struct cq *cq, enum ibv_event_type type);
void event_qp(struct qp *qp, enum ibv_event_type type);
void event_srq(struct srq *srq, enum ibv_event_type type);
/* To every open context. */
void event_port(enum ibv_event_type type);

/* Waits until every event about obj that was taken is acknowledged, and forgets those that
 * were not taken: before it is destroyed. */
void event_drain(struct context *c, const void *obj);
/* The context is closed: forgets all. */
void event_forget_all(struct context *c);

#endif
