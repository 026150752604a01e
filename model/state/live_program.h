/* SPDX-License-Identifier: MIT */
/* The objects of a program after the calls that it has made so far, as far as these calls show
 * them: regions, QPs with their attributes, and what is posted and not completed. */
#ifndef MODEL_LIVE_PROGRAM_H
#define MODEL_LIVE_PROGRAM_H

#include <netinet/in.h>

#include "call_record.h"
#include "heap.h"
#include "live.h"
#include "spec_tables.h"

#define uthash_malloc(size) xcalloc(1, size)
#include <uthash.h>

struct record;
struct record_objects;
struct live_queues;
struct check_note;

/* The memory regions that the program has had. All zero: none. v and at are to be freed. */
struct live_regions {
	struct live_region
		*v;   /* all that there were, except some that were deregistered long ago */
	uint64_t *at; /* the address of each */
	unsigned n;
};

/* The call r has registered the region at that address. */
void live_regions_add(struct live_regions *s, const struct record *r, uint64_t address,
		      struct record_objects *objects);
/* r is ibv_rereg_mr(). */
void live_regions_change(struct live_regions *s, const struct record *r,
			 struct record_objects *objects);
void live_regions_gone(struct live_regions *s, uint64_t address);
/* The one that is registered at that address; NULL: there is none. */
const struct live_region *live_region_at(const struct live_regions *s, uint64_t address);

/* QPs that the program has destroyed. All zero: none. v is to be freed. */
struct live_gone_qps {
	struct live_gone_qp {
		char name[LIVE_NAME];
		uint32_t number, peer;
	} * v;
	unsigned n;
};

/* Ignores a QP that was never connected. */
void live_gone_qps_add(struct live_gone_qps *g, const struct live_qp *qp);
/* The name of the newest QP of that number that was connected with the one numbered peer, or NULL.
 */
const char *live_gone_qps_find(const struct live_gone_qps *g, uint32_t number, uint32_t peer);

/* The name of the object that was at address at that time, which librdmacm may have made; "" if
 * address is 0. */
void live_object_name(struct record_objects *objects, uint64_t address, enum call_object kind,
		      uint64_t when, char name[LIVE_NAME]);

/* A call, as far as it tells where in the program something was done. */
struct live_call {
	const struct call_fn *fn; /* NULL: it is not known */
	struct record_from from;
	bool is_own; /* the program itself has made it, not a library */
};

/* Calls and events that an id has been through, which change what it takes. */
enum live_id_call {
	LIVE_ID_BOUND = 1,    /* rdma_bind_addr() */
	LIVE_ID_RESOLVED = 2, /* rdma_resolve_addr(), unless an event ADDR_ERROR has come */
	LIVE_ID_LISTENS = 4,
	LIVE_ID_CONNECTED = 8, /* rdma_connect(): with success or not */
	LIVE_ID_ACCEPTED = 16,
	LIVE_ID_REJECTED = 32,
	LIVE_ID_DISCONNECTED = 64, /* by the peer: the event has come */
	LIVE_ID_QP_GONE = 128,	   /* ibv_destroy_qp() of its QP */
};

/* An object as far as calls show how it is used. */
struct live_object {
	uint64_t address;
	struct live_call made;
	enum call_object kind;
	struct live_queues *queues;  /* of a QP or an SRQ; else NULL */
	uint64_t uses[6];	     /* the objects that it was made with, and needs; 0: none */
	uint16_t port;		     /* of an id that is bound */
	unsigned id_calls;	     /* of an id: enum live_id_call */
	uint32_t rkey;		     /* of a window, when it was made; 0: not known */
	int entries;		     /* of a CQ: as many as were asked for last */
	int room;		     /* of a CQ: as many as it was made with; 0: not known */
	bool is_resized;	     /* of a CQ: ibv_resize_cq() has asked */
	int groups;		     /* of a QP: those that ibv_attach_mcast() has attached */
	bool has_idle_limit;	     /* of an SRQ: one was only given when it was made */
	uint64_t wc_flags;	     /* of a CQ: ibv_create_cq_ex() has asked for them */
	unsigned armed;		     /* of a CQ: how often it was armed; less its events */
	unsigned unacknowledged;     /* its events that the program has got but not acknowledged */
	unsigned overacknowledged;   /* more acknowledgements than events */
	int fd;			     /* of a channel of events: where they wait; else 0 */
	uint64_t channel;	     /* of an id: where its events come; 0: of its own */
	struct sockaddr_in6 to;	     /* of an id: where it goes, also if that is of IPv4 */
	const struct call_fn *asked; /* of an id: what has no event yet; NULL: nothing */
	uint64_t in_vain; /* of a CQ: ticks, when a poll has last found nothing; 0: not since a
			     completion came */
	unsigned crossed; /* its completions that another thread took than the one that posted */
	const char *acknowledge; /* the function that does that */
	struct check_note *note; /* of model/checks; NULL: none */
	UT_hash_handle hh;
};

/* The objects that there are: tables of uthash by address, which own them. NULL: an empty one. */
void live_objects_free(struct live_object **objects);
/* NULL: nothing is known of it. */
struct live_object *live_object_at(const struct live_object *objects, uint64_t address);
/* The call r has made this object with the objects that its arguments name. One that was at that
 * address is gone. */
struct live_object *live_objects_made(struct live_object **objects, const struct record *r,
				      uint64_t address, enum call_object kind);
void live_objects_gone(struct live_object **objects, uint64_t address);
/* The PD that the object at address was made with; 0: not known. */
uint64_t live_objects_pd(const struct live_object *objects, uint64_t address);
/* Does the call need what an event tells of the id, which the program has asked for and not got
 * yet? */
bool live_id_is_early(const struct live_object *objects, const struct record *r);
/* Does the call destroy the QP of the id, which was destroyed before? */
bool live_id_ends_qp_again(const struct live_object *id, const struct record *r);
/* Was it made with the object at that address? */
bool live_object_uses(const struct live_object *o, uint64_t address);
/* Was the CQ made by the program, and without a completion channel? */
bool live_objects_lacks_channel(const struct live_object *objects, const struct live_object *cq);
/* Calls tell() for each object that uses the one at address. */
void live_objects_users(const struct live_object *objects, uint64_t address,
			void (*tell)(void *arg, const struct live_object *user), void *arg);
/* The object at address uses the other one from now on. */
void live_objects_use(struct live_object *objects, uint64_t address, uint64_t used);
/* Learns of a poll that has found nothing. */
void live_objects_take_look(struct live_object *objects, const struct record *r);
/* Learns of events: CQs that are armed, events that are asked for, got and acknowledged. */
void live_objects_take(struct live_object **objects, const struct record *r);

#define LIVE_PORTS 4 /* of a device; further ones are not looked at */

/* The limits of the device on which a call was refused last. All zero: not known. */
struct live_limits {
	struct ibv_device_attr device;
	struct ibv_port_attr port[LIVE_PORTS]; /* of port 1 and so on */
};

/* An entry of a GID table, as it was read last. */
struct live_gid {
	uint64_t port;
	int64_t index;
	union ibv_gid gid;
};

/* A work request that the program has posted. */
struct posted_wr {
	uint64_t wr_id, when; /* ticks: when the call that posted it began */
	uint64_t done; /* ticks: when its completion or a later one was taken; 0: it was not */
	const struct wr_op *op;
	uint32_t to_qpn; /* of a datagram */
	uint64_t ah;
	uint64_t remote;		/* address and key at the peer, for RDMA and atomics */
	uint32_t rkey;			/* or the key that it invalidates */
	uint32_t len;			/* of all SGEs */
	struct record_from from;	/* of the call that posted it */
	unsigned thread;		/* that made that call */
	const struct call_fn *built_by; /* ibv_wr_send() and the like; NULL: it was not built */
	bool is_inline, is_signaled, is_fenced, is_solicited;
	unsigned nsge;
	struct ibv_sge sge[LIVE_SGES];
	struct live_bind bind; /* of a BIND_MW */
	uint8_t flush_type,
		flush_level; /* of a FLUSH, whose range is remote, len, at level RANGE */
};

/* The requests of a queue that are not completed, oldest first. All zero: an empty queue. v is to
 * be freed. */
struct posted_queue {
	struct posted_wr *v;
	unsigned begin, n, room; /* n requests from begin on; room: of v */
	unsigned keeps;		 /* as many that are done stay before begin, oldest first */
	uint64_t had;		 /* put into it since it was last emptied */
	uint64_t put;		 /* ever put into it: the number of the next one */
	uint64_t signaled;	 /* of those, with IBV_SEND_SIGNALED */
	uint64_t messages;	 /* of had, those that take a receive of the peer */
	uint64_t solicited;	 /* of those */
	uint64_t answered; /* 1 + the number of the last that brings something: READ, atomic; 0:
			      none */
};

/* The first request from number *at on that is still there, and moves *at past it; NULL: none.
 * Those of a queue that was emptied are not there any more. */
const struct posted_wr *posted_queue_next(const struct posted_queue *q, uint64_t *at);

void posted_queue_empty(struct posted_queue *q);
/* Add the requests that a call of ibv_post_send() has posted; of ibv_bind_mw(); of ibv_post_recv()
 * or ibv_post_srq_recv(). */
void posted_queue_take_sends(struct live_queues *e, const struct record *r);
void posted_queue_take_bind(struct posted_queue *q, const struct record *r);
void posted_queue_take_recvs(struct posted_queue *q, const struct record *r);

/* A queue pair. */
struct live_tracked_qp {
	struct live_qp v;
	uint64_t address, srq; /* srq 0: none */
	uint64_t send_cq, recv_cq;
	uint32_t failed_recv;  /* size in bytes of the RECV that has failed; 0: none has */
	bool signals_all;      /* sq_sig_all */
	uint32_t sent_to;      /* UD: the number that the last datagram went to; 0: none did */
	uint32_t longest;      /* UD: bytes of the longest datagram */
	bool is_resized;       /* an SRQ: ibv_modify_srq() has set max_wr */
	uint64_t cm_id;	       /* address of its id: librdmacm changes its state; 0: none */
	bool ended_by_program; /* the program has moved it to ERR, or knows of an earlier error */
	int told;	       /* the state that live_program_changes() has reported; -1: none */
	struct live_tracked_qp *older;
};

/* A completion that the program has taken. */
struct live_wc {
	struct ibv_wc wc;
	struct live_tracked_qp *qp; /* NULL: not known */
	bool known;		    /* posted is its request */
	/* One of the send queue and a RECV have its wr_id and complete into this CQ, so that nobody
	 * outside the device can tell: posted is the former. */
	bool is_either;
	struct posted_wr posted;
	int64_t after; /* ns from its post to the end of the poll; -1: not known */
	/* An error that follows from what the program did before, or from an error that it knows
	 * of. */
	bool follows;
};

/* The queues of a QP or an SRQ, and the QP. */
struct live_queues {
	struct live_tracked_qp qp;
	struct posted_queue sends, recvs;
	struct posted_queue built; /* since ibv_wr_start() */
	bool is_building;	   /* neither ibv_wr_complete() nor ibv_wr_abort() has come */
	unsigned refused;	   /* so many were built when ibv_wr_complete() last failed */
	/* Completions of which each may be of a send or of a receive: one CQ, equal ids. Their
	 * requests are still in the queues. */
	struct undecided {
		uint64_t wr_id;
		unsigned n;
	} * undecided;
	unsigned nundecided;
};

/* A completion of an extended CQ, from ibv_start_poll() or ibv_next_poll() to the next of them. */
struct open_wc {
	uint64_t cq, when;
	bool is_open;
	bool is_send, is_recv; /* the program has asked for its opcode */
	bool has_len;	       /* the program has asked for its length */
	struct ibv_wc wc;
};

struct live_program {
	struct live_object *seen; /* a table by address, which owns them */
	struct live_tracked_qp *newest;
	bool had_windows; /* one was made */
	struct live_regions regions;
	struct live_gone_qps gone;
	struct live_limits limits;
	struct live_gid *gids; /* ngids of them; of all devices alike */
	unsigned ngids;
	struct live_wc *completions; /* of the last call */
	unsigned ncompletions;
	unsigned keeps;	      /* requests that are done stay for posted_queue_next(): so many */
	struct open_wc *open; /* of each CQ at most one */
	unsigned nopen;
	const struct live_program *parent; /* that has forked this process; NULL: it is not known */
	uint64_t forked_at;		   /* ticks: when it has done that */
	uint64_t lock_limit; /* bytes of memory that the process may lock; 0: not known, or all */
	struct record_objects *objects;
};

struct live_program *live_program_new(void);
void live_program_free(struct live_program *p);

/* Learns from a call of the program. Calls come in the order in which they ended; objects has the
 * names. */
void live_program_take(struct live_program *p, const struct record *r,
		       struct record_objects *objects);
/* Learns what the device allows from a call, ibv_query_device(), ibv_query_port() or
 * ibv_query_gid(), that the tracer has made within one that was refused. */
void live_program_take_limits(struct live_program *p, const struct record *r);
/* Learns of ibv_query_gid(). */
void live_gids_take(struct live_program *p, const struct record *r);
/* The GID that a port has at that index; NULL: not known. */
const union ibv_gid *live_program_gid(const struct live_program *p, uint64_t port, int64_t index);
/* The *n completions of the last call of live_program_take(). */
const struct live_wc *live_program_completions(const struct live_program *p, unsigned *n);

/* The completion of an extended CQ that is, or was last, open to the calls that read its values;
 * NULL: none was. */
struct open_wc *live_program_open_wc(const struct live_program *p, uint64_t cq);
/* r is ibv_start_poll() or ibv_next_poll(), and the calls that ask for values of its completion
 * were taken. Afterwards live_program_completions() has that completion, before the call that ends
 * it is taken. */
void live_program_end_poll(struct live_program *p, const struct record *r);

/* NULL: there is none. */
struct live_tracked_qp *live_program_qp(const struct live_program *p, uint64_t address);
/* The QP of the id at that address; NULL: there is none. */
struct live_tracked_qp *live_program_qp_of_id(const struct live_program *p, uint64_t id);
/* The type of the QP in its first argument, which decides what members of the others are valid; 0:
 * it has none. */
unsigned live_program_qp_type(const struct live_program *p, const struct record *r);
/* The QP of that number that is connected with the one numbered peer (0: with any). */
struct live_tracked_qp *live_program_numbered(const struct live_program *p, uint32_t number,
					      uint32_t peer);
/* Reports each QP whose state has changed since it was last reported, with the former state (-1:
 * the QP is new). */
void live_program_changes(struct live_program *p,
			  void (*tell)(void *arg, const struct live_tracked_qp *qp, int from),
			  void *arg);
/* How many requests of a QP are not completed. */
unsigned live_program_outstanding(const struct live_program *p, const struct live_tracked_qp *qp,
				  bool recvs);
/* Of the sends that are not completed, those that are signaled. */
unsigned live_program_signaled(const struct live_program *p, const struct live_tracked_qp *qp);
/* A QP or SRQ, with the capabilities of its creation in cap; NULL: there is none. */
const struct live_tracked_qp *live_program_queue(const struct live_program *p, uint64_t address);
/* The name of the object that was at address at that time; "" if there was none. Valid until the
 * next call is taken. */
const char *live_program_name(const struct live_program *p, uint64_t address, uint64_t when);
/* How many work requests that make a completion in the CQ are not completed; those of SRQs count
 * only if there is no other.
 */
unsigned live_program_due(const struct live_program *p, uint64_t cq);
/* The name of a destroyed QP of that number that was connected with the one numbered peer, or NULL.
 */
const char *live_program_gone_qp(const struct live_program *p, uint32_t number, uint32_t peer);
/* This end for explain: the QP, which may be NULL, and all regions that the program has had. Valid
 * until the next call is taken. */
struct live_end live_program_end(const struct live_program *p, struct live_tracked_qp *qp);

/* The port of an address, 0: it has none. */
uint16_t live_port_of(const struct sockaddr *sa);

/* Within the files of this header: */

/* The name of the status: "RETRY_EXC_ERR". */
const char *live_status(enum ibv_wc_status status);
/* The name of a value of the field without its prefix, or its number; as temp_text(). */
const char *live_word(const struct call_struct *of, const char *field, int64_t value);
/* The queues of a QP or an SRQ; NULL: there is none at that address. */
struct live_queues *live_program_entry(const struct live_program *p, uint64_t address);
/* Its receives, or those of its SRQ. */
struct posted_queue *live_program_recvs(const struct live_program *p, struct live_queues *e);
/* why: what moved it to ERR. */
void live_qp_set_state(struct live_queues *e, enum ibv_qp_state state, const char *why);
void live_program_take_poll(struct live_program *p, const struct record *r);
/* A request of an extended QP, and the calls that build it; the calls that take completions from an
 * extended CQ. false: r is another call. */
bool live_program_take_request(struct live_program *p, const struct record *r);
bool live_program_take_extended_poll(struct live_program *p, const struct record *r);

#endif
