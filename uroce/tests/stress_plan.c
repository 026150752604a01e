// SPDX-License-Identifier: MIT
#include <string.h>

#include "stress.h"

const char *const kind_names[KINDS] = {
	[SEND] = "send",     [SEND_IMM] = "send_imm",	[SEND_INV] = "send_inv",
	[WRITE] = "write",   [WRITE_IMM] = "write_imm", [READ] = "read",
	[CMP_SWAP] = "swap", [FETCH_ADD] = "add",
};

#define GAP_MAX 64 /* bytes between two messages, which must stay as they are */

/* ---------------------------------------------------------------- random numbers -- */

uint64_t mix(uint64_t z)
{
	z += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

struct dice {
	uint64_t state;
};

static uint64_t roll(struct dice *d)
{
	return mix(d->state += 0x9e3779b97f4a7c15);
}

static uint32_t below(struct dice *d, uint32_t n)
{
	return (uint32_t)(roll(d) >> 32) % n;
}

static bool one_in(struct dice *d, uint32_t n)
{
	return below(d, n) == 0;
}

/* ----------------------------------------------------------------------- content -- */

const uint8_t *content_bytes(struct content c, uint32_t len)
{
	static uint64_t words[AREA_BYTES / 8 + 2];
	uint32_t first = c.skew / 8, n = (c.skew % 8 + len + 7) / 8;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t x = (c.seed + first + i) * 0x9e3779b97f4a7c15;

		words[i] = x ^ x >> 29;
	}
	return (const uint8_t *)words + c.skew % 8;
}

struct content source_content(const struct setting *s, unsigned end, unsigned qp)
{
	return (struct content){ .seed = mix(s->seed ^ mix(end << 16 | qp | 0x50000000)) };
}

/* -------------------------------------------------------------------------- plan -- */

bool op_is_atomic(const struct op *op)
{
	return op->kind == CMP_SWAP || op->kind == FETCH_ADD;
}

bool op_takes_recv(const struct op *op)
{
	return op->kind <= SEND_INV || op->kind == WRITE_IMM;
}

/* Short messages are more frequent; those at the borders of packets more than by chance. */
static uint32_t roll_length(struct dice *d, const struct setting *s)
{
	uint32_t mtu = 128u << s->mtu;
	const uint32_t borders[] = { 0, 1, mtu - 1, mtu, mtu + 1, 2 * mtu, 3 * mtu + 1, LEN_MAX };

	if (one_in(d, 8))
		return borders[below(d, sizeof(borders) / sizeof(borders[0]))];
	return below(d, (1u << below(d, 17)) + 1);
}

static int roll_cuts(struct dice *d, uint32_t *cut, uint32_t len)
{
	int n = 0;

	/* ascending, without empty parts */
	for (uint32_t at = 0; n < SGES - 1 && one_in(d, 2) && len - at > 1; n++) {
		at += 1 + below(d, len - at - 1);
		cut[n] = at;
	}
	return len ? n + 1 : 0;
}

int op_sges(struct ibv_sge *sge, uint64_t addr, uint32_t len, const uint32_t *cut, int n,
	    uint32_t lkey)
{
	uint32_t at = 0;

	for (int i = 0; i < n; i++) {
		uint32_t end = i == n - 1 ? len : cut[i];

		sge[i] = (struct ibv_sge){ addr + at, end - at, lkey };
		at = end;
	}
	return n;
}

/* Where the next message of len bytes goes in an area. */
static uint32_t place(struct dice *d, uint32_t *used, uint32_t len, uint32_t align)
{
	uint32_t at = (*used + below(d, GAP_MAX) + align - 1) & ~(align - 1);

	*used = at + len;
	return at;
}

static bool full(uint32_t used)
{
	return used + GAP_MAX + 2 * LEN_MAX > AREA_BYTES;
}

static enum kind roll_kind(struct dice *d, const struct plan *p, const struct setting *s)
{
	for (;;) {
		enum kind k = (enum kind)below(d, KINDS);

		if (s->kinds & 1u << k && !(k == SEND_INV && (p->invalidates || !one_in(d, 8))))
			return k;
		if (s->kinds == 1u << SEND_INV)
			return p->invalidates ? SEND : SEND_INV;
	}
}

/* Shortens or lengthens an operation that Linux 6.12's rdma_rxe would get wrong: a READ by it of
 * more than one packet, a READ or WRITE of no bytes from it. */
static uint32_t spare_rxe(uint32_t len, enum kind kind, const struct setting *s, unsigned end)
{
	uint32_t mtu = 128u << s->mtu;

	if (s->rxe_newer & 1u << end && kind == READ && len > mtu)
		return mtu;
	if (s->rxe_newer & 1u << !end && (kind == READ || kind == WRITE || kind == WRITE_IMM) &&
	    !len)
		return 1;
	return len;
}

static void plan_atomic(struct op *op, struct plan *p, struct dice *d)
{
	uint64_t *counter;

	op->len = sizeof(uint64_t);
	op->nsge = 1;
	op->shared = op->kind == FETCH_ADD && one_in(d, 2);
	if (op->shared) {
		op->swap_add = 1;
		p->nshared++;
		return;
	}
	op->remote = below(d, COUNTERS_MAX);
	counter = &p->counter[op->remote];
	op->original = *counter;
	op->swap_add = roll(d);
	if (op->kind == FETCH_ADD) {
		*counter += op->swap_add;
	} else if (one_in(d, 2)) {
		op->compare = *counter;
		*counter = op->swap_add;
	} else {
		op->compare = *counter ^ (1 + roll(d) % 0xffff);
	}
}

/* A READ of the source, or of what a WRITE before it has left. */
static void plan_read(struct op *op, const struct plan *p, struct dice *d, struct content source,
		      const struct setting *s, unsigned end)
{
	const struct op *w = p->n ? &p->op[below(d, p->n)] : NULL;

	if (w && (w->kind == WRITE || w->kind == WRITE_IMM) && w->len) {
		uint32_t skip = below(d, w->len);

		op->len = spare_rxe(1 + below(d, w->len - skip), READ, s, end);
		op->remote = w->remote + skip;
		op->content = w->content;
		op->content.skew += skip;
	} else {
		op->from_source = true;
		op->len = spare_rxe(roll_length(d, &(struct setting){ .mtu = IBV_MTU_1024 }), READ,
				    s, end);
		op->remote = below(d, AREA_BYTES - op->len);
		op->content = source;
		op->content.skew = op->remote;
	}
}

void plan_make(struct plan *p, const struct setting *s, unsigned end, unsigned qp, uint64_t round)
{
	struct content source = source_content(s, !end, qp);
	struct dice d = { mix(s->seed ^ mix(round << 8 | qp << 1 | end)) };
	uint32_t local = 0, remote = 0, recv = 0;

	memset(p, 0, sizeof(*p));
	for (; p->n < OPS_MAX && !full(local) && !full(remote) && !full(recv); p->n++) {
		struct op *op = &p->op[p->n];

		op->kind = roll_kind(&d, p, s);
		op->content.seed = roll(&d);
		op->signaled = one_in(&d, 2) || p->n % 8 == 7;
		op->fence = one_in(&d, 8);
		op->solicited = one_in(&d, 4);
		op->imm = (uint32_t)roll(&d);
		if (op_is_atomic(op)) {
			plan_atomic(op, p, &d);
		} else if (op->kind == READ) {
			plan_read(op, p, &d, source, s, end);
			op->nsge = roll_cuts(&d, op->cut, op->len);
		} else {
			op->len = spare_rxe(roll_length(&d, s), op->kind, s, end);
			op->in_line = op->len <= INLINE_MAX && one_in(&d, 2);
			op->nsge = roll_cuts(&d, op->cut, op->len);
		}
		op->local = place(&d, &local, op->len, op_is_atomic(op) ? 8 : 1);
		if (op->kind == WRITE || op->kind == WRITE_IMM) {
			op->remote = place(&d, &remote, op->len, 1);
			op->by_window = s->kinds & 1u << SEND_INV && !p->invalidates &&
					one_in(&d, 4);
		}
		if (op_takes_recv(op)) {
			uint32_t len = op->kind == WRITE_IMM ? 0 : op->len;

			op->slack = below(&d, GAP_MAX);
			op->recv = place(&d, &recv, len + op->slack, 1);
			op->recv_nsge = roll_cuts(&d, op->recv_cut, len + op->slack);
			p->recv[p->nrecv++] = p->n;
		}
		p->invalidates |= op->kind == SEND_INV;
	}
	p->op[p->n - 1].signaled = true;
}
