// SPDX-License-Identifier: MIT
/* An offer of shared memory is accepted only with memory whose size stays, a bell that cannot be
 * made to block, and a pidfd of the process that has sent it. */
#include "pair.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "engine.h"
#include "group_own.h"
#include "path.h"
#include "link.h"
#include "rig.h"

#define OWN_SLOT   1
#define OTHER_SLOT 2
#define SEALS	   (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define RIGHT_SIZE sizeof(struct pair_memory)

struct offer {
	uint64_t generation;
	uint32_t accepted, layout;
};
static uint32_t layout = PAIR_LAYOUT;

/* The message to the other process. */
static struct {
	unsigned n;
	enum control_type type;
	bool accepted;
} told;
static int control_errno; /* of control_send(); 0: it works */
static pid_t has_slot;	  /* the other one */

/* ----------------------------------------------- the group, which keeps what it sends -- */

struct group group = { .slot = OWN_SLOT, .control = -1 };

void group_check(void)
{
}

struct local_name control_name(const struct socket_dir *dir, unsigned slot)
{
	(void)dir, (void)slot;
	return (struct local_name){ 0 };
}

int control_send(int fd, const struct local_name *to, enum control_type type, unsigned slot,
		 const void *data, size_t n, const int *fds, unsigned nfds)
{
	const struct offer *answer = data;

	(void)fd, (void)to, (void)fds, (void)nfds;
	CHECK_INT(slot, OWN_SLOT);
	CHECK_INT(n, sizeof(*answer));
	told.n++;
	told.type = type;
	told.accepted = answer->accepted;
	errno = control_errno;
	return control_errno ? -1 : 0;
}

pid_t group_slot_pid(unsigned slot)
{
	CHECK_INT(slot, OTHER_SLOT);
	return has_slot;
}

static int watched = -1; /* the pidfd in the set */

int control_epoll_add(int fd)
{
	watched = fd;
	return 0;
}

void control_epoll_remove(int fd)
{
	if (watched == fd)
		watched = -1;
}

void rx_drain(void)
{
	if (pairs_open && pair_open[0]->gone)
		pair_close(pair_open[0]);
}

/* ------------------------------------------------------------------------ what is offered -- */

static int memory(size_t size, int seals)
{
	int fd = memfd_create("offered", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	CHECK(fd >= 0);
	CHECK_INT(ftruncate(fd, (off_t)size), 0);
	CHECK_INT(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

/* The limit of files: the memory cannot be made, and no signal ends the program. */
static void test_file_limit(void)
{
	struct rlimit all, few;
	int fd;

	CHECK_INT(getrlimit(RLIMIT_FSIZE, &all), 0);
	few = (struct rlimit){ 2000, all.rlim_max };
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &few), 0);
	CHECK(shared_file("large", 2001) == -1 && errno == EFBIG);
	fd = shared_file("small", 2000);
	CHECK(fd >= 0);
	close(fd);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &all), 0);
}

static int plain_file(void)
{
	char name[] = "/tmp/pair_test.XXXXXX";
	int fd = mkstemp(name);

	CHECK(fd >= 0);
	unlink(name);
	CHECK_INT(ftruncate(fd, RIGHT_SIZE), 0);
	return fd;
}

static int bell(int type)
{
	int ends[2];

	CHECK_INT(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends), 0);
	close(ends[0]);
	return ends[1];
}

static int pidfd_of(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	CHECK(fd >= 0);
	return fd;
}

static bool stays_open; /* what is accepted */

/* Offers it, as the process pid would; the descriptors are gone then. True: it was accepted. */
static bool offer(int memfd, int bell_fd, int pidfd, pid_t pid)
{
	static uint64_t offers;
	struct control_message m = { .header = { .slot = OTHER_SLOT,
						 .length = sizeof(struct offer) },
				     .pid = pid,
				     .fds = { bell_fd, pidfd, memfd },
				     .nfds = 3 };
	struct offer *message = (struct offer *)m.data;
	unsigned before = told.n;

	*message = (struct offer){ .generation = ++offers, .accepted = 1, .layout = layout };
	pair_take_offer(&m);
	for (unsigned i = 0; i < m.nfds; i++)
		if (m.fds[i] >= 0)
			close(m.fds[i]);
	CHECK_INT(told.n, before + 1); /* the other one is answered in any case */
	CHECK_INT(told.type, CONTROL_ANSWER_PAIR);
	CHECK_INT(pairs_open, told.accepted);
	CHECK_INT(pair_ready(OTHER_SLOT) != NULL, told.accepted);
	if (pairs_open && !stays_open)
		pair_close(pair_open[0]);
	CHECK_INT(watched >= 0, pairs_open);
	return told.accepted;
}

static bool offer_memory(int memfd)
{
	return offer(memfd, bell(SOCK_STREAM), pidfd_of(getpid()), getpid());
}

static void test_memory(void)
{
	CHECK(offer_memory(memory(RIGHT_SIZE, SEALS)));

	CHECK(!offer_memory(memory(RIGHT_SIZE, 0)));
	CHECK(!offer_memory(memory(RIGHT_SIZE, F_SEAL_SHRINK)));
	CHECK(!offer_memory(memory(RIGHT_SIZE, F_SEAL_GROW)));
	CHECK(!offer_memory(memory(RIGHT_SIZE, F_SEAL_GROW | F_SEAL_SEAL)));
	CHECK(!offer_memory(memory(RIGHT_SIZE, F_SEAL_SHRINK | F_SEAL_SEAL)));
	CHECK(!offer_memory(memory(RIGHT_SIZE, F_SEAL_SHRINK | F_SEAL_GROW)));
	CHECK(!offer_memory(memory(RIGHT_SIZE, SEALS | F_SEAL_FUTURE_WRITE)));
	CHECK(!offer_memory(memory(RIGHT_SIZE - 1, SEALS)));
	CHECK(!offer_memory(memory(RIGHT_SIZE + 4096, SEALS)));
	CHECK(!offer_memory(memory(0, SEALS)));
	CHECK(!offer_memory(plain_file()));
	CHECK(!offer_memory(bell(SOCK_STREAM)));
	layout = 0; /* of another version */
	CHECK(!offer_memory(memory(RIGHT_SIZE, SEALS)));
	layout = PAIR_LAYOUT;
}

static void test_bell(void)
{
	int mem = memory(RIGHT_SIZE, SEALS);

	CHECK(!offer(dup(mem), bell(SOCK_DGRAM), pidfd_of(getpid()), getpid()));
	CHECK(!offer(dup(mem), plain_file(), pidfd_of(getpid()), getpid()));
	CHECK(offer(mem, bell(SOCK_STREAM), pidfd_of(getpid()), getpid()));
}

static void test_sender(void)
{
	int mem = memory(RIGHT_SIZE, SEALS);
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	/* the pidfd of another process, the slot of another process, no process that is known */
	CHECK(!offer(dup(mem), bell(SOCK_STREAM), pidfd_of(child), getpid()));
	CHECK(!offer(dup(mem), bell(SOCK_STREAM), pidfd_of(child), child));
	CHECK(!offer(dup(mem), bell(SOCK_STREAM), pidfd_of(getpid()), 0));
	CHECK(!offer(dup(mem), bell(SOCK_STREAM), plain_file(), getpid()));
	has_slot = child;
	CHECK(!offer(dup(mem), bell(SOCK_STREAM), pidfd_of(getpid()), getpid()));
	CHECK(offer(mem, bell(SOCK_STREAM), pidfd_of(child), child));
	has_slot = getpid();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A process was killed, and another one has its slot: its offer comes before the pair is closed. */
static void test_next_process(void)
{
	stays_open = true;
	CHECK(offer_memory(memory(RIGHT_SIZE, SEALS)));
	pair_note_death(pair_open[0]->pidfd);
	stays_open = false;
	CHECK(offer_memory(memory(RIGHT_SIZE, SEALS)));
}

/* The other process has closed its end, but lives. */
static void test_left(void)
{
	struct pair *p;

	stays_open = true;
	CHECK(offer_memory(memory(RIGHT_SIZE, SEALS)));
	stays_open = false;
	p = pair_open[0];
	p->memory->left[!pair_side(p)] = 1;
	CHECK(!pair_ready(OTHER_SLOT));
	CHECK(p->gone);
	pair_close(p);
	CHECK_INT(watched, -1);
}

/* Its position is in the middle of a line. */
static void test_impossible_head(void)
{
	struct pair *p;

	stays_open = true;
	CHECK(offer_memory(memory(RIGHT_SIZE, SEALS)));
	stays_open = false;
	p = pair_open[0];
	p->memory->ring[pair_side(p)].head = 1;
	while (frame_reserve(&p->out, PACKET_MAX))
		frame_commit(&p->out);
	CHECK(!pair_ready(OTHER_SLOT));
	pair_close(p);
}

/* In the child of fork() the memory is not mapped, and something else may be there. */
static void test_fork(void)
{
	struct pair_memory *m;

	stays_open = true;
	CHECK(offer_memory(memory(RIGHT_SIZE, SEALS)));
	stays_open = false;
	m = pair_open[0]->memory;
	pair_forget();
	CHECK_INT(pairs_open, 0);
	CHECK(watched >= 0); /* in the set of the parent */
	CHECK_INT(msync(m, sizeof(*m), MS_ASYNC), 0);
	munmap(m, sizeof(*m));
}

/* Does the same as the other process, which has accepted the offer: its answer was lost. */
static void send_frames(struct pair *p, unsigned n)
{
	struct frame_producer out = { .ring = &p->memory->ring[!pair_side(p)] };
	const uint32_t len = BTH_BYTES + ICRC_BYTES;

	while (n--) {
		struct frame_header *h = frame_reserve(&out, len);

		*h = (struct frame_header){ .len = len };
		memset(frame_data(h), 0x42, len);
		frame_commit(&out);
	}
	frame_publish(&out);
}

/* A packet that is sent while a frame is handled does not take the memory away from under it. */
static void test_answer_lost(void)
{
	struct pair *p;
	struct frame f;
	unsigned offers = told.n;

	rig_now += 10000000000;
	CHECK(!pair_with(OTHER_SLOT));
	CHECK_INT(told.n, ++offers);
	CHECK_INT(told.type, CONTROL_OFFER_PAIR);
	CHECK_INT(pairs_open, 1);
	p = pair_open[0];
	send_frames(p, 2);
	CHECK(frame_next(&p->in, &f));
	frame_free(&p->in, &f);
	CHECK(frame_next(&p->in, &f));

	rig_now += 10000000000;
	CHECK(!pair_with(OTHER_SLOT));
	CHECK_INT(f.data[0], 0x42);
	frame_free(&p->in, &f);
	CHECK(!p->in.broken && !frame_next(&p->in, &f));
	CHECK_INT(told.n, offers); /* no offer of memory that is in use */
	CHECK(p->gone);
	pair_close(p);

	rig_now += 10000000000;
	CHECK(!pair_with(OTHER_SLOT));
	CHECK_INT(told.n, ++offers);
}

/* The same if the other process has died, so that it cannot be sent another offer. */
static void test_offer_fails(void)
{
	struct pair *p = pair_open[0];
	struct frame f;

	send_frames(p, 1);
	CHECK(frame_next(&p->in, &f));
	rig_now += 10000000000;
	control_errno = ECONNREFUSED;
	CHECK(!pair_with(OTHER_SLOT));
	control_errno = 0;
	CHECK_INT(f.data[0], 0x42);
	frame_free(&p->in, &f);
	CHECK(p->gone);
	CHECK(offer_memory(memory(RIGHT_SIZE, SEALS))); /* of the next process */
	CHECK_INT(pairs_open, 0);
}

int main(void)
{
	has_slot = getpid();
	pair_start();
	test_file_limit();
	test_memory();
	test_bell();
	test_sender();
	test_next_process();
	test_answer_lost();
	test_offer_fails();
	test_left();
	test_impossible_head();
	test_fork();
	pair_stop();
	return checks_end();
}
