/* SPDX-License-Identifier: MIT */
/* Reads what the traced processes write while they run: which process has begun or ended, and every
 * call, as values. It learns the objects on the way, so that they have names ("qp0"). */
#ifndef VTRACE_READER_H
#define VTRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "call_record.h"
#include "shared_area.h"

struct live_program;

/* A program in a process; exec() begins another one. */
struct traced {
	unsigned number;		/* from 0, in the order in which they were seen */
	pid_t pid;			/* here */
	pid_t own_pid;			/* as the process sees it, in a PID namespace of its own */
	const struct traced *forked_by; /* NULL: it has executed a program, or is the first one */
	uint64_t forked_at;		/* ticks */
	char name[256];			/* its command line */
	struct record_objects *objects; /* when each existed, and its name */
	/* Of views.c, from READER_BEGUN on: */
	struct live_program *live;
	struct check_process *check; /* of check.c; NULL: it is not checked */
	unsigned place;		     /* in the ladder */
	bool was_asked;		     /* at its end */
	uint64_t ended;		     /* ticks: when it was found to have ended; 0: it runs */
	struct packets *packets;     /* NULL: none yet */
	struct traced *next;	     /* the one that has begun before */
};

enum reader_what {
	READER_NOTHING,	   /* in the time that was given */
	READER_BEGUN,	   /* the process has made its first call */
	READER_CALL,	   /* r has ended */
	READER_LOST,	   /* n calls of the process were overwritten, or make no sense */
	READER_HELD,	   /* thread n is held, because its last call is one to stop on */
	READER_SIGNALED,   /* the process is about to be ended by signal n, and waits until that has
			      been   reported */
	READER_UNFINISHED, /* r had not returned when the process ended; r->args is NULL where they
			      are not known */
	READER_ENDED,	   /* the process has ended, and all its calls have been reported */
};

struct reader_news {
	enum reader_what what;
	struct traced *process; /* stays until reader_close() */
	const struct record
		*r; /* valid until the next news; r->thread is an index within the process */
	uint64_t n;
};

struct reader;

/* NULL with errno. */
struct reader *reader_open(const struct shared_options *options);
void reader_close(struct reader *);
/* Makes the memory known to the programs that this process executes from now on. To be called
 * between fork() and exec(). 0, or -1 with errno. */
int reader_admit(struct reader *);

/* Waits at most timeout_ms milliseconds for the next news. Calls come in the order in which they
 * ended, over all threads and processes; posts, whose completion the peer may have by then, in the
 * order in which they began. The process's objects include those that this call has
 * created, and still those that it has destroyed. */
void reader_next(struct reader *, struct reader_news *news, int timeout_ms);
/* The next thread, from *thread on, of a process that still runs, which is in a call: true, with
 * the call in news, valid until the next news. false: there is none. */
bool reader_inside(struct reader *, struct traced *process, unsigned *thread,
		   struct reader_news *news);
/* Keeps everything that the record of the last call points to until reader_close(). The record
 * itself is not kept. */
void reader_keep(struct reader *);
/* Holds a thread of the process that waits until it was reported (SHARED_STOP_RULE). */
void reader_hold(struct reader *, const struct traced *process, unsigned thread);
/* Lets all threads go on that are held. */
void reader_release(struct reader *);
/* All calls that had ended by then have been reported; ticks. */
uint64_t reader_told_until(const struct reader *);
/* Have all processes ended, and has everything been reported? */
bool reader_is_idle(const struct reader *);
/* The memory. The programs can change it at any time. */
const struct shared_area *reader_shared(const struct reader *);
/* The number of processes that were not traced, because there were too many at a time. */
unsigned reader_refused(const struct reader *);

#endif
