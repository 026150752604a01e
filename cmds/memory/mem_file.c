/* SPDX-License-Identifier: MIT */
/* mem load and save copy between a region and a file; mem digest computes checksums. */
#include <errno.h>
#include <fcntl.h>
#include <md5.h>
#include <sha2.h>
#include <stdint.h>
#include <unistd.h>

#include "command/cmd.h"
#include "file/file.h"
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

/* ------------------------------------------------------------ mem digest -- */

union state {
	MD5_CTX md5;
	SHA2_CTX sha2;
};

static void md5_init(union state *c)
{
	MD5Init(&c->md5);
}

static void md5_update(union state *c, const void *p, size_t n)
{
	MD5Update(&c->md5, p, n);
}

static void md5_final(uint8_t *digest, union state *c)
{
	MD5Final(digest, &c->md5);
}

static void sha256_init(union state *c)
{
	SHA256Init(&c->sha2);
}

static void sha256_update(union state *c, const void *p, size_t n)
{
	SHA256Update(&c->sha2, p, n);
}

static void sha256_final(uint8_t *digest, union state *c)
{
	SHA256Final(digest, &c->sha2);
}

static const struct algorithm {
	size_t len;
	void (*init)(union state *c);
	void (*update)(union state *c, const void *p, size_t n);
	void (*final)(uint8_t *digest, union state *c);
} algorithms[] = {
	{ MD5_DIGEST_LENGTH, md5_init, md5_update, md5_final },
	{ SHA256_DIGEST_LENGTH, sha256_init, sha256_update, sha256_final },
};

static const struct word algorithm_words[] = { { "md5", 0, "128 bits; md5sum" },
					       { "sha256", 1, "256 bits; sha256sum" },
					       { 0 } };

struct digest_args {
	struct mr *mr;
	struct num off, len, algorithm;
	const char *path;
};

static const struct arg digest_args[] = {
	POS_OPT("mr", digest_args, mr, kind_mr_opt, "region"),
	OPT("off", digest_args, off, kind_size, "offset in the region", .dflt = "0"),
	OPT("len", digest_args, len, kind_size, "bytes; left out: up to its end"),
	OPT("file", digest_args, path, kind_path, "file instead of a region"),
	OPT("algorithm", digest_args, algorithm, kind_enum, "hash function",
	    .data = algorithm_words, .dflt = "md5"),
	ARGS_END
};

static int digest_file(struct session *s, const char *path, const struct algorithm *a,
		       union state *c)
{
	unsigned char chunk[65536];
	int fd = file_open(s, path, O_RDONLY, 0);
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	while ((n = file_take(s, fd, path, chunk, sizeof chunk)) > 0)
		a->update(c, chunk, (size_t)n);
	close(fd);
	return (int)n;
}

static int digest_exec(struct session *s, const void *args, struct out *o)
{
	const struct digest_args *a = args;
	const struct algorithm *algorithm = &algorithms[a->algorithm.v];
	uint8_t digest[SHA256_DIGEST_LENGTH];
	const unsigned char *p;
	union state c;
	size_t n;

	algorithm->init(&c);
	if (a->path) {
		if (a->mr)
			return fail(s, "mem", "EINVAL", "give a region or -file, not both");
		if (a->off.v || a->len.set)
			return fail(s, "mem", "EINVAL", "-off and -len are for a region");
		if (digest_file(s, a->path, algorithm, &c))
			return -1;
	} else {
		p = a->mr ? mem_range(s, a->mr, &a->off, &a->len, &n) : NULL;
		if (!p)
			return a->mr ? -1 : fail(s, "mem", "EINVAL", "give a region or -file");
		algorithm->update(&c, p, n);
	}
	algorithm->final(digest, &c);
	mem_out_hex(o, digest, algorithm->len);
	return 0;
}

/** The value is hex digits, as md5sum(1) and sha256sum(1) print them. If it is the same
 * at both ends, every byte has arrived. A file may be larger than the memory of this
 * machine. A script may read files below its own directory (or --allow-dir).
 * > mem digest buf -len 5 => 5d41402abc4b2a76b9719d911017c592
 * > mem save buf digest.bin -len 5; mem digest -file digest.bin => 5d41402abc4b2a76b9719d911017c592
 * > mem digest buf -len 0 -algorithm sha256 => e3b0c44298fc1c149afbf4c8996fb924 */
const struct cmd cmd_mem_digest = {
	.name = "mem digest",
	.family = "memory",
	.summary = "compute the checksum of a region or a file",
	.setup = "reg 4096 -name buf; mem put buf 0 hello",
	.args = digest_args,
	.flags = CMD_LOOKS,
	.exec = digest_exec,
};
