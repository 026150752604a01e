/* SPDX-License-Identifier: MIT */
/*
 * The record: which function was called, when, with which values, and what came of it.
 *
 * Every thread writes to two rings of its own, one for the data path and one for the rest, so
 * that many posts do not push out what they were posted with. The oldest go first, and are
 * counted. A record has the arguments and the result as numbers, and pieces of the memory that
 * they point to, each under the address that it had. Nothing is formatted here. A reader gets
 * pointers to those copies in their place, so that it looks at a record as at a call that it makes
 * itself. Objects stay pointers: record_objects.h has which one it was at that time.
 *
 * The rings lie in one block of memory without pointers, which another process may read, too.
 */
#ifndef CALLS_CALL_RECORD_H
#define CALLS_CALL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "calls.h"

#define RECORD_THREADS	    64	       /* that have rings at a time; calls of others are lost */
#define RECORD_CONTROL_RING (1u << 22) /* bytes; memory is taken when it is used */
#define RECORD_DATA_RING    (1u << 20)
#define RECORD_MAX	    (1u << 13) /* bytes of one record; more pieces are left out */
#define RECORD_DATA_MAX	    4096       /* bytes of private data and the like */
#define RECORD_STRING_MAX   256

enum record_path {
	RECORD_CONTROL,
	RECORD_DATA, /* functions of CALL_DATAPATH */
	RECORD_PATHS
};

struct record {
	const struct call_fn *fn; /* a row of call_table, or of record_own_rows() */
	uint64_t begin, end;	  /* ticks, see record_time(); of merged ones the last end */
	unsigned thread;	  /* a number of the rings, not of the kernel's */
	unsigned depth;		  /* 0: called by the program; else from within a call, or aside */
	unsigned count;		  /* 1; or how many polls in a row that found nothing */
	unsigned left_out;	  /* pieces that there was no room for */
	bool ended;		  /* false: it is still to be called (record_watch) */
	int err;		  /* errno of one that failed, or 0 */
	uint64_t result;	  /* sign-extended, or a pointer */
	/* As fn->args has them. Pointers to structs, lists, chains, strings, data, addresses and
	 * numbers, and those within them, lead to copies; NULL: not kept. */
	const uint64_t *args;  /* what the call was given; what it fills in, as it was after */
	const uint64_t *after; /* what was there after it; NULL before it has ended */
	unsigned nargs;
	const uint64_t *image; /* for record_bytes() */
};

/* The bytes at the address of an object that r has made, found, or ends, or NULL. *len may be
 * NULL. Valid as long as the record is. */
const void *record_bytes(const struct record *r, uint64_t address, size_t *len);
/* The argument called name of r; 0 if there is none. */
uint64_t record_arg(const struct record *r, const char *name);
/* The object that r has made: its result, or what it has left behind a pointer; 0: none. */
uint64_t record_made(const struct record *r, enum call_object *kind);
/* Of a post: how many requests of its chain, as far as r has kept them, the library accepted: all,
 * or those before the one that it refused. */
unsigned record_accepted(const struct record *r);

/* Has it looked into a completion queue, and found nothing? */
bool record_is_empty_poll(const struct record *r);
/* ibv_start_poll() and ibv_next_poll() leave a completion in their CQ: false: r has not. */
bool record_completion(const struct record *r, enum ibv_wc_status *status, uint64_t *wr_id);

/* ----------------------------------------------------------------------- readers -- */

/* All records of the threads of this process that are kept, in the order in which they began. */
struct record_list {
	struct record *v;
	unsigned n;
	uint64_t lost[RECORD_PATHS]; /* calls that there was no room for */
	void *images;
};

/* Of the paths in mask (1 << enum record_path) those that began at since or later; to be freed
 * with record_list_free(). */
struct record_list *record_list(unsigned mask, uint64_t since);
void record_list_free(struct record_list *l);

/* Walks back through the records of the calling thread, newest first; false: there are no more.
 * The record is valid until the next step. Begin with { .path = ... }. */
struct record_walk {
	enum record_path path;
	bool begun;
	uint64_t at;
	struct record r;
	uint64_t image[RECORD_MAX / 8 + 24];
};
bool record_back(struct record_walk *w);

/* Reads on through the records of the calling thread, oldest first, from any place to the newest
 * one. A place is behind all that was recorded before it. */
uint64_t record_place(enum record_path path);
struct record_reader {
	enum record_path path;
	uint64_t at;	/* the place of the next record; to begin with, where to begin */
	bool has_lost;	/* records between were overwritten */
	uint64_t place; /* of the record that was found, and what of it needs no copy: */
	const struct call_fn *fn;
	uint64_t first;	 /* its first argument */
	struct record r; /* after record_look() */
	uint64_t image[RECORD_MAX / 8 + 24];
};
/* Finds the next record; false: there is none. */
bool record_next(struct record_reader *in);
/* Copies the record found to .r as it lies there: its arguments are what the call was given, and
 * record_bytes() has what they led to. false: it was overwritten meanwhile. */
bool record_look(struct record_reader *in);

/* The last call of this thread at depth 0 that has failed (err 0: none). */
struct record_failure {
	const struct call_fn *fn;
	int err;
};
struct record_failure record_last_failure(void);

/* The time now in ticks; later ones of a thread are greater. */
uint64_t record_time(void);
/* Ticks as nanoseconds of CLOCK_REALTIME, and back. */
int64_t record_realtime(uint64_t ticks);
uint64_t record_ticks(int64_t realtime);
/* Nanoseconds between two times. */
int64_t record_span(uint64_t from, uint64_t to);
/* "TSC", "CNTVCT" or "CLOCK_MONOTONIC"; it is read twice for a call, once for an empty poll. */
const char *record_clock(void);

/* ----------------------------------------------------------------------- writers -- */

/* Around a call. args are the caller's until record_end(), which keeps errno. */
struct record_call {
	uint64_t begin;
	const uint64_t *args;
	uint32_t row;
	uint32_t mark; /* where its image lies, or none */
};
void record_begin(struct record_call *c, unsigned row, const uint64_t *args);
void record_end(struct record_call *c, uint64_t result);

/* What a program has to tell besides calls: rows of its own, described like functions. Their
 * numbers follow those of call_table; n of them, which stay. To be called once, before any. */
void record_own_rows(const struct call_fn *rows, unsigned n);
/* Notes that the own row number i happened, with these arguments. */
void record_event(unsigned i, const uint64_t *args, int err);
/* As above, at another time. */
void record_event_at(unsigned i, const uint64_t *args, int err, uint64_t begin, uint64_t end);

/* Calls between record_aside(1) and record_aside(-1) are at a depth of 1 or more: the program
 * looks at something for itself. */
void record_aside(int step);

/* To be told of each call of any thread, by that thread: before it (r->ended false) and after.
 * They may call functions themselves, which are at a greater depth. NULL: nobody. */
struct record_watch {
	void (*before)(void *arg, const struct record *r);
	void (*after)(void *arg, const struct record *r);
	void *arg;
};
void record_watch(const struct record_watch *w);

/* Forgets all that is kept. No other thread may be calling. */
void record_clear(void);
/* While off nothing is kept nor told; begins on. For measurements. */
void record_switch(bool on);

#endif
