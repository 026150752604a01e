/* SPDX-License-Identifier: MIT */
/* mem digest: a checksum of a region or a file, to compare with md5sum's and others'. */
#include <fcntl.h>
#include <md5.h>
#include <sha2.h>
#include <stdint.h>
#include <unistd.h>

#include "command/cmd.h"
#include "file/file.h"
#include "memory/mem.h"
#include "session.h"

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
	POS_OPT("mr", digest_args, mr, kind_mr_opt, "region; else the last one"),
	OPT("off", digest_args, off, kind_size, "where in the region", .dflt = "0"),
	OPT("len", digest_args, len, kind_size, "bytes; left out: up to its end"),
	OPT("file", digest_args, path, kind_path, "file instead of a region"),
	OPT("algorithm", digest_args, algorithm, kind_enum, "which", .data = algorithm_words,
	    .dflt = "md5"),
	ARGS_END
};

static int of_file(struct session *s, const char *path, const struct algorithm *a, union state *c)
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
			return fail(s, "mem", "EINVAL", "a region or -file: one of them");
		if (of_file(s, a->path, algorithm, &c))
			return -1;
	} else {
		p = a->mr ? mem_range(s, a->mr, &a->off, &a->len, &n) : NULL;
		if (!p)
			return a->mr ? -1
				     : fail(s, "mem", "EINVAL", "which region, or which -file?");
		algorithm->update(&c, p, n);
	}
	algorithm->final(digest, &c);
	mem_out_hex(s, o, digest, algorithm->len);
	return 0;
}

static const struct cmd_eg digest_egs[] = {
	{ "mem digest buf -len 5", "5d41402abc4b2a76b9719d911017c592" },
	{ "mem save buf digest.bin -len 5; mem digest -file digest.bin",
	  "5d41402abc4b2a76b9719d911017c592" },
	{ "mem digest buf -len 0 -algorithm sha256", "e3b0c44298fc1c149afbf4c8996fb924" },
	{ NULL, NULL }
};

const struct cmd cmd_mem_digest = {
	.name = "mem digest",
	.family = "memory",
	.summary = "checksum of a region or a file",
	.text = "The value is hex digits, as md5sum(1) and sha256sum(1) print them: the same at\n"
		"both ends means that every byte has arrived. A file is read piece by piece and\n"
		"may be larger than memory; in a script it must be below its directory (or\n"
		"--allow-dir).",
	.setup = "reg 4096 -name buf; mem put buf 0 hello",
	.examples = digest_egs,
	.args = digest_args,
	.size = sizeof(struct digest_args),
	.exec = digest_exec,
};
