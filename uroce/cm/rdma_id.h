/* SPDX-License-Identifier: MIT */
/*
 * The objects of the rdma_cm API: ids, event channels, events. rdma_cm(7).
 *
 *   rdma_id.c         rdma_create_id(3), rdma_destroy_id(3), rdma_migrate_id(3),
 *                     rdma_set_option(3); the context that all ids share
 *   rdma_event.c      event channels; what becomes an event, and what is done when it is taken;
 *                     ids that wait for their own events
 *   rdma_address.c    rdma_bind_addr(3), rdma_listen(3), rdma_resolve_addr(3),
 *                     rdma_resolve_route(3), rdma_getaddrinfo(3)
 *   rdma_connect.c    rdma_connect(3), rdma_accept(3), rdma_reject(3), rdma_disconnect(3),
 *                     rdma_join_multicast(3)
 *   rdma_qp.c         the QP of an id and its transitions
 *
 * Calls of verbs are made as an application makes them: without the lock. All else that
 * touches an id does so with the lock held; the fields that the application sees are its own
 * business while it runs calls on the same id from several threads.
 */
#ifndef UROCE_CM_RDMA_ID_H
#define UROCE_CM_RDMA_ID_H

#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "conn.h"
#include "order.h"

struct membership;

/* Of release 60 of rdma-core, whose names older headers do not have. */
#define CM_EVENT_ADDRINFO_RESOLVED ((enum rdma_cm_event_type)16)
#define CM_EVENT_USER		   ((enum rdma_cm_event_type)18)
#define CM_RAI_SA		   0x10
int rdma_resolve_addrinfo(struct rdma_cm_id *v, const char *node, const char *service,
			  const struct rdma_addrinfo *hints);
int rdma_query_addrinfo(struct rdma_cm_id *v, struct rdma_addrinfo **info);
int rdma_write_cm_event(struct rdma_cm_id *v, enum rdma_cm_event_type event, int status,
			uint64_t arg);

struct cm_channel {
	struct rdma_event_channel v;
	LIST_ENTRY(cm_channel) entry;
	LIST_HEAD(, cm_id) ids;
	TAILQ_HEAD(, cm_event) events; /* not yet taken */
	struct event_queue *queue;     /* of events */
	struct order_wait late;	       /* until the program is told of those that are held */
	bool dead;		       /* the parent's: we are a child of fork() */
};

/* The state that it has reached; the names are the kernel's. */
enum id_state {
	ID_IDLE,
	ID_BOUND,
	ID_ADDR_QUERY,
	ID_ADDR_RESOLVED,
	ID_ROUTE_RESOLVED,
	ID_CONNECT,
	ID_DISCONNECT,
	ID_LISTEN,
};

struct cm_id {
	struct rdma_cm_id v;
	LIST_ENTRY(cm_id) entry;
	struct cm_channel *channel; /* NULL: it was destroyed, and the id is dead */
	enum id_state state;
	bool quiet;	  /* a request that is not accepted yet has no events, as in the kernel */
	bool sync;	  /* has a channel of its own; calls wait for their events */
	unsigned unacked; /* events taken and not acknowledged */
	unsigned forks;	  /* event_forks when it was made */
	struct conn *conn;
	struct port *port;
	/* in ID_ADDR_QUERY: when to look again, and until when; the state if nobody answers */
	struct timer query;
	uint64_t query_wait, query_ask, query_end;
	enum id_state before;
	bool source_failed; /* id_drop_source() */
	bool told;	    /* that its address, or the device, has gone */
	unsigned backlog;   /* requests that may still be queued */
	union ibv_gid sgid; /* with v.verbs: where it is bound */
	uint32_t scope;
	uint8_t responder_resources, initiator_depth; /* asked for */
	uint8_t tos, ack_timeout;
	bool has_ack_timeout, reuse, afonly;
	struct rdma_addrinfo *resolved; /* until it is asked for: rdma_resolve_addrinfo() */
	/* rdma_create_ep() */
	void *connect_data;
	size_t connect_len;
	struct ibv_qp_init_attr *ep_attr; /* for those that come in */
	struct ibv_pd *ep_pd;
	LIST_HEAD(, membership) groups;
};

struct cm_event {
	struct rdma_cm_event v;
	TAILQ_ENTRY(cm_event) entry;
	struct cm_id *owner;	   /* waits for its acknowledgement: the listener of a request */
	struct membership *member; /* of MULTICAST_JOIN */
	bool held;		   /* the program is not told yet: base/order.h */
	uint8_t data[MAD_PRIVATE_MAX];
};

static inline struct cm_id *to_cm_id(struct rdma_cm_id *id)
{
	return (struct cm_id *)id;
}

/* Of AF_INET and AF_INET6. */
static inline __be16 *port_field(struct sockaddr_storage *ss)
{
	return ss->ss_family == AF_INET ? &((struct sockaddr_in *)ss)->sin_port
					: &((struct sockaddr_in6 *)ss)->sin6_port;
}

static inline size_t addr_len(const struct sockaddr *sa)
{
	return sa->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

static inline bool is_datagram(const struct cm_id *id)
{
	return id->v.qp_type == IBV_QPT_UD;
}

/* ------------------------------------------------- rdma_id.c: the shared device -- */

/* Opens what all ids share, once: each device, with a PD for those ids that bring none. Devices
 * that have failed are left out. Without the lock. 0, or -1 with errno; EIO: all have failed. */
int cm_device_open(void);
/* By their numbers. context NULL: it is left out. */
extern struct cm_device {
	struct ibv_context *context;
	struct ibv_pd *pd;
} cm_devices[DEVICES_MAX];

/*
 * Local ACK timeout, 4.096 us * 2^16 = 268 ms. The kernel's 19 costs 2.1 s for the loss of
 * the last packet of a message, on links that answer in microseconds; much less would, times
 * eight tries, break the connections of a process that is stopped or starved for a second.
 */
#define ACK_TIMEOUT 16

/* ------------------------------------------------------------------ rdma_id.c -- */

/* Its connection, listener, groups and events go. */
void id_shut(struct cm_id *id);
void id_free(struct cm_id *id);
/* Bound to the device by an address of it: fills what the application sees. 0, or -1 with ENODEV:
 * that device is left out. */
int id_set_device(struct cm_id *id, const union ibv_gid *sgid, uint32_t scope);
/* ID_ADDR_QUERY ends: nobody waits for an answer of the neighbour any more. */
void id_end_query(struct cm_id *id);
/* Forgets the device and source that were chosen for an address that did not answer: another route
 * may need another source. The application reads both without a lock, so only its own threads may
 * call this: when they take the event, or when they ask for another address. */
void id_drop_source(struct cm_id *id);
/* The addresses are known: fills route. */
void id_set_path(struct cm_id *id, const union ibv_gid *dgid, enum ibv_mtu mtu);
/* rdma_create_id() for any type of QP. */
int id_create(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
	      enum rdma_port_space ps, enum ibv_qp_type qp_type);

/* ------------------------------------------------------------- rdma_channel.c -- */

struct cm_channel *cm_channel_new(void);
void cm_channel_free(struct cm_channel *ch);
/* Queues an event that is not yet taken; it belongs to the channel of its owner. */
void cm_channel_put(struct cm_event *ev);
/* Waits for the next event, and takes it, which is to be acknowledged; without the lock. NULL with
 * errno: EBADF when the channel had been destroyed before, or is that of the process that forked;
 * EAGAIN when its descriptor does not wait. */
struct cm_event *cm_channel_take(struct cm_channel *ch);
/* Drops the queued events of an owner; requests in them are rejected. */
void cm_channel_drop(struct cm_channel *ch, struct cm_id *id);
/* Those about a group that is left. */
void cm_channel_drop_member(struct cm_channel *ch, const struct membership *mc);
/* Is one of an owner queued? */
bool cm_channel_has(struct cm_channel *ch, const struct cm_id *owner);
/* An id and its queued events go over to another channel. */
void cm_channel_move(struct cm_channel *from, struct cm_channel *to, struct cm_id *id);
void cm_channel_forget(void); /* after fork() */
/* Calls fn for every id of a channel. With the lock. */
void cm_id_each(void (*fn)(struct cm_id *id, void *arg), void *arg);
/* Waits until *unacked, a count of events of id, is 0. Returns at once in a child of the process
 * that made the id: only the process that took an event can acknowledge it. With the lock. */
void cm_await_acks(const struct cm_id *id, const unsigned *unacked);

/* --------------------------------------------------------------- rdma_event.c -- */

/* The addresses have changed (failed NULL): ADDR_CHANGE for ids whose address has gone. Or that
 * device has failed: DEVICE_REMOVAL for its ids. With the lock. */
void cm_device_news(struct ibv_device *failed);

/* An event about id, zeroed; NULL: ENOMEM, it is lost. */
struct cm_event *cm_event_new(struct cm_id *id, enum rdma_cm_event_type type, int status);
/* Makes and queues one without parameters. */
void cm_event_post(struct cm_id *id, enum rdma_cm_event_type type, int status);
/* Private data of the wire: the full field. */
void cm_event_set_data(struct cm_event *ev, const struct mad *m, size_t skip);

/* Of a synchronous id: waits for the event that ends a call, and keeps it in id->event. 0, or
 * -1 with errno. Without the lock: an id that is not synchronous may be gone by then, since
 * another thread gets its events. */
int id_complete(struct cm_id *id);
/* Acknowledges the event that it keeps, if there is one. */
void id_ack_kept(struct rdma_cm_id *v);

/* ------------------------------------------------------------------ rdma_qp.c -- */

/* To RTR and RTS as the connection wants it, or to ERR; without the lock. 0, or -1 with errno. */
int id_qp_connect(struct cm_id *id, unsigned responder_resources, unsigned initiator_depth);
int id_qp_error(struct cm_id *id);
/* The address vector that leads to the peer. */
int id_av(const struct cm_id *id, const union ibv_gid *dgid, struct ibv_ah_attr *av);

/* -------------------------------------------------- rdma_connect.c: multicast -- */

struct membership {
	LIST_ENTRY(membership) entry;
	struct sockaddr_storage addr;
	union ibv_gid mgid;
	void *context;
	bool send_only, attached;
	unsigned unacked; /* its event is taken and not acknowledged */
};

/* Frees all memberships of an id that is destroyed. A QP that is still attached stays so. */
void membership_drop(struct cm_id *id);
/* The event of a join is taken: attaches the QP. Without the lock. */
void membership_joined(struct cm_event *ev);

#endif
