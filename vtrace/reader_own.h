/* SPDX-License-Identifier: MIT */
/* Shared by the files of the reader: reader.c has the memory, the processes and the records of a
 * round, reader_news.c reports them one by one. */
#ifndef VTRACE_READER_OWN_H
#define VTRACE_READER_OWN_H

#include "reader.h"
#include "record_rings.h"

#define READER_SHORTEST_WAIT_MS 1

/* The process that has one of the places in the memory. */
struct process_place {
	struct traced *process; /* NULL: there is none */
	struct record_area *area;
	int pidfd; /* -1: the process had ended already */
	uint64_t cursor[RECORD_THREADS][RECORD_PATHS];
	bool last_round; /* the process has ended: this round reads the rest */
	unsigned thread; /* whose unfinished call is reported next */
	/* threads that were held when this round began, and those that have been reported */
	uint64_t held[RECORD_THREADS], told[RECORD_THREADS];
	uint32_t looks; /* threads that waited to be reported when this round began */
	/* The signal that was about to end the process then, and the one that has been reported and
	 * is sent again. 0: none. */
	uint32_t signal, told_signal;
	uint64_t lost;	    /* calls that were overwritten before they were read, */
	uint64_t damaged;   /* or could not be read, */
	uint64_t told_lost; /* and those that have been reported */
};

/* A record that was read and is not reported yet. */
struct read_record {
	uint64_t *image;
	struct process_place *place;
	struct traced *process;
	uint64_t moment, order;
};

struct reader {
	int fd;
	struct shared_area *shared;
	bool keeps_all;
	uint64_t begun_at, now; /* ticks; now: when this round began */
	struct process_place place[SHARED_PROCESSES];
	struct traced **processes;
	unsigned nprocesses;
	/* Records in the order of their moments. Those from told to ready are reported next. */
	struct read_record *waiting;
	size_t nwaiting, told, ready;
	uint64_t order;
	unsigned nbegun; /* processes that have been reported */
	struct process_place *ending[SHARED_PROCESSES];
	unsigned nending;
	struct record r;
	/* of an unfinished call, with room for IMAGE_BEHIND() */
	uint64_t begun[RECORD_BEGUN + IMAGE_SLACK + 16];
	int wait_ms;
	uint64_t **kept; /* images of calls for reader_keep() */
	size_t nkept;
};

/* Reads all that has been written. Calls after the horizon wait for the next round. */
void reader_read_round(struct reader *r);
/* Clears the memory of an ended process's place and lets another process take it. */
void reader_end_process(struct reader *r, struct process_place *place);
/* The time that a program has written, in ticks, or the nearest one between the beginning of the
 * trace and now. */
uint64_t reader_possible_time(const struct reader *r, uint64_t ticks);

#endif
