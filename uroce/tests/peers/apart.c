// SPDX-License-Identifier: MIT
/*
 * Two processes, each with a QP: what one does to the memory of the other, when all is as usual
 * and when it is not.
 *
 *   apart works [how]   WRITE, READ and SEND each way, checked byte by byte, and what uroce status
 *                       says of both then ($uroce is the command). how the second process is:
 * hidden (it may not be traced), sandboxed (no memfd, no pidfd), in another PID or user namespace
 * (pids, users), without /proc (noproc) apart race ROUNDS   one writes all the time, the other one
 * takes its memory back, by its region or its QP, and uses it for something else apart soak SECONDS
 * the same with all kinds of operations and many that are killed; what it has of memory and
 * descriptors must stay as it is after a tenth of the time
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abuse.h"
#include "checks.h"
#include "qp_pair.h"

#define WRITTEN	   0x57
#define TAKEN	   0x54
#define KILL_EVERY (all_kinds ? 20 : 200) /* rounds */
#define SHORT	   12, 3 /* timeout and retries: one that does not answer is in ERR */

static struct pair here;
static struct ibv_mr their_mr;
static struct side there = { .mr = &their_mr };

struct told {
	uint64_t addr;
	uint32_t qpn, rkey;
};

static void open_here(void)
{
	here.ctx = pair_open();
	pair_side(&here, &here.a, 0);
}

/* False: the other process has gone. */
static bool swap(int fd, void *mine, void *theirs, size_t n)
{
	return send(fd, mine, n, MSG_NOSIGNAL) == (ssize_t)n &&
	       recv(fd, theirs, n, MSG_WAITALL) == (ssize_t)n;
}

/* False: the other one has gone. */
static bool join(int fd, uint8_t timeout, uint8_t retries)
{
	struct told mine = { (uintptr_t)here.a.buf, here.a.qp->qp_num, here.a.mr->rkey }, theirs;

	if (!swap(fd, &mine, &theirs, sizeof mine))
		return false;
	there.buf = (uint8_t *)(uintptr_t)theirs.addr;
	their_mr.rkey = theirs.rkey;
	pair_connect(here.ctx, here.a.qp, theirs.qpn, timeout, retries);
	return true;
}

static void meet(int fd)
{
	char a = 'a', b;

	CHECK(swap(fd, &a, &b, 1));
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
}

/* ------------------------------------------------------------------------ works -- */

static void is_filled(const uint8_t *p, unsigned n, unsigned seed)
{
	for (unsigned i = 0; i < n; i++)
		CHECK_INT(p[i], pair_byte(i, seed));
}

static void does(enum ibv_wr_opcode op, unsigned n)
{
	CHECK_INT(pair_post(&here.a, &there, op, n, 0), 0);
	CHECK_INT(pair_wait(here.a.cq, NULL), IBV_WC_SUCCESS);
}

/* Its turn: WRITE, then a SEND that says so; READ what was written. */
static void acts(int fd, unsigned n, unsigned seed)
{
	pair_fill(here.a.buf, n, seed);
	does(IBV_WR_RDMA_WRITE, n);
	meet(fd);
	meet(fd); /* it was checked */
	memset(here.a.buf, 0, n);
	does(IBV_WR_RDMA_READ, n);
	is_filled(here.a.buf, n, seed);
	meet(fd);
	does(IBV_WR_SEND, n);
	meet(fd);
}

static void is_acted_on(int fd, unsigned n, unsigned seed)
{
	meet(fd);
	is_filled(here.a.buf, n, seed);
	meet(fd);
	CHECK_INT(pair_recv(&here.a, n, 0), 0);
	meet(fd);
	meet(fd);
	CHECK_INT(pair_wait(here.a.cq, NULL), IBV_WC_SUCCESS);
	is_filled(here.a.buf, n, seed);
}

/* A SEND that waits for a receive holds up the WRITE behind it. */
static void keeps_order(int fd, bool first)
{
	const unsigned n = 64;

	memset(here.a.buf, first ? WRITTEN : 0, n);
	meet(fd);
	if (first) {
		CHECK_INT(pair_post(&here.a, &there, IBV_WR_SEND, 0, 0), 0);
		CHECK_INT(pair_post(&here.a, &there, IBV_WR_RDMA_WRITE, n, 1), 0);
		meet(fd);
		CHECK_INT(pair_wait(here.a.cq, NULL), IBV_WC_SUCCESS);
		CHECK_INT(pair_wait(here.a.cq, NULL), IBV_WC_SUCCESS);
		meet(fd);
		return;
	}
	meet(fd);
	for (unsigned i = 0; i < 100; i++) {
		nap();
		CHECK_INT(here.a.buf[n - 1], 0);
	}
	CHECK_INT(pair_recv(&here.a, n, 0), 0);
	CHECK_INT(pair_wait(here.a.cq, NULL), IBV_WC_SUCCESS);
	meet(fd);
	CHECK_INT(here.a.buf[0], WRITTEN);
	CHECK_INT(here.a.buf[n - 1], WRITTEN);
}

static void works(int fd, bool first)
{
	static const unsigned sizes[] = { 1, 8, 64, 4096, 65535, PAIR_BYTES };

	open_here();
	CHECK(join(fd, 14, 7));
	meet(fd);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			if (first == (round == 0))
				acts(fd, sizes[i], i + 1);
			else
				is_acted_on(fd, sizes[i], i + 1);
			meet(fd);
		}
	keeps_order(fd, first);
	keeps_order(fd, !first);
	if (first)
		CHECK_INT(system("\"$uroce\" status"), 0);
	meet(fd);
}

/* --------------------------------------------------------- how the second one is -- */

static void usual(void)
{
}

static void hidden(void)
{
	CHECK_INT(prctl(PR_SET_DUMPABLE, 0), 0);
}

#define LOOK(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, field))
#define REFUSE(number)                                                 \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(number), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static void sandboxed(void)
{
	struct sock_filter code[] = {
		LOOK(nr),
		REFUSE(SYS_memfd_create),
		REFUSE(SYS_pidfd_open),
		REFUSE(SYS_ptrace),
		REFUSE(SYS_process_vm_readv),
		REFUSE(SYS_process_vm_writev),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };

	CHECK_INT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_INT(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

static void write_file(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_INT(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
}

/* One that is in a namespace is a child of one that made it. */
static void in_other_pids(void)
{
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWPID) != 0)
		_exit(SKIPPED);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		return;
	CHECK_INT(waitpid(pid, &status, 0), pid);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* The same user, as containers have it: nothing of its rights counts outside. */
static void in_other_users(void)
{
	unsigned uid = getuid(), gid = getgid();
	char map[40];

	if (unshare(CLONE_NEWUSER) != 0) /* also where ThreadSanitizer has a thread of its own */
		_exit(SKIPPED);
	snprintf(map, sizeof map, "%u %u 1", uid, uid);
	write_file("/proc/self/uid_map", map);
	write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof map, "%u %u 1", gid, gid);
	write_file("/proc/self/gid_map", map);
}

static void without_proc(void)
{
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", "/proc", "tmpfs", 0, NULL) != 0)
		_exit(SKIPPED);
}

static const struct {
	const char *name;
	void (*become)(void);
} manners[] = {
	{ "usual", usual },	   { "hidden", hidden },	{ "sandboxed", sandboxed },
	{ "pids", in_other_pids }, { "users", in_other_users }, { "noproc", without_proc },
};

/* SKIPPED: the second one cannot become so here. */
static int work_together(const char *how)
{
	char is_so = 1;
	unsigned i = 0;
	int fd[2], status;
	pid_t pid;

	while (i < sizeof manners / sizeof *manners && strcmp(manners[i].name, how) != 0)
		i++;
	CHECK(i < sizeof manners / sizeof *manners);
	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		close(fd[0]);
		manners[i].become();
		CHECK_INT(send(fd[1], &is_so, 1, 0), 1);
		works(fd[1], false);
		_exit(0);
	}
	close(fd[1]);
	if (recv(fd[0], &is_so, 1, 0) == 1)
		works(fd[0], true);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* ------------------------------------------------------------------------- race -- */

static struct stage {
	_Atomic uint64_t va, done, bad;
	_Atomic uint32_t key;
	_Atomic uint32_t round, ended; /* begun by the target; over for the writer */
} * stage;

static bool all_kinds; /* not only one-sided operations */

static enum ibv_wr_opcode any_kind(unsigned *seed)
{
	static const enum ibv_wr_opcode kinds[] = {
		IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_READ,
		IBV_WR_SEND,
		IBV_WR_SEND,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_ATOMIC_WRITE,
	};

	return kinds[(unsigned)rand_r(seed) % (all_kinds ? 8 : 4)];
}

/* Until it is refused: the QP is in ERR then. */
static void use_all_the_time(void)
{
	static unsigned seed = 1;
	enum ibv_wc_status status;

	do {
		enum ibv_wr_opcode op = any_kind(&seed);
		unsigned n = (unsigned)rand_r(&seed) % PAIR_BYTES + 1;

		if (op == IBV_WR_ATOMIC_FETCH_AND_ADD || op == IBV_WR_ATOMIC_WRITE)
			n = 8;
		memset(here.a.buf, WRITTEN, n);
		CHECK_INT(pair_post(&here.a, &there, op, n, 0), 0);
		status = pair_wait(here.a.cq, NULL);
		if (status == IBV_WC_SUCCESS) {
			stage->done++;
			if (op == IBV_WR_RDMA_READ && memchr(here.a.buf, TAKEN, n))
				stage->bad++;
		}
	} while (status == IBV_WC_SUCCESS);
}

static void new_qp(struct side *s)
{
	CHECK_INT(ibv_destroy_qp(s->qp), 0);
	pair_new_qp(s);
}

static void writer(int fd)
{
	uint32_t seen = stage->ended;

	open_here();
	while (join(fd, SHORT)) {
		while (stage->round == seen)
			nap();
		seen = stage->round;
		there.buf = (uint8_t *)(uintptr_t)stage->va;
		their_mr.rkey = stage->key;
		use_all_the_time();
		stage->ended = seen;
		new_qp(&here.a);
	}
}

static pid_t start_writer(int *fd)
{
	int both[2];
	pid_t pid;

	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(both[0]);
		writer(both[1]);
		_exit(0);
	}
	close(both[1]);
	*fd = both[0];
	return pid;
}

static void stop_writer(pid_t pid, int fd)
{
	kill(pid, SIGKILL);
	CHECK_INT(waitpid(pid, NULL, 0), pid);
	close(fd);
}

/* The memory is not the peer's any more when this returns. */
static void take_back(struct ibv_mr *mr, unsigned how)
{
	struct ibv_qp_attr err = { .qp_state = IBV_QPS_ERR };

	switch (how) {
	case 0:
		CHECK_INT(ibv_modify_qp(here.a.qp, &err, IBV_QP_STATE), 0);
		break;
	case 1:
		new_qp(&here.a);
		break;
	default:
		CHECK_INT(ibv_dereg_mr(mr), 0);
	}
}

static void fork_a_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	CHECK_INT(waitpid(pid, NULL, 0), pid);
}

/* Receives of what is sent to us meanwhile. */
static void take_sends(void)
{
	struct ibv_wc wc;

	while (all_kinds && ibv_poll_cq(here.a.cq, 1, &wc) == 1 && wc.status == IBV_WC_SUCCESS)
		pair_recv(&here.a, PAIR_BYTES, 0);
}

/* Returns whether the memory was touched. */
static bool one_round(uint8_t *at, unsigned round, pid_t *pid, int *fd)
{
	unsigned how = round % 8;
	bool dies = round % KILL_EVERY == KILL_EVERY - 1, touched = false;
	struct ibv_mr *mr = ibv_reg_mr(here.a.pd, at, PAIR_BYTES, PAIR_ACCESS);
	uint64_t before = stage->done;

	CHECK(mr != NULL);
	memset(at, 0, PAIR_BYTES);
	stage->va = (uintptr_t)at;
	stage->key = mr->rkey;
	for (unsigned i = 0; all_kinds && i < PAIR_DEPTH / 2; i++)
		CHECK_INT(pair_recv(&here.a, PAIR_BYTES, 0), 0);
	stage->round = round + 1;
	for (unsigned i = 0; stage->done - before < 3 && stage->ended != round + 1 && i < 10000;
	     i++) {
		take_sends();
		nap();
	}
	if (round % 50 == 0)
		fork_a_child();
	if (dies)
		kill(*pid, SIGKILL);
	take_back(mr, how);
	if (round % 4 == 0)
		CHECK(mmap(at, PAIR_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at);
	memset(at, TAKEN, PAIR_BYTES);
	if (dies) {
		stop_writer(*pid, *fd);
		stage->ended = round + 1;
		*pid = start_writer(fd);
	}
	while (stage->ended != round + 1)
		sched_yield();
	for (unsigned i = 0; i < PAIR_BYTES; i++)
		touched |= at[i] != TAKEN;
	if (how < 2)
		CHECK_INT(ibv_dereg_mr(mr), 0);
	if (how != 1)
		new_qp(&here.a);
	return touched;
}

/* The resources of a process, which must not grow. */
struct belongings {
	unsigned descriptors;
	size_t allocated; /* by malloc(3) and not freed: a leak of a byte a round is seen */
	/* KiB of private pages, for memory that malloc(3) does not know. The table of regions is
	 * not in it (shared memory), but the table of QP numbers is: each new QP touches the next
	 * place, until all of its 256 KiB have been touched. */
	long resident;
};

#define ALLOCATED_SLACK (16u << 10) /* for the writer that is just coming or going */
#define RESIDENT_SLACK	512	    /* KiB */

static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long all, shared;

	CHECK(f != NULL);
	CHECK_INT(fscanf(f, "%*d %ld %ld", &all, &shared), 2);
	fclose(f);
	return (all - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

static unsigned descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	CHECK(d != NULL);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static struct belongings look_at_belongings(unsigned round)
{
	struct mallinfo2 info = mallinfo2();
	struct belongings b = { descriptors(), info.uordblks + info.hblkhd, resident() };

	printf("%u rounds: %u descriptors, %zu B allocated, %ld KiB resident\n", round,
	       b.descriptors, b.allocated, b.resident);
	return b;
}

static bool has_grown(const struct belongings *now, const struct belongings *before)
{
	return now->descriptors > before->descriptors ||
	       now->allocated > before->allocated + ALLOCATED_SLACK ||
	       now->resident > before->resident + RESIDENT_SLACK;
}

/* rounds 0: until the time is over. */
static int race(unsigned rounds, unsigned seconds)
{
	uint8_t *at = mmap(NULL, PAIR_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	time_t begin = time(NULL), now = begin;
	struct belongings early = { 0 }, late;
	unsigned touched = 0, round = 0;
	pid_t pid;
	int fd;

	stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	CHECK(at != MAP_FAILED && stage != MAP_FAILED);
	all_kinds = seconds != 0;
	pid = start_writer(&fd);
	open_here();
	for (; rounds ? round < rounds : now < begin + seconds; round++) {
		CHECK(join(fd, SHORT));
		touched += one_round(at, round, &pid, &fd);
		now = time(NULL);
		if (seconds && !early.descriptors && now >= begin + seconds / 10)
			early = look_at_belongings(round);
	}
	late = look_at_belongings(round);
	stop_writer(pid, fd);
	printf("%u rounds, %" PRIu64 " operations: %u times touched, %" PRIu64
	       " reads of what was taken back\n",
	       round, (uint64_t)stage->done, touched, (uint64_t)stage->bad);
	return touched || stage->bad || (seconds && has_grown(&late, &early));
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc >= 2 && strcmp(argv[1], "works") == 0)
		return work_together(argc > 2 ? argv[2] : "usual");
	if (argc == 3 && strcmp(argv[1], "race") == 0)
		return race((unsigned)atoi(argv[2]), 0);
	if (argc == 3 && strcmp(argv[1], "soak") == 0)
		return race(0, (unsigned)atoi(argv[2]));
	fprintf(stderr, "usage: apart works [usual|hidden|sandboxed|pids|users|noproc] |\n"
			"       apart race ROUNDS | apart soak SECONDS\n");
	return 2;
}
