/* SPDX-License-Identifier: MIT */
/* Two QPs of the rig, a and b, with memory at both ends, for tests of how they behave. */
#ifndef UROCE_TESTS_TRANSPORT_PAIR_H
#define UROCE_TESTS_TRANSPORT_PAIR_H

#include "checks.h"
#include "transport_own.h"
#include "rig.h"

#define MTU   256u
#define BYTES (128 * MTU)
#define MS    UINT64_C(1000000)

extern uint8_t here[BYTES], there[BYTES];
extern uint32_t here_key, there_key;
extern struct rig_options o; /* of the next pair; close_pair() sets them back */
extern struct qp *a, *b;

/* At the beginning of a test. */
void open_memory(void);
void register_there(void);
void open_pair(void);
void close_pair(void);

/* A request of a: from here to there, or the other way. */
struct rig_wr data(enum ibv_wr_opcode opcode, uint64_t id, uint32_t len);
void post(enum ibv_wr_opcode opcode, uint64_t id, uint32_t len);
/* The next completion, and that there is none. */
void expect(struct cq *cq, uint64_t id, enum ibv_wc_status status);
void expect_none(struct cq *cq);

/* For rig_wire.lose: everything; requests, or responses, with lose_psn, so many times. */
extern uint32_t lose_psn;
extern unsigned lose_times;
bool lose_all(const struct packet *p);
bool lose_request(const struct packet *p);
bool lose_response(const struct packet *p);

/* How often the PSN was sent as a request. */
unsigned sent_psn(uint32_t psn);

#endif
