/* SPDX-License-Identifier: MIT */
/*
 * Numbers of the session as expressions of the program. Addresses, keys and QP numbers differ from
 * run to run. They are recognised by their values: those of our own objects, and those in bytes
 * that the peer has sent.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection/cm.h"
#include "export/program.h"
#include "alloc.h"
#include "number_places.h"

#define SMALL 0xff /* numbers up to this one are not taken for keys or addresses */

const char *program_number(uint64_t v)
{
	return v <= 9999	 ? temp_text("%u", (unsigned)v)
	       : v <= UINT32_MAX ? temp_text("0x%xu", (unsigned)v)
				 : temp_text("0x%llxull", (unsigned long long)v);
}

static bool var_holds(const struct var *v, uint64_t addr)
{
	return v->live && v->kind == OBJECT_MR && addr >= v->memory && addr - v->memory < v->len;
}

struct var *region_of(struct program *p, uint64_t addr)
{
	for (unsigned i = 0; i < p->nvars; i++)
		if (var_holds(p->vars[i], addr))
			return p->vars[i];
	return NULL;
}

const char *own_addr(struct program *p, uint64_t addr)
{
	struct var *v = region_of(p, addr);

	if (!v)
		return NULL;
	v->used = true;
	return temp_text("(uintptr_t)at(s.%s, %llu)", v->name,
			 (unsigned long long)(addr - v->memory));
}

const char *lkey_expr(struct program *p, uint32_t lkey)
{
	for (unsigned i = 0; i < p->nvars; i++) {
		struct var *v = p->vars[i];

		if (!v->live || v->kind != OBJECT_MR || v->lkey != lkey)
			continue;
		v->used = true;
		return temp_text("s.%s->lkey", v->name);
	}
	return program_number(lkey);
}

struct var *key_holder(struct program *p, uint32_t key, uint64_t addr)
{
	struct var *found = NULL;

	for (unsigned i = 0; i < p->nvars; i++) {
		struct var *v = p->vars[i];
		bool has_key = v->kind == OBJECT_MR || v->kind == OBJECT_MW;

		if (!v->live || !has_key || v->rkey != key)
			continue;
		if (!found || var_holds(v, addr))
			found = v;
	}
	return found;
}

/* ------------------------------------------------------- what the peer sent -- */

void source_add(struct program *p, const char *expr, const void *data, size_t len,
		const struct var *owner, bool *used)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->nsources; i++)
		if (!owner || p->sources[i].owner != owner)
			p->sources[n++] = p->sources[i];
	p->nsources = n;
	p->sources = xrealloc(p->sources, p->nsources + 1, sizeof *p->sources);
	p->sources[p->nsources] =
		(struct source){ .data = data, .len = len, .owner = owner, .used = used };
	snprintf(p->sources[p->nsources].expr, sizeof p->sources[0].expr, "%s", expr);
	p->nsources++;
}

/* A number at one of the places 0, step, 2 * step and so on of these bytes. */
static const char *value_from(const struct source *from, uint64_t v, unsigned size, unsigned step)
{
	for (size_t at = 0; at + size <= from->len; at += step)
		for (int big = 1; big >= 0; big--)
			if (number_load(from->data + at, size, big) == v) {
				*from->used = true;
				return temp_text("get_%s(%s + %zu, %u)", big ? "be" : "le",
						 from->expr, at, size);
			}
	return NULL;
}

/* A number among the bytes that came from the peer, the newest first; NULL: it is not there. */
static const char *received_value(struct program *p, uint64_t v, unsigned size)
{
	const char *found = NULL;

	for (unsigned i = p->nsources; i-- > 0 && !found;) {
		found = value_from(&p->sources[i], v, size, 4);
		if (!found)
			found = value_from(&p->sources[i], v, size, 1);
	}
	return found;
}

/* An address in a window of listen -share, by the address at which the window begins. */
static const char *window_addr_expr(struct program *p, uint64_t addr)
{
	for (unsigned i = p->nsources; i-- > 0;) {
		struct qp_peer w;

		if (share_unpack(p->sources[i].data, p->sources[i].len, &w) && addr >= w.addr &&
		    addr - w.addr < w.len)
			return temp_text("%s + %llu", received_value(p, w.addr, 8),
					 (unsigned long long)(addr - w.addr));
	}
	return NULL;
}

const struct qp_peer *oob_peer(const struct var *v)
{
	return v->live && v->kind == OBJECT_QP && v->by
		       ? (const struct qp_peer *)(uintptr_t)v->by->args[4]
		       : NULL;
}

static bool is_at(const struct qp_peer *peer, const struct ibv_ah_attr *to)
{
	return !to || (to->is_global ? memcmp(&peer->gid, &to->grh.dgid, sizeof peer->gid) == 0
				     : peer->lid == to->dlid);
}

struct var *qp_of_oob_peer(struct program *p, uint32_t qpn, const struct ibv_ah_attr *to)
{
	for (unsigned i = p->nvars; i-- > 0;) {
		const struct qp_peer *peer = oob_peer(p->vars[i]);

		if (peer && peer->qpn == qpn && is_at(peer, to))
			return p->vars[i];
	}
	return NULL;
}

static const char *oob_addr_expr(struct program *p, uint64_t addr)
{
	for (unsigned i = p->nvars; i-- > 0;) {
		const struct qp_peer *peer = oob_peer(p->vars[i]);

		if (peer && addr >= peer->addr && addr - peer->addr < peer->len)
			return temp_text("s.peer_of_%s.addr + %llu", p->vars[i]->name,
					 (unsigned long long)(addr - peer->addr));
	}
	return NULL;
}

static const char *oob_rkey_expr(struct program *p, uint32_t rkey)
{
	for (unsigned i = p->nvars; rkey && i-- > 0;) {
		const struct qp_peer *peer = oob_peer(p->vars[i]);

		if (peer && peer->rkey == rkey)
			return temp_text("s.peer_of_%s.rkey", p->vars[i]->name);
	}
	return NULL;
}

static void warn_unsent(struct program *p, const char *what)
{
	add_warning(p,
		    "the peer never sent %s: the number in the program is right for this "
		    "session only; a peer that says 'listen -share' sends it",
		    what);
}

const char *remote_addr_expr(struct program *p, uint64_t addr)
{
	const char *peer = oob_addr_expr(p, addr);

	/* The bytes from the peer come before our own regions: without address randomization two
	 * runs of one program have the same addresses. */
	if (!peer && addr > SMALL)
		peer = received_value(p, addr, 8);
	if (!peer)
		peer = window_addr_expr(p, addr);
	if (!peer && !p->role)
		peer = own_addr(p, addr);
	if (!peer && addr > SMALL)
		warn_unsent(p, temp_text("the address 0x%llx", (unsigned long long)addr));
	return peer ? peer : program_number(addr);
}

const char *remote_key_expr(struct program *p, uint32_t key, uint64_t addr)
{
	struct var *v = p->role ? NULL : key_holder(p, key, addr);
	const char *peer;

	if (v) {
		v->used = true;
		return temp_text("s.%s->rkey", v->name);
	}
	peer = oob_rkey_expr(p, key);
	if (peer)
		return peer;
	peer = key <= SMALL ? NULL : received_value(p, key, 4);
	if (peer)
		return temp_text("(uint32_t)%s", peer);
	if (key > SMALL)
		warn_unsent(p, temp_text("the key 0x%x", key));
	return program_number(key);
}

const char *qpn_expr(struct program *p, uint32_t qpn, const struct ibv_ah_attr *to)
{
	const bool is_here = leads_here(p, to);
	const struct var *by_hand = qp_of_oob_peer(p, qpn, to);

	for (unsigned i = 0; i < p->nvars && is_here; i++) {
		struct var *v = p->vars[i];

		if (v->live && v->kind == OBJECT_QP && v->qpn == qpn &&
		    (!p->role || !v->end || v->end == p->role))
			return temp_text("%s->qp_num", var_expr(p, v, OBJECT_QP));
	}
	if (by_hand)
		return temp_text("s.peer_of_%s.qpn", by_hand->name);
	if (qpn > 1)
		add_warning(
			p,
			"the QP number 0x%x is not that of a QP of this session: it is unchanged",
			qpn);
	return program_number(qpn);
}

/* ------------------------------------------------------------------- bytes -- */

void c_string(struct text *d, const unsigned char *data, size_t n, const char *indent)
{
	size_t column = 0;

	text_add(d, "\"");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = data[i];

		if (column > 60) {
			xappendf(d, "\"\n%s\"", indent);
			column = 0;
		}
		if (isprint(c)) {
			bool trigraph = c == '?' && i && data[i - 1] == '?';

			xappendf(d, "%s%c", c == '"' || c == '\\' || trigraph ? "\\" : "", c);
			column++;
		} else {
			xappendf(d, "\\%03o", c);
			column += 4;
		}
	}
	text_add(d, "\"");
}

static const char *own_key(struct program *p, uint64_t key)
{
	struct var *v = key > SMALL && key <= UINT32_MAX ? key_holder(p, (uint32_t)key, 0) : NULL;

	if (!v)
		return NULL;
	v->used = true;
	return temp_text("s.%s->rkey", v->name);
}

/* The expression of an address (size 8) or a key (4) of this end that is there, and in *big its
 * byte order; NULL: none is. */
static const char *own_number(struct program *p, const unsigned char *data, size_t n, size_t at,
			      unsigned size, bool *big)
{
	for (int b = 1; b >= 0 && at + size <= n; b--) {
		uint64_t v = number_load(data + at, size, b);
		const char *expr = size == 8 ? own_addr(p, v) : own_key(p, v);

		*big = b;
		if (expr)
			return expr;
	}
	return NULL;
}

/* The number of bytes from at on that are an address or a key of this end (0: none). *expr is set
 * to the expression, *big to the byte order. */
static unsigned own_value(struct program *p, const unsigned char *data, size_t n, size_t at,
			  bool *big, const char **expr)
{
	for (unsigned size = 8; size >= 4; size -= 4) {
		const size_t aligned = number_next_aligned(at, size);

		*expr = own_number(p, data, n, at, size, big);
		if (*expr && !(aligned && own_number(p, data, n, aligned, size, &(bool){ 0 })))
			return size;
	}
	return 0;
}

bool without_own(struct program *p, unsigned char *data, size_t n)
{
	bool found = false, rest = false, big;
	const char *value;

	for (size_t i = 0; i < n;) {
		unsigned size = own_value(p, data, n, i, &big, &value);

		memset(data + i, 0, size);
		found |= size != 0;
		rest |= data[i] != 0;
		i += size ? size : 1;
	}
	return rest || !found;
}

void own_bytes(struct program *p, struct text *d, const char *indent, const char *expr,
	       const unsigned char *data, size_t n)
{
	for (size_t i = 0; i < n;) {
		const char *value;
		bool big;
		unsigned size = own_value(p, data, n, i, &big, &value);

		if (size)
			xappendf(d, "%sput_%s(%s + %zu, %s, %u);\n", indent, big ? "be" : "le",
				 expr, i, value, size);
		i += size ? size : 1;
	}
}
