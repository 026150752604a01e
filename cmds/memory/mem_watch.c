/* SPDX-License-Identifier: MIT */
/*
 * mem watch: a peer's RDMA WRITE leaves no completion here; the memory itself tells.
 *
 * The bytes are compared with what they were when the command began, or with -was: that
 * one misses nothing that came before.
 */
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "data/post.h"
#include "memory/mem.h"
#include "session.h"

struct watch_args {
	struct mr *mr;
	struct num off, len, within;
	struct bytes was;
};

static const struct arg watch_args[] = {
	POS_OPT("mr", watch_args, mr, kind_mr, "region"),
	POS_OPT("off", watch_args, off, kind_size, "where in the region", .dflt = "0"),
	POS_OPT("len", watch_args, len, kind_size, "bytes; left out: up to its end"),
	OPT("was", watch_args, was, kind_bytes, "compare with these bytes, not with what is there"),
	OPT("within", watch_args, within, kind_ms, "how long to wait", .dflt = "5000"),
	ARGS_END
};

/* The first byte that differs, or n. The device writes behind the compiler's back. */
static size_t differs(const volatile unsigned char *p, const unsigned char *was, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] == was[i])
		i++;
	return i;
}

static void tell(const struct watch_args *a, const unsigned char *p, const unsigned char *was,
		 size_t at, size_t n, struct out *o)
{
	size_t line = at & ~(size_t)15, end = n - line < 64 ? n - line : 64;

	out_u64(o, "at", a->off.v + at, "%s changed at offset %llu\n", a->mr->o.name,
		(unsigned long long)(a->off.v + at));
	out_bytes(o, "before", was, n);
	out_bytes(o, "after", p, n);
	out_text(o, " before\n");
	mem_hexdump(o, was + line, end, a->off.v + line);
	out_text(o, " after\n");
	mem_hexdump(o, p + line, end, a->off.v + line);
}

static int exec(struct session *s, const void *args, struct out *o)
{
	const struct watch_args *a = args;
	int64_t until = loop_now() + (int64_t)a->within.v * 1000000;
	const struct num len = a->was.data ? (struct num){ a->was.len, true } : a->len;
	size_t n, at;
	unsigned char *p = mem_value(s, a->mr, &a->off, &len, &n), *was;

	if (!p)
		return -1;
	was = arena_copy(&s->arena, a->was.data ? a->was.data : p, n);
	while ((at = differs(p, was, n)) == n) {
		if (loop_interrupted(s->loop) || loop_ending(s->loop))
			return fail(s, "mem watch", "EINTR", "interrupted");
		if (loop_now() >= until) {
			fail(s, "mem watch", "ETIMEDOUT", "%s did not change within %llu ms",
			     a->mr->o.name, (unsigned long long)a->within.v);
			return fail_row(s, "watched", "%zu bytes at offset %llu", n,
					(unsigned long long)a->off.v);
		}
		loop_pass(s->loop, 200);
	}
	tell(a, p, was, at, n, o);
	return 0;
}

static const struct cmd_eg watch_egs[] = {
	{ "mem put buf 0 news", NULL },
	{ "set old [mem get window 0 4]", NULL },
	{ "post write buf -len 4 -remote [get window addr] -rkey [get window rkey]", NULL },
	{ "mem watch window -was $old", "changed at offset 0" },
	{ NULL, NULL }
};

const struct cmd cmd_mem_watch = {
	.name = "mem watch",
	.family = "memory",
	.summary = "wait until the bytes of a region change",
	.text = "For what a peer writes with plain RDMA WRITE. Shows before and after. How many\n"
		"bytes have come when the first has changed, no one promises: let the peer write\n"
		"a flag last, or use post write-imm.",
	.setup = POST_SETUP,
	.examples = watch_egs,
	.args = watch_args,
	.size = sizeof(struct watch_args),
	.exec = exec,
};
