// SPDX-License-Identifier: MIT
#include "views.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap.h"
#include "uroce.h"

/* The device writes in the byte order of this host: uroce/link/pcapng.c. */
#define PCAPNG_PACKET	6u
#define PCAPNG_LEAST	12u /* bytes of a block */
#define PCAPNG_HEAD	28u /* of a packet, before its bytes */
#define OPTION_COMMENT	1
#define OPTION_FLAGS	2
#define FLAGS_DIRECTION 3u
#define FLAGS_OUT	2u

#define BLOCK_MAX (1u << 20)
#define KEPT	  4096 /* bytes: exec() begins a section at the end of a file that begins with one */

struct capture_file {
	int pid, fd;
	off_t at; /* everything before it has been read */
	bool bad; /* the file is malformed */
	struct capture_file *next;
};

struct captures {
	char path[PATH_MAX];
	int dir; /* open: the traced programs may put something else at its path */
	struct capture_file *files;
	uint8_t *block; /* BLOCK_MAX bytes */
};

/* Makes the folder c->path of the captures, and opens it. A program that is traced by root may have
 * become another user before it opens its device: so anybody may write there who knows the name,
 * which only these programs are told: the folder above it shows nothing. */
static int make_folder(struct captures *c)
{
	const char *tmp = getenv("TMPDIR");
	uint64_t secret;
	size_t n;

	snprintf(c->path, sizeof c->path, "%s/vtrace.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (getrandom(&secret, sizeof secret, 0) != sizeof secret || !mkdtemp(c->path))
		return -1;
	n = strlen(c->path);
	if (chmod(c->path, 0711) != 0 ||
	    snprintf(c->path + n, sizeof c->path - n, "/%016" PRIx64, secret) != 17 ||
	    mkdir(c->path, 0700) != 0)
		return -1;
	c->dir = open(c->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return c->dir < 0 ? -1 : fchmod(c->dir, S_ISVTX | 0733);
}

struct captures *captures_begin(void)
{
	struct captures *c;
	char *name;

	errno = 0;
	if (getenv("UROCE_PCAP"))
		return NULL;
	c = xcalloc(1, sizeof *c);
	if (make_folder(c) != 0) {
		free(c);
		return NULL;
	}
	c->block = xcalloc(1, BLOCK_MAX);
	name = xasprintf("%s/%%p", c->path);
	setenv("UROCE_PCAP", name, 1);
	setenv("UROCE_PCAP_OPTIONAL", "1", 1);
	free(name);
	return c;
}

/* ------------------------------------------------------------------------- reading -- */

static uint32_t u32_at(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof v);
	return v;
}

/* The options at the end of a packet's block. */
static void read_options(const uint8_t *at, size_t n, bool *out, char *fate, size_t size)
{
	while (n >= 4) {
		const uint32_t head = u32_at(at), code = head & 0xffff, len = head >> 16;
		const size_t whole = 4 + (((size_t)len + 3) & ~(size_t)3);

		if (!code || whole > n)
			return;
		if (code == OPTION_FLAGS && len == 4)
			*out = (u32_at(at + 4) & FLAGS_DIRECTION) == FLAGS_OUT;
		if (code == OPTION_COMMENT)
			snprintf(fate, size, "%.*s", (int)len, (const char *)at + 4);
		at += whole;
		n -= whole;
	}
}

static void read_packet(const struct capture_file *f, const uint8_t *block, size_t n,
			captures_fn *fn, void *arg)
{
	const size_t room = n - PCAPNG_LEAST + 8;
	struct uroce_packet p = { .ip = block + PCAPNG_HEAD };
	char fate[64] = "";
	size_t padded;

	if (n < PCAPNG_HEAD + 4)
		return;
	p.time = (uint64_t)u32_at(block + 12) << 32 | u32_at(block + 16);
	p.len = u32_at(block + 20);
	padded = (p.len + 3) & ~(size_t)3;
	if (p.len > BLOCK_MAX || PCAPNG_HEAD + padded > room)
		return;
	read_options(block + PCAPNG_HEAD + padded, room - PCAPNG_HEAD - padded, &p.out, fate,
		     sizeof fate);
	p.fate = *fate ? fate : NULL;
	fn(arg, f->pid, &p);
}

/* Reads the block at f->at. Returns its size in bytes, or 0 if it is not complete yet. */
static size_t read_block(struct captures *c, struct capture_file *f)
{
	uint32_t n;

	if (pread(f->fd, c->block, 8, f->at) != 8)
		return 0;
	n = u32_at(c->block + 4);
	f->bad = n < PCAPNG_LEAST || n > BLOCK_MAX || n % 4;
	if (f->bad || pread(f->fd, c->block, n, f->at) != (ssize_t)n)
		return 0;
	return n;
}

static void read_new_packets(struct captures *c, struct capture_file *f, captures_fn *fn, void *arg)
{
	const off_t from = f->at;
	size_t n;

	while (!f->bad && (n = read_block(c, f))) {
		if (u32_at(c->block) == PCAPNG_PACKET)
			read_packet(f, c->block, n, fn, arg);
		f->at += (off_t)n;
	}
	if (f->at > from && f->at > KEPT) /* not every file system can do this */
		fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, KEPT, f->at - KEPT);
}

/* ------------------------------------------------------------------------- files -- */

static bool has_file_of(const struct captures *c, int pid)
{
	for (const struct capture_file *f = c->files; f; f = f->next)
		if (f->pid == pid)
			return true;
	return false;
}

static void add_file(struct captures *c, const char *name)
{
	struct capture_file *f;
	int pid = atoi(name), fd;

	if (pid <= 0 || has_file_of(c, pid))
		return;
	fd = openat(c->dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	f = xcalloc(1, sizeof *f);
	*f = (struct capture_file){ .pid = pid, .fd = fd, .next = c->files };
	c->files = f;
}

static void each_name(struct captures *c, void (*fn)(struct captures *c, const char *name))
{
	int again = openat(c->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	const struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (*e->d_name != '.')
			fn(c, e->d_name);
	if (dir)
		closedir(dir);
}

void captures_read(struct captures *c, captures_fn *fn, void *arg)
{
	each_name(c, add_file);
	for (struct capture_file *f = c->files; f; f = f->next)
		read_new_packets(c, f, fn, arg);
}

static void remove_file(struct captures *c, const char *name)
{
	unlinkat(c->dir, name, 0);
}

void captures_end(struct captures *c)
{
	struct capture_file *next;

	if (!c)
		return;
	each_name(c, remove_file);
	rmdir(c->path);
	*strrchr(c->path, '/') = 0;
	rmdir(c->path);
	close(c->dir);
	for (struct capture_file *f = c->files; f; f = next) {
		next = f->next;
		close(f->fd);
		free(f);
	}
	free(c->block);
	free(c);
}
