// SPDX-License-Identifier: MIT
/*
 * One-sided operations into another process: what the target allows, and who does not go on in the
 * middle of one. direct_table.h.
 *
 *   direct_test                          and a few thousand rounds of the race
 *   direct_test race ROUNDS [no-wait]    the race alone; no-wait: the target does not wait for who
 *                                        uses the region, to see that the test finds it out; ends
 *                                        with the first time
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "direct_pair.h"
#include "engine.h"
#include "direct.h"

/* ----------------------------------------------------- what single ones are told -- */

/* What the other process finds when this one has changed its QP. */
static void in_child(void (*fn)(void), void (*change)(void))
{
	pid_t pid = start_writer(fn);
	struct qp before = *the_qp;
	int status;

	if (change)
		change();
	let_in(); /* shows the QP, too */
	hand_out(0);
	shared->go = 1;
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
	hide_qp(true);
	take_back(0, true);
	show_out();
	*the_qp = before;
	the_qp->shown = false;
}

static uint8_t bytes[BYTES];

static void copies(void)
{
	for (uint32_t n = 1; n < 70; n++)
		for (uint32_t at = 0; at < 9; at++) {
			for (uint32_t i = 0; i < n; i++)
				bytes[i] = (uint8_t)(n + at + i + 1);
			CHECK_INT(operate(true, bytes, at, n), REACH_DONE);
			CHECK_INT(operate(false, bytes + 128, at, n), REACH_DONE);
			CHECK(memcmp(bytes, bytes + 128, n) == 0);
		}
	CHECK_INT(operate(true, bytes, 0, BYTES), REACH_DONE);
	CHECK_INT(operate(true, bytes, BYTES - 1, 1), REACH_DONE);
	CHECK(shared->writer_cell.use == 0);
}

/* A pid can become another process's, with other bytes at the same address: here it becomes ours.
 * We are a child of the target, and have its random number until we change it. */
static void long_reads(void)
{
	uint8_t *ours = region_memory(0);

	for (uint32_t i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(i % 251);
	CHECK_INT(operate(true, bytes, 0, BYTES), REACH_DONE);
	for (unsigned round = 0; round < 2; round++) {
		uint8_t found[BYTES];

		memset(found, 0, BYTES);
		CHECK_INT(operate(false, found, 0, BYTES), REACH_DONE);
		CHECK(memcmp(found, bytes, BYTES) == 0);
		to_target.pid = getpid();
		memset(ours, TAKEN, BYTES);
		*(uint8_t *)(uintptr_t)to_target.table->address ^= 1;
	}
}

static void long_write_arrives(uint8_t value)
{
	static uint8_t found[BYTES];

	memset(bytes, value, BYTES);
	CHECK_INT(operate(true, bytes, 3, BYTES - 3), REACH_DONE);
	CHECK_INT(operate(false, found, 3, BYTES - 3), REACH_DONE);
	CHECK(memcmp(found, bytes, BYTES - 3) == 0);
}

/* The same of WRITEs: we have all that the target has at the same addresses, but for the guard. */
static void long_writes(void)
{
	uint8_t *ours = region_memory(0);
	int file = to_target.memory;
	uint64_t guard = to_target.guard;

	if (guard) { /* not in TSan, nor before Linux 5.13 */
		to_target.memory = -1;
		long_write_arrives(1);
		CHECK_INT(operate(true, bytes, 0, 64), REACH_REFUSED);
		to_target.memory = file;
	}
	memset(ours, TAKEN, BYTES);
	to_target.pid = getpid();
	long_write_arrives(2);
	CHECK(!has(ours, BYTES, 2));
	CHECK(to_target.guard == guard);
	to_target.pid = -1; /* what fails otherwise is not tried again */
	long_write_arrives(3);
	CHECK(to_target.guard == 0);
	CHECK(!has(ours, BYTES, 3));
}

static void is_refused(void)
{
	CHECK_INT(operate(true, bytes, 0, 64), REACH_REFUSED);
	CHECK_INT(operate(false, bytes, 0, 64), REACH_REFUSED);
}

static void out_of_range(void)
{
	CHECK_INT(operate(true, bytes, 1, BYTES), REACH_REFUSED);
	CHECK_INT(operate(true, bytes, BYTES, 1), REACH_REFUSED);
	CHECK_INT(operate(true, bytes, (uint32_t)-8, 8), REACH_REFUSED);
	shared->key++;
	is_refused();
	shared->key--;
	CHECK_INT(operate(true, bytes, 0, BYTES), REACH_DONE);
}

static void reads_only(void)
{
	CHECK_INT(operate(true, bytes, 0, 64), REACH_REFUSED);
	CHECK_INT(operate(false, bytes, 0, 64), REACH_DONE);
}

static void other_peer(void)
{
	the_qp->attr.dest_qp_num++;
}

static void other_host(void)
{
	the_qp->flow.dgid = gid_of(3);
}

static void of_other_pd(void)
{
	static struct pd other = { .domain = &other };

	the_qp->pd = &other;
}

static void other_psn(void)
{
	the_qp->resp.psn++;
}

static void may_read(void)
{
	the_qp->attr.qp_access_flags = IBV_ACCESS_REMOTE_READ;
}

static void in_err(void)
{
	the_qp->attr.qp_state = IBV_QPS_ERR;
}

static void in_message(void)
{
	static const char anything;

	the_qp->resp.last_op = (const void *)&anything;
}

static void taps(void)
{
	target_set_off(true);
}

/* Nothing is there any more where the region says that it is. */
static void unmapped(void)
{
	CHECK_INT(munmap(region_memory(0), BYTES), 0);
}

/* Descriptors and processes that are not what they should be. */
static void is_not_opened(int pid, int pidfd, int table, int err)
{
	struct reach r;

	errno = 0;
	CHECK_INT(
		reach_open(&r, pid, pidfd, table, &shared->target_cell, &shared->writer_cell, SLOT),
		-1);
	CHECK_INT(errno, err);
	CHECK(!r.table && r.memory < 0);
}

static int memfd(size_t size, int seals)
{
	int fd = memfd_create("direct_test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	CHECK(fd >= 0);
	CHECK_INT(ftruncate(fd, (off_t)size), 0);
	CHECK_INT(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void opening(void)
{
	const int target = shared->target_pid, seals = F_SEAL_SHRINK | F_SEAL_GROW;
	int pidfd = (int)syscall(SYS_pidfd_open, target, 0);
	int table = table_of(target, shared->target_table);
	int loose = memfd(sizeof(struct direct_table), 0);
	int small = memfd(4096, seals), empty = memfd(sizeof(struct direct_table), seals);
	uint64_t welcome = shared->target_cell.welcome;
	pid_t child = fork(), gone_pid;
	int gone_pidfd;

	CHECK(child >= 0);
	if (child == 0)
		pause();
	gone_pid = child;
	gone_pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	is_not_opened(target, pidfd, loose, EPROTO);
	is_not_opened(target, pidfd, small, EPROTO);
	is_not_opened(target, pidfd, empty, EPROTO);
	is_not_opened(target, pidfd, pidfd, EPROTO);
	is_not_opened(child, gone_pidfd, table, EPROTO); /* of another process */
	kill_child(child);
	is_not_opened(target, gone_pidfd, table, ESRCH);
	is_not_opened(gone_pid, gone_pidfd, table, ENOENT);
	shared->target_cell.welcome = 0;
	is_not_opened(target, pidfd, table, EAGAIN);
	shared->target_cell.welcome = welcome;
	close(pidfd);
	pidfd = (int)syscall(SYS_pidfd_open, target, 0);
	CHECK_INT(reach_open(&to_target, target, pidfd, table, &shared->target_cell,
			     &shared->writer_cell, SLOT),
		  0);
	/* the table is the target's alone to write */
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, table, 0) == MAP_FAILED);
	shared->target_cell.welcome++;
	to_target.welcome++;
	CHECK_INT(operate(true, bytes, 0, 64), REACH_GONE);
	shared->target_cell.welcome--;
}

static void test_rules(void)
{
	begin_target();
	in_child(opening, NULL);
	in_child(copies, NULL);
	in_child(long_reads, NULL);
	in_child(long_writes, NULL);
	in_child(out_of_range, NULL);
	in_child(reads_only, may_read);
	in_child(is_refused, other_peer);
	in_child(is_refused, other_host);
	in_child(is_refused, of_other_pd);
	in_child(is_refused, other_psn);
	in_child(is_refused, in_err);
	in_child(is_refused, in_message);
	in_child(is_refused, taps);
	target_set_off(false);
	in_child(is_refused, unmapped);
	CHECK(mmap(region_memory(0), BYTES, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == region_memory(0));
	in_child(copies, NULL);
	target_stop();
}

/* ------------------------------------------------- who does not go on in the middle -- */

static void announce(void)
{
	for (uint32_t i = 0; i < DIRECT_NEAR; i++) {
		uint32_t place = shown_region_place(shared->key, i);

		if (to_target.table->regions[place].key == shared->key)
			shared->writer_cell.use = cell_use(place,
							   shown_qp_place(shared->target_qpn), 1);
	}
	CHECK(shared->writer_cell.use != 0);
	shared->announced = 1;
}

static void stops(void)
{
	announce();
	raise(SIGSTOP);
	shared->writer_cell.use = 0;
	pause();
}

static void becomes_another_program(void)
{
	announce();
	execl("/proc/self/exe", "direct_test", "sleep", NULL);
	_exit(1);
}

static _Atomic int returned;

static void *take_back_the_first(void *arg)
{
	take_back(0, true);
	returned = 1;
	return arg;
}

/* It has failed by itself before: then nobody waited. */
static void *destroy_failed_qp(void *arg)
{
	engine_lock();
	target_hide_qp(the_qp, NULL);
	engine_unlock();
	hide_qp(true);
	returned = 1;
	take_back(0, true);
	return arg;
}

/* The target waits for one that has announced the region, until fn is called with its pid. */
static void waits_until(void *(*take)(void *arg), void (*writer)(void), void (*fn)(pid_t pid),
			bool before)
{
	pid_t pid = start_writer(writer);
	pthread_t thread;

	let_in();
	hand_out(0);
	engine_lock();
	target_show_qp(the_qp);
	engine_unlock();
	shared->go = 1;
	wait_for(&shared->announced);
	returned = 0;
	if (before)
		fn(pid);
	CHECK_INT(pthread_create(&thread, NULL, take, NULL), 0);
	if (!before) {
		for (unsigned i = 0; i < 300; i++)
			nap();
		CHECK_INT(returned, 0);
		fn(pid);
	}
	CHECK_INT(pthread_join(thread, NULL), 0);
	CHECK_INT(returned, 1);
	kill_child(pid);
	show_out();
	hide_qp(true);
}

static void goes_on(pid_t pid)
{
	kill(pid, SIGCONT);
}

static void is_killed(pid_t pid)
{
	kill(pid, SIGKILL);
}

static void nothing(pid_t pid)
{
	(void)pid;
}

static void test_who_does_not_go_on(void)
{
	begin_target();
	waits_until(take_back_the_first, stops, goes_on, false);
	waits_until(take_back_the_first, stops, is_killed, false);
	waits_until(take_back_the_first, stops, is_killed, true);
	waits_until(take_back_the_first, becomes_another_program, nothing, true);
	waits_until(destroy_failed_qp, stops, goes_on, false);
	target_stop();
}

/* ------------------------------------------------- the target becomes another program -- */

/* What looks at the memory of another program that has the pid of the target. */
static int after_exec(const char *address)
{
	uint8_t *p = (uint8_t *)(uintptr_t)strtoull(address, NULL, 16);

	if (mmap(p, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) != p)
		return 2;
	memset(p, TAKEN, BYTES);
	for (unsigned i = 0; i < 1000; i++)
		nap();
	return has(p, BYTES, WRITTEN);
}

static void exec_target(void)
{
	char address[32];

	memory = mmap((void *)0x10000000, BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	CHECK(memory == (void *)0x10000000);
	begin_target();
	start_writer(write_and_read);
	let_in();
	hand_out(0);
	show_qp();
	shared->go = 1;
	while (shared->done < 100)
		nap();
	snprintf(address, sizeof address, "%lx", (unsigned long)(uintptr_t)memory);
	execl("/proc/self/exe", "direct_test", "after-exec", address, NULL);
	_exit(3);
}

static void test_exec(void)
{
	pid_t pid;
	int status;

	shared->done = 0;
	pid = fork();
	if (pid == 0)
		exec_target();
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(what, "sleep") == 0)
		return pause();
	if (strcmp(what, "after-exec") == 0)
		return after_exec(argv[2]);
	begin_pair();
	if (strcmp(what, "race") == 0)
		return race((unsigned)atoi(argv[2]), 5000, argc < 4) != 0;
	test_rules();
	test_who_does_not_go_on();
	test_exec();
	CHECK_INT((int64_t)race(3000, 300, true), 0);
	return checks_end();
}
