// SPDX-License-Identifier: MIT
#include "direct_pair.h"

#include <fcntl.h>
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

struct shared_state *shared;
uint8_t *memory;
struct qp *the_qp;
static struct ibv_mr *regions[REGIONS];

void begin_pair(void)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	CHECK(shared != MAP_FAILED);
	memory = mmap(NULL, REGIONS * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	CHECK(memory != MAP_FAILED);
	app_open();
	the_qp = app_qp(IBV_QPT_RC, NULL, 0);
	shared->target_qpn = the_qp->v.qp_num;
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

void wait_for(_Atomic int *value)
{
	while (!*value)
		nap();
}

void kill_child(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	CHECK_INT(waitpid(pid, &status, 0), pid);
}

/* ------------------------------------------------------------------- the writer -- */

struct reach to_target;

static void reach_target(void)
{
	int table, pidfd = (int)syscall(SYS_pidfd_open, (pid_t)shared->target_pid, 0);

	CHECK(pidfd >= 0);
	table = table_of(shared->target_pid, shared->target_table);
	CHECK_INT(reach_open(&to_target, shared->target_pid, pidfd, table, &shared->target_cell,
			     &shared->writer_cell, SLOT),
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
		.qpn = shared->target_qpn,
		.own_qpn = WRITER_QP,
		.gid = &gid,
		.own_gid = &own,
		.psn = 100,
		.rkey = shared->key,
		.va = shared->va + offset,
		.len = len,
		.iov = { { bytes, len } },
		.niov = 1,
	};

	return reach_copy(&to_target, &q);
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
			shared->refused++;
			if (r == REACH_GONE)
				_exit(0);
			continue;
		}
		shared->done++;
		if (!write && has(in, len, TAKEN))
			shared->bad++;
	}
}

pid_t start_writer(void (*fn)(void))
{
	pid_t pid;

	shared->target_cell.welcome = shared->writer_cell.use = 0;
	shared->writer_pid = shared->writer_table = 0;
	shared->go = shared->announced = 0;
	pid = fork();
	CHECK(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	target_forget();
	shared->writer_table = target_start();
	CHECK(shared->writer_table > 0);
	shared->writer_pid = getpid();
	wait_for(&shared->go);
	reach_target();
	fn();
	_exit(0);
}

/* ------------------------------------------------------------------- the target -- */

void begin_target(void)
{
	the_qp->shown = false;
	the_qp->attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.dest_qp_num = WRITER_QP,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	the_qp->flow.sgid = gid_of(1);
	the_qp->flow.dgid = gid_of(2);
	the_qp->resp.psn = 100;
	shared->target_table = target_start();
	CHECK(shared->target_table > 0);
	shared->target_pid = getpid();
}

void let_in(void)
{
	wait_for(&shared->writer_pid);
	engine_lock();
	target_let_in(SLOT, &shared->writer_cell, &shared->target_cell,
		      table_of(shared->writer_pid, shared->writer_table));
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
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ;
	struct ibv_mr *mr = ibv_reg_mr(app_pd, region_memory(i), BYTES,
				       access | IBV_ACCESS_ON_DEMAND);

	CHECK(mr && ((struct mr *)mr)->shown);
	regions[i] = mr;
	shared->va = (uintptr_t)mr->addr;
	shared->key = mr->rkey;
}

void take_back(unsigned i, bool wait)
{
	struct target_users users;

	if (!wait) { /* ibv_dereg_mr() has nobody to wait for then */
		engine_lock();
		target_hide_region((struct mr *)regions[i], &users);
		engine_unlock();
	}
	CHECK_INT(ibv_dereg_mr(regions[i]), 0);
}

void hide_qp(bool wait)
{
	struct target_users users;

	engine_lock();
	target_hide_qp(the_qp, &users);
	engine_unlock();
	if (wait)
		target_await(&users);
}

void show_qp(void)
{
	engine_lock();
	target_show_qp(the_qp);
	engine_unlock();
	CHECK(the_qp->shown);
}
