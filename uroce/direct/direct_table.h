/* SPDX-License-Identifier: MIT */
/*
 * The table with which a process lets others of its user and host read and write its memory. Its
 * processor takes no part, as with a network card.
 *
 * THE TWO SIDES. The target is the process whose memory it is. It has a table of its regions and
 * QPs in a memfd that others can map to read only (F_SEAL_FUTURE_WRITE). The requester reads it,
 * and copies by /proc/PID/mem of the target, which it has opened once. It has a cell in memory
 * that both share, in which it announces what it is about to use.
 *
 * THE PROMISE. After ibv_dereg_mr() has returned nobody writes to that memory or reads it by that
 * region, ever; the same holds for a QP after ibv_modify_qp() has taken it out of RTS, or
 * ibv_destroy_qp(). (A QP that fails by itself is hidden at once, but the program is not held up:
 * a copy that has begun may end after the event.)
 *
 * WHY IT HOLDS.
 *   requester                                target
 *   R1 cell = region, QP, count              T1 entry.generation = even (hidden)
 *   R2 fence, seq_cst                        T2 fence, seq_cst
 *   R3 reads the entries; both must be       T3 reads the cell of each requester; waits until
 *      shown, and allow it; else R5             those that name the entry have changed
 *   R4 copies                                T4 returns
 *   R5 cell = 0, release
 * Fences that are seq_cst have one order (C11 7.17.4, 29.3). If R2 is before T2, T3 sees what R1
 * wrote, or what came later, and waits for R5, which comes after the copy; T3 is an acquire, so
 * that what the copy did is before T4. If T2 is before R2, R3 sees T1, and does not copy. What R3
 * reads is a whole entry: a generation is odd while it is shown, it is read before and after the
 * other words, and the target changes those only while it is even (a seqlock). The system call of
 * R4 is in the program order of the requester, and the store of R5 is a release: no processor lets
 * it pass the stores and loads of the copy.
 *
 * WHOSE MEMORY IT IS. A pid says nothing: the target can end and its pid can be another's, or it
 * can call execve(), between R3 and R4, for as long as the requester happens to be stopped there.
 * process_vm_writev(2) takes a pid and would write to the wrong program; no check before it helps.
 * A descriptor of /proc/PID/mem is of one address space, for good: when that is gone it writes
 * nothing and returns 0. That it is the right one is seen when it is opened: the process is alive
 * afterwards (pidfd), and has the random number of the table where the table says that it is. (The
 * cost is the same for short messages, and the copy of each page is made with mmap_lock, so that no
 * fork(), munmap() or mmap() of the target falls into it.) It writes to private pages that are
 * read only, as a network card would.
 *   A long READ goes by process_vm_readv(2) all the same: one call reads the random number and the
 * bytes, from one address space. If the number is not the right one, the bytes are another
 * program's: they are read again through /proc/PID/mem, or by packets, before the program hears of
 * them, and nothing has been written there.
 *   A long WRITE goes by process_vm_writev(2), behind a guard: the first byte of the call goes to a
 * page that the target has mapped for nothing else. The kernel looks the address space up once for
 * each call, takes the parts of it in their order, has the pages of a part before it writes to
 * them, and ends with the first part that it cannot write to. So where the guard is not mapped
 * nothing is written, and the message goes through /proc/PID/mem. The page is one of 2^33, chosen
 * at random where Linux maps nothing unless it is told to, and is not inherited by fork(): another
 * program that has the pid by then has nothing there. The page that is written to is pinned
 * meanwhile: fork() of the target copies it for the child, also a huge one (from Linux 5.13 on,
 * before which there is no guard), and after munmap() nobody else gets it before the copy has
 * ended.
 *
 * WHO DOES NOT GO ON. A requester that was killed, or has called execve(), in the middle does not
 * clear its cell, but copies no more: each process has a lock of fcntl(2) on its own table, which
 * the kernel takes away when the last thread is out of its system calls, and with the descriptor at
 * execve(). A child of fork() does not have it. The target asks for it (F_GETLK) while it waits. A
 * requester that is stopped (SIGSTOP, a debugger) holds the target up, until it goes on or is
 * killed: nobody can take from it what it is about to write.
 *
 * WHOM TO TRUST. The kernel opens /proc/PID/mem only for those who may trace the process, so who
 * gets here may do all this anyway; nothing is done to be allowed more (prctl(PR_SET_PTRACER), or
 * handing out one's own descriptor). A target that lies in its table has its own memory written to;
 * nothing in it is an address of the requester. A requester that lies in its cell can make the
 * target wait. It can also make the target miss that requester's own copy. It harms no one else.
 * Sizes are constants, and the size of the memfd is checked: its seals keep it so.
 */
#ifndef UROCE_DIRECT_TABLE_H
#define UROCE_DIRECT_TABLE_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "context.h"
#include "group.h"

#define DIRECT_MAGIC   UINT64_C(0x32746365726964) /* "direct2" */
#define DIRECT_REGIONS (1u << 18)
#define DIRECT_NEAR    8u /* a key is in one of so many places */
#define DIRECT_QPS     ((unsigned)MAX_QP)

/* Odd: the entry is shown. It counts up with each change. */
typedef _Atomic uint32_t generation;

struct shown_region {
	_Alignas(64) generation generation;
	_Atomic uint32_t key, access;
	_Atomic uint64_t pd; /* one value for each domain */
	_Atomic uint64_t iova, len, host;
};

/* Connected, and able to receive. */
struct shown_qp {
	_Alignas(128) generation generation;
	_Atomic uint32_t qpn, peer_qpn, access;
	_Atomic uint64_t pd;
	_Atomic uint64_t local_gid[2], remote_gid[2];
	_Atomic uint32_t psn; /* the next one, between messages; not part of the generation */
};

/* In a memfd of this size, most of which is never touched. */
struct direct_table {
	uint64_t magic;
	uint64_t address;     /* of the target: where nonce is to be found */
	uint64_t guard;	      /* of the target: a byte to be written first; 0: there is none */
	uint8_t nonce[32];    /* random */
	_Atomic uint32_t off; /* nothing by this way just now: faults, a tap */
	/* by the slot of the requester: its ticket, which it also finds in its cell; 0: revoked */
	_Atomic uint64_t welcome[SLOTS];
	_Alignas(4096) struct shown_qp qps[DIRECT_QPS]; /* by the lowest bits of the number */
	_Alignas(
		4096) struct shown_region regions[DIRECT_REGIONS]; /* by the key, its bits from 8 */
};

/* The part of a pair's memory that one of the two processes writes, and the other one reads. */
struct direct_cell {
	_Atomic uint64_t use;	  /* cell_use(); 0: nothing just now */
	_Atomic uint64_t welcome; /* the ticket for the process that reads this cell */
	/* the QP of the writing process whose program polls until the other one answers; 0: none */
	_Alignas(64) _Atomic uint32_t awaits;
};

/* What a requester is about to use; the count tells one operation from the next. */
static inline uint64_t cell_use(uint32_t region, uint32_t qp, uint64_t count)
{
	return (region + UINT64_C(1)) << 44 | (qp + UINT64_C(1)) << 28 | (count & 0xfffffff);
}

static inline int cell_uses_region(uint64_t use, uint32_t region)
{
	return use >> 44 == region + UINT64_C(1);
}

static inline int cell_uses_qp(uint64_t use, uint32_t qp)
{
	return (use >> 28 & 0xffff) == qp + UINT64_C(1);
}

_Static_assert(DIRECT_REGIONS < 1u << 20, "a place fits into a cell");
_Static_assert(MAX_QP < 1 << 16, "a place fits into a cell");

static inline uint32_t shown_qp_place(uint32_t qpn)
{
	return qpn & (DIRECT_QPS - 1);
}

static inline uint32_t shown_region_place(uint32_t key, uint32_t i)
{
	return ((key >> 8) + i) & (DIRECT_REGIONS - 1);
}

/* ------------------------------------------------ reach.c: the requester -- */

/* One operation at a time, with the engine's lock. */

/* The way into one other process. */
struct reach {
	const struct direct_table *table; /* NULL: there is none */
	pid_t pid;			  /* of it: says nothing, see above */
	int memory;			  /* of it: /proc/PID/mem */
	uint64_t guard; /* of it; 0: none, or process_vm_writev() is unavailable */
	unsigned own_slot;
	uint64_t welcome, count;
	struct direct_cell *cell; /* ours */
	const struct direct_cell *theirs;
};

#define REACH_IOVS (MAX_SGE + 1)

/* A WRITE or a READ, or a part of one. */
struct reach_request {
	bool write;
	uint32_t qpn, own_qpn; /* of the target, and ours */
	const union ibv_gid *gid, *own_gid;
	uint32_t psn; /* the one that the next packet to it would have */
	uint32_t rkey, len;
	uint64_t va;
	struct iovec iov[REACH_IOVS]; /* len bytes of ours; one place is free for reach_copy() */
	int niov;
};

/* Opens the way into the process with that pid, which is the one that its pidfd tells of.
 * its_table: the descriptor that it has from target_start(); theirs, ours: its cell, and that of
 * this process. Takes no descriptor over. 0, or -1 with errno: EACCES, EPERM: we may not; EAGAIN:
 * it has not let us in yet; EPROTO: what it shows is not what it should be; ESRCH: it has ended. */
int reach_open(struct reach *r, pid_t pid, int pidfd, int its_table,
	       const struct direct_cell *theirs, struct direct_cell *ours, unsigned own_slot);
void reach_close(struct reach *r);
/* After fork(), in the child, which does not have what was mapped. */
void reach_forget(struct reach *r);

enum reach_result {
	REACH_DONE,
	REACH_REFUSED, /* the table does not allow it, or a copy failed half way: send packets */
	REACH_GONE,    /* so is its memory, or we are not welcome any more: reach_close() */
};
/* Is the target one that lets in just now? */
bool reach_is_open(const struct reach *r);
enum reach_result reach_copy(struct reach *r, struct reach_request *q);

#endif
