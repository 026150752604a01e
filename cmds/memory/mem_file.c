/* SPDX-License-Identifier: MIT */
/* mem load and mem save copy between a region and a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "command/cmd.h"
#include "file/file.h"
#include "memory/mem.h"
#include "object_args.h"
#include "objects.h"
#include "own_rows.h"
#include "session.h"

struct file_args {
	struct mr *mr;
	struct num off, len, at;
	const char *path;
	bool force, append;
};

#define FILE_MR POS_OPT("mr", file_args, mr, kind_mr, "region")

/* ------------------------------------------------------------- mem load -- */

static const struct arg load_args[] = {
	FILE_MR,
	POS("file", file_args, path, kind_path, "file to read"),
	OPT("off", file_args, off, kind_size, "offset in the region", .dflt = "0"),
	OPT("len", file_args, len, kind_size, "bytes; left out: the whole file"),
	OPT("at", file_args, at, kind_size, "offset in the file", .dflt = "0"),
	ARGS_END
};

/* Without -len it tries to read one more byte than fits, because a longer file is an error. */
static int read_into_region(struct session *s, const struct file_args *a, int fd, unsigned char *p,
			    size_t room, size_t *got)
{
	char extra;
	ssize_t n;

	for (*got = 0; *got < room; *got += (size_t)n) {
		n = file_take(s, fd, a->path, p + *got, room - *got);
		if (n < 0)
			return -1;
		if (n == 0)
			return 0;
	}
	if (a->len.set)
		return 0;
	n = file_take(s, fd, a->path, &extra, 1);
	if (n <= 0)
		return (int)n;
	fail(s, "mem", "EFBIG", "%s is longer than the %zu bytes of %s at offset %llu: filled up",
	     a->path, room, a->mr->o.name, (unsigned long long)a->off.v);
	return fail_row(s, "note", "-len %zu reads only that many", room);
}

static int mem_load_exec(struct session *s, const void *args, struct out *o)
{
	const struct file_args *a = args;
	size_t room, got = 0;
	unsigned char *p = mem_range(s, a->mr, &a->off, &a->len, &room);
	int fd, rc;

	fd = p ? file_open(s, a->path, O_RDONLY, 0) : -1;
	if (fd < 0)
		return -1;
	if (a->at.v && lseek(fd, (off_t)a->at.v, SEEK_SET) < 0)
		rc = fail_call(s, errno, "lseek", "%s to %llu", a->path,
			       (unsigned long long)a->at.v);
	else
		rc = read_into_region(s, a, fd, p, room, &got);
	close(fd);
	if (rc)
		return rc;
	own_memory(OWN_MEM_PUT, a->mr, a->off.v, got, p, got);
	out_u64(o, NULL, got, "%zu B from %s at %s+%llu\n", got, a->path, a->mr->o.name,
		(unsigned long long)a->off.v);
	return 0;
}

/** Returns the number of bytes that were read. A file that does not fit can be read in
 * pieces, with -len and -at, until the command returns 0. A script may read files below
 * its own directory (or --allow-dir).
 * > mem save buf in.bin -len 12 => 12 B
 * > mem load buf in.bin -off 100 => 12 B
 * > mem get buf 100 12 => to be loaded
 * > mem load buf in.bin -at 6 -len 100 => 6 B
 * > mem get buf 0 6 => loaded */
const struct cmd cmd_mem_load = {
	.name = "mem load",
	.family = "memory",
	.summary = "read a file into a region",
	.setup = "reg 4096 -name buf; mem put buf 0 \"to be loaded\"",
	.args = load_args,
	.exec = mem_load_exec,
};

/* ------------------------------------------------------------- mem save -- */

static const struct arg save_args[] = {
	FILE_MR,
	POS("file", file_args, path, kind_path, "file to write"),
	OPT("off", file_args, off, kind_size, "offset in the region", .dflt = "0"),
	OPT("len", file_args, len, kind_size, "bytes; left out: up to its end"),
	SWITCH("force", file_args, force, "replace an existing file"),
	SWITCH("append", file_args, append, "append to an existing file"),
	ARGS_END
};

static int mem_save_exec(struct session *s, const void *args, struct out *o)
{
	const struct file_args *a = args;
	size_t n;
	const unsigned char *p = mem_range(s, a->mr, &a->off, &a->len, &n);
	int rc;

	if (!p)
		return -1;
	if (a->append)
		rc = save_append(s, a->path, false, 0644, p, n);
	else
		rc = save_file(s, a->path, a->force, 0644, p, n);
	if (rc)
		return -1;
	out_u64(o, NULL, n, "%zu B of %s to %s\n", n, a->mr->o.name, a->path);
	return 0;
}

/** An existing file is replaced only with -force. With -append the file must exist.
 * Either all bytes are written or none. Returns the number of bytes that were written. A
 * script may write files below its own directory (or --allow-dir).
 * > mem save buf out.bin -len 5 => 5 B of buf
 * > mem save buf out.bin -off 5 -len 7 -append => 7 B of buf
 * > mem load buf out.bin => 12 B
 * > mem save buf out.bin => -force replaces it */
const struct cmd cmd_mem_save = {
	.name = "mem save",
	.family = "memory",
	.summary = "write a region to a file",
	.setup = "reg 4096 -name buf; mem put buf 0 hello",
	.args = save_args,
	.exec = mem_save_exec,
};
