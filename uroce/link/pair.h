/* SPDX-License-Identifier: MIT */
/*
 * Two processes of one user and host that send to each other share memory: a pair, with a ring of
 * frames in each direction. The process that sends first makes an offer over its control socket: a
 * memfd, which is sealed so that its size cannot change; a bell, which wakes the offering process;
 * and a pidfd, which becomes readable when that process dies. The other process answers with its
 * own bell and pidfd, or refuses. (A bell is one end of a pair of sockets. An eventfd could be set,
 * by either process, so that the one that writes to it blocks.) If both make an offer at once, that
 * of the lower slot counts. A process has a pair with itself, too.
 *
 * offered (frames from the other process are handled) -> ready (frames go both ways) -> closed
 *
 * A pair is closed when the other process leaves or dies, after its last frames have been handled.
 * Without a pair packets go by UDP, as to other hosts. All of this runs with the engine's lock.
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

#include "file_limit.h"
#include "frame_ring.h"
#include "group.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

/* Makes a file in memory for another process to map: of size bytes, not executable, not sealed yet.
 * The caller closes it; -1 with errno. */
static inline int shared_file(const char *name, size_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL), err;
	sigset_t before;

	if (fd < 0 && errno == EINVAL) /* Linux before 6.3 */
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -1;
	before = file_limit_begin();
	err = ftruncate(fd, (off_t)size) == 0 ? 0 : errno;
	file_limit_end(before);
	if (!err)
		return fd;
	close(fd);
	errno = err;
	return -1;
}

/* The version of struct pair_memory. Processes with different versions use UDP. */
#define PAIR_LAYOUT 3

/* Both processes have mapped it. [0] belongs to the process that made it: the ring that it sends
 * by. The other process may write to any of it at any time. */
struct pair_memory {
	struct frame_ring ring[2];
	_Alignas(FRAME_LINE) _Atomic uint32_t left[2]; /* the process has closed its end */
};

struct pair {
	enum pair_state { PAIR_NONE, PAIR_OFFERED, PAIR_READY } state;
	unsigned slot;
	bool made_here; /* this process has made it: pair_side() */
	bool gone;	/* the other process has left: close the pair when its frames are handled */
	pid_t pid; /* of the other process; the pair with itself has its own, and -1 as pidfd */
	int pidfd; /* becomes readable when it dies */
	int bell;  /* wakes it: pair_ring() */
	struct pair_memory *memory;
	struct frame_producer out;
	struct frame_consumer in;
	bool udp_before;     /* the last packet to it went by UDP */
	uint64_t full_since; /* tx_has_room() has found no room since then; 0: it has */
	/* of an offer */
	uint64_t generation;
	int memfd;
	uint64_t offer_after; /* engine_now(): no offer before that */
};

/* The side of the memory that belongs to this process. */
static inline unsigned pair_side(const struct pair *p)
{
	return !p->made_here;
}

/* Has the other process broken the rules of a ring? */
static inline bool pair_is_broken(const struct pair *p)
{
	return p->in.broken || p->out.broken;
}

/* Opens the bell and the pidfd of this process. Without them there are no pairs, which is no error.
 * pair_stop() closes all pairs: the others still handle what was sent to them. */
void pair_start(void);
void pair_stop(void);
/* After fork(), in the child: forgets all pairs. Their memory is not mapped there; something else
 * may be in its place. */
void pair_forget(void);
/* The program has closed our descriptors: pairs go on without, where nobody sleeps. */
void pair_lose_descriptors(void);

/* The pair with the process in a slot, if it is ready for frames. NULL: not yet; an offer is on its
 * way if there can be a pair at all. */
struct pair *pair_with(unsigned slot);
/* The same, but makes no offer. */
struct pair *pair_ready(unsigned slot);
/* Notes that the next packet to that process goes by UDP. */
void pair_note_udp(unsigned slot);
/* All pairs that may have frames for us. */
extern struct pair *pair_open[SLOTS];
extern unsigned pairs_open;
/* Closes a pair that is gone, or whose ring is broken. Call it when no more frames come from it. */
void pair_close(struct pair *p);

/* Committed frames become visible to the others, and those that sleep are woken. */
void pair_note_frame(const struct pair *p); /* a frame was committed to p */
void pair_publish(void);
/* Rings the bell of the other process. */
void pair_ring(const struct pair *p);

/* Our bell: readable when it was rung. It is rung only between a pair_sleep() that returned true
 * and the next pair_wake(). pair_sleep() returns false if frames have come in meanwhile. */
int pair_bell_fd(void);
bool pair_sleep(void);
void pair_wake(void);
/* The bell was rung: makes it unreadable again, and finds out which processes have left. */
void pair_answer_bell(void);

/* For group_messages.c: an offer or an answer has come. The descriptors that the pair keeps are
 * taken out of the message, which has -1 in their place. */
struct control_message;
void pair_take_offer(struct control_message *m);
void pair_take_answer(struct control_message *m);
/* For group_serve(): fd is the pidfd of a pair, whose process has died. */
void pair_note_death(int fd);

#endif
