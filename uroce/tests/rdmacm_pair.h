/* SPDX-License-Identifier: MIT */
/* Two ends of the rdma_cm API in one process: a listener, and an id to connect with. While a thread
 * waits for an event, the time of the rig passes. */
#ifndef UROCE_TESTS_RDMACM_PAIR_H
#define UROCE_TESTS_RDMACM_PAIR_H

#include <rdma/rdma_verbs.h>

#include "checks.h"
#include "queue_pair.h"
#include "rdma_id.h"
#include "rig.h"

#define SECOND 1000000000ull
#define PORT   7174

extern struct rdma_event_channel *server, *client;
extern struct rdma_cm_id *listener, *id;
extern struct rdma_cm_event *held; /* release() acknowledges it: a rig_sleeper */

#define FAILS(call, error)                 \
	do {                               \
		errno = 0;                 \
		CHECK_INT((call), -1);     \
		CHECK_INT(errno, (error)); \
	} while (0)

/* Is rig_waiter, unless a test has another one: time passes. */
int pass_time(int fd);
/* QPs, completion queues, SRQs and channels that are there. */
unsigned objects(void);
/* Of four calls, the last results live. */
struct sockaddr *address(const char *host, uint16_t port);
struct rdma_cm_event *take(struct rdma_event_channel *ch, enum rdma_cm_event_type type);
/* Takes and acknowledges; its status. */
int expect(struct rdma_event_channel *ch, enum rdma_cm_event_type type);
bool idle(const struct rdma_event_channel *ch);
void release(void);
/* Creates a small QP. */
void create_qp(struct rdma_cm_id *i);
/* The listener (backlog 3) is bound to an address, and id is new. */
void open_both(enum rdma_port_space ps, const char *bind);
/* id comes as far as its route. */
void resolve(const char *host);
/* id connects, with responder_resources 3. */
void connect_with(uint8_t depth, const char *data);
/* The request at the listener; its event is acknowledged. */
struct rdma_cm_id *request(void);
/* With its QP. */
void close_id(struct rdma_cm_id *i);
/* Nothing may be left of all that was made. */
void close_both(void);

#endif
