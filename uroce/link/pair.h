/* SPDX-License-Identifier: MIT */
/*
 * Two processes of one user on one host that send to each other share memory: a pair, with a ring
 * of frames each way. Who sends first offers it over the socket of control: a memfd that is
 * sealed so that its size stays, a bell to be woken by, and a pidfd that tells when it dies. The
 * other one answers with its own bell and pidfd, or says no. (A bell is one end of a pair of
 * sockets: an eventfd that both have can be made to block whoever writes to it.) When both offer at
 * once, the offer of the lower slot counts. A process has a pair with itself, too.
 *
 *   offered (frames of the other one are taken in) -> ready (frames go both ways) -> closed
 *
 * A pair is closed when the other process leaves or dies, after what it sent has been taken in.
 * Without a pair frames go by UDP, as to other hosts. All of this runs with the engine's lock.
 */
#ifndef UROCE_LINK_PAIR_H
#define UROCE_LINK_PAIR_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "frame_ring.h"
#include "group.h"

#define PAIR_PAGE 4096u

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

/* A file in memory for another process to map, which nobody can execute: of size bytes, and yet to
 * be sealed. The caller closes it; -1 with errno. */
static inline int shared_file(const char *name, size_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL), err;

	if (fd < 0 && errno == EINVAL) /* Linux before 6.3 */
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, (off_t)size) == 0)
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

/* What both have mapped. [0] is for the process that made it: the ring that it sends by, its
 * half of the cells. Everything in it may be written by the other process at any time. */
struct pair_memory {
	struct frame_ring ring[2];
	_Alignas(FRAME_LINE) _Atomic uint32_t left[2]; /* has closed its end */
	_Alignas(PAIR_PAGE) uint8_t cells[PAIR_PAGE];  /* zero at first: for one-sided operations */
};

struct pair {
	enum pair_state { PAIR_NONE, PAIR_OFFERED, PAIR_READY } state;
	unsigned slot;
	bool made_here; /* whose side is [0]: pair_side() */
	bool gone;	/* the other process has left: to be closed when its frames are taken in */
	pid_t pid;	/* of the other one; of this process itself: -1 as pidfd */
	int pidfd;	/* readable when it has died */
	int bell;	/* to wake it by: pair_ring() */
	int exposed;	/* what it has set as pair_exposed, or -1; ours to close */
	struct pair_memory *memory;
	struct frame_producer out;
	struct frame_consumer in;
	bool udp_before; /* what was sent there last went by UDP */
	/* of an offer */
	uint64_t generation;
	int memfd;
	uint64_t offer_after; /* engine_now(): not before */
};

/* The side of memory that is ours. */
static inline unsigned pair_side(const struct pair *p)
{
	return !p->made_here;
}

/* Descriptors to be woken by, and to be handed out. Without them there are no pairs, which is no
 * error. At the end all pairs are closed: what was sent is still taken in by the others. */
void pair_start(void);
void pair_stop(void);
/* After fork(), in the child: unmaps all, touches nothing of it. */
void pair_forget(void);

/* The pair with the process in a slot, ready for frames; NULL: there is none yet (an offer is on
 * its way, if there can be one at all). */
struct pair *pair_with(unsigned slot);
/* The same, without an offer: NULL if it is not ready. */
struct pair *pair_ready(unsigned slot);
/* What is sent there just now goes by UDP. */
void pair_passed_by(unsigned slot);
/* All that may have frames for us. */
extern struct pair *pair_open[SLOTS];
extern unsigned pairs_open;
/* To be called for one that is gone, or whose ring is broken, when nothing more comes from it. */
void pair_close(struct pair *p);

/* Frames that were committed are shown, and those who sleep are woken. */
void pair_touched(const struct pair *p); /* a frame was committed to it */
void pair_publish(void);
/* Rings the bell of the other process. */
void pair_ring(const struct pair *p);

/* What is readable when our bell was rung: as long as pair_sleep() was called last, and returned
 * true. False: frames have come in meanwhile. */
int pair_bell_fd(void);
bool pair_sleep(void);
void pair_wake(void);
/* The bell was rung: takes that away, and looks who has left. */
void pair_answer_bell(void);

/* A descriptor of this process that others get with each pair that is made from now on; -1: none.
 * Not closed here. */
extern int pair_exposed;
/* Called when a pair is ready, and before its memory goes; either may be NULL. */
extern void (*pair_made)(struct pair *p);
extern void (*pair_closing)(struct pair *p);

/* For group_messages.c: an offer or an answer came from the process with that pid (0: unknown) in a
 * slot; takes the descriptors that it keeps out of fds (-1 in their place). */
struct control_message;
void pair_take_offer(struct control_message *m);
void pair_take_answer(struct control_message *m);
/* For group_serve(): is it the pidfd of a pair? Then its process has died. */
bool pair_died(int fd);

#endif
