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

#define OWN_SLOT   1
#define OTHER_SLOT 2
#define SEALS	   (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define RIGHT_SIZE sizeof(struct pair_memory)

struct offer {
	uint64_t generation;
	uint32_t accepted, layout;
};
static uint32_t layout = PAIR_LAYOUT;

/* What the other process is told. */
static struct {
	unsigned n;
	enum control_type type;
	bool accepted;
} told;
static pid_t has_slot; /* the other one */

/* ----------------------------------------------- the group, which keeps what it sends -- */

struct group group = { .slot = OWN_SLOT, .control = -1 };

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
	return 0;
}

pid_t group_slot_pid(unsigned slot)
{
	CHECK_INT(slot, OTHER_SLOT);
	return has_slot;
}

int control_epoll_add(int fd)
{
	(void)fd;
	return 0;
}

void control_epoll_remove(int fd)
{
	(void)fd;
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
	static uint64_t generation;
	struct control_message m = { .header = { .slot = OTHER_SLOT,
						 .length = sizeof(struct offer) },
				     .pid = pid,
				     .fds = { bell_fd, pidfd, memfd },
				     .nfds = 3 };
	struct offer *message = (struct offer *)m.data;
	unsigned before = told.n;

	*message = (struct offer){ .generation = ++generation, .accepted = 1, .layout = layout };
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
	CHECK(!offer_memory(memory(RIGHT_SIZE + PAIR_PAGE, SEALS)));
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
	CHECK(pair_note_death(pair_open[0]->pidfd));
	stays_open = false;
	CHECK(offer_memory(memory(RIGHT_SIZE, SEALS)));
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
	pair_stop();
	return checks_end();
}
