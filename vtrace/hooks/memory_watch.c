/* SPDX-License-Identifier: MIT */
#include "hooks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "call_record.h"
#include "record_rings.h"
#include "recorded.h"
#include "replay.h"

#define GAP 16 /* equal bytes that do not end a run of changed ones */

/* A registered region, as far as it is watched, and its bytes when it was last looked at. */
struct region {
	uint64_t mr, at;
	bool is_shared; /* the peer may write it, too */
	size_t len;
	unsigned char *was;
	struct region *next;
};

static struct {
	pthread_mutex_t lock;
	struct region *regions;
	size_t watched; /* bytes */
	unsigned char *now;
	size_t room;
} the = { .lock = PTHREAD_MUTEX_INITIALIZER };
/* The last call of this thread was a poll: it has written nothing since. */
static __thread bool has_polled;

/* The program may have unmapped it. */
static size_t read_own(uint64_t at, void *to, size_t n)
{
	const struct iovec from = { (void *)(uintptr_t)at, n }, into = { to, n };
	const ssize_t got = process_vm_readv(getpid(), &into, 1, &from, 1, 0);

	return got > 0 ? (size_t)got : 0;
}

static void note_run(uint64_t at, const unsigned char *data, size_t n, bool arrived, uint64_t when)
{
	for (size_t done = 0; done < n; done += RECORD_DATA_MAX) {
		const size_t piece = n - done > RECORD_DATA_MAX ? RECORD_DATA_MAX : n - done;
		const uint64_t args[] = { at + done, (uintptr_t)(data + done), piece, arrived };

		if (when)
			record_event_at(REPLAY_MEMORY, args, 0, when, when);
		else
			record_event(REPLAY_MEMORY, args, 0);
	}
}

/* Notes the runs of bytes that have changed. */
static void note_changes(struct region *r, const unsigned char *now, size_t n, bool arrived,
			 uint64_t when)
{
	size_t begin, end, same;

	for (size_t i = 0; i < n; i++) {
		if (r->was[i] == now[i])
			continue;
		begin = i;
		for (end = i + 1, same = 0; i < n && same < GAP; i++) {
			same = r->was[i] == now[i] ? same + 1 : 0;
			if (!same)
				end = i + 1;
		}
		note_run(r->at + begin, now + begin, end - begin, arrived, when);
		memcpy(r->was + begin, now + begin, end - begin);
		i = end;
	}
}

static void look_at_region(struct region *r, bool arrived, uint64_t when)
{
	size_t n;

	if (r->len > the.room) {
		free(the.now);
		the.now = malloc(r->len);
		the.room = the.now ? r->len : 0;
	}
	if (!the.now)
		return;
	n = read_own(r->at, the.now, r->len);
	if (memcmp(the.now, r->was, n) != 0)
		note_changes(r, the.now, n, arrived, when);
}

/* when: ticks, or 0: now. Memory that the peer can write, too, is looked at only when it is clear
 * who has written: before the program sends, and after something has arrived. */
static void look_at_regions(enum watch_moment moment, uint64_t when)
{
	pthread_mutex_lock(&the.lock);
	for (struct region *r = the.regions; r; r = r->next)
		if (!r->is_shared || moment != WATCH_BETWEEN)
			look_at_region(r, r->is_shared && moment == WATCH_RECEIVED, when);
	pthread_mutex_unlock(&the.lock);
}

void memory_watch_look(enum watch_moment moment)
{
	look_at_regions(moment, 0);
}

/* ----------------------------------------------------------------------------- regions -- */

static void forget_region(struct region *r)
{
	pthread_mutex_lock(&the.lock);
	the.watched -= r->len;
	pthread_mutex_unlock(&the.lock);
	free(r->was);
	free(r);
}

/* The region counts as all zero at first, so that its contents are noted as written by the program.
 */
static void add_region(const struct record *r, uint64_t mr)
{
	const struct ibv_mr *v = record_bytes(r, mr, NULL);
	struct region *n;
	size_t left;

	if (!v || !v->addr || !v->length)
		return;
	n = calloc(1, sizeof *n);
	if (!n)
		return;
	pthread_mutex_lock(&the.lock);
	left = REPLAY_WATCHED_MAX - the.watched;
	if (left > v->length)
		left = v->length;
	the.watched += left;
	pthread_mutex_unlock(&the.lock);
	*n = (struct region){ .mr = mr,
			      .at = (uintptr_t)v->addr,
			      .is_shared = record_arg(r, "access") &
					   (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC),
			      .len = left };
	n->was = calloc(1, n->len + 1);
	if (!n->was) {
		forget_region(n);
		return;
	}
	if (n->len < v->length)
		record_event(REPLAY_UNSEEN, (uint64_t[]){ n->at + n->len, v->length - n->len }, 0);
	pthread_mutex_lock(&the.lock);
	n->next = the.regions;
	the.regions = n;
	pthread_mutex_unlock(&the.lock);
}

/* Removes the oldest: another thread may have got a region at that address since. */
static void remove_region(uint64_t mr)
{
	struct region **found = NULL, *r;

	pthread_mutex_lock(&the.lock);
	for (struct region **at = &the.regions; *at; at = &(*at)->next)
		if ((*at)->mr == mr)
			found = at;
	r = found ? *found : NULL;
	if (r)
		*found = r->next;
	pthread_mutex_unlock(&the.lock);
	if (r)
		forget_region(r);
}

static bool is_watched(uint64_t at, size_t n)
{
	bool found = false;

	pthread_mutex_lock(&the.lock);
	for (const struct region *r = the.regions; r && !found; r = r->next)
		found = at >= r->at && at - r->at < r->len && n <= r->len - (at - r->at);
	pthread_mutex_unlock(&the.lock);
	return found;
}

/* --------------------------------------------------------------------------------- calls -- */

static void note_unwatched(uint64_t at, size_t n)
{
	unsigned char data[RECORD_DATA_MAX];

	if (is_watched(at, n))
		return;
	n = read_own(at, data, n < sizeof data ? n : sizeof data);
	note_run(at, data, n, false, 0);
}

/* Inline data need not be registered. */
static void look_at_inline(const struct record *r)
{
	const struct ibv_send_wr *wr = (const void *)(uintptr_t)r->args[1];
	const struct ibv_data_buf *buf = (const void *)(uintptr_t)r->args[2];

	if (r->fn == &call_table[ROW_ibv_wr_set_inline_data])
		note_unwatched(r->args[1], r->args[2]);
	if (r->fn == &call_table[ROW_ibv_wr_set_inline_data_list])
		for (uint64_t i = 0; buf && i < r->args[1]; i++)
			note_unwatched((uintptr_t)buf[i].addr, buf[i].length);
	if (r->fn != &call_table[ROW_ibv_post_send])
		return;
	for (unsigned n = 0; wr && n < RECORD_LIST_MAX; wr = wr->next, n++)
		for (int i = 0; wr->send_flags & IBV_SEND_INLINE && wr->sg_list &&
				i < wr->num_sge && wr->num_sge <= RECORD_SGES_MAX;
		     i++)
			note_unwatched(wr->sg_list[i].addr, wr->sg_list[i].length);
}

static bool is_poll(const struct call_fn *fn)
{
	return fn == &call_table[ROW_ibv_poll_cq] || fn == &call_table[ROW_ibv_start_poll] ||
	       fn == &call_table[ROW_ibv_next_poll];
}

static bool is_send(const struct call_fn *fn)
{
	return fn == &call_table[ROW_ibv_post_send] || fn == &call_table[ROW_ibv_wr_complete] ||
	       fn == &call_table[ROW_ibv_wr_set_inline_data] ||
	       fn == &call_table[ROW_ibv_wr_set_inline_data_list] ||
	       fn == &call_table[ROW_rdma_connect] || fn == &call_table[ROW_rdma_accept];
}

/* Is it a call of the program itself? Calls within a library and the rows noted here are not. */
static bool is_call(const struct record *r)
{
	enum replay_row row;

	return !r->depth && !replay_row_of(r->fn, &row);
}

static void before_call(void *arg, const struct record *r)
{
	(void)arg;
	if (!is_call(r) || r->fn->asks || (is_poll(r->fn) && has_polled))
		return;
	look_at_regions(is_send(r->fn) ? WATCH_SENDS : WATCH_BETWEEN, 0);
	look_at_inline(r);
}

/* Does the completion mean that the peer's bytes have arrived? The end of a send or a write does
 * not. */
static bool brings_bytes(enum ibv_wc_status status, enum ibv_wc_opcode opcode)
{
	return status == IBV_WC_SUCCESS && opcode != IBV_WC_SEND && opcode != IBV_WC_RDMA_WRITE;
}

/* Asks the provider for the opcode, so that the call is not noted. */
static bool poll_brings_bytes(const struct ibv_cq_ex *cq)
{
	hook_fn *const fn = hooked_pointer(cq, hooks_of_cq,
					   offsetof(struct ibv_cq_ex, read_opcode));
	enum ibv_wc_opcode (*read_opcode)(struct ibv_cq_ex *);

	memcpy(&read_opcode, &fn, sizeof read_opcode);
	return cq->status == IBV_WC_SUCCESS && read_opcode &&
	       brings_bytes(cq->status, read_opcode((struct ibv_cq_ex *)(uintptr_t)cq));
}

/* Has the call delivered something from the peer? */
static bool is_received(const struct record *r)
{
	const struct ibv_wc *wc = (const void *)(uintptr_t)r->after[2];

	if (r->fn == &call_table[ROW_rdma_get_cm_event])
		return true;
	if (record_takes_completion(r->fn))
		return poll_brings_bytes((const void *)(uintptr_t)r->args[0]);
	if (r->fn != &call_table[ROW_ibv_poll_cq])
		return false;
	for (uint64_t i = 0; wc && i < r->result; i++)
		if (brings_bytes(wc[i].status, wc[i].opcode))
			return true;
	return false;
}

/* Data that have arrived are noted with the time at which the call began, so that a reader has it
 * before the call. */
static void after_call(void *arg, const struct record *r)
{
	enum call_object kind = OBJECT_NONE;
	uint64_t made;

	(void)arg;
	if (!is_call(r))
		return;
	has_polled = is_poll(r->fn);
	if (r->err)
		return;
	if (r->nargs && r->fn->args[0].role == CALL_GONE && r->fn->args[0].object == OBJECT_MR)
		remove_region(r->args[0]);
	made = record_made(r, &kind);
	if (made && kind == OBJECT_MR)
		add_region(r, made);
	else if (has_polled ? !record_is_empty_poll(r) : r->fn->waits)
		look_at_regions(is_received(r) ? WATCH_RECEIVED : WATCH_BETWEEN, r->begin);
}

bool memory_watch_begin(void)
{
	static const struct record_watch watch = { .before = before_call, .after = after_call };

	if (!record_area())
		return false;
	record_watch(&watch);
	return true;
}
