/* SPDX-License-Identifier: MIT */
/* Within the rules of checks.h. */
#ifndef MODEL_CHECK_IMPL_H
#define MODEL_CHECK_IMPL_H

#include "call_record.h"
#include "checks.h"
#include "heap.h"
#include "recorded.h"

/* The notes of the rules about an object of the model, which end with it. */
struct check_note {
	/* Of a CQ, by ibv_req_notify_cq(3). */
	bool is_armed, is_solicited_only, was_polled; /* at least once */
	uint64_t armed_at, drained_at; /* ticks: the end of the first poll since then that has left
					  nothing; 0: none yet */
	unsigned sends, recvs; /* signaled sends and receives outstanding then, and since then */
	uint64_t asked_at;     /* ticks: the last post to a send queue of it or its QPs */
	struct check_place armed;
	/* Of a CQ with more places in send queues than entries: the most that were outstanding. */
	bool is_small, has_overrun, can_wait;
	unsigned most, fullest; /* fullest: as its device says */
	struct check_place at_most;
	/* Of a QP of librdmacm, until it is clear whether its first receive came too late. */
	bool is_followed, is_up;
	unsigned retries; /* rnr_retry_count, which the peer has to take */
	struct check_place up,
		posted; /* where it became so, and where the first receive was posted */
	/* Of a QP: the post after which more requests were outstanding than it has room for, until
	 * a later poll; over: so many, or 0. */
	unsigned over;
	uint64_t over_at; /* ticks: its end */
	struct check_place over_place;
	/* ibv_wr_start() or ibv_start_poll() that was not ended. */
	struct check_place begun;
	bool is_at_end; /* ibv_next_poll() has found nothing */
	/* Of an id: sends without a completion, when librdmacm has moved its QP to ERR. */
	unsigned left;
	/* Of an object of librdmacm: what it needs, and where that was destroyed. */
	struct check_place need_gone;
	char need[LIVE_NAME];
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
	uint64_t put;		  /* requests that the queue of this call had got before it */
	struct gone_object *gone; /* a table of uthash, by address */
	unsigned followed;	  /* QPs */
	check_peer_fn *peer;
	struct check_freed *freed;
	unsigned nfreed;
	struct check_place list_freed; /* the last list of devices, while there is no other */
	bool has_lost;		       /* calls */
};

/* A finding about the object of that name, which became clear with the call r, which may be NULL;
 * and one line that says so. */
struct check_finding check_new(enum check_id id, const char *object, const struct record *r,
			       const char *says, ...) __attribute__((format(printf, 4, 5)));
/* It may be one: what would make it certain. */
void check_doubt(struct check_finding *f, const char *sure, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds where something was done, of which from 0 is not known; what ends with the name of the
 * object: "qp0 was made". */
void check_step(struct check_finding *f, struct check_place at, const char *what, ...)
	__attribute__((format(printf, 3, 4)));
/* Keeps it, and tells of it if it is new; not if its rule is not wanted. */
void check_add(struct checks *c, const struct check_finding *f);
/* The same, with where its object was made. */
void check_add_made(struct checks *c, const struct live_program *p, struct check_finding *f,
		    uint64_t address);
/* NULL: the model has no object there. */
struct check_note *check_note(const struct live_program *p, uint64_t address);

static inline struct check_place check_place_of(const struct record *r)
{
	return (struct check_place){ r->fn->name, r->from };
}

static inline const char *check_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* "the SEND, wr_id 7 (64 bytes)"; as temp_text(). */
const char *check_request(const struct posted_wr *wr);

/* The region that has the key now; NULL: it is not known. */
const struct live_region *check_region_of_key(const struct live_program *p, uint32_t lkey);
/* A receive of this QP or SRQ was posted by r. */
void check_recv_posted(struct checks *c, const struct live_program *p, const struct record *r,
		       const struct live_tracked_qp *qp, const struct posted_wr *wr);
/* The other end of the QP, if its calls are seen, too. */
struct check_peer check_find_peer(const struct checks *c, const struct live_program *p,
				  const struct live_tracked_qp *qp);
/* Does the call give a region other memory, or another PD? Does it end one? */
bool check_moves_region(const struct record *r);
bool check_ends_region(const struct record *r);
/* Has the region such rights, and is there a QP over which its peer can use them; to_strangers: a
 * peer whose calls are not seen? */
bool check_is_open(const struct live_program *p, const struct live_region *region, unsigned rights,
		   bool to_strangers);
/* Something that is taken away from the requests that use it: an address handle, or bytes of a
 * region. */
struct check_taken {
	enum check_id id;
	const char *object, *part, *how; /* its name; "" or "the memory ... in "; "destroyed" */
	uint64_t address;		 /* of the object */
	const char *pd;			 /* of a region */
	uint32_t lkey;
	uint64_t at, len;
	struct check_place place;
};
bool check_uses(const struct posted_wr *wr, const struct check_taken *t);
/* Tells of the outstanding requests that use it. false: there are none. */
bool check_find_posted(struct checks *c, const struct live_program *p, const struct check_taken *t);

/* The rules by subject: each looks at every call. */
void check_requests_before(struct checks *c, const struct live_program *p, const struct record *r);
void check_requests_after(struct checks *c, const struct live_program *p, const struct record *r);
void check_queues_before(struct checks *c, const struct live_program *p, const struct record *r);
void check_queues_after(struct checks *c, const struct live_program *p, const struct record *r);
void check_queues_end(struct checks *c, const struct live_program *p);
void check_recvs_before(struct checks *c, const struct live_program *p, const struct record *r);
void check_recvs_after(struct checks *c, const struct live_program *p, const struct record *r);
void check_freed_before(struct checks *c, const struct record *r);
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
