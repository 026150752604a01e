/* SPDX-License-Identifier: MIT */
/*
 * Reads what the traced processes write while they run: who has begun and ended, and every call,
 * as values. Objects are learnt on the way, so that a call's objects have names ("qp0").
 */
#ifndef VTRACE_READER_H
#define VTRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "call_record.h"
#include "record_objects.h"
#include "shared_area.h"

/* A program in a process: exec begins another. */
struct traced {
	unsigned number; /* from 0, in the order in which they were seen */
	pid_t pid, parent;
	char name[256];			/* its command line */
	struct record_objects *objects; /* which lived when, and their names */
	uint64_t lost;			/* calls that were overwritten before they were read */
	bool ended;
	void *arg; /* the user's */
};

enum reader_what {
	READER_NOTHING,	   /* in the time that was given */
	READER_BEGUN,	   /* the process has made its first call */
	READER_CALL,	   /* r has ended */
	READER_LOST,	   /* n calls of the process were overwritten */
	READER_HELD,	   /* thread n waits, as its last call is one to stop on */
	READER_UNFINISHED, /* r had begun, and not ended, when the process was no more; r->args
			    * is NULL where they are not known */
	READER_ENDED,	   /* the process is no more, and all its calls have been told */
};

struct reader_news {
	enum reader_what what;
	struct traced *process; /* stays until reader_close() */
	const struct record *r; /* until the next news; r->thread is a number within the process */
	uint64_t n;
};

struct reader;

struct reader_options {
	bool keeps_all; /* a process waits when its rings are full of what has not been read; else
			 * the oldest calls go */
	bool untimed;	/* calls of the data path end when they begin: it costs less */
	bool follows;	/* children are traced, too */
	/* A thread on uroce0 whose completion is an error waits until that has been told, so that
	 * both ends are still as they were. */
	bool looks;
	/* A thread whose call fails so is held until reader_release(). */
	enum shared_stop stop_on;
	int stop_value; /* an errno, or an enum ibv_wc_status */
};

/* NULL with errno. */
struct reader *reader_open(const struct reader_options *options);
void reader_close(struct reader *);
/* Lets the programs that this process executes from now on find the memory: between fork() and
 * exec(). 0, or -1 with errno. */
int reader_admit(struct reader *);

/* The next news, for which it waits at most so many milliseconds. Calls come in the order in which
 * they ended, over all threads and processes. The process's objects know what this call has made,
 * and still know what it has ended. */
void reader_next(struct reader *, struct reader_news *news, int timeout_ms);
/* The call that reader_next() has told last stays as it is until reader_close(): what its record
 * leads to, and not the record itself. */
void reader_keep(struct reader *);
/* All threads that are held go on. */
void reader_release(struct reader *);
/* Is no process left that could call? Only true when all news have been told. */
bool reader_is_idle(const struct reader *);
/* Processes that could not be traced, as there were too many at a time. */
unsigned reader_refused(const struct reader *);
/* The kernel's number of the thread that r->thread means now. */
pid_t reader_thread(const struct reader *, const struct traced *process, unsigned thread);

#endif
