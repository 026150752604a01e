/* SPDX-License-Identifier: MIT */
/* Looking at a region: mem get, dump, cmp. */
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "memory/mem.h"
#include "own_rows.h"
#include "session.h"

struct get_args {
	struct mr *mr, *other;
	struct num off, len, other_off;
	bool text, hex;
};

#define GET_MR POS_OPT("mr", get_args, mr, kind_mr, "region")
#define GET_RANGE                                                                     \
	POS_OPT("off", get_args, off, kind_size, "where in the region", .dflt = "0"), \
		POS_OPT("len", get_args, len, kind_size, "bytes; left out: up to its end")

/* -------------------------------------------------------------- mem get -- */

static const struct arg get_args[] = {
	GET_MR, GET_RANGE, SWITCH("text", get_args, text, "text up to the first zero byte"),
	SWITCH("hex", get_args, hex, "as hex digits"), ARGS_END
};

static int get_exec(struct session *s, const void *args, struct out *o)
{
	const struct get_args *a = args;
	size_t n;
	const unsigned char *p = mem_value(s, a->mr, &a->off, &a->len, &n);
	char *text;

	if (!p)
		return -1;
	own_memory(OWN_MEM_GET, a->mr, a->off.v, n, p, n);
	if (a->text) {
		text = arena_copy0(&s->arena, p, strnlen((const char *)p, n));
		out_str(o, NULL, text, "%s\n", text);
	} else if (a->hex) {
		mem_out_hex(s, o, p, n);
	} else {
		mem_out_bytes(o, p, n, a->off.v);
	}
	return 0;
}

static const struct cmd_eg get_egs[] = { { "mem get buf 0 13", "hello, memory" },
					 { "mem get buf -text", "hello, memory" },
					 { "mem get buf 0 5 -hex", "68656c6c6f" },
					 { "binary scan [mem get buf 100 8] wu value", NULL },
					 { NULL, NULL } };

const struct cmd cmd_mem_get = {
	.name = "mem get",
	.family = "memory",
	.summary = "read bytes from a region",
	.text = "The value is the bytes, for binary scan and mem put; -text stops at the first\n"
		"zero byte, as C strings do.",
	.setup = "reg 4096 -name buf; mem put buf 0 \"hello, memory\"",
	.examples = get_egs,
	.args = get_args,
	.size = sizeof(struct get_args),
	.exec = get_exec,
};

/* ------------------------------------------------------------- mem dump -- */

static const struct arg dump_args[] = {
	GET_MR, POS_OPT("off", get_args, off, kind_size, "where in the region", .dflt = "0"),
	POS_OPT("len", get_args, len, kind_size, "bytes; left out: 256, or up to its end"), ARGS_END
};

static int dump_exec(struct session *s, const void *args, struct out *o)
{
	const struct get_args *a = args;
	struct num len = a->len;
	const unsigned char *p;
	size_t n;

	if (!len.set && a->off.v < a->mr->len && a->mr->len - a->off.v > 256)
		len = (struct num){ 256, true };
	p = mem_value(s, a->mr, &a->off, &len, &n);
	if (!p)
		return -1;
	out_bytes(o, NULL, p, n);
	mem_hexdump(o, p, n, a->off.v);
	return 0;
}

static const struct cmd_eg dump_egs[] = { { "mem dump buf 0 32", "68 65 6c 6c 6f" },
					  { "mem dump", "hello" },
					  { NULL, NULL } };

const struct cmd cmd_mem_dump = {
	.name = "mem dump",
	.family = "memory",
	.summary = "show a region as a hexdump",
	.text = "Sixteen bytes a line: offset (hex; it may be typed so, too: mem dump buf 0x20), hex\n"
		"digits, characters. The value is the bytes.",
	.setup = "reg 4096 -name buf; mem put buf 0 hello",
	.examples = dump_egs,
	.args = dump_args,
	.size = sizeof(struct get_args),
	.exec = dump_exec,
};

/* -------------------------------------------------------------- mem cmp -- */

static const struct arg cmp_args[] = {
	POS("mr", get_args, mr, kind_mr, "region"),
	POS("other", get_args, other, kind_mr, "region to compare it with"),
	OPT("off", get_args, off, kind_size, "where in the first", .dflt = "0"),
	OPT("other-off", get_args, other_off, kind_size, "where in the second", .dflt = "0"),
	OPT("len", get_args, len, kind_size, "bytes; left out: all that both have"),
	ARGS_END
};

static int cmp_exec(struct session *s, const void *args, struct out *o)
{
	const struct get_args *a = args;
	size_t n, m, at = 0;
	const unsigned char *p = mem_range(s, a->mr, &a->off, &a->len, &n);
	const unsigned char *q = p ? mem_range(s, a->other, &a->other_off, &a->len, &m) : NULL;

	if (!q)
		return -1;
	n = m < n ? m : n;
	while (at < n && p[at] == q[at])
		at++;
	out_bool(o, "same", at == n, "%s", at == n ? "same" : "different");
	out_u64(o, "len", n, at == n ? "  %zu B\n" : NULL, n);
	if (at == n)
		return 0;
	out_u64(o, "at", at, "  at byte %zu", at);
	out_u64(o, "first", p[at], "  %s+%llu 0x%02x", a->mr->o.name,
		(unsigned long long)(a->off.v + at), p[at]);
	out_u64(o, "second", q[at], "  %s+%llu 0x%02x\n", a->other->o.name,
		(unsigned long long)(a->other_off.v + at), q[at]);
	return 0;
}

static const struct cmd_eg cmp_egs[] = { { "mem cmp buf copy -len 5", "different  at byte 0" },
					 { "mem put copy 0 hello", NULL },
					 { "dict get [mem cmp buf copy] same", NULL },
					 { "mem cmp buf copy", "same  4096 B" },
					 { NULL, NULL } };

const struct cmd cmd_mem_cmp = {
	.name = "mem cmp",
	.family = "memory",
	.summary = "compare two ranges",
	.text = "A dict: same (1 or 0), and at, first, second for the first byte that differs.",
	.setup = "reg 4096 -name buf; reg 4096 -name copy; mem put buf 0 hello",
	.examples = cmp_egs,
	.args = cmp_args,
	.size = sizeof(struct get_args),
	.exec = cmp_exec,
};
