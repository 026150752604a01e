// SPDX-License-Identifier: MIT
/*
 * Capture files, read block by block. "tap_test DIR FILE" only writes FILE: the packets of
 * the captures in DIR once more, as tap.sh compares them with tshark.
 */
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read_capture.h"
#include "checks.h"
#include "rig.h"

static const char *const fates[] = { NULL, "drop", NULL, NULL, "corrupt" };

/* Every second one is an outgoing one. */
static unsigned replay(const char *dir, const char *name)
{
	struct captured c;
	unsigned n = 0;

	capture_open(dir, name);
	for (; capture_next(&c); n++) {
		struct packet a = {
			.src = c.src,
			.dst = c.dst,
			.sport = c.sport,
			.tclass = c.tclass,
			.hops = c.hops,
		};

		tap(n % 2 ? UROCE_IN : UROCE_OUT, fates[n % 5], &a, c.data, (uint32_t)c.len,
		    c.ip_id);
	}
	return n;
}

static uint8_t file[1 << 20];
static size_t file_len, file_mode;

static void load(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;

	CHECK(f != NULL);
	CHECK_INT(fstat(fileno(f), &st), 0);
	file_mode = st.st_mode & 0777;
	file_len = fread(file, 1, sizeof(file), f);
	fclose(f);
}

static uint32_t u32(size_t at)
{
	uint32_t v;

	CHECK(at + 4 <= file_len);
	memcpy(&v, file + at, 4);
	return v;
}

/* Walks the blocks: how many there are of sections and of packets. */
static void count_blocks(unsigned *sections, unsigned *packets)
{
	*sections = *packets = 0;
	for (size_t at = 0; at < file_len;) {
		uint32_t len = u32(at + 4);

		CHECK(len >= 12 && len % 4 == 0 && at + len <= file_len);
		CHECK_INT(u32(at + len - 4), len);
		*sections += u32(at) == 0x0a0d0d0a;
		*packets += u32(at) == 6;
		at += len;
	}
}

static void expect_blocks(const char *path, unsigned sections, unsigned packets)
{
	unsigned s, p;

	load(path);
	count_blocks(&s, &p);
	CHECK_INT(s, sections);
	CHECK_INT(p, packets);
	CHECK_INT(file_mode, 0600);
}

static void check_files(const char *dir)
{
	char path[64], other[64], pattern[64];
	unsigned n;
	FILE *f;

	snprintf(path, sizeof(path), "tap_test.%d.pcapng", (int)getpid());
	snprintf(other, sizeof(other), "tap_test.other.%d", (int)getpid());
	snprintf(pattern, sizeof(pattern), "%s", "tap_test.%p.pcapng");
	CHECK(!tap_on);
	CHECK_INT(uroce_capture(path), 0);
	CHECK(tap_on);
	n = replay(dir, "lab-v6.pcap");
	CHECK_INT(n, 41);
	expect_blocks(path, 1, n); /* all is in the file at once */
	CHECK_INT(uroce_capture(path), 0);
	expect_blocks(path, 1, 0); /* begins anew */
	replay(dir, "rxe-gold.pcap");
	CHECK_INT(tap_capture(pattern, true), 0);
	expect_blocks(path, 2, 189); /* the same file goes on */
	replay(dir, "lab-v6.pcap");
	CHECK_INT(uroce_capture(NULL), 0);
	CHECK(!tap_on);
	expect_blocks(path, 2, 189 + 41);

	f = fopen(other, "w");
	CHECK(f && fputs("a file of somebody\n", f) > 0 && fclose(f) == 0);
	CHECK(tap_capture(other, true) == -1 && errno == EEXIST);
	CHECK(uroce_capture("/nonexistent/x") == -1 && errno == ENOENT);
	CHECK(uroce_capture("/") == -1 && errno == EISDIR);
	CHECK(!tap_on);
	CHECK_INT(tap_capture("/dev/full", false), -1);
	load(other);
	CHECK_INT(file_len, 19);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(unlink(other), 0);
}

/* The text that is printed on stderr while fn runs. */
static const char *said(void (*fn)(const char *dir, const char *path), const char *dir,
			const char *path)
{
	static char text[400];
	FILE *f = tmpfile();
	int old = dup(2);
	size_t n;

	CHECK(f && old >= 0 && dup2(fileno(f), 2) == 2);
	fn(dir, path);
	CHECK_INT(dup2(old, 2), 2);
	close(old);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void full_in_between(const char *dir, const char *path)
{
	CHECK_INT(uroce_capture(path), 0);
	replay(dir, "lab-v6.pcap");
	CHECK(!tap_on);
	CHECK(uroce_capture(NULL) == -1 && errno == EFBIG);
	CHECK_INT(uroce_capture(NULL), 0); /* it has been told */
}

static void full_from_environment(const char *dir, const char *path)
{
	CHECK_INT(tap_capture(path, true), 0);
	replay(dir, "lab-v6.pcap");
	CHECK(!tap_on);
	tap_forget();
	CHECK_INT(uroce_capture(NULL), 0); /* a child of fork() has written nothing */
}

/* No room for all of them: who asks is told, and who cannot ask reads it. SIGXFSZ, which ends a
 * program, does not come. */
static void check_full(const char *dir)
{
	struct rlimit all, few = { 3000, 3000 };
	unsigned sections, packets;
	const char *text;
	char path[64];

	snprintf(path, sizeof(path), "tap_test.full.%d", (int)getpid());
	CHECK_INT(getrlimit(RLIMIT_FSIZE, &all), 0);
	few.rlim_max = all.rlim_max;
	few.rlim_cur = 0; /* not even for the head of the file */
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &few), 0);
	CHECK(uroce_capture(path) == -1 && errno == EFBIG);
	few.rlim_cur = 3000;
	for (unsigned i = 0; i < 2; i++) {
		CHECK_INT(setrlimit(RLIMIT_FSIZE, &few), 0);
		text = said(i ? full_from_environment : full_in_between, dir, path);
		CHECK_INT(setrlimit(RLIMIT_FSIZE, &all), 0);
		if (i)
			CHECK(strstr(text, path) && strstr(text, "File too large"));
		else
			CHECK_STR(text, "");
		load(path);
		count_blocks(&sections, &packets); /* no half of one */
		CHECK_INT(sections, 1);
		CHECK(packets > 0 && packets < 41);
		CHECK_INT(unlink(path), 0);
	}
}

int main(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : "data";

	if (argc > 2) {
		CHECK_INT(uroce_capture(argv[2]), 0);
		for (int i = 3; i < argc; i++)
			replay(dir, argv[i]);
		return checks_end();
	}
	check_files(dir);
	check_full(dir);
	return checks_end();
}
