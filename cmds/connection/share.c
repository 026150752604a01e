// SPDX-License-Identifier: MIT
/*
 * The bytes; all numbers are big-endian:
 *
 *	 0  8  address
 *	 8  4  rkey
 *	12  8  length with -share-len, else zero
 *	20  8  magic: nothing else is taken for a window of ours
 *	28  8  length
 *	36  4  access flags of the region
 *
 * The first twelve are what most programs send each other, and so what theirs can read. A peer
 * may send anything: what cannot be a region is no window.
 */
#include <endian.h>
#include <string.h>

#include "connection/share.h"
#include "output/out.h"

static const unsigned char magic[8] = "rdmash\0\1";

#define REMOTE (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

static void put64(unsigned char *at, uint64_t v)
{
	v = htobe64(v);
	memcpy(at, &v, sizeof v);
}

static void put32(unsigned char *at, uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, sizeof v);
}

static uint64_t get64(const unsigned char *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof v);
	return be64toh(v);
}

static uint32_t get32(const unsigned char *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof v);
	return be32toh(v);
}

void share_pack(const struct mr *mr, bool with_len, unsigned char data[SHARE_BYTES])
{
	put64(data, mr->access & IBV_ACCESS_ZERO_BASED ? 0 : (uintptr_t)mr->buf);
	put32(data + 8, mr->v->rkey);
	put64(data + 12, with_len ? mr->len : 0);
	memcpy(data + 20, magic, sizeof magic);
	put64(data + 28, mr->len);
	put32(data + 36, mr->access & REMOTE);
}

bool share_unpack(const unsigned char *data, size_t len, struct qp_peer *window)
{
	uint64_t addr, size;
	uint32_t access;

	if (len < SHARE_BYTES || memcmp(data + 20, magic, sizeof magic) != 0)
		return false;
	addr = get64(data);
	size = get64(data + 28);
	access = get32(data + 36);
	if (!size || size > UINT64_MAX - addr || !access || access & ~(uint32_t)REMOTE)
		return false;
	window->addr = addr;
	window->len = size;
	window->rkey = get32(data + 8);
	window->access = access;
	return true;
}

void share_out(const struct qp_peer *w, struct out *o)
{
	static const struct {
		unsigned flag;
		const char *what;
	} rights[] = { { IBV_ACCESS_REMOTE_WRITE, "writes" },
		       { IBV_ACCESS_REMOTE_READ, "reads" },
		       { IBV_ACCESS_REMOTE_ATOMIC, "atomics" } };
	unsigned rest = w->access;
	const char *between = " is open to ";

	out_dict(o, "window");
	out_u64(o, "addr", w->addr, NULL);
	out_u64(o, "len", w->len, "; its window of %llu bytes", (unsigned long long)w->len);
	out_u64(o, "rkey", w->rkey, NULL);
	out_list(o, "open_to");
	for (size_t i = 0; i < sizeof rights / sizeof *rights; i++) {
		if (!(rest & rights[i].flag))
			continue;
		rest &= ~rights[i].flag;
		out_str(o, NULL, rights[i].what, "%s%s", between, rights[i].what);
		between = rest & (rest - 1) ? ", " : " and ";
	}
	out_end(o);
	out_end(o);
}
