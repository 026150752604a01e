// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "stress.h"

static void wrong(const struct op *op, const char *where, uint32_t at, uint8_t got, uint8_t want)
{
	die("%s of %u bytes: byte %u %s is 0x%02x, not 0x%02x", kind_names[op->kind], op->len, at,
	    where, got, want);
}

/* All as it should be; partly: each byte may be untouched as well. */
static void same(const struct op *op, const uint8_t *at, const char *where, bool partly)
{
	const uint8_t *want = content_bytes(op->content, op->len);

	if (!partly && memcmp(at, want, op->len) == 0)
		return;
	for (uint32_t i = 0; i < op->len; i++)
		if (at[i] != want[i] && !(partly && at[i] == FILLER))
			wrong(op, where, i, at[i], want[i]);
}

static void untouched(const uint8_t *at, uint32_t len, const char *where)
{
	if (len && (at[0] != FILLER || memcmp(at, at + 1, len - 1) != 0))
		for (uint32_t i = 0; i < len; i++)
			if (at[i] != FILLER)
				die("byte %u of %s has changed to 0x%02x", i, where, at[i]);
}

/* Kernel rxe has IBV_WC_GRH on RC too, and the kernel's number for IBV_WC_WITH_INV. */
static unsigned flags_of(const struct ibv_device *device, const struct ibv_wc *wc)
{
	unsigned flags = wc->wc_flags;

	if (strncmp(device->name, "rxe", 3) != 0)
		return flags;
	if (flags & 1 << 2)
		flags = (flags & ~(1u << 2)) | IBV_WC_WITH_INV;
	return flags & ~(unsigned)IBV_WC_GRH;
}

void check_recv(const struct lane *l, const struct ibv_wc *wc, const struct op *op)
{
	bool imm = op->kind == SEND_IMM || op->kind == WRITE_IMM;
	unsigned flags = imm ? IBV_WC_WITH_IMM : op->kind == SEND_INV ? IBV_WC_WITH_INV : 0;
	enum ibv_wc_opcode opcode = op->kind == WRITE_IMM ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;

	if (wc->opcode != opcode || wc->byte_len != op->len ||
	    flags_of(l->qp->context->device, wc) != flags)
		die("receive of a %s of %u bytes: opcode %d, %u bytes, flags %u",
		    kind_names[op->kind], op->len, (int)wc->opcode, wc->byte_len, wc->wc_flags);
	if (imm && wc->imm_data != op->imm)
		die("immediate data 0x%x, not 0x%x", wc->imm_data, op->imm);
	if (op->kind == SEND_INV && wc->invalidated_rkey != l->window)
		die("R_Key 0x%x was invalidated, not 0x%x", wc->invalidated_rkey, l->window);
	if (op->kind == WRITE_IMM)
		same(op, l->open->target + op->remote, "at its completion", false);
	else
		same(op, l->own->recv + op->recv, "at its completion", false);
}

void check_sink(const struct lane *l, const struct op *op)
{
	const uint8_t *at = l->own->local + op->local;
	uint64_t got;

	memcpy(&got, at, sizeof(got));
	if (op->kind == READ)
		same(op, at, "at its completion", false);
	else if (op_is_atomic(op) && !op->shared && got != op->original)
		die("%s found 0x%llx, not 0x%llx", kind_names[op->kind], (unsigned long long)got,
		    (unsigned long long)op->original);
}

/* Checks the data that our own operations have read, and that the data they sent are still there.
 */
static void check_local(struct lane *l)
{
	for (unsigned i = 0; i < l->posted; i++) {
		const struct op *op = &l->out.op[i];
		uint8_t *at = l->own->local + op->local;

		if (i < l->done)
			check_sink(l, op);
		else if (op->kind == READ)
			same(op, at, "of one that failed", true);
		if (!op_is_atomic(op) && op->kind != READ && !op->in_line)
			same(op, at, "at its source", false);
		memset(at, FILLER, op->len);
	}
	untouched(l->own->local, AREA_BYTES, "the sender's memory");
}

static void check_target(struct lane *l)
{
	for (unsigned i = 0, r = 0; i < l->in.n; i++) {
		const struct op *op = &l->in.op[i];
		bool done = i < l->peer_done;

		if (op->kind == WRITE || op->kind == WRITE_IMM) {
			same(op, l->open->target + op->remote, "at its target", !done);
			memset(l->open->target + op->remote, FILLER, op->len);
		}
		if (!op_takes_recv(op))
			continue;
		if (done && r >= l->recv_done)
			die("%s %u was completed, but its receive was not", kind_names[op->kind],
			    i);
		if (op->kind != WRITE_IMM) {
			same(op, l->own->recv + op->recv, "where it was received",
			     r >= l->recv_done);
			memset(l->own->recv + op->recv, FILLER, op->len);
		}
		r++;
	}
	untouched(l->open->target, AREA_BYTES, "the target's memory");
	untouched(l->own->recv, AREA_BYTES, "the receiver's memory");
}

static void check_source(const struct end *e, const struct lane *l, unsigned qp)
{
	const uint8_t *want = content_bytes(source_content(&e->s, e->me, qp), AREA_BYTES);

	if (memcmp(l->open->source, want, AREA_BYTES) != 0)
		die("the memory that the peer only reads has changed");
}

/* The counters as they were before operation i. */
static void rewind_counters(const struct plan *p, unsigned from, unsigned to, uint64_t *counter)
{
	for (unsigned i = to; i-- > from;)
		if (op_is_atomic(&p->op[i]) && !p->op[i].shared)
			counter[p->op[i].remote] = p->op[i].original;
}

/* Each atomic of the peer has been carried out once: all of them, or the first so many. */
static void check_counters(const struct lane *l)
{
	uint64_t counter[COUNTERS_MAX];

	memcpy(counter, l->in.counter, sizeof(counter));
	for (unsigned n = l->in.n;; n--) {
		if (memcmp(counter, l->open->counter, sizeof(counter)) == 0)
			return;
		if (n == l->peer_done)
			die("the counters are not what %u to %u operations make of them",
			    l->peer_done, l->in.n);
		rewind_counters(&l->in, n - 1, n, counter);
	}
}

static unsigned count_shared(const struct plan *p, unsigned n)
{
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++)
		count += p->op[i].shared;
	return count;
}

/* All that add 1 to the same counter find another value. */
static void check_shared_found(const struct end *e)
{
	static bool seen[QPS_MAX * OPS_MAX];
	unsigned most = 0;

	memset(seen, 0, sizeof(seen));
	for (unsigned q = 0; q < e->s.qps; q++)
		most += e->lane[q].out.nshared;
	for (unsigned q = 0; q < e->s.qps; q++) {
		const struct lane *l = &e->lane[q];

		for (unsigned i = 0; i < l->done; i++) {
			uint64_t found;

			if (!l->out.op[i].shared)
				continue;
			memcpy(&found, l->own->local + l->out.op[i].local, sizeof(found));
			if (found >= most || seen[found])
				die("a counter of %u at most was found to be %llu%s", most,
				    (unsigned long long)found, found < most ? " twice" : "");
			seen[found] = true;
		}
	}
}

void check_round(struct end *e)
{
	uint64_t least = 0, most = 0;

	check_shared_found(e);
	for (unsigned q = 0; q < e->s.qps; q++) {
		struct lane *l = &e->lane[q];

		check_counters(l);
		check_target(l);
		check_local(l);
		if (e->round % 16 == 0)
			check_source(e, l, q);
		least += count_shared(&l->in, l->peer_done);
		most += l->in.nshared;
	}
	if (*e->shared < least || *e->shared > most)
		die("the shared counter is %llu, not %llu to %llu", (unsigned long long)*e->shared,
		    (unsigned long long)least, (unsigned long long)most);
}
