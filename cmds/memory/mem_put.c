/* SPDX-License-Identifier: MIT */
/* Writing to a region by hand: mem put, fill, load. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "journal.h"
#include "mem.h"
#include "script.h"
#include "session.h"
#include "table.h"

struct put_args {
	struct mr *mr;
	struct num off, len;
	struct bytes data;
	const char *path;
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
	journal_mem(s, NOTE_PUT, a->mr, a->off.v, data.len + a->zero, p, data.len + a->zero);
	out_u64(o, NULL, data.len + a->zero, NULL);
	return 0;
}

static const struct cmd_eg put_egs[] = { { "mem put buf 0 \"hello, memory\"", NULL },
					 { "mem put buf 16 {00 7f ff} -hex", NULL },
					 { "mem put buf 32 [binary format WuIu 4096 7]", NULL },
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
	journal_mem(s, NOTE_PUT, a->mr, a->off.v, n, data.data, data.len);
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

/* ------------------------------------------------------------- mem load -- */

static const struct arg load_args[] = {
	PUT_MR, POS("file", put_args, path, kind_path, "file to read"),
	OPT("off", put_args, off, kind_size, "where in the region", .dflt = "0"),
	OPT("len", put_args, len, kind_size, "bytes; left out: the whole file"), ARGS_END
};

/* A file that is longer than the room is an error, found by reading one byte more. */
static int load(struct session *s, const struct put_args *a, int fd, unsigned char *p, size_t room,
		size_t *got)
{
	char extra;
	ssize_t n;

	for (*got = 0; *got < room; *got += (size_t)n) {
		n = script_take(s, fd, a->path, p + *got, room - *got);
		if (n < 0)
			return -1;
		if (n == 0)
			return 0;
	}
	if (a->len.set)
		return 0;
	n = script_take(s, fd, a->path, &extra, 1);
	if (n <= 0)
		return (int)n;
	fail(s, "mem", "EFBIG", "%s is longer than the %zu bytes of %s at offset %llu: filled up",
	     a->path, room, a->mr->o.name, (unsigned long long)a->off.v);
	return fail_row(s, "note", "-len %zu reads just as much", room);
}

static int load_exec(struct session *s, const void *args, struct out *o)
{
	const struct put_args *a = args;
	size_t room, got;
	unsigned char *p = mem_range(s, a->mr, &a->off, &a->len, &room);
	int fd, rc;

	fd = p ? script_open(s, a->path, O_RDONLY, 0) : -1;
	if (fd < 0)
		return -1;
	rc = load(s, a, fd, p, room, &got);
	close(fd);
	if (rc)
		return rc;
	journal_mem(s, NOTE_PUT, a->mr, a->off.v, got, p, got);
	out_u64(o, NULL, got, "%zu B from %s at %s+%llu\n", got, a->path, a->mr->o.name,
		(unsigned long long)a->off.v);
	return 0;
}

static const struct cmd_eg load_egs[] = { { "mem save buf out.bin -len 12", "12 B" },
					  { "mem load buf out.bin -off 100", "12 B" },
					  { "mem get buf 100 12", "to be loaded" },
					  { NULL, NULL } };

const struct cmd cmd_mem_load = {
	.name = "mem load",
	.family = "memory",
	.summary = "read a file into a region",
	.text = "A script may read files below its own directory (or --allow-dir). Returns how\n"
		"many bytes were read.",
	.setup = "reg 4096 -name buf; mem put buf 0 \"to be loaded\"",
	.examples = load_egs,
	.args = load_args,
	.size = sizeof(struct put_args),
	.exec = load_exec,
};
