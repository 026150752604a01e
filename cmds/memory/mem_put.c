/* SPDX-License-Identifier: MIT */
/* Writing to a region by hand: mem put, fill. */
#include <string.h>

#include "command/cmd.h"
#include "memory/mem.h"
#include "own_rows.h"
#include "session.h"

struct put_args {
	struct mr *mr;
	struct num off, len;
	struct bytes data;
	bool hex, zero;
};

#define PUT_MR	POS_OPT("mr", put_args, mr, kind_mr, "region")
#define PUT_HEX SWITCH("hex", put_args, hex, "the data is written as hex digits")

/* -------------------------------------------------------------- mem put -- */

static const struct arg put_args[] = {
	PUT_MR,
	POS("off", put_args, off, kind_size, "where in the region"),
	POS("data", put_args, data, kind_bytes, "text, or bytes from binary format"),
	PUT_HEX,
	SWITCH("zero", put_args, zero, "a zero byte after it, as C strings have"),
	ARGS_END
};

static int put_exec(struct session *s, const void *args, struct out *o)
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

static const struct cmd_eg put_egs[] = { { "mem put buf 0 \"hello, memory\"", NULL },
					 { "mem put buf 16 {00 7f ff} -hex", NULL },
					 { "mem put buf 32 [binary format WuIu 4096 7]", NULL },
					 { "mem put buf 80 \"a\\0b\"; mem get buf 80 4 -hex",
					   "61006200" },
					 { "mem dump buf 0 48", "hello, memory" },
					 { NULL, NULL } };

const struct cmd cmd_mem_put = {
	.name = "mem put",
	.family = "memory",
	.summary = "write bytes into a region",
	.text = "Text goes in as it is typed (UTF-8), without a zero byte unless -zero; numbers\n"
		"and structures are made with Tcl's binary format. Returns how many bytes.",
	.setup = "reg 4096 -name buf",
	.examples = put_egs,
	.args = put_args,
	.size = sizeof(struct put_args),
	.exec = put_exec,
};

/* ------------------------------------------------------------- mem fill -- */

static const struct arg fill_args[] = {
	PUT_MR,
	POS("pattern", put_args, data, kind_bytes, "a number from 0 to 255, or bytes to repeat"),
	OPT("off", put_args, off, kind_size, "where in the region", .dflt = "0"),
	OPT("len", put_args, len, kind_size, "bytes; left out: up to its end"),
	PUT_HEX,
	ARGS_END
};

/* "0x41" is a byte, "ab" a pattern. */
static bool byte_value(const struct bytes *b, unsigned char *byte)
{
	Tcl_Obj *word = Tcl_NewStringObj((const char *)b->data, (int)b->len);
	bool fits, is;
	uint64_t v;

	Tcl_IncrRefCount(word);
	is = args_number(word, &v, &fits) && fits && v <= UINT8_MAX;
	Tcl_DecrRefCount(word);
	*byte = is ? (unsigned char)v : 0;
	return is;
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
	} else if (byte_value(&data, &byte)) {
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

static const struct cmd_eg fill_egs[] = { { "mem fill buf 0xaa", NULL },
					  { "mem fill buf {de ad be ef} -hex -off 8 -len 8", NULL },
					  { "mem dump buf 0 16", "aa aa  de ad be ef de ad be ef" },
					  { NULL, NULL } };

const struct cmd cmd_mem_fill = {
	.name = "mem fill",
	.family = "memory",
	.summary = "fill a region with a byte or a pattern",
	.text = "A number from 0 to 255 is one byte, other text is repeated as it is. Returns\n"
		"how many bytes were filled.",
	.setup = "reg 4096 -name buf",
	.examples = fill_egs,
	.args = fill_args,
	.size = sizeof(struct put_args),
	.exec = fill_exec,
};
