/* SPDX-License-Identifier: MIT */
/* Within the rules of checks.h. */
#ifndef MODEL_CHECK_IMPL_H
#define MODEL_CHECK_IMPL_H

#include "call_record.h"
#include "checks.h"
#include "heap.h"
#include "recorded.h"

/* A CQ with a channel: ibv_req_notify_cq(3). */
struct armed_cq {
	uint64_t address;
	bool is_armed, was_polled; /* at least once */
	uint64_t armed_at;	   /* ticks */
	uint64_t polled_at; /* ticks: the end of the first poll after it was armed; 0: none yet */
	unsigned sends, recvs; /* signaled sends and receives that were outstanding then */
	uint64_t asked_at;     /* ticks: the last post to a send queue of it or its QPs */
	struct check_place at; /* where it was armed */
	UT_hash_handle hh;
};

/* An object that was destroyed, and where. */
struct gone_object {
	uint64_t address;
	enum call_object kind;
	char name[LIVE_NAME];
	uint64_t when; /* ticks */
	struct check_place at;
	UT_hash_handle hh;
};

/* ibv_wr_start() and ibv_start_poll() that were not ended. */
struct open_scope {
	uint64_t address;
	struct check_place at;
};

/* A CQ with more signaled requests outstanding than it has entries. */
struct small_cq {
	char name[LIVE_NAME];
	uint64_t address;
	unsigned room, most;
	bool has_overrun;
	struct check_place at, made;
};

/* A QP of librdmacm, until it is clear whether its first receive came too late. */
struct late_qp {
	uint64_t address;
	unsigned retries; /* rnr_retry_count, which the peer has to take */
	bool is_up;
	struct check_place up,
		posted; /* where it became so, and where the first receive was posted */
};

/* A CQ that was made for one thread. */
struct single_cq {
	uint64_t address, last_end; /* ticks: the end of the last poll */
	uint64_t threads;	    /* 1 << the numbers of those that have polled it */
	unsigned last;		    /* thread */
	bool is_told;
};

/* Memory that the program has given back, and the region that had it. */
struct check_freed {
	uint64_t at, len, mr;
	uint32_t lkey;
	bool is_unmapped;
	struct check_place place;
};

struct checks {
	bool wanted[CHECK_RULES];
	void (*tell)(void *arg, const struct check_finding *f);
	void *arg;
	struct check_finding *found;
	unsigned nfound;
	uint64_t put;		/* requests that the queue of this call had got before it */
	struct armed_cq *armed; /* tables of uthash, by address */
	struct gone_object *gone;
	struct open_scope *open;
	unsigned nopen;
	struct small_cq *small;
	unsigned nsmall;
	struct late_qp *late;
	unsigned nlate;
	struct single_cq *single;
	unsigned nsingle;
	check_peer_fn *peer;
	struct check_freed *freed;
	unsigned nfreed;
};

/* A finding that became clear with the call r, which may be NULL. */
struct check_finding check_new(enum check_id id, const struct record *r);
/* Adds where something was done, of which from 0 is not known; what ends with the name of the
 * object: "qp0 was made". */
void check_step(struct check_finding *f, struct check_place at, const char *what, ...)
	__attribute__((format(printf, 3, 4)));
/* Where the object was made. */
void check_step_made(struct check_finding *f, const struct live_program *p, uint64_t address,
		     const char *name);
/* Keeps it, and tells of it if it is new; not if its rule is not wanted. */
void check_add(struct checks *c, const struct check_finding *f);

static inline struct check_place check_place_of(const struct record *r)
{
	return (struct check_place){ r->fn->name, r->from };
}

/* "the SEND, wr_id 7 (64 bytes)"; as temp_text(). */
const char *check_request(const struct posted_wr *wr);

/* Where it was posted; qp: the QP or SRQ to whose queue. */
void check_step_posted(struct check_finding *f, const struct live_tracked_qp *qp,
		       const struct posted_wr *wr);
/* May a completion that was taken be of this request, or of another one with its wr_id? */
bool check_is_undecided(const struct live_queues *e, const struct posted_wr *wr);
/* Can the requests of this QP or SRQ still be carried out? */
bool check_can_complete(const struct live_program *p, const struct live_object *queue);

/* The rules by subject: each looks at every call. */
void check_requests_before(struct checks *c, const struct live_program *p, const struct record *r);
void check_requests_after(struct checks *c, const struct live_program *p, const struct record *r);
void check_queues_before(struct checks *c, const struct live_program *p, const struct record *r);
void check_queues_after(struct checks *c, const struct live_program *p, const struct record *r);
void check_queues_end(struct checks *c, const struct live_program *p);
void check_recvs_before(struct checks *c, const struct live_program *p, const struct record *r);
void check_recvs_after(struct checks *c, const struct live_program *p, const struct record *r);
void check_threads_after(struct checks *c, const struct live_program *p, const struct record *r);
void check_freed_before(struct checks *c, const struct live_program *p, const struct record *r);
/* A request of this QP or SRQ was posted by r. */
void check_freed_posted(struct checks *c, const struct live_program *p, const struct record *r,
			const struct live_tracked_qp *qp, const struct posted_wr *wr);
void check_events_before(struct checks *c, const struct live_program *p, const struct record *r);
void check_events_after(struct checks *c, const struct live_program *p, const struct record *r);
void check_events_unfinished(struct checks *c, const struct live_program *p,
			     const struct record *r);
void check_events_end(struct checks *c, const struct live_program *p);
void check_objects_before(struct checks *c, const struct live_program *p, const struct record *r);
void check_objects_after(struct checks *c, const struct live_program *p, const struct record *r);
void check_objects_unfinished(struct checks *c, const struct live_program *p,
			      const struct record *r);
void check_objects_end(struct checks *c, const struct live_program *p);

#endif
