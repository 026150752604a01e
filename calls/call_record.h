/* SPDX-License-Identifier: MIT */
/*
 * The record: which functions were called, when, with which values, and with which results.
 *
 * Each thread writes to two rings of its own: one for the data path, one for all other calls.
 * Therefore many posts do not overwrite the calls that created the QP. A full ring overwrites its
 * oldest records and counts them. A record has the arguments and the result as numbers, and copies
 * of the memory that they point to. Nothing is formatted when a call is recorded. A reader gets
 * arguments that point to the copies, and can read them like the arguments of a call of its own.
 * Pointers to objects stay as they were: record_object_at() knows which object was there then.
 *
 * The rings are in one block of memory without pointers, so that another process can read it.
 */
#ifndef CALLS_CALL_RECORD_H
#define CALLS_CALL_RECORD_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls.h"

/* Threads with rings. The calls of further ones are not recorded, but what they make is known. */
#define RECORD_THREADS	    64
#define RECORD_CONTROL_RING (1u << 22) /* bytes; a page is allocated when it is written */
#define RECORD_DATA_RING    (1u << 20)
/* Bytes of one record; what does not fit is left out, but for requests of a list: they are in
 * further records, with a depth that is one greater. */
#define RECORD_MAX	  (1u << 13)
#define RECORD_DATA_MAX	  4096 /* bytes of one copy */
#define RECORD_STRING_MAX 256
#define RECORD_SGES_MAX	  256	/* of a request; a number that is larger is a mistake */
#define RECORD_LIST_MAX	  65536 /* requests; a longer list may be circular */

enum record_path {
	RECORD_CONTROL,
	RECORD_DATA, /* functions of CALL_DATAPATH */
	RECORD_PATHS
};

/* Where a call was made: the address to which it returns, and that to which the function which is
 * there returns, if that has a frame pointer: an inline function of a header that was not inlined.
 * 0: not known. */
struct record_from {
	uint64_t at, above;
};

struct record {
	const struct call_fn *fn; /* a row of call_table, or of record_own_rows() */
	uint64_t begin, end;	  /* ticks, see record_time() */
	struct record_from from;
	unsigned thread; /* a number of the rings, not of the kernel's */
	unsigned depth;	 /* 0: called by the program; else from within a call, or record_aside() */
	unsigned count;	 /* 1, or the number of consecutive empty polls */
	unsigned left_out; /* copies that did not fit */
	bool ended;	   /* false: record_watch shows it before the call */
	unsigned rule;	 /* 1 + the index of the fault that made it fail or wait (call_fault.h); 0:
			    none */
	int err;	 /* errno of one that failed, or 0 */
	uint64_t result; /* sign-extended, or a pointer */
	/* In the order of fn->args. All but objects point to copies, as do the pointers within
	 * copies; NULL: there is none. */
	const uint64_t *args;  /* copied before the call; out-parameters after it */
	const uint64_t *after; /* copied after the call; NULL: it has not ended */
	unsigned nargs;
	const uint64_t *image; /* all copies, for record_bytes() */
};

/* Its row of call_table, an enum call_row; call_count: a row of record_own_rows(). */
static inline unsigned record_call_row(const struct record *r)
{
	return r->fn >= call_table && r->fn < call_table + call_count
		       ? (unsigned)(r->fn - call_table)
		       : call_count;
}

/* The last copy of the memory at address during the call; NULL: r has none. For objects, whose
 * pointers do not lead to copies. *len, if not NULL, is set to
 * its size. Valid as long as r is. */
const void *record_bytes(const struct record *r, uint64_t address, size_t *len);
/* The argument called name of r; 0 if there is none. */
uint64_t record_arg(const struct record *r, const char *name);
/* The event that r has left, if it is of rdma_get_cm_event() and went well; else NULL. */
const struct rdma_cm_event *record_cm_event(const struct record *r);
/* The same of ibv_get_async_event(). */
const struct ibv_async_event *record_async_event(const struct record *r);
/* The object that the call created, as its result or through a pointer; 0: none. */
uint64_t record_made(const struct record *r, enum call_object *kind);
/* For a post: how many of the recorded requests of its list the library accepted: all, or those
 * before the one that it rejected (bad_wr). */
unsigned record_accepted(const struct record *r);

/* Is it a poll that found the completion queue empty? */
bool record_is_empty_poll(const struct record *r);
/* Did ibv_start_poll() or ibv_next_poll() find no (further) completion? */
bool record_found_nothing(const struct record *r);
/* The completion that a call of ibv_start_poll() or ibv_next_poll() found. false: r is another
 * call, or found none. */
bool record_completion(const struct record *r, enum ibv_wc_status *status, uint64_t *wr_id);
/* The request that a call like ibv_wr_send() has added: id, opcode, flags, address and key at the
 * peer; its SGEs come with other calls. false: r is another call. */
bool record_request(const struct record *r, struct ibv_send_wr *wr);

/* ----------------------------------------------------------------------- readers -- */

/* Records of all threads of this process, in the order in which the calls began. */
struct record_list {
	struct record *v;
	unsigned n;
	uint64_t lost[RECORD_PATHS]; /* calls whose records were overwritten */
};

/* The records of the paths in mask (1 << enum record_path) of calls that began at since or later.
 * To be freed with record_list_free(). */
struct record_list *record_list(unsigned mask, uint64_t since);
void record_list_free(struct record_list *l);

/* Walks back through the records of the calling thread, newest first; false: there are no more.
 * The record is valid until the next step. Begin with { .path = ... }. */
struct record_walk {
	enum record_path path;
	bool begun;
	uint64_t at;
	struct record r;
	uint64_t image[RECORD_MAX / 8 + 144]; /* with room for IMAGE_BEHIND() */
};
bool record_back(struct record_walk *w);
/* The place in the ring of the calling thread after all records so far: it tells whether there were
 * more since. */
uint64_t record_place(enum record_path path);

/* The last call of this thread at depth 0 that failed (err 0: none). */
struct record_failure {
	const struct call_fn *fn;
	int err;
	unsigned rule; /* as in struct record */
};
struct record_failure record_last_failure(void);

/* The current time in ticks, the nanoseconds of CLOCK_MONOTONIC; it increases with each call by a
 * thread. */
uint64_t record_time(void);
/* Ticks as nanoseconds of CLOCK_REALTIME, and back. */
int64_t record_realtime(uint64_t ticks);
uint64_t record_ticks(int64_t realtime);
/* Nanoseconds between two times. */
static inline int64_t record_span(uint64_t from, uint64_t to)
{
	return (int64_t)(to - from);
}

/* ----------------------------------------------------------------------- writers -- */

/* To be called before and after a call. args must stay until record_end(), which keeps errno. */
struct record_call {
	uint64_t begin;
	struct record_from from;
	const uint64_t *args;
	uint32_t row;
	uint32_t mark;	   /* offset of the copies made before the call, or none */
	bool is_outermost; /* made by the program; set by record_begin() */
	uint16_t rule;	   /* as in struct record, with the result in its place: of call_fault.h */
	uint64_t result;
};
void record_begin(struct record_call *c, unsigned row, const uint64_t *args,
		  struct record_from from);
/* The place from what gcc's builtins say of the function that notes the call. */
struct record_from record_from(const void *returns_to, const void *frame);
void record_end(struct record_call *c, uint64_t result);

/* The program's own rows, for events that are not calls: described like functions and numbered
 * after those of call_table. rows must stay valid. To be called once, before the first event. */
void record_own_rows(const struct call_fn *rows, unsigned n);
/* Records the event of own row i, with these arguments. */
void record_event(unsigned i, const uint64_t *args, int err);
/* The same, with times of its own. */
void record_event_at(unsigned i, const uint64_t *args, int err, uint64_t begin, uint64_t end);

/* Calls between record_aside(1) and record_aside(-1) have a depth of 1 or more, because the program
 * makes them for its own purposes. A query that succeeds there is told, but stored only where
 * another process reads the record. */
void record_aside(int step);

/* Callbacks for each call, invoked in the calling thread: before it (r->ended false), after it, and
 * when its record is in the ring, where others see it. They may call verbs themselves, at a greater
 * depth. NULL: none. */
struct record_watch {
	void (*before)(void *arg, const struct record *r);
	void (*after)(void *arg, const struct record *r);
	void (*written)(void *arg);
	void *arg;
};
void record_watch(const struct record_watch *w);

/* Calls learn() in the calling thread after each call, but for polls that find nothing, before it
 * is shown and stored. It must not call verbs. To be called once, before the first call; NULL:
 * none. */
void record_learn(void (*learn)(void *arg, const struct record *r), void *arg);
/* From now on polls that find nothing, too, or no longer. */
void record_learn_empty(bool on);

/* Empties all rings, and forgets objects that are gone. No other thread may be calling. */
void record_clear(void);
/* Turns recording and watching off or on (initially on). For measurements. */
void record_switch(bool on);

/*
 * The lifetimes of objects: the same pointer may refer to different objects at different times.
 * They are derived from the calls that create and destroy objects.
 */

struct record;

#define RECORD_OBJECTS_GONE 65536 /* destroyed objects that are kept; older ones are dropped */

struct record_object {
	uint64_t address;
	enum call_object kind;
	uint64_t serial;     /* no two have the same; from 1 */
	uint64_t made, gone; /* ticks; gone 0: it lives */
	char name[32];	     /* its name in the program, or "" */
};

/* The objects of one process. */
struct record_objects;
/* The objects of this process, updated with each call. */
extern struct record_objects record_own_objects;

/* The object that was at address at that time (of a call that makes it: its end), or NULL.
 * Valid until the next is made or ended. */
const struct record_object *record_objects_at(struct record_objects *b, uint64_t address,
					      uint64_t when);
/* The last object that was at address, if its life had ended by that time; else NULL. Valid as
 * above. */
const struct record_object *record_objects_gone(struct record_objects *b, uint64_t address,
						uint64_t when);
static inline const struct record_object *record_object_at(uint64_t address, uint64_t when)
{
	return record_objects_at(&record_own_objects, address, when);
}

/* Gives the one that is there now a name, at most 31 bytes; one that no call has made begins
 * now. */
void record_object_name(const void *object, enum call_object kind, const char *name);

/* Objects of another process, derived from its records in the order in which the calls ended. Each
 * gets a name: "qp0" is the first QP. */
struct record_objects *record_objects_new(void);
void record_objects_free(struct record_objects *b);
void record_objects_learn(struct record_objects *b, const struct record *r);
/* The same as record_objects_at(); an object that no call has made begins there. */
const struct record_object *record_objects_meet(struct record_objects *b, uint64_t address,
						enum call_object kind, uint64_t when);
/* The name of the object that the call r was given or has made; address is not 0. */
const char *record_objects_name(struct record_objects *b, const struct record *r, uint64_t address,
				enum call_object kind);

#endif
