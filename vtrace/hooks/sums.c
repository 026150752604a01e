/* SPDX-License-Identifier: MIT */
#include "sums.h"

#include <errno.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hooks.h"
#include "recorded.h"
#include "shared_area.h"

#define BUCKETS	 4096
#define KEPT_MAX 4096 /* requests of a queue; the oldest are forgotten */
#define SGES	 4    /* of a request that are looked at */
#define ALL	 1000 /* requests of a queue are looked at, and then one in so many: */
#define ONE_IN	 7    /* no divisor of the usual sizes of rings */
#define WHOLE	 4096 /* bytes of an SGE that are all looked at; of a longer one these pieces: */
#define PIECES	 16
#define PIECE	 (WHOLE / PIECES)

/* A request that was posted and is not known to be completed. */
struct kept_sum {
	uint64_t wr_id;
	bool is_signaled;
	bool fills;    /* the device writes its memory */
	unsigned nsge; /* 0: nothing of it is looked at */
	struct {
		uint64_t addr, sum;
		uint32_t length;
	} sge[SGES];
};

/* Those of a QP. Once there, it stays, for the next QP of its number. */
struct kept_queue {
	const struct ibv_context *context;
	uint32_t qpn;
	struct kept_queue *older; /* of the same bucket */
	pthread_mutex_t lock;
	uint64_t qp;	      /* its address */
	_Atomic uint64_t put; /* requests that it has got */
	struct kept_sum *v;
	unsigned begin, n, room; /* a ring: room is a power of two */
	/* Since ibv_wr_start(), by the thread that has called it. */
	struct kept_sum *built;
	unsigned nbuilt, built_room;
};

bool sums_are_kept, sums_flags_are_asked;
static _Atomic(struct kept_queue *) buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic(struct kept_queue *) *bucket_of(uint32_t qpn)
{
	return &buckets[qpn * 2654435761u >> 20 & (BUCKETS - 1)];
}

static struct kept_queue *find_queue(const struct ibv_context *context, uint32_t qpn)
{
	struct kept_queue *q = atomic_load_explicit(bucket_of(qpn), memory_order_acquire);

	while (q && (q->qpn != qpn || q->context != context))
		q = q->older;
	return q;
}

/* NULL: sums are not kept. */
static struct kept_queue *meet_queue(const struct ibv_qp *qp)
{
	struct kept_queue *q = sums_are_kept ? find_queue(qp->context, qp->qp_num) : NULL;

	if (q || !sums_are_kept)
		return q;
	pthread_mutex_lock(&lock);
	q = find_queue(qp->context, qp->qp_num);
	if (!q) {
		q = calloc(1, sizeof *q);
		if (q) {
			q->context = qp->context;
			q->qpn = qp->qp_num;
			pthread_mutex_init(&q->lock, NULL);
			q->older = atomic_load_explicit(bucket_of(q->qpn), memory_order_relaxed);
			atomic_store_explicit(bucket_of(q->qpn), q, memory_order_release);
		}
	}
	pthread_mutex_unlock(&lock);
	return q;
}

static void empty_queue(struct kept_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->begin = q->n = 0;
	pthread_mutex_unlock(&q->lock);
}

/* ---------------------------------------------------------------------------- sums -- */

static uint64_t add_word(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ sum >> 29;
}

/* Four sums at a time, of which none waits for another. */
static uint64_t add_bytes(uint64_t sum, const unsigned char *p, size_t n)
{
	uint64_t lane[4] = { sum, 1, 2, 3 }, word[4] = { 0 };

	for (; n >= sizeof word; n -= sizeof word, p += sizeof word) {
		memcpy(word, p, sizeof word);
		for (unsigned i = 0; i < 4; i++)
			lane[i] = add_word(lane[i], word[i]);
	}
	memset(word, 0, sizeof word);
	memcpy(word, p, n);
	for (unsigned i = 0; i < 4; i++)
		sum = add_word(add_word(sum, lane[i]), word[i]);
	return sum;
}

/* The sum of an SGE. false: it cannot be read; the program may have unmapped it. The kernel reads,
 * so that this process does not fail where the device would. */
static bool sum_memory(uint64_t addr, uint32_t length, uint64_t *sum)
{
	const unsigned n = length <= WHOLE ? 1 : PIECES;
	unsigned char bytes[WHOLE];
	struct iovec from[PIECES], into = { bytes, n == 1 ? length : WHOLE };

	for (unsigned i = 0; i < n; i++) {
		const uint64_t at = n == 1 ? 0 : (uint64_t)(length - PIECE) * i / (PIECES - 1);

		from[i].iov_base = (void *)(uintptr_t)(addr + at);
		from[i].iov_len = n == 1 ? length : PIECE;
	}
	if (process_vm_readv(getpid(), &into, 1, from, n, 0) != (ssize_t)into.iov_len)
		return false;
	*sum = add_bytes(length, bytes, into.iov_len);
	return true;
}

static bool reads_memory(const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return !(wr->send_flags & IBV_SEND_INLINE);
	default:
		return false;
	}
}

/* Sums what the request sends; what cannot be read is not looked at later. A busy queue is sampled:
 * each look is a system call. */
static void sum_sges(struct kept_queue *q, struct kept_sum *s)
{
	const uint64_t number = q->put++;

	if (number >= ALL && number % ONE_IN)
		s->nsge = 0;
	for (unsigned i = 0; i < s->nsge; i++)
		if (!s->sge[i].length ||
		    !sum_memory(s->sge[i].addr, s->sge[i].length, &s->sge[i].sum))
			s->sge[i].length = 0;
}

static void add_sge(struct kept_sum *s, uint64_t addr, uint32_t length)
{
	if (s->nsge == SGES)
		return;
	s->sge[s->nsge].addr = addr;
	s->sge[s->nsge++].length = length;
}

static struct kept_sum sum_request(struct kept_queue *q, const struct ibv_send_wr *wr)
{
	struct kept_sum s = { .wr_id = wr->wr_id,
			      .is_signaled = wr->send_flags & IBV_SEND_SIGNALED };

	for (int i = 0; reads_memory(wr) && i < wr->num_sge && wr->num_sge <= RECORD_SGES_MAX; i++)
		add_sge(&s, wr->sg_list[i].addr, wr->sg_list[i].length);
	sum_sges(q, &s);
	return s;
}

/* -------------------------------------------------------------------------- requests -- */

static bool make_room(struct kept_queue *q)
{
	const unsigned room = q->room ? 2 * q->room : 64;
	struct kept_sum *v;

	if (q->n < q->room)
		return true;
	if (q->room == KEPT_MAX) {
		q->begin++;
		q->n--;
		return true;
	}
	v = malloc(room * sizeof *v);
	if (!v)
		return false;
	for (unsigned i = 0; i < q->n; i++)
		v[i] = q->v[(q->begin + i) & (q->room - 1)];
	free(q->v);
	q->v = v;
	q->room = room;
	q->begin = 0;
	return true;
}

static void put_sum(struct kept_queue *q, const struct ibv_qp *qp, const struct kept_sum *s)
{
	pthread_mutex_lock(&q->lock);
	q->qp = (uintptr_t)qp;
	if (make_room(q))
		q->v[(q->begin + q->n++) & (q->room - 1)] = *s;
	pthread_mutex_unlock(&q->lock);
}

void sums_post(struct ibv_qp *qp, const struct ibv_send_wr *wr)
{
	const int err = errno;
	struct kept_queue *q = meet_queue(qp);

	for (unsigned i = 0; q && wr && i < RECORD_LIST_MAX; wr = wr->next, i++) {
		const struct kept_sum s = sum_request(q, wr);

		put_sum(q, qp, &s);
	}
	errno = err;
}

void sums_build(struct ibv_qp_ex *qp)
{
	struct kept_queue *q = meet_queue(&qp->qp_base);

	if (q)
		q->nbuilt = 0;
}

void sums_build_request(struct ibv_qp_ex *qp, bool sends)
{
	struct kept_queue *q = meet_queue(&qp->qp_base);
	struct kept_sum *v;

	if (!q)
		return;
	if (q->nbuilt == q->built_room) {
		v = realloc(q->built, (q->built_room + 16) * sizeof *v);
		if (!v)
			return;
		q->built = v;
		q->built_room += 16;
	}
	q->built[q->nbuilt++] = (struct kept_sum){
		.wr_id = qp->wr_id,
		.is_signaled = qp->wr_flags & IBV_SEND_SIGNALED,
		.fills = !sends,
	};
}

void sums_build_sges(struct ibv_qp_ex *qp, size_t n, const struct ibv_sge *sge)
{
	struct kept_queue *q = meet_queue(&qp->qp_base);
	struct kept_sum *last = q && q->nbuilt ? &q->built[q->nbuilt - 1] : NULL;

	for (size_t i = 0; last && !last->fills && i < n && n <= RECORD_SGES_MAX; i++)
		add_sge(last, sge[i].addr, sge[i].length);
}

void sums_built(struct ibv_qp_ex *qp)
{
	const int err = errno;
	struct kept_queue *q = meet_queue(&qp->qp_base);

	for (unsigned i = 0; q && i < q->nbuilt; i++) {
		sum_sges(q, &q->built[i]);
		put_sum(q, &qp->qp_base, &q->built[i]);
	}
	if (q)
		q->nbuilt = 0;
	errno = err;
}

void sums_posted(struct ibv_qp *qp, int err)
{
	struct kept_queue *q = sums_are_kept && err ? find_queue(qp->context, qp->qp_num) : NULL;

	if (q)
		empty_queue(q);
}

static void note_change(uint64_t qp, uint64_t how, uint64_t addr, uint64_t length,
			struct record_from from)
{
	const uint64_t args[] = { qp, how, addr, length };
	struct record_call call;

	record_aside(SHARED_OWN_DEPTH);
	record_begin(&call, SHARED_CHANGED_ROW, args, from);
	record_end(&call, 0);
	record_aside(-SHARED_OWN_DEPTH);
}

static void compare_request(const struct kept_queue *q, const struct kept_sum *s,
			    struct record_from from)
{
	uint64_t sum;

	for (unsigned i = 0; i < s->nsge; i++)
		if (s->sge[i].length && sum_memory(s->sge[i].addr, s->sge[i].length, &sum) &&
		    sum != s->sge[i].sum)
			note_change(q->qp, 0, s->sge[i].addr, s->sge[i].length, from);
}

/* How many requests the completion is of, with those before it that it tells of, too: up to the
 * first signaled one with its wr_id; where none is, the QP signals all. 0: of none of these. */
static unsigned count_done(const struct kept_queue *q, uint64_t wr_id)
{
	unsigned other = 0;

	for (unsigned i = 0; i < q->n; i++) {
		const struct kept_sum *s = &q->v[(q->begin + i) & (q->room - 1)];

		if (s->wr_id != wr_id)
			continue;
		if (s->is_signaled)
			return i + 1;
		if (!other)
			other = i + 1;
	}
	return other;
}

static void take_completion(struct kept_queue *q, const struct ibv_wc *wc, struct record_from from)
{
	unsigned done;

	pthread_mutex_lock(&q->lock);
	done = count_done(q, wc->wr_id);
	for (; done; done--) {
		compare_request(q, &q->v[q->begin & (q->room - 1)], from);
		q->begin++;
		q->n--;
	}
	pthread_mutex_unlock(&q->lock);
}

void sums_polled(struct ibv_context *context, int n, const struct ibv_wc *wc,
		 struct record_from from)
{
	const int err = errno;

	for (int i = 0; sums_are_kept && i < n; i++) {
		struct kept_queue *q = find_queue(context, wc[i].qp_num);

		if (!q)
			continue;
		if (wc[i].status != IBV_WC_SUCCESS)
			empty_queue(q); /* the QP is in ERR: all the others are flushed */
		else if (!(wc[i].opcode & IBV_WC_RECV))
			take_completion(q, &wc[i], from);
	}
	errno = err;
}

/* Asks the provider, so that the calls are not noted. Where the program has not asked for the QP's
 * number (IBV_WC_EX_WITH_QP_NUM), nothing is compared. */
static void compare_ex(struct ibv_cq_ex *cq, struct record_from from)
{
	hook_fn *const number = hooked_pointer(cq, hooks_of_cq,
					       offsetof(struct ibv_cq_ex, read_qp_num)),
		       *const opcode = hooked_pointer(cq, hooks_of_cq,
						      offsetof(struct ibv_cq_ex, read_opcode));
	uint32_t (*read_qp_num)(struct ibv_cq_ex *);
	enum ibv_wc_opcode (*read_opcode)(struct ibv_cq_ex *);
	struct ibv_wc wc = { .wr_id = cq->wr_id, .status = cq->status };

	memcpy(&read_qp_num, &number, sizeof read_qp_num);
	memcpy(&read_opcode, &opcode, sizeof read_opcode);
	if (!read_qp_num || !read_opcode)
		return;
	wc.qp_num = read_qp_num(cq);
	if (wc.status == IBV_WC_SUCCESS)
		wc.opcode = read_opcode(cq);
	sums_polled(cq->context, 1, &wc, from);
}

void sums_polled_ex(struct ibv_cq_ex *cq, int err, struct record_from from)
{
	if (sums_are_kept && !err)
		compare_ex(cq, from);
}

void sums_ask_flags(struct ibv_cq_ex *cq, struct record_from from)
{
	hook_fn *const flags = sums_flags_are_asked
				       ? hooked_pointer(cq, hooks_of_cq,
							offsetof(struct ibv_cq_ex, read_wc_flags))
				       : NULL;
	unsigned (*read_wc_flags)(struct ibv_cq_ex *);

	memcpy(&read_wc_flags, &flags, sizeof read_wc_flags);
	if (read_wc_flags && !(read_wc_flags(cq) & IBV_WC_WITH_IMM))
		note_change(0, SHARED_NO_IMM, (uintptr_t)cq, 0, from);
}

/* ------------------------------------------------------------------------------- QPs -- */

void sums_learn(const struct call_fn *fn, const uint64_t *args, const struct ibv_qp *made)
{
	const struct ibv_qp_attr *attr = NULL;
	const struct ibv_qp *qp = made;
	struct kept_queue *q;

	if (fn == &call_table[ROW_ibv_modify_qp])
		attr = (const void *)(uintptr_t)args[1];
	if (attr && args[2] & IBV_QP_STATE && attr->qp_state == IBV_QPS_RESET)
		qp = (const void *)(uintptr_t)args[0];
	q = qp ? find_queue(qp->context, qp->qp_num) : NULL;
	if (q)
		empty_queue(q);
}
