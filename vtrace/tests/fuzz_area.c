/* SPDX-License-Identifier: MIT */
/*
 * fuzz_area [SECONDS [SEED]]: a process that means harm to vtrace writes into the memory that they
 * share, while everything that vtrace has for it reads: records of all functions with any arguments
 * and copies, positions of rings, the state of threads, and any word at any place. The result of
 * reading is written nowhere; the reader must not break, and must go on.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "checking.h"
#include "call_record.h"
#include "injections.h"
#include "reader.h"
#include "record_rings.h"
#include "recording.h"
#include "replay.h"
#include "views.h"

/* model/checks has the name of the checks of other tests */
static void demand(bool is, const char *what)
{
	if (is)
		return;
	fprintf(stderr, "fuzz_area: not so: %s\n", what);
	exit(1);
}

static uint64_t state;

static uint64_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t below(uint64_t n)
{
	return (random_word() >> 11) % n;
}

/* ------------------------------------------------------------------------ the writer -- */

#define RULES	  8  /* of --inject */
#define ADDRESSES 12 /* at which copies are, so that pointers often lead to one */

static uint64_t likely_word(void)
{
	switch (below(8)) {
	case 0:
		return random_word();
	case 1:
		return UINT64_C(1) << below(64);
	case 2:
		return -below(3);
	case 3:
	case 4:
		return below(20);
	default:
		return 0x10000 + 0x1000 * below(ADDRESSES);
	}
}

static void add_piece(uint64_t *image, size_t *n)
{
	static const size_t sizes[] = { 1, 4, 8, 16, 24, 28, 48, 64, 88, 128, 144, 232, 512, 680 };
	const size_t len = below(32) ? sizes[below(sizeof sizes / sizeof *sizes)] : below(4096),
		     words = (len + 7) / 8;

	if (*n + 2 + words > IMAGE_MAX)
		return;
	image[(*n)++] = 0x10000 + 0x1000 * below(ADDRESSES);
	image[(*n)++] = (uint64_t)len << 32 | below(2);
	for (size_t i = 0; i < words; i++)
		image[(*n)++] = likely_word();
}

static size_t make_image(uint64_t *image)
{
	const unsigned row = (unsigned)below(call_count + REPLAY_ROWS);
	const struct call_fn *fn = record_row(row);
	unsigned nargs = 0;
	size_t n = IMAGE_ARGS;

	for (; fn->args[nargs].name; nargs++)
		image[n++] = likely_word();
	image[IMAGE_SIZE] = (uint64_t)row << 16;
	image[IMAGE_BEGIN] = below(16) ? record_time() : random_word();
	image[IMAGE_END] = below(16) ? record_time() : random_word();
	image[IMAGE_WHERE] = (below(8) ? 0 : below(3) << 32) | (below(4) ? 0 : below(140));
	image[IMAGE_COUNT] = (below(16) ? 1 : random_word()) << 32 | nargs;
	image[IMAGE_RESULT] = below(3) ? below(4) : likely_word();
	image[IMAGE_FROM] = likely_word();
	image[IMAGE_ABOVE] = likely_word();
	for (uint64_t i = below(8); i; i--)
		add_piece(image, &n);
	for (uint64_t i = below(8) ? 0 : below(4); i; i--)
		image[below(n)] = random_word();
	return n;
}

static void write_record(struct record_area *area)
{
	uint64_t image[IMAGE_MAX];
	const unsigned slot = (unsigned)below(4);
	const enum record_path path = below(2) ? RECORD_DATA : RECORD_CONTROL;
	const size_t n = make_image(image);

	atomic_store(&area->slot[slot].state, SLOT_USED);
	record_commit(area, slot, path, image, n);
	if (below(8) == 0) {
		const size_t kept = n < RECORD_BEGUN ? n : RECORD_BEGUN;

		atomic_store(&area->slot[slot].called, IMAGE_ROW(image) + 1);
		atomic_store(&area->slot[slot].called_at, image[IMAGE_BEGIN]);
		memcpy(area->slot[slot].begun, image, kept * sizeof *image);
	}
}

/* Any word of the area, of its beginning, of the part that is common to all, or of its rules. */
static void write_anywhere(struct shared_area *shared, struct record_area *area)
{
	_Atomic uint64_t *of = (void *)area;
	size_t words = record_area_size() / 8;

	if (below(2)) {
		words = sizeof *area / 8;
	} else if (below(2)) {
		of = (void *)shared;
		words = sizeof *shared / 8;
	} else if (below(2)) {
		of = (void *)shared->how.rules;
		words = RULES * sizeof *shared->how.rules / 8;
	} else if (below(2)) {
		of = (void *)&area->slot[below(4)].ring[below(RECORD_PATHS)];
		words = sizeof area->slot->ring[0] / 8;
	}
	atomic_store(of + below(words), likely_word());
}

static _Noreturn void write_for_ever(struct shared_area *shared)
{
	struct record_area *area = (void *)((char *)shared + shared_place_at(0));

	for (;;) {
		/* what writes a record believes its own ring */
		memset((void *)area->slot, 0, 4 * sizeof *area->slot);
		atomic_store(&area->magic, RECORD_MAGIC);
		shared->process[0].pid = getpid();
		snprintf(shared->process[0].name, sizeof shared->process[0].name, "\033[5mfuzz");
		atomic_store(&shared->process[0].state, SHARED_READY);
		for (uint64_t i = below(200); i; i--)
			write_record(area);
		for (uint64_t i = below(50); i; i--)
			write_anywhere(shared, area);
	}
}

/* ------------------------------------------------------------------------ the reader -- */

/* Finds the memory as libvtrace.so does. */
static struct shared_area *map_shared(void)
{
	struct flock lock = shared_lock(0);
	struct shared_area *shared;
	int fd = -1;

	demand(sscanf(getenv(SHARED_VARIABLE), "%d", &fd) == 1, "the area is named");
	shared = mmap(NULL, shared_place_at(SHARED_PROCESSES), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_NORESERVE, fd, 0);
	demand(shared != MAP_FAILED, "the area is mapped");
	demand(fcntl(fd, F_SETLK, &lock) == 0, "its place is locked");
	return shared;
}

/* recorded: so many calls become a script, again and again. 0: all that come in the time are shown.
 */
static const struct way {
	struct views views;
	uint64_t recorded;
	bool checked;
} ways[] = {
	{ .views = { .lines = true, .explain = true } },
	{ .views = { .lines = true, .json = true, .pids = true } },
	{ .views = { .counts = true } },
	{ .views = { .timeline = true, .explain = true } },
	{ .recorded = 2000 },
	{ .checked = true }, /* the last: it cannot be switched off */
};

static char *program[] = { (char[]){ "fuzz" }, NULL };
static const struct recording_options recording = { .path = "/dev/null", .argv = program };
static struct check_options checking;

/* One program, whose calls are shown in this way. Returns their number. */
static uint64_t read_program(const struct way *way, int64_t until)
{
	struct views v = way->views;
	struct shared_options how = { .keeps_all = true };
	struct reader *r;
	struct reader_news news = { .what = READER_NOTHING };
	uint64_t calls = 0;
	pid_t child;

	for (unsigned i = 0; i < RULES; i++)
		demand(injections_add("wc:status=RETRY_EXC_ERR"), "a rule is added");
	injections_begin(&how);
	r = reader_open(&how);
	demand(r && reader_admit(r) == 0, "the reader is open");
	injections_watch(r);
	v.reader = r;
	v.to = fopen("/dev/null", "we");
	if (way->checked)
		demand(checking_begin(&checking, v.to, false) == 0, "checks begin");
	child = fork();
	demand(child >= 0, "a process is started");
	if (!child) {
		struct shared_area *shared = map_shared();

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		write_for_ever(shared);
	}
	views_begin(&v);
	if (way->recorded)
		demand(recording_begin(&recording) == 0, "a script is written");
	while (child > 0 || news.what != READER_NOTHING) {
		if (child > 0 && (record_realtime(record_time()) >= until ||
				  (way->recorded && calls >= way->recorded))) {
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
			child = 0;
		}
		reader_next(r, &news, child ? 50 : 0);
		calls += news.what == READER_CALL;
		if (way->recorded)
			recording_take(r, &news);
		if (!recording_is_row(&news))
			views_take(&news);
	}
	if (way->recorded)
		demand(recording_end(true) == 0, "a script is written");
	checking_end();
	views_end();
	injections_end();
	fclose(v.to);
	reader_close(r);
	return calls;
}

static void check_all(void)
{
	char *wrong = checks_choose("all", checking.wanted);

	demand(!wrong, "all rules are known");
	checking.is_on = true;
}

int main(int argc, char **argv)
{
	const int64_t second = 1000000000;
	const int64_t span = second * (argc > 1 ? atoi(argv[1]) : 5);
	const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	const int64_t begin = record_realtime(record_time());
	const unsigned n = sizeof ways / sizeof *ways;
	uint64_t calls = 0;

	replay_rows_begin();
	check_all();
	for (unsigned way = 0; way < n; way++) {
		const int64_t until = begin + span * (way + 1) / n;

		for (state = seed + way + 1; record_realtime(record_time()) < until; state++)
			calls += read_program(&ways[way], until);
	}
	printf("seed %" PRIu64 ": %" PRIu64 " calls read\n", seed, calls);
	demand(calls > 1000, "more than 1000 calls");
	return 0;
}
