/* SPDX-License-Identifier: MIT */
/* The memory that vtrace shares with the programs that it traces: one sealed memfd that contains
 * this struct and then an area of records (calls/record_rings.h) for each process. Records
 * of a program that is killed stay. Any of them can write anything at any time: vtrace believes
 * no word of it that it has not copied and checked, and writes only at places that it knows itself.
 */
#ifndef VTRACE_SHARED_AREA_H
#define VTRACE_SHARED_AREA_H

#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "fault_rule.h"
#include "record_rings.h"

/* "FD PID": the descriptor of the memory in the programs, and in the process of vtrace. */
#define SHARED_VARIABLE	 "VTRACE_AREA"
#define SHARED_MAGIC	 UINT64_C(0x3661657261727476)
#define SHARED_PROCESSES 64 /* that can be traced at a time; others are not seen */

/* Calls that libvtrace.so makes itself, within one of the program's that was refused, have this
 * depth or more: ibv_query_device(), and ibv_query_port() of at most so many ports. */
#define SHARED_OWN_DEPTH 1000
#define SHARED_PORTS	 4
/* The call of that kind with which libvtrace.so says that the process ends, with success or
 * without, or that it is about to destroy a CQ: its argument. */
#define SHARED_LOOK_ROW ROW_ibv_node_type_str
enum {
	SHARED_END = IBV_NODE_CA,
	SHARED_DESTROYS = IBV_NODE_SWITCH,
	SHARED_FAILED = IBV_NODE_ROUTER
};

/* The call of that kind with which it says that a send buffer has changed before its completion was
 * polled: the QP, nothing, the address and the length of the SGE. It comes before that poll.
 * Without a QP: that the program has given back this memory, which was registered, and by what; or
 * SHARED_NO_IMM: that it reads the immediate data of a completion of the CQ there that has none.
 */
#define SHARED_CHANGED_ROW ROW_ibv_wr_set_sge
enum shared_freed {
	SHARED_BY_FREE,
	SHARED_BY_REALLOC,
	SHARED_BY_MUNMAP,
	SHARED_BY_MMAP,
	SHARED_BY_MREMAP,
	SHARED_NO_IMM,
};

enum shared_state {
	SHARED_FREE,  /* its area is all zero */
	SHARED_TAKEN, /* its other members are being written */
	SHARED_READY, /* the process waits until vtrace knows it, and has shared_lock() meanwhile */
	SHARED_KNOWN,
};

/* Which calls hold their thread. */
enum shared_stop {
	SHARED_STOP_NEVER,
	SHARED_STOP_ANY,    /* that fail, or have found a completion that is not SUCCESS */
	SHARED_STOP_ERRNO,  /* that fail with stop_value */
	SHARED_STOP_STATUS, /* that find a completion with the status stop_value */
	SHARED_STOP_RULE, /* in which vtrace --check finds a mistake: each waits until it has looked
			   */
};

/* How programs are traced. */
struct shared_options {
	/* A process waits when its rings are full of unread calls; else the oldest ones are
	 * overwritten. */
	uint32_t keeps_all;
	uint32_t follows; /* children are traced, too */
	/* A thread on uroce0 whose completion is an error waits until that has been reported, so
	 * that both ends are still as they were. */
	uint32_t looks;
	/* Threads whose calls fail so are held until reader_release(). */
	/* A process waits at its end until that was reported; and says which send buffers have
	 * changed, which immediate data it reads that are not there, and which registered memory
	 * it has given back. */
	uint32_t checks, sums, fields, frees;
	uint32_t stop_on;   /* enum shared_stop */
	int32_t stop_value; /* an errno, or an enum ibv_wc_status */
	uint32_t notes;	    /* the places of calls, and of a crash */
	/* Failures on purpose. Their counters are of all processes. */
	uint32_t nrules;
	struct fault_rule rules[FAULT_RULES_MAX];
};

#define SHARED_PLACE 96
#define SHARED_SITES 512

/* A place that calls a function. */
struct shared_site {
	uint32_t row, calls;
	char place[SHARED_PLACE]; /* see call_site() */
};

struct shared_process {
	_Atomic uint32_t state;
	int32_t pid;	    /* as the process sees it, which may be in another PID namespace */
	int32_t forked_by;  /* the process whose memory it has got; 0: it has executed a program */
	uint64_t forked_at; /* ticks: when it has got that */
	char name[256];	    /* its command line, blanks between the words */
	/* How often threads were held; for each place of a thread in the record: at which of these
	 * times << 32 | the kernel's number of the thread. They go on when went_on changes. */
	_Atomic uint32_t held, went_on;
	_Atomic uint64_t held_thread[RECORD_THREADS];
	/* The number of threads that have waited until their last call was reported, and for how
	 * many that is done. */
	_Atomic uint32_t looks, looked;
	_Atomic uint32_t signal; /* that is about to end the process, which waits so, too; or 0 */
	/* Threads that are to be held when they have been reported: 1 << their place in the record.
	 */
	_Atomic uint64_t stops;
};

struct shared_area {
	uint64_t magic;
	uint32_t rows; /* of call_table: both sides must be of the same build */
	int32_t tracer;
	/* A robust futex of vtrace's thread (get_robust_list(2)): the kernel notes here that vtrace
	 * has ended, even if nobody waits for it yet. A process ID would not tell. */
	_Atomic uint32_t reader;
	int32_t program; /* the process that was started */
	struct shared_options how;
	_Atomic uint32_t refused; /* processes that found no place */
	/* See struct shared_options. In the order of their first calls; sites may be more than
	 * there is room for. */
	_Atomic uint32_t sites;
	struct shared_site site[SHARED_SITES];
	_Atomic uint32_t crashed; /* the first signal that an instruction has caused */
	char crash[SHARED_PLACE];
	struct shared_process process[SHARED_PROCESSES];
};

/* Where the records of the process in that place begin, in bytes. */
static inline size_t shared_place_at(unsigned place)
{
	return (sizeof(struct shared_area) + 4095) / 4096 * 4096 + place * record_area_size();
}

/* By this lock (fcntl(2)) on the memory the kernel says which process has that place. */
static inline struct flock shared_lock(unsigned place)
{
	return (struct flock){ .l_type = F_WRLCK,
			       .l_whence = SEEK_SET,
			       .l_start = (off_t)shared_place_at(place),
			       .l_len = 1 };
}

#endif
