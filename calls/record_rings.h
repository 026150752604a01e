/* SPDX-License-Identifier: MIT */
/* The layout of records in memory. For record*.c and for readers of another process's rings. */
#ifndef CALLS_RECORD_RINGS_H
#define CALLS_RECORD_RINGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call_record.h"

/*
 * A record is an image of 64-bit words: these, then the arguments, then copies of memory
 * ("pieces"). A piece has a word with the address, a word with its length and when it was copied,
 * and the bytes, filled up to a word. An image does not wrap around the end of its ring:
 * IMAGE_PAD fills the rest there.
 */
enum {
	IMAGE_SIZE,  /* words << 48 | words of the one before << 32 | row << 16 | rule */
	IMAGE_BEGIN, /* ticks */
	IMAGE_END,   /* ticks */
	IMAGE_WHERE, /* thread << 48 | depth << 32 | errno */
	IMAGE_COUNT, /* count << 32 | left out << 16 | taken | arguments */
	IMAGE_RESULT,
	IMAGE_FROM, /* struct record_from */
	IMAGE_ABOVE,
	IMAGE_ARGS,
};
#define IMAGE_PAD	 0xffff /* as the row */
#define IMAGE_MAX	 (RECORD_MAX / 8)
#define IMAGE_WORDS(w)	 ((size_t)((w)[IMAGE_SIZE] >> 48))
#define IMAGE_PREV(w)	 ((size_t)((w)[IMAGE_SIZE] >> 32 & 0xffff))
#define IMAGE_ROW(w)	 ((unsigned)((w)[IMAGE_SIZE] >> 16 & 0xffff))
#define IMAGE_RULE(w)	 ((unsigned)((w)[IMAGE_SIZE] & 0xffff))
#define IMAGE_THREAD(w)	 ((unsigned)((w)[IMAGE_WHERE] >> 48))
#define IMAGE_DEPTH(w)	 ((unsigned)((w)[IMAGE_WHERE] >> 32 & 0xffff))
#define IMAGE_ERR(w)	 ((int)(uint32_t)(w)[IMAGE_WHERE])
#define IMAGE_COUNTED(w) ((unsigned)((w)[IMAGE_COUNT] >> 32))
#define IMAGE_LEFT(w)	 ((unsigned)((w)[IMAGE_COUNT] >> 16 & 0xffff))
/* Words to have behind a copy for record_decode(), all zero: the arguments once more, and room for
 * the largest struct, so that one whose copy is too short can still be read. */
#define IMAGE_SLACK	128u
#define IMAGE_BEHIND(w) (IMAGE_NARGS(w) + IMAGE_SLACK)
#define IMAGE_NARGS(w)	((unsigned)((w)[IMAGE_COUNT] & 0x7fff))
/* In IMAGE_COUNT: another process has read it, so no further polls are added to it. */
#define IMAGE_TAKEN UINT64_C(0x8000)

enum record_moment {
	RECORD_BEFORE, /* the call: its arguments */
	RECORD_AFTER,  /* the call: what it has written */
};

/* Positions are in words and only grow; the index in the ring is the remainder. */
struct record_ring {
	_Atomic uint64_t head, tail; /* the next one's, the oldest one's */
	_Atomic uint64_t seen;	     /* position up to which a reader has read; 0: no reader */
	_Atomic uint64_t lost;	     /* calls whose records were overwritten unseen */
	uint64_t last;		     /* words of the newest record */
};

#define RECORD_BEGUN 128		  /* words of an image; a longer one is not kept */
enum { SLOT_FREE, SLOT_USED, SLOT_LEFT }; /* left: the thread has ended, its records stay */
struct record_slot {
	_Atomic uint32_t state;
	uint32_t tid;
	/* The call at depth 0 that has begun, and whose record is not in its ring yet: 1 + its row,
	 * or 0; when. */
	_Atomic uint32_t called;
	_Atomic uint64_t called_at;
	/* Its image before the call, unless it is of the data path and waits for nothing; it is
	 * of that call if it has its row. */
	uint64_t begun[RECORD_BEGUN];
	struct record_ring ring[RECORD_PATHS];
};

#define RECORD_MAGIC UINT64_C(0x3830647265636472) /* changes with the layout */
/* The block of memory that has all rings: no pointers, and no offsets either, because the process
 * that reads it may not trust the one that writes it, nor the other way round. */
struct record_area {
	_Atomic uint64_t magic; /* written last */
	uint64_t size;
	uint32_t rows;		 /* of call_table */
	_Atomic uint64_t lost;	 /* calls of threads that got no rings */
	_Atomic uint32_t rounds; /* of the reader; waiting writers are woken after each */
	struct record_slot slot[RECORD_THREADS];
};

/* The rows of call_table and then the own ones; NULL: there is no such number. */
const struct call_fn *record_row(unsigned row);
/* The area of this process, created when it is needed. */
struct record_area *record_area(void);
/* Puts the rings at memory (size bytes, all zero), which may be shared, instead. Before the first
 * call. -1: there is not enough. */
int record_area_at(void *memory, size_t size);
size_t record_area_size(void);
/* From now on writers wait for a reader that must see every record, until *reader has
 * FUTEX_OWNER_DIED (get_robust_list(2)). NULL: the oldest records are overwritten. */
void record_keep_for(const _Atomic uint32_t *reader);
/* Is there such a reader? */
bool record_is_kept(void);
/* Has that bit been set, so that nobody reads any more? */
bool record_reader_died(const _Atomic uint32_t *reader);
/* Where the area is otherwise, and its *size, at first that with all rings: record_objects.c has
 * memory of this process, and a library that is traced by another process has its own in place of
 * it. sizeof(struct record_area): no rings; those of a thread are mapped when it needs them. NULL:
 * nothing is to be recorded. */
void *record_area_memory(size_t *size);
/* Ends the process with a line: it cannot know its objects any more. */
void record_no_memory(void) __attribute__((noreturn));
/* In the child of a fork, which gets an area of its own with its next call. */
void record_forked(void);

/* Called for calls of the control path. record_objects.c defines these two for a program that keeps
 * its record for itself; the library of vtrace defines them in its own way. */
/* After a call that has made, changed or destroyed objects, before its caller gets them. Calls made
 * within are not recorded. */
void record_own_objects_learn(const struct call_fn *fn, const uint64_t *args, uint64_t result,
			      uint64_t begin, uint64_t end);
/* Before a call that destroys a CQ. Calls made within are recorded before it. */
void record_ending(const struct call_fn *fn);
/* After a call that has failed. Calls made within are recorded before it. */
void record_refused(const struct call_fn *fn, const uint64_t *args);

/* For call_record.c. The beginning of an area. */
void record_area_lay_out(struct record_area *area, size_t size);
void record_area_empty(struct record_area *area);
/* A slot for the calling thread, or NULL. */
struct record_slot *record_slot_take(struct record_area *area, unsigned *number);
/* The words of a ring; a power of two. */
static inline uint64_t record_ring_words(enum record_path path)
{
	return (path == RECORD_DATA ? RECORD_DATA_RING : RECORD_CONTROL_RING) / 8;
}
/* The word at a position of the ring of that slot. */
_Atomic uint64_t *record_word(const struct record_area *area, unsigned slot, enum record_path path,
			      uint64_t at);
/* Writes an image of n words; returns its position. */
uint64_t record_commit(struct record_area *area, unsigned slot, enum record_path path,
		       uint64_t *image, size_t n);

/* The words of a record at position at of a ring, copied to image (IMAGE_MAX words and more);
 * false: it is overwritten already. */
bool record_copy(const struct record_area *area, unsigned slot, enum record_path path, uint64_t at,
		 uint64_t *image);
/* Does an image that another process has written consist of its parts? */
bool record_is_sound(const uint64_t *image);
/* After record_decode() of such an image: is there, in full length, whatever it points to, and has
 * it all that its function cannot do without? */
bool record_is_whole(const struct record *r);
/* The record in image, whose pointers change: it must be a copy, with IMAGE_BEHIND() words more. */
void record_decode(uint64_t *image, bool ended, struct record *r);

/* The slot of the calling thread, or NULL. */
const struct record_slot *record_own_slot(void);
/* Empties the rings. */
void record_forget(void);

/* The target of a pointer. */
enum record_target {
	TARGET_BYTES,
	TARGET_STRING,	 /* as long as it is */
	TARGET_SOCKADDR, /* as long as its family says */
	TARGET_ADDRESS,	 /* the same, with its length */
	TARGET_NEXT,	 /* the next of a chain */
	TARGET_OBJECT,	 /* the pointer itself is what counts */
};

/* Follows pointers that a call has: follow() is asked with the place of each and how many bytes
 * it leads to, may change it, and says where they can be read (NULL: not at all). */
struct record_walker {
	void *arg;
	enum record_moment moment;
	bool failed;	   /* the call failed: do not read what it should have filled in */
	bool leaves_event; /* in an id that has no channel of the program's */
	bool copied;	   /* follow() leads to pieces of an image */
	const void *(*follow)(struct record_walker *w, uint64_t *pointer, size_t len,
			      enum record_target target);
};
/* Does it leave a completion in its first argument, an extended CQ? */
bool record_takes_completion(const struct call_fn *fn);
/* Does it give a queue something to do? What comes of that may be seen before it has returned. */
bool record_is_post(const struct call_fn *fn);
/* Is the argument a pointer to memory, not to an object? */
bool record_is_pointer(const struct call_value *arg);
void record_walk(struct record_walker *w, const struct call_fn *fn, uint64_t *args,
		 uint64_t result);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t record_clock_read(void);

/* How the arguments of a row are copied. */
enum plan {
	PLAN_NUMBERS, /* no memory behind them */
	PLAN_SEND,    /* ibv_post_send() */
	PLAN_RECV,    /* ibv_post_recv(), ibv_post_srq_recv() */
	PLAN_POLL,    /* ibv_poll_cq() */
	PLAN_WALK     /* as the table says; before the call, too */
};

struct row_plan {
	uint8_t plan, nargs, path;
	bool changes_objects, ends_cq;
	bool begins_poll; /* ibv_start_poll() */
	bool is_poll;	  /* that, ibv_next_poll() or ibv_poll_cq() */
	bool keeps_begun; /* its arguments can be read before it returns */
	bool is_request;  /* ibv_wr_send() ...: of the QP the id of the request is kept */
};

struct row_plan record_plan(const struct call_fn *fn);
/* The errno of a result, or 0; err: that of the thread. */
int record_errno(const struct call_fn *fn, uint64_t result, int err);

/* A record that is being written. */
struct image {
	uint64_t *w;
	size_t n, max; /* words */
	unsigned left_out;
};

/* The piece of that moment at address in an image of n words, or NULL. */
uint64_t *record_piece(const uint64_t *image, size_t n, enum record_moment moment,
		       uint64_t address);
/* Adds the pieces of that moment. result, failed: of the call, once it has ended. */
void record_keep(struct image *m, const struct row_plan *plan, const struct call_fn *fn,
		 const uint64_t *args, enum record_moment moment, uint64_t result, bool failed);

/* The first request of a list that did not fit into the image, or 0. */
uint64_t record_rest(const struct image *m, const struct row_plan *plan, const uint64_t *args);

#endif
