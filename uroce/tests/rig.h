/* SPDX-License-Identifier: MIT */
/*
 * The rig: what the tests of a folder have in place of the others, where those need a network,
 * time, threads or other processes. A test is linked with the files that it needs, and with the
 * real code for the rest. Each file stands for a part of the device:
 *
 *   rig_engine.c     engine/: the lock, timers, and a clock that jumps to what comes next
 *   rig_guard.c      engine/guard.c: memory with holes
 *   rig_host.c       link/: the addresses of a host, its neighbours and other processes
 *   rig_wire.c       link/: a wire that loses what it is told to
 *   rig_alone.c      link/pair.c and path.c: there is nobody to share memory with
 *   rig_above.c      what link/ calls: packets and MADs are kept
 *   rig_driven.c     what engine/ calls: sockets, and the rest of the device, which counts
 *   rig_transport.c  transport/, for verbs/ and cm/: it remembers what it was asked
 *   rig_verbs.c      verbs/, for transport/: the real ones, past their checks
 *
 * fault_test.c, pair_test.c and paths_test.c have what is next to one file. Scenes are not part of
 * the rig: X_app.c is an application, X_pair.c two ends that talk to each other, worker.c a process
 * of a group.
 */
#ifndef UROCE_TESTS_RIG_H
#define UROCE_TESTS_RIG_H

#include <arpa/inet.h>
#include <poll.h>

#include "checks.h"
#include "counters.h"
#include "gid.h"
#include "mad.h"
#include "packet.h"
#include "queue_pair.h"
#include "transport.h"

static inline bool rig_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static inline union ibv_gid rig_gid_of(const char *text)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, 0xff } };

	if (inet_pton(AF_INET, text, gid.raw + 12) != 1)
		CHECK_INT(inet_pton(AF_INET6, text, &gid), 1);
	return gid;
}

/* ---------------------------------------------------------------- rig_engine.c -- */

extern uint64_t rig_now;    /* ns */
extern bool rig_real_time;  /* engine_now() is the clock */
extern unsigned rig_timers; /* that run */
/* The applications: called after each MAD and timer, without the lock; or NULL. */
extern void (*rig_app)(void);

extern bool rig_locked;
extern bool rig_unflushed; /* engine_unlock() fails: nobody would send what was queued */
/* How often engine_lock(), engine_flush() and engine_sleep() were called. */
extern unsigned rig_locks, rig_flushes, rig_sleeps;
/* Called in engine_sleep(), without the lock; NULL: the thread sleeps. */
extern void (*rig_sleeper)(void);
/* Called whenever the lock was given back; or NULL. */
extern void (*rig_unlocked)(void);
/* A sleeper for a child of fork(): it must not wait for what only its parent can acknowledge. */
void rig_must_not_sleep(void);
extern int rig_engine_error;	   /* errno of the next engine_get(); 0: it works */
extern unsigned rig_engine_users;  /* engine_get() without engine_put() */
extern _Atomic unsigned rig_polls; /* engine_poll_empty() */
extern _Atomic unsigned rig_waits; /* engine_wait_fd() */
extern int (*rig_waiter)(int fd);  /* what engine_wait_fd() does; NULL: the thread waits */
extern bool rig_hands_over;	   /* engine_hand_over() */

/* transport_finish(), with the lock. */
bool rig_finish(void);
/* One pass, with the lock: what has arrived by now, timers that are due, what transport/ has to
 * finish. True: there may be more to do now. */
bool rig_pass(void);
/* A pass. If it had nothing to do, time goes on to the next packet or timer, at most to end. False:
 * nothing is left until then. */
bool rig_step(uint64_t end);
/* Runs until nothing is on the wire and no timer runs, or for so many ns (0: no limit). */
void rig_run(uint64_t ns);

/* ----------------------------------------------------------------- rig_guard.c -- */

/* The hole: guard_...() fail in it. NULL: there is none. */
extern const uint8_t *rig_hole;
extern size_t rig_hole_bytes;
/* guard_...() check that they write to registered memory or to a packet. */
extern bool rig_strict;

/* ------------------------------------------------------------------ rig_host.c -- */

/*
 * A host with the addresses 10.0.0.1 (GID index 0), 10.0.0.2, fd00::1 and fe80::1 on eth0, which is
 * interface 3, or others that a test gives. Its process has slot 5. There are names of other
 * processes, but none that takes a MAD.
 */
#define RIG_GIDS 8
struct rig_address {
	const char *address; /* NULL: the entry is empty */
	const char *ifname;
	unsigned ifindex, mtu;
};
/* list NULL: those above. */
void rig_addresses(const struct rig_address *list, unsigned n);
struct gid_entry *rig_entry(unsigned index); /* to be changed; empty with ifindex 0 */
union ibv_gid rig_gid(unsigned index);
extern _Atomic unsigned rig_refreshes; /* gid_refresh() */
extern int rig_route_errno;	       /* of gid_route(); 0: it works */
extern bool rig_neighbour_silent;      /* nobody has answered yet */
extern unsigned rig_neighbour_asked;   /* neighbour_ask() */
extern unsigned rig_slot;
/* group_fd(): a socket, or -1, or RIG_MEMBER_FD: the process joins multicast groups without one. */
extern int rig_group_fd;
#define RIG_MEMBER_FD 1000000
extern _Atomic pthread_t rig_asked; /* who called group_fd() last */
extern unsigned rig_names;	    /* group_claim() without group_release() */
extern uint16_t rig_port_taken;	    /* a port that another process has, on another address */
extern bool rig_all_killed;	    /* group_slot_pid(): no process of this host lives */
extern unsigned rig_slots_asked;    /* group_slot_pid() was called so often */
extern unsigned rig_forwards;	    /* MADs for other processes, which are lost */

/* ------------------------------------------------------------------ rig_wire.c -- */

struct rig_wire {
	double drop, dup, reorder;	       /* probabilities */
	uint64_t delay;			       /* ns, of every packet */
	bool (*lose)(const struct packet *p);  /* true: it is lost */
	void (*watch)(const struct packet *p); /* sees what is sent, lost or not */
};
extern struct rig_wire rig_wire;

uint32_t rig_random(void);
void rig_seed(uint64_t seed);
static inline bool rig_chance(double p)
{
	return rig_random() < p * 4294967296.0;
}

#define RIG_LOG 8192
extern struct packet rig_log[RIG_LOG]; /* what was sent; the first ones */
extern unsigned rig_logged;
/* How many with that opcode are in the log. */
unsigned rig_count(uint8_t opcode);

/* Hands a packet to the transport as if it had come in. */
void rig_inject(const struct packet *p, const void *payload);
/* Is it in the packet that is being made? */
bool rig_in_packet(const void *p, size_t n);

/* tx_has_room(): there is none; tx_is_blocked() */
extern bool rig_full, rig_blocked;

/* MADs come back to this host when they go to an address of it. */
enum rig_fate { RIG_PASS, RIG_DROP, RIG_TWICE, RIG_AGAIN_LATE };
/* The fate of a MAD, the n-th from 0; NULL: all pass. */
extern enum rig_fate (*rig_mad_fate)(unsigned n, const struct mad *m);
enum rig_fate rig_drop_mads(unsigned n, const struct mad *m); /* none passes */
extern unsigned rig_mads_sent;
/* The last one that went to another host. */
bool rig_mad_outgoing(struct mad *m, struct flow *flow);
/* Hands a MAD to cm_route() as if it had come in. */
void rig_inject_mad(const union ibv_gid *src, const union ibv_gid *dst, const struct mad *m);

/* Forgets what is on the wire, the log, and what was counted of MADs. */
void rig_clear(void);

/* For rig_wire.c: calls rig_app. */
void rig_run_app(void);
/* For rig_engine.c: takes in some of what has arrived; when the next one arrives. */
bool rig_arrive(void);
uint64_t rig_next_arrival(void);

/* ----------------------------------------------------------------- rig_alone.c -- */

extern _Atomic int rig_bell;	    /* pair_bell_fd() */
extern _Atomic bool rig_asleep;	    /* the bell will ring: the last call was pair_sleep() */
extern _Atomic unsigned rig_frames; /* in memory, not read yet: pair_sleep() fails */
extern struct pair *rig_pair;	    /* path_to(); NULL: there is nobody */

/* ----------------------------------------------------------------- rig_above.c -- */

/* The sockets of the only process of a host, in a network of their own, which has that slot; and no
 * way through memory. */
void rig_open_sockets(unsigned slot);

#define RIG_PACKETS 512

extern struct rig_packets {
	unsigned n;
	struct packet p[RIG_PACKETS]; /* payload is NULL */
	uint8_t last[RIG_PACKETS];    /* byte of the payload */
} rig_packets;
extern struct rig_mads {
	unsigned routed, input, lost; /* cm_route(), cm_input(), and what rx_mad() has lost there */
	struct mad_from from;	      /* of the last */
	uint8_t mad[MAD_BYTES];
} rig_mads;
/* Forgets both. */
void rig_forget(void);
/* Gets the packets, which are not kept then, and the MADs that are not lost; or NULL. */
extern void (*rig_on_packet)(const struct packet *p);
extern void (*rig_on_mad)(const uint8_t *mad);

/* ---------------------------------------------------------------- rig_driven.c -- */

/* The work that the thread of the engine has done, and the work of others. */
struct rig_counts {
	_Atomic unsigned packets;
	_Atomic unsigned passes; /* that looked at the socket */
	_Atomic unsigned turns;	 /* all passes */
};
extern struct rig_counts rig_thread, rig_others;
extern _Atomic pthread_t rig_reader; /* who took in the last packet */
extern _Atomic unsigned rig_mads_read, rig_messages, rig_tx_flushes;
extern _Atomic unsigned rig_forgets;  /* calls of ..._forget() and the like, in a child */
extern _Atomic int rig_more;	      /* how often transport_finish() says that there is more */
extern _Atomic bool rig_frame_late;   /* a frame comes in each pass, after the look at memory */
extern _Atomic bool rig_offers_event; /* to engine_hand_over() */
extern int rig_join_errno;	      /* group_join() fails */
/* Each packet puts a completion into this queue, and signals this event. NULL, -1: none. */
extern struct cq *_Atomic rig_filled_cq;
extern _Atomic int rig_event_fd;

/* Something comes: a packet, a MAD, a message of another process, a change of addresses. */
void rig_send(void);
void rig_send_mad(void);
void rig_send_message(void);
void rig_change_address(void);

/* ------------------------------------------------------------- rig_transport.c -- */

extern struct rig_transport {
	unsigned runs;		    /* requester_run() */
	bool works;		    /* requester_run() takes what was posted off the queue */
	unsigned entered;	    /* transport_enter() */
	enum ibv_qp_state from, to; /* its last arguments */
	unsigned failures;	    /* transport_fail(), which does nothing but set ERR */
	int event;		    /* its argument */
	struct uroce_change why;    /* the last argument of both */
	unsigned forgotten;	    /* transport_forget() */
	uint32_t forgotten_peer;    /* dest_qp_num at that time */
	unsigned responses;	    /* the last argument of responses_resize() */
	int resize_error;	    /* what it returns */
} rig_transport;

/* ----------------------------------------------------------------- rig_verbs.c -- */

extern struct ibv_context *rig_context;
extern struct pd *rig_pd, *rig_other_pd;
extern const union ibv_gid rig_gid_a, rig_gid_b;

/* Takes the oldest completion. */
bool rig_poll(struct cq *cq, struct ibv_wc *wc);

/* Keys are local and remote ones. */
uint32_t rig_reg(struct pd *pd, void *addr, size_t len, unsigned access);
void rig_dereg(uint32_t key);
bool rig_writable(const void *addr, size_t len); /* registered, and not for reading only */

struct rig_event {
	struct qp *qp;
	int type;
};
/* The oldest event that was not taken; type -1: none. */
struct rig_event rig_event(void);

struct rig_options {
	enum ibv_qp_type type;
	uint32_t mtu, psn; /* psn: of the first packet in both directions */
	unsigned timeout, retry_cnt, rnr_retry, min_rnr_timer;
	unsigned rd_atomic;
	unsigned access;
	struct srq *srq;
	struct xrcd *xrcd; /* of XRC_RECV */
};
extern const struct rig_options rig_defaults;
/* A QP in INIT, and two that are connected, in RTS. */
struct qp *rig_qp(const struct rig_options *o);
void rig_connect(struct qp *a, struct qp *b, const struct rig_options *o);
void rig_rtr(struct qp *qp, struct qp *peer, const struct rig_options *o);
void rig_rts(struct qp *qp, const struct rig_options *o);
void rig_state(struct qp *qp, enum ibv_qp_state to);
void rig_free(struct qp *qp);
/* Joins a multicast group. */
void rig_join(struct qp *qp);
extern const union ibv_gid rig_mgid;

/* xrcd NULL: of the basic type; else it has a queue of its own for completions. */
struct srq *rig_srq(struct pd *pd, struct xrcd *xrcd);
void rig_srq_free(struct srq *srq);

struct rig_wr {
	uint64_t wr_id;
	enum ibv_wr_opcode opcode;
	unsigned flags;
	bool unsignaled;
	struct ibv_sge sge[4];
	int nsge; /* 0 with len 0; -1: inline */
	const void *data;
	uint32_t len; /* of data */
	__be32 imm;
	uint32_t inv_rkey, rkey;
	uint64_t remote, compare_add, swap;
	uint32_t flush_len, feth; /* FLUSH; feth 0: a range, to global visibility */
	uint32_t srqn;		  /* XRC */
	uint32_t qpn, qkey;	  /* UD */
	union ibv_gid dgid;	  /* UD; zero: that of a peer */
	struct window_bind bind;
};
void rig_post(struct qp *qp, const struct rig_wr *wr);
void rig_recv(struct qp *qp, uint64_t wr_id, void *addr, uint32_t len, uint32_t lkey);
void rig_srq_recv(struct srq *srq, uint64_t wr_id, void *addr, uint32_t len, uint32_t lkey);
/* There is one window. Makes it anew, and returns what binds it; or binds it, and returns its key.
 */
struct window_bind rig_window(void);
uint32_t rig_bind(struct qp *qp);
bool rig_is_bound(void);

#endif
