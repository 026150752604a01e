/* SPDX-License-Identifier: MIT */
/*
 * The side of one-sided operations that reaches into another process: direct_table.h. One
 * operation at a time, with the engine's lock.
 */
#ifndef UROCE_DIRECT_REACH_H
#define UROCE_DIRECT_REACH_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "direct_table.h"

/* The way into one other process. */
struct reach {
	const struct direct_table *table; /* NULL: there is none */
	int memory;			  /* of it: /proc/PID/mem */
	unsigned own_slot;
	uint64_t welcome, count;
	struct direct_cell *cell; /* ours */
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
