// SPDX-License-Identifier: MIT
/* Attempts to break the promise of direct_table.h: that nobody touches memory after its region was
 * taken back. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "direct_pair.h"
#include "direct.h"

/* What the program does with memory that is its own again. */
static void use_again(unsigned i, unsigned round)
{
	uint8_t *p = region_memory(i);

	if (round % 4 == 0)
		CHECK(mmap(p, BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p);
	memset(p, TAKEN, BYTES);
}

static unsigned long touched;

static void look_at(unsigned i)
{
	const uint8_t *p = region_memory(i);

	for (unsigned b = 0; b < BYTES; b++)
		if (p[b] != TAKEN) {
			touched++;
			return;
		}
}

static void fork_a_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		nap();
		_exit(0);
	}
	CHECK_INT(waitpid(pid, NULL, 0), pid);
}

/* A round: handed out, written to, taken back by its region or its QP, used for something else. */
static void one_round(unsigned round, bool wait)
{
	unsigned i = round % REGIONS, seen = 0;
	uint64_t before;

	memset(region_memory(i), NEW, BYTES);
	hand_out(i);
	before = shared->done;
	while (shared->done == before && seen++ < 20000)
		;
	if (round % 1000 == 999)
		fork_a_child();
	if (round % 8 == 7) {
		hide_qp(wait);
		use_again(i, round);
		look_at(i);
		take_back(i, wait);
		show_qp();
	} else {
		take_back(i, wait);
		use_again(i, round);
	}
	look_at(i);
	if (round > 0)
		look_at((i + 1) % REGIONS); /* of the last round */
}

unsigned long race(unsigned rounds, unsigned kill_every, bool wait)
{
	pid_t writer = start_writer(write_and_read);
	unsigned kills = 0;

	begin_target();
	let_in();
	show_qp();
	shared->go = 1;
	touched = 0;
	memset(memory, TAKEN, REGIONS * BYTES);
	for (unsigned round = 0; round < rounds && !touched; round++) {
		one_round(round, wait);
		if (kill_every && round % kill_every == kill_every - 1) {
			kill_child(writer);
			show_out();
			writer = start_writer(write_and_read);
			let_in();
			shared->go = 1;
			kills++;
		}
	}
	kill_child(writer);
	show_out();
	target_stop();
	printf("%u rounds, %" PRIu64 " operations done, %" PRIu64 " refused, %u writers killed: "
	       "%lu times touched, %" PRIu64 " reads of what was taken back\n",
	       rounds, (uint64_t)shared->done, (uint64_t)shared->refused, kills, touched,
	       (uint64_t)shared->bad);
	return touched + shared->bad;
}
