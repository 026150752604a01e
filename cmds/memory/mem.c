/* SPDX-License-Identifier: MIT */
/* mem get, dump and cmp read a region, put and fill write to it, watch waits for a change. */
#include <ctype.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "data/post.h"
#include "memory/mem.h"
#include "object_args.h"
#include "objects.h"
#include "output/print.h"
#include "own_rows.h"
#include "session.h"

#define VALUE_MAX (16u << 20) /* bytes; they are copied several times on their way */

int mem_check(struct session *s, const char *call, const struct mr *mr, uint64_t off, uint64_t len)
{
	if (off <= mr->len && len <= mr->len - off)
		return 0;
	if (off > mr->len)
		fail(s, call, "ERANGE", "%s has %zu bytes: offset %llu is past its end", mr->o.name,
		     mr->len, (unsigned long long)off);
	else
		fail(s, call, "ERANGE", "%s has %zu bytes: %llu at offset %llu end %llu past it",
		     mr->o.name, mr->len, (unsigned long long)len, (unsigned long long)off,
		     (unsigned long long)(len - (mr->len - off)));
	if (off < mr->len)
		fail_row(s, "fits", "%llu bytes at offset %llu",
			 (unsigned long long)(mr->len - off), (unsigned long long)off);
	return -1;
}

/* The bytes off to off + len of a region, or NULL with s->fail filled. */
static unsigned char *mem_at(struct session *s, const struct mr *mr, uint64_t off, uint64_t len)
{
	return mem_check(s, "mem", mr, off, len) ? NULL : (unsigned char *)mr->buf + off;
}

unsigned char *mem_range(struct session *s, const struct mr *mr, const struct num *off,
			 const struct num *len, size_t *n)
{
	*n = len->set ? len->v : off->v < mr->len ? mr->len - off->v : 0;
	return mem_at(s, mr, off->v, *n);
}

/* Like mem_range(), for bytes that become a Tcl value: they may be VALUE_MAX at most. */
static unsigned char *mem_value(struct session *s, const struct mr *mr, const struct num *off,
				const struct num *len, size_t *n)
{
	unsigned char *p = mem_range(s, mr, off, len, n);

	if (!p || *n <= VALUE_MAX)
		return p;
	fail(s, "mem", "E2BIG", "%zu bytes are too many for a value: at most %u MiB at a time", *n,
	     VALUE_MAX >> 20);
	fail_next(s, "mem save %s FILE", mr->o.name);
	return NULL;
}

/* Parses hex digits, "00 7f 3a", with optional blanks between bytes. The bytes are in the arena. */
static int mem_hex(struct session *s, const struct bytes *text, struct bytes *out)
{
	unsigned char *p = arena_alloc(&s->arena, (text->len / 2 + 1));
	const char *c = (const char *)text->data, *end = c + text->len;
	size_t n = 0;

	for (; c < end; c++) {
		if (isspace((unsigned char)*c))
			continue;
		if (end - c < 2 || hex_digit(c[0]) < 0 || hex_digit(c[1]) < 0)
			return fail(s, "mem", "EINVAL", "-hex: two digits make a byte, not '%.*s'",
				    end - c < 4 ? (int)(end - c) : 4, c);
		p[n++] = (unsigned char)(hex_digit(c[0]) << 4 | hex_digit(c[1]));
		c++;
	}
	*out = (struct bytes){ p, n };
	return 0;
}

/* Writes the bytes as a value of hex digits. */
static void mem_out_hex(struct out *o, const unsigned char *p, size_t n)
{
	SCOPED_TEXT(hex);

	xappend_hex(&hex, p, n);
	out_str(o, NULL, text_str(&hex), "%s\n", text_str(&hex));
}

/* Writes text only: hex and characters, 16 per line; off is the offset of the first byte. */
static void mem_hexdump(struct out *o, const unsigned char *p, size_t n, uint64_t off)
{
	SCOPED_TEXT(d);

	if (!out_has_text(o)) /* of 10 MiB it would take seconds */
		return;
	visible_hexdump(&d, p, n, off);
	out_text(o, "%s", text_str(&d));
}

void mem_out_bytes(struct out *o, const unsigned char *p, size_t n, uint64_t off)
{
	out_bytes(o, NULL, p, n);
	if (n && !memchr(p, 0, n) && n < 256)
		out_text(o, "%.*s\n", (int)n, (const char *)p);
	else
		mem_hexdump(o, p, n, off);
}

struct get_args {
	struct mr *mr, *other;
	struct num off, len, other_off;
	bool text, hex;
};

#define GET_MR POS_OPT("mr", get_args, mr, kind_mr, "region")
#define GET_RANGE                                                                      \
	POS_OPT("off", get_args, off, kind_size, "offset in the region", .dflt = "0"), \
		POS_OPT("len", get_args, len, kind_size, "bytes; left out: up to its end")

/* -------------------------------------------------------------- mem get -- */

static const struct arg get_args[] = {
	GET_MR, GET_RANGE, SWITCH("text", get_args, text, "text up to the first zero byte"),
	SWITCH("hex", get_args, hex, "as hex digits"), ARGS_END
};

static int mem_get_exec(struct session *s, const void *args, struct out *o)
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
		mem_out_hex(o, p, n);
	} else {
		mem_out_bytes(o, p, n, a->off.v);
	}
	return 0;
}

/** The value is the bytes, for binary scan and mem put; -text stops at the first
 * zero byte, as C strings do. 'zlib crc32 [mem get buf]' is a checksum.
 * > mem get buf 0 13 => hello, memory
 * > mem get buf -text => hello, memory
 * > mem get buf 0 5 -hex => 68656c6c6f
 * > binary scan [mem get buf 100 8] wu value */
const struct cmd cmd_mem_get = {
	.name = "mem get",
	.family = "memory",
	.summary = "read bytes from a region",
	.setup = "reg 4096 -name buf; mem put buf 0 \"hello, memory\"",
	.args = get_args,
	.flags = CMD_LOOKS,
	.exec = mem_get_exec,
};

/* ------------------------------------------------------------- mem dump -- */

static const struct arg dump_args[] = {
	GET_MR, POS_OPT("off", get_args, off, kind_size, "offset in the region", .dflt = "0"),
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
	if (!a->len.set && a->off.v + n < a->mr->len)
		out_text(o, "(%zu of %zu bytes; more: mem dump %s %llu)\n", n, a->mr->len,
			 a->mr->o.name, (unsigned long long)(a->off.v + n));
	return 0;
}

/** Each line has the offset in hex, the hex digits of 16 bytes, and their characters. A
 * command takes offsets in hex, too: mem dump buf 0x20. The value is the bytes.
 * > mem dump buf 0 32 => 68 65 6c 6c 6f
 * > mem dump => hello */
const struct cmd cmd_mem_dump = {
	.name = "mem dump",
	.family = "memory",
	.summary = "show a region as a hex dump",
	.setup = "reg 4096 -name buf; mem put buf 0 hello",
	.args = dump_args,
	.flags = CMD_LOOKS,
	.exec = dump_exec,
};

/* -------------------------------------------------------------- mem cmp -- */

static const struct arg cmp_args[] = {
	POS("mr", get_args, mr, kind_mr, "region"),
	POS("other", get_args, other, kind_mr, "region to compare it with"),
	OPT("off", get_args, off, kind_size, "offset in the first region", .dflt = "0"),
	OPT("other-off", get_args, other_off, kind_size, "offset in the second region",
	    .dflt = "0"),
	OPT("len", get_args, len, kind_size, "bytes; left out: up to the end of the shorter one"),
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

/** The value is a dict: same (1 or 0), len, and, if a byte differs, at (the offset of the
 * first such byte from the start of both ranges), first and second (its values).
 * > mem cmp buf copy -len 5 => different  at byte 0
 * > mem put copy 0 hello
 * > dict get [mem cmp buf copy] same
 * > mem cmp buf copy => same  4096 B */
const struct cmd cmd_mem_cmp = {
	.name = "mem cmp",
	.family = "memory",
	.summary = "compare two ranges",
	.setup = "reg 4096 -name buf; reg 4096 -name copy; mem put buf 0 hello",
	.args = cmp_args,
	.flags = CMD_LOOKS,
	.exec = cmp_exec,
};

struct put_args {
	struct mr *mr;
	struct num off, len;
	struct bytes data;
	bool hex, zero;
};

#define PUT_MR	POS_OPT("mr", put_args, mr, kind_mr, "region")
#define PUT_HEX SWITCH("hex", put_args, hex, "the data is given as hex digits")

/* -------------------------------------------------------------- mem put -- */

static const struct arg put_args[] = {
	PUT_MR,
	POS("off", put_args, off, kind_size, "offset in the region"),
	POS("data", put_args, data, kind_bytes, "text, or bytes from binary format"),
	PUT_HEX,
	SWITCH("zero", put_args, zero, "append a zero byte, as in C strings"),
	ARGS_END
};

static int mem_put_exec(struct session *s, const void *args, struct out *o)
{
	const struct put_args *a = args;
	struct bytes data = a->data;
	unsigned char *p;

	if (a->hex && mem_hex(s, &a->data, &data))
		return -1;
	p = mem_at(s, a->mr, a->off.v, data.len + a->zero);
	if (!p)
		return -1;
	memcpy(p, data.data, data.len);
	if (a->zero)
		p[data.len] = 0;
	own_memory(OWN_MEM_PUT, a->mr, a->off.v, data.len + a->zero, p, data.len + a->zero);
	out_u64(o, NULL, data.len + a->zero, NULL);
	return 0;
}

/** Text is written as UTF-8, without a zero byte at its end unless -zero is given. Use pack
 * or Tcl's binary format for numbers and structures. Returns the number of bytes.
 * > mem put buf 0 "hello, memory"
 * > mem put buf 16 {00 7f ff} -hex
 * > mem put buf 32 [binary format WuIu 4096 7]
 * > mem put buf 80 "a\0b"; mem get buf 80 4 -hex => 61006200
 * > mem dump buf 0 48 => hello, memory */
const struct cmd cmd_mem_put = {
	.name = "mem put",
	.family = "memory",
	.summary = "write bytes into a region",
	.setup = "reg 4096 -name buf",
	.args = put_args,
	.exec = mem_put_exec,
};

/* ------------------------------------------------------------- mem fill -- */

static const struct arg fill_args[] = {
	PUT_MR,
	POS("pattern", put_args, data, kind_bytes, "a number from 0 to 255, or bytes to repeat"),
	OPT("off", put_args, off, kind_size, "offset in the region", .dflt = "0"),
	OPT("len", put_args, len, kind_size, "bytes; left out: up to its end"),
	PUT_HEX,
	ARGS_END
};

/* A number such as "0x41" is a byte; other text, "ab", is a pattern. */
static bool byte_value(struct session *s, const struct bytes *b, unsigned char *byte)
{
	bool fits;
	uint64_t v;

	if (!args_number(arena_copy0(&s->arena, b->data, b->len), &v, &fits) || !fits ||
	    v > UINT8_MAX)
		return false;
	*byte = (unsigned char)v;
	return true;
}

static int fill_exec(struct session *s, const void *args, struct out *o)
{
	const struct put_args *a = args;
	struct bytes data = a->data;
	unsigned char byte, *p;
	size_t n;

	if (a->hex) {
		if (mem_hex(s, &a->data, &data))
			return -1;
	} else if (byte_value(s, &data, &byte)) {
		data = (struct bytes){ &byte, 1 };
	}
	if (!data.len)
		return fail(s, "mem", "EINVAL", "mem fill: the pattern is empty");
	p = mem_range(s, a->mr, &a->off, &a->len, &n);
	if (!p)
		return -1;
	for (size_t i = 0; i < n; i++)
		p[i] = data.data[i % data.len];
	own_memory(OWN_MEM_PUT, a->mr, a->off.v, n, data.data, data.len);
	out_u64(o, NULL, n, NULL);
	return 0;
}

/** A number from 0 to 255 is the value of each byte; any other text is repeated. Returns
 * the number of bytes that were filled.
 * > mem fill buf 0xaa
 * > mem fill buf {de ad be ef} -hex -off 8 -len 8
 * > mem dump buf 0 16 => aa aa  de ad be ef de ad be ef */
const struct cmd cmd_mem_fill = {
	.name = "mem fill",
	.family = "memory",
	.summary = "fill a region with a byte or a pattern",
	.setup = "reg 4096 -name buf",
	.args = fill_args,
	.exec = fill_exec,
};

/*
 * mem watch: a peer's RDMA WRITE causes no completion here, so the memory itself is polled. The
 * bytes are compared with those at the start of the command, or with those of -was, which also
 * finds a change before the command.
 */

struct watch_args {
	struct mr *mr;
	struct num off, len, within;
	struct bytes was;
};

static const struct arg watch_args[] = {
	POS_OPT("mr", watch_args, mr, kind_mr, "region"),
	POS_OPT("off", watch_args, off, kind_size, "offset in the region", .dflt = "0"),
	POS_OPT("len", watch_args, len, kind_size, "bytes; left out: up to its end"),
	OPT("was", watch_args, was, kind_bytes,
	    "compare with these bytes instead of the current ones"),
	OPT("within", watch_args, within, kind_ms, "how long to wait", .dflt = "5000"),
	ARGS_END
};

/* The index of the first byte that differs, or n. volatile: the device writes the memory. */
static size_t first_difference(const volatile unsigned char *p, const unsigned char *was, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] == was[i])
		i++;
	return i;
}

static void out_change(const struct watch_args *a, const unsigned char *p, const unsigned char *was,
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

static int mem_watch_exec(struct session *s, const void *args, struct out *o)
{
	const struct watch_args *a = args;
	int64_t until = loop_now() + (int64_t)a->within.v * 1000000;
	const struct num len = a->was.data ? (struct num){ a->was.len, true } : a->len;
	size_t n, at;
	unsigned char *p = mem_value(s, a->mr, &a->off, &len, &n), *was;

	if (!p)
		return -1;
	if (a->len.set && a->len.v != n)
		return fail(s, "mem", "EINVAL", "-was has %zu bytes, not %llu", n,
			    (unsigned long long)a->len.v);
	was = arena_copy(&s->arena, a->was.data ? a->was.data : p, n);
	while ((at = first_difference(p, was, n)) == n) {
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
	out_change(a, p, was, at, n, o);
	return 0;
}

/** For data that a peer writes with plain RDMA WRITE. Shows the bytes before and after.
 * When the first byte has changed, the others may still be on their way: let the peer
 * write a flag last, or use post write-imm. With -was the number of bytes is that of -was.
 * > mem put buf 0 news
 * > set old [mem get window 0 4]
 * > post write buf -len 4 -remote [get window addr] -rkey [get window rkey]
 * > mem watch window -was $old => changed at offset 0 */
const struct cmd cmd_mem_watch = {
	.name = "mem watch",
	.family = "memory",
	.summary = "wait until the bytes of a region change",
	.setup = POST_SETUP,
	.args = watch_args,
	.exec = mem_watch_exec,
};
