/* SPDX-License-Identifier: MIT */
/* Keys: what they open, and what not; many of them. */
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "checks.h"
#include "engine.h"
#include "queue_pair.h"
#include "region.h"

#define MANY 100000

static struct pd pd = { .domain = &pd }, other_pd = { .domain = &other_pd };
static struct qp qp = { .pd = &pd }, stranger = { .pd = &other_pd };
static uint8_t memory[8192];

static struct mr region(void *host, uint64_t len, uint64_t iova, unsigned access)
{
	struct mr mr = { .pd = &pd, .host = host, .len = len, .iova = iova, .access = access };

	return mr;
}

static void keys_and_rights(void)
{
	struct mr mr = region(memory, 4096, 0x1000,
			      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);

	CHECK_INT(region_add_mr(&mr), 0);
	CHECK_INT(mr.lkey, mr.rkey);
	CHECK(mr.lkey >> 8);
	CHECK(region_local(qp.pd, mr.lkey, 0x1000, 4096, 0) == memory);
	CHECK(region_local(qp.pd, mr.lkey, 0x1001, 4095, IBV_ACCESS_LOCAL_WRITE) == memory + 1);
	CHECK(region_remote(&qp, mr.rkey, 0x1fff, 1, IBV_ACCESS_REMOTE_READ) == memory + 4095);

	/* not with another tag */
	CHECK(!region_local(qp.pd, mr.lkey ^ 1, 0x1000, 1, 0));
	CHECK(!region_remote(&qp, mr.rkey ^ 0x80, 0x1000, 1, IBV_ACCESS_REMOTE_READ));
	CHECK(!region_remote(&qp, 0, 0x1000, 1, IBV_ACCESS_REMOTE_READ));

	/* of another PD */
	CHECK(!region_local(stranger.pd, mr.lkey, 0x1000, 1, 0));
	CHECK(!region_remote(&stranger, mr.rkey, 0x1000, 1, IBV_ACCESS_REMOTE_READ));

	/* not granted, or not all of it */
	CHECK(!region_remote(&qp, mr.rkey, 0x1000, 1, IBV_ACCESS_REMOTE_WRITE));
	CHECK(!region_remote(&qp, mr.rkey, 0x1000, 8,
			     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC));

	/* nothing needs no key */
	CHECK(region_remote(&qp, 0x12345678, 99, 0, IBV_ACCESS_REMOTE_WRITE));
	CHECK(region_local(qp.pd, 0x12345678, 99, 0, IBV_ACCESS_LOCAL_WRITE));

	region_remove_mr(&mr);
	CHECK(!region_local(qp.pd, mr.lkey, 0x1000, 1, 0));
	CHECK(!region_remote(&qp, mr.rkey, 0x1000, 1, IBV_ACCESS_REMOTE_READ));
}

/* A region of 16 bytes that begins there: which ranges are in it? */
static void ranges_of(uint64_t iova)
{
	static const struct {
		int64_t at;
		uint64_t len;
		bool ok;
	} ranges[] = {
		{ 0, 16, true },
		{ 0, 17, false },
		{ 16, 1, false },
		{ 15, 1, true },
		{ -1, 1, false },
		{ -1, 2, false },
		{ 0, UINT64_MAX, false },
		{ 1, UINT64_MAX, false },
		{ 15, UINT64_MAX - 14, false },
		{ 8, (uint64_t)1 << 63, false },
		{ -16, 16, false },
		{ -16, 32, false },
		{ 17, 1, false },
		{ INT64_MIN, 1, false },
	};
	struct mr mr = region(memory, 16, iova, IBV_ACCESS_REMOTE_READ);

	CHECK_INT(region_add_mr(&mr), 0);
	for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		const uint64_t va = iova + (uint64_t)ranges[i].at;
		const void *got = region_remote(&qp, mr.rkey, va, ranges[i].len,
						IBV_ACCESS_REMOTE_READ);

		CHECK((got != NULL) == ranges[i].ok);
		CHECK(!got || got == memory + ranges[i].at);
		CHECK(!region_local(qp.pd, mr.lkey, va, ranges[i].len, 0) == !ranges[i].ok);
	}
	region_remove_mr(&mr);
}

/* of this thread: what else the machine does meanwhile does not count */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ns a look-up, of one that is asked for again and again */
static double cost(const struct mr *mr)
{
	double best = 1e9;

	for (int round = 0; round < 5; round++) {
		const double from = seconds();

		for (int i = 0; i < 200000; i++)
			if (!region_local(qp.pd, mr->lkey, 0, 1, 0))
				return -1;
		best = seconds() - from < best ? seconds() - from : best;
	}
	return best / 200000 * 1e9;
}

static void many(void)
{
	struct mr *mrs = calloc(MANY, sizeof *mrs);
	struct mr first = region(memory, 1, 0, 0);
	double alone, among;

	CHECK_INT(region_add_mr(&first), 0);
	alone = cost(&first);
	for (unsigned i = 0; i < MANY; i++) {
		mrs[i] = region(&memory[i & 4095], 1, i, 0);
		CHECK_INT(region_add_mr(&mrs[i]), 0);
	}
	among = cost(&first);
	for (unsigned i = 0; i < MANY; i++)
		CHECK(region_local(qp.pd, mrs[i].lkey, i, 1, 0) == &memory[i & 4095]);
	/* every third goes, and the others are still found */
	for (unsigned i = 0; i < MANY; i += 3)
		region_remove_mr(&mrs[i]);
	for (unsigned i = 0; i < MANY; i++)
		CHECK(!region_local(qp.pd, mrs[i].lkey, i, 1, 0) == (i % 3 == 0));
	for (unsigned i = 0; i < MANY; i++)
		if (i % 3)
			region_remove_mr(&mrs[i]);
	CHECK(region_local(qp.pd, first.lkey, 0, 1, 0) == memory);
	region_remove_mr(&first);
	CHECK(alone > 0 && among > 0);
	/* flat: a search would take a thousand times as long */
	CHECK(among < 10 * alone);
	printf("look-up: %.1f ns alone, %.1f ns among %d\n", alone, among, MANY);
	free(mrs);
}

/* A child of fork() gives other keys than its parent. */
static void fork_keys(void)
{
	struct mr mr = region(memory, 1, 0, 0);
	uint32_t keys[2] = { 0 };
	int ends[2];

	CHECK_INT(pipe(ends), 0);
	if (fork() == 0)
		_exit(region_add_mr(&mr) != 0 || write(ends[1], &mr.lkey, 4) != 4);
	CHECK(read(ends[0], &keys[0], 4) == 4);
	wait(NULL);
	CHECK_INT(region_add_mr(&mr), 0);
	keys[1] = mr.lkey;
	region_remove_mr(&mr);
	CHECK(keys[0] && keys[0] != keys[1]);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	engine_lock();
	keys_and_rights();
	ranges_of(0);
	ranges_of(0x7000);
	ranges_of(UINT64_MAX - 16);
	many();
	fork_keys();
	engine_unlock();
	return checks_end();
}
