// SPDX-License-Identifier: MIT
#include "direct_rig.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "checks.h"
#include "engine.h"
#include "direct.h"

/* ----------------------------------------------------------------------- fakes -- */

static pthread_mutex_t engine = PTHREAD_MUTEX_INITIALIZER;

void engine_lock(void)
{
	pthread_mutex_lock(&engine);
}

void engine_unlock(void)
{
	pthread_mutex_unlock(&engine);
}

struct pd the_pd = { .domain = &the_pd };
struct qp the_qp;
static struct mr regions[REGIONS];

void region_each(void (*fn)(struct mr *mr, void *arg), void *arg)
{
	for (unsigned i = 0; i < REGIONS; i++)
		if (regions[i].len)
			fn(&regions[i], arg);
}

void qp_each(void (*fn)(struct qp *qp, void *arg), void *arg)
{
	fn(&the_qp, arg);
}

/* ---------------------------------------------------- what the processes share -- */

struct stage *stage;

uint8_t *memory;

void make_stage(void)
{
	stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	CHECK(stage != MAP_FAILED);
	memory = mmap(NULL, REGIONS * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	CHECK(memory != MAP_FAILED);
}

int table_of(int pid, int fd)
{
	char path[64];
	int copy;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
	copy = open(path, O_RDWR | O_CLOEXEC);
	CHECK(copy >= 0);
	return copy;
}

void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
}

void until(_Atomic int *value)
{
	while (!*value)
		nap();
}

void gone(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	CHECK_INT(waitpid(pid, &status, 0), pid);
}

/* ------------------------------------------------------------------- the writer -- */

struct reach way;

static void reach_target(void)
{
	int table, pidfd = (int)syscall(SYS_pidfd_open, (pid_t)stage->target_pid, 0);

	CHECK(pidfd >= 0);
	table = table_of(stage->target_pid, stage->target_table);
	CHECK_INT(reach_open(&way, stage->target_pid, pidfd, table, &stage->target_cell,
			     &stage->writer_cell, SLOT),
		  0);
	close(table);
	close(pidfd);
}

enum reach_result operate(bool write, uint8_t *bytes, uint32_t offset, uint32_t len)
{
	static const uint8_t ends[2] = { 1, 2 };
	union ibv_gid gid = gid_of(ends[0]), own = gid_of(ends[1]);
	struct reach_request q = {
		.write = write,
		.qpn = TARGET_QP,
		.own_qpn = WRITER_QP,
		.gid = &gid,
		.own_gid = &own,
		.psn = 100,
		.rkey = stage->key,
		.va = stage->va + offset,
		.len = len,
		.iov = { { bytes, len } },
		.niov = 1,
	};

	return reach_copy(&way, &q);
}

bool has(const uint8_t *bytes, uint32_t n, uint8_t value)
{
	return memchr(bytes, value, n);
}

void write_and_read(void)
{
	static uint8_t out[BYTES], in[BYTES];
	unsigned seed = (unsigned)getpid();

	memset(out, WRITTEN, sizeof out);
	for (;;) {
		uint32_t len = (uint32_t)rand_r(&seed) % BYTES + 1;
		bool write = rand_r(&seed) % 4;
		enum reach_result r = operate(write, write ? out : in,
					      (uint32_t)rand_r(&seed) % (BYTES - len + 1), len);

		if (r != REACH_DONE) {
			stage->refused++;
			if (r == REACH_GONE)
				_exit(0);
			continue;
		}
		stage->done++;
		if (!write && has(in, len, TAKEN))
			stage->bad++;
	}
}

pid_t start_writer(void (*fn)(void))
{
	pid_t pid;

	stage->target_cell.welcome = stage->writer_cell.use = 0;
	stage->writer_pid = stage->writer_table = 0;
	stage->go = stage->announced = 0;
	pid = fork();
	CHECK(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	target_forget();
	stage->writer_table = target_start();
	CHECK(stage->writer_table > 0);
	stage->writer_pid = getpid();
	until(&stage->go);
	reach_target();
	fn();
	_exit(0);
}

/* ------------------------------------------------------------------- the target -- */

void begin_target(void)
{
	the_qp = (struct qp){ .pd = &the_pd, .type = IBV_QPT_RC };
	the_qp.v.qp_num = TARGET_QP;
	the_qp.attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.dest_qp_num = WRITER_QP,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	the_qp.flow.sgid = gid_of(1);
	the_qp.flow.dgid = gid_of(2);
	the_qp.resp.psn = 100;
	stage->target_table = target_start();
	CHECK(stage->target_table > 0);
	stage->target_pid = getpid();
}

void let_in(void)
{
	until(&stage->writer_pid);
	engine_lock();
	target_let_in(SLOT, &stage->writer_cell, &stage->target_cell,
		      table_of(stage->writer_pid, stage->writer_table));
	engine_unlock();
}

void show_out(void)
{
	engine_lock();
	target_show_out(SLOT);
	engine_unlock();
}

uint8_t *region_memory(unsigned i)
{
	return memory + i * BYTES;
}

void hand_out(unsigned i)
{
	static uint32_t keys;
	struct mr *mr = &regions[i];

	keys += 0x100;
	*mr = (struct mr){
		.pd = &the_pd,
		.host = region_memory(i),
		.len = BYTES,
		.iova = (uintptr_t)region_memory(i),
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
		.lkey = keys,
		.rkey = keys,
	};
	engine_lock();
	target_show_region(mr);
	engine_unlock();
	CHECK(mr->shown);
	stage->va = mr->iova;
	stage->key = keys;
}

void take_back(unsigned i, bool wait)
{
	struct target_users users;

	engine_lock();
	target_hide_region(&regions[i], &users);
	engine_unlock();
	if (wait)
		target_await(&users);
	regions[i].len = 0;
}

void hide_qp(bool wait)
{
	struct target_users users;

	engine_lock();
	target_hide_qp(&the_qp, &users);
	engine_unlock();
	if (wait)
		target_await(&users);
}

void show_qp(void)
{
	engine_lock();
	target_show_qp(&the_qp);
	engine_unlock();
	CHECK(the_qp.shown);
}
