/* SPDX-License-Identifier: MIT */
/* An application of the device, for tests of its QPs: what they are made of, and the addresses of
 * the host: 192.0.2.1 and fe80::1 (GID indices 0 and 3) on eth0, 127.0.0.1 (1) on lo. */
#ifndef UROCE_TESTS_VERBS_APP_H
#define UROCE_TESTS_VERBS_APP_H

#include "completion_queue.h"
#include "gid.h"
#include "queue_pair.h"
#include "rig.h"

extern struct ibv_context *app_context;
extern struct ibv_pd *app_pd;
extern struct ibv_comp_channel *app_channel; /* of both queues */
extern struct ibv_cq *app_send_cq, *app_recv_cq;

/* The addresses above, or none. */
void app_addresses(bool any);
/* Opens the device, with those addresses. Events are not waited for. */
void app_open(void);
/* Nothing may be left of all that was made. */
void app_close(void);
/* How many objects use the PD and the queues. */
unsigned app_users(void);
/* With room for four requests of two SGEs each; send_ops 0: plain. */
struct qp *app_qp(enum ibv_qp_type type, struct srq *srq, uint64_t send_ops);
/* Puts it there without asking. */
void app_state(struct qp *qp, enum ibv_qp_state state);
/* An address vector for that GID index, to itself. */
struct ibv_ah_attr app_av(uint8_t index);
/* Takes the only completion. */
struct ibv_wc app_completion(struct ibv_cq *cq);

#endif
