// SPDX-License-Identifier: MIT
#include "pair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lock.h"
#include "group_own.h"
#include "line_reader.h"
#include "path.h"
#include "random.h"
#include "link.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define OFFER_AGAIN \
	UINT64_C(1000000000)	       /* ns: to a process that has not answered, or has refused */
#define OFFER_SOON  UINT64_C(10000000) /* to a process that has no room for a message */
#define OFFER_NEVER UINT64_MAX
#define BELLS	    256 /* bytes that are read at once */

struct pair *pair_open[SLOTS];
unsigned pairs_open;

static struct pair pairs[SLOTS] = { [0 ... SLOTS - 1] = { .pidfd = -1, .bell = -1, .memfd = -1 } };
static int own_bell[2] = { -1, -1 }; /* to listen to, and to ring */
static int own_pidfd = -1;
static bool asleep;
static uint64_t touched; /* the slots to which frames were committed, a bit each */

/* The content of an offer or an answer. Its descriptors come in this order; the memory comes only
 * with an offer. A refusal has no descriptors. */
struct pair_message {
	uint64_t generation;
	uint32_t accepted;
	uint32_t layout;
};
enum { FD_BELL, FD_PIDFD, FD_MEMORY, FDS_ANSWER = FD_MEMORY, FDS_OFFER, FDS_MOST };

/* ------------------------------------------------------------- our own descriptors -- */

void pair_start(void)
{
	(void)!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, own_bell);
	own_pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
}

static bool can_share(void)
{
	return own_bell[0] >= 0 && own_pidfd >= 0;
}

int pair_bell_fd(void)
{
	return own_bell[0];
}

/* ------------------------------------------------------------------- making memory -- */

static int make_memfd(void)
{
	int fd = shared_file("uroce", sizeof(struct pair_memory));

	if (fd < 0 || fcntl(fd, F_ADD_SEALS, SEALS) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Has it the right size, which cannot change? Then no access is beyond its end. */
static bool is_sealed(int fd)
{
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & SEALS) == SEALS && fstat(fd, &st) == 0 &&
	       st.st_size == sizeof(struct pair_memory);
}

static bool map_memory(struct pair *p, int fd)
{
	int flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
	void *at = mmap(NULL, sizeof(*p->memory), PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at == MAP_FAILED)
		return false;
	madvise(at, sizeof(*p->memory), MADV_DONTFORK);
	p->memory = at;
	return true;
}

static bool is_self(const struct pair *p)
{
	return p->slot == group.slot;
}

/* From now on frames of this pair are handled. */
static void open_rings(struct pair *p)
{
	unsigned side = pair_side(p);

	p->out = (struct frame_producer){ .ring = &p->memory->ring[side] };
	p->in = (struct frame_consumer){ .ring = &p->memory->ring[is_self(p) ? side : !side] };
	pair_open[pairs_open++] = p;
	if (asleep)
		frame_sleep(&p->in);
}

/* -------------------------------------------------------------------------- closing -- */

static void remove_from_open(struct pair *p)
{
	for (unsigned i = 0; i < pairs_open; i++)
		if (pair_open[i] == p) {
			pair_open[i] = pair_open[--pairs_open];
			return;
		}
}

/* But leaves its memory, and its pidfd in the epoll set. */
static void forget_pair(struct pair *p)
{
	remove_from_open(p);
	p->memory = NULL;
	close_fd(&p->pidfd);
	close_fd(&p->bell);
	close_fd(&p->memfd);
	touched &= ~(UINT64_C(1) << p->slot);
	p->state = PAIR_NONE;
	p->gone = false;
	p->full_since = 0;
}

/* The pidfd must be removed, since the other process, and others that it has a pair with, may have
 * the same open file: it would be reported after it is closed here. */
static void clear_pair(struct pair *p)
{
	if (p->pidfd >= 0)
		control_epoll_remove(p->pidfd);
	if (p->memory)
		munmap(p->memory, sizeof(*p->memory));
	forget_pair(p);
}

void pair_close(struct pair *p)
{
	frame_publish(&p->out);
	atomic_store(&p->memory->left[pair_side(p)], 1);
	pair_ring(p);
	/* after a broken ring, this slot gets no offer; the next process in it may make one */
	p->offer_after = pair_is_broken(p) ? OFFER_NEVER : engine_now() + OFFER_AGAIN;
	clear_pair(p);
}

void pair_stop(void)
{
	while (pairs_open)
		pair_close(pair_open[0]);
	pair_forget();
}

void pair_forget(void)
{
	while (pairs_open)
		forget_pair(pair_open[0]);
	for (unsigned i = 0; i < SLOTS; i++)
		pairs[i].offer_after = 0;
	close_fd(&own_bell[0]);
	close_fd(&own_bell[1]);
	close_fd(&own_pidfd);
	asleep = false;
}

void pair_lose_descriptors(void)
{
	for (unsigned i = 0; i < SLOTS; i++)
		pairs[i].pidfd = pairs[i].bell = pairs[i].memfd = -1;
	own_bell[0] = own_bell[1] = own_pidfd = -1;
}

void pair_note_death(int fd)
{
	for (unsigned i = 0; i < pairs_open; i++)
		if (pair_open[i]->pidfd == fd) {
			pair_open[i]->gone = true;
			control_epoll_remove(fd); /* it stays readable */
		}
}

/* -------------------------------------------------------------------------- offering -- */

static int send_message(const struct pair *p, enum control_type type, bool accepted, int memfd)
{
	struct pair_message message = { .generation = p->generation,
					.accepted = accepted,
					.layout = PAIR_LAYOUT };
	struct local_name to = control_name(&group.dir, p->slot);
	int fds[FDS_MOST] = { own_bell[1], own_pidfd };
	unsigned n = accepted ? FDS_ANSWER : 0;

	if (memfd >= 0)
		fds[n++] = memfd;
	return control_send(group.control, &to, type, group.slot, &message, sizeof(message), fds,
			    n);
}

static bool make_offer(struct pair *p)
{
	p->memfd = make_memfd();
	if (p->memfd < 0 || !map_memory(p, p->memfd)) {
		clear_pair(p);
		return false;
	}
	random_bytes(&p->generation, sizeof(p->generation));
	p->made_here = true;
	p->state = PAIR_OFFERED;
	open_rings(p);
	return true;
}

/* A process that has not answered is offered the same memory again: it may have taken it already.
 * If frames have come, it has, but its answer got lost. Such a pair ends as if the process had
 * left, since the frame that is being handled may be in its memory. */
static void send_offer(struct pair *p)
{
	uint64_t now = engine_now();

	if (now < p->offer_after || p->gone)
		return;
	p->offer_after = now + OFFER_AGAIN;
	if (p->state == PAIR_OFFERED && frame_has_come(&p->in)) {
		p->gone = true;
		return;
	}
	if (p->state == PAIR_NONE && !make_offer(p))
		return;
	if (send_message(p, CONTROL_OFFER_PAIR, true, p->memfd) == 0)
		return;
	if (errno == EAGAIN)
		p->offer_after = now + OFFER_SOON;
	else
		p->gone = true;
}

static struct pair *make_pair_with_itself(struct pair *p)
{
	p->made_here = true;
	p->bell = fcntl(own_bell[1], F_DUPFD_CLOEXEC, 0); /* wakes another thread that sleeps */
	if (p->bell < 0 || !map_memory(p, -1)) {
		clear_pair(p);
		return NULL;
	}
	p->pid = getpid();
	open_rings(p);
	p->state = PAIR_READY;
	return p;
}

static bool has_left(const struct pair *p)
{
	return atomic_load_explicit(&p->memory->left[!pair_side(p)], memory_order_acquire);
}

struct pair *pair_ready(unsigned slot)
{
	struct pair *p = &pairs[slot];

	if (p->state != PAIR_READY || p->gone || pair_is_broken(p))
		return NULL;
	p->gone = has_left(p);
	return p->gone ? NULL : p;
}

struct pair *pair_with(unsigned slot)
{
	struct pair *p = &pairs[slot];

	if (p->state == PAIR_READY)
		return pair_ready(slot);
	p->slot = slot;
	if (is_self(p))
		return make_pair_with_itself(p);
	if (can_share())
		send_offer(p);
	return NULL;
}

void pair_note_udp(unsigned slot)
{
	pairs[slot].udp_before = true;
}

/* ------------------------------------------------------------------------- answering -- */

/* The process of a pidfd, as /proc says; -1: it is no pidfd. */
static pid_t pid_of_pidfd(int pidfd)
{
	struct line_reader info;
	const char *line;
	char path[48];
	int pid = -1;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	if (!line_reader_open(&info, path))
		return -1;
	while (pid < 0 && (line = line_reader_next(&info)))
		if (sscanf(line, "Pid: %d", &pid) != 1)
			pid = -1;
	line_reader_close(&info);
	return pid;
}

static bool is_socket(int fd, int domain, int type)
{
	int value;
	socklen_t n = sizeof(value);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &value, &n) != 0 || value != domain)
		return false;
	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &n) == 0 && value == type;
}

/* Is there a bell that can be rung, and a pidfd of the process that has sent the message and has
 * the slot? */
static bool descriptors_valid(const struct control_message *m)
{
	return m->pid > 0 && is_socket(m->fds[FD_BELL], AF_UNIX, SOCK_STREAM) &&
	       pid_of_pidfd(m->fds[FD_PIDFD]) == m->pid && group_slot_pid(m->header.slot) == m->pid;
}

static int take_descriptor(struct control_message *m, unsigned i)
{
	int fd = m->fds[i];

	m->fds[i] = -1;
	return fd;
}

/* Takes over the descriptors of the other process. */
static void take_descriptors(struct pair *p, struct control_message *m)
{
	p->pid = m->pid;
	p->bell = take_descriptor(m, FD_BELL);
	p->pidfd = take_descriptor(m, FD_PIDFD);
	control_epoll_add(p->pidfd);
}

static const struct pair_message *read_message(const struct control_message *m)
{
	const struct pair_message *message = (const void *)m->data;
	unsigned slot = m->header.slot;

	return slot && slot != group.slot && m->header.length == sizeof(*message) && !m->cut
		       ? message
		       : NULL;
}

static bool accept_offer(struct pair *p, struct control_message *m)
{
	if (m->nfds < FDS_OFFER || !can_share() || !path_may_share() || !descriptors_valid(m) ||
	    !is_sealed(m->fds[FD_MEMORY]) || !map_memory(p, m->fds[FD_MEMORY]))
		return false;
	p->made_here = false;
	take_descriptors(p, m);
	open_rings(p);
	return true;
}

void pair_take_offer(struct control_message *m)
{
	const struct pair_message *message = read_message(m);
	struct pair *p = &pairs[m->header.slot];
	bool accepted;

	if (!message)
		return;
	p->slot = m->header.slot;
	if (p->state == PAIR_OFFERED && !p->gone && group.slot < p->slot)
		return; /* the other process takes our offer */
	accepted = p->state == PAIR_READY && p->generation == message->generation;
	if (!accepted) {
		if (p->state == PAIR_READY) /* it has left, and is back */
			rx_drain();	    /* this closes the pair of a process that has died */
		if (p->state == PAIR_READY)
			pair_close(p);
		else
			clear_pair(p);
		p->generation = message->generation;
		accepted = message->layout == PAIR_LAYOUT && accept_offer(p, m);
	}
	if (send_message(p, CONTROL_ANSWER_PAIR, accepted, -1) != 0 && p->state != PAIR_READY)
		clear_pair(p); /* it will make another offer */
	else if (accepted && p->state != PAIR_READY)
		p->state = PAIR_READY;
}

void pair_take_answer(struct control_message *m)
{
	const struct pair_message *message = read_message(m);
	struct pair *p = &pairs[m->header.slot];

	if (!message || p->state != PAIR_OFFERED || p->gone || p->generation != message->generation)
		return;
	if (!message->accepted) {
		clear_pair(p);
		return;
	}
	/* another version of the library, or another PID namespace */
	if (message->layout != PAIR_LAYOUT || m->nfds < FDS_ANSWER || !descriptors_valid(m)) {
		rx_drain();
		if (p->state == PAIR_OFFERED)
			pair_close(p); /* the other process sees that we have left */
		p->offer_after = OFFER_NEVER;
		return;
	}
	close_fd(&p->memfd);
	take_descriptors(p, m);
	p->state = PAIR_READY;
}

/* ---------------------------------------------------------------------------- waking -- */

void pair_ring(const struct pair *p)
{
	group_check();
	if (p->bell >= 0) /* if the bell is full, it was rung before */
		send(p->bell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void pair_note_frame(const struct pair *p)
{
	touched |= UINT64_C(1) << p->slot;
}

void pair_publish(void)
{
	while (touched) {
		struct pair *p = &pairs[__builtin_ctzll(touched)];

		touched &= touched - 1;
		if (frame_publish(&p->out))
			pair_ring(p);
	}
}

bool pair_sleep(void)
{
	asleep = true;
	for (unsigned i = 0; i < pairs_open; i++)
		if (!frame_sleep(&pair_open[i]->in)) {
			pair_wake();
			return false;
		}
	return true;
}

void pair_wake(void)
{
	if (!asleep)
		return;
	asleep = false;
	for (unsigned i = 0; i < pairs_open; i++)
		frame_awake(&pair_open[i]->in);
}

void pair_answer_bell(void)
{
	char rung[BELLS];

	group_check();
	recv(own_bell[0], rung, sizeof(rung), MSG_DONTWAIT);
	for (unsigned i = 0; i < pairs_open; i++)
		pair_open[i]->gone |= has_left(pair_open[i]);
}
