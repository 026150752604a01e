/* SPDX-License-Identifier: MIT */
/* Completion queues: ibv_create_cq(3), ibv_resize_cq(3), ibv_poll_cq(3).
 * 11.2.8, 11.4.2. Completion channels: ibv_get_cq_event(3). 11.4.2.2, 11.5.1. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "completion_queue.h"
#include "engine.h"
#include "profile.h"
#include "context.h"
#include "export.h"
#include "history.h"
#include "queue_pair.h"
#include "transport.h"

static unsigned cq_count;
static LIST_HEAD(, cq) all_cqs = LIST_HEAD_INITIALIZER(all_cqs);
static uint32_t next_handle;

/* Aligned, so that a completion is one cache line. */
static struct completion *ring_alloc(uint32_t entries)
{
	return queue_alloc(entries * sizeof(struct completion));
}

/* --------------------------------------------------- completion channels -- */

/*
 * The handler of completion events of 11.5.1 is the thread that reads the descriptor.
 *
 * A channel has one list of the completion queues that have events; each of these counts its own.
 * So an event needs no memory, and destroying a queue removes all its events at once.
 */

EXPORT struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct channel *ch = calloc(1, sizeof *ch);

	if (!ch)
		return NULL;
	ch->v.context = context;
	TAILQ_INIT(&ch->waiting);
	ch->queue = event_queue_new();
	if (!ch->queue) {
		int err = errno;

		free(ch);
		return fail_null(err);
	}
	ch->v.fd = ch->queue->fd;
	engine_lock();
	to_context(context)->channels++;
	engine_unlock();
	return &ch->v;
}

EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct channel *ch = (struct channel *)channel;

	SCOPED_ENGINE_LOCK();
	if (ch->users)
		return errno = EBUSY;
	to_context(channel->context)->channels--;
	event_queue_close(ch->queue);
	free(ch);
	return 0;
}

void cq_channel_put(struct cq *cq)
{
	if (!event_queue_is_ours(cq->channel->queue))
		return;
	if (cq->events++ == 0)
		TAILQ_INSERT_TAIL(&cq->channel->waiting, cq, waiting);
	event_added(cq->channel->queue);
}

/* Forgets those that were not taken. */
static void channel_forget(struct cq *cq)
{
	if (cq->events == 0)
		return;
	TAILQ_REMOVE(&cq->channel->waiting, cq, waiting);
	for (; cq->events; cq->events--)
		event_removed(cq->channel->queue);
}

/* Takes an event of the completion queue that has waited longest, which goes to the end of the list
 * if it has more. */
static void *channel_take(void *channel)
{
	struct channel *ch = channel;
	struct cq *cq = TAILQ_FIRST(&ch->waiting);

	if (!cq)
		return NULL;
	TAILQ_REMOVE(&ch->waiting, cq, waiting);
	if (--cq->events)
		TAILQ_INSERT_TAIL(&ch->waiting, cq, waiting);
	cq->taken++;
	return cq;
}

EXPORT int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	struct channel *ch = (struct channel *)channel;
	struct cq *found;

	engine_lock();
	found = to_context(channel->context)->orphan ? fail_null(EBADF)
						     : event_take(ch->queue, channel_take, ch);
	if (found) {
		*cq = &found->v;
		*cq_context = found->v.cq_context;
	}
	engine_unlock();
	return found ? 0 : -1;
}

EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned nevents)
{
	SCOPED_ENGINE_LOCK();
	cq->comp_events_completed += nevents;
	engine_wake_all();
}

/* ---------------------------------------------------------------- completions -- */

static void fail_qp(struct qp *qp, void *cq)
{
	const struct uroce_change why = { .cause = UROCE_BY_CQ,
					  .value = ((const struct cq *)cq)->v.handle };

	if ((qp->send_cq == cq || qp->recv_cq == cq) && qp_state(qp) != IBV_QPS_RESET &&
	    qp_state(qp) != IBV_QPS_ERR)
		transport_fail(qp, IBV_EVENT_QP_FATAL, &why);
}

/* 11.6.3.2: an error of a CQ is an error of all work queues that complete there. They fail a little
 * later, because one of them is just putting the completion that did not fit. */
static void fail_qps(struct timer *t)
{
	struct cq *cq = (struct cq *)((char *)t - offsetof(struct cq, failing));

	qp_each(fail_qp, cq);
}

static void raise_overrun(struct cq *cq)
{
	if (cq->overrun || cq->drops)
		return;
	cq->overrun = true;
	event_cq(cq, IBV_EVENT_CQ_ERR);
	timer_set(&cq->failing, engine_now());
}

void cq_put(struct cq *cq, const struct ibv_wc *wc, bool solicited)
{
	if (order_on())
		late_put(cq, wc, solicited);
	else
		cq_put_now(cq, wc, solicited);
}

void cq_put_now(struct cq *cq, const struct ibv_wc *wc, bool solicited)
{
	uint32_t tail = atomic_load_explicit(&cq->tail, memory_order_relaxed);
	enum cq_armed armed = atomic_load_explicit(&cq->armed, memory_order_relaxed);
	const uint32_t filled = tail - atomic_load_explicit(&cq->head, memory_order_acquire);
	struct completion *c = &cq->ring[tail & cq->mask];

	if (filled >= cq->size) {
		history_lost(cq, wc);
		raise_overrun(cq);
		return;
	}
	if (filled >= cq->most)
		cq->most = filled + 1;
	c->wc = *wc;
	if (cq->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		c->clock = engine_clock();
	if (cq->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		c->wall = clock_read(CLOCK_REALTIME);
	if (lent_seen)
		lent_completed(c, wc->opcode & IBV_WC_RECV);
	atomic_store_explicit(&cq->tail, tail + 1, memory_order_release);
	if (armed == CQ_ARMED || (armed == CQ_ARMED_SOLICITED && solicited)) {
		atomic_store_explicit(&cq->armed, CQ_UNARMED, memory_order_relaxed);
		if (cq->channel)
			order_on() ? late_event(cq) : cq_channel_put(cq);
	}
}

void cq_purge(struct cq *cq, uint32_t qpn)
{
	uint32_t head, to;

	late_purge(cq, qpn);
	pthread_mutex_lock(&cq->taking);
	head = atomic_load_explicit(&cq->head, memory_order_relaxed);
	to = atomic_load_explicit(&cq->tail, memory_order_relaxed);
	/* from the youngest to the oldest: those that stay move up */
	for (uint32_t from = to; from != head; from--) {
		const struct completion *c = &cq->ring[(from - 1) & cq->mask];

		if (c->wc.qp_num == qpn)
			continue;
		to--;
		if (to != from - 1)
			cq->ring[to & cq->mask] = *c;
	}
	atomic_store_explicit(&cq->head, to, memory_order_release);
	pthread_mutex_unlock(&cq->taking);
}

unsigned cq_take(struct cq *cq, struct completion *c, struct ibv_wc *wc, unsigned n)
{
	uint32_t head, ready;

	pthread_mutex_lock(&cq->taking);
	head = atomic_load_explicit(&cq->head, memory_order_relaxed);
	ready = atomic_load_explicit(&cq->tail, memory_order_acquire) - head;
	if (n > ready)
		n = ready;
	for (unsigned i = 0; i < n; i++, head++) {
		if (lent_seen)
			lent_polled(&cq->ring[head & cq->mask]);
		if (wc)
			wc[i] = cq->ring[head & cq->mask].wc;
		else
			c[i] = cq->ring[head & cq->mask];
	}
	atomic_store_explicit(&cq->head, head, memory_order_release);
	pthread_mutex_unlock(&cq->taking);
	if (order_on() || lent_seen || profile_is_strict)
		late_polled(c, wc, n);
	return n;
}

static int poll_cq(struct ibv_cq *v, int num_entries, struct ibv_wc *wc)
{
	struct cq *cq = to_cq(v);

	if (num_entries <= 0)
		return num_entries < 0 ? -EINVAL : 0;
	if (cq_empty(cq)) {
		engine_poll_empty(cq);
		if (cq_empty(cq))
			return 0;
	}
	engine_poll_found();
	return (int)cq_take(cq, NULL, wc, (unsigned)num_entries);
}

/* 11.4.2.2: asks for the next completion, not for those that are there. A request for any
 * completion stays so, whatever is asked for afterwards. */
static int req_notify_cq(struct ibv_cq *v, int solicited_only)
{
	struct cq *cq = to_cq(v);

	engine_lock();
	if (!solicited_only)
		atomic_store_explicit(&cq->armed, CQ_ARMED, memory_order_relaxed);
	else if (atomic_load_explicit(&cq->armed, memory_order_relaxed) == CQ_UNARMED)
		atomic_store_explicit(&cq->armed, CQ_ARMED_SOLICITED, memory_order_relaxed);
	engine_unlock();
	engine_armed();
	return 0;
}

/* ------------------------------------------------------------ create and destroy -- */

static int check_cq(struct ibv_context *context, uint32_t cqe, struct ibv_comp_channel *channel,
		    uint32_t comp_vector)
{
	if (cqe < 1 || cqe > MAX_CQE || comp_vector >= (uint32_t)context->num_comp_vectors)
		return EINVAL;
	return channel && channel->context != context ? EINVAL : 0;
}

/* 0, or an errno */
static int enter_cq(struct cq *cq)
{
	SCOPED_ENGINE_LOCK();
	if (context_failed(&cq->ctx->v.context))
		return EIO;
	if (cq_count >= MAX_CQ)
		return ENOMEM;
	cq_count++;
	LIST_INSERT_HEAD(&all_cqs, cq, entry);
	cq->ctx->objects++;
	if (cq->channel)
		cq->channel->users++;
	if (cq->pd)
		cq->pd->users++;
	cq->v.handle = next_handle++;
	return 0;
}

static void make_locks(struct cq *cq)
{
	pthread_mutex_init(&cq->v.mutex, NULL);
	pthread_cond_init(&cq->v.cond, NULL);
	pthread_mutex_init(&cq->taking, NULL);
	pthread_mutex_init(&cq->polling, NULL);
}

void cq_each(void (*fn)(struct cq *cq, void *arg), void *arg)
{
	struct cq *cq;

	LIST_FOREACH(cq, &all_cqs, entry)
		fn(cq, arg);
}

void cq_forget_all(void)
{
	struct cq *cq;

	LIST_FOREACH(cq, &all_cqs, entry)
		make_locks(cq);
}

struct cq *cq_new(struct ibv_context *context, uint32_t cqe, void *cq_context,
		  struct ibv_comp_channel *channel, uint32_t comp_vector, struct pd *pd)
{
	struct cq *cq;
	int err = check_cq(context, cqe, channel, comp_vector);

	if (err)
		return fail_null(err);
	cq = calloc(1, sizeof *cq);
	if (!cq)
		return NULL;
	cq->v.context = context;
	cq->v.channel = channel;
	cq->v.cq_context = cq_context;
	cq->v.cqe = (int)cqe;
	make_locks(cq);
	cq->ctx = to_context(context);
	cq->pd = pd;
	cq->channel = (struct channel *)channel;
	cq->size = cqe;
	cq->mask = ring_slots(cqe) - 1;
	cq->failing.fn = fail_qps;
	TAILQ_INIT(&cq->late);
	cq->ring = ring_alloc(cq->mask + 1);
	err = cq->ring ? enter_cq(cq) : ENOMEM;
	if (err) {
		free(cq->ring);
		free(cq);
		return fail_null(err);
	}
	return cq;
}

EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
				    struct ibv_comp_channel *channel, int comp_vector)
{
	struct cq *cq = cq_new(context, (uint32_t)cqe, cq_context, channel, (uint32_t)comp_vector,
			       NULL);

	return cq ? &cq->v : NULL;
}

/* Called with both locks. The completions keep their positions in the new ring. */
static int move_completions(struct cq *cq, struct completion *ring, uint32_t cqe, uint32_t mask)
{
	uint32_t head = atomic_load_explicit(&cq->head, memory_order_relaxed);
	uint32_t tail = atomic_load_explicit(&cq->tail, memory_order_relaxed);

	if (tail - head > cqe)
		return EINVAL;
	for (; head != tail; head++)
		ring[head & mask] = cq->ring[head & cq->mask];
	cq->ring = ring;
	cq->mask = mask;
	cq->size = cqe;
	cq->v.cqe = (int)cqe;
	return 0;
}

EXPORT int ibv_resize_cq(struct ibv_cq *v, int cqe)
{
	struct cq *cq = to_cq(v);
	struct completion *ring, *old;
	uint32_t mask;
	int err;

	if (cqe < 1 || cqe > MAX_CQE)
		return errno = EINVAL;
	mask = ring_slots((uint32_t)cqe) - 1;
	ring = ring_alloc(mask + 1);
	if (!ring)
		return errno = ENOMEM;
	engine_lock();
	pthread_mutex_lock(&cq->taking);
	old = cq->ring;
	err = context_failed(&cq->ctx->v.context) ? EIO
						  : move_completions(cq, ring, (uint32_t)cqe, mask);
	pthread_mutex_unlock(&cq->taking);
	engine_unlock();
	free(err ? ring : old);
	if (err)
		errno = err;
	return err;
}

/* Waits for the acknowledgement of all events that were taken: ibv_get_cq_event(3). */
EXPORT int ibv_destroy_cq(struct ibv_cq *v)
{
	struct cq *cq = to_cq(v);

	engine_lock();
	if (cq->users) {
		engine_unlock();
		return errno = EBUSY;
	}
	timer_stop(&cq->failing);
	late_forget(cq);
	atomic_store_explicit(&cq->armed, CQ_UNARMED, memory_order_relaxed);
	if (cq->channel)
		channel_forget(cq);
	while (cq->taken != cq->v.comp_events_completed && !cq->ctx->orphan)
		engine_sleep();
	event_drain(cq->ctx, cq);
	if (cq->channel)
		cq->channel->users--;
	if (cq->pd)
		cq->pd->users--;
	cq->ctx->objects--;
	LIST_REMOVE(cq, entry);
	cq_count--;
	engine_unlock();
	pthread_mutex_destroy(&cq->taking);
	pthread_mutex_destroy(&cq->polling);
	pthread_mutex_destroy(&cq->v.mutex);
	pthread_cond_destroy(&cq->v.cond);
	free(cq->ring);
	free(cq);
	return 0;
}

void context_ops_cq(struct context *c)
{
	c->v.context.ops.poll_cq = poll_cq;
	c->v.context.ops.req_notify_cq = req_notify_cq;
	c->v.create_cq_ex = cq_create_ex;
}
